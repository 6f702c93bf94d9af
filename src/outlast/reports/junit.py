"""Results as JUnit XML, one test case a rule, in the shape that Jenkins, GitLab and GitHub's reporters have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.model import Severity
from outlast.reports.addresses import in_file, relative_path
from outlast.reports.results import Result, Results, Standing
from outlast.reports.text import plain, safe_line

__all__ = ["junit", "junit_errors"]

_NUMBER_SIGN: Final = re.compile("#(?=#)")


def junit(results: Results) -> str:
    """Every result; errors and warnings are failures, advice passes with a word about it, whatever makes the exit code 1."""
    suite = f"outlast {results.command} {results.subject}"
    owners = [_owner(result, results) for result in results.results]
    named = zip(results.results, owners, _names(results.results, owners), strict=True)
    cases = [_case(result, name, owner) for result, owner, name in named]
    failures = sum(1 for result in results.results if _fails(result))
    skipped = sum(1 for result in results.results if _skipped(result) is not None)
    if not cases:
        cases = [_open("testcase", name="nothing found", classname=results.subject, time="0", end="/")]
    notices = "".join(f"{_told(error)}\n" for error in results.notices)
    return _document(suite, cases, failures=failures, errors=0, skipped=skipped, notices=notices)


def junit_errors(errors: Sequence[OutlastError]) -> str:
    """One test case that could not be run."""
    first = errors[0].message if errors else "nothing was computed"
    lines = "".join(f"{_told(error)}\n" for error in errors)
    case = (
        f"{_open('testcase', name='input', classname='outlast', time='0')}\n"
        f"      {_open('error', message=first, type='input')}{_text(lines)}</error>\n"
        "    </testcase>"
    )
    return _document("outlast", [case], failures=0, errors=1, skipped=0)


def _document(suite: str, cases: Sequence[str], *, failures: int, errors: int, skipped: int, notices: str = "") -> str:
    counts = {
        "tests": str(len(cases)),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": str(skipped),
        "time": "0",
    }
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _open("testsuites", name="outlast", **counts),
        f"  {_open('testsuite', name=suite, **counts)}",
        *(f"    {case}" for case in cases),
        *([f"    <system-err>{_text(notices)}</system-err>"] if notices else []),
        "  </testsuite>",
        "</testsuites>",
    ]
    # Runners obey `##[command]` anywhere in a line.
    return "".join(f"{_NUMBER_SIGN.sub('&#35;', line)}\n" for line in lines)


def _owner(result: Result, results: Results) -> str:
    """Its class: the spec, or without one the file that it is in."""
    if result.origin is not None:
        return result.origin
    place = in_file(result.place)
    return place.file if place is not None and results.command == "lint" else results.subject


def _names(results: Sequence[Result], owners: Sequence[str]) -> Iterator[str]:
    """What each is about; with its rule, then with a number, where others of its class are about the same."""
    taken: set[tuple[str, str]] = set()
    for result, owner in zip(results, owners, strict=True):
        name = result.subject
        if (owner, name) in taken:
            name = f"{result.subject} ({result.rule})"
        number = 2
        while (owner, name) in taken:
            name, number = f"{result.subject} ({result.rule}, {number})", number + 1
        taken.add((owner, name))
        yield name


def _fails(result: Result) -> bool:
    return result.standing is Standing.FAIL and result.set_aside is None and result.severity is not Severity.ADVICE


def _skipped(result: Result) -> str | None:
    """Why it is skipped; None: it is not."""
    if result.standing in (Standing.OPEN, Standing.NOT_APPLICABLE):
        return result.message
    return None if result.set_aside is None else result.set_aside.why


def _case(result: Result, name: str, owner: str) -> str:
    place = in_file(result.place)
    where = {} if place is None else {"file": relative_path(place.file), "line": str(place.line)}
    attributes = {"name": name, "classname": owner, **where, "time": "0"}
    skipped = _skipped(result)
    if skipped is not None:
        inner = _open("skipped", message=skipped, end="/")
    elif _fails(result):
        words = _open("failure", message=result.message, type=result.severity.value)
        inner = f"{words}{_text(_at_length(result))}</failure>"
    elif result.standing is Standing.FAIL:
        inner = f"<system-out>{_text(_at_length(result))}</system-out>"
    else:
        return _open("testcase", **attributes, end="/")
    return f"{_open('testcase', **attributes)}\n      {inner}\n    </testcase>"


def _at_length(result: Result) -> str:
    """As the text report tells it."""
    at = "" if result.place is None else f" ({_position(result.place)})"
    head = f"{result.severity.value} {printable(result.subject)}{at}\n{printable(result.message)}\n"
    return head + (plain(result.details) if result.details else "")


def _position(place: Place) -> str:
    return f"{printable(place.file)}:{place.line}"


def _told(error: OutlastError) -> str:
    return f"{printable(str(error.place)) if error.place else 'outlast'}: {error.message}"


def _open(tag: str, /, *, end: str = "", **attributes: str) -> str:
    told = "".join(f" {key}={quoteattr(printable(value))}" for key, value in attributes.items())
    return f"<{tag}{told}{end}>"


def _text(words: str) -> str:
    """Lines as character data, none of which a runner obeys; what XML 1.0 has no place for (section 2.2) is escaped visibly."""
    return escape("\n".join(safe_line(line) for line in words.split("\n")))
