"""The formats of measured files: which there are, which options each takes, and how one is told from another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Final, Protocol, cast

from outlast.constraints.measurements.decimals import parse_number
from outlast.constraints.measurements.formats import FORMATS
from outlast.constraints.measurements.problems import OptionError, one_of, shown
from outlast.constraints.measurements.sample import Observations
from outlast.constraints.quantities import DURATION_UNITS, LARGEST
from outlast.constraints.record import record

__all__ = ["SampleOptions", "detect_format", "read_sample"]


@record(kw_only=True)
class SampleOptions:
    """How to read a file; what a format has no use for stays None."""

    #: A key of `FORMATS`.
    format: str
    #: Of bare numbers: a key of `DURATION_UNITS`.
    unit: str | None = None
    #: The name of a column of a comma-separated file.
    column: str | None = None
    metric: str | None = None
    #: Labels, some or all, that select one series.
    labels: Mapping[str, str] | None = None
    #: The tag of an HdrHistogram log's intervals.
    tag: str | None = None
    #: How many samples never came back, besides those that the file lists.
    lost: int = 0


class _Reader(Protocol):
    def read(self, data: bytes, file: str, options: SampleOptions) -> Observations: ...


def read_sample(data: bytes, file: str, options: SampleOptions) -> Observations:
    """Read a measured file; `file` is its name in the places of errors.

    Raises:
        OptionError: without a place; an option is unknown, missing or not the format's.
        OutlastError, InputErrors: with the places of what is wrong in the file.
    """
    _check(options)
    reader = cast(_Reader, import_module(f"outlast.constraints.measurements.{options.format}"))
    return reader.read(data, file, options)


def _check(options: SampleOptions) -> None:
    if options.format not in FORMATS:
        raise OptionError(f"expected one of {one_of(list(FORMATS))}, found {shown(options.format)}", "format")
    for option in ("unit", "column", "metric", "labels", "tag"):
        if getattr(options, option) is not None and option not in FORMATS[options.format]:
            takes = one_of([*FORMATS[options.format], "lost"])
            raise OptionError(f"expected an option of {options.format} ({takes}), found '{option}'", option)
    if options.unit is not None and options.unit not in DURATION_UNITS:
        raise OptionError(f"expected a unit (ns, us, ms, s, min, h, d), found {shown(options.unit)}", "unit")
    if not 0 <= options.lost <= LARGEST:
        raise OptionError("expected the number of samples that never came back", "lost")
    if options.format == "hdr" and options.unit is None:
        raise OptionError("expected the unit of the recorded values, found none; say it with `unit:`", "unit")


_VEGETA: Final = re.compile(rb"[0-9]{18,19},[0-9]{1,3},[0-9]+,[0-9]+,[0-9]+,")
_SERIES: Final = re.compile(
    rb'^(?:# (?:TYPE|HELP) |[A-Za-z_:][A-Za-z0-9_:]*_bucket\{|\{"[^"\n]*_bucket",)', re.MULTILINE
)
_HDR: Final = re.compile(
    rb"^(?:#\[Histogram log format|\"StartTimestamp\"|(?:Tag=[^,\n]*,)?[0-9.]+,[0-9.]+,[0-9.]+,HIST)", re.MULTILINE
)


def detect_format(name: str, data: bytes) -> str | None:
    """The format that a file's name and first bytes speak for, or None.

    >>> detect_format("rtt.txt", b"1.5\\n2.5\\n"), detect_format("a.json", b'{"details": []}')
    ('samples', 'ghz')
    """
    head = data[:65536].removeprefix(b"\xef\xbb\xbf").lstrip()
    if name.endswith(".hlog") or _HDR.search(head):
        return "hdr"
    first = head.partition(b"\n")[0]
    if first.startswith(b"{") and not _SERIES.match(first):
        if b'"metric"' in first and b'"type"' in first:
            return "k6"
        return "ghz" if b'"details"' in data else None
    if _VEGETA.match(head):
        return "vegeta"
    if _SERIES.search(head):
        return "prometheus"
    lines = [line.strip() for line in head.decode(errors="replace").split("\n")]
    first_value = next((line for line in lines if line and not line.startswith("#")), "")
    number = re.match(r"[0-9.]+(?:[eE][+-]?[0-9]+)?", first_value)
    if (
        number is not None
        and parse_number(number[0]) is not None
        and (first_value[number.end() :].strip() in {"", *DURATION_UNITS})
    ):
        return "samples"
    return "samples" if name.endswith((".csv", ".tsv")) else None
