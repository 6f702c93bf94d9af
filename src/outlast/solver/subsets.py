"""Smallest sets: minimum hitting sets, minimal and smallest infeasible subsets.

The smallest infeasible subset is found by implicit hitting sets (Ignatiev, Previti, Liffiton, Marques-Silva, "Smallest MUS extraction with minimal hitting set dualization", CP 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction

__all__ = ["lightest_hitting_set", "minimal_infeasible", "smallest_infeasible"]


def minimal_infeasible(
    items: Sequence[str], feasible: Callable[[Collection[str]], bool], *, mostly_needed: bool = False
) -> list[str]:
    """A subset of an infeasible set of which no item can be left out; later items are left out first.

    From the end, the longest stretch that can be left out is found by bisection; the item before it is needed. Where most items are needed, short
    stretches are tried first, each four times as long as the one before.
    """
    open_items, needed = list(items), list[str]()
    while open_items:
        low, high = 0, len(open_items) + 1  # leaving out `low` items from the end keeps it infeasible, `high` does not
        while high - low > 1:
            middle = (low + high) // 2
            if mostly_needed and high > len(open_items):
                middle = min(max(4 * low, 1), middle)
            if feasible([*open_items[: len(open_items) - middle], *needed]):
                high = middle
            else:
                low = middle
        if low:
            del open_items[-low:]
        if open_items:
            needed.insert(0, open_items.pop())
    return needed


def smallest_infeasible(
    items: Sequence[str],
    feasible: Callable[[Collection[str]], bool],
    start: Sequence[str] | None = None,
    check: Callable[[], None] = lambda: None,
) -> list[str]:
    """The smallest infeasible subset of an infeasible set; of several the one whose sorted items come first.

    `start` is an infeasible subset that is known already, `check` as for `lightest_hitting_set`.
    """
    every = sorted(items)
    found = minimal_infeasible(sorted(start if start is not None else every), feasible, mostly_needed=start is not None)
    corrections: list[frozenset[str]] = []
    for item in found:
        if len(every) == len(found) or feasible([i for i in every if i != item]):
            corrections.append(frozenset([item]))
    if len(corrections) == len(found):
        return sorted(found)
    while True:
        chosen = lightest_hitting_set(corrections, dict.fromkeys(every, Fraction(1)), check)
        if not feasible(chosen):
            return sorted(chosen)
        grown = list(chosen)
        for item in every:
            if item not in grown and feasible([*grown, item]):
                grown.append(item)
        corrections.append(frozenset(every) - frozenset(grown))


def lightest_hitting_set(
    sets: Iterable[frozenset[str]], weights: Mapping[str, Fraction], check: Callable[[], None] = lambda: None
) -> list[str]:
    """The items with the smallest total weight that meet every set; then the fewest, then the first when sorted.

    `check` is called now and then; it may raise what ends the search.
    """
    wanted = sorted(set(sets), key=lambda s: (len(s), sorted(s)))
    best: tuple[Fraction, int, list[str]] | None = None

    def search(chosen: frozenset[str], excluded: frozenset[str], weight: Fraction) -> None:
        nonlocal best
        check()
        if best is not None and (weight, len(chosen)) > best[:2]:
            return
        missed = next((s for s in wanted if not s & chosen), None)
        if missed is None:
            candidate = (weight, len(chosen), sorted(chosen))
            if best is None or candidate < best:
                best = candidate
            return
        passed: set[str] = set()
        for item in sorted(missed - excluded, key=lambda i: (weights[i], i)):
            search(chosen | {item}, excluded | passed, weight + weights[item])
            passed.add(item)

    search(frozenset(), frozenset(), Fraction(0))
    assert best is not None  # every set has an item
    return best[2]
