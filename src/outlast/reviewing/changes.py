"""How two specs differ in what they say: values, defaults, facts, measurements and rules, and how that moved the headroom of each rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from outlast.constraints.check import CheckOutcome
from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Truth, Verdict
from outlast.constraints.measurements import Measurement
from outlast.constraints.model import Rule, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Quant
from outlast.reviewing.outcome import (
    Headroom,
    InUse,
    MeasurementChange,
    ParameterChange,
    Quantile,
    RuleChange,
)
from outlast.solver.constants import constants_of

__all__ = ["headrooms", "measurement_changes", "parameter_changes", "requirement", "rule_changes", "stands"]


def parameter_changes(before: CheckOutcome | None, after: CheckOutcome | None) -> tuple[ParameterChange, ...]:
    """Parameters that are new, gone, or not what they were, by name."""
    old, new = _in_use(before), _in_use(after)
    found = []
    for name in sorted({*old, *new}):
        one, other = old.get(name), new.get(name)
        if one is None or other is None or _says(one) != _says(other):
            found.append(ParameterChange(name=name, before=one, after=other))
    return tuple(found)


def _in_use(outcome: CheckOutcome | None) -> Mapping[str, InUse]:
    if outcome is None:
        return {}
    return {name: InUse(p, outcome.values.get(name)) for name, p in outcome.spec.parameters.items()}


def _says(one: InUse) -> tuple[object, ...]:
    """Everything about a parameter that judging or solving depends on."""
    p = one.parameter
    value = one.value if p.text is None else None  # what is computed follows from what it is computed of
    return (p.role, value, p.interval, p.text, p.domain, p.default_of, p.zero, p.kind)


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
    """What a rule demands, and when, in one line."""
    return rule.text if rule.when_text is None else f"{rule.text}, when {rule.when_text}"


def rule_changes(before: Spec | None, after: Spec | None, renamed: Mapping[str, str]) -> tuple[RuleChange, ...]:
    """Rules that are new, gone or say something else, by their ids; `renamed` is the old id of each that only has another one now."""
    old, new = ({} if spec is None else spec.rules for spec in (before, after))
    found = []
    for id_, rule in sorted(new.items()):
        was = renamed.get(id_, id_)
        one = old.get(was)
        if one is None:
            found.append(RuleChange(id=id_, before=None, after=requirement(rule), place=rule.place))
        elif was != id_ or _demands(one) != _demands(rule):
            found.append(
                RuleChange(
                    id=id_,
                    before=requirement(one),
                    after=requirement(rule),
                    place=rule.places.get("require", rule.place),
                    was=None if was == id_ else was,
                )
            )
    gone = old.keys() - new.keys() - set(renamed.values())
    found += [RuleChange(id=r, before=requirement(old[r]), after=None, place=old[r].place) for r in sorted(gone)]
    return tuple(found)


def _demands(rule: Rule) -> tuple[object, ...]:
    return (rule.text, rule.when_text, rule.level, rule.weight, rule.margin, rule.aim, tuple(rule.needs_on))


def headrooms(
    before: CheckOutcome | None, after: CheckOutcome | None, renamed: Mapping[str, str]
) -> tuple[Headroom, ...]:
    """Rules on both sides whose answer or headroom moved, by id."""
    if before is None or after is None:
        return ()
    found = []
    for id_, checked in sorted(after.rules.items()):
        one = before.rules.get(renamed.get(id_, id_))
        if one is None or (checked.rule.rule.is_bound and _is_well(one.verdict) and _is_well(checked.verdict)):
            continue
        if (one.verdict is None) != (checked.verdict is None) or (
            one.verdict is not None and checked.verdict is not None and stands(one.verdict) != stands(checked.verdict)
        ):
            found.append(Headroom(rule=id_, before=one.verdict, after=checked.verdict))
    return tuple(found)


def _is_well(verdict: Verdict | None) -> bool:
    return verdict is None or verdict.truth is not Truth.BROKEN


def stands(verdict: Verdict) -> tuple[object, ...]:
    """What of a verdict says how near the rule is to breaking."""
    judged = verdict.decisive
    if verdict.truth is Truth.NOT_APPLICABLE or judged is None:
        return (verdict.truth, verdict.margin_kept)
    return (verdict.truth, verdict.margin_kept, judged.headroom, judged.left, judged.right)
