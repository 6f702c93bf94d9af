"""Functions that set the limits of HTTP servers of Node.js."""

from __future__ import annotations

from collections.abc import Sequence

from outlast.configs.names import pascal
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, lines_of
from outlast.configs.outputs.spelled import number
from outlast.constraints.topology import Component, Topology

__all__ = ["NODE"]


def _name(component: Component, _: str, _puts: Sequence[Put], _topology: Topology) -> str:
    return pascal(component.name)


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    lines: list[Line] = []
    for piece in pieces:
        function = "apply" if len(pieces) == 1 else f"apply{piece.name}"
        lines += [*([Line(text="")] if lines else []), Line(text=f"export function {function}(server) {{")]
        lines += lines_of(piece, "//", "  ", lambda put: f"server.{put.key} = {put.text};")
        lines += [Line(text="  return server;"), Line(text="}")]
    return lines


NODE = Layout(
    reader="javascript",
    file="timeouts.mjs",
    mark="//",
    use="Call it with what http.createServer returns, before it listens; durations are milliseconds.",
    name=_name,
    lay_out=_lay_out,
    spell=number,
)
