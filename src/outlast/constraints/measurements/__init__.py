"""Measurements: data from which a quantile's confidence bound is computed, whatever tool wrote it.

The modules behind these names are imported when a name is first used, since most specs that are checked have no measurements.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outlast.constraints.measurements.description import Description, QuantileBounds, describe
    from outlast.constraints.measurements.formats import FORMATS
    from outlast.constraints.measurements.problems import OptionError
    from outlast.constraints.measurements.quantile import samples_needed
    from outlast.constraints.measurements.read import SampleOptions, detect_format, read_sample
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

_MODULES = {
    "description": ("Description", "QuantileBounds", "describe"),
    "problems": ("OptionError",),
    "quantile": ("samples_needed",),
    "formats": ("FORMATS",),
    "read": ("SampleOptions", "detect_format", "read_sample"),
    "sample": ("Measurement", "Observations", "QuantileError", "Sample"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(name)
