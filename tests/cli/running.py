"""Runs the command line in this process and compares what it says with the files in snapshots/."""

from __future__ import annotations

import difflib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from outlast.cli import main

HERE = Path(__file__).parent
SPECS = HERE / "specs"
SNAPSHOTS = HERE / "snapshots"
#: Those that every report has, with what their snapshots end in.
LAYOUTS = [("text", "txt"), ("markdown", "md"), ("json", "json")]


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str


class Outlast:
    """`outlast(...)` as a user in the folder of the specs would call it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        monkeypatch.chdir(SPECS)
        for name in ("COLUMNS", "NO_COLOR", "TERM", "FORCE_COLOR", "OUTLAST_DEBUG"):
            monkeypatch.delenv(name, raising=False)

    def __call__(self, *arguments: str | Path) -> Run:
        self._monkeypatch.setattr(sys, "argv", ["outlast", *map(str, arguments)])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        out, err = self._capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Run(end.value.code, out, err)


def also_written(folder: Path) -> list[str]:
    """The options for text on standard output, and every other layout beside each other in files."""
    return [f"--output={layout}={folder / f'written.{ending}'}" for layout, ending in LAYOUTS if layout != "text"]


def assert_snapshots(name: str, run: Run, folder: Path) -> None:
    """Compare every layout, of what was written so; that each says the same alone is a test of its own."""
    assert_snapshot(f"{name}.txt", run.out)
    for layout, ending in LAYOUTS:
        if layout != "text":
            assert_snapshot(f"{name}.{ending}", (folder / f"written.{ending}").read_text(encoding="utf-8"))


def assert_snapshot(name: str, found: str) -> None:
    """Compare byte for byte; OUTLAST_UPDATE_SNAPSHOTS=1 rewrites the file instead."""
    path = SNAPSHOTS / name
    if os.environ.get("OUTLAST_UPDATE_SNAPSHOTS"):
        path.write_bytes(found.encode())
        return
    expected = path.read_bytes().decode() if path.exists() else ""
    if found != expected:
        difference = difflib.unified_diff(expected.splitlines(), found.splitlines(), name, "found", lineterm="")
        pytest.fail("\n".join(difference) or "only line ends differ", pytrace=False)
