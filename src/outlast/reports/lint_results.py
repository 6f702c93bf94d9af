"""What `lint` found in files, one result a finding."""

from __future__ import annotations

from outlast.constraints.check import RULES_ABOUT_IGNORING, Finding, shown_file
from outlast.constraints.record import replace
from outlast.linting import Linted, Told
from outlast.reports.check_results import IN_BASELINE, description_of, failing, set_aside, split
from outlast.reports.described import of_our_own
from outlast.reports.gathering import fingerprint, gathered
from outlast.reports.lint import remark_entry, told_entry
from outlast.reports.origins import Origins
from outlast.reports.results import Result, Results, Standing

__all__ = ["lint_results"]


def lint_results(linted: Linted) -> Results:
    """Every finding; which rules hold is not kept. Files that were not read are notices."""
    results = [_failing(told, linted) for told in linted.findings]
    results += [replace(_failing(each.told, linted), set_aside=set_aside(each.ignore)) for each in linted.ignored]
    results += [replace(_failing(told, linted), set_aside=IN_BASELINE) for told in linted.known]
    results += [_remark(each) for each in linted.remarks]
    results += [replace(_remark(each), set_aside=IN_BASELINE) for each in linted.known_remarks]
    told = [*linted.findings, *(each.told for each in linted.ignored), *linted.known]
    rules = [description_of(each.outcome, each.finding) for each in told]
    rules += [of_our_own(RULES_ABOUT_IGNORING[each.kind]) for each in (*linted.remarks, *linted.known_remarks)]
    return gathered("lint", "files", results, rules, linted.found.problems)


def _failing(told: Told, linted: Linted) -> Result:
    origins = Origins(told.outcome.spec, told.outcome.values, fixed="set")
    return failing(told.outcome, told.finding, told_entry(told, linted), origins, told.finding.place)


def _remark(finding: Finding) -> Result:
    message, details = split(remark_entry(finding))
    rule = RULES_ABOUT_IGNORING[finding.kind]
    return Result(
        standing=Standing.FAIL,
        rule=rule,
        subject=finding.subject,
        severity=finding.severity,
        place=finding.place,
        message=message,
        details=details,
        fingerprint=fingerprint((rule, finding.kind.value, finding.subject, shown_file(finding.place.file))),
    )
