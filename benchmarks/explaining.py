"""How long `explain` takes on systems with planted conflicts, against CPMpy's MARCO on the same systems; `run.py` prints it.

Each time is one of a fresh process, imports left out on both sides; conflicts of both are compared by their items.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from chains import Held, System, planted

HERE = Path(__file__).resolve().parent
#: What CPMpy is asked with: its solver and its map solver. The first pair is its default; with z3 for both it is slower.
SOLVERS = (("ortools", "ortools"), ("z3", "ortools"))
#: Explains the spec of its argument; imports what the work needs first.
OURS = """
import json, sys, time
from pathlib import Path
import outlast.reports.explain, outlast.solver.engine, outlast.solver.explain
from outlast import api
start, start_cpu = time.perf_counter(), time.process_time()
account = api.explain(Path(sys.argv[1]), time_limit=float(sys.argv[2]))
seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
def item(change):
    return f"{change.kind.value}:{change.parameter}" if hasattr(change, "parameter") else f"rule:{change.rule}"
print(json.dumps({
    "seconds": seconds,
    "cpu": cpu,
    "missing": [account.undecided or "", *(m for group in account.groups for m in group.missing)],
    "conflicts": [[i.id for i in conflict.items] for conflict in account.conflicts],
    "repairs": [[[item(c) for c in repair.changes] for repair in group.repairs] for group in account.groups],
}))
"""


class Ours(NamedTuple):
    """What `explain` found; repairs group by group."""

    seconds: float
    cpu: float
    #: What was not enumerated, in words; empty if nothing.
    missing: str
    conflicts: frozenset[frozenset[str]]
    repairs: tuple[frozenset[frozenset[str]], ...]


class Theirs(NamedTuple):
    """What CPMpy found; `seconds` None: it was stopped."""

    seconds: float | None
    cpu: float | None
    conflicts: frozenset[frozenset[str]]
    corrections: frozenset[frozenset[str]]


def soft_rows(system: System) -> list[tuple[str, dict[str, int], int, str]]:
    """Every item as coefficients, constant and relation to 0; values held are unknowns with an item that says which."""
    found: list[tuple[str, dict[str, int], int, str]] = []
    for name, row in system.rules.items():
        found.append(
            (f"rule:{name}", {**dict.fromkeys(row.left, 1), row.right: -1}, row.plus, "<" if row.strict else "<=")
        )
    for name, parameter in system.parameters.items():
        if isinstance(parameter, Held):
            found.append((f"{parameter.role}:{name}", {name: 1}, -parameter.value, "=="))
        else:
            found.append((f"domain:{name}.min", {name: -1}, parameter.low, "<="))
            found.append((f"domain:{name}.max", {name: 1}, -parameter.high, "<="))
    return found


def explained(system: System, runs: int, patience: float) -> Ours:
    """What `explain` finds within a time limit, and the fastest of some runs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outlast.yaml"
        path.write_text(system.text())
        command = [sys.executable, "-c", OURS]
        answers = [
            json.loads(subprocess.run([*command, path, str(patience)], check=True, stdout=subprocess.PIPE).stdout)
            for _ in range(runs)
        ]
    best = min(answers, key=lambda answer: float(answer["seconds"]))
    return Ours(
        best["seconds"],
        best["cpu"],
        "; ".join(m for m in best["missing"] if m),
        _sets(best["conflicts"]),
        tuple(_sets(group) for group in best["repairs"]),
    )


def by_cpmpy(python: str, system: System, solvers: tuple[str, str], how: str, patience: float) -> Theirs:
    """What CPMpy finds before it is stopped; `how` is `joint` or `apart`."""
    process = subprocess.Popen(
        [python, str(HERE / "cpmpy_marco.py"), *solvers, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    given = json.dumps({"soft": soft_rows(system)})
    try:
        printed, _ = process.communicate(given, timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        printed, _ = process.communicate()
    else:
        if process.returncode:
            raise SystemExit("CPMpy failed; is it installed (the group `benchmark`)?")
    lines = [json.loads(line) for line in printed.splitlines(keepends=True) if line.endswith("\n")]
    found = {kind: _sets([line["items"] for line in lines if line["kind"] == kind]) for kind in ("MUS", "MCS")}
    end = next((line for line in lines if line["kind"] == "end"), {"seconds": None, "cpu": None})
    return Theirs(end["seconds"], end["cpu"], found["MUS"], found["MCS"])


def explaining(sizes: Sequence[int], *, python: str | None, patience: float, runs: int) -> None:
    """Print the table; `sizes` in services, `python` one that has CPMpy (None: it is left out)."""
    print(f"\nexplain, planted conflicts; both are stopped after {patience:.0f} s")
    if python is None:
        print("CPMpy is left out: expected it in this Python, or another one at --cpmpy")
    for services in sizes:
        for linked in (1, services):
            system = planted(services, linked=linked)
            ours = explained(system, runs, patience)
            shape = "one chain" if linked > 1 else "apart"
            what = f"{len(system.rules):5} rules, {len(system.items())} items, {shape}"
            complete = "NOT COMPLETE" if ours.missing else "complete"
            right = "as planted" if ours.conflicts == frozenset(system.planted) else "NOT AS PLANTED"
            repairs = sum(len(group) for group in ours.repairs)
            found = f"{complete}, {len(ours.conflicts)} conflicts {right}, {repairs} repairs"
            aim = "   aim: complete within 5 s" if services == max(sizes) and linked == 1 else ""
            print(f"{what:44} {_times(ours.seconds, ours.cpu)}   {found}{aim}", flush=True)
            if ours.missing:
                print(f"        {ours.missing[:200]}")
            if python is not None and (linked == 1 or services == min(sizes)):
                ways = ("joint",) if linked > 1 else ("joint", "apart")
                _against_cpmpy(python, system, ours, patience, ways, aimed=services == min(sizes) and linked == 1)


def _against_cpmpy(
    python: str, system: System, ours: Ours, patience: float, ways: Sequence[str], *, aimed: bool
) -> None:
    """Lines for each pair of solvers; the compared figure is the fastest one on the whole system."""
    joint: list[float] = []
    for how in ways:
        for solvers in SOLVERS:
            theirs = by_cpmpy(python, system, solvers, how, patience)
            name = f"        CPMpy {'/'.join(solvers)}, {how}"
            found = f"{len(theirs.conflicts)} conflicts, {len(theirs.corrections)} correction sets"
            if theirs.seconds is None or theirs.cpu is None:
                stopped = f"stopped after {patience:.0f} s"
                print(f"{name:44} {stopped:>33}   {found} until then", flush=True)
            else:
                agrees = agreement(ours, theirs, joint=how == "joint")
                print(f"{name:44} {_times(theirs.seconds, theirs.cpu)}   {found}, {agrees}", flush=True)
            if how == "joint":
                joint.append(theirs.seconds or patience)
    bound = "at least " if min(joint) >= patience else ""
    aim = "   aim: at least 20" if aimed else ""
    print(f"{'        fastest CPMpy, joint / outlast':44} {bound}{min(joint) / ours.seconds:.1f}{aim}", flush=True)


def agreement(ours: Ours, theirs: Theirs, *, joint: bool) -> str:
    """Whether both found the same, in words.

    A repair is a correction set without facts and ends of domains. One of the joint system is a union: a repair of each group.
    """
    if ours.conflicts != theirs.conflicts:
        return f"CONFLICTS DIFFER by {len(ours.conflicts ^ theirs.conflicts)}"
    usable = {c for c in theirs.corrections if all(item.startswith(("rule:", "fixed:")) for item in c)}
    choices = product(*ours.repairs) if joint else ((repair,) for group in ours.repairs for repair in group)
    repairs = {frozenset[str]().union(*choice) for choice in choices}
    if ours.missing and repairs < usable:
        return f"the same conflicts; ours are {len(repairs)} of {len(usable)} repairs"
    if usable != repairs:
        return f"REPAIRS DIFFER by {len(usable ^ repairs)}"
    return "the same conflicts and repairs"


def _times(seconds: float, cpu: float) -> str:
    return f"{seconds * 1000:9.1f} ms (cpu {cpu * 1000:9.1f} ms)"


def _sets(lists: Sequence[Sequence[str]]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(members) for members in lists)
