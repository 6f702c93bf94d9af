"""Sums of products with exact coefficients: the arithmetic of the normal form, independent of how a formula was written.

A polynomial maps monomials to coefficients; a monomial is a product of atoms with whole exponents. Atoms are parameters, quantiles,
function calls and, for a division by a sum, that sum. Terms keep the order in which the formula mentions them, for display;
equality and hashing ignore it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from outlast.constraints.quantities import format_number, format_value
from outlast.constraints.record import record

if TYPE_CHECKING:
    from outlast.constraints.normal import Formula

__all__ = [
    "MOST_TERMS",
    "Apply",
    "Atom",
    "Group",
    "Monomial",
    "Poly",
    "Quant",
    "Switch",
    "TooManyTermsError",
    "Var",
    "constant",
    "variable",
]


@record
class Var:
    """A parameter."""

    name: str
    time_exponent: int

    @property
    def key(self) -> str:
        """What atoms are ordered by."""
        return self.name


@record
class Quant:
    """A quantile of a measurement; its bound depends on the side on which it stands."""

    level: Fraction
    measurement: str

    @property
    def time_exponent(self) -> int:
        """What was measured are durations."""
        return 1

    @property
    def key(self) -> str:
        """What atoms are ordered by."""
        return f"p{format_number(self.level * 100)}({self.measurement})"


@record
class Apply:
    """A function call (`min`, `max`, `ceil`, `floor`, `first_set`, `backoff`, `tcp_give_up`)."""

    function: str
    arguments: tuple[Poly, ...]
    key: str = field(compare=False)
    time_exponent: int = field(compare=False)


@record
class Switch:
    """`if(condition, then, otherwise)`."""

    condition: Formula
    then: Poly
    otherwise: Poly
    key: str = field(compare=False)
    time_exponent: int = field(compare=False)


@record
class Group:
    """A sum by which something is divided."""

    poly: Poly
    key: str = field(compare=False)

    @property
    def time_exponent(self) -> int:
        """The power of time of the sum."""
        return self.poly.time_exponent


Atom = Var | Quant | Apply | Switch | Group
#: Factors with their exponents, ordered by key.
Monomial = tuple[tuple[Atom, int], ...]


#: Products of sums that make more terms than this are not multiplied out.
MOST_TERMS: Final = 20_000


class TooManyTermsError(Exception):
    """A product of sums has more than `MOST_TERMS` terms."""


class Poly:
    """An immutable polynomial; do not change `terms`."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: dict[Monomial, Fraction]) -> None:
        self.terms: Final = terms
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __iter__(self) -> Iterator[tuple[Monomial, Fraction]]:
        return iter(self.terms.items())

    def __repr__(self) -> str:
        return f"Poly({self.text()})"

    def __add__(self, other: Poly) -> Poly:
        return self.plus(other, Fraction(1))

    def __sub__(self, other: Poly) -> Poly:
        return self.plus(other, Fraction(-1))

    def __mul__(self, other: Poly) -> Poly:
        if len(self.terms) * len(other.terms) > MOST_TERMS:
            raise TooManyTermsError
        return Poly(
            _collect((_join(a, b), x * y) for a, x in self.terms.items() for b, y in other.terms.items()),
        )

    def plus(self, other: Poly, factor: Fraction) -> Poly:
        """`self + factor * other`."""
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            total = terms.get(monomial, 0) + factor * coefficient
            if total:
                terms[monomial] = total
            else:
                terms.pop(monomial, None)
        return Poly(terms)

    def scaled(self, factor: Fraction) -> Poly:
        """`factor * self`."""
        return Poly({m: c * factor for m, c in self.terms.items()}) if factor else Poly({})

    def inverse(self, time_exponent: int) -> Poly:
        """`1 / self`, which has this power of time.

        Raises:
            ZeroDivisionError: the polynomial is 0.
        """
        if not self.terms:
            raise ZeroDivisionError
        if len(self.terms) == 1:
            ((monomial, coefficient),) = self.terms.items()
            return Poly({tuple((a, -n) for a, n in monomial): 1 / coefficient})
        return Poly({((Group(self, f"({self.text(time_exponent)})"), -1),): Fraction(1)})

    @property
    def constant(self) -> Fraction | None:
        """The value, if no atom is left; else None."""
        if not self.terms:
            return Fraction(0)
        if len(self.terms) == 1 and () in self.terms:
            return self.terms[()]
        return None

    @property
    def time_exponent(self) -> int:
        """The power of time of its first term; 0 for the empty sum."""
        for monomial in self.terms:
            return sum(a.time_exponent * n for a, n in monomial)
        return 0

    def atoms(self) -> Iterator[Atom]:
        """Every atom of every term, functions' arguments not opened."""
        return (atom for monomial in self.terms for atom, _ in monomial)

    def all_atoms(self) -> Iterator[Atom]:
        """Every atom, those inside functions, divisors and conditions included."""
        for atom in self.atoms():
            yield atom
            for inner in _inside(atom):
                yield from inner.all_atoms()

    def negative_part(self) -> Poly:
        """The terms with a negative coefficient, their signs turned."""
        return Poly({m: -c for m, c in self.terms.items() if c < 0})

    def positive_part(self) -> Poly:
        """The terms with a positive coefficient."""
        return Poly({m: c for m, c in self.terms.items() if c > 0})

    def text(self, time_exponent: int | None = None) -> str:
        """The polynomial in the rule language; `time_exponent` is the dimension, told where only the caller knows it."""
        if not self.terms:
            return format_value(Fraction(0), time_exponent or 0)
        pieces: list[str] = []
        for monomial, coefficient in self.terms.items():
            piece = _term_text(monomial, abs(coefficient), time_exponent)
            sign = "-" if coefficient < 0 else "+"
            pieces.append(f" {sign} {piece}" if pieces else ("-" if sign == "-" else "") + piece)
        return "".join(pieces)


def _inside(atom: Atom) -> Iterator[Poly]:
    match atom:
        case Apply():
            yield from atom.arguments
        case Switch():
            yield from atom.condition.polys()
            yield atom.then
            yield atom.otherwise
        case Group():
            yield atom.poly
        case _:
            return


def constant(value: Fraction) -> Poly:
    """A polynomial without atoms."""
    return Poly({(): value}) if value else Poly({})


def variable(atom: Atom) -> Poly:
    """A polynomial that is one atom."""
    return Poly({((atom, 1),): Fraction(1)})


def _collect(terms: Iterable[tuple[Monomial, Fraction]]) -> dict[Monomial, Fraction]:
    total: dict[Monomial, Fraction] = {}
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, Fraction(0)) + coefficient
    return {m: c for m, c in total.items() if c}


def _join(left: Monomial, right: Monomial) -> Monomial:
    if not left or not right:
        return left or right
    powers: dict[Atom, int] = dict(left)
    for atom, exponent in right:
        powers[atom] = powers.get(atom, 0) + exponent
    return tuple(sorted(((a, n) for a, n in powers.items() if n), key=lambda factor: factor[0].key))


def _term_text(monomial: Monomial, coefficient: Fraction, time_exponent: int | None) -> str:
    over = [(a, n) for a, n in monomial if n > 0]
    under = [(a, -n) for a, n in monomial if n < 0]
    rest = None if time_exponent is None else time_exponent - sum(a.time_exponent * n for a, n in monomial)
    number = format_value(coefficient, rest or 0)
    top = [a.key for a, n in over for _ in range(n)]
    if coefficient != 1 or not top or rest:
        top.insert(0, number)
    bottom = "".join(f" / {a.key}" for a, n in under for _ in range(n))
    return " * ".join(top) + bottom


#: Looks a quantile's bound up: the atom, and whether the greater bound is wanted.
QuantileBound = Callable[[Quant, bool], Fraction]
