"""Samples one by one: numbers a line and columns of comma-separated files."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.measurements import Observations, OptionError, SampleOptions, read_sample

F = Fraction
CONFIDENCE = F(95, 100)
DATA = Path(__file__).resolve().parent.parent / "data/measurements"


def read(text: str | bytes, unit: str | None = "ms", **options: object) -> Observations:
    data = text if isinstance(text, bytes) else text.encode()
    return read_sample(data, "f.csv", SampleOptions(format="samples", unit=unit, **options))  # type: ignore[arg-type]  # a test's


def all_of(sample: Observations) -> list[Fraction]:
    """The observations in ns, ascending, as the bounds of their ranks."""
    return [sample._at_least(rank) for rank in range(1, sample.returned + 1)]


def complaints(text: str | bytes, unit: str | None = "ms", **options: object) -> list[str]:
    with pytest.raises((InputErrors, OutlastError)) as caught:
        read(text, unit, **options)
    errors = caught.value.exceptions if isinstance(caught.value, InputErrors) else [caught.value]
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    "text",
    [
        "2.5\n1.25\n10\n",
        "2.5\n1.25\n10",
        "2.5\r\n1.25\r\n10\r\n",
        "\ufeff2.5\n1.25\n10\n",
        "# round trips\n2.5\n\n1.25\n  10\t\n",
        "2.50\n01.25\n1e1\n",
        "25e-1\n.125E+1\n10.\n",
        "2.5ms\n1250us\n0.01s\n",
        "2.5 ms\n1.25 ms\n10 ms\n",
        "2ms500us\n1ms250us\n10ms\n",
    ],
)
def test_ways_to_write_the_same_samples(text: str) -> None:
    assert all_of(read(text)) == [1_250_000, 2_500_000, 10_000_000]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("rtt\n2.5\n1.25\n10\n", "rtt"),
        ('"rtt"\n2.5\n1.25\n10\n', "rtt"),
        ("host,rtt\na,2.5\nb,1.25\n\nc,10\n", "rtt"),
        ('host,rtt\r\n"a, or b",2.5\r\n"two\r\nlines",1.25\r\nc,"10"\r\n', "rtt"),
        ("host;rtt\na;2.5\nb,b;1.25\nc;10\n", "rtt"),
        ("host\trtt\na\t2.5\nb\t1.25\nc\t10\n", "rtt"),
        ("\ufeffrtt,host\n2.5,a\n1.25,b\n10,c\n", "rtt"),
        ("a b, rtt\n1,2.5\n1,1.25\n1,10\n", "rtt"),
        ("host,rtt\na,2.5ms\nb,1.25ms\nc,10ms\n", "rtt"),
    ],
)
def test_ways_to_write_the_same_column(text: str, column: str) -> None:
    assert all_of(read(text, column=column)) == [1_250_000, 2_500_000, 10_000_000]


def test_a_file_of_hey_is_read_by_its_column() -> None:
    sample = read((DATA / "hey.csv").read_bytes(), "s", column="response-time", lost=2)
    assert all_of(sample) == [9_800_000, 10_100_000, 12_300_000, 203_400_000]
    assert [sample.size, sample.lost] == [6, 2]
    assert [sample.smallest, sample.largest] == [F(9_800_000), F(203_400_000)]


def test_values_with_units_need_no_unit() -> None:
    assert all_of(read("850µs\n1.5ms\n1m30s\n", None)) == [850_000, 1_500_000, 90_000_000_000]


def test_nothing_is_rounded_before_the_bound() -> None:
    sample = read("\n".join(["0.1000000000000000055511151231257827"] * 5), "ns")
    assert sample.smallest == F("0.1000000000000000055511151231257827")
    assert sample.upper(F(1, 2), CONFIDENCE) == 1
    assert sample.lower(F(1, 2), CONFIDENCE) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.csv:1:1: expected at least one sample, found none"),
        ("# none\n\n", "f.csv:1:1: expected at least one sample, found none"),
        (
            "1\nNaN\n",
            "f.csv:2:1: expected a duration, found 'NaN'; samples that never came back are counted by `lost:`",
        ),
        (
            "1\n -inf\n",
            "f.csv:2:2: expected a duration, found '-inf'; samples that never came back are counted by `lost:`",
        ),
        ("1\n-2\n", "f.csv:2:1: expected a duration, which has no sign and is never negative, found '-2'"),
        ("+1\n", "f.csv:1:1: expected a duration, which has no sign and is never negative, found '+1'"),
        ("0x1F\n", "f.csv:1:1: expected a duration in decimal, found '0x1F'"),
        ("1_000\n", "f.csv:1:1: expected a duration such as 2.3 or 2.3ms, found '1_000'"),
        ("١\n", "f.csv:1:1: expected a duration such as 2.3 or 2.3ms, found '١'"),
        ("1.2.3\n", "f.csv:1:1: expected a duration such as 2.3 or 2.3ms, found '1.2.3'"),
        (
            "1,5\n",
            "f.csv:1:1: expected a duration with a decimal point and no commas, found '1,5'; of a file with several columns, name one with `column:`",
        ),
        (
            "rtt\n1\n",
            "f.csv:1:1: expected a duration such as 2.3 or 2.3ms, found 'rtt'; if this is the name of the column, say so with `column:`",
        ),
        ("1\n2ms\n", "f.csv:2:1: expected values all with or all without units, found mixed units: '2ms' after '1'"),
        (
            "1e999\n",
            "f.csv:1:1: expected a duration of at most 20 digits, 30 decimals and an exponent of two digits, found '1e999'",
        ),
        ("1e99\n", "f.csv:1:1: expected a duration of at most 9223372036854775807 ns, about 292 years, found '1e99'"),
        (
            "9223372036855\n",
            "f.csv:1:1: expected a duration of at most 9223372036854775807 ns, about 292 years, found '9223372036855'",
        ),
        (
            "1" * 5000,
            "f.csv:1:1: expected a duration of at most 20 digits, 30 decimals and an exponent of two digits, found '"
            + "1" * 24
            + "…"
            + "1" * 8
            + "'",
        ),
        ("1\n\x1b[31m2\n", "f.csv:2:1: expected a duration such as 2.3 or 2.3ms, found '\\x1b[31m2'"),
        (b"1\n2\xff\n", "f.csv:2:2: expected UTF-8 text, found the byte 0xff"),
        ("1\n".encode("utf-16"), "f.csv:1:1: expected UTF-8 text, found the byte 0xff"),
        (b"\x1f\x8b\x08", "f.csv:1:1: expected text, found gzip-compressed data; unpack it first"),
        ("2.5xs\n", "f.csv:1:1: expected a duration such as 2.3 or 2.3ms, found '2.5xs'"),
    ],
)
def test_what_is_no_duration_is_told_where_it_stands(text: str | bytes, message: str) -> None:
    assert complaints(text) == [message]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "f.csv:1:1: expected a column named 'rtt', found 'a', 'b'"),
        ("rtt,rtt\n1,2\n", "f.csv:1:1: expected a column named 'rtt', found several of that name"),
        ("", "f.csv:1:1: expected a column named 'rtt', found an empty file"),
        ("rtt\n", "f.csv:1:1: expected at least one sample, found none"),
        (
            "a,rtt\n1,2\n1,\n",
            "f.csv:3:3: expected a duration, found nothing; samples that never came back are counted by `lost:`",
        ),
        ("a,rtt\n1,2\n1\n", "f.csv:3:1: expected as many fields as the first line has, 2, found 1"),
        ("rtt\n1,5\n", "f.csv:2:1: expected as many fields as the first line has, 1, found 2"),
        ('a,rtt\n"x,y",bad\n', "f.csv:2:7: expected a duration such as 2.3 or 2.3ms, found 'bad'"),
        ('a,rtt\n"x\ny",bad\n', "f.csv:2:1: expected a duration such as 2.3 or 2.3ms, found 'bad'"),
        ('a,rtt\n1,"2\n', "f.csv:2:1: expected comma-separated values, found them malformed: unexpected end of data"),
        (
            'a,rtt\n1,"2"3\n',
            "f.csv:2:1: expected comma-separated values, found them malformed: ',' expected after '\"'",
        ),
        (
            "rtt\n1\n# no comment here\n",
            "f.csv:3:1: expected a duration such as 2.3 or 2.3ms, found '# no comment here'",
        ),
    ],
)
def test_what_is_wrong_with_a_column_is_told_where_it_stands(text: str, message: str) -> None:
    assert complaints(text, column="rtt") == [message]


def test_bare_numbers_need_a_unit() -> None:
    assert complaints("# x\n2.3\n", None) == [
        "f.csv:2:1: expected a value with its unit, found '2.3'; say with `unit:` what bare numbers mean"
    ]


def test_all_errors_are_told_but_no_more_than_twenty() -> None:
    found = complaints("1\n" + "x\n" * 25)
    assert [error.split(": ")[0] for error in found] == [f"f.csv:{line}:1" for line in range(2, 23)]
    assert found[-1] == "f.csv:22:1: and 5 more"


@pytest.mark.parametrize(
    "text",
    ["a,rtt\n" + "1,x\n" * 40_000, "rtt\n" + "1" * 10**6 + "x\n", "rtt\n" + "1," * 10**6, "rtt\n" + "1m" * 10**6],
)
def test_complaining_takes_no_longer_than_reading(text: str) -> None:
    start = time.process_time()
    assert complaints(text, column="rtt")
    assert complaints(text)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("options", "option", "message"),
    [
        (
            {"format": "wrk"},
            "format",
            "expected one of 'samples', 'prometheus', 'hdr', 'k6', 'vegeta', 'ghz', found 'wrk'",
        ),
        ({"format": "samples", "unit": "sec"}, "unit", "expected a unit (ns, us, ms, s, min, h, d), found 'sec'"),
        (
            {"format": "samples", "unit": "ms", "tag": "a"},
            "tag",
            "expected an option of samples ('unit', 'column', 'lost'), found 'tag'",
        ),
        (
            {"format": "samples", "unit": "ms", "lost": -1},
            "lost",
            "expected the number of samples that never came back",
        ),
        ({"format": "hdr"}, "unit", "expected the unit of the recorded values, found none; say it with `unit:`"),
    ],
)
def test_a_wrong_option_names_itself_and_leaves_its_place_to_the_spec(
    options: dict[str, object], option: str, message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        read_sample(b"1\n", "f", SampleOptions(**options))  # type: ignore[arg-type]  # wrong on purpose
    assert (caught.value.option, caught.value.message, caught.value.place) == (option, message, None)


written = st.one_of(
    st.decimals(0, 10**6, allow_nan=False, places=3).map(str),
    st.decimals(0, 10**6, allow_nan=False).map(lambda d: f"{d:f}"[:30]),
    st.integers(0, 10**9).map(str),
    st.floats(0, 1e6).map(repr),
)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.lists(written, min_size=1, max_size=12), st.lists(st.decimals(0, 99, places=2).map(str), min_size=1)),
    st.booleans(),
)
def test_every_number_counts_with_its_exact_value(texts: list[str], is_column: bool) -> None:
    if any(
        len(text.partition(".")[2].partition("e")[0]) > 30 or "e-1" in text or "e-2" in text or "e-3" in text
        for text in texts
    ):
        return  # more digits than are read
    text = "\n".join(["x", *texts] if is_column else texts)
    sample = read(text, "us", column="x" if is_column else None)
    assert all_of(sample) == sorted(F(text) * 1000 for text in texts)


@pytest.mark.parametrize("from_above", [1, 2, 999, 1000, 1001, 4096, 4097])
def test_a_selected_rank_is_the_sorted_one(from_above: int) -> None:
    rng = random.Random(from_above)
    values = [rng.randrange(3000) for _ in range(4097)]
    sample = read("\n".join(map(str, values)), "ns")
    rank = len(values) + 1 - from_above
    assert sample._at_least(rank) == sorted(values)[rank - 1]
    assert sample._at_least(rank) == sorted(values)[rank - 1]  # and again, selected or sorted already
    assert all_of(sample) == sorted(values)


def test_thirty_thousand_samples_are_read_in_an_instant() -> None:
    rng = random.Random(1)
    data = ("rtt\n" + "\n".join(repr(rng.lognormvariate(1, 1)) for _ in range(30_000))).encode()
    best = min(_seconds(data) for _ in range(7))
    plain = min(_plain_seconds(data) for _ in range(7))
    assert best < 5 * plain, f"{best * 1000:.1f} ms, where reading them as Decimals alone takes {plain * 1000:.1f} ms"


def _seconds(data: bytes) -> float:
    start = time.process_time()
    read(data, column="rtt").upper(F("0.9999"), CONFIDENCE)
    return time.process_time() - start


def _plain_seconds(data: bytes) -> float:
    from decimal import Decimal

    start = time.process_time()
    max(map(Decimal, data.decode().split("\n")[1:]))
    return time.process_time() - start


def test_importing_the_package_loads_no_format() -> None:
    code = (
        "import sys, outlast.constraints.measurements; "
        "print([m for m in ('json', 'csv', 'zlib', 'base64', 'heapq') if m in sys.modules], "
        "[m for m in sys.modules if m.rpartition('.')[2] in ('samples', 'prometheus', 'hdr', 'k6', 'vegeta', 'ghz')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[] []"
