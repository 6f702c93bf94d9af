"""ghz's `-O json` report: its `details` list each call, in nanoseconds.

Format: https://ghz.sh/docs/output. Its histogram and percentiles are not used: they leave out failed calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.constraints.files import decode
from outlast.constraints.measurements.decimals import MOST_OBSERVATIONS, Number, observations, too_long
from outlast.constraints.measurements.jsontext import JsonError, number_in, parse
from outlast.constraints.measurements.problems import Problems, shown
from outlast.constraints.measurements.sample import ExactSample
from outlast.constraints.quantities import LARGEST

if TYPE_CHECKING:
    from outlast.constraints.measurements.read import SampleOptions

__all__ = ["read"]


def read(data: bytes, file: str, options: SampleOptions) -> ExactSample:
    """Read the calls; those that failed count as lost. Errors inside `details` name the entry, at the file's start.

    Raises:
        OutlastError, InputErrors: with the places of what is wrong.
    """
    problems = Problems(file)
    try:
        report = parse(decode(data, file))
    except JsonError as problem:
        raise problems.fail(problem.message, problem.line, problem.col) from None
    details = report.get("details") if isinstance(report, dict) else None
    if not isinstance(details, list):
        raise problems.fail("expected a ghz report with 'details', found none; have it written with -O json")
    if len(details) > MOST_OBSERVATIONS:
        raise problems.fail(f"expected at most {MOST_OBSERVATIONS} calls, found more")
    values: list[Number] = []
    lost = options.lost
    for index, call in enumerate(details):
        if not isinstance(call, dict) or not isinstance(call.get("status"), str):
            problems.add(f"expected an object with 'latency' and 'status' at details[{index}]")
            continue
        if call["status"] != "OK" or call.get("error") not in (None, ""):
            lost += 1
            continue
        number = number_in(call.get("latency"))
        if number is None or too_long(number, 1):
            found = call.get("latency")
            text = shown(found) if isinstance(found, str) else "something else"
            problems.add(f"expected a duration in ns, at most {LARGEST}, at details[{index}].latency, found {text}")
        else:
            values.append(number)
    problems.raise_if_any()
    if not values:
        raise problems.fail(f"expected at least one call that succeeded, found none among {len(details)}")
    return observations(values, 1, lost)
