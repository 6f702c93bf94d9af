"""Where Go sets a key by what go.py does not list: a call, a name, an address, a part of something, and fields without names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from outlast.configs.readers.go import VALUES, Reading
from outlast.configs.readers.go_source import chain_of, key_of, query, segments_of
from outlast.configs.readers.trees import Found, Match, Matches, children_of, collect, missed, placed, text_of
from outlast.configs.setting import HIDDEN, Opaque, Setting

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["unread"]

#: Where else than at those of go.py something gets a value.
_OTHERS: Final = {
    "updated": "(assignment_statement left: (expression_list (_) @target) right: (expression_list) @value)",
    "taken": "(range_clause left: (expression_list (_) @target) right: (_) @value)",
    "declared": "(var_spec name: (identifier) @target value: (expression_list) @value)",
    "defined": "(short_var_declaration left: (expression_list (_) @target) right: (expression_list) @value)",
    "address": '(argument_list (unary_expression operator: "&" operand: (_) @target) @value)',
    "positional": "(composite_literal type: [(type_identifier) (qualified_type) (generic_type)] body: (literal_value . (literal_element)) @value)",
}
_KINDS: Final = (*VALUES, *_OTHERS)
#: Values of any sort.
_ANY: Final = "\n".join((*(pattern.replace("VALUE", "(_) @value") for pattern in VALUES.values()), *_OTHERS.values()))
#: What is no value of its own.
_HOLDING: Final = frozenset(("composite_literal", "literal_value"))


def unread(data: bytes, file: str) -> tuple[Setting, ...]:
    """What a Go file sets without a value that is read; raises as `go.read` does."""
    reading = Reading(data, file)
    listed = placed(reading.frames, reading.found(), data)
    matches: Matches = {kind: [] for kind in _KINDS}
    collect(query(_ANY), reading.root, matches, _KINDS)
    for kind in VALUES:
        matches[kind] = [match for match in matches[kind] if not match["value"][0].is_extra]
    return missed(reading.frames, _missed(reading, matches), data, listed)


def _missed(reading: Reading, matches: Matches) -> Iterator[Found]:
    """Where something gets a value of any sort, those that are read included."""
    for kind in ("constant", "variable"):
        for match in matches[kind]:
            value = match["value"][0]
            if (name := reading.name_in(match["spec"][0], match["list"][0], value)) is not None:
                yield from _value(value, (name,))
    known: dict[int, list[Node]] = {}
    for match in matches["assigned"]:
        value, left = match["value"][0], match["left"][0]
        targets = known.get(left.start_byte)
        if targets is None:
            targets = known[left.start_byte] = children_of(left)
        position = reading.positions(match["list"][0], value)
        if position < len(targets) and (chain := chain_of(targets[position])):
            yield from _value(value, chain)
    for match in matches["field"]:
        yield from _value(match["value"][0], (key_of(match),))
    for match in matches["argument"]:
        function, value = match["function"][0], match["value"][0]
        if (function.text or b"") not in reading.conversions:
            operand, field = function.child_by_field_name("operand"), function.child_by_field_name("field")
            owner = () if operand is None else chain_of(operand)
            last = text_of(function if field is None else field)
            yield from _value(value, (*owner, last), reading.positions(match["list"][0], value))
    for kind in _OTHERS:
        for match in matches[kind]:
            yield from _other(kind, match)


def _value(value: Node, chain: tuple[str, ...], position: int | None = None) -> Iterator[Found]:
    """A value of any sort that is not known to be read."""
    kind = value.type
    if kind in _HOLDING or (kind == "unary_expression" and value.named_children[0].type == "composite_literal"):
        return
    reason = {
        "call_expression": "a call",
        "func_literal": "a function",
        "identifier": f"a name, {text_of(value)}",
        "selector_expression": "a name",
    }.get(kind, "an expression")
    route = chain[-1:] if position is None else (chain[-1], position)
    yield Found(value.start_byte, value.end_byte, route, Opaque(reason), segments_of(chain[:-1]))


def _other(kind: str, match: Match) -> Iterator[Found]:
    """What gets a value that does not stand beside it alone."""
    value = match["value"][0]
    if kind == "positional":
        yield Found(value.start_byte + 1, value.end_byte, (HIDDEN.name,), Opaque("fields without names"))
        return
    chain = chain_of(match["target"][0])
    if kind in ("declared", "defined"):
        several = match["target"][0].parent
        names = 0 if several is None else len(several.children_by_field_name("name") or several.named_children)
        if value.named_child_count == names:
            return  # each has a value of its own
    if kind == "updated":
        parent = value.parent
        operator = None if parent is None else parent.child_by_field_name("operator")
        left = None if parent is None else parent.child_by_field_name("left")
        is_plain = operator is not None and operator.type == "="
        if is_plain and left is not None and left.named_child_count == value.named_child_count:
            return
    if chain and chain[-1] != "_":
        reason = "an address" if kind == "address" else "an update" if kind == "updated" else "a part of something"
        yield Found(value.start_byte, value.end_byte, chain[-1:], Opaque(reason), segments_of(chain[:-1]))
