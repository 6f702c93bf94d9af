"""Which of the points that keep every level is recommended: near what people have, else at the rules' end, then round."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from outlast.constraints.evaluate import Judged, Special, Truth, Verdict, judge
from outlast.constraints.model import Parameter
from outlast.constraints.quantities import Kind, Sentinel, Value
from outlast.constraints.record import record
from outlast.solver.bisection import last
from outlast.solver.grid import Grid
from outlast.solver.margin import FULL
from outlast.solver.monotone import Stalled, Standing
from outlast.solver.nearest import nearest
from outlast.solver.outcome import Range
from outlast.solver.problem import Bound, Component, Is, Problem, Restriction
from outlast.solver.ranges import extreme, number
from outlast.solver.subsets import lightest_hitting_set, minimal_infeasible

__all__ = ["Choice", "choose", "round_off"]

#: After so many sets of targets that exclude each other, targets are kept in the order of the names, not as many as possible.
_MOST_EXCLUSIONS = 20

#: A value is moved by at most this part of itself to be round: a tenth.
_FARTHEST_ROUND = 10

#: The largest headroom beyond the aim that is looked for, in thousandths of the aim.
_MOST_BEYOND = 1_000_000


@record(kw_only=True)
class Choice:
    """Recommended effective values, and in a few words what decided each."""

    values: dict[str, Value]
    reasons: dict[str, str]
    #: Whether the sum of distances was shown to be the smallest.
    nearest: bool = True


class _Chooser:
    def __init__(
        self,
        problem: Problem,
        component: Component,
        rules: Sequence[str],
        levels: Mapping[str, int],
        *,
        current_only: bool,
    ) -> None:
        self._problem = problem
        self._component = component
        self._rules = rules
        self._levels = dict(levels)
        self._current_only = current_only
        self._pinned: dict[str, Value] = {}
        self._reasons: dict[str, str] = {}

    def choose(self, range_of: Callable[[str], Range]) -> Choice:
        is_nearest = self._near_targets()
        standing = self._component.standing(self._rules, self._levels, self._restrictions())
        for name in self._component.names:
            if name not in self._pinned:
                self._pin_to_end(name, range_of, standing)
                standing = self._pinned_at({name: self._pinned[name]}, standing)
        return Choice(values=dict(sorted(self._pinned.items())), reasons=self._reasons, nearest=is_nearest)

    # Parameters with a target.

    def _near_targets(self) -> bool:
        targets = {n: t for n in self._component.names if (t := self._target(n)) is not None}
        wanted = {n: t for n, (t, _) in targets.items()}
        standing = self._component.standing(self._rules, self._levels)
        near, is_nearest = wanted, True
        if self._pinned_at(wanted, standing) is None:
            near = {n: v for n, t in wanted.items() if (v := self._nearest_from(standing, n, t)) is not None}
            if not self._possible([self._component.exactly(n, v) for n, v in near.items()]):
                better = nearest(self._component, self._rules, self._levels, wanted)
                is_nearest = better is not None
                near = better if better is not None else self._one_by_one(wanted)
        for name, value in near.items():
            target, called = targets[name]
            self._pinned[name] = value
            self._reasons[name] = f"{called}" if value == target else f"nearest to {called} that the others leave"
        return is_nearest

    def _nearest_from(self, standing: Standing | None, name: str, target: Value) -> Value | None:
        """The same as `_nearest`, whatever the others have; sooner where the least point tells."""
        return target if self._pinned_at({name: target}, standing) is not None else self._nearest(name, target, [])

    def _target(self, name: str) -> tuple[Value, str] | None:
        parameter = self._problem.spec.parameters[name]
        prefer = None if self._current_only else parameter.prefer
        if isinstance(prefer, str):
            start = self._component.find(self._rules, self._levels, [Bound(name=name)])
            if start is None:
                return None
            high = prefer == "high"
            end = _extreme_at(
                self._component, self._rules, name, self._levels, number(start.values[name]), [], upward=high
            )
            return None if end is None else (end, "the greatest possible" if high else "the smallest possible")
        wanted, called = prefer, "the preferred value"
        if wanted is None:
            wanted = parameter.current
            called = "the value when unset" if parameter.unset_of is None else f"the default of {parameter.unset_of}"
            called = "the current value" if "current" in parameter.places else called
        if wanted is None:
            return None
        target = parameter.effective(wanted)
        possible = not isinstance(target, Sentinel) or self._possible([Is(name, target)])
        return (target, called) if possible else None

    def _nearest(self, name: str, target: Value, others: Sequence[Restriction]) -> Value | None:
        """The possible value nearest to the target; the smaller of two."""
        grid = self._component.grids[name]
        if target in grid and self._possible([*others, self._component.exactly(name, target)]):
            return target
        candidates: list[Fraction] = []
        assert not isinstance(target, Sentinel)  # a sentinel that is not possible is no target
        for bound, upward in ((Bound(name=name, high=target), True), (Bound(name=name, low=target), False)):
            start = self._component.find(self._rules, self._levels, [*others, bound])
            if start is not None:
                end = _extreme_at(
                    self._component, self._rules, name, self._levels, number(start.values[name]), [*others, bound],
                    upward=upward,
                )  # fmt: skip
                assert end is not None  # the bound limits it
                candidates.append(end)
        if not candidates:
            return self._any_sentinel(name, others)
        return min(candidates, key=lambda v: (abs(v - target), v))

    def _any_sentinel(self, name: str, others: Sequence[Restriction]) -> Value | None:
        grid = self._component.grids[name]
        return next((s for s in grid.specials if self._possible([*others, Is(name, s)])), None)

    def _one_by_one(self, targets: Mapping[str, Value]) -> dict[str, Value]:
        """In the order of the names, each as near as the earlier ones leave; as many as possible exactly, if that is soon known."""
        component = self._component
        weights = dict.fromkeys(targets, Fraction(1))
        hits = [n for n, t in targets.items() if t in component.grids[n]]

        exactly = {n: component.exactly(n, targets[n]) for n in hits}

        def feasible(chosen: Collection[str]) -> bool:
            return self._possible([exactly[n] for n in chosen])

        conflicts: list[frozenset[str]] = []
        while True:
            left_out = lightest_hitting_set(conflicts, weights, component.limits.check)
            kept = [n for n in hits if n not in left_out]
            if feasible(kept):
                break
            if len(conflicts) == _MOST_EXCLUSIONS:
                kept = []
                for name in hits:
                    kept += [name] if feasible([*kept, name]) else []
                break
            # What the other engine is asked, and so how it answers, is left as it is.
            excluding = minimal_infeasible(kept, feasible, mostly_needed=component.monotone is not None)
            conflicts.append(frozenset(excluding))
        near: dict[str, Value] = {n: targets[n] for n in kept}
        for name in sorted(targets):
            if name not in near and not isinstance(targets[name], Sentinel):
                found = self._nearest(name, targets[name], [component.exactly(n, v) for n, v in near.items()])
                assert found is not None
                near[name] = found
        return near

    # Parameters without one.

    def _pinned_at(self, values: Mapping[str, Value], standing: Standing | None) -> Standing | None:
        """The least point with parameters at these values; None: there is none, or it is not known."""
        grids, bounds = self._component.grids, list[Bound]()
        for name, value in values.items():
            if isinstance(value, Sentinel) or value not in grids[name]:
                return None
            bounds.append(Bound(name=name, low=value, high=value))
        if standing is None:
            return None
        try:
            return standing.narrowed(*bounds)
        except Stalled:
            return None

    def _pin_to_end(self, name: str, range_of: Callable[[str], Range], standing: Standing | None) -> None:
        """`standing` is the least point with all that is pinned, where it is known."""
        component, others = self._component, self._restrictions()
        value = None if standing is None else standing.value(name)
        if value is None and (start := component.find(self._rules, self._levels, [*others, Bound(name=name)])):
            value = number(start.values[name])
        if value is None:
            sentinel = self._any_sentinel(name, others)
            assert isinstance(sentinel, Sentinel)  # the pinned values are part of a solution
            self._pinned[name], self._reasons[name] = sentinel, f"only {sentinel.value} is possible"
            return
        found = range_of(name)
        low_held = found.low is not None and _by_rules(found.low.limited_by)
        high_held = found.high is not None and _by_rules(found.high.limited_by)
        levels = dict(self._levels)
        kept = " at which every rule keeps its level" if self._levels else " possible"
        reason = f"the smallest{kept}"
        if low_held == high_held:
            levels.update(self._beyond(name, others, standing))
            most = "the greatest headroom" if self._current_only else "the greatest headroom beyond the aim"
            reason = most if levels != self._levels else f"the smallest{kept}"
            if levels != self._levels:
                start = component.find(self._rules, levels, [*others, Bound(name=name)])
                assert start is not None  # these levels were reached
                value, standing = number(start.values[name]), None
        upward = high_held and not low_held
        end = extreme(component, self._rules, name, value, others, upward=upward, levels=levels, standing=standing)
        if end is None:
            end, reason = value, "nothing limits it"
        elif upward:
            reason = f"the greatest{kept}"
        self._pinned[name], self._reasons[name] = end, reason

    def _beyond(self, name: str, others: Sequence[Restriction], standing: Standing | None) -> dict[str, int]:
        """The highest common level for the rules that mention the parameter, beyond the aim for those that have reached it."""
        component = self._component
        if self._current_only:
            floor, rising = 0, [r for r in self._rules if component.rules[r].scores]
        else:
            floor, rising = FULL, [r for r, level in self._levels.items() if level == FULL]
        speaking = [r for r in rising if name in component.encoder.names(component.rules[r])]
        if not speaking:
            return {}

        def reachable(target: int) -> bool:
            nonlocal standing
            wanted = {**self._levels, **dict.fromkeys(speaking, target)}
            if standing is not None:
                try:
                    found = standing.narrowed(levels=wanted)
                except Stalled:
                    pass
                else:
                    standing = found or standing  # what is asked for next is no less
                    return found is not None
            return component.possible(self._rules, wanted, [*others, Bound(name=name)])

        if reachable(_MOST_BEYOND):
            return {}  # it can grow without end: there is no greatest
        low, step = floor, FULL
        while low + step <= _MOST_BEYOND and reachable(low + step):
            low, step = low + step, step * 2
        high = min(low + step, _MOST_BEYOND + 1)
        return dict.fromkeys(speaking, last(low, high, reachable))

    def _restrictions(self) -> list[Restriction]:
        return [self._component.exactly(n, v) for n, v in sorted(self._pinned.items())]

    def _possible(self, restrictions: Sequence[Restriction]) -> bool:
        return self._component.possible(self._rules, self._levels, restrictions)


def choose(
    problem: Problem,
    component: Component,
    rules: Sequence[str],
    levels: Mapping[str, int],
    range_of: Callable[[str], Range],
    *,
    current_only: bool = False,
) -> Choice:
    """The recommended point of a component before rounding off; with `current_only`, what the spec prefers counts for nothing.

    Raises:
        Undecided: the limits struck.
    """
    return _Chooser(problem, component, rules, levels, current_only=current_only).choose(range_of)


def _by_rules(limited_by: Sequence[str]) -> bool:
    return any(not item.startswith("domain:") for item in limited_by)


def _extreme_at(
    component: Component, rules: Sequence[str], name: str, levels: Mapping[str, int], start: Fraction,
    restrictions: Sequence[Restriction], *, upward: bool,
) -> Fraction | None:  # fmt: skip
    return extreme(component, rules, name, start, restrictions, upward=upward, levels=levels)


# Round numbers.


def round_off(problem: Problem, component: Component, rules: Sequence[str], choice: Choice, keep: set[str]) -> Choice:
    """The same values, made round one after the other as far as no rule loses more than a tenth of its headroom.

    `keep` names parameters that stay: those at their target.
    """
    values, reasons = dict(choice.values), dict(choice.reasons)
    before = {r: judge(component.rules[r], problem.world(values)) for r in rules}
    mentions = {r: set(component.encoder.names(component.rules[r])) for r in rules}
    for name in component.names:
        value = values[name]
        if name in keep or isinstance(value, Sentinel):
            continue
        speaking = [r for r in rules if name in mentions[r]]
        parameter = problem.spec.parameters[name]
        for candidate in _rounder(value, parameter, component.grids[name]):
            world = problem.world({**values, name: candidate})
            if all(_keeps_headroom(before[r], judge(component.rules[r], world)) for r in speaking):
                if candidate != value:
                    values[name] = candidate
                    reasons[name] += ", made round"
                break
    return Choice(values=values, reasons=reasons, nearest=choice.nearest)


def _keeps_headroom(before: Verdict, after: Verdict) -> bool:
    """Whether no comparison that scores loses more than a tenth of its headroom."""
    if after.truth is Truth.BROKEN or not after.margin_kept or after.truth is not before.truth:
        return False
    pairs = zip(before.judged, after.judged, strict=False)
    return len(before.judged) == len(after.judged) and all(_nearly_as_much(b, a) for b, a in pairs)


def _nearly_as_much(before: Judged, after: Judged) -> bool:
    if before.truth is not after.truth:
        return False
    old, new = before.headroom, after.headroom
    if before.score is None or not isinstance(old, Fraction):
        return old is not Special.PLUS or new is Special.PLUS or before.score is None
    return new is Special.PLUS or (isinstance(new, Fraction) and new * 10 >= old * 9)


def _rounder(value: Fraction, parameter: Parameter, grid: Grid) -> Iterator[Fraction]:
    """Values of the grid near this one, the roundest first, ending with the value itself."""
    shown = {Kind.DURATION: Fraction(10**9), Kind.RATE: Fraction(1, 10**9), Kind.RATIO: Fraction(1, 100)}
    one = shown.get(parameter.kind, Fraction(1))
    if value > 0:
        exponent = _magnitude(value / one)
        unit = one * Fraction(10) ** exponent
        while unit >= grid.unit:
            for size in (5, 1):
                coarse = unit * size
                if coarse >= grid.unit:
                    under = value // coarse * coarse
                    near = sorted({under, under + coarse}, key=lambda v: (abs(v - value), v))
                    yield from (v for v in near if v in grid and abs(v - value) * _FARTHEST_ROUND <= value)
            unit /= 10
    yield value


def _magnitude(number: Fraction) -> int:
    """The power of ten of the leading digit."""
    exponent = 0
    while number >= 10:
        number, exponent = number / 10, exponent + 1
    while number < 1:
        number, exponent = number * 10, exponent - 1
    return exponent
