"""One parameter in several places whose bare numbers count in different units, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.running import Outlast

RULE = "rules: { in-time: { require: inner < outer, aim: 0% } }\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outlast: Outlast) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _spec(folder: Path, outer: str) -> None:
    (folder / "outlast.yaml").write_text(f"outlast: 1\nparameters:\n  inner: {{ fixed: 1s }}\n  outer: {outer}\n{RULE}")


def test_each_place_is_read_and_written_in_its_own_unit(outlast: Outlast, write: Path) -> None:
    _spec(
        write, "{ fixed: 9s, unit: s, at: [web.ts#upstreamTimeoutMs, web.ts#retryDelay, settings.py#UPSTREAM_TIMEOUT] }"
    )
    (write / "web.ts").write_text("export const upstreamTimeoutMs = 7 * 1000;\nexport const retryDelay = 7_000;\n")
    (write / "settings.py").write_text("UPSTREAM_TIMEOUT = 7\n")
    run = outlast("apply", "--write")
    assert (run.code, run.err) == (0, "")
    assert run.out.count("7s -> 9s") == 3
    assert (
        write / "web.ts"
    ).read_text() == "export const upstreamTimeoutMs = 9 * 1000;\nexport const retryDelay = 9000;\n"
    assert (write / "settings.py").read_text() == "UPSTREAM_TIMEOUT = 9\n"


def test_a_single_place_takes_the_unit_before_a_convention_and_refuses_it_before_a_key(
    outlast: Outlast, write: Path
) -> None:
    (write / "web.ts").write_text("export const upstreamTimeoutMs = 7 * 1000;\nexport const retryDelay = 7;\n")
    _spec(write, "{ fixed: 9s, unit: s, at: web.ts#retryDelay }")
    assert "7s -> 9s" in outlast("apply").out
    _spec(write, "{ fixed: 9s, unit: s, at: web.ts#upstreamTimeoutMs }")
    run = outlast("apply")
    assert run.code == 2
    assert "the spec says unit: s, but its key upstreamTimeoutMs tells that a bare number means milliseconds" in run.err
