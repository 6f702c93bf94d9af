"""How a report uses the width, and how it tells places and what would mend a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.running import SPECS, Outlast
from outlast.reports.document import Table, code, text, whole
from outlast.reports.text import plain

SHARED = """\
outlast: 1
parameters:
  deadline: { fixed: 10s }
  send: { free: 1s..60s, step: 1s, current: 20s }
  wait: { free: 1s..60s, step: 1s, current: 30s }
rules:
  in-time: { require: send + wait < deadline }
"""


@pytest.mark.parametrize("columns", ["40", "60", "80"])
def test_no_number_and_no_range_is_torn_apart(outlast: Outlast, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = outlast("solve", "shop.yaml").out
    for words in ("(4s, about 8.991s]", "[1s, 60s)", "0s = off", "about -47.3 %", "about 1990 %", "94.1 %"):
        assert words in out


def test_a_whole_piece_takes_the_room_that_it_needs_from_the_texts_beside_it() -> None:
    table = Table(("a", "b"), ((text(whole(code("[1s, 2s)"))), text("one two three")),))
    assert plain((table,), 16) == "a         b\n[1s, 2s)  one\n          two\n          three\n"


@pytest.mark.parametrize(("columns", "has_places"), [("60", False), ("100", True)])
def test_the_places_of_a_table_are_left_out_where_there_is_no_room(
    outlast: Outlast, columns: str, has_places: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = outlast("solve", "shop.yaml").out.splitlines()
    (row,) = [line for line in lines if line.startswith("  pool-closes-first")]
    assert row.endswith("shop.yaml:34" if has_places else "100 %")


def test_a_spec_in_one_file_is_told_by_its_name_wherever_it_lies(
    outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SPECS.parent)
    out = outlast("check", "specs/shop.yaml", "--set", "ping.send=7s").out
    assert "spec specs/shop.yaml" in out
    assert "(shop.yaml:21)" in out
    assert "--set, number 1, current" in out
    assert out.count("specs/") == 1


def test_the_places_of_a_spec_in_two_files_are_told_from_its_folder(
    outlast: Outlast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "base.yaml").write_text(SHARED)
    (folder / "outlast.yaml").write_text("outlast: 1\nextends: base.yaml\nparameters:\n  wait: { current: 40s }\n")
    monkeypatch.chdir(tmp_path)
    out = outlast("check", "specs").out
    assert " base.yaml:4, current" in out
    assert " outlast.yaml:4, current" in out


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (("", ""), "not by any value of send or wait alone; try outlast solve"),
        (("wait: { free", "wait: { fixed: 2s } # {"), None),
        (("deadline: { fixed", "deadline: { fact"), "not by any value of send or wait alone; try outlast solve"),
        (("1s..60s, step: 1s, current: 30s", "1s..60s, step: 1s, current: 3s"), None),
    ],
)
def test_it_is_said_where_no_free_parameter_alone_mends_a_rule(
    outlast: Outlast, tmp_path: Path, changed: tuple[str, str], told: str | None
) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text(SHARED.replace(*changed))
    out = outlast("check", spec).out
    assert ("mended by  deadline >" in out) == ("fact" not in changed[1])
    assert [" ".join(line.split()) for line in out.splitlines() if "not by" in line] == ([told] if told else [])
