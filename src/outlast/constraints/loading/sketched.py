"""From what relations of the catalogue would have drawn to pictures of a spec: several relations of the same components share one.

Nothing is added to the spec for a picture: a part that speaks of what no rule of the spec needs is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from outlast.constraints.catalogue import Relation
from outlast.constraints.catalogue.relation import names_of, rewritten, split_name
from outlast.constraints.errors import Place
from outlast.constraints.expression import Product, Sum
from outlast.constraints.loading.matching import Match
from outlast.constraints.pictures import PARTS, Answer, Part, Picture, Shape, Unseen, fitting, problems_of
from outlast.constraints.record import record, replace
from outlast.constraints.syntax import parse_expression
from outlast.constraints.topology import Component, Connection, Topology

__all__ = ["Sketched", "merged", "sketched", "with_unseen"]


@record(kw_only=True)
class Sketched:
    """A picture that relations make: parts as labels and texts of formulas over the spec's own names."""

    shape: Shape
    #: Of the rules' entries, sorted.
    rules: tuple[str, ...]
    #: Of the first rule's relation.
    title: str
    #: In the order of the id.
    components: tuple[str, ...]
    parts: Mapping[str, tuple[tuple[str, str], ...]]
    place: Place
    #: Of an idle connection: which one it is.
    link: Connection | None
    #: The components of which each rule says that they are taken out.
    servers: tuple[str, ...]
    #: Hops of the connection that are in no part.
    unseen: tuple[Unseen, ...] = ()
    #: By label, what hops answer that have forgotten; of those that are not here it is not known.
    answers: Mapping[str, Answer] = field(default_factory=dict)

    def picture(self, id_: str, title: str | None, rules: tuple[str, ...]) -> Picture:
        """It as a picture of the spec."""
        parts = {
            name: tuple(self._part(name, label, text) for label, text in told) for name, told in self.parts.items()
        }
        return Picture(
            id=id_,
            shape=self.shape,
            title=title,
            place=self.place,
            parts=parts,
            rules=rules,
            unseen=self.unseen,
        )

    def _part(self, name: str, label: str, text: str) -> Part:
        answers = self.answers.get(label, Answer.UNKNOWN) if name == "hops" else Answer.UNKNOWN
        return Part(label=label, formula=parse_expression(text), text=text, answers=answers)


def sketched(
    rule: str,
    relation: Relation,
    match: Match,
    parameters: Mapping[str, object],
    has: Callable[[Match, str, str], bool],
) -> Sketched | None:
    """What one rule would have drawn with what is there; None: nothing.

    `has` tells whether a component of the match surely has a role.
    """
    if relation.picture is None:
        return None
    reader = _Reader(relation, match, parameters, has)
    shape = relation.picture.shape
    told = {
        name: found
        for name, formulas in relation.picture.parts.items()
        if (found := reader.part(shape, name, formulas))
    }
    parts = {name: told[name] for name in fitting(shape, told)}
    if problems_of(shape, parts):
        return None
    order = _order(match) if shape is Shape.IDLE else sorted(match.names)
    spoken_of = reader.components(name for name in parts)
    server = [match.ends[end].name for end in ("to", "guest") if end in match.ends]
    return Sketched(
        shape=shape,
        rules=(rule,),
        title=relation.title,
        components=tuple(name for name in order if name in spoken_of),
        parts=parts,
        place=match.place,
        link=match.link,
        servers=tuple(server),
        answers={each.name: each.answer() for each in match.ends.values() if each.kind.passes_through},
    )


class _Reader:
    """Says a relation's formulas in the spec's names, and remembers of which components they speak."""

    def __init__(
        self,
        relation: Relation,
        match: Match,
        parameters: Mapping[str, object],
        has: Callable[[Match, str, str], bool],
    ) -> None:
        self._relation = relation
        self._match = match
        self._parameters = parameters
        self._has = has
        self._spoken_of: dict[str, set[str]] = {}

    def components(self, parts: Iterator[str]) -> set[str]:
        """Those that the parts speak of."""
        return {component for part in parts for component in self._spoken_of[part]}

    def part(self, shape: Shape, name: str, formulas: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The label and the text of each formula that can be told; empty: the part is left out."""
        found: list[tuple[str, str]] = []
        for formula in formulas:
            told = self._told(formula)
            if told is None:
                continue
            text, components = told
            self._spoken_of.setdefault(name, set()).update(components)
            found.append((next(iter(components)) if len(components) == 1 else name, text))
            if not PARTS[shape][name].is_list:
                break
        return tuple(found)

    def _told(self, formula: str) -> tuple[str, set[str]] | None:
        """A formula in the spec's names, with the components that it speaks of; None: something in it is not there."""
        names: dict[str, str] = {}
        components: set[str] = set()
        for name in names_of(formula):
            end, word = split_name(name, self._relation.over)
            if not self._has(self._match, end, word):
                return None
            component = self._match.ends[end]
            known = self._quantity(component, word)
            if known is None:
                return None
            names[name] = known
            components.add(component.name)
        return rewritten(formula, names), components

    def _quantity(self, component: Component, word: str) -> str | None:
        """What stands for a parameter or a role: its name, or where no rule needed the role, what it is computed from."""
        name = f"{component.name}.{word}"
        if name in self._parameters:
            return name
        formula = component.kind.roles.get(word)
        if formula is None or word in component.kind.parameters:
            return None
        if formula in component.kind.parameters or formula in component.kind.roles:
            return self._quantity(component, formula)
        inner = {used: self._quantity(component, used) for used in names_of(formula)}
        known = {used: told for used, told in inner.items() if told is not None}
        return _in_parentheses(rewritten(formula, known)) if len(known) == len(inner) else None


def _in_parentheses(formula: str) -> str:
    """A formula that can stand in another one."""
    return f"({formula})" if isinstance(parse_expression(formula), (Sum, Product)) else formula


def _order(match: Match) -> tuple[str, ...]:
    """The components of a connection, the side that asks first."""
    link = match.link
    return match.names if link is None else (link.source, *link.hops, link.target)


#: What one picture cannot show of two rules, unless one of them tells both: a stop is told from the signal or from the end of a drain.
_APART: Final = frozenset(["drain", "stop"])


def merged(pictures: Sequence[Sketched], topology: Topology) -> tuple[Sketched, ...]:
    """The pictures with those put together that go together, in the order of the ids of their rules."""
    found: list[Sketched] = []
    for picture in sorted(pictures, key=lambda each: each.rules):
        for number, other in enumerate(found):
            together = _together(other, picture, topology)
            if together is not None:
                found[number] = together
                break
        else:
            found.append(picture)
    return tuple(found)


def _together(one: Sketched, other: Sketched, topology: Topology) -> Sketched | None:
    """Both as one picture; None: that would not be true."""
    if one.shape is not other.shape or not set(one.components) & set(other.components):
        return None
    link = one.link
    if one.shape is Shape.IDLE:
        link = _link_of_both(one, other, topology)
        if link is None:
            return None
    if one.shape is Shape.DEPLOY and not all(_is_same_end(a, b, topology) for a in one.servers for b in other.servers):
        return None
    parts: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, kind in PARTS[one.shape].items():
        first, second = one.parts.get(name, ()), other.parts.get(name, ())
        if kind.is_list:
            parts[name] = tuple(dict.fromkeys((*first, *second)))
            if len({label for label, _ in parts[name]}) < len(parts[name]):
                return None
        elif first and second and first != second:
            return None
        else:
            parts[name] = first or second
    parts = {name: told for name, told in parts.items() if told}
    if problems_of(one.shape, parts):
        return None
    if parts.keys() >= _APART and not any(each.parts.keys() >= _APART for each in (one, other)):
        return None
    names = {*one.components, *other.components}
    order: Sequence[str] = sorted(names)
    if link is not None and one.shape is Shape.IDLE:
        order = [name for name in (link.source, *link.hops, link.target) if name in names]
        if "hops" in parts:
            parts["hops"] = tuple(sorted(parts["hops"], key=lambda told: order.index(told[0])))
    return replace(
        one,
        rules=tuple(sorted((*one.rules, *other.rules))),
        components=tuple(order),
        parts=parts,
        link=link,
        servers=tuple(dict.fromkeys((*one.servers, *other.servers))),
        answers={**one.answers, **other.answers},
    )


def _link_of_both(one: Sketched, other: Sketched, topology: Topology) -> Connection | None:
    """A connection on which both pictures' hops lie."""
    if one.link is None or other.link is None:
        return None
    ends = (one.link.source, one.link.target)
    if ends != (other.link.source, other.link.target):
        return None
    hops = {label for each in (one, other) for label, _ in each.parts.get("hops", ())}
    ways = [c for c in topology.connections if (c.source, c.target) == ends and hops <= set(c.hops)]
    return min(ways, key=lambda c: (c.hops, sorted(c.options.items())), default=None)


def with_unseen(pictures: Sequence[Sketched], topology: Topology, out: Mapping[str, str]) -> tuple[Sketched, ...]:
    """The pictures of idle connections with the hops that they do not show; `out` says by id what became of rules that are not there."""
    return tuple(
        picture
        if picture.link is None or picture.shape is not Shape.IDLE
        else replace(picture, unseen=tuple(_unseen(picture, picture.link, topology, out)))
        for picture in pictures
    )


def _unseen(picture: Sketched, link: Connection, topology: Topology, out: Mapping[str, str]) -> Iterator[Unseen]:
    """Without a hop in it a picture is of every way between its ends; with one, of the way on which that lies."""
    ways = [c for c in topology.connections if (c.source, c.target) == (link.source, link.target)]
    shown = {label for label, _ in picture.parts.get("hops", ())}
    for hop in dict.fromkeys(hop for way in ([link] if shown else ways) for hop in way.hops):
        if hop in shown:
            continue
        names = f"@{hop}:{link.source}:{link.target}"
        why = next((f"{id_} {told}" for id_, told in sorted(out.items()) if id_.endswith(names)), "")
        yield Unseen(name=hop, why=why)


def _is_same_end(one: str, other: str, topology: Topology) -> bool:
    """Whether two components stop together: they are one, or one runs in the other."""
    return one == other or other in _hosts(one, topology) or one in _hosts(other, topology)


def _hosts(name: str, topology: Topology) -> list[str]:
    seen = [name]
    for each in seen:
        if each in topology.components:
            seen += [host for host in topology.components[each].hosts if host not in seen]
    return seen[1:]
