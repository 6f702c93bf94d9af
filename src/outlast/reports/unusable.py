"""What is wrong with input that cannot be used: as lines, and as a document for files, whose readers do not see stderr."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from outlast.constraints.errors import OutlastError, Place
from outlast.reports.document import Document, Fields, Verdict, bad, code, text
from outlast.reports.wording import counted

__all__ = ["in_order", "unusable_document", "unusable_lines"]


def in_order(errors: Iterable[OutlastError]) -> list[OutlastError]:
    """By place; those without one first."""
    return sorted(errors, key=lambda error: (error.place or Place("", 0, 0), error.message))


def unusable_lines(errors: Sequence[OutlastError]) -> list[str]:
    """The errors in the order given, a line each, then how many there are."""
    told = [f"{error.place or 'outlast'}: {error.message}" for error in errors]
    return [*told, f"outlast: {_count(errors)}"]


def unusable_document(errors: Sequence[OutlastError]) -> Document:
    """The errors in the order given, each with its place."""
    rows = tuple((text(code(str(e.place or "outlast"))), text(e.message)) for e in errors)
    return Verdict(text(bad(_count(errors)))), Fields(rows)


def _count(errors: Sequence[OutlastError]) -> str:
    return f"{counted(len(errors), 'error')}; nothing was computed"
