"""All minimal conflicts and all minimal repairs of a small linear spec, by trying what can be left out.

Every item counts: rules, margins, divisors, ends of domains, steps, facts, fixed values, measurements. A constant that is left out may have any value from 0;
a fixed value that a repair moves stays on its step. A constant that multiplies or divides must do so in one rule only; `when`, sentinels and
divisions in conditions are not understood.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

from naive.evaluation import Comparison, Function, Normaliser, Terms
from naive.language import All, AnyOf, Bool, Cmp, Implies, Margin, Not, Parameter, Rule, Spec
from naive.linear import Any, Every, Formula, Linear, Row, combined, equal, possible, row, scaled
from naive.rules import names_in

CONSTANTS = ("fact", "fixed", "measurement")

#: From and to: where a moved fixed value may be; None: anywhere.
Band = tuple[Fraction, Fraction] | None


@dataclass(frozen=True)
class Question:
    """What holds: items, moved fixed values, and rules whose larger side is worth more by a share."""

    kept: frozenset[str]
    moves: Mapping[str, Band] = field(default_factory=dict)
    shares: Mapping[str, Fraction] = field(default_factory=dict)

    def has(self, kind: str, name: str) -> bool:
        return f"{kind}:{name}" in self.kept


@dataclass
class Side:
    """A sum in which one unknown constant may be a factor of others."""

    plain: Linear
    #: By the constant: what it multiplies.
    products: Mapping[str, Linear]


class Conflicts:
    """The conflicts and repairs of a spec, by groups of rules that share what may move."""

    def __init__(self, spec: Spec) -> None:
        self.parameters = {p.name: p for p in spec.parameters}
        self.rules = {r.id: r for whole in spec.rules for r in whole.links()}
        self._normaliser = Normaliser({})
        self._answers: dict[frozenset[str], bool] = {}
        self._trees = {r.id: self._tree(_required(r)) for r in self.rules.values()}

    # Groups and items.

    def names(self, rule: str) -> set[str]:
        return names_in(_required(self.rules[rule]))

    def may_move(self, name: str) -> bool:
        p = self.parameters[name]
        return p.role == "free" or (p.role == "fixed" and p.cost != "never")

    @cached_property
    def groups(self) -> list[frozenset[str]]:
        """The rules that share something that may move, whether they can hold or not."""
        found: list[tuple[set[str], set[str]]] = []
        for rule in sorted(self.rules):
            names, together = {n for n in self.names(rule) if self.may_move(n)}, {rule}
            apart = []
            for group in found:
                if group[0] & names:
                    names |= group[0]
                    together |= group[1]
                else:
                    apart.append(group)
            found = [*apart, (names, together)]
        return [frozenset(rules) for _, rules in found]

    def items(self, rules: Iterable[str]) -> list[str]:
        """Everything that a conflict of these rules could name."""
        found = []
        names: set[str] = set()
        for rule in sorted(rules):
            names |= self.names(rule)
            found.append(f"rule:{rule}")
            if self.rules[rule].margin is not None:
                found.append(f"margin:{rule}")
            if self._divisors(rule):
                found.append(f"divisor:{rule}")
        for name in sorted(names):
            p = self.parameters[name]
            if p.role in CONSTANTS:
                found.append(f"{p.role}:{name}")
                continue
            low, high = ends(p)
            found += [f"domain:{name}.min"] * bool(low) + [f"domain:{name}.max"] * (high is not None)
            if p.choices is not None or p.kind != "count" or p.granularity != 1:
                found.append(f"step:{name}")
        return found

    def softs(self, rules: Iterable[str]) -> list[str]:
        """What a repair may change."""
        return [i for i in self.items(rules) if self._is_soft(i)]

    def _is_soft(self, item: str) -> bool:
        kind, _, name = item.partition(":")
        if kind == "fixed":
            return self.parameters[name].cost != "never"
        return kind in ("rule", "margin") and (self.rules[name].should or self.rules[name].cost != "never")

    # Answers.

    def conflicts(self, rules: Iterable[str]) -> set[frozenset[str]]:
        """Every minimal set of items that cannot hold together: whatever one of them lacks is left out in turn."""
        every = frozenset(self.items(rules))
        found: set[frozenset[str]] = set()
        seen: set[frozenset[str]] = set()
        holding: list[frozenset[str]] = []
        todo: list[frozenset[str]] = [frozenset()]
        while todo:
            out = todo.pop()
            rest = every - out
            if out in seen or any(rest <= h for h in holding):
                continue
            seen.add(out)
            conflict = next((c for c in found if c <= rest), None)
            if conflict is None:
                if self.can_hold(rest):
                    holding.append(rest)
                    continue
                conflict = self._minimal(rest)
                found.add(conflict)
            todo += [out | {item} for item in conflict]
        return found

    def _minimal(self, items: frozenset[str]) -> frozenset[str]:
        for item in sorted(items):
            if not self.can_hold(items - {item}):
                items -= {item}
        return items

    def repairs(self, rules: Iterable[str]) -> set[frozenset[str]]:
        """Every minimal set of soft items without which the others can hold; the fixed ones among them move on their step."""
        rules = list(rules)
        softs = self.softs(rules)
        found: set[frozenset[str]] = set()
        for size in range(len(softs) + 1):
            for some in map(frozenset, combinations(softs, size)):
                if not any(f <= some for f in found) and self.mends(rules, some):
                    found.add(some)
        return found

    def mends(self, rules: Iterable[str], given_up: Collection[str]) -> bool:
        moved: dict[str, Band] = {i.partition(":")[2]: None for i in given_up if i.startswith("fixed:")}
        return self.holds(Question(self.without(rules, given_up), moved))

    def without(self, rules: Iterable[str], given_up: Collection[str]) -> frozenset[str]:
        """All items but these; a rule takes its margin and divisor with it."""
        lost = {f"{k}:{i.partition(':')[2]}" for i in given_up if i.startswith("rule:") for k in ("margin", "divisor")}
        return frozenset(self.items(rules)) - lost - set(given_up)

    def can_hold(self, items: Iterable[str]) -> bool:
        kept = frozenset(items)
        if kept not in self._answers:
            self._answers[kept] = self.holds(Question(kept))
        return self._answers[kept]

    def holds(self, question: Question, more: Iterable[Formula] = ()) -> bool:
        """Whether values exist."""
        formulas = list(more)
        for rule in sorted(
            {i.partition(":")[2] for i in question.kept if i.startswith(("rule:", "margin:", "divisor:"))}
        ):
            formulas += self._rule(rule, question)
        units: dict[str, Fraction] = {}
        for p in self.parameters.values():
            formulas += self._values(p, question, units)
        units |= {n: Fraction(1) for f in formulas for n in _named(f) if n.startswith(WHOLE)}
        return possible(formulas, units)

    # Formulas.

    def _values(self, p: Parameter, question: Question, units: dict[str, Fraction]) -> Iterator[Formula]:
        """What is known of a parameter by itself."""
        name, own = p.name, {p.name: Fraction(1)}
        if p.kind == "count":
            units[name] = Fraction(1)
        if p.role in CONSTANTS:
            if name in question.moves:
                units[name] = p.granularity
                band = question.moves[name]
                if band is not None:
                    yield row(combined((1, own), (-1, {"": band[1]})), strict=False)
                    yield row(combined((-1, own), (1, {"": band[0]})), strict=False)
            return
        low, high = ends(p)
        if low and question.has("domain", f"{name}.min"):
            yield row(combined((-1, own), (1, {"": low})), strict=False)
        if high is not None and question.has("domain", f"{name}.max"):
            yield row(combined((1, own), (-1, {"": high})), strict=False)
        if question.has("step", name):
            if p.choices is None:
                units[name] = p.granularity
            else:
                yield Any(tuple(equal(combined((1, own), (-1, {"": Fraction(v)}))) for v in p.choices))

    def _rule(self, rule: str, question: Question) -> Iterator[Formula]:
        if question.has("divisor", rule):
            for name in self._divisors(rule):
                yield row({name: Fraction(-1)}, strict=True)
        share = question.shares.get(rule, Fraction(0))
        if question.has("rule", rule):
            yield self._formula(self._trees[rule], question, share, None)
        if question.has("margin", rule):
            tree = self._trees[rule]
            assert isinstance(tree, Scored)
            yield self._formula(tree, question, share, self.rules[rule].margin)

    def _tree(self, b: Bool, *, scored: bool = True) -> Tree:
        match b:
            case Implies():
                return Branches("or", [self._tree(Not(b.condition), scored=False), self._tree(b.conclusion)])
            case All() | AnyOf():
                return Branches("and" if isinstance(b, All) else "or", [self._tree(p, scored=scored) for p in b.parts])
            case Not(part=Not(part=inner)):
                return self._tree(inner, scored=scored)
            case Not(part=Cmp()) | Cmp():
                found = self._normaliser.test(b)
                assert isinstance(found, Comparison)
                return Scored(found, scored and found.op in ("<", "<="))
            case _:
                raise NotImplementedError(b)

    def _formula(self, tree: Tree, question: Question, share: Fraction, margin: Margin | None) -> Formula:
        if isinstance(tree, Branches):
            parts = tuple(self._formula(p, question, share, margin) for p in tree.parts)
            return Every(parts) if tree.how == "and" else Any(parts)
        functions = list({id(a): a for a in _atoms(tree.comparison) if isinstance(a, Function)}.values())
        cases = []
        for choice in product(*(range(len(f.args)) for f in functions)):
            chosen = {id(f): f.args[i] for f, i in zip(functions, choice, strict=True)}
            rows = [
                self._at_most(
                    self._side(small, question, upper=None, chosen={}), self._side(great, question, upper=None, chosen={}),
                    strict=False, question=question, positive=set(),
                )
                for f, i in zip(functions, choice, strict=True)
                for other in f.args
                if other is not f.args[i]
                for small, great in [(f.args[i], other) if f.name == "min" else (other, f.args[i])]
            ]  # fmt: skip
            cases.append(Every((*rows, self._compared(tree, question, share, margin, chosen))))
        return Any(tuple(cases))

    def _compared(
        self, tree: Scored, question: Question, share: Fraction, margin: Margin | None, chosen: dict[int, Terms]
    ) -> Formula:
        comparison = tree.comparison
        divisors = _exponents(comparison)
        if not tree.scored:
            share = Fraction(0)
        left = self._side(_times(comparison.left, divisors), question, upper=True, chosen=chosen)
        right = _scaled(self._side(_times(comparison.right, divisors), question, upper=False, chosen=chosen), 1 + share)
        positive = {a for a in divisors if isinstance(a, str) and self.parameters[a].role in CONSTANTS}
        if margin is None:
            if comparison.op not in ("<", "<="):
                assert not left.products
                assert not right.products
                return _unordered(comparison.op, left.plain, right.plain)
            return self._at_most(left, right, strict=comparison.op == "<", question=question, positive=positive)
        if margin.relative:
            needed = _scaled(left, 1 + margin.amount)
        else:
            more = self._side(_times([(margin.amount, ())], divisors), question, upper=True, chosen={})
            assert not more.products
            needed = Side(combined((1, left.plain), (1, more.plain)), left.products)
        return self._at_most(needed, right, strict=False, question=question, positive=set())

    def _side(self, terms: Terms, question: Question, *, upper: bool | None, chosen: dict[int, Terms]) -> Side:
        """A side with the constants that are named filled in; `upper`: an interval counts with its upper end."""
        plain: dict[str, Fraction] = {}
        products: dict[str, dict[str, Fraction]] = {}
        for factor, atoms in _expanded(terms, chosen):
            unknown = []
            for name in atoms:
                value = self._known(name, question, upper)
                if value is None:
                    unknown.append(name)
                else:
                    factor *= value
            if len(unknown) < 2:
                key = "".join(unknown)
                plain[key] = plain.get(key, Fraction(0)) + factor
                continue
            constant, other = self._which_is_the_factor(unknown)
            into = products.setdefault(constant, {})
            into[other] = into.get(other, Fraction(0)) + factor
        return Side(plain, products)

    def _which_is_the_factor(self, names: list[str]) -> tuple[str, str]:
        assert len(names) == 2, names
        constants = [n for n in names if self.parameters[n].role in CONSTANTS]
        (factor,) = [n for n in constants if self.parameters[n].kind in ("rate", "ratio")] or constants
        return factor, names[1 - names.index(factor)]

    def _known(self, name: str, question: Question, upper: bool | None) -> Fraction | None:
        p = self.parameters[name]
        if p.role not in CONSTANTS or name in question.moves or not question.has(p.role, name):
            return None
        if p.interval is not None:
            assert upper is not None
            end = p.interval[1 if upper else 0]
            assert end is not None
            return end
        assert p.value is not None
        return Fraction(p.value)

    def _at_most(self, left: Side, right: Side, *, strict: bool, question: Question, positive: set[str]) -> Formula:
        """left < right, or left <= right, for one value of the constant that multiplies; those in `positive` are above 0."""
        plain = combined((1, left.plain), (-1, right.plain))
        products = {
            k: combined((1, left.products.get(k, {})), (-1, right.products.get(k, {})))
            for k in {*left.products, *right.products}
        }
        if not products:
            above = [row({k: Fraction(-1)}, strict=True) for k in sorted(positive) if plain.get(k)]
            return Every((row(plain, strict=strict), *above))
        ((name, times),) = products.items()
        low, high, is_open = self._span(name, question, name in positive)
        if all(c <= 0 for c in times.values()):
            # The greater the better.
            if high is not None:
                return row(combined((1, plain), (high, times)), strict=strict)
            return Any((row(plain, strict=strict), row(times, strict=True)))
        assert all(c >= 0 for c in times.values())
        if not is_open:
            return row(combined((1, plain), (low, times)), strict=strict)
        if strict:
            return row(plain, strict=True)
        return Any((row(plain, strict=True), Every((row(plain, strict=False), row(times, strict=False)))))

    def _span(self, name: str, question: Question, positive: bool) -> tuple[Fraction, Fraction | None, bool]:
        """The least and the greatest value of a constant that is not named, and whether the least only comes near."""
        p = self.parameters[name]
        step = p.granularity if name in question.moves else Fraction(1) if p.kind == "count" else None
        low, high = question.moves.get(name) or (Fraction(0), None)
        if step is not None:
            low = -(-low // step) * step
            high = None if high is None else high // step * step
        if positive and low <= 0:
            return (Fraction(0), high, True) if step is None else (step, high, False)
        return max(low, Fraction(0)), high, False

    def scored(self, rule: str) -> list[Comparison]:
        """The comparisons that a factor of the larger side weakens."""
        return [t.comparison for t in self._leaves(rule) if t.scored]

    def _divisors(self, rule: str) -> list[str]:
        """The free parameters by which the rule divides."""
        atoms = {a for t in self._leaves(rule) for a in _exponents(t.comparison)}
        return sorted(a for a in atoms if isinstance(a, str) and self.parameters[a].role == "free")

    def _leaves(self, rule: str) -> Iterator[Scored]:
        trees: list[Tree] = [self._trees[rule]]
        while trees:
            tree = trees.pop()
            if isinstance(tree, Branches):
                trees += tree.parts
            else:
                yield tree


@dataclass
class Scored:
    """A comparison; `scored`: a factor of its larger side weakens it."""

    comparison: Comparison
    scored: bool


@dataclass
class Branches:
    how: str
    parts: list[Tree]


Tree = Scored | Branches


def _required(rule: Rule) -> Bool:
    assert rule.require is not None
    assert rule.when is None
    return rule.require


def ends(p: Parameter) -> tuple[Fraction, Fraction | None]:
    """Of a free parameter's domain."""
    if p.choices is not None:
        numbers = [Fraction(v) for v in p.choices]
        return min(numbers), max(numbers)
    assert p.interval is not None
    return p.interval


#: What the name of a whole number that is an unknown of its own begins with.
WHOLE = "whole "


def _unordered(op: str, left: Linear, right: Linear) -> Formula:
    if op == "==":
        return equal(combined((1, left), (-1, right)))
    if op == "!=":
        return _apart(left, right)
    if set(right) != {""}:
        raise NotImplementedError("the reference knows multiples of numbers only")
    # left is right times a whole number, or lies between two such multiples
    multiple = {f"{WHOLE}{sorted(left.items())} / {right['']}": right[""]}
    if op == "multiple_of":
        return equal(combined((1, left), (-1, multiple)))
    above = row(combined((1, multiple), (-1, left)), strict=True)
    return Every((above, row(combined((1, left), (-1, multiple), (-1, right)), strict=True)))


def _apart(left: Linear, right: Linear) -> Formula:
    return Any((row(combined((1, left), (-1, right)), strict=True), row(combined((1, right), (-1, left)), strict=True)))


def _named(formula: Formula) -> Iterator[str]:
    if isinstance(formula, Row):
        yield from (name for name, _ in formula.terms)
    else:
        for part in formula.parts:
            yield from _named(part)


def _atoms(comparison: Comparison) -> Iterator[str | Function]:
    for side in (comparison.left, comparison.right):
        for _, atoms in side:
            yield from (atom for atom, _ in atoms)


def _exponents(comparison: Comparison) -> dict[str | Function, int]:
    """By what both sides are to be multiplied."""
    found: dict[str | Function, int] = {}
    for side in (comparison.left, comparison.right):
        for _, atoms in side:
            for atom, exponent in atoms:
                if exponent < 0:
                    assert isinstance(atom, str)
                    found[atom] = max(found.get(atom, 0), -exponent)
    return found


def _times(terms: Terms, by: Mapping[str | Function, int]) -> Terms:
    if not by:
        return terms
    found: Terms = []
    for factor, atoms in terms:
        exponents: dict[str | Function, int] = dict(by)
        for atom, exponent in atoms:
            assert isinstance(atom, str)
            exponents[atom] = exponents.get(atom, 0) + exponent
        found.append((factor, tuple((a, e) for a, e in exponents.items() if e)))
    return found


def _expanded(terms: Terms, chosen: dict[int, Terms]) -> Iterator[tuple[Fraction, list[str]]]:
    """Each term with its names, functions replaced by the arguments chosen for them."""
    for factor, atoms in terms:
        found: list[tuple[Fraction, list[str]]] = [(Fraction(factor), [])]
        for atom, exponent in atoms:
            for _ in range(exponent):
                if isinstance(atom, str):
                    found = [(f, [*names, atom]) for f, names in found]
                else:
                    inner = list(_expanded(chosen[id(atom)], {}))
                    found = [(f * g, [*names, *more]) for f, names in found for g, more in inner]
        yield from found


def _scaled(side: Side, factor: Fraction) -> Side:
    return Side(scaled(side.plain, factor), {k: scaled(v, factor) for k, v in side.products.items()})


__all__ = ["Conflicts", "Question", "ends"]
