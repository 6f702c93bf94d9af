"""Rules in normal form: inequalities L < R or L ≤ R between sums of positive terms, joined by and, or and =>.

`not` has been pushed inwards, `>` turned round, derived parameters replaced by their formulas, like terms collected.
Each comparison knows whether it is read with doubt against it (in a conclusion: its smaller side at its greatest) or
in its favour (in a condition, so that a condition counts as false only if it surely is).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from outlast.constraints import expression as ex
from outlast.constraints.dimensions import dimension_of
from outlast.constraints.errors import OutlastError
from outlast.constraints.model import Parameter, Role, Rule, Spec
from outlast.constraints.pictures import Picture
from outlast.constraints.polynomial import (
    MOST_TERMS,
    Apply,
    Atom,
    Group,
    Poly,
    Quant,
    Switch,
    TooManyTermsError,
    Var,
    constant,
    variable,
)
from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import record, replace

__all__ = [
    "All",
    "Either",
    "Equality",
    "Formula",
    "Given",
    "Inequality",
    "IsSentinel",
    "NormalRule",
    "comparisons",
    "derived_polys",
    "directions",
    "normalise",
    "polys_of",
    "scoring_inequalities",
]


@record(kw_only=True)
class Inequality:
    """left < right if strict, else left ≤ right."""

    left: Poly
    right: Poly
    strict: bool
    #: Bounded quantities are taken in favour of the comparison (it stands in a condition), else against it.
    optimistic: bool
    #: The power of time of both sides.
    time_exponent: int = 0

    def polys(self) -> Iterator[Poly]:
        """The polynomials in it."""
        yield self.left
        yield self.right

    @property
    def scores(self) -> bool:
        """Whether it has a margin and a score: conclusions do, conditions do not."""
        return not self.optimistic

    @property
    def sign(self) -> str:
        """The comparison sign."""
        return "<" if self.strict else "<="

    def text(self) -> str:
        """The inequality in the rule language."""
        exponent = self.time_exponent
        return f"{self.left.text(exponent)} {self.sign} {self.right.text(exponent)}"


@record(kw_only=True)
class Equality:
    """left == right, or their difference (`equal` False); or that left is a whole multiple of right, or is none."""

    left: Poly
    right: Poly
    equal: bool
    optimistic: bool
    #: The power of time of both sides.
    time_exponent: int = 0
    #: For a multiple what it comes to: left == right * floor(left / right), or their difference.
    means: Equality | None = None

    def polys(self) -> Iterator[Poly]:
        """The polynomials in it."""
        yield self.left
        yield self.right
        if self.means is not None:
            yield from self.means.polys()

    @property
    def sign(self) -> str:
        """The comparison sign, or in words that one side is a multiple of the other."""
        if self.means is not None:
            return "multiple of" if self.equal else "no multiple of"
        return "==" if self.equal else "!="

    def text(self) -> str:
        """The comparison in the rule language."""
        exponent = self.time_exponent
        if self.means is not None:
            says = f"multiple_of({self.left.text(exponent)}, {self.right.text(exponent)})"
            return says if self.equal else f"not {says}"
        return f"{self.left.text(exponent)} {self.sign} {self.right.text(exponent)}"


@record(kw_only=True)
class IsSentinel:
    """`name is off`, or `not (name is off)` where `positive` is False; `of` is what the name stands for."""

    name: str
    of: Poly
    sentinel: Sentinel
    positive: bool

    def polys(self) -> Iterator[Poly]:
        """The polynomials in it."""
        yield self.of

    def text(self) -> str:
        """The predicate in the rule language."""
        says = f"{self.name} is {self.sentinel.value}"
        return says if self.positive else f"not ({says})"


@record
class All:
    """Every part."""

    parts: tuple[Formula, ...]

    def polys(self) -> Iterator[Poly]:
        """The polynomials in it."""
        for part in self.parts:
            yield from part.polys()


@record
class Either:
    """At least one part."""

    parts: tuple[Formula, ...]

    def polys(self) -> Iterator[Poly]:
        """The polynomials in it."""
        for part in self.parts:
            yield from part.polys()


@record
class Given:
    """The conclusion, where the condition holds."""

    condition: Formula
    conclusion: Formula

    def polys(self) -> Iterator[Poly]:
        """The polynomials in it."""
        yield from self.condition.polys()
        yield from self.conclusion.polys()


Formula = Inequality | Equality | IsSentinel | All | Either | Given


@record(kw_only=True)
class NormalRule:
    """A rule ready to be judged or encoded."""

    rule: Rule
    formula: Formula
    when: Formula | None
    #: The rule is not applicable where one of these is off: what it mentions as a number without asking `is off`.
    muted_by: tuple[Poly, ...]
    #: The rule is broken where one of these is off.
    needs_on: tuple[tuple[str, Poly], ...]

    @property
    def id(self) -> str:
        """The rule's id."""
        return self.rule.id

    def atoms(self) -> Iterator[Atom]:
        """Every atom that the rule depends on, with repetitions."""
        formulas = [f for f in (self.formula, self.when) if f is not None]
        polys = [*self.muted_by, *(p for _, p in self.needs_on), *(p for f in formulas for p in f.polys())]
        for poly in polys:
            yield from poly.all_atoms()

    def ends_taken(self) -> Iterator[tuple[Var | Quant, int]]:
        """What `directions` tells of its formula and of its condition."""
        for formula in (self.formula, self.when):
            if formula is not None:
                yield from directions(formula)

    def names(self) -> set[str]:
        """Every parameter that the rule depends on, derived ones replaced by what they are derived from."""
        return {a.name for a in self.atoms() if isinstance(a, Var)}

    @property
    def scores(self) -> bool:
        """Whether the rule takes part in the scoring."""
        return self.rule.aim.amount != 0 and any(True for _ in scoring_inequalities(self.formula))


def comparisons(formula: Formula) -> Iterator[Inequality | Equality]:
    """Every comparison, conditions included, in the order of the text."""
    match formula:
        case Inequality() | Equality():
            yield formula
        case All(parts) | Either(parts):
            for part in parts:
                yield from comparisons(part)
        case Given(condition, conclusion):
            yield from comparisons(condition)
            yield from comparisons(conclusion)
        case IsSentinel():
            return


def scoring_inequalities(formula: Formula) -> Iterator[Inequality]:
    """The inequalities that have a margin and a score, in the order of the text."""
    return (c for c in comparisons(formula) if isinstance(c, Inequality) and c.scores)


def normalise(spec: Spec) -> tuple[dict[str, NormalRule], list[OutlastError]]:
    """All rules in normal form, and what of rules and pictures cannot be brought into it, with its place."""
    writer = _Writer(spec.parameters)
    intervals = {p.name for p in spec.parameters.values() if p.interval is not None}
    rules: dict[str, NormalRule] = {}
    errors: list[OutlastError] = []
    for rule in spec.rules.values():
        place = rule.places.get("require", rule.place)
        try:
            normal = writer.rule(rule)
        except ZeroDivisionError:
            errors.append(OutlastError(f"rule '{rule.id}' divides by 0", place))
            continue
        except TooManyTermsError:
            errors.append(OutlastError(f"rule '{rule.id}' has more than {MOST_TERMS} terms when multiplied out", place))
            continue
        errors += (OutlastError(f"rule '{rule.id}': {message}", place) for message in _two_faced(normal, intervals))
        rules[rule.id] = normal
    for picture in spec.pictures.values():
        errors += _undrawable(picture, writer)
    return rules, errors


def _undrawable(picture: Picture, writer: _Writer) -> Iterator[OutlastError]:
    """What of a picture stands for nothing; what the catalogue draws always stands for something, or its rule does not."""
    for name, parts in picture.parts.items():
        try:
            for part in parts:
                writer.poly(part.formula)
        except ZeroDivisionError:
            yield OutlastError(f"the part {name!r} of the picture '{picture.id}' divides by 0", picture.place)
        except TooManyTermsError:
            message = (
                f"the part {name!r} of the picture '{picture.id}' has more than {MOST_TERMS} terms when multiplied out"
            )
            yield OutlastError(message, picture.place)


def derived_polys(spec: Spec) -> dict[str, Poly]:
    """What the derived parameters stand for; one that divides by 0 is left out."""
    writer, found = _Writer(spec.parameters), dict[str, Poly]()
    for parameter in spec.parameters.values():
        if parameter.role is Role.DERIVED:
            try:
                found[parameter.name] = writer.name(parameter.name)
            except (ZeroDivisionError, TooManyTermsError):
                continue
    return found


def polys_of(spec: Spec) -> Callable[[ex.Expr], Poly]:
    """What a formula over the spec's names stands for, derived parameters replaced; each name is looked up once for all formulas.

    The function raises ZeroDivisionError where a formula divides by 0, TooManyTermsError where it has too many terms multiplied out.
    """
    return _Writer(spec.parameters).poly


class _Writer:
    """Turns trees into normal form, derived parameters replaced."""

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        self._parameters = parameters
        self._known: dict[str, Poly] = {}
        self._dimensions = {p.name: p.kind.time_exponent for p in parameters.values()}

    def rule(self, rule: Rule) -> NormalRule:
        asked: set[str] = set()
        numbers: dict[str, None] = {}
        for tree in (rule.require, rule.when):
            if tree is not None:
                asked |= {n.name for n in ex.walk(tree) if isinstance(n, ex.Is) and n.sentinel is Sentinel.OFF}
                numbers |= dict.fromkeys(_used_as_numbers(tree))
        return NormalRule(
            rule=rule,
            formula=self.formula(rule.require, negate=False, optimistic=False),
            when=None if rule.when is None else self.formula(rule.when, negate=False, optimistic=True),
            muted_by=tuple(self.name(n) for n in numbers if n not in asked),
            needs_on=tuple((n, self.name(n)) for n in rule.needs_on),
        )

    def name(self, name: str) -> Poly:
        """What a name stands for."""
        if name not in self._known:
            parameter = self._parameters[name]
            if parameter.role is Role.DERIVED:
                assert parameter.formula is not None  # the loader saw to it
                self._known[name] = self.poly(parameter.formula)
            else:
                self._known[name] = variable(Var(name, parameter.kind.time_exponent))
        return self._known[name]

    def formula(self, tree: ex.Bool, *, negate: bool, optimistic: bool) -> Formula:
        match tree:
            case ex.Compare():
                return self._comparison(tree, negate=negate, optimistic=optimistic)
            case ex.Is():
                return IsSentinel(name=tree.name, of=self.name(tree.name), sentinel=tree.sentinel, positive=not negate)
            case ex.Not():
                return self.formula(tree.part, negate=not negate, optimistic=optimistic)
            case ex.And(parts=parts) | ex.Or(parts=parts):
                done = tuple(self.formula(p, negate=negate, optimistic=optimistic) for p in parts)
                return All(done) if isinstance(tree, ex.And) != negate else Either(done)
            case ex.Implies():
                if negate:
                    condition = self.formula(tree.condition, negate=False, optimistic=optimistic)
                    return All((condition, self.formula(tree.conclusion, negate=True, optimistic=optimistic)))
                return Given(
                    self.formula(tree.condition, negate=False, optimistic=not optimistic),
                    self.formula(tree.conclusion, negate=False, optimistic=optimistic),
                )

    def _comparison(self, tree: ex.Compare, *, negate: bool, optimistic: bool) -> Inequality | Equality:
        left, right, op = self.poly(tree.left), self.poly(tree.right), tree.op
        exponent = self._exponent(tree.left)
        if op in (ex.Op.GT, ex.Op.GE):
            left, right = right, left
            op = ex.Op.LT if op is ex.Op.GT else ex.Op.LE
        if not op.orders:
            equal = (op is ex.Op.NE) == negate
            wholly = _whole_part(left, right, exponent) if op is ex.Op.MULTIPLE else right
            smaller, larger = _sorted_sides(left, wholly)
            found = Equality(left=smaller, right=larger, equal=equal, optimistic=optimistic, time_exponent=exponent)
            return found if op is not ex.Op.MULTIPLE else replace(found, left=left, right=right, means=found)
        strict = op is ex.Op.LT
        if negate:
            left, right, strict = right, left, not strict
        left, right = _sorted_sides(left, right)
        return Inequality(left=left, right=right, strict=strict, optimistic=optimistic, time_exponent=exponent)

    def poly(self, tree: ex.Expr) -> Poly:
        match tree:
            case ex.Literal():
                return constant(tree.value)
            case ex.Name():
                return self.name(tree.name)
            case ex.Quantile():
                return variable(Quant(tree.level, tree.measurement))
            case ex.Sum():
                total = Poly({})
                for sign, term in tree.terms:
                    total = total.plus(self.poly(term), Fraction(sign))
                return total
            case ex.Product():
                product = constant(Fraction(1))
                for exponent, factor in tree.factors:
                    poly = self.poly(factor)
                    product = product * (poly if exponent > 0 else poly.inverse(self._exponent(factor)))
                return product
            case ex.If():
                condition = self.formula(tree.condition, negate=False, optimistic=False)
                then, otherwise, exponent = self.poly(tree.then), self.poly(tree.otherwise), self._exponent(tree)
                shown = f"if(…, {then.text(exponent)}, {otherwise.text(exponent)})"
                return variable(Switch(condition, then, otherwise, shown, exponent))
            case ex.Call(function="sum"):
                total = Poly({})
                for argument in tree.arguments:
                    total = total + self.poly(argument)
                return total
            case ex.Call():
                arguments = tuple(self.poly(a) for a in tree.arguments)
                texts = (p.text(self._exponent(a)) for p, a in zip(arguments, tree.arguments, strict=True))
                return variable(
                    Apply(tree.function, arguments, f"{tree.function}({', '.join(texts)})", self._exponent(tree))
                )

    def _exponent(self, tree: ex.Expr) -> int:
        return dimension_of(tree, self._dimensions)


def _whole_part(left: Poly, right: Poly, exponent: int) -> Poly:
    """The greatest whole multiple of the right side that is not above the left one.

    Nothing is cancelled: what is divided by itself is no number either where it is 0 or infinite.
    """
    if right.constant is not None:
        quotient = left * right.inverse(exponent)
    else:
        text = right.text(exponent)
        divisor = Group(right, text if len(right.terms) == 1 else f"({text})")
        quotient = left * Poly({((divisor, -1),): Fraction(1)})
    return right * variable(Apply("floor", (quotient,), f"floor({quotient.text(0)})", 0))


def _sorted_sides(left: Poly, right: Poly) -> tuple[Poly, Poly]:
    """Both sides as sums of positive terms, each term staying on its side unless its sign is negative."""
    difference = right - left
    minus, plus = difference.negative_part(), difference.positive_part()
    return _in_order_of(left, right, minus), _in_order_of(right, left, plus)


def _in_order_of(first: Poly, second: Poly, terms: Poly) -> Poly:
    order = {m: n for n, m in enumerate((*first.terms, *second.terms))}
    return Poly(dict(sorted(terms.terms.items(), key=lambda item: order.get(item[0], len(order)))))


def _used_as_numbers(tree: ex.Bool | ex.Expr) -> Iterator[str]:
    """Names mentioned as numbers, those under `first_set` and in predicates left out."""
    if isinstance(tree, ex.Name):
        yield tree.name
    elif not (isinstance(tree, ex.Call) and tree.function == "first_set"):
        for child in ex.children(tree):
            yield from _used_as_numbers(child)


_BOTH: Final = 0


def _two_faced(rule: NormalRule, intervals: set[str]) -> list[str]:
    """Why a bounded quantity (an interval, a quantile) has no worse end in this rule; empty if each has one."""
    messages = []
    parts = rule.formula.parts if isinstance(rule.formula, All) else (rule.formula,)
    for part in parts:
        facts: dict[str, set[int]] = {}
        for formula in (part, rule.when):
            if formula is None:
                continue
            for atom, direction in directions(formula):
                if isinstance(atom, Quant) and direction == _BOTH:
                    messages.append(f"neither bound of {atom.key} is the worse one here")
                elif isinstance(atom, Var) and atom.name in intervals:
                    facts.setdefault(atom.name, set()).add(direction)
        for name, taken in facts.items():
            if len(taken) > 1 or _BOTH in taken:
                messages.append(
                    f"the rule is not monotone in the interval '{name}', so neither of its ends is the worse one"
                )
    return list(dict.fromkeys(messages))


def directions(formula: Formula) -> Iterator[tuple[Var | Quant, int]]:
    """Each bounded atom with the end that is taken: +1 the upper, -1 the lower, 0 where that cannot be said."""
    for comparison in comparisons(formula):
        if isinstance(comparison, Equality):
            yield from _poly_directions(comparison.left, _BOTH)
            yield from _poly_directions(comparison.right, _BOTH)
        else:
            against = -1 if comparison.optimistic else 1
            yield from _poly_directions(comparison.left, against)
            yield from _poly_directions(comparison.right, -against)


def _poly_directions(poly: Poly, sign: int) -> Iterator[tuple[Var | Quant, int]]:
    for monomial, coefficient in poly:
        for atom, exponent in monomial:
            others_negative = any(_may_be_negative(a) for a, _ in monomial if a is not atom)
            direction = (
                _BOTH if others_negative else sign * (1 if coefficient > 0 else -1) * (1 if exponent > 0 else -1)
            )
            match atom:
                case Var() | Quant():
                    yield atom, direction
                case Apply():
                    for argument in atom.arguments:
                        yield from _poly_directions(argument, direction)
                case Switch():
                    for found, _ in directions(atom.condition):
                        yield found, _BOTH
                    yield from _poly_directions(atom.then, direction)
                    yield from _poly_directions(atom.otherwise, direction)
                case Group():
                    yield from _poly_directions(atom.poly, direction)


def _may_be_negative(atom: Var | Quant | Apply | Switch | Group) -> bool:
    match atom:
        case Var() | Quant():
            return False
        case Apply():
            return any(poly_may_be_negative(a) for a in atom.arguments)
        case Switch():
            return poly_may_be_negative(atom.then) or poly_may_be_negative(atom.otherwise)
        case Group():
            return poly_may_be_negative(atom.poly)


def poly_may_be_negative(poly: Poly) -> bool:
    """Whether the polynomial is not obviously at least 0 (all quantities are)."""
    return any(c < 0 for _, c in poly) or any(_may_be_negative(a) for a in poly.atoms())
