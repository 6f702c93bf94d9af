"""A measurement as data: single observations or cells of a histogram, with the bounds of its quantiles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import Final, Protocol

from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.measurements.quantile import lower_rank, samples_needed, upper_rank
from outlast.constraints.quantities import format_number, format_value
from outlast.constraints.record import record

__all__ = ["Cell", "CellSample", "ExactSample", "Measurement", "Observations", "QuantileError", "Sample", "level_name"]

#: So many of the longest observations are selected at first; all are sorted only if a rank lies further down.
_SELECTED: Final = 1000


class Sample(Protocol):
    """What was measured. Durations are nanoseconds."""

    @property
    def size(self) -> int:
        """The number of observations, lost ones included."""

    def upper(self, level: Fraction, confidence: Fraction) -> Fraction:
        """The upper confidence bound of a quantile, in ns, rounded up to a whole one."""

    def lower(self, level: Fraction, confidence: Fraction) -> Fraction:
        """The lower confidence bound of a quantile, in ns, rounded down to a whole one."""


class QuantileError(OutlastError):
    """A quantile has no bound in this sample. `needed` is how many observations would do, where more would."""

    def __init__(self, message: str, place: Place | None = None, *, needed: int | None = None) -> None:
        super().__init__(message, place)
        self.needed = needed


class Observations(ABC):
    """A sample that was read from a file. Lost observations count as infinitely long."""

    __slots__ = ("_bounds", "lost")

    #: How many observations never came back.
    lost: int

    def __init__(self, lost: int) -> None:
        self.lost = lost
        self._bounds: dict[tuple[str, Fraction, Fraction], Fraction] = {}

    @property
    @abstractmethod
    def returned(self) -> int:
        """The number of observations that came back; at least 1."""

    @property
    def size(self) -> int:
        """The number of observations, lost ones included."""
        return self.returned + self.lost

    @property
    @abstractmethod
    def smallest(self) -> Fraction:
        """The shortest observation (the lower edge of its cell), in ns."""

    @property
    @abstractmethod
    def largest(self) -> Fraction | None:
        """The longest observation that came back (the upper edge of its cell), in ns; None: its cell has no upper edge."""

    @abstractmethod
    def _at_most(self, rank: int) -> Fraction | None:
        """What the observation of that rank, from 1 to `returned`, does not exceed, in ns; None: nothing known."""

    @abstractmethod
    def _at_least(self, rank: int) -> Fraction:
        """What the observation of that rank, from 1 to `returned`, does not fall short of, in ns."""

    def upper(self, level: Fraction, confidence: Fraction) -> Fraction:
        """The upper confidence bound of a quantile, in ns, rounded up to a whole one.

        Raises:
            QuantileError: there are too few observations, or the one that is the bound was lost or has no upper edge.
        """
        key = ("upper", level, confidence)
        if key not in self._bounds:
            _check_level(level)
            rank = upper_rank(self.size, level, confidence)
            if rank is None:
                raise _too_few("upper", level, confidence, self.size)
            self._bounds[key] = Fraction(self._known(rank, level, "an upper bound").__ceil__())
        return self._bounds[key]

    def lower(self, level: Fraction, confidence: Fraction) -> Fraction:
        """The lower confidence bound of a quantile, in ns, rounded down to a whole one.

        Where the observation that is the bound was lost, the longest that came back is one, too.

        Raises:
            QuantileError: there are too few observations.
        """
        key = ("lower", level, confidence)
        if key not in self._bounds:
            _check_level(level)
            rank = lower_rank(self.size, level, confidence)
            if rank is None:
                raise _too_few("lower", level, confidence, self.size)
            self._bounds[key] = Fraction(self._at_least(min(rank, self.returned)).__floor__())
        return self._bounds[key]

    def estimate(self, level: Fraction) -> Fraction:
        """The sample's own quantile, the ceil(size · level)-th observation (the upper edge of its cell), in ns.

        Raises:
            QuantileError: that observation was lost, or its cell has no upper edge.
        """
        _check_level(level)
        return self._known((self.size * level).__ceil__(), level, "an estimate")

    @abstractmethod
    def counts(self, edges: Sequence[Fraction]) -> dict[tuple[int, int], int]:
        """How many of those that came back lie where, by the first and the last bin that may hold them; sorted.

        Bin n goes from `edges[n]`, in ns and ascending, itself excluded but for the first, up to the next one; the last has no end.
        What lies below all edges is in the first.
        """

    def _known(self, rank: int, level: Fraction, what: str) -> Fraction:
        where = f"rank {rank} of {self.size}"
        if rank > self.returned:
            raise QuantileError(
                f"expected {what} of {level_name(level)}, found that it falls among the {self.lost} lost observations ({where})"
            )
        value = self._at_most(rank)
        if value is None:
            edge = format_value(self._at_least(rank), 1)
            raise QuantileError(
                f"expected {what} of {level_name(level)}, found that it falls in the last bucket, above {edge}, which has no upper edge "
                f"({where}); measure with longer buckets"
            )
        return value


class ExactSample(Observations):
    """Observations one by one; an observation lasts its value times `unit` nanoseconds."""

    __slots__ = ("_is_sorted", "_longest", "_unit", "_values")

    def __init__(self, values: Iterable[int] | Iterable[Decimal], unit: Fraction, lost: int = 0) -> None:
        super().__init__(lost)
        self._values: list[int] | list[Decimal] = list(values)  # type: ignore[assignment]  # one of both, as it came
        self._unit = unit
        self._is_sorted = False
        #: The longest ones, descending, once they have been selected.
        self._longest: list[int] | list[Decimal] = []
        if not self._values:
            raise ValueError("expected at least one observation")

    @property
    def returned(self) -> int:
        """The number of observations that came back."""
        return len(self._values)

    @property
    def smallest(self) -> Fraction:
        """The shortest observation, in ns."""
        return self._at_least(1)

    @property
    def largest(self) -> Fraction:
        """The longest observation that came back, in ns."""
        return self._at_least(self.returned)

    def counts(self, edges: Sequence[Fraction]) -> dict[tuple[int, int], int]:
        """How many of those that came back lie in which bin."""
        if not self._is_sorted:
            self._values.sort()
            self._is_sorted = True
        upto = [bisect_right(self._values, edge / self._unit, key=Fraction) for edge in edges[1:]]
        ends = [0, *upto, self.returned]
        return {(n, n): ends[n + 1] - ends[n] for n in range(len(edges)) if ends[n + 1] > ends[n]}

    def _at_most(self, rank: int) -> Fraction:
        return self._at_least(rank)

    def _at_least(self, rank: int) -> Fraction:
        return Fraction(self._ranked(rank)) * self._unit

    def _ranked(self, rank: int) -> int | Decimal:
        values, from_above = self._values, self.returned + 1 - rank
        if self._is_sorted:
            return values[rank - 1]
        if rank == 1:
            return min(values)
        if from_above == 1:
            return max(values)
        if from_above <= _SELECTED < len(values) // 4:
            import heapq

            self._longest = self._longest or heapq.nlargest(_SELECTED, values)  # type: ignore[assignment]  # of one kind
            return self._longest[from_above - 1]
        values.sort()
        self._is_sorted = True
        return values[rank - 1]


@record
class Cell:
    """So many observations from `lower` to `upper` nanoseconds; None is no upper edge."""

    lower: Fraction
    upper: Fraction | None
    count: int


class CellSample(Observations):
    """Observations of which only the cell of a histogram is known. Cells may overlap and come in any order."""

    __slots__ = ("_cells", "_lower", "_upper")

    def __init__(self, cells: Sequence[Cell], lost: int = 0) -> None:
        super().__init__(lost)
        filled = [cell for cell in cells if cell.count > 0]
        if not filled:
            raise ValueError("expected at least one observation")
        self._cells = filled
        # The k-th smallest observation is at most the k-th smallest upper edge, and at least the k-th smallest lower one.
        self._lower = _Edges.of((cell.lower, cell.count) for cell in filled)
        self._upper = _Edges.of((cell.upper, cell.count) for cell in filled)

    @property
    def returned(self) -> int:
        """The number of observations that came back."""
        return self._lower.ranks[-1]

    @property
    def smallest(self) -> Fraction:
        """The lower edge of the first cell that is not empty, in ns."""
        return self._at_least(1)

    @property
    def largest(self) -> Fraction | None:
        """The upper edge of the last cell that is not empty, in ns; None: it has none."""
        return self._at_most(self.returned)

    def counts(self, edges: Sequence[Fraction]) -> dict[tuple[int, int], int]:
        """How many of those that came back lie in which bins."""
        found: dict[tuple[int, int], int] = {}
        for cell in self._cells:
            last = len(edges) - 1 if cell.upper is None else max(bisect_left(edges, cell.upper) - 1, 0)
            first = min(max(bisect_right(edges, cell.lower) - 1, 0), last)
            found[first, last] = found.get((first, last), 0) + cell.count
        return dict(sorted(found.items()))

    def _at_most(self, rank: int) -> Fraction | None:
        return self._upper.edge(rank)

    def _at_least(self, rank: int) -> Fraction:
        edge = self._lower.edge(rank)
        return Fraction(0) if edge is None else edge


@record
class _Edges:
    """Edges ascending (None, which is no edge, last), each with the rank of the last observation that has it."""

    edges: list[Fraction | None]
    ranks: list[int]

    @classmethod
    def of(cls, counted: Iterable[tuple[Fraction | None, int]]) -> _Edges:
        ordered = sorted(counted, key=lambda pair: (pair[0] is None, pair[0] or 0))
        return cls([edge for edge, _ in ordered], list(accumulate(count for _, count in ordered)))

    def edge(self, rank: int) -> Fraction | None:
        return self.edges[bisect_left(self.ranks, rank)]


def level_name(level: Fraction) -> str:
    """How a spec writes the quantile.

    >>> level_name(Fraction("0.9999"))
    'p99.99'
    """
    return f"p{format_number(level * 100)}"


def _check_level(level: Fraction) -> None:
    if not 0 < level < 1:
        raise QuantileError(f"expected a quantile between p0 and p100, both excluded, found {level_name(level)}")


def _too_few(side: str, level: Fraction, confidence: Fraction, size: int) -> QuantileError:
    needed = samples_needed(level, confidence, "upper" if side == "upper" else "lower")
    article = "an upper" if side == "upper" else "a lower"
    return QuantileError(
        f"expected at least {needed} samples for {article} bound of {level_name(level)} at {format_number(confidence * 100)}% confidence, "
        f"found {size}",
        needed=needed,
    )


@record(kw_only=True)
class Measurement:
    """A measurement of the spec: what was read, from where, and when it was taken."""

    name: str
    place: Place
    #: As written in the spec, relative to its folder.
    file: str
    sample: Sample
    taken: date | None
    why: str | None = None
    source: str | None = None
    owner: str | None = None
    reviewed: date | None = None
    review_by: date | None = None
