"""Reader of YAML files: Kubernetes manifests, compose files, Spring's application.yml, Envoy, CloudFormation and all others.

Only PyYAML's events are used: its C loader gives them fast, with places, and neither resolves types nor copies what an alias stands for.
Values keep the bytes in which they stand; a tag and an anchor in front do not belong to them. Options of command lines are settings of
their own (`args[--timeout]`), and so are variables of a list `environment:`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, Final, Protocol, TypeGuard

import yaml

from outlast.configs.readers.flags import Word, content_of, options, split_commands
from outlast.configs.readers.yaml_scalars import content_of_plain, content_of_text, encode
from outlast.configs.setting import Content, Flag, Index, Key, Literal, Opaque, Segment, Setting, Step
from outlast.constraints.document import LARGEST_FILE, Source
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.files import decode
from outlast.constraints.record import record, replace

__all__ = ["encode", "read", "read_masked"]

_LOADER: Final = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
#: Schemas in Kubernetes' definitions of resources go down some sixty levels.
_DEEPEST: Final = 200

#: Keys by whose values an element of a list is called, the first that is there.
_NAMING: Final = ("name", "key", "id", "Name", "Key", "Id")
#: Keys whose values are command lines; `test` only below `healthcheck`.
_COMMANDS: Final = frozenset(("command", "args", "entrypoint", "test"))
_SHELLS: Final = frozenset(("sh", "bash", "ash", "dash", "zsh", "ksh"))
_SCRIPT_FLAG: Final = re.compile(r"-[a-z]*c")
_VARIABLE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)=")
_OPTION: Final = re.compile(r"(--?[^\s={}-][^\s={}]*)=")

#: A tag and an anchor in front of a value, and the white space and comments behind each.
_PROPERTIES: Final = re.compile(r"(?:[!&]\S*+(?:\s++(?:#[^\r\n]*+)?+)*+)++")
_TAG: Final = re.compile(r"(?:&\S*\s+)?(!\S*)")
_CORE: Final = "tag:yaml.org,2002:"
_BLOCK_HEADER: Final = re.compile(r"[|>][^\r\n]*(?:\r\n|\r|\n|\Z)[ \r\n]*")
#: Line ends that libyaml counts and editors do not.
_ODD_LINES: Final = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_CONTROL: Final = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

#: Groups of Kubernetes' API whose durations are Go's, as their definitions say (metav1.Duration; Gateway API's GEP-2257; Istio's reference).
_GO_GROUPS: Final = re.compile(
    r"(?:[\w.-]*\.config\.k8s\.io|kubeadm\.k8s\.io|gateway\.networking\.k8s\.io|networking\.istio\.io|cert-manager\.io"
    r"|cluster\.x-k8s\.io|[\w.-]+\.toolkit\.fluxcd\.io)/\w+"
)


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The values of all documents; raises `OutlastError` at the first place where the file is not YAML."""
    text = _text(data, file)
    return _Reader(data, Source(file, text), text).read()


def read_masked(
    data: bytes, file: str, mask: Callable[[str], tuple[str, Sequence[tuple[int, int]]]]
) -> tuple[Setting, ...]:
    """The values of a file that is YAML once parts of it are hidden.

    `mask` gives the text with these parts overwritten, of the same length, and their spans in it, in order; a value that has a part
    of one in it is not read.
    """
    text = _text(data, file)
    masked, holes = mask(text)
    return _Reader(data, Source(file, text), masked, holes).read()


def _text(data: bytes, file: str) -> str:
    if len(data) > LARGEST_FILE:
        raise OutlastError(f"expected at most {LARGEST_FILE} bytes, found {len(data)}", Place(file, 1, 1))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise OutlastError("expected UTF-8, found UTF-16", Place(file, 1, 1))
    return decode(data, file)


@record(frozen=False, eq=False)
class _Collection:
    """A mapping, its keys and values by turns, or a list."""

    is_mapping: bool
    items: list[_Node] = field(default_factory=list)

    def pairs(self) -> Iterator[tuple[_Node, _Node]]:
        return zip(self.items[::2], self.items[1::2], strict=True)


class _Mark(Protocol):
    """PyYAML's place; characters are counted from 0."""

    index: int


class _Leaf(Protocol):
    """PyYAML's event of a scalar or of an alias, which has neither value nor style nor tag."""

    start_mark: _Mark
    end_mark: _Mark
    anchor: str | None
    value: str
    style: str | None
    tag: str | None


_Node = _Leaf | _Collection


def _is_scalar(node: _Node | None) -> TypeGuard[_Leaf]:
    return isinstance(node, yaml.ScalarEvent)


@record(frozen=False)
class _Bytes:
    """Byte offsets of characters that are asked for in the order of the text."""

    text: str
    is_ascii: bool
    index: int
    offset: int

    def at(self, index: int) -> int:
        if self.is_ascii:
            return index + self.offset
        self.offset += len(self.text[self.index : index].encode())
        self.index = index
        return self.offset


class _Reader:
    """Reads one file; `masked` is the text that is parsed, `holes` where it is not the text that stands there."""

    def __init__(self, data: bytes, source: Source, masked: str, holes: Sequence[tuple[int, int]] = ()) -> None:
        self._data = data
        self._source = source
        self._masked = masked
        self._holes = holes
        self._hole_ends = [end for _, end in holes]
        self._bytes = _Bytes(source.text, source.text.isascii(), 0, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
        self._keys: dict[str, Key] = {}
        self._settings: list[Setting] = []
        #: The anchors that aliases stand for: by what they are at, with the line of the first alias.
        self._used: dict[int, str] = {}
        self._scope: tuple[Segment, ...] = ()

    def read(self) -> tuple[Setting, ...]:
        documents = self._documents()
        for document, segment in zip(documents, self._segments(documents), strict=True):
            if isinstance(document, _Collection):
                self._scope = () if segment is None else (segment,)
                self._walk(document, (), None, _dialect_of(document))
        return tuple(self._settings)

    def _documents(self) -> list[_Node]:
        try:
            return list(self._parse())
        except yaml.MarkedYAMLError as error:
            raise self._slip(error) from None
        except (yaml.YAMLError, ValueError) as error:
            if match := _CONTROL.search(self._source.text):
                message = f"found the character U+{ord(match[0]):04X}, which YAML does not allow"
                raise OutlastError(message, self._source.place(match.start())) from None
            raise OutlastError(f"not YAML: {printable(str(error))[:200]}", Place(self._source.file, 1, 1)) from None

    def _slip(self, error: yaml.MarkedYAMLError) -> OutlastError:
        mark = error.problem_mark or error.context_mark
        if mark is None or self._holes or _ODD_LINES.search(self._masked):
            index = min(mark.index, len(self._source.text)) if mark else 0
            message = f"not YAML: {printable(error.problem or 'found something else')}"
            return OutlastError(message, self._source.place(index))
        from outlast.constraints.yaml_errors import explain  # only wanted where something is wrong

        slip = explain(error, self._source.text, self._source.line)
        return OutlastError(slip.message, Place(self._source.file, slip.line, slip.col))

    def _parse(self) -> Iterator[_Node]:
        stack: list[_Collection] = []
        anchors: dict[str, _Node] = {}
        events: Iterator[Any] = yaml.parse(self._masked, Loader=_LOADER)
        node: _Node
        for event in events:
            kind = event.__class__
            if kind is yaml.ScalarEvent:
                node = event
                if event.anchor is not None:
                    anchors[event.anchor] = node
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                stack.append(_Collection(kind is yaml.MappingStartEvent))
                if event.anchor is not None:
                    anchors[event.anchor] = stack[-1]
                if len(stack) > _DEEPEST:
                    message = f"expected at most {_DEEPEST} levels of nesting, found more"
                    raise OutlastError(message, self._source.place(event.start_mark.index))
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                node = stack.pop()
            elif kind is yaml.AliasEvent:
                node = event
                self._note_use(event, anchors.get(event.anchor))
            else:
                if kind is yaml.DocumentStartEvent:
                    anchors.clear()
                continue
            if stack:
                stack[-1].items.append(node)
            else:
                yield node

    def _note_use(self, alias: _Leaf, anchored: _Node | None) -> None:
        if anchored is not None and id(anchored) not in self._used:
            line = self._source.place(alias.start_mark.index).line
            self._used[id(anchored)] = f"the anchor &{printable(alias.anchor or '')}, which line {line} uses too"

    # Scopes

    def _segments(self, documents: list[_Node]) -> list[Segment | None]:
        """The name of each document: its kind and name, or else its number if there are several."""
        several = sum(not _is_nothing(document) for document in documents) > 1
        segments: list[Segment | None] = []
        seen: Counter[str] = Counter()
        for number, document in enumerate(documents):
            names = self._resource(document) or ((f"[{number}]",) if several else None)
            if names is not None:
                times, seen[names[0]] = seen[names[0]], seen[names[0]] + 1
                names = (f"{names[0]}#{times}", *names) if times else names
            segments.append(names)
        return segments

    def _resource(self, document: _Node) -> Segment | None:
        """What a resource of Kubernetes is called; a name that a template gives is left out."""
        if not isinstance(document, _Collection):
            return None
        kind, metadata = _value(document, "kind"), _value(document, "metadata")
        if not isinstance(metadata, _Collection) or (kind_text := self._name(kind)) is None:
            return None
        name = _value(metadata, "name")
        if (name_text := self._name(name)) is None:
            return (kind_text,) if self._holes and _is_scalar(name) else None
        namespace = self._name(_value(metadata, "namespace"))
        full = () if namespace is None else (f"{kind_text}/{namespace}/{name_text}",)
        return (f"{kind_text}/{name_text}", *full, kind_text, name_text)

    def _name(self, node: _Node | None) -> str | None:
        """The text of a node by which something can be called."""
        if not _is_scalar(node) or not node.value or len(node.value) > 200 or "\n" in node.value:
            return None
        return None if self._is_hidden(node.start_mark.index, node.end_mark.index) else node.value

    # Values

    def _walk(self, node: _Collection, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        locked = self._used.get(id(node), locked)
        if node.is_mapping:
            for key, value in node.pairs():
                self._entry(self._key(key), value, route, locked, dialect)
            return
        for position, item in enumerate(node.items):
            if isinstance(item, _Collection):
                self._walk(item, (*route, Index(position, self._element_name(item))), locked, dialect)
            else:
                self._value(item, (*route, Index(position)), locked, dialect)

    def _entry(self, key: Key, value: _Node, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        name = key.name
        inner = (*route, key)
        if name in _COMMANDS and (name != "test" or route[-1:] == (Key("healthcheck"),)):
            if _is_scalar(value):
                self._value(value, inner, locked, dialect)
                self._script(value, inner)
                return
            if isinstance(value, _Collection) and not value.is_mapping:
                self._arguments(value, inner, locked, dialect)
                return
        if isinstance(value, _Collection):
            if name == "environment" and not value.is_mapping:
                self._variables(value, inner, locked, dialect)
                return
            self._walk(value, inner, locked, "proto" if name == "typed_config" else dialect)
            return
        self._value(value, inner, locked, dialect)

    def _key(self, key: _Node) -> Key:
        if _is_scalar(key):
            text = key.value
            if self._holes and self._is_hidden(start := key.start_mark.index, end := key.end_mark.index):
                text = self._source.text[start:end].strip()
        else:
            text = "?" if isinstance(key, _Collection) else f"*{key.anchor}"
        found = self._keys.get(text)
        if found is None:
            found = self._keys[text] = Key(text)
        return found

    def _element_name(self, element: _Collection) -> str | None:
        if not element.is_mapping:
            return None
        for key in _NAMING:
            if (name := self._name(_value(element, key))) is not None:
                return name
        return None

    def _value(self, node: _Leaf, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> Setting:
        start, end, content = self._read(node)
        if self._holes and (self._is_hidden(start, end) or (start == end and self._is_before_hole(end))):
            content = Opaque("a template, {{ … }}")
            if start < end and not getattr(node, "style", ""):
                start, end = self._widened(start, end)
        first = self._bytes.at(start)
        last = self._bytes.at(end)
        if node.anchor is not None and _is_scalar(node):
            locked = self._used.get(id(node), locked)
        setting = Setting(
            route=route,
            scope=self._scope,
            start=first,
            end=last,
            raw=self._source.text[start:end],
            content=content,
            dialect=dialect if isinstance(content, Literal) and content.is_text else None,
            locked=locked,
        )
        self._settings.append(setting)
        return setting

    def _read(self, node: _Leaf) -> tuple[int, int, Content]:
        """Where a value stands in the text, without its tag and anchor, and what it says."""
        start, end = node.start_mark.index, node.end_mark.index
        if not _is_scalar(node):
            return start, end, Opaque(f"an alias, *{printable(node.anchor or '')}")
        style, text, tag = node.style, node.value, node.tag
        if tag is not None or node.anchor is not None:
            match = _PROPERTIES.match(self._masked, start, end)
            begin, start = start, match.end() if match else start
            if not text and not style:
                start = end
            if tag is not None:
                span = self._block(start, end) if style in ("|", ">") else (start, end)
                return *span, self._tagged(node, begin)
        if style is None or style == "":
            return start, end, content_of_plain(text)
        if style in ("|", ">"):
            return *self._block(start, end), Opaque("a block of text")
        return start, end, content_of_text(text, style)

    def _tagged(self, node: _Leaf, begin: int) -> Content:
        text, style = node.value, node.style or ""
        if not text and not style:
            return content_of_plain("")
        tag = node.tag or ""
        kind = tag.removeprefix(_CORE)
        if style not in ("|", ">"):
            if kind in ("str", "!"):
                return content_of_text(text, style)
            content = content_of_plain(text)
            if kind in ("int", "float") and not (isinstance(content, Literal) and content.is_text):
                return replace(content, quote=style) if isinstance(content, Literal) else content
        match = _TAG.match(self._masked, begin)
        return Opaque(f"a value with the tag {printable(match[1] if match else tag)[:60]}")

    def _block(self, start: int, end: int) -> tuple[int, int]:
        """From the first to the last character of a block of text that is no white space."""
        match = _BLOCK_HEADER.match(self._masked, start, end)
        start = match.end() if match else start
        while end > start and self._masked[end - 1] in " \t\r\n":
            end -= 1
        return start, end

    def _is_hidden(self, start: int, end: int) -> bool:
        """Whether a part of a hole lies in the span."""
        number = bisect_right(self._hole_ends, start)
        return number < len(self._holes) and self._holes[number][0] < end

    def _is_before_hole(self, index: int) -> bool:
        """Whether a hole comes next, blanks and line ends apart."""
        text = self._source.text
        while text[index : index + 1] in (" ", "\t", "\r", "\n"):
            index += 1
        return text.startswith("{{", index)

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        """A span with the holes that touch it."""
        number = bisect_left(self._hole_ends, start)
        if number < len(self._holes) and self._holes[number][0] < start:
            start = self._holes[number][0]
        number = bisect_right(self._hole_ends, end)
        while number < len(self._holes) and self._holes[number][0] <= end:
            end = self._holes[number][1]
            number += 1
        return start, end

    # Command lines and variables

    def _script(self, node: _Leaf, route: tuple[Step, ...]) -> None:
        """Options in the text that was just read, if its bytes are its text."""
        whole = self._settings[-1]
        start, end = _inner(whole, node)
        line = self._data[start:end]
        if b"-" not in line or _is_escaped(line, node.style):
            return
        if node.style != "|":
            line = line.replace(b"\r", b" ").replace(b"\n", b" ")  # YAML joins these lines
        found = [pair for words in split_commands(line, 0, len(line)) for pair in options(words)]
        for name, word in sorted(found, key=lambda pair: pair[1].start):
            self._inside(whole, route, Flag(name), start + word.start, start + word.end, content_of(word))

    def _inside(
        self, whole: Setting, route: tuple[Step, ...], flag: Flag, start: int, end: int, content: Content
    ) -> None:
        raw = self._data[start:end].decode()
        self._settings.append(
            replace(whole, route=(*route, flag), start=start, end=end, raw=raw, content=content, dialect=None)
        )

    def _arguments(self, node: _Collection, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        """A list of words: the value of an option is called by it, alone or behind its `=`."""
        locked = self._used.get(id(node), locked)
        words = [Word(self._word(item), i, i) for i, item in enumerate(node.items)]
        scripts = {i + 1 for i, word in enumerate(words) if _SCRIPT_FLAG.fullmatch(word.text) and _is_shell(words[:i])}
        # A word's place is its number here; what stands behind a `=` has none and is read below.
        flags = {word.start: name for name, word in options([w for i, w in enumerate(words) if i not in scripts])}
        for i, item in enumerate(node.items):
            if isinstance(item, _Collection):
                self._walk(item, (*route, Index(i, self._element_name(item))), locked, dialect)
                continue
            setting = self._value(item, (*route, Flag(flags[i]) if i in flags else Index(i)), locked, None)
            if not _is_scalar(item):
                continue
            if i in flags:
                if isinstance(setting.content, Literal) and not setting.content.is_text:
                    self._settings[-1] = replace(setting, content=replace(setting.content, is_text=True))
            elif i in scripts:
                self._script(item, route)
            elif item.value.startswith("-"):
                self._behind(item, route, _OPTION)

    def _word(self, node: _Node) -> str:
        """What a program sees as its argument; a word of its own for all that is not read."""
        if not _is_scalar(node):
            return "*"
        start, end = node.start_mark.index, node.end_mark.index
        is_hidden = bool(self._holes) and self._is_hidden(start, end)
        return self._source.text[start:end].strip("'\"") if is_hidden else node.value

    def _variables(self, node: _Collection, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        """A list of `NAME=value`."""
        locked = self._used.get(id(node), locked)
        for i, item in enumerate(node.items):
            if isinstance(item, _Collection):
                self._walk(item, (*route, Index(i, self._element_name(item))), locked, dialect)
                continue
            self._value(item, (*route, Index(i)), locked, None)
            if _is_scalar(item):
                self._behind(item, route, _VARIABLE)

    def _behind(self, node: _Leaf, route: tuple[Step, ...], name: re.Pattern[str]) -> None:
        """What stands behind `name=` in the text that was just read, if its bytes are its text."""
        whole = self._settings[-1]
        start, end = _inner(whole, node)
        line = self._data[start:end]
        if b"\n" in line or _is_escaped(line, node.style) or (match := name.match(text := line.decode())) is None:
            return
        content = content_of_text(text[match.end() :], "")
        if isinstance(content, Literal):
            content = Literal(content.text)  # there are no types in a command line
        self._inside(whole, route, Flag(match[1]), start + len(match[0].encode()), end, content)


def _is_escaped(line: bytes, style: str | None) -> bool:
    return (style == '"' and b"\\" in line) or (style == "'" and b"''" in line)


def _inner(whole: Setting, node: _Leaf) -> tuple[int, int]:
    """The bytes of a text between its quotes."""
    quoted = int(node.style in ("'", '"'))
    return whole.start + quoted, whole.end - quoted


def _is_shell(words: Sequence[Word]) -> bool:
    return not words or any(word.text.rpartition("/")[2] in _SHELLS for word in words)


def _is_nothing(node: _Node) -> bool:
    return _is_scalar(node) and not node.value and not node.style


def _value(mapping: _Collection, key: str) -> _Node | None:
    """The value of a key; the first one if it stands there twice."""
    if mapping.is_mapping:
        for found, value in mapping.pairs():
            if _is_scalar(found) and found.value == key:
                return value
    return None


def _dialect_of(document: _Collection) -> str | None:
    """The dialect of all durations of a document, if its kind tells one: Go's for some groups of Kubernetes' API, Envoy's is protobuf's."""
    version = _value(document, "apiVersion")
    if _is_scalar(version):
        kind = _value(document, "kind")
        if _is_scalar(kind) and kind.value == "EnvoyFilter":
            return "proto"
        return "go" if _GO_GROUPS.fullmatch(version.value) else None
    return "proto" if _value(document, "static_resources") or _value(document, "dynamic_resources") else None
