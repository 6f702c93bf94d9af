"""Formulas over polynomials in the free parameters: what engines are given, each parameter's sentinels as modes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from fractions import Fraction
from typing import Final

from outlast.constraints.polynomial import Poly
from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import record

__all__ = [
    "FALSE",
    "TRUE",
    "Below",
    "Both",
    "Clause",
    "Logic",
    "Mode",
    "Negated",
    "Truism",
    "Whole",
    "Zero",
    "below",
    "both",
    "either",
    "implies",
    "negated",
    "polys",
    "with_polys",
    "zero",
]


@record
class Below:
    """poly < 0 if strict, else poly ≤ 0; `exponent` is the power of time of both sides, for display."""

    poly: Poly
    strict: bool
    exponent: int = field(default=0, compare=False)


@record
class Zero:
    """poly = 0; `exponent` is the power of time of both sides, for display."""

    poly: Poly
    exponent: int = field(default=0, compare=False)


@record
class Mode:
    """The parameter has this sentinel; None: it is a number."""

    name: str
    sentinel: Sentinel | None


@record
class Both:
    """Every part."""

    parts: tuple[Logic, ...]


@record
class Clause:
    """At least one part."""

    parts: tuple[Logic, ...]


@record
class Negated:
    """Not the part."""

    part: Logic


@record
class Truism:
    """A formula that is decided; there are only `TRUE` and `FALSE`, so that they are told apart by identity."""

    value: bool


@record
class Whole:
    """The parameter's index, times this, is whole: with 1, it is a multiple of its unit."""

    name: str
    times: Fraction = Fraction(1)


Logic = Below | Zero | Mode | Whole | Both | Clause | Negated | Truism

TRUE: Final = Truism(True)
FALSE: Final = Truism(False)


def both(parts: Iterable[Logic]) -> Logic:
    """The conjunction, simplified."""
    kept: list[Logic] = []
    for part in parts:
        if part is FALSE:
            return FALSE
        if isinstance(part, Both):
            kept += part.parts
        elif part is not TRUE:
            kept.append(part)
    return TRUE if not kept else kept[0] if len(kept) == 1 else Both(tuple(kept))


def either(parts: Iterable[Logic]) -> Logic:
    """The disjunction, simplified."""
    kept: list[Logic] = []
    for part in parts:
        if part is TRUE:
            return TRUE
        if part is not FALSE:
            kept.append(part)
    return FALSE if not kept else kept[0] if len(kept) == 1 else Clause(tuple(kept))


def negated(part: Logic) -> Logic:
    """The negation, simplified."""
    if isinstance(part, Truism):
        return FALSE if part.value else TRUE
    return part.part if isinstance(part, Negated) else Negated(part)


def implies(condition: Logic, conclusion: Logic) -> Logic:
    """condition ⇒ conclusion, simplified."""
    return either((negated(condition), conclusion))


def below(poly: Poly, *, strict: bool, exponent: int | None = None) -> Logic:
    """poly < 0 or poly ≤ 0, decided if poly is constant; without `exponent` its terms tell the dimension."""
    constant = poly.constant
    if constant is not None:
        return TRUE if (constant < 0 if strict else constant <= 0) else FALSE
    return Below(poly, strict, poly.time_exponent if exponent is None else exponent)


def zero(poly: Poly, *, exponent: int | None = None) -> Logic:
    """poly = 0, decided if poly is constant; without `exponent` its terms tell the dimension."""
    constant = poly.constant
    if constant is not None:
        return TRUE if constant == 0 else FALSE
    return Zero(poly, poly.time_exponent if exponent is None else exponent)


def polys(logic: Logic) -> Iterator[Poly]:
    """The polynomials in it, in order."""
    match logic:
        case Below(poly=poly) | Zero(poly=poly):
            yield poly
        case Both(parts) | Clause(parts):
            for part in parts:
                yield from polys(part)
        case Negated(part):
            yield from polys(part)
        case _:
            return


def with_polys(logic: Logic, change: Callable[[Poly], Poly]) -> Logic:
    """The formula with each of its polynomials changed, simplified."""
    match logic:
        case Below(poly, strict, exponent):
            return below(change(poly), strict=strict, exponent=exponent)
        case Zero(poly, exponent):
            return zero(change(poly), exponent=exponent)
        case Both(parts):
            return both(with_polys(p, change) for p in parts)
        case Clause(parts):
            return either(with_polys(p, change) for p in parts)
        case Negated(part):
            return negated(with_polys(part, change))
        case _:
            return logic
