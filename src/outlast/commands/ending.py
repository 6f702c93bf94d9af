"""How a command ends: what came out is written, wrong input is told, and the exit code says which."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import typer

from outlast.commands.options import LOUDNESS

if TYPE_CHECKING:
    from pathlib import Path

    from outlast.configs.recognise.found import Found
    from outlast.constraints.aging import Due
    from outlast.constraints.check import Finding
    from outlast.constraints.errors import OutlastError
    from outlast.constraints.model import Note, Spec
    from outlast.reports.document import Document
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
    "tell_baseline",
    "tell_mended",
    "tell_notes",
    "tell_unread",
    "write_page",
]

FINDINGS: Final = 1
UNUSABLE: Final = 2
UNDECIDED: Final = 3
INTERRUPTED: Final = 130

#: Reports that share a module with another one.
_MODULES: Final = {"what_if": "why", "page": "rules"}

#: Formats with the files that get them.
Outputs = Sequence[tuple[str, str]]


class _UnwrittenError(Exception):
    """Files that could not be written; everything else was."""

    def __init__(self, errors: Sequence[OutlastError]) -> None:
        super().__init__()
        self.errors = errors


def end(layout: str, run: Callable[[], int], outputs: Outputs = ()) -> None:
    """Run a command's body and leave with its exit code; wrong input is told, in the files of `outputs` as well."""
    from outlast.constraints.errors import InputErrors, OutlastError
    from outlast.constraints.files import remembering
    from outlast.reports.output import waiting

    with remembering():
        try:
            with waiting():
                code = run()
        except OutlastError as error:
            code = complain([error], layout, outputs)
        except InputErrors as group:
            code = complain([e for e in group.exceptions if isinstance(e, OutlastError)], layout, outputs)
        except _UnwrittenError as unwritten:
            code = _tell_unwritten(unwritten.errors)
        except KeyboardInterrupt:
            code = INTERRUPTED
    raise typer.Exit(code)


def is_as_loud(finding: Finding | Due, fail_on: str) -> bool:
    """Whether a finding is at least as loud as what makes exit code 1."""
    return LOUDNESS.index(finding.severity.value) <= LOUDNESS.index(fail_on)


def code_of(outcome: SolveOutcome) -> int:
    """The exit code of a search."""
    return {"conflict": FINDINGS, "undecided": UNDECIDED}.get(outcome.status.value, 0)


def complain(errors: Sequence[OutlastError], layout: str, outputs: Outputs = ()) -> int:
    """Tell what is wrong with the input; the exit code of that."""
    from outlast.reports.output import tell, write
    from outlast.reports.unusable import in_order, unusable_lines

    ordered = in_order(errors)
    for line in unusable_lines(ordered):
        tell(line)
    _tell_unwritten(_written(outputs, lambda each: _errors_text(each, ordered), None))
    if layout not in ("text", "markdown"):
        write(_errors_text(layout, ordered))
    return UNUSABLE


def _errors_text(layout: str, errors: Sequence[OutlastError]) -> str:
    from importlib import import_module

    if layout == "json":
        from outlast.reports.data import as_text, error_data

        return as_text(error_data(errors))
    if layout in ("text", "markdown"):
        from outlast.reports.unusable import unusable_document

        return _document_text(layout, unusable_document(errors))
    return str(getattr(import_module(f"outlast.reports.{layout}"), f"{layout}_errors")(errors))


def report(layout: str, name: str, outcome: object, outputs: Outputs = (), **options: bool) -> None:
    """Write what came out, as `outlast.reports` lays `name` out, to stdout and to the files of `outputs`.

    Only the layouts that are asked for are imported. A file that cannot be written keeps nothing else from being so.
    """
    from outlast.reports.output import show, write

    errors = _written(outputs, lambda each: _report_text(each, name, outcome, options), outcome)
    if layout == "text":
        show(_document(name, outcome, options))
    else:
        write(_report_text(layout, name, outcome, options))
    if errors:
        raise _UnwrittenError(errors)


def write_page(file: Path | None, text: str, spec: Spec, *, force: bool) -> None:
    """Write a page or a picture whole or not at all, over nothing but an older one unless `force`; None: to stdout.

    Raises:
        InputErrors: the file is one that outlast reads or did not generate, or cannot be written.
    """
    from outlast.configs.new_files import refuse_input, refuse_settings, write_generated
    from outlast.reports.output import write_utf8

    if file is None:
        write_utf8(text)
        return
    refuse_input(file, spec)
    refuse_settings(file)
    write_generated(file, text, force=force)


def _report_text(layout: str, name: str, outcome: object, options: Mapping[str, bool]) -> str:
    from importlib import import_module

    module = _MODULES.get(name, name)
    if layout == "json":
        from outlast.reports.data import as_text

        return as_text(getattr(import_module(f"outlast.reports.{module}_data"), f"{name}_data")(outcome))
    if layout in ("text", "markdown"):
        return _document_text(layout, _document(name, outcome, options))
    results = getattr(import_module(f"outlast.reports.{module}_results"), f"{name}_results")(outcome)
    return str(getattr(import_module(f"outlast.reports.{layout}"), layout)(results))


def _document(name: str, outcome: object, options: Mapping[str, bool]) -> Document:
    from importlib import import_module

    module = import_module(f"outlast.reports.{_MODULES.get(name, name)}")
    document: Document = getattr(module, f"{name}_document")(outcome, **options)
    return document


def _document_text(layout: str, document: Document) -> str:
    if layout == "markdown":
        from outlast.reports.markdown import markdown

        return markdown(document)
    from outlast.reports.text import plain

    return plain(document)


def _written(outputs: Outputs, text_of: Callable[[str], str], outcome: object) -> list[OutlastError]:
    """Write each file whole or not at all, and none where one must not be written; what kept them from it."""
    if not outputs:
        return []
    from pathlib import Path

    from outlast.configs.new_files import refuse_input, refuse_settings, write_generated
    from outlast.constraints.errors import InputErrors

    errors: list[OutlastError] = []
    for _, file in outputs:
        try:
            refuse_input(Path(file), getattr(outcome, "spec", None))
            refuse_settings(Path(file))
        except InputErrors as group:
            errors += group.exceptions  # type: ignore[arg-type]  # all of them are ours
    if errors:
        return errors
    for layout, file in outputs:
        try:
            write_generated(Path(file), text_of(layout), force=True)
        except InputErrors as group:
            errors += group.exceptions  # type: ignore[arg-type]  # the same
    return errors


def _tell_unwritten(errors: Sequence[OutlastError]) -> int:
    from outlast.reports.output import tell

    for error in errors:
        tell(f"outlast: {error.message}")
    return UNUSABLE


def tell_notes(notes: Sequence[Note | OutlastError]) -> None:
    """Tell what does not make the input unusable, on stderr."""
    from outlast.reports.output import tell

    for note in notes:
        tell(f"{note.place or 'outlast'}: note: {note.message}")


def tell_baseline(file: Path, count: int) -> int:
    """Tell that a baseline was written, on stderr; the exit code of that."""
    from outlast.constraints.errors import printable
    from outlast.reports.output import tell

    tell(f"{printable(str(file))}: note: {count} finding{'' if count == 1 else 's'} written as the baseline")
    return 0


def tell_mended(file: str | None, count: int) -> None:
    """Tell how much of a baseline is no longer found, on stderr."""
    from outlast.constraints.errors import printable
    from outlast.reports.output import tell

    if file is not None and count:
        verb = "entry of the baseline no longer occurs" if count == 1 else "entries of the baseline no longer occur"
        tell(f"{printable(file)}: note: {count} {verb}; --write-baseline updates it")


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
