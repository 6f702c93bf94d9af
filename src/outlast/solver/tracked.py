"""A component in which every rule and every end of a domain can be left out, to tell what is needed for an answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction

from outlast.constraints.polynomial import Var, constant, variable
from outlast.solver.encode import Demand, Encoder
from outlast.solver.engine import Z3Engine
from outlast.solver.grid import Grid
from outlast.solver.logic import Logic, Mode, below, either, zero
from outlast.solver.problem import Component, Restriction
from outlast.solver.subsets import minimal_infeasible

__all__ = ["Tracked", "domain_items", "step_logic"]


class Tracked:
    """Items are `rule:ID` (with its margin), `domain:NAME.min`, `domain:NAME.max`; steps are kept, or ignored if relaxed."""

    def __init__(
        self, component: Component, rules: Iterable[str], *, relaxed: bool, continuous: str | None = None
    ) -> None:
        free = frozenset([] if continuous is None else [continuous])
        if relaxed:
            free |= {
                n
                for n, g in component.grids.items()
                if not g.whole and g.listed is None and n not in component.encoder.picked
            }
        self._engine = Z3Engine(component.grids, component.limits, continuous=free, bounded=False)
        self._component = component
        encoder = component.encoder
        if continuous is not None:
            encoder = Encoder(component.grids, component.constants, unpicked=continuous)
        self.items: list[str] = []
        for rule in sorted(rules):
            self._define(f"rule:{rule}", encoder.rule(component.rules[rule], Demand()))
        for name in component.names:
            grid = component.grids[name]
            for item, logic in domain_items(grid):
                self._define(item, logic)
            if grid.listed is not None:
                self._engine.require(step_logic(grid))

    def _define(self, item: str, logic: Logic) -> None:
        self._engine.define(item, logic)
        self.items.append(item)

    def needed(self, restrictions: Sequence[Restriction]) -> list[str] | None:
        """A minimal set of items that is infeasible under the restrictions; None if all items together are feasible."""
        for restriction in restrictions:
            self._engine.define(restriction, self._component.logic(restriction))

        def feasible(items: Collection[str]) -> bool:
            return self._engine.satisfiable([*items, *restrictions])

        if feasible(self.items):
            return None
        core = {i for i in self._engine.core() if isinstance(i, str)}
        return minimal_infeasible([i for i in self.items if i in core], feasible)


def domain_items(grid: Grid) -> list[tuple[str, Logic]]:
    """The ends of a domain that say something, as items; a sentinel satisfies them."""
    unknown = variable(Var(grid.name, grid.time_exponent))
    sentinels = [Mode(grid.name, s) for s in grid.specials]
    items: list[tuple[str, Logic]] = []
    if grid.positive:
        items.append((f"domain:{grid.name}.min", below(unknown.scaled(Fraction(-1)), strict=True)))
    elif grid.domain_low:
        items.append((f"domain:{grid.name}.min", below(constant(grid.domain_low) - unknown, strict=False)))
    if grid.domain_high is not None:
        items.append((f"domain:{grid.name}.max", below(unknown - constant(grid.domain_high), strict=False)))
    return [(item, either([*sentinels, logic])) for item, logic in items]


def step_logic(grid: Grid) -> Logic:
    """That a listed parameter has one of the listed numbers."""
    unknown = variable(Var(grid.name, grid.time_exponent))
    numbers = [zero(unknown - constant(n)) for n in grid.numbers()]
    return either([*(Mode(grid.name, s) for s in grid.specials), *numbers])
