"""All conflicts of a spec and all ways out, group by group."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.evaluate import Truth, World, judge
from outlast.constraints.model import NEVER, Level, Parameter, Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Value
from outlast.solver.account import Account, Conflict, Group, rule_of
from outlast.solver.conflict import minimal_conflict, tell
from outlast.solver.constants import Constants, constants_of
from outlast.solver.enumerate import enumerate_minimal
from outlast.solver.grid import Grid, grid_of
from outlast.solver.items import Items
from outlast.solver.limits import Limits, Undecided
from outlast.solver.problem import Component
from outlast.solver.repairs import repairs_of
from outlast.solver.softs import Softs

__all__ = ["explain_spec"]


def explain_spec(
    spec: Spec,
    rules: Mapping[str, NormalRule],
    *,
    current: bool = False,
    limit: int | None = None,
    limits: Limits,
    asked: str | None = None,
) -> Account:
    """The account of a spec; with `current` of its values in use, free parameters held there.

    `limit` is the number of conflicts and of ways out of a group after which the search ends. `asked` names a fact or fixed value whose value was
    asked about: conflicts call it so, and no repair moves it.

    Raises:
        InputErrors: a rule multiplies free parameters of too many values.
    """
    constants = constants_of(spec)
    grids = {p.name: grid_of(p) for p in spec.parameters.values() if p.role is Role.FREE}
    held = {
        p.name: p.effective(p.current)
        for p in spec.parameters.values()
        if current and p.name in grids and p.current is not None
    }
    groups: list[Group] = []
    struck: str | None = None
    errors: list[OutlastError] = []
    for names, inside in _clusters(spec, rules, grids, asked):
        own = {n: grids[n] for n in names if n in grids}
        try:
            if _may_hold({r: rules[r] for r in inside}, own, constants, held, limits):
                continue
        except Undecided as reason:
            struck = struck or str(reason)
            continue
        except OutlastError as error:
            errors.append(error)
            continue
        items = Items(
            spec,
            {r: rules[r] for r in inside},
            own,
            constants,
            limits,
            held={n: held[n] for n in names if n in held},
            asked=asked,
        )
        try:
            group = _group(items, names, inside, limit, limits, number=len(groups) + 1)
        except Undecided as reason:
            struck = struck or str(reason)
            continue
        if group is not None:
            groups.append(group)
    if errors:
        raise InputErrors("rules that cannot be solved", errors)
    return Account(spec=spec, current=current, groups=tuple(groups), undecided=struck)


def _clusters(
    spec: Spec, rules: Mapping[str, NormalRule], grids: Mapping[str, Grid], asked: str | None
) -> list[tuple[list[str], list[str]]]:
    """Names of parameters that may move, and the rules over them, by what connects them; in the order of the first name."""
    moving = {n for n, p in spec.parameters.items() if n in grids or (may_move(p) and n != asked)}
    owner = {n: n for n in moving}

    def root(name: str) -> str:
        while owner[name] != name:
            owner[name] = owner[owner[name]]
            name = owner[name]
        return name

    mentions = {r: sorted(n for n in rule.names() if n in moving) for r, rule in sorted(rules.items())}
    for names in mentions.values():
        for other in names[1:]:
            first, second = sorted((root(names[0]), root(other)))
            owner[second] = first
    members: dict[str, list[str]] = {}
    for name in sorted(moving):
        members.setdefault(root(name), []).append(name)
    inside: dict[str, list[str]] = {}
    alone: list[tuple[list[str], list[str]]] = []
    for rule, names in mentions.items():
        if names:
            inside.setdefault(root(names[0]), []).append(rule)
        else:
            alone.append(([], [rule]))  # nothing in it may move
    return [*((members[key], inside[key]) for key in sorted(inside)), *alone]


def may_move(parameter: Parameter) -> bool:
    """Whether a repair may give a parameter another value."""
    return parameter.role is Role.FIXED and parameter.cost is not NEVER


def _may_hold(
    rules: Mapping[str, NormalRule], grids: Mapping[str, Grid], constants: Constants,
    held: Mapping[str, Value], limits: Limits,
) -> bool:  # fmt: skip
    """Whether all the rules are known to hold together, by what is quickest: judging them, or the engines of `solve`."""
    world = World(values={**constants.values, **held}, bound=constants.bound)
    free = {n: g for n, g in grids.items() if n not in held}
    open_rules: dict[str, NormalRule] = {}
    for rule in rules.values():
        names = rule.names()
        if not names.isdisjoint(free):
            open_rules[rule.id] = rule
            continue
        verdict = judge(rule, world)
        if verdict.truth is Truth.BROKEN or not verdict.margin_kept:
            return False
        if any(held[n] not in grids[n] for n in names if n in held):
            return False
    if not open_rules:
        return True
    if held:
        return False  # to be found out item by item
    component = Component(sorted(free), open_rules, dict(grids), constants, limits)
    return component.possible(sorted(open_rules))


def _group(
    items: Items, names: Collection[str], rules: Collection[str], limit: int | None, limits: Limits, *, number: int
) -> Group | None:
    softs = Softs(items)
    # Each of the three searches leaves time to those after it.
    items.limits = limits.part(1 / 2)
    ways = softs.enumerate(limits.part(1 / 4), limit)
    if not ways.infeasible:
        if ways.missing is not None:
            raise Undecided(ways.missing)
        return None
    first: list[frozenset[str]] = []
    sure: dict[frozenset[str], bool] = {}

    def shrink(some: Collection[str]) -> list[str] | None:
        found = minimal_conflict(items, some)
        if found is None:
            return None
        sure[frozenset(found[0])] = found[1]
        return found[0]

    # What was doubtful of a way out shows when its amounts are tried.
    holding = [] if items.doubtful else [c for c in ways.corrections if softs.is_exact(c)]
    items.doubtful = False
    items.limits = limits.part(1 / 2)
    for soft in ways.infeasible if limit is None else ways.infeasible[:limit]:
        with suppress(Undecided):
            found = shrink([i for i in items.all if softs.is_on(i, soft)])
            if found is not None:
                first.append(frozenset(found))
    must = shrink([i for i in items.all if not _is_of_should(items, i)])
    if must is not None:
        first.append(frozenset(must))
    every = enumerate_minimal(items.all, shrink, items.limits, known=first, holding=holding, most=limit)
    missing = [every.missing]
    if items.doubtful:
        missing.append("what some rules say without a constant could not be told, so that more conflicts may be there")
    told = list(every.infeasible[:limit])
    if must is not None and all(any(_is_of_should(items, i) for i in some) for some in told):
        told[-1:] = [next(some for some in every.infeasible if not any(_is_of_should(items, i) for i in some))]
    if every.missing is None and len(told) < len(every.infeasible):
        missing.append(f"of {len(every.infeasible)} conflicts the {len(told)} smallest are told")
    items.limits = limits
    conflicts = [tell(items, some, sure[some]) for some in told]
    repairs, left_out = repairs_of(softs, ways, limit)
    return Group(
        number=number,
        parameters=tuple(names),
        rules=tuple(rules),
        conflicts=tuple(sorted(conflicts, key=_conflict_order)),
        repairs=repairs,
        is_demanded=must is not None,
        missing=_told(missing),
        missing_repairs=_told([ways.missing, *left_out]),
    )


def _is_of_should(items: Items, item: str) -> bool:
    rule = rule_of(item)
    return rule is not None and items.rules[rule].rule.level is Level.SHOULD


def _told(reasons: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(r for r in reasons if r is not None))


def _conflict_order(conflict: Conflict) -> tuple[int, list[str]]:
    return len(conflict.items), sorted(i.id for i in conflict.items)
