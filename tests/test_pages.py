"""The pages show what the commands print today."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from update_catalogue import loaded, stale
from update_catalogue import pages as catalogue_pages
from update_outputs import ROOT, PageError, pages, rewrite, run
from update_pictures import Wanted, draw, wanted

from outlast.api import check, solve
from outlast.cli import main
from outlast.constraints.measurements import samples_needed
from outlast.solver.outcome import Status


def test_the_readme_counts_the_cases_as_their_page_does() -> None:
    page = (ROOT / "docs/cases.md").read_text(encoding="utf-8")
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    cases, judged = re.findall(r"- (\d+) cases\. (\d+) are judged by relations of the catalogue alone", page)[0]
    assert (
        f"[{cases} public bug reports](docs/cases.md) are held against the catalogue: it alone judges {judged} of them"
        in readme
    )


def test_what_is_made_of_the_catalogue_is_up_to_date() -> None:
    assert stale(loaded()) == []
    assert stale(catalogue_pages()) == []


PAGE = "before\n\n<!-- output: outlast one -->\n```console\nold\nolder\n```\n\nafter\n"


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands of pages are called, not started, in the folder and environment that they would be started in."""

    def called(
        words: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str] | None = None, **_: object
    ) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as here:
            here.chdir(cwd)
            for name, value in (env or {}).items():
                here.setenv(name, value)
            for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
                here.delenv(name, raising=False)
            here.setattr(sys, "argv", ["outlast", *map(str, words[1:])])
            capsys.readouterr()
            with pytest.raises(SystemExit) as end:
                main()
        assert isinstance(end.value.code, int)
        return subprocess.CompletedProcess(words, end.value.code, *capsys.readouterr())

    for module in ("update_outputs", "update_pictures"):
        monkeypatch.setattr(f"{module}.subprocess", SimpleNamespace(run=called))


def with_marker() -> list[Path]:
    return [page for page in pages() if "<!-- output: " in page.read_text(encoding="utf-8")]


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("page", with_marker(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_what_its_commands_print_today(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert rewrite(text, lambda command: run(command, page.parent)) == text


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("picture", [w for page in pages() for w in wanted(page)], ids=lambda w: w.file.name)
def test_a_picture_of_a_page_is_what_its_command_draws_today(picture: Wanted) -> None:
    assert picture.file.read_text(encoding="utf-8") == draw(picture)


def test_the_readme_and_every_example_show_pictures() -> None:
    shown = {picture.page for page in pages() for picture in wanted(page)}
    assert {ROOT / "README.md", *ROOT.glob("examples/*/README.md")} <= shown


@pytest.mark.parametrize("image", ["", "![](pictures/a.svg)", "![ ](pictures/a.svg)", "text\n![what](pictures/a.svg)"])
def test_a_picture_without_its_words_is_an_error(tmp_path: Path, image: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"<!-- picture: outlast timeline a.yaml -->\n{image}\n", encoding="utf-8")
    with pytest.raises(PageError, match="expected an image with its words"):
        list(wanted(page))


def test_only_a_timeline_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(PageError, match="expected outlast timeline, found 'touch made'"):
        draw(Wanted(tmp_path / "page.md", "touch made", tmp_path / "a.svg", "words"))


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


def test_of_a_pipe_to_head_only_the_first_lines_are_shown() -> None:
    folder = ROOT / "examples/silent-nlb"
    whole = run("outlast check before.yaml", folder).split("\n")
    assert whole[-2:] == ["$ echo $?", "1"]
    assert run("outlast check before.yaml | head -n 3", folder).split("\n") == [
        "$ outlast check before.yaml | head -n 3",
        *whole[1:4],
    ]


def test_the_specs_in_the_readme_are_whole(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    specs = dict(re.findall(r"<!-- spec: (\S+) -->\n```yaml\n(.*?)```\n", text, re.DOTALL))
    assert list(specs) == ["outlast.yaml", "before.yaml"]
    for name, spec in specs.items():
        (tmp_path / name).write_text(spec, encoding="utf-8")
    (tmp_path / "measured").mkdir()
    (tmp_path / "measured/ping_rtt.csv").write_text("5\n" * 15000 + "1069\n" * 30, encoding="utf-8")
    solved = solve(tmp_path / "outlast.yaml")
    assert (solved.status, solved.given_up) == (Status.OPTIMAL, ())
    checked = check(tmp_path / "before.yaml")
    assert [finding.subject for finding in checked.findings] == ["retry-dials-anew"]
    assert "calm-pings" not in checked.rules


def test_the_readme_says_how_many_samples_are_needed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    told = re.findall(r"([\d,]+) for a p(\d[\d.]*\d)", text)
    assert [level for _, level in told] == ["99", "99.9", "99.99"]
    for number, level in told:
        assert int(number.replace(",", "")) == samples_needed(Fraction(level) / 100, Fraction(95, 100))


def test_links_between_pages_lead_somewhere() -> None:
    links = [(page, target) for page in pages() for target in targets(page.read_text(encoding="utf-8"))]
    assert len(links) > len(pages())
    assert [(page, target) for page, target in links if not (page.parent / target).exists()] == []


def targets(text: str) -> list[str]:
    """Of the links of a page but to the web."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [target for target in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in target]
