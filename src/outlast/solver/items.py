"""The items of some rules, each as a formula that can be left out: nothing is folded in that a conflict could name.

A fact, fixed value or measurement that is left out may have any value; the rules that mention it are then encoded anew, with an unknown in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from fractions import Fraction

from outlast.constraints.errors import OutlastError
from outlast.constraints.expression import Is, walk
from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.normal import All, Inequality, NormalRule
from outlast.constraints.polynomial import Apply, Atom, Quant, Var, constant, variable
from outlast.constraints.quantities import Kind, Sentinel, Value
from outlast.constraints.record import record
from outlast.solver.account import OF_RULES, kind_of, name_of, rule_of
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand, Encoder
from outlast.solver.engine import Z3Engine
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import TRUE, Logic, Mode, Whole, both, zero
from outlast.solver.tracked import domain_items, step_logic

__all__ = ["Items", "Take"]

#: z3's effort for one question in which unknown numbers may be multiplied.
_PRODUCT_EFFORT = 3_000_000

#: z3's effort for one question in which something is rounded and an item is left out: without an end or a step of what is
#: rounded it may go on without end.
_ROUNDING_EFFORT = 1_000_000

#: z3's effort for a first try.
_FIRST_EFFORT = 1_000_000

#: Times its own value, what a constant is tried as where a rule cannot be told without it.
_STAND_INS = (Fraction(0), Fraction(1000))


class Take(Enum):
    """What a fixed value may be that is left out."""

    #: Anything.
    ANY = "any"
    #: A multiple of its step, as a repair would choose it.
    ON_STEP = "on step"


@record
class _Formula:
    """An item as a formula: how the engine calls it, and whether it says less than it should, or multiplies unknown numbers."""

    key: tuple[object, ...]
    logic: Logic
    is_weak: bool = False
    has_products: bool = False


class Items:
    """Every item of some rules over some free parameters, in the order in which items are to be kept."""

    def __init__(
        self,
        spec: Spec,
        rules: Mapping[str, NormalRule],
        grids: Mapping[str, Grid],
        constants: Constants,
        limits: Limits,
        *,
        held: Mapping[str, Value] | None = None,
        asked: str | None = None,
    ) -> None:
        """`held` are free parameters that stay at their (effective) value in use; `asked` names a parameter whose value was asked about."""
        self.spec = spec
        self.rules = {r: rules[r] for r in sorted(rules)}
        self.grids = {n: grids[n] for n in sorted(grids)}
        self.constants = constants
        self.limits = limits
        self._held = dict(held or {})
        self._asked = asked
        self._encoders: dict[tuple[frozenset[str], bool], Encoder] = {}
        self._formulas: dict[tuple[object, ...], tuple[Logic | None, frozenset[str], bool]] = {}
        self._engines: dict[tuple[bool, Take], Z3Engine] = {}
        self._of_constant = self._constant_items()
        self._mentions = {r: self._constants_of(rule) for r, rule in self.rules.items()}
        self._specials = _possible_sentinels(spec, self.rules.values())
        self._names = {r: tuple(n for n in sorted(rule.names()) if n in self.grids) for r, rule in self.rules.items()}
        #: Rules with something that is rounded.
        self._rounding = {r for r, rule in self.rules.items() if any(map(_is_rounded, rule.atoms()))}
        self._stepped: set[str] = set()
        self.all = self._universe()
        picked = self._encoder(frozenset(), products=False).picked
        self._picks = {r: frozenset(names) & picked for r, names in self._names.items()}
        self._usual: dict[str, _Formula] = {}
        self._known = frozenset(self.all)
        #: Whether plain values may be tried for constants; not where that is what these items are for.
        self._may_try = True
        #: Set once an answer was given that may be wrong in one way: that items can hold together.
        self.doubtful = False

    # What there is.

    def _universe(self) -> list[str]:
        found: list[str] = list(self._of_constant)
        self._has_divisor: set[str] = set()
        for rule in self.rules.values():
            found.append(f"rule:{rule.id}")
            if rule.rule.margin is not None:
                found.append(f"margin:{rule.id}")
            divisor = self._encoder(frozenset(), products=False).rule(rule, Demand(base=False, margin=False))
            if divisor is not TRUE:
                self._has_divisor.add(rule.id)
                found.append(f"divisor:{rule.id}")
        self._plain: dict[str, Logic] = {}
        #: The ends and steps of parameters that are held within them: they only limit where a repair may move those.
        self.quiet: list[str] = []
        steps: list[str] = []
        for name, grid in self.grids.items():
            if name in self._held:
                item = self.item_of_held(name)
                self._plain[item] = _exactly(grid, self._held[name])
                found.append(item)
            bounds, step = _bounds(grid)
            self._plain.update(bounds)
            self._plain.update(step)
            if name in self._held and self._held[name] in grid:
                self.quiet += [*bounds, *step]
            else:
                found += bounds
                steps += step
            self._stepped.update(step)
        # The steps last: what can do without them is told without them.
        return [*found, *steps]

    def item_of_held(self, name: str) -> str:
        """The item that holds a free parameter at its value."""
        return f"{'asked' if name == self._asked else 'current'}:{name}"

    def _constant_items(self) -> dict[str, frozenset[str]]:
        """What becomes unknown without each item: names, and keys of quantiles."""
        found: dict[str, set[str]] = {}
        for rule in self.rules.values():
            for item, key in self._constant_keys(rule):
                found.setdefault(item, set()).add(key)
        return {item: frozenset(keys) for item, keys in sorted(found.items())}

    def _constant_keys(self, rule: NormalRule) -> Iterable[tuple[str, str]]:
        for name in sorted(rule.names()):
            parameter = self.spec.parameters[name]
            if parameter.role in (Role.FACT, Role.FIXED):
                kind = "asked" if name == self._asked else parameter.role.value
                yield f"{kind}:{name}", name
        for atom in rule.atoms():
            if isinstance(atom, Quant):
                yield f"measurement:{atom.measurement}", atom.key

    def _constants_of(self, rule: NormalRule) -> frozenset[str]:
        return frozenset(item for item, _ in self._constant_keys(rule))

    def only(self, rules: Iterable[str]) -> Items:
        """The same for some of the rules."""
        wanted = {r: self.rules[r] for r in rules}
        names = {n for r in wanted for n in self._names[r]}
        return Items(
            self.spec, wanted, {n: g for n, g in self.grids.items() if n in names}, self.constants, self.limits,
            held={n: v for n, v in self._held.items() if n in names}, asked=self._asked,
        )  # fmt: skip

    def is_step(self, item: str) -> bool:
        """Whether the item is a parameter's step, or its list of values."""
        return item in self._stepped

    # Items as formulas.

    def formula(self, item: str, kept: Collection[str], *, demand: Demand | None = None) -> _Formula:
        """The item as a formula where those items hold."""
        if kind_of(item) not in OF_RULES:
            return _Formula((item,), self._plain.get(item, TRUE))
        rule = self.rules[name_of(item)]
        return self.rule_formula(item, rule, demand or self._demand(item), kept)

    def rule_formula(self, key: object, rule: NormalRule, demand: Demand, kept: Collection[str]) -> _Formula:
        """A rule, one of these or another in its place, where those items hold."""
        freed = frozenset(i for i in self._mentions[rule.id] if i not in kept)
        products = freed != frozenset() and not demand.base and not demand.margin  # a divisor needs nothing taken apart
        if not products:
            logic, picked, _ = self._encoded(key, rule, demand, freed, products=False)
            products = logic is None or self._lacks(picked, kept)
        if products:
            logic, picked, multiplies = self._encoded(key, rule, demand, freed, products=True)
            if logic is None:  # it cannot be told where so little is known, and then says nothing
                return _Formula((key, tuple(sorted(freed)), None), TRUE, is_weak=True)
            return _Formula((key, tuple(sorted(freed)), True), logic, self._lacks(picked, kept), multiplies)
        assert logic is not None
        return _Formula((key, tuple(sorted(freed)), False), logic)

    def _encoded(
        self, key: object, rule: NormalRule, demand: Demand, freed: frozenset[str], *, products: bool
    ) -> tuple[Logic | None, frozenset[str], bool]:
        known = (key, freed, products)
        if known not in self._formulas:
            encoder = self._encoder(freed, products=products)
            logic: Logic | None
            try:
                logic = encoder.rule(rule, demand)
            except OutlastError:
                logic = None
            picked = frozenset(n for n in self._names[rule.id] if n in encoder.picked)
            self._formulas[known] = (logic, picked, products)
        return self._formulas[known]

    def _lacks(self, picked: Collection[str], kept: Collection[str]) -> bool:
        """Whether something is left out of what a formula takes for granted that was taken apart value by value."""
        wanted = (i for n in picked for i in (f"domain:{n}.min", f"domain:{n}.max", f"step:{n}"))
        return any(i in self._plain and i not in kept for i in wanted)

    def _demand(self, item: str) -> Demand:
        kind, rule_id = kind_of(item), name_of(item)
        if kind == "rule":
            return Demand(base=True, divisors=rule_id not in self._has_divisor, margin=False)
        if kind == "divisor":
            return Demand(base=False, divisors=True, margin=False)
        formula = self.rules[rule_id].formula
        only = isinstance(formula, Inequality) or (
            isinstance(formula, All) and all(isinstance(p, Inequality) for p in formula.parts)
        )
        return Demand(base=not only, divisors=not only, margin=True)

    def _encoder(self, freed: frozenset[str], *, products: bool) -> Encoder:
        key = (freed, products)
        if key not in self._encoders:
            keys = {k for item in freed for k in self._of_constant[item]}
            modal = {k: self._freed_grid(k, Take.ANY) for k in keys if self._specials.get(k)}
            constants = Constants(
                values=self.constants.values, bound=self.constants.bound, unknown=frozenset(keys - set(modal))
            )
            self._encoders[key] = Encoder({**self.grids, **modal}, constants, allow_products=products)
        return self._encoders[key]

    # Questions.

    def feasible(self, kept: Collection[str], *, take: Take = Take.ANY) -> bool:
        """Whether the items can hold together.

        Raises:
            Undecided: the limits struck.
        """
        kept = frozenset(kept)
        has_steps = not kept.isdisjoint(self._stepped)
        if has_steps and kept >= self._stepped:
            # Most often they can hold together, and z3 soon says so.
            with suppress(Undecided):
                return self._told(kept, self._ask(kept, relaxed=False, take=take, effort=_FIRST_EFFORT), take)
            self.limits.check()
        try:
            if has_steps and not self._ask(kept - self._stepped, relaxed=True, take=Take.ANY)[0]:
                return False
        except Undecided:
            if not self._rounding:
                raise
            self.limits.check()
        return self._told(kept, self._ask(kept, relaxed=not kept >= self._stepped, take=take), take)

    def _told(self, kept: frozenset[str], answer: tuple[bool, bool], take: Take) -> bool:
        if all(answer) and self._may_try and self._has_witness(kept, take):
            return True
        return self._answered(answer)

    def _answered(self, answer: tuple[bool, bool]) -> bool:
        self.doubtful = self.doubtful or all(answer)
        return answer[0]

    def _has_witness(self, kept: frozenset[str], take: Take) -> bool:
        """Whether the items hold together with some plain values in the place of constants without which a rule could not be told."""
        given: set[str] = set()
        for item in kept:
            if kind_of(item) in OF_RULES and self.formula(item, kept | given).is_weak:
                given |= self._enough_for(item, kept | given)
        for number in range(len(_STAND_INS)):
            values = {name_of(c): self._stand_in(name_of(c), number) for c in given if kind_of(c) != "measurement"}
            constants = Constants(values={**self.constants.values, **values}, bound=self.constants.bound)
            # What cannot be encoded with such a value is no witness.
            with suppress(Undecided, OutlastError):
                tried = Items(
                    self.spec, self.rules, self.grids, constants, self.limits, held=self._held, asked=self._asked
                )  # fmt: skip
                tried._may_try = False
                if tried.feasible(kept | given, take=take) and not tried.doubtful:
                    return True
        return False

    def _enough_for(self, item: str, kept: frozenset[str]) -> set[str]:
        """Constants with which a rule can be told: one, or all that it mentions."""
        lost = sorted(c for c in self.mentioned_by(item) if c not in kept)
        for one in lost:
            if not self.formula(item, kept | {one}).is_weak:
                return {one}
        return set(lost)

    def _stand_in(self, name: str, number: int) -> Fraction:
        own, parameter = self.constants.values[name], self.spec.parameters[name]
        scale = own if isinstance(own, Fraction) and own else parameter.step
        return _STAND_INS[number] * scale

    def core(self, kept: Collection[str], *, take: Take = Take.ANY) -> list[str] | None:
        """Items of these that cannot hold together, in order, maybe more than needed; None: they can."""
        return None if self.feasible(kept, take=take) else self._core_of_last(frozenset(kept))

    def core_beside(self, kept: Collection[str], extra: Sequence[Logic], take: Take) -> list[str] | None:
        """Items of these that cannot hold together beside further formulas; None: they can."""
        return None if self.possible(kept, extra, take) else self._core_of_last(frozenset(kept))

    def last_point(self, names: Iterable[str]) -> dict[str, Value]:
        """The point of the last positive answer: values of parameters, and of constants that were left out."""
        return self._last[0].point(list(names))

    def _core_of_last(self, kept: frozenset[str]) -> list[str]:
        engine, formulas, relaxed = self._last
        meaning: dict[Hashable, str] = {f.key: i for i, f in formulas.items()}
        named = {meaning[k] for k in engine.core() if k in meaning}
        names = {n for i in named for n in self._spoken(i)}
        # What formulas take for granted is not among the assumptions.
        named.update(c for i in list(named) if kind_of(i) in OF_RULES for c in self._mentions[name_of(i)])
        named.update(
            i for i in self._plain if name_of(i) in names and (not relaxed or self._is_taken_apart(name_of(i)))
        )
        return [i for i in self.all if i in named and i in kept]

    def _spoken(self, item: str) -> Iterable[str]:
        """The free parameters that an item speaks of."""
        return self._names[name_of(item)] if kind_of(item) in OF_RULES else (name_of(item),)

    def _is_taken_apart(self, name: str) -> bool:
        return any(name in picked for _, picked, _ in self._formulas.values())

    def possible(self, kept: Collection[str], extra: Sequence[Logic], take: Take) -> bool:
        """Whether the items and the further formulas can hold together, all on their steps."""
        if not self.possible_between(kept, extra):
            return False
        return self._answered(self._ask(frozenset(kept), relaxed=False, take=take, extra=extra))

    def possible_between(self, kept: Collection[str], extra: Sequence[Logic]) -> bool:
        """The same, steps ignored."""
        return self._answered(self._ask(frozenset(kept) - self._stepped, relaxed=True, take=Take.ANY, extra=extra))

    def _ask(
        self, kept: frozenset[str], *, relaxed: bool, take: Take,
        extra: Sequence[Logic] = (), effort: int | None = None,
    ) -> tuple[bool, bool]:  # fmt: skip
        engine = self._engine(relaxed=relaxed, take=take)
        formulas = self._formulas_of(kept, relaxed)
        for formula in formulas.values():
            engine.define(formula.key, formula.logic)
        limits = self.limits
        if effort is not None:
            limits = Limits(limits.deadline, min(limits.effort or effort, effort))
        if self._rounding and len(kept) < len(self.all) and any(rule_of(i) in self._rounding for i in kept):
            limits = Limits(limits.deadline, min(limits.effort or _ROUNDING_EFFORT, _ROUNDING_EFFORT))
        if any(f.has_products for f in formulas.values()):
            limits = Limits(limits.deadline, min(limits.effort or _PRODUCT_EFFORT, _PRODUCT_EFFORT))
        self._last = (engine, formulas, relaxed)
        answer = engine.satisfiable([f.key for f in formulas.values()], limits, extra)
        return answer, any(f.is_weak for f in formulas.values())

    def _formulas_of(self, kept: frozenset[str], relaxed: bool) -> dict[str, _Formula]:
        """The formulas of items that are more than granted."""
        if not self._usual:
            everything = frozenset([*self.all, *self.quiet])
            told = ((i, self.formula(i, everything)) for i in [*self.all, *self.quiet] if i not in self._of_constant)
            self._usual = {i: formula for i, formula in told if formula.logic is not TRUE}
            #: Steps that the engine keeps by itself unless they are ignored.
            self._native = frozenset(i for i in self._stepped if self.grids[name_of(i)].listed is None)
            picked = {n for names in self._picks.values() for n in names}
            self._granted = [i for i in self._plain if name_of(i) in picked and kind_of(i) in ("domain", "step")]
        kept = kept if relaxed else kept - self._native
        found = {i: f for i, f in self._usual.items() if i in kept}
        lost = {i for i in self._of_constant if i not in kept}
        apart = {name_of(i) for i in self._granted if i not in kept and (relaxed or i not in self._native)}
        for rule in self._mentions if lost or apart else ():
            if not lost.isdisjoint(self._mentions[rule]) or not apart.isdisjoint(self._picks[rule]):
                for item in (f"{kind}:{rule}" for kind in OF_RULES):
                    if item in kept and item in self._known:
                        found[item] = self.formula(item, kept)
        return {i: f for i, f in found.items() if f.logic is not TRUE or f.is_weak} if lost or apart else found

    def _engine(self, *, relaxed: bool, take: Take) -> Z3Engine:
        take = Take.ANY if relaxed else take
        key = (relaxed, take)
        if key not in self._engines:
            freed = {
                k: self._freed_grid(k, take)
                for keys in self._of_constant.values()
                for name in keys
                for k in (name, f"{name}+", f"{name}-")
            }
            grids = {**self.grids, **freed}
            loose = set(grids) if relaxed else {n for n in freed if take is Take.ANY or not self._moves(n)}
            continuous = frozenset(n for n in loose if not grids[n].whole or grids[n].unit != 1)
            engine = Z3Engine(grids, self.limits, continuous=continuous, unbounded=frozenset(grids))
            for name in sorted(continuous):
                if grids[name].whole:
                    engine.require(Whole(name, grids[name].unit))  # a count is whole whatever its step
            for name in sorted(freed):
                if freed[name].positive:
                    engine.require(dict(domain_items(freed[name]))[f"domain:{name}.min"])
            self._engines[key] = engine
        return self._engines[key]

    def _moves(self, name: str) -> bool:
        parameter = self.spec.parameters.get(name)
        return parameter is not None and parameter.role is Role.FIXED

    def _freed_grid(self, key: str, take: Take) -> Grid:
        """A constant that is left out: any number that its kind allows, or a sentinel that makes a difference."""
        parameter = self.spec.parameters.get(key)
        whole = parameter is not None and parameter.kind is Kind.COUNT
        on_step = take is Take.ON_STEP and parameter is not None and parameter.role is Role.FIXED
        return Grid(
            name=key,
            time_exponent=parameter.kind.time_exponent if parameter is not None else 1,
            unit=parameter.step if on_step and parameter is not None else Fraction(1),
            low=0,
            high=None,
            listed=None,
            specials=self._specials.get(key, ()),
            whole=whole,
            positive=parameter is not None and parameter.zero is not None,
            domain_low=None,
            domain_high=None,
        )

    # What conflicts and repairs ask.

    def mentioned_by(self, item: str) -> frozenset[str]:
        """The constants, as items, that a rule's item mentions."""
        return self._mentions[name_of(item)] if kind_of(item) in OF_RULES else frozenset()

    def moved_grid(self, name: str) -> Grid:
        """What a fixed value may be moved to."""
        return self._freed_grid(name, Take.ON_STEP)

    def held(self, name: str) -> Value:
        """The effective value at which a free parameter is held."""
        return self._held[name]

    def every_held(self) -> Iterator[tuple[str, Value]]:
        """The free parameters that are held, with their effective values."""
        yield from sorted(self._held.items())

    def is_constant(self, item: str) -> bool:
        """Whether the item is a fact, a fixed value or a measurement."""
        return item in self._of_constant

    def unknowns_of(self, item: str) -> frozenset[str]:
        """The unknowns that stand for a constant where it is left out."""
        keys = self._of_constant[item]
        return frozenset(k for key in keys for k in (key, f"{key}+", f"{key}-"))

    def is_number(self, item: str) -> bool:
        """Whether the item is a constant with one number as its value, and nothing else in question."""
        if item not in self._of_constant:
            return False
        return kind_of(item) == "measurement" or (
            isinstance(self.constants.values[name_of(item)], Fraction) and not self._specials.get(name_of(item))
        )

    def values_of(self, item: str) -> list[tuple[Var, Fraction]]:
        """The unknowns of such a constant with their values; of a quantile both bounds."""
        if kind_of(item) != "measurement":
            name = name_of(item)
            value = self.constants.values[name]
            assert isinstance(value, Fraction)  # is_number said so
            return [(Var(name, self.spec.parameters[name].kind.time_exponent), value)]
        quantiles = {a for rule in self.rules.values() for a in rule.atoms() if isinstance(a, Quant)}
        return [
            (Var(f"{q.key}{'+' if upper else '-'}", 1), self.constants.bound(q, upper))
            for q in sorted(quantiles, key=lambda q: q.key)
            if q.measurement == name_of(item)
            for upper in (True, False)
            if self._is_bounded(q, upper)
        ]

    def _is_bounded(self, quantile: Quant, upper: bool) -> bool:
        try:
            self.constants.bound(quantile, upper)
        except OutlastError:  # too few samples for a bound that no rule uses
            return False
        return True

    def every_grid(self) -> Iterator[Grid]:
        """The grids of the free parameters, and of constants where they are left out."""
        yield from self.grids.values()
        for keys in self._of_constant.values():
            for key in sorted(keys):
                yield from (self._freed_grid(k, Take.ANY) for k in (key, f"{key}+", f"{key}-"))


def _is_rounded(atom: Atom) -> bool:
    return isinstance(atom, Apply) and atom.function in ("ceil", "floor")


def _bounds(grid: Grid) -> tuple[dict[str, Logic], dict[str, Logic]]:
    """The ends of a domain, and the step or the list of values, as items."""
    if grid.listed is not None:
        return dict(domain_items(grid)), {f"step:{grid.name}": step_logic(grid)}
    return dict(domain_items(grid)), {} if grid.whole and grid.unit == 1 else {f"step:{grid.name}": Whole(grid.name)}


def _exactly(grid: Grid, value: Value) -> Logic:
    if isinstance(value, Sentinel):
        return Mode(grid.name, value)
    unknown = variable(Var(grid.name, grid.time_exponent))
    number = zero(unknown - constant(value), exponent=grid.time_exponent)
    return both([Mode(grid.name, None), number]) if grid.specials else number


def _possible_sentinels(spec: Spec, rules: Iterable[NormalRule]) -> dict[str, tuple[Sentinel, ...]]:
    """What a constant may be besides a number where it is left out: what it is, what a 0 means, and what rules ask about."""
    found: dict[str, set[Sentinel]] = {}
    for rule in rules:
        for tree in (rule.rule.require, rule.rule.when):
            for node in walk(tree) if tree is not None else ():
                if isinstance(node, Is):
                    found.setdefault(node.name, set()).add(node.sentinel)
        for name in rule.names():
            found.setdefault(name, set()).update(_own_sentinels(spec.parameters[name]))
    return {n: tuple(s for s in Sentinel if s in sentinels) for n, sentinels in found.items() if sentinels}


def _own_sentinels(parameter: Parameter) -> Iterable[Sentinel]:
    values = [parameter.zero, parameter.effective(parameter.value) if parameter.value is not None else None]
    return (v for v in values if isinstance(v, Sentinel))
