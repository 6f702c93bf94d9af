"""What `measure` found, as JSON (docs/json.md)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from outlast.api import Measured
from outlast.constraints.measurements import QuantileBounds
from outlast.constraints.quantities import format_number, format_value
from outlast.reports.data import VERSION, Json, fraction_data

__all__ = ["measure_data"]


def measure_data(measured: Sequence[Measured]) -> dict[str, Json]:
    """The whole report."""
    return {"version": VERSION, "status": "measured", "files": [_file(m) for m in measured], "complete": True}


def _file(measured: Measured) -> dict[str, Json]:
    told = measured.description
    return {
        "file": measured.file,
        "format": measured.format,
        "samples": told.size,
        "lost": told.lost,
        "exact": told.is_exact,
        **_duration("smallest", told.smallest),
        **_duration("largest", told.largest),
        "confidence": f"{format_number(told.confidence * 100)}%",
        "quantiles": {quantile.name: _quantile(quantile) for quantile in told.quantiles},
    }


def _quantile(quantile: QuantileBounds) -> dict[str, Json]:
    return {
        **_duration("estimate", quantile.estimate),
        **_duration("lower", quantile.lower),
        **_duration("upper", quantile.upper),
        "why_no_estimate": quantile.why_no_estimate,
        "why_no_lower": quantile.why_no_lower,
        "why_no_upper": quantile.why_no_upper,
        "samples_needed": quantile.samples_needed,
    }


def _duration(name: str, value: Fraction | None) -> dict[str, Json]:
    if value is None:
        return {name: None, f"{name}_ns": None}
    return {name: format_value(value, 1), f"{name}_ns": fraction_data(value)}
