"""What `explain` found, as JSON (docs/json.md)."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.model import Spec
from outlast.reports.conflict import conflict_sentence
from outlast.reports.data import VERSION, Json, fraction_data, place_data
from outlast.reports.document import plain_text
from outlast.reports.explain import left_free
from outlast.reports.repair import change_data, changes_text, repair_data
from outlast.reports.wording import Places
from outlast.solver.account import Account, Cases, Certificate, Clash, Conflict, Group, Proof

__all__ = ["account_status", "conflict_data", "explain_data", "ways_out_data"]


def explain_data(account: Account) -> dict[str, Json]:
    """The whole report."""
    return {
        "version": VERSION,
        "status": account_status(account),
        "spec": str(account.spec.path),
        "title": account.spec.title,
        "current": account.current,
        "left_free": list(left_free(account)),
        **ways_out_data(account, account.groups),
        "undecided": account.undecided,
        "complete": account.is_complete,
        "notes": [
            *({"message": note, "place": None} for note in account.notes),
            *({"message": note.message, "place": place_data(note.place)} for note in account.spec.notes),
        ],
    }


def account_status(account: Account) -> str:
    """`conflict`, `undecided` or `feasible`: whether what is demanded can hold together."""
    if any(group.is_must for group in account.groups):
        return "conflict"
    return "feasible" if account.undecided is None else "undecided"


def ways_out_data(account: Account, groups: tuple[Group, ...]) -> dict[str, Json]:
    """Conflicts and repairs of these groups, and the groups themselves."""
    places = Places(account.spec)
    return {
        "conflicts": [
            {**conflict_data(conflict, account.spec, places), "component": group.number}
            for group in groups
            for conflict in group.conflicts
        ],
        "repairs": [repair_data(repair, group.number, account.spec) for group in groups for repair in group.repairs],
        "cheapest": _cheapest(account, groups),
        "components": [
            {
                "number": group.number,
                "parameters": list(group.parameters),
                "rules": list(group.rules),
                "must": group.is_must,
                "complete": group.is_complete,
                "missing": list(group.missing),
                "missing_repairs": list(group.missing_repairs),
            }
            for group in groups
        ],
    }


def _cheapest(account: Account, groups: tuple[Group, ...]) -> Json:
    """The cheapest repair of each group that has one, together."""
    mended = [group for group in groups if group.repairs]
    if not mended:
        return None
    repairs = [group.repairs[0] for group in mended]
    changes = tuple(change for repair in repairs for change in repair.changes)
    return {
        "cost": fraction_data(sum((repair.cost for repair in repairs), Fraction(0))),
        "changes": [change_data(change, account.spec) for change in changes],
        "text": plain_text(changes_text(changes, account.spec)),
        "components": [group.number for group in mended],
        "mends_all": len(mended) == len(groups),
    }


def conflict_data(conflict: Conflict, spec: Spec, places: Places) -> dict[str, Json]:
    """One conflict with its items and its proof."""
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
        "text": conflict_sentence(conflict, spec, places),
        "certificate": None if certificate is None else _multipliers(certificate),
        "steps": None if certificate is None else _steps(certificate),
        "total": None if certificate is None else certificate.total,
        "proof": None if conflict.proof is None else _proof(conflict.proof),
        "by_steps": conflict.by_steps,
        "minimal": conflict.minimal,
        "shoulds": list(conflict.shoulds),
    }


def _proof(proof: Proof) -> dict[str, Json]:
    match proof:
        case Certificate():
            return {"kind": "certificate", "steps": _steps(proof), "total": proof.total}
        case Clash():
            said: list[Json] = [{"id": item, "says": says} for item, says in zip(proof.items, proof.says, strict=True)]
            return {"kind": "clash", "steps": said}
        case Cases():
            cases: list[Json] = [{"says": case.says, "proof": _proof(case.proof)} for case in proof.cases]
            return {"kind": "cases", "id": proof.item, "also": list(proof.also), "cases": cases}


def _steps(certificate: Certificate) -> list[Json]:
    return [{"id": step.item, "times": step.times, "says": step.says} for step in certificate.steps]


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
