"""Why a value is what it is, in one line: the rules that hold it with their headroom, the decision or the formula behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from outlast.constraints.evaluate import Special
from outlast.constraints.expression import Bool, Expr, names_in, quantiles_in
from outlast.constraints.model import Role, Spec
from outlast.constraints.normal import Inequality
from outlast.constraints.quantities import format_value
from outlast.solver.outcome import ParameterResult, RuleResult, SolveOutcome

__all__ = ["full_reason_of", "reason_of"]


def reason_of(result: ParameterResult, outcome: SolveOutcome) -> str:
    """One line without a full stop.

    `above no-ping-flood (headroom 25 %), below retry-dials-anew (headroom 42.8 %); ping_rtt measured on 2026-10-20`
    """
    parameter = result.parameter
    why = f": {parameter.origin.why}" if parameter.origin.why else ""
    if parameter.role is Role.FREE:
        parts = [*_ends(result, outcome)]
        if result.chosen and not parts:
            parts.append(result.chosen)
        told = ", ".join(parts) or "nothing limits it"
        dates = ", ".join(_dates(result, outcome))
        return f"{told}; {dates}" if dates else told
    if parameter.role is Role.DERIVED:
        return f"= {parameter.text}{why}"
    if parameter.default_of is not None:
        return f"the default of {parameter.default_of}"
    return f"{parameter.role.value}{why}"


def full_reason_of(result: ParameterResult, outcome: SolveOutcome) -> str:
    """The same, of a free parameter also the words of those who wrote it: `…; why: clients ping more often than every 10 s`."""
    reason, parameter = reason_of(result, outcome), result.parameter
    if parameter.role is Role.FREE and parameter.origin.why:
        return f"{reason}; why: {parameter.origin.why}"
    return reason


def _ends(result: ParameterResult, outcome: SolveOutcome) -> Iterator[str]:
    found = result.range
    if found is None:
        return
    for word, end in (("above", found.low), ("below", found.high)):
        told = [
            _limit(item, outcome.rules, result.parameter.name) for item in (end.limited_by if end is not None else ())
        ]
        if told:
            yield f"{word} {' and '.join(told)}"


def _limit(item: str, rules: Mapping[str, RuleResult], own: str) -> str:
    if item in rules:
        headroom = _headroom(rules[item])
        return f"{item} ({headroom})" if headroom else item
    name = item.removeprefix("domain:").rpartition(".")[0]
    return "the end of its domain" if name == own else f"the end of the domain of {name}"


def _headroom(result: RuleResult) -> str | None:
    judged = result.verdict.decisive
    if judged is None or not isinstance(judged.comparison, Inequality):
        return None
    headroom = judged.headroom
    if isinstance(headroom, Fraction):
        rounded = Fraction(headroom * 1000 // 1, 1000)
        return f"headroom {format_value(rounded, 0, percent=True).removesuffix('%')} %"
    return "headroom infinite" if headroom is Special.PLUS else None


def _dates(result: ParameterResult, outcome: SolveOutcome) -> Iterator[str]:
    """The days on which what limits the parameter was measured."""
    found = result.range
    limits = [] if found is None else [i for e in (found.low, found.high) if e is not None for i in e.limited_by]
    told: dict[str, None] = {}
    for rule in (outcome.spec.rules[i] for i in limits if i in outcome.spec.rules):
        for name in _measured_in(rule.id, outcome.spec):
            taken = outcome.spec.measurements[name].taken
            if taken is not None:
                told[f"{name} measured on {taken.isoformat()}"] = None
    yield from told


def _measured_in(rule_id: str, spec: Spec) -> list[str]:
    """The measurements of a rule, also those behind derived parameters."""
    found: dict[str, None] = {}
    pending: list[Expr | Bool] = [f for f in (spec.rules[rule_id].require, spec.rules[rule_id].when) if f is not None]
    seen: set[str] = set()
    while pending:
        formula = pending.pop()
        found |= dict.fromkeys(q.measurement for q in quantiles_in(formula))
        for name in names_in(formula):
            parameter = spec.parameters.get(name)
            if parameter is not None and parameter.formula is not None and name not in seen:
                seen.add(name)
                pending.append(parameter.formula)
    return sorted(found)
