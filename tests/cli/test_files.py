"""Values in users' files, through the command line: read, compared with the spec, written back, refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from cli.running import Outlast, assert_snapshot
from outlast.constraints.record import replace
from outlast.solver.outcome import SolveOutcome
from outlast.solver.solve import solve_spec

EXAMPLES = Path(__file__).parents[2] / "examples"
LAYOUTS = [("text", "txt"), ("markdown", "md"), ("json", "json")]
RULE = "rules: { in-time: { require: inner < outer, aim: 0% } }\n"


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outlast: Outlast) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _spec(folder: Path, parameters: str, rules: str = RULE, **files: str) -> None:
    (folder / "outlast.yaml").write_text(f"outlast: 1\nparameters:\n{parameters}{rules}", newline="")
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, newline="")


# The three incidents.


@pytest.mark.parametrize("incident", ["dead-connection", "zero-502-deploy", "silent-nlb"])
def test_an_incident_is_found_mended_and_found_well(outlast: Outlast, write: Path, incident: str) -> None:
    shutil.copytree(EXAMPLES / incident, write / incident)
    spec = f"{incident}/files.yaml"
    before = _contents(write)
    assert outlast("check", spec).code == 1
    shown = outlast("apply", spec)
    assert (shown.code, shown.err) == (0, "")
    assert _contents(write) == before
    written = outlast("apply", "--write", spec)
    assert written.code == 0
    after = _contents(write)
    changed = {name for name in before if before[name] != after[name]}
    assert changed
    assert all("/files/" in name for name in changed)
    assert set(after) == set(before), "nothing else is left"
    assert outlast("check", spec).code == 0
    again = outlast("apply", "--write", spec)
    assert again.code == 0
    assert _contents(write) == after


@pytest.mark.parametrize(("layout", "ending"), LAYOUTS)
def test_what_would_change_reads_as_its_snapshot(outlast: Outlast, write: Path, layout: str, ending: str) -> None:
    shutil.copytree(EXAMPLES / "zero-502-deploy", write / "deploy")
    run = outlast("apply", "deploy/files.yaml", "--format", layout)
    assert (run.code, run.err) == (0, "")
    assert_snapshot(f"apply-deploy.{ending}", run.out)


@pytest.mark.parametrize(("layout", "ending"), LAYOUTS)
def test_what_was_written_reads_as_its_snapshot(outlast: Outlast, write: Path, layout: str, ending: str) -> None:
    shutil.copytree(EXAMPLES / "dead-connection", write / "client")
    run = outlast("apply", "client/files.yaml", "--write", "--format", layout)
    assert (run.code, run.err) == (0, "")
    assert_snapshot(f"apply-write-client.{ending}", run.out)


# Where values come from.


@pytest.mark.parametrize(
    ("parameters", "files", "code", "told"),
    [
        # Fixed, free and derived values that a file says otherwise; with a fixed one what that would break.
        (
            "  inner: { fixed: 5s, at: app.env#INNER_SECONDS }\n  outer: { fixed: 10s }\n",
            {"app__env": "INNER_SECONDS=12\n"},
            1,
            "the spec says 5s, app.env:1 says 12s, with which in-time would be broken",
        ),
        (
            "  inner: { free: 1s..9s, step: 1s, current: 5s, at: app.env#INNER_MS }\n  outer: { fixed: 10s }\n",
            {"app__env": "INNER_MS=6000\n"},
            1,
            "the spec says 5s, app.env:1 says 6s",
        ),
        (
            "  inner: { derived: base + 1s, at: app.env#INNER_SECONDS }\n  base: { fixed: 5s }\n  outer: { fixed: 10s }\n",
            {"app__env": "INNER_SECONDS=7\n"},
            1,
            "the spec says 6s, app.env:1 says 7s",
        ),
        # A free value that only the file says is taken from there, and judged.
        (
            "  inner: { free: 1s..20s, step: 1s, at: app.env#INNER_SECONDS }\n  outer: { fixed: 10s }\n",
            {"app__env": "INNER_SECONDS=12\n"},
            1,
            "inner = 12s is not under outer = 10s",
        ),
        (
            "  inner: { free: 1s..20s, step: 1s, at: app.env#INNER_SECONDS }\n  outer: { fixed: 10s }\n",
            {"app__env": "INNER_SECONDS=9\n"},
            0,
            "the rule holds",
        ),
        # Places that must agree.
        (
            "  inner: { free: 1s..20s, step: 1s, at: [a.env#INNER_SECONDS, 'b.yaml#app.inner'] }\n  outer: { fixed: 10s }\n",
            {"a__env": "INNER_SECONDS=9\n", "b__yaml": "app:\n  inner: 8s\n"},
            1,
            "a.env:1 says 9s, b.yaml:2 says 8s",
        ),
        # A fact that is an interval holds whatever lies in it.
        (
            "  inner: { fact: 1s..5s, at: app.env#INNER_SECONDS }\n  outer: { fixed: 10s }\n",
            {"app__env": "INNER_SECONDS=5\n"},
            0,
            "the rule holds",
        ),
        (
            "  inner: { fact: 1s..5s, at: app.env#INNER_SECONDS }\n  outer: { fixed: 10s }\n",
            {"app__env": "INNER_SECONDS=6\n"},
            1,
            "the spec says 1s..5s, app.env:1 says 6s",
        ),
        # What 0 and an absent key mean.
        (
            "  inner: { fixed: 5s }\n  outer: { fixed: infinite, zero: infinite, at: app.env#OUTER_SECONDS }\n",
            {"app__env": "OUTER_SECONDS=0\n"},
            0,
            "the rule holds",
        ),
        (
            "  inner: { free: 1s..60s, step: 1s, unset: 20s, at: app.env#INNER_SECONDS }\n  outer: { fixed: 10s }\n",
            {"app__env": "OTHER=1\n"},
            1,
            "inner = 20s is not under outer = 10s",
        ),
        (
            "  inner: { fixed: 5s, unset: 20s, at: app.env#INNER_SECONDS }\n  outer: { fixed: 10s }\n",
            {"app__env": "OTHER=1\n"},
            1,
            "the spec says 5s, but app.env has no such key, which means 20s",
        ),
        # The unit of a bare number, where nothing else tells it.
        (
            "  inner: { free: 1ms..60s, unit: ms, at: app.env#INNER }\n  outer: { fixed: 10s }\n",
            {"app__env": "INNER=9000\n"},
            0,
            "the rule holds",
        ),
    ],
)
def test_values_in_use_come_from_files(
    outlast: Outlast, write: Path, parameters: str, files: dict[str, str], code: int, told: str
) -> None:
    _spec(write, parameters, **files)
    run = outlast("check")
    assert run.code == code, run.out + run.err
    assert told in " ".join(run.out.split())


def test_the_command_line_goes_before_the_file(outlast: Outlast, write: Path) -> None:
    _spec(
        write,
        "  inner: { free: 1s..20s, step: 1s, at: app.env#I_SECONDS }\n  outer: { fixed: 10s }\n",
        app__env="I_SECONDS=12\n",
    )
    assert outlast("check", "--set", "inner=9s").code == 0


def test_other_commands_note_what_differs(outlast: Outlast, write: Path) -> None:
    _spec(
        write,
        "  inner: { fixed: 5s, at: app.env#I_SECONDS }\n  outer: { free: 1s..60s, step: 1s }\n",
        app__env="I_SECONDS=6\n",
    )
    for command in ("solve", "explain"):
        run = outlast(command)
        assert run.code == 0
        assert run.err == "app.env:1:11: note: the spec says 5s, app.env:1 says 6s\n"


def test_files_are_named_from_the_folder_of_the_spec_that_names_them(outlast: Outlast, write: Path) -> None:
    (write / "base").mkdir()
    _spec(
        write / "base",
        "  inner: { free: 1s..20s, step: 1s, at: app.env#I_SECONDS }\n  outer: { fixed: 10s }\n",
        app__env="I_SECONDS=9\n",
    )
    (write / "top.yaml").write_text("outlast: 1\nextends: base/outlast.yaml\n")
    assert outlast("check", "top.yaml").code == 0


# What is wrong with a place.

CLIENT = 'package a\n\nimport "time"\n\nfunc one() { x := T{Idle: 5 * time.Second} }\nfunc two() { x := T{Idle: 6 * time.Second} }\n'


@pytest.mark.parametrize(
    ("at", "files", "told"),
    [
        ("missing.env#A", {}, "cannot read missing.env: no such file or directory"),
        ("app.env", {}, "expected a place such as client.go#SendPingTimeout, found 'app.env'"),
        ("'#A'", {}, "expected a place such as client.go#SendPingTimeout, found '#A'"),
        ("'app.env#'", {}, "expected a place such as client.go#SendPingTimeout, found 'app.env#'"),
        ("app.env #A", {}, "found ' #' inside braces, where the rest of the line is a comment"),
        ("[]", {}, "found an empty list"),
        ("{ a: b }", {}, "found something else"),
        ("[app.env#A_SEC, app.env#A_SEC]", {"app__env": "A_SEC=1\n"}, "found 'app.env#A_SEC' a second time"),
        ("app.env#TIMEOUT_SEC", {"app__env": "TIMEOUTS_SEC=1\n"}, "expected a value at 'TIMEOUT_SEC' in app.env, found none; near are TIMEOUTS_SEC"),
        ("app.env#A_SEC", {"app__env": "# nothing\n"}, "found no value at all"),
        ("client.go#Idle", {"client__go": CLIENT}, "expected one value at 'Idle' in client.go, found 2: one/x/T:Idle (line 5), two/x/T:Idle (line 6)"),
        ("app.env#A", {"app__env": "A=30\n"}, "say it in the spec with unit: s"),
        ("app.env#A_SEC", {"app__env": "A_SEC=soon\n"}, "app.env:1:7: found soon, expected a duration"),
        ("app.env#A_SEC", {"app__env": "A_SEC=${B}\n"}, "app.env:1:7: found a reference, ${…}, which is not read"),
        ("app.json#a", {"app__json": '{"a": }'}, "app.json:1:7:"),
        ("app.weird#a", {"app__weird": "a"}, "cannot tell from its name what app.weird is"),
        ('"app.env#\\e[31m"', {"app__env": "A=1\n"}, "expected a value at"),
    ],
)  # fmt: skip
def test_a_place_that_cannot_be_read_is_told(
    outlast: Outlast, write: Path, at: str, files: dict[str, str], told: str
) -> None:
    _spec(write, f"  inner: {{ free: any, at: {at} }}\n  outer: {{ fixed: 10s }}\n", **files)
    run = outlast("check")
    assert run.code == 2
    assert told in run.err
    assert "\x1b" not in run.err
    assert "Traceback" not in run.err


def test_all_wrong_places_are_told_at_once(outlast: Outlast, write: Path) -> None:
    _spec(write, "  inner: { free: any, at: a.env#A }\n  outer: { fixed: 10s, at: [b.env#B, c.env#C] }\n")
    run = outlast("check")
    assert run.code == 2
    assert [line for line in run.err.splitlines() if "cannot read" in line][2:]


# What a stranger's spec must not reach.


@pytest.mark.parametrize(
    "at",
    [
        "../secret.env#A_SEC",
        "/etc/hostname#A",
        "link.env#A_SEC",
        "folder/secret.env#A_SEC",
        ".git/config.ini#a",
        "sub/.GIT/a.ini#a",
    ],
)
@pytest.mark.parametrize("command", [("check",), ("apply",), ("apply", "--write")])
def test_nothing_outside_the_folder_is_read_or_written(
    outlast: Outlast, write: Path, at: str, command: tuple[str, ...]
) -> None:
    inside = write / "inside"
    (inside / ".git").mkdir(parents=True)
    (inside / ".git" / "config.ini").write_text("a = 1s\n")
    (inside / "sub" / ".GIT").mkdir(parents=True)
    (inside / "sub" / ".GIT" / "a.ini").write_text("a = 1s\n")
    (write / "secret.env").write_text("A_SEC=1\n")
    (inside / "link.env").symlink_to(write / "secret.env")
    (inside / "folder").symlink_to(write)
    _spec(inside, f"  inner: {{ free: 2s..9s, at: '{at}' }}\n  outer: {{ fixed: 10s }}\n")
    before = _contents(write)
    run = outlast(*command, "inside")
    assert run.code == 2
    assert "expected a file" in run.err
    assert _contents(write) == before


def test_root_widens_what_may_be_written(outlast: Outlast, write: Path) -> None:
    (write / "inside").mkdir()
    (write / "outer.env").write_text("A_SEC=1\n")
    _spec(write / "inside", "  inner: { free: 2s..9s, step: 1s, at: ../outer.env#A_SEC }\n  outer: { fixed: 10s }\n")
    assert outlast("apply", "--write", "inside").code == 2
    assert outlast("apply", "--write", "inside", "--root", ".").code == 0
    assert (write / "outer.env").read_text() != "A_SEC=1\n"


# What must not be touched.

FIXED = "  inner: {{ fixed: {value}, at: {at} }}\n  outer: {{ fixed: 100s }}\n"


@pytest.mark.parametrize(
    ("value", "at", "files", "told"),
    [
        ("5500ms", "app.env#A_SECONDS", {"app__env": "A_SECONDS=5\n"}, "5.5s cannot be written as"),
        ("5s", "app.yaml#a", {"app__yaml": "base: &b 4s\na: *b\n"}, "an alias"),
        ("5s", "app.yaml#base", {"app__yaml": "base: &b 4s\na: *b\n"}, "the anchor"),
        ("5s", "app.go#a:Idle", {"app__go": 'package a\n\nimport "time"\n\nconst idle = 4 * time.Second\n\nfunc a() { x := T{Idle: idle} }\n'}, "the constant idle"),
        ("5s", "app.tf#aws_lb.a:idle_timeout_seconds", {"app__tf": 'resource "aws_lb" "a" {\n  idle_timeout_seconds = var.x\n}\n'}, "var.x"),
    ],
)  # fmt: skip
def test_a_value_that_must_not_be_touched_stops_everything(
    outlast: Outlast, write: Path, value: str, at: str, files: dict[str, str], told: str
) -> None:
    _spec(write, FIXED.format(value=value, at=f"[{at}, other.env#B_MS]"), **files, other__env="B_MS=1\n")
    before = _contents(write)
    run = outlast("apply", "--write")
    assert run.code == 2
    assert told in run.err
    assert _contents(write) == before


def test_two_parameters_cannot_claim_one_place(outlast: Outlast, write: Path) -> None:
    _spec(
        write, "  inner: { fixed: 5s, at: a.env#A_SEC }\n  outer: { fixed: 10s, at: a.env#A_SEC }\n", a__env="A_SEC=1\n"
    )
    run = outlast("apply", "--write")
    assert run.code == 2
    assert "outlast.yaml:4:28: inner and outer are both bound to the value at a.env:1" in run.err
    assert (write / "a.env").read_text() == "A_SEC=1\n"


def test_a_file_that_may_not_be_written_stops_everything(outlast: Outlast, write: Path) -> None:
    _spec(write, FIXED.format(value="5s", at="[a.env#A_SEC, b.env#A_SEC]"), a__env="A_SEC=1\n", b__env="A_SEC=1\n")
    os.chmod(write / "b.env", 0o444)
    before = _contents(write)
    run = outlast("apply", "--write")
    assert run.code == 2
    assert "b.env" in run.err
    assert _contents(write) == before


@pytest.mark.parametrize(
    ("value", "before", "after"),
    [
        ("75s", "const a = 65 * 1000; // ms\r\n", "const a = 75 * 1000; // ms\r\n"),
        ("75500ms", "const a = 65 * 1000;\n", "const a = 75500;\n"),
        ("1s", "const a = 65_000;\n", "const a = 1000;\n"),
    ],
)
def test_arithmetic_keeps_its_shape_where_it_can(
    outlast: Outlast, write: Path, value: str, before: str, after: str
) -> None:
    _spec(write, FIXED.format(value=value, at="app.ts#a"), app__ts=before)
    assert outlast("apply", "--write").code == 0
    assert (write / "app.ts").read_bytes().decode() == after


def test_files_keep_their_mode_and_links_stay(outlast: Outlast, write: Path) -> None:
    _spec(write, FIXED.format(value="5s", at="link.env#A_SEC"), real__env="\ufeffA_SEC=1\r\n# ä\r\n")
    os.chmod(write / "real.env", 0o640)
    (write / "link.env").symlink_to("real.env")
    assert outlast("apply", "--write").code == 0
    assert (write / "link.env").is_symlink()
    assert (write / "real.env").read_bytes() == "\ufeffA_SEC=5\r\n# ä\r\n".encode()
    assert (write / "real.env").stat().st_mode & 0o777 == 0o640


# What is left to people.


def test_keys_that_are_not_there_and_values_without_a_place_are_left_to_people(outlast: Outlast, write: Path) -> None:
    parameters = (
        "  inner: { fixed: 5s, unset: 4s, at: a.env#A_SEC }\n"
        "  outer: { free: 1s..60s, step: 1s, current: 2s }\n"
        "  third: { fixed: 7s, at: a.env#C_SEC }\n"
    )
    _spec(write, parameters, RULE.replace("inner < outer", "inner + third < outer"), a__env="C_SEC=1\n")
    run = outlast("apply", "--write", "--format", "json")
    data = json.loads(run.out)
    assert run.code == 1, "the rule is still broken by what was not written"
    assert [change["parameter"] for change in data["by_hand"]] == ["inner", "outer"]
    assert data["by_hand"][0]["selector"] == "A_SEC"
    assert (write / "a.env").read_text() == "C_SEC=7\n"
    assert {f["kind"] for f in data["check"]["findings"]} == {"broken rule", "value differs from its file"}


def test_facts_are_not_written(outlast: Outlast, write: Path) -> None:
    _spec(write, "  inner: { fact: 5s, at: a.env#A_SEC }\n  outer: { fixed: 10s }\n", a__env="A_SEC=1\n")
    run = outlast("apply", "--write")
    assert run.code == 1
    assert "the spec says 5s, a.env:1 says 1s" in " ".join(run.out.split())
    assert (write / "a.env").read_text() == "A_SEC=1\n"


def test_a_conflict_writes_nothing(outlast: Outlast, write: Path) -> None:
    _spec(write, "  inner: { fixed: 50s, at: a.env#A_SEC }\n  outer: { fixed: 10s }\n", a__env="A_SEC=1\n")
    run = outlast("apply", "--write")
    assert run.code == 1
    assert "conflict" in run.out
    assert (write / "a.env").read_text() == "A_SEC=1\n"


def test_without_places_there_is_nothing_to_apply(outlast: Outlast, write: Path) -> None:
    _spec(write, "  inner: { fixed: 5s }\n  outer: { fixed: 10s }\n")
    run = outlast("apply")
    assert run.code == 2
    assert "no parameter of the spec has a place in a file" in run.err


# What a kill leaves.

KILLED = (
    "import os, signal, sys\n"
    "from outlast.cli import main\n"
    "calls, last, real = 0, int(sys.argv[1]), os.replace\n"
    "def replace(*arguments, **more):\n"
    "    global calls\n"
    "    calls += 1\n"
    "    if calls == last:\n"
    "        os.kill(os.getpid(), signal.SIGKILL)\n"
    "    return real(*arguments, **more)\n"
    "os.replace = replace\n"
    "sys.argv = ['outlast', 'apply', '--write']\n"
    "main()\n"
)


@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_killed_write_is_told_and_taken_back(outlast: Outlast, write: Path, call: int) -> None:
    _spec(write, FIXED.format(value="5s", at="[a.env#A_SEC, b.env#A_SEC]"), a__env="A_SEC=1\n", b__env="A_SEC=1\n")
    done = subprocess.run([sys.executable, "-c", KILLED, str(call)], cwd=write, capture_output=True, check=False)
    contents = {(write / name).read_text() for name in ("a.env", "b.env")}
    assert contents <= {"A_SEC=1\n", "A_SEC=5\n"}
    assert done.returncode in (-signal.SIGKILL, 0)
    is_mixed = len(contents) == 2
    for command in (("check",), ("apply",), ("solve",), ("review", "--stale", "90")):
        run = outlast(*command)
        assert (run.code == 2) == is_mixed
        assert ("an interrupted apply left a mixture" in run.err) == is_mixed
    again = outlast("apply", "--write")
    assert again.code == 0
    assert ("had their old contents back first" in " ".join(again.out.split())) == is_mixed
    assert [(write / name).read_text() for name in ("a.env", "b.env")] == ["A_SEC=5\n", "A_SEC=5\n"]
    assert sorted(p.name for p in write.iterdir()) == ["a.env", "b.env", "outlast.yaml"]


def test_free_values_without_place_or_value_are_left_to_people(outlast: Outlast, write: Path) -> None:
    _spec(
        write,
        "  inner: { free: 1s..9s, step: 1s, at: a.env#A_SEC }\n  outer: { free: 1s..30s, step: 1s }\n",
        a__env="A_SEC=59\n",
    )
    run = outlast("apply", "--write", "--format", "json")
    data = json.loads(run.out)
    assert (run.code, run.err) == (0, "")
    assert data["written"] is True
    assert data["check"] is None, "no rule has values for all its parameters"
    assert [change["parameter"] for change in data["by_hand"]] == ["outer"]


def test_notes_after_writing_tell_of_the_files_as_they_are(outlast: Outlast, write: Path) -> None:
    _spec(write, FIXED.format(value="5s", at="a.env#A_SEC"), a__env="A_SEC=1\n")
    assert "the spec says 5s, a.env:1 says 1s" in outlast("apply").err
    assert outlast("apply", "--write").err == ""


def test_a_value_given_on_the_command_line_does_not_stand_for_what_is_written(outlast: Outlast, write: Path) -> None:
    _spec(
        write,
        "  inner: { free: 1s..60s, step: 1s, at: a/x.env#A_SEC }\n  outer: { fixed: 10s, at: b/x.env#A_SEC }\n",
        "rules: { same: { require: inner == 9s }, in-time: { require: inner < outer, aim: 0% } }\n",
    )
    for folder in ("a", "b"):
        (write / folder).mkdir()
        (write / folder / "x.env").write_text("A_SEC=1")
    run = outlast("apply", "--write", "--set", "inner=34s")
    assert (run.code, (write / "a/x.env").read_text()) == (0, "A_SEC=9")
    assert "a/x.env\n" in run.out
    assert "b/x.env\n" in run.out


def test_a_difference_can_be_applied_as_a_patch(outlast: Outlast, write: Path) -> None:
    before = "X=1\r\nA_SEC=1\r\nY=\u2028\r\n# end"
    _spec(write, FIXED.format(value="5s", at="a.env#A_SEC"), a__env=before)
    data = json.loads(outlast("apply", "--format", "json").out)
    assert data["files"][0]["diff"] == (
        "--- a.env\n+++ a.env\n@@ -1,4 +1,4 @@\n X=1\r\n-A_SEC=1\r\n+A_SEC=5\r\n Y=\u2028\r\n # end\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize(
    ("text", "selector", "told"),
    [
        ("b: &b { timeout: 6s }\na:\n  <<: *b\n  x: 1s\n", "a.timeout", "a merged value"),
        ("b: &b { timeout: 6s }\na: *b\n", "a.timeout", "an alias"),
        ("a: { <<: { timeout: 3s } }\n", "a.timeout", "may come in through a merge, line 1"),
        ("c: &c { y: 1s }\na:\n  <<: [{ timeout: 3s }, *c]\n", "a.timeout", "may come in through a merge, line 3"),
        ("a: { timeout: { x: 5s } }\n", "a.timeout", "found several below it, the first at line 1"),
        ("a: { timeout: [5s] }\n", "a.timeout", "found several below it, the first at line 1"),
    ],
)
def test_a_key_that_is_hidden_is_not_taken_for_missing(
    outlast: Outlast, write: Path, text: str, selector: str, told: str
) -> None:
    _spec(
        write, f"  inner: {{ free: any, unset: 9s, at: a.yaml#{selector} }}\n  outer: {{ fixed: 10s }}\n", a__yaml=text
    )
    run = outlast("check")
    assert run.code == 2
    assert told in run.err


def test_however_many_values_a_merge_brings_in_none_is_taken_for_missing(outlast: Outlast, write: Path) -> None:
    shared = ["x-env: &env", *(f"  V{i}: '{i}'" for i in range(40)), "  TIMEOUT_MS: '5000'", "services:"]
    services = [f"  s{i}:\n    environment:\n      <<: *env\n      NAME: s{i}" for i in range(40)]
    for number in (0, 39):
        at = f"compose.yaml#services.s{number}.environment.TIMEOUT_MS"
        text = "\n".join([*shared, *services]) + "\n"
        _spec(write, f"  inner: {{ free: any, unset: 9s, at: {at} }}\n  outer: {{ fixed: 10s }}\n", compose__yaml=text)
        assert outlast("check").code == 2


def test_a_missing_key_beside_others_is_missing(outlast: Outlast, write: Path) -> None:
    text = "b: &b { timeout: 6s }\nc: *b\na: { timeouts: 1s, x: { timeout: 2s } }\n"
    _spec(write, "  inner: { free: any, unset: 9s, at: a.yaml#a.timeout }\n  outer: { fixed: 10s }\n", a__yaml=text)
    assert outlast("check").code == 0


# What is not believed.


def test_a_solution_that_does_not_hold_is_not_written(
    outlast: Outlast, write: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the search were wrong: the values are judged by the rules, read from the new bytes, before any is written."""
    _spec(write, "  inner: { free: 1s..60s, step: 1s, at: a.env#A_SEC }\n  outer: { fixed: 10s }\n", a__env="A_SEC=1\n")
    real = solve_spec

    def wrong(*arguments: Any, **more: Any) -> SolveOutcome:
        outcome = real(*arguments, **more)
        inner = replace(outcome.parameters["inner"], value=Fraction(20 * 10**9))
        return replace(outcome, parameters={**outcome.parameters, "inner": inner})

    monkeypatch.setattr("outlast.solver.solve.solve_spec", wrong)
    run = outlast("apply", "--write")
    assert run.code == 2
    assert "in-time" in run.err
    assert "nothing was written" in run.err
    assert (write / "a.env").read_text() == "A_SEC=1\n"


def test_a_new_text_that_means_another_value_is_not_written(
    outlast: Outlast, write: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spec(write, FIXED.format(value="5s", at="a.env#A_SEC"), a__env="A_SEC=1\n")
    monkeypatch.setattr("outlast.configs.plan.new_text", lambda *_, **__: "6")
    run = outlast("apply", "--write")
    assert run.code == 2
    assert "inner would not read as it was written" in run.err
    assert (write / "a.env").read_text() == "A_SEC=1\n"


def test_files_that_are_not_as_they_were_written_are_told(
    outlast: Outlast, write: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spec(write, FIXED.format(value="5s", at="a.env#A_SEC"), a__env="A_SEC=1\n")
    monkeypatch.setattr("outlast.applying.write_all", lambda *_, **__: None)
    run = outlast("apply", "--write")
    assert run.code == 2
    assert "inner would not read as it was written" in run.err
    assert "a.env had been written when this was found" in run.err
