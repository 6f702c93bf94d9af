"""What git tells of differences: names in lists, and lines in patches without context."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

__all__ = ["Hunk", "hunks_in", "line_now", "names_in_numstat"]

_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED: Final = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


def names_in_numstat(numstat: bytes) -> list[tuple[str, str]]:
    """Old and new names of `--numstat -z`, the same where a file was not renamed."""
    found = []
    parts = iter(numstat.split(b"\0")[:-1])
    for part in parts:
        name = part.split(b"\t", 2)[2]
        old, new = (name, name) if name else (next(parts), next(parts))
        found.append((os.fsdecode(old), os.fsdecode(new)))
    return found


class Hunk(NamedTuple):
    """Some lines of an old version, and those of the new one that stand in their place; lines count from 1.

    Without any of its own, a side begins behind its line of that number.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int

    def added(self) -> range:
        """The lines of the new version."""
        return range(self.new_start, self.new_start + self.new_count)


def line_now(line: int, hunks: Sequence[Hunk]) -> int | None:
    """Where a line of the old version stands in the new one; None: it is gone, or another stands in its place.

    >>> [line_now(line, [Hunk(2, 1, 2, 3), Hunk(4, 0, 7, 1)]) for line in (1, 2, 3, 4, 5)]
    [1, None, 5, 6, 8]
    """
    moved = line
    for hunk in hunks:
        if hunk.old_start <= line < hunk.old_start + hunk.old_count:
            return None
        if line >= hunk.old_start + max(hunk.old_count, 1):
            moved += hunk.new_count - hunk.old_count
    return moved


def hunks_in(patch: bytes) -> Iterator[tuple[str, tuple[Hunk, ...]]]:
    """Of each file in a patch with `--unified=0`, by its new name, what differs; in the order of the file."""
    name: str | None = None
    found: list[Hunk] = []
    lines = iter(patch.split(b"\n"))
    for line in lines:
        if line.startswith(b"diff --git "):
            if name is not None:
                yield name, tuple(found)
            name, found = None, []
        elif line.startswith(b"+++ "):
            name = _name_in(line[4:])
        elif match := _HUNK.match(line):
            hunk = Hunk(int(match[1]), int(match[2] or 1), int(match[3]), int(match[4] or 1))
            found.append(hunk)
            left = hunk.old_count + hunk.new_count  # lines that may look like anything
            while left and (inner := next(lines, None)) is not None:
                left -= not inner.startswith(b"\\")  # `\\ No newline at end of file`
    if name is not None:
        yield name, tuple(found)


def _name_in(text: bytes) -> str | None:
    """The name in `b/name`, which is quoted where a character in it is unusual; None: the file is gone."""
    text = text.removesuffix(b"\t")  # which follows a name with a blank
    if text[:1] == b'"':
        text = _ESCAPE.sub(lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else _ESCAPED.get(m[1], m[1]), text[1:-1])
    return os.fsdecode(text[2:]) if text.startswith(b"b/") else None
