"""What is known of a rule whatever it was applied to, for formats that describe rules apart from results."""

from __future__ import annotations

import re
from typing import Final

from outlast.constraints.errors import OutlastError
from outlast.constraints.model import Level, Rule, Severity
from outlast.reports.document import Block, Document, Fields, Paragraph, Text, Verdict, code, link, text, whole
from outlast.reports.results import Described

__all__ = ["described", "of_our_own"]

_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9./_~%#?&=+:@,;-]+")
#: What is found that no rule of the catalogue or of a spec says: one sentence, and what to do about it.
_OUR_OWN: Final = {
    "value-off-step": (
        "A value in use is not a multiple of its step.",
        "The software, or the spec, takes only multiples of the step; what it makes of others is not known.",
    ),
    "value-outside-domain": (
        "A value in use is not one that the parameter may have.",
        "The spec, or the software itself, says which values there are.",
    ),
    "value-differs": (
        "A file does not say what the spec, or another file, says.",
        "All places of one parameter must agree; outlast apply --write brings them in line.",
    ),
    "component-bound": (
        "A value is not one that the software takes.",
        "The catalogue says which values the software accepts, and what it does with others.",
    ),
    "ignored-in-vain": (
        "A comment, or the spec, ignores findings that are not there.",
        "Take it out, or mend its line or its rule, so that it does not hide what comes later.",
    ),
    "ignoring-expired": (
        "What was to be ignored until a day is ignored no longer.",
        "Mend the finding, or say until when, and why, it may stay.",
    ),
    "ignore-not-understood": (
        "A comment looks as if it ignored findings, but is not understood.",
        "It names a rule in brackets, then a reason: outlast: ignore[RULE] REASON.",
    ),
    "conflict": (
        "What is demanded cannot hold together, whatever values are chosen.",
        "Each conflict is minimal: without any one of its members there would be none. Move a fixed value, or weaken a rule.",
    ),
}


def described(rule: Rule) -> Described:
    """A relation of the catalogue, or a rule of a spec in its author's words."""
    severity = Severity.WARNING if rule.level is Level.SHOULD else Severity.ERROR
    if rule.relation is not None:
        return _of_relation(rule, rule.relation.severity)
    if rule.is_bound:
        return of_our_own("component-bound")
    rows: list[tuple[str | Text, Text]] = [("requires", (code(rule.text),))]
    rows += [("when", (code(rule.when_text),))] if rule.when_text else []
    rows += [("breaks", text(rule.breaks))] if rule.breaks else []
    rows += [("why", text(rule.origin.why))] if rule.origin.why else []
    rows += [("owner", text(rule.origin.owner))] if rule.origin.owner else []
    rows += [("source", text(link(rule.origin.source)))] if rule.origin.source else []
    document: tuple[Block, ...] = (Paragraph(text("A rule of the spec: ", code(rule.id))), Fields(tuple(rows)))
    summary = rule.origin.why or f"{rule.text} must hold"
    return Described(
        id=rule.id, summary=summary, severity=severity, help=document, address=_address(rule.origin.source)
    )


def _of_relation(rule: Rule, severity: Severity) -> Described:
    from outlast.constraints.catalogue.lookup import page
    from outlast.reports.rules import page_document

    relation = rule.relation
    assert relation is not None  # the caller saw to it
    address = next((found for source in relation.sources if (found := _address(source)) is not None), None)
    try:
        document: Document = page_document(page(relation.id))
    except OutlastError:  # a relation of another catalogue than the one that is installed
        document = (Verdict(text(relation.title)), Paragraph(text(relation.why)))
    return Described(id=relation.id, summary=relation.title, severity=severity, help=document, address=address)


def of_our_own(id_: str) -> Described:
    """One of our own kinds of finding."""
    summary, rest = _OUR_OWN[id_]
    more: Text = text("more: ", whole(code("outlast explain"))) if id_ == "conflict" else ()
    blocks: tuple[Block, ...] = (Paragraph(text(summary, " ", rest)),)
    return Described(
        id=id_, summary=summary, severity=Severity.ERROR, help=(*blocks, Paragraph(more)) if more else blocks
    )


def _address(source: str | None) -> str | None:
    """The source where it is the address of a page."""
    return source if source is not None and _ADDRESS.fullmatch(source) else None
