"""What `solve` found, as JSON (docs/json.md)."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.model import Level, Role
from outlast.constraints.quantities import Kind
from outlast.reports.data import (
    VERSION,
    Json,
    fraction_data,
    parameter_data,
    place_data,
    rounded_down,
    rule_data,
    value_data,
)
from outlast.reports.growth import growth_data
from outlast.reports.origins import Origins
from outlast.reports.wording import Places
from outlast.solver.account import Conflict, ItemKind
from outlast.solver.outcome import End, Growth, ParameterResult, Range, SolveOutcome, Status

__all__ = ["solve_data"]


def solve_data(outcome: SolveOutcome) -> dict[str, Json]:
    """The whole report."""
    values = {name: result.value for name, result in outcome.parameters.items()}
    origins, places = Origins(outcome.spec, values, recommended=True), Places(outcome.spec)
    return {
        "version": VERSION,
        "status": outcome.status.value,
        "objective": outcome.objective,
        "spec": str(outcome.spec.path),
        "title": outcome.spec.title,
        "parameters": {name: _parameter(result) for name, result in sorted(outcome.parameters.items())},
        "rules": {
            id_: {**rule_data(result.rule.rule, result.verdict, origins), "kept": result.kept}
            for id_, result in sorted(outcome.rules.items())
        },
        "bottlenecks": [
            {
                "rules": list(bottleneck.rules),
                "level": rounded_down(Fraction(bottleneck.level, 1000), 3),
                "held_by_steps": bottleneck.held_by_steps,
                "confirmed": bottleneck.confirmed,
            }
            for bottleneck in outcome.bottlenecks
        ],
        "given_up": [
            {
                "rule": given.rule,
                "weight": fraction_data(given.weight),
                "conflict": None if given.conflict is None else _conflict(given.conflict, outcome, places),
            }
            for given in outcome.given_up
        ],
        "kept": sorted(
            id_ for id_, result in outcome.rules.items() if result.kept and result.rule.rule.level is Level.SHOULD
        ),
        **_conflicts(outcome, places),
        "growth": [growth_data(growth, _kind(growth, outcome)) for growth in outcome.growth],
        "undecided": outcome.undecided,
        "proved": list(outcome.proved),
        "complete": _is_complete(outcome),
        "notes": [
            *({"message": note, "place": None} for note in outcome.notes),
            *({"message": note.message, "place": place_data(note.place)} for note in outcome.spec.notes),
        ],
    }


def _conflict(conflict: Conflict, outcome: SolveOutcome, places: Places) -> dict[str, Json]:
    from outlast.reports.explain_data import conflict_data  # not needed where all is well

    return conflict_data(conflict, outcome.spec, places)


def _conflicts(outcome: SolveOutcome, places: Places) -> dict[str, Json]:
    """Why there are no values, and what to change, without what only costs `should` rules."""
    if outcome.status is Status.CONFLICT and outcome.account is not None and outcome.account.conflicts:
        from outlast.reports.explain_data import ways_out_data

        return ways_out_data(outcome.account, tuple(g for g in outcome.account.groups if g.is_must))
    found = [{**_conflict(c, outcome, places), "component": n} for n, c in enumerate(outcome.conflicts, 1)]
    return {"conflicts": found, "repairs": [], "cheapest": None, "components": []}


def _kind(growth: Growth, outcome: SolveOutcome) -> Kind:
    return Kind.RATIO if growth.kind is ItemKind.MEASUREMENT else outcome.spec.parameters[growth.name].kind


def _is_complete(outcome: SolveOutcome) -> bool:
    """Whether no limit left anything open."""
    account = outcome.account if outcome.status is Status.CONFLICT else None
    return (
        outcome.status is not Status.UNDECIDED
        and not (outcome.objective == "closest" and outcome.status is Status.FEASIBLE)
        and all(b.confirmed for b in outcome.bottlenecks)
        and all(c.minimal for c in outcome.conflicts)
        and (account is None or account.is_complete)
    )


def _parameter(result: ParameterResult) -> dict[str, Json]:
    parameter = result.parameter
    data = parameter_data(parameter, result.value)
    if parameter.role is not Role.FREE:
        return data
    data |= {"changed": result.changed, "chosen": result.chosen}
    if result.range is not None:
        data |= _range(result.range, parameter.kind)
    if result.range_as_recommended is not None:
        data["range_as_recommended"] = _range(result.range_as_recommended, parameter.kind)
    return data


def _range(found: Range, kind: Kind) -> dict[str, Json]:
    low, high = found.low, found.high
    ends: dict[str, Json] = {**_end("min", low, kind), **_end("max", high, kind)}
    return {
        "range": None if low is None and high is None else ends,
        "smallest": None if low is None else value_data(low.on_step, kind),
        "largest": None if high is None else value_data(high.on_step, kind),
        "limited_by": {
            "min": [] if low is None else list(low.limited_by),
            "max": [] if high is None else list(high.limited_by),
        },
        "gaps": None if found.gaps is None else [[value_data(end, kind) for end in gap] for gap in found.gaps],
        "listed": None if found.listed is None else [value_data(value, kind) for value in found.listed],
        "sentinels": [sentinel.value for sentinel in found.sentinels],
    }


def _end(which: str, end: End | None, kind: Kind) -> dict[str, Json]:
    if end is None:
        return {which: None, f"{which}_open": None}
    return {which: value_data(end.at, kind), f"{which}_open": end.is_open}
