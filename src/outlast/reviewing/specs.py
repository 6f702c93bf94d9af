"""The review of one spec: both sides read and judged, compared, and what the change broke explained."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from outlast.constraints.check import Finding, FindingKind, value_places
from outlast.constraints.errors import InputErrors, OutlastError, Place, printable
from outlast.constraints.files import Overlaid
from outlast.constraints.normal import normalise
from outlast.reviewing.changes import headrooms, measurement_changes, parameter_changes, rule_changes
from outlast.reviewing.losses import losses_between, renamed_rules
from outlast.reviewing.outcome import Loss, LossKind, Part, Suggested, Trouble
from outlast.reviewing.side import Side, read_side
from outlast.reviewing.suggesting import new_bytes
from outlast.reviewing.trouble import account_of, as_in_files, group_of, placed, rules_of, sorted_out
from outlast.solver.account import Account, Group
from outlast.solver.limits import Limits

__all__ = ["Lines", "places_of", "removed_part", "spec_part"]

#: Of some files, the lines that the change touched, as they are numbered after it.
Lines = Callable[[Collection[str]], Mapping[str, frozenset[int]]]


def spec_part(
    before: Side | None,
    after: Side,
    *,
    renames: Mapping[str, str],
    lines: Lines,
    limits: Limits,
) -> Part:
    """What a change did to a spec; `before` None: it is new. `renames`: by the name that a path has now, the one that it had."""
    renamed = {} if before is None else renamed_rules(before, after, limits)
    old = None if before is None else before.outcome
    found = sorted_out(old, after.outcome, renamed)
    changed = lines(places_of(found.new, after))
    spec = None if before is None else before.spec
    was = None if before is None or before.path == after.path else str(before.path)
    return Part(
        spec=str(after.path),
        was=was,
        is_new=before is None,
        parameters=() if before is None else parameter_changes(old, after.outcome),
        measurements=()
        if before is None
        else measurement_changes(spec, after.spec, (*before.rules.values(), *after.rules.values())),
        rules=() if before is None else rule_changes(spec, after.spec, renamed),
        headrooms=headrooms(old, after.outcome, renamed),
        losses=() if before is None else losses_between(before, after, renamed, renames, limits),
        new=_troubles(found.new, found.old, after, changed, limits),
        old=tuple((finding, after.outcome) for finding in found.old),
        mended=() if old is None else tuple((finding, old) for finding in found.mended),
        ignored=tuple((ignored, after.outcome) for ignored in after.outcome.ignored),
        judged=sum(1 for checked in after.outcome.rules.values() if checked.verdict is not None),
        notes=after.spec.notes,
    )


def removed_part(before: Side) -> Part:
    """What it means that a spec is gone."""
    shown = printable(str(before.path))
    rules = tuple(rule for rule in sorted(before.rules) if not before.rules[rule].rule.is_bound)
    count = "its rule is" if len(rules) == 1 else f"its {len(rules)} rules are"
    loss = Loss(
        kind=LossKind.SPEC_REMOVED,
        subject=str(before.path),
        place=Place(shown, 1, 1),
        message=f"the spec is gone, so {count} no longer demanded",
        rules=rules,
    )
    return Part(spec=str(before.path), is_removed=True, losses=(loss,))


def places_of(findings: Iterable[Finding], side: Side) -> set[str]:
    """The files in which the values and rules of some findings stand."""
    found: set[str] = set()
    for finding in findings:
        found |= {place.file for place in (finding.place, *value_places(finding, side.outcome))}
        checked = side.outcome.rules.get(finding.subject)
        if checked is not None:
            rule = checked.rule.rule
            found |= {place.file for place in (rule.place, *rule.places.values())}
    return found


def _troubles(
    new: Sequence[Finding],
    old: Sequence[Finding],
    side: Side,
    changed: Mapping[str, frozenset[int]],
    limits: Limits,
) -> tuple[Trouble, ...]:
    account = _account(new, old, side, limits)
    suggested: dict[int, tuple[Suggested, ...]] = {}
    found = []
    for finding in new:
        place, is_on_changed_line = placed(finding, side.outcome, changed)
        group = group_of(account, rules_of(finding))
        if account is not None and group is not None and group.number not in suggested:
            suggested[group.number] = _suggestion(account, group, new, side)
        found.append(
            Trouble(
                finding=finding,
                outcome=side.outcome,
                place=place,
                is_on_changed_line=is_on_changed_line,
                account=account if group is not None else None,
                group=None if group is None else group.number,
                suggested=() if group is None else suggested[group.number],
            )
        )
    return tuple(found)


def _account(new: Sequence[Finding], old: Sequence[Finding], side: Side, limits: Limits) -> Account | None:
    """Why the values that the files have cannot hold together; what was broken before is left out."""
    if not any(rules_of(f) for f in new if f.kind in (FindingKind.BROKEN, FindingKind.MARGIN, FindingKind.DIFFERS)):
        return None
    spec, rules = side.spec, side.rules
    if any(finding.kind is FindingKind.DIFFERS for finding in new):
        spec = as_in_files(spec)
        rules, _ = normalise(spec)
    broken = {f.subject for f in old if f.kind in (FindingKind.BROKEN, FindingKind.MARGIN)}
    return account_of(spec, rules, broken, limits)


def _suggestion(account: Account, group: Group, new: Sequence[Finding], side: Side) -> tuple[Suggested, ...]:
    """The cheapest repair that files can be written with, tried before it is shown."""
    for repair in group.repairs[:1]:
        with suppress(InputErrors, OutlastError):  # a template stands there, or the file cannot say such a value
            found = new_bytes(account.spec, side.bound, repair, side.store)
            if found and _mends(found, new, side, group):
                return tuple(
                    Suggested(file=printable(path), before=before, after=after)
                    for path, (before, after) in sorted(found.items())
                )
    return ()


def _mends(
    changed: Mapping[str, tuple[bytes, bytes]],
    new: Sequence[Finding],
    side: Side,
    group: Group,
) -> bool:
    """Whether with the new bytes the spec reads, nothing is wrong that was not, and the findings of the group are gone."""
    store = Overlaid(side.store, {side.store.resolve(path): after for path, (_, after) in changed.items()})
    tried = read_side(side.path, store, today=side.today, root=side.root).outcome
    left = {(f.kind, f.subject) for f in tried.findings}
    mine = {(f.kind, f.subject) for f in new if set(rules_of(f)) & set(group.rules)}
    return left.isdisjoint(mine) and left <= {(f.kind, f.subject) for f in side.outcome.findings}
