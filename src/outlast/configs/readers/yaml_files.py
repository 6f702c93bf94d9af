"""Reader of YAML files: Kubernetes manifests, compose files, Spring's application.yml, Envoy, CloudFormation and all others.

Values keep the bytes in which they stand; a tag and an anchor in front do not belong to them. Options of command lines are settings of
their own (`args[--timeout]`), and so are the variables of a list `environment:`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from outlast.configs.readers.arguments import ASSIGNED_OPTION
from outlast.configs.readers.flags import SCRIPT_FLAG, SHELLS, Word, content_of, options, split_commands
from outlast.configs.readers.texts import NAMING, is_name
from outlast.configs.readers.yaml_aliases import MERGE, Aliases
from outlast.configs.readers.yaml_names import items_of_list, segments
from outlast.configs.readers.yaml_nodes import Collection, Leaf, Node, parse, text_of, value_of
from outlast.configs.readers.yaml_scalars import content_of_plain, content_of_text, encode
from outlast.configs.setting import Content, Flag, Index, Key, Literal, Opaque, Segment, Setting, Step
from outlast.constraints.document import LARGEST_FILE, Source
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.files import decode
from outlast.constraints.record import replace

__all__ = ["encode", "read", "read_masked"]

_NAMING: Final[dict[str | None, int]] = {key: number for number, key in enumerate(NAMING)}
#: Keys whose values are command lines; `test` only below `healthcheck`.
_COMMANDS: Final = frozenset(("command", "args", "entrypoint", "test"))
#: Keys at whose values more is to be looked at.
_SPECIAL: Final = _COMMANDS | {"environment", "typed_config", MERGE.name}
_VARIABLE: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)=")

#: A tag and an anchor in front of a value, and the white space and comments behind each.
_PROPERTIES: Final = re.compile(r"(?:[!&]\S*+(?:\s++(?:#[^\r\n]*+)?+)*+)++")
_TAG: Final = re.compile(r"(?:&\S*\s+)?(!\S*)")
_CORE: Final = "tag:yaml.org,2002:"
_BLOCK: Final = ("|", ">")
_BLOCK_HEADER: Final = re.compile(r"[|>][^\r\n]*(?:\r\n|\r|\n|\Z)[ \r\n]*")

#: Groups of Kubernetes' API whose durations are Go's, as their definitions say (metav1.Duration; Gateway API's GEP-2257; Istio's reference).
_GO_GROUPS: Final = re.compile(
    r"(?:[\w.-]*\.config\.k8s\.io|kubeadm\.k8s\.io|gateway\.networking\.k8s\.io|networking\.istio\.io|cert-manager\.io"
    r"|cluster\.x-k8s\.io|[\w.-]+\.toolkit\.fluxcd\.io)/\w+"
)


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The values of all documents; raises `OutlastError` at the first place where the file is not YAML."""
    return _Reader(data, file, lambda text: (text, (), {})).read()


def read_masked(data: bytes, file: str, mask: _Mask) -> tuple[Setting, ...]:
    """The values of a file that is YAML once parts of it are hidden.

    `mask` gives the text with these parts overwritten, of the same length, their spans in it, in order, and by their first characters the
    names of documents that are called otherwise than YAML tells. A value that has a part of one in it is not read.
    """
    return _Reader(data, file, mask).read()


_Mask = Callable[[str], tuple[str, Sequence[tuple[int, int]], Mapping[int, str]]]


def _text(data: bytes, file: str) -> str:
    if len(data) > LARGEST_FILE:
        raise OutlastError(f"expected at most {LARGEST_FILE} bytes, found {len(data)}", Place(file, 1, 1))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise OutlastError("expected UTF-8, found UTF-16", Place(file, 1, 1))
    return decode(data, file)


class _Reader:
    """Reads one file, its values in the order of the text."""

    def __init__(self, data: bytes, file: str, mask: _Mask) -> None:
        text = _text(data, file)
        #: What is parsed, and where it is not the text that stands there.
        self._masked, self._holes, called = mask(text)
        self._hole_ends = [end for _, end in self._holes]
        self._data = data
        self._text = text
        source = Source(file, text)
        documents = parse(source, self._masked if self._holes else None)
        self._documents = documents.nodes
        self._segments = segments(documents, called, self._name)
        self._source = source
        self._aliases = Aliases(documents, data)
        #: Why a node must not be changed: an alias stands for it.
        self._locks = {
            number: f"the anchor &{printable(anchor)}, which line {source.place(index).line} uses too"
            for number, (anchor, index) in documents.used.items()
        }
        self._keys: dict[str | None, Key] = {}
        #: The same where the text of a key is always the key.
        self._plain_keys = {} if self._holes else self._keys
        self._settings: list[Setting] = []
        self._scope: tuple[Segment, ...] = ()
        #: A character, and the byte that it begins with: offsets are asked for in their order.
        self._index, self._offset = 0, len(data) - len(data.removeprefix(b"\xef\xbb\xbf"))
        self._is_ascii = text.isascii()

    def read(self) -> tuple[Setting, ...]:
        for document in self._documents:
            if isinstance(document, Collection):
                self._scope = self._scope_of(document)
                items = items_of_list(document)
                if items is None:
                    self._walk(document, (), None, _dialect_of(document))
                else:
                    self._walk_list(document, items)
        return tuple(self._settings)

    def _walk_list(self, document: Collection, items: Collection) -> None:
        """A list of resources: each of them is read as a document of its own."""
        around, locked = self._scope, self._locks.get(id(document))
        for key, value in document.pairs():
            if value is not items:
                self._walk(Collection(True, [key, value]), (), locked, None)
                continue
            inside = self._locks.get(id(items), locked)
            for position, item in enumerate(items.items):
                if isinstance(item, Collection) and id(item) in self._segments:
                    self._scope = self._scope_of(item)
                    self._walk(item, (), inside, _dialect_of(item))
                    self._scope = around
                else:
                    self._element(item, position, (self._key(key),), inside, None)

    def _scope_of(self, node: Node) -> tuple[Segment, ...]:
        segment = self._segments.get(id(node))
        return () if segment is None else (segment,)

    def _byte(self, index: int) -> int:
        if self._is_ascii:
            return index + self._offset
        if index > self._index:
            self._offset += len(self._text[self._index : index].encode())
            self._index = index
        return self._offset

    # Names

    def _name(self, node: Node | None) -> str | None:
        """The text of a node by which something can be called."""
        text = text_of(node)
        if text is None or not isinstance(node, tuple) or not is_name(text):
            return None
        return None if self._holes and self._is_hidden(node[0], node[1]) else text

    def _element_name(self, element: Collection) -> str | None:
        if not element.is_mapping:
            return None
        first, found = len(NAMING), None
        for key, value in element.pairs():
            number = _NAMING.get(text_of(key), first)
            if number < first and (name := self._name(value)) is not None:
                first, found = number, name
                if not number:
                    break
        return found

    def _key(self, node: Node) -> Key:
        if isinstance(node, Collection):
            text = "?"
        elif node[2] is None:
            text = f"*{node[5]}"
        elif self._holes and self._is_hidden(node[0], node[1]):
            text = self._text[node[0] : node[1]].strip()
        else:
            text = node[2]
        found = self._keys.get(text)
        if found is None:
            found = self._keys[text] = Key(text)
        return found

    # Values

    def _walk(self, node: Collection, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        first = len(self._settings)
        locked = self._locks.get(id(node), locked)
        if node.is_mapping:
            keys = self._plain_keys
            for key_node, value in node.pairs():
                key = keys.get(key_node[2]) if isinstance(key_node, tuple) else None
                if key is None:
                    key = self._key(key_node)
                if key.name in _SPECIAL:
                    if key.name == MERGE.name:
                        self._merge(node, value, (*route, key), locked, dialect)
                    else:
                        self._special(key, value, route, locked, dialect)
                elif isinstance(value, tuple):
                    self._value(value, (*route, key), locked, dialect)
                else:
                    self._walk(value, (*route, key), locked, dialect)
        else:
            for position, item in enumerate(node.items):
                self._element(item, position, route, locked, dialect)
        if self._locks:
            self._keep(node, route, first)

    def _keep(self, node: Collection, route: tuple[Step, ...], first: int) -> None:
        if id(node) in self._locks:
            self._aliases.keep(node, len(route), first, len(self._settings))

    def _element(
        self, item: Node, position: int, route: tuple[Step, ...], locked: str | None, dialect: str | None
    ) -> None:
        if isinstance(item, tuple):
            self._value(item, (*route, Index(position)), locked, dialect)
        else:
            self._walk(item, (*route, Index(position, self._element_name(item))), locked, dialect)

    def _special(self, key: Key, value: Node, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        is_command = key.name in _COMMANDS and (key.name != "test" or route[-1:] == (Key("healthcheck"),))
        route = (*route, key)
        first = len(self._settings)
        if isinstance(value, tuple):
            self._value(value, route, locked, dialect)
            if is_command and value[2] is not None:
                self._script(value, route)
        elif value.is_mapping or not (is_command or key.name == "environment"):
            self._walk(value, route, locked, "proto" if key.name == "typed_config" else dialect)
        elif is_command:
            self._arguments(value, route, locked, dialect)
            self._keep(value, route, first)
        else:
            self._variables(value, route, locked, dialect)
            self._keep(value, route, first)

    def _value(self, node: Leaf, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        start, end, text, style, tag, anchor = node
        content: Content
        if anchor is not None or tag is not None:
            if text is None:
                self._alias(node, route, None)
                return
            start, end, content = self._with_properties(node)
            locked = self._locks.get(id(node), locked)
        elif not style:
            content = content_of_plain(text or "")
        elif style in _BLOCK:
            start, end = self._block(start, end)
            content = Opaque("a block of text")
        else:
            content = content_of_text(text or "", style)
        if self._holes and (self._is_hidden(start, end) or (start == end and self._is_before_hole(end))):
            content = Opaque("a template, {{ … }}")
            if start < end and not style:
                start, end = self._widened(start, end)
        raw = self._text[start:end]
        if self._is_ascii:
            start, end = start + self._offset, end + self._offset
        else:
            start, end = self._byte(start), self._byte(end)
        if dialect is not None and not (isinstance(content, Literal) and content.is_text):
            dialect = None
        self._settings.append(
            Setting(
                route=route,
                scope=self._scope,
                start=start,
                end=end,
                raw=raw,
                content=content,
                dialect=dialect,
                locked=locked,
            )
        )

    # Aliases

    def _alias(self, node: Leaf, route: tuple[Step, ...], taken: set[str] | None) -> None:
        """An alias, and what it stands for; `taken` if a merge key takes it."""
        start, end, _, _, _, name = node
        reason = f"an alias, *{printable(name or '')}"
        if (target := self._aliases.target(node)) is not None:
            reason += f" (line {self._source.place(target).line})"
        if self._holes and self._is_hidden(start, end):
            reason = "a template, {{ … }}"
        raw, start, end = self._text[start:end], self._byte(start), self._byte(end)
        settings = self._settings
        settings.append(Setting(route=route, scope=self._scope, start=start, end=end, raw=raw, content=Opaque(reason)))
        below = route if taken is None else route[: route.index(MERGE)]
        settings += list(self._aliases.told(node, settings, below, self._scope, end, taken))

    def _merge(
        self, node: Collection, value: Node, route: tuple[Step, ...], locked: str | None, dialect: str | None
    ) -> None:
        """A merge key of a mapping: what the mappings of its aliases hold, but for the mapping's own keys; of equal keys the first."""
        is_list = isinstance(value, Collection) and not value.is_mapping
        taken: set[str] | None = None
        for position, item in enumerate(value.items if is_list else [value]):  # type: ignore[union-attr]
            step = (Index(position),) if is_list else ()
            if isinstance(item, tuple) and item[2] is None:
                if taken is None:
                    taken = {self._key(key).name for key, _ in node.pairs()}
                self._alias(item, (*route, *step), taken)
            elif isinstance(item, tuple):
                self._value(item, (*route, *step), locked, dialect)
            else:
                self._walk(item, (*route, *step), locked, dialect)

    def _with_properties(self, node: Leaf) -> tuple[int, int, Content]:
        """Where a value stands without its tag and anchor, and what it says."""
        begin, end, _, style, tag, _ = node
        text = node[2] or ""
        if not text and not style:
            return end, end, content_of_plain("")
        match = _PROPERTIES.match(self._masked, begin, end)
        start = match.end() if match else begin
        if style in _BLOCK:
            start, end = self._block(start, end)
        if tag is not None:
            return start, end, self._tagged(begin, text, style or "", tag)
        if style in _BLOCK:
            return start, end, Opaque("a block of text")
        return start, end, content_of_text(text, style) if style else content_of_plain(text)

    def _tagged(self, begin: int, text: str, style: str, tag: str) -> Content:
        kind = tag.removeprefix(_CORE)
        if style not in _BLOCK:
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

    # Holes

    def _is_hidden(self, start: int, end: int) -> bool:
        """Whether a part of a hole lies in the span."""
        number = bisect_right(self._hole_ends, start)
        return number < len(self._holes) and self._holes[number][0] < end

    def _is_before_hole(self, index: int) -> bool:
        """Whether a hole comes next, blanks and line ends apart."""
        while self._text[index : index + 1] in (" ", "\t", "\r", "\n"):
            index += 1
        return self._text.startswith("{{", index)

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

    def _script(self, node: Leaf, route: tuple[Step, ...]) -> None:
        """Options in the text that was just read, if its bytes are its text."""
        whole = self._settings[-1]
        start, end = _inner(whole, node)
        line = self._data[start:end]
        if b"-" not in line or _is_escaped(line, node):
            return
        if node[3] != "|":
            line = line.replace(b"\r", b" ").replace(b"\n", b" ")  # YAML joins these lines
        found = [pair for words in split_commands(line, 0, len(line)) for pair in options(words)]
        for name, word in sorted(found, key=lambda pair: pair[1].start):
            self._inside(whole, route, Flag(name), start + word.start, start + word.end, content_of(word))

    def _inside(
        self, whole: Setting, route: tuple[Step, ...], flag: Flag, start: int, end: int, content: Content
    ) -> None:
        self._settings.append(
            Setting(
                route=(*route, flag),
                scope=whole.scope,
                start=start,
                end=end,
                raw=self._data[start:end].decode(),
                content=content,
                locked=whole.locked,
            )
        )

    def _arguments(self, node: Collection, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        """A list of words: the value of an option is called by it, alone or behind its `=`."""
        locked = self._locks.get(id(node), locked)
        words = [Word(self._word(item), i, i) for i, item in enumerate(node.items)]
        scripts = _scripts(words)
        # A word's place is its number here; what stands behind a `=` has none and is read below.
        flags = {word.start: name for name, word in options([w for w in words if w.start not in scripts])}
        for i, item in enumerate(node.items):
            if i not in flags or isinstance(item, Collection):
                self._element(item, i, route, locked, None if isinstance(item, tuple) else dialect)
                if i in scripts and text_of(item) is not None:
                    self._script(item, route)  # type: ignore[arg-type]  # only a scalar has a text
                elif words[i].text.startswith("-"):
                    self._behind(item, route, ASSIGNED_OPTION)
                continue
            self._value(item, (*route, Flag(flags[i])), locked, None)
            content = self._settings[-1].content
            if (
                isinstance(content, Literal) and not content.is_text
            ):  # an argument is a text, whatever YAML takes it for
                self._settings[-1] = replace(self._settings[-1], content=replace(content, is_text=True))

    def _word(self, node: Node) -> str:
        """What a program sees as its argument; a word of its own for all that is not read."""
        if isinstance(node, Collection) or node[2] is None:
            return "*"
        if self._holes and self._is_hidden(node[0], node[1]):
            return self._text[node[0] : node[1]].strip("'\"")
        return node[2]

    def _variables(self, node: Collection, route: tuple[Step, ...], locked: str | None, dialect: str | None) -> None:
        """A list of `NAME=value`."""
        locked = self._locks.get(id(node), locked)
        for i, item in enumerate(node.items):
            self._element(item, i, route, locked, None if isinstance(item, tuple) else dialect)
            self._behind(item, route, _VARIABLE)

    def _behind(self, node: Node, route: tuple[Step, ...], name: re.Pattern[str]) -> None:
        """What stands behind `name=` in the text that was just read, if its bytes are its text."""
        if isinstance(node, Collection) or node[2] is None or node[3] in _BLOCK:
            return
        whole = self._settings[-1]
        start, end = _inner(whole, node)
        line = self._data[start:end]
        if b"\n" in line or _is_escaped(line, node) or (match := name.match(text := line.decode())) is None:
            return
        content = content_of_text(text[match.end() :], "")
        if isinstance(content, Literal):
            content = Literal(content.text)  # there are no types in a command line
        self._inside(whole, route, Flag(match[1]), start + len(match[0].encode()), end, content)


def _is_escaped(line: bytes, node: Leaf) -> bool:
    return (node[3] == '"' and b"\\" in line) or (node[3] == "'" and b"''" in line)


def _inner(whole: Setting, node: Leaf) -> tuple[int, int]:
    """The bytes of a text between its quotes."""
    quoted = int(node[3] in ("'", '"'))
    return whole.start + quoted, whole.end - quoted


def _scripts(words: Sequence[Word]) -> set[int]:
    """The numbers of the words that a shell runs: behind a `-c` that comes first or behind the name of a shell."""
    found, is_shell = set(), True
    for i, word in enumerate(words):
        if is_shell and SCRIPT_FLAG.fullmatch(word.text):
            found.add(i + 1)
        is_shell = (is_shell and i > 0) or word.text.rpartition("/")[2] in SHELLS
    return found


def _dialect_of(document: Collection) -> str | None:
    """The dialect of all durations of a document, if its kind tells one: Go's for some groups of Kubernetes' API, Envoy's is protobuf's."""
    if (version := text_of(value_of(document, "apiVersion"))) is not None:
        if text_of(value_of(document, "kind")) == "EnvoyFilter":
            return "proto"
        return "go" if _GO_GROUPS.fullmatch(version) else None
    return "proto" if value_of(document, "static_resources") or value_of(document, "dynamic_resources") else None
