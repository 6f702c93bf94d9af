"""The pages show what the commands print today."""

from __future__ import annotations

from pathlib import Path

import pytest
from update_outputs import ROOT, PageError, pages, rewrite, run

PAGE = "before\n\n<!-- output: outlast one -->\n```console\nold\nolder\n```\n\nafter\n"


def with_marker() -> list[Path]:
    return [page for page in pages() if "<!-- output: " in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", with_marker(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_what_its_commands_print_today(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert rewrite(text, lambda command: run(command, page.parent)) == text


def test_every_example_shows_the_outputs_of_check_before_and_after_and_of_solve() -> None:
    for page in ROOT.glob("examples/*/README.md"):
        text = page.read_text(encoding="utf-8")
        for command in ("outlast check before.yaml", "outlast check after.yaml", "outlast solve outlast.yaml"):
            assert f"<!-- output: {command} -->" in text, (page, command)


def test_a_block_is_replaced_and_the_rest_of_the_page_kept() -> None:
    assert rewrite(PAGE, lambda command: f"$ {command}\nnew") == PAGE.replace("old\nolder", "$ outlast one\nnew")


def test_each_marker_gets_the_output_of_its_own_command() -> None:
    two = PAGE + PAGE.replace("one", "two")
    assert rewrite(two, lambda command: command) == two.replace("old\nolder", "outlast one", 1).replace(
        "old\nolder", "outlast two", 1
    )


def test_a_page_that_is_up_to_date_stays_byte_for_byte() -> None:
    assert rewrite(PAGE, lambda _: "old\nolder") == PAGE


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("<!-- output: outlast one -->\n\n```\n```\n", "expected a fenced block below the marker in line 1"),
        ("<!-- output: outlast one -->", "expected a fenced block below the marker in line 1"),
        ("<!-- output: outlast one -->\n```\nopen\n", "expected an end of the fenced block that starts in line 2"),
    ],
)
def test_a_marker_without_a_whole_block_is_an_error(page: str, message: str) -> None:
    with pytest.raises(PageError, match=message):
        rewrite(page, lambda command: command)


def test_an_output_that_would_end_its_block_is_an_error() -> None:
    with pytest.raises(PageError, match="would end its block"):
        rewrite(PAGE, lambda _: "```\n# not a block any more")


def test_only_commands_of_outlast_are_run(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="expected a command of outlast"):
        run("touch made", tmp_path)
    assert not (tmp_path / "made").exists()
