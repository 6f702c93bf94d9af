"""What the name of a key tells: the unit of a bare number under it, and whether it is likely to be a duration."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from outlast.configs.setting import Flag, Index, Key, Setting

__all__ = ["dialect_of_key", "is_duration_like", "is_size_like", "name_of", "speaks_of_time", "words_of"]


#: How many names are remembered: those of a file, and what most files share.
_KNOWN: Final = 2**14


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|[0-9]+")

_SUFFIXES: Final = {
    word: dialect
    for dialect, words in {
        "seconds": "sec secs second seconds",
        "millis": "ms msec msecs milli millis millisecond milliseconds",
        "micros": "us usec usecs micro micros microsecond microseconds",
        "nanos": "ns nsec nsecs nano nanos nanosecond nanoseconds",
        "minutes": "mins minute minutes",
        "hours": "hr hrs hour hours",
        "days": "day days",
    }.items()
    for word in words.split()
}
#: The first letter of a unit that a change of case has cut off: USec, MSecs.
_CUT: Final = {"m": "millis", "u": "micros", "n": "nanos"}
#: The signs for a millionth, also in upper case, as the letter that stands for them.
_MICRO: Final = str.maketrans("µμΜ", "UUU")
#: What makes seconds something else; None: something that nothing here means.
_PREFIXES: Final = {
    "milli": "millis",
    "micro": "micros",
    "nano": "nanos",
    **dict.fromkeys(("deci", "centi", "tenth", "hundredth", "thousandth", "sixtieth", "k", "kilo", "mega", "giga")),
}
_SECONDS: Final = _words("sec secs second seconds")

#: From the shortest on.
_LENGTHS: Final = ("nanos", "micros", "millis", "seconds", "minutes", "hours", "days")
#: Words before a unit that make it the name of a length, FIVE_MINUTES, or of something else, requestsPerSecond.
_NUMBERS: Final = _words(
    "billion couple dozen eight eighteen eighty eleven few fifteen fifty five forty four fourteen half hundred million nine nineteen"
    " ninety of one per quarter seven seventeen seventy six sixteen sixty ten thirteen thirty thousand three twelve twenty two zero"
)
#: The same before one whole unit: HALF_A_SECOND, everyMinute, but not SERVICE_A_SEC, pollEverySeconds.
_EACH: Final = _words("a an each every the")
_SINGULAR: Final = _words("nanosecond microsecond millisecond second minute hour day")
#: Words that a number belongs to: stage 2.
_NUMBERED: Final = _words("attempt layer level phase retry round stage step tier try")

#: Words that make a key likely to be a duration, and endings of words that do: idletimeout.
_TELLING: Final = _words(
    "after age backoff cooldown deadline deadlines debounce delay delays drain draining duration durations expiration expire expires expiry"
    " frequency grace heartbeat heartbeats idle interval intervals intvl jitter keepalive keepidle keepintvl lag latency lease lifespan"
    " lifetime linger lookback maxage patience pause period periods ping recycle retention rtt sleep stabilization staleness throttle"
    " time timeout timeouts ttl wait window"
)
_ENDINGS: Final = ("timeout", "interval", "delay", "duration", "lifetime", "period", "timelimit")
#: Last words that make it something else, whatever stands before them.
_COUNTING: Final = _words(
    "attempts bool burst bytes calls checkrate class code codes conn connection connections conns count counts cpu data day enabled"
    " factor file format host id ids image kind length level memory mode multiplier name names num number offset path percent percentage"
    " policy port probes ratio rate requests retries retry size sizes source status strategy stream strikes tries type unit url"
    " users version zone"
)
#: Last words that leave it a duration only if the word before says that it is one: task_time_limit, failureThreshold.
_OPEN: Final = _words("limit threshold")
#: Words that make it a switch or a count, wherever they stand.
_SWITCHING: Final = _words("allow cpu disable enable enabled has is memory num permit use")
_SIZES: Final = _words("cpu cpus memory mem size sizes buffer buffers body heap storage disk bytes capacity quota")
#: Names of one word that say too little: nginx's `keepalive` counts connections, systemd's `After` is an order.
_ALONE: Final = frozenset({("keepalive",), ("after",), ("age",)})
#: Idle connections are counted: maxIdle, minimum-idle.
_ENDS: Final = frozenset({("min",), ("max",), ("minimum",), ("maximum",)})


@lru_cache(maxsize=_KNOWN)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in lower case, split at changes of case, digits and whatever is no letter.

    >>> words_of("maxIdleTimeMS"), words_of("keep-alive_timeout")
    (('max', 'idle', 'time', 'ms'), ('keep', 'alive', 'timeout'))
    """
    return tuple(word.lower() for word in _WORD.findall(name.translate(_MICRO)))


def name_of(setting: Setting) -> str:
    """The name that tells most about a setting: the last of its route, or what encloses it where that is `value` or a position."""
    for step in reversed(setting.route):
        match step:
            case Key(name) | Flag(name):
                if name.lower() not in ("value", "default") or len(setting.route) == 1:
                    return name
            case Index(_, str(name)):
                return name
    return ""


@lru_cache(maxsize=_KNOWN)
def dialect_of_key(name: str) -> str | None:
    """The dialect of a bare number that the last word of a key tells: `timeoutSeconds`, `TIMEOUT_MS`, `delayNanos`.

    A key that names a length tells nothing of the number: `FIVE_MINUTES` may be 300 or 300000, `SECONDS_PER_DAY` has no unit at all.

    >>> dialect_of_key("idleTimeoutMillis"), dialect_of_key("class"), dialect_of_key("FIVE_MINUTES")
    ('millis', None, None)
    """
    words = words_of(name)
    if len(words) < 2:
        return None
    last, before = words[-1], words[-2]
    if last in _SECONDS and before in _CUT and f"{before}{last}" in name.translate(_MICRO).lower():
        return _CUT[before]
    if last in ("s", *_SECONDS) and before in _PREFIXES:
        return _PREFIXES[before]
    dialect = "seconds" if last == "s" and is_duration_like(name) else _SUFFIXES.get(last)
    return None if dialect is None or _is_length(name, words) or _is_ratio(words) else dialect


def _is_length(name: str, words: tuple[str, ...]) -> bool:
    """Whether the words before the last one, a unit, count it: FIVE_MINUTES, wait5Seconds; but not p99_ms, stage2Seconds."""
    last, before = words[-1], words[-2]
    if before in _EACH:
        return last in _SINGULAR
    if not before.isdecimal():
        return before in _NUMBERS
    if len(words) == 2 or words[-3] in _NUMBERED:
        return len(words) == 2
    *_, owner, number, _ = _WORD.finditer(name)
    return len(owner[0]) > 1 or owner.end() < number.start()


def _is_ratio(words: tuple[str, ...]) -> bool:
    """Whether the last word, a unit, is what another one is counted in: MS_IN_A_DAY, millisToSeconds, requestsPerSecond."""
    joint = len(words) - 1
    while joint and words[joint - 1] in ("in", "to", "a", "an", "the"):
        joint -= 1
    if not joint:
        return False
    other, between, last = words[joint - 1], words[joint:-1], words[-1]
    if other in ("per", "of"):
        return True
    if other not in _SUFFIXES:
        return False
    return "to" in between or _LENGTHS.index(_SUFFIXES[other]) < _LENGTHS.index(_SUFFIXES.get(last, "seconds"))


@lru_cache(maxsize=_KNOWN)
def is_duration_like(name: str) -> bool:
    """Whether a key is likely to hold a duration, by its words alone.

    >>> is_duration_like("proxy_read_timeout"), is_duration_like("max_idle_conns")
    (True, False)
    """
    words = words_of(name)
    if not words or not _SWITCHING.isdisjoint(words):
        return False
    last = words[-1]
    if words in _ALONE or (last == "idle" and words[-2:-1] in _ENDS):
        return False
    if last in _OPEN:
        return len(words) > 1 and (_is_telling(words[-2]) or words[-2] == "detection")
    if last in _SUFFIXES and len(words) > 1:
        return not _is_ratio(words)
    if last in _COUNTING:
        return False
    return any(map(_is_telling, words)) or "keep alive" in " ".join(words)


def speaks_of_time(name: str) -> bool:
    """Whether any word of a name is one of time; where none is, it is no duration, nor a unit of one.

    >>> speaks_of_time("max_timeouts"), speaks_of_time("SECONDS"), speaks_of_time("runtime")
    (True, True, False)
    """
    words = words_of(name)
    return (
        any(_is_telling(word) or word == "detection" for word in words)
        or any(word in _SUFFIXES and (len(words) > 1 or len(word) > 3 or word == "day") for word in words)
        or "keep alive" in " ".join(words)
    )


def _is_telling(word: str) -> bool:
    return word in _TELLING or word.endswith(_ENDINGS)


@lru_cache(maxsize=_KNOWN)
def is_size_like(name: str) -> bool:
    """Whether a key speaks of memory or the like, where 8m are megabytes or thousandths."""
    return not is_duration_like(name) and any(word in _SIZES for word in words_of(name))
