"""A report as GitHub-flavoured Markdown, for a comment at a pull request; nothing in it is obeyed as Markdown or HTML but our own marks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from outlast.constraints.errors import printable
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
)
from outlast.reports.text import without_commands

__all__ = ["code_span", "escape", "markdown"]

_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>|~&$#]")
#: What would make a list, a heading, or for a runner a command of a paragraph that starts with it.
_START: Final = re.compile(r"^(\d*)([-+=.):])")
_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9./_~%#?&=+:@,;-]+")
_MENTION: Final = re.compile(r"@(?=\w)")
_REFERENCE: Final = re.compile(r"(\\#|\bGH-)(?=\d)", re.IGNORECASE)
#: An invisible character that keeps `@name` and `#1` from being linked.
_APART: Final = "&#8203;"
#: The level of a section that stands in no other. Entries are one deeper, also those in entries: they say by numbers what they belong to.
_SECTION: Final = 3
#: How many columns a drawing has: about what a comment shows without scrolling.
_DRAWING: Final = 80
#: Above what is folded of a finding.
_LOOK_CLOSER: Final = "Numbers, reasons and sources"


def markdown(document: Document) -> str:
    """The whole report; blocks are separated by blank lines."""
    return "\n\n".join(_blocks(document)) + "\n"


def escape(words: str) -> str:
    """Text from anywhere as text of a paragraph or a table's cell.

    >>> escape("<b> @bob")
    '\\\\<b\\\\> @&#8203;bob'
    """
    escaped = _SPECIAL.sub(r"\\\g<0>", printable(words))
    return _REFERENCE.sub(rf"\1{_APART}", _MENTION.sub(f"@{_APART}", escaped))


def code_span(words: str, *, in_table: bool = False) -> str:
    """A code span, fenced with more backticks than the text has in a row.

    >>> code_span("a`b")
    '``a`b``'
    """
    # Runners obey `##[command]` anywhere in a line.
    words = printable(words).replace("##[", "# #[").replace("##vso", "# #vso")
    if not words:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", words)), default=0) + 1)
    pad = " " if words[0] == "`" or words[-1] == "`" else ""
    if in_table:
        words = words.replace("|", "\\|")
    return f"{fence}{pad}{words}{pad}{fence}"


def _block(block: Block, level: int) -> Iterator[str]:
    """Its parts; `level` is that of a section's heading here."""
    match block:
        case Verdict(text):
            yield f"**{_inline(tuple(Span(s.text) for s in text))}**"
        case Paragraph(text):
            yield _unstarted(_inline(text))
        case Fields():
            yield from _lists((block,))
        case Table(heads, rows):
            used = [n for n in range(len(heads)) if any(n < len(row) and row[n] for row in rows)]
            lines = [[escape(heads[n]) for n in used], ["---"] * len(used)]
            lines += [[_inline(row[n], in_table=True) if n < len(row) else "" for n in used] for row in rows]
            yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        case Verbatim(lines, language):
            yield _fenced(["".join(s.text for s in line) for line in lines], language)
        case Listing(items):
            yield "\n".join(f"- {_unstarted(_inline(item))}" for item in items)
        case Drawn(panels):
            from outlast.reports.timeline_text import drawn  # few reports have drawings

            yield _fenced(["".join(s.text for s in line) for line in drawn(panels, _DRAWING, is_ascii=True)], "text")
        case Entry(title, blocks):
            yield f"{'#' * max(level, _SECTION + 1)} {_inline(title)}"
            yield from _blocks(blocks, level)
        case Section(title, blocks, is_folded):
            title = title[:1].upper() + title[1:]
            inner = _blocks(blocks, level + 1)
            yield from _folded(title, inner) if is_folded else (f"{'#' * level} {escape(title)}", *inner)


def _unstarted(words: str) -> str:
    """The same, but no list, heading or command starts with it."""
    return _START.sub(r"\1\\\2", words)


def _fenced(lines: Sequence[str], language: str) -> str:
    """Lines between fences longer than any that they hold, with nothing in them that steers a terminal or that a runner obeys."""
    shown = [
        without_commands(
            "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in line)
        )
        for line in lines
    ]
    longest = max((len(run) for line in shown for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *shown, fence])


def _blocks(blocks: Sequence[Block], level: int = _SECTION) -> Iterator[str]:
    fields: list[Fields] = []
    for block in blocks:
        if isinstance(block, Fields):
            fields.append(block)  # lists that follow each other would become one, with gaps
            continue
        yield from _lists(fields)
        fields = []
        yield from _block(block, level)
    yield from _lists(fields)


def _lists(fields: Sequence[Fields]) -> Iterator[str]:
    """What to see first, then what is folded."""
    if shown := [row for each in fields for row in each.rows[each.folded :]]:
        yield _list(shown)
    if spare := [row for each in fields for row in each.rows[: each.folded]]:
        yield from _folded(_LOOK_CLOSER, (_list(spare),))


def _folded(title: str, parts: Iterable[str]) -> Iterator[str]:
    """Parts that are seen once the title, our own words, is clicked; blank lines around them make GitHub render what they hold."""
    yield f"<details><summary>{html.escape(printable(title))}</summary>"
    yield from parts
    yield "</details>"


def _list(rows: Sequence[tuple[str | Text, Text]]) -> str:
    labelled = [(escape(label) if isinstance(label, str) else _inline(label), words) for label, words in rows]
    return "\n".join(f"- {label}: {_inline(words)}" for label, words in labelled)


def _inline(text: Text, *, in_table: bool = False) -> str:
    return "".join(_span(span, in_table=in_table) for span in text)


def _span(span: Span, *, in_table: bool) -> str:
    if span.tone is Tone.LINK and _ADDRESS.fullmatch(span.text):
        return f"<{span.text}>"
    if span.tone in (Tone.CODE, Tone.LINK):
        return code_span(span.text, in_table=in_table)
    # printable() takes the blanks at the ends, which separate spans.
    start = " " if span.text[:1].isspace() else ""
    end = " " if span.text[-1:].isspace() and span.text.strip() else ""
    words = escape(span.text)
    return f"{start}**{words}**{end}" if span.tone in (Tone.BAD, Tone.STRONG) and words else f"{start}{words}{end}"
