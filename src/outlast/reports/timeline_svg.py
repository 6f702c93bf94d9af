"""What `timeline` draws, as a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.configs.generate import MARK
from outlast.reports.svg import WIDTH, svg_file

if TYPE_CHECKING:
    from outlast.reporting import Pictured

__all__ = ["timeline_svg"]

#: Of each of two panels, in pixels.
_BESIDE: Final = 560


def timeline_svg(pictured: Pictured) -> str:
    """All pictures of all panels, which there must be, side by side."""
    width = WIDTH if len(pictured.panels) == 1 else _BESIDE
    drawn = svg_file([(panel.name, panel.timelines) for panel in pictured.panels], width=width)
    return f"<!-- {MARK}; DO NOT EDIT. -->\n{drawn}\n"
