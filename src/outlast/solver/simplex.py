"""An exact rational simplex: a point of inequalities, or the multipliers (Farkas) with which they contradict each other.

Pivots follow Bland's rule (R. Bland, "New finite pivoting rules for the simplex method", 1977), which cannot cycle.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

from outlast.constraints.record import record

__all__ = ["Row", "Solution", "adds_up", "solve_rows"]


@record
class Row:
    """Σ terms + rest < 0 if strict, else ≤ 0."""

    terms: Mapping[Hashable, Fraction]
    rest: Fraction
    strict: bool


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


@record
class Solution:
    """Exactly one of: a number for each unknown with which all rows hold, or multipliers with which they contradict each other."""

    point: Mapping[Hashable, Fraction] | None
    #: One per row, 0 or more: the rows times these add up to a number above 0 on the left of ≤ 0, or 0 on the left of < 0. By Farkas' lemma
    #: (and Motzkin's for strict rows) they exist exactly if there is no point; the rows with one above 0 cannot do without each other.
    multipliers: list[Fraction] | None


def solve_rows(rows: Sequence[Row]) -> Solution:
    """A rational point of the rows, or why there is none.

    The general simplex over bounds (B. Dutertre and L. de Moura, "A fast linear-arithmetic solver for DPLL(T)", 2006): rows that differ in
    their number only share a line of the tableau, rows of one unknown need none; strict rows keep an infinitely small distance.
    """
    return _Bounded(rows).solution()


#: A number, and how many infinitely small ones are added to it.
_Near = tuple[Fraction, int | Fraction]


@record
class _Bound:
    value: _Near
    row: int
    #: The row is the sum that is bounded, times this.
    scale: Fraction


class _Bounded:
    """Sums that stay within bounds: columns are the unknowns, then the sums of several of them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._columns: dict[Hashable, int] = {}
        for row in rows:
            for name, coefficient in row.terms.items():
                if coefficient:
                    self._columns.setdefault(name, len(self._columns))
        self._lower: dict[int, _Bound] = {}
        self._upper: dict[int, _Bound] = {}
        #: Each basic column in terms of those that are not.
        self._table: dict[int, dict[int, Fraction]] = {}
        self._values: list[_Near] = []
        #: A row without unknowns that is false, or two bounds that exclude each other.
        self._clash = self._read()

    def _read(self) -> list[tuple[int, Fraction]] | None:
        sums: dict[tuple[tuple[int, Fraction], ...], int] = {}
        for number, row in enumerate(self._rows):
            terms = sorted((self._columns[n], c) for n, c in row.terms.items() if c)
            if not terms:
                if row.rest > 0 or (row.rest == 0 and row.strict):
                    return [(number, Fraction(1))]
                continue
            lead = terms[0][1]
            form = tuple(terms if lead == 1 else ((n, c / lead) for n, c in terms))
            column = form[0][0] if len(form) == 1 else sums.setdefault(form, len(self._columns) + len(sums))
            value, size = -row.rest / lead, abs(lead)
            if lead > 0:
                bound = _Bound((value, -1 if row.strict else 0), number, size)
                if column not in self._upper or bound.value < self._upper[column].value:
                    self._upper[column] = bound
            else:
                bound = _Bound((value, 1 if row.strict else 0), number, size)
                if column not in self._lower or bound.value > self._lower[column].value:
                    self._lower[column] = bound
        for column in sorted(set(self._lower) & set(self._upper)):
            low, high = self._lower[column], self._upper[column]
            if low.value > high.value:
                return [(low.row, 1 / low.scale), (high.row, 1 / high.scale)]
        self._values = [self._start(column) for column in range(len(self._columns))]
        for form, column in sums.items():
            self._table[column] = dict(form)
            self._values.append(self._sum(self._table[column]))
        return None

    def _start(self, column: int) -> _Near:
        if column in self._lower:
            return self._lower[column].value
        if column in self._upper:
            return min(self._upper[column].value, (Fraction(0), 0))
        return Fraction(0), 0

    def _sum(self, line: Mapping[int, Fraction]) -> _Near:
        values = self._values
        return (
            sum((c * values[n][0] for n, c in line.items()), Fraction(0)),
            sum((c * values[n][1] for n, c in line.items()), Fraction(0)),
        )

    def solution(self) -> Solution:
        """Columns are brought within their bounds one by one; Bland's rule keeps that finite."""
        clash = self._clash
        while clash is None:
            found = self._outside()
            if found is None:
                return Solution(self._point(), None)
            column, rises = found
            clash = self._mended(column, rises=rises)
        multipliers = [Fraction(0)] * len(self._rows)
        for number, multiplier in clash:
            multipliers[number] += multiplier
        return Solution(None, multipliers)

    def _outside(self) -> tuple[int, bool] | None:
        for column in sorted(self._table):
            value = self._values[column]
            if column in self._lower and value < self._lower[column].value:
                return column, True
            if column in self._upper and value > self._upper[column].value:
                return column, False
        return None

    def _mended(self, column: int, *, rises: bool) -> list[tuple[int, Fraction]] | None:
        """Exchange the basic column for one that can give way; if there is none, the rows that contradict each other."""
        line = self._table[column]
        bound = (self._lower if rises else self._upper)[column]
        clash = [(bound.row, 1 / bound.scale)]
        for other in sorted(line):
            up = (line[other] > 0) == rises
            stop = (self._upper if up else self._lower).get(other)
            if stop is None or (self._values[other] < stop.value if up else self._values[other] > stop.value):
                self._exchange(column, other, bound.value)
                return None
            clash.append((stop.row, abs(line[other]) / stop.scale))
        return clash

    def _exchange(self, leaving: int, entering: int, value: _Near) -> None:
        line = self._table.pop(leaving)
        pivot = line.pop(entering)
        old = self._values[leaving]
        step = ((value[0] - old[0]) / pivot, (value[1] - old[1]) / pivot)
        solved = {n: -c / pivot for n, c in line.items()}
        solved[leaving] = 1 / pivot
        values = self._values
        values[leaving] = value
        values[entering] = (values[entering][0] + step[0], values[entering][1] + step[1])
        for column, other in self._table.items():
            factor = other.pop(entering, None)
            if factor is None:
                continue
            values[column] = (values[column][0] + factor * step[0], values[column][1] + factor * step[1])
            for n, c in solved.items():
                total = other.get(n, 0) + factor * c
                if total:
                    other[n] = Fraction(total)
                else:
                    del other[n]
        self._table[entering] = solved

    def _point(self) -> dict[Hashable, Fraction]:
        """The values with a number for the infinitely small one."""
        small = Fraction(1)
        for bounds, sign in ((self._lower, 1), (self._upper, -1)):
            for column, bound in bounds.items():
                room = sign * (self._values[column][0] - bound.value[0])
                needed = sign * (bound.value[1] - self._values[column][1])
                if needed > 0:
                    small = min(small, Fraction(room) / needed)
        return {name: self._values[n][0] + small * self._values[n][1] for name, n in self._columns.items()}
