"""Dimensions: what goes together, what does not and how that is told, and what names get from the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from outlast.constraints.dimensions import DimensionError, dimension_name, dimension_of, solve_dimensions
from outlast.constraints.syntax import RuleSyntaxError, parse_condition, parse_expression, parse_rule

KNOWN = {"deadline": 1, "ping": 1, "pods": 0, "limit": -1}


def check(*rules: str, unknown: str = "") -> tuple[dict[str, int], list[DimensionError]]:
    """Rules get the keys r0, r1, …; the unknown names are single letters."""
    return solve_dimensions([(f"r{i}", parse_condition(rule)) for i, rule in enumerate(rules)], KNOWN, set(unknown))


@pytest.mark.parametrize(
    "rule",
    [
        "ping + 5s < deadline",
        "pods / ping < 100/s",
        "pods / ping < limit",
        "ping / deadline < 20%",
        "ping * limit < pods + 1",
        "pods * ping - 0s <= deadline == 3s",
        "p99.9(rtt) * 2 < ping",
        "ceil(deadline / ping) * ping < 1min",
        "backoff(ping, 2, 30s, pods) < deadline",
        "tcp_give_up(pods) < deadline",
        "if(pods < 3, ping, deadline) < 10s",
        "first_set(ping, deadline, 5s) < max(ping, 3s)",
        "ping * ping < deadline * deadline",
        "deadline is infinite or pods is off => ping < 1s",
        "missing + ping < missing * 3 < pods / missing",
    ],
)
def test_like_goes_with_like(rule: str) -> None:
    assert check(rule) == ({}, [])


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("pods »+« deadline < 3s", "'+' adds a duration to a number"),
        ("deadline »-« pods < 3s", "'-' subtracts a number from a duration"),
        ("deadline »+« 5 < 30s", "'+' adds a number to a duration; did you mean '5s' or '5ms'?"),
        ("limit »<« deadline", "'<' compares a rate with a duration"),
        ("deadline »>=« pods", "'>=' compares a duration with a number"),
        ("deadline »>« 0", "'>' compares a duration with a number; write 0s"),
        ("5 »<« deadline", "'<' compares a number with a duration; did you mean '5s' or '5ms'?"),
        ("limit »<« 5", "'<' compares a rate with a number; did you mean '5/s'?"),
        ("ping »<« 20%", "'<' compares a duration with a number"),
        ("ping * deadline »<« 3s", "'<' compares a duration^2 with a duration"),
        ("pods / ping / ping »<« 3s", "'<' compares a duration^-2 with a duration"),
        ("p99(rtt) »<« pods", "'<' compares a duration with a number"),
        ("ceil(»ping«) < 3", "'ceil' takes a plain number, found a duration; divide by a unit: ceil(ping / 1s)"),
        ("floor(»limit«) < 3", "'floor' takes a plain number, found a rate; multiply by a unit: floor(limit * 1s)"),
        (
            "ceil(»ping + deadline«) < 3",
            "'ceil' takes a plain number, found a duration; divide by a unit: ceil((ping + deadline) / 1s)",
        ),
        ("backoff(»pods«, 2, 3s, 4) < 3s", "the base of 'backoff' is a duration, found a number"),
        ("backoff(1s, »ping«, 3s, 4) < 3s", "the factor of 'backoff' is a number, found a duration"),
        (
            "backoff(1s, 2, »3«, 4) < 3s",
            "the cap of 'backoff' is a duration, found a number; did you mean '3s' or '3ms'?",
        ),
        ("backoff(1s, 2, 3s, »4s«) < 3s", "the number of retries of 'backoff' is a number, found a duration"),
        ("tcp_give_up(»ping«) < 3s", "the number of retries of 'tcp_give_up' is a number, found a duration"),
        ("tcp_give_up(3) »<« 3/s", "'<' compares a duration with a rate"),
        ("ceil(pods) »<« 3s", "'<' compares a number with a duration"),
        ("min(ping, »pods«) < 3s", "the arguments of 'min' need one dimension, found a duration and a number"),
        (
            "first_set(ping, »0«) < 3s",
            "the arguments of 'first_set' need one dimension, found a duration and a number; write 0s",
        ),
        (
            "if(pods < 3, ping, »pods«) < 3s",
            "the two values of 'if' need one dimension, found a duration and a number",
        ),
        ("if(ping »<« pods, 1, 2) < 3", "'<' compares a duration with a number"),
        ("ping »!=« 0", "'!=' compares a duration with a number; write 0s"),
        ("»multiple_of«(ping, 5)", "'multiple_of' compares a duration with a number; did you mean '5s' or '5ms'?"),
        ("multiple_of(ping »+« pods, 5s)", "'+' adds a number to a duration"),
        ("not (pods is off and ping »<« pods)", "'<' compares a duration with a number"),
        ("ping < 1s => pods »<« 1s", "'<' compares a number with a duration"),
    ],
)
def test_what_does_not_go_together_is_told_at_its_operator(rule: str, message: str) -> None:
    span = (rule.index("»"), rule.index("«") - 1)
    _, errors = check(rule.replace("»", "").replace("«", ""))
    assert errors == [DimensionError(key="r0", message=message, span=span)]


def test_all_errors_are_told_in_the_order_of_the_text() -> None:
    _, errors = check("ping < pods and (pods < ping or pods + 1s < 3)", "ping < 1s", "limit < ping")
    assert [(error.key, error.span) for error in errors] == [
        ("r0", (5, 6)),
        ("r0", (22, 23)),
        ("r0", (37, 38)),
        ("r2", (6, 7)),
    ]


def test_every_wrong_term_is_told() -> None:
    _, errors = check("ping + 1 + 2s + 3 < 1s")
    assert [error.span for error in errors] == [(5, 6), (14, 15)]


def test_what_follows_from_an_error_is_not_told() -> None:
    solved, errors = check("pods + deadline < 3s", "pods + deadline < x", "x < y", unknown="xy")
    assert [(error.key, error.span) for error in errors] == [("r0", (5, 6)), ("r1", (5, 6))]
    assert solved == {}


@pytest.mark.parametrize(
    ("rules", "solved"),
    [
        (["x < 3s"], {"x": 1}),
        (["3 >= x"], {"x": 0}),
        (["x == limit"], {"x": -1}),
        (["pods / x < 100/s"], {"x": 1}),
        (["2 * x * ping < 3s"], {"x": 0}),
        (["ping + x < y"], {"x": 1, "y": 1}),
        (["max(x, y, ping) < 3s => x < y"], {"x": 1, "y": 1}),
        (["first_set(x, y) < z", "y < pods"], {"x": 0, "y": 0, "z": 0}),
        (["x < y", "y < z", "z < ping"], {"x": 1, "y": 1, "z": 1}),
        (["backoff(x, y, z, v) < w"], {"x": 1, "y": 0, "z": 1, "v": 0, "w": 1}),
        (["ceil(x / ping) < y"], {"x": 1, "y": 0}),
        (["if(x < 3, y, z) < 1s"], {"x": 0, "y": 1, "z": 1}),
        (["x * x < ping * ping"], {"x": 1}),
        (["x / y < 3", "y < limit"], {"x": -1, "y": -1}),
        (["x < p99(rtt)"], {"x": 1}),
    ],
)
def test_names_without_a_unit_get_their_dimension_from_the_rules(rules: list[str], solved: dict[str, int]) -> None:
    unknown = "".join(sorted(solved))
    assert check(*rules, unknown=unknown) == (solved, [])
    assert check(*reversed(rules), unknown=unknown) == (solved, [])


def test_contradicting_rules_are_told_at_the_second() -> None:
    solved, errors = check("x < 3s", "x < 5", unknown="x")
    assert solved == {"x": 1}
    message = "'<' compares a duration with a number; did you mean '5s' or '5ms'?"
    assert errors == [DimensionError(key="r1", message=message, span=(2, 3))]


def test_a_name_that_no_rule_determines_is_told_where_it_is_mentioned_first() -> None:
    _, errors = check("1 < 2", "3 * y < y", "y is off", unknown="xy")
    message = "no rule says whether '{}' is a duration, a number or a rate; give its values a unit"
    assert errors == [
        DimensionError(key=None, message=message.format("x"), span=(0, 0), name="x"),
        DimensionError(key="r1", message=message.format("y"), span=(4, 5), name="y"),
    ]


def test_a_name_that_would_need_half_a_power_of_time_is_not_determined() -> None:
    solved, errors = check("x * x < 3s", unknown="x")
    assert solved == {}
    assert [(error.key, error.name, error.span) for error in errors] == [("r0", "x", (0, 1))]


def test_a_dimension_that_no_parameter_has_is_told() -> None:
    solved, errors = check("x < ping * ping", unknown="x")
    assert solved == {}
    message = "the rules make 'x' a duration^2, expected a duration, a number or a rate"
    assert errors == [DimensionError(key="r0", message=message, span=(0, 1), name="x")]


def test_sides_that_differ_whatever_a_name_may_be_are_told_as_such() -> None:
    _, errors = check("x * 1s < x", unknown="x")
    assert errors[0] == DimensionError(
        key="r0", message="the two sides differ by a duration, whatever 'x' may be", span=(7, 8)
    )


def test_a_formula_defines_the_name_that_is_its_key() -> None:
    formulas = [("total", parse_expression("x + y")), ("r0", parse_condition("total < 3s"))]
    assert solve_dimensions(formulas, {}, {"total", "x", "y"}) == ({"total": 1, "x": 1, "y": 1}, [])


def test_a_formula_of_another_dimension_than_its_name_is_told() -> None:
    _, errors = solve_dimensions([("ping", parse_expression("pods + 1"))], KNOWN)
    message = "'ping' is a duration, but its formula is a number"
    assert errors == [DimensionError(key="ping", message=message, span=(0, 8))]


def test_a_formula_whose_key_is_no_name_is_only_checked() -> None:
    assert solve_dimensions([("derived:x", parse_expression("ping + 1s"))], KNOWN) == ({}, [])
    _, errors = solve_dimensions([("derived:x", parse_expression("ping + 1/s"))], KNOWN)
    assert [error.span for error in errors] == [(5, 6)]


@pytest.mark.parametrize(
    ("text", "exponent"),
    [
        ("ping", 1),
        ("100/s", -1),
        ("20%", 0),
        ("p99(rtt)", 1),
        ("-ping + 1s", 1),
        ("pods / ping / ping", -2),
        ("ping * limit", 0),
        ("max(limit, 3/s)", -1),
        ("ceil(ping / 1s)", 0),
        ("backoff(1s, 2, 3s, 4)", 1),
        ("tcp_give_up(3)", 1),
        ("if(ping < 1s, pods, 2)", 0),
    ],
)
def test_an_expression_has_a_dimension(text: str, exponent: int) -> None:
    assert dimension_of(parse_expression(text), KNOWN) == exponent


def test_dimensions_have_names() -> None:
    assert [dimension_name(exponent) for exponent in (-2, -1, 0, 1, 2)] == [
        "duration^-2",
        "rate",
        "number",
        "duration",
        "duration^2",
    ]


def test_a_long_chain_of_unknown_names_written_backwards_is_solved() -> None:
    formulas = [(f"r{i}", parse_condition(f"v{i} < v{i + 1}")) for i in range(1000)]
    solved, errors = solve_dimensions(
        [*formulas, ("end", parse_condition("v1000 < 1s"))], {}, {f"v{i}" for i in range(1001)}
    )
    assert errors == []
    assert set(solved.values()) == {1}
    assert len(solved) == 1001


PAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", PAGE.split("```")[1].strip().splitlines())
def test_the_examples_of_the_language_page_are_rules(rule: str) -> None:
    assert parse_rule(rule)


@pytest.mark.parametrize(
    ("rule", "message"), re.findall(r"^\| `(.+?)` \| ([^|]+?) \|$", PAGE.partition("## Errors")[2], re.MULTILINE)
)
def test_the_errors_of_the_language_page_are_those_that_are_told(rule: str, message: str) -> None:
    try:
        _, errors = check(rule)
    except RuleSyntaxError as error:
        told = error.message
    else:
        told = errors[0].message
    assert told == message
