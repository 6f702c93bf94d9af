"""All minimal infeasible sets and all minimal corrections at once, each the minimal hitting sets of the other.

Dualize and advance (D. Gunopulos and others, "Discovering all most specific sentences", TODS 2003; J. Bailey and P. Stuckey, "Discovery of minimal
unsatisfiable subsets of constraints using hitting set dualization", PADL 2005): the sets found so far are hit in every minimal way; what is left after a
hit either can hold together, or contains a new set. The search for what to try next needs no solver, and what comes out does not depend on the order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction

from outlast.constraints.progress import doing
from outlast.constraints.record import record
from outlast.solver.limits import Limits, Undecided

__all__ = ["Minimal", "enumerate_minimal"]

#: More minimal hitting sets than this are not kept; the dearest go.
_MOST_HITS = 3_000

#: Of corrections as cheap as the last that is asked for, at most so many times as many as are asked for are found.
_MOST_TIED = 3


@record(kw_only=True)
class Minimal:
    """What was found; both sorted, the infeasible sets by size, the corrections by cost and size."""

    infeasible: tuple[frozenset[str], ...]
    #: Without each of these the rest can hold together.
    corrections: tuple[frozenset[str], ...]
    #: Why these are not all; None: they are.
    missing: str | None


def enumerate_minimal(
    items: Sequence[str],
    shrink: Callable[[Collection[str]], list[str] | None],
    limits: Limits,
    *,
    known: Iterable[frozenset[str]] = (),
    holding: Iterable[frozenset[str]] = (),
    most: int | None = None,
    enough: int | None = None,
    cost: Callable[[str], Fraction] | None = None,
) -> Minimal:
    """All minimal infeasible subsets and minimal corrections of the items, the cheapest corrections first.

    `shrink` gives a minimal infeasible subset of some items, or None if they can hold together; it may raise Undecided. `known` are
    minimal infeasible subsets, without `holding` the rest is known to hold together. After `most` infeasible subsets, or `enough`
    corrections (and those as cheap as the last of them), the search ends.
    """
    search = _Search(items, cost)
    for one in sorted(known, key=_order):
        search.add(one)
    for one in holding:
        search.verified.add(search.mask(one))
    missing: str | None = None
    undecided: set[int] = set()
    last: tuple[int, int] | None = None
    enough = enough if enough is not None else _MOST_HITS
    while (tried := search.cheapest(undecided)) is not None:
        if last is not None and (search.rank(tried) > last or len(search.verified) >= _MOST_TIED * enough):
            missing = f"the search ended after {_counted(len(search.verified), 'way')} out"
            break
        doing("explaining: {} conflicts and {} ways out so far", len(search.found), len(search.verified))
        try:
            limits.check()
            new = shrink([i for i in items if not search.bits[i] & tried])
        except Undecided as limit:
            undecided.add(tried)
            if limits.is_over:
                missing = str(limit)
                break
            continue
        if new is None:
            search.verified.add(tried)
            if len(search.verified) == enough:
                last = search.rank(tried)
            continue
        if most is not None and len(search.found) >= most:
            missing = f"the search ended after {_counted(most, 'conflict')}"
            break
        search.add(frozenset(new))
    if missing is None and undecided:
        missing = "some questions could not be answered within the effort"
    if missing is None and search.has_cut:
        missing = f"only the {_MOST_HITS} cheapest ways out were looked at"
    return Minimal(
        infeasible=tuple(sorted(search.found, key=_order)),
        corrections=tuple(search.names(h) for h in sorted(search.hits, key=search.order) if h in search.verified),
        missing=missing,
    )


class _Search:
    """The sets found, and all minimal ways to hit them; sets of items are bits of whole numbers, those of earlier names the higher ones."""

    def __init__(self, items: Sequence[str], cost: Callable[[str], Fraction] | None) -> None:
        ordered = sorted(items, reverse=True)
        self.bits = {item: 1 << number for number, item in enumerate(ordered)}
        self._items = ordered
        costs = [cost(i) if cost is not None else Fraction(1) for i in ordered]
        unit = math.lcm(*(c.denominator for c in costs))
        #: In whole parts of the smallest cost, by bit.
        self._costs = {1 << n: int(c * unit) for n, c in enumerate(costs)}
        self.found: dict[frozenset[str], int] = {}
        #: The minimal ways, each with its cost.
        self.hits: dict[int, int] = {0: 0}
        self.verified: set[int] = set()
        self.has_cut = False

    def mask(self, some: Iterable[str]) -> int:
        """A set as a number."""
        return sum(self.bits[i] for i in some)

    def names(self, mask: int) -> frozenset[str]:
        """A number as a set."""
        return frozenset(self._items[bit.bit_length() - 1] for bit in _bits_of(mask))

    def rank(self, hit: int) -> tuple[int, int]:
        """The cost and the size of a way."""
        return self.hits[hit], hit.bit_count()

    def order(self, hit: int) -> tuple[int, int, int]:
        """By cost and size, then by the names: of two sets as large as each other, the one with the first name that the other has not."""
        return self.hits[hit], hit.bit_count(), -hit

    def cheapest(self, without: Collection[int]) -> int | None:
        """The cheapest way to hit all sets that was not tried yet."""
        untried = (h for h in self.hits if h not in self.verified and h not in without)
        return min(untried, key=self.order, default=None)

    def add(self, one: frozenset[str]) -> None:
        """Another set to be hit: all minimal ways to do so, from those before (C. Berge, "Hypergraphs", 1989)."""
        new = self.mask(one)
        others = list(self.found.values())
        self.found[one] = new
        before, self.hits = self.hits, {h: cost for h, cost in self.hits.items() if h & new}
        for hit, cost in before.items():
            if not hit & new:
                allowed = new & ~_spoiling(hit, others)
                self.hits.update((hit | b, cost + self._costs[b]) for b in _bits_of(allowed))
        if len(self.hits) > _MOST_HITS:
            self.hits = {h: self.hits[h] for h in sorted(self.hits, key=self.order)[:_MOST_HITS]}
            self.has_cut = True


def _spoiling(hit: int, sets: Iterable[int]) -> int:
    """The items beside which some member of a minimal way is no longer needed: they are in every set that it alone hits."""
    alone: dict[int, int] = {}
    for one in sets:
        common = one & hit
        if not common & (common - 1):
            alone[common] = alone.get(common, one) & one
    spoiling = 0
    for shared in alone.values():
        spoiling |= shared
    return spoiling


def _bits_of(mask: int) -> Iterable[int]:
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _order(some: frozenset[str]) -> tuple[int, list[str]]:
    return len(some), sorted(some)
