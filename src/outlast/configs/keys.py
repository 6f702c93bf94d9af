"""What the name of a key tells: the unit of a bare number under it, and whether it is likely to be a duration."""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.setting import Flag, Index, Key, Setting

__all__ = ["dialect_of_key", "is_duration_like", "is_size_like", "name_of", "words_of"]


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
_SECONDS: Final = _words("sec secs second seconds")

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


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in lower case, split at changes of case, digits and whatever is no letter.

    >>> words_of("maxIdleTimeMS"), words_of("keep-alive_timeout")
    (('max', 'idle', 'time', 'ms'), ('keep', 'alive', 'timeout'))
    """
    return tuple(word.lower() for word in _WORD.findall(name))


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


def dialect_of_key(name: str) -> str | None:
    """The dialect of a bare number that the last word of a key tells: `timeoutSeconds`, `TIMEOUT_MS`, `delayNanos`.

    >>> dialect_of_key("idleTimeoutMillis"), dialect_of_key("class")
    ('millis', None)
    """
    words = words_of(name)
    if len(words) < 2:
        return None
    last, before = words[-1], words[-2]
    if last in _SECONDS and before in _CUT:
        return _CUT[before]
    if last == "s":
        return "seconds" if is_duration_like(name) else None
    return _SUFFIXES.get(last)


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
        return True
    if last in _COUNTING:
        return False
    return any(map(_is_telling, words)) or "keep alive" in " ".join(words)


def _is_telling(word: str) -> bool:
    return word in _TELLING or word.endswith(_ENDINGS)


def is_size_like(name: str) -> bool:
    """Whether a key speaks of memory or the like, where 8m are megabytes or thousandths."""
    return not is_duration_like(name) and any(word in _SIZES for word in words_of(name))
