"""Which things of two sides are the same ones: what agrees in the most is matched first, each with one other at most."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

__all__ = ["Key", "matched"]

_T = TypeVar("_T")

#: What must agree; None: it cannot be told.
Key = Callable[[_T], Hashable | None]


def matched(old: Sequence[_T], new: Sequence[_T], keys: Sequence[tuple[Key[_T], Key[_T]]]) -> dict[int, int]:
    """By the number of a new one, the number of the old one that it is; `keys`, for old and new ones, the surest first.

    >>> matched(["a1", "b1"], ["b2", "a1"], [(lambda t: t, lambda t: t), (lambda t: t[0], lambda t: t[0])])
    {1: 0, 0: 1}
    """
    found: dict[int, int] = {}
    left = dict.fromkeys(range(len(old)))
    for key_of_old, key_of_new in keys:
        waiting: dict[Hashable, list[int]] = {}
        for number in left:
            key = key_of_old(old[number])
            if key is not None:
                waiting.setdefault(key, []).append(number)
        for number, thing in enumerate(new):
            key = None if number in found else key_of_new(thing)
            if key is not None and (numbers := waiting.get(key)):
                found[number] = numbers.pop(0)
                del left[found[number]]
    return found
