"""What is written about components, before and after it has a layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from outlast.configs.generate import MARK
from outlast.constraints.catalogue import KnownParameter
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.model import Parameter
from outlast.constraints.quantities import Value
from outlast.constraints.record import record
from outlast.constraints.topology import Component, Topology

__all__ = ["Context", "Layout", "Line", "Piece", "Put", "by_component", "clashes", "comment", "head", "lines_of"]


@record(kw_only=True)
class Put:
    """A value with its key in a part of a component's configuration."""

    #: `web.keepalive_timeout`.
    name: str
    #: Of the spec; None: only the catalogue's, as a default that a literal has to repeat.
    parameter: Parameter | None
    known: KnownParameter
    key: str
    value: Value
    #: As the format writes it.
    text: str
    reason: str
    #: The kind and the parameter that recognition finds here.
    read_as: tuple[str, str]


@record(kw_only=True)
class Piece:
    """What one part of one component's configuration holds."""

    component: Component
    part: str
    #: What the part is called there: a resource, a section, a container.
    name: str
    puts: tuple[Put, ...] = ()
    #: Sentences on what is not written, such as "web.timeout is left at its default of 30s".
    told: tuple[str, ...] = ()


@record(kw_only=True)
class Line:
    """A line of a file with the values on it."""

    text: str
    puts: tuple[Put, ...] = ()
    #: Others are there only while it is read back: what users have in theirs anyway.
    is_shown: bool = True


@record(kw_only=True)
class Context:
    """What a layout needs besides the pieces."""

    topology: Topology
    #: Of Go.
    package: str | None = None


def _piece_itself(name: str, key: str) -> str:
    return name


@record(kw_only=True)
class Layout:
    """How one output writes its files."""

    #: The reader that reads it back, and a name that this reader, and recognition, expect.
    reader: str
    file: str
    #: What begins a comment.
    mark: str
    #: How it is used, in a sentence or two without line breaks.
    use: str
    #: What a part of a component is called in it.
    name: Callable[[Component, str, Sequence[Put], Topology], str]
    lay_out: Callable[[Sequence[Piece], Context], list[Line]]
    #: The text of a value.
    spell: Callable[[KnownParameter, Value], str]
    #: Parts of which a file has one only, whatever the component; "*": all.
    single: frozenset[str] = frozenset()
    #: What in a file two values with one key of a part share, by the name of the piece and the key.
    place: Callable[[str, str], str] = _piece_itself
    #: Whether what is absent counts as 0 there, whatever the kind's default is.
    is_literal: bool = False


def comment(text: str, mark: str) -> str:
    """A text as a comment on a line of its own."""
    shown = printable(text)
    # Java alone reads \\u000a in a comment, but a backslash at the end of a line continues it in many languages.
    return f"{mark} {shown}." if shown.endswith("\\") else f"{mark} {shown}"


def head(title: str, layout: Layout) -> list[Line]:
    """The first lines of a file."""
    mark = layout.mark
    texts = [f"{MARK}; DO NOT EDIT.", "Change the spec and generate it again.", title, layout.use]
    return [Line(text=comment(text, mark)) for text in texts]


def lines_of(
    piece: Piece, mark: str, indent: str, assign: Callable[[Put], str], puts: Sequence[Put] | None = None
) -> Iterator[Line]:
    """Each value below its reason, and what is not written; `puts`: only some of the piece's values."""
    for put in piece.puts if puts is None else puts:
        yield Line(text=indent + comment(f"{put.name}: {put.reason}", mark))
        yield Line(text=indent + assign(put), puts=(put,))
    for sentence in piece.told:
        yield Line(text=indent + comment(sentence, mark))


def by_component(pieces: Sequence[Piece]) -> Mapping[str, Mapping[str, Piece]]:
    """The parts of each component."""
    found: dict[str, dict[str, Piece]] = {}
    for piece in pieces:
        found.setdefault(piece.component.name, {})[piece.part] = piece
    return found


def clashes(pieces: Sequence[Piece], layout: Layout) -> Iterator[OutlastError]:
    """Values of two components that would stand in one place."""
    first: dict[tuple[str, str, str], Put] = {}
    for piece in pieces:
        is_single = piece.part in layout.single or "*" in layout.single
        for put in piece.puts:
            name = "" if is_single else layout.place(piece.name, put.key)
            other = first.setdefault((piece.part, name, put.key), put)
            if other is not put:
                what = put.key.removeprefix("^")
                message = (
                    f"{other.name} and {put.name} would both be written as {what} in one place; choose with --component"
                )
                yield OutlastError(message, put.parameter.place if put.parameter else None)
