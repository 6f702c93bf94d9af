"""JSON and JSONC: the values that the standard library reads, what may stand there beyond them, names, depth, and types that are kept."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from configs.harness import identity, mutated
from outlast.configs.readers.json_files import encode, read
from outlast.configs.setting import Flag, Index, Key, Literal, Opaque, Setting, Step
from outlast.constraints.errors import OutlastError

TOKENS = (b"{", b"}", b"[", b"]", b",", b":", b'"a"', b'"b\\n\\u00fc"', b'"', b"1", b"-0", b"01", b"1.5e+3", b"1.", b".5", b"-", b"true", b"null", b"nul",
          b" ", b"\n", b"\r\n", b"\t", b"\x0b", b"\\", b"'", b"//", b"/*", b"*/", b"/", b"x", b'"k":', b'{"k":1}', b"[1]")  # fmt: skip


class Pairs(list[tuple[str, Any]]):
    """An object with all of its members."""


class Number(str):
    __slots__ = ()


def loaded(data: bytes) -> Any:
    def refuse(name: str) -> Any:
        raise ValueError(name)

    return json.loads(
        data.decode(), object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=refuse
    )


def flattened(value: Any, route: tuple[object, ...] = ()) -> list[tuple[tuple[object, ...], str, bool]]:
    if isinstance(value, Pairs):
        return [found for key, inner in value for found in flattened(inner, (*route, key))]
    if isinstance(value, list):
        return [found for i, inner in enumerate(value) for found in flattened(inner, (*route, i))]
    is_text = isinstance(value, str) and not isinstance(value, Number)
    return [(route, str(value) if isinstance(value, str) else json.dumps(value), is_text)] if route else []


def plain(step: Step) -> object:
    return step.position if isinstance(step, Index) else step.name


def told(settings: tuple[Setting, ...]) -> list[tuple[tuple[object, ...], str | None, bool]]:
    """As `flattened`; None for a text that is not read."""
    return [
        (tuple(map(plain, s.route)), s.content.text, s.content.is_text)
        if isinstance(s.content, Literal)
        else (tuple(map(plain, s.route)), None, True)
        for s in settings
    ]


def same(found: list[tuple[tuple[object, ...], str | None, bool]], wanted: list[tuple[Any, str, bool]]) -> bool:
    return len(found) == len(wanted) and all(
        f[0] == w[0] and f[2] == w[2] and f[1] in (None, w[1]) for f, w in zip(found, wanted, strict=True)
    )


def random_value(chance: random.Random, depth: int = 0) -> Any:
    match chance.randrange(8 if depth < 4 else 5):
        case 0:
            return chance.choice(("", "60s", 'a "b" \\ /', "ü😀", "\n\t\x7f", "\u2028", "a: b"))
        case 1:
            return chance.choice((0, -1, 10**30, 1.5, -2.5e-7, 1e300))
        case 2:
            return chance.choice((True, False, None))
        case 3 | 4:
            return chance.randrange(10**4)
        case 5:
            return [random_value(chance, depth + 1) for _ in range(chance.randrange(4))]
        case _:
            return {chance.choice(("a", "b.c", "ü", "", 'q"')): random_value(chance, depth + 1) for _ in range(4)}


@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_values_are_those_of_the_standard_library(indent: int | str | None) -> None:
    chance = random.Random(f"{indent}")
    for round_ in range(300):
        text = json.dumps([random_value(chance)], indent=indent, ensure_ascii=round_ % 2 == 0)
        assert told(read(text.encode(), "f.json")) == flattened(loaded(text.encode()))


def test_what_the_standard_library_takes_is_read_the_same_and_the_rest_has_comments_or_commas() -> None:
    chance = random.Random(3)
    taken = beyond = 0
    base = json.dumps({"a": [1, {"k": "5s"}, []], "b": {"c": -1.5e3, "d": None}}, indent=1).encode()
    for round_ in range(8000):
        soup = b"".join(chance.choice(TOKENS) for _ in range(chance.randrange(1, 12)))
        data = soup if round_ % 2 else mutated(base, chance)
        try:
            wanted = flattened(loaded(data))
        except ValueError:
            wanted = None
        try:
            found = told(read(data, "f.json"))
        except OutlastError:
            assert wanted is None or b"\x00" in data or data.startswith(b"\xef\xbb\xbf"), data
            continue
        if wanted is None:
            beyond += 1
            assert re.search(rb"//|/\*|,\s*[]}]|^\xef\xbb\xbf", data), data
        else:
            taken += 1
            assert same(found, wanted), data
    assert taken > 500
    assert beyond > 20


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1,}',
        '{"a": 1, // it\'s\n}',
        '/* * / ** */{"a"/**/:/**/1/***/}',
        '{"a": 1} // the end',
        '\ufeff{"a": 1}',
        '{"a" : 1 /* , "b": 2 */ }',
    ],
)
def test_comments_and_trailing_commas_are_taken_whatever_the_name(text: str) -> None:
    (setting,) = read(text.encode(), "settings.json")
    assert (identity(setting), setting.raw) == ("a", "1")


@pytest.mark.parametrize(
    ("text", "col", "message"),
    [
        ("", 1, "expected a JSON value, found the end of the file"),
        ('{"a" 1}', 6, "expected a colon, found '1}'"),
        ('{"a": tru}', 7, "expected a value, found 'tru}'"),
        ('{"ä": }', 7, "expected a value, found '}'"),
        ("[1 2]", 4, "expected a comma or the closing ], found '2]'"),
        ('{"a": [1}', 9, "expected a comma or the closing ], found '}'"),
        ('{"a": 1} x', 10, "expected the end of the file, found 'x'"),
        ("[1, /* 2]", 5, "expected a value or the closing ], found '/*'"),
        ("{a: 1}", 2, "expected a name in quotes or the closing }, found 'a:'"),
        ("[,]", 2, "expected a value or the closing ], found ',]'"),
        ('["\x01"]', 2, "expected a value or the closing ], found '\"\\x01\"]'"),
        ("[NaN]", 2, "expected a value or the closing ], found 'NaN]'"),
    ],
)
def test_a_mistake_is_told_where_it_is(text: str, col: int, message: str) -> None:
    with pytest.raises(OutlastError) as caught:
        read(text.encode(), "f.json")
    assert (caught.value.place, caught.value.message) == (("f.json", 1, col), message)


@pytest.mark.parametrize("data", ["[1]".encode("utf-16"), "[1]".encode("utf-16-le"), b'["\xff"]'])
def test_what_is_not_utf8_is_refused_with_a_place(data: bytes) -> None:
    with pytest.raises(OutlastError) as caught:
        read(data, "f.json")
    assert caught.value.place is not None


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"b":'])
def test_nesting_is_read_to_a_level_and_refused_beyond(opening: str) -> None:
    levels = 256 // len(re.findall(r"[\[{]", opening))
    closing = "".join({"[": "]", "{": "}"}[c] for c in reversed(opening) if c in "[{")
    (setting,) = read((opening * levels + "1" + closing * levels).encode(), "f.json")
    assert len(setting.route) == 256
    for times in (levels + 1, 100_000):
        with pytest.raises(OutlastError, match="at most 256 levels"):
            read((opening * times).encode(), "f.json")


def test_both_of_two_equal_keys_are_settings() -> None:
    assert [s.raw for s in read(b'{"a": 1, "a": 2}', "f.json")] == ["1", "2"]


def test_an_element_answers_to_its_name_wherever_that_stands() -> None:
    text = (
        b'[{"t": 1, "id": "i", "name": "n"}, {"Key": "k", "t": 2}, {"id": 5, "t": 3}, {"name": "", "t": {"name": "x"}}]'
    )
    names = {s.route[0].position: s.route[0].name for s in read(text, "f.json") if isinstance(s.route[0], Index)}
    assert names == {0: "n", 1: "k", 2: None, 3: None}


def test_values_of_options_are_called_by_them_in_arrays_of_arguments_alone() -> None:
    text = b'{"args": ["x", "--a", "1", "--b=2", "-c", 3, "--d", {"args": ["-e", "5"]}], "list": ["--a", "1"]}'
    found = {identity(s): s.raw for s in read(text, "f.json") if any(isinstance(step, Flag) for step in s.route)}
    assert found == {"args[--a]": '"1"', "args[--b]": "2", "args[7].args[-e]": '"5"'}


def test_names_need_no_quotes_in_json5_alone() -> None:
    text = b"// renovate\n{extends: ['a'], $b: {'c-d': 5, \"e\": '6s',},}"
    assert [(identity(s), s.raw) for s in read(text, "renovate.json5")] == [
        ("extends[0]", "'a'"), ('["$b"].c-d', "5"), ('["$b"].e', "'6s'")]  # fmt: skip
    with pytest.raises(OutlastError):
        read(text, "renovate.json")


def test_half_a_character_is_not_read_and_hurts_no_name() -> None:
    first, second = read(b'{"\\ud83d": 1, "b": "\\ud83d"}', "f.json")
    assert first.route == (Key("\\ud83d"),)
    assert second.content == Opaque("a text with half a character")


@pytest.mark.parametrize(
    ("raw", "text", "written"),
    [
        ('"60"', "75", '"75"'),
        ('"60"', 'a "b"\\ü', '"a \\"b\\"\\\\ü"'),
        ('"60"', "a\nb", None),
        ('"60"', "${A}", None),
        ("60", "75", "75"),
        ("60", "7.5", "7.5"),
        ("60", "75s", None),
        ("60", "075", None),
        ("60", "true", None),
        ("true", "false", "false"),
        ("true", "1", None),
        ("null", "60", None),
    ],
)
def test_a_value_keeps_its_type(raw: str, text: str, written: str | None) -> None:
    (setting,) = read(f'{{"a": {raw}}}'.encode(), "f.json")
    if written is None:
        with pytest.raises(OutlastError) as caught:
            encode(setting, text)
        assert caught.value.place is None
    else:
        assert encode(setting, text) == written


def test_siblings_are_no_levels() -> None:
    assert len(read(("[" + "[1]," * 600 + '{"a": {}}]').encode(), "f.json")) == 600
