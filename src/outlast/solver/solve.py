"""From a spec to values: component by component, and everything re-evaluated before it is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction

from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Truth, World, is_off, judge
from outlast.constraints.model import Level, Parameter, Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Var
from outlast.constraints.progress import doing
from outlast.constraints.quantities import Sentinel, Value, format_value
from outlast.constraints.record import record
from outlast.solver.account import Account, Conflict
from outlast.solver.audit import derived_values
from outlast.solver.choose import Choice, choose, round_off
from outlast.solver.constants import Constants
from outlast.solver.growth import growths
from outlast.solver.limits import Limits, Undecided
from outlast.solver.margin import Levels, keep_shoulds, level
from outlast.solver.outcome import (
    Bottleneck,
    GivenUp,
    Growth,
    ParameterResult,
    Range,
    RuleResult,
    SolveOutcome,
    Status,
)
from outlast.solver.problem import Component, Problem, build
from outlast.solver.ranges import Ranges

__all__ = ["solve_spec"]

#: Conflicts and ways out of a group after which the search for more ends.
_MOST_TOLD = 20


@record(frozen=False)
class _Part:
    """What is known of one component."""

    component: Component
    given_up: list[str] = field(default_factory=list)
    is_feasible: bool = False
    levels: Levels | None = None
    ranges: dict[str, Range] = field(default_factory=dict)
    as_recommended: dict[str, Range] = field(default_factory=dict)
    choice: Choice | None = None
    is_in_conflict: bool = False
    reasons: list[GivenUp] = field(default_factory=list)

    @property
    def kept(self) -> list[str]:
        """The rules that are kept, sorted."""
        return sorted(r for r in self.component.rules if r not in self.given_up)


def solve_spec(
    spec: Spec, rules: Mapping[str, NormalRule], *, objective: str, exact: bool, limits: Limits
) -> SolveOutcome:
    """Values for the free parameters, their ranges and what holds them; or a conflict; or what is known when the limits strike.

    Raises:
        InputErrors: a rule multiplies free parameters of too many values.
    """
    problem = build(spec, rules, limits)
    parts = [_Part(component) for component in problem.components]
    broken, lost = _settled(problem)
    struck: Undecided | None = None
    # What is quickly decided comes first, so that a hard component hides nothing of the others when the limits strike.
    for part in sorted(parts, key=lambda p: (p.component.monotone is None, len(p.component.rules))):
        try:
            _keep(spec, part)
        except Undecided as limit:
            struck = struck or limit  # another component may be decided nevertheless
    if broken or any(part.is_in_conflict for part in parts):
        account, conflicts = _account(problem, parts, broken, limits)
        return _outcome(
            problem, Status.CONFLICT, objective, [], lost, conflicts=conflicts, account=account,
            undecided=None if struck is None else str(struck),
        )  # fmt: skip
    reasons = [_reason(spec, problem, rule) for rule in lost]
    for part in parts if struck is None else ():
        try:
            _recommend(problem, part, objective=objective, exact=exact)
        except Undecided as limit:
            struck = struck or limit
    if struck is not None:
        return _undecided(problem, objective, parts, lost, str(struck))
    # An objective of its own is reached only where that was proved; nearness as the last of several wishes is not.
    unproved = objective == "closest" and any(p.choice is not None and not p.choice.nearest for p in parts)
    status = Status.FEASIBLE if objective == "feasible" or unproved else Status.OPTIMAL
    gone = {r.id for r in lost}.union(*(p.given_up for p in parts))
    growth, notes = growths(problem, [r for r in problem.rules if r not in gone])
    return _outcome(problem, status, objective, parts, lost, reasons=tuple(reasons), growth=growth, notes=notes)


def _settled(problem: Problem) -> tuple[list[NormalRule], list[NormalRule]]:
    """Rules without free parameters that are broken: `must` rules, and `should` rules, which are given up."""
    world = problem.world({})
    broken: list[NormalRule] = []
    lost: list[NormalRule] = []
    for rule in problem.settled:
        verdict = judge(rule, world)
        if verdict.truth is Truth.BROKEN or not verdict.margin_kept:
            (broken if rule.rule.level is Level.MUST else lost).append(rule)
    return broken, lost


def _account(
    problem: Problem, parts: Sequence[_Part], broken: Sequence[NormalRule], limits: Limits
) -> tuple[Account, tuple[Conflict, ...]]:
    """The account of a spec that is in conflict, and the conflicts that keep it from being solved; at least one."""
    from outlast.solver.conflict import conflict_of, conflict_of_settled  # not needed where all is well
    from outlast.solver.explain import explain_spec

    spec = problem.spec
    account = explain_spec(spec, problem.rules, limit=_MOST_TOLD, limits=limits)
    conflicts = [c for c in account.conflicts if not c.shoulds]
    if not conflicts:  # the limits struck before; what is known of the parts leads to one
        conflicts += (conflict_of_settled(spec, rule, problem.constants) for rule in broken)
        in_conflict = [part.component for part in parts if part.is_in_conflict]
        conflicts += (conflict_of(spec, component, component.musts) for component in in_conflict)
    return account, tuple(conflicts)


def _reason(spec: Spec, problem: Problem, rule: NormalRule) -> GivenUp:
    from outlast.solver.conflict import conflict_of_settled

    conflict = conflict_of_settled(spec, rule, problem.constants)
    return GivenUp(rule=rule.id, weight=rule.rule.weight, conflict=conflict)


def _keep(spec: Spec, part: _Part) -> None:
    component = part.component
    doing("solving: can everything hold together?")
    given_up = keep_shoulds(component)
    if given_up is None:
        part.is_in_conflict = True
        return
    part.given_up, part.is_feasible = given_up, True
    if given_up:
        from outlast.solver.conflict import conflict_of
    for rule in given_up:
        conflict = conflict_of(spec, component, [*part.kept, rule])
        part.reasons.append(GivenUp(rule=rule, weight=component.rules[rule].rule.weight, conflict=conflict))


def _recommend(problem: Problem, part: _Part, *, objective: str, exact: bool) -> None:
    component, kept = part.component, part.kept
    if objective == "feasible":
        point = component.find(kept)
        assert point is not None  # _keep found one
        part.choice = Choice(values=dict(sorted(point.values.items())), reasons={})
    elif objective == "margin":
        part.levels = Levels(kept)
        level(component, part.levels)
    ranges = Ranges(component, kept)

    def range_of(name: str) -> Range:
        if name not in part.ranges:
            doing("solving: the range of {}", name)
            part.ranges[name] = ranges.of(name)
        return part.ranges[name]

    if part.choice is None:
        doing("solving: which of the values that are left")
        closest = objective == "closest"
        levels = {} if part.levels is None else part.levels.settled
        choice = choose(problem, component, kept, levels, range_of, current_only=closest)
        _verify(problem, part, choice, levels)
        if not exact and not closest:
            choice = round_off(problem, component, kept, choice, _at_target(problem, choice))
        part.choice = choice
    assert part.choice is not None
    _verify(problem, part, part.choice, {})
    for name in component.names:
        part.as_recommended[name] = ranges.alone(name, part.choice.values)
    for name in component.names:
        range_of(name)


def _at_target(problem: Problem, choice: Choice) -> set[str]:
    """Parameters that stand at their preferred or current value, which is not made rounder."""
    found: set[str] = set()
    for name, value in choice.values.items():
        parameter = problem.spec.parameters[name]
        wanted = parameter.prefer if parameter.prefer is not None else parameter.current
        if isinstance(parameter.prefer, str) or (wanted is not None and parameter.effective(wanted) == value):  # type: ignore[arg-type]
            found.add(name)
    return found


def _verify(problem: Problem, part: _Part, choice: Choice, levels: Mapping[str, int]) -> None:
    """Judge the point by exact evaluation, which shares nothing with the engines: every rule, its margin and its level.

    Raises:
        OutlastError: the point does not hold, which is a mistake of ours.
    """
    world = problem.world(choice.values)
    for name, value in choice.values.items():
        if value not in part.component.grids[name]:
            raise OutlastError(f"the recommended value of '{name}' is not one of its own; please report this")
    for rule in part.kept:
        verdict = judge(part.component.rules[rule], world)
        if verdict.truth is Truth.BROKEN or not verdict.margin_kept:
            raise OutlastError(f"the recommended values break '{rule}'; please report this")
        if verdict.score is not None and verdict.score * 1000 < levels.get(rule, 0):
            raise OutlastError(f"the recommended values keep '{rule}' below its level; please report this")


# Telling.


def _outcome(
    problem: Problem,
    status: Status,
    objective: str,
    parts: Sequence[_Part],
    lost: Sequence[NormalRule],
    *,
    conflicts: tuple[Conflict, ...] = (),
    account: Account | None = None,
    reasons: tuple[GivenUp, ...] = (),
    undecided: str | None = None,
    proved: tuple[str, ...] = (),
    growth: tuple[Growth, ...] = (),
    notes: tuple[str, ...] = (),
) -> SolveOutcome:
    values: dict[str, Value] = {}
    given_up = {r.id for r in lost}
    bottlenecks: list[Bottleneck] = []
    for part in parts:
        given_up.update(part.given_up)
        if part.levels is not None:
            bottlenecks += part.levels.bottlenecks
        if part.choice is not None:
            values.update(part.choice.values)
    complete = all(p.choice is not None for p in parts) and not conflicts and len(values) == len(problem.grids)
    results: dict[str, RuleResult] = {}
    world = problem.world(values)
    for rule_id in sorted(problem.rules):
        rule = problem.rules[rule_id]
        if complete or all(n in values for n in rule.names() if n in problem.grids):
            results[rule_id] = RuleResult(rule=rule, verdict=judge(rule, world), kept=rule_id not in given_up)
    parameters = {n: _parameter(problem, p, parts, values) for n, p in sorted(problem.spec.parameters.items())}
    return SolveOutcome(
        spec=problem.spec,
        status=status,
        objective=objective,
        parameters=_with_derived(problem, parameters, world) if complete else parameters,
        rules=results if not conflicts else {},
        bottlenecks=tuple(sorted(bottlenecks, key=lambda b: b.level)),
        given_up=tuple(sorted((*reasons, *(g for p in parts for g in p.reasons)), key=lambda g: g.rule)),
        conflicts=conflicts,
        account=account,
        undecided=undecided,
        proved=proved,
        growth=growth,
        notes=(*_notes(parts, incomplete=undecided if conflicts else None), *_left_alone(problem, parts), *notes),
    )


def _parameter(
    problem: Problem, parameter: Parameter, parts: Sequence[_Part], values: Mapping[str, Value]
) -> ParameterResult:
    name = parameter.name
    if parameter.role is not Role.FREE:
        return ParameterResult(parameter=parameter, value=parameter.value)
    part = next((p for p in parts if name in p.component.grids), None)
    if part is None or _is_left_alone(problem, parameter, part.component):
        return ParameterResult(parameter=parameter, value=None)
    written = problem.grids[name].written(values[name]) if name in values else None
    changed = None
    if written is not None and parameter.current is not None:
        changed = parameter.effective(parameter.current) != values[name]
    return ParameterResult(
        parameter=parameter,
        value=written,
        changed=changed,
        range=part.ranges.get(name),
        range_as_recommended=part.as_recommended.get(name),
        chosen=part.choice.reasons.get(name) if part.choice is not None else None,
    )


def _is_left_alone(problem: Problem, parameter: Parameter, component: Component) -> bool:
    """Whether a parameter of real software stays off or without end, though it may only be given numbers: no rule asks for one."""
    topology, current = problem.spec.topology, parameter.current
    if topology is None or parameter.name.partition(".")[0] not in topology.components or parameter.prefer is not None:
        return False
    if any(_speaks(rule, problem.constants) for rule in component.rules.values()):
        return False
    target = None if current is None else parameter.effective(current)
    return isinstance(target, Sentinel) and target not in problem.grids[parameter.name]


def _speaks(rule: NormalRule, constants: Constants) -> bool:
    """Whether a rule asks anything: bounds of software do not, nor rules about what is given as off."""
    if rule.rule.is_bound:
        return False
    known = World(values=constants.values, bound=constants.bound)
    muting = (p for p in rule.muted_by if all(a.name in constants.values for a in p.all_atoms() if isinstance(a, Var)))
    return not any(is_off(poly, known) for poly in muting)


def _left_alone(problem: Problem, parts: Sequence[_Part]) -> Iterator[str]:
    for part in parts:
        for name in part.component.names if part.choice is not None else ():
            if _is_left_alone(problem, problem.spec.parameters[name], part.component):
                yield f"'{name}' is left as it is: no rule speaks of it"


def _with_derived(problem: Problem, parameters: dict[str, ParameterResult], world: World) -> dict[str, ParameterResult]:
    for name, value in derived_values(problem.spec, world).items():
        parameters[name] = ParameterResult(parameter=problem.spec.parameters[name], value=value)
    return parameters


def _notes(parts: Sequence[_Part], *, incomplete: str | None) -> tuple[str, ...]:
    notes: list[str] = []
    if incomplete is not None:
        notes.append(f"there may be more conflicts: {incomplete} before every part of the spec was decided")
    for part in parts:
        for name, found in sorted(part.ranges.items()):
            if found.high is not None and found.high.at is None:
                notes.append(f"nothing limits '{name}' from above")
            if found.low is not None and found.low.at == 0 and not found.low.limited_by:
                notes.append(f"nothing but 0 limits '{name}' from below")
        if part.choice is not None and not part.choice.nearest:
            names = ", ".join(f"'{n}'" for n in part.component.names)
            notes.append(
                f"{names}: brought near to their targets one by one, since the smallest total distance was not proved within the effort"
            )
    return tuple(notes)


def _undecided(
    problem: Problem, objective: str, parts: Sequence[_Part], lost: Sequence[NormalRule], struck: str
) -> SolveOutcome:
    proved: list[str] = []
    for part in parts:
        names = ", ".join(part.component.names)
        if part.choice is not None:
            proved.append(f"values for {names} were found, and hold")
        elif part.levels is None and part.is_feasible:
            proved.append(f"the rules of {names} can hold together")
        elif part.levels is not None:
            least = min([*part.levels.settled.values(), part.levels.reached])
            share = format_value(Fraction(least, 1000), 0, percent=True)
            proved.append(f"the rules of {names} can hold together, each with at least {share} of its aim")
    return _outcome(
        problem, Status.UNDECIDED, objective, parts, lost,
        undecided=struck, proved=tuple(proved),
    )  # fmt: skip
