"""`components` and `links` of a spec: which kinds there are, and which connections the chains between them mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from outlast.constraints.catalogue import kind, kind_names
from outlast.constraints.catalogue.guard import LINK_OPTIONS, version_of
from outlast.constraints.document import Entry, Mapping, Node, Scalar, Sequence
from outlast.constraints.errors import Place
from outlast.constraints.loading.layers import Item, Layer
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.loading.values import scalar_of
from outlast.constraints.syntax import normal_name
from outlast.constraints.topology import UNKNOWN, Component, Connection, Topology

__all__ = ["COMPONENT_KEYS", "LINK_KEYS", "LINK_WORDS", "read_topology"]

_MOST_CONNECTIONS: Final = 5_000
_ARROW: Final = re.compile(r"\s*(?:->|→)\s*")
_EXPECTED: Final = "links such as client -> lb -> web"
#: Keys of a component besides the options of its kind.
COMPONENT_KEYS: Final = ("kind", "runs_in", "version")
#: Options with the words that they may be.
LINK_WORDS: Final = {
    "pooled": ("yes", "no"),
    "idempotent": ("yes", "no"),
    "protocol": ("http/1.1", "http/2", "grpc", "tcp"),
}
LINK_KEYS: Final = ("from", "to", "via", "chain", *LINK_OPTIONS)


def read_topology(layer: Layer, problems: Problems) -> Topology:
    """Everything that `components` and `links` say; what cannot be used is among the problems."""
    components = {
        name: component
        for name, item in sorted(layer.sections["components"].items())
        if (component := _component(name, item, problems)) is not None
    }
    _check_hosts(components, layer, problems)
    connections: list[Connection] = []
    seen: dict[object, Place] = {}
    for one in _links(layer, components, problems):
        key = (one.source, one.target, one.hops, tuple(sorted(one.options.items())))
        if key in seen:
            shown = " -> ".join((one.source, *one.hops, one.target))
            problems.add(
                f"found the connection {quoted(shown)} a second time; the first is at line {seen[key].line}", one.place
            )
            continue
        seen[key] = one.place
        connections.append(one)
        if len(connections) > _MOST_CONNECTIONS:
            problems.add(f"expected at most {_MOST_CONNECTIONS} connections, found more", one.place)
            break
    return Topology(components=components, connections=tuple(connections))


def _component(name: str, item: Item, problems: Problems) -> Component | None:
    if "" in item.keys:
        return None
    if "kind" not in item.keys:
        problems.add(
            f"expected 'kind' in the component {quoted(name)}, found no such key; outlast rules lists kinds",
            item.name.place,
        )
        return None
    written = scalar_of(item.keys["kind"], "a kind, such as aws.alb", problems)
    if written is None:
        return None
    known = kind(written.text)
    if known is None:
        hint = problems.nearest(written.text, kind_names())
        problems.add(f"unknown kind {quoted(written.text)}{hint}; outlast rules lists kinds", written.place)
        return None
    options: dict[str, str] = {}
    hosts: list[str] = []
    for key, entry in item.keys.items():
        if key == "kind":
            continue
        if key == "runs_in":
            hosts = _named_hosts(entry, problems)
            continue
        if key in known.parameters or key in known.roles:
            message = f"{quoted(key)} is a parameter: write it under parameters, as {name}.{key}: {{ fixed: … }}"
            problems.add(message, entry.key.place)
            continue
        if key not in known.options and key not in COMPONENT_KEYS:
            hint = problems.nearest(key, (*COMPONENT_KEYS, *known.options))
            problems.add(f"unknown option {quoted(key)} of {known.name}{hint}", entry.key.place)
            continue
        scalar = scalar_of(entry, "a word", problems)
        if scalar is None:
            continue
        if scalar.text == UNKNOWN:
            options[key] = UNKNOWN
            continue
        words = known.options[key].values if key in known.options else ()
        if words and scalar.text not in words:
            hint = problems.nearest(scalar.text, words)
            problems.add(f"expected {' or '.join((*words, UNKNOWN))}, found {quoted(scalar.text)}{hint}", scalar.place)
        options[key] = scalar.text
        if key == "version" and version_of(scalar.text) is None:
            problems.add(f"expected a release, such as 1.33, found {quoted(scalar.text)}", scalar.place)
    return Component(name=name, kind=known, place=item.name.place, options=options, hosts=tuple(hosts))


def _named_hosts(entry: Entry, problems: Problems) -> list[str]:
    nodes = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    names: list[str] = []
    if not nodes:
        problems.add("expected the name of a component, or a list of them, found an empty list", entry.value.place)
    for node in nodes:
        if not isinstance(node, Scalar) or not node.text:
            problems.add("expected the name of a component, or a list of them, found something else", node.place)
        elif normal_name(node.text) not in names:
            names.append(normal_name(node.text))
    return names


def _check_hosts(components: dict[str, Component], layer: Layer, problems: Problems) -> None:
    for name, component in components.items():
        place = layer.sections["components"][name].place("runs_in")
        for host in component.hosts:
            if host not in layer.sections["components"]:
                hint = problems.nearest(host, components)
                problems.add(f"unknown component {quoted(host)}{hint}", place)
        ways: list[tuple[str, ...]] = [(name,)]
        seen: set[str] = set()
        while ways:
            way = ways.pop()
            above = components[way[-1]].hosts if way[-1] in components else ()
            if name in above:
                problems.add(f"{quoted(name)} runs in itself: {' -> '.join([*way, name])}", place)
                break
            ways += [(*way, host) for host in above if host not in seen]
            seen.update(above)


def _links(layer: Layer, components: dict[str, Component], problems: Problems) -> Iterator[Connection]:
    entry = layer.top.get("links")
    if entry is None:
        return
    nodes: tuple[Node, ...] = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    if isinstance(entry.value, Scalar) and entry.value.is_empty:
        return
    for node in nodes:
        if isinstance(node, Scalar):
            names = _chain(node, layer, components, problems)
            yield from _connections(names, {}, components, node.place, problems)
        elif isinstance(node, Mapping):
            yield from _link(node, layer, components, problems)
        else:
            problems.add(f"expected {_EXPECTED}, found a list", node.place)


def _chain(scalar: Scalar, layer: Layer, components: dict[str, Component], problems: Problems) -> list[str]:
    """The names of a chain; empty if one cannot be used."""
    parts = _ARROW.split(scalar.text.strip())
    if len(parts) < 2:
        problems.add(f"expected {_EXPECTED}, found {quoted(scalar.text) if scalar.text else 'nothing'}", scalar.place)
        return []
    names = [_named(part, scalar, layer, components, problems) for part in parts]
    return [] if None in names else [name for name in names if name is not None]


def _named(text: str, scalar: Scalar, layer: Layer, components: dict[str, Component], problems: Problems) -> str | None:
    name = normal_name(text.strip())
    if name in components:
        return name
    if not name:
        problems.add(f"expected {_EXPECTED}, found an arrow to nothing", scalar.place)
    elif name not in layer.sections["components"]:  # else what is wrong with it is told there
        hint = problems.nearest(name, components)
        place = scalar.at(max(scalar.text.find(text), 0))
        problems.add(f"unknown component {quoted(name)}{hint}", place)
    return None


def _link(node: Mapping, layer: Layer, components: dict[str, Component], problems: Problems) -> Iterator[Connection]:
    keys: dict[str, Entry] = {entry.key.text: entry for entry in node.entries}
    for key, entry in keys.items():
        if key not in LINK_KEYS:
            problems.add(f"unknown key {quoted(key)} of a link{problems.nearest(key, LINK_KEYS)}", entry.key.place)
    options: dict[str, str] = {}
    for key in LINK_OPTIONS:
        scalar = scalar_of(keys.get(key), " or ".join(LINK_WORDS[key]), problems)
        if scalar is not None and scalar.text not in LINK_WORDS[key]:
            hint = problems.nearest(scalar.text, LINK_WORDS[key])
            problems.add(f"expected {' or '.join(LINK_WORDS[key])}, found {quoted(scalar.text)}{hint}", scalar.place)
        elif scalar is not None:
            options[key] = scalar.text
    if "chain" in keys:
        for key in ("from", "to", "via"):
            if key in keys:
                problems.add(f"{quoted(key)} says nothing beside 'chain'", keys[key].key.place)
        scalar = scalar_of(keys["chain"], "a chain such as client -> lb -> web", problems)
        names = [] if scalar is None else _chain(scalar, layer, components, problems)
        yield from _connections(names, options, components, node.place, problems)
        return
    missing = [key for key in ("from", "to") if key not in keys]
    if missing:
        problems.add(f"expected 'from' and 'to', or 'chain', in a link, found no {quoted(missing[0])}", node.place)
        return
    via = keys["via"].value if "via" in keys else None
    hops = via.items if isinstance(via, Sequence) else () if via is None else (via,)
    names = []
    for each in (keys["from"].value, *hops, keys["to"].value):
        if not isinstance(each, Scalar):
            problems.add("expected the name of a component, found something else", each.place)
            return
        name = _named(each.text, each, layer, components, problems)
        if name is None:
            return
        names.append(name)
    yield from _connections(names, options, components, node.place, problems)


def _connections(
    names: list[str], options: dict[str, str], components: dict[str, Component], place: Place, problems: Problems
) -> Iterator[Connection]:
    """The connections of a chain: one from each component that ends connections to the next one."""
    if not names:
        return
    repeated = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if repeated is not None:
        problems.add(f"found {quoted(repeated)} twice in one chain", place)
        return
    for name in (names[0], names[-1]):
        if components[name].kind.passes_through:
            product = components[name].kind.product
            message = f"{quoted(name)} cannot begin or end a link: {product} passes connections on, so write what is on both sides of it"
            problems.add(message, place)
            return
    source, hops = names[0], []
    for name in names[1:]:
        if components[name].kind.passes_through:
            hops.append(name)
            continue
        yield Connection(source=source, target=name, hops=tuple(hops), options=options, place=place)
        source, hops = name, []
