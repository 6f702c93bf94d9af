"""A report as HTML: every block that a document may have; nothing in it is markup but our own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from outlast.reports.document import (
    Block,
    Document,
    Drawn,
    Entry,
    Fields,
    Listing,
    Paragraph,
    Section,
    Span,
    Table,
    Text,
    Tone,
    Verbatim,
    Verdict,
    plain_text,
)
from outlast.reports.markup import Markup, element, joined, shown

__all__ = ["address_markup", "document_markup", "fields_markup", "table_markup", "text_markup"]

_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9./_~%#?&=+:@,;()-]+")
#: The deepest heading that there is.
_DEEPEST: Final = 6
#: Above what is folded of a finding.
_LOOK_CLOSER: Final = "Numbers, reasons and sources"
_ELEMENTS: Final = {Tone.CODE: "code", Tone.STRONG: "strong", Tone.BAD: "strong"}
_CLASSES: Final = {Tone.FAINT: "faint", Tone.GOOD: "good", Tone.WARN: "warn", Tone.BAD: "bad"}


def document_markup(document: Document, *, level: int = 3) -> Markup:
    """The whole report; headings of sections have this level, those inside of them are one deeper."""
    return joined(_block(block, level) for block in document)


def text_markup(text: Text) -> Markup:
    """Marked words in a line."""
    return joined(_span(span) for span in text)


def address_markup(address: str) -> Markup:
    """A link, where it is the address of a page; else its text.

    >>> address_markup("javascript:alert(1)"), address_markup("https://a.example/?b&c")
    ('javascript:alert(1)', '<a href="https://a.example/?b&amp;c" rel="noopener noreferrer">https://a.example/?b&amp;c</a>')
    """
    if not _ADDRESS.fullmatch(address):
        return joined((address,))
    return element("a", address, href=address, rel="noopener noreferrer")


def fields_markup(rows: Iterable[tuple[str | Text, str]]) -> Markup:
    """Labels, each with what it says; text is escaped, markup stays."""
    pairs = (
        element("div", element("dt", label if isinstance(label, str) else text_markup(label)), element("dd", said))
        for label, said in rows
    )
    return element("dl", *pairs, class_="fields")


def table_markup(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table whose cells know their heads, so that a narrow window can show each row as a list; text is escaped, markup stays.

    The first cell of a row heads it. Without any head there is no line of them.
    """
    parts: list[Markup] = []
    if any(heads):
        cells = (element("th", head, scope="col", role="columnheader") for head in heads)
        parts.append(element("thead", element("tr", *cells, role="row"), role="rowgroup"))
    body = (element("tr", *_cells(heads, row), role="row") for row in rows)
    parts.append(element("tbody", *body, role="rowgroup"))
    # A browser that lays a table out as a list forgets that it is one, unless told.
    return element("table", *parts, class_="cards", role="table")


def _cells(heads: Sequence[str], row: Sequence[str]) -> Iterator[Markup]:
    for number, (head, cell) in enumerate(zip(heads, (*row, *[""] * (len(heads) - len(row))), strict=True)):
        if number == 0:
            yield element("th", cell, scope="row", role="rowheader")
        else:
            yield element("td", cell, role="cell", data_label=head or None, class_=None if cell else "empty")


def _block(block: Block, level: int) -> Markup:
    match block:
        case Verdict():
            return element("p", text_markup(block.text), class_="verdict")
        case Paragraph():
            return element("p", text_markup(block.text))
        case Fields():
            return _fields(block)
        case Table():
            return _table(block)
        case Verbatim():
            lines = (plain_text(line).expandtabs(4) for line in block.lines)
            return element("pre", element("code", joined(lines, Markup("\n"))))
        case Listing():
            return element("ul", *(element("li", text_markup(item)) for item in block.items))
        case Drawn():  # the page draws by itself, at any values; other blocks tell what pictures show
            return Markup("")
        case Entry():
            inner = document_markup(block.blocks, level=level + 1)
            return element("div", _heading(text_markup(block.title), level), inner, class_="entry")
        case Section():
            title = block.title[:1].upper() + block.title[1:]
            if block.is_folded:  # what unfolds it is no heading
                return element("details", element("summary", title), document_markup(block.blocks, level=level))
            inner = document_markup(block.blocks, level=level + 1)
            return element("div", _heading(title, level), inner, class_="part")


def _table(block: Table) -> Markup:
    """Columns in which nothing stands are left out."""
    used = [n for n in range(len(block.heads)) if any(n < len(row) and row[n] for row in block.rows)]
    cells = ([text_markup(row[n]) if n < len(row) else Markup("") for n in used] for row in block.rows)
    return table_markup([block.heads[n] for n in used], cells)


def _heading(title: str, level: int) -> Markup:
    return element(f"h{min(level, _DEEPEST)}", title)


def _fields(block: Fields) -> Markup:
    """What to see first, then what is folded."""
    rows = [(label, text_markup(said)) for label, said in block.rows]
    parts = [fields_markup(rows[block.folded :])] if rows[block.folded :] else []
    if spare := rows[: block.folded]:
        parts.append(element("details", element("summary", _LOOK_CLOSER), fields_markup(spare)))
    return joined(parts)


def _span(span: Span) -> Markup:
    told = address_markup(span.text) if span.tone is Tone.LINK else span.text
    classes = [_CLASSES[span.tone]] if span.tone in _CLASSES else []
    classes += ["whole"] if span.is_whole else []
    name = _ELEMENTS.get(span.tone) or ("span" if classes else None)
    return shown(told) if name is None else element(name, told, class_=" ".join(classes) or None)
