"""Formulas, parameters and rules as plain data, and their text in an `outlast.yaml`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TypeVar

MS = 10**6
SECOND = 10**9
#: The two values that are not numbers.
INFINITE, OFF = "infinite", "off"

#: A number in the base unit (duration ns, rate per ns, count and ratio 1), INFINITE or OFF.
Value = int | Fraction | str

T = TypeVar("T")


def value_text(value: Value, kind: str) -> str:
    """The value as a user would write it."""
    if isinstance(value, str):
        return value
    if kind == "duration":
        if value % SECOND == 0:
            return f"{value // SECOND}s"
        if value % MS == 0:
            return f"{value // MS}ms"
        assert value == int(value)
        return f"{int(value)}ns"
    if kind == "rate":
        for unit, length in (("s", SECOND), ("min", 60 * SECOND), ("h", 3600 * SECOND)):
            if (value * length) % 1 == 0:
                return f"{int(value * length)}/{unit}"
        raise AssertionError(value)
    if kind == "ratio":
        assert (value * 100) % 1 == 0
        return f"{int(value * 100)}%"
    assert value % 1 == 0
    return str(int(value))


@dataclass(frozen=True)
class Num:
    value: Fraction
    text: str


@dataclass(frozen=True)
class Par:
    name: str
    #: How it is written, where that is not its name: `p90(rtt)`.
    text: str | None = None


@dataclass(frozen=True)
class Sum:
    """Each term with its sign."""

    terms: tuple[tuple[int, Expr], ...]


@dataclass(frozen=True)
class Prod:
    """Each factor with its exponent, 1 or -1."""

    factors: tuple[tuple[int, Expr], ...]


@dataclass(frozen=True)
class Fn:
    """One of min, max, sum, ceil, floor, first_set, backoff, tcp_give_up."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class If:
    condition: Bool
    then: Expr
    otherwise: Expr


Expr = Num | Par | Sum | Prod | Fn | If


@dataclass(frozen=True)
class Cmp:
    """`op` is a sign or multiple_of."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Is:
    name: str
    what: str
    #: Set where `not` has been pushed inwards.
    negated: bool = False


@dataclass(frozen=True)
class All:
    parts: tuple[Bool, ...]


@dataclass(frozen=True)
class AnyOf:
    parts: tuple[Bool, ...]


@dataclass(frozen=True)
class Not:
    part: Bool


@dataclass(frozen=True)
class Implies:
    condition: Bool
    conclusion: Bool


Bool = Cmp | Is | All | AnyOf | Not | Implies


def number(value: Fraction | int, kind: str) -> Num:
    return Num(Fraction(value), value_text(Fraction(value), kind))


def plus(*terms: Expr) -> Expr:
    return terms[0] if len(terms) == 1 else Sum(tuple((1, t) for t in terms))


def minus(left: Expr, right: Expr) -> Expr:
    return Sum(((1, left), (-1, right)))


def times(*factors: Expr) -> Expr:
    return Prod(tuple((1, f) for f in factors))


def over(left: Expr, right: Expr) -> Expr:
    return Prod(((1, left), (-1, right)))


def parts(node: Expr | Bool) -> tuple[Expr | Bool, ...]:
    """The nodes directly below."""
    match node:
        case Num() | Par() | Is():
            return ()
        case Sum():
            return tuple(term for _, term in node.terms)
        case Prod():
            return tuple(factor for _, factor in node.factors)
        case Fn():
            return node.args
        case If():
            return (node.condition, node.then, node.otherwise)
        case Cmp():
            return (node.left, node.right)
        case All() | AnyOf():
            return node.parts
        case Not():
            return (node.part,)
        case Implies():
            return (node.condition, node.conclusion)


def expr_text(e: Expr) -> str:
    match e:
        case Num():
            return e.text
        case Par():
            return e.name if e.text is None else e.text
        case Sum():
            out = ""
            for i, (sign, term) in enumerate(e.terms):
                text = expr_text(term)
                if isinstance(term, Sum):
                    text = f"({text})"
                assert i or sign > 0
                out += (" + " if sign > 0 else " - ") * bool(i) + text
            return out
        case Prod():
            out = ""
            for i, (exponent, factor) in enumerate(e.factors):
                text = expr_text(factor)
                if isinstance(factor, (Sum, Prod)):
                    text = f"({text})"
                assert i or exponent > 0
                out += (" * " if exponent > 0 else " / ") * bool(i) + text
            return out
        case Fn():
            return f"{e.name}({', '.join(expr_text(a) for a in e.args)})"
        case If():
            return f"if({bool_text(e.condition)}, {expr_text(e.then)}, {expr_text(e.otherwise)})"


def bool_text(b: Bool) -> str:
    def inner(part: Bool) -> str:
        return bool_text(part) if isinstance(part, (Cmp, Is)) else f"({bool_text(part)})"

    match b:
        case Cmp(op="multiple_of"):
            return f"multiple_of({expr_text(b.left)}, {expr_text(b.right)})"
        case Cmp():
            return f"{expr_text(b.left)} {b.op} {expr_text(b.right)}"
        case Is():
            assert not b.negated
            return f"{b.name} is {b.what}"
        case All():
            return " and ".join(map(inner, b.parts))
        case AnyOf():
            return " or ".join(map(inner, b.parts))
        case Not():
            return f"not ({bool_text(b.part)})"
        case Implies():
            return f"{inner(b.condition)} => {inner(b.conclusion)}"


@dataclass(frozen=True)
class Parameter:
    name: str
    #: fact, fixed, free or derived; or measurement, whose samples are all the same
    role: str
    kind: str
    #: Of a fact or a fixed parameter.
    value: Value | None = None
    #: Of a fact that is an interval, or of a free parameter; no upper end: None.
    interval: tuple[Fraction, Fraction | None] | None = None
    #: Of a free parameter with a list.
    choices: tuple[Value, ...] | None = None
    step: Fraction | None = None
    #: What a 0 means, where it is no number of its own.
    zero: Value | None = None
    current: Value | None = None
    #: high or low
    prefer: str | None = None
    formula: Expr | None = None
    #: For an interval without an upper end: no feasible point has a value this great (a rule says so).
    beyond: Fraction | None = None
    #: A number, or `never`; None: as if not written.
    cost: int | str | None = None

    @property
    def granularity(self) -> Fraction:
        defaults = {
            "duration": Fraction(MS),
            "count": Fraction(1),
            "rate": Fraction(1, SECOND),
            "ratio": Fraction(1, 100),
        }
        return defaults[self.kind] if self.step is None else self.step

    def items(self) -> list[tuple[str, str]]:
        """The keys and their texts."""

        def text(value: Value) -> str:
            return value_text(value, self.kind)

        found: list[tuple[str, str]] = []
        if self.role == "measurement":
            return [("samples", f"{self.name}.csv"), ("unit", "ns"), ("taken", "2026-10-20")]
        if self.role == "derived":
            assert self.formula is not None
            found.append(("derived", expr_text(self.formula)))
        elif self.choices is not None:
            found.append((self.role, "[" + ", ".join(map(text, self.choices)) + "]"))
        elif self.interval is not None:
            low, high = self.interval
            found.append((self.role, f"{text(low)}..{'' if high is None else text(high)}"))
        else:
            assert self.value is not None
            found.append((self.role, text(self.value)))
        if self.step is not None:
            found.append(("step", text(self.step)))
        if self.zero is not None:
            found.append(("zero", text(self.zero)))
        if self.current is not None:
            found.append(("current", text(self.current)))
        if self.prefer is not None:
            found.append(("prefer", self.prefer))
        if self.cost is not None:
            found.append(("cost", str(self.cost)))
        return found

    def samples(self) -> str:
        """The file of a measurement: enough equal samples for p90 to be bounded by that value."""
        return f"{self.value}\n" * 60


@dataclass(frozen=True)
class Margin:
    amount: Fraction
    relative: bool

    def text(self) -> str:
        return value_text(self.amount, "ratio" if self.relative else "duration")


@dataclass(frozen=True)
class Rule:
    id: str
    require: Bool | None = None
    #: Of a chain `a < b <= c`: its expressions and the signs between them.
    chain: tuple[Expr, ...] = ()
    signs: tuple[str, ...] = ()
    when: Bool | None = None
    should: bool = False
    weight: int = 1
    margin: Margin | None = None
    aim: Margin | None = None
    needs_on: tuple[str, ...] = ()
    #: A number, or `never`; None: as if not written.
    cost: int | str | None = None
    #: What stands there in place of `require`.
    written: str | None = None

    def items(self) -> list[tuple[str, str]]:
        if self.written is not None:
            text = self.written
        elif self.require is None:
            text = expr_text(self.chain[0])
            for sign, part in zip(self.signs, self.chain[1:], strict=True):
                text += f" {sign} {expr_text(part)}"
        else:
            text = bool_text(self.require)
        found = [("require", text)]
        if self.when is not None:
            found.append(("when", bool_text(self.when)))
        if self.should:
            found.append(("level", "should"))
            if self.weight != 1:
                found.append(("weight", str(self.weight)))
        if self.margin is not None:
            found.append(("margin", self.margin.text()))
        if self.aim is not None:
            found.append(("aim", self.aim.text()))
        if self.needs_on:
            found.append(("needs_on", "[" + ", ".join(self.needs_on) + "]"))
        if self.cost is not None:
            found.append(("cost", str(self.cost)))
        return found

    def links(self) -> list[Rule]:
        """The rule itself, or each link of the chain as a rule of its own."""
        if self.require is not None:
            return [self]
        pairs = zip(self.chain, self.signs, self.chain[1:], strict=False)
        return [
            replace(self, id=f"{self.id}/{i}", require=Cmp(sign, left, right), chain=(), signs=())
            for i, (left, sign, right) in enumerate(pairs, 1)
        ]


@dataclass(frozen=True)
class Spec:
    parameters: tuple[Parameter, ...]
    rules: tuple[Rule, ...]

    def to_text(self, shuffle: Random | None = None) -> str:
        """The spec as `outlast.yaml`; `shuffle` permutes everything whose order has no meaning."""

        def mixed(things: list[T]) -> list[T]:
            return things if shuffle is None else shuffle.sample(things, len(things))

        def section(title: str, entries: list[tuple[str, list[tuple[str, str]]]]) -> str:
            lines = [f"{title}:"]
            for name, items in mixed(entries):
                lines += [f"  {name}:", *(f"    {key}: {text}" for key, text in mixed(items))]
            return "\n".join(lines) + "\n"

        measured = [p for p in self.parameters if p.role == "measurement"]
        sections = [
            section("parameters", [(p.name, p.items()) for p in self.parameters if p not in measured]),
            section("rules", [(r.id, r.items()) for r in self.rules]),
        ]
        if measured:
            sections.append(section("measurements", [(p.name, p.items()) for p in measured]))
        return "outlast: 1\n" + "".join(mixed(sections))
