"""Normal form: which side each term goes to, how it reads, and what has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast.constraints.errors import OutlastError
from outlast.constraints.loading import load_spec
from outlast.constraints.normal import (
    All,
    Either,
    Equality,
    Formula,
    Given,
    Inequality,
    IsSentinel,
    NormalRule,
    derived_polys,
    normalise,
    scoring_inequalities,
)

PARAMETERS = """
outlast: 1
parameters:
  a: {free: 1s..9s}
  b: {free: 1s..9s}
  c: {free: 1s..9s}
  n: {free: 1..9}
  k: {free: 1..9}
  q: {free: 1/s..9/s}
  z: {fixed: off}
  pods: {fact: 40..400}
  total: {derived: a + b}
measurements:
  rtt: {samples: rtt.csv, unit: ms, taken: 2026-10-20}
rules:
"""


def loaded(folder: Path, require: str, more: str = "") -> tuple[dict[str, NormalRule], list[OutlastError]]:
    (folder / "rtt.csv").write_text("".join(f"{i}\n" for i in range(1, 30)))
    path = folder / "outlast.yaml"
    path.write_text(f'{PARAMETERS.lstrip()}  r:\n    require: "{require}"\n{more}')
    return normalise(load_spec(path))


def formula(folder: Path, require: str) -> Formula:
    rules, errors = loaded(folder, require)
    assert errors == []
    return rules["r"].formula


def text(f: Formula) -> str:
    match f:
        case Inequality() | Equality() | IsSentinel():
            return f.text()
        case All(parts):
            return "(" + " and ".join(map(text, parts)) + ")"
        case Either(parts):
            return "(" + " or ".join(map(text, parts)) + ")"
        case Given(condition, conclusion):
            return f"({text(condition)} => {text(conclusion)})"


@pytest.mark.parametrize(
    ("require", "normal"),
    [
        # Terms with a negative sign go to the other side.
        ("a - b < c", "a < c + b"),
        ("a < c - b", "a + b < c"),
        ("a - b < c - 2s", "a + 2s < c + b"),
        # `>` is turned round; strictness stays.
        ("a > 4s - 1s", "3s < a"),
        ("a >= b", "b <= a"),
        ("a <= b", "a <= b"),
        # Like terms are collected, also across the sign.
        ("a + a < 9s", "2 * a < 9s"),
        ("a + b < 2 * a", "b < a"),
        ("a + 2s < b + 5s", "a < b + 3s"),
        ("3 * a - a < b", "2 * a < b"),
        # Products are distributed; numbers become one factor.
        ("2 * (a + b) < 9s", "2 * a + 2 * b < 9s"),
        ("n * (a - b) < 9s", "a * n < 9s + b * n"),
        ("(a + b) * 50% < c", "0.5 * a + 0.5 * b < c"),
        ("a / 2 < b", "0.5 * a < b"),
        # Division keeps the quotient, and a sum below the line as a whole.
        ("n / a < q", "n / a < q"),
        ("n / (a + b) < q", "n / (a + b) < q"),
        ("n / a * a < k", "n < k"),
        # Derived parameters are replaced first.
        ("total < c", "a + b < c"),
        ("total < a + c", "b < c"),
        ("sum(a, b, c) < 9s", "a + b + c < 9s"),
        # Both sides may be empty.
        ("a < a + 1s", "0s < 1s"),
        ("a + 1s < a", "1s < 0s"),
        ("a == b + 1s", "a == b + 1s"),
        ("a - 1s == b", "a == b + 1s"),
        # Functions are opaque, their arguments are not.
        ("max(a + a, b) < c", "max(2 * a, b) < c"),
    ],
)
def test_both_sides_are_sums_of_positive_terms(tmp_path: Path, require: str, normal: str) -> None:
    assert text(formula(tmp_path, require)) == normal


@pytest.mark.parametrize(
    ("require", "normal"),
    [
        ("not (a < b)", "b <= a"),
        ("not (a <= b)", "b < a"),
        ("not (a == b)", "a != b"),
        ("not (a < b and b < c)", "(b <= a or c <= b)"),
        ("not (a < b or b < c)", "(b <= a and c <= b)"),
        ("not (a < b => b < c)", "(a < b and c <= b)"),
        ("not (z is off)", "not (z is off)"),
        ("not (not (a < b))", "a < b"),
        ("a < b => b < c", "(a < b => b < c)"),
    ],
)
def test_not_is_pushed_inwards(tmp_path: Path, require: str, normal: str) -> None:
    assert text(formula(tmp_path, require)) == normal


def test_conditions_are_read_in_their_favour_and_do_not_score(tmp_path: Path) -> None:
    given = formula(tmp_path, "a < b => b < c")
    assert isinstance(given, Given)
    assert isinstance(given.condition, Inequality)
    assert isinstance(given.conclusion, Inequality)
    assert given.condition.optimistic
    assert not given.conclusion.optimistic
    assert [i.text() for i in scoring_inequalities(given)] == ["b < c"]


def test_a_condition_of_a_condition_is_read_against_it_again(tmp_path: Path) -> None:
    outer = formula(tmp_path, "(a < b => b < c) => a < c")
    assert isinstance(outer, Given)
    assert isinstance(outer.condition, Given)
    inner = outer.condition
    assert isinstance(inner.condition, Inequality)
    assert isinstance(inner.conclusion, Inequality)
    assert not inner.condition.optimistic
    assert inner.conclusion.optimistic


def test_a_when_is_a_condition(tmp_path: Path) -> None:
    rules, _ = loaded(tmp_path, "a < b", "    when: b < c\n")
    condition = rules["r"].when
    assert isinstance(condition, Inequality)
    assert condition.optimistic


@pytest.mark.parametrize(
    ("require", "scores"),
    [
        ("a < b", True),
        ("a == b", False),
        ("z is off", False),
        ("a < b => z is off", False),
        ("z is off or a < b", True),
    ],
)
def test_inequalities_in_conclusions_score(tmp_path: Path, require: str, scores: bool) -> None:
    rules, _ = loaded(tmp_path, require)
    assert rules["r"].scores is scores


def test_an_aim_of_nothing_takes_a_rule_out_of_the_scoring(tmp_path: Path) -> None:
    rules, _ = loaded(tmp_path, "a < b", "    aim: 0%\n")
    assert not rules["r"].scores


@pytest.mark.parametrize(
    ("require", "muting"),
    [
        ("a + z < b", ["a", "z", "b"]),
        ("first_set(z, a) < b", ["b"]),
        ("z is off or z < b", ["b"]),
        ("if(z is off, a, z) < b", ["a", "b"]),
        ("z is infinite or a < b", ["a", "b"]),
        ("total < c", ["a + b", "c"]),
    ],
)
def test_a_rule_is_muted_by_what_it_uses_as_a_number_and_does_not_ask_about(
    tmp_path: Path, require: str, muting: list[str]
) -> None:
    rules, _ = loaded(tmp_path, require)
    assert sorted(p.text(1) for p in rules["r"].muted_by) == sorted(muting)


@pytest.mark.parametrize(
    ("require", "message"),
    [
        ("pods * a + 100s < pods * b + 2s * n", "not monotone in the interval 'pods'"),
        ("pods == n", "not monotone in the interval 'pods'"),
        ("pods < n or n < pods - 30", "not monotone in the interval 'pods'"),
        ("if(pods > 100, a, b) < c", "not monotone in the interval 'pods'"),
        ("p50(rtt) == a", "neither bound of p50(rtt) is the worse one here"),
        ("n / (1 - 1) < k", "divides by 0"),
    ],
)
def test_what_has_no_worse_end_is_an_error_with_its_place(tmp_path: Path, require: str, message: str) -> None:
    _, errors = loaded(tmp_path, require)
    assert len(errors) == 1
    assert message in errors[0].message
    assert "'r'" in errors[0].message
    assert errors[0].place is not None
    assert errors[0].place.line == len(PARAMETERS.strip().splitlines()) + 2


@pytest.mark.parametrize(
    "require",
    [
        "pods / a < 100/s",
        "pods < n and pods < k",
        "pods - 10 < n",
        "pods - pods < n",
        "n / pods < k",
        "min(pods, n) <= k",
    ],
)
def test_an_interval_that_only_ever_hurts_at_one_end_is_fine(tmp_path: Path, require: str) -> None:
    assert loaded(tmp_path, require)[1] == []


def test_parts_of_a_conjunction_may_take_different_ends(tmp_path: Path) -> None:
    assert loaded(tmp_path, "pods < n and k < pods")[1] == []


def test_derived_parameters_stand_for_their_formulas(tmp_path: Path) -> None:
    (tmp_path / "rtt.csv").write_text("".join(f"{i}\n" for i in range(1, 30)))
    path = tmp_path / "outlast.yaml"
    path.write_text(PARAMETERS.lstrip().replace("rules:\n", "") + "\n")
    polys = derived_polys(load_spec(path))
    assert {n: p.text(1) for n, p in polys.items()} == {"total": "a + b"}
