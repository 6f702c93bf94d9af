"""What a measurement tells by itself: its quantiles with their bounds, and how many samples the missing ones need."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from outlast.constraints.measurements.sample import CellSample, Observations, QuantileError, level_name
from outlast.constraints.record import record

__all__ = ["LEVELS", "Description", "QuantileBounds", "describe"]

#: The quantiles that `describe` gives.
LEVELS: Final[tuple[Fraction, ...]] = tuple(map(Fraction, ("0.5", "0.9", "0.95", "0.99", "0.999", "0.9999", "0.99999")))


@record(kw_only=True)
class QuantileBounds:
    """One quantile of a sample, in ns; a value that is None has its reason beside it."""

    level: Fraction
    #: `p99.9`
    name: str
    #: The sample's own quantile; of cells, the upper edge.
    estimate: Fraction | None
    lower: Fraction | None
    upper: Fraction | None
    why_no_estimate: str | None = None
    why_no_lower: str | None = None
    why_no_upper: str | None = None
    #: How many samples an upper bound needs, where there are too few.
    samples_needed: int | None = None


@record(kw_only=True)
class Description:
    """A sample in figures; durations in ns."""

    #: Lost observations included.
    size: int
    lost: int
    smallest: Fraction
    #: Of those that came back; None: it lies in a bucket without upper edge.
    largest: Fraction | None
    #: Whether each observation is known, or only the cell of a histogram in which it lies.
    is_exact: bool
    confidence: Fraction
    #: By ascending level.
    quantiles: tuple[QuantileBounds, ...]


def describe(sample: Observations, confidence: Fraction, levels: tuple[Fraction, ...] = LEVELS) -> Description:
    """The figures of a sample; `confidence` is that of each bound by itself."""
    return Description(
        size=sample.size,
        lost=sample.lost,
        smallest=sample.smallest,
        largest=sample.largest,
        is_exact=not isinstance(sample, CellSample),
        confidence=confidence,
        quantiles=tuple(_bounds(sample, level, confidence) for level in levels),
    )


def _bounds(sample: Observations, level: Fraction, confidence: Fraction) -> QuantileBounds:
    estimate = lower = upper = None
    why_no_estimate = why_no_lower = why_no_upper = needed = None
    try:
        estimate = sample.estimate(level)
    except QuantileError as error:
        why_no_estimate = error.message
    try:
        lower = sample.lower(level, confidence)
    except QuantileError as error:
        why_no_lower = error.message
    try:
        upper = sample.upper(level, confidence)
    except QuantileError as error:
        why_no_upper, needed = error.message, error.needed
    return QuantileBounds(
        level=level,
        name=level_name(level),
        estimate=estimate,
        lower=lower,
        upper=upper,
        why_no_estimate=why_no_estimate,
        why_no_lower=why_no_lower,
        why_no_upper=why_no_upper,
        samples_needed=needed,
    )
