"""Directives of Apache httpd."""

from __future__ import annotations

from collections.abc import Sequence

from outlast.configs.outputs.naming import targets_of, word
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, comment, lines_of
from outlast.configs.outputs.spelled import text
from outlast.constraints.topology import Component, Topology

__all__ = ["APACHE"]


def _name(component: Component, part: str, _: Sequence[Put], topology: Topology) -> str:
    targets = targets_of(component, topology)
    return word(targets[0] if part == "proxy" and len(targets) == 1 else component.name, "-")


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    lines: list[Line] = []
    main = [piece for piece in pieces if piece.part == "main"]
    for piece in main:
        lines += lines_of(
            piece, "#", "", lambda put: f"{put.key} {put.text}", [p for p in piece.puts if "." not in p.key]
        )
        lines += _on_one_line("RequestReadTimeout", [p for p in piece.puts if "." in p.key])
    if main and all(put.key != "KeepAliveTimeout" for piece in main for put in piece.puts):
        lines.append(Line(text="KeepAliveTimeout 5", is_shown=False))
    for piece in pieces:
        if piece.part == "proxy":
            if lines:
                lines.append(Line(text=""))
            lines += _on_one_line(f'ProxyPass "/" "http://{piece.name}/"', piece.puts)
            lines += [Line(text=comment(sentence, "#")) for sentence in piece.told]
    return lines


def _on_one_line(beginning: str, puts: Sequence[Put]) -> list[Line]:
    if not puts:
        return []
    reasons = [Line(text=comment(f"{put.name}: {put.reason}", "#")) for put in puts]
    options = " ".join(f"{put.key.rpartition('.')[2]}={put.text}" for put in puts)
    return [*reasons, Line(text=f"{beginning} {options}", puts=tuple(puts))]


APACHE = Layout(
    reader="apache",
    file="httpd.conf",
    mark="#",
    use="Include it, or put these lines into yours; paths and addresses of a ProxyPass are examples.",
    name=_name,
    lay_out=_lay_out,
    spell=text,
    single=frozenset(("main",)),
)
