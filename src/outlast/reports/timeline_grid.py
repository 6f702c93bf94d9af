"""Rows of cells on which a drawing made of characters is put together: nothing is put where something stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from outlast.reports.document import Span, Tone
from outlast.reports.text import columns_of

__all__ = ["Cell", "Grid", "Holds", "cells_of"]


class Holds(Enum):
    """What a cell is part of."""

    BAR = "bar"
    MARK = "mark"
    WORDS = "words"
    LINE = "line"


class Cell(NamedTuple):
    """One column of a row. Of a character that takes two, the second cell is empty."""

    text: str
    tone: Tone
    holds: Holds


class Grid:
    """Rows are counted from 0, downwards, and made where something is put; columns end at `width`."""

    def __init__(self, width: int, rows: Iterable[list[Cell | None]] = ()) -> None:
        self.width = width
        self.rows = [list(row) for row in rows]

    def copy(self) -> Grid:
        """Another one that looks the same."""
        return Grid(self.width, self.rows)

    def at(self, row: int, column: int) -> Cell | None:
        """What stands there; None also outside."""
        return self.rows[row][column] if row < len(self.rows) and 0 <= column < self.width else None

    def is_free(self, row: int, start: int, stop: int) -> bool:
        """Whether nothing stands from `start` to before `stop`, all inside."""
        return start >= 0 and stop <= self.width and all(self.at(row, c) is None for c in range(start, stop))

    def is_clear(self, row: int, start: int, stop: int) -> bool:
        """Whether that is free, and so is what is next to it."""
        return self.is_free(row, start, stop) and self.at(row, start - 1) is None and self.at(row, stop) is None

    def put(self, row: int, start: int, cells: Sequence[str], tone: Tone, holds: Holds) -> None:
        """Put cells where it is free."""
        assert self.is_free(row, start, start + len(cells))  # callers ask first
        self.change(row, start, cells, tone, holds)

    def change(self, row: int, start: int, cells: Sequence[str], tone: Tone, holds: Holds) -> None:
        """Put cells over cells of a bar."""
        while len(self.rows) <= row:
            self.rows.append([None] * self.width)
        for column, text in enumerate(cells, start):
            self.rows[row][column] = Cell(text, tone, holds)

    def lines(self) -> list[list[Span]]:
        """The rows as marked text, without blanks at their ends."""
        return [_line(row) for row in self.rows]


def _line(row: Sequence[Cell | None]) -> list[Span]:
    spans: list[Span] = []
    last = max((n for n, cell in enumerate(row) if cell is not None), default=-1)
    for cell in row[: last + 1]:
        text, tone = (" ", Tone.PLAIN) if cell is None else (cell.text, cell.tone)
        if spans and spans[-1].tone is tone:
            spans[-1] = Span(spans[-1].text + text, tone)
        else:
            spans.append(Span(text, tone))
    return spans


def cells_of(text: str) -> list[str]:
    """A text column by column: a wide character leaves the next cell empty, what combines stands with what it combines with.

    >>> cells_of("a漢é")
    ['a', '漢', '', 'é']
    """
    if text.isascii():
        return list(text)
    cells: list[str] = []
    for character in text:
        size = columns_of(character)
        if size == 0 and cells:
            cells[-1 if cells[-1] else -2] += character
        else:
            cells += [character, *[""] * (size - 1)]
    return cells
