"""Blocks of nginx.conf: upstream, server and location."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outlast.configs.outputs.naming import bound, targets_of, word
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, by_component, comment, lines_of
from outlast.configs.outputs.spelled import text
from outlast.constraints.errors import OutlastError
from outlast.constraints.topology import Component, Topology

__all__ = ["NGINX"]


def _name(component: Component, part: str, puts: Sequence[Put], topology: Topology) -> str:
    if part != "upstream":
        return word(component.name)
    told = bound(puts, r"upstream (\w[\w.-]*)")
    targets = targets_of(component, topology)
    own = targets[0] if component.kind.name == "nginx" and len(targets) == 1 else component.name
    return told or word(own)


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    inside: list[Line] = []
    for piece in pieces:
        if piece.part == "upstream":
            inside += [Line(text=""), Line(text=f"    upstream {piece.name} {{"), *_directives(piece, "        ")]
            if all(put.key != "keepalive" for put in piece.puts):
                inside.append(Line(text="        keepalive 1;", is_shown=False))
            inside.append(Line(text="    }"))
    for component, parts in by_component(pieces).items():
        server, location = parts.get("server"), parts.get("location")
        if server is None and location is None:
            continue
        inside += [Line(text=""), Line(text=f"    # {component}"), Line(text="    server {")]
        inside.append(Line(text="        listen 80;", is_shown=False))
        if server is not None:
            inside += _directives(server, "        ")
        if location is not None:
            inside += [*([Line(text="")] if server else []), Line(text="        location / {")]
            inside.append(Line(text="            proxy_pass http://localhost;", is_shown=False))
            inside += [*_directives(location, "            "), Line(text="        }")]
        inside.append(Line(text="    }"))
    main = [line for piece in pieces if piece.part == "main" for line in _directives(piece, "")]
    if main and all(piece.part != "server" for piece in pieces):
        main.append(Line(text="http { server { listen 80; } }", is_shown=False))
    if inside:
        inside = [Line(text="http {"), *inside[1:], Line(text="}")]
    return [*main, *([Line(text="")] if main and inside else []), *inside]


def _directives(piece: Piece, indent: str) -> Iterator[Line]:
    """One a line, a second value behind the first of its directive."""
    second = {put.key.removesuffix("[1]"): put for put in piece.puts if put.key.endswith("[1]")}
    for key, put in second.items():
        if all(other.key != key for other in piece.puts):
            message = f"{put.name} is the second value of {key}, which nginx takes only behind the first; say {piece.component.name}.{key}, too"
            raise OutlastError(message, put.parameter.place if put.parameter else None)
    first = [put for put in piece.puts if not put.key.endswith("[1]")]
    for line in lines_of(piece, "#", indent, lambda put: f"{put.key} {put.text};", first):
        behind = second.get(line.puts[0].key) if line.puts else None
        if behind is None:
            yield line
        else:
            yield Line(text=indent + comment(f"{behind.name}, behind it: {behind.reason}", "#"))
            yield Line(text=f"{line.text[:-1]} {behind.text};", puts=(*line.puts, behind))


NGINX = Layout(
    reader="nginx",
    file="nginx.conf",
    mark="#",
    use="Put the lines of each block into the block of that name in your nginx.conf.",
    name=_name,
    lay_out=_lay_out,
    spell=text,
    single=frozenset(("main",)),
)
