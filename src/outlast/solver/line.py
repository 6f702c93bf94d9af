"""One parameter moving while all others stand still: how far the rules let it, exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from outlast.constraints.polynomial import Apply, Poly, Var
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits
from outlast.solver.logic import Below, Both, Clause, Logic, Mode, Negated, Truism, Whole, Zero

__all__ = ["Line", "Reach", "TooFineError", "holds", "value_of"]


#: More thresholds than this are not walked along.
_MOST_THRESHOLDS = 5_000


class TooFineError(Exception):
    """Roundings change too often along the line to be followed."""


@record
class Reach:
    """Where a stretch ends; None: nowhere."""

    at: Fraction | None
    is_open: bool


def value_of(poly: Poly, values: Mapping[str, Value]) -> Fraction:
    """A polynomial of parameters and roundings at numbers."""
    total = Fraction(0)
    for monomial, coefficient in poly:
        term = coefficient
        for atom, exponent in monomial:
            if isinstance(atom, Var):
                number = values[atom.name]
                assert not isinstance(number, Sentinel)
                term *= number**exponent
            else:
                assert isinstance(atom, Apply)
                inner = value_of(atom.arguments[0], values)
                term *= math.ceil(inner) if atom.function == "ceil" else math.floor(inner)
        total += term
    return total


def holds(logic: Logic, values: Mapping[str, Value]) -> bool:
    """Whether a formula holds at these values."""
    match logic:
        case Truism(value):
            return value
        case Mode(name, sentinel):
            chosen = values[name]
            return chosen is sentinel if sentinel is not None else not isinstance(chosen, Sentinel)
        case Whole():
            raise AssertionError(logic)  # steps are not asked along a line
        case Negated(part):
            return not holds(part, values)
        case Both(parts):
            return all(holds(p, values) for p in parts)
        case Clause(parts):
            # Modes come first, so that numbers are asked only of parameters that are numbers.
            return any(holds(p, values) for p in parts)
        case Below(poly=poly, strict=strict):
            number = _number(poly, values)
            return number is not None and (number < 0 if strict else number <= 0)
        case Zero(poly=poly):
            return _number(poly, values) == 0


def _number(poly: Poly, values: Mapping[str, Value]) -> Fraction | None:
    if any(isinstance(values.get(a.name), Sentinel) for a in poly.atoms() if isinstance(a, Var)):
        return None
    return value_of(poly, values)


class Line:
    """The formulas along one parameter."""

    def __init__(
        self,
        name: str,
        logics: Iterable[Logic],
        others: Mapping[str, Value],
        limits: Limits,
        *,
        judged: Callable[[Fraction], bool] | None = None,
    ) -> None:
        """`judged` tells otherwise than by the formulas what holds; it changes only at their thresholds."""
        self._name = name
        self._judged = judged
        self._logics = list(logics)
        self._others = dict(others)
        self._limits = limits
        self._polys = list(dict.fromkeys(p for logic in self._logics for p in _polys(logic) if self._numeric(p)))

    def holds(self, at: Fraction) -> bool:
        """Whether every formula holds there."""
        if self._judged is not None:
            return self._judged(at)
        values = {**self._others, self._name: at}
        return all(holds(logic, values) for logic in self._logics)

    def reach(self, start: Fraction, *, upward: bool, edge: Fraction | None, beyond: bool = False) -> Reach:
        """The end of the stretch of values that hold, from a start that holds (`beyond`: only just beyond it).

        The formulas change only at thresholds, so that one value between two of them stands for all. Nothing is looked at beyond the edge.

        Raises:
            TooFineError: roundings make more than `_MOST_THRESHOLDS` thresholds.
        """
        here = start
        for _ in range(_MOST_THRESHOLDS):
            self._limits.check()
            if edge is not None and (here >= edge if upward else here <= edge):
                return Reach(here, is_open=beyond and here == start)
            there = self._next(here, upward=upward)
            between = here + (1 if upward else -1) if there is None else (here + there) / 2
            if not self.holds(between):
                return Reach(here, not (self.holds(here) and not (beyond and here == start)))
            if there is None:
                return Reach(None, is_open=True)
            if not self.holds(there):
                return Reach(there, is_open=True)
            here = there
        raise TooFineError

    def stretches(self, low: Reach, high: Fraction | None) -> list[tuple[Reach, Reach]]:
        """All stretches of values that hold between two ends, ascending, each with its two ends.

        Raises:
            TooFineError: roundings make more than `_MOST_THRESHOLDS` thresholds.
        """
        assert low.at is not None
        found: list[tuple[Reach, Reach]] = []
        begun: Reach | None = None
        here, counts = low.at, not low.is_open
        for _ in range(_MOST_THRESHOLDS):
            self._limits.check()
            if counts and self.holds(here):
                begun = begun or Reach(here, is_open=False)
            elif begun is not None:
                found.append((begun, Reach(here, is_open=True)))
                begun = None
            if high is not None and here >= high:
                return [*found, (begun, Reach(here, is_open=False))] if begun is not None else found
            there = self._next(here, upward=True)
            if high is not None and (there is None or there > high):
                there = high
            if self.holds(here + 1 if there is None else (here + there) / 2):
                begun = begun or Reach(here, is_open=True)
            elif begun is not None:
                found.append((begun, Reach(here, is_open=False)))
                begun = None
            if there is None:
                return [*found, (begun, Reach(None, is_open=True))] if begun is not None else found
            here, counts = there, True
        raise TooFineError

    def beyond(self, here: Fraction, *, upward: bool) -> Fraction:
        """A value just beyond, before anything else changes."""
        there = self._next(here, upward=upward)
        if there is None:
            return here + 1 if upward else here - 1
        return (here + there) / 2

    def nearest(self, grid: Grid, start: Fraction, *, upward: bool) -> Fraction | None:
        """The nearest number of the grid beyond a start (itself included) at which every formula holds; None: there is none.

        Between two thresholds all numbers are alike, so that the first of the grid there stands for them.

        Raises:
            TooFineError: roundings make more than `_MOST_THRESHOLDS` thresholds.
        """
        here = start
        if start in grid and self.holds(start):
            return start
        for _ in range(_MOST_THRESHOLDS):
            self._limits.check()
            index = math.floor(here / grid.unit) + 1 if upward else math.ceil(here / grid.unit) - 1
            first = grid.at_least(index) if upward else grid.at_most(index)
            if first is None:
                return None
            there = self._next(here, upward=upward)
            candidate = grid.value(first)
            reaches = there is None or (candidate <= there if upward else candidate >= there)
            if reaches and self.holds(candidate):
                return candidate
            if there is None:
                return None
            if there in grid and self.holds(there):
                return there
            here = there
        raise TooFineError

    def greatest(self, grid: Grid) -> Fraction | None:
        """The greatest number of the grid at which every formula holds, if it ends below a threshold; None: there is none.

        Where all beyond the last threshold hold, the first of them.

        Raises:
            TooFineError: roundings make more than `_MOST_THRESHOLDS` thresholds.
        """
        start = Fraction(0)
        for _ in range(_MOST_THRESHOLDS):
            there = self._next(start, upward=True)
            if there is None:
                break
            start = there
        else:
            raise TooFineError
        last = grid.index_to(start + grid.unit)
        return None if last is None else self.nearest(grid, grid.value(last), upward=False)

    def _numeric(self, poly: Poly) -> bool:
        return not any(isinstance(self._others.get(n), Sentinel) for n in _names(poly)) and self._name in set(
            _names(poly)
        )

    def _next(self, here: Fraction, *, upward: bool) -> Fraction | None:
        """The nearest threshold beyond `here`."""
        found: list[Fraction] = []
        for poly in self._polys:
            found += (t for t in self._thresholds(poly, here, upward=upward) if (t > here if upward else t < here))
        return min(found, default=None) if upward else max(found, default=None)

    def _thresholds(self, poly: Poly, here: Fraction, *, upward: bool) -> list[Fraction]:
        slope, rest = Fraction(0), Fraction(0)
        found: list[Fraction] = []
        for monomial, coefficient in poly:
            term, exponent_here = coefficient, 0
            for atom, exponent in monomial:
                if isinstance(atom, Apply):
                    steps, rounded = self._rounding(atom, here, upward=upward)
                    found += steps
                    term *= rounded**exponent
                elif isinstance(atom, Var) and atom.name == self._name:
                    exponent_here += exponent
                elif isinstance(atom, Var):
                    number = self._others[atom.name]
                    assert not isinstance(number, Sentinel)
                    term *= number**exponent
            if exponent_here > 1:
                raise TooFineError  # thresholds of a curve are not rational
            if exponent_here:
                slope += term
            else:
                rest += term
        if slope:
            found.append(-rest / slope)
        return found

    def _rounding(self, atom: Apply, here: Fraction, *, upward: bool) -> tuple[list[Fraction], int]:
        """Where a rounding jumps next, and its value just beyond `here`."""
        inner = atom.arguments[0]
        low = value_of(inner, {**self._others, self._name: Fraction(0)})
        slope = value_of(inner, {**self._others, self._name: Fraction(1)}) - low
        number = low + slope * here
        rises = (slope > 0) == upward
        if slope == 0:
            return [], math.ceil(number) if atom.function == "ceil" else math.floor(number)
        following = Fraction(math.floor(number) + 1 if rises else math.ceil(number) - 1)
        middle = (number + following) / 2
        return [(following - low) / slope], math.ceil(middle) if atom.function == "ceil" else math.floor(middle)


def _names(poly: Poly) -> set[str]:
    return {a.name for a in poly.all_atoms() if isinstance(a, Var)}


def _polys(logic: Logic) -> list[Poly]:
    match logic:
        case Below(poly=poly) | Zero(poly=poly):
            return [poly]
        case Both(parts) | Clause(parts):
            return [p for part in parts for p in _polys(part)]
        case Negated(part):
            return _polys(part)
        case _:
            return []
