"""Go: what names, units and places mean, beyond the samples."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from configs.harness import identity
from outlast.configs.readers.go import encode, read
from outlast.configs.setting import Computed, Key, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError

HEAD = 'package a\n\nimport "time"\n\n'


def settings(body: str, head: str = HEAD) -> dict[str, Setting]:
    return {identity(s): s for s in read((head + body).encode(), "a.go")}


def nanoseconds(setting: Setting) -> Fraction | None:
    content = setting.content
    return content.amount if isinstance(content, Computed) and content.unit == 1 else None


def test_the_package_time_goes_by_its_alias() -> None:
    found = settings("var a = 5 * tm.Second\nvar b = 5 * time.Second\n", 'package a\nimport tm "time"\n')
    assert nanoseconds(found["a"]) == 5 * 10**9
    assert isinstance(found["a"].content, Computed)
    assert found["a"].content.spellings[10**9] == "{} * tm.Second"
    assert "b" not in found


def test_without_the_package_time_nothing_is_a_duration() -> None:
    assert settings("var a = 5 * time.Second\nvar b = 5\n", "package a\n").keys() == {"b"}


def test_a_fraction_of_a_second_needs_a_conversion() -> None:
    found = settings("var a = 1.5 * time.Second\nvar b = time.Duration(1.5 * float64(time.Second))\n")
    assert isinstance(found["a"].content, Opaque)
    assert nanoseconds(found["b"]) == 15 * 10**8


def test_a_bare_unit_has_no_coefficient_but_spellings() -> None:
    content = settings("var a = time.Minute\n")["a"].content
    assert isinstance(content, Computed)
    assert content.amount == 60 * 10**9
    assert content.coefficient is None
    assert content.spellings[1] == "{} * time.Nanosecond"


def test_a_use_of_a_constant_reads_but_is_locked() -> None:
    used = settings("const ping = 5 * time.Second\n\nvar a = T{Ping: ping}\n")["a / T: Ping"]
    assert nanoseconds(used) == 5 * 10**9
    assert used.locked == "the constant ping, a.go:5; bind that one"
    assert isinstance(used.content, Computed)
    assert not used.content.spellings


@pytest.mark.parametrize(
    "other",
    [
        "func f(ping int) {}",
        "func f() { ping := 1; _ = ping }",
        "func f() { for ping := range x {} }",
        "type ping int",
        "func f[ping any]() {}",
    ],
)
def test_a_name_that_may_be_another_is_not_read(other: str) -> None:
    used = settings(f"const ping = 5 * time.Second\n\n{other}\n\nvar a = T{{Ping: ping}}\n")["a / T: Ping"]
    assert used.content == Opaque("a name, ping")


def test_a_constant_of_a_function_is_read_in_it_alone() -> None:
    found = settings("func f() {\n\tconst p = 5\n\tg(p)\n}\n\nfunc h() {\n\tg(p)\n}\n")
    assert isinstance(found["f: g[0]"].content, Computed)
    assert found["h: g[0]"].content == Opaque("a name, p")


def test_a_constant_made_of_a_constant_is_not_followed_further() -> None:
    found = settings("const a = 5\nconst b = a * time.Second\n\nvar c = T{X: b}\n")
    assert nanoseconds(found["b"]) == 5 * 10**9
    assert found["c / T: X"].content == Opaque("a name, b")


def test_several_values_go_to_their_names() -> None:
    found = settings("func f() {\n\tx, y := 1, 2*time.Second\n\tx, y = g(3)\n\t_, z := 4, 5\n}\n")
    assert [(name, s.raw) for name, s in found.items()] == [
        ("f: x", "1"),
        ("f: y", "2*time.Second"),
        ("f: g[0]", "3"),
        ("f: _", "4"),
        ("f: z", "5"),
    ]


def test_what_repeats_gets_a_number() -> None:
    found = settings("func f() {\n\ta := T{X: 1}\n\tg(a)\n\ta = T{X: 2}\n\th(3)\n\th(4)\n}\n")
    assert list(found) == ["f / a / T: X", "f / a#1~a / T: X", "f: h[0]", "f / h#1: h[0]"]


def test_an_inner_value_is_kept_where_the_outer_one_is_not_read() -> None:
    found = settings('var a = T{X: time.Duration(env("X", 30)) * time.Second, Y: time.Duration(n) * time.Second}\n')
    assert [s.raw for s in found.values()] == ['"X"', "30", "time.Duration(n) * time.Second"]


def test_iota_is_not_read() -> None:
    found = settings("const (\n\ta = iota * time.Second\n\tb\n)\nconst c = iota\n")
    assert [(n, type(s.content)) for n, s in found.items()] == [("a", Opaque)]


def test_tags_imports_runes_and_increments_are_no_settings() -> None:
    assert not settings("type T struct {\n\tX int `json:\"x\"`\n}\n\nfunc f() {\n\tr := 'a'\n\tr += 5\n}\n")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (r'"a\tb"', "a\tb"),
        (r'"\u00fc\xc3\xbc\303\274"', "üüü"),
        (r'"\U0001F600\""', '😀"'),
        ("`a\\n\r\nb`", "a\\n\nb"),
        (r'"\\x41"', "\\x41"),
    ],
)
def test_strings_read_as_the_program_sees_them(raw: str, text: str) -> None:
    content = settings(f"var a = {raw}\n")["a"].content
    assert isinstance(content, Literal)
    assert (content.text, content.is_text) == (text, True)


def test_a_string_that_is_no_text_is_not_read() -> None:
    assert isinstance(settings(r'var a = "\xff"' + "\n")["a"].content, Opaque)


@pytest.mark.parametrize("text", ["5s", 'a"b', "a\\b", "a\nb\x07\x7f", "ü😀\u2028", ""])
def test_a_string_that_was_written_reads_the_same(text: str) -> None:
    old = settings('var a = "x"\n')["a"]
    content = settings(f"var a = {encode(old, text)}\n")["a"].content
    assert isinstance(content, Literal)
    assert content.text == text


@pytest.mark.parametrize("text", ["a`b", "a\rb", "\ud800"])
def test_a_raw_string_refuses_what_it_cannot_hold(text: str) -> None:
    old = settings("var a = `x`\n")["a"]
    with pytest.raises(OutlastError) as caught:
        encode(old, text)
    assert caught.value.place is None


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (
            "package a\nvar ü, x = 5 5\n",
            "a.go:2:12",
            "cannot read this as Go from here on, at '5'; is it newer syntax?",
        ),
        ("package a\nvar a = 5\0\n", "a.go:2:10", "expected text, found a zero byte"),
    ],
)
def test_a_file_that_is_not_go_is_refused_where_it_goes_wrong(text: str, place: str, message: str) -> None:
    with pytest.raises(OutlastError) as caught:
        read(text.encode(), "a.go")
    assert caught.value.place is not None
    assert str(caught.value.place) == place
    assert caught.value.message == message


def test_a_missing_brace_is_named() -> None:
    with pytest.raises(OutlastError, match="as Go from here on, at a missing '}'; is"):
        read(b"package a\nfunc f() {\n\tg()\n", "a.go")


def test_the_receiver_stands_before_the_name() -> None:
    found = settings("func f() {\n\tsrv.http.SetTimeout(5)\n\tsrv.Idle = 6\n\tnew().Set(7)\n}\n")
    assert list(found) == ["f / srv / http: SetTimeout[0]", "f / srv: Idle", "f: Set[0]"]
    assert found["f / srv: Idle"].route == (Key("Idle"),)


@pytest.mark.parametrize(
    "body",
    [
        "var a = " + "f(" * 190 + "5" + ")" * 190,
        'var a = "' + "(" * 3000 + '"',
        "var a = f(" + "1, " * 20000 + "1)",
        "func f() {\n" + "time.Sleep(time.Second)\n" * 10000 + "}",
        "const c = 5\n" + "func f() { g(c) }\n" * 3000,
    ],
)
def test_long_and_deep_files_are_read_in_time(body: str) -> None:
    began = time.process_time()
    read((HEAD + body + "\n").encode(), "a.go")
    assert time.process_time() - began < 4


@pytest.mark.parametrize(("opened", "closed"), [("f(", ")"), ("T{X: ", "}"), ("(", ")"), ("", ".f(1)")])
def test_a_file_that_nests_endlessly_is_refused(opened: str, closed: str) -> None:
    with pytest.raises(OutlastError, match="levels of nesting") as caught:
        read((HEAD + "var a = " + opened * 3000 + "x" + closed * 3000 + "\n").encode(), "a.go")
    assert caught.value.place is not None
    assert caught.value.place.line == 5
