"""Ways out with amounts: which fixed values to move, which rules to weaken and by how much, computed jointly and tried before they are told.

After "Range Fixes" (Y. Xiong and others, "Range fixes: Interactive error resolution for software configuration", TSE 2015): a way out is a minimal set of
things to change; how far is found on top, as the lexicographically smallest vector of relative moves, the largest first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Final

from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Side as EvaluatedSide
from outlast.constraints.evaluate import Truth, World, evaluate, judge
from outlast.constraints.model import NEVER, Level, Parameter, Role, Spec
from outlast.constraints.normal import Inequality, NormalRule
from outlast.constraints.polynomial import Poly, Var, constant, variable
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record, replace
from outlast.solver.account import Change, Dropped, ItemKind, Moved, Repair, Weakened
from outlast.solver.choose import choose
from outlast.solver.conflict import minimal_conflict
from outlast.solver.constants import Constants, constants_of
from outlast.solver.encode import Demand
from outlast.solver.enumerate import Minimal, enumerate_minimal
from outlast.solver.items import Items, Take, kind_of, name_of
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import Logic, Mode, below, both
from outlast.solver.margin import FULL
from outlast.solver.monotone import Bound, Monotone, Stalled
from outlast.solver.problem import Component, build
from outlast.solver.ranges import Ranges
from outlast.solver.weaken import can_weaken, rounded_outwards, weakened, weakened_rule

__all__ = ["Softs", "repairs_of"]

#: What giving up a margin costs.
_MARGIN_COST: Final = Fraction(3)

#: Relative moves are looked for between a hundredth of a percent and a millionfold, in three significant digits.
_FIRST_DECADE, _LAST_DECADE = -4, 6

#: Rules up to which the room that a repair leaves is shared out.
_MOST_LEVELLED: Final = 60

#: How often one of several items that could move less is tried as the one that does not.
_MOST_TRIES: Final = 30

#: Steps beyond which no number is looked for.
_FARTHEST: Final = 10**24

#: Of more changes than this the smaller half is made small one after the other.
_MOST_JOINT: Final = 6

#: How often the rules that can still rise do so.
_ROUNDS: Final = 3


class Softs:
    """What a repair of some items may change."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.all: list[str] = []
        for item in items.all:
            if self._is_soft(item):
                self.all.append(item)
        self._known = frozenset(self.all)

    def _is_soft(self, item: str) -> bool:
        kind, spec = kind_of(item), self.items.spec
        if kind in ("rule", "margin"):
            rule = spec.rules[item.split(":", 1)[1]]
            return rule.level is Level.SHOULD or rule.cost is not NEVER
        if kind in ("fixed", "current"):
            return spec.parameters[name_of(item)].cost is not NEVER
        return False

    def is_on(self, item: str, kept: Collection[str]) -> bool:
        """Whether an item still holds where only those softs are kept: a rule that goes takes its margin and divisor with it."""
        kind = kind_of(item)
        if kind in ("margin", "divisor"):
            rule = f"rule:{item.split(':', 1)[1]}"
            if rule in self._known and rule not in kept:
                return False
        return item not in self._known or item in kept

    def items_on(self, kept: Collection[str]) -> list[str]:
        """The items that hold where only those softs are kept."""
        kept = frozenset(kept)
        return [i for i in [*self.items.all, *self.items.quiet] if self.is_on(i, kept)]

    def is_exact(self, some: Collection[str]) -> bool:
        """Whether leaving out these softs leaves out the items of the same names and no others."""
        along = {f"{kind}:{n}" for i in some if (n := _rule_of(i)) is not None for kind in ("margin", "divisor")}
        return along.isdisjoint(i for i in self.items.all if i not in some)

    def of_items(self, some: Collection[str]) -> list[str]:
        """The softs that some items depend on."""
        needed = {f"rule:{i.split(':', 1)[1]}" for i in some if kind_of(i) in ("margin", "divisor")} | set(some)
        return [s for s in self.all if s in needed]

    def hold_up(self, some: Collection[str]) -> list[str]:
        """The items that take part in a set of softs which cannot be kept together."""
        found = minimal_conflict(self.items, self.items_on(some), Take.ON_STEP)
        return [] if found is None else found[0]

    def enumerate(self, limits: Limits, enough: int | None) -> Minimal:
        """All minimal sets of softs that cannot be kept together, and all ways out, or `enough` of the cheapest."""

        def shrink(some: Collection[str]) -> list[str] | None:
            found = minimal_conflict(self.items, some, Take.ON_STEP, self)
            return None if found is None else found[0]

        return enumerate_minimal(self.all, shrink, limits, enough=enough, cost=self.cost)

    def cost(self, item: str) -> Fraction:
        """What changing it costs."""
        kind, spec = kind_of(item), self.items.spec
        if kind == "margin":
            return _MARGIN_COST
        if kind == "rule":
            rule = spec.rules[item.split(":", 1)[1]]
            if rule.level is Level.SHOULD and "cost" not in rule.places:
                return rule.weight
            return rule.cost or Fraction(0)
        return spec.parameters[name_of(item)].cost or Fraction(0)


def repairs_of(softs: Softs, ways: Minimal, most: int | None) -> tuple[tuple[Repair, ...], tuple[str, ...]]:
    """The ways out with amounts, the cheapest first and at most so many, and why others are missing."""
    found: list[Repair] = []
    missing: list[str] = []
    ordered = sorted(ways.corrections, key=lambda c: (*_rank(softs, c), sorted(c)))
    part = _Part(softs, ways.infeasible)
    tried = 0
    last = (Fraction(0), 0)
    for correction in ordered:
        if most is not None and len(found) >= most and _rank(softs, correction) > last:
            break  # what follows is dearer
        tried += 1
        if _moves_two_factors(softs.items, correction):
            missing.append("ways out that move two factors of a product are left out")
            continue
        try:
            found.append(part.repair(correction))
            last = _rank(softs, correction)
        except Undecided as limit:
            if softs.items.limits.is_over:
                missing.append(f"of {len(ordered)} ways out, {len(found)} got amounts: {limit}")
                break
            missing.append(f"ways out without amounts are left out: {limit}")
    found.sort(key=lambda r: (r.cost, len(r.changes), r.move, [_subject(c) for c in r.changes]))
    left_out = len(ordered) - tried + len(found[most:]) if most is not None else 0
    if left_out:
        missing.append(f"{left_out} more ways out, no cheaper than these, are left out as told by the limit")
    return tuple(found[:most]), tuple(dict.fromkeys(missing))


def _rank(softs: Softs, correction: Collection[str]) -> tuple[Fraction, int]:
    return sum(map(softs.cost, correction), Fraction(0)), len(correction)


class _Quick:
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


class _Part:
    """The part of a large group in which amounts are found: it grows by what keeps them from doing for the whole."""

    def __init__(self, softs: Softs, infeasible: Iterable[frozenset[str]]) -> None:
        self._whole = softs
        items = softs.items
        self._rules = set(items.rules)
        if len(items.rules) > _MOST_LEVELLED:
            self._rules = {n for some in infeasible for i in softs.hold_up(some) if (n := _rule_of(i)) is not None}
        self._softs = self._made()
        self._quick = _Quick(self._softs)

    def _made(self) -> Softs:
        items = self._whole.items
        if len(self._rules) == len(items.rules):
            return self._whole
        return Softs(items.only([r for r in items.rules if r in self._rules]))

    def repair(self, correction: frozenset[str]) -> Repair:
        while True:
            amounts = _Amounts(self._softs, correction, self._whole, self._quick)
            amounts.find()
            blocking = None if self._softs is self._whole else amounts.blocking()
            if blocking is None:
                return self._told(amounts)
            more = {n for i in blocking if (n := _rule_of(i)) is not None}
            self._rules = self._rules | more if more - self._rules else set(self._whole.items.rules)
            self._softs = self._made()
            self._quick = _Quick(self._softs)

    def _told(self, amounts: _Amounts) -> Repair:
        try:
            return amounts.told()
        except OutlastError:
            if self._softs.items.doubtful or self._whole.items.doubtful:
                raise Undecided("what a rule says with another value could not be told") from None
            raise


def _rule_of(item: str) -> str | None:
    return item.split(":", 1)[1] if kind_of(item) in ("rule", "margin", "divisor") else None


def _subject(change: Change) -> tuple[str, str]:
    return ("", change.parameter) if isinstance(change, Moved) else ("rule", change.rule)


def _moves_two_factors(items: Items, correction: Collection[str]) -> bool:
    moved = {name_of(i) for i in correction if kind_of(i) in ("fixed", "current")}
    if len(moved) < 2:
        return False
    for rule in items.rules.values():
        for poly in _polys_of(rule):
            for monomial, _ in poly:
                names = [a.name for a, n in monomial if n > 0 and isinstance(a, Var) and a.name in moved]
                if len(set(names)) > 1:
                    return True
    return False


def _polys_of(rule: NormalRule) -> Iterable[Poly]:
    return rule.formula.polys()


@record(kw_only=True)
class _Movable:
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


class _Amounts:
    """The smallest amounts for one way out."""

    def __init__(self, softs: Softs, correction: frozenset[str], whole: Softs, quick: _Quick) -> None:
        """`whole` is the whole group, of which `softs` may be a part, for which `quick` is the quicker engine."""
        self._softs = softs
        self._whole = whole
        self._items = items = softs.items
        self._changed = sorted(correction)
        self._kept = frozenset(softs.items_on([s for s in softs.all if s not in correction]))
        self._caps: dict[str, Fraction] = {}
        self._values: dict[str, Value] = {}
        #: Values of the free parameters of the whole group with which the amounts do, once they were tried.
        self._point: dict[str, Value] | None = None
        self._is_sure = True
        self._tries = 0
        self._movable: dict[str, _Movable] = {}
        self._weakened: list[str] = []
        #: Of the fixed values that are no number: anything that works.
        self._loose: list[str] = []
        self._dropped: list[str] = []
        for item in self._changed:
            kind = kind_of(item)
            if kind in ("fixed", "current"):
                self._add_movable(item)
            elif kind == "rule" and can_weaken(items.spec, items.rules[item.split(":", 1)[1]]):
                self._weakened.append(item)
            else:
                self._dropped.append(item)
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
        self._movable[item] = _Movable(
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
            self._is_sure = False
            return False

    @property
    def _quick_monotone(self) -> Monotone:
        assert self._quick is not None
        assert self._quick.monotone is not None  # _Quick saw to it
        return self._quick.monotone

    @property
    def _rules_kept(self) -> list[str]:
        gone = {i.split(":", 1)[1] for i in self._dropped}
        return [
            r
            for r in self._items.rules
            if r not in gone and (f"rule:{r}" in self._kept or f"rule:{r}" in self._weakened)
        ]

    def _shares(self, caps: Mapping[str, Fraction]) -> dict[str, Fraction]:
        return {i.split(":", 1)[1]: caps[i] for i in self._weakened}

    def _bounds(self, caps: Mapping[str, Fraction], exact: Mapping[str, tuple[Fraction, Fraction]]) -> list[Bound]:
        component = self._quick
        assert component is not None
        bounds = [Bound(name=n, low=v, high=v) for n, v in self._stays.items() if n in component.grids]
        for item, movable in self._movable.items():
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
        kept = self._kept if items is self._items else frozenset(items.all) - set(self._changed)
        extra: list[Logic] = []
        for item in self._weakened:
            rule = items.rules[item.split(":", 1)[1]]
            share, margin = caps[item], f"margin:{rule.id}" not in self._changed
            key = ("weakened", rule.id, share, margin)
            formula = items.rule_formula(key, weakened(rule, share), Demand(margin=margin), kept)
            extra.append(formula.logic)
        for item, movable in self._movable.items():
            if item in exact:
                extra.append(movable.between(*exact[item]))
            elif item in caps:
                extra.append(movable.within(caps[item]))
        return extra

    # The search.

    def find(self) -> None:
        """Find the amounts.

        Raises:
            Undecided: there are none, or the limits struck.
        """
        self._drop_what_no_factor_mends()
        best = self._each_alone() or self._smallest(sorted([*self._weakened, *self._movable]), {})
        if best is None:
            raise Undecided("no amounts were found")
        self._caps = best
        exact: dict[str, tuple[Fraction, Fraction]] = {}
        for item in sorted(self._movable):
            exact[item] = self._exactly(item, best, exact)
        self._values = {item: low for item, (low, _) in exact.items()}
        for item in self._loose:
            self._values[item] = self._any_value(item, best, exact)

    def blocking(self) -> list[str] | None:
        """Items of the whole group that cannot hold with these amounts; None: they all can."""
        exact = {i: (v, v) for i, v in self._values.items() if isinstance(v, Fraction) and i in self._movable}
        kept = self._whole.items_on([s for s in self._whole.all if s not in self._changed])
        whole = self._whole.items
        core = whole.core_beside(kept, self._extra(self._caps, exact, whole), Take.ON_STEP)
        if core is None:
            self._point = whole.last_point(whole.grids)
        return core

    def _each_alone(self) -> dict[str, Fraction] | None:
        """The smallest cap of each item, the others free to move; where these work together there are no smaller ones."""
        items = sorted([*self._weakened, *self._movable])
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
        candidates = list(self._weakened)
        for count in range(len(candidates) + 1):
            for some in combinations(candidates, count):
                self._weakened = [i for i in candidates if i not in some]
                if self._ask(dict.fromkeys(self._weakened, most), {}):
                    self._dropped += some
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
        if len(self._changed) > _MOST_JOINT and len(caps) >= _MOST_JOINT // 2:
            self._is_sure = False
            return self._one_by_one(open_items, at_most)
        less = _share_at(index - 1)
        stuck = [i for i in open_items if not self._ask({**at_most, i: less}, {})]
        if stuck:  # each of them has to move so far
            rest = [i for i in open_items if i not in stuck]
            return self._smallest(rest, {**caps, **dict.fromkeys(stuck, _share_at(index))}, index)
        best: tuple[list[Fraction], dict[str, Fraction]] | None = None
        for item in open_items:  # one of them has to
            if self._tries >= _MOST_TRIES:
                self._is_sure = False
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
            if item in self._weakened:
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
        lowest = _bisected(low, high, lambda index: works(index, relaxed=True))
        if works(lowest):
            return lowest
        bad, step = lowest, 1
        while not works(good := min(bad + step, _LAST)):
            if good == _LAST:
                return None
            bad, step = good, step * 2
        return _bisected(bad, good, works)

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
        movable = self._movable[item]
        unit, before = movable.unit, movable.before

        def works(steps: int) -> bool:
            return self._ask(caps, {**exact, item: (before - steps * unit, before + steps * unit)})

        high = _bisected(0, math.ceil(caps[item] * movable.scale / unit), works)
        # Off its step before, a value moves to the steps on both sides of it.
        down, up = -((high * unit - before) // unit) * unit, (before + high * unit) // unit * unit
        for to in sorted({down, up}, key=lambda v: (abs(v - before), v)):
            if to >= 0 and self._ask(caps, {**exact, item: (to, to)}):
                return to, to
        nearest = (before - high * unit, before + high * unit)
        if self._ask(caps, {**exact, item: nearest}):
            value = self._items.last_point([movable.unknown.name])[movable.unknown.name]
            if isinstance(value, Fraction):
                return value, value
        raise Undecided("no amounts were found")

    def _any_value(
        self, item: str, caps: Mapping[str, Fraction], exact: Mapping[str, tuple[Fraction, Fraction]]
    ) -> Value:
        """A value for what was no number: the greatest number that works for what was infinite, else the smallest."""
        name = name_of(item)
        parameter = self._items.spec.parameters[name]
        unit = self._items.grids[name].unit if name in self._items.grids else parameter.step
        exponent = parameter.kind.time_exponent
        free = _Movable(item=item, unknown=Var(name, exponent), before=Fraction(0), scale=unit, unit=unit)
        extra = self._extra(caps, exact)
        infinite = self._value_before(item) is Sentinel.INFINITE

        def works(low: int, high: int) -> bool:
            question = [*extra, free.between(low * unit, high * unit)]
            return self._items.possible(self._kept, question, Take.ON_STEP)

        if not works(0, _FARTHEST):
            if not self._items.possible(self._kept, extra, Take.ON_STEP):
                raise Undecided("no amounts were found")
            return self._items.last_point([name])[name]
        if infinite and not works(_FARTHEST, _FARTHEST):
            return (_bisected(0, _FARTHEST, lambda low: not works(low, _FARTHEST)) - 1) * unit
        return Fraction(0) if works(0, 0) else _bisected(0, _FARTHEST, lambda high: works(0, high)) * unit

    def _value_before(self, item: str) -> Value | tuple[Fraction, Fraction]:
        name = name_of(item)
        return self._items.held(name) if kind_of(item) == "current" else self._items.constants.values[name]

    # Telling.

    def told(self) -> Repair:
        """The repair with these amounts, tried on the whole group.

        Raises:
            OutlastError: it does not mend the conflict, which is a mistake of ours.
            Undecided: the limits struck.
        """
        items, spec, values = self._whole.items, self._items.spec, self._values
        changes: list[Change] = []
        parameters: dict[str, Parameter] = dict(spec.parameters)
        rules = dict(items.rules)
        held = dict(items.every_held())
        largest = Fraction(0)
        for item in self._changed:
            kind, name = kind_of(item), item.split(":", 1)[1]
            if item in values:
                parameter, value = spec.parameters[name], values[item]
                before = parameter.value if kind == "fixed" else parameter.current
                assert before is not None  # it is fixed, or in use
                after = _written(parameter, value)
                changes.append(Moved(parameter=name, kind=ItemKind(kind), before=before, after=after))
                if item in self._movable and isinstance(value, Fraction):
                    movable = self._movable[item]
                    largest = max(largest, abs(value - movable.before) / movable.scale)
                if kind == "fixed":
                    parameters[name] = replace(parameter, value=after)
                else:
                    held[name] = value
            elif item in self._weakened:
                change, rules[name] = self._weakening(name, self._caps[item], rules[name])
                changes.append(change)
                largest = max(largest, change.share)
            elif kind == "margin":
                changes.append(Dropped(rule=name, kind=ItemKind.MARGIN))
                rules[name] = replace(rules[name], rule=replace(rules[name].rule, margin=None))
            else:
                changes.append(Dropped(rule=name, kind=ItemKind.RULE))
                del rules[name]
        for name, value in held.items():
            written = _written(parameters[name], value)
            parameters[name] = replace(parameters[name], role=Role.FIXED, value=written, domain=None)
        mentioned = {n for rule in rules.values() for n in rule.names()}
        repaired = replace(spec, parameters={n: p for n, p in parameters.items() if n in mentioned}, rules={})
        found = self._point or self._quick_values() or _values_for(repaired, rules, items.limits)
        headroom = _judged(rules, constants_of(repaired), found | held)
        shown = {
            n: _written(spec.parameters[n], v) for n, v in sorted((found | held).items()) if n in self._items.grids
        }
        return Repair(
            changes=tuple(sorted(changes, key=_subject)),
            cost=sum((self._softs.cost(i) for i in self._changed), Fraction(0)),
            move=largest,
            smallest=self._is_sure,
            values=shown,
            headroom=tuple(h for h in headroom if h[0] in self._items.rules),
        )

    def _quick_values(self) -> dict[str, Value]:
        """Values by the quicker engine, the room shared out; none where it does not know the whole."""
        if self._quick is None:
            return {}
        kept, shares = self._rules_kept, self._shares(self._caps)
        exact = {i: (v, v) for i, v in self._values.items() if isinstance(v, Fraction)}
        bounds, engine = self._bounds(self._caps, exact), self._quick_monotone
        try:
            levels = _shared_room(
                self._quick, kept, lambda wanted: engine.possible(kept, wanted, bounds, shares=shares)
            )
            least = engine.least(kept, levels, bounds, shares=shares)
        except Stalled:
            return {}
        return {} if least is None else {n: v for n, v in least.values.items() if n in self._items.grids}

    def _weakening(self, name: str, share: Fraction, normal: NormalRule) -> tuple[Weakened, NormalRule]:
        """The change, and the rule as it then reads: its new text, read back."""
        share = rounded_outwards(normal, share)
        changed = weakened_rule(self._items.spec, normal, share)
        by, exponent = None, 0
        if isinstance(normal.formula, Inequality):
            exponent, right = normal.formula.time_exponent, normal.formula.right
            known = self._items.constants
            if all(a.name in known.values for a in right.all_atoms() if isinstance(a, Var)):
                total = evaluate(right, World(values=known.values, bound=known.bound), EvaluatedSide.LOWER)
                by = total * share if isinstance(total, Fraction) else None
        return Weakened(rule=name, share=share, by=by, time_exponent=exponent, to=changed.rule.text), changed


def _written(parameter: Parameter, value: Value) -> Value:
    """A value as it is written: a 0 where that is how `infinite` or `off` is said."""
    return Fraction(0) if isinstance(value, Sentinel) and parameter.zero is value else value


def _values_for(spec: Spec, rules: Mapping[str, NormalRule], limits: Limits) -> dict[str, Value]:
    """Values of the free parameters of a repaired spec, which leave its rules as much room as they can share.

    Raises:
        OutlastError: there are none, which is a mistake of ours.
        Undecided: the limits struck.
    """
    values: dict[str, Value] = {}
    problem = build(spec, rules, limits)
    for component in problem.components:
        kept = sorted(component.rules)
        if kept and not component.possible(kept):
            raise OutlastError("a repair does not mend the conflict; please report this")
        levels = _shared_room(component, kept, partial(component.possible, kept)) if len(kept) <= _MOST_LEVELLED else {}
        if component.monotone is None:  # of several points z3 might find any
            values.update(choose(problem, component, kept, levels, Ranges(component, kept).of).values)
            continue
        point = component.find(kept, levels)
        assert point is not None  # these levels were reached
        values.update(point.values)
    return values


def _judged(
    rules: Mapping[str, NormalRule], constants: Constants, values: Mapping[str, Value]
) -> tuple[tuple[str, Fraction], ...]:
    """The headroom of the rules that score, tightest first, by exact evaluation.

    Raises:
        OutlastError: a rule is broken, which is a mistake of ours.
    """
    world = World(values={**constants.values, **values}, bound=constants.bound)
    headroom: list[tuple[str, Fraction]] = []
    for rule in rules.values():
        verdict = judge(rule, world)
        if verdict.truth is Truth.BROKEN or not verdict.margin_kept:
            raise OutlastError(f"a repair leaves '{rule.id}' broken; please report this")
        decisive = verdict.decisive
        if decisive is not None and isinstance(decisive.comparison, Inequality) and decisive.comparison.scores:
            room = decisive.headroom
            if isinstance(room, Fraction):
                headroom.append((rule.id, room))
    return tuple(sorted(headroom, key=lambda h: (h[1], h[0])))


def _shared_room(
    component: Component, kept: Sequence[str], reachable: Callable[[Mapping[str, int]], bool]
) -> dict[str, int]:
    """Levels that the rules reach together: what a repair leaves is shared out before it is shown.

    Unlike `level` it does not look for the smallest bottleneck: the rules that cannot rise alone keep what they have.
    """
    settled: dict[str, int] = {}
    rising = [r for r in kept if component.rules[r].scores]
    reached = 0

    def together(target: int) -> dict[str, int]:
        return {**settled, **dict.fromkeys(rising, target)}

    for _ in range(_ROUNDS):
        if not rising:
            break
        if reachable(together(FULL)):
            return together(FULL)
        reached = _bisected(reached - 1, FULL, lambda target: not reachable(together(target))) - 1
        stuck = [r for r in rising if not reachable({**together(reached), r: reached + 1})]
        settled.update(dict.fromkeys(stuck or rising, reached))
        rising = [r for r in rising if r not in settled]
    return together(reached)


# The scale of relative moves: three significant digits.

_PER_DECADE: Final = 900
_LAST: Final = _PER_DECADE * (_LAST_DECADE - _FIRST_DECADE)


#: Where to start looking: 10 %.
_USUAL: Final = _PER_DECADE * (-1 - _FIRST_DECADE)


def _bisected(low: int, high: int, works: Callable[[int], bool]) -> int:
    """The smallest number above `low` that works; `high` does."""
    while high - low > 1:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def _share_at(index: int) -> Fraction:
    """The share with that number on the scale: 0.01 %, 0.0101 %, …, 0.0999 %, 0.1 %, 0.101 %, …."""
    decade, digit = divmod(index, _PER_DECADE)
    return Fraction(100 + digit, 100) * Fraction(10) ** (_FIRST_DECADE + decade)
