"""The values that a free parameter may take: multiples of its step in its domain, or the values that it lists."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction

from outlast.constraints.model import Choices, Interval, Parameter
from outlast.constraints.quantities import Kind, Sentinel, Value
from outlast.constraints.record import record

__all__ = ["Grid", "grid_of"]


@record(kw_only=True)
class Grid:
    """Effective values of one free parameter. A number is `unit` times a whole index k."""

    name: str
    #: The power of time of its dimension.
    time_exponent: int
    unit: Fraction
    #: Smallest and largest index; no largest where nothing limits it.
    low: int
    high: int | None
    #: The indices of a listed domain, ascending; None for a regular grid.
    listed: tuple[int, ...] | None
    #: Sentinels that may be chosen.
    specials: tuple[Sentinel, ...]
    #: Counts stay whole where steps are ignored.
    whole: bool
    #: Whether 0 is excluded because it has a meaning of its own.
    positive: bool
    #: The domain as written, steps left aside; None where it says nothing (0 is then the natural lower end).
    domain_low: Fraction | None
    domain_high: Fraction | None
    #: How an effective value is written where that differs: a 0 that means infinite.
    spelled: tuple[tuple[Value, Value], ...] = ()

    @property
    def count(self) -> int | None:
        """How many numbers there are; None: without end."""
        if self.listed is not None:
            return len(self.listed)
        return None if self.high is None else max(0, self.high - self.low + 1)

    def value(self, index: int) -> Fraction:
        """The number with that index."""
        return self.unit * index

    def numbers(self) -> list[Fraction]:
        """All numbers, ascending; only for finite grids."""
        if self.listed is not None:
            return [self.unit * k for k in self.listed]
        assert self.high is not None
        return [self.unit * k for k in range(self.low, self.high + 1)]

    def at_least(self, index: int) -> int | None:
        """The smallest index on the grid that is no smaller."""
        if self.listed is not None:
            place = bisect_left(self.listed, index)
            return self.listed[place] if place < len(self.listed) else None
        index = max(index, self.low)
        return index if self.high is None or index <= self.high else None

    def at_most(self, index: int) -> int | None:
        """The largest index on the grid that is no larger."""
        if self.listed is not None:
            place = bisect_right(self.listed, index)
            return self.listed[place - 1] if place else None
        if self.high is not None:
            index = min(index, self.high)
        return index if index >= self.low else None

    def index(self, value: Fraction) -> int | None:
        """The index of a number, or None if it is not on the grid."""
        index = value / self.unit
        if index.denominator != 1 or self.at_least(int(index)) != int(index):
            return None
        return int(index)

    def index_to(self, value: Fraction) -> int | None:
        """The index of the largest number that is no larger than the value."""
        return self.at_most(math.floor(value / self.unit))

    def __contains__(self, value: Value) -> bool:
        return value in self.specials if isinstance(value, Sentinel) else self.index(value) is not None

    def written(self, value: Value) -> Value:
        """The value as it is written in the spec."""
        return dict(self.spelled).get(value, value)


def grid_of(parameter: Parameter) -> Grid:
    """The grid of a free parameter, in effective values."""
    domain, step, whole = parameter.domain, parameter.step, parameter.kind is Kind.COUNT
    if isinstance(domain, Choices):
        spelled: dict[Value, Value] = {}
        effective: list[Value] = []
        for value in domain.values:
            means = parameter.effective(value)
            if means != value and means not in domain.values:
                spelled[means] = value
            effective.append(means)
        numbers = sorted({v for v in effective if not isinstance(v, Sentinel)})
        unit = _common_unit(numbers) if numbers else step
        return Grid(
            name=parameter.name, time_exponent=parameter.kind.time_exponent, unit=unit, low=0, high=None, listed=tuple(int(v / unit) for v in numbers),
            specials=tuple(s for s in Sentinel if s in effective), whole=whole,
            positive=False, domain_low=numbers[0] if numbers else None, domain_high=numbers[-1] if numbers else None,
            spelled=tuple(spelled.items()),
        )  # fmt: skip
    interval = domain if domain is not None else Interval(None, None)
    low = math.ceil((interval.low or Fraction(0)) / step)
    positive = parameter.zero is not None and low == 0
    if positive:
        low = 1  # 0 has a meaning of its own here, which an interval does not offer
    high = None if interval.high is None else math.floor(interval.high / step)
    return Grid(
        name=parameter.name, time_exponent=parameter.kind.time_exponent, unit=step, low=low, high=high, listed=None, specials=(), whole=whole,
        positive=positive, domain_low=interval.low, domain_high=interval.high,
    )  # fmt: skip


def _common_unit(numbers: list[Fraction]) -> Fraction:
    """The greatest fraction of which all are multiples; 1 if all are 0."""
    denominator = math.lcm(*(n.denominator for n in numbers))
    numerator = math.gcd(*(int(n * denominator) for n in numbers))
    return Fraction(numerator, denominator) if numerator else Fraction(1)
