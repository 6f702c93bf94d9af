"""Where Python sets a key by what python.py does not list: a call, another name, a part of something, and what may bring in any keys."""

from __future__ import annotations

import ast
from typing import Any

from outlast.configs.readers.found import Scope, Steps, Values
from outlast.configs.readers.python import Walk, key_of, pairs_of
from outlast.configs.readers.python_amounts import path_of
from outlast.configs.readers.python_source import Source, parse
from outlast.configs.setting import Setting

__all__ = ["unread"]


def unread(data: bytes, file: str) -> tuple[Setting, ...]:
    """What a Python file sets without a value that is read; raises as `python.read` does."""
    return _Walk(parse(data, file), file).settings()


class _Walk(Walk):
    """The walk through a file's tree that lists what the other leaves out."""

    def __init__(self, source: Source, file: str) -> None:
        super().__init__(source, file)
        self.found = Values(source.data, unread=True)

    def assignment(self, node: ast.Assign, scope: Scope | None, stack: list[Any]) -> None:
        """Of several equal names those after the first, and names that get parts of what stands as a whole."""
        super().assignment(node, scope, stack)
        for target in node.targets[1:]:
            self.taken(target, scope, node.value, "the value of another name")
        first, value = node.targets[0], node.value
        if isinstance(first, ast.Tuple | ast.List) and pairs_of(first, value) == [(first, value)]:
            self.taken(first, scope, value, "a part of something")

    def taken(self, target: ast.expr, scope: Scope | None, value: ast.AST, reason: str) -> None:
        """Names that get what is not listed for them."""
        targets = [target]
        while targets:
            match target := targets.pop():
                case ast.Tuple(elts=parts) | ast.List(elts=parts):
                    targets += parts
                case ast.Starred(value=part):
                    targets.append(part)
                case _ if (found := self.target(target, scope)) is not None:
                    self.miss(value, (found[0],), found[1], reason)

    def passed(self, node: ast.Call, path: str, scope: Scope | None, called: Scope | None) -> None:
        """Keyword arguments of an expression, and what brings in others."""
        if path == "dict" and node.args:
            self.hide(node.args[0], called, "a call")
        if path == "setattr" and len(node.args) == 3:
            self.attribute(node, scope)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.hide(keyword.value, called, "keyword arguments, **…")
            elif not path:
                self.miss(keyword.value, (keyword.arg,), called, "an argument of an expression")

    def attribute(self, node: ast.Call, scope: Scope | None) -> None:
        """`setattr(server, "timeout", 5)`, or of a name that is worked out."""
        owner, name, value = node.args
        within = self.owned(path_of(owner), scope)
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            self.miss(value, (name.value,), within, "a call")
        else:
            self.hide(node, within, "a call")

    def dictionary(self, node: ast.Dict, scope: Scope | None, stack: list[Any]) -> None:
        """Items whose key is worked out, and other mappings put in."""
        super().dictionary(node, scope, stack)
        for key, value in zip(node.keys, node.values, strict=True):
            if key_of(key) is None:
                self.hide(value, scope, "a computed key" if key is not None else "a mapping, **…")

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope | None, stack: list[Any]) -> None:
        """A property is worked out when it is asked for."""
        if any("property" in path_of(each) for each in node.decorator_list):
            self.miss(node, (node.name,), scope, "a property")
        super().function(node, scope, stack)

    def binding(self, node: ast.AST, scope: Scope | None, stack: list[Any]) -> None:
        """Names that statements bind, but for those inside an expression."""
        super().binding(node, scope, stack)
        match node:
            case ast.AugAssign(target=target):
                self.taken(target, scope, target, "an update")
            case (
                ast.For(target=target) | ast.AsyncFor(target=target) | ast.withitem(optional_vars=ast.expr() as target)
            ):
                self.taken(target, scope, target, "a part of something")

    def imported(self, node: ast.Import | ast.ImportFrom, scope: Scope | None, stack: list[Any]) -> None:
        """Names that another module gives their values."""
        super().imported(node, scope, stack)
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            if alias.name == "*":
                self.hide(node, scope, "an import of everything")
            else:
                self.miss(node, (alias.asname or alias.name,), scope, "an import")

    def arithmetic(self, node: ast.expr, route: Steps, scope: Scope | None) -> None:
        """Dictionaries are put together by `|`."""
        super().arithmetic(node, route, scope)
        if isinstance(node, ast.BinOp) and (isinstance(node.left, ast.Dict) or isinstance(node.right, ast.Dict)):
            self.hide(node, scope, "a mapping, | …")

    def miss(self, node: ast.AST, route: Steps, scope: Scope | None, reason: str) -> None:
        """A value that is not listed elsewhere."""
        start, end = self.source.span(node)
        self.found.miss(start, end, route, scope, reason)

    def hide(self, node: ast.AST, scope: Scope | None, reason: str) -> None:
        """What may bring keys into a scope."""
        start, end = self.source.span(node)
        self.found.hide(start, end, scope, reason)
