"""Sections of haproxy.cfg: global, frontend, backend, and listen for TCP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outlast.configs.outputs.naming import bound, word
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, by_component, comment, lines_of
from outlast.configs.outputs.spelled import text
from outlast.constraints.topology import Component, Topology

__all__ = ["HAPROXY"]

_INDENT = "    "


def _name(component: Component, part: str, puts: Sequence[Put], _: Topology) -> str:
    return bound(puts, rf"{part} ([\w.-]+)") or word(component.name)


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    lines: list[Line] = []
    shared = [piece for piece in pieces if piece.part == "global"]
    if shared:
        lines.append(Line(text="global"))
        lines += [line for piece in shared for line in _settings(piece, piece.puts)]
    for parts in by_component(pieces).values():
        for part, mode in (("frontend", "http"), ("backend", "http"), ("listen", "tcp")):
            if part not in parts:
                continue
            piece = parts[part]
            lines += [*([Line(text="")] if lines else []), Line(text=f"{part} {piece.name}")]
            lines.append(Line(text=f"{_INDENT}mode {mode}"))
            lines += _backend(piece) if part == "backend" else _settings(piece, piece.puts)
    return lines


def _settings(piece: Piece, puts: Sequence[Put]) -> Iterator[Line]:
    return lines_of(piece, "#", _INDENT, lambda put: f"{put.key.removeprefix('^')} {put.text}", puts)


def _backend(piece: Piece) -> Iterator[Line]:
    """Its own settings, then those of its servers, all on one line."""
    yield from _settings(piece, [put for put in piece.puts if put.key.startswith("^")])
    of_server = [put for put in piece.puts if not put.key.startswith("^")]
    beginning = f"{_INDENT}server {piece.name} 127.0.0.1:80 check"
    if not of_server:
        yield Line(text=f"{beginning} inter 1s", is_shown=False)
        return
    for put in of_server:
        yield Line(text=_INDENT + comment(f"{put.name}: {put.reason}", "#"))
    options = " ".join(f"{put.key} {put.text}" for put in of_server)
    yield Line(text=f"{beginning} {options}  # name and address are yours", puts=tuple(of_server))


HAPROXY = Layout(
    reader="haproxy",
    file="haproxy.cfg",
    mark="#",
    use="Put the lines of each section into yours.",
    name=_name,
    lay_out=_lay_out,
    spell=text,
    single=frozenset(("global",)),
)
