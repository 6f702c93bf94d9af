"""The reference against small specs whose answers were worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from naive.evaluation import Normaliser, value_of
from naive.language import (
    INFINITE,
    OFF,
    SECOND,
    All,
    AnyOf,
    Bool,
    Cmp,
    Fn,
    If,
    Implies,
    Is,
    Margin,
    Not,
    Num,
    Par,
    Parameter,
    Rule,
    Spec,
    Value,
    minus,
    number,
    over,
    plus,
    times,
)
from naive.ranges import Piece, range_of
from naive.reference import Component, components

F = Fraction
X, Y, N = Par("x"), Par("y"), Par("n")


def s(seconds: int | F) -> Num:
    return number(F(seconds) * SECOND, "duration")


def n(count: int) -> Num:
    return number(count, "count")


def per_second(count: int) -> Num:
    return number(F(count, SECOND), "rate")


def free(name: str, low: int | F, high: int | F, step: int | F = 1, **more: Value) -> Parameter:
    return Parameter(
        name,
        "free",
        "duration",
        interval=(F(low) * SECOND, F(high) * SECOND),
        step=F(step) * SECOND,
        zero=more.get("zero"),
    )


def choices(name: str, *values: Value, zero: Value | None = None) -> Parameter:
    return Parameter(
        name, "free", "duration", choices=tuple(v if isinstance(v, str) else F(v) * SECOND for v in values), zero=zero
    )


def count(name: str, low: int, high: int) -> Parameter:
    return Parameter(name, "free", "count", interval=(F(low), F(high)))


def fixed(name: str, value: Value) -> Parameter:
    return Parameter(name, "fixed", "duration", value=value if isinstance(value, str) else F(value) * SECOND)


def one(parameters: list[Parameter], *rules: Rule | Bool) -> Component:
    """The only component that has rules; rules without an id are called a, b, …"""
    named = [r if isinstance(r, Rule) else Rule("abcdef"[i], r) for i, r in enumerate(rules)]
    (found,) = (c for c in components(Spec(tuple(parameters), tuple(named))) if c.rules)
    return found


def seconds(values: list[Value]) -> list[Value]:
    return [v if isinstance(v, str) else F(v) / SECOND for v in values]


def interval(component: Component, name: str) -> str:
    """The range as text, in seconds: `[1, 7)`."""

    def end(p: Piece) -> str:
        low, high = F(p.low) / SECOND, F(p.high) / SECOND
        return f"{'(' if p.low_open else '['}{low}, {high}{')' if p.high_open else ']'}"

    return " ".join(end(p) for p in range_of(component, name))


def first_level(component: Component) -> int:
    return component.level({}, component.rising)


def test_an_attempt_is_over_before_its_deadline() -> None:
    c = one(
        [fixed("deadline", 10), fixed("ping", 3), free("x", 0, 60)], Cmp("<", plus(X, Par("ping")), Par("deadline"))
    )
    assert interval(c, "x") == "[0, 7)"
    assert seconds(c.values_of("x")) == [0, 1, 2, 3, 4, 5, 6]
    # At 0 s: 3 s against 10 s, a headroom of 233 %.
    assert first_level(c) == 1000


@pytest.mark.parametrize(("highest", "level"), [(6, 500), (5, 250), (10, 1000)])
def test_division_by_a_free_parameter_bounds_it_from_below(highest: int, level: int) -> None:
    c = one([free("x", 1, highest)], Cmp("<", over(n(400), X), per_second(100)))
    assert interval(c, "x") == f"(4, {highest}]"
    assert seconds(c.values_of("x"))[0] == 5
    assert first_level(c) == level


def test_two_bounds_share_the_room_between_them() -> None:
    c = one([free("x", 1, 20)], Cmp("<", s(4), X), Cmp("<", X, s(9)))
    assert interval(c, "x") == "(4, 9)"
    assert seconds(c.values_of("x")) == [5, 6, 7, 8]
    # 6 s is half more than 4 s, 9 s is half more than 6 s.
    assert first_level(c) == 500
    assert c.grid_bottleneck(501, {}, c.rising) == ("a", "b")


def test_rules_that_are_settled_keep_their_level_while_others_rise() -> None:
    c = one([free("x", 4, 20, 3)], Cmp("<", s(2), X), Cmp("<=", X, s(7)))
    assert seconds(c.values_of("x")) == [6]
    assert interval(c, "x") == "[4, 7]"
    assert first_level(c) == 166
    assert c.grid_bottleneck(167, {}, c.rising) == ("b",)
    assert c.level({"b": 166}, ["a"]) == 1000


def test_steps_need_not_divide_the_bounds() -> None:
    c = one([free("x", 4, 20, 3)], Cmp("<", s(1), X))
    assert seconds(c.values_of("x")) == [6, 9, 12, 15, 18]
    assert interval(c, "x") == "[4, 20]"


def test_a_product_is_bounded_for_the_best_of_its_other_factors() -> None:
    c = one([count("n", 1, 4), free("x", 1, 5)], Cmp("<", times(N, X), s(10)), Cmp(">=", N, n(3)))
    assert interval(c, "x") == "[1, 10/3)"
    assert seconds(c.values_of("x")) == [1, 2, 3]


def test_an_equality_leaves_the_points_at_which_it_holds() -> None:
    c = one([free("x", 1, 4), free("y", 1, 9)], Cmp("==", X, plus(Y, s(2))))
    assert interval(c, "x") == "[3, 3] [4, 4]"
    assert seconds(c.values_of("y")) == [1, 2]
    assert c.rising == []


def test_a_zero_that_means_infinite_exceeds_every_duration() -> None:
    c = one([choices("x", 0, 5, zero=INFINITE)], Cmp("<", s(10), X))
    assert c.values_of("x") == [0]
    assert first_level(c) == 1000


def test_a_zero_with_a_meaning_is_not_offered_by_an_interval() -> None:
    c = one([free("x", 0, 3, zero=INFINITE)], Cmp("<=", X, s(2)))
    assert interval(c, "x") == "(0, 2]"
    assert seconds(c.values_of("x")) == [1, 2]


def test_a_rule_about_a_parameter_that_is_off_does_not_apply() -> None:
    c = one([choices("x", 3, OFF)], Cmp("<", s(10), X))
    assert c.values_of("x") == [OFF]
    assert first_level(c) == 1000


def test_a_rule_that_needs_a_parameter_is_broken_where_that_is_off() -> None:
    c = one([choices("x", 3, OFF)], Rule("a", Cmp("<", s(10), X), needs_on=("x",)))
    assert c.surrendered is None


def test_first_set_skips_what_is_off() -> None:
    c = one([fixed("y", OFF), free("x", 1, 9)], Cmp("<", Fn("first_set", (Y, X)), s(5)))
    assert interval(c, "x") == "[1, 5)"


@pytest.mark.parametrize(("weight_of_b", "given_up"), [(2, ("a",)), (1, ("a",))])
def test_the_lighter_rule_is_given_up_then_the_first_by_id(weight_of_b: int, given_up: tuple[str, ...]) -> None:
    c = one(
        [free("x", 1, 9)],
        Rule("a", Cmp("<", X, s(3)), should=True),
        Rule("b", Cmp("<", s(5), X), should=True, weight=weight_of_b),
    )
    assert c.surrendered == given_up
    assert interval(c, "x") == "(5, 9]"


def test_one_heavy_rule_is_given_up_rather_than_two_that_weigh_as_much() -> None:
    c = one(
        [free("x", 1, 9)],
        Rule("a", Cmp("<", X, s(3)), should=True, weight=1),
        Rule("b", Cmp("<", X, s(4)), should=True, weight=1),
        Rule("c", Cmp("<", s(5), X), should=True, weight=2),
    )
    assert c.surrendered == ("c",)


def test_must_rules_that_contradict_each_other_are_a_conflict() -> None:
    assert one([free("x", 1, 9)], Cmp("<", X, s(3)), Cmp(">", X, s(2))).surrendered is None


@pytest.mark.parametrize(
    ("margin", "expected"),
    [(Margin(F(1, 4), True), "[1, 8]"), (Margin(F(3 * SECOND), False), "[1, 7]"), (None, "[1, 9]")],
)
def test_reaching_a_margin_is_enough(margin: Margin | None, expected: str) -> None:
    c = one([free("x", 1, 9)], Rule("a", Cmp("<", X, s(10)), margin=margin))
    assert interval(c, "x") == expected


@pytest.mark.parametrize(
    ("aim", "level"), [(Margin(F(4 * SECOND), False), 500), (Margin(F(1, 2), True), 500), (None, 250)]
)
def test_an_aim_is_what_scores_full(aim: Margin | None, level: int) -> None:
    c = one([free("x", 8, 9)], Rule("a", Cmp("<", X, s(10)), aim=aim))
    assert first_level(c) == level


def test_an_aim_of_nothing_takes_a_rule_out_of_the_scoring() -> None:
    c = one([free("x", 8, 9)], Rule("a", Cmp("<", X, s(10)), aim=Margin(F(0), True)))
    assert c.rising == []


def test_max_on_the_smaller_side_bounds_each_argument() -> None:
    c = one([free("x", 1, 9)], Cmp("<", Fn("max", (X, s(4))), s(6)), Cmp(">", Fn("min", (X, s(3))), s(2)))
    assert interval(c, "x") == "(2, 6)"


def test_ceil_counts_started_pieces() -> None:
    c = one([free("x", 1, 9)], Cmp("<=", Fn("ceil", (over(X, s(3)),)), n(2)))
    assert seconds(c.values_of("x")) == [1, 2, 3, 4, 5, 6]


def test_if_looks_only_at_the_branch_it_takes() -> None:
    c = one([choices("x", 2, 7, OFF), fixed("y", 6)], Cmp("<=", If(Is("x", OFF), s(5), X), Y))
    assert seconds(c.values_of("x")) == [2, OFF]


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (Fn("backoff", (s(1), n(2), s(5), n(4))), 12),
        (Fn("backoff", (s(1), n(2), s(5), n(0))), 0),
        (Fn("tcp_give_up", (n(15),)), F("924.6")),
        (Fn("tcp_give_up", (n(0),)), F("0.2")),
        (Fn("floor", (over(s(7), s(2)),)), F(3, SECOND)),
    ],
)
def test_functions_of_the_language(call: Fn, value: F) -> None:
    normaliser = Normaliser({})
    assert value_of(normaliser.terms(normaliser.polynomial(call)), {}) == value * SECOND


def test_a_fact_that_is_an_interval_counts_with_its_worse_end() -> None:
    pods = Parameter("pods", "fact", "count", interval=(F(40), F(400)))
    c = one([free("x", 1, 6), pods], Cmp("<", over(Par("pods"), X), per_second(100)))
    assert interval(c, "x") == "(4, 6]"
    assert first_level(c) == 500


def test_a_conclusion_counts_only_where_the_condition_holds() -> None:
    c = one([free("x", 1, 9), free("y", 1, 3)], Implies(Cmp(">", X, s(5)), Cmp("<", s(8), Y)))
    assert interval(c, "x") == "[1, 5]"
    assert first_level(c) == 1000


def test_the_condition_of_a_rule_is_held_to_no_margin() -> None:
    c = one([free("x", 1, 9)], Rule("a", Implies(Cmp("<", X, s(6)), Cmp("<", X, s(5))), margin=Margin(F(1, 4), True)))
    assert interval(c, "x") == "[1, 4] [6, 9]"


def test_each_link_of_a_chain_is_a_rule() -> None:
    c = one([free("x", 1, 9), free("y", 1, 9)], Rule("r", chain=(s(2), X, Y), signs=("<", "<=")))
    assert sorted(c.rules) == ["r/1", "r/2"]
    assert interval(c, "y") == "[3, 9]"
    assert interval(c, "x") == "(2, 9]"


def test_derived_parameters_stand_for_their_formulas() -> None:
    total = Parameter("total", "derived", "duration", formula=plus(X, s(5)))
    c = one([free("x", 1, 9), total], Cmp("<", Par("total"), s(10)))
    assert interval(c, "x") == "[1, 5)"
    # 3 s and 5 s are not collected on one side: the literal 5 s is subtracted from 10 s.
    rule = c.rules["a"]
    assert rule.sides({"x": 2 * SECOND}) == (2 * SECOND, 5 * SECOND)


@pytest.mark.parametrize(
    ("require", "left", "right"),
    [
        (Cmp(">", X, minus(s(4), s(1))), 3, 5),
        (Cmp("<", minus(X, Y), s(9)), 5, 11),
        (Cmp("<", plus(X, Y), plus(X, X)), 2, 5),
        (Not(Cmp("<", X, Y)), 2, 5),
        (Cmp("<=", times(n(2), plus(X, Y)), s(20)), 14, 20),
    ],
)
def test_normal_form_has_positive_terms_on_both_sides(require: Bool, left: int, right: int) -> None:
    c = one([free("x", 1, 9), free("y", 1, 9)], require)
    values: dict[str, Value] = {"x": 5 * SECOND, "y": 2 * SECOND}
    assert c.rules["a"].sides(values) == (left * SECOND, right * SECOND)


def test_infinite_minus_infinite_breaks_a_comparison_only_inside_functions() -> None:
    unlimited = [fixed("y", INFINITE), free("x", 1, 2)]
    assert one(unlimited, Cmp("<", minus(X, Y), s(1))).surrendered == ()
    assert one(unlimited, Cmp("<", Fn("max", (minus(Y, Y), X)), s(5))).surrendered == ()
    twice = [fixed("y", INFINITE), fixed("z", INFINITE), free("x", 1, 2)]
    assert one(twice, Cmp("<", Fn("max", (minus(Y, Par("z")), X)), s(5))).surrendered is None
    assert one(twice, Cmp(">=", Fn("max", (minus(Y, Par("z")), X)), s(5))).surrendered is None


def test_division_by_zero_breaks_a_comparison_whatever_its_sign() -> None:
    for sign in ("<", ">="):
        c = one([free("x", 0, 2)], Cmp(sign, over(n(1), X), per_second(1)))
        assert 0 not in c.values_of("x")


def test_or_scores_its_best_part_and_and_its_worst() -> None:
    parts = (Cmp("<", s(4), X), Cmp("<", X, s(12)))
    assert first_level(one([free("x", 5, 6)], AnyOf(parts))) == 1000
    # 6 s: 50 % above 4 s; 12 s is 100 % above 6 s.
    assert first_level(one([free("x", 5, 6)], All(parts))) == 500


def test_components_are_those_that_share_no_free_parameter() -> None:
    spec = Spec(
        (free("x", 1, 4), free("y", 1, 4), fixed("deadline", 9)),
        (Rule("a", Cmp("<", X, Par("deadline"))), Rule("b", Cmp("<", Y, Par("deadline")))),
    )
    assert sorted((tuple(c.names), tuple(c.rules)) for c in components(spec)) == [(("x",), ("a",)), (("y",), ("b",))]
