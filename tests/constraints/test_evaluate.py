"""Truth, sides, slack and scores of single rules at single points, worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from outlast.constraints.evaluate import (
    Extended,
    Judged,
    Special,
    Truth,
    Verdict,
    World,
    backoff_total,
    judge,
    tcp_give_up,
)
from outlast.constraints.loading import load_spec
from outlast.constraints.normal import normalise
from outlast.constraints.polynomial import Quant
from outlast.constraints.quantities import Sentinel, Value, parse_quantity

F = Fraction
S, MS = 10**9, 10**6

SPEC = """
outlast: 1
parameters:
  a: {free: any, step: 1ns}
  b: {free: any, step: 1ns}
  c: {free: any, step: 1ns}
  n: {free: 0..99}
  k: {free: 0..99}
  pods: {fact: 40..400}
  total: {derived: a + b}
measurements:
  rtt: {samples: rtt.csv, unit: ms, taken: 2026-10-20}
rules:
  r:
    require: "REQUIRE"
"""


def verdict(folder: Path, require: str, at: str = "", **keys: str) -> Verdict:
    """`at` is `a=1s b=off`; what is not told is 1 s, or 1. The quantile is between 3 s and 5 s."""
    (folder / "rtt.csv").write_text("".join(f"{i}\n" for i in range(1, 30)))
    path = folder / "outlast.yaml"
    more = "".join(f'    {k}: "{v}"\n' if k == "when" else f"    {k}: {v}\n" for k, v in keys.items())
    path.write_text(SPEC.lstrip().replace("REQUIRE", require) + more)
    rules, errors = normalise(load_spec(path))
    assert errors == []
    values: dict[str, Value | tuple[Fraction, Fraction]] = {n: F(S) for n in "abc"}
    values |= {"n": F(1), "k": F(1), "pods": (F(40), F(400))}
    for word in at.split():
        name, _, value = word.partition("=")
        values[name] = parse_quantity(value).value
    return judge(rules["r"], World(values=values, bound=bound))


def bound(_: Quant, upper: bool) -> Fraction:
    return F(5 * S if upper else 3 * S)


def truth(folder: Path, require: str, at: str = "", **keys: str) -> str:
    return verdict(folder, require, at, **keys).truth.value


HOLDS, BROKEN, SILENT = "holds", "broken", "not applicable"


@pytest.mark.parametrize(
    ("require", "at", "expected"),
    [
        ("a < b", "a=1s b=2s", HOLDS),
        ("a < b", "a=2s b=2s", BROKEN),
        ("a <= b", "a=2s b=2s", HOLDS),
        ("a > b", "a=2s b=2s", BROKEN),
        ("a == b", "a=2s b=2s", HOLDS),
        ("a == b", "a=2s b=2000000001ns", BROKEN),
        ("a - b < c", "a=3s b=2s c=1s", BROKEN),
        ("total < 3s", "a=1s b=2s", BROKEN),
        ("a != b", "a=2s b=2s", BROKEN),
        ("a != b", "a=2s b=2000000001ns", HOLDS),
        ("not (a != b)", "a=2s b=2s", HOLDS),
        ("a != 0s", "a=off", SILENT),
        ("a != b", "b=infinite", HOLDS),
        ("a != b", "a=infinite b=infinite", BROKEN),
        ("n / a != 1/s", "a=0s", BROKEN),
        # Whole multiples.
        ("multiple_of(a, b)", "a=6s b=2s", HOLDS),
        ("multiple_of(a, b)", "a=7s b=2s", BROKEN),
        ("multiple_of(a, b)", "a=2s b=6s", BROKEN),
        ("multiple_of(a, b)", "a=0s b=6s", HOLDS),
        ("multiple_of(a, 1500ms)", "a=4500ms", HOLDS),
        ("multiple_of(n, k)", "n=9 k=3", HOLDS),
        ("multiple_of(total, c)", "a=1s b=2s c=3s", HOLDS),
        ("multiple_of(c, total)", "a=1s b=2s c=9s", HOLDS),
        ("multiple_of(c, total)", "a=1s b=2s c=8s", BROKEN),
        ("multiple_of(a - b, c)", "a=7s b=1s c=3s", HOLDS),
        ("multiple_of(a - b, c)", "a=1s b=7s c=3s", HOLDS),
        ("multiple_of(a - b, c)", "a=1s b=7s c=4s", BROKEN),
        ("not multiple_of(a, b)", "a=6s b=2s", BROKEN),
        ("not multiple_of(a, b)", "a=7s b=2s", HOLDS),
        ("multiple_of(a, b)", "a=off", SILENT),
        ("not multiple_of(a, b)", "b=off", SILENT),
        ("multiple_of(a, b)", "b=0s", BROKEN),
        ("not multiple_of(a, b)", "b=0s", BROKEN),
        ("multiple_of(a, b - c)", "b=1s c=2s", BROKEN),
        ("not multiple_of(a, b - c)", "b=1s c=2s", BROKEN),
        ("multiple_of(a, a)", "a=1s", HOLDS),
        ("multiple_of(a, a)", "a=0s", BROKEN),
        ("multiple_of(a, a)", "a=infinite", BROKEN),
        ("multiple_of(a, b)", "a=infinite", HOLDS),
        ("multiple_of(a, b)", "b=infinite", BROKEN),
        ("not multiple_of(a, b)", "b=infinite", HOLDS),
        ("multiple_of(a, b)", "a=0s b=infinite", HOLDS),
        ("multiple_of(a, b)", "a=infinite b=infinite", BROKEN),
        ("not multiple_of(a, b)", "a=infinite b=infinite", BROKEN),
        # Off: silent as a whole, unless skipped or asked about.
        ("a < b", "a=off", SILENT),
        ("a < b or b < c", "a=off b=1s c=2s", SILENT),
        ("first_set(a, b) < c", "a=off b=1s c=2s", HOLDS),
        ("first_set(a, b) < c", "a=3s b=1s c=2s", BROKEN),
        ("first_set(a, b) < c", "a=off b=off", SILENT),
        ("a is off or a < b", "a=off", HOLDS),
        ("a is off or a < b", "a=2s b=1s", BROKEN),
        ("a is off", "a=0s", BROKEN),
        ("if(a is off, b, a) < c", "a=off b=1s c=2s", HOLDS),
        ("if(a is off, b, a) < c", "a=5s b=1s c=2s", BROKEN),
        ("total < c", "b=off", SILENT),
        # Infinite.
        ("a < b", "b=infinite", HOLDS),
        ("a < b", "a=infinite", BROKEN),
        ("a < b", "a=infinite b=infinite", BROKEN),
        ("a <= b", "a=infinite b=infinite", HOLDS),
        ("a == b", "a=infinite b=infinite", HOLDS),
        ("a is infinite", "a=infinite", HOLDS),
        ("a - b < c", "b=infinite", HOLDS),
        ("n / a < 1/s", "a=infinite", HOLDS),
        ("n * a <= 0s", "a=infinite n=0", HOLDS),
        ("n * a >= 0s", "a=infinite n=0", HOLDS),
        ("n * a > 9s", "a=infinite n=1", HOLDS),
        ("min(a, b) < c", "a=infinite b=1s c=2s", HOLDS),
        ("max(a, b) < c", "a=infinite b=1s c=2s", BROKEN),
        # Undefined: broken, whatever the sign.
        ("max(a - b, 1s) < c", "a=infinite b=infinite c=9s", BROKEN),
        ("max(a - b, 1s) >= c", "a=infinite b=infinite c=0s", BROKEN),
        ("a / b < n", "a=infinite b=infinite", BROKEN),
        ("a / b >= n", "a=infinite b=infinite", BROKEN),
        ("n / a < 1/s", "a=0s", BROKEN),
        ("n / a >= 1/s", "a=0s", BROKEN),
        ("n / (a - b) > 1/s", "a=1s b=2s", BROKEN),
        ("0 / a < 1/s", "a=0s", HOLDS),
        ("not (n / a < 1/s)", "a=0s", BROKEN),
    ],
)
def test_a_rule_holds_is_broken_or_does_not_apply(tmp_path: Path, require: str, at: str, expected: str) -> None:
    assert truth(tmp_path, require, at) == expected


@pytest.mark.parametrize(
    ("require", "at", "expected"),
    [
        ("b < 2s and n < 2", "", HOLDS),
        ("b < 2s and n < 1", "", BROKEN),
        ("b < 1s or n < 2", "", HOLDS),
        ("b < 1s or n < 1", "", BROKEN),
        ("b < 2s => n < 1", "", BROKEN),
        ("b < 1s => n < 1", "", SILENT),
        ("not (b < 2s)", "", BROKEN),
        # Parts that are off, where the rule asks about `a` and so is not silent as a whole.
        ("a is off and b < 2s", "a=off", HOLDS),
        ("(a is off or n < 9) and a < b", "a=off", HOLDS),
        ("(a is off and n > 9) or a < b", "a=off", BROKEN),
        ("not (a is off) or a < b", "a=off", BROKEN),
        ("a < b => not (a is off)", "a=off", SILENT),
        ("(a is off => n > 9) and a < b", "a=off", BROKEN),
    ],
)
def test_three_valued_logic(tmp_path: Path, require: str, at: str, expected: str) -> None:
    assert truth(tmp_path, require, at) == expected


@pytest.mark.parametrize(
    ("when", "at", "expected"),
    [
        ("n > 1", "n=1", SILENT),
        ("n > 1", "n=2", BROKEN),
        ("c < 2s", "c=off", SILENT),
        ("c is off", "c=off", BROKEN),
        ("n > 1 or k > 1", "k=2", BROKEN),
        ("c != 0s", "c=0s", SILENT),
        ("c != 0s", "c=1s", BROKEN),
        ("c != 0s", "c=off", SILENT),
        ("multiple_of(n, 2)", "n=3", SILENT),
        ("multiple_of(n, 2)", "n=4", BROKEN),
    ],
)
def test_when_silences_a_rule_unless_it_surely_holds(tmp_path: Path, when: str, at: str, expected: str) -> None:
    assert truth(tmp_path, "a < b", at, when=when) == expected


def test_what_must_be_on_breaks_a_rule_where_it_is_off(tmp_path: Path) -> None:
    found = verdict(tmp_path, "a < b", "a=off", needs_on="[a]")
    assert (found.truth, found.missing) == (Truth.BROKEN, "a")
    assert truth(tmp_path, "a < b", "a=off b=off", needs_on="[b]") == BROKEN
    assert truth(tmp_path, "a < b", "a=off", needs_on="[a]", when="n > 1") == SILENT
    assert truth(tmp_path, "a < b", "a=0s", needs_on="[a]") == HOLDS


# Bounded quantities: a quantile between 3 s and 5 s, pods between 40 and 400.


@pytest.mark.parametrize(
    ("require", "at", "expected"),
    [
        ("p50(rtt) < a", "a=4s", BROKEN),
        ("p50(rtt) < a", "a=6s", HOLDS),
        ("a < p50(rtt)", "a=4s", BROKEN),
        ("a < p50(rtt)", "a=2s", HOLDS),
        ("a - p50(rtt) < b", "a=5s b=1s", BROKEN),
        ("n / p50(rtt) < 1/4s", "", BROKEN),
        ("not (p50(rtt) < a)", "a=4s", BROKEN),
        ("max(1s, p50(rtt)) < a", "a=4s", BROKEN),
        # A condition counts as false only if it surely is.
        ("p50(rtt) < a => n > 1", "a=4s", BROKEN),
        ("p50(rtt) < a => n > 1", "a=3s", SILENT),
        ("a < p50(rtt) => n > 1", "a=4s", BROKEN),
        ("a < p50(rtt) => n > 1", "a=5s", SILENT),
        ("not (p50(rtt) < a => n > 1)", "a=4s", BROKEN),
        ("pods <= n", "n=99", BROKEN),
        ("n < pods", "n=39", HOLDS),
        ("n < pods", "n=40", BROKEN),
        ("pods / a < 100/s", "a=4s", BROKEN),
        ("n / pods < 1", "n=39", HOLDS),
        ("n / pods < 1", "n=41", BROKEN),
        ("n < pods and pods < 401", "n=39", HOLDS),
        ("pods > n => b < 1s", "n=99", BROKEN),
    ],
)
def test_the_worse_end_is_taken(tmp_path: Path, require: str, at: str, expected: str) -> None:
    assert truth(tmp_path, require, at) == expected


def test_when_is_read_with_the_quantile_in_its_favour(tmp_path: Path) -> None:
    assert truth(tmp_path, "a < b", "c=4s", when="p50(rtt) < c") == BROKEN
    assert truth(tmp_path, "a < b", "c=3s", when="p50(rtt) < c") == SILENT


# Sides, slack, headroom, scores.


def first(folder: Path, require: str, at: str = "", **keys: str) -> Judged:
    return verdict(folder, require, at, **keys).judged[0]


@pytest.mark.parametrize(
    ("require", "at", "left", "right", "slack", "headroom"),
    [
        ("a < b", "a=2s b=3s", 2 * S, 3 * S, S, F(1, 2)),
        ("a < b", "a=3s b=2s", 3 * S, 2 * S, -S, F(-1, 3)),
        ("b > a + 1s", "a=1s b=3s", 2 * S, 3 * S, S, F(1, 2)),
        ("a - b < c", "a=4s b=3s c=2s", 4 * S, 5 * S, S, F(1, 4)),
        ("multiple_of(a + b, c)", "a=4s b=3s c=2s", 7 * S, 2 * S, -5 * S, F(-5, 7)),
        ("multiple_of(a, b)", "b=0s", S, Special.UNDEFINED, None, None),
        ("a < b", "a=0s b=3s", 0, 3 * S, 3 * S, Special.PLUS),
        ("a < b", "b=infinite", S, Special.PLUS, Special.PLUS, Special.PLUS),
        ("a < b", "a=infinite b=infinite", Special.PLUS, Special.PLUS, None, None),
        ("a < b", "a=infinite", Special.PLUS, S, None, None),
    ],
)
def test_sides_slack_and_headroom_speak_of_the_normal_form(
    tmp_path: Path,
    require: str,
    at: str,
    left: Extended | int,
    right: Extended | int,
    slack: Extended | int | None,
    headroom: Extended | None,
) -> None:
    found = first(tmp_path, require, at)
    assert (found.left, found.right) == (left, right)
    assert (found.slack, found.headroom) == (slack, headroom)


@pytest.mark.parametrize(
    ("at", "aim", "score"),
    [
        ("a=2s b=3s", "100%", F(1, 2)),
        ("a=2s b=3s", "50%", F(1)),
        ("a=2s b=3s", "200%", F(1, 4)),
        ("a=2s b=9s", "50%", F(1)),
        ("a=2s b=3s", "4s", F(1, 4)),
        ("a=2s b=9s", "4s", F(1)),
        ("a=2s b=3s", "0%", None),
        ("a=3s b=3s", "100%", F(0)),
        ("a=4s b=3s", "100%", None),
        # A left side of nothing, or a right side without end, scores full, amounts included.
        ("a=0s b=1ms", "100%", F(1)),
        ("a=0s b=1ms", "4s", F(1)),
        ("a=0s b=0s", "100%", F(1)),
        ("a=2s b=infinite", "4s", F(1)),
    ],
)
def test_the_score_is_headroom_or_slack_over_the_aim(tmp_path: Path, at: str, aim: str, score: Fraction | None) -> None:
    assert verdict(tmp_path, "a <= b", at, aim=aim).score == score


@pytest.mark.parametrize(
    ("require", "at", "score"),
    [
        ("a <= b and a <= c", "a=4s b=5s c=6s", F(1, 4)),
        ("a <= b or a <= c", "a=4s b=5s c=6s", F(1, 2)),
        ("a <= b or a <= c", "a=4s b=3s c=5s", F(1, 4)),
        ("n > 1 => a <= b", "n=2 a=4s b=5s", F(1, 4)),
        ("a == a and a <= b", "a=4s b=5s", F(1, 4)),
        ("c is off or a <= b", "c=off a=4s b=5s", F(1)),
    ],
)
def test_the_score_of_several_comparisons(tmp_path: Path, require: str, at: str, score: Fraction) -> None:
    assert verdict(tmp_path, require, at).score == score


@pytest.mark.parametrize(
    ("require", "at", "margin", "kept"),
    [
        ("a < b", "a=2s b=3s", "50%", True),
        ("a < b", "a=2s b=2999ms", "50%", False),
        ("a < b", "a=2s b=3s", "1s", True),
        ("a < b", "a=2s b=2999ms", "1s", False),
        ("a < b", "a=0s b=1ms", "50%", True),
        ("a < b", "a=0s b=1ms", "1s", False),
        ("a < b", "b=infinite", "1s", True),
        ("n > 1 => a < b", "n=1 a=9s", "50%", True),
        ("a < c => a < b", "a=2s b=3s c=2001ms", "50%", True),
        ("a < b or a < c", "a=2s b=2100ms c=4s", "50%", True),
        ("a < b and a < c", "a=2s b=2100ms c=4s", "50%", False),
    ],
)
def test_a_margin_is_kept_where_it_is_reached(tmp_path: Path, require: str, at: str, margin: str, kept: bool) -> None:
    found = verdict(tmp_path, require, at, margin=margin)
    assert found.truth is not Truth.BROKEN
    assert found.margin_kept is kept


def test_the_decisive_comparison_is_the_broken_one_then_the_lowest(tmp_path: Path) -> None:
    def texts(require: str, at: str) -> str:
        decisive = verdict(tmp_path, require, at).decisive
        assert decisive is not None
        return decisive.comparison.text()

    assert texts("a <= b and a <= c", "a=4s b=6s c=5s") == "a <= c"
    assert texts("a <= b and a <= c", "a=4s b=5s c=3s") == "a <= c"
    assert texts("n <= 1 => a <= b", "a=4s b=3s") == "a <= b"


# Functions.


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((S, 2, 5 * S, 0), 0),
        ((S, 2, 5 * S, 1), S),
        ((S, 2, 5 * S, 4), (1 + 2 + 4 + 5) * S),
        ((9 * S, 2, 5 * S, 3), 15 * S),
        ((S, 1, 5 * S, 3), 3 * S),
        ((4 * S, F(1, 2), 5 * S, 3), 7 * S),
        ((S, 0, 5 * S, 3), S),
        ((S, 2, Special.PLUS, 3), 7 * S),
        ((Special.PLUS, 2, 5 * S, 3), 15 * S),
        ((0, 2, 5 * S, 10**9), 0),
        # Reaching its cap, it does not count up to a billion.
        ((S, 2, 4 * S, 10**9), (1 + 2) * S + 4 * S * (10**9 - 2)),
        ((S, 2, 5 * S, Special.PLUS), Special.PLUS),
        ((S, 2, 5 * S, F(1, 2)), Special.UNDEFINED),
        ((S, 2, 5 * S, -1), Special.UNDEFINED),
        ((0, 2, 5 * S, Special.PLUS), Special.UNDEFINED),
    ],
)
def test_backoff_adds_up_its_waits(arguments: tuple[int | Extended, ...], expected: int | Extended) -> None:
    assert backoff_total(*(F(a) if isinstance(a, int) else a for a in arguments)) == expected


@pytest.mark.parametrize(
    ("retries", "seconds"), [(0, "0.2"), (1, "0.6"), (8, "102.2"), (9, "204.6"), (10, "324.6"), (15, "924.6")]
)
def test_linux_gives_up_after_its_retries(retries: int, seconds: str) -> None:
    assert tcp_give_up(F(retries)) == F(seconds) * S


def test_linux_that_never_gives_up_takes_for_ever() -> None:
    assert tcp_give_up(Special.PLUS) is Special.PLUS
    assert tcp_give_up(F(1, 2)) is Special.UNDEFINED


@pytest.mark.parametrize(
    ("require", "at", "expected"),
    [
        ("ceil(a / 3s) <= n", "a=4s n=1", BROKEN),
        ("ceil(a / 3s) <= n", "a=3s n=1", HOLDS),
        ("floor(a / 3s) >= n", "a=5999999999ns n=2", BROKEN),
        ("floor(a / 3s) >= n", "a=6s n=2", HOLDS),
        ("ceil(a / 3s) <= n", "a=infinite", BROKEN),
        ("backoff(a, 2, 5s, n) <= 12s", "a=1s n=4", HOLDS),
        ("backoff(a, 2, 5s, n) < 12s", "a=1s n=4", BROKEN),
        ("tcp_give_up(n) <= a", "n=15 a=924600ms", HOLDS),
        ("min(a, b) < c", "a=off", SILENT),
        ("sum(a, b, c) <= 6s", "a=1s b=2s c=3s", HOLDS),
    ],
)
def test_functions_in_rules(tmp_path: Path, require: str, at: str, expected: str) -> None:
    assert truth(tmp_path, require, at) == expected


def test_sentinels_are_no_numbers() -> None:
    assert parse_quantity("off").value is Sentinel.OFF
    assert parse_quantity("infinite").value is Sentinel.INFINITE
