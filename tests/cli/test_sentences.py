"""What conflicts of whole specs are told with: numbers, units, cases, values in use."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.running import Outlast

# Numbers that are no decimals.


def spec_of(folder: Path, parameters: str, rules: str) -> Path:
    """A spec of one line for each entry."""
    entries = [f"  {line.strip()}" for line in parameters.strip().splitlines()]
    required = [f"  {line.strip()}" for line in rules.strip().splitlines()]
    path = folder / "outlast.yaml"
    path.write_text("\n".join(["outlast: 1", "parameters:", *entries, "rules:", *required, ""]))
    return path


def words_of(outlast: Outlast, path: Path, *arguments: str) -> list[str]:
    """The words of each conflict."""
    run = outlast("explain", str(path), "--format", "json", *arguments)
    return [conflict["text"] for conflict in json.loads(run.out)["conflicts"]]


@pytest.mark.parametrize(
    ("parameters", "rules", "words"),
    [
        pytest.param(
            "n: {fact: 7}\nq: {fixed: 100/s}\nr: {free: 1/s..1000/s}",
            "b: {require: n * r <= 3 * q}\nc: {require: r >= 500/s}",
            "r must be at most about 42.86/s. About 457.1/s are missing.",
            id="rate",
        ),
        pytest.param(
            "n: {fact: 7}\nq: {fixed: 100/min}\nr: {free: 1/min..1000/min, step: 1/min}",
            "b: {require: n * r <= 3 * q}\nc: {require: r >= 500/min}",
            "r must be at most about 42.86/min. About 457.1/min are missing.",
            id="rate a minute",
        ),
        pytest.param(
            "n: {fact: 3}\nq: {fixed: 7/s}\nr: {free: 1/s..1000/s}",
            "b: {require: n * r <= q}\nc: {require: r >= 5/s}",
            "r must be at most about 2.333/s. About 2.667/s are missing.",
            id="a rate that is whole a minute",
        ),
        pytest.param(
            "n: {fact: 7}\nq: {fixed: 100h}\nr: {free: any}",
            "b: {require: n * r <= 3 * q}\nc: {require: r >= 43h}",
            "r must be at most about 42.86h. About 514.3s are missing.",
            id="hours",
        ),
        pytest.param(
            "n: {fact: 7}\nq: {fixed: 60s}\nr: {free: any}",
            "b: {require: n * r <= q}\nc: {require: r >= 10s}",
            "r must be at most about 8.571s. About 1.429s are missing.",
            id="seconds",
        ),
    ],
)
def test_numbers_that_are_no_decimals_are_rounded_in_the_unit_that_is_shown(
    outlast: Outlast, tmp_path: Path, parameters: str, rules: str, words: str
) -> None:
    (found,) = words_of(outlast, spec_of(tmp_path, parameters, rules))
    assert found.endswith(words)


def test_the_value_of_a_side_is_told_in_the_unit_of_its_rule(outlast: Outlast, tmp_path: Path) -> None:
    path = spec_of(tmp_path, "n: {fact: 7}\nr: {free: any, current: 3s}", "b: {require: n / r <= 2/s}")
    (found,) = words_of(outlast, path, "--current")
    assert found.endswith("But n / r is about 2.333/s, not at most 2/s.")


def test_a_fraction_in_a_proof_is_not_taken_for_a_quotient(outlast: Outlast, tmp_path: Path) -> None:
    parameters = "a: {free: any}\nb: {free: any}\nn: {fact: 7}\nq: {fixed: 60s}"
    path = spec_of(tmp_path, parameters, "r: {require: n * a + q <= n * b}\ns: {require: b <= a}")
    out = outlast("explain", str(path), "--full").out
    assert not re.search(r"(?<![(\d])\d+/\d+(?:s|h|ms|/)", out)


# Cases.


def test_the_only_case_of_a_rule_is_no_case(outlast: Outlast, tmp_path: Path) -> None:
    path = spec_of(
        tmp_path,
        "a: {free: 1s..20s}\nb: {free: 1s..20s}\ndd: {fixed: 4s}",
        "r3: {require: 'min(a, b) >= dd/2'}\nr6: {require: 'if(a < 2s, b, a) <= 1500ms'}",
    )
    (short,) = words_of(outlast, path)
    told = re.sub(r" \([^()]*outlast.yaml:\d+\)", "", " ".join(outlast("explain", str(path), "--full").out.split()))
    assert "Case 1, b < a: By r3 there are 2 cases, and neither is possible." in told
    assert "Case 1.1, a < b: b < a and a < b cannot hold at once." in told
    least = "where dd is 4s, a must be at least 2s."
    most = "But because r6 needs if(a < 2s, b, a) <= 1500ms, a must be under 2s."
    assert f"{least} {most} a cannot be at least 2s and under 2s at once." in told
    assert "1 case" not in told
    assert "nothing above" not in told
    # In short, the case that says most.
    assert "Case 2, 0.5 * dd <= a: " in short
    assert short.endswith("at once. The other case is impossible too.")


def test_alternatives_of_one_parameter_are_told_as_its_limits(outlast: Outlast, tmp_path: Path) -> None:
    path = spec_of(
        tmp_path, "x: {free: any}", "alt: {require: x < 3s or x > 6s}\nlow: {require: x >= 3s}\ntop: {require: x <= 6s}"
    )
    (words,) = words_of(outlast, path)
    assert re.search(r"But alt needs x < 3s or x > 6s \S+, so x must be under 3s or over 6s\.$", words)


# Values that are no numbers, or none of a parameter's own.


@pytest.mark.parametrize(
    ("parameters", "rules", "words"),
    [
        pytest.param(
            "o: {free: 0s..10s, current: 0, zero: off}",
            "r: {require: o < 5s}",
            "o is off (in use, outlast.yaml:3). But its domain does not offer off, which 0s means.",
            id="off",
        ),
        pytest.param(
            "o: {free: 0s..10s, current: infinite}",
            "r: {require: o < 5s}",
            "o is infinite (in use, outlast.yaml:3). But its domain does not offer infinite.",
            id="infinite",
        ),
        pytest.param(
            "b: {free: 0s..10s, step: 1ms, current: 1500500us}",
            "r: {require: b < 9s}",
            "b is 1.5005s (in use, outlast.yaml:3), which is not a multiple of 1ms (its step, outlast.yaml:3): "
            "the nearest are 1.5s and 1.501s.",
            id="off its step",
        ),
        pytest.param(
            "b: {free: [1s, 2s], current: 1500ms}",
            "r: {require: b < 9s}",
            "b is 1.5s (in use, outlast.yaml:3), which is not one of 1s, 2s (its list, outlast.yaml:3): "
            "the nearest are 1s and 2s.",
            id="not in its list",
        ),
        pytest.param(
            "b: {free: [1s, 2s], current: 3s}",
            "r: {require: b < 9s}",
            "b is 3s (in use, outlast.yaml:3), which is not one of 1s, 2s (its list, outlast.yaml:3): "
            "the nearest is 2s.",
            id="beyond its list",
        ),
        pytest.param(
            "a: {fixed: infinite}\nb: {free: 0s..10s, current: 1s}",
            "r: {require: a < b}",
            "r needs a < b (outlast.yaml:6), where a is infinite (fixed, outlast.yaml:3). "
            "But infinite is not under anything.",
            id="infinite under a number",
        ),
        pytest.param(
            "a: {fixed: infinite}\nb: {free: 0s..10s, current: 1s}",
            "r: {require: 2 * a <= b}",
            "r needs 2 * a <= b (outlast.yaml:6), where a is infinite (fixed, outlast.yaml:3). "
            "But 2 * a is infinite, and that is not at most any number.",
            id="infinite in a sum",
        ),
        pytest.param(
            "a: {free: [1s, infinite], current: infinite}\nb: {free: 0s..10s, current: 1s}",
            "r: {require: a < b}",
            "r needs a < b (outlast.yaml:6), so a is not infinite. But a is infinite (in use, outlast.yaml:3). "
            "These exclude each other. At the values in use, a is infinite, not under 1s.",
            id="infinite in use",
        ),
    ],
)
def test_values_that_cannot_be_are_told_once_with_the_reason(
    outlast: Outlast, tmp_path: Path, parameters: str, rules: str, words: str
) -> None:
    assert words in words_of(outlast, spec_of(tmp_path, parameters, rules), "--current")


def test_a_case_that_values_in_use_break_is_not_told_twice(outlast: Outlast, tmp_path: Path) -> None:
    parameters = "j: {free: 1s..20s, current: 2s}\nk: {free: 1s..20s, current: 2s}"
    path = spec_of(tmp_path, parameters, "v: {require: 2 * j + 1s >= 9s or k > 3s}")
    (words,) = words_of(outlast, path, "--current")
    told = "Case 1, 2 * j >= 8s: 2 * j is 4s, not at least 8s. Case 2, k > 3s: k is 2s, not over 3s."
    assert words.endswith(f"There are 2 cases, and neither is possible. {told}")


# Cases that nothing depends on.


@pytest.mark.parametrize("name", ["a", "z"])  # before and behind the other in the order of names
def test_what_first_set_does_not_come_to_makes_no_cases(outlast: Outlast, tmp_path: Path, name: str) -> None:
    own, other = f"{name}: {{free: 0s..1h, zero: off, current: 300s}}", "other: {fixed: infinite}"
    path = spec_of(
        tmp_path,
        f"{own}\n{other}\nlb: {{free: any, current: 905s}}",
        f"r: {{require: 'lb < first_set({name}, other)'}}",
    )
    (words,) = words_of(outlast, path, "--current")
    needs = f"r needs lb < first_set({name}, other) (outlast.yaml:7), where {name} is 300s (in use, outlast.yaml:3)."
    assert words == f"{needs} But lb is 905s (in use, outlast.yaml:5), not under 300s."


def test_what_only_a_list_leaves_out_is_still_asked_about(outlast: Outlast, tmp_path: Path) -> None:
    """As a number x would be fine."""
    path = spec_of(
        tmp_path,
        "x: {free: [off, infinite]}\ny: {fixed: 5s}",
        "r: {require: y < 3s, when: x is off or x is infinite or x < 0s}",
    )
    (words,) = words_of(outlast, path)
    assert "x is one of infinite, off (its list, outlast.yaml:3)" in words


@pytest.mark.parametrize("role", ["fixed", "in use"])
@pytest.mark.parametrize(
    ("rule", "missed"),
    [
        ("require: b >= 20s, when: a > 3s", "b is 7s ({role}, outlast.yaml:4), not at least 20s."),
        ("require: b > 2 * a, when: b > a", "2 * a is 10s, not under 7s."),
        ("require: 'min(a, b) < 5s'", "min(a, b) is 5s, not under 5s."),
    ],
)
def test_values_of_all_that_a_rule_speaks_of_tell_which_of_its_cases_it_is(
    outlast: Outlast, tmp_path: Path, role: str, rule: str, missed: str
) -> None:
    start = "fixed:" if role == "fixed" else "free: any, current:"
    path = spec_of(tmp_path, f"a: {{{start} 5s}}\nb: {{{start} 7s}}", f"r: {{{rule}}}")
    (words,) = words_of(outlast, path, "--current")
    assert f"a is 5s ({role}, outlast.yaml:3)" in words
    assert words.endswith(f"). But {missed.format(role=role)}")
