"""For a broken rule, the nearest value of each parameter that would mend it, exactly and without z3."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from outlast.constraints.check import Checked, Remedy
from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Truth, Verdict, World, judge
from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Sentinel, Value
from outlast.solver.audit import value_in_use
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand, Encoder
from outlast.solver.grid import Grid, grid_of
from outlast.solver.limits import Limits
from outlast.solver.line import Line, TooFineError

__all__ = ["remedies"]

#: Steps beyond which a curve is not followed.
_FARTHEST = 10**24


def remedies(
    spec: Spec, constants: Constants, world: World, rule: NormalRule, checked: Mapping[str, Checked]
) -> tuple[Remedy, ...]:
    """The nearest value of each parameter that may move, all others as they are, at which the rule holds with its margin."""
    found: list[Remedy] = []
    for name in sorted(rule.names()):
        parameter = spec.parameters[name]
        if parameter.role is Role.FACT or (parameter.role is Role.FIXED and parameter.cost is None):
            continue
        to = _nearest(constants, world, rule, parameter)
        now = value_in_use(parameter)
        if to is None or now is None:
            continue
        changed = World(values={**world.values, name: parameter.effective(to)}, bound=world.bound)
        if not _is_kept(judge(rule, changed)):
            continue
        breaks = tuple(
            other_id
            for other_id, other in checked.items()
            if other_id != rule.id and other.verdict is not None and name in other.rule.names()
            and _is_kept(other.verdict) and not _is_kept(judge(other.rule, changed))
        )  # fmt: skip
        found.append(Remedy(parameter=name, now=now, to=to, breaks=breaks))
    return tuple(found)


def _is_kept(verdict: Verdict) -> bool:
    """Whether `check` has nothing to say of the rule."""
    return verdict.truth is not Truth.BROKEN and verdict.margin_kept


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
    try:
        return _along(line, grid, now)
    except TooFineError:
        return None if not isinstance(now, Fraction) else _by_galloping(line, grid, now)


def _along(line: Line, grid: Grid, now: Value | tuple[Fraction, Fraction]) -> Value | None:
    if now is Sentinel.OFF or isinstance(now, tuple):
        first = grid.at_least(grid.low)
        return None if first is None else line.nearest(grid, grid.value(first), upward=True)
    if now is Sentinel.INFINITE:
        return line.greatest(grid)
    assert isinstance(now, Fraction)
    candidates = [v for up in (True, False) if (v := line.nearest(grid, now, upward=up)) is not None]
    return min(candidates, key=lambda v: (abs(v - now), v), default=None)


def _by_galloping(line: Line, grid: Grid, now: Fraction) -> Fraction | None:
    """The nearest number at which a curve lets the rule hold, if it holds from there on as far as was looked."""
    candidates: list[Fraction] = []
    for upward in (True, False):
        index = math.floor(now / grid.unit) if upward else math.ceil(now / grid.unit)
        bad, step = index, 1
        while (good := _at(grid, index + step if upward else index - step, upward=upward)) is not None:
            if line.holds(grid.value(good)):
                break
            if good == bad or step > _FARTHEST:
                good = None
                break
            bad, step = good, step * 2
        if good is None:
            continue
        while abs(good - bad) > 1:
            middle = _at(grid, (good + bad) // 2, upward=upward)
            if middle is None or middle in (good, bad):
                break
            if line.holds(grid.value(middle)):
                good = middle
            else:
                bad = middle
        candidates.append(grid.value(good))
    return min(candidates, key=lambda v: (abs(v - now), v), default=None)


def _at(grid: Grid, index: int, *, upward: bool) -> int | None:
    """The index itself if it is on the grid, else the last one on the way there."""
    return grid.at_most(index) if upward else grid.at_least(index)
