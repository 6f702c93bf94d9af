"""Sums, functions and conditions, put together for pictures.

Every condition made here is true or false: one about a number that is off or has no value is false, so that `negated` of it is true.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from outlast.constraints.normal import All, Either, Formula, Given, Inequality, IsSentinel
from outlast.constraints.polynomial import Apply, Poly, Switch, constant, variable
from outlast.constraints.quantities import Sentinel

__all__ = [
    "ALWAYS",
    "NEVER",
    "OFF",
    "ZERO",
    "any_of",
    "at_most",
    "backoff",
    "both",
    "count",
    "first_set",
    "has_value",
    "is_infinite",
    "is_number",
    "is_off",
    "less",
    "maximum",
    "minimum",
    "negated",
]

#: No time at all.
ZERO: Final = Poly({})

#: What is not there: a choice by a condition that never applies.
OFF: Final = variable(Switch(All(()), ZERO, ZERO, "off", 1))


#: A condition that holds, and one that does not.
ALWAYS: Final[Formula] = Inequality(left=ZERO, right=ZERO, strict=False, optimistic=False)
NEVER: Final[Formula] = Inequality(left=ZERO, right=ZERO, strict=True, optimistic=False)


def count(number: int) -> Poly:
    """A whole number."""
    return constant(Fraction(number))


def minimum(*values: Poly) -> Poly:
    """The least of them; off where one is."""
    return _applied("min", values)


def maximum(*values: Poly) -> Poly:
    """The greatest of them; off where one is."""
    return _applied("max", values)


def first_set(*values: Poly) -> Poly:
    """The first that is not off."""
    return _applied("first_set", values)


def backoff(base: Poly, factor: Poly, cap: Poly, retries: Poly) -> Poly:
    """The waits before that many retries, together."""
    arguments = (base, factor, cap, retries)
    return variable(Apply("backoff", arguments, f"backoff({', '.join(a.text() for a in arguments)})", 1))


def less(left: Poly, right: Poly, time_exponent: int = 1) -> Formula:
    """Whether left < right."""
    return _compared(left, right, time_exponent, strict=True)


def at_most(left: Poly, right: Poly, time_exponent: int = 1) -> Formula:
    """Whether left ≤ right."""
    return _compared(left, right, time_exponent, strict=False)


def is_off(value: Poly) -> Formula:
    """Whether it is off."""
    return _is(value, Sentinel.OFF, positive=True)


def is_infinite(value: Poly) -> Formula:
    """Whether it is infinite."""
    return _is(value, Sentinel.INFINITE, positive=True)


def has_value(value: Poly) -> Formula:
    """Whether it is a number or infinite."""
    return at_most(value, value)


def is_number(value: Poly) -> Formula:
    """Whether it is neither off nor infinite, and has a value."""
    return both(_is(value, Sentinel.INFINITE, positive=False), has_value(value))


def both(*conditions: Formula) -> Formula:
    """Whether all hold."""
    parts = [
        part for condition in conditions for part in (condition.parts if isinstance(condition, All) else [condition])
    ]
    return All(tuple(dict.fromkeys(parts))) if parts else ALWAYS


def any_of(*conditions: Formula) -> Formula:
    """Whether at least one holds."""
    return Either(conditions) if conditions else NEVER


def negated(condition: Formula) -> Formula:
    """Whether it does not hold."""
    return Given(condition, NEVER)


def _compared(left: Poly, right: Poly, time_exponent: int, *, strict: bool) -> Formula:
    comparison = Inequality(left=left, right=right, strict=strict, optimistic=False, time_exponent=time_exponent)
    return Either((comparison, NEVER))  # a part that is not applicable would not count in `All`


def _is(value: Poly, sentinel: Sentinel, *, positive: bool) -> Formula:
    return IsSentinel(name=value.text(1), of=value, sentinel=sentinel, positive=positive)


def _applied(function: str, values: tuple[Poly, ...]) -> Poly:
    if len(values) == 1:
        return values[0]
    return variable(Apply(function, values, f"{function}({', '.join(v.text(1) for v in values)})", 1))
