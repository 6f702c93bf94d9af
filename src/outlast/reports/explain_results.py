"""What `explain` found, one result a conflict; rules that are in none hold, or can."""

from __future__ import annotations

from collections.abc import Iterator, Set

from outlast.constraints.check import shown_file
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.model import Severity, Spec
from outlast.reports.addresses import in_file
from outlast.reports.check_results import rule_place, rule_result
from outlast.reports.conflict import conflict_entry, rules_of
from outlast.reports.described import described, of_our_own
from outlast.reports.document import Block, Fields, Paragraph, plain_text, text
from outlast.reports.gathering import fingerprint, gathered
from outlast.reports.repair import change_rows, cost_text
from outlast.reports.results import Related, Result, Results, Standing
from outlast.reports.wording import Places, joined
from outlast.solver.account import Account, Conflict, Repair

__all__ = ["conflict_result", "explain_results", "of_account", "rest_of_rules"]


def explain_results(account: Account) -> Results:
    """Every conflict with the cheapest way out of its group, and every other rule."""
    results = [*of_account(account)]
    involved = {rule for conflict in account.conflicts for rule in rules_of(conflict)}
    standing = Standing.PASS if account.has_all_conflicts else Standing.OPEN
    words = "holds" if account.current else "can hold with the others"
    results += rest_of_rules(account.spec, involved, standing, words)
    notices = [] if account.undecided is None else [_undecided(account.undecided, account.spec)]
    rules = [of_our_own("conflict"), *(described(rule) for rule in account.spec.rules.values())]
    return gathered("explain", printable(str(account.spec.path)), results, rules, notices)


def of_account(account: Account) -> Iterator[Result]:
    """A result for each conflict; one that only costs a `should` rule is advice."""
    for group in account.groups:
        repair = group.repairs[0] if group.repairs else None
        for conflict in group.conflicts:
            severity = Severity.ADVICE if conflict.shoulds else Severity.ERROR
            yield conflict_result(conflict, account.spec, severity, repair)
        if not group.conflicts:
            yield _unknown(group.rules, account.spec, Severity.ERROR if group.is_must else Severity.ADVICE)


def _undecided(why: str, spec: Spec) -> OutlastError:
    return OutlastError(f"undecided: {why}", Place(printable(str(spec.path)), 1, 1))


def conflict_result(conflict: Conflict, spec: Spec, severity: Severity, repair: Repair | None = None) -> Result:
    """One conflict, where the first of its rules stands."""
    places = Places(spec)
    entry = conflict_entry(conflict, spec, places)
    details: list[Block] = list(entry.blocks)
    if repair is not None:
        cost = text(cost_text(repair.cost))
        details.append(Fields((("the cheapest way out", cost), *change_rows(repair.changes, spec, places))))
    else:
        details.append(Paragraph(text("no way out was found")))
    rules = rules_of(conflict)
    members = [(item, place) for item in conflict.items if (place := in_file(item.place)) is not None]
    files = sorted({shown_file(place.file) for _, place in members})
    return Result(
        standing=Standing.FAIL,
        rule="conflict",
        subject=printable(", ".join(rules) or ", ".join(item.subject for item in conflict.items)),
        severity=severity,
        place=_first_place(rules, conflict, spec),
        message=printable(plain_text(entry.title)),
        details=tuple(details),
        related=tuple(
            Related(place=place, message=printable(f"{item.kind.value} {item.subject}: {item.says}"))
            for item, place in members
        ),
        fingerprint=fingerprint(("conflict", "conflict", *sorted(item.id for item in conflict.items), *files)),
    )


def _unknown(rules: tuple[str, ...], spec: Spec, severity: Severity) -> Result:
    """A group that cannot hold, though no conflict of it was pinned down within the limits."""
    return Result(
        standing=Standing.FAIL,
        rule="conflict",
        subject=printable(", ".join(rules)),
        severity=severity,
        place=next((rule_place(spec.rules[rule]) for rule in rules if rule in spec.rules), None),
        message=printable(f"{joined(rules)} cannot hold together, though no smallest conflict was pinned down"),
        fingerprint=fingerprint(("conflict", "conflict", *sorted(rules))),
    )


def _first_place(rules: tuple[str, ...], conflict: Conflict, spec: Spec) -> Place | None:
    places = [rule_place(spec.rules[rule]) for rule in rules if rule in spec.rules]
    places += [in_file(item.place) for item in conflict.items]
    return next((place for place in places if place is not None), None)


def rest_of_rules(spec: Spec, told: Set[str], standing: Standing, words: str) -> Iterator[Result]:
    """A result for each rule that is not told yet; what kinds say of their values is left out."""
    for rule in spec.rules.values():
        if rule.id not in told and not rule.is_bound:
            yield rule_result(
                rule, standing, f"{rule.text} {words if standing is not Standing.OPEN else 'is undecided'}"
            )
