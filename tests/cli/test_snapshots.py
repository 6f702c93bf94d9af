"""What a person and a machine see, whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.running import LAYOUTS, Outlast, also_written, assert_snapshot, assert_snapshots


@pytest.mark.parametrize(
    ("command", "spec", "code"),
    [
        ("check", "shop", 1),
        ("check", "calm", 0),
        ("check", "hostile", 1),
        ("solve", "shop", 0),
        ("solve", "calm", 0),
        ("solve", "conflict", 1),
        ("solve", "hostile", 0),
        ("solve", "system", 1),
        ("explain", "system", 1),
        ("explain", "choices", 1),
        ("explain", "calm", 0),
        ("explain --full", "system", 1),
        ("explain --full", "choices", 1),
        ("explain --current", "calm", 0),
        ("explain --current", "choices", 1),
        ("explain --current", "hostile", 1),
    ],
)
def test_a_report_reads_as_its_snapshot_in_every_layout(
    outlast: Outlast, tmp_path: Path, command: str, spec: str, code: int
) -> None:
    run = outlast(*command.split(), f"{spec}.yaml", *also_written(tmp_path))
    assert run.code == code
    assert run.err == ""
    assert_snapshots(f"{command.replace(' --', '-').replace(' ', '-')}-{spec}", run, tmp_path)


@pytest.mark.parametrize("spec", ["system", "choices"])
def test_conflicts_and_ways_out_read_well_in_eighty_columns(
    outlast: Outlast, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run = outlast("explain", "--full", f"{spec}.yaml")
    assert (run.code, run.err) == (1, "")
    assert [line for line in run.out.splitlines() if len(line) > 80] == []
    assert_snapshot(f"explain-full-{spec}-80.txt", run.out)


@pytest.mark.parametrize(("layout", "ending"), LAYOUTS)
def test_a_measured_file_reads_as_its_snapshot(outlast: Outlast, layout: str, ending: str) -> None:
    run = outlast("measure", "rtt.txt", "--unit", "ms", "--lost", "2", "--confidence", "99%", "--format", layout)
    assert (run.code, run.err) == (0, "")
    assert_snapshot(f"measure.{ending}", run.out)


@pytest.mark.parametrize("layout", ["text", "json"])
def test_errors_are_told_in_order_with_their_number(outlast: Outlast, layout: str) -> None:
    run = outlast("check", "wrong.yaml", "--format", layout)
    assert run.code == 2
    assert_snapshot("errors.txt", run.err)
    assert_snapshot(f"errors-on-stdout.{layout}", run.out)


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("check",),
        ("solve",),
        ("apply",),
        ("generate",),
        ("explain",),
        ("settings",),
        ("measure",),
        ("why",),
        ("lint",),
        ("init",),
        ("rules",),
        ("review",),
        ("mutate",),
        ("schema",),
        ("completion",),
    ],
    ids=lambda words: "-".join(words) or "top",
)
def test_help_reads_as_its_snapshot(
    outlast: Outlast, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run = outlast(*command, "--help")
    assert (run.code, run.err) == (0, "")
    assert_snapshot("-".join(("help", *command)) + ".txt", run.out)


@pytest.mark.parametrize("columns", ["80", "130"])
@pytest.mark.parametrize("command", ["check", "solve", "explain --current --full"])
@pytest.mark.parametrize("spec", ["shop", "hostile"])
def test_text_keeps_within_the_width(
    outlast: Outlast, command: str, spec: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    run = outlast(*command.split(), f"{spec}.yaml")
    assert [line for line in run.out.splitlines() if len(line) > int(columns)] == []


@pytest.mark.parametrize("layout", ["text", "markdown", "json"])
@pytest.mark.parametrize("command", ["solve shop.yaml", "explain system.yaml"])
def test_two_runs_print_the_same_bytes(outlast: Outlast, command: str, layout: str) -> None:
    first = outlast(*command.split(), "--format", layout)
    assert outlast(*command.split(), "--format", layout) == first
