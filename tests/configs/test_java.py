"""Java: what names, units and places mean, beyond the samples."""

from __future__ import annotations

import pytest

from configs.harness import identity
from outlast.configs.readers.java import encode, read
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


def test_the_duration_of_another_package_is_none_of_ours() -> None:
    found = settings("Object a = Duration.ofSeconds(5);", "import org.joda.time.Duration;\n")
    assert [(name, number(s)) for name, s in found.items()] == [("A / Duration: ofSeconds", (5, None))]


def test_factories_imported_by_name_are_spelled_so() -> None:
    found = settings("Object a = ofSeconds(5);", "import static java.time.Duration.ofSeconds;\n")["A: a"]
    assert number(found) == (5, 10**9)
    assert isinstance(found.content, Computed)
    assert found.content.spellings == {10**9: "ofSeconds({})"}


def test_a_unit_argument_gives_its_unit_to_the_number_before_it() -> None:
    found = settings("void f() { b.readTimeout(10, TimeUnit.SECONDS); new Pool(5, 7, TimeUnit.MINUTES); }")
    assert {name: number(s) for name, s in found.items()} == {
        "A / f / b: readTimeout": (10, 10**9),
        "A / f: Pool[0]": (5, None),
        "A / f: Pool[1]": (7, 60 * 10**9),
    }


def test_counts_of_units_and_durations_are_worked_out() -> None:
    found = settings(
        "long a = TimeUnit.SECONDS.toMillis(30); int b = (int) Duration.ofSeconds(2).toMillis();"
        "long c = TimeUnit.MILLISECONDS.toSeconds(1999); long d = Duration.ofMillis(3000).toSeconds();"
    )
    assert [number(s) for s in found.values()] == [(30000, None), (2000, None), (1, None), (3, None)]
    has = [isinstance(s.content, Computed) and s.content.coefficient is not None for s in found.values()]
    assert has == [True, True, False, False]  # what was rounded is in no proportion


def test_a_constant_reads_where_it_is_used_but_is_locked() -> None:
    found = settings("static final Duration T = Duration.ofSeconds(5); void f() { b.timeout(T); }")
    assert number(found["A / f / b: timeout"]) == (5 * 10**9, 1)
    assert found["A / f / b: timeout"].locked == "the constant T, A.java:3; bind that one"


@pytest.mark.parametrize(
    "other", ["void g(int T) {}", "Object g = (T) -> 1;", "void g() { int T = 1; }", "void g() { for (int T : x) {} }"]
)
def test_a_name_that_may_be_another_is_not_read(other: str) -> None:
    found = settings(f"static final int T = 5; {other} void f() {{ b.timeout(T); }}")
    assert found["A / f / b: timeout"].content == Opaque("a name, T")


def test_what_is_not_final_is_no_constant() -> None:
    assert "A / f: g" not in settings("static int T = 5; void f() { g(T); }")


def test_a_long_constant_does_not_overflow_where_it_is_used() -> None:
    found = settings("static final long T = 2000000; long a = T * 2000; int U = 2000000 * 2000;")
    assert number(found["A: a"]) == (4 * 10**9, None)
    assert "A: U" not in found


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
