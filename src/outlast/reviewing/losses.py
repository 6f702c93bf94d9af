"""What a change guards less: rules that are gone, say less or are set aside, and values that no longer have to agree with a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from outlast.configs.bind import Files
from outlast.constraints.check import Ignored
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.model import Binding, Level, Rule
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Quant
from outlast.constraints.quantities import format_value
from outlast.reviewing.changes import requirement
from outlast.reviewing.lines import Lines
from outlast.reviewing.names import Names
from outlast.reviewing.outcome import Loss, LossKind
from outlast.reviewing.pairs import Pairs
from outlast.reviewing.side import Side
from outlast.reviewing.trouble import Sorted
from outlast.solver.limits import Limits
from outlast.solver.weaker import compare, unguarded_by

__all__ = ["ignored_loss", "losses_between"]

#: How many rules are taken together as what guards instead of one.
_MOST_GUARDS: Final = 8


def losses_between(
    before: Side,
    asked: Side,
    after: Side,
    pairs: Pairs,
    names: Names,
    found: Sorted,
    lines: Lines,
    limits: Limits,
) -> tuple[Loss, ...]:
    """Everything that is guarded less, by kind and subject; `asked` has the rules of the older side as they are compared, `found` the findings."""
    start = Place(printable(str(after.spec.path)), 1, 1)
    losses = [
        *_of_own_rules(asked, after, pairs, names, start, limits),
        *_loosened(asked, after, pairs, names, limits),
        *_of_the_catalogue(before, after, pairs, names, start),
        *_declined(before, after, names),
        *_not_judged(before, after, pairs, names),
        *map(ignored_loss, found.newly_ignored),
        *_unbound(before, after, names, lines),
    ]
    if after.spec.confidence < before.spec.confidence:
        was, now = (format_value(side.spec.confidence, 0, percent=True) for side in (before, after))
        message = f"bounds of what was measured hold with a probability of {now}, not {was}"
        losses.append(Loss(kind=LossKind.CONFIDENCE_LOWERED, subject="confidence", place=start, message=message))
    order = list(LossKind)
    return tuple(sorted(losses, key=lambda loss: (order.index(loss.kind), loss.subject, loss.place)))


def _of_own_rules(
    before: Side, after: Side, pairs: Pairs, names: Names, start: Place, limits: Limits
) -> Iterator[Loss]:
    """Rules of the spec that are gone or say less, unless others forbid what they forbade."""
    speaking = _Speaking(after)
    for id_, rule in sorted(before.rules.items()):
        if not rule.rule.is_own:
            continue
        weakening = pairs.compared.get(id_)
        if weakening is not None and not weakening.is_weaker and not weakening.is_undecided:
            continue
        guards = speaking.guards(rule, pairs.new.get(id_), names)
        weakening = unguarded_by(rule, before.spec, guards, after.spec, limits, renamed=names.quantities)
        if not weakening.is_weaker and not weakening.is_undecided:
            continue
        if id_ in pairs.new:
            heir = after.rules[pairs.new[id_]].rule
            was, now = requirement(rule.rule), requirement(heir)
            yield Loss(
                kind=LossKind.RULE_WEAKENED,
                subject=heir.id,
                place=heir.places.get("require", heir.place),
                message=f"{was} has become {now}" if was != now else now,
                weakening=weakening,
            )
        else:
            message = f"{requirement(rule.rule)} is no longer demanded"
            yield Loss(kind=LossKind.RULE_REMOVED, subject=id_, place=start, message=message, weakening=weakening)


class _Speaking:
    """The rules of the newer side, by what they speak of."""

    def __init__(self, after: Side) -> None:
        self._rules = after.rules
        self._speaks = {id_: _quantities(rule) for id_, rule in after.rules.items()}
        self._of: dict[str, list[str]] = {}
        for id_, quantities in self._speaks.items():
            for name in quantities:
                self._of.setdefault(name, []).append(id_)

    def guards(self, rule: NormalRule, heir: str | None, names: Names) -> list[NormalRule]:
        """The rules that may forbid what a rule forbade: its heir, then those that its names lead to, the nearest first."""
        speaks = self._speaks
        reached = {names.quantity(name) for name in _quantities(rule)}
        levels = (Level.MUST,) if rule.rule.level is Level.MUST else (Level.MUST, Level.SHOULD)
        found = [] if heir is None else [heir]
        while len(found) < _MOST_GUARDS:
            near = {id_ for name in reached for id_ in self._of.get(name, ()) if self._rules[id_].rule.level in levels}
            left = near.difference(found)
            if not left:
                break
            found.append(min(left, key=lambda id_: (len(speaks[id_] - reached), -len(speaks[id_] & reached), id_)))
            reached |= speaks[found[-1]]
        return [self._rules[id_] for id_ in found]


def _quantities(rule: NormalRule) -> set[str]:
    """The parameters and measurements that a rule speaks of."""
    return rule.names() | {atom.measurement for atom in rule.atoms() if isinstance(atom, Quant)}


def _loosened(before: Side, after: Side, pairs: Pairs, names: Names, limits: Limits) -> Iterator[Loss]:
    """Rules of the catalogue of which the spec demands less: it may set their level and margin."""
    for id_, rule in sorted(after.rules.items()):
        was = before.rules.get(pairs.old.get(id_, ""))
        if was is None or rule.rule.is_own or rule.rule.is_bound:
            continue
        if (was.rule.level, was.rule.margin) == (rule.rule.level, rule.rule.margin):
            continue
        weakening = compare(was, before.spec, rule, after.spec, limits, renamed=names.quantities)
        if weakening.is_weaker or weakening.is_undecided:
            place = rule.rule.places.get("level", rule.rule.places.get("margin", rule.rule.place))
            message = f"{requirement(was.rule)} has become {requirement(rule.rule)}"
            yield Loss(kind=LossKind.RULE_WEAKENED, subject=id_, place=place, message=message, weakening=weakening)


def _of_the_catalogue(before: Side, after: Side, pairs: Pairs, names: Names, start: Place) -> Iterator[Loss]:
    """Rules of the catalogue that are gone, those with one cause together."""
    set_aside = {each.id for each in after.spec.declined} | {each.id for each in after.spec.unjudged}
    causes: dict[str, list[str]] = {}
    for id_, rule in sorted(before.rules.items()):
        if rule.rule.is_own or id_ in pairs.new or _id_now(rule.rule, names) in set_aside:
            continue
        if not rule.rule.is_bound or _missing(rule.rule, after, names):
            causes.setdefault(_cause(rule.rule, after, names), []).append(id_)
    for cause, ids in sorted(causes.items()):
        subject = ids[0] if len(ids) == 1 else f"{len(ids)} rules"
        verb = "applies" if len(ids) == 1 else "apply"
        shown = f"{' and '.join(ids[:3])}{f' and {len(ids) - 3} more' if len(ids) > 3 else ''}"
        message = f"{shown} no longer {verb}: {cause}"
        yield Loss(kind=LossKind.RULE_REMOVED, subject=subject, place=start, message=message, rules=tuple(ids))


def _id_now(rule: Rule, names: Names) -> str:
    """The id that a rule of the catalogue has with the names of now."""
    if rule.relation is None:
        return rule.id
    return f"{rule.relation.id}@{':'.join(names.component(component) for component in rule.components)}"


def _missing(rule: Rule, after: Side, names: Names) -> list[str]:
    known = {} if after.spec.topology is None else after.spec.topology.components
    return [name for name in rule.components if names.component(name) not in known]


def _cause(rule: Rule, after: Side, names: Names) -> str:
    """Why a rule of the catalogue is gone, in words."""
    missing = _missing(rule, after, names)
    if missing:
        return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} no longer a component"
    if len(rule.components) < 2:
        return f"what {rule.components[0]} says of itself has changed"
    now = {names.component(name) for name in rule.components}
    topology = after.spec.topology
    connections = () if topology is None else topology.connections
    if any(now <= {link.source, link.target, *link.hops} for link in connections):
        return f"what {' or '.join(rule.components)} says of itself, or their connection, has changed"
    return f"{' and '.join(rule.components)} are no longer connected"


def _declined(before: Side, after: Side, names: Names) -> Iterator[Loss]:
    old = {each.id for each in before.spec.declined}
    were = {_id_now(rule.rule, names) for rule in before.rules.values()}
    for each in after.spec.declined:
        if each.id not in old and each.id in were:
            message = f"declined: {printable(each.why)}"
            yield Loss(kind=LossKind.RULE_DECLINED, subject=each.id, place=each.place, message=message)


def _not_judged(before: Side, after: Side, pairs: Pairs, names: Names) -> Iterator[Loss]:
    """Rules that were judged and now lack a value."""
    for id_, checked in sorted(after.outcome.rules.items()):
        was = before.outcome.rules.get(pairs.old.get(id_, ""))
        if was is not None and was.verdict is not None and checked.verdict is None:
            message = f"no value in use is known of {' and '.join(checked.missing)}"
            place = after.spec.parameters[checked.missing[0]].place
            yield Loss(kind=LossKind.RULE_NOT_JUDGED, subject=id_, place=place, message=message)
    start = Place(printable(str(after.spec.path)), 1, 1)
    checks = before.outcome.rules.values()
    judged = {_id_now(checked.rule.rule, names) for checked in checks if checked.verdict is not None}
    for each in after.spec.unjudged:
        if each.id in judged:
            yield Loss(kind=LossKind.RULE_NOT_JUDGED, subject=each.id, place=start, message=each.why)


def ignored_loss(ignored: Ignored) -> Loss:
    """A finding that somebody has set aside, and had not before."""
    finding, ignore = ignored.finding, ignored.ignore
    until = f" until {ignore.until.isoformat()}" if ignore.until is not None else ""
    by = f", says {printable(ignore.origin.owner)}" if ignore.origin.owner else ""
    where = f"{finding.place.file}:{finding.place.line}"
    message = (
        f"{finding.kind.value} ({where}): {printable(finding.message)}; ignored{until}{by}: {printable(ignore.why)}"
    )
    return Loss(kind=LossKind.FINDING_IGNORED, subject=finding.subject, place=ignore.place, message=message)


def _unbound(before: Side, after: Side, names: Names, lines: Lines) -> Iterator[Loss]:
    """Places in files that a value no longer has to agree with, unless they are gone and another took over."""
    claimed = {
        (bound.file.path, bound.setting.start): bound.parameter for bound in after.bound if bound.setting is not None
    }
    for name, parameter in sorted(before.spec.parameters.items()):
        heir = after.spec.parameters.get(names.quantity(name))
        bound = {(printable(b.file), b.selector) for b in heir.at} if heir is not None else set()
        for binding in parameter.at:
            file = lines.file_now(printable(binding.file))
            if (file, binding.selector) in bound:
                continue
            there = _still_there(file, binding, after.files)
            if there is not None and heir is not None and claimed.get(there) == heir.name:
                continue  # the same place by another selector
            if there is None and bound:
                continue  # it is gone, and the value stands elsewhere
            place = Place(printable(str(after.spec.path)), 1, 1) if heir is None else heir.place
            rest = ", which is still there" if there is not None else ", and to no other place"
            message = f"{name} is no longer bound to {file}#{printable(binding.selector)}{rest}"
            yield Loss(kind=LossKind.BINDING_DROPPED, subject=name, place=place, message=message)


def _still_there(file: str, binding: Binding, files: Files) -> tuple[str, int] | None:
    """The file and the byte where a value stands; None: it is not there, or the spec may not read it."""
    try:
        read = files.read(file, binding.place)
    except OutlastError:
        return None
    found = read.lookup.select(binding.selector)
    return (read.path, found[0].start) if len(found) == 1 else None
