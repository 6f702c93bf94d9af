"""Ranks against a plain implementation with fractions, and the coverage that they promise."""

from __future__ import annotations

import time
from fractions import Fraction
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outlast.constraints.measurements.quantile import lower_rank, samples_needed, upper_rank

F = Fraction
CONFIDENCE = F(95, 100)

proportions = st.fractions(min_value=F(1, 1000), max_value=F(999, 1000), max_denominator=1000)


def at_most(n: int, p: Fraction, k: int) -> Fraction:
    """P(binomial(n, p) <= k)."""
    return sum((comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)), F(0))


def naive_upper(n: int, level: Fraction, confidence: Fraction) -> int | None:
    return next((k for k in range(1, n + 1) if at_most(n, level, k - 1) >= confidence), None)


def naive_lower(n: int, level: Fraction, confidence: Fraction) -> int | None:
    return next((k for k in range(n, 0, -1) if 1 - at_most(n, level, k - 1) >= confidence), None)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 45), proportions, proportions)
@example(1, F(1, 2), F(1, 2))  # ties: the probability equals the confidence
@example(2, F(1, 2), F(3, 4))
@example(3, F(1, 3), F(26, 27))
@example(41, F(1, 2), F(1, 2))
def test_ranks_are_those_of_the_plain_definition(n: int, level: Fraction, confidence: Fraction) -> None:
    assert upper_rank(n, level, confidence) == naive_upper(n, level, confidence)
    assert lower_rank(n, level, confidence) == naive_lower(n, level, confidence)


@pytest.mark.parametrize("confidence", [F(1, 10**30), 1 - F(1, 10**30), 1 - F(1, 10**12)])
@pytest.mark.parametrize("level", [F(1, 2), F(999_999, 10**6), F(1, 10**6)])
def test_extreme_confidences_are_decided(level: Fraction, confidence: Fraction) -> None:
    for n in (1, 7, 120):
        assert upper_rank(n, level, confidence) == naive_upper(n, level, confidence)
        assert lower_rank(n, level, confidence) == naive_lower(n, level, confidence)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), proportions)
def test_a_rank_covers_with_the_confidence_and_the_next_nearer_one_does_not(n: int, level: Fraction) -> None:
    upper, lower = upper_rank(n, level, CONFIDENCE), lower_rank(n, level, CONFIDENCE)
    if upper is not None:
        assert at_most(n, level, upper - 1) >= CONFIDENCE
        assert upper == 1 or at_most(n, level, upper - 2) < CONFIDENCE
    if lower is not None:
        assert 1 - at_most(n, level, lower - 1) >= CONFIDENCE
        assert lower == n or 1 - at_most(n, level, lower) < CONFIDENCE
    if upper is not None and lower is not None:
        assert lower <= upper


def test_large_samples_agree_with_sums_in_integers() -> None:
    n, rank = 3000, upper_rank(3000, F(99, 100), CONFIDENCE)
    assert rank is not None
    tail = [comb(n, i) * 99 ** (n - i) for i in range(60)]  # i observations above the quantile
    assert F(sum(tail[: n - rank + 1]), 100**n) <= 1 - CONFIDENCE < F(sum(tail[: n - rank + 2]), 100**n)


def test_known_ranks_of_the_literature() -> None:
    # 59 samples bound p95 at 95 % (Wilks); the rest from tables of the binomial distribution.
    assert upper_rank(59, F(95, 100), CONFIDENCE) == 59
    assert upper_rank(58, F(95, 100), CONFIDENCE) is None
    assert upper_rank(93, F(95, 100), CONFIDENCE) == 92
    assert (lower_rank(10, F(1, 2), CONFIDENCE), upper_rank(10, F(1, 2), CONFIDENCE)) == (2, 9)
    assert upper_rank(0, F(1, 2), CONFIDENCE) is None
    assert lower_rank(0, F(1, 2), CONFIDENCE) is None


def test_the_numbers_of_samples_that_quantiles_need() -> None:
    levels = [F("0.5"), F("0.9"), F("0.95"), F("0.99"), F("0.999"), F("0.9999"), F("0.99999")]
    assert [samples_needed(level, CONFIDENCE) for level in levels] == [5, 29, 59, 299, 2995, 29956, 299572]
    assert samples_needed(F("0.9999"), F("0.99")) == 46050
    assert samples_needed(F("0.1"), CONFIDENCE) == 2
    assert samples_needed(F("0.1"), CONFIDENCE, "lower") == 29
    assert samples_needed(F(1, 2), F(3, 4)) == 2  # a tie: 1/4 is at most 1/4


@settings(max_examples=60, deadline=None)
@given(proportions, proportions)
def test_so_many_samples_are_enough_and_one_less_is_not(level: Fraction, confidence: Fraction) -> None:
    n = samples_needed(level, confidence)
    assert level**n <= 1 - confidence
    assert n == 1 or level ** (n - 1) > 1 - confidence
    assert samples_needed(1 - level, confidence, "lower") == n
    if n < 3000:
        assert upper_rank(n, level, confidence) == n
        assert n == 1 or upper_rank(n - 1, level, confidence) is None


def test_beyond_the_exact_sums_a_rank_is_certain_and_still_near() -> None:
    n = 10**12
    upper, lower = upper_rank(n, F(1, 2), CONFIDENCE), lower_rank(n, F(1, 2), CONFIDENCE)
    assert upper is not None
    assert lower is not None
    deviation = 10**6 // 2  # of the binomial; the nearest rank is 1.645 deviations away, Cantelli's is 4.36
    assert F("1.645") < F(upper - n // 2, deviation) < F("4.37")
    assert F("1.645") < F(n // 2 - lower, deviation) < F("4.37")
    assert upper_rank(10**18, F("0.9999"), CONFIDENCE) is not None


@pytest.mark.parametrize(
    ("n", "level", "seconds"), [(31_000, "0.9999", 0.05), (10**6, "0.99", 0.5), (10**6, "0.5", 1), (10**9, "0.9999", 1)]
)
def test_ranks_of_large_samples_take_no_time_to_speak_of(n: int, level: str, seconds: float) -> None:
    start = time.process_time()
    assert upper_rank(n, F(level), CONFIDENCE) is not None
    assert time.process_time() - start < seconds


@pytest.mark.parametrize(
    ("level", "confidence"), [(F(0), CONFIDENCE), (F(1), CONFIDENCE), (F(1, 2), F(0)), (F(1, 2), F(1))]
)
def test_levels_and_confidences_lie_inside_of_0_to_1(level: Fraction, confidence: Fraction) -> None:
    for function in (upper_rank, lower_rank):
        with pytest.raises(ValueError, match="between 0 and 1"):
            function(5, level, confidence)
    with pytest.raises(ValueError, match="between 0 and 1"):
        samples_needed(level, confidence)
