"""What the lanes of a timeline show, as sentences: every bar and every mark, in the order of time.

reports/page/layout.js does the same in the page; tests hold the two against each other.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

from outlast.constraints.quantities import format_value
from outlast.picturing.timeline import Moment, Row, Stretch, Timeline

__all__ = ["events_of"]


def events_of(timeline: Timeline) -> tuple[str, ...]:
    """One sentence for each lane, without a full stop: `attempt: 0s to 10s waits for an answer; 10s gives up`."""
    return tuple(f"{row.label}: {'; '.join(_events(row, timeline)) or 'nothing'}" for row in timeline.rows)


def _events(row: Row, timeline: Timeline) -> list[str]:
    """Marks before bars: what happens, then what goes on. Marks alike that have no words in the drawing are told together."""
    events: list[Stretch | Moment] = sorted([*row.moments, *row.stretches], key=_begins)
    found: list[str] = []
    for together, group in groupby(
        events, key=lambda event: isinstance(event, Moment) and not event.words and event.told
    ):
        if together:
            places = ", ".join(_place(_begins(event), timeline) for event in group)
            found.append(f"{places} {together}")
        else:
            found += [_event(event, timeline) for event in group]
    return found


def _begins(event: Stretch | Moment) -> Fraction:
    return event.at if isinstance(event, Moment) else event.start


def _event(event: Stretch | Moment, timeline: Timeline) -> str:
    words = event.words or event.told
    if timeline.shape is None and words:
        return words  # what is added up has its amount in its words
    start = _place(_begins(event), timeline)
    if isinstance(event, Moment):
        return f"{start} {words}"
    if event.end is None:
        return f"from {start} on {words}"
    return f"{start} to {_place(event.end, timeline)} {words}"


def _place(place: Fraction, timeline: Timeline) -> str:
    return format_value(place, timeline.time_exponent)
