"""What a report says, before any format lays it out: paragraphs, fields and tables of marked words.

These are named tuples, since making a frozen dataclass takes six times as long, and every run of the tool makes all of them.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from outlast.picturing.timeline import Timeline

__all__ = [
    "Block",
    "Document",
    "Drawn",
    "Entry",
    "Fields",
    "Listing",
    "Paragraph",
    "Section",
    "Span",
    "Table",
    "Text",
    "Tone",
    "Verbatim",
    "Verdict",
    "bad",
    "code",
    "faint",
    "good",
    "link",
    "plain_text",
    "strong",
    "text",
    "warn",
    "whole",
]


class Tone(Enum):
    """How a piece of text is meant; a format may show it by colour, weight or not at all."""

    PLAIN = "plain"
    STRONG = "strong"
    FAINT = "faint"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    #: Names, values and formulas.
    CODE = "code"
    #: The address of a page, as somebody wrote it.
    LINK = "link"


class Span(NamedTuple):
    """A piece of text as it came; each format makes it safe in its own way."""

    text: str
    tone: Tone = Tone.PLAIN
    #: Whether it stays on one line.
    is_whole: bool = False


Text = tuple[Span, ...]


class Verdict(NamedTuple):
    """The answer in one sentence."""

    text: Text


class Paragraph(NamedTuple):
    """Running text."""

    text: Text


class Fields(NamedTuple):
    """Labels, each with its text; a bare string is a label of our own words."""

    rows: tuple[tuple[str | Text, Text], ...]
    #: How many of them, from the first, are for who looks closer: a format may fold them.
    folded: int = 0


class Table(NamedTuple):
    """Columns with heads; rows may not be longer than the heads."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    #: Whether the last column may be left out where there is no room for it.
    last_is_spare: bool = False


class Verbatim(NamedTuple):
    """Lines of a file or of a difference between files, whose blanks mean something; never wrapped."""

    lines: tuple[Text, ...]
    #: What they are written in, for formats that can tell.
    language: str = "text"


class Listing(NamedTuple):
    """Sentences, each on lines of its own."""

    items: tuple[Text, ...]


class Drawn(NamedTuple):
    """One drawing at one or several sets of values, each under its heading, all with the same axis."""

    panels: tuple[tuple[str, Timeline], ...]


class Entry(NamedTuple):
    """One thing told at length: a line, and what belongs to it."""

    title: Text
    blocks: tuple[Block, ...]


class Section(NamedTuple):
    """Blocks under a heading of our own words."""

    title: str
    blocks: tuple[Block, ...]
    #: Whether it is for who looks closer: a format may fold it.
    is_folded: bool = False


Block = Verdict | Paragraph | Fields | Table | Verbatim | Listing | Drawn | Entry | Section
Document = tuple[Block, ...]


def text(*parts: str | Span | Text) -> Text:
    """Parts joined as they are; a bare string is plain."""
    spans: list[Span] = []
    for part in parts:
        if isinstance(part, Span):
            spans.append(part)
        elif isinstance(part, str):
            spans += [Span(part)] if part else []
        else:
            spans += part
    return tuple(spans)


def plain_text(words: Text) -> str:
    """Marked words without their marks."""
    return "".join(span.text for span in words)


def code(words: str) -> Span:
    """A name, a value or a formula."""
    return Span(words, Tone.CODE)


def whole(span: Span | str) -> Span:
    """A number, a range or the like, which no line end may tear apart."""
    text, tone, _ = span if isinstance(span, Span) else Span(span)
    return Span(text, tone, True)


def strong(words: str) -> Span:
    """Words to see first."""
    return Span(words, Tone.STRONG)


def link(address: str) -> Span:
    """The address of a page."""
    return Span(address, Tone.LINK)


def faint(words: str) -> Span:
    """Words for who looks closer."""
    return Span(words, Tone.FAINT)


def good(words: str) -> Span:
    """What is as it should be."""
    return Span(words, Tone.GOOD)


def warn(words: str) -> Span:
    """What deserves a look."""
    return Span(words, Tone.WARN)


def bad(words: str) -> Span:
    """What is wrong."""
    return Span(words, Tone.BAD)
