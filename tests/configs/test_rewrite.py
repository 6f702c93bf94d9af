"""The new text of a setting: exact, in the manner of the old one, or refused in words."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.configs.formats import FORMATS, Format
from outlast.configs.rewrite import new_text
from outlast.configs.setting import Coefficient, Computed, Content, Key, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.quantities import Kind, Sentinel, Value

MS, S, MIN = 10**6, 10**9, 60 * 10**9
#: As a Go reader has it.
GO = {3600 * S: "{} * time.Hour", MIN: "{} * time.Minute", S: "{} * time.Second", MS: "{} * time.Millisecond"}


@pytest.fixture(autouse=True)
def _quoting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers are not asked: a literal is written between its quotes."""

    def encode(_: Format, setting: Setting, text: str) -> str:
        assert isinstance(setting.content, Literal)
        return f"{setting.content.quote}{text}{setting.content.quote}"

    monkeypatch.setattr(Format, "encode", encode)


def literal(text: str, key: str = "key", quote: str = "", *, dialect: str | None = None) -> Setting:
    raw = f"{quote}{text}{quote}"
    return placed(raw, Literal(text, quote, bool(quote)), key, dialect=dialect)


def placed(raw: str, content: Content, key: str = "key", *, dialect: str | None = None, start: int = 0) -> Setting:
    end = start + len(raw.encode())
    return Setting(route=(Key(key),), start=start, end=end, raw=raw, content=content, dialect=dialect)


def product(
    raw: str, digits: str, unit: int | None, factor: int = 1, spellings: dict[int, str] | None = None, start: int = 0
) -> Setting:
    """An expression with a number in it, times a constant; `unit` as in `Computed`."""
    at = start + len(raw[: raw.index(digits)].encode())
    number = Fraction(digits.replace("_", ""))
    content = Computed(
        amount=number * factor,
        unit=unit,
        coefficient=Coefficient(at, at + len(digits.encode()), number),
        is_whole="." not in digits,
        spellings=spellings or {},
    )
    return placed(raw, content, start=start)


def written(
    setting: Setting, format_: str, value: Value | int, kind: Kind = Kind.DURATION, unit: str | None = None
) -> str:
    return new_text(setting, FORMATS[format_], Fraction(value) if isinstance(value, int) else value, kind, unit)


@pytest.mark.parametrize(
    ("setting", "format_", "value", "unit", "text"),
    [
        (literal("65"), "nginx", 5500 * MS, None, "5500ms"),
        (literal("1m"), "nginx", 90 * S, None, "90s"),
        (literal("30s", quote='"'), "yaml", 90 * S, None, '"90s"'),
        (literal("30", quote="'"), "yaml", 90 * S, "s", "'90'"),
        (literal("30", "timeoutSeconds"), "yaml", 90 * S, None, "90"),
        (literal("30", "timeout_ms"), "env", 5500 * MS, None, "5500"),
        (literal("30"), "spring-yaml", 90 * S, None, "90000"),
        (literal("PT30S"), "spring-yaml", 90 * S, None, "PT90S"),
        (literal("30s"), "compose", 5500 * MS, None, "5500ms"),
        (literal("infinity"), "systemd", 90 * S, None, "90s"),
        (literal("90", "TimeoutStopSec"), "systemd", 5500 * MS, None, "5500ms"),
        (literal("90"), "systemd", Sentinel.INFINITE, None, "infinity"),
        (literal("1_000", "timeout_ms"), "toml", 2 * S, None, "2000"),
        (literal("0x1E", "timeout_ms"), "toml", 40 * MS, None, "40"),
        (literal("-1"), "yaml", 90 * S, "s", "90"),
        (literal("30s"), "yaml", 30 * S, None, "30s"),
        (literal("00:01:00", quote='"'), "json", 90 * S, None, '"00:01:30"'),
        (literal("30000  ", "timeout.ms"), "properties", 90 * S, None, "90000"),
        (literal("0x1E", "timeout_ms"), "toml", 30 * MS, None, "0x1E"),
        (literal("60000", "timeout_ms"), "yaml", 60 * S, None, "60000"),
    ],
)
def test_a_literal_keeps_its_manner(setting: Setting, format_: str, value: Value, unit: str | None, text: str) -> None:
    assert written(setting, format_, value, unit=unit) == text


@pytest.mark.parametrize(
    ("setting", "kind", "value", "unit", "text"),
    [
        (literal("3"), Kind.COUNT, Fraction(5), None, "5"),
        (literal("3", quote='"'), Kind.COUNT, Fraction(5), None, '"5"'),
        (literal("0.2"), Kind.RATIO, Fraction(1, 4), None, "0.25"),
        (literal("20%"), Kind.RATIO, Fraction(1, 4), None, "25%"),
        (literal("10r/s"), Kind.RATE, Fraction(20, S), None, "20r/s"),
        (literal("10r/s"), Kind.RATE, Fraction(90, MIN), None, "90r/m"),
        (literal("100r/m"), Kind.RATE, Fraction(10, S), None, "600r/m"),
        (literal("10"), Kind.RATE, Fraction(20, S), "/s", "20"),
        (literal("1.5"), Kind.RATE, Fraction(5, 2 * S), "/s", "2.5"),
        (product("3", "3", None), Kind.COUNT, Fraction(7), None, "7"),
        (product("0.2", "0.2", None), Kind.RATIO, Fraction(1, 4), None, "0.25"),
        (product("100", "100", None), Kind.RATE, Fraction(90, S), "/s", "90"),
    ],
)
def test_counts_ratios_and_rates_are_written(
    setting: Setting, kind: Kind, value: Fraction, unit: str | None, text: str
) -> None:
    assert written(setting, "nginx", value, kind, unit) == text


@pytest.mark.parametrize(
    ("setting", "format_", "value", "unit", "text"),
    [
        (product("30 * time.Second", "30", S, spellings=GO), "go", 45 * S, None, "45 * time.Second"),
        (product("30 * time.Second", "30", S, spellings=GO), "go", 5500 * MS, None, "5500 * time.Millisecond"),
        (
            product("/* é */ 30*time.Second", "30", S, spellings=GO, start=9),
            "go",
            45 * S,
            None,
            "/* é */ 45*time.Second",
        ),
        (product("2 * base", "2", S, 15, spellings=GO), "go", 45 * S, None, "3 * base"),
        (product("2 * base", "2", S, 15, spellings=GO), "go", 40 * S, None, "40 * time.Second"),
        (product("65 * 1000", "65", None, 1000, {1: "{}"}), "javascript", 70 * S, None, "70 * 1000"),
        (product("65 * 1000", "65", None, 1000, {1: "{}"}), "javascript", 5500 * MS, None, "5500"),
        (product("65_000", "65_000", None, 1, {1: "{}"}), "javascript", 70 * S, None, "70000"),
        (product("2.5", "2.5", None), "python", 3500 * MS, "s", "3.5"),
        (product("2.5", "2.5", None), "python", 3 * S, "s", "3.0"),
        (product("30 * time.Second", "30", S, spellings=GO), "go", 30 * S, None, "30 * time.Second"),
        (product("time.Second * 1_0", "1_0", S), "go", 12 * S, None, "time.Second * 12"),
    ],
)
def test_an_expression_keeps_its_form_if_a_number_in_it_will_do(
    setting: Setting, format_: str, value: int, unit: str | None, text: str
) -> None:
    assert written(setting, format_, value, unit=unit) == text


def test_an_expression_that_no_literal_decides_is_spelled_anew() -> None:
    content = Computed(amount=Fraction(30), unit=S, spellings=GO)
    assert written(placed("a + b", content), "go", 90 * S) == "90 * time.Second"
    nothing = product("0", "0", S, spellings=GO)
    assert written(nothing, "go", 90 * S) == "90 * time.Second"


def summed(raw: str, amount: int, spellings: dict[int, str], unit: int | None = None) -> Setting:
    """A sum of numbers of a language without whole ones."""
    return placed(raw, Computed(amount=Fraction(amount), unit=unit, is_whole=False, spellings=spellings))


@pytest.mark.parametrize(
    ("raw", "amount", "value", "text"),
    [
        ("60_000 + 5_000", 65_000, 90 * S, "90000"),
        ("60_000.5 + 5_000.5", 65_001, 90 * S, "90000.0"),
        ("60_000.5 + 5_000.5", 65_001, 90 * S + MS // 4, "90000.25"),
    ],
)
def test_a_sum_gets_a_point_only_if_it_had_one(raw: str, amount: int, value: int, text: str) -> None:
    assert written(summed(raw, amount, {1: "{}"}), "typescript", value) == text


@pytest.mark.parametrize("raw", ["60_000 + 5_000", "a.b + 5_000 /* 1.5 */"])
def test_a_sum_of_whole_numbers_takes_no_fraction(raw: str) -> None:
    with pytest.raises(OutlastError, match=r"no number there means it exactly; step: 1ms in the spec asks"):
        written(summed(raw, 65_000, {1: "{}"}), "typescript", 90 * S + MS // 4)


@pytest.mark.parametrize(
    ("setting", "value", "text"),
    [
        (product("(5 + 5) * 1000", "1000", None, 10, {1: "{}"}), 95_500 * MS, "95500"),
        (product("1000 * (7-2)", "1000", None, 5, {1: "{}"}), 90 * S, "90000"),
        (product("1000 * 60 * 5", "1000", None, 300, {1: "{}"}), 10 * MIN, "1000 * 60 * 10"),
        (product("1000 * 60", "1000", None, 60, {1: "{}"}), 90 * S, "1000 * 90"),
        (product("1000 * 60", "1000", None, 60, {1: "{}"}), 120 * S, "1000 * 120"),
        (product("24 * 60 * 60 * 1000", "24", None, 3_600_000, {1: "{}"}), 48 * 60 * MIN, "48 * 60 * 60 * 1000"),
        (product("BASE ** 1000 * 60", "1000", None, 60, {}), 120 * S, "BASE ** 2000 * 60"),
        (product("1000 * 5 ** 2", "1000", None, 25, {}), 50 * S, "2000 * 5 ** 2"),
        (product("65 * 1e3", "65", None, 1000, {1: "{}"}), 90 * S, "90 * 1e3"),
        (product("65 * 1e+3", "65", None, 1000, {1: "{}"}), 90 * S, "90 * 1e+3"),
        (product("/* a + b */ 65 * 1000", "65", None, 1000, {1: "{}"}), 90 * S, "/* a + b */ 90 * 1000"),
        (product("f(2, 1000 * 5L)", "1000", None, 5, {1: "{}"}), 90 * S, "f(2, 1000 * 90L)"),
    ],
)
def test_of_factors_the_one_that_counts_is_changed_and_a_sum_is_spelled_anew(
    setting: Setting, value: int, text: str
) -> None:
    assert written(setting, "typescript", value) == text


@pytest.mark.parametrize(
    ("raw", "amount", "value", "text"),
    [
        ("time.Hour", 3600, 0, "0 * time.Hour"),
        ("time.Second", 1, 0, "0 * time.Second"),
        ("idle", 1, 0, "0 * time.Second"),
        ("time.Minute", 60, 7200 * S, "120 * time.Minute"),
        ("time.Minute + 30*time.Second", 90, 75 * S, "75 * time.Second"),
        ("time.Minute", 60, 5500 * MS, "5500 * time.Millisecond"),
    ],
)
def test_a_unit_in_use_stays_where_the_whole_is_spelled_anew(raw: str, amount: int, value: int, text: str) -> None:
    content = Computed(amount=Fraction(amount), unit=S, spellings=GO)
    assert written(placed(raw, content), "go", value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (75 * MIN, "timedelta(hours=1.25)"),
        (2 * 60 * MIN, "timedelta(hours=2.0)"),
        (9 * S, "timedelta(seconds=9)"),
        (1801 * S + MS // 8, "timedelta(seconds=1801.000125)"),
    ],
)
def test_a_fraction_of_many_digits_goes_to_a_smaller_unit(value: int, text: str) -> None:
    spellings = {3600 * S: "timedelta(hours={})", S: "timedelta(seconds={})"}
    setting = product("timedelta(hours=1.5)", "1.5", S, 3600, spellings)
    assert written(setting, "python", value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(45 * S, "TimeUnit.SECONDS.toMillis(45)"), (5500 * MS, "5500"), (0, "TimeUnit.SECONDS.toMillis(0)")],
)
def test_a_bare_number_that_the_code_tells_the_unit_of_is_written_in_that_unit(value: int, text: str) -> None:
    content = Computed(
        amount=Fraction(30_000), unit=MS, coefficient=Coefficient(26, 28, Fraction(30)), spellings={MS: "{}"}
    )
    assert written(placed("TimeUnit.SECONDS.toMillis(30)", content, "idleSeconds"), "java", value, unit="s") == text


def test_a_sum_that_leans_on_a_name_is_refused() -> None:
    with pytest.raises(OutlastError, match=r"90s cannot be written in place of .*: no single number there decides"):
        written(product("(5 + BASE) * 1000", "1000", None, 10, {}), "typescript", 90 * S)


def test_a_place_among_several_is_written_in_the_unit_that_it_tells() -> None:
    one, format_ = product("7000", "7000", None, 1, {1: "{}"}), FORMATS["typescript"]
    assert new_text(one, format_, Fraction(9 * S), Kind.DURATION, "s", is_only=False) == "9000"
    assert new_text(one, format_, Fraction(9 * S), Kind.DURATION, "s") == "9"


def test_a_fraction_is_spelled_only_where_nothing_whole_will_do() -> None:
    content = Computed(amount=Fraction(1, 2), unit=S, is_whole=False, spellings={S: "seconds({})", MS: "millis({})"})
    assert written(placed("seconds(0.5)", content), "python", 1500 * MS) == "seconds(1.5)"
    assert written(placed("x", content), "python", 1500 * MS) == "millis(1500)"
    whole = Computed(amount=Fraction(1), unit=S, is_whole=True, spellings={S: "seconds({})", MS: "millis({})"})
    assert written(placed("x", whole), "python", 1500 * MS) == "millis(1500)"


@pytest.mark.parametrize(
    ("setting", "format_", "value", "kind", "unit", "told"),
    [
        (placed("{{ .x }}", Opaque("a template, {{ … }}")), "helm", 5, Kind.COUNT, None, "it is a template, {{ … }}"),
        (literal("30"), "yaml", 5500 * MS, Kind.DURATION, "s", "5.5s cannot be written as a whole number of seconds"),
        (literal("30"), "yaml", 5 * S, Kind.DURATION, None, "5s cannot be written, since neither the file"),
        (literal("0"), "yaml", 5 * S, Kind.DURATION, None, "5s cannot be written, since neither the file"),
        (
            product("25", "25", None, 1, {1: "{}"}),
            "python",
            18_181 * MS,
            Kind.DURATION,
            "s",
            "exactly; step: 1s in the spec asks",
        ),
        (literal("60"), "apache", 1500 * MS, Kind.DURATION, None, "1.5s cannot be written as an Apache time"),
        (literal("65"), "nginx", 5 * S, Kind.DURATION, "ms", "unit: ms, but the format"),
        (literal("65"), "nginx", Sentinel.INFINITE, Kind.DURATION, None, "'infinite' cannot be written there"),
        (literal("65"), "systemd", Sentinel.OFF, Kind.DURATION, None, "'off' cannot be written there"),
        (literal("3"), "yaml", Sentinel.INFINITE, Kind.COUNT, None, "'infinite' cannot be written there"),
        (
            product("3", "3", S),
            "go",
            Sentinel.INFINITE,
            Kind.DURATION,
            None,
            "'infinite' cannot be written as a number",
        ),
        (literal("30s"), "go", Fraction(-1), Kind.DURATION, None, "never negative"),
        (literal("3"), "yaml", Fraction(-1), Kind.COUNT, None, "it is negative"),
        (literal("3"), "yaml", Fraction(2**63), Kind.COUNT, None, "the largest is 9223372036854775807"),
        (literal("3"), "yaml", Fraction(5, 2), Kind.COUNT, None, "2.5 cannot be written as a whole number"),
        (literal("0.2"), "yaml", Fraction(1, 3), Kind.RATIO, None, "1/3 cannot be written as a decimal number"),
        (literal("10"), "yaml", Fraction(1, MIN), Kind.RATE, "/s", "1/min cannot be written as a whole number"),
        (literal("10"), "yaml", Fraction(1, S), Kind.RATE, None, "say it in the spec with unit: /s"),
        (literal("10r/s"), "nginx", Fraction(1, 7 * S), Kind.RATE, None, "cannot be written as a whole number per s"),
        (
            product("30 * time.Second", "30", S),
            "go",
            5500 * MS,
            Kind.DURATION,
            None,
            "5.5s cannot be written in place of",
        ),
        (
            product("65", "65", None),
            "python",
            5 * S,
            Kind.DURATION,
            None,
            "5s cannot be written, since neither the file",
        ),
        (
            product("2.5", "2.5", None),
            "python",
            Fraction(S, 3),
            Kind.DURATION,
            "s",
            "cannot be written in place of 2.5",
        ),
    ],
)
def test_what_cannot_be_written_is_refused_in_words(
    setting: Setting, format_: str, value: Value | int, kind: Kind, unit: str | None, told: str
) -> None:
    with pytest.raises(OutlastError) as caught:
        written(setting, format_, value, kind, unit)
    assert told in caught.value.message
    assert caught.value.place is None


def test_a_locked_setting_is_not_changed_but_may_keep_its_value() -> None:
    reason = "a constant: change it where it is defined, client.go:12"
    content = Computed(amount=Fraction(30), unit=S, spellings=GO)
    locked = Setting(route=(Key("k"),), start=0, end=4, raw="idle", content=content, locked=reason)
    assert written(locked, "go", 30 * S) == "idle"
    with pytest.raises(OutlastError, match=re.escape(f"cannot be changed: it is {reason}")):
        written(locked, "go", 31 * S)


@settings(max_examples=250, deadline=None)
@given(
    st.integers(1, 500),
    st.sampled_from([1, 15, 1000]),
    st.one_of(st.integers(1, 10**6).map(lambda n: n * MS), st.integers(1, 3000).map(lambda n: n * S)),
)
def test_what_is_written_for_an_expression_is_worth_the_value(old: int, factor: int, ns: int) -> None:
    setting = product(f"{old} * {factor}s", str(old), S, factor, GO)
    text = written(setting, "go", ns)
    number, _, unit = text.partition(" * ")
    lengths = {spelling.removeprefix("{} * "): length for length, spelling in GO.items()}
    assert int(number) * lengths.get(unit, factor * S) == ns
    if ns % (factor * S) == 0:
        assert unit == f"{factor}s"
