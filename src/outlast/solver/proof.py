"""Exact proofs that formulas cannot hold together, found and checked without z3.

A search in the way of DPLL(T): at each place a rational point of the inequalities is asked for; there is none, and multipliers (Farkas)
say why, or the point breaks some alternative, step or count, by which the proof then goes on in cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.polynomial import Apply, Atom, Monomial, Poly, Var, constant
from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import record
from outlast.solver.account import Case, Cases, Clash, Proof
from outlast.solver.certificate import certificate_of
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits
from outlast.solver.logic import FALSE, Below, Both, Clause, Logic, Mode, Whole, Zero, polys
from outlast.solver.proof_check import check_proof
from outlast.solver.simplex import Row, Solution, solve_rows
from outlast.solver.statements import (
    common_unit,
    conjuncts,
    entails,
    in_modes,
    is_mode,
    is_natural,
    mode_names,
    monomial_exponent,
    natural_row,
    normal,
    options,
    over,
    rounded_atoms,
    rounding_rows,
    row_of,
    rows_of,
    text,
    times_monomial,
    unit_of,
)

__all__ = ["check_proof", "prove"]

_MOST_LEAVES: Final = 400
_DEEPEST: Final = 40
#: How many inequalities are read, counted each time that one is.
_MOST_ROWS: Final = 250_000
#: How many splits are compared at one place.
_MOST_SPLITS: Final = 30
#: From how many listed numbers on they are split in two rather than one by one.
_LIST: Final = 3

Point = Mapping[Monomial, Fraction]
_None: Final[frozenset[int]] = frozenset()


def prove(parts: Sequence[tuple[str, Logic]], grids: Mapping[str, Grid], limits: Limits) -> Proof | None:
    """A proof that these items (ids with their formulas) cannot hold together; None: none was found in reasonable size.

    Raises:
        Undecided: the time is up.
    """
    try:
        proof = _Search(parts, grids, limits).proof()
    except _NoProofError:
        return None
    return proof if check_proof(proof, parts, grids) else None


class _NoProofError(Exception):
    """Nothing contradicts the formulas as far as they are understood, or the proof would be too large."""


@record
class _Fact:
    """A part of what an item, or a case, says, as far as the modes do not settle it."""

    item: str
    said: Logic
    logic: Logic
    #: The cases without whose assumption it does not hold.
    cases: frozenset[int] = _None


@record
class _Place:
    """A place in the proof: what holds there."""

    facts: tuple[_Fact, ...]
    #: The modes that cases assume, with the numbers of the cases.
    modes: Mapping[str, tuple[Sentinel | None, int]]


@record
class _Split:
    """Cases of which one must hold."""

    item: str
    cases: frozenset[int]
    assumed: tuple[Logic, ...]
    also: tuple[str, ...] = ()


@record
class _Refuted:
    """A place that is impossible without more cases: what clashes there, or nothing, where the inequalities do."""

    place: _Place
    clash: tuple[_Fact, ...]


@record
class _Used:
    """A line that a certificate may use."""

    item: str
    row: Below
    cases: frozenset[int] = _None


class _Search:
    def __init__(self, parts: Sequence[tuple[str, Logic]], grids: Mapping[str, Grid], limits: Limits) -> None:
        self._grids = grids
        self._limits = limits
        self._leaves = self._read = self._numbers = 0
        self._known_rows: dict[Below, Row] = {}
        facts = [_Fact(item, part, part) for item, logic in parts for part in conjuncts(normal(logic))]
        self._root = self._placed(facts, {})
        spoken = [p for f in facts for p in polys(f.said)]
        self._rounding = [_Used("rounding", row) for atom in rounded_atoms(spoken) for row in rounding_rows(atom)]
        self._has_products = any(_degree(m) > 1 for p in spoken for m in p.terms)

    def proof(self) -> Proof:
        """The proof from the root.

        Raises:
            _NoProofError: there is none.
        """
        found = self._looked_at(self._root)
        return (self._built(found) if isinstance(found, _Refuted) else self._split(self._root, found, 0))[0]

    # Places.

    def _placed(self, facts: Iterable[_Fact], modes: Mapping[str, tuple[Sentinel | None, int]]) -> _Place:
        known = {name: sentinel for name, (sentinel, _) in modes.items()}
        placed: list[_Fact] = []
        for fact in facts:
            spoken = frozenset(modes[n][1] for n in mode_names(fact.logic) if n in modes)
            left = in_modes(fact.logic, known, self._grids) if any(mode_names(fact.logic)) else fact.logic
            placed += (_Fact(fact.item, fact.said, part, fact.cases | spoken) for part in conjuncts(left))
        return _Place(tuple(placed), modes)

    def _within(self, place: _Place, assumed: Logic) -> tuple[_Place, int]:
        """The place inside a case, and the case's number."""
        self._numbers += 1
        number = self._numbers
        if isinstance(assumed, Mode):
            modes = {**place.modes, assumed.name: (assumed.sentinel, number)}
            return self._placed(place.facts, modes), number
        more = [_Fact("case", part, part, frozenset({number})) for part in conjuncts(assumed)]
        known = self._placed(more, place.modes).facts
        return _Place((*place.facts, *known), place.modes), number

    def _looked_at(self, place: _Place) -> _Refuted | Point:
        """Why the place is impossible, or a point of its inequalities."""
        broken = next((f for f in place.facts if f.logic is FALSE), None)
        if broken is not None:
            return _Refuted(place, (broken,))
        clash = self._mode_clash(place)
        if clash:
            return _Refuted(place, clash)
        rows = self._rows(place)
        solution = self._solved([*rows, *self._natural(rows)])
        return _Refuted(place, ()) if solution.point is None else solution.point  # type: ignore[return-value]  # unknowns are monomials

    def _solved(self, lines: Sequence[_Used]) -> Solution:
        self._limits.check()
        self._read += len(lines)
        if self._read > _MOST_ROWS:
            raise _NoProofError
        for used in lines:
            if used.row not in self._known_rows:
                self._known_rows[used.row] = row_of(used.row)
        return solve_rows([self._known_rows[used.row] for used in lines])

    def _mode_clash(self, place: _Place) -> tuple[_Fact, ...]:
        """Facts that leave a parameter no mode."""
        said = [f for f in place.facts if is_mode(f.logic)]
        for name in sorted({n for f in said for n in mode_names(f.logic)}):
            about = [f for f in said if name in mode_names(f.logic)]
            if self._excluded(name, about):
                for fact in list(about):
                    rest = [f for f in about if f is not fact]
                    about = rest if self._excluded(name, rest) else about
                return tuple(about)
        return ()

    def _excluded(self, name: str, facts: Sequence[_Fact]) -> bool:
        return all(
            any(in_modes(f.logic, {name: option}, self._grids) is FALSE for f in facts)
            for option in options(name, self._grids)
        )

    def _rows(self, place: _Place) -> list[_Used]:
        """The inequalities of a place, other than that quantities are never negative."""
        said = [_Used(f.item, row, f.cases) for f in place.facts for row in rows_of(f.logic)]
        return [*said, *(self._products(said) if self._has_products else ()), *self._rounding]

    def _products(self, said: Sequence[_Used]) -> list[_Used]:
        """Bounds of one unknown, times what it is multiplied by elsewhere."""
        bounds = [
            (u, next(m for m in u.row.poly.terms if m)) for u in said if len([m for m in u.row.poly.terms if m]) == 1
        ]
        bounds = [(u, m) for u, m in bounds if _degree(m) == 1]
        waiting = [m for u in said for m in u.row.poly.terms if _degree(m) > 1]
        seen: set[Monomial] = set()
        found: list[_Used] = []
        while waiting:
            monomial = waiting.pop(0)
            if monomial in seen or _degree(monomial) < 2:
                continue
            seen.add(monomial)
            for used, unknown in bounds:
                factor = over(monomial, unknown)
                if factor is not None and is_natural(factor):
                    found.append(_Used(used.item, times_monomial(used.row, factor), used.cases))
                    waiting.append(factor)
        return found

    @staticmethod
    def _natural(rows: Iterable[_Used]) -> list[_Used]:
        unknowns = dict.fromkeys(m for u in rows for m in u.row.poly.terms if is_natural(m))
        return [_Used("natural", natural_row(m)) for m in unknowns]

    # Proofs. Each comes with the numbers of the cases that it needs.

    def _built(self, refuted: _Refuted) -> tuple[Proof, frozenset[int]]:
        self._leaves += 1
        if self._leaves > _MOST_LEAVES:
            raise _NoProofError
        place = refuted.place
        if not refuted.clash:
            return self._certificate(place)
        needed = _None.union(*(f.cases for f in refuted.clash))
        modes = [Mode(n, sentinel) for n, (sentinel, number) in place.modes.items() if number in needed]
        items = [*("case" for _ in modes), *(f.item for f in refuted.clash)]
        says = [text(logic, self._grids) for logic in [*modes, *(f.said for f in refuted.clash)]]
        return Clash(tuple(items), tuple(says)), needed

    def _certificate(self, place: _Place) -> tuple[Proof, frozenset[int]]:
        """Multipliers of few rows, those of quantities that are never negative only where it takes them."""
        rows = self._rows(place)
        best: list[tuple[_Used, Fraction]] | None = None
        for lines in (rows, [*rows, *self._natural(rows)]):
            for ordered in (lines, lines[::-1]):
                multipliers = self._solved(ordered).multipliers
                if multipliers is not None:
                    taken = [(u, m) for u, m in zip(ordered, multipliers, strict=True) if m]
                    if best is None or len(taken) < len(best):
                        best = taken if ordered is lines else taken[::-1]
            if best is not None:
                break
        assert best is not None
        used = [u for u, _ in best]
        proof = certificate_of([u.item for u in used], [u.row for u in used], [m for _, m in best])
        return proof, _None.union(*(u.cases for u in used))

    def _split(self, place: _Place, point: Point, depth: int) -> tuple[Proof, frozenset[int]]:
        """A proof by the cases of which the fewest need cases of their own."""
        if depth >= _DEEPEST:
            raise _NoProofError
        best: tuple[_Split, list[tuple[int, _Place, _Refuted | Point]]] | None = None
        fewest = 0
        for order, split in enumerate(self._splits(place, point)):
            if order >= _MOST_SPLITS:
                break
            inside = [self._within(place, assumed) for assumed in split.assumed]
            looked = [(number, case, self._looked_at(case)) for case, number in inside]
            open_cases = sum(not isinstance(found, _Refuted) for _, _, found in looked)
            if best is None or open_cases < fewest:
                best, fewest = (split, looked), open_cases
            if not open_cases:
                break
        if best is None:
            raise _NoProofError
        split, looked = best
        cases: list[Case] = []
        needed = split.cases
        for assumed, (number, case, found) in zip(split.assumed, looked, strict=True):
            done = self._built(found) if isinstance(found, _Refuted) else self._split(case, found, depth + 1)
            proof, wanted = done
            if number not in wanted:
                return done
            cases.append(Case(text(assumed, self._grids), proof, assumed))
            needed |= wanted - {number}
        return Cases(split.item, tuple(cases), split.also), needed

    # Splits: what a point breaks.

    def _splits(self, place: _Place, point: Point) -> Iterator[_Split]:
        known = {f.logic for f in place.facts}  # an alternative that was assumed need not be again
        broken = [
            f
            for f in place.facts
            if isinstance(f.logic, Clause)
            and not _satisfied(f.logic, point)
            and not any(known.issuperset(conjuncts(p)) for p in f.logic.parts)
        ]
        for name in dict.fromkeys(n for f in broken for n in mode_names(f.logic)):
            modes = [s for s in options(name, self._grids) if s is not None]
            yield _Split("natural", _None, tuple(Mode(name, s) for s in (*modes, None)))
        for fact in broken:
            assert isinstance(fact.logic, Clause)
            if not any(mode_names(fact.logic)):
                yield _Split(fact.item, fact.cases, _alternatives(fact.logic, point))
        yield from self._steps(place, point)

    def _steps(self, place: _Place, point: Point) -> Iterator[_Split]:
        """Parameters, then sums of them, that are between two multiples."""
        units: dict[Monomial, list[tuple[Fraction, str, frozenset[int]]]] = {}
        for fact in place.facts:
            if isinstance(fact.logic, Whole):
                grid = self._grids[fact.logic.name]
                unknown: Monomial = ((Var(grid.name, grid.time_exponent), 1),)
                units.setdefault(unknown, []).append((unit_of(fact.logic, self._grids), fact.item, fact.cases))
        for monomial in point:
            match monomial:
                case ((atom, 1),) if self._is_whole(atom):
                    units.setdefault(monomial, []).append((Fraction(1), "natural", _None))
        for monomial in sorted(units, key=lambda m: m[0][0].key):
            units[monomial].sort(key=lambda u: -u[0])
            for unit, item, cases in units[monomial]:
                yield from _between(Poly({monomial: Fraction(1)}), unit, point, [item], cases)
        sums: dict[Poly, None] = {}
        for fact in place.facts:
            for row in rows_of(fact.logic):
                whole = {m: c for m, c in row.poly if m in units}
                if len(whole) > 1:
                    shared = common_unit(list(whole.values()))
                    shared = shared if next(iter(whole.values())) > 0 else -shared
                    sums.setdefault(Poly({m: c / shared for m, c in whole.items()}))
        for poly in sums:
            unit = common_unit([c * units[m][0][0] for m, c in poly])
            items = dict.fromkeys(units[m][0][1] for m in poly.terms)
            named = [i for i in items if i != "natural"] or ["natural"]
            yield from _between(poly, unit, point, named, _None.union(*(units[m][0][2] for m in poly.terms)))

    def _is_whole(self, atom: Atom) -> bool:
        match atom:
            case Var(name=name):
                return name in self._grids and self._grids[name].whole
            case Apply(function=function):
                return function in ("ceil", "floor")
            case _:
                return False


def _between(poly: Poly, unit: Fraction, point: Point, items: Sequence[str], cases: frozenset[int]) -> Iterator[_Split]:
    """The split of a sum that is a multiple of its unit, where the point is between two of them."""
    value = _value(poly, point)
    below = unit * math.floor(value / unit)
    if value != below:
        exponent = monomial_exponent(next(iter(poly.terms)))
        low = Below(poly - constant(below), strict=False, exponent=exponent)
        high = Below(constant(below + unit) - poly, strict=False, exponent=exponent)
        yield _Split(items[0], cases, (low, high), tuple(items[1:]))


def _alternatives(clause: Clause, point: Point) -> tuple[Logic, ...]:
    """The parts of a clause; several numbers of one unknown are those below and those above the point."""
    listed: dict[Monomial, list[tuple[Fraction, Zero]]] = {}
    for part in clause.parts:
        if isinstance(part, Zero):
            unknowns = [m for m in part.poly.terms if m]
            if len(unknowns) == 1:
                value = -part.poly.terms.get((), Fraction(0)) / part.poly.terms[unknowns[0]]
                listed.setdefault(unknowns[0], []).append((value, part))
    assumed: list[Logic] = []
    grouped: set[Logic] = set()
    for unknown, values in listed.items():
        if len(values) < _LIST:
            continue
        grouped.update(part for _, part in values)
        here, number = point.get(unknown, Fraction(0)), Poly({unknown: Fraction(1)})
        exponent = values[0][1].exponent
        under, above = [v for v, _ in values if v < here], [v for v, _ in values if v > here]
        if under:
            assumed.append(Below(number - constant(max(under)), strict=False, exponent=exponent))
        if above:
            assumed.append(Below(constant(min(above)) - number, strict=False, exponent=exponent))
    assumed += (p for p in clause.parts if p not in grouped)
    assumed = list(dict.fromkeys(assumed))
    # What says more than another part needs no case of its own.
    kept: list[Logic] = []
    for place, part in enumerate(assumed):
        others = [*kept, *assumed[place + 1 :]]
        if not any(entails(part, other) for other in others):
            kept.append(part)
    return tuple(kept)


def _satisfied(logic: Logic, point: Point) -> bool:
    """Whether a formula holds at the point whatever the modes; what else it may be is not asked."""
    match logic:
        case Below(poly, strict, _):
            value = _value(poly, point)
            return value < 0 or (value == 0 and not strict)
        case Zero(poly, _):
            return _value(poly, point) == 0
        case Both(parts):
            return all(_satisfied(p, point) for p in parts)
        case Clause(parts):
            return any(_satisfied(p, point) for p in parts)
        case _:
            return False


def _value(poly: Poly, point: Point) -> Fraction:
    return sum((c * _product_at(m, point) for m, c in poly), Fraction(0))


def _product_at(monomial: Monomial, point: Point) -> Fraction:
    """The value of a product: its own where it is an unknown of its own, else that of its factors."""
    if monomial in point:
        return point[monomial]
    value = Fraction(1)
    for atom, power in monomial:
        value *= point.get(((atom, 1),), Fraction(0)) ** power
    return value


def _degree(monomial: Monomial) -> int:
    return sum(n for _, n in monomial)
