"""The values that a page opens with, and what the rules come to there."""

from __future__ import annotations

from collections.abc import Mapping

from outlast.constraints.errors import Place
from outlast.constraints.evaluate import Truth, Verdict, World, judge
from outlast.constraints.model import Parameter, Role
from outlast.constraints.quantities import Value, value_text
from outlast.constraints.record import record
from outlast.reporting import Reported
from outlast.solver.audit import derived_values, value_in_use

__all__ = ["Opening", "State", "opening_of", "place_of", "said_value", "state_of", "values_in_use"]

#: How a rule stands, as a word: `holds`, `BROKEN`, `margin missed`, `not applicable` or `no value`.
State = str


@record(kw_only=True)
class Opening:
    """One set of values, and every rule at it."""

    #: Whose values: `in use`, `recommended`, or `known` where some are missing.
    whose: str
    #: Of free and fixed parameters, as written.
    written: Mapping[str, Value]
    #: Those, facts, and derived ones as far as they can be computed.
    values: Mapping[str, Value]
    world: World
    #: None: a value is missing.
    verdicts: Mapping[str, Verdict | None]


def opening_of(reported: Reported) -> Opening:
    """Values in use where all are known, else those recommended, else what is known."""
    in_use, whose = values_in_use(reported), "in use"
    written = in_use
    movable = [p.name for p in reported.spec.parameters.values() if p.role in (Role.FREE, Role.FIXED)]
    if any(name not in in_use for name in movable):
        written = {**in_use, **reported.recommended}
        whose = "recommended" if reported.recommended else "known"
    world = reported.world(written)
    facts = {p.name: p.value for p in reported.spec.parameters.values() if p.value is not None}
    verdicts = {
        id_: None if any(name not in world.values for name in rule.names()) else judge(rule, world)
        for id_, rule in sorted(reported.rules.items())
    }
    values = {**facts, **written, **derived_values(reported.spec, world)}
    return Opening(whose=whose, written=written, values=values, world=world, verdicts=verdicts)


def values_in_use(reported: Reported) -> dict[str, Value]:
    """What free and fixed parameters are today, as written, as far as it is known."""
    return {
        p.name: value
        for p in reported.spec.parameters.values()
        if p.role in (Role.FREE, Role.FIXED) and (value := value_in_use(p)) is not None
    }


def place_of(parameter: Parameter) -> Place:
    """Where its value stands; where it has none, the parameter."""
    key = "current" if parameter.role is Role.FREE else parameter.role.value
    return parameter.places.get(key, parameter.place)


def said_value(parameter: Parameter, value: Value | None) -> str:
    """A value as a spec writes it, of an interval both ends: `30s..70s`; page.js says the same of what moves."""
    if parameter.interval is not None:
        return "..".join(value_text(end, parameter.kind) for end in parameter.interval)
    return "no value" if value is None else value_text(value, parameter.kind)


def state_of(verdict: Verdict | None) -> State:
    """How a rule stands."""
    if verdict is None:
        return "no value"
    if verdict.truth is Truth.BROKEN:
        return "BROKEN"
    if not verdict.margin_kept:
        return "margin missed"
    return str(verdict.truth.value)
