"""What can be wrong with a user's input, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

__all__ = ["OVERRIDE", "InputErrors", "OutlastError", "Place", "printable"]

#: What stands for the file of a place on the command line.
OVERRIDE: Final = "--set"


class Place(NamedTuple):
    """A position in a file: lines and columns count characters from 1."""

    file: str
    line: int
    col: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"

    def shifted(self, columns: int) -> Place:
        """The place that many columns further right on the same line."""
        return Place(self.file, self.line, self.col + columns)


class OutlastError(Exception):
    """Input that cannot be used: what was found, what was expected, where.

    The message is lower case without a full stop and printable, whatever it quotes; the place is a field, so that reports can set it apart.
    """

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = printable(message)
        self.place = place

    def __str__(self) -> str:
        return self.message if self.place is None else f"{self.place}: {self.message}"


class InputErrors(ExceptionGroup[OutlastError]):
    """All that is wrong with one input, in the order in which it stands there."""

    def derive(self, excs: Sequence[OutlastError]) -> InputErrors:  # type: ignore[override]  # narrower on purpose
        """The same for some of the errors."""
        return InputErrors(self.message, excs)


def printable(text: str) -> str:
    """The text on one line, with nothing in it that steers a terminal.

    White space becomes single blanks; other control, format and surrogate characters are written as escapes.

    >>> printable("a\\n\\x1b[31mb")
    'a \\\\x1b[31mb'
    """
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
