"""Go's tree: how files are parsed and asked, what encloses settings in them, and what names and strings say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from outlast.configs.readers.trees import Frame, Match, Matches, parse, text_of
from outlast.configs.setting import Content, Literal, Opaque, Segment

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

__all__ = ["FRAMES", "TEXTS", "chain_of", "frames_of", "key_of", "query", "root_of", "segments_of", "text_in"]

_FILLED: Final = "[(composite_literal) (unary_expression operand: (composite_literal))]"

#: What encloses settings, by name.
FRAMES: Final = {
    "import": '(import_spec path: (interpreted_string_literal) @path (#eq? @path "\\"time\\"")) @import',
    "function": "(function_declaration name: (identifier) @name) @frame",
    "method": """(method_declaration receiver: (parameter_list . (parameter_declaration type: (_) @receiver))
        name: (field_identifier) @name) @frame""",
    "composite": "(composite_literal type: (_) @type body: (literal_value) @frame)",
    "element": "(literal_value (literal_element (literal_value) @frame)) @parent",
    "keyed element": "(literal_value (keyed_element key: (literal_element (_) @key) value: (literal_element (literal_value) @frame))) @parent",
    "filled field": f"(keyed_element key: (literal_element (_) @key) value: (literal_element {_FILLED} @frame))",
    "filled variable": f"""[(short_var_declaration left: (expression_list . (_) @target .) right: (expression_list . {_FILLED} @frame .))
        (assignment_statement left: (expression_list . (_) @target .) right: (expression_list . {_FILLED} @frame .))
        (var_spec . name: (identifier) @target value: (expression_list . {_FILLED} @frame .))]""",
}
#: Strings.
TEXTS: Final = ("interpreted_string_literal", "raw_string_literal")
#: A chain of more names, as in a.b.c, is not followed.
_LONGEST_CHAIN: Final = 8


def root_of(data: bytes, file: str) -> Node:
    """The tree of a Go file; raises `OutlastError` with a place where it is not Go."""
    return parse(_parser(), data, file, "Go")


@cache
def _parser() -> Parser:
    import tree_sitter_go
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_go.language()))


@cache
def query(text: str) -> Query:
    """A query of that text, made once."""
    import tree_sitter_go
    from tree_sitter import Language, Query

    return Query(Language(tree_sitter_go.language()), text)


# What encloses settings.


def frames_of(matches: Matches) -> list[Frame]:
    """All of it, by the matches of `FRAMES`."""
    frames = [_frame(match, (text_of(match["name"][0]),)) for match in matches["function"]]
    for match in matches["method"]:
        name = text_of(match["name"][0])
        receiver = text_of(match["receiver"][0]).partition("[")[0].strip("*() \t")
        frames.append(_frame(match, (f"{receiver}.{name}", name)))
    for match in matches["filled variable"]:
        if chain := chain_of(match["target"][0]):
            frames.append(_frame(match, *segments_of(chain)))
    frames += (_frame(match, (key_of(match),)) for kind in ("filled field", "keyed element") for match in matches[kind])
    return frames + _literal_frames(matches)


def _literal_frames(matches: Matches) -> list[Frame]:
    """Literals in braces, by their types; those without one of their own have that of the elements of what they stand in."""
    frames = []
    elements: dict[int, Node | None] = {}  # by where the braces begin
    for match in matches["composite"]:
        kind, body = match["type"][0], match["frame"][0]
        elements[body.start_byte] = _element(kind)
        if names := _type_names(kind):
            frames.append(_frame(match, names, rank=1))
    for match in sorted(matches["element"] + matches["keyed element"], key=lambda match: match["frame"][0].start_byte):
        kind_ = elements.get(match["parent"][0].start_byte)
        elements[match["frame"][0].start_byte] = _element(kind_)
        if names := _type_names(kind_) or (() if "key" in match else ("item",)):
            frames.append(_frame(match, names, rank=1))
    return frames


def _frame(match: Match, *segments: Segment, rank: int = 0) -> Frame:
    node = match["frame"][0]
    return Frame(node.start_byte, node.end_byte, segments, rank)


def _element(kind: Node | None) -> Node | None:
    """The type of the elements of a list or map."""
    if kind is None:
        return None
    element = kind.child_by_field_name("value" if kind.type == "map_type" else "element")
    if element is not None and element.type == "pointer_type":
        element = next((child for child in element.named_children if not child.is_extra), None)
    return element


def _type_names(kind: Node | None) -> Segment:
    """`http.Transport` is also called Transport; lists, maps and types without a name have none."""
    if kind is not None and kind.type == "generic_type":
        kind = kind.child_by_field_name("type")
    if kind is None or kind.type not in ("type_identifier", "qualified_type"):
        return ()
    text = text_of(kind)
    return (text, text.rpartition(".")[2]) if "." in text else (text,)


def key_of(match: Match) -> str:
    """The name of a field, or what a string as a key says."""
    key = match["key"][0]
    content = text_in(key) if key.type in TEXTS else None
    return content.text if isinstance(content, Literal) else text_of(key)


def segments_of(chain: Sequence[str]) -> tuple[Segment, ...]:
    """A scope for each name."""
    return tuple((name,) for name in chain)


def chain_of(node: Node) -> tuple[str, ...]:
    """The names of `a.b.c` or `a["b"]`; none if it is anything else."""
    names: list[str] = []
    here: Node | None = node
    while here is not None and len(names) < _LONGEST_CHAIN:
        if here.type == "identifier":
            names.append(text_of(here))
            return tuple(reversed(names))
        if here.type == "selector_expression":
            last, here = here.child_by_field_name("field"), here.child_by_field_name("operand")
            names.append("" if last is None else text_of(last))
        elif here.type == "index_expression":
            index, here = here.child_by_field_name("index"), here.child_by_field_name("operand")
            content = None if index is None or index.type not in TEXTS else text_in(index)
            if not isinstance(content, Literal):
                return ()
            names.append(content.text)
        else:
            return ()
    return ()


# Strings.

_ESCAPE: Final = re.compile(rb"\\(?:([abfnrtv\\\"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_ESCAPED: Final = dict(zip(b'abfnrtv\\"', b'\a\b\f\n\r\t\v\\"', strict=True))


def text_in(node: Node) -> Content:
    """What a string of a kind of `TEXTS` says."""
    raw = node.text or b""
    inside = raw[1:-1]
    if node.type == "raw_string_literal":
        return Literal(inside.decode().replace("\r", ""), "`", True)
    if b"\\" not in inside:
        return Literal(inside.decode(), '"', True)
    try:
        return Literal(_ESCAPE.sub(_unescaped, inside).decode(), '"', True)
    except ValueError:  # "\xff", "\U00110000"
        return Opaque("a string that is no text")


def _unescaped(match: re.Match[bytes]) -> bytes:
    letter, hexadecimal, octal, short, long = match.groups()
    if letter is not None:
        return bytes([_ESCAPED[letter[0]]])
    if hexadecimal is not None or octal is not None:
        return bytes([int(hexadecimal, 16) if octal is None else int(octal, 8)])
    return chr(int(long if short is None else short, 16)).encode()
