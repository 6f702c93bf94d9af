"""Where JavaScript and TypeScript set a key by what javascript.py does not list: a call, a part of something, and what may bring in any keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from outlast.configs.readers.found import Scope, Steps, Values, names_of
from outlast.configs.readers.javascript import TYPED, Visits, Walk, key_of, path_of, root_of
from outlast.configs.readers.trees import text_of
from outlast.configs.setting import Setting

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["unread", "unread_typescript"]

_PATTERNS: Final = frozenset({"object_pattern", "array_pattern"})
_CALLS: Final = frozenset({"call_expression", "new_expression", "await_expression"})
#: What has values inside it, and is none itself.
_HOLDING: Final = frozenset({"object", "array", "class", "jsx_element", "jsx_self_closing_element", "regex"})
#: Functions that write the keys of other objects into their first argument, and return it.
_MERGING: Final = frozenset(
    {"Object.assign", "Object.defineProperty", "Object.defineProperties", "Object.fromEntries", "Reflect.set", "merge", "extend",
     "defaults", "deepmerge", "defu", *(f"{by}.{name}" for by in ("_", "lodash", "$") for name in ("assign", "merge", "extend", "defaults", "defaultsDeep"))}
)  # fmt: skip


def unread(data: bytes, file: str) -> tuple[Setting, ...]:
    """What a JavaScript file sets without a value that is read; raises as `javascript.read` does."""
    return _Walk(data, file).settings(root_of(data, file, "JavaScript"))


def unread_typescript(data: bytes, file: str) -> tuple[Setting, ...]:
    """The same of a TypeScript file; raises as `javascript.read_typescript` does."""
    return _Walk(data, file).settings(root_of(data, file, "TypeScript"))


class _Walk(Walk):
    """The walk through a file's tree that lists what the other leaves out."""

    def __init__(self, data: bytes, file: str) -> None:
        super().__init__(data, file)
        self.found = Values(data, unread=True)

    def visits(self) -> Visits:
        """Those of the other walk, and what only here tells something."""
        return {
            **super().visits(),
            "shorthand_property_identifier": self.shorthand,
            "spread_element": self.spread,
            "method_definition": self.method,
        }

    def augmented(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """`x += 5` is no value; `x ??= 5` is one."""
        super().augmented(node, scope, stack)
        operator, left = node.child_by_field_name("operator"), node.child_by_field_name("left")
        if operator is not None and operator.type in ("??=", "||="):
            return
        if left is not None and (target := self.target(left, scope)) is not None:
            self.miss(node, (target[0],), target[1], "an update")

    def assign(self, target: Node, value: Node, scope: Scope | None, stack: list[Node]) -> None:
        """Names that take a value out of another: `const { keepAliveTimeout } = config`."""
        super().assign(target, value, scope, stack)
        parts = [target] if target.type in _PATTERNS else []
        while parts:
            part = parts.pop()
            kind = part.type
            if kind == "pair_pattern":
                parts += part.named_children[-1:]
            elif kind in _PATTERNS or kind == "rest_pattern":
                parts += part.named_children
            elif (found := self.target(part, scope)) is not None:
                self.miss(part, (found[0],), found[1], "a part of something")

    def pair(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A key that is worked out."""
        super().pair(node, scope, stack)
        if key_of(node.named_children[0]) is None:
            self.hide(node, scope, "a computed key")

    def shorthand(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A key that has the value of the variable called so: `{ keepAliveTimeout }`."""
        self.miss(node, (text_of(node),), scope, f"a name, {text_of(node)}")

    def spread(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """Another object's keys."""
        if node.parent is not None and node.parent.type in ("object", "jsx_expression"):
            self.hide(node, scope, "a spread")
        stack += node.named_children

    def method(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A method, which is no value unless it is called by its name alone."""
        name = node.child_by_field_name("name")
        shown = None if name is None else key_of(name)
        if shown is not None and any(child.type == "get" for child in node.children):
            self.miss(node, (shown,), scope, "a getter")
        self.named(node, scope, stack)

    def passed(self, node: Node, path: str, scope: Scope | None, called: Scope | None) -> None:
        """Arguments that are names of something, or objects with the keys of others, and what the call writes such keys into."""
        arguments = [part for part in node.named_children[-1].named_children if part.type != "comment"]
        if path in _MERGING and arguments and arguments[0].type in ("identifier", "member_expression"):
            self.merged(node, path_of(arguments[0]), scope)
        for number, part in enumerate(arguments):
            kind = part.type
            if _merges(part):
                self.hide(part, called, "a call")
            if kind == "member_expression" or (kind == "identifier" and (part.text or b"") not in self.constants):
                route = path.rpartition(".")[2], number
                self.miss(part, route, self.owner(path, scope), f"a name, {path_of(part)}")

    def merged(self, call: Node, path: str, scope: Scope | None) -> None:
        """What a call writes the keys of other objects into, or any: `Object.assign(server, options)`."""
        if path:
            self.hide(call, self.found.inside(scope, names_of(path)), "a call")

    def unseen(self, node: Node, route: Steps, scope: Scope | None, within: Scope | None) -> None:
        """A value that is not listed, with others inside it, maybe those of another object."""
        if node.type not in _HOLDING:
            self.miss(node, route, scope, "a call" if node.type in _CALLS else "an expression")
            if _merges(node):
                self.hide(node, within, "a call")

    def miss(self, node: Node, route: Steps, scope: Scope | None, reason: str) -> None:
        """A value that is not listed elsewhere."""
        self.found.miss(node.start_byte, node.end_byte, route, scope, reason)

    def hide(self, node: Node, scope: Scope | None, reason: str) -> None:
        """What may bring keys into a scope."""
        self.found.hide(node.start_byte, node.end_byte, scope, reason)


def _merges(node: Node) -> bool:
    """Whether a value is an object with the keys of others, by a call that says so."""
    while node.type in ("await_expression", "parenthesized_expression", *TYPED) and node.named_children:
        node = node.named_children[0]
    func = node.child_by_field_name("function")
    return func is not None and path_of(func) in _MERGING
