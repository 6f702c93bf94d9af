"""The action's shell, run as GitHub would, in a repository and with a stand-in for outlast that writes down what it is asked."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from ci.running import parse
from cli.repository import git

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).resolve().parent.parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / "docs/ci/github-workflow.yml").read_text(encoding="utf-8"))
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}
#: Ends with the codes of its environment, one a call, and writes the files that it is told to, but none where the code has a minus.
STAND_IN = f"""#!{sys.executable}
import json, os, pathlib, sys
calls = pathlib.Path(os.environ["CALLS"])
said = calls.read_text().splitlines() if calls.exists() else []
calls.write_text("".join(f"{{line}}\\n" for line in [*said, json.dumps(sys.argv[1:])]))
code = int(os.environ["CODES"].split()[len(said)])
for option, text in zip(sys.argv, sys.argv[1:]):
    if option == "--output" and code >= 0:
        layout, _, file = text.partition("=")
        told = os.environ.get("MARKDOWN") if layout == "markdown" else None
        pathlib.Path(file).write_text(told or f"{{layout}} of {{sys.argv[1]}}\\n")
raise SystemExit(abs(code))
"""


@dataclass
class Ended:
    code: int
    log: str
    calls: list[list[str]]
    outputs: dict[str, str]
    summary: str
    folder: Path = field(repr=False)


class Job:
    """A job in a repository with a merged pull request: `main`, and a merge of `change` into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "work space"
        self.repository.mkdir()
        self.git("init", "-q")
        self.commit("start", {"outlast.yaml": "", "it's a $HOME/outlast.yaml": "", "not-outlast.yaml": ""})
        self.start = self.git("rev-parse", "HEAD")
        self.git("checkout", "-q", "-b", "change")
        self.commit("change", {"a": ""})
        self.git("checkout", "-q", "main")
        self.commit("later", {"b": ""})
        self.git("merge", "-q", "--no-ff", "-m", "merge", "change")

    def git(self, *arguments: str) -> str:
        return git(self.repository, *arguments)

    def commit(self, name: str, files: dict[str, str]) -> None:
        for file, text in files.items():
            (self.repository / file).parent.mkdir(exist_ok=True)
            (self.repository / file).write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", name)

    def run(self, codes: str = "0", environment: Mapping[str, str] = MappingProxyType({}), **inputs: str) -> Ended:
        """Run the step with the inputs given, named as in its `env`, and the others as if not given."""
        binary = self.folder / "bin/outlast"
        binary.parent.mkdir(exist_ok=True)
        binary.write_text(STAND_IN)
        binary.chmod(0o755)
        step = STEPS["run"]
        defaults = dict.fromkeys(("SPEC", "BASE", "EVENT_BASE", "LINT", "BASELINE", "ROOT"), "")
        given = defaults | {"BIN": str(binary.parent), "FAIL_ON": "warning", "ALLOW_UNGUARDING": "false"} | inputs
        assert set(given) == set(step["env"])
        files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "CALLS")}
        kept = {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(self.folder), "CODES": codes}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.repository,
            env=kept | given | {name: str(path) for name, path in files.items()} | dict(environment),
            capture_output=True,
            text=True,
            timeout=60,
        )
        texts = {name: path.read_text() if path.exists() else "" for name, path in files.items()}
        return Ended(
            code=done.returncode,
            log=done.stdout + done.stderr,
            calls=[json.loads(line) for line in texts["CALLS"].splitlines()],
            outputs=dict(line.split("=", 1) for line in texts["GITHUB_OUTPUT"].splitlines()),
            summary=texts["GITHUB_STEP_SUMMARY"],
            folder=self.repository,
        )

    def on_pull_request(self) -> dict[str, str]:
        return {"GITHUB_REF": "refs/pull/1/merge", "GITHUB_SHA": self.git("rev-parse", "HEAD")}


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def without_outputs(call: list[str]) -> list[str]:
    return [w for n, w in enumerate(call) if w != "--output" and (n == 0 or call[n - 1] != "--output")]


def test_a_pull_request_is_compared_with_what_it_was_merged_into_and_its_code_is_kept(job: Job) -> None:
    ended = job.run("1", job.on_pull_request(), EVENT_BASE=job.start)
    assert [without_outputs(call) for call in ended.calls] == [
        ["review", "--fail-on", "warning", "--base", "HEAD^1", "--"]
    ]
    assert (ended.code, ended.outputs["exit-code"]) == (1, "1")
    assert "github of review" in ended.log
    assert ended.summary == "markdown of review\n\n"
    assert Path(ended.outputs["comment"]).read_text() == "<!-- outlast -->\nmarkdown of review\n\n"
    assert [path.read_text() for path in Path(ended.outputs["sarif"]).iterdir()] == ["sarif of review\n"]


@pytest.mark.parametrize("name", ["GITHUB_REF", "GITHUB_SHA"])
def test_what_is_no_merge_by_github_is_compared_with_what_the_event_names(job: Job, name: str) -> None:
    (call,) = job.run("2", job.on_pull_request() | {name: "refs/heads/main"}, EVENT_BASE="0" * 40).calls
    assert call[call.index("--base") + 1] == "0" * 40


def test_inputs_are_never_run_and_never_split(job: Job) -> None:
    hostile = "a b/$(touch pwned)`touch pwned`'\";touch pwned;*"
    inputs = {"SPEC": f"{hostile}\n\n  second.yaml  \n", "BASE": f"$(touch pwned) {hostile}", "LINT": hostile}
    ended = job.run("0", {}, **inputs, FAIL_ON="$(touch pwned)", ALLOW_UNGUARDING="true", ROOT=hostile)
    assert [without_outputs(call) for call in ended.calls] == [
        ["review", "--fail-on", "$(touch pwned)", "--base", inputs["BASE"], "--allow-unguarding", "--root", hostile, "--lint", "--", hostile, "second.yaml"]
    ]  # fmt: skip
    assert not (ended.folder / "pwned").exists()
    parse([word.replace("$(touch pwned)", "warning") for word in ended.calls[0]])


@pytest.mark.parametrize(("codes", "code"), [("0 3 0", 3), ("1 3 0", 1), ("0 1 2", 2), ("139 1 0", 139)])
def test_without_a_base_every_spec_is_checked_and_the_worst_code_stands(job: Job, codes: str, code: int) -> None:
    ended = job.run(codes, LINT="deploy", BASELINE="known before.json", ROOT="the root")
    assert sorted(without_outputs(call) for call in ended.calls) == [
        [
            "check",
            "--fail-on",
            "warning",
            "--baseline",
            "known before.json",
            "--root",
            "the root",
            "--",
            "it's a $HOME/outlast.yaml",
        ],
        [
            "check",
            "--fail-on",
            "warning",
            "--baseline",
            "known before.json",
            "--root",
            "the root",
            "--",
            "outlast.yaml",
        ],
        ["lint", "--fail-on", "warning", "--baseline", "known before.json", "--", "deploy"],
    ]
    assert ended.code == code
    for call in ended.calls:
        parse(call)
    assert ended.summary.count("markdown of check") == 2
    assert len(list(Path(ended.outputs["sarif"]).iterdir())) == 3


def test_outlast_itself_annotates_lines_and_leaves_its_reports(job: Job) -> None:
    job.git("rm", "-q", "--", "it's a $HOME/outlast.yaml")
    job.commit("a spec", {"outlast.yaml": "outlast: 1\nparameters: { a: { fixed: 3s }, b: { fixed: 2s } }\nrules: { r: { require: a < b } }\n"})  # fmt: skip
    ended = job.run(BIN=str(Path(sys.executable).parent))
    assert ended.code == 1, ended.log
    assert "\nerror r: broken rule (outlast.yaml:3)\n" in ended.log
    assert "\n::error file=outlast.yaml,line=" in ended.log
    assert "a = 3s is not under b = 2s" in html.unescape(ended.summary).replace("`", "")
    (sarif,) = Path(ended.outputs["sarif"]).iterdir()
    assert [result["ruleId"] for result in json.loads(sarif.read_text())["runs"][0]["results"]] == ["r"]


def test_nothing_to_check_is_no_success(job: Job) -> None:
    job.git("rm", "-q", "--", "outlast.yaml", "it's a $HOME/outlast.yaml")
    ended = job.run()
    assert (ended.code, ended.calls) == (2, [])
    assert "no outlast.yaml" in ended.log
    assert "could not run" in Path(ended.outputs["comment"]).read_text()


def test_a_comment_says_where_there_is_no_report_instead_of_nothing(job: Job) -> None:
    ended = job.run("-2", BASE="main")
    assert (ended.code, ended.outputs["exit-code"]) == (2, "2")
    told = "**outlast review could not run** (exit code 2); the log of the job says why.\n\n"
    assert (Path(ended.outputs["comment"]).read_text(), ended.summary) == (f"<!-- outlast -->\n{told}", told)


@pytest.mark.parametrize(
    ("report", "kept"),
    [
        ("a\n\n<details><summary>x</summary>\n\n````diff\n```\n+<details>\n\nü\n" + "y\n" * 30_000 + "````\n\n</details>\n",
         "a\n\n<details><summary>x</summary>\n\n````diff\n```\n+<details>\n\n````\n\n</details>\n"),
        ("<details>\n\nb\n\n</details>\n\nc\n\n" + "ü" * 60_000, "<details>\n\nb\n\n</details>\n\nc\n\n"),
        ("z\n" * 40_000, "z\n" * 30_000),
        ("z" * 60_001, ""),
    ],
)  # fmt: skip
def test_a_long_comment_says_first_that_it_is_cut_and_leaves_nothing_open(job: Job, report: str, kept: str) -> None:
    ended = job.run("1", {"MARKDOWN": report}, BASE="main")
    first, notice, blank, rest = Path(ended.outputs["comment"]).read_text().split("\n", 3)
    assert (first, notice[:2], blank, rest) == ("<!-- outlast -->", "> ", "", kept)
    assert ended.summary == report + "\n"


def _steps() -> list[dict[str, Any]]:
    return [*ACTION["runs"]["steps"], *WORKFLOW["jobs"]["outlast"]["steps"]]


def test_no_script_has_an_expression_in_it_and_all_that_is_used_is_pinned() -> None:
    scripts = [step["run"] for step in _steps() if "run" in step]
    assert len(scripts) == 3
    assert not [script for script in scripts if "${{" in script]
    used = [step["uses"] for step in _steps() if "uses" in step]
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []
