"""What a repair may change, and every minimal set of such changes."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from fractions import Fraction
from typing import Final

from outlast.constraints.model import NEVER, Level
from outlast.constraints.record import replace
from outlast.solver.account import kind_of, name_of, rule_of
from outlast.solver.conflict import minimal_conflict
from outlast.solver.enumerate import Minimal, enumerate_minimal
from outlast.solver.items import Items, Take
from outlast.solver.limits import Limits, Undecided

__all__ = ["Softs"]

#: What giving up a margin costs.
_MARGIN_COST: Final = Fraction(3)


class Softs:
    """What a repair of some items may change."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.all: list[str] = []
        for item in items.all:
            if self._is_soft(item):
                self.all.append(item)
        self._known = frozenset(self.all)

    def _is_soft(self, item: str) -> bool:
        kind, spec = kind_of(item), self.items.spec
        if kind in ("rule", "margin"):
            rule = spec.rules[name_of(item)]
            if rule.level is Level.SHOULD:
                return True
            is_refused = rule.relation is not None and rule.relation.is_refused and "cost" not in rule.places
            return rule.cost is not NEVER and not (is_refused and kind == "rule")
        if kind in ("fixed", "current"):
            return spec.parameters[name_of(item)].cost is not NEVER
        return False

    def is_on(self, item: str, kept: Collection[str]) -> bool:
        """Whether an item still holds where only those softs are kept: a rule that goes takes its margin and divisor with it."""
        kind = kind_of(item)
        if kind in ("margin", "divisor"):
            rule = f"rule:{name_of(item)}"
            if rule in self._known and rule not in kept:
                return False
        return item not in self._known or item in kept

    def items_on(self, kept: Collection[str]) -> list[str]:
        """The items that hold where only those softs are kept."""
        kept = frozenset(kept)
        return [i for i in [*self.items.all, *self.items.quiet] if self.is_on(i, kept)]

    def is_exact(self, some: Collection[str]) -> bool:
        """Whether leaving out these softs leaves out the items of the same names and no others."""
        along = {f"{kind}:{n}" for i in some if (n := rule_of(i)) is not None for kind in ("margin", "divisor")}
        return along.isdisjoint(i for i in self.items.all if i not in some)

    def of_items(self, some: Collection[str]) -> list[str]:
        """The softs that some items depend on."""
        needed = {f"rule:{n}" for i in some if (n := rule_of(i)) is not None} | set(some)
        return [s for s in self.all if s in needed]

    def hold_up(self, some: Collection[str]) -> list[str]:
        """The items that take part in a set of softs which cannot be kept together."""
        found = minimal_conflict(self.items, self.items_on(some), Take.ON_STEP)
        return [] if found is None else found[0]

    def enumerate(self, limits: Limits, enough: int | None) -> Minimal:
        """All minimal sets of softs that cannot be kept together, and all ways out, or `enough` of the cheapest."""

        def shrink(some: Collection[str]) -> list[str] | None:
            found = minimal_conflict(self.items, some, Take.ON_STEP, self)
            return None if found is None else found[0]

        found = enumerate_minimal(self.all, shrink, limits, enough=enough, cost=self.cost)
        if found.corrections or not found.infeasible or frozenset() in found.infeasible:
            return found
        return replace(found, corrections=self._any_correction())

    def _any_correction(self) -> tuple[frozenset[str], ...]:
        """Where there is no time to find the cheapest way out: one that keeps what is dear as far as it can."""
        kept: list[str] = []

        def keep(some: list[str]) -> None:
            if self.items.feasible(self.items_on([*kept, *some]), take=Take.ON_STEP):
                kept.extend(some)
            elif len(some) > 1:
                keep(some[: len(some) // 2])
                keep(some[len(some) // 2 :])

        with suppress(Undecided):
            self.items.limits.check()
            keep(sorted(self.all, key=lambda s: (-self.cost(s), s)))
            return (frozenset(self.all) - frozenset(kept),)
        return ()

    def cost(self, item: str) -> Fraction:
        """What changing it costs."""
        kind, spec = kind_of(item), self.items.spec
        if kind == "margin":
            return _MARGIN_COST
        if kind == "rule":
            rule = spec.rules[name_of(item)]
            if rule.level is Level.SHOULD and ("cost" not in rule.places or rule.cost is NEVER):
                return rule.weight  # it may always be given up
            return rule.cost or Fraction(0)
        return spec.parameters[name_of(item)].cost or Fraction(0)
