"""What components are called in configurations: as the places that the spec binds say, else by their own names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from outlast.configs.outputs.pieces import Put
from outlast.constraints.topology import Component, Topology

__all__ = ["bound", "dns", "guest_of", "targets_of", "word"]

_OTHER: Final = re.compile(r"[^A-Za-z0-9]+")


def bound(puts: Sequence[Put], pattern: str) -> str | None:
    """What the first group of a pattern finds in the selectors of the values' places: `be` in `backend be:timeout server`."""
    for put in puts:
        for binding in put.parameter.at if put.parameter is not None else ():
            match = re.search(pattern, binding.selector)
            if match is not None:
                return match[1]
    return None


def word(name: str, between: str = "_") -> str:
    """A name of the rule language in ASCII; other characters become their numbers."""
    text = "".join(c if c.isascii() else f"u{ord(c):04x}" for c in name)
    fit = _OTHER.sub(between, text).strip(between)
    return fit if fit[:1].isalpha() else f"x{between}{fit}".rstrip(between)


def dns(name: str) -> str:
    """A name for objects of Kubernetes."""
    return word(name, "-").lower()


def targets_of(component: Component, topology: Topology) -> list[str]:
    """The components to which it opens connections."""
    return list(dict.fromkeys(c.target for c in topology.connections if c.source == component.name))


def guest_of(component: Component, topology: Topology) -> str | None:
    """The one component that runs in it; None: there are none, or several."""
    guests = [c.name for c in topology.components.values() if component.name in c.hosts]
    return guests[0] if len(guests) == 1 else None
