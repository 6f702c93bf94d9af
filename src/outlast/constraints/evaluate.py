"""Exact evaluation of rules at given values, without any solver."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from typing import Final, overload

from outlast.constraints.errors import OutlastError
from outlast.constraints.model import Margin
from outlast.constraints.normal import All, Either, Equality, Formula, Given, Inequality, IsSentinel, NormalRule
from outlast.constraints.polynomial import Apply, Atom, Group, Monomial, Poly, Quant, QuantileBound, Switch, Var
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record

__all__ = [
    "Extended",
    "Judged",
    "Side",
    "Special",
    "Truth",
    "Verdict",
    "World",
    "backoff_total",
    "holds",
    "judge",
    "tcp_give_up",
]


class Special(Enum):
    """Results of an evaluation that are not numbers."""

    PLUS = "infinite"
    MINUS = "-infinite"
    OFF = "off"
    UNDEFINED = "undefined"


Extended = Fraction | Special


class Truth(Enum):
    """What a rule or a comparison comes to."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_APPLICABLE = "not applicable"


@record(kw_only=True)
class World:
    """What each name stands for: effective values, both ends of an interval, and the bounds of quantiles."""

    values: Mapping[str, Value | tuple[Fraction, Fraction]]
    bound: QuantileBound


@record
class Judged:
    """One comparison at given values."""

    comparison: Inequality | Equality
    left: Extended
    right: Extended
    truth: Truth
    #: Of an inequality that scores and holds, from 0 to 1.
    score: Fraction | None

    @property
    def slack(self) -> Extended | None:
        """Right minus left; infinite if right is, None where that has no value."""
        if isinstance(self.right, Fraction) and isinstance(self.left, Fraction):
            return self.right - self.left
        if self.right is Special.PLUS and self.left is not Special.PLUS and self.truth is not Truth.NOT_APPLICABLE:
            return Special.PLUS
        return None

    @property
    def headroom(self) -> Extended | None:
        """Right / left − 1; infinite where left is 0 or less or right is infinite, None where that has no value."""
        if isinstance(self.slack, Fraction) and isinstance(self.left, Fraction):
            return self.slack / self.left if self.left > 0 else Special.PLUS
        return self.slack


@record(kw_only=True)
class Verdict:
    """One rule at given values."""

    truth: Truth
    #: Whether the demanded margin is kept too.
    margin_kept: bool
    #: From 0 to 1; None for a rule that is broken or does not score.
    score: Fraction | None
    #: The comparisons that were judged, in the order of the text.
    judged: tuple[Judged, ...] = ()
    #: The parameter under `needs_on` that is off.
    missing: str | None = None

    @property
    def decisive(self) -> Judged | None:
        """The comparison that says most: the first broken one, else the one with the lowest score, else the first."""
        applicable = [j for j in self.judged if j.truth is not Truth.NOT_APPLICABLE and not j.comparison.optimistic]
        broken = [j for j in applicable if j.truth is Truth.BROKEN]
        if self.truth is Truth.BROKEN and broken:
            return broken[0]
        scored = [j for j in applicable if j.score is not None]
        if scored:
            return min(scored, key=lambda j: (j.score is None, j.score))
        return next(iter(applicable or self.judged), None)


#: For formulas whose score nobody asks for.
_NO_AIM: Final = Margin(Fraction(0), None)


class Side(Enum):
    """Which end of a bounded quantity is wanted."""

    UPPER = True
    LOWER = False

    @property
    def other(self) -> Side:
        """The opposite end."""
        return Side.LOWER if self is Side.UPPER else Side.UPPER


def judge(rule: NormalRule, world: World) -> Verdict:
    """A rule's verdict at these values.

    Raises:
        OutlastError: a backoff in it is too long to be computed.
    """
    try:
        return _verdict(rule, world)
    except OutlastError as error:
        place = error.place or rule.rule.places.get("require", rule.rule.place)
        raise OutlastError(f"rule '{rule.id}': {error.message}", place) from None


def holds(formula: Formula, world: World, known: dict[int, tuple[Truth, Fraction]] | None = None) -> bool:
    """Whether a formula holds at these values; one that does not apply does not.

    `known` remembers, by identity, what was judged at the same values, for formulas that share parts; the caller keeps the formulas alive.
    """
    return _judge(formula, world, _NO_AIM, None, [], known)[0] is Truth.HOLDS


def _verdict(rule: NormalRule, world: World) -> Verdict:
    if rule.when is not None:
        told: list[Judged] = []
        condition = _judge(rule.when, world, _NO_AIM, None, told)
        if condition[0] is not Truth.HOLDS:
            return Verdict(truth=Truth.NOT_APPLICABLE, margin_kept=True, score=None, judged=tuple(told))
    for name, poly in rule.needs_on:
        if is_off(poly, world):
            return Verdict(truth=Truth.BROKEN, margin_kept=False, score=None, missing=name)
    if any(is_off(poly, world) for poly in rule.muted_by):
        return Verdict(truth=Truth.NOT_APPLICABLE, margin_kept=True, score=None)
    judged: list[Judged] = []
    aim = rule.rule.aim
    truth, score = _judge(rule.formula, world, aim, None, judged)
    if isinstance(rule.formula, Given) and _judge(rule.formula.condition, world, aim, None, [])[0] is not Truth.HOLDS:
        truth = Truth.NOT_APPLICABLE if truth is not Truth.BROKEN else truth
    margin_kept = truth is not Truth.BROKEN
    if margin_kept and rule.rule.margin is not None:
        margin_kept = _judge(rule.formula, world, aim, rule.rule.margin, [])[0] is not Truth.BROKEN
    shown = score if truth is Truth.HOLDS and rule.scores else None
    return Verdict(truth=truth, margin_kept=margin_kept, score=shown, judged=tuple(judged))


def _judge(
    formula: Formula,
    world: World,
    aim: Margin,
    margin: Margin | None,
    told: list[Judged],
    known: dict[int, tuple[Truth, Fraction]] | None = None,
) -> tuple[Truth, Fraction]:
    """Truth and score (1 where nothing scores) of a formula; appends what was compared to `told`, unless it is known."""
    if known is None:
        return _judge_anew(formula, world, aim, margin, told, known)
    if id(formula) not in known:
        known[id(formula)] = _judge_anew(formula, world, aim, margin, told, known)
    return known[id(formula)]


def _judge_anew(
    formula: Formula,
    world: World,
    aim: Margin,
    margin: Margin | None,
    told: list[Judged],
    known: dict[int, tuple[Truth, Fraction]] | None,
) -> tuple[Truth, Fraction]:
    match formula:
        case Inequality() | Equality():
            judged = _compare(formula, world, margin, aim)
            told.append(judged)
            return judged.truth, Fraction(1) if judged.score is None else judged.score
        case IsSentinel():
            value = _state(formula.of, world)
            wanted = Special.OFF if formula.sentinel is Sentinel.OFF else Special.PLUS
            return (Truth.HOLDS if (value is wanted) == formula.positive else Truth.BROKEN), Fraction(1)
        case Given(condition, conclusion):
            if _judge(condition, world, aim, None, told, known)[0] is not Truth.HOLDS:
                return Truth.HOLDS, Fraction(1)
            return _judge(conclusion, world, aim, margin, told, known)
        case All(parts) | Either(parts):
            results = [_judge(part, world, aim, margin, told, known) for part in parts]
            good, bad = [s for t, s in results if t is Truth.HOLDS], [s for t, s in results if t is Truth.BROKEN]
            if isinstance(formula, All):
                truth = Truth.BROKEN if bad else Truth.HOLDS if good else Truth.NOT_APPLICABLE
                return truth, min(good, default=Fraction(1))
            truth = Truth.HOLDS if good else Truth.BROKEN if bad else Truth.NOT_APPLICABLE
            return truth, max(good, default=Fraction(1))


def _compare(comparison: Inequality | Equality, world: World, margin: Margin | None, aim: Margin) -> Judged:
    if isinstance(comparison, Equality) and comparison.means is not None:
        return _multiple(comparison, comparison.means, world, aim)
    against = Side.LOWER if comparison.optimistic else Side.UPPER
    left = evaluate(comparison.left, world, against)
    right = evaluate(comparison.right, world, against.other)
    if Special.OFF in (left, right):
        return Judged(comparison, left, right, Truth.NOT_APPLICABLE, None)
    if Special.UNDEFINED in (left, right):
        return Judged(comparison, left, right, Truth.BROKEN, None)
    if isinstance(comparison, Equality):
        return Judged(
            comparison, left, right, Truth.HOLDS if (left == right) == comparison.equal else Truth.BROKEN, None
        )
    holds = _less(left, right, strict=comparison.strict)
    if holds and margin is not None and comparison.scores:
        holds = _less(with_margin(left, margin, Fraction(1)), right, strict=False)
    score = _score(left, right, aim) if holds and comparison.scores and aim.amount else None
    return Judged(comparison, left, right, Truth.HOLDS if holds else Truth.BROKEN, score)


def _multiple(comparison: Equality, means: Equality, world: World, aim: Margin) -> Judged:
    """The sides are the two numbers; what is divided by 0, or by and from what is infinite, has none."""
    judged = _compare(means, world, None, aim)
    left, right = (evaluate(side, world, Side.UPPER) for side in (comparison.left, comparison.right))
    if Special.UNDEFINED in (judged.left, judged.right):
        right = Special.UNDEFINED
    return Judged(comparison, left, right, judged.truth, None)


@overload
def with_margin(left: Fraction, margin: Margin, share: Fraction) -> Fraction: ...
@overload
def with_margin(left: Extended, margin: Margin, share: Fraction) -> Extended: ...
def with_margin(left: Extended, margin: Margin, share: Fraction) -> Extended:
    """What the right side must reach for that share of the margin."""
    if not isinstance(left, Fraction):
        return left
    return left * (1 + share * margin.amount) if margin.is_relative else left + share * margin.amount


def _score(left: Extended, right: Extended, aim: Margin) -> Fraction:
    if not isinstance(left, Fraction) or not isinstance(right, Fraction) or left <= 0:
        return Fraction(1)
    gained = right / left - 1 if aim.is_relative else right - left
    return min(Fraction(1), gained / aim.amount)


def _less(left: Extended, right: Extended, *, strict: bool) -> bool:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left < right if strict else left <= right
    if left == right:
        return not strict
    return left is Special.MINUS or right is Special.PLUS


def is_off(poly: Poly, world: World) -> bool:
    """Whether the polynomial is off: whether it uses something that is."""
    if len(poly.terms) == 1:  # most often a parameter by itself, which is told at once
        (monomial,) = poly.terms
        if len(monomial) == 1 and isinstance(monomial[0][0], Var):
            return world.values[monomial[0][0].name] is Sentinel.OFF
    return _state(poly, world) is Special.OFF


def _state(poly: Poly, world: World) -> Extended:
    """The value as far as it matters whether it is off or infinite: measured bounds are some number above 0."""
    return evaluate(poly, World(values=world.values, bound=lambda _, __: Fraction(1)), Side.UPPER)


def evaluate(poly: Poly, world: World, side: Side) -> Extended:
    """The value of a polynomial, its bounded quantities taken so that it comes out at that side."""
    total, infinite, undefined = Fraction(0), set[int](), False
    for monomial, coefficient in poly:
        value = _monomial(monomial, world, side if coefficient > 0 else side.other)
        if value is Special.OFF:
            return Special.OFF
        if value is Special.UNDEFINED:
            undefined = True
        elif isinstance(value, Fraction):
            total += value if coefficient == 1 else coefficient * value
        else:
            infinite.add((1 if value is Special.PLUS else -1) * (1 if coefficient > 0 else -1))
    if undefined or len(infinite) == 2:
        return Special.UNDEFINED
    if infinite:
        return Special.PLUS if infinite == {1} else Special.MINUS
    return total


def _monomial(monomial: Monomial, world: World, side: Side) -> Extended:
    if len(monomial) == 1 and monomial[0][1] == 1:  # most often something by itself
        return _atom(monomial[0][0], world, side)
    product, sign, infinite_over, infinite_under, undefined = Fraction(1), 1, False, False, False
    for atom, exponent in monomial:
        value = _atom(atom, world, side if exponent > 0 else side.other)
        if value is Special.OFF:
            return Special.OFF
        if value is Special.UNDEFINED or (exponent < 0 and (value is Special.MINUS or _not_positive(value))):
            undefined = True
        elif isinstance(value, Fraction):
            product *= value**exponent
        elif exponent < 0:
            infinite_under = True
        else:
            infinite_over, sign = True, sign * (1 if value is Special.PLUS else -1)
    if undefined or (infinite_over and infinite_under):
        return Special.UNDEFINED
    if infinite_under or product == 0:
        return Fraction(0)
    if infinite_over:
        return Special.PLUS if (product > 0) == (sign > 0) else Special.MINUS
    return product


def _not_positive(value: Extended) -> bool:
    return isinstance(value, Fraction) and value <= 0


def _atom(atom: Atom, world: World, side: Side) -> Extended:
    match atom:
        case Var():
            value = world.values[atom.name]
            if isinstance(value, tuple):
                return value[1] if side is Side.UPPER else value[0]
            return extended(value)
        case Quant():
            return world.bound(atom, side is Side.UPPER)
        case Group():
            return evaluate(atom.poly, world, side)
        case Switch():
            truth, _ = _judge(atom.condition, world, _NO_AIM, None, [])
            if truth is Truth.NOT_APPLICABLE:
                return Special.OFF
            return evaluate(atom.then if truth is Truth.HOLDS else atom.otherwise, world, side)
        case Apply(function="first_set"):
            values = (evaluate(a, world, side) for a in atom.arguments)
            return next((v for v in values if v is not Special.OFF), Special.OFF)
        case Apply():
            arguments = [evaluate(a, world, side) for a in atom.arguments]
            return apply(atom.function, arguments)


def extended(value: Value) -> Extended:
    """A value as the result of an evaluation."""
    if isinstance(value, Sentinel):
        return Special.PLUS if value is Sentinel.INFINITE else Special.OFF
    return value


def apply(function: str, arguments: list[Extended]) -> Extended:
    """A function of the rule language at extended numbers; `first_set` is not among them."""
    if Special.OFF in arguments:
        return Special.OFF
    if Special.UNDEFINED in arguments:
        return Special.UNDEFINED
    if function in ("min", "max"):
        order: Callable[[Extended], tuple[int, Fraction]] = _order
        return min(arguments, key=order) if function == "min" else max(arguments, key=order)
    if function in ("ceil", "floor"):
        (only,) = arguments
        if not isinstance(only, Fraction):
            return only
        return Fraction(math.ceil(only) if function == "ceil" else math.floor(only))
    if function == "tcp_give_up":
        return tcp_give_up(arguments[0])
    return backoff_total(*arguments)


def _order(value: Extended) -> tuple[int, Fraction]:
    if isinstance(value, Fraction):
        return 0, value
    return (1 if value is Special.PLUS else -1), Fraction(0)


_FIRST_RTO: Final = Fraction(200 * 10**6)
_LARGEST_RTO: Final = Fraction(120 * 10**9)
#: More waits than this are not added up one by one, where the factor is whole and where it is not.
_MOST_WAITS: Final = (10_000, 256)


def tcp_give_up(retries: Extended) -> Extended:
    """How long Linux retransmits before it gives a connection up, in ns: tcp_retries2 = 15 gives 924.6 s.

    The timeout starts at 200 ms, doubles up to 120 s, and is waited for retries + 1 times
    (Linux, Documentation/networking/ip-sysctl.rst, tcp_retries2).
    """
    return backoff_total(
        _FIRST_RTO, Fraction(2), _LARGEST_RTO, retries + 1 if isinstance(retries, Fraction) else retries
    )


def backoff_total(base: Extended, factor: Extended, cap: Extended, retries: Extended) -> Extended:
    """Σ min(cap, base · factorⁱ) for i = 0 … retries − 1; undefined unless retries is whole and 0 or more.

    Raises:
        OutlastError: so many waits are below the cap that their exact sum would take too long.
    """
    if retries is Special.PLUS:
        return Special.PLUS if all(_order(v) > (0, Fraction(0)) for v in (base, factor, cap)) else Special.UNDEFINED
    if not isinstance(retries, Fraction) or retries.denominator != 1 or retries < 0 or factor is Special.MINUS:
        return Special.UNDEFINED
    if retries == 0:
        return Fraction(0)
    if isinstance(factor, Fraction) and factor < 0:
        return Special.UNDEFINED
    if factor is Special.PLUS:
        later = cap if _order(base) > (0, Fraction(0)) else Fraction(0)
        rest = _times(retries - 1, later)
        return _plus(apply("min", [cap, base]), rest)
    total: Extended = Fraction(0)
    wait: Extended = base
    for done in range(int(retries)):
        if _order(wait) >= _order(cap) and isinstance(factor, Fraction) and factor >= 1:
            return _plus(total, _times(retries - done, cap))
        if done >= _MOST_WAITS[isinstance(factor, Fraction) and factor.denominator > 1]:
            raise OutlastError(
                f"backoff over {retries} retries is too long to be computed: after {done} waits the cap is not reached; "
                "lower the cap or the number of retries"
            )
        if factor == 1 or wait == 0:
            return _plus(total, _times(retries - done, apply("min", [cap, wait])))
        total = _plus(total, apply("min", [cap, wait]))
        wait = wait * factor if isinstance(wait, Fraction) and isinstance(factor, Fraction) else wait
    return total


def _times(count: Fraction, value: Extended) -> Extended:
    if count == 0:
        return Fraction(0)
    return count * value if isinstance(value, Fraction) else value


def _plus(left: Extended, right: Extended) -> Extended:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + right
    if {left, right} == {Special.PLUS, Special.MINUS}:
        return Special.UNDEFINED
    return left if not isinstance(left, Fraction) else right
