"""What `solve` found, as JSON (docs/json.md)."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.model import Level, Role
from outlast.constraints.quantities import Kind
from outlast.reports.conflict import conflict_sentence
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
from outlast.reports.origins import Origins
from outlast.solver.account import Certificate, Conflict
from outlast.solver.outcome import End, ParameterResult, Range, SolveOutcome, Status

__all__ = ["conflict_data", "solve_data"]


def solve_data(outcome: SolveOutcome) -> dict[str, Json]:
    """The whole report."""
    values = {name: result.value for name, result in outcome.parameters.items()}
    origins = Origins(outcome.spec, values, recommended=True)
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
                "conflict": None if given.conflict is None else conflict_data(given.conflict),
            }
            for given in outcome.given_up
        ],
        "kept": sorted(
            id_ for id_, result in outcome.rules.items() if result.kept and result.rule.rule.level is Level.SHOULD
        ),
        "conflicts": [conflict_data(conflict) for conflict in outcome.conflicts],
        "undecided": outcome.undecided,
        "proved": list(outcome.proved),
        "complete": _is_complete(outcome),
        "notes": [
            *({"message": note, "place": None} for note in outcome.notes),
            *({"message": note.message, "place": place_data(note.place)} for note in outcome.spec.notes),
        ],
    }


def _is_complete(outcome: SolveOutcome) -> bool:
    """Whether no limit left anything open."""
    return (
        outcome.status is not Status.UNDECIDED
        and all(b.confirmed for b in outcome.bottlenecks)
        and all(c.minimal for c in outcome.conflicts)
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


def conflict_data(conflict: Conflict) -> dict[str, Json]:
    """One conflict with its items, and the certificate where there is one."""
    certificate = conflict.certificate
    return {
        "items": [item.id for item in conflict.items],
        "details": [
            {
                "id": item.id,
                "says": item.says,
                "file": None if item.place is None else item.place.file,
                "line": None if item.place is None else item.place.line,
                "why": item.why,
            }
            for item in conflict.items
        ],
        "text": conflict_sentence(conflict),
        "certificate": None if certificate is None else _multipliers(certificate),
        "steps": None
        if certificate is None
        else [{"id": step.item, "times": step.times, "says": step.says} for step in certificate.steps],
        "total": None if certificate is None else certificate.total,
        "by_steps": conflict.by_steps,
        "minimal": conflict.minimal,
    }


def _multipliers(certificate: Certificate) -> dict[str, str]:
    """Multipliers by item; the second inequality of an item is `ID#2`, and so on."""
    found: dict[str, str] = {}
    for step in certificate.steps:
        name, number = step.item, 1
        while name in found:
            number += 1
            name = f"{step.item}#{number}"
        found[name] = f"{fraction_data(step.multiplier)}"
    return found
