"""Conflicts and ways out as a section of the page, in the words of explain."""

from __future__ import annotations

from outlast.reporting import Reported
from outlast.reports.markup import Markup

__all__ = ["conflicts_section"]


def conflicts_section(reported: Reported) -> Markup:
    """The section `conflicts`."""
    return Markup("")
