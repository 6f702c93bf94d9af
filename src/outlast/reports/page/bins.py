"""In which bins a sample is counted: exact decimal edges, drawn equally wide, so that the axis is logarithmic without any logarithm.

The edges are the preferred numbers of the Renard series R10, rounded as in ISO 3 (1, 1.25, 1.6, …), where that makes too many bins 1, 2 and
5, and where it makes too few even steps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from outlast.constraints.measurements.sample import CellSample, Observations
from outlast.constraints.record import record

__all__ = ["Bar", "Bins", "bins_of"]

_R10: Final = tuple(map(Fraction, ("1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8")))
_SERIES: Final = (_R10, tuple(map(Fraction, (1, 2, 5))), (Fraction(1),))
#: From 1 ns to more than any duration.
_DECADES: Final = 20
_MOST: Final = 40
_FEWEST: Final = 8


@record(kw_only=True)
class Bar:
    """Neighbouring bins of which the same is known."""

    #: Numbers of the first and the last bin.
    first: int
    last: int
    #: Observations a bin, those that may lie elsewhere too by their share.
    height: Fraction
    #: How many surely lie here, and how many may.
    least: int
    most: int


@record(kw_only=True)
class Bins:
    """A sample that is counted; bin n goes from edge n to the next one, the last to no end."""

    #: In ns.
    edges: tuple[Fraction, ...]
    #: Whether something may lie beyond the last edge, so that this is a bin, too.
    is_open: bool
    bars: tuple[Bar, ...]

    @property
    def number(self) -> int:
        """How many bins there are; at least 1."""
        return len(self.edges) - 1 + self.is_open

    def place(self, value: Fraction) -> Fraction:
        """Where a value lies, in bins from the left; values outside lie at the ends."""
        n = bisect_left(self.edges, value) - 1
        if n < 0:
            return Fraction(0)
        if n >= len(self.edges) - 1:
            return Fraction(self.number)
        return n + (value - self.edges[n]) / (self.edges[n + 1] - self.edges[n])


def bins_of(sample: Observations) -> Bins:
    """Count a sample in as many bins as show its shape."""
    found: tuple[Fraction, ...] = ()
    for series in _SERIES:
        fine = tuple(_edges(series))
        found = _trimmed(fine, sample.counts(fine))
        if len(found) <= _MOST:
            break
    if len(found) <= _FEWEST and not isinstance(sample, CellSample) and sample.largest is not None:
        found = _even(sample.smallest, sample.largest)
    counts = sample.counts(found)
    return Bins(
        edges=found,
        is_open=any(last == len(found) - 1 for _, last in counts),
        bars=tuple(_bars(counts)),
    )


def _edges(series: Sequence[Fraction]) -> Iterator[Fraction]:
    yield Fraction(0)
    for power in range(_DECADES):
        for number in series:
            yield number * 10**power


def _trimmed(fine: Sequence[Fraction], counts: Mapping[tuple[int, int], int]) -> tuple[Fraction, ...]:
    """The edges around what was counted, 0 and the next one that matters first where something may be as short as that."""
    firsts = [first for first, _ in counts if first > 0] + [last + 1 for first, last in counts if first == 0 < last]
    start = min(firsts, default=1)
    end = max(min(last, max(first, start) if last == len(fine) - 1 else last) + 1 for first, last in counts)
    zero = (fine[0],) if any(first == 0 for first, _ in counts) else ()
    return (*zero, *fine[start : max(end, start + 1 - len(zero)) + 1])


def _even(low: Fraction, high: Fraction) -> tuple[Fraction, ...]:
    """Steps of 1, 2 or 5 times a power of ten, at least eight of them where both ends differ by so many ns."""
    step = Fraction(1)
    while step * 10 * _FEWEST <= high - low:
        step *= 10
    step *= next((n for n in (5, 2) if step * n * _FEWEST <= high - low), 1)
    first = max((low / step).__ceil__() - 1, 0)
    last = max((high / step).__ceil__(), first + 1)
    return tuple(step * n for n in range(first, last + 1))


def _bars(counts: Mapping[tuple[int, int], int]) -> Iterator[Bar]:
    """Bins between two places where something begins or ends have the same height."""
    cuts = sorted({first for first, _ in counts} | {last + 1 for _, last in counts})
    for start, end in pairwise(cuts):
        here = {(a, b): n for (a, b), n in counts.items() if a < end and start <= b}
        if here:
            yield Bar(
                first=start,
                last=end - 1,
                height=sum((Fraction(n, b - a + 1) for (a, b), n in here.items()), Fraction(0)),
                least=sum(n for (a, b), n in here.items() if start <= a and b < end),
                most=sum(here.values()),
            )
