"""What is needed for a failure of least points that is a path: a parameter raises the next one, and so on up to a limit.

Most failures are paths. Then all that is on it is needed, which is seen by going back along it once, instead of by leaving out one thing after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from outlast.constraints.record import record
from outlast.solver.grid import Grid
from outlast.solver.rows import Curve, Row, reads

__all__ = ["Border", "Failure", "Path", "path_of"]


@record
class Border:
    """Where indices end; open: only before or beyond."""

    at: int | Fraction
    is_open: bool = False


@record(kw_only=True)
class Failure:
    """How an iteration failed: the rule that could not be mended, the rule that raised each index last, and where each began."""

    rule: str
    #: The index whose limit was passed, and the limit; None: the rule has no index to raise.
    limited: int | None
    limit: Border | None
    raised_by: Mapping[int, str]
    begun: Sequence[Border]
    #: The same for one index without the end of its domain.
    begun_without: Callable[[int], Border]
    #: Whether the limit is one of the domain alone, and not of what was asked for; None: of both.
    is_of_domain: bool | None


@record
class Path:
    """All that is needed: rules, the one that failed first, and ends of domains as indices with `min` or `max`."""

    rules: tuple[str, ...]
    ends: frozenset[tuple[int, str]]
    #: The indices on it, the limited one left aside.
    inside: frozenset[int]

    def is_alone(self, others: Iterable[Row | Curve], limited: int | None) -> bool:
        """Whether other inequalities neither raise what is on it nor read what is limited."""
        return not any(row.raises in self.inside or limited in reads(row) for row in others)


def path_of(
    failure: Failure, rows: Callable[[str], Sequence[Row | Curve]], grids: Sequence[Grid], continuous: int | None
) -> Path | None:
    """The path on which everything is needed, and which suffices; None: there is none."""
    if failure.is_of_domain is None:
        return None
    most, rule, place = failure.limit, failure.rule, failure.limited
    rules: list[str] = []
    seen: set[int] = set() if place is None else {place}
    ends: set[tuple[int, str]] = {(place, "max")} if place is not None and failure.is_of_domain else set()

    def ended() -> Path:
        return Path(tuple(rules), frozenset(ends), frozenset(seen - {failure.limited}))

    while True:
        own = rows(rule)
        sums = [row for row in own if isinstance(row, Row) and row.guard is None and row.raises == place]
        readers = {p for row in sums for p, _ in row.grows}
        if len(sums) < len(own) or not own or rule in rules:
            return None
        if len(readers) > 1:
            return None if rules or len(own) > 1 else _star_of(failure, sums[0], grids)
        rules.append(rule)
        before = next(iter(readers), None)
        if before is None:  # it raises by itself
            return ended() if len(own) == 1 and not _fits(sums[0], most) else None
        if before in seen or any(not row.grows for row in sums) or grids[before].listed is not None:
            return None
        seen.add(before)
        most = min((_most_before(row, most, is_whole=before != continuous) for row in sums), key=_order)
        is_beyond = _is_beyond(failure.begun[before], most)
        raiser = failure.raised_by.get(before)
        if raiser is None:
            if not is_beyond:
                return None
            if not _is_beyond(failure.begun_without(before), most):
                ends.add((before, "min"))
            return ended()
        if is_beyond:  # then what raised it may not be needed
            return None
        rule, place = raiser, before


def _star_of(failure: Failure, row: Row, grids: Sequence[Grid]) -> Path | None:
    """The same of a sum that fails by what its parameters are at least; of these as few as suffice, the later ones left out first."""
    places = [p for p, _ in row.grows]
    if any(p in failure.raised_by or p == failure.limited or grids[p].listed is not None for p in places):
        return None
    lows = {p: failure.begun[p] for p in places}
    limit, coefficients = failure.limit, dict(row.grows)
    total = row.rest - (0 if limit is None else row.by * limit.at) + sum(c * lows[p].at for p, c in row.grows)
    is_open = row.strict or (limit is not None and limit.is_open)
    above = {p for p, low in lows.items() if low.is_open}
    if not (total > 0 or (total == 0 and (is_open or above))):
        return None
    ends: set[tuple[int, str]] = set()
    for place in sorted(places, reverse=True):
        other = failure.begun_without(place)
        less = total - coefficients[place] * (lows[place].at - other.at)
        left = above - {place} | ({place} if other.is_open else set())
        if less > 0 or (less == 0 and (is_open or left)):
            total, above = less, left
        else:
            ends.add((place, "min"))
    if failure.limited is not None and failure.is_of_domain:
        ends.add((failure.limited, "max"))
    return Path((row.rule,), frozenset(ends), frozenset(places))


def _fits(row: Row, most: Border | None) -> bool:
    """Whether what a rule raises without reading anything stays within the limit."""
    limit = 0 if most is None else row.by * most.at
    return row.rest < limit or (row.rest == limit and not (row.strict or (most is not None and most.is_open)))


def _most_before(row: Row, most: Border | None, *, is_whole: bool) -> Border:
    """The greatest index that a rule reads without passing what limits the one that it raises."""
    ((_, coefficient),) = row.grows
    limit = 0 if most is None else row.by * most.at
    at = Fraction(limit - row.rest) / coefficient
    is_open = row.strict or (most is not None and most.is_open)
    if is_whole:
        return Border(math.ceil(at) - 1 if is_open else math.floor(at))
    return Border(at, is_open)


def _order(most: Border) -> tuple[int | Fraction, bool]:
    return most.at, not most.is_open


def _is_beyond(low: Border, most: Border) -> bool:
    """Whether an index that begins there passes a limit."""
    return low.at > most.at or (low.at == most.at and (low.is_open or most.is_open))
