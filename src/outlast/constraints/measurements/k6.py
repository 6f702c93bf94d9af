"""k6's `--out json` file: one JSON object a line, each sample of each metric.

Format: https://grafana.com/docs/k6/latest/results-output/real-time/json/. Times are milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.constraints.files import decode
from outlast.constraints.measurements.decimals import MOST_OBSERVATIONS, Number, observations, too_long
from outlast.constraints.measurements.jsontext import JsonError, number_in, parse
from outlast.constraints.measurements.problems import Problems, one_of, shown
from outlast.constraints.measurements.sample import ExactSample
from outlast.constraints.quantities import DURATION_UNITS, LARGEST

if TYPE_CHECKING:
    from outlast.constraints.measurements.read import SampleOptions

__all__ = ["read"]

_METRIC: Final = "http_req_duration"


def read(data: bytes, file: str, options: SampleOptions) -> ExactSample:
    """Read the points of `options.metric`; requests that failed count as lost.

    Raises:
        OutlastError, InputErrors: with the places of what is wrong.
    """
    text = decode(data, file)
    if text.count("\n") > MOST_OBSERVATIONS:
        raise Problems(file).fail(f"expected at most {MOST_OBSERVATIONS} lines, found more")
    problems = Problems(file)
    wanted = options.metric or _METRIC
    unit = DURATION_UNITS[options.unit or "ms"]
    values: list[Number] = []
    lost = options.lost
    metrics: dict[str, None] = {}
    for line, raw in enumerate(text.split("\n"), 1):
        if not raw.strip():
            continue
        entry = _entry(raw, line, problems)
        if entry is None:
            continue
        metric, kind, fields = entry
        metrics[metric] = None
        if metric != wanted:
            continue
        if kind == "Metric":
            _check_contents(fields, wanted, options.unit, line, problems)
        elif _is_failed(fields.get("tags")):
            lost += 1
        else:
            number = number_in(fields.get("value"))
            if number is None or too_long(number, unit):
                found = fields.get("value")
                problems.add(f"expected a duration in 'value', at most {LARGEST} ns, found {_text(found)}", line)
            else:
                values.append(number)
    problems.raise_if_any()
    if not values:
        if lost > options.lost:
            raise problems.fail(
                f"expected at least one sample of {shown(wanted)} that did not fail, found {lost} failed ones only"
            )
        found = f"those of {one_of(list(metrics))}; name one with `metric:`" if metrics else "none at all"
        raise problems.fail(f"expected samples of the metric {shown(wanted)}, found {found}")
    return observations(values, unit, lost)


def _entry(raw: str, line: int, problems: Problems) -> tuple[str, str, dict[str, object]] | None:
    try:
        entry = parse(raw)
    except JsonError as problem:
        problems.add(problem.message, line, problem.col)
        return None
    if isinstance(entry, dict):
        metric, kind, fields = entry.get("metric"), entry.get("type"), entry.get("data")
        if type(metric) is str and kind in ("Metric", "Point") and isinstance(fields, dict):
            return metric, str(kind), fields
    problems.add(
        "expected an object with 'metric', 'type' (\"Metric\" or \"Point\") and 'data', as k6 writes with --out json",
        line,
    )
    return None


def _check_contents(fields: dict[str, object], metric: str, unit: str | None, line: int, problems: Problems) -> None:
    """Whether the metric holds times, as far as its declaration says."""
    kind, contents = fields.get("type"), fields.get("contains")
    if kind is not None and kind != "trend":
        problems.add(f"expected a metric of durations (a trend), found {shown(metric)} to be {_text(kind)}", line)
    elif contents == "time" and unit not in (None, "ms"):
        problems.add(f"expected `unit: ms`, which is what {shown(metric)} is declared to hold, found {unit}", line)
    elif contents not in (None, "time") and unit is None:
        problems.add(
            f"expected a metric of times, found {shown(metric)} to contain {_text(contents)}; say with `unit:` what its numbers mean",
            line,
        )


def _is_failed(tags: object) -> bool:
    if not isinstance(tags, dict):
        return False
    return (
        tags.get("expected_response") == "false"
        or tags.get("status") == "0"
        or tags.get("error") not in (None, "")
        or tags.get("error_code") not in (None, "", "0")
    )


def _text(value: object) -> str:
    return shown(value) if isinstance(value, str) else "nothing" if value is None else "something else"
