"""YAML as bare nodes: scalars with the characters in which they stand, mappings and lists, and which anchors are used.

Only PyYAML's events are used: its C loader gives them fast, with places, and neither resolves types nor copies what an alias stands for.
Scalars are plain tuples, which take a tenth of the room of the events, and which the garbage collector soon leaves alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final

import yaml
from yaml import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from outlast.constraints.document import Source
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.record import record

__all__ = ["Collection", "Documents", "Leaf", "Node", "is_nothing", "parse", "text_of", "value_of"]

_LOADER: Final = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
#: Schemas in Kubernetes' definitions of resources go down some sixty levels.
_DEEPEST: Final = 200

_LONE_RETURN: Final = re.compile("\r(?!\n)")
_TEMPLATE: Final = re.compile(r"\{[{%]")
_HINT: Final = "; is it a template? only YAML below a folder templates/ is read as one"
_CONTROL: Final = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

#: First character (of a tag or an anchor, if there is one) and the one after the last; text, None for an alias; style (None or empty:
#: plain); tag; anchor, of an alias the one that it stands for.
Leaf = tuple[int, int, str | None, str | None, str | None, str | None]


@record(frozen=False, eq=False, many=True)
class Collection:
    """A mapping, its keys and values by turns, or a list."""

    is_mapping: bool
    items: list[Node] = field(default_factory=list)

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """The keys of a mapping with their values."""
        return zip(self.items[::2], self.items[1::2], strict=True)


Node = Leaf | Collection


@record(frozen=False)
class Documents:
    """The documents of a file."""

    nodes: list[Node] = field(default_factory=list)
    #: The first character of each.
    starts: list[int] = field(default_factory=list)
    #: By the `id` of a node: the name of its anchor and the first character of the first alias of it.
    used: dict[int, tuple[str, int]] = field(default_factory=dict)
    #: By the first character of an alias: what it stands for, and the first character of that one's anchor.
    targets: dict[int, tuple[Node, int]] = field(default_factory=dict)


def text_of(node: Node | None) -> str | None:
    """The text of a scalar; None for anything else."""
    return node[2] if isinstance(node, tuple) else None


def is_nothing(node: Node) -> bool:
    """Whether nothing stands there."""
    return isinstance(node, tuple) and node[2] == "" and not node[3]


def value_of(node: Node | None, key: str) -> Node | None:
    """The value of a key of a mapping; the first one if it stands there twice."""
    if isinstance(node, Collection) and node.is_mapping:
        for found, value in node.pairs():
            if text_of(found) == key:
                return value
    return None


def parse(source: Source, masked: str | None = None) -> Documents:
    """Read all documents; `masked` is read in place of the source's text, and as long.

    Raises:
        OutlastError: at the first place where the text is not YAML, or deeper than can be read.
    """
    try:
        return _parse(source, source.text if masked is None else masked)
    except yaml.MarkedYAMLError as error:
        raise _slip(error, source, masked) from None
    except (yaml.YAMLError, ValueError) as error:
        if match := _CONTROL.search(source.text):
            message = f"found the character U+{ord(match[0]):04X}, which YAML does not allow"
            raise OutlastError(message, source.place(match.start())) from None
        raise OutlastError(f"not YAML: {printable(str(error))[:200]}", Place(source.file, 1, 1)) from None


def _slip(error: yaml.MarkedYAMLError, source: Source, masked: str | None) -> OutlastError:
    from outlast.constraints.yaml_errors import explain  # only wanted where something is wrong

    placed = yaml.MarkedYAMLError(
        error.context, _placed(error.context_mark, source), error.problem, _placed(error.problem_mark, source)
    )
    slip = explain(placed, _LONE_RETURN.sub("\n", source.text), source.line)
    hint = _HINT if masked is None and _TEMPLATE.search(source.text) else ""
    return OutlastError(slip.message + hint, Place(source.file, slip.line, slip.col))


def _placed(mark: Any, source: Source) -> Any:
    """The mark by the lines of the file: libyaml counts more line ends, and those of what hides actions."""
    if mark is None:
        return None
    place = source.place(min(mark.index, len(source.text)))
    return yaml.Mark(mark.name, mark.index, place.line - 1, place.col - 1, None, 0)


def _parse(source: Source, text: str) -> Documents:
    documents = Documents()
    items = documents.nodes
    stack: list[Collection] = []
    anchors: dict[str, tuple[Node, int]] = {}
    node: Node
    loader: Any = _LOADER(text)
    get_event = loader.get_event
    while (event := get_event()) is not None:
        kind = event.__class__
        if kind is ScalarEvent:
            anchor = event.anchor
            node = (event.start_mark.index, event.end_mark.index, event.value, event.style, event.tag, anchor)
            items.append(node)
            if anchor is not None:
                anchors[anchor] = (node, node[0])
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            node = Collection(kind is MappingStartEvent)
            items.append(node)
            items = node.items
            stack.append(node)
            if event.anchor is not None:
                anchors[event.anchor] = (node, event.start_mark.index)
            if len(stack) > _DEEPEST:
                message = f"expected at most {_DEEPEST} levels of nesting, found more"
                raise OutlastError(message, source.place(event.start_mark.index))
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            stack.pop()
            items = stack[-1].items if stack else documents.nodes
        elif kind is AliasEvent:
            start = event.start_mark.index
            items.append((start, event.end_mark.index, None, None, None, event.anchor))
            if (anchored := anchors.get(event.anchor)) is not None:
                documents.targets[start] = anchored
                documents.used.setdefault(id(anchored[0]), (event.anchor, start))
        elif kind is DocumentStartEvent:
            anchors.clear()
            documents.starts.append(event.start_mark.index)
        elif kind is StreamEndEvent:
            break
    return documents
