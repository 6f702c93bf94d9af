"""What a review came to, as JSON (docs/json.md)."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.aging import Due
from outlast.constraints.check import CheckOutcome, Finding
from outlast.constraints.evaluate import Truth, Verdict
from outlast.constraints.measurements import Measurement
from outlast.reports.apply import difference
from outlast.reports.check_data import finding_data, ignore_data
from outlast.reports.conflict import conflict_sentence
from outlast.reports.data import VERSION, Json, fraction_data, parameter_data, place_data, rounded_down
from outlast.reports.repair import change_data, repair_data
from outlast.reports.review import conflict_with
from outlast.reports.wording import FromHere
from outlast.reviewing.outcome import InUse, Loss, MeasurementChange, Part, Quantile, Reviewed, Revision, Trouble
from outlast.reviewing.trouble import rules_of

__all__ = ["review_data"]


def review_data(reviewed: Reviewed) -> dict[str, Json]:
    """The whole report."""
    return {
        "version": VERSION,
        "status": _status(reviewed),
        "base": _revision(reviewed.base),
        "head": _revision(reviewed.head),
        "parted": reviewed.parted,
        "parts": [_part(part) for part in reviewed.parts],
        "complete": not reviewed.is_undecided,
        "notes": [{"message": notice.message, "place": place_data(notice.place)} for notice in reviewed.notices],
    }


def _status(reviewed: Reviewed) -> str:
    if reviewed.new or any(not loss.is_undecided for loss in reviewed.losses) or any(p.due for p in reviewed.parts):
        return "findings"
    return "undecided" if reviewed.is_undecided else "holds"


def _revision(revision: Revision | None) -> Json:
    return None if revision is None else {"name": revision.name, "commit": revision.commit}


def _part(part: Part) -> dict[str, Json]:
    return {
        "spec": part.spec,
        "was": part.was,
        "is_new": part.is_new,
        "is_unknown_before": part.is_unknown_before,
        "is_removed": part.is_removed,
        "new": [_trouble(trouble) for trouble in part.new],
        "losses": [_loss(loss) for loss in part.losses],
        "old": [_finding(*each) for each in part.old],
        "mended": [_finding(*each) for each in part.mended],
        "ignored": [
            {**finding_data(outcome, ignored.finding), "ignored_by": ignore_data(ignored.ignore)}
            for ignored, outcome in part.ignored
        ],
        "parameters": [
            {"name": c.name, "was": c.was, "before": _in_use(c.before), "after": _in_use(c.after)}
            for c in part.parameters
        ],
        "measurements": [_measurement(change) for change in part.measurements],
        "rules": [
            {"id": c.id, "was": c.was, "before": c.before, "after": c.after, "place": place_data(c.place)}
            for c in part.rules
        ],
        "headrooms": [{"rule": h.rule, "before": _stands(h.before), "after": _stands(h.after)} for h in part.headrooms],
        "due": [_due(due) for due in part.due],
        "judged": part.judged,
    }


def _finding(finding: Finding, outcome: CheckOutcome) -> dict[str, Json]:
    return finding_data(outcome, finding)


def _trouble(trouble: Trouble) -> dict[str, Json]:
    data = finding_data(trouble.outcome, trouble.finding)
    data |= {
        "place": place_data(trouble.place),
        "is_on_changed_line": trouble.is_on_changed_line,
        "conflict": None,
        "repairs": [],
        "suggested": None,
    }
    account, suggested = trouble.account, trouble.suggested
    if account is not None:
        group = next(group for group in account.groups if group.number == trouble.group)
        conflict = conflict_with(group, rules_of(trouble.finding))
        if conflict is not None:
            data["conflict"] = conflict_sentence(conflict, account.spec, FromHere(account.spec))
        data["repairs"] = [repair_data(repair, group.number, account.spec) for repair in group.repairs]
    if suggested is not None:
        spec = trouble.outcome.spec if account is None else account.spec
        data["suggested"] = {
            "changes": [change_data(change, spec) for change in suggested.repair.changes],
            "files": [
                {"file": f.file, "diff": difference(f.file, f.before, f.after, is_git=True)} for f in suggested.files
            ],
        }
    return data


def _loss(loss: Loss) -> dict[str, Json]:
    data: dict[str, Json] = {
        "kind": loss.kind.value,
        "subject": loss.subject,
        "message": loss.message,
        "place": place_data(loss.place),
        "rules": list(loss.rules),
    }
    weakening = loss.weakening
    if weakening is not None:
        data["verdict"] = weakening.verdict.value
        data["ways"] = [way.value for way in weakening.ways]
        data["allows"] = None if weakening.witness is None else dict(weakening.witness.shown())
    return data


def _in_use(side: InUse | None) -> Json:
    return None if side is None else parameter_data(side.parameter, side.value)


def _measurement(change: MeasurementChange) -> dict[str, Json]:
    return {
        "name": change.name,
        "before": _measured(change.before),
        "after": _measured(change.after),
        "quantiles": [_quantile(quantile) for quantile in change.quantiles],
    }


def _measured(measurement: Measurement | None) -> Json:
    if measurement is None:
        return None
    taken = None if measurement.taken is None else measurement.taken.isoformat()
    return {"file": measurement.file, "samples": measurement.sample.size, "taken": taken}


def _quantile(quantile: Quantile) -> dict[str, Json]:
    before, after = (None if bound is None else fraction_data(bound) for bound in (quantile.before, quantile.after))
    return {"quantile": quantile.text, "before": before, "after": after}


def _stands(verdict: Verdict | None) -> Json:
    """What came out for a rule on one side."""
    if verdict is None:
        return None
    judged = verdict.decisive
    room = None if judged is None else judged.headroom
    return {
        "holds": verdict.truth is Truth.HOLDS,
        "applies": verdict.truth is not Truth.NOT_APPLICABLE,
        "margin_kept": verdict.margin_kept,
        "headroom": rounded_down(room, 4) if isinstance(room, Fraction) else None,
        "headroom_exact": str(fraction_data(room)) if isinstance(room, Fraction) else None,
    }


def _due(due: Due) -> dict[str, Json]:
    return {
        "subject": due.subject,
        "what": due.what,
        "severity": due.severity.value,
        "why": due.why,
        "since": None if due.since is None else due.since.isoformat(),
        "days": due.days,
        "place": place_data(due.place),
    }
