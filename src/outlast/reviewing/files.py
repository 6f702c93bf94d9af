"""The review of files without a spec: what lint finds on both sides, and which values moved."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from outlast.configs.bind import Files, bind
from outlast.configs.recognise.found import Found, Held
from outlast.constraints.check import CheckOutcome, Finding, Ignored, identity, shown_file, value_places
from outlast.constraints.errors import InputErrors, Place, printable
from outlast.constraints.evaluate import Verdict
from outlast.constraints.files import Store
from outlast.constraints.loading.tree import Tree
from outlast.constraints.model import Binding, Spec
from outlast.constraints.normal import normalise
from outlast.constraints.record import record, replace
from outlast.linting import Linted, Spared, Told, audit_group, groups_of, spec_of
from outlast.reviewing.changes import stands
from outlast.reviewing.outcome import Headroom, InUse, Loss, LossKind, ParameterChange, Part, Suggested, Trouble
from outlast.reviewing.specs import Lines
from outlast.reviewing.suggesting import suggestion
from outlast.reviewing.trouble import account_of, group_of, placed, rules_of
from outlast.solver.account import Group, Moved
from outlast.solver.audit import audit
from outlast.solver.limits import Limits

__all__ = ["files_part"]

#: Groups of components beyond which headroom is not followed.
_MOST_GROUPS: Final = 200

#: Where a value stands, whatever the line: file (as it is called now), selector (of a part of a text the component), kind and parameter.
_Spot = tuple[str, str, str, str]


def files_part(
    before: Linted | None,
    after: Linted,
    *,
    store: Store,
    renames: Mapping[str, str],
    lines: Lines,
    limits: Limits,
) -> Part:
    """What a change did to files; `before` None: there were none. `renames`: by the name that a path has now, the one that it had."""
    names = {printable(old): printable(new) for new, old in renames.items()}
    had, set_aside = _keyed(before, names), _spared(before, names)
    now = _keyed(after, {})
    known = {*had, *set_aside}
    new = [told for key, told in now.items() if key not in known]
    changed = lines({place.file for told in new for place in (told.finding.place, *_places(told))})
    parameters, headrooms = _moves(before, after, names)
    broken_before = {told.finding.subject for key, told in now.items() if key in known}
    ignored = _spared(after, {})
    return Part(
        spec=None,
        parameters=parameters,
        headrooms=headrooms,
        losses=tuple(_ignored(spared) for key, spared in ignored.items() if key not in set_aside),
        new=tuple(_troubles(new, broken_before, after.found, changed, store, limits)),
        old=tuple((told.finding, told.outcome) for key, told in now.items() if key in known),
        mended=tuple(
            (told.finding, told.outcome) for key, told in had.items() if key not in now and key not in ignored
        ),
        ignored=tuple(
            (Ignored(finding=spared.told.finding, ignore=spared.ignore), spared.told.outcome)
            for spared in ignored.values()
        ),
        judged=after.rules,
    )


def _keyed(linted: Linted | None, names: Mapping[str, str]) -> Mapping[tuple[str, ...], Told]:
    """What counts, by what stays the same; remarks about comments are of an audit of nothing."""
    if linted is None:
        return {}
    nothing = CheckOutcome(spec=spec_of(Found()), rules={}, findings=(), values={})
    remarks = [Told(finding=remark, outcome=nothing) for remark in linted.remarks]
    return {_key(told, names): told for told in (*linted.findings, *remarks)}


def _spared(linted: Linted | None, names: Mapping[str, str]) -> Mapping[tuple[str, ...], Spared]:
    return {} if linted is None else {_key(spared.told, names): spared for spared in linted.ignored}


def _ignored(spared: Spared) -> Loss:
    """A finding that somebody has set aside, and had not before."""
    finding = spared.told.finding
    message = f"{finding.kind.value}, ignored: {printable(spared.ignore.why)}"
    return Loss(kind=LossKind.FINDING_IGNORED, subject=finding.subject, place=spared.ignore.place, message=message)


def _key(told: Told, names: Mapping[str, str]) -> tuple[str, ...]:
    return identity(told.finding, told.outcome, names)


def _places(told: Told) -> tuple[Place, ...]:
    return value_places(told.finding, told.outcome)


def _moves(
    before: Linted | None, after: Linted, names: Mapping[str, str]
) -> tuple[tuple[ParameterChange, ...], tuple[Headroom, ...]]:
    """Values that are new, gone or others, and what that did to the rules of the components that have them."""
    old, new = (_Seen.of(linted, named) for linted, named in ((before, names), (after, {})))
    moved = {
        spot
        for spot in {*old.held, *new.held}
        if (one := old.held.get(spot)) is None or (other := new.held.get(spot)) is None or one.value != other.value
    }
    was, now = old.audits(moved), new.audits(moved)
    changes = []
    for spot in moved:
        left, right = old.in_use(spot, was), new.in_use(spot, now)
        if left is not None or right is not None:
            name = next(side.name for side in (right, left) if side is not None)
            changes.append(ParameterChange(name=name, before=left and left.use, after=right and right.use))
    old_rules, new_rules = old.rules(was), new.rules(now)
    headrooms = [
        Headroom(rule=rule, before=old_rules[key][1], after=verdict)
        for key, (rule, verdict) in new_rules.items()
        if key in old_rules and stands(old_rules[key][1]) != stands(verdict)
    ]
    return (
        tuple(sorted(changes, key=lambda change: change.name)),
        tuple(sorted(headrooms, key=lambda headroom: headroom.rule)),
    )


class _Named(NamedTuple):
    name: str
    use: InUse


@record(kw_only=True, eq=False)
class _Seen:
    """What was recognised on one side."""

    groups: tuple[Found, ...]
    held: Mapping[_Spot, Held]
    #: By spot: the name of the parameter.
    names: Mapping[_Spot, str]
    #: By the name of a parameter: its spot.
    spots: Mapping[str, _Spot]

    @classmethod
    def of(cls, linted: Linted | None, named: Mapping[str, str]) -> _Seen:
        """The values by what stays the same when lines move."""
        if linted is None:
            return cls(groups=(), held={}, names={}, spots={})
        held: dict[_Spot, Held] = {}
        names: dict[_Spot, str] = {}
        spots: dict[str, _Spot] = {}
        for instance in linted.found.instances:
            for word, value in instance.values.items():
                file = shown_file(value.file)
                spot = (named.get(file, file), value.selector or instance.name, instance.kind, word)
                held.setdefault(spot, value)
                name = f"{instance.name}.{word}"
                names.setdefault(spot, name)
                spots[name] = spot
        return cls(groups=tuple(groups_of(linted.found)), held=held, names=names, spots=spots)

    def audits(self, moved: Collection[_Spot]) -> tuple[CheckOutcome, ...]:
        """The audits of the components that have one of these values."""
        owners = {self.names[spot].rpartition(".")[0] for spot in moved if spot in self.names}
        touched = [group for group in self.groups if not owners.isdisjoint(each.name for each in group.instances)]
        return tuple(outcome for group in touched[:_MOST_GROUPS] if (outcome := _audited(group)) is not None)

    def in_use(self, spot: _Spot, audits: Iterable[CheckOutcome]) -> _Named | None:
        """What stands there, by the name that its component has."""
        name = self.names.get(spot)
        for outcome in audits:
            if name is not None and name in outcome.spec.parameters:
                return _Named(name, InUse(outcome.spec.parameters[name], outcome.values.get(name)))
        return None

    def rules(self, audits: Iterable[CheckOutcome]) -> Mapping[object, tuple[str, Verdict]]:
        """The rules that were judged, by relation and by what they compare; those that cannot be told apart are left out."""
        found: dict[object, tuple[str, Verdict]] = {}
        double: set[object] = set()
        for outcome in audits:
            for id_, checked in outcome.rules.items():
                relation = checked.rule.rule.relation
                if relation is None or checked.verdict is None:
                    continue
                key = (relation.id, frozenset(self.spots.get(n, n.rpartition(".")[2]) for n in checked.rule.names()))
                double.update({key} & found.keys())
                found[key] = (id_, checked.verdict)
        return {key: value for key, value in found.items() if key not in double}


def _audited(group: Found) -> CheckOutcome | None:
    try:
        return audit_group(group)
    except InputErrors:  # no rule has all its values
        return None


def _troubles(
    new: Sequence[Told],
    known: Collection[str],
    found: Found,
    changed: Mapping[str, frozenset[int]],
    store: Store,
    limits: Limits,
) -> Iterator[Trouble]:
    """The findings that the change brought, explained one by one; `known` are the rules that were broken before."""
    for told in new:
        place, is_on_changed_line = placed(told.finding, told.outcome, changed)
        spec = _bound(told.outcome.spec, found)
        rules, _ = normalise(spec)
        account = account_of(spec, rules, set(known) | _others(told), limits)
        group = group_of(account, rules_of(told.finding))
        yield Trouble(
            finding=told.finding,
            outcome=told.outcome,
            place=place,
            is_on_changed_line=is_on_changed_line,
            account=account if group is not None else None,
            group=None if group is None else group.number,
            suggested=None if group is None else _suggestion(spec, group, told.finding, store),
        )


def _others(told: Told) -> set[str]:
    """What else is broken among the same components, which is told by itself, if at all."""
    return {finding.subject for finding in told.outcome.findings} - {told.finding.subject}


def _bound(spec: Spec, found: Found) -> Spec:
    """The spec with the places in files of the values that one selects."""
    parameters = dict(spec.parameters)
    for instance in found.instances:
        for word, held in instance.values.items():
            name = f"{instance.name}.{word}"
            if name in parameters and held.selector and "#" not in held.file:
                at = Binding(file=held.file, selector=held.selector, place=held.place)
                parameters[name] = replace(parameters[name], at=(at,))
    return replace(spec, parameters=parameters)


def _suggestion(spec: Spec, group: Group, finding: Finding, store: Store) -> Suggested | None:
    """The cheapest repair that files can be written with, for values that a place in a file selects."""
    tree = Tree((store.resolve(os.curdir),), store)
    moving = {c.parameter for repair in group.repairs for c in repair.changes if isinstance(c, Moved)}
    asked = replace(spec, parameters={n: p if n in moving else replace(p, at=()) for n, p in spec.parameters.items()})
    try:
        _, bound = bind(asked, Files(tree))
    except InputErrors:
        return None
    mends = partial(_mends, spec=asked, finding=finding, folders=tree.folders)
    return suggestion(asked, bound, group.repairs, store, mends)


def _mends(store: Store, spec: Spec, finding: Finding, folders: tuple[str, ...]) -> bool:
    """Whether the values that then stand in the files break nothing but what was broken, and not this."""
    read, _ = bind(spec, Files(Tree(folders, store)))
    parameters = dict(spec.parameters)
    for name, (value, _) in read.in_files.items():
        parameters[name] = replace(parameters[name], value=value)
    tried = replace(spec, parameters=parameters)
    left, was = (
        {(f.kind, f.subject) for f in audit(each, normalise(each)[0], known_only=True).findings}
        for each in (tried, spec)
    )
    return (finding.kind, finding.subject) not in left and left <= was
