"""A conflict as a document: its items with their places, and the arithmetic that shows that they cannot hold together."""

from __future__ import annotations

from typing import Final

from outlast.reports.document import Block, Entry, Fields, Paragraph, Table, Text, code, faint, text, whole
from outlast.reports.wording import Places
from outlast.solver.account import Certificate, Conflict, Item, ItemKind

__all__ = ["conflict_entry", "conflict_sentence"]

#: What an item is; its name follows.
_KINDS: Final = {
    ItemKind.RULE: "rule",
    ItemKind.MARGIN: "margin of",
    ItemKind.DIVISOR: "divisor in",
    ItemKind.FACT: "fact",
    ItemKind.FIXED: "fixed",
    ItemKind.MEASUREMENT: "measured",
    ItemKind.DOMAIN: "domain of",
    ItemKind.STEP: "step of",
}


def conflict_entry(conflict: Conflict, places: Places) -> Entry:
    """The whole of it."""
    called = {item.id: _called(item) for item in conflict.items} | {"natural": text("quantities are not negative")}
    blocks: list[Block] = [Fields(tuple((called[item.id], _told(item, places)) for item in conflict.items))]
    if conflict.certificate is not None:
        blocks += [Paragraph(text("because:")), _sum(conflict.certificate, called)]
    if conflict.by_steps:
        blocks.append(Paragraph(text("it needs the steps: with values between them there would be no conflict")))
    if not conflict.minimal:
        blocks.append(Paragraph(text("not shown to be minimal: some of these may not be needed for it")))
    return Entry(text("these cannot hold together:"), tuple(blocks))


def _called(item: Item) -> Text:
    name = item.name
    if item.kind is ItemKind.DOMAIN:
        name = name.removesuffix(".min").removesuffix(".max")
    return text(f"{_KINDS[item.kind]} ", code(name))


def _told(item: Item, places: Places) -> Text:
    place = f" ({places.text(item.place)})" if item.place is not None else ""
    return text(code(item.says), place, faint(f": {item.why}") if item.why else "")


def _sum(certificate: Certificate, called: dict[str, Text]) -> Table:
    """The inequalities with their multipliers, and what they add up to."""
    rows = tuple(
        (text(whole(f"{step.times} times")), (whole(code(step.says)),), called.get(step.item, text(step.item)))
        for step in certificate.steps
    )
    total = (text("together"), (whole(code(certificate.total)),), text("which is false"))
    return Table(("", "", ""), (*rows, total))


def conflict_sentence(conflict: Conflict) -> str:
    """The same in one sentence."""
    told = [f"{item.says} ({item.id})" if item.says else item.id for item in conflict.items]
    return f"these cannot hold together: {'; '.join(told)}"
