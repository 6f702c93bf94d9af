"""Reads JSON, also with comments and trailing commas (JSONC), as settings.

Whatever its name, a file is read as JSONC: what is JSON reads the same, and what needs comments or trailing commas was written for a
program that takes them. In arrays of arguments (`command`, `args`) the values of options are called by these. Names of a `.json5` file may stand without quotes, its texts in single ones. Both of two equal keys are settings.
"""

from __future__ import annotations

import json
import re
from typing import Final, NoReturn

from outlast.configs.readers.arguments import COMMANDS, behind_option, encode_text, values_of_options
from outlast.configs.readers.texts import LEVELS, NAMING, is_name, literal, start_of_text
from outlast.configs.setting import Content, Flag, Index, Key, Literal, Opaque, Setting, Step
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import place_of_byte

__all__ = ["encode", "read"]

_GAP: Final = rb"[ \t\r\n]*+(?:(?://[^\n]*+|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)[ \t\r\n]*+)*+"
_TEXT: Final = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_TEXT5: Final = _TEXT + rb"|'[^'\\\x00-\x1f]*+'"
_NUMBER: Final = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+"
_BARE: Final = rb"(?:" + _NUMBER + rb"|true|false|null)(?![\w.+-])"
_NAME5: Final = _TEXT5 + rb"|[A-Za-z_$][\w$]*+"

_Pattern = re.Pattern[bytes]


def _patterns(name: bytes, text: bytes) -> tuple[_Pattern, _Pattern, _Pattern]:
    """What stands next in an object and in an array, with what follows a value that is complete; how far a member is right.

    Groups: name, text, number or word, opening bracket, what follows; or a closing bracket.
    """
    value = rb"(?:(" + text + rb")|(" + _BARE + rb")|([\[{]))"
    after = rb"(?:(?<![\[{])" + _GAP + rb"([,\]}]?))?+"
    member = rb"(?:(" + name + rb")" + _GAP + rb":" + _GAP + value + after + rb"|(\}))"
    element = rb"(?:()" + value + after + rb"|(\]))"
    begun = rb"(?:" + name + rb")" + _GAP + rb"(:)?+" + _GAP
    return re.compile(_GAP + member), re.compile(_GAP + element), re.compile(begun)


_PLAIN: Final = _patterns(_TEXT, _TEXT)
_JSON5: Final = _patterns(_NAME5, _TEXT5)
_AFTER: Final = re.compile(_GAP + rb"([,\]}]?)")
_SPACE: Final = re.compile(_GAP)


class _Container:
    """An object or array that is being read; its own step is known once its end is: elements answer to their name."""

    __slots__ = ("count", "is_object", "names", "parent", "route", "step", "words")

    def __init__(self, parent: _Container | None, step: Step | int, is_object: bool) -> None:
        self.parent = parent
        self.step = step
        self.is_object = is_object
        self.count = 0
        self.names: dict[str, str] = {}
        self.route: tuple[Step, ...] = ()
        #: Of an array of arguments: which of the values are its elements.
        self.words: list[int] | None = [] if not is_object and isinstance(step, Key) and step.name in COMMANDS else None


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a JSON or JSONC file.

    Raises:
        OutlastError: with a place; it is no JSON, not UTF-8, or nested too deeply.
    """
    start = _SPACE.match(data, start_of_text(data, file)).end()  # type: ignore[union-attr]  # matches everywhere
    scan = _Scan(data, file, _JSON5 if file.lower().endswith(".json5") else _PLAIN)
    return scan.settings(start)


class _Scan:
    """One walk through a file, without recursion."""

    def __init__(self, data: bytes, file: str, patterns: tuple[_Pattern, _Pattern, _Pattern]) -> None:
        self.data = data
        self.file = file
        self.member, self.element, self.begun = patterns
        self.containers: list[_Container] = []
        self.values: list[tuple[_Container, Step, int, int, Content]] = []
        self.keys: dict[bytes, Key] = {}

    def settings(self, start: int) -> tuple[Setting, ...]:
        data = self.data
        end = self._whole(start)
        if end != len(data):
            self._fail(end, "the end of the file")
        for container in self.containers:
            parent = container.parent
            if parent is not None:
                step = container.step
                if isinstance(step, int):
                    step = Index(step, next(filter(None, map(container.names.get, NAMING)), None))
                container.route = (*parent.route, step)
        for container in self.containers:
            if container.words:
                self._call_by_options(container.words)
        found: list[Setting] = []
        for container, step, start, end, content in self.values:
            route = container.route
            setting = Setting(route=(*route, step), start=start, end=end, raw=data[start:end].decode(), content=content)
            found.append(setting)
            if container.words and isinstance(step, Index) and (inner := behind_option(setting, route)):
                found.append(inner)
        return tuple(found)

    def _call_by_options(self, words: list[int]) -> None:
        contents = [self.values[number][4] for number in words]
        texts = [c.text if isinstance(c, Literal) and c.is_text else None for c in contents]
        for position, name in values_of_options(texts).items():
            container, _, start, end, content = self.values[words[position]]
            self.values[words[position]] = (container, Flag(name), start, end, content)

    def _whole(self, start: int) -> int:
        """Read the one value of the file, a container but for odd files; returns where something follows it."""
        outermost = _Container(None, 0, is_object=False)
        match = self.element.match(self.data, start)
        if match is None or match[6]:
            self._fail(start, "a JSON value")
        if match[4]:
            return self._inside(self._opened(outermost, 0, match), match.end())
        # The value is the whole file: it has no route, and nobody can name it.
        return _SPACE.match(self.data, match.end(2) if match[2] else match.end(3)).end()  # type: ignore[union-attr]

    def _inside(self, top: _Container, pos: int) -> int:
        data, member, element, values = self.data, self.member, self.element, self.values
        depth = 1
        top.parent = None
        while True:
            is_object = top.is_object
            match = (member if is_object else element).match(data, pos)
            if match is None:
                self._fail_inside(pos, is_object)
            name, text, bare, opening, after, closing = match.groups()
            pos = match.end()
            if not closing:
                step: Step | int
                if is_object:
                    step = self.keys.get(name) or self._key(name)
                else:
                    step = top.count
                    top.count += 1
                if opening:
                    depth += 1
                    if depth > LEVELS:
                        self._fail_at(pos - 1, f"expected at most {LEVELS} levels of nesting, found more")
                    top = self._opened(top, step, match)
                    continue
                content: Content
                if text:
                    content = self._text(text)
                    if is_object and isinstance(content, Literal) and step.name in NAMING and is_name(content.text):  # type: ignore[union-attr]
                        top.names[step.name] = content.text  # type: ignore[union-attr]
                    span = match.span(2)
                else:
                    content, span = Literal(bare.decode()), match.span(3)
                if top.words is not None:
                    top.words.append(len(values))
                values.append((top, Index(step) if isinstance(step, int) else step, *span, content))
                closing = after
            while closing != b",":  # close what ends here
                if closing != (b"}" if top.is_object else b"]"):
                    self._fail(pos - len(closing), "a comma or the closing " + ("}" if top.is_object else "]"))
                if top.parent is None:
                    return _SPACE.match(data, pos).end()  # type: ignore[union-attr]
                top = top.parent
                depth -= 1
                follows = _AFTER.match(data, pos)
                closing, pos = follows[1], follows.end()  # type: ignore[index,union-attr]  # matches everywhere

    def _opened(self, parent: _Container, step: Step | int, match: re.Match[bytes]) -> _Container:
        container = _Container(parent, step, match[4] == b"{")
        self.containers.append(container)
        return container

    def _key(self, raw: bytes) -> Key:
        text = raw.decode() if raw[:1] not in b"\"'" else _unquoted(raw)
        key = self.keys[raw] = Key(text.encode(errors="backslashreplace").decode())
        return key

    @staticmethod
    def _text(raw: bytes) -> Content:
        text = _unquoted(raw)
        if b"\\u" in raw and any("\ud800" <= c <= "\udfff" for c in text):
            return Opaque("a text with half a character")
        return literal(text, chr(raw[0]), is_text=True)

    def _fail_inside(self, pos: int, is_object: bool) -> NoReturn:
        pos = _SPACE.match(self.data, pos).end()  # type: ignore[union-attr]
        expected = "a value or the closing ]"
        if is_object:
            expected = "a name in quotes or the closing }"
            if match := self.begun.match(self.data, pos):
                pos, expected = match.end(), "a value" if match[1] else "a colon"
        self._fail(pos, expected)

    def _fail(self, pos: int, expected: str) -> NoReturn:
        rest = self.data[pos : pos + 200].decode(errors="ignore").split()
        found = f"'{rest[0][:20]}'" if rest else "the end of the file"
        self._fail_at(pos, f"expected {expected}, found {found}")

    def _fail_at(self, pos: int, message: str) -> NoReturn:
        raise OutlastError(message, place_of_byte(self.data, pos, self.file))


def _unquoted(raw: bytes) -> str:
    text: str = json.loads(raw) if b"\\" in raw else raw[1:-1].decode()
    return text


def encode(setting: Setting, text: str) -> str:
    """A text stays a text, a number a number, and a truth value a truth value."""
    content = setting.content
    if not isinstance(content, Literal):
        raise OutlastError("expected a text or a number to replace, found another value")
    if (written := encode_text(setting.route, content, text, "'\\\t")) is not None:
        return written
    kind = _kind(content.text)
    if kind == "null" or _kind(text) != kind:
        raise OutlastError(f"expected {kind}, as the value is one, found '{text}'")
    return text


def _kind(text: str) -> str:
    if text in ("true", "false"):
        return "true or false"
    if text == "null":
        return "null"
    return "a number" if re.fullmatch(_NUMBER.decode(), text) else "a text"
