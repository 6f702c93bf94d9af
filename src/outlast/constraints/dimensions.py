"""Dimensions: every formula adds and compares like with like, and names without a unit get one from the rules.

A dimension is a power of time: 1 for a duration, 0 for a number (count or ratio), -1 for a rate. Each operator gives one
equation between powers, linear in those that are not known; an equation with one of them left determines it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Final

from outlast.constraints.expression import (
    And,
    Bool,
    Call,
    Compare,
    Expr,
    If,
    Implies,
    Is,
    Literal,
    Name,
    Not,
    Or,
    Product,
    Quantile,
    Span,
    Sum,
    walk,
)
from outlast.constraints.quantities import DURATION_UNITS
from outlast.constraints.record import record
from outlast.constraints.syntax import to_text

__all__ = ["DimensionError", "dimension_name", "dimension_of", "solve_dimensions"]

#: What the arguments of a function must be; the functions not listed take arguments of one dimension.
_SIGNATURES: Final[dict[str, tuple[tuple[str, int], ...]]] = {
    "backoff": (("base", 1), ("factor", 0), ("cap", 1), ("number of retries", 0)),
    "tcp_give_up": (("number of retries", 0),),
    "ceil": (("argument", 0),),
    "floor": (("argument", 0),),
}
_RESULTS: Final = {"backoff": 1, "tcp_give_up": 1, "ceil": 0, "floor": 0}
_CONDITIONS: Final = (Compare, Is, And, Or, Not, Implies)


@record(kw_only=True)
class DimensionError:
    """Two dimensions that do not go together, or a name without one.

    `key` is that of the formula in which `span` lies. `name` is the parameter that has no dimension; `key` is None where
    no formula mentions it.
    """

    key: str | None
    message: str
    span: Span
    name: str | None = None


def dimension_name(exponent: int) -> str:
    """The dimension in words.

    >>> [dimension_name(e) for e in (1, 0, -1, 2)]
    ['duration', 'number', 'rate', 'duration^2']
    """
    return {1: "duration", 0: "number", -1: "rate"}.get(exponent, f"duration^{exponent}")


def dimension_of(expr: Expr, dimensions: Mapping[str, int]) -> int:
    """The power of time of an expression whose operators have been checked.

    Raises:
        KeyError: `dimensions` lacks a name.
    """
    match expr:
        case Literal():
            return expr.time_exponent
        case Name(name=name):
            return dimensions[name]
        case Quantile():
            return 1
        case Sum(terms=terms):
            return dimension_of(terms[0][1], dimensions)
        case Product(factors=factors):
            return sum(power * dimension_of(part, dimensions) for power, part in factors)
        case Call(function=function, arguments=arguments):
            return _RESULTS[function] if function in _RESULTS else dimension_of(arguments[0], dimensions)
        case If(then=then):
            return dimension_of(then, dimensions)


def solve_dimensions(
    formulas: Iterable[tuple[str, Bool | Expr]], known: Mapping[str, int], unknown: Collection[str] = ()
) -> tuple[dict[str, int], list[DimensionError]]:
    """Check the dimensions of formulas and infer those of the names in `unknown` from them.

    An expression that is no condition defines the name that is its key, where `known` or `unknown` has that name: both
    have the same dimension. A name in neither is taken to fit everywhere.

    Returns:
        The dimensions of the names in `unknown` that the formulas determine, and the errors in the order of the formulas
        and of their texts, those about names last. What follows from an error is not reported again.
    """
    equations = _Equations(known, unknown)
    mentions: dict[str, tuple[str, Span]] = {}
    for key, formula in formulas:
        if equations.unsettled:
            for node in walk(formula):
                if isinstance(node, (Name, Is)):
                    mentions.setdefault(node.name, (key, node.span))
        equations.read(key, formula)
    return equations.solve(mentions)


@record
class _Power:
    """A power of time: a constant, and multiples of those of names that are not known yet."""

    constant: int
    names: dict[str, int] = field(default_factory=dict)

    def minus(self, other: _Power) -> _Power:
        names = dict(self.names)
        for name, times in other.names.items():
            names[name] = names.get(name, 0) - times
        return _Power(self.constant - other.constant, {name: times for name, times in names.items() if times})


@record(kw_only=True)
class _Equation:
    """Two powers that must be equal, and how to say that they are not."""

    key: str
    #: The number of the formula, and the span of the operator or argument.
    order: tuple[int, Span]
    left: _Power
    right: _Power
    #: With {left} and {right} for the two dimensions.
    message: str
    #: The operands, where a hint can be made from them.
    operands: tuple[Expr, ...]
    #: The ranges of equations that speak of the operands' insides: where one is wrong, this one says nothing.
    inside: tuple[tuple[int, int], ...]


@record
class _Operand:
    """An expression with its power and the range of the equations inside it."""

    expr: Expr
    power: _Power | None
    inside: tuple[int, int]


class _Equations:
    """Collects equations from formulas, then solves them."""

    def __init__(self, known: Mapping[str, int], unknown: Collection[str]) -> None:
        self.known = known
        self.unsettled = [name for name in sorted(unknown) if name not in known]
        self.powers = {name: _Power(0, {name: 1}) for name in self.unsettled}
        self.equations: list[_Equation] = []
        self.key = ""
        self.formulas = 0

    def read(self, key: str, formula: Bool | Expr) -> None:
        self.key = key
        self.formulas += 1
        if isinstance(formula, _CONDITIONS):
            self._condition(formula)
            return
        operand = self._operand(formula)
        own = _Operand(formula, self._name(key), operand.inside)
        self._equal(formula.span, own, operand, f"'{key}' is a {{left}}, but its formula is a {{right}}")

    def _condition(self, formula: Bool) -> None:
        stack: list[Bool] = [formula]
        while stack:
            match stack.pop():
                case Compare() as node:
                    message = f"'{node.op.value}' compares a {{left}} with a {{right}}"
                    self._equal(node.span, self._operand(node.left), self._operand(node.right), message)
                case And(parts=parts) | Or(parts=parts):
                    stack.extend(reversed(parts))
                case Not(part=part):
                    stack.append(part)
                case Implies() as node:
                    stack += [node.conclusion, node.condition]
                case Is():
                    pass

    def _name(self, name: str) -> _Power | None:
        return _Power(self.known[name]) if name in self.known else self.powers.get(name)

    def _operand(self, expr: Expr) -> _Operand:
        start = len(self.equations)
        power = self._power(expr)
        return _Operand(expr, power, (start, len(self.equations)))

    def _equal(self, span: Span, left: _Operand, right: _Operand, message: str) -> None:
        if left.power is None or right.power is None:
            return
        equation = _Equation(
            key=self.key,
            order=(self.formulas, span),
            left=left.power,
            right=right.power,
            message=message,
            operands=(left.expr, right.expr),
            inside=(left.inside, right.inside),
        )
        self.equations.append(equation)

    def _power(self, expr: Expr) -> _Power | None:
        """The power of an expression, None where a name in it is neither known nor to be found."""
        match expr:
            case Literal():
                return _Power(expr.time_exponent)
            case Name(name=name):
                return self._name(name)
            case Quantile():
                return _Power(1)
            case Sum():
                return self._sum(expr)
            case Product(factors=factors):
                return self._product(factors)
            case Call(function=function, arguments=arguments):
                if function in _SIGNATURES:
                    return self._signature(expr)
                return self._alike(f"the arguments of '{function}'", arguments)
            case If():
                self._condition(expr.condition)
                return self._alike("the two values of 'if'", (expr.then, expr.otherwise))

    def _product(self, factors: tuple[tuple[int, Expr], ...]) -> _Power | None:
        constant, names, is_known = 0, dict[str, int](), True
        for direction, part in factors:
            factor = self._power(part)
            if factor is None:
                is_known = False
                continue
            constant += direction * factor.constant
            for name, times in factor.names.items():
                names[name] = names.get(name, 0) + direction * times
        return _Power(constant, {name: times for name, times in names.items() if times}) if is_known else None

    def _sum(self, expr: Sum) -> _Power | None:
        first: _Operand | None = None
        for i, (sign, term) in enumerate(expr.terms):
            operand = self._operand(term)
            if first is None or first.power is None:
                first = operand
                continue
            message = "'+' adds a {right} to a {left}" if sign > 0 else "'-' subtracts a {right} from a {left}"
            span = expr.operators[i] if i < len(expr.operators) else expr.span
            self._equal(span, first, operand, message)
        return first.power if first else None

    def _alike(self, what: str, arguments: tuple[Expr, ...]) -> _Power | None:
        first: _Operand | None = None
        for argument in arguments:
            operand = self._operand(argument)
            if first is None or first.power is None:
                first = operand
                continue
            message = f"{what} need one dimension, found a {{left}} and a {{right}}"
            self._equal(argument.span, first, operand, message)
        return first.power if first else None

    def _signature(self, call: Call) -> _Power:
        for (what, exponent), argument in zip(_SIGNATURES[call.function], call.arguments, strict=False):
            operand = self._operand(argument)
            if call.function in ("ceil", "floor"):
                message = f"'{call.function}' takes a plain number, found a {{left}}"
            else:
                message = f"the {what} of '{call.function}' is a {{right}}, found a {{left}}"
            self._equal(argument.span, operand, _Operand(call, _Power(exponent), (0, 0)), message)
        return _Power(_RESULTS[call.function])

    def solve(self, mentions: Mapping[str, tuple[str, Span]]) -> tuple[dict[str, int], list[DimensionError]]:
        """Take the equations in turn; a name that is found brings those back in which it was the last but one."""
        differences = [equation.left.minus(equation.right) for equation in self.equations]
        missing = [len(difference.names) for difference in differences]
        uses: dict[str, list[int]] = {name: [] for name in self.unsettled}
        for i, difference in enumerate(differences):
            for name in difference.names:
                uses[name].append(i)
        solved: dict[str, int] = {}
        spoilt: set[str] = set()
        wrong: list[int] = []
        queue = [i for i in reversed(range(len(differences))) if missing[i] <= 1]
        while queue:
            i = queue.pop()
            left = _filled(differences[i], solved)
            if any(bisect_left(wrong, first) < bisect_left(wrong, end) for first, end in self.equations[i].inside):
                spoilt.update(left.names)
            elif not left.names:
                if left.constant and (i not in wrong):
                    insort(wrong, i)
            else:
                ((name, times),) = left.names.items()
                if left.constant % times:
                    continue
                solved[name] = -left.constant // times
                for j in uses[name]:
                    missing[j] -= 1
                queue.extend(j for j in reversed(uses[name]) if j != i and missing[j] <= 1)
        reached = sorted(spoilt)
        while reached:
            for i in uses[reached.pop()]:
                names = differences[i].names.keys() - solved.keys() - spoilt
                spoilt |= names
                reached.extend(sorted(names))
        found = sorted((self.equations[i] for i in wrong), key=lambda equation: equation.order)
        errors = [_mismatch(equation, solved) for equation in found]
        for name in self.unsettled:
            key, span = mentions.get(name, (None, (0, 0)))
            if name not in solved and name not in spoilt:
                message = f"no rule says whether '{name}' is a duration, a number or a rate; give its values a unit"
                errors.append(DimensionError(key=key, message=message, span=span, name=name))
            elif name in solved and abs(solved[name]) > 1:
                message = f"the rules make '{name}' a {dimension_name(solved.pop(name))}, expected a duration, a number or a rate"
                errors.append(DimensionError(key=key, message=message, span=span, name=name))
        return solved, errors


def _filled(power: _Power, solved: Mapping[str, int]) -> _Power:
    constant = power.constant + sum(times * solved[name] for name, times in power.names.items() if name in solved)
    return _Power(constant, {name: times for name, times in power.names.items() if name not in solved})


def _mismatch(equation: _Equation, solved: Mapping[str, int]) -> DimensionError:
    left, right = _filled(equation.left, solved), _filled(equation.right, solved)
    if left.names or right.names:
        factor = dimension_name(left.constant - right.constant)
        message = f"the two sides differ by a {factor}, whatever {_listed(left.names | right.names)} may be"
        return DimensionError(key=equation.key, message=message, span=equation.order[1])
    message = equation.message.format(left=dimension_name(left.constant), right=dimension_name(right.constant))
    first, second = equation.operands
    hint = _literal_hint(first, right.constant) or _literal_hint(second, left.constant)
    if isinstance(second, Call) and second.function in ("ceil", "floor") and first in second.arguments:
        hint = _rounding_hint(second.function, first, left.constant)
    return DimensionError(key=equation.key, message=message + hint, span=equation.order[1])


def _literal_hint(expr: Expr, wanted: int) -> str:
    if not isinstance(expr, Literal) or expr.time_exponent != 0 or not expr.text[-1:].isdigit():
        return ""
    if wanted == 1:
        return "; write 0s" if expr.value == 0 else f"; did you mean '{expr.text}s' or '{expr.text}ms'?"
    return f"; did you mean '{expr.text}/s'?" if wanted == -1 else ""


def _rounding_hint(function: str, argument: Expr, exponent: int) -> str:
    if abs(exponent) != 1:
        return ""
    second = Literal(value=Fraction(DURATION_UNITS["s"]), time_exponent=1, text="1s")
    text = to_text(Product(factors=((1, argument), (-exponent, second))))
    if len(text) > 40:
        text = "x / 1s" if exponent == 1 else "x * 1s"
    return f"; {'divide' if exponent == 1 else 'multiply'} by a unit: {function}({text})"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names))
