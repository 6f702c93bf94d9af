"""Bounds of samples and of cells: ranks, roundings, lost observations, buckets without an upper edge."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.measurements import QuantileError, describe
from outlast.constraints.measurements.quantile import lower_rank, upper_rank
from outlast.constraints.measurements.sample import Cell, CellSample, ExactSample

F = Fraction
CONFIDENCE = F(95, 100)
levels = st.sampled_from([F(1, 10), F(1, 2), F(9, 10), F(19, 20)])


def values(n: int) -> ExactSample:
    """1 ns, 2 ns, ... n ns: the rank is the value; not in order."""
    return ExactSample([(i * 7919) % n + 1 for i in range(n)] if n % 7919 else range(1, n + 1), F(1))


def refusal(sample: ExactSample | CellSample, level: str, side: str = "upper") -> QuantileError:
    with pytest.raises(QuantileError) as caught:
        getattr(sample, side)(F(level), CONFIDENCE)
    assert caught.value.place is None
    return caught.value


@settings(deadline=None)
@given(st.integers(1, 300), levels)
def test_the_bounds_are_the_ranked_observations(n: int, level: Fraction) -> None:
    sample = values(n)
    for side, rank in ("upper", upper_rank(n, level, CONFIDENCE)), ("lower", lower_rank(n, level, CONFIDENCE)):
        if rank is None:
            refusal(sample, str(level), side)
        else:
            assert getattr(sample, side)(level, CONFIDENCE) == rank


def test_bounds_are_rounded_outwards_to_whole_nanoseconds() -> None:
    sample = ExactSample([Decimal("2.25")] * 59, F(1))
    assert sample.upper(F(1, 2), CONFIDENCE) == 3
    assert sample.lower(F(1, 2), CONFIDENCE) == 2
    assert sample.estimate(F(1, 2)) == F("2.25")


def test_each_confidence_and_side_has_its_own_bound() -> None:
    sample = values(1000)
    bounds = [
        sample.upper(F(1, 2), F(99, 100)),
        sample.upper(F(1, 2), CONFIDENCE),
        sample.lower(F(1, 2), CONFIDENCE),
        sample.upper(F(9, 10), CONFIDENCE),
    ]
    assert len(set(bounds)) == 4
    assert bounds == [
        sample.upper(F(1, 2), F(99, 100)),
        sample.upper(F(1, 2), CONFIDENCE),
        sample.lower(F(1, 2), CONFIDENCE),
        sample.upper(F(9, 10), CONFIDENCE),
    ]


def test_too_few_samples_say_how_many_are_needed() -> None:
    error = refusal(values(298), "0.99")
    assert error.message == "expected at least 299 samples for an upper bound of p99 at 95% confidence, found 298"
    assert error.needed == 299
    error = refusal(values(2), "0.5", "lower")
    assert error.message == "expected at least 5 samples for a lower bound of p50 at 95% confidence, found 2"


def test_lost_observations_count_as_infinitely_long() -> None:
    assert ExactSample([5] * 298, F(1), lost=0).size == 298
    with_lost = ExactSample([5] * 298, F(1), lost=1)  # 299 are enough for p99, but the 299th was lost
    error = refusal(with_lost, "0.99")
    assert (
        error.message
        == "expected an upper bound of p99, found that it falls among the 1 lost observations (rank 299 of 299)"
    )
    assert error.needed is None
    assert with_lost.upper(F("0.9"), CONFIDENCE) == 5
    with pytest.raises(QuantileError, match=r"an estimate of p99\.9, found that it falls among the 1 lost"):
        with_lost.estimate(F("0.999"))


def test_a_lost_observation_moves_the_upper_bound_up_by_a_rank() -> None:
    assert (
        ExactSample(range(1, 93), F(1), lost=1).upper(F(95, 100), CONFIDENCE)
        == upper_rank(93, F(95, 100), CONFIDENCE)
        == 92
    )


def test_a_lower_bound_among_the_lost_is_the_longest_that_came_back() -> None:
    sample = ExactSample([3, 8], F(1), lost=500)
    assert sample.lower(F(1, 2), CONFIDENCE) == 8


CELLS = [Cell(F(0), F(10), 50), Cell(F(10), F(100), 0), Cell(F(100), F("250.5"), 40), Cell(F("250.5"), None, 10)]


def test_the_upper_bound_is_the_upper_edge_of_the_bucket_and_the_lower_the_lower() -> None:
    sample = CellSample(CELLS)
    assert sample.size == 100
    assert sample.smallest == 0
    assert sample.largest is None
    assert upper_rank(100, F("0.4"), CONFIDENCE) == 49
    assert sample.upper(F("0.4"), CONFIDENCE) == 10
    assert upper_rank(100, F("0.42"), CONFIDENCE) == 51
    assert sample.upper(F("0.42"), CONFIDENCE) == 251
    assert sample.lower(F("0.42"), CONFIDENCE) == 0
    assert lower_rank(100, F("0.59"), CONFIDENCE) == 51
    assert sample.lower(F("0.59"), CONFIDENCE) == 100
    assert sample.estimate(F("0.9")) == F("250.5")


def test_a_bound_in_the_open_bucket_is_refused_and_a_lower_one_is_its_edge() -> None:
    sample = CellSample(CELLS)
    assert refusal(sample, "0.9").message == (
        "expected an upper bound of p90, found that it falls in the last bucket, above 250.5ns, which has no upper edge (rank 96 of 100); "
        "measure with longer buckets"
    )
    assert sample.lower(F("0.97"), CONFIDENCE) == 250


observations = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=60)


@settings(max_examples=80, deadline=None)
@given(observations, levels, st.integers(0, 3))
def test_cells_even_overlapping_ones_never_claim_more_than_their_observations(
    drawn: list[tuple[int, int, int]], level: Fraction, lost: int
) -> None:
    exact = ExactSample([value for value, _, _ in drawn], F(1), lost)
    cells = CellSample([Cell(F(max(value - below, 0)), F(value + above), 1) for value, below, above in drawn], lost)
    for side in ("upper", "lower"):
        known, found = bound(exact, side, level), bound(cells, side, level)
        if isinstance(known, str) or isinstance(found, str):
            assert found == known
        else:
            assert found >= known if side == "upper" else found <= known


def bound(sample: ExactSample | CellSample, side: str, level: Fraction) -> Fraction | str:
    try:
        return sample.upper(level, CONFIDENCE) if side == "upper" else sample.lower(level, CONFIDENCE)
    except QuantileError as error:
        return error.message


@pytest.mark.parametrize("level", [F(0), F(1), F(2)])
def test_there_is_no_p0_and_no_p100(level: Fraction) -> None:
    with pytest.raises(QuantileError, match="expected a quantile between p0 and p100"):
        values(5).upper(level, CONFIDENCE)


def test_a_description_gives_the_bounds_or_says_why_not() -> None:
    described = describe(ExactSample(range(1, 301), F(1), lost=1), CONFIDENCE)
    assert [described.size, described.lost] == [301, 1]
    assert [described.smallest, described.largest] == [F(1), F(300)]
    assert described.is_exact
    assert [q.name for q in described.quantiles] == ["p50", "p90", "p95", "p99", "p99.9", "p99.99", "p99.999"]
    p50, _, _, p99, p999, *_ = described.quantiles
    assert [p50.estimate, p50.lower, p50.upper] == [F(151), F(136), F(166)]
    assert p50.why_no_upper is None
    assert p50.samples_needed is None
    assert [p99.estimate, p99.upper] == [F(298), None]
    assert p99.samples_needed is None
    assert p99.why_no_upper is not None
    assert "lost" in p99.why_no_upper
    assert p999.estimate is None
    assert p999.samples_needed == 2995
    assert not describe(CellSample(CELLS), CONFIDENCE).is_exact
