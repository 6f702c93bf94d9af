"""Why something is as it is, and what another value would break, as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.constraints.model import Spec
from outlast.constraints.quantities import Kind
from outlast.reports.data import VERSION, Json, value_data
from outlast.reports.explain_data import conflict_data, ways_out_data
from outlast.reports.growth import growth_data
from outlast.reports.solve_data import solve_data
from outlast.reports.wording import Places
from outlast.solver.account import ItemKind
from outlast.solver.outcome import Growth, Status
from outlast.solver.why import Break, Stop, WhatIf, Why

__all__ = ["what_if_data", "why_data"]


def why_data(why: Why) -> dict[str, Json]:
    """Why one parameter, measurement or rule is as it is; what `solve` says of it, and the rest."""
    name, kind, spec = why.subject.name, why.subject.kind, why.spec
    whole = solve_data(why.outcome)
    rules, parameters = whole["rules"], whole["parameters"]
    assert isinstance(rules, dict)
    assert isinstance(parameters, dict)
    own = {name} if kind == "rule" else set(why.rules)
    outcome = why.outcome
    every = outcome.conflicts if outcome.account is None else outcome.account.conflicts
    places = Places(spec)
    return {
        "version": VERSION,
        "status": outcome.status.value,
        "spec": str(spec.path),
        "title": spec.title,
        "name": name,
        "is": kind,
        "parameter": parameters.get(name) if kind not in ("rule", "measurement") else None,
        "computed_from": list(why.computed_from),
        "rules": {id_: data for id_, data in rules.items() if id_ in own},
        "mentioned_in": list(why.rules),
        "stops": [_stop(stop, why, places) for stop in why.stops],
        "growth": _growth(why.growth, spec),
        "limits": _limits(why) if kind == "rule" else [],
        "bottlenecks": [
            data
            for bottleneck, data in zip(outcome.bottlenecks, _listed(whole["bottlenecks"]), strict=True)
            if not own.isdisjoint(bottleneck.rules)
        ],
        "given_up": next(
            (
                conflict_data(g.conflict, spec, places)
                for g in outcome.given_up
                if kind == "rule" and g.rule == name and g.conflict is not None
            ),
            None,
        ),
        "conflicts": [{"number": n, **conflict_data(every[n - 1], spec, places)} for n in why.conflicts],
        "undecided": outcome.undecided,
        "complete": whole["complete"],
    }


def _listed(data: Json) -> list[Json]:
    assert isinstance(data, list)
    return data


def _growth(growth: Growth | None, spec: Spec) -> Json:
    if growth is None:
        return None
    return growth_data(growth, Kind.RATIO if growth.kind is ItemKind.MEASUREMENT else spec.parameters[growth.name].kind)


def _stop(stop: Stop, why: Why, places: Places) -> Json:
    parameter = why.spec.parameters.get(why.subject.name)
    kind = Kind.RATIO if parameter is None or why.subject.kind == "measurement" else parameter.kind
    return {
        "side": "max" if stop.upward else "min",
        "at": value_data(stop.end.at, kind),
        "open": stop.end.is_open,
        "on_step": value_data(stop.end.on_step, kind),
        "limited_by": list(stop.end.limited_by),
        "beyond": value_data(stop.beyond, kind),
        "conflict": None if stop.conflict is None else conflict_data(stop.conflict, why.spec, places),
    }


def _limits(why: Why) -> list[Json]:
    """The ends of ranges that the rule holds."""
    found: list[Json] = []
    for name, result in sorted(why.outcome.parameters.items()):
        for side, end in () if result.range is None else (("min", result.range.low), ("max", result.range.high)):
            if end is not None and why.subject.name in end.limited_by:
                at = value_data(end.at, result.parameter.kind)
                found.append({"parameter": name, "side": side, "at": at, "open": end.is_open})
    return found


def what_if_data(found: WhatIf) -> dict[str, Json]:
    """What another value would break, and what would have to move for it."""
    kind, places = found.parameter.kind, Places(found.spec)
    status = "works" if found.works else "undecided" if found.undecided and not found.groups else "conflict"
    result = solve_data(found.now)["parameters"]
    assert isinstance(result, dict)
    return {
        "version": VERSION,
        "status": status if found.not_its_own is None else "no value",
        "spec": str(found.now.spec.path),
        "title": found.now.spec.title,
        "name": found.parameter.name,
        "value": value_data(found.value, kind),
        "before": value_data(found.before, kind),
        "not_its_own": found.not_its_own,
        "parameter": result.get(found.parameter.name),
        "growth": _growth(found.growth, found.now.spec),
        "breaks": [_break(b, found, places) for b in found.breaks],
        "given_up": list(found.given_up),
        "in_conflict_anyway": found.now.status is Status.CONFLICT,
        **_ways(found),
        "solution": None if found.outcome is None else _solution(found),
        "undecided": found.undecided,
        "complete": found.account.is_complete and found.undecided is None,
    }


def _ways(found: WhatIf) -> dict[str, Json]:
    data = ways_out_data(found.account, found.groups)
    return {"repairs": data["repairs"], "cheapest": data["cheapest"]}


def _solution(found: WhatIf) -> Json:
    assert found.outcome is not None
    data = solve_data(found.outcome)
    return {key: data[key] for key in ("parameters", "rules", "bottlenecks")}


def _break(found: Break, what: WhatIf, places: Places) -> Json:
    return {"from": value_data(found.begins, what.parameter.kind), **conflict_data(found.conflict, what.spec, places)}
