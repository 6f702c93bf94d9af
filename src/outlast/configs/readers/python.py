"""Reads Python as settings: what is assigned, passed, written in dictionaries or given as a default, by the standard library's parser.

A route is the last name alone; classes, functions, calls, variables and keys around it are scope. Nothing is listed for an expression that
is neither constant nor a name; the walk goes on inside it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

from outlast.configs.readers.found import Scope, Steps, Values, names_of
from outlast.configs.readers.python_amounts import NO_SPELLING, Amount, amount_of, computed, path_of, timedelta_of
from outlast.configs.readers.python_source import Source, parse
from outlast.configs.readers.texts import defined_at
from outlast.configs.setting import Content, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.record import replace

__all__ = ["Walk", "encode", "key_of", "pairs_of", "read"]

#: Functions whose first argument, or `default`, is what a field gets.
_FIELDS: Final = frozenset({"Field", "field"})
_CASTS: Final = frozenset({"int", "float", "str"})
_ENVIRONMENT: Final = frozenset({"os.environ.get", "environ.get", "os.getenv", "getenv", "os.environ.setdefault"})
_SELVES: Final = frozenset({"self", "cls"})
_DEFAULTED: Final = "an expression with a default"
#: What arithmetic with names consists of.
_PARTS: Final = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.operator, ast.unaryop, ast.expr_context)

#: One text on one line; each turn takes one character or one escape.
_STRING: Final = re.compile(
    r"""([uUrR]?)(?:("{3})(?:(?!"{3})[^\\\r\n]|\\[^\r\n])*"{3}|('{3})(?:(?!'{3})[^\\\r\n]|\\[^\r\n])*'{3}"""
    r"""|(")(?:[^"\\\r\n]|\\[^\r\n])*"|(')(?:[^'\\\r\n]|\\[^\r\n])*')"""
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a Python file.

    Raises:
        OutlastError: with a place; it is no Python that this interpreter parses, not UTF-8, or nested too deeply.
    """
    return Walk(parse(data, file), file).settings()


def encode(setting: Setting, text: str) -> str:
    """A text in the quotes that stand there; `True`, `False` and `None` only by their like.

    Raises:
        OutlastError: without a place; it cannot be written there.
    """
    content = setting.content
    if not isinstance(content, Literal):
        raise OutlastError("expected a text to replace, found an expression")
    if not content.is_text:
        alike = next(words for words in (("True", "False"), ("None",)) if content.text in words)
        if text not in alike:
            raise OutlastError(f"expected {' or '.join(alike)}, found '{text}'")
        return text
    prefix = setting.raw[: setting.raw.index(content.quote)]
    body = text if prefix in ("r", "R") else _escaped(text, content.quote)
    written = f"{prefix}{content.quote}{body}{content.quote}"
    if not _STRING.fullmatch(written) or _value(written) != text:
        raise OutlastError(f"expected a text that can stand in a raw string, found '{text}'")
    return written


def _value(written: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.literal_eval(written)
        except (SyntaxError, ValueError):
            return None


def _escaped(text: str, quote: str) -> str:
    body = text.replace("\\", "\\\\").replace(quote[0], "\\" + quote[0])
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in body)


#: Fields in which neither values nor names stand.
_NO_CHILDREN: Final = frozenset(
    ("ctx", "op", "ops", "name", "id", "attr", "arg", "names", "kind", "type_comment", "module", "level", "annotation",
     "returns", "type_params", "asname")
)  # fmt: skip
_CHILDREN: Final[dict[type, tuple[str, ...]]] = {
    node: tuple(name for name in node._fields if name not in _NO_CHILDREN)
    for node in vars(ast).values()
    if isinstance(node, type) and issubclass(node, ast.AST)
}
# Positions inside formatted strings are wrong before Python 3.12.
_CHILDREN.update(dict.fromkeys((ast.Name, ast.Constant, ast.JoinedStr), ()))
if hasattr(ast, "TemplateStr"):
    _CHILDREN[ast.TemplateStr] = ()

#: Fields that bind what they name.
_TARGETS: Final[dict[type, str]] = {
    ast.For: "target",
    ast.AsyncFor: "target",
    ast.AugAssign: "target",
    ast.comprehension: "target",
    ast.withitem: "optional_vars",
}
_NAMED: Final[dict[type, str]] = {
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}


#: What is done with a node of a kind.
_Visits: TypeAlias = dict[type, Callable[[Any, Scope | None, list[Any]], None]]


class Walk:
    """One walk through a file's tree, without recursion: values, each with its route, before the rest of the same scope."""

    def __init__(self, source: Source, file: str) -> None:
        self.source = source
        self.file = file
        self.found = Values(source.data)
        self.rest: list[tuple[list[Any], Scope | None]] = [([source.tree], None)]
        self.values: list[tuple[ast.AST, Steps, Scope | None]] = []
        #: How often each name is bound anywhere in the file.
        self.bound: dict[str, int] = {}
        self.waiting: list[tuple[ast.expr, Steps, Scope | None]] = []
        self.constants = _assigned(source.tree)
        self.amounts: dict[str, Amount | None] = {}

    def settings(self) -> tuple[Setting, ...]:
        """All settings of the file."""
        rest, values, visits = self.rest, self.values, self.visits()
        while rest or values:
            while values:
                self.value(*values.pop())
            if rest:
                self.walk(*rest.pop(), visits)
        for node, route, scope in self.waiting:
            self.reference(node, route, scope)
        return self.found.settings()

    def walk(self, stack: list[Any], scope: Scope | None, visits: _Visits) -> None:
        """Look through what lies in one scope; values and inner scopes are kept for later."""
        while stack:
            node = stack.pop()
            visit = visits.get(node.__class__)
            if visit is not None:
                visit(node, scope, stack)
                continue
            # Lists may hold names and nothings beside nodes; these have no children.
            for name in _CHILDREN.get(node.__class__, ()):
                child = getattr(node, name)
                if child.__class__ is list:
                    stack += child
                else:
                    stack.append(child)

    def visits(self) -> _Visits:
        """What holds values or names; of any other node what lies in it is looked at."""
        return {
            ast.Assign: self.assignment,
            ast.AnnAssign: self.annotated,
            ast.NamedExpr: self.named,
            ast.Call: self.call,
            ast.Dict: self.dictionary,
            ast.FunctionDef: self.function,
            ast.AsyncFunctionDef: self.function,
            ast.Lambda: self.lambda_,
            ast.ClassDef: self.class_,
            ast.Import: self.imported,
            ast.ImportFrom: self.imported,
            ast.Global: self.rebound,
            ast.Nonlocal: self.rebound,
            **dict.fromkeys(_TARGETS, self.binding),
            **dict.fromkeys(_NAMED, self.naming),
        }

    def push(self, nodes: list[Any], scope: Scope | None) -> None:
        """Keep nodes of another scope for later."""
        if nodes:
            self.rest.append((nodes, scope))

    # What holds values.

    def assignment(self, node: ast.Assign, scope: Scope | None, stack: list[Any]) -> None:
        """Each name gets its value; of several equal ones the first names it."""
        for target in node.targets:
            self.bind(target, stack)
        for target, value in pairs_of(node.targets[0], node.value):
            self.assign(target, value, scope, stack)

    def annotated(self, node: ast.AnnAssign, scope: Scope | None, stack: list[Any]) -> None:
        """A name with a type, as a variable or as a field of a class."""
        self.bind(node.target, stack)
        if node.value is not None:
            self.assign(node.target, node.value, scope, stack)

    def named(self, node: ast.NamedExpr, scope: Scope | None, stack: list[Any]) -> None:
        """An assignment inside an expression."""
        self.bind(node.target, stack)
        self.assign(node.target, node.value, scope, stack)

    def assign(self, target: ast.expr, value: ast.expr, scope: Scope | None, stack: list[Any]) -> None:
        """One value for one target."""
        if (found := self.target(target, scope)) is not None:
            self.values.append((value, (found[0],), found[1]))
        else:
            stack.append(value)

    def target(self, target: ast.expr, scope: Scope | None) -> tuple[str, Scope | None] | None:
        """The name of what is assigned to, and its scope: what it belongs to, but for `self`; None: it has no name."""
        owner: ast.expr | None = None
        match target:
            case ast.Name(id=name):
                pass
            case ast.Attribute(value=owner, attr=name):
                pass
            case ast.Subscript(value=owner, slice=ast.Constant(value=str(name))):
                pass
            case _:
                return None
        return name, scope if owner is None else self.owned(path_of(owner), scope)

    def owned(self, path: str, scope: Scope | None) -> Scope | None:
        """The scope of what belongs to something: its names, but for `self`."""
        return self.found.inside(scope, names_of(path)) if path and path not in _SELVES else scope

    def bind(self, target: ast.expr, stack: list[Any]) -> None:
        """Count what a target binds; expressions inside it are looked through as any."""
        targets = [target]
        while targets:
            target = targets.pop()
            match target:
                case ast.Name(id=name):
                    self.bound[name] = self.bound.get(name, 0) + 1
                case ast.Tuple(elts=parts) | ast.List(elts=parts):
                    targets += parts
                case ast.Starred(value=part):
                    targets.append(part)
                case _:
                    stack += ast.iter_child_nodes(target)

    def call(self, node: ast.Call, scope: Scope | None, stack: list[Any]) -> None:
        """Arguments: those with a name in the scope of the call, others by their position."""
        func = node.func
        if func.__class__ is not ast.Name:
            stack.append(func)
        values = self.values
        path = path_of(func)
        if not path:
            stack += [k.value for k in node.keywords]
            stack += node.args
            self.passed(node, path, scope, scope)
            return
        called = self.found.inside(scope, names_of(path), self.source.start(node))
        if node.args:
            name = path.rpartition(".")[2]
            place = self.owned(path[: -len(name) - 1], scope)
            for number, argument in enumerate(node.args):
                if argument.__class__ is not ast.Name or argument.id in self.constants:
                    values.append((argument, (name, number), place))
                else:
                    self.miss(argument, (name, number), place, "a name")
        for keyword in node.keywords:
            if keyword.arg is None:
                stack.append(keyword.value)
            else:
                values.append((keyword.value, (keyword.arg,), called))
        self.passed(node, path, scope, called)

    def dictionary(self, node: ast.Dict, scope: Scope | None, stack: list[Any]) -> None:
        """Items whose key is a text or a number."""
        for key, value in zip(node.keys, node.values, strict=True):
            if (name := key_of(key)) is not None:
                self.values.append((value, (name,), scope))
            else:
                stack.append(value)
                if key is not None:
                    stack.append(key)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope | None, stack: list[Any]) -> None:
        """Defaults of parameters, decorators and the body, all in the function's scope."""
        self.bound[node.name] = self.bound.get(node.name, 0) + 1
        within = self.found.inside(scope, (node.name,), self.source.start(node))
        self.parameters(node.args, within)
        self.push([*node.decorator_list, *node.body], within)

    def lambda_(self, node: ast.Lambda, scope: Scope | None, stack: list[Any]) -> None:
        """Defaults of parameters, and the body."""
        self.parameters(node.args, scope)
        stack.append(node.body)

    def parameters(self, arguments: ast.arguments, scope: Scope | None) -> None:
        """Each default by the name of its parameter."""
        plain = [*arguments.posonlyargs, *arguments.args]
        for parameter in (*plain, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if parameter is not None:
                self.bound[parameter.arg] = self.bound.get(parameter.arg, 0) + 1
        defaults = arguments.defaults
        pairs = list(zip(plain[len(plain) - len(defaults) :], defaults, strict=True))
        pairs += [(p, d) for p, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
        self.values += [(default, (parameter.arg,), scope) for parameter, default in pairs]

    def class_(self, node: ast.ClassDef, scope: Scope | None, stack: list[Any]) -> None:
        """Fields are assignments in the class's scope."""
        self.bound[node.name] = self.bound.get(node.name, 0) + 1
        within = self.found.inside(scope, (node.name,), self.source.start(node))
        self.push([*node.decorator_list, *node.bases, *(k.value for k in node.keywords), *node.body], within)

    def binding(self, node: ast.AST, scope: Scope | None, stack: list[Any]) -> None:
        """Statements that bind what they name; the rest of them as any."""
        field = _TARGETS[node.__class__]
        if (target := getattr(node, field)) is not None:
            self.bind(target, stack)
        for name in _CHILDREN[node.__class__]:
            if name != field:
                child = getattr(node, name)
                stack += child if child.__class__ is list else [child]

    def naming(self, node: ast.AST, scope: Scope | None, stack: list[Any]) -> None:
        """Clauses that bind a name which is not an expression."""
        if name := getattr(node, _NAMED[node.__class__]):
            self.bound[name] = self.bound.get(name, 0) + 1
        stack += ast.iter_child_nodes(node)

    def imported(self, node: ast.Import | ast.ImportFrom, scope: Scope | None, stack: list[Any]) -> None:
        """Imports bind the first name of a path, or what follows `as`."""
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self.bound[name] = self.bound.get(name, 0) + 1

    def rebound(self, node: ast.Global | ast.Nonlocal, scope: Scope | None, stack: list[Any]) -> None:
        """A name that functions may bind anew is no constant."""
        for name in node.names:
            self.bound[name] = self.bound.get(name, 0) + 1

    # What is a value.

    def value(self, node: ast.AST, route: Steps, scope: Scope | None) -> None:
        """List what stands at a route, or look further inside it."""
        kind = node.__class__
        if kind is ast.Constant:
            if (content := self.constant(cast(ast.Constant, node))) is not None:
                self.add(node, route, scope, content)
            else:
                self.miss(node, route, scope, "an expression")
        elif kind is ast.Name:
            self.waiting.append((cast(ast.Name, node), route, scope))
        elif kind is ast.Call:
            self.called(cast(ast.Call, node), route, scope)
        elif kind is ast.Attribute:
            if (path := path_of(node)) and len(route) == 1 and not _is_passed_on(node, str(route[0])):
                self.add(node, route, scope, Opaque(f"a name, {path}"))
            else:
                self.push([node], scope)
                self.miss(node, route, scope, "a name")
        elif kind is ast.Dict:
            within = self.under(route, scope, node)
            rest: list[Any] = []
            self.dictionary(cast(ast.Dict, node), within, rest)
            self.push(rest, within)
        elif kind is ast.List or kind is ast.Tuple or kind is ast.Set:
            for number, element in enumerate(node.elts):  # type: ignore[attr-defined]  # lists, tuples and sets have elements
                self.values.append((element, (*route, number), scope))
        elif kind is ast.BinOp or kind is ast.UnaryOp:
            self.arithmetic(cast(ast.expr, node), route, scope)
        elif kind is ast.JoinedStr or kind.__name__ == "TemplateStr":
            self.add(node, route, scope, Opaque("a template, f'…'"))
        elif kind is ast.BoolOp and _is_environment(node.values[0], needs_default=False):  # type: ignore[attr-defined]  # `or`
            self.add(node, route, scope, Opaque(_DEFAULTED))
        else:
            self.push([node], self.under(route, scope, node))
            self.miss(node, route, scope, "a function" if kind is ast.Lambda else "an expression")

    def called(self, node: ast.Call, route: Steps, scope: Scope | None) -> None:
        """A call as a value: a `timedelta`, what the environment may tell, the default of a field, or anything, with arguments of its own."""
        path = path_of(node.func)
        name = path.rpartition(".")[2]
        if (content := timedelta_of(self.source, node)) is not None:
            self.add(node, route, scope, content)
        elif _is_environment(node, needs_default=True):
            self.add(node, route, scope, Opaque(_DEFAULTED))
        elif name in _FIELDS and len(route) == 1:
            default = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "default"), None)
            if default is not None:
                self.values.append((default, route, scope))
            else:
                self.miss(node, route, scope, "a call")
            within = self.found.inside(
                self.found.inside(scope, (str(route[0]),), self.source.start(node)), names_of(path)
            )
            for keyword in node.keywords:
                if keyword.value is not default and keyword.arg is not None:
                    self.values.append((keyword.value, (keyword.arg,), within))
        else:
            within = self.under(route, scope, node)
            self.push([node], within)
            self.miss(node, route, scope, "a call")

    def under(self, route: Steps, scope: Scope | None, node: ast.AST) -> Scope | None:
        """The scope of what lies inside a value: its name; positional arguments have none, since their call is told already."""
        name = str(route[0])
        if len(route) == 1:
            return self.found.inside(scope, (name,), self.source.start(node))
        return self.found.inside(
            scope, (name + "".join(f"[{step}]" for step in route[1:]), name), self.source.start(node)
        )

    def arithmetic(self, node: ast.expr, route: Steps, scope: Scope | None) -> None:
        """A constant expression; where it leans on names, these must be known first."""
        amount = amount_of(self.source, node, {})
        if amount is not None:
            self.add(node, route, scope, computed(amount))
        elif all(isinstance(n, _PARTS) for n in ast.walk(node)):
            self.waiting.append((node, route, scope))
        else:
            self.push([node], scope)
            self.miss(node, route, scope, "an expression")

    def reference(self, node: ast.expr, route: Steps, scope: Scope | None) -> None:
        """A name, or arithmetic with names, now that all that binds names is known."""
        for name in [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]:
            if name not in self.amounts:
                self.amounts[name] = self.defined(name)
        amount = amount_of(self.source, node, self.amounts)
        if amount is not None and amount.through is not None:
            self.add(node, route, scope, computed(amount), None if amount.coefficient else self.locked(amount.through))
        elif isinstance(node, ast.Name):
            definition = self.definition(node.id)
            if isinstance(definition, ast.Call) and (content := timedelta_of(self.source, definition)) is not None:
                content = replace(content, coefficient=None, spellings=NO_SPELLING)
                self.add(node, route, scope, content, self.locked(node.id))
            elif len(route) == 1 and node.id != route[0]:
                self.add(node, route, scope, Opaque(f"a name, {node.id}"))
            else:
                self.miss(node, route, scope, f"a name, {node.id}")
        else:
            self.miss(node, route, scope, "an expression")

    def locked(self, name: str) -> str:
        """Why a value behind a name is not changed where it is used."""
        return defined_at(name, self.file, self.constants[name].lineno)

    def definition(self, name: str) -> ast.expr | None:
        """What a name stands for, if it is bound once in the file, by the module."""
        return self.constants[name].value if name in self.constants and self.bound.get(name) == 1 else None

    def defined(self, name: str) -> Amount | None:
        """The number that a constant is, worked out without names: one level deep."""
        definition = self.definition(name)
        amount = None if definition is None else amount_of(self.source, definition, {})
        return None if amount is None else Amount(value=amount.value, is_whole=amount.is_whole, through=name)

    def constant(self, node: ast.Constant) -> Content | None:
        """The content of a literal; None for what is neither number nor text nor a word."""
        value = node.value
        kind = value.__class__
        if kind is int or kind is float:
            amount = amount_of(self.source, node, {})
            return Opaque("a number out of range") if amount is None else computed(amount)
        if kind is str:
            raw = self.source.text(node)
            match = _STRING.fullmatch(raw)
            if not str(value).isascii() and _SURROGATE.search(str(value)):
                return Opaque("a text that is no Unicode")
            if match is not None:
                return Literal(str(value), match[match.lastindex or 0], True)
            return Opaque("a block of text" if "\n" in raw or "\r" in raw else "several texts in a row")
        if kind is bool or value is None:
            return Literal(str(value))
        return Opaque("bytes") if kind is bytes else None

    def add(
        self, node: ast.AST, route: Steps, scope: Scope | None, content: Content, locked: str | None = None
    ) -> None:
        """One more setting."""
        start, end = self.source.span(node)
        self.found.add(start, end, route, scope, content, locked)

    # What is not listed: nothing here, and listed by the walk of python_unread.py.

    def miss(self, node: ast.AST, route: Steps, scope: Scope | None, reason: str) -> None:
        """A value that is not listed."""

    def passed(self, node: ast.Call, path: str, scope: Scope | None, called: Scope | None) -> None:
        """What else a call is given, by its path (none: of an expression) and the scope of its arguments with names."""


def pairs_of(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Each target of an assignment with its value; the whole of both where they are no lists alike."""
    if (
        isinstance(target, ast.Tuple | ast.List)
        and isinstance(value, ast.Tuple | ast.List)
        and len(value.elts) == len(target.elts)
        and not any(isinstance(e, ast.Starred) for e in (*target.elts, *value.elts))
    ):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def key_of(key: ast.expr | None) -> str | None:
    """The name that a dictionary's key is; None if it is worked out, or there is none, `**…`."""
    return str(key.value) if isinstance(key, ast.Constant) and isinstance(key.value, str | int) else None


def _assigned(tree: ast.Module) -> dict[str, ast.Assign | ast.AnnAssign]:
    """What is assigned to one name at the level of the module."""
    assigned: dict[str, ast.Assign | ast.AnnAssign] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]):
                assigned[name] = node
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                assigned[name] = node
    return assigned


def _is_passed_on(node: ast.AST, name: str) -> bool:
    """Whether a value is what is called the same elsewhere: `timeout=timeout`, `timeout=self.timeout`."""
    kind = node.__class__
    return (kind is ast.Name and node.id == name) or (kind is ast.Attribute and node.attr == name)  # type: ignore[attr-defined]  # of that kind


def _is_environment(node: ast.AST, *, needs_default: bool) -> bool:
    """Whether the environment tells the value, and the code another if it does not."""
    while True:
        if isinstance(node, ast.BoolOp):
            node, needs_default = node.values[0], False
        if not isinstance(node, ast.Call):
            return False
        path = path_of(node.func)
        if path in _ENVIRONMENT:
            return not needs_default or len(node.args) + len(node.keywords) > 1
        if path not in _CASTS or len(node.args) != 1 or node.keywords:
            return False
        node = node.args[0]
