"""What `settings` found, as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.configs.listing import Listed, Listing
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.quantities import Sentinel
from outlast.reports.data import VERSION, Json, nanoseconds, value_data

__all__ = ["settings_data"]


def settings_data(listing: Listing) -> dict[str, Json]:
    """The whole report."""
    return {
        "version": VERSION,
        "status": "listed",
        "files": [
            {"file": file.file, "format": file.format, "settings": [_setting(setting) for setting in file.settings]}
            for file in listing.files
        ],
        "problems": [_problem(problem.error) for problem in listing.problems],
        "skipped": [
            {"file": printable(skipped.file), "reason": printable(skipped.reason)} for skipped in listing.skipped
        ],
        "complete": not listing.problems and not listing.skipped,
    }


def _setting(setting: Listed) -> dict[str, Json]:
    kind = setting.kind
    value: Json = None
    nanos: Json = None
    if isinstance(setting.value, Sentinel):
        value = setting.value.value
    elif setting.value is not None and kind is not None:
        value = value_data(setting.value, kind)
        nanos = nanoseconds(setting.value, kind).get("ns")
    return {
        "line": setting.line,
        "col": setting.col,
        "selector": setting.selector,
        "raw": setting.raw,
        "value": value,
        "ns": nanos,
        "kind": None if kind is None else kind.value,
        "reason": setting.reason,
    }


def _problem(error: OutlastError) -> dict[str, Json]:
    place = error.place
    where: dict[str, Json] = dict.fromkeys(("file", "line", "col"))
    if place is not None:
        where = {"file": place.file, "line": place.line, "col": place.col}
    return {**where, "message": error.message}
