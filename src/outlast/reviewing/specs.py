"""The review of one spec: both sides read and judged, compared, and what the change broke explained."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

from outlast.constraints.check import Finding, FindingKind, value_places
from outlast.constraints.errors import Place, printable
from outlast.constraints.files import Store
from outlast.constraints.model import Role, Spec
from outlast.constraints.normal import normalise
from outlast.reviewing.changes import headrooms, measurement_changes, parameter_changes, rule_changes
from outlast.reviewing.losses import losses_between, renamed_rules
from outlast.reviewing.outcome import Loss, LossKind, Part, Suggested, Trouble
from outlast.reviewing.side import Side, read_side
from outlast.reviewing.suggesting import suggestion
from outlast.reviewing.trouble import account_of, as_in_files, group_of, placed, rules_of, sorted_out
from outlast.solver.account import Account, ItemKind, Moved, Repair
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
        outcome=after.outcome,
        judged=sum(1 for checked in after.outcome.rules.values() if checked.verdict is not None),
        notes=after.spec.notes,
    )


def removed_part(path: Path, before: Side | None) -> Part:
    """What it means that a spec is gone; `before` None: it could not be used."""
    shown = printable(str(path))
    old = {} if before is None else before.rules
    rules = tuple(rule for rule in sorted(old) if not old[rule].rule.is_bound)
    count = "its rule is" if len(rules) == 1 else f"its {len(rules)} rules are" if rules else "what it demanded is"
    loss = Loss(
        kind=LossKind.SPEC_REMOVED,
        subject=shown,
        place=Place(shown, 1, 1),
        message=f"the spec is gone, so {count} no longer demanded",
        rules=rules,
    )
    return Part(spec=str(path), is_removed=True, losses=(loss,))


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
    new: Sequence[Finding], old: Sequence[Finding], side: Side, changed: Mapping[str, frozenset[int]], limits: Limits
) -> tuple[Trouble, ...]:
    account = _account(new, old, side, limits)
    suggested: dict[int, Suggested | None] = {}
    found = []
    for finding in new:
        place, is_on_changed_line = placed(finding, side.outcome, changed)
        group = group_of(account, rules_of(finding))
        mends = partial(_mends, finding=finding, side=side)
        if finding.kind is FindingKind.DIFFERS:
            offered = suggestion(side.spec, side.bound, _in_line(finding, side.spec), side.store, mends)
        elif account is None or group is None:
            offered = None
        else:
            if group.number not in suggested:
                suggested[group.number] = suggestion(account.spec, side.bound, group.repairs, side.store, mends)
            offered = suggested[group.number]
        found.append(
            Trouble(
                finding=finding,
                outcome=side.outcome,
                place=place,
                is_on_changed_line=is_on_changed_line,
                account=account if group is not None else None,
                group=None if group is None else group.number,
                suggested=offered,
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


def _in_line(finding: Finding, spec: Spec) -> tuple[Repair, ...]:
    """A file that says something else than the spec, brought in line with it."""
    for difference in spec.differences:
        parameter = spec.parameters[difference.parameter]
        if difference.place == finding.place and parameter.role is Role.FIXED and parameter.value is not None:
            moved = Moved(parameter=parameter.name, kind=ItemKind.FIXED, before=difference.found, after=parameter.value)
            cost = Fraction(1) if parameter.cost is None else parameter.cost
            return (Repair(changes=(moved,), cost=cost, move=Fraction(0), smallest=False, values={}, headroom=()),)
    return ()


def _mends(store: Store, finding: Finding, side: Side) -> bool:
    """Whether with files as they would be nothing is wrong that was not, and the finding is gone."""
    left = {(f.kind, f.subject) for f in read_side(side.path, store, today=side.today, root=side.root).outcome.findings}
    return (finding.kind, finding.subject) not in left and left <= {(f.kind, f.subject) for f in side.outcome.findings}
