"""Ctrl-C while z3 works: z3 is told to stop, and Python's own handler then says what the signal means."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import z3

__all__ = ["interruptible"]

#: The end of a pipe into which Python's signal handler writes; made at the first use.
_writing: list[int] = []


@contextmanager
def interruptible() -> Iterator[None]:
    """Let signals end a call of z3, whose C code would otherwise keep Python from handling them until it is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if not _writing:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        _writing.append(writing)
        threading.Thread(target=_watch, args=(reading,), daemon=True).start()
    before = signal.set_wakeup_fd(_writing[0], warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)


def _watch(reading: int) -> None:
    while arrived := os.read(reading, 1):
        if arrived[0] in (signal.SIGINT, signal.SIGTERM):
            z3.main_ctx().interrupt()
