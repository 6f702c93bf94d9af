"""How far one parameter may move: the ends of its range, exactly, and what holds them there."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from outlast.constraints.errors import OutlastError
from outlast.constraints.quantities import Sentinel, Value
from outlast.solver.encode import Demand, Encoder
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits
from outlast.solver.line import Line, Reach, TooFineError, holds
from outlast.solver.logic import Logic
from outlast.solver.monotone import Stalled, Standing
from outlast.solver.outcome import End, Range
from outlast.solver.problem import Bound, Component, Is, Point, Restriction
from outlast.solver.straight import Edge, Straight
from outlast.solver.subsets import minimal_infeasible
from outlast.solver.tracked import Tracked, domain_items

__all__ = ["Ranges", "extreme"]

#: Beyond this many steps nothing limits a parameter: numbers of 64 bits multiply to no bound as far out.
_FAR = 10**40

#: Stretches looked at before gaps are left unexamined.
_MOST_STRETCHES = 24


def extreme(
    component: Component,
    rules: Sequence[str],
    name: str,
    start: Fraction,
    restrictions: Sequence[Restriction],
    *,
    upward: bool,
    levels: Mapping[str, int] | None = None,
    standing: Standing | None = None,
) -> Fraction | None:
    """The smallest or greatest number of the grid that is possible, from one that is; None: nothing limits it upwards.

    `standing` is the least point of all this, where it is known.
    """
    if standing is None:
        standing = component.standing(rules, levels or {}, restrictions)
    if standing is not None:
        with suppress(Stalled):
            end = standing.greatest(name) if upward else standing
            if end is not None:
                return end.value(name)
    return _Extreme(component, rules, name, levels or {}, restrictions).find(start, upward=upward)


class _Extreme:
    """Gallops, then bisects, along the grid of one parameter."""

    def __init__(
        self,
        component: Component,
        rules: Sequence[str],
        name: str,
        levels: Mapping[str, int],
        restrictions: Sequence[Restriction],
    ) -> None:
        self._component = component
        self._rules = rules
        self._name = name
        self._levels = levels
        self._restrictions = restrictions
        self._grid = component.grids[name]

    def find(self, start: Fraction, *, upward: bool) -> Fraction | None:
        grid = self._grid
        if upward and grid.high is None and grid.listed is None and self._beyond(_FAR, upward=True) is not None:
            return None
        best = self._position(start)
        last = self._last(upward=upward)
        wall: int | None = None
        if last is None or (not upward and self._component.monotone is not None):
            best, wall = self._gallop(best, last, upward=upward)
        elif best != last:
            if (found := self._beyond(last, upward=upward)) is not None:
                return self._number(found)
            wall = last
        while wall is not None and abs(wall - best) > 1:
            middle = (wall + best) // 2 if upward else -((-wall - best) // 2)
            found = self._beyond(middle, upward=upward)
            if found is None:
                wall = middle
            else:
                best = found
        return self._number(best)

    def _gallop(self, best: int, last: int | None, *, upward: bool) -> tuple[int, int | None]:
        """Go on in steps that double; where nothing was found any more is the wall."""
        step = 1
        while best != last:
            target = best + step if upward else max(best - step, last or 0)
            found = self._beyond(target, upward=upward)
            if found is None:
                return best, target
            best, step = found, step * 2
        return best, None

    def _beyond(self, position: int, *, upward: bool) -> int | None:
        """The position of a point at that position or further; None: there is none."""
        edge = self._number(position)
        bound = Bound(name=self._name, low=edge) if upward else Bound(name=self._name, high=edge)
        point = self._component.find(self._rules, self._levels, [*self._restrictions, bound])
        return None if point is None else self._position(number(point.values[self._name]))

    def _position(self, value: Fraction) -> int:
        index = int(value / self._grid.unit)
        return index if self._grid.listed is None else self._grid.listed.index(index)

    def _number(self, position: int) -> Fraction:
        return self._grid.unit * (position if self._grid.listed is None else self._grid.listed[position])

    def _last(self, *, upward: bool) -> int | None:
        if self._grid.listed is not None:
            return len(self._grid.listed) - 1 if upward else 0
        return self._grid.high if upward else self._grid.low


class Ranges:
    """The ranges of one component's parameters, once with the others free, once with the others as recommended."""

    def __init__(self, component: Component, rules: Sequence[str]) -> None:
        self._component = component
        self._rules = rules
        self._tracked: dict[tuple[bool, str | None], Tracked] = {}
        self._logics: dict[str, list[Logic] | None] = {}
        engine = component.monotone
        #: The engine of least points, where all it knows of the rules are sums.
        self._sums = engine if engine is not None and engine.are_sums(rules) else None
        self._has_stood = False
        self._least: Standing | None = None
        #: The ends of domains that say something, by item.
        self._domain_ends = {
            i: (n, i.rpartition(".")[2]) for n in component.names for i, _ in domain_items(component.grids[n])
        }

    def of(self, name: str, others: Sequence[Restriction] = ()) -> Range:
        """The range of a parameter; `others` holds the other parameters where they stand still.

        Raises:
            Undecided: the limits struck.
        """
        try:
            return self._of(name, others)
        except TooFineError:
            self._logics[name] = None  # only the values on its step can be told
            return self._of(name, others)

    def alone(self, name: str, values: Mapping[str, Value]) -> Range:
        """The range of a parameter while all others stand at these values; no engine is needed for that."""
        grid = self._component.grids[name]
        others = {n: v for n, v in values.items() if n != name}
        line = self._line_by_rule(name, others)
        sentinels = tuple(x for x in grid.specials if line.allows(x))
        apart = self._sums is None and self._logics_of(name) is None and name in self._component.encoder.picked
        if grid.listed is not None or apart:
            # Off its step a parameter that products are taken apart by says nothing.
            listed = tuple(n for n in grid.numbers() if line.holds(n))
            low = high = None
            if listed:
                low = _alone_on_step(grid, listed[0], line, upward=False)
                high = _alone_on_step(grid, listed[-1], line, upward=True)
            kept = listed if grid.listed is not None else None
            return Range(low=low, high=high, gaps=None, listed=kept, sentinels=sentinels)
        start = Reach(grid.domain_low or Fraction(0), is_open=grid.positive)
        try:
            stretches = line.stretches(start, grid.domain_high)
        except TooFineError:
            return self.of(name, fixed(self._component, values, name))
        inside = [s for s in stretches if _on_step(grid, *s, upward=True) is not None]
        if not inside:
            return Range(low=None, high=None, gaps=None, listed=None, sentinels=sentinels)
        smallest, largest = _on_step(grid, *inside[0], upward=False), _on_step(grid, *inside[-1], upward=True)
        assert smallest is not None
        if grid.whole:
            low = _alone_on_step(grid, smallest, line, upward=False)
            high = _UNLIMITED if inside[-1][1].at is None else None
            if high is None:
                assert largest is not None
                high = _alone_on_step(grid, largest, line, upward=True)
            return Range(low=low, high=high, gaps=(), listed=None, sentinels=sentinels)
        low = _alone_end(grid, stretches[0][0], smallest, line, upward=False)
        high = _alone_end(grid, stretches[-1][1], largest, line, upward=True)
        gaps = tuple((a[1].at, b[0].at) for a, b in pairwise(stretches) if a[1].at is not None and b[0].at is not None)
        return Range(low=low, high=high, gaps=gaps, listed=None, sentinels=sentinels)

    def _line_by_rule(self, name: str, others: Mapping[str, Value]) -> _Ruled:
        """What the rules that mention a parameter say of it while all others stand still."""
        component = self._component
        speaking = [r for r in self._rules if name in component.encoder.names(component.rules[r])]
        if self._sums is not None:
            return _RuledBySums(speaking, self._sums.edges(speaking, name, others))
        along = self._logics_of(name)
        if along is None:
            along = [component.encoder.rule(component.rules[r], Demand()) for r in speaking]
        return _RuledByFormulas(name, dict(zip(speaking, along, strict=True)), others, component.limits)

    def _of(self, name: str, others: Sequence[Restriction]) -> Range:
        component, grid = self._component, self._component.grids[name]
        sentinels = tuple(s for s in grid.specials if self._possible([*others, Is(name, s)]))
        standing = self._standing(others)
        if standing is not None:
            value = standing.value(name)
        else:
            start = component.find(self._rules, {}, [*others, Bound(name=name)])
            if start is None:
                return Range(low=None, high=None, gaps=None, listed=None, sentinels=sentinels)
            value = number(start.values[name])
        smallest = extreme(component, self._rules, name, value, others, upward=False, standing=standing)
        largest = extreme(component, self._rules, name, value, others, upward=True, standing=standing)
        assert smallest is not None
        if grid.listed is not None:
            return self._of_list(grid, smallest, largest, others, sentinels)
        is_continuous = not grid.whole and self._may_be_between(name)
        low = self._end(grid, smallest, others, upward=False, is_continuous=is_continuous)
        high = _UNLIMITED
        if largest is not None:
            high = self._end(grid, largest, others, upward=True, is_continuous=is_continuous)
        gaps: tuple[tuple[Fraction, Fraction], ...] | None = ()
        if component.monotone is None or name in component.monotone.on_a_cycle():
            gaps = self._gaps(grid, low, high, others) if is_continuous else None
        return Range(low=low, high=high, gaps=gaps, listed=None, sentinels=sentinels)

    def _standing(self, others: Sequence[Restriction]) -> Standing | None:
        """The least point beside the others, found once."""
        if others:
            return self._component.standing(self._rules, {}, others)
        if not self._has_stood:
            self._has_stood, self._least = True, self._component.standing(self._rules, {})
        return self._least

    def _of_list(
        self,
        grid: Grid,
        smallest: Fraction,
        largest: Fraction | None,
        others: Sequence[Restriction],
        sentinels: tuple[Sentinel, ...],
    ) -> Range:
        assert largest is not None
        listed = tuple(
            n
            for n in grid.numbers()
            if smallest <= n <= largest and self._possible([*others, Bound(name=grid.name, low=n, high=n)])
        )
        ends = (
            self._named(grid, edge, others, continuous=None, upward=upward)
            for edge, upward in ((smallest, False), (largest, True))
        )
        low, high = ends
        return Range(low=low, high=high, gaps=None, listed=listed, sentinels=sentinels)

    def _possible(self, restrictions: Sequence[Restriction]) -> bool:
        return self._component.possible(self._rules, {}, restrictions)

    def _logics_of(self, name: str) -> list[Logic] | None:
        """The rules along one parameter, taken as continuous; None where a product lets it have only the values of its grid."""
        if name not in self._logics:
            encoder = Encoder(self._component.grids, self._component.constants, unpicked=name)
            speaking = [self._component.rules[r] for r in self._rules]
            try:
                self._logics[name] = [encoder.rule(r, Demand()) for r in speaking if name in encoder.names(r)]
            except OutlastError:
                self._logics[name] = None
        return self._logics[name]

    def _may_be_between(self, name: str) -> bool:
        """Whether values between those of its grid can be told."""
        return self._sums is not None or self._logics_of(name) is not None

    def _end(
        self, grid: Grid, edge: Fraction, others: Sequence[Restriction], *, upward: bool, is_continuous: bool
    ) -> End:
        """The end beyond the last value on the step, the parameter taken as continuous."""
        if not is_continuous:
            return self._named(grid, edge, others, continuous=None, upward=upward)
        reach = self._end_of_sums(grid, edge, others, upward=upward)
        if reach is None:
            reach = self._end_searched(grid, edge, others, upward=upward)
        if reach.at is None:
            return _UNLIMITED if reach.is_open else End(at=None, is_open=True, on_step=edge, limited_by=())
        return self._explained(grid, reach, edge, others, continuous=grid.name, upward=upward)

    def _end_of_sums(self, grid: Grid, edge: Fraction, others: Sequence[Restriction], *, upward: bool) -> Reach | None:
        """The end by the engine of least points; None: it does not tell."""
        engine, bounds = self._sums, [r for r in others if isinstance(r, Bound)]
        if engine is None or len(bounds) < len(others):
            return None
        try:
            if not upward:
                least = engine.standing(self._rules, {}, bounds, grid.name)
                return None if least is None else Reach(least.value(grid.name), least.is_above(grid.name))
            least = self._standing(others)
            last = None if least is None else least.narrowed(Bound(name=grid.name, low=edge))
            if last is None:
                return None
            limit = last.end_beyond(grid.name)
        except Stalled:
            return None
        high = grid.domain_high
        if high is not None and (limit.at is None or limit.at > high):
            limit = Reach(high, is_open=False)
        if limit.at is None:
            return None
        # The others need not move for it, or they may: that has to be searched.
        return limit if self._local(grid, Point(values=dict(last.point.values)), edge, upward=True) == limit else None

    def _end_searched(self, grid: Grid, edge: Fraction, others: Sequence[Restriction], *, upward: bool) -> Reach:
        """The end by what is found beyond each end, until nothing is; None, and not open: only far out."""
        component = self._component
        here = Bound(name=grid.name, low=edge, high=edge)
        point = component.find(self._rules, {}, [*others, here])
        assert point is not None
        reach = self._local(grid, point, edge, upward=upward)
        wall = grid.domain_high if upward else (grid.domain_low or Fraction(0))
        if wall is None:
            wall = grid.unit * _FAR
            far = Bound(name=grid.name, low=wall)
            if component.find(self._rules, {}, [*others, far], continuous=grid.name) is not None:
                return Reach(None, is_open=False)
        while reach.at is not None:
            further = self._further(grid, reach, others, upward=upward)
            if further is None:
                break
            reach = self._local(grid, further, number(further.values[grid.name]), upward=upward)
            if reach.at is None or reach.at == wall:
                continue
            middle = (reach.at + wall) / 2
            beyond = Bound(name=grid.name, low=middle) if upward else Bound(name=grid.name, high=middle)
            jumped = component.find(self._rules, {}, [*others, beyond], continuous=grid.name)
            if jumped is None:
                wall = middle
            else:
                reach = self._local(grid, jumped, number(jumped.values[grid.name]), upward=upward)
        return reach

    def _further(self, grid: Grid, reach: Reach, others: Sequence[Restriction], *, upward: bool) -> Point | None:
        """A point beyond an end, the parameter taken as continuous."""
        beyond = _beyond(grid.name, reach, upward=upward)
        return self._component.find(self._rules, {}, [*others, beyond], continuous=grid.name)

    def _local(self, grid: Grid, point: Point, start: Fraction, *, upward: bool) -> Reach:
        """How far the parameter may go while the others stay."""
        others = {n: v for n, v in point.values.items() if n != grid.name}
        line: Line | Straight
        if self._sums is not None:
            line = Straight(self._sums.edges(self._rules, grid.name, others))
        else:
            line = Line(grid.name, self._logics_of(grid.name) or (), others, self._component.limits)
        edge = grid.domain_high if upward else (grid.domain_low or Fraction(0))
        reach = line.reach(start, upward=upward, edge=edge, beyond=grid.name in point.above)
        if edge is not None and (reach.at is None or (reach.at >= edge if upward else reach.at <= edge)):
            open_zero = not upward and grid.positive and edge == 0
            return Reach(edge, open_zero or (reach.is_open and reach.at == edge))
        return reach

    def _named(
        self, grid: Grid, edge: Fraction, others: Sequence[Restriction], *, continuous: str | None, upward: bool
    ) -> End:
        return self._explained(grid, Reach(edge, is_open=False), edge, others, continuous=continuous, upward=upward)

    def _explained(
        self,
        grid: Grid,
        reach: Reach,
        on_step: Fraction,
        others: Sequence[Restriction],
        *,
        continuous: str | None,
        upward: bool,
    ) -> End:
        assert reach.at is not None
        beyond = _beyond(grid.name, reach, upward=upward)
        if not upward and (reach.at < 0 or (reach.at == 0 and not reach.is_open)):
            return End(at=reach.at, is_open=reach.is_open, on_step=on_step, limited_by=())
        needed = self.needed([*others, beyond], continuous)
        limited = tuple(sorted(i.removeprefix("rule:") for i in needed))
        return End(at=reach.at, is_open=reach.is_open, on_step=on_step, limited_by=limited)

    def needed(self, restrictions: Sequence[Restriction], continuous: str | None) -> list[str]:
        """A minimal set of rules and ends of domains that excludes what the restrictions ask for."""
        if self._component.monotone is not None and all(isinstance(r, Bound) for r in restrictions):
            try:
                return self._needed_of_least_point([r for r in restrictions if isinstance(r, Bound)], continuous)
            except Stalled:
                pass
        for relaxed in (True, False):
            key = (relaxed, continuous)
            if key not in self._tracked:
                self._tracked[key] = Tracked(self._component, self._rules, relaxed=relaxed, continuous=continuous)
            needed = self._tracked[key].needed(restrictions)
            if needed is not None:
                return needed
        return []

    def _needed_of_least_point(self, bounds: Sequence[Bound], continuous: str | None) -> list[str]:
        component = self._component
        assert component.monotone is not None
        engine = component.monotone
        ends, rules = self._domain_ends, {f"rule:{r}": r for r in self._rules}

        def feasible(items: Collection[str]) -> bool:
            kept = frozenset(items)
            dropped = frozenset(end for item, end in ends.items() if item not in kept)
            return engine.possible([rules[i] for i in items if i in rules], {}, bounds, continuous, dropped)

        items = [*rules, *ends]
        told = engine.needed(self._rules, bounds, continuous)
        if told is not None:
            return [i for i in items if rules.get(i) in told[0] or ends.get(i) in told[1]]
        blamed = engine.blame(self._rules, bounds, continuous) or set()
        likely = [i for i in items if i.removeprefix("rule:").removeprefix("domain:") in blamed]
        if feasible(likely):
            return minimal_infeasible(items, feasible)
        return minimal_infeasible(likely, feasible, mostly_needed=True)

    def _gaps(
        self, grid: Grid, low: End, high: End, others: Sequence[Restriction]
    ) -> tuple[tuple[Fraction, Fraction], ...] | None:
        """Stretches between the ends in which no value is possible; None: too many stretches to tell."""
        component = self._component
        gaps: list[tuple[Fraction, Fraction]] = []
        if low.at is None or high.at is None:
            return None
        start: Reach | None = Reach(low.at, low.is_open)
        for _ in range(_MOST_STRETCHES):
            if start is None or start.at is None:
                return tuple(gaps)
            if start.is_open:
                point = self._just_above(grid, start.at, others)
            else:
                point = component.find(
                    self._rules, {}, [*others, Bound(name=grid.name, low=start.at, high=start.at)], continuous=grid.name
                )
            if point is None:
                return None
            reach = self._local(grid, point, number(point.values[grid.name]), upward=True)
            if reach.at is None or reach.at >= high.at:
                return tuple(gaps)
            start = self._lowest_beyond(grid, reach, others)
            if start is not None and start.at is not None and start.at > reach.at:
                gaps.append((reach.at, start.at))
        return None

    def _just_above(self, grid: Grid, at: Fraction, others: Sequence[Restriction]) -> Point | None:
        """A point whose stretch begins right above `at`."""
        high: Fraction | None = None
        for _ in range(_MOST_STRETCHES):
            bound = Bound(name=grid.name, low=at, low_open=True, high=high)
            point = self._component.find(self._rules, {}, [*others, bound], continuous=grid.name)
            if point is None:
                return None
            reach = self._local(grid, point, number(point.values[grid.name]), upward=False)
            if reach.at is None or reach.at <= at:
                return point
            high = (at + reach.at) / 2
        return None

    def _lowest_beyond(self, grid: Grid, here: Reach, others: Sequence[Restriction]) -> Reach | None:
        """Where the next stretch begins; None: there is none."""
        assert here.at is not None
        beyond = _beyond(grid.name, here, upward=True)
        point = self._component.find(self._rules, {}, [*others, beyond], continuous=grid.name)
        if point is None:
            return None
        best = self._local(grid, point, number(point.values[grid.name]), upward=False)
        floor = here.at
        while best.at is not None and best.at > here.at:
            below = Bound(
                name=grid.name, low=here.at, low_open=not here.is_open, high=best.at, high_open=not best.is_open
            )
            point = self._component.find(self._rules, {}, [*others, below], continuous=grid.name)
            if point is None:
                return best
            best = self._local(grid, point, number(point.values[grid.name]), upward=False)
            if best.at is None or best.at <= floor:
                continue
            middle = (floor + best.at) / 2
            halved = Bound(name=grid.name, low=here.at, low_open=not here.is_open, high=middle)
            point = self._component.find(self._rules, {}, [*others, halved], continuous=grid.name)
            if point is None:
                floor = middle
            else:
                best = self._local(grid, point, number(point.values[grid.name]), upward=False)
        return Reach(here.at, is_open=not here.is_open)


_UNLIMITED = End(at=None, is_open=True, on_step=None, limited_by=())


def _beyond(name: str, reach: Reach, *, upward: bool) -> Bound:
    assert reach.at is not None
    if upward:
        return Bound(name=name, low=reach.at, low_open=not reach.is_open)
    return Bound(name=name, high=reach.at, high_open=not reach.is_open)


def _on_step(grid: Grid, low: Reach, high: Reach, *, upward: bool) -> Fraction | None:
    """The smallest or greatest number of the grid in a stretch; None: there is none, or no greatest."""
    assert low.at is not None
    first = grid.at_least(math.floor(low.at / grid.unit) + 1 if low.is_open else math.ceil(low.at / grid.unit))
    if high.at is None or first is None:
        return None if first is None else grid.value(first)
    last = grid.at_most(math.ceil(high.at / grid.unit) - 1 if high.is_open else math.floor(high.at / grid.unit))
    if last is None or last < first:
        return None
    return grid.value(last if upward else first)


def number(value: Value) -> Fraction:
    """A value that is known to be a number."""
    assert not isinstance(value, Sentinel)
    return value


def fixed(component: Component, values: Mapping[str, Value], but: str) -> list[Restriction]:
    """The other parameters where they stand."""
    return [component.exactly(n, v) for n, v in sorted(values.items()) if n != but]


# One parameter moving alone.


class _Ruled(Protocol):
    """Rules along one parameter."""

    def allows(self, sentinel: Sentinel) -> bool:
        """Whether they hold at a sentinel."""

    def holds(self, at: Fraction) -> bool:
        """Whether they hold at a number."""

    def stretches(self, low: Reach, high: Fraction | None) -> list[tuple[Reach, Reach]]:
        """All stretches of numbers at which they hold between two ends."""

    def beyond(self, here: Fraction, *, upward: bool) -> Fraction:
        """A number just beyond, before anything else changes."""

    def broken(self, at: Fraction) -> tuple[str, ...]:
        """Those that do not hold at a number."""


class _RuledByFormulas(Line):
    """By judging formulas."""

    def __init__(self, name: str, logics: Mapping[str, Logic], others: Mapping[str, Value], limits: Limits) -> None:
        super().__init__(name, logics.values(), others, limits)
        self._by_rule = logics

    def allows(self, sentinel: Sentinel) -> bool:
        return not self._breaking(sentinel)

    def broken(self, at: Fraction) -> tuple[str, ...]:
        return self._breaking(at)

    def _breaking(self, value: Value) -> tuple[str, ...]:
        return tuple(r for r, logic in self._by_rule.items() if not holds(logic, {**self._others, self._name: value}))


class _RuledBySums(Straight):
    """By where sums end."""

    def __init__(self, rules: Sequence[str], edges: Sequence[Edge]) -> None:
        super().__init__(edges)
        self._rules = rules

    def allows(self, sentinel: Sentinel) -> bool:
        raise AssertionError(sentinel)  # nothing that is added up has one

    def broken(self, at: Fraction) -> tuple[str, ...]:
        return tuple(r for r in self._rules if r in self.breaking(at))


def _alone_on_step(grid: Grid, edge: Fraction, line: _Ruled, *, upward: bool) -> End:
    """An end at a number of the grid: what excludes the next one."""
    beyond = edge + grid.unit if upward else edge - grid.unit
    if grid.listed is not None:
        place = grid.listed.index(int(edge / grid.unit)) + (1 if upward else -1)
        if not 0 <= place < len(grid.listed):
            limited = (f"domain:{grid.name}.{'max' if upward else 'min'}",)
            return End(at=edge, is_open=False, on_step=edge, limited_by=limited)
        beyond = grid.unit * grid.listed[place]
    return End(at=edge, is_open=False, on_step=edge, limited_by=_excluding(grid, beyond, line))


def _alone_end(grid: Grid, reach: Reach, on_step: Fraction | None, line: _Ruled, *, upward: bool) -> End:
    if reach.at is None:
        return _UNLIMITED
    beyond = reach.at if reach.is_open else line.beyond(reach.at, upward=upward)
    return End(at=reach.at, is_open=reach.is_open, on_step=on_step, limited_by=_excluding(grid, beyond, line))


def _excluding(grid: Grid, beyond: Fraction, line: _Ruled) -> tuple[str, ...]:
    """What excludes a value: the domain, else each rule that breaks there."""
    if grid.domain_high is not None and beyond > grid.domain_high:
        return (f"domain:{grid.name}.max",)
    if beyond < (grid.domain_low or 0) or (grid.positive and beyond <= 0):
        return (f"domain:{grid.name}.min",) if grid.domain_low or grid.positive else ()
    return line.broken(beyond)
