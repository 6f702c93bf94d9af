"""What a review came to, one result a finding that is new, a thing that is guarded less, and what was there before or is due."""

from __future__ import annotations

from collections.abc import Iterator

from outlast.constraints.aging import Due
from outlast.constraints.check import CheckOutcome, Finding
from outlast.constraints.errors import printable
from outlast.constraints.files import place_of_byte
from outlast.constraints.model import Severity
from outlast.constraints.record import replace
from outlast.reports.check import finding_entry
from outlast.reports.check_results import description_of, failing, set_aside, split, standing_of
from outlast.reports.described import described
from outlast.reports.document import Paragraph, plain_text, text
from outlast.reports.gathering import fingerprint, gathered
from outlast.reports.origins import Origins
from outlast.reports.repair import changes_text
from outlast.reports.results import Described, Edit, Fix, Result, Results, SetAside, Standing
from outlast.reports.review import loss_entry, trouble_entry
from outlast.reports.wording import FromHere
from outlast.reviewing.outcome import Loss, LossKind, NewBytes, Part, Reviewed, Trouble

__all__ = ["review_results"]

#: What of a change is told under each rule of ours.
_LOSSES = {
    LossKind.SPEC_REMOVED: ("spec-removed", "A spec is gone, with all that it demanded."),
    LossKind.RULE_REMOVED: ("rule-removed", "A rule is gone."),
    LossKind.RULE_WEAKENED: ("rule-weakened", "A rule allows what it forbade."),
    LossKind.RULE_DECLINED: ("rule-declined", "A rule of the catalogue is declined that was not."),
    LossKind.RULE_NOT_JUDGED: ("rule-not-judged", "A rule was judged and now lacks a value."),
    LossKind.FINDING_IGNORED: ("finding-ignored", "A finding is ignored that was not."),
    LossKind.BINDING_DROPPED: ("binding-dropped", "A value no longer has to agree with a file."),
    LossKind.CONFIDENCE_LOWERED: ("confidence-lowered", "Bounds of what was measured are less sure."),
}
_DUE = ("due", "A decision or a measurement is to be looked at again.")
_BEFORE = SetAside(kind="external", why="was so before the change")


def review_results(reviewed: Reviewed) -> Results:
    """Everything of all parts; what was there before is set aside."""
    results: list[Result] = []
    rules: list[Described] = []
    for part in reviewed.parts:
        for result, rule in _of_part(part):
            results.append(replace(result, origin=None if part.spec is None else printable(part.spec)))
            rules.append(rule)
    name = "review" if reviewed.base is None or reviewed.base.name is None else f"since {reviewed.base.name}"
    return gathered("review", printable(name), results, rules, reviewed.notices)


def _of_part(part: Part) -> Iterator[tuple[Result, Described]]:
    told: set[int] = set()
    for trouble in part.new:
        yield _trouble(trouble, told), description_of(trouble.outcome, trouble.finding)
    for loss in part.losses:
        yield _loss(loss)
    for finding, outcome in part.old:
        yield replace(_finding(finding, outcome), set_aside=_BEFORE), description_of(outcome, finding)
    for ignored, outcome in part.ignored:
        result = replace(_finding(ignored.finding, outcome), set_aside=set_aside(ignored.ignore))
        yield result, description_of(outcome, ignored.finding)
    for due in part.due:
        yield _due(due)
    yield from _holding(part)


def _trouble(trouble: Trouble, told: set[int]) -> Result:
    outcome = trouble.outcome
    entry = trouble_entry(trouble, told)
    return replace(
        failing(outcome, trouble.finding, entry, _origins(outcome), trouble.place), fixes=tuple(_fixes(trouble))
    )


def _finding(finding: Finding, outcome: CheckOutcome) -> Result:
    entry = finding_entry(outcome, finding, _origins(outcome), FromHere(outcome.spec))
    return failing(outcome, finding, entry, _origins(outcome), finding.place)


def _origins(outcome: CheckOutcome) -> Origins:
    return Origins(outcome.spec, outcome.values, fixed="fixed" if outcome.spec.sources else "set")


def _fixes(trouble: Trouble) -> Iterator[Fix]:
    suggested = trouble.suggested
    if suggested is not None:
        spec = trouble.outcome.spec if trouble.account is None else trouble.account.spec
        words = plain_text(changes_text(suggested.repair.changes, spec))
        yield Fix(message=printable(words), edits=tuple(_edit(each) for each in suggested.files))


def _edit(file: NewBytes) -> Edit:
    """All that differs, as one replacement of whole characters."""
    before, after = file.before, file.after
    start = 0
    shorter = min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    while start and before[start : start + 1] and before[start] & 0xC0 == 0x80:
        start -= 1
    while end and before[len(before) - end] & 0xC0 == 0x80:
        end -= 1
    stop = len(before) - end
    return Edit(
        file=file.file,
        start=start,
        end=stop,
        start_place=place_of_byte(before, start, file.file),
        end_place=place_of_byte(before, stop, file.file),
        text=after[start : len(after) - end].decode(errors="replace"),
    )


def _loss(loss: Loss) -> tuple[Result, Described]:
    id_, summary = _LOSSES[loss.kind]
    entry = loss_entry(loss)
    message, details = split(entry)
    result = Result(
        standing=Standing.FAIL,
        rule=id_,
        subject=loss.subject,
        severity=Severity.WARNING,
        place=loss.place,
        message=f"{loss.subject} {'may guard' if loss.is_undecided else 'guards'} less: {message}",
        details=details,
        fingerprint=fingerprint((id_, loss.subject, loss.place.file)),
    )
    return result, _described(id_, summary, Severity.WARNING)


def _described(id_: str, summary: str, severity: Severity) -> Described:
    return Described(id=id_, summary=summary, severity=severity, help=(Paragraph(text(summary)),))


def _due(due: Due) -> tuple[Result, Described]:
    result = Result(
        standing=Standing.FAIL,
        rule=_DUE[0],
        subject=due.subject,
        severity=due.severity,
        place=due.place,
        message=printable(f"{due.what} {due.subject}: {due.why}"),
        fingerprint=fingerprint((_DUE[0], due.what, due.subject, due.place.file)),
    )
    return result, _described(*_DUE, Severity.WARNING)


def _holding(part: Part) -> Iterator[tuple[Result, Described]]:
    """The rules of a spec that hold, do not apply or were not judged."""
    outcome = part.outcome
    if outcome is not None:
        wrong = {finding.subject for finding in outcome.findings}
        for checked in (c for id_, c in outcome.rules.items() if id_ not in wrong and not c.rule.rule.is_bound):
            yield standing_of(checked, outcome), described(checked.rule.rule)
