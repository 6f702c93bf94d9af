"""A conflict as a document: its items with their places, and the arithmetic that shows that they cannot hold together."""

from __future__ import annotations

from outlast.reports.document import Block, Entry, Fields, Paragraph, Table, code, faint, text
from outlast.reports.wording import place_text
from outlast.solver.outcome import Conflict

__all__ = ["conflict_entry", "conflict_sentence"]


def conflict_entry(conflict: Conflict) -> Entry:
    """The whole of it."""
    rows = tuple(
        (
            text(code(item.id)),
            text(
                code(item.says),
                f" ({place_text(item.place)})" if item.place is not None else "",
                faint(f": {item.why}") if item.why else "",
            ),
        )
        for item in conflict.items
    )
    blocks: list[Block] = [Fields(rows)]
    certificate = conflict.certificate
    if certificate is not None:
        steps = tuple(
            (text(step.times, " times"), (code(step.says),), (code(step.item),)) for step in certificate.steps
        )
        total = (text("together"), (code(certificate.total),), text("which is false"))
        blocks += [Paragraph(text("because:")), Table(("", "", ""), (*steps, total))]
    if conflict.by_steps:
        blocks.append(Paragraph(text("it needs the steps: with values between them there would be no conflict")))
    if not conflict.minimal:
        blocks.append(Paragraph(text("not shown to be minimal: some of these may not be needed for it")))
    return Entry(text("these cannot hold together:"), tuple(blocks))


def conflict_sentence(conflict: Conflict) -> str:
    """The same in one sentence."""
    told = [f"{item.says} ({item.id})" if item.says else item.id for item in conflict.items]
    return f"these cannot hold together: {'; '.join(told)}"
