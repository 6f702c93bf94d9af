"""Speed as ratios within one run: `python benchmarks/run.py`.

Whole processes are run in turn with their yardstick and compared by their fastest run; the margin optimum is compared with
z3.Optimize on the same model in one piece, explain with CPMpy's MARCO, settings with parsing the same files once, lint with settings, review and mutate with check, and report with solve.
Nothing here is a test.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from chains import chain_spec
from explaining import explaining
from linting import linting
from reporting import reporting
from reviewing import reviewing
from settings import settings

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ("dead-connection", "zero-502-deploy", "silent-nlb")
TWENTY = 20
#: Seconds after which Optimize is stopped, and what it then answers.
PATIENCE = 180
GAVE_UP = -1
SECTIONS = ("processes", "margins", "explain", "settings", "lint", "review", "report")


def fastest(commands: Sequence[Sequence[str]], runs: int) -> list[float]:
    """The fastest of some runs of each command, in seconds, the commands taking turns."""
    best = [float("inf")] * len(commands)
    for _ in range(runs):
        for number, command in enumerate(commands):
            start = time.perf_counter()
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            best[number] = min(best[number], time.perf_counter() - start)
            if done.returncode not in (0, 1):
                raise SystemExit(f"{' '.join(command)} failed: {done.stderr.decode()}")
    return best


def row(what: str, seconds: float, yardstick: float, aim: str) -> None:
    print(f"{what:44} {seconds * 1000:9.1f} ms {yardstick * 1000:9.1f} ms {seconds / yardstick:7.2f}   {aim}")


def processes(runs: int) -> None:
    print(f"{'whole processes':44} {'outlast':>12} {'yardstick':>12} {'ratio':>7}   aim")
    imports = [sys.executable, "-c", "import typer, rich"]
    with_z3 = [sys.executable, "-c", "import z3, typer, rich"]
    tool = [sys.executable, "-m", "outlast"]
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "outlast.yaml"
        spec.write_text(twenty_rules())
        base, check = fastest([imports, [*tool, "check", str(spec)]], runs)
        row("check, 20 rules, against import typer, rich", check, base, "at most 2")
        before = ROOT / "examples" / EXAMPLES[0] / "before.yaml"
        base, check = fastest([imports, [*tool, "check", str(before)]], runs)
        row(f"check {EXAMPLES[0]}/before", check, base, "(93,000 samples)")
        spec.write_text(ten_in_conflict())
        base, explain = fastest([with_z3, [*tool, "explain", str(spec)]], runs)
        row("explain, a conflict of ten rules, import z3 …", explain, base, "at most 2.5")
    for example in EXAMPLES:
        spec = ROOT / "examples" / example / "outlast.yaml"
        base, solve = fastest([with_z3, [*tool, "solve", str(spec)]], runs)
        row(f"solve {example}, against import z3, typer, rich", solve, base, "at most 2")


def twenty_rules() -> str:
    """A spec of twenty rules with a current value for everything."""
    names = [f"layer{n}.timeout" for n in range(TWENTY + 1)]
    parameters = [f"  {n}: {{ free: 1ms..10min, current: {5 + 2 * i}s }}" for i, n in enumerate(names)]
    rules = [
        f"  outlasts-{i}: {{ require: {a} + 1s < {b}, why: the outer one }}" for i, (a, b) in enumerate(pairwise(names))
    ]
    return "\n".join(["outlast: 1", "parameters:", *parameters, "rules:", *rules, ""])


def ten_in_conflict() -> str:
    """A spec of ten rules, none of which can be left out of its one conflict."""
    names = [f"layer{n}.timeout" for n in range(10)]
    parameters = ["  deadline: { fixed: 8500ms }", *(f"  {name}: {{ free: 1ms..10min }}" for name in names)]
    rules = [f"  outlasts-{i}: {{ require: {a} + 1s < {b} }}" for i, (a, b) in enumerate(pairwise(names))]
    rules.append(f"  ends: {{ require: {names[-1]} < deadline }}")
    return "\n".join(["outlast: 1", "parameters:", *parameters, "rules:", *rules, ""])


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """The seconds that something takes, and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def margins(sizes: Sequence[int]) -> None:
    from outlast.constraints.loading import load_spec
    from outlast.constraints.normal import normalise

    print(f"\n{'margin optimum on chains':44} {'outlast':>12} {'Optimize':>12} {'ratio':>7}   Optimize / outlast, aim")
    for services in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "outlast.yaml"
            path.write_text(chain_spec(services))
            spec = load_spec(path)
        rules, _ = normalise(spec)
        ours, level = timed(lambda: optimum(spec, rules))  # noqa: B023  # called at once
        model = Unsplit(spec, rules)
        if model.reaches(level + 1) or not model.reaches(level):
            raise SystemExit(f"the optimum of {len(rules)} rules is not {level} thousandths")
        theirs, value = timed(model.optimise)
        if value not in (level, GAVE_UP):
            raise SystemExit(f"Optimize says {value}, not {level}")
        aim = "at least 20" if services == max(sizes) else ""
        remark = " (Optimize gave up; the ratio is at least this)" if value == GAVE_UP else ""
        print(
            f"{len(rules):5} rules, optimum {level} thousandths {'':10} {ours * 1000:9.1f} ms {theirs * 1000:9.1f} ms "
            f"{theirs / ours:7.1f}   {aim}{remark}"
        )


def optimum(spec: object, rules: object) -> int:
    """The level that all rules reach, component by component, proved by the least point of the next."""
    from outlast.solver.limits import Limits
    from outlast.solver.margin import Levels, highest
    from outlast.solver.problem import build

    problem = build(spec, rules, Limits())  # type: ignore[arg-type]
    return min(highest(c, Levels(sorted(c.rules)), sorted(c.rules)) for c in problem.components)


class Unsplit:
    """All rules in one z3 model, the level in thousandths an Int."""

    def __init__(self, spec: object, rules: object) -> None:
        import z3

        self._z3 = z3
        self._spec, self._rules = spec, rules

    def _constraints(self, level: object) -> list[object]:
        z3 = self._z3
        parameters = self._spec.parameters  # type: ignore[attr-defined]
        unknowns = {n: z3.Int(n) for n, p in parameters.items() if p.domain is not None}
        found: list[object] = []
        for name, unknown in unknowns.items():
            domain = parameters[name].domain
            found += [unknown >= int(domain.low / 10**6), unknown <= int(domain.high / 10**6)]

        def side(poly: object) -> object:
            total = z3.IntVal(0)
            for monomial, coefficient in poly:  # type: ignore[attr-defined]
                if not monomial:
                    total = total + int(coefficient / 10**6)
                else:
                    name = monomial[0][0].name
                    total = total + (unknowns[name] if name in unknowns else int(parameters[name].value / 10**6))
            return total

        for rule in self._rules.values():  # type: ignore[attr-defined]
            left, right = side(rule.formula.left), side(rule.formula.right)
            aim = int(rule.rule.aim.amount / Fraction(10**6))
            found += [left < right, 1000 * (right - left) >= level * aim]  # type: ignore[operator]
        return found

    def reaches(self, level: int) -> bool:
        """Whether all rules reach a level, by a plain solver."""
        solver = self._z3.Solver()
        solver.add(*self._constraints(level))
        answer = solver.check()
        if answer == self._z3.unknown:
            raise SystemExit("z3 does not know")
        return bool(answer == self._z3.sat)

    def optimise(self) -> int:
        """The greatest level, by z3.Optimize; GAVE_UP after `PATIENCE` seconds."""
        optimize = self._z3.Optimize()
        optimize.set("timeout", PATIENCE * 1000)
        level = self._z3.Int("level")
        optimize.add(level >= 0, level <= 1000, *self._constraints(level))
        handle = optimize.maximize(level)
        if optimize.check() != self._z3.sat:
            return GAVE_UP
        return int(optimize.upper(handle).as_long())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="runs of each process")
    parser.add_argument("--services", type=int, nargs="*", default=[21, 64, 214], help="chains of seven rules")
    parser.add_argument(
        "--files", type=int, default=5000, help="files of the project that settings and lint look through"
    )
    parser.add_argument("--only", choices=SECTIONS, nargs="*", default=SECTIONS, help="sections")
    parser.add_argument("--cpmpy", metavar="PYTHON", help="a Python that has CPMpy, if this one has not")
    parser.add_argument("--patience", type=float, default=120, help="seconds after which explain and CPMpy are stopped")
    arguments = parser.parse_args()
    if "processes" in arguments.only:
        processes(arguments.runs)
    if "margins" in arguments.only and arguments.services:
        margins(arguments.services)
    if "explain" in arguments.only and arguments.services:
        python = arguments.cpmpy or (sys.executable if importlib.util.find_spec("cpmpy") else None)
        explaining(arguments.services, python=python, patience=arguments.patience, runs=min(3, arguments.runs))
    if "settings" in arguments.only and arguments.files:
        settings(arguments.files, runs=min(3, arguments.runs))
    if "lint" in arguments.only and arguments.files:
        linting(arguments.files, runs=min(3, arguments.runs))
    if "review" in arguments.only and arguments.services:
        reviewing(arguments.services, runs=min(3, arguments.runs))
    if "report" in arguments.only:
        reporting(runs=min(3, arguments.runs))


if __name__ == "__main__":
    main()
