"""The path of a spec as a section of the page: every hop with its timeouts, the clock that ends first marked."""

from __future__ import annotations

from outlast.reporting import Reported
from outlast.reports.markup import Markup

__all__ = ["path_section"]


def path_section(reported: Reported) -> Markup:
    """The section `path`."""
    return Markup("")
