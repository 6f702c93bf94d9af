"""Values that check would find fault with, whatever the rules say: off their step or outside their domain. odd.js says the same."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from outlast.constraints.check import FindingKind
from outlast.constraints.model import Choices, Interval, Parameter, Spec
from outlast.constraints.quantities import Sentinel, Value, value_text
from outlast.reporting import Reported
from outlast.reports.data import Json, fraction_data
from outlast.solver.audit import is_unset, odd_value

if TYPE_CHECKING:
    from outlast.reports.page.controls import Control
    from outlast.reports.page.opening import Opening

__all__ = ["Odd", "odd_data", "odd_of", "odd_words"]

#: By name what is odd: whether that is the step (else it is the domain), and words that go on after `this is`.
Odd = dict[str, tuple[bool, str]]


def odd_of(reported: Reported, opening: Opening, controls: Iterable[Control]) -> Odd:
    """What is odd about the values that the page opens with."""
    found: Odd = {}
    for control in controls:
        parameter = control.parameter
        value = opening.written.get(parameter.name)
        if value is None or (value == control.in_use and is_unset(parameter)):
            continue
        if (odd := odd_value(reported.spec, parameter, value)) is not None:
            found[parameter.name] = odd[0] is FindingKind.OFF_STEP, _said(odd[1])
    return found


def odd_words(odd: Odd) -> list[str]:
    """How many values are odd, as check counts them."""
    off_step = sum(1 for is_step, _ in odd.values() if is_step)
    outside = len(odd) - off_step
    told = (
        [f"{off_step} {'value is off its step' if off_step == 1 else 'values are off their steps'}"] if off_step else []
    )
    if outside:
        told.append(
            f"{outside} {'value is outside its domain' if outside == 1 else 'values are outside their domains'}"
        )
    return told


def odd_data(spec: Spec, parameter: Parameter) -> dict[str, Json]:
    """What odd.js needs: words for what is outside and for each word that it cannot be, what is listed, and whether it has to be on its step."""
    told: dict[str, Json] = {}
    for word in Sentinel:
        if (odd := odd_value(spec, parameter, word)) is not None:
            told[word.value] = _said(odd[1])
    domain = parameter.domain
    if isinstance(domain, Choices):
        # What a list takes is told by its values; a number above all of them is in none.
        means = [parameter.effective(value) for value in domain.values]
        listed = [value for value in means if isinstance(value, Fraction)]
        told["listed"] = [str(fraction_data(value)) for value in listed]
        told["outside"] = _outside(spec, parameter, max(listed, default=Fraction(0)) + 1)
    elif isinstance(domain, Interval) and (domain.low is not None or domain.high is not None):
        told["outside"] = told[Sentinel.OFF.value]
    half = odd_value(spec, parameter, parameter.step / 2) if domain is None else None
    if isinstance(domain, Interval) or half is not None:
        told["step"] = f"not a multiple of its step, {value_text(parameter.step, parameter.kind)}"
    if is_unset(parameter):
        told["unset"] = True
    return {"odd": told} if told else {}


def _outside(spec: Spec, parameter: Parameter, value: Value) -> str | None:
    odd = odd_value(spec, parameter, value)
    return None if odd is None else _said(odd[1])


def _said(message: str) -> str:
    """A message of check without what comes before it.

    >>> _said("is outside its domain 1s..9s"), _said("keepalive_timeout of nginx cannot be")
    ('outside its domain 1s..9s', 'keepalive_timeout of nginx cannot be this')
    """
    return message.removeprefix("is ") if message.startswith("is ") else f"{message} this"
