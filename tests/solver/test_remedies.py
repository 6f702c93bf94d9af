"""The nearest value that mends a broken rule, against trying every value of the parameter."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from naive.generator import generate
from naive.language import Parameter, Spec, Value
from naive.rules import Judged, effective, grid
from outlast.api import check
from outlast.constraints.check import CheckOutcome, FindingKind, Remedy
from outlast.constraints.quantities import Sentinel


def audited(folder: Path, text: str) -> CheckOutcome:
    path = folder / "outlast.yaml"
    path.write_text(text)
    return check(path)


def plain(value: object) -> Value:
    if isinstance(value, Sentinel):
        return value.value
    assert isinstance(value, Fraction)
    return value.numerator if value.denominator == 1 else value


def remedies_of(outcome: CheckOutcome) -> dict[str, dict[str, Remedy]]:
    """By rule, by parameter."""
    return {
        f.subject: {r.parameter: r for r in f.remedies}
        for f in outcome.findings
        if f.kind in (FindingKind.BROKEN, FindingKind.MARGIN)
    }


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_the_remedy_is_the_nearest_value_that_mends_the_rule(tmp_path: Path, start: int) -> None:
    wrong: list[str] = []
    proposed = 0
    for seed in range(start, start + 50):
        random = Random(seed)
        whole = generate(seed).spec
        now: dict[str, Value] = {p.name: random.choice(grid(p)) for p in whole.parameters if p.role == "free"}
        spec = Spec(tuple(replace(p, current=now.get(p.name)) for p in whole.parameters), whole.rules)
        parameters = {p.name: p for p in spec.parameters}
        told = remedies_of(audited(tmp_path, spec.to_text()))
        rules = {r.id: Judged(r, parameters) for whole_rule in spec.rules for r in whole_rule.links()}
        values = {n: effective(parameters[n], v) for n, v in now.items()}
        for rule in rules.values():
            if rule.verdict(values).holds is not False:
                if rule.id in told:
                    wrong.append(f"seed {seed}: {rule.id} holds")
                continue
            for name in (n for n in rule.free if parameters[n].beyond is None):
                best = nearest(rule, parameters[name], values)
                found = told[rule.id].get(name)
                proposed += found is not None
                if (None if found is None else plain(found.to)) not in best:
                    wrong.append(f"seed {seed}: {name} to {best} for {rule.id} at {values}, found {found}")
                elif found is not None:
                    after = {**values, name: effective(parameters[name], plain(found.to))}
                    broken = {i for i in rules if i != rule.id and breaks(rules[i], values, after)}
                    # Of a rule with a margin it depends on whether that is lost, or the rule is broken.
                    if broken != {i for i in found.breaks if rules[i].rule.margin is None}:
                        wrong.append(f"seed {seed}: {name} to {found.to} breaks {broken}, found {found.breaks}")
    assert not wrong, "\n".join(wrong)
    assert proposed > 20


def nearest(rule: Judged, p: Parameter, values: dict[str, Value]) -> list[Value | None]:
    """The value that is to be proposed (as written), smaller ones first where two are as near; several where now is a sentinel."""
    mending = [v for v in grid(p) if rule.verdict({**values, p.name: effective(p, v)}).holds is not False]
    numbers = [v for v in mending if not isinstance(v, str) and not isinstance(effective(p, v), str)]
    here = values[p.name]
    if isinstance(here, str) or not numbers:
        return [*mending, None]
    return [min(numbers, key=lambda v: (abs(Fraction(effective(p, v)) - Fraction(here)), v))]


def breaks(rule: Judged, before: dict[str, Value], after: dict[str, Value]) -> bool:
    return rule.rule.margin is None and rule.verdict(before).holds is not False and rule.verdict(after).holds is False


TABLE = """
outlast: 1
parameters:
  pods: {{fact: 400}}
  deadline: {{fixed: 10s, step: 500ms}}
  budget: {{fixed: 10s, cost: never}}
  send: {{free: 1s..60s, step: 3s, current: {send}}}
  ping: {{free: 1s..60s, step: 1s, current: {ping}}}
rules:
  attempt: {{require: {require}{margin}}}
  floor: {{require: send >= 4s}}
"""


def table(folder: Path, require: str, *, send: str, ping: str = "1s", margin: str = "") -> dict[str, Remedy]:
    text = TABLE.format(require=require, send=send, ping=ping, margin=f", margin: {margin}" if margin else "")
    return remedies_of(audited(folder, text.lstrip()))["attempt"]


S = 10**9


def test_values_keep_their_step_and_the_rule_stays_strict(tmp_path: Path) -> None:
    found = table(tmp_path, "send + ping < deadline", send="12s", ping="4s")
    # 6 s + 4 s is not under 10 s: 3 s is the next multiple of 3 s; the deadline moves to the first multiple of 500 ms above 16 s.
    assert {n: r.to for n, r in found.items()} == {"send": 3 * S, "deadline": Fraction(33, 2) * S}
    assert found["send"].now == 12 * S


def test_what_a_remedy_breaks_is_named(tmp_path: Path) -> None:
    found = table(tmp_path, "send + ping < deadline", send="12s", ping="4s")
    assert found["send"].breaks == ("floor",)
    assert found["deadline"].breaks == ()


def test_a_remedy_keeps_the_margin(tmp_path: Path) -> None:
    found = table(tmp_path, "send < deadline", send="12s", margin="50%")
    # 6 s * 1.5 = 9 s; 12 s * 1.5 = 18 s, which is enough.
    assert {n: r.to for n, r in found.items()} == {"send": 6 * S, "deadline": 18 * S}


def test_a_rule_that_holds_without_its_margin_is_mended_too(tmp_path: Path) -> None:
    assert table(tmp_path, "send < deadline", send="9s", margin="2s")["send"].to == 6 * S


def test_neither_facts_nor_what_must_never_change_are_proposed(tmp_path: Path) -> None:
    assert set(table(tmp_path, "pods / send < 100/s", send="3s")) == {"send"}
    assert set(table(tmp_path, "send < budget", send="12s")) == {"send"}


def test_a_parameter_that_cannot_mend_the_rule_is_not_proposed(tmp_path: Path) -> None:
    found = table(tmp_path, "send + ping < deadline", send="12s", ping="2s")
    assert set(found) == {"send", "deadline"}


@pytest.mark.parametrize(("now", "to"), [("6s", 3), ("15s", 18), ("12s", 9)])
def test_of_values_on_both_sides_the_nearest_is_proposed(tmp_path: Path, now: str, to: int) -> None:
    """3 s, 9 s and 18 s are the multiples of 3 s that will do; where two are as near, the smaller one."""
    require = "send < 5s or send == 9s or send >= 17s"
    if now == "6s":
        # 3 s and 9 s are as near.
        require = "send < 5s or send >= 9s"
    assert table(tmp_path, require, send=now)["send"].to == to * S
