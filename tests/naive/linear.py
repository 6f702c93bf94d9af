"""Whether linear inequalities over numbers from 0 upwards, some of them multiples of a unit, can hold together: decided, not searched.

Numbers between multiples are eliminated by Fourier and Motzkin's method, multiples by Cooper's (D. C. Cooper, "Theorem proving in arithmetic without
multiplication", 1972): the smallest solution lies within so many of one of its lower bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

#: A sum: the coefficient of each unknown, and under "" what is added.
Linear = Mapping[str, Fraction]


@dataclass(frozen=True)
class Row:
    """Σ coefficient · unknown + number < 0 if strict, else <= 0; all whole numbers without a common divisor."""

    terms: tuple[tuple[str, int], ...]
    number: int
    strict: bool

    def of(self, name: str) -> int:
        return dict(self.terms).get(name, 0)


@dataclass(frozen=True)
class Every:
    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Any:
    parts: tuple[Formula, ...]


Formula = Row | Every | Any
NEVER: Formula = Any(())


def row(form: Linear, *, strict: bool) -> Row:
    """form < 0 or form <= 0."""
    bottom = lcm(*(Fraction(c).denominator for c in form.values()))
    whole = {n: int(c * bottom) for n, c in form.items() if c}
    return _reduced(whole, strict)


def equal(form: Linear) -> Formula:
    return Every((row(form, strict=False), row(scaled(form, -1), strict=False)))


def combined(*parts: tuple[Fraction | int, Linear]) -> dict[str, Fraction]:
    """The sum of these forms, each times its factor."""
    total: dict[str, Fraction] = {}
    for factor, form in parts:
        for name, coefficient in form.items():
            total[name] = total.get(name, Fraction(0)) + factor * coefficient
    return {n: c for n, c in total.items() if c}


def scaled(form: Linear, factor: Fraction | int) -> dict[str, Fraction]:
    return {n: c * factor for n, c in form.items() if c * factor}


def _reduced(whole: Mapping[str, int], strict: bool) -> Row:
    divisor = gcd(*whole.values()) or 1
    terms = tuple(sorted((n, c // divisor) for n, c in whole.items() if c and n))
    return Row(terms, whole.get("", 0) // divisor, strict)


def possible(formulas: Iterable[Formula], units: Mapping[str, Fraction]) -> bool:
    """Whether all can hold; unknowns that have a unit are multiples of it, none is below 0."""
    rows: list[Row] = []
    open_parts = list(formulas)
    choices: list[Any] = []
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, Row):
            rows.append(part)
        elif isinstance(part, Every):
            open_parts += part.parts
        elif len(part.parts) == 1:
            open_parts.append(part.parts[0])
        else:
            choices.append(part)
    if not choices:
        return _rows_possible(rows, units)
    if not _rows_possible(rows, {}):
        return False
    choices.sort(key=lambda c: len(c.parts))
    return any(possible([*rows, *choices[1:], alternative], units) for alternative in choices[0].parts)


def _rows_possible(rows: Iterable[Row], units: Mapping[str, Fraction]) -> bool:
    names = {n for r in rows for n, _ in r.terms}
    kept = _strongest([*rows, *(Row(((n, -1),), 0, False) for n in names)])
    between = {n for n in names if n not in units}
    while kept is not None and between:
        efforts = {n: _pairs(kept, n) for n in sorted(between)}
        name = min(efforts, key=lambda n: efforts[n])
        between.remove(name)
        kept = _strongest(_without(name, kept))
    if kept is None:
        return False
    return _wholes_possible([_in_units(r, units) for r in kept], [])


def _strongest(rows: Iterable[Row]) -> list[Row] | None:
    """Without what others imply; None: one of them cannot hold."""
    best: dict[tuple[tuple[str, Fraction], ...], Row] = {}
    for r in rows:
        if not r.terms:
            if r.number > 0 or (r.number == 0 and r.strict):
                return None
            continue
        scale = gcd(*(c for _, c in r.terms))
        direction = tuple((n, Fraction(c, scale)) for n, c in r.terms)
        other = best.get(direction)
        if other is None or (Fraction(r.number, scale), r.strict) > (
            Fraction(other.number, gcd(*(c for _, c in other.terms))),
            other.strict,
        ):
            best[direction] = r
    return list(best.values())


def _pairs(rows: Iterable[Row], name: str) -> int:
    signs = [c for r in rows if (c := r.of(name))]
    return sum(c > 0 for c in signs) * sum(c < 0 for c in signs)


def _without(name: str, rows: Sequence[Row]) -> Iterator[Row]:
    """What the rows say about the others."""
    uppers = [(c, r) for r in rows if (c := r.of(name)) > 0]
    lowers = [(-c, r) for r in rows if (c := r.of(name)) < 0]
    yield from (r for r in rows if not r.of(name))
    for up, upper in uppers:
        for down, lower in lowers:
            whole = {n: down * c for n, c in upper.terms}
            for n, c in lower.terms:
                whole[n] = whole.get(n, 0) + up * c
            whole[""] = down * upper.number + up * lower.number
            yield _reduced(whole, upper.strict or lower.strict)


# Multiples: whole numbers of units.


@dataclass(frozen=True)
class _Whole:
    """Σ coefficient · unknown + number <= 0, or, with a divisor, a multiple of it; unknowns and numbers are whole."""

    terms: Mapping[str, int]
    number: int
    divisor: int = 0

    def of(self, name: str) -> int:
        return self.terms.get(name, 0)

    def replaced(self, name: str, times: int, by: _Whole) -> _Whole:
        """`times` > 0 times itself, where times · unknown = by."""
        own = self.of(name)
        terms = {n: times * c for n, c in self.terms.items() if n != name}
        for n, c in by.terms.items():
            terms[n] = terms.get(n, 0) + own * c
        return _Whole(terms, times * self.number + own * by.number, times * self.divisor)


def _in_units(r: Row, units: Mapping[str, Fraction]) -> _Whole:
    bottom = lcm(*((c * units[n]).denominator for n, c in r.terms))
    # What is below 0 is at most -1.
    return _Whole({n: int(c * units[n] * bottom) for n, c in r.terms}, r.number * bottom + r.strict)


def _simplified(rows: Iterable[_Whole]) -> list[_Whole] | None:
    """Without what always holds; None: one of them cannot hold."""
    best: dict[tuple[object, ...], _Whole] = {}
    for r in rows:
        if r.divisor:
            terms = {n: c % r.divisor for n, c in r.terms.items() if c % r.divisor}
            common = gcd(r.divisor, *terms.values())
            if r.number % common:
                return None
            if common == r.divisor:
                continue
            r = _Whole({n: c // common for n, c in terms.items()}, r.number % r.divisor // common, r.divisor // common)
            best[(*sorted(r.terms.items()), r.number, r.divisor)] = r
            continue
        terms = {n: c for n, c in r.terms.items() if c}
        if not terms:
            if r.number > 0:
                return None
            continue
        common = gcd(*terms.values())
        r = _Whole({n: c // common for n, c in terms.items()}, -(-r.number // common))
        key = tuple(sorted(r.terms.items()))
        if key not in best or best[key].number < r.number:
            best[key] = r
    return list(best.values())


def _wholes_possible(rows: Iterable[_Whole], more: Iterable[_Whole] = ()) -> bool:
    kept = _simplified([*rows, *more])
    if kept is None:
        return False
    parts = _independent(kept)
    if len(parts) > 1:
        return all(_wholes_possible(p) for p in parts)
    names = sorted({n for r in kept for n in r.terms})
    if not names:
        return True
    name = min(names, key=lambda n: _effort(kept, n))
    others = [r for r in kept if not r.of(name)]
    mine = [r for r in kept if r.of(name)]
    divisible = [r for r in mine if r.divisor]
    uppers = [r for r in mine if not r.divisor and r.of(name) > 0]
    lowers = [r for r in mine if not r.divisor and r.of(name) < 0]
    if not divisible and (not uppers or all(r.of(name) == 1 for r in uppers) or all(r.of(name) == -1 for r in lowers)):
        bounds = [u.replaced(name, -low.of(name), _bound(low, name, 0)) for u in uppers for low in lowers]
        return _wholes_possible(others, bounds)
    period = lcm(*(r.divisor // gcd(r.divisor, r.of(name)) for r in divisible))
    for low in lowers:
        times = -low.of(name)
        for more_than in range(times * period):
            by = _bound(low, name, more_than)
            fits = _Whole(by.terms, by.number, times)
            if _wholes_possible([*others, fits], (r.replaced(name, times, by) for r in mine)):
                return True
    return False


def _bound(low: _Whole, name: str, more: int) -> _Whole:
    """times · unknown where a lower bound leaves so much of it over."""
    return _Whole({n: c for n, c in low.terms.items() if n != name}, low.number + more)


def _effort(rows: Sequence[_Whole], name: str) -> tuple[int, int]:
    mine = [r for r in rows if r.of(name)]
    period = lcm(*(r.divisor // gcd(r.divisor, r.of(name)) for r in mine if r.divisor))
    uppers = [r.of(name) for r in mine if not r.divisor and r.of(name) > 0]
    lowers = [-r.of(name) for r in mine if not r.divisor and r.of(name) < 0]
    if period == 1 and (all(c == 1 for c in uppers) or all(c == 1 for c in lowers)):
        return 0, len(uppers) * len(lowers)
    return sum(lowers) * period, len(uppers) * len(lowers)


def _independent(rows: Sequence[_Whole]) -> list[list[_Whole]]:
    """The rows by what they share unknowns with."""
    groups: list[tuple[set[str], list[_Whole]]] = []
    for r in rows:
        names, together = set(r.terms), [r]
        apart = []
        for group in groups:
            if group[0] & names:
                names |= group[0]
                together += group[1]
            else:
                apart.append(group)
        groups = [*apart, (names, together)]
    return [found for _, found in groups]
