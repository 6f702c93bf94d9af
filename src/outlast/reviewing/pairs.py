"""Which rule of the older side each rule is, whatever its id: rules are renamed, renumbered in chains, split and joined."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final

from outlast.constraints.model import Rule
from outlast.constraints.record import record
from outlast.reviewing.names import Names
from outlast.reviewing.side import Side
from outlast.solver.limits import Limits
from outlast.solver.weaker import Guard, Weakening, compare

__all__ = ["Pairs", "pairs_between"]

#: How many rules are tried as the one that another has become.
_MOST_CANDIDATES: Final = 20


@record(kw_only=True)
class Pairs:
    """Rules of both sides."""

    #: By the id of a rule, the one that it had; rules that are new are not there.
    old: Mapping[str, str]
    #: The other way round.
    new: Mapping[str, str]
    #: By its old id, what was found out of a rule of the spec that is on both sides.
    compared: Mapping[str, Weakening]
    #: By their old ids, the rules that speak of what they spoke of.
    alike: frozenset[str] = frozenset()


def pairs_between(before: Side, after: Side, names: Names, limits: Limits) -> Pairs:
    """Rules of the catalogue are told by what they are made for; those of a spec by their ids, unless another says just what they said."""
    old: dict[str, str] = _of_the_catalogue(before, after, names)
    compared: dict[str, Weakening] = {}
    mine = [id_ for id_, rule in sorted(before.rules.items()) if rule.rule.is_own]
    theirs = {id_ for id_, rule in after.rules.items() if rule.rule.is_own}

    def ask(one: str, other: str) -> Weakening:
        return compare(before.rules[one], before.spec, after.rules[other], after.spec, limits, renamed=names.quantities)

    def pair(one: str, other: str, weakening: Weakening) -> None:
        old[other], compared[one] = one, weakening
        theirs.discard(other)

    same_id = {one: ask(one, one) for one in mine if one in theirs}
    for one, weakening in same_id.items():
        if weakening.verdict in (Guard.SAME, Guard.STRONGER_OR_SAME):
            pair(one, one, weakening)
    by_names: dict[frozenset[str], list[str]] = {}
    for other in sorted(theirs):
        by_names.setdefault(frozenset(after.rules[other].names()), []).append(other)
    for accepted in ((Guard.SAME,), (Guard.SAME, Guard.STRONGER_OR_SAME)):
        for one in mine:
            if one in compared:
                continue
            wanted = frozenset(names.quantity(name) for name in before.rules[one].names())
            alike = (other for other in by_names.get(wanted, ()) if other in theirs)
            for other in islice(alike, _MOST_CANDIDATES):
                weakening = same_id[one] if other == one else ask(one, other)
                if weakening.verdict in accepted:
                    pair(one, other, weakening)
                    break
    for one, weakening in same_id.items():
        if one not in compared and one in theirs:
            pair(one, one, weakening)
    alike = (
        one
        for other, one in old.items()
        if not before.rules[one].rule.is_own
        or {names.quantity(name) for name in before.rules[one].names()} == after.rules[other].names()
    )
    return Pairs(old=old, new={one: other for other, one in old.items()}, compared=compared, alike=frozenset(alike))


def _of_the_catalogue(before: Side, after: Side, names: Names) -> dict[str, str]:
    made = {_made_for(rule.rule, None): id_ for id_, rule in after.rules.items() if not rule.rule.is_own}
    found: dict[str, str] = {}
    for id_, rule in before.rules.items():
        key = None if rule.rule.is_own else _made_for(rule.rule, names)
        if key in made:
            found[made[key]] = id_
    return found


def _made_for(rule: Rule, names: Names | None) -> object:
    """A relation with its components, as they are called now; of a bound the parameter and its end."""
    if rule.relation is not None:
        components = tuple(names.component(c) if names else c for c in rule.components)
        return rule.relation.id, components, rule.chain and rule.id.removeprefix(rule.chain)
    parameter, _, end = rule.id.rpartition(".")
    return names.quantity(parameter) if names else parameter, end
