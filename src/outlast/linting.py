"""Looking at files without a spec: what they configure becomes a spec in memory, with the catalogue's rules, which is then audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from outlast.configs.recognise.found import Found, Instance
from outlast.configs.recognise.recognise import recognise
from outlast.constraints.catalogue import Kind as ComponentKind
from outlast.constraints.catalogue import kind, kind_names
from outlast.constraints.check import CheckOutcome, Finding, FindingKind
from outlast.constraints.document import Entry, Node, Scalar
from outlast.constraints.document import Mapping as Keys
from outlast.constraints.document import Sequence as Items
from outlast.constraints.errors import Place
from outlast.constraints.loading.layers import Item, Layer
from outlast.constraints.loading.load import load_layer
from outlast.constraints.model import Severity, Spec
from outlast.constraints.normal import NormalRule, normalise
from outlast.constraints.quantities import Kind, format_value
from outlast.constraints.record import record, replace
from outlast.solver.audit import audit

__all__ = ["Linted", "all_kinds", "lint_files", "spec_of"]

#: What stands for the path of the spec.
_NAME: Final = Path("files")


@record(kw_only=True)
class Linted:
    """What the files alone show."""

    found: Found
    #: The audit of all that was recognised; None: no relation speaks of it.
    outcome: CheckOutcome | None
    #: By severity and place.
    findings: tuple[Finding, ...]
    #: By the names of two components: why they belong together.
    evidence: Mapping[tuple[str, str], str]


def lint_files(paths: Sequence[Path]) -> Linted:
    """What is wrong between the timeouts in files and folders, as far as they show it.

    Raises:
        InputErrors: a path does not exist.
    """
    found = recognise(paths, all_kinds())
    spec = spec_of(found)
    evidence = {(link.source, link.target): link.because for link in found.links}
    evidence |= {(hosted.host, hosted.guest): hosted.because for hosted in found.hosted}
    rules, _ = normalise(spec)
    if not rules:
        return Linted(found=found, outcome=None, findings=(), evidence=evidence)
    outcome = audit(spec, rules, known_only=True)
    told = [placed for finding in outcome.findings if (placed := _told(finding, outcome)) is not None]
    loudness = list(Severity)
    told.sort(key=lambda f: (loudness.index(f.severity), f.place, f.subject))
    return Linted(found=found, outcome=outcome, findings=tuple(told), evidence=evidence)


def all_kinds() -> tuple[ComponentKind, ...]:
    """Every kind of the catalogue."""
    return tuple(each for name in kind_names() if (each := kind(name)) is not None)


def spec_of(found: Found) -> Spec:
    """What was recognised as a spec, every value fixed where it stands; what could not be read has none."""
    top = Place(str(_NAME), 1, 1)
    layer = Layer(top)
    for instance in found.instances:
        layer.sections["components"][instance.name] = _component(instance, found)
        layer.sections["parameters"].update(_parameters(instance))
    links = tuple(_link(link.source, link.target, link.via, link.options, top) for link in found.links)
    if links:
        layer.top["links"] = Entry(Scalar(text="links", place=top), Items(items=links, place=top))
    return load_layer(_NAME, layer, is_sure=True)


def _component(instance: Instance, found: Found) -> Item:
    hosts = tuple(h.host for h in found.hosted if h.guest == instance.name)
    place = instance.place
    keys = {key: _entry(key, word, place) for key, word in {"kind": instance.kind, **instance.options}.items()}
    if hosts:
        names = Items(items=tuple(Scalar(text=host, place=place) for host in hosts), place=place)
        keys["runs_in"] = Entry(Scalar(text="runs_in", place=place), names)
    return Item(Scalar(text=instance.name, place=place), keys)


def _parameters(instance: Instance) -> Mapping[str, Item]:
    known = kind(instance.kind)
    items: dict[str, Item] = {}
    for word, held in instance.values.items():
        parameter = known.parameters[word] if known else None
        if parameter is not None:
            name = f"{instance.name}.{word}"
            value = format_value(held.value, parameter.quantity.time_exponent, percent=parameter.quantity is Kind.RATIO)
            keys = {
                "fixed": _entry("fixed", value, held.place),
                "why": _entry("why", held.selector or held.raw or word, held.place),
            }
            items[name] = Item(Scalar(text=name, place=held.place), keys)
    for word in instance.opaque:
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


def _told(finding: Finding, outcome: CheckOutcome) -> Finding | None:
    """A finding at the first place in a file that it is about; None: it is about defaults only, and no more than advice."""
    if finding.kind is not FindingKind.BROKEN:
        return None
    rule = outcome.rules[finding.subject].rule
    places = sorted(_places(rule, outcome.spec))
    if not places and finding.severity is not Severity.ERROR:
        return None
    return replace(finding, place=places[0]) if places else finding


def _places(rule: NormalRule, spec: Spec) -> list[Place]:
    """Where the values stand that a rule compares and that somebody has set, those behind effective values included."""
    parameters = (spec.parameters[name] for name in rule.names())
    return [p.places["fixed"] for p in parameters if p.default_of is None and "fixed" in p.places]
