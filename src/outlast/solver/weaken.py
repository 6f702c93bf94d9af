"""Weaker rules: L < R becomes L < (1 + share)·R, in normal form and in the user's own words."""

from __future__ import annotations

import math
from fractions import Fraction

from outlast.constraints import expression as ex
from outlast.constraints.errors import OutlastError
from outlast.constraints.model import Level, Spec
from outlast.constraints.normal import (
    All,
    Either,
    Formula,
    Given,
    Inequality,
    NormalRule,
    normalise,
    scoring_inequalities,
)
from outlast.constraints.polynomial import Poly
from outlast.constraints.quantities import QuantityError, format_number, parse_quantity
from outlast.constraints.record import replace
from outlast.constraints.syntax import RuleSyntaxError, parse_condition, to_text

__all__ = ["can_weaken", "rounded_outwards", "weakened", "weakened_rule"]


def can_weaken(spec: Spec, rule: NormalRule) -> bool:
    """Whether a factor changes a rule that must hold, and the rule language can say it."""
    if rule.rule.level is not Level.MUST or not any(i.right.terms for i in scoring_inequalities(rule.formula)):
        return False
    try:
        weakened_rule(spec, rule, Fraction(1))
    except OutlastError:
        return False
    return True


def weakened(rule: NormalRule, share: Fraction) -> NormalRule:
    """The rule with each of its larger sides times 1 + share."""
    return replace(rule, formula=_scaled(rule.formula, 1 + share))


def rounded_outwards(rule: NormalRule, share: Fraction) -> Fraction:
    """The share itself; or, where the rule's own number is its smaller side, the next one for which that number, or its change, has three digits.

    The finer of the two is taken: 75s falls to 59.9s, 1000s to 1.9s. Digits are those in the unit in which the number was written.
    """
    tree, formula = rule.rule.require, rule.formula
    if not isinstance(tree, ex.Compare) or not isinstance(formula, Inequality) or not _is_scale_free(rule):
        return share
    smaller = tree.left if tree.op in (ex.Op.LT, ex.Op.LE) else tree.right
    if not isinstance(smaller, ex.Literal) or smaller.value != formula.left.constant:
        return share
    unit = _unit_of(smaller)
    before, after = smaller.value / unit, smaller.value / unit / (1 + share)
    if not 0 < after < before:
        return share
    finer = max(_rounded_down(after), before - _rounded_up(before - after))
    return before / finer - 1


def _rounded_up(value: Fraction) -> Fraction:
    """The next larger number of three significant digits.

    >>> _rounded_up(Fraction("15.048")), _rounded_down(Fraction("15.048"))
    (Fraction(151, 10), Fraction(15, 1))
    """
    unit = _third_digit(value)
    return math.ceil(value / unit) * unit


def _rounded_down(value: Fraction) -> Fraction:
    """The next smaller number of three significant digits."""
    unit = _third_digit(value)
    return math.floor(value / unit) * unit


def _third_digit(value: Fraction) -> Fraction:
    """What the third significant digit of a number above 0 counts."""
    unit = Fraction(1)
    while value >= unit * 1000:
        unit *= 10
    while value < unit * 100:
        unit /= 10
    return unit


def _is_scale_free(rule: NormalRule) -> bool:
    """Whether both sides may be divided by a number: a margin that is an amount would then ask for more."""
    return rule.rule.margin is None or rule.rule.margin.is_relative


def _scaled(formula: Formula, factor: Fraction) -> Formula:
    match formula:
        case Inequality() if formula.scores:
            return replace(formula, right=formula.right.scaled(factor))
        case All(parts):
            return All(tuple(_scaled(p, factor) for p in parts))
        case Either(parts):
            return Either(tuple(_scaled(p, factor) for p in parts))
        case Given(condition, conclusion):
            return Given(condition, _scaled(conclusion, factor))
        case _:
            return formula


def weakened_rule(spec: Spec, rule: NormalRule, share: Fraction) -> NormalRule:
    """The same with its new text, as the user would write it where that is possible, and read back from that.

    Raises:
        OutlastError: the rule language cannot say it.
    """
    wanted = weakened(rule, share)
    factors = [1 + share] if not _is_scale_free(rule) else [1 / (1 + share), 1 + share]
    own = (_in_own_words(rule.rule.require, factor, is_negated=False) for factor in factors)
    texts = [to_text(tree) for tree in own if tree is not None]
    texts.append(_text(wanted.formula))
    for text in texts:
        try:
            changed = replace(rule.rule, require=parse_condition(text), text=text)
        except RuleSyntaxError:
            continue
        found, errors = normalise(replace(spec, rules={rule.id: changed}))
        if not errors and _is_same(found[rule.id].formula, wanted.formula):
            return found[rule.id]
    raise OutlastError(f"rule '{rule.id}' cannot be written in a weaker form")


def _text(formula: Formula) -> str:
    """A formula in normal form as a rule says it."""
    match formula:
        case All(parts):
            return " and ".join(f"({_text(p)})" for p in parts)
        case Either(parts):
            return " or ".join(f"({_text(p)})" for p in parts)
        case Given(condition, conclusion):
            return f"({_text(condition)}) => ({_text(conclusion)})"
        case _:
            return formula.text()


def _is_same(one: Formula, other: Formula) -> bool:
    if isinstance(one, Inequality) and isinstance(other, Inequality):
        return one.strict == other.strict and _are_proportional(one.left - one.right, other.left - other.right)
    return one == other


def _are_proportional(one: Poly, other: Poly) -> bool:
    if set(one.terms) != set(other.terms):
        return False
    ratios = {other.terms[m] / c for m, c in one}
    return len(ratios) <= 1 and all(r > 0 for r in ratios)


def _in_own_words(tree: ex.Bool, factor: Fraction, *, is_negated: bool) -> ex.Bool | None:
    match tree:
        case ex.Compare():
            return _comparison(tree, factor, is_negated=is_negated)
        case ex.And(parts=parts) | ex.Or(parts=parts):
            done = [_in_own_words(p, factor, is_negated=is_negated) for p in parts]
            kept = tuple(p for p in done if p is not None)
            return replace(tree, parts=kept) if len(kept) == len(parts) else None
        case ex.Not():
            part = _in_own_words(tree.part, factor, is_negated=not is_negated)
            return None if part is None else replace(tree, part=part)
        case ex.Implies() if not is_negated:
            conclusion = _in_own_words(tree.conclusion, factor, is_negated=False)
            return None if conclusion is None else replace(tree, conclusion=conclusion)
        case ex.Is():
            return tree
        case _:
            return None


def _comparison(tree: ex.Compare, factor: Fraction, *, is_negated: bool) -> ex.Compare | None:
    """The larger side times a factor; with one below 1 the smaller side, if that is a number which can be written so."""
    if not tree.op.orders:
        return tree
    larger_is_right = (tree.op in (ex.Op.LT, ex.Op.LE)) != is_negated
    of_right = larger_is_right == (factor > 1)
    changed = _times(tree.right if of_right else tree.left, factor)
    if factor < 1 and not (isinstance(changed, ex.Literal) and changed.text):
        return None
    return replace(tree, right=changed) if of_right else replace(tree, left=changed)


def _times(side: ex.Expr, factor: Fraction) -> ex.Expr:
    """The side times a factor, its own number changed where it has one."""
    match side:
        case ex.Literal():
            return _number(side, side.value * factor)
        case ex.Product(factors=((1, ex.Literal() as first), *rest)):
            return replace(side, factors=((1, _number(first, first.value * factor)), *rest))
        case ex.Sum(terms=terms) if all(isinstance(t, ex.Literal) for _, t in terms):
            return replace(side, terms=tuple((sign, _times(t, factor)) for sign, t in terms))
        case ex.Product(factors=factors):
            return replace(side, factors=((1, ex.Literal(value=factor, time_exponent=0, text="")), *factors))
        case _:
            return ex.Product(factors=((1, ex.Literal(value=factor, time_exponent=0, text="")), (1, side)))


def _number(literal: ex.Literal, value: Fraction) -> ex.Literal:
    """Another number in the unit in which this one was written; without text where it cannot be written so."""
    text = f"{format_number(value / _unit_of(literal))}{_unit_text(literal)}"
    try:
        is_same = parse_quantity(text).value == value
    except QuantityError:
        is_same = False
    return replace(literal, value=value, text=text if is_same else "")


def _unit_of(literal: ex.Literal) -> Fraction:
    """The unit in which a number was written, 1 where it has none or several."""
    try:
        one = parse_quantity(f"1{_unit_text(literal)}").value
    except QuantityError:
        return Fraction(1)
    return one if isinstance(one, Fraction) and one else Fraction(1)


def _unit_text(literal: ex.Literal) -> str:
    return literal.text.lstrip("0123456789._")
