"""Constant arithmetic over tree-sitter nodes, worked out exactly, with the one literal that a new value may be written into.

Serves the languages whose constants are literals, names, `+ - * /` and parentheses; what else a language has (conversions, `time.Second`)
its reader adds as a `leaf`. What overflows (`overflowed` tells that), divides by zero or nests deeper than `DEEPEST` has no value here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from outlast.configs.setting import Coefficient, Computed
from outlast.constraints.record import record, replace

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "DEEPEST",
    "NO_NAMES",
    "Constant",
    "Language",
    "Leaf",
    "Names",
    "TooLarge",
    "computed",
    "evaluate",
    "literal",
    "number",
    "overflowed",
    "through_name",
]

#: How deep an expression may nest; a sum of n terms nests n deep.
DEEPEST: Final = 64

#: A number of more characters, or with a larger exponent, is not read.
_LONGEST_LITERAL: Final = 80
_LARGEST_EXPONENT: Final = 100

#: Bits of the numerator and of the denominator of what is worked out.
_MOST_BITS: Final = 1024

_RADIX: Final = {"0x": 16, "0b": 2, "0o": 8}
_INTEGER: Final = {
    16: re.compile(r"[0-9a-f]+"),
    2: re.compile(r"[01]+"),
    8: re.compile(r"[0-7]+"),
    10: re.compile(r"[0-9]+"),
}
_DECIMAL: Final = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e([+-]?[0-9]+))?")  # no two ways to match


@record(kw_only=True)
class Language:
    """What differs between languages.

    `promotion` names the types of numbers from the narrowest on: two operands meet in the later one of theirs. `integers` are those of
    them that hold whole numbers only, with their bits (None: any number); they divide towards zero, and what does not fit has no value.
    """

    promotion: tuple[str, ...]
    integers: Mapping[str, int | None] = field(default_factory=dict)
    #: The type of a literal with a point or an exponent, and of any other.
    decimal: str
    whole: str
    #: Letters at the end of a literal that tell its type: {"l": "long"}; in lower case.
    suffixes: Mapping[str, str] = field(default_factory=dict)
    #: Whether 010 is eight.
    octal_by_zero: bool = True
    #: Types of nodes.
    literals: frozenset[str]
    names: frozenset[str] = frozenset({"identifier"})
    #: Nodes around a single expression.
    wrappers: frozenset[str] = frozenset({"parenthesized_expression"})
    #: Nodes of which the first child is the expression: `x as number`.
    casts: frozenset[str] = frozenset()
    unary: frozenset[str] = frozenset({"unary_expression"})
    binary: frozenset[str] = frozenset({"binary_expression"})


@record(kw_only=True)
class Constant:
    """The value of a constant expression."""

    amount: Fraction
    type: str
    #: The literal that, if changed, changes the amount in proportion; never one behind a name, and none where the amount is not positive.
    coefficient: Coefficient | None = None
    #: Whether only whole numbers may stand for the coefficient.
    is_whole: bool = True
    #: The name of a constant that has part in it.
    through: str | None = None
    #: The nanoseconds of what it counts, where the expression tells that: `TimeUnit.SECONDS.toMillis(30)`.
    unit: int | None = None


class TooLarge(Exception):  # noqa: N818  # no error of the input: it is caught in this module
    """Raised while an expression is worked out: it does not fit the type of that name, `int` or `long`."""


#: What a reader adds: the value of a node, or None; the second argument works out a part of it.
Leaf = Callable[["Node", Callable[["Node"], Constant | None]], Constant | None]


class Names(Protocol):
    """The constants that names stand for; any mapping will do."""

    def get(self, name: bytes, /) -> Constant | None:
        """What a name is worth; None if it is no constant."""


NO_NAMES: Final[Mapping[bytes, Constant]] = {}


def evaluate(node: Node, language: Language, names: Names = NO_NAMES, leaf: Leaf | None = None) -> Constant | None:
    """The value of an expression, or None if it is no constant that can be worked out.

    `names` gives the values of named constants. One level deep means: those were worked out without names. A `leaf` may raise `TooLarge`.
    """
    try:
        return _evaluate(node, language, names, leaf)
    except TooLarge:
        return None


def overflowed(node: Node, language: Language, names: Names = NO_NAMES, leaf: Leaf | None = None) -> str | None:
    """The type that an expression without a value is too large for, if it has none for that reason."""
    try:
        _evaluate(node, language, names, leaf)
    except TooLarge as error:
        return str(error)
    return None


def _evaluate(node: Node, language: Language, names: Names, leaf: Leaf | None) -> Constant | None:
    def at(node: Node, depth: int) -> Constant | None:
        kind = node.type
        if kind in language.literals:
            return literal(node, language)
        if depth > DEEPEST:
            return None
        if kind in language.names:
            text = node.text or b""
            found = names.get(text)
            if found is not None:
                return through_name(found, text.decode())
        if kind in language.binary:
            parts = _parts(node)
            if len(parts) == 3 and parts[1].type in ("+", "-", "*", "/"):
                left = at(parts[0], depth + 1)
                right = None if left is None else at(parts[2], depth + 1)
                return None if left is None or right is None else _join(parts[1].type, left, right, language)
        elif kind in language.unary:
            parts = _parts(node)
            if len(parts) == 2 and parts[0].type in ("+", "-"):
                is_literal = parts[1].type in language.literals
                operand = literal(parts[1], language, sign=parts[0].type) if is_literal else at(parts[1], depth + 1)
                return _signed(parts[0].type, operand)
        elif kind in language.wrappers:
            parts = _parts(node)
            if len(parts) == 1:
                return at(parts[0], depth + 1)
        elif kind in language.casts:
            return at(_parts(node)[0], depth + 1)
        return None if leaf is None else leaf(node, lambda part: at(part, depth + 1))

    return at(node, 0)


def literal(node: Node, language: Language, sign: str = "+") -> Constant | None:
    """The value of a literal's node, which without its suffix is its own coefficient; None if it is no finite decimal (`10n`, `0x1p-2`, `1i`).

    Raises:
        TooLarge: with the sign before it, it does not fit its type.
    """
    raw = node.text or b""
    if _is_plain(raw):
        amount = _fraction(raw)
        coefficient = Coefficient(node.start_byte, node.end_byte, amount)
        return Constant(amount=amount, type=language.whole, coefficient=coefficient)
    text = raw.decode(errors="replace")
    if len(text) > _LONGEST_LITERAL:
        return None
    text = text.replace("_", "").lower()
    radix = _RADIX.get(text[:2], 10)
    suffix = text[-1:] if text[-1:] in language.suffixes and (radix != 16 or text[-1:] not in "abcdef") else ""
    digits = text.removesuffix(suffix)
    if radix != 10:
        digits = digits[2:]
    elif language.octal_by_zero and len(digits) > 1 and digits[0] == "0" and _INTEGER[8].fullmatch(digits):
        radix = 8
    if _INTEGER[radix].fullmatch(digits):
        kind = language.suffixes.get(suffix, language.whole)
        value, bits = int(digits, radix), language.integers.get(kind)
        if radix != 10 and bits is not None and value >> (bits - 1) == 1:
            value -= 1 << bits  # 0xffffffff is -1
        if not _fits(Fraction(-value if sign == "-" else value), kind, language):
            return None
        return _positive(node, Fraction(value), kind, is_whole=True, suffix=suffix)
    match = _DECIMAL.fullmatch(digits)
    if match is None or radix != 10 or abs(int(match[1] or 0)) > _LARGEST_EXPONENT:
        return None
    kind = language.suffixes.get(suffix, language.decimal)
    amount = Fraction(digits)
    return (
        _positive(node, amount, kind, is_whole="." not in digits, suffix=suffix)
        if _fits(amount, kind, language)
        else None
    )


def number(node: Node, language: Language) -> Computed | None:
    """The content of a setting that is a literal alone: `computed(literal(…))`, sooner."""
    text = node.text or b""
    if _is_plain(text):
        amount = _fraction(text)
        coefficient = Coefficient(node.start_byte, node.end_byte, amount)
        return Computed(amount=amount, coefficient=coefficient, spellings=_BARE)
    try:
        constant = literal(node, language)
    except TooLarge:
        return None
    return None if constant is None else computed(constant)


def _is_plain(raw: bytes) -> bool:
    """Whether a number has neither signs nor letters, as nearly all, and fits any type."""
    return len(raw) < 10 and raw.isdigit() and raw[0] != 48


@lru_cache(1024)
def _fraction(digits: bytes) -> Fraction:
    return Fraction(int(digits))


def through_name(constant: Constant, name: str) -> Constant:
    """The same by the name of a constant: no literal decides any more."""
    return Constant(amount=constant.amount, type=constant.type, through=name, unit=constant.unit)


def computed(
    constant: Constant,
    *,
    unit: int | None = None,
    spellings: Mapping[int, str] | None = None,
    is_whole: bool | None = None,
) -> Computed:
    """The content of a setting with that value; `spellings` by default a bare number where the unit is not told.

    What leans on a named constant is never replaced as a whole.
    """
    if spellings is None:
        spellings = _BARE if unit is None else {}
    return Computed(
        amount=constant.amount,
        unit=unit,
        coefficient=constant.coefficient,
        is_whole=constant.is_whole if is_whole is None else is_whole,
        spellings={} if constant.through else spellings,
    )


_BARE: Final[Mapping[int, str]] = {1: "{}"}


def _parts(node: Node) -> list[Node]:
    """The children, without comments and the parentheses that some grammars leave there."""
    return [child for child in node.children if not child.is_extra and child.type not in ("(", ")")]


def _positive(node: Node, amount: Fraction, kind: str, *, is_whole: bool, suffix: str = "") -> Constant:
    coefficient = Coefficient(node.start_byte, node.end_byte - len(suffix), amount) if amount > 0 else None
    return Constant(amount=amount, type=kind, coefficient=coefficient, is_whole=is_whole)


def _signed(sign: str, operand: Constant | None) -> Constant | None:
    if operand is None or sign == "+":
        return operand
    return replace(operand, amount=-operand.amount, coefficient=None)


def _join(operator: str, left: Constant, right: Constant, language: Language) -> Constant | None:
    order = language.promotion
    kind = left.type if order.index(left.type) >= order.index(right.type) else right.type
    is_integer = kind in language.integers
    if is_integer and (left.amount.denominator != 1 or right.amount.denominator != 1):
        return None  # 1.5 * time.Second does not compile
    a, b = left.amount, right.amount
    if operator == "/":
        if not b:
            return None
        amount = _towards_zero(a, b) if is_integer else a / b
    else:
        amount = a * b if operator == "*" else a + b if operator == "+" else a - b
    if not _fits(amount, kind, language):
        return None
    coefficient, is_whole = None, is_integer
    if amount > 0:
        # Integer division rounds, so that the quotient is not in proportion.
        if operator == "*" and (left.coefficient or right.coefficient):
            first = left if left.coefficient else right
            coefficient, is_whole = first.coefficient, first.is_whole or is_integer
        elif operator == "/" and not is_integer and left.coefficient:
            coefficient, is_whole = left.coefficient, left.is_whole
    return Constant(
        amount=amount,
        type=kind,
        coefficient=coefficient,
        is_whole=is_whole,
        through=left.through or right.through,
        unit=_unit(operator, left.unit, right.unit),
    )


def _unit(operator: str, left: int | None, right: int | None) -> int | None:
    """What a sum, a product or a quotient counts: bare numbers beside what counts something leave it so."""
    if left is None:
        return None if operator == "/" else right
    return left if right is None or (right == left and operator in ("+", "-")) else None


def _towards_zero(a: Fraction, b: Fraction) -> Fraction:
    quotient = abs(a) // abs(b)
    return Fraction(quotient if (a < 0) == (b < 0) else -quotient)


def _fits(amount: Fraction, kind: str, language: Language) -> bool:
    """Whether it is no larger than is worked out here; raises `TooLarge` if it is than its type holds."""
    bits = language.integers.get(kind)
    if bits is None:
        return amount.numerator.bit_length() <= _MOST_BITS and amount.denominator.bit_length() <= _MOST_BITS
    if -(1 << (bits - 1)) <= amount.numerator < 1 << (bits - 1):
        return True
    raise TooLarge(kind)
