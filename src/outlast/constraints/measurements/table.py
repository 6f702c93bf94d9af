"""Comma-separated files: their records, each with the line on which it starts."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Final

from outlast.constraints.measurements.problems import Problems

__all__ = ["column_of", "records"]

_LONGEST_FIELD: Final = 2**31 - 1


def records(text: str, delimiter: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """The records that are not blank, quotes resolved. An open or misplaced quote ends them with a problem."""
    line, before = 1, csv.field_size_limit()
    # The library's limit is one for the whole process, and a response's body may exceed it.
    csv.field_size_limit(_LONGEST_FIELD)
    try:
        reader = csv.reader(text.split("\n"), delimiter=delimiter, strict=True)
        for record in reader:
            if record:
                yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        problems.add(f"expected comma-separated values, found them malformed: {error}", line)
    finally:
        csv.field_size_limit(before)


def column_of(text: str, line: int, field: int, delimiter: str) -> int:
    """The column, from 1, at which a field of the record that starts on that line starts; 1 if it starts further down."""
    raw = text.split("\n", line)[line - 1]
    is_quoted = False
    for col, character in enumerate(raw, 1):
        if field == 0:
            return col
        if character == '"':
            is_quoted = not is_quoted
        elif character == delimiter and not is_quoted:
            field -= 1
    return 1 if field else len(raw) + 1
