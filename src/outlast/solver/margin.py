"""Max-min fair headroom: which `should` rules are kept, how far all scores rise together, and what holds them.

Levels are thousandths of each rule's aim. The rules of a bottleneck keep their level, the others go on rising (progressive filling; Radunović and Le Boudec, "A unified framework for
max-min and min-max fairness", 2007), so that the result does not depend on any order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import TYPE_CHECKING

from outlast.constraints.errors import OutlastError
from outlast.constraints.progress import doing
from outlast.constraints.record import record
from outlast.solver.bisection import last
from outlast.solver.limits import Limits, Undecided
from outlast.solver.monotone import Stalled, Standing, Step
from outlast.solver.outcome import Bottleneck
from outlast.solver.problem import Bound, Component
from outlast.solver.subsets import lightest_hitting_set, minimal_infeasible, smallest_infeasible

if TYPE_CHECKING:
    from outlast.solver.engine import Z3Engine

__all__ = ["FULL", "Levels", "highest", "keep_shoulds", "level", "share_room"]

#: A score of 1, in thousandths.
FULL = 1000

#: How often the rules that can still rise do so where room is shared out.
_ROUNDS = 3

#: z3's effort for confirming what another engine found; deterministic, unlike a time limit.
_CONFIRMATION_EFFORT = 2_000_000

#: So many rules z3 soon looks at together, steps ignored.
_FEW = 30


@record(frozen=False)
class Levels:
    """What is settled of one component; filled round by round, so that it tells what was proved when time runs out."""

    #: Rules that are kept, sorted.
    kept: list[str]
    settled: dict[str, int] = field(default_factory=dict)
    bottlenecks: list[Bottleneck] = field(default_factory=list)
    #: The rules still rising all reach this.
    reached: int = 0


def keep_shoulds(component: Component) -> list[str] | None:
    """The `should` rules to give up, lightest in total, then fewest, then first by id; None if the `must` rules conflict.

    Raises:
        Undecided: the limits struck.
    """
    musts, shoulds = component.musts, component.shoulds
    if component.possible([*musts, *shoulds]):
        return []
    if not component.possible(musts):
        return None
    weights = {r: component.rules[r].rule.weight for r in shoulds}

    def feasible(chosen: Collection[str]) -> bool:
        return component.possible([*musts, *chosen])

    conflicts: list[frozenset[str]] = []
    while True:
        given_up = lightest_hitting_set(conflicts, weights, component.limits.check)
        kept = [r for r in shoulds if r not in given_up]
        if feasible(kept):
            return given_up
        conflicts.append(frozenset(minimal_infeasible(kept, feasible)))


def level(component: Component, levels: Levels) -> None:
    """Raise the scores of the kept rules round by round, writing what is settled into `levels`.

    Raises:
        Undecided: the limits struck; `levels` holds what was proved until then.
    """
    rising = [r for r in levels.kept if component.rules[r].scores]
    while rising:
        reached = highest(component, levels, rising)
        if reached == FULL:
            levels.settled.update(dict.fromkeys(rising, FULL))
            return
        doing("solving: what holds level {} of {}", reached, FULL)
        bottleneck = _bottleneck(component, levels, rising, reached)
        levels.bottlenecks.append(bottleneck)
        levels.settled.update(dict.fromkeys(bottleneck.rules, reached))
        rising = [r for r in rising if r not in bottleneck.rules]


def highest(component: Component, levels: Levels, rising: list[str]) -> int:
    """The greatest level that all rising rules reach together."""

    standing: Standing | None = None

    def reachable(target: int) -> bool:
        nonlocal standing
        wanted = {**levels.settled, **dict.fromkeys(rising, target)}
        if standing is not None:
            try:
                found = standing.narrowed(levels=wanted)
            except Stalled:
                return component.possible(levels.kept, wanted)
            standing = found or standing  # what is asked for next is higher
            return found is not None
        return component.possible(levels.kept, wanted)

    if levels.reached == FULL or reachable(FULL):
        levels.reached = FULL
        return FULL
    standing = component.standing(levels.kept, {**levels.settled, **dict.fromkeys(rising, levels.reached)})

    def noted(target: int) -> bool:
        doing("solving: level {} of {}", target, FULL)
        if reachable(target):
            levels.reached = target
            return True
        return False

    return last(levels.reached, FULL, noted)


def _bottleneck(component: Component, levels: Levels, rising: list[str], reached: int) -> Bottleneck:
    """The smallest set of rising rules that cannot all reach the next thousandth."""
    given = [r for r in levels.kept if r not in rising]
    wanted = {**levels.settled, **dict.fromkeys(rising, reached + 1)}
    excluding = component.excluding([*given, *rising], wanted)
    relaxed = excluding is not None

    def feasible(chosen: Collection[str]) -> bool:
        return _reaches(component, levels, given, chosen, reached, relaxed=relaxed)

    start = None if excluding is None else [r for r in excluding if r in rising]
    if start is not None and feasible(start):
        start = None
    rules = smallest_infeasible(rising, feasible, start, component.limits.check)
    confirmed = _confirm(component, levels, given, rules, reached, relaxed=relaxed)
    return Bottleneck(rules=tuple(rules), level=reached, held_by_steps=not relaxed, confirmed=confirmed)


def _reaches(
    component: Component, levels: Levels, given: list[str], chosen: Collection[str], reached: int, *, relaxed: bool
) -> bool:
    wanted = {**levels.settled, **dict.fromkeys(chosen, reached + 1)}
    return component.possible([*given, *chosen], wanted, relaxed=relaxed)


def _confirm(
    component: Component, levels: Levels, given: list[str], rules: list[str], reached: int, *, relaxed: bool
) -> bool:
    """Whether z3 agrees that these rules cannot all reach the next thousandth."""
    if component.monotone is None:
        return True  # z3 said so in the first place
    wanted = {**levels.settled, **dict.fromkeys(rules, reached + 1)}
    limits = Limits(component.limits.deadline, _CONFIRMATION_EFFORT)
    try:
        is_soon_told = relaxed and len(given) + len(rules) <= _FEW
        steps = [] if is_soon_told else component.derivation([*given, *rules], wanted, relaxed=relaxed)
        if steps:
            questions = _questions(component, steps, wanted, relaxed=relaxed)
        else:
            questions = iter([component.question([*given, *rules], wanted, relaxed=relaxed)])
        possible = any(engine.satisfiable(assumptions, limits) for engine, assumptions in questions)
    except Undecided:
        component.limits.check()
        return False
    if possible:
        raise OutlastError(f"the engines disagree on level {reached + 1} of {', '.join(rules)}; please report this")
    return True


def _questions(
    component: Component, steps: Sequence[Step], wanted: Mapping[str, int], *, relaxed: bool
) -> Iterator[tuple[Z3Engine, list[object]]]:
    """Whether each step could be otherwise: the rule, what was found before of what it speaks of, and less than what it raises."""
    lows: dict[str, Fraction] = {}
    for step in steps:
        spoken = component.encoder.names(component.rules[step.rule])
        known = [Bound(name=n, low=lows[n]) for n in spoken if n in lows]
        if step.name is not None:
            known.append(Bound(name=step.name, high=step.to, high_open=True))
            lows[step.name] = step.to
        yield component.question([step.rule], wanted, known, relaxed=relaxed)


def share_room(
    component: Component, kept: Sequence[str], reachable: Callable[[Mapping[str, int]], bool]
) -> dict[str, int]:
    """Levels that the rules reach together: what a repair leaves is shared out before it is shown.

    Unlike `level` it does not look for the smallest bottleneck: the rules that cannot rise alone keep what they have.
    """
    settled: dict[str, int] = {}
    rising = [r for r in kept if component.rules[r].scores]
    reached = 0

    def together(target: int) -> dict[str, int]:
        return {**settled, **dict.fromkeys(rising, target)}

    for _ in range(_ROUNDS):
        if not rising:
            break
        if reachable(together(FULL)):
            return together(FULL)
        reached = last(reached, FULL, lambda target: reachable(together(target)))
        stuck = [r for r in rising if not reachable({**together(reached), r: reached + 1})]
        settled.update(dict.fromkeys(stuck or rising, reached))
        rising = [r for r in rising if r not in settled]
    return together(reached)
