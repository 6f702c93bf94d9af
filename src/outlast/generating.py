"""A solution as the text of a new file: each value with its reason, in the language that is asked for or as software reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from outlast.configs.generate import Entry, Frame, generate, left_out
from outlast.configs.outputs.write import Configuration, configuration
from outlast.configs.spelling import why_unwritten
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.model import Note, Parameter, Role
from outlast.reasons import full_reason_of
from outlast.solver.outcome import SolveOutcome

__all__ = ["configured", "generated"]

_WRITTEN: Final = (Role.FREE, Role.FIXED, Role.DERIVED)


def generated(outcome: SolveOutcome, output: str, frame: Frame) -> tuple[str, tuple[Note, ...]]:
    """The text of a file with every free, fixed and derived value, and what it cannot say; facts are true of the world and no settings.

    Raises:
        InputErrors: the values cannot be written in this language.
    """
    entries = [entry for entry in _entries(outcome) if _is_decided(entry.parameter)]
    try:
        text = generate(entries, output, _title(outcome), frame)
    except OutlastError as error:
        raise InputErrors(f"cannot write {output}", [error]) from None
    notes = (
        Note(f"{why_unwritten(entry)}; {output} has no comments, so it is left out", entry.parameter.place)
        for entry in left_out(entries, output)
    )
    return text, tuple(notes)


def configured(outcome: SolveOutcome, output: str, *, components: Sequence[str], package: str | None) -> Configuration:
    """The file that the software of the components itself reads; all that the output can express unless `components` names some.

    Raises:
        InputErrors: no component can be written so, or a value cannot.
    """
    topology = outcome.spec.topology
    return configuration(_entries(outcome), topology, output, _title(outcome), components=components, package=package)


def _entries(outcome: SolveOutcome) -> list[Entry]:
    return [
        Entry(parameter=r.parameter, value=r.value, reason=full_reason_of(r, outcome))
        for _, r in sorted(outcome.parameters.items())
        if r.value is not None
    ]


def _is_decided(parameter: Parameter) -> bool:
    """Whether somebody chose it or it was found: no fact, no default of software, no effective value that follows from others."""
    return parameter.role in _WRITTEN and parameter.default_of is None and not parameter.is_effective


def _title(outcome: SolveOutcome) -> str:
    return f"From {outcome.spec.path.name}" + (f": {outcome.spec.title}" if outcome.spec.title else "")
