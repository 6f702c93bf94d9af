"""How the values nearest to those in use are found: none is held that could move instead, and few questions are asked."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from outlast.api import solve
from outlast.constraints.quantities import Sentinel
from outlast.solver.engine import Z3Engine
from outlast.solver.outcome import SolveOutcome, Status


def solved(folder: Path, parameters: dict[str, str], rules: list[str]) -> SolveOutcome:
    lines = ["outlast: 1", "parameters:", *(f"  {n}: {{ {p} }}" for n, p in parameters.items()), "rules:"]
    lines += [f"  r{i}: {{ require: '{rule}' }}" for i, rule in enumerate(rules)]
    path = folder / "outlast.yaml"
    path.write_text("\n".join(lines) + "\n")
    outcome = solve(path, objective="closest")
    assert outcome.status is Status.OPTIMAL
    return outcome


def seconds(outcome: SolveOutcome) -> dict[str, object]:
    values = {n: p.value for n, p in outcome.parameters.items()}
    return {n: v.value if isinstance(v, Sentinel) else v / 10**9 for n, v in values.items() if v is not None}


@pytest.mark.parametrize("small", range(5))
def test_the_one_of_several_that_moves_least_moves(tmp_path: Path, small: int) -> None:
    names = "pqrxy"
    parameters = {n: f"free: 1s..99s, step: 1s, current: {30 if n == names[small] else 40}s" for n in names}
    outcome = solved(tmp_path, parameters, [" + ".join(names) + " >= 200s"])
    expected = dict.fromkeys(names, 40) | {names[small]: 30}
    mover = max(n for n in names if n != names[small])  # a move is smaller in parts of what is greater
    assert seconds(outcome) == expected | {mover: 50}


def test_what_is_off_stays_off_beside_those_that_move(tmp_path: Path) -> None:
    parameters = {
        "idle": "free: 1s..99s, step: 1s, current: 9s",
        "keep": "free: 1s..99s, step: 1s, current: 7s",
        "ping": "free: [off, 20s, 40s], current: off",
    }
    outcome = solved(tmp_path, parameters, ["first_set(ping, idle) < keep"])
    assert seconds(outcome) == {"idle": 6, "keep": 7, "ping": "off"}


def test_awkward_numbers_need_no_more_questions_than_simple_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    ask: Callable[..., bool] = Z3Engine.satisfiable

    def counted(*arguments: object, **named: object) -> bool:
        nonlocal asked
        asked += 1
        return ask(*arguments, **named)

    monkeypatch.setattr(Z3Engine, "satisfiable", counted)
    primes = (211, 199, 197, 193, 191, 181, 179, 173, 167, 163, 157, 151)
    parameters = {f"hop{i:02}": f"free: 1s..30min, step: 1s, current: {now}s" for i, now in enumerate(primes)}
    outcome = solved(tmp_path, parameters, [f"hop{i:02} + 3s < hop{i + 1:02}" for i in range(11)])
    ladders = ([now + 4 * (i - kept) for i in range(12)] for kept, now in enumerate(primes))
    nearest = min(
        ladders, key=lambda ladder: sum(Fraction(abs(v - now), now) for v, now in zip(ladder, primes, strict=True))
    )
    assert seconds(outcome) == {f"hop{i:02}": v for i, v in enumerate(nearest)}
    assert asked < 40
