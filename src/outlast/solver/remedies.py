"""For a broken rule, the nearest value of each parameter that would mend it, exactly and without z3."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final

from outlast.constraints.check import Checked, Remedy
from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Truth, Verdict, World, judge
from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.normal import Inequality, NormalRule, comparisons
from outlast.constraints.polynomial import Monomial, Poly, Var
from outlast.constraints.quantities import LARGEST, Sentinel, Value
from outlast.constraints.record import record, replace
from outlast.solver.audit import value_in_use
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand, Encoder
from outlast.solver.grid import Grid, grid_of
from outlast.solver.limits import Limits
from outlast.solver.line import Line, TooFineError
from outlast.solver.logic import Logic

__all__ = ["Remedies"]

#: Steps beyond which a curve is not followed.
_FARTHEST: Final = 10**24

#: The whole aim, in thousandths.
_FULL: Final = 1000

#: Whether a value of the parameter will do.
_Test = Callable[[Value], bool]


@record(kw_only=True)
class _Way:
    """One parameter that may move to mend one rule, all others as they are."""

    rule: NormalRule
    parameter: Parameter
    grid: Grid
    #: As written, and as it counts.
    written: Value
    now: Value | tuple[Fraction, Fraction]


class Remedies:
    """What would mend broken rules at given values; remembers what several of them share."""

    def __init__(self, spec: Spec, constants: Constants, world: World, checked: Mapping[str, Checked]) -> None:
        self._spec = spec
        self._constants = constants
        self._world = world
        #: By parameter, the rules that `check` has nothing to say of, and those that say what it may be at all.
        self._kept: dict[str, list[NormalRule]] = {}
        self._bounds: dict[str, list[NormalRule]] = {}
        for entry in checked.values():
            if entry.verdict is None:
                continue
            for name in entry.rule.names():
                if _is_kept(entry.verdict):
                    self._kept.setdefault(name, []).append(entry.rule)
                if entry.rule.rule.is_bound:
                    self._bounds.setdefault(name, []).append(entry.rule)
        self._grids: dict[str, Grid] = {}
        self._logics: dict[tuple[str, str, int | None], Logic | None] = {}
        self._breaking: dict[tuple[str, Value], tuple[str, ...]] = {}
        self._sums: dict[str, _Sums | None] = {}
        self._along: dict[tuple[str, str], NormalRule] = {}
        #: Of the rule in hand and those judged with it.
        self._verdicts: dict[tuple[str, str, Value], Verdict | None] = {}

    def of(self, rule: NormalRule) -> tuple[Remedy, ...]:
        """The nearest value of each parameter that may move at which the rule holds with its margin.

        Where it can hold by none of them, those at which it does not apply.
        """
        self._verdicts.clear()
        found = [remedy for name in sorted(rule.names()) if (remedy := self._remedy(rule, name)) is not None]
        return tuple(r for r in found if r.holds) or tuple(found)

    def _remedy(self, rule: NormalRule, name: str) -> Remedy | None:
        parameter = self._spec.parameters[name]
        if parameter.role is Role.FACT or (parameter.role is Role.FIXED and parameter.cost is None):
            return None
        written = value_in_use(parameter)
        if written is None:
            return None
        if name not in self._grids:
            self._grids[name] = grid_of(parameter)
        grid = self._grids[name]
        way = _Way(rule=rule, parameter=parameter, grid=grid, written=written, now=self._world.values[name])
        holding = self._found(way, lambda verdict: verdict.truth is Truth.HOLDS and verdict.margin_kept)
        return holding or self._found(way, _is_kept)

    def _found(self, way: _Way, will_do: Callable[[Verdict], bool]) -> Remedy | None:
        bounds = [r for r in self._bounds.get(way.parameter.name, ()) if r.id != way.rule.id]

        def mends(value: Value) -> bool:
            return self._is_judged(way, way.rule, value, will_do) and all(
                self._is_judged(way, bound, value, _is_kept) for bound in bounds
            )

        line = self._line(way, [way.rule, *bounds], mends)
        to = None if line is None else _search(line, way, None)
        if line is None or to is None or not mends(to):
            return None
        breaks = self._broken_at(way, to)
        if breaks:
            line, to, breaks = self._sparing(way, to, breaks, mends) or (line, to, breaks)
        sign = _sign(way, to, mends)
        verdict = self._verdict(way, way.rule, to)
        holds = verdict is not None and verdict.truth is Truth.HOLDS
        return Remedy(
            parameter=way.parameter.name,
            now=way.written,
            to=to,
            breaks=breaks,
            sign=sign,
            beyond=_beyond(line, way, to, sign),
            roomy=self._roomy(way, to, sign, bounds) if holds and not breaks else None,
            holds=holds,
        )

    def _sparing(
        self, way: _Way, to: Value, breaks: tuple[str, ...], mends: _Test
    ) -> tuple[Line, Value, tuple[str, ...]] | None:
        """The nearest value farther in the same direction that breaks nothing, with its line; None: there is none.

        The rules that break are asked alone first: most often they never hold again, and the others need not be followed.
        """
        others = self._kept.get(way.parameter.name, [])
        broken = [rule for rule in others if rule.id in breaks]

        def is_whole(value: Value) -> bool:
            return all(self._is_judged(way, rule, value, _is_kept) for rule in broken)

        alone = self._line(way, broken, is_whole)
        start = None if alone is None else _search(alone, way, to)
        if start is None:
            return None

        def spares(value: Value) -> bool:
            return mends(value) and not self._broken_at(way, value)

        wide = self._line(way, [way.rule, *self._bounds.get(way.parameter.name, ()), *others], spares)
        found = None if wide is None else _search(wide, way, start)
        return None if wide is None or found is None or not spares(found) else (wide, found, ())

    def _roomy(self, way: _Way, to: Value, sign: str, bounds: Iterable[NormalRule]) -> Fraction | None:
        """The nearest value on that side at which the rule has all the headroom that it aims at, where that is an amount."""
        aim = way.rule.rule.aim
        if aim.is_relative or not way.rule.scores or isinstance(to, Sentinel) or sign == "=":
            return None

        def is_roomy(value: Value) -> bool:
            verdict = self._verdict(way, way.rule, value)
            return verdict is not None and verdict.score == 1 and not self._broken_at(way, value)

        line = self._line(way, [way.rule, *bounds], is_roomy, level=_FULL)
        if line is None:
            return None
        try:
            found = line.nearest(way.grid, to, upward=sign == ">=")
        except TooFineError:
            return None
        is_within = found is not None and all(self._is_judged(way, bound, found, _is_kept) for bound in bounds)
        return found if is_within and found != to else None

    # What holds at another value.

    def _verdict(self, way: _Way, rule: NormalRule, value: Value) -> Verdict | None:
        """The verdict on a rule at another value; None: it cannot be computed."""
        name = way.parameter.name
        key = (rule.id, name, value)
        if key not in self._verdicts:
            rule = self._with_numbers(rule, name)
            values = {n: self._world.values[n] for n in rule.names()} | {name: way.parameter.effective(value)}
            try:
                self._verdicts[key] = judge(rule, World(values=values, bound=self._world.bound))
            except OutlastError:
                self._verdicts[key] = None
        return self._verdicts[key]

    def _is_judged(self, way: _Way, rule: NormalRule, value: Value, will_do: Callable[[Verdict], bool]) -> bool:
        verdict = self._verdict(way, rule, value)
        return verdict is not None and will_do(verdict)

    def _broken_at(self, way: _Way, value: Value) -> tuple[str, ...]:
        """The rules, kept now, that would not be kept at another value, by id."""
        key = (way.parameter.name, value)
        if key not in self._breaking:
            others = self._kept.get(way.parameter.name, ())
            self._breaking[key] = tuple(sorted(r.id for r in others if not self._is_judged(way, r, value, _is_kept)))
        return self._breaking[key]

    def _line(self, way: _Way, rules: Iterable[NormalRule], test: _Test, level: int | None = None) -> Line | None:
        """The rules along the parameter; None: one of them cannot be followed."""
        logics = [self._logic(way, rule, level if rule is way.rule else None) for rule in rules]
        known = [logic for logic in logics if logic is not None]
        return Line(way.parameter.name, known, {}, Limits(), judged=test) if len(known) == len(logics) else None

    def _logic(self, way: _Way, rule: NormalRule, level: int | None) -> Logic | None:
        name = way.parameter.name
        key = (rule.id, name, level)
        if key not in self._logics:
            rule = self._with_numbers(rule, name)
            others = {n: self._world.values[n] for n in rule.names() if n != name}
            constants = Constants(values=others, bound=self._constants.bound)
            encoder = Encoder({name: way.grid}, constants, allow_products=True)
            try:
                self._logics[key] = encoder.rule(rule, Demand(level=level))
            except OutlastError:
                self._logics[key] = None
        return self._logics[key]

    def _with_numbers(self, rule: NormalRule, name: str) -> NormalRule:
        """The rule with numbers in the place of all other parameters, where it compares sums: a long one is not added up for every value."""
        if rule.id not in self._sums:
            self._sums[rule.id] = _Sums.of(rule, self._world)
        sums = self._sums[rule.id]
        if sums is None:
            return rule
        key = (rule.id, name)
        if key not in self._along:
            self._along[key] = sums.along(name)
        return self._along[key]


class _Sums:
    """A rule that compares two sums of parameters, all of them numbers, and what its sides come to."""

    def __init__(self, rule: NormalRule, formula: Inequality, values: Mapping[str, Fraction]) -> None:
        self._rule = rule
        self._formula = formula
        self._values = values
        self._sides = [{_name_in(m): (m, c) for m, c in poly if m} for poly in formula.polys()]
        self._totals = [
            sum((c * (values[_name_in(m)] if m else 1) for m, c in poly), Fraction(0)) for poly in formula.polys()
        ]
        self._muting: dict[str, list[Poly]] = {}
        for poly in rule.muted_by:
            for atom in poly.all_atoms():
                if isinstance(atom, Var):
                    self._muting.setdefault(atom.name, []).append(poly)

    @classmethod
    def of(cls, rule: NormalRule, world: World) -> _Sums | None:
        """None: the rule is something else."""
        formula = rule.formula
        if not isinstance(formula, Inequality) or rule.when is not None or rule.needs_on:
            return None
        if not all(_is_sum(poly) for poly in formula.polys()):
            return None
        values = {n: v for n in rule.names() if isinstance(v := world.values[n], Fraction)}
        return cls(rule, formula, values) if len(values) == len(rule.names()) else None

    def along(self, name: str) -> NormalRule:
        """The rule of one parameter, numbers in the place of the others."""
        sides: list[Poly] = []
        for terms, total in zip(self._sides, self._totals, strict=True):
            monomial, coefficient = terms.get(name, ((), Fraction(0)))
            rest = total - coefficient * self._values[name]
            kept = {monomial: coefficient} if coefficient else {}
            sides.append(Poly({**kept, **({(): rest} if rest else {})}))
        formula = replace(self._formula, left=sides[0], right=sides[1])
        return replace(self._rule, formula=formula, muted_by=tuple(self._muting.get(name, ())))


def _is_sum(poly: Poly) -> bool:
    """Whether it is a sum of parameters and a number."""
    return all(not m or (len(m) == 1 and isinstance(m[0][0], Var) and m[0][1] == 1) for m, _ in poly)


def _name_in(monomial: Monomial) -> str:
    ((atom, _),) = monomial
    assert isinstance(atom, Var)  # so is every sum
    return atom.name


def _is_kept(verdict: Verdict) -> bool:
    """Whether `check` has nothing to say of the rule."""
    return verdict.truth is not Truth.BROKEN and verdict.margin_kept


def _search(line: Line, way: _Way, start: Value | None) -> Value | None:
    """The nearest value that will do; with a start, one that lies no nearer than that, on the same side."""
    grid, now = way.grid, way.now
    if now is Sentinel.INFINITE:
        try:
            return line.greatest(grid) if start is None else line.nearest(grid, _number(start), upward=False)
        except TooFineError:
            return (
                _below_infinite(line, grid)
                if start is None
                else _by_galloping(line, grid, _number(start), upward=False)
            )
    if not isinstance(now, Fraction):
        try:
            return _out_of_off(line, grid)
        except TooFineError:
            return None
    from_, ways = (now, (True, False)) if start is None else (_number(start), (_number(start) > now,))
    try:
        found = [v for up in ways if (v := line.nearest(grid, from_, upward=up)) is not None]
    except TooFineError:
        found = [v for up in ways if (v := _by_galloping(line, grid, from_, upward=up)) is not None]
    return min(found, key=lambda v: (abs(v - now), v), default=None)


def _number(value: Value) -> Fraction:
    assert not isinstance(value, Sentinel)  # only numbers are searched for
    return value


def _out_of_off(line: Line, grid: Grid) -> Fraction | None:
    """A number for what was off: the smallest; of durations, which never came, the greatest that follow without a gap on the smallest of all."""
    smallest = grid.at_least(grid.low)
    first = None if smallest is None else line.nearest(grid, grid.value(smallest), upward=True)
    if smallest is None or first is None or first != grid.value(smallest) or grid.time_exponent != 1:
        return first
    end = line.reach(first, upward=True, edge=grid.domain_high)
    if end.at is None:
        return first
    last = grid.index_to(end.at)
    if last is not None and end.is_open and grid.value(last) == end.at:
        last = grid.at_most(last - 1)
    return first if last is None else max(first, grid.value(last))


def _sign(way: _Way, to: Value, mends: _Test) -> str:
    """On which side of the value, away from the one in use, the rule goes on to hold."""
    grid, now = way.grid, way.now
    if (
        isinstance(to, Sentinel)
        or grid.listed is not None
        or not any(isinstance(c, Inequality) for c in comparisons(way.rule.formula))
    ):
        return "="
    index = math.floor(to / grid.unit)
    down, up = grid.at_most(index - 1), grid.at_least(index + 1)
    below = None if down is None else mends(grid.value(down))
    above = None if up is None else mends(grid.value(up))
    if now is Sentinel.OFF or isinstance(now, tuple):
        return "<=" if below and not above else ">=" if above and not below else "="
    if now is Sentinel.INFINITE:
        return "<=" if below else ">=" if above else "="
    if to > now:
        return "=" if above is False else ">="
    return "=" if below is False else "<="


def _beyond(line: Line, way: _Way, to: Value, sign: str) -> Fraction | None:
    """The end of the values that will do, where it is the number next to the nearest one and does not do itself."""
    grid = way.grid
    if isinstance(to, Sentinel) or sign == "=" or grid.whole:
        return None
    upward = sign == "<="
    try:
        end = line.reach(to, upward=upward, edge=None if upward else Fraction(0))
    except TooFineError:
        return None
    return end.at if end.is_open and end.at is not None and abs(end.at - to) == grid.unit else None


def _below_infinite(line: Line, grid: Grid) -> Fraction | None:
    """The greatest number at which a curve lets the rule hold; where it does so without end, the first from which on."""
    good, bad = grid.index_to(Fraction(LARGEST)), grid.at_least(grid.low)
    if good is None or bad is None:
        return None
    if not line.holds(grid.value(good)):
        return _by_galloping(line, grid, grid.value(good), upward=False)
    if line.holds(grid.value(bad)):
        return grid.value(bad)
    return _halved(line, grid, good, bad)


def _by_galloping(line: Line, grid: Grid, start: Fraction, *, upward: bool) -> Fraction | None:
    """The nearest number at which a curve lets the rule hold, if it holds from there on as far as was looked."""
    bad, step = math.floor(start / grid.unit) if upward else math.ceil(start / grid.unit), 1
    first = bad
    while (good := _at(grid, first + step if upward else first - step, upward=upward)) is not None:
        if line.holds(grid.value(good)):
            break
        if good == bad or step > _FARTHEST:
            return None
        bad, step = good, step * 2
    return None if good is None else _halved(line, grid, good, bad)


def _halved(line: Line, grid: Grid, good: int, bad: int) -> Fraction:
    """Between an index at which the rule holds and one at which it does not, the last at which it does."""
    upward = good > bad
    while abs(good - bad) > 1:
        middle = _at(grid, (good + bad) // 2, upward=upward)
        if middle is None or middle in (good, bad):
            break
        if line.holds(grid.value(middle)):
            good = middle
        else:
            bad = middle
    return grid.value(good)


def _at(grid: Grid, index: int, *, upward: bool) -> int | None:
    """The index itself if it is on the grid, else the last one on the way there."""
    return grid.at_most(index) if upward else grid.at_least(index)
