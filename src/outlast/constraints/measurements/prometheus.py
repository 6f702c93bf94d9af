"""Classic histograms of Prometheus' text format and of OpenMetrics.

Format: https://prometheus.io/docs/instrumenting/exposition_formats/. Only what a histogram needs is read; lines of other
metrics are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from outlast.constraints.files import decode
from outlast.constraints.measurements.decimals import parse_number, too_long
from outlast.constraints.measurements.problems import Problems, one_of, shown
from outlast.constraints.measurements.sample import Cell, CellSample
from outlast.constraints.quantities import DURATION_UNITS, LARGEST
from outlast.constraints.record import record

if TYPE_CHECKING:
    from outlast.constraints.measurements.read import SampleOptions

__all__ = ["read"]

#: What a metric's name ends in, by convention, and its unit.
_SUFFIXES: Final = {
    "_seconds": "s",
    "_milliseconds": "ms",
    "_microseconds": "us",
    "_nanoseconds": "ns",
    "_minutes": "min",
    "_hours": "h",
    "_ms": "ms",
    "_us": "us",
    "_ns": "ns",
}
_METADATA: Final = re.compile(r"#[ \t]+(TYPE|UNIT)[ \t]+(\"(?:[^\"\\]|\\.)*\"|\S+)[ \t]+(\S+)[ \t]*")
_NAME: Final = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
_LABEL: Final = re.compile(
    r'[ \t]*(?:([A-Za-z_][A-Za-z0-9_.:]*|"(?:[^"\\]|\\.)*")[ \t]*=)?[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(?:,|(?=\}))'
)
_CLOSE: Final = re.compile(r"[ \t]*\}")
_ESCAPE: Final = re.compile(r"\\(.)")
_AFTER: Final = re.compile(r"[ \t]+(\S+)(?:[ \t]+[-+0-9.eE]+)?[ \t]*(?:#.*)?")
_Labels = tuple[tuple[str, str], ...]


@record(frozen=False)
class _Series:
    """One series of a histogram: its buckets, each with line, column of the count, `le` and count; and its total count."""

    buckets: list[tuple[int, int, str, str]] = field(default_factory=list)
    count: tuple[int, int, str] | None = None


@record(frozen=False)
class _Exposition:
    """The histograms of a text, by name and labels."""

    histograms: dict[str, dict[_Labels, _Series]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    natives: dict[str, int] = field(default_factory=dict)
    #: Names of histograms that were not asked for.
    others: dict[str, None] = field(default_factory=dict)


def read(data: bytes, file: str, options: SampleOptions) -> CellSample:
    """Read one series of one histogram: `options.metric` without `_bucket`, `options.labels` if there are several.

    Raises:
        OutlastError, InputErrors: with the places of what is wrong.
    """
    problems = Problems(file)
    wanted = options.metric.removesuffix("_bucket") if options.metric else None
    exposition = _parse(decode(data, file), wanted, problems)
    problems.raise_if_any()
    metric = wanted or _only(exposition, problems)
    if not exposition.histograms.get(metric):
        raise _missing(exposition, metric, problems)
    unit = _unit(exposition, metric, options.unit, problems)
    series = _select(exposition.histograms[metric], options.labels or {}, problems)
    cells = _cells(series, metric, DURATION_UNITS[unit], problems)
    problems.raise_if_any()
    if not any(cell.count for cell in cells):
        raise problems.fail(f"expected at least one observation in {shown(metric)}, found none", series.buckets[0][0])
    return CellSample(cells, options.lost)


def _parse(text: str, wanted: str | None, problems: Problems) -> _Exposition:
    exposition = _Exposition()
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip(" \t\r")
        if line.startswith("#"):
            _note_metadata(line, exposition)
        elif line:
            _note_sample(line, 1 + len(raw) - len(raw.lstrip(" \t")), number, wanted, exposition, problems)
    return exposition


def _note_metadata(line: str, exposition: _Exposition) -> None:
    match = _METADATA.fullmatch(line)
    if match is not None:
        name = _unescape(match[2][1:-1]) if match[2].startswith('"') else match[2]
        (exposition.types if match[1] == "TYPE" else exposition.units)[name] = match[3]


def _note_sample(
    line: str, start: int, number: int, wanted: str | None, exposition: _Exposition, problems: Problems
) -> None:
    """Keep what one line says of a histogram; `start` is the column of its first character."""
    match = _NAME.match(line)
    name, end = ("", 0) if match is None else (match[0], match.end())
    labels: dict[str, str] = {}
    if name and not _is_of_histogram(name, wanted, exposition):
        if name.endswith("_bucket"):
            exposition.others[name.removesuffix("_bucket")] = None
        return
    if line.startswith("{", end):
        try:
            quoted, labels, end = _read_labels(line, end + 1)
        except _SyntaxError as error:
            problems.add(
                f'expected a label such as le="0.5", found {shown(line[error.position :])}',
                number,
                start + error.position,
            )
            return
        name = name or quoted
    if not name:
        problems.add(f"expected a sample of a metric, found {shown(line)}", number, start)
    elif not _is_of_histogram(name, wanted, exposition):
        return
    elif line[end:].lstrip(" \t").startswith("{"):
        exposition.natives.setdefault(name, number)
    elif (match := _AFTER.fullmatch(line, end)) is None:
        problems.add(
            f"expected a value, and nothing but a timestamp after it, found {shown(line[end:])}", number, start + end
        )
    else:
        _note(name, labels, (number, start + match.start(1), match[1]), exposition)


class _SyntaxError(Exception):
    """Labels that cannot be read, from `position` on."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def _read_labels(line: str, position: int) -> tuple[str, dict[str, str], int]:
    """The labels from behind the brace on, where they end, and the metric's name where it stands among them, in quotes."""
    name = ""
    labels: dict[str, str] = {}
    while (close := _CLOSE.match(line, position)) is None:
        match = _LABEL.match(line, position)
        if match is None or (match[1] is None and (name or labels)):
            raise _SyntaxError(position)
        if match[1] is None:
            name = _unescape(match[2])
        else:
            labels[_unescape(match[1].strip('"'))] = _unescape(match[2])
        position = match.end()
    return name, labels, close.end()


def _is_of_histogram(name: str, wanted: str | None, exposition: _Exposition) -> bool:
    if wanted is not None:
        return name in (wanted, f"{wanted}_bucket", f"{wanted}_count")
    return name.endswith(("_bucket", "_count")) or exposition.types.get(name) in ("histogram", "gaugehistogram")


def _note(name: str, labels: dict[str, str], value: tuple[int, int, str], exposition: _Exposition) -> None:
    if name.endswith("_bucket") and "le" in labels:
        le = labels.pop("le")
        series = exposition.histograms.setdefault(name.removesuffix("_bucket"), {})
        series.setdefault(tuple(sorted(labels.items())), _Series()).buckets.append((value[0], value[1], le, value[2]))
    elif name.endswith("_count"):
        base = name.removesuffix("_count")
        if base in exposition.histograms or exposition.types.get(base) == "histogram":
            series = exposition.histograms.setdefault(base, {})
            series.setdefault(tuple(sorted(labels.items())), _Series()).count = value


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], text) if "\\" in text else text


def _only(exposition: _Exposition, problems: Problems) -> str:
    names = [name for name, series in exposition.histograms.items() if any(s.buckets for s in series.values())]
    if len(names) > 1:
        raise problems.fail(f"expected one histogram, found {one_of(names)}; name one with `metric:`")
    if not names:
        name = next(iter(exposition.natives), "")
        raise _missing(exposition, name, problems)
    return names[0]


def _missing(exposition: _Exposition, metric: str, problems: Problems) -> Exception:
    if metric in exposition.natives:
        message = f"expected a classic histogram with buckets, found {shown(metric)} to be a native one, which is not read; scrape it with its classic buckets"
        return problems.fail(message, exposition.natives[metric])
    kind = exposition.types.get(metric)
    if kind == "summary":
        return problems.fail(
            f"expected a histogram, found {shown(metric)} to be a summary, whose quantiles have no bound"
        )
    if kind is not None and kind not in ("histogram", "gaugehistogram"):
        return problems.fail(f"expected a histogram, found {shown(metric)} to be a {shown(kind)[1:-1]}")
    names = [name for name, series in exposition.histograms.items() if any(s.buckets for s in series.values())]
    names += exposition.others
    names += [name for name, kind in exposition.types.items() if kind == "histogram"]
    found = one_of(list(dict.fromkeys(names))) or "none"
    return problems.fail(
        f"expected a histogram named {shown(metric)}, found {found}"
        if metric
        else f"expected a histogram, found {found}"
    )


def _unit(exposition: _Exposition, metric: str, told: str | None, problems: Problems) -> str:
    written = exposition.units.get(metric)
    suffix = next((s for s in _SUFFIXES if metric.endswith(s)), f"_{written}" if written else None)
    by_name = _SUFFIXES.get(suffix) if suffix is not None else None
    if told is not None and by_name is not None and DURATION_UNITS[told] != DURATION_UNITS[by_name]:
        raise problems.fail(f"expected `unit: {by_name}`, since the metric is {shown(metric)}, found {told}")
    unit = told or by_name
    if unit is None:
        raise problems.fail(
            f"expected a unit at the end of the metric's name, such as _seconds, found {shown(metric)}; say it with `unit:`"
        )
    return unit


def _select(histogram: dict[_Labels, _Series], wanted: Mapping[str, str], problems: Problems) -> _Series:
    found = {labels: s for labels, s in histogram.items() if all(item in labels for item in wanted.items())}
    with_buckets = [s for s in found.values() if s.buckets]
    if len(with_buckets) == 1 and len(found) == 1:
        return with_buckets[0]
    listed = "; ".join(_labels_text(labels) for labels in list(found or histogram)[:10])
    more = len(found or histogram) - 10
    listed += f" and {more} more" if more > 0 else ""
    if not found:
        raise problems.fail(
            f"expected a series with the labels {_labels_text(tuple(sorted(wanted.items())))}, found {listed}"
        )
    if len(found) == 1:
        raise problems.fail(f"expected buckets, found a count only, for the series {listed}")
    raise problems.fail(f"expected one series, found {len(found)}: {listed}; choose one with `labels:`")


def _labels_text(labels: _Labels) -> str:
    return "{" + ", ".join(f"{shown(name)[1:-1]}: {shown(value)[1:-1]}" for name, value in labels) + "}"


def _cells(series: _Series, metric: str, unit: int, problems: Problems) -> list[Cell]:
    cells: list[Cell] = []
    lower, before, last_le = Fraction(0), 0, ""
    for (line, col, le, count_text), is_last in _with_last(series.buckets):
        upper = _edge(le, unit)
        count = _whole(count_text)
        if isinstance(upper, str):
            problems.add(upper, line)
        elif count is None:
            problems.add(f"expected a whole number of observations, found {shown(count_text)}", line, col)
        elif cells and cells[-1].upper is None:
            problems.add(f'expected le="+Inf" to be the last bucket, found le={shown(le)} after it', line)
        elif upper is not None and cells and upper <= lower:
            problems.add(f"expected buckets with ascending `le`, found {shown(le)} after {shown(last_le)}", line)
        elif count < before:
            problems.add(f"expected cumulative counts, found {count} at le={shown(le)} after {before}", line, col)
        else:
            cells.append(Cell(lower, upper, count - before))
            lower, before, last_le = upper or lower, count, le
        if is_last and upper is not None and not problems:
            problems.add(f'expected a last bucket le="+Inf" of {shown(metric)}, found le={shown(le)}', line)
    if series.count is not None and not problems:
        line, col, text = series.count
        if _whole(text) != before:
            problems.add(
                f'expected {metric}_count to be {before}, as in the bucket le="+Inf", found {shown(text)}', line, col
            )
    return cells


def _with_last(buckets: list[tuple[int, int, str, str]]) -> Iterator[tuple[tuple[int, int, str, str], bool]]:
    return ((bucket, index == len(buckets)) for index, bucket in enumerate(buckets, 1))


def _edge(le: str, unit: int) -> Fraction | str | None:
    """The upper edge in ns, None for +Inf, or what is wrong."""
    if le.lower() in ("+inf", "inf"):
        return None
    number = parse_number(le)
    if number is None or too_long(number, unit):
        hint = "; durations are never negative" if le.startswith("-") else ""
        return f"expected `le` to be a duration of at most {LARGEST} ns or +Inf, found {shown(le)}{hint}"
    return number.times(unit)


def _whole(text: str) -> int | None:
    number = parse_number(text)
    if number is None or too_long(number, 1):
        return None
    count = number.times(1)
    return int(count) if count.denominator == 1 else None
