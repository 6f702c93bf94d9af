"""Results as a Code Quality report of GitLab: the part of Code Climate's format that GitLab reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.model import Severity
from outlast.reports.addresses import in_file, relative_path
from outlast.reports.data import Json, as_text
from outlast.reports.gathering import fingerprint, prefixes
from outlast.reports.results import Results, Standing

__all__ = ["gitlab", "gitlab_errors"]

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.ADVICE: "info"}


def gitlab(results: Results) -> str:
    """Every result that counts; what has no place stands at the beginning of the spec."""
    prefix = prefixes(results)
    return as_text(
        [
            _issue(
                f"{prefix(result)}{result.subject}: {result.message}",
                result.rule,
                result.fingerprint,
                _SEVERITIES[result.severity],
                in_file(result.place) or Place(result.origin or results.subject, 1, 1),
            )
            for result in results.results
            if result.standing is Standing.FAIL and result.set_aside is None
        ]
    )


def gitlab_errors(errors: Sequence[OutlastError]) -> str:
    """An issue for each error of the input."""
    seen: dict[tuple[str, str], int] = {}
    issues = []
    for error in errors:
        place = in_file(error.place) or Place("outlast.yaml", 1, 1)
        key = (place.file, error.message)
        seen[key] = seen.get(key, 0) + 1
        own = fingerprint(("unusable-input", *key, str(seen[key])))
        issues.append(_issue(error.message, "unusable-input", own, "blocker", place))
    return as_text(issues)


def _issue(description: str, name: str, own: str, severity: str, place: Place) -> Json:
    return {
        "description": printable(description),
        "check_name": printable(name),
        "fingerprint": own,
        "severity": severity,
        "location": {"path": relative_path(place.file), "lines": {"begin": max(place.line, 1)}},
    }
