"""The least point of a monotone component, without z3.

A component is monotone when each inequality's larger side holds at most one free parameter and its smaller side grows with its own. Solutions are then closed
under taking the smaller value of each parameter, so that a least one exists: start at the lowest values and raise the parameter on the larger side of a broken inequality to the next
value that mends it, until nothing is broken or a limit is (a Kleene iteration; Knaster and Tarski's fixpoint theorem).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from fractions import Fraction

from outlast.constraints.evaluate import Extended, Side, Special, World, evaluate, with_margin
from outlast.constraints.normal import All, Inequality, NormalRule
from outlast.constraints.polynomial import Apply, Var
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record
from outlast.solver.cases import TooManyCasesError
from outlast.solver.constants import Constants
from outlast.solver.encode import Encoder
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits
from outlast.solver.line import Reach
from outlast.solver.paths import Border, Failure, path_of
from outlast.solver.rows import Curve, Row, Source, curve_of, mentioned, reads, row_at, rows_of, source_of
from outlast.solver.straight import Edge

__all__ = ["Bound", "LeastPoint", "Monotone", "Stalled", "Standing", "Step"]


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


@record
class Step:
    """A rule raises a parameter to a number, or (None) can no longer be mended."""

    rule: str
    name: str | None
    to: Fraction


class Stalled(Exception):  # noqa: N818  # a turn in the search, not an error
    """The iteration creeps step by step, as round trips through several inequalities do; another engine has to answer."""


class Monotone:
    """The engine of one component; build it with `Monotone.of`, which tells whether the component is monotone."""

    def __init__(
        self,
        names: Sequence[str],
        grids: Mapping[str, Grid],
        sources: Sequence[Source],
        curves: Sequence[Curve],
        constants: Constants,
        limits: Limits,
        rounded_down: frozenset[str],
    ) -> None:
        self._names = names
        self._grids = [grids[n] for n in names]
        self._place = {n: i for i, n in enumerate(names)}
        self._rounded_down = frozenset(self._place[n] for n in rounded_down)
        self._constants = constants
        self._limits = limits
        self._by_rule: dict[str, list[Source | Curve]] = {}
        every: list[Source | Curve] = [*sources, *curves]
        for source in every:
            self._by_rule.setdefault(source.rule, []).append(source)
        self._cyclic: frozenset[str] | None = None
        self._lows = [g.listed[0] if g.listed else g.low for g in self._grids]
        self._highs = [g.listed[-1] if g.listed else g.high for g in self._grids]
        #: Those without a value; some may have one where an end of their domain is left out.
        self._doubtful = [
            p
            for p, (low, high) in enumerate(zip(self._lows, self._highs, strict=True))
            if high is not None and low > high
        ]
        self._is_empty = any(g.listed == () for g in self._grids)
        #: The rules whose smaller side, or guard, mentions each index.
        self._readers: list[list[str]] = [[] for _ in names]
        for rule, parts in self._by_rule.items():
            for place in sorted({p for part in parts for p in mentioned(part)}):
                self._readers[place].append(rule)
        self._rows: dict[tuple[str, int, Fraction | None], tuple[Row | Curve, ...]] = {}
        #: Those without a level or a share, by rule.
        self._plain_rows: dict[str, tuple[Row | Curve, ...]] = {}

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        grids: Mapping[str, Grid],
        rules: Iterable[NormalRule],
        encoder: Encoder,
        constants: Constants,
        limits: Limits,
        rounded_down: frozenset[str] = frozenset(),
    ) -> Monotone | None:
        """The engine, or None if the component is not monotone.

        Parameters that are `rounded_down` are raised to the last index that is no higher than needed: what is found is then no higher than the least
        point, and if nothing is, there is none.
        """
        if any(grids[n].specials for n in names):
            return None
        place = {n: i for i, n in enumerate(names)}
        sources: list[Source] = []
        curves: list[Curve] = []
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
                found = source_of(part, rule, place, grids, encoder)
                if found is not None:
                    sources += found
                    continue
                curve = curve_of(part, rule, place, grids, encoder)
                if curve is None:
                    return None
                curves.append(curve)
        return cls(names, grids, sources, curves, constants, limits, rounded_down)

    def least(
        self,
        rules: Iterable[str],
        levels: Mapping[str, int],
        bounds: Collection[Bound] = (),
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
        bounds: Collection[Bound] = (),
        continuous: str | None = None,
        unbounded: frozenset[tuple[str, str]] = frozenset(),
        shares: Mapping[str, Fraction] | None = None,
    ) -> bool:
        """Whether `least` would find a point."""
        self._limits.check()
        return _Run(self, rules, levels, continuous, shares).ends(bounds, unbounded)

    def standing(
        self,
        rules: Iterable[str],
        levels: Mapping[str, int],
        bounds: Collection[Bound] = (),
        continuous: str | None = None,
    ) -> Standing | None:
        """The least point at which the rules hold at their levels, to go on from; None: there is none.

        Raises:
            Stalled, Undecided: as `least`.
        """
        self._limits.check()
        run = _Run(self, rules, levels, continuous)
        return Standing(run) if run.ends(bounds, frozenset()) else None

    def blame(
        self,
        rules: Iterable[str],
        bounds: Collection[Bound],
        continuous: str | None = None,
        levels: Mapping[str, int] | None = None,
    ) -> set[str] | None:
        """Rules, and ends of domains as `NAME.min` and `NAME.max`, that led to there being no point; None: there is one.

        Raises:
            Stalled, Undecided: as `least`.
        """
        run = _Run(self, rules, levels or {}, continuous)
        return None if run.ends(bounds, frozenset()) else run.blamed()

    def needed(
        self, rules: Sequence[str], bounds: Collection[Bound], continuous: str | None = None
    ) -> tuple[set[str], set[tuple[str, str]]] | None:
        """The only minimal set, among what led to there being no point, of rules and ends of domains that excludes one; None: there is more than one, or that is not soon told.

        Raises:
            Stalled, Undecided: as `least`.
        """
        run = _Run(self, rules, {}, continuous)
        begun = run.begin(bounds)
        if begun is None:
            end = self._end_against(rules, bounds, continuous)
            return None if end is None else (set(), {end})
        failure = None if run._settles(run._rules) else run.failure(begun, bounds)
        path = None if failure is None else path_of(failure, self._plain, self._grids, run._place)
        if failure is None or path is None:
            return None
        blamed = run.blamed()
        others = [r for r in rules if r in blamed and r not in path.rules]
        if others:
            if not path.is_alone((row for r in others for row in self._plain(r)), failure.limited):
                return None
            if not self.possible([*others, *path.rules[1:]], {}, bounds, continuous):
                return None
        return set(path.rules), {(self._names[p], end) for p, end in path.ends}

    def _end_against(
        self, rules: Sequence[str], bounds: Collection[Bound], continuous: str | None
    ) -> tuple[str, str] | None:
        """The end of a domain that excludes what was asked for all by itself, where nothing else does; None: there is none."""
        for name in sorted({b.name for b in bounds}):
            for end, other in (("min", "max"), ("max", "min")):
                is_alone = not self.possible((), {}, bounds, continuous, frozenset({(name, other)}))
                if is_alone and self.possible(rules, {}, bounds, continuous, frozenset({(name, end)})):
                    return name, end
        return None

    def _plain(self, rule: str) -> tuple[Row | Curve, ...]:
        return self.rows(rule, 0, None)

    def derivation(self, rules: Iterable[str], levels: Mapping[str, int]) -> list[Step]:
        """Why there is no point, step by step: a rule, and the parameter that it raises to a number; the last cannot hold any more.

        Each follows from its rule, the domains and the numbers before it. Empty: there is a point, or a domain is empty by itself.

        Raises:
            Stalled, Undecided: as `least`.
        """
        run = _Run(self, rules, levels, None)
        run.steps = []
        if run.ends((), frozenset()) or run._failed is None:
            return []
        raised = [Step(rule, self._names[p], self._grids[p].unit * index) for rule, p, index in run.steps]
        return [*raised, Step(run._failed[0], None, Fraction(0))]

    def are_sums(self, rules: Iterable[str]) -> bool:
        """Whether all inequalities of the rules are sums."""
        return all(isinstance(part, Source) for rule in rules for part in self._by_rule.get(rule, ()))

    def edges(self, rules: Iterable[str], name: str, values: Mapping[str, Value]) -> list[Edge]:
        """Where the inequalities of rules end along a parameter, the others at these numbers; those that are sums, without levels."""
        moving, unit = self._place[name], self._grids[self._place[name]].unit
        found: list[Edge] = []
        for rule in rules:
            for row in self.rows(rule, 0, None):
                if isinstance(row, Row) and (moving == row.raises or any(p == moving for p, _ in row.grows)):
                    total, slope = Fraction(row.rest), 0
                    for place, coefficient in (*row.grows, *(() if row.raises is None else ((row.raises, -row.by),))):
                        if place == moving:
                            slope = coefficient
                        else:
                            total += coefficient * self._index_of(place, values)
                    found.append(Edge(rule, -total * unit / slope, slope > 0, row.strict))
        return found

    def _index_of(self, place: int, values: Mapping[str, Value]) -> Fraction:
        value = values[self._names[place]]
        assert not isinstance(value, Sentinel)  # nothing of a monotone component is
        return value / self._grids[place].unit

    def on_a_cycle(self) -> frozenset[str]:
        """The parameters that can raise themselves through others, so that steps may leave gaps in their ranges."""
        if self._cyclic is None:
            raises: dict[int, set[int]] = {p: set() for p in range(len(self._names))}
            for sources in self._by_rule.values():
                for source in sources:
                    targets = (
                        source.right if isinstance(source, Source) else [] if source.raises is None else [source.raises]
                    )
                    for reader in mentioned(source):
                        raises[reader].update(targets)
            self._cyclic = frozenset(self._names[p] for p in raises if _reaches(raises, p))
        return self._cyclic

    def rows(self, rule: str, level: int, share: Fraction | None) -> tuple[Row | Curve, ...]:
        """The inequalities of a rule at a level, its larger side increased by a share."""
        key = (rule, level, share)
        known = self._rows.get(key)
        if known is None:
            part = Fraction(1) if share is None else 1 / (1 + share)
            if level:
                sources = (s for s in self._by_rule.get(rule, ()) if isinstance(s, Source))
                more = (row_at(source, level, part) for source in sources)
                known = (*self.rows(rule, 0, share), *(row for row in more if row is not None))
            else:
                known = tuple(
                    row
                    for source in self._by_rule.get(rule, ())
                    for row in ((source,) if isinstance(source, Curve) else rows_of(source, part))
                )
                if share is None:
                    self._plain_rows[rule] = known
            self._rows[key] = known
        return known


class Standing:
    """The least point under some bounds, from which those under closer ones are found without beginning anew."""

    def __init__(self, run: _Run) -> None:
        self._run = run

    @property
    def point(self) -> LeastPoint:
        """The point itself."""
        return self._run.point

    def value(self, name: str) -> Fraction:
        """The value of one parameter there."""
        place = self._run._engine._place[name]
        return self._run._engine._grids[place].unit * self._run._index[place]

    def is_above(self, name: str) -> bool:
        """Whether the parameter, taken off its step, only comes arbitrarily close to that value."""
        return self._run._above and self._run._engine._place[name] == self._run._place

    def narrowed(self, *bounds: Bound, levels: Mapping[str, int] | None = None) -> Standing | None:
        """The least point under further bounds, and at levels of which none is lower; None: there is none.

        Raises:
            Stalled, Undecided: as `Monotone.least`.
        """
        self._run._engine._limits.check()
        run = self._run.narrowed(bounds, levels)
        return None if run is None else Standing(run)

    def end_beyond(self, name: str) -> Reach:
        """A number beyond which no solution goes, the parameter taken off its step from here on; by sums alone, None: they set none."""
        place = self._run._engine._place[name]
        end = self._run.end_beyond(place)
        return end if end.at is None else Reach(end.at * self._run._engine._grids[place].unit, end.is_open)

    def greatest(self, name: str) -> Standing | None:
        """The least point at which the parameter, on its step, is as great as can be; None: its limit is not told by sums.

        Raises:
            Stalled, Undecided: as `Monotone.least`.
        """
        run, place = self._run, self._run._engine._place[name]
        ceiling = run.ceiling(place)
        if ceiling is None:
            return None
        if ceiling <= run._index[place]:
            return self
        unit = run._engine._grids[place].unit
        best, wall, at = self, ceiling + 1, ceiling
        while wall - best._run._index[place] > 1:
            found = best.narrowed(Bound(name=name, low=unit * at))
            if found is None:
                wall = at
            else:
                best = found
            at = int(wall + best._run._index[place]) // 2
        return best


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
        self._active = frozenset(self._rules)
        self._read_by: dict[int, list[tuple[Row, int]]] = {}
        self._index: list[int | Fraction] = list(engine._lows)
        self._high: list[int | Fraction | None] = list(engine._highs)
        self._high_open = False
        #: Whether the continuous parameter is only approached from above.
        self._above = False
        self._free: frozenset[tuple[str, str]] = frozenset()
        #: The rule that raised each index last.
        self._raised_by: dict[int, str] = {}
        #: Each rule that raised an index, and to what, in order; None: nobody asks.
        self.steps: list[tuple[str, int, int | Fraction]] | None = None
        #: The rule that could not be mended, the indices that it reads, and the one whose limit was passed.
        self._failed: tuple[str, set[int], int | None] | None = None

    def least(self, bounds: Collection[Bound], unbounded: frozenset[tuple[str, str]]) -> LeastPoint | None:
        """Where it ends; None: nowhere."""
        return self.point if self.ends(bounds, unbounded) else None

    @property
    def point(self) -> LeastPoint:
        """Where it has ended."""
        names, grids = self._engine._names, self._engine._grids
        values = {n: g.unit * k for n, g, k in zip(names, grids, self._index, strict=True)}
        above = frozenset([names[self._place]]) if self._place is not None and self._above else frozenset[str]()
        return LeastPoint(values=values, above=above)

    def ends(self, bounds: Collection[Bound], unbounded: frozenset[tuple[str, str]]) -> bool:
        """Iterate until nothing is broken (True) or something cannot be mended."""
        if self._engine._is_empty or not self._start(bounds, unbounded):
            return False
        return self._settles(self._rules)

    def _settles(self, rules: Iterable[str]) -> bool:
        """Mend these rules and those that this breaks, until nothing is broken or something cannot be mended."""
        engine, active, index = self._engine, self._active, self._index
        levels, shares = self._levels, self._shares
        plain = {} if levels or shares else engine._plain_rows
        waiting = deque(rules)
        queued = set(waiting)
        budget = 200 + 60 * len(self._rules)
        while waiting:
            rule = waiting.popleft()
            queued.discard(rule)
            for row in plain.get(rule) or engine.rows(rule, levels.get(rule, 0), shares.get(rule)):
                if isinstance(row, Row):  # most are kept by far, which is quickly seen here
                    total: int | Fraction = row.rest
                    for place, coefficient in row.grows:
                        total += coefficient * index[place]
                    if total < (0 if row.raises is None else row.by * index[row.raises]):
                        continue
                    raised = self._mend(row, total)
                else:
                    raised = self._mend_curve(row)
                if raised is None:
                    self._failed = (rule, reads(row), row.raises)
                    return False
                if not raised:
                    continue
                assert row.raises is not None
                self._raised_by[row.raises] = rule
                if self.steps is not None:
                    self.steps.append((rule, row.raises, index[row.raises]))
                budget -= 1
                if budget < 0:
                    raise Stalled
                for reader in engine._readers[row.raises]:
                    if reader in active and reader not in queued:
                        queued.add(reader)
                        waiting.append(reader)
        return True

    def ceiling(self, place: int) -> int | None:
        """An index that no solution goes beyond, by sums alone, where the run has ended; None: they set none."""
        return self._highs_from(place)[place]

    def end_beyond(self, place: int) -> Reach:
        """The same for an index off its step."""
        highs = self._highs_from(place)
        del highs[place]
        found = [
            (Fraction(room, coefficient) + self._index[place], not row.strict)
            for row, coefficient in self._reading(place)
            if (room := self._room(row, highs)) is not None
        ]
        if not found:
            return Reach(None, is_open=True)
        at, is_closed = min(found)
        return Reach(at, is_open=not is_closed)

    def _highs_from(self, start: int) -> dict[int, int | None]:
        """Each inequality holds its smaller side by what is the highest of its larger one, so that those are looked at first; round trips are not followed."""
        highs: dict[int, int | None] = {}
        waiting = [start]
        begun: set[int] = set()
        while waiting:
            here = waiting[-1]
            if here in highs:
                waiting.pop()
            elif here in begun:
                highs[here] = self._ceiling_by(here, highs)
                waiting.pop()
            else:
                begun.add(here)
                raised = (row.raises for row, _ in self._reading(here))
                waiting += (p for p in raised if p is not None and p not in begun)
        return highs

    def _room(self, row: Row, highs: Mapping[int, int | None]) -> int | None:
        """What a sum leaves its smaller side to grow by; None: without end."""
        most = 0
        if row.raises is not None:
            above = highs.get(row.raises)
            if above is None:
                return None
            most = above * row.by
        return most - row.rest - sum(c * int(self._index[p]) for p, c in row.grows)

    def _ceiling_by(self, place: int, highs: Mapping[int, int | None]) -> int | None:
        """The ceiling of one index by those that are known."""
        lowest, high = int(self._index[place]), self._high[place]
        ends = [] if high is None else [int(high)]
        for row, coefficient in self._reading(place):
            room = self._room(row, highs)
            if room is not None:
                ends.append(lowest + (room - (1 if row.strict else 0)) // coefficient)
        if not ends:
            return None
        grid = self._engine._grids[place]
        return min(ends) if grid.listed is None else grid.at_most(min(ends))

    def _applies(self, row: Row) -> bool:
        """Whether a sum counts here, and so wherever indices are greater."""
        if row.guard is None:
            return True
        terms, rest = row.guard
        return rest + sum(c * self._index[p] for p, c in terms) > 0

    def _reading(self, place: int) -> list[tuple[Row, int]]:
        """The sums whose smaller side grows with an index and that apply, each with its coefficient."""
        if place not in self._read_by:
            rows = (
                row
                for rule in self._engine._readers[place]
                if rule in self._active
                for row in self._engine.rows(rule, self._levels.get(rule, 0), self._shares.get(rule))
            )
            self._read_by[place] = [
                (row, c)
                for row in rows
                if isinstance(row, Row) and row.guard is None
                for p, c in row.grows
                if p == place
            ]
        return self._read_by[place]

    def narrowed(self, bounds: Collection[Bound], levels: Mapping[str, int] | None = None) -> _Run | None:
        """The same after it has ended, with further bounds or higher levels: it need not begin anew, since indices only rise; None: nothing is left."""
        run, engine = copy(self), self._engine
        run._read_by = {}
        run._index, run._high, run._raised_by = list(self._index), list(self._high), dict(self._raised_by)
        changed: dict[str, None] = {}
        if levels is not None:
            run._levels = levels
            changed = dict.fromkeys(r for r in self._rules if levels.get(r, 0) != self._levels.get(r, 0))
        if not run._bind(bounds):
            return None
        for place in sorted({engine._place[b.name] for b in bounds}):
            if not run._inside(place):
                return None
            if run._index[place] != self._index[place] or (place == self._place and run._above is not self._above):
                changed.update((r, None) for r in engine._readers[place] if r in self._active)
        return run if run._settles(changed) else None

    def begin(self, bounds: Collection[Bound]) -> list[Border] | None:
        """Where each index begins; None: something is excluded from the start."""
        if self._engine._is_empty or not self._start(bounds, frozenset()):
            return None
        begun = [Border(at) for at in self._index]
        if self._place is not None:
            begun[self._place] = Border(self._index[self._place], self._above)
        return begun

    def failure(self, begun: Sequence[Border], bounds: Collection[Bound]) -> Failure | None:
        """After a failure: how it came about."""
        if self._failed is None:
            return None
        grids = self._engine._grids

        def asked(place: int) -> Border:
            edges = [
                Border(b.low / grids[place].unit, b.low_open)
                for b in bounds
                if b.name == grids[place].name and b.low is not None
            ]
            low = max(edges, key=lambda e: (e.at, e.is_open), default=Border(0))
            if place == self._place:
                return low
            return Border(math.floor(low.at) + 1 if low.is_open else math.ceil(low.at))

        rule, _, limited = self._failed
        limit, is_of_domain = None, False if limited is None else self._is_of_domain(limited, bounds)
        if limited is not None and (high := self._high[limited]) is not None:
            last = high if grids[limited].listed is None else grids[limited].at_most(math.floor(high))
            limit = None if last is None else Border(last, limited == self._place and self._high_open)
        if limited is not None and limit is None:
            return None
        return Failure(
            rule=rule, limited=limited, limit=limit, raised_by=self._raised_by, begun=begun, begun_without=asked,
            is_of_domain=is_of_domain,
        )  # fmt: skip

    def _is_of_domain(self, place: int, bounds: Collection[Bound]) -> bool | None:
        """Whether only the domain limits an index, or only what was asked for; None: both."""
        grid = self._engine._grids[place]
        asked = [b.high for b in bounds if b.name == grid.name and b.high is not None]
        if not asked:
            return True
        return False if grid.domain_high is None or min(asked) < grid.domain_high else None

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
                waiting |= {p for part in self._engine._by_rule[raiser] for p in mentioned(part)}
        return blamed

    def _start(self, bounds: Collection[Bound], unbounded: frozenset[tuple[str, str]]) -> bool:
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
        if not self._bind(bounds):
            return False
        changed = {self._engine._place[b.name] for b in bounds} | ({self._place} if self._place is not None else set())
        return all(self._inside(place) for place in (*changed, *self._engine._doubtful))

    def _bind(self, bounds: Iterable[Bound]) -> bool:
        """Keep to these bounds; False: they leave nothing."""
        grids = self._engine._grids
        for bound in bounds:
            place = self._engine._place[bound.name]
            unit = grids[place].unit
            if place != self._place:
                if not self._bind_on_step(place, bound, unit):
                    return False
                continue
            if bound.high is not None:
                self._limit(bound.high / unit, open_end=bound.high_open)
            if bound.low is not None and not self._raise(place, bound.low / unit, open_end=bound.low_open):
                return False
        return True

    def _bind_on_step(self, place: int, bound: Bound, unit: Fraction) -> bool:
        """Keep an index to a bound; False: that leaves nothing."""
        if bound.high is not None:
            whole, rest = _divided(bound.high, unit)
            high = whole - 1 if bound.high_open and not rest else whole
            old = self._high[place]
            self._high[place] = high if old is None else min(old, high)
        if bound.low is None:
            return True
        whole, rest = _divided(bound.low, unit)
        return self._raise(place, whole + 1 if rest or bound.low_open else whole, open_end=False)

    def _limit(self, high: Fraction, *, open_end: bool) -> None:
        """Keep the index that is off its step to an end."""
        assert self._place is not None
        old = self._high[self._place]
        if old is None or high < old:
            self._high[self._place], self._high_open = high, open_end
        elif high == old:
            self._high_open = self._high_open or open_end

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

    def _raise_down(self, place: int, to: int) -> bool | None:
        """Raise an index no higher than needed; as `_mend` tells."""
        if to <= self._index[place]:
            return False
        return True if self._raise(place, to, open_end=False) else None

    def _mend(self, row: Row, total: int | Fraction) -> bool | None:
        """Whether something was raised; None: the inequality cannot be mended. `total` is what its smaller side comes to."""
        index = self._index
        if row.guard is not None:
            terms, rest = row.guard
            left = rest + sum(c * index[p] for p, c in terms)
            if left < 0 or (left == 0 and not (self._above and any(p == self._place for p, _ in terms))):
                return False
        strict = row.strict or (self._above and any(p == self._place for p, _ in row.grows))
        if row.raises is None:
            return None if total > 0 or (total == 0 and strict) else False
        reached = row.by * index[row.raises]
        if reached > total or (reached == total and (not strict or (row.raises == self._place and self._above))):
            return False
        if row.raises == self._place:
            return True if self._raise(row.raises, Fraction(total) / row.by, open_end=strict) else None
        to = math.floor(total / row.by) if isinstance(total, Fraction) else total // row.by
        if row.raises in self._engine._rounded_down:
            return self._raise_down(row.raises, to)
        if strict or to * row.by < total:
            to += 1
        return True if self._raise(row.raises, to, open_end=False) else None

    def _mend_curve(self, row: Curve) -> bool | None:
        """The same for one that is evaluated."""
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
        if row.raises in self._engine._rounded_down:
            return self._raise_down(row.raises, math.floor(to))
        whole = math.floor(to) + 1 if strict else math.ceil(to)
        return True if self._raise(row.raises, whole, open_end=False) else None

    def _left_of(self, row: Curve) -> tuple[Extended, bool]:
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


def _divided(value: Fraction, unit: Fraction) -> tuple[int, int]:
    """How often a unit goes into a value, and whether something is left (0: nothing)."""
    return divmod(value.numerator * unit.denominator, value.denominator * unit.numerator)


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
