"""What `check` found, one result a rule, and one for each value that is wrong by itself."""

from __future__ import annotations

from outlast.constraints.check import (
    ABOUT_RULES,
    Checked,
    CheckOutcome,
    Finding,
    identity,
    rule_of,
    shown_file,
    value_places,
)
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.evaluate import Truth
from outlast.constraints.model import Ignore, Rule, Severity
from outlast.constraints.record import replace
from outlast.reports.addresses import in_file
from outlast.reports.check import finding_entry, why_idle
from outlast.reports.described import described, of_our_own
from outlast.reports.document import Document, Entry, Paragraph, plain_text
from outlast.reports.gathering import fingerprint, gathered, of_sources
from outlast.reports.origins import Origins
from outlast.reports.results import Described, Related, Result, Results, SetAside, Standing
from outlast.reports.wording import Places, names_text

__all__ = [
    "IN_BASELINE",
    "check_results",
    "description_of",
    "failing",
    "rule_place",
    "rule_result",
    "set_aside",
    "split",
    "standing_of",
]

#: Of what was there before.
IN_BASELINE = SetAside(kind="external", why="known since the baseline")


def check_results(outcome: CheckOutcome) -> Results:
    """Every finding, and every rule that holds, does not apply or was not judged."""
    origins, places = Origins(outcome.spec, outcome.values), Places(outcome.spec)
    results = []
    for finding in outcome.findings:
        entry = finding_entry(outcome, finding, origins, places)
        results.append(failing(outcome, finding, entry, origins, _place(outcome, finding)))
    aside = [(each.finding, set_aside(each.ignore)) for each in outcome.ignored]
    aside += [(finding, IN_BASELINE) for finding in outcome.known]
    for finding, why in aside:
        entry = finding_entry(outcome, finding, origins, places)
        found = failing(outcome, finding, entry, origins, _place(outcome, finding))
        results.append(replace(found, set_aside=why))
    told = [*outcome.findings, *(finding for finding, _ in aside)]
    wrong = {finding.subject for finding in told if finding.kind in ABOUT_RULES}
    rest = [c for id_, c in outcome.rules.items() if id_ not in wrong and not c.rule.rule.is_bound]
    results += [standing_of(checked, outcome) for checked in rest]
    rules = [description_of(outcome, finding) for finding in told]
    rules += [described(checked.rule.rule) for checked in rest]
    notices = []
    if all(c.rule.rule.is_bound for c in outcome.rules.values()):
        notices.append(
            OutlastError("nothing could be judged; outlast check tells what would have to be known", _top(outcome))
        )
    return gathered("check", printable(str(outcome.spec.path)), results, rules, notices)


def set_aside(ignore: Ignore) -> SetAside:
    """Who says that a result does not count."""
    until = "" if ignore.until is None else f", until {ignore.until}"
    return SetAside(kind="inSource", why=f"{ignore.why}{until}", place=ignore.place)


def _top(outcome: CheckOutcome) -> Place:
    return Place(printable(str(outcome.spec.path)), 1, 1)


def failing(outcome: CheckOutcome, finding: Finding, entry: Entry, origins: Origins, place: Place | None) -> Result:
    """A finding that the report for people tells as `entry`."""
    message, details = split(entry)
    return Result(
        standing=Standing.FAIL,
        rule=rule_of(finding, outcome),
        subject=finding.subject,
        severity=finding.severity,
        place=place,
        message=message,
        details=details,
        related=_related(outcome, finding, origins),
        fingerprint=fingerprint(identity(finding, outcome)),
    )


def split(entry: Entry) -> tuple[str, Document]:
    """The first sentence of an entry as plain text, and the rest."""
    first, *rest = entry.blocks
    if isinstance(first, Paragraph):
        return printable(plain_text(first.text)), tuple(rest)
    return printable(plain_text(entry.title)), entry.blocks


def _place(outcome: CheckOutcome, finding: Finding) -> Place | None:
    """The value in a user's file that the finding is about, if there is one, else where the rule stands."""
    if finding.kind in ABOUT_RULES:
        chain = {printable(source) for source in outcome.spec.sources}
        for place in value_places(finding, outcome):
            if place.file not in chain:
                return place
    return in_file(finding.place)


def _related(outcome: CheckOutcome, finding: Finding, origins: Origins) -> tuple[Related, ...]:
    checked = outcome.rules.get(finding.subject)
    if checked is None or finding.kind not in ABOUT_RULES:
        return ()
    rule = checked.rule.rule
    found = of_sources(origins.of_rule(rule))
    place = rule_place(rule)
    if place is None or not outcome.spec.sources:  # the rule was made in memory
        return found
    return (*found, Related(place=place, message=f"{rule.id}: {rule.text}"))


def rule_place(rule: Rule) -> Place | None:
    """Where a rule says what it requires; None: on the command line."""
    return in_file(rule.places.get("require", rule.place))


def description_of(outcome: CheckOutcome, finding: Finding) -> Described:
    """What is known of the rule that a finding is told under."""
    checked = outcome.rules.get(finding.subject)
    if checked is None or finding.kind not in ABOUT_RULES:
        return of_our_own(rule_of(finding, outcome))
    return described(checked.rule.rule)


def standing_of(checked: Checked, outcome: CheckOutcome) -> Result:
    """A rule that is not broken."""
    rule, verdict = checked.rule.rule, checked.verdict
    if verdict is None:
        standing, message = Standing.OPEN, f"no value in use for {plain_text(names_text(checked.missing))}"
    elif verdict.truth is Truth.NOT_APPLICABLE:
        standing, message = Standing.NOT_APPLICABLE, plain_text(why_idle(checked, outcome))
    else:
        standing, message = Standing.PASS, f"{rule.text} holds"
    return rule_result(rule, standing, message)


def rule_result(rule: Rule, standing: Standing, message: str) -> Result:
    """A rule that does not fail."""
    id_, place = rule.id if rule.relation is None else rule.relation.id, rule_place(rule)
    return Result(
        standing=standing,
        rule=id_,
        subject=rule.id,
        severity=Severity.ERROR if rule.relation is None else rule.relation.severity,
        place=place,
        message=printable(message),
        fingerprint=fingerprint((id_, "rule", rule.id, "" if place is None else shown_file(place.file))),
    )
