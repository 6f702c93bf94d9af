"""What `init` wrote, as a document."""

from __future__ import annotations

from outlast.initializing import Initialized
from outlast.reports.document import Document, Paragraph, Verbatim, Verdict, code, good, text
from outlast.reports.wording import counted

__all__ = ["init_document"]


def init_document(made: Initialized) -> Document:
    """The whole report."""
    told = f"{counted(len(made.found.instances), 'component')}, {counted(made.rules, 'rule')} of the catalogue apply"
    needing = f"; {made.unjudged} more need an answer, see the questions at its end" if made.unjudged else ""
    if made.file is None:
        return Verdict(text(good(told), needing)), Verbatim(
            tuple(text(line) for line in made.text.splitlines()), "yaml"
        )
    following = text("next: ", code(f"outlast check {made.file}"))
    return Verdict(text(good(f"{made.file} is written"), f": {told}{needing}")), Paragraph(following)
