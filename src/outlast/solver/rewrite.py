"""Rules with an atom replaced wherever one of its ends is taken: a quantile by its bound times a factor, one end of an interval by itself."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from outlast.constraints.normal import All, Either, Equality, Formula, Given, Inequality, IsSentinel, NormalRule
from outlast.constraints.polynomial import Apply, Atom, Group, Monomial, Poly, Switch

__all__ = ["Replace", "rewritten"]

#: What an atom becomes, given whether a rule takes its upper end: a number times an atom.
Replace = Callable[[Atom, bool], tuple[Fraction, Atom | None]]


def rewritten(rule: NormalRule, replace: Replace) -> NormalRule:
    """The rule with atoms replaced. Equalities and conditions of `if` stay, since in them nothing has two ends.

    Raises:
        ZeroDivisionError: something is divided by what became 0.
    """
    return NormalRule(
        rule=rule.rule,
        formula=_formula(rule.formula, replace),
        when=None if rule.when is None else _formula(rule.when, replace),
        muted_by=rule.muted_by,
        needs_on=rule.needs_on,
    )


def _formula(formula: Formula, replace: Replace) -> Formula:
    match formula:
        case Inequality():
            upper = not formula.optimistic
            return Inequality(
                left=_poly(formula.left, upper, replace),
                right=_poly(formula.right, not upper, replace),
                strict=formula.strict,
                optimistic=formula.optimistic,
                time_exponent=formula.time_exponent,
            )
        case All(parts):
            return All(tuple(_formula(p, replace) for p in parts))
        case Either(parts):
            return Either(tuple(_formula(p, replace) for p in parts))
        case Given(condition, conclusion):
            return Given(_formula(condition, replace), _formula(conclusion, replace))
        case Equality() | IsSentinel():
            return formula  # nothing in it has two ends


def _poly(poly: Poly, upper: bool, replace: Replace) -> Poly:
    terms: dict[Monomial, Fraction] = {}
    for monomial, coefficient in poly:
        powers: dict[Atom, int] = {}
        number = coefficient
        for atom, exponent in monomial:
            factor, left = _atom(atom, (upper == (coefficient > 0)) == (exponent > 0), replace)
            if factor == 0 and exponent < 0:
                raise ZeroDivisionError
            number *= factor**exponent
            if left is not None:
                powers[left] = powers.get(left, 0) + exponent
        key = tuple(sorted(((a, n) for a, n in powers.items() if n), key=lambda pair: pair[0].key))
        terms[key] = terms.get(key, Fraction(0)) + number
    return Poly({m: c for m, c in terms.items() if c})


def _atom(atom: Atom, upper: bool, replace: Replace) -> tuple[Fraction, Atom | None]:
    match atom:
        case Apply():
            arguments = tuple(_poly(a, upper, replace) for a in atom.arguments)
            return Fraction(1), Apply(atom.function, arguments, atom.key, atom.time_exponent)
        case Group():
            return Fraction(1), Group(_poly(atom.poly, upper, replace), atom.key)
        case Switch():
            then, otherwise = _poly(atom.then, upper, replace), _poly(atom.otherwise, upper, replace)
            return Fraction(1), Switch(atom.condition, then, otherwise, atom.key, atom.time_exponent)
        case _:
            return replace(atom, upper)
