"""Reports in formats that other tools read, on stdout and in files, several at once."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

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
