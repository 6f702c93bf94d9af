"""Java: fields, variables, arguments and annotations; `Duration.ofSeconds(30)` is worked out, with the 30 as what may be changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Set
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from outlast.configs.readers.arithmetic import (
    NO_NAMES,
    Constant,
    Language,
    TooLarge,
    computed,
    evaluate,
    number,
    overflowed,
)
from outlast.configs.readers.found import names_of
from outlast.configs.readers.java_texts import content_of, written
from outlast.configs.readers.java_times import TELLING, Times
from outlast.configs.readers.texts import defined_at
from outlast.configs.readers.trees import (
    Found,
    Frame,
    Match,
    Matches,
    Positions,
    children_of,
    collect,
    missed,
    names_in,
    parse,
    placed,
    text_of,
)
from outlast.configs.setting import Computed, Content, Literal, Opaque, Segment, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.record import replace

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

__all__ = ["encode", "read", "unread"]

#: Values that may hold others.
_FILLED: Final = """[(method_invocation) (object_creation_expression) (lambda_expression) (ternary_expression) (switch_expression)
    (array_initializer) (array_creation_expression) (cast_expression) (parenthesized_expression) (binary_expression)] @frame"""
#: What encloses settings, and what is told about names.
_FRAMES: Final = {
    "import": "(import_declaration) @import",
    "type": """([(class_declaration name: (_) @name) (interface_declaration name: (_) @name) (enum_declaration name: (_) @name)
        (record_declaration name: (_) @name) (annotation_type_declaration name: (_) @name)] @frame)""",
    "method": """([(method_declaration name: (_) @name) (constructor_declaration name: (_) @name)
        (compact_constructor_declaration name: (_) @name)] @frame)""",
    "annotated": """[(field_declaration (modifiers [(annotation) (marker_annotation)]) @frame declarator: (variable_declarator name: (_) @name))
        (formal_parameter (modifiers [(annotation) (marker_annotation)]) @frame name: (_) @name)]""",
    "filled": """[(variable_declarator name: (identifier) @target value: FILLED) (resource name: (identifier) @target value: FILLED)
        (assignment_expression left: [(identifier) (field_access)] @target operator: "=" right: FILLED)]""".replace(
        "FILLED", _FILLED
    ),
    "annotation with names": "(annotation name: (_) @name arguments: (annotation_argument_list . (element_value_pair))) @frame",
    "final": """[(field_declaration (modifiers) @modifiers type: (_) @type declarator: (variable_declarator name: (_) @name value: (_) @value))
        (local_variable_declaration (modifiers) @modifiers type: (_) @type declarator: (variable_declarator name: (_) @name value: (_) @value))
        (constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @name value: (_) @value))]""",
    "unit": """([(method_declaration) (constructor_declaration) (compact_constructor_declaration) (field_declaration) (constant_declaration)
        (static_initializer) (enum_constant) (modifiers)] @unit)""",
}
#: Where values stand.
_VALUES: Final = {
    "variable": "(variable_declarator name: (identifier) @target value: VALUE)",
    "assigned": '(assignment_expression left: [(identifier) (field_access)] @target operator: "=" right: VALUE)',
    "annotation": "(annotation name: (_) @name arguments: (annotation_argument_list VALUE))",
    "pair": """(annotation name: (_) @name
        arguments: (annotation_argument_list (element_value_pair key: (identifier) @key value: VALUE)) @list)""",
    "argument": "(method_invocation name: (identifier) @name arguments: (argument_list VALUE) @list) @call",
    "created": "(object_creation_expression type: (_) @name arguments: (argument_list VALUE) @list)",
    "enumerated": "(enum_constant name: (identifier) @name arguments: (argument_list VALUE) @list)",
    "constructed": "(explicit_constructor_invocation constructor: (_) @name arguments: (argument_list VALUE) @list)",
}
#: Nearly all names and calls say nothing here, and they are most of a file: they are looked at only where some might.
_PLAIN: Final = """[(decimal_integer_literal) (hex_integer_literal) (octal_integer_literal) (binary_integer_literal)
    (decimal_floating_point_literal) (string_literal) (binary_expression) (unary_expression) (parenthesized_expression)
    (cast_expression)] @value"""
_NAMED: Final = "[(identifier) (field_access) (method_invocation)] @value"
_KINDS: Final = (*_FRAMES, *_VALUES)
_FIRST: Final = "\n".join((*_FRAMES.values(), *(pattern.replace("VALUE", _PLAIN) for pattern in _VALUES.values())))
_SECOND: Final = "\n".join(pattern.replace("VALUE", _NAMED) for pattern in _VALUES.values())
#: Values of any sort, changed ones included.
_ANY_VALUES: Final = {
    kind: pattern.replace(' operator: "="', "").replace("VALUE", "(_) @value") for kind, pattern in _VALUES.items()
}
_ANY: Final = "\n".join(_ANY_VALUES.values())
#: What is no value of its own.
_HOLDING: Final = frozenset(
    ("array_initializer", "element_value_array_initializer", "element_value_pair", "line_comment", "block_comment")
)
_REASONS: Final = {
    "method_invocation": "a call",
    "object_creation_expression": "a call",
    "lambda_expression": "a function",
    "method_reference": "a function",
    "identifier": "a name",
    "field_access": "a name",
}

#: Wherever a name may get another meaning than that of a constant.
_DECLARED: Final = """[
  (variable_declarator name: (identifier) @name) (formal_parameter name: (identifier) @name) (catch_formal_parameter name: (identifier) @name)
  (resource name: (identifier) @name) (enhanced_for_statement name: (identifier) @name) (inferred_parameters (identifier) @name)
  (lambda_expression parameters: (identifier) @name) (enum_constant name: (identifier) @name) (type_pattern (identifier) @name)
  (record_pattern_component (identifier) @name) (instanceof_expression name: (identifier) @name)]"""

_LANGUAGE: Final = Language(
    promotion=("int", "long", "float", "duration"),
    integers={"int": 32, "long": 64},
    decimal="float",
    whole="int",
    suffixes={"l": "long", "f": "float", "d": "float"},
    literals=frozenset(
        {
            "decimal_integer_literal",
            "hex_integer_literal",
            "octal_integer_literal",
            "binary_integer_literal",
            "decimal_floating_point_literal",
        }
    ),
)
_ARTICLES: Final = {"int": "an", "long": "a"}
_TYPES: Final = {b"int": "int", b"long": "long", b"double": "float", b"float": "float"}

#: A chain of more names, as in a.b.c, is not followed.
_LONGEST_CHAIN: Final = 8
_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]*")


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a Java file; raises `OutlastError` with a place where it is not Java."""
    root = parse(_parser(), data, file, "Java")
    matches: Matches = {kind: [] for kind in _KINDS}
    collect(_query(_FIRST), root, matches, _KINDS)
    reading = _Reading(root, matches, data, file)
    found = list(reading.found())
    return placed(_frames(matches, reading.settled), found, data)


def unread(data: bytes, file: str) -> tuple[Setting, ...]:
    """What such a file sets without a value that is read; raises as `read`."""
    root = parse(_parser(), data, file, "Java")
    matches: Matches = {kind: [] for kind in _KINDS}
    collect(_query(_FIRST), root, matches, _KINDS)
    reading = _Reading(root, matches, data, file)
    found = list(reading.found())
    frames = _frames(matches, reading.settled)
    listed = placed(frames, found, data)
    for kind in _VALUES:
        matches[kind] = []
    collect(_query(_ANY), root, matches, tuple(_ANY_VALUES))
    return missed(frames, reading.missed(), data, listed)


@cache
def _parser() -> Parser:
    import tree_sitter_java
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_java.language()))


@cache
def _query(text: str) -> Query:
    import tree_sitter_java
    from tree_sitter import Language, Query

    return Query(Language(tree_sitter_java.language()), text)


def _frames(matches: Matches, settled: Set[int]) -> list[Frame]:
    """What encloses settings; what is assigned does unless a part of it is what it says: then its first byte is in `settled`."""
    frames = []
    for rank, kind in enumerate(("type", "method", "annotated")):
        last = -1
        for match in matches[kind]:
            node = match["frame"][0]
            if node.start_byte != last:  # of `@A int x, y` the first
                segment: Segment = (text_of(match["name"][0]),)
                frames.append(Frame(node.start_byte, node.end_byte, (segment,), rank))
            last = node.start_byte
    for match in matches["annotation with names"]:
        node = match["frame"][0]
        frames.append(Frame(node.start_byte, node.end_byte, (names_of(text_of(match["name"][0])),), 3))
    for match in matches["filled"]:
        node = match["frame"][0]
        if node.start_byte not in settled and (chain := _chain(match["target"][0])):
            frames.append(Frame(node.start_byte, node.end_byte, _segments(chain), 4))
    return frames


def _segments(chain: tuple[str, ...]) -> tuple[Segment, ...]:
    return tuple((name,) for name in chain)


def _chain(node: Node | None) -> tuple[str, ...]:
    """The names of `a.b.c`, without a `this`; none if it is anything else."""
    names: list[str] = []
    while node is not None and len(names) < _LONGEST_CHAIN:
        if node.type == "identifier":
            return (text_of(node), *reversed(names))
        if node.type in ("this", "super"):
            return tuple(reversed(names))
        if node.type != "field_access":
            return ()
        field = node.child_by_field_name("field")
        names.append("" if field is None else text_of(field))
        node = node.child_by_field_name("object")
    return ()


class _Final(NamedTuple):
    """A constant of the file, and the first byte of the method around it (None: a class)."""

    value: Node
    type: Node
    method: int | None


class _Reading:
    """The values of one file."""

    def __init__(self, root: Node, matches: Matches, data: bytes, file: str) -> None:
        self._root, self._matches, self._data, self._file = root, matches, data, file
        self._positions = Positions()
        self._times = Times([match["import"][0] for match in matches["import"]], data)
        #: Where assigned values begin of which a part is their setting.
        self.settled: set[int] = set()
        #: What the calls of a chain belong to, by where it begins.
        self._owners: dict[int, tuple[Segment, ...]] = {}
        self._methods: list[tuple[int, int]] = []  # without those of classes inside them
        for start, end in sorted((m["frame"][0].start_byte, m["frame"][0].end_byte) for m in matches["method"]):
            if not self._methods or start >= self._methods[-1][1]:
                self._methods.append((start, end))
        self._starts = [start for start, _ in self._methods]
        self._constants = self._defined()
        self._declared: Counter[bytes | None] | None = None
        self._worth: dict[bytes, Constant | None] = {}
        self._here = 0  # where the expression begins that is worked out
        self._units_of: dict[int, tuple[int | None, ...]] = {}
        self._look_at_names()

    def _look_at_names(self) -> None:
        """Add to the matches the names and calls that may be worth something."""
        telling = self._constants.keys() | TELLING
        kinds, end = tuple(_VALUES), -1
        for node in sorted((match["unit"][0] for match in self._matches["unit"]), key=lambda node: node.start_byte):
            if node.start_byte < end:
                continue  # in one that was looked at
            words = _WORD.findall(self._data, node.start_byte, node.end_byte)
            if not telling.isdisjoint(words):
                end = node.end_byte
                collect(_query(_SECOND), node, self._matches, kinds)

    def found(self) -> Iterator[Found]:
        """All of them, in any order."""
        for kind in ("variable", "assigned"):
            for match in self._matches[kind]:
                value, chain = match["value"][0], _chain(match["target"][0])
                if chain:
                    for found in self._setting(value, chain[-1:], _segments(chain[:-1])):
                        if found.start != value.start_byte:
                            self.settled.add(value.start_byte)
                        yield found
        for match in self._matches["annotation"]:
            yield from self._annotated(match["value"][0], text_of(match["name"][0]).rpartition(".")[2], None)
        for match in self._matches["pair"]:
            key = text_of(match["key"][0])
            yield from self._annotated(match["value"][0], key, self._unit_of(key, match["list"][0]))
        for match in self._matches["argument"]:
            yield from self._argument(match["call"][0], match["name"][0], match["list"][0], match["value"][0])
        for kind in ("created", "enumerated", "constructed"):
            for match in self._matches[kind]:
                name = text_of(match["name"][0]).partition("<")[0].rpartition(".")[2].strip()
                yield from self._passed(match["value"][0], match["list"][0], name, ())

    def missed(self) -> Iterator[Found]:
        """Where something gets a value of any sort, those that are read included."""
        for kind in _VALUES:
            for match in self._matches[kind]:
                value = match["value"][0]
                if value.type not in _HOLDING and value.start_byte not in self.settled:
                    yield from self._missed(kind, match, value)

    def _missed(self, kind: str, match: Match, value: Node) -> Iterator[Found]:
        before: tuple[Segment, ...] = ()
        if kind in ("variable", "assigned"):
            chain = _chain(match["target"][0])
            if not chain:
                return
            route: tuple[str | int, ...] = chain[-1:]
            before = _segments(chain[:-1])
        elif kind == "annotation":
            route = (text_of(match["name"][0]).rpartition(".")[2],)
        elif kind == "pair":
            route = (text_of(match["key"][0]),)
        else:
            name = text_of(match["name"][0]).partition("<")[0].rpartition(".")[2].strip()
            route = name, self._positions(match["list"][0], value)
            before = self._owner(match["call"][0]) if kind == "argument" else ()
        reason = _REASONS.get(value.type, "an expression")
        yield Found(value.start_byte, value.end_byte, route, Opaque(reason), before)

    def _argument(self, call: Node, name: Node, arguments: Node, value: Node) -> Iterator[Found]:
        if self._times.is_time(call):
            yield from self._setting(call, (self._times.name(call),), (), rank=1)
            return
        unit = self._times.unit(call.child_by_field_name("object")) if name.text == b"sleep" else None
        yield from self._passed(value, arguments, text_of(name), self._owner(call), unit)

    def _owner(self, call: Node) -> tuple[Segment, ...]:
        """What the calls of a chain belong to: a variable, a type, what makes the first of it; none for a call of its own."""
        receiver = call.child_by_field_name("object")
        if receiver is None:
            return ()
        owner = self._owners.get(call.start_byte)
        if owner is None:
            while receiver.type == "method_invocation":
                before = receiver.child_by_field_name("object")
                if before is None:
                    break
                receiver = before
            if receiver.type == "object_creation_expression":
                kind = receiver.child_by_field_name("type")
                owner = () if kind is None else (names_of("".join(text_of(kind).partition("<")[0].split())),)
            elif receiver.type == "method_invocation":
                name = receiver.child_by_field_name("name")
                owner = () if name is None else ((text_of(name),),)
            else:
                owner = _segments(_chain(receiver))
            self._owners[call.start_byte] = owner
        return owner

    def _passed(
        self, value: Node, arguments: Node, name: str, before: tuple[Segment, ...], unit: int | None = None
    ) -> Iterator[Found]:
        position = self._positions(arguments, value)
        if unit is None and arguments.named_child_count > 1:
            behind = self._units(arguments)[position + 1 : position + (3 if name.startswith("schedule") else 2)]
            unit = next((size for size in behind if size is not None), None)
        yield from self._setting(value, (name, position), before, unit)

    def _annotated(self, value: Node, name: str, unit: int | None) -> Iterator[Found]:
        for found in self._setting(value, (name,), (), unit):
            text = found.content.text if isinstance(found.content, Literal) else ""
            if "${" in text or "#{" in text:
                yield found._replace(content=Opaque("a placeholder, ${…}" if "${" in text else "an expression, #{…}"))
            else:
                yield found

    def _units(self, arguments: Node) -> tuple[int | None, ...]:
        """For each argument the size of the unit that it is."""
        known = self._units_of.get(arguments.id)
        if known is None:
            known = self._units_of[arguments.id] = tuple(self._times.unit(node) for node in children_of(arguments))
        return known

    def _unit_of(self, key: str, arguments: Node) -> int | None:
        """What a named argument of an annotation counts: `@Timeout(value = 5, unit = SECONDS)`, `@Retry(delay = 5, delayUnit = SECONDS)`."""
        for pair in children_of(arguments):
            name, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if name is not None and (unit := self._times.unit(value)) is not None:
                of = text_of(name).lower().removesuffix("unit")
                if of in ("", "time") or key.lower().endswith(of):
                    return unit
        return None

    def _setting(
        self,
        value: Node,
        route: tuple[str | int, ...],
        before: tuple[Segment, ...],
        unit: int | None = None,
        rank: int = 0,
    ) -> Iterator[Found]:
        is_call = value.type == "method_invocation"
        if is_call:
            if not self._times.is_time(value):
                return
            if (text := self._times.parsed(value)) is not None:
                said = content_of(text_of(text))
                yield Found(text.start_byte, text.end_byte, route, said, before, "spring", rank=rank)
                return
        read = self._content(value, unit)
        if read is not None:
            content, locked = read
            covers = isinstance(content, Opaque)  # too large, though parts of it are not
            yield Found(
                value.start_byte, value.end_byte, route, content, before, locked=locked, rank=rank, covers=covers
            )
        elif is_call and self._times.is_opaque(value):
            covers = self._times.is_change(value)
            content = Opaque("an expression")
            yield Found(value.start_byte, value.end_byte, route, content, before, rank=rank, covers=covers)

    def _content(self, node: Node, unit: int | None) -> tuple[Content, str | None] | None:
        """What a value says, and why it must not be changed; None if it is left out."""
        kind = node.type
        if kind == "string_literal":
            return content_of(text_of(node)), None
        if kind in _LANGUAGE.literals and unit is None and (alone := number(node, _LANGUAGE)) is not None:
            return alone, None
        name = node.text or b""
        if kind == "identifier" and name not in self._constants:
            return None
        if kind == "field_access" and not self._times.is_zero(node):
            return None
        self._here = node.start_byte
        constant = evaluate(node, _LANGUAGE, self, self._leaf)
        if constant is not None:
            return self._computed(node, constant, unit), self._locked(constant)
        if kind == "identifier":
            return Opaque(f"a name, {text_of(node)}"), None
        too_large = overflowed(node, _LANGUAGE, self, self._leaf)
        if too_large is None:
            return None
        what = "a number" if kind in _LANGUAGE.literals else "an expression"
        return Opaque(f"{what} that does not fit {_ARTICLES[too_large]} {too_large}"), None

    def _computed(self, node: Node, constant: Constant, unit: int | None) -> Computed:
        if constant.type == "duration":
            size = self._times.size(node)
            in_units = replace(constant, amount=constant.amount / size)
            return computed(in_units, unit=size, spellings=self._times.duration_spellings(node), is_whole=True)
        if unit is None and constant.unit is not None:
            return computed(constant, unit=constant.unit, spellings=self._times.count_spellings(node), is_whole=True)
        bare = constant.unit is None  # the unit of what is passed counts, but what tells another must not be replaced
        return computed(constant, unit=unit, spellings=None if unit is None else {unit: "{}"} if bare else {})

    def _leaf(self, node: Node, inner: Callable[[Node], Constant | None]) -> Constant | None:
        if node.type == "field_access":
            return Constant(amount=Fraction(0), type="duration") if self._times.is_zero(node) else None
        if node.type == "cast_expression":
            to, value = node.child_by_field_name("type"), node.child_by_field_name("value")
            constant = None if value is None else inner(value)
            return None if to is None or constant is None else _cast(constant, to.text or b"")
        return self._times.worth(node, inner) if node.type == "method_invocation" else None

    # Named constants.

    def _defined(self) -> dict[bytes, _Final]:
        constants = {}
        for match in self._matches["final"]:
            modifiers = match.get("modifiers")
            if modifiers is None or b"final" in (modifiers[0].text or b"").split():
                value, name = match["value"][0], match["name"][0]
                if value.type != "string_literal":
                    constants[name.text or b""] = _Final(value, match["type"][0], self._method(value.start_byte))
        return constants

    def _method(self, offset: int) -> int | None:
        at = bisect_right(self._starts, offset) - 1
        return self._starts[at] if at >= 0 and offset < self._methods[at][1] else None

    def get(self, name: bytes, /) -> Constant | None:
        """What a name is worth: a constant that is defined once, under a name that nothing else in the file has."""
        defined = self._constants.get(name)
        if defined is None or (defined.method is not None and defined.method != self._method(self._here)):
            return None
        if name not in self._worth:
            if self._declared is None:
                self._declared = names_in(_query(_DECLARED), self._root)
            constant = None
            if self._declared[name] == 1:
                constant = evaluate(defined.value, _LANGUAGE, NO_NAMES, self._leaf)
            type_ = defined.type.text or b""
            self._worth[name] = constant if constant is None or type_ not in _TYPES else _typed(constant, type_)
        return self._worth[name]

    def _locked(self, constant: Constant) -> str | None:
        if constant.through is None or constant.coefficient is not None:
            return None
        line = self._constants[constant.through.encode()].value.start_point.row + 1
        return defined_at(constant.through, self._file, line)


def _typed(constant: Constant, to: bytes) -> Constant | None:
    """With the type that its declaration tells."""
    try:
        return _cast(constant, to)
    except TooLarge:
        return None


def _cast(constant: Constant, to: bytes) -> Constant | None:
    """As a number of another type; raises `TooLarge` if it does not fit that."""
    kind = _TYPES.get(to)
    if kind is None or constant.type == "duration":
        return None
    if kind not in _LANGUAGE.integers:
        return replace(constant, type=kind, unit=None)
    bits = _LANGUAGE.integers[kind] or 64
    if constant.amount.denominator != 1:
        return None
    if not -(1 << (bits - 1)) <= constant.amount < 1 << (bits - 1):
        raise TooLarge(kind)
    return replace(constant, type=kind)


def encode(setting: Setting, text: str) -> str:
    """A string literal; raises `OutlastError` if it is no text, would be a placeholder in an annotation, or no string stands there."""
    if not isinstance(setting.content, Literal):
        raise OutlastError("expected a string to be replaced, found something else")
    if "${" in text or "#{" in text:
        raise OutlastError("expected a text that is read as it stands, found a placeholder")
    return written(text)
