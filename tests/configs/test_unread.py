"""A key that gets a value which is not read is neither missing nor at its default."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast.configs.bind import Files, bind
from outlast.configs.formats import format_of
from outlast.configs.recognise.recognise import recognise
from outlast.configs.select import route_text
from outlast.configs.setting import HIDDEN, Opaque
from outlast.constraints.catalogue import kind
from outlast.constraints.errors import InputErrors
from outlast.constraints.loading import load_spec
from outlast.constraints.loading.tree import Tree

GO = 'package a\nimport "time"\nfunc f() {\n%s\n}\n'
JAVA = "class A { %s }"
UNREAD = {
    "a.js": """
        server.keepAliveTimeout = f();                     server:keepAliveTimeout a call
        server.keepAliveTimeout = Number(process.env.KA)   server:keepAliveTimeout a call
        x.y = await f()                                    x:y a call
        x.y = ms("65s")                                    x:y a call
        x.y = new Foo()                                    x:y a call
        x.y = a ? 5 : 6                                    x:y an expression
        x.y = f() as number                                x:y an expression
        x.y = x.z = 5                                      x:y an expression
        x.y += 5                                           x:y an update
        x.y = a.y                                          x:y a name
        x.y = tag`5`                                       x:y a call
        f({ y })                                           f:y a name, y
        f({ get y() { return 5 } })                        f:y a getter
        f({ y: () => 5 })                                  f:y a function
        f({ y: g() })                                      f:y a call
        f({ ...y })                                        f:… a spread
        f({ [y]: 5 })                                      f:… a computed key
        f(Object.assign({}, y))                            f:… a call
        Object.assign(x, y)                                x:… a call
        const { y } = x                                    :y a part of something
        class X { y = f() }                                X:y a call
        x.setTimeout(f())                                  x:setTimeout[0] a call
        const K = f(); x.y = K * 1000                      x:y an expression
    """,
    "a.go": """
        x := http.Server{Y: cfg.Idle()}                    f/x/http.Server:Y a call
        x := http.Server{Y: min(a, b)}                     f/x/http.Server:Y a call
        x := http.Server{Y: idle}                          f/x/http.Server:Y a name, idle
        x := http.Server{Y: cfg.Y}                         f/x/http.Server:Y a name
        x := http.Server{Y: *y}                            f/x/http.Server:Y an expression
        x := http.Server{Y: func() {}}                     f/x/http.Server:Y a function
        x := http.Server{a, b}                             f/x/http.Server:… fields without names
        x.Y = y()                                          f/x:Y a call
        err, x.Y = y()                                     f/x:Y an update
        x.Y += y                                           f/x:Y an update
        g(&x.Y, 5)                                         f/x:Y an address
        g(/* y */ y())                                     f:g[0] a call
    """,
    "a.py": """
        x.y = f()                                          x:y a call
        a = x.y = 5                                        x:y the value of another name
        a, x.y = f()                                       x:y a part of something
        x.y += 5                                           x:y an update
        y = os.environ["Y"]                                :y an expression
        y = 5 if x else 6                                  :y an expression
        y = lambda: 5                                      :y a function
        f(y=g())                                           f:y a call
        f(y=y)                                             f:y a name, y
        f(**y)                                             f:… keyword arguments, **…
        x = {**y}                                          x:… a mapping, **…
        x = {y: 5}                                         x:… a computed key
        x = dict(y)                                        x/dict:… a call
        setattr(x, "y", 5)                                 x:y a call
        from x import y                                    :y an import
        from x import *                                    :… an import of everything
    """,
    "A.java": """
        int y = f();                                       A:y a call
        { x.setY(config.get()); }                          A/x:setY[0] a call
        { this.y = a ? 5 : 6; }                            A:y an expression
        { x.y += 5; }                                      A/x:y an expression
        { x.y = () -> 5; }                                 A/x:y a function
        { builder().y(new Foo()).build(); }                A/builder:y[0] a call
        @Timeout(Y) int x;                                 A/x:Timeout a name
    """,
}


def rows() -> list[tuple[str, str, str]]:
    """Each file with what is told of it."""
    made: list[tuple[str, str, str]] = []
    for file, table in UNREAD.items():
        for line in table.strip().splitlines():
            code, _, told = line.strip().partition(" " * 3)
            around = GO if file == "a.go" else JAVA if file == "A.java" else "%s\n"
            made.append((file, around % code, told.strip()))
    return made


def told_of(file: str, text: str) -> list[str]:
    format_ = format_of(file, text.encode())
    assert format_ is not None
    found = format_.unread(text.encode(), file)
    assert all(isinstance(setting.content, Opaque) for setting in found)
    return [
        f"{'/'.join(s[0] for s in x.scope)}:{x.route[-1].name if x.route == (HIDDEN,) else route_text(x.route)} {getattr(x.content, 'reason', '')}"
        for x in found
    ]


@pytest.mark.parametrize(("file", "text", "told"), rows())
def test_a_key_whose_value_is_not_read_is_told(file: str, text: str, told: str) -> None:
    assert told in told_of(file, text)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.js", "x.y = 65 * 1000; const K = 5; x.z = K; f({ y: 5 }, `s`); class A { m() {} }"),
        ("a.go", GO % "x := http.Server{Y: 5 * time.Second}\n x.Y = time.Duration(5)"),
        ("a.py", "y = 5\nx.y = timedelta(seconds=5)\nf(y=5)\ndef m(): pass\n"),
        ("A.java", JAVA % 'Duration y = Duration.ofSeconds(5); Duration z = Duration.parse("PT5S");'),
    ],
)
def test_what_is_read_is_not_told_as_unread(file: str, text: str) -> None:
    assert told_of(file, text) == []


def test_what_is_not_read_is_cut_between_characters() -> None:
    (setting,) = format_of("a.js", b"").unread(f"x.y = f`a{'é' * 200}`".encode(), "a.js")  # type: ignore[union-attr]  # JavaScript
    assert setting.raw == "f`a" + "é" * 38


SPEC = """outlast: 1
components: {{ web: {{ kind: node.http-server }} }}
parameters:
  web.keep_alive_timeout: {{ free: 1s..10min, step: 1s, unit: s, unset: 5s, at: "{at}" }}
"""


def bound(folder: Path, at: str, text: str) -> str:
    """What is wrong with a place; nothing if it counts as missing."""
    (folder / at.partition("#")[0]).write_text(text)
    (folder / "outlast.yaml").write_text(SPEC.format(at=at))
    try:
        _, places = bind(load_spec(folder / "outlast.yaml"), Files(Tree.around(folder / "outlast.yaml", None)))
    except InputErrors as errors:
        return "; ".join(str(error) for error in errors.exceptions)
    assert places[0].setting is None
    return ""


@pytest.mark.parametrize(
    ("at", "text", "wrong"),
    [
        ("a.js#keepAliveTimeout", "server.keepAliveTimeout = f()", "a call, which is not read"),
        ("a.js#server:keepAliveTimeout", "x.keepAliveTimeout = f(); f({ ...x }); g({ [x]: 5 })", ""),
        ("a.js#keepAliveTimeout", "f({ ...x })", "through a spread, line 1, which is not read"),
        ("a.js#server:keepAliveTimeout", "Object.assign(server, x)", "through a call"),
        ("a.js#server.keepAliveTimeout", "Object.assign(server, x)", "through a call"),
        ("a.js#server:keepAliveTimeout", "f({ a: 5 }); keepAliveTimeout(); if (server.keepAliveTimeout) g()", ""),
        ("a.py#:keepalive", "f(**x)", ""),
        ("a.py#:keepalive", "from x import *", "through an import of everything"),
        ("a.tf#tags.idle", 'resource "a" "b" {\n  tags = merge(var.x, { idle = 5 })\n}', "through an expression"),
        ("a.tf#tagged.idle", 'resource "a" "b" {\n  tags = merge(var.x, { idle = 5 })\n}', ""),
        ("a.tf#idle", 'resource "a" "b" {\n  idle = min(5, var.x)\n}', "an expression, which is not read"),
    ],
)
def test_only_a_key_that_nothing_may_set_is_missing(tmp_path: Path, at: str, text: str, wrong: str) -> None:
    found = bound(tmp_path, at, text)
    assert wrong in found if wrong else not found


RECOGNISED = [
    ("a.js", "const server = http.createServer({ requestTimeout: 5000, keepAliveTimeout: f() })"),
    ("a.js", "const server = http.createServer({ requestTimeout: 5000 }); server.keepAliveTimeout = f()"),
    ("a.js", "const server = http.createServer({ requestTimeout: 5000, ...options })"),
    ("a.js", "const server = http.createServer({ requestTimeout: 5000 }); Object.assign(server, options)"),
    ("a.go", GO % "s := &http.Server{ReadTimeout: 5*time.Second, IdleTimeout: cfg.Idle()}"),
    ("a.go", GO % "s := &http.Server{ReadTimeout: 5*time.Second}\ns.IdleTimeout, err = g()"),
    ("a.go", GO % "s := &http.Server{ReadTimeout: 5*time.Second}\nflag.DurationVar(&s.IdleTimeout, 5*time.Second)"),
    ("gunicorn.conf.py", "timeout = 30\nkeepalive = f()\n"),
    ("gunicorn.conf.py", "timeout = 30\nfrom base import *\n"),
    ("A.java", JAVA % "void f(HikariConfig config) { config.setMaxLifetime(60000); config.setIdleTimeout(x.get()); }"),
]


@pytest.mark.parametrize(("file", "text"), RECOGNISED)
def test_a_parameter_that_is_set_to_what_is_not_read_has_no_default(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)
    names = ("node.http-server", "go.http-server", "gunicorn", "hikaricp")
    (instance,) = recognise((tmp_path,), [known for name in names if (known := kind(name))]).instances
    assert len(instance.values) == 1
    assert instance.opaque & {"keep_alive_timeout", "idle_timeout", "keepalive"}


def test_a_value_after_one_that_is_not_read_counts(tmp_path: Path) -> None:
    (tmp_path / "b.js").write_text(
        "const server = http.createServer({ headersTimeout: 1 }); server.keepAliveTimeout = 7000"
    )
    node = kind("node.http-server")
    assert node is not None
    found = recognise((tmp_path / "b.js",), [node]).instances
    assert [sorted(instance.values) for instance in found] == [["headers_timeout", "keep_alive_timeout"]]
