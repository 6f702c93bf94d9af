"""What `why NAME=VALUE` says of random specs, against looking at every point with that value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from laws.answers import plain
from naive.generator import generate
from naive.language import Parameter, Spec, Value, value_text
from naive.reference import components
from naive.rules import grid
from outlast.api import what_if
from outlast.solver import why
from outlast.solver.account import ItemKind
from outlast.solver.outcome import SolveOutcome, Status
from outlast.solver.solve import solve_spec
from outlast.solver.why import WhatIf


def can_be(spec: Spec, name: str, value: Value, only: set[str] | None = None) -> bool:
    """Whether everything demanded (or only some of the rules) can hold with that value."""
    for c in components(spec):
        asked = [i for i, r in c.rules.items() if (not r.rule.should if only is None else i in only)]
        at = c.names.index(name) if name in c.names else None
        points = [p for p in c.points if at is None or p.values[at] == value]
        if not any(all(p.verdicts[i].holds is not False for i in asked) for p in points):
            return False
    return True


def solved_once() -> Callable[..., SolveOutcome]:
    """Solves each spec once: whatever value is asked for, the spec without it is the same."""
    known: list[tuple[object, SolveOutcome]] = []

    def solve_once(spec: Any, rules: Any, **options: Any) -> SolveOutcome:
        for one, outcome in known:
            if one == spec:
                return outcome
        known.append((spec, solve_spec(spec, rules, **options)))
        return known[-1][1]

    return solve_once


def some_of(p: Parameter) -> list[Value]:
    values = grid(p)
    return list(dict.fromkeys((values[0], values[-1])))


@pytest.mark.parametrize("start", range(0, 12, 4))
def test_a_value_works_where_some_point_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: int) -> None:
    monkeypatch.setattr(why, "solve_spec", solved_once())
    wrong: list[str] = []
    seen = {True: 0, False: 0}
    path = tmp_path / "outlast.yaml"
    for seed in range(start, start + 4):
        spec = generate(seed).spec
        path.write_text(spec.to_text())
        for p in (p for p in spec.parameters if p.role == "free" and p.beyond is None):
            for value in some_of(p):
                text = dict(zip(grid(p), _texts(p), strict=True))[value]
                found = what_if(path, p.name, text)
                works = can_be(spec, p.name, value)
                seen[works] += 1
                if found.works is not works:
                    wrong.append(f"seed {seed}: {p.name} = {text} works: {works}, found {found.works}")
                wrong += (f"seed {seed}: {p.name} = {text}: {w}" for w in _wrong_breaks(spec, p, found))
    assert not wrong, "\n".join(wrong)
    assert min(seen.values()) > 1


def _wrong_breaks(spec: Spec, p: Parameter, found: WhatIf) -> list[str]:
    wrong = []
    for each in found.breaks:
        rules = {i.name for i in each.conflict.items if i.kind in (ItemKind.RULE, ItemKind.MARGIN, ItemKind.DIVISOR)}
        begins = plain(each.begins)
        if begins is not None and begins in grid(p) and can_be(spec, p.name, begins, rules):
            wrong.append(f"{sorted(rules)} can hold at {begins} already")
        before = plain(found.before)
        if begins is not None and before is not None and found.now.status is Status.OPTIMAL and begins == before:
            wrong.append(f"{sorted(rules)} begins at the recommended value")
    return wrong


def _texts(p: Parameter) -> list[str]:
    return [value_text(v, p.kind) for v in grid(p)]
