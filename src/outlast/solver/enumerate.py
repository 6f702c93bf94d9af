"""All minimal infeasible sets and all minimal corrections at once, each the minimal hitting sets of the other.

Dualize and advance (D. Gunopulos and others, "Discovering all most specific sentences", TODS 2003; J. Bailey and P. Stuckey, "Discovery of minimal
unsatisfiable subsets of constraints using hitting set dualization", PADL 2005): the sets found so far are hit in every minimal way; what is left after a
hit either can hold together, or contains a new set. The search for what to try next needs no solver, and what comes out does not depend on the order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from outlast.constraints.record import record
from outlast.solver.limits import Limits, Undecided

__all__ = ["Minimal", "enumerate_minimal", "hit_too"]

#: More minimal hitting sets than this are not kept.
_MOST_HITS = 20_000


@record(kw_only=True)
class Minimal:
    """What was found; both sorted, the smallest first."""

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
) -> Minimal:
    """All minimal infeasible subsets and minimal corrections of the items.

    `shrink` gives a minimal infeasible subset of some items, or None if they can hold together; it may raise Undecided. `known` are
    minimal infeasible subsets, without `holding` the rest is known to hold together; after `most` of the former the search ends.
    """
    found: dict[frozenset[str], None] = {}
    hits: list[frozenset[str]] = [frozenset()]
    verified = set(holding)
    undecided: set[frozenset[str]] = set()
    missing: str | None = None
    for one in sorted(known, key=_order):
        found[one] = None
        hits = hit_too(hits, one)
    while missing is None:
        open_hits = [h for h in hits if h not in verified and h not in undecided]
        if not open_hits:
            break
        tried = min(open_hits, key=_order)
        try:
            limits.check()
            new = shrink([i for i in items if i not in tried])
        except Undecided as limit:
            undecided.add(tried)
            if limits.is_over:
                missing = str(limit)
            continue
        if new is None:
            verified.add(tried)
            continue
        if most is not None and len(found) >= most:
            missing = f"the search ended after {most} conflicts"
            break
        found[frozenset(new)] = None
        hits = hit_too(hits, frozenset(new))
        if len(hits) > _MOST_HITS:
            missing = f"there are more than {_MOST_HITS} ways out to look at"
    if missing is None and undecided:
        missing = "some questions could not be answered within the effort"
    return Minimal(
        infeasible=tuple(sorted(found, key=_order)),
        corrections=tuple(sorted((h for h in hits if h in verified), key=_order)),
        missing=missing,
    )


def hit_too(hits: Sequence[frozenset[str]], one: frozenset[str]) -> list[frozenset[str]]:
    """All minimal hitting sets once another set has to be hit, from those before it (C. Berge, "Hypergraphs", 1989)."""
    kept = [h for h in hits if not h.isdisjoint(one)]
    grown = list(kept)
    for hit in hits:
        if hit.isdisjoint(one):
            for item in sorted(one):
                larger = hit | {item}
                if not any(k <= larger for k in kept):
                    grown.append(larger)
    return grown


def _order(some: frozenset[str]) -> tuple[int, list[str]]:
    return len(some), sorted(some)
