"""What programs get: the examples solved and checked, and every number of the report traced to its place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from outlast.api import check, solve, what_if, why
from outlast.constraints.errors import InputErrors, Place
from outlast.constraints.evaluate import Truth
from outlast.constraints.loading import load_spec
from outlast.constraints.model import Role
from outlast.constraints.quantities import format_value
from outlast.solver.account import ItemKind, Moved, Weakened
from outlast.solver.outcome import SolveOutcome, Status

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(p.parent.name for p in (ROOT / "examples").glob("*/outlast.yaml"))


@cache
def solved(example: str) -> SolveOutcome:
    return solve(ROOT / "examples" / example / "outlast.yaml")


@cache
def printed(example: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "outlast", "solve", "outlast.yaml"],
        cwd=ROOT / "examples" / example,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def words(text: str) -> str:
    return " ".join(text.split())


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_rule_is_told_with_its_place(example: str) -> None:
    outcome = solved(example)
    assert outcome.status is Status.OPTIMAL
    lines = printed(example).splitlines()
    for rule in outcome.spec.rules.values():
        is_idle = outcome.rules[rule.id].verdict.truth is Truth.NOT_APPLICABLE
        if rule.is_bound or (rule.relation is not None and is_idle):
            continue  # what the catalogue knows and says nothing about these values
        place = rule.places.get("require", rule.place)
        told = [line for line in lines if line.split()[:1] == [rule.id]]
        assert any(line_of(place) in line or line_of(rule.place) in line for line in told), (rule.id, told)


def line_of(place: Place) -> str:
    return f"{Path(place.file).name}:{place.line}"


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_measurement_is_told_with_its_bound_its_size_and_its_date(example: str) -> None:
    spec, text = solved(example).spec, words(printed(example))
    for name, measurement in spec.measurements.items():
        told = re.findall(rf"p([\d.]+)\({name}\) = (\S+) (.*?), taken ([\d-]+)", text)
        assert told, name
        for level, value, about, taken in told:
            bound = measurement.sample.upper(Fraction(level) / 100, spec.confidence)
            assert value == format_value(bound, 1)
            assert line_of(measurement.place) in about
            assert f"{measurement.sample.size} samples" in about
            assert "upper bound at 95 % confidence" in about
            assert taken == str(measurement.taken)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_constant_that_a_rule_uses_is_told_with_its_value_and_place(example: str) -> None:
    spec, text = solved(example).spec, words(printed(example))
    constants = [p for p in spec.parameters.values() if p.role in (Role.FACT, Role.FIXED) and p.value is not None]
    assert constants
    for p in constants:
        assert p.value is not None
        value = format_value(p.value, p.kind.time_exponent)
        sort = p.role.value if p.default_of is None else f"the default of {p.default_of}"
        assert re.search(
            rf"{re.escape(p.name)} = {re.escape(value)} {re.escape(line_of(p.places[p.role.value]))}, {re.escape(sort)}",
            text,
        )


NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:ms|us|ns|s|min|h|d|/s|/min|/h)\b")


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_quantity_that_is_told_is_one_that_the_answer_or_the_spec_holds(example: str) -> None:
    outcome = solved(example)
    known = set(NUMBER.findall((ROOT / "examples" / example / "outlast.yaml").read_text()))
    for result in outcome.parameters.values():
        exponent = result.parameter.kind.time_exponent
        values = [result.value, result.parameter.value, result.parameter.current]
        for found in (result.range, result.range_as_recommended):
            if found is not None:
                values += [v for e in (found.low, found.high) if e is not None for v in (e.at, e.on_step)]
        known |= {format_value(v, exponent) for v in values if v is not None}
    for growth in outcome.growth:
        if growth.name in outcome.parameters:
            exponent = outcome.parameters[growth.name].parameter.kind.time_exponent
            ends = [e.on_step for e in (growth.shrink, growth.grow) if e is not None and e.on_step is not None]
            known |= {format_value(v, exponent) for v in ends}
    for told in outcome.rules.values():
        for judged in told.verdict.judged:
            for side in (judged.left, judged.right, judged.slack):
                if isinstance(side, Fraction):
                    known.add(format_value(side, judged.comparison.time_exponent))
    spec = outcome.spec
    for level, name in re.findall(r"p([\d.]+)\((\w+)\)", printed(example)):
        sample = spec.measurements[name].sample
        known |= {
            format_value(bound(Fraction(level) / 100, spec.confidence), 1) for bound in (sample.upper, sample.lower)
        }
    assert set(NUMBER.findall(printed(example))) - known == set()


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_recommended_values_pass_the_check(example: str, tmp_path: Path) -> None:
    values = recommended(solved(example))
    path = ROOT / "examples" / example / "outlast.yaml"
    outcome = check(path, overrides=[f"{n}={v}" for n, v in values.items()])
    assert {c.verdict.truth for c in outcome.rules.values() if c.verdict} <= {Truth.HOLDS, Truth.NOT_APPLICABLE}
    assert outcome.findings == ()


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_values_before_break_a_rule_and_those_after_do_not(example: str) -> None:
    folder = ROOT / "examples" / example
    assert [f for f in check(folder / "before.yaml").findings if f.kind.value == "broken rule"]
    assert check(folder / "after.yaml").findings == ()


def recommended(outcome: SolveOutcome) -> Mapping[str, str]:
    return {
        n: format_value(r.value, r.parameter.kind.time_exponent)
        for n, r in outcome.parameters.items()
        if r.parameter.role is Role.FREE and r.value is not None
    }


def test_what_cannot_be_used_is_one_group_of_errors(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text("outlast: 1\nparameters:\n  x: {free: 1..}\nrules:\n  r: {require: x / (1 - 1) < 2}\n")
    for command in (check, solve):
        with pytest.raises(InputErrors) as caught:
            command(path)
        assert [e.message for e in caught.value.exceptions] == ["rule 'r' divides by 0"]
    with pytest.raises(InputErrors):
        solve(tmp_path / "nowhere.yaml")


def test_feasible_gives_values_without_levels(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text("outlast: 1\nparameters:\n  x: {free: 1s..9s}\nrules:\n  r: {require: x < 5s}\n")
    outcome = solve(path, objective="feasible")
    assert outcome.status is Status.FEASIBLE
    assert outcome.bottlenecks == ()
    assert outcome.rules["r"].verdict.truth is Truth.HOLDS


def test_only_exact_leaves_values_unrounded(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    rules = "  low: {require: 4s < x}\n  high: {require: x < 9s}\n"
    path.write_text(f"outlast: 1\nparameters:\n  x: {{free: 1s..60s, step: 1ms}}\nrules:\n{rules}")
    # 6 s is 50 % above 4 s, and 9 s 50 % above 6 s; moving it loses more than a tenth of nothing.
    assert solve(path, exact=True).parameters["x"].value == 6 * 10**9
    path.write_text(path.read_text().replace("9s}", "9100ms}"))
    exact = solve(path, exact=True).parameters["x"].value
    rounded = solve(path).parameters["x"].value
    assert isinstance(exact, Fraction)
    assert isinstance(rounded, Fraction)
    assert exact != rounded
    assert rounded == 6 * 10**9


def test_overrides_reach_both_commands(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(
        "outlast: 1\nparameters:\n  x: {free: 1s..9s, current: 2s}\n  limit: {fixed: 5s}\nrules:\n  r: {require: x < limit}\n"
    )
    assert check(path).findings == ()
    assert [f.subject for f in check(path, overrides=["limit=1s"]).findings] == ["r"]
    assert solve(path, overrides=["limit=1s"]).status is Status.CONFLICT
    assert load_spec(path).parameters["limit"].value == 5 * 10**9


def test_why_and_what_if_answer_as_data() -> None:
    path = ROOT / "examples" / "dead-connection" / "outlast.yaml"
    found = why(path, "client.send_ping")
    low, high = found.stops
    assert (low.upward, low.end.at, high.upward, high.end.at) == (
        False,
        Fraction(4 * 10**9),
        True,
        Fraction(76 * 10**8),
    )
    for stop in found.stops:
        assert stop.conflict is not None
        assert stop.conflict.proof is not None
        assert stop.conflict.minimal
        assert "asked:client.send_ping" in {i.id for i in stop.conflict.items}
        rules = {i.name for i in stop.conflict.items if i.kind is ItemKind.RULE}
        assert rules == {i for i in stop.end.limited_by if not i.startswith("domain:")}
    asked = what_if(path, "client.send_ping", "9s")
    assert not asked.works
    assert [b.begins for b in asked.breaks] == [Fraction(82, 10) * 10**9]
    assert all(isinstance(c, Moved | Weakened) for g in asked.groups for r in g.repairs for c in r.changes)
    assert what_if(path, "client.send_ping", "7500ms").works
