"""Reports in formats that other tools read, on stdout and in files, several at once."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.repository import Repository
from cli.running import Outlast, assert_snapshot
from outlast import __version__

FORMATS = ("text", "json", "markdown", "sarif", "junit", "github", "gitlab")


@pytest.mark.parametrize("layout", ["sarif", "junit", "github", "gitlab"])
@pytest.mark.parametrize("command", ["check shop", "solve conflict"])
def test_a_format_reads_as_its_snapshot(outlast: Outlast, command: str, layout: str) -> None:
    run = outlast(*f"{command}.yaml".split(), "--format", layout)
    assert (run.code, run.err) == (1, "")
    assert_snapshot(f"{command.replace(' ', '-')}.{layout}", run.out.replace(f'"{__version__}"', '"VERSION"'))


@pytest.mark.parametrize(
    ("command", "formats", "code"),
    [
        ("check shop.yaml", FORMATS, 1),
        ("check --fail-on advice calm.yaml", ("text", "github"), 0),
        ("solve calm.yaml", ("text", "junit"), 0),
        ("explain conflict.yaml", ("text", "gitlab"), 1),
        ("lint web", ("text", "sarif"), 1),
    ],
)
def test_all_formats_at_once_say_what_each_says_alone_with_the_same_exit_code(
    outlast: Outlast, tmp_path: Path, command: str, formats: tuple[str, ...], code: int
) -> None:
    outputs = [word for each in formats for word in ("--output", f"{each}={tmp_path / each}")]
    run = outlast(*command.split(), *outputs)
    assert run.code == code
    assert run.out == (tmp_path / "text").read_text()
    for each in formats[1:]:
        alone = outlast(*command.split(), "--format", each)
        assert alone.code == run.code
        assert alone.out == (tmp_path / each).read_text()


def test_unusable_input_is_told_in_every_file(outlast: Outlast, tmp_path: Path) -> None:
    outputs = [word for each in FORMATS for word in ("--output", f"{each}={tmp_path / each}")]
    run = outlast("check", "wrong.yaml", "--format", "junit", *outputs)
    assert run.code == 2
    assert ElementTree.fromstring(run.out).get("errors") == "1"
    assert run.out == (tmp_path / "junit").read_text()
    assert json.loads((tmp_path / "sarif").read_text())["runs"][0]["invocations"][0]["executionSuccessful"] is False
    assert {issue["severity"] for issue in json.loads((tmp_path / "gitlab").read_text())} == {"blocker"}
    assert (tmp_path / "github").read_text().startswith("::error file=wrong.yaml,line=3,")
    assert (tmp_path / "markdown").read_text().startswith("**3 errors; nothing was computed**\n")
    assert (tmp_path / "text").read_text().startswith("3 errors; nothing was computed\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x"], "expected FORMAT=FILE with a format of text, json,"),
        (["html=a"], "found 'html=a'"),
        (["sarif="], "found 'sarif='"),
        (["sarif=-"], "stdout gets what --format says"),
        (["text=shop.yaml"], "which names what outlast reads"),
        (["sarif=a.out", "json=./a.out"], "expected a file for each format, found 'sarif=a.out' and 'json=./a.out'"),
    ],
)
def test_an_output_that_makes_no_sense_is_wrong_usage(
    outlast: Outlast, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = outlast("check", "shop.yaml", *(each for word in words for each in ("--output", word)))
    assert (run.code, run.out) == (2, "")
    assert message in " ".join(run.err.split())


def test_a_file_that_cannot_be_written_keeps_no_other_from_being_so(outlast: Outlast, tmp_path: Path) -> None:
    (tmp_path / "here").write_text("an older report")
    run = outlast(
        "check", "calm.yaml", "--output", f"sarif={tmp_path / 'no/where'}", "--output", f"json={tmp_path / 'here'}"
    )
    assert run.code == 2
    assert run.err == f"outlast: cannot write {tmp_path / 'no/where'}: no such file or directory\n"
    assert run.out == outlast("check", "calm.yaml").out
    assert json.loads((tmp_path / "here").read_text())["version"] == 1


def test_a_report_is_not_written_over_what_the_spec_needs(outlast: Outlast, tmp_path: Path) -> None:
    for name in ("shop.yaml", "rtt.txt"):
        (tmp_path / name).write_bytes(Path(name).read_bytes())
    before = (tmp_path / "rtt.txt").read_bytes()
    run = outlast("check", tmp_path / "shop.yaml", "--output", f"text={tmp_path / 'rtt.txt'}")
    assert run.code == 2
    assert "expected another file to write" in run.err
    assert (tmp_path / "rtt.txt").read_bytes() == before


SPEC = "outlast: 1\nparameters: { a: { fixed: 3s, at: 'svc/lb.tf#x.y:idle', unit: s }, b: { fixed: 2s } }\nrules: { r: { require: b < a } }\n"
LB = 'resource "x" "y" {\n  idle = 3\n}\n'


@pytest.fixture
def project(tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "svc").mkdir()
    for name, text in {"outlast.yaml": SPEC, "o.spec": SPEC, "svc/lb.tf": LB, "main.go": "package main\n"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "soft").symlink_to("svc/lb.tf")
    (tmp_path / "hard").hardlink_to(tmp_path / "svc/lb.tf")
    (tmp_path / "hard spec").hardlink_to(tmp_path / "o.spec")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("check o.spec", "svc/lb.tf"),
        ("check o.spec", "soft"),
        ("check o.spec", "hard"),
        ("check o.spec", "hard spec"),
        ("check o.spec", ".git/x"),
        ("mutate o.spec", "o.spec"),
        ("lint .", "main.go"),
        ("lint svc/lb.tf", "hard"),
        ("lint soft", "none/../hard"),
        ("lint .", ".git/x"),
        ("review --stale 1", "svc/lb.tf"),
        ("check none.yaml", "svc/lb.tf"),
    ],
)
def test_no_report_is_written_over_what_was_read_nor_is_any_other(
    outlast: Outlast, project: Path, command: str, target: str
) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    run = outlast(*command.split(), "--output", "json=first", "--output", f"sarif={target}")
    assert run.code == 2
    assert f"outlast: expected a{'' if '.git' in target else 'nother'} file" in run.err
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_a_file_of_a_revision_is_one_that_was_read(
    outlast: Outlast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path / "demo", {"o.spec": SPEC, "svc/lb.tf": LB})
    monkeypatch.chdir(repository.top)
    repository.change("svc/lb.tf", "= 3", "= 1")
    repository.commit("Lower it")
    run = outlast("review", "o.spec", "--base", "HEAD~1", "--head", "HEAD", "--output", "text=o.spec")
    assert (run.code, "expected another file to write than o.spec, which was read" in run.err) == (2, True)
    assert (repository.top / "o.spec").read_text() == SPEC


def test_an_older_report_among_what_is_looked_at_is_replaced(outlast: Outlast, project: Path) -> None:
    outputs = [word for each in ("sarif", "gitlab", "json") for word in ("--output", f"{each}={each}.json")]
    for command in ("lint .", "check o.spec", "lint .", "check wrong.spec"):
        run = outlast(*command.split(), "--output", "text=out.txt", "--output", "junit=out.xml", *outputs)
        assert "expected another file" not in run.err
    assert json.loads((project / "json.json").read_text())["status"] == "error"
    (project / "json.json").write_text('{"version": 1, "tools": {}}')
    assert outlast("check", "o.spec", "--output", "json=json.json").code == 2


def test_a_baseline_that_was_read_may_be_written_again_but_gets_no_report(outlast: Outlast, project: Path) -> None:
    assert outlast("check", "o.spec", "--write-baseline", "known.json").code == 0
    before = (project / "known.json").read_bytes()
    assert outlast("check", "o.spec", "--baseline", "known.json", "--write-baseline", "known.json").code == 0
    for option in ("--baseline", "--write-baseline"):
        assert outlast("check", "o.spec", option, "known.json", "--output", "json=./known.json").code == 2
    assert outlast("lint", "--write-baseline", ".git/x").code == 2
    assert outlast("generate", "o.spec", "--as", "env", "--force", "-o", "hard spec").code == 2
    assert outlast("init", "svc", "-o", ".git/x").code == outlast("schema", "-o", ".git/x").code == 2
    assert (project / "known.json").read_bytes() == before
    assert list((project / ".git").iterdir()) == []
