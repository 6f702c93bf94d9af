"""The decisions of a spec as a section of the page: what was decided, why, by whom, and how long ago."""

from __future__ import annotations

from outlast.reporting import Reported
from outlast.reports.markup import Markup

__all__ = ["decisions_section"]


def decisions_section(reported: Reported) -> Markup:
    """The section `decisions`."""
    return Markup("")
