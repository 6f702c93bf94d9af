"""Which bound of a measurement's quantile a formula uses, so that one that cannot be had is told at its column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from outlast.constraints.expression import (
    And,
    Bool,
    Call,
    Compare,
    Expr,
    If,
    Implies,
    Is,
    Name,
    Not,
    Op,
    Or,
    Product,
    Quantile,
    Sum,
    walk,
)
from outlast.constraints.expression import Literal as Number

__all__ = ["Side", "bounds_of_number", "bounds_used"]

Side = Literal["upper", "lower"]
_FLIPPED: Final[dict[Side, Side]] = {"upper": "lower", "lower": "upper"}


def bounds_used(formula: Bool | Expr, *, is_condition: bool = False) -> Iterator[tuple[Quantile | Name, Side]]:
    """Each quantile with the bound that is taken of it, both where the formula does not tell; and each name likewise.

    A derived parameter's formula is then read on by `bounds_of_number`. A condition (`when`) is read in the quantile's favour. Terms that cancel out are not noticed.
    """
    match formula:
        case Compare():
            if not formula.op.orders:
                yield from _both(formula)
                return
            upward = formula.op in (Op.LT, Op.LE)
            smaller, larger = (formula.left, formula.right) if upward else (formula.right, formula.left)
            side: Side = "lower" if is_condition else "upper"
            yield from bounds_of_number(smaller, side)
            yield from bounds_of_number(larger, _FLIPPED[side])
        case And(parts=parts) | Or(parts=parts):
            for part in parts:
                yield from bounds_used(part, is_condition=is_condition)
        case Not(part=part):
            # `not (a < b)` is `b <= a`: the sides change places, the reading does not.
            for quantile, side in bounds_used(part, is_condition=is_condition):
                yield quantile, _FLIPPED[side]
        case Implies():
            yield from bounds_used(formula.condition, is_condition=not is_condition)
            yield from bounds_used(formula.conclusion, is_condition=is_condition)
        case Is():
            return
        case _:
            yield from _both(formula)


def _both(formula: Bool | Expr) -> Iterator[tuple[Quantile | Name, Side]]:
    for node in walk(formula):
        if isinstance(node, (Quantile, Name)):
            yield node, "upper"
            yield node, "lower"


def bounds_of_number(expr: Expr, side: Side) -> Iterator[tuple[Quantile | Name, Side]]:
    """Each quantile and name of an expression that is taken at that bound as a whole."""
    match expr:
        case Quantile() | Name():
            yield expr, side
        case Sum(terms=terms):
            for sign, part in terms:
                yield from bounds_of_number(part, side if sign > 0 else _FLIPPED[side])
        case Product(factors=factors):
            if any(_has_minus(part) for _, part in factors):
                yield from _both(expr)
                return
            for power, part in factors:
                yield from bounds_of_number(part, side if power > 0 else _FLIPPED[side])
        case Call(arguments=arguments):
            for part in arguments:
                yield from bounds_of_number(part, side)
        case If():
            yield from _both(expr.condition)
            yield from bounds_of_number(expr.then, side)
            yield from bounds_of_number(expr.otherwise, side)
        case Number():
            return


def _has_minus(expr: Expr) -> bool:
    match expr:
        case Sum(terms=terms):
            return any(sign < 0 or _has_minus(part) for sign, part in terms)
        case Product(factors=factors):
            return any(_has_minus(part) for _, part in factors)
        case Call(arguments=arguments):
            return any(_has_minus(part) for part in arguments)
        case If(then=then, otherwise=otherwise):
            return _has_minus(then) or _has_minus(otherwise)
        case _:
            return False
