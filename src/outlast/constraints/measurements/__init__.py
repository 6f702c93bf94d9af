"""Measurements: data from which a quantile's confidence bound is computed, whatever tool wrote it."""

from __future__ import annotations

from outlast.constraints.measurements.describe import Description, QuantileBounds, describe
from outlast.constraints.measurements.problems import OptionError
from outlast.constraints.measurements.quantile import samples_needed
from outlast.constraints.measurements.read import FORMATS, SampleOptions, detect_format, read_sample
from outlast.constraints.measurements.sample import Measurement, Observations, QuantileError, Sample

__all__ = [
    "FORMATS",
    "Description",
    "Measurement",
    "Observations",
    "OptionError",
    "QuantileBounds",
    "QuantileError",
    "Sample",
    "SampleOptions",
    "describe",
    "detect_format",
    "read_sample",
    "samples_needed",
]
