"""The review of one spec: both sides read and judged, compared, and what the change broke explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

from outlast.constraints.check import ABOUT_RULES, Finding, FindingKind, value_places
from outlast.constraints.errors import Place, printable
from outlast.constraints.files import Overlaid
from outlast.constraints.model import Role, Spec
from outlast.constraints.normal import normalise
from outlast.constraints.record import replace
from outlast.reviewing.changes import headrooms, measurement_changes, parameter_changes, rule_changes
from outlast.reviewing.lines import Lines
from outlast.reviewing.losses import losses_between
from outlast.reviewing.names import Names, names_between
from outlast.reviewing.outcome import Loss, LossKind, Part, Suggested, Trouble
from outlast.reviewing.pairs import Pairs, pairs_between
from outlast.reviewing.side import Side, again, breaks_nothing, wrong
from outlast.reviewing.suggesting import preferred, suggestion
from outlast.reviewing.trouble import Sorted, account_of, as_in_files, group_of, placed, rules_of, sorted_out
from outlast.solver.account import Account, ItemKind, Moved, Repair
from outlast.solver.limits import Limits

__all__ = ["removed_part", "spec_part"]


def spec_part(before: Side | None, after: Side, *, others: Sequence[Side], lines: Lines, limits: Limits) -> Part:
    """What a change did to a spec; `before` None: it is new. No suggestion may break what `others` say."""
    if before is None:
        nothing = Pairs(old={}, new={}, compared={})
        found = sorted_out(None, after, nothing, Names(components={}, quantities={}), lines)
        return _part(after, found, others, lines, limits, is_new=True)
    names = names_between(before.spec, after.spec, lines)
    asked = _as_derived(before, after)
    pairs = pairs_between(asked, after, names, limits)
    found = sorted_out(before, after, pairs, names, lines)
    losses = losses_between(before, asked, after, pairs, names, found, lines, limits)  # before time is spent on words
    return replace(
        _part(after, found, others, lines, limits, is_new=False),
        was=None if before.path == after.path else str(before.path),
        parameters=parameter_changes(before.outcome, after.outcome, names),
        measurements=measurement_changes(before.spec, after.spec, (*before.rules.values(), *after.rules.values())),
        rules=rule_changes(before.spec, after.spec, pairs),
        headrooms=headrooms(before.outcome, after.outcome, pairs),
        losses=losses,
        mended=tuple((finding, before.outcome) for finding in found.mended),
    )


def _as_derived(before: Side, after: Side) -> Side:
    """The older side with formulas where its parameters have become derived ones: what they come to is no longer free to be anything."""
    old, new = before.spec.parameters, after.spec.parameters
    derived = {n: p for n, p in new.items() if p.role is Role.DERIVED and n in old and old[n].role is not Role.DERIVED}
    if not derived:
        return before
    spec = replace(before.spec, parameters={**new, **old, **derived})
    rules, errors = normalise(spec)
    return before if errors else replace(before, spec=spec, rules=rules)


def _part(after: Side, found: Sorted, others: Sequence[Side], lines: Lines, limits: Limits, *, is_new: bool) -> Part:
    """What the newer side alone tells."""
    changed = lines.touched(_files_of(found.new, after))
    return Part(
        spec=str(after.path),
        is_new=is_new,
        new=_troubles(found, after, [side for side in others if side.path != after.path], changed, limits),
        old=tuple((finding, after.outcome) for finding in found.old),
        ignored=tuple((ignored, after.outcome) for ignored in after.outcome.ignored),
        outcome=after.outcome,
        judged=sum(1 for c in after.outcome.rules.values() if c.verdict is not None and not c.rule.rule.is_bound),
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


def _files_of(findings: Iterable[Finding], side: Side) -> set[str]:
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
    sorted_: Sorted, side: Side, others: Sequence[Side], changed: Mapping[str, frozenset[int]], limits: Limits
) -> tuple[Trouble, ...]:
    new = sorted_.new
    account = _account(new, sorted_.old, side, limits)
    groups = {id(finding): group_of(account, rules_of(finding)) for finding in new}
    suggested: dict[int, Suggested | None] = {}
    found = []
    for finding in new:
        place, is_on_changed_line = placed(finding, side.outcome, changed)
        group = groups[id(finding)]
        if finding.kind is FindingKind.DIFFERS:
            mends = partial(_mends, findings=(finding,), side=side, others=others)
            offered = suggestion(side.spec, side.bound, _in_line(finding, side.spec), side.store, mends)
        elif account is None or group is None:
            offered = None
        else:
            if group.number not in suggested:
                together = [each for each in new if groups[id(each)] is group and each.kind is not FindingKind.DIFFERS]
                mends = partial(_mends, findings=together, side=side, others=others)
                repairs = preferred(group.repairs, account.spec, together, changed)
                suggested[group.number] = suggestion(account.spec, side.bound, repairs, side.store, mends)
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
    if not any(rules_of(f) for f in new if f.kind in (*ABOUT_RULES, FindingKind.DIFFERS)):
        return None
    spec, rules = side.spec, side.rules
    if any(finding.kind is FindingKind.DIFFERS for finding in new):
        spec = as_in_files(spec)
        rules, _ = normalise(spec)
    broken = {f.subject for f in old if f.kind in ABOUT_RULES}
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


def _mends(store: Overlaid, findings: Sequence[Finding], side: Side, others: Sequence[Side]) -> bool:
    """Whether with files as they would be these are gone, and nothing is wrong, in any spec, that was not."""
    left = wrong(again(side, store))
    is_mended = left.isdisjoint({(finding.kind, finding.subject) for finding in findings})
    return is_mended and left <= wrong(side.outcome) and breaks_nothing(others, store)
