"""What shells offer while somebody types, asked in the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.running import Outlast

SPEC = """\
outlast: 1
parameters: { deadline: { fixed: 10s }, "$(touch made)": { fixed: 1s }, ping: { fixed: 1s } }
measurements: { rtt: { samples: missing.csv } }
rules: { no-flood: { require: this is no formula } }
"""
#: A shell's own functions are not there outside of its completion; what these would be told is what is offered.
ASK = {
    "bash": 'source "$SCRIPT"; COMP_WORDS=(outlast "$@"); COMP_CWORD=$#; _outlast_completion outlast; printf "%s\\n" "${COMPREPLY[@]}"',
    "zsh": '_arguments() { print -r -- "$@" }; compdef() { }; _files() { }; source "$SCRIPT"; words=(outlast "$@"); CURRENT=$#words; _outlast_completion',
    "fish": 'source "$SCRIPT"; complete -C "outlast $argv"',
}
COMMANDS = {"bash": ["bash", "--norc", "-c"], "zsh": ["zsh", "-f", "-c"], "fish": ["fish", "--no-config", "-c"]}


def _offered(folder: Path, shell: str, *words: str) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SCRIPT": str(folder / shell),
    }
    first = [] if shell == "fish" else [shell]
    run = subprocess.run(
        [*COMMANDS[shell], ASK[shell], *first, *words], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert run.stderr == ""
    return run.stdout.replace("(", " ").replace(")", " ").replace('"', " ").split()


@pytest.fixture
def folder(tmp_path: Path, outlast: Outlast) -> Path:
    (tmp_path / "outlast.yaml").write_text(SPEC, encoding="utf-8")
    for shell in ASK:
        run = outlast("completion", shell)
        assert (run.code, run.err) == (0, "")
        (tmp_path / shell).write_text(run.out, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ch"], ["check"]),
        (["check", "--format", "s"], ["sarif"]),
        (["why", ""], ["deadline", "ping", "rtt", "no-flood"]),
        (["rules", "--kind", "aws.al"], ["aws.alb"]),
        (["check", "./o"], []),  # bash then offers files
    ],
)
def test_bash_is_offered_what_fits(folder: Path, words: list[str], expected: list[str]) -> None:
    assert _offered(folder, "bash", *words) == expected
    assert not (folder / "made").exists()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_offered_the_same(folder: Path, shell: str) -> None:
    found = _offered(folder, shell, "why", "d")
    assert "deadline" in found
    assert "ping" not in found


def test_a_shell_that_is_not_known_is_wrong_usage(outlast: Outlast) -> None:
    run = outlast("completion", "tcsh")
    assert (run.code, run.out) == (2, "")
    assert "expected one of bash, zsh, fish, found 'tcsh'" in run.err
