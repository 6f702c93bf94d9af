"""Any rule as sums of bars: the terms of each side laid end to end, the smaller side above the larger one."""

from __future__ import annotations

from typing import Final

from outlast.constraints.normal import Equality, Inequality, NormalRule, comparisons
from outlast.constraints.polynomial import Poly
from outlast.picturing.drawing import Amount, Bar, Drawing, Lane, Mark, Tone, Words
from outlast.picturing.formulas import ZERO

__all__ = ["bars"]

#: How many comparisons of a rule are drawn, and how many terms of a side; what is beyond is one bar.
_MOST_COMPARISONS: Final = 6
_MOST_TERMS: Final = 12


def bars(rule: NormalRule) -> Drawing | None:
    """A rule's comparisons, conclusions first; those of another dimension than the first one are left out. None: it compares nothing."""
    found = sorted(comparisons(rule.formula), key=lambda comparison: comparison.optimistic)
    if not found:
        return None
    exponent = found[0].time_exponent
    drawn = [comparison for comparison in found if comparison.time_exponent == exponent][:_MOST_COMPARISONS]
    lanes = [lane for number, comparison in enumerate(drawn, 1) for lane in _sides(comparison, number, len(drawn))]
    return Drawing(
        id=rule.id,
        title=rule.rule.text,
        shape=None,
        time_exponent=exponent,
        lanes=tuple(lanes),
        facts=(),
        rules=(rule.id,),
    )


def _sides(comparison: Inequality | Equality, number: int, numbers: int) -> tuple[Lane, Lane]:
    before = f"{number}: " if numbers > 1 else ""
    exponent = comparison.time_exponent
    orders = isinstance(comparison, Inequality)
    first, second = ("smaller side", "larger side") if orders else ("one side", "other side")
    return (
        _lane(f"{before}{first}", comparison.left, exponent, Tone.WAIT),
        _lane(f"{before}{comparison.sign} {second}", comparison.right, exponent, Tone.OPEN),
    )


def _lane(label: str, side: Poly, exponent: int, tone: Tone) -> Lane:
    if not side.terms:
        return Lane(label=label, marks=(Mark(at=ZERO, words=(Amount(ZERO, exponent),)),))
    each = [Poly({monomial: coefficient}) for monomial, coefficient in side]
    terms, rest = each[:_MOST_TERMS], each[_MOST_TERMS:]
    drawn, end = [], ZERO
    for term in terms:
        start, end = end, end + term
        drawn.append(Bar(start=start, end=end, words=_words(term, exponent), tone=tone))
    if rest:
        together = Amount(side - end, exponent)
        drawn.append(Bar(start=end, end=side, words=(f"and {len(rest)} more, together ", together), tone=tone))
    return Lane(label=label, bars=tuple(drawn))


def _words(term: Poly, exponent: int) -> Words:
    value = Amount(term, exponent)
    return (value,) if term.constant is not None else (f"{term.text(exponent)} ", value)
