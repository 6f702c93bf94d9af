"""Arguments of Terraform's resources, as an override file has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from outlast.configs.names import snake
from outlast.configs.outputs.naming import bound
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, comment, lines_of
from outlast.configs.outputs.spelled import text
from outlast.constraints.record import replace
from outlast.constraints.topology import Component, Topology

__all__ = ["TERRAFORM"]

_OVERRIDDEN: Final = "in an override file this block replaces yours as a whole: take its lines instead"


def _name(component: Component, part: str, puts: Sequence[Put], _: Topology) -> str:
    return bound(puts, rf"(?:^|[/.]){part.partition('/')[0]}\.([A-Za-z_][\w-]*)") or snake(component.name)


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    lines: list[Line] = []
    for piece in pieces:
        type_, _slash, inner = piece.part.partition("/")
        lines += [*([Line(text="")] if lines else []), Line(text=f'resource "{type_}" "{piece.name}" {{')]
        lines += [Line(text=line, is_shown=False) for line in _required(piece, type_)]
        lines += _block(inner, piece, "  ") if inner else _arguments(piece, "  ")
        lines.append(Line(text="}"))
    return lines


def _required(piece: Piece, type_: str) -> Iterator[str]:
    """Arguments by which the kind is told from others of the same resource."""
    for document in piece.component.kind.files:
        if "hcl" in document["formats"] and f"{type_}." in str(document.get("scope", "")):
            for condition in document.get("requires", ()):
                key, equals, words = condition.partition("=")
                if equals:
                    yield f'  {key} = "{words.partition("|")[0]}"'


def _block(name: str, piece: Piece, indent: str) -> Iterator[Line]:
    yield Line(text=indent + comment(_OVERRIDDEN, "#"))
    yield Line(text=f"{indent}{name} {{")
    yield from _arguments(piece, indent + "  ")
    yield Line(text=f"{indent}}}")


def _arguments(piece: Piece, indent: str) -> Iterator[Line]:
    """The arguments, then the blocks inside."""
    flat = [put for put in piece.puts if "." not in put.key]
    yield from lines_of(piece, "#", indent, lambda put: f"{put.key} = {put.text}", flat)
    blocks: dict[str, list[Put]] = {}
    for put in piece.puts:
        if "." in put.key:
            block, _, key = put.key.partition(".")
            blocks.setdefault(block, []).append(replace(put, key=key))
    for block, puts in blocks.items():
        yield from _block(block, replace(piece, puts=tuple(puts), told=()), indent)


TERRAFORM = Layout(
    reader="hcl",
    file="timeouts_override.tf",
    mark="#",
    use="Put these arguments into the resources of that name, or save it as timeouts_override.tf beside them.",
    name=_name,
    lay_out=_lay_out,
    spell=text,
)
