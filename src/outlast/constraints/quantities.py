"""Exact quantities: durations, counts, rates and ratios, read from text and written back without rounding.

A value is a `Fraction` in its kind's base unit (duration: nanoseconds; rate: per nanosecond; count and ratio: 1) or one
of the two sentinels. No float takes part.
"""

from __future__ import annotations

import re
from enum import Enum
from fractions import Fraction
from typing import Final

from outlast.constraints.errors import printable
from outlast.constraints.record import record

__all__ = [
    "DURATION_UNITS",
    "LARGEST",
    "UNIT_SLIPS",
    "Kind",
    "Quantity",
    "QuantityError",
    "Sentinel",
    "Value",
    "format_number",
    "format_value",
    "parse_duration",
    "parse_quantity",
    "value_text",
]

#: Nanoseconds per unit. `m` and `min` are both minutes, as in Go and as people write.
DURATION_UNITS: Final[dict[str, int]] = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}

#: What people write for a unit, and what they mean.
UNIT_SLIPS: Final[dict[str, str]] = {
    "nsec": "ns",
    "usec": "us",
    "msec": "ms",
    "millis": "ms",
    "MS": "ms",
    "Ms": "ms",
    "mS": "ms",
    "S": "s",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "M": "min",
    "mins": "min",
    "minute": "min",
    "minutes": "min",
    "H": "h",
    "hr": "h",
    "hour": "h",
    "hours": "h",
    "D": "d",
    "day": "d",
    "days": "d",
}

#: How many characters a number may have.
_LONGEST: Final = 40

#: The largest number accepted: what a signed 64-bit integer holds (as nanoseconds, about 292 years).
LARGEST: Final = 2**63 - 1


class Kind(Enum):
    """What sort of quantity a parameter is."""

    DURATION = "duration"
    COUNT = "count"
    RATE = "rate"
    RATIO = "ratio"

    @property
    def time_exponent(self) -> int:
        """The power of time in its dimension: duration 1, count and ratio 0, rate -1."""
        return _TIME_EXPONENT[self]


_TIME_EXPONENT: Final = {Kind.DURATION: 1, Kind.COUNT: 0, Kind.RATE: -1, Kind.RATIO: 0}


class Sentinel(Enum):
    """A setting that is not a number: `infinite` compares as +∞, `off` means that the feature is absent."""

    INFINITE = "infinite"
    OFF = "off"


Value = Fraction | Sentinel


@record
class Quantity:
    """A value with its kind; a sentinel has none, since it fits every kind."""

    value: Value
    kind: Kind | None


class QuantityError(ValueError):
    """Text that is no quantity. `offset` is the index of the first wrong character."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_EXPECTED: Final = (
    "expected a duration (10s, 1m30s, 250us), a count (3), a rate (100/s), a ratio (20%), infinite or off"
)


def parse_quantity(text: str, *, bare_unit: str | None = None) -> Quantity:
    """Read one quantity; `bare_unit` is the unit of a number that has none.

    A bare integer is a count, a bare decimal a ratio, unless `bare_unit` says otherwise.

    Raises:
        QuantityError: the text is malformed, negative, finer than 1 ns or beyond `LARGEST`.

    >>> parse_quantity("1m30s").value
    Fraction(90000000000, 1)
    """
    if text in ("infinite", "off"):
        return Quantity(Sentinel(text), None)
    if not text:
        raise QuantityError(f"found nothing, {_EXPECTED}")
    if text != text.strip():
        word = _short(text.strip())
        raise QuantityError(f"found blanks around '{word}', expected none" if word else f"found blanks, {_EXPECTED}")
    if text[0] in "+-" and len(text) > 1 and (text[1].isdigit() or text[1] == "."):
        raise QuantityError(f"found '{_short(text)}', but a quantity has no sign and is never negative")
    if ".." in text:
        raise QuantityError(f"found '{_short(text)}', expected one value, not an interval")
    match = _NUMBER.match(text)
    if match is None:
        if text.lower() in ("infinite", "infinity", "inf", "off", "never"):
            raise QuantityError(f"found '{text}', expected 'infinite' or 'off', in lower case")
        raise QuantityError(f"found '{_short(text)}', {_EXPECTED}")
    rest = text[match.end() :]
    number = _fraction(match[0], text)
    if not rest:
        if bare_unit is not None:
            return Quantity(_whole(number * DURATION_UNITS[bare_unit], text), Kind.DURATION)
        kind = Kind.COUNT if number.denominator == 1 and "." not in match[0] else Kind.RATIO
        return Quantity(number, kind)
    if rest == "%":
        return Quantity(number / 100, Kind.RATIO)
    if rest[0] == "/":
        unit = rest[1:]
        if not unit:
            raise QuantityError(f"found '{_short(text)}', expected a unit after '/', such as {match[0]}/s", len(text))
        if unit not in DURATION_UNITS:
            raise QuantityError(_unknown_unit(unit, text, rate=True), match.end() + 1)
        return Quantity(number / DURATION_UNITS[unit], Kind.RATE)
    return Quantity(_duration(text), Kind.DURATION)


def parse_duration(text: str, *, bare_unit: str | None = None) -> Fraction:
    """Read one finite duration, in nanoseconds.

    Raises:
        QuantityError: as `parse_quantity`, and for a count, rate, ratio or sentinel.
    """
    quantity = parse_quantity(text, bare_unit=bare_unit)
    if isinstance(quantity.value, Sentinel) or quantity.kind is not Kind.DURATION:
        hint = f"; did you mean '{text}s' or '{text}ms'?" if quantity.kind is Kind.COUNT else ""
        raise QuantityError(f"found '{_short(text)}', expected a duration with its unit, such as 10s{hint}")
    return quantity.value


def _duration(text: str) -> Fraction:
    total, offset, last = Fraction(0), 0, None
    while offset < len(text):
        number = _NUMBER.match(text, offset)
        if number is None and text[offset].isspace():
            squeezed = "".join(text.split())
            raise QuantityError(f"found '{_short(text)}', expected no blank in it: '{_short(squeezed)}'", offset)
        if number is None:
            raise QuantityError(f"found '{_short(text)}', expected a digit at '{_short(text[offset:])}'", offset)
        letters = _LETTERS.match(text, number.end())
        if letters is None:
            raise QuantityError(_without_unit(text, number[0], number.end(), last), number.end())
        unit = letters[0]
        if unit not in DURATION_UNITS:
            raise QuantityError(_unknown_unit(unit, text, rate=False), number.end())
        if last is not None and DURATION_UNITS[unit] >= last:
            raise QuantityError(f"found '{_short(text)}', expected larger units first and each once", number.end())
        last = DURATION_UNITS[unit]
        total += _fraction(number[0], text) * last
        offset = letters.end()
    return _whole(total, text)


def _without_unit(text: str, number: str, end: int, last: int | None) -> str:
    if text[end : end + 1].isspace():
        unit = text[end:].strip()
        squeezed = text[:end] + UNIT_SLIPS.get(unit, "".join(unit.split()))
        return f"found '{_short(text)}', expected no blank between number and unit: '{_short(squeezed)}'"
    if end == len(text):
        smaller = next((unit for unit in _NEXT_UNITS if last is not None and DURATION_UNITS[unit] < last), None)
        hint = f"; did you mean '{_short(text)}{smaller}'?" if smaller else ""
        return f"found '{_short(text)}', but its last number, {_short(number)}, has no unit{hint}"
    hint = "; digits are not grouped" if text[end] == "_" else ""
    return f"found '{_short(text)}', expected a unit ({', '.join(_WRITTEN_UNITS)}) at '{_short(text[end:])}'{hint}"


def _unknown_unit(unit: str, text: str, *, rate: bool) -> str:
    if unit in ("e", "E"):
        return f"found '{_short(text)}', but exponents are not read; write the number out"
    hint = f"; did you mean '{UNIT_SLIPS[unit]}'?" if unit in UNIT_SLIPS else ""
    what = "per-unit" if rate else "unit"
    return (
        f"found '{_short(text)}', with the unknown {what} '{_short(unit)}'; known are {', '.join(_WRITTEN_UNITS)}{hint}"
    )


_WRITTEN_UNITS: Final = ("ns", "us", "ms", "s", "min", "m", "h", "d")
_NEXT_UNITS: Final = ("h", "m", "s", "ms", "us", "ns")


def _fraction(digits: str, text: str) -> Fraction:
    if len(digits) > _LONGEST:
        raise QuantityError(f"found '{_short(text)}', a number of {len(digits)} characters; the largest is {LARGEST}")
    number = Fraction(digits if digits[0] != "." else "0" + digits)
    if number > LARGEST:
        raise QuantityError(f"found '{_short(text)}', but the largest number is {LARGEST}")
    return number


def _whole(nanoseconds: Fraction, text: str) -> Fraction:
    if nanoseconds.denominator != 1:
        raise QuantityError(f"found '{_short(text)}', which is finer than 1 ns")
    if nanoseconds > LARGEST:
        raise QuantityError(f"found '{_short(text)}', which is longer than {LARGEST} ns, about 292 years")
    return nanoseconds


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 40 else text[:24] + "…" + text[-8:]


def format_number(value: Fraction) -> str:
    """A plain number, exact: an integer, a decimal if it terminates within what can be read back, or a fraction.

    >>> format_number(Fraction(5, 2)), format_number(Fraction(1, 3))
    ('2.5', '1/3')
    """
    if value.denominator == 1:
        return str(value.numerator)
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    digits = max(twos, fives)
    if rest == 1 and digits < _LONGEST:
        scaled = abs(value.numerator) * 10**digits // value.denominator
        whole, decimals = divmod(scaled, 10**digits)
        text = f"{whole}.{decimals:0{digits}d}"
        if len(text) <= _LONGEST:
            return f"-{text}" if value < 0 else text
    return f"{value.numerator}/{value.denominator}"


def format_value(value: Value, time_exponent: int, *, percent: bool = False) -> str:
    """A value in the shortest exact unit; fractions that do not terminate are written as such (`10/3s`).

    Durations of a second and more are written in seconds, whole hours and days as those, shorter ones in ms, us or ns.

    >>> format_value(Fraction(5_500_000_000), 1), format_value(Fraction(1, 10**7), -1)
    ('5.5s', '100/s')
    """
    if isinstance(value, Sentinel):
        return value.value
    if time_exponent == 1:
        return _format_duration(value)
    if time_exponent == -1:
        return _format_rate(value)
    if time_exponent == 0:
        return f"{format_number(value * 100)}%" if percent else format_number(value)
    return f"{format_number(value / Fraction(10**9) ** time_exponent)}s^{time_exponent}"


def value_text(value: Value, kind: Kind) -> str:
    """A value of a kind as a spec writes it: as `format_value`, ratios as percentages.

    >>> value_text(Fraction(1, 5), Kind.RATIO), value_text(Fraction(5), Kind.COUNT)
    ('20%', '5')
    """
    return format_value(value, kind.time_exponent, percent=kind is Kind.RATIO)


def _format_duration(value: Fraction) -> str:
    size = abs(value)
    if size == 0:
        return "0s"
    for unit, least in (("d", 48), ("h", 1)):
        if value % DURATION_UNITS[unit] == 0 and size >= least * DURATION_UNITS["h"]:
            return f"{value // DURATION_UNITS[unit]}{unit}"
    for unit in ("s", "ms", "us"):
        if size >= DURATION_UNITS[unit]:
            return f"{format_number(value / DURATION_UNITS[unit])}{unit}"
    return f"{format_number(value)}ns"


def _format_rate(value: Fraction) -> str:
    scaled = [(format_number(value * DURATION_UNITS[unit]), unit) for unit in ("s", "min", "h", "d")]
    decimal = [(number, unit) for number, unit in scaled if "/" not in number]
    whole = [(number, unit) for number, unit in decimal if "." not in number]
    number, unit = (whole or decimal or scaled)[0]
    return f"{number}/{unit}"
