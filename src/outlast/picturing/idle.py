"""A connection that carries nothing: who forgets or closes it first, and what the next request meets.

Time begins with the last packet. Who closes says so with a FIN, which closes the connection in every hop that it passes, up to one that
has forgotten it. Keep-alives and pings keep a hop awake if they come before it forgets; they do not keep an end from closing. One that
comes later is answered with an RST, which closes the connection all the way back, or not at all, and its end goes on until it gives up:
when that is, the picture does not know. What a hop answers is told of the side that asks alone, since some answer only that one (NAT
gateways). Where two are equal, what does harm counts as the first, unless the rules let it be: a hop that forgets before an end that
closes, the server before the client.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from outlast.constraints.normal import Formula
from outlast.constraints.pictures import Answer, Unseen
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
    has_value,
    is_infinite,
    is_number,
    is_off,
    less,
    maximum,
    minimum,
    negated,
)
from outlast.picturing.told import Scene, Told, amount, bare, capital

__all__ = ["idle"]

#: What a hop sends back that has forgotten the connection: some answer, some do not.
_ANSWERS: Final = {Answer.RST: "RST", Answer.NOTHING: "no answer", Answer.UNKNOWN: "RST or no answer"}

#: What is said of a request of an end that pings in vain.
_MAY_STILL: Final = "may still meet no answer"

#: What is met, and when it is that.
_Met = tuple[tuple[Answer, Formula], ...]


@record(kw_only=True)
class _End:
    """The client or the server."""

    label: str
    #: When it closes the connection by itself; None: nobody said so, and it counts as one that never does.
    closes: Poly | None
    #: How often it pings; None: nobody said so.
    pings: Poly | None
    #: What is met, where a hop forgets first, by a FIN that it sends and by its first ping; exactly one of them each.
    fin_meets: _Met = ()
    ping_meets: _Met = ()

    @property
    def is_pinging(self) -> Formula:
        """Whether it sends a ping before it closes."""
        if self.pings is None:
            return NEVER
        return is_number(self.pings) if self.closes is None else less(self.pings, self.closes)


@record(kw_only=True)
class _Hop:
    """One that passes through."""

    label: str
    forgets: Poly
    answers: Answer
    #: Where a hop forgets first: whether it is one of those that do, at the same moment.
    is_first: Formula
    #: Pings that come before it forgets, while both ends have the connection: how often, and when they do.
    awake: tuple[tuple[Poly, Formula], ...]
    #: Where a hop on the way forgets first: whose pings this one hears all the same, and FINs that pass it; at most one of all.
    heard: tuple[tuple[_End, Formula], ...]
    passed: tuple[tuple[Poly, Formula], ...]

    @property
    def sleeps(self) -> Formula:
        """Whether no ping comes in time."""
        return negated(any_of(*(when for _, when in self.awake)))


@record(kw_only=True)
class _Path:
    """All along the path, and who is the first: one of `silent`, `server_first`, `client_first`, `nobody` and `unknown`."""

    client: _End
    hops: tuple[_Hop, ...]
    server: _End
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
    def ends(self) -> tuple[_End, _End]:
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

    def pings_late(self, end: _End) -> Formula:
        """Whether a ping of an end comes too late."""
        return both(self.silent, end.is_pinging)


def idle(told: Told) -> Scene:
    """A lane for each side and hop, and one for a request that comes after so long a pause; one of the sides has to be told."""
    path = _path(told)
    lanes = [_client(path), *(_hop(path, hop) for hop in path.hops), _server(path), _request(path)]
    shown = [lane for lane in lanes if lane is not None]
    return Scene(
        title=f"An idle connection: {' – '.join(lane.label for lane in shown[:-1])}",
        lanes=tuple(shown),
        facts=(*_first(path), *_next(path), *_pings(path), *_unseen(path)),
    )


def _path(told: Told) -> _Path:
    client, server = _end(told, "client", "the client"), _end(told, "server", "the server")
    ends = [end.closes for end in (client, server) if end.closes is not None]
    limits = [limit for _, limit in told.each("hops")]
    known = has_value(maximum(*ends, *limits))
    closes, forgets = minimum(*ends), minimum(*limits) if limits else OFF
    firsts, is_awake = _first_to_forget(told, (client, server), forgets)
    silent = both(known, negated(is_infinite(forgets)), negated(is_awake), any_of(*firsts)) if limits else NEVER
    by_fin = both(known, negated(is_infinite(closes)), negated(silent))
    server_first, together = _is_first(told, server, client)
    return _Path(
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


def _end(told: Told, part: str, otherwise: str) -> _End:
    awake = f"{part}_awake"
    closes = told.one(part) if told.has(part) else None
    pings = told.one(awake) if told.has(awake) else None
    is_asking = part == "client"
    return _End(
        label=told.owner(part, awake) or otherwise,
        closes=closes,
        pings=pings,
        fin_meets=_answer_met(told, closes) if is_asking else ((Answer.UNKNOWN, ALWAYS),),
        ping_meets=_answer_met(told, pings) if is_asking else ((Answer.UNKNOWN, ALWAYS),),
    )


def _answer_met(told: Told, clock: Poly | None) -> _Met:
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


def _first_to_forget(told: Told, ends: tuple[_End, _End], forgets: Poly) -> tuple[list[Formula], Formula]:
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


def _hop_of(told: Told, number: int, ends: tuple[_End, _End], silent: Formula, first: Formula) -> _Hop:
    label, forgets = told.each("hops")[number]
    if label.split(" ")[0] == "hops":  # nobody's name, but the part's, with a number where there are several
        label = "the hop" if label == "hops" else f"hop{label.removeprefix('hops')}"
    limits = [limit for _, limit in told.each("hops")]
    awake: list[tuple[Poly, Formula]] = []
    heard: list[tuple[_End, Formula]] = []
    passed: list[tuple[Poly, Formula]] = []
    for end, way in zip(ends, (limits[: number + 1], limits[number:]), strict=True):
        closes, pings = end.closes, end.pings
        if pings is not None:
            awake.append((pings, both(negated(silent), told.before(pings, forgets), end.is_pinging)))
            heard.append((end, both(silent, end.is_pinging, _passes(told, pings, way))))
        if closes is not None:
            arrives = both(is_number(closes), _passes(told, closes, way))
            passed.append((closes, both(silent, negated(end.is_pinging), arrives)))
    return _Hop(
        label=label,
        forgets=forgets,
        answers=told.answers[number] if told.answers else Answer.UNKNOWN,
        is_first=first,
        awake=tuple(awake),
        heard=tuple(heard),
        passed=tuple(passed),
    )


def _is_first(told: Told, server: _End, client: _End) -> tuple[Formula, Formula]:
    """Whether the server closes before the client, or at the same moment where that does harm; and whether it is equal and does none."""
    if server.closes is None:
        return NEVER, NEVER
    if client.closes is None:
        return ALWAYS, NEVER
    if told.is_strict(client.closes, server.closes):
        return at_most(server.closes, client.closes), NEVER
    equal = both(at_most(server.closes, client.closes), at_most(client.closes, server.closes))
    return less(server.closes, client.closes), equal


def _client(path: _Path) -> Lane | None:
    return _side(path, path.client, "keeps it, would use it", "closes it", other_first=path.server_first)


def _server(path: _Path) -> Lane | None:
    return _side(path, path.server, "open", "closes it: FIN sent", other_first=path.client_first)


def _side(path: _Path, end: _End, lasting: str, closing: str, *, other_first: Formula) -> Lane | None:
    if end.closes is None:
        return None
    first, is_late = path.closes, path.pings_late(end)
    told = ("closed if the FIN gets through" if path.unseen else "closed by the FIN",)
    own = both(negated(other_first), negated(is_late))
    bars = [
        _off(end.closes),
        Bar(start=ZERO, end=end.closes, words=(lasting,), tone=Tone.OPEN, when=own),
        Bar(start=end.closes, end=None, words=("closed",), tone=Tone.GONE, when=own),
        Bar(start=ZERO, end=first, words=(lasting,), tone=Tone.OPEN, when=other_first),
        Bar(start=first, end=None, words=told, tone=Tone.GONE, when=other_first),
    ]
    marks = [
        Mark(at=end.closes, words=(closing,), when=own),
        Mark(at=end.closes, words=("would close it",), when=both(other_first, less(first, end.closes))),
    ]
    if end.pings is not None and path.hops:
        bars.append(Bar(start=ZERO, end=end.pings, words=(lasting,), tone=Tone.OPEN, when=is_late))
        for answer, it_is in end.ping_meets:
            when = both(is_late, it_is)
            if answer is Answer.RST:
                bars.append(Bar(start=end.pings, end=None, words=("dropped",), tone=Tone.GONE, when=when))
                marks.append(Mark(at=end.pings, words=("pings too late, drops it",), when=when))
                continue
            waits = "dropped if it met an RST" if answer is Answer.UNKNOWN else "pings on, no answer"
            bars.append(Bar(start=end.pings, end=end.closes, words=(waits,), when=when))
            bars.append(Bar(start=end.closes, end=None, words=("dropped or closed",), tone=Tone.GONE, when=when))
            marks.append(Mark(at=end.pings, words=("pings too late",), when=when))
            marks.append(Mark(at=end.closes, words=("closes it at the latest",), when=when))
    return Lane(label=bare(end.label), bars=tuple(bars), marks=tuple(marks))


def _off(clock: Poly) -> Bar:
    """What stands in the lane of a clock that is off."""
    return Bar(start=ZERO, end=None, words=("off",), tone=Tone.PLAIN, when=is_off(clock))


def _hop(path: _Path, hop: _Hop) -> Lane:
    late = any_of(*(when for _, when in (*hop.heard, *hop.passed)))
    forgets, is_told = both(hop.sleeps, negated(path.by_fin), negated(late)), both(hop.sleeps, path.by_fin)
    gone, words = (f"forgotten: {_ANSWERS[hop.answers]}",), ("forgets it, tells nobody",)
    bars = [
        _off(hop.forgets),
        Bar(start=ZERO, end=hop.forgets, words=("open",), tone=Tone.OPEN, when=forgets),
        Bar(start=hop.forgets, end=None, words=gone, tone=Tone.GONE, when=forgets),
        Bar(start=ZERO, end=path.closes, words=("open",), tone=Tone.OPEN, when=is_told),
        Bar(start=path.closes, end=None, words=("closed by the FIN",), tone=Tone.GONE, when=path.by_fin),
    ]
    marks = [
        Mark(at=hop.forgets, words=words, tone=Tone.BAD, when=both(path.silent, forgets)),
        Mark(at=hop.forgets, words=words, when=both(forgets, negated(path.silent))),
        Mark(at=hop.forgets, words=("would forget it",), when=both(is_told, less(path.closes, hop.forgets))),
    ]
    for end, when in hop.heard:
        bars += _heard(end, when)
    for closes, when in hop.passed:
        bars += [
            Bar(start=ZERO, end=closes, words=("open",), tone=Tone.OPEN, when=when),
            Bar(start=closes, end=None, words=("closed by the FIN",), tone=Tone.GONE, when=when),
        ]
        marks.append(Mark(at=hop.forgets, words=("would forget it",), when=both(when, less(closes, hop.forgets))))
    earlier: list[Formula] = []
    for every, when in hop.awake:
        pinged: Words = ("kept awake by pings every ", amount(every))
        only = both(when, *(negated(other) for other in earlier))
        bars.append(Bar(start=ZERO, end=path.closes, words=pinged, tone=Tone.OPEN, when=only))
        earlier.append(when)
    return Lane(label=bare(hop.label), bars=tuple(bars), marks=tuple(marks))


def _heard(end: _End, when: Formula) -> Iterator[Bar]:
    """A hop that hears a ping which then meets one that has forgotten; an RST comes back the same way."""
    pings = OFF if end.pings is None else end.pings
    yield Bar(start=ZERO, end=pings, words=("open",), tone=Tone.OPEN, when=when)
    for answer, it_is in end.ping_meets:
        so = both(when, it_is)
        if answer is Answer.RST:
            yield Bar(start=pings, end=None, words=("closed by the RST",), tone=Tone.GONE, when=so)
            continue
        waits = "open, or closed by an RST" if answer is Answer.UNKNOWN else "open while pings come"
        yield Bar(start=pings, end=end.closes, words=(waits,), tone=Tone.OPEN, when=so)
        if end.closes is not None:
            yield Bar(start=end.closes, end=None, words=("closed or forgotten",), tone=Tone.GONE, when=so)


def _request(path: _Path) -> Lane:
    """What a request meets that comes after a pause of the time at which it is drawn."""
    kept, new = ("may work on it" if path.unseen else "works on it",), ("opens a new connection",)
    told = ("may open a new connection",) if path.unseen else new
    bars = [
        Bar(start=ZERO, end=path.closes, words=kept, tone=path.good, when=any_of(path.by_fin, path.nobody)),
        Bar(start=ZERO, end=path.forgets, words=kept, tone=path.good, when=path.silent),
        Bar(start=ZERO, end=None, words=("cannot be said",), tone=Tone.PLAIN, when=path.unknown),
        Bar(start=path.closes, end=None, words=told, tone=path.good, when=path.server_first),
        Bar(start=path.closes, end=None, words=new, tone=path.good, when=path.client_first),
    ]
    marks = [Mark(at=path.closes, words=("sent now, it meets the FIN",), tone=_race(path), when=path.server_first)]
    for found in _found_out(path):
        for answer, it_is in found.until:
            for so, meets in ((_sure(path), "meets"), (path.tied, "may meet")):
                lost, when = (f"{meets} {_met_words(answer)}",), both(so, found.when, it_is)
                bars.append(Bar(start=path.forgets, end=found.at, words=lost, tone=Tone.BAD, when=when))
        if found.at is None:
            continue
        for answer, it_is in found.then:
            lost, when = (f"sent now, it meets {_met_words(answer)}",), both(found.when, negated(found.is_later), it_is)
            marks.append(Mark(at=path.forgets, words=lost, tone=Tone.BAD, when=both(path.silent, when)))
        gone, when = found.at, both(path.silent, found.when)
        if not found.lets_go:
            bars.append(Bar(start=gone, end=path.client.closes, words=(_MAY_STILL,), tone=Tone.BAD, when=when))
            gone = OFF if path.client.closes is None else path.client.closes
        bars.append(Bar(start=gone, end=None, words=new, tone=path.good, when=when))
    return Lane(label="next request", bars=tuple(bars), marks=tuple(marks))


def _met_words(answer: Answer) -> str:
    return _ANSWERS[answer] if answer is Answer.NOTHING else f"an {_ANSWERS[answer]}"


@record(kw_only=True)
class _FoundOut:
    """Where a hop forgets first: when the client notices or closes."""

    #: None: never.
    at: Poly | None
    when: Formula
    #: Whether it comes after the first hop forgets, not with it.
    is_later: Formula
    #: Whether it has let go of the connection then: not where it pings on.
    lets_go: bool
    #: What requests meet until then, and just then.
    until: _Met
    then: _Met


def _found_out(path: _Path) -> list[_FoundOut]:
    """What the client does where a hop forgets first; exactly one of them is so."""
    client = path.client
    closes, pings = client.closes, client.pings
    found = [
        _FoundOut(
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
            _FoundOut(
                at=pings,
                when=both(client.is_pinging, it_is),
                is_later=ALWAYS if pings is None else less(path.forgets, pings),
                lets_go=is_rst,
                until=_met_until(path, pings),
                then=((answer, ALWAYS),),
            )
        )
    return found


def _met_until(path: _Path, moment: Poly | None) -> _Met:
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


def _sure(path: _Path) -> Formula:
    """Whether a hop forgets, and no FIN comes at the same moment."""
    return path.silent if path.server.closes is None else both(path.silent, less(path.forgets, path.server.closes))


def _race(path: _Path) -> Tone:
    """How it is meant that the server is the first; of a client of which nothing is known nothing else can be asked."""
    return Tone.PLAIN if path.client.closes is None else Tone.BAD


def _first(path: _Path) -> list[Fact]:
    """Who is the first, in one sentence."""
    first, among = amount(path.closes), _among(path)
    facts = [fact for number in range(len(path.hops)) for fact in _forgets_first(path, number)]
    client, server = path.client, path.server
    closes = f" closes the connection first{among}, after "
    both_close: Words = (
        f"{capital(client.label)} and {server.label} close the connection at the same moment, after ",
        first,
        ".",
    )
    if server.closes is not None:
        races = NEVER if client.closes is None else at_most(client.closes, server.closes)
        words: Words = (f"{capital(server.label)}{closes}", first, ", and says so with a FIN.")
        facts.append(Fact(words=words, tone=_race(path), when=both(path.server_first, negated(races))))
        facts.append(Fact(words=both_close, tone=Tone.BAD, when=both(path.server_first, races)))
    if client.closes is not None:
        words = (f"{capital(client.label)}{closes}", first, ", and says so with a FIN.")
        facts.append(Fact(words=words, tone=path.good, when=both(path.client_first, negated(path.together))))
        facts.append(Fact(words=both_close, when=path.together))
    never = "Nothing that is drawn ever ends" if path.unseen else "Nothing ever ends"
    facts.append(Fact(words=(f"{never} an idle connection here.",), when=path.nobody))
    facts.append(
        Fact(
            words=("What ends the connection first cannot be said: a clock is off or has no value.",), when=path.unknown
        )
    )
    return facts


def _among(path: _Path) -> str:
    return " of all that is drawn" if path.unseen else ""


def _forgets_first(path: _Path, number: int) -> Iterator[Fact]:
    """Of several hops that forget at the same moment the first along the path is named, and the others after it."""
    hop = path.hops[number]
    others = any_of(*(other.is_first for other in path.hops[:number]))
    is_named = both(hop.is_first, negated(others))
    words: Words = (
        f"{capital(hop.label)} forgets the connection first{_among(path)}, after ",
        amount(hop.forgets),
        ", and tells nobody.",
    )
    yield Fact(words=words, tone=Tone.BAD, when=both(_sure(path), is_named))
    if path.server.closes is not None:
        words = (
            f"{capital(hop.label)} forgets it and {path.server.label} closes it at the same moment, after ",
            amount(hop.forgets),
            ": the FIN may not get through.",
        )
        yield Fact(words=words, tone=Tone.BAD, when=both(path.tied, is_named))
    if number:
        words = (f"{capital(hop.label)} forgets it at the same moment, too.",)
        yield Fact(words=words, tone=Tone.BAD, when=both(path.silent, hop.is_first, others))


def _next(path: _Path) -> list[Fact]:
    """What the next request meets."""
    server = path.server
    later = "later ones may open a new connection" if path.unseen else "later ones open a new connection"
    facts = [
        Fact(
            words=(f"A request sent just when the FIN is on its way fails; {later}.",),
            tone=_race(path),
            when=path.server_first,
        )
    ]
    if not path.unseen:
        fine = ("No request meets a connection that is gone: the next one opens a new connection.",)
        facts.append(Fact(words=fine, tone=Tone.GOOD, when=path.client_first))
    for when, meets in ((_sure(path), "meets"), (path.tied, "may meet")):
        facts += _lost(path, when, meets)
    facts.append(_waits(path))
    if server.closes is not None and path.hops:
        dies: Words = (
            f"The FIN that {server.label} sends after ",
            amount(server.closes),
            " does not get through any more.",
        )
        is_sent = both(is_number(server.closes), negated(path.pings_late(server)))
        facts.append(Fact(words=dies, tone=Tone.BAD, when=both(_sure(path), is_sent)))
    return facts


def _lost(path: _Path, when: Formula, verb: str) -> Iterator[Fact]:
    for found in _found_out(path):
        so = both(when, found.when)
        for answer, it_is in found.until:
            yield from _lost_until(path, found, both(so, it_is, found.is_later), f"{verb} {_met_words(answer)}")
        for answer, it_is in found.then if found.at is not None else ():
            yield from _lost_then(path, found, both(so, it_is, negated(found.is_later)), f"{verb} {_met_words(answer)}")


def _lost_until(path: _Path, found: _FoundOut, when: Formula, meets: str) -> Iterator[Fact]:
    lost: Words = ("A request after a pause of more than ", amount(path.forgets), f" {meets}")
    if found.at is None:
        yield Fact(words=(*lost, "."), tone=Tone.BAD, when=when)
    elif found.lets_go:
        until: Words = (
            f", until {path.client.label} {_lets_go(path, found)} the connection after ",
            amount(found.at),
            ".",
        )
        ends = is_number(found.at)
        yield Fact(words=(*lost, *until), tone=Tone.BAD, when=both(when, ends))
        yield Fact(words=(*lost, ", however long it was."), tone=Tone.BAD, when=both(when, negated(ends)))
    else:
        for until, so in _until_dropped(path):
            words: Words = (*lost, "; after more than ", amount(found.at), f" it {_MAY_STILL}", *until)
            yield Fact(words=words, tone=Tone.BAD, when=both(when, so))


def _lost_then(path: _Path, found: _FoundOut, when: Formula, meets: str) -> Iterator[Fact]:
    if found.lets_go:
        just = f"{capital(path.client.label)} {_lets_go(path, found)} it at that moment, and a request sent just then {meets}."
        yield Fact(words=(just,), tone=Tone.BAD, when=when)
        return
    for until, so in _until_dropped(path):
        words: Words = (f"A request sent just then {meets}; a later one {_MAY_STILL}", *until)
        yield Fact(words=words, tone=Tone.BAD, when=both(when, so))


def _lets_go(path: _Path, found: _FoundOut) -> str:
    return "closes" if found.at is path.client.closes else "drops"


def _until_dropped(path: _Path) -> list[tuple[Words, Formula]]:
    """Until when the client has a connection on which it pings in vain; exactly one of them is so."""
    client = path.client
    drops = f", until {client.label} drops the connection"
    if client.closes is None:
        return [((f"{drops}.",), ALWAYS)]
    ends = is_number(client.closes)
    return [((f"{drops}, or closes it after ", amount(client.closes), "."), ends), ((f"{drops}.",), negated(ends))]


def _waits(path: _Path) -> Fact:
    """What it means that nothing answers a request."""
    alone: list[Formula] = []
    for found in _found_out(path):
        alone += [both(found.when, found.is_later, when) for answer, when in found.until if answer is Answer.NOTHING]
        is_then = negated(found.is_later) if found.lets_go else ALWAYS
        alone += [both(found.when, is_then, when) for answer, when in found.then if answer is Answer.NOTHING]
    words: Words = ("No answer means that it waits until its own timeout.",)
    return Fact(words=words, tone=Tone.BAD, when=both(path.silent, any_of(*alone)))


def _pings(path: _Path) -> Iterator[Fact]:
    """Which pings keep a hop awake, and whose come too late."""
    for hop in path.hops:
        for every, in_time in hop.awake:
            yield Fact(words=("Pings every ", amount(every), f" keep {hop.label} awake."), when=in_time)
    for end in path.ends:
        if end.pings is None or not path.hops:
            continue
        late, is_later = f"Pings of {end.label} come too late", less(path.forgets, end.pings)
        for answer, it_is in end.ping_meets:
            meets: Words = (", after ", amount(end.pings), f", meets {_met_words(answer)}{_then(end, answer)}.")
            when = both(path.pings_late(end), it_is)
            yield Fact(words=(f"{late}: the first", *meets), when=both(when, is_later))
            yield Fact(words=(f"{late}, at the same moment: the first", *meets), when=both(when, negated(is_later)))


def _then(end: _End, answer: Answer) -> str:
    """What an end does whose ping has met this."""
    drops = f"{end.label} drops the connection"
    if answer is Answer.RST:
        return f", and {drops}"
    gives_up = "once it gives up pinging, which is not told here"
    return (
        f", and {drops} {gives_up}" if answer is Answer.NOTHING else f": with an RST {drops} at once, else {gives_up}"
    )


def _unseen(path: _Path) -> Iterator[Fact]:
    """What is on the way and not in the picture."""
    for hop in path.unseen:
        why = f": {hop.why}" if hop.why else ""
        yield Fact(words=(f"{hop.name} is on the way, too, and not in this picture{why}.",))
