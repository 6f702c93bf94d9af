"""Every line of a derivation follows from its premises by addition, few at a time, and the last two cannot both hold."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.polynomial import Monomial, Poly, Var
from outlast.solver.account import Case, Cases, Certificate, Clash, Conflict, Proof, Step
from outlast.solver.derivation import derive
from outlast.solver.logic import Below, Both, Mode
from outlast.solver.reasons import Apart, Between, Bound, Broken, Chain, Derivation, Line, Meeting, Split
from outlast.solver.statements import row_text
from solver.handmade import SECOND, certificate, conflict, item, row

WORTH = Fraction(-50, SECOND)


def of_rows(*rows: tuple[str, Below], says: dict[str, str] | None = None) -> Conflict:
    """A conflict of these rows, each an item of its own unless it is one of those that always hold."""
    proof = certificate(rows)
    used = {step.item for step in proof.steps}
    named = [(i, b) for i, b in dict(rows).items() if ":" in i and i in used]
    return conflict([item(i, (says or {}).get(i, row_text(b))) for i, b in named], proof)


WORKED = of_rows(
    ("rule:deadline", row({"send": 1, "ping": 1, "ctx": -1}, "<", 0)),
    ("rule:budget", row({"pods": 1, "send": WORTH}, "<=", 0, exponent=0)),
    ("domain:ping.min", row({"ping": -1}, "<=", Fraction(-23, 10))),
    ("fact:ctx", row({"ctx": 1}, "<=", 10)),
    ("fact:pods", row({"pods": -1}, "<=", -400, exponent=0)),
)
FOLDED = conflict(
    [
        item("rule:deadline", "send + ping < ctx"),
        item("rule:budget", "pods / send <= 50/s"),
        item("fact:ctx", "ctx = 10s"),
        item("fact:pods", "pods = 400"),
        item("domain:ping.min", "ping >= 2.3s"),
    ],
    certificate(
        [
            ("rule:deadline", row({"send": 1, "ping": 1}, "<", 10)),
            ("rule:budget", row({"send": WORTH}, "<=", -400, exponent=0)),
            ("domain:ping.min", row({"ping": -1}, "<=", Fraction(-23, 10))),
        ]
    ),
)


def chain_of(number: int) -> Conflict:
    hops = [(f"rule:hop{i}", row({f"t{i}": 1, f"t{i + 1}": -1}, "<", 0)) for i in range(1, number)]
    first, last = ("rule:first", row({"t1": -1}, "<=", -12)), ("rule:last", row({f"t{number}": 1}, "<", 10))
    return of_rows(first, *hops, last)


CYCLE = of_rows(
    ("rule:ab", row({"a": 1, "b": -1}, "<=", -1)),
    ("rule:bc", row({"b": 1, "c": -1}, "<=", 0)),
    ("rule:ca", row({"c": 1, "a": -1}, "<=", 0)),
)
TWICE = of_rows(
    ("rule:a", row({"z": 1, "a": -1}, "<=", 0)),
    ("rule:z", row({"z": -1, "y": 1}, "<=", 0)),
    ("rule:y", row({"y": -1, "x": 1}, "<=", 0)),
    ("rule:x", row({"x": -1}, "<=", -4)),
    ("rule:sum", row({"a": 1, "b": 1}, "<", 10)),
    ("rule:double", row({"a": 2, "b": -1}, "<=", 0)),
)
AGAIN = of_rows(
    ("rule:r0", row({"c": -1, "d": -1}, "<", 0)),
    ("rule:r1", row({"pods": 1}, "<", 0)),
    ("rule:r2", row({"c": 1, "pods": -1, "d": -1}, "<", 0)),
    ("rule:last", row({"d": 1, "pods": -1}, "<", 0)),
)
SUM = of_rows(
    ("rule:sum", row({f"x{i}": 1 for i in range(9)}, "<", 9)),
    *((f"rule:least{i}", row({f"x{i}": -1}, "<=", -1)) for i in range(9)),
)


def bounds(derivation: Derivation | None) -> list[str]:
    assert isinstance(derivation, (Chain, Between))
    found = []
    for line in derivation.lines:
        bound = line.bound
        sign = "" if bound is None else ("<" if bound.is_upper else ">") + ("" if bound.strict else "=")
        told = row_text(line.conclusion) if bound is None else f"{bound.name} {sign} {bound.value / SECOND}"
        found.append(f"{'+'.join(str(p.of).split(':')[-1] for p in line.premises)}: {told}")
    return found


def end(derivation: Derivation | None) -> Meeting | Broken:
    assert isinstance(derivation, Chain)
    return derivation.end


def test_each_side_takes_the_values_that_its_rule_mentions() -> None:
    found = derive(WORKED)
    assert bounds(found) == ["pods+budget: send >= 8", "ping.min+ctx+deadline: send < 77/10"]
    meeting = end(found)
    assert isinstance(meeting, Meeting)
    assert meeting.missing == Fraction(3 * SECOND, 10)
    assert meeting.time_exponent == 1
    assert (meeting.lower, meeting.upper) == (1, 2)


def test_values_that_rows_contain_as_numbers_are_given_where_their_rule_is_used() -> None:
    found = derive(FOLDED)
    assert bounds(found) == ["budget: send >= 8", "ping.min+deadline: send < 77/10"]
    assert isinstance(found, Chain)
    assert [line.given for line in found.lines] == [("fact:pods",), ("fact:ctx",)]


def test_a_long_chain_meets_in_the_middle_three_premises_a_line() -> None:
    assert bounds(derive(chain_of(10))) == [
        "first+hop1+hop2: t3 > 12",
        "1+hop3+hop4: t5 > 12",
        "last+hop9+hop8: t8 < 10",
        "3+hop7+hop6: t6 < 10",
        "4+hop5: t5 < 10",
    ]


def test_rules_in_a_circle_meet_in_terms_of_another_unknown() -> None:
    found = derive(CYCLE)
    assert bounds(found) == ["ab+ca: c + 1s <= b", "bc: b <= c"]
    meeting = end(found)
    assert isinstance(meeting, Meeting)
    assert meeting.missing == SECOND


def test_a_bound_that_is_used_twice_is_derived_once() -> None:
    found = derive(TWICE)
    assert isinstance(found, Chain)
    used = [p.of for line in found.lines for p in line.premises]
    assert used.count("rule:x") == 1
    assert sorted(u for u in used if isinstance(u, str)) == sorted(s.item for s in steps_of(TWICE))
    assert not any(isinstance(u, str) and used.count(u) > 1 for u in used)


def test_a_sum_of_many_is_added_up_few_at_a_time() -> None:
    found = derive(SUM)
    assert isinstance(found, Chain)
    assert len(found.lines) > 3
    assert all(len(line.premises) <= 3 for line in found.lines)


def test_a_strict_end_that_touches_the_other_misses_nothing_but_cannot_hold() -> None:
    found = derive(of_rows(("rule:low", row({"x": -1}, "<=", -60)), ("rule:high", row({"x": 1}, "<", 60))))
    assert bounds(found) == ["low: x >= 60", "high: x < 60"]
    meeting = end(found)
    assert isinstance(meeting, Meeting)
    assert meeting.missing == 0


def test_a_rule_that_given_values_break_is_told_by_its_sides() -> None:
    broken = end(
        derive(
            of_rows(
                ("rule:deadline", row({"send": 1, "ping": 1, "ctx": -1}, "<", 0)),
                ("current:send", row({"send": -1}, "<=", -12)),
                ("current:ping", row({"ping": -1}, "<=", -8)),
                ("fixed:ctx", row({"ctx": 1}, "<=", 10)),
            )
        )
    )
    assert isinstance(broken, Broken)
    assert broken.left == 20 * SECOND
    assert broken.right == 10 * SECOND


def test_a_rule_that_given_values_break_alone_leaves_no_room_for_the_rest() -> None:
    squeezed = of_rows(
        ("rule:deadline", row({"send": 1, "ping": 1, "spare": 2, "ctx": -1}, "<", 0)),
        ("natural", row({"send": -1}, "<=", 0)),
        ("natural", row({"spare": -1}, "<=", 0)),
        ("current:ping", row({"ping": -1}, "<=", -10)),
        ("fixed:ctx", row({"ctx": 1}, "<=", 10)),
    )
    broken = end(derive(squeezed))
    assert isinstance(broken, Broken)
    assert broken.left == broken.right == 10 * SECOND
    assert [m[0][0].key for m in broken.squeezed] == ["send", "spare"]
    check(squeezed)


def test_what_was_asked_is_what_the_rest_runs_into() -> None:
    found = derive(
        of_rows(
            ("asked:ping", row({"ping": -1}, "<=", -9)),
            ("rule:deadline", row({"send": 1, "ping": 1}, "<", 10)),
            ("domain:send.min", row({"send": -1}, "<=", -2)),
        )
    )
    assert bounds(found) == ["send.min+deadline: ping < 8", "ping: ping >= 9"]


def test_a_value_counts_on_both_sides_of_what_it_divides() -> None:
    """The certificate needs only its lower half; each side is told with the value all the same."""
    found = derive(
        of_rows(
            ("fact:pods", row({"pods": -1}, "<=", -400, exponent=0)),
            ("rule:slow", row({"pods": 1, "send": Fraction(-50, SECOND)}, "<=", 0, exponent=0)),
            ("rule:fast", row({"pods": -1, "send": Fraction(100, SECOND)}, "<=", 0, exponent=0)),
            says={"fact:pods": "pods = 400"},
        )
    )
    assert bounds(found) == ["pods+slow: send >= 8", "pods+fast: send <= 4"]
    assert isinstance(found, Chain)
    assert [p.multiplier < 0 for line in found.lines for p in line.premises] == [False, False, True, False]


def test_half_an_interval_is_no_equation() -> None:
    found = derive(
        of_rows(
            ("fact:pods", row({"pods": -1}, "<=", -400, exponent=0)),
            ("rule:slow", row({"pods": 1, "send": Fraction(-50, SECOND)}, "<=", 0, exponent=0)),
            ("rule:fast", row({"pods": -1, "send": Fraction(100, SECOND)}, "<=", 0, exponent=0)),
            says={"fact:pods": "pods is anything from 400 to 500"},
        )
    )
    assert isinstance(found, Chain)
    assert all(p.multiplier > 0 for line in found.lines for p in line.premises)


# Cases.


def at_most(limit: int) -> Below:
    return row({"x": 1}, "<=", limit)


def at_least(limit: int) -> Below:
    return row({"x": -1}, "<=", -limit)


LOW = ("rule:low", row({"x": -1}, "<", -11))
HIGH = ("rule:high", row({"x": 1}, "<", 14))
STEPS = conflict(
    [item("rule:low", "x > 11s"), item("rule:high", "x < 14s"), item("step:x", "x is a multiple of 5s")],
    Cases(
        "step:x",
        (
            Case("x <= 10s", certificate([LOW, ("case", at_most(10))]), at_most(10)),
            Case("x >= 15s", certificate([HIGH, ("case", at_least(15))]), at_least(15)),
        ),
    ),
    by_steps=True,
)
ALTERNATIVES = conflict(
    [item("rule:alt", "x > 14s or y > 14s"), item("rule:high", "x < 14s"), item("rule:y", "y < 8s")],
    Cases(
        "rule:alt",
        (
            Case("x > 14s", certificate([HIGH, ("case", row({"x": -1}, "<", -14))])),
            Case("y > 14s", certificate([("rule:y", row({"y": 1}, "<", 8)), ("case", row({"y": -1}, "<", -14))])),
        ),
    ),
)


def test_a_step_leaves_a_gap_around_the_bounds() -> None:
    found = derive(STEPS)
    assert isinstance(found, Between)
    assert bounds(found) == ["low: x > 11", "high: x < 14"]
    assert (found.lower, found.upper) == (1, 2)
    assert found.below == Bound(found.unknown, True, Fraction(10 * SECOND), False)
    assert found.above == Bound(found.unknown, False, Fraction(15 * SECOND), False)


def test_a_gap_that_only_one_bound_reaches_has_one_end() -> None:
    proof = Cases("step:x", (Case("x <= 10s", certificate([LOW, ("case", at_most(10))])),))
    found = derive(conflict([item("rule:low", "x > 11s"), item("step:x", "x is one of 5s, 10s")], proof))
    assert isinstance(found, Between)
    assert (found.lower, found.upper, found.above) == (1, None, None)


@pytest.mark.parametrize("rounds", [False, True])
def test_the_only_case_of_a_rule_is_what_the_rule_says(rounds: bool) -> None:
    least, most = ("rule:low", row({"y": -1}, "<=", -11)), ("case", row({"x": 1}, "<=", 10))
    over = ("rule:over", row({"y": 1, "x": -1}, "<=", 0))
    inner: Proof = certificate([least, over, most])
    if rounds:
        outer = ("case", row({"x": -1}, "<", 12))
        one = certificate([("rule:low", row({"x": -1}, "<=", -11)), most])
        inner = Cases("rule:either", (Case("x > 12s", one, outer[1]), Case("y > 12s", inner)))
    proof = Cases("rule:if", (Case("x <= 10s", inner, Both((most[1], Mode("x", None)))),))
    items = [item("rule:low", "y >= 11s"), item("rule:over", "y <= x"), item("rule:if", "if(z, x, y) <= 10s")]
    found = derive(conflict(items, proof))
    chain = found.cases[1] if isinstance(found, Split) else found
    assert bounds(chain) == ["low+over: x >= 11", "if: x <= 10"]
    # A step says which values there are; its only case is what is left of them.
    by_step = Cases("step:x", (Case("x <= 10s", certificate([LOW, ("case", at_most(10))]), at_most(10)),))
    assert isinstance(
        derive(conflict([item("rule:low", "x > 11s"), item("step:x", "x is one of 5s")], by_step)), Between
    )


def test_alternatives_about_several_unknowns_are_told_one_by_one() -> None:
    found = derive(ALTERNATIVES)
    assert isinstance(found, Split)
    assert found.says == ("x > 14s", "y > 14s")
    assert [bounds(case) for case in found.cases] == [["case: x > 14", "high: x < 14"], ["case: y > 14", "y: y < 8"]]


def test_a_clash_is_told_as_it_is() -> None:
    found = derive(conflict([], Clash(("rule:a", "case"), ("ping is off", "ping is a number"))))
    assert found == Apart(("rule:a", "case"), ("ping is off", "ping is a number"))


def test_without_a_proof_there_is_no_derivation() -> None:
    assert derive(conflict([item("rule:a", "a < b")], None)) is None


def test_multipliers_that_do_not_add_up_are_not_told() -> None:
    rows = [row({"a": 1, "b": -1}, "<", 0), row({"b": 1, "a": -2}, "<", 0)]
    steps = tuple(Step(f"rule:{n}", Fraction(1), "1", row_text(b), b) for n, b in enumerate(rows))
    assert derive(conflict([], Certificate(steps, "0s < 0s"))) is None


# Laws.


def steps_of(conflict: Conflict) -> tuple[Step, ...]:
    assert isinstance(conflict.proof, Certificate)
    return conflict.proof.steps


def added(parts: list[tuple[Below, Fraction]]) -> tuple[dict[Monomial, Fraction], bool]:
    """A weighted sum, by hand."""
    total: dict[Monomial, Fraction] = {}
    for part, factor in parts:
        for monomial, coefficient in part.poly:
            total[monomial] = total.get(monomial, Fraction(0)) + factor * coefficient
    return {m: c for m, c in total.items() if c}, any(p.strict for p, _ in parts)


def check_lines(conflict: Conflict, lines: tuple[Line, ...]) -> None:
    rows = {(s.item, s.row) for s in steps_of(conflict)}
    equations = {i.id for i in conflict.items if i.says.startswith(f"{i.name} = ")}
    for number, line in enumerate(lines, 1):
        assert line.number == number
        assert line.premises
        assert sum(isinstance(p.of, int) or p.of.startswith("rule:") for p in line.premises) <= 3
        assert added([(p.row, p.multiplier) for p in line.premises]) == (
            dict(line.conclusion.poly),
            line.conclusion.strict,
        )
        for premise in line.premises:
            if isinstance(premise.of, int):
                assert premise.of < number
                assert premise.row == lines[premise.of - 1].conclusion
            else:
                assert (premise.of, premise.row) in rows
            assert premise.multiplier > 0 or premise.of in equations
        unknowns = [m for m, _ in line.conclusion.poly if m]
        assert (line.bound is not None) == (len(unknowns) == 1)
        if line.bound is not None:
            coefficient = line.conclusion.poly.terms[line.bound.unknown]
            rest = line.conclusion.poly.terms.get((), Fraction(0))
            assert abs(coefficient) == 1
            assert line.bound.value == -rest / coefficient
            assert line.bound.is_upper == (coefficient > 0)
            assert line.bound.strict == line.conclusion.strict


def check(conflict: Conflict) -> None:
    found = derive(conflict)
    assert isinstance(found, Chain)
    check_lines(conflict, found.lines)
    used = {p.of for line in found.lines for p in line.premises}
    match found.end:
        case Meeting(upper=upper, lower=lower, unknown=unknown, missing=missing):
            ends = [found.lines[n - 1].conclusion for n in (upper, lower)]
            total, strict = added([(e, Fraction(1)) for e in ends])
            assert total == ({(): missing} if missing else {})
            assert missing > 0 or (missing == 0 and strict)
            assert [e.poly.terms[unknown] for e in ends] == [1, -1]
            needed, stack = set[int](), [upper, lower]
            while stack:
                number = stack.pop()
                needed.add(number)
                stack += [p.of for p in found.lines[number - 1].premises if isinstance(p.of, int)]
            assert needed == set(range(1, len(found.lines) + 1))
        case Broken(premises=premises, left=left, right=right):
            total, strict = added([(p.row, p.multiplier) for p in premises])
            assert set(total) <= {()}
            assert total.get((), 0) == left - right
            assert left > right or (left == right and strict)
            unknowns = [m for p in premises if p.of == "natural" for m, _ in p.row.poly]
            assert list(found.end.squeezed) == unknowns
            used |= {p.of for p in premises}
    # The multipliers are a vertex, so that each row is needed, whatever the derivation.
    assert used - set(range(1, len(found.lines) + 1)) == {s.item for s in steps_of(conflict)}


@pytest.mark.parametrize("conflict", [WORKED, FOLDED, CYCLE, TWICE, AGAIN, SUM, chain_of(1), chain_of(4), chain_of(37)])
def test_conflicts_by_hand_follow_line_by_line(conflict: Conflict) -> None:
    check(conflict)


NAMES = ("a", "b", "c", "d", "pods")


@st.composite
def systems(draw: st.DrawFn) -> Conflict:
    """Random rows that cannot hold together; single values are equations."""
    some = st.integers(-3, 3).filter(bool)
    rows: dict[str, Below] = {}  # what is not needed is left out by `of_rows`
    for number in range(draw(st.integers(3, 7))):
        names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
        terms = {name: Fraction(draw(some), draw(st.integers(1, 3))) for name in names}
        limit = Fraction(draw(st.integers(-9, 6)))
        rows[f"rule:r{number}"] = row(terms, draw(st.sampled_from(("<", "<="))), limit)
    says = {i: row_text(b) for i, b in rows.items()}
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True)):
        value, sign = draw(st.integers(0, 9)), draw(st.sampled_from((1, -1)))
        kind = draw(st.sampled_from(("fact", "fixed", "current", "asked")))
        rows[f"{kind}:{name}"] = row({name: sign}, "<=", sign * value)
        says[f"{kind}:{name}"] = draw(st.sampled_from((f"{name} = {value}s", f"{name} is anything")))
    # One more that the others, added up, exclude.
    total, _ = added([(b, Fraction(draw(st.integers(0, 2)))) for b in rows.values()])
    opposite = Poly({m: -c for m, c in total.items()}) + Poly({(): Fraction(draw(st.integers(0, 3)) * SECOND)})
    rows["rule:last"] = Below(opposite, True, 1)
    says["rule:last"] = row_text(rows["rule:last"])
    return of_rows(*rows.items(), says=says)


@settings(max_examples=100, deadline=None)
@given(systems())
def test_whatever_cannot_hold_follows_line_by_line_and_always_in_the_same_way(conflict: Conflict) -> None:
    check(conflict)
    assert derive(conflict) == derive(conflict)


def test_unknowns_are_called_as_in_the_spec() -> None:
    found = derive(WORKED)
    assert isinstance(found, Chain)
    bound = found.lines[0].bound
    assert bound is not None
    assert (bound.name, bound.unknown, bound.time_exponent) == ("send", ((Var("send", 1), 1),), 1)
