"""What the documents of a YAML file are called: by the kind and name of a resource of Kubernetes, by a template's name, or by their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from outlast.configs.readers.yaml_nodes import Collection, Documents, Node, is_nothing, text_of, value_of
from outlast.configs.setting import Segment
from outlast.constraints.record import record

__all__ = ["items_of_list", "segments"]

_ITEMS: Final = "items"


@record
class _Resource:
    kind: str
    #: None: a template gives it.
    name: str | None
    namespace: str | None


def items_of_list(document: Node) -> Collection | None:
    """The list of resources that a document is (`kind: List`)."""
    kind = text_of(value_of(document, "kind"))
    items = value_of(document, _ITEMS) if kind is not None and kind.endswith("List") else None
    return items if isinstance(items, Collection) and not items.is_mapping else None


def segments(
    documents: Documents, called: Mapping[int, str], name_of: Callable[[Node | None], str | None]
) -> dict[int, Segment]:
    """By the `id` of a document, or of an item of a list of resources, what it is called; one without a name is not there.

    `called`: what the documents that begin at these characters are called otherwise. `name_of` gives the text of a node if it can be read.
    """
    several = sum(not is_nothing(node) for node in documents.nodes) > 1
    named: list[tuple[Node, _Resource | None, Segment]] = []
    for number, (node, start) in enumerate(zip(documents.nodes, documents.starts, strict=True)):
        others: Segment = (called[start],) if start in called else ()
        resource = _resource(node, name_of)
        if resource is None and not others and several:
            others = (f"[{number}]",)
        named.append((node, resource, others))
        items = items_of_list(node)
        named += [(item, _resource(item, name_of), ()) for item in (items.items if items else ())]
    spaces: dict[tuple[str, str | None], set[str | None]] = {}
    for _, resource, _ in named:
        if resource is not None:
            spaces.setdefault((resource.kind, resource.name), set()).add(resource.namespace)
    found: dict[int, Segment] = {}
    seen: Counter[str] = Counter()
    for node, resource, others in named:
        names = others
        if resource is not None:
            is_shared = len(spaces[resource.kind, resource.name]) > 1
            names = (*_names(resource, is_shared=is_shared), *others)
        if names:
            times = seen[names[0]]
            seen[names[0]] += 1
            found[id(node)] = (f"{names[0]}#{times}", *names) if times else names
    return found


def _names(resource: _Resource, *, is_shared: bool) -> Iterator[str]:
    """What a resource answers to; with the namespace first if another one shares kind and name."""
    kind, name, namespace = resource.kind, resource.name, resource.namespace
    if name is not None:
        whole = [f"{kind}/{name}"]
        if namespace is not None:
            whole.append(f"{kind}/{namespace}/{name}")
            yield from whole[::-1] if is_shared else whole
            yield f"{namespace}/{kind}/{name}"
        else:
            yield from whole
    yield kind
    if name is not None:
        yield name


def _resource(node: Node, name_of: Callable[[Node | None], str | None]) -> _Resource | None:
    kind = name_of(value_of(node, "kind"))
    metadata = value_of(node, "metadata")
    given = value_of(metadata, "name")
    if kind is None or not text_of(given):
        return None
    name = name_of(given)
    return _Resource(kind, name, None if name is None else name_of(value_of(metadata, "namespace")))
