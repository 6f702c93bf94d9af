"""How long `outlast review` and `outlast mutate` take, against two runs of `outlast check` of the same spec; `run.py` prints it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from chains import chain_spec

from outlast.constraints.model import Role

__all__ = ["in_use", "reviewing"]


def reviewing(services: Sequence[int], runs: int) -> None:
    """Print the fastest of some runs of each, in turns, as whole processes; one value and the requirement of one rule change."""
    print(f"\n{'review and mutate, whole processes':44} {'outlast':>12} {'2 checks':>12} {'ratio':>7}")
    tool = [sys.executable, "-m", "outlast"]
    for number in services:
        with tempfile.TemporaryDirectory() as folder:
            spec = Path(folder) / "outlast.yaml"
            spec.write_text(chain_spec(number))
            text = in_use(spec)
            spec.write_text(text)
            for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
                _git(folder, command)
            rules = text.count("require:")
            # One rule allows more, and the first timeout is longer than the next.
            spec.write_text(re.sub(r"current: \S+", "current: 120s", text.replace(" < ", " <= ", 1), count=1))
            commands = {
                "review": [*tool, "review", "--base", "HEAD"],
                "mutate": [*tool, "mutate", "--time-limit", "300"],
                "check": [*tool, "check", "--known-only"],
            }
            best = dict.fromkeys(commands, float("inf"))
            for _ in range(runs):
                for name, command in commands.items():
                    start = time.perf_counter()
                    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
                    best[name] = min(best[name], time.perf_counter() - start)
                    if done.returncode not in (0, 1):
                        raise SystemExit(f"{name} failed: {done.stderr.decode()}")
            for name in ("review", "mutate"):
                ratio = best[name] / (2 * best["check"])
                print(
                    f"{name}, {rules} rules{'':30}"[:44]
                    + f" {best[name] * 1000:9.0f} ms {best['check'] * 2000:9.0f} ms {ratio:7.2f}"
                )


def in_use(spec: Path) -> str:
    """A spec of chains with values in use, which hold."""
    from outlast import api

    text = spec.read_text()
    for name, result in api.solve(spec, objective="feasible").parameters.items():
        if result.parameter.role is Role.FREE and isinstance(result.value, Fraction):
            value = f"{result.value / 10**6}ms"
            text = text.replace(
                f"  {name}: {{ free: 1ms..120s }}", f"  {name}: {{ free: 1ms..120s, current: {value} }}"
            )
    return text


def _git(folder: str, arguments: Sequence[str]) -> None:
    author = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    committer = {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **author, **committer}, check=True)
