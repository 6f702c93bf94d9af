"""Pictures of a spec, as JSON (docs/json.md)."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.evaluate import Truth
from outlast.constraints.model import Spec
from outlast.picturing.timeline import Gap, Row, Timeline
from outlast.reporting import Panel, Pictured
from outlast.reports.data import VERSION, Json, extended_data, fraction_data, nanoseconds, place_data, value_data

__all__ = ["timeline_data"]


def timeline_data(outcome: Pictured) -> dict[str, Json]:
    """The whole report."""
    spec = outcome.spec
    return {
        "version": VERSION,
        "status": outcome.status,
        "spec": str(spec.path),
        "title": spec.title,
        "panels": [_panel(panel, spec) for panel in outcome.panels],
        "untold": list(outcome.untold),
        "is_recommended": outcome.is_recommended,
        "not_applicable": list(outcome.idle),
        "complete": not outcome.untold,
        "notes": [{"message": note.message, "place": place_data(note.place)} for note in spec.notes],
    }


def _panel(panel: Panel, spec: Spec) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for name, value in sorted(panel.values.items()):
        kind = spec.parameters[name].kind
        values[name] = {"value": value_data(value, kind), **nanoseconds(value, kind)}
    rules: dict[str, Json] = {
        id_: {
            "holds": verdict.truth is Truth.HOLDS,
            "applies": verdict.truth is not Truth.NOT_APPLICABLE,
            "margin_kept": verdict.margin_kept,
        }
        for id_, verdict in sorted(panel.verdicts.items())
    }
    return {
        "name": panel.name,
        "values": values,
        "rules": rules,
        "timelines": [_timeline(timeline) for timeline in panel.timelines],
    }


def _timeline(timeline: Timeline) -> dict[str, Json]:
    exponent = timeline.time_exponent
    ticks = timeline.ticks if timeline.is_drawn else ()
    return {
        "id": timeline.id,
        "title": timeline.title,
        "shape": None if timeline.shape is None else timeline.shape.value,
        "time_exponent": exponent,
        "until": _place(timeline.until if timeline.is_drawn else None, exponent),
        "ticks": [{"at": _place(tick.at, exponent), "words": tick.words} for tick in ticks],
        "lanes": [_lane(row, exponent) for row in timeline.rows],
        "gaps": [_gap(gap, exponent) for gap in timeline.gaps],
        "facts": [{"words": fact.words, "tone": fact.tone.value} for fact in timeline.facts],
    }


def _lane(row: Row, exponent: int) -> dict[str, Json]:
    return {
        "label": row.label,
        "bars": [
            {
                "start": _place(bar.start, exponent),
                "end": _place(bar.end, exponent),
                "words": bar.words or bar.told,
                "tone": bar.tone.value,
            }
            for bar in row.stretches
        ],
        "marks": [
            {"at": _place(mark.at, exponent), "words": mark.words or mark.told, "tone": mark.tone.value}
            for mark in row.moments
        ],
    }


def _gap(gap: Gap, exponent: int) -> dict[str, Json]:
    return {
        "rule": gap.rule,
        "start": _place(gap.start, exponent),
        "end": _place(gap.end, exponent),
        "words": gap.words,
        "tone": gap.tone.value,
        "wrong_at": _place(gap.wrong_at, exponent),
    }


def _place(place: Fraction | None, exponent: int) -> Json:
    """A place of the axis, as text and exactly; None: beyond it, or there is none."""
    if place is None:
        return None
    return {"value": extended_data(place, exponent), "ns" if exponent == 1 else "exact": fraction_data(place)}
