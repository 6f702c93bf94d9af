"""Specs as tests: each rule of an `outlast.yaml` below the paths of pytest is one, and what `check` says of values are others.

pytest imports this module wherever outlast is installed, so it imports nothing of outlast before there is a spec.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from outlast.constraints.check import Checked, CheckOutcome, Finding
    from outlast.constraints.errors import OutlastError
    from outlast.reports.document import Document

#: A finding, and why it does not count; None: it does.
Excused = tuple["Finding", str | None]

__all__ = ["SpecFile", "SpecTest", "pytest_addoption", "pytest_collect_file", "pytest_configure"]

#: Severities, the loudest first.
_LOUDNESS: Final = ("error", "warning", "advice")
#: With blanks, which no rule's id has.
_BOUNDS: Final = "no finding: value that its software refuses"

_files = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """What an ini file may say."""
    parser.addini(
        "outlast_files",
        "Names of files, or ends of paths, that are specs: outlast.yaml *.outlast.yaml.",
        type="args",
        default=["outlast.yaml", "*.outlast.yaml"],
    )
    parser.addini(
        "outlast_fail_on", "The quietest finding that fails a test: error, warning or advice.", default="warning"
    )
    parser.addini("outlast_root", "Allow specs to read files below this folder, which is relative to pytest's rootdir.")
    parser.addini("outlast_baseline", "A file of findings that do not count, relative to pytest's rootdir.")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what an ini file must not say."""
    config.stash[_files] = config.getini("outlast_files")
    if (loudness := config.getini("outlast_fail_on")) not in _LOUDNESS:
        raise pytest.UsageError(f"outlast_fail_on: expected one of {', '.join(_LOUDNESS)}, found {loudness!r}")
    if (root := _path(config, "outlast_root")) is not None and not root.is_dir():
        raise pytest.UsageError(f"outlast_root: expected a folder, found '{root}'")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A spec, if its name says so."""
    for pattern in parent.config.stash[_files]:
        if file_path.match(pattern) if "/" in pattern else fnmatchcase(file_path.name, pattern):
            spec: SpecFile = SpecFile.from_parent(parent, path=file_path)
            return spec
    return None


def _path(config: pytest.Config, name: str) -> Path | None:
    path = config.getini(name)
    return config.rootpath / path if path else None


class SpecFile(pytest.File):
    """A spec, checked when it is collected."""

    def collect(self) -> Iterator[SpecTest]:
        """One test a rule, and one for each other kind of finding: whatever `check` finds, one of them tells.

        Raises CollectError if the spec cannot be used, with all that is wrong with it.
        """
        from outlast import api
        from outlast.constraints.check import ABOUT_RULES, FindingKind
        from outlast.constraints.errors import InputErrors, OutlastError

        try:
            outcome = api.check(
                _shown(self.path),
                root=_path(self.config, "outlast_root"),
                known_only=True,
                baseline=_path(self.config, "outlast_baseline"),
            )
        except OutlastError as error:
            raise self.CollectError(_complaint([error])) from None
        except InputErrors as group:
            raise self.CollectError(_complaint([e for e in group.exceptions if isinstance(e, OutlastError)])) from None

        rules = {id_: checked for id_, checked in outcome.rules.items() if not checked.rule.rule.is_bound}
        found: dict[str, list[Excused]] = {}
        for finding, excuse in self._findings(outcome):
            if finding.kind not in ABOUT_RULES:
                name = f"no finding: {finding.kind.value}"
            else:
                name = finding.subject if finding.subject in rules else _BOUNDS
            found.setdefault(name, []).append((finding, excuse))
        if not rules and all(excuse is not None for each in found.values() for _, excuse in each):
            from outlast.reports.check import check_document

            raise self.CollectError(_laid_out(check_document(outcome)))

        for id_, checked in rules.items():
            yield self._test(id_, outcome, found.pop(id_, []), checked)
        if len(rules) < len(outcome.rules) or _BOUNDS in found:
            yield self._test(_BOUNDS, outcome, found.pop(_BOUNDS, []))
        for kind in FindingKind:
            if kind not in ABOUT_RULES:
                yield self._test(name := f"no finding: {kind.value}", outcome, found.pop(name, []))

    def _findings(self, outcome: CheckOutcome) -> Iterator[Excused]:
        """All that was found, those first that count."""
        fail_on = _LOUDNESS.index(self.config.getini("outlast_fail_on"))
        for finding in outcome.findings:
            severity = finding.severity.value
            yield finding, None if _LOUDNESS.index(severity) <= fail_on else severity
        for each in outcome.ignored:
            yield each.finding, f"ignored, {each.ignore.why} ({each.ignore.place})"
        for finding in outcome.known:
            yield finding, "in the baseline"

    def _test(
        self, name: str, outcome: CheckOutcome, findings: Sequence[Excused], checked: Checked | None = None
    ) -> SpecTest:
        test: SpecTest = SpecTest.from_parent(self, name=name, outcome=outcome, findings=findings, checked=checked)
        return test


class SpecTest(pytest.Item):
    """One rule, or one kind of finding about values. Skipped where there is nothing to judge, expected to fail where that does not count."""

    def __init__(
        self, *, outcome: CheckOutcome, findings: Sequence[Excused], checked: Checked | None, **options: object
    ) -> None:
        super().__init__(**options)  # type: ignore[arg-type]  # what pytest hands over is pytest's affair
        self._outcome = outcome
        self._findings = [finding for finding, excuse in findings if excuse is None]
        place = None if checked is None else checked.rule.rule.place
        # pytest counts lines from 0; places of a spec are relative to the folder that it was read from.
        self._place = (self.path, 0) if place is None else (Path(place.file).absolute(), place.line - 1)
        if findings and not self._findings:
            self._findings = [finding for finding, _ in findings]
            said = "; ".join(f"{excuse}: {finding.message}" for finding, excuse in findings)
            self.add_marker(pytest.mark.xfail(reason=_one_line(said)))
        elif not findings and checked is not None and (why := _why_skipped(checked, outcome)) is not None:
            self.add_marker(pytest.mark.skip(reason=_one_line(why)))

    def runtest(self) -> None:
        """Fail with what `check` reports."""
        if self._findings:
            pytest.fail(self._told(), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the rule stands, or the spec."""
        return *self._place, self.name

    def _told(self) -> str:
        from outlast.reports.check import finding_entry
        from outlast.reports.origins import Origins
        from outlast.reports.wording import Places

        outcome = self._outcome
        origins, places = Origins(outcome.spec, outcome.values), Places(outcome.spec)
        return _laid_out(tuple(finding_entry(outcome, finding, origins, places) for finding in self._findings))


def _shown(path: Path) -> Path:
    """The path as a person would type it, so that reports are as short as those of `outlast check`."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def _why_skipped(checked: Checked, outcome: CheckOutcome) -> str | None:
    """Why a rule without a finding says nothing; None: it holds."""
    from outlast.constraints.evaluate import Truth
    from outlast.reports.check import why_idle
    from outlast.reports.document import plain_text

    if checked.verdict is None:
        return f"not judged: no value in use for {', '.join(checked.missing)}"
    if checked.verdict.truth is Truth.NOT_APPLICABLE:
        return "does not apply: " + plain_text(why_idle(checked, outcome))
    return None


def _laid_out(document: Document) -> str:
    from outlast.reports.text import plain

    return plain(document).rstrip("\n")


def _one_line(words: str) -> str:
    from outlast.constraints.errors import printable
    from outlast.reports.text import safe_line

    return safe_line(printable(words))


def _complaint(errors: Sequence[OutlastError]) -> str:
    """All that is wrong with a spec, as the commands tell it."""
    from outlast.reports.text import safe_line
    from outlast.reports.unusable import in_order, unusable_lines

    # What a command's option would do, an ini file does here.
    lines = [
        line.replace("; --root FOLDER allows", "; outlast_root in the ini file allows")
        for line in unusable_lines(in_order(errors))
    ]
    return "\n".join(map(safe_line, lines))
