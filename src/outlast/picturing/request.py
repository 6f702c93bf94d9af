"""An attempt down a dead connection: whether the health check finds out before the attempt gives up.

Time begins when the attempt is sent; nothing has been read since. A drop at the moment at which the attempt gives up is too late, unless
the rules let it be.
"""

from __future__ import annotations

from outlast.constraints.normal import Formula
from outlast.constraints.polynomial import Poly
from outlast.constraints.record import record
from outlast.picturing.drawing import Bar, Fact, Lane, Mark, Tone, Words
from outlast.picturing.formulas import (
    NEVER,
    ZERO,
    any_of,
    at_most,
    both,
    is_infinite,
    is_number,
    is_off,
    less,
    minimum,
    negated,
)
from outlast.picturing.told import Scene, Told, amount, unsaid

__all__ = ["request"]


@record(kw_only=True)
class _Clocks:
    """What runs, and what comes of it: exactly one of the cases, if all that there is has a value."""

    deadline: Poly
    #: When the connection is dropped.
    dead: Poly
    in_time: Formula
    #: It is dropped just when the attempt gives up, and the rules let it.
    just_in_time: Formula
    #: It is dropped while an attempt waits that has no deadline.
    in_time_anyway: Formula
    equal: Formula
    late: Formula
    #: Nothing drops the connection, and the attempt gives up.
    unseen: Formula
    #: Nothing drops the connection, and the attempt never gives up.
    stuck: Formula


def request(told: Told) -> Scene:
    """Lanes of the attempt, of the health check and of the retry."""
    has_parts = told.has("send_ping")
    dead = told.one("send_ping") + told.one("ping") if has_parts else told.one("dead_after")
    clocks = _clocks(dead, told.one("deadline"), is_strict=told.is_strict(dead, told.one("deadline")))
    owner, title = told.owner("deadline", "send_ping", "dead_after"), "an attempt on a dead connection"
    return Scene(
        title=f"{owner}: {title}" if owner else title.capitalize(),
        lanes=(
            _attempt(clocks),
            _pings(clocks, told.one("send_ping")) if has_parts else _health_check(clocks),
            _retry(clocks),
        ),
        facts=_facts(clocks),
    )


def _clocks(dead: Poly, deadline: Poly, *, is_strict: bool) -> _Clocks:
    found, limited = is_number(dead), is_number(deadline)
    unchecked, endless = any_of(is_off(dead), is_infinite(dead)), any_of(is_off(deadline), is_infinite(deadline))
    equal = both(found, limited, at_most(dead, deadline), at_most(deadline, dead))
    return _Clocks(
        deadline=deadline,
        dead=dead,
        in_time=both(found, limited, less(dead, deadline)),
        in_time_anyway=both(found, endless),
        just_in_time=NEVER if is_strict else equal,
        equal=equal if is_strict else NEVER,
        late=both(found, limited, less(deadline, dead)),
        unseen=both(unchecked, limited),
        stuck=both(unchecked, endless),
    )


def _attempt(clocks: _Clocks) -> Lane:
    bars = (
        Bar(start=ZERO, end=clocks.deadline, words=("waits for an answer",), when=is_number(clocks.deadline)),
        Bar(
            start=ZERO, end=None, words=("waits, without a deadline",), when=any_of(clocks.in_time_anyway, clocks.stuck)
        ),
    )
    marks = (
        Mark(at=clocks.deadline, words=("would give up",), when=clocks.in_time),
        Mark(at=clocks.deadline, words=("gives up",), when=clocks.just_in_time),
        Mark(
            at=clocks.deadline,
            words=("gives up",),
            tone=Tone.BAD,
            when=negated(any_of(clocks.in_time, clocks.just_in_time)),
        ),
    )
    return Lane(label="attempt", bars=bars, marks=marks)


def _pings(clocks: _Clocks, send_ping: Poly) -> Lane:
    asks, answered = is_number(send_ping), is_number(clocks.dead)
    bars = (
        Bar(start=ZERO, end=send_ping, words=("nothing read",), when=asks),
        Bar(start=send_ping, end=clocks.dead, words=("waits for the ACK",), when=answered),
        _never(send_ping, "waits for the ACK for ever", both(asks, negated(answered))),
        _never(ZERO, "never finds out", negated(asks)),
    )
    marks = (Mark(at=send_ping, words=("PING sent",), when=asks), *_dropped(clocks))
    return Lane(label="health check", bars=bars, marks=marks)


def _health_check(clocks: _Clocks) -> Lane:
    found = is_number(clocks.dead)
    bars = (
        Bar(start=ZERO, end=clocks.dead, words=("nothing read",), when=found),
        _never(ZERO, "never finds out", negated(found)),
    )
    return Lane(label="health check", bars=bars, marks=_dropped(clocks))


def _never(start: Poly, words: str, when: Formula) -> Bar:
    return Bar(start=start, end=None, words=(words,), tone=Tone.BAD, when=when)


def _dropped(clocks: _Clocks) -> tuple[Mark, ...]:
    in_time = any_of(clocks.in_time, clocks.just_in_time, clocks.in_time_anyway)
    words = ("connection dropped",)
    return (
        Mark(at=clocks.dead, words=words, tone=Tone.GOOD, when=in_time),
        Mark(at=clocks.dead, words=words, tone=Tone.BAD, when=negated(in_time)),
    )


def _retry(clocks: _Clocks) -> Lane:
    """The retry may take as long as the attempt; a dropped connection ends it sooner."""
    dead, deadline = clocks.dead, clocks.deadline
    good, bad = ("on a new connection",), ("down the same dead connection",)
    perhaps = ("may go down the same dead connection",)
    second = deadline + deadline
    return Lane(
        label="retry",
        bars=(
            Bar(start=dead, end=deadline, words=good, tone=Tone.GOOD, when=clocks.in_time),
            Bar(start=dead, end=second, words=good, tone=Tone.GOOD, when=clocks.just_in_time),
            Bar(start=dead, end=None, words=good, tone=Tone.GOOD, when=clocks.in_time_anyway),
            Bar(start=deadline, end=minimum(dead, second), words=bad, tone=Tone.BAD, when=clocks.late),
            Bar(start=deadline, end=second, words=perhaps, tone=Tone.BAD, when=clocks.equal),
            Bar(start=deadline, end=second, words=bad, tone=Tone.BAD, when=clocks.unseen),
        ),
    )


def _facts(clocks: _Clocks) -> tuple[Fact, ...]:
    dead, deadline = amount(clocks.dead), amount(clocks.deadline)
    told: tuple[tuple[Words, Tone, Formula], ...] = (
        (
            (
                "The connection is dropped after ",
                dead,
                ", ",
                amount(clocks.deadline - clocks.dead),
                " before the attempt would give up: the retry goes out on a new connection.",
            ),
            Tone.GOOD,
            clocks.in_time,
        ),
        (
            (
                "The connection is dropped after ",
                dead,
                ", just when the attempt gives up: the retry goes out on a new connection.",
            ),
            Tone.GOOD,
            clocks.just_in_time,
        ),
        (
            ("The connection is dropped after ", dead, "; the attempt itself has no deadline."),
            Tone.GOOD,
            clocks.in_time_anyway,
        ),
        (
            (
                "The attempt gives up just when the connection is dropped, after ",
                dead,
                ": that is too late, the retry may go down the same dead connection.",
            ),
            Tone.BAD,
            clocks.equal,
        ),
        (
            (
                "The attempt gives up after ",
                deadline,
                ", the connection is dropped ",
                amount(clocks.dead - clocks.deadline),
                " later: the retry goes down the same dead connection.",
            ),
            Tone.BAD,
            clocks.late,
        ),
        (
            (
                "The attempt gives up after ",
                deadline,
                " and no health check drops the connection: ",
                "every retry goes down the same dead connection.",
            ),
            Tone.BAD,
            clocks.unseen,
        ),
        (("No health check drops the connection, and the attempt has no deadline: it hangs.",), Tone.BAD, clocks.stuck),
    )
    facts = [Fact(words=words, tone=tone, when=when) for words, tone, when in told]
    return (*facts, unsaid(facts))
