"""Which settings are likely to be durations, by their value, their key and their place; in doubt none is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Final

from outlast.configs.formats import FORMATS, Format
from outlast.configs.interpret import plain_number
from outlast.configs.keys import dialect_of_key, is_duration_like, is_size_like, name_of, speaks_of_time, words_of
from outlast.configs.setting import Computed, Index, Key, Literal, Setting

__all__ = ["durations", "is_duration", "is_value_like", "may_tell_duration"]

#: What may begin a number or a duration: `30s`, `.5`, `-1`, `PT20S`.
_NUMBER: Final = re.compile(r"\s*[-+]?\.?[0-9]|[Pp][Tt]?[-+]?[0-9]")
#: What texts begin with that it or the words below fit.
_FIRST: Final = frozenset("0123456789.+-PpiInNuU \t\r\n")
#: Words that stand for a duration in a place that has one.
_WORD: Final = re.compile(r"infinity|infinite|never|unlimited", re.IGNORECASE)
#: A number with a unit of time, or several.
_PART: Final = r"[0-9]+(?:\.[0-9]+)?[ \t]?(?:ns|nsec|us|usec|µs|μs|ms|msec|millis(?:econds?)?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|M|y)"
_ISO: Final = (
    r"P(?=T?[-+]?[0-9])(?:[-+]?[0-9]+D)?(?:T(?:[-+]?[0-9]+H)?(?:[-+]?[0-9]+M)?(?:[-+]?[0-9]+(?:\.[0-9]+)?S)?)?"
)
_WITH_UNIT: Final = re.compile(rf"\s*[-+]?{_PART}(?:[ \t]*{_PART})*\s*|{_ISO}")
#: Such a text may as well be a size, a thousandth of a processor or a number of dimensions.
_DOUBTFUL: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?[mdwMy]")
#: Hours, minutes and seconds, which may as well be a time of day.
_CLOCK: Final = re.compile(r"-?(?:[0-9]{1,8}\.)?[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,7})?")
_BARE: Final = re.compile(r"\s*(?:-1|[0-9]+(?:\.[0-9]+)?)\s*")
#: Seconds or milliseconds since 1970.
_TIMESTAMP: Final = re.compile(r"\s*1[0-9]{9}(?:[0-9]{3}|\.[0-9]+)?\s*")
#: What is never spelled so is a duration: SO_TIMEOUT = 0x1006 is the number of an option.
_BASED: Final = re.compile(r"0[xXbBoO]")
#: Words of a key that make `5m` minutes, although they tell nothing of a bare number: `for: 5m`, nginx's `inactive=20m`.
_MINUTES: Final = frozenset(
    ("every", "for", "inactive", "inter", "poll", "polling", "range", "refresh", "resync", "rotate", "step", "valid")
)

_PROGRAMS: Final = frozenset(("go", "typescript", "javascript", "python", "java"))
#: Dialects in which a bare number is no duration, although all of a document is written in them.
_WITHOUT_BARE: Final = frozenset(("go", "proto"))


def durations(settings: Sequence[Setting], format_: Format) -> list[Setting]:
    """Those of the settings that are likely to be durations; most texts are passed by for their first character."""
    return [
        s
        for s in settings
        if (s.content.__class__ is not Literal or s.content.text[:1] in _FIRST) and is_duration(s, format_)
    ]


def is_value_like(text: str) -> bool:
    """Whether a text begins as a number or a duration does, or is a word such as `infinity`."""
    return _NUMBER.match(text) is not None or _WORD.fullmatch(text) is not None


def is_duration(setting: Setting, format_: Format) -> bool:
    """Whether a setting is likely to be a duration."""
    content = setting.content
    if isinstance(content, Literal):
        sort, text = _seen(content.text, content.is_text, format_.name)
        if sort is _Sort.WITH_UNIT:
            return _is_time(setting, format_, text)
        return sort is _Sort.BARE and _tells_duration(setting, format_, text)
    if isinstance(content, Computed):
        if content.unit is not None:
            return True
        if _BASED.match(setting.raw) or (content.amount.denominator != 1 and format_.dialect == "nanos"):
            return False
        text = str(content.amount)
        return not _TIMESTAMP.fullmatch(text) and _tells_duration(setting, format_, text)
    return format_.name not in _PROGRAMS and _tells_duration(setting, format_, "")


class _Sort(Enum):
    """What a text may be, as far as it tells."""

    OTHER = 0
    #: A number, a word such as `infinity` or one of a clock: the place says whether it is a duration.
    BARE = 1
    WITH_UNIT = 2


@lru_cache(maxsize=2**14)
def _seen(text: str, is_text: bool, format_: str) -> tuple[_Sort, str]:
    """What a literal may be, and its plain text; of words and clocks none."""
    if len(text) > 64 or not is_value_like(text) or _BASED.match(text):
        return _Sort.OTHER, ""
    plain = plain_number(Literal(text, is_text=is_text), FORMATS[format_])
    if _BARE.fullmatch(plain):
        return (_Sort.OTHER if _TIMESTAMP.fullmatch(plain) else _Sort.BARE), plain
    if _WORD.fullmatch(plain) or _CLOCK.fullmatch(plain):
        return _Sort.BARE, ""
    return (_Sort.WITH_UNIT if _WITH_UNIT.fullmatch(plain) else _Sort.OTHER), plain


def _is_time(setting: Setting, format_: Format, text: str) -> bool:
    """Whether a text with a unit is one of time: 5m may be minutes, megabytes or thousandths."""
    if setting.dialect is not None and setting.dialect not in _WITHOUT_BARE:
        return True
    likely, minutes, is_other = _about(name_of(setting))
    if is_other:
        return False
    if likely or minutes or setting.dialect is not None or not _DOUBTFUL.fullmatch(text.strip()):
        return True
    return format_.name not in _PROGRAMS and _about(_enclosed_name(setting))[0]


def _tells_duration(setting: Setting, format_: Format, number: str) -> bool:
    """Whether the place of a bare number speaks of a duration; an element of a list in a list is one of a table of numbers."""
    route = setting.route
    last = route[-1]
    if (
        last.__class__ is Index
        and last.name is None
        and len(route) > 1
        and route[-2].__class__ is Index
        and route[-2].name is None
    ):
        return False
    if setting.dialect is not None:
        return setting.dialect not in _WITHOUT_BARE
    name = last.name if last.__class__ is Key and last.name not in _UNTOLD else name_of(setting)
    likely, _, is_other = _about(name)
    if likely:
        return not (
            (number in _STATUSES and _names_status(name))
            or (route[0].name or "").endswith(_HEADERS)
            or (format_.name in _PROGRAMS and _counts_first(name) and (len(route) == 1 or route[-1] == Index(0)))
        )
    return not is_other and format_.name not in _PROGRAMS and _about(_enclosed_name(setting))[0]


#: What a request that took too long is answered with; of HTTP, gateways and Cloudflare.
_STATUSES: Final = frozenset(("408", "440", "460", "504", "522", "524", "598", "599"))
_ANSWERING: Final = frozenset(
    ("http", "status", "request", "response", "gateway", "client", "login", "origin", "network")
)
#: Directives that hand their values on to programs that may count in anything.
_HEADERS: Final = ("_header", "add_trailer")


def _names_status(name: str) -> bool:
    """Whether a name may be one of HTTP's: HTTP_CLIENT_TIMEOUT, StatusGatewayTimeout."""
    return not _ANSWERING.isdisjoint(words_of(name))


def _counts_first(name: str) -> bool:
    """Whether what a function takes first is a number of permits: tryAcquireNanos(1, timeout)."""
    return "acquire" in words_of(name)


#: Names of a member that only say that it is one.
_UNTOLD: Final = frozenset(("default", "value"))
#: Blocks whose members are durations whatever they are called: `timeouts { create = "60m" }`.
_BLOCKS: Final = frozenset(("timeout", "timeouts", "deadline", "deadlines", "delays", "durations", "intervals"))
_BLOCK_ENDINGS: Final = tuple(_BLOCKS)


def _enclosed_name(setting: Setting) -> str:
    """The name of a setting with that of a block that tells what its members are; of a default, the name of what has it."""
    route, scope = setting.route, setting.scope
    own = route[-1].name
    block = route[-2].name if len(route) > 1 else scope[-1][0].rpartition(".")[2] if scope else None
    if not block or not own:
        return ""
    if own in _UNTOLD:
        return block
    return f"{block}_{own}" if _is_telling_block(block) else ""


def _is_telling_block(name: str) -> bool:
    return name.lower().endswith(_BLOCK_ENDINGS) and words_of(name)[-1] in _BLOCKS


@lru_cache(maxsize=2**16)
def _about(name: str) -> tuple[bool, bool, bool]:
    """Whether a key is likely to be a duration, whether `5m` under it are minutes, whether it speaks of something else."""
    words = words_of(name)
    if words[-2:-1] == ("per",) or sum(map(_UNITS.__contains__, words)) > 1:  # refresh_per_second, seconds_in_day
        return False, False, True
    if not _NEGATED.isdisjoint(words) or (words[-1:] == ("time",) and not _POINTS.isdisjoint(words)):
        return False, False, True
    likely = dialect_of_key(name) is not None or is_duration_like(name)
    return likely, not _MINUTES.isdisjoint(words), is_size_like(name) or not _PROSE.isdisjoint(words)


_UNITS: Final = frozenset(
    unit
    for word in ("millisecond", "microsecond", "nanosecond", "second", "minute", "hour", "day")
    for unit in (word, word + "s")
)
#: Switches: TCP_NODELAY, no_timeout.
_NEGATED: Final = frozenset(("no", "nodelay", "notimeout", "noexpire", "nowait"))
#: Words with which a time is one of day, or since 1970: UTCTime, start_time.
_POINTS: Final = frozenset(
    ("access", "birth", "build", "changed", "created", "creation", "date", "end", "epoch", "finish", "generalized", "gmt", "local", "modification", "modified", "mod",
     "now", "of", "start", "system", "unix", "updated", "update", "utc")
)  # fmt: skip
#: Words of a key under which `12 hours` is told to people.
_PROSE: Final = frozenset(
    ("code", "comment", "description", "example", "help", "label", "message", "name", "summary", "text", "title", "version")
)  # fmt: skip


def may_tell_duration(data: bytes) -> bool:
    """Whether the bytes of a file hold a word of time in some name, or a text such as "30s"; without any, it need not be parsed.

    Names and texts that are written with escapes alone are not seen.
    """
    if b"imeout" in data or b"econds" in data:
        return True
    return any(map(_tells_time, set(_NAMES.findall(data)))) or _TEXT.search(data) is not None


@lru_cache(maxsize=2**16)
def _tells_time(name: bytes) -> bool:
    return speaks_of_time(name.decode())


_NAMES: Final = re.compile(rb"[A-Za-z][A-Za-z0-9_.-]+")
_TEXT: Final = re.compile(
    rb"[0-9][ \t]?(?:ns|us|\xc2\xb5s|\xce\xbcs|ms|s|m|h|d|w|min|secs?|weeks?|M|y)(?![0-9A-Za-z_-])|P[-+]?[0-9]|PT[-+]?[0-9]"
)
