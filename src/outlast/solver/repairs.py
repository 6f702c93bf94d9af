"""Ways out with amounts: which fixed values to move, which rules to weaken and by how much, computed jointly and tried before they are told.

After "Range Fixes" (Y. Xiong and others, "Range fixes: Interactive error resolution for software configuration", TSE 2015): a way out is a minimal set of
things to change; how far is found on top, as the lexicographically smallest vector of relative moves, the largest first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Final

from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Side as EvaluatedSide
from outlast.constraints.evaluate import Truth, World, evaluate, judge
from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.normal import Inequality, NormalRule
from outlast.constraints.polynomial import Var
from outlast.constraints.progress import counted
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import replace
from outlast.solver.account import Change, Dropped, ItemKind, Moved, Repair, Weakened, kind_of, name_of, rule_of
from outlast.solver.amounts import Amounts, Quick
from outlast.solver.choose import choose
from outlast.solver.constants import Constants, constants_of
from outlast.solver.enumerate import Minimal
from outlast.solver.items import Items
from outlast.solver.limits import Limits, Undecided
from outlast.solver.margin import share_room
from outlast.solver.problem import build
from outlast.solver.ranges import Ranges
from outlast.solver.softs import Softs
from outlast.solver.weaken import rounded_outwards, weakened_rule

__all__ = ["repairs_of"]

#: Rules up to which the room that a repair leaves is shared out.
_MOST_LEVELLED: Final = 60


def repairs_of(softs: Softs, ways: Minimal, most: int | None) -> tuple[tuple[Repair, ...], tuple[str, ...]]:
    """The ways out with amounts, the cheapest first and at most so many, and why others are missing."""
    found: list[Repair] = []
    missing: list[str] = []
    ordered = sorted(ways.corrections, key=lambda c: (*_rank(softs, c), sorted(c)))
    part = _Part(softs, ways.infeasible)
    tried = 0
    last = (Fraction(0), 0)
    for correction in counted("explaining: how far to go on way out {} of {}", ordered):
        if most is not None and len(found) >= most and _rank(softs, correction) > last:
            break  # what follows is dearer
        tried += 1
        if _moves_two_factors(softs.items, correction):
            missing.append("ways out that move two factors of a product are left out")
            continue
        try:
            found.append(part.repair(correction))
            last = _rank(softs, correction)
        except Undecided as limit:
            if softs.items.limits.is_over:
                missing.append(f"of {len(ordered)} ways out, {len(found)} got amounts: {limit}")
                break
            missing.append(f"ways out without amounts are left out: {limit}")
    found.sort(key=lambda r: (r.cost, len(r.changes), r.move, [_subject(c) for c in r.changes]))
    left_out = len(ordered) - tried + len(found[most:]) if most is not None else 0
    if left_out:
        more = "1 more way out" if left_out == 1 else f"{left_out} more ways out"
        missing.append(f"{more}, no cheaper than these, left out as told by the limit")
    return tuple(found[:most]), tuple(dict.fromkeys(missing))


def _rank(softs: Softs, correction: Collection[str]) -> tuple[Fraction, int]:
    return sum(map(softs.cost, correction), Fraction(0)), len(correction)


class _Part:
    """The part of a large group in which amounts are found: it grows by what keeps them from doing for the whole."""

    def __init__(self, softs: Softs, infeasible: Iterable[frozenset[str]]) -> None:
        self._whole = softs
        items = softs.items
        self._rules = set(items.rules)
        if len(items.rules) > _MOST_LEVELLED:
            self._rules = {n for some in infeasible for i in softs.hold_up(some) if (n := rule_of(i)) is not None}
        self._softs = self._made()
        self._quick = Quick(self._softs)

    def _made(self) -> Softs:
        items = self._whole.items
        if len(self._rules) == len(items.rules):
            return self._whole
        return Softs(items.only([r for r in items.rules if r in self._rules]))

    def repair(self, correction: frozenset[str]) -> Repair:
        self._add(self._touched_by(correction))
        while True:
            amounts = Amounts(self._softs, correction, self._whole, self._quick)
            amounts.find()
            blocking = None if self._softs is self._whole else amounts.blocking()
            if blocking is None:
                return self._told(amounts)
            more = {n for i in blocking if (n := rule_of(i)) is not None}
            self._add(more if more - self._rules else self._whole.items.rules)

    def _touched_by(self, correction: Collection[str]) -> set[str]:
        """The rules that a way out changes, or whose numbers it does."""
        rules = {n for i in correction if (n := rule_of(i)) is not None}
        names = {name_of(i) for i in correction if kind_of(i) in ("fixed", "current")}
        return rules | {r for r, rule in self._whole.items.rules.items() if not names.isdisjoint(rule.names())}

    def _add(self, rules: Iterable[str]) -> None:
        if not set(rules) <= self._rules:
            self._rules |= set(rules)
            self._softs = self._made()
            self._quick = Quick(self._softs)

    def _told(self, amounts: Amounts) -> Repair:
        try:
            return _tell(amounts, self._softs, self._whole)
        except OutlastError as error:
            if self._softs.items.doubtful or self._whole.items.doubtful:
                raise Undecided("what a rule says with another value could not be told") from None
            raise Undecided(error.message) from None  # a mistake of ours costs this way out only


def _subject(change: Change) -> tuple[str, str]:
    return ("", change.parameter) if isinstance(change, Moved) else ("rule", change.rule)


def _moves_two_factors(items: Items, correction: Collection[str]) -> bool:
    moved = {name_of(i) for i in correction if kind_of(i) in ("fixed", "current")}
    if len(moved) < 2:
        return False
    for rule in items.rules.values():
        for poly in (p for f in (rule.formula, rule.when) if f is not None for p in f.polys()):
            for monomial, _ in poly:
                names = [a.name for a, n in monomial if n > 0 and isinstance(a, Var) and a.name in moved]
                if len(set(names)) > 1:
                    return True
    return False


def _tell(amounts: Amounts, softs: Softs, whole: Softs) -> Repair:
    """The repair with these amounts, tried on the whole group.

    Raises:
        OutlastError: it does not mend the conflict, which is a mistake of ours.
        Undecided: the limits struck.
    """
    items, spec, values = whole.items, whole.items.spec, amounts.values
    changes: list[Change] = []
    parameters: dict[str, Parameter] = dict(spec.parameters)
    rules = dict(items.rules)
    held = dict(items.every_held())
    largest = Fraction(0)
    moved = {name_of(i) for i in values}
    for item in amounts.changed:
        kind, name = kind_of(item), name_of(item)
        if item in values:
            parameter, value = spec.parameters[name], values[item]
            before = parameter.value if kind == "fixed" else parameter.current
            assert before is not None  # it is fixed, or in use
            after = _written(parameter, value)
            changes.append(Moved(parameter=name, kind=ItemKind(kind), before=before, after=after))
            if item in amounts.movable and isinstance(value, Fraction):
                movable = amounts.movable[item]
                largest = max(largest, abs(value - movable.before) / movable.scale)
            if kind == "fixed":
                parameters[name] = replace(parameter, value=after)
            else:
                held[name] = value
        elif item in amounts.weakened:
            change, rules[name] = _weakening(items, name, amounts.caps[item], rules[name], moved)
            changes.append(change)
            largest = max(largest, change.share)
        elif kind == "margin":
            changes.append(Dropped(rule=name, kind=ItemKind.MARGIN))
            rules[name] = replace(rules[name], rule=replace(rules[name].rule, margin=None))
        else:
            changes.append(Dropped(rule=name, kind=ItemKind.RULE))
            del rules[name]
    for name, value in held.items():
        written = _written(parameters[name], value)
        parameters[name] = replace(parameters[name], role=Role.FIXED, value=written, domain=None)
    mentioned = {n for rule in rules.values() for n in rule.names()}
    repaired = replace(spec, parameters={n: p for n, p in parameters.items() if n in mentioned}, rules={})
    found = amounts.point or amounts.quick_point() or _values_for(repaired, rules, items.limits)
    headroom = _judged(rules, constants_of(repaired), found | held)
    shown = {n: _written(spec.parameters[n], v) for n, v in sorted((found | held).items()) if n in softs.items.grids}
    return Repair(
        changes=tuple(sorted(changes, key=_subject)),
        cost=sum((softs.cost(i) for i in amounts.changed), Fraction(0)),
        move=largest,
        smallest=amounts.is_sure,
        values=shown,
        headroom=tuple(h for h in headroom if h[0] in softs.items.rules),
    )


def _weakening(
    items: Items, name: str, share: Fraction, normal: NormalRule, moved: Collection[str]
) -> tuple[Weakened, NormalRule]:
    """The change, and the rule as it then reads: its new text, read back."""
    share = rounded_outwards(normal, share)
    changed = weakened_rule(items.spec, normal, share)
    by, exponent = None, 0
    if isinstance(normal.formula, Inequality):
        exponent, right = normal.formula.time_exponent, normal.formula.right
        known = items.constants
        names = {a.name for a in right.all_atoms() if isinstance(a, Var)}
        if names <= set(known.values) - set(moved):
            total = evaluate(right, World(values=known.values, bound=known.bound), EvaluatedSide.LOWER)
            by = total * share if isinstance(total, Fraction) else None
    return Weakened(rule=name, share=share, by=by, time_exponent=exponent, to=changed.rule.text), changed


def _written(parameter: Parameter, value: Value) -> Value:
    """A value as it is written: a 0 where that is how `infinite` or `off` is said."""
    return Fraction(0) if isinstance(value, Sentinel) and parameter.zero is value else value


def _values_for(spec: Spec, rules: Mapping[str, NormalRule], limits: Limits) -> dict[str, Value]:
    """Values of the free parameters of a repaired spec, which leave its rules as much room as they can share.

    Raises:
        OutlastError: there are none, which is a mistake of ours.
        Undecided: the limits struck.
    """
    values: dict[str, Value] = {}
    problem = build(spec, rules, limits)
    for component in problem.components:
        kept = sorted(component.rules)
        if kept and not component.possible(kept):
            raise OutlastError("a repair does not mend the conflict; please report this")
        levels = share_room(component, kept, partial(component.possible, kept)) if len(kept) <= _MOST_LEVELLED else {}
        if component.monotone is None:  # of several points z3 might find any
            values.update(choose(problem, component, kept, levels, Ranges(component, kept).of).values)
            continue
        point = component.find(kept, levels)
        assert point is not None  # these levels were reached
        values.update(point.values)
    return values


def _judged(
    rules: Mapping[str, NormalRule], constants: Constants, values: Mapping[str, Value]
) -> tuple[tuple[str, Fraction], ...]:
    """The headroom of the rules that score, tightest first, by exact evaluation.

    Raises:
        OutlastError: a rule is broken, which is a mistake of ours.
    """
    world = World(values={**constants.values, **values}, bound=constants.bound)
    headroom: list[tuple[str, Fraction]] = []
    for rule in rules.values():
        verdict = judge(rule, world)
        if verdict.truth is Truth.BROKEN or not verdict.margin_kept:
            raise OutlastError(f"a repair leaves '{rule.id}' broken; please report this")
        decisive = verdict.decisive
        if decisive is not None and isinstance(decisive.comparison, Inequality) and decisive.comparison.scores:
            room = decisive.headroom
            if isinstance(room, Fraction):
                headroom.append((rule.id, room))
    return tuple(sorted(headroom, key=lambda h: (h[1], h[0])))
