"""Selectors: which settings a text means, and the text that a setting is found by."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from outlast.configs.select import Lookup, Selectors, near, route_text, select
from outlast.configs.setting import Flag, Index, Key, Literal, Segment, Setting, Step


def _setting(number: int, scope: tuple[Segment, ...], *route: Step) -> Setting:
    return Setting(route=route, scope=scope, start=number * 10, end=number * 10 + 1, raw="x", content=Literal("x"))


def _file(*entries: tuple[tuple[Segment, ...], tuple[Step, ...]]) -> list[Setting]:
    return [_setting(number, scope, *route) for number, (scope, route) in enumerate(entries)]


HTTP, SERVER, OTHER = ("http",), ("server example.com", "server"), ("server#1", "server")
LOCATION = ("location /api/v1", "location")
NGINX = _file(
    ((HTTP,), (Key("keepalive_timeout"),)),
    ((HTTP, SERVER), (Key("keepalive_timeout"),)),
    ((HTTP, OTHER), (Key("keepalive_timeout"),)),
    ((HTTP, SERVER, LOCATION), (Key("proxy_read_timeout"),)),
    ((), (Key("keepalive_timeout"),)),
)
YAML = _file(
    (
        (("Deployment/web", "Deployment", "web"),),
        (Key("spec"), Key("containers"), Index(0, "web"), Key("args"), Flag("--idle")),
    ),
    ((("Deployment/web", "Deployment", "web"),), (Key("spec"), Key("env"), Index(0, "TIMEOUT"), Key("value"))),
    ((("Deployment/web", "Deployment", "web"),), (Key("spec"), Key("env"), Index(0, "TIMEOUT"), Key("name"))),
    ((("Deployment/web", "Deployment", "web"),), (Key("metadata"), Key("annotations"), Key("a.b/c"))),
    ((("Service/web", "Service", "web"),), (Key("spec"), Key("env"), Index(0, "TIMEOUT"), Key("value"))),
    ((), (Key("a"), Key("b"))),
    ((), (Key("a.b"),)),
    ((), (Key("list"), Index(0), Index(1))),
)
GO = _file(
    ((("Client.create", "create"), ("http2.Transport", "Transport")), (Key("PingTimeout"),)),
    ((("other",), ("http2.Transport", "Transport")), (Key("PingTimeout"),)),
)
JS = _file(
    ((("listen",),), (Key("setTimeout"), Index(1))),
    ((("listen#1", "listen"),), (Key("setTimeout"), Index(1))),
)
EQUAL = _file(
    ((("Service",),), (Key("ExecStart"),)),
    ((("Service",),), (Key("ExecStart"),)),
    ((), (Key("a"),)),
    ((), (Key("a"),)),
    ((), (Key("a#1"),)),
)
HCL = _file(
    ((("resource.aws_lb.main", "aws_lb.main"),), (Key("idle_timeout"),)),
    ((("resource.aws_lb.edge", "aws_lb.edge"),), (Key("idle_timeout"),)),
)


@pytest.mark.parametrize(
    ("settings", "selector", "expected"),
    [
        # A scope that encloses directly goes before one with something in between.
        (NGINX, "http:keepalive_timeout", [0]),
        (NGINX, "http/server:keepalive_timeout", [1, 2]),
        (NGINX, "server#1:keepalive_timeout", [2]),
        (JS, "listen:setTimeout[1]", [0, 1]),
        (JS, "setTimeout[1]#1", []),
        (EQUAL, "ExecStart", [0, 1]),
        (EQUAL, "ExecStart#1", [1]),
        (EQUAL, "Service:ExecStart#0", [0]),
        (EQUAL, "ExecStart#2", []),
        (EQUAL, "a#0", [2]),
        (EQUAL, "a#1", [4]),  # a key that is called so goes first
        (EQUAL, ":a#1", [4]),
        (JS, "listen/setTimeout#0:setTimeout[1]", []),
        (JS, "listen#0:setTimeout[1]", [0]),
        (JS, "listen#1:setTimeout[1]", [1]),
        (JS, "listen#0.setTimeout[1]", [0]),
        (NGINX, "http/server example.com:keepalive_timeout", [1]),
        (NGINX, "keepalive_timeout", [0, 1, 2, 4]),
        (NGINX, ":keepalive_timeout", [4]),
        (NGINX, "http:proxy_read_timeout", [3]),
        (NGINX, "http/location /api/v1:proxy_read_timeout", [3]),
        (NGINX, "location/http:proxy_read_timeout", []),  # the order counts
        (NGINX, "server.keepalive_timeout", [1, 2]),
        (NGINX, "keepalive", []),
        # Elements by position and name, flags, odd keys.
        (YAML, "spec.containers[web].args[--idle]", [0]),
        (YAML, "spec.containers[0].args[--idle]", [0]),
        (YAML, "spec.containers[1].args[--idle]", []),
        (YAML, "Deployment/web:spec.env[TIMEOUT]", [1]),
        (YAML, "Deployment:spec.env[0].value", [1]),
        (YAML, "spec.env[TIMEOUT]", [1, 4]),
        (YAML, "Service/web:spec.env[TIMEOUT].value", [4]),
        (YAML, 'metadata.annotations["a.b/c"]', [3]),
        (YAML, "metadata.annotations.a.b/c", [3]),
        (YAML, "list[0][1]", [7]),
        (YAML, "list[0]", []),
        (YAML, "list", []),
        (YAML, "a.b", [6]),  # a key with dots is taken whole first
        (YAML, ".a.b", []),
        (YAML, "", []),
        # Functions and types; things between may be left out.
        (GO, "create:PingTimeout", [0]),
        (GO, "Client.create:PingTimeout", [0]),
        (GO, "Client.create/Transport:PingTimeout", [0]),
        (GO, "Transport:PingTimeout", [0, 1]),
        (HCL, "aws_lb.main:idle_timeout", [0]),
        (HCL, "aws_lb.edge.idle_timeout", [1]),
        (HCL, "resource.aws_lb.edge.idle_timeout", [1]),
        (HCL, "lb.edge.idle_timeout", []),
    ],
)
def test_a_selector_means_these_settings(settings: Sequence[Setting], selector: str, expected: list[int]) -> None:
    assert [settings.index(s) for s in select(settings, selector)] == expected
    assert [settings.index(s) for s in Lookup(settings).select(selector)] == expected


@pytest.mark.parametrize("settings", [NGINX, YAML, GO, HCL, JS])
def test_the_selector_of_a_setting_means_it_alone(settings: Sequence[Setting]) -> None:
    selectors = Selectors(settings)
    for setting in settings:
        if setting is YAML[5]:  # hidden by the key that is spelled alike
            continue
        assert select(settings, selectors.of(setting)) == (setting,), selectors.of(setting)


def test_the_selector_is_no_longer_than_needed() -> None:
    assert Selectors(NGINX).of(NGINX[3]) == "proxy_read_timeout"
    assert Selectors(NGINX).of(NGINX[4]) == ":keepalive_timeout"
    assert Selectors(GO).of(GO[1]) == "other/http2.Transport:PingTimeout"
    assert Selectors(YAML).of(YAML[4]) == "Service/web:spec.env[TIMEOUT].value"


@pytest.mark.parametrize(
    "name", ["time\nout", " timeout", "\x01a", "a\u200bb", "ä ö", "[x", "a.b", 'q"q', "a#1", "a:b", "#a"]
)
def test_any_key_can_be_selected_as_it_is_listed(name: str) -> None:
    for route in ((Key(name),), (Key("a"), Key(name))):
        settings = _file(((), route), ((("x",),), route))
        for setting in settings:
            selector = Selectors(settings).of(setting)
            assert selector.isprintable()
            assert Lookup(settings).select(selector) == (setting,), selector


def test_odd_keys_are_written_in_brackets() -> None:
    assert route_text((Key("a"), Key("b.c/d"), Index(2), Key('say "x"'))) == 'a["b.c/d"][2]["say \\"x\\""]'
    assert route_text((Key("spring.redis.timeout"),)) == "spring.redis.timeout"


def test_near_selectors_end_alike_or_are_spelled_alike() -> None:
    both = {"resource.aws_lb.main:idle_timeout", "resource.aws_lb.edge:idle_timeout"}
    assert set(near(HCL, "aws_lb.mian:idle_timeout")) == both
    assert near(NGINX, "proxy_raed_timeout") == ("proxy_read_timeout",)
    assert near(NGINX, "quite_another_thing_xyz") == ()


def test_a_scope_of_many_equal_names_does_not_take_for_ever() -> None:
    deep = _setting(0, (("a",),) * 60, Key("x"))
    assert select([deep], "/".join(["a"] * 59 + ["b"]) + ":x") == ()
    assert select([deep], "/".join(["b"] + ["a"] * 30) + ":x") == ()
    assert select([deep], "/".join(["a"] * 40) + ":x") == (deep,)


def test_near_selectors_of_options_and_variables_are_named_whole() -> None:
    assert near(YAML, "args[--idle]") == ("spec.containers[web].args[--idle]",)
    assert near(YAML, "env[TIMEOUT]") == (
        "Deployment/web:spec.env[TIMEOUT].value",
        "Service/web:spec.env[TIMEOUT].value",
    )


@pytest.mark.parametrize(
    ("format_", "name", "selector", "is_found"),
    [
        ("apache", "TimeOut", "timeout", True),
        ("apache", "TimeOut", "TIMEOUT", True),
        ("mysql", "wait-timeout", "wait_timeout", True),
        ("mysql", "loose_wait_timeout", "wait-timeout", True),
        ("mysql", "wait_timeout", "Wait_Timeout", False),
        ("postgres", "Statement_Timeout", "statement_timeout", True),
        ("spring-properties", "server.tomcat.connectionTimeout", "server.tomcat.connection-timeout", True),
        ("spring-yaml", "server.connection_timeout", "server.connection-timeout", True),
        ("properties", "connectionTimeout", "connection-timeout", False),
        ("yaml", "timeOut", "timeout", False),
    ],
)
def test_names_that_a_program_takes_for_the_same_are(format_: str, name: str, selector: str, is_found: bool) -> None:
    setting = _setting(0, (), Key(name))
    assert (Lookup([setting], format_).select(selector) == (setting,)) == is_found
    if is_found:
        twice = [setting, _setting(1, (), Key(selector))]
        assert len(Lookup(twice, format_).select(selector)) == 2, "both spellings are one name, so it is ambiguous"


@pytest.mark.parametrize("scope", [(), (("Pod/a", "Pod", "a"),)])
@pytest.mark.parametrize("number", [3, 150])
def test_elements_of_one_name_are_told_apart_by_their_positions(scope: tuple[Segment, ...], number: int) -> None:
    file = _file(
        *((scope, (Key("env"), Index(n, "A"), Key("timeout"))) for n in range(number)), ((), (Key("env"), Key("A")))
    )
    known = Selectors(file)
    texts = [known.of(setting) for setting in file[:-1]]
    before = "Pod/a:" if scope else ""
    assert texts == [f"{before}env[{n}].timeout" for n in range(number)]
    assert all(select(file, text) == (setting,) for text, setting in zip(texts, file, strict=False))


def test_positions_name_no_element_within_something_else() -> None:
    scope = (("Pod/a", "Pod", "a"),)
    routes = [(Key("env"), Index(n, "A"), Key("timeout")) for n in range(2)]
    file = _file(*(((), route) for route in routes), *((scope, route) for route in routes))
    known = Selectors(file)
    assert [known.of(s) for s in file] == [
        ":env[0].timeout",
        ":env[1].timeout",
        "Pod/a:env[0].timeout",
        "Pod/a:env[1].timeout",
    ]
    assert all(select(file, known.of(s)) == (s,) for s in file)


@pytest.mark.parametrize("format_", ["apache", "mysql", "postgres"])
def test_what_is_listed_selects_where_spellings_are_one_name(format_: str) -> None:
    names = {"mysql": ("a-b", "a_b", "c"), "apache": ("A", "a", "c"), "postgres": ("A", "a", "c")}[format_]
    host: Segment = ("VirtualHost *:80", "VirtualHost")
    settings = _file(*(((), (Key(name),)) for name in names), ((host,), (Key(names[1]),)))
    for setting in settings:
        assert Lookup(settings, format_).select(Selectors(settings, format_).of(setting)) == (setting,)


def test_a_key_in_brackets_is_no_element_of_a_list() -> None:
    settings = _file(((), (Key("x"), Key("a"), Index(0))), ((), (Key("x"), Key("a[0]"))))
    assert select(settings, "x.a[0]") == (settings[0],)
    assert select(settings, 'x["a[0]"]') == (settings[1],)
