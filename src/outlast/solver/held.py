"""How far something given may move, found by holding it at one value after the other, where it cannot be made a parameter of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from outlast.constraints.normal import NormalRule
from outlast.solver.constants import Constants
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits
from outlast.solver.outcome import End
from outlast.solver.problem import Component
from outlast.solver.ranges import Ranges

__all__ = ["UNLIMITED", "Held", "Parts"]

#: An end that nothing limits.
UNLIMITED = End(at=None, is_open=True, on_step=None, limited_by=())

#: Components, each with those of its rules that count; None: rules without free parameters.
Parts = Sequence[tuple[Component | None, list[NormalRule]]]

#: So many times what it is is looked at.
_FARTHEST = 1000

#: So many values on each side are tried one by one.
_MOST_TRIED = 16


class Held:
    """Something given, with what is given where it has another value."""

    def __init__(
        self, parts: Parts, unit: Fraction, now: Fraction, given: Callable[[Fraction], Constants], limits: Limits
    ) -> None:
        self._parts = parts
        self._unit = unit
        self._now = now
        self._given = given
        self._limits = limits

    def bisected(self, *, upward: bool) -> tuple[End, Fraction]:
        """The last value on its step that does, and the last one looked at; only where rules are ever harder to keep that way.

        Raises:
            Undecided: the limits struck.
            OutlastError: a rule cannot be solved at one of the values.
        """
        best = self._now / self._unit
        wall = (best or Fraction(1)) * _FARTHEST if upward else Fraction(0)
        if self._possible(wall):
            return UNLIMITED, self._unit * wall
        step, gallops = Fraction(1), True
        while abs(wall - best) > 1:
            near = best + (step if upward else -step)
            middle = near if gallops and abs(near - best) * 2 < abs(wall - best) else Fraction((best + wall) // 2)
            if self._possible(middle):
                best, step = middle, step * 2
            else:
                wall, gallops = middle, False
        return self._end(best, wall), self._unit * best

    def tried(self, *, upward: bool) -> tuple[End, Fraction]:
        """The same, value by value, however the rules depend on it.

        Raises:
            Undecided, OutlastError: as `bisected`.
        """
        last = self._now / self._unit
        for _ in range(_MOST_TRIED):
            following = last + (1 if upward else -1)
            if following < 0:
                break
            if not self._possible(following):
                return self._end(last, following), self._unit * last
            last = following
        return UNLIMITED, self._unit * last

    def _end(self, last: Fraction, beyond: Fraction) -> End:
        value = self._unit * last
        return End(at=value, is_open=False, on_step=value, limited_by=self._blamed(beyond))

    def _possible(self, index: Fraction) -> bool:
        return all(c.possible(c.rules) for c in self._components(index))

    def _blamed(self, index: Fraction) -> tuple[str, ...]:
        """What keeps it from having a value that it cannot have."""
        for component in self._components(index):
            if not component.possible(component.rules):
                needed = Ranges(component, sorted(component.rules)).needed([], None)
                return tuple(sorted(i.removeprefix("rule:") for i in needed))
        return ()

    def _components(self, index: Fraction) -> Iterator[Component]:
        constants = self._given(self._unit * index)
        for component, rules in self._parts:
            grids: dict[str, Grid] = {} if component is None else dict(component.grids)
            yield Component(sorted(grids), {r.id: r for r in rules}, grids, constants, self._limits)
