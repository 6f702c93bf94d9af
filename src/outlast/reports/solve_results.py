"""What `solve` found, one result a conflict, or one a rule where values were found."""

from __future__ import annotations

from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.evaluate import Truth
from outlast.constraints.model import Severity
from outlast.reports.check_results import rule_place, rule_result
from outlast.reports.conflict import rules_of
from outlast.reports.described import described, of_our_own
from outlast.reports.explain_results import conflict_result, of_account, rest_of_rules
from outlast.reports.gathering import fingerprint, gathered
from outlast.reports.results import Result, Results, Standing
from outlast.solver.outcome import GivenUp, RuleResult, SolveOutcome, Status

__all__ = ["solve_results"]


def solve_results(outcome: SolveOutcome) -> Results:
    """Every conflict with the cheapest way out; of values that were found every rule that they keep, and which were given up."""
    spec = outcome.spec
    results: list[Result] = []
    if outcome.status is Status.CONFLICT:
        if outcome.account is not None and outcome.account.groups:
            results += of_account(outcome.account)
            conflicts = outcome.account.conflicts
        else:
            results += [conflict_result(conflict, spec, Severity.ERROR) for conflict in outcome.conflicts]
            conflicts = outcome.conflicts
        involved = {rule for conflict in conflicts for rule in rules_of(conflict)}
        results += rest_of_rules(spec, involved, Standing.OPEN, "")
    elif outcome.status is Status.UNDECIDED:
        results += rest_of_rules(spec, frozenset(), Standing.OPEN, "")
    else:
        results += [_given_up(given, outcome) for given in outcome.given_up]
        results += [_kept(r) for r in outcome.rules.values() if r.kept and not r.rule.rule.is_bound]
    rules = [of_our_own("conflict"), *(described(rule) for rule in spec.rules.values())]
    notices = []
    if outcome.status is Status.UNDECIDED:
        why = outcome.undecided or "the limit came first"
        notices.append(OutlastError(f"undecided: {why}", Place(printable(str(spec.path)), 1, 1)))
    return gathered("solve", printable(str(spec.path)), results, rules, notices)


def _kept(result: RuleResult) -> Result:
    rule = result.rule.rule
    if result.verdict.truth is Truth.NOT_APPLICABLE:
        return rule_result(rule, Standing.NOT_APPLICABLE, "does not apply at the recommended values")
    return rule_result(rule, Standing.PASS, f"{rule.text} holds at the recommended values")


def _given_up(given: GivenUp, outcome: SolveOutcome) -> Result:
    """A rule that is worth having and not demanded: no reason to fail."""
    rule = outcome.spec.rules[given.rule]
    if given.conflict is not None:
        details = conflict_result(given.conflict, outcome.spec, Severity.ADVICE).details[:-1]
    else:
        details = ()
    id_ = rule.id if rule.relation is None else rule.relation.id
    return Result(
        standing=Standing.FAIL,
        rule=id_,
        subject=rule.id,
        severity=Severity.ADVICE,
        place=rule_place(rule),
        message=printable(f"{rule.id} is not demanded and had to be given up: {rule.text}"),
        details=details,
        fingerprint=fingerprint((id_, "given up", rule.id)),
    )
