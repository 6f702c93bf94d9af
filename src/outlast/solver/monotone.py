"""The least point of a monotone component, without z3.

A component is monotone when each inequality's larger side holds at most one free parameter and its smaller side grows with its own. Solutions are then closed
under taking the smaller value of each parameter, so that a least one exists: start at the lowest values and raise the parameter on the larger side of a broken inequality to the next
value that mends it, until nothing is broken or a limit is (a Kleene iteration; Knaster and Tarski's fixpoint theorem).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from outlast.constraints.evaluate import Extended, Side, Special, World, evaluate, with_margin
from outlast.constraints.model import Margin
from outlast.constraints.normal import All, Inequality, NormalRule, poly_may_be_negative
from outlast.constraints.polynomial import Apply, Poly, Switch, Var
from outlast.constraints.quantities import Value
from outlast.constraints.record import record
from outlast.solver.cases import TooManyCasesError
from outlast.solver.constants import Constants
from outlast.solver.encode import Encoder, is_linear
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits

__all__ = ["Bound", "LeastPoint", "Monotone", "Stalled"]


@record(kw_only=True)
class Bound:
    """A parameter is a number in this interval; an open end is not part of it."""

    name: str
    low: Fraction | None = None
    low_open: bool = False
    high: Fraction | None = None
    high_open: bool = False


@record(kw_only=True)
class LeastPoint:
    """The smallest solution. A continuous parameter may only come arbitrarily close to its value (`above`)."""

    values: dict[str, Fraction]
    above: frozenset[str] = frozenset()


class Stalled(Exception):  # noqa: N818  # a turn in the search, not an error
    """The iteration creeps step by step, as round trips through several inequalities do; another engine has to answer."""


@record
class _Source:
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
class _Row:
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
class _Curve:
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


class Monotone:
    """The engine of one component; build it with `Monotone.of`, which tells whether the component is monotone."""

    def __init__(
        self,
        names: Sequence[str],
        grids: Mapping[str, Grid],
        sources: Sequence[_Source],
        curves: Sequence[_Curve],
        constants: Constants,
        limits: Limits,
    ) -> None:
        self._names = names
        self._grids = [grids[n] for n in names]
        self._place = {n: i for i, n in enumerate(names)}
        self._constants = constants
        self._limits = limits
        self._by_rule: dict[str, list[_Source | _Curve]] = {}
        every: list[_Source | _Curve] = [*sources, *curves]
        for source in every:
            self._by_rule.setdefault(source.rule, []).append(source)
        self._cyclic: frozenset[str] | None = None
        self._lows = [g.listed[0] if g.listed else g.low for g in self._grids]
        self._highs = [g.listed[-1] if g.listed else g.high for g in self._grids]
        self._is_empty = any(g.listed == () for g in self._grids)
        #: The rules whose smaller side, or guard, mentions each index.
        self._readers: list[list[str]] = [[] for _ in names]
        for rule, parts in self._by_rule.items():
            for place in sorted({p for part in parts for p in _mentioned(part)}):
                self._readers[place].append(rule)
        self._rows: dict[tuple[str, int, Fraction | None], tuple[_Row | _Curve, ...]] = {}

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        grids: Mapping[str, Grid],
        rules: Iterable[NormalRule],
        encoder: Encoder,
        constants: Constants,
        limits: Limits,
    ) -> Monotone | None:
        """The engine, or None if the component is not monotone."""
        if any(grids[n].specials for n in names):
            return None
        place = {n: i for i, n in enumerate(names)}
        sources: list[_Source] = []
        curves: list[_Curve] = []
        for rule in rules:
            try:
                plain = encoder.is_plain(rule)
            except TooManyCasesError:
                return None
            if plain is None:
                continue
            if not plain:
                return None
            parts = rule.formula.parts if isinstance(rule.formula, All) else (rule.formula,)
            for part in parts:
                if not isinstance(part, Inequality):
                    return None
                found = _source(part, rule, place, grids, encoder)
                if found is not None:
                    sources += found
                    continue
                curve = _curve(part, rule, place, grids, encoder)
                if curve is None:
                    return None
                curves.append(curve)
        return cls(names, grids, sources, curves, constants, limits)

    def least(
        self,
        rules: Iterable[str],
        levels: Mapping[str, int],
        bounds: Iterable[Bound] = (),
        continuous: str | None = None,
        unbounded: frozenset[tuple[str, str]] = frozenset(),
        shares: Mapping[str, Fraction] | None = None,
    ) -> LeastPoint | None:
        """The least point at which the rules hold at their levels; None: there is none.

        `unbounded` names domain ends that are left out: pairs of a parameter and `min` or `max`; with `shares` the larger side of a
        rule counts as 1 + share of itself.

        Raises:
            Stalled: no answer within a number of steps that depends on the component's size only.
            Undecided: the time is up.
        """
        self._limits.check()
        return _Run(self, rules, levels, continuous, shares).least(bounds, unbounded)

    def possible(
        self,
        rules: Iterable[str],
        levels: Mapping[str, int],
        bounds: Iterable[Bound] = (),
        continuous: str | None = None,
        unbounded: frozenset[tuple[str, str]] = frozenset(),
        shares: Mapping[str, Fraction] | None = None,
    ) -> bool:
        """Whether `least` would find a point."""
        self._limits.check()
        return _Run(self, rules, levels, continuous, shares).ends(bounds, unbounded)

    def blame(self, rules: Iterable[str], bounds: Iterable[Bound], continuous: str | None = None) -> set[str] | None:
        """Rules, and ends of domains as `NAME.min` and `NAME.max`, that led to there being no point; None: there is one.

        Raises:
            Stalled, Undecided: as `least`.
        """
        run = _Run(self, rules, {}, continuous)
        return None if run.ends(bounds, frozenset()) else run.blamed()

    def on_a_cycle(self) -> frozenset[str]:
        """The parameters that can raise themselves through others, so that steps may leave gaps in their ranges."""
        if self._cyclic is None:
            raises: dict[int, set[int]] = {p: set() for p in range(len(self._names))}
            for sources in self._by_rule.values():
                for source in sources:
                    targets = (
                        source.right
                        if isinstance(source, _Source)
                        else []
                        if source.raises is None
                        else [source.raises]
                    )
                    for reader in _mentioned(source):
                        raises[reader].update(targets)
            self._cyclic = frozenset(self._names[p] for p in raises if _reaches(raises, p))
        return self._cyclic

    def rows(self, rule: str, level: int, share: Fraction | None) -> tuple[_Row | _Curve, ...]:
        """The inequalities of a rule at a level, its larger side increased by a share."""
        key = (rule, level, share)
        if key not in self._rows:
            made: list[_Row | _Curve] = []
            for source in self._by_rule.get(rule, ()):
                if isinstance(source, _Curve):
                    made.append(source)
                else:
                    made += _rows_of(source, level, Fraction(1) if share is None else 1 / (1 + share))
            self._rows[key] = tuple(made)
        return self._rows[key]


class _Run:
    """One iteration."""

    def __init__(
        self, engine: Monotone, rules: Iterable[str], levels: Mapping[str, int], continuous: str | None,
        shares: Mapping[str, Fraction] | None = None,
    ) -> None:  # fmt: skip
        self._engine = engine
        self._levels = levels
        self._shares = shares or {}
        self._place = None if continuous is None else engine._place[continuous]
        self._rules = [r for r in rules if r in engine._by_rule]
        self._index: list[int | Fraction] = list(engine._lows)
        self._high: list[int | Fraction | None] = list(engine._highs)
        self._high_open = False
        #: Whether the continuous parameter is only approached from above.
        self._above = False
        self._free: frozenset[tuple[str, str]] = frozenset()
        #: The rule that raised each index last.
        self._raised_by: dict[int, str] = {}
        #: The rule that could not be mended, the indices that it reads, and the one whose limit was passed.
        self._failed: tuple[str, set[int], int | None] | None = None

    def least(self, bounds: Iterable[Bound], unbounded: frozenset[tuple[str, str]]) -> LeastPoint | None:
        if not self.ends(bounds, unbounded):
            return None
        names, grids = self._engine._names, self._engine._grids
        values = {n: g.unit * k for n, g, k in zip(names, grids, self._index, strict=True)}
        above = frozenset([names[self._place]]) if self._place is not None and self._above else frozenset[str]()
        return LeastPoint(values=values, above=above)

    def ends(self, bounds: Iterable[Bound], unbounded: frozenset[tuple[str, str]]) -> bool:
        """Iterate until nothing is broken (True) or something cannot be mended."""
        engine = self._engine
        if engine._is_empty or not self._start(bounds, unbounded):
            return False
        waiting = deque(self._rules)
        active, queued = set(self._rules), set(self._rules)
        budget = 200 + 60 * len(self._rules)
        while waiting:
            rule = waiting.popleft()
            queued.discard(rule)
            for row in engine.rows(rule, self._levels.get(rule, 0), self._shares.get(rule)):
                raised = self._mend(row)
                if raised is None:
                    self._failed = (rule, _reads(row), row.raises)
                    return False
                if not raised:
                    continue
                assert row.raises is not None
                self._raised_by[row.raises] = rule
                budget -= 1
                if budget < 0:
                    raise Stalled
                for reader in engine._readers[row.raises]:
                    if reader in active and reader not in queued:
                        queued.add(reader)
                        waiting.append(reader)
        return True

    def blamed(self) -> set[str]:
        """After a failure: rules that led to it, and ends of domains by `NAME.min` and `NAME.max`; mostly enough for it."""
        if self._failed is None:
            return set()
        rule, waiting, limited = self._failed
        blamed, seen = {rule}, set[int]()
        if limited is not None:
            blamed.add(f"{self._engine._names[limited]}.max")
            waiting.add(limited)
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            name = self._engine._names[place]
            blamed.add(f"{name}.min")
            raiser = self._raised_by.get(place)
            if raiser is not None:
                blamed.add(raiser)
                waiting |= {p for part in self._engine._by_rule[raiser] for p in _mentioned(part)}
        return blamed

    def _start(self, bounds: Iterable[Bound], unbounded: frozenset[tuple[str, str]]) -> bool:
        grids = self._engine._grids
        self._free = unbounded
        for name, end in unbounded:
            if end == "min":
                self._index[self._engine._place[name]] = 0
            else:
                self._high[self._engine._place[name]] = None
        if self._place is not None:
            grid = grids[self._place]
            free_low, free_high = (grid.name, "min") in unbounded, (grid.name, "max") in unbounded
            self._index[self._place] = Fraction(0) if free_low else (grid.domain_low or Fraction(0)) / grid.unit
            self._above = grid.positive and not free_low and self._index[self._place] == 0
            high = None if free_high or grid.domain_high is None else grid.domain_high / grid.unit
            self._high[self._place] = high
        for bound in bounds:
            place = self._engine._place[bound.name]
            unit = grids[place].unit
            if bound.high is not None:
                self._limit(place, bound.high / unit, open_end=bound.high_open)
            if bound.low is not None and not self._raise(place, bound.low / unit, open_end=bound.low_open):
                return False
        return all(self._inside(place) for place in range(len(self._index)))

    def _limit(self, place: int, high: Fraction, *, open_end: bool) -> None:
        if place == self._place:
            old = self._high[place]
            if old is None or high < old:
                self._high[place], self._high_open = high, open_end
            elif high == old:
                self._high_open = self._high_open or open_end
            return
        whole = math.ceil(high) - 1 if open_end else math.floor(high)
        old = self._high[place]
        self._high[place] = whole if old is None else min(old, whole)

    def _inside(self, place: int) -> bool:
        high = self._high[place]
        if high is None:
            return True
        if place == self._place and self._index[place] == high:
            return not self._above and not self._high_open
        return self._index[place] <= high

    def _raise(self, place: int, to: Fraction | int, *, open_end: bool) -> bool:
        """Raise an index to the next value that is at least (or above) `to`; False: there is none."""
        if place == self._place:
            if to > self._index[place] or (to == self._index[place] and open_end and not self._above):
                self._index[place], self._above = Fraction(to), open_end
            return self._inside(place)
        whole = math.floor(to) + 1 if open_end else math.ceil(to)
        if whole <= self._index[place]:
            return True
        grid = self._engine._grids[place]
        if grid.listed is not None and not (whole < grid.listed[0] and (grid.name, "min") in self._free):
            found = grid.at_least(whole)
            if found is None and (grid.name, "max") not in self._free:
                return False
            whole = whole if found is None else found
        self._index[place] = whole
        return self._inside(place)

    def _mend(self, row: _Row | _Curve) -> bool | None:
        """Whether something was raised; None: the inequality cannot be mended."""
        if isinstance(row, _Curve):
            return self._mend_curve(row)
        index = self._index
        total: int | Fraction = row.rest
        touches = False
        for place, coefficient in row.grows:
            total += coefficient * index[place]
            touches = touches or place == self._place
        if row.guard is not None:
            terms, rest = row.guard
            left = rest + sum(c * index[p] for p, c in terms)
            if left < 0 or (left == 0 and not (self._above and any(p == self._place for p, _ in terms))):
                return False
        strict = row.strict or (touches and self._above)
        if row.raises is None:
            return None if total > 0 or (total == 0 and strict) else False
        reached = row.by * index[row.raises]
        if reached > total or (reached == total and (not strict or (row.raises == self._place and self._above))):
            return False
        if row.raises == self._place:
            return True if self._raise(row.raises, Fraction(total) / row.by, open_end=strict) else None
        to = math.floor(total / row.by) if isinstance(total, Fraction) else total // row.by
        if strict or to * row.by < total:
            to += 1
        return True if self._raise(row.raises, to, open_end=False) else None

    def _mend_curve(self, row: _Curve) -> bool | None:
        left, rising = self._left_of(row)
        if left is Special.MINUS:
            return False
        if not isinstance(left, Fraction):
            return None
        needed = [(left, row.strict)]
        if row.margin is not None:
            needed.append((with_margin(left, row.margin, Fraction(1)), False))
        level = self._levels.get(row.rule, 0)
        if level and row.aim.amount and (row.aim.is_relative or left > 0 or rising):
            needed.append((with_margin(left, row.aim, Fraction(level, 1000)), False))
        target = max(n for n, _ in needed)
        strict = rising or any(s for n, s in needed if n == target)
        if row.rule in self._shares:
            target /= 1 + self._shares[row.rule]
        if row.raises is None:
            return None if row.rest < target or (row.rest == target and strict) else False
        to = (target - row.rest) / row.by
        here, above = self._index[row.raises], row.raises == self._place and self._above
        if here > to or (here == to and (not strict or above)):
            return False
        if row.raises == self._place:
            return True if self._raise(row.raises, to, open_end=strict) else None
        whole = math.floor(to) + 1 if strict else math.ceil(to)
        return True if self._raise(row.raises, whole, open_end=False) else None

    def _left_of(self, row: _Curve) -> tuple[Extended, bool]:
        """The value of the left side, and whether it is in truth just above that, since a continuous parameter is."""
        engine = self._engine
        values: dict[str, Value | tuple[Fraction, Fraction]] = dict(engine._constants.values)
        for place in row.grows:
            values[engine._names[place]] = engine._grids[place].unit * self._index[place]
        left = evaluate(row.left, World(values=values, bound=engine._constants.bound), Side.UPPER)
        if self._place is None or self._place not in row.grows:
            return left, False
        name, unit = engine._names[self._place], engine._grids[self._place].unit
        if any(isinstance(a, Apply) and name in _names(a) for a in row.left.atoms()):
            raise Stalled  # a function of a continuous parameter has no slope to go by
        values[name] = unit * (self._index[self._place] + 1)
        further = evaluate(row.left, World(values=values, bound=engine._constants.bound), Side.UPPER)
        return left, self._above and further != left


def _reaches(edges: Mapping[int, set[int]], start: int) -> bool:
    """Whether a way leads from a place back to itself."""
    seen: set[int] = set()
    waiting = list(edges[start])
    while waiting:
        place = waiting.pop()
        if place == start:
            return True
        if place not in seen:
            seen.add(place)
            waiting += edges[place]
    return False


def _names(atom: Apply) -> set[str]:
    return {a.name for p in atom.arguments for a in p.all_atoms() if isinstance(a, Var)}


def _mentioned(part: _Source | _Curve) -> set[int]:
    """The indices on the smaller side of an inequality."""
    return {*part.left, *part.scale} if isinstance(part, _Source) else set(part.grows)


def _reads(row: _Row | _Curve) -> set[int]:
    if isinstance(row, _Curve):
        return set(row.grows)
    guard = () if row.guard is None else row.guard[0]
    return {p for p, _ in (*row.grows, *guard)}


def _source(
    part: Inequality, rule: NormalRule, place: Mapping[str, int], grids: Mapping[str, Grid], encoder: Encoder
) -> list[_Source] | None:
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
    made = [_Source(rule.id, *sides, part.strict, rule.rule.margin, rule.rule.aim)]
    for divisor in piece.divisors:
        terms, rest = _indices(divisor, place, grids)
        if len(terms) > 1 or any(c < 0 for c in terms.values()):
            return None
        sides = _whole_sides(({}, Fraction(0)), (terms, rest), ({}, Fraction(1)))
        made.append(_Source(rule.id, *sides, True, None, Margin(Fraction(0), None)))
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


def _rows_of(source: _Source, level: int, part: Fraction) -> list[_Row]:
    """The rows of a source, with only a part of the smaller side in place of a larger right side."""
    rows = [_row(source, part, Fraction(0), source.strict)]
    if source.margin is not None:
        rows.append(_asking(source, source.margin, Fraction(1), part, guarded=False))
    if level and source.aim.amount:
        rows.append(_asking(source, source.aim, Fraction(level, 1000), part, guarded=not source.aim.is_relative))
    return rows


def _asking(source: _Source, margin: Margin, share: Fraction, part: Fraction, *, guarded: bool) -> _Row:
    if margin.is_relative:
        return _row(source, part * (1 + share * margin.amount), Fraction(0), strict=False)
    return _row(source, part, part * share * margin.amount, strict=False, guarded=guarded)


def _row(source: _Source, factor: Fraction, added: Fraction, strict: bool, *, guarded: bool = False) -> _Row:
    """factor · left + added · scale − right below 0, multiplied by the denominators."""
    of_right = factor.denominator * added.denominator
    of_left, of_scale = factor.numerator * added.denominator, added.numerator * factor.denominator
    terms = {p: of_left * c for p, c in source.left.items()}
    for sign, side in ((of_scale, source.scale), (-of_right, source.right)):
        if sign:
            for place, c in side.items():
                terms[place] = terms.get(place, 0) + sign * c
    raises = next((p for p, c in terms.items() if c < 0), None)
    return _Row(
        source.rule,
        tuple(sorted((p, c) for p, c in terms.items() if c > 0)),
        of_left * source.left_rest + of_scale * source.scale_rest - of_right * source.right_rest,
        raises,
        -terms[raises] if raises is not None else 0,
        strict,
        (tuple(sorted(source.left.items())), source.left_rest) if guarded else None,
    )


def _curve(
    part: Inequality, rule: NormalRule, place: Mapping[str, int], grids: Mapping[str, Grid], encoder: Encoder
) -> _Curve | None:
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
    return _Curve(rule.id, part.left, reads, raises, by, rest, part.strict, rule.rule.margin, rule.rule.aim)


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
