"""What no rule notices, and what is not judged, as a section of the page."""

from __future__ import annotations

from outlast.reporting import Reported
from outlast.reports.markup import Markup

__all__ = ["unguarded_section"]


def unguarded_section(reported: Reported) -> Markup:
    """The section `unguarded`."""
    return Markup("")
