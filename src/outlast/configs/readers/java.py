"""Java: fields, variables, arguments and annotations; `Duration.ofSeconds(30)` is worked out, with the 30 as what may be changed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from outlast.configs.readers.arithmetic import NO_NAMES, Constant, Language, computed, evaluate, number
from outlast.configs.readers.texts import defined_at, refuse_halves
from outlast.configs.readers.trees import (
    Found,
    Frame,
    Match,
    Matches,
    Positions,
    children_of,
    collect,
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

__all__ = ["encode", "read"]

#: What encloses settings, and what is told about names.
_FRAMES: Final = {
    "import": "(import_declaration) @import",
    "type": """([(class_declaration name: (_) @name) (interface_declaration name: (_) @name) (enum_declaration name: (_) @name)
        (record_declaration name: (_) @name) (annotation_type_declaration name: (_) @name)] @frame)""",
    "method": """([(method_declaration name: (_) @name) (constructor_declaration name: (_) @name)
        (compact_constructor_declaration name: (_) @name)] @frame)""",
    "annotated": """[(field_declaration (modifiers [(annotation) (marker_annotation)]) @frame declarator: (variable_declarator name: (_) @name))
        (formal_parameter (modifiers [(annotation) (marker_annotation)]) @frame name: (_) @name)]""",
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
_TYPES: Final = {b"int": "int", b"long": "long", b"double": "float", b"float": "float"}

_DAY: Final = 86400 * 10**9
_UNITS: Final = {
    "DAYS": _DAY,
    "HOURS": _DAY // 24,
    "MINUTES": 60 * 10**9,
    "SECONDS": 10**9,
    "MILLISECONDS": 10**6,
    "MICROSECONDS": 10**3,
    "NANOSECONDS": 1,
}
_CHRONO_UNITS: Final = {
    **{name: size for name, size in _UNITS.items() if size >= 10**9},
    "HALF_DAYS": _DAY // 2,
    "MILLIS": 10**6,
    "MICROS": 10**3,
    "NANOS": 1,
}
_FACTORIES: Final = {
    "ofDays": _DAY,
    "ofHours": _DAY // 24,
    "ofMinutes": 60 * 10**9,
    "ofSeconds": 10**9,
    "ofMillis": 10**6,
    "ofNanos": 1,
}
#: Methods of units and of durations that give a number, with the size of what is counted.
_COUNTS: Final = {
    "toDays": _DAY,
    "toHours": _DAY // 24,
    "toMinutes": 60 * 10**9,
    "toSeconds": 10**9,
    "getSeconds": 10**9,
    "toMillis": 10**6,
    "toMicros": 10**3,
    "toNanos": 1,
}
_SPECIAL: Final = frozenset(name.encode() for name in (*_FACTORIES, *_COUNTS, "of", "parse"))

#: A chain of more names, as in a.b.c, is not followed.
_LONGEST_CHAIN: Final = 8
_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]*")


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a Java file; raises `OutlastError` with a place where it is not Java."""
    root = parse(_parser(), data, file, "Java")
    matches: Matches = {kind: [] for kind in _KINDS}
    collect(_query(_FIRST), root, matches, _KINDS)
    return placed(_frames(matches), _Reading(root, matches, data, file).found(), data)


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


def _frames(matches: Matches) -> list[Frame]:
    frames = []
    for rank, kind in enumerate(("type", "method", "annotated")):
        last = -1
        for match in matches[kind]:
            node = match["frame"][0]
            if node.start_byte != last:  # of `@A int x, y` the first
                segment: Segment = (text_of(match["name"][0]),)
                frames.append(Frame(node.start_byte, node.end_byte, (segment,), rank))
            last = node.start_byte
    return frames


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


class _Imports:
    """What the file calls `Duration` and the units of time."""

    def __init__(self, imports: list[Match]) -> None:
        names = [re.sub(r"import|;|\s", " ", text_of(match["import"][0])).split() for match in imports]
        plain = {"".join(words) for words in names if words[:1] != ["static"]}
        static = {"".join(words[1:]) for words in names if words[:1] == ["static"]}
        #: Methods of Duration by how they are called.
        self.durations: dict[bytes, str] = {}
        self.units: dict[bytes, int] = {}
        self.chrono_units: dict[bytes, int] = {}
        #: What stands before a method of Duration, in the order of preference.
        self.zeros: set[bytes] = set()
        methods = (*_FACTORIES, "of", "parse")
        for prefix in _prefixes("java.time", "Duration", plain):
            self.durations.update({f"{prefix}.{name}".encode(): name for name in methods})
            self.zeros.add(f"{prefix}.ZERO".encode())
        for name in methods:
            if not static.isdisjoint((f"java.time.Duration.{name}", "java.time.Duration.*")):
                self.durations[name.encode()] = name
        for package, kind, sizes, into in (
            ("java.util.concurrent", "TimeUnit", _UNITS, self.units),
            ("java.time.temporal", "ChronoUnit", _CHRONO_UNITS, self.chrono_units),
        ):
            for prefix in _prefixes(package, kind, plain):
                into.update({f"{prefix}.{name}".encode(): size for name, size in sizes.items()})
            for name, size in sizes.items():
                if not static.isdisjoint((f"{package}.{kind}.{name}", f"{package}.{kind}.*")):
                    into[name.encode()] = size

    def spellings(self, called: bytes) -> dict[int, str]:
        """How durations may be written where one is made by a call of that."""
        prefix = called[: called.rfind(b".") + 1]
        return {
            size: f"{prefix.decode()}{name}({{}})"
            for name, size in _FACTORIES.items()
            if prefix + name.encode() in self.durations and name != "ofDays"
        }


def _prefixes(package: str, kind: str, imports: set[str]) -> list[str]:
    qualified = f"{package}.{kind}"
    return [qualified] if imports.isdisjoint((qualified, f"{package}.*")) else [kind, qualified]


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
        self._imports = _Imports(matches["import"])
        self._methods: list[tuple[int, int]] = []  # without those of classes inside them
        for start, end in sorted((m["frame"][0].start_byte, m["frame"][0].end_byte) for m in matches["method"]):
            if not self._methods or start >= self._methods[-1][1]:
                self._methods.append((start, end))
        self._starts = [start for start, _ in self._methods]
        self._constants = self._defined()
        self._declared: Counter[bytes | None] | None = None
        self._worth: dict[bytes, Constant | None] = {}
        self._here = 0  # where the expression begins that is worked out
        self._units_of: dict[int, tuple[tuple[int | None, ...], int]] = {}
        self._look_at_names()

    def _look_at_names(self) -> None:
        """Add to the matches the names and calls that may be worth something."""
        telling = self._constants.keys() | {b"Duration", b"TimeUnit"} | self._imports.durations.keys()
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
                if chain := _chain(match["target"][0]):
                    yield from self._setting(match["value"][0], chain[-1:], chain[:-1])
        for match in self._matches["annotation"]:
            yield from self._annotated(match["value"][0], (text_of(match["name"][0]),), None)
        for match in self._matches["pair"]:
            names = text_of(match["name"][0]), text_of(match["key"][0])
            yield from self._annotated(match["value"][0], names, self._unit_in(match["list"][0]))
        for match in self._matches["argument"]:
            yield from self._argument(match["call"][0], match["name"][0], match["list"][0], match["value"][0])
        for kind in ("created", "enumerated", "constructed"):
            for match in self._matches[kind]:
                name = text_of(match["name"][0]).partition("<")[0].rpartition(".")[2].strip()
                yield from self._passed(match["value"][0], match["list"][0], name, ())

    def _argument(self, call: Node, name: Node, arguments: Node, value: Node) -> Iterator[Found]:
        if (name.text or b"") in _SPECIAL and self._is_special(call):
            # A new value may be written by another method of Duration: none of them is its name.
            is_made = self._called(call) in self._imports.durations
            yield from self._setting(call, ("Duration" if is_made else text_of(name),), (), rank=1)
            return
        receiver = call.child_by_field_name("object")
        unit = None
        if receiver is not None and name.text == b"sleep":
            unit = self._imports.units.get(receiver.text or b"")
        yield from self._passed(value, arguments, text_of(name), _chain(receiver), unit)

    def _passed(
        self, value: Node, arguments: Node, name: str, before: tuple[str, ...], unit: int | None = None
    ) -> Iterator[Found]:
        position, alone = 0, arguments.named_child_count == 1
        if not alone:
            position = self._positions(arguments, value)
            units, others = self._units(arguments)
            alone = others == 1
            behind = units[position + 1 : position + (3 if name.startswith("schedule") else 2)]
            unit = unit or next((size for size in behind if size is not None), None)
        yield from self._setting(value, (name,) if alone else (name, position), before, unit)

    def _annotated(self, value: Node, names: tuple[str, ...], unit: int | None) -> Iterator[Found]:
        for found in self._setting(value, names, (), unit):
            text = found.content.text if isinstance(found.content, Literal) else ""
            if "${" in text or "#{" in text:
                yield found._replace(content=Opaque("a placeholder, ${…}" if "${" in text else "an expression, #{…}"))
            else:
                yield found

    def _units(self, arguments: Node) -> tuple[tuple[int | None, ...], int]:
        """For each argument the size of the unit that it is, and how many are none."""
        known = self._units_of.get(arguments.id)
        if known is None:
            units = self._imports.units
            sizes = tuple(units.get(node.text or b"") if units else None for node in children_of(arguments))
            known = self._units_of[arguments.id] = sizes, sizes.count(None)
        return known

    def _unit_in(self, arguments: Node) -> int | None:
        """The unit among the named arguments of an annotation: `@Timeout(value = 5, unit = SECONDS)`."""
        pairs = [
            pair.child_by_field_name("value") for pair in children_of(arguments) if pair.type == "element_value_pair"
        ]
        sizes = [self._imports.units.get(value.text or b"") for value in pairs if value is not None]
        return next((size for size in sizes if size is not None), None)

    def _setting(
        self,
        value: Node,
        route: tuple[str | int, ...],
        before: tuple[str, ...],
        unit: int | None = None,
        rank: int = 0,
    ) -> Iterator[Found]:
        kind = value.type
        if kind == "method_invocation":
            if (text := self._parsed(value)) is not None:
                yield Found(text.start_byte, text.end_byte, route, _string(text), before, "spring", rank=rank)
                return
            if not self._is_special(value):
                return
        read = self._content(value, unit)
        if read is None and kind == "method_invocation" and self._called(value) in self._imports.durations:
            read = Opaque("an expression"), None
        if read is not None:
            yield Found(value.start_byte, value.end_byte, route, read[0], before, locked=read[1], rank=rank)

    def _content(self, node: Node, unit: int | None) -> tuple[Content, str | None] | None:
        """What a value says, and why it must not be changed; None if it is left out."""
        kind = node.type
        if kind == "string_literal":
            return _string(node), None
        if kind in _LANGUAGE.literals and unit is None:
            alone = number(node, _LANGUAGE)
            return None if alone is None else (alone, None)
        name = node.text or b""
        if kind == "identifier" and name not in self._constants:
            return None
        if kind == "field_access" and name not in self._imports.zeros:
            return None
        self._here = node.start_byte
        constant = evaluate(node, _LANGUAGE, self, self._leaf)
        if constant is None:
            return (Opaque(f"a name, {text_of(node)}"), None) if kind == "identifier" else None
        return self._computed(node, constant, unit), self._locked(constant)

    def _computed(self, node: Node, constant: Constant, unit: int | None) -> Computed:
        if constant.type != "duration":
            return computed(constant, unit=unit, spellings=None if unit is None else {unit: "{}"})
        called = self._called(node) if node.type == "method_invocation" else node.text or b""
        size = _FACTORIES.get(self._imports.durations.get(called, ""), 1)
        in_units = replace(constant, amount=constant.amount / size)
        return computed(in_units, unit=size, spellings=self._imports.spellings(called), is_whole=True)

    # Calls that are worked out.

    def _called(self, call: Node) -> bytes:
        arguments = call.child_by_field_name("arguments")
        return b"" if arguments is None else self._data[call.start_byte : arguments.start_byte].strip()

    def _is_special(self, call: Node) -> bool:
        """Whether a call makes a duration, or counts one."""
        name = call.child_by_field_name("name")
        if name is None or (text := name.text or b"") not in _SPECIAL:
            return False
        if self._called(call) in self._imports.durations:
            return True
        receiver = call.child_by_field_name("object")
        if text.decode() not in _COUNTS or receiver is None:
            return False
        return (receiver.text or b"") in self._imports.units or (
            receiver.type == "method_invocation" and self._called(receiver) in self._imports.durations
        )

    def _parsed(self, call: Node) -> Node | None:
        """The string of `Duration.parse("PT20S")`."""
        if self._imports.durations.get(self._called(call)) != "parse":
            return None
        arguments = call.child_by_field_name("arguments")
        members = [] if arguments is None else children_of(arguments)
        return members[0] if len(members) == 1 and members[0].type == "string_literal" else None

    def _leaf(self, node: Node, inner: Callable[[Node], Constant | None]) -> Constant | None:
        if node.type == "field_access":
            return Constant(amount=Fraction(0), type="duration") if node.text in self._imports.zeros else None
        if node.type == "cast_expression":
            to, value = node.child_by_field_name("type"), node.child_by_field_name("value")
            constant = None if value is None else inner(value)
            return None if to is None or constant is None else _cast(constant, to.text or b"")
        if node.type != "method_invocation":
            return None
        name, receiver = node.child_by_field_name("name"), node.child_by_field_name("object")
        arguments = node.child_by_field_name("arguments")
        if name is None or arguments is None:
            return None
        members, method = children_of(arguments), text_of(name)
        made = self._imports.durations.get(self._called(node))
        if made is not None:
            return self._made(made, members, inner)
        if method not in _COUNTS or receiver is None:
            return None
        size = self._imports.units.get(receiver.text or b"")
        if size is not None:
            return _counted(inner(members[0]), size, _COUNTS[method]) if len(members) == 1 else None
        duration = None if members else inner(receiver)
        return _counted(duration, 1, _COUNTS[method]) if duration is not None and duration.type == "duration" else None

    def _made(self, method: str, members: list[Node], inner: Callable[[Node], Constant | None]) -> Constant | None:
        size = _FACTORIES.get(method)
        if method == "of" and len(members) == 2:
            size = self._imports.chrono_units.get(members[1].text or b"")
            members = members[:1]
        value = inner(members[0]) if size is not None and len(members) == 1 else None
        if size is None or value is None or value.type not in ("int", "long"):
            return None
        return replace(value, amount=value.amount * size, type="duration")

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
            self._worth[name] = constant if constant is None or type_ not in _TYPES else _cast(constant, type_)
        return self._worth[name]

    def _locked(self, constant: Constant) -> str | None:
        if constant.through is None or constant.coefficient is not None:
            return None
        line = self._constants[constant.through.encode()].value.start_point.row + 1
        return defined_at(constant.through, self._file, line)


def _cast(constant: Constant, to: bytes) -> Constant | None:
    kind = _TYPES.get(to)
    if kind is None or constant.type == "duration":
        return None
    if kind in _LANGUAGE.integers:
        bits = _LANGUAGE.integers[kind] or 64
        if constant.amount.denominator != 1 or not -(1 << (bits - 1)) <= constant.amount < 1 << (bits - 1):
            return None
    return replace(constant, type=kind)


def _counted(constant: Constant | None, size: int, of: int) -> Constant | None:
    """So many of one size, counted in another; rounds towards zero, and is then in no proportion."""
    if constant is None or constant.amount.denominator != 1:
        return None
    amount = constant.amount * size / of
    if amount.denominator != 1:
        return Constant(amount=Fraction(int(amount)), type="long", through=constant.through)
    coefficient = constant.coefficient
    if coefficient is not None and constant.amount * size / coefficient.value % of:
        coefficient = None
    return replace(constant, amount=amount, type="long", coefficient=coefficient)


# Strings.

_ESCAPE: Final = re.compile(r"\\(?:u+([0-9a-fA-F]{4})|([0-3][0-7]{2}|[0-7]{1,2})|(.))", re.S)
_ESCAPED: Final = dict(zip("btnfrs\"'\\", "\b\t\n\f\r \"'\\", strict=True))
_WRITTEN: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _string(node: Node) -> Content:
    raw = text_of(node)
    if raw.startswith('"""'):
        return Opaque("a text block")
    inside = raw[1:-1]
    if "\\" not in inside:
        return Literal(text=inside, quote='"', is_text=True)
    try:
        text = _ESCAPE.sub(_unescaped, inside).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except ValueError:
        return Opaque("a string with an escape that is not read")
    return Literal(text=text, quote='"', is_text=True)


def _unescaped(match: re.Match[str]) -> str:
    code, octal, letter = match.groups()
    if letter is not None:
        if letter not in _ESCAPED:
            raise ValueError(letter)
        return _ESCAPED[letter]
    if octal is not None:
        return chr(int(octal, 8))
    character = chr(int(code, 16))
    if character in '"\\\n\r':  # read as if it stood there
        raise ValueError(code)
    return character


def encode(setting: Setting, text: str) -> str:
    """A string literal; raises `OutlastError` if it is no text, would be a placeholder in an annotation, or no string stands there."""
    if not isinstance(setting.content, Literal):
        raise OutlastError("expected a string to be replaced, found something else")
    refuse_halves(text)
    if "${" in text or "#{" in text:
        raise OutlastError("expected a text that is read as it stands, found a placeholder")
    return f'"{"".join(_written(c) for c in text)}"'


def _written(character: str) -> str:
    if character in _WRITTEN:
        return _WRITTEN[character]
    if character.isprintable():
        return character
    if character < "\x80":
        return f"\\{ord(character):03o}"
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
