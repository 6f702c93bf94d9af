"""Monotone components with steps ignored, without z3: the least point on a grid so fine that its steps hardly count, found twice.

Once every number is rounded up: a point of the fine grid is a point. Once every number is rounded down, so that it stays below the least point of all: where that
passes a limit, there is none. Where the two disagree, an end is met exactly, or nearly so, and z3 has to answer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.normal import NormalRule
from outlast.constraints.record import replace
from outlast.solver.constants import Constants
from outlast.solver.encode import Encoder
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits
from outlast.solver.monotone import Monotone, Stalled, Step

__all__ = ["Roundings"]

#: Into how many parts a step is divided.
_PARTS: Final = 2**64


class Roundings:
    """What both roundings say; build it with `Roundings.of`."""

    def __init__(self, up: Monotone, down: Monotone) -> None:
        self._up = up
        self._down = down
        #: Whether an iteration crept, as it would again.
        self._has_stalled = False

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        grids: Mapping[str, Grid],
        rules: Collection[NormalRule],
        encoder: Encoder,
        constants: Constants,
        limits: Limits,
        relaxable: Collection[str],
    ) -> Roundings | None:
        """Both engines, the steps of what is relaxable ignored; None: the component is not monotone."""
        fine = {n: _refined(g) if n in relaxable else g for n, g in grids.items()}
        lowered = {n: _lowered(g, fine[n]) if n in relaxable else g for n, g in grids.items()}
        up = Monotone.of(names, fine, rules, encoder, constants, limits)
        down = Monotone.of(names, lowered, rules, encoder, constants, limits, rounded_down=frozenset(relaxable))
        return None if up is None or down is None else cls(up, down)

    def possible(self, rules: Iterable[str], levels: Mapping[str, int]) -> bool | None:
        """Whether the rules can reach their levels; None: the roundings do not tell.

        Raises:
            Undecided: the time is up.
        """
        if self._has_stalled:
            return None
        rules = list(rules)
        try:
            if not self._down.possible(rules, levels):
                return False
            return self._up.possible(rules, levels) or None
        except Stalled:
            self._has_stalled = True
            return None

    def blamed(self, rules: Iterable[str], levels: Mapping[str, int]) -> set[str]:
        """Of rules that are not possible, those that lead to that; mostly enough for it."""
        rules = list(rules)
        return (self._down.blame(rules, (), levels=levels) or set()) & set(rules)

    def derivation(self, rules: Iterable[str], levels: Mapping[str, int]) -> list[Step]:
        """Why there is no point, step by step, as `Monotone.derivation`; empty: the roundings do not tell."""
        try:
            return [] if self._has_stalled else self._down.derivation(rules, levels)
        except Stalled:
            return []


def _refined(grid: Grid) -> Grid:
    """The same domain in fine steps."""
    unit = grid.unit / _PARTS
    low = 1 if grid.positive else math.ceil((grid.domain_low or Fraction(0)) / unit)
    high = None if grid.domain_high is None else math.floor(grid.domain_high / unit)
    return replace(grid, unit=unit, low=low, high=high)


def _lowered(grid: Grid, fine: Grid) -> Grid:
    """The same from where all that is inside is no lower."""
    low = 0 if grid.positive else math.floor((grid.domain_low or Fraction(0)) / fine.unit)
    return replace(fine, low=low)
