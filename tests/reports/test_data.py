"""Numbers for reading."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from outlast.reports.data import rounded_down


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(3, 7), "0.4285"),
        (Fraction(-1, 3), "-0.3334"),
        (Fraction(5), "5"),
        (Fraction(10**16, 1) - Fraction(1, 4), "9999999999999999.75"),
        (Fraction(10**16) + Fraction(1, 4), "10000000000000000"),
        (Fraction(10**400, 3), "3" * 400),
    ],
)
def test_a_headroom_is_rounded_down_to_what_a_float_can_tell_and_never_too_long_for_one(
    value: Fraction, text: str
) -> None:
    assert json.dumps(rounded_down(value, 4)) == json.dumps(json.loads(text))
