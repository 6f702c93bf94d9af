"""What the name of a key tells: the unit of a bare number under it, and whether it is likely to be a duration."""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.setting import Flag, Index, Key, Setting

__all__ = ["dialect_of_key", "is_duration_like", "is_size_like", "name_of", "words_of"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+")

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

_TELLING: Final = _words(
    "timeout timeouts interval intervals delay delays period periods grace deadline deadlines ttl idle keepalive backoff expiry expire"
    " expires expiration lifetime lifespan age wait linger heartbeat heartbeats cooldown drain draining duration durations retention"
    " maxage maxlifetime maxidletime keepalivetime waittime time latency jitter window lease patience stabilization debounce throttle"
    " rtt sleep pause lag ping staleness"
)
_COUNTING: Final = _words(
    "count counts retries retry attempts tries num number conns conn connections connection requests size sizes bytes length percent"
    " percentage ratio factor multiplier threshold limit enabled enable disabled disable name class type mode status code codes format"
    " policy strategy path url host port file level burst cpu memory"
)
_SIZES: Final = _words("cpu cpus memory mem size sizes buffer buffers body heap storage disk bytes capacity quota")


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
    if any(word in _COUNTING for word in words[-1:]):
        return False
    if len(words) >= 2 and words[-1] in _SUFFIXES:
        return True
    return any(word in _TELLING for word in words) or "keep alive" in " ".join(words)


def is_size_like(name: str) -> bool:
    """Whether a key speaks of memory or the like, where 8m are megabytes or thousandths."""
    return any(word in _SIZES for word in words_of(name))
