"""The specs that the page of `timeline` shows are drawn as it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.running import Outlast, assert_snapshot

PAGE = Path(__file__).parents[2] / "docs/timeline.md"
#: A whole spec, and the name of the snapshot that follows it.
SHOWN = re.compile(r"```yaml\n(outlast: 1\n.*?)```\n\n<!-- output: (\S+) of outlast timeline --current -->", re.DOTALL)


@pytest.mark.parametrize("name", ["timeline-watchdog.txt", "timeline-retries.txt"])
def test_a_spec_of_the_page_is_drawn_as_its_snapshot(
    outlast: Outlast, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = {found[2]: found[1] for found in SHOWN.finditer(PAGE.read_text(encoding="utf-8"))}
    (tmp_path / "outlast.yaml").write_text(specs[name], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    run = outlast("timeline", "--current")
    assert (run.code, run.err) == (1, "")
    assert_snapshot(name, run.out)
