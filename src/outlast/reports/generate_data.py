"""What `generate` wrote, as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.api import Generated
from outlast.reports.data import VERSION, Json, place_data
from outlast.reports.solve_data import solve_data

__all__ = ["generate_data"]


def generate_data(made: Generated) -> dict[str, Json]:
    """The text and where it was written; where there is no solution, the report of `solve`."""
    if made.text is None:
        return solve_data(made.solved)
    return {
        "version": VERSION,
        "status": made.solved.status.value,
        "spec": str(made.solved.spec.path),
        "as": made.output,
        "file": made.file,
        "written": made.is_new,
        "text": made.text,
        "components": list(made.components),
        "notes": [{"message": note.message, "place": place_data(note.place)} for note in made.notes],
    }
