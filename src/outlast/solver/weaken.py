"""Weaker rules: L < R becomes L < (1 + share)·R, in normal form and in the user's own words."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints import expression as ex
from outlast.constraints.errors import OutlastError
from outlast.constraints.model import Rule, Spec
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
from outlast.constraints.record import replace
from outlast.constraints.syntax import RuleSyntaxError, parse_condition, to_text

__all__ = ["can_weaken", "weakened", "weakened_rule"]


def can_weaken(rule: NormalRule) -> bool:
    """Whether a factor changes anything: it has an inequality whose larger side is not 0."""
    return any(i.right.terms for i in scoring_inequalities(rule.formula))


def weakened(rule: NormalRule, share: Fraction) -> NormalRule:
    """The rule with each of its larger sides times 1 + share."""
    return replace(rule, formula=_scaled(rule.formula, 1 + share))


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


def weakened_rule(spec: Spec, rule: NormalRule, share: Fraction) -> Rule:
    """The same as a rule of a spec, whose text says it as the user did where that is possible.

    Raises:
        OutlastError: the rule language cannot say it.
    """
    wanted = weakened(rule, share)
    own = _in_own_words(rule.rule.require, 1 + share, is_negated=False)
    texts = [to_text(own)] if own is not None else []
    if isinstance(wanted.formula, Inequality):
        texts.append(wanted.formula.text())
    for text in texts:
        try:
            changed = replace(rule.rule, require=parse_condition(text), text=text)
        except RuleSyntaxError:
            continue
        found, errors = normalise(replace(spec, rules={rule.id: changed}))
        if not errors and _is_same(found[rule.id].formula, wanted.formula):
            return changed
    raise OutlastError(f"rule '{rule.id}' cannot be written in a weaker form")


def _is_same(one: Formula, other: Formula) -> bool:
    if isinstance(one, Inequality) and isinstance(other, Inequality):
        return one.strict == other.strict and one.left - one.right == other.left - other.right
    return one == other


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


def _comparison(tree: ex.Compare, factor: Fraction, *, is_negated: bool) -> ex.Compare:
    if tree.op is ex.Op.EQ:
        return tree
    is_right = (tree.op in (ex.Op.LT, ex.Op.LE)) != is_negated
    if is_right:
        return replace(tree, right=_times(tree.right, factor))
    return replace(tree, left=_times(tree.left, factor))


def _times(side: ex.Expr, factor: Fraction) -> ex.Expr:
    """The side times a factor, its own number changed where it has one."""
    match side:
        case ex.Literal():
            return replace(side, value=side.value * factor, text="")
        case ex.Product(factors=((1, ex.Literal() as first), *rest)):
            return replace(side, factors=((1, replace(first, value=first.value * factor, text="")), *rest))
        case ex.Sum(terms=terms) if all(isinstance(t, ex.Literal) for _, t in terms):
            return replace(side, terms=tuple((sign, _times(t, factor)) for sign, t in terms))
        case _:
            return ex.Product(factors=((1, ex.Literal(value=factor, time_exponent=0, text="")), (1, side)))
