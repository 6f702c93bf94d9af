"""Where reports go: data to stdout, everything else to stderr, a line each; a reader who leaves early is no error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import IO, Final

from outlast.constraints.errors import printable
from outlast.reports.document import Document
from outlast.reports.text import plain, print_coloured, safe_line

__all__ = ["set_up_streams", "show", "tell", "tell_block", "tell_unwritable", "write"]

#: How many columns a report has where no terminal says otherwise.
_WIDTH: Final = 100
_NARROWEST: Final = 40
_WIDEST: Final = 140


def set_up_streams() -> None:
    """Characters that a stream cannot carry are escaped; they are no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write to stdout."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)


def tell(line: str) -> None:
    """Write one line to stderr; where that cannot be, there is nobody to tell."""
    try:
        sys.stderr.write(safe_line(printable(line)) + "\n")
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def tell_unwritable(error: OSError) -> None:
    """Say that the report could not be written, and give stdout up."""
    _abandon(sys.stdout)
    reason = error.strerror or type(error).__name__
    tell(f"outlast: cannot write the report: {reason[:1].lower()}{reason[1:]}")


def tell_block(text: str) -> None:
    """Write lines of our own to stderr."""
    for line in text.splitlines():
        with suppress(OSError):
            sys.stderr.write(line.rstrip() + "\n")


def show(document: Document) -> None:
    """Write a report to stdout, with colours if it is a terminal."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        write(plain(document, _width()))
        return
    try:
        print_coloured(document, _width(), sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)


def _abandon(stream: IO[str]) -> None:
    """Let the interpreter flush into nothing at its end, not into a pipe that nobody reads."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def _width() -> int:
    """As wide as the terminal, within reason; where there is none, always the same."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and 0 < len(columns) <= 4:
        return min(max(int(columns), _NARROWEST), _WIDEST)
    if sys.stdout.isatty():
        with suppress(OSError, ValueError):
            return min(max(os.get_terminal_size(sys.stdout.fileno()).columns, _NARROWEST), _WIDEST)
    return _WIDTH
