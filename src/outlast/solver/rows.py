"""Inequalities of a monotone component as rows of whole numbers over indices of grids, or as curves that are evaluated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from outlast.constraints.model import Margin
from outlast.constraints.normal import Inequality, NormalRule, poly_may_be_negative
from outlast.constraints.polynomial import Apply, Poly, Switch, Var
from outlast.constraints.record import record
from outlast.solver.cases import TooManyCasesError
from outlast.solver.encode import Encoder, is_linear
from outlast.solver.grid import Grid

__all__ = ["Curve", "Row", "Source", "curve_of", "mentioned", "reads", "row_at", "rows_of", "source_of"]


@record
class Source:
    """One inequality as left (times `scale`) below right: sums of indices with whole coefficients ≥ 0 and a whole rest each."""

    rule: str
    left: dict[int, int]
    left_rest: int
    right: dict[int, int]
    right_rest: int
    scale: dict[int, int]
    scale_rest: int
    strict: bool
    margin: Margin | None
    aim: Margin


@record
class Row:
    """Σ terms + rest < 0 (or ≤ 0) with whole coefficients; `raises` is the index with the negative one."""

    rule: str
    grows: tuple[tuple[int, int], ...]
    rest: int
    raises: int | None
    by: int
    strict: bool
    #: Applies only where this sum is above 0.
    guard: tuple[tuple[tuple[int, int], ...], int] | None = None


@record
class Curve:
    """An inequality whose left side is no sum: it is evaluated; the right side is `by` times an index plus a constant."""

    rule: str
    left: Poly
    #: The indices that the left side mentions.
    grows: tuple[int, ...]
    raises: int | None
    by: Fraction
    rest: Fraction
    strict: bool
    margin: Margin | None
    aim: Margin


def mentioned(part: Source | Curve) -> set[int]:
    """The indices on the smaller side of an inequality."""
    return {*part.left, *part.scale} if isinstance(part, Source) else set(part.grows)


def reads(row: Row | Curve) -> set[int]:
    """The indices that an inequality, or whether it applies, depends on."""
    if isinstance(row, Curve):
        return set(row.grows)
    guard = () if row.guard is None else row.guard[0]
    return {p for p, _ in (*row.grows, *guard)}


def source_of(
    part: Inequality, rule: NormalRule, place: Mapping[str, int], grids: Mapping[str, Grid], encoder: Encoder
) -> list[Source] | None:
    """The inequality as sums of indices, and that its divisors are positive; None: it is not of that form."""
    if not _simple(part.left) or not _simple(part.right):
        return None
    try:
        pieces = encoder.pieces(part, {})
    except TooManyCasesError:
        return None
    if len(pieces) != 1 or pieces[0].conditions:
        return None
    (piece,) = pieces
    if piece.decided:
        return [] if piece.truth and not piece.divisors else None
    polys = (piece.left, piece.right, piece.scale, *piece.divisors)
    if not all(is_linear(p) and _only_parameters(p) for p in polys):
        return None
    (left, left_rest), (right, right_rest), (scale, scale_rest) = (_indices(p, place, grids) for p in polys[:3])
    if any(c < 0 for side in (left, right, scale) for c in side.values()) or len(right) > 1 or scale_rest < 0:
        return None
    sides = _whole_sides((left, left_rest), (right, right_rest), (scale, scale_rest))
    made = [Source(rule.id, *sides, part.strict, rule.rule.margin, rule.rule.aim)]
    for divisor in piece.divisors:
        terms, rest = _indices(divisor, place, grids)
        if len(terms) > 1 or any(c < 0 for c in terms.values()):
            return None
        sides = _whole_sides(({}, Fraction(0)), (terms, rest), ({}, Fraction(1)))
        made.append(Source(rule.id, *sides, True, None, Margin(Fraction(0), None)))
    return made


#: Sums of indices, each with its rest.
_Sides = tuple[dict[int, int], int, dict[int, int], int, dict[int, int], int]


def _whole_sides(*sides: tuple[dict[int, Fraction], Fraction]) -> _Sides:
    """The sums multiplied by one number that makes everything in them whole."""
    factor = math.lcm(*(n.denominator for terms, rest in sides for n in (rest, *terms.values())))
    whole = [({p: int(c * factor) for p, c in terms.items()}, int(rest * factor)) for terms, rest in sides]
    (left, left_rest), (right, right_rest), (scale, scale_rest) = whole
    return left, left_rest, right, right_rest, scale, scale_rest


def _simple(poly: Poly) -> bool:
    """Whether no function is called on anything unknown that could make cases."""
    return not any(isinstance(a, (Apply, Switch)) and a.key and _mentions(a) for a in poly.atoms())


def _mentions(atom: Apply | Switch) -> bool:
    return True if isinstance(atom, Switch) else any(True for p in atom.arguments for _ in p.atoms())


def _only_parameters(poly: Poly) -> bool:
    return all(isinstance(a, Var) for a in poly.atoms())


def _indices(poly: Poly, place: Mapping[str, int], grids: Mapping[str, Grid]) -> tuple[dict[int, Fraction], Fraction]:
    terms: dict[int, Fraction] = {}
    rest = Fraction(0)
    for monomial, coefficient in poly:
        if not monomial:
            rest += coefficient
            continue
        ((atom, _),) = monomial
        assert isinstance(atom, Var)
        number = place[atom.name]
        terms[number] = terms.get(number, Fraction(0)) + coefficient * grids[atom.name].unit
    return terms, rest


def rows_of(source: Source, part: Fraction) -> list[Row]:
    """The rows of a source, with only a part of the smaller side in place of a larger right side."""
    rows = [_row(source, part, Fraction(0), source.strict)]
    if source.margin is not None:
        rows.append(_asking(source, source.margin, Fraction(1), part, guarded=False))
    return rows


def row_at(source: Source, level: int, part: Fraction) -> Row | None:
    """What a level asks besides; None: nothing."""
    if not level or not source.aim.amount:
        return None
    return _asking(source, source.aim, Fraction(level, 1000), part, guarded=not source.aim.is_relative)


def _asking(source: Source, margin: Margin, share: Fraction, part: Fraction, *, guarded: bool) -> Row:
    if margin.is_relative:
        return _row(source, part * (1 + share * margin.amount), Fraction(0), strict=False)
    return _row(source, part, part * share * margin.amount, strict=False, guarded=guarded)


def _row(source: Source, factor: Fraction, added: Fraction, strict: bool, *, guarded: bool = False) -> Row:
    """factor · left + added · scale − right below 0, multiplied by the denominators."""
    of_right = factor.denominator * added.denominator
    of_left, of_scale = factor.numerator * added.denominator, added.numerator * factor.denominator
    terms = {p: of_left * c for p, c in source.left.items()}
    for sign, side in ((of_scale, source.scale), (-of_right, source.right)):
        if sign:
            for place, c in side.items():
                terms[place] = terms.get(place, 0) + sign * c
    raises = next((p for p, c in terms.items() if c < 0), None)
    return Row(
        source.rule,
        tuple(sorted((p, c) for p, c in terms.items() if c > 0)),
        of_left * source.left_rest + of_scale * source.scale_rest - of_right * source.right_rest,
        raises,
        -terms[raises] if raises is not None else 0,
        strict,
        (tuple(sorted(source.left.items())), source.left_rest) if guarded else None,
    )


def curve_of(
    part: Inequality, rule: NormalRule, place: Mapping[str, int], grids: Mapping[str, Grid], encoder: Encoder
) -> Curve | None:
    """The inequality with a left side that is evaluated, if that grows with its parameters and the right side is a line in one."""
    if poly_may_be_negative(part.left) or not _grows(part.left, grids):
        return None
    try:
        pieces = encoder.pieces(
            Inequality(left=Poly({}), right=part.right, strict=True, optimistic=part.optimistic), {}
        )
    except TooManyCasesError:
        return None
    if len(pieces) != 1 or pieces[0].conditions or pieces[0].decided or pieces[0].divisors:
        return None
    right = pieces[0].right
    if not is_linear(right) or not _only_parameters(right):
        return None
    terms, rest = _indices(right, place, grids)
    if len(terms) > 1 or any(c < 0 for c in terms.values()):
        return None
    reads = tuple(sorted({place[a.name] for a in part.left.all_atoms() if isinstance(a, Var) and a.name in place}))
    raises = next(iter(terms), None)
    if raises in reads:
        return None
    by = terms[raises] if raises is not None else Fraction(0)
    return Curve(rule.id, part.left, reads, raises, by, rest, part.strict, rule.rule.margin, rule.rule.aim)


def _grows(poly: Poly, grids: Mapping[str, Grid]) -> bool:
    """Whether the value never falls when a free parameter rises: no divisors, no cases, functions that grow."""
    for monomial, _ in poly:
        for atom, exponent in monomial:
            if isinstance(atom, Var):
                if exponent < 0 and atom.name in grids:
                    return False
            elif isinstance(atom, Apply):
                if exponent < 0 or atom.function == "first_set" or not all(_grows(a, grids) for a in atom.arguments):
                    return False
            else:
                return False
    return True
