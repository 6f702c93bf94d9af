"""What `generate` wrote, as a document."""

from __future__ import annotations

from outlast.api import Generated
from outlast.reports.document import Block, Document, Paragraph, Verbatim, Verdict, code, good, text

__all__ = ["generate_document"]


def generate_document(made: Generated) -> Document:
    """The text, or where it was written; where there is no solution, the report of `solve`."""
    if made.text is None:
        from outlast.reports.solve import solve_document

        return solve_document(made.solved)
    if made.file is None:
        lines = tuple(text(line) for line in made.text.splitlines())
        return (Verbatim(lines, made.output),)
    words = "was written" if made.is_new else "is there already, just so"
    blocks: list[Block] = [Verdict(text(code(made.file), good(f" {words}")))]
    return (*blocks, Paragraph(text("from ", code(str(made.solved.spec.path)))))
