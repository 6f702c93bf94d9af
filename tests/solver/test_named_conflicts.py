"""Conflicts worked out by hand: which items they name, which they do not, and how they are told."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from outlast.api import solve
from outlast.solver.account import Conflict
from outlast.solver.outcome import SolveOutcome, Status

WORKED = """
parameters:
  ctx: {fact: 10s}
  lb_idle: {fact: 60s}
  pods: {fact: 400}
  ping: {free: 2300ms.., step: 1ms}
  send_ping: {free: 0s..60s, step: 1ms}
  idle: {free: 0s.., step: 1ms}
rules:
  deadline: {require: send_ping + ping < ctx}
  idle_order: {require: idle < lb_idle}
  rate: {require: pods / send_ping < 100/s}
  nat_budget: {require: pods / send_ping <= 50/s}
  client_reuse: {require: idle >= 75s}
  detect: {require: 2 * send_ping <= 7s}
"""


def solved(folder: Path, text: str) -> SolveOutcome:
    path = folder / "outlast.yaml"
    path.write_text("outlast: 1\n" + dedent(text).strip() + "\n")
    return solve(path)


def conflicts(folder: Path, text: str) -> tuple[Conflict, ...]:
    outcome = solved(folder, text)
    assert outcome.status is Status.CONFLICT
    return outcome.conflicts


def only(folder: Path, parameters: str, rules: str) -> Conflict:
    (conflict,) = conflicts(folder, spec(parameters, rules))
    return conflict


def spec(parameters: str, rules: str) -> str:
    """One entry a line, `name: {…}`."""
    sections = (("parameters", parameters), ("rules", rules))
    return "\n".join(
        line
        for title, text in sections
        for line in (f"{title}:", *(f"  {e.strip()}" for e in text.strip().split("\n")))
    )


def named(conflict: Conflict) -> set[str]:
    return {i.id for i in conflict.items}


def test_the_worked_system_has_a_conflict_in_each_component(tmp_path: Path) -> None:
    found = conflicts(tmp_path, WORKED)
    assert [named(c) for c in found] == [
        {"rule:client_reuse", "rule:idle_order", "fact:lb_idle"},
        {"rule:detect", "rule:nat_budget", "fact:pods"},
        {"rule:detect", "rule:rate", "fact:pods"},
        {"rule:deadline", "rule:nat_budget", "domain:ping.min", "fact:ctx", "fact:pods"},
    ]
    assert all(c.minimal for c in found)
    idle = found[0]
    assert not idle.by_steps
    assert idle.certificate is not None
    assert idle.certificate.total == "0s < -15s"


def test_without_detection_the_deadline_the_budget_and_the_round_trip_conflict(tmp_path: Path) -> None:
    text = WORKED.replace("  detect: {require: 2 * send_ping <= 7s}\n", "").replace("idle >= 75s", "idle >= 5s")
    (ping,) = conflicts(tmp_path, text)
    assert named(ping) == {"rule:deadline", "rule:nat_budget", "domain:ping.min", "fact:ctx", "fact:pods"}
    assert ping.certificate is not None
    # send_ping >= 8 s and ping >= 2.3 s against 10 s.
    assert ping.certificate.total == "0s < -300ms"


def test_no_multiple_of_five_seconds_lies_between_eleven_and_fourteen(tmp_path: Path) -> None:
    found = only(tmp_path, "x: {free: any, step: 5s}", "a: {require: x > 11s}\nb: {require: x < 14s}")
    assert named(found) == {"rule:a", "rule:b", "step:x"}
    assert found.by_steps
    assert found.certificate is None
    assert "x is a multiple of 5s" in [i.says for i in found.items]


def test_steps_are_no_part_of_what_conflicts_without_them(tmp_path: Path) -> None:
    found = only(tmp_path, "x: {free: any, step: 5s}", "a: {require: x > 14s}\nb: {require: x < 11s}")
    assert named(found) == {"rule:a", "rule:b"}
    assert not found.by_steps


def test_counts_are_whole_without_saying_so(tmp_path: Path) -> None:
    found = only(tmp_path, "n: {free: 1..9}", "a: {require: 2 * n > 7}\nb: {require: 2 * n < 8}")
    assert named(found) == {"rule:a", "rule:b"}
    assert found.certificate is None


def test_a_coarse_step_of_a_count_is_named(tmp_path: Path) -> None:
    found = only(tmp_path, "n: {free: 1..9, step: 3}", "a: {require: n > 3}\nb: {require: n < 6}")
    assert named(found) == {"rule:a", "rule:b", "step:n"}
    assert found.by_steps


def test_a_list_is_named_where_a_value_between_would_do(tmp_path: Path) -> None:
    found = only(tmp_path, "x: {free: [1s, 5s, 9s]}", "a: {require: x > 2s}\nb: {require: x < 4s}")
    assert named(found) == {"rule:a", "rule:b", "step:x"}
    assert "x is one of 1s, 5s, 9s" in [i.says for i in found.items]


def test_only_the_needed_ends_of_domains_are_named(tmp_path: Path) -> None:
    found = only(tmp_path, "x: {free: 1s..6s}\ny: {free: 2s..9s}", "a: {require: x > y + 5s}\nb: {require: x < 50s}")
    assert named(found) == {"rule:a", "domain:x.max", "domain:y.min"}
    enough = only(tmp_path, "x: {free: 1s..6s}\ny: {free: 2s..9s}", "a: {require: x > y}\nb: {require: y > x + 1s}")
    assert named(enough) == {"rule:a", "rule:b"}


def test_a_zero_with_a_meaning_is_excluded_by_the_lower_end(tmp_path: Path) -> None:
    found = only(tmp_path, "x: {free: 0s..9s, zero: infinite, step: 1s}", "a: {require: x <= 0s}")
    assert named(found) == {"rule:a", "domain:x.min"}
    assert [i.says for i in found.items] == ["x <= 0s", "x > 0s"]


def test_a_product_of_free_parameters_names_both_domains(tmp_path: Path) -> None:
    found = only(tmp_path, "x: {free: 2s..10s, step: 1s}\nn: {free: 3..9}", "a: {require: n * x < 6s}")
    assert named(found) == {"rule:a", "domain:n.min", "domain:x.min"}


def test_a_margin_is_named_apart_from_its_rule(tmp_path: Path) -> None:
    rules = "a: {require: x < 10s, margin: 50%}\nb: {require: x >= 8s}"
    found = only(tmp_path, "x: {free: 1s..100s}", rules)
    assert named(found) == {"margin:a", "rule:b"}
    assert found.certificate is not None
    assert {(s.item, s.says) for s in found.certificate.steps} == {
        ("margin:a", "1.5 * x <= 10s"),
        ("rule:b", "8s <= x"),
    }


def test_a_margin_conflicts_by_itself_where_its_rule_does(tmp_path: Path) -> None:
    rules = "a: {require: x < 10s, margin: 50%}\nb: {require: x >= 12s}\nc: {require: x < 99s}"
    found = conflicts(tmp_path, spec("x: {free: 1s..100s}", rules))
    assert [named(c) for c in found] == [{"margin:a", "rule:b"}, {"rule:a", "rule:b"}]


def test_a_fixed_value_that_is_a_factor_is_named(tmp_path: Path) -> None:
    found = only(tmp_path, "x: {free: 1s..100s}\nk: {fixed: 5}", "a: {require: k * x < 20s}\nb: {require: x >= 8s}")
    assert named(found) == {"rule:a", "rule:b", "fixed:k"}


def test_a_constant_that_any_value_leaves_in_conflict_is_not_named(tmp_path: Path) -> None:
    found = only(tmp_path, "x: {free: 1s..9s}\nk: {fixed: 5s}", "a: {require: x < k}\nb: {require: k + 1s < x}")
    assert named(found) == {"rule:a", "rule:b"}


def test_a_divisor_that_would_be_zero_is_an_item(tmp_path: Path) -> None:
    text = spec("x: {free: 0s..100s}", "a: {require: 1 / x < 1000/s}\nb: {require: x <= 0s}")
    assert [named(c) for c in conflicts(tmp_path, text)] == [{"rule:b", "divisor:a"}, {"rule:a", "rule:b"}]
    # Here the inequality alone, 1 > 0.1/s * x once it is multiplied out, holds at 0; only the divisor forbids it.
    needed = only(tmp_path, "x: {free: 0s..100s}", "a: {require: 1 / x > 1 / 10s}\nb: {require: x <= 0s}")
    assert named(needed) == {"rule:b", "divisor:a"}


def test_both_ends_of_an_interval_are_told(tmp_path: Path) -> None:
    parameters = "pods: {fact: 40..400}\nx: {free: 1s..60s, step: 1s}"
    found = only(tmp_path, parameters, "a: {require: pods / x < 100/s}\nb: {require: x < 4s}")
    assert named(found) == {"rule:a", "rule:b", "fact:pods"}
    assert "pods is anything from 40 to 400" in [i.says for i in found.items]


def test_a_measurement_is_named_with_its_bound(tmp_path: Path) -> None:
    (tmp_path / "rtt.csv").write_text("".join(f"{i}\n" for i in range(1, 1001)))
    text = """
    parameters:
      x: {free: 1ms..9s}
    measurements:
      rtt: {samples: rtt.csv, unit: ms, taken: 2026-10-20}
    rules:
      a: {require: p99(rtt) < x}
      b: {require: x < 500ms}
    """
    (found,) = conflicts(tmp_path, text)
    assert named(found) == {"rule:a", "rule:b", "measurement:rtt"}
    (says,) = (i.says for i in found.items if i.id == "measurement:rtt")
    # The 996th of 1,000 samples is the smallest that bounds p99 with 95 %.
    assert says == "p99(rtt) is at most 996ms"


def test_a_measurement_on_the_larger_side_is_named_with_its_lower_bound_even_where_it_has_no_other(
    tmp_path: Path,
) -> None:
    (tmp_path / "rtt.csv").write_text("5\n" * 300)
    text = """
    parameters:
      x: {free: 1ms..9s}
    measurements:
      rtt: {samples: rtt.csv, unit: ms}
    rules:
      a: {require: p99.9(rtt) * 2 > x}
      b: {require: x > 1s}
    """
    (found,) = conflicts(tmp_path, text)
    assert [i.says for i in found.items if i.id == "measurement:rtt"] == ["p99.9(rtt) is at least 5ms"]


def test_a_broken_rule_without_free_parameters_is_a_conflict_of_its_constants(tmp_path: Path) -> None:
    parameters = "x: {free: 1s..9s}\nlimit: {fixed: 5s}\nrtt: {fact: 9s}\nother: {fixed: 1s}"
    found = only(tmp_path, parameters, "a: {require: rtt < limit}\nb: {require: x > other}")
    assert named(found) == {"rule:a", "fact:rtt", "fixed:limit"}


def test_a_feature_that_is_off_but_needed_is_named(tmp_path: Path) -> None:
    parameters = "probe: {fixed: off}\nx: {free: 1s..6s}"
    found = only(tmp_path, parameters, "a: {require: probe < x, needs_on: [probe]}\nb: {require: x < 4s}")
    assert named(found) == {"rule:a", "fixed:probe"}


@pytest.mark.parametrize(("weight", "lost", "kept"), [(1, "a", "b"), (3, "b", "a")])
def test_a_rule_given_up_is_told_with_the_conflict_that_forced_it(
    tmp_path: Path, weight: int, lost: str, kept: str
) -> None:
    rules = f"a: {{require: x < 5s, level: should, weight: {weight}}}\nb: {{require: x > 7s, level: should, weight: 2}}"
    outcome = solved(tmp_path, spec("x: {free: 1s..9s, step: 1s}", rules))
    assert outcome.status is Status.OPTIMAL
    (given_up,) = outcome.given_up
    assert given_up.rule == lost
    assert given_up.conflict is not None
    assert named(given_up.conflict) == {f"rule:{lost}", f"rule:{kept}"}
    assert outcome.conflicts == ()


def test_rules_that_have_nothing_to_do_with_it_are_not_named(tmp_path: Path) -> None:
    rules = "\n".join(
        ["a: {require: x < y}", "b: {require: y < z}", "c: {require: z < x}"]
        + [f"r{i}: {{require: x + y < {i + 40}s}}" for i in range(5)]
    )
    found = only(tmp_path, "x: {free: 1s..9s}\ny: {free: 1s..9s}\nz: {free: 1s..9s}", rules)
    assert named(found) == {"rule:a", "rule:b", "rule:c"}
    assert found.certificate is not None
    assert [s.multiplier for s in found.certificate.steps] == [1, 1, 1]
    assert found.certificate.total == "0s < 0s"


def test_a_backoff_names_only_the_end_that_it_needs(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        "hops: {free: 1..5}\nwait: {free: 0s..9s, step: 1s}",
        "a: {require: 500ms <= 3 * wait}\nb: {require: 'backoff(wait, 2, 20s, hops) <= 500ms'}",
    )
    assert named(found) == {"rule:a", "rule:b", "domain:hops.min", "step:wait"} or not found.minimal
