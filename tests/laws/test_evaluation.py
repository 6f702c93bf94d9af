"""Every rule is judged as the reference judges it, at many points of random specs."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from pathlib import Path
from random import Random

import pytest

from naive import rules as reference
from naive.generator import generate
from naive.language import Value
from naive.reference import components
from outlast.constraints.evaluate import Extended, Special, Truth, World, judge
from outlast.constraints.loading import load_spec
from outlast.constraints.model import Parameter
from outlast.constraints.normal import NormalRule, normalise
from outlast.constraints.quantities import Sentinel

POINTS = 12
TRUTHS = {True: Truth.HOLDS, False: Truth.BROKEN, None: Truth.NOT_APPLICABLE}


def as_value(value: Value) -> Fraction | Sentinel:
    return Sentinel(value) if isinstance(value, str) else Fraction(value)


def as_extended(value: Value) -> Extended:
    return Special(value) if isinstance(value, str) else Fraction(value)


def given(p: Parameter) -> Fraction | Sentinel | tuple[Fraction, Fraction]:
    if p.interval is not None:
        return p.interval
    assert p.value is not None
    return p.effective(p.value)


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_rules_are_judged_as_by_the_reference(tmp_path: Path, start: int) -> None:
    for seed in range(start, start + 100):
        spec = generate(seed).spec
        path = tmp_path / "outlast.yaml"
        path.write_text(spec.to_text())
        loaded = load_spec(path)
        rules, errors = normalise(loaded)
        assert errors == []
        constants = {n: given(p) for n, p in loaded.parameters.items() if p.interval is not None or p.value is not None}
        random = Random(seed)
        for component in components(spec):
            for point in random.sample(component.points, min(POINTS, len(component.points))):
                values = component.effective(point.values)
                world = World(
                    values={**constants, **{n: as_value(v) for n, v in values.items()}},
                    bound=lambda atom, upper: Fraction(0),
                )
                for name, expected in point.verdicts.items():
                    wrong = difference(component.rules[name], rules[name], values, world, expected)
                    assert not wrong, f"{wrong}: rule {name} of seed {seed} at {values}\n{spec.to_text()}"


def difference(
    rule: reference.Judged, normal: NormalRule, values: dict[str, Value], world: World, expected: reference.Verdict
) -> str | None:
    """What the reference says otherwise."""
    found = judge(normal, world)
    truth = Truth.BROKEN if not found.margin_kept else found.truth
    if truth is not TRUTHS[expected.holds]:
        return f"{expected.holds} expected, found {found.truth}, margin kept: {found.margin_kept}"
    if found.score is not None and found.margin_kept and floor(found.score * 1000) != expected.thousandths:
        return f"a score of {expected.thousandths} thousandths expected, found {found.score}"
    sides = rule.sides(values)
    if sides is not None and expected.holds is not None and found.judged and found.truth is not Truth.NOT_APPLICABLE:
        comparison = found.judged[-1]
        if (comparison.left, comparison.right) != tuple(map(as_extended, sides)):
            return f"sides {sides} expected, found {comparison.left}, {comparison.right}"
    return None if normal.scores == rule.scores else f"scoring: {rule.scores} expected"
