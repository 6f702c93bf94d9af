"""The formats of measured files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["FORMATS"]

#: The options that each format takes besides `lost`. The name of a format is also its key in a spec and its module here.
FORMATS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "samples": ("unit", "column"),
        "prometheus": ("unit", "metric", "labels"),
        "hdr": ("unit", "tag"),
        "k6": ("unit", "metric"),
        "vegeta": (),
        "ghz": (),
    }
)
