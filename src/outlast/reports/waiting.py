"""One line on a terminal that says what is being done, from a second on: redrawn in place, and erased before anything else is written."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Final

from outlast.constraints import progress
from outlast.constraints.errors import printable
from outlast.reports.text import columns_of, safe_line

__all__ = ["WaitingLine"]

#: In seconds: how long nothing is said, at the beginning and after something else was written, and between two looks.
_SILENCE: Final = 1.0
_INTERVAL: Final = 0.1
#: Back to the beginning of the line, and erase what stands there (ECMA-48, EL).
_ERASE: Final = "\r\x1b[K"
_NARROWEST: Final = 20
_WIDTH: Final = 80


class WaitingLine:
    """The line on a terminal, drawn by a thread of its own, so that it moves while z3 works."""

    def __init__(self, terminal: IO[str]) -> None:
        self._terminal = terminal
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._drawn = ""
        self._begin = time.monotonic()
        self._silent_until = self._begin + _SILENCE
        threading.Thread(target=self._run, daemon=True).start()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While something else is written, the line is away."""
        with self._lock:
            self._erase()
            try:
                yield
            finally:
                self._silent_until = time.monotonic() + _SILENCE

    def end(self) -> None:
        """Erase the line for good."""
        self._over.set()
        with self._lock:
            self._erase()

    def _run(self) -> None:
        wait = _SILENCE
        while not self._over.wait(wait):
            wait = _INTERVAL
            with self._lock:
                if not self._over.is_set() and time.monotonic() >= self._silent_until:
                    self._draw()

    def _draw(self) -> None:
        seconds = int(time.monotonic() - self._begin)
        line = _cut(f"outlast: {progress.now() or 'working'}", f" ({seconds} s)", self._columns() - 1)
        if line != self._drawn:
            self._write(_ERASE + line)
            self._drawn = line

    def _erase(self) -> None:
        if self._drawn:
            self._write(_ERASE)
            self._drawn = ""

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._terminal.write(text)
            self._terminal.flush()

    def _columns(self) -> int:
        columns = 0  # as terminals say that do not know
        with suppress(OSError, ValueError):
            columns = os.get_terminal_size(self._terminal.fileno()).columns
        return max(columns or _WIDTH, _NARROWEST)


def _cut(text: str, end: str, columns: int) -> str:
    """The text and the end, the text cut so that both fit into so many columns."""
    text = safe_line(printable(text))
    room = columns - len(end)
    if columns_of(text) > room:
        while columns_of(text) > room - 3:
            text = text[:-1]
        text += "..."
    return text + end
