"""The connections of a spec, the clocks that end each of them once nothing is sent, and which of these is the first.

path.js finds the first one in the same way; tests hold the two against each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.catalogue.guard import LINK_OPTIONS
from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Extended, Side, World, evaluate
from outlast.constraints.expression import Expr, Name
from outlast.constraints.model import Parameter, Spec
from outlast.constraints.normal import polys_of
from outlast.constraints.pictures import Part, Picture, Shape
from outlast.constraints.polynomial import Poly, TooManyTermsError, Var
from outlast.constraints.quantities import format_value
from outlast.constraints.record import record
from outlast.constraints.topology import Component, Connection
from outlast.reports.wording import joined

__all__ = ["Clock", "Way", "chains_of", "clock_text", "ends_first", "is_made", "sentence", "ways_of"]

#: The roles of the catalogue by which an end closes what is idle: as the one that asks, and as the one that answers.
_ASKING: Final = ("pool_idle", "db_pool_idle")
_ANSWERING: Final = ("server_idle", "session_idle")
_PASSING: Final = ("silent_idle",)
_AWAKE: Final = ("keep_awake",)


@record(kw_only=True)
class Clock:
    """What ends an idle connection at one of its stops."""

    stop: str
    #: None: it is a formula over several.
    parameter: str | None
    text: str
    poly: Poly
    #: Whether the stop then tells nobody.
    is_silent: bool
    #: Which end of intervals does harm, and so is taken.
    side: Side


@record(kw_only=True)
class Way:
    """One connection."""

    #: The side that opens it first; at least two.
    stops: tuple[str, ...]
    #: Those that only pass it through.
    hops: tuple[str, ...]
    #: In the order of the way.
    clocks: tuple[Clock, ...]
    #: The longest silence that an end leaves by itself; what is silent never ends where that is shorter.
    awake: tuple[Poly, ...]
    #: Whether connections are kept at all once a request is answered.
    is_kept: bool = True

    @property
    def label(self) -> str:
        """`client → nlb → alb`."""
        return " → ".join(self.stops)


def ways_of(spec: Spec) -> tuple[Way, ...]:
    """The connections of the topology, in the order in which they follow each other; without one, those of pictures; else none."""
    if spec.topology is not None and spec.topology.connections:
        known = _Known(spec)
        return _in_order([known.way(one) for one in spec.topology.connections])
    pictures = [p for _, p in sorted(spec.pictures.items()) if p.shape is Shape.IDLE]
    poly_of = polys_of(spec)
    found: list[Way] = []
    for picture in pictures:
        try:
            found.append(_pictured(picture, poly_of))
        except (ZeroDivisionError, TooManyTermsError):
            continue
    return _in_order(found)


class _Known:
    """What the catalogue knows of components."""

    def __init__(self, spec: Spec) -> None:
        assert spec.topology is not None  # the caller saw to it
        self._components = spec.topology.components
        self._parameters = spec.parameters
        self._poly = polys_of(spec)

    def way(self, link: Connection) -> Way:
        source, target = self._components[link.source], self._components[link.target]
        ends: list[tuple[Component, Sequence[str], bool, Side]] = [(source, _ASKING, False, Side.UPPER)]
        ends += [(self._components[hop], _PASSING, True, Side.LOWER) for hop in link.hops]
        ends += [(target, _ANSWERING, False, Side.LOWER)]
        clocks = [self._clock(one, role, is_silent, side) for one, roles, is_silent, side in ends for role in roles]
        awake = [self._clock(one, role, False, Side.UPPER) for one in (source, target) for role in _AWAKE]
        return Way(
            stops=(link.source, *link.hops, link.target),
            hops=tuple(link.hops),
            clocks=tuple(clock for clock in clocks if clock is not None),
            awake=tuple(clock.poly for clock in awake if clock is not None),
            is_kept=link.options.get("pooled", LINK_OPTIONS["pooled"]) != "no",
        )

    def _clock(self, component: Component, role: str, is_silent: bool, side: Side) -> Clock | None:
        """The role's clock, where the component has it and the spec speaks of it."""
        kind = component.kind
        formula = kind.roles.get(role)
        if formula is None or any(g.holds(component.option(g.name)) is False for g in kind.conditions.get(role, ())):
            return None
        name = next(
            (n for n in (f"{component.name}.{role}", f"{component.name}.{formula}") if n in self._parameters), None
        )
        if name is None:
            return None
        poly = self._poly(Name(name=name))
        return Clock(stop=component.name, parameter=name, text=name, poly=poly, is_silent=is_silent, side=side)


def _pictured(picture: Picture, poly_of: Callable[[Expr], Poly]) -> Way:
    """The connection of a picture, as far as that tells of its ends."""

    def clock(part: Part, is_silent: bool, side: Side) -> Clock:
        name = part.formula.name if isinstance(part.formula, Name) else None
        poly = poly_of(part.formula)
        return Clock(stop=part.label, parameter=name, text=part.text, poly=poly, is_silent=is_silent, side=side)

    parts = picture.parts
    client, hops, server = (parts.get(key, ()) for key in ("client", "hops", "server"))
    return Way(
        stops=tuple(part.label for part in (*client[:1], *hops, *server[:1])),
        hops=tuple(part.label for part in hops),
        clocks=(
            *(clock(part, False, Side.UPPER) for part in client),
            *(clock(part, True, Side.LOWER) for part in hops),
            *(clock(part, False, Side.LOWER) for part in server),
        ),
        awake=tuple(poly_of(part.formula) for key in ("client_awake", "server_awake") for part in parts.get(key, ())),
    )


def _in_order(ways: Iterable[Way]) -> tuple[Way, ...]:
    """Each way once, followed by those that begin where it ends; else they stay as they came."""
    after: dict[str, list[Way]] = {}
    for way in reversed(dict.fromkeys(ways)):
        after.setdefault(way.stops[0], []).append(way)
    targets = {way.stops[-1] for each in after.values() for way in each}
    begins = [way for each in after.values() for way in each]
    # Where all go round in circles, some have to be begun with nevertheless: these stand at the bottom of the pile.
    pile = [way for way in begins if way.stops[0] in targets] + [way for way in begins if way.stops[0] not in targets]
    found: dict[Way, None] = {}
    while pile:
        way = pile.pop()
        if way not in found:
            found[way] = None
            pile += after.get(way.stops[-1], ())
    return tuple(found)


def chains_of(ways: Sequence[Way]) -> tuple[tuple[Way, ...], ...]:
    """Ways end to end, as long as nothing branches off or comes in."""
    starts, ends = Counter(way.stops[0] for way in ways), Counter(way.stops[-1] for way in ways)
    chains: list[list[Way]] = []
    for way in ways:
        meeting = way.stops[0]
        if chains and chains[-1][-1].stops[-1] == meeting and starts[meeting] == ends[meeting] == 1:
            chains[-1].append(way)
        else:
            chains.append([way])
    return tuple(tuple(chain) for chain in chains)


def ends_first(way: Way, world: World) -> tuple[int, ...]:
    """The numbers of the clocks that end first; none where none ends, or where nothing is known of them."""
    awake = [value for poly in way.awake if isinstance(value := _value(poly, world, Side.UPPER), Fraction)]
    found: dict[int, Fraction] = {}
    for number, clock in enumerate(way.clocks if way.is_kept else ()):
        value = _value(clock.poly, world, clock.side)
        if isinstance(value, Fraction) and not (clock.is_silent and any(each < value for each in awake)):
            found[number] = value
    least = min(found.values(), default=None)
    return tuple(number for number, value in found.items() if value == least)


def sentence(way: Way, first: Sequence[int], world: World) -> str:
    """What ends an idle connection first."""
    if not way.is_kept:
        return f"{way.label}: connections are not kept."
    clocks = [way.clocks[number] for number in first]
    if not clocks:
        return f"{way.label}: nothing that is known ends an idle connection."
    after = f"{way.label}: idle, it ends after {clock_text(clocks[0], world)}"
    if ends := _ends_taken(clocks, world):
        after += f", {ends}"
    if len(clocks) > 1:
        return f"{after}: {joined([clock.stop for clock in clocks])} end it at the same moment."
    does = "forgets it first, telling nobody" if clocks[0].is_silent else "closes it first"
    return f"{after}: {clocks[0].stop} {does}."


def _ends_taken(clocks: Sequence[Clock], world: World) -> str:
    """Which ends of intervals these clocks stand at; empty where they have one value."""
    told = []
    for clock in clocks:
        low, high = (_text(_value(clock.poly, world, side)) for side in (Side.LOWER, Side.UPPER))
        if low != high:
            words = f"the {'upper' if clock.side is Side.UPPER else 'lower'} end of {low} to {high}"
            told.append(f"{words} at {clock.stop}" if len(clocks) > 1 else words)
    return " and ".join(told)


def is_made(spec: Spec, parameter: Parameter) -> bool:
    """Whether the catalogue brought it in, and nobody wrote it down: a default, or that a component has nothing of the sort."""
    owner = None if spec.topology is None else spec.topology.components.get(parameter.name.partition(".")[0])
    return parameter.default_of is not None or (owner is not None and owner.place == parameter.place)


def clock_text(clock: Clock, world: World) -> str:
    """After how long it ends, at the end of intervals that does harm."""
    return _text(_value(clock.poly, world, clock.side))


def _text(value: Extended | None) -> str:
    if value is None:
        return "no value"
    return format_value(value, 1) if isinstance(value, Fraction) else value.value


def _value(poly: Poly, world: World, side: Side) -> Extended | None:
    """None: a name in it has no value, or it cannot be computed."""
    if any(isinstance(atom, Var) and atom.name not in world.values for atom in poly.all_atoms()):
        return None
    try:
        return evaluate(poly, world, side)
    except OutlastError:  # too long to be computed
        return None
