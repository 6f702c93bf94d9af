"""Attempts and the waits between them, end to end, under the limit of all together.

Attempt k begins after k − 1 attempts that all take as long as they may, and the waits between them: those of `backoff`, where the waits
grow; one block after all attempts, where only their sum is known. What fits exactly fits, unless the rules forbid it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from outlast.constraints.normal import Formula
from outlast.constraints.polynomial import Poly
from outlast.constraints.record import record
from outlast.picturing.drawing import Bar, Fact, Lane, Mark, Tone, Words
from outlast.picturing.formulas import (
    ALWAYS,
    ZERO,
    any_of,
    at_most,
    backoff,
    both,
    count,
    first_set,
    has_value,
    is_infinite,
    is_number,
    is_off,
    less,
    maximum,
    minimum,
    negated,
)
from outlast.picturing.told import Scene, Told, amount, number, unsaid

__all__ = ["retries"]

#: How many attempts are drawn one by one, and how many waits are added up at most (evaluate.py adds no more where a factor is no whole number).
_MOST_ATTEMPTS: Final = 12
#: Up to how many attempts, and up to how many waits, each has words.
_MOST_WORDS: Final = 4
_MOST_WAITS_NAMED: Final = 2
_MOST_WAITS: Final = 256


@record(kw_only=True)
class _Budget:
    """What is spent, and of what."""

    attempts: Poly
    attempt: Poly
    #: The first wait, by what each is longer, and the longest; None: they do not grow.
    growing: tuple[Poly, Poly, Poly] | None
    #: All waits together, where they do not grow.
    waits: Poly
    deadline: Poly
    #: Whether what fits exactly is too long.
    is_strict: bool

    def begins(self, done: int) -> Poly:
        """When the attempt after that many, and the waits after them, begins."""
        return self.attempt.scaled(Fraction(done)) + self._waited(count(done))

    def ended(self, done: int) -> Poly:
        """When that many attempts are over, and the waits between them."""
        return self.attempt.scaled(Fraction(done)) + self._waited(count(max(done - 1, 0)))

    @property
    def all_attempts(self) -> Poly:
        """When all attempts are over; waits that do not grow come after that."""
        retries = minimum(self.attempts - count(1), count(_MOST_WAITS))
        return self.attempts * self.attempt + self._waited(retries)

    @property
    def total(self) -> Poly:
        """When it is all over."""
        return self.all_attempts + self.waits

    @property
    def is_added_up(self) -> Formula:
        """Whether `total` knows all of the waits."""
        return ALWAYS if self.growing is None else at_most(self.attempts, count(_MOST_WAITS + 1), 0)

    def _waited(self, retries: Poly) -> Poly:
        return ZERO if self.growing is None or retries.constant == 0 else backoff(*self.growing, retries)


def retries(told: Told) -> Scene:
    """A lane of the attempts and waits, and one of the deadline."""
    budget = _budget(told)
    deadline = budget.deadline
    limit = Bar(start=ZERO, end=deadline, words=("runs",))
    owner, title = told.owner("attempts", "attempt", "base", "waits", "deadline"), "attempts under a deadline"
    return Scene(
        title=f"{owner}: {title}" if owner else title.capitalize(),
        lanes=(
            Lane(label="attempts", bars=tuple(_spent(budget))),
            Lane(label="deadline", bars=(limit,), marks=(Mark(at=deadline, words=("gives up",)),)),
        ),
        facts=tuple(_facts(budget)),
    )


def _budget(told: Told) -> _Budget:
    growing = (told.one("base"), told.one("factor"), told.one("cap")) if told.has("base") else None
    attempts, attempt, deadline = told.one("attempts"), told.one("attempt"), told.one("deadline")
    waits = told.one("waits") if told.has("waits") else ZERO
    waited = waits if growing is None else backoff(*growing, attempts - count(1))
    return _Budget(
        attempts=attempts,
        attempt=attempt,
        growing=growing,
        waits=waits,
        deadline=deadline,
        is_strict=told.is_strict(attempts * attempt + waited, deadline, usual=False),
    )


def _spent(budget: _Budget) -> list[Bar]:
    """Each bar in two: what lies before the deadline, and what lies beyond."""
    attempts, bars = budget.attempts, list[Bar]()
    for done in range(_MOST_ATTEMPTS):
        bars += _attempt(budget, done)
        if budget.growing is not None:
            is_waited = less(count(done + 1), attempts, 0)
            bars += _wait(budget, done, is_waited)
    last = budget.begins(_MOST_ATTEMPTS)
    more = less(count(_MOST_ATTEMPTS), attempts, 0)
    words: Words = ("and ", number(attempts - count(_MOST_ATTEMPTS)), " more")
    bars += _split(budget, last, budget.all_attempts, words, Tone.OPEN, both(more, budget.is_added_up))
    if budget.growing is not None:
        beyond = both(more, negated(budget.is_added_up))
        bars.append(Bar(start=last, end=None, words=words, tone=Tone.OPEN, when=beyond))
    if budget.waits is not ZERO:
        bars += _split(budget, budget.all_attempts, budget.total, ("all waits together",), Tone.WAIT, ALWAYS)
    endless: Words = ("an attempt without a limit",)
    bars.append(Bar(start=ZERO, end=None, words=endless, tone=Tone.OPEN, when=is_off(budget.attempt)))
    return bars


def _attempt(budget: _Budget, done: int) -> Iterator[Bar]:
    """The attempt after that many. Of many attempts the first, the last and the one that the deadline cuts have words."""
    start, end = budget.begins(done), budget.ended(done + 1)
    words, told = (f"attempt {done + 1}",), f"attempt {done + 1}"
    is_made = less(count(done), budget.attempts, 0)
    is_cut = both(is_made, less(start, budget.deadline), less(budget.deadline, end))
    is_whole = both(is_made, negated(is_cut))
    yield Bar(start=start, end=budget.deadline, words=words, tone=Tone.OPEN, when=is_cut)
    yield Bar(start=budget.deadline, end=end, words=(f"{told}, too late",), tone=Tone.BAD, when=is_cut)
    if not done:
        yield from _split(budget, start, end, words, Tone.OPEN, is_whole)
        return
    is_named = at_most(budget.attempts, count(max(_MOST_WORDS, done + 1)), 0)
    yield from _split(budget, start, end, words, Tone.OPEN, both(is_whole, is_named))
    yield from _split(budget, start, end, (), Tone.OPEN, both(is_whole, negated(is_named)), told)


def _wait(budget: _Budget, done: int, is_waited: Formula) -> Iterator[Bar]:
    """The wait after that many attempts and one more; of more than two none has words."""
    start, end = budget.ended(done + 1), budget.begins(done + 1)
    are_few = at_most(budget.attempts, count(_MOST_WAITS_NAMED + 1), 0)
    if done < _MOST_WAITS_NAMED:
        yield from _split(budget, start, end, ("wait",), Tone.WAIT, both(is_waited, are_few))
    yield from _split(budget, start, end, (), Tone.WAIT, both(is_waited, negated(are_few)), "wait")


def _split(
    budget: _Budget, start: Poly, end: Poly, words: Words, tone: Tone, when: Formula, told: str = ""
) -> Iterator[Bar]:
    limit = first_set(budget.deadline, end)
    yield Bar(start=start, end=minimum(end, limit), words=words, tone=tone, when=when, told=told)
    yield Bar(start=maximum(start, limit), end=end, words=words, tone=Tone.BAD, when=when, told=told)


def _facts(budget: _Budget) -> list[Fact]:
    deadline, attempts = amount(budget.deadline), number(budget.attempts)
    is_one = both(at_most(budget.attempts, count(1), 0), at_most(count(1), budget.attempts, 0))
    has_waits = budget.growing is not None or budget.waits is not ZERO
    one = "1 attempt takes" if budget.waits is ZERO else "1 attempt and all waits take"
    waits = " and the waits between them" if has_waits else ""
    facts = [
        *_taken(budget, (attempts, f" attempts{waits} take at most "), negated(is_one)),
        *_taken(budget, (f"{one} at most ",), is_one),
        Fact(
            words=("The attempts may go on for ever; the deadline comes after ", deadline, "."),
            tone=Tone.BAD,
            when=both(is_number(budget.deadline), is_infinite(budget.total)),
        ),
        Fact(
            words=("The waits of ", attempts, " attempts are too many to be added up here."),
            when=negated(budget.is_added_up),
        ),
        Fact(words=("No attempt has a limit of its own.",), tone=Tone.BAD, when=is_off(budget.attempt)),
    ]
    return [*facts, unsaid(facts), *_unknown_moments(budget), *_begun(budget)]


def _unknown_moments(budget: _Budget) -> Iterator[Fact]:
    if budget.waits is not ZERO:
        words = ("When each attempt begins is not known: of the waits only what they come to together is.",)
        yield Fact(words=words, when=both(less(count(1), budget.attempts, 0), less(ZERO, budget.waits)))


def _taken(budget: _Budget, subject: Words, when: Formula) -> Iterator[Fact]:
    """How long it all takes, and whether that is too long."""
    deadline, taken = amount(budget.deadline), (*subject, amount(budget.total))
    summed, limited = both(when, budget.is_added_up), is_number(budget.deadline)
    endless = any_of(is_off(budget.deadline), is_infinite(budget.deadline))
    yield Fact(
        words=(*taken, "; the deadline comes after ", deadline, "."),
        tone=Tone.GOOD,
        when=both(summed, limited, (less if budget.is_strict else at_most)(budget.total, budget.deadline)),
    )
    if budget.is_strict:
        equal = both(at_most(budget.total, budget.deadline), at_most(budget.deadline, budget.total))
        yield Fact(
            words=(*taken, ", and just then the deadline comes: that is too long."),
            tone=Tone.BAD,
            when=both(summed, limited, equal),
        )
    yield Fact(
        words=(*taken, ", which is more than the deadline of ", deadline, "."),
        tone=Tone.BAD,
        when=both(summed, limited, is_number(budget.total), less(budget.deadline, budget.total)),
    )
    yield Fact(words=(*taken, "; there is no deadline."), when=both(summed, has_value(budget.total), endless))


def _begun(budget: _Budget) -> Iterator[Fact]:
    """How many attempts begin before the deadline, where that is not all of them; of waits that lie anywhere, at most how many."""
    attempts, begins = number(budget.attempts), budget.begins
    is_one = at_most(budget.attempts, count(1), 0)
    none = both(at_most(budget.deadline, ZERO), less(budget.deadline, budget.total))
    yield Fact(words=("The attempt does not begin before the deadline.",), tone=Tone.BAD, when=both(none, is_one))
    yield Fact(
        words=("None of ", attempts, " attempts begins before the deadline."),
        tone=Tone.BAD,
        when=both(none, negated(is_one)),
    )
    only = "only" if budget.waits is ZERO else "at most"
    for made in range(1, _MOST_ATTEMPTS):
        comes = both(less(begins(made - 1), budget.deadline), at_most(budget.deadline, begins(made)))
        verb = "begins" if made == 1 else "begin"
        yield Fact(
            words=("Of ", attempts, f" attempts {only} {made} {verb} before the deadline."),
            tone=Tone.BAD,
            when=both(less(count(made), budget.attempts, 0), comes),
        )
