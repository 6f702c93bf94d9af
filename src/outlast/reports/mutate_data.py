"""Which rules notice other values, as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.constraints.quantities import Kind
from outlast.reports.data import VERSION, Json, parameter_data, place_data, value_data
from outlast.solver.mutants import Mutant, Mutated, MutateOutcome, State, Watch

__all__ = ["mutate_data"]


def mutate_data(outcome: MutateOutcome) -> dict[str, Json]:
    """The whole report."""
    by_state: dict[State, list[Json]] = {state: [] for state in State}
    for mutated in outcome.parameters:
        for watch in mutated.watches:
            by_state[watch.state].append(_watch(mutated, watch))
    return {
        "version": VERSION,
        "status": outcome.status,
        "spec": str(outcome.spec.path),
        "title": outcome.spec.title,
        "values_from": "solve" if outcome.solved is not None else "use",
        "parameters": {mutated.parameter.name: _parameter(mutated) for mutated in outcome.parameters},
        "unguarded": by_state[State.UNGUARDED],
        "accepted": by_state[State.ACCEPTED],
        "accepted_in_vain": by_state[State.IN_VAIN],
        "undecided": outcome.undecided,
        "complete": outcome.status in ("guarded", "unguarded") and outcome.undecided is None,
        "notes": [{"message": note.message, "place": place_data(note.place)} for note in outcome.spec.notes],
    }


def _parameter(mutated: Mutated) -> dict[str, Json]:
    kind = mutated.parameter.kind
    return {
        **parameter_data(mutated.parameter, mutated.value),
        "smallest": value_data(mutated.low.last, kind),
        "largest": value_data(mutated.high.last, kind),
        "directions": {watch.direction.value: watch.state.value for watch in mutated.watches},
        "mutants": [_mutant(mutant, kind) for mutant in mutated.mutants],
    }


def _mutant(mutant: Mutant, kind: Kind) -> dict[str, Json]:
    return {
        "value": value_data(mutant.value, kind),
        "means": value_data(mutant.means, kind),
        "origins": list(mutant.origins),
        "direction": mutant.direction.value,
        "fate": mutant.fate.value,
        "noticed_by": list(mutant.noticed_by),
        "silenced": list(mutant.silenced),
    }


def _watch(mutated: Mutated, watch: Watch) -> dict[str, Json]:
    kind = mutated.parameter.kind
    return {
        "parameter": mutated.parameter.name,
        "direction": watch.direction.value,
        "survivors": [value_data(mutant.value, kind) for mutant in watch.survivors],
        "why": mutated.parameter.origin.why if watch.state is not State.UNGUARDED else None,
        "closers": [{"relation": c.relation, "rule": c.rule, "wants": c.wants} for c in watch.closers],
        "place": place_data(mutated.place),
    }
