"""Where something changes once between two whole numbers."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["first", "greatest_found", "last", "smallest_found"]


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


def smallest_found(found: int, low: int, find: Callable[[int], int | None]) -> int:
    """The smallest number that there is, from one that there is; `find` gives one that is no greater than what it is asked for, None: there is none.

    There is none at `low`. What a solver finds is mostly the end already, so that the next number is asked for before the middle.

    >>> smallest_found(100, -1, lambda most: 7 if most >= 7 else None)
    7
    """
    while found - low > 1:
        better = find(found - 1)
        if better is None:
            return found
        found = better
        if found - low > 1:
            middle = (found + low) // 2
            better = find(middle)
            low, found = (middle, found) if better is None else (low, better)
    return found


def greatest_found(found: int, high: int, find: Callable[[int], int | None]) -> int:
    """The same for the greatest number; `find` gives one that is no smaller, and there is none at `high`.

    >>> greatest_found(0, 100, lambda least: 7 if least <= 7 else None)
    7
    """

    def mirrored(most: int) -> int | None:
        better = find(-most)
        return None if better is None else -better

    return -smallest_found(-found, -high, mirrored)
