"""Components and the connections between them: what talks to what, through what, and what runs in what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from outlast.constraints.catalogue import Kind, KnownParameter
from outlast.constraints.errors import Place
from outlast.constraints.expression import names_in
from outlast.constraints.pictures import Answer
from outlast.constraints.record import record
from outlast.constraints.syntax import parse_expression

__all__ = ["UNKNOWN", "Component", "Connection", "Topology"]


#: The word of an option that is set, but nobody here knows as what: relations that ask for it are not judged.
UNKNOWN: Final = "unknown"


@record(kw_only=True)
class Component:
    """An instance of a kind."""

    name: str
    kind: Kind
    place: Place
    #: What it says of itself: `version`, and what its kind asks for.
    options: Mapping[str, str] = field(default_factory=dict)
    #: The components in which it runs: a pod on its node, as part of its Deployment.
    hosts: tuple[str, ...] = ()

    def option(self, name: str) -> str | None:
        """What it says, or what its kind takes for granted; None: unknown."""
        if name in self.options:
            word = self.options[name]
            return None if word == UNKNOWN else word
        known = self.kind.options.get(name)
        return known.default if known is not None else None

    def forgets_by(self) -> frozenset[str]:
        """The words of what it forgets silent connections by: its role `silent_idle`, and the parameters that this is made of."""
        found = ["silent_idle"] if "silent_idle" in self.kind.roles else []
        for word in found:
            if word in self.kind.roles and word not in self.kind.parameters:
                used = names_in(parse_expression(self.kind.roles[word]))
                found += [each for each in used if each not in found]
        return frozenset(found)

    def answer(self) -> Answer:
        """What it answers a request on a connection that it has forgotten."""
        for known in self.kind.answers:
            truths = [guard.holds(self.option(guard.name)) for guard in known.applies]
            if all(truths):
                return known.answer
            if False not in truths:
                return Answer.UNKNOWN  # this one may be it
        return Answer.UNKNOWN


@record(kw_only=True)
class Connection:
    """One connection, from the side that opens it to the side that accepts it, through hops that pass it on."""

    source: str
    target: str
    #: In the order of the way.
    hops: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    place: Place


@record(kw_only=True)
class Topology:
    """All components and connections of a spec."""

    components: Mapping[str, Component]
    connections: tuple[Connection, ...] = ()

    def known(self, name: str) -> tuple[Component, KnownParameter] | None:
        """What the kind of a component knows of a parameter called `component.parameter`; None: nothing."""
        owner, _, word = name.partition(".")
        component = self.components.get(owner)
        known = component.kind.parameters.get(word) if component is not None else None
        return None if component is None or known is None else (component, known)
