"""What `settings` found, as a document: file by file, where each value stands, how a spec refers to it, and what it says."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from outlast.configs.listing import Listed, ListedFile, Listing
from outlast.constraints.errors import printable
from outlast.constraints.quantities import Kind, format_value
from outlast.reports.document import Block, Document, Entry, Paragraph, Table, Text, Verdict, code, faint, text, whole
from outlast.reports.wording import counted

__all__ = ["settings_document", "unread_text"]

#: How many characters of a value are shown.
_LONGEST: Final = 48
#: How many characters of a reason stand beside each other at least.
_NARROWEST: Final = 32


def settings_document(listing: Listing) -> Document:
    """The whole report; what could not be read is told elsewhere."""
    total = sum(len(file.settings) for file in listing.files)
    blocks: list[Block] = [
        Verdict(text(f"{counted(total, 'setting')} in {len(listing.files)} of {counted(listing.read, 'file')}"))
    ]
    blocks += [_file(file) for file in listing.files]
    if total:
        blocks.append(Paragraph(text(faint("a spec takes a value from its file with "), code("at: FILE#SETTING"))))
    return tuple(blocks)


def unread_text(listing: Listing) -> str | None:
    """How many files could not be read, which errors and notes before have told one by one; None: all could."""
    files = {p.error.place.file if p.error.place else p.error.message for p in listing.problems}
    count = len(files) + len(listing.skipped)
    return f"{counted(count, 'file')} could not be read" if count else None


def _file(file: ListedFile) -> Entry:
    rows = tuple(_row(setting) for setting in file.settings)
    table = Table(("line:col", "setting", "text", "value"), rows)
    return Entry(text(code(file.file), faint(f"  read as {file.format}")), (table,))


def _row(setting: Listed) -> tuple[Text, ...]:
    return (
        text(whole(f"{setting.line}:{setting.col}")),
        (whole(code(printable(setting.selector))),),
        (whole(code(_shortened(setting.raw))),),
        _value(setting),
    )


def _shortened(raw: str) -> str:
    """The beginning of a text, with the middle left out of what is too long.

    >>> _shortened("a" * 100)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaaaa'
    """
    shown = printable(raw[: 4 * _LONGEST] + raw[-4 * _LONGEST :] if len(raw) > 8 * _LONGEST else raw)
    return shown if len(shown) <= _LONGEST else f"{shown[:38]}…{shown[-9:]}"


def _value(setting: Listed) -> Text:
    if setting.value is None:
        return _reason(printable(setting.reason or ""))
    kind = setting.kind
    exponent = 0 if kind is None else kind.time_exponent
    return (whole(code(format_value(setting.value, exponent, percent=kind is Kind.RATIO))),)


def _reason(words: str) -> Text:
    """Words that keep together in pieces: beside a long selector they would stand below each other one by one."""
    pieces = wrap(words, _NARROWEST, break_long_words=False, break_on_hyphens=False)
    return text(*[part for piece in pieces for part in (" ", whole(faint(piece)))][1:])
