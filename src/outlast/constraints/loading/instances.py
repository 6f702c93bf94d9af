"""From the relations of the catalogue to rules of a spec: one for each component, connection, hop or host that they speak of.

What is made here are entries of the sections `parameters` and `rules`, as if the spec had written them, so that everything else of
loading holds for them, too. Defaults come in as fixed values, constants as facts, effective values as derived parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from outlast.constraints.catalogue import Default, Guard, Kind, KnownParameter, Relation, relation, relations
from outlast.constraints.catalogue.guard import LINK_OPTIONS
from outlast.constraints.catalogue.relation import names_of, rewritten
from outlast.constraints.document import Entry, Node, Scalar
from outlast.constraints.document import Sequence as Items
from outlast.constraints.errors import Place
from outlast.constraints.loading.layers import Item, Known, KnownRule, Layer, roles_of
from outlast.constraints.loading.matching import Match, can_host, joined, matches, would_meet
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.loading.values import read_origin
from outlast.constraints.model import Declined, Note, Severity, Unjudged
from outlast.constraints.record import record, replace
from outlast.constraints.topology import Component, Topology

if TYPE_CHECKING:
    from outlast.constraints.loading.sketched import Sketched

__all__ = ["Instances", "instantiate"]


@record(kw_only=True)
class Instances:
    """What the catalogue says about a spec beyond its rules."""

    unjudged: tuple[Unjudged, ...] = ()
    declined: tuple[Declined, ...] = ()
    notes: tuple[Note, ...] = ()
    #: What its relations would have drawn, each put together with others where they go together.
    pictures: tuple[Sketched, ...] = ()


def instantiate(layer: Layer, topology: Topology, problems: Problems, *, is_sure: bool = False) -> Instances:
    """Add to the layer the rules that follow from the catalogue, and the parameters that they and the spec's own rules need.

    `is_sure`: a default that depends on a release that nobody tells is not taken; else that of the newest one is.
    """
    maker = _Maker(layer, topology, problems, is_sure=is_sure)
    maker.check_names()
    maker.complete_own()
    maker.add_rules()
    maker.add_mentioned()
    maker.add_bounds()
    return maker.finished()


class _Maker:
    """Adds to one layer."""

    def __init__(self, layer: Layer, topology: Topology, problems: Problems, *, is_sure: bool) -> None:
        self._is_sure = is_sure
        self._topology = topology
        self._problems = problems
        self._parameters = layer.sections["parameters"]
        self._rules = layer.sections["rules"]
        self._declines = layer.sections["decline"]
        self._pictures_of_spec = layer.sections["pictures"]
        self._unjudged: list[Unjudged] = []
        self._declined: list[Declined] = []
        self._notes: list[Note] = []
        #: Ids of rules that a relation makes, or would make if everything were known.
        self._made: dict[str, None] = {}
        self._made_rules: set[str] = set()
        #: Rules of which their relations know what to draw; what is looked for in files alone is not drawn.
        self._drawn: list[tuple[str, Relation, Match]] = []
        #: By relation: what the spec says of all its rules.
        self._general = {
            id_: item for id_, item in self._rules.items() if "require" not in item.keys and relation(id_) is not None
        }
        for id_ in self._general:
            del self._rules[id_]
        self._mentioned = self._names_in_spec()

    def check_names(self) -> None:
        """Say of every parameter of a component that its kind does not know, and no rule uses, that it is a slip."""
        for name, item in sorted(self._parameters.items()):
            owner, _, word = name.partition(".")
            component = self._topology.components.get(owner)
            if component is None or not word or word in component.kind.parameters:
                continue
            if word in component.kind.roles:
                formula = component.kind.roles[word]
                message = f"{quoted(name)} is computed by {component.kind.name}, as {formula}; set what is in it"
            elif name in self._mentioned:
                continue
            else:
                hint = self._problems.nearest(word, component.kind.parameters)
                message = f"{component.kind.name} has no parameter {quoted(word)}{hint}"
            self._problems.add(message, item.name.place)

    def complete_own(self) -> None:
        """Give the spec's own parameters of components what their kinds know of them."""
        for name, item in sorted(self._parameters.items()):
            known = self._topology.known(name)
            if known is None:
                continue
            self._parameters[name] = _completed(item, *known, is_sure=self._is_sure)
            component, parameter = known
            version = component.option("version")
            if version is not None and parameter.defaults and parameter.default(version) is None:
                told = f"{component.kind.product} {version} has no {parameter.key or parameter.name}"
                self._notes.append(Note(f"{told}, as far as the catalogue knows", item.name.place))

    def add_rules(self) -> None:
        """Make the rules of every relation."""
        spoken_of: set[tuple[str, ...]] = set()
        for each in relations():
            for match in matches(each, self._topology):
                self._add_rule(each, match)
                spoken_of.add(match.names if match.link is None else (match.link.source, "->", match.link.target))
        self._note_silence(spoken_of)
        for id_, item in sorted(self._general.items()):
            if not any(_is_of(made, id_) for made in self._made):
                self._complain_of(id_, item, "speaks of")
        for id_, item in sorted(self._rules.items()):
            if item.known is None and "require" not in item.keys and "/" in id_ and relation(id_.partition("@")[0]):
                del self._rules[id_]  # it only adjusts a rule that is not there
                if id_ in self._made:
                    self._notes.append(Note(f"speaks of {id_}, which is not judged", item.name.place))
                else:
                    self._complain_of(id_, item, "speaks of")

    def _note_silence(self, spoken_of: set[tuple[str, ...]]) -> None:
        """Say of connections and hosts that no relation knows, where that looks like a slip."""
        if self._is_sure:
            return
        components = self._topology.components
        for link in self._topology.connections:
            source, target = components[link.source], components[link.target]
            if (link.source, "->", link.target) not in spoken_of:
                turned = would_meet(target.kind, source.kind)
                if turned:
                    told = f"no relation of the catalogue speaks of {link.source} -> {link.target}; of {link.target} -> {link.source} {turned} would"
                    self._notes.append(Note(f"{told}: the side that asks comes first", link.place))
        for one in components.values():
            for host in one.hosts:
                if host in components and (host, one.name) not in spoken_of and not can_host(components[host].kind):
                    told = (
                        f"nothing is known of what runs in {components[host].kind.name}, so runs_in says nothing here"
                    )
                    self._notes.append(Note(told, one.place))

    def add_mentioned(self) -> None:
        """Bring in what the spec's own formulas mention of components."""
        for name in self._mentioned:
            owner, _, word = name.partition(".")
            component = self._topology.components.get(owner)
            if component is None or not word or name in self._parameters:
                continue
            if word not in component.kind.parameters and word not in component.kind.roles:
                continue  # told where the formula is read
            other = self._quantity(component, word)
            if other != name:  # a role that is a parameter by another name
                keys = {"derived": _entry("derived", other, component.place)}
                self._parameters[name] = Item(Scalar(text=name, place=component.place), keys, is_effective=True)

    def add_bounds(self) -> None:
        """Make rules of what the software takes at all."""
        for name in sorted(self._parameters):
            found = self._topology.known(name)
            if found is None or found[1].is_constant:
                continue
            component, known = found
            what = f"what {component.kind.product} takes for {known.key or known.name}"
            for end, sign, limit in (("min", ">=", known.minimum), ("max", "<=", known.maximum)):
                if limit is None:
                    continue
                place = self._parameters[name].name.place
                texts = {"require": f"{name} {sign} {limit}", "why": what, "aim": "0%", "cost": "never",
                         "breaks": known.outside, "source": next(iter(known.sources), None)}  # fmt: skip
                if "infinite" in (known.zero, known.negative, *(d.value for d in known.defaults)):
                    texts["when"] = f"not {name} is infinite"
                self._add_bound(
                    f"{name}.{end}", component, {k: _entry(k, v, place) for k, v in texts.items() if v}, place
                )

    def _add_bound(self, id_: str, component: Component, keys: dict[str, Entry], place: Place) -> None:
        self._made[id_] = None
        own = self._rules.get(id_)
        if id_ in self._declines:
            self._decline(id_, self._declines[id_])
        elif own is None or "require" not in own.keys:
            known = KnownRule(relation=None, components=(component.name,))
            name = Scalar(text=id_, place=place) if own is None else own.name
            self._rules[id_] = Item(name, {**keys, **(own.keys if own is not None else {})}, known=known)

    def finished(self) -> Instances:
        """What is to be told, once the spec's own words about the rules are heard."""
        for id_, item in sorted(self._declines.items()):
            entry = item.keys.get("why")
            if "" not in item.keys and (entry is None or not isinstance(entry.value, Scalar) or not entry.value.text):
                self._problems.add(f"expected the reason why {quoted(id_)} is declined, found none", item.name.place)
            if not any(_is_of(made, id_) for made in self._made):
                self._complain_of(id_, item, "declines")
        return Instances(
            unjudged=tuple(sorted(self._unjudged, key=lambda each: each.id)),
            declined=tuple(sorted(self._declined, key=lambda each: each.id)),
            notes=tuple(self._notes),
            pictures=self._pictures() if self._drawn else (),
        )

    def _pictures(self) -> tuple[Sketched, ...]:
        from outlast.constraints.loading.sketched import merged, sketched, with_unseen  # not every relation is drawn

        found = (sketched(id_, each, match, self._parameters, self._has) for id_, each, match in self._drawn)
        pictures = merged([one for one in found if one is not None], self._topology)
        out = {each.id: "is declined" for each in self._declined if _draws_hops(each.id)}
        out |= {each.id: "is not judged" for each in self._unjudged if _draws_hops(each.id)}
        return with_unseen(pictures, self._topology, out)

    def _has(self, match: Match, end: str, word: str) -> bool:
        """Whether a component surely has a role."""
        is_sure = all(self._applies(guard, match) for guard in self._conditions_of(match, end, word))
        return is_sure and not self._lacks(match, end, word)

    # Conditions over options.

    def _conditions(self, each: Relation, match: Match) -> Iterator[Guard]:
        """What must hold for a relation to apply, of the roles in it, too."""
        yield from each.applies
        for end, word in each.names:
            for guard in self._conditions_of(match, end, word):
                if joined(end, word) not in each.optional or self._applies(guard, match) is None:
                    yield guard

    def _conditions_of(self, match: Match, end: str, word: str) -> Iterator[Guard]:
        """What must hold for a component to have a role."""
        for guard in match.ends[end].kind.conditions.get(word, ()):
            yield replace(guard, end=end, text=joined(end, guard.text))

    def _applies(self, guard: Guard, match: Match) -> bool | None:
        """Whether a condition holds; None: nobody knows."""
        if guard.sign in ("set", "not set"):
            return self._is_set(match.ends[guard.end], guard.name) == (guard.sign == "set")
        if guard.end == "link":
            given = match.link.options.get(guard.name, LINK_OPTIONS[guard.name]) if match.link is not None else None
        else:
            given = match.ends[guard.end].option(guard.name)
        if given is None and guard.name == "version" and not self._is_sure:
            return guard.sign in (">", ">=", "!=")  # the newest release is meant
        return guard.holds(given)

    def _is_set(self, component: Component, word: str) -> bool:
        """Whether somebody has said a value, of a role one of those in it."""
        items = (self._parameters.get(f"{component.name}.{leaf}") for leaf in _leaves(component.kind, word))
        return any(item is not None and not (isinstance(item.known, Known) and item.known.default_of) for item in items)

    # Making.

    def _add_rule(self, each: Relation, match: Match) -> None:
        id_ = f"{each.id}@{':'.join(match.names)}"
        if id_ in self._made_rules:
            return  # of another way between the same two
        truths = [(guard, self._applies(guard, match)) for guard in self._conditions(each, match)]
        if any(truth is False for _, truth in truths):
            return
        self._made[id_] = None
        decline = self._declines.get(id_) or self._declines.get(each.id)
        if decline is not None:
            self._decline(id_, decline)
            return
        unknown = next((guard for guard, truth in truths if truth is None), None)
        if unknown is not None:
            self._unjudged.append(
                Unjudged(id=id_, relation=each.id, needs=(), why=f"nothing tells whether {_told(unknown, match)}")
            )
            return
        if (
            self._is_sure
            and each.severity is not Severity.ERROR
            and not any(self._is_set(match.ends[end], word) for end, word in each.names)
        ):
            return  # nobody has set anything: nothing but an error would be told
        absent = {(end, word) for end, word in each.names if self._lacks(match, end, word)}
        missing = [m for at in each.names if at not in absent for m in self._missing(match.ends[at[0]], at[1])]
        if missing:
            needs = tuple(dict.fromkeys(missing))
            self._unjudged.append(
                Unjudged(id=id_, relation=each.id, needs=needs, why=f"no value of {', '.join(needs)} is known")
            )
            return
        names = {
            joined(end, word): (self._absent if (end, word) in absent else self._quantity)(match.ends[end], word)
            for end, word in each.names
        }
        keys = {"require": _entry("require", rewritten(each.require, names), match.place)}
        for key, text in (("when", each.when and rewritten(each.when, names)), ("aim", each.aim), ("why", each.why),
                          ("breaks", each.breaks), ("source", next(iter(each.sources), None))):  # fmt: skip
            if text:
                keys[key] = _entry(key, text, match.place)
        if each.needs_on:
            scalars = tuple(Scalar(text=names[name], place=match.place) for name in each.needs_on)
            keys["needs_on"] = _keyed("needs_on", Items(items=scalars, place=match.place))
        name = Scalar(text=id_, place=match.place)
        for own in (self._general.get(each.id), self._rules.get(id_)):
            if own is None:
                continue
            if "require" in own.keys or "when" in own.keys:
                message = f"the id {quoted(id_)} is taken by a rule of the catalogue; decline it to put another one in its place"
                self._problems.add(message, own.name.place)
                return
            if "margin" in own.keys:
                keys.pop("aim", None)  # the relation's may be of the other sort
            keys.update(own.keys)
            name = own.name if own.name.text == id_ else name
        self._made_rules.add(id_)
        if each.picture is not None and "picture" not in keys and not self._is_sure:
            self._drawn.append((id_, each, match))
        self._rules[id_] = Item(name, keys, known=KnownRule(relation=each, components=match.names))

    def _decline(self, id_: str, item: Item) -> None:
        entry = item.keys.get("why")
        if entry is not None and isinstance(entry.value, Scalar):
            origin = read_origin(item, self._problems)
            self._declined.append(Declined(id=id_, why=entry.value.text, place=item.name.place, origin=origin))

    def _complain_of(self, id_: str, item: Item, verb: str) -> None:
        """Say what is wrong with an id that no rule of the catalogue has here."""
        name = id_.partition("@")[0]
        if relation(name) is None:
            if "/" not in id_ and (hint := self._problems.nearest(id_, self._made)):
                self._problems.add(f"no rule of the catalogue here is called {quoted(id_)}{hint}", item.name.place)
                return
            near = self._problems.nearest(name, [each.id for each in relations()])
            self._problems.add(f"unknown rule of the catalogue {quoted(name)}{near}", item.name.place)
        elif "@" in id_ and (near := self._problems.nearest(id_, [m for m in self._made if _is_of(m, name)])):
            self._problems.add(f"no rule of the catalogue here is called {quoted(id_)}{near}", item.name.place)
        else:
            self._notes.append(Note(f"{verb} {id_}, which does not apply here", item.name.place))

    def _missing(self, component: Component, word: str) -> Iterator[str]:
        """The parameters without any value that a parameter or a role needs."""
        for name in _leaves(component.kind, word):
            full = f"{component.name}.{name}"
            item = self._parameters.get(full)
            if item is None and self._default(component, name) is None:
                yield full

    def _lacks(self, match: Match, end: str, word: str) -> bool:
        """Whether a component does not have a role, so that it is off where the relation lets it be."""
        kind = match.ends[end].kind
        is_known = word in kind.roles or word in kind.parameters
        return not is_known or any(self._applies(g, match) is False for g in self._conditions_of(match, end, word))

    def _default(self, component: Component, word: str) -> Default | None:
        """The default of a parameter; None: there is none, or it depends on a release that nobody tells."""
        known, version = component.kind.parameters[word], component.option("version")
        if self._is_sure and version is None and not known.has_one_default():
            return None
        return known.default(version)

    def _quantity(self, component: Component, word: str) -> str:
        """The name of a parameter or a role in the spec, brought in if it is not there; it is known to have a value."""
        name = f"{component.name}.{word}"
        if name in self._parameters:
            return name
        if word in component.kind.parameters:
            known = component.kind.parameters[word]
            default = self._default(component, word)
            if default is not None:
                self._parameters[name] = _default_item(name, component, known, default.value)
            return name
        formula = component.kind.roles[word]
        if formula in component.kind.parameters or formula in component.kind.roles:
            return self._quantity(component, formula)
        if not any(True for _ in self._missing(component, word)):
            names = {inner: self._quantity(component, inner) for inner in names_of(formula)}
            keys = {"derived": _entry("derived", rewritten(formula, names), component.place)}
            self._parameters[name] = Item(Scalar(text=name, place=component.place), keys, is_effective=True)
        return name

    def _absent(self, component: Component, word: str) -> str:
        """The name of a role that a kind does not have, as something that is off."""
        name = f"{component.name}.{word}"
        why = f"{component.kind.product} has nothing of the sort"
        keys = {"fact": _entry("fact", "off", component.place), "why": _entry("why", why, component.place)}
        self._parameters.setdefault(name, Item(Scalar(text=name, place=component.place), keys))
        return name

    def _names_in_spec(self) -> tuple[str, ...]:
        """Everything that formulas of the spec itself mention, in the order of their names."""
        items = [*self._rules.values(), *self._parameters.values()]
        texts = [
            e.value for item in items for key in ("require", "when", "derived", "needs_on") if (e := item.keys.get(key))
        ]
        drawn = self._pictures_of_spec.values()
        texts += [e.value for item in drawn for key, e in item.keys.items() if key not in ("shape", "title", "answers")]
        found: dict[str, None] = {}
        for node in texts:
            for scalar in node.items if isinstance(node, Items) else (node,):
                if isinstance(scalar, Scalar):
                    found.update(dict.fromkeys(names_of(scalar.text)))
        return tuple(found)


def _leaves(kind: Kind, word: str) -> Iterator[str]:
    """The parameters in a role, or the parameter itself; of what the kind does not have, none."""
    if word in kind.parameters:
        yield word
        return
    for inner in names_of(kind.roles.get(word, "")):
        yield from _leaves(kind, inner)


def _completed(item: Item, component: Component, known: KnownParameter, *, is_sure: bool) -> Item:
    """A parameter of the spec with the keys that its kind knows and the spec does not say.

    `is_sure`: what has no value is not taken for unset.
    """
    roles, default = roles_of(item), known.default(component.option("version"))
    if not roles and "" not in item.keys and not item.is_incomplete and default is not None and not known.is_constant:
        made = _default_item(item.name.text, component, known, default.value)
        return Item(item.name, {**made.keys, **item.keys}, known=made.known)
    if len(roles) != 1 or roles[0] == "derived":
        return item
    place, keys = item.name.place, dict(item.keys)
    for key, text in (("step", known.step if roles[0] != "fact" else None), ("unit", known.unit), ("zero", known.zero),
                      ("negative", known.negative), ("unset", default.value if default and not is_sure else None)):  # fmt: skip
        if text is not None and key not in keys:
            keys[key] = _entry(key, text, place)
    return Item(
        item.name,
        keys,
        is_incomplete=item.is_incomplete,
        known=Known(
            parameter=known,
            default_of=None,
            unset_of=_whose_default(component, known) if "unset" in keys and "unset" not in item.keys else None,
        ),
    )


def _default_item(name: str, component: Component, known: KnownParameter, value: str) -> Item:
    place = component.place
    role = "fact" if known.is_constant else "fixed"
    texts = {
        role: value,
        "step": None if known.is_constant else known.step,
        "zero": known.zero,
        "source": next(iter(known.sources), None),
    }
    keys = {key: _entry(key, text, place) for key, text in texts.items() if text is not None}
    return Item(
        Scalar(text=name, place=place),
        keys,
        known=Known(parameter=known, default_of=_whose_default(component, known)),
    )


def _whose_default(component: Component, known: KnownParameter) -> str:
    """The software that has the default, with its release where that matters: `Node.js since 20.18`."""
    version, product = component.option("version"), known.product or component.kind.product
    if known.has_one_default():
        return product
    if version is not None:
        return f"{product} {version}"
    since = known.defaults[-1].span.since
    return product if since is None else f"{product} since {since}"


def _entry(key: str, text: str, place: Place) -> Entry:
    return _keyed(key, Scalar(text=text, place=place))


def _keyed(key: str, node: Node) -> Entry:
    return Entry(Scalar(text=key, place=node.place), node)


def _draws_hops(id_: str) -> bool:
    """Whether a rule would show a hop in the picture of an idle connection."""
    known = relation(id_.partition("@")[0])
    return known is not None and known.picture is not None and "hops" in known.picture.parts


def _is_of(made: str, id_: str) -> bool:
    """Whether a rule is called so, or made of the relation that is called so."""
    return made == id_ or made.partition("@")[0] == id_


def _told(guard: Guard, match: Match) -> str:
    """A condition with the component's own name."""
    if guard.end == "link":
        return guard.text
    component = match.ends[guard.end]
    return f"{component.name}.{guard.text.removeprefix(f'{guard.end}.')}"
