"""What is there to be copied and hooked in asks for commands and options that are there."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ci.running import parse

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parent.parent.parent
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((ROOT / "docs/ci/gitlab-ci.yml").read_text(encoding="utf-8"))


def lines() -> list[list[str]]:
    """Words behind `outlast`."""
    scripts = [line for job in GITLAB.values() for line in job.get("script", ())]
    hooks = [[*shlex.split(hook["entry"]), *hook.get("args", ())] for hook in HOOKS]
    return [words[1:] for words in [*hooks, *(shlex.split(line.replace("$", "")) for line in scripts)]]


def test_every_line_is_one_that_outlast_understands() -> None:
    told = lines()
    assert sorted(words[0] for words in told) == ["check", "check", "lint", "review", "review"]
    for words in told:
        parse(words)
