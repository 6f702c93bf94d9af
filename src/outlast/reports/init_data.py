"""What `init` wrote, as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.initializing import Initialized
from outlast.reports.data import VERSION, Json

__all__ = ["init_data"]


def init_data(made: Initialized) -> dict[str, Json]:
    """The whole report."""
    return {
        "version": VERSION,
        "status": "written" if made.file is not None else "shown",
        "file": made.file,
        "text": made.text,
        "components": len(made.found.instances),
        "rules": made.rules,
        "unjudged": made.unjudged,
        "unread": made.unread,
        "root": made.root,
    }
