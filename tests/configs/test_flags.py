"""Command lines: words as the shell would give them to a program, options with their values, and where these stand."""

from __future__ import annotations

import random
import shlex

import pytest

from outlast.configs.readers.flags import Word, content_of, encode_word, options, split_commands, split_words
from outlast.configs.setting import Literal, Opaque
from outlast.constraints.errors import OutlastError


def words(line: str) -> list[str]:
    data = line.encode()
    return [word.text for word in split_words(data, 0, len(data))]


def values(line: str) -> list[tuple[str, str]]:
    """Each option with the bytes that its value stands in."""
    data = line.encode()
    return [(name, data[w.start : w.end].decode()) for name, w in options(split_words(data, 0, len(data)))]


@pytest.mark.parametrize("seed", range(40))
def test_words_are_those_that_shlex_gives(seed: int) -> None:
    chance = random.Random(seed)
    parts = [
        "a",
        "--b=3",
        " ",
        "  ",
        "\t",
        "'x y'",
        '"x  y"',
        '"a\\"b"',
        "\\ ",
        "\\\\",
        "'\\'",
        "ü",
        "-5",
        "=",
        '""',
        "''",
        "\\'",
        '"it\'s"',
    ]
    for _ in range(50):
        line = "".join(chance.choice(parts) for _ in range(chance.randrange(1, 12)))
        assert words(line) == shlex.split(line), line


@pytest.mark.parametrize("end", ["|", ";", "&", "&&", "||", "\n", ")", "(", " # "])
def test_a_command_ends_at_an_operator(end: str) -> None:
    assert words(f"serve --t 5{end}--t 6") == ["serve", "--t", "5"]


@pytest.mark.parametrize("line", ["'|;&#()'", '"|;&#()"', "\\|\\;\\&\\#\\(\\)"])
def test_a_quoted_operator_is_a_character(line: str) -> None:
    assert words(f"serve {line} end") == ["serve", "|;&#()", "end"]


def test_a_sharp_inside_a_word_begins_no_comment() -> None:
    assert words("get http://x/#top a") == ["get", "http://x/#top", "a"]


def test_lines_are_joined_by_a_backslash() -> None:
    assert words("serve \\\n  --time\\\nout 5\\\r\n --b") == ["serve", "--timeout", "5", "--b"]


@pytest.mark.parametrize("text", ["$(date +%s)", "${A:-b c}", "`date -u`", "{{ .Values.t }}"])
def test_what_is_put_in_by_others_stays_one_word_and_is_opaque(text: str) -> None:
    data = f"serve --t {text} --u 5".encode()
    found = options(split_words(data, 0, len(data)))
    assert [(name, word.text) for name, word in found] == [("--t", text), ("--u", "5")]
    assert isinstance(content_of(found[0][1]), Opaque)
    assert content_of(found[1][1]) == Literal("5")


def test_a_redirection_is_no_argument() -> None:
    assert words("serve --t 5 > log 2>&1 </dev/null >>a --u 6") == ["serve", "--t", "5", "--u", "6"]


def test_commands_are_told_apart() -> None:
    data = b"a --t 1 && (b --t 2 || c --t 3) | d --t 4 & e"
    assert [[w.text for w in c] for c in split_commands(data, 0, len(data))] == [
        [name, "--t", n] for name, n in zip("abcd", "1234", strict=True)
    ] + [["e"]]


def test_nothing_is_read_beyond_the_bounds() -> None:
    data = b"a --t 55 # b --u 6"
    assert [w.text for w in split_words(data, 2, 7)] == ["--t", "5"]
    assert [w.text for w in split_words(data, 0, 9)] == ["a", "--t", "55"]


def test_without_a_shell_operators_are_characters() -> None:
    data = b"serve a|b --t '5 s' # c"
    assert [w.text for w in split_words(data, 0, len(data), is_shell=False)] == ["serve", "a|b", "--t", "5 s", "#", "c"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("serve --t=5s", [("--t", "5s")]),
        ("serve --t 5s", [("--t", "5s")]),
        ("serve -t 30", [("-t", "30")]),
        ("serve -timeout=5s -idle 2m", [("-timeout", "5s"), ("-idle", "2m")]),
        ("serve --t='5s' --u=\"6\" --v '7' \"--w=8\"", [("--t", "5s"), ("--u", "6"), ("--v", "7"), ("--w", "8")]),
        ("serve --t=a=b", [("--t", "a=b")]),
        ("serve --t=", [("--t", "")]),
        ("serve --t --u 5", [("--u", "5")]),
        ("serve --t -1 --u -1.5s", [("--t", "-1"), ("--u", "-1.5s")]),
        ("serve --t -- --u=5", []),
        ("serve -- --u=5", []),
        ("serve 5 --t", []),
        ("serve --t - 5", []),
        ("serve --größe=5 --t é --u 6", [("--größe", "5"), ("--t", "é"), ("--u", "6")]),
        ("serve --t=a\\ b", [("--t", "a\\ b")]),
    ],
)
def test_an_option_has_the_value_behind_it(line: str, expected: list[tuple[str, str]]) -> None:
    assert values(line) == expected


def test_a_value_whose_place_is_not_known_is_left_out() -> None:
    assert options([Word("--t=5s", 0, 20)]) == []
    assert options([Word("--t=5s", 0, 6)]) == [("--t", Word("5s", 4, 6))]


@pytest.mark.parametrize("text", ["5s", "-1", "-1.5s", "a/b:c,d=e", "ü"])
def test_a_plain_text_is_written_as_it_is(text: str) -> None:
    assert encode_word(text) == text
    assert values(f"serve --t {text} --u 1") == [("--t", text), ("--u", "1")]


@pytest.mark.parametrize(
    "text", ["", "a b", "a;b", "$A", "'", "-", "--x", "a|b", "a#b", "\\", "a\nb", "{{", "`a`", "-a1"]
)
def test_a_text_that_the_shell_would_read_otherwise_is_refused(text: str) -> None:
    with pytest.raises(OutlastError):
        encode_word(text)
