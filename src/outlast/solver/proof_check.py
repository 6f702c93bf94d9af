"""Whether a proof proves: every line is one of the items', the multipliers add up, the cases leave nothing out.

It trusts nothing of the search that found the proof; what it shares with it is what formulas and rows mean (solver/statements.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from outlast.constraints.polynomial import Apply, Monomial, Poly, Var
from outlast.constraints.quantities import Sentinel
from outlast.solver.account import Cases, Certificate, Clash, Proof, Step
from outlast.solver.certificate import presented
from outlast.solver.grid import Grid
from outlast.solver.logic import FALSE, Below, Clause, Logic, Mode, Whole
from outlast.solver.simplex import adds_up
from outlast.solver.statements import (
    conjuncts,
    entails,
    in_modes,
    is_mode,
    is_natural,
    mode_names,
    normal,
    options,
    over,
    rounded_atoms,
    rounding_rows,
    row_of,
    row_text,
    rows_of,
    text,
    times_monomial,
    unit_of,
)

__all__ = ["check_proof"]


def check_proof(proof: Proof, parts: Sequence[tuple[str, Logic]], grids: Mapping[str, Grid]) -> bool:
    """Whether the proof shows that the parts, which are items by id with their formulas, cannot hold together."""
    given: dict[str, list[Logic]] = {}
    for item, logic in parts:
        given.setdefault(item, []).append(normal(logic))
    return _holds(proof, _Given(given, grids))


class _Given:
    """What holds at one place of a proof: the items, and what the cases around it assume."""

    def __init__(self, items: Mapping[str, Sequence[Logic]], grids: Mapping[str, Grid]) -> None:
        self._items = items
        self.grids = grids
        assumed = [c for logic in items.get("case", ()) for c in conjuncts(logic)]
        self.modes: dict[str, Sentinel | None] = {}
        for part in assumed:
            if isinstance(part, Mode):
                self.modes.setdefault(part.name, part.sentinel)

    def assuming(self, logic: Logic) -> _Given:
        """The same inside a case."""
        return _Given({**self._items, "case": [*self._items.get("case", ()), normal(logic)]}, self.grids)

    def facts(self, items: Iterable[str], *, in_cases: bool = True) -> list[Logic]:
        """What these items say, part by part, as far as it is not settled by the modes that cases assume."""
        modes = self.modes if in_cases else {}
        said = (logic for item in items for logic in self._items.get(item, ()))
        return [c for logic in said for part in conjuncts(logic) for c in conjuncts(in_modes(part, modes, self.grids))]


def _holds(proof: Proof, given: _Given) -> bool:
    match proof:
        case Certificate(steps, total):
            rows, multipliers = [s.row for s in steps], [s.multiplier for s in steps]
            shown = (tuple(s.times for s in steps), total)
            return (
                all(_is_row(s, given) and s.says == row_text(s.row) for s in steps)
                and adds_up([row_of(r) for r in rows], multipliers)
                and any(presented(rows, multipliers, e) == shown for e in {r.exponent for r in rows})
            )
        case Clash(items, says):
            return len(items) == len(says) and _clashes(items, given)
        case Cases(cases=cases):
            return _covers(proof, given) and all(
                c.says == text(normal(c.assumes), given.grids) and _holds(c.proof, given.assuming(c.assumes))
                for c in cases
            )


def _is_row(step: Step, given: _Given) -> bool:
    row = step.row
    match step.item:
        case "natural":
            return not row.strict and len(row.poly.terms) == 1 and all(is_natural(m) and c < 0 for m, c in row.poly)
        case "rounding":
            return any(row == meant for atom in rounded_atoms([row.poly]) for meant in rounding_rows(atom))
        case item:
            known = [r for fact in given.facts([item]) for r in rows_of(fact)]
            return row in known or any(_is_multiple(row, r) for r in known)


def _is_multiple(row: Below, of: Below) -> bool:
    """Whether the row is the other one times a product of quantities."""
    if row.strict or not of.poly.terms:
        return False
    least = min(of.poly.terms, key=len)
    factors = (over(monomial, least) for monomial in row.poly.terms)
    return any(f is not None and is_natural(f) and times_monomial(of, f) == row for f in factors)


def _clashes(items: Collection[str], given: _Given) -> bool:
    facts = given.facts(items, in_cases="case" in items)
    if FALSE in facts:
        return True
    names = {n for f in facts if is_mode(f) for n in mode_names(f)}
    return any(_excluded(facts, name, given) for name in names)


def _excluded(facts: Sequence[Logic], name: str, given: _Given) -> bool:
    return all(
        any(in_modes(f, {name: option}, given.grids) is FALSE for f in facts if is_mode(f))
        for option in options(name, given.grids)
    )


# Cases.


def _covers(proof: Cases, given: _Given) -> bool:
    assumed = [normal(c.assumes) for c in proof.cases]
    if all(isinstance(a, Mode) for a in assumed):
        names = {a.name for a in assumed if isinstance(a, Mode)}
        modes = {a.sentinel for a in assumed if isinstance(a, Mode)}
        if len(names) == 1 and modes >= set(options(names.pop(), given.grids)):
            return True
    facts = given.facts([proof.item])
    if any(isinstance(f, Clause) and all(any(entails(p, a) for a in assumed) for p in f.parts) for f in facts):
        return True
    return len(assumed) == 2 and _leaves_nothing(assumed[0], assumed[1], (proof.item, *proof.also), given)


def _leaves_nothing(low: Logic, high: Logic, items: Sequence[str], given: _Given) -> bool:
    """Whether a sum of multiples is at most one multiple of a unit, or at least the next one."""
    if not isinstance(low, Below) or not isinstance(high, Below) or low.strict or high.strict:
        return False
    gap = (low.poly + high.poly).constant
    if gap is None or gap <= 0 or (low.poly.terms.get((), Fraction(0)) / gap).denominator != 1:
        return False
    units = _units(low.poly, items, given)
    return all(
        any((coefficient * unit / gap).denominator == 1 for unit in units.get(monomial, ()))
        for monomial, coefficient in low.poly
        if monomial
    )


def _units(poly: Poly, items: Sequence[str], given: _Given) -> dict[Monomial, list[Fraction]]:
    steps = [f for f in given.facts(items) if isinstance(f, Whole)]
    units: dict[Monomial, list[Fraction]] = {}
    for monomial in poly.terms:
        match monomial:
            case ((Var(name=name), 1),):
                found = [unit_of(s, given.grids) for s in steps if s.name == name]
                if name in given.grids and given.grids[name].whole:
                    found.append(Fraction(1))
                units[monomial] = found
            case ((Apply(function="ceil" | "floor"), 1),):
                units[monomial] = [Fraction(1)]
    return units
