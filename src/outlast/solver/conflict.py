"""Minimal conflicts: which rules, margins, domains, steps, facts, fixed values and measurements cannot hold together.

First the rules, margins, divisors, domains and (only where they matter) steps are reduced until none can be left out; then
each constant that the remaining rules mention is set free, one at a time, to see whether the conflict needs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction

from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.expression import Is, walk
from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.normal import All, Inequality, NormalRule
from outlast.constraints.polynomial import Poly, Quant, Var
from outlast.constraints.quantities import Kind, Sentinel, Value, format_value
from outlast.solver.account import Certificate, Conflict, Item, ItemKind, Step
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand, Encoder, is_linear
from outlast.solver.engine import Z3Engine
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import TRUE, Below, Both, Logic, Whole, Zero
from outlast.solver.problem import Component
from outlast.solver.simplex import Row, farkas
from outlast.solver.subsets import minimal_infeasible
from outlast.solver.tracked import domain_items, step_logic

__all__ = ["conflict_of", "conflict_of_settled"]

#: z3's effort for one question about a constant set free, which may multiply unknown numbers.
_NONLINEAR_EFFORT = 5_000_000

_RULE_DEMAND = Demand(base=True, divisors=False, margin=False)
_DIVISOR_DEMAND = Demand(base=False, divisors=True, margin=False)


def conflict_of(spec: Spec, component: Component, rules: Sequence[str]) -> Conflict:
    """A minimal conflict among these rules of a component, which cannot hold together.

    Where the limits strike, it is told as not shown minimal.
    """
    normal = [component.rules[r] for r in sorted(rules)]
    picked = component.encoder.picked
    doubtful = False

    def feasible(some: Collection[str]) -> bool:
        nonlocal doubtful
        try:
            return engine.satisfiable(some)
        except Undecided:  # what it is about stays in, and the conflict is told as maybe not minimal
            doubtful = True
            return True

    for by_steps in (False, True):
        items = _items(component.encoder, normal, component.grids, steps=by_steps, picked=picked)
        engine = _engine(component.grids, component.limits, items, picked)
        if not feasible(list(items)):
            # From all items, not from z3's core: which one z3 finds depends on what it did before.
            kept = minimal_infeasible(list(items), feasible)
            break
    else:
        if not doubtful:
            raise OutlastError("no conflict was found among rules that cannot hold together; please report this")
        kept = list(items)
    found = {i: items[i] for i in kept}
    return _with_constants(spec, component, normal, found, by_steps=by_steps, is_minimal=not doubtful)


def conflict_of_settled(spec: Spec, rule: NormalRule, constants: Constants) -> Conflict:
    """The conflict of a broken rule without free parameters; that takes no time worth limiting."""
    component = Component([], {rule.id: rule}, {}, constants, Limits())
    return conflict_of(spec, component, [rule.id])


def _items(
    encoder: Encoder, rules: Iterable[NormalRule], grids: dict[str, Grid], *, steps: bool, picked: set[str]
) -> dict[str, Logic]:
    """Every item with its formula, in the order in which items are to be kept."""
    items: dict[str, Logic] = {}
    for rule in rules:
        items[f"rule:{rule.id}"] = encoder.rule(rule, _RULE_DEMAND)
        if rule.rule.margin is not None:
            only = isinstance(rule.formula, Inequality) or (
                isinstance(rule.formula, All) and all(isinstance(p, Inequality) for p in rule.formula.parts)
            )
            items[f"margin:{rule.id}"] = encoder.rule(rule, Demand(base=not only, divisors=not only, margin=True))
        divisor = encoder.rule(rule, _DIVISOR_DEMAND)
        if divisor is not TRUE:
            items[f"divisor:{rule.id}"] = divisor
    for name in sorted(set(grids) - picked):
        grid = grids[name]
        items.update(domain_items(grid))
        if grid.listed is not None:
            items[f"step:{name}"] = step_logic(grid)
        elif steps and (not grid.whole or grid.unit != 1):
            items[f"step:{name}"] = Whole(name)
    return items


def _engine(grids: dict[str, Grid], limits: Limits, items: dict[str, Logic], picked: set[str]) -> Z3Engine:
    off_step = frozenset(n for n, g in grids.items() if n not in picked and (not g.whole or g.unit != 1))
    engine = Z3Engine(grids, limits, continuous=off_step, unbounded=frozenset(set(grids) - picked))
    for name in sorted(off_step):
        if grids[name].whole:
            engine.require(Whole(name, grids[name].unit))  # a count is whole whatever its step
    for item, logic in items.items():
        engine.define(item, logic)
    return engine


def _with_constants(
    spec: Spec,
    component: Component,
    rules: list[NormalRule],
    kept: dict[str, Logic],
    *,
    by_steps: bool,
    is_minimal: bool,
) -> Conflict:
    """Add the facts, fixed values and measurements that the conflict needs."""
    inside = [
        r
        for r in rules
        if any(i.split(":", 1)[1] == r.id for i in kept if i.startswith(("rule:", "margin:", "divisor:")))
    ]
    minimal = is_minimal
    free: list[str] = []
    # Constants, and what products were taken apart by, which the rules so far took for granted.
    granted = [*_constants_in(spec, inside), *_picked_items(component, inside)]
    for name in granted:
        answer = _conflicts_without(spec, component, inside, [*kept, *granted], [*free, name])
        if answer is True:
            free.append(name)
        else:
            minimal = minimal and answer is False
    names = [*kept, *(n for n in granted if n not in free)]
    items = tuple(_item(spec, component, name, inside) for name in names)
    certificate = None if by_steps else _certificate(component, kept)
    return Conflict(items=tuple(sorted(items, key=_item_order)), proof=certificate, by_steps=by_steps, minimal=minimal)


def _picked_items(component: Component, rules: Iterable[NormalRule]) -> list[str]:
    """The domains and steps of the parameters that products are taken apart by."""
    rules = list(rules)
    names = sorted(n for n in component.encoder.picked & set(component.grids) if _speaks_of(rules, n, component))
    items: list[str] = []
    for name in names:
        grid = component.grids[name]
        items += (item for item, _ in domain_items(grid))
        if grid.listed is not None or not grid.whole:
            items.append(f"step:{name}")
    return items


_ORDER = {kind: number for number, kind in enumerate(ItemKind)}


def _item_order(item: Item) -> tuple[int, str]:
    return _ORDER[item.kind], item.name


def _speaks_of(rules: Iterable[NormalRule], name: str, component: Component) -> bool:
    return any(name in component.encoder.names(r) for r in rules)


def _constants_in(spec: Spec, rules: Iterable[NormalRule]) -> list[str]:
    """`fact:NAME`, `fixed:NAME` and `measurement:NAME` of what the rules mention, sorted."""
    found: set[str] = set()
    for rule in rules:
        for name in rule.names():
            parameter = spec.parameters[name]
            if parameter.role in (Role.FACT, Role.FIXED):
                found.add(f"{parameter.role.value}:{name}")
        found.update(f"measurement:{m}" for m in _measurements_of(rule))
    return sorted(found)


def _measurements_of(rule: NormalRule) -> set[str]:
    return {a.measurement for a in rule.atoms() if isinstance(a, Quant)}


def _conflicts_without(
    spec: Spec, component: Component, rules: list[NormalRule], kept: list[str], free: list[str]
) -> bool | None:
    """Whether the items conflict even where these constants may have any value; None: z3 cannot tell."""
    unknown = _unknown_keys(rules, free)
    asked = {name: sentinels for name, sentinels in _asked(rules).items() if name in unknown}
    constants = Constants(
        values=component.constants.values, bound=component.constants.bound, unknown=frozenset(unknown - set(asked))
    )
    grids = dict(component.grids)
    for name in unknown:
        for key in (name, f"{name}+", f"{name}-"):
            grids[key] = _unknown_grid(key, spec.parameters.get(name), asked.get(name, ()))
    known = {**component.grids, **{n: grids[n] for n in asked}}
    encoder = Encoder(known, constants, allow_products=True)
    steps = any(i.startswith("step:") for i in kept)
    try:
        items = _items(encoder, rules, component.grids, steps=steps, picked=set())
        wanted = [i for i in kept if i in items and i not in free]
        limits = Limits(component.limits.deadline, _NONLINEAR_EFFORT)
        engine = _engine(grids, limits, {i: items[i] for i in wanted}, set())
        if not engine.satisfiable(wanted):
            return True
    except (Undecided, OutlastError):
        return None
    # Functions are taken apart over the values of a domain even here, so that they say nothing beyond it.
    apart = {f"domain:{n}.{end}" for n in encoder.picked for end in ("min", "max")} | {
        f"step:{n}" for n in encoder.picked
    }
    return None if apart & set(free) else False


def _asked(rules: Iterable[NormalRule]) -> dict[str, tuple[Sentinel, ...]]:
    """The sentinels that rules ask about, by name: what a constant set free may be besides a number."""
    found: dict[str, set[Sentinel]] = {}
    for rule in rules:
        for tree in (rule.rule.require, rule.rule.when):
            for node in walk(tree) if tree is not None else ():
                if isinstance(node, Is):
                    found.setdefault(node.name, set()).add(node.sentinel)
    return {name: tuple(s for s in Sentinel if s in sentinels) for name, sentinels in found.items()}


def _unknown_grid(key: str, parameter: Parameter | None, sentinels: tuple[Sentinel, ...]) -> Grid:
    """A constant set free: any number that its kind allows, or a sentinel that is asked about."""
    whole = parameter is not None and parameter.kind is Kind.COUNT
    exponent = parameter.kind.time_exponent if parameter is not None else 1
    return Grid(
        name=key, time_exponent=exponent, unit=Fraction(1), low=0, high=None, listed=None, specials=sentinels,
        whole=whole, positive=False, domain_low=None, domain_high=None,
    )  # fmt: skip


def _unknown_keys(rules: list[NormalRule], free: list[str]) -> set[str]:
    keys: set[str] = set()
    for item in free:
        kind, name = item.split(":", 1)
        if kind in ("domain", "step"):
            continue
        if kind == "measurement":
            keys.update(a.key for r in rules for a in r.atoms() if isinstance(a, Quant) and a.measurement == name)
        else:
            keys.add(name)
    return keys


def _certificate(component: Component, kept: dict[str, Logic]) -> Certificate | None:
    """The multipliers of a conflict of plain inequalities; None if it is not one, or needs whole counts."""
    used: list[tuple[str, Below]] = []
    for item, logic in kept.items():
        for part in logic.parts if isinstance(logic, Both) else (logic,):
            match part:
                case Below():
                    used.append((item, part))
                case Zero(poly=poly, exponent=exponent):
                    sides = (poly, poly.scaled(Fraction(-1)))
                    used += [(item, Below(side, strict=False, exponent=exponent)) for side in sides]
                case _:
                    return None
    if not all(is_linear(b.poly) and all(isinstance(a, Var) for a in b.poly.atoms()) for _, b in used):
        return None
    for name in component.names:
        exponent = component.grids[name].time_exponent
        below_zero = Poly({((Var(name, exponent), 1),): Fraction(-1)})
        used.append(("natural", Below(below_zero, strict=False, exponent=exponent)))
    multipliers = farkas([_row(b.poly, b.strict) for _, b in used])
    if multipliers is None:
        return None
    taken = [(item, b, m) for (item, b), m in zip(used, multipliers, strict=True) if m]
    _, base, unit = next((t for t in taken if t[1].exponent == 1), taken[0])
    steps = tuple(
        Step(item, m / unit, format_value(m / unit, base.exponent - b.exponent), _row_text(b), b)
        for item, b, m in taken
    )
    total = sum((m / unit * b.poly.terms.get((), Fraction(0)) for _, b, m in taken), Fraction(0))
    sign = "<" if any(b.strict for _, b, _ in taken) else "<="
    return Certificate(
        steps, f"{format_value(Fraction(0), base.exponent)} {sign} {format_value(-total, base.exponent)}"
    )


def _row(poly: Poly, strict: bool) -> Row:
    terms: dict[object, Fraction] = {}
    for monomial, coefficient in poly:
        if monomial:
            terms[monomial] = coefficient
    return Row(terms, poly.terms.get((), Fraction(0)), strict)


def _row_text(row: Below) -> str:
    """The row with unknown numbers of positive sign on the left, all else on the right."""
    unknown = Poly({m: c for m, c in row.poly if m})
    left, right = unknown.positive_part(), unknown.negative_part()
    rest = row.poly.terms.get((), Fraction(0))
    right = right + Poly({(): -rest} if rest < 0 or not right.terms else {})
    left = left + Poly({(): rest} if rest > 0 and unknown.negative_part().terms else {})
    return f"{left.text(row.exponent)} {'<' if row.strict else '<='} {right.text(row.exponent)}"


def _item(spec: Spec, component: Component, name: str, rules: list[NormalRule]) -> Item:
    kind_text, subject = name.split(":", 1)
    kind = ItemKind(kind_text)
    if kind in (ItemKind.RULE, ItemKind.MARGIN, ItemKind.DIVISOR):
        rule = next(r for r in rules if r.id == subject)
        return _rule_item(kind, rule)
    if kind is ItemKind.MEASUREMENT:
        measurement = spec.measurements[subject]
        bounds = sorted(
            {a for r in rules for a in r.atoms() if isinstance(a, Quant) and a.measurement == subject},
            key=lambda a: a.level,
        )
        says = ", ".join(
            f"p{format_value(q.level * 100, 0)}({subject}) is at most {format_value(component.constants.bound(q, True), 1)}"
            for q in bounds
        )
        return Item(kind=kind, name=subject, says=says, place=measurement.place, why=measurement.why)
    parameter = spec.parameters[
        subject.removesuffix(".min").removesuffix(".max") if kind is ItemKind.DOMAIN else subject
    ]
    return Item(
        kind=kind, name=subject, says=_parameter_says(kind, subject, parameter, component),
        place=_parameter_place(kind, parameter), why=parameter.origin.why,
    )  # fmt: skip


def _rule_item(kind: ItemKind, rule: NormalRule) -> Item:
    place = rule.rule.places.get("margin" if kind is ItemKind.MARGIN else "require", rule.rule.place)
    says = rule.rule.text
    if rule.rule.when_text is not None:
        says = f"{says}, when {rule.rule.when_text}"
    if kind is ItemKind.MARGIN:
        margin = rule.rule.margin
        assert margin is not None
        says = f"{says}, with a margin of {format_value(margin.amount, margin.time_exponent or 0, percent=margin.is_relative)}"
    elif kind is ItemKind.DIVISOR:
        says = f"{says} divides by something that must be above 0"
    return Item(kind=kind, name=rule.id, says=says, place=place, why=rule.rule.origin.why)


def _parameter_says(kind: ItemKind, subject: str, parameter: Parameter, component: Component) -> str:
    exponent, percent = parameter.kind.time_exponent, parameter.kind is Kind.RATIO
    if kind in (ItemKind.FACT, ItemKind.FIXED):
        if parameter.interval is not None:
            low, high = (format_value(v, exponent, percent=percent) for v in parameter.interval)
            return f"{parameter.name} is anything from {low} to {high}"
        assert parameter.value is not None
        means = parameter.effective(parameter.value)
        meaning = "" if means == parameter.value else f", which means {format_value(means, exponent, percent=percent)}"
        return f"{parameter.name} = {format_value(parameter.value, exponent, percent=percent)}{meaning}"
    grid = component.grids[parameter.name]
    if kind is ItemKind.STEP:
        if grid.listed is not None:
            values: list[Value] = [*grid.numbers(), *grid.specials]
            listed = ", ".join(format_value(grid.written(v), exponent, percent=percent) for v in values)
            return f"{parameter.name} is one of {listed}"
        return f"{parameter.name} is a multiple of {format_value(parameter.step, exponent, percent=percent)}"
    edge = grid.domain_low if subject.endswith(".min") else grid.domain_high
    if edge is None or (grid.positive and subject.endswith(".min")):
        return f"{parameter.name} > {format_value(Fraction(0), exponent, percent=percent)}"
    return (
        f"{parameter.name} {'>=' if subject.endswith('.min') else '<='} {format_value(edge, exponent, percent=percent)}"
    )


def _parameter_place(kind: ItemKind, parameter: Parameter) -> Place:
    key = {ItemKind.FACT: "fact", ItemKind.FIXED: "fixed", ItemKind.STEP: "step"}.get(kind, "free")
    return parameter.places.get(key, parameter.places.get("free", parameter.place))
