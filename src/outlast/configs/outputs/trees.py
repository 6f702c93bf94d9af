"""YAML from nested mappings and lists whose leaves are values with their reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from outlast.configs.names import quoted_key
from outlast.configs.outputs.pieces import Line, Put, comment
from outlast.constraints.record import record

__all__ = ["Leaf", "Tree", "put_in", "steps_of", "tell", "yaml_lines"]

Tree = dict[str, Any]
_PART: Final = re.compile(r"\[\"([^\"]*)\"\]|\[([0-9]+)\]|([^.\[\]]+)")
#: The key under which a mapping has sentences to be told behind its keys.
_TOLD: Final = "\0told"


@record(kw_only=True)
class Leaf:
    """A value of a tree."""

    text: str
    put: Put | None = None
    is_shown: bool = True


def steps_of(key: str) -> list[str | int]:
    """The steps of a key: `a["b.c"].d[0]`."""
    return [
        int(position) if position else quoted or name
        for quoted, position, name in (m.groups() for m in _PART.finditer(key))
    ]


def put_in(tree: Tree, key: str, leaf: Leaf) -> None:
    """Set what stands under a key below a tree."""
    steps = steps_of(key)
    node: Any = tree
    for folder, following in pairwise(steps):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(folder, int):
            while len(node) <= folder:
                node.append(empty)
            node = node[folder]
        else:
            node = node.setdefault(folder, empty)
    node[steps[-1]] = leaf


def tell(tree: Tree, sentences: tuple[str, ...]) -> None:
    """Sentences that stand in a mapping as comments."""
    if sentences:
        tree.setdefault(_TOLD, []).extend(sentences)


def yaml_lines(tree: Tree) -> list[Line]:
    """The lines of a document."""
    return list(_mapping(tree, ""))


def _mapping(tree: Tree, indent: str) -> Iterator[Line]:
    for key, below in tree.items():
        if key != _TOLD:
            yield from _entry(key, below, indent)
    for sentence in tree.get(_TOLD, ()):
        yield Line(text=indent + comment(sentence, "#"))


def _entry(key: str, below: object, indent: str) -> Iterator[Line]:
    shown = quoted_key(key)
    if isinstance(below, Leaf):
        if below.put is not None:
            yield Line(text=indent + comment(f"{below.put.name}: {below.put.reason}", "#"))
        puts = () if below.put is None else (below.put,)
        yield Line(text=f"{indent}{shown}: {below.text}", puts=puts, is_shown=below.is_shown)
    elif isinstance(below, list):
        yield Line(text=f"{indent}{shown}:")
        for element in below:
            yield from _element(element, indent + "  ")
    elif isinstance(below, dict):
        is_shown = _is_shown(below)
        yield Line(text=f"{indent}{shown}:", is_shown=is_shown)
        yield from _mapping(below, indent + "  ")


def _is_shown(below: object) -> bool:
    """Whether anything in it is."""
    if isinstance(below, Leaf):
        return below.is_shown
    if isinstance(below, dict):
        return not below or any(_is_shown(each) for each in below.values())
    return True


def _element(element: Tree, indent: str) -> Iterator[Line]:
    """A mapping in a list; a dash stands before its first line that is no comment."""
    is_begun = False
    for line in _mapping(element, indent + "  "):
        is_comment = line.text.lstrip().startswith("#")
        if not is_begun and not is_comment:
            is_begun = True
            yield Line(text=f"{indent}- {line.text[len(indent) + 2 :]}", puts=line.puts, is_shown=line.is_shown)
        else:
            yield line
