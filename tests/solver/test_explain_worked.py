"""Accounts worked out by hand: every conflict, every way out, the amounts and the groups."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from outlast.api import explain
from outlast.constraints.quantities import Sentinel
from outlast.solver.account import Account, Cases, Certificate, Change, Clash, Conflict, Group, Moved, Repair, Weakened
from solver.test_named_conflicts import WORKED, named, solved, spec

SECOND = 10**9


def explained(folder: Path, text: str) -> Account:
    path = folder / "outlast.yaml"
    path.write_text(f"outlast: 1\n{text.strip()}\n")
    account = explain(path)
    assert account.is_complete
    return account


def of(folder: Path, parameters: str, rules: str) -> Account:
    return explained(folder, spec(parameters, rules))


def group(folder: Path, parameters: str, rules: str) -> Group:
    (only,) = of(folder, parameters, rules).groups
    return only


def conflicts(account: Account | Group) -> set[str]:
    found = [" ".join(sorted(named(c))) for c in account.conflicts]
    assert len(found) == len(set(found))
    return set(found)


def change(one: Change) -> str:
    if isinstance(one, Moved):
        return f"{one.parameter} to {seconds(one.after)}"
    return one.to if isinstance(one, Weakened) else f"without {one.kind.value} {one.rule}"


def seconds(value: Fraction | Sentinel) -> str:
    if isinstance(value, Sentinel):
        return value.value
    return f"{value / SECOND}s" if value >= 1000 else f"{value}"


def ways(found: Group) -> list[str]:
    """Each way out in words, the cheapest first."""
    return [", ".join(map(change, r.changes)) for r in found.repairs]


def certificate(conflict: Conflict) -> Certificate:
    assert isinstance(conflict.proof, Certificate)
    return conflict.proof


# The worked system.


def worked(folder: Path) -> tuple[Group, Group]:
    idle, send = explained(folder, WORKED).groups
    return idle, send


def test_the_worked_system_falls_into_two_groups(tmp_path: Path) -> None:
    idle, send = worked(tmp_path)
    assert (idle.number, idle.parameters, idle.rules) == (1, ("idle",), ("client_reuse", "idle_order"))
    assert (send.number, send.parameters) == (2, ("ping", "send_ping"))
    assert send.rules == ("deadline", "detect", "nat_budget", "rate")
    assert idle.is_must
    assert send.is_must


def test_the_worked_system_has_four_conflicts(tmp_path: Path) -> None:
    idle, send = worked(tmp_path)
    assert conflicts(idle) == {"fact:lb_idle rule:client_reuse rule:idle_order"}
    assert [named(c) for c in send.conflicts] == [
        {"rule:detect", "rule:nat_budget", "fact:pods"},
        {"rule:detect", "rule:rate", "fact:pods"},
        {"rule:deadline", "rule:nat_budget", "domain:ping.min", "fact:ctx", "fact:pods"},
    ]
    assert all(c.minimal and not c.by_steps and c.shoulds == () for c in (*idle.conflicts, *send.conflicts))


def test_detection_counts_25_times_a_second_against_the_nat_budget(tmp_path: Path) -> None:
    _, send = worked(tmp_path)
    proof = certificate(send.conflicts[0])
    lines = {s.item: (s.says, s.times) for s in proof.steps}
    # 2 * send_ping <= 7s, 25/s times, is 50/s * send_ping <= 175; yet 400 are at most 50/s * send_ping.
    assert lines == {
        "rule:detect": ("2 * send_ping <= 7s", "25/s"),
        "rule:nat_budget": ("pods <= 50/s * send_ping", "1"),
        "fact:pods": ("400 <= pods", "1"),
    }
    assert proof.total == "0 <= -225"
    multipliers = {s.item: s.multiplier for s in proof.steps}
    assert multipliers["rule:detect"] == Fraction(25, SECOND) * multipliers["rule:nat_budget"]


@pytest.mark.parametrize(("which", "number", "total"), [(0, 0, "0s < -15s"), (1, 1, "0 < -50"), (1, 2, "0s < -300ms")])
def test_what_is_missing_is_the_sum_of_a_certificate(tmp_path: Path, which: int, number: int, total: str) -> None:
    assert certificate(worked(tmp_path)[which].conflicts[number]).total == total


def test_the_worked_system_has_five_ways_out(tmp_path: Path) -> None:
    idle, send = worked(tmp_path)
    # 75s < (1 + 25.1 %) * 60s; 75s less 15.1 s, the next of three digits.
    assert ways(idle) == ["idle < 1.251 * lb_idle", "idle >= 59.9s"]
    assert ways(send) == [
        "2 * send_ping <= 10.584s, pods / send_ping <= 75.6/s",
        "send_ping + ping < 1.0301 * ctx, 2 * send_ping <= 16.03s",
        "pods / send_ping <= 114.5/s, pods / send_ping < 114.3/s",
    ]
    assert [r.cost for r in (*idle.repairs, *send.repairs)] == [10, 10, 20, 20, 20]
    assert all(r.smallest for r in (*idle.repairs, *send.repairs))


def test_two_rules_give_way_by_the_same_share_where_neither_could_alone(tmp_path: Path) -> None:
    joint = worked(tmp_path)[1].repairs[0]
    assert [c.share for c in joint.changes if isinstance(c, Weakened)] == [Fraction(512, 1000)] * 2
    assert joint.move == Fraction(512, 1000)
    # 400 / 5.292 s is just within 75.6/s, twice 5.292 s is 10.584 s.
    assert joint.values["send_ping"] == 5292 * Fraction(SECOND, 1000)
    assert joint.values["ping"] == 2300 * Fraction(SECOND, 1000)
    assert dict(joint.headroom)["detect"] == 0


def test_the_cheapest_ways_out_mend_the_worked_system_together(tmp_path: Path) -> None:
    text = WORKED.replace("idle < lb_idle", "idle < 1.251 * lb_idle").replace(
        "send_ping <= 50/s", "send_ping <= 75.6/s"
    )
    mended = text.replace("<= 7s", "<= 10.584s")
    path = tmp_path / "outlast.yaml"
    path.write_text(f"outlast: 1\n{mended.strip()}\n")
    assert explain(path).groups == ()
    path.write_text(f"outlast: 1\n{mended.replace('10.584s', '10.57s').strip()}\n")
    assert len(explain(path).groups) == 1


# Steps.


def test_a_conflict_of_the_steps_alone_is_mended_up_to_the_next_step(tmp_path: Path) -> None:
    found = group(tmp_path, "x: {free: any, step: 5s}", "a: {require: x > 11s}\nb: {require: x < 14s}")
    assert conflicts(found) == {"rule:a rule:b step:x"}
    assert found.conflicts[0].by_steps
    assert isinstance(found.conflicts[0].proof, Cases)
    # 15s < 1.0715 * 14s; 10s > 9.99s, 11s less 1.01 s.
    assert ways(found) == ["x < 15.001s", "x > 9.99s"]
    assert [r.values["x"] for r in found.repairs] == [15 * SECOND, 10 * SECOND]


def test_multiples_of_two_seconds_never_add_up_to_seven(tmp_path: Path) -> None:
    found = group(tmp_path, "x: {free: any, step: 2s}\ny: {free: any, step: 4s}", "a: {require: x + y == 7s}")
    assert conflicts(found) == {"rule:a step:x step:y"}
    assert ways(found) == ["without rule a"]


def test_a_conflict_that_needs_the_steps_is_told_beside_one_that_does_not(tmp_path: Path) -> None:
    rules = "a: {require: x > 11s}\nb: {require: x < 14s}\nc: {require: x < 10s}"
    found = group(tmp_path, "x: {free: any, step: 5s}", rules)
    assert [(named(c), c.by_steps) for c in found.conflicts] == [
        ({"rule:a", "rule:c"}, False),
        ({"rule:a", "rule:b", "step:x"}, True),
    ]


def test_a_count_is_whole_where_its_step_is_not_named(tmp_path: Path) -> None:
    found = group(tmp_path, "n: {free: 1..9, step: 3}", "a: {require: 2 * n > 7}\nb: {require: 2 * n < 8}")
    assert conflicts(found) == {"rule:a rule:b"}
    assert not found.conflicts[0].by_steps


# Amounts that depend on each other.


def test_of_two_ways_to_share_a_move_the_other_item_decides(tmp_path: Path) -> None:
    rules = "a: {require: 7500ms <= x}\nb: {require: x + k <= 4667ms}"
    (joint,) = group(tmp_path, "x: {free: 5s..6s, step: 1s}\nk: {fact: 1s}", rules).repairs
    # At 5 s a moves by 50 % and b by 28.6 %; at 6 s b by 50 % and a by 25 %, or 7.5 s less 1.5 s.
    assert [c.share for c in joint.changes if isinstance(c, Weakened)] == [Fraction(25, 100), Fraction(50, 100)]
    assert joint.values == {"x": 6 * SECOND}


def test_a_rule_that_goes_takes_its_divisor_with_it(tmp_path: Path) -> None:
    rules = "a: {require: 10 / x > 1/s}\nb: {require: x <= 0s, cost: never}"
    found = group(tmp_path, "x: {free: 0s..9s, step: 1s}", rules)
    assert conflicts(found) == {"divisor:a rule:b"}
    assert ways(found) == ["without rule a"]
    assert found.repairs[0].values == {"x": 0}


# Rules that should hold.


def test_a_should_rule_that_cannot_be_kept_is_told_with_its_conflict(tmp_path: Path) -> None:
    found = group(tmp_path, "x: {free: 1s..9s, step: 1s}", "a: {require: x < 5s, level: should}\nb: {require: x > 7s}")
    assert conflicts(found) == {"rule:a rule:b"}
    assert found.conflicts[0].shoulds == ("a",)
    assert not found.is_must
    assert ways(found) == ["without rule a", "x > 3.99s"]
    assert [r.cost for r in found.repairs] == [1, 10]


def test_what_solve_gives_up_is_the_cheapest_way_out(tmp_path: Path) -> None:
    parameters = "x: {free: 1s..9s, step: 1s}"
    rules = "a: {require: x < 5s, level: should, weight: 3}\nb: {require: x > 7s, level: should, weight: 2}"
    found = group(tmp_path, parameters, rules)
    assert ways(found) == ["without rule b", "without rule a"]
    assert [r.cost for r in found.repairs] == [2, 3]
    assert [g.rule for g in solved(tmp_path, spec(parameters, rules)).given_up] == ["b"]


def test_a_conflict_of_musts_makes_the_group_a_must(tmp_path: Path) -> None:
    rules = "a: {require: x < 5s, level: should}\nb: {require: x > 7s}\nc: {require: x < 6s}"
    found = group(tmp_path, "x: {free: 1s..9s, step: 1s}", rules)
    assert {" ".join(sorted(named(c))): c.shoulds for c in found.conflicts} == {
        "rule:a rule:b": ("a",),
        "rule:b rule:c": (),
    }
    assert found.is_must


# Costs.


def test_what_costs_never_is_in_no_way_out(tmp_path: Path) -> None:
    parameters = "x: {free: 1s..9s, step: 1s}\nk: {fixed: 4s, cost: never}\nl: {fixed: 6s, step: 1s}"
    found = group(tmp_path, parameters, "a: {require: x < k}\nb: {require: x > l, cost: never}")
    assert conflicts(found) == {"fixed:k fixed:l rule:a rule:b"}
    assert ways(found) == ["l to 2s", "x < 1.751 * k"]
    assert found.parameters == ("l", "x")


def test_where_everything_costs_never_there_is_no_way_out(tmp_path: Path) -> None:
    parameters = "x: {free: 1s..9s}\nk: {fixed: 4s, cost: never}"
    found = group(tmp_path, parameters, "a: {require: x < k, cost: never}\nb: {require: x > 6s, cost: never}")
    assert conflicts(found) == {"fixed:k rule:a rule:b"}
    assert found.repairs == ()


def test_costs_decide_the_order(tmp_path: Path) -> None:
    parameters = "k: {fixed: 5s, step: 1s, cost: 12}\nl: {fixed: 9s, step: 1s}\nf: {fact: 3s}"
    found = group(tmp_path, parameters, "a: {require: l + f < k}")
    assert ways(found) == ["l to 1s", "l + f < 2.41 * k", "k to 13s"]
    assert [r.cost for r in found.repairs] == [1, 10, 12]


def test_a_margin_is_given_up_before_its_rule(tmp_path: Path) -> None:
    found = group(
        tmp_path, "x: {free: 1s..100s, step: 1s}", "a: {require: x < 10s, margin: 50%}\nb: {require: x >= 8s}"
    )
    assert conflicts(found) == {"margin:a rule:b"}
    # With its margin, x is at most 6 s on its step; 8s less 2.01 s.
    assert ways(found) == ["without margin a", "x < 12s", "x >= 5.99s"]
    assert [r.cost for r in found.repairs] == [3, 10, 10]


# Constants.


def test_a_fixed_factor_is_moved_as_a_whole_number(tmp_path: Path) -> None:
    found = group(
        tmp_path, "x: {free: 1s..100s, step: 1s}\nk: {fixed: 5}", "a: {require: k * x < 20s}\nb: {require: x >= 8s}"
    )
    assert conflicts(found) == {"fixed:k rule:a rule:b"}
    assert ways(found) == ["k to 2", "k * x < 40.2s", "x >= 2.99s"]
    assert found.repairs[0].move == Fraction(3, 5)


def test_components_that_share_a_fixed_value_make_one_group(tmp_path: Path) -> None:
    parameters = "x: {free: 1s.., step: 1s}\ny: {free: 1s.., step: 1s}\nk: {fixed: 5s, step: 1s}"
    rules = "a: {require: x < k}\nb: {require: x > 6s}\nc: {require: y > k}\nd: {require: y < 7s}"
    found = group(tmp_path, parameters, rules)
    assert found.parameters == ("k", "x", "y")
    # Whatever k is, no multiple of a second lies between 6 s and it, or between it and 7 s.
    assert conflicts(found) == {
        "fixed:k rule:a rule:b",
        "rule:a rule:b rule:c rule:d step:x",
        "rule:a rule:b rule:c rule:d step:y",
    }
    assert ways(found) == [
        "x < 1.401 * k",
        "x > 3.99s",
        "k to 8s, 1.334 * y > k",
        "k to 8s, y < 9.002s",
    ]


def test_a_shared_value_that_nothing_may_move_joins_nothing(tmp_path: Path) -> None:
    parameters = "x: {free: 1s.., step: 1s}\ny: {free: 1s.., step: 1s}\nk: {fixed: 5s, cost: never}"
    rules = "a: {require: x < k}\nb: {require: x > 6s}\nc: {require: y > k}\nd: {require: y < 5s}"
    one, other = of(tmp_path, parameters, rules).groups
    assert (conflicts(one), conflicts(other)) == ({"fixed:k rule:a rule:b"}, {"fixed:k rule:c rule:d"})


def test_an_equality_is_given_up_as_a_whole(tmp_path: Path) -> None:
    found = group(
        tmp_path, "x: {free: 1s.., step: 1s}\nk: {fixed: 5s, step: 1s}", "a: {require: x == k}\nb: {require: x > 6s}"
    )
    assert conflicts(found) == {"fixed:k rule:a rule:b"}
    assert ways(found) == ["k to 7s", "without rule a", "x > 4.99s"]


def test_constants_alone_can_be_in_conflict(tmp_path: Path) -> None:
    fixed = group(tmp_path, "k: {fixed: 5s, step: 1s}\nl: {fixed: 9s, step: 1s}", "a: {require: l < k}")
    assert conflicts(fixed) == {"fixed:k fixed:l rule:a"}
    assert ways(fixed) == ["l to 4s", "k to 10s", "l < 1.801 * k"]
    assert fixed.repairs[0].values == {}
    facts = group(tmp_path, "k: {fact: 5s}\nl: {fact: 9s}", "a: {require: l < k}")
    assert conflicts(facts) == {"fact:k fact:l rule:a"}
    assert ways(facts) == ["l < 1.801 * k"]


def test_a_value_that_is_off_but_needed_gets_a_number(tmp_path: Path) -> None:
    parameters = "probe: {fixed: off}\nx: {free: 1s..6s, step: 1s}"
    found = group(tmp_path, parameters, "a: {require: 2s <= probe, needs_on: [probe]}\nb: {require: probe < x}")
    assert conflicts(found) == {"fixed:probe rule:a"}
    assert isinstance(found.conflicts[0].proof, Clash)
    assert ways(found) == ["probe to 2s", "without rule a"]


def test_a_spec_that_can_be_solved_has_nothing_to_explain(tmp_path: Path) -> None:
    account = of(tmp_path, "x: {free: 1s..9s}", "a: {require: x < 5s, margin: 50%}\nb: {require: x > 2s}")
    assert account.groups == ()
    assert account.conflicts == ()
    assert account.cheapest == ()


def test_repairs_are_told_with_values_that_keep_every_rule(tmp_path: Path) -> None:
    found: list[Repair] = [r for g in worked(tmp_path) for r in g.repairs]
    for repair in found:
        assert all(room >= 0 for _, room in repair.headroom)
        assert [room for _, room in repair.headroom] == sorted(room for _, room in repair.headroom)
