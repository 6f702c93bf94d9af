"""solve on 180 random specs says what enumeration says: levels, bottlenecks, ranges, values, rules given up."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laws.answers import CHUNK, Answer, answered, ask, chunks, complaints
from naive.generator import generate
from naive.language import SECOND, Cmp, Par, Parameter, Rule, Spec, number
from naive.reference import components
from outlast.api import check
from outlast.constraints.evaluate import Truth
from outlast.solver.outcome import SolveOutcome

SEEDS = 180
#: Seeds of which check is asked too, of the same answers.
CHECKED = 90


def wrong(spec: Spec, answer: Answer, outcome: SolveOutcome, *, relaxed: bool) -> list[str]:
    return [*complaints(spec, answer, relaxed=relaxed), *wrong_rules(spec, answer, outcome)]


def wrong_rules(spec: Spec, answer: Answer, outcome: SolveOutcome) -> list[str]:
    """What the answer says about each rule at its own values, where the reference says otherwise."""
    found: list[str] = []
    for c in components(spec) if answer.solvable else []:
        values = tuple(answer.values[n] for n in c.names if n in answer.values)
        if len(values) < len(c.names):
            continue
        for i, expected in next(p for p in c.points if p.values == values).verdicts.items():
            told = outcome.rules[i]
            truth = {True: Truth.HOLDS, False: Truth.BROKEN, None: Truth.NOT_APPLICABLE}[expected.holds]
            if told.verdict.margin_kept and told.verdict.truth is not truth:
                found.append(f"rule {i} {truth.value}, found {told.verdict.truth.value}")
            if (
                told.verdict.margin_kept
                and told.verdict.score is not None
                and floor(1000 * told.verdict.score) != expected.thousandths
            ):
                found.append(f"rule {i} scores {expected.thousandths} thousandths, found {told.verdict.score}")
            if told.kept is not (i in c.kept):
                found.append(f"rule {i} kept: {i in c.kept}, found {told.kept}")
    return found


@pytest.mark.parametrize("start", chunks(0, SEEDS))
def test_solve_agrees_with_enumeration(start: int) -> None:
    found = []
    for seed in range(start, start + CHUNK):
        spec = generate(seed).spec
        answer, outcome = answered(seed)
        if told := wrong(spec, answer, outcome, relaxed=seed % 2 == 0):
            found.append("\n".join([f"seed {seed}", spec.to_text(), *told]))
    assert not found, "\n\n".join(found)


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(SEEDS, 10**6), dropped=st.sets(st.integers(0, 7)))
def test_solve_agrees_where_rules_are_left_out(tmp_path: Path, seed: int, dropped: set[int]) -> None:
    """Shrinks to few rules; those that bound a domain without an upper end stay."""
    whole = generate(seed).spec
    rules = tuple(r for i, r in enumerate(whole.rules) if i not in dropped or r.id.startswith("bound-"))
    spec = Spec(whole.parameters, rules)
    answer, outcome = ask(spec, tmp_path)
    assert wrong(spec, answer, outcome, relaxed=True) == [], spec.to_text()


@pytest.mark.parametrize("start", chunks(0, CHECKED))
def test_check_finds_nothing_at_the_recommended_values(tmp_path: Path, start: int) -> None:
    for seed in range(start, start + CHUNK):
        spec = generate(seed).spec
        answer, _ = answered(seed)
        if not answer.solvable or answer.given_up:
            continue
        now = tuple(replace(p, current=answer.values.get(p.name), prefer=None) for p in spec.parameters)
        path = tmp_path / "outlast.yaml"
        path.write_text(Spec(now, spec.rules).to_text())
        assert check(path).findings == (), f"seed {seed}\n{path.read_text()}"


def test_a_wrong_answer_is_noticed(tmp_path: Path) -> None:
    """The comparison itself: an answer that is right for one spec is wrong for another."""
    x = Parameter("x", "free", "duration", interval=(Fraction(SECOND), Fraction(9 * SECOND)), step=Fraction(SECOND))
    low = Rule("low", Cmp("<", number(2 * SECOND, "duration"), Par("x")))

    def upto(seconds: int) -> Spec:
        return Spec((x,), (low, Rule("high", Cmp("<", Par("x"), number(seconds * SECOND, "duration")))))

    answer, outcome = ask(upto(8), tmp_path)
    assert wrong(upto(8), answer, outcome, relaxed=True) == []
    told = "\n".join(wrong(upto(6), answer, outcome, relaxed=True))
    for word in ("reach 500 only", "range of x", "largest"):
        assert word in told
