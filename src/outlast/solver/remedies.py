"""For a broken rule, the nearest value of each parameter that would mend it, exactly and without z3."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from outlast.constraints.check import Checked, Remedy
from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Truth, World, judge
from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Sentinel, Value
from outlast.solver.audit import names_of, value_in_use
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand, Encoder
from outlast.solver.grid import grid_of
from outlast.solver.limits import Limits
from outlast.solver.line import Line

__all__ = ["remedies"]


def remedies(
    spec: Spec, constants: Constants, world: World, rule: NormalRule, checked: Mapping[str, Checked]
) -> tuple[Remedy, ...]:
    """The nearest value of each parameter that may move, all others as they are, at which the rule holds with its margin."""
    found: list[Remedy] = []
    for name in sorted(names_of(rule)):
        parameter = spec.parameters[name]
        if parameter.role is Role.FACT or (parameter.role is Role.FIXED and parameter.cost is None):
            continue
        to = _nearest(constants, world, rule, parameter)
        now = value_in_use(parameter)
        if to is None or now is None:
            continue
        changed = World(values={**world.values, name: parameter.effective(to)}, bound=world.bound)
        if judge(rule, changed).truth is Truth.BROKEN or not judge(rule, changed).margin_kept:
            continue
        breaks = tuple(
            other_id
            for other_id, other in checked.items()
            if other_id != rule.id and other.verdict is not None and name in names_of(other.rule)
            and other.verdict.truth is not Truth.BROKEN and judge(other.rule, changed).truth is Truth.BROKEN
        )  # fmt: skip
        found.append(Remedy(parameter=name, now=now, to=to, breaks=breaks))
    return tuple(found)


def _nearest(constants: Constants, world: World, rule: NormalRule, parameter: Parameter) -> Value | None:
    """The nearest value of one parameter at which the rule holds with its margin, as written."""
    grid = grid_of(parameter)
    name = parameter.name
    others = {n: v for n, v in world.values.items() if n != name}
    encoder = Encoder({name: grid}, Constants(values=others, bound=constants.bound), allow_products=True)
    try:
        logic = encoder.rule(rule, Demand())
    except OutlastError:
        return None
    line = Line(name, [logic], {}, Limits())
    now = world.values[name]
    if now is Sentinel.OFF or isinstance(now, tuple):
        first = grid.at_least(grid.low)
        return None if first is None else line.nearest(grid, grid.value(first), upward=True)
    if now is Sentinel.INFINITE:
        return line.greatest(grid)
    assert isinstance(now, Fraction)
    candidates = [v for up in (True, False) if (v := line.nearest(grid, now, upward=up)) is not None]
    return min(candidates, key=lambda v: (abs(v - now), v), default=None)
