"""Points of rows, and Farkas certificates where there are none, against Fourier–Motzkin elimination."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.solver.simplex import Row, solve_rows

F = Fraction
numbers = st.one_of(st.integers(-3, 3).map(F), st.fractions(-3, 3, max_denominator=4))
#: Σ coefficients · unknowns + rest < 0 (or ≤ 0), of up to three unknowns.
systems = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.tuples(st.lists(numbers, min_size=width, max_size=width), numbers, st.booleans()), min_size=1, max_size=6
    )
)

System = Sequence[tuple[Sequence[Fraction], Fraction, bool]]


def possible(system: System) -> bool:
    """Whether a rational point satisfies all rows: unknowns are eliminated one by one."""
    rows = [(tuple(c), rest, strict) for c, rest, strict in system]
    for unknown in range(len(rows[0][0])):
        level = [r for r in rows if r[0][unknown] == 0]
        above = [r for r in rows if r[0][unknown] > 0]
        below = [r for r in rows if r[0][unknown] < 0]
        for up, up_rest, up_strict in above:
            for down, down_rest, down_strict in below:
                a, b = -down[unknown], up[unknown]
                combined = tuple(a * x + b * y for x, y in zip(up, down, strict=True))
                level.append((combined, a * up_rest + b * down_rest, up_strict or down_strict))
        rows = list(dict.fromkeys(level))
    return all(rest < 0 or (rest == 0 and not strict) for _, rest, strict in rows)


def farkas(rows: Sequence[Row]) -> list[Fraction] | None:
    return solve_rows(rows).multipliers


def rows_of(system: System) -> list[Row]:
    return [Row({f"x{n}": c for n, c in enumerate(cs) if c}, rest, strict) for cs, rest, strict in system]


@settings(max_examples=100, derandomize=True, deadline=None)
@given(systems)
def test_a_certificate_exists_exactly_where_no_point_does(system: System) -> None:
    solution = solve_rows(rows_of(system))
    multipliers = solution.multipliers
    assert (multipliers is None) == possible(system)
    assert (solution.point is None) != (multipliers is None)
    if multipliers is None:
        return
    assert len(multipliers) == len(system)
    assert all(m >= 0 for m in multipliers)
    for unknown in range(len(system[0][0])):
        assert sum(m * cs[unknown] for m, (cs, _, _) in zip(multipliers, system, strict=True)) == 0
    rest = sum((m * r for m, (_, r, _) in zip(multipliers, system, strict=True)), F(0))
    strict = any(m > 0 and s for m, (_, _, s) in zip(multipliers, system, strict=True))
    assert rest > 0 or (rest == 0 and strict)


def test_both_outcomes_are_met_often() -> None:
    """The reference itself: hand-made systems on either side of the line."""
    x_below_3 = ([F(1)], F(-3), False)
    assert possible([x_below_3, ([F(-1)], F(3), False)])
    assert not possible([x_below_3, ([F(-1)], F(3), True)])
    assert not possible([x_below_3, ([F(-1)], F(4), False)])


@pytest.mark.parametrize(
    ("strict", "expected"), [((True, False), [1, 1]), ((False, True), [1, 1]), ((False, False), None)]
)
def test_equal_ends_conflict_only_where_one_is_strict(strict: tuple[bool, bool], expected: list[int] | None) -> None:
    first, second = strict
    found = farkas([Row({"x": F(1)}, F(-3), first), Row({"x": F(-1)}, F(3), second)])
    assert (found is None) == (expected is None)
    if found is not None:
        assert found[0] == found[1] > 0


@pytest.mark.parametrize(
    ("rest", "strict", "conflict"), [(1, False, True), (0, True, True), (0, False, False), (-1, True, False)]
)
def test_a_row_without_unknowns_is_judged_by_itself(rest: int, strict: bool, conflict: bool) -> None:
    found = farkas([Row({}, F(rest), strict)])
    assert (found is not None) == conflict
    assert found is None or found[0] > 0


def test_ends_that_meet_do_not_hide_a_strict_conflict() -> None:
    """x = 3 alone adds up to 0 ≤ 0, which is no contradiction; y < 2 and y >= 2 are one."""
    ends = [Row({"x": F(1)}, F(-3), False), Row({"x": F(-1)}, F(3), False)]
    found = farkas([*ends, Row({"y": F(1)}, F(-2), True), Row({"y": F(-1)}, F(2), False)])
    assert found is not None
    assert found[2] == found[3] > 0


def test_no_rows_are_no_conflict() -> None:
    assert farkas([]) is None


@settings(max_examples=100, derandomize=True, deadline=None)
@given(systems)
def test_a_point_keeps_every_row(system: System) -> None:
    point = solve_rows(rows_of(system)).point
    for coefficients, rest, strict in system if point is not None else ():
        assert point is not None
        total = rest + sum((c * point[f"x{n}"] for n, c in enumerate(coefficients) if c), F(0))
        assert total < 0 or (total == 0 and not strict)
