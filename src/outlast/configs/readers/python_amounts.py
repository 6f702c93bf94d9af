"""What constants of Python amount to, exactly: numbers, arithmetic with them, and `timedelta`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, cast

from outlast.configs.readers.python_source import Source
from outlast.configs.setting import Coefficient, Computed
from outlast.constraints.record import record, replace

__all__ = ["NO_SPELLING", "Amount", "amount_of", "computed", "path_of", "timedelta_of"]

#: How deep constant arithmetic may nest, and how many bits its value and a power's exponent may have.
_DEEPEST: Final = 64
_MOST_BITS: Final = 1024
_LARGEST_EXPONENT: Final = 100
_LONGEST_LITERAL: Final = 80

_BARE: Final = {1: "{}"}
NO_SPELLING: Final[dict[int, str]] = {}
_SECOND: Final = 10**9

#: What `timedelta` takes, in nanoseconds; positions have the order of its signature.
_TIMEDELTA: Final = {
    "days": 86400 * _SECOND,
    "seconds": _SECOND,
    "microseconds": 10**3,
    "milliseconds": 10**6,
    "minutes": 60 * _SECOND,
    "hours": 3600 * _SECOND,
    "weeks": 7 * 86400 * _SECOND,
}
_SPELLED: Final = ("seconds", "milliseconds", "minutes")


@record(kw_only=True)
class Amount:
    """A constant number, and the literal that decides it; `through` names the constant that has part in it."""

    value: Fraction
    coefficient: Coefficient | None = None
    is_whole: bool = True
    through: str | None = None


def amount_of(source: Source, node: ast.expr, names: Mapping[str, Amount | None], depth: int = 0) -> Amount | None:
    """The value of a constant expression, exactly; None if it is none, or too large or too deep."""
    match node:
        case ast.Constant():
            return _number(source, node)
        case ast.Name(id=name):
            return names.get(name)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand) if depth < _DEEPEST:
            amount = amount_of(source, operand, names, depth + 1)
            if amount is None or isinstance(sign, ast.UAdd):
                return amount
            return Amount(value=-amount.value, is_whole=amount.is_whole, through=amount.through)
        case ast.BinOp(left=left, op=op, right=right) if depth < _DEEPEST:
            one = amount_of(source, left, names, depth + 1)
            other = None if one is None else amount_of(source, right, names, depth + 1)
            return None if one is None or other is None else _joined(op, one, other)
    return None


def _number(source: Source, node: ast.Constant) -> Amount | None:
    """The value of a literal, from its text: a float would have rounded it."""
    value = node.value
    if value.__class__ is int:
        amount = Fraction(value)
    elif value.__class__ is float:
        text = source.text(node).replace("_", "").lower()
        exponent = text.partition("e")[2]
        if len(text) > _LONGEST_LITERAL or (exponent and abs(int(exponent)) > _LARGEST_EXPONENT):
            return None
        amount = Fraction(text)
    else:
        return None
    if amount.numerator.bit_length() > _MOST_BITS:
        return None
    start, end = source.span(node)
    is_whole = value.__class__ is int
    return Amount(value=amount, coefficient=Coefficient(start, end, amount) if amount > 0 else None, is_whole=is_whole)


def timedelta_of(source: Source, node: ast.Call) -> Computed | None:
    """A duration of the standard library, or the seconds that one has, if all its parts are constants."""
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr == "total_seconds" and isinstance(func.value, ast.Call):
        is_plain = not node.args and not node.keywords and path_of(func.value.func).rpartition(".")[2] == "timedelta"
        made = timedelta_of(source, func.value) if is_plain else None
        return made and replace(made, spellings={n: f"{text}.total_seconds()" for n, text in made.spellings.items()})
    if path_of(func) == "int" and len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.Call):
        made = timedelta_of(source, node.args[0])
        if made is None or made.amount.denominator != 1:
            return None
        return replace(made, spellings={n: f"int({text})" for n, text in made.spellings.items() if n % _SECOND == 0})
    path = path_of(func)
    if path.rpartition(".")[2] != "timedelta":
        return None
    names = [*_TIMEDELTA][: len(node.args)]
    parts = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
    if len(node.args) > len(_TIMEDELTA) or any(name not in _TIMEDELTA for name, _ in parts):
        return None
    total = Fraction(0)
    amount: Amount | None = None
    for name, value in parts:
        amount = amount_of(source, value, {})
        if amount is None:
            return None
        total += amount.value * _TIMEDELTA[cast(str, name)]
    one = amount if amount is not None and len(parts) == 1 else Amount(value=total)
    spelled: tuple[str, ...] = _SPELLED
    if len(parts) == 1 and node.keywords and node.keywords[0].arg not in _SPELLED:
        spelled = (cast(str, node.keywords[0].arg), *_SPELLED)
    return Computed(
        amount=total / _SECOND,
        unit=_SECOND,
        coefficient=one.coefficient,
        is_whole=one.is_whole,
        spellings={_TIMEDELTA[name]: f"{path}({name}={{}})" for name in spelled},
    )


def _joined(op: ast.operator, one: Amount, other: Amount) -> Amount | None:
    """Two amounts in an operation; a product follows its first literal, a quotient its dividend."""
    a, b = one.value, other.value
    coefficient, is_whole = None, one.is_whole and other.is_whole
    match op:
        case ast.Mult():
            value = a * b
            first = one if one.coefficient else other
            coefficient, is_whole = first.coefficient, first.is_whole
        case ast.Div() if b:
            value = a / b
            coefficient, is_whole = one.coefficient, one.is_whole
        case ast.FloorDiv() if b:
            value = Fraction(a // b)
        case ast.Add():
            value = a + b
        case ast.Sub():
            value = a - b
        case ast.Pow() if b.denominator == 1 and 0 <= b <= _LARGEST_EXPONENT:
            if max(a.numerator.bit_length(), a.denominator.bit_length()) * int(b) > 2 * _MOST_BITS:
                return None
            value = a ** int(b)
        case _:
            return None
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        return None
    through = one.through or other.through
    if value <= 0:
        coefficient = None
    return Amount(value=value, coefficient=coefficient, is_whole=is_whole, through=through)


def computed(amount: Amount) -> Computed:
    """A bare number; what leans on a name is never replaced as a whole."""
    return Computed(
        amount=amount.value,
        coefficient=amount.coefficient,
        is_whole=amount.is_whole,
        spellings=NO_SPELLING if amount.through else _BARE,
    )


def path_of(node: ast.AST) -> str:
    """Names joined by dots; the last name alone where it is got from an expression; nothing where there is no name."""
    if isinstance(node, ast.Name):
        return node.id
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return parts[0] if parts else ""
    parts.append(node.id)
    return ".".join(reversed(parts))
