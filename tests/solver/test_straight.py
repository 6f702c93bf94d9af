"""What is read off sums along one parameter is what judging them along it finds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.polynomial import Var, constant, variable
from outlast.solver.limits import Limits
from outlast.solver.line import Line, Reach
from outlast.solver.logic import Logic, below
from outlast.solver.straight import Edge, Straight

_X = variable(Var("x", 1))
_NUMBERS = st.integers(0, 6).map(lambda n: Fraction(n, 2))
_EDGES = st.lists(st.builds(Edge, st.sampled_from(["a", "b"]), _NUMBERS, st.booleans(), st.booleans()), max_size=4)


def formula(edge: Edge) -> Logic:
    difference = _X - constant(edge.at)
    return below(difference if edge.is_upper else difference.scaled(Fraction(-1)), strict=edge.is_open)


def line(edges: Sequence[Edge]) -> Line:
    return Line("x", [formula(edge) for edge in edges], {}, Limits())


@settings(max_examples=80, derandomize=True, deadline=None)
@given(_EDGES, _NUMBERS, st.booleans(), st.none() | _NUMBERS)
def test_stretches_are_those_of_the_line(
    edges: list[Edge], low: Fraction, is_open: bool, high: Fraction | None
) -> None:
    if high is None or low < high:
        start = Reach(low, is_open)
        assert Straight(edges).stretches(start, high) == line(edges).stretches(start, high)


@settings(max_examples=80, derandomize=True, deadline=None)
@given(_EDGES, _NUMBERS, st.booleans(), st.none() | _NUMBERS)
def test_from_a_value_that_holds_the_reach_is_that_of_the_line(
    edges: list[Edge], start: Fraction, upward: bool, edge: Fraction | None
) -> None:
    if Straight(edges).holds(start) and (edge is None or (start < edge if upward else start > edge)):
        found = line(edges).reach(start, upward=upward, edge=edge)
        if edge is not None and found.at is not None and (found.at > edge if upward else found.at < edge):
            found = Reach(edge, is_open=False)  # a line may look further than it was asked to
        elif edge is not None and found.at is None:
            found = Reach(edge, is_open=False)
        assert Straight(edges).reach(start, upward=upward, edge=edge) == found


@settings(max_examples=80, derandomize=True, deadline=None)
@given(_EDGES, _NUMBERS, st.booleans())
def test_what_breaks_at_and_just_beyond_a_value_is_judged_alike(
    edges: list[Edge], here: Fraction, upward: bool
) -> None:
    beyond = line(edges).beyond(here, upward=upward)
    assert Straight(edges).beyond(here, upward=upward) == beyond
    for at in (here, beyond):
        assert Straight(edges).breaking(at) == {e.rule for e in edges if not line([e]).holds(at)}
