"""Ignored findings on the command line: exit codes, every report, lint and bound files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import Outlast

WEB = (Path(__file__).parents[2] / "examples/web-on-kubernetes/files/web.yaml").read_text()
POOL, STOP = "http/pool-closes-first", "stop/grace-covers-shutdown"

SPEC = """outlast: 1
parameters:
  deadline: { fixed: 10s }
  ping: { free: any, step: 1ms, at: app.toml#ping }
rules:
  in-time: { require: ping < deadline }
"""


def commented(line: str, comment: str) -> str:
    assert WEB.count(line) == 1
    return WEB.replace(line, f"{line}  # outlast: {comment}")


@pytest.fixture
def here(outlast: Outlast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lint(outlast: Outlast, here: Path, text: str, *more: str) -> tuple[int, list[tuple[str, str]], list[str]]:
    """The code, what counts and what is ignored."""
    (here / "web.yaml").write_text(text)
    run = outlast("lint", "--format", "json", *more)
    data = json.loads(run.out)
    found = [(each["rule"].partition("@")[0], each["kind"]) for each in data["findings"]]
    return run.code, found, [each["rule"].partition("@")[0] for each in data["ignored"]]


def test_lint_fails_no_more_once_all_is_ignored_at_any_of_its_places(outlast: Outlast, here: Path) -> None:
    both = [(POOL, "broken rule"), (STOP, "broken rule")]
    (here / "outlast.yaml").write_text(SPEC + "# outlast: ignore[in-time]\n")
    assert lint(outlast, here, WEB) == (1, both, [])
    text = commented("- --keep-alive=75", f"ignore[{POOL}] why")
    assert lint(outlast, here, text) == (1, both[1:], [POOL])
    text = text.replace(
        "      terminationGrace", f"      # outlast: ignore[{STOP} until 2027-01-31] why\n      terminationGrace"
    )
    assert lint(outlast, here, text, "--today", "2027-01-31") == (0, [], [POOL, STOP])
    expired = (1, [both[1], (STOP, "ignoring has expired")], [POOL])
    assert lint(outlast, here, text, "--today", "2027-02-01") == expired


@pytest.mark.parametrize(
    ("line", "comment", "remark"),
    [
        ("- --graceful-timeout=25", f"ignore[{POOL}] why", (POOL, "ignored in vain")),
        ("- --keep-alive=75", "ignore[http/pool-closes-frst] why", ("http/pool-closes-frst", "ignored in vain")),
        ("- --keep-alive=75", "ignore[no-flood] of a spec", None),
        ("- --keep-alive=75", "ignore[postgres/idle-limit-before-transaction-limit] of the database", None),
        ("- --keep-alive=75", f"ignore[{POOL}]", ("outlast: ignore", "not understood as an ignore comment")),
        ("terminationGracePeriodSeconds: 30", f"ignore[{POOL}, {STOP}] why", (POOL, "ignored in vain")),
    ],
)
def test_lint_tells_comments_that_miss_but_not_those_about_what_it_does_not_look_at(
    outlast: Outlast, here: Path, line: str, comment: str, remark: tuple[str, str] | None
) -> None:
    code, found, _ = lint(outlast, here, commented(line, comment))
    assert code == 1
    assert (POOL, "broken rule") in found
    assert [each for each in found if each[1] != "broken rule"] == ([] if remark is None else [remark])


def test_a_comment_in_a_bound_file_counts_for_check(outlast: Outlast, here: Path) -> None:
    (here / "outlast.yaml").write_text(SPEC)
    (here / "app.toml").write_text(
        '# outlast: ignore[in-time] until the move\nping = "20s"\npong = "# outlast: ignore"\n'
    )
    run = outlast("check")
    assert run.code == 0, run.out
    assert run.out.splitlines()[0] == "0 of 1 rule holds, 1 that is broken does not count; 1 finding is ignored"
    assert "in-time (outlast.yaml:6)  until the move (app.toml:1)" in run.out
    (here / "app.toml").write_text('ping = "9s" # outlast: ignore[in-time] until the move\n')
    run = outlast("check")
    assert (run.code, "in-time: ignored in vain (app.toml:1)" in run.out) == (1, True)
    assert outlast("check", "--fail-on", "error").code == 0


def test_every_report_says_who_has_set_a_finding_aside(outlast: Outlast, here: Path) -> None:
    (here / "outlast.yaml").write_text(SPEC + "ignore: { in-time: { why: 'a | b', until: 2030-01-01, owner: web } }\n")
    (here / "app.toml").write_text('ping = "20s"\n')
    data = json.loads(outlast("check", "-f", "json", "--today", "2026-12-01").out)
    (ignored,) = data["ignored"]
    assert (data["status"], data["findings"]) == ("holds", [])
    assert (ignored["rule"], ignored["kind"]) == ("in-time", "broken rule")
    by = {"ids": ["in-time"], "why": "a | b", "until": "2030-01-01", "owner": "web"}
    assert {key: ignored["ignored_by"][key] for key in by} == by
    assert ignored["ignored_by"]["place"]["line"] == 7
    (result,) = json.loads(outlast("check", "-f", "sarif", "--today", "2026-12-01").out)["runs"][0]["results"]
    (suppression,) = result["suppressions"]
    assert (suppression["kind"], suppression["justification"]) == ("inSource", "a | b, until 2030-01-01")
    assert "a \\| b, until 2030-01-01, says web" in outlast("check", "-f", "markdown", "--today", "2026-12-01").out
    for layout in ("github", "gitlab"):
        assert "in-time" not in outlast("check", "-f", layout, "--today", "2026-12-01").out


def test_lint_tells_remarks_in_every_format(outlast: Outlast, here: Path) -> None:
    (here / "web.yaml").write_text(commented("- --keep-alive=75", "ignore[x]"))
    for layout in ("text", "markdown", "junit", "github", "gitlab", "sarif"):
        assert "expected the reason behind the brackets" in outlast("lint", "-f", layout).out, layout


def test_a_wrong_today_is_said(outlast: Outlast) -> None:
    run = outlast("check", "calm.yaml", "--today", "tomorrow")
    assert (run.code, "expected a date" in run.err) == (2, True)
