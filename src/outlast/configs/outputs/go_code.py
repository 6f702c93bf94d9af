"""Functions in Go that return servers, clients and transports with the values found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from outlast.configs.names import pascal
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, by_component, lines_of
from outlast.configs.outputs.spelled import go
from outlast.constraints.record import record, replace
from outlast.constraints.topology import Component, Topology

__all__ = ["GO_CODE"]


@record(kw_only=True)
class _Literal:
    """What a part is written as."""

    #: The type, and the package that is imported for it.
    type: str
    package: str
    #: Of the function, behind the component's name.
    suffix: str
    is_pointer: bool = True
    argument: str = ""
    #: Fields besides those found.
    fields: tuple[str, ...] = ()


_LITERALS: Final = {
    "server": _Literal(
        type="http.Server", package="net/http", suffix="Server", argument="handler http.Handler", fields=("Handler: handler,",)
    ),
    "x-http2-transport": _Literal(type="http2.Transport", package="golang.org/x/net/http2", suffix="HTTP2Transport"),
    "x-http2-server": _Literal(type="http2.Server", package="golang.org/x/net/http2", suffix="HTTP2Server"),
    "grpc-server": _Literal(
        type="keepalive.ServerParameters", package="google.golang.org/grpc/keepalive", suffix="ServerParameters", is_pointer=False
    ),
    "grpc-policy": _Literal(
        type="keepalive.EnforcementPolicy", package="google.golang.org/grpc/keepalive", suffix="EnforcementPolicy", is_pointer=False
    ),
    "grpc-client": _Literal(
        type="keepalive.ClientParameters", package="google.golang.org/grpc/keepalive", suffix="ClientParameters", is_pointer=False
    ),
}  # fmt: skip
#: What http.DefaultTransport has besides durations.
_DEFAULTS: Final = (
    "Proxy:             http.ProxyFromEnvironment,",
    "ForceAttemptHTTP2: true,",
    "MaxIdleConns:      100,",
)
_LIKE_DEFAULT: Final = frozenset(("go.http-client", "go.http2-client"))


def _name(component: Component, _: str, _puts: Sequence[Put], _topology: Topology) -> str:
    return pascal(component.name)


def _lay_out(pieces: Sequence[Piece], context: Context) -> list[Line]:
    body: list[Line] = []
    packages: set[str] = set()
    for parts in by_component(pieces).values():
        for part, literal in _LITERALS.items():
            if part in parts:
                packages.add(literal.package)
                body += _simple(parts[part], literal)
        if "transport" in parts or "http2" in parts:
            packages.add("net/http")
            transport = parts.get("transport") or replace(parts["http2"], part="transport", puts=(), told=())
            if any("Dialer." in put.key for put in transport.puts):
                packages.add("net")
            body += _client(transport, parts)
    if any("time." in put.text for piece in pieces for put in piece.puts):
        packages.add("time")
    imports = [Line(text=f'\t"{package}"') for package in sorted(packages, key=lambda p: ("." in p, p))]
    return [
        *(Line(text=text) for text in (f"package {context.package or 'timeouts'}", "", "import (")),
        *imports,
        Line(text=")"),
        *body,
    ]


def _function(name: str, suffix: str, argument: str, result: str) -> list[Line]:
    suffix = "" if name.endswith(suffix) else suffix
    return [
        Line(text=""),
        Line(text=f"// {name}{suffix} returns what the spec calls for."),
        Line(text=f"func {name}{suffix}({argument}) {result} {{"),
    ]


def _simple(piece: Piece, literal: _Literal) -> Iterator[Line]:
    star, address = ("*", "&") if literal.is_pointer else ("", "")
    yield from _function(piece.name, literal.suffix, literal.argument, f"{star}{literal.type}")
    yield Line(text=f"\treturn {address}{literal.type}{{")
    yield from (Line(text=f"\t\t{field}") for field in literal.fields)
    yield from lines_of(piece, "//", "\t\t", _field)
    yield from (Line(text="\t}"), Line(text="}"))


def _field(put: Put) -> str:
    return f"{put.key.rpartition('.')[2]}: {put.text},"


def _client(transport: Piece, parts: Mapping[str, Piece]) -> Iterator[Line]:
    """A client where it has a limit of its own, else its transport alone."""
    whole = [put for put in transport.puts if put.key == "Timeout"]
    if whole:
        yield from _function(transport.name, "Client", "", "*http.Client")
        yield Line(text="\treturn &http.Client{")
        yield from lines_of(replace(transport, told=()), "//", "\t\t", _field, whole)
        yield Line(text="\t\tTransport: &http.Transport{")
        yield from _fields(transport, parts, "\t\t\t")
        yield from (Line(text="\t\t},"), Line(text="\t}"), Line(text="}"))
        return
    yield from _function(transport.name, "Transport", "", "*http.Transport")
    yield Line(text="\treturn &http.Transport{")
    yield from _fields(transport, parts, "\t\t")
    yield from (Line(text="\t}"), Line(text="}"))


def _fields(transport: Piece, parts: Mapping[str, Piece], indent: str) -> Iterator[Line]:
    if transport.component.kind.name in _LIKE_DEFAULT:
        yield from (Line(text=indent + field) for field in _DEFAULTS)
    dialer = [put for put in transport.puts if put.key.startswith("Dialer.")]
    if dialer:
        yield Line(text=f"{indent}DialContext: (&net.Dialer{{")
        yield from lines_of(replace(transport, told=()), "//", f"{indent}\t", _field, dialer)
        yield Line(text=f"{indent}}}).DialContext,")
    own = [put for put in transport.puts if "." not in put.key and put.key != "Timeout"]
    yield from lines_of(transport, "//", indent, _field, own)
    if all(put.key != "IdleConnTimeout" for put in own):
        yield Line(text=f"{indent}IdleConnTimeout: time.Second,", is_shown=False)
    if "http2" in parts:
        yield Line(text=f"{indent}HTTP2: &http.HTTP2Config{{")
        if all(put.key != "SendPingTimeout" for put in parts["http2"].puts):
            yield Line(text=f"{indent}\tSendPingTimeout: time.Second,", is_shown=False)
        yield from lines_of(parts["http2"], "//", f"{indent}\t", _field)
        yield Line(text=f"{indent}}},")
    elif any(output.part == "http2" for output in transport.component.kind.outputs):
        for text in ("HTTP2: &http.HTTP2Config{", "\tSendPingTimeout: time.Second,", "},"):
            yield Line(text=indent + text, is_shown=False)


GO_CODE = Layout(
    reader="go",
    file="timeouts.go",
    mark="//",
    use="Use what these functions return, or copy their fields.",
    name=_name,
    lay_out=_lay_out,
    spell=go,
    is_literal=True,
)
