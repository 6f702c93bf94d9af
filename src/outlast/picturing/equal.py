"""Whether two clocks of a picture that end at the same moment do harm: as the picture's rules say that compare the two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from outlast.constraints.normal import Inequality, NormalRule, comparisons
from outlast.constraints.polynomial import Apply, Poly

__all__ = ["compared_by", "is_strict"]

#: Functions that come out at one of their arguments.
_CHOICES: Final = ("min", "max", "first_set")


def compared_by(rules: Iterable[NormalRule]) -> tuple[Inequality, ...]:
    """What rules ask for, without their conditions."""
    return tuple(
        each
        for rule in rules
        for each in comparisons(rule.formula)
        if isinstance(each, Inequality) and not each.optimistic
    )


def is_strict(compared: Iterable[Inequality], one: Poly, other: Poly, usual: bool) -> bool:
    """Whether equal is not enough; `usual` where no comparison is about these two, or they do not say the same.

    One that asks for more than that one precedes the other, `one + 5s <= other`, forbids that they are equal.
    """
    votes = {
        vote
        for inequality in compared
        for smaller, larger in _sides(inequality)
        for first, second in ((one, other), (other, one))
        if (vote := _vote(inequality, (smaller, larger), (first, second))) is not None
    }
    return votes.pop() if len(votes) == 1 else usual


def _vote(inequality: Inequality, sides: tuple[Poly, Poly], clocks: tuple[Poly, Poly]) -> bool | None:
    """What one comparison of two sums says of the clocks; None: it is not about them, or equal may be well or not."""
    difference = (sides[0] - clocks[0]) - (sides[1] - clocks[1])
    if not difference.terms:
        return inequality.strict
    # Of what a function chooses from another one may be what counts.
    is_whole = sides == (inequality.left, inequality.right)
    is_more = is_whole and all(coefficient > 0 for _, coefficient in difference)
    return True if is_more and set(clocks[1].atoms()) <= set(sides[1].atoms()) else None


def _sides(inequality: Inequality) -> Iterator[tuple[Poly, Poly]]:
    for left in _choices(inequality.left):
        for right in _choices(inequality.right):
            yield left, right


def _choices(side: Poly) -> Iterator[Poly]:
    """It, or of a function that chooses what it chooses from."""
    yield side
    if len(side.terms) != 1:
        return
    for monomial, coefficient in side:
        for atom, exponent in monomial if len(monomial) == 1 else ():
            if isinstance(atom, Apply) and atom.function in _CHOICES and coefficient == 1 and exponent == 1:
                for argument in atom.arguments:
                    yield from _choices(argument)
