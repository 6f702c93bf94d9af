"""Results as SARIF 2.1.0 with errata 01 (OASIS), for code scanning; section numbers are those of the standard."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from outlast import __version__
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.model import Severity
from outlast.reports.addresses import file_uri, in_file
from outlast.reports.data import Json, as_text
from outlast.reports.document import Document
from outlast.reports.gathering import prefixes
from outlast.reports.markdown import escape, markdown
from outlast.reports.results import Described, Edit, Fix, Related, Result, Results, SetAside, Standing
from outlast.reports.text import plain

__all__ = ["sarif", "sarif_errors"]

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}
#: What code scanning of GitHub calls them.
_PROBLEMS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "recommendation"}
#: In a plain text message `[a](b)` is a link (3.11.6) and `{0}` a placeholder (3.11.5).
_LIVE: Final = re.compile(r"\](?=\()|\{(?=\d+\})")


def sarif(results: Results) -> str:
    """What fails and what is set aside; code scanning would show anything else as an alert, too."""
    shown = [result for result in results.results if result.standing is Standing.FAIL]
    used = {result.rule for result in shown}
    rules = [rule for rule in results.rules if rule.id in used]
    index = {rule.id: number for number, rule in enumerate(rules)}
    invocation: dict[str, Json] = {"executionSuccessful": True}
    if results.notices:
        invocation["toolExecutionNotifications"] = [_notification(each, "note") for each in results.notices]
    # Alerts end with the next run of their category, so it must not change with what a review compares with.
    category = f"outlast/{results.command}/" + ("" if results.command == "review" else f"{results.subject}/")
    prefix = prefixes(results)
    return _log(rules, [_result(result, index, prefix(result)) for result in shown], invocation, category)


def sarif_errors(errors: Sequence[OutlastError]) -> str:
    """That the input could not be used, and why."""
    told = [_notification(error, "error") for error in errors]
    return _log([], [], {"executionSuccessful": False, "toolConfigurationNotifications": told})


def _log(
    rules: Sequence[Described], results: Sequence[Json], invocation: dict[str, Json], category: str | None = None
) -> str:
    driver: dict[str, Json] = {
        "name": "outlast",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in rules],
    }
    run: dict[str, Json] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "invocations": [invocation]}
    if category is not None:
        run["automationDetails"] = {"id": category}
    return as_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [{**run, "results": results}]})


def _rule(rule: Described) -> Json:
    """A reportingDescriptor (3.49)."""
    family, slash, _ = rule.id.partition("/")
    data: dict[str, Json] = {
        "id": printable(rule.id),
        "shortDescription": {"text": _sentence(rule.summary)},
        "fullDescription": {"text": _sentence(rule.summary)},
        "help": {"text": _inert(plain(rule.help)), "markdown": _inert(markdown(rule.help))},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["timeouts", *([printable(family)] if slash else [])],
            "problem.severity": _PROBLEMS[rule.severity],
            "precision": "high",
        },
    }
    if rule.address is not None:
        data["helpUri"] = rule.address
    return data


def _result(result: Result, index: dict[str, int], prefix: str) -> Json:
    data: dict[str, Json] = {
        "ruleId": printable(result.rule),
        "kind": result.standing.value,
        "level": _LEVELS[result.severity],
        "message": _message(prefix + result.message, result.details),
        "partialFingerprints": {"outlast/v1": result.fingerprint},
        "properties": {"subject": printable(result.subject)},
    }
    if result.rule in index:
        data["ruleIndex"] = index[result.rule]
    if (place := in_file(result.place)) is not None:
        data["locations"] = [_location(place)]
    if related := [each for each in result.related if in_file(each.place) is not None]:
        data["relatedLocations"] = [_related(each, number) for number, each in enumerate(related, 1)]
    if result.fixes:
        data["fixes"] = [_fix(fix) for fix in result.fixes]
    if result.set_aside is not None:
        data["suppressions"] = [_suppression(result.set_aside)]
    return data


def _message(message: str, details: Document) -> Json:
    """The sentence, which is all that there is room for in lists, then the rest."""
    text, marked = _sentence(message), f"{escape(message)}.\n"
    if details:
        text, marked = f"{text}\n\n{_inert(plain(details))}", f"{marked}\n{markdown(details)}"
    return {"text": text, "markdown": _inert(marked)}


def _sentence(words: str) -> str:
    words = _inert(printable(words))
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _inert(words: str) -> str:
    """Text from anywhere as a message: nothing in it is a link or a placeholder; ours has neither.

    >>> _inert("[x](http://y) {0} a[0]")
    '[x] (http://y) { 0} a[0]'
    """
    return _LIVE.sub(r"\g<0> ", words)


def _location(place: Place) -> dict[str, Json]:
    region: dict[str, Json] = {"startLine": max(place.line, 1), "startColumn": max(place.col, 1)}
    return {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": region}}


def _artifact(file: str) -> Json:
    uri, is_relative = file_uri(file)
    return {"uri": uri, "uriBaseId": "%SRCROOT%"} if is_relative else {"uri": uri}


def _related(related: Related, number: int) -> Json:
    return {"id": number, **_location(related.place), "message": {"text": _inert(printable(related.message))}}


def _fix(fix: Fix) -> Json:
    """A fix (3.55), one change a file."""
    files: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        files.setdefault(edit.file, []).append(edit)
    changes: list[Json] = [
        {"artifactLocation": _artifact(file), "replacements": [_replacement(edit) for edit in _ordered(edits)]}
        for file, edits in files.items()
    ]
    return {"description": {"text": _sentence(fix.message)}, "artifactChanges": changes}


def _ordered(edits: Iterable[Edit]) -> list[Edit]:
    return sorted(edits, key=lambda edit: (edit.start, edit.end))


def _replacement(edit: Edit) -> Json:
    region: dict[str, Json] = {
        "startLine": edit.start_place.line,
        "startColumn": edit.start_place.col,
        "endLine": edit.end_place.line,
        "endColumn": edit.end_place.col,
        "byteOffset": edit.start,
        "byteLength": edit.end - edit.start,
    }
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}


def _suppression(aside: SetAside) -> Json:
    data: dict[str, Json] = {"kind": aside.kind, "status": "accepted", "justification": _inert(printable(aside.why))}
    if (place := in_file(aside.place)) is not None:
        data["location"] = _location(place)
    return data


def _notification(error: OutlastError, level: str) -> Json:
    """A notification (3.58)."""
    data: dict[str, Json] = {"level": level, "message": {"text": _sentence(error.message)}}
    if (place := in_file(error.place)) is not None:
        data["locations"] = [_location(place)]
    return data
