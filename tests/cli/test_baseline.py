"""Findings of before: kept apart by rule, file and value, and what is wrong with the file that has them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cli.running import Outlast

WEB = (Path(__file__).parents[2] / "examples/web-on-kubernetes/files/web.yaml").read_text()
SPEC = """outlast: 1
parameters:
  deadline: { fixed: 10s }
  ping: { free: 1s.., step: 1s, current: 20s }
  pong: { free: 1s.., step: 1s, current: 1500ms }
rules:
  in-time: { require: ping < deadline }
  above: { require: ping < deadline / 2 }
  short: { require: pong < 1h }
"""


@pytest.fixture
def here(outlast: Outlast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outlast.yaml").write_text(SPEC)
    return tmp_path


def new(outlast: Outlast, *arguments: str) -> list[str]:
    """What counts, by subject."""
    return [
        each.get("rule") or each["parameter"] for each in json.loads(outlast(*arguments, "-f", "json").out)["findings"]
    ]


def test_what_was_there_does_not_count_whatever_its_line(outlast: Outlast, here: Path) -> None:
    run = outlast("check", "--write-baseline", "known.json")
    assert (run.code, "known.json: note: 3 findings written as the baseline" in run.err) == (0, True)
    first = (here / "known.json").read_bytes()
    (here / "outlast.yaml").write_text("# one\n# two\n" + SPEC.replace("title", "x"))
    run = outlast("check", "--baseline", "known.json")
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines()[0].endswith("3 findings are known since the baseline")
    assert outlast("check", "--write-baseline", "known.json").code == 0
    assert (here / "known.json").read_bytes() == first


@pytest.mark.parametrize(
    ("old", "changed", "expected", "mended"),
    [
        ("20s", "21s", ["above", "in-time"], 2),
        ("10s", "12s", ["above", "in-time"], 2),
        ("deadline / 2", "deadline / 3", ["above"], 1),
        ("1500ms", "2500ms", ["pong"], 1),
        ("in-time", "in-good-time", ["in-good-time"], 1),
        ("1500ms", "2s", [], 1),
    ],
)
def test_another_value_or_rule_is_new_and_the_old_one_mended(
    outlast: Outlast, here: Path, old: str, changed: str, expected: list[str], mended: int
) -> None:
    outlast("check", "--write-baseline", "known.json")
    (here / "outlast.yaml").write_text(SPEC.replace(old, changed))
    assert new(outlast, "check", "--baseline", "known.json") == expected
    run = outlast("check", "--baseline", "known.json")
    assert run.code == (1 if expected else 0)
    verb = "entry of the baseline no longer occurs" if mended == 1 else "entries of the baseline no longer occur"
    assert run.err == f"known.json: note: {mended} {verb}; --write-baseline updates it\n"


def test_a_value_in_a_file_that_differs_is_known_by_what_stands_there(outlast: Outlast, here: Path) -> None:
    (here / "outlast.yaml").write_text(SPEC.replace("current: 20s", "current: 2s, at: a.toml#ping"))
    (here / "a.toml").write_text('ping = "3s"\n')
    outlast("check", "--write-baseline", "known.json")
    (here / "a.toml").write_text('\nping = "3s"\n')
    assert new(outlast, "check", "--baseline", "known.json") == []
    (here / "a.toml").write_text('\nping = "4s"\n')
    assert new(outlast, "check", "--baseline", "known.json") == ["ping"]


def test_it_holds_from_wherever_outlast_is_started(
    outlast: Outlast, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "ci").mkdir()
    outlast("check", "--write-baseline", "ci/known.json")
    assert '"../outlast.yaml"' in (here / "ci/known.json").read_text()
    monkeypatch.chdir(here / "ci")
    assert new(outlast, "check", "..", "--baseline", "known.json") == []
    shutil.copytree(here, moved := here.parent / "moved")
    monkeypatch.chdir(moved)
    assert new(outlast, "check", str(moved), "--baseline", "ci/known.json") == []
    (moved / "outlast.yaml").rename(moved / "other.yaml")
    assert len(new(outlast, "check", "other.yaml", "--baseline", "ci/known.json")) == 3


def test_lint_knows_findings_whatever_it_calls_the_components(outlast: Outlast, here: Path) -> None:
    (here / "outlast.yaml").unlink()
    (here / "web.yaml").write_text(WEB + "# outlast: ignore[x]\n")
    assert outlast("lint", "--write-baseline", "known.json").code == 0
    renamed = (
        "# more\n" + WEB.replace("metadata:\n  name: web\n", "metadata:\n  name: shop\n") + "# outlast: ignore[x]\n"
    )
    (here / "web.yaml").write_text(renamed)
    run = outlast("lint", "--baseline", "known.json")
    assert (run.code, run.err) == (0, "")
    assert "3 findings are known since the" in run.out.splitlines()[0]
    (here / "web.yaml").write_text(renamed.replace("timeout_seconds=120", "timeout_seconds=121"))
    assert new(outlast, "lint", "--baseline", "known.json") == ["http/pool-closes-first@shop:web"]


def test_the_verdict_tells_broken_rules_that_do_not_count(outlast: Outlast, here: Path) -> None:
    outlast("check", "--write-baseline", "known.json")
    words = "1 of 3 rules holds, 2 that are broken do not count; 3 findings are known since the baseline"
    assert outlast("check", "--baseline", "known.json").out.partition("\n\n")[0].replace("\n", " ") == words
    (here / "outlast.yaml").write_text(SPEC.replace("in-time", "in-good-time"))
    words = "1 of 3 rules is broken besides 1 that does not count; 2 findings are known since the baseline"
    assert outlast("check", "--baseline", "known.json").out.partition("\n\n")[0].replace("\n", " ") == words


POD = """apiVersion: apps/v1
kind: Deployment
metadata: { name: %s }
spec:
  template:
    spec:
      containers:
      - name: app
        command: ["gunicorn", "app:app", "--graceful-timeout=25"]
        lifecycle: { preStop: { exec: { command: [sh, -c, sleep %d] } } }
"""
WRITTEN = "    spec:\n      terminationGracePeriodSeconds: 30\n      containers"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (POD % ("ok", 1) + "---\n" + POD % ("web", 20), 0),
        (POD % ("web", 20) + "---\n" + POD % ("ok", 1), 0),
        ("# moved\n" + POD % ("shop", 20), 0),
        ((POD % ("web", 20)).replace("    spec:\n      containers", WRITTEN), 0),  # the default, written down
        (POD % ("web", 25), 1),
        ((POD % ("web", 20)).replace("    spec:\n      containers", WRITTEN.replace("30", "31")), 1),
        (POD % ("web", 20) + "---\n" + POD % ("two", 20), 1),
    ],
)
def test_lint_knows_a_finding_by_its_values_whatever_else_the_file_has(
    outlast: Outlast, here: Path, text: str, count: int
) -> None:
    (here / "outlast.yaml").unlink()
    (here / "web.yaml").write_text(POD % ("web", 20))
    outlast("lint", "--write-baseline", "known.json")
    (found,) = json.loads((here / "known.json").read_text())["findings"]
    assert found["files"] == ["web.yaml"]
    assert found["values"] == {
        "web.yaml gunicorn.graceful_timeout": "25s",
        "web.yaml k8s.pod.grace": "30s",
        "web.yaml k8s.pod.prestop_sleep": "off",
        "web.yaml k8s.pod.prestop_time": "20s",
        "smaller side": "45s",
        "larger side": "30s",
    }
    (here / "web.yaml").write_text(text)
    assert len(new(outlast, "lint", "--baseline", "known.json")) == count


def test_a_second_finding_of_the_same_kind_is_new(outlast: Outlast, here: Path) -> None:
    remark = "# outlast: ignore[in-time]\n"
    (here / "outlast.yaml").write_text(SPEC + remark)
    outlast("check", "--write-baseline", "known.json")
    (here / "outlast.yaml").write_text(SPEC + remark + remark)
    assert new(outlast, "check", "--baseline", "known.json") == ["outlast: ignore"]


def test_both_options_keep_what_is_known_and_drop_what_is_mended(outlast: Outlast, here: Path) -> None:
    outlast("check", "--write-baseline", "known.json")
    (here / "outlast.yaml").write_text(SPEC.replace("1500ms", "2s").replace("  above", "  after"))
    run = outlast("check", "--baseline", "known.json", "--write-baseline", "known.json")
    assert run.code == 0
    found = json.loads((here / "known.json").read_text())["findings"]
    assert [each["subject"] for each in found] == ["after", "in-time"]


def test_what_is_ignored_is_not_written(outlast: Outlast, here: Path) -> None:
    (here / "outlast.yaml").write_text(SPEC + "ignore: { in-time: why }\n")
    outlast("check", "--write-baseline", "known.json")
    found = json.loads((here / "known.json").read_text())["findings"]
    assert [each["subject"] for each in found] == ["above", "pong"]


ENTRY = '{"rule": "a", "kind": "b", "subject": "c", "files": ["d"], "values": {"e": "f"}}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "1:1: expected a baseline in JSON, found it malformed"),
        ('{"version": 1,\n "findings": [}', "2:15: expected a baseline in JSON, found it malformed"),
        ("[" * 100_000, "1:1: expected a baseline in JSON, found it nested too deeply"),
        ('{"findings": []}', "1:1: expected an object with 'version' and 'findings'"),
        ('{"version": 1, "version": 1, "findings": []}', "1:1: expected each key once, found 'version' twice"),
        ('{\n"version": 2, "findings": []}', "2:12: expected version 1, the only one so far"),
        ('{"version": "1.0", "findings": []}', "1:13: expected version 1, the only one so far"),
        ('{"version": 1, "findings": {}}', "1:28: expected a list of findings"),
        (f'{{"version": 1, "findings": [{ENTRY},\n{{}}]}}', "2:1: expected an object with rule, kind"),
        (f'{{"version": 1, "findings": [\n {ENTRY.replace("[", "").replace("]", "")}]}}', "2:2: expected a list of texts as 'files'"),
        (f'{{"version": 1, "findings": [{ENTRY.replace(chr(34) + "f" + chr(34), "1e999")}, 1]}}', "1:113: expected an object with rule"),
        ("\x00\x1b[31m", "1:1: expected a baseline in JSON"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_baseline_is_refused_at_its_place(outlast: Outlast, here: Path, text: str, told: str) -> None:
    (here / "known.json").write_text(text)
    run = outlast("check", "--baseline", "known.json")
    assert run.code == 2
    assert run.err.startswith(f"known.json:{told}")
    assert "\x1b" not in run.err


def test_only_a_baseline_is_overwritten(outlast: Outlast, here: Path) -> None:
    (here / "notes.txt").write_text("notes")
    for name in ("notes.txt", "outlast.yaml", ".", "nowhere/known.json"):
        assert outlast("check", "--write-baseline", name).code == 2, name
    assert (here / "notes.txt").read_text() == "notes"
    assert (here / "outlast.yaml").read_text() == SPEC
    assert outlast("check", "--baseline", "missing.json").code == 2
