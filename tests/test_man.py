"""The manual page says what the command line says, and typesetters have nothing to complain of."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from update_man import ROOT, is_stale, page, roff

PAGE = ROOT / "docs/man/outlast.1"


def test_the_manual_page_is_up_to_date() -> None:
    assert not is_stale(), "python docs/update_man.py makes it anew"


@pytest.mark.parametrize(
    "command", [["mandoc", "-Tlint"], ["groff", "-man", "-ww", "-Tutf8", "-z"]], ids=lambda command: command[0]
)
def test_typesetters_take_the_page(command: list[str], tmp_path: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    file = tmp_path / "outlast.1"
    file.write_text(page(), encoding="utf-8")
    run = subprocess.run([*command, file], capture_output=True, text=True, timeout=60, check=False)
    assert (run.stdout, run.stderr) == ("", "")


def test_no_text_is_taken_for_a_command_of_the_typesetter() -> None:
    assert roff(".so /etc/passwd") == "\\&.so /etc/passwd"
    assert roff("'a \\fB --é") == "\\(aqa \\efB \\-\\-\\[u00E9]"
    assert "\\fB\\-\\-fail\\-on\\fR \\fI[error|\\:warning|\\:advice]\\fR\n" in page()
