"""Reads TOML as settings: `tomllib` judges and tells the values, tree-sitter's grammar where they stand.

The grammar takes some files that are no TOML, hence the judge; the few files that it does not take although they are TOML are refused.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any, Final

import tree_sitter_toml
from tree_sitter import Language, Node, Parser

from outlast.configs.readers.arguments import COMMANDS, behind_option, encode_text, values_of_options
from outlast.configs.readers.texts import LEVELS, NAMING, is_name, literal, plainly, start_of_text
from outlast.configs.setting import Content, Flag, Index, Key, Literal, Opaque, Setting, Step
from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.files import place_of_byte

__all__ = ["encode", "read"]

_TOKEN: Final = re.compile(
    rb'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*+\'{3,5}|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|#[^\n]*+|(\.)|[=,\n]',
    re.S,
)
_WHERE: Final = re.compile(r" \(at line (\d+), column (\d+)\)| \(at end of document\)")
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
_IS_INTEGER: Final = re.compile(r"[+-]?[0-9_]+|0[xob][0-9A-Fa-f_]+")
_FLOAT: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_PART: Final = re.compile(r"""[ \t]*+(?:([A-Za-z0-9_-]++)|("(?:[^"\\]|\\.)*+")|'([^']*+)')[ \t]*+\.?""")
_LONGEST_INTEGER: Final = 4000  # digits; Python refuses to write longer ones in decimal
_TOO_DEEP: Final = f"expected at most {LEVELS} levels of nesting, found more"
_NOT_TOLD: Final = "expected TOML in which values can be told apart, found a construct that is too rare for that"


class _Float(str):
    """A float as it is written: exact, and told apart from a text."""

    __slots__ = ()


class _Deep(Exception):  # noqa: N818  # never leaves this module
    """Nesting beyond what is read."""


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_toml.language()))


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a TOML file; a table's path and the key are the route.

    Raises:
        OutlastError: with a place; it is no TOML, not UTF-8, or nested too deeply.
    """
    begin = start_of_text(data, file)
    _refuse_long_keys(data, begin, file)
    document = _judged(data[begin:].decode(), file)
    source = data[begin:]
    root = _parser().parse(source).root_node
    if root.has_error:
        raise OutlastError(_NOT_TOLD, place_of_byte(data, begin + _first_error(root), file))
    try:
        walk = _Walk(source, begin)
        walk.document(root, document)
    except (_Deep, RecursionError):
        raise OutlastError(_TOO_DEEP, Place(file, 1, 1)) from None
    except (KeyError, IndexError, TypeError, ValueError):
        raise OutlastError(_NOT_TOLD, Place(file, 1, 1)) from None
    return tuple(walk.found)


def _first_error(node: Node) -> int:
    while (inner := next((child for child in node.children if child.has_error), None)) is not None:
        node = inner
    return node.start_byte


def _refuse_long_keys(data: bytes, begin: int, file: str) -> None:
    """Refuse a key of too many parts, before `tomllib` takes a square of their number in memory."""
    if data.count(b".") <= LEVELS or all(line.count(b".") <= LEVELS for line in data.split(b"\n")):
        return
    dots = 0
    for match in _TOKEN.finditer(data, begin):
        dots = dots + 1 if match[1] else dots if match[0][:1] in b"\"'" else 0
        if dots > LEVELS:
            raise OutlastError(_TOO_DEEP, place_of_byte(data, match.start(), file))


def _judged(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=_Float)
    except RecursionError:
        raise OutlastError(_TOO_DEEP, Place(file, 1, 1)) from None
    except ValueError as error:
        message = plainly(str(error))
        where = _WHERE.search(message)
        if where is None:
            return _refuse(f"expected TOML, found a value that cannot be read: {message}", Place(file, 1, 1))
        if where[1] is None:
            place = Place(file, text.count("\n") + 1, len(text) - text.rfind("\n"))
        else:
            place = Place(file, int(where[1]), int(where[2]))
        message = message[: where.start()]
        return _refuse(f"expected TOML, found a mistake: {message[:1].lower()}{message[1:]}", place)


def _refuse(message: str, place: Place) -> dict[str, Any]:
    raise OutlastError(message, place) from None


class _Walk:
    """Goes through the tree and the values beside each other."""

    def __init__(self, source: bytes, begin: int) -> None:
        self.source = source
        self.begin = begin
        self.found: list[Setting] = []
        self.elements: dict[tuple[str | int, ...], int] = {}
        self.keys: dict[bytes, tuple[str, ...]] = {}

    def document(self, root: Node, document: dict[str, Any]) -> None:
        for node in root.named_children:
            match node.type:
                case "pair":
                    self.pair(node, (), document)
                case "table" | "table_array_element":
                    children = node.named_children
                    route, table = self.table(self.key(children[0]), document, node.type != "table")
                    for child in children[1:]:
                        if child.type == "pair":
                            self.pair(child, route, table)

    def table(self, key: tuple[str, ...], document: dict[str, Any], is_element: bool) -> tuple[tuple[Step, ...], Any]:
        """The route and the values of a table by its header; an array of tables stands for its last element so far."""
        route: list[Step] = []
        path: tuple[str | int, ...] = ()
        table: Any = document
        for depth, name in enumerate(key, 1):
            path = (*path, name)
            route.append(Key(name))
            table = table[name]
            if is_element and depth == len(key):
                self.elements[path] = self.elements.get(path, -1) + 1
            if path in self.elements:
                position = self.elements[path]
                path = (*path, position)
                table = table[position]
                route.append(Index(position, _name_of(table)))
        return tuple(route), table

    def pair(self, node: Node, route: tuple[Step, ...], table: Any) -> None:
        key, value = (child for child in node.named_children if child.type != "comment")
        names = self.key(key)
        for name in names:
            table = table[name]
        self.value(value, (*route, *map(Key, names)), table)

    def value(self, node: Node, route: tuple[Step, ...], value: Any) -> None:
        if len(route) > LEVELS:
            raise _Deep
        match node.type:
            case "inline_table":
                for child in node.named_children:
                    if child.type == "pair":
                        self.pair(child, route, value)
            case "array":
                children = [child for child in node.named_children if child.type != "comment"]
                flags: dict[int, str] = {}
                if is_command := isinstance(route[-1], Key) and route[-1].name in COMMANDS:
                    flags = values_of_options([*map(self.word, children, value)])
                for position, (child, element) in enumerate(zip(children, value, strict=True)):
                    step = Flag(flags[position]) if position in flags else Index(position, _name_of(element))
                    self.value(child, (*route, step), element)
                    if is_command and position not in flags and self.word(child, element) is not None:
                        inner = behind_option(self.found[-1], route)
                        self.found += [inner] if inner else []
            case _:
                start, end = node.start_byte, node.end_byte
                raw = self.source[start:end].decode()
                start, end = start + self.begin, end + self.begin
                self.found.append(
                    Setting(route=route, start=start, end=end, raw=raw, content=_content(raw, value)),
                )

    def word(self, node: Node, value: Any) -> str | None:
        """A text on one line, as an argument."""
        if node.type != "string" or self.source.startswith((b'"""', b"'''"), node.start_byte):
            return None
        return str(value)

    def key(self, node: Node) -> tuple[str, ...]:
        raw = self.source[node.start_byte : node.end_byte]
        names = self.keys.get(raw)
        if names is None:
            names = self.keys[raw] = _names(raw.decode())
        return names


def _names(key: str) -> tuple[str, ...]:
    if _BARE_KEY.fullmatch(key):
        return (key,)
    parts = _PART.finditer(key)
    return tuple(
        part[1] or (tomllib.loads(f"k={part[2]}")["k"] if part[2] else part[3])
        for part in parts
    )  # fmt: skip


def _name_of(element: Any) -> str | None:
    """The word that an element of an array answers to."""
    if not isinstance(element, dict):
        return None
    names = (element.get(key) for key in NAMING)
    return next(
        (name for name in names if isinstance(name, str) and not isinstance(name, _Float) and is_name(name)), None
    )


def _content(raw: str, value: Any) -> Content:
    if isinstance(value, bool):
        return Literal(raw)
    if isinstance(value, _Float):
        return Literal(_decimal(value))
    if isinstance(value, str):
        if raw.startswith(('"""', "'''")):
            return Opaque("a block of text")
        return literal(value, raw[0], is_text=True)
    if isinstance(value, int):
        if value.bit_length() > 3 * _LONGEST_INTEGER:
            return Opaque("a number of more digits than are read")
        return Literal(str(value))
    return Opaque("a date")


def _decimal(number: str) -> str:
    """A float without what says nothing: `+1_000.50` is 1000.5, `3.0` is 3."""
    number = number.replace("_", "").removeprefix("+")
    return number.rstrip("0").removesuffix(".") if "." in number and "e" not in number.lower() else number


def encode(setting: Setting, text: str) -> str:
    """A text stays a text in its quotes, a whole number one, a fraction one, and a truth value one."""
    content = setting.content
    if not isinstance(content, Literal):
        raise OutlastError("expected a text or a number to replace, found another value")
    if (written := encode_text(setting.route, content, text, "'")) is not None:
        return written
    if content.text in ("true", "false"):
        if text not in ("true", "false"):
            raise OutlastError(f"expected true or false, found '{text}'")
        return text
    if _IS_INTEGER.fullmatch(setting.raw):
        if not _INTEGER.fullmatch(text):
            raise OutlastError(f"expected a whole number, as the value is one, found '{text}'")
        return text
    if not _FLOAT.fullmatch(text):
        raise OutlastError(f"expected a number, as the value is one, found '{text}'")
    return f"{text}.0" if _INTEGER.fullmatch(text) else text
