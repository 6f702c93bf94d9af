"""Specs of which outlast is asked for the conflicts and the ways out, and what it says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from naive.conflicts import Conflicts
from naive.language import Spec
from naive.unsatisfiable import generate
from outlast.api import explain, solve
from outlast.constraints.quantities import Sentinel
from outlast.solver.account import Account, Change, Conflict, Dropped, Group, Moved, Repair, Weakened
from outlast.solver.outcome import SolveOutcome

#: Seconds; z3's effort ends each question long before, however busy the machine is.
TIME_LIMIT = 900


def write(spec: Spec, folder: Path, shuffle: Random | None = None) -> Path:
    """The spec with its measurements as files."""
    for p in spec.parameters:
        if p.role == "measurement":
            (folder / f"{p.name}.csv").write_text(p.samples())
    path = folder / "outlast.yaml"
    path.write_text(spec.to_text(shuffle))
    return path


def account_of(spec: Spec, shuffle: Random | None = None) -> Account:
    with TemporaryDirectory() as folder:
        return explain(write(spec, Path(folder), shuffle), time_limit=TIME_LIMIT)


def solved(spec: Spec) -> SolveOutcome:
    with TemporaryDirectory() as folder:
        return solve(write(spec, Path(folder)), time_limit=TIME_LIMIT)


@cache
def random_account(seed: int) -> tuple[Spec, Account]:
    spec = generate(seed)
    return spec, account_of(spec)


def broken(found: Conflicts) -> list[frozenset[str]]:
    """The groups that cannot hold."""
    return [g for g in found.groups if not found.can_hold(found.items(g))]


def ids(conflict: Conflict) -> frozenset[str]:
    return frozenset(i.id for i in conflict.items)


def changed(change: Change) -> str:
    """What it changes."""
    match change:
        case Moved():
            return f"fixed:{change.parameter}"
        case Weakened():
            return f"rule:{change.rule}"
        case Dropped():
            return f"{change.kind.value}:{change.rule}"


def changes_of(repair: Repair) -> frozenset[str]:
    return frozenset(map(changed, repair.changes))


def number(value: Fraction | Sentinel) -> Fraction:
    assert isinstance(value, Fraction)
    return value


def mended(spec: Spec, changes: Iterable[Change]) -> Spec:
    """The spec with the changes made in its text."""
    parameters = {p.name: p for p in spec.parameters}
    rules = {r.id: r for r in spec.rules}
    for change in changes:
        match change:
            case Moved(parameter=name, after=after):
                parameters[name] = replace(parameters[name], value=number(after))
            case Weakened(rule=rule, to=to):
                rules[rule] = replace(rules[rule], written=to)
            case Dropped(rule=rule):
                if change.kind.value == "margin":
                    rules[rule] = replace(rules[rule], margin=None)
                else:
                    del rules[rule]
    return Spec(tuple(parameters.values()), tuple(rules.values()))


def others_cheapest(account: Account, group: Group) -> list[Change]:
    """What mends all other groups."""
    return [c for g in account.groups if g is not group for c in g.repairs[0].changes]
