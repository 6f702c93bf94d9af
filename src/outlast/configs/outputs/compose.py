"""An override file of Docker Compose."""

from __future__ import annotations

from collections.abc import Sequence

from outlast.configs.outputs.naming import bound, word
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put
from outlast.configs.outputs.spelled import text
from outlast.configs.outputs.trees import Leaf, Tree, put_in, tell, yaml_lines
from outlast.constraints.topology import Component, Topology

__all__ = ["COMPOSE"]


def _name(component: Component, _: str, puts: Sequence[Put], _topology: Topology) -> str:
    return bound(puts, r"services\.([\w-]+)\.") or word(component.name)


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    services: Tree = {}
    for piece in pieces:
        service: Tree = {}
        tell(service, piece.told)
        for put in piece.puts:
            put_in(service, put.key, Leaf(text=put.text, put=put))
        services[piece.name] = service
    return yaml_lines({"services": services})


COMPOSE = Layout(
    reader="compose",
    file="compose.override.yaml",
    mark="#",
    use="An override: docker compose -f compose.yaml -f this-file, or call it compose.override.yaml.",
    name=_name,
    lay_out=_lay_out,
    spell=text,
)
