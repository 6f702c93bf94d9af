"""What a value in a user's file means: its dialect, its kind, and which keys are likely to be durations."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from outlast.configs.formats import FORMATS
from outlast.configs.interpret import dialect_for, read_value
from outlast.configs.keys import dialect_of_key, is_duration_like, name_of, words_of
from outlast.configs.setting import Coefficient, Computed, Content, Flag, Index, Key, Literal, Opaque, Setting, Step
from outlast.constraints.errors import OutlastError
from outlast.constraints.quantities import Kind, Sentinel, Value

MS, S, MIN = 10**6, 10**9, 60 * 10**9
KEYS = Path(__file__).parent.parent / "data/keys.tsv"


def setting(content: Content | str, *route: str | Step, dialect: str | None = None) -> Setting:
    """A setting under a key; a text is a literal without quotes."""
    held = Literal(content) if isinstance(content, str) else content
    raw = content if isinstance(content, str) else "?"
    steps = tuple(Key(step) if isinstance(step, str) else step for step in route or ("key",))
    return Setting(route=steps, start=0, end=len(raw.encode()), raw=raw, content=held, dialect=dialect)


def number(amount: int | str, unit: int | None = None) -> Computed:
    value = Fraction(amount)
    return Computed(amount=value, unit=unit, coefficient=Coefficient(0, 1, value))


def value(
    content: Content | str, key: str, format_: str, kind: Kind | None = Kind.DURATION, unit: str | None = None
) -> object:
    return read_value(setting(content, key), FORMATS[format_], kind, unit)


@pytest.mark.parametrize(
    ("content", "key", "format_", "unit", "ns"),
    [
        ("65", "keepalive_timeout", "nginx", None, 65 * S),
        ("30", "timeout", "haproxy", None, 30 * MS),
        ("30", "timeout", "spring-yaml", None, 30 * MS),
        ("30", "timeout", "spring-properties", "s", 30 * S),
        ("30s", "timeout", "spring-yaml", "s", 30 * S),
        ("30", "timeoutSeconds", "yaml", None, 30 * S),
        ("30", "TIMEOUT_MS", "env", None, 30 * MS),
        ("30", "timeout-seconds", "spring-yaml", None, 30 * S),
        ("30s", "timeout", "yaml", None, 30 * S),
        ("30s", "timeout", "yaml", "ms", 30 * S),
        ("30s", "TIMEOUT_MS", "env", None, 30 * S),
        ("30", "timeout", "yaml", "ms", 30 * MS),
        ("30", "timeout", "compose", "ms", 30 * MS),
        ("1m30s", "interval", "compose", None, 90 * S),
        ("1min 30s", "TimeoutStopSec", "systemd", None, 90 * S),
        ("90", "TimeoutStopSec", "systemd", "s", 90 * S),
        ("30", "lock_timeout", "postgres", "ms", 30 * MS),
        ("30min", "lock_timeout", "postgres", "ms", 30 * MIN),
        ("15", "query_wait_timeout", "pgbouncer", None, 15 * S),
        ("15", "tcp_user_timeout", "pgbouncer", "ms", 15 * MS),
        (Literal("30s", '"', is_text=True), "timeout", "javascript", None, 30 * S),
        (Literal("30s", '"', is_text=True), "timeout", "go", None, 30 * S),
        (Literal("1_000"), "timeout_ms", "toml", None, S),
        (Literal("0x1E"), "timeout_ms", "toml", None, 30 * MS),
        (number(65000), "keepAliveTimeout", "javascript", None, 65 * S),
        (number(65), "keepAliveTimeout", "javascript", "s", 65 * S),
        (number(65), "KeepAlive", "go", None, 65),
        (number(65), "KeepAlive", "go", "s", 65 * S),
        (number(65), "IDLE_SECONDS", "python", None, 65 * S),
        (number("2.5"), "timeout", "python", "s", 2500 * MS),
        (number(65, S), "anything", "go", None, 65 * S),
        ("0", "timeout", "yaml", None, 0),
        ("0", "interval", "compose", None, 0),
        (number(0), "timeout", "python", None, 0),
        ("30000  ", "timeout.ms", "properties", None, 30 * S),
        (Literal("00:02:10", '"', is_text=True), "KeepAliveTimeout", "json", None, 130 * S),
        (Literal("00:02:10", "'", is_text=True), "timeoutSeconds", "yaml", "s", 130 * S),
        (number(65, S), "anything", "go", "ms", 65 * S),
    ],
)
def test_a_duration_is_read_by_place_then_key_then_format_then_spec(
    content: Content | str, key: str, format_: str, unit: str | None, ns: int
) -> None:
    assert value(content, key, format_, unit=unit) == (ns, Kind.DURATION)


def test_the_place_tells_before_the_key() -> None:
    told = setting("30", "timeout_ms", dialect="minutes")
    assert read_value(told, FORMATS["yaml"], Kind.DURATION, None)[0] == 30 * MIN


@pytest.mark.parametrize(
    ("content", "key", "format_", "unit", "told"),
    [
        ("65", "keepalive_timeout", "nginx", "ms", "unit: ms, but the format tells that a bare number means seconds"),
        ("65", "timeoutSeconds", "yaml", "ms", "unit: ms, but its key timeoutSeconds tells that a bare number means s"),
        ("30", "timeout", "haproxy", "s", "the format tells that a bare number means milliseconds"),
        (
            "30",
            "timeout",
            "yaml",
            None,
            "found 30 without a unit, and neither the file nor its key tells one; say it in the spec with unit: s",
        ),
        ("30", "lock_timeout", "postgres", None, "found 30 without a unit, and neither"),
        (number(30), "timeout", "python", None, "found 30 without a unit, and neither"),
        ("30", "interval", "compose", None, "found 30 without a unit, and neither"),
        ("2.5", "timeout", "yaml", None, "found 2.5 without a unit"),
        (Opaque("a template, {{ … }}"), "timeout", "helm", "s", "found a template, {{ … }}, which is not read"),
        (number(-1, S), "IdleTimeout", "go", None, "never negative"),
        (number("1/3", S), "IdleTimeout", "go", None, "finer than 1 ns"),
        (number(2**63), "IdleTimeout", "go", None, "about 292 years"),
        ("010", "timeout", "spring-yaml", None, "octal"),
        ("010", "timeoutSeconds", "yaml", None, "octal"),
        ("true", "timeout", "yaml", None, "expected a duration with its unit"),
        ("", "timeout", "yaml", None, "found nothing, expected a duration with its unit"),
        ("infinite", "timeout", "yaml", None, "expected a duration"),
        ("off", "timeout", "nginx", None, "expected an nginx time"),
        ("1_000", "timeout_ms", "yaml", None, "digits are not grouped"),
        ("-1", "timeout", "yaml", "s", "never negative"),
        (number(-1), "timeout", "hcl", None, "found -1, but a duration is never negative"),
        ("10:30:00", "timeout", "yaml", None, "base 60"),
        ("08:30", "timeout", "json", None, "hh:mm:ss"),
    ],
)
def test_what_does_not_tell_a_duration_is_refused_in_words(
    content: Content | str, key: str, format_: str, unit: str | None, told: str
) -> None:
    with pytest.raises(OutlastError) as caught:
        value(content, key, format_, unit=unit)
    assert told in caught.value.message
    assert caught.value.place is None


def test_postgres_rounds_to_what_a_bare_number_counts() -> None:
    with pytest.raises(OutlastError, match="finer than 1s"):
        value("1500ms", "idle_timeout", "postgres", unit="s")
    assert value("1500ms", "idle_timeout", "postgres", unit="ms") == (1500 * MS, Kind.DURATION)


def test_a_place_that_demands_a_unit_takes_none_from_the_spec() -> None:
    go = setting("30", "timeout", dialect="go")
    with pytest.raises(OutlastError, match="found 30 without a unit, expected a Go duration"):
        read_value(go, FORMATS["yaml"], Kind.DURATION, "s")


def test_a_convention_for_numbers_leaves_texts_their_unit() -> None:
    by_place = setting(Literal("30s", '"', is_text=True), "delay", dialect="node")
    assert read_value(by_place, FORMATS["json"], Kind.DURATION, None) == (Fraction(30 * S), Kind.DURATION)


@pytest.mark.parametrize("told", ["the format", "the place"])
def test_infinity_of_systemd_has_no_kind(told: str) -> None:
    by_place = setting("infinity", "timeout", dialect="systemd" if told == "the place" else None)
    format_ = FORMATS["yaml" if told == "the place" else "systemd"]
    for kind in (Kind.DURATION, None):
        assert read_value(by_place, format_, kind, None) == (Sentinel.INFINITE, None)


@pytest.mark.parametrize(
    ("content", "kind", "unit", "read"),
    [
        ("3", Kind.COUNT, None, Fraction(3)),
        (number(3), Kind.COUNT, None, Fraction(3)),
        ("0.2", Kind.RATIO, None, Fraction(1, 5)),
        ("20%", Kind.RATIO, None, Fraction(1, 5)),
        (number("0.2"), Kind.RATIO, None, Fraction(1, 5)),
        ("10r/s", Kind.RATE, None, Fraction(10, S)),
        ("100r/m", Kind.RATE, None, Fraction(100, MIN)),
        ("100", Kind.RATE, "/s", Fraction(100, S)),
        (number(100), Kind.RATE, "/min", Fraction(100, MIN)),
    ],
)
def test_counts_ratios_and_rates_are_read(content: Content | str, kind: Kind, unit: str | None, read: Fraction) -> None:
    assert value(content, "key", "nginx", kind, unit) == (read, kind)


@pytest.mark.parametrize(
    ("content", "kind", "unit", "told"),
    [
        ("3.5", Kind.COUNT, None, "found 3.5, expected a count"),
        ("30s", Kind.COUNT, None, "found 30s, expected a count"),
        ("010", Kind.COUNT, None, "octal"),
        ("1e3", Kind.COUNT, None, "expected a count"),
        ("٣", Kind.COUNT, None, "expected a count"),
        (number(30, S), Kind.COUNT, None, "found a duration, 30s, expected a count"),
        (number("1/2"), Kind.COUNT, None, "expected a count"),
        (number(-1), Kind.COUNT, None, "never negative"),
        ("-1", Kind.COUNT, None, "never negative"),
        ("100", Kind.RATE, None, "found 100 without a unit, expected a rate"),
        ("9" * 30, Kind.COUNT, None, "the largest number is"),
        ("auto", Kind.COUNT, None, "found auto, expected a count"),
    ],
)
def test_what_is_no_count_or_rate_is_refused(content: Content | str, kind: Kind, unit: str | None, told: str) -> None:
    with pytest.raises(OutlastError) as caught:
        value(content, "key", "yaml", kind, unit)
    assert told in caught.value.message


@pytest.mark.parametrize(
    ("content", "key", "format_", "unit", "kind"),
    [
        ("30s", "anything", "yaml", None, Kind.DURATION),
        (number(3, S), "anything", "go", None, Kind.DURATION),
        ("10r/s", "rate", "nginx", None, Kind.RATE),
        ("20%", "anything", "yaml", None, Kind.RATIO),
        ("0.5", "anything", "yaml", None, Kind.RATIO),
        ("30", "anything", "yaml", None, Kind.COUNT),
        ("30", "anything", "yaml", "s", Kind.DURATION),
        ("30", "anything", "yaml", "/s", Kind.RATE),
        ("1024", "worker_connections", "nginx", None, Kind.COUNT),
        ("65", "keepalive_timeout", "nginx", None, Kind.DURATION),
        (number(3), "maxRetries", "go", None, Kind.COUNT),
        ("30", "delay_ms", "yaml", None, Kind.DURATION),
    ],
)
def test_an_unknown_kind_is_told_by_the_value_and_its_key(
    content: Content | str, key: str, format_: str, unit: str | None, kind: Kind
) -> None:
    read = read_value(setting(content, key), FORMATS[format_], None, unit)
    assert read[1] is kind


def test_a_size_is_not_taken_for_minutes() -> None:
    with pytest.raises(OutlastError, match="found 8m, which under client_max_body_size is hardly a duration"):
        value("8m", "client_max_body_size", "nginx", None)
    assert value("15m", "client_body_timeout", "nginx", None) == (15 * MIN, Kind.DURATION)
    with pytest.raises(OutlastError, match="found 500m, which under cpu"):
        value("500m", "cpu", "yaml", None)


def test_a_bare_number_under_a_likely_key_needs_its_unit() -> None:
    with pytest.raises(OutlastError, match="found 30 without a unit, and neither"):
        value("30", "timeout", "yaml", None)


def test_a_computed_value_with_its_unit_needs_no_dialect() -> None:
    assert dialect_for(setting(number(3, S), "timeout_ms"), FORMATS["go"], "h") is None


@pytest.mark.parametrize(
    ("key", "dialect"),
    [
        ("timeoutSeconds", "seconds"),
        ("timeout_seconds", "seconds"),
        ("TIMEOUT_MS", "millis"),
        ("idleTimeoutMillis", "millis"),
        ("xInMillis", "millis"),
        ("delayNanos", "nanos"),
        ("ttl_minutes", "minutes"),
        ("log-retention-days", "days"),
        ("cacheHours", "hours"),
        ("RestartSec", "seconds"),
        ("keepAliveMsecs", "millis"),
        ("keepAliveMSecs", "millis"),
        ("TimeoutStartUSec", "micros"),
        ("BATCH_N_SECONDS", "seconds"),
        ("TIMEOUT_µS", "micros"),
        ("IdleTimeoutμS", "micros"),
        ("TIMEOUT_ΜS", "micros"),
        ("timeout_µs", "micros"),
        ("timeoutMilliSeconds", "millis"),
        ("timeout_deci_seconds", None),
        ("timeoutTenthSeconds", None),
        ("timeout_k_seconds", None),
        ("idle_timeout_us", "micros"),
        ("timeoutMS", "millis"),
        ("--drain-time-s", "seconds"),
        ("request.timeout.ms", "millis"),
        ("class", None),
        ("status", None),
        ("items", None),
        ("forms", None),
        ("params", None),
        ("seconds", None),
        ("retries_s", None),
        ("min", None),
        ("idle_min", None),
        ("timeout", None),
        ("", None),
    ],
)
def test_a_key_tells_the_unit_by_its_last_word(key: str, dialect: str | None) -> None:
    assert dialect_of_key(key) == dialect


@pytest.mark.parametrize(
    "key",
    [
        "FIVE_MINUTES", "fiveMinutes", "ONE_SECOND", "THIRTY_SECONDS", "ONE_HOUR", "ONE_DAY", "TWENTY_FOUR_HOURS", "HALF_SECOND", "QUARTER_HOUR",
        "TWO_AND_A_HALF_HOURS", "HUNDRED_MS", "A_MINUTE", "5_MINUTES", "MINUTES_5", "TIMEOUT_30_SECONDS", "wait5Seconds", "timeout30s", "in5Minutes",
        "MS_PER_SECOND", "SECONDS_PER_DAY", "secondsPerADay", "requestsPerSecond", "perMinute", "refresh_per_second", "MILLISECONDS_IN_A_DAY",
        "HALF_A_SECOND", "HALF_AN_HOUR", "SECONDS_IN_DAY", "MS_TO_SECONDS", "SECONDS_TO_MILLIS", "secondOfDay", "everySecond",
    ],
)  # fmt: skip
def test_a_key_that_names_a_length_tells_no_unit(key: str) -> None:
    assert dialect_of_key(key) is None


@pytest.mark.parametrize(
    ("key", "dialect"),
    [
        ("timeoutInSeconds", "seconds"),
        ("DAY_IN_MS", "millis"),
        ("ONE_DAY_IN_MS", "millis"),
        ("FIVE_MINUTES_MS", "millis"),
        ("timeToSeconds", "seconds"),
        ("timeout_per_request_seconds", "seconds"),
        ("perTryTimeoutMs", "millis"),
        ("pollEverySeconds", "seconds"),
        ("p99_ms", "millis"),
        ("A_SEC", "seconds"),
        ("SERVICE_A_SECONDS", "seconds"),
        ("stage2Seconds", "seconds"),
        ("RETRY_3_MS", "millis"),
        ("http2_idle_timeout_ms", "millis"),
        ("oneShotDelayMs", "millis"),
    ],
)
def test_a_number_elsewhere_in_a_key_leaves_its_unit(key: str, dialect: str) -> None:
    assert dialect_of_key(key) == dialect


@pytest.mark.parametrize(
    ("format_", "unit", "ns"),
    [("typescript", None, 300 * S), ("go", None, 300_000), ("typescript", "s", 300_000 * S), ("java", "ms", 300 * S)],
)
def test_under_the_name_of_a_length_the_format_or_the_spec_decides(format_: str, unit: str | None, ns: int) -> None:
    assert value(number(300_000), "FIVE_MINUTES", format_, unit=unit) == (ns, Kind.DURATION)


@pytest.mark.parametrize("format_", ["java", "python"])
def test_under_the_name_of_a_length_nothing_is_guessed(format_: str) -> None:
    with pytest.raises(OutlastError, match="found 300000 without a unit, and neither"):
        value(number(300_000), "FIVE_MINUTES", format_)


@pytest.mark.parametrize(
    ("content", "key", "format_", "ns"),
    [
        (number(7000), "upstreamTimeoutMs", "typescript", 7 * S),
        (number(7000), "upstreamTimeout", "typescript", 7 * S),
        (number(7), "UPSTREAM_TIMEOUT", "python", 7 * S),
        ("7", "timeout", "yaml", 7 * S),
        ("7000", "timeout", "haproxy", 7 * S),
        ("7000", "timeout", "spring-yaml", 7 * S),
        ("7", "lock_timeout", "postgres", 7 * S),
        ("7", "interval", "compose", 7 * S),
        ("7s", "timeout_ms", "yaml", 7 * S),
    ],
)
def test_of_several_places_the_unit_of_the_spec_is_for_those_that_tell_none(
    content: Content | str, key: str, format_: str, ns: int
) -> None:
    read = read_value(setting(content, key), FORMATS[format_], Kind.DURATION, "s", is_only=False)
    assert read == (Fraction(ns), Kind.DURATION)


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("maxIdleTimeMS", ("max", "idle", "time", "ms")),
        ("HTTPTimeout", ("http", "timeout")),
        ("keep-alive_timeout.v2", ("keep", "alive", "timeout", "v", "2")),
        ("délaiMax", ("délai", "max")),
        ("", ()),
    ],
)
def test_names_are_split_at_case_digits_and_signs(key: str, words: tuple[str, ...]) -> None:
    assert words_of(key) == words


@pytest.mark.parametrize(
    ("route", "name"),
    [
        ((Key("spec"), Key("timeoutSeconds")), "timeoutSeconds"),
        ((Key("env"), Index(0, "TIMEOUT_MS"), Key("value")), "TIMEOUT_MS"),
        ((Key("args"), Flag("--drain-timeout")), "--drain-timeout"),
        ((Key("delays"), Index(1)), "delays"),
        ((Key("value"),), "value"),
        ((), ""),
    ],
)
def test_the_name_of_a_setting_is_the_one_that_tells_most(route: tuple[Step, ...], name: str) -> None:
    assert name_of(Setting(route=route, start=0, end=0, raw="", content=Literal(""))) == name


def test_keys_of_durations_are_found_and_others_left() -> None:
    rows = [line.split("\t") for line in KEYS.read_text(encoding="utf-8").splitlines()[1:]]
    times = [key for key, kind in rows if kind == "time"]
    others = [key for key, kind in rows if kind == "other"]
    assert len(times) > 400
    assert len(others) > 40
    missed = [key for key in times if not is_duration_like(key)]
    alarms = [key for key in others if is_duration_like(key)]
    assert len(missed) <= 0.05 * len(times), missed
    assert len(alarms) <= 0.1 * len(others), alarms


@pytest.mark.parametrize(
    "key",
    [
        "max_retries", "timeout_count", "max_idle_conns", "maxIdle", "minimum-idle", "age", "keepalive", "After", "cpu",
        "requestsPerSecond", "SECONDS_PER_DAY", "MILLISECONDS_IN_A_DAY", "MS_TO_SECONDS",
        "memory", "replicas", "time_zone", "keepAliveEnabled", "", "useTimeout", "retry", "image", "manager", "stage",
    ],
)  # fmt: skip
def test_counts_switches_and_people_are_no_durations(key: str) -> None:
    assert not is_duration_like(key)


@pytest.mark.parametrize(
    "key",
    [
        "timeout", "TIMEOUT", "proxy_read_timeout", "keep-alive", "max_age", "idletimeout", "gracePeriod", "hard-stop-after",
        "ONE_MINUTE", "retryAfterSeconds", "task_time_limit", "ttl", "idle", "linger.ms", "retentionDays", "leak-detection-threshold", "keepAliveTimeoutThreshold",
    ],
)  # fmt: skip
def test_durations_are_told_by_their_words(key: str) -> None:
    assert is_duration_like(key)


@pytest.mark.parametrize(
    ("text", "syntax", "unit", "expected"),
    [
        ("30", "spring", "s", Fraction(30 * 10**9)),
        ("30", "spring", None, Fraction(30 * 10**6)),
        ("PT2S", "spring", "ms", Fraction(2 * 10**9)),
        ("1M", "nginx-seconds", None, Fraction(30 * 86400 * 10**9)),
        ("infinity", "systemd", None, Sentinel.INFINITE),
        ("30s", "go", "ms", Fraction(30 * 10**9)),
    ],
)
def test_the_dialect_that_a_kind_tells_goes_before_key_and_format(
    text: str, syntax: str, unit: str | None, expected: Value
) -> None:
    setting = Setting(route=(Key("idle_ms"),), start=0, end=1, raw=text, content=Literal(text))
    assert read_value(setting, FORMATS["yaml"], Kind.DURATION, unit, syntax=syntax)[0] == expected


def test_a_dialect_that_needs_a_unit_still_refuses_a_bare_number() -> None:
    setting = Setting(route=(Key("idle"),), start=0, end=1, raw="30", content=Literal("30"))
    with pytest.raises(OutlastError, match="without a unit"):
        read_value(setting, FORMATS["yaml"], Kind.DURATION, "s", syntax="go")


@pytest.mark.parametrize(
    "content", [Literal("-1"), Literal("-1s"), Literal("-0.5"), Computed(amount=Fraction(-1), unit=10**9)]
)
def test_a_negative_number_is_what_it_means_there(content: Literal | Computed) -> None:
    setting = Setting(route=(Key("poll"),), start=0, end=1, raw="", content=content)
    assert read_value(setting, FORMATS["yaml"], Kind.DURATION, "s", negative=Sentinel.INFINITE) == (
        Sentinel.INFINITE,
        None,
    )
    with pytest.raises(OutlastError, match="never negative"):
        read_value(setting, FORMATS["yaml"], Kind.DURATION, "s")


@pytest.mark.parametrize("text", ["-0", "-", "--1", "-x"])
def test_what_is_no_negative_number_is_not_taken_for_one(text: str) -> None:
    setting = Setting(route=(Key("poll"),), start=0, end=1, raw="", content=Literal(text))
    with pytest.raises(OutlastError):
        read_value(setting, FORMATS["yaml"], Kind.DURATION, "s", negative=Sentinel.INFINITE)
