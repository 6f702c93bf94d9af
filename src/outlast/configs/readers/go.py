"""Go: constants, variables, fields and arguments; `10 * time.Second` is worked out, with the 10 as what may be changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from outlast.configs.readers.arithmetic import NO_NAMES, Constant, Language, computed, evaluate, number
from outlast.configs.readers.go_source import (
    FRAMES,
    TEXTS,
    chain_of,
    frames_of,
    key_of,
    query,
    root_of,
    segments_of,
    text_in,
)
from outlast.configs.readers.texts import defined_at, refuse_halves
from outlast.configs.readers.trees import (
    Found,
    Match,
    Matches,
    Positions,
    children_of,
    collect,
    names_in,
    placed,
    text_of,
)
from outlast.configs.setting import Content, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.record import replace

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["VALUES", "Reading", "encode", "read"]

#: Where values stand.
VALUES: Final = {
    "constant": "(const_spec value: (expression_list VALUE) @list) @spec",
    "variable": "(var_spec value: (expression_list VALUE) @list) @spec",
    "assigned": """[(short_var_declaration left: (expression_list) @left right: (expression_list VALUE) @list)
        (assignment_statement left: (expression_list) @left operator: "=" right: (expression_list VALUE) @list)]""",
    "field": "(keyed_element key: (literal_element (_) @key) value: (literal_element VALUE))",
    "argument": "(call_expression function: [(identifier) (selector_expression)] @function arguments: (argument_list VALUE) @list)",
    "generic argument": "(type_conversion_expression type: (generic_type type: (_) @function) operand: VALUE)",
}
#: Nearly all names and calls say nothing here, and they are most of a file: they are looked at only where some might.
_PLAIN: Final = """[(int_literal) (float_literal) (interpreted_string_literal) (raw_string_literal)
    (binary_expression) (unary_expression) (parenthesized_expression)] @value"""
_NAMED: Final = "[(identifier) (selector_expression) (call_expression)] @value"
_KINDS: Final = (*FRAMES, *VALUES)
_FIRST: Final = "\n".join((*FRAMES.values(), *(pattern.replace("VALUE", _PLAIN) for pattern in VALUES.values())))
_SECOND: Final = "\n".join(pattern.replace("VALUE", _NAMED) for pattern in VALUES.values())
#: Wherever a name may get another meaning than that of a constant.
_DECLARED: Final = """[
  (const_spec name: (identifier) @name) (var_spec name: (identifier) @name) (parameter_declaration name: (identifier) @name)
  (variadic_parameter_declaration name: (identifier) @name) (type_parameter_declaration name: (identifier) @name)
  (short_var_declaration left: (expression_list (identifier) @name)) (range_clause left: (expression_list (identifier) @name))
  (receive_statement left: (expression_list (identifier) @name)) (type_switch_statement alias: (expression_list (identifier) @name))
  (function_declaration name: (identifier) @name) (type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)
  (import_spec name: (package_identifier) @name)]"""

_LANGUAGE: Final = Language(
    promotion=("int", "float", "duration"),
    integers={"int": None, "duration": 64},
    decimal="float",
    whole="int",
    literals=frozenset({"int_literal", "float_literal"}),
)
_UNITS: Final = {
    "Hour": 3600 * 10**9,
    "Minute": 60 * 10**9,
    "Second": 10**9,
    "Millisecond": 10**6,
    "Microsecond": 10**3,
    "Nanosecond": 1,
}
#: Conversions between numbers, with what comes out.
_CONVERSIONS: Final = {
    **dict.fromkeys((b"int", b"int32", b"int64", b"uint", b"uint32", b"uint64"), "int"),
    **dict.fromkeys((b"float64", b"float32"), "float"),
}
#: A conversion of what may be a constant.
_CONVERSION: Final = re.compile(rb"(?:int(?:32|64)?|float(?:32|64))\((?:[\d.(-]|[a-z]+\.[A-Z])")
_WORD: Final = re.compile(rb"[^\W\d]\w*|[\x80-\xff]+")


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a Go file; raises `OutlastError` with a place where it is not Go."""
    reading = Reading(data, file)
    return placed(reading.frames, reading.found(), data)


# Values.


class _Defined(NamedTuple):
    """A constant of the file: its declaration, and the first byte of the function around it (None: the package)."""

    spec: Node
    value: Node
    function: int | None


class Reading:
    """The values of one file; raises as `read`."""

    def __init__(self, data: bytes, file: str) -> None:
        self.root, self._data, self._file = root_of(data, file), data, file
        self._matches: Matches = {kind: [] for kind in _KINDS}
        collect(query(_FIRST), self.root, self._matches, _KINDS)
        matches = self._matches
        #: What encloses the values.
        self.frames = frames_of(matches)
        self.positions = Positions()
        time = _alias(matches["import"])
        self._prefix = b"\0" if time is None else f"{time}.".encode()  # no file holds a NUL
        self._units = {self._prefix + name.encode(): Fraction(size) for name, size in _UNITS.items()}
        self._spellings = {size: f"{{}} * {time}.{name}" for name, size in _UNITS.items()}
        #: What is called, but converts a number.
        self.conversions = {**_CONVERSIONS, self._prefix + b"Duration": "duration"}
        self._functions = sorted(
            (match["frame"][0].start_byte, match["frame"][0].end_byte)
            for kind in ("function", "method")
            for match in matches[kind]
        )
        self._starts = [start for start, _ in self._functions]
        self._calls_read = tuple(name + b"(" for name in self.conversions)
        self._constants = self._named()
        self._declared: Counter[bytes | None] | None = None
        self._worth: dict[bytes, Constant | None] = {}
        self._here = 0  # where the expression begins that is worked out

    def found(self) -> Iterator[Found]:
        """All of them, in any order."""
        for kind in ("constant", "variable"):
            for match in self._matches[kind]:
                spec, value = match["spec"][0], match["value"][0]
                name = self.name_in(spec, match["list"][0], value)
                if name is not None:
                    yield from self._setting(value, (name,), spec=spec)
        for match in self._matches["assigned"]:
            value = match["value"][0]
            targets = children_of(match["left"][0])
            position = self.positions(match["list"][0], value)
            if position < len(targets) and (chain := chain_of(targets[position])):
                yield from self._setting(value, chain)
        for match in self._matches["field"]:
            yield from self._setting(match["value"][0], (key_of(match),))
        for match in self._matches["argument"]:
            yield from self._argument(match["function"][0], match["list"][0], match["value"][0])

        for match in self._matches["generic argument"]:
            value, function = match["value"][0], match["function"][0]
            names = text_of(function).split(".")
            if read := self._content(value):
                route = names[-1], 0
                yield Found(value.start_byte, value.end_byte, route, read[0], segments_of(names[:-1]), locked=read[1])

    def _argument(self, function: Node, arguments: Node, value: Node) -> Iterator[Found]:
        if (read := self._content(value)) is None:
            return
        if function.type == "identifier":
            chain: tuple[str, ...] = (text_of(function),)
        else:
            operand, name = function.child_by_field_name("operand"), function.child_by_field_name("field")
            if operand is None or name is None:
                return
            chain = (*chain_of(operand), text_of(name))
        if (function.text or b"") not in self.conversions:
            route = chain[-1], self.positions(arguments, value)
            yield Found(value.start_byte, value.end_byte, route, read[0], segments_of(chain[:-1]), locked=read[1])

    def _setting(self, value: Node, chain: tuple[str, ...], spec: Node | None = None) -> Iterator[Found]:
        read = self._content(value, spec)
        if read is None and value.type not in ("identifier", "selector_expression"):
            is_call = value.type == "call_expression" and not self._is_conversion(value)
            if not is_call and self._prefix in self._data[value.start_byte : value.end_byte]:
                read = Opaque("an expression"), None
        if read is not None:
            content, locked = read
            yield Found(value.start_byte, value.end_byte, chain[-1:], content, segments_of(chain[:-1]), locked=locked)

    def _content(self, node: Node, spec: Node | None = None) -> tuple[Content, str | None] | None:
        """What a value says, and why it must not be changed; None if it is left out."""
        kind = node.type
        if kind in TEXTS:
            return text_in(node), None
        if kind in _LANGUAGE.literals and (spec is None or spec.child_by_field_name("type") is None):
            alone = number(node, _LANGUAGE)
            return None if alone is None else (alone, None)
        if kind == "identifier":
            if not self._constants or (node.text or b"") not in self._constants:
                return None
            constant = self._evaluate(node)
            if constant is None:
                return Opaque(f"a name, {text_of(node)}"), None
        elif kind == "selector_expression":
            constant = (
                self._leaf(node, self._evaluate) if self._data.startswith(self._prefix, node.start_byte) else None
            )
        elif kind == "call_expression" and not self._is_conversion(node):
            return None
        else:
            constant = self._evaluate(node)
        if constant is not None and spec is not None:
            constant = self._typed(constant, spec)
        if constant is None:
            return None
        if constant.type == "duration":
            content = computed(constant, unit=1, spellings=self._spellings, is_whole=True)
        else:
            content = computed(constant)
        return content, self._locked(constant)

    def _is_conversion(self, call: Node) -> bool:
        return self._data.startswith(self._calls_read, call.start_byte)

    def _evaluate(self, node: Node) -> Constant | None:
        self._here = node.start_byte
        return evaluate(node, _LANGUAGE, self, self._leaf)

    def _leaf(self, node: Node, inner: Callable[[Node], Constant | None]) -> Constant | None:
        """`time.Second`, and conversions."""
        if node.type == "selector_expression":
            size = self._units.get(node.text or b"")
            return None if size is None else Constant(amount=size, type="duration")
        if node.type != "call_expression":
            return None
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        to = None if function is None else self.conversions.get(function.text or b"")
        parts = [] if to is None or arguments is None else children_of(arguments)
        value = inner(parts[0]) if len(parts) == 1 else None
        if to is None or value is None or (to != "float" and value.amount.denominator != 1):
            return None
        return replace(value, type=to)

    def _typed(self, constant: Constant, spec: Node) -> Constant:
        """With the type that its declaration tells."""
        kind = spec.child_by_field_name("type")
        if kind is None or kind.text != self._prefix + b"Duration" or constant.amount.denominator != 1:
            return constant
        return replace(constant, type="duration")

    # Named constants.

    def _named(self) -> dict[bytes, _Defined]:
        """The constants; adds to the matches the names and calls that may be worth something."""
        kinds, data, later = tuple(VALUES), self._data, []
        telling = sorted(
            match.start() for pattern in (self._bare_unit(), _CONVERSION) for match in pattern.finditer(data)
        )
        telling.append(len(data))
        at = 0
        for node in self.root.named_children:
            start, end = node.start_byte, node.end_byte
            while telling[at] < start:
                at += 1
            if telling[at] < end or node.type == "const_declaration":
                collect(query(_SECOND), node, self._matches, kinds)
            elif node.type in ("function_declaration", "method_declaration", "var_declaration"):
                later.append((node, start, end))
        constants = self._defined()
        if constants:
            for node, start, end in later:
                if not constants.keys().isdisjoint(_WORD.findall(data, start, end)):
                    collect(query(_SECOND), node, self._matches, kinds)
        return constants

    def _bare_unit(self) -> re.Pattern[bytes]:
        """A unit or a conversion to a duration; a unit beside an operator is part of something that is looked at anyway."""
        prefix = re.escape(self._prefix)
        units = "|".join(_UNITS).encode()
        return re.compile(
            rb"%b(?:Duration\(|(?<![*+-]%b)(?<![*+-] %b)(?:%b)\b(?! ?[*/+-]))" % (prefix, prefix, prefix, units)
        )

    def _defined(self) -> dict[bytes, _Defined]:
        constants = {}
        for match in self._matches["constant"]:
            spec, value = match["spec"][0], match["value"][0]
            name = None if value.type in TEXTS else self.name_in(spec, match["list"][0], value)
            if name is not None:
                constants[name.encode()] = _Defined(spec, value, self._function(spec.start_byte))
        return constants

    def _function(self, offset: int) -> int | None:
        at = bisect_right(self._starts, offset) - 1
        return self._starts[at] if at >= 0 and offset < self._functions[at][1] else None

    def get(self, name: bytes, /) -> Constant | None:
        """What a name is worth: a constant that is defined once, under a name that nothing else in the file has.

        One of a function is worth nothing outside it: the name may be that of another file's constant there.
        """
        defined = self._constants.get(name)
        if defined is None or (defined.function is not None and defined.function != self._function(self._here)):
            return None
        if name not in self._worth:
            if self._declared is None:
                self._declared = names_in(query(_DECLARED), self.root)
            constant = None
            if self._declared[name] == 1:
                constant = evaluate(defined.value, _LANGUAGE, NO_NAMES, self._leaf)
            self._worth[name] = None if constant is None else self._typed(constant, defined.spec)
        return self._worth[name]

    def _locked(self, constant: Constant) -> str | None:
        if constant.through is None or constant.coefficient is not None:
            return None
        line = self._constants[constant.through.encode()].value.start_point.row + 1
        return defined_at(constant.through, self._file, line)

    def name_in(self, spec: Node, values: Node, value: Node) -> str | None:
        """The name to which a declaration gives that value; None for `_` and where there are less names than values."""
        names = [node for node in spec.children_by_field_name("name") if node.is_named]
        position = self.positions(values, value)
        name = text_of(names[position]) if position < len(names) else "_"
        return None if name == "_" else name


def _alias(imports: list[Match]) -> str | None:
    """What the file calls the package `time`."""
    for match in imports:
        name = match["import"][0].child_by_field_name("name")
        alias = "time" if name is None else text_of(name)
        if alias not in ("_", "."):
            return alias
    return None


# Strings.

_WRITTEN: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}


def encode(setting: Setting, text: str) -> str:
    """A string in the quotes of the one that it replaces.

    Raises:
        OutlastError: a raw string cannot hold it, or it is no text.
    """
    quote = setting.content.quote if isinstance(setting.content, Literal) else ""
    refuse_halves(text)
    if quote == "`":
        if any(c in text for c in "`\r\0\ufeff"):
            raise OutlastError("expected a text that can stand as it is between two `")
        return f"`{text}`"
    if quote != '"':
        raise OutlastError("expected a string to be replaced, found something else")
    return f'"{"".join(_written(c) for c in text)}"'


def _written(character: str) -> str:
    if character in _WRITTEN:
        return _WRITTEN[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
