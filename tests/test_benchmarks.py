"""The generated system of the benchmarks has the conflicts that it says, and no others, by plain iteration."""

from __future__ import annotations

import sys
from collections.abc import Collection
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent.parent / "benchmarks"))

from chains import Held, System, planted, planted_spec

from outlast.constraints.loading import load_spec
from outlast.constraints.model import Interval
from outlast.constraints.normal import Inequality, normalise
from outlast.constraints.polynomial import Poly

#: Milliseconds beyond which a least value can only be growing without end.
ENDLESS = 10_000_000
MS = 10**6


def holds(system: System, kept: Collection[str], *, step: int = 1) -> bool:
    """Whether these items hold together: the least values are raised until nothing is broken, or an upper end is.

    Every rule has one parameter on its right, so that the least values are the best ones. Values are whole milliseconds;
    with a `step` of 0, `<` counts as `<=` and they need not be whole.
    """
    least, highest = dict.fromkeys(system.parameters, 0), dict.fromkeys(system.parameters, ENDLESS)
    for name, parameter in system.parameters.items():
        if isinstance(parameter, Held):
            if f"{parameter.role}:{name}" in kept:
                least[name] = highest[name] = parameter.value
            continue
        if f"domain:{name}.min" in kept:
            least[name] = parameter.low
        if f"domain:{name}.max" in kept:
            highest[name] = parameter.high
    rows = [row for name, row in system.rules.items() if f"rule:{name}" in kept]
    moved = True
    while moved:
        moved = False
        for row in rows:
            needed = sum(least[name] for name in row.left) + row.plus + (step if row.strict else 0)
            if needed > highest[row.right]:
                return False
            if needed > least[row.right]:
                least[row.right], moved = needed, True
    return True


SYSTEMS = {
    "each service alone": planted(9, seed=3),
    "six conflicts": planted(6, seed=1, conflicts=6, linked=1),
    "one chain": planted(214, linked=214),
    "chains of four": planted(8, seed=2, linked=4),
}


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_each_planted_conflict_is_minimal_and_needs_no_steps(system: System) -> None:
    for conflict in system.planted:
        assert not holds(system, conflict, step=0)
        for item in conflict:
            assert holds(system, conflict - {item}), item


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "six conflicts"])
def test_there_is_no_other_conflict(name: str) -> None:
    # Another conflict misses an item of each planted one; so it would be left when just these are taken away.
    system = SYSTEMS[name]
    for gone in product(*system.planted):
        assert holds(system, set(system.items()) - set(gone)), gone


def test_conflicts_hide_in_services_of_their_own() -> None:
    services = [
        {item.split(":")[1].replace("/", ".").split(".")[0] for item in c} for c in SYSTEMS["six conflicts"].planted
    ]
    assert services == [{f"s{n}"} for n in range(6)]


@pytest.mark.parametrize(("linked", "components"), [(1, 9), (3, 3), (9, 1)])
def test_linked_services_share_one_component(linked: int, components: int) -> None:
    system = planted(9, linked=linked)
    joined = {name: name for name in system.parameters}
    for row in system.rules.values():
        for left in row.left:
            old, new = joined[left], joined[row.right]
            joined = {name: new if root == old else root for name, root in joined.items()}
    assert len(set(joined.values())) == components


def test_the_spec_says_what_the_numbers_say(tmp_path: Path) -> None:
    system = planted(3, linked=3)
    path = tmp_path / "outlast.yaml"
    path.write_text(planted_spec(3, linked=3))
    spec = load_spec(path)
    rules, errors = normalise(spec)
    assert not errors
    for name, parameter in system.parameters.items():
        read = spec.parameters[name]
        if isinstance(parameter, Held):
            assert read.role.value == parameter.role
            assert read.value == Fraction(parameter.value * MS)
        else:
            assert isinstance(read.domain, Interval)
            assert read.domain.low == parameter.low * MS
            assert read.domain.high == parameter.high * MS
    assert set(rules) == set(system.rules)
    for name, row in system.rules.items():
        formula = rules[name].formula
        assert isinstance(formula, Inequality)
        constant = {"": Fraction(row.plus * MS)} if row.plus else {}
        assert terms(formula.left) == {**dict.fromkeys(row.left, Fraction(1)), **constant}
        assert terms(formula.right) == {row.right: Fraction(1)}
        assert formula.strict == row.strict


def terms(poly: Poly) -> dict[str, Fraction]:
    """The coefficients of a sum by parameter; that of the number alone under no name."""
    return {"".join(atom.key for atom, _ in monomial): factor for monomial, factor in poly.terms.items()}
