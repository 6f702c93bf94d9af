"""What `lint` found in files, one result a finding."""

from __future__ import annotations

from outlast.linting import Linted
from outlast.reports.check_results import description_of, failing
from outlast.reports.gathering import gathered
from outlast.reports.lint import told_entry
from outlast.reports.origins import Origins
from outlast.reports.results import Results

__all__ = ["lint_results"]


def lint_results(linted: Linted) -> Results:
    """Every finding; which rules hold is not kept. Files that were not read are notices."""
    results = [
        failing(
            told.outcome,
            told.finding,
            told_entry(told, linted),
            Origins(told.outcome.spec, told.outcome.values, fixed="set"),
            told.finding.place,
        )
        for told in linted.findings
    ]
    rules = [description_of(told.outcome, told.finding) for told in linted.findings]
    return gathered("lint", "files", results, rules, linted.found.problems)
