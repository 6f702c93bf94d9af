"""Every public case: what is broken before and after its fix is just what tests/cases/expected.yaml says, and docs/cases.md tells it."""

from __future__ import annotations

from operator import attrgetter

import pytest
from update_cases import CASES, PAGE, Case, State, audited, broken, cases, page

from cheap import of_each
from outlast.constraints.evaluate import Truth

EVERY = cases()
CHECKABLE = [case for case in EVERY if case.not_checkable is None]
STATES = [
    pytest.param(case, state, id=f"{case.id}-{when}")
    for case in CHECKABLE
    for when, state in (("before", case.before), ("after", case.after))
    if state is not None
]


@pytest.mark.parametrize(("case", "state"), STATES)
def test_what_is_broken_is_what_the_case_expects(case: Case, state: State) -> None:
    found = audited(state)
    assert broken(found) == state.broken
    assert state.holds == (not set(case.found_by) & set(state.broken))
    if state.holds and not _is_gone(case, state):
        judged = [found.rules[id_].verdict for id_ in case.found_by]
        assert all(verdict is not None and verdict.truth is Truth.HOLDS for verdict in judged)


@of_each(CHECKABLE, attrgetter("id"))
def test_each_rule_that_names_a_cause_is_broken_before_or_after_or_holds_before(case: Case) -> None:
    assert case.found_by
    assert case.before is not None
    if case.before.holds:
        assert set(case.found_by) <= set(audited(case.before).rules)
        return
    assert set(case.found_by) & set(case.before.broken)
    after = case.after.broken if case.after is not None else ()
    assert set(case.found_by) <= {*case.before.broken, *after}


@of_each(CHECKABLE, attrgetter("id"))
def test_what_counts_for_the_catalogue_is_found_by_the_catalogue(case: Case) -> None:
    assert case.before is not None
    own = {id_ for id_, checked in audited(case.before).rules.items() if not checked.rule.rule.components}
    if case.is_by_catalogue:
        assert not own
        assert case.because is None
    else:
        assert case.by == "own rule"
        assert case.because
        assert set(case.found_by) <= own


@of_each(CHECKABLE, attrgetter("id"))
def test_the_spec_names_its_report(case: Case) -> None:
    assert case.before is not None
    assert (CASES / case.before.spec).read_text(encoding="utf-8").startswith(f"# {case.url}\n")


def test_every_spec_is_expected_and_the_other_way_round() -> None:
    there = {path.name for path in CASES.glob("*.yaml")} - {"expected.yaml"}
    assert there == {state.spec for case in CHECKABLE for state in (case.before, case.after) if state is not None}
    assert len({case.url for case in EVERY}) == len(EVERY)


def test_relations_of_the_catalogue_alone_are_enough_for_most_cases() -> None:
    assert len(EVERY) >= 90
    assert sum(case.is_by_catalogue and case.before is not None and not case.before.holds for case in EVERY) >= 75


def test_the_page_tells_what_the_audit_finds() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def _is_gone(case: Case, state: State) -> bool:
    """Whether the fix changes an option, so that a relation is not asked any more."""
    return state.spec != f"{case.id}.yaml"
