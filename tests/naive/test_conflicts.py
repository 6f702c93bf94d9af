"""The reference for conflicts and repairs: cases worked out by hand, and trying every subset."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

import pytest

from naive.conflicts import Conflicts, Question
from naive.language import (
    MS,
    SECOND,
    Bool,
    Cmp,
    Expr,
    Fn,
    Implies,
    Margin,
    Par,
    Parameter,
    Rule,
    Spec,
    number,
    over,
    plus,
    times,
)
from naive.unsatisfiable import generate, seconds

X, Y, K = Par("x"), Par("y"), Par("k")


def free(name: str, low: int = 0, high: int | None = None, step: int = MS) -> Parameter:
    end = None if high is None else Fraction(high * SECOND)
    return Parameter(name, "free", "duration", interval=(Fraction(low * SECOND), end), step=Fraction(step))


def whole(name: str, low: int, high: int, step: int | None = None) -> Parameter:
    granularity = None if step is None else Fraction(step)
    return Parameter(name, "free", "count", interval=(Fraction(low), Fraction(high)), step=granularity)


def constant(role: str, name: str, value: int, step: int | None = None, cost: int | str | None = None) -> Parameter:
    granularity = None if step is None else Fraction(step)
    return Parameter(name, role, "duration", value=value * SECOND, step=granularity, cost=cost)


def count(value: int) -> Expr:
    return number(value, "count")


def rate(value: int) -> Expr:
    return number(Fraction(value, SECOND), "rate")


def worked() -> Conflicts:
    """The system of the README."""
    send, pods = Par("send_ping"), Par("pods")
    parameters = (
        constant("fact", "ctx", 10),
        constant("fact", "lb_idle", 60),
        Parameter("pods", "fact", "count", value=400),
        Parameter("ping", "free", "duration", interval=(Fraction(2300 * MS), None)),
        free("send_ping", 0, 60),
        free("idle"),
    )
    rules = {
        "deadline": Cmp("<", plus(send, Par("ping")), Par("ctx")),
        "idle_order": Cmp("<", Par("idle"), Par("lb_idle")),
        "rate": Cmp("<", over(pods, send), rate(100)),
        "nat_budget": Cmp("<=", over(pods, send), rate(50)),
        "client_reuse": Cmp(">=", Par("idle"), seconds(75)),
        "detect": Cmp("<=", times(count(2), send), seconds(7)),
    }
    return Conflicts(Spec(parameters, tuple(Rule(i, r) for i, r in rules.items())))


def of(parameters: Iterable[Parameter], *rules: Rule | Bool) -> Conflicts:
    """Rules without an id are a, b, c, …."""
    named = (r if isinstance(r, Rule) else Rule(i, r) for i, r in zip("abcdef", rules, strict=False))
    return Conflicts(Spec(tuple(parameters), tuple(named)))


def told(found: Iterable[frozenset[str]]) -> set[str]:
    return {" ".join(sorted(some)) for some in found}


def conflicts(found: Conflicts) -> set[str]:
    return told(some for g in found.groups for some in found.conflicts(g))


def repairs(found: Conflicts) -> set[str]:
    return told(some for g in found.groups for some in found.repairs(g) if some)


def test_the_worked_system_has_four_conflicts_in_two_groups() -> None:
    by_group = {frozenset(g): (told(worked().conflicts(g)), told(worked().repairs(g))) for g in worked().groups}
    assert by_group == {
        frozenset({"idle_order", "client_reuse"}): (
            {"fact:lb_idle rule:client_reuse rule:idle_order"},
            {"rule:client_reuse", "rule:idle_order"},
        ),
        frozenset({"deadline", "rate", "nat_budget", "detect"}): (
            {
                "fact:pods rule:detect rule:nat_budget",
                "fact:pods rule:detect rule:rate",
                "domain:ping.min fact:ctx fact:pods rule:deadline rule:nat_budget",
            },
            {"rule:detect rule:nat_budget", "rule:deadline rule:detect", "rule:nat_budget rule:rate"},
        ),
    }


def test_a_step_without_a_multiple_between_two_rules_is_named() -> None:
    found = of([free("x", 0, 60, step=5 * SECOND)], Cmp(">", X, seconds(11)), Cmp("<", X, seconds(14)))
    assert conflicts(found) == {"rule:a rule:b step:x"}


def test_a_count_is_whole_without_its_step() -> None:
    rules = (Cmp("<", count(7), times(count(2), X)), Cmp("<", times(count(2), X), count(8)))
    assert conflicts(of([whole("x", 1, 9)], *rules)) == {"rule:a rule:b"}
    assert conflicts(of([whole("x", 1, 9, step=3)], Cmp("<", count(3), X), Cmp("<", X, count(6)))) == {
        "rule:a rule:b step:x"
    }


def test_both_ways_to_exclude_a_divisor_are_conflicts() -> None:
    # 10 / x > 1/s is 10 > 1/s * x once multiplied out, which 0 fulfils; 10 / x < 1/s is not.
    greater = of([free("x", 0, 60)], Cmp(">", over(count(10), X), rate(1)), Cmp("<=", X, seconds(0)))
    assert conflicts(greater) == {"divisor:a rule:b"}
    smaller = of([free("x", 0, 60)], Cmp("<", over(count(10), X), rate(1)), Cmp("<=", X, seconds(0)))
    assert conflicts(smaller) == {"divisor:a rule:b", "rule:a rule:b"}


def test_a_rule_that_goes_takes_its_divisor_and_margin_with_it() -> None:
    rule = Rule("a", Cmp(">", over(count(10), X), rate(1)), margin=Margin(Fraction(1, 2), True))
    found = of([free("x", 0, 60)], rule, Rule("b", Cmp("<=", X, seconds(0)), cost="never"))
    assert repairs(found) == {"rule:a"}


def test_a_margin_counts_apart_from_its_rule() -> None:
    rule = Rule("a", Cmp("<", X, seconds(10)), margin=Margin(Fraction(1, 2), True))
    found = of([free("x", 0, 60)], rule, Rule("b", Cmp(">=", X, seconds(8))))
    assert conflicts(found) == {"margin:a rule:b"}
    assert repairs(found) == {"margin:a", "rule:a", "rule:b"}
    amount = Rule("a", Cmp("<", X, seconds(10)), margin=Margin(Fraction(2 * SECOND), False))
    assert conflicts(of([free("x", 0, 60)], amount, Rule("b", Cmp(">=", X, seconds(8))))) == set()
    assert conflicts(of([free("x", 0, 60)], amount, Rule("b", Cmp(">", X, seconds(8))))) == {"margin:a rule:b"}


def test_a_constant_that_may_be_anything_is_not_named() -> None:
    found = of([free("x", 0, 60), constant("fixed", "k", 5)], Cmp("<", X, K), Cmp("<", plus(K, seconds(1)), X))
    assert conflicts(found) == {"rule:a rule:b"}
    assert repairs(found) == {"rule:a", "rule:b"}


def test_a_fixed_value_moves_on_its_step_only() -> None:
    rules = (Rule("a", Cmp("<", X, K), cost="never"), Rule("b", Cmp("<=", seconds(7), X), cost="never"))
    assert repairs(of([free("x"), constant("fixed", "k", 5)], *rules)) == {"fixed:k"}
    assert repairs(of([free("x"), constant("fixed", "k", 5, cost="never")], *rules)) == set()
    below_a_step = (Rule("c", Cmp("<", K, seconds(2)), cost="never"), Rule("d", Cmp(">", K, seconds(0)), cost="never"))
    assert repairs(of([constant("fixed", "k", 5, step=SECOND)], *below_a_step)) == {"fixed:k"}
    assert repairs(of([constant("fixed", "k", 6, step=3 * SECOND)], *below_a_step)) == set()


def test_a_factor_that_is_not_named_can_be_zero_or_huge() -> None:
    retries = Parameter("k", "fixed", "count", value=5)
    small = of([free("x", 2, 60), retries], Cmp("<", times(K, X), seconds(8)))
    assert conflicts(small) == {"domain:x.min fixed:k rule:a"}
    great = of([free("x", 0, 1), retries], Cmp("<", seconds(8), times(K, X)))
    assert conflicts(great) == {"domain:x.max fixed:k rule:a"}
    never = of([free("x"), retries], Cmp("<", seconds(8), times(K, X)), Cmp("<=", X, seconds(0)))
    assert conflicts(never) == {"rule:a rule:b"}
    # Divided by, it is above 0: the whole numbers begin at 1, others have no smallest.
    assert conflicts(of([free("x", 0, 4), retries], Cmp("<", seconds(8), over(X, K)))) == {"domain:x.max rule:a"}
    share = Parameter("k", "fixed", "ratio", value=Fraction(5))
    assert conflicts(of([free("x", 0, 4), share], Cmp("<", seconds(8), over(X, K)))) == {"domain:x.max fixed:k rule:a"}


def test_an_interval_counts_with_its_worse_end() -> None:
    pods = Parameter("k", "fact", "count", interval=(Fraction(40), Fraction(400)))
    rule = Cmp("<", over(K, X), rate(100))
    assert conflicts(of([free("x"), pods], rule, Cmp("<=", X, seconds(4)))) == {"fact:k rule:a rule:b"}
    assert conflicts(of([free("x"), pods], rule, Cmp("<=", X, seconds(5)))) == set()
    assert conflicts(of([free("x"), pods], Cmp(">", over(K, X), rate(10)), Cmp(">=", X, seconds(4)))) == {
        "fact:k rule:a rule:b"
    }


def test_the_smaller_of_two_and_the_greater_are_taken_apart() -> None:
    either = Cmp("<", Fn("min", (X, Y)), seconds(3))
    domains = [free("x", 5, 60), free("y", 4, 60)]
    assert conflicts(of(domains, either)) == {"domain:x.min domain:y.min rule:a"}
    both = Cmp("<", Fn("max", (X, Y)), seconds(3))
    assert conflicts(of(domains, both)) == {"domain:x.min rule:a", "domain:y.min rule:a"}


def test_a_conclusion_counts_where_its_condition_holds() -> None:
    rules = (Implies(Cmp(">", X, seconds(3)), Cmp("<", Y, seconds(2))), Cmp(">", Y, seconds(4)))
    assert conflicts(of([free("x", 0, 9), free("y")], *rules)) == set()
    assert conflicts(of([free("x", 4, 9), free("y")], *rules)) == {"domain:x.min rule:a rule:b"}


def test_a_weaker_rule_holds_from_the_share_that_it_needs() -> None:
    found = of([free("x", 2, 9)], Cmp("<=", times(count(5), X), seconds(8)))
    kept = frozenset(found.items(["a"]))
    assert not found.holds(Question(kept, shares={"a": Fraction(249, 1000)}))
    assert found.holds(Question(kept, shares={"a": Fraction(1, 4)}))


def test_a_moved_value_stays_in_its_band() -> None:
    found = of([free("x", 7, 9), constant("fixed", "k", 5, step=SECOND)], Cmp("<", X, K))
    kept = found.without(["a"], ["fixed:k"])
    for high, expected in ((7, False), (8, True)):
        assert found.holds(Question(kept, {"k": (Fraction(0), Fraction(high * SECOND))})) is expected
    assert not found.holds(Question(kept, {"k": (Fraction(0), Fraction(7 * SECOND + 999 * MS))}))


@pytest.mark.parametrize("seed", range(25))
def test_no_subset_of_the_items_is_overlooked(seed: int) -> None:
    found = Conflicts(generate(seed))
    for group in found.groups:
        items = found.items(group)
        if len(items) > 10:
            continue
        minimal: set[frozenset[str]] = set()
        for size in range(len(items) + 1):
            for some in map(frozenset, combinations(items, size)):
                if not any(m <= some for m in minimal) and not found.can_hold(some):
                    minimal.add(some)
        assert found.conflicts(group) == minimal


def test_specs_have_conflicts_of_every_sort() -> None:
    kinds, shapes = set[str](), set[tuple[int, int]]()
    for seed in range(60):
        found = Conflicts(generate(seed))
        for group in found.groups:
            known = found.conflicts(group)
            kinds.update(item.partition(":")[0] for some in known for item in some)
            shapes.add((len(known), len(found.repairs(group))))
    assert kinds == {"rule", "margin", "divisor", "domain", "step", "fact", "fixed", "measurement"}
    assert len(shapes) > 12
    assert max(repairs for _, repairs in shapes) > 3
