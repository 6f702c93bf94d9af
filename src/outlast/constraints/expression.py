"""The typed tree of the rule language: what a formula says, before any value is known.

Arithmetic nodes carry the columns they came from (`span`: start and end offset in the formula's text), so that a
dimension error points at the operator. Sums and products are flat, so that a long formula is not a deep tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from typing import Final

from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import record

__all__ = [
    "FUNCTIONS",
    "And",
    "Bool",
    "Call",
    "Compare",
    "Expr",
    "If",
    "Implies",
    "Is",
    "Literal",
    "Name",
    "Not",
    "Op",
    "Or",
    "Product",
    "Quantile",
    "Span",
    "Sum",
    "children",
    "names_in",
    "quantiles_in",
    "walk",
]

Span = tuple[int, int]

#: Functions of numbers, with the fewest and the most arguments (None: any number).
FUNCTIONS: Final[dict[str, tuple[int, int | None]]] = {
    "min": (1, None),
    "max": (1, None),
    "sum": (1, None),
    "ceil": (1, 1),
    "floor": (1, 1),
    "first_set": (1, None),
    "backoff": (4, 4),
    "tcp_give_up": (1, 1),
}


class Op(Enum):
    """How two numbers of one dimension are compared: a sign, or the predicate of that name."""

    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    EQ = "=="
    NE = "!="
    MULTIPLE = "multiple_of"

    @property
    def orders(self) -> bool:
        """Whether it says which side is the smaller one."""
        return self in (Op.LT, Op.LE, Op.GT, Op.GE)


@record(kw_only=True)
class Literal:
    """A number in the base unit of its dimension; `text` is how it was written."""

    value: Fraction
    time_exponent: int
    text: str
    span: Span = (0, 0)


@record(kw_only=True)
class Name:
    """A parameter."""

    name: str
    span: Span = (0, 0)


@record(kw_only=True)
class Quantile:
    """`p99.9(measurement)`; `level` is 0.999 as a Fraction."""

    level: Fraction
    measurement: str
    span: Span = (0, 0)


@record(kw_only=True)
class Sum:
    """`a + b - c`: each term with its sign, +1 or -1."""

    terms: tuple[tuple[int, Expr], ...]
    #: The span of the operator before each term; the first term's is its own start.
    operators: tuple[Span, ...] = ()
    span: Span = (0, 0)


@record(kw_only=True)
class Product:
    """`a * b / c`: each factor with its exponent, +1 or -1."""

    factors: tuple[tuple[int, Expr], ...]
    operators: tuple[Span, ...] = ()
    span: Span = (0, 0)


@record(kw_only=True)
class Call:
    """A function of `FUNCTIONS` with its arguments."""

    function: str
    arguments: tuple[Expr, ...]
    span: Span = (0, 0)


@record(kw_only=True)
class If:
    """`if(condition, then, otherwise)`."""

    condition: Bool
    then: Expr
    otherwise: Expr
    span: Span = (0, 0)


Expr = Literal | Name | Quantile | Sum | Product | Call | If


@record(kw_only=True)
class Compare:
    """One comparison of two numbers; `multiple_of(left, right)` is one too."""

    op: Op
    left: Expr
    right: Expr
    #: Where the sign, or the name of the predicate, stands.
    span: Span = (0, 0)


@record(kw_only=True)
class Is:
    """`name is off` or `name is infinite`."""

    name: str
    sentinel: Sentinel
    span: Span = (0, 0)


@record(kw_only=True)
class And:
    """All parts hold; flat, so that a long one is not deep."""

    parts: tuple[Bool, ...]
    span: Span = (0, 0)


@record(kw_only=True)
class Or:
    """At least one part holds; flat."""

    parts: tuple[Bool, ...]
    span: Span = (0, 0)


@record(kw_only=True)
class Not:
    """The part does not hold."""

    part: Bool
    span: Span = (0, 0)


@record(kw_only=True)
class Implies:
    """`condition => conclusion`; right associative."""

    condition: Bool
    conclusion: Bool
    span: Span = (0, 0)


Bool = Compare | Is | And | Or | Not | Implies


def children(node: Expr | Bool) -> tuple[Expr | Bool, ...]:
    """The nodes directly below, in the order of the text."""
    match node:
        case Sum(terms=pairs) | Product(factors=pairs):
            return tuple(part for _, part in pairs)
        case Call(arguments=arguments):
            return arguments
        case If():
            return (node.condition, node.then, node.otherwise)
        case Compare():
            return (node.left, node.right)
        case And(parts=parts) | Or(parts=parts):
            return parts
        case Not():
            return (node.part,)
        case Implies():
            return (node.condition, node.conclusion)
        case _:
            return ()


def walk(node: Expr | Bool) -> Iterator[Expr | Bool]:
    """Every node of the tree, parents first, in the order of the text."""
    stack: list[Expr | Bool] = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))


def names_in(node: Expr | Bool) -> list[str]:
    """The parameters mentioned, each once, in the order of the text."""
    found = (n.name for n in walk(node) if isinstance(n, (Name, Is)))
    return list(dict.fromkeys(found))


def quantiles_in(node: Expr | Bool) -> list[Quantile]:
    """The quantiles mentioned, in the order of the text."""
    return [n for n in walk(node) if isinstance(n, Quantile)]
