"""Ways out: values move where software refuses what breaks a rule, and what is off comes on where it is nearest to that."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast.api import explain
from outlast.constraints.quantities import Sentinel, parse_quantity
from outlast.solver.account import Moved

SPEC = """
outlast: 1
components: { lb: aws.alb }
parameters:
  lb.check_interval: { fixed: 10s, cost: COST }
  lb.check_timeout: { fixed: 10s, cost: COST }
"""


def ways_out(folder: Path, cost: str, more: str = "") -> list[list[str]]:
    """The changes of each way out, as a moved parameter's name or a rule's id."""
    path = folder / "outlast.yaml"
    path.write_text(SPEC.lstrip().replace("COST", cost) + more)
    groups = explain(path).groups
    return [
        [change.parameter if isinstance(change, Moved) else change.rule for change in repair.changes]
        for group in groups
        for repair in group.repairs
    ]


def test_what_an_api_refuses_is_mended_by_values_alone(tmp_path: Path) -> None:
    assert sorted(ways_out(tmp_path, "20")) == [["lb.check_interval"], ["lb.check_timeout"]]


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ("", []),
        # Somebody knows better.
        ("cost: 5", [["lb/alb-check-timeout-below-interval@lb"]]),
        ("margin: 10%", []),
    ],
)
def test_where_no_value_may_move_there_is_no_way_out(tmp_path: Path, more: str, wanted: list[list[str]]) -> None:
    rules = f"rules: {{ lb/alb-check-timeout-below-interval@lb: {{ {more} }} }}\n" if more else ""
    assert ways_out(tmp_path, "never", rules) == wanted


def test_a_rule_that_nobody_refuses_may_be_weakened(tmp_path: Path) -> None:
    own = "rules: { own: { require: lb.check_timeout < lb.check_interval } }\n"
    own += "decline: { lb/alb-check-timeout-below-interval@lb: { why: tested here } }\n"
    assert ways_out(tmp_path, "never", own) == [["own"]]


@pytest.mark.parametrize(
    ("kind", "rules", "wanted"),
    [
        # 1 ms would be a flood.
        ("1ms..60s", "x: { require: ping + 1s < deadline, needs_on: [ping] }", "8999ms"),
        ("1ms..5s", "x: { require: ping + 1s < deadline, needs_on: [ping] }", "5s"),
        ("1ms..60s", "x: { require: 4s <= ping and ping + 1s < deadline, needs_on: [ping] }", "4s"),
        ("1ms..60s", "x: { require: 4s <= ping, needs_on: [ping] }", "4s"),
        ("1..60", "x: { require: ping * 1s < deadline, needs_on: [ping] }", "1"),
    ],
)
def test_what_is_off_comes_on_where_it_is_nearest_to_off(tmp_path: Path, kind: str, rules: str, wanted: str) -> None:
    path = tmp_path / "outlast.yaml"
    parameters = f"ping: {{ free: {kind}, current: off }}, deadline: {{ fact: 10s }}"
    path.write_text(f"outlast: 1\nparameters: {{ {parameters} }}\nrules: {{ {rules[:-2]}, cost: never }} }}\n")
    (group,) = explain(path, current=True).groups
    (repair,) = group.repairs
    (change,) = repair.changes
    assert isinstance(change, Moved)
    assert (change.before, change.after) == (Sentinel.OFF, parse_quantity(wanted).value)
