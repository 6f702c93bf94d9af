"""A conflict's proof as a chain of reasons: each line a bound that follows from a few rules, the last one what cannot be.

The shape is that of PubGrub's derivation trees (N. Weizenbaum, "PubGrub: Next-Generation Version Solving", 2018): premises are items of
the conflict or earlier lines, and what is used twice is derived once. Bounds are passed along the rows of a certificate until two of
one unknown exclude each other; where rows only lead in circles, the certificate's multipliers add them up, unknown by unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.polynomial import Monomial, Poly, Var
from outlast.constraints.record import record
from outlast.solver.account import (
    OF_RULES,
    Case,
    Cases,
    Certificate,
    Clash,
    Conflict,
    Item,
    ItemKind,
    Proof,
    Step,
    kind_of,
)
from outlast.solver.logic import Below, Zero
from outlast.solver.reasons import Apart, Between, Bound, Broken, Chain, Derivation, Line, Meeting, Premise, Split
from outlast.solver.statements import conjuncts, monomial_exponent

__all__ = ["derive"]

#: So many rules and earlier lines a line takes at most; values come on top.
_MOST: Final = 3
#: So often each row is looked at while bounds get tighter.
_MOST_VISITS: Final = 50

_CONSTANTS: Final = (ItemKind.FACT, ItemKind.FIXED, ItemKind.CURRENT, ItemKind.ASKED, ItemKind.MEASUREMENT)
_EQUAL: Final = (ItemKind.FACT, ItemKind.FIXED, ItemKind.CURRENT, ItemKind.ASKED)
#: Whose only case is what it says itself.
_OF_RULES: Final = (*OF_RULES, "rounding", "case", "step")


def derive(conflict: Conflict) -> Derivation | None:
    """The reasons for a conflict, every line checked to be the exact sum of its premises; None: it has no proof to tell."""
    items = {item.id: item for item in conflict.items}
    return None if conflict.proof is None else _of_proof(conflict.proof, items)


def _of_proof(proof: Proof, items: Mapping[str, Item]) -> Derivation | None:
    match proof:
        case Certificate(steps=steps):
            return _Rows(steps, items).chain()
        case Clash(items=ids, says=says):
            return Apart(ids, says)
        case Cases(item=item, cases=cases, also=also):
            if len(cases) == 1 and kind_of(item) in OF_RULES:
                alone = _of_proof(_without_case(cases[0], item), items)
                if alone is not None:
                    return alone
            between = _between(proof, items)
            if between is not None:
                return between
            inner = [_of_proof(case.proof, items) for case in cases]
            known = tuple(d for d in inner if d is not None)
            return Split(item, also, tuple(c.says for c in cases), known) if len(known) == len(cases) else None


def _without_case(case: Case, item: str) -> Proof:
    """The proof of the only case: what that assumes is what the item says."""
    parts = [part for part in conjuncts(case.assumes) if isinstance(part, (Below, Zero))]
    polys = [part.poly for part in parts] + [part.poly.scaled(Fraction(-1)) for part in parts if isinstance(part, Zero)]
    says = case.says

    def inner(proof: Proof) -> Proof:
        match proof:
            case Certificate(steps=steps, total=total):
                said = [
                    Step(item, s.multiplier, s.times, s.says, s.row) if s.item == "case" and s.row.poly in polys else s
                    for s in steps
                ]
                return Certificate(tuple(said), total)
            case Clash(items=ids, says=every):
                return Clash(
                    tuple(item if i == "case" and s == says else i for i, s in zip(ids, every, strict=True)), every
                )
            case Cases(item=other, cases=cases, also=also):
                return Cases(other, tuple(Case(c.says, inner(c.proof), c.assumes) for c in cases), also)

    return inner(case.proof)


# Bounds that follow from rows.


@record(eq=False)
class _Node:
    """A row derived from steps (by their index) and other nodes, each with what it counts times."""

    row: Below
    parents: tuple[_Parent, ...]
    #: All steps behind it.
    behind: frozenset[int]
    #: What the row is multiplied by where it is told.
    shown: Fraction = Fraction(1)

    def tightness(self) -> tuple[Fraction, bool]:
        """How tight it is as a bound of one unknown with coefficient 1 or -1: the greater, the tighter."""
        return self.row.poly.terms.get((), Fraction(0)), self.row.strict

    def told(self) -> Below:
        """The row as it is told."""
        first = min((m for m in self.row.poly.terms if m), key=_key)
        return Below(self.row.poly.scaled(self.shown), self.row.strict, monomial_exponent(first))


_Parent = tuple[int | _Node, Fraction]


class _Rows:
    """The rows of a certificate, and the bounds that follow from them."""

    def __init__(self, steps: Iterable[Step], items: Mapping[str, Item]) -> None:
        self._items = items
        self._steps = [s for s in steps if s.multiplier]
        self._unknowns = [[m for m in s.row.poly.terms if m] for s in self._steps]
        #: By unknown and side: what rows of one unknown say; by row: what it passes on.
        self._units: dict[tuple[Monomial, bool], list[_Node]] = {}
        self._passed: dict[tuple[Monomial, bool], dict[int, _Node]] = {}
        for index, unknowns in enumerate(self._unknowns):
            if len(unknowns) == 1:
                self._add_unit(index, unknowns[0])
        #: What sorts of items speak of an unknown alone.
        self._kinds: dict[Monomial, set[ItemKind | None]] = {}
        for index, unknowns in enumerate(self._unknowns):
            if len(unknowns) == 1:
                self._kinds.setdefault(unknowns[0], set()).add(self._kind(index))
        self._pass_on()

    def _add_unit(self, index: int, unknown: Monomial) -> None:
        row = self._steps[index].row
        coefficient = row.poly.terms[unknown]
        factors = [1 / abs(coefficient)]
        if self._is_equation(index, unknown):
            factors.append(-factors[0])
        for factor in factors:
            node = self._sum([(index, factor)])
            self._units.setdefault((unknown, coefficient * factor > 0), []).append(node)

    def _is_equation(self, index: int, unknown: Monomial) -> bool:
        """Whether the row is one half of `NAME = value`."""
        item, strict = self._items.get(self._steps[index].item), self._steps[index].row.strict
        if strict or item is None or item.kind not in _EQUAL or not item.says.startswith(f"{item.name} = "):
            return False
        ((atom, power), *more) = unknown
        return not more and power == 1 and isinstance(atom, Var) and atom.name == item.name

    def _kind(self, index: int) -> ItemKind | None:
        item = self._items.get(self._steps[index].item)
        return None if item is None else item.kind

    def _is_rule(self, index: int) -> bool:
        return kind_of(self._steps[index].item) in _OF_RULES

    # Whole chains.

    def chain(self) -> Chain | None:
        """The certificate told as lines; None where that fails."""
        broken = self._broken()
        if broken is not None:
            return Chain((), broken)
        found = self._meeting() or self._added_up()
        if found is None:
            return None
        unknown, upper, lower = found
        # What is simply given comes last, as what the rest runs into.
        lines = self.lines(sorted((lower, upper), key=lambda node: not any(self._is_rule(i) for i in node.behind)))
        missing = (upper.row.poly + lower.row.poly).constant
        is_strict = upper.row.strict or lower.row.strict
        if lines is None or missing is None or missing < 0 or (missing == 0 and not is_strict):
            return None
        told, numbers = lines
        return Chain(told, Meeting(upper=numbers[upper], lower=numbers[lower], unknown=unknown, missing=missing))

    def _broken(self) -> Broken | None:
        """The rule that the given values break, if that is all there is but that quantities are not negative."""
        values = [i for i in range(len(self._steps)) if self._kind(i) in _CONSTANTS]
        natural = [i for i, step in enumerate(self._steps) if step.item == "natural"]
        rules = [i for i in range(len(self._steps)) if i not in values and i not in natural]
        alone = all(len(self._unknowns[i]) == 1 for i in [*values, *natural])
        if len(rules) != 1 or not alone or any(self._kind(v) is ItemKind.ASKED for v in values):
            return None
        row = self._steps[rules[0]].row
        known: dict[Monomial, Fraction] = {}
        parents: list[_Parent] = [(rules[0], Fraction(1))]
        for v in [*values, *natural]:
            (unknown,), own = self._unknowns[v], self._steps[v].row.poly
            factor = -row.poly.terms.get(unknown, Fraction(0)) / own.terms[unknown]
            if factor <= 0 or unknown in known:
                return None
            known[unknown] = -own.terms.get((), Fraction(0)) / own.terms[unknown]
            parents.append((v, factor))
        total = self._sum(parents).row
        rest = total.poly.constant
        if rest is None or rest < 0 or (rest == 0 and not total.strict):
            return None
        premises = tuple(Premise(self._steps[i].item, self._steps[i].row, f) for i, f in parents if isinstance(i, int))
        left, right = (_value(p, known) for p in (row.poly.positive_part(), row.poly.negative_part()))
        (given,) = self._given([premises])
        squeezed = tuple(self._unknowns[i][0] for i in natural)
        return Broken(premises=premises, row=row, left=left, right=right, given=given, squeezed=squeezed)

    # Bounds, passed from row to row.

    def _pass_on(self) -> None:
        """From each row of several unknowns, as soon as all but one are bounded, a bound of that one; until nothing gets tighter."""
        rows = [i for i, unknowns in enumerate(self._unknowns) if len(unknowns) > 1]
        mentions: dict[Monomial, list[int]] = {}
        for index in rows:
            for unknown in self._unknowns[index]:
                mentions.setdefault(unknown, []).append(index)
        waiting = dict.fromkeys(rows)
        for _ in range(_MOST_VISITS * len(rows)):
            if not waiting:
                return
            index = next(iter(waiting))
            del waiting[index]
            for unknown in self._unknowns[index]:
                node = self._from_row(index, unknown)
                if node is None:
                    continue
                side = self._passed.setdefault((unknown, node.row.poly.terms[unknown] > 0), {})
                if index not in side or node.tightness() > side[index].tightness():
                    side[index] = node
                    waiting.update(dict.fromkeys(i for i in mentions[unknown] if i != index))

    def _from_row(self, index: int, unknown: Monomial) -> _Node | None:
        row = self._steps[index].row
        scale = 1 / abs(row.poly.terms[unknown])
        parents: list[_Parent] = []
        for other in self._unknowns[index]:
            if other != unknown:
                coefficient = row.poly.terms[other]
                best = self.tightest(other, is_upper=coefficient < 0, without=index)
                if best is None:
                    return None
                parents.append((best, abs(coefficient) * scale))
        return self._sum([*parents, (index, scale)])

    def tightest(self, unknown: Monomial, *, is_upper: bool, without: int | None = None) -> _Node | None:
        """The tightest bound of an unknown that follows, maybe without the row of that index."""
        passed = self._passed.get((unknown, is_upper), {}).values()
        bounds = [*self._units.get((unknown, is_upper), ()), *(n for n in passed if without not in n.behind)]
        return max(bounds, key=_Node.tightness, default=None)

    def _meeting(self) -> tuple[Monomial, _Node, _Node] | None:
        """The unknown of which two bounds exclude each other, where that is told best."""
        best: tuple[tuple[object, ...], tuple[Monomial, _Node, _Node]] | None = None
        for unknown in dict.fromkeys(m for unknowns in self._unknowns for m in unknowns):
            upper, lower = (self.tightest(unknown, is_upper=side) for side in (True, False))
            if upper is None or lower is None:
                continue
            gap = upper.tightness()[0] + lower.tightness()[0]
            if gap < 0 or (gap == 0 and not (upper.row.strict or lower.row.strict)):
                continue
            sides = [{i for i in node.behind if self._is_rule(i)} for node in (upper, lower)]
            sizes = sorted(len(side) for side in sides)
            order = (self._rank(unknown), len(sides[0] & sides[1]), sizes[1], sizes[0], _key(unknown))
            if best is None or order < best[0]:
                best = (order, (unknown, upper, lower))
        return None if best is None else best[1]

    def _rank(self, unknown: Monomial) -> int:
        """What a reader would rather be told of: what was asked, what may be chosen, what is in use, what is given; products last."""
        (atom, power), *more = unknown
        if more or power != 1 or not isinstance(atom, Var):
            return 4
        kinds = self._kinds.get(unknown, set())
        if ItemKind.ASKED in kinds:
            return 0
        return 2 if ItemKind.CURRENT in kinds else 3 if kinds.intersection(_CONSTANTS) else 1

    # Where bounds lead nowhere: sums.

    def _added_up(self) -> tuple[Monomial, _Node, _Node] | None:
        """Add weighted rows up, each time those that mention the unknown with the fewest, until all mention the same one."""
        nodes = [self._sum([(i, s.multiplier)]) for i, s in enumerate(self._steps)]
        while True:
            occurs: dict[Monomial, list[_Node]] = {}
            for node in nodes:
                for monomial in node.row.poly.terms:
                    if monomial:
                        occurs.setdefault(monomial, []).append(node)
            if not occurs:
                return None
            shared = [m for m in occurs if len(occurs[m]) == len(nodes)]
            fewest = min(len(found) for found in occurs.values())
            if fewest == len(nodes):
                return self._parted(min(shared, key=lambda m: (self._rank(m), _key(m))), nodes)
            unknown = min((m for m in occurs if len(occurs[m]) == fewest), key=lambda m: (-self._rank(m), _key(m)))
            taken = occurs[unknown]
            nodes = [*(n for n in nodes if unknown not in n.row.poly.terms), self._summed(taken)]

    def _summed(self, nodes: Sequence[_Node]) -> _Node:
        """The sum, so many at a time."""
        while len(nodes) > 1:
            nodes = [self._sum([(n, Fraction(1)) for n in nodes[:_MOST]]), *nodes[_MOST:]]
        return nodes[0]

    def _parted(self, unknown: Monomial, nodes: Sequence[_Node]) -> tuple[Monomial, _Node, _Node] | None:
        """What bounds the unknown from above, and what from below, maybe in terms of others."""
        sides = [[n for n in nodes if n.row.poly.terms[unknown] * sign > 0] for sign in (1, -1)]
        if not all(sides):
            return None
        upper, lower = (self._summed(side) for side in sides)
        scale = 1 / upper.row.poly.terms[unknown]
        return unknown, self._sum([(upper, scale)]), self._sum([(lower, scale)])

    # Lines.

    def _sum(self, parents: Sequence[_Parent]) -> _Node:
        """The weighted sum of steps and nodes; it is told so that its only, or else first, unknown has the coefficient 1 or -1."""
        poly, strict = Poly({}), False
        for parent, factor in parents:
            row = self._steps[parent].row if isinstance(parent, int) else parent.row
            poly, strict = poly.plus(row.poly, factor), strict or row.strict
        behind = frozenset().union(*({p} if isinstance(p, int) else p.behind for p, _ in parents))
        first = min((m for m in poly.terms if m), key=_key, default=())
        return _Node(Below(poly, strict), tuple(parents), behind, 1 / abs(poly.terms[first]) if first else Fraction(1))

    def lines(self, roots: Sequence[_Node]) -> tuple[tuple[Line, ...], dict[_Node, int]] | None:
        """The lines that end in these nodes, few premises each, and the numbers of those; None where one does not add up."""
        order, uses = _ordered(roots)
        parents: dict[_Node, list[_Parent]] = {}
        for node in order:
            parents[node] = self._flattened(node, parents, uses, roots)
        needed = _needed(roots, parents)
        extra = [n for n in parents if n in needed]
        numbers = {node: number for number, node in enumerate(extra, 1)}
        told = {node: _told_row(node, roots) for node in numbers}
        rows = [
            tuple(
                Premise(self._steps[p].item, self._steps[p].row, f * told[node][1])
                if isinstance(p, int)
                else Premise(numbers[p], told[p][0], f * told[node][1] / told[p][1])
                for p, f in parents[node]
            )
            for node in numbers
        ]
        found = tuple(
            Line(number=n, premises=row, conclusion=told[node][0], bound=_bound(told[node][0]), given=given)
            for (node, n), row, given in zip(numbers.items(), rows, self._given(rows), strict=True)
        )
        return (found, numbers) if all(_adds_up(line) for line in found) else None

    def _flattened(
        self, node: _Node, parents: dict[_Node, list[_Parent]], uses: Mapping[_Node, int], roots: Sequence[_Node]
    ) -> list[_Parent]:
        """The premises of a node, those of its parents in their place where they are few; too many are added up in between."""
        own = list(node.parents)
        for parent, _ in node.parents:
            # What stood here before may have brought more of it, or taken it away.
            at = next((n for n, (p, _) in enumerate(own) if p is parent), None)
            if at is None or not isinstance(parent, _Node):
                continue
            inner, factor = parents[parent], own[at][1]
            merged = _once([*own[:at], *((p, f * factor) for p, f in inner), *own[at + 1 :]])
            is_value = all(isinstance(p, int) and not self._is_rule(p) for p, _ in inner)
            if (
                len(inner) == 1
                or is_value
                or (uses[parent] == 1 and parent not in roots and self._weight(merged) <= _MOST)
            ):
                own = merged
        while self._weight(own) > _MOST:
            few = [at for at, (p, _) in enumerate(own) if self._weighs(p)][-_MOST:]
            part = self._sum([own[at] for at in few])
            if not part.row.poly.terms.keys() - {()}:
                break
            parents[part] = [own[at] for at in few]
            own = [*(p for at, p in enumerate(own) if at not in few), (part, Fraction(1))]
        return own

    def _weighs(self, parent: int | _Node) -> bool:
        return isinstance(parent, _Node) or self._is_rule(parent)

    def _weight(self, parents: Sequence[_Parent]) -> int:
        return sum(self._weighs(p) for p, _ in parents)

    def _given(self, rows: Sequence[tuple[Premise, ...]]) -> list[tuple[str, ...]]:
        """For each line the items that its rows contain as numbers, each where a rule first mentions it."""
        used = {s.item for s in self._steps}
        left = [i for i in self._items.values() if i.id not in used and i.kind.value not in _OF_RULES]
        found: list[tuple[str, ...]] = []
        for premises in rows:
            formulas = [self._items[p.of].says for p in premises if isinstance(p.of, str) and p.of in self._items]
            here = [item for item in left if any(_mentions(formula, item) for formula in formulas)]
            left = [item for item in left if item not in here]
            found.append(tuple(item.id for item in here))
        return found


def _told_row(node: _Node, roots: Sequence[_Node]) -> tuple[Below, Fraction]:
    """The row as it is told, and what it was multiplied by for that."""
    scale = Fraction(1) if node in roots else node.shown
    unknowns = [m for m in node.row.poly.terms if m]
    exponent = next(
        (monomial_exponent(m) for m in sorted(unknowns, key=_key) if abs(node.row.poly.terms[m] * scale) == 1), 0
    )
    return Below(node.row.poly.scaled(scale), node.row.strict, exponent), scale


def _bound(row: Below) -> Bound | None:
    unknowns = [m for m in row.poly.terms if m]
    if len(unknowns) != 1:
        return None
    coefficient = row.poly.terms[unknowns[0]]
    value = -row.poly.terms.get((), Fraction(0)) / coefficient
    return Bound(unknowns[0], coefficient > 0, value, row.strict)


def _adds_up(line: Line) -> bool:
    """Whether the conclusion is the weighted sum of the premises."""
    total = Poly({})
    for premise in line.premises:
        total = total.plus(premise.row.poly, premise.multiplier)
    return total == line.conclusion.poly and line.conclusion.strict == any(p.row.strict for p in line.premises)


def _once(parents: Sequence[_Parent]) -> list[_Parent]:
    """Each parent once, with all that it counts times; at its first place."""
    total: dict[int | _Node, Fraction] = {}
    for parent, factor in parents:
        total[parent] = total.get(parent, Fraction(0)) + factor
    return [(p, f) for p, f in total.items() if f]


def _ordered(roots: Sequence[_Node]) -> tuple[list[_Node], dict[_Node, int]]:
    """All nodes behind the roots, parents first, and how often each is used."""
    uses: dict[_Node, int] = {}
    order: dict[_Node, None] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.setdefault(node)
        elif node not in uses:
            uses[node] = 0
            stack.append((node, True))
            stack += [(p, False) for p, _ in reversed(node.parents) if isinstance(p, _Node)]
    for node in order:
        for parent, _ in node.parents:
            if isinstance(parent, _Node):
                uses[parent] += 1
    return list(order), uses


def _needed(roots: Sequence[_Node], parents: Mapping[_Node, Sequence[_Parent]]) -> set[_Node]:
    needed: set[_Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += [p for p, _ in parents[node] if isinstance(p, _Node)]
    return needed


def _key(unknown: Monomial) -> tuple[tuple[str, int], ...]:
    return tuple((atom.key, power) for atom, power in unknown)


def _value(poly: Poly, known: Mapping[Monomial, Fraction]) -> Fraction:
    return sum((c * (known[m] if m else 1) for m, c in poly), Fraction(0))


def _mentions(formula: str, item: Item) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(item.subject)}(?![\w.])", formula) is not None


# Cases about one unknown.


def _between(proof: Cases, items: Mapping[str, Item]) -> Between | None:
    """Cases of which each is one end of a gap, with the bounds that keep the unknown inside it."""
    ends: list[Bound] = []
    others: dict[tuple[str, Below], Step] = {}
    for case in proof.cases:
        if not isinstance(case.proof, Certificate):
            return None
        total, strict = Poly({}), False
        for step in case.proof.steps:
            if step.item == "case":
                total, strict = total.plus(step.row.poly, step.multiplier), strict or step.row.strict
            else:
                others.setdefault((step.item, step.row), step)
        end = _bound(Below(total, strict))
        if end is None or (ends and end.unknown != ends[0].unknown):
            return None
        ends.append(end)
    if not ends:
        return None
    unknown, rows = ends[0].unknown, _Rows(others.values(), items)
    found = [rows.tightest(unknown, is_upper=side) for side in (False, True)]
    needed = [any(end.is_upper is side for end in ends) for side in (True, False)]
    nodes = [node if is_needed else None for node, is_needed in zip(found, needed, strict=True)]
    bounds = {
        end.is_upper: None if node is None else _bound(node.row) for end in ends for node in [nodes[not end.is_upper]]
    }
    if not all(_excludes(bounds[end.is_upper], end) for end in ends):
        return None
    lines = rows.lines([node for node in nodes if node is not None])
    if lines is None:
        return None
    told, numbers = lines
    lower, upper = (None if node is None else numbers[node] for node in nodes)
    return Between(
        item=proof.item,
        also=proof.also,
        unknown=unknown,
        lines=told,
        lower=lower,
        upper=upper,
        below=max((end for end in ends if end.is_upper), key=lambda end: (end.value, not end.strict), default=None),
        above=min((end for end in ends if not end.is_upper), key=lambda end: (end.value, end.strict), default=None),
    )


def _excludes(bound: Bound | None, end: Bound) -> bool:
    """Whether a bound leaves nothing of what is beyond an end."""
    if bound is None or bound.is_upper == end.is_upper:
        return False
    if bound.value == end.value:
        return bound.strict or end.strict
    return (bound.value < end.value) == bound.is_upper
