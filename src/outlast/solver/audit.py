"""Audit of the values in use: every rule judged exactly, and for each broken one the nearest value that would mend it. No z3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from outlast.constraints.check import Checked, CheckOutcome, Finding, FindingKind, Remedy, in_order
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.evaluate import Extended, Judged, Side, Special, Truth, Verdict, World, evaluate, judge
from outlast.constraints.model import Choices, Difference, Interval, Level, Parameter, Role, Rule, Severity, Spec
from outlast.constraints.normal import Inequality, NormalRule, derived_polys
from outlast.constraints.polynomial import Poly, Var
from outlast.constraints.quantities import Sentinel, Value, format_value, parse_quantity, value_text
from outlast.solver.constants import constants_of

if TYPE_CHECKING:
    from outlast.constraints.catalogue import KnownParameter

__all__ = ["as_value", "audit", "derived_values", "is_unset", "odd_value", "severity_of", "value_in_use"]


#: Parameters without a value that are told one by one.
_MOST_MISSING: Final = 20


def audit(
    spec: Spec,
    rules: Mapping[str, NormalRule],
    *,
    known_only: bool,
    may_know_nothing: bool = False,
    with_remedies: bool = True,
) -> CheckOutcome:
    """Judge every rule at the values in use; `with_remedies` finds what would mend what is broken, which takes most of the time.

    Raises:
        InputErrors: there is no rule to judge and it is not so that `may_know_nothing`, or a rule speaks of a parameter without a value
            and `known_only` is not set.
    """
    constants = constants_of(spec)
    written = {p.name: v for p in spec.parameters.values() if (v := value_in_use(p)) is not None}
    values = {**constants.values, **{n: spec.parameters[n].effective(v) for n, v in written.items()}}
    world = World(values=values, bound=constants.bound)
    checked: dict[str, Checked] = {}
    for rule_id in sorted(rules):
        rule = rules[rule_id]
        missing = tuple(sorted(n for n in rule.names() if n not in values))
        checked[rule_id] = Checked(rule=rule, verdict=None if missing else judge(rule, world), missing=missing)
    if not may_know_nothing:
        _refuse_unknown(spec, checked, known_only=known_only)
    findings = [*_odd_values(spec), *_differing(spec, rules, world)]
    wrong = [
        (entry.rule, entry.verdict)
        for entry in checked.values()
        if entry.verdict is not None and (entry.verdict.truth is Truth.BROKEN or not entry.verdict.margin_kept)
    ]
    if wrong and not with_remedies:
        findings += [_finding(rule, verdict, ()) for rule, verdict in wrong]
    elif wrong:
        from outlast.solver.remedies import Remedies  # not needed where all is well

        remedies = Remedies(spec, constants, world, checked)
        findings += [_finding(rule, verdict, remedies.of(rule)) for rule, verdict in wrong]
    shown = {**written, **derived_values(spec, world)}
    return CheckOutcome(spec=spec, rules=checked, findings=in_order(findings), values=dict(sorted(shown.items())))


def value_in_use(parameter: Parameter) -> Value | None:
    """The value to judge a parameter by, as written; None: there is none, or it is computed."""
    return parameter.current if parameter.role is Role.FREE else parameter.value


def derived_values(spec: Spec, world: World) -> dict[str, Value]:
    """What the derived parameters come to, where all they depend on is known and the result is a value."""
    found: dict[str, Value] = {}
    for name, poly in derived_polys(spec).items():
        if all(a.name in world.values for a in poly.all_atoms() if isinstance(a, Var)):
            value = _value_of(poly, world)
            if value is not None:
                found[name] = value
    return found


def _value_of(poly: Poly, world: World) -> Value | None:
    """The value of a derived parameter: with the upper bounds of measured quantiles, with the lower ones where there are no others."""
    for side in Side:
        try:
            return as_value(evaluate(poly, world, side))
        except OutlastError:  # too few samples for a bound that no rule uses
            continue
    return None


def as_value(result: Extended) -> Value | None:
    """The result of an evaluation as a value; None: it is none."""
    if isinstance(result, Fraction):
        return result
    return {Special.PLUS: Sentinel.INFINITE, Special.OFF: Sentinel.OFF}.get(result)


def _refuse_unknown(spec: Spec, checked: Mapping[str, Checked], *, known_only: bool) -> None:
    if spec.topology is not None and all(c.rule.rule.is_bound for c in checked.values()):
        return  # the report tells what would have to be known for the catalogue's rules
    if not checked:
        raise InputErrors(
            "nothing to check", [OutlastError(f"there is nothing to check: '{spec.path.name}' has no rules")]
        )
    if not known_only:
        missing = sorted({n for c in checked.values() for n in c.missing})
        errors = [
            OutlastError(
                f"parameter '{n}' has no value to check: write current:, say --set {n}=VALUE, or leave its rules out with --known-only",
                spec.parameters[n].place,
            )
            for n in missing
        ]
        if errors:
            raise InputErrors("values are missing", _shortened(errors))
    if all(c.missing for c in checked.values()):
        raise InputErrors(
            "nothing to check",
            [OutlastError("there is nothing to check: every rule speaks of a parameter without a value")],
        )


def _shortened(errors: list[OutlastError]) -> list[OutlastError]:
    more = len(errors) - _MOST_MISSING
    if more <= 0:
        return errors
    return [*errors[:_MOST_MISSING], OutlastError(f"{more} more parameters have no value to check")]


def _odd_values(spec: Spec) -> list[Finding]:
    """Values in use off their step, outside their domain, or none that the software can have."""
    findings: list[Finding] = []
    for parameter in spec.parameters.values():
        if parameter.role not in (Role.FREE, Role.FIXED) or is_unset(parameter):
            continue
        value = value_in_use(parameter)
        found = None if value is None else odd_value(spec, parameter, value)
        if value is None or found is None:
            continue
        kind, message = found
        place = parameter.places.get("current" if parameter.role is Role.FREE else "fixed", parameter.place)
        findings.append(
            Finding(
                kind=kind,
                severity=Severity.ERROR,
                subject=parameter.name,
                place=place,
                message=f"{parameter.name} is {_meant(value, parameter)}, which {message}",
            )
        )
    return findings


def is_unset(parameter: Parameter) -> bool:
    """Whether nobody has set its value in use: it is what software takes by itself, and so never odd."""
    is_free = parameter.role is Role.FREE and parameter.unset_of is not None and "current" not in parameter.places
    return is_free or parameter.default_of is not None


def odd_value(spec: Spec, parameter: Parameter, value: Value) -> tuple[FindingKind, str] | None:
    """What would be wrong with this value, as written, of a free or fixed parameter: off its step or outside its domain, and words.

    The words go on after the value: `is outside its domain 1s..9s`.
    """
    known, domain, means = _known(spec, parameter), parameter.domain, parameter.effective(value)
    if isinstance(domain, Choices):
        inside = means in {parameter.effective(v) for v in domain.values}
    else:
        inside = domain is None or _inside(means, domain)
    if not inside:
        return FindingKind.OFF_DOMAIN, f"is outside {_domain_text(parameter)}"
    if isinstance(means, Sentinel):
        if known is None or _can_be(means, parameter, known[1]):
            return None
        return FindingKind.OFF_DOMAIN, f"{known[1].name} of {known[0]} cannot be"
    if isinstance(domain, Choices) or isinstance(value, Sentinel) or value % parameter.step == 0:
        return None
    if domain is None and (known is None or not _is_step_of(known[1], parameter)):
        return None  # the step of a fixed value is only how far it may be moved
    return FindingKind.OFF_STEP, f"is not a multiple of its step, {value_text(parameter.step, parameter.kind)}"


def _known(spec: Spec, parameter: Parameter) -> tuple[str, KnownParameter] | None:
    """The product that has the parameter, and what is known of it; None: nothing, or it is a quantity of the workload."""
    found = None if spec.topology is None else spec.topology.known(parameter.name)
    if found is None or found[1].key is None:
        return None
    component, known = found
    return known.product or component.kind.product, known


def _can_be(value: Sentinel, parameter: Parameter, known: KnownParameter) -> bool:
    """Whether the software, or the spec, has a way to say it."""
    told = (known.zero, known.negative, known.minimum, known.maximum, *(d.value for d in known.defaults))
    return value.value in told or value in (parameter.zero, parameter.negative, parameter.unset)


def _is_step_of(known: KnownParameter, parameter: Parameter) -> bool:
    return known.step is not None and parse_quantity(known.step).value == parameter.step


def _meant(value: Value, parameter: Parameter) -> str:
    """A value as written, and what it means where that is something else: `0s = infinite`."""
    means = parameter.effective(value)
    shown = value_text(value, parameter.kind)
    return shown if means == value else f"{shown} = {value_text(means, parameter.kind)}"


def _differing(spec: Spec, rules: Mapping[str, NormalRule], world: World) -> Iterator[Finding]:
    """Files that do not say what the spec, or another file, says."""
    for difference in (*spec.differences, *_derived_differences(spec, world)):
        from outlast.constraints.differences import difference_text  # not needed where all is well

        parameter = spec.parameters[difference.parameter]
        message = difference_text(difference, parameter)
        broken = _broken_at(difference.found, parameter, rules, world)
        if broken:
            message += f", with which {' and '.join(broken)} would be broken"
        yield Finding(
            kind=FindingKind.DIFFERS,
            severity=Severity.ERROR,
            subject=parameter.name,
            place=difference.place,
            message=message,
            would_break=tuple(broken),
        )


def _derived_differences(spec: Spec, world: World) -> Iterator[Difference]:
    """Files that hold another value of a derived parameter than the one that comes out."""
    derived = derived_values(spec, world) if any(spec.parameters[n].role is Role.DERIVED for n in spec.in_files) else {}
    for name, computed in sorted(derived.items()):
        if name in spec.in_files and (found := spec.in_files[name])[0] != computed:
            place = spec.parameters[name].places["derived"]
            yield Difference(
                parameter=name,
                expected=computed,
                expected_place=place,
                is_from_spec=True,
                found=found[0],
                place=found[1],
            )


def _broken_at(value: Value, parameter: Parameter, rules: Mapping[str, NormalRule], world: World) -> list[str]:
    """The rules that hold now and would not with another value of a parameter that the spec decides."""
    if parameter.role not in (Role.FACT, Role.FIXED):
        return []
    other = World(values={**world.values, parameter.name: parameter.effective(value)}, bound=world.bound)
    mentioned = [r for r in rules.values() if parameter.name in r.names() and all(n in world.values for n in r.names())]
    return sorted(
        r.id for r in mentioned if judge(r, other).truth is Truth.BROKEN and judge(r, world).truth is not Truth.BROKEN
    )


def _inside(value: Value, domain: Interval) -> bool:
    if isinstance(value, Sentinel):
        return False
    return (domain.low is None or value >= domain.low) and (domain.high is None or value <= domain.high)


def _domain_text(parameter: Parameter) -> str:
    domain = parameter.domain
    if isinstance(domain, Choices):
        return "its list " + ", ".join(_meant(v, parameter) for v in domain.values)
    assert domain is not None
    low = "" if domain.low is None else value_text(domain.low, parameter.kind)
    high = "" if domain.high is None else value_text(domain.high, parameter.kind)
    return f"its domain {low}..{high}" if low or high else "its domain, which holds numbers only"


def _finding(rule: NormalRule, verdict: Verdict, remedies: tuple[Remedy, ...]) -> Finding:
    broken = verdict.truth is Truth.BROKEN
    return Finding(
        kind=FindingKind.BROKEN if broken else FindingKind.MARGIN,
        severity=severity_of(rule.rule),
        subject=rule.id,
        place=rule.rule.places.get("require", rule.rule.place),
        message=_message(rule, verdict),
        remedies=remedies,
    )


def severity_of(rule: Rule) -> Severity:
    """The relation's, but a rule that may be given up is no error."""
    told = Severity.ERROR if rule.relation is None else rule.relation.severity
    return Severity.WARNING if told is Severity.ERROR and rule.level is Level.SHOULD else told


def _message(rule: NormalRule, verdict: Verdict) -> str:
    if verdict.missing is not None:
        return f"{verdict.missing} is off, which this rule does not allow"
    decisive = verdict.decisive
    if decisive is None or (verdict.truth is Truth.BROKEN and decisive.truth is not Truth.BROKEN):
        return f"{rule.rule.text} does not hold"
    exponent = decisive.comparison.time_exponent
    left, right = (
        _side(decisive, decisive.comparison.left, decisive.left),
        _side(decisive, decisive.comparison.right, decisive.right),
    )
    if verdict.truth is Truth.BROKEN:
        if Special.UNDEFINED in (decisive.left, decisive.right):
            return f"{decisive.comparison.text()} has no value here: it divides by 0, or by or from something infinite"
        if isinstance(decisive.comparison, Inequality):
            relation = "is not under" if decisive.comparison.strict else "is not at most"
        else:
            what = "equal to" if decisive.comparison.means is None else "a multiple of"
            relation = f"is not {what}" if decisive.comparison.equal else f"is {what}"
        return f"{left} {relation} {right}"
    margin = rule.rule.margin
    assert margin is not None
    wanted = format_value(margin.amount, exponent if not margin.is_relative else 0, percent=margin.is_relative)
    found = decisive.headroom if margin.is_relative else decisive.slack
    return f"{left} is under {right} by {_amount(found, exponent, relative=margin.is_relative)}, less than the margin of {wanted}"


def _amount(found: Extended | None, exponent: int, *, relative: bool) -> str:
    if not isinstance(found, Fraction):
        return "nothing"
    if relative:
        rounded = round(found * 1000)
        return f"about {format_value(Fraction(rounded, 1000), 0, percent=True)}"
    return format_value(found, exponent)


def _side(judged: Judged, poly: Poly, value: Extended) -> str:
    exponent = judged.comparison.time_exponent
    text, shown = poly.text(exponent), extended_text(value, exponent)
    return shown if text == shown else f"{text} = {shown}"


def extended_text(value: Extended, time_exponent: int) -> str:
    """The result of an evaluation for people."""
    return format_value(value, time_exponent) if isinstance(value, Fraction) else value.value
