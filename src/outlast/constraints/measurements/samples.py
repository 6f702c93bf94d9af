"""Samples one by one: a number a line, or one column of a comma-separated file.

Nearly every file has nothing but digits, points and line ends in it; such a file is read by C code alone. Any other takes the
careful path, which knows where each value stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from outlast.constraints.files import decode
from outlast.constraints.measurements.decimals import (
    MOST_OBSERVATIONS,
    NUMBER,
    Number,
    expected_duration,
    number_of,
    observations,
    too_long,
)
from outlast.constraints.measurements.problems import Problems, one_of, shown
from outlast.constraints.measurements.sample import ExactSample
from outlast.constraints.quantities import DURATION_UNITS, LARGEST, QuantityError, parse_duration

if TYPE_CHECKING:
    from outlast.constraints.measurements.read import SampleOptions

__all__ = ["read"]

_VALUE: Final = re.compile(rf"{NUMBER}[ ]?({'|'.join(sorted(DURATION_UNITS, key=len, reverse=True))})?")
_DELIMITERS: Final = (",", ";", "\t")
#: No number that fits has more characters before the point, and none that a tool writes has more in all.
_LONGEST: Final = 40


def read(data: bytes, file: str, options: SampleOptions) -> ExactSample:
    """Read bare numbers of `options.unit`, or values with their own units.

    Raises:
        OutlastError, InputErrors: with the places of what is wrong.
    """
    text = decode(data, file)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if text.count("\n") > MOST_OBSERVATIONS:
        raise Problems(file).fail(f"expected at most {MOST_OBSERVATIONS} lines, found more")
    if options.column is None:
        lines = text.removesuffix("\n").split("\n")
        sample = _fast(lines, options)
        return sample or _careful(enumerate(lines, 1), file, options, _indent, is_column=False)
    return _column(text, file, options, options.column)


def _fast(lines: list[str], options: SampleOptions) -> ExactSample | None:
    """The sample, or None where a line is anything else than a bare number without sign and exponent."""
    joined = "\n".join(lines)
    if options.unit is None or joined.encode().translate(None, b"0123456789.\n") or max(map(len, lines)) > _LONGEST:
        return None
    unit = Fraction(DURATION_UNITS[options.unit])
    decimals = _common_decimals(lines, joined)
    values: list[int] | list[Decimal]
    try:
        if decimals is None:
            values = list(map(Decimal, lines))
        else:
            values = list(map(int, joined.replace(".", "").split("\n")))
            unit /= 10**decimals
    except (InvalidOperation, ValueError):
        return None
    sample = ExactSample(values, unit, options.lost)
    return sample if sample.largest <= LARGEST else None


def _common_decimals(lines: list[str], joined: str) -> int | None:
    """How many digits follow the point on each line, where it is the same number and at least one, or no line has a point."""
    points = joined.count(".")
    if points == 0:
        return 0
    decimals = len(lines[0]) - 1 - lines[0].rfind(".")
    try:
        is_common = points == len(lines) and set(map(itemgetter(-1 - decimals), lines)) == {"."}
    except IndexError:
        return None
    return decimals if is_common else None


def _careful(
    values: Iterable[tuple[int, str]],
    file: str,
    options: SampleOptions,
    find_column: Callable[[int, str], int],
    *,
    is_column: bool,
) -> ExactSample:
    """The sample, or all that is wrong; `find_column` tells where the value of a line starts."""
    problems = Problems(file)
    numbers: list[Number] = []
    first = ""
    for line, raw in values:
        value = raw.strip(" \t")
        if not is_column and (not value or value.startswith("#")):
            continue
        column = partial(find_column, line, raw)
        number, has_unit = _nanoseconds(value, options.unit)
        if isinstance(number, str):
            hint = "" if is_column else _hint(value, line)
            problems.add(number + hint, line, column)
            continue
        first = first or value
        if has_unit is not first[-1].isalpha():
            mixed = f"found mixed units: {shown(value)} after {shown(first)}"
            problems.add(f"expected values all with or all without units, {mixed}", line, column)
        elif number is None:
            message = f"expected a value with its unit, found {shown(value)}; say with `unit:` what bare numbers mean"
            raise problems.fail(message, line, column())
        elif too_long(number, 1):
            message = f"expected a duration of at most {LARGEST} ns, about 292 years, found {shown(value)}"
            problems.add(message, line, column)
        else:
            numbers.append(number)
    problems.raise_if_any()
    if not numbers:
        raise problems.fail("expected at least one sample, found none")
    return observations(numbers, 1, options.lost)


def _nanoseconds(value: str, bare_unit: str | None) -> tuple[Number | str | None, bool]:
    """The value in ns, None if it has no unit, or what is wrong with it; and whether it has a unit of its own."""
    match = _VALUE.fullmatch(value)
    if match is None:
        compound = _compound(value)
        return compound or expected_duration(value), compound is not None
    number, unit = number_of(*match.groups()[:4]), match[5] or bare_unit
    if unit is None:
        return None, False
    return Number(number.digits * DURATION_UNITS[unit], number.exponent), match[5] is not None


def _compound(value: str) -> Number | None:
    """`1m30s`, as Go writes durations."""
    if not value[:1].isdigit() or not value[-1:].isalpha():
        return None
    try:
        return Number(int(parse_duration(value)), 0)
    except QuantityError:
        return None


def _hint(value: str, line: int) -> str:
    """What may be meant by a line of a plain file that is no number."""
    delimiter = next((d for d in _DELIMITERS if d in value), None)
    if delimiter is not None and value.strip(delimiter):
        return "; of a file with several columns, name one with `column:`"
    if line == 1 and value[:1].isalpha():
        return "; if this is the name of the column, say so with `column:`"
    return ""


def _indent(_: int, raw: str) -> int:
    return 1 + len(raw) - len(raw.lstrip(" \t"))


def _column(text: str, file: str, options: SampleOptions, column: str) -> ExactSample:
    header, _, rest = text.partition("\n")
    if header.strip('"') == column and '"' not in rest and not any(d in rest for d in _DELIMITERS):
        lines = rest.removesuffix("\n").split("\n")
        if (sample := _fast(lines, options)) is not None:
            return sample
    from outlast.constraints.measurements.table import column_of, records

    problems = Problems(file)
    delimiter = _delimiter(header, column)
    rows = records(text, delimiter, problems)
    _, names = next(rows, (1, []))
    problems.raise_if_any()
    names = [name.strip() for name in names]
    if names.count(column) != 1:
        found = "several of that name" if column in names else one_of(names) or "an empty file"
        raise problems.fail(f"expected a column named {shown(column)}, found {found}")
    index = names.index(column)
    values: list[tuple[int, str]] = []
    for line, fields in rows:
        if len(fields) != len(names):
            problems.add(f"expected as many fields as the first line has, {len(names)}, found {len(fields)}", line)
        else:
            values.append((line, fields[index]))
    problems.raise_if_any()
    if values and (sample := _fast([value for _, value in values], options)) is not None:
        return sample
    return _careful(values, file, options, lambda line, _: column_of(text, line, index, delimiter), is_column=True)


def _delimiter(header: str, column: str) -> str:
    """The delimiter of which the header has most, if it has the column's name between two of them."""
    names = {d: [name.strip().strip('"') for name in header.split(d)] for d in _DELIMITERS}
    return next((d for d in _DELIMITERS if column in names[d]), ",")
