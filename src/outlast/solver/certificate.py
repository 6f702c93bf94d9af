"""Farkas certificates as they are told: the rows used, multipliers that are easy to read, and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.quantities import format_value
from outlast.solver.account import Certificate, Step
from outlast.solver.logic import Below
from outlast.solver.statements import common_unit, row_text

__all__ = ["certificate_of", "presented"]

#: Multipliers are made whole where that takes no larger ones.
_LARGEST_WHOLE: Final = 1000


def certificate_of(items: Sequence[str], rows: Sequence[Below], multipliers: Sequence[Fraction]) -> Certificate:
    """The certificate of rows, each of its item, with multipliers above 0; these are scaled.

    The sum has the dimension of most rows, a duration where that is a tie; the multipliers of these rows are small whole numbers.
    """
    exponents = [r.exponent for item, r in zip(items, rows, strict=True) if item != "natural"]
    exponents = exponents or [r.exponent for r in rows]
    exponent = max(exponents, key=lambda e: (exponents.count(e), e == 1, e))
    shared = [m for m, row in zip(multipliers, rows, strict=True) if row.exponent == exponent]
    unit = common_unit(shared)
    if max(shared) > _LARGEST_WHOLE * unit:
        unit = max(shared, key=shared.count)
    scaled = [m / unit for m in multipliers]
    times, total = presented(rows, scaled, exponent)
    steps = (
        Step(item, m, shown, row_text(row), row) for item, m, shown, row in zip(items, scaled, times, rows, strict=True)
    )
    return Certificate(tuple(steps), total)


def presented(rows: Sequence[Below], multipliers: Sequence[Fraction], exponent: int) -> tuple[tuple[str, ...], str]:
    """The multipliers and the sum as text; `exponent` is the power of time of the sum."""
    times = tuple(format_value(m, exponent - row.exponent) for m, row in zip(multipliers, rows, strict=True))
    rest = sum((m * row.poly.terms.get((), Fraction(0)) for m, row in zip(multipliers, rows, strict=True)), Fraction(0))
    sign = "<" if any(row.strict for row in rows) else "<="
    return times, f"{format_value(Fraction(0), exponent)} {sign} {format_value(-rest, exponent)}"
