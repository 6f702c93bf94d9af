"""What the seeds offer the laws: every feature often enough, most specs feasible, small grids."""

from __future__ import annotations

from collections import Counter

import pytest

from naive.generator import FEATURES, LARGEST_GRID, Generated, generate, grid_size
from naive.reference import components

SEEDS = range(600)
#: All look at the same specs; one process makes them once.
pytestmark = pytest.mark.xdist_group("generated")


@pytest.fixture(scope="module")
def made() -> list[Generated]:
    return [generate(seed) for seed in SEEDS]


def test_each_feature_stands_in_twenty_feasible_specs(made: list[Generated]) -> None:
    counts: Counter[str] = Counter()
    feasible = 0
    for each in made:
        if all(c.surrendered is not None for c in components(each.spec)):
            feasible += 1
            counts.update(each.features)
    assert set(counts) == set(FEATURES)
    assert {f: n for f, n in counts.items() if n < 20} == {}
    assert 0.6 * len(SEEDS) < feasible < 0.9 * len(SEEDS)


def test_grids_are_small_enough_to_look_at_every_point(made: list[Generated]) -> None:
    assert max(grid_size(each.spec) for each in made) <= LARGEST_GRID


def test_a_seed_always_gives_the_same_spec() -> None:
    assert generate(17).spec.to_text() == generate(17).spec.to_text()


def test_domains_without_an_upper_end_are_bounded_by_a_rule(made: list[Generated]) -> None:
    """The reference looks at values below `beyond` only; a must rule keeps all others out."""
    for each in made:
        for p in each.spec.parameters:
            if p.beyond is not None:
                (rule,) = (r for r in each.spec.rules if r.id == f"bound-{p.name}")
                assert not rule.should
                assert rule.when is None
                assert rule.margin is None
                assert rule.aim is not None
                assert rule.aim.amount == 0
