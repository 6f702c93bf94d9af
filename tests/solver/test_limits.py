"""A limit that strikes gives "undecided" and what was proved, never another answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Collection
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from naive.generator import generate
from outlast.api import explain, solve
from outlast.constraints.errors import Place
from outlast.constraints.model import Parameter, Role
from outlast.constraints.polynomial import Var, constant, variable
from outlast.constraints.quantities import Kind
from outlast.solver.account import Weakened
from outlast.solver.engine import Z3Engine
from outlast.solver.grid import grid_of
from outlast.solver.items import Items, Take
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import Zero
from outlast.solver.outcome import SolveOutcome, Status

TEN_DIGITS = 10**10


def knapsack(size: int) -> str:
    """Whether some of the numbers add up to half of all: hard for every solver known."""
    random = Random(size)
    numbers = [random.randrange(TEN_DIGITS // 10, TEN_DIGITS) for _ in range(size)]
    parameters = [f"  x{n}: {{free: 0..1}}" for n in range(size)]
    total = " + ".join(f"{c} * x{n}" for n, c in enumerate(numbers))
    rule = f"  half: {{require: {total} == {sum(numbers) // 2}}}"
    return "\n".join(["outlast: 1", "parameters:", *parameters, "rules:", rule, ""])


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "COLUMNS", "FORCE_COLOR")}
    return subprocess.run(
        [sys.executable, "-m", "outlast", "solve", "outlast.yaml", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("limit", [("--time-limit", "1ms"), ("--time-limit", "300ms"), ("--effort", "20000")])
def test_what_is_too_hard_is_undecided_and_said_to_be(tmp_path: Path, limit: tuple[str, str]) -> None:
    (tmp_path / "outlast.yaml").write_text(knapsack(40))
    begun = time.monotonic()
    run = command(tmp_path, *limit)
    assert time.monotonic() - begun < 20
    assert run.returncode == 3, run.stderr
    assert run.stdout.startswith("undecided")
    assert "Traceback" not in run.stderr
    told = json.loads(command(tmp_path, *limit, "--format", "json").stdout)
    assert told["status"] == "undecided"
    assert told["conflicts"] == []
    assert all(p.get("value") is None for p in told["parameters"].values())


def test_what_was_proved_before_the_limit_is_told(tmp_path: Path) -> None:
    """An easy component comes first in the order of the names; the hard one strikes the limit."""
    hard = knapsack(40)
    easy = hard.replace("parameters:\n", "parameters:\n  calm: {free: 1s..9s, step: 1s}\n")
    easy = easy.replace("rules:\n", "rules:\n  a-calm: {require: calm < 5s}\n")
    (tmp_path / "outlast.yaml").write_text(easy)
    outcome = solve(tmp_path / "outlast.yaml", time_limit=None, effort=20_000)
    assert outcome.status is Status.UNDECIDED
    assert outcome.undecided == "the effort limit was reached"
    impossible = easy.replace("calm < 5s", "calm < 1s")
    (tmp_path / "outlast.yaml").write_text(impossible)
    outcome = solve(tmp_path / "outlast.yaml", time_limit=None, effort=20_000)
    # A conflict that was proved stands whatever the other component is; it must not get lost.
    assert {i.id for c in outcome.conflicts for i in c.items} == {"rule:a-calm", "domain:calm.min"}


def answers(outcome: SolveOutcome) -> object:
    return (
        outcome.status,
        {n: (r.value, r.range, r.range_as_recommended) for n, r in outcome.parameters.items()},
        [(b.rules, b.level, b.held_by_steps) for b in outcome.bottlenecks],
        sorted([i.id for i in c.items] for c in outcome.conflicts),
        [(g.rule, g.weight) for g in outcome.given_up],
    )


#: Few of them are monotone alone; some conflict, some give rules up.
SEEDS = (0, 11, 19, 23, 24, 25, 30, 35, 37, 38)


@cache
def whole_answer(seed: int, path: Path) -> SolveOutcome:
    """Of the spec of the seed, which stands in the file."""
    return solve(path, time_limit=None)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_limit_never_changes_the_answer(tmp_path: Path, seed: int) -> None:
    assert {"product of free", "if"} & set(generate(seed).features)
    path = tmp_path / "outlast.yaml"
    path.write_text(generate(seed).spec.to_text())
    for milliseconds in (1, 5, 20, 60, 200):
        limited = solve(path, time_limit=milliseconds / 1000)
        if limited.status is Status.UNDECIDED:
            assert limited.undecided
            whole = whole_answer(seed, path).parameters
            for name, told in limited.parameters.items():
                if told.value is not None:
                    assert told.value == whole[name].value, f"seed {seed}"
        else:
            assert_same(limited, whole_answer(seed, path), seed)


def assert_same(limited: SolveOutcome, whole: SolveOutcome, seed: int) -> None:
    """The same answer; of several conflicts some may be missing, and be larger than need be, if that is said."""
    if limited.status is not Status.CONFLICT:
        assert answers(limited) == answers(whole), f"seed {seed}"
        return
    assert whole.status is Status.CONFLICT
    known = [{i.id for i in c.items} for c in whole.conflicts]
    for conflict in limited.conflicts:
        assert {i.id for i in conflict.items} in known or not conflict.minimal, f"seed {seed}"


def test_a_list_of_conflicts_that_is_not_complete_says_so(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(generate(19).spec.to_text())
    assert len(solve(path).conflicts) == 2
    outcome = solve(path, time_limit=0)
    assert outcome.undecided or outcome.status is Status.UNDECIDED


def test_no_time_at_all_is_undecided_not_a_conflict(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    for seed in SEEDS:
        path.write_text(generate(seed).spec.to_text())
        outcome = solve(path, time_limit=0)
        if outcome.status is not Status.UNDECIDED:
            assert_same(outcome, whole_answer(seed, path), seed)


@pytest.mark.parametrize("effort", ["100", "5000"])
def test_effort_gives_the_same_bytes_each_time(tmp_path: Path, effort: str) -> None:
    (tmp_path / "outlast.yaml").write_text(generate(SEEDS[0]).spec.to_text())
    runs = [command(tmp_path, "--effort", effort, "--time-limit", "50s") for _ in range(2)]
    assert runs[0].stdout
    assert runs[0].returncode in (0, 1, 3)
    for one, other in pairwise(runs):
        assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)


def test_a_deadline_is_checked_and_leaves_z3_at_least_a_millisecond() -> None:
    assert Limits.starting_now(None).milliseconds_left() is None
    Limits.starting_now(None).check()
    spent = Limits.starting_now(-1)
    assert spent.milliseconds_left() == 1
    with pytest.raises(Undecided, match="time limit"):
        spent.check()
    left = Limits.starting_now(10).milliseconds_left()
    assert left is not None
    assert 9_000 < left <= 10_000


def test_a_conflict_of_which_a_question_was_left_open_is_not_called_minimal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(
        "outlast: 1\nparameters:\n  x: {free: 0s..}\nrules:\n  a: {require: x < 3s}\n  b: {require: x >= 5s}\n"
    )
    decided = explain(path)
    assert [c.minimal for c in decided.conflicts] == [True]
    assert decided.is_complete
    answer = Items.feasible

    def feasible(self: Items, kept: Collection[str], *, take: Take = Take.ANY) -> bool:
        if "rule:b" not in kept:
            raise Undecided("z3 gave up")
        return answer(self, kept, take=take)

    monkeypatch.setattr(Items, "feasible", feasible)
    undecided = explain(path)
    assert [[i.id for i in c.items] for c in undecided.conflicts] == [["rule:a", "rule:b"]]
    assert [c.minimal for c in undecided.conflicts] == [False]
    assert not undecided.is_complete
    assert [{c.rule for c in r.changes if isinstance(c, Weakened)} for r in undecided.groups[0].repairs] == [{"a"}]


def test_a_root_that_is_no_fraction_is_undecided() -> None:
    grid = grid_of(Parameter(name="a", place=Place("a", 1, 1), role=Role.FREE, kind=Kind.COUNT))
    engine = Z3Engine({"a": grid}, Limits(), continuous=frozenset({"a"}))
    a = variable(Var("a", 0))
    for square in (2, 4):
        engine.define(square, Zero(a * a - constant(Fraction(square))))
    assert engine.satisfiable([4])
    assert engine.point() == {"a": 2}
    assert engine.satisfiable([2])
    with pytest.raises(Undecided, match="no fraction"):
        engine.point()
