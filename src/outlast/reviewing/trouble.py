"""What a change broke and mended, and for what it broke why the values cannot hold together and the cheapest way out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from outlast.constraints.check import CheckOutcome, Finding, FindingKind, value_places
from outlast.constraints.errors import InputErrors, Place, printable
from outlast.constraints.model import Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.record import record, replace
from outlast.solver.account import Account, Group, rule_of
from outlast.solver.explain import explain_spec
from outlast.solver.limits import Limits

__all__ = ["Sorted", "account_of", "as_in_files", "group_of", "placed", "rules_of", "sorted_out"]

#: Conflicts of one group after which the search for more ends.
_MOST_CONFLICTS: Final = 5

#: What tells a finding from others, whatever the revision.
Key = Callable[[Finding, CheckOutcome], object]


@record(kw_only=True)
class Sorted:
    """The findings of both sides."""

    new: tuple[Finding, ...]
    old: tuple[Finding, ...]
    mended: tuple[Finding, ...]


def sorted_out(before: CheckOutcome | None, after: CheckOutcome, renamed: Mapping[str, str]) -> Sorted:
    """What the change brought, what was there before, and what it took away; `renamed` is the old id of a rule that only has another one now.

    A broken rule is new where its margin alone was not kept; a value that differs from its file is new where that would break more rules.
    """
    had: dict[tuple[FindingKind, str], Finding] = {}
    if before is not None:
        had = {(f.kind, f.subject): f for f in (*before.findings, *(i.finding for i in before.ignored))}
    new: list[Finding] = []
    old: list[Finding] = []
    still: set[tuple[FindingKind, str]] = set()
    for finding in after.findings:
        subject = renamed.get(finding.subject, finding.subject)
        alike = [(finding.kind, subject)]
        if finding.kind is FindingKind.MARGIN:
            alike.append((FindingKind.BROKEN, subject))
        known = next((had[key] for key in alike if key in had), None)
        if known is None or not set(finding.would_break) <= set(known.would_break):
            new.append(finding)
        else:
            old.append(finding)
        still.update(alike)
        if finding.kind is FindingKind.BROKEN:
            still.add((FindingKind.MARGIN, subject))
    still |= {(i.finding.kind, renamed.get(i.finding.subject, i.finding.subject)) for i in after.ignored}
    mended = [] if before is None else [f for f in before.findings if (f.kind, f.subject) not in still]
    return Sorted(new=tuple(new), old=tuple(old), mended=tuple(mended))


def placed(finding: Finding, outcome: CheckOutcome, changed: Mapping[str, frozenset[int]]) -> tuple[Place, bool]:
    """Where to tell a finding, and whether the change touched that line: a line that it touched before others, a value in a file before the spec."""
    own = {printable(source) for source in outcome.spec.sources}
    places = sorted(value_places(finding, outcome), key=lambda place: (place.file in own, place))
    checked = outcome.rules.get(finding.subject)
    of_rule = [] if checked is None else [*checked.rule.rule.places.values(), checked.rule.rule.place]
    candidates = [*places, finding.place, *of_rule]
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
