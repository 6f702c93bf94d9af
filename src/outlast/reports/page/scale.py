"""Where values stand on a slider: whole steps, evenly apart or, over great spans, in three digits; integers only.

scale.js does the same in the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from outlast.constraints.model import Interval, Parameter
from outlast.constraints.record import record

__all__ = ["Scale", "scale_of"]

#: A span from one number to so many times as much is not drawn evenly.
_MOST_FOLD: Final = 1000
#: How many positions an even slider has at most, about.
_MOST_POSITIONS: Final = 1000
#: The positions of one power of ten: 100 from 100 to 199, 150 from 200 to 498, 100 from 500 to 995.
_DECADE: Final = 350


@record(kw_only=True)
class Scale:
    """The positions of a slider, from 0 to `last`, and the whole numbers of steps that they stand for."""

    step: Fraction
    #: In steps.
    low: int
    high: int
    #: How many steps lie between two positions; 0: the numbers of three digits, times powers of ten.
    stride: int

    @property
    def last(self) -> int:
        """The greatest position."""
        start, end = self._place(self.low), self._place(self.high)
        return end - start + (self._number(end) < self.high)

    def value(self, position: int) -> Fraction:
        """The value at a position."""
        return self.step * min(self.high, max(self.low, self._number(self._place(self.low) + position)))

    def position(self, value: Fraction) -> int:
        """The greatest position whose value is no greater; 0 where there is none."""
        index = math.floor(value / self.step)
        if index >= self.high:
            return self.last
        return max(0, self._place(index) - self._place(self.low))

    def share(self, value: Fraction) -> int:
        """How far along it lies, in hundredths of a percent, rounded down."""
        start, end = self._place_times(self.low, 1), self._place_times(self.high, 1)
        steps = max(Fraction(0), value / self.step)
        at = self._place_times(steps.numerator, steps.denominator)
        above = (at[0] * start[1] - start[0] * at[1]) * end[1]
        whole = (end[0] * start[1] - start[0] * end[1]) * at[1]
        return min(10_000, max(0, 10_000 * above // whole))

    def _number(self, place: int) -> int:
        """The number of steps at a place of the whole scale, which begins with 0."""
        if self.stride:
            return place * self.stride
        if place < 100:
            return place
        power, rest = divmod(place - 100, _DECADE)
        if rest < 100:
            return (100 + rest) * _ten_to(power)
        return (200 + 2 * (rest - 100) if rest < 250 else 500 + 5 * (rest - 250)) * _ten_to(power)

    def _place(self, index: int) -> int:
        """The greatest place whose number is no greater."""
        if self.stride:
            return index // self.stride
        if index < 100:
            return index
        power = len(str(index)) - 3
        lead = index // _ten_to(power)
        if lead < 200:
            return 100 + _DECADE * power + lead - 100
        return 100 + _DECADE * power + (100 + (lead - 200) // 2 if lead < 500 else 250 + (lead - 500) // 5)

    def _place_times(self, n: int, d: int) -> tuple[int, int]:
        """The place of n/d steps, in parts of a place, as a numerator and a denominator above 0."""
        place = self._place(n // d)
        number = self._number(place)
        between = (self._number(place + 1) - number) * d
        return place * between + n - number * d, between


def _ten_to(power: int) -> int:
    return int(10**power)


def scale_of(parameter: Parameter, known: Iterable[Fraction]) -> Scale:
    """The slider of a parameter: its domain, open above up to twice the greatest of what is known of it; all that is known is on it."""
    domain, numbers = parameter.domain, [number for number in known if number >= 0]
    ends = domain if isinstance(domain, Interval) else Interval(None, None)
    step = parameter.step
    low = math.ceil((ends.low or Fraction(0)) / step)
    if low == 0 and parameter.zero is not None:
        low = 1  # 0 has a meaning of its own
    high = max([2 * number for number in numbers], default=Fraction(0)) if ends.high is None else ends.high
    last = math.floor(high / step)
    if ends.high is None or last <= low:
        last = max(last, low + 10)
    if numbers:
        low, last = min(low, math.floor(min(numbers) / step)), max(last, math.ceil(max(numbers) / step))
    is_even = last <= _MOST_FOLD * max(low, 1)
    return Scale(step=step, low=low, high=last, stride=_stride(last - low) if is_even else 0)


def _stride(steps: int) -> int:
    """The least of 1, 2, 5, 10, … that leaves a slider of handy length."""
    power = 1
    while steps > _MOST_POSITIONS * power * 10:
        power *= 10
    return next(power * n for n in (1, 2, 5, 10) if steps <= _MOST_POSITIONS * power * n)
