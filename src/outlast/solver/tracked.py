"""A component in which every rule and every end of a domain can be left out, to tell what is needed for an answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction

from outlast.constraints.errors import OutlastError
from outlast.constraints.polynomial import Var, constant, variable
from outlast.solver.account import rule_of
from outlast.solver.encode import Demand, Encoder
from outlast.solver.engine import Z3Engine
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import Logic, Mode, below, either, zero
from outlast.solver.problem import Component, Restriction
from outlast.solver.subsets import minimal_infeasible

__all__ = ["Tracked", "domain_items", "picked_ends", "step_logic"]


#: z3's effort for one question in which unknown numbers may be multiplied.
_PRODUCT_EFFORT = 1_000_000
#: What z3 may spend on one question whether some of the items suffice (its rlimit).
_SUBSET_EFFORT = 1_000_000


class Tracked:
    """Items are `rule:ID` (with its margin), `domain:NAME.min`, `domain:NAME.max`; steps are kept, or ignored if relaxed."""

    def __init__(
        self, component: Component, rules: Iterable[str], *, relaxed: bool, continuous: str | None = None
    ) -> None:
        self._component = component
        self._free = component.relaxable() if relaxed else frozenset[str]()
        if continuous is not None:
            self._free |= {continuous}
        encoder = component.encoder
        if continuous is not None:
            encoder = Encoder(component.grids, component.constants, unpicked=continuous)
        picked = component.encoder.picked - {continuous}
        self._items = {f"rule:{r}": encoder.rule(component.rules[r], Demand()) for r in sorted(rules)}
        for name in component.names:
            if name not in picked:
                self._items.update(domain_items(component.grids[name]))
        self._engine = _engine(component, self._items, self._free, frozenset(component.names) - picked)

    def needed(self, restrictions: Sequence[Restriction]) -> list[str] | None:
        """A minimal set of items that is infeasible under the restrictions; None if all items together are feasible.

        An item stays where z3 does not see soon that it is not needed: numbers that are rounded, without the ends of their
        domains, may keep it busy without end.
        """
        for restriction in restrictions:
            self._engine.define(restriction, self._component.logic(restriction))

        limits = Limits(self._component.limits.deadline, _SUBSET_EFFORT)

        def feasible(items: Collection[str]) -> bool:
            try:
                return self._engine.satisfiable([*items, *restrictions], limits)
            except Undecided:
                limits.check()
                return True

        if self._engine.satisfiable([*self._items, *restrictions]):
            return None
        # From all items, not from z3's core: which one z3 finds depends on what it did before.
        kept = minimal_infeasible(list(self._items), feasible)
        return [*kept, *picked_ends(self._component, kept, restrictions, self._free)]


def picked_ends(
    component: Component, items: Sequence[str], restrictions: Sequence[Restriction], free: frozenset[str]
) -> list[str]:
    """Which ends of domains the infeasible items need of parameters that products are taken apart by; all of them where that cannot be told.

    Taken apart, a product says nothing outside those domains; here it stays a product.
    """
    rules = [component.rules[r] for i in items if (r := rule_of(i)) is not None]
    spoken = {n for r in rules for n in component.encoder.names(r)} | {r.name for r in restrictions}
    ends = {
        item: logic
        for n in sorted(spoken & component.encoder.picked)
        for item, logic in domain_items(component.grids[n])
    }
    if not ends:
        return []
    encoder = Encoder(component.grids, component.constants, allow_products=True)
    limits = Limits(component.limits.deadline, _PRODUCT_EFFORT)
    try:
        held = {f"rule:{r.id}": encoder.rule(r, Demand()) for r in rules}
        for name in component.names:
            held.update((i, logic) for i, logic in domain_items(component.grids[name]) if i in items)
        engine = _engine(component, {**held, **ends}, free, frozenset(component.names))
        for restriction in restrictions:
            engine.define(restriction, component.logic(restriction))
        always = [*held, *restrictions]
        return minimal_infeasible(list(ends), lambda some: engine.satisfiable([*always, *some], limits))
    except (Undecided, OutlastError):
        component.limits.check()
        return list(ends)


def _engine(component: Component, items: dict[str, Logic], free: frozenset[str], unbounded: frozenset[str]) -> Z3Engine:
    engine = Z3Engine(component.grids, component.limits, continuous=free, unbounded=unbounded)
    for name in sorted(unbounded):
        if component.grids[name].listed is not None:
            engine.require(step_logic(component.grids[name]))
    for item, logic in items.items():
        engine.define(item, logic)
    return engine


def domain_items(grid: Grid) -> list[tuple[str, Logic]]:
    """The ends of a domain that say something, as items; a sentinel satisfies them."""
    unknown = variable(Var(grid.name, grid.time_exponent))
    sentinels = [Mode(grid.name, s) for s in grid.specials]
    items: list[tuple[str, Logic]] = []
    if grid.positive:
        items.append(
            (f"domain:{grid.name}.min", below(unknown.scaled(Fraction(-1)), strict=True, exponent=grid.time_exponent))
        )
    elif grid.domain_low:
        items.append(
            (
                f"domain:{grid.name}.min",
                below(constant(grid.domain_low) - unknown, strict=False, exponent=grid.time_exponent),
            )
        )
    if grid.domain_high is not None:
        items.append(
            (
                f"domain:{grid.name}.max",
                below(unknown - constant(grid.domain_high), strict=False, exponent=grid.time_exponent),
            )
        )
    return [(item, either([*sentinels, logic])) for item, logic in items]


def step_logic(grid: Grid) -> Logic:
    """That a listed parameter has one of the listed numbers."""
    unknown = variable(Var(grid.name, grid.time_exponent))
    numbers = [zero(unknown - constant(n)) for n in grid.numbers()]
    return either([*(Mode(grid.name, s) for s in grid.specials), *numbers])
