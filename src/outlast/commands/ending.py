"""How a command ends: what came out is written, wrong input is told, and the exit code says which."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import typer

from outlast.commands.options import LOUDNESS

if TYPE_CHECKING:
    from outlast.configs.recognise.found import Found
    from outlast.constraints.check import Finding
    from outlast.constraints.errors import OutlastError
    from outlast.constraints.model import Note
    from outlast.solver.outcome import SolveOutcome

__all__ = [
    "FINDINGS",
    "INTERRUPTED",
    "UNDECIDED",
    "UNUSABLE",
    "code_of",
    "complain",
    "end",
    "is_as_loud",
    "own_mistake",
    "report",
    "tell_notes",
    "tell_unread",
]

FINDINGS: Final = 1
UNUSABLE: Final = 2
UNDECIDED: Final = 3
INTERRUPTED: Final = 130

#: Reports that share a module with another one.
_MODULES: Final = {"what_if": "why", "page": "rules"}


def end(layout: str, run: Callable[[], int]) -> None:
    """Run a command's body and leave with its exit code; wrong input is told."""
    from outlast.constraints.errors import InputErrors, OutlastError
    from outlast.reports.output import waiting

    try:
        with waiting():
            code = run()
    except OutlastError as error:
        code = complain([error], layout)
    except InputErrors as group:
        code = complain([e for e in group.exceptions if isinstance(e, OutlastError)], layout)
    except KeyboardInterrupt:
        code = INTERRUPTED
    raise typer.Exit(code)


def is_as_loud(finding: Finding, fail_on: str) -> bool:
    """Whether a finding is at least as loud as what makes exit code 1."""
    return LOUDNESS.index(finding.severity.value) <= LOUDNESS.index(fail_on)


def code_of(outcome: SolveOutcome) -> int:
    """The exit code of a search."""
    return {"conflict": FINDINGS, "undecided": UNDECIDED}.get(outcome.status.value, 0)


def complain(errors: Sequence[OutlastError], layout: str) -> int:
    """Tell what is wrong with the input; the exit code of that."""
    from outlast.constraints.errors import Place
    from outlast.reports.output import tell, write

    ordered = sorted(errors, key=lambda error: (error.place or Place("", 0, 0), error.message))
    for error in ordered:
        tell(f"{error.place or 'outlast'}: {error.message}")
    tell(f"outlast: {len(ordered)} error{'' if len(ordered) == 1 else 's'}; nothing was computed")
    if layout == "json":
        from outlast.reports.data import as_text, error_data

        write(as_text(error_data(ordered)))
    return UNUSABLE


def report(layout: str, name: str, outcome: object, **options: bool) -> None:
    """Write what came out, as `outlast.reports` lays `name` out: only the layout that is asked for is imported."""
    from importlib import import_module

    from outlast.reports.output import show, write

    module = _MODULES.get(name, name)
    if layout == "json":
        from outlast.reports.data import as_text

        write(as_text(getattr(import_module(f"outlast.reports.{module}_data"), f"{name}_data")(outcome)))
        return
    document = getattr(import_module(f"outlast.reports.{module}"), f"{name}_document")(outcome, **options)
    if layout == "markdown":
        from outlast.reports.markdown import markdown

        write(markdown(document))
    else:
        show(document)


def tell_notes(notes: Sequence[Note]) -> None:
    """Tell what is no error, on stderr."""
    from outlast.reports.output import tell

    for note in notes:
        tell(f"{note.place}: note: {note.message}")


def tell_unread(found: Found) -> None:
    """Tell which files were not read, on stderr."""
    from outlast.reports.output import tell

    for problem in found.problems:
        tell(f"{problem.place or 'outlast'}: note: {problem.message}; not read")


def own_mistake(error: Exception) -> int:
    """Tell an error that no input should cause; the exit code of that."""
    from outlast.reports.output import tell

    if os.environ.get("OUTLAST_DEBUG"):
        import traceback

        traceback.print_exception(error)
    else:
        tell(
            f"outlast: this is a mistake of outlast, not of yours: {type(error).__name__}: {error}; "
            "please report it with the spec and with what OUTLAST_DEBUG=1 shows"
        )
    return UNUSABLE
