"""Every minimal conflict and correction set of a system of rows, by CPMpy's MARCO: the yardstick of `explain`.

Reads JSON from standard input (`soft`: a list of [item, coefficients by unknown, constant, relation], each a constraint that
may be left out, `coefficients · unknowns + constant  relation  0`), prints a line of JSON for each set as it is found, and one with the
seconds at the end, imports left out. Needs nothing but CPMpy. Arguments: the solver, its map solver, and `joint` or `apart`
(connected parts one by one).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

#: No value is beyond that, in milliseconds: more than any sum that the rules can ask for.
GREATEST = 10_000_000

Soft = tuple[str, dict[str, int], int, str]


def parts(soft: list[Soft]) -> Iterator[list[Soft]]:
    """The constraints that share unknowns, directly or through others."""
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while root.setdefault(name, name) != name:
            name = root[name]
        return name

    for _, coefficients, _, _ in soft:
        first, *others = coefficients
        for other in others:
            root[find(other)] = find(first)
    groups: dict[str, list[Soft]] = {}
    for constraint in soft:
        groups.setdefault(find(next(iter(constraint[1]))), []).append(constraint)
    yield from groups.values()


def enumerate_all(cp: Any, soft: list[Soft], solver: str, map_solver: str) -> Iterator[tuple[str, list[str]]]:
    """`MUS` or `MCS` and its items, of one system."""
    explain = import_module("cpmpy.tools.explain")
    unknowns = {n: cp.intvar(0, GREATEST, name=n) for n in sorted({n for s in soft for n in s[1]})}
    constraints = []
    for _, coefficients, constant, relation in soft:
        left = cp.sum([factor * unknowns[n] for n, factor in coefficients.items()])
        constraints.append(
            left < -constant if relation == "<" else left <= -constant if relation == "<=" else left == -constant
        )
    names = {id(constraint): s[0] for constraint, s in zip(constraints, soft, strict=True)}
    for kind, members in explain.marco(constraints, solver=solver, map_solver=map_solver):
        yield kind, sorted(names[id(member)] for member in members)


def main() -> None:
    solver, map_solver, how = sys.argv[1:]
    soft: list[Soft] = [tuple(s) for s in json.load(sys.stdin)["soft"]]
    cp = import_module("cpmpy")
    import_module("cpmpy.tools.explain")
    import_module(solver.replace("ortools", "ortools.sat.python.cp_model"))
    start, start_cpu = time.perf_counter(), time.process_time()
    for system in [soft] if how == "joint" else parts(soft):
        for kind, items in enumerate_all(cp, system, solver, map_solver):
            if items:  # a part that holds has the empty correction set
                print(json.dumps({"kind": kind, "items": items}), flush=True)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    print(json.dumps({"kind": "end", "seconds": seconds, "cpu": cpu}), flush=True)


if __name__ == "__main__":
    main()
