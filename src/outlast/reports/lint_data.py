"""What `lint` found in files, as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.linting import Linted, Told
from outlast.reports.check_data import finding_data, ignore_data, remark_data
from outlast.reports.data import VERSION, Json, place_data, rule_data
from outlast.reports.origins import Origins

__all__ = ["lint_data"]


def lint_data(linted: Linted) -> dict[str, Json]:
    """The whole report."""
    found = linted.found
    findings = [*(_told(each) for each in linted.findings), *(remark_data(each) for each in linted.remarks)]
    return {
        "version": VERSION,
        "status": "findings" if findings else "holds",
        "findings": findings,
        "ignored": [{**_told(each.told), "ignored_by": ignore_data(each.ignore)} for each in linted.ignored],
        "known": [*(_told(each) for each in linted.known), *(remark_data(each) for each in linted.known_remarks)],
        "mended": linted.mended,
        "components": {
            i.name: {"kind": i.kind, "options": dict(i.options), "place": place_data(i.place)} for i in found.instances
        },
        "links": [
            {"from": k.source, "to": k.target, "via": list(k.via), "options": dict(k.options), "because": k.because}
            for k in found.links
        ],
        "hosted": [{"component": h.guest, "runs_in": h.host, "because": h.because} for h in found.hosted],
        "unread": [{"message": p.message, "place": place_data(p.place) if p.place else None} for p in found.problems],
        "files": found.read,
        "rules": linted.rules,
        "unjudged": linted.unjudged,
        "wanting": dict(sorted(linted.wanting.items())),
    }


def _told(told: Told) -> dict[str, Json]:
    checked = told.outcome.rules[told.finding.subject]
    origins = Origins(told.outcome.spec, told.outcome.values, fixed="set")
    details = rule_data(checked.rule.rule, checked.verdict, origins) if checked.verdict is not None else {}
    return {**finding_data(told.outcome, told.finding), "details": details}
