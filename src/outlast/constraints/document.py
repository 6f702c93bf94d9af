"""YAML as positioned nodes: what stands in a file, where it stands, and what YAML would have done to it silently.

Nodes are built from PyYAML's event stream with a stack of our own: every scalar stays the text that is there, depth and
size are capped while reading, and an alias is counted as often as it is used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from dataclasses import field
from typing import Final, Protocol

import yaml

from outlast.constraints.errors import InputErrors, OutlastError, Place, printable
from outlast.constraints.record import record

__all__ = [
    "LARGEST_FILE",
    "Entry",
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "Source",
    "parse_document",
    "read_document",
]

#: The largest file that is read, in bytes.
LARGEST_FILE: Final = 8 * 1024 * 1024
_DEEPEST: Final = 32
_MOST_NODES: Final = 200_000
#: How many slips of syntax one file is read past, and up to which size: it is read once more for each.
_MOST_SLIPS: Final = 20
_LARGEST_REREAD: Final = 256 * 1024

_LOADER: Final = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader

#: What a text file does not contain: controls, and characters that YAML 1.1 takes for line ends and editors do not.
_UNFIT_ASCII: Final = r"[^\t\n\r\x20-\x7e]|\r(?!\n)"
_UNFIT: Final = r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"


def _unfit(text: str) -> Iterator[re.Match[str]]:
    # The large character class takes as long to compile as a spec to read, and most specs are ASCII.
    return re.finditer(_UNFIT_ASCII if text.isascii() else _UNFIT, text)


@record(frozen=False)
class Source:
    """The text of a file, and where each of its lines begins; a carriage return alone ends one, too."""

    file: str
    text: str
    _starts: list[int] = field(default_factory=list)

    def place(self, index: int) -> Place:
        """Line and column of a character."""
        if not self._starts:
            self._starts = [0, *(match.end() for match in re.finditer("\r\n?|\n", self.text))]
        line = bisect_right(self._starts, index)
        return Place(self.file, line, index - self._starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """A line without its end, counted from 1; past the end of the file the empty text."""
        self.place(0)
        if not 1 <= number <= len(self._starts):
            return ""
        end = self._starts[number] if number < len(self._starts) else len(self.text) + 1
        return self.text[self._starts[number - 1] : end - 1].removesuffix("\r")


@record(kw_only=True, eq=False)
class Scalar:
    """A text. `style` is how it was written: "" (plain), `'`, `"`, `|` or `>`."""

    text: str
    place: Place
    style: str = ""
    source: Source | None = None
    #: Where it stands in the source: first character (a quotation mark counts) and the one after its last.
    start: int = 0
    end: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether it stands there without quotation marks."""
        return self.style == ""

    @property
    def is_null(self) -> bool:
        """Whether this is the plain word `null`, which removes what another file gave."""
        return self.text == "null" and self.style == ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands where a value could."""
        return self.text == "" and self.style == ""

    def at(self, offset: int) -> Place:
        """Where a character of the text stands in the file, quotation marks, escapes and folded lines allowed for."""
        if self.source is None or self.source.text[self.start : self.end] == self.text:
            return self.place.shifted(min(offset, len(self.text)))
        return self.source.place(_indices(self)[min(offset, len(self.text))])

    @property
    def cut(self) -> str | None:
        """What a ` #` cut off this plain text, if it looks like text rather than a comment (`see #42`)."""
        if self.source is None or not self.is_plain:
            return None
        match = _CUT.match(self.source.text, self.end)
        return match[1].rstrip() if match else None


_CUT: Final = re.compile(r"[ \t]+(#[^\s#].*)")


@record(eq=False)
class Entry:
    """A key of a mapping with its value."""

    key: Scalar
    value: Node


@record(kw_only=True, eq=False)
class Mapping:
    """Keys with values in the order of the file, each key once. `is_flow`: written between braces."""

    entries: tuple[Entry, ...]
    place: Place
    is_flow: bool = False


@record(kw_only=True, eq=False)
class Sequence:
    """A list of nodes."""

    items: tuple[Node, ...]
    place: Place


Node = Scalar | Mapping | Sequence


def read_document(data: bytes, file: str) -> Node:
    """Read one YAML document.

    Raises:
        InputErrors: everything that is wrong with it, in the order of the file.
    """
    node, errors = parse_document(data, file)
    if errors or node is None:
        raise InputErrors(f"cannot read {printable(file)}", errors)
    return node


def parse_document(data: bytes, file: str) -> tuple[Node | None, list[OutlastError]]:
    """Read one YAML document past its errors as far as possible: the node (None if there is none) and the errors."""
    top = Place(file, 1, 1)
    if len(data) > LARGEST_FILE:
        return None, [OutlastError(f"expected at most {LARGEST_FILE} bytes, found {len(data)}", top)]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None, [OutlastError("expected UTF-8, found UTF-16", top)]
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        place = Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
        return None, [OutlastError(f"expected UTF-8, found the byte 0x{error.object[error.start]:02x}", place)]
    source = Source(file, text)
    if unfit := [_unfit_character(match, source) for match in _unfit(text)][:_MOST_SLIPS]:
        return None, unfit
    slips: list[OutlastError] = []
    while True:
        builder = _Builder(source)
        try:
            node = builder.build()
        except _StopError:
            return None, _in_order(slips + builder.errors)
        except yaml.MarkedYAMLError as error:
            from outlast.constraints.yaml_errors import explain  # only wanted where something is wrong

            slip = explain(error, source.text, source.line)
            slips.append(OutlastError(slip.message, Place(file, slip.line, slip.col)))
            if slip.mended is None or len(slips) == _MOST_SLIPS or len(text) > _LARGEST_REREAD:
                return None, _in_order(slips + builder.errors)
            source = Source(file, slip.mended)
        else:
            return node, _in_order(slips + builder.errors)


def _in_order(errors: SequenceOf[OutlastError]) -> list[OutlastError]:
    return sorted(errors, key=lambda error: error.place or Place("", 0, 0))


def _unfit_character(match: re.Match[str], source: Source) -> OutlastError:
    found = "a carriage return without a line feed" if match[0] == "\r" else f"the character U+{ord(match[0]):04X}"
    return OutlastError(f"found {found}, which a text file does not contain", source.place(match.start()))


class _Mark(Protocol):
    """PyYAML's place, counted from 0."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def index(self) -> int: ...


def _mark(mark: _Mark | None) -> _Mark:
    if mark is None:
        raise TypeError("PyYAML gave an event without a place")
    return mark


class _StopError(Exception):
    """Reading on would be of no use; the reason is among the errors."""


@record(frozen=False)
class _Frame:
    """A collection that is being read."""

    start: yaml.MappingStartEvent | yaml.SequenceStartEvent
    place: Place
    nodes_before: int
    characters_before: int
    items: list[Node] = field(default_factory=list)
    height: int = 1


@record
class _Anchored:
    """A node with a name, and what each use of it costs."""

    node: Node
    nodes: int
    characters: int
    height: int


class _Builder:
    """Builds nodes from events; `errors` holds what is wrong so far."""

    def __init__(self, source: Source) -> None:
        self.errors: list[OutlastError] = []
        self._source = source
        self._anchored: dict[str, _Anchored | None] = {}
        self._stack: list[_Frame] = []
        self._root: Node | None = None
        self._nodes = 0
        self._characters = 0

    def build(self) -> Node:
        documents = 0
        for event in yaml.parse(self._source.text, Loader=_LOADER):
            match event:
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._open(event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    self._close()
                case yaml.AliasEvent():
                    self._alias(event)
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise self._stop("found a second document, expected one a file", self._place(event))
        if self._root is None:
            raise self._stop("found an empty file, expected a spec", Place(self._source.file, 1, 1))
        return self._root

    def _place(self, event: yaml.Event) -> Place:
        mark = _mark(event.start_mark)
        return Place(self._source.file, mark.line + 1, mark.column + 1)

    def _stop(self, message: str, place: Place) -> _StopError:
        self.errors.append(OutlastError(message, place))
        return _StopError()

    def _count(self, nodes: int, characters: int, height: int, place: Place) -> None:
        self._nodes += nodes
        self._characters += characters
        if len(self._stack) + height > _DEEPEST:
            raise self._stop(f"expected at most {_DEEPEST} levels of nesting, found more", place)
        if self._nodes > _MOST_NODES:
            raise self._stop(f"expected at most {_MOST_NODES} values, aliases counted at each use, found more", place)
        if self._characters > LARGEST_FILE:
            raise self._stop(
                f"expected at most {LARGEST_FILE} characters, aliases counted at each use, found more", place
            )

    def _check_tag(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, place: Place) -> None:
        tag = event.tag
        if tag is not None:
            written = re.match(r"![^\s,\[\]{}]*", self._source.text[_mark(event.start_mark).index :])
            shown = printable(written[0] if written else tag)[:40]
            self.errors.append(OutlastError(f"found the tag '{shown}', but tags are not read; leave it out", place))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        place, start = self._place(event), _mark(event.start_mark).index
        self._check_tag(event, place)
        if event.anchor is not None and (match := _ANCHOR.match(self._source.text, start)):
            start = match.end()
            place = self._source.place(start)
        value, end = event.value, max(start, _mark(event.end_mark).index)
        self._count(1, len(value), 1, place)
        node = Scalar(text=value, place=place, style=event.style or "", source=self._source, start=start, end=end)
        if event.anchor is not None:
            self._anchored[event.anchor] = _Anchored(node, 1, len(value), 1)
        self._attach(node, 1)

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        place = self._place(event)
        self._check_tag(event, place)
        frame = _Frame(event, place, self._nodes, self._characters)
        self._count(1, 0, 1, place)
        if event.anchor is not None:
            self._anchored[event.anchor] = None
        self._stack.append(frame)

    def _close(self) -> None:
        frame = self._stack.pop()
        node: Node
        if isinstance(frame.start, yaml.MappingStartEvent):
            node = Mapping(entries=self._entries(frame.items), place=frame.place, is_flow=bool(frame.start.flow_style))
        else:
            node = Sequence(items=tuple(frame.items), place=frame.place)
        if frame.start.anchor is not None:
            self._anchored[frame.start.anchor] = _Anchored(
                node, self._nodes - frame.nodes_before, self._characters - frame.characters_before, frame.height
            )
        self._attach(node, frame.height)

    def _alias(self, event: yaml.AliasEvent) -> None:
        place, name = self._place(event), printable(event.anchor or "")[:40]
        if event.anchor is None or event.anchor not in self._anchored:
            raise self._stop(f"found the alias '*{name}', but nothing is called '&{name}' before it", place)
        anchored = self._anchored[event.anchor]
        if anchored is None:
            raise self._stop(f"found the alias '*{name}' inside the value that it stands for", place)
        self._count(anchored.nodes, anchored.characters, anchored.height, place)
        self._attach(anchored.node, anchored.height)

    def _attach(self, node: Node, height: int) -> None:
        if not self._stack:
            self._root = node
            return
        top = self._stack[-1]
        top.items.append(node)
        top.height = max(top.height, height + 1)

    def _entries(self, items: list[Node]) -> tuple[Entry, ...]:
        entries: dict[str, Entry] = {}
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(key, Scalar):
                kind = "a list" if isinstance(key, Sequence) else "a mapping"
                self.errors.append(OutlastError(f"expected a text as key, found {kind}", key.place))
            elif key.text == "<<" and key.is_plain:
                message = "found '<<', but merge keys are not read; write the keys out, or use 'extends'"
                self.errors.append(OutlastError(message, key.place))
            elif key.text in entries:
                first = entries[key.text].key.place
                message = f"found '{printable(key.text)[:60]}' a second time; it stands at {first.line}:{first.col} too"
                self.errors.append(OutlastError(message, key.place))
            else:
                entries[key.text] = Entry(key, value)
        return tuple(entries.values())


_ANCHOR: Final = re.compile(r"&[\w-]+\s*")
_ESCAPE: Final = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|\r?\n[ \t]*|.)")


def _indices(scalar: Scalar) -> list[int]:
    """The index in the source of each character of the text, and of its end.

    Characters of the text and of the source are matched in order; blanks that YAML folds away are passed over.
    """
    if scalar.source is None:
        return []
    source, at, found = scalar.source.text, scalar.start, []
    end = scalar.end
    if scalar.style in ("|", ">"):
        at = source.index("\n", at) + 1
    elif scalar.style:
        at, end = at + 1, end - 1
    for character in scalar.text:
        if not character.isspace():
            while at < end and source[at] in " \t\r\n":
                at += 1
        while scalar.style == '"' and source.startswith(("\\\n", "\\\r\n"), at):
            match = _ESCAPE.match(source, at)
            at = match.end() if match else end
        found.append(at)
        if scalar.style == '"' and source[at : at + 1] == "\\":
            match = _ESCAPE.match(source, at)
            at = match.end() if match else end
        elif scalar.style == "'" and source.startswith("''", at):
            at += 2
        elif not character.isspace() or source[at : at + 1].isspace():
            at += 1
    found.append(min(at, end))
    return [min(index, end) for index in found]
