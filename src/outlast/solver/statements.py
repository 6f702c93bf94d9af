"""What proofs are made of: formulas without negations, what is left of them in a mode, their rows, and how all that is written."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from outlast.constraints.polynomial import Apply, Monomial, Poly, Var, constant, variable
from outlast.constraints.quantities import Sentinel, format_value
from outlast.solver.grid import Grid
from outlast.solver.logic import (
    FALSE,
    TRUE,
    Below,
    Both,
    Clause,
    Logic,
    Mode,
    Negated,
    Truism,
    Whole,
    Zero,
    below,
    both,
    either,
    negated,
    zero,
)
from outlast.solver.simplex import Row

__all__ = [
    "common_unit",
    "conjuncts",
    "entails",
    "in_modes",
    "is_mode",
    "is_natural",
    "mode_names",
    "monomial_exponent",
    "natural_row",
    "normal",
    "options",
    "over",
    "rounded_atoms",
    "rounding_rows",
    "row_of",
    "row_text",
    "rows_of",
    "text",
    "times_monomial",
    "unit_of",
]

_MINUS = Fraction(-1)


def normal(logic: Logic, *, negative: bool = False) -> Logic:
    """The same without negations other than of `Mode` and `Whole`; conjunctions and alternatives are flat."""
    match logic:
        case Negated(part):
            return normal(part, negative=not negative)
        case Both(parts) | Clause(parts):
            inner = [normal(p, negative=negative) for p in parts]
            return both(inner) if isinstance(logic, Both) != negative else _flat(inner)
        case Below(poly, strict, exponent):
            side = poly.scaled(_MINUS) if negative else poly
            return below(side, strict=strict != negative, exponent=exponent)
        case Zero(poly, exponent):
            if not negative:
                return zero(poly, exponent=exponent)
            sides = (poly, poly.scaled(_MINUS))
            return _flat([below(side, strict=True, exponent=exponent) for side in sides])
        case Truism(value):
            return TRUE if value != negative else FALSE
        case _:
            return negated(logic) if negative else logic


def _flat(parts: Iterable[Logic]) -> Logic:
    inner = either(parts)
    if not isinstance(inner, Clause):
        return inner
    return either(p for part in inner.parts for p in (part.parts if isinstance(part, Clause) else (part,)))


def conjuncts(logic: Logic) -> tuple[Logic, ...]:
    """The parts of a conjunction, or the formula itself; none of what is always true."""
    return logic.parts if isinstance(logic, Both) else () if logic is TRUE else (logic,)


def options(name: str, grids: Mapping[str, Grid]) -> tuple[Sentinel | None, ...]:
    """What a parameter may be: a number (None) or one of its sentinels."""
    return (None, *(grids[name].specials if name in grids else Sentinel))


def in_modes(logic: Logic, modes: Mapping[str, Sentinel | None], grids: Mapping[str, Grid]) -> Logic:
    """What is left of a normal formula once it is known which parameters are numbers."""
    match logic:
        case Mode(name, sentinel):
            if sentinel not in options(name, grids):
                return FALSE
            return logic if name not in modes else TRUE if modes[name] is sentinel else FALSE
        case Negated(part):
            return negated(in_modes(part, modes, grids))
        case Both(parts):
            return both(in_modes(p, modes, grids) for p in parts)
        case Clause(parts):
            return _flat(in_modes(p, modes, grids) for p in parts)
        case _:
            return logic


def mode_names(logic: Logic) -> Iterator[str]:
    """The parameters of whose modes a formula speaks."""
    match logic:
        case Mode(name, _):
            yield name
        case Negated(part):
            yield from mode_names(part)
        case Both(parts) | Clause(parts):
            for part in parts:
                yield from mode_names(part)
        case _:
            return


def is_mode(logic: Logic) -> bool:
    """Whether a normal formula just says what a parameter is, or is not."""
    return isinstance(logic, Mode) or (isinstance(logic, Negated) and isinstance(logic.part, Mode))


# Rows.


def rows_of(logic: Logic) -> tuple[Below, ...]:
    """The inequalities that a normal formula without alternatives stands for."""
    match logic:
        case Below():
            return (logic,)
        case Zero(poly, exponent):
            return tuple(Below(side, strict=False, exponent=exponent) for side in (poly, poly.scaled(_MINUS)))
        case _:
            return ()


def entails(part: Logic, other: Logic) -> bool:
    """Whether a normal formula says at least what the other does, as far as that shows in one inequality of each."""
    if part == other:
        return True
    if not isinstance(other, Below):
        return False
    if not isinstance(part, Below):
        parts = part.parts if isinstance(part, Both) else rows_of(part)
        return any(entails(p, other) for p in parts)
    unknown = next(m for m in other.poly.terms if m)
    ratio = other.poly.terms[unknown] / part.poly.terms[unknown] if unknown in part.poly.terms else _MINUS
    rest = other.poly.plus(part.poly, -ratio).constant if ratio > 0 else None
    return rest is not None and (rest < 0 or (rest == 0 and (part.strict or not other.strict)))


def row_of(row: Below) -> Row:
    """The row as the simplex takes it: each product of unknowns is an unknown of its own."""
    terms: dict[Hashable, Fraction] = {monomial: coefficient for monomial, coefficient in row.poly if monomial}
    return Row(terms, row.poly.terms.get((), Fraction(0)), row.strict)


def monomial_exponent(monomial: Monomial) -> int:
    """The power of time of a product."""
    return sum(a.time_exponent * n for a, n in monomial)


def is_natural(monomial: Monomial) -> bool:
    """Whether a product is of quantities only, and so never negative."""
    return bool(monomial) and all(
        isinstance(a, Var) or (isinstance(a, Apply) and all(c > 0 and (not m or is_natural(m)) for p in a.arguments for m, c in p))
        for a, _ in monomial
    )  # fmt: skip


def natural_row(monomial: Monomial) -> Below:
    """That a product is never negative."""
    return Below(Poly({monomial: _MINUS}), strict=False, exponent=monomial_exponent(monomial))


def rounded_atoms(polys: Iterable[Poly]) -> list[Apply]:
    """The `ceil` and `floor` in polynomials, those inside others included."""
    found = (a for poly in polys for a in poly.all_atoms())
    return list(dict.fromkeys(a for a in found if isinstance(a, Apply) and a.function in ("ceil", "floor")))


def rounding_rows(atom: Apply) -> tuple[Below, ...]:
    """What rounding means: inner ≤ ceil(inner) < inner + 1, or inner - 1 < floor(inner) ≤ inner."""
    (inner,) = atom.arguments
    above = inner - variable(atom) if atom.function == "ceil" else variable(atom) - inner
    return (Below(above, strict=False), Below(above.scaled(_MINUS) - constant(Fraction(1)), strict=True))


def times_monomial(row: Below, factor: Monomial) -> Below:
    """The row times a product that is never negative (and may be 0)."""
    product = row.poly * Poly({factor: Fraction(1)})
    return Below(product, strict=False, exponent=row.exponent + monomial_exponent(factor))


def over(monomial: Monomial, by: Monomial) -> Monomial | None:
    """The product divided by another one, if that divides it."""
    powers = dict(monomial)
    for atom, power in by:
        powers[atom] = powers.get(atom, 0) - power
    return None if any(n < 0 for n in powers.values()) else tuple((a, n) for a, n in powers.items() if n)


def unit_of(whole: Whole, grids: Mapping[str, Grid]) -> Fraction:
    """What the parameter is a multiple of."""
    return grids[whole.name].unit / whole.times


def common_unit(numbers: Sequence[Fraction]) -> Fraction:
    """The greatest fraction of which all are multiples; they are not all 0."""
    denominator = math.lcm(*(n.denominator for n in numbers))
    return Fraction(math.gcd(*(int(n * denominator) for n in numbers)), denominator)


# Text.


def row_text(row: Below) -> str:
    """The row with unknown numbers of positive sign on the left, all else on the right."""
    left, right = _sides(row.poly, row.exponent)
    return f"{left} {'<' if row.strict else '<='} {right}"


def _sides(poly: Poly, exponent: int) -> tuple[str, str]:
    unknown = Poly({m: c for m, c in poly if m})
    left, right = unknown.positive_part(), unknown.negative_part()
    rest = poly.terms.get((), Fraction(0))
    right = right + Poly({(): -rest} if rest < 0 or not right.terms else {})
    left = left + Poly({(): rest} if rest > 0 and unknown.negative_part().terms else {})
    return left.text(exponent), right.text(exponent)


def text(logic: Logic, grids: Mapping[str, Grid]) -> str:
    """A normal formula in the rule language, where that can say it."""
    match logic:
        case Below(poly, strict, exponent):
            unknowns = [c for m, c in poly if m]
            if len(unknowns) != 1 or unknowns[0] > 0:
                return row_text(logic)
            left, right = _sides(poly.scaled(_MINUS), exponent)
            return f"{left} {'>' if strict else '>='} {right}"
        case Zero(poly, exponent):
            unknown = next((c for m, c in poly if m), Fraction(1))
            left, right = _sides(poly if unknown > 0 else poly.scaled(_MINUS), exponent)
            return f"{left} = {right}"
        case Mode(name, sentinel):
            return f"{name} is {_mode_text(sentinel)}"
        case Negated(Mode(name, sentinel)):
            return f"{name} is not {_mode_text(sentinel)}"
        case Whole() | Negated(Whole()):
            whole = logic if isinstance(logic, Whole) else logic.part
            assert isinstance(whole, Whole)
            grid = grids[whole.name]
            unit = format_value(unit_of(whole, grids), grid.time_exponent)
            return f"{whole.name} is {'a' if whole is logic else 'no'} multiple of {unit}"
        case Negated(part):
            return f"not ({text(part, grids)})"
        case Both(parts):
            return " and ".join(f"({t})" if isinstance(p, Clause) else t for p, t in _texts(parts, grids))
        case Clause(parts):
            return " or ".join(t for _, t in _texts(parts, grids))
        case Truism(value):
            return "always" if value else "cannot hold"


def _texts(parts: Iterable[Logic], grids: Mapping[str, Grid]) -> list[tuple[Logic, str]]:
    return [(p, text(p, grids)) for p in parts]


def _mode_text(sentinel: Sentinel | None) -> str:
    return "a number" if sentinel is None else sentinel.value
