"""The nearest value that mends a broken rule, against trying every value of the parameter."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from textwrap import dedent
from typing import Any

import pytest

from naive.generator import generate
from naive.language import Parameter, Spec, Value
from naive.rules import Judged, effective, grid
from outlast.api import check
from outlast.constraints.check import CheckOutcome, FindingKind, Remedy
from outlast.constraints.polynomial import Poly
from outlast.constraints.quantities import Sentinel
from outlast.reports.check import check_document
from outlast.reports.text import plain as plain_text
from outlast.solver.encode import Encoder


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
            others = [r for i, r in rules.items() if i != rule.id and r.verdict(values).holds is not False]
            holding = any(remedy.holds for remedy in told[rule.id].values())
            for name in (n for n in rule.free if parameters[n].beyond is None):
                best = nearest(rule, parameters[name], values, others, idle=not holding)
                found = told[rule.id].get(name)
                proposed += found is not None
                if (None if found is None else plain(found.to)) not in best:
                    wrong.append(f"seed {seed}: {name} to {best} for {rule.id} at {values}, found {found}")
                elif found is not None:
                    broken = broken_at(others, {**values, name: effective(parameters[name], plain(found.to))})
                    if broken != set(found.breaks):
                        wrong.append(f"seed {seed}: {name} to {found.to} breaks {broken}, found {found.breaks}")
    assert not wrong, "\n".join(wrong)
    assert proposed > 20


def nearest(
    rule: Judged, p: Parameter, values: dict[str, Value], others: list[Judged], *, idle: bool
) -> list[Value | None]:
    """The value that is to be proposed (as written), smaller ones first where two are as near; several where now is a sentinel.

    At it the rule holds; only where no value lets it hold, and with `idle`, it is one at which it does not apply. If it breaks another rule,
    the next one in the same direction that breaks none is wanted instead.
    """
    verdicts = {v: rule.verdict({**values, p.name: effective(p, v)}).holds for v in grid(p)}
    here = values[p.name]

    def numbers(wanted: bool | None) -> list[Value]:
        return [v for v, holds in verdicts.items() if holds is wanted and not isinstance(effective(p, v), str)]

    mending = numbers(True) or (numbers(None) if idle else [])
    if isinstance(here, str):
        return [*mending, None]
    if not mending:
        return [None]
    away = {v: Fraction(effective(p, v)) - Fraction(here) for v in mending}
    first = min(mending, key=lambda v: (abs(away[v]), v))
    beyond = [v for v in mending if away[v] * away[first] > 0 and abs(away[v]) >= abs(away[first])]
    sparing = [v for v in beyond if not broken_at(others, {**values, p.name: effective(p, v)})]
    return [min(sparing, key=lambda v: abs(away[v]), default=first)]


def broken_at(others: list[Judged], values: dict[str, Value]) -> set[str]:
    return {other.id for other in others if other.verdict(values).holds is False}


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


def test_a_long_sum_is_added_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, terms, plain_poly = [f"t{n}" for n in range(60)], list[int](), Encoder._poly

    def counted(self: Encoder, poly: Poly, *rest: Any) -> Any:
        terms.append(len(poly.terms))
        return plain_poly(self, poly, *rest)

    monkeypatch.setattr(Encoder, "_poly", counted)
    parameters = "\n".join(f"  {name}: {{ free: 1s..10min, current: 5s }}" for name in names)
    told = remedies_of(
        audited(
            tmp_path,
            f"outlast: 1\nparameters:\n{parameters}\nrules: {{ r: {{ require: {' + '.join(names)} <= 299s }} }}\n",
        )
    )
    assert [r.to for r in told["r"].values()] == [4 * 10**9] * 60
    assert sum(terms) < 10 * len(names)


def remedies_told(folder: Path, text: str) -> list[str]:
    """The lines of the report that tell remedies, of a spec without its first line."""
    (folder / "outlast.yaml").write_text(f"outlast: 1\n{dedent(text)}")
    report = plain_text(check_document(check(folder / "outlast.yaml")), 200)
    lines = (line.strip() for line in report.splitlines())
    return [line.partition(" by ")[2].strip() for line in lines if line.startswith(("mended by ", "or by "))]


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        ("fixed: 0s, zero: infinite", "a < 60s (now 0s = infinite, fixed)"),
        ("fixed: infinite", "a < 60s (now infinite, fixed)"),
        ("free: any, current: 0s, zero: infinite", "a < 60s (now 0s = infinite)"),
        ("fixed: 2min", "a < 60s (now 120s, fixed)"),
        ("free: [0s, 10s, 20s, 2min], current: 0s, zero: infinite", "a = 20s (now 0s = infinite)"),
    ],
)
def test_what_is_infinite_is_to_become_less(tmp_path: Path, value: str, remedy: str) -> None:
    spec = f"""
        parameters: {{ a: {{ {value} }} }}
        rules: {{ r: {{ require: a < 60s }} }}
    """
    assert remedies_told(tmp_path, spec) == [remedy]


@pytest.mark.parametrize(
    ("require", "remedy"),
    [
        ("ceil(a / 1s) < 20000", "a <= 19999s (now infinite, fixed)"),
        ("not a is infinite and ceil(a / 1s) > 3", "a > 3s (now infinite, fixed)"),
    ],
)
def test_roundings_without_end_leave_a_remedy_for_what_is_infinite(tmp_path: Path, require: str, remedy: str) -> None:
    spec = f"""
        parameters: {{ a: {{ fixed: infinite, step: 1s }} }}
        rules: {{ r: {{ require: {require} }} }}
    """
    assert remedies_told(tmp_path, spec) == [remedy]


@pytest.mark.parametrize(
    ("require", "when", "wanted"),
    [
        ("3 * hb <= session", "hb < session", ["hb <= 1.666s (now 3s)", "session >= 9s (now 5s)"]),
        ("hb < session => 3 * hb <= session", "hb > 0s", ["hb <= 1.666s (now 3s)", "session >= 9s (now 5s)"]),
        # Nothing lets it hold but what makes it idle.
        ("hb > 20s", "hb < session", ["session <= 3s (now 5s), where the rule no longer applies"]),
    ],
)
def test_a_rule_is_to_hold_rather_than_not_to_apply(tmp_path: Path, require: str, when: str, wanted: list[str]) -> None:
    spec = f"""
        parameters:
          hb: {{ free: 1s..4s, step: 1ms, current: 3s }}
          session: {{ free: any, current: 5s }}
        rules: {{ r: {{ require: {require}, when: {when} }} }}
    """
    assert remedies_told(tmp_path, spec) == wanted


def test_a_farther_value_that_breaks_nothing_is_better(tmp_path: Path) -> None:
    spec = """
        parameters:
          a: { free: any, current: 60s }
          b: { fixed: 40s, cost: never }
        rules:
          r: { require: a < b }
          not-between: { require: a >= 35s or a <= 20s }
          nor-here: { require: a != 39999ms }
    """
    assert remedies_told(tmp_path, spec) == ["a < 39.999s (now 60s)"]
    assert remedies_told(tmp_path, spec.replace("35s", "45s")) == ["a <= 20s (now 60s)"]
    assert remedies_told(tmp_path, spec.replace("a <= 20s", "a > 99s")) == ["a < 39.999s (now 60s)"]
    nowhere = spec.replace("a >= 35s or a <= 20s", "a >= 45s")
    assert remedies_told(tmp_path, nowhere) == ["a < 40s (now 60s), but that breaks nor-here and not-between"]


def test_what_the_software_does_not_take_mends_nothing(tmp_path: Path) -> None:
    spec = """
        components: { lb: aws.alb }
        parameters:
          lb.idle_timeout: { fixed: 60s }
          long: { fixed: 3000s }
        rules: { r: { require: lb.idle_timeout > long } }
    """
    wanted = ["lb.idle_timeout >= 3001s (now 60s, fixed)", "long < 60s (now 3000s, fixed)"]
    assert [line.replace("> 3000s", ">= 3001s") for line in remedies_told(tmp_path, spec)] == wanted
    # A balancer takes 4000 s at most.
    assert remedies_told(tmp_path, spec.replace("3000s", "5000s")) == ["long < 60s (now 5000s, fixed)"]


@pytest.mark.parametrize(
    ("aim", "more", "wanted"),
    [
        ("5s", "a > 0s", "a > 60s (now 60s); 65s leaves the 5s of headroom aimed at"),
        ("1ms", "a > 0s", "a > 60s (now 60s)"),
        ("20%", "a > 0s", "a > 60s (now 60s)"),
        ("5s", "a <= 62s", "a > 60s (now 60s)"),
        ("5s", "a <= 65s", "a > 60s (now 60s); 65s leaves the 5s of headroom aimed at"),
    ],
)
def test_an_amount_that_a_rule_aims_at_is_told_where_it_breaks_nothing(
    tmp_path: Path, aim: str, more: str, wanted: str
) -> None:
    spec = f"""
        parameters:
          a: {{ free: any, current: 60s }}
          b: {{ fact: 60s }}
        rules:
          r: {{ require: a > b, aim: {aim} }}
          more: {{ require: {more}, aim: 0% }}
    """
    assert remedies_told(tmp_path, spec) == [wanted]


@pytest.mark.parametrize(
    ("free", "require", "wanted"),
    [
        # What is off never comes: the longest ping that is short enough is the nearest to that, and not a flood.
        ("any", "ping + 1s < 10s", "ping < 9s (now off)"),
        ("any", "ping >= 10s", "ping >= 10s (now off)"),
        ("any", "ping >= 10s and ping < 20s", "ping >= 10s (now off)"),
        ("[1s, 2s, 30s, off]", "ping < 10s", "ping = 2s (now off)"),
        # Of anything but a duration the smallest is nearest.
        ("1..60", "ping < 10", "ping >= 1 (now off)"),
    ],
)
def test_what_is_off_comes_on_at_the_end_that_the_rules_set(
    tmp_path: Path, free: str, require: str, wanted: str
) -> None:
    spec = f"""
        parameters: {{ ping: {{ free: {free}, current: off, zero: off }} }}
        rules: {{ r: {{ require: {require}, needs_on: [ping] }} }}
    """
    assert remedies_told(tmp_path, spec) == [wanted]
