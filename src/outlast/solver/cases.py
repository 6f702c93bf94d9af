"""Arithmetic on cases: sums, products, quotients and functions of numbers that are not known, each result under its conditions.

The cases of one expression cover all values. What is no number (infinite, off, undefined) is a result of its own; a divisor
that is not known stays one, and that it is positive becomes a condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from outlast.constraints.evaluate import Extended, Special, backoff_total
from outlast.constraints.polynomial import Group, Poly, constant
from outlast.solver.logic import FALSE, TRUE, Logic, below, both, negated, zero

__all__ = [
    "MOST_CASES",
    "Case",
    "TooManyCasesError",
    "add",
    "as_case",
    "as_extended",
    "backoff_cases",
    "cleared",
    "least",
    "limit",
    "over",
    "pairs",
    "powers",
    "times",
    "without_divisors",
]

#: More cases than this for one rule are an error that says what to fix.
MOST_CASES: Final = 256

#: A polynomial in unknown numbers, or what is no number, under conditions.
Case = tuple[tuple[Logic, ...], Poly | Special]


class TooManyCasesError(Exception):
    """A comparison falls apart into more than `MOST_CASES` cases, or multiplies unknown numbers."""


def as_case(value: Extended) -> Poly | Special:
    """A known result as a case's value."""
    return constant(value) if isinstance(value, Fraction) else value


def as_extended(value: Poly | Special) -> Extended | None:
    """A case's value where it is known; None: it is not."""
    return value.constant if isinstance(value, Poly) else value


def pairs(left: list[Case], right: list[Case]) -> Iterator[tuple[Case, Case]]:
    """Every case of one side with every case of the other."""
    limit((left, right))
    return ((a, b) for a in left for b in right)


def limit(parts: Iterable[list[Case]]) -> None:
    """Refuse combinations of too many cases."""
    total = 1
    for part in parts:
        total *= len(part)
    if total > MOST_CASES * 4:
        raise TooManyCasesError(f"falls apart into more than {MOST_CASES} cases")


def add(total: Poly | Special, term: Poly | Special, coefficient: Fraction) -> Poly | Special:
    """total + coefficient · term."""
    if isinstance(total, Poly) and isinstance(term, Poly):
        return total.plus(term, coefficient)
    signed = term
    if coefficient < 0 and isinstance(term, Special):
        signed = {Special.PLUS: Special.MINUS, Special.MINUS: Special.PLUS}.get(term, term)
    values = {total, signed}
    for strongest in (Special.OFF, Special.UNDEFINED):
        if strongest in values:
            return strongest
    if {Special.PLUS, Special.MINUS} <= values:
        return Special.UNDEFINED
    return total if isinstance(total, Special) else signed


def times(left: Case, right: Case) -> Iterator[Case]:
    """The product; where one side is infinite and the other unknown, its sign makes the cases."""
    (left_where, a), (right_where, b) = left, right
    where = (*left_where, *right_where)
    for strongest in (Special.OFF, Special.UNDEFINED):
        if strongest in (a, b):
            yield where, strongest
            return
    if isinstance(a, Poly) and isinstance(b, Poly):
        yield where, a * b
    elif isinstance(a, Special) and isinstance(b, Special):
        yield where, Special.PLUS if a is b else Special.MINUS
    else:
        endless, number = (a, b) if isinstance(a, Special) else (b, a)
        assert isinstance(endless, Special)
        assert isinstance(number, Poly)
        opposite = Special.MINUS if endless is Special.PLUS else Special.PLUS
        defined, (cleared,) = without_divisors((number,))
        for condition, value in (
            (zero(cleared), constant(Fraction(0))),
            (below(cleared.scaled(Fraction(-1)), strict=True), endless),
            (below(cleared, strict=True), opposite),
        ):
            if condition is not FALSE:
                yield (*where, defined, condition), value
        if defined is not TRUE:
            yield (*where, negated(defined)), Special.UNDEFINED


def over(left: Case, right: Case) -> Iterator[Case]:
    """The quotient; a divisor that is not known stays one until the comparison is multiplied out."""
    (left_where, a), (right_where, b) = left, right
    where = (*left_where, *right_where)
    for strongest in (Special.OFF, Special.UNDEFINED):
        if strongest in (a, b):
            yield where, strongest
            return
    if isinstance(b, Special):
        if b is Special.MINUS or isinstance(a, Special):
            yield where, Special.UNDEFINED
        else:
            yield where, constant(Fraction(0))
        return
    number = b.constant
    if number is not None:
        if number <= 0:
            yield where, Special.UNDEFINED
        elif isinstance(a, Special):
            yield where, a
        else:
            yield where, a.scaled(1 / number)
        return
    positive = below(b.scaled(Fraction(-1)), strict=True)
    if isinstance(a, Special) or not a.terms:  # 0 has no term that would keep the divisor
        yield (*where, positive), a
        yield (*where, negated(positive)), Special.UNDEFINED
    else:
        yield where, a * Poly({((Group(b, f"({b.text()})"), -1),): Fraction(1)})


def least(values: list[Poly | Special], function: str) -> Iterator[Case]:
    """The smallest or greatest of the values, a case for each that may be it."""
    for strongest in (Special.OFF, Special.UNDEFINED):
        if strongest in values:
            yield (), strongest
            return
    winner, loser = (Special.MINUS, Special.PLUS) if function == "min" else (Special.PLUS, Special.MINUS)
    if winner in values:
        yield (), winner
        return
    polys = list(dict.fromkeys(v for v in values if isinstance(v, Poly)))
    if not polys:
        yield (), loser
        return
    defined, cleared = without_divisors(polys)
    for poly, own in zip(polys, cleared, strict=True):
        others = (other for other in cleared if other is not own)
        where = tuple(below(other - own if function == "max" else own - other, strict=False) for other in others)
        if all(w is not FALSE for w in where):
            yield tuple(w for w in (defined, *where) if w is not TRUE), poly
    if defined is not TRUE:
        yield (negated(defined),), Special.UNDEFINED


def backoff_cases(base: Poly | Special, factor: Fraction, cap: Poly | Special, retries: int) -> list[Case]:
    """Σ min(cap, base · factorⁱ): a case for each number of waits that the cap does not cut."""
    if not isinstance(base, Poly) or not isinstance(cap, Poly):
        growth = [factor**i for i in range(retries)]
        if not isinstance(cap, Poly) and isinstance(base, Poly):
            return [((), base.scaled(sum(growth, Fraction(0))) if cap is Special.PLUS else Special.UNDEFINED)]
        if isinstance(cap, Poly) and base is Special.PLUS:
            reached = sum(1 for power in growth if power)
            return [((), cap.scaled(Fraction(reached)))]
        return [((), as_case(backoff_total(Special.PLUS, factor, Special.PLUS, Fraction(retries))))]
    waits = [base.scaled(factor**i) for i in range(retries)]
    if powers(base, cap):
        raise TooManyCasesError("divides by a free parameter inside backoff; fix it")
    if factor < 1:
        waits.reverse()
    cases: list[Case] = []
    for uncut in range(retries + 1):
        conditions = []
        if uncut:
            conditions.append(below(waits[uncut - 1] - cap, strict=False))
        if uncut < retries:
            conditions.append(below(cap - waits[uncut], strict=True))
        total = cap.scaled(Fraction(retries - uncut))
        for wait in waits[:uncut]:
            total = total + wait
        if all(c is not FALSE for c in conditions):
            cases.append((tuple(c for c in conditions if c is not TRUE), total))
    return cases


def powers(*polys: Poly) -> dict[Group, int]:
    """Every divisor with the highest power in which it stands."""
    powers: dict[Group, int] = {}
    for poly in polys:
        for monomial, _ in poly:
            for atom, exponent in monomial:
                if isinstance(atom, Group) and exponent < 0:
                    powers[atom] = max(powers.get(atom, 0), -exponent)
    return powers


def without_divisors(polys: Iterable[Poly]) -> tuple[Logic, list[Poly]]:
    """That every divisor is positive, and the polynomials multiplied by all of them, their order and signs kept."""
    polys = list(polys)
    divisors = powers(*polys)
    return _all_positive(a.poly for a in divisors), [cleared(p, divisors) for p in polys]


def _all_positive(polys: Iterable[Poly]) -> Logic:
    return both(below(p.scaled(Fraction(-1)), strict=True) for p in polys)


def cleared(poly: Poly, divisors: Mapping[Group, int]) -> Poly:
    """The polynomial multiplied by all these divisors."""
    total = Poly({})
    for monomial, coefficient in poly:
        own = {a: -n for a, n in monomial if isinstance(a, Group) and n < 0}
        term = Poly({tuple((a, n) for a, n in monomial if a not in own): coefficient})
        for atom, power in divisors.items():
            for _ in range(power - own.get(atom, 0)):
                term = term * atom.poly
        total = total + term
    return total
