"""What a change broke and mended, and for what it broke why the values cannot hold together and the cheapest way out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from outlast.constraints.check import (
    ABOUT_IGNORING,
    ABOUT_RULES,
    CheckOutcome,
    Finding,
    FindingKind,
    Ignored,
    value_places,
)
from outlast.constraints.errors import InputErrors, Place, printable
from outlast.constraints.evaluate import Truth
from outlast.constraints.model import Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.record import record, replace
from outlast.reviewing.lines import Lines
from outlast.reviewing.matching import matched
from outlast.reviewing.names import Names
from outlast.reviewing.pairs import Pairs
from outlast.reviewing.side import Side
from outlast.solver.account import Account, Group, rule_of
from outlast.solver.explain import explain_spec
from outlast.solver.limits import Limits

__all__ = ["Sorted", "account_of", "as_in_files", "group_of", "placed", "rules_of", "sorted_out"]

#: Conflicts of one group after which the search for more ends.
_MOST_CONFLICTS: Final = 5


@record(kw_only=True)
class Sorted:
    """The findings of both sides."""

    new: tuple[Finding, ...]
    old: tuple[Finding, ...]
    mended: tuple[Finding, ...]
    newly_ignored: tuple[Ignored, ...]


class _Item(NamedTuple):
    """A finding, with who ignores it; None: nobody."""

    finding: Finding
    ignored: Ignored | None


def sorted_out(before: Side | None, after: Side, pairs: Pairs, names: Names, lines: Lines) -> Sorted:
    """What the change brought, what was there before, and what it took away.

    A broken rule is new where it compared other quantities, only should have held, or its margin alone was not kept; a value that
    differs from its file where it was another place that differed, or more rules would be broken now.
    """
    had, now = _items(None if before is None else before.outcome), _items(after.outcome)
    alike = {old: new for old, new in pairs.new.items() if old in pairs.alike}
    was_bound, is_bound = _selectors(before), _selectors(after)
    left = {(name, file, selector) for (name, _), (file, selector) in is_bound.items()}

    def rule_was(item: _Item) -> Hashable:
        kind, subject = item.finding.kind, item.finding.subject
        return (kind, alike.get(subject)) if kind in ABOUT_RULES and subject in alike else None

    def rule_is(item: _Item) -> Hashable:
        kind, subject = item.finding.kind, item.finding.subject
        return (kind, subject) if kind in ABOUT_RULES else None

    def rule_less(item: _Item) -> Hashable:
        is_margin = item.finding.kind is FindingKind.MARGIN
        return (FindingKind.BROKEN, item.finding.subject) if is_margin else None

    def binding_was(item: _Item) -> Hashable:
        name, bound = item.finding.subject, was_bound.get((item.finding.subject, item.finding.place))
        if bound is None:
            return None
        return (item.finding.kind, names.quantity(name), lines.file_now(bound[0]), bound[1])

    def binding_is(item: _Item) -> Hashable:
        bound = is_bound.get((item.finding.subject, item.finding.place))
        return None if bound is None else (item.finding.kind, item.finding.subject, *bound)

    def value_was(item: _Item) -> Hashable:
        place = lines.now(item.finding.place)
        return None if place is None or is_told(item) else (*_value_key(item.finding, names), place.file, place.line)

    def value_is(item: _Item) -> Hashable:
        place = item.finding.place
        return None if item.finding.kind in ABOUT_RULES else (*_value_key(item.finding, None), place.file, place.line)

    def file_was(item: _Item) -> Hashable:
        key = (*_value_key(item.finding, names), lines.file_now(item.finding.place.file))
        return None if item.finding.kind in ABOUT_RULES or is_told(item) else key

    def file_is(item: _Item) -> Hashable:
        return None if item.finding.kind in ABOUT_RULES else (*_value_key(item.finding, None), item.finding.place.file)

    def is_told(item: _Item) -> bool:
        """Whether the place of an older finding is one of the places of its parameter still, so that it is told by that."""
        bound = was_bound.get((item.finding.subject, item.finding.place))
        return bound is not None and (names.quantity(item.finding.subject), lines.file_now(bound[0]), bound[1]) in left

    keys = [
        *((rule_was, rule_is), (rule_was, rule_less), (binding_was, binding_is)),
        *((value_was, value_is), (file_was, file_is)),
    ]
    same = matched(had, now, keys)
    still = set(same.values())
    found = {
        number: other
        for number, other in same.items()
        if set(now[number].finding.would_break) <= set(had[other].finding.would_break)
        and now[number].finding.severity.order >= had[other].finding.severity.order
    }
    gone = [item.finding for number, item in enumerate(had) if number not in still and item.ignored is None]
    return Sorted(
        new=tuple(item.finding for n, item in enumerate(now) if n not in found and item.ignored is None),
        old=tuple(item.finding for n, item in enumerate(now) if n in found and item.ignored is None),
        mended=tuple(finding for finding in gone if _is_mended(finding, after.outcome, pairs, names)),
        newly_ignored=tuple(
            item.ignored
            for n, item in enumerate(now)
            if item.ignored is not None and (n not in found or had[found[n]].ignored is None)
        ),
    )


def _selectors(side: Side | None) -> Mapping[tuple[str, Place], tuple[str, str]]:
    """By a parameter and the place of its value: the file, as reports call it, and what selects it there."""
    bound = () if side is None else side.bound
    return {(b.parameter, b.place): (printable(b.binding.file), b.binding.selector) for b in bound}


def _items(outcome: CheckOutcome | None) -> list[_Item]:
    if outcome is None:
        return []
    return [*(_Item(f, None) for f in outcome.findings), *(_Item(i.finding, i) for i in outcome.ignored)]


def _value_key(finding: Finding, names: Names | None) -> tuple[Hashable, ...]:
    return finding.kind, finding.subject if names is None else names.quantity(finding.subject)


def _is_mended(finding: Finding, after: CheckOutcome, pairs: Pairs, names: Names) -> bool:
    """Whether what is no longer found is well now, rather than gone or no longer judged."""
    if finding.kind in ABOUT_RULES:
        checked = after.rules.get(pairs.new.get(finding.subject, ""))
        return checked is not None and checked.verdict is not None and checked.verdict.truth is Truth.HOLDS
    return finding.kind in ABOUT_IGNORING or names.quantity(finding.subject) in after.spec.parameters


def placed(finding: Finding, outcome: CheckOutcome, changed: Mapping[str, frozenset[int]]) -> tuple[Place, bool]:
    """Where to tell a finding, and whether the change touched that line: a line that it touched before others, a value in a file before the spec."""
    own = {printable(source) for source in outcome.spec.sources}
    places = sorted(value_places(finding, outcome), key=lambda place: (place.file in own, place))
    checked = outcome.rules.get(finding.subject)
    of_rule = [] if checked is None else [*checked.rule.rule.places.values(), checked.rule.rule.place]
    candidates = [*places, finding.place, *of_rule] if finding.kind in ABOUT_RULES else [finding.place]
    for place in candidates:
        if place.line in changed.get(place.file, ()):
            return place, True
    return candidates[0], False


def as_in_files(spec: Spec) -> Spec:
    """The spec with decisions and facts as the files have them that say something else."""
    parameters = dict(spec.parameters)
    for difference in spec.differences:
        parameter = parameters[difference.parameter]
        if parameter.role in (Role.FIXED, Role.FACT) and parameter.interval is None:
            key = parameter.role.value
            places = {**parameter.places, key: difference.place}
            parameters[parameter.name] = replace(parameter, value=difference.found, places=places)
    return replace(spec, parameters=parameters)


def account_of(
    spec: Spec, rules: Mapping[str, NormalRule], broken_before: Iterable[str], limits: Limits
) -> Account | None:
    """Why the values in use cannot hold together, but for rules that were broken before; None: nothing is in conflict, or it could not be told."""
    left_out = set(broken_before)
    asked = {id_: rule for id_, rule in rules.items() if id_ not in left_out}
    with suppress(InputErrors):  # products of too many values
        account = explain_spec(spec, asked, current=True, limit=_MOST_CONFLICTS, limits=limits)
        return account if account.groups else None
    return None


def group_of(account: Account | None, rules: Sequence[str]) -> Group | None:
    """The group in which one of these rules takes part in a conflict."""
    if account is None:
        return None
    for group in account.groups:
        if any(rule_of(item.id) in rules for conflict in group.conflicts for item in conflict.items):
            return group
    return None


def rules_of(finding: Finding) -> tuple[str, ...]:
    """The rules that a finding is about."""
    return finding.would_break if finding.kind is FindingKind.DIFFERS else (finding.subject,)
