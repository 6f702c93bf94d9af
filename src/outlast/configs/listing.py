"""Which settings of which files are durations, or all settings: what `outlast settings` shows and init begins with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final

from outlast.configs.formats import FORMATS, Format, format_of, may_have_format
from outlast.configs.interpret import plain_number, read_value
from outlast.configs.keys import dialect_of_key, is_duration_like, is_size_like, name_of, words_of
from outlast.configs.select import Selectors
from outlast.configs.setting import Computed, Flag, Index, Key, Literal, Opaque, Setting, Step
from outlast.configs.walk import Found, Skipped, contents, walk
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import lines_between
from outlast.constraints.quantities import Kind, Value
from outlast.constraints.record import record

__all__ = ["Listed", "ListedFile", "Listing", "Problem", "is_duration", "list_settings"]


@record(kw_only=True)
class Listed:
    """One setting with its place, how a spec refers to it, and what it says."""

    line: int
    col: int
    #: What stands behind the `#` of an `at`.
    selector: str
    raw: str
    #: None: not known, for the `reason`.
    value: Value | None
    reason: str | None = None
    #: None: not known, or a value that fits every kind.
    kind: Kind | None = None


@record(kw_only=True)
class ListedFile:
    """A file of which there is something to show."""

    file: str
    #: The name of its format.
    format: str
    settings: tuple[Listed, ...]


@record
class Problem:
    """Why a file could not be read; `is_named`: it was asked for by its own name."""

    error: OutlastError
    is_named: bool


@record(kw_only=True)
class Listing:
    """What was found, in the order of the files' names."""

    files: tuple[ListedFile, ...]
    problems: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]
    #: How many files were read, those without anything to show included.
    read: int


def list_settings(paths: Sequence[Path], *, all_: bool) -> Listing:
    """The settings below the paths that are likely to be durations; with `all_`, every one.

    Raises:
        InputErrors: for paths that do not exist.
    """
    skipped: list[Skipped] = []
    files: list[ListedFile] = []
    problems: list[Problem] = []
    read = 0
    with _without_collection():
        for found in walk(paths, skipped):
            try:
                listed = _list_file(found, skipped, all_=all_)
            except OutlastError as error:
                problems.append(Problem(error, found.is_named))
                continue
            except InputErrors as errors:
                problems += [Problem(error, found.is_named) for error in _flat(errors)]
                continue
            if listed is not None:
                read += 1
                if listed.settings:
                    files.append(listed)
    return Listing(files=tuple(files), problems=tuple(problems), skipped=tuple(skipped), read=read)


@contextmanager
def _without_collection() -> Iterator[None]:
    """No search for circles of objects, of which readers make none: it takes a tenth of the time of thousands of files."""
    import gc

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _flat(errors: BaseExceptionGroup[OutlastError]) -> Iterator[OutlastError]:
    for error in errors.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _flat(error)
        else:
            yield error


def _list_file(found: Found, skipped: list[Skipped], *, all_: bool) -> ListedFile | None:
    """What a file has to show; None: it was not read."""
    if not found.is_named and not may_have_format(found.file):
        return None
    data = contents(found, skipped)
    if data is None:
        return None
    file = printable(found.file)
    format_ = format_of(found.file, data)
    if format_ is None:
        if found.is_named:
            raise OutlastError(f"cannot tell from its name what {file} is; known are {', '.join(FORMATS)}")
        return None
    if format_.name in _PROGRAMS:
        is_quiet = not _may_tell_duration(data)
    else:
        is_quiet = format_.name == "yaml" and _SPEC.search(data[:_HEAD]) is not None
    if is_quiet and not all_:
        return ListedFile(file=file, format=format_.name, settings=())
    settings = format_.read(data, file)
    shown = settings if all_ else [s for s in settings if is_duration(s, format_)]
    return ListedFile(file=file, format=format_.name, settings=tuple(_listed(shown, settings, data, format_)))


#: Our own specs speak of settings, but set none.
_SPEC: Final = re.compile(rb"^outlast:[ \t]*[0-9]", re.M)
_HEAD: Final = 4096


def _listed(shown: Sequence[Setting], settings: Sequence[Setting], data: bytes, format_: Format) -> Iterator[Listed]:
    if not shown:
        return
    lasts = {_last(setting) for setting in shown}
    selectors = Selectors(shown if len(shown) == len(settings) else [s for s in settings if _last(s) in lasts])
    places = _places(data, shown)
    for setting, (line, col) in zip(shown, places, strict=True):
        value, kind, reason = _said(setting, format_)
        selector = selectors.of(setting)
        yield Listed(
            line=line, col=col, selector=selector, raw=setting.raw, value=value, reason=reason, kind=kind
        )  # fmt: skip


def _last(setting: Setting) -> str | int | None:
    """What settings have in common whose routes are written alike."""
    last = setting.route[-1]
    return last.position if isinstance(last, Index) else last.name


def _places(data: bytes, shown: Sequence[Setting]) -> Iterator[tuple[int, int]]:
    """Line and column of each setting, in characters from 1, in one pass over the bytes."""
    offset, line, col = 3 if data.startswith(b"\xef\xbb\xbf") else 0, 1, 1
    for setting in shown:
        start = max(setting.start, offset)
        lines, begin = lines_between(data, offset, start)
        if lines:
            line, col, offset = line + lines, 1, begin
        between = data[offset:start]
        col += len(between) if between.isascii() else len(between.decode(errors="replace"))
        offset = start
        yield line, col


def _said(setting: Setting, format_: Format) -> tuple[Value | None, Kind | None, str | None]:
    """Value and kind, or why there is none."""
    content = setting.content
    if isinstance(content, Opaque):
        return None, None, content.reason
    if isinstance(content, Literal) and not (_NUMBER.match(content.text) or _WORD.fullmatch(content.text)):
        return None, None, "not a number"
    if isinstance(content, Literal):
        outer = next(filter(_is_for_others, setting.route), None)
        return _literal(content, name_of(setting), outer, len(setting.route), setting.dialect, format_.name)
    return _read(setting, format_)


def _is_for_others(step: Step) -> bool:
    """Whether what is inside a step is for another program than the one that reads the file, which changes what a bare number means."""
    return step.__class__ is Flag or step.name == "environment" or step.name == "Environment"


@lru_cache(maxsize=2**14)
def _literal(
    content: Literal, name: str, outer: Step | None, steps: int, dialect: str | None, format_: str
) -> tuple[Value | None, Kind | None, str | None]:
    """The same of a literal: with that name, and that step for other programs, it says the same wherever it stands."""
    route = (outer, Key(name)) if outer is not None and steps > 1 else (outer or Key(name),)
    alike = Setting(route=route, start=0, end=0, raw="", content=content, dialect=dialect)
    return _read(alike, FORMATS[format_])


def _read(setting: Setting, format_: Format) -> tuple[Value | None, Kind | None, str | None]:
    try:
        value, kind = read_value(setting, format_, None, None)
    except OutlastError as error:
        return None, None, "no unit told" if _is_without_unit(error) else error.message
    return value, kind, None


def _is_without_unit(error: OutlastError) -> bool:
    return "without a unit, and neither" in error.message


#: What may begin a number or a duration: `30s`, `.5`, `-1`, `PT20S`.
_NUMBER: Final = re.compile(r"\s*[-+]?\.?[0-9]|[Pp][Tt]?[-+]?[0-9]")
#: Words that stand for a duration in a place that has one.
_WORD: Final = re.compile(r"infinity|infinite|never|unlimited", re.IGNORECASE)
#: A number with a unit of time, or several.
_PART: Final = r"[0-9]+(?:\.[0-9]+)?[ \t]?(?:ns|nsec|us|usec|µs|μs|ms|msec|millis(?:econds?)?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|M|y)"
_WITH_UNIT: Final = re.compile(rf"\s*[-+]?{_PART}(?:[ \t]*{_PART})*\s*|PT[-+0-9.HMS]+|P[-+]?[0-9]+D(?:T[-+0-9.HMS]+)?")
#: Such a text may as well be a size, a thousandth of a processor or a number of dimensions.
_DOUBTFUL: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?[mdwMy]")
_BARE: Final = re.compile(r"\s*(?:-1|[0-9]+(?:\.[0-9]+)?)\s*")
#: Seconds or milliseconds since 1970.
_TIMESTAMP: Final = re.compile(r"\s*1[0-9]{9}(?:[0-9]{3}|\.[0-9]+)?\s*")
#: Words of a key that make `5m` minutes, although they tell nothing of a bare number: `for: 5m`, nginx's `inactive=20m`.
_MINUTES: Final = frozenset(
    ("every", "for", "inactive", "inter", "poll", "polling", "range", "refresh", "resync", "rotate", "step", "valid")
)

_PROGRAMS: Final = frozenset(("go", "typescript", "javascript", "python", "java"))


def is_duration(setting: Setting, format_: Format) -> bool:
    """Whether a setting is likely to be a duration, by its value, its key and its place; in doubt it is not."""
    content = setting.content
    if isinstance(content, Literal):
        text = content.text
        if len(text) > 64 or not (_NUMBER.match(text) or _WORD.fullmatch(text)):
            return False
        text = plain_number(content, format_)
        if _BARE.fullmatch(text):
            return not _TIMESTAMP.fullmatch(text) and _tells_duration(setting)
        if _WORD.fullmatch(text):
            return _tells_duration(setting)
        if not _WITH_UNIT.fullmatch(text):
            return False
        if setting.dialect is not None:
            return True
        likely, minutes, is_other = _about(name_of(setting))
        if is_other:
            return False
        return likely or minutes or not _DOUBTFUL.fullmatch(text.strip())
    if isinstance(content, Computed):
        if content.unit is not None:
            return True
        is_whole = content.amount.denominator == 1 or format_.dialect != "nanos"
        return is_whole and not _TIMESTAMP.fullmatch(str(content.amount)) and _tells_duration(setting)
    return format_.name not in _PROGRAMS and _tells_duration(setting)


def _tells_duration(setting: Setting) -> bool:
    """Whether the place of a bare number speaks of a duration; an element of a list in a list is one of a table of numbers."""
    last = setting.route[-2:]
    if len(last) == 2 and all(isinstance(step, Index) and step.name is None for step in last):
        return False
    return setting.dialect is not None or _about(name_of(setting))[0]


@lru_cache(maxsize=2**16)
def _about(name: str) -> tuple[bool, bool, bool]:
    """Whether a key is likely to be a duration, whether `5m` under it are minutes, whether it speaks of something else."""
    words = words_of(name)
    if words[-2:-1] == ("per",) or sum(map(_UNITS.__contains__, words)) > 1:  # refresh_per_second, seconds_in_day
        return False, False, True
    likely = dialect_of_key(name) is not None or is_duration_like(name)
    return likely, not _MINUTES.isdisjoint(words), is_size_like(name) or not _PROSE.isdisjoint(words)


_UNITS: Final = frozenset(
    unit
    for word in ("millisecond", "microsecond", "nanosecond", "second", "minute", "hour", "day")
    for unit in (word, word + "s")
)
#: Words of a key under which `12 hours` is told to people.
_PROSE: Final = frozenset(
    ("comment", "description", "example", "help", "label", "message", "name", "summary", "text", "title", "version")
)


def _may_tell_duration(program: bytes) -> bool:
    """Whether the bytes of a program hold a word of time in some name, or a text such as "30s"; without any, it need not be parsed."""
    lower = program.lower()
    return (
        any(word in lower for word in _LONG_WORDS)
        or any(word in lower and expression.search(program) is not None for word, expression in _SHORT_WORDS.items())
        or _TEXT.search(program) is not None
    )


#: What is long enough to mean little else wherever it stands.
_LONG_WORDS: Final = (
    b"time", b"interval", b"delay", b"duration", b"period", b"second", b"millis", b"micros", b"nanos", b"minute", b"hour", b"backoff", b"cooldown", b"deadline",
    b"debounce", b"detection", b"expir", b"frequency", b"grace", b"heartbeat", b"jitter", b"keepalive", b"keep_alive", b"keep-alive", b"keepi", b"latency",
    b"lifespan", b"linger", b"lookback", b"maxage", b"patience", b"retention", b"staleness", b"stabilization", b"throttl",
)  # fmt: skip
#: What is part of other words: the age in page and package.
_SHORT_WORDS: Final = {
    word.encode(): re.compile(
        rf"(?:(?<![A-Za-z]){word}|{word.capitalize()}|{word.upper()})(?![a-z])".encode()
    )
    for word in ("after", "age", "day", "days", "drain", "draining", "hr", "hrs", "idle", "intvl", "lag", "lease", "mins", "ms", "msec", "msecs", "ns", "nsec",
                 "nsecs", "pause", "ping", "recycle", "rtt", "sec", "secs", "sleep", "ttl", "us", "usec", "usecs", "wait", "window")
}  # fmt: skip
_TEXT: Final = re.compile(rb"[0-9][ \t]?(?:ns|us|ms|s|m|h|d|w|min|secs?|M|y)[\"'`0-9 ]|[Pp][Tt]?[0-9]")
