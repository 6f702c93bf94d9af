"""A connection that carries nothing: who forgets or closes it first, and what the next request meets.

Time begins with the last packet. Who closes says so with a FIN, which closes the connection in every hop that it passes, up to one that
has forgotten it. Keep-alives and pings keep a hop awake if they come before it forgets; they do not keep an end from closing. One that
comes later is answered with an RST or not at all, and its end drops the connection. What a hop answers is told of the side that asks
alone, since some answer only that one (NAT gateways). Where two are equal, what does harm counts as the first, unless the rules let it be:
a hop that forgets before an end that closes, the server before the client.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
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
    less,
    maximum,
    minimum,
    negated,
)
from outlast.picturing.told import Scene, Told, amount, bare, capital

__all__ = ["idle"]

#: What a hop sends back that has forgotten the connection: some answer, some do not.
_ANSWERS: Final = {Answer.RST: "RST", Answer.NOTHING: "no answer", Answer.UNKNOWN: "RST or no answer"}


@record(kw_only=True)
class _End:
    """The client or the server."""

    label: str
    #: When it closes the connection by itself; None: nobody said so, and it counts as one that never does.
    closes: Poly | None
    #: How often it pings; None: nobody said so.
    pings: Poly | None

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
    #: Pings that come before it forgets, while both ends have the connection: how often, and when they do.
    awake: tuple[tuple[Poly, Formula], ...]
    #: Where a hop on the way forgets first: pings that this one hears all the same, and FINs that pass it; at most one of all.
    heard: tuple[tuple[Poly, Formula], ...]
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

    def drops(self, end: _End) -> Formula:
        """Whether an end finds out by a ping that comes too late."""
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
    hops = told.each("hops")
    limits = [limit for _, limit in hops]
    known = has_value(maximum(*ends, *limits))
    closes, forgets = minimum(*ends), minimum(*limits) if hops else OFF
    pings = [end.pings for end in (client, server) if end.pings is not None]
    # Pings that come before the first hop forgets come before any does; of those that come later the first hop hears none.
    before = any_of(*(both(*(told.before(clock, limit) for limit in limits)) for clock in (*ends, *pings)))
    by_fin = both(known, negated(is_infinite(closes)), before)
    silent = both(known, negated(is_infinite(forgets)), negated(before)) if hops else NEVER
    server_first, together = _is_first(told, server, client)
    return _Path(
        client=client,
        hops=tuple(_hop_of(told, number, (client, server), silent) for number in range(len(hops))),
        server=server,
        closes=closes,
        forgets=forgets,
        silent=silent,
        by_fin=by_fin,
        server_first=both(by_fin, server_first),
        client_first=both(by_fin, negated(server_first)),
        together=both(by_fin, together),
        nobody=both(known, is_infinite(closes), any_of(is_infinite(forgets), before)),
        unknown=negated(known),
        unseen=told.unseen,
    )


def _end(told: Told, part: str, otherwise: str) -> _End:
    awake = f"{part}_awake"
    return _End(
        label=told.owner(part, awake) or otherwise,
        closes=told.one(part) if told.has(part) else None,
        pings=told.one(awake) if told.has(awake) else None,
    )


def _hop_of(told: Told, number: int, ends: tuple[_End, _End], silent: Formula) -> _Hop:
    label, forgets = told.each("hops")[number]
    if label.split(" ")[0] == "hops":  # nobody's name, but the part's, with a number where there are several
        label = "the hop" if label == "hops" else f"hop{label.removeprefix('hops')}"
    limits = [limit for _, limit in told.each("hops")]
    awake, heard, passed = [], [], []
    for end, way in zip(ends, (limits[: number + 1], limits[number:]), strict=True):
        closes, pings = end.closes, end.pings
        if pings is not None:
            awake.append((pings, both(negated(silent), told.before(pings, forgets), end.is_pinging)))
            arrives = both(*(told.before(pings, limit) for limit in way))
            heard.append((pings, both(silent, end.is_pinging, arrives)))
        if closes is not None:
            arrives = both(*(told.before(closes, limit) for limit in way))
            passed.append((closes, both(silent, negated(end.is_pinging), is_number(closes), arrives)))
    answers = told.answers[number] if told.answers else Answer.UNKNOWN
    return _Hop(
        label=label, forgets=forgets, answers=answers, awake=tuple(awake), heard=tuple(heard), passed=tuple(passed)
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
    first, drops = path.closes, path.drops(end)
    told = ("closed if the FIN gets through" if path.unseen else "closed by the FIN",)
    own = both(negated(other_first), negated(drops))
    bars = [
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
        bars += [
            Bar(start=ZERO, end=end.pings, words=(lasting,), tone=Tone.OPEN, when=drops),
            Bar(start=end.pings, end=None, words=("dropped",), tone=Tone.GONE, when=drops),
        ]
        marks.append(Mark(at=end.pings, words=("pings too late, drops it",), when=drops))
    return Lane(label=bare(end.label), bars=tuple(bars), marks=tuple(marks))


def _hop(path: _Path, hop: _Hop) -> Lane:
    late = any_of(*(when for _, when in (*hop.heard, *hop.passed)))
    forgets, is_told = both(hop.sleeps, negated(path.by_fin), negated(late)), both(hop.sleeps, path.by_fin)
    gone, words = (f"forgotten: {_ANSWERS[hop.answers]}",), ("forgets it, tells nobody",)
    bars = [
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
    for every, when in hop.heard:
        bars += [
            Bar(start=ZERO, end=every, words=("open",), tone=Tone.OPEN, when=when),
            Bar(start=every, end=every + hop.forgets, words=("open, heard a ping",), tone=Tone.OPEN, when=when),
            Bar(start=every + hop.forgets, end=None, words=gone, tone=Tone.GONE, when=when),
        ]
        marks.append(Mark(at=every + hop.forgets, words=words, when=when))
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
    for gone, when in _let_go(path):
        for answer, it_is in _met(path, gone):
            for so, meets in ((_sure(path), "meets"), (path.tied, "may meet")):
                lost = (f"{meets} {_met_words(answer)}",)
                bars.append(Bar(start=path.forgets, end=gone, words=lost, tone=Tone.BAD, when=both(so, when, it_is)))
            if gone is not None:
                race = both(path.silent, when, at_most(gone, path.forgets), it_is)
                lost = (f"sent now, it meets {_met_words(answer)}",)
                marks.append(Mark(at=path.forgets, words=lost, tone=Tone.BAD, when=race))
        if gone is not None:
            bars.append(Bar(start=gone, end=None, words=new, tone=path.good, when=both(path.silent, when)))
    return Lane(label="next request", bars=tuple(bars), marks=tuple(marks))


def _met_words(answer: Answer) -> str:
    return _ANSWERS[answer] if answer is Answer.NOTHING else f"an {_ANSWERS[answer]}"


def _met(path: _Path, gone: Poly | None, *, then: bool = False) -> list[tuple[Answer, Formula]]:
    """What requests meet from when a hop forgets until the client has let go, with `then` also at that moment; exactly one of them is so.

    The first hop on the way that has forgotten answers. One answer is told where no hop that answers otherwise can be the first: because
    it has not forgotten by then, or because it lies behind one that forgets as soon as any.
    """
    answers = dict.fromkeys(hop.answers for hop in path.hops)
    if path.unseen or not path.hops:
        return [(Answer.UNKNOWN, ALWAYS)]
    if len(answers) == 1:
        return [(path.hops[0].answers, ALWAYS)]
    front = list(takewhile(lambda hop: hop.answers is path.hops[0].answers, path.hops))
    first, behind = (minimum(*(hop.forgets for hop in hops)) for hops in (front, path.hops[len(front) :]))
    found: list[tuple[Answer, Formula]] = []
    for answer in answers:
        if answer is Answer.UNKNOWN:
            continue
        other = minimum(*(hop.forgets for hop in path.hops if hop.answers is not answer))
        late = (
            less(gone, other) if gone is not None and then else both(less(path.forgets, other), _ends_by(gone, other))
        )
        found.append((answer, any_of(late, at_most(first, behind)) if answer is front[0].answers else late))
    return [*found, (Answer.UNKNOWN, both(*(negated(when) for _, when in found)))]


def _ends_by(gone: Poly | None, limit: Poly) -> Formula:
    """Whether the client lets go before a hop forgets, or with it."""
    return is_infinite(limit) if gone is None else at_most(gone, limit)


def _let_go(path: _Path) -> list[tuple[Poly | None, Formula]]:
    """Where a hop forgets first: when the client no longer has the connection, None: never; exactly one of them is so."""
    client = path.client
    found: list[tuple[Poly | None, Formula]] = [(client.closes, negated(path.drops(client)))]
    return found if client.pings is None else [(client.pings, path.drops(client)), *found]


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
    """Of several hops that forget at the same moment the first along the path is named."""
    hop = path.hops[number]
    before = [less(hop.forgets, other.forgets) for other in path.hops[:number]]
    after = [at_most(hop.forgets, other.forgets) for other in path.hops[number + 1 :]]
    words: Words = (
        f"{capital(hop.label)} forgets the connection first{_among(path)}, after ",
        amount(hop.forgets),
        ", and tells nobody.",
    )
    yield Fact(words=words, tone=Tone.BAD, when=both(_sure(path), *before, *after))
    if path.server.closes is not None:
        words = (
            f"{capital(hop.label)} forgets it and {path.server.label} closes it at the same moment, after ",
            amount(hop.forgets),
            ": the FIN may not get through.",
        )
        yield Fact(words=words, tone=Tone.BAD, when=both(path.tied, *before, *after))


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
    facts += _waits(path)
    if server.closes is not None and path.hops:
        dies: Words = (
            f"The FIN that {server.label} sends after ",
            amount(server.closes),
            " does not get through any more.",
        )
        is_sent = both(is_number(server.closes), negated(path.drops(server)))
        facts.append(Fact(words=dies, tone=Tone.BAD, when=both(_sure(path), is_sent)))
    return facts


def _lost(path: _Path, when: Formula, verb: str) -> Iterator[Fact]:
    for gone, so in _let_go(path):
        for answer, it_is in _met(path, gone):
            yield from _lost_until(path, gone, both(when, so, it_is), f"{verb} {_met_words(answer)}")


def _lost_until(path: _Path, gone: Poly | None, when: Formula, meets: str) -> Iterator[Fact]:
    after: Words = ("A request after a pause of more than ", amount(path.forgets))
    if gone is None:
        yield Fact(words=(*after, f" {meets}."), tone=Tone.BAD, when=when)
        return
    client = path.client
    verb = "closes" if gone is client.closes else "drops"
    late, ends = less(path.forgets, gone), is_number(gone)
    until: Words = (f" {meets}, until {client.label} {verb} the connection after ", amount(gone), ".")
    just = f"{capital(client.label)} {verb} it at that moment, and a request sent just then {meets}."
    yield Fact(words=(*after, *until), tone=Tone.BAD, when=both(when, ends, late))
    yield Fact(words=(just,), tone=Tone.BAD, when=both(when, negated(late)))
    yield Fact(words=(*after, f" {meets}, however long it was."), tone=Tone.BAD, when=both(when, negated(ends)))


def _waits(path: _Path) -> Iterator[Fact]:
    """What it means that nothing answers a request."""
    for gone, so in _let_go(path):
        for answer, it_is in _met(path, gone):
            if answer is Answer.NOTHING:
                words: Words = ("No answer means that it waits until its own timeout.",)
                yield Fact(words=words, tone=Tone.BAD, when=both(path.silent, so, it_is))


def _pings(path: _Path) -> Iterator[Fact]:
    """Which pings keep a hop awake, and whose come too late."""
    for hop in path.hops:
        for every, in_time in hop.awake:
            yield Fact(words=("Pings every ", amount(every), f" keep {hop.label} awake."), when=in_time)
    for end in path.ends:
        if end.pings is None or not path.hops:
            continue
        late, drops = f"Pings of {end.label} come too late", path.drops(end)
        is_later = less(path.forgets, end.pings)
        for answer, it_is in _met(path, end.pings, then=True) if end is path.client else [(Answer.UNKNOWN, ALWAYS)]:
            lost = f", meets {_met_words(answer)}, and {end.label} drops the connection."
            meets: Words = (", after ", amount(end.pings), lost)
            yield Fact(words=(f"{late}: the first", *meets), when=both(drops, it_is, is_later))
            same = f"{late}, at the same moment: the first"
            yield Fact(words=(same, *meets), when=both(drops, it_is, negated(is_later)))


def _unseen(path: _Path) -> Iterator[Fact]:
    """What is on the way and not in the picture."""
    for hop in path.unseen:
        why = f": {hop.why}" if hop.why else ""
        yield Fact(words=(f"{hop.name} is on the way, too, and not in this picture{why}.",))
