"""gunicorn.conf.py."""

from __future__ import annotations

from collections.abc import Sequence

from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, lines_of
from outlast.configs.outputs.spelled import number
from outlast.constraints.topology import Component, Topology

__all__ = ["GUNICORN"]


def _name(component: Component, _: str, _puts: Sequence[Put], _topology: Topology) -> str:
    return component.name


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    return [line for piece in pieces for line in lines_of(piece, "#", "", lambda put: f"{put.key} = {put.text}")]


GUNICORN = Layout(
    reader="python",
    file="gunicorn.conf.py",
    mark="#",
    use="gunicorn -c this-file; options of the command line go before it. Durations are seconds.",
    name=_name,
    lay_out=_lay_out,
    spell=number,
    single=frozenset("*"),
)
