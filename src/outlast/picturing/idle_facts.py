"""What is to be said of an idle connection, in sentences: who is first, what the next request meets, which pings help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from outlast.constraints.normal import Formula
from outlast.constraints.pictures import Answer
from outlast.picturing.drawing import Fact, Tone, Words
from outlast.picturing.formulas import (
    ALWAYS,
    NEVER,
    any_of,
    at_most,
    both,
    is_number,
    less,
    negated,
)
from outlast.picturing.idle_path import End, FoundOut, Path, found_out, is_sure
from outlast.picturing.told import amount, capital

__all__ = ["ANSWERS", "MAY_STILL", "idle_facts", "met_words", "race_tone"]

#: What a hop sends back that has forgotten the connection: some answer, some do not.
ANSWERS: Final = {Answer.RST: "RST", Answer.NOTHING: "no answer", Answer.UNKNOWN: "RST or no answer"}

#: What is said of a request of an end that pings in vain.
MAY_STILL: Final = "may still meet no answer"


def idle_facts(path: Path) -> tuple[Fact, ...]:
    """All of them, in the order in which they are read."""
    return (*_first(path), *_next(path), *_pings(path), *_unseen(path))


def race_tone(path: Path) -> Tone:
    """How it is meant that the server is the first; of a client of which nothing is known nothing else can be asked."""
    return Tone.PLAIN if path.client.closes is None else Tone.BAD


def met_words(answer: Answer) -> str:
    """What is met, with its article."""
    return ANSWERS[answer] if answer is Answer.NOTHING else f"an {ANSWERS[answer]}"


def _first(path: Path) -> list[Fact]:
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
        facts.append(Fact(words=words, tone=race_tone(path), when=both(path.server_first, negated(races))))
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


def _among(path: Path) -> str:
    return " of all that is drawn" if path.unseen else ""


def _forgets_first(path: Path, number: int) -> Iterator[Fact]:
    """Of several hops that forget at the same moment the first along the path is named, and the others after it."""
    hop = path.hops[number]
    others = any_of(*(other.is_first for other in path.hops[:number]))
    is_named = both(hop.is_first, negated(others))
    words: Words = (
        f"{capital(hop.label)} forgets the connection first{_among(path)}, after ",
        amount(hop.forgets),
        ", and tells nobody.",
    )
    yield Fact(words=words, tone=Tone.BAD, when=both(is_sure(path), is_named))
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


def _next(path: Path) -> list[Fact]:
    """What the next request meets."""
    server = path.server
    later = "later ones may open a new connection" if path.unseen else "later ones open a new connection"
    facts = [
        Fact(
            words=(f"A request sent just when the FIN is on its way fails; {later}.",),
            tone=race_tone(path),
            when=path.server_first,
        )
    ]
    if not path.unseen:
        fine = ("No request meets a connection that is gone: the next one opens a new connection.",)
        facts.append(Fact(words=fine, tone=Tone.GOOD, when=path.client_first))
    for when, meets in ((is_sure(path), "meets"), (path.tied, "may meet")):
        facts += _lost(path, when, meets)
    facts.append(_waits(path))
    if server.closes is not None and path.hops:
        dies: Words = (
            f"The FIN that {server.label} sends after ",
            amount(server.closes),
            " does not get through any more.",
        )
        is_sent = both(is_number(server.closes), negated(path.pings_late(server)))
        facts.append(Fact(words=dies, tone=Tone.BAD, when=both(is_sure(path), is_sent)))
    return facts


def _lost(path: Path, when: Formula, verb: str) -> Iterator[Fact]:
    for found in found_out(path):
        so = both(when, found.when)
        for answer, it_is in found.until:
            yield from _lost_until(path, found, both(so, it_is, found.is_later), f"{verb} {met_words(answer)}")
        for answer, it_is in found.then if found.at is not None else ():
            yield from _lost_then(path, found, both(so, it_is, negated(found.is_later)), f"{verb} {met_words(answer)}")


def _lost_until(path: Path, found: FoundOut, when: Formula, meets: str) -> Iterator[Fact]:
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
            words: Words = (*lost, "; after more than ", amount(found.at), f" it {MAY_STILL}", *until)
            yield Fact(words=words, tone=Tone.BAD, when=both(when, so))


def _lost_then(path: Path, found: FoundOut, when: Formula, meets: str) -> Iterator[Fact]:
    if found.lets_go:
        just = f"{capital(path.client.label)} {_lets_go(path, found)} it at that moment, and a request sent just then {meets}."
        yield Fact(words=(just,), tone=Tone.BAD, when=when)
        return
    for until, so in _until_dropped(path):
        words: Words = (f"A request sent just then {meets}; a later one {MAY_STILL}", *until)
        yield Fact(words=words, tone=Tone.BAD, when=both(when, so))


def _lets_go(path: Path, found: FoundOut) -> str:
    return "closes" if found.at is path.client.closes else "drops"


def _until_dropped(path: Path) -> list[tuple[Words, Formula]]:
    """Until when the client has a connection on which it pings in vain; exactly one of them is so."""
    client = path.client
    drops = f", until {client.label} drops the connection"
    if client.closes is None:
        return [((f"{drops}.",), ALWAYS)]
    ends = is_number(client.closes)
    return [((f"{drops}, or closes it after ", amount(client.closes), "."), ends), ((f"{drops}.",), negated(ends))]


def _waits(path: Path) -> Fact:
    """What it means that nothing answers a request."""
    alone: list[Formula] = []
    for found in found_out(path):
        alone += [both(found.when, found.is_later, when) for answer, when in found.until if answer is Answer.NOTHING]
        is_then = negated(found.is_later) if found.lets_go else ALWAYS
        alone += [both(found.when, is_then, when) for answer, when in found.then if answer is Answer.NOTHING]
    words: Words = ("No answer means that it waits until its own timeout.",)
    return Fact(words=words, tone=Tone.BAD, when=both(path.silent, any_of(*alone)))


def _pings(path: Path) -> Iterator[Fact]:
    """Which pings keep a hop awake, and whose come too late."""
    for hop in path.hops:
        for every, in_time in hop.awake:
            yield Fact(words=("Pings every ", amount(every), f" keep {hop.label} awake."), when=in_time)
    for end in path.ends:
        if end.pings is None or not path.hops:
            continue
        late, is_later = f"Pings of {end.label} come too late", less(path.forgets, end.pings)
        for answer, it_is in end.ping_meets:
            meets: Words = (", after ", amount(end.pings), f", meets {met_words(answer)}{_then(end, answer)}.")
            when = both(path.pings_late(end), it_is)
            yield Fact(words=(f"{late}: the first", *meets), when=both(when, is_later))
            yield Fact(words=(f"{late}, at the same moment: the first", *meets), when=both(when, negated(is_later)))


def _then(end: End, answer: Answer) -> str:
    """What an end does whose ping has met this."""
    drops = f"{end.label} drops the connection"
    if answer is Answer.RST:
        return f", and {drops}"
    gives_up = "once it gives up pinging, which is not told here"
    return (
        f", and {drops} {gives_up}" if answer is Answer.NOTHING else f": with an RST {drops} at once, else {gives_up}"
    )


def _unseen(path: Path) -> Iterator[Fact]:
    """What is on the way and not in the picture."""
    for hop in path.unseen:
        why = f": {hop.why}" if hop.why else ""
        yield Fact(words=(f"{hop.name} is on the way, too, and not in this picture{why}.",))
