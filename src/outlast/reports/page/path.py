"""The path of a spec as a section of the page: every hop with its timeouts, and of each connection the clock that ends it first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from outlast.constraints.evaluate import Side
from outlast.constraints.expression import names_in
from outlast.constraints.model import Parameter, Role
from outlast.constraints.polynomial import Poly
from outlast.constraints.quantities import Sentinel
from outlast.constraints.topology import Component
from outlast.reporting import Reported
from outlast.reports.data import Json
from outlast.reports.markup import Markup, element, forward, joined
from outlast.reports.page.opening import Opening, opening_of, place_of, said_value
from outlast.reports.page.ways import Way, chains_of, clock_text, ends_first, is_made, sentence, ways_of
from outlast.reports.wording import Places

__all__ = ["path_data", "path_section"]

#: The group of names without a dot.
_OTHERS: Final = "others"


def path_section(reported: Reported, opening: Opening | None = None) -> Markup:
    """The section `path` at what the page opens with; empty for a spec whose rules speak of no parameter."""
    ways = ways_of(reported.spec)
    drawn = _Drawn(reported, opening or opening_of(reported), ways)
    if ways:
        parts = [*drawn.chains(), *drawn.rest("Not on a connection")]
        return element("section", element("h2", "Path"), *parts, id="path")
    parts = [*drawn.rest(None)]
    note = element("p", "The spec names no connections, so these stand in the order of their names.", class_="note")
    return element("section", element("h2", "Components"), note, *parts, id="path") if parts else Markup("")


def path_data(reported: Reported, poly: Callable[[Poly], int]) -> list[Json]:
    """What path.js needs of each connection; `poly` puts a polynomial into the page's table and tells its place there."""
    return [
        {
            "label": way.label,
            "kept": way.is_kept,
            "clocks": [
                {"poly": poly(c.poly), "stop": c.stop, "silent": c.is_silent, "upper": c.side is Side.UPPER}
                for c in way.clocks
            ],
            "awake": [poly(each) for each in way.awake],
        }
        for way in ways_of(reported.spec)
    ]


class _Drawn:
    """The stops of a spec with their timeouts."""

    def __init__(self, reported: Reported, opening: Opening, ways: Sequence[Way]) -> None:
        self._spec = reported.spec
        self._opening = opening
        self._places = Places(reported.spec)
        self._ways = ways
        self._numbers = {way: number for number, way in enumerate(ways)}
        clocks = {name for way in ways for clock in way.clocks if (name := clock.parameter) is not None}
        idle = _idle(reported)
        #: By component, the parameters that matter.
        self._groups: dict[str, list[Parameter]] = {}
        for name in sorted(_used(reported) | clocks):
            if name not in clocks and name in idle:
                continue
            owner = name.rpartition(".")[0] or _OTHERS
            self._groups.setdefault(owner, []).append(reported.spec.parameters[name])
        self._shown: set[str] = set()

    def chains(self) -> Iterator[Markup]:
        """Connections end to end, each with the clock that ends first."""
        for chain in chains_of(self._ways):
            stops = [*chain[0].stops, *(name for way in chain[1:] for name in way.stops[1:])]
            passing = {hop for way in chain for hop in way.hops}
            items = [self._stop(name, chain, is_passing=name in passing, level=3) for name in stops]
            yield element("ol", *items, class_="way")
            for way in chain:
                first = ends_first(way, self._opening.world)
                yield element(
                    "p",
                    forward(sentence(way, first, self._opening.world)),
                    class_="first",
                    data_way=self._numbers[way],
                )

    def rest(self, title: str | None) -> Iterator[Markup]:
        """What stands on no connection, by name."""
        names = sorted(set(self._groups) - self._shown - {_OTHERS})
        if title is None and _OTHERS in self._groups:
            names.append(_OTHERS)
        if names:
            yield element("h3", title) if title is not None else Markup("")
            level = 3 if title is None else 4
            items = [self._stop(name, (), is_passing=None, level=level) for name in names]
            yield element("ul", *items, class_="way apart")

    def _stop(self, name: str, chain: Sequence[Way], *, is_passing: bool | None, level: int) -> Markup:
        """One component; one that was shown before only with the clocks of these connections."""
        clocks = [(way, n) for way in chain for n, clock in enumerate(way.clocks) if clock.stop == name]
        named = {parameter for way, n in clocks if (parameter := way.clocks[n].parameter) is not None}
        again = name in self._shown
        self._shown.add(name)
        told = named if again else named | {p.name for p in self._groups.get(name, ())}
        rows = [self._row(self._spec.parameters[each], clocks, len(chain) > 1) for each in sorted(told)]
        rows += [self._formula(way, n, len(chain) > 1) for way, n in clocks if way.clocks[n].parameter is None]
        does = {None: "", True: "passes connections on", False: "ends connections"}[is_passing]
        about = [element("p", part, class_="faint") for part in (self._title(name), does) if part]
        table = (
            element("dl", *rows)
            if rows
            else element("p", "as above" if again else "no timeout is known", class_="faint")
        )
        kind = "passes" if is_passing else "ends"
        return element("li", element(f"h{level}", name), *about, table, class_=f"stop {kind}")

    def _title(self, name: str) -> str:
        component = self._component(name)
        if component is None:
            return ""
        hosts = f", runs in {', '.join(component.hosts)}" if component.hosts else ""
        return f"{component.kind.title}{hosts}"

    def _component(self, name: str) -> Component | None:
        return None if self._spec.topology is None else self._spec.topology.components.get(name)

    def _row(self, parameter: Parameter, clocks: Sequence[tuple[Way, int]], is_named: bool) -> Markup:
        told = said_value(parameter, self._opening.values.get(parameter.name))
        is_moved = parameter.role in (Role.FREE, Role.FIXED, Role.DERIVED)
        shown = element("span", told, data_value=parameter.name if is_moved else None, class_="now")
        marks = [self._mark(way, n, is_named) for way, n in clocks if way.clocks[n].parameter == parameter.name]
        said = element("dd", shown, *marks, element("div", self._from(parameter), class_="faint"))
        return element("div", element("dt", element("code", parameter.name.rpartition(".")[2])), said)

    def _formula(self, way: Way, number: int, is_named: bool) -> Markup:
        """A clock that is no parameter."""
        clock = way.clocks[number]
        shown = element(
            "span", clock_text(clock, self._opening.world), data_clock_value=self._key(way, number), class_="now"
        )
        return element(
            "div", element("dt", element("code", clock.text)), element("dd", shown, self._mark(way, number, is_named))
        )

    def _mark(self, way: Way, number: int, is_named: bool) -> Markup:
        """The words at a clock that ends first; hidden at the others."""
        is_first = number in ends_first(way, self._opening.world)
        words = f"ends first, {way.label}" if is_named else "ends first"
        return element(
            "strong", forward(words), class_="binding", data_clock=self._key(way, number), hidden=not is_first
        )

    def _key(self, way: Way, number: int) -> str:
        return f"{self._numbers[way]}.{number}"

    def _from(self, parameter: Parameter) -> Markup:
        """Who says what it is, and where."""
        if parameter.default_of is not None:
            return joined((f"the default of {parameter.default_of}",))
        if parameter.is_effective or parameter.role is Role.DERIVED:
            return joined(("computed: ", element("code", parameter.text or "")))
        return joined((f"{parameter.role.value}, {self._places.text(place_of(parameter))}",))


def _idle(reported: Reported) -> set[str]:
    """What is off since nobody turned it on, and may be."""
    wanted = {name for rule in reported.rules.values() for name in rule.rule.needs_on}
    return {
        p.name
        for p in reported.spec.parameters.values()
        if p.value is Sentinel.OFF and p.name not in wanted and is_made(reported.spec, p)
    }


def _used(reported: Reported) -> set[str]:
    """The parameters that rules speak of, what they are computed from included; the bounds of values left aside."""
    found: set[str] = set()
    for rule in reported.rules.values():
        if not rule.rule.is_bound:
            found |= rule.names() | set(names_in(rule.rule.require))
    return found & reported.spec.parameters.keys()
