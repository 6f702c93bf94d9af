"""What a derivation is made of: premises, lines, and what they end in."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.polynomial import Monomial, Poly
from outlast.constraints.record import record
from outlast.solver.logic import Below
from outlast.solver.statements import monomial_exponent

__all__ = [
    "Apart",
    "Between",
    "Bound",
    "Broken",
    "Chain",
    "Derivation",
    "Line",
    "Meeting",
    "Premise",
    "Split",
]


@record
class Premise:
    """What a line rests on: an item by its id (as in `Step.item`), or an earlier line by its number."""

    of: str | int
    row: Below
    #: What the row counts times; negative only where a value is an equation.
    multiplier: Fraction


@record
class Bound:
    """One unknown number is under (or over) a value; it may be just that value unless strict."""

    unknown: Monomial
    is_upper: bool
    value: Fraction
    strict: bool

    @property
    def name(self) -> str:
        """The unknown in the rule language."""
        return Poly({self.unknown: Fraction(1)}).text(self.time_exponent)

    @property
    def time_exponent(self) -> int:
        """The power of time of the value."""
        return monomial_exponent(self.unknown)


@record(kw_only=True)
class Line:
    """One reason: the weighted sum of the premises' rows is the conclusion."""

    #: From 1.
    number: int
    premises: tuple[Premise, ...]
    conclusion: Below
    #: What the conclusion says where it speaks of one unknown.
    bound: Bound | None
    #: Ids of items that the premises' rows already contain as numbers.
    given: tuple[str, ...] = ()


@record(kw_only=True)
class Meeting:
    """Two lines of which one says that the unknown is smaller than the other says; their conclusions add up to `missing` < 0 or ≤ 0."""

    upper: int
    lower: int
    unknown: Monomial
    #: By how much they miss each other; 0 where they only touch and one of them is strict.
    missing: Fraction

    @property
    def time_exponent(self) -> int:
        """The power of time of what is missing."""
        return monomial_exponent(self.unknown)


@record(kw_only=True)
class Broken:
    """One rule that the given values break, whatever other quantities of its smaller side are."""

    #: The rule, then the values, then that the others are not negative.
    premises: tuple[Premise, ...]
    #: The rule's row and its sides, in numbers of the row's own dimension.
    row: Below
    left: Fraction
    right: Fraction
    given: tuple[str, ...] = ()
    #: What the values leave no room for: counted as 0, the least that it can be.
    squeezed: tuple[Monomial, ...] = ()


@record
class Chain:
    """Lines, each of which uses earlier ones only, and what they end in."""

    lines: tuple[Line, ...]
    end: Meeting | Broken


@record(kw_only=True)
class Between:
    """An unknown that would have to lie where its step, its list or alternatives have no value."""

    #: The item that leaves nothing there, and what else it takes.
    item: str
    also: tuple[str, ...]
    unknown: Monomial
    lines: tuple[Line, ...]
    #: Numbers of the lines that bound it; None where nothing does from that side.
    lower: int | None
    upper: int | None
    #: What is possible below and above the gap.
    below: Bound | None
    above: Bound | None


@record
class Split:
    """Alternatives of which one would have to hold, each with what is wrong with it."""

    item: str
    also: tuple[str, ...]
    #: What each one assumes.
    says: tuple[str, ...]
    cases: tuple[Derivation, ...]


@record
class Apart:
    """Statements that exclude each other without arithmetic."""

    items: tuple[str, ...]
    says: tuple[str, ...]


Derivation = Chain | Between | Split | Apart
