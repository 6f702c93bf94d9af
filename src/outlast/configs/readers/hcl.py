"""Reads HCL, the language of Terraform: attributes with their keys as the route, blocks as the scope."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

from outlast.configs.readers.arithmetic import Language, computed, evaluate
from outlast.configs.readers.found import Scope, Steps, Values
from outlast.configs.readers.texts import refuse_halves
from outlast.configs.readers.trees import children_of, parse, text_of
from outlast.configs.setting import Coefficient, Computed, Content, Literal, Opaque, Segment, Setting
from outlast.constraints.errors import OutlastError, printable

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

__all__ = ["encode", "read"]

_NUMBERS: Final = Language(
    promotion=("number",),
    decimal="number",
    whole="number",
    octal_by_zero=False,
    literals=frozenset({"numeric_lit"}),
    names=frozenset(),
    wrappers=frozenset({"expression", "literal_value", "operation"}),
    unary=frozenset({"unary_operation"}),
    binary=frozenset({"binary_operation"}),
)

#: Nodes around one other.
_AROUND: Final = frozenset({"expression", "literal_value", "collection_value", "template_expr"})
#: What follows a name in a reference to something.
_LINKS: Final = frozenset({"variable_expr", "get_attr", "index", "splat", "attr_splat", "full_splat", "legacy_index"})
_PLAIN: Final = re.compile(
    rb"""(?P<number>0|[1-9][0-9]{0,15})|(?P<text>"[^"\\$%\r\n]*")|(?P<word>true|false|null)|(?P<name>[a-z_]+(?:\.[a-z_][\w-]*){1,4})"""
)
_BARE: Final = {1: "{}"}
_WORDS: Final = frozenset({"bool_lit", "null_lit"})
#: Functions that write down what they are given.
_ENCODERS: Final = frozenset({"jsonencode", "yamlencode"})
#: Block types that references to them leave out.
_UNSAID: Final = frozenset({"resource", "dynamic"})
_DEEPEST: Final = 64
_LONGEST_SHOWN: Final = 60

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([$%])\4\{", re.S)
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_UNSAFE: Final = re.compile(r'[\\"\x00-\x1f\x7f-\x9f\u2028\u2029]|[$%]\{')
_SHORT: Final = {text: f"\\{letter}" for letter, text in _ESCAPED.items()}


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a Terraform file or of a file with values for its variables.

    Raises:
        OutlastError: at the first place that is no HCL, or not UTF-8.
    """
    return _Walk(data).settings(parse(_parser(), data, file, "HCL"))


def encode(setting: Setting, text: str) -> str:
    """A text in quotes, with `${` and `%{` kept from being templates; `true`, `false` and `null` only by their like.

    Raises:
        OutlastError: without a place; it cannot be written there.
    """
    content = setting.content
    if not isinstance(content, Literal):
        raise OutlastError("expected a text to replace, found an expression")
    if content.is_text:
        return f'"{_UNSAFE.sub(_escape, _encodable(text))}"'
    alike = ("null",) if content.text == "null" else ("true", "false")
    if text not in alike:
        raise OutlastError(f"expected {' or '.join(alike)}, found '{text}'")
    return text


def _encodable(text: str) -> str:
    if "$${" in text or "%%{" in text:
        raise OutlastError(f"expected a text without the escapes of templates, found '{text}'")
    refuse_halves(text)
    return text


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    return found[0] + found if len(found) == 2 else _SHORT.get(found, f"\\u{ord(found):04x}")


@cache
def _parser() -> Parser:
    import tree_sitter_hcl
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_hcl.language()))


class _Walk:
    """One walk through a file, without recursion."""

    def __init__(self, data: bytes) -> None:
        self.found = Values(data)
        self.bodies: list[tuple[Node, Scope | None]] = []
        self.values: list[tuple[Node, Steps, Scope | None]] = []

    def settings(self, root: Node) -> tuple[Setting, ...]:
        """All settings below the root."""
        bodies, values = self.bodies, self.values
        bodies.append((root, None))
        while bodies or values:
            while values:
                self.value(*values.pop())
            if bodies:
                self.body(*bodies.pop())
        return self.found.settings()

    def body(self, node: Node, scope: Scope | None) -> None:
        """Attributes and blocks."""
        for child in node.named_children:
            kind = child.type
            if kind == "attribute":
                parts = child.named_children
                value = next(part for part in reversed(parts) if part.type == "expression")
                self.values.append((value, (text_of(parts[0]),), scope))
            elif kind == "block":
                self.block(child, scope)
            elif kind == "body":
                self.bodies.append((child, scope))

    def block(self, node: Node, scope: Scope | None) -> None:
        """A block by its type and labels."""
        children = node.named_children
        words = [_unquoted(child) for child in children if child.type in ("identifier", "string_lit")]
        inner = self.found.inside(scope, _names(words), node.start_byte)  # also if it is empty: it counts
        self.bodies += [(child, inner) for child in children if child.type == "body"]

    def value(self, node: Node, route: Steps, scope: Scope | None) -> None:
        """List what an attribute, a key or an element has, or go on inside it."""
        content = _plain(node)
        if content is not None:
            self.found.add(node.start_byte, node.end_byte, route, scope, content)
            return
        inner = _innermost(node)
        if inner.type == "function_call":
            inner = _encoded(inner) or inner
        kind = inner.type
        if kind == "object" or kind == "tuple":
            if len(route) < _DEEPEST:
                self.members(inner, route, scope)
        else:
            self.found.add(node.start_byte, node.end_byte, route, scope, _content(inner, kind))

    def members(self, node: Node, route: Steps, scope: Scope | None) -> None:
        """Elements of an object or a tuple."""
        position = 0
        for child in node.named_children:
            if child.type == "object_elem":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("val")
                if key is not None and value is not None:
                    self.values.append((value, (*route, _key(key)), scope))
            elif child.type == "expression":
                self.values.append((child, (*route, position), scope))
                position += 1


def _plain(node: Node) -> Content | None:
    """What most values are, told from their text alone: a whole number, a text without escapes, a word or a reference."""
    match = _PLAIN.fullmatch(node.text or b"")
    if match is None:
        return None
    kind, text = match.lastgroup, match[0].decode()
    if kind == "number":
        amount = Fraction(int(text))
        coefficient = Coefficient(node.start_byte, node.end_byte, amount) if amount else None
        return Computed(amount=amount, coefficient=coefficient, spellings=_BARE)
    if kind == "text":
        return Literal(text[1:-1], '"', True)
    return Literal(text) if kind == "word" else Opaque(f"a reference, {text}")


def _innermost(node: Node) -> Node:
    """The value without the nodes that are only around it."""
    while node.type in _AROUND:
        children = children_of(node)
        if len(children) != 1:
            break
        node = children[0]
    return node


def _encoded(call: Node) -> Node | None:
    """The object or tuple that a call writes down as JSON or YAML."""
    name, *rest = children_of(call)
    arguments = [child for part in rest if part.type == "function_arguments" for child in part.named_children]
    if text_of(name) not in _ENCODERS or len(arguments) != 1:
        return None
    inner = _innermost(arguments[0])
    return inner if inner.type in ("object", "tuple") else None


def _content(node: Node, kind: str) -> Content:
    """What a value is; `node` has nothing more around it."""
    if kind == "string_lit":
        return Literal(_unquoted(node), '"', True)
    if kind in _WORDS:
        return Literal(text_of(node))
    if kind == "quoted_template":
        is_reference = any(child.type == "template_interpolation" for child in node.named_children)
        return Opaque("a reference, ${…}" if is_reference else "a template, %{…}")
    if kind == "heredoc_template":
        return Opaque("a block of text")
    amount = evaluate(node, _NUMBERS)
    if amount is not None:
        return computed(amount)
    if kind == "variable_expr" or (kind == "expression" and all(c.type in _LINKS for c in node.named_children)):
        shown = printable(text_of(node))
        return Opaque(f"a reference, {shown if len(shown) <= _LONGEST_SHOWN else shown[:_LONGEST_SHOWN] + '…'}")
    return Opaque("an expression")


def _names(words: list[str]) -> Segment:
    """The names of a block: `resource.aws_lb.main`, and what expressions call it, `aws_lb.main`."""
    whole = ".".join(words)
    return (whole, ".".join(words[1:])) if len(words) > 1 and words[0] in _UNSAID else (whole,)


def _key(node: Node) -> str:
    """The name of an object's element: a word, a text, or whatever is worked out, as it stands there."""
    inner = node
    while inner.type in _AROUND and inner.child_count == 1 and inner.children[0].is_named:
        inner = inner.children[0]
    return _unquoted(inner) if inner.type == "string_lit" else text_of(node)


def _unquoted(node: Node) -> str:
    text = text_of(node)
    if node.type != "string_lit":
        return text
    return _ESCAPE.sub(_unescape, text[1:-1])


def _unescape(match: re.Match[str]) -> str:
    if digits := match[1] or match[2]:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 else match[0]
    return match[4] + "{" if match[4] else _ESCAPED.get(match[3], match[0])
