"""A connection that carries nothing: who forgets or closes it first, and what the next request meets.

Time begins with the last packet. Who closes says so with a FIN, which reaches the other end unless a hop between them has forgotten
the connection. Keep-alives and pings keep a hop awake if they come before it forgets; they do not keep an end from closing.
Where two are equal, what does harm counts as the first: a hop that forgets before an end that closes, the server before the client.
"""

from __future__ import annotations

from collections.abc import Iterator

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


@record(kw_only=True)
class _End:
    """The client or the server."""

    label: str
    #: When it closes the connection by itself; None: nobody said so, and it counts as one that never does.
    closes: Poly | None


@record(kw_only=True)
class _Hop:
    """One that passes through."""

    label: str
    forgets: Poly
    #: By whose pings it is kept awake, how often, and when; of those that hold the first counts.
    awake: tuple[tuple[Poly, Formula], ...]

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
    nobody: Formula
    unknown: Formula

    @property
    def tied(self) -> Formula:
        """Whether the server closes at the moment at which the first hop forgets."""
        closes = self.server.closes
        return NEVER if closes is None else both(self.silent, at_most(closes, self.forgets))


def idle(told: Told) -> Scene:
    """A lane for each side and hop, and one for a request that comes after so long a pause; one of the sides has to be told."""
    path = _path(told)
    lanes = [_client(path), *(_hop(path, hop) for hop in path.hops), _server(path), _request(path)]
    shown = [lane for lane in lanes if lane is not None]
    return Scene(
        title=f"An idle connection: {' – '.join(lane.label for lane in shown[:-1])}",
        lanes=tuple(shown),
        facts=(*_first(path), *_next(path), *_pings(path)),
    )


def _path(told: Told) -> _Path:
    client, server = _end(told, "client", "the client"), _end(told, "server", "the server")
    ends = [end.closes for end in (client, server) if end.closes is not None]
    hops = tuple(_hop_of(told, label, forgets) for label, forgets in told.each("hops"))
    known = has_value(maximum(*ends, *(hop.forgets for hop in hops)))
    closes, forgets = minimum(*ends), minimum(*(hop.forgets for hop in hops)) if hops else OFF
    # Pings that come before the first hop forgets come before any does; of those that come later the first hop hears none.
    awake = any_of(*(less(ping, forgets) for ping in _pings_of(told)))
    before = any_of(less(closes, forgets), awake) if hops else ALWAYS
    by_fin = both(known, negated(is_infinite(closes)), before)
    server_first = _is_first(server, client)
    return _Path(
        client=client,
        hops=hops,
        server=server,
        closes=closes,
        forgets=forgets,
        silent=both(known, negated(is_infinite(forgets)), negated(before)),
        by_fin=by_fin,
        server_first=both(by_fin, server_first),
        client_first=both(by_fin, negated(server_first)),
        nobody=both(known, is_infinite(closes), any_of(is_infinite(forgets), before)),
        unknown=negated(known),
    )


def _pings_of(told: Told) -> list[Poly]:
    return [told.one(part) for part in ("client_awake", "server_awake") if told.has(part)]


def _hop_of(told: Told, label: str, forgets: Poly) -> _Hop:
    awake = tuple((ping, less(ping, forgets)) for ping in _pings_of(told))
    if label.split(" ")[0] == "hops":  # nobody's name, but the part's, with a number where there are several
        label = "the hop" if label == "hops" else f"hop{label.removeprefix('hops')}"
    return _Hop(label=label, forgets=forgets, awake=awake)


def _is_first(server: _End, client: _End) -> Formula:
    """Whether the server closes before the client, or at the same moment."""
    if server.closes is None:
        return NEVER
    return ALWAYS if client.closes is None else at_most(server.closes, client.closes)


def _end(told: Told, part: str, otherwise: str) -> _End:
    return _End(label=told.owner(part) or otherwise, closes=told.one(part) if told.has(part) else None)


def _client(path: _Path) -> Lane | None:
    return _side(path.client, "keeps it, would use it", "closes it", other_first=path.server_first, first=path.closes)


def _server(path: _Path) -> Lane | None:
    return _side(path.server, "open", "closes it: FIN sent", other_first=path.client_first, first=path.closes)


def _side(end: _End, lasting: str, closing: str, *, other_first: Formula, first: Poly) -> Lane | None:
    if end.closes is None:
        return None
    own = negated(other_first)
    bars = (
        Bar(start=ZERO, end=end.closes, words=(lasting,), tone=Tone.OPEN, when=own),
        Bar(start=end.closes, end=None, words=("closed",), tone=Tone.GONE, when=own),
        Bar(start=ZERO, end=first, words=(lasting,), tone=Tone.OPEN, when=other_first),
        Bar(start=first, end=None, words=("closed by the FIN",), tone=Tone.GONE, when=other_first),
    )
    marks = (
        Mark(at=end.closes, words=(closing,), when=own),
        Mark(at=end.closes, words=("would close it",), when=both(other_first, less(first, end.closes))),
    )
    return Lane(label=bare(end.label), bars=bars, marks=marks)


def _hop(path: _Path, hop: _Hop) -> Lane:
    sleeps = hop.sleeps
    forgets, is_told = both(sleeps, negated(path.by_fin)), both(sleeps, path.by_fin)
    bars = [
        Bar(start=ZERO, end=hop.forgets, words=("open",), tone=Tone.OPEN, when=forgets),
        Bar(start=hop.forgets, end=None, words=("forgotten: answers RST",), tone=Tone.GONE, when=forgets),
        Bar(start=ZERO, end=path.closes, words=("open",), tone=Tone.OPEN, when=is_told),
        Bar(start=path.closes, end=None, words=("closed by the FIN",), tone=Tone.GONE, when=path.by_fin),
    ]
    marks = [
        Mark(at=hop.forgets, words=("forgets it, tells nobody",), tone=Tone.BAD, when=both(path.silent, sleeps)),
        Mark(at=hop.forgets, words=("forgets it, tells nobody",), when=both(forgets, negated(path.silent))),
        Mark(at=hop.forgets, words=("would forget it",), when=both(is_told, less(path.closes, hop.forgets))),
    ]
    earlier: list[Formula] = []
    for every, when in hop.awake:
        words: Words = ("kept awake by pings every ", amount(every))
        only = both(when, *(negated(other) for other in earlier))
        bars += [
            Bar(start=ZERO, end=path.closes, words=words, tone=Tone.OPEN, when=both(only, negated(path.silent))),
            Bar(start=ZERO, end=path.forgets, words=words, tone=Tone.OPEN, when=both(only, path.silent)),
        ]
        earlier.append(when)
    return Lane(label=bare(hop.label), bars=tuple(bars), marks=tuple(marks))


def _request(path: _Path) -> Lane:
    """What a request meets that comes after a pause of the time at which it is drawn."""
    kept, new = ("works on it",), ("opens a new connection",)
    client = path.client.closes
    bars = [
        Bar(start=ZERO, end=path.closes, words=kept, tone=Tone.GOOD, when=any_of(path.by_fin, path.nobody)),
        Bar(start=ZERO, end=path.forgets, words=kept, tone=Tone.GOOD, when=path.silent),
        Bar(start=ZERO, end=None, words=("cannot be said",), tone=Tone.PLAIN, when=path.unknown),
        Bar(start=path.forgets, end=client, words=("meets an RST",), tone=Tone.BAD, when=_sure(path)),
        Bar(start=path.closes, end=None, words=new, tone=Tone.GOOD, when=path.by_fin),
    ]
    if path.server.closes is not None and path.hops:
        words = ("may meet an RST",)
        bars.append(Bar(start=path.forgets, end=client, words=words, tone=Tone.BAD, when=path.tied))
    marks = [Mark(at=path.closes, words=("sent now, it meets the FIN",), tone=_race(path), when=path.server_first)]
    if client is not None:
        bars.append(Bar(start=client, end=None, words=new, tone=Tone.GOOD, when=path.silent))
        race = both(path.silent, at_most(client, path.forgets))
        marks.append(Mark(at=path.forgets, words=("sent now, it meets an RST",), tone=Tone.BAD, when=race))
    return Lane(label="next request", bars=tuple(bars), marks=tuple(marks))


def _sure(path: _Path) -> Formula:
    """Whether a hop forgets, and no FIN comes at the same moment."""
    return path.silent if path.server.closes is None else both(path.silent, less(path.forgets, path.server.closes))


def _race(path: _Path) -> Tone:
    """How it is meant that the server is the first; of a client of which nothing is known nothing else can be asked."""
    return Tone.PLAIN if path.client.closes is None else Tone.BAD


def _first(path: _Path) -> list[Fact]:
    """Who is the first, in one sentence."""
    first = amount(path.closes)
    facts = [fact for number in range(len(path.hops)) for fact in _forgets_first(path, number)]
    client, server = path.client, path.server
    if server.closes is not None:
        races = NEVER if client.closes is None else at_most(client.closes, server.closes)
        words: Words = (
            f"{capital(server.label)} closes the connection first, after ",
            first,
            ", and says so with a FIN.",
        )
        both_close: Words = (
            f"{capital(client.label)} and {server.label} close the connection at the same moment, after ",
            first,
            ".",
        )
        facts.append(Fact(words=words, tone=_race(path), when=both(path.server_first, negated(races))))
        facts.append(Fact(words=both_close, tone=Tone.BAD, when=both(path.server_first, races)))
    if client.closes is not None:
        words = (f"{capital(client.label)} closes the connection first, after ", first, ", and says so with a FIN.")
        facts.append(Fact(words=words, tone=Tone.GOOD, when=path.client_first))
    facts.append(Fact(words=("Nothing ever ends an idle connection here.",), when=path.nobody))
    facts.append(
        Fact(
            words=("What ends the connection first cannot be said: a clock is off or has no value.",), when=path.unknown
        )
    )
    return facts


def _forgets_first(path: _Path, number: int) -> Iterator[Fact]:
    """Of several hops that forget at the same moment the first along the path is named."""
    hop = path.hops[number]
    before = [less(hop.forgets, other.forgets) for other in path.hops[:number]]
    after = [at_most(hop.forgets, other.forgets) for other in path.hops[number + 1 :]]
    words: Words = (
        f"{capital(hop.label)} forgets the connection first, after ",
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
    client, server, first = path.client, path.server, amount(path.forgets)
    facts = [
        Fact(
            words=("A request sent just when the FIN is on its way fails; later ones open a new connection.",),
            tone=_race(path),
            when=path.server_first,
        ),
        Fact(
            words=("No request meets a connection that is gone: the next one opens a new connection.",),
            tone=Tone.GOOD,
            when=path.client_first,
        ),
    ]
    after: Words = ("A request after a pause of more than ", first)
    for when, meets in ((_sure(path), "meets"), (path.tied, "may meet")):
        if client.closes is None:
            facts.append(Fact(words=(*after, f" {meets} an RST."), tone=Tone.BAD, when=when))
            continue
        ends = is_number(client.closes)
        until: Words = (f" {meets} an RST, until {client.label} closes the connection after ", amount(client.closes))
        just = f"{capital(client.label)} closes it at that moment, and a request sent just then {meets} an RST."
        late = less(path.forgets, client.closes)
        facts += [
            Fact(words=(*after, *until, "."), tone=Tone.BAD, when=both(when, ends, late)),
            Fact(words=(just,), tone=Tone.BAD, when=both(when, negated(late))),
            Fact(
                words=(*after, f" {meets} an RST, however long it was."), tone=Tone.BAD, when=both(when, negated(ends))
            ),
        ]
    if server.closes is not None and path.hops:
        dies: Words = (
            f"The FIN that {server.label} sends after ",
            amount(server.closes),
            " does not get through any more.",
        )
        facts.append(Fact(words=dies, tone=Tone.BAD, when=both(_sure(path), is_number(server.closes))))
    return facts


def _pings(path: _Path) -> list[Fact]:
    """Which pings keep a hop awake, and which come too late."""
    facts = []
    for hop in path.hops:
        for every, in_time in hop.awake:
            words: Words = ("Pings every ", amount(every), f" come after {hop.label} has forgotten the connection.")
            facts.append(Fact(words=words, when=both(path.silent, is_number(every), negated(in_time), hop.sleeps)))
            enough: Words = ("Pings every ", amount(every), f" keep {hop.label} awake.")
            facts.append(Fact(words=enough, when=both(in_time, negated(path.silent))))
    return facts
