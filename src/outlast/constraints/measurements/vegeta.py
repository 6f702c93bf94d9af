"""vegeta's `encode --to csv`: twelve columns without a header, one record a request, in nanoseconds.

Format: https://github.com/tsenart/vegeta#encode-command.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from outlast.constraints.files import decode
from outlast.constraints.measurements.decimals import MOST_OBSERVATIONS, Number, observations
from outlast.constraints.measurements.problems import Problems, shown
from outlast.constraints.measurements.sample import ExactSample
from outlast.constraints.measurements.table import column_of, records
from outlast.constraints.quantities import LARGEST

if TYPE_CHECKING:
    from outlast.constraints.measurements.read import SampleOptions

__all__ = ["read"]

_COLUMNS: Final = 12
_CODE, _LATENCY, _ERROR = 1, 2, 5


def read(data: bytes, file: str, options: SampleOptions) -> ExactSample:
    """Read the requests; those with an error or a status outside 200 to 399 count as lost.

    Raises:
        OutlastError, InputErrors: with the places of what is wrong.
    """
    text = decode(data, file).replace("\r\n", "\n")
    problems = Problems(file)
    if text.count("\n") > MOST_OBSERVATIONS:
        raise problems.fail(f"expected at most {MOST_OBSERVATIONS} lines, found more")
    values: list[Number] = []
    lost = options.lost
    for line, fields in records(text, ",", problems):
        if len(fields) != _COLUMNS:
            problems.add(
                f"expected {_COLUMNS} columns, as vegeta writes with encode --to csv, found {len(fields)}", line
            )
            continue
        code, latency = fields[_CODE], fields[_LATENCY]
        if not _is_whole(code, 3):
            problems.add(
                f"expected a status code, found {shown(code)}", line, partial(column_of, text, line, _CODE, ",")
            )
        elif not _is_whole(latency, 19) or int(latency) > LARGEST:
            problems.add(
                f"expected a latency in whole ns, at most {LARGEST}, found {shown(latency)}",
                line,
                partial(column_of, text, line, _LATENCY, ","),
            )
        elif fields[_ERROR] or not 200 <= int(code) < 400:
            lost += 1
        else:
            values.append(Number(int(latency), 0))
    problems.raise_if_any()
    if not values:
        raise problems.fail(
            f"expected at least one request that succeeded, found {lost - options.lost} failed ones only"
        )
    return observations(values, 1, lost)


def _is_whole(text: str, most_digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= most_digits
