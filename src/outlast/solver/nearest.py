"""The point nearest to targets, by z3: the fewest parameters away from them, then the smallest total relative distance, and so on.

A point that z3 finds counts for what it is, not only for what was asked. Parameters that no point with so few moves needs to move are given from then on,
so that what decides distances is asked of the others alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from outlast.constraints.polynomial import Poly, Var, constant, variable
from outlast.constraints.quantities import Sentinel, Value
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand, Encoder
from outlast.solver.engine import Z3Engine
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import Logic, Mode, below, both, either, negated, zero
from outlast.solver.problem import Component

__all__ = ["nearest"]

#: A formula that limits a distance.
_Limit = Callable[[Fraction], Logic]

#: z3's effort for one question about the nearest point; beyond it parameters are brought near one by one.
_NEAREST_EFFORT = 3_000_000

#: z3's effort for one question that only spares others.
_SPARING_EFFORT = 500_000

#: How often it is asked whether others could move instead.
_MOST_OTHERS = 12


def nearest(
    component: Component, rules: Sequence[str], levels: Mapping[str, int], targets: Mapping[str, Value]
) -> dict[str, Value] | None:
    """The point with the fewest parameters away from their targets, then the smallest total relative distance, and so on.

    Where the target is a number, any number is nearer than a sentinel. Told are the values of the parameters that have a target, but for those
    that can no longer have a sentinel; None: the effort did not suffice.

    Raises:
        Undecided: the time is up.
    """
    try:
        search = _Search(component, rules, levels, targets)
        if not search.begins():
            return None
        search.move_few()
        moving = search.could_move()
        held: dict[str, Value] = {}
        if moving is not None and len(moving) < len(targets):
            held = {n: t for n, t in targets.items() if n not in moving}
            search = _Search(component, rules, levels, {n: targets[n] for n in moving}, held)
            if not search.begins():
                raise Undecided("z3 contradicts itself")
            search.move_few()
        found = search.closest()
    except Undecided:
        component.limits.check()
        return None
    return dict(sorted({**held, **found}.items()))


class _Search:
    """Questions to one engine, and the last point that has everything that was settled; `held` are parameters given as what they are."""

    def __init__(
        self,
        component: Component,
        rules: Sequence[str],
        levels: Mapping[str, int],
        targets: Mapping[str, Value],
        held: Mapping[str, Value] | None = None,
    ) -> None:
        held = held or {}
        self._component = component
        self._targets = dict(sorted(targets.items()))
        self._numbers = {n: t for n, t in self._targets.items() if not isinstance(t, Sentinel)}
        own = {n: g for n, g in component.grids.items() if n not in held}
        grids = dict(own)
        for name in self._targets:
            grids[_away(name)] = _measure(_away(name), listed=(0, 1))
        for name in self._numbers:
            grids[_far(name)] = _measure(_far(name), listed=None)
            grids[_gone(name)] = _measure(_gone(name), listed=(0, 1))
        limits = Limits(component.limits.deadline, _NEAREST_EFFORT)
        self._engine = Z3Engine(grids, limits, continuous=frozenset(_far(n) for n in self._numbers))
        encoder = component.encoder
        if held:
            values = {**component.constants.values, **held}
            encoder = Encoder(own, Constants(values=values, bound=component.constants.bound))
        for rule in sorted(rules):
            if encoder.names(component.rules[rule]):  # else it is kept by what is held
                self._engine.require(encoder.rule(component.rules[rule], Demand(level=levels.get(rule) or None)))
        for name, target in self._targets.items():
            self._engine.require(self._distance(name, target))
        self._assumed: list[object] = []
        self._point: dict[str, Value] = {}

    def _distance(self, name: str, target: Value) -> Logic:
        moved = zero(variable(Var(_away(name), 0)) - constant(Fraction(1)))
        if isinstance(target, Sentinel):
            return either((Mode(name, target), moved))
        unknown, far = variable(Var(name, self._component.grids[name].time_exponent)), variable(Var(_far(name), 0))
        differs = (unknown - constant(target)).scaled(1 / self._scale(name))
        numbers = both((below(differs - far, strict=False), below(differs.scaled(Fraction(-1)) - far, strict=False)))
        stays = both((Mode(name, None), zero(unknown - constant(target))))
        gone = zero(variable(Var(_gone(name), 0)) - constant(Fraction(1)))
        is_number = Mode(name, None)
        return both((either((negated(is_number), numbers)), either((stays, moved)), either((is_number, gone))))

    def _scale(self, name: str) -> Fraction:
        """What the distance of a number is measured by."""
        return self._numbers[name] or self._component.grids[name].unit

    # Questions.

    def begins(self) -> bool:
        """Whether there is a point at all."""
        return self._finds([])

    def _finds(self, assumptions: Sequence[object], limits: Limits | None = None) -> bool:
        found = self._engine.satisfiable([*self._assumed, *assumptions], limits)
        if found:
            self._point = self._engine.point(list(self._targets))
        return found

    def _ask(self, label: object, logic: Logic, limits: Limits | None = None) -> bool:
        self._engine.define(label, logic)
        return self._finds([label], limits)

    def _settle(self, label: object, logic: Logic) -> None:
        """Demand from now on what the point has."""
        self._engine.define(label, logic)
        self._assumed.append(label)

    def _spares(self, label: object, logic: Logic) -> bool | None:
        """The answer to a question that only spares others; None: it is not soon found."""
        try:
            return self._ask(label, logic, Limits(self._component.limits.deadline, _SPARING_EFFORT))
        except Undecided:
            self._component.limits.check()
            return None

    # How many.

    def move_few(self) -> None:
        """As few as possible are away from their targets, and of those as few as possible are no numbers though their target is one."""
        self._fewest("away", [_away(n) for n in self._targets], lambda: len(self._moved()))
        gone = [n for n in self._numbers if self._component.grids[n].specials]
        self._fewest("gone", [_gone(n) for n in gone], lambda: sum(isinstance(self._point[n], Sentinel) for n in gone))

    def _moved(self) -> list[str]:
        return [n for n, t in self._targets.items() if self._point[n] != t]

    def _fewest(self, label: str, measures: Sequence[str], count: Callable[[], int]) -> None:
        total = _total(measures)

        def limit(most: int) -> Logic:
            return below(total - constant(Fraction(most)), strict=False)

        wall, best = -1, count()
        while best - wall > 1:
            middle = (best + wall) // 2
            if self._ask((label, middle), limit(middle)):
                best = count()
            else:
                wall = middle
        self._settle((label, best), limit(best))

    def could_move(self) -> Collection[str] | None:
        """All parameters that are away from their target at some point with everything that was settled; None: that is not soon known."""
        moving = set(self._moved())
        for number in range(_MOST_OTHERS):
            others = [n for n in self._targets if n not in moving]
            answer = self._spares(("others", number), either(self._differs(n, self._targets[n]) for n in others))
            if answer is None:
                return None
            if not answer:
                return sorted(moving)
            moving.update(self._moved())
        return None

    def _differs(self, name: str, value: Value) -> Logic:
        return negated(self._component.logic(self._component.exactly(name, value)))

    # How far.

    def closest(self) -> dict[str, Value]:
        """The values, the number of those that move being settled."""
        if self._numbers:
            self._minimise("total", list(self._numbers))
            self._minimise_largest(list(self._numbers))
        if self._is_only():
            return self._told()
        found: dict[str, Value] = {}
        for name, target in self._targets.items():
            value = self._closest_sentinel(name, target)
            if value is None and name in self._numbers:
                self._minimise(f"distance:{name}", [name])
                value = self._smaller_first(name)
            if value is not None:
                found[name] = value
        return found

    def _told(self) -> dict[str, Value]:
        """The values of the point, but for what cannot have the sentinel that is its target."""
        return {n: self._point[n] for n, t in self._targets.items() if n in self._numbers or self._point[n] == t}

    def _is_only(self) -> bool:
        """Whether no other values have everything that was settled."""
        told = self._told()
        others = [self._differs(n, v) for n, v in told.items()]
        others += [Mode(n, t) for n, t in self._targets.items() if n not in told and isinstance(t, Sentinel)]
        return self._spares("others", either(others)) is False

    def _closest_sentinel(self, name: str, target: Value) -> Value | None:
        """The sentinel that the parameter has; None: it is a number, or has none of its own accord."""
        wanted = [target] if isinstance(target, Sentinel) else list(self._component.grids[name].specials)
        if name in self._numbers:
            if not wanted:
                return None
            number = Mode(name, None)
            if not isinstance(self._point[name], Sentinel) or self._ask(("number", name), number):
                self._settle(("number", name), number)
                return None
        for sentinel in wanted:
            if self._point[name] == sentinel or self._ask((name, sentinel), Mode(name, sentinel)):
                self._settle((name, sentinel), Mode(name, sentinel))
                return sentinel
        return None

    def _distances(self, names: Sequence[str]) -> list[Fraction]:
        """How far the point is from numbers, in parts of them."""
        found: list[Fraction] = []
        for name in names:
            value = self._point[name]
            away = Fraction(0) if isinstance(value, Sentinel) else abs(value - self._numbers[name])
            found.append(away / self._scale(name))
        return found

    def _quantum(self, names: Sequence[str]) -> Fraction:
        """All sums of distances are multiples of this."""
        denominators = [1]
        for name in names:
            scale = self._scale(name)
            denominators += [
                (self._component.grids[name].unit / scale).denominator,
                (self._numbers[name] / scale).denominator,
            ]
        return Fraction(1, math.lcm(*denominators))

    def _minimise(self, label: str, names: Sequence[str]) -> None:
        total = _total(_far(n) for n in names)

        def sum_up() -> Fraction:
            return sum(self._distances(names), Fraction(0))

        self._lower(label, names, lambda at: below(total - constant(at), strict=False), sum_up)

    def _minimise_largest(self, names: Sequence[str]) -> None:
        far = [variable(Var(_far(n), 0)) for n in names]
        self._lower(
            "largest",
            names,
            lambda at: both(below(f - constant(at), strict=False) for f in far),
            lambda: max(self._distances(names)),
        )

    def _lower(self, label: str, names: Sequence[str], limit: _Limit, measured: Callable[[], Fraction]) -> None:
        """Find the smallest, and settle it. What z3 finds is mostly the end already, so that the next one is asked for before the middle."""
        quantum, best, wall = self._quantum(names), measured(), Fraction(0)
        while best > 0 and self._ask((label, best - quantum), limit(best - quantum)):
            best = measured()
            if best - wall <= quantum:
                continue
            middle = _between(wall, best)
            if self._ask((label, middle), limit(middle)):
                best = measured()
            else:
                wall = middle
        self._settle((label, best), limit(best))

    def _smaller_first(self, name: str) -> Value:
        """Fix the parameter: below its target rather than above at the same distance."""
        value, target = self._point[name], self._numbers[name]
        assert not isinstance(value, Sentinel)  # that was settled before
        if value > target:
            mirrored = 2 * target - value
            exactly = self._component.exactly(name, mirrored)
            if mirrored >= 0 and self._ask(("mirrored", name), self._component.logic(exactly)):
                value = mirrored
        self._settle(("fixed", name), self._component.logic(self._component.exactly(name, value)))
        return value


def _between(low: Fraction, high: Fraction) -> Fraction:
    """A number about in the middle, with a small denominator."""
    unit = Fraction(1)
    while unit * 8 > high - low > 0:
        unit /= 2
    return max((low + high) / 2 // unit * unit, low)


def _total(names: Iterable[str]) -> Poly:
    total = constant(Fraction(0))
    for name in names:
        total = total + variable(Var(name, 0))
    return total


def _away(name: str) -> str:
    return f"away:{name}"


def _far(name: str) -> str:
    return f"far:{name}"


def _gone(name: str) -> str:
    return f"gone:{name}"


def _measure(name: str, *, listed: tuple[int, ...] | None) -> Grid:
    return Grid(
        name=name, time_exponent=0, unit=Fraction(1), low=0, high=None, listed=listed, specials=(), whole=False,
        positive=False, domain_low=None, domain_high=None,
    )  # fmt: skip
