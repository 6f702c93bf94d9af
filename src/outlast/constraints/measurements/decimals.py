"""Decimal numbers as tools write them, read exactly and only up to a bounded size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from outlast.constraints.measurements.problems import shown
from outlast.constraints.measurements.sample import ExactSample
from outlast.constraints.quantities import LARGEST

__all__ = ["MOST_OBSERVATIONS", "NUMBER", "Number", "expected_duration", "observations", "parse_number", "too_long"]

#: Beyond it, a file is refused: single observations take much more room in memory than in a file.
MOST_OBSERVATIONS: Final = 10_000_000

#: `12`, `1.5`, `.5`, `5.`, `1.2e-05`: digits before and after the point, exponent.
NUMBER: Final = r"(?:([0-9]{1,20})(?:\.([0-9]{0,30}))?|\.([0-9]{1,30}))(?:[eE]([+-]?[0-9]{1,2}))?"
_NUMBER: Final = re.compile(NUMBER)


class Number(NamedTuple):
    """Digits · 10 ** exponent; never negative."""

    digits: int
    exponent: int

    def times(self, unit: Fraction | int) -> Fraction:
        """The exact product."""
        return self.digits * unit * Fraction(10) ** self.exponent


def parse_number(text: str) -> Number | None:
    """The number that the whole text is, or None."""
    match = _NUMBER.fullmatch(text)
    return None if match is None else number_of(*match.groups())


def number_of(whole: str | None, decimals: str | None, only_decimals: str | None, exponent: str | None) -> Number:
    """The number of the groups of `NUMBER`."""
    decimals = decimals or only_decimals or ""
    return Number(int((whole or "0") + decimals), int(exponent or 0) - len(decimals))


def too_long(number: Number, unit: int) -> bool:
    """Whether so many units of `unit` ns are more than 64 bits hold."""
    shift: int = 10 ** abs(number.exponent)
    if number.exponent >= 0:
        return number.digits * unit * shift > LARGEST
    return number.digits * unit > LARGEST * shift


def observations(numbers: Sequence[Number], unit: int, lost: int) -> ExactSample:
    """The sample of so many units of `unit` ns each, as integers of the finest decimal that occurs."""
    finest = min(number.exponent for number in numbers)
    if all(number.exponent == finest for number in numbers):
        values = [number.digits for number in numbers]
    else:
        values = [number.digits * 10 ** (number.exponent - finest) for number in numbers]
    return ExactSample(values, unit * Fraction(10) ** finest, lost)


def expected_duration(text: str) -> str:
    """The message for text that is no duration, with a hint where it is a known other thing."""
    bare = text.strip().lower()
    if not bare:
        return "expected a duration, found nothing; samples that never came back are counted by `lost:`"
    if bare.lstrip("+-") in ("nan", "inf", "infinity", "none", "null", "n/a"):
        return f"expected a duration, found {shown(text)}; samples that never came back are counted by `lost:`"
    if bare[0] in "+-" and len(bare) > 1 and (bare[1].isdigit() or bare[1] == "."):
        return f"expected a duration, which has no sign and is never negative, found {shown(text)}"
    if bare.startswith("0x"):
        return f"expected a duration in decimal, found {shown(text)}"
    if re.fullmatch(r"[0-9.]+(?:,[0-9.]+)+", bare):
        return f"expected a duration with a decimal point and no commas, found {shown(text)}"
    if re.fullmatch(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?", bare):
        return (
            f"expected a duration of at most 20 digits, 30 decimals and an exponent of two digits, found {shown(text)}"
        )
    return f"expected a duration such as 2.3 or 2.3ms, found {shown(text)}"
