"""The words that every format shares: numbers, places, comparisons, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import PurePath
from typing import Final

from outlast.constraints.errors import OVERRIDE, Place
from outlast.constraints.evaluate import Extended, Judged, Special, Truth
from outlast.constraints.model import Margin, Parameter, Rule, Spec
from outlast.constraints.normal import Inequality
from outlast.constraints.quantities import DURATION_UNITS, Kind, Value, format_number, format_value
from outlast.reports.document import Block, Paragraph, Span, Table, Text, code, faint, text

__all__ = [
    "FromHere",
    "Places",
    "about_percent",
    "about_text",
    "all_hold",
    "counted",
    "exact_text",
    "extended_text",
    "joined",
    "margin_text",
    "names_text",
    "percent",
    "readable",
    "relation_words",
    "rounded",
    "shortened_table",
    "value_of",
]

#: How many rows of a table that may be long are told.
_MOST_ROWS: Final = 40
#: A fraction before its unit.
_FRACTION: Final = re.compile(r"(?<![\w./])(\d+/\d+)(?=(?:ns|us|ms|s|h|d)\b|/(?:s|min|h|d)\b)")


def value_of(parameter: Parameter, value: Value, *, exact: bool = False) -> str:
    """A value of the parameter, in its unit, rounded unless it is a decimal number or `exact`; of a 0 that is more also what it means."""
    means = parameter.effective(value)
    say = exact_text if exact else about_text
    written = say(value, parameter.kind.time_exponent, percent=parameter.kind is Kind.RATIO)
    return written if means == value else f"{written} = {value_of(parameter, means)}"


def exact_text(value: Value, time_exponent: int, *, percent: bool = False) -> str:
    """A value, exact; one that is no decimal number also rounded, for reading.

    >>> exact_text(Fraction(10**10, 3), 1), exact_text(Fraction(3, 7 * 10**9), -1), exact_text(Fraction(5), 0)
    ('(10/3)s ≈ 3.333s', '(3/7)/s ≈ 25.71/min', '5')
    """
    text = format_value(value, time_exponent, percent=percent)
    if isinstance(value, Fraction) and text.count("/") > (time_exponent == -1):
        return f"{readable(text)} ≈ {_nearest(value, time_exponent, percent=percent)}"
    return text


def about_text(value: Value, time_exponent: int, *, percent: bool = False, per: str | None = None) -> str:
    """A value for a sentence; one that is no decimal number is only told rounded. `per` is the unit that rates are told in.

    >>> about_text(Fraction(10**10, 3), 1), about_text(Fraction(7, 3 * 10**9), -1, per="s"), about_text(Fraction(5), 0)
    ('about 3.333s', 'about 2.333/s', '5')
    """
    if not isinstance(value, Fraction):
        return value.value
    if time_exponent == -1 and per is not None and value != 0:
        number = format_number(value * DURATION_UNITS[per])
        return f"about {_nearest(value, -1, per=per)}" if "/" in number else f"{number}/{per}"
    text = format_value(value, time_exponent, percent=percent)
    is_exact = text.count("/") == (time_exponent == -1)
    return text if is_exact else f"about {_nearest(value, time_exponent, percent=percent)}"


def _nearest(value: Fraction, time_exponent: int, *, percent: bool = False, per: str | None = None) -> str:
    """The nearest number of four digits in the unit that keeps it short: durations from 1 h on in hours, rates from 1 on."""
    size = abs(value)
    if time_exponent == 1:
        units = [u for u in ("h", "s", "ms", "us") if size >= DURATION_UNITS[u]]
        unit = units[0] if units else "ns"
        return f"{_four_digits(value / DURATION_UNITS[unit])}{unit}"
    if time_exponent == -1:
        unit = per or next((u for u in ("s", "min", "h") if size * DURATION_UNITS[u] >= 1), "d")
        return f"{_four_digits(value * DURATION_UNITS[unit])}/{unit}"
    if time_exponent == 0:
        return f"{_four_digits(value * 100)}%" if percent else _four_digits(value)
    return f"{_four_digits(value / Fraction(10**9) ** time_exponent)}s^{time_exponent}"


def _four_digits(number: Fraction) -> str:
    """Four significant digits, and all before the point.

    >>> _four_digits(Fraction(2, 3)), _four_digits(Fraction(300001, 7))
    ('0.6667', '42857')
    """
    size, digits = abs(number), 3
    while size >= 10 and digits:
        size, digits = size / 10, digits - 1
    while size < 1:
        size, digits = size * 10, digits + 1
    return format_number(round(number, digits))


def readable(formula: str) -> str:
    """A row of a proof, in which `60/7s` means sixty sevenths of a second, so that nobody takes it for the contrary.

    >>> readable("x + 60/7s <= 3/7/min * y + 5/s * z")
    'x + (60/7)s <= (3/7)/min * y + 5/s * z'
    """
    return _FRACTION.sub(r"(\1)", formula)


def extended_text(value: Extended, time_exponent: int) -> str:
    """The result of an evaluation, exact, in its unit."""
    return value.value if isinstance(value, Special) else exact_text(value, time_exponent)


def rounded(value: Fraction, digits: int = 3) -> tuple[str, bool]:
    """At most so many significant digits, rounded towards 0, and whether that changed nothing.

    >>> rounded(Fraction(3, 7)), rounded(Fraction(1234)), rounded(Fraction(1, 2))
    (('0.428', False), ('1230', False), ('0.5', True))
    """
    size = abs(value)
    if size == 0:
        return "0", True
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    if size < Fraction(10) ** exponent:
        exponent -= 1
    unit = Fraction(10) ** (exponent - digits + 1)
    cut = size // unit * unit
    return format_number(cut if value > 0 else -cut), cut == size


def percent(value: Fraction) -> str:
    """A share in at most three significant digits, rounded towards 0: `42.8 %`."""
    return f"{rounded(value * 100)[0]} %"


def about_percent(value: Fraction) -> str:
    """The same, saying where it is rounded: `about 42.8 %`.

    >>> about_percent(Fraction(3, 7)), about_percent(Fraction(1, 2))
    ('about 42.8 %', '50 %')
    """
    return percent(value) if rounded(value * 100)[1] else f"about {percent(value)}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 rule`, `2 rules`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def all_hold(total: int) -> str:
    """That every one of so many rules holds."""
    return {1: "the rule holds", 2: "both rules hold"}.get(total, f"all {total} rules hold")


def joined(words: tuple[str, ...] | list[str], last: str = "and") -> str:
    """`a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


class Places:
    """How a report on a spec tells places: `outlast.yaml:12`; with the whole path only where a file lies outside the spec's folder."""

    def __init__(self, spec: Spec) -> None:
        entries: list[Parameter | Rule] = [*spec.parameters.values(), *spec.rules.values()]
        files = {place.file for entry in entries for place in (entry.place, *entry.places.values())}
        files |= {measurement.place.file for measurement in spec.measurements.values()}
        files |= {place.file for _, place in spec.in_files.values()}
        files -= {OVERRIDE}
        folder = PurePath(spec.path).parent
        self._folder = folder if all(PurePath(file).is_relative_to(folder) for file in files) else None
        self._is_one_file = len(files) == 1

    def text(self, place: Place | None) -> str:
        """The file and the line; an override of the command line is called so."""
        if place is None:
            return ""
        if place.file == OVERRIDE:
            return f"--set, number {place.line}"
        file = PurePath(place.file)
        if self._is_one_file:
            file = PurePath(file.name)
        elif self._folder is not None and file.is_relative_to(self._folder):
            file = file.relative_to(self._folder)
        return f"{file}:{place.line}"


class FromHere(Places):
    """Every place as seen from the current folder, however many files a report is about."""

    def text(self, place: Place | None) -> str:
        """The file and the line."""
        return "" if place is None else f"{place.file}:{place.line}"


def margin_text(margin: Margin) -> str:
    """A margin or an aim: `20%` or `1s`."""
    return format_value(margin.amount, margin.time_exponent or 0, percent=margin.is_relative)


def relation_words(judged: Judged) -> str:
    """What stands between the sides: `is under`, `is not under`, …."""
    comparison, holds = judged.comparison, judged.truth is not Truth.BROKEN
    if Special.UNDEFINED in (judged.left, judged.right):
        return "cannot be compared with"
    if isinstance(comparison, Inequality):
        words = "under" if comparison.strict else "at most"
        return f"is {words}" if holds else f"is not {words}"
    if comparison.means is not None:
        return "is a multiple of" if holds == comparison.equal else "is not a multiple of"
    return "equals" if holds == comparison.equal else "does not equal"


def names_text(names: Sequence[str], last: str = "and") -> Text:
    """Names as such: `a, b and c`."""
    parts: list[str | Span] = []
    for number, name in enumerate(names):
        parts += ["" if number == 0 else f" {last} " if number == len(names) - 1 else ", ", code(name)]
    return text(*parts)


def shortened_table(
    heads: tuple[str, ...], rows: Sequence[tuple[Text, ...]], *, last_is_spare: bool = False
) -> Iterator[Block]:
    """A table of the first rows, and where the rest is told."""
    yield Table(heads, tuple(rows[:_MOST_ROWS]), last_is_spare)
    if len(rows) > _MOST_ROWS:
        yield Paragraph(text(faint(f"and {len(rows) - _MOST_ROWS} more; "), code("--format json"), faint(" has all")))
