"""An exact rational simplex: non-negative solutions of equations, and from it Farkas certificates.

Phase one of the two-phase method with Bland's rule (R. Bland, "New finite pivoting rules for the simplex method", 1977), which cannot cycle.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

from outlast.constraints.record import record

__all__ = ["Row", "farkas", "solve_equations"]


@record
class Row:
    """Σ terms + rest < 0 if strict, else ≤ 0."""

    terms: Mapping[Hashable, Fraction]
    rest: Fraction
    strict: bool


def farkas(rows: Sequence[Row]) -> list[Fraction] | None:
    """Multipliers ≥ 0 with which the rows add up to a number above 0 on the left of ≤ 0 (or 0 on the left of < 0); None: there are none.

    By Farkas' lemma (and Motzkin's for strict rows) they exist exactly if no rational point satisfies all rows.
    """
    unknowns = list(dict.fromkeys(n for row in rows for n in row.terms))
    balance = [[row.terms.get(n, Fraction(0)) for row in rows] for n in unknowns]
    zeros = [Fraction(0)] * len(unknowns)
    rests = [row.rest for row in rows]
    found = solve_equations([*balance, rests], [*zeros, Fraction(1)])
    if found is None:
        strict = [Fraction(1) if row.strict else Fraction(0) for row in rows]
        found = solve_equations([*balance, rests, strict], [*zeros, Fraction(0), Fraction(1)])
    if found is None or not adds_up(rows, found):
        return None
    return found


def adds_up(rows: Sequence[Row], multipliers: Sequence[Fraction]) -> bool:
    """Whether the multipliers are a certificate: checked by plain addition."""
    if any(m < 0 for m in multipliers):
        return False
    total: dict[Hashable, Fraction] = {}
    for row, multiplier in zip(rows, multipliers, strict=True):
        for name, coefficient in row.terms.items():
            total[name] = total.get(name, Fraction(0)) + multiplier * coefficient
    rest = sum((m * r.rest for r, m in zip(rows, multipliers, strict=True)), Fraction(0))
    strict = any(m > 0 and r.strict for r, m in zip(rows, multipliers, strict=True))
    return not any(total.values()) and (rest > 0 or (rest == 0 and strict))


def solve_equations(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """A solution x ≥ 0 of matrix · x = right, or None."""
    width = len(matrix[0]) if matrix else 0
    table: list[list[Fraction]] = []
    for number, (row, value) in enumerate(zip(matrix, right, strict=True)):
        sign = -1 if value < 0 else 1
        artificial = [Fraction(int(i == number)) for i in range(len(matrix))]
        table.append([*(sign * c for c in row), *artificial, sign * value])
    basis = [width + i for i in range(len(table))]
    # The sum of the artificial variables, to be brought to 0, in terms of the others.
    cost = [sum((row[c] for row in table), Fraction(0)) for c in range(width)]
    while True:
        entering = next((c for c in range(width) if cost[c] > 0), None)
        if entering is None:
            break
        leaving = min(
            (n for n, row in enumerate(table) if row[entering] > 0),
            key=lambda n: (table[n][-1] / table[n][entering], basis[n]),
        )
        _pivot(table, cost, leaving, entering)
        basis[leaving] = entering
    solution = [Fraction(0)] * width
    for row, column in zip(table, basis, strict=True):
        if column < width:
            solution[column] = row[-1]
        elif row[-1] != 0:
            return None
    return solution


def _pivot(table: list[list[Fraction]], cost: list[Fraction], leaving: int, entering: int) -> None:
    scale = table[leaving][entering]
    pivot = table[leaving] = [c / scale for c in table[leaving]]
    for number, row in enumerate(table):
        factor = row[entering]
        if number != leaving and factor:
            table[number] = [c - factor * p for c, p in zip(row, pivot, strict=True)]
    factor = cost[entering]
    for column in range(len(cost)):
        cost[column] -= factor * pivot[column]
