"""One parameter moving while all others stand still, where every inequality is a sum: it holds on one side of one number."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from outlast.constraints.record import record
from outlast.solver.line import Reach

__all__ = ["Edge", "Straight"]


@record
class Edge:
    """Where an inequality of a rule ends along the parameter; an open edge does not hold itself."""

    rule: str
    at: Fraction
    #: Whether it holds below, not above.
    is_upper: bool
    is_open: bool

    def breaks(self, at: Fraction) -> bool:
        """Whether it is broken there."""
        if at == self.at:
            return self.is_open
        return at > self.at if self.is_upper else at < self.at


class Straight:
    """The inequalities along the parameter: what `Line` tells, without judging anything."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self._edges = edges
        lows = [(e.at, e.is_open) for e in edges if not e.is_upper]
        highs = [(e.at, not e.is_open) for e in edges if e.is_upper]
        self._low = max(lows, default=None)
        self._high = min(highs, default=None)

    def holds(self, at: Fraction) -> bool:
        """Whether every inequality holds there."""
        return not any(edge.breaks(at) for edge in self._edges)

    def breaking(self, at: Fraction) -> set[str]:
        """The rules that do not."""
        return {edge.rule for edge in self._edges if edge.breaks(at)}

    def reach(self, start: Fraction, *, upward: bool, edge: Fraction | None, beyond: bool = False) -> Reach:
        """The end of the stretch of values that hold, from a start that holds (`beyond`: only just beyond it), no further than the edge."""
        if upward:
            end = None if self._high is None else Reach(self._high[0], is_open=not self._high[1])
        else:
            end = None if self._low is None else Reach(self._low[0], is_open=self._low[1])
        if edge is not None:
            if end is None or end.at is None or (end.at > edge if upward else end.at < edge):
                return Reach(edge, is_open=beyond and edge == start)
        elif end is None:
            return Reach(None, is_open=True)
        return Reach(end.at, is_open=end.is_open or (beyond and end.at == start))

    def stretches(self, low: Reach, high: Fraction | None) -> list[tuple[Reach, Reach]]:
        """All stretches of values that hold between two ends: one or none."""
        assert low.at is not None
        first, is_open = max((low.at, low.is_open), self._low or (low.at, low.is_open))
        begins = Reach(first, is_open)
        ends = [e for e in (self._high, None if high is None else (high, True)) if e is not None]
        if not ends:
            return [(begins, Reach(None, is_open=True))]
        last, is_closed = min(ends)
        if last < first or (last == first and (is_open or not is_closed)):
            return []
        return [(begins, Reach(last, is_open=not is_closed))]

    def beyond(self, here: Fraction, *, upward: bool) -> Fraction:
        """A value just beyond, before anything else changes."""
        further = [e.at for e in self._edges if (e.at > here if upward else e.at < here)]
        if not further:
            return here + 1 if upward else here - 1
        return (here + (min(further) if upward else max(further))) / 2
