"""The measurements of a spec as a section of the page: a histogram of each, with the quantiles and bounds that rules use."""

from __future__ import annotations

from outlast.reporting import Reported
from outlast.reports.markup import Markup

__all__ = ["measurements_section"]


def measurements_section(reported: Reported) -> Markup:
    """The section `measurements`; empty without one."""
    return Markup("")
