"""What `apply` changes, as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.applying import Applied
from outlast.configs.plan import Change
from outlast.reasons import reason_of
from outlast.reports.apply import difference
from outlast.reports.check_data import check_data
from outlast.reports.data import VERSION, Json, nanoseconds, place_data, value_data
from outlast.reports.solve_data import solve_data

__all__ = ["apply_data"]


def apply_data(applied: Applied) -> dict[str, Json]:
    """The whole report; where there is no solution, that of `solve`."""
    if applied.plan is None:
        return solve_data(applied.solved)
    parameters = applied.solved.spec.parameters
    by_hand: list[Json] = [_change(change, applied) for change in applied.plan.by_hand]
    by_hand += [
        {"parameter": name, "to": value_data(value, parameters[name].kind), **nanoseconds(value, parameters[name].kind)}
        for name, value in applied.unbound
    ]
    return {
        "version": VERSION,
        "status": applied.solved.status.value,
        "objective": applied.solved.objective,
        "spec": str(applied.solved.spec.path),
        "files": [
            {
                "file": changed.file.shown,
                "changes": [_change(change, applied) for change in changed.changes],
                "diff": difference(changed.file.shown, changed.file.data, changed.after),
            }
            for changed in applied.plan.files
        ],
        "by_hand": by_hand,
        "written": applied.was_written,
        "restored": list(applied.restored),
        "check": None if applied.checked is None else check_data(applied.checked),
    }


def _change(change: Change, applied: Applied) -> dict[str, Json]:
    bound = change.bound
    kind = applied.solved.spec.parameters[bound.parameter].kind
    return {
        "parameter": bound.parameter,
        "file": bound.file.shown,
        "selector": bound.binding.selector,
        "place": None if bound.setting is None else place_data(bound.place),
        "from": value_data(bound.value, kind),
        "to": value_data(change.value, kind),
        **nanoseconds(change.value, kind),
        "raw_from": None if bound.setting is None else bound.setting.raw,
        "raw_to": change.raw,
        "reason": reason_of(applied.solved.parameters[bound.parameter], applied.solved),
    }
