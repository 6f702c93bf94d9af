"""Smallest sets against looking at every set."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.solver.subsets import lightest_hitting_set, minimal_infeasible, smallest_infeasible

ITEMS = list("abcdef")

families = st.lists(st.frozensets(st.sampled_from(ITEMS), min_size=1), min_size=1, max_size=6)
orders = st.permutations(ITEMS)


def subsets() -> list[frozenset[str]]:
    return [frozenset(c) for c in chain.from_iterable(combinations(ITEMS, n) for n in range(len(ITEMS) + 1))]


class Oracle:
    """Feasible is what contains none of the conflicts."""

    def __init__(self, conflicts: Collection[frozenset[str]]) -> None:
        self.conflicts = conflicts

    def __call__(self, items: Collection[str]) -> bool:
        return not any(c <= set(items) for c in self.conflicts)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(families, orders)
def test_the_smallest_infeasible_set_is_the_first_of_the_smallest(
    conflicts: list[frozenset[str]], order: list[str]
) -> None:
    best = min((len(s), sorted(s)) for s in subsets() if any(c <= s for c in conflicts))
    assert smallest_infeasible(order, Oracle(conflicts)) == best[1]


@settings(max_examples=200, derandomize=True, deadline=None)
@given(families, orders, st.data())
def test_a_known_infeasible_set_to_start_from_changes_nothing(
    conflicts: list[frozenset[str]], order: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.sampled_from([s for s in subsets() if any(c <= s for c in conflicts)]))
    found = smallest_infeasible(order, Oracle(conflicts), data.draw(st.permutations(sorted(start))))
    assert found == smallest_infeasible(ITEMS, Oracle(conflicts))


@settings(max_examples=300, derandomize=True, deadline=None)
@given(families, orders)
def test_a_minimal_infeasible_set_needs_each_item(conflicts: list[frozenset[str]], order: list[str]) -> None:
    found = minimal_infeasible(order, Oracle(conflicts))
    assert frozenset(found) in {c for c in conflicts if not any(d < c for d in conflicts)}
    assert found == [i for i in order if i in found]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(families, orders)
def test_later_items_are_left_out_first(conflicts: list[frozenset[str]], order: list[str]) -> None:
    """Of two minimal conflicts the one stays whose last item comes first."""
    found = minimal_infeasible(order, Oracle(conflicts))
    places = [sorted((order.index(i) for i in c), reverse=True) for c in conflicts]
    assert sorted((order.index(i) for i in found), reverse=True) == min(places)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(families, st.lists(st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 2)]), min_size=6, max_size=6))
def test_the_lightest_hitting_set_then_the_fewest_then_the_first(
    sets: list[frozenset[str]], drawn: list[Fraction]
) -> None:
    weights = dict(zip(ITEMS, drawn, strict=True))
    best = min(
        (sum((weights[i] for i in s), Fraction(0)), len(s), sorted(s)) for s in subsets() if all(s & t for t in sets)
    )
    assert lightest_hitting_set(sets, weights) == best[2]
    assert lightest_hitting_set(reversed(sets), weights) == best[2]


def test_nothing_to_meet_needs_nothing() -> None:
    assert lightest_hitting_set([], {"a": Fraction(1)}) == []


@settings(max_examples=100, derandomize=True, deadline=None)
@given(families, orders)
def test_trying_short_stretches_first_changes_nothing(conflicts: list[frozenset[str]], order: list[str]) -> None:
    oracle = Oracle(conflicts)
    assert minimal_infeasible(order, oracle, mostly_needed=True) == minimal_infeasible(order, oracle)


def test_a_set_that_is_minimal_already_takes_a_question_an_item() -> None:
    items, asked = [f"i{n}" for n in range(100)], list[int]()

    def feasible(some: Collection[str]) -> bool:
        asked.append(len(some))
        return len(some) < len(items)

    assert minimal_infeasible(items, feasible, mostly_needed=True) == items
    assert len(asked) == len(items)


def test_a_search_for_the_lightest_set_can_be_ended() -> None:
    sets = [frozenset(f"{n}.{m}" for m in range(30)) for n in range(30)]
    weights = dict.fromkeys((i for s in sets for i in s), Fraction(1))
    calls: list[None] = []

    def check() -> None:
        calls.append(None)
        if len(calls) > 100:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        lightest_hitting_set(sets, weights, check)
