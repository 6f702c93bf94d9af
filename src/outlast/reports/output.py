"""Where reports go: data to stdout, everything else to stderr, a line each; a reader who leaves early is no error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import IO, TYPE_CHECKING, Final

from outlast.constraints.errors import printable
from outlast.reports.document import Document
from outlast.reports.text import WIDTH, plain, print_coloured, safe_line

if TYPE_CHECKING:
    from outlast.reports.waiting import WaitingLine

__all__ = ["set_up_streams", "show", "tell", "tell_block", "tell_unwritable", "waiting", "write", "write_utf8"]

_NARROWEST: Final = 40
_WIDEST: Final = 140

#: The line that says what is being done, while something is.
_line: WaitingLine | None = None


def set_up_streams() -> None:
    """Characters that a stream cannot carry are escaped; they are no reason to fail. What goes to a stream that was closed is lost."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until the process ends
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def waiting() -> Iterator[None]:
    """While the body works for more than a second, a line on stderr says what is being done; on a terminal that a person looks at."""
    global _line
    is_watched = hasattr(sys.stderr, "isatty") and sys.stderr.isatty()  # there is none where it was closed
    if not is_watched or os.environ.get("TERM") == "dumb" or os.environ.get("CI"):
        yield
        return
    from outlast.reports.waiting import WaitingLine

    _line = line = WaitingLine(sys.stderr)
    try:
        yield
    finally:
        _line = None
        line.end()


def _aside() -> AbstractContextManager[None]:
    return nullcontext() if _line is None else _line.aside()


def write(text: str) -> None:
    """Write to stdout."""
    try:
        with _aside():
            sys.stdout.write(text)
            sys.stdout.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)


def write_utf8(text: str) -> None:
    """Write a file's text to stdout, in UTF-8 whatever a terminal would take: what is in it says so."""
    if not hasattr(sys.stdout, "buffer"):
        write(text)
        return
    try:
        with _aside():
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)


def tell(line: str) -> None:
    """Write one line to stderr; where that cannot be, there is nobody to tell."""
    try:
        with _aside():
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
    with _aside():
        for line in text.splitlines():
            with suppress(OSError):
                sys.stderr.write(line.rstrip() + "\n")


def show(document: Document) -> None:
    """Write a report to stdout, with colours if it is a terminal."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        write(plain(document, _width()))
        return
    try:
        with _aside():
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
    return WIDTH
