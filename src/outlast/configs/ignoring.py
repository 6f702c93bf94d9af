"""Findings set aside as the spec and the comments of all its files say, and what is wrong with these."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date

from outlast.configs.comments import ignores_in
from outlast.configs.formats import format_of
from outlast.constraints.check import CheckOutcome, Finding, FindingKind, Ignored, in_order
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.ignoring import Ignoring, names_of_spec, remark
from outlast.constraints.model import Ignore, Spec
from outlast.constraints.record import replace

__all__ = ["misunderstood", "without_ignored"]


def without_ignored(outcome: CheckOutcome, today: date) -> CheckOutcome:
    """The outcome with what is ignored apart; what has expired, is ignored in vain or not understood is found besides."""
    spec = outcome.spec
    if not spec.ignores and not spec.marked:
        return outcome
    comments, errors = _comments(spec)
    ignoring = Ignoring([*spec.ignores, *comments], today)
    kept: list[Finding] = []
    ignored: list[Ignored] = []
    for finding in outcome.findings:
        ignore = ignoring.of(finding, outcome)
        if ignore is None:
            kept.append(finding)
        else:
            ignored.append(Ignored(finding=finding, ignore=ignore))
    ignoring.look(outcome)
    own = {printable(source) for source in spec.sources}
    remarks = ignoring.remarks(own, set(names_of_spec(spec)))
    found = in_order([*kept, *remarks, *(misunderstood(error) for error in errors)])
    return replace(outcome, findings=found, ignored=tuple(ignored))


def misunderstood(error: OutlastError) -> Finding:
    """What is wrong with a comment that cannot be understood, as a finding."""
    assert error.place is not None, "all that is wrong with comments has a place"
    return remark(FindingKind.MISUNDERSTOOD, "outlast: ignore", error.place, error.message)


def _comments(spec: Spec) -> tuple[list[Ignore], list[OutlastError]]:
    found: list[Ignore] = []
    errors: list[OutlastError] = []
    for path, data in sorted(spec.marked.items()):
        name = _format_name(path, data, spec.sources)
        if name is not None:
            ignores, wrong = ignores_in(data, printable(path), name)
            found += ignores
            errors += wrong
    return found, errors


def _format_name(path: str, data: bytes, specs: Sequence[str]) -> str | None:
    if path in specs:
        return "yaml"
    format_ = format_of(path.replace(os.sep, "/"), data)
    return None if format_ is None else format_.name
