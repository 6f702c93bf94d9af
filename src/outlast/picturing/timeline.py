"""A picture at given values: what is drawn where, and the same in sentences; no format is known here."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.pictures import Shape
from outlast.constraints.record import record
from outlast.picturing.drawing import Tone

__all__ = ["Gap", "Moment", "Row", "Sentence", "Stretch", "Tick", "Timeline"]


@record(kw_only=True)
class Stretch:
    """A bar: from `start` to `end`, `start` < `end`; None: beyond the picture."""

    start: Fraction
    end: Fraction | None
    words: str
    tone: Tone
    #: What sentences call it where `words` are empty.
    told: str = ""


@record(kw_only=True)
class Moment:
    """A mark."""

    at: Fraction
    words: str
    tone: Tone
    #: As a bar's.
    told: str = ""


@record(kw_only=True)
class Row:
    """One lane, its bars and marks in the order of time."""

    label: str
    stretches: tuple[Stretch, ...]
    moments: tuple[Moment, ...]


@record(kw_only=True)
class Gap:
    """The room between the two sides of a rule: what is left (`GOOD`; `PLAIN` where a margin is missed), or what is missing (`BAD`)."""

    rule: str
    #: The lesser of the two sides.
    start: Fraction
    #: The greater one; None: it has no end. Equal to `start` where both sides are equal.
    end: Fraction | None
    #: `2s left`, `250s too little`.
    words: str
    tone: Tone
    #: Of a broken rule the moment at which it goes wrong: where its right side ends.
    wrong_at: Fraction | None


@record(kw_only=True)
class Tick:
    """A place of the axis and what is written there."""

    at: Fraction
    words: str


@record(kw_only=True)
class Sentence:
    """A fact."""

    words: str
    tone: Tone


@record(kw_only=True)
class Timeline:
    """A picture at given values. Places are in the base unit of the axis; all lie from 0 to `until`, which is above 0."""

    id: str
    title: str
    shape: Shape | None
    time_exponent: int
    until: Fraction
    ticks: tuple[Tick, ...]
    #: None, and no gaps, where it cannot be drawn.
    rows: tuple[Row, ...]
    #: In the order of the rules.
    gaps: tuple[Gap, ...]
    #: What the picture shows; at least one.
    facts: tuple[Sentence, ...]

    @property
    def is_drawn(self) -> bool:
        """Whether there is anything to draw; else the sentences are all, and say why."""
        return bool(self.rows)
