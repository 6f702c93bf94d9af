"""What `init` wrote, as a document."""

from __future__ import annotations

from outlast.initializing import Initialized
from outlast.reports.commands import command_text
from outlast.reports.document import Document, Paragraph, Verbatim, Verdict, code, good, text
from outlast.reports.wording import counted

__all__ = ["init_document"]


def init_document(made: Initialized) -> Document:
    """The whole report."""
    told = f"{counted(len(made.found.instances), 'component')}, {counted(made.rules, 'rule')} of the catalogue apply"
    needing = ""
    if made.unjudged:
        verb = "needs" if made.unjudged == 1 else "need"
        needing = f"; {made.unjudged} more {verb} an answer, see the questions at its end"
    if made.file is None:
        return Verdict(text(good(told), needing)), Verbatim(
            tuple(text(line) for line in made.text.splitlines()), "yaml"
        )
    words = f"outlast check{' --known-only' if made.unread else ''}"
    following = text("next: ", code(command_text(words, made.file, root=made.root)))
    return Verdict(text(good(f"{made.file} is written"), f": {told}{needing}")), Paragraph(following)
