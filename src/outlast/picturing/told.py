"""What a picture was told, its formulas multiplied out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from outlast.constraints.expression import Expr
from outlast.constraints.normal import Formula, Inequality
from outlast.constraints.pictures import PARTS, Answer, Picture, Shape, Unseen
from outlast.constraints.polynomial import Poly
from outlast.constraints.quantities import Kind
from outlast.constraints.record import record
from outlast.picturing.drawing import Amount, Fact, Lane, Need
from outlast.picturing.equal import is_strict
from outlast.picturing.formulas import OFF, any_of, at_most, less, negated

__all__ = ["Scene", "Told", "amount", "bare", "capital", "needs_of", "number", "told_by", "unsaid"]


@record(kw_only=True)
class Scene:
    """What is drawn and said of a picture."""

    title: str
    lanes: tuple[Lane, ...]
    facts: tuple[Fact, ...]


@record(kw_only=True)
class Told:
    """The parts of a picture: whose each is, and its formula."""

    parts: Mapping[str, tuple[tuple[str, Poly], ...]]
    #: What its rules ask for.
    compared: tuple[Inequality, ...] = ()
    #: What is on the way, too, and not in the picture.
    unseen: tuple[Unseen, ...] = ()
    #: Of each hop, in their order, what it answers that has forgotten; empty: nothing is known of any.
    answers: tuple[Answer, ...] = ()

    def has(self, *parts: str) -> bool:
        """Whether the picture was told any of these."""
        return any(self.parts.get(part) for part in parts)

    def one(self, part: str) -> Poly:
        """The formula of a part that is no list; off where the picture was not told."""
        return self.parts[part][0][1] if self.parts.get(part) else OFF

    def each(self, part: str) -> tuple[tuple[str, Poly], ...]:
        """The members of a list, with whose they are."""
        return self.parts.get(part, ())

    def is_strict(self, one: Poly, other: Poly, *, usual: bool = True) -> bool:
        """Whether it does harm that two clocks end at the same moment; `usual` where no rule says so, or rules say different things."""
        return is_strict(self.compared, one, other, usual)

    def before(self, one: Poly, other: Poly) -> Formula:
        """Whether one clock ends before another one; or with it, where the rules let it."""
        return (less if self.is_strict(one, other) else at_most)(one, other)

    def owner(self, *parts: str) -> str | None:
        """Whose the first of these parts is that says so."""
        labels = ((part, label) for part in parts for label, _ in self.parts.get(part, ()))
        return next((label for part, label in labels if label != part), None)


def told_by(picture: Picture, poly_of: Callable[[Expr], Poly], compared: tuple[Inequality, ...] = ()) -> Told:
    """The parts of a picture, and what its rules ask for.

    Raises:
        ZeroDivisionError: a formula divides by 0.
        TooManyTermsError: a formula has too many terms when multiplied out.
    """
    parts = {
        name: tuple((part.label, poly_of(part.formula)) for part in parts) for name, parts in picture.parts.items()
    }
    answers = tuple(part.answers for part in picture.parts.get("hops", ()))
    return Told(parts=parts, compared=compared, unseen=picture.unseen, answers=answers)


def needs_of(shape: Shape, told: Told) -> tuple[Need, ...]:
    """What has to be so of the parts: none is below zero, and what counts is a whole number from 1 on."""
    return tuple(
        Need(
            label=label if kind.is_list and label.split(" ")[0] != part else part.replace("hops", "hop"),
            poly=formula,
            time_exponent=kind.quantity.time_exponent,
            is_whole=kind.quantity is Kind.COUNT,
        )
        for part, kind in PARTS[shape].items()
        for label, formula in told.each(part)
    )


def amount(duration: Poly) -> Amount:
    """A duration in words."""
    return Amount(duration, 1)


def number(value: Poly) -> Amount:
    """A count in words."""
    return Amount(value, 0)


def bare(label: str) -> str:
    """A label of a lane."""
    return label.removeprefix("the ")


def capital(label: str) -> str:
    """A label at the beginning of a sentence; names stay as they are, `the server` is none."""
    return f"T{label[1:]}" if label.startswith("the ") else label


def unsaid(facts: Sequence[Fact]) -> Fact:
    """What is said where none of these is so."""
    return Fact(
        words=("What happens cannot be said: a clock is off or has no value.",),
        when=negated(any_of(*(fact.when for fact in facts if fact.when is not None))),
    )
