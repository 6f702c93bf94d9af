"""What a change guards less: rules that are gone, say less or are set aside, and values that no longer have to agree with a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from outlast.configs.bind import Files
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.model import Binding, Rule
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import format_value
from outlast.reviewing.changes import requirement
from outlast.reviewing.outcome import Loss, LossKind
from outlast.reviewing.side import Side
from outlast.solver.limits import Limits
from outlast.solver.weaker import Weakening, compare

__all__ = ["losses_between", "renamed_rules"]

#: How many new rules are tried as the one that a missing rule has become.
_MOST_CANDIDATES: Final = 20


def renamed_rules(before: Side, after: Side, limits: Limits) -> Mapping[str, str]:
    """By the id of a new rule, the id of the one that is gone and that it guards no less than."""
    gone = [r for r in sorted(before.rules.keys() - after.rules.keys()) if _is_own(before.rules[r].rule)]
    new = [r for r in sorted(after.rules.keys() - before.rules.keys()) if _is_own(after.rules[r].rule)]
    found: dict[str, str] = {}
    for old in gone:
        rule = before.rules[old]
        alike = [n for n in new if n not in found and after.rules[n].names() == rule.names()]
        for candidate in alike[:_MOST_CANDIDATES]:
            if _guards_no_less(compare(rule, before.spec, after.rules[candidate], after.spec, limits)):
                found[candidate] = old
                break
    return found


def losses_between(
    before: Side, after: Side, renamed: Mapping[str, str], renames: Mapping[str, str], limits: Limits
) -> tuple[Loss, ...]:
    """Everything that is guarded less, by kind and subject; `renames` is the old path of each file that only has another one now."""
    start = Place(printable(str(after.spec.path)), 1, 1)
    found = [
        *_removed(before, after, set(renamed.values()), start),
        *_weakened(before, after, renamed, limits),
        *_declined(before, after),
        *_not_judged(before, after, renamed),
        *_ignored(before, after, renamed),
        *_unbound(before, after, renames),
    ]
    if after.spec.confidence < before.spec.confidence:
        was, now = (format_value(side.spec.confidence, 0, percent=True) for side in (before, after))
        message = f"bounds of what was measured hold with a probability of {now}, not {was}"
        found.append(Loss(kind=LossKind.CONFIDENCE_LOWERED, subject="confidence", place=start, message=message))
    order = list(LossKind)
    return tuple(sorted(found, key=lambda loss: (order.index(loss.kind), loss.subject, loss.place)))


def _is_own(rule: Rule) -> bool:
    """Whether the spec says it, not the catalogue."""
    return rule.relation is None and not rule.is_bound


def _guards_no_less(weakening: Weakening) -> bool:
    return not weakening.is_weaker and not weakening.is_undecided


def _removed(before: Side, after: Side, renamed: set[str], start: Place) -> Iterator[Loss]:
    """Rules that are gone; of those of the catalogue one loss for each component or connection that took them along."""
    declined = {each.id for each in after.spec.declined}
    unjudged = {each.id for each in after.spec.unjudged}
    causes: dict[str, list[str]] = {}
    for id_ in sorted(before.rules.keys() - after.rules.keys() - renamed - declined - unjudged):
        rule = before.rules[id_].rule
        if _is_own(rule):
            words = f"{requirement(rule)} is no longer demanded"
            yield Loss(kind=LossKind.RULE_REMOVED, subject=id_, place=start, message=words)
        elif not rule.is_bound or _missing(rule, after):
            causes.setdefault(_cause(rule, after), []).append(id_)
    for cause, ids in sorted(causes.items()):
        subject = ids[0] if len(ids) == 1 else f"{len(ids)} rules"
        verb = "applies" if len(ids) == 1 else "apply"
        message = (
            f"{' and '.join(ids[:3])}{f' and {len(ids) - 3} more' if len(ids) > 3 else ''} no longer {verb}: {cause}"
        )
        yield Loss(kind=LossKind.RULE_REMOVED, subject=subject, place=start, message=message, rules=tuple(ids))


def _missing(rule: Rule, after: Side) -> list[str]:
    known = {} if after.spec.topology is None else after.spec.topology.components
    return [name for name in rule.components if name not in known]


def _cause(rule: Rule, after: Side) -> str:
    """Why a rule of the catalogue is gone, in words."""
    missing = _missing(rule, after)
    if missing:
        return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} no longer a component"
    if len(rule.components) > 1:
        return f"{' and '.join(rule.components)} are no longer connected in the same way"
    return f"what {rule.components[0]} says of itself has changed"


def _weakened(before: Side, after: Side, renamed: Mapping[str, str], limits: Limits) -> Iterator[Loss]:
    for id_, rule in sorted(after.rules.items()):
        was = before.rules.get(renamed.get(id_, id_))
        if was is None or rule.rule.is_bound:
            continue
        weakening = compare(was, before.spec, rule, after.spec, limits)
        if not _guards_no_less(weakening):
            place = rule.rule.places.get("require", rule.rule.place)
            message = _weaker_words(was, rule)
            yield Loss(kind=LossKind.RULE_WEAKENED, subject=id_, place=place, message=message, weakening=weakening)


def _weaker_words(before: NormalRule, after: NormalRule) -> str:
    was, now = requirement(before.rule), requirement(after.rule)
    return f"{was} has become {now}" if was != now else now


def _declined(before: Side, after: Side) -> Iterator[Loss]:
    old = {each.id for each in before.spec.declined}
    for each in after.spec.declined:
        if each.id not in old and each.id in before.rules:
            message = f"declined: {printable(each.why)}"
            yield Loss(kind=LossKind.RULE_DECLINED, subject=each.id, place=each.place, message=message)


def _not_judged(before: Side, after: Side, renamed: Mapping[str, str]) -> Iterator[Loss]:
    """Rules that were judged and now lack a value."""
    for id_, checked in sorted(after.outcome.rules.items()):
        was = before.outcome.rules.get(renamed.get(id_, id_))
        if was is not None and was.verdict is not None and checked.verdict is None:
            message = f"no value in use is known of {' and '.join(checked.missing)}"
            yield Loss(kind=LossKind.RULE_NOT_JUDGED, subject=id_, place=checked.rule.rule.place, message=message)
    start = Place(printable(str(after.spec.path)), 1, 1)
    for each in after.spec.unjudged:
        was = before.outcome.rules.get(each.id)
        if was is not None and was.verdict is not None:
            yield Loss(kind=LossKind.RULE_NOT_JUDGED, subject=each.id, place=start, message=each.why)


def _ignored(before: Side, after: Side, renamed: Mapping[str, str]) -> Iterator[Loss]:
    """Findings that somebody has set aside, and had not before."""
    old = {(i.finding.kind, i.finding.subject) for i in before.outcome.ignored}
    for ignored in after.outcome.ignored:
        finding = ignored.finding
        if (finding.kind, renamed.get(finding.subject, finding.subject)) not in old:
            message = f"{finding.kind.value}, ignored: {printable(ignored.ignore.why)}"
            yield Loss(
                kind=LossKind.FINDING_IGNORED, subject=finding.subject, place=ignored.ignore.place, message=message
            )


def _unbound(before: Side, after: Side, renames: Mapping[str, str]) -> Iterator[Loss]:
    """Places in files that a value no longer has to agree with, though they are still there."""
    claimed = {(b.file.path, b.setting.start) for b in after.bound if b.setting is not None}
    now = {name: {(b.file, b.selector) for b in p.at} for name, p in after.spec.parameters.items()}
    new_path = {old: new for new, old in renames.items()}
    for name, parameter in sorted(before.spec.parameters.items()):
        for binding in parameter.at:
            file = new_path.get(binding.file, binding.file)
            if (file, binding.selector) in now.get(name, ()):
                continue
            there = _still_there(file, binding, after.files)
            if there is None and now.get(name):  # the place is gone, and the value stands elsewhere
                continue
            if there in claimed:
                continue
            heir = after.spec.parameters.get(name)
            place = Place(printable(str(after.spec.path)), 1, 1) if heir is None else heir.place
            what = "is still there" if there is not None else "is gone, and no other place took over"
            message = f"{name} is no longer bound to {printable(file)}#{printable(binding.selector)}, which {what}"
            yield Loss(kind=LossKind.BINDING_DROPPED, subject=name, place=place, message=message)


def _still_there(file: str, binding: Binding, files: Files) -> tuple[str, int] | None:
    """The file and the byte where a value stands; None: it is not there."""
    try:
        read = files.read(file, binding.place)
    except OutlastError:
        return None
    found = read.lookup.select(binding.selector)
    return (read.path, found[0].start) if len(found) == 1 else None
