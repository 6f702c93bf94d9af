"""Python source as a tree, with the bytes that each node spans."""

from __future__ import annotations

import ast
import codecs
import re
import warnings
from typing import Any, Final

from outlast.configs.readers.texts import plainly, start_of_text
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import place_of_byte

__all__ = ["Source", "parse"]

#: Where Python ends a line: not at a form feed, nor at U+2028.
_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
#: PEP 263; it may stand in the first two lines.
_COOKIE: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\f]*(?:#|$)")


class Source:
    """A parsed file."""

    def __init__(self, data: bytes, tree: ast.Module, lines: list[int]) -> None:
        self.data = data
        self.tree = tree
        #: The byte at which each line begins, behind a byte order mark.
        self.lines = lines

    def start(self, node: Any) -> int:
        """The byte at which a node begins; columns of a tree are bytes."""
        start: int = self.lines[node.lineno - 1] + node.col_offset
        return start

    def span(self, node: Any) -> tuple[int, int]:
        """The bytes of a node: its first and the one behind its last."""
        lines = self.lines
        return lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: Any) -> str:
        """What stands there."""
        start, end = self.span(node)
        return self.data[start:end].decode()


def parse(data: bytes, file: str) -> Source:
    """The tree of a file.

    Raises:
        OutlastError: at the place that cannot be read; what nests too deeply for the parser has the file's first place.
    """
    first = start_of_text(data, file)
    text = data[first:].decode()
    lines = [first, *(match.end() for match in _LINE_END.finditer(data))]
    _refuse_other_encodings(data, lines, file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the user's code
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            place = place_of_byte(data, _offset(data, lines, error), file)
            raise OutlastError(f"expected Python, found an error: {_reason(error)}", place) from None
        except (RecursionError, MemoryError):
            raise OutlastError("expected Python, found it nested too deeply", place_of_byte(data, 0, file)) from None
        except ValueError as error:
            raise OutlastError(f"expected Python, found an error: {error}", place_of_byte(data, 0, file)) from None
    return Source(data, tree, lines)


def _refuse_other_encodings(data: bytes, lines: list[int], file: str) -> None:
    ends = [*lines[1:3], len(data), len(data)]
    for start, end in zip(lines[:2], ends, strict=False):
        line = data[start:end].rstrip(b"\r\n")
        if match := _COOKIE.match(line):
            name = match[1].decode("ascii", "replace")
            if _canonical(name) not in ("utf-8", "ascii", "utf-8-sig"):
                place = place_of_byte(data, start + match.start(1), file)
                raise OutlastError(f"expected text in UTF-8, found the encoding '{name}'", place)
        if not _BLANK.match(line):
            return


def _canonical(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return name


def _offset(data: bytes, lines: list[int], error: SyntaxError) -> int:
    """The byte that the parser complains about; its columns count characters from 1."""
    line = (error.lineno or 1) - 1
    if line >= len(lines):
        return len(data)
    line = max(line, 0)
    end = lines[line + 1] if line + 1 < len(lines) else len(data)
    before = data[lines[line] : end].decode().rstrip("\r\n")[: max((error.offset or 1) - 1, 0)]
    return lines[line] + len(before.encode())


def _reason(error: SyntaxError) -> str:
    message = plainly(error.msg or "invalid syntax")
    return message[0].lower() + message[1:] if not message[:2].isupper() else message
