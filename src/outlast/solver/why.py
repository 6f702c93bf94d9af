"""Why something is as it is, and what would break where it had another value: one parameter, measurement or rule of a spec at a time."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from outlast.constraints.errors import OutlastError
from outlast.constraints.expression import Name, Quantile, walk
from outlast.constraints.loading.problems import Problems
from outlast.constraints.model import Choices, Parameter, Role, Rule, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Kind, QuantityError, Sentinel, Value, parse_quantity, value_text
from outlast.constraints.record import record, replace
from outlast.solver.account import Account, Certificate, Conflict, Group, ItemKind, kind_of
from outlast.solver.conflict import minimal_conflict, tell
from outlast.solver.constants import constants_of
from outlast.solver.explain import explain_spec
from outlast.solver.grid import Grid, grid_of
from outlast.solver.growth import common_step, growth_of
from outlast.solver.items import Items
from outlast.solver.limits import Limits, Undecided
from outlast.solver.outcome import End, Growth, SolveOutcome, Status
from outlast.solver.problem import Problem, build
from outlast.solver.solve import solve_spec

__all__ = ["Break", "Stop", "Subject", "WhatIf", "Why", "what_if", "why"]

#: Conflicts whose beginnings are looked for.
_MOST_BEGINNINGS = 50


@record(kw_only=True)
class Subject:
    """What is asked about."""

    #: `free`, `fact`, `fixed`, `derived`, `measurement` or `rule`.
    kind: str
    name: str


@record(kw_only=True)
class Stop:
    """Why something cannot go beyond an end."""

    upward: bool
    end: End
    #: The first value on its step that does not do, as written; None for a measurement and where there is none.
    beyond: Value | None
    #: What that value, asked for, and the rest cannot do together; None where only the domain is in the way, or nothing was found.
    conflict: Conflict | None


@record(kw_only=True)
class Why:
    """Why something is as it is."""

    spec: Spec
    subject: Subject
    outcome: SolveOutcome
    #: Of a number with an end on some side; the lower side first.
    stops: tuple[Stop, ...] = ()
    #: Of a fact, fixed value or measurement that a kept rule uses.
    growth: Growth | None = None
    #: The rules that mention it, directly or through derived parameters, sorted.
    rules: tuple[str, ...] = ()
    #: What a derived parameter is computed from, sorted.
    computed_from: tuple[str, ...] = ()
    #: Of a spec in conflict: the numbers (from 1, in the order of the account) of the conflicts that it takes part in.
    conflicts: tuple[int, ...] = ()


@record(kw_only=True)
class Break:
    """A conflict that a value leads to, and the first value on the way there that does."""

    conflict: Conflict
    #: None: not known, or so from the start.
    begins: Fraction | None


@record(kw_only=True)
class WhatIf:
    """What it would mean for a parameter to have a value."""

    #: The spec with the value.
    spec: Spec
    #: As it is in the spec.
    parameter: Parameter
    #: As written.
    value: Value
    #: Recommended, or given until now; None where there is none, as in a conflict.
    before: Value | None
    #: Why the parameter cannot have the value whatever the rules say.
    not_its_own: str | None
    #: In the order in which they begin on the way from `before` to the value; nothing about `should` rules that are given up anyway.
    breaks: tuple[Break, ...]
    #: Every conflict and every way out with the value, `should` rules left aside that are given up anyway.
    account: Account
    #: The solution with the value; None where what is demanded cannot hold.
    outcome: SolveOutcome | None
    #: The solution without it.
    now: SolveOutcome
    #: Of a fact or a fixed value: how far it may move.
    growth: Growth | None = None
    #: The rules that mention it, sorted.
    rules: tuple[str, ...] = ()
    #: What struck before everything was known.
    undecided: str | None = None

    @property
    def works(self) -> bool:
        """Whether everything demanded can hold with the value."""
        return self.not_its_own is None and self.outcome is not None

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of the account that the value takes part in."""
        asked = f"{ItemKind.ASKED.value}:{self.parameter.name}"
        return tuple(g for g in self.account.groups if any(i.id == asked for c in g.conflicts for i in c.items))

    @property
    def given_up(self) -> tuple[str, ...]:
        """Ids of the `should` rules that only the value makes impossible."""
        if self.outcome is None:
            return ()
        return tuple(sorted({g.rule for g in self.outcome.given_up} - {g.rule for g in self.now.given_up}))


def why(spec: Spec, rules: Mapping[str, NormalRule], name: str, limits: Limits) -> Why:
    """Why a parameter, a measurement or a rule is as it is; `rule:` and `measurement:` before the name say what is meant.

    Raises:
        OutlastError: nothing is called so.
        InputErrors: a rule multiplies free parameters of too many values.
    """
    subject = _subject(spec, name)
    outcome = solve_spec(spec, rules, objective="margin", exact=False, limits=limits)
    mentioning = tuple(sorted(_mentioning(rules, subject)))
    told = Why(spec=spec, subject=subject, outcome=outcome, rules=mentioning)
    if subject.kind == "derived":
        formula = spec.parameters[subject.name].formula
        assert formula is not None  # the loader saw to it
        used = {
            n.name if isinstance(n, Name) else n.measurement for n in walk(formula) if isinstance(n, Name | Quantile)
        }
        told = replace(told, computed_from=tuple(sorted(used)))
    if outcome.status is Status.CONFLICT:
        return replace(told, conflicts=tuple(_taking_part(outcome, subject, mentioning)))
    if outcome.status is Status.UNDECIDED or subject.kind in ("rule", "derived"):
        return told
    problem = build(spec, rules, limits)
    kept = [r for r, result in outcome.rules.items() if result.kept]
    if subject.kind == "free":
        return replace(told, stops=tuple(_stops_of_free(problem, outcome, subject.name)))
    growth = growth_of(problem, kept, ItemKind(subject.kind), subject.name)
    return replace(told, growth=growth, stops=() if growth is None else tuple(_stops_of_given(problem, growth)))


def _subject(spec: Spec, name: str) -> Subject:
    prefix, colon, rest = name.partition(":")
    kinds: dict[str, Collection[str]] = {"rule": spec.rules, "measurement": spec.measurements}
    if colon and prefix in kinds and rest in kinds[prefix]:
        return Subject(kind=prefix, name=rest)
    if name in spec.parameters:
        return Subject(kind=spec.parameters[name].role.value, name=name)
    for kind, known in (("measurement", spec.measurements), ("rule", spec.rules)):
        if name in known:
            return Subject(kind=kind, name=name)
    every = [*spec.parameters, *spec.measurements, *spec.rules]
    told = {u.id: f"is not judged: {u.why}" for u in spec.unjudged} | {
        d.id: f"is declined: {d.why}" for d in spec.declined
    }
    if name in told:
        raise OutlastError(f"the rule '{name}' of the catalogue {told[name]}")
    raise OutlastError(
        f"expected a parameter, a measurement or a rule, found '{name}'{Problems().nearest(name, every)}"
    )


def _mentioning(rules: Mapping[str, NormalRule], subject: Subject) -> Iterator[str]:
    if subject.kind == "rule":
        return
    for rule in rules.values():
        direct = {n.name for n in _nodes(rule.rule) if isinstance(n, Name)} | set(rule.rule.needs_on)
        measured = {a.measurement for a in rule.atoms() if hasattr(a, "measurement")}
        if subject.name in (measured if subject.kind == "measurement" else direct | rule.names()):
            yield rule.id


def _nodes(rule: Rule) -> Iterator[object]:
    for tree in (rule.require, rule.when):
        if tree is not None:
            yield from walk(tree)


def _taking_part(outcome: SolveOutcome, subject: Subject, rules: Collection[str]) -> Iterator[int]:
    conflicts = outcome.conflicts if outcome.account is None else outcome.account.conflicts
    for number, conflict in enumerate(conflicts, 1):
        for item in conflict.items:
            of_subject = item.subject == subject.name and item.is_of_rule == (subject.kind == "rule")
            if of_subject or (item.is_of_rule and item.name in rules):
                yield number
                break


# Ends.


def _stops_of_free(problem: Problem, outcome: SolveOutcome, name: str) -> Iterator[Stop]:
    found = outcome.parameters[name].range
    grid = problem.grids[name]
    for upward, end in ((False, None if found is None else found.low), (True, None if found is None else found.high)):
        if end is None or end.at is None or not end.limited_by:
            continue
        beyond = _next(grid, end, upward=upward)
        conflict = None
        if beyond is not None:
            conflict = _conflict(problem.spec, problem, end, name, held={name: beyond})
        yield Stop(upward=upward, end=end, beyond=beyond, conflict=conflict)


def _stops_of_given(problem: Problem, growth: Growth) -> Iterator[Stop]:
    for upward, end in ((False, growth.shrink), (True, growth.grow)):
        if end is None or end.at is None:
            continue
        beyond: Fraction | None = None
        conflict = None
        if growth.now is not None and growth.kind is not ItemKind.MEASUREMENT and end.on_step is not None:
            parameter = problem.spec.parameters[growth.name]
            step = common_step(parameter.step, growth.now)
            beyond = end.on_step + (step if upward else -step)
            if beyond >= 0:
                conflict = _conflict(with_value(problem.spec, parameter, beyond), problem, end, growth.name, held={})
        yield Stop(upward=upward, end=end, beyond=beyond, conflict=conflict)


def _next(grid: Grid, end: End, *, upward: bool) -> Fraction | None:
    """The first number of the grid beyond an end, or of its steps where the grid ends there, too."""
    if end.on_step is None:
        return None
    if grid.listed is None:
        beyond = end.on_step + (grid.unit if upward else -grid.unit)
        return beyond if beyond >= 0 else None
    place = grid.listed.index(int(end.on_step / grid.unit)) + (1 if upward else -1)
    return grid.value(grid.listed[place]) if 0 <= place < len(grid.listed) else None


def _conflict(spec: Spec, problem: Problem, end: End, name: str, held: Mapping[str, Value]) -> Conflict | None:
    """Why a value beyond an end is impossible: by what limits it, as a conflict with the item `asked:NAME`."""
    rules = {r: problem.rules[r] for r in end.limited_by if r in problem.rules}
    if not rules:
        return None
    names = {n for rule in rules.values() for n in rule.names() if n in problem.grids} | set(held)
    grids = {n: problem.grids[n] for n in names}
    limits = problem.components[0].limits if problem.components else Limits()
    items = Items(spec, rules, grids, constants_of(spec), limits, held=held, asked=name)
    likely = [i for i in items.all if kind_of(i) != "domain" or i in end.limited_by]
    try:
        found = minimal_conflict(items, likely) or minimal_conflict(items, items.all)
        return None if found is None else tell(items, *found)
    except (Undecided, OutlastError):
        return None


# Another value.


def what_if(spec: Spec, rules: Mapping[str, NormalRule], name: str, text: str, limits: Limits) -> WhatIf:
    """What would break, and what would have to move, for a parameter to have a value.

    Raises:
        OutlastError: nothing is called so, or it cannot be asked to have a value, or the text is none of its kind.
        InputErrors: a rule multiplies free parameters of too many values.
    """
    subject = _subject(spec, name)
    if subject.kind not in ("free", "fact", "fixed"):
        reason = {"derived": "it is computed from others", "rule": "it is a rule"}.get(subject.kind, "it was measured")
        raise OutlastError(f"expected a fact, a fixed value or a free parameter before '=', found '{name}': {reason}")
    parameter = spec.parameters[subject.name]
    value = _read(parameter, text)
    asked = with_value(spec, parameter, value)
    now = solve_spec(spec, rules, objective="margin", exact=False, limits=limits)
    before = now.parameters[parameter.name].value
    growth = None
    if parameter.role is not Role.FREE and now.status is Status.OPTIMAL:
        kept = [r for r, result in now.rules.items() if result.kept]
        growth = growth_of(build(spec, rules, limits), kept, ItemKind(subject.kind), subject.name)
    gone = {g.rule for g in now.given_up}
    account = explain_spec(asked, {r: rules[r] for r in rules if r not in gone}, limits=limits, asked=parameter.name)
    breaks = [
        Break(conflict=c, begins=_begins(asked, rules, c, parameter, before, value, limits) if n < _MOST_BEGINNINGS else None)
        for n, c in enumerate(c for c in account.conflicts if any(i.kind is ItemKind.ASKED for i in c.items))
    ]  # fmt: skip
    outcome, undecided = None, account.undecided
    if not any(group.is_must for group in account.groups):
        outcome = solve_spec(asked, rules, objective="margin", exact=False, limits=limits)
        undecided = outcome.undecided if outcome.status is Status.UNDECIDED else None
        outcome = outcome if outcome.status is Status.OPTIMAL else None
    return WhatIf(
        spec=asked,
        parameter=parameter,
        value=value,
        before=before,
        not_its_own=_not_its_own(parameter, value),
        breaks=tuple(sorted(breaks, key=lambda b: _order(b, before, parameter, value))),
        account=account,
        outcome=outcome,
        now=now,
        growth=growth,
        rules=tuple(sorted(_mentioning(rules, subject))),
        undecided=undecided,
    )


def with_value(spec: Spec, parameter: Parameter, value: Value) -> Spec:
    """The spec in which a parameter is given a value that nothing may change."""
    role = Role.FACT if parameter.role is Role.FACT else Role.FIXED
    given = replace(parameter, role=role, value=value, interval=None, domain=None, current=None, prefer=None, cost=None)
    return replace(spec, parameters={**spec.parameters, parameter.name: given})


def _read(parameter: Parameter, text: str) -> Value:
    try:
        quantity = parse_quantity(text)
    except QuantityError as error:
        raise OutlastError(f"'{parameter.name}={text}': {error.message}") from None
    if isinstance(quantity.value, Sentinel) or quantity.kind is parameter.kind or quantity.value == 0:
        return quantity.value
    if parameter.kind is Kind.RATIO and quantity.kind is Kind.COUNT:
        return quantity.value
    expected = {Kind.DURATION: "a duration", Kind.COUNT: "a count", Kind.RATE: "a rate", Kind.RATIO: "a ratio"}
    raise OutlastError(f"expected {expected[parameter.kind]} for '{parameter.name}', found '{text}'")


def _not_its_own(parameter: Parameter, value: Value) -> str | None:
    """Why a free parameter cannot have a value; None: it can."""
    if parameter.role is not Role.FREE:
        return "a count is whole" if _is_no_count(parameter, value) else None
    grid, effective = grid_of(parameter), parameter.effective(value)
    if effective in grid:
        return None
    if isinstance(parameter.domain, Choices):
        return "it is not one of the values that its domain lists"
    if isinstance(effective, Sentinel):
        return f"its domain does not offer '{effective.value}'"

    def shown(number: Fraction) -> str:
        return value_text(number, parameter.kind)

    if grid.domain_low is not None and effective < grid.domain_low:
        return f"its domain begins at {shown(grid.domain_low)}"
    if grid.domain_high is not None and effective > grid.domain_high:
        return f"its domain ends at {shown(grid.domain_high)}"
    return f"it is not a multiple of its step, {shown(parameter.step)}"


def _is_no_count(parameter: Parameter, value: Value) -> bool:
    return parameter.kind is Kind.COUNT and not isinstance(value, Sentinel) and value.denominator != 1


def _order(found: Break, before: Value | None, parameter: Parameter, value: Value) -> tuple[bool, Fraction, int]:
    """What begins first comes first; then smaller conflicts."""
    start, end = (None if v is None else parameter.effective(v) for v in (before, value))
    if found.begins is None or not isinstance(start, Fraction) or not isinstance(end, Fraction):
        return True, Fraction(0), len(found.conflict.items)
    return False, abs(found.begins - start), len(found.conflict.items)


def _begins(
    spec: Spec, rules: Mapping[str, NormalRule], conflict: Conflict, parameter: Parameter, before: Value | None,
    value: Value, limits: Limits,
) -> Fraction | None:  # fmt: skip
    """The first value on the parameter's step, on the way from one to the other, at which the conflict is there."""
    start, end = (None if v is None else parameter.effective(v) for v in (before, value))
    if not isinstance(start, Fraction) or not isinstance(end, Fraction) or start == end:
        return None
    step = common_step(parameter.step, start)
    if isinstance(parameter.domain, Choices):
        step = common_step(step, end)
    upward = end > start
    edge = _edge(conflict, parameter.name, end)
    if edge is not None:
        at, is_in = edge
        index = at / step
        first = math.ceil(index) if upward else math.floor(index)
        if index == first and not is_in:
            first += 1 if upward else -1
        begins = min(step * first, end) if upward else max(step * first, end)
        return begins if (begins > start) is upward and begins != start else None
    return _searched(spec, rules, conflict, parameter, (start, end), step, limits)


def _edge(conflict: Conflict, name: str, value: Fraction) -> tuple[Fraction, bool] | None:
    """Where a certificate says that the conflict begins, and whether it is there already at that value; None: it says nothing."""
    if not isinstance(conflict.proof, Certificate):
        return None
    total, slope, strict = Fraction(0), Fraction(0), False
    for step in conflict.proof.steps:
        total += step.multiplier * step.row.poly.terms.get((), Fraction(0))
        if step.item != f"asked:{name}":
            strict = strict or step.row.strict
            continue
        for monomial, coefficient in step.row.poly:
            if monomial:
                if len(monomial) != 1 or monomial[0][1] != 1:
                    return None
                slope += step.multiplier * coefficient
    # What the others add up to is total - slope * (x - value), which must be 0 or less, and less than 0 where one is strict.
    return None if not slope else (value + total / slope, strict)


def _searched(
    spec: Spec, rules: Mapping[str, NormalRule], conflict: Conflict, parameter: Parameter,
    way: tuple[Fraction, Fraction], step: Fraction, limits: Limits,
) -> Fraction | None:  # fmt: skip
    own = {i.name: rules[i.name] for i in conflict.items if i.is_of_rule}
    names = {n for rule in own.values() for n in rule.names()} - {parameter.name}
    grids = {n: grid_of(spec.parameters[n]) for n in sorted(names) if spec.parameters[n].role is Role.FREE}
    kept = {i.id for i in conflict.items}

    def is_there(value: Fraction) -> bool:
        asked = with_value(spec, parameter, value)
        items = Items(asked, own, grids, constants_of(asked), limits, asked=parameter.name)
        return not items.feasible([i for i in items.all if i in kept])

    start, end = way
    try:
        if is_there(start):
            return None
        low, high = start / step, end / step
        while abs(high - low) > 1:
            middle = Fraction((low + high) // 2)
            if middle == low:
                middle += 1
            if is_there(step * middle):
                high = middle
            else:
                low = middle
    except (Undecided, OutlastError):
        return None
    return step * high
