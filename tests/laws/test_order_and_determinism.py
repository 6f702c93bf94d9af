"""The order in a spec means nothing, and the same spec gives the same bytes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from laws.answers import answered, ask
from naive.generator import generate
from outlast.cli import app
from outlast.reports.solve_data import solve_data

#: Of those of which other laws have the answers.
SEEDS = 20
ARGUMENTS = ("--format", "json", "--exact", "--time-limit", "60s")


def solved(path: Path) -> tuple[int, object]:
    """The exit code and the JSON of solve."""
    result = CliRunner().invoke(app, ["solve", str(path), *ARGUMENTS])
    return result.exit_code, json.loads(result.stdout)


def without_places(data: object) -> object:
    """Without folders, lines and columns, in sentences too, and without the order of the notes, which is that of the file."""
    if isinstance(data, Mapping):
        return {k: without_places(v) for k, v in data.items() if k not in ("place", "line", "col", "notes")}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [without_places(v) for v in data]
    return re.sub(r"[^\s('\"]*outlast\.yaml(:\d+)?", "outlast.yaml", data) if isinstance(data, str) else data


@pytest.mark.xdist_group("answers-0")
def test_the_order_of_keys_changes_nothing_but_places(tmp_path: Path) -> None:
    for seed in range(SEEDS):
        spec = generate(seed).spec
        _, plain = answered(seed)
        _, mixed = ask(spec, tmp_path, Random(seed))
        assert without_places(solve_data(plain)) == without_places(solve_data(mixed)), f"seed {seed}\n{spec.to_text()}"


@pytest.mark.parametrize("seed", [3, 101, 383, 1703])
def test_two_runs_print_the_same_bytes(tmp_path: Path, seed: int) -> None:
    (tmp_path / "outlast.yaml").write_text(generate(seed).spec.to_text())
    told = []
    for hash_seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-m", "outlast", "solve", "outlast.yaml", *ARGUMENTS, "--output", f"text={hash_seed}.txt"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=False,
        )
        assert run.returncode in (0, 1)
        told.append((run.returncode, run.stdout, run.stderr, (tmp_path / f"{hash_seed}.txt").read_bytes()))
    assert told[0][1]
    assert told[0][3]
    assert told[0] == told[1]


def test_what_was_solved_before_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    specs = {seed: generate(seed).spec for seed in (90, 523, 1039)}
    answers: dict[int, list[object]] = {seed: [] for seed in specs}
    for round_ in range(6):
        for other in range(round_):
            path.write_text(generate(other).spec.to_text())
            solved(path)
        for seed, spec in specs.items():
            path.write_text(spec.to_text(Random(round_)))
            answers[seed].append(without_places(solved(path)[1]))
    assert [seed for seed, told in answers.items() if any(each != told[0] for each in told)] == []
