"""Mutation tests for a spec: other values of each number that somebody decided, and which rules notice them.

The idea is that of mutation testing of programs (DeMillo, Lipton, Sayward: Hints on test data selection, 1978); docs/mutate.md defines the words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Final

from outlast.constraints.errors import InputErrors, OutlastError, Place
from outlast.constraints.evaluate import Truth, Verdict, World, judge
from outlast.constraints.expression import Is, walk
from outlast.constraints.model import Choices, Direction, Parameter, Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.progress import counted
from outlast.constraints.quantities import LARGEST, Kind, Sentinel, Value
from outlast.constraints.record import record, replace
from outlast.solver.audit import value_in_use
from outlast.solver.constants import Constants, constants_of
from outlast.solver.encode import Demand, Encoder
from outlast.solver.grid import Grid, grid_of
from outlast.solver.limits import Limits, Undecided
from outlast.solver.line import Line, TooFineError

if TYPE_CHECKING:
    from outlast.solver.closing import Closer
    from outlast.solver.outcome import SolveOutcome

__all__ = ["Fate", "Mutant", "MutateOutcome", "Mutated", "Side", "State", "Watch", "mutate_spec"]

#: A slip of a digit, and one between units a thousand apart.
_TENFOLD: Final = (Fraction(10), Fraction(1, 10))
_THOUSANDFOLD: Final = (Fraction(1000), Fraction(1, 1000))

#: Steps beyond which a curve is not followed.
_FARTHEST: Final = 10**24

_Test = Callable[[Fraction], bool]


class Fate(Enum):
    """What becomes of a mutant."""

    NOTICED = "noticed"
    #: No rule notices it, and none need: it lies inside the range.
    ALLOWED = "allowed"
    SURVIVES = "survives"


class State(Enum):
    """How one direction of a parameter stands."""

    GUARDED = "guarded"
    UNGUARDED = "unguarded"
    #: Unguarded, and the spec says why that is well.
    ACCEPTED = "accepted"
    #: The spec says that it is unguarded, but it is not.
    IN_VAIN = "accepted in vain"


@record(kw_only=True)
class Mutant:
    """Another value of one parameter, all others as they are."""

    #: As it would be written, and what that means.
    value: Value
    means: Value
    #: How somebody might come by it: `one step past the range`, `× 10`, `0`, `off`, `the default of ALB`, ….
    origins: tuple[str, ...]
    direction: Direction
    fate: Fate
    #: Ids of the rules that are not kept there, sorted.
    noticed_by: tuple[str, ...]
    #: Ids of the rules that apply at the value and no longer there, sorted.
    silenced: tuple[str, ...]


@record(kw_only=True)
class Side:
    """How far a number may go to one side until a rule notices. Both None: no rule ever does, or what is off has no sides."""

    #: The last value before that, on the step; the value itself where it has none left: infinite, if a rule notices the greatest numbers.
    last: Value | None
    #: The first value that a rule notices, on the step; below infinite without any left, the first from which on a rule notices every number.
    past: Fraction | None


_NOWHERE: Final = Side(last=None, past=None)


@record(kw_only=True)
class Watch:
    """One direction of one parameter, and whether the rules watch it."""

    direction: Direction
    state: State
    survivors: tuple[Mutant, ...]
    #: What the catalogue has that would close it.
    closers: tuple[Closer, ...] = ()


@record(kw_only=True)
class Mutated:
    """One parameter with all its mutants."""

    parameter: Parameter
    #: As written.
    value: Value
    #: Where the value stands in a file; of a recommended one, where the parameter does.
    place: Place
    low: Side
    high: Side
    #: By size, numbers first.
    mutants: tuple[Mutant, ...]
    #: Those in which there is a mutant, or something to say: high, low, off.
    watches: tuple[Watch, ...]


@record(kw_only=True)
class MutateOutcome:
    """The answer. Without values (`status` is `conflict` or `undecided`) nothing was changed."""

    spec: Spec
    #: `guarded`, `unguarded`, `conflict` or `undecided`.
    status: str
    #: By name.
    parameters: tuple[Mutated, ...]
    #: Every value that the others were held at, as written, by name.
    values: Mapping[str, Value]
    #: The search that the values are from; None: they are those in use.
    solved: SolveOutcome | None
    #: What struck before everything was changed.
    undecided: str | None = None

    @property
    def findings(self) -> tuple[tuple[Mutated, Watch], ...]:
        """What fails: unguarded directions that nobody accepted, and those accepted in vain."""
        failing = (State.UNGUARDED, State.IN_VAIN)
        return tuple((m, w) for m in self.parameters for w in m.watches if w.state in failing)


def mutate_spec(
    spec: Spec,
    rules: Mapping[str, NormalRule],
    *,
    facts: bool,
    limits: Limits,
    answer: SolveOutcome | None = None,
) -> MutateOutcome:
    """Change each number that somebody decided; `facts` includes those that are so.

    The values are those in use where every parameter has one and every rule is kept, else those that `solve` recommends; `answer` is what it
    does, where that is known already.

    Raises:
        InputErrors: there is no number to change, or the values had to be found and the spec cannot be solved.
        OutlastError: a rule cannot be judged at the values.
    """
    decided = [p for p in spec.parameters.values() if _is_decided(p, facts=facts)]
    if not decided:
        hint = "" if facts else "; --facts changes what is given, too"
        message = f"there is nothing to change: '{spec.path.name}' decides no number{hint}"
        raise InputErrors("nothing to change", [OutlastError(message)])
    constants, solved = constants_of(spec), None
    written = {p.name: v for p in spec.parameters.values() if (v := value_in_use(p)) is not None}
    trial = _Trial(spec, rules, constants, written, limits)
    free = [p.name for p in spec.parameters.values() if p.role is Role.FREE]
    if not all(name in written for name in free) or not trial.keeps_all:
        from outlast.solver.solve import solve_spec  # not needed where all is well

        solved = answer or solve_spec(spec, rules, objective="margin", exact=False, limits=limits)
        status, struck = solved.status.value, solved.undecided
        if status in ("conflict", "undecided"):
            return MutateOutcome(
                spec=spec, status=status, parameters=(), values={}, solved=solved, undecided=struck
            )  # fmt: skip
        written |= {n: v for n in free if (v := solved.parameters[n].value) is not None}
        trial = _Trial(spec, rules, constants, written, limits)
    parameters: list[Mutated] = []
    struck = None
    try:
        for parameter in counted("changing parameter {} of {}", decided):
            if parameter.name in written:
                parameters.append(trial.mutated(parameter, is_recommended=solved is not None))
    except Undecided as limit:
        struck = str(limit)
    outcome = MutateOutcome(
        spec=spec, status="guarded", parameters=tuple(parameters), values=written, solved=solved, undecided=struck
    )
    if outcome.findings:
        return replace(outcome, status="unguarded")
    return outcome if struck is None else replace(outcome, status="undecided")


def _is_decided(parameter: Parameter, *, facts: bool) -> bool:
    """Whether the parameter has one value, by somebody's decision."""
    if parameter.role is Role.FACT:
        return facts and parameter.interval is None and parameter.default_of is None
    return parameter.role in (Role.FIXED, Role.FREE) and parameter.default_of is None


class _Trial:
    """The rules at given values, and at one other value each time."""

    def __init__(
        self,
        spec: Spec,
        rules: Mapping[str, NormalRule],
        constants: Constants,
        written: Mapping[str, Value],
        limits: Limits,
    ) -> None:
        self._spec = spec
        self._constants = constants
        self._written = written
        self._limits = limits
        self._values: dict[str, Value | tuple[Fraction, Fraction]] = {
            **constants.values,
            **{n: spec.parameters[n].effective(v) for n, v in written.items()},
        }
        self._names: dict[str, frozenset[str]] = {}
        #: By parameter, the rules that are kept at the values; by rule, whether it applies there.
        self._kept: dict[str, list[NormalRule]] = {}
        self._applies: dict[str, bool] = {}
        #: Of the parameter in hand, what was asked already.
        self._verdicts: dict[tuple[str, str, Value], Verdict | None] = {}
        self._asked_off: set[str] = set()
        self._asked_infinite: set[str] = set()
        #: Whether every rule was judged and is kept.
        self.keeps_all = True
        for id_ in sorted(rules):
            self._add(rules[id_])

    def _add(self, rule: NormalRule) -> None:
        names = frozenset(rule.names())
        self._names[rule.id] = names
        # What the catalogue asks of any software says nothing of this one.
        own = rule.rule if rule.rule.is_own else None
        self._asked_off.update(own.needs_on if own is not None else ())
        for tree in (own.require, own.when) if own is not None else ():
            for node in () if tree is None else walk(tree):
                if isinstance(node, Is):
                    (self._asked_off if node.sentinel is Sentinel.OFF else self._asked_infinite).add(node.name)
        if any(n not in self._values for n in names):
            self.keeps_all = False
            return
        verdict = judge(rule, self._world(rule, {}))
        if not _is_kept(verdict):
            self.keeps_all = False  # it cannot notice what is so already
            return
        self._applies[rule.id] = verdict.truth is Truth.HOLDS
        for name in names:
            self._kept.setdefault(name, []).append(rule)

    def mutated(self, parameter: Parameter, *, is_recommended: bool) -> Mutated:
        """One parameter with its mutants.

        Raises:
            Undecided: the limits struck.
        """
        self._verdicts.clear()
        written = self._written[parameter.name]
        means = parameter.effective(written)
        low, high = self._sides(parameter, means)
        named: dict[Value, tuple[Value, dict[str, None]]] = {}
        for origin, value in self._values_aimed_at(parameter, means, low, high):
            meant = parameter.effective(value)
            if meant != means:
                named.setdefault(meant, (value, {}))[1][origin] = None
        mutants = tuple(
            self._mutant(parameter, means, value, tuple(origins), low, high)
            for _, (value, origins) in sorted(named.items(), key=lambda item: _order(item[0]))
        )
        return Mutated(
            parameter=parameter,
            value=written,
            place=self._place(parameter, is_recommended=is_recommended),
            low=low,
            high=high,
            mutants=mutants,
            watches=tuple(self._watches(parameter, mutants)),
        )

    def _place(self, parameter: Parameter, *, is_recommended: bool) -> Place:
        if parameter.role is not Role.FREE:
            return parameter.places.get(parameter.role.value, parameter.place)
        return parameter.place if is_recommended else parameter.places.get("current", parameter.place)

    # How far the rules let a number go.

    def _sides(self, parameter: Parameter, means: Value) -> tuple[Side, Side]:
        """The first value on the step that some rule notices, on both sides of the value; from infinite downwards only, from off nowhere."""
        if means is Sentinel.OFF:
            return _NOWHERE, _NOWHERE
        grid = grid_of(replace(parameter, domain=None))
        if means is Sentinel.INFINITE:
            return self._below_infinite(parameter, grid), _NOWHERE
        lows: list[Fraction] = []
        highs: list[Fraction] = []
        for rule in self._kept.get(parameter.name, ()):
            is_noticed = self._notices(rule, parameter.name)
            line = self._line(rule, grid, is_noticed)
            low, high = (self._first(line, grid, means, is_noticed, upward=upward) for upward in (False, True))
            lows += () if low is None else (low,)
            highs += () if high is None or high > _greatest(parameter, means) else (high,)
        least = Side(last=min(max(lows) + grid.unit, means), past=max(lows)) if lows else _NOWHERE
        return least, Side(last=max(min(highs) - grid.unit, means), past=min(highs)) if highs else _NOWHERE

    def _below_infinite(self, parameter: Parameter, grid: Grid) -> Side:
        """The first number that a rule notices, from the greatest one downwards; or where the stretch of those begins that has no end."""
        index = grid.index_to(_greatest(parameter, Sentinel.INFINITE))
        if index is None:
            return _NOWHERE
        top = grid.value(index)
        ends: list[Fraction] = []
        endless: list[Fraction] = []
        for rule in self._kept.get(parameter.name, ()):
            is_noticed = self._notices(rule, parameter.name)
            if not is_noticed(top):
                first = self._first(self._line(rule, grid, is_noticed), grid, top, is_noticed, upward=False)
                ends += () if first is None else (first,)
                continue
            is_kept = partial(_is_not, is_noticed)
            first = self._first(self._line(rule, grid, is_kept), grid, top, is_kept, upward=False)
            endless.append(grid.value(grid.low) if first is None else first + grid.unit)
        if endless:
            return Side(last=Sentinel.INFINITE, past=min(endless))
        return Side(last=max(ends) + grid.unit, past=max(ends)) if ends else _NOWHERE

    def _notices(self, rule: NormalRule, name: str) -> _Test:
        return lambda at: not _is_kept(self._verdict(rule, name, at))

    def _first(self, line: Line | None, grid: Grid, start: Fraction, test: _Test, *, upward: bool) -> Fraction | None:
        """The first number on the step beyond a start that passes a test which changes only where its rule does along the line; None: there is none."""
        self._limits.check()
        try:
            if line is None:
                raise TooFineError
            return line.nearest(grid, start, upward=upward)
        except TooFineError:
            return _galloped(grid, start, test, self._limits, upward=upward)

    def _line(self, rule: NormalRule, grid: Grid, test: _Test) -> Line | None:
        """The rule along the parameter of the grid; None: it cannot be followed."""
        self._limits.check()
        others = {n: self._values[n] for n in self._names[rule.id] if n != grid.name}
        constants = Constants(values=others, bound=self._constants.bound)
        try:
            logic = Encoder({grid.name: grid}, constants, allow_products=True).rule(rule, Demand())
        except OutlastError:
            return None
        return Line(grid.name, [logic], {}, self._limits, judged=test)

    # Mutants.

    def _values_aimed_at(
        self, parameter: Parameter, means: Value, low: Side, high: Side
    ) -> Iterator[tuple[str, Value]]:
        """Each mutant as it would be written, with how somebody might come by it; some more than once."""
        for side in (low, high):
            if side.past is not None:
                yield "one step past the range", side.past
        if isinstance(means, Sentinel):
            if means is Sentinel.INFINITE:
                yield "one step", parameter.step
        else:
            factors = (*_TENFOLD, *(_THOUSANDFOLD if parameter.kind is Kind.DURATION else ()))
            for factor in factors if means else ():
                yield _factor_text(factor), self._scaled(parameter, means, factor)
        yield "0", Fraction(0)
        for sentinel in (Sentinel.INFINITE, Sentinel.OFF):
            if self._can_be(parameter, sentinel):
                yield sentinel.value, sentinel
        if parameter.unset is not None:
            whose = f"the default of {parameter.unset_of}" if parameter.unset_of else "when unset"
            yield whose, parameter.unset

    def _scaled(self, parameter: Parameter, means: Fraction, factor: Fraction) -> Fraction:
        value = min(means * factor, _greatest(parameter, means))
        return Fraction(math.floor(value)) if parameter.kind is Kind.COUNT else value

    def _can_be(self, parameter: Parameter, sentinel: Sentinel) -> bool:
        """Whether the spec or the catalogue has a way to say it, or a rule asks about it."""
        domain = parameter.domain
        told = (parameter.zero, parameter.negative, parameter.unset, parameter.current, parameter.value)
        if sentinel in told or (isinstance(domain, Choices) and sentinel in domain.values):
            return True
        known = None if self._spec.topology is None else self._spec.topology.known(parameter.name)
        if known is not None and sentinel.value in (d.value for d in known[1].defaults):
            return True
        return parameter.name in (self._asked_off if sentinel is Sentinel.OFF else self._asked_infinite)

    def _mutant(
        self, parameter: Parameter, means: Value, value: Value, origins: tuple[str, ...], low: Side, high: Side
    ) -> Mutant:
        meant = parameter.effective(value)
        verdicts = {r.id: self._verdict(r, parameter.name, meant) for r in self._kept.get(parameter.name, ())}
        noticed = tuple(sorted(id_ for id_, verdict in verdicts.items() if not _is_kept(verdict)))
        applying = {id_ for id_, verdict in verdicts.items() if verdict is not None and verdict.truth is Truth.HOLDS}
        silenced = tuple(sorted(id_ for id_ in verdicts if self._applies[id_] and id_ not in {*applying, *noticed}))
        direction = _direction(means, meant)
        if noticed:
            fate = Fate.NOTICED
        elif Sentinel.OFF in (means, meant):
            fate = Fate.ALLOWED if applying and not silenced else Fate.SURVIVES
        else:
            fate = (
                Fate.ALLOWED if _is_inside(meant, means, low if direction is Direction.LOW else high) else Fate.SURVIVES
            )
        return Mutant(
            value=value, means=meant, origins=origins, direction=direction, fate=fate, noticed_by=noticed, silenced=silenced
        )  # fmt: skip

    def _watches(self, parameter: Parameter, mutants: Iterable[Mutant]) -> Iterator[Watch]:
        for direction in Direction:
            aimed = [m for m in mutants if m.direction is direction]
            survivors = tuple(m for m in aimed if m.fate is Fate.SURVIVES)
            is_accepted = direction in parameter.unguarded
            if not aimed and not is_accepted:
                continue
            if survivors:
                state = State.ACCEPTED if is_accepted else State.UNGUARDED
            else:
                state = State.IN_VAIN if is_accepted else State.GUARDED
            closers: tuple[Closer, ...] = ()
            if state is State.UNGUARDED and self._spec.topology is not None:
                from outlast.solver.closing import closers_of  # most specs have no components

                closers = closers_of(self._spec, parameter.name, direction)
            yield Watch(direction=direction, state=state, survivors=survivors, closers=closers)

    # Judging.

    def _world(self, rule: NormalRule, other: Mapping[str, Value]) -> World:
        values = {n: self._values[n] for n in self._names[rule.id]}
        return World(values={**values, **other}, bound=self._constants.bound)

    def _verdict(self, rule: NormalRule, name: str, value: Value) -> Verdict | None:
        """The verdict at another value of one parameter; None: it cannot be computed."""
        key = (rule.id, name, value)
        if key not in self._verdicts:
            try:
                self._verdicts[key] = judge(rule, self._world(rule, {name: value}))
            except OutlastError:
                self._verdicts[key] = None
        return self._verdicts[key]


def _is_not(test: _Test, at: Fraction) -> bool:
    return not test(at)


def _is_kept(verdict: Verdict | None) -> bool:
    """Whether `check` has nothing to say of the rule; what it cannot judge, it refuses."""
    return verdict is not None and verdict.truth is not Truth.BROKEN and verdict.margin_kept


def _galloped(grid: Grid, start: Fraction, test: _Test, limits: Limits, *, upward: bool) -> Fraction | None:
    """Where a curve first passes, if it does from there on as far as was looked: in steps that double, then halved."""
    good, stride, bad = (math.floor if upward else math.ceil)(start / grid.unit), 1, None
    while bad is None:
        limits.check()
        index = good + stride if upward else max(good - stride, grid.low)
        if index == good or stride > _FARTHEST:
            return None
        if test(grid.value(index)):
            bad = index
        else:
            good, stride = index, stride * 2
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        if test(grid.value(middle)):
            bad = middle
        else:
            good = middle
    return grid.value(bad)


def _greatest(parameter: Parameter, means: Value) -> Fraction:
    """No number beyond can be meant: a share below 100 % is a share of a whole; nothing is greater than what can be written."""
    if parameter.kind is Kind.RATIO and isinstance(means, Fraction) and means < 1:
        return Fraction(1)
    return Fraction(LARGEST)


def _direction(means: Value, meant: Value) -> Direction:
    """Where a mutant lies from the value; all that is something is more than what is off."""
    if meant is Sentinel.OFF:
        return Direction.OFF
    return Direction.LOW if means is not Sentinel.OFF and _order(meant) < _order(means) else Direction.HIGH


def _order(value: Value) -> tuple[int, Fraction]:
    if isinstance(value, Sentinel):
        return (1 if value is Sentinel.INFINITE else 2), Fraction(0)
    return 0, value


def _is_inside(meant: Value, means: Value, side: Side) -> bool:
    """Whether a value lies before what a rule notices first on its side."""
    if side.past is None:
        return False
    if isinstance(meant, Sentinel):
        return False  # beyond every number
    return meant > side.past if _order(meant) < _order(means) else meant < side.past


def _factor_text(factor: Fraction) -> str:
    return f"× {factor}" if factor > 1 else f"÷ {1 / factor}"
