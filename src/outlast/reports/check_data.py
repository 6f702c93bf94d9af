"""What `check` found, as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.constraints.check import ABOUT_IGNORING, ABOUT_RULES, CheckOutcome, Finding
from outlast.constraints.model import Ignore, Spec
from outlast.reports.data import VERSION, Json, parameter_data, place_data, rule_data, value_data
from outlast.reports.origins import Origins

__all__ = ["catalogue_data", "check_data", "finding_data", "ignore_data", "remark_data"]


def check_data(outcome: CheckOutcome) -> dict[str, Json]:
    """The whole report."""
    spec = outcome.spec
    origins = Origins(spec, outcome.values)
    rules: dict[str, Json] = {}
    skipped: dict[str, Json] = {}
    for id_, checked in sorted(outcome.rules.items()):
        if checked.verdict is None:
            skipped[id_] = {"missing": list(checked.missing), "place": place_data(checked.rule.rule.place)}
        else:
            rules[id_] = rule_data(checked.rule.rule, checked.verdict, origins)
    return {
        "version": VERSION,
        "status": "findings" if outcome.findings else "holds",
        "spec": str(spec.path),
        "title": spec.title,
        "parameters": {
            name: parameter_data(parameter, outcome.values.get(name))
            for name, parameter in sorted(spec.parameters.items())
        },
        "rules": rules,
        "findings": [finding_data(outcome, finding) for finding in outcome.findings],
        "ignored": [
            {**finding_data(outcome, each.finding), "ignored_by": ignore_data(each.ignore)} for each in outcome.ignored
        ],
        "known": [finding_data(outcome, finding) for finding in outcome.known],
        "mended": outcome.mended,
        "skipped": skipped,
        **catalogue_data(spec),
        "complete": not skipped,
        "notes": [{"message": note.message, "place": place_data(note.place)} for note in spec.notes],
    }


def ignore_data(ignore: Ignore) -> dict[str, Json]:
    """Who says that a finding does not count."""
    origin = ignore.origin
    told: dict[str, Json] = {
        "ids": list(ignore.ids),
        "why": ignore.why,
        "until": None if ignore.until is None else ignore.until.isoformat(),
        "place": place_data(ignore.place),
    }
    told |= {key: value for key, value in (("owner", origin.owner), ("source", origin.source)) if value}
    days = (("reviewed", origin.reviewed), ("review_by", origin.review_by))
    return told | {key: day.isoformat() for key, day in days if day is not None}


def remark_data(finding: Finding) -> dict[str, Json]:
    """A finding about ignoring itself."""
    return {
        "kind": finding.kind.value,
        "severity": finding.severity.value,
        "rule": finding.subject,
        "message": finding.message,
        "place": place_data(finding.place),
        "remedies": [],
    }


def catalogue_data(spec: Spec) -> dict[str, Json]:
    """The rules of the catalogue that a spec with components leaves out."""
    if spec.topology is None:
        return {}
    return {
        "unjudged": {u.id: {"needs": list(u.needs), "why": u.why} for u in spec.unjudged},
        "declined": {d.id: {"why": d.why, "place": place_data(d.place)} for d in spec.declined},
    }


def finding_data(outcome: CheckOutcome, finding: Finding) -> dict[str, Json]:
    """One finding."""
    if finding.kind in ABOUT_IGNORING:
        return remark_data(finding)
    parameters = outcome.spec.parameters
    remedies: list[Json] = []
    for remedy in finding.remedies:
        kind = parameters[remedy.parameter].kind
        remedies.append(
            {
                "parameter": remedy.parameter,
                "now": value_data(remedy.now, kind),
                "sign": remedy.sign,
                "to": value_data(remedy.to, kind),
                "breaks": list(remedy.breaks),
                "holds": remedy.holds,
                "advised": None if remedy.roomy is None else value_data(remedy.roomy, kind),
            }
        )
    about = "rule" if finding.kind in ABOUT_RULES else "parameter"
    return {
        "kind": finding.kind.value,
        "severity": finding.severity.value,
        about: finding.subject,
        "message": finding.message,
        "place": place_data(finding.place),
        "remedies": remedies,
    }
