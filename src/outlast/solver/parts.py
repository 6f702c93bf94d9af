"""A conflict's items as the formulas that a proof is made of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction

from outlast.constraints.errors import OutlastError
from outlast.constraints.polynomial import Monomial, Poly, Var, constant, variable
from outlast.solver.grid import Grid
from outlast.solver.items import Items
from outlast.solver.logic import Both, Clause, Logic, Mode, Negated, Whole, polys, with_polys, zero

__all__ = ["parts_of"]


def parts_of(items: Items, found: frozenset[str]) -> tuple[list[tuple[str, Logic]], dict[str, Grid]]:
    """The items as formulas, with the grids of all that they speak of.

    Constants that are items stay unknowns with a value of their own, so that a proof names them; where that would leave a product of unknowns they are numbers.

    Raises:
        OutlastError: a rule says nothing without a constant that is no item.
    """
    symbolic = {i for i in found if items.is_number(i)}
    while True:
        formulas = {i: items.formula(i, found - symbolic) for i in items.all if i in found and not items.is_constant(i)}
        weak = {i for i, f in formulas.items() if f.is_weak}
        if weak:  # a formula that says too little proves nothing
            given = {c for i in weak for c in items.mentioned_by(i)} & symbolic
            if not given:
                raise OutlastError("what a rule says without a constant could not be told")
            symbolic -= given
            continue
        multiplied = {n for f in formulas.values() for n in _multiplied(f.logic)}
        folded = {i for i in symbolic if not multiplied.isdisjoint(items.unknowns_of(i))}
        if not folded:
            break
        symbolic -= folded
    parts = [(i, f.logic) for i, f in formulas.items()]
    for name, value in items.every_held():
        # As a number it leaves out a product; the rule's row then speaks of it.
        if not isinstance(value, Fraction) or items.item_of_held(name) not in found:
            continue
        if name in {n for _, logic in parts for n in _multiplied(logic)}:
            held = items.item_of_held(name)
            parts = [(i, logic if i == held else _put_in(logic, name, value)) for i, logic in parts]
    said = {n for _, logic in parts for n in _names(logic)}
    for item in sorted(symbolic):
        parts += [
            (item, zero(variable(v) - constant(value), exponent=v.time_exponent))
            for v, value in items.values_of(item)
            if v.name in said
        ]
    plain = _plain_names(said)
    grids = {g.name: g for g in items.every_grid() if g.name in said}
    renamed = [(item, _renamed(logic, plain)) for item, logic in parts]
    return renamed, {plain.get(n, n): g for n, g in grids.items()}


def _plain_names(names: Collection[str]) -> dict[str, str]:
    """Quantiles of which only one bound is spoken of are called as in the spec."""
    found = {}
    for name in names:
        base = name[:-1]
        if name[-1] in "+-" and not {f"{base}+", f"{base}-"} <= set(names):
            found[name] = base
    return found


def _names(logic: Logic) -> Iterator[str]:
    match logic:
        case Mode(name=name) | Whole(name=name):
            yield name
        case Both(parts) | Clause(parts):
            for part in parts:
                yield from _names(part)
        case Negated(part):
            yield from _names(part)
        case _:
            yield from (a.name for p in polys(logic) for a in p.all_atoms() if isinstance(a, Var))


def _multiplied(logic: Logic) -> Iterator[str]:
    """The unknowns that stand in a product."""
    for poly in polys(logic):
        for monomial, _ in poly:
            if len(monomial) > 1 or any(n != 1 for _, n in monomial):
                yield from (a.name for a, _ in monomial if isinstance(a, Var))


def _renamed(logic: Logic, names: dict[str, str]) -> Logic:
    def renamed(monomial: Monomial) -> Monomial:
        return tuple(
            (Var(names[a.name], a.time_exponent) if isinstance(a, Var) and a.name in names else a, n)
            for a, n in monomial
        )

    return with_polys(logic, lambda poly: Poly({renamed(m): c for m, c in poly})) if names else logic


def _put_in(logic: Logic, name: str, value: Fraction) -> Logic:
    """The formula with a number in the place of a name."""

    def put_in(poly: Poly) -> Poly:
        total = Poly({})
        for monomial, coefficient in poly:
            rest: Monomial = tuple((a, n) for a, n in monomial if not (isinstance(a, Var) and a.name == name))
            power = sum(n for a, n in monomial if isinstance(a, Var) and a.name == name)
            total = total + Poly({rest: coefficient * value**power})
        return Poly({m: c for m, c in total if c})

    return with_polys(logic, put_in)
