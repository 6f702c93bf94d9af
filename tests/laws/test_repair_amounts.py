"""The amounts of a repair work together, none of them could be smaller, and the cheapest repair comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from laws.accounts import changed, changes_of, mended, number, others_cheapest, random_account, solved
from naive.amounts import Amounts, share
from naive.conflicts import Conflicts, ends
from naive.language import Spec
from naive.rules import Judged
from outlast.solver.account import Dropped, Group, Moved, Repair, Weakened
from outlast.solver.outcome import Status

SEEDS, CHUNK = 48, 16
#: All laws look at the same accounts; one process has them once.
pytestmark = pytest.mark.xdist_group("accounts")


# Amounts.


@pytest.mark.parametrize("start", range(0, SEEDS, CHUNK))
def test_amounts_are_the_smallest_that_work_together(start: int) -> None:
    wrong: list[str] = []
    seen: Counter[str] = Counter()
    for seed in range(start, start + CHUNK):
        spec, account = random_account(seed)
        for group in account.groups:
            for repair in group.repairs:
                seen.update(type(c).__name__ for c in repair.changes)
                seen["joint"] += sum(not isinstance(c, Dropped) for c in repair.changes) > 1
                told = sorted(changes_of(repair))
                wrong += [f"seed {seed}: {w} of {told}" for w in wrong_amounts(Conflicts(spec), group, repair)]
    assert not wrong, "\n".join(wrong)
    for word in ("Moved", "Weakened", "Dropped", "joint"):
        assert seen[word] > 3, seen


def wrong_amounts(found: Conflicts, group: Group, repair: Repair) -> Iterator[str]:
    dropped = {changed(c) for c in repair.changes if isinstance(c, Dropped)}
    amounts = Amounts(found, group.rules, changes_of(repair), dropped)
    for item in dropped:
        if item.startswith("margin:") or not amounts.can_weaken(item.partition(":")[2]):
            continue
        if amounts.drops_more_than_needed():
            yield f"{item} need not be dropped"
    ways = amounts.smallest()
    shares = {changed(c): c.share for c in repair.changes if isinstance(c, Weakened)}
    fitting = [caps for caps in ways if all(s in amounts.told(i, caps[i]) for i, s in shares.items())]
    if not fitting:
        yield f"shares {shares} are none of {ways}"
        return
    told = {changed(c): number(c.after) for c in repair.changes if isinstance(c, Moved)}
    if not any(is_nearest(amounts, caps, told) for caps in fitting):
        yield f"{told} could be nearer, within {fitting}"
    moves = [abs(v - amounts.value(i)) / amounts.value(i) for i, v in told.items()]
    if repair.move != max([*moves, *shares.values()], default=0):
        yield f"a move of {repair.move}"
    if not repair.smallest:
        yield "not said to be smallest"


def is_nearest(amounts: Amounts, caps: dict[str, Fraction], told: dict[str, Fraction]) -> bool:
    """Whether no value could be nearer to what it was, one after the other, the rest within their caps."""
    at: dict[str, Fraction] = {}
    for item, value in sorted(told.items()):
        before, step = amounts.value(item), amounts.found.parameters[item.partition(":")[2]].granularity
        away = abs(value - before)
        if value % step or away > caps[item] * before:
            return False
        nearer = {**caps, item: (away - step) / before}
        if away > step and amounts.holds({i: c for i, c in nearer.items() if i not in at}, at):
            return False
        at[item] = value
        if not amounts.holds({i: c for i, c in caps.items() if i not in at}, at):
            return False
    return True


def test_amounts_that_are_too_small_or_too_large_are_noticed() -> None:
    spec, group, repair = next(
        (s, g, r)
        for s, a in map(random_account, range(SEEDS))
        for g in a.groups
        for r in g.repairs
        if [type(c) for c in r.changes] == [Moved]
    )
    (change,) = repair.changes
    assert isinstance(change, Moved)
    assert list(wrong_amounts(Conflicts(spec), group, repair)) == []
    step = next(p.granularity for p in spec.parameters if p.name == change.parameter)
    for after in (number(change.after) + step, number(change.after) - step):
        other = Moved(parameter=change.parameter, kind=change.kind, before=change.before, after=after)
        assert any("nearer" in w for w in wrong_amounts(Conflicts(spec), group, with_changes(repair, other)))


def with_changes(repair: Repair, *changes: Moved) -> Repair:
    return Repair(
        changes=changes,
        cost=repair.cost,
        move=repair.move,
        smallest=repair.smallest,
        values=repair.values,
        headroom=repair.headroom,
    )


def test_the_scale_has_three_digits() -> None:
    scale = [share(i) for i in range(9001)]
    assert scale == sorted(set(scale))
    assert {scale[0], scale[899], scale[900], scale[9000]} == {
        Fraction(1, 10**4), Fraction(999, 10**6), Fraction(1, 10**3), Fraction(10**6),
    }  # fmt: skip


# What a repair does to the spec.


@pytest.mark.parametrize("start", range(0, SEEDS, CHUNK))
def test_a_mended_spec_is_solved(start: int) -> None:
    wrong: list[str] = []
    for seed in range(start, start + CHUNK):
        spec, account = random_account(seed)
        if any(not g.repairs for g in account.groups):
            continue
        for group in account.groups:
            rest = others_cheapest(account, group)
            for repair in group.repairs:
                if not holds(mended(spec, [*repair.changes, *rest])):
                    wrong.append(f"seed {seed}: {sorted(changes_of(repair))} mends nothing")
                wrong += [
                    f"seed {seed}: {w} of {sorted(changes_of(repair))}" for w in wrong_values(spec, group, repair)
                ]
    assert not wrong, "\n".join(wrong)


def holds(spec: Spec) -> bool:
    """Whether all rules can hold together, the `should` rules too."""
    if not spec.rules:
        return True
    outcome = solved(spec)
    return outcome.status is Status.OPTIMAL and not outcome.given_up


@pytest.mark.parametrize("start", range(0, 32, CHUNK))
def test_a_part_of_a_repair_mends_nothing(start: int) -> None:
    wrong: list[str] = []
    tried = 0
    for seed in range(start, start + CHUNK):
        spec, account = random_account(seed)
        if any(not g.repairs for g in account.groups):
            continue
        for group in account.groups:
            rest = others_cheapest(account, group)
            for repair in (r for r in group.repairs[:2] if len(r.changes) > 1):
                for some in combinations(repair.changes, len(repair.changes) - 1):
                    tried += 1
                    if holds(mended(spec, [*some, *rest])):
                        wrong.append(f"seed {seed}: {sorted(map(changed, some))} would do")
    assert not wrong, "\n".join(wrong)
    assert tried > 5


def wrong_values(spec: Spec, group: Group, repair: Repair) -> Iterator[str]:
    """Whether the values that a repair tells are on their grids and keep the rules, and the headroom is theirs."""
    shares = {c.rule: c.share for c in repair.changes if isinstance(c, Weakened)}
    after = mended(spec, [c for c in repair.changes if not isinstance(c, Weakened)])
    parameters = {p.name: replace(p, role="fact") if p.role == "measurement" else p for p in after.parameters}
    links = {r.id: r for whole in after.rules for r in whole.links() if r.id in group.rules}
    used = {n for r in links.values() for n in Judged(r, parameters).free}
    if not used <= set(repair.values) <= set(group.parameters):
        yield f"values of {sorted(repair.values)} are told"
        return
    values = {n: shorter(number(v)) for n, v in repair.values.items()}
    for name, value in values.items():
        low, high = ends(parameters[name])
        if value % parameters[name].granularity or value < low or (high is not None and value > high):
            yield f"{name} = {value} is off its step or domain"
    told = dict(repair.headroom)
    if list(repair.headroom) != sorted(repair.headroom, key=lambda h: (h[1], h[0])):
        yield "the tightest is not the first"
    for rule in links.values():
        judged = Judged(rule, parameters)
        if rule.id not in shares and judged.verdict(values).holds is False:
            yield f"{rule.id} is broken at {values}"
        sides = judged.sides(values)
        if sides is None or not judged.scores:
            continue
        left, right = (Fraction(s) for s in sides)
        right *= 1 + shares.get(rule.id, Fraction(0))
        if right < left:
            yield f"{rule.id} is broken at {values}"
        elif (right / left - 1 if left > 0 else None) != told.get(rule.id):
            yield f"{rule.id} has {right} / {left}, found a headroom of {told.get(rule.id)}"


def shorter(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


# Costs.


@pytest.mark.parametrize("start", range(0, SEEDS, CHUNK))
def test_costs_add_up_and_the_cheapest_comes_first(start: int) -> None:
    for seed in range(start, start + CHUNK):
        spec, account = random_account(seed)
        for group in account.groups:
            keys = []
            for repair in group.repairs:
                assert repair.cost == sum(cost(spec, item) for item in changes_of(repair)), f"seed {seed}"
                keys.append((repair.cost, len(repair.changes), repair.move))
            assert keys == sorted(keys), f"seed {seed}"
        assert account.cheapest == tuple(g.repairs[0] for g in account.groups if g.repairs)


def cost(spec: Spec, item: str) -> int:
    """A fixed value 1, a margin 3, a rule 10 or, if it only should hold, its weight; or what is written."""
    kind, _, name = item.partition(":")
    if kind == "margin":
        return 3
    if kind == "fixed":
        written = next(p.cost for p in spec.parameters if p.name == name)
        usual = 1
    else:
        rule = next(r for r in spec.rules if r.id == name)
        written, usual = rule.cost, rule.weight if rule.should else 10
    assert written != "never"
    return usual if written is None else int(written)


def test_each_sort_of_change_is_met_with_its_own_cost() -> None:
    met = {
        (item.partition(":")[0], cost(spec, item))
        for spec, account in map(random_account, range(SEEDS))
        for group in account.groups
        for repair in group.repairs
        for item in changes_of(repair)
    }
    assert {("margin", 3), ("fixed", 1), ("fixed", 5), ("rule", 10), ("rule", 4), ("rule", 1)} <= met
