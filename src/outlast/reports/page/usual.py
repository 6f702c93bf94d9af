"""What goes without saying in the page's data: values that most things have stand there once, not with each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from outlast.reports.data import Json

__all__ = ["USUAL", "unusual"]

#: By sort of thing, what its keys are where it does not say; `unpacked` in rules.js puts them back.
USUAL: Final[Mapping[str, Mapping[str, Json]]] = {
    "parameters": {
        "kind": "duration",
        "unit": None,
        "step": "1000000",
        "zero": None,
        "interval": None,
        "value": None,
        "poly": None,
        "names": [],
    },
    "controls": {"scale": None, "ends": [None, None], "choices": [], "in_use": None, "recommended": None},
    "scales": {"low": "1", "stride": "0"},
    "rules": {
        "when": None,
        "muted_by": [],
        "needs_on": [],
        "margin": None,
        "aim": {"amount": "1", "exponent": None},
        "scores": True,
    },
    "margins": {"exponent": 1},
    "formulas": {
        "sign": "<",
        "orders": True,
        "wanted": True,
        "strict": True,
        "means": None,
        "optimistic": False,
        "exponent": 1,
    },
    "drawings": {
        "shape": None,
        "time_exponent": 1,
        "facts": [],
        "names": [],
        "needs": [],
        "low_names": [],
        "low_quantiles": [],
    },
    "lanes": {"bars": [], "marks": []},
    "bars": {"words": [], "tone": "wait", "when": None, "told": ""},
    "marks": {"words": [], "tone": "plain", "when": None, "told": ""},
    "facts": {"words": [], "tone": "plain", "when": None},
}


def unusual(sort: str, told: Mapping[str, Json]) -> dict[str, Json]:
    """What has to be said of a thing of this sort.

    >>> unusual("margins", {"amount": "5", "exponent": 1})
    {'amount': '5'}
    """
    usual = USUAL[sort]
    return {key: value for key, value in told.items() if key not in usual or usual[key] != value}
