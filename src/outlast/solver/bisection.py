"""Where something changes once between two whole numbers."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["first", "last"]


def last(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The greatest number at which something holds; it does at `low`, which is not asked, and does not at `high`.

    >>> last(0, 100, lambda n: n * n <= 50)
    7
    """
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The smallest number at which something holds; it does not at `low`, and does at `high`, which is not asked.

    >>> first(0, 100, lambda n: n * n >= 50)
    8
    """
    return last(low, high, lambda n: not holds(n)) + 1
