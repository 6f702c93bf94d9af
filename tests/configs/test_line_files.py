"""Properties, .env files, scripts, INI files and units: against the libraries that read them, and what each kind of program makes of a line."""

from __future__ import annotations

import io
import random
import re
import time

import javaproperties
import pytest
from dotenv.parser import parse_stream

from configs.harness import identity
from outlast.configs.readers import env, ini, properties, systemd
from outlast.configs.setting import Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.files import lines_between, place_of_byte

PROPERTIES_TOKENS = ("a", "b.c", "=", ":", " ", "\t", "\f", "\n", "\r\n", "\r", "\\", "\\\n", "\\\r\n", "#", "!", "\\u0041", "\\ud83d\\ude00", "ü", "60", "\\ ", "\\=",
                     "\\n", "\\u00")  # fmt: skip
ENV_TOKENS = (
    "A",
    "B_C",
    "=",
    "=",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\\",
    "\\n",
    "#",
    " #",
    "export ",
    "'",
    '"',
    "ü",
    "60",
    "a b",
    "\\'",
    '\\"',
    "$X",
)


def shown(settings: tuple[Setting, ...]) -> list[tuple[str, str]]:
    """Names with what their values say, or in brackets why that is not read."""
    return [(identity(s), s.content.text if isinstance(s.content, Literal) else f"<{reason(s)}>") for s in settings]


def reason(setting: Setting) -> str:
    assert isinstance(setting.content, Opaque)
    return setting.content.reason


def told(settings: tuple[Setting, ...]) -> list[tuple[str, str | None]]:
    """Keys with what their values say; None where that is not read."""
    return [(s.route[0].name or "", s.content.text if isinstance(s.content, Literal) else None) for s in settings]


def same(found: list[tuple[str, str | None]], wanted: list[tuple[str, str]]) -> bool:
    return len(found) == len(wanted) and all(
        f[0] == w[0] and f[1] in (None, w[1]) for f, w in zip(found, wanted, strict=True)
    )


def soup(chance: random.Random, tokens: tuple[str, ...]) -> str:
    return "".join(chance.choice(tokens) for _ in range(chance.randrange(14)))


def test_random_properties_are_those_of_javaproperties() -> None:
    chance = random.Random(7)
    read = refused = 0
    for _ in range(6000):
        text = soup(chance, PROPERTIES_TOKENS)
        try:
            parsed = [e for e in javaproperties.parse(io.StringIO(text)) if isinstance(e, javaproperties.KeyValue)]
        except javaproperties.InvalidUEscapeError:
            with pytest.raises(OutlastError, match="four hexadecimal digits"):
                properties.read(text.encode(), "f.properties")
            refused += 1
            continue
        # A name with half a character is written out, since nobody can type it.
        wanted = [(e.key.encode(errors="backslashreplace").decode(), e.value) for e in parsed]
        found = told(properties.read(text.encode(), "f.properties"))
        assert same(found, wanted), text
        read += any(value is not None for _, value in found)
    assert read > 2000
    assert refused > 500


def test_random_env_files_are_those_of_python_dotenv() -> None:
    chance = random.Random(8)
    read = refused = 0
    for _ in range(8000):
        text = soup(chance, ENV_TOKENS)
        parsed = list(parse_stream(io.StringIO(text, newline="")))
        # A name in quotes may go over several lines there; nobody writes that.
        if any("'" in line.lstrip(" \t\n\r").removeprefix("export ").lstrip()[:1] for line in text.splitlines()):
            continue
        wanted = [(b.key, b.value) for b in parsed if not b.error and b.key is not None and b.value is not None]
        try:
            found = told(env.read(text.encode(), ".env"))
        except OutlastError:  # a quote that is not closed: there the line is skipped
            assert any(b.error for b in parsed), text
            refused += 1
            continue
        assert same(found, wanted), text
        read += any(value is not None for _, value in found)
    assert read > 500
    assert refused > 50


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("A=60", [("A", "60")]),
        ("A = 60 # s", [("A", "60")]),
        ("A=a#b", [("A", "a#b")]),
        ("export A='60'", [("A", "60")]),
        ("A=${B:-60}", [("A", "<a reference, ${…}>")]),
        ('A="${B}"', [("A", "<a reference, ${…}>")]),
        ("A=$B", [("A", "<a variable, $B>")]),
        ('A="$B s"', [("A", "<a variable, $B>")]),
        ("A='$B'", [("A", "$B")]),
        ("A=5$", [("A", "5$")]),
        ("A=a b c", [("A", "a b c")]),
        (': "${A:=60}"', []),
        ("A", []),
    ],
)
def test_a_line_of_an_env_file(line: str, expected: list[tuple[str, str]]) -> None:
    assert shown(env.read(line.encode(), ".env")) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("A=60 # s", [("A", "60")]),
        ("export A=60 B='5s'; readonly C=\"7\"", [("A", "60"), ("B", "5s"), ("C", "7")]),
        ("A=60 run --fast", []),
        ("A=60 && B=5", []),
        ("A=60 | cat", []),
        ("if true; then A=60; fi", []),
        ("  A=60;;\n", [("A", "60")]),
        ("A=(1 2)\nA+=5\nA[0]=5\nA==5", [("A", "=5")]),
        ("A=$(date)\nB=`date`", [("A", "<a reference, $(…)>"), ("B", "<the output of a command, `…`>")]),
        ("A=$(f \"a b\" 'c)' (d))x", [("A", "<a text in several pieces>")]),
        ('A=\'$B\'\nC="a\\"b"', [("A", "$B"), ("C", 'a"b')]),
        ("A='a'b", [("A", "<a text in several pieces>")]),
        ("A=a\\ b", [("A", "<a text with escapes>")]),
        ('echo "\nA=60\n"\nB=5', [("B", "5")]),
        ("echo it\\'s\nA=60 # it's\nB=5", [("A", "60"), ("B", "5")]),
        ("echo a # it's\nA=60", [("A", "60")]),
        ("cat <<EOF\nA=60\nEOF\nB=5", [("B", "5")]),
        ("cat <<-'X Y' <<B\nA=60\nB\nC=5", [("C", "5")]),
        ("cat <<-EOF\n\tA=60\n\tEOF\nB=5", [("B", "5")]),
        ("cat <<<x\nA=60", [("A", "60")]),
        ("run \\\n A=60\nB=5", [("B", "5")]),
        ("X=$'it\\'s'\nA=60", [("X", "<a text in several pieces>"), ("A", "60")]),
        ("f $'it\\'s'\nA=60", [("A", "60")]),
        (': "${A:=60}"', []),
    ],
)
def test_only_plain_assignments_of_a_script_are_settings(script: str, expected: list[tuple[str, str]]) -> None:
    assert shown(env.read_shell(script.encode(), "f")) == expected
    assert shown(env.read(b"#!/bin/sh\n" + script.encode(), "start")) == expected


def test_a_file_without_a_script_s_first_line_is_an_env_file() -> None:
    assert shown(env.read(b"A=60 run", ".env.local")) == [("A", "60 run")]


@pytest.mark.parametrize(("text", "place"), [('A="60\n\nB=5', (1, 3)), ("B=5\n  A = 'x", (2, 7))])
def test_an_open_quote_of_an_env_file_is_refused_where_it_is(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(OutlastError, match="expected a closing") as caught:
        env.read(text.encode(), ".env")
    assert caught.value.place == (".env", *place)


@pytest.mark.parametrize(
    ("line", "text", "written"),
    [("A=60", "75", "75"), ("A=60", "75 s", '"75 s"'), ("A='60'", "75 s", "'75 s'"), ('A="60"', "it's", '"it\'s"'),
     ("A='60'", "it's", None), ("A=60", "$B", None), ("A=60", "a\nb", None), ("A=60 # s", "", '""'), ("A=", "", "")],
)  # fmt: skip
def test_a_value_of_an_env_file_keeps_its_quotes(line: str, text: str, written: str | None) -> None:
    (setting,) = env.read(line.encode(), ".env")
    if written is None:
        with pytest.raises(OutlastError):
            env.encode(setting, text)
    else:
        assert env.encode(setting, text) == written


def test_properties_in_latin_1_are_read_as_such_and_written_in_ascii() -> None:
    data = "größe = 5\nname=ü\ntimeout=60".encode("latin-1")
    first, second, third = properties.read(data, "f.properties")
    assert (identity(first), second.raw, second.start, second.end) == ("größe", "ü", 15, 16)
    assert (first.locked, third.locked) == (None, None)
    assert second.locked is not None
    assert properties.encode(third, "ü😀\\ ") == "\\u00fc\\ud83d\\ude00\\\\ "


def test_a_broken_escape_of_properties_is_told_where_it_is() -> None:
    with pytest.raises(OutlastError) as caught:
        properties.read(b"a = \\u0041\nb = \\\\u \\u0041 \\u00g0", "f.properties")
    assert caught.value.place == ("f.properties", 2, 16)


INI = """\
top = 1
[s]
a = 60 ; seconds
b: 60 # seconds
c=a;b#c
d = "x ; y" ; z
e = ; nothing
f =;x
g = 'it''s'
h = x = y : z
skip
!include x = y
  ; comment = 1
"""


def test_the_general_dialect_has_comments_behind_blanks_and_drops_quotes() -> None:
    assert shown(ini.read(INI.encode(), "f.ini")) == [
        ("top", "1"), ("s: a", "60"), ("s: b", "60"), ("s: c", "a;b#c"), ("s: d", "x ; y"), ("s: e", ""), ("s: f", ";x"),
        ("s: g", "'it''s'"), ("s: h", "x = y : z")]  # fmt: skip


def test_my_cnf_has_comments_anywhere_and_no_colons() -> None:
    text = INI + '[mysqld]\nwait-timeout=5#x\nq = "a # b" # c\n a:b = 1\np = C:\\\\x\n'
    assert shown(ini.read_mysql(text.encode(), "my.cnf")) == [
        ("top", "1"), ("s: a", "60 ; seconds"), ("s: c", "a;b"), ("s: d", '"x ; y" ; z'), ("s: e", "; nothing"), ("s: f", ";x"),
        ("s: g", "it''s"), ("s: h", "x = y : z"), ("mysqld: wait-timeout", "5"), ("mysqld: q", "a # b"),
        ('mysqld: ["a:b"]', "1"), ("mysqld: p", "<a text with escapes>")]  # fmt: skip


def test_pgbouncer_has_comments_at_the_beginning_of_a_line_alone() -> None:
    text = "[pgbouncer]\na = 60 ; x # y\n# c = 1\nd = 'q'\n%include z = 1\n"
    assert shown(ini.read_pgbouncer(text.encode(), "pgbouncer.ini")) == [
        ("pgbouncer: a", "60 ; x # y"), ("pgbouncer: d", "'q'")]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[s]\na = 1\n  b = 2\nc = 3\n", [("s: a", "<a value of several lines>"), ("s: c", "3")]),
        ("[s]\n  a = 1\n  b = 2\n", [("s: a", "1"), ("s: b", "2")]),
        ("[s]\na =\n  x\n\n  # no\n  y\nb = 1", [("s: a", "<a value of several lines>"), ("s: b", "1")]),
        ("  [s]\n    a = 1\n", [("s: a", "1")]),
        ("a = 1\n  [s]\n", [("a", "<a value of several lines>")]),
    ],
)
def test_a_deeper_line_goes_on_with_the_value_in_the_general_dialect(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert shown(ini.read(text.encode(), "f.ini")) == expected
    assert "several" not in str(shown(ini.read_mysql(text.encode(), "my.cnf")))


def test_a_second_section_of_a_name_has_a_number_and_a_name_behind_a_colon_is_another() -> None:
    settings = ini.read(b"[program:web]\na=1\n[program:web]\na=2\n[x] ; [y]\na=3", "supervisord.ini")
    assert [s.scope for s in settings] == [
        (("program:web", "web"),),
        (("program:web#1", "program:web", "web"),),
        (("x",),),
    ]


@pytest.mark.parametrize("read", [ini.read, ini.read_mysql, ini.read_pgbouncer, systemd.read])
def test_a_section_that_is_not_closed_is_refused_where_it_ends(read: object) -> None:
    assert callable(read)
    with pytest.raises(OutlastError) as caught:
        read(b"[a]\n [\xc3\xa4b\r\nc = 1", "f")
    assert caught.value.place == ("f", 2, 5)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a = 60", [("a", "60")]),
        ("a 60 # s", [("a", "60")]),
        ("a=60s#s", [("a", "60s")]),
        ("a='6''0 # x' # s", [("a", "6'0 # x")]),
        ("a'60'", [("a", "60")]),
        ("a.b = .5", [('["a.b"]', ".5")]),
        ("a = {{ x }}", [("a", "<a template, {{ … }}>")]),
        ("a = '\\''", [("a", "<a text with escapes>")]),
    ],
)
def test_a_line_of_postgresql_conf(line: str, expected: list[tuple[str, str]]) -> None:
    assert shown(ini.read_postgres(line.encode(), "postgresql.conf")) == expected


@pytest.mark.parametrize(
    ("line", "col"),
    [("a = 5 s", 5), ("a =", 4), ("a", 1), ("[s]", 1), ("a = 0.5s", 5), ("a = 'x", 5), ("a = 60 ; s", 5)],
)
def test_a_line_that_postgres_does_not_take_is_refused(line: str, col: int) -> None:
    with pytest.raises(OutlastError) as caught:
        ini.read_postgres(f"b = 1\n{line}\n".encode(), "postgresql.conf")
    assert caught.value.place == ("postgresql.conf", 2, col)


@pytest.mark.parametrize(
    ("raw", "text", "written"),
    [("60", "75s", "75s"), ("60", "75 s", None), ("60", "a#b", None), ("60", "", None), ("'60'", "75 s", "'75 s'"), ("'60'", "it's", None)],
)  # fmt: skip
def test_a_bare_value_of_an_ini_file_stays_one_that_every_program_takes(
    raw: str, text: str, written: str | None
) -> None:
    (setting,) = ini.read(f"a = {raw}".encode(), "f.ini")
    if written is None:
        with pytest.raises(OutlastError):
            ini.encode(setting, text)
    else:
        assert ini.encode(setting, text) == written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TimeoutSec=5 # no comment", [("TimeoutSec", "5 # no comment")]),
        ("A=1\nA=\nA=2", [("A", "1"), ("A", ""), ("A", "2")]),
        ("A=1 \\\n# c\n  2\nB=3", [("A", "<a value of several lines>"), ("B", "3")]),
        ("A=1\\\\\nB=3", [("A", "1\\\\"), ("B", "3")]),
        ("A=%i", [("A", "<a specifier, %i>")]),
        ("A=20%", [("A", "20%")]),
        ('Environment=A=60 "B=6 0" C="7" \'D=8\'', [("Environment.A", "60"), ("Environment.B", "6 0"), ("Environment.C", "7"), ("Environment.D", "8")]),
        ("Environment=A=60 \\\n  # c\n B=5", [("Environment.A", "60"), ("Environment.B", "5")]),
        ("Environment=A=x\\x20y B=5", [("Environment.A", "<a text with escapes, or in several pieces>"), ("Environment.B", "5")]),
        ("Environment=", [("Environment", "")]),
        ("ExecStart=/x --a 1 \\\n#--c 3\n --b=2", [("ExecStart", "<a command line>"), ("ExecStart[--a]", "1"), ("ExecStart[--b]", "2")]),
        ("ExecStart=/x --a %n --b $C", [("ExecStart", "<a command line>"), ("ExecStart[--a]", "<a specifier, %n>"), ("ExecStart[--b]", "<a variable, $C>")]),
    ],
)  # fmt: skip
def test_lines_of_a_unit(text: str, expected: list[tuple[str, str]]) -> None:
    settings = systemd.read(f"[Service]\n{text}".encode(), "x.service")
    assert [(name.removeprefix("Service: "), said) for name, said in shown(settings)] == expected


@pytest.mark.parametrize(
    ("line", "text", "written"),
    [("A=60", "1min 30s", "1min 30s"), ("A=60", "a\\", None), ("A=60", "%i", None), ("A=60", " x", None),
     ("Environment=A=60", "7 s", None), ("Environment='A=60'", "7 s", None), ('Environment=A="60"', "7 s", '"7 s"')],
)  # fmt: skip
def test_a_value_of_a_unit_stays_one_word_where_it_was_one(line: str, text: str, written: str | None) -> None:
    (setting,) = systemd.read(f"[Service]\n{line}".encode(), "x.service")
    if written is None:
        with pytest.raises(OutlastError):
            systemd.encode(setting, text)
    else:
        assert systemd.encode(setting, text) == written


def test_an_empty_value_of_a_unit_stands_where_one_would_be_written() -> None:
    assert [(s.start, s.end) for s in systemd.read(b"A = \r\nB=", "x.service")] == [(4, 4), (8, 8)]


@pytest.mark.parametrize("text", ["-", "--x", "-a"])
def test_the_value_of_an_option_does_not_become_an_option(text: str) -> None:
    flag = systemd.read(b"[Service]\nExecStart=/x --a 1", "x.service")[1]
    with pytest.raises(OutlastError, match="looks like an option"):
        systemd.encode(flag, text)


READERS = (properties.read, env.read, env.read_shell, ini.read, ini.read_mysql, ini.read_pgbouncer, ini.read_postgres, systemd.read)  # fmt: skip


@pytest.mark.parametrize("read", READERS)
def test_utf_16_is_refused_with_a_place(read: object) -> None:
    assert callable(read)
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        with pytest.raises(OutlastError) as caught:
            read("a = 60\n".encode(encoding), "f")
        assert caught.value.place is not None


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "text",
    ["A='", 'A="', "A=$(", "A=`", "A=((", "x '\n", 'x "\\"\n', "cat <<A\n", "\\\n", " \\\n", "a\\", "a=\\\n", "[", "\n ", " #", "A=\\'", "Environment=\"A='", "ExecStart='\n"],
)  # fmt: skip
def test_nothing_takes_long(read: object, text: str) -> None:
    assert callable(read)
    times = 12_000 // len(text)
    pieces = dict.fromkeys((text * times, text.strip() * times, text + "A=1\n" * 2_000))
    began = time.process_time()
    for begin in ("", "A=1\n", "[Service]\n"):
        for piece in pieces:
            try:
                read((begin + piece).encode(), "f")
            except OutlastError:
                continue
    assert time.process_time() - began < 2


def test_a_line_ends_with_a_line_feed_a_carriage_return_or_both() -> None:
    chance = random.Random(1)
    for _ in range(300):
        text = "".join(chance.choices(("a", "ü", "\r", "\n", "\r\n"), k=8))
        data = text.encode()
        for offset in range(len(data) + 1):
            before = data[:offset]
            if data[offset - 1 : offset + 1] == b"\r\n":
                before = before[:-1] + b"."
            lines = re.split(rb"\r\n|\r|\n", before)
            column = len(lines[-1].decode(errors="replace")) + 1
            assert place_of_byte(data, offset, "f") == Place("f", len(lines), column), (data, offset)
            middle = chance.randrange(offset + 1)
            if data[middle - 1 : middle + 1] != b"\r\n":
                count, begin = lines_between(data, middle, offset)
                assert count == len(lines) - len(re.split(rb"\r\n|\r|\n", data[:middle])), (data, middle, offset)
                assert begin == (offset - len(lines[-1]) if count else middle)


def test_lines_of_an_old_macintosh_are_counted_as_they_are_read() -> None:
    first, second = ini.read(b"[a]\rb = 1\rc = 2\r", "f")
    assert [place_of_byte(b"[a]\rb = 1\rc = 2\r", s.start, "f").line for s in (first, second)] == [2, 3]


def test_what_a_database_of_pgbouncer_is_given_is_read_inside_its_value() -> None:
    text = "[databases]\nshop = host=ü port = 5432 connect_timeout=5 x='a ''b' q='c d\n[pgbouncer]\na = b=c\n"
    found = ini.read_pgbouncer(text.encode(), "f")
    assert [identity(s) for s in found[1:-1]] == [
        f"databases: shop[{k}]" for k in ("host", "port", "connect_timeout", "x")
    ]
    assert [s.raw for s in found[1:-1]] == ["ü", "5432", "5", "'a ''b'"]
    assert [s.content for s in found[3:5]] == [Literal("5"), Literal("a 'b", "'")]
    assert all(text.encode()[s.start : s.end].decode() == s.raw for s in found)
    assert ini.encode(found[3], "7") == "7"
    for setting, new in ((found[3], "7 s"), (found[3], "'7'"), (found[4], "it's")):
        with pytest.raises(OutlastError):
            ini.encode(setting, new)


@pytest.mark.parametrize("line", [b"a=\t# c", b"a = # c", b"a:  ; c"])
def test_an_empty_value_before_a_comment_is_written_apart_from_it(line: bytes) -> None:
    (empty,) = ini.read(line, "f")
    written = line[: empty.start] + b"7s" + line[empty.end :]
    (found,) = ini.read(written, "f")
    assert (found.raw, found.start) == ("7s", empty.start)
