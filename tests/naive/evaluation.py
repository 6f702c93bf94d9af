"""Normal form and three-valued evaluation as docs/semantics.md describes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

from naive.language import (
    INFINITE,
    OFF,
    SECOND,
    All,
    AnyOf,
    Bool,
    Cmp,
    Expr,
    Fn,
    If,
    Implies,
    Is,
    Margin,
    Not,
    Num,
    Par,
    Prod,
    Sum,
    Value,
)

#: The comparisons that do not say which side is smaller; a negated multiple_of is spelled with `not`.
UNORDERED = {"==": "!=", "!=": "==", "multiple_of": "not multiple_of"}
MINUS_INFINITE, UNDEFINED = "-infinite", "undefined"
#: How many thousandths a score has at most.
FULL = 1000

Env = Mapping[str, Value]
#: Atoms (parameters, or functions by their text) with their exponents.
Monomial = tuple[tuple[str, int], ...]
Polynomial = dict[Monomial, Fraction]
#: Terms as they are added up: the coefficient and the atoms.
Terms = list[tuple[int | Fraction, tuple[tuple["str | Function", int], ...]]]


@dataclass
class Function:
    """A function of parameters, which sums and products treat as one thing."""

    name: str
    args: list[Terms]
    condition: Test | None = None


@dataclass
class Comparison:
    """`left op right` in normal form, op one of < <= == !=; the sides of a multiple_of are as they stand."""

    op: str
    left: Terms
    right: Terms


@dataclass
class Group:
    """How: and, or, => (two parts)."""

    how: str
    parts: list[Test]


Test = Comparison | Is | Group


def shortened(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


class Normaliser:
    """Brings formulas into normal form; knows the derived parameters and the functions met so far."""

    def __init__(self, derived: Mapping[str, Expr]) -> None:
        self.derived = derived
        self.functions: dict[str, Function] = {}

    def polynomial(self, e: Expr) -> Polynomial:
        match e:
            case Num():
                return {(): e.value} if e.value else {}
            case Par():
                return (
                    self.polynomial(self.derived[e.name]) if e.name in self.derived else {((e.name, 1),): Fraction(1)}
                )
            case Sum():
                return added((sign, self.polynomial(term)) for sign, term in e.terms)
            case Fn(name="sum"):
                return added((1, self.polynomial(term)) for term in e.args)
            case Prod():
                result: Polynomial = {(): Fraction(1)}
                for exponent, factor in e.factors:
                    poly = self.polynomial(factor)
                    result = multiplied(result, poly if exponent > 0 else self.inverse(poly))
                return result
            case Fn():
                return self.function(e.name, [self.polynomial(a) for a in e.args])
            case If():
                branches = [self.polynomial(e.then), self.polynomial(e.otherwise)]
                return self.function("if", branches, self.test(e.condition))

    def inverse(self, poly: Polynomial) -> Polynomial:
        if len(poly) != 1:
            raise NotImplementedError("the reference divides by single terms only")
        ((monomial, factor),) = poly.items()
        return {tuple((atom, -exponent) for atom, exponent in monomial): 1 / factor}

    def function(self, name: str, args: list[Polynomial], condition: Test | None = None) -> Polynomial:
        text = f"{name}({'; '.join(poly_text(a) for a in args)}; {condition})"
        self.functions.setdefault(text, Function(name, [self.terms(a) for a in args], condition))
        return {((text, 1),): Fraction(1)}

    def terms(self, poly: Polynomial) -> Terms:
        return [
            (shortened(factor), tuple((self.functions.get(atom, atom), exponent) for atom, exponent in monomial))
            for monomial, factor in poly.items()
        ]

    def test(self, b: Bool, negated: bool = False) -> Test:
        """The condition with `not` pushed inwards and its comparisons in normal form."""
        match b:
            case Not():
                return self.test(b.part, not negated)
            case Is():
                return Is(b.name, b.what, negated)
            case All() | AnyOf():
                how = "and" if isinstance(b, All) != negated else "or"
                return Group(how, [self.test(p, negated) for p in b.parts])
            case Implies():
                if negated:
                    return Group("and", [self.test(b.condition), self.test(b.conclusion, True)])
                return Group("=>", [self.test(b.condition), self.test(b.conclusion)])
            case Cmp():
                left, right, op = b.left, b.right, b.op
                if op in (">", ">="):
                    left, right, op = right, left, op.replace(">", "<")
                if op in UNORDERED:
                    op = UNORDERED[op] if negated else op
                elif negated:
                    left, right, op = right, left, {"<": "<=", "<=": "<"}[op]
                if "multiple" in op:
                    return Comparison(op, *(self.terms(self.polynomial(side)) for side in (left, right)))
                return self.comparison(op, left, right)

    def comparison(self, op: str, left: Expr, right: Expr) -> Comparison:
        poly = added([(1, self.polynomial(left)), (-1, self.polynomial(right))])
        return Comparison(
            op,
            self.terms({m: c for m, c in poly.items() if c > 0}),
            self.terms({m: -c for m, c in poly.items() if c < 0}),
        )


def added(parts: Iterable[tuple[int, Polynomial]]) -> Polynomial:
    total: Polynomial = {}
    for sign, poly in parts:
        for monomial, factor in poly.items():
            total[monomial] = total.get(monomial, Fraction(0)) + sign * factor
    return {m: c for m, c in total.items() if c}


def multiplied(a: Polynomial, b: Polynomial) -> Polynomial:
    products = []
    for (m, c), (n, d) in product(a.items(), b.items()):
        exponents = dict(m)
        for atom, exponent in n:
            exponents[atom] = exponents.get(atom, 0) + exponent
        products.append((1, {tuple(sorted((x, k) for x, k in exponents.items() if k)): c * d}))
    return added(products)


def poly_text(poly: Polynomial) -> str:
    return " + ".join(f"{c}*{m}" for m, c in sorted(poly.items()))


def value_of(terms: Terms, env: Env) -> Value:
    total: int | Fraction = 0
    endless = ""
    for factor, atoms in terms:
        value = factor
        bottom: int | Fraction = 1
        top_endless = bottom_endless = False
        for atom, exponent in atoms:
            v = env[atom] if isinstance(atom, str) else function_value(atom, env)
            if isinstance(v, str):
                if v in (OFF, UNDEFINED):
                    return v
                if exponent > 0:
                    top_endless = True
                    if v == MINUS_INFINITE:
                        value = -value
                else:
                    bottom_endless = True
            elif exponent == 1:
                value *= v
            elif exponent > 0:
                value *= v**exponent
            else:
                bottom *= v**-exponent
        if bottom == 0 or (top_endless and bottom_endless):
            return UNDEFINED
        if bottom_endless:
            continue
        if top_endless and value != 0:
            sign = INFINITE if value > 0 else MINUS_INFINITE
            if endless and endless != sign:
                return UNDEFINED
            endless = sign
        elif not top_endless:
            total += value if bottom == 1 else Fraction(value) / bottom
    return endless or total


def function_value(f: Function, env: Env) -> Value:
    if f.condition is not None:
        holds = truth(f.condition, env)
        return OFF if holds is None else value_of(f.args[0 if holds else 1], env)
    values = [value_of(a, env) for a in f.args]
    if f.name == "first_set":
        return next((v for v in values if v != OFF), OFF)
    for bad in (OFF, UNDEFINED):
        if bad in values:
            return bad
    match f.name:
        case "min":
            return smallest_of(values)
        case "max":
            return largest_of(values)
        case "ceil" | "floor":
            (v,) = values
            return v if isinstance(v, str) else (ceil(v) if f.name == "ceil" else floor(v))
        case "tcp_give_up":
            (n,) = values
            if isinstance(n, str):
                return n
            return sum((min(120 * SECOND, SECOND * (1 << i) // 5) for i in range(int(n) + 1)), start=0)
        case "backoff":
            base, factor, cap, retries = values
            if isinstance(retries, str) or isinstance(factor, str):
                raise NotImplementedError("a backoff without end")
            total: Value = 0
            for i in range(int(retries)):
                step = base if isinstance(base, str) else base * factor**i
                less = smallest_of([cap, step])
                total = INFINITE if isinstance(total, str) or isinstance(less, str) else total + less
            return total
    raise AssertionError(f.name)


def ordering(v: Value) -> tuple[int, int | Fraction]:
    if isinstance(v, str):
        return ({INFINITE: 1, MINUS_INFINITE: -1}[v], 0)
    return (0, v)


def smallest_of(values: list[Value]) -> Value:
    return min(values, key=ordering)


def largest_of(values: list[Value]) -> Value:
    return max(values, key=ordering)


def compare(c: Comparison, env: Env) -> tuple[bool | None, Value, Value]:
    """Whether it holds (None: not applicable), and both sides."""
    left, right = value_of(c.left, env), value_of(c.right, env)
    if "multiple" in c.op:
        found = is_multiple(left, right)
        if found is UNDEFINED:
            return False, left, UNDEFINED
        return (None if found is None else found == (c.op == "multiple_of")), left, right
    if isinstance(left, str) or isinstance(right, str):
        if OFF in (left, right):
            return None, left, right
        if UNDEFINED in (left, right):
            return False, left, right
        a, b = ordering(left), ordering(right)
        return holding(c.op, a, b), left, right
    return holding(c.op, left, right), left, right


def holding(op: str, a: Any, b: Any) -> bool:
    return bool({"<": a < b, "<=": a <= b, "==": a == b, "!=": a != b}[op])


def is_multiple(left: Value, right: Value) -> bool | str | None:
    """By the remainder; undefined where the quotient is, and None where a side is off."""
    if OFF in (left, right):
        return None
    if UNDEFINED in (left, right) or (isinstance(left, str) and isinstance(right, str)):
        return UNDEFINED
    if isinstance(right, str):
        return left == 0
    if right <= 0:
        return UNDEFINED
    return True if isinstance(left, str) else left % right == 0


def truth(test: Test, env: Env) -> bool | None:
    """Three-valued; margins play no part."""
    return judge(test, env, None, None)[0]


def is_what(test: Is, env: Env) -> bool:
    return (env[test.name] == test.what) != test.negated


def judge(test: Test, env: Env, margin: Margin | None, aim: Margin | None) -> tuple[bool | None, int]:
    """Whether it holds with its margin (None: not applicable), and how many thousandths it scores."""
    if isinstance(test, Comparison):
        holds, left, right = compare(test, env)
        if not holds or test.op not in ("<", "<="):
            return holds, FULL
        if margin is not None and not keeps(left, right, margin):
            return False, 0
        return True, FULL if aim is None else thousandths(left, right, aim)
    if isinstance(test, Is):
        return is_what(test, env), FULL
    if test.how == "=>":
        if not truth(test.parts[0], env):
            return True, FULL
        return judge(test.parts[1], env, margin, aim)
    parts = [judge(p, env, margin, aim) for p in test.parts]
    verdicts = [p[0] for p in parts]
    if test.how == "and":
        if False in verdicts:
            return False, 0
        return (True if True in verdicts else None), min(score for holds, score in parts)
    if True in verdicts:
        return True, max(score for holds, score in parts if holds)
    return (False if False in verdicts else None), FULL


def keeps(left: Value, right: Value, margin: Margin) -> bool:
    if isinstance(right, str):
        return True
    if isinstance(left, str):
        return left == MINUS_INFINITE
    return right >= (1 + margin.amount) * left if margin.relative else right - left >= margin.amount


def thousandths(left: Value, right: Value, aim: Margin) -> int:
    if isinstance(left, str) or isinstance(right, str) or left <= 0:
        return FULL
    room = Fraction(FULL * (right - left))
    return min(FULL, floor(room / (left * aim.amount if aim.relative else aim.amount)))
