"""Results as workflow commands of GitHub Actions, which become annotations of a pull request's lines.

The syntax and its escapes are those of actions/toolkit, packages/core/src/command.ts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.model import Severity
from outlast.reports.addresses import in_file, relative_path
from outlast.reports.gathering import prefixes
from outlast.reports.results import Result, Results, Standing
from outlast.reports.text import plain, safe_line
from outlast.reports.wording import counted, joined

__all__ = ["github", "github_errors"]

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "notice"}
#: How many annotations of a kind GitHub shows of a step.
_SHOWN: Final = 10


def github(results: Results) -> str:
    """A line for each result that counts, the loudest first, then one that says how many there are."""
    shown = [result for result in results.results if result.standing is Standing.FAIL and result.set_aside is None]
    shown.sort(key=lambda result: result.severity.order)
    prefix = prefixes(results)
    lines = [_finding(result, prefix(result)) for result in shown]
    lines += [
        _command("notice", error.place, "outlast: not read or not decided", error.message) for error in results.notices
    ]
    told = []
    for severity in Severity:
        number = sum(1 for result in shown if result.severity is severity)
        if number:
            words = f"{number} advice" if severity is Severity.ADVICE else counted(number, severity.value)
            told.append(f"{words} (GitHub shows {_SHOWN} of them)" if number > _SHOWN else words)
    aside = sum(1 for r in results.results if r.standing is Standing.FAIL and r.set_aside is not None)
    rest = f"; {counted(aside, 'finding')} set aside" if aside else ""
    lines.append(f"outlast {results.command}: {joined(told) if told else 'nothing found'}{rest}")
    return "".join(f"{line}\n" for line in lines)


def github_errors(errors: Sequence[OutlastError]) -> str:
    """A line for each error of the input."""
    lines = [_command("error", error.place, "outlast: unusable input", error.message) for error in errors]
    number = counted(len(errors), "error")
    words = f"{number} (GitHub shows {_SHOWN} of them)" if len(errors) > _SHOWN else number
    return "".join(f"{line}\n" for line in (*lines, f"outlast: {words}; nothing was computed"))


def _finding(result: Result, prefix: str) -> str:
    message = printable(prefix + result.message)
    if result.details:
        message += f"\n{plain(result.details).rstrip()}"
    return _command(_COMMANDS[result.severity], result.place, f"outlast: {result.subject}", message)


def _command(name: str, place: Place | None, title: str, message: str) -> str:
    properties = [("title", printable(title))]
    if (place := in_file(place)) is not None:
        properties = [
            ("file", relative_path(place.file)), ("line", str(place.line)), ("col", str(place.col)), *properties
        ]  # fmt: skip
    told = ",".join(f"{key}={_property(safe_line(value))}" for key, value in properties)
    return f"::{name} {told}::{_data(_safe(message))}"


def _safe(words: str) -> str:
    """Lines that no runner obeys when they come out of a log again."""
    return "\n".join(safe_line(line) for line in words.split("\n"))


def _data(words: str) -> str:
    """Text of a command: one line, whatever is in it.

    >>> _data("50 %\\n::error::x")
    '50 %25%0A::error::x'
    """
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(words: str) -> str:
    """The value of a property.

    >>> _property("a,line=9::x")
    'a%2Cline=9%3A%3Ax'
    """
    return _data(words).replace(":", "%3A").replace(",", "%2C")
