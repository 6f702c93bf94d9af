"""The measurements of a spec as a section of the page: a histogram of each, with the quantiles and bounds that rules use."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Final, Literal

from outlast.constraints.aging import Due
from outlast.constraints.measurements import Measurement
from outlast.constraints.measurements.sample import CellSample, Observations, QuantileError, level_name
from outlast.constraints.model import Origin
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Quant
from outlast.constraints.quantities import format_number, format_value
from outlast.constraints.record import record
from outlast.reporting import Reported
from outlast.reports.html import address_markup, fields_markup, table_markup
from outlast.reports.markup import Markup, element, joined
from outlast.reports.page.bins import Bar, Bins, bins_of
from outlast.reports.page.decisions import due_in, review_markup, told_age
from outlast.reports.wording import about_text, counted

__all__ = ["measurements_section"]

_Bound = Literal["upper", "lower"]

_SIGNS: Final = {"upper": "≤", "lower": "≥"}
_WORDS: Final = {"upper": "at most", "lower": "at least"}
#: Of the picture, in its own units.
_WIDTH: Final = 400
_SIDE: Final = 8
_TALLEST: Final = 90
_LINE: Final = 15
#: A character, about.
_CHARACTER: Final = Fraction(31, 5)


@record(kw_only=True)
class _Used:
    """A quantile that rules use, with the bound that they take of it."""

    level: Fraction
    bound: _Bound
    rules: tuple[str, ...]
    #: None: it has none, `why` tells.
    estimate: Fraction | None
    why: str
    value: Fraction

    @property
    def name(self) -> str:
        return level_name(self.level)


@record(kw_only=True)
class _Mark:
    """A line in a histogram."""

    at: Fraction
    words: str
    kind: str


def measurements_section(reported: Reported) -> Markup:
    """The section `measurements`; empty without one."""
    if not reported.spec.measurements:
        return Markup("")
    used, due = _users(reported.rules), due_in(reported)
    parts = [
        _measurement(m, used, due.get(("measurement", m.place)), reported)
        for _, m in sorted(reported.spec.measurements.items())
    ]
    return element("section", element("h2", "Measurements"), *parts, id="measurements")


def _users(rules: Mapping[str, NormalRule]) -> dict[tuple[str, Fraction, _Bound], list[str]]:
    """By measurement, level and bound the rules that take it, by id."""
    found: dict[tuple[str, Fraction, _Bound], list[str]] = {}
    for id_, rule in sorted(rules.items()):
        for atom, direction in rule.ends_taken():
            if isinstance(atom, Quant) and direction:
                bound: _Bound = "upper" if direction > 0 else "lower"
                users = found.setdefault((atom.measurement, atom.level, bound), [])
                users += [id_] if id_ not in users else []
    return found


def _measurement(
    measurement: Measurement,
    users: Mapping[tuple[str, Fraction, _Bound], Sequence[str]],
    due: Due | None,
    reported: Reported,
) -> Markup:
    confidence = reported.spec.confidence
    used = [
        _use(measurement, level, bound, tuple(rules), confidence)
        for (name, level, bound), rules in sorted(users.items())
        if name == measurement.name
    ]
    parts: list[str] = [element("h3", element("code", measurement.name))]
    sample = measurement.sample
    if isinstance(sample, Observations):
        parts.append(_figure(measurement.name, sample, used))
    if used:
        sure = f"bound, {format_number(confidence * 100)} % sure"
        parts.append(table_markup(("quantile", "in the sample", sure, "used by"), [_row(u) for u in used]))
    else:
        parts.append(element("p", "No rule uses it."))
    parts.append(fields_markup(_facts(measurement, due, reported.today)))
    return element("div", *parts, class_="measurement")


def _use(
    measurement: Measurement, level: Fraction, bound: _Bound, rules: tuple[str, ...], confidence: Fraction
) -> _Used:
    sample, estimate, why = measurement.sample, None, ""
    if isinstance(sample, Observations):
        try:
            estimate = sample.estimate(level)
        except QuantileError as error:
            why = error.message
    value = (sample.upper if bound == "upper" else sample.lower)(level, confidence)
    return _Used(level=level, bound=bound, rules=rules, estimate=estimate, why=why, value=value)


def _row(used: _Used) -> tuple[str, ...]:
    estimate = (
        element("span", used.why or "not known", class_="faint") if used.estimate is None else _told(used.estimate)
    )
    return (
        element("code", used.name),
        estimate,
        f"{_WORDS[used.bound]} {_told(used.value)}",
        joined((element("code", rule) for rule in used.rules), ", "),
    )


def _facts(measurement: Measurement, due: Due | None, today: date) -> Iterator[tuple[str, str]]:
    sample = measurement.sample
    lost = sample.lost if isinstance(sample, Observations) else 0
    words = "cells of a histogram" if isinstance(sample, CellSample) else "single values"
    yield "samples", f"{sample.size}{f', {lost} of them lost, which count as infinitely long' if lost else ''}; {words}"
    if isinstance(sample, Observations):
        largest = "in a cell without upper edge" if sample.largest is None else _told(sample.largest)
        yield "shortest and longest", f"{_told(sample.smallest)}, {largest}"
    yield "taken", "nobody has written when" if measurement.taken is None else told_age(measurement.taken, today)
    yield "file", element("code", measurement.file)
    if measurement.why:
        yield "why", measurement.why
    if measurement.owner:
        yield "owner", measurement.owner
    if measurement.source:
        yield "source", address_markup(measurement.source)
    if measurement.reviewed or measurement.review_by:
        origin = Origin(reviewed=measurement.reviewed, review_by=measurement.review_by)
        yield "reviewed", review_markup(origin, due, today)


def _told(value: Fraction) -> str:
    return about_text(value, 1)


# The picture.


def _figure(name: str, sample: Observations, used: Sequence[_Used]) -> Markup:
    bins = bins_of(sample)
    marks = sorted(_marks(used), key=lambda m: (m.at, m.kind, m.words))
    places = [_x(bins.place(mark.at), bins) for mark in marks]
    rows = _label_rows(places, [mark.words for mark in marks])
    top = _LINE * (max(rows, default=-1) + 1) + 4
    base = top + _TALLEST
    tallest = max(bar.height for bar in bins.bars)
    parts = [
        element("title", f"How long {name} took"),
        element("desc", _description(sample, marks)),
        *(_bar(bar, bins, base, tallest) for bar in bins.bars),
        element("line", x1=_SIDE, x2=_WIDTH - _SIDE, y1=base, y2=base, class_="axis"),
        *_ticks(bins, base),
        *(_mark(mark, x, row, top, base) for mark, x, row in zip(marks, places, rows, strict=True)),
    ]
    left = min([0, *(math.floor(x - _length(mark.words)) for mark, x in zip(marks, places, strict=True))])
    view = f"{left} 0 {_WIDTH - left} {base + 20}"
    picture = element("svg", *parts, class_="histogram", role="img", viewBox=view)
    return element("figure", picture, element("figcaption", _caption(sample, bins, used)))


def _marks(used: Sequence[_Used]) -> Iterator[_Mark]:
    for each in used:
        yield _Mark(at=each.value, words=f"{each.name} {_SIGNS[each.bound]} {_told(each.value)}", kind=each.bound)
    for name, estimate in {(u.name, u.estimate) for u in used if u.estimate is not None}:
        yield _Mark(at=estimate, words=f"{name} here {_told(estimate)}", kind="estimate")


def _description(sample: Observations, marks: Sequence[_Mark]) -> str:
    end = "beyond the last edge" if sample.largest is None else _told(sample.largest)
    told = f"{sample.returned} samples from {_told(sample.smallest)} to {end}."
    return f"{told} Marked: {', '.join(mark.words for mark in marks)}." if marks else told


def _caption(sample: Observations, bins: Bins, used: Sequence[_Used]) -> str:
    tallest = max(bins.bars, key=lambda bar: bar.height)
    told = f"The tallest bar is {_span(tallest, bins)}: {_number(tallest)}. Bars too low to see are drawn as a line."
    if sample.lost:
        told += f" {counted(sample.lost, 'lost sample')} would stand beyond the right end."
    return f"{told} Lines: solid the bound that rules use, dashed the same quantile in this sample." if used else told


def _bar(bar: Bar, bins: Bins, base: int, tallest: Fraction) -> Markup:
    left, right = _x(Fraction(bar.first), bins), _x(Fraction(bar.last + 1), bins)
    height = max(bar.height / tallest * _TALLEST, Fraction(1))
    return element(
        "rect",
        element("title", f"{_span(bar, bins)}: {_number(bar)}"),
        x=_n(left + Fraction(1, 4)),
        y=_n(base - height),
        width=_n(right - left - Fraction(1, 2)),
        height=_n(height),
        class_="count",
    )


def _span(bar: Bar, bins: Bins) -> str:
    start = format_value(bins.edges[bar.first], 1)
    if bar.last == len(bins.edges) - 1:
        return f"from {start} on"
    return f"from {start} to {format_value(bins.edges[bar.last + 1], 1)}"


def _number(bar: Bar) -> str:
    return counted(bar.most, "sample") if bar.least == bar.most else f"{bar.least} to {bar.most} samples"


def _ticks(bins: Bins, base: int) -> Iterator[Markup]:
    """Labels of edges, round ones first, as many as there is room for."""
    taken: list[tuple[Fraction, Fraction]] = []
    for n in sorted(range(len(bins.edges)), key=lambda n: (_roundness(bins.edges[n]), n)):
        words, x = format_value(bins.edges[n], 1), _x(Fraction(n), bins)
        half = _CHARACTER * (len(words) + 2) / 2
        middle = min(max(x, half), _WIDTH - half)
        if all(middle + half <= start or end <= middle - half for start, end in taken):
            taken.append((middle - half, middle + half))
            yield element("line", x1=_n(x), x2=_n(x), y1=base, y2=base + 4, class_="axis")
            yield element("text", words, x=_n(middle), y=base + 16, text_anchor="middle")


def _roundness(edge: Fraction) -> int:
    """0 for powers of ten, 1 for 2 and 5 times one, 2 for all else."""
    number = format_number(edge).strip("0.")
    return {"1": 0, "": 0, "2": 1, "5": 1}.get(number, 2)


def _label_rows(places: Sequence[Fraction], labels: Sequence[str]) -> list[int]:
    """The rows, from 0 next to the bars, in which labels that end at their lines meet no other; so no other's line either."""
    found: list[tuple[Fraction, Fraction, int]] = []
    for x, words in zip(places, labels, strict=True):
        start = x - _length(words)
        row = max((row for other, end, row in found if other <= x and start <= end), default=-1) + 1
        found.append((start, x, row))
    return [row for *_, row in found]


def _length(words: str) -> Fraction:
    return _CHARACTER * len(words) + 4


def _mark(mark: _Mark, x: Fraction, row: int, top: int, base: int) -> Markup:
    y = top - 4 - _LINE * row
    line = element("line", x1=_n(x), x2=_n(x), y1=_n(Fraction(y - 10)), y2=base)
    label = element("text", mark.words, x=_n(x - 4), y=y, text_anchor="end")
    return element("g", line, label, class_=f"quantile {mark.kind}")


def _x(place: Fraction, bins: Bins) -> Fraction:
    return _SIDE + place * (_WIDTH - 2 * _SIDE) / bins.number


def _n(number: Fraction) -> str:
    return format_number(Fraction(round(number * 100), 100))
