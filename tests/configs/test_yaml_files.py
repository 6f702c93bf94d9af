"""YAML and Helm: what hostile files cost, and how a text is written so that it stays what it was."""

from __future__ import annotations

import time

import pytest

from configs.harness import check_any
from outlast.configs.formats import FORMATS
from outlast.configs.setting import Key, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError

MANY = 20_000


def only(text: str, name: str = "yaml") -> Setting:
    (setting,) = FORMATS[name].read(text.encode(), "a.yaml")
    return setting


@pytest.mark.parametrize("begin", ["[", "{a: ", "- ", "? ", "[\n"])
def test_deep_nesting_is_refused_before_the_parser_gives_in(begin: str) -> None:
    with pytest.raises(OutlastError, match="levels of nesting"):
        FORMATS["yaml"].read(begin.encode() * 10 * MANY, "a.yaml")


def test_sixty_levels_are_read() -> None:
    assert len(only("a: " + "{b: " * 60 + "5s" + "}" * 60).route) == 61


@pytest.mark.parametrize(
    "hostile",
    [
        "a: 1" + "_" * MANY + "x",
        "a: 1" + "1." * MANY + "x",
        'a: "' + "${" * MANY + '"',
        "a: !x " + "#c\n  " * MANY + "5",
        "args: [sh, " + "-c, " * MANY + "]",
        "command: x " + "\"' " * MANY,
        "- &a 1\n- *a\n" * MANY,
        "---\nkind: A\nmetadata: {name: b}\n" * (MANY // 10),
    ],
    ids=["underscores", "dots", "references", "comments", "shells", "quotes", "anchors", "documents"],
)
def test_time_grows_with_the_size_of_a_file_only(hostile: str) -> None:
    check_any(FORMATS["yaml"], hostile.encode(), seconds=3)


@pytest.mark.parametrize(
    "hostile",
    ["{{ " * MANY, '{{ "' + '\\"' * MANY, "{{ `" * MANY, "{{/* " * MANY, "a: " + "{{ x }}y" * MANY, "{{ if x }}a: b " * MANY, "{{ end }}\n" * MANY],
    ids=["open", "escapes", "backquotes", "comments", "line", "ifs", "ends"],
)  # fmt: skip
def test_a_hostile_template_costs_no_more(hostile: str) -> None:
    began = time.process_time()
    check_any(FORMATS["helm"], hostile.encode(), seconds=3)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("value", "new", "expected"),
    [
        ("90s", "75s", "75s"),
        ("90s", "75", '"75"'),
        ("90s", "1:30", '"1:30"'),
        ("90s", "yes", '"yes"'),
        ("90s", "a, b", '"a, b"'),
        ("'90s'", "it's", "'it''s'"),
        ('"90s"', 'a "b" \\', '"a \\"b\\" \\\\"'),
        ("90", "75", "75"),
        ("1.5", "2", "2"),
        ("true", "false", "false"),
        ('!!int "90"', "75", '"75"'),
    ],
)
def test_a_value_keeps_its_quotes_and_its_type(value: str, new: str, expected: str) -> None:
    assert FORMATS["yaml"].encode(only(f"a: {value}"), new) == expected


@pytest.mark.parametrize(
    ("value", "new"),
    [("90", "75s"), ("90", "010"), ("true", "yes"), ("null", "5"), ("90s", "a\nb"), ("90s", "${A}"), ("90s", "{{ a }}"), ("90s", "\x07")],
)  # fmt: skip
def test_what_would_be_read_as_something_else_is_not_written(value: str, new: str) -> None:
    with pytest.raises(OutlastError) as caught:
        FORMATS["yaml"].encode(only(f"a: {value}"), new)
    assert caught.value.place is None


def test_an_option_inside_a_text_takes_no_blank_and_no_option() -> None:
    whole, inside = FORMATS["yaml"].read(b"command: app --timeout 30\n", "a.yaml")
    assert (whole.raw, inside.raw) == ("app --timeout 30", "30")
    assert FORMATS["yaml"].encode(inside, "45s") == "45s"
    for text in ("45 s", "-x", "1,5", "a:", "a'b"):
        with pytest.raises(OutlastError):
            FORMATS["yaml"].encode(inside, text)


def test_both_branches_of_an_if_are_read_where_they_stand() -> None:
    text = "{{ if .a }}timeout: 5s{{ else }}timeout: 6s{{ end }}\n"
    settings = FORMATS["helm"].read(text.encode(), "a.yaml")
    assert [(s.route, s.raw) for s in settings] == [((Key("timeout"),), "5s"), ((Key("timeout"),), "6s")]
    assert [text[s.start : s.end] for s in settings] == ["5s", "6s"]


def test_a_value_with_an_action_in_it_is_not_read_even_if_a_number_stands_around_it() -> None:
    assert only("timeout: 5{{ .zeros }}\n", "helm").content == Opaque("a template, {{ … }}")
    assert only("timeout: 5 {{/* five */}}\n", "helm").content == Literal("5")


@pytest.mark.parametrize(
    ("data", "line", "col"),
    [(b"a: 1\nb: \x01", 2, 4), (b"\xef\xbb\xbfa: }", 1, 4), (b"\xff\xfea", 1, 1), (b"a: \xff", 1, 4)],
)
def test_a_file_that_is_no_yaml_is_refused_at_its_place(data: bytes, line: int, col: int) -> None:
    with pytest.raises(OutlastError) as caught:
        FORMATS["yaml"].read(data, "a.yaml")
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.col) == (line, col)
