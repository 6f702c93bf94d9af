"""How far facts and measurements may move: every told end against trying values on both sides of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path

import pytest

from laws.answers import CHUNK, answered, chunks
from naive.generator import generate
from naive.language import Parameter, Spec
from naive.reference import components
from outlast.api import solve
from outlast.constraints.model import Role
from outlast.solver import growth as module
from outlast.solver.account import ItemKind
from outlast.solver.held import UNLIMITED
from outlast.solver.outcome import Growth, SolveOutcome, Status

SECOND = 10**9


def unit_of(p: Parameter) -> Fraction:
    """The steps of a fact: those of its kind, finer where its value lies between them."""
    values = [p.granularity, *(v for v in (p.interval or (p.value,)) if v is not None and not isinstance(v, str))]
    below = lcm(*(Fraction(v).denominator for v in values))
    return Fraction(gcd(*(int(v * below) for v in values)), below)


def can_hold(spec: Spec, changed: Parameter, only: set[str], kept: set[str]) -> bool:
    """Whether some point keeps these rules in every component, the fact being as given."""
    parameters = tuple(changed if p.name == changed.name else p for p in spec.parameters)
    for c in components(Spec(parameters, spec.rules)):
        asked = [i for i in c.rules if i in kept and i in only]
        if not any(all(p.verdicts[i].holds is not False for i in asked) for p in c.points):
            return False
    return True


def wrong_ends(spec: Spec, told: Growth, kept: set[str]) -> Iterator[str]:
    p = next(p for p in spec.parameters if p.name == told.name)
    unit = unit_of(p)
    for end, upward in ((told.shrink, False), (told.grow, True)):
        assert end is not None
        ends = [Fraction(v) for v in p.interval or (p.value, p.value) if isinstance(v, int | Fraction)]
        now = ends[upward]

        def at(value: Fraction, *, upward: bool = upward) -> Parameter:
            if p.interval is None:
                return replace(p, value=value)
            low, high = p.interval
            return replace(p, interval=(low, value) if upward else (value, high))

        direction = unit if upward else -unit
        near = [now + direction * n for n in (1, 2, 3)]
        every = {r.id for rule in spec.rules for r in rule.links()}
        if end.on_step is None:
            last = [] if not upward else [now + unit * 50]
            beyond = []
        else:
            near = [v for v in near if (v <= end.on_step if upward else v >= end.on_step)]
            last, beyond = [end.on_step], [end.on_step + direction]
        for value in (*near, *last):
            if value >= 0 and (upward or value <= ends[1]) and not can_hold(spec, at(value), every, kept):
                yield f"{told.name} cannot be {value / unit} steps, told {end}"
        for value in beyond:
            if value < 0:
                yield f"{told.name} has an end below 0: {end}"
            elif can_hold(spec, at(value), set(end.limited_by), kept):
                yield f"{told.name} may be {value / unit} steps as far as {end.limited_by} go, told {end}"


@pytest.mark.parametrize("start", chunks(30, 90))
def test_the_ends_are_those_of_trying(start: int) -> None:
    wrong: list[str] = []
    seen = {"limited": 0, "free": 0, "untold": 0, "interval": 0}
    for seed in range(start, start + CHUNK):
        spec = generate(seed).spec
        _, outcome = answered(seed)
        if outcome.status is not Status.OPTIMAL:
            assert outcome.growth == ()
            continue
        kept = {i for i, r in outcome.rules.items() if r.kept}
        for told in outcome.growth:
            if told.untold is not None:
                seen["untold"] += 1
                continue
            for end in (told.shrink, told.grow):
                assert end is not None
                seen["limited" if end.at is not None else "free"] += 1
            seen["interval"] += told.interval is not None
            wrong += (f"seed {seed}: {w}" for w in wrong_ends(spec, told, kept))
    assert not wrong, "\n".join(wrong)
    assert seen["limited"] > 3
    assert seen["free"] > 3
    assert seen["untold"] < seen["limited"]


def solved(folder: Path, text: str) -> SolveOutcome:
    path = folder / "outlast.yaml"
    path.write_text(text)
    return solve(path)


def growth_in(folder: Path, text: str) -> dict[str, Growth]:
    return {g.name: g for g in solved(folder, text).growth}


def ends_of(told: Growth) -> tuple[object, ...]:
    assert told.shrink is not None
    assert told.grow is not None
    return told.shrink.at, told.shrink.limited_by, told.grow.at, told.grow.is_open, told.grow.limited_by


SHARED = """
outlast: 1
parameters:
  world: { fact: 3s }
  a: { free: 1s..20s, step: 1s }
  b: { free: 1s..9s, step: 1s }
  limit: { fixed: 30s }
rules:
  first: { require: 2 * world < a }
  second: { require: world < b, margin: 50% }
  settled: { require: 4 * world <= limit }
  bold: { require: a + 8s < 2 * world, level: should }
"""


def test_the_nearest_end_of_all_components_counts(tmp_path: Path) -> None:
    """10 s by `first`, 6 s by `second` with its margin, 7.5 s by `settled`; the rule given up counts for nothing."""
    told = growth_in(tmp_path, SHARED)["world"]
    assert ends_of(told) == (None, (), 6 * SECOND, False, ("domain:b.max", "second"))
    loose = SHARED.replace("1s..9s", "1s..90s")
    assert ends_of(growth_in(tmp_path, loose)["world"]) == (None, (), 7.5 * SECOND, False, ("settled",))
    looser = loose.replace("30s", "300s")
    told = growth_in(tmp_path, looser)["world"]
    assert ends_of(told) == (None, (), 10 * SECOND, True, ("domain:a.max", "first"))
    assert told.grow is not None
    assert told.grow.on_step == Fraction(9999, 1000) * SECOND


def test_a_fixed_value_is_no_fact(tmp_path: Path) -> None:
    assert list(growth_in(tmp_path, SHARED)) == ["world"]


def test_a_measurement_grows_by_one_factor_in_all_its_quantiles(tmp_path: Path) -> None:
    """Bounds of 100 samples from 1 ms to 100 ms: of p50 60 ms and of p90 96 ms, say; whatever they are, both grow alike."""
    (tmp_path / "rtt.txt").write_text("\n".join(str(n) for n in range(1, 101)))
    text = """
outlast: 1
parameters:
  wait: { free: 1ms..400ms }
measurements:
  rtt: { samples: rtt.txt, unit: ms, taken: 2026-10-20 }
rules:
  sum: { require: p50(rtt) + p90(rtt) < wait }
"""
    outcome = solved(tmp_path, text)
    (told,) = outcome.growth
    assert told.kind is ItemKind.MEASUREMENT
    judged = outcome.rules["sum"].verdict.decisive
    assert judged is not None
    assert isinstance(judged.left, Fraction)
    assert ends_of(told) == (None, (), 400 * 10**6 / judged.left, True, ("domain:wait.max", "sum"))


def test_a_measurement_on_both_sides_may_neither_grow_nor_shrink_without_end(tmp_path: Path) -> None:
    (tmp_path / "rtt.txt").write_text("\n".join(str(n) for n in range(1, 1001)))
    text = """
outlast: 1
parameters:
  wait: { free: 10ms..4s }
measurements:
  rtt: { samples: rtt.txt, unit: ms, taken: 2026-10-20 }
rules:
  above: { require: p90(rtt) < wait }
  below: { require: 100ms < p50(rtt) }
"""
    outcome = solved(tmp_path, text)
    (told,) = outcome.growth
    lower, upper = outcome.rules["below"].verdict.decisive, outcome.rules["above"].verdict.decisive
    assert lower is not None and upper is not None  # noqa: PT018
    assert isinstance(lower.right, Fraction) and isinstance(upper.left, Fraction)  # noqa: PT018
    assert lower.right < 500 * 10**6 < 900 * 10**6 < upper.left  # each the bound on its own side
    assert ends_of(told) == (
        100 * 10**6 / lower.right, ("below",), 4 * SECOND / upper.left, True, ("above", "domain:wait.max"),
    )  # fmt: skip


def test_the_ends_of_an_interval_move_apart(tmp_path: Path) -> None:
    text = """
outlast: 1
parameters:
  pods: { fact: 40..400 }
  rate: { free: 1s..9s, step: 1s }
rules:
  most: { require: pods / rate < 100/s }
  least: { require: 20/s < pods / 1s }
"""
    told = growth_in(tmp_path, text)["pods"]
    assert told.interval == (Fraction(40), Fraction(400))
    assert ends_of(told) == (21, ("least",), 899, False, ("domain:rate.max", "most"))


RETRIES = """
outlast: 1
parameters:
  count: { fact: 2 }
  wait: { free: 3s..9s, step: 1s }
  limit: { fixed: 59s }
rules:
  total:
    require: backoff(wait, 1, 60s, count) <= limit
"""


def test_a_count_in_a_formula_that_is_not_linear_in_it_is_searched_for(tmp_path: Path) -> None:
    """19 · 3 s = 57 s."""
    told = growth_in(tmp_path, RETRIES)["count"]
    assert ends_of(told) == (None, (), 19, False, ("domain:wait.min", "total"))
    assert told.tried is None


def test_a_count_that_may_do_harm_both_ways_is_tried(tmp_path: Path) -> None:
    """With 3, the second sum is empty; 10 · 3 s do not fit into 29 s."""
    text = RETRIES.replace("fact: 2", "fact: 5").replace("59s", "29s")
    more = "  least:\n    require: 6s <= backoff(wait, 1, 60s, count - 3)\n"
    told = growth_in(tmp_path, text + more)["count"]
    assert ends_of(told) == (4, ("least",), 9, False, ("domain:wait.min", "total"))
    told = growth_in(tmp_path, text.replace("29s", "3h") + more)["count"]
    assert told.grow == UNLIMITED
    assert told.tried == (Fraction(4), Fraction(21))


def test_a_fact_times_a_free_parameter_is_told_on_its_step(tmp_path: Path) -> None:
    """The flood is a rate on the larger side, over which a free parameter stands: 400 / 8 s is the least."""
    text = """
outlast: 1
parameters:
  flood: { fact: 100/s }
  send: { free: 1s..8s, step: 1ms }
rules:
  calm: { require: 400 / send <= flood }
"""
    expected = (Fraction(50, SECOND), ("calm", "domain:send.max"), None, True, ())
    assert ends_of(growth_in(tmp_path, text)["flood"]) == expected
    other = text.replace("rules:", "  a: { free: 1s..2s }\nrules:\n  other: { require: 4 / a <= flood }")
    assert ends_of(growth_in(tmp_path, other)["flood"]) == expected  # the component of `a` comes first, and can hold


def test_what_cannot_be_told_says_why(tmp_path: Path) -> None:
    text = """
outlast: 1
parameters:
  wait: { fact: 3s }
  a: { free: 100ms..60s, step: 1ms }
rules:
  up: { require: a * wait <= 3s * 20s }
  same: { require: a * wait == 3s * 7s }
"""
    outcome = solved(tmp_path, text)
    (told,) = outcome.growth
    assert (told.shrink, told.grow) == (None, None)
    assert told.untold is not None
    assert "linear" in told.untold


def test_too_many_are_left_out_with_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_WORK", 2)
    facts = "".join(f"  f{n}: {{ fact: {n}s }}\n  x{n}: {{ free: 1s..60s }}\n" for n in range(1, 5))
    rules = "".join(f"  r{n}: {{ require: f{n} < x{n} }}\n" for n in range(1, 5))
    outcome = solved(tmp_path, f"outlast: 1\nparameters:\n{facts}rules:\n{rules}")
    assert [g.name for g in outcome.growth] == ["f1", "f2"]
    assert any("'f3' and 1 more" in note and "outlast why" in note for note in outcome.notes)


def test_a_limit_that_strikes_spoils_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EFFORT", 1)
    text = SHARED.replace("a: { free: 1s..20s, step: 1s }", "a: { free: [off, 1s, 7s, 20s] }")
    outcome = solved(tmp_path, text)
    assert outcome.status is Status.OPTIMAL
    (told,) = outcome.growth
    assert told.untold == "the effort limit was reached"
    assert outcome.spec.parameters["world"].role is Role.FACT


def test_the_end_is_before_a_gap(tmp_path: Path) -> None:
    """With a at least 1 s, world is at most 4 s, or at least 9 s."""
    text = """
outlast: 1
parameters:
  world: { fact: 3s }
  a: { free: 1s..60s, step: 1s }
rules:
  either: { require: world + a <= 5s or world >= 9s }
"""
    assert ends_of(growth_in(tmp_path, text)["world"]) == (
        None, (), 4 * SECOND, False, ("domain:a.min", "either"),
    )  # fmt: skip
    told = growth_in(tmp_path, text.replace("3s", "10s"))["world"]
    assert ends_of(told) == (9 * SECOND, ("domain:a.min", "either"), None, True, ())
    settled = text.replace("world + a", "world")
    assert ends_of(growth_in(tmp_path, settled)["world"]) == (None, (), 5 * SECOND, False, ("either",))


@pytest.mark.parametrize(
    ("rule", "least"),
    [
        ("{ require: 1000s / pods < wait }", 17),
        ("{ require: 1000s / pods < 60s }", 17),
        ("{ require: wait >= 61s, when: pods < 20 }", 20),
        ("{ require: (pods < 20) => wait >= 61s }", 20),
        ("{ require: 'max(25, 1000s / wait) <= min(pods, 300)' }", 25),
    ],
)
def test_a_rule_takes_the_worse_end_of_an_interval(tmp_path: Path, rule: str, least: int) -> None:
    text = f"""
outlast: 1
parameters:
  pods: {{ fact: 40..400 }}
  wait: {{ free: 1s..60s, step: 1s }}
rules:
  only: {rule}
"""
    told = growth_in(tmp_path, text)["pods"]
    assert told.shrink is not None
    assert told.shrink.on_step == least
    assert told.grow == UNLIMITED


@pytest.mark.parametrize(
    "rule", ["{ require: wait >= 61s, when: world < 20s }", "{ require: (world < 20s) => wait >= 61s }"]
)
def test_a_condition_takes_the_other_end(tmp_path: Path, rule: str) -> None:
    text = f"""
outlast: 1
parameters:
  world: {{ fact: 40s..400s }}
  wait: {{ free: 1s..60s, step: 1s }}
rules:
  only: {rule}
"""
    told = growth_in(tmp_path, text)["world"]
    assert ends_of(told) == (20 * SECOND, ("domain:wait.max", "only"), None, True, ())
    assert told.shrink is not None
    assert not told.shrink.is_open
