"""Minimal conflicts: which rules, margins, domains, steps, facts, fixed values and measurements cannot hold together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Final, Protocol

from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.model import Level, Parameter, Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Quant
from outlast.constraints.quantities import Kind, Value, format_value
from outlast.solver.account import OF_RULES, Conflict, Item, ItemKind, Proof, name_of
from outlast.solver.constants import Constants
from outlast.solver.items import Items, Take
from outlast.solver.limits import Limits, Undecided
from outlast.solver.parts import parts_of
from outlast.solver.problem import Component
from outlast.solver.proof import prove
from outlast.solver.subsets import minimal_infeasible

__all__ = ["conflict_of", "conflict_of_settled", "minimal_conflict", "tell"]


def conflict_of(spec: Spec, component: Component, rules: Sequence[str]) -> Conflict:
    """A minimal conflict among these rules of a component, which cannot hold together.

    Where the limits strike, it is told as not shown minimal.
    """
    wanted = {r: component.rules[r] for r in rules}
    names = {n for r in wanted.values() for n in component.encoder.names(r)}
    grids = {n: component.grids[n] for n in names}
    items = Items(spec, wanted, grids, component.constants, component.limits)
    found = _Shrinker(items, by_core=False).shrink(items.all)
    if found is None:
        raise OutlastError("no conflict was found among rules that cannot hold together; please report this")
    return tell(items, *found)


def conflict_of_settled(spec: Spec, rule: NormalRule, constants: Constants) -> Conflict:
    """The conflict of a broken rule without free parameters; that takes no time worth limiting."""
    return conflict_of(spec, Component([], {rule.id: rule}, {}, constants, Limits()), [rule.id])


def minimal_conflict(
    items: Items, among: Collection[str], take: Take = Take.ANY, softs: Softening | None = None
) -> tuple[list[str], bool] | None:
    """A minimal infeasible subset of some items (or softs), and whether it was shown to be minimal; None: they can hold together.

    Which of several it is may depend on what z3 was asked before.

    Raises:
        Undecided: the limits struck before it was known whether there is one.
    """
    return _Shrinker(items, by_core=True, take=take, softs=softs).shrink(among)


#: Items beyond which a core is long.
_LONG: Final = 30


class Softening(Protocol):
    """What stands for several items at once, and what holds where only some of that is kept."""

    @property
    def all(self) -> list[str]:
        """Everything there is, in order."""
        ...

    def items_on(self, kept: Collection[str], /) -> list[str]:
        """The items that hold where only these are kept."""
        ...

    def of_items(self, some: Collection[str], /) -> list[str]:
        """What some items depend on."""
        ...


class _Shrinker:
    def __init__(self, items: Items, *, by_core: bool, take: Take = Take.ANY, softs: Softening | None = None) -> None:
        self._items = items
        self._by_core = by_core
        self._take = take
        self._softs = softs
        self._is_sure = True

    def shrink(self, among: Collection[str]) -> tuple[list[str], bool] | None:
        items = self._items
        wanted = frozenset(among)
        among = [i for i in (items.all if self._softs is None else self._softs.all) if i in wanted]
        # What needs no steps is told without them.
        start: list[str] | None = [i for i in among if not items.is_step(i)]
        if self._by_core:
            start = self._core(among if self._softs is not None else start or [])
            if start is None and self._softs is None:
                start = self._core(among)
            if start is None:
                return None
        elif self._feasible(start or []):
            start = among
            try:
                if items.feasible(among, take=self._take):
                    return None
            except Undecided:  # who asks knows that they cannot hold together
                self._is_sure = False
        before, items.doubtful = items.doubtful, False
        # Of what a long core names nearly all is needed.
        is_long_core = self._by_core and len(start or []) > _LONG
        found = minimal_infeasible(start or [], self._feasible, mostly_needed=is_long_core)
        sure = self._is_sure and not items.doubtful
        items.doubtful = before
        return found, sure

    def _core(self, among: list[str]) -> list[str] | None:
        core = self._items.core(self._on(among), take=self._take)
        if core is None:
            return None
        if self._softs is not None:
            needed = set(self._softs.of_items(core))
            core = [i for i in among if i in needed]
        return among if self._feasible(core) else core

    def _on(self, some: Collection[str]) -> Collection[str]:
        return some if self._softs is None else self._softs.items_on(some)

    def _feasible(self, some: Collection[str]) -> bool:
        try:
            return self._items.feasible(self._on(some), take=self._take)
        except Undecided:  # what it is about stays in, and the conflict is told as maybe not minimal
            self._is_sure = False
            return True


# Telling.

_ORDER = {kind: number for number, kind in enumerate(ItemKind)}


def _item_order(item: Item) -> tuple[int, str]:
    return _ORDER[item.kind], item.name


def tell(items: Items, found: Collection[str], is_minimal: bool) -> Conflict:
    """A conflict in full: what its items say, and its proof."""
    told = sorted((_item(items, name) for name in found), key=_item_order)
    rules = {i.name: items.rules[i.name].rule for i in told if i.is_of_rule}
    by_steps = any(items.is_step(i) and items.grids[name_of(i)].listed is None for i in found)
    return Conflict(
        items=tuple(told),
        proof=_proof(items, found),
        by_steps=by_steps,
        minimal=is_minimal,
        shoulds=tuple(sorted(r.id for r in rules.values() if r.level is Level.SHOULD)),
    )


def _proof(items: Items, found: Collection[str]) -> Proof | None:
    try:
        parts, grids = parts_of(items, frozenset(found))
        return prove(parts, grids, items.limits)
    except (Undecided, OutlastError):
        return None


def _item(items: Items, item: str) -> Item:
    kind_text, subject = item.split(":", 1)
    kind, spec = ItemKind(kind_text), items.spec
    if kind_text in OF_RULES:
        return _rule_item(kind, items.rules[subject])
    if kind is ItemKind.MEASUREMENT:
        measurement = spec.measurements[subject]
        says = ", ".join(
            f"{q.key} is {'at least' if end < 0 else 'at most'} {format_value(items.constants.bound(q, end >= 0), 1)}"
            for q, end in _ends_taken(items, subject)
        )
        return Item(kind=kind, name=subject, says=says, place=measurement.place, why=measurement.why)
    parameter = spec.parameters[name_of(item)]
    return Item(
        kind=kind, name=subject, says=_parameter_says(kind, subject, parameter, items),
        place=_parameter_place(kind, parameter), why=parameter.origin.why,
    )  # fmt: skip


def _ends_taken(items: Items, measurement: str) -> list[tuple[Quant, int]]:
    """The quantiles of a measurement that the rules use, each with the ends of its bounds that they take, as `directions` has them."""
    found = {
        (atom, end)
        for rule in items.rules.values()
        for atom, end in rule.ends_taken()
        if isinstance(atom, Quant) and atom.measurement == measurement
    }
    return sorted(found, key=lambda each: (each[0].level, each[1]))


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


def _parameter_says(kind: ItemKind, subject: str, parameter: Parameter, items: Items) -> str:
    exponent, percent = parameter.kind.time_exponent, parameter.kind is Kind.RATIO
    if kind is ItemKind.CURRENT or (kind is ItemKind.ASKED and parameter.role is Role.FREE):
        held = items.held(parameter.name)
        return f"{parameter.name} = {format_value(held, exponent, percent=percent)}"
    if kind in (ItemKind.FACT, ItemKind.FIXED, ItemKind.ASKED):
        if parameter.interval is not None:
            low, high = (format_value(v, exponent, percent=percent) for v in parameter.interval)
            return f"{parameter.name} is anything from {low} to {high}"
        assert parameter.value is not None
        means = parameter.effective(parameter.value)
        meaning = "" if means == parameter.value else f", which means {format_value(means, exponent, percent=percent)}"
        return f"{parameter.name} = {format_value(parameter.value, exponent, percent=percent)}{meaning}"
    grid = items.grids[parameter.name]
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
    if kind is ItemKind.CURRENT:
        return parameter.places.get("current", parameter.places.get("unset", parameter.place))
    key = {ItemKind.FACT: "fact", ItemKind.FIXED: "fixed", ItemKind.STEP: "step"}.get(kind, "free")
    return parameter.places.get(key, parameter.places.get("free", parameter.place))
