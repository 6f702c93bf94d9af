"""A server is taken out and stops, while a balancer, a grace period and a watchdog have their own clocks.

The order: time and the grace period begin with the end of the server's host. What passes before the stop signal (a hook) comes first,
and the server serves through it; then it drains: it goes on serving while its health check fails; then it stops listening and ends.
Health checks fail, and a watchdog counts, from the beginning of the drain on; without a drain from the beginning of all, since a hook
only waits until it is out of rotation. Where two clocks end at the same moment, a server that is taken out or a watchdog is too late,
and a server that is gone is not, unless the rules say otherwise.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from outlast.constraints.normal import Formula
from outlast.constraints.polynomial import Poly
from outlast.constraints.record import record
from outlast.picturing.drawing import Bar, Fact, Lane, Mark, Tone, Words
from outlast.picturing.formulas import (
    ALWAYS,
    NEVER,
    OFF,
    ZERO,
    any_of,
    at_most,
    both,
    count,
    first_set,
    has_value,
    is_infinite,
    is_number,
    is_off,
    less,
    minimum,
    negated,
)
from outlast.picturing.told import Scene, Told, amount, bare, capital, number, unsaid

__all__ = ["deploy"]

#: How many checks are drawn one by one, and of how many each has words.
_MOST_CHECKS: Final = 12
_MOST_WORDS: Final = 4


@record(kw_only=True)
class _Clocks:
    """What runs, from the beginning of the end."""

    told: Told
    server: str
    #: When the stop signal comes, when it would stop to serve, and when it would be gone; parts that are off take no time.
    signal: Poly
    unserved: Poly
    gone: Poly
    #: When it is killed.
    grace: Poly
    #: When it no longer serves in fact.
    deaf: Poly
    #: When checks begin to fail, and when it is out of rotation.
    failing: Poly
    out: Poly
    acts: Poly
    longest: Poly

    @property
    def has_serving(self) -> bool:
        """Whether it is known how long it serves."""
        return self.told.has("drain", "delay")

    @property
    def has_detection(self) -> bool:
        """Whether anything takes it out of rotation."""
        return self.told.has("interval", "detection")

    @property
    def in_time(self) -> Formula:
        """Whether it is out of rotation before it no longer serves."""
        told = self.told
        is_strict = told.is_strict(_detection(told), told.one("drain" if told.has("drain") else "delay"))
        return (less if is_strict else at_most)(self.out, self.deaf)

    @property
    def killed(self) -> Formula:
        """Whether it is killed before it is gone."""
        return (at_most if self.is_grace_strict else less)(self.grace, self.gone)

    @property
    def is_grace_strict(self) -> bool:
        """Whether it is too late to be gone just when it is killed."""
        parts = [self.told.one(part) for part in ("delay", "drain", "stop") if self.told.has(part)]
        return bool(parts) and self.told.is_strict(sum(parts, ZERO), self.grace, usual=False)

    @property
    def disturbed(self) -> Formula:
        """Whether the watchdog acts before the longest drain has passed."""
        told = self.told
        drain = told.one("longest_drain" if told.has("longest_drain") else "drain")
        is_strict = told.is_strict(drain, told.one("watchdog_interval") * told.one("watchdog_failures"))
        return (at_most if is_strict else less)(self.acts, self.longest)


def deploy(told: Told) -> Scene:
    """Lanes of the health checks, the server, the requests, the grace period and the watchdog, as far as they are there."""
    clocks = _clocks(told)
    lanes: list[Lane] = []
    if clocks.has_detection:
        lanes.append(_checks(clocks))
    if told.has("drain", "delay", "stop"):
        lanes.append(_server(clocks))
    if clocks.has_detection and clocks.has_serving:
        lanes.append(_requests(clocks))
    if told.has("grace"):
        lanes.append(_grace(clocks))
    if told.has("watchdog_interval"):
        lanes.append(_watchdog(clocks))
    if told.has("longest_drain"):
        lanes.append(_longest_drain(clocks))
    owner = told.owner("drain", "stop", "delay", "grace", "interval", "detection")
    title = f"{owner} is taken out and stops" if owner else "A server is taken out and stops"
    if not told.has("drain", "stop", "delay", "grace", "interval", "detection"):
        title = "A watchdog during the longest drain"
    return Scene(
        title=title,
        lanes=tuple(lanes),
        facts=_facts(clocks),
    )


def _clocks(told: Told) -> _Clocks:
    delay, drain, stop = (_or_nothing(told, part) for part in ("delay", "drain", "stop"))
    signal, unserved = delay, delay + drain
    failing = delay if told.has("drain") else ZERO
    out = _detection(told)
    grace, longest = told.one("grace"), told.one("longest_drain" if told.has("longest_drain") else "drain")
    return _Clocks(
        told=told,
        server=told.owner("drain", "stop", "delay") or "the server",
        signal=signal,
        unserved=unserved,
        gone=unserved + stop,
        grace=grace,
        deaf=_ended_by(grace, unserved),
        failing=failing,
        out=failing + out,
        acts=failing + told.one("watchdog_interval") * told.one("watchdog_failures"),
        longest=failing + longest,
    )


def _detection(told: Told) -> Poly:
    return told.one("interval") * told.one("threshold") if told.has("interval") else told.one("detection")


def _or_nothing(told: Told, part: str) -> Poly:
    return first_set(told.one(part), ZERO) if told.has(part) else ZERO


def _ended_by(grace: Poly, end: Poly) -> Poly:
    return end if grace is OFF else minimum(end, first_set(grace, end))


def _checks(clocks: _Clocks) -> Lane:
    told, label = clocks.told, "rotation"
    good = clocks.in_time if clocks.has_serving else ALWAYS
    counts = [Bar(start=clocks.failing, end=clocks.out, words=("still in rotation",))]
    marks: list[Mark] = []
    if told.has("interval"):
        threshold, label = told.one("threshold"), "health checks"
        counts = _counts(clocks.failing, clocks.out, threshold)
        marks += _each_check(clocks.failing, told.one("interval"), threshold)
    marks += [
        Mark(
            at=clocks.out, words=("out of rotation",), tone=Tone.GOOD if clocks.has_serving else Tone.PLAIN, when=good
        ),
        Mark(at=clocks.out, words=("out of rotation",), tone=Tone.BAD, when=negated(good)),
    ]
    bars = (
        *counts,
        Bar(start=clocks.failing, end=None, words=("nobody checks it",), tone=Tone.BAD, when=is_off(clocks.out)),
    )
    return Lane(label=label, bars=bars, marks=tuple(marks))


def _counts(start: Poly, end: Poly, failures: Poly) -> list[Bar]:
    is_one = both(at_most(failures, count(1), 0), at_most(count(1), failures, 0))
    return [
        Bar(start=start, end=end, words=("waits for a failure",), when=is_one),
        Bar(start=start, end=end, words=("counts failures",), when=negated(is_one)),
    ]


def _each_check(start: Poly, interval: Poly, failures: Poly) -> list[Mark]:
    """All but the last, whose mark says what comes of it; of many the first has words alone, of very many it stands alone."""
    marks: list[Mark] = []
    are_few = at_most(failures, count(_MOST_WORDS), 0)
    are_some = both(less(count(_MOST_WORDS), failures, 0), at_most(failures, count(_MOST_CHECKS), 0))
    for done in range(1, _MOST_CHECKS):
        at, is_made = start + interval.scaled(Fraction(done)), less(count(done), failures, 0)
        words: Words = (f"fails, {done} of ", number(failures))
        if done < _MOST_WORDS:
            marks.append(Mark(at=at, words=words, when=is_made if done == 1 else both(is_made, are_few)))
        if done > 1:
            marks.append(Mark(at=at, words=(), told="fails", when=both(is_made, are_some)))
    return marks


def _server(clocks: _Clocks) -> Lane:
    told, grace = clocks.told, clocks.grace
    bars: list[Bar] = []
    marks: list[Mark] = []
    if told.has("delay"):
        bars.append(_until_killed(grace, ZERO, clocks.signal, "serves, no stop signal yet", Tone.OPEN))
        marks.append(_unless_killed(grace, clocks.signal, "stop signal"))
    if told.has("drain"):
        words = "serves, fails its health check" if clocks.has_detection else "serves on"
        bars.append(_until_killed(grace, clocks.signal, clocks.unserved, words, Tone.OPEN))
    if told.has("drain"):
        marks.append(_unless_killed(grace, clocks.unserved, "stops listening"))
    if told.has("stop"):
        bars.append(_until_killed(grace, clocks.unserved, clocks.gone, "stops", Tone.WAIT))
        marks.append(_unless_killed(grace, clocks.gone, "gone"))
    bars.append(Bar(start=grace, end=clocks.gone, words=("killed, was not done",), tone=Tone.BAD, when=clocks.killed))
    return Lane(label=bare(clocks.server), bars=tuple(bars), marks=tuple(marks))


def _until_killed(grace: Poly, start: Poly, end: Poly, words: str, tone: Tone) -> Bar:
    return Bar(start=start, end=_ended_by(grace, end), words=(words,), tone=tone)


def _unless_killed(grace: Poly, at: Poly, words: str) -> Mark:
    return Mark(at=at, words=(words,), when=negated(less(grace, at)))


def _requests(clocks: _Clocks) -> Lane:
    late, deaf = negated(clocks.in_time), clocks.deaf
    lost: Words = ("502: nobody listens any more",)
    bars = (
        Bar(start=ZERO, end=clocks.out, words=("served",), tone=Tone.GOOD, when=clocks.in_time),
        Bar(start=ZERO, end=deaf, words=("served",), tone=Tone.GOOD, when=late),
        Bar(start=deaf, end=clocks.out, words=lost, tone=Tone.BAD, when=late),
        Bar(start=deaf, end=None, words=lost, tone=Tone.BAD, when=is_off(clocks.out)),
        Bar(start=clocks.out, end=None, words=("served by others",), tone=Tone.GOOD),
    )
    equal = both(late, at_most(clocks.out, deaf), at_most(deaf, clocks.out))
    mark = Mark(at=deaf, words=("sent now, it may find nobody",), tone=Tone.BAD, when=equal)
    return Lane(label="requests", bars=bars, marks=(mark,))


def _grace(clocks: _Clocks) -> Lane:
    grace = clocks.grace
    marks = (
        Mark(at=grace, words=("SIGKILL",), tone=Tone.BAD, when=clocks.killed),
        Mark(at=grace, words=("SIGKILL, were it still there",), when=negated(clocks.killed)),
    )
    return Lane(label="grace period", bars=(Bar(start=ZERO, end=grace, words=("runs",)),), marks=marks)


def _watchdog(clocks: _Clocks) -> Lane:
    interval, failures = clocks.told.one("watchdog_interval"), clocks.told.one("watchdog_failures")
    bad = clocks.disturbed if clocks.told.has("longest_drain", "drain") else NEVER
    marks = [
        *_each_check(clocks.failing, interval, failures),
        Mark(at=clocks.acts, words=("restarts what still fails",), tone=Tone.BAD, when=bad),
        Mark(at=clocks.acts, words=("restarts what still fails",), when=negated(bad)),
    ]
    bars = _counts(clocks.failing, clocks.acts, failures)
    return Lane(label="watchdog", bars=tuple(bars), marks=tuple(marks))


def _longest_drain(clocks: _Clocks) -> Lane:
    start, acts, longest = clocks.failing, clocks.acts, clocks.longest
    whole: Words = ("fails its checks on purpose",)
    if not clocks.told.has("watchdog_interval"):
        return Lane(label="longest drain", bars=(Bar(start=start, end=longest, words=whole, tone=Tone.OPEN),))
    bars = (
        Bar(start=start, end=longest, words=whole, tone=Tone.OPEN, when=negated(clocks.disturbed)),
        Bar(start=start, end=acts, words=whole, tone=Tone.OPEN, when=clocks.disturbed),
        Bar(start=acts, end=longest, words=("restarted in the middle",), tone=Tone.BAD, when=clocks.disturbed),
    )
    return Lane(label="longest drain", bars=bars)


def _facts(clocks: _Clocks) -> tuple[Fact, ...]:
    facts = (*_detected(clocks), *_ended(clocks), *_watched(clocks))
    return (*facts, unsaid(facts)) if facts else ()


def _detected(clocks: _Clocks) -> list[Fact]:
    """Whether it is out of rotation before it no longer serves."""
    if not clocks.has_detection or not clocks.has_serving:
        return []
    server, out, deaf = capital(clocks.server), amount(clocks.out), amount(clocks.deaf)
    never = any_of(is_off(clocks.out), is_infinite(clocks.out))
    ends, equal = is_number(clocks.deaf), both(at_most(clocks.out, clocks.deaf), at_most(clocks.deaf, clocks.out))
    found: list[tuple[Words, Tone, Formula]] = [
        (
            (
                f"{server} is out of rotation after ",
                out,
                " and serves until ",
                deaf,
                ": no request finds nobody there.",
            ),
            Tone.GOOD,
            both(ends, clocks.in_time),
        ),
        (
            (f"{server} is out of rotation just when it no longer serves, after ", deaf, ": that is too late."),
            Tone.BAD,
            both(ends, equal, negated(clocks.in_time)),
        ),
        (
            (
                f"{server} serves until ",
                deaf,
                " and is out of rotation after ",
                out,
                ": for ",
                amount(clocks.out - clocks.deaf),
                " requests find nobody there (502).",
            ),
            Tone.BAD,
            both(ends, is_number(clocks.out), less(clocks.deaf, clocks.out)),
        ),
        (
            (f"{server} serves until ", deaf, " and is never taken out of rotation: requests find nobody there (502)."),
            Tone.BAD,
            both(ends, never),
        ),
        ((f"{server} serves without end.",), Tone.PLAIN, is_infinite(clocks.deaf)),
    ]
    return [Fact(words=words, tone=tone, when=when) for words, tone, when in found]


def _ended(clocks: _Clocks) -> list[Fact]:
    """Whether it is gone before it is killed."""
    if not clocks.told.has("grace") or not clocks.told.has("drain", "delay", "stop"):
        return []
    told, gone, grace = clocks.told, amount(clocks.gone), amount(clocks.grace)
    ends, killed = is_number(clocks.gone), clocks.killed
    server, late = capital(clocks.server), less(clocks.grace, clocks.gone)
    # What comes after what is told is not known: whether it is gone by then cannot be said.
    does = "is gone" if told.has("stop") else "stops listening" if told.has("drain") else "gets the stop signal"
    needs: Words = (
        (f"{server} needs ", gone, ", but") if told.has("stop") else (f"{server} {does} after ", gone, " only;")
    )
    return [
        Fact(
            words=(f"{server} {does} after ", gone, "; SIGKILL would come after ", grace, "."),
            tone=Tone.GOOD,
            when=both(negated(killed), at_most(clocks.gone, clocks.grace), is_number(clocks.grace)),
        ),
        Fact(
            words=(f"{server} {does} just when SIGKILL comes, after ", grace, ": that is too late."),
            tone=Tone.BAD,
            when=both(killed, ends, negated(late)),
        ),
        Fact(
            words=(*needs, " SIGKILL comes after ", grace, ": what still runs is killed."),
            tone=Tone.BAD,
            when=both(killed, ends, late),
        ),
        Fact(
            words=(f"{server} may take for ever, but SIGKILL comes after ", grace, ": what still runs is killed."),
            tone=Tone.BAD,
            when=both(killed, negated(ends)),
        ),
        Fact(
            words=("No SIGKILL ends what does not stop by itself.",),
            when=both(has_value(clocks.gone), is_infinite(clocks.grace)),
        ),
    ]


def _watched(clocks: _Clocks) -> list[Fact]:
    """Whether the watchdog lets the longest drain end."""
    told = clocks.told
    if not told.has("watchdog_interval") or not told.has("longest_drain", "drain"):
        return []
    acts, longest = amount(clocks.acts - clocks.failing), amount(clocks.longest - clocks.failing)
    what = "the longest drain" if told.has("longest_drain") else "the drain"
    before: Words = ("The watchdog acts after ", acts, " of failed checks, ")
    return [
        Fact(
            words=(*before, f"when {what} of ", longest, " has passed."),
            tone=Tone.GOOD,
            when=both(at_most(clocks.longest, clocks.acts), negated(clocks.disturbed)),
        ),
        Fact(
            words=(*before, f"in the middle of {what} of ", longest, ": it restarts what stops on purpose."),
            tone=Tone.BAD,
            when=both(less(clocks.acts, clocks.longest), is_number(clocks.longest)),
        ),
        Fact(
            words=(*before, f"in the middle of {what}, which has no end: it restarts what stops on purpose."),
            tone=Tone.BAD,
            when=both(less(clocks.acts, clocks.longest), is_infinite(clocks.longest)),
        ),
        Fact(
            words=(*before, f"just when {what} ends: that is too early."),
            tone=Tone.BAD,
            when=both(clocks.disturbed, at_most(clocks.longest, clocks.acts)),
        ),
    ]
