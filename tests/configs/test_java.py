"""Java: what names, units and places mean, beyond the samples."""

from __future__ import annotations

import pytest

from configs.harness import identity
from outlast.configs.formats import FORMATS
from outlast.configs.patch import verify
from outlast.configs.readers.java import encode, read
from outlast.configs.select import select
from outlast.configs.setting import Computed, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError

HEAD = "import java.time.Duration;\nimport java.util.concurrent.TimeUnit;\n"


def settings(body: str, head: str = HEAD) -> dict[str, Setting]:
    return {identity(s): s for s in read(f"{head}class A {{ {body} }}\n".encode(), "A.java")}


def number(setting: Setting) -> tuple[int, int | None]:
    assert isinstance(setting.content, Computed)
    return int(setting.content.amount), setting.content.unit


def test_a_duration_counts_in_the_unit_of_its_factory() -> None:
    found = settings("Duration a = Duration.ofMinutes(2);")["A: a"]
    assert number(found) == (2, 60 * 10**9)
    assert found.raw == "Duration.ofMinutes(2)"
    assert isinstance(found.content, Computed)
    assert found.content.spellings[10**6] == "Duration.ofMillis({})"


def test_the_duration_of_another_package_is_spelled_by_its_own_methods_alone() -> None:
    found = settings("Object a = Duration.ofSeconds(5);", "import org.threeten.extra.Duration;\n")["A: a"]
    assert number(found) == (5, 10**9)
    assert isinstance(found.content, Computed)
    assert found.content.spellings == {10**9: "Duration.ofSeconds({})"}


def test_factories_imported_by_name_are_spelled_so() -> None:
    found = settings("Object a = ofSeconds(5);", "import static java.time.Duration.ofSeconds;\n")["A: a"]
    assert number(found) == (5, 10**9)
    assert isinstance(found.content, Computed)
    assert found.content.spellings == {10**9: "ofSeconds({})"}


def test_a_unit_argument_gives_its_unit_to_the_number_before_it() -> None:
    found = settings("void f() { b.readTimeout(10, TimeUnit.SECONDS); new Pool(5, 7, TimeUnit.MINUTES); }")
    assert {name: number(s) for name, s in found.items()} == {
        "A / f / b: readTimeout[0]": (10, 10**9),
        "A / f: Pool[0]": (5, None),
        "A / f: Pool[1]": (7, 60 * 10**9),
    }


def test_counts_of_units_and_durations_are_worked_out() -> None:
    found = settings(
        "long a = TimeUnit.SECONDS.toMillis(30); int b = (int) Duration.ofSeconds(2).toMillis();"
        "long c = TimeUnit.MILLISECONDS.toSeconds(1999); long d = Duration.ofMillis(3000).toSeconds();"
    )
    assert [number(s) for s in found.values()] == [(30000, 10**6), (2000, 10**6), (1, 10**9), (3, 10**9)]
    has = [isinstance(s.content, Computed) and s.content.coefficient is not None for s in found.values()]
    assert has == [True, True, False, False]  # what was rounded is in no proportion


def test_a_constant_reads_where_it_is_used_but_is_locked() -> None:
    found = settings("static final Duration T = Duration.ofSeconds(5); void f() { b.timeout(T); }")
    assert number(found["A / f / b: timeout[0]"]) == (5 * 10**9, 1)
    assert found["A / f / b: timeout[0]"].locked == "the constant T, A.java:3; bind that one"


@pytest.mark.parametrize(
    "other", ["void g(int T) {}", "Object g = (T) -> 1;", "void g() { int T = 1; }", "void g() { for (int T : x) {} }"]
)
def test_a_name_that_may_be_another_is_not_read(other: str) -> None:
    found = settings(f"static final int T = 5; {other} void f() {{ b.timeout(T); }}")
    assert found["A / f / b: timeout[0]"].content == Opaque("a name, T")


def test_what_is_not_final_is_no_constant() -> None:
    assert "A / f: g[0]" not in settings("static int T = 5; void f() { g(T); }")


def test_a_long_constant_does_not_overflow_where_it_is_used() -> None:
    found = settings("static final long T = 2000000; long a = T * 2000; int U = 2000000 * 2000;")
    assert number(found["A: a"]) == (4 * 10**9, None)
    assert found["A: U"].content == Opaque("an expression that does not fit an int")


def test_placeholders_of_annotations_are_not_read_and_not_written() -> None:
    found = settings('@Value("${a:30s}") Duration a; String b = "${x}"; @Value("15") int c;')
    assert found["A / a: Value"].content == Opaque("a placeholder, ${…}")
    assert isinstance(found["A: b"].content, Literal)
    with pytest.raises(OutlastError):
        encode(found["A / c: Value"], "${x}")


def test_the_string_of_a_parsed_duration_is_the_value() -> None:
    found = settings('Duration a = Duration.parse("PT20S");')
    assert list(found) == ["A: a"]
    assert found["A: a"].raw == '"PT20S"'
    assert found["A: a"].dialect == "spring"


@pytest.mark.parametrize(
    ("raw", "text"),
    [(r'"a\tb\101\7"', "a\tbA\x07"), (r'"\u00fc\ud83d\ude00"', "ü😀"), (r'"\\u0041\s"', "\\u0041 ")],
)
def test_strings_read_as_the_program_sees_them(raw: str, text: str) -> None:
    content = settings(f"String a = {raw};")["A: a"].content
    assert isinstance(content, Literal)
    assert content.text == text


@pytest.mark.parametrize("raw", [r'"\ud83d"', r'"\u005c"', '"""\n  a"""'])
def test_strings_that_are_hard_to_tell_are_not_read(raw: str) -> None:
    assert isinstance(settings(f"String a = {raw};")["A: a"].content, Opaque)


@pytest.mark.parametrize("text", ["5s", 'a"b', "\\u0041", "a\nb\x07\x7f7", "ü😀\u2028\U000e0001", ""])
def test_a_string_that_was_written_reads_the_same(text: str) -> None:
    old = settings('String a = "x";')["A: a"]
    content = settings(f"String a = {encode(old, text)};")["A: a"].content
    assert isinstance(content, Literal)
    assert content.text == text


def test_a_file_that_is_not_java_is_refused_where_it_goes_wrong() -> None:
    with pytest.raises(
        OutlastError, match="cannot read this as Java from here on, at '5'; is it newer syntax"
    ) as caught:
        read("class Ä { int x = 5 5; }\n".encode(), "A.java")
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.col) == (1, 21)


@pytest.mark.parametrize(
    ("value", "amount", "unit"),
    [
        ("TimeUnit.SECONDS.toMillis(30)", 30000, 10**6),
        ("SECONDS.toMillis(30)", 30000, 10**6),
        ("TimeUnit.MINUTES.toNanos(3)", 180 * 10**9, 1),
        ("TimeUnit.HOURS.toMicros(1)", 3600 * 10**6, 10**3),
        ("TimeUnit.MILLISECONDS.convert(30, SECONDS)", 30000, 10**6),
        ("Duration.ofSeconds(30).toMillis()", 30000, 10**6),
        ("Duration.ofMinutes(1).plusSeconds(30).toMillis()", 90000, 10**6),
        ("(int) SECONDS.toMillis(30)", 30000, 10**6),
        ("SECONDS.toMillis(30) + 500", 30500, 10**6),
        ("2 * (SECONDS.toMillis(30))", 60000, 10**6),
        ("SECONDS.toMillis(30) / 1000", 30, 10**6),
        ("SECONDS.toMillis(30) / SECONDS.toMillis(10)", 3, None),
        ("SECONDS.toMillis(2) * SECONDS.toMillis(1)", 2000000, None),
    ],
)
def test_what_is_counted_in_a_unit_needs_no_other(value: str, amount: int, unit: int | None) -> None:
    head = HEAD + "import static java.util.concurrent.TimeUnit.SECONDS;\n"
    found = settings(f"long idleTimeout = {value}; void f() {{ this.idle = {value}; p.setIdle({value}); }}", head)
    assert {name: number(s) for name, s in found.items()} == dict.fromkeys(
        ("A: idleTimeout", "A / f: idle", "A / f / p: setIdle[0]"), (amount, unit)
    )


def test_a_constant_keeps_the_unit_that_it_counts() -> None:
    found = settings("static final long T = TimeUnit.SECONDS.toMillis(5); void f() { b.timeout(T); }")
    assert number(found["A / f / b: timeout[0]"]) == (5000, 10**6)


def test_a_count_is_written_by_its_own_method() -> None:
    body = "long a = (int) SECONDS.toMillis(2 + 3); long b = Duration.ofSeconds(2 + 3).toSeconds();"
    found = settings(body, HEAD + "import static java.util.concurrent.TimeUnit.*;\n")
    spelled = {
        name: list(s.content.spellings.values()) if isinstance(s.content, Computed) else [] for name, s in found.items()
    }
    assert spelled["A: a"] == [
        f"(int) {unit}.toMillis({{}})" for unit in ("HOURS", "MINUTES", "SECONDS", "MILLISECONDS")
    ]
    assert spelled["A: b"] == [f"Duration.of{unit}({{}}).toSeconds()" for unit in ("Hours", "Minutes", "Seconds")]


@pytest.mark.parametrize("head", [HEAD, "import org.apache.hc.core5.util.*;\n"])
def test_names_and_units_do_not_lean_on_imports(head: str) -> None:
    body = """void f() { c.setConnectionRequestTimeout(Timeout.ofSeconds(2)).setSocketTimeout(Timeout.of(3, TimeUnit.MINUTES));
        c.connectTimeout(Duration.ofSeconds(3)); c.idle(Time.milliseconds(4)); c.read(5, TimeUnit.SECONDS); c.retries(6);
        c.outer(Timeout.of(Duration.ofMillis(7))); c.write(seconds(8)); c.drain(new Wait(9, TimeUnit.SECONDS)); }"""
    assert {name: number(s) for name, s in settings(body, head).items()} == {
        "A / f / c: setConnectionRequestTimeout[0]": (2, 10**9),
        "A / f / c: setSocketTimeout[0]": (3, 60 * 10**9),
        "A / f / c: connectTimeout[0]": (3, 10**9),
        "A / f / c: idle[0]": (4, 10**6),
        "A / f / c: read[0]": (5, 10**9),
        "A / f / c: retries[0]": (6, None),
        "A / f / c: outer[0]": (7 * 10**6, 1),
        "A / f / c: write[0]": (8, 10**9),
        "A / f: Wait[0]": (9, 10**9),
    }


def test_a_setter_named_like_a_unit_is_no_duration_of_its_own() -> None:
    assert {name: number(s) for name, s in settings("void f() { b.timeout().seconds(5); }").items()} == {
        "A / f / b: seconds[0]": (5, None)
    }


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [
        ("Duration.ofMinutes(2).plusSeconds(30)", 150 * 10**9),
        ("Duration.ofMinutes(2).minus(Duration.ofSeconds(30)).plusMillis(1)", 90001 * 10**6),
        ("Duration.ofMinutes(2).multipliedBy(3)", 360 * 10**9),
        ("Duration.ofMinutes(2).plus(other(7))", None),
        ("Duration.ofMinutes(2).plus(Duration.ofSeconds(n))", None),
    ],
)
def test_a_duration_that_others_change_is_one_setting(value: str, nanoseconds: int | None) -> None:
    found = settings(f"Duration a = {value}; void f() {{ b.x({value}); }}")
    assert list(found) == ["A: a", "A / f / b: x[0]"]
    for setting in found.values():
        assert setting.raw == value
        content = setting.content
        if nanoseconds is None:
            assert content == Opaque("an expression")
        else:
            assert isinstance(content, Computed)
            assert content.amount * (content.unit or 0) == nanoseconds
            assert (content.coefficient is not None) == ("multipliedBy" in value)


BUILDERS = """
    OkHttpClient ok = new OkHttpClient.Builder().readTimeout(10, TimeUnit.SECONDS).build();
    OkHttpClient slow = new OkHttpClient.Builder().readTimeout(60, TimeUnit.SECONDS).build();
    void f(Config c) { c.readTimeout(5); var d = c.copy().readTimeout(6); try (Conn e = open().readTimeout(7)) {} }
    Client g() { return Client.custom().readTimeout(8); }
"""


@pytest.mark.parametrize(
    ("selector", "raw"),
    [
        ("ok:readTimeout[0]", "10"),
        ("ok/OkHttpClient.Builder:readTimeout[0]", "10"),
        ("ok/Builder:readTimeout[0]", "10"),
        ("slow:readTimeout[0]", "60"),
        ("d:readTimeout[0]", "6"),
        ("e:readTimeout[0]", "7"),
        ("e/open:readTimeout[0]", "7"),
        ("g:readTimeout[0]", "8"),
        ("Client:readTimeout[0]", "8"),
        ("f/c:readTimeout[0]", "5"),
    ],
)
def test_builder_chains_are_told_apart_by_what_they_are_for(selector: str, raw: str) -> None:
    found = select(tuple(settings(BUILDERS).values()), selector)
    assert [s.raw for s in found] == [raw]


@pytest.mark.parametrize(
    "selector", ["Scheduled:fixedDelay", "a/Scheduled:fixedDelay", "Scheduled.fixedDelay", "a:fixedDelay"]
)
def test_annotations_enclose_what_they_name(selector: str) -> None:
    found = settings('@org.x.Scheduled(fixedDelay = 15, cron = "x") void a() {} @Other(fixedRate = 1) void b() {}')
    (setting,) = select(tuple(found.values()), selector)
    assert setting.raw == "15"


def test_an_annotation_has_its_number_whatever_others_hold() -> None:
    found = settings('@At(cron = "x") @At(fixedDelay = 15) void a() {}')
    assert list(found) == ["A / a / At: cron", "A / a / At#1~At: fixedDelay"]


def test_a_unit_of_an_annotation_is_that_of_what_it_is_named_for() -> None:
    found = settings("@Retry(maxRetries = 3, delay = 5, delayUnit = ChronoUnit.SECONDS, jitter = 1) void a() {}")
    assert [number(s) for s in found.values()] == [(3, None), (5, 10**9), (1, None)]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("3000000000", "a number that does not fit an int"),
        ("50000 * 50000", "an expression that does not fit an int"),
        ("(int) TimeUnit.DAYS.toMillis(30)", "an expression that does not fit an int"),
        ("9223372036854775807L + 1", "an expression that does not fit a long"),
    ],
)
def test_what_overflows_is_not_read_and_says_so(value: str, reason: str) -> None:
    assert settings(f"long a = {value};")["A: a"].content == Opaque(reason)
    assert settings(f"void f() {{ b.g({value}); }}")["A / f / b: g[0]"].content == Opaque(reason)


@pytest.mark.parametrize(
    ("value", "amount"), [("-2147483648", -(2**31)), ("0xffffffff", -1), ("0xffffffffL", 2**32 - 1)]
)
def test_the_smallest_int_fits(value: str, amount: int) -> None:
    assert number(settings(f"long a = {value};")["A: a"]) == (amount, None)


def test_a_patch_that_overflows_is_refused_for_that() -> None:
    data = b"class A { void f() { b.g(5 * 1000); } }\n"
    before = read(data, "A.java")
    with pytest.raises(OutlastError, match="found an expression that does not fit an int"):
        verify(FORMATS["java"], "A.java", before, data, data.replace(b"5 *", b"5000000 *"), {0: lambda _: False})


def test_what_a_duration_is_asked_with_belongs_to_what_it_is_assigned_to() -> None:
    found = settings(
        'Duration a = Duration.ofSeconds(config.getInt("timeout", 30)); Duration b = Duration.ofSeconds(x);'
    )
    assert list(found) == ["A / a / config: getInt[0]", "A / a / config: getInt[1]", "A: b"]
    assert found["A: b"].content == Opaque("an expression")
