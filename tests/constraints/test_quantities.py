"""Quantities: what is read, what is refused and how, and that text and value agree."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.constraints.quantities import (
    DURATION_UNITS,
    LARGEST,
    Kind,
    QuantityError,
    Sentinel,
    format_number,
    format_value,
    parse_duration,
    parse_quantity,
)

UNITS = "ns, us, ms, s, min, m, h, d"
EXPECTED = "expected a duration (10s, 1m30s, 250us), a count (3), a rate (100/s), a ratio (20%), infinite or off"


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("10s", 10 * 10**9, Kind.DURATION),
        ("1m30s", 90 * 10**9, Kind.DURATION),
        ("1min30s", 90 * 10**9, Kind.DURATION),
        ("1d2h3m4s5ms6us7ns", 93_784_005_006_007, Kind.DURATION),
        ("250us", 250_000, Kind.DURATION),
        ("250µs", 250_000, Kind.DURATION),
        ("250μs", 250_000, Kind.DURATION),
        ("1.5s", 1_500_000_000, Kind.DURATION),
        (".5s", 500_000_000, Kind.DURATION),
        ("0.000000001s", 1, Kind.DURATION),
        ("0s", 0, Kind.DURATION),
        (f"{LARGEST}ns", LARGEST, Kind.DURATION),
        ("010", 10, Kind.COUNT),
        (str(LARGEST), LARGEST, Kind.COUNT),
        ("1.0", 1, Kind.RATIO),
        ("0.1", Fraction(1, 10), Kind.RATIO),
        ("20%", Fraction(1, 5), Kind.RATIO),
        ("0.05%", Fraction(1, 2000), Kind.RATIO),
        ("100/s", Fraction(1, 10**7), Kind.RATE),
        ("6/min", Fraction(1, 10**10), Kind.RATE),
        ("0.5/h", Fraction(1, 7_200_000_000_000), Kind.RATE),
        ("infinite", Sentinel.INFINITE, None),
        ("off", Sentinel.OFF, None),
    ],
)
def test_a_quantity_is_read_exactly_with_its_kind(
    text: str, value: int | Fraction | Sentinel, kind: Kind | None
) -> None:
    quantity = parse_quantity(text)
    assert (quantity.value, quantity.kind) == (value, kind)


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("", f"found nothing, {EXPECTED}", 0),
        ("  ", f"found blanks, {EXPECTED}", 0),
        ("10s\n", "found blanks around '10s', expected none", 0),
        ("ms", f"found 'ms', {EXPECTED}", 0),
        ("-", f"found '-', {EXPECTED}", 0),
        ("-3s", "found '-3s', but a quantity has no sign and is never negative", 0),
        ("+3s", "found '+3s', but a quantity has no sign and is never negative", 0),
        ("10 S", "found '10 S', expected no blank between number and unit: '10s'", 2),
        ("20 %", "found '20 %', expected no blank between number and unit: '20%'", 2),
        ("1m 30s", "found '1m 30s', expected no blank in it: '1m30s'", 2),
        ("1m30", "found '1m30', but its last number, 30, has no unit; did you mean '1m30s'?", 4),
        ("1ms2", "found '1ms2', but its last number, 2, has no unit; did you mean '1ms2us'?", 4),
        ("5ns3", "found '5ns3', but its last number, 3, has no unit", 4),
        ("30s..70s", "found '30s..70s', expected one value, not an interval", 0),
        ("..20%", "found '..20%', expected one value, not an interval", 0),
        ("1s-", "found '1s-', expected a digit at '-'", 2),
        ("1e3ms", "found '1e3ms', but exponents are not read; write the number out", 1),
        ("1E3", "found '1E3', but exponents are not read; write the number out", 1),
        ("10sec", f"found '10sec', with the unknown unit 'sec'; known are {UNITS}; did you mean 's'?", 2),
        ("10S", f"found '10S', with the unknown unit 'S'; known are {UNITS}; did you mean 's'?", 2),
        ("10y", f"found '10y', with the unknown unit 'y'; known are {UNITS}", 2),
        ("5/S", f"found '5/S', with the unknown per-unit 'S'; known are {UNITS}; did you mean 's'?", 2),
        ("5/", "found '5/', expected a unit after '/', such as 5/s", 2),
        ("1s1m", "found '1s1m', expected larger units first and each once", 3),
        ("1s1s", "found '1s1s', expected larger units first and each once", 3),
        ("0.1ns", "found '0.1ns', which is finer than 1 ns", 0),
        ("1_000", f"found '1_000', expected a unit ({UNITS}) at '_000'; digits are not grouped", 1),
        ("1:30", f"found '1:30', expected a unit ({UNITS}) at ':30'", 1),
        ("1.", f"found '1.', expected a unit ({UNITS}) at '.'", 1),
        ("10^400", f"found '10^400', expected a unit ({UNITS}) at '^400'", 2),
        ("٣s", f"found '٣s', {EXPECTED}", 0),
        ("3٣", f"found '3٣', expected a unit ({UNITS}) at '٣'", 1),
        ("Off", "found 'Off', expected 'infinite' or 'off', in lower case", 0),
        ("inf", "found 'inf', expected 'infinite' or 'off', in lower case", 0),
        (str(LARGEST + 1), f"found '{LARGEST + 1}', but the largest number is {LARGEST}", 0),
        ("107000d", f"found '107000d', which is longer than {LARGEST} ns, about 292 years", 0),
        ("9" * 401, f"found '{'9' * 24}…{'9' * 8}', a number of 401 characters; the largest is {LARGEST}", 0),
        ("5\x1b[31m", f"found '5\\x1b[31m', expected a unit ({UNITS}) at '\\x1b[31m'", 1),
    ],
)
def test_what_is_no_quantity_is_refused_with_a_reason_and_an_offset(text: str, message: str, offset: int) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_quantity(text)
    assert (caught.value.message, caught.value.offset) == (message, offset)


@pytest.mark.parametrize(
    ("text", "hint"),
    [("5", "; did you mean '5s' or '5ms'?"), ("1.5", ""), ("20%", ""), ("100/s", ""), ("off", "")],
)
def test_a_duration_needs_a_unit(text: str, hint: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_duration(text)
    assert caught.value.message == f"found '{text}', expected a duration with its unit, such as 10s{hint}"


@pytest.mark.parametrize(
    ("text", "nanoseconds"), [("5", 5_000_000), ("0.5", 500_000), ("5s", 5_000_000_000), ("1us", 1000)]
)
def test_a_bare_number_has_the_unit_that_its_place_gives_it(text: str, nanoseconds: int) -> None:
    assert parse_duration(text, bare_unit="ms") == nanoseconds


def test_a_bare_number_finer_than_a_nanosecond_is_refused() -> None:
    with pytest.raises(QuantityError, match="finer than 1 ns"):
        parse_duration("0.5", bare_unit="ns")


@pytest.mark.parametrize(
    ("value", "exponent", "text"),
    [
        (Fraction(0), 1, "0s"),
        (Fraction(999), 1, "999ns"),
        (Fraction(1500), 1, "1.5us"),
        (Fraction(250 * 10**6), 1, "250ms"),
        (Fraction(5_500_000_000), 1, "5.5s"),
        (Fraction(90 * 10**9), 1, "90s"),
        (Fraction(3600 * 10**9), 1, "1h"),
        (Fraction(24 * 3600 * 10**9), 1, "24h"),
        (Fraction(48 * 3600 * 10**9), 1, "2d"),
        (Fraction(-5 * 10**9), 1, "-5s"),
        (Fraction(10**10, 3), 1, "10/3s"),
        (Fraction(1, 10**7), -1, "100/s"),
        (Fraction(1, 60 * 10**9), -1, "1/min"),
        (Fraction(1, 172_800 * 10**9), -1, "0.5/d"),
        (Fraction(0), -1, "0/s"),
        (Fraction(5, 2), 0, "2.5"),
        (Fraction(1, 3), 0, "1/3"),
        (Fraction(10**18), 2, "1s^2"),
        (Fraction(2, 15 * 10**18), -2, "2/15s^-2"),
        (Sentinel.OFF, 1, "off"),
    ],
)
def test_a_value_is_written_in_the_unit_in_which_people_say_it(
    value: Fraction | Sentinel, exponent: int, text: str
) -> None:
    assert format_value(value, exponent) == text


def test_a_ratio_is_written_as_a_percentage_on_request() -> None:
    assert format_value(Fraction(1, 8), 0, percent=True) == "12.5%"


def test_a_negative_decimal_keeps_its_sign_before_the_whole_part() -> None:
    assert format_number(Fraction(-1, 4)) == "-0.25"


@given(st.integers(0, LARGEST))
def test_every_duration_reads_back_from_its_text(nanoseconds: int) -> None:
    assert parse_duration(format_value(Fraction(nanoseconds), 1)) == nanoseconds


@given(st.integers(0, 10**6), st.integers(0, 9), st.integers(0, 9))
def test_every_short_decimal_reads_back_from_its_text(number: int, twos: int, fives: int) -> None:
    value = Fraction(number, 2**twos * 5**fives)
    assert parse_quantity(format_value(value, 0)).value == value
    assert parse_quantity(format_value(value, 0, percent=True)).value == value


@given(st.integers(0, 10**6), st.integers(0, 3), st.sampled_from(sorted(DURATION_UNITS)))
def test_every_rate_reads_back_from_its_text(number: int, decimals: int, unit: str) -> None:
    value = Fraction(number, 10**decimals) / DURATION_UNITS[unit]
    quantity = parse_quantity(format_value(value, -1))
    assert (quantity.value, quantity.kind) == (value, Kind.RATE)


@given(st.lists(st.integers(1, 99), min_size=7, max_size=7), st.sets(st.integers(0, 6), min_size=1))
def test_parts_of_a_duration_add_up(numbers: list[int], chosen: set[int]) -> None:
    units = ["d", "h", "min", "s", "ms", "us", "ns"]
    text = "".join(f"{numbers[i]}{units[i]}" for i in sorted(chosen))
    assert parse_duration(text) == sum(numbers[i] * DURATION_UNITS[units[i]] for i in chosen)


@given(st.text(alphabet="0123456789.smhdnuµ%/ -+eE_o٣\x1b", max_size=12))
def test_any_text_is_read_or_refused_on_one_printable_line(text: str) -> None:
    with contextlib.suppress(QuantityError):
        parse_quantity(text)
        return
    with pytest.raises(QuantityError) as caught:
        parse_quantity(text)
    assert caught.value.message.isprintable()
    assert 0 <= caught.value.offset <= len(text)
