"""Settings of Spring Boot: application.yml."""

from __future__ import annotations

from collections.abc import Sequence

from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put
from outlast.configs.outputs.spelled import text
from outlast.configs.outputs.trees import Leaf, Tree, put_in, tell, yaml_lines
from outlast.constraints.topology import Component, Topology

__all__ = ["SPRING"]


def _name(component: Component, _: str, _puts: Sequence[Put], _topology: Topology) -> str:
    return component.name


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    tree: Tree = {}
    for piece in pieces:
        below = f"{piece.part}." if piece.part else ""
        tell(tree, piece.told)
        for put in piece.puts:
            put_in(tree, below + put.key, Leaf(text=put.text, put=put))
        for key in _required(piece):
            if all(put.key != key for put in piece.puts):
                put_in(tree, below + key, Leaf(text="1s", is_shown=False))
    return yaml_lines(tree)


def _required(piece: Piece) -> Sequence[str]:
    """Keys by which the kind is told from others."""
    documents = (d for d in piece.component.kind.files if "spring-yaml" in d["formats"])
    return [key for document in documents for key in document.get("requires", ()) if "=" not in key]


SPRING = Layout(
    reader="spring-yaml",
    file="application.yml",
    mark="#",
    use="Put these keys into your application.yml, or import it with spring.config.import.",
    name=_name,
    lay_out=_lay_out,
    spell=text,
    single=frozenset("*"),
)
