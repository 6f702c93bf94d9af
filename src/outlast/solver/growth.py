"""How far what is given may move, facts and measurements above all, before the rules that are kept cannot all hold any more, and which of them hold it then.

What moves is made a parameter of its own, so that its range is found like any other: a fact, one end of a fact that is an interval, or a factor by which all that was measured grows.
Components that share a fact only share nothing once it stands still, so that each is asked alone, and the nearest end counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction

from outlast.constraints.errors import OutlastError
from outlast.constraints.model import Parameter, Role
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Atom, Quant, Var
from outlast.constraints.progress import doing
from outlast.constraints.quantities import Kind, Sentinel, Value
from outlast.constraints.record import record
from outlast.constraints.record import replace as with_changes
from outlast.solver.account import ItemKind
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand
from outlast.solver.grid import Grid
from outlast.solver.held import UNLIMITED, Held, Parts
from outlast.solver.limits import Limits, Undecided
from outlast.solver.outcome import End, Growth
from outlast.solver.problem import Bound, Component, Problem
from outlast.solver.ranges import Ranges
from outlast.solver.rewrite import Replace, rewritten
from outlast.solver.tracked import Tracked

__all__ = ["common_step", "growth_of", "growths"]

#: What is given, times the rules of its components: beyond this, in the order of the names, growth is not looked for unasked.
_MOST_WORK = 500

#: z3's effort for one question.
_EFFORT = 1_000_000

#: Where gaps have to be searched for and nothing limits it, so many times what it is is looked at.
_FARTHEST = 1000

#: The steps of the factor by which a measurement grows.
_FACTOR_STEP = Fraction(1, 1000)


class _UntoldError(Exception):
    """Why growth cannot be told."""


def growths(problem: Problem, kept: Collection[str]) -> tuple[tuple[Growth, ...], tuple[str, ...]]:
    """The growth of every fact and every measurement that a kept rule uses, by name; and notes about those left out."""
    finder = _Finder(problem, kept)
    found: list[Growth] = []
    omitted: list[str] = []
    work = 0
    for kind, name in finder.given((ItemKind.FACT, ItemKind.MEASUREMENT)):
        work += finder.work(kind, name)
        if work > _MOST_WORK:
            omitted.append(name)
        else:
            doing("solving: how far {} may grow", name)
            found.append(finder.growth(kind, name))
    if not omitted:
        return tuple(found), ()
    told = f"'{omitted[0]}'" if len(omitted) == 1 else f"'{omitted[0]}' and {len(omitted) - 1} more"
    return tuple(found), (f"the room to grow of {told} was not looked for; `outlast why SPEC NAME` tells it",)


def growth_of(problem: Problem, kept: Collection[str], kind: ItemKind, name: str) -> Growth | None:
    """The growth of one fact, fixed value or measurement; None: no kept rule uses it."""
    finder = _Finder(problem, kept)
    return finder.growth(kind, name) if finder.speaking(kind, name) else None


class _Finder:
    def __init__(self, problem: Problem, kept: Collection[str]) -> None:
        self._problem = problem
        self._ids = frozenset(kept)
        limits = problem.components[0].limits if problem.components else Limits()
        effort = _EFFORT if limits.effort is None else min(limits.effort, _EFFORT)
        self._limits = Limits(limits.deadline, effort)
        self._owner = {r: c for c in problem.components for r in c.rules}
        self._mentions: dict[tuple[ItemKind, str], set[str]] = {}
        for rule in (problem.rules[r] for r in sorted(kept)):
            for atom in rule.atoms():
                if (item := self._item(atom)) is not None:
                    self._mentions.setdefault(item, set()).add(rule.id)

    def _item(self, atom: Atom) -> tuple[ItemKind, str] | None:
        if isinstance(atom, Quant):
            return ItemKind.MEASUREMENT, atom.measurement
        if not isinstance(atom, Var):
            return None
        role = self._problem.spec.parameters[atom.name].role
        kind = {Role.FACT: ItemKind.FACT, Role.FIXED: ItemKind.FIXED}.get(role)
        return None if kind is None else (kind, atom.name)

    def given(self, kinds: Collection[ItemKind]) -> list[tuple[ItemKind, str]]:
        """What is given and used, by name."""
        return sorted((i for i in self._mentions if i[0] in kinds), key=lambda item: (item[1], item[0].value))

    def speaking(self, kind: ItemKind, name: str) -> set[str]:
        """The kept rules that use it."""
        return self._mentions.get((kind, name), set())

    def work(self, kind: ItemKind, name: str) -> int:
        """How many rules its growth depends on."""
        return sum(len(rules) for _, rules in self._parts(self.speaking(kind, name)))

    def _parts(self, speaking: Collection[str]) -> Iterator[tuple[Component | None, list[NormalRule]]]:
        """The components that the rules belong to, each with its kept rules; rules without free parameters in the end."""
        owners = {id(c): c for r in sorted(speaking) if (c := self._owner.get(r)) is not None}
        for component in owners.values():
            yield component, [rule for r, rule in component.rules.items() if r in self._ids]
        settled = [self._problem.rules[r] for r in sorted(speaking) if r not in self._owner]
        if settled:
            yield None, settled

    def growth(self, kind: ItemKind, name: str) -> Growth:
        """How far it may move."""
        parts = list(self._parts(self.speaking(kind, name)))
        moving = self._moving(kind, name)
        if not moving.ends:
            return moving.untold("it is no number")
        try:
            try:
                return self._ranged(moving, parts)
            except _UntoldError:
                return self._otherwise(moving, parts)
        except _UntoldError as error:
            return moving.untold(str(error))
        except Undecided as limit:
            return moving.untold(str(limit))

    def _moving(self, kind: ItemKind, name: str) -> _Moving:
        constants = self._problem.constants

        def with_value(value: Value | tuple[Fraction, Fraction]) -> Constants:
            return Constants(values={**constants.values, name: value}, bound=constants.bound)

        def stretched(factor: Fraction) -> Constants:
            def bound(quantile: Quant, upper: bool) -> Fraction:  # the shape of QuantileBound
                one = constants.bound(quantile, upper)
                return one * factor if quantile.measurement == name else one

            return Constants(values=constants.values, bound=bound)

        if kind is ItemKind.MEASUREMENT:
            return _Moving(kind=kind, name=name, unit=_FACTOR_STEP, ends=((Fraction(1), stretched),))
        parameter, value = self._problem.spec.parameters[name], constants.values[name]
        ends: tuple[tuple[Fraction, Callable[[Fraction], Constants]], ...] = ()
        if isinstance(value, tuple):
            low, high = value
            ends = ((low, lambda v: with_value((v, high))), (high, lambda v: with_value((low, v))))
        elif not isinstance(value, Sentinel):
            ends = ((value, with_value),)
        unit = common_step(parameter.step, *(now for now, _ in ends))
        return _Moving(kind=kind, name=name, unit=unit, ends=ends, of=parameter)

    def _ranged(self, moving: _Moving, parts: Parts) -> Growth:
        """Its ends as those of a range, exact."""
        if moving.kind is ItemKind.MEASUREMENT:
            return moving.told(*self._ends(moving.grid, Fraction(1), parts, self._by_factor(moving)))
        if len(moving.ends) == 1:
            return moving.told(*self._ends(moving.grid, moving.ends[0][0], parts, None))
        (low, _), (high, _) = moving.ends
        shrink, _ = self._ends(moving.grid, low, parts, _one_end(moving.name, upper=False, other=high))
        _, grow = self._ends(moving.grid, high, parts, _one_end(moving.name, upper=True, other=low))
        return moving.told(shrink, grow)

    def _by_factor(self, moving: _Moving) -> Replace:
        bound, factor = self._problem.constants.bound, Var(moving.grid.name, 0)

        def replace(atom: Atom, upper: bool) -> tuple[Fraction, Atom | None]:
            if isinstance(atom, Quant) and atom.measurement == moving.name:
                return bound(atom, upper), factor
            return Fraction(1), atom

        return replace

    def _ends(
        self,
        grid: Grid,
        now: Fraction,
        parts: Parts,
        replace: Replace | None,
    ) -> tuple[End, End]:
        """The nearest ends of all parts."""
        lows, highs = [UNLIMITED], [UNLIMITED]
        for component, rules in parts:
            low, high = self._ends_in(grid, now, component, rules, replace)
            lows.append(low)
            highs.append(high)
        return _nearest(lows, upward=False), _nearest(highs, upward=True)

    def _ends_in(
        self,
        grid: Grid,
        now: Fraction,
        component: Component | None,
        rules: Sequence[NormalRule],
        replace: Replace | None,
    ) -> tuple[End, End]:
        try:
            moving = {r.id: r if replace is None else rewritten(r, replace) for r in rules}
        except ZeroDivisionError:
            raise _UntoldError("something is divided by 0") from None
        grids = {grid.name: grid} if component is None else {**component.grids, grid.name: grid}
        values = {n: v for n, v in self._problem.constants.values.items() if n != grid.name}
        constants = Constants(values=values, bound=self._problem.constants.bound)
        larger = Component(sorted(grids), moving, grids, constants, self._limits)
        for rule in moving.values():
            try:
                larger.encoder.rule(rule, Demand())
            except OutlastError:
                raise _UntoldError(f"'{rule.id}' is not linear in it") from None
        kept = sorted(moving)
        ranges = Ranges(larger, kept)
        found = ranges.alone(grid.name, {grid.name: now}) if component is None else ranges.of(grid.name)
        low, high = found.low, found.high
        if low is None or high is None:  # it holds where it stands, so that there is a range
            raise _UntoldError("its range was not found")
        if found.gaps is None and high.at is None and grid.domain_high is None:
            far = (now or grid.unit) * _FARTHEST
            low, high = self._ends_in(
                with_changes(grid, domain_high=far, high=int(far / grid.unit)), now, component, rules, replace
            )
            return low, UNLIMITED if high.limited_by == (f"domain:{grid.name}.max",) else high
        if found.gaps is None:
            raise _UntoldError("its range may have gaps, which could not be searched for")
        for start, end in found.gaps:
            if end <= now:
                low = self._at_gap(larger, kept, grid, start, end, end)
            elif start >= now:
                high = self._at_gap(larger, kept, grid, start, end, start)
                break
        return _unless_free(low), high

    def _at_gap(
        self, component: Component, kept: Sequence[str], grid: Grid, start: Fraction, end: Fraction, at: Fraction
    ) -> End:
        inside = Bound(name=grid.name, low=start, low_open=True, high=end, high_open=True)
        needed = Tracked(component, kept, relaxed=False, continuous=grid.name).needed([inside]) or []
        is_open = not component.possible(kept, {}, [Bound(name=grid.name, low=at, high=at)])
        index = at / grid.unit
        if at == start:
            last = math.ceil(index) - 1 if is_open else math.floor(index)
        else:
            last = math.floor(index) + 1 if is_open else math.ceil(index)
        limited = tuple(sorted(i.removeprefix("rule:") for i in needed))
        return End(at=at, is_open=is_open, on_step=grid.value(last), limited_by=limited)

    def _otherwise(self, moving: _Moving, parts: Parts) -> Growth:
        """The ends on its step, as far as they can be found without its range."""
        held = [Held(parts, moving.unit, now, given, self._limits) for now, given in moving.ends]
        try:
            if (
                len(held) == 2
            ):  # both ends of an interval: a rule is the harder to keep the further one of them moves away
                lower, upper = held
                return moving.told(lower.bisected(upward=False)[0], upper.bisected(upward=True)[0])
            (only,) = held
            worse = {d for _, rules in parts for rule in rules for d in moving.directions(rule)}
            if worse == {1}:
                end, reached = only.bisected(upward=True)
                return moving.told(UNLIMITED, end, None if end.at is not None else (moving.ends[0][0], reached))
            if worse == {-1}:
                return moving.told(only.bisected(upward=False)[0], UNLIMITED)
            if not moving.is_whole:
                raise _UntoldError(
                    "a rule is not linear in it, nor only harder to keep the greater or the smaller it is"
                )
            (shrink, lowest), (grow, highest) = only.tried(upward=False), only.tried(upward=True)
        except OutlastError:
            raise _UntoldError("a rule could not be solved with all its values") from None
        return moving.told(shrink, grow, (lowest, highest) if shrink.at is None or grow.at is None else None)


@record(kw_only=True)
class _Moving:
    """What moves: what it is now, and what is given where it is something else; of an interval the lower end, then the upper one."""

    kind: ItemKind
    name: str
    unit: Fraction
    ends: tuple[tuple[Fraction, Callable[[Fraction], Constants]], ...]
    #: None for a measurement.
    of: Parameter | None = None

    @property
    def is_whole(self) -> bool:
        return self.of is not None and self.of.kind is Kind.COUNT

    @property
    def grid(self) -> Grid:
        """Its values as those of a parameter."""
        name = self.name if self.of is not None else f"growth of {self.name}"  # no parameter is called so
        return Grid(
            name=name, time_exponent=0 if self.of is None else self.of.kind.time_exponent, unit=self.unit,
            low=0, high=None, listed=None, specials=(), whole=self.is_whole,
            positive=False, domain_low=None, domain_high=None,
        )  # fmt: skip

    def directions(self, rule: NormalRule) -> Iterator[int]:
        """1 where the rule takes its upper end, -1 where it takes its lower one, 0 where that cannot be said."""
        for atom, direction in rule.ends_taken():
            if (atom.measurement if isinstance(atom, Quant) else atom.name) == self.name and (
                isinstance(atom, Quant) is (self.of is None)
            ):
                yield direction

    def told(self, shrink: End, grow: End, tried: tuple[Fraction, Fraction] | None = None) -> Growth:
        return self._growth(shrink=shrink, grow=grow, tried=tried)

    def untold(self, reason: str) -> Growth:
        return self._growth(untold=reason)

    def _growth(
        self,
        shrink: End | None = None,
        grow: End | None = None,
        tried: tuple[Fraction, Fraction] | None = None,
        untold: str | None = None,
    ) -> Growth:
        values = [now for now, _ in self.ends]
        return Growth(
            name=self.name, kind=self.kind, now=values[0] if len(values) == 1 else None,
            interval=(values[0], values[1]) if len(values) == 2 else None,
            shrink=shrink, grow=grow, tried=tried, untold=untold,
        )  # fmt: skip


def _one_end(name: str, *, upper: bool, other: Fraction) -> Replace:
    """Only one end of an interval moves; where a rule takes the other one, that stands as a number."""

    def replace(atom: Atom, takes_upper: bool) -> tuple[Fraction, Atom | None]:
        if isinstance(atom, Var) and atom.name == name and takes_upper is not upper:
            return other, None
        return Fraction(1), atom

    return replace


def common_step(*values: Fraction) -> Fraction:
    """The greatest fraction of which all are multiples."""
    below = math.lcm(*(v.denominator for v in values))
    return Fraction(math.gcd(*(int(v * below) for v in values)), below)


def _unless_free(low: End) -> End:
    """An end that nothing but 0 holds is none."""
    return low if low.limited_by else UNLIMITED


def _nearest(ends: Iterable[End], *, upward: bool) -> End:
    """The end that comes first; an open one before a closed one; then by what limits it."""
    told = [end for end in ends if end.at is not None]
    if not told:
        return UNLIMITED
    return min(told, key=lambda e: ((e.at or 0) * (1 if upward else -1), not e.is_open, e.limited_by))
