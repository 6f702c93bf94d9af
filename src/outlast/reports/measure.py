"""What `measure` found, as a document: the figures of each file and the bounds of its quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from outlast.api import Measured
from outlast.constraints.quantities import format_number, format_value
from outlast.reports.document import Block, Document, Entry, Fields, Paragraph, Table, Text, Verdict, code, faint, text
from outlast.reports.wording import counted

__all__ = ["measure_document"]


def measure_document(measured: Sequence[Measured]) -> Document:
    """The whole report."""
    total = sum(m.description.size for m in measured)
    blocks: list[Block] = [Verdict(text(f"{counted(total, 'sample')} in {counted(len(measured), 'file')}"))]
    blocks += [_file(m) for m in measured]
    return tuple(blocks)


def _file(measured: Measured) -> Entry:
    told = measured.description
    largest = "in a bucket without upper edge" if told.largest is None else format_value(told.largest, 1)
    figures = (
        ("samples", text(f"{told.size}", f", {told.lost} of them lost" if told.lost else "")),
        ("smallest", (code(format_value(told.smallest, 1)),)),
        ("largest", text(largest) if told.largest is None else (code(largest),)),
    )
    rows = []
    reasons: dict[str, None] = {}
    for quantile in told.quantiles:
        upper = _shown(quantile.upper)
        if quantile.upper is None:
            upper = text("-")
            reasons[quantile.why_no_upper or ""] = None
        rows.append(((code(quantile.name),), _shown(quantile.estimate), _shown(quantile.lower), upper))
    confidence = f"{format_number(told.confidence * 100)} %"
    blocks: list[Block] = [
        Fields(figures),
        Table(("quantile", "in the sample", f"lower bound, {confidence}", f"upper bound, {confidence}"), tuple(rows)),
    ]
    blocks += [Paragraph(text(faint(f"no upper bound: {reason}"))) for reason in reasons if reason]
    return Entry(text(code(measured.file), faint(f"  read as {measured.format}")), tuple(blocks))


def _shown(value: Fraction | None) -> Text:
    return text("-") if value is None else (code(format_value(value, 1)),)
