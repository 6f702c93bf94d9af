"""What git tells of differences: names in lists, and lines in patches without context."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final

__all__ = ["added_lines", "names_in_numstat"]

_HUNK: Final = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
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


def added_lines(patch: bytes) -> Iterator[tuple[str, frozenset[int]]]:
    """Of each file in a patch with `--unified=0`, the lines, from 1, of the new version in it."""
    name: str | None = None
    added: set[int] = set()
    lines = iter(patch.split(b"\n"))
    for line in lines:
        if line.startswith(b"diff --git "):
            if name is not None:
                yield name, frozenset(added)
            name, added = None, set()
        elif line.startswith(b"+++ "):
            name = _name_in(line[4:])
        elif hunk := _HUNK.match(line):
            removed, start, count = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            added.update(range(start, start + count))
            left = removed + count  # lines that may look like anything
            while left and (inner := next(lines, None)) is not None:
                left -= not inner.startswith(b"\\")  # `\ No newline at end of file`
    if name is not None:
        yield name, frozenset(added)


def _name_in(text: bytes) -> str | None:
    """The name in `b/name`, which is quoted where a character in it is unusual; None: the file is gone."""
    text = text.removesuffix(b"\t")  # which follows a name with a blank
    if text[:1] == b'"':
        text = _ESCAPE.sub(lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else _ESCAPED.get(m[1], m[1]), text[1:-1])
    return os.fsdecode(text[2:]) if text.startswith(b"b/") else None
