"""Configurations of servers: nginx against crossplane, and what the samples do not show of HAProxy, Apache and Dockerfiles."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crossplane  # type: ignore[import-untyped]  # it has no types
import pytest

from configs.harness import DATA, identity
from outlast.configs.formats import FORMATS, Format
from outlast.configs.select import Selectors, select
from outlast.configs.setting import Key, Literal, Opaque, Setting, Step
from outlast.constraints.errors import OutlastError

NGINX, HAPROXY, APACHE, DOCKER = (FORMATS[name] for name in ("nginx", "haproxy", "apache", "dockerfile"))

#: crossplane does not know long comments of Lua (nor that a brace may stand inside a word).
_LUA = re.compile(rb"content_by_lua_block \{.*?\n {12}\}\n", re.S)


def plain(setting: Setting) -> str:
    assert isinstance(setting.content, Literal)
    return setting.content.text


def of_crossplane(path: Path) -> Iterator[tuple[str, str]]:
    """Directive and argument, for those that open no block."""
    parsed = crossplane.parse(str(path), single=True, check_ctx=False, check_args=False)
    assert parsed["status"] == "ok", parsed["errors"]

    def walk(block: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
        for directive in block:
            if "block" in directive:
                yield from walk(directive["block"])
            else:
                for argument in directive["args"]:
                    yield directive["directive"], argument

    return walk(parsed["config"][0]["parsed"])


def of_ours(data: bytes) -> Iterator[tuple[str, str]]:
    """The same; crossplane keeps all backslashes but those before quotes that enclose the word."""
    for setting in NGINX.read(data, "x"):
        raw = setting.raw
        if len(raw) > 1 and raw[:1] in ("'", '"'):
            raw = raw[1:-1].replace("\\" + raw[0], raw[0])
        name, last = key(setting.route[0]), setting.route[-1]
        yield name, f"{last.name}={raw}" if len(setting.route) > 1 and isinstance(last, Key) else raw


def key(step: Step) -> str:
    assert isinstance(step, Key)
    return step.name


def check_alike(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert list(of_ours(data)) == list(of_crossplane(path))


@pytest.mark.parametrize("name", ["nginx.conf", "shop.conf", "default"])
def test_nginx_samples_hold_the_arguments_that_crossplane_finds(name: str, tmp_path: Path) -> None:
    data = (DATA / "nginx" / name).read_bytes().removeprefix(b"\xef\xbb\xbf")
    check_alike(tmp_path / "nginx.conf", _LUA.sub(b"content_by_lua_file x.lua;", data))


@pytest.mark.parametrize("seed", range(20))
def test_nginx_files_made_at_random_hold_the_arguments_that_crossplane_finds(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    words = [
        "a",
        "60s",
        "x=1",
        "'q q'",
        '"q;{}"',
        '"a\\"b"',
        "a\\;b",
        "a'b",
        'a"b',
        "$x",
        "${x}y",
        "ü",
        "a#b",
        "1m 30s",
        '""',
        "\\d+",
        "^~",
    ]
    gaps = [" ", "\t", "\n", "\r\n  ", " # c;{}'\n "]

    def directive(depth: int) -> str:
        name = chance.choice(["server", "listen", "keepalive_timeout", "set", "x_y"])
        gap = chance.choice(gaps)
        arguments = "".join(gap + chance.choice(words) for _ in range(chance.randrange(4)))
        if depth < 4 and chance.random() < 0.3:
            inner = "".join(directive(depth + 1) for _ in range(chance.randrange(4)))
            return f"{name}{arguments} {{{inner}}}{chance.choice(gaps)}"
        return f"{name}{arguments}{chance.choice(('', ' '))};{chance.choice(gaps)}"

    check_alike(tmp_path / "nginx.conf", "".join(directive(0) for _ in range(15)).encode())


@pytest.mark.parametrize(
    ("text", "message", "col"),
    [
        ("a b", "expected ';', found the end", 4),
        ("a {", "expected '}', found the end", 4),
        ("a; }", "expected a directive, found '}'", 4),
        ("; a", "expected a directive, found ';'", 1),
        ("a b } c", "expected ';' or '{', found '}'", 5),
        ("a 'b", "expected ' to be closed, found the end", 3),
        ("a 'ü'b;", "expected a blank, ';' or '{' behind a quoted word, found 'b;'", 6),
        ("a_by_lua_block { ']]' [[ } ]=]", "expected '}' behind a block of Lua, found the end", 17),
    ],
)
def test_nginx_says_where_it_cannot_go_on(text: str, message: str, col: int) -> None:
    with pytest.raises(OutlastError) as error:
        NGINX.read(text.encode(), "x.conf")
    assert error.value.message == message
    assert error.value.place == ("x.conf", 1, col)


def test_nginx_blocks_nested_without_end_are_refused() -> None:
    with pytest.raises(OutlastError, match="at most 100 blocks"):
        NGINX.read(b"a{" * 101 + b"b c;" + b"}" * 101, "x")
    assert len(NGINX.read(b"a{" * 100 + b"b c;" + b"}" * 100, "x")) == 1


def test_nginx_braces_in_texts_and_comments_of_lua_close_nothing() -> None:
    lua = b"a_by_lua_block { s = '}' .. \"}\" -- }\n --[=[ } ]] ]=] x = [[ } ]] if {} then } } b 5s;"
    with pytest.raises(OutlastError):
        NGINX.read(lua, "x")
    found = NGINX.read(lua.replace(b"then } }", b"then }"), "x")
    assert [(identity(s), s.raw) for s in found] == [("b", "5s")]


@pytest.mark.parametrize(
    ("format_", "sample"),
    [(NGINX, "nginx/nginx.conf"), (HAPROXY, "haproxy/haproxy.cfg"), (APACHE, "apache/httpd.conf")],
    ids=lambda value: getattr(value, "name", None),
)
def test_each_parameter_has_a_selector_of_its_own(format_: Format, sample: str) -> None:
    settings = format_.read((DATA / sample).read_bytes(), sample)
    parameters = [s for s in settings if len(s.route) > 1 and isinstance(s.route[-1], Key)]
    known = Selectors(settings)
    assert len(parameters) > 10
    assert [s for s in parameters if select(settings, known.of(s)) != (s,)] == []


@pytest.mark.parametrize(
    ("format_", "sample", "selector", "raw"),
    [
        (NGINX, "nginx/nginx.conf", "http:keepalive_timeout", "75s"),
        (NGINX, "nginx/nginx.conf", "http/server#2:keepalive_timeout", "0"),
        (NGINX, "nginx/nginx.conf", "http.upstream api.keepalive_timeout", "60s"),
        (NGINX, "nginx/nginx.conf", "upstream api:server[10.0.1.11:8080].fail_timeout", "15s"),
        (NGINX, "nginx/nginx.conf", "server example.com/location /:proxy_read_timeout", "60s"),
        (NGINX, "nginx/nginx.conf", "map $request_uri $read_timeout:~^/export", "1h30m"),
        (NGINX, "nginx/nginx.conf", "set[$timeout]", "30s"),
        (NGINX, "nginx/nginx.conf", "worker_shutdown_timeout", "30s"),
        (HAPROXY, "haproxy/haproxy.cfg", "backend app:timeout server", "45s"),
        (HAPROXY, "haproxy/haproxy.cfg", "app:server[web2].inter", "2000"),
        (HAPROXY, "haproxy/haproxy.cfg", "reports:default-server.inter", "10s"),
        (HAPROXY, "haproxy/haproxy.cfg", "hard-stop-after", "5m"),
        (HAPROXY, "haproxy/haproxy.cfg", "resolvers dns:hold valid", "10s"),
        (APACHE, "apache/httpd.conf", ":Timeout", "60"),
        (APACHE, "apache/httpd.conf", "VirtualHost *:443#1:Timeout", '"30"'),
        (APACHE, "apache/httpd.conf", "VirtualHost www.example.com:KeepAliveTimeout", "15"),
        (APACHE, "apache/httpd.conf", "ProxyPass[/app].timeout", "60"),
        (APACHE, "apache/httpd.conf", "Define[APP_TIMEOUT]", "60"),
        (APACHE, "apache/httpd.conf", "RequestReadTimeout.header", "20"),
        (APACHE, "apache/httpd.conf", "RequestReadTimeout.body.MinRate", "500"),
        (DOCKER, "dockerfile/Dockerfile", "HEALTHCHECK[--interval]", "30s"),
        (DOCKER, "dockerfile/Dockerfile", "builder:ENV.PIP_DEFAULT_TIMEOUT", "100"),
        (DOCKER, "dockerfile/Dockerfile", "stage 1:CMD[--timeout]", "90"),
        (DOCKER, "dockerfile/Dockerfile", "debug:ENTRYPOINT[--timeout-keep-alive]", "75"),
    ],
)  # fmt: skip
def test_a_selector_as_one_would_type_it_means_one_value(format_: Format, sample: str, selector: str, raw: str) -> None:
    settings = format_.read((DATA / sample).read_bytes(), sample)
    assert [s.raw for s in select(settings, selector)] == [raw]


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        (r"a b\ c d\#e f#g", ["b c", "d#e", "f"]),
        (r"""a "b \"c\" # d" 'e \f "g' h""", ['b "c" # d', r'e \f "g', "h"]),
        (r"a \x41b \q \\ x\nz", ["Ab", r"\q", "\\", "x\nz"]),
        ("a b'c d'\"e f\"g", ["bc de fg"]),
        (r'a "\$x" $y "$"', ["$x", "$y", "$"]),
    ],
)
def test_haproxy_words_are_unquoted_as_haproxy_does(line: str, texts: list[str]) -> None:
    assert [plain(s) for s in HAPROXY.read(line.encode(), "x")] == texts


def test_haproxy_puts_in_variables_only_in_double_quotes() -> None:
    found = HAPROXY.read(b"""a "$X" "b ${Y}" '$X' $X "a$ $Z" '${X}' """, "x")
    reasons = [s.content.reason if isinstance(s.content, Opaque) else None for s in found]
    assert reasons == ["a variable, $X", "a variable, ${Y}", None, None, "a variable, $Z", None]


def test_haproxy_references_without_quotes_are_left_to_what_fills_them_in() -> None:
    found = HAPROXY.read(rb"timeout http-request ${T} a${B:-5s}c ^x$ $ \${E}", "x")
    reasons = [s.content.reason if isinstance(s.content, Opaque) else None for s in found]
    assert reasons == ["a reference, ${T}", "a reference, ${B:-5s}", None, None, None]


def test_nginx_times_in_whole_seconds_are_told_by_their_directive() -> None:
    text = """
        server 10.0.0.1 fail_timeout=1M slow_start=30s; keepalive_timeout 65s 60s; keepalive_timeout 75;
        proxy_cache_valid 200 302 10m; proxy_cache_valid 1y; expires modified 24h; expires 30d; expires max; expires $t;
        proxy_cache_path /c keys_zone=a:8m inactive=1d loader_sleep=50ms; resolver 10.0.0.2 valid=30 ipv6=off;
        open_file_cache max=9 inactive=20s; open_file_cache_valid 30; ssl_session_timeout 1d; fastcgi_cache_valid any 1m;
        proxy_read_timeout 60s; access_log /l flush=5m; sticky cookie c expires=1h timeout=2h; set $valid 3s; inactive 5;
    """
    found = NGINX.read(text.encode(), "x")
    assert [s.raw for s in found if s.dialect == "nginx-seconds"] == [
        "1M", "60s", "10m", "1y", "24h", "30d", "1d", "30", "20s", "30", "1d", "1m", "1h",
    ]  # fmt: skip
    assert {s.dialect for s in found} == {None, "nginx-seconds"}


def test_haproxy_refuses_a_quote_that_goes_over_the_line() -> None:
    with pytest.raises(OutlastError) as error:
        HAPROXY.read(b"global\n  log 'a\n  b' c\n", "x.cfg")
    assert error.value.place == ("x.cfg", 2, 7)


def test_apache_comments_go_on_over_joined_lines_and_not_behind_directives() -> None:
    found = APACHE.read(b"# a \\\nTimeout 1\nKeepAliveTimeout 5 # five\n", "x")
    assert [(identity(s), s.raw) for s in found] == [
        ("KeepAliveTimeout", "5"), ("KeepAliveTimeout[1]", "#"), ("KeepAliveTimeout[2]", "five"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("Timeout 1\n<A b>\nTimeout 1\n", "expected </A>, found the end", 2),
        ("<A b>\n<B>\n</A>\n", "expected </B>, found '</A>'", 3),
        ("Timeout 1\n</A>\n", "expected a directive, found '</A>'", 2),
        ("\n<A b\n</A>", "expected '>' at the end of the line, found '<A b'", 2),
    ],
)
def test_apache_sections_are_closed_in_turn(text: str, message: str, line: int) -> None:
    with pytest.raises(OutlastError) as error:
        APACHE.read(text.encode(), "x")
    assert error.value.message == message
    assert error.value.place is not None
    assert error.value.place.line == line


def test_apache_lines_are_joined_inside_words_and_between_them() -> None:
    found = APACHE.read(b"Time\\\nout 1\\\r\n2\\\n \\\n 3\\\n", "x")
    assert [(identity(s), s.raw, plain(s)) for s in found] == [
        ("Timeout", "1\\\r\n2", "12"), ("Timeout[1]", "3", "3"),
    ]  # fmt: skip


def test_a_dockerfile_puts_no_variables_into_single_quotes() -> None:
    found = DOCKER.read(b"""FROM a\nENV A='$X' B="$X" C=\\$X D=$X\n""", "x")[1:]
    assert [isinstance(s.content, Opaque) for s in found] == [False, True, False, True]


def test_a_stage_without_an_image_has_no_name() -> None:
    found = DOCKER.read(b"FROM --platform=x AS web\nUSER a\nFROM --platform=x b AS web\nUSER a\n", "x")
    assert [s.scope for s in found if s.raw == "a"] == [(("stage 0",),), (("web", "stage 1"),)]


def test_only_acquire_is_in_milliseconds_for_apache_and_only_for_workers() -> None:
    found = APACHE.read(b"ProxyPass /a http://b acquire=3 timeout=4\nHeader x y acquire=3\n", "x")
    assert [s.raw for s in found if s.dialect == "millis"] == ["3"]
    assert found[2].dialect == "millis"


def test_a_dockerfile_with_an_unknown_instruction_is_refused() -> None:
    with pytest.raises(OutlastError) as error:
        DOCKER.read(b"FROM a\n\n  RUNN x\n", "Dockerfile")
    assert error.value.message == "expected an instruction, found 'RUNN'"
    assert error.value.place == ("Dockerfile", 3, 3)


def test_a_here_document_in_a_dockerfile_is_passed_over_only_if_it_is_closed() -> None:
    found = DOCKER.read(b"FROM a\nRUN <<A <<-B\nENV X=1\nA\nENV X=2\n\tB\nENV X=3\nRUN <<C\nENV X=4\n", "x")
    assert [s.raw for s in found if identity(s).endswith("ENV.X")] == ["3", "4"]


def test_the_escape_directive_of_a_dockerfile_must_come_first() -> None:
    late = b"# a comment\n# escape=`\nFROM a\nENV A=1 `\n B=2\n"
    with pytest.raises(OutlastError, match="found 'B=2'"):
        DOCKER.read(late, "x")
    found = DOCKER.read(late.removeprefix(b"# a comment\n"), "x")
    assert [s.raw for s in found] == ["a", "1", "2"]


def test_apache_s_stages_of_reading_hold_numbers_of_their_own() -> None:
    data = b"RequestReadTimeout header=20-40,MinRate=500 body=20,minrate=500\nrequestreadtimeout handshake=5 body=5x\n"
    found = APACHE.read(data, "httpd.conf")
    assert [(identity(s), s.raw, s.dialect) for s in found] == [
        ("RequestReadTimeout.header", "20", "seconds"),
        ("RequestReadTimeout.header.max", "40", "seconds"),
        ("RequestReadTimeout.header.MinRate", "500", None),
        ("RequestReadTimeout.body", "20", "seconds"),
        ("RequestReadTimeout.body.MinRate", "500", None),
        ("requestreadtimeout[1].handshake", "5", "seconds"),
        ("requestreadtimeout[1].body", "5x", None),
    ]
    assert [data[s.start : s.end].decode() for s in found] == [s.raw for s in found]
    assert APACHE.encode(found[0], "30") == "30"
    for text in ("30s", "30-40", "-1", "1.5", "30,MinRate=5", ""):
        with pytest.raises(OutlastError, match="expected a whole number"):
            APACHE.encode(found[0], text)


@pytest.mark.parametrize("line", [b'A "b \\', b"A 'b \\", b'A "b \\"'])
def test_apache_takes_an_open_quote_with_all_that_follows(line: bytes) -> None:
    (found,) = APACHE.read(line, "httpd.conf")
    assert found.raw == line[2:].decode()
    assert found.content == Opaque("a text in quotes that are not closed")
