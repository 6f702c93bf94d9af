"""Which order statistic of a sample bounds a quantile with a given confidence, whatever the distribution.

Let M be binomial(n, 1 - p), the number of n independent observations beyond the p-quantile. The k-th smallest observation is an
upper bound of the quantile with probability 1 - P(M <= n - k) at least, and a lower bound with probability P(M <= n - k) (H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., section 7.1). The sums are taken in integers that are rounded
outwards on both sides, with more bits where they do not decide; so a rank is certain, and as near as can be.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Final, Literal

__all__ = ["lower_rank", "samples_needed", "upper_rank"]

_BITS: Final = 64
#: Undecided beyond so many bits means a tie; a tie that cannot be proven goes to the side that is certain.
_MOST_BITS: Final = 1 << 10
#: Above this variance of the binomial, Cantelli's inequality gives a rank that is certain, though not the nearest.
_LARGEST_VARIANCE: Final = 10**8


def upper_rank(n: int, level: Fraction, confidence: Fraction) -> int | None:
    """The smallest k for which the k-th smallest of n observations is >= the quantile with at least that probability.

    None if not even the largest will do. `level` and `confidence` lie strictly between 0 and 1.

    >>> upper_rank(299, Fraction(99, 100), Fraction(95, 100)), upper_rank(298, Fraction(99, 100), Fraction(95, 100))
    (299, None)
    """
    _check(level, confidence)
    above = _last_at_most(n, 1 - level, 1 - confidence)
    return None if above is None else n - above


def lower_rank(n: int, level: Fraction, confidence: Fraction) -> int | None:
    """The largest k for which the k-th smallest of n observations is <= the quantile with at least that probability.

    None if not even the smallest will do. `level` and `confidence` lie strictly between 0 and 1.

    >>> lower_rank(1000, Fraction(99, 100), Fraction(95, 100))
    985
    """
    # Looked at from the other end, the (1 - level)-quantile is bounded from above.
    rank = upper_rank(n, 1 - level, confidence)
    return None if rank is None else n + 1 - rank


def samples_needed(level: Fraction, confidence: Fraction, side: Literal["upper", "lower"] = "upper") -> int:
    """The smallest n for which the quantile has a bound on that side.

    >>> [samples_needed(Fraction(p), Fraction("0.95")) for p in ("0.9", "0.99", "0.999", "0.9999")]
    [29, 299, 2995, 29956]
    """
    _check(level, confidence)
    share = level if side == "upper" else 1 - level
    high = 1
    while not _power_is_at_most(share, high, 1 - confidence):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if _power_is_at_most(share, middle, 1 - confidence):
            high = middle
        else:
            low = middle
    return high


def _check(level: Fraction, confidence: Fraction) -> None:
    if not 0 < level < 1:
        raise ValueError(f"expected a level between 0 and 1, found {level}")
    if not 0 < confidence < 1:
        raise ValueError(f"expected a confidence between 0 and 1, found {confidence}")


def _last_at_most(n: int, share: Fraction, limit: Fraction) -> int | None:
    """The largest j with P(M <= j) <= limit for a binomial M of n trials, each a success with probability `share`."""
    if n <= 0:
        return None
    if n * share * (1 - share) > _LARGEST_VARIANCE:
        return _last_by_cantelli(n, share, limit)
    bits = _BITS
    while True:
        last, is_decided = _last_with(n, share, limit, bits)
        if is_decided:
            return last
        if bits > n * share.denominator.bit_length() + limit.denominator.bit_length():
            # Both are multiples of 1 / (denominators' product): so near each other, they are equal.
            return 0 if last is None else last + 1
        if bits >= _MOST_BITS + 2 * limit.denominator.bit_length():
            return last
        bits *= 4


def _last_with(n: int, share: Fraction, limit: Fraction, bits: int) -> tuple[int | None, bool]:
    """The largest j that surely qualifies, and whether it is sure that the next one does not.

    The probabilities are taken relative to the most probable count's, from there downwards and upwards, until rounding eats
    them: a geometric series bounds what is left, since the ratio of neighbours falls away from the middle.
    """
    good, bad = share.numerator, share.denominator - share.numerator
    middle = min(n, (n + 1) * good // (good + bad))
    low = high = one = 1 << bits
    below: list[tuple[int, int]] = []
    rest_below = 0
    for j in range(middle, 0, -1):  # from j to j - 1
        num, den = j * bad, (n - j + 1) * good
        if num < den and high * (den - num) <= 2 * den:
            rest_below = -(-high * num // (den - num))
            break
        low, high = low * num // den, -(-high * num // den)
        below.append((low, high))
    first = middle - len(below)
    low = high = one
    terms = [*reversed(below), (one, one)]
    rest_above = 0
    for j in range(middle, n):  # from j to j + 1
        num, den = (n - j) * good, (j + 1) * bad
        if num < den and high * (den - num) <= 2 * den:
            rest_above = -(-high * num // (den - num))
            break
        low, high = low * num // den, -(-high * num // den)
        terms.append((low, high))
    total_low = sum(low for low, _ in terms)
    total_high = sum(high for _, high in terms) + rest_below + rest_above

    last: int | None = first - 1 if rest_below else None
    sum_low, sum_high = 0, rest_below
    if rest_below * limit.denominator > limit.numerator * total_low:
        return None, False  # the limit itself is below the last bit
    for j, (low, high) in enumerate(terms, first):
        sum_low += low
        sum_high += high
        if sum_high * limit.denominator <= limit.numerator * total_low:
            last = j
        else:
            return last, sum_low * limit.denominator > limit.numerator * total_high
    return last, False  # the limit is within the last bit of 1


def _last_by_cantelli(n: int, share: Fraction, limit: Fraction) -> int | None:
    """A j with P(M <= j) <= limit, from P(M <= mean - t) <= variance / (variance + t²)."""
    mean = n * share
    square = mean * (1 - share) * (1 - limit) / limit
    distance = isqrt(-(-square.numerator // square.denominator)) + 1
    last = (mean - distance).__floor__()
    return last if last >= 0 else None


def _power_is_at_most(base: Fraction, exponent: int, limit: Fraction) -> bool:
    """Whether base ** exponent <= limit, certain."""
    bits = _BITS
    # Only where the limit has the power's own denominator, they can be equal; then the power is small enough to be exact.
    if exponent * (base.denominator.bit_length() - 1) <= limit.denominator.bit_length():
        return base**exponent <= limit
    while True:
        if _power(base, exponent, bits, up=True) * limit.denominator <= limit.numerator << bits:
            return True
        if _power(base, exponent, bits, up=False) * limit.denominator > limit.numerator << bits:
            return False
        bits *= 2


def _power(base: Fraction, exponent: int, bits: int, *, up: bool) -> int:
    """Base ** exponent in units of 2 ** -bits, rounded up or down at each step."""
    most = (1 << bits) - 1 if up else 0
    result = 1 << bits
    factor = ((base.numerator << bits) + (base.denominator - 1 if up else 0)) // base.denominator
    while exponent:
        if exponent & 1:
            result = (result * factor + most) >> bits
        factor = (factor * factor + most) >> bits
        exponent >>= 1
    return result
