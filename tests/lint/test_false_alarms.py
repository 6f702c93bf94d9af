"""Healthy configurations give no finding; the unhealthy ones beside them do, so that silence means something.

`tests/data/healthy/INDEX.tsv` says for each folder what tempts a linter there, `tests/data/unhealthy/INDEX.tsv` what is wrong and which two places
say so. The folders are copied to where nothing in their path looks like a test.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from outlast.configs.formats import format_of
from outlast.configs.setting import Setting
from outlast.linting import lint_files
from outlast.reports.lint_data import lint_data

DATA: Final = Path(__file__).resolve().parent.parent / "data"
HEALTHY: Final = DATA / "healthy"
UNHEALTHY: Final = DATA / "unhealthy"

#: Findings in healthy folders that are right all the same, with the reason: by folder, then by the finding's rule.
ARGUED: Final[dict[str, dict[str, str]]] = {}

#: Folders in which nothing may be recognised: parts of configurations, templates, and other programs' files.
UNKNOWN: Final = {
    "envoy-http2-keepalive",
    "gitops",
    "k8s-ingress-nginx",
    "k8s-jobs",
    "k8s-overlays",
    "observability",
    "other-tools",
}


class Wrong(NamedTuple):
    """What is wrong in a folder."""

    folder: str
    what: str
    #: `file:line` of the two sides, the smaller one first; a limit that no file says begins with "limit:".
    places: tuple[str, str]

    @property
    def in_files(self) -> tuple[tuple[str, int], ...]:
        """File and line of the sides that stand in a file."""
        found = (place.rsplit(":", 1) for place in self.places if not place.startswith("limit:"))
        return tuple((file, int(line)) for file, line in found)


def rows(root: Path) -> list[list[str]]:
    return [line.split("\t") for line in (root / "INDEX.tsv").read_text(encoding="utf-8").splitlines()[1:]]


def folders(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.is_dir())


def files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file() and path != root / "INDEX.tsv")


WRONG: Final = [Wrong(folder, what, (first, second)) for folder, what, first, second in rows(UNHEALTHY)]


def settings(path: Path) -> tuple[Setting, ...]:
    data = path.read_bytes()
    format_ = format_of(path.as_posix(), data)
    assert format_ is not None, f"{path}: nobody reads it"
    return format_.read(data, path.name)


def report(folder: Path) -> dict[str, Any]:
    """What `outlast lint --format json` says about a folder."""
    return lint_data(lint_files([folder]))


def lint(folder: Path) -> list[dict[str, Any]]:
    """The findings in a folder."""
    findings = report(folder)["findings"]
    assert isinstance(findings, list)
    return findings


def told(findings: list[dict[str, Any]]) -> Counter[str]:
    return Counter(finding["rule"] for finding in findings)


def places(value: object) -> set[tuple[str, int]]:
    """Every file and line that a finding names."""
    if isinstance(value, dict):
        here = {(value["file"], value["line"])} if {"file", "line"} <= value.keys() else set()
        return here.union(*(places(inner) for inner in value.values()))
    return set().union(*(places(inner) for inner in value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("root", [HEALTHY, UNHEALTHY], ids=lambda root: root.name)
def test_the_index_names_every_folder_and_says_why(root: Path) -> None:
    index = rows(root)
    assert sorted(row[0] for row in index) == folders(root)
    assert all(cell.strip() for row in index for cell in row)


def test_the_corpus_is_large_and_varied() -> None:
    with_settings = [path for path in files(HEALTHY) if settings(path)]
    kinds = {kind for row in rows(HEALTHY) for kind in row[1].split()}
    assert len(with_settings) >= 140
    assert len(kinds) >= 40


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.folder)
def test_the_places_that_are_wrong_are_settings(wrong: Wrong) -> None:
    assert wrong.in_files
    for file, line in wrong.in_files:
        path = UNHEALTHY / wrong.folder / file
        starts = {path.read_bytes().count(b"\n", 0, setting.start) + 1 for setting in settings(path)}
        assert line in starts, (file, line)


@pytest.mark.parametrize("folder", folders(HEALTHY))
def test_a_healthy_folder_gives_no_finding(folder: str, tmp_path: Path) -> None:
    shutil.copytree(HEALTHY / folder, tmp_path / "project")
    findings = lint(tmp_path / "project")
    assert told(findings) == Counter(ARGUED.get(folder, {}).keys()), json.dumps(findings, indent=1)


@pytest.fixture(scope="module")
def side_by_side(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Where all healthy folders are, and what is said about them."""
    project = tmp_path_factory.mktemp("all") / "project"
    shutil.copytree(HEALTHY, project)
    return project, report(project)


def test_healthy_folders_side_by_side_are_not_taken_for_one_system(side_by_side: tuple[Path, dict[str, Any]]) -> None:
    findings = side_by_side[1]["findings"]
    argued = Counter(rule for rules in ARGUED.values() for rule in rules)
    assert told(findings) == argued, json.dumps(findings, indent=1)


def test_silence_is_not_for_want_of_knowing(side_by_side: tuple[Path, dict[str, Any]]) -> None:
    project, data = side_by_side
    components = data["components"].values()
    known = {Path(component["place"]["file"]).relative_to(project).parts[0] for component in components}
    assert len({component["kind"] for component in components}) >= 50
    assert {*folders(HEALTHY)} - known <= UNKNOWN


def test_each_argued_finding_has_its_folder_and_a_reason() -> None:
    assert ARGUED.keys() <= {*folders(HEALTHY)}
    assert all(reason.strip() for rules in ARGUED.values() for reason in rules.values())


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.folder)
def test_an_unhealthy_folder_gives_a_finding_that_names_both_places(wrong: Wrong, tmp_path: Path) -> None:
    shutil.copytree(UNHEALTHY / wrong.folder, tmp_path / "project")
    findings = lint(tmp_path / "project")
    named = [{(Path(file).name, line) for file, line in places(finding)} for finding in findings]
    assert any({*wrong.in_files} <= found for found in named), (wrong.what, findings)


def test_every_finding_stands_at_a_line_of_a_file_that_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    shutil.copytree(UNHEALTHY, project)
    monkeypatch.chdir(project)
    findings = lint(Path("."))
    assert findings
    for finding in findings:
        place = finding["place"]
        assert place["line"] <= (project / place["file"]).read_bytes().count(b"\n"), finding
