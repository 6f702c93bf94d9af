"""Everything that a page about a spec tells, put together from what check, solve, explain and mutate find."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING

from outlast.constraints.check import CheckOutcome
from outlast.constraints.evaluate import World
from outlast.constraints.model import Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Value
from outlast.constraints.record import record
from outlast.picturing.drawing import Drawing

if TYPE_CHECKING:
    from outlast.solver.account import Account
    from outlast.solver.mutants import MutateOutcome
    from outlast.solver.outcome import SolveOutcome

__all__ = ["Reported"]


@record(kw_only=True)
class Reported:
    """A spec, its rules at the values in use and at those recommended, and all that can be said about both."""

    spec: Spec
    rules: Mapping[str, NormalRule]
    #: At the values in use, as far as they are known: rules that speak of others stand there with what is missing.
    checked: CheckOutcome
    solved: SolveOutcome
    #: Why what is broken is so, and every way out: of the spec where it has no solution, else of the values in use; None: nothing is broken.
    account: Account | None
    #: Which slips no rule notices; None: that was not asked, `untold` says why.
    mutated: MutateOutcome | None
    untold: str | None
    #: All pictures, those that the catalogue or the spec names first, each group by id.
    drawings: tuple[Drawing, ...]
    today: date

    def world(self, written: Mapping[str, Value]) -> World:
        """What names stand for at these values of free and fixed parameters, as written; all others as the spec says."""
        from outlast.solver.constants import constants_of

        constants = constants_of(self.spec)
        effective = {name: self.spec.parameters[name].effective(value) for name, value in written.items()}
        return World(values={**constants.values, **effective}, bound=constants.bound)
