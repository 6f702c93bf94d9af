"""TOML: the values that the standard library reads, at the routes where it has them; numbers, depth, and types that are kept."""

from __future__ import annotations

import datetime
import random
import tomllib
from fractions import Fraction
from typing import Any

import pytest

from configs.harness import DATA, identity, mutated
from outlast.configs.readers.toml import encode, read
from outlast.configs.setting import Flag, Index, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError


def flattened(value: Any, route: tuple[object, ...] = ()) -> dict[tuple[object, ...], Any]:
    if isinstance(value, dict):
        return {path: leaf for key, inner in value.items() for path, leaf in flattened(inner, (*route, key)).items()}
    if isinstance(value, list):
        return {path: leaf for i, inner in enumerate(value) for path, leaf in flattened(inner, (*route, i)).items()}
    return {route: value}


def by_path(settings: tuple[Setting, ...]) -> dict[tuple[object, ...], Setting]:
    """Without what stands within another value, behind the name of an option."""
    found: dict[tuple[object, ...], Setting] = {}
    end = 0
    for setting in settings:
        if setting.start >= end:
            path = tuple(step.position if isinstance(step, Index) else step.name for step in setting.route)
            found[path] = setting
            end = setting.end
    return found


def agrees(setting: Setting, value: Any) -> bool:
    content = setting.content
    if isinstance(content, Opaque):
        return isinstance(value, str | datetime.date | datetime.time)
    assert isinstance(content, Literal)
    if isinstance(value, str):
        return content.is_text and content.text == value
    if isinstance(value, bool):
        return content.text == str(value).lower()
    if isinstance(value, int):
        return content.text == str(value)
    if value != value or value in (float("inf"), float("-inf")):
        return content.text.lstrip("-") in ("nan", "inf")
    return not content.is_text and float(Fraction(content.text)) == value


def check(data: bytes) -> bool:
    """Whether both read it; what both read is the same."""
    try:
        document = tomllib.loads(data.decode().removeprefix("\ufeff"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        with pytest.raises(OutlastError) as caught:
            read(data, "f.toml")
        assert caught.value.place is not None
        return False
    try:
        found = by_path(read(data, "f.toml"))
    except OutlastError as error:
        assert "too rare" in error.message, (error, data)  # noqa: PT017  # what the grammar does not take
        return False
    wanted = flattened(document)
    # Options give their value another last step.
    plain = {path: setting for path, setting in found.items() if not isinstance(setting.route[-1], Flag)}
    assert plain.keys() <= wanted.keys(), data
    assert len(found) == len(wanted), data
    for path, setting in plain.items():
        assert agrees(setting, wanted[path]), (path, setting, data)
    return True


VALUES = ("1", "-17", "1_000", "0x1E", "0o17", "0b11", "+5", "1.5", "1e3", "-2_0.5E-2", "inf", "-nan", "true", "false", '"60s"', "'60s'", '"a\\tb\\u00fc\\"c"', '""',
          "''", '"""a\nb"""', "'''a'b'''", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "[]", "{}", "[1, 2,]", "[[1], ['a']]", "[\n 1, # c\n]",
          "{a = 1, b.c = '5s'}", "[{k = 'x'}, {}]")  # fmt: skip
KEYS = ("a", "b", "a.b", "'x.y'", '"q\\"\\u0041"', "c . d", "1", "z-_9", '""', "name")


def random_file(chance: random.Random) -> bytes:
    lines = []
    for _ in range(chance.randrange(1, 12)):
        match chance.randrange(6):
            case 0:
                lines.append(f"[{chance.choice(KEYS)}]")
            case 1:
                lines.append(f"[[{chance.choice(('t', 't.u', 'v', chance.choice(KEYS)))}]]")
            case 2:
                lines.append("# comment = 1")
            case _:
                lines.append(f"{chance.choice(KEYS)} = {chance.choice(VALUES)}  # c")
    return chance.choice(("\n", "\r\n")).join(lines).encode()


def test_random_files_have_the_values_of_the_standard_library() -> None:
    chance = random.Random(5)
    assert sum(check(random_file(chance)) for _ in range(1500)) > 300


@pytest.mark.parametrize("name", ["traefik.toml", "service.toml"])
def test_samples_and_broken_copies_have_the_values_of_the_standard_library(name: str) -> None:
    data = (DATA / "toml" / name).read_bytes()
    assert check(data)
    chance = random.Random(name)
    assert sum(check(mutated(data, chance)) for _ in range(150)) > 10


def test_a_table_is_part_of_the_route_and_an_element_the_last_so_far() -> None:
    text = b'[[a]]\nname = "n"\n[a.b]\nc.d = 1\n[[a]]\n[[a.e]]\nid = "i"\n[a.e."f.g"]\nh = 2\n'
    assert [identity(s) for s in read(text, "f.toml")] == [
        "a[0=n].name", "a[0=n].b.c.d", "a[1].e[0=i].id", 'a[1].e[0=i]["f.g"].h']  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "text"),
    [("1_000", "1000"), ("0x1E", "30"), ("0b11", "3"), ("+5", "5"), ("-0", "0"), ("1_0.50", "10.5"), ("3.0", "3"), ("1e3", "1e3")],
)  # fmt: skip
def test_a_number_is_the_decimal_that_the_program_sees(raw: str, text: str) -> None:
    (setting,) = read(f"a = {raw}".encode(), "f.toml")
    assert (setting.raw, setting.content) == (raw, Literal(text))


def test_texts_of_several_lines_and_dates_are_not_read() -> None:
    reasons = [s.content for s in read(b"a = 1979-05-27\nb = '''x'''\nc = \"\"\"\n5s\"\"\"\n", "f.toml")]
    assert reasons == [Opaque("a date"), Opaque("a block of text"), Opaque("a block of text")]


def test_values_of_options_are_called_by_them() -> None:
    text = b"command = ['x', '--a', '1', \"--b=2\", '''--c=3''', '-d', 4]"
    found = {identity(s): s.raw for s in read(text, "f.toml") if isinstance(s.route[-1], Flag)}
    assert found == {"command[--a]": "'1'", "command[--b]": "2"}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a = 1\na = 2", (2, 6), "expected TOML, found a mistake: cannot overwrite a value"),
        ("ä = 1", (1, 1), "expected TOML, found a mistake: invalid statement"),
        ('a = "ä" x', (1, 9), "expected TOML, found a mistake: expected newline or end of document after a statement"),
    ],
)
def test_a_mistake_is_told_where_it_is(text: str, place: tuple[int, int], message: str) -> None:
    for begin in (b"", b"\xef\xbb\xbf"):
        with pytest.raises(OutlastError) as caught:
            read(begin + text.encode(), "f.toml")
        assert (caught.value.place, caught.value.message) == (("f.toml", *place), message)


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 100_000, "a = " + "[" * 300 + "]" * 300, "a = " + "{a=" * 100_000, "a." * 100_000 + "b = 1",
     "[" + "a." * 300 + "b]\nc = 1", '"a" . ' * 300 + "b = 1"],
)  # fmt: skip
def test_what_nests_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(OutlastError, match=r"at most 256 levels|too rare"):
        read(text.encode(), "f.toml")


def test_dots_in_values_are_no_levels() -> None:
    assert len(read(f'a = "{"." * 300}"\nb = [{"1.5, " * 300}]'.encode(), "f.toml")) == 301


def test_a_number_of_too_many_digits_is_refused_or_not_read() -> None:
    with pytest.raises(OutlastError, match=r": a whole number of more digits than are read$"):
        read(b"a = " + b"1" * 100_000, "f.toml")
    (setting,) = read(b"a = 0x" + b"f" * 100_000, "f.toml")
    assert isinstance(setting.content, Opaque)


@pytest.mark.parametrize(
    ("raw", "text", "written"),
    [
        ('"60s"', 'a "b"\\', '"a \\"b\\"\\\\"'),
        ("'60s'", "75s", "'75s'"),
        ("'60s'", "it's", None),
        ('"60s"', "a\nb", None),
        ("60", "75", "75"),
        ("0x1E", "75", "75"),
        ("60", "7.5", None),
        ("60", "75s", None),
        ("2.5", "3", "3.0"),
        ("2.5", "1e3", "1e3"),
        ("2.5", "0x3", None),
        ("true", "false", "false"),
        ("true", "1", None),
    ],
)
def test_a_value_keeps_its_type_and_quotes(raw: str, text: str, written: str | None) -> None:
    (setting,) = read(f"a = {raw}".encode(), "f.toml")
    if written is None:
        with pytest.raises(OutlastError):
            encode(setting, text)
    else:
        assert encode(setting, text) == written
        (after,) = read(f"a = {written}".encode(), "f.toml")
        assert isinstance(after.content, Literal)
        assert after.content.text == text
