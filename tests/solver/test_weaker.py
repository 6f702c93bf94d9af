"""Whether a rule guards less than it did: a table of changes, a law against looking at every point, and changes in whole specs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.errors import Place
from outlast.constraints.evaluate import World, judge
from outlast.constraints.loading import load_spec
from outlast.constraints.model import Choices, Level, Margin, Parameter, Role, Rule, Spec
from outlast.constraints.normal import NormalRule, normalise
from outlast.constraints.polynomial import Quant
from outlast.constraints.quantities import Kind, Sentinel, Value
from outlast.constraints.record import replace
from outlast.constraints.syntax import parse_condition
from outlast.solver.limits import Limits
from outlast.solver.weaker import Guard, Way, Weakening, Witness, compare, unguarded_by

SECOND = Fraction(10**9)
LIMITS = Limits(effort=1_000_000)
PLACE = Place("outlast.yaml", 1, 1)
SAME, MORE, LESS = Guard.SAME, Guard.STRONGER_OR_SAME, Guard.WEAKER

PARAMETERS = """
parameters:
  a: { free: 1s..9s }
  b: { free: 1s..9s }
  c: { fixed: 9s }
  x: { free: [5s, off, infinite] }
  z: { free: 0s..9s, zero: infinite }
  n: { free: 1..9 }
  k: { fact: 3 }
  r: { free: 10%..90% }
  pods: { fact: 400 }
measurements:
  rtt: { samples: rtt.csv, unit: ms, taken: 2026-10-20 }
"""

#: Before, after, what is expected of the new one, and values that show that it guards less.
TABLE: list[tuple[str, str, Guard, str | None]] = [
    # The same in other words.
    ("a < b", "b > a", SAME, None),
    ("2 * a < b", "a + a < b", SAME, None),
    ("a < 5s", "a < 5000ms", SAME, None),
    ("a - b < c", "a < b + c", SAME, None),
    ("not (a < b)", "b <= a", SAME, None),
    ("a / n < b", "a < b * n", SAME, None),
    ("max(a, b) < c", "b < c and a < c", SAME, None),
    ("a < b => c < 5s", "c < 5s; when: a < b", SAME, None),
    ("a < x", "a < x or x is off", SAME, None),
    ("first_set(x, a) < c", "if(x is off, a, x) < c", SAME, None),
    ("a * a < b * b", "a < b", SAME, None),
    ("floor(n / k) < 3", "n < 3 * k", SAME, None),
    ("a < b; margin: 0s", "a < b", SAME, None),
    # A number that moves, a sign that changes.
    ("a < 5s", "a < 6s", LESS, "a = 5s"),
    ("a < 6s", "a < 5s", MORE, None),
    ("a > 60s", "a > 30s", LESS, "a = 31s"),
    ("a < b", "a <= b", LESS, "a = 1s, b = 1s"),
    ("a <= b", "a < b", MORE, None),
    ("n <= 3", "n < 4", SAME, None),  # whole
    ("a <= 3s", "a < 4s", LESS, "a = 3.1s"),  # not whole
    ("a >= 0s", "a < b or b <= a", SAME, None),  # never negative: both forbid nothing
    ("z > 0s", "z < 1s or z >= 1s", SAME, None),  # a 0 that means infinite is no number
    ("a > 0s", "a < 1s or a >= 1s", LESS, "a = 0s"),
    ("a / n <= b", "a <= b * n", LESS, "a = 0s, b = 1s, n = 0"),  # nothing is divided by 0 any more
    # Parts.
    ("a < c and b < c", "a < c", LESS, "a = 1s, b = 2s, c = 2s"),
    ("a < c", "a < c and b < c", MORE, None),
    ("a < c", "a < c or b < c", LESS, "a = 2s, b = 1s, c = 2s"),
    ("a < b", "a < c", LESS, "a = 1s, b = 1s, c = 2s"),
    # What is a decision of its own.
    ("a < b; margin: 20%", "a < b; margin: 10%", LESS, "a = 6s, b = 7s"),
    ("a < b; margin: 20%", "a < b", LESS, "a = 6s, b = 7s"),
    ("a < b; margin: 10%", "a < b; margin: 20%", MORE, None),
    ("a < b; margin: 1s", "a + 1s < b", MORE, None),
    ("a < b; margin: 10%", "2 * a < 2 * b and 1.1 * a <= b", SAME, None),
    ("a < b; margin: 10%", "1.05 * a < b; margin: 20%", MORE, None),
    ("a < b; margin: 20%", "1.1 * a < b; margin: 5%", LESS, "a = 6s, b = 7s"),
    ("a < b", "a < b; level: should", LESS, "a = 1s, b = 1s"),
    ("a < b; level: should", "a < b", MORE, None),
    ("a < 5s; level: should", "a < 6s", LESS, "a = 5s"),
    ("a < b", "a < b; when: c > 3s", LESS, "a = 1s, b = 1s, c = 1s"),
    ("a < b; when: c > 3s", "a < b; when: c > 4s", LESS, "a = 1s, b = 1s, c = 4s"),
    ("a < b; when: c > 4s", "a < b; when: c > 3s", MORE, None),
    ("a < x; needs_on: [x]", "a < x", LESS, "a = 1s, x = off"),
    ("a < x", "a < x; needs_on: [x]", MORE, None),
    ("a < x", "a < first_set(x, 2s)", MORE, None),
    ("a < first_set(x, 2s)", "a < x", LESS, "a = 2s, x = off"),
    ("x < 60s", "x < 60s or x is infinite", LESS, "x = infinite"),
    # What no spec says to be off or infinite may be so where a rule asks or makes allowance for it.
    ("a < c; needs_on: [c]", "a < c", LESS, "a = 1s, c = off"),
    ("a < first_set(c, 2s)", "a < c", LESS, "a = 2s, c = off"),
    ("c < 60s", "c < 60s or c is infinite", LESS, "c = infinite"),
    ("a < c", "a < c or not (c is off)", LESS, "a = 1s, c = 1s"),
    ("a < c; when: c is off", "a < b; when: c is off", MORE, None),
    # What was measured.
    ("p99.9(rtt) < a", "p99(rtt) < a", LESS, "a = 2s, p99(rtt) = 1s, p99.9(rtt) = 2s"),
    ("p99(rtt) < a", "p99.9(rtt) < a", MORE, None),
    ("a < p99(rtt)", "a < p99.9(rtt)", LESS, "a = 1s, p99(rtt) = 1s, p99.9(rtt) = 2s"),
    ("a < p99.9(rtt)", "a < p99(rtt)", MORE, None),
    ("b < a", "b < p99(rtt) and p99(rtt) < a", MORE, None),
    ("p99(rtt) < a => b < c", "a > p99(rtt) => b < c", SAME, None),
    ("p99(rtt) < a", "not (a <= p99(rtt))", SAME, None),
    # A condition is false only if it surely is: in both, what is measured counts with its upper bound.
    ("p99(rtt) < a or b < c", "a <= p99(rtt) => b < c", SAME, None),
    # Unknown numbers multiplied, and calls over them.
    ("pods / a < 100/s", "pods / a < 200/s", LESS, "a = 1s, pods = 100"),
    ("pods / a < 200/s", "pods / a < 100/s", MORE, None),
    ("n * n < k", "n < k", LESS, "k = 3, n = 2"),
    ("n < k", "n * n < k", MORE, None),
    ("r * a < b", "a < b", LESS, "a = 1s, b = 2s, r = 200%"),
    ("backoff(a, 2, b, 5) < c", "backoff(a, 2, b, 4) < c", LESS, "a = 1s, b = 1s, c = 5s"),
    ("backoff(a, 2, b, n) < c", "backoff(a, 2, b, n + 1) < c", MORE, None),
    ("backoff(a, 2, b, n + 1) < c", "backoff(a, 2, b, n) < c", LESS, "a = 1s, b = 1s, c = 2s, n = 1"),
    ("a < tcp_give_up(n)", "a < 1.1 * tcp_give_up(n)", LESS, "a = 600ms, n = 1"),
    ("a < 1.1 * tcp_give_up(n)", "a < tcp_give_up(n)", MORE, None),
]


#: The rules of the table by id.
TEXTS = {f"{side}{i}": text for i, row in enumerate(TABLE) for side, text in zip("ba", row[:2], strict=True)}


def rule_text(text: str, id_: str) -> str:
    require, *more = text.split("; ")
    return "\n".join([f"  {id_}:", f'    require: "{require}"', *(f"    {key}" for key in more)])


def loaded(folder: Path, rules: Mapping[str, str], parameters: str = PARAMETERS) -> tuple[Spec, dict[str, NormalRule]]:
    folder.mkdir(exist_ok=True)
    samples = 4000 if any("p99.9" in text for text in rules.values()) else 400
    (folder / "rtt.csv").write_text("".join(f"{i}\n" for i in range(1, samples)))
    path = folder / "outlast.yaml"
    texts = [rule_text(text, id_) for id_, text in rules.items()]
    path.write_text("\n".join([f"outlast: 1{parameters}rules:", *texts]))
    spec = load_spec(path)
    normal, errors = normalise(spec)
    assert errors == []
    return spec, normal


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Spec, dict[str, NormalRule]]:
    return loaded(tmp_path_factory.mktemp("table"), TEXTS)


def forbids(rule: NormalRule, world: World) -> bool:
    return not judge(rule, world).margin_kept


@pytest.mark.parametrize("number", range(len(TABLE)), ids=[f"{before} -> {after}" for before, after, *_ in TABLE])
def test_a_changed_rule_guards_less_where_values_show_it(
    table: tuple[Spec, dict[str, NormalRule]], number: int
) -> None:
    spec, rules = table
    before, after, wanted, shown = rules[f"b{number}"], rules[f"a{number}"], *TABLE[number][2:]
    found = compare(before, spec, after, spec, LIMITS)
    assert (found.verdict, None if found.witness is None else found.witness.text) == (wanted, shown)
    assert (found.reason, found.is_weaker, found.is_undecided) == (None, wanted is LESS, False)
    if wanted is not LESS:
        assert found.guards_more is (wanted is MORE)


@pytest.mark.parametrize(
    ("before", "after", "ways"),
    [
        ("a < 5s; margin: 20%; needs_on: [x]", "a < 6s; level: should", (Way.REQUIREMENT, Way.MARGIN, Way.NEEDS_ON, Way.LEVEL)),
        ("a < 5s; margin: 20%", "a < 5s; margin: 10%; when: n > 3", (Way.CONDITION, Way.MARGIN)),
        ("a < 5s; when: n > 3", "a < 4s; when: n > 4", (Way.CONDITION,)),
    ],
)  # fmt: skip
def test_every_way_in_which_a_rule_guards_less_is_told_with_values_of_its_own(
    tmp_path: Path, before: str, after: str, ways: tuple[Way, ...]
) -> None:
    spec, rules = loaded(tmp_path, {"b": before, "a": after})
    found = compare(rules["b"], spec, rules["a"], spec, LIMITS)
    assert found.ways == tuple(w for w in Way if w in ways)
    for each in found.loosenings:
        assert each.witness is not None
        assert forbids(rules["b"], each.witness.world())
        assert each.way is Way.LEVEL or not forbids(rules["a"], each.witness.world())


# Several new rules.

#: Before, after, the ways in which less is guarded, and values that show it.
SEVERAL: list[tuple[str, tuple[str, ...], tuple[Way, ...], str | None]] = [
    ("a < b", ("c > b", "b > a"), (), None),  # a chain that is read from its end
    ("a < b", ("k < n", "a < b", "b < c"), (), None),  # a chain that goes on at both ends
    ("a < c", ("a < b", "b <= c"), (), None),  # through a third name
    ("a < c", ("a <= b", "b <= c"), (Way.REQUIREMENT,), "a = 1s, b = 1s, c = 1s"),
    ("a < c", ("a < x", "x < c"), (Way.REQUIREMENT,), "a = 1s, c = 1s, x = off"),
    ("p99(rtt) < a", ("p99.9(rtt) < b", "b < a"), (), None),
    ("a < b and b < c", ("a < b", "b < c"), (), None),
    ("b < c", ("a < c", "a < b and b < c"), (), None),
    ("a < b or b < c", ("a < b or c > b", "a < c"), (), None),
    ("max(a, b) < c", ("a < c", "k < n"), (Way.REQUIREMENT,), "a = 1s, b = 2s, c = 2s, k = 1, n = 2"),
    ("a < b", ("a < b; when: n > 3", "a < b; when: n <= 3"), (), None),
    ("a < b", ("a < b; when: n > 3", "a < b; when: n < 3"), (Way.CONDITION,), "a = 1s, b = 1s, n = 3"),
    ("a < b", ("a <= b", "a < c; when: n > 3"), (Way.REQUIREMENT, Way.CONDITION), "a = 1s, b = 1s, c = 2s, n = 1"),
    ("a < b", ("a < b; when: x > 3s", "k < n"), (Way.CONDITION,), "a = 1s, b = 1s, k = 1, n = 2, x = 1s"),
    ("a < b", ("a < b; when: n > 3", "b > 2s; level: should"), (Way.CONDITION, Way.LEVEL), "a = 3s, b = 3s, n = 1"),
    ("a < b; margin: 20%", ("a < b", "1.2 * a <= b"), (), None),
    ("a < b; margin: 20%", ("a < b; margin: 10%", "a < b; margin: 1s"), (Way.MARGIN,), "a = 6s, b = 7s"),
    ("a < x; needs_on: [x]", ("a < x", "b < x; needs_on: [x]"), (), None),
    ("a < x; needs_on: [x]", ("a < x", "b < x"), (Way.NEEDS_ON,), "a = 1s, b = 1s, x = off"),
    ("a < c", ("a < b; level: should", "b < c"), (Way.LEVEL,), "a = 2s, b = 1s, c = 2s"),
    ("a < b", ("a < b; level: should", "2 * a < 2 * b"), (), None),
    ("a < c; level: should", ("a < b; level: should", "b < c"), (), None),
    ("a >= 0s", ("a < b; level: should", "b < c; level: should"), (), None),
    ("a < b", (), (Way.REQUIREMENT,), "a = 1s, b = 1s"),
    ("a < b; margin: 20%; level: should", (), (Way.REQUIREMENT, Way.MARGIN), "a = 1s, b = 1s"),
    ("a >= 0s", (), (), None),
    # What cannot be written as a formula is left out, and judged.
    ("a < 5s", ("backoff(a / n, 2, b, n) < c", "a < 4s"), (), None),
    ("a < 5s", ("backoff(a / n, 2, b, n) < c", "a < 6s"), (Way.REQUIREMENT,), "a = 5s, b = 1s, c = 2s, n = 1"),
    ("a < 5s", ("a < 5s; when: backoff(a / n, 2, b, n) < c", "a < 6s"), (Way.CONDITION,), "a = 5s, b = 1s, c = 1s, n = 1"),
]  # fmt: skip


def test_several_rules_guard_what_one_did_or_values_show_that_they_do_not(tmp_path: Path) -> None:
    texts = {f"b{i}": before for i, (before, *_) in enumerate(SEVERAL)}
    texts |= {f"a{i}.{n}": text for i, row in enumerate(SEVERAL) for n, text in enumerate(row[1])}
    spec, rules = loaded(tmp_path, texts)
    told = [
        unguarded_by(rules[f"b{i}"], spec, [rules[f"a{i}.{n}"] for n in range(len(row[1]))], spec, LIMITS)
        for i, row in enumerate(SEVERAL)
    ]
    shown = [(found.ways, found.witness and found.witness.text, found.reason) for found in told]
    assert shown == [(ways, text, None) for *_, ways, text in SEVERAL]
    kept = [(found.verdict, found.guards_more) for found in told if not found.is_weaker]
    assert set(kept) == {(MORE, None), (SAME, False)}
    assert kept.count((SAME, False)) == 1  # where there was nothing to guard, and nothing guards


def test_a_rule_that_may_guard_and_cannot_be_written_as_a_formula_leaves_it_undecided(tmp_path: Path) -> None:
    texts = {
        "b": "a < 5s",
        "a": "a < 5s and backoff(a / n, 2, a, n) < 1h",
        "r": "a < 60s",
        "s": "a < 4s; level: should",
    }
    spec, rules = loaded(tmp_path, texts)
    for ids in ("ar", "sra"):
        found = unguarded_by(rules["b"], spec, [rules[id_] for id_ in ids], spec, LIMITS)
        assert (found.verdict, found.reason) == (
            Guard.UNDECIDED,
            "rule 'a' divides by an unknown number inside backoff",
        )


# The law.

KINDS = {"a": Kind.DURATION, "b": Kind.DURATION, "x": Kind.DURATION, "n": Kind.COUNT}
SPEC = Spec(
    path=Path("outlast.yaml"), title=None, measurements={}, rules={}, confidence=Fraction(95, 100),
    parameters={
        n: Parameter(name=n, place=PLACE, role=Role.FREE, kind=kind, domain=Choices(tuple(Sentinel)) if n == "x" else None)
        for n, kind in KINDS.items()
    },
)  # fmt: skip
NUMBERS: dict[str, list[Value]] = {
    "a": [k * SECOND for k in range(3)],
    "b": [k * SECOND / 2 for k in (2, 3, 5)],
    "x": [2 * SECOND, Sentinel.OFF, Sentinel.INFINITE],
    "n": [Fraction(k) for k in range(3)],
}
TERMS = ["a", "b", "1s", "2s", "2 * a", "a + b", "a * n", "b / n", "min(a, b)", "max(a, 2s)", "x", "first_set(x, a)", "if(n < 2, a, b)",
         "p50(rtt)", "p90(rtt)", "p50(rtt) + a"]  # fmt: skip
terms = st.sampled_from(TERMS)
comparisons = st.builds("{} {} {}".format, terms, st.sampled_from(["<", "<=", ">"]), terms)
conditions = st.one_of(comparisons, st.sampled_from(["n > 1", "x is off", "not (x is infinite)"]))
requirements = st.one_of(
    comparisons,
    st.builds("({}) {} ({})".format, conditions, st.sampled_from(["and", "or", "=>"]), comparisons),
)
margins = st.sampled_from([None, Margin(Fraction(1, 2), None), Margin(SECOND, 1)])


@st.composite
def normal_rules(draw: st.DrawFn, texts: st.SearchStrategy[str] = requirements) -> NormalRule:
    when = draw(st.none() | conditions)
    text = draw(texts)
    rule = Rule(
        id="r", place=PLACE, require=parse_condition(text), text=text, margin=draw(margins),
        when=None if when is None else parse_condition(when), needs_on=draw(st.sampled_from([(), ("x",)])),
        level=draw(st.sampled_from([Level.MUST, Level.MUST, Level.SHOULD])),
    )  # fmt: skip
    return normalise(replace(SPEC, rules={"r": rule}))[0]["r"]


@st.composite
def changes(draw: st.DrawFn) -> tuple[NormalRule, list[NormalRule]]:
    """A rule that may say what one or two others do together."""
    after = draw(st.lists(normal_rules(), min_size=1, max_size=2))
    joined = [f" {word} ".join(f"({rule.rule.text})" for rule in after) for word in ("and", "or")]
    return draw(normal_rules(st.sampled_from(joined) | requirements)), after


def is_lost(before: NormalRule, after: Sequence[NormalRule], world: World) -> bool:
    guards = [r for r in after if r.rule.level is Level.MUST or before.rule.level is Level.SHOULD]
    return forbids(before, world) and not any(forbids(r, world) for r in guards)


def points(rules: Sequence[NormalRule]) -> Iterator[World]:
    names = sorted({n for rule in rules for n in rule.names()})
    is_measured = any(isinstance(a, Quant) for rule in rules for a in rule.atoms())
    spans = [(1, 1, 1, 1), (1, 2, 2, 3)] if is_measured else [(1, 1, 1, 1)]
    for values, span in product(product(*(NUMBERS[n] for n in names)), spans):
        ends = {Fraction(1, 2): span[:2], Fraction(9, 10): span[2:]}
        yield World(
            values=dict(zip(names, values, strict=True)),
            bound=lambda quantile, upper, ends=ends: SECOND * ends[quantile.level][upper],  # type: ignore[misc]
        )


@settings(max_examples=8, deadline=None)
@given(changes())
def test_less_is_guarded_wherever_looking_at_points_finds_one(change: tuple[NormalRule, list[NormalRule]]) -> None:
    before, after = change
    found = unguarded_by(before, SPEC, after, SPEC, LIMITS)
    worlds = list(points([before, *after]))
    assert found.is_weaker or not any(is_lost(before, after, w) for w in worlds)
    if len(after) == 1:
        assert found.guards_more is True or not any(forbids(after[0], w) and not forbids(before, w) for w in worlds)
        assert found.verdict is not SAME or found.guards_more is False
    for each in found.loosenings:
        if each.witness is None:
            assert each.way is Way.LEVEL
        else:
            assert_possible(each.witness)
            assert is_lost(before, after, each.witness.world())
            assert any(forbids(rule, each.witness.world()) for rule in after) == (each.way is Way.LEVEL)


def assert_possible(witness: Witness) -> None:
    assert all(isinstance(v, Sentinel) or v >= 0 for v in witness.values.values())
    assert all(v.denominator == 1 for n, v in witness.values.items() if n == "n" and isinstance(v, Fraction))
    ends = [witness.bounds[q] for q in sorted(witness.bounds, key=lambda q: q.level)]
    assert all(0 <= low <= high for low, high in ends)
    assert all(one[0] <= other[0] and one[1] <= other[1] for one, other in pairwise(ends))


@settings(max_examples=5, deadline=None)
@given(normal_rules())
def test_a_rule_said_twice_guards_the_same(rule: NormalRule) -> None:
    twice = f"({rule.rule.text}) and ({rule.rule.text})"
    said = normalise(replace(SPEC, rules={"r": replace(rule.rule, require=parse_condition(twice))}))[0]["r"]
    assert compare(rule, SPEC, said, SPEC, LIMITS).verdict is SAME


# Whole specs.

WHOLE = """
components: {{ lb: aws.alb, web: node.http-server }}
parameters:
  drain: {{ fixed: 5s }}
  {count}: {{ fact: {value} }}
  total: {{ derived: {formula} }}
  lb.idle_timeout: {{ fixed: 60s }}
"""


def change(
    folder: Path, before: str, after: str, was: Mapping[str, str], *, renamed: Mapping[str, str] | None = None
) -> Weakening:
    """What a rule that reads `before` in a spec with other texts in it has become."""
    usual = {"count": "n", "value": "3", "formula": "drain + 5s"}
    old, normal = loaded(folder / "before", {"r": before}, WHOLE.format(**{**usual, **was}))
    new, changed = loaded(folder / "after", {"r": after}, WHOLE.format(**usual))
    return compare(normal["r"], old, changed["r"], new, LIMITS, renamed=renamed)


@pytest.mark.parametrize(
    ("rule", "was", "wanted", "shown"),
    [
        ("total < lb.idle_timeout", {"formula": "drain + 9s"}, LESS, "drain = 1s, lb.idle_timeout = 7s"),
        ("total < lb.idle_timeout", {"formula": "drain + 1s"}, MORE, None),
        ("total < lb.idle_timeout", {"formula": "2s + drain + 3s"}, SAME, None),
        ("total < lb.idle_timeout", {}, SAME, None),
        # Another value is not another rule.
        ("drain * n < lb.idle_timeout", {"value": "30"}, SAME, None),
    ],
)
def test_a_formula_that_changes_shows_in_rules_and_a_value_does_not(
    tmp_path: Path, rule: str, was: Mapping[str, str], wanted: Guard, shown: str | None
) -> None:
    found = change(tmp_path, rule, rule, was)
    assert (found.verdict, found.witness and found.witness.text) == (wanted, shown)


def test_what_software_makes_of_its_settings_is_taken_apart(tmp_path: Path) -> None:
    found = change(tmp_path, "web.keep_alive_timeout > drain", "web.server_idle > drain", {})
    assert found.witness is not None
    assert found.witness.text == "drain = 1s, web.keep_alive_timeout = 1s, web.keep_alive_timeout_buffer = 1s"
    assert change(tmp_path, "web.server_idle > drain", "web.keep_alive_timeout > drain", {}).verdict is MORE


def test_names_may_change_with_the_rule(tmp_path: Path) -> None:
    was, old, new = {"count": "pods"}, "drain * pods < lb.idle_timeout", "drain * n < lb.idle_timeout"
    assert change(tmp_path, old, new, was).is_weaker
    found = change(tmp_path, old, new, was, renamed={"pods": "n"})
    assert found.verdict is SAME
    old, new = f"{old}; needs_on: [pods]", f"{new}; needs_on: [n]"
    assert change(tmp_path, old, new, was, renamed={"pods": "n"}).verdict is SAME
    found = change(tmp_path, old, "drain * n < 2 * lb.idle_timeout", was, renamed={"pods": "n"})
    assert found.witness is not None
    assert found.witness.text == "drain = 1s, lb.idle_timeout = 1s, n = 1"


NAMED = """
parameters:
  drain: {{ fixed: 5s }}
  tries: {{ fact: 3 }}
  {total}: {{ derived: drain + {pause} }}
  {pause}: {{ fixed: 1s }}
  other: {{ fixed: 1s }}
measurements:
  {trip}: {{ samples: rtt.csv, unit: ms, taken: 2026-10-20 }}
"""


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("p99(trip) < pause", "p99(rtt) < pause", {"trip": "rtt"}),
        ("total < other; needs_on: [total]", "t < other; needs_on: [t]", {"total": "t", "pause": "wait"}),
        ("total < other", "total < other", {"pause": "wait"}),  # stands in the formula alone
        ("total < other; when: not (pause is off)", "total < other; when: not (wait is off)", {"pause": "wait"}),
        (
            "if(pause < 2s, min(pause, total), 1s) * tries < first_set(pause, other) or not (p50(trip) < pause => pause is infinite)",
            "if(p < 2s, min(p, t), 1s) * tries < first_set(p, other) or not (p50(rtt) < p => p is infinite)",
            {"pause": "p", "total": "t", "trip": "rtt"},
        ),
    ],
)
def test_measurements_and_derived_names_may_change_with_the_rule(
    tmp_path: Path, before: str, after: str, names: Mapping[str, str]
) -> None:
    usual = {name: name for name in ("total", "pause", "trip")}
    old, was = loaded(tmp_path / "before", {"r": before}, NAMED.format(**usual))
    new, now = loaded(tmp_path / "after", {"r": after}, NAMED.format(**{**usual, **names}))
    assert compare(was["r"], old, now["r"], new, LIMITS, renamed=names).verdict is SAME
    assert compare(was["r"], old, now["r"], new, LIMITS).is_weaker  # else the names would not matter


def test_names_may_be_swapped(tmp_path: Path) -> None:
    spec, rules = loaded(tmp_path, {"b": "a < b", "a": "b < a"})
    swapped = {"a": "b", "b": "a"}
    assert compare(rules["b"], spec, rules["a"], spec, LIMITS, renamed=swapped).verdict is SAME
    assert unguarded_by(rules["b"], spec, [rules["b"], rules["a"]], spec, LIMITS, renamed=swapped).verdict is MORE


def test_a_name_of_another_kind_leaves_a_rule_undecided_unless_its_level_falls(tmp_path: Path) -> None:
    was = {"value": "3s"}
    found = change(tmp_path, "n < drain", "n < 3", was)
    assert (found.verdict, found.reason) == (Guard.UNDECIDED, "'n' is a duration in one and a count in the other")
    assert change(tmp_path, "n < drain", "n < 3; level: should", was).ways == (Way.LEVEL,)


def test_of_several_rules_those_with_a_name_of_another_kind_guard_or_leave_it_undecided(tmp_path: Path) -> None:
    texts = {
        "kept": "drain < lb.idle_timeout",
        "other": "n < 3",
        "softer": "n < 3; level: should",
        "looser": "drain < 2 * lb.idle_timeout",
    }
    usual = {"count": "n", "value": "3", "formula": "drain + 5s"}
    rule = "drain < lb.idle_timeout or n < drain"
    old, was = loaded(tmp_path / "before", {"r": rule}, WHOLE.format(**{**usual, "value": "3s"}))
    new, now = loaded(tmp_path / "after", texts, WHOLE.format(**usual))

    def verdict(*ids: str) -> Guard:
        return unguarded_by(was["r"], old, [now[id_] for id_ in ids], new, LIMITS).verdict

    assert verdict("other", "kept") is MORE
    assert verdict("other", "looser") is Guard.UNDECIDED
    assert verdict("softer", "looser") is LESS
    assert verdict("softer", "other") is Guard.UNDECIDED


def test_what_cannot_be_told_is_undecided(tmp_path: Path) -> None:
    spec, rules = loaded(tmp_path, {"b": "multiple_of(a, b)", "a": "multiple_of(a, 2 * b)"})
    found = compare(rules["b"], spec, rules["a"], spec, Limits(effort=1))
    assert (found.verdict, found.reason, found.loosenings) == (Guard.UNDECIDED, "the effort limit was reached", ())


def test_rules_that_have_not_changed_are_compared_without_z3(
    tmp_path: Path, table: tuple[Spec, dict[str, NormalRule]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outlast.solver.weaker.Unknowns", None)
    spec, rules = table
    for id_, rule in loaded(tmp_path, TEXTS)[1].items():
        assert compare(rules[id_], spec, rule, spec, LIMITS).verdict is SAME
