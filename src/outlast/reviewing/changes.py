"""How two specs differ in what they say: values, defaults, facts, measurements and rules, and how that moved the headroom of each rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from outlast.constraints.check import CheckOutcome
from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Truth, Verdict
from outlast.constraints.measurements import Measurement
from outlast.constraints.model import Level, Rule, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Quant
from outlast.constraints.quantities import format_value
from outlast.reviewing.names import Names
from outlast.reviewing.outcome import (
    Headroom,
    InUse,
    MeasurementChange,
    ParameterChange,
    Quantile,
    RuleChange,
)
from outlast.reviewing.pairs import Pairs
from outlast.solver.constants import constants_of

__all__ = ["headrooms", "measurement_changes", "parameter_changes", "requirement", "rule_changes", "stands"]


def parameter_changes(before: CheckOutcome, after: CheckOutcome, names: Names) -> tuple[ParameterChange, ...]:
    """Parameters that are new, gone, or not what they were, by the name that they have now."""
    old = {names.quantity(name): use for name, use in _in_use(before).items()}
    new = _in_use(after)
    found = []
    for name in sorted({*old, *new}):
        one, other = old.get(name), new.get(name)
        was = None if one is None or other is None or one.parameter.name == name else one.parameter.name
        if one is None or other is None or was is not None or _says(one) != _says(other):
            found.append(ParameterChange(name=name, was=was, before=one, after=other))
    return tuple(found)


def _in_use(outcome: CheckOutcome) -> Mapping[str, InUse]:
    spec = outcome.spec
    return {name: InUse(p, outcome.values.get(name), spec.in_files.get(name)) for name, p in spec.parameters.items()}


def _says(one: InUse) -> tuple[object, ...]:
    """What of a parameter is told when it changes: what judging depends on, and where it may be; not its step, nor what is preferred."""
    p = one.parameter
    value = one.value if p.text is None else None  # what is computed follows from what it is computed of
    in_file = None if one.in_file is None else one.in_file[0]
    return (p.role, value, in_file, p.interval, p.text, p.domain, p.default_of, p.zero, p.kind)


def measurement_changes(
    before: Spec | None, after: Spec | None, rules: Iterable[NormalRule]
) -> tuple[MeasurementChange, ...]:
    """Measurements that are new, gone, or of which other samples were taken, by name; `rules` are those of both sides."""
    old, new = ({} if spec is None else spec.measurements for spec in (before, after))
    used = sorted({atom for rule in rules for atom in rule.atoms() if isinstance(atom, Quant)}, key=lambda q: q.key)
    found = []
    for name in sorted({*old, *new}):
        one, other = old.get(name), new.get(name)
        quantiles: tuple[Quantile, ...] = ()
        if one is not None and other is not None:
            both = (
                Quantile(quant.key, _bound(quant, before), _bound(quant, after))
                for quant in used
                if quant.measurement == name
            )
            quantiles = tuple(quantile for quantile in both if quantile.before != quantile.after)
        if one is None or other is None or quantiles or _measured(one) != _measured(other):
            found.append(MeasurementChange(name=name, before=one, after=other, quantiles=quantiles))
    return tuple(found)


def _measured(measurement: Measurement) -> tuple[object, ...]:
    return (measurement.file, measurement.taken, measurement.sample.size)


def _bound(quant: Quant, spec: Spec | None) -> Fraction | None:
    if spec is None:
        return None
    try:
        return constants_of(spec).bound(quant, True)
    except OutlastError:  # too few samples
        return None


def requirement(rule: Rule) -> str:
    """What a rule demands, how strongly and when, in one line."""
    parts = [rule.text]
    if rule.margin is not None:
        amount = format_value(rule.margin.amount, rule.margin.time_exponent or 0, percent=rule.margin.is_relative)
        parts.append(f"with a margin of {amount}")
    if rule.needs_on:
        parts.append(f"with {' and '.join(rule.needs_on)} on")
    if rule.level is Level.SHOULD:
        parts.append("if possible")
    if rule.when_text is not None:
        parts.append(f"when {rule.when_text}")
    return ", ".join(parts)


def rule_changes(before: Spec, after: Spec, pairs: Pairs) -> tuple[RuleChange, ...]:
    """Rules of the spec or the catalogue that are new, gone or say something else, by their ids."""
    found = []
    for id_, rule in sorted(after.rules.items()):
        was = pairs.old.get(id_)
        if was is None:
            found.append(RuleChange(id=id_, before=None, after=requirement(rule), place=rule.place))
            continue
        one = before.rules[was]
        if was != id_ or _demands(one) != _demands(rule):
            found.append(
                RuleChange(
                    id=id_,
                    before=requirement(one),
                    after=requirement(rule),
                    place=rule.places.get("require", rule.place),
                    was=None if was == id_ else was,
                )
            )
    gone = sorted(before.rules.keys() - pairs.new.keys())
    rules = (before.rules[id_] for id_ in gone)
    found += [RuleChange(id=rule.id, before=requirement(rule), after=None, place=rule.place) for rule in rules]
    return tuple(found)


def _demands(rule: Rule) -> tuple[object, ...]:
    return (rule.text, rule.when_text, rule.level, rule.weight, rule.margin, rule.aim, tuple(rule.needs_on))


def headrooms(before: CheckOutcome, after: CheckOutcome, pairs: Pairs) -> tuple[Headroom, ...]:
    """Rules on both sides whose answer or headroom moved, by id; bounds of the software only where they break."""
    found = []
    for id_, checked in sorted(after.rules.items()):
        was = pairs.old.get(id_)
        if was is None:
            continue
        one, other = before.rules[was].verdict, checked.verdict
        if checked.rule.rule.is_bound and _is_well(one) and _is_well(other):
            continue
        if (None if one is None else stands(one)) != (None if other is None else stands(other)):
            found.append(Headroom(rule=id_, before=one, after=other))
    return tuple(found)


def _is_well(verdict: Verdict | None) -> bool:
    return verdict is None or verdict.truth is not Truth.BROKEN


def stands(verdict: Verdict) -> tuple[object, ...]:
    """What of a verdict says how near the rule is to breaking."""
    judged = verdict.decisive
    if verdict.truth is Truth.NOT_APPLICABLE or judged is None:
        return (verdict.truth, verdict.margin_kept)
    return (verdict.truth, verdict.margin_kept, judged.headroom, judged.left, judged.right)
