"""What may be drawn: shapes of pictures, what each has to be told, and the pictures of a spec."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from typing import Final

from outlast.constraints.errors import Place
from outlast.constraints.expression import Expr
from outlast.constraints.quantities import Kind
from outlast.constraints.record import record

__all__ = ["PARTS", "Answer", "Part", "PartKind", "Picture", "Shape", "Unseen", "fitting", "problems_of"]


class Shape(Enum):
    """What happens in a picture, whose time begins with 0."""

    #: An attempt is sent down a connection that is dead: who notices first, its deadline or the health check.
    REQUEST = "request"
    #: A connection carries nothing: who forgets or closes it first, and what the next request meets.
    IDLE = "idle"
    #: A server is taken out and stops, while something in front of it has to notice.
    DEPLOY = "deploy"
    #: Attempts and the waits between them, end to end, under a limit.
    RETRIES = "retries"


class Answer(Enum):
    """What a request meets at a hop that has forgotten its connection."""

    #: An RST is sent back.
    RST = "rst"
    #: The packet is dropped without a word, and the request waits until its own timeout.
    NOTHING = "nothing"
    #: One of the two; nobody said which.
    UNKNOWN = "unknown"


@record(kw_only=True)
class PartKind:
    """One thing that a shape may be told."""

    quantity: Kind = Kind.DURATION
    means: str
    #: Whether there may be several, each by the name of whose it is.
    is_list: bool = False


def _duration(means: str) -> PartKind:
    return PartKind(means=means)


def _count(means: str) -> PartKind:
    return PartKind(quantity=Kind.COUNT, means=means)


#: By shape, in the order of the lanes. What must be there says `problems_of`, not this table.
PARTS: Final[dict[Shape, dict[str, PartKind]]] = {
    Shape.REQUEST: {
        "deadline": _duration("when the attempt gives up"),
        "send_ping": _duration("how long nothing is read before the health check sends a PING"),
        "ping": _duration("how long the health check then waits for the ACK"),
        "dead_after": _duration("when the connection is dropped, where the health check has no such two parts"),
    },
    Shape.IDLE: {
        "client": _duration("how long the side that asks keeps the connection and would still use it"),
        "hops": PartKind(means="after how long a hop that passes through forgets it, telling nobody", is_list=True),
        "server": _duration("after how long the side that answers closes it"),
        "client_awake": _duration("the longest silence that the asking side's pings or TCP keep-alives leave"),
        "server_awake": _duration("the same of the answering side"),
    },
    Shape.DEPLOY: {
        "interval": _duration("from one health check to the next"),
        "threshold": _count("how many in a row have to fail"),
        "detection": _duration("when it is out of rotation, where health checks have no such two parts"),
        "drain": _duration("how long the server goes on serving"),
        "delay": _duration("what passes before the stop signal"),
        "stop": _duration("how long it takes to stop after the signal, or after the drain"),
        "grace": _duration("when it is killed"),
        "watchdog_interval": _duration("from one check of the watchdog to the next"),
        "watchdog_failures": _count("after how many failed ones it acts"),
        "longest_drain": _duration("how long a service may fail its checks on purpose"),
    },
    Shape.RETRIES: {
        "attempts": _count("how many attempts there are, the first included"),
        "attempt": _duration("how long one may take"),
        "waits": _duration("all waits between them together, where they do not grow as the next three say"),
        "base": _duration("the first wait"),
        "factor": PartKind(quantity=Kind.RATIO, means="by what each further one is longer"),
        "cap": _duration("the longest wait"),
        "deadline": _duration("the limit of all together"),
    },
}


#: Parts that go together; of several ways to tell one thing the first is the fullest, and only one may be taken.
_WAYS: Final[dict[Shape, tuple[tuple[tuple[str, ...], ...], ...]]] = {
    Shape.REQUEST: ((("send_ping", "ping"), ("dead_after",)),),
    Shape.IDLE: (),
    Shape.DEPLOY: ((("interval", "threshold"), ("detection",)), (("watchdog_interval", "watchdog_failures"),)),
    Shape.RETRIES: ((("base", "factor", "cap"), ("waits",)),),
}
#: Without which there is nothing to draw.
_NEEDED: Final[dict[Shape, tuple[str, ...]]] = {
    Shape.REQUEST: ("deadline",),
    Shape.IDLE: (),
    Shape.DEPLOY: (),
    Shape.RETRIES: ("attempts", "attempt", "deadline"),
}
#: Of which two have to be there, each told by any of its parts.
_CLOCKS: Final[dict[Shape, tuple[tuple[str, ...], ...]]] = {
    Shape.IDLE: (("client",), ("hops",), ("server",)),
    Shape.DEPLOY: (
        ("interval", "detection"),
        ("drain",),
        ("delay", "stop"),
        ("grace",),
        ("watchdog_interval",),
        ("longest_drain",),
    ),
}


def problems_of(shape: Shape, parts: Collection[str]) -> list[str]:
    """What is missing of a picture that is told these parts of its shape, or what does not go together; empty: it can be drawn.

    >>> problems_of(Shape.IDLE, ["server"])
    ['expected at least two of client, hops and server, found server alone']
    """
    found = [f"expected {name!r}, found no such part" for name in _NEEDED[shape] if name not in parts]
    for ways in _WAYS[shape]:
        told = [way for way in ways if any(name in parts for name in way)]
        for way in told:
            missing = [name for name in way if name not in parts]
            if missing:
                there = next(name for name in way if name in parts)
                found.append(f"expected {_listed(missing)} beside {there!r}, found no such part")
        if len(told) > 1:
            found.append(f"expected {_listed(told[0])}, or {_listed(told[1])}, found both")
    if shape is Shape.REQUEST and not any(name in parts for name in ("send_ping", "ping", "dead_after")):
        found.append("expected 'send_ping' and 'ping', or 'dead_after', found neither")
    if shape in _CLOCKS:
        clocks = [clock for clock in _CLOCKS[shape] if any(name in parts for name in clock)]
        if len(clocks) < 2:
            names = [" or ".join(clock) for clock in _CLOCKS[shape]]
            there = f"{' or '.join(clocks[0])} alone" if clocks else "none"
            found.append(f"expected at least two of {', '.join(names[:-1])} and {names[-1]}, found {there}")
    return found


def fitting(shape: Shape, parts: Collection[str]) -> tuple[str, ...]:
    """Of parts that could be told those that go together: of several ways the fullest that is complete; in the order of `PARTS`."""
    left_out: set[str] = set()
    for ways in _WAYS[shape]:
        best = next((way for way in ways if all(name in parts for name in way)), ())
        left_out.update(name for way in ways for name in way if name not in best)
    return tuple(name for name in PARTS[shape] if name in parts and name not in left_out)


def _listed(names: Collection[str]) -> str:
    return " and ".join(repr(name) for name in names) if len(names) < 3 else ", ".join(repr(name) for name in names)


@record(kw_only=True)
class Part:
    """One thing that a picture was told."""

    #: Whose it is: the component, or the name before the dot of the only parameter in it; else the part's own name.
    label: str
    formula: Expr
    #: The formula's text.
    text: str
    #: Of a hop: what it answers once it has forgotten.
    answers: Answer = Answer.UNKNOWN


@record(kw_only=True)
class Unseen:
    """A hop that passes a connection on, too, and is not in its picture."""

    name: str
    #: Why not, as `rule is not judged`; empty: nothing is known of it.
    why: str


@record(kw_only=True)
class Picture:
    """What to draw of a rule, or of several together."""

    #: Under which the spec has it; of those that the catalogue makes `shape@component:…`.
    id: str
    shape: Shape
    #: None: what the shape is called.
    title: str | None
    #: Of the id, or of the link or component that the catalogue draws.
    place: Place
    #: By the name of the part, in the order of `PARTS`; more than one only of a list.
    parts: Mapping[str, tuple[Part, ...]]
    #: The rules that it shows, sorted; at least one.
    rules: tuple[str, ...]
    #: Of an idle connection that the catalogue draws, in the order of the way.
    unseen: tuple[Unseen, ...] = ()
