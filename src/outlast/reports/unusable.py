"""What is wrong with input that cannot be used, as a document: for files, whose readers do not see stderr."""

from __future__ import annotations

from collections.abc import Sequence

from outlast.constraints.errors import OutlastError
from outlast.reports.document import Document, Fields, Verdict, bad, code, text
from outlast.reports.wording import counted

__all__ = ["unusable_document"]


def unusable_document(errors: Sequence[OutlastError]) -> Document:
    """The errors in the order given, each with its place."""
    rows = tuple((text(code(str(e.place or "outlast"))), text(e.message)) for e in errors)
    return Verdict(text(bad(f"{counted(len(errors), 'error')}; nothing was computed"))), Fields(rows)
