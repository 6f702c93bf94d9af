"""Looking at files without a spec: what they configure becomes a spec in memory, with the catalogue's rules, which is then audited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.configs.recognise.found import Found, Held, Hosted, Instance, Link
from outlast.configs.recognise.recognise import recognise
from outlast.constraints.catalogue import Kind as ComponentKind
from outlast.constraints.catalogue import kind, kind_names
from outlast.constraints.check import CheckOutcome, Finding, FindingKind, value_places
from outlast.constraints.document import Entry, Node, Scalar
from outlast.constraints.document import Mapping as Keys
from outlast.constraints.document import Sequence as Items
from outlast.constraints.errors import InputErrors, Place
from outlast.constraints.evaluate import Truth, World, judge
from outlast.constraints.files import DISK, Store
from outlast.constraints.loading.layers import Item, Layer
from outlast.constraints.loading.load import load_layer
from outlast.constraints.model import Ignore, Severity, Spec
from outlast.constraints.normal import NormalRule, normalise
from outlast.constraints.polynomial import Quant
from outlast.constraints.progress import counted
from outlast.constraints.quantities import DURATION_UNITS, Value, value_text
from outlast.constraints.record import record, replace
from outlast.constraints.topology import UNKNOWN
from outlast.solver.audit import audit
from outlast.solver.constants import constants_of

if TYPE_CHECKING:
    from outlast.constraints.baseline import Baseline

__all__ = [
    "Linted",
    "Spared",
    "Told",
    "all_kinds",
    "audit_group",
    "from_here",
    "groups_of",
    "lint_files",
    "said_of",
    "spec_of",
    "without_known",
]

#: What stands for the path of the spec.
_NAME: Final = Path("files")


@record(kw_only=True)
class Told:
    """A finding with the audit that it is from."""

    finding: Finding
    outcome: CheckOutcome


@record(kw_only=True)
class Spared:
    """A finding that does not count, and the comment that says so."""

    told: Told
    ignore: Ignore


@record(kw_only=True)
class Linted:
    """What the files alone show."""

    found: Found
    #: By severity and place.
    findings: tuple[Told, ...]
    #: By the names of two components: why they belong together.
    evidence: Mapping[tuple[str, str], str]
    #: How many rules were judged.
    rules: int
    #: By what is not known, as `gunicorn response_gap`, how many rules were not judged for it.
    wanting: Mapping[str, int]
    #: How many rules that is.
    unjudged: int
    #: What is wrong with comments that ignore findings, by place: of no audit.
    remarks: tuple[Finding, ...] = ()
    #: What such comments have set aside, in the order of findings.
    ignored: tuple[Spared, ...] = ()
    #: Set aside since a baseline has them; likewise. `mended`: how many others it has.
    known: tuple[Told, ...] = ()
    known_remarks: tuple[Finding, ...] = ()
    mended: int = 0

    def all_that_counts(self) -> tuple[Finding, ...]:
        """All that counts, remarks included."""
        return (*(told.finding for told in self.findings), *self.remarks)


def lint_files(
    paths: Sequence[Path], store: Store = DISK, *, today: date | None = None, with_remedies: bool = True
) -> Linted:
    """What is wrong between the timeouts in files and folders, as far as they show it; `today` None: as the clock says.

    Raises:
        InputErrors: a path does not exist, or a file that was named cannot be read.
    """
    found = recognise(from_here(paths), all_kinds(), store)
    if found.unread:
        raise InputErrors("files that cannot be read", list(found.unread))
    evidence = {(link.source, link.target): link.because for link in found.links}
    evidence |= {(hosted.host, hosted.guest): hosted.because for hosted in found.hosted}
    told: list[Told] = []
    count = unjudged = 0
    models: dict[object, _Model] = {}
    clean: dict[object, bool] = {}
    wanting: Counter[str] = Counter()
    for group in counted("judging: {} of {}", groups_of(found)):
        shape = _shape(group)
        model = models.get(shape)
        if model is None:
            model = models[shape] = _Model.of(group)
        count += sum(1 for rule in model.rules if not rule.rule.is_bound)
        wanting.update(model.wanting)
        unjudged += model.unjudged
        state = (shape, tuple(_values(each) for each in group.instances))
        if state not in clean:
            clean[state] = model.is_clean(group)
        if not clean[state]:
            told += _audited(group, with_remedies=with_remedies)
    told.sort(key=lambda each: (each.finding.severity.order, each.finding.place, each.finding.subject))
    left, spared, remarks = _without_ignored(told, found, today)
    return Linted(
        found=found,
        findings=tuple(_told_once(left)),
        remarks=remarks,
        ignored=spared,
        evidence=evidence,
        rules=count,
        wanting=wanting,
        unjudged=unjudged,
    )


def _without_ignored(
    told: Sequence[Told], found: Found, today: date | None
) -> tuple[Sequence[Told], tuple[Spared, ...], tuple[Finding, ...]]:
    """What counts, what comments have set aside, and what is wrong with these."""
    if not found.ignores and not found.misunderstood:
        return told, (), ()
    from outlast.configs.ignoring import misunderstood
    from outlast.constraints.ignoring import Ignoring, names_of_spec

    ignoring = Ignoring(found.ignores, today or date.today())
    left: list[Told] = []
    spared: dict[int, Ignore] = {}
    aside: list[Told] = []
    for each in told:
        ignore = ignoring.of(each.finding, each.outcome)
        if ignore is None:
            left.append(each)
        else:
            spared[id(each)] = ignore
            aside.append(each)
    names: set[str] = set()
    files = {each.place.file for each in found.ignores}
    for group in groups_of(found):
        places = (place for i in group.instances for place in (i.place, *(h.place for h in _known(i).values())))
        if any(place.file in files for place in places):
            spec = spec_of(group)
            ignoring.look(audit(spec, normalise(spec)[0], known_only=True, may_know_nothing=True, with_remedies=False))
            names.update(names_of_spec(spec))
    remarks = [*ignoring.remarks((), names), *map(misunderstood, found.misunderstood)]
    remarks.sort(key=lambda each: (each.place, each.subject))
    return left, tuple(Spared(told=each, ignore=spared[id(each)]) for each in _told_once(aside)), tuple(remarks)


def without_known(linted: Linted, baseline: Baseline) -> Linted:
    """The same with what a baseline has apart."""
    from outlast.constraints.baseline import entry_of

    taken = [each for each in linted.findings if baseline.takes(entry_of(each.finding, each.outcome, baseline.folder))]
    remarks = [each for each in linted.remarks if baseline.takes(entry_of(each, None, baseline.folder))]
    apart = {id(each) for each in (*taken, *remarks)}
    return replace(
        linted,
        findings=tuple(each for each in linted.findings if id(each) not in apart),
        remarks=tuple(each for each in linted.remarks if id(each) not in apart),
        known=tuple(taken),
        known_remarks=tuple(remarks),
        mended=baseline.left,
    )


def from_here(paths: Sequence[Path]) -> list[Path]:
    """The paths, those below the current folder as seen from it."""
    here = Path.cwd()
    return [path.relative_to(here) if path.is_relative_to(here) else path for path in paths]


def _known(instance: Instance) -> Mapping[str, Held]:
    """What is set, lower bounds included."""
    return {**instance.least, **instance.values}


def _values(instance: Instance) -> tuple[tuple[str, Value], ...]:
    """What is known of the values, whatever order they stand in."""
    return tuple(sorted(((word, held.value) for word, held in _known(instance).items()), key=lambda each: each[0]))


def _told_once(told: Sequence[Told]) -> Iterator[Told]:
    """The findings, one for each relation and mistake: what several blocks inherit is one line of a file."""
    seen: set[object] = set()
    for each in told:
        rule = each.outcome.rules[each.finding.subject].rule
        relation = rule.rule.relation
        key = (relation.id, _sides(rule, each.outcome.spec)) if relation is not None else each.finding.subject
        if key not in seen:
            seen.add(key)
            yield each


def _sides(rule: NormalRule, spec: Spec) -> frozenset[object]:
    """The places that a rule compares; of a default what has it, and where that stands."""
    parameters = [spec.parameters[name] for name in rule.names()]
    places = {p.places["fixed"] for p in parameters if "fixed" in p.places}
    if not places:
        return frozenset(rule.names())
    return frozenset((*places, *(p.name.rpartition(".")[2] for p in parameters if "fixed" not in p.places)))


def groups_of(found: Found) -> list[Found]:
    """What is connected, apart from all else."""
    leader = {instance.name: instance.name for instance in found.instances}

    def first(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for link in found.links:
        for other in (link.target, *link.via):
            leader[first(other)] = first(link.source)
    for hosted in found.hosted:
        leader[first(hosted.guest)] = first(hosted.host)
    parts: dict[str, tuple[list[Instance], list[Link], list[Hosted]]] = {}
    for instance in found.instances:
        parts.setdefault(first(instance.name), ([], [], []))[0].append(instance)
    for link in found.links:
        parts[first(link.source)][1].append(link)
    for hosted in found.hosted:
        parts[first(hosted.host)][2].append(hosted)
    return [Found(instances=tuple(i), links=tuple(k), hosted=tuple(h)) for i, k, h in parts.values()]


def _shape(group: Found) -> object:
    """All but names, places and values: groups of one shape have the same rules."""
    numbers = {instance.name: number for number, instance in enumerate(group.instances)}
    return (
        tuple(
            (i.kind, tuple(sorted(i.options.items())), tuple(sorted(i.values)), i.opaque, tuple(sorted(i.least)))
            for i in group.instances
        ),
        tuple(
            (
                numbers[k.source],
                numbers[k.target],
                tuple(numbers[hop] for hop in k.via),
                tuple(sorted(k.options.items())),
            )
            for k in group.links
        ),
        tuple((numbers[h.guest], numbers[h.host]) for h in group.hosted),
    )


@record(kw_only=True)
class _Model:
    """The rules of all groups of one shape, in the names and at the values of the first."""

    names: tuple[str, ...]
    spec: Spec
    rules: tuple[NormalRule, ...]
    constants: Mapping[str, Value | tuple[Fraction, Fraction]]
    #: What is not known, by kind and parameter: for how many rules.
    wanting: Mapping[str, int]
    unjudged: int

    @classmethod
    def of(cls, group: Found) -> _Model:
        """Make the rules of a group."""
        spec = spec_of(group)
        rules, _ = normalise(spec)
        values = constants_of(spec).values
        return cls(
            names=tuple(instance.name for instance in group.instances),
            spec=spec,
            rules=tuple(rule for rule in rules.values() if _is_open(rule, spec, values)),
            constants=values,
            wanting=_wanting(spec, group),
            unjudged=sum(1 for each in spec.unjudged if each.needs),
        )

    def is_clean(self, group: Found) -> bool:
        """Whether a group of this shape breaks no rule."""
        values = dict(self.constants)
        for name, instance in zip(self.names, group.instances, strict=True):
            for word, held in _known(instance).items():
                parameter = self.spec.parameters.get(f"{name}.{word}")
                if parameter is not None:
                    values[parameter.name] = parameter.effective(held.value)
        world = World(values=values, bound=_no_quantile)
        return all(judge(rule, world).truth is not Truth.BROKEN for rule in self.rules)


def _is_open(rule: NormalRule, spec: Spec, values: Collection[str]) -> bool:
    """Whether every value of a rule is known, and it is not about what defaults keep to."""
    names = rule.names()
    if rule.rule.is_bound and all(spec.parameters[name].default_of is not None for name in names):
        return False
    return all(name in values for name in names)


def _wanting(spec: Spec, group: Found) -> Mapping[str, int]:
    kinds = {instance.name: instance.kind for instance in group.instances}
    found: Counter[str] = Counter()
    for each in spec.unjudged:
        names = (name.partition(".") for name in each.needs)
        found.update({f"{kinds[owner]} {word}" for owner, _, word in names if owner in kinds})
    return found


def _no_quantile(quantile: Quant, upper: bool) -> Fraction:
    raise AssertionError(f"files have no measurements, found {quantile} ({upper})")


def audit_group(group: Found, *, with_remedies: bool = True) -> CheckOutcome:
    """Every rule of what is connected, at the values that the files say."""
    spec = spec_of(group)
    rules, _ = normalise(spec)
    return audit(spec, rules, known_only=True, with_remedies=with_remedies)


def _audited(group: Found, *, with_remedies: bool) -> list[Told]:
    """Everything that is to be told of a group."""
    outcome = audit_group(group, with_remedies=with_remedies)
    findings = outcome.findings
    if any(instance.least for instance in group.instances):
        # A lower bound tells what any greater value breaks, too, and nothing else.
        raised = spec_of(group, raised=True)
        greater = {
            f.subject for f in audit(raised, normalise(raised)[0], known_only=True, with_remedies=False).findings
        }
        findings = tuple(finding for finding in findings if finding.subject in greater)
    found = (_placed(finding, outcome) for finding in findings)
    return [Told(finding=finding, outcome=outcome) for finding in found if finding is not None]


def all_kinds() -> tuple[ComponentKind, ...]:
    """Every kind of the catalogue."""
    return tuple(each for name in kind_names() if (each := kind(name)) is not None)


#: For what is known from below only.
_VERY_LONG: Final = Fraction(365 * DURATION_UNITS["d"])


def spec_of(found: Found, *, raised: bool = False) -> Spec:
    """What was recognised as a spec, every value fixed where it stands; what could not be read has none.

    What is known from below has the least value that it can have; a very great one if `raised`.
    """
    top = Place(str(_NAME), 1, 1)
    layer = Layer(top)
    for instance in found.instances:
        layer.sections["components"][instance.name] = _component(instance, found)
        layer.sections["parameters"].update(_parameters(instance, raised=raised))
    places = {instance.name: instance.place for instance in found.instances}
    links = tuple(_link(k.source, k.target, k.via, k.options, places[k.target]) for k in found.links)
    if links:
        layer.top["links"] = Entry(Scalar(text="links", place=top), Items(items=links, place=top))
    return load_layer(_NAME, layer, is_sure=True)


def said_of(instance: Instance, found: Found) -> tuple[dict[str, str], tuple[str, ...]]:
    """What a spec says of a component: its kind and options, and what it runs in."""
    known = kind(instance.kind)
    unknown = {word: UNKNOWN for word in sorted(instance.opaque) if known is not None and word in known.options}
    hosts = tuple(hosted.host for hosted in found.hosted if hosted.guest == instance.name)
    return {"kind": instance.kind, **instance.options, **unknown}, hosts


def _component(instance: Instance, found: Found) -> Item:
    place = instance.place
    words, hosts = said_of(instance, found)
    keys = {key: _entry(key, word, place) for key, word in words.items()}
    if hosts:
        names = Items(items=tuple(Scalar(text=host, place=place) for host in hosts), place=place)
        keys["runs_in"] = Entry(Scalar(text="runs_in", place=place), names)
    return Item(Scalar(text=instance.name, place=place), keys)


def _parameters(instance: Instance, *, raised: bool) -> Mapping[str, Item]:
    known = kind(instance.kind)
    items: dict[str, Item] = {}
    for word, held in _known(instance).items():
        parameter = known.parameters[word] if known else None
        if parameter is not None:
            name = f"{instance.name}.{word}"
            is_least = word in instance.least and word not in instance.values
            value = value_text(_VERY_LONG if raised and is_least else held.value, parameter.quantity)
            why = held.selector or held.raw or word
            keys = {
                "fixed": _entry("fixed", value, held.place),
                "why": _entry("why", f"or longer: {why}" if is_least else why, held.place),
            }
            items[name] = Item(Scalar(text=name, place=held.place), keys)
    for word in instance.opaque:
        if known is None or word not in known.parameters or word in instance.least:
            continue
        name = f"{instance.name}.{word}"
        items[name] = Item(Scalar(text=name, place=instance.place), {"free": _entry("free", "any", instance.place)})
    return items


def _link(source: str, target: str, via: Sequence[str], options: Mapping[str, str], place: Place) -> Node:
    hops: Node = Items(items=tuple(Scalar(text=hop, place=place) for hop in via), place=place)
    words = {"from": source, "to": target, **options}
    entries = [_entry(key, word, place) for key, word in words.items()]
    return Keys(entries=(*entries, Entry(Scalar(text="via", place=place), hops)), place=place)


def _entry(key: str, text: str, place: Place) -> Entry:
    return Entry(Scalar(text=key, place=place), Scalar(text=text, place=place))


def _placed(finding: Finding, outcome: CheckOutcome) -> Finding | None:
    """A finding at the first place in a file that it is about; None: it is about defaults only, and no more than advice."""
    if finding.kind is not FindingKind.BROKEN:
        return None
    places = value_places(finding, outcome)
    if not places and finding.severity is not Severity.ERROR:
        return None
    return replace(finding, place=places[0]) if places else finding
