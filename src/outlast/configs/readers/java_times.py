"""Durations in Java: what makes one (`Duration.ofSeconds(30)`), what counts one (`TimeUnit.SECONDS.toMillis(30)`), and units as arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from outlast.configs.readers.arithmetic import Constant, TooLarge
from outlast.configs.readers.trees import children_of, text_of
from outlast.constraints.record import replace

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TELLING", "Times"]

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
#: Of java.time.Duration.
_FACTORIES: Final = {
    "ofDays": _DAY,
    "ofHours": _DAY // 24,
    "ofMinutes": 60 * 10**9,
    "ofSeconds": 10**9,
    "ofMillis": 10**6,
    "ofNanos": 1,
}
_METHODS: Final = (*_FACTORIES, "of", "parse")
_PLAIN: Final = {
    "days": _DAY,
    "hours": _DAY // 24,
    "minutes": 60 * 10**9,
    "seconds": 10**9,
    "millis": 10**6,
    "milliseconds": 10**6,
    "micros": 10**3,
    "microseconds": 10**3,
    "nanos": 1,
    "nanoseconds": 1,
}
#: Methods of any type that make a duration of one number: `Timeout.ofSeconds(2)`, `Time.seconds(2)`, `Duration.standardSeconds(2)`.
_MAKERS: Final = {
    **{f"of{name.capitalize()}": size for name, size in _PLAIN.items()},
    **{f"standard{name.capitalize()}": size for name, size in _PLAIN.items() if size >= 10**9},
    **_PLAIN,
}
#: Methods that make a duration of another, or of a number and a unit: `Timeout.of(2, TimeUnit.SECONDS)`.
_CONVERTERS: Final = frozenset({"of", "from", "valueOf"})
#: Methods of units and of durations that give a number, with the size of what is counted.
_COUNTS: Final = {
    "toDays": _DAY,
    "toHours": _DAY // 24,
    "toMinutes": 60 * 10**9,
    "toSeconds": 10**9,
    "getSeconds": 10**9,
    "toMillis": 10**6,
    "toMilliseconds": 10**6,
    "toMicros": 10**3,
    "toNanos": 1,
}
#: Methods of a duration that give another.
_ADDED: Final = {
    f"{sign}{name.capitalize()}": size if sign == "plus" else -size
    for sign in ("plus", "minus")
    for name, size in _PLAIN.items()
}
_CHANGES: Final = frozenset(
    (*_ADDED, "plus", "minus", "multipliedBy", "dividedBy", "negated", "abs", "withSeconds", "withNanos", "truncatedTo")
)
_SPECIAL: Final = frozenset(n.encode() for n in (*_METHODS, *_MAKERS, *_CONVERTERS, *_COUNTS, *_CHANGES, "convert"))

#: Words of which a file has at least one wherever names and calls may be worth something for the times in them.
TELLING: Final = frozenset(n.encode() for n in (*_MAKERS, *_COUNTS, *_UNITS, *_CHRONO_UNITS, "Duration", "TimeUnit"))

#: How many calls in a chain are looked through.
_DEEPEST: Final = 16
_LONG: Final = 1 << 63

_Inner = Callable[["Node"], Constant | None]


class Times:
    """How one file calls `Duration` and the units of time, and what its calls of them give."""

    def __init__(self, imports: Iterable[Node], data: bytes) -> None:
        self._data = data
        names = [re.sub(r"import|;|\s", " ", text_of(node)).split() for node in imports]
        plain = {"".join(words) for words in names if words[:1] != ["static"]}
        static = {"".join(words[1:]) for words in names if words[:1] == ["static"]}
        #: Methods of Duration by how they are called.
        self._durations: dict[bytes, str] = {}
        self.units: dict[bytes, int] = {}
        self._zeros: set[bytes] = set()
        for prefix in _prefixes("java.time", "Duration", plain):
            self._durations.update({f"{prefix}.{name}".encode(): name for name in _METHODS})
            self._zeros.add(f"{prefix}.ZERO".encode())
        for name in _METHODS:
            if not static.isdisjoint((f"java.time.Duration.{name}", "java.time.Duration.*")):
                self._durations[name.encode()] = name
        for package, kind, sizes in (
            ("java.time.temporal", "ChronoUnit", _CHRONO_UNITS),
            ("java.util.concurrent", "TimeUnit", _UNITS),
        ):
            for prefix in _prefixes(package, kind, plain):
                self.units.update({f"{prefix}.{name}".encode(): size for name, size in sizes.items()})
            for name, size in sizes.items():
                if not static.isdisjoint((f"{package}.{kind}.{name}", f"{package}.{kind}.*")):
                    self.units[name.encode()] = size

    def unit(self, node: Node | None) -> int | None:
        """The nanoseconds of the unit that an expression is; None if it is none."""
        return None if node is None else self.units.get(node.text or b"")

    def is_zero(self, node: Node) -> bool:
        """Whether it is `Duration.ZERO`."""
        return (node.text or b"") in self._zeros

    def is_time(self, call: Node) -> bool:
        """Whether a call makes a duration, changes or counts one."""
        return self.makes(call) or self._is_count(call)

    def makes(self, call: Node, depth: int = 0) -> bool:
        """Whether the value of a call is a duration."""
        name = _name(call)
        if name not in _SPECIAL or depth > _DEEPEST:
            return False
        if self._called(call) in self._durations:
            return True
        method, receiver = name.decode(), call.child_by_field_name("object")
        if method in _CHANGES:
            return receiver is not None and receiver.type == "method_invocation" and self.makes(receiver, depth + 1)
        members = _arguments(call)
        if method in _MAKERS:
            return len(members) == 1 and (receiver is None or method not in _PLAIN or _is_type(receiver))
        if method not in _CONVERTERS or receiver is None or not _is_type(receiver):
            return False
        if len(members) == 2:
            return self.unit(members[1]) is not None
        return len(members) == 1 and members[0].type == "method_invocation" and self.makes(members[0], depth + 1)

    def is_change(self, call: Node) -> bool:
        """Whether a call that makes a duration makes it from the one before it."""
        return _name(call).decode() in _CHANGES

    def _is_count(self, call: Node) -> bool:
        method, receiver = _name(call).decode(), call.child_by_field_name("object")
        if receiver is None:
            return False
        if method == "convert":
            return self.unit(receiver) is not None
        if method not in _COUNTS:
            return False
        return self.unit(receiver) is not None or (receiver.type == "method_invocation" and self.makes(receiver))

    def is_opaque(self, call: Node) -> bool:
        """Whether a call makes a duration whatever its arguments are."""
        return self.makes(call) and _name(call).decode() not in _PLAIN

    def name(self, call: Node) -> str:
        """What a value is called that nothing takes; not by its method, since a new value may be written by another."""
        call = self._beginning(call)
        receiver = call.child_by_field_name("object")
        if self._called(call) in self._durations:
            return "Duration"
        if not self.makes(call) or receiver is None:
            return _name(call).decode()
        return text_of(receiver).rpartition(".")[2]

    def _beginning(self, call: Node) -> Node:
        """The call that made the duration which others change."""
        while self.is_change(call) and (before := call.child_by_field_name("object")) is not None:
            call = before
        return call

    def parsed(self, call: Node) -> Node | None:
        """The string of `Duration.parse("PT20S")`."""
        if self._durations.get(self._called(call)) != "parse":
            return None
        members = _arguments(call)
        return members[0] if len(members) == 1 and members[0].type == "string_literal" else None

    def _called(self, call: Node) -> bytes:
        arguments = call.child_by_field_name("arguments")
        return b"" if arguments is None else self._data[call.start_byte : arguments.start_byte].strip()

    # What calls are worth.

    def worth(self, call: Node, inner: _Inner) -> Constant | None:
        """The value of a call, a duration in nanoseconds or a number that knows its unit; None if it cannot be worked out.

        Raises:
            TooLarge: it does not fit a `long`.
        """
        if _name(call) not in _SPECIAL:
            return None
        method, receiver, members = _name(call).decode(), call.child_by_field_name("object"), _arguments(call)
        if self._is_count(call) and receiver is not None:
            if method == "convert":
                return self._converted(receiver, members, inner)
            size = self.unit(receiver)
            if size is not None:
                return _counted(_whole(inner, members), size, _COUNTS[method])
            before = None if members else inner(receiver)
            return None if before is None or before.type != "duration" else _counted(before, 1, _COUNTS[method])
        if not self.makes(call):
            return None
        if method in _CHANGES:
            return None if receiver is None else _changed(inner(receiver), method, members, inner)
        if method == "parse":
            return None
        if method in _CONVERTERS:
            size = self.unit(members[1]) if len(members) == 2 else None
            if size is None:
                value = inner(members[0]) if len(members) == 1 else None
                return value if value is not None and value.type == "duration" else None
            members = members[:1]
        else:
            size = _MAKERS[method]
        number = _whole(inner, members)
        return None if number is None else replace(number, amount=number.amount * size, type="duration", unit=None)

    def _converted(self, receiver: Node, members: Sequence[Node], inner: _Inner) -> Constant | None:
        size, of = self.unit(members[1]) if len(members) == 2 else None, self.unit(receiver)
        return None if size is None or of is None else _counted(_whole(inner, members[:1]), size, of)

    # How values are written.

    def size(self, node: Node) -> int:
        """In which unit a duration is written there: that of the method which makes it; nanoseconds where that is not one number's."""
        if node.type != "method_invocation":
            return 1
        method, members = _name(node).decode(), _arguments(node)
        if method in _CONVERTERS and len(members) == 2:
            return self.unit(members[1]) or 1
        return _MAKERS.get(method, 1)

    def duration_spellings(self, node: Node) -> dict[int, str]:
        """What may be written in place of a duration: by the method that is there, and for `java.time.Duration` by any."""
        node = self._beginning(node)
        called = self._called(node) if node.type == "method_invocation" else node.text or b""
        prefix = called[: called.rfind(b".") + 1]
        if called in self._durations or called in self._zeros:
            return {
                size: f"{prefix.decode()}{name}({{}})"
                for name, size in _FACTORIES.items()
                if prefix + name.encode() in self._durations and name != "ofDays"
            }
        method = _name(node).decode() if node.type == "method_invocation" else ""
        return {_MAKERS[method]: f"{called.decode()}({{}})"} if method in _MAKERS and b"{" not in called else {}

    def count_spellings(self, node: Node) -> dict[int, str]:
        """What may be written in place of a count that knows its unit, inside of casts: by the method that is there, of another unit."""
        call = node
        while call.type in ("cast_expression", "parenthesized_expression") and call.named_children:
            call = call.named_children[-1]
        if call.type != "method_invocation" or not self._is_count(call):
            return {}
        before = self._data[node.start_byte : call.start_byte].decode()
        after = self._data[call.end_byte : node.end_byte].decode()
        method, receiver = _name(call).decode(), call.child_by_field_name("object")
        if receiver is None or method == "convert" or "{" in before + after:
            return {}
        of = _COUNTS[method]
        if self.unit(receiver) is None:
            made = self.duration_spellings(receiver)
            return {size: f"{before}{text}.{method}(){after}" for size, text in made.items() if size % of == 0}
        name = receiver.text or b""
        prefix = name[: name.rfind(b".") + 1]
        return {
            size: f"{before}{(prefix + unit.encode()).decode()}.{method}({{}}){after}"
            for unit, size in _UNITS.items()
            if size % of == 0 and unit != "DAYS" and prefix + unit.encode() in self.units
        }


def _prefixes(package: str, kind: str, imports: set[str]) -> list[str]:
    """How a type may be called: by its name alone, unless another of that name is imported."""
    qualified = f"{package}.{kind}"
    is_other = any(name.endswith(f".{kind}") and name != qualified for name in imports)
    return [qualified] if is_other and qualified not in imports else [kind, qualified]


def _name(call: Node) -> bytes:
    name = call.child_by_field_name("name") if call.type == "method_invocation" else None
    return b"" if name is None else name.text or b""


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return [] if arguments is None else children_of(arguments)


def _is_type(node: Node) -> bool:
    """Whether a name is that of a type, by how types are written."""
    return node.type in ("identifier", "field_access") and text_of(node).rpartition(".")[2][:1].isupper()


def _whole(inner: _Inner, members: Sequence[Node]) -> Constant | None:
    """The whole number that is the only argument."""
    value = inner(members[0]) if len(members) == 1 else None
    return value if value is not None and value.type in ("int", "long") else None


def _changed(before: Constant | None, method: str, members: Sequence[Node], inner: _Inner) -> Constant | None:
    """A duration and what is added to it, or so many times it; no literal decides then, but for a multiple."""
    if before is None or before.type != "duration" or len(members) != 1:
        return None
    other = inner(members[0])
    if other is None:
        return None
    if method == "multipliedBy" and other.type in ("int", "long"):
        amount = before.amount * other.amount
        return replace(
            before, amount=amount, coefficient=before.coefficient if amount > 0 else None, through=before.through or other.through
        )  # fmt: skip
    size = _ADDED.get(method) if other.type in ("int", "long") else None
    if other.type == "duration":
        size = {"plus": 1, "minus": -1}.get(method)
    if size is None:
        return None
    through = before.through or other.through
    return Constant(amount=before.amount + other.amount * size, type="duration", through=through)


def _counted(constant: Constant | None, size: int, of: int) -> Constant | None:
    """So many of one size, counted in another; rounds towards zero, and is then in no proportion."""
    if constant is None or constant.amount.denominator != 1:
        return None
    amount = constant.amount * size / of
    whole = Fraction(int(amount))
    if not -_LONG <= whole < _LONG:
        raise TooLarge("long")
    coefficient = constant.coefficient
    if coefficient is not None and (amount != whole or constant.amount * size / coefficient.value % of):
        coefficient = None
    return replace(constant, amount=whole, type="long", coefficient=coefficient, unit=of)
