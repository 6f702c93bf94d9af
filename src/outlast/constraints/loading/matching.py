"""Which components a relation of the catalogue meets in a topology: those that have everything it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from outlast.constraints.catalogue import Kind, Over, Relation, relations
from outlast.constraints.errors import Place
from outlast.constraints.record import record
from outlast.constraints.topology import Component, Connection, Topology

__all__ = ["Match", "can_host", "joined", "matches", "would_meet"]


@record(kw_only=True)
class Match:
    """Components that stand at the ends of a relation, by what its formulas call them."""

    ends: Mapping[str, Component]
    link: Connection | None
    place: Place

    @property
    def names(self) -> tuple[str, ...]:
        """The components, in the order of the ends."""
        return tuple(component.name for component in self.ends.values())


def matches(each: Relation, topology: Topology) -> Iterator[Match]:
    """Everything in a topology that a relation speaks of."""
    components = topology.components
    match each.over:
        case Over.COMPONENT:
            for one in components.values():
                if _meets(each, {"": one.kind}):
                    yield Match(ends={"": one}, link=None, place=one.place)
        case Over.LINK:
            for link in topology.connections:
                ends = {"from": components[link.source], "to": components[link.target]}
                if _meets(each, {end: one.kind for end, one in ends.items()}):
                    yield Match(ends=ends, link=link, place=link.place)
        case Over.HOP:
            for link in topology.connections:
                for hop in link.hops:
                    ends = {"hop": components[hop], "from": components[link.source], "to": components[link.target]}
                    if _meets(each, {end: one.kind for end, one in ends.items()}):
                        yield Match(ends=ends, link=link, place=link.place)
        case Over.HOST:
            for one in components.values():
                for host in _hosts(one, topology):
                    if _meets(each, {"host": host.kind, "guest": one.kind}):
                        yield Match(ends={"host": host, "guest": one}, link=None, place=one.place)


def would_meet(source: Kind, target: Kind) -> int:
    """How many relations speak of a connection from one kind to another."""
    ends = {"from": source, "to": target}
    return sum(1 for each in relations() if each.over is Over.LINK and _meets(each, ends))


def can_host(kind: Kind) -> bool:
    """Whether a relation speaks of what runs in such a component."""
    return any(each.over is Over.HOST and _fits(each, "host", kind) for each in relations())


def joined(end: str, word: str) -> str:
    """What a formula calls a quantity of an end; of a single component the word alone."""
    return f"{end}.{word}" if end else word


def _hosts(component: Component, topology: Topology) -> Iterator[Component]:
    """What a component runs in, from the nearest on."""
    seen = [component.name]
    for name in seen:
        for host in topology.components[name].hosts:
            if host in topology.components and host not in seen:
                seen.append(host)
                yield topology.components[host]


def _meets(each: Relation, ends: Mapping[str, Kind]) -> bool:
    return all(_fits(each, end, kind) for end, kind in ends.items())


def _fits(each: Relation, end: str, kind: Kind) -> bool:
    """Whether a kind may stand at an end: it is one of those named there, and has every role, or parameter, in question."""
    kinds = each.kinds.get(end)
    if kinds is not None and kind.name not in kinds:
        return False
    return all(
        word in kind.roles or (kinds is not None and word in kind.parameters) or joined(end, word) in each.optional
        for at, word in each.names
        if at == end
    )
