"""Relations of the catalogue that would guard a parameter in one direction and make no rule in a spec: what each would need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from outlast.constraints.catalogue import Kind, Over, Relation, relation, relations
from outlast.constraints.catalogue.relation import names_of, rewritten
from outlast.constraints.expression import (
    And,
    Bool,
    Call,
    Compare,
    Expr,
    If,
    Implies,
    Is,
    Name,
    Not,
    Op,
    Or,
    Product,
    Sum,
    names_in,
    walk,
)
from outlast.constraints.model import Direction, Spec
from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import record
from outlast.constraints.syntax import RuleSyntaxError, parse_condition
from outlast.constraints.topology import Component, Topology

__all__ = ["Closer", "closers_of", "harder", "rises"]

#: As many are told; those whose findings are loudest first.
_MOST: Final = 3


@record(kw_only=True)
class Closer:
    """A relation that would notice what no rule does."""

    relation: str
    #: The rule that it would make, where that is known: `http/pool-closes-first@lb:web`.
    rule: str | None
    #: What it waits for, without a full stop: "no value of web.drain is known", "it was declined: …", "no link ends at web".
    wants: str


def closers_of(spec: Spec, name: str, direction: Direction) -> tuple[Closer, ...]:
    """The relations that would guard a parameter of a component in one direction, the loudest first, then those of any software; at most three."""
    topology = spec.topology
    owner, _, word = name.partition(".")
    component = None if topology is None else topology.components.get(owner)
    if topology is None or component is None or word not in component.kind.parameters:
        return ()
    found: dict[str, Closer] = {}
    for unjudged in spec.unjudged:
        _add(found, unjudged.id, unjudged.why, topology, component, word, direction)
    for declined in spec.declined:
        _add(found, declined.id, f"it was declined: {declined.why}", topology, component, word, direction)
    told = {closer.relation for closer in found.values()}
    for each in relations():
        if each.id not in told:
            for end in each.over.ends:
                wants = _link_wanted(each, end, component, topology)
                if wants is not None and _guards(each, {end: component.kind}, end, word, direction):
                    found[each.id] = Closer(relation=each.id, rule=None, wants=wants)
                    break
    ordered = sorted(
        found.values(),
        key=lambda c: (c.rule is None, _relation(c).severity.order, len(_relation(c).kinds), c.relation),
    )
    return tuple(ordered[:_MOST])


def _relation(closer: Closer) -> Relation:
    found = relation(closer.relation)
    assert found is not None
    return found


def _add(
    found: dict[str, Closer], id_: str, wants: str, topology: Topology, component: Component, word: str,
    direction: Direction,
) -> None:  # fmt: skip
    """Add what a rule that is not there would guard, if it is this."""
    each, names = relation(id_.partition("@")[0]), id_.partition("@")[2].split(":")
    if each is None or len(names) != len(each.over.ends):
        return
    kinds = {
        end: topology.components[n].kind
        for end, n in zip(each.over.ends, names, strict=True)
        if n in topology.components
    }
    ends = [end for end, n in zip(each.over.ends, names, strict=True) if n == component.name]
    if any(_guards(each, kinds, end, word, direction) for end in ends):
        found[id_] = Closer(relation=each.id, rule=id_, wants=wants)


def _link_wanted(each: Relation, end: str, component: Component, topology: Topology) -> str | None:
    """What the component would have to be connected with for the relation to speak of it; None: it is, or that is not what is wanting."""
    name, links = component.name, topology.connections
    is_there, wants = {
        (Over.LINK, "from"): (any(c.source == name for c in links), f"no link begins at {name}"),
        (Over.LINK, "to"): (any(c.target == name for c in links), f"no link ends at {name}"),
        (Over.HOP, "hop"): (any(name in c.hops for c in links), f"no link goes through {name}"),
        (Over.HOP, "from"): (any(c.source == name for c in links), f"no link begins at {name}"),
        (Over.HOP, "to"): (any(c.target == name for c in links), f"no link ends at {name}"),
        (Over.HOST, "guest"): (bool(component.hosts), f"nothing says what {name} runs in"),
        (Over.HOST, "host"): (
            any(name in c.hosts for c in topology.components.values()), f"nothing runs in {name}"
        ),
    }.get((each.over, end), (True, ""))  # fmt: skip
    return None if is_there else wants


def _guards(each: Relation, kinds: Mapping[str, Kind], end: str, word: str, direction: Direction) -> bool:
    """Whether the relation gets harder to keep as that parameter of the component at that end goes that way."""
    kind, named = kinds[end], each.kinds.get(end)
    own = [quantity for at, quantity in each.names if at == end]
    if named is not None and kind.name not in named:
        return False
    if any(q not in kind.roles and (named is None or q not in kind.parameters) for q in own):
        return False
    names = {_joined(at, q): _joined(at, q) for at, q in each.names}
    inside = {_joined(end, q): _expanded(kind, end, q) for q in own}
    parameter = _joined(end, word)
    if direction is Direction.OFF and any(parameter in names_of(inside.get(n, n)) for n in each.needs_on):
        return True
    try:
        tree = parse_condition(rewritten(each.require, names | inside))
    except RuleSyntaxError:  # a predicate about a role that is a formula
        return False
    if direction is Direction.OFF:
        return any(_judges_off(node, parameter) for node in walk(tree))
    return direction in harder(tree, parameter)


def _judges_off(node: Bool | Expr, name: str) -> bool:
    """Whether a parameter that is off does not silence a rule with this in it: it is asked about, or something else is taken."""
    if isinstance(node, Is):
        return node.name == name and node.sentinel is Sentinel.OFF
    return isinstance(node, Call) and node.function == "first_set" and name in names_in(node)


def _joined(end: str, word: str) -> str:
    return f"{end}.{word}" if end else word


def _expanded(kind: Kind, end: str, word: str) -> str:
    """A role as a formula over parameters, or the parameter itself."""
    if word in kind.parameters or word not in kind.roles:
        return _joined(end, word)
    formula = kind.roles[word]
    text = rewritten(formula, {name: _expanded(kind, end, name) for name in names_of(formula)})
    return text if names_of(formula) == (formula,) else f"({text})"


def harder(tree: Bool, name: str, *, wanted: bool = True) -> set[Direction]:
    """Where a parameter goes for a condition to become harder to keep (not `wanted`: to break)."""
    match tree:
        case Compare(op=op, left=left, right=right):
            if not op.orders:
                return {Direction.HIGH, Direction.LOW} if name in names_in(tree) else set()
            smaller, larger = (left, right) if op in (Op.LT, Op.LE) else (right, left)
            signs = rises(smaller, name) | {-s for s in rises(larger, name)}
            return {Direction.HIGH if (sign > 0) == wanted else Direction.LOW for sign in signs}
        case Is():
            return set()
        case Not(part=part):
            return harder(part, name, wanted=not wanted)
        case And(parts=parts) | Or(parts=parts):
            return set().union(*(harder(part, name, wanted=wanted) for part in parts))
        case Implies(condition=condition, conclusion=conclusion):
            return harder(condition, name, wanted=not wanted) | harder(conclusion, name, wanted=wanted)


def rises(tree: Expr, name: str) -> set[int]:
    """Whether an expression grows (+1) or shrinks (-1) with a parameter; both where that depends, neither where it is not in it."""
    match tree:
        case Name(name=own):
            return {1} if own == name else set()
        case Sum(terms=pairs) | Product(factors=pairs):
            return {sign * found for sign, part in pairs for found in rises(part, name)}
        case Call(arguments=arguments):
            return set().union(*(rises(part, name) for part in arguments))
        case If(then=then, otherwise=otherwise):
            inside = rises(then, name) | rises(otherwise, name)
            return {1, -1} if name in names_in(tree.condition) else inside
        case _:
            return set()
