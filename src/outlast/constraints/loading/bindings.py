"""Where a parameter's value stands in users' files: `at: file#selector`, or a list of such places."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from outlast.constraints.document import Scalar, Sequence
from outlast.constraints.loading.layers import Item
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.model import Binding

__all__ = ["read_bindings"]

_MOST_PLACES: Final = 1_000
_EXPECTED: Final = "a place such as client.go#SendPingTimeout"


def read_bindings(item: Item, folders: Mapping[str, str], problems: Problems) -> tuple[Binding, ...]:
    """The places under `at`; `folders` tells the folder of each spec, from which paths are taken."""
    entry = item.keys.get("at")
    if entry is None:
        return ()
    nodes = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    if not nodes:
        problems.add(f"expected {_EXPECTED}, found an empty list", entry.value.place)
    if len(nodes) > _MOST_PLACES:
        problems.add(f"expected at most {_MOST_PLACES} places, found {len(nodes)}", entry.value.place)
        return ()
    bindings: dict[tuple[str, str], Binding] = {}
    for node in nodes:
        if not isinstance(node, Scalar):
            problems.add(f"expected {_EXPECTED}, found something else", node.place)
            continue
        path, _, selector = (part.strip() for part in node.text.partition("#"))
        if not path or not selector:
            found = quoted(node.text) if node.text else "nothing"
            hint = "; a '#' after a blank begins a comment" if node.cut else ""
            problems.add(f"expected {_EXPECTED}, found {found}{hint}", node.place)
            continue
        file = os.path.normpath(os.path.join(folders.get(node.place.file, ""), path))
        if (file, selector) in bindings:
            problems.add(f"found {quoted(node.text)} a second time", node.place)
        bindings[file, selector] = Binding(file=file, selector=selector, place=node.place)
    return tuple(bindings.values())
