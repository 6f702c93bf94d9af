"""Conflicts written by hand: rows of a few unknowns, and certificates of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from outlast.constraints.errors import Place
from outlast.constraints.polynomial import Poly, Var
from outlast.solver.account import Certificate, Conflict, Item, ItemKind, Proof, Step
from outlast.solver.logic import Below
from outlast.solver.simplex import Row, solve_rows
from outlast.solver.statements import row_text

__all__ = ["COUNTS", "SECOND", "certificate", "conflict", "item", "row"]

SECOND = 10**9
#: Unknowns that are no durations.
COUNTS = ("pods",)


def row(terms: Mapping[str, Fraction | int], sign: str, limit: Fraction | int, *, exponent: int = 1) -> Below:
    """`row({"a": 1, "b": -1}, "<", 3)` is a - b < 3s; with `exponent` 0 the limit is a plain number."""
    poly = Poly({((Var(name, int(name not in COUNTS)), 1),): Fraction(c) for name, c in terms.items()})
    rest = Fraction(limit) * (SECOND if exponent else 1)
    return Below(poly - Poly({(): rest} if rest else {}), sign == "<", exponent)


def certificate(rows: Sequence[tuple[str, Below]]) -> Certificate:
    """The certificate of rows that cannot hold together, with what multipliers it takes; others are left out."""
    multipliers = solve_rows(
        [Row({m: c for m, c in b.poly if m}, b.poly.terms.get((), Fraction(0)), b.strict) for _, b in rows]
    ).multipliers
    assert multipliers is not None
    steps = [Step(i, m, f"{m}", row_text(b), b) for (i, b), m in zip(rows, multipliers, strict=True) if m]
    return Certificate(tuple(steps), "0s < -1s")


def item(id_: str, says: str, line: int | None = None, why: str | None = None) -> Item:
    kind, name = id_.split(":", 1)
    place = None if line is None else Place("outlast.yaml", line, 1)
    return Item(kind=ItemKind(kind), name=name, says=says, place=place, why=why)


def conflict(items: Sequence[Item], proof: Proof | None, *, by_steps: bool = False, minimal: bool = True) -> Conflict:
    return Conflict(items=tuple(items), proof=proof, by_steps=by_steps, minimal=minimal)
