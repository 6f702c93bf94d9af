"""The clocks along an idle connection as conditions: who closes or forgets first, whom a FIN, a ping or a request reaches, and what it meets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from outlast.constraints.normal import Formula
from outlast.constraints.pictures import Answer, Unseen
from outlast.constraints.polynomial import Poly
from outlast.constraints.record import record
from outlast.picturing.drawing import Tone
from outlast.picturing.formulas import (
    ALWAYS,
    NEVER,
    OFF,
    any_of,
    at_most,
    both,
    has_value,
    is_infinite,
    is_number,
    less,
    maximum,
    minimum,
    negated,
)
from outlast.picturing.told import Told

__all__ = ["End", "FoundOut", "Hop", "Met", "Path", "found_out", "is_sure", "path_of"]

#: What is met, and when it is that.
Met = tuple[tuple[Answer, Formula], ...]


@record(kw_only=True)
class End:
    """The client or the server."""

    label: str
    #: When it closes the connection by itself; None: nobody said so, and it counts as one that never does.
    closes: Poly | None
    #: How often it pings; None: nobody said so.
    pings: Poly | None
    #: What is met, where a hop forgets first, by a FIN that it sends and by its first ping; exactly one of them each.
    fin_meets: Met = ()
    ping_meets: Met = ()

    @property
    def is_pinging(self) -> Formula:
        """Whether it sends a ping before it closes."""
        if self.pings is None:
            return NEVER
        return is_number(self.pings) if self.closes is None else less(self.pings, self.closes)


@record(kw_only=True)
class Hop:
    """One that passes through."""

    label: str
    forgets: Poly
    answers: Answer
    #: Where a hop forgets first: whether it is one of those that do, at the same moment.
    is_first: Formula
    #: Pings that come before it forgets, while both ends have the connection: how often, and when they do.
    awake: tuple[tuple[Poly, Formula], ...]
    #: Where a hop on the way forgets first: whose pings this one hears all the same, and FINs that pass it; at most one of all.
    heard: tuple[tuple[End, Formula], ...]
    passed: tuple[tuple[Poly, Formula], ...]

    @property
    def sleeps(self) -> Formula:
        """Whether no ping comes in time."""
        return negated(any_of(*(when for _, when in self.awake)))


@record(kw_only=True)
class Path:
    """All along the path, and who is the first: one of `silent`, `server_first`, `client_first`, `nobody` and `unknown`."""

    client: End
    hops: tuple[Hop, ...]
    server: End
    #: When the first side closes, and when the first hop would forget it if no ping came.
    closes: Poly
    forgets: Poly
    silent: Formula
    #: One of the sides closes first, and all others are told.
    by_fin: Formula
    server_first: Formula
    client_first: Formula
    #: Both sides close at once, and the rules let them.
    together: Formula
    nobody: Formula
    unknown: Formula
    #: Hops of which nothing is known here: what is good without them is no promise.
    unseen: tuple[Unseen, ...]

    @property
    def ends(self) -> tuple[End, End]:
        """Both sides."""
        return (self.client, self.server)

    @property
    def tied(self) -> Formula:
        """Whether the server closes at the moment at which the first hop forgets."""
        closes = self.server.closes
        return NEVER if closes is None else both(self.silent, at_most(closes, self.forgets))

    @property
    def good(self) -> Tone:
        """How it is meant that nothing goes wrong."""
        return Tone.PLAIN if self.unseen else Tone.GOOD

    def pings_late(self, end: End) -> Formula:
        """Whether a ping of an end comes too late."""
        return both(self.silent, end.is_pinging)


def path_of(told: Told) -> Path:
    """The clocks that a picture was told, and the conditions under which each is first."""
    client, server = _end(told, "client", "the client"), _end(told, "server", "the server")
    ends = [end.closes for end in (client, server) if end.closes is not None]
    limits = [limit for _, limit in told.each("hops")]
    known = has_value(maximum(*ends, *limits))
    closes, forgets = minimum(*ends), minimum(*limits) if limits else OFF
    firsts, is_awake = _first_to_forget(told, (client, server), forgets)
    silent = both(known, negated(is_infinite(forgets)), negated(is_awake), any_of(*firsts)) if limits else NEVER
    by_fin = both(known, negated(is_infinite(closes)), negated(silent))
    server_first, together = _is_first(told, server, client)
    return Path(
        client=client,
        hops=tuple(_hop_of(told, number, (client, server), silent, first) for number, first in enumerate(firsts)),
        server=server,
        closes=closes,
        forgets=forgets,
        silent=silent,
        by_fin=by_fin,
        server_first=both(by_fin, server_first),
        client_first=both(by_fin, negated(server_first)),
        together=both(by_fin, together),
        nobody=both(known, is_infinite(closes), negated(silent)),
        unknown=negated(known),
        unseen=told.unseen,
    )


def _end(told: Told, part: str, otherwise: str) -> End:
    awake = f"{part}_awake"
    closes = told.one(part) if told.has(part) else None
    pings = told.one(awake) if told.has(awake) else None
    is_asking = part == "client"
    return End(
        label=told.owner(part, awake) or otherwise,
        closes=closes,
        pings=pings,
        fin_meets=_answer_met(told, closes) if is_asking else ((Answer.UNKNOWN, ALWAYS),),
        ping_meets=_answer_met(told, pings) if is_asking else ((Answer.UNKNOWN, ALWAYS),),
    )


def _answer_met(told: Told, clock: Poly | None) -> Met:
    """What meets that which the client sends at a moment: the first hop on the way that it does not pass answers."""
    limits = [limit for _, limit in told.each("hops")]
    if clock is None or told.unseen or not told.answers or not limits:
        return ((Answer.UNKNOWN, ALWAYS),)
    found: dict[Answer, list[Formula]] = {}
    for answer, group in groupby(range(len(limits)), key=lambda number: told.answers[number]):
        numbers = list(group)
        stops = negated(_passes(told, clock, limits[: numbers[-1] + 1]))
        found.setdefault(answer, []).append(both(_passes(told, clock, limits[: numbers[0]]), stops))
    if len(found) == 1:
        return ((told.answers[0], ALWAYS),)
    return tuple((answer, any_of(*when)) for answer, when in found.items())


def _passes(told: Told, clock: Poly, limits: Sequence[Poly]) -> Formula:
    """Whether what is sent at a moment comes before each of these hops has forgotten."""
    harmful = [limit for limit in limits if told.is_strict(clock, limit)]
    harmless = [limit for limit in limits if not told.is_strict(clock, limit)]
    return both(
        *([less(clock, minimum(*harmful))] if harmful else []),
        *([at_most(clock, minimum(*harmless))] if harmless else []),
    )


def _first_to_forget(told: Told, ends: tuple[End, End], forgets: Poly) -> tuple[list[Formula], Formula]:
    """Of each hop whether it is among those that forget first; and whether something comes before any hop forgets.

    At that moment a hop may be reached, and another one not: only of a clock whose equality does harm at some hops, and at others none.
    """
    limits = [limit for _, limit in told.each("hops")]
    before: list[Formula] = []
    firsts: list[list[Formula]] = [[at_most(limit, forgets)] for limit in limits]
    for is_asking, end in zip((True, False), ends, strict=True):
        for clock, when in ((end.closes, ALWAYS), (end.pings, end.is_pinging)):
            if clock is None or not limits:
                continue
            harm = {told.is_strict(clock, limit) for limit in limits}
            if len(harm) == 1:
                before.append(both(when, (less if harm.pop() else at_most)(clock, forgets)))
                continue
            for number, first in enumerate(firsts):
                way = limits[: number + 1] if is_asking else limits[number:]
                first.append(negated(both(when, _passes(told, clock, way))))
    return [both(*first) for first in firsts], any_of(*before)


def _hop_of(told: Told, number: int, ends: tuple[End, End], silent: Formula, first: Formula) -> Hop:
    label, forgets = told.each("hops")[number]
    if label.split(" ")[0] == "hops":  # nobody's name, but the part's, with a number where there are several
        label = "the hop" if label == "hops" else f"hop{label.removeprefix('hops')}"
    limits = [limit for _, limit in told.each("hops")]
    awake: list[tuple[Poly, Formula]] = []
    heard: list[tuple[End, Formula]] = []
    passed: list[tuple[Poly, Formula]] = []
    for end, way in zip(ends, (limits[: number + 1], limits[number:]), strict=True):
        closes, pings = end.closes, end.pings
        if pings is not None:
            awake.append((pings, both(negated(silent), told.before(pings, forgets), end.is_pinging)))
            heard.append((end, both(silent, end.is_pinging, _passes(told, pings, way))))
        if closes is not None:
            arrives = both(is_number(closes), _passes(told, closes, way))
            passed.append((closes, both(silent, negated(end.is_pinging), arrives)))
    return Hop(
        label=label,
        forgets=forgets,
        answers=told.answers[number] if told.answers else Answer.UNKNOWN,
        is_first=first,
        awake=tuple(awake),
        heard=tuple(heard),
        passed=tuple(passed),
    )


def _is_first(told: Told, server: End, client: End) -> tuple[Formula, Formula]:
    """Whether the server closes before the client, or at the same moment where that does harm; and whether it is equal and does none."""
    if server.closes is None:
        return NEVER, NEVER
    if client.closes is None:
        return ALWAYS, NEVER
    if told.is_strict(client.closes, server.closes):
        return at_most(server.closes, client.closes), NEVER
    equal = both(at_most(server.closes, client.closes), at_most(client.closes, server.closes))
    return less(server.closes, client.closes), equal


@record(kw_only=True)
class FoundOut:
    """Where a hop forgets first: when the client notices or closes."""

    #: None: never.
    at: Poly | None
    when: Formula
    #: Whether it comes after the first hop forgets, not with it.
    is_later: Formula
    #: Whether it has let go of the connection then: not where it pings on.
    lets_go: bool
    #: What requests meet until then, and just then.
    until: Met
    then: Met


def found_out(path: Path) -> list[FoundOut]:
    """What the client does where a hop forgets first; exactly one of them is so."""
    client = path.client
    closes, pings = client.closes, client.pings
    found = [
        FoundOut(
            at=closes,
            when=negated(client.is_pinging),
            is_later=ALWAYS if closes is None else less(path.forgets, closes),
            lets_go=True,
            until=_met_until(path, closes),
            then=client.fin_meets,
        )
    ]
    for answer, it_is in client.ping_meets if pings is not None else ():
        is_rst = answer is Answer.RST
        found.append(
            FoundOut(
                at=pings,
                when=both(client.is_pinging, it_is),
                is_later=ALWAYS if pings is None else less(path.forgets, pings),
                lets_go=is_rst,
                until=_met_until(path, pings),
                then=((answer, ALWAYS),),
            )
        )
    return found


def _met_until(path: Path, moment: Poly | None) -> Met:
    """What requests meet from when a hop forgets until a moment, None: for ever; exactly one of them is so.

    The first hop on the way that has forgotten answers: over time each that forgets before all in front of it. One answer is told where
    none of those answers otherwise.
    """
    answers = dict.fromkeys(hop.answers for hop in path.hops)
    if path.unseen or not path.hops:
        return ((Answer.UNKNOWN, ALWAYS),)
    if len(answers) == 1:
        return ((path.hops[0].answers, ALWAYS),)
    answering: list[Formula] = []
    for number, hop in enumerate(path.hops):
        in_front = [less(hop.forgets, minimum(*(each.forgets for each in path.hops[:number])))] if number else []
        in_time = is_number(hop.forgets) if moment is None else less(hop.forgets, moment)
        answering.append(both(*in_front, in_time))
    found: list[tuple[Answer, Formula]] = []
    for answer in answers:
        if answer is not Answer.UNKNOWN:
            others = [when for hop, when in zip(path.hops, answering, strict=True) if hop.answers is not answer]
            found.append((answer, negated(any_of(*others))))
    return (*found, (Answer.UNKNOWN, both(*(negated(when) for _, when in found))))


def is_sure(path: Path) -> Formula:
    """Whether a hop forgets, and no FIN comes at the same moment."""
    return path.silent if path.server.closes is None else both(path.silent, less(path.forgets, path.server.closes))
