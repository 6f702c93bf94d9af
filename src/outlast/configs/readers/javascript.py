"""Reads JavaScript and TypeScript as settings: what is assigned, passed, written in objects or given as a default.

A route is the last name alone; classes, functions, calls, variables and keys around it are scope. Nothing is listed for an expression that
is neither constant nor a name nor asks the environment first; the walk goes on inside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from outlast.configs.readers.arithmetic import Constant, Language, computed, evaluate, number, through_name
from outlast.configs.readers.found import Scope, Steps, Values, names_of
from outlast.configs.readers.javascript_texts import unquoted, written
from outlast.configs.readers.texts import defined_at
from outlast.configs.readers.trees import parse, text_of
from outlast.configs.setting import Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

__all__ = ["TYPED", "Visits", "Walk", "encode", "key_of", "path_of", "read", "read_typescript", "root_of"]

#: What tells the type of a value, or that it is there.
TYPED: Final = frozenset({"as_expression", "satisfies_expression", "non_null_expression"})
_NUMBERS: Final = Language(
    promotion=("number",),
    decimal="number",
    whole="number",
    literals=frozenset({"number"}),
    casts=TYPED,
)
_ARITHMETIC: Final = frozenset({"unary_expression", "binary_expression", "parenthesized_expression", *TYPED})
_WORDS: Final = frozenset({"true", "false", "null", "undefined"})
#: Nodes that are names where something is named.
_BOUND: Final = frozenset({"identifier", "shorthand_property_identifier_pattern", "type_identifier"})
#: Arguments that are looked into, but not listed.
_UNLISTED: Final = frozenset({"arrow_function", "function_expression", "generator_function", "member_expression"})
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function"})

#: Where neither values nor bindings are.
_SKIPPED: Final = frozenset(
    ("comment", "identifier", "property_identifier", "number", "string", "template_string", "regex", "true", "false", "null",
     "undefined", "this", "super", "type_annotation", "type_arguments", "type_parameters", "type_alias_declaration",
     "interface_declaration", "type_identifier", "accessibility_modifier", "jsx_text", "private_property_identifier",
     "shorthand_property_identifier", "statement_identifier", "class_heritage", "type_predicate_annotation")
)  # fmt: skip

#: Names, or a chain of them; longer ones are not looked at.
_CHAIN: Final = re.compile(rb"[\w$#\x80-\xff]+(?:[?!]?\.[\w$#\x80-\xff]+)*")
_LONGEST_CHAIN: Final = 200
_SELVES: Final = frozenset({"this", "super"})
_ENVIRONMENT: Final = re.compile(rb"(?:process\.env|import\.meta\.env|Bun\.env)\b|Deno\.env\.get\b")
_CASTS: Final = frozenset({"Number", "parseInt", "parseFloat", "Number.parseInt", "Number.parseFloat", "String"})
_DEFAULTS: Final = frozenset({"||", "??"})
_DEFAULTED: Final = "an expression with a default"
#: How deep a value is looked into for a question to the environment.
_DEEPEST: Final = 64


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a JavaScript file, or of TypeScript with JSX.

    Raises:
        OutlastError: at the first place that is neither, or not UTF-8.
    """
    return Walk(data, file).settings(root_of(data, file, "JavaScript"))


def read_typescript(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a TypeScript file.

    Raises:
        OutlastError: at the first place that is no TypeScript, or not UTF-8.
    """
    return Walk(data, file).settings(root_of(data, file, "TypeScript"))


def encode(setting: Setting, text: str) -> str:
    """A text in the quotes that stand there; `true`, `false` and the like only by their like.

    Raises:
        OutlastError: without a place; it cannot be written there.
    """
    content = setting.content
    if not isinstance(content, Literal):
        raise OutlastError("expected a text to replace, found an expression")
    if content.is_text:
        return written(text, content.quote)
    alike = ("true", "false") if content.text in ("true", "false") else (content.text,)
    if text not in alike:
        raise OutlastError(f"expected {' or '.join(alike)}, found '{text}'")
    return text


def root_of(data: bytes, file: str, language: str) -> Node:
    """The tree of a file in JavaScript (or TypeScript with JSX), or in TypeScript, as `language` says; raises as `read`."""
    return parse(_parser(language), data, file, language)


@cache
def _parser(language: str) -> Parser:
    import tree_sitter_typescript
    from tree_sitter import Language, Parser

    grammars = {
        "JavaScript": tree_sitter_typescript.language_tsx,
        "TypeScript": tree_sitter_typescript.language_typescript,
    }
    return Parser(Language(grammars[language]()))


#: What is done with a node of a kind; nothing, not even with what lies in it: None.
Visits: TypeAlias = dict[str, Callable[["Node", Scope | None, list["Node"]], None] | None]


class Walk:
    """One walk through a file's tree, without recursion: values, each with its route, before the rest of the same scope."""

    def __init__(self, data: bytes, file: str) -> None:
        self.file = file
        self.found = Values(data)
        self.rest: list[tuple[list[Node], Scope | None]] = []
        self.values: list[tuple[Node, Steps, Scope | None]] = []
        #: How often each name is bound anywhere in the file.
        self.bound: dict[bytes, int] = {}
        self.waiting: list[tuple[Node, Steps, Scope | None]] = []
        #: What is declared by `const` at the level of the module.
        self.constants: dict[bytes, Node] = {}
        self.worth: dict[bytes, Constant | None] = {}

    def settings(self, root: Node) -> tuple[Setting, ...]:
        """All settings below the root."""
        self.constants = _constants(root)
        rest, values, visits = self.rest, self.values, self.visits()
        rest.append((root.named_children, None))
        while rest or values:
            while values:
                self.value(*values.pop())
            if rest:
                self.walk(*rest.pop(), visits)
        for node, route, scope in self.waiting:
            self.reference(node, route, scope)
        return self.found.settings()

    def walk(self, stack: list[Node], scope: Scope | None, visits: Visits) -> None:
        """Look through what lies in one scope; values and inner scopes are kept for later."""
        while stack:
            node = stack.pop()
            visit = visits.get(node.type, _look_inside)
            if visit is not None:
                visit(node, scope, stack)

    def visits(self) -> Visits:
        """What holds values or names; of any other node what lies in it is looked at."""
        return {
            **dict.fromkeys(_SKIPPED),
            "variable_declarator": self.variable,
            **dict.fromkeys(("required_parameter", "optional_parameter"), self.parameter),
            **dict.fromkeys(("assignment_expression", "assignment_pattern", "object_assignment_pattern"), self.assigned),
            "augmented_assignment_expression": self.augmented,
            "pair": self.pair,
            **dict.fromkeys(("public_field_definition", "field_definition", "enum_assignment"), self.field),
            **dict.fromkeys(("call_expression", "new_expression"), self.call),
            **dict.fromkeys(("jsx_opening_element", "jsx_self_closing_element"), self.element),
            **dict.fromkeys(
                ("function_declaration", "generator_function_declaration", "function_expression", "generator_function", "method_definition",
                 "class_declaration", "abstract_class_declaration", "class", "enum_declaration", "internal_module", "module"),
                self.named,
            ),
            "arrow_function": self.unnamed,
            **dict.fromkeys(("for_in_statement", "catch_clause"), self.binding),
            "import_statement": self.imported,
        }  # fmt: skip

    # What holds values.

    def variable(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A variable; patterns hold further defaults."""
        children = node.named_children
        self.bind(children[0], stack)
        if len(children) > 1 and children[-1].type != "type_annotation":
            self.assign(children[0], children[-1], scope, stack)

    def parameter(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A parameter with or without a default."""
        pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        if pattern is None:
            stack += node.named_children
            return
        self.bind(pattern, stack)
        stack += node.children_by_field_name("decorator")
        if value is not None:
            self.assign(pattern, value, scope, stack)

    def assigned(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """An assignment, or a default in a pattern."""
        children = node.named_children
        self.bind(children[0], stack)
        self.assign(children[0], children[-1], scope, stack)

    def augmented(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """`x ??= 5` gives a default; `x += 5` is no value."""
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in ("??=", "||="):
            self.assigned(node, scope, stack)
        else:
            if (left := node.child_by_field_name("left")) is not None:
                self.bind(left, stack)
            stack += node.named_children

    def assign(self, target: Node, value: Node, scope: Scope | None, stack: list[Node]) -> None:
        """One value for one target."""
        found = self.target(target, scope)
        if found is not None:
            self.values.append((value, (found[0],), found[1]))
        else:
            stack.append(value)

    def target(self, target: Node, scope: Scope | None) -> tuple[str, Scope | None] | None:
        """The name of what is assigned to, and its scope: what it belongs to, but for `this`; None: it has no name."""
        kind = target.type
        owner: Node | None = None
        name: str | None = None
        if kind == "identifier" or kind == "shorthand_property_identifier_pattern":
            name = text_of(target)
        elif kind == "member_expression":
            owner, part = target.child_by_field_name("object"), target.child_by_field_name("property")
            name = None if part is None else text_of(part)
        elif kind == "subscript_expression":
            owner, part = target.child_by_field_name("object"), target.child_by_field_name("index")
            name = unquoted(text_of(part)) if part is not None and part.type == "string" else None
        if name is None:
            return None
        if owner is not None and (path := path_of(owner)) and path not in _SELVES:
            scope = self.found.inside(scope, names_of(path))
        return name, scope

    def pair(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A key of an object with its value."""
        children = node.named_children
        name = key_of(children[0])
        if name is None:
            stack += children
        else:
            self.values.append((children[-1], (name,), scope))

    def field(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A field of a class, or a member of an enumeration."""
        key, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        name = None if key is None else key_of(key)
        if name is None or value is None:
            stack += node.named_children
            return
        stack += node.children_by_field_name("decorator")
        self.values.append((value, (name,), scope))

    def call(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """Arguments by their position; what objects among them hold is in the scope of the call."""
        children = node.named_children
        func, arguments = children[0], children[-1]
        if func.type != "identifier":
            stack.append(func)
        if arguments.type != "arguments":
            stack += children[1:]
            return
        path = path_of(func)
        if not path:
            stack += arguments.named_children
            return
        called = self.found.inside(scope, names_of(path), node.start_byte)
        place: Scope | None = None
        number = -1
        for part in arguments.named_children:
            kind = part.type
            if kind == "comment":
                continue
            number += 1
            if kind in _UNLISTED:
                stack.append(part)
            elif kind == "object":
                self.rest.append((part.named_children, called))
            elif kind != "identifier" or (part.text or b"") in self.constants:
                place = place or self.owner(path, scope)
                self.values.append((part, (path.rpartition(".")[2], number), place))
        self.passed(node, path, scope, called)

    def owner(self, path: str, scope: Scope | None) -> Scope | None:
        """The scope of a call's arguments by position: what the function belongs to."""
        owner = path.rpartition(".")[0]
        return self.found.inside(scope, names_of(owner)) if owner and owner not in _SELVES else scope

    def element(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """Attributes of JSX that are expressions, in the scope of their element."""
        name = node.child_by_field_name("name")
        within = scope if name is None else self.found.inside(scope, names_of(text_of(name)), node.start_byte)
        for attribute in node.children_by_field_name("attribute"):
            parts = attribute.named_children
            if attribute.type == "jsx_attribute" and len(parts) == 2 and parts[1].type == "jsx_expression":
                self.values += [(part, (text_of(parts[0]),), within) for part in parts[1].named_children[:1]]
            else:
                stack.append(attribute)

    def named(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A function, a class, a namespace or an enumeration: what is in it has its scope."""
        name = node.child_by_field_name("name")
        children = node.named_children
        if name is None:
            self.unnamed(node, scope, stack)
            return
        if name.type in ("identifier", "type_identifier"):
            self.bind(name, stack)
        shown = key_of(name)
        within = scope if shown is None else self.found.inside(scope, names_of(shown), node.start_byte)
        self.rest.append(([child for child in children if child.start_byte != name.start_byte], within))

    def unnamed(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """A function that nothing names, with its parameters."""
        children = node.named_children
        if children and children[0].type == "identifier":
            self.bind(children[0], stack)
        stack += children

    def binding(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """What names something without giving it a value that stands there."""
        for field in ("left", "parameter"):
            if (target := node.child_by_field_name(field)) is not None:
                self.bind(target, stack)
        stack += node.named_children

    def imported(self, node: Node, scope: Scope | None, stack: list[Node]) -> None:
        """Imports bind all their names."""
        self.bind(node, stack)

    def bind(self, target: Node, stack: list[Node]) -> None:
        """Count the names that a target binds; defaults inside it are looked through as any."""
        targets = [target]
        while targets:
            target = targets.pop()
            kind = target.type
            if kind in _BOUND:
                name = target.text or b""
                self.bound[name] = self.bound.get(name, 0) + 1
            elif kind == "assignment_pattern" or kind == "object_assignment_pattern":
                stack.append(target)
            elif kind == "member_expression" or kind == "subscript_expression":
                stack += target.named_children
            elif kind not in _SKIPPED:
                targets += target.named_children

    # What is a value.

    def value(self, node: Node, route: Steps, scope: Scope | None) -> None:
        """List what stands at a route, or look further inside it."""
        kind = node.type
        if kind == "number":
            content = number(node, _NUMBERS) or Opaque("a number that is not read")
            self.found.add(node.start_byte, node.end_byte, route, scope, content)
        elif kind == "string":
            self.text(node, route, scope)
        elif kind == "template_string":
            if any(child.type == "template_substitution" for child in node.named_children):
                self.opaque(node, route, scope, "a template, `${…}`")
            else:
                self.text(node, route, scope)
        elif kind in _WORDS:
            self.found.add(node.start_byte, node.end_byte, route, scope, Literal(text_of(node)))
        elif kind == "identifier":
            self.waiting.append((node, route, scope))
        elif kind == "member_expression":
            path = path_of(node) if len(route) == 1 else ""
            if "." not in path or path.rpartition(".")[2] == route[0]:
                self.rest.append(([node], scope))
                self.miss(node, route, scope, "a name")
            elif _ENVIRONMENT.match(path.encode()):
                self.opaque(node, route, scope, f"a variable, {path}")
            else:
                self.opaque(node, route, scope, f"a name, {path}")
        elif kind in _ARITHMETIC:
            self.arithmetic(node, route, scope)
        elif kind == "array":
            members = [child for child in node.named_children if child.type != "comment"]
            self.values += [(child, (*route, number), scope) for number, child in enumerate(members)]
        elif kind in ("call_expression", "new_expression") and _asks_environment(node):
            self.opaque(node, route, scope, _DEFAULTED)
        elif kind in _FUNCTIONS and node.child_by_field_name("name") is None:
            within = self.under(route, scope, node)
            inner: list[Node] = []
            self.unnamed(node, within, inner)
            self.rest.append((inner, within))
            self.miss(node, route, scope, "a function")
        else:
            within = self.under(route, scope, node)
            self.rest.append(([node], within))
            self.unseen(node, route, scope, within)

    def under(self, route: Steps, scope: Scope | None, node: Node) -> Scope | None:
        """The scope of what lies inside a value: its name, with its positions if it is in a list."""
        name = str(route[0])
        if len(route) == 1:
            return self.found.inside(scope, (name,), node.start_byte)
        return self.found.inside(scope, (name + "".join(f"[{step}]" for step in route[1:]), name), node.start_byte)

    def text(self, node: Node, route: Steps, scope: Scope | None) -> None:
        """A string without anything put in."""
        raw = text_of(node)
        text = unquoted(raw)
        if text is None:
            self.opaque(node, route, scope, "a text that is no Unicode")
        elif "\n" in raw or "\r" in raw:
            self.opaque(node, route, scope, "a block of text")
        else:
            self.found.add(node.start_byte, node.end_byte, route, scope, Literal(text, raw[0], True))

    def arithmetic(self, node: Node, route: Steps, scope: Scope | None) -> None:
        """A constant expression; where it leans on names, these must be known first."""
        constant = evaluate(node, _NUMBERS)
        if constant is not None:
            self.found.add(node.start_byte, node.end_byte, route, scope, computed(constant))
        elif _asks_environment(node):
            self.opaque(node, route, scope, _DEFAULTED)
        elif any(name in self.constants for name in _identifiers(node)):
            self.waiting.append((node, route, scope))
        else:
            within = self.under(route, scope, node)
            self.rest.append(([node], within))
            self.unseen(node, route, scope, within)

    def reference(self, node: Node, route: Steps, scope: Scope | None) -> None:
        """A name, or arithmetic with names, now that all that binds names is known."""
        constant = evaluate(node, _NUMBERS, self)
        if constant is not None and constant.through is not None:
            line = self.constants[constant.through.encode()].start_point.row + 1
            # Where a literal decides, it is the value's own: the 5 of `5 * SECOND`.
            locked = None if constant.coefficient else defined_at(constant.through, self.file, line)
            self.found.add(node.start_byte, node.end_byte, route, scope, computed(constant), locked)
        elif node.type == "identifier" and len(route) == 1:
            name = text_of(node)
            if name == "Infinity":
                self.found.add(node.start_byte, node.end_byte, route, scope, Literal(name))
            elif name != route[0]:
                self.opaque(node, route, scope, f"a name, {name}")
            else:
                self.miss(node, route, scope, f"a name, {name}")
        else:
            self.miss(node, route, scope, "a name" if node.type == "identifier" else "an expression")

    def get(self, name: bytes, /) -> Constant | None:
        """What a name is worth, if it is bound once in the file, as a constant of the module."""
        if name not in self.worth:
            node = self.constants.get(name) if self.bound.get(name) == 1 else None
            constant = None if node is None else evaluate(node, _NUMBERS)
            self.worth[name] = None if constant is None else through_name(constant, name.decode())
        return self.worth[name]

    def opaque(self, node: Node, route: Steps, scope: Scope | None, reason: str) -> None:
        """A value that is not read."""
        self.found.add(node.start_byte, node.end_byte, route, scope, Opaque(reason))

    # What is not listed: nothing here, and listed by the walk of javascript_unread.py.

    def miss(self, node: Node, route: Steps, scope: Scope | None, reason: str) -> None:
        """A value that is not listed."""

    def unseen(self, node: Node, route: Steps, scope: Scope | None, within: Scope | None) -> None:
        """A value that is not listed, with others inside it, maybe."""

    def passed(self, node: Node, path: str, scope: Scope | None, called: Scope | None) -> None:
        """What else a call is given, by its path and the scope of objects among its arguments."""


def _look_inside(node: Node, scope: Scope | None, stack: list[Node]) -> None:
    stack += node.named_children


def _constants(root: Node) -> dict[bytes, Node]:
    """The values of what the module declares by `const`."""
    constants: dict[bytes, Node] = {}
    for statement in root.named_children:
        if statement.type == "export_statement":
            inner = statement.child_by_field_name("declaration")
            if inner is None:
                continue
            statement = inner
        if statement.type == "lexical_declaration" and statement.children[0].type == "const":
            for declarator in statement.named_children:
                name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
                if name is not None and value is not None and name.type == "identifier":
                    constants[name.text or b""] = value
    return constants


def path_of(node: Node) -> str:
    """Names joined by dots; the last name alone where it is got from an expression; nothing where there is no name."""
    if node.end_byte - node.start_byte <= _LONGEST_CHAIN:
        text = node.text or b""
        if _CHAIN.fullmatch(text):
            path = text.decode()
            return path.replace("?.", ".").replace("!.", ".") if "?" in path or "!" in path else path
    part = node.child_by_field_name("property")
    return "" if part is None else text_of(part)


def key_of(node: Node) -> str | None:
    """The name that a key is; None if it is worked out."""
    if node.type == "computed_property_name":
        inner = node.named_children
        return unquoted(text_of(inner[0])) if len(inner) == 1 and inner[0].type == "string" else None
    return unquoted(text_of(node)) if node.type == "string" else text_of(node)


def _identifiers(node: Node) -> list[bytes]:
    """The names in arithmetic, as far as nothing but arithmetic is around them."""
    nodes, names = [node], []
    while nodes:
        node = nodes.pop()
        if node.type == "identifier":
            names.append(node.text or b"")
        elif node.type in _ARITHMETIC:
            nodes += node.named_children
    return names


def _asks_environment(node: Node) -> bool:
    """Whether the environment tells the value, and the code another if it does not: `Number(process.env.X ?? 5000)`."""
    if node.end_byte - node.start_byte > _LONGEST_CHAIN or b"env" not in (node.text or b""):
        return False
    has_default = False
    for _ in range(_DEEPEST):
        kind = node.type
        if kind in ("call_expression", "new_expression"):
            func, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            if func is None or arguments is None:
                return False
            if _ENVIRONMENT.fullmatch(path_of(func).encode()):
                return has_default
            if path_of(func) not in _CASTS or not arguments.named_children:
                return False
            node = arguments.named_children[0]
        elif kind == "binary_expression":
            operator, left = node.child_by_field_name("operator"), node.child_by_field_name("left")
            if operator is None or left is None or operator.type not in _DEFAULTS:
                return False
            node, has_default = left, True
        elif kind == "unary_expression" or kind == "parenthesized_expression" or kind in TYPED:
            if not node.named_children:
                return False
            node = node.named_children[0]
        else:
            return has_default and _ENVIRONMENT.match((node.text or b"")[:_LONGEST_CHAIN]) is not None
    return False
