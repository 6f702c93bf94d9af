"""The smallest amounts for one way out, found jointly: how far values move and rules give, the largest relative move first.

Where a group is monotone the engine of least points answers, fixed values that may move being parameters like the others; else z3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from typing import Final

from outlast.constraints.errors import OutlastError
from outlast.constraints.polynomial import Var, constant, variable
from outlast.constraints.quantities import Kind, Sentinel, Value
from outlast.constraints.record import record
from outlast.solver.account import kind_of, name_of
from outlast.solver.bisection import first, greatest_found, smallest_found
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand
from outlast.solver.items import Items, Take
from outlast.solver.limits import Undecided
from outlast.solver.logic import Logic, Mode, below, both
from outlast.solver.margin import share_room
from outlast.solver.monotone import Bound, Monotone, Stalled
from outlast.solver.problem import Component
from outlast.solver.softs import Softs
from outlast.solver.weaken import can_weaken, weakened

__all__ = ["Amounts", "Movable", "Quick"]

#: Relative moves are looked for between a hundredth of a percent and a millionfold, in three significant digits.
_FIRST_DECADE, _LAST_DECADE = -4, 6

#: How often one of several items that could move less is tried as the one that does not.
_MOST_TRIES: Final = 30

#: Steps beyond which no number is looked for.
_FARTHEST: Final = 10**24

#: Of more changes than this the smaller half is made small one after the other.
_MOST_JOINT: Final = 6


class Quick:
    """The engine of least points for the amounts of a group: fixed values that may move are parameters like the others."""

    def __init__(self, softs: Softs) -> None:
        items = softs.items
        grids = dict(items.grids)
        #: Where the parameters stay that are not moved.
        self.stays: dict[str, Fraction] = {}
        usual = True
        for name, value in items.every_held():
            usual = usual and isinstance(value, Fraction) and value in grids[name]
            if isinstance(value, Fraction):
                self.stays[name] = value
        for item in softs.all:
            fixed = items.constants.values[name_of(item)] if kind_of(item) == "fixed" else None
            if isinstance(fixed, Fraction):
                name = name_of(item)
                grids[name] = items.moved_grid(name)
                self.stays[name] = fixed
                usual = usual and fixed in grids[name]
        constants = Constants(
            values={n: v for n, v in items.constants.values.items() if n not in grids}, bound=items.constants.bound
        )
        self.component: Component | None = None
        if usual:
            with suppress(OutlastError):
                names = sorted({n for rule in items.rules.values() for n in rule.names() if n in grids})
                self.component = Component(names, dict(items.rules), grids, constants, items.limits)
        if self.component is not None and self.component.monotone is None:
            self.component = None


@record(kw_only=True)
class Movable:
    """A value that is moved: what it was, what it is measured by, and its unit."""

    item: str
    unknown: Var
    before: Fraction
    scale: Fraction
    unit: Fraction

    def within(self, move: Fraction) -> Logic:
        """That it moves by no more than a share of itself."""
        return self.between(self.before - move * self.scale, self.before + move * self.scale)

    def between(self, low: Fraction, high: Fraction) -> Logic:
        """That it is a number between two others."""
        exponent = self.unknown.time_exponent
        unknown = variable(self.unknown)
        return both(
            [
                Mode(self.unknown.name, None),
                below(constant(low) - unknown, strict=False, exponent=exponent),
                below(unknown - constant(high), strict=False, exponent=exponent),
            ]
        )


class Amounts:
    """The smallest amounts for one way out."""

    def __init__(self, softs: Softs, correction: frozenset[str], whole: Softs, quick: Quick) -> None:
        """`whole` is the whole group, of which `softs` may be a part, for which `quick` is the quicker engine."""
        self._softs = softs
        self._whole = whole
        self._items = items = softs.items
        self.changed = sorted(correction)
        self._kept = frozenset(softs.items_on([s for s in softs.all if s not in correction]))
        self.caps: dict[str, Fraction] = {}
        self.values: dict[str, Value] = {}
        #: Values of the free parameters of the whole group with which the amounts do, once they were tried.
        self.point: dict[str, Value] | None = None
        self.is_sure = True
        self._tries = 0
        self.movable: dict[str, Movable] = {}
        self.weakened: list[str] = []
        #: Of the fixed values that are no number: anything that works.
        self._loose: list[str] = []
        self.dropped: list[str] = []
        for item in self.changed:
            kind = kind_of(item)
            if kind in ("fixed", "current"):
                self._add_movable(item)
            elif kind == "rule" and can_weaken(items.spec, items.rules[name_of(item)]):
                self.weakened.append(item)
            else:
                self.dropped.append(item)
        # The quicker engine knows neither rules without their margin nor values that are no numbers.
        self._quick = quick.component
        self._stays = {
            n: v for n, v in quick.stays.items() if f"fixed:{n}" not in correction and f"current:{n}" not in correction
        }
        if self._loose or any(kind_of(i) == "margin" for i in correction):
            self._quick = None

    def _add_movable(self, item: str) -> None:
        items, name = self._items, name_of(item)
        parameter = items.spec.parameters[name]
        before = self._value_before(item)
        if not isinstance(before, Fraction):
            self._loose.append(item)
            return
        unit = items.grids[name].unit if name in items.grids else parameter.step
        self.movable[item] = Movable(
            item=item, unknown=Var(name, parameter.kind.time_exponent), before=before, scale=before or unit, unit=unit
        )

    # Questions.

    def _ask(
        self, caps: Mapping[str, Fraction], exact: Mapping[str, tuple[Fraction, Fraction]], *, relaxed: bool = False
    ) -> bool:
        if self._quick is not None:
            with suppress(Stalled):
                return self._quick_monotone.possible(
                    self._rules_kept, {}, self._bounds(caps, exact), shares=self._shares(caps)
                )
        extra = self._extra(caps, exact)
        try:
            if relaxed:
                return self._items.possible_between(self._kept, extra)
            return self._items.possible(self._kept, extra, Take.ON_STEP)
        except Undecided:
            self._items.limits.check()
            self.is_sure = False
            return False

    @property
    def _quick_monotone(self) -> Monotone:
        assert self._quick is not None
        assert self._quick.monotone is not None  # Quick saw to it
        return self._quick.monotone

    @property
    def _rules_kept(self) -> list[str]:
        gone = {name_of(i) for i in self.dropped}
        return [
            r
            for r in self._items.rules
            if r not in gone and (f"rule:{r}" in self._kept or f"rule:{r}" in self.weakened)
        ]

    def _shares(self, caps: Mapping[str, Fraction]) -> dict[str, Fraction]:
        return {name_of(i): caps[i] for i in self.weakened}

    def _bounds(self, caps: Mapping[str, Fraction], exact: Mapping[str, tuple[Fraction, Fraction]]) -> list[Bound]:
        component = self._quick
        assert component is not None
        bounds = [Bound(name=n, low=v, high=v) for n, v in self._stays.items() if n in component.grids]
        for item, movable in self.movable.items():
            cap = caps.get(item)
            ends = exact.get(item)
            if ends is None and cap is not None:
                ends = (movable.before - cap * movable.scale, movable.before + cap * movable.scale)
            if ends is not None:
                bounds.append(Bound(name=movable.unknown.name, low=max(ends[0], Fraction(0)), high=ends[1]))
        return bounds

    def _extra(
        self, caps: Mapping[str, Fraction], exact: Mapping[str, tuple[Fraction, Fraction]], items: Items | None = None
    ) -> list[Logic]:
        items = items or self._items
        kept = self._kept if items is self._items else frozenset(items.all) - set(self.changed)
        extra: list[Logic] = []
        for item in self.weakened:
            rule = items.rules[name_of(item)]
            share, margin = caps[item], f"margin:{rule.id}" not in self.changed
            key = ("weakened", rule.id, share, margin)
            formula = items.rule_formula(key, weakened(rule, share), Demand(margin=margin), kept)
            extra.append(formula.logic)
        for item, movable in self.movable.items():
            if item in exact:
                extra.append(movable.between(*exact[item]))
            elif item in caps:
                extra.append(movable.within(caps[item]))
        for item in self._loose:
            if item in self.values:
                extra.append(self._is(item, self.values[item]))
        return extra

    def _is(self, item: str, value: Value) -> Logic:
        """That a value which is no number, or was none, is this."""
        name = name_of(item)
        if isinstance(value, Sentinel):
            return Mode(name, value)
        unknown = Var(name, self._items.spec.parameters[name].kind.time_exponent)
        return Movable(item=item, unknown=unknown, before=value, scale=value, unit=value).between(value, value)

    # The search.

    def find(self) -> None:
        """Find the amounts.

        Raises:
            Undecided: there are none, or the limits struck.
        """
        self._drop_what_no_factor_mends()
        best = self._each_alone() or self._smallest(sorted([*self.weakened, *self.movable]), {})
        if best is None and self.movable:  # no number will do, but `off` or `infinite` may
            self._loose, self.movable, self._quick = sorted([*self._loose, *self.movable]), {}, None
            best = self._smallest(sorted(self.weakened), {})
        if best is None:
            raise Undecided("no amounts were found")
        self.caps = best
        exact: dict[str, tuple[Fraction, Fraction]] = {}
        for item in sorted(self.movable):
            exact[item] = self._exactly(item, best, exact)
        self.values = {item: low for item, (low, _) in exact.items()}
        for item in self._loose:
            self.values[item] = self._any_value(item, best, exact)

    def blocking(self) -> list[str] | None:
        """Items of the whole group that cannot hold with these amounts; None: they all can."""
        exact = {i: (v, v) for i, v in self.values.items() if isinstance(v, Fraction) and i in self.movable}
        kept = self._whole.items_on([s for s in self._whole.all if s not in self.changed])
        whole = self._whole.items
        core = whole.core_beside(kept, self._extra(self.caps, exact, whole), Take.ON_STEP)
        if core is None:
            self.point = whole.last_point(whole.grids)
        return core

    def _each_alone(self) -> dict[str, Fraction] | None:
        """The smallest cap of each item, the others free to move; where these work together there are no smaller ones."""
        items = sorted([*self.weakened, *self.movable])
        if not 2 <= len(items) <= _MOST_JOINT:
            return None
        alone: dict[str, Fraction] = {}
        most = _share_at(_LAST)
        for item in items:
            index = self._common([item], {i: most for i in items if i != item}, None)
            if index is None:
                return None
            alone[item] = _share_at(index)
        return alone if self._ask(alone, {}) else None

    def _drop_what_no_factor_mends(self) -> None:
        """Rules that even a millionfold larger side leaves broken are given up, as few as possible."""
        most = _share_at(_LAST)
        candidates = list(self.weakened)
        for count in range(len(candidates) + 1):
            for some in combinations(candidates, count):
                self.weakened = [i for i in candidates if i not in some]
                if self._ask(dict.fromkeys(self.weakened, most), {}):
                    self.dropped += some
                    return
        raise Undecided("no amounts were found")

    def _smallest(
        self, open_items: Sequence[str], caps: dict[str, Fraction], most: int | None = None
    ) -> dict[str, Fraction] | None:
        """Caps for the open items, the vector of them, the largest first, lexicographically smallest; `most` is one that works for all."""
        if not open_items:
            return dict(caps)
        index = self._common(open_items, caps, most)
        if index is None:
            common = self._common_beyond(open_items, caps)
            return None if common is None else {**caps, **dict.fromkeys(open_items, common)}
        at_most = {**caps, **dict.fromkeys(open_items, _share_at(index))}
        if len(open_items) == 1 or index == 0:
            return at_most
        if len(self.changed) > _MOST_JOINT and len(caps) >= _MOST_JOINT // 2:
            self.is_sure = False
            return self._one_by_one(open_items, at_most)
        less = _share_at(index - 1)
        stuck = [i for i in open_items if not self._ask({**at_most, i: less}, {})]
        if stuck:  # each of them has to move so far
            rest = [i for i in open_items if i not in stuck]
            return self._smallest(rest, {**caps, **dict.fromkeys(stuck, _share_at(index))}, index)
        best: tuple[list[Fraction], dict[str, Fraction]] | None = None
        for item in open_items:  # one of them has to
            if self._tries >= _MOST_TRIES:
                self.is_sure = False
                break
            self._tries += 1
            rest = [i for i in open_items if i != item]
            found = self._smallest(rest, {**caps, item: _share_at(index)}, index)
            if found is not None:
                vector = sorted((found[i] for i in open_items), reverse=True)
                if best is None or vector < best[0]:
                    best = (vector, found)
        return at_most if best is None else best[1]

    def _one_by_one(self, open_items: Sequence[str], caps: dict[str, Fraction]) -> dict[str, Fraction]:
        """Smaller caps of rules, each as small as the others leave it; values follow in any case."""
        for item in open_items:
            if item in self.weakened:
                others = {i: c for i, c in caps.items() if i != item}
                index = self._common([item], others, None)
                if index is not None:
                    caps = {**caps, item: min(caps[item], _share_at(index))}
        return caps

    def _common(self, open_items: Sequence[str], caps: Mapping[str, Fraction], most: int | None) -> int | None:
        """The smallest common cap, in three digits, that works, as its number on the scale."""

        def works(index: int, *, relaxed: bool = False) -> bool:
            return self._ask({**caps, **dict.fromkeys(open_items, _share_at(index))}, {}, relaxed=relaxed)

        # First with steps ignored, which is quick; then from there on the steps.
        low, high = -1, most
        if most is not None and most > 0 and not works(most - 1, relaxed=True):
            return most
        start = _USUAL if most is None else most - 1
        if start >= 0 and works(start, relaxed=True):
            high = start
            while high > 0 and works(max(high - _PER_DECADE, 0), relaxed=True):
                high = max(high - _PER_DECADE, 0)
            low = max(high - _PER_DECADE, -1) if high else -1
        elif most is None:
            high = low = start
            while high < _LAST and not works(high := min(high + _PER_DECADE, _LAST), relaxed=True):
                low = high
            if low == _LAST or (high == _LAST and not works(high, relaxed=True)):
                return None
        assert high is not None  # most, or found above
        lowest = first(low, high, lambda index: works(index, relaxed=True))
        if works(lowest):
            return lowest
        bad, step = lowest, 1
        while not works(good := min(bad + step, _LAST)):
            if good == _LAST:
                return None
            bad, step = good, step * 2
        return first(bad, good, works)

    def _common_beyond(self, open_items: Sequence[str], caps: Mapping[str, Fraction]) -> Fraction | None:
        """A cap of millions, for a value that has to grow out of almost nothing: the smallest power of ten."""
        cap = _share_at(_LAST)
        for _ in range(12):
            cap *= 10
            if self._ask({**caps, **dict.fromkeys(open_items, cap)}, {}):
                return cap
        return None

    def _exactly(
        self, item: str, caps: Mapping[str, Fraction], exact: Mapping[str, tuple[Fraction, Fraction]]
    ) -> tuple[Fraction, Fraction]:
        """The value nearest to what it was, the others within their caps."""
        movable = self.movable[item]
        unit, before = movable.unit, movable.before

        def works(steps: int) -> bool:
            return self._ask(caps, {**exact, item: (before - steps * unit, before + steps * unit)})

        high = first(0, math.ceil(caps[item] * movable.scale / unit), works)
        # Off its step before, a value moves to the steps on both sides of it.
        down, up = -((high * unit - before) // unit) * unit, (before + high * unit) // unit * unit
        for to in sorted({down, up}, key=lambda v: (abs(v - before), v)):
            if to >= 0 and self._ask(caps, {**exact, item: (to, to)}):
                return to, to
        nearest, self._quick = (before - high * unit, before + high * unit), None
        if self._ask(caps, {**exact, item: nearest}):
            value = self._items.last_point([movable.unknown.name])[movable.unknown.name]
            if isinstance(value, Fraction):
                return value, value
        raise Undecided("no amounts were found")

    def _any_value(
        self, item: str, caps: Mapping[str, Fraction], exact: Mapping[str, tuple[Fraction, Fraction]]
    ) -> Value:
        """A value for what was no number: the greatest number that works for what was infinite, else the smallest.

        A duration that was off never came: the greatest number is nearest to that, unless something other than its own grid keeps it
        from being as small as can be.
        """
        name = name_of(item)
        parameter = self._items.spec.parameters[name]
        unit = self._items.grids[name].unit if name in self._items.grids else parameter.step
        exponent = parameter.kind.time_exponent
        free = Movable(item=item, unknown=Var(name, exponent), before=Fraction(0), scale=unit, unit=unit)
        extra = self._extra(caps, exact)
        infinite = self._value_before(item) is Sentinel.INFINITE

        def found(low: int, high: int) -> Fraction | None:
            question = [*extra, free.between(low * unit, high * unit)]
            if not self._items.possible(self._kept, question, Take.ON_STEP):
                return None
            value = self._items.last_point([name])[name]
            assert isinstance(value, Fraction)  # it was asked for
            return value / unit

        def lower(high: int) -> int | None:
            return None if (some := found(0, high)) is None else math.ceil(some)

        def higher(low: int) -> int | None:
            return None if (some := found(low, _FARTHEST)) is None else math.floor(some)

        some = lower(_FARTHEST)
        if some is None:
            if not self._items.possible(self._kept, extra, Take.ON_STEP):
                raise Undecided("no amounts were found")
            return self._items.last_point([name])[name]
        smallest = smallest_found(some, -1, lower)
        grid = self._items.grids.get(name) or self._items.moved_grid(name)
        comes_first = parameter.kind is Kind.DURATION and smallest == grid.at_least(0)
        if (infinite or comes_first) and higher(_FARTHEST) is None:
            return greatest_found(smallest, _FARTHEST, higher) * unit
        return smallest * unit

    def _value_before(self, item: str) -> Value | tuple[Fraction, Fraction]:
        name = name_of(item)
        return self._items.held(name) if kind_of(item) == "current" else self._items.constants.values[name]

    def quick_point(self) -> dict[str, Value]:
        """Values by the quicker engine, the room shared out; none where it does not know the whole."""
        if self._quick is None:
            return {}
        kept, shares = self._rules_kept, self._shares(self.caps)
        exact = {i: (v, v) for i, v in self.values.items() if isinstance(v, Fraction)}
        bounds, engine = self._bounds(self.caps, exact), self._quick_monotone
        try:
            levels = share_room(self._quick, kept, lambda wanted: engine.possible(kept, wanted, bounds, shares=shares))
            least = engine.least(kept, levels, bounds, shares=shares)
        except Stalled:
            return {}
        return {} if least is None else {n: v for n, v in least.values.items() if n in self._items.grids}


# The scale of relative moves: three significant digits.

_PER_DECADE: Final = 900
_LAST: Final = _PER_DECADE * (_LAST_DECADE - _FIRST_DECADE)


#: Where to start looking: 10 %.
_USUAL: Final = _PER_DECADE * (-1 - _FIRST_DECADE)


def _share_at(index: int) -> Fraction:
    """The share with that number on the scale: 0.01 %, 0.0101 %, …, 0.0999 %, 0.1 %, 0.101 %, …."""
    decade, digit = divmod(index, _PER_DECADE)
    return Fraction(100 + digit, 100) * Fraction(10) ** (_FIRST_DECADE + decade)
