"""Measurements: data from which a quantile's confidence bound is computed, whatever tool wrote it."""

from __future__ import annotations

from outlast.constraints.measurements.sample import Measurement

__all__ = ["Measurement"]
