"""A connection that carries nothing: who forgets or closes it first, and what the next request meets.

Time begins with the last packet. Who closes says so with a FIN, which closes the connection in every hop that it passes, up to one that
has forgotten it. Keep-alives and pings keep a hop awake if they come before it forgets; they do not keep an end from closing. One that
comes later is answered with an RST, which closes the connection all the way back, or not at all, and its end goes on until it gives up:
when that is, the picture does not know. What a hop answers is told of the side that asks alone, since some answer only that one (NAT
gateways). Where two are equal, what does harm counts as the first, unless the rules let it be: a hop that forgets before an end that
closes, the server before the client.
"""

from __future__ import annotations

from collections.abc import Iterator

from outlast.constraints.normal import Formula
from outlast.constraints.pictures import Answer
from outlast.constraints.polynomial import Poly
from outlast.picturing.drawing import Bar, Lane, Mark, Tone, Words
from outlast.picturing.formulas import (
    OFF,
    ZERO,
    any_of,
    both,
    is_off,
    less,
    negated,
)
from outlast.picturing.idle_facts import ANSWERS, MAY_STILL, idle_facts, met_words, race_tone
from outlast.picturing.idle_path import End, Hop, Path, found_out, is_sure, path_of
from outlast.picturing.told import Scene, Told, amount, bare

__all__ = ["idle"]


def idle(told: Told) -> Scene:
    """A lane for each side and hop, and one for a request that comes after so long a pause; one of the sides has to be told."""
    path = path_of(told)
    lanes = [_client(path), *(_hop(path, hop) for hop in path.hops), _server(path), _request(path)]
    shown = [lane for lane in lanes if lane is not None]
    return Scene(
        title=f"An idle connection: {' – '.join(lane.label for lane in shown[:-1])}",
        lanes=tuple(shown),
        facts=idle_facts(path),
    )


def _client(path: Path) -> Lane | None:
    return _side(path, path.client, "keeps it, would use it", "closes it", other_first=path.server_first)


def _server(path: Path) -> Lane | None:
    return _side(path, path.server, "open", "closes it: FIN sent", other_first=path.client_first)


def _side(path: Path, end: End, lasting: str, closing: str, *, other_first: Formula) -> Lane | None:
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


def _hop(path: Path, hop: Hop) -> Lane:
    late = any_of(*(when for _, when in (*hop.heard, *hop.passed)))
    forgets, is_told = both(hop.sleeps, negated(path.by_fin), negated(late)), both(hop.sleeps, path.by_fin)
    gone, words = (f"forgotten: {ANSWERS[hop.answers]}",), ("forgets it, tells nobody",)
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


def _heard(end: End, when: Formula) -> Iterator[Bar]:
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


def _request(path: Path) -> Lane:
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
    marks = [Mark(at=path.closes, words=("sent now, it meets the FIN",), tone=race_tone(path), when=path.server_first)]
    for found in found_out(path):
        for answer, it_is in found.until:
            for so, meets in ((is_sure(path), "meets"), (path.tied, "may meet")):
                lost, when = (f"{meets} {met_words(answer)}",), both(so, found.when, it_is)
                bars.append(Bar(start=path.forgets, end=found.at, words=lost, tone=Tone.BAD, when=when))
        if found.at is None:
            continue
        for answer, it_is in found.then:
            lost, when = (f"sent now, it meets {met_words(answer)}",), both(found.when, negated(found.is_later), it_is)
            marks.append(Mark(at=path.forgets, words=lost, tone=Tone.BAD, when=both(path.silent, when)))
        gone, when = found.at, both(path.silent, found.when)
        if not found.lets_go:
            bars.append(Bar(start=gone, end=path.client.closes, words=(MAY_STILL,), tone=Tone.BAD, when=when))
            gone = OFF if path.client.closes is None else path.client.closes
        bars.append(Bar(start=gone, end=None, words=new, tone=path.good, when=when))
    return Lane(label="next request", bars=tuple(bars), marks=tuple(marks))
