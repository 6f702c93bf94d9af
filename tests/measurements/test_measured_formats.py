"""Files of Prometheus, HdrHistogram, k6, vegeta and ghz."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.measurements import FORMATS, Observations, SampleOptions, detect_format, read_sample

F = Fraction
CONFIDENCE = F(95, 100)
DATA = Path(__file__).resolve().parent.parent / "data/measurements"
GET = {"path": '/a\\b "q"'}


def read(text: str | bytes, kind: str, **options: object) -> Observations:
    data = text if isinstance(text, bytes) else text.encode()
    return read_sample(data, "f", SampleOptions(format=kind, **options))  # type: ignore[arg-type]  # a test's


def file(name: str, kind: str, **options: object) -> Observations:
    return read((DATA / name).read_bytes(), kind, **options)


def complaints(text: str | bytes, kind: str, **options: object) -> list[str]:
    with pytest.raises((InputErrors, OutlastError)) as caught:
        read(text, kind, **options)
    errors = caught.value.exceptions if isinstance(caught.value, InputErrors) else [caught.value]
    return [str(error) for error in errors]


def complaint(text: str | bytes, kind: str, **options: object) -> str:
    (message,) = complaints(text, kind, **options)
    return message


def ranks(sample: Observations) -> list[tuple[Fraction, Fraction | None]]:
    return [(sample._at_least(rank), sample._at_most(rank)) for rank in range(1, sample.returned + 1)]


# Prometheus


def test_a_prometheus_histogram_is_selected_by_metric_and_labels() -> None:
    sample = file("app.prom", "prometheus", metric="request_duration_milliseconds", labels=GET)
    assert sample.size == 400
    assert sample.smallest == 0
    assert sample.largest == 100_000_000
    assert sample.upper(F(1, 5), CONFIDENCE) == 100_000_000
    assert sample.upper(F(1, 10), CONFIDENCE) == 10_000_000


def test_edges_of_a_runtime_histogram_are_exact() -> None:
    sample = file("app.prom", "prometheus", metric="go_sched_latencies_seconds")
    assert sample.size == 1_234_600
    assert sample._at_most(1) == F("63.99999999999999")
    assert sample.upper(F("0.9"), CONFIDENCE) == 64
    assert sample.upper(F("0.99999"), CONFIDENCE) == 184320
    assert sample.lower(F("0.99999"), CONFIDENCE) == 639


def test_openmetrics_with_exemplars_and_timestamps_is_read() -> None:
    assert ranks(file("openmetrics.prom", "prometheus")) == [(F(0), F(10**7))] * 8 + [(F(10**7), F(10**8))] * 3


def test_the_suffix_for_buckets_may_be_part_of_the_metric_told() -> None:
    assert file("openmetrics.prom", "prometheus", metric="dial_seconds_bucket").size == 11


def test_a_quoted_metric_name_and_a_last_comma_are_read() -> None:
    text = '{"rpc.wait_seconds_bucket",le="1",} 5\n{"rpc.wait_seconds_bucket", "le" = "+Inf"} 5\n'
    assert ranks(read(text, "prometheus", metric="rpc.wait_seconds")) == [(F(0), F(10**9))] * 5


def series(*buckets: str, name: str = "x_seconds") -> str:
    return "".join(f'{name}_bucket{{le="{le}"}} {count}\n' for le, _, count in (b.partition(" ") for b in buckets))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "f:1:1: expected a histogram, found none"),
        ("# EOF\n", {"metric": "y"}, "f:1:1: expected a histogram named 'y', found none"),
        (series("1 5", "+Inf 5"), {"metric": "y"}, "f:1:1: expected a histogram named 'y', found 'x_seconds'"),
        (
            series("+Inf 5") + series("+Inf 5", name="y"),
            {},
            "f:1:1: expected one histogram, found 'x_seconds', 'y'; name one with `metric:`",
        ),
        (
            series("1 5", "+Inf 5", name="x"),
            {},
            "f:1:1: expected a unit at the end of the metric's name, such as _seconds, found 'x'; say it with `unit:`",
        ),
        (
            series("1 5", "+Inf 5"),
            {"unit": "ms"},
            "f:1:1: expected `unit: s`, since the metric is 'x_seconds', found ms",
        ),
        (series("1 5", "2 4", "+Inf 5"), {}, "f:2:26: expected cumulative counts, found 4 at le='2' after 5"),
        (series("2 4", "1 5", "+Inf 5"), {}, "f:2:1: expected buckets with ascending `le`, found '1' after '2'"),
        (series("1 4", "1 5", "+Inf 5"), {}, "f:2:1: expected buckets with ascending `le`, found '1' after '1'"),
        (series("+Inf 5", "1 5"), {}, "f:2:1: expected le=\"+Inf\" to be the last bucket, found le='1' after it"),
        (series("1 4", "2 5"), {}, "f:2:1: expected a last bucket le=\"+Inf\" of 'x_seconds', found le='2'"),
        (series("1 4.5", "+Inf 5"), {}, "f:1:26: expected a whole number of observations, found '4.5'"),
        (series("1 NaN", "+Inf 5"), {}, "f:1:26: expected a whole number of observations, found 'NaN'"),
        (
            series("-1 4", "+Inf 5"),
            {},
            "f:1:1: expected `le` to be a duration of at most 9223372036854775807 ns or +Inf, found '-1'; durations are never negative",
        ),
        (
            series("1e99 4", "+Inf 5"),
            {},
            "f:1:1: expected `le` to be a duration of at most 9223372036854775807 ns or +Inf, found '1e99'",
        ),
        (
            series("1 4", "+Inf 5") + "x_seconds_count 6\n",
            {},
            "f:3:17: expected x_seconds_count to be 5, as in the bucket le=\"+Inf\", found '6'",
        ),
        (series("1 0", "+Inf 0"), {}, "f:1:1: expected at least one observation in 'x_seconds', found none"),
        ("x_seconds_bucket{le=1} 5\n", {}, "f:1:18: expected a label such as le=\"0.5\", found 'le=1} 5'"),
        ('x_seconds_bucket{le="1" 5\n', {}, 'f:1:18: expected a label such as le="0.5", found \'le="1" 5\''),
        (
            'x_seconds_bucket{le="1"} 5 oops\n',
            {},
            "f:1:25: expected a value, and nothing but a timestamp after it, found '5 oops'",
        ),
        ("<html>\n", {}, "f:1:1: expected a sample of a metric, found '<html>'"),
        (
            '# TYPE x_seconds summary\nx_seconds{quantile="0.9"} 5\nx_seconds_count 9\n',
            {"metric": "x_seconds"},
            "f:1:1: expected a histogram, found 'x_seconds' to be a summary, whose quantiles have no bound",
        ),
        (
            "# TYPE up gauge\nup 1\n",
            {"metric": "up"},
            "f:1:1: expected a histogram, found 'up' to be a gauge",
        ),
        (
            "# TYPE x_seconds histogram\nx_seconds {count:12,sum:100.0,schema:0}\n",
            {},
            "f:2:1: expected a classic histogram with buckets, found 'x_seconds' to be a native one, which is not read; "
            "scrape it with its classic buckets",
        ),
    ],
)
def test_what_is_wrong_with_a_prometheus_file(text: str, options: dict[str, str], message: str) -> None:
    assert complaint(text, "prometheus", **options) == message


def test_several_series_are_listed() -> None:
    metric = "request_duration_milliseconds"
    data = (DATA / "app.prom").read_bytes()
    assert complaint(data, "prometheus", metric=metric) == (
        'f:1:1: expected one series, found 2: {method: GET, path: /a\\b "q"}; {method: GET, path: /slow}; choose one with `labels:`'
    )
    assert complaint(data, "prometheus", metric=metric, labels={"path": "/none"}) == (
        'f:1:1: expected a series with the labels {path: /none}, found {method: GET, path: /a\\b "q"}; {method: GET, path: /slow}'
    )


def test_lines_of_other_metrics_are_passed_over() -> None:
    assert read("other{bad\n" + series("1 5", "+Inf 5"), "prometheus").size == 5
    assert read("y_bucket{bad\n" + series("1 5", "+Inf 5"), "prometheus", metric="x_seconds").size == 5


def test_a_unit_told_by_the_file_or_the_spec_is_used() -> None:
    assert read("# UNIT x milliseconds\n" + series("1 5", "+Inf 5", name="x"), "prometheus").largest == 10**6
    assert read(series("1 5", "+Inf 5", name="x"), "prometheus", unit="us").largest == 1000


# HdrHistogram


def zigzag(value: int) -> bytes:
    value, out = value * 2 if value >= 0 else -value * 2 - 1, bytearray()
    while value >= 0x80 and len(out) < 8:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def cell_of(value: int, digits: int, unit: int) -> tuple[int, int, int]:
    """Index, lowest and highest value of the cell, found by doubling instead of by shifting."""
    size = 1
    while size < 2 * 10**digits:
        size *= 2
    half, width, first, index = size // 2, unit, 0, 0
    while value >= first + (size if first == 0 else half) * width:
        steps = size if first == 0 else half
        first, index, width = first + steps * width, index + steps, width * 2
    step = (value - first) // width
    return index + step, first + step * width, first + (step + 1) * width - 1


def hdr(values: list[int], digits: int = 3, unit: int = 1) -> bytes:
    counts: dict[int, int] = {}
    for value in values:
        index = cell_of(value, digits, unit)[0]
        counts[index] = counts.get(index, 0) + 1
    body, at = b"", 0
    for index, count in sorted(counts.items()):
        body += (zigzag(at - index) if index > at else b"") + zigzag(count)
        at = index + 1
    return payload(body, digits, unit)


def payload(body: bytes, digits: int = 3, unit: int = 1, **other: int) -> bytes:
    head = (other.get("cookie", 0x1C849313), other.get("length", len(body)), other.get("offset", 0), digits)
    return struct.pack(">Iiiiqqd", *head, unit, 2**40, other.get("ratio", 1)) + body


def blob(packed: bytes, cookie: int = 0x1C849314) -> str:
    packed = zlib.compress(packed)
    return base64.b64encode(struct.pack(">II", cookie, len(packed)) + packed).decode()


def log(*blobs: str, tags: tuple[str, ...] = ()) -> str:
    named = [f"Tag={tag}," if tag else "" for tag in tags] or [""] * len(blobs)
    lines = [f"{tag}{i}.127,1.007,2.769,{b}\n" for i, (tag, b) in enumerate(zip(named, blobs, strict=True))]
    return '#[Histogram log format version 1.3]\n"StartTimestamp","Interval_Length"\n' + "".join(lines)


def test_a_log_of_the_reference_library_gives_its_percentiles() -> None:
    sample = file("ping.hlog", "hdr", unit="us")
    assert [sample.size, sample.lost] == [4000, 0]
    assert [sample.smallest, sample.largest] == [F(33_000), F(59_871_000)]
    found = [sample.estimate(F(level)) for level in ("0.5", "0.9", "0.99", "0.999")]
    assert found == [F(1000 * us) for us in (1063, 3673, 11703, 29695)]  # as hdrh's get_value_at_percentile


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2**40), min_size=1, max_size=30), min_size=1, max_size=3),
    st.integers(0, 5),
    st.integers(0, 12),
)
def test_each_value_is_counted_in_its_cell(intervals: list[list[int]], digits: int, exponent: int) -> None:
    unit = 2**exponent
    sample = read(log(*(blob(hdr(values, digits, unit)) for values in intervals)), "hdr", unit="us")
    cells = [cell_of(value, digits, unit)[1:] for values in intervals for value in values]
    assert ranks(sample) == sorted((F(low * 1000), F(high * 1000)) for low, high in cells)


def test_a_large_count_takes_nine_bytes() -> None:
    assert read(log(blob(payload(zigzag(2**62)))), "hdr", unit="ns").size == 2**62


def test_intervals_are_chosen_by_their_tag() -> None:
    text = log(blob(hdr([5])), blob(hdr([7, 8])), blob(hdr([5])), tags=("a", "b", "a"))
    assert ranks(read(text, "hdr", unit="ns", tag="a")) == [(F(5), F(5))] * 2
    assert read(text, "hdr", unit="ns", tag="b").size == 2
    assert complaint(text, "hdr", unit="ns") == (
        "f:1:1: expected intervals of one tag, found the tags 'a', 'b'; choose one with `tag:`"
    )
    assert complaint(text, "hdr", unit="ns", tag="c") == (
        "f:1:1: expected intervals with the tag 'c', found the tags 'a', 'b'"
    )
    mixed = log(blob(hdr([5])), blob(hdr([7])), tags=("a", ""))
    assert complaint(mixed, "hdr", unit="ns") == (
        "f:1:1: expected intervals of one tag, found the tags 'a' and intervals without tag; choose one with `tag:`"
    )
    assert read(log(blob(hdr([5])), tags=("a",)), "hdr", unit="ns").size == 1


ZEROS = blob(payload(b"\0" * (17 * 2**20)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f:1:1: expected the intervals of an HdrHistogram log, found none"),
        (
            "0,1,2\n",
            "f:1:1: expected an interval of an HdrHistogram log (start, length, maximum, histogram), found '0,1,2'",
        ),
        (log("!!!!"), "f:3:19: expected a histogram in base64, found '!!!!'"),
        (log("AAAA"), "f:3:19: expected a compressed histogram, found it cut off"),
        (
            log(blob(b"", 0x1C849309)),
            "f:3:19: expected a compressed V2 histogram, found V0, which is no longer read; write the log with a current HdrHistogram",
        ),
        (
            log(blob(b"", 0x1C849302)),
            "f:3:19: expected a compressed V2 histogram, found V1, which is no longer read; write the log with a current HdrHistogram",
        ),
        (log(blob(b"", 0x12345678)), "f:3:19: expected a compressed V2 histogram, found the cookie 0x12345678"),
        (log(blob(b"x")), "f:3:19: expected a histogram's header, found it cut off"),
        (
            log(base64.b64encode(struct.pack(">II", 0x1C849314, 3) + b"abc").decode()),
            "f:3:19: expected zlib-compressed data, found it malformed",
        ),
        (
            log(base64.b64encode(struct.pack(">II", 0x1C849314, 9) + b"abc").decode()),
            "f:3:19: expected 9 bytes of compressed histogram, found 3",
        ),
        (log(blob(payload(b"", cookie=0x1C849301))), "f:3:19: expected a V2 histogram, found the cookie 0x1c849301"),
        (
            log(blob(payload(b"", ratio=2))),
            "f:3:19: expected a histogram of plain integers, found one that is shifted or scaled",
        ),
        (
            log(blob(payload(b"", offset=1))),
            "f:3:19: expected a histogram of plain integers, found one that is shifted or scaled",
        ),
        (log(blob(payload(b"\2", length=7))), "f:3:19: expected 7 bytes of counts, found 1"),
        (
            log(blob(payload(b"\2", digits=9))),
            "f:3:19: expected up to 5 significant digits and a lowest value of at least 1, found 9 and 1",
        ),
        (log(blob(payload(b"\x80"))), "f:3:19: expected a count, found it cut off"),
        (
            log(blob(payload(zigzag(-(2**62)) + b"\2"))),
            "f:3:19: expected counts of values below 2^63, found one beyond",
        ),
        (log(blob(payload(b""))), "f:1:1: expected at least one recorded value, found none"),
        (log(ZEROS), f"f:3:19: expected a histogram of at most {16 * 2**20} bytes, found more"),
    ],
)
def test_what_is_wrong_with_a_log(text: str, message: str) -> None:
    assert complaint(text, "hdr", unit="ns") == message


def test_values_beyond_64_bits_in_the_unit_told_are_refused() -> None:
    assert "is the unit right?" in complaint(log(blob(hdr([2**40]))), "hdr", unit="d")


# k6


def test_k6_points_are_milliseconds_and_failed_requests_are_lost() -> None:
    sample = file("k6.json", "k6", lost=1)
    assert [sample.size, sample.lost] == [5, 3]
    assert [low for low, _ in ranks(sample)] == [F(98_000_001), F(120_500_000)]


@pytest.mark.parametrize(
    "tags",
    [
        '{"expected_response":"false"}',
        '{"status":"0"}',
        '{"error":"dial: i/o timeout"}',
        '{"error_code":"1211"}',
    ],
)
def test_each_sign_of_a_failed_request_counts(tags: str) -> None:
    point = '{"metric":"http_req_duration","type":"Point","data":{"value":1,"tags":%s}}\n'
    sample = read(point % "{}" + point % tags + point % '{"error":"","error_code":"","status":"204"}', "k6")
    assert [sample.size, sample.lost] == [3, 1]


def test_a_k6_metric_that_is_not_declared_as_time_needs_a_unit() -> None:
    data = (DATA / "k6.json").read_bytes()
    assert file("k6.json", "k6", metric="queue_wait", unit="s").largest == 7 * 10**9
    assert complaint(data, "k6", metric="queue_wait") == (
        "f:8:1: expected a metric of times, found 'queue_wait' to contain 'default'; say with `unit:` what its numbers mean"
    )
    assert complaint(data, "k6", unit="s") == (
        "f:3:1: expected `unit: ms`, which is what 'http_req_duration' is declared to hold, found s"
    )
    assert complaint(data, "k6", metric="http_reqs") == (
        "f:1:1: expected a metric of durations (a trend), found 'http_reqs' to be 'counter'"
    )
    assert complaint(data, "k6", metric="nope") == (
        "f:1:1: expected samples of the metric 'nope', found those of 'http_reqs', 'http_req_duration', 'queue_wait'; name one with `metric:`"
    )


POINT = '{"metric":"http_req_duration","type":"Point","data":{"value":%s}}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f:1:1: expected samples of the metric 'http_req_duration', found none at all"),
        (
            POINT % "1" + "{\n",
            "f:2:2: expected JSON, found it malformed: expecting property name enclosed in double quotes",
        ),
        (POINT % "NaN", "f:1:1: expected JSON, found NaN, which is no number there"),
        (POINT % "-1", "f:1:1: expected a duration in 'value', at most 9223372036854775807 ns, found '-1'"),
        (POINT % '"1"', "f:1:1: expected a duration in 'value', at most 9223372036854775807 ns, found '1'"),
        (
            POINT % "1e999999999",
            "f:1:1: expected a duration in 'value', at most 9223372036854775807 ns, found '1e999999999'",
        ),
        (
            POINT % ("9" * 5000),
            "f:1:1: expected a duration in 'value', at most 9223372036854775807 ns, found '"
            + "9" * 24
            + "…"
            + "9" * 8
            + "'",
        ),
        (POINT % "[]", "f:1:1: expected a duration in 'value', at most 9223372036854775807 ns, found something else"),
        ("[" * 100_000, "f:1:1: expected JSON, found it nested too deeply"),
        (
            "[]\n",
            "f:1:1: expected an object with 'metric', 'type' (\"Metric\" or \"Point\") and 'data', as k6 writes with --out json",
        ),
        (
            '{"metric":"http_req_duration","type":"Point","data":{"value":1,"tags":{"status":"0"}}}',
            "f:1:1: expected at least one sample of 'http_req_duration' that did not fail, found 1 failed ones only",
        ),
    ],
)
def test_what_is_wrong_with_a_k6_file(text: str, message: str) -> None:
    assert complaint(text, "k6") == message


# vegeta, ghz


def test_vegeta_requests_without_success_are_lost() -> None:
    sample = file("vegeta.csv", "vegeta")
    assert [sample.size, sample.lost] == [5, 2]
    assert [low for low, _ in ranks(sample)] == [F(1_949_582), F(2_854_306), F(3_530_000)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f:1:1: expected at least one request that succeeded, found 0 failed ones only"),
        ("1,2,3\n", "f:1:1: expected 12 columns, as vegeta writes with encode --to csv, found 3"),
        ("1,x,3,,,,,,,,,\n", "f:1:3: expected a status code, found 'x'"),
        ("1,200,1.5,,,,,,,,,\n", "f:1:7: expected a latency in whole ns, at most 9223372036854775807, found '1.5'"),
        (
            "1,200,9999999999999999999,,,,,,,,,\n",
            "f:1:7: expected a latency in whole ns, at most 9223372036854775807, found '9999999999999999999'",
        ),
        ("1,500,1,,,,,,,,,\n", "f:1:1: expected at least one request that succeeded, found 1 failed ones only"),
    ],
)
def test_what_is_wrong_with_a_vegeta_file(text: str, message: str) -> None:
    assert complaint(text, "vegeta") == message


@pytest.mark.parametrize(
    ("code", "error", "is_lost"),
    [(199, "", True), (200, "", False), (399, "", False), (400, "", True), (0, "", True), (200, "eof", True)],
)
def test_a_vegeta_status_outside_of_200_to_399_or_an_error_is_lost(code: int, error: str, is_lost: bool) -> None:
    row = "1,{},7,0,0,{},,,0,GET,u,\n"
    assert read(row.format(200, "") + row.format(code, error), "vegeta").lost == is_lost


def test_a_long_body_of_a_vegeta_request_is_no_obstacle() -> None:
    assert read(f'1,200,7,0,0,,"{"A" * 200_000}",,0,GET,u,\n', "vegeta").size == 1


def test_ghz_calls_that_are_not_ok_are_lost() -> None:
    sample = file("ghz.json", "ghz")
    assert [sample.size, sample.lost] == [4, 1]
    assert [low for low, _ in ranks(sample)] == [F(25_404_280), F(31_000_000), F(62_984_994)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f:1:1: expected JSON, found it malformed: expecting value"),
        ('{\n "a": x}', "f:2:7: expected JSON, found it malformed: expecting value"),
        ('{"count": 1}', "f:1:1: expected a ghz report with 'details', found none; have it written with -O json"),
        ('{"details": null}', "f:1:1: expected a ghz report with 'details', found none; have it written with -O json"),
        ('{"details": []}', "f:1:1: expected at least one call that succeeded, found none among 0"),
        ('{"details": [1]}', "f:1:1: expected an object with 'latency' and 'status' at details[0]"),
        (
            '{"details": [{"latency": -1, "status": "OK"}]}',
            "f:1:1: expected a duration in ns, at most 9223372036854775807, at details[0].latency, found '-1'",
        ),
        (
            '{"details": [{"latency": 1, "status": "Unavailable"}]}',
            "f:1:1: expected at least one call that succeeded, found none among 1",
        ),
        ('{"details": ' + "[" * 100_000, "f:1:1: expected JSON, found it nested too deeply"),
    ],
)
def test_what_is_wrong_with_a_ghz_file(text: str, message: str) -> None:
    assert complaint(text, "ghz") == message


# all formats

FILES: dict[str, tuple[str, dict[str, object]]] = {
    "app.prom": ("prometheus", {"metric": "request_duration_milliseconds", "labels": GET}),
    "openmetrics.prom": ("prometheus", {}),
    "ping.hlog": ("hdr", {"unit": "us"}),
    "k6.json": ("k6", {}),
    "vegeta.csv": ("vegeta", {}),
    "ghz.json": ("ghz", {}),
    "hey.csv": ("samples", {"unit": "s", "column": "response-time"}),
}


@pytest.mark.parametrize("name", FILES)
def test_a_format_is_told_from_the_content_alone_or_with_the_name(name: str) -> None:
    data = (DATA / name).read_bytes()
    assert detect_format(name, data) == FILES[name][0]
    if name != "hey.csv":
        assert detect_format("data", data) == FILES[name][0]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a", b"# x\n\n 2.3\n", "samples"),
        ("a", b"2.3ms\n", "samples"),
        ("a.csv", b"rtt\n1\n", "samples"),
        ("a", b"rtt\n1\n", None),
        ("a", b"", None),
        ("a", b"\xff\xfe\0", None),
        ("a.json", b'{"count": 1}', None),
        ("a", b'{"rpc.wait_bucket",le="1"} 5\n', "prometheus"),
        ("a.hlog", b"", "hdr"),
    ],
)
def test_formats_of_unusual_files(name: str, data: bytes, kind: str | None) -> None:
    assert detect_format(name, data) == kind


def test_every_format_has_a_file_here() -> None:
    assert {kind for kind, _ in FILES.values()} == set(FORMATS)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_and_never_crashes(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(FILES)))
    content = bytearray((DATA / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        with_what = data.draw(
            st.one_of(st.binary(max_size=3), st.sampled_from([b"\n", b'"', b"{", b"}", b"-", b"9" * 30, b"NaN", b"\0"]))
        )
        content[at : at + data.draw(st.integers(0, 3))] = with_what
    kind, options = FILES[name]
    detect_format(name, bytes(content))
    outcome = read_or_refuse(bytes(content), kind, **options)
    if isinstance(outcome, Observations):
        assert outcome.smallest >= 0
        assert outcome.largest is None or outcome.smallest <= outcome.largest
    else:
        assert all(re.match(r"f:\d+:\d+: ", str(error)) for error in outcome)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(sorted(FORMATS)))
def test_arbitrary_bytes_are_refused_or_read(content: bytes, kind: str) -> None:
    detect_format("x", content)
    outcome = read_or_refuse(content, kind, unit="ms" if kind in ("samples", "hdr") else None)
    assert isinstance(outcome, Observations) or outcome


def read_or_refuse(content: bytes, kind: str, **options: object) -> Observations | list[OutlastError]:
    try:
        return read(content, kind, **options)
    except InputErrors as errors:
        return [error for error in errors.exceptions if isinstance(error, OutlastError)]
    except OutlastError as error:
        return [error]
