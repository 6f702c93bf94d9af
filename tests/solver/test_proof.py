"""Proofs of conflicts: found for what is impossible and for nothing else, and refused where a line is changed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.polynomial import Apply, Poly, Var, constant, variable
from outlast.constraints.quantities import Sentinel
from outlast.solver.account import Case, Cases, Certificate, Clash, Proof, Step
from outlast.solver.certificate import presented
from outlast.solver.engine import Z3Engine
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import (
    FALSE,
    Below,
    Both,
    Clause,
    Logic,
    Mode,
    Negated,
    Truism,
    Whole,
    Zero,
    below,
    both,
    either,
    implies,
    negated,
    zero,
)
from outlast.solver.proof import check_proof, prove
from outlast.solver.simplex import solve_rows
from outlast.solver.statements import row_of, row_text

F = Fraction
S = F(10**9)
OFF, INFINITE = Sentinel.OFF, Sentinel.INFINITE
Parts = Sequence[tuple[str, Logic]]
Grids = Mapping[str, Grid]


def used_items(proof: Proof) -> set[str]:
    """The ids of the items that a proof speaks of, without those that are no items of the conflict."""
    match proof:
        case Certificate(steps, _):
            found = {step.item for step in steps}
        case Clash(items, _):
            found = set(items)
        case Cases(item, cases, also):
            found = {item, *also}.union(*(used_items(case.proof) for case in cases))
    return found - {"natural", "rounding", "case"}


def time(name: str) -> Poly:
    return variable(Var(name, 1))


def count(name: str) -> Poly:
    return variable(Var(name, 0))


def k(value: Fraction | int) -> Poly:
    return constant(F(value))


def less(left: Poly, right: Poly, *, strict: bool = True, exponent: int | None = None) -> Logic:
    if exponent is None:
        exponent = (left if left.time_exponent else right).time_exponent
    return below(left - right, strict=strict, exponent=exponent)


def most(left: Poly, right: Poly) -> Logic:
    return less(left, right, strict=False)


def grid(
    name: str, *, unit: Fraction = S, exponent: int = 1, whole: bool = False, specials: tuple[Sentinel, ...] = ()
) -> Grid:
    return Grid(
        name=name, time_exponent=exponent, unit=unit, low=0, high=None, listed=None, specials=specials, whole=whole, positive=False,
        domain_low=None, domain_high=None,
    )  # fmt: skip


def grids(*some: Grid) -> dict[str, Grid]:
    return {g.name: g for g in some}


def proved(parts: Parts, of: Grids | None = None) -> Proof:
    proof = prove(parts, of or {}, Limits())
    assert proof is not None
    assert check_proof(proof, parts, of or {})
    return proof


def told(proof: Proof) -> list[str]:
    """The proof line by line, cases indented."""
    match proof:
        case Certificate(steps, total):
            return [*(f"{s.times} x {s.item}: {s.says}" for s in steps), total]
        case Clash(items, says):
            return [f"{i}: {t}" for i, t in zip(items, says, strict=True)]
        case Cases(item, cases, also):
            lines = [" ".join([item, *also])]
            for case in cases:
                lines += [f"- {case.says}", *(f"  {line}" for line in told(case.proof))]
            return lines


# The worked system.

SEND, PING, IDLE, PODS, CTX = time("send_ping"), time("ping"), time("idle"), count("pods"), time("ctx")
RULES: dict[str, Logic] = {
    "rule:deadline": less(SEND + PING, CTX),
    "rule:idle_order": less(IDLE, time("lb_idle")),
    "rule:rate": less(PODS, SEND.scaled(100 / S), exponent=0),
    "rule:nat_budget": less(PODS, SEND.scaled(50 / S), strict=False, exponent=0),
    "rule:client_reuse": most(k(75 * S), IDLE),
    "rule:detect": most(SEND.scaled(F(2)), k(7 * S)),
    "domain:ping.min": most(k(F("2.3") * S), PING),
    "domain:send_ping.max": most(SEND, k(60 * S)),
    "fact:pods": zero(PODS - k(400)),
    "fact:ctx": zero(CTX - k(10 * S)),
    "fact:lb_idle": zero(time("lb_idle") - k(60 * S)),
}


def test_multipliers_are_whole_for_inequalities_of_the_dimension_of_the_sum() -> None:
    items = ("rule:deadline", "rule:nat_budget", "domain:ping.min", "fact:ctx", "fact:pods")
    proof = proved([(i, RULES[i]) for i in items])
    assert isinstance(proof, Certificate)
    assert [s.times for s in proof.steps] == ["1", "20ms", "1", "1", "20ms"]
    parts = [
        ("rule:b", less(Y, k(2 * S))),
        ("rule:a", most(X.scaled(F(2)), Y.scaled(F(3)))),
        ("rule:c", most(k(3 * S), X)),
    ]
    assert told(proved(parts)) == ["3 x rule:b: y < 2s", "1 x rule:a: 2 * x <= 3 * y", "2 x rule:c: 3s <= x", "0s < 0s"]


def test_the_worked_conflict_takes_25_1_and_1() -> None:
    proof = proved([(i, RULES[i]) for i in ("rule:detect", "rule:nat_budget", "fact:pods")])
    assert isinstance(proof, Certificate)
    assert told(proof) == [
        "25/s x rule:detect: 2 * send_ping <= 7s",
        "1 x rule:nat_budget: pods <= 50/s * send_ping",
        "1 x fact:pods: 400 <= pods",
        "0 <= -225",
    ]


@pytest.mark.parametrize(
    ("items", "total"),
    [
        ("rule:client_reuse rule:idle_order fact:lb_idle", "0s < -15s"),
        ("rule:detect rule:rate fact:pods", "0 < -50"),
        ("rule:deadline rule:nat_budget domain:ping.min fact:ctx fact:pods", "0s < -300ms"),
    ],
)
def test_each_worked_conflict_uses_all_its_items_and_nothing_more(items: str, total: str) -> None:
    proof = proved([(i, RULES[i]) for i in items.split()])
    assert isinstance(proof, Certificate)
    assert used_items(proof) == set(items.split())
    assert {s.item for s in proof.steps} == set(items.split())
    assert proof.total == total


def test_what_can_hold_together_is_not_proved() -> None:
    items = ("rule:deadline", "rule:idle_order", "rule:rate", "rule:detect", "fact:ctx")
    assert prove([(i, RULES[i]) for i in items], {}, Limits()) is None


def test_quantities_are_never_negative_is_said_only_where_needed() -> None:
    needs = proved([("rule:a", less(time("x") + time("y"), k(S))), ("rule:b", most(k(S), time("x")))])
    assert told(needs)[-2:] == ["1 x natural: 0s <= y", "0s < 0s"]
    assert "natural" not in str(told(proved([("rule:a", less(time("x"), k(S))), ("rule:b", most(k(S), time("x")))])))


def test_a_product_of_unknowns_is_an_unknown_that_bounds_of_a_factor_limit() -> None:
    """retries * wait <= 10s, retries = 4, wait > 3s: the fact is taken times the other factor."""
    parts = [
        ("rule:all", most(count("retries") * time("wait"), k(10 * S))),
        ("rule:each", less(k(3 * S), time("wait"))),
        ("fact:retries", zero(count("retries") - k(4))),
    ]
    proof = proved(parts)
    assert used_items(proof) == {i for i, _ in parts}
    assert isinstance(proof, Certificate)
    multiplied = [s.says for s in proof.steps if s.item != "rule:all" and "retries * wait" in s.says]
    assert multiplied in (["4 * wait <= retries * wait"], ["3s * retries <= retries * wait"])


def test_a_chain_of_sixty_rules_is_one_certificate_of_them_all() -> None:
    names = [time(f"x{n}") for n in range(61)]
    parts = [(f"rule:r{n}", most(a + k(S), b)) for n, (a, b) in enumerate(pairwise(names))]
    proof = proved([*parts, ("domain:x60.max", less(names[60], k(60 * S)))])
    assert isinstance(proof, Certificate)
    assert {s.times for s in proof.steps} == {"1"}
    assert len(proof.steps) == 62  # the domain, and that x0 is not negative


# Steps and counts.

X, Y = time("x"), time("y")
BETWEEN: Parts = [
    ("rule:lo", most(k(11 * S), X)),
    ("rule:hi", most(X, k(14 * S))),
    ("step:x", Whole("x")),
]
FIVES = grids(grid("x", unit=5 * S), grid("y", unit=5 * S))


def test_no_multiple_of_five_seconds_lies_between_eleven_and_fourteen() -> None:
    assert told(proved(BETWEEN, FIVES)) == [
        "step:x",
        "- x <= 10s",
        "  1 x rule:lo: 11s <= x",
        "  1 x case: x <= 10s",
        "  0s <= -1s",
        "- x >= 15s",
        "  1 x rule:hi: x <= 14s",
        "  1 x case: 15s <= x",
        "  0s <= -1s",
    ]


def test_a_finer_step_leaves_something_between() -> None:
    assert prove(BETWEEN, grids(grid("x", unit=2 * S)), Limits()) is None
    assert prove([*BETWEEN[:2], ("step:x", Whole("x", F(5, 2)))], FIVES, Limits()) is None


def test_steps_of_two_parameters_leave_a_sum_nothing() -> None:
    parts = [
        ("rule:lo", less(k(11 * S), X + Y)),
        ("rule:hi", less(X + Y, k(14 * S))),
        ("step:x", Whole("x")),
        ("step:y", Whole("y")),
    ]
    proof = proved(parts, FIVES)
    assert isinstance(proof, Cases)
    assert (proof.item, proof.also, [c.says for c in proof.cases]) == (
        "step:x",
        ("step:y",),
        ["x + y <= 10s", "15s <= x + y"],
    )
    assert used_items(proof) == {i for i, _ in parts}


def test_counts_are_whole_without_an_item() -> None:
    counts = grids(grid("n", unit=F(1), exponent=0, whole=True))
    parts = [("rule:lo", less(k(2), count("n"))), ("rule:hi", less(count("n"), k(3)))]
    proof = proved(parts, counts)
    assert isinstance(proof, Cases)
    assert (proof.item, [c.says for c in proof.cases]) == ("natural", ["n <= 2", "n >= 3"])
    assert prove(parts, grids(grid("n", unit=F(1), exponent=0)), Limits()) is None


@pytest.mark.parametrize(("function", "least"), [("ceil", 11), ("floor", 20)])
def test_rounding_is_used_in_both_directions(function: str, least: int) -> None:
    """From 11 s on, x / 10 s rounded up is 2; rounded down, that takes 20 s."""
    inner = X.scaled(1 / (10 * S))
    rounded = variable(Apply(function, (inner,), f"{function}(x / 10s)", 0))
    below_two = ("rule:few", less(rounded, k(2)))
    assert used_items(proved([below_two, ("rule:lo", most(k(least * S), X))], FIVES)) == {"rule:few", "rule:lo"}
    assert prove([below_two, ("rule:lo", most(k((least - 1) * S), X))], FIVES, Limits()) is None
    more = ("rule:many", less(k(1), rounded))
    most_of_one = k(10 * S) if function == "ceil" else k(20 * S - 1)
    assert used_items(proved([more, ("rule:hi", most(X, most_of_one))], FIVES)) == {"rule:many", "rule:hi"}
    assert prove([more, ("rule:hi", most(X, most_of_one + k(1)))], FIVES, Limits()) is None


def test_what_would_take_cases_without_end_is_given_up() -> None:
    """x is even and odd, with nothing that limits it."""
    counts = grids(*(grid(n, unit=F(1), exponent=0, whole=True) for n in "xyz"))
    x, y, z = (count(n) for n in "xyz")
    parts = [("rule:even", zero(x - y.scaled(F(2)))), ("rule:odd", zero(x - z.scaled(F(2)) - k(1)))]
    assert prove(parts, counts, Limits()) is None


def test_the_time_limit_passes_through() -> None:
    with pytest.raises(Undecided):
        prove(BETWEEN, FIVES, Limits.starting_now(0))


# Alternatives.


def is_max(value: Poly, a: Poly, b: Poly) -> Logic:
    """value = max(a, b), taken apart as rules are."""
    return both([either([less(a, b), zero(value - a)]), either([less(b, a), zero(value - b)])])


def test_a_maximum_is_proved_by_its_cases() -> None:
    parts = [
        ("rule:m", is_max(time("m"), X, Y)),
        ("rule:hi", less(time("m"), k(5 * S))),
        ("domain:x.min", most(k(6 * S), X)),
    ]
    proof = proved(parts)
    assert used_items(proof) == {i for i, _ in parts}
    assert isinstance(proof, Cases)


def test_an_alternative_that_nothing_needs_is_not_mentioned() -> None:
    parts = [
        ("rule:or", either([less(X, k(S)), less(Y, k(S))])),
        ("rule:lo", most(k(3 * S), X + Y)),
        ("rule:hi", less(X + Y, k(3 * S))),
    ]
    assert used_items(proved(parts)) == {"rule:lo", "rule:hi"}


def test_what_follows_from_one_case_after_another_is_found() -> None:
    """Only the second alternative is left of each rule in turn."""
    names = [time(f"x{n}") for n in range(6)]
    parts: list[tuple[str, Logic]] = [("rule:start", most(k(2 * S), names[0]))]
    for n, (a, b) in enumerate(pairwise(names)):
        parts.append((f"rule:r{n}", either([less(a, k(S)), most(k(2 * S), b)])))
    parts.append(("rule:end", less(names[-1], k(S))))
    assert used_items(proved(parts)) == {i for i, _ in parts}


def test_what_is_not_equal_is_less_or_more() -> None:
    parts = [
        ("rule:not", negated(zero(X - k(3 * S)))),
        ("rule:lo", most(k(3 * S), X)),
        ("rule:hi", most(X, k(3 * S))),
    ]
    proof = proved(parts)
    assert isinstance(proof, Cases)
    assert (proof.item, [c.says for c in proof.cases]) == ("rule:not", ["x < 3s", "x > 3s"])


def test_a_long_list_is_split_around_the_gap_and_two_values_one_by_one() -> None:
    gap: Parts = [("rule:lo", less(k(15 * S), X)), ("rule:hi", less(X, k(20 * S)))]
    listed = either([zero(X - k(5 * n * S)) for n in range(600)])
    proof = proved([*gap, ("step:x", listed)])
    assert isinstance(proof, Cases)
    assert (proof.item, [c.says for c in proof.cases]) == ("step:x", ["x <= 15s", "x >= 20s"])
    proof = proved([*gap, ("step:x", either([zero(X - k(15 * S)), zero(X - k(30 * S))]))])
    assert isinstance(proof, Cases)
    assert [c.says for c in proof.cases] == ["x = 15s", "x = 30s"]


# Modes.

MAYBE = grids(grid("x", specials=(OFF,)), grid("y", specials=(INFINITE, OFF)))


def test_rules_that_want_other_modes_clash_without_arithmetic() -> None:
    parts = [("rule:on", negated(Mode("x", OFF))), ("rule:off", Mode("x", OFF))]
    assert told(proved(parts, MAYBE)) == ["rule:on: x is not off", "rule:off: x is off"]


def test_nothing_is_left_where_every_mode_is_excluded() -> None:
    parts = [
        ("rule:a", negated(Mode("y", OFF))),
        ("rule:b", negated(Mode("y", None))),
        ("rule:c", negated(Mode("y", INFINITE))),
    ]
    assert used_items(proved(parts, MAYBE)) == {"rule:a", "rule:b", "rule:c"}
    assert all(prove(parts[:n] + parts[n + 1 :], MAYBE, Limits()) is None for n in range(3))


def test_a_number_is_refuted_by_arithmetic_and_a_sentinel_by_a_rule() -> None:
    parts = [
        ("rule:on", negated(Mode("x", OFF))),
        ("rule:hi", both([implies(Mode("x", None), less(X, k(3 * S)))])),
        ("domain:x.min", either([Mode("x", OFF), most(k(5 * S), X)])),
    ]
    assert told(proved(parts, MAYBE)) == [
        "natural",
        "- x is off",
        "  case: x is off",
        "  rule:on: x is not off",
        "- x is a number",
        "  1 x rule:hi: x < 3s",
        "  1 x domain:x.min: 5s <= x",
        "  0s < -2s",
    ]
    assert prove(parts[1:], MAYBE, Limits()) is None


def test_a_rule_that_cannot_hold_is_a_clash_of_its_own() -> None:
    assert told(proved([("rule:a", FALSE), ("rule:b", less(X, Y))])) == ["rule:a: cannot hold"]


# Laws, on small formulas over three unknowns.

NAMES = ("p", "q", "r")
SMALL = grids(
    grid("p", unit=F(2), exponent=0, specials=(OFF,)),
    grid("q", unit=F(1), exponent=0, whole=True),
    grid("r", unit=F(3, 2), exponent=0),
)
linear = st.builds(
    lambda factors, rest: sum(
        (count(n).scaled(f) for n, f in zip(NAMES, factors, strict=True)), constant(rest)
    ),
    st.tuples(*[st.sampled_from([F(0), F(0), F(1), F(-1), F(2), F(-3, 2)])] * 3),
    st.integers(-6, 6).map(F),
)  # fmt: skip
comparisons = st.one_of(
    st.builds(lambda p, s: below(p, strict=s), linear, st.booleans()),
    st.builds(lambda p, s: below(p, strict=s), linear, st.booleans()),
    st.builds(zero, linear),
)
atoms = st.one_of(comparisons, comparisons, comparisons, st.sampled_from([Mode("p", OFF), Mode("p", None)]))
formulas = st.recursive(
    atoms,
    lambda inner: st.one_of(
        inner.map(negated),
        st.lists(inner, min_size=2, max_size=3).map(both),
        st.lists(inner, min_size=2, max_size=3).map(either),
    ),
    max_leaves=5,
)
limited = [("domain:p.max", most(count("p"), k(7))), ("domain:q.max", most(count("q"), k(5))), ("domain:r.max", most(count("r"), k(6)))]  # fmt: skip
stepped = st.lists(st.sampled_from([("step:p", Whole("p")), ("step:r", Whole("r"))]), unique=True)
systems = st.builds(
    lambda some, steps: [*((f"rule:r{n}", f) for n, f in enumerate(some)), *limited, *steps],
    st.lists(formulas, min_size=1, max_size=5),
    stepped,
)


def possible(parts: Parts) -> bool:
    """What z3 says."""
    free = frozenset(SMALL)
    engine = Z3Engine(SMALL, Limits(), continuous=free, unbounded=free)
    engine.require(Whole("q"))
    for name in NAMES:
        engine.require(Below(count(name).scaled(F(-1)), strict=False))
    for number, (_, logic) in enumerate(parts):
        engine.define(number, logic)
    return engine.satisfiable(range(len(parts)))


@settings(max_examples=120, derandomize=True, deadline=None)
@given(systems)
def test_there_is_a_proof_exactly_where_z3_finds_no_point(parts: Parts) -> None:
    proof = prove(parts, SMALL, Limits())
    assert (proof is None) == possible(parts)
    if proof is not None:
        for item in used_items(proof):
            rest = [p for p in parts if p[0] != item]
            assert not check_proof(proof, rest, SMALL) or not possible(rest)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.builds(lambda p, s: below(p, strict=s), linear, st.booleans()), min_size=2, max_size=6))
def test_plain_inequalities_take_one_certificate_without_a_row_too_many(rows: list[Logic]) -> None:
    parts = [(f"rule:r{n}", row) for n, row in enumerate(rows)]
    loose = {n: grid(n, exponent=0) for n in NAMES}
    proof = prove(parts, loose, Limits())
    if proof is None:
        return
    assert isinstance(proof, Certificate | Clash)
    if isinstance(proof, Certificate):
        assert_sum(proof)
        for left_out in proof.steps:
            assert solve_rows([row_of(s.row) for s in proof.steps if s is not left_out]).multipliers is None


def assert_sum(certificate: Certificate) -> None:
    total: dict[object, Fraction] = {}
    for step in certificate.steps:
        assert step.multiplier > 0
        for monomial, coefficient in step.row.poly:
            total[monomial] = total.get(monomial, F(0)) + step.multiplier * coefficient
    rest = total.pop((), F(0))
    assert not any(total.values())
    assert rest > 0 or (rest == 0 and any(s.row.strict for s in certificate.steps))


def points() -> Iterator[dict[str, Fraction | Sentinel]]:
    numbers = [F(n, 2) for n in range(9)]
    some: list[Fraction | Sentinel] = [*numbers, OFF]
    for p, q, r in product(some, range(5), numbers):
        yield {"p": p, "q": F(q), "r": r}


def holds(logic: Logic, point: Mapping[str, Fraction | Sentinel]) -> bool:
    match logic:
        case Below(poly, strict):
            return evaluated(poly, point) < 0 or (evaluated(poly, point) == 0 and not strict)
        case Zero(poly):
            return evaluated(poly, point) == 0
        case Mode(name, sentinel):
            value = point[name]
            return (value if isinstance(value, Sentinel) else None) is sentinel
        case Whole(name, times):
            value = point[name]
            return isinstance(value, Sentinel) or (value / SMALL[name].unit * times).denominator == 1
        case Both(parts):
            return all(holds(p, point) for p in parts)
        case Clause(parts):
            return any(holds(p, point) for p in parts)
        case Negated(part):
            return not holds(part, point)
        case Truism(value):
            return value


def evaluated(poly: Poly, point: Mapping[str, Fraction | Sentinel]) -> Fraction:
    total = F(0)
    for monomial, coefficient in poly:
        for atom, power in monomial:
            if isinstance(atom, Apply):
                inner = evaluated(atom.arguments[0], point)
                coefficient *= F(math.ceil(inner) if atom.function == "ceil" else math.floor(inner)) ** power
            else:
                assert isinstance(atom, Var)
                value = point[atom.name]
                coefficient *= (F(1) if isinstance(value, Sentinel) else value) ** power
        total += coefficient
    return total


def rounded(function: str, inner: Poly) -> Poly:
    return variable(Apply(function, (inner,), f"{function}({inner.text()})", 0)) if inner.constant is None else inner


richer = st.one_of(
    linear,
    st.builds(lambda a, b: a + b, linear, st.builds(rounded, st.sampled_from(["ceil", "floor"]), linear)),
    st.builds(lambda a, n, m: a - count(n) * count(m), linear, st.sampled_from(NAMES), st.sampled_from(NAMES)),
)
rich = st.lists(
    st.one_of(
        st.builds(lambda p, s: below(p, strict=s), richer, st.booleans()),
        st.builds(lambda p, q: either([below(p, strict=True), below(q, strict=True)]), richer, richer),
    ),
    min_size=2,
    max_size=4,
)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(rich, stepped)
def test_nothing_is_proved_of_which_a_point_is_known(some: list[Logic], steps: list[tuple[str, Logic]]) -> None:
    """With rounding and products too, of which the search does not know all."""
    parts = [*((f"rule:r{n}", f) for n, f in enumerate(some)), *steps]
    if prove(parts, SMALL, Limits()) is None:
        return
    for point in points():
        assert not all(holds(logic, point) for _, logic in parts)


# What the check refuses.


def retold(certificate: Certificate, steps: Sequence[Step]) -> Certificate:
    """Other steps, with texts that fit them: only what they say can be wrong."""
    rows, multipliers = [s.row for s in steps], [s.multiplier for s in steps]
    times, total = presented(rows, multipliers, certificate.steps[0].row.exponent)
    shown = zip(steps, times, strict=True)
    return Certificate(tuple(Step(s.item, s.multiplier, t, row_text(s.row), s.row) for s, t in shown), total)


WORKED: Parts = [(i, RULES[i]) for i in ("rule:client_reuse", "rule:idle_order", "fact:lb_idle")]


def changed(certificate: Certificate, number: int, **fields: Any) -> Certificate:
    steps = list(certificate.steps)
    old: dict[str, Any] = {n: getattr(steps[number], n) for n in ("item", "multiplier", "times", "says", "row")}
    steps[number] = Step(**{**old, **fields})
    return retold(certificate, steps)


def worked() -> Certificate:
    proof = proved(WORKED)
    assert isinstance(proof, Certificate)
    assert check_proof(retold(proof, proof.steps), WORKED, {})
    return proof


@pytest.mark.parametrize("number", range(3))
def test_a_changed_multiplier_is_refused(number: int) -> None:
    for multiplier in (F(2), F(-1), F(0)):
        assert not check_proof(changed(worked(), number, multiplier=multiplier), WORKED, {})


@pytest.mark.parametrize("number", range(3))
def test_a_row_that_its_item_does_not_say_is_refused(number: int) -> None:
    row = worked().steps[number].row
    stronger = Below(row.poly + k(1), strict=row.strict, exponent=1)
    assert not check_proof(changed(worked(), number, row=stronger), WORKED, {})
    if not row.strict:
        strict = Below(row.poly, strict=True, exponent=1)
        assert not check_proof(changed(worked(), number, row=strict), WORKED, {})
    for item in ("rule:other", "natural", "rounding", "case"):
        assert not check_proof(changed(worked(), number, item=item), WORKED, {})


def test_texts_that_do_not_fit_are_refused() -> None:
    proof = worked()
    step = proof.steps[0]
    for wrong in (
        Step(step.item, step.multiplier, "2", step.says, step.row),
        Step(step.item, step.multiplier, step.times, "76s <= idle", step.row),
    ):
        assert not check_proof(Certificate((wrong, *proof.steps[1:]), proof.total), WORKED, {})
    assert not check_proof(Certificate(proof.steps, "0s < -16s"), WORKED, {})


def cases_of(parts: Parts, of: Grids) -> Cases:
    proof = proved(parts, of)
    assert isinstance(proof, Cases)
    return proof


MODES: Parts = [
    ("rule:off", implies(Mode("x", OFF), FALSE)),
    ("rule:hi", implies(Mode("x", None), less(X, k(S)))),
    ("rule:lo", implies(Mode("x", None), less(k(S), X))),
]
EITHER: Parts = [
    ("rule:or", either([less(X, k(S)), less(k(9 * S), X)])),
    ("rule:lo", most(k(2 * S), X)),
    ("rule:hi", most(X, k(8 * S))),
]
LISTED: Parts = [*BETWEEN[:2], ("step:x", either([zero(X - k(5 * n * S)) for n in range(6)]))]


@pytest.mark.parametrize(
    ("parts", "of"), [(BETWEEN, FIVES), (MODES, MAYBE), (EITHER, {}), (LISTED, {})], ids=["step", "mode", "or", "list"]
)
def test_a_case_left_out_is_refused(parts: Parts, of: Grids) -> None:
    proof = cases_of(parts, of)
    assert len(proof.cases) == 2
    for case in proof.cases:
        assert not check_proof(Cases(proof.item, (case,)), parts, of)
        assert not check_proof(Cases(proof.item, (case, case)), parts, of)


def test_cases_of_another_item_are_refused() -> None:
    for parts, of in ((BETWEEN, FIVES), (EITHER, {}), (LISTED, {})):
        proof = cases_of(parts, of)
        for item in ("rule:lo", "natural", "case"):
            assert not check_proof(Cases(item, proof.cases), parts, of)


@pytest.mark.parametrize("parts", [BETWEEN, LISTED], ids=["step", "list"])
def test_cases_that_skip_a_multiple_are_refused(parts: Parts) -> None:
    """20 s instead of 15 s: that is refuted as well, but 15 s is not looked at."""
    proof = cases_of(parts, FIVES)
    high = Below(k(20 * S) - X, strict=False, exponent=1)
    inner = prove([*parts, ("case", high)], FIVES, Limits())
    assert inner is not None
    skipping = Case("x >= 20s", inner, high)
    assert check_proof(inner, [*parts, ("case", high)], FIVES)
    assert not check_proof(Cases(proof.item, (proof.cases[0], skipping)), parts, FIVES)


def test_cases_between_the_multiples_of_a_finer_step_are_refused() -> None:
    assert not check_proof(cases_of(BETWEEN, FIVES), BETWEEN, grids(grid("x", unit=2 * S)))


def test_what_a_case_assumes_is_known_only_inside_it() -> None:
    inside = cases_of(BETWEEN, FIVES).cases[0].proof
    assert not check_proof(inside, BETWEEN, FIVES)


def test_a_clash_of_what_can_hold_together_is_refused() -> None:
    parts = [("rule:a", Mode("x", OFF)), ("rule:b", Mode("y", OFF))]
    assert not check_proof(Clash(("rule:a", "rule:b"), ("x is off", "y is off")), parts, MAYBE)
    assert not check_proof(Clash(("rule:a",), ("x is off",)), parts, MAYBE)


def test_an_alternative_that_says_more_than_another_needs_no_case() -> None:
    parts = [
        ("rule:or", either([less(X, k(S)), most(X, k(2 * S)), zero(X - k(F("1.5") * S)), less(k(9 * S), X)])),
        ("rule:lo", less(k(2 * S), X)),
        ("rule:hi", less(X, k(9 * S))),
    ]
    proof = cases_of(parts, {})
    assert [c.says for c in proof.cases] == ["x <= 2s", "x > 9s"]
    weaker = Below(X - k(2 * S), strict=True, exponent=1)  # does not cover x = 2s
    inner = proved([*parts, ("case", weaker)])
    assert not check_proof(Cases(proof.item, (Case("x < 2s", inner, weaker), proof.cases[1])), parts, {})


def test_a_split_that_the_proof_turns_out_not_to_need_is_left_out() -> None:
    low_x, low_y, high_x, high_y = less(X, k(S)), less(Y, k(S)), less(k(2 * S), X), less(k(2 * S), Y)
    needed = [(low_x, low_y), (high_x, high_y), (low_x, high_y), (low_y, high_x)]
    parts = [("rule:other", either([less(k(9 * S), time("z")), less(k(8 * S), time("w"))]))]
    parts += [(f"rule:r{n}", either(pair)) for n, pair in enumerate(needed)]
    assert used_items(proved(parts)) == {f"rule:r{n}" for n in range(4)}


@pytest.mark.parametrize(("low", "high", "strict"), [(10, 15, True), (9, 14, False)], ids=["end left out", "between"])
def test_steps_leave_no_multiple_out(low: int, high: int, strict: bool) -> None:
    """10 s is in neither case, though each is impossible."""
    parts: Parts = [*BETWEEN[:1], ("rule:hi", less(X, k(14 * S))), BETWEEN[2]]
    assumed = (Below(X - k(low * S), strict=strict, exponent=1), Below(k(high * S) - X, strict=False, exponent=1))
    inner = [proved([*parts, ("case", a)], FIVES) for a in assumed]
    says = (f"x {'<' if strict else '<='} {low}s", f"x >= {high}s")
    cases = tuple(Case(t, p, a) for t, p, a in zip(says, inner, assumed, strict=True))
    assert not check_proof(Cases("step:x", cases), parts, FIVES)


def forged(*lines: tuple[str, Logic]) -> Certificate:
    steps = [Step(item, F(1), "1", row_text(row), row) for item, row in lines if isinstance(row, Below)]
    return retold(Certificate(tuple(steps), ""), steps)


def test_a_quantity_is_not_said_to_be_at_most_or_other_than_0() -> None:
    low = ("rule:a", most(k(S), X))
    assert not check_proof(forged(low, ("natural", most(X, k(0)))), [low], {})
    none = ("rule:a", most(X, k(0)))
    assert not check_proof(forged(none, ("natural", less(k(0), X))), [none], {})


def test_a_product_with_what_may_be_0_is_never_strict() -> None:
    """retries * wait <= 3s * retries and wait > 3s hold together without retries."""
    product_row = most(count("retries") * time("wait"), count("retries").scaled(3 * S))
    parts = [("rule:a", product_row), ("rule:b", less(k(3 * S), time("wait")))]
    strict = less(count("retries").scaled(3 * S), count("retries") * time("wait"))
    assert prove(parts, {}, Limits()) is None
    assert not check_proof(forged(parts[0], ("rule:b", strict)), parts, {})
