"""Values as the languages of generated files write them: exactly, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from outlast.configs.dialects import DIALECTS, Dialect
from outlast.configs.keys import dialect_of_key, words_of
from outlast.constraints.model import Parameter
from outlast.constraints.quantities import (
    DURATION_UNITS,
    LARGEST,
    Kind,
    Sentinel,
    Value,
    format_number,
    format_value,
)
from outlast.constraints.record import record

__all__ = [
    "DECIMALS",
    "DOUBLES",
    "LONGS",
    "Entry",
    "Numbers",
    "Spell",
    "Unit",
    "UnwritableError",
    "go",
    "java",
    "per_word",
    "plain",
    "python",
    "quoted",
    "rate_name",
    "unit_of",
    "why_unwritten",
    "with_unit",
]

#: Units that are appended to names, and how.
_UNITS: Final = ("s", "ms", "us", "ns")
_SUFFIXES: Final = {"s": "seconds", "ms": "ms", "us": "us", "ns": "ns"}
_PER: Final = {"s": "second", "min": "minute", "h": "hour", "d": "day"}
#: What the last words of a name say of a rate.
_RATES: Final = {
    "s": ("second", "seconds", "sec", "s"),
    "min": ("minute", "minutes", "min"),
    "h": ("hour", "hours", "hr", "h"),
    "d": ("day", "days", "d"),
}
_RATE_UNITS: Final = {word: unit for unit, words in _RATES.items() for word in words}
_SHORT_RATES: Final = {"rps": "s", "qps": "s", "tps": "s", "rpm": "min", "qpm": "min"}
#: Last words that would be taken for a part of the unit behind them: n_seconds for nanoseconds.
_CUT: Final = (("m",), ("u",), ("n",))


@record(kw_only=True)
class Entry:
    """One value to write, and why it is what it is."""

    parameter: Parameter
    value: Value
    reason: str


@record(kw_only=True)
class Unit:
    """What a number without a unit counts."""

    #: A key of `DURATION_UNITS`: of a duration, or what a rate is per.
    name: str
    #: What the parameter's name lacks to tell it.
    words: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        """In nanoseconds."""
        return DURATION_UNITS[self.name]


@record
class Numbers:
    """The numbers that a language holds exactly."""

    #: The largest whole number.
    largest: int
    #: The significant digits of a number with a fraction; None: any.
    digits: int | None = None


#: Decimal digits, whoever reads them.
DECIMALS: Final = Numbers(LARGEST)
#: Whole numbers of 64 bits beside floating-point ones, which keep 15 digits (IEEE 754, binary64).
LONGS: Final = Numbers(LARGEST, 15)
#: Floating-point numbers only.
DOUBLES: Final = Numbers(2**53, 15)

Spell = Callable[[Entry, Unit, Numbers], str]


class UnwritableError(Exception):
    """A value that the language has no words for: infinite, off, a number that does not end or is too large."""


def unit_of(entry: Entry, key: str) -> Unit:
    """What numbers count under a key: by its last word, if the value is a number of that.

    Else of a duration by the step, so that another value does not change the name.
    """
    parameter = entry.parameter
    if parameter.kind is Kind.RATE:
        told_rate = rate_name(key)
        return Unit(name="s", words=("per", "second")) if told_rate is None else Unit(name=told_rate)
    if parameter.kind is not Kind.DURATION:
        return Unit(name="ns")
    number = entry.value if isinstance(entry.value, Fraction) else Fraction(0)
    dialect = _dialect_told(key)
    if dialect is not None and dialect.bare is not None and (dialect.has_fractions or number % dialect.bare == 0):
        return Unit(name=next(name for name, length in DURATION_UNITS.items() if length == dialect.bare))
    told = parameter.unit if parameter.unit in _UNITS else None
    fits = (
        u
        for u in ((told,) if told else ()) + _UNITS
        if not (u == "s" and words_of(key)[-1:] in _CUT)
        and (u == told or parameter.step % DURATION_UNITS[u] == 0)
        and number % DURATION_UNITS[u] == 0
    )
    unit = next(fits, "ns")
    return Unit(name=unit, words=(_SUFFIXES[unit],))


def _dialect_told(key: str) -> Dialect | None:
    """What the last word of a duration's name says, whatever stands before it: `a_ms` is no article with a unit here."""
    words = words_of(key)
    told = dialect_of_key(f"timeout_{words[-1]}") if words else None
    return None if told is None or dialect_of_key(key) not in (None, told) else DIALECTS[told]


def rate_name(key: str) -> str | None:
    """The unit of time that a key says a rate is per; None: it does not say.

    >>> rate_name("RETRIES_PER_MINUTE"), rate_name("max.rps"), rate_name("retries")
    ('min', 's', None)
    """
    words = words_of(key)
    if len(words) > 1 and words[-2] == "per":
        return _RATE_UNITS.get(words[-1])
    return _SHORT_RATES.get(words[-1]) if words else None


def per_word(unit: Unit) -> str:
    """`second`, for a rate."""
    return _PER[unit.name]


def _number(entry: Entry) -> Fraction:
    """The value as a number: 0 where that is what a sentinel is written as."""
    value, zero = entry.value, entry.parameter.zero
    if isinstance(value, Sentinel):
        if zero is value:
            return Fraction(0)
        raise UnwritableError
    if value < 0:
        raise UnwritableError
    return value


def _nanoseconds(entry: Entry) -> int:
    number = _number(entry)
    if number.denominator != 1 or number > LARGEST:
        raise UnwritableError
    return number.numerator


def _in_units(entry: Entry, names: Mapping[str, str]) -> tuple[int, str]:
    """A duration as a whole number of the largest unit that goes."""
    number = _nanoseconds(entry)
    for unit, name in names.items():
        if number % DURATION_UNITS[unit] == 0:
            return number // DURATION_UNITS[unit], name
    raise UnwritableError


def plain(entry: Entry, unit: Unit, numbers: Numbers) -> str:
    """A number without a unit: of the unit that the name tells, a ratio of 1."""
    number = _number(entry)
    match entry.parameter.kind:
        case Kind.DURATION:
            number = Fraction(_nanoseconds(entry), unit.length)
        case Kind.RATE:
            number *= unit.length
        case Kind.COUNT if number.denominator != 1:
            raise UnwritableError
    if number > numbers.largest:
        raise UnwritableError
    text = format_number(number)
    digits = text.replace(".", "").lstrip("0")
    if "/" in text or ("." in text and numbers.digits is not None and len(digits) > numbers.digits):
        raise UnwritableError
    return text


def with_unit(entry: Entry, unit: Unit, numbers: Numbers) -> str:
    """A duration as Go, Spring and most others read it; anything else as a plain number."""
    if entry.parameter.kind is not Kind.DURATION:
        return plain(entry, unit, numbers)
    count, name = _in_units(entry, {u: u for u in _UNITS})
    return f"{count}{name}"


def quoted(entry: Entry, unit: Unit, numbers: Numbers) -> str:
    """The same, a duration in quotes."""
    text = with_unit(entry, unit, numbers)
    return json.dumps(text) if entry.parameter.kind is Kind.DURATION else text


_GO: Final = {"s": "Second", "ms": "Millisecond", "us": "Microsecond", "ns": "Nanosecond"}
_PYTHON: Final = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}
_JAVA: Final = {"s": "Seconds", "ms": "Millis", "ns": "Nanos"}


def go(entry: Entry, unit: Unit, numbers: Numbers) -> str:
    """A constant of Go; a duration is a `time.Duration`."""
    if entry.parameter.kind is not Kind.DURATION:
        return plain(entry, unit, numbers)
    count, name = _in_units(entry, _GO)
    return f"{count} * time.{name}"


def python(entry: Entry, unit: Unit, numbers: Numbers) -> str:
    """A constant of Python; a duration is a `timedelta`, which counts microseconds."""
    if entry.parameter.kind is not Kind.DURATION:
        return plain(entry, unit, numbers)
    count, name = _in_units(entry, _PYTHON)
    return f"timedelta({name}={count})"


def java(entry: Entry, unit: Unit, numbers: Numbers) -> str:
    """A constant of Java: a `Duration`, a long, or a double, by the kind and not by the value."""
    kind = entry.parameter.kind
    if kind is Kind.DURATION:
        count, name = _in_units(entry, _JAVA)
        return f"Duration.of{name}({count}L)"
    if kind is Kind.COUNT:
        return f"{plain(entry, unit, numbers)}L"
    text = plain(entry, unit, DOUBLES)
    return text if "." in text else f"{text}.0"


_BEFORE_UNIT: Final = re.compile(r"(?<=\d)(?=[a-z]+$)")


def why_unwritten(entry: Entry) -> str:
    """What stands in place of a value that cannot be written, as `total is 5/3 s, which no number here means exactly`."""
    parameter, value = entry.parameter, entry.value
    if isinstance(value, Sentinel):
        return f"{parameter.name} is {value.value}, which cannot be written here: {_by_leaving_out(parameter, value)}"
    shown = _shown(value, parameter.kind)
    if value < 0:
        return f"{parameter.name} is {shown}, which is less than 0: nothing can be set to that"
    return f"{parameter.name} is {shown}, which no number here means exactly"


def _by_leaving_out(parameter: Parameter, value: Sentinel) -> str:
    unset = parameter.unset
    if unset is None:
        return f"leave it unset if that means {value.value}"
    if parameter.effective(unset) == value:
        return "leave it unset"
    return f"set it by hand, since unset it is {_shown(unset, parameter.kind)}"


def _shown(value: Value, kind: Kind) -> str:
    """A value in words: `5/3 s`, `1/min`, `1/7 per second`."""
    text = format_value(value, kind.time_exponent)
    if kind is Kind.RATE and text.count("/") > 1:
        number, _, unit = text.rpartition("/")
        return f"{number} per {_PER[unit]}"
    return _BEFORE_UNIT.sub(" ", text) if kind is Kind.DURATION and "/" in text else text
