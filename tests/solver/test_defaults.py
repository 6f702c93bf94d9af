"""Free parameters of real software: what solve does with them where nobody asks for a value, and whose defaults reports name."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast.api import check, solve
from outlast.constraints.quantities import Value, format_value
from outlast.reports.check import check_document
from outlast.reports.text import plain


def solved(folder: Path, parameter: str, rules: str = "") -> tuple[Value | None, str | None, tuple[str, ...]]:
    """Value, reason and notes of a parameter of a balancer, called `NAME: KEYS`."""
    path = folder / "outlast.yaml"
    rules = f"own: {{ require: other > 1s }}, {rules}"
    path.write_text(
        f"outlast: 1\ncomponents: {{ lb: aws.alb }}\nparameters: {{ other: {{ fixed: 3s }}, lb.{parameter} }}\nrules: {{ {rules} }}\n"
    )
    outcome = solve(path)
    result = outcome.parameters[f"lb.{parameter.partition(':')[0]}"]
    return result.value, result.chosen, tuple(n for n in outcome.notes if "left as it is" in n)


LEFT = ("'lb.slow_start' is left as it is: no rule speaks of it",)


@pytest.mark.parametrize(
    ("parameter", "rules", "value", "reason", "notes"),
    [
        ("idle_timeout: { free: any }", "", "60s", "the default of ALB", ()),
        ("idle_timeout: { free: any, unset: 50s }", "", "50s", "the value when unset", ()),
        ("idle_timeout: { free: any, current: 40s }", "", "40s", "the current value", ()),
        ("idle_timeout: { free: 1s..50s }", "", "50s", "nearest to the default of ALB that the others leave", ()),
        ("slow_start: { free: any }", "", None, None, LEFT),
        ("slow_start: { free: [30s, off] }", "", "off", "the default of ALB", ()),
        ("slow_start: { free: any, prefer: 60s }", "", "60s", "the preferred value", ()),
        (
            "slow_start: { free: any }",
            "x: { require: lb.slow_start >= 40s, aim: 0% }",
            "40s",
            "the smallest possible",
            (),
        ),
    ],
)
def test_what_no_rule_asks_for_stays_at_its_default(
    tmp_path: Path, parameter: str, rules: str, value: str | None, reason: str | None, notes: tuple[str, ...]
) -> None:
    found, why, said = solved(tmp_path, parameter, rules)
    assert (None if found is None else format_value(found, 1), why, said) == (value, reason, notes)


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [("free: any", "the default of ALB"), ("free: any, unset: 60s", "unset"), ("free: any, current: 60s", "current")],
)
def test_a_report_says_whose_default_a_value_is(tmp_path: Path, keys: str, wanted: str) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(
        f"outlast: 1\ncomponents: {{ lb: aws.alb }}\nparameters: {{ lb.idle_timeout: {{ {keys} }} }}\nrules: {{ r: {{ require: lb.idle_timeout > 2min }} }}\n"
    )
    (line,) = [
        line for line in plain(check_document(check(path)), 120).splitlines() if "lb.idle_timeout = 60s  " in line
    ]
    assert line.endswith(f"outlast.yaml:3, {wanted}")


def test_what_no_rule_asks_for_stays_unlimited_and_passes_the_check(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(
        "outlast: 1\ncomponents: { srv: go.http-server }\nparameters: { srv.read_timeout: { free: any } }\n"
    )
    assert solve(path).parameters["srv.read_timeout"].value is None
    assert check(path).findings == ()
