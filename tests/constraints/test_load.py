"""Loading a spec: what each key means, how files override each other, and every error with its place."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.errors import InputErrors, Place
from outlast.constraints.expression import Compare
from outlast.constraints.loading import load_spec
from outlast.constraints.loading.layers import SECTIONS
from outlast.constraints.model import Choices, Interval, Level, Margin, Parameter, Role, Rule, Spec
from outlast.constraints.quantities import Kind, Sentinel
from outlast.constraints.record import fields_of, is_record

S = Fraction(10**9)
MS = Fraction(10**6)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "o.yaml") -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def load(text: str, **options: object) -> Spec:
    return load_spec(write(text), **options)  # type: ignore[arg-type]  # passed through


def errors(path: Path, **options: object) -> list[str]:
    with pytest.raises(InputErrors) as caught:
        load_spec(path, **options)  # type: ignore[arg-type]  # passed through
    return [str(error).removeprefix("o.yaml:") for error in caught.value.exceptions]


def parameter(line: str, rules: str = "") -> Parameter:
    spec = load(f"outlast: 1\nparameters:\n  x: {{ {line} }}\n  y: {{ fixed: 10s }}\n{rules}")
    return spec.parameters["x"]


def rule(line: str) -> Rule:
    parameters = "parameters:\n  a: { fixed: 1s }\n  b: { fixed: 2s }\n  n: { fact: 3 }\n"
    spec = load(f"outlast: 1\n{parameters}rules:\n  r: {{ {line} }}\n")
    return spec.rules["r"]


# What a parameter says.


@pytest.mark.parametrize(
    ("line", "role", "kind", "value"),
    [
        ("fact: 400", Role.FACT, Kind.COUNT, Fraction(400)),
        ("fixed: 10s", Role.FIXED, Kind.DURATION, Fraction(10 * S)),
        ("fixed: 100/s", Role.FIXED, Kind.RATE, Fraction(100, S)),
        ("fixed: 20%", Role.FIXED, Kind.RATIO, Fraction(1, 5)),
        ("fixed: 1.5", Role.FIXED, Kind.RATIO, Fraction(3, 2)),
        ("fixed: 2, step: 0.5", Role.FIXED, Kind.RATIO, Fraction(2)),
        ("fixed: 10, unit: s", Role.FIXED, Kind.DURATION, Fraction(10 * S)),
        ("fixed: 10, unit: /s", Role.FIXED, Kind.RATE, Fraction(10, S)),
        ("fixed: 10, unit: '%'", Role.FIXED, Kind.RATIO, Fraction(1, 10)),
        ("fixed: 010", Role.FIXED, Kind.COUNT, Fraction(10)),
        ("fixed: 0, unit: ms", Role.FIXED, Kind.DURATION, Fraction(0)),
        ("fixed: 0", Role.FIXED, Kind.COUNT, Fraction(0)),
        ("fixed: infinite, step: 1s", Role.FIXED, Kind.DURATION, Sentinel.INFINITE),
        ("fact: 5s..5s", Role.FACT, Kind.DURATION, Fraction(5 * S)),
    ],
)
def test_a_value_tells_role_and_kind(line: str, role: Role, kind: Kind, value: object) -> None:
    found = parameter(line)
    assert (found.role, found.kind, found.value) == (role, kind, value)


@pytest.mark.parametrize(
    ("line", "domain"),
    [
        ("free: any, step: 1s", Interval(None, None)),
        ("free: 1s..2s", Interval(Fraction(S), Fraction(2 * S))),
        ("free: 1s .. 2s", Interval(Fraction(S), Fraction(2 * S))),
        ("free: 1s..", Interval(Fraction(S), None)),
        ("free: ..2s", Interval(None, Fraction(2 * S))),
        ("free: 0.1..0.5", Interval(Fraction(1, 10), Fraction(1, 2))),
        ("free: 1..9", Interval(Fraction(1), Fraction(9))),
        ("free: 1..9, unit: ms", Interval(Fraction(MS), Fraction(9 * MS))),
        (
            "free: [off, 5s, infinite, 0, 1s], zero: infinite",
            Choices((Fraction(0), Fraction(S), Fraction(5 * S), Sentinel.INFINITE, Sentinel.OFF)),
        ),
        ("free: [1ms, 1500us]", Choices((Fraction(MS), 1500 * MS / 1000))),
        ("free: [5]", Choices((Fraction(5),))),
    ],
)
def test_a_free_parameter_has_a_domain(line: str, domain: object) -> None:
    found = parameter(line)
    assert found.role is Role.FREE
    assert found.domain == domain


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("free: 1s..2s", Fraction(MS)),
        ("free: 1..2", Fraction(1)),
        ("free: 1/s..9/s", Fraction(1, S)),
        ("free: 1%..9%", Fraction(1, 100)),
        ("free: 1s..2s, step: 100ms", Fraction(100 * MS)),
        ("free: 1..2, unit: s, step: 0.1", Fraction(100 * MS)),
        ("free: 0.5..2, step: 0.5", Fraction(1, 2)),
    ],
)
def test_the_step_depends_on_the_kind_unless_told(line: str, step: Fraction) -> None:
    assert parameter(line).step == step


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        ("rules: { r: { require: x < y } }", Kind.DURATION),
        ("rules: { r: { require: y / x < 3 } }", Kind.DURATION),
        ("rules: { r: { require: x * y < 3 } }", Kind.RATE),
        ("rules: { r: { require: x * y < 3s } }", Kind.COUNT),
        ("rules: { r: { require: y < 3s, when: x < y } }", Kind.DURATION),
    ],
)
def test_any_takes_its_dimension_from_the_rules(rules: str, kind: Kind) -> None:
    assert parameter("free: any", rules).kind is kind


@pytest.mark.parametrize("line", ["step: 1%", "current: 50%", "prefer: 0.5"])
def test_any_without_dimension_is_a_ratio_where_a_value_is_one(line: str) -> None:
    assert parameter(f"free: any, {line}", "rules: { r: { require: x * y < 3s } }").kind is Kind.RATIO


@pytest.mark.parametrize(
    ("formula", "kind"),
    [
        ("y + 5s", Kind.DURATION),
        ("1 / y", Kind.RATE),
        ("y / 1s", Kind.RATIO),
        ("ceil(y / 1s) + 2", Kind.COUNT),
        ("2 * 3", Kind.COUNT),
        ("20%", Kind.RATIO),
    ],
)
def test_a_derived_parameter_has_the_kind_of_its_formula(formula: str, kind: Kind) -> None:
    found = parameter(f"derived: '{formula}'")
    assert (found.kind, found.text) == (kind, formula)
    assert found.formula is not None


def test_a_number_computed_from_a_ratio_is_a_ratio_whatever_the_order_of_names() -> None:
    spec = load(
        "outlast: 1\nparameters: { a: {derived: b + 1}, b: {derived: c * 2}, c: {derived: e}, e: {fixed: 20%} }\n"
    )
    assert {p.kind for p in spec.parameters.values()} == {Kind.RATIO}


def test_every_other_key_of_a_parameter_arrives() -> None:
    found = parameter(
        "free: 1s..9s, current: 10s, prefer: high, zero: infinite, unset: 0, why: ' so ', source: s, owner: o, "
        "reviewed: 2026-11-01, review_by: 2027-01-31"
    )
    assert (found.current, found.prefer, found.zero, found.unset) == (10 * S, "high", Sentinel.INFINITE, Fraction(0))
    origin = found.origin
    assert (origin.why, origin.source, origin.owner) == ("so", "s", "o")
    assert (origin.reviewed, origin.review_by) == (date(2026, 11, 1), date(2027, 1, 31))
    assert parameter("free: 1s..9s, prefer: 3s").prefer == 3 * S
    assert parameter("free: 1s..9s, unset: 3s").current == 3 * S
    assert parameter("fixed: 1s, cost: 2.5").cost == Fraction(5, 2)
    assert parameter("fixed: 1s, cost: never").cost is None
    assert parameter("fixed: 1s").cost == 1
    assert parameter("fact: 40..400").interval == (Fraction(40), Fraction(400))


def test_a_current_value_off_its_step_and_domain_is_no_error() -> None:
    assert parameter("free: 1s..2s, step: 1s, current: 7500ms").current == 7500 * MS


def test_places_are_those_of_the_values() -> None:
    found = parameter("free: 1s..2s, step: 100ms")
    assert found.place == Place("o.yaml", 3, 3)
    assert found.places == {"free": Place("o.yaml", 3, 14), "step": Place("o.yaml", 3, 28)}


# What a rule says.


def test_every_key_of_a_rule_arrives() -> None:
    found = rule(
        "require: a <  b, when: a is off, level: should, weight: 2, margin: 20%, aim: 50%, needs_on: [a, b], cost: 3, "
        "why: w, breaks: x, source: s, owner: o, reviewed: 2026-11-01, review_by: 2027-01-31"
    )
    assert isinstance(found.require, Compare)
    assert (found.text, found.when_text) == ("a < b", "a is off")
    assert (found.level, found.weight, found.cost) == (Level.SHOULD, Fraction(2), Fraction(3))
    assert (found.margin, found.aim) == (Margin(Fraction(1, 5), None), Margin(Fraction(1, 2), None))
    assert (found.needs_on, found.breaks, found.origin.why) == (("a", "b"), "x", "w")
    assert found.place == Place("o.yaml", 7, 3)
    assert found.places["when"] == Place("o.yaml", 7, 31)


def test_a_rule_has_defaults() -> None:
    found = rule("require: a < b")
    assert (found.level, found.weight, found.cost, found.margin) == (Level.MUST, Fraction(1), Fraction(10), None)
    assert (found.aim, found.needs_on, found.when) == (Margin(Fraction(1), None), (), None)
    assert rule("require: a < b, cost: never").cost is None
    assert rule("require: a < b, needs_on: a").needs_on == ("a",)


@pytest.mark.parametrize(
    ("top", "line", "aim"),
    [
        ("", "", Margin(Fraction(1), None)),
        ("aim: 80%\n", "", Margin(Fraction(4, 5), None)),
        ("aim: 80%\n", "aim: 3s", Margin(Fraction(3 * S), 1)),
        ("", "margin: 150%", Margin(Fraction(3, 2), None)),
        ("aim: 10%\n", "margin: 20%", Margin(Fraction(1, 5), None)),
        ("", "margin: 5s", Margin(Fraction(1), None)),
        ("aim: 0%\n", "margin: 20%", Margin(Fraction(0), None)),
        ("", "margin: 20%, aim: 0%", Margin(Fraction(0), None)),
        ("", "margin: 2s, aim: 0%", Margin(Fraction(0), None)),
    ],
)
def test_the_aim_is_the_rules_or_the_specs_and_at_least_the_margin(top: str, line: str, aim: Margin) -> None:
    text = f"outlast: 1\n{top}parameters: {{ a: {{ fixed: 1s }} }}\nrules: {{ r: {{ require: a < 5s, {line} }} }}\n"
    assert load(text).rules["r"].aim == aim


def test_a_negated_implication_has_headroom_in_its_condition() -> None:
    assert rule("require: not (a < b => a is off), aim: 20%").aim == Margin(Fraction(1, 5), None)


def test_the_links_of_a_chain_are_rules_of_their_own() -> None:
    spec = load(
        "outlast: 1\nparameters: { a: {fixed: 1s}, b: {fixed: 2s} }\n"
        "rules: { n: { require: 0s < a <= b, margin: 1ms, level: should } }\n"
    )
    assert {(r.id, r.text, r.margin, r.level) for r in spec.rules.values()} == {
        ("n/1", "0s < a", Margin(Fraction(MS), 1), Level.SHOULD),
        ("n/2", "a <= b", Margin(Fraction(MS), 1), Level.SHOULD),
    }


def test_the_top_of_a_spec() -> None:
    spec = load("outlast: 1\ntitle: T\nconfidence: 99.5%\nparameters:\nrules:\n")
    assert (spec.title, spec.confidence, spec.path) == ("T", Fraction(995, 1000), Path("o.yaml"))
    assert (dict(spec.parameters), dict(spec.rules), spec.notes) == ({}, {}, ())
    assert load("outlast: 1\n").confidence == Fraction(95, 100)


def test_names_are_compared_in_one_spelling_of_unicode() -> None:
    spec = load("outlast: 1\nparameters: { zu\u0308ge: {fixed: 1s} }\nrules: { r: { require: z\u00fcge < 5s } }\n")
    assert list(spec.parameters) == ["z\u00fcge"]
    assert spec.notes == ()


def test_names_that_nothing_uses_are_notes() -> None:
    write("1\n", "m.csv")
    spec = load(
        "outlast: 1\nparameters: { a: {fixed: 1s}, b: {derived: a + 1s}, c: {free: any}, needed: {fixed: 1s} }\n"
        "measurements: { rtt: { samples: m.csv, unit: ms } }\nrules: { r: { require: 1s < 2s, needs_on: needed } }\n"
    )
    assert [(n.message, n.place.col) for n in spec.notes] == [
        ("nothing uses the parameter 'b'", 31),
        ("nothing uses the parameter 'c'", 53),
        ("nothing uses the measurement 'rtt'", 17),
    ]


# What is wrong, one error a spec. Line 1 is `outlast: 1`; parameters begin in line 3, rules in line 7.

PARAMETERS = [
    ("10s", "3:6: expected a mapping such as { fixed: 10s }, found '10s'"),
    ("[10s]", "3:6: expected a mapping such as { fixed: 10s }, found a list"),
    ("", "3:5: expected a mapping such as { fixed: 10s }, found nothing"),
    ("{}", "3:3: expected exactly one of fact, fixed, free and derived for 'x', found none of them"),
    ("{ free: any, fact: 3 }", "3:19: expected exactly one of fact, fixed, free and derived for 'x', found free and fact"),
    ("{ fixd: 10s }", "3:8: unknown key 'fixd' of a parameter; did you mean 'fixed'?"),
    ("{ fixed:10s }", "3:8: expected a blank after the colon: 'fixed: 10s'"),
    ("{ fixed: 10s, at: a.yaml }", "3:24: expected a place such as client.go#SendPingTimeout, found 'a.yaml'"),
    ("{ fixed: }", "3:8: expected a value, found nothing"),
    ("{ fixed: '' }", "3:15: expected a value, found nothing"),
    ("{ fixed: null }", "3:15: found null, which removes what another spec gave, but this one extends none"),
    ("null", "3:3: found null, which removes what another spec gave, but this one extends none"),
    ("{ fixed: [1s] }", "3:15: expected a value, found a list"),
    ("{ fixed: 10 sec }", "3:17: found '10 sec', expected no blank between number and unit: '10s'"),
    ("{ fixed: -1s }", "3:15: found '-1s', but a quantity has no sign and is never negative"),
    ("{ fixed: 1s..2s }", "3:15: a fixed value is one value, found '1s..2s'; write fact: or free: for an interval"),
    ("{ fixed: 10, step: 1s }", "3:15: expected a duration with its unit, such as 10s, found '10'; did you mean '10s' or '10ms'?"),
    ("{ fact: 1s.. }", "3:14: expected both ends of the interval of a fact, found '1s..'"),
    ("{ fact: 5s..1s }", "3:14: the interval is empty: 5s is more than 1s; did you mean 1s..5s?"),
    ("{ fact: 5s, cost: 3 }", "3:18: 'cost' says nothing about a fact parameter; it goes with fixed"),
    ("{ fixed: 5s, current: 3s }", "3:19: 'current' says nothing about a fixed parameter; it goes with free"),
    ("{ free: 5s.., cost: 3 }", "3:20: 'cost' says nothing about a free parameter; it goes with fixed"),
    ("{ free: 10s }", "3:14: expected any, a..b, a.., ..b or a list of values, found '10s'; a single value is written fixed: 10s"),
    ("{ free: .. }", "3:14: expected a..b, a.. or ..b, found '..'; for no limits write any"),
    ("{ free: 10s..1s }", "3:14: the interval is empty: 10s is more than 1s; did you mean 1s..10s?"),
    ("{ free: 1s..2x }", "3:19: found '2x', with the unknown unit 'x'; known are ns, us, ms, s, min, m, h, d"),
    ("{ free: 1s..infinite }", "3:18: expected a number as end of an interval, found 'infinite'; an interval without an upper end is written a.."),
    ("{ free: 1s..5 }", "3:18: expected a duration with its unit, such as 10s, found '5'; did you mean '5s' or '5ms'?"),
    ("{ free: 1..5s }", "3:14: expected a duration with its unit, such as 10s, found '1'; did you mean '1s' or '1ms'?"),
    ("{ free: 1..5/s }", "3:14: expected a rate, such as 100/s, found '1'; did you mean '1/s'?"),
    ("{ free: 1100us..1900us }", "3:14: no multiple of the step lies in 1100us..1900us; the step is 1ms unless told"),
    ("{ free: 1..2, step: 3 }", "3:14: no multiple of the step lies in 1..2; the step is 3"),
    ("{ free: ..5ms, step: 1s, zero: off }", "3:16: no multiple of the step lies in ..5ms but 0, which means something else; the step is 1s"),
    ("{ free: [] }", "3:14: expected at least one value in the list, found none"),
    ("{ free: [[1s]] }", "3:15: expected a value in the list, found something else"),
    ("{ free: [1s, 5] }", "3:19: expected a duration with its unit, such as 10s, found '5'; did you mean '5s' or '5ms'?"),
    ("{ free: [1s, 1000ms] }", "3:19: found '1000ms' in the list a second time"),
    ("{ free: [1s, 1500ms], step: 1s }", "3:19: found '1500ms', which is no multiple of the step 1s"),
    ("{ free: 1..9, current: 2.5 }", "3:29: expected a count, such as 3, found '2.5', which is a ratio; counts are whole"),
    ("{ free: 1s.., current: 5 }", "3:29: expected a duration with its unit, such as 10s, found '5'; did you mean '5s' or '5ms'?"),
    ("{ free: 1s.., prefer: 5/s }", "3:28: expected a duration with its unit, such as 10s, found '5/s'"),
    ("{ free: 1s.., prefer: hihg }", "3:28: expected high, low or a value, found 'hihg'; did you mean 'high'?"),
    ("{ free: 1s.., step: 0s }", "3:26: expected a step greater than 0, found '0s'"),
    ("{ free: 1s.., step: off }", "3:26: expected a step greater than 0, found 'off'"),
    ("{ free: 1s.., unit: sec }", "3:26: expected a unit (ns, us, ms, s, min, m, h, d, /s, %), found 'sec'"),
    ("{ derived: y + }", None),
    ("{ derived: x + 5s }", "3:17: 'x' is derived from itself: x -> x"),
    ("{ derived: z + 5s }", "3:17: unknown parameter 'z'"),
    ("{ derived: y + 5s, zero: off }", "3:25: 'zero' says nothing about a derived parameter; it goes with fact and fixed and free"),
    ("{ derived: y + 5 }", "3:19: '+' adds a number to a duration; did you mean '5s' or '5ms'?"),
    ("{ fixed: 1s, cost: 0 }", "3:25: expected a number greater than 0 or never, found '0'"),
    ("{ fixed: 1s, cost: Never }", "3:25: expected a number greater than 0 or never, found 'Never'"),
    ("{ fixed: 1s, reviewed: 1.11.2026 }", "3:29: expected a date, such as 2026-10-20, found '1.11.2026'"),
    ("{ fixed: 1s, reviewed: 20261101 }", "3:29: expected a date, such as 2026-10-20, found '20261101'"),
    ("{ fixed: 1s, reviewed: 2026-02-30 }", "3:29: found '2026-02-30', a day that no calendar has"),
    ("{ fixed: 1s, owner: @payments }", "3:26: found '@', which cannot begin a value in YAML; put the value in quotes: owner: '@payments'"),
    ("{ fixed: 1s, why: SLO, as agreed }", "3:29: found the key 'as agreed' without a value: a comma between braces ends a value; put the value in quotes: why: 'SLO, as agreed'"),
    ("{ why: SLO, fixed }", "3:18: found the key 'fixed' without a value: a comma between braces ends a value; put the value in quotes: why: 'SLO, fixed'"),
    ("\n    fixed: 1s\n    why: see #42 now", "5:13: found ' #', which makes a comment of the rest, '#42 now'; put the text in quotes: why: 'see #42 now'"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), PARAMETERS, ids=[line for line, _ in PARAMETERS])
def test_what_is_wrong_with_a_parameter_is_told(line: str, message: str | None) -> None:
    found = errors(write(f"outlast: 1\nparameters:\n  x: {line}\n  y: {{ fixed: 10s }}\n"))
    assert len(found) == 1
    if message is not None:  # None: the message is the rule language's
        assert found == [message]


RULES = [
    ("a < b", "7:6: expected a mapping such as { require: a < b }, found 'a < b'"),
    ("{ why: x }", "7:3: expected 'require' in the rule 'r', found no such key"),
    ("{ requires: a < b }", "7:8: unknown key 'requires' of a rule; did you mean 'require'?"),
    ("{ require: a < bb }", "7:21: unknown parameter 'bb'; did you mean 'b'?"),
    ("{ require: 'a < bb' }", "7:22: unknown parameter 'bb'; did you mean 'b'?"),
    ("\n    require: >-\n      a <\n      bb", "10:7: unknown parameter 'bb'; did you mean 'b'?"),
    ("{ require: a < b, when: bb is off }", "7:30: unknown parameter 'bb'; did you mean 'b'?"),
    ("{ require: a < b, needs_on: [a, bb] }", "7:38: unknown parameter 'bb'; did you mean 'b'?"),
    ("{ require: a < b, needs_on: [a, a] }", "7:38: found 'a' in the list a second time"),
    ("{ require: a < b, needs_on: [] }", "7:34: expected 1 to 1000 names of parameters, found 0"),
    ("{ require: p99(a) < b }", "7:17: 'a' is a parameter; a quantile is taken of a measurement"),
    ("{ require: p99(rtt) < b }", "7:17: unknown measurement 'rtt'"),
    ("{ require: a + n < b }", "7:19: '+' adds a number to a duration"),
    ("{ require: a < n }", "7:19: '<' compares a duration with a number"),
    ("{ require: a < b, when: a < n }", "7:32: '<' compares a duration with a number"),
    ("{ require: a < b, level: shuold }", "7:31: expected must or should, found 'shuold'; did you mean 'should'?"),
    ("{ require: a < b, weight: 2 }", "7:24: 'weight' says nothing about a rule that must hold; it goes with level: should"),
    ("{ require: a < b, level: should, weight: 0 }", "7:47: expected a number greater than 0, found '0'"),
    ("{ require: a < b, cost: high }", "7:30: expected a number greater than 0 or never, found 'high'"),
    ("{ require: a < b, margin: off }", "7:32: expected a percentage, such as 20%, or an amount, such as 1s, found 'off'"),
    ("{ require: a < b, margin: 100/s }", "7:32: expected the margin to be a percentage or a duration, as the rule compares, found a rate"),
    ("{ require: a < b, margin: 0.2 }", "7:32: expected the margin to be a percentage or a duration, as the rule compares, found a number"),
    ("{ require: a < b, aim: 5 }", "7:29: expected the aim to be a percentage or a duration, as the rule compares, found a number"),
    ("{ require: a == b, margin: 20% }", "7:33: found 'margin' where nothing is compared by < or >, so there is no headroom"),
    ("{ require: a is off, aim: 20% }", "7:32: found 'aim' where nothing is compared by < or >, so there is no headroom"),
    ("{ require: a < b => a is off, aim: 20% }", "7:41: found 'aim' where nothing is compared by < or >, so there is no headroom"),
    ("{ require: a < b < 5 * n, margin: 1s }", "7:23: '<' compares a duration with a number"),
    ("{ require: a < b, margin: 20%, aim: 10% }", "7:42: expected the aim to be at least the margin (or 0%, which leaves the rule out of the scoring)"),
    ("{ require: a < b, margin: 20%, aim: 1s }", "7:42: expected the aim to be a percentage, as the margin is, found an amount"),
    ("{ require: a < b, margin: 1s, aim: 20% }", "7:41: expected the aim to be an amount, as the margin is, found a percentage"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), RULES, ids=[line for line, _ in RULES])
def test_what_is_wrong_with_a_rule_is_told(line: str, message: str) -> None:
    parameters = "parameters:\n  a: { fixed: 1s }\n  b: { fixed: 2s }\n  n: { fact: 3 }\n"
    assert errors(write(f"outlast: 1\n{parameters}rules:\n  r: {line}\n")) == [message]


TOPS = [
    ("title: x\n", ["1:1: expected 'outlast: 1', the version of the format, found no such key"]),
    ("outlast: 2\nfoo: bar\n", ["1:10: expected 1, the only version of the format so far, found '2'"]),
    ("outlast: 1\ntitel: x\n", ["2:1: unknown key 'titel' of a spec; did you mean 'title'?"]),
    ("outlast: 1\nrules: []\n", ["2:8: expected a mapping of names to rules, found a list"]),
    ("outlast: 1\nrules: a<b\n", ["2:8: expected a mapping of names to rules, found 'a<b'"]),
    ("outlast: 1\nconfidence: 95\n", ["2:13: expected a percentage, such as 95%, found '95'; did you mean '95%'?"]),
    ("outlast: 1\nconfidence: 100%\n", ["2:13: expected a confidence above 0% and below 100%"]),
    ("outlast: 1\naim: 1s\n", ["2:6: expected a percentage, such as 95%, found '1s'"]),
    ("outlast: 1\ntitle: null\n", ["2:8: found null, which removes what another spec gave, but this one extends none"]),
    ("outlast: 1\nparameters:\n  2x: { fixed: 1s }\n", ["3:3: '2x' does not start with a letter or '_'"]),
    ("outlast: 1\nrules:\n  'a b': { require: 1s < 2s }\n", ["3:3: the id 'a b' contains a blank; an id is letters, digits and _ . - / @ :"]),
    ("outlast: 1\nrules:\n  n: { require: 1s < 2s < 3s }\n  n/2: { require: 1s < 2s }\n",
     ["4:3: the id 'n/2' is taken by the rule at 3:3 (each link of a chain is a rule of its own)"]),
    ("outlast: 1\nparameters: { a: {derived: b}, b: {derived: c}, c: {derived: b} }\n",
     ["2:62: 'b' is derived from itself: b -> c -> b"]),
    ("outlast: 1\nparameters: { x: {free: any}, y: {free: any} }\nrules: { r: { require: x < y } }\n",
     ["2:25: no rule says whether 'x' is a duration, a number or a rate; give its values a unit",
      "2:41: no rule says whether 'y' is a duration, a number or a rate; give its values a unit"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "messages"), TOPS)
def test_what_is_wrong_with_a_spec_is_told(text: str, messages: list[str]) -> None:
    assert errors(write(text)) == messages


def test_all_errors_are_told_at_once_in_the_order_of_the_file() -> None:
    path = write(
        dedent("""\
            outlast: 1
            rules:
              one: { require: a + pods < 5s, owner: @x }
              two: { require: b < 5s, margin: 1/s, level: mst }
            parameters:
              a: { fixed: 1s, reviewed: yesterday }
              a: { fixed: 2s }
              b: { free: 5s..1s }
              pods: { fact: 400, step: 1 }
            title: [x]
            """)
    )
    places = [error.split(": ")[0] for error in errors(path)]
    assert places == ["3:41", "4:35", "4:47", "6:29", "7:3", "8:14", "9:22", "10:8"]


def test_a_broken_parameter_spoils_no_rule() -> None:
    path = write(
        "outlast: 1\nparameters: { a: { fixed: 1x } }\nrules: { r: { require: a + 5 < 10s / 2s, margin: 2s } }\n"
    )
    assert len(errors(path)) == 2
    path = write("outlast: 1\nparameters: { a: { fixed: 1x } }\nrules: { r: { require: a + 5s < 10s, margin: 2s } }\n")
    assert len(errors(path)) == 1


# Measurements.

SAMPLES = "".join(f"{i}\n" for i in range(1, 401))


def measured(line: str, rules: str = "r: { require: p90(rtt) < a }") -> Path:
    write(SAMPLES, "d/rtt.csv")
    return write(
        f"outlast: 1\nmeasurements:\n  rtt: {{ {line} }}\nparameters: {{ a: {{ fixed: 1s }}, w: {{derived: p99.9(rtt) + a}} }}\nrules:\n  {rules}\n"
    )


def test_a_measurement_is_read() -> None:
    spec = load_spec(measured("samples: d/rtt.csv, unit: ms, taken: 2026-10-20, lost: 2, why: w, owner: o"))
    found = spec.measurements["rtt"]
    assert (found.name, found.file, found.taken, found.why) == ("rtt", "d/rtt.csv", date(2026, 10, 20), "w")
    assert found.sample.size == 402
    assert found.sample.upper(Fraction(9, 10), spec.confidence) > 360 * MS
    assert found.place == Place("o.yaml", 3, 3)


MEASURED = [
    ("unit: ms", "3:3: expected one of samples, prometheus, hdr, k6, vegeta or ghz with the path of a file, found none of them"),
    ("samples: d/rtt.csv, unit: ms, hdr: x", "3:40: expected one of samples, prometheus, hdr, k6, vegeta or ghz with the path of a file, found samples and hdr"),
    ("samples: d/rtt.csv, unit: '%'", "3:36: expected a unit (ns, us, ms, s, min, m, h, d), found '%'"),
    ("samples: d/rtt.csv, unit: ms, tag: x", "3:40: expected an option of samples ('unit', 'column', 'lost'), found 'tag'"),
    ("samples: d/rtt.csv, unit: ms, lost: 1.5", "3:46: expected a whole number, found '1.5'"),
    ("samples: d/rtt.csv, unit: ms, labels: x", "3:48: expected labels such as { method: GET }, found something else"),
    ("samples: d/rtt.csv, unit: ms, took: x", "3:40: unknown key 'took' of a measurement"),
    ("samples: d/nope.csv, unit: ms", "3:19: cannot read d/nope.csv: no such file or directory"),
    ("samples: d/rtt.csv", "d/rtt.csv:1:1: expected a value with its unit, found '1'; say with `unit:` what bare numbers mean"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), MEASURED, ids=[line for line, _ in MEASURED])
def test_what_is_wrong_with_a_measurement_is_told(line: str, message: str) -> None:
    assert errors(measured(line)) == [message]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("r: { require: p99.99(rtt) < a }", "6:17: expected at least 29956 samples for an upper bound of p99.99 at 95% confidence, found 400"),
        ("r: { require: a + 1s < w }", None),
        ("r: { require: w < a }", "4:46: expected at least 2995 samples for an upper bound of p99.9 at 95% confidence, found 400"),
        ("r: { require: a < 1s, when: p99.99(rtt) < a }", None),
        ("r: { require: a < 1s, when: a < p99.99(rtt) }", "6:35: expected at least 29956 samples for an upper bound of p99.99 at 95% confidence, found 400"),
        ("r: { require: not (a < p99.99(rtt)) }", "6:26: expected at least 29956 samples for an upper bound of p99.99 at 95% confidence, found 400"),
        ("r: { require: not (p99.99(rtt) < a) }", None),
        ("r: { require: a - p99.99(rtt) < 5s }", None),
        ("r: { require: a / p99.99(rtt) < 5 }", None),
        ("r: { require: p99.99(rtt) < a => a < 1s }", None),
        ("r: { require: 5s < a - p99.99(rtt) }", "6:26: expected at least 29956 samples for an upper bound of p99.99 at 95% confidence, found 400"),
        ("r: { require: rtt < a }", "6:17: 'rtt' is a measurement; write which quantile, such as p99(rtt)"),
    ],
)  # fmt: skip
def test_a_bound_that_cannot_be_had_is_told_at_the_quantile(rules: str, message: str | None) -> None:
    path = measured("samples: d/rtt.csv, unit: ms", rules)
    if message is None:
        load_spec(path)
    else:
        assert errors(path) == [message]


# Files that extend others, and --set.

BASE = """\
outlast: 1
title: base
aim: 50%
parameters:
  ping: { free: 1s..9s, step: 1s, current: 2s, prefer: low, why: because }
  deadline: { fixed: 10s, cost: 3 }
measurements:
  rtt: { samples: rtt.csv, unit: ms, taken: 2026-10-20 }
rules:
  one: { require: ping < deadline, margin: 20% }
  two: { require: p90(rtt) < ping }
"""


def extended(text: str) -> Spec:
    write(BASE, "base/base.yaml")
    write(SAMPLES, "base/rtt.csv")
    return load(f"outlast: 1\nextends: base/base.yaml\n{text}")


def test_a_spec_overrides_key_by_key_what_it_extends() -> None:
    spec = extended(
        "parameters: { ping: { current: 5s } }\nrules: { one: { margin: 30% }, three: { require: ping < 20s } }\n"
    )
    ping = spec.parameters["ping"]
    assert (ping.current, ping.prefer, ping.step, ping.origin.why) == (5 * S, "low", S, "because")
    assert ping.places["current"] == Place("o.yaml", 3, 32)
    assert ping.places["step"] == Place("base/base.yaml", 5, 31)
    assert spec.rules["one"].margin == Margin(Fraction(3, 10), None)
    assert spec.rules["one"].text == "ping < deadline"
    assert list(spec.rules) == ["one", "three", "two"]
    assert (spec.title, spec.rules["one"].aim) == ("base", Margin(Fraction(1, 2), None))
    assert spec.measurements["rtt"].file == "rtt.csv"


def test_a_role_replaces_the_bases_with_the_keys_that_go_with_it_alone() -> None:
    ping = extended("parameters: { ping: { fixed: 5s } }\n").parameters["ping"]
    assert (ping.role, ping.value, ping.domain, ping.current, ping.prefer) == (Role.FIXED, 5 * S, None, None, None)
    assert ping.origin.why == "because"
    deadline = extended("parameters: { deadline: { free: 5s.. } }\n").parameters["deadline"]
    assert (deadline.role, deadline.value) == (Role.FREE, None)


def test_null_removes_entries_and_keys() -> None:
    spec = extended("title: null\nrules: { two: null, one: { margin: null } }\nmeasurements: null\n")
    assert (list(spec.rules), spec.rules["one"].margin, dict(spec.measurements), spec.title) == (
        ["one"],
        None,
        {},
        None,
    )


def test_what_is_wrong_is_told_where_it_was_written() -> None:
    write(BASE.replace("prefer: low", "prefer: lo"), "base/base.yaml")
    write(SAMPLES, "base/rtt.csv")
    path = write(
        "outlast: 1\nextends: base/base.yaml\nparameters: { pign: null, ping: { stepp: 5s, owner: null } }\nrules: { one: { aim: 10% } }\n"
    )
    assert errors(path) == [
        "base/base.yaml:5:56: expected high, low or a value, found 'lo'; did you mean 'low'?",
        "3:15: found nothing to remove: what this spec extends has no parameter 'pign'; did you mean 'ping'?",
        "3:35: unknown key 'stepp' of a parameter; did you mean 'step'?",
        "3:53: found nothing to remove: what this spec extends has no 'owner' here",
        "4:22: expected the aim to be at least the margin (or 0%, which leaves the rule out of the scoring)",
    ]


def test_a_file_of_measurements_is_looked_for_beside_the_spec_that_names_it() -> None:
    write("7\n" * 400, "other.csv")
    spec = extended("measurements: { rtt: { samples: other.csv } }\n")
    assert spec.measurements["rtt"].sample.upper(Fraction(9, 10), spec.confidence) == 7 * MS


def test_a_key_that_goes_only_with_the_bases_role_is_an_error_if_it_is_written_anew() -> None:
    write(BASE, "base/base.yaml")
    write(SAMPLES, "base/rtt.csv")
    path = write("outlast: 1\nextends: base/base.yaml\nparameters: { ping: { fixed: 5s, current: 3s } }\n")
    assert errors(path) == ["3:34: 'current' says nothing about a fixed parameter; it goes with free"]


OVERRIDES = "outlast: 1\nparameters: { f: {free: 1s..9s}, x: {fixed: 1s}, w: {fact: 3}, d: {derived: x} }\n".replace(
    " d:", " dd:"
)


def test_set_writes_the_value_in_use() -> None:
    spec = load(OVERRIDES, overrides=["f=5s", " x = 2s ", "w=40..400"])
    assert spec.parameters["f"].current == 5 * S
    assert spec.parameters["x"].value == 2 * S
    assert spec.parameters["w"].interval == (Fraction(40), Fraction(400))
    assert spec.parameters["f"].places["current"] == Place("--set", 1, 3)


def test_the_last_set_of_a_name_holds() -> None:
    assert load(OVERRIDES, overrides=["x=2s", "x=3s"]).parameters["x"].value == 3 * S


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("f", "--set:1:1: expected NAME=VALUE, found 'f'"),
        ("=5s", "--set:1:1: expected NAME=VALUE, found '=5s'"),
        ("f=", "--set:1:1: expected NAME=VALUE, found 'f='"),
        ("ff=5s", "--set:1:1: unknown parameter 'ff'; did you mean 'f'?"),
        ("dd=5s", "--set:1:1: 'dd' is derived from others, so it has no value of its own"),
        ("f=5x", "--set:1:4: found '5x', with the unknown unit 'x'; known are ns, us, ms, s, min, m, h, d"),
        ("f=5", "--set:1:3: expected a duration with its unit, such as 10s, found '5'; did you mean '5s' or '5ms'?"),
        ("x= 5s..6s", "--set:1:4: a fixed value is one value, found '5s..6s'; write fact: or free: for an interval"),
    ],
)
def test_what_is_wrong_with_set_is_told(override: str, message: str) -> None:
    assert errors(write(OVERRIDES), overrides=[override]) == [message]


def test_set_of_one_alias_leaves_the_others_alone() -> None:
    spec = load("outlast: 1\nparameters: { a: &a {fixed: 1s}, b: *a }\n", overrides=["a=2s"])
    assert (spec.parameters["a"].value, spec.parameters["b"].value) == (2 * S, S)


# The order of a spec says nothing.


def without_places(value: object) -> object:
    if isinstance(value, Place):
        return None
    if is_record(value) and not isinstance(value, type):
        return (
            type(value).__name__,
            *(without_places(getattr(value, name)) for name in fields_of(value) if name != "places"),
        )
    if isinstance(value, Mapping):
        return [(key, without_places(item)) for key, item in value.items()]
    if isinstance(value, tuple):
        return tuple(without_places(item) for item in value)
    return value


ENTRIES = {
    "title: t": [],
    "aim: 70%": [],
    "parameters:": [
        "  a: { free: any }",
        "  b: { derived: a + 1s }",
        "  c: { fixed: 10s, why: w }",
        "  e: { fact: 3 }",
    ],
    "rules:": [
        "  z: { require: a < b < c, margin: 5% }",
        "  y: { require: a * e < c }",
        "  x: { require: c < 1h, level: should }",
    ],
}


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_order_of_sections_and_entries_does_not_matter(data: st.DataObject) -> None:
    heads = data.draw(st.permutations(list(ENTRIES)))
    lines = ["outlast: 1"]
    for head in heads:
        lines += [head, *data.draw(st.permutations(ENTRIES[head]))]
    given_order = ["outlast: 1", *(line for head, entries in ENTRIES.items() for line in (head, *entries))]
    assert without_places(load("\n".join(lines))) == without_places(load("\n".join(given_order)))


# The page about the format.

PAGE = Path(__file__).parents[2] / "docs" / "spec.md"


def test_the_page_names_every_key() -> None:
    text = PAGE.read_text(encoding="utf-8")
    keys = {key for section in SECTIONS.values() for key in section} | {
        "outlast",
        "title",
        "extends",
        "confidence",
        "aim",
    }
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []


def test_the_first_example_of_the_page_is_a_good_spec_without_notes() -> None:
    write("".join(f"{i}\n" for i in range(3_000)), "measured/ping_rtt.csv")
    example = PAGE.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    spec = load(example)
    assert (len(spec.parameters), len(spec.rules), spec.notes) == (4, 3, ())


def test_the_example_of_extending_on_the_page_is_a_good_spec() -> None:
    write("".join(f"{i}\n" for i in range(3_000)), "measured/ping_rtt.csv")
    examples = [part.split("```")[0] for part in PAGE.read_text(encoding="utf-8").split("```yaml\n")[1:]]
    first, second = examples[0], next(example for example in examples if "extends:" in example)
    write(first, "outlast.yaml")
    spec = load(second)
    assert sorted(spec.rules) == ["no-ping-flood", "ping-outlasts-round-trip"]
    assert spec.rules["no-ping-flood"].margin is None
    assert spec.parameters["deadline"].role is Role.FREE


def test_the_example_of_components_on_the_page_is_a_good_spec() -> None:
    example = PAGE.read_text(encoding="utf-8").split("```yaml\n")[2].split("```")[0]
    spec = load(f"outlast: 1\n{example}")
    assert [each.id for each in spec.declined] == ["http/pool-closes-first@client:lb"]
    assert spec.notes == ()


SILENT = [
    "owner: @payments",
    "why: see #42",
    "{ why: SLO, as agreed }",
    "{ require: max(a, b) < c }",
    "why: SLO: 10 s",
    "{ fixed:10s }",
]


@pytest.mark.parametrize("written", SILENT)
def test_what_yaml_does_silently_is_an_error_as_the_page_says(written: str) -> None:
    assert f"`{written}`" in PAGE.read_text(encoding="utf-8")
    section = "rules" if "require" in written else "parameters"
    value = (
        written if written.startswith("{") else f"\n    {'fixed: 1s' if section == 'parameters' else ''}\n    {written}"
    )
    assert errors(write(f"outlast: 1\n{section}:\n  x: {value}\n"))
