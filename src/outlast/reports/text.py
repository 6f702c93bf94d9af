"""A report for people at a terminal: wrapped and aligned words, coloured only where the caller has a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Final

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

__all__ = ["WIDTH", "columns_of", "lay_out", "plain", "print_coloured", "safe_line", "without_commands"]

#: The fragments of one output line, layout blanks included.
Line = list[Span]
#: Fragments that no blank separates.
Word = list[Span]

_GAP: Final = "  "
#: How many columns a report has where no terminal says otherwise.
WIDTH: Final = 100
#: What columns and texts keep where there is little room.
_NARROWEST: Final = 6
_LEAST_ROOM: Final = 24
_LONGEST_LABEL: Final = 32
#: From how many columns on drawings are made of more than ASCII, where the stream takes it.
_ROOM_FOR_BLOCKS: Final = 80
#: White space, but not before the sign of a percentage.
_BREAK: Final = re.compile(r"\s+(?!%)")
_STYLES: Final[dict[Tone, str]] = {
    Tone.PLAIN: "",
    Tone.STRONG: "bold",
    Tone.FAINT: "dim",
    Tone.GOOD: "green",
    Tone.WARN: "yellow",
    Tone.BAD: "bold red",
    Tone.CODE: "cyan",
    Tone.LINK: "dim",
}


def plain(document: Document, width: int = WIDTH) -> str:
    """The report without colours; every line ends in a line end and none has blanks before it."""
    return "".join(f"{line}\n" for line in map(_joined, lay_out(document, width)))


def print_coloured(document: Document, width: int, file: IO[str]) -> None:
    """Write the same lines with colours, and drawings in blocks where there is room. No text is read as markup."""
    from rich.console import Console
    from rich.text import Text as RichText

    console = Console(file=file, highlight=False, markup=False, emoji=False, soft_wrap=True)
    has_blocks = width >= _ROOM_FOR_BLOCKS and _is_utf8(file)
    for line in lay_out(document, width, is_ascii=not has_blocks):
        styled = RichText()
        if (changed := _joined(line)) != "".join(span.text for span in line).rstrip():
            styled.append(changed)  # what is dangerous is told without colours
        else:
            for span in line:
                styled.append(span.text, _STYLES[span.tone])
            styled.rstrip()
        console.print(styled)


def _is_utf8(file: IO[str]) -> bool:
    return (getattr(file, "encoding", None) or "").lower().replace("-", "") == "utf8"


def safe_line(line: str) -> str:
    """The line without anything that a terminal or a CI runner would obey.

    >>> safe_line("  ::error::x")
    '  . ::error::x'
    """
    return without_commands(_escaped(line.replace("\r", " ").replace("\n", " ").replace("\t", " ")))


def without_commands(line: str) -> str:
    """The line without anything that a CI runner would obey, which is `::command::` after blanks and `##[command]` anywhere.

    >>> without_commands("\\t::error::x ##[error]")
    '\\t. ::error::x # #[error]'
    """
    line = line.replace("##[", "# #[").replace("##vso", "# #vso")
    rest = line.lstrip(" \t")
    return f"{line[: len(line) - len(rest)]}. {rest}" if rest.startswith("::") else line


def lay_out(document: Document, width: int, *, is_ascii: bool = True) -> list[Line]:
    """The lines of a report; words are never broken, so a long name may stand out. `is_ascii`: what drawings are made of."""
    lines: list[Line] = []
    for block in document:
        if lines and (isinstance(block, (Section, Entry)) or lines[-1]):
            lines.append([])
        lines += _block(block, width, is_ascii=is_ascii)
    return lines


def _block(block: Block, width: int, *, is_ascii: bool) -> Iterator[Line]:
    match block:
        case Verdict(text):
            yield from _wrap([Span(s.text, Tone.STRONG if s.tone is Tone.PLAIN else s.tone) for s in text], width)
        case Paragraph(text):
            yield from _wrap(text, width, hanging=2)
        case Fields(rows):
            yield from _fields(rows, width)
        case Table():
            yield from _table(block, width)
        case Verbatim(lines):
            yield from ([Span(_escaped(s.text.expandtabs(4)), s.tone) for s in line] for line in lines)
        case Listing(items):
            for item in items:
                bullet = Span("! ", Tone.BAD) if any(s.tone is Tone.BAD for s in item) else Span("- ")
                first, *rest = list(_wrap(item, width - len(_GAP))) or [[]]
                yield [bullet, *first]
                yield from ([Span(_GAP), *line] for line in rest)
        case Drawn(panels):
            from outlast.reports.timeline_text import drawn  # few reports have drawings

            yield from drawn(panels, width, is_ascii=is_ascii)
        case Entry(title, blocks):
            yield from _wrap(title, width, hanging=4)
            yield from _indented(blocks, width, is_ascii=is_ascii)
        case Section(title, blocks):
            yield [Span(f"{title}:", Tone.STRONG)]
            yield from _indented(blocks, width, is_ascii=is_ascii)


def _indented(blocks: Sequence[Block], width: int, *, is_ascii: bool) -> Iterator[Line]:
    previous: Block | None = None
    for block in blocks:
        if previous is not None and (isinstance(block, (Entry, Section)) or Drawn in (type(block), type(previous))):
            yield []
        previous = block
        for line in _block(block, width - len(_GAP), is_ascii=is_ascii):
            yield [Span(_GAP), *line] if line else []


def _fields(rows: Sequence[tuple[str | Text, Text]], width: int) -> Iterator[Line]:
    labels = [(Span(label, Tone.FAINT),) if isinstance(label, str) else label for label, _ in rows]
    column = max((size for label in labels if (size := columns_of(_squeezed(label))) <= _LONGEST_LABEL), default=0)
    indent = Span(" " * column + _GAP)
    for label, (_, text) in zip(labels, rows, strict=True):
        lines = list(_wrap(text, max(width - column - len(_GAP), _LEAST_ROOM))) or [[]]
        size = columns_of(_squeezed(label))
        if size > column:
            yield from _wrap(label, width)
            yield [indent, *lines[0]]
        else:
            yield [*next(_wrap(label, width), []), Span(" " * (column - size) + _GAP), *lines[0]]
        for line in lines[1:]:
            yield [indent, *line]


def _table(table: Table, width: int) -> Iterator[Line]:
    used = [n for n in range(len(table.heads)) if any(n < len(row) and row[n] for row in table.rows)]
    heads: list[Text] = [(Span(table.heads[n], Tone.FAINT),) for n in used]
    rows: list[list[Text]] = [[row[n] if n < len(row) else () for n in used] for row in table.rows]
    widths = _widths([heads, *rows], width)
    if table.last_is_spare and len(used) > 1 and used[-1] == len(table.heads) - 1 and _total(widths) > width:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
        widths = _widths([heads, *rows], width)
    for row in [heads, *rows] if any(table.heads) else rows:
        cells = [list(_wrap(cell, size)) for cell, size in zip(row, widths, strict=True)]
        for n in range(max(map(len, cells), default=0)):
            line: Line = []
            gap = ""
            for cell, size in zip(cells, widths, strict=True):
                fragments = cell[n] if n < len(cell) else []
                line += [Span(gap), *fragments]
                gap = " " * max(size - sum(columns_of(s.text) for s in fragments), 0) + _GAP
            yield line


def _widths(rows: Sequence[Sequence[Text]], width: int) -> list[int]:
    """As wide as the longest cell; where that is too much, the widest columns give way first, to their longest word at most."""
    columns = list(zip(*rows, strict=True))
    natural = [max(columns_of(_squeezed(cell)) for cell in column) for column in columns]
    least = [
        max([min(_NARROWEST, size), *(_word_size(word) for cell in column for word in _words(cell))])
        for column, size in zip(columns, natural, strict=True)
    ]
    excess = _total(natural) - width
    while excess > 0:
        shrinkable = [n for n, size in enumerate(natural) if size > least[n]]
        if not shrinkable:
            break
        widest = max(shrinkable, key=lambda n: (natural[n], n))
        natural[widest] -= 1
        excess -= 1
    return natural


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _wrap(text: Iterable[Span], width: int, hanging: int = 0) -> Iterator[Line]:
    line: Line = []
    size = 0
    for word in _words(text):
        word_size = _word_size(word)
        if line and size + 1 + word_size > width:
            yield line
            line, size = ([Span(" " * hanging)] if hanging else []), hanging
        elif line:
            line.append(Span(" "))
            size += 1
        line += word
        size += word_size
    if line:
        yield line


def _words(text: Iterable[Span]) -> Iterator[Word]:
    word: Word = []
    for span in text:
        pieces = _BREAK.split(_escaped(span.text))
        for number, piece in enumerate([" ".join(pieces)] if span.is_whole else pieces):
            if number and word:
                yield word
                word = []
            if piece:
                word.append(Span(piece, span.tone))
    if word:
        yield word


def _escaped(text: str) -> str:
    """The text with everything escaped that is neither printable nor a blank."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in " \t\r\n" else c.encode("unicode_escape").decode() for c in text)


def _word_size(word: Word) -> int:
    return sum(columns_of(span.text) for span in word)


def _squeezed(text: Text) -> str:
    return " ".join("".join(s.text for s in word) for word in _words(text))


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1 for c in text
    )


def _joined(line: Line) -> str:
    return safe_line("".join(span.text for span in line).rstrip())
