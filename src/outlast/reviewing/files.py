"""The review of files without a spec: what lint finds on both sides, and which values moved."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from outlast.configs.bind import Files, bind
from outlast.configs.recognise.found import Found, Held
from outlast.constraints.check import CheckOutcome, Finding, Ignored, rule_of, shown_file, value_places
from outlast.constraints.errors import InputErrors, Place
from outlast.constraints.evaluate import Verdict
from outlast.constraints.files import Overlaid, Store
from outlast.constraints.loading.tree import Tree
from outlast.constraints.model import Binding, Ignore, Spec
from outlast.constraints.normal import normalise
from outlast.constraints.record import record, replace
from outlast.linting import Linted, Told, audit_group, groups_of, spec_of
from outlast.reviewing.changes import stands
from outlast.reviewing.lines import Lines
from outlast.reviewing.losses import ignored_loss
from outlast.reviewing.matching import Key, matched
from outlast.reviewing.outcome import Headroom, InUse, ParameterChange, Part, Suggested, Trouble
from outlast.reviewing.side import Side, breaks_nothing, wrong
from outlast.reviewing.suggesting import preferred, suggestion
from outlast.reviewing.trouble import account_of, group_of, placed, rules_of
from outlast.solver.account import Group, Moved
from outlast.solver.audit import audit
from outlast.solver.limits import Limits

__all__ = ["files_part"]

#: Groups of components beyond which headroom is not followed.
_MOST_GROUPS: Final = 200

#: What tells things without a name apart.
_NUMBER: Final = re.compile(r"#[0-9]+\Z")

#: Where a value stands, whatever the line: file (as it is called now), selector (of a part of a text the component), kind and parameter.
_Spot = tuple[str, str, str, str]


def files_part(
    before: Linted, after: Linted, *, specs: Sequence[Side], store: Store, lines: Lines, limits: Limits
) -> Part:
    """What a change did to files; what is only about values to which `specs` are bound, these tell, and no suggestion may break them."""
    bound = {(bound.place.file, bound.place.line) for side in specs for bound in side.bound}
    had = [item for item in _items(before, lines.file_now) if not _is_bound(item.told, lines.now, bound)]
    now = [item for item in _items(after, str) if not _is_bound(item.told, _stay, bound)]
    found = matched(had, now, _keys(lines, _owners(before, lines.file_now), _owners(after, str)))
    new = [item.told for n, item in enumerate(now) if n not in found and item.ignore is None]
    old = [item.told for n, item in enumerate(now) if n in found and item.ignore is None]
    still = set(found.values())
    gone = [item for n, item in enumerate(had) if n not in still and item.ignore is None]
    owners = set(_owners(after, str).values())
    changed = lines.touched({place.file for told in new for place in (told.finding.place, *_places(told))})
    parameters, headrooms = _moves(before, after, lines)
    return Part(
        spec=None,
        parameters=parameters,
        headrooms=headrooms,
        losses=tuple(
            ignored_loss(_ignored(item))
            for n, item in enumerate(now)
            if item.ignore is not None and (n not in found or had[found[n]].ignore is None)
        ),
        new=tuple(_troubles(new, {told.finding.subject for told in old}, after.found, changed, store, specs, limits)),
        old=tuple((told.finding, told.outcome) for told in old),
        mended=tuple(
            (item.told.finding, item.told.outcome) for item in gone if _is_there(item, lines, after.found, owners)
        ),
        ignored=tuple((_ignored(item), item.told.outcome) for item in now if item.ignore is not None),
        judged=after.rules,
    )


class _Owner(NamedTuple):
    """What has the values of a finding: its kind, its file as it is called now, and what holds it there."""

    kind: str
    file: str
    root: tuple[str, ...]

    @property
    def unnumbered(self) -> _Owner:
        """The same without the numbers of what has no name."""
        return self._replace(root=tuple(_NUMBER.sub("", part) for part in self.root))


class _Item(NamedTuple):
    """A finding, with the comment that sets it aside; None: it counts."""

    told: Told
    ignore: Ignore | None
    #: In the order of its rule.
    owners: tuple[_Owner, ...]


def _owners(linted: Linted, named: Callable[[str], str]) -> Mapping[str, _Owner]:
    """By the name of a component; `named` is how files are called now."""
    return {each.name: _Owner(each.kind, named(shown_file(each.file)), each.root) for each in linted.found.instances}


def _items(linted: Linted, named: Callable[[str], str]) -> list[_Item]:
    """Everything that was found; remarks about comments are of an audit of nothing."""
    nothing = CheckOutcome(spec=spec_of(Found()), rules={}, findings=(), values={})
    owners = _owners(linted, named)

    def item(told: Told, ignore: Ignore | None) -> _Item:
        checked = told.outcome.rules.get(told.finding.subject)
        return _Item(told, ignore, tuple(owners[name] for name in (checked.rule.rule.components if checked else ())))

    remarks = [Told(finding=remark, outcome=nothing) for remark in linted.remarks]
    items = [item(told, None) for told in (*linted.findings, *remarks)]
    return [*items, *(item(spared.told, spared.ignore) for spared in linted.ignored)]


def _ignored(item: _Item) -> Ignored:
    assert item.ignore is not None  # the caller saw to it
    return Ignored(finding=item.told.finding, ignore=item.ignore)


def _keys(
    lines: Lines, before: Mapping[str, _Owner], after: Mapping[str, _Owner]
) -> list[tuple[Key[_Item], Key[_Item]]]:
    """What makes findings the same: the components; of such as have no name, the lines; of what is called otherwise now, the lines as well.

    Lines alone would take one block for another that stands in its place.
    """
    old, new = set(before.values()), set(after.values())
    double: set[_Owner] = set()
    for side in (old, new):
        times = Counter(owner.unnumbered for owner in side)
        double |= {owner for owner, number in times.items() if number > 1}

    def sure(item: _Item) -> Hashable | None:
        known = item.owners and all(owner.unnumbered not in double for owner in item.owners)
        return (*_sort(item.told), item.owners) if known else None

    def nameless(item: _Item, lines_of: Hashable | None, others: Collection[_Owner]) -> Hashable | None:
        if lines_of is None or (item.owners and sure(item) is not None):
            return None
        return (*_sort(item.told), tuple(owner.unnumbered for owner in item.owners), lines_of)

    def renamed(item: _Item, lines_of: Hashable | None, others: Collection[_Owner]) -> Hashable | None:
        if lines_of is None or all(owner in others for owner in item.owners):
            return None
        return (*_sort(item.told), tuple(owner.kind for owner in item.owners), lines_of)

    def of_values(item: _Item, now: Callable[[Place], Place | None]) -> Hashable | None:
        return _mapped(_places(item.told) or (item.told.finding.place,), now)

    def of_components(item: _Item, now: Callable[[Place], Place | None]) -> Hashable | None:
        return _mapped(_component_places(item.told), now)

    def of_file(item: _Item, named: Callable[[str], str]) -> Hashable | None:
        finding = item.told.finding
        return None if item.owners else (*_sort(item.told), finding.subject, named(finding.place.file))

    def both(
        say: Callable[[_Item, Hashable | None, Collection[_Owner]], Hashable | None],
        of: Callable[[_Item, Callable[[Place], Place | None]], Hashable | None],
    ) -> tuple[Key[_Item], Key[_Item]]:
        return (lambda item: say(item, of(item, lines.now), new)), (lambda item: say(item, of(item, _stay), old))

    return [
        (sure, sure),
        both(nameless, of_values),
        both(nameless, of_components),
        both(renamed, of_components),
        both(renamed, of_values),
        (lambda item: of_file(item, lines.file_now), lambda item: of_file(item, str)),
    ]


def _mapped(places: Sequence[Place], now: Callable[[Place], Place | None]) -> Hashable | None:
    """Lines as they are numbered now; None: there are none, or one is gone."""
    found = [now(place) for place in places]
    if not found or None in found:
        return None
    return frozenset((place.file, place.line) for place in found if place is not None)


def _sort(told: Told) -> tuple[Hashable, ...]:
    return told.finding.kind, rule_of(told.finding, told.outcome)


def _component_places(told: Told) -> list[Place]:
    """Where the components of a finding begin in their files."""
    checked, topology = told.outcome.rules.get(told.finding.subject), told.outcome.spec.topology
    if checked is None or topology is None:
        return []
    return [topology.components[name].place for name in checked.rule.rule.components]


def _is_there(item: _Item, lines: Lines, found: Found, owners: Collection[_Owner]) -> bool:
    """Whether what was wrong is still recognised, so that it is well now; `owners` are those of now."""
    by_line = {(instance.place.file, instance.place.line) for instance in found.instances}
    places = [lines.now(place) for place in _component_places(item.told)]
    return all(
        owner in owners or (place is not None and (place.file, place.line) in by_line)
        for owner, place in zip(item.owners, places, strict=True)
    )


def _is_bound(told: Told, now: Callable[[Place], Place | None], bound: Collection[tuple[str, int]]) -> bool:
    places = [now(place) for place in _places(told)]
    return bool(places) and all(place is not None and (place.file, place.line) in bound for place in places)


def _stay(place: Place) -> Place:
    return place


def _places(told: Told) -> tuple[Place, ...]:
    return value_places(told.finding, told.outcome)


def _moves(before: Linted, after: Linted, lines: Lines) -> tuple[tuple[ParameterChange, ...], tuple[Headroom, ...]]:
    """Values that are new, gone or others, and what that did to the rules of the components that have them."""
    old, new = _Seen.of(before, lines.file_now), _Seen.of(after, str)
    moved = {
        spot
        for spot in {*old.held, *new.held}
        if (one := old.held.get(spot)) is None or (other := new.held.get(spot)) is None or one.value != other.value
    }
    was, now = old.audits(moved), new.audits(moved)
    changes = []
    for spot in sorted(moved):
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
    def of(cls, linted: Linted, named: Callable[[str], str]) -> _Seen:
        """The values by what stays the same when lines move; `named` is how files are called now."""
        held: dict[_Spot, Held] = {}
        names: dict[_Spot, str] = {}
        spots: dict[str, _Spot] = {}
        for instance in linted.found.instances:
            for word, value in instance.values.items():
                spot = (named(shown_file(value.file)), value.selector or instance.name, instance.kind, word)
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
        return audit_group(group, with_remedies=False)
    except InputErrors:  # no rule has all its values
        return None


def _troubles(
    new: Sequence[Told],
    known: Collection[str],
    found: Found,
    changed: Mapping[str, frozenset[int]],
    store: Store,
    specs: Sequence[Side],
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
            suggested=None if group is None else _suggestion(spec, group, told.finding, store, specs, changed),
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


def _suggestion(
    spec: Spec,
    group: Group,
    finding: Finding,
    store: Store,
    specs: Sequence[Side],
    changed: Mapping[str, frozenset[int]],
) -> Suggested | None:
    """The cheapest repair that files can be written with, for values that a place in a file selects."""
    tree = Tree((store.resolve(os.curdir),), store)
    moving = {c.parameter for repair in group.repairs for c in repair.changes if isinstance(c, Moved)}
    asked = replace(spec, parameters={n: p if n in moving else replace(p, at=()) for n, p in spec.parameters.items()})
    try:
        _, bound = bind(asked, Files(tree))
    except InputErrors:
        return None
    mends = partial(_mends, spec=asked, finding=finding, folders=tree.folders, specs=specs)
    return suggestion(asked, bound, preferred(group.repairs, asked, [finding], changed), store, mends)


def _mends(store: Overlaid, spec: Spec, finding: Finding, folders: tuple[str, ...], specs: Sequence[Side]) -> bool:
    """Whether the values that then stand in the files break nothing but what was broken, and not this."""
    read, _ = bind(spec, Files(Tree(folders, store)))
    parameters = dict(spec.parameters)
    for name, (value, _) in read.in_files.items():
        parameters[name] = replace(parameters[name], value=value)
    tried = replace(spec, parameters=parameters)
    left, was = (wrong(audit(each, normalise(each)[0], known_only=True, with_remedies=False)) for each in (tried, spec))
    return (finding.kind, finding.subject) not in left and left <= was and breaks_nothing(specs, store)
