"""The decision procedure against trying all points of a box, and all corners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest

from naive.linear import Any, Every, Formula, equal, possible, row

SIZE = 9
X, Y = {"x": Fraction(1)}, {"y": Fraction(1)}


def form(number: int, **terms: int) -> dict[str, Fraction]:
    return {n: Fraction(c) for n, c in {**terms, "": number}.items()}


def value(linear: Mapping[str, Fraction], at: Mapping[str, Fraction]) -> Fraction:
    return sum((c * (at[n] if n else 1) for n, c in linear.items()), Fraction(0))


def at_most(number: int, **terms: int) -> Formula:
    return row(form(-number, **terms), strict=False)


def below(number: int, **terms: int) -> Formula:
    return row(form(-number, **terms), strict=True)


@pytest.mark.parametrize("start", range(0, 600, 200))
def test_multiples_are_found_where_trying_all_finds_them(start: int) -> None:
    answers = []
    for seed in range(start, start + 200):
        random = Random(seed)
        names = ["x", "y", "z"][: random.randint(1, 3)]
        units = {n: Fraction(random.choice((1, 2, 3, 5)), random.choice((1, 1, 2))) for n in names}
        limits = [(form(-SIZE, **{n: 1}), False) for n in names]
        rows = [some_row(random, names) for _ in range(random.randint(2, 4))]
        choice = [some_row(random, names) for _ in range(random.choice((0, 2)))]
        formulas: list[Formula] = [row(f, strict=s) for f, s in [*limits, *rows]]
        if choice:
            formulas.append(Any(tuple(row(f, strict=s) for f, s in choice)))
        points = [
            dict(zip(names, at, strict=True))
            for at in product(*([units[n] * i for i in range(int(SIZE / units[n]) + 1)] for n in names))
        ]
        expected = any(
            all(holds(r, at) for r in rows) and (not choice or any(holds(r, at) for r in choice)) for at in points
        )
        assert possible(formulas, units) is expected, f"seed {seed}"
        answers.append(expected)
    assert 40 < sum(answers) < 160


def some_row(random: Random, names: list[str]) -> tuple[dict[str, Fraction], bool]:
    return form(
        random.randint(-12, 12), **{n: random.choice((-3, -2, -1, 0, 1, 1, 2, 3)) for n in names}
    ), random.random() < 0.5


def holds(told: tuple[dict[str, Fraction], bool], at: Mapping[str, Fraction]) -> bool:
    linear, strict = told
    return value(linear, at) < 0 if strict else value(linear, at) <= 0


@pytest.mark.parametrize("start", range(0, 400, 200))
def test_numbers_between_multiples_are_found_where_a_corner_is(start: int) -> None:
    """Closed rows in numbers from 0 upwards hold somewhere only if they do where two of them (or the axes) meet."""
    answers = []
    for seed in range(start, start + 200):
        random = Random(seed)
        whole = random.random() < 0.5
        rows = [some_row(random, ["x", "y", "k"] if whole else ["x", "y"])[0] for _ in range(random.randint(3, 6))]
        ks = range(SIZE + 1) if whole else range(1)
        limit = at_most(SIZE, k=1)
        expected = any(corner_holds([in_plane(r, k) for r in rows]) for k in ks)
        got = possible([limit, *(row(r, strict=False) for r in rows)], {"k": Fraction(1)})
        assert got is expected, f"seed {seed}"
        answers.append(expected)
    assert 40 < sum(answers) < 180


def in_plane(linear: Mapping[str, Fraction], k: int) -> dict[str, Fraction]:
    return {"x": linear["x"], "y": linear["y"], "": linear[""] + k * linear.get("k", Fraction(0))}


def corner_holds(rows: list[dict[str, Fraction]]) -> bool:
    axes = [
        {"x": Fraction(-1), "y": Fraction(0), "": Fraction(0)},
        {"x": Fraction(0), "y": Fraction(-1), "": Fraction(0)},
    ]
    return any(all(value(r, at) <= 0 for r in [*rows, *axes]) for at in corners([*rows, *axes]))


def corners(rows: list[dict[str, Fraction]]) -> Iterator[dict[str, Fraction]]:
    for a, b in combinations(rows, 2):
        determinant = a["x"] * b["y"] - a["y"] * b["x"]
        if determinant:
            yield {
                "x": (a["y"] * b[""] - b["y"] * a[""]) / determinant,
                "y": (b["x"] * a[""] - a["x"] * b[""]) / determinant,
            }


def test_strict_rows_that_meet_leave_nothing() -> None:
    assert possible([at_most(5, x=1), at_most(-5, x=-1)], {})
    assert not possible([below(5, x=1), at_most(-5, x=-1)], {})
    assert possible([below(5, x=1), below(-4, x=-1)], {})
    assert not possible([below(5, x=1), below(-4, x=-1)], {"x": Fraction(1)})


def test_nothing_is_below_zero() -> None:
    assert not possible([below(0, x=1)], {})
    assert not possible([at_most(3, x=1, y=1), below(-3, x=-1)], {})


def test_without_an_upper_end_multiples_go_on() -> None:
    # 3x = 5y + 1 has its first solution at x = 2, y = 1, and one beyond each number.
    equation = equal(form(-1, x=3, y=-5))
    units = {"x": Fraction(1), "y": Fraction(1)}
    assert possible([equation, at_most(-1000, x=-1)], units)
    assert not possible([equation, at_most(1, x=1)], units)
    assert not possible([equal(form(-1, x=2, y=-4))], units)


def test_one_alternative_is_enough() -> None:
    either = Any((Every((at_most(2, x=1), at_most(-3, x=-1))), at_most(-7, x=-1)))
    assert possible([either], {})
    assert not possible([either, at_most(6, x=1)], {})
    assert not possible([Any(())], {})
