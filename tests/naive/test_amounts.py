"""The reference for amounts against cases worked out by hand."""

from __future__ import annotations

from fractions import Fraction

from naive.amounts import LAST, Amounts, share
from naive.conflicts import Conflicts
from naive.language import Cmp, Margin, Par, Rule, Spec, number, times
from naive.test_conflicts import X, constant, free, worked
from naive.unsatisfiable import seconds

SECOND = 10**9


def of(*rules: Rule) -> Conflicts:
    return Conflicts(Spec((free("x", 0, 60, step=SECOND), constant("fixed", "k", 5, step=SECOND)), rules))


def test_the_scale_has_three_digits() -> None:
    scale = [share(i) for i in range(LAST + 1)]
    assert scale == sorted(set(scale))
    assert [scale[i] for i in (0, 1, 899, 900, LAST)] == [
        Fraction(1, 10**4), Fraction(101, 10**6), Fraction(999, 10**6), Fraction(1, 10**3), Fraction(10**6),
    ]  # fmt: skip


def test_the_worked_ways_out_have_their_amounts() -> None:
    group = ["deadline", "detect", "nat_budget", "rate"]
    expected = {
        ("rule:detect", "rule:nat_budget"): (Fraction(512, 1000), Fraction(512, 1000)),
        ("rule:deadline", "rule:detect"): (Fraction(301, 10**4), Fraction(129, 100)),
        ("rule:nat_budget", "rule:rate"): (Fraction(129, 100), Fraction(143, 1000)),
    }
    for items, shares in expected.items():
        assert Amounts(worked(), group, items, []).smallest() == [dict(zip(items, shares, strict=True))]


def test_equal_ways_to_spread_the_shares_are_all_found() -> None:
    rules = (Rule("a", Cmp("<=", seconds(8), X)), Rule("b", Cmp("<=", times(number(2, "count"), X), seconds(8))))
    found = Conflicts(Spec((free("x", 0, 60),), rules))
    # 8 / (1 + m) is 4 * (1 + m) at 41.42 %: one of the two is rounded up, whichever.
    assert Amounts(found, ["a", "b"], ["rule:a", "rule:b"], []).smallest() == [
        {"rule:a": Fraction(415, 1000), "rule:b": Fraction(414, 1000)},
        {"rule:b": Fraction(415, 1000), "rule:a": Fraction(414, 1000)},
    ]


def test_a_value_moves_on_its_step_within_its_share() -> None:
    found = of(Rule("a", Cmp("<", X, Par("k"))), Rule("b", Cmp("<", seconds(6), X)))
    amounts = Amounts(found, ["a", "b"], ["fixed:k"], [])
    # 7 s is the smallest above 6 s, and 8 s above that: 60 % more.
    assert amounts.smallest() == [{"fixed:k": Fraction(6, 10)}]
    assert amounts.holds({}, {"fixed:k": Fraction(8 * SECOND)})
    assert not amounts.holds({}, {"fixed:k": Fraction(7 * SECOND)})


def test_a_number_on_the_smaller_side_falls_by_three_digits() -> None:
    amounts = Amounts(worked(), ["client_reuse", "idle_order"], ["rule:client_reuse"], [])
    (caps,) = amounts.smallest()
    assert caps == {"rule:client_reuse": Fraction(251, 1000)}
    # 75 s less 15.1 s.
    assert amounts.told("rule:client_reuse", Fraction(251, 1000)) == {Fraction(75 * 10, 599) - 1}
    assert amounts.told("rule:idle_order", Fraction(251, 1000)) == {Fraction(251, 1000)}


def test_a_weakened_rule_keeps_its_margin() -> None:
    margin = Margin(Fraction(1, 2), True)
    found = of(Rule("a", Cmp("<", X, seconds(10)), margin=margin), Rule("b", Cmp("<=", seconds(8), X)))
    # 12 s against 1.5 times 8 s.
    assert Amounts(found, ["a", "b"], ["rule:a"], []).smallest() == [{"rule:a": Fraction(2, 10)}]


def test_a_rule_that_no_factor_mends_is_dropped() -> None:
    zero = Rule("a", Cmp("<=", seconds(5), X))
    found = of(zero, Rule("b", Cmp("<=", X, seconds(0))))
    assert not Amounts(found, ["a", "b"], ["rule:a"], ["rule:a"]).drops_more_than_needed()
    assert Amounts(
        of(zero, Rule("b", Cmp("<=", X, seconds(1)))), ["a", "b"], ["rule:a"], ["rule:a"]
    ).drops_more_than_needed()
