"""A measurement as data: sorted samples or buckets, with the bounds of its quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Protocol

from outlast.constraints.errors import Place

__all__ = ["Measurement", "Sample"]


class Sample(Protocol):
    """What was measured. Durations are nanoseconds."""

    @property
    def size(self) -> int:
        """The number of observations, lost ones included."""

    def upper(self, level: Fraction, confidence: Fraction) -> Fraction:
        """The upper confidence bound of a quantile, in ns, rounded up to a whole one."""

    def lower(self, level: Fraction, confidence: Fraction) -> Fraction:
        """The lower confidence bound of a quantile, in ns, rounded down to a whole one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A measurement of the spec: what was read, from where, and when it was taken."""

    name: str
    place: Place
    #: As written in the spec, relative to its folder.
    file: str
    sample: Sample
    taken: date | None
    why: str | None = None
    source: str | None = None
    owner: str | None = None
    reviewed: date | None = None
    review_by: date | None = None
