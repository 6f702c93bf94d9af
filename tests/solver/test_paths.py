"""What a path tells to be needed is what leaving out one thing after the other finds; and roundings tell what z3 tells without steps."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from outlast.constraints.loading.load import load_text
from outlast.constraints.normal import normalise
from outlast.solver.limits import Limits
from outlast.solver.monotone import Bound, Stalled
from outlast.solver.problem import Component, build
from outlast.solver.subsets import minimal_infeasible
from outlast.solver.tracked import domain_items

_DOMAINS = (
    "1s..9s, step: 1s",
    "0s..6s, step: 1s",
    "2s.., step: 1s",
    "..7s, step: 2s",
    "any, step: 1s",
    "1s..8s, step: 3s",
)
_NAMES = "abcxy"

#: Those at which wrong code shows most often.
_SEEDS = (124, 257, 373, 413, 414, 768, 821, 878, 951, 952, 955, 959, 982)


def random_component(random: Random) -> Component:
    """Rules that mostly read one parameter and raise another, on coarse steps, so that ends are met exactly as well."""
    parameters = [f"  {n}: {{ free: {random.choice(_DOMAINS)} }}" for n in _NAMES]
    parameters.append("  f: { free: [1s, 2s, 5s] }")
    rules: list[str] = []
    for number in range(random.randrange(3, 11)):
        low, high = random.sample([*_NAMES, "f"], 2)
        left = random.choice([low, low, f"2 * {low}", f"{low} + 1s", f"{low} + 500ms", "3s", f"{low} + 2 * c"])
        sign, right = random.choice(["<", "<="]), random.choice([high, high, high, high, "12s"])
        asked = random.choice(["", "", "", ", margin: 50%", ", margin: 1s, aim: 2s"])
        rules.append(f"  r{number}: {{ require: '{left} {sign} {right}'{asked} }}")
    return component_of("\n".join(["outlast: 1", "parameters:", *parameters, "rules:", *rules, ""]))


def component_of(text: str) -> Component:
    """The component with the most rules."""
    spec = load_text(Path("outlast.yaml"), text)
    problem = build(spec, normalise(spec)[0], Limits())
    return max(problem.components, key=lambda c: (len(c.rules), c.names))


def left_out_one_by_one(component: Component, bounds: list[Bound], continuous: str | None) -> list[str]:
    """What is needed of what the engine blames, else of everything."""
    engine, rules = component.monotone, list(component.rules)
    assert engine is not None
    ends = {i: (n, i.rpartition(".")[2]) for n in component.names for i, _ in domain_items(component.grids[n])}

    def feasible(items: Collection[str]) -> bool:
        dropped = frozenset(end for item, end in ends.items() if item not in items)
        return engine.possible([i for i in items if i in component.rules], {}, bounds, continuous, dropped)

    blamed = engine.blame(rules, bounds, continuous) or set()
    likely = [i for i in [*rules, *ends] if i in blamed or i.removeprefix("domain:") in blamed]
    return minimal_infeasible([*rules, *ends] if feasible(likely) else likely, feasible)


def told(component: Component, bounds: list[Bound], continuous: str | None) -> list[str] | None:
    """The same by `needed`; None: it does not tell."""
    assert component.monotone is not None
    found = component.monotone.needed(list(component.rules), bounds, continuous)
    if found is None:
        return None
    ends = {i: (n, i.rpartition(".")[2]) for n in component.names for i, _ in domain_items(component.grids[n])}
    return [i for i in [*component.rules, *ends] if i in found[0] or ends.get(i) in found[1]]


@pytest.mark.parametrize("seed", _SEEDS)
def test_a_path_needs_what_is_found_by_leaving_out_one_after_the_other(seed: int) -> None:
    random = Random(seed)
    component = random_component(random)
    assert component.monotone is not None
    for name, upward in product(component.names, (False, True)):
        edge, is_open = Fraction(random.randrange(24) * 10**9, 2), random.random() < 0.5
        low, high = (edge, None) if upward else (None, edge)
        bound = Bound(name=name, low=low, low_open=is_open, high=high, high_open=is_open)
        continuous = random.choice([None, name]) if component.grids[name].listed is None else None
        with suppress(Stalled):
            if not component.monotone.possible(list(component.rules), {}, [bound], continuous):
                found = told(component, [bound], continuous)
                assert found is None or found == left_out_one_by_one(component, [bound], continuous)


def chain(*rules: str, a: str = "2s..9s") -> Component:
    parameters = [f"  a: {{ free: {a}, step: 1s }}", *(f"  {n}: {{ free: 1s..9s, step: 1s }}" for n in "bcx")]
    numbered = [f"  r{number}: {{ require: {rule} }}" for number, rule in enumerate(rules)]
    return component_of("\n".join(["outlast: 1", "parameters:", *parameters, "rules:", *numbered, ""]))


@pytest.mark.parametrize(
    ("component", "high", "needed"),
    [
        (chain("a < b", "b < c", "c < x", "a < c"), 4, ["r0", "r1", "r2", "domain:a.min"]),
        (chain("a + 2s < b", "b < c", "c < x", a="0s..9s"), 4, ["r0", "r1", "r2"]),
        (chain("5s < b", "b < c", "c < x"), 7, ["r0", "r1", "r2"]),
        (chain("a + b + c < x"), 4, ["r0", "domain:a.min", "domain:b.min", "domain:c.min"]),
        (chain("a + b + c < x"), 2, ["r0", "domain:a.min"]),
        (chain("x < c"), 0, ["domain:x.min"]),
    ],
)
def test_chains_and_sums_are_told_at_once(component: Component, high: int, needed: list[str]) -> None:
    assert told(component, [Bound(name="x", high=Fraction(high * 10**9))], None) == needed


@pytest.mark.parametrize("seed", range(40))
def test_roundings_agree_with_z3_where_they_tell(seed: int) -> None:
    random = Random(seed)
    component = random_component(random)
    rules = list(component.rules)
    roundings = component._rounded()
    assert roundings is not None
    for _ in range(4):
        levels = {r: random.randrange(1001) for r in rules}
        if (answer := roundings.possible(rules, levels)) is not None:
            engine, assumptions = component.question(rules, levels, relaxed=True)
            assert engine.satisfiable(assumptions) == answer
            assert answer or not component.possible(sorted(roundings.blamed(rules, levels)), levels, relaxed=True)


@pytest.mark.parametrize(
    ("end", "told", "is_possible"),
    [("4s", False, False), ("4001ms", None, False), ("4001000001ns", True, True)],
)
def test_an_end_that_is_met_exactly_is_left_to_z3(end: str, told: bool | None, is_possible: bool) -> None:
    parameters = ["  a: { free: 1s..9s, step: 1s }", f"  b: {{ free: 1s..{end}, step: 1s }}"]
    rules = ["  r0: { require: a + 3001ms < b }"]
    component = component_of("\n".join(["outlast: 1", "parameters:", *parameters, "rules:", *rules, ""]))
    roundings = component._rounded()
    assert roundings is not None
    assert roundings.possible(["r0"], {}) is told
    assert component.possible(["r0"], {}, relaxed=True) is is_possible
