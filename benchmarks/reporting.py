"""How long `outlast report` takes against `outlast solve` of the same spec, and how large its page is; `run.py` prints it."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from chains import chain_spec
from reviewing import in_use

__all__ = ["reporting"]

#: Services that make some 500 rules, links of chains counted one by one.
_SERVICES = 71

#: Copies of a pod behind a balancer; four components each.
_COPIES = 15


def reporting(runs: int) -> None:
    """Print the fastest of some runs of each, in turns, as whole processes: a spec of some 500 rules, and shapes that are hard in a way of their own."""
    print(f"\n{'report, whole processes':44} {'outlast':>12} {'solve':>12} {'ratio':>7}")
    free = chain_spec(_SERVICES)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "outlast.yaml").write_text(free)
        held = in_use(Path(folder) / "outlast.yaml")
    shapes = {
        "nothing in use": free,
        "values in use": held,
        "three of them broken": re.sub(r"current: \S+", "current: 120s", held, count=3),
        "pairs of 100 parameters": pairs(100, 500),
        "15 ways at once": many_ways(15),
        f"{4 * _COPIES} components of the catalogue": copies(_COPIES),
        "one after the other": sequence(150),
    }
    with tempfile.TemporaryDirectory() as folder:
        spec, page = Path(folder) / "outlast.yaml", Path(folder) / "report.html"
        tool = [sys.executable, "-m", "outlast"]
        for what, text in shapes.items():
            spec.write_text(text)
            commands = [[*tool, "report", str(spec), "--output", str(page)], [*tool, "solve", str(spec)]]
            best = _fastest(commands, runs)
            written = _rules_in(text)
            told = f"{f'{written} rules, ' if written else ''}{what}, {page.stat().st_size / 10**6:.2f} MB"
            print(f"{told:44} {best[0] * 1000:9.0f} ms {best[1] * 1000:9.0f} ms {best[0] / best[1]:7.2f}", flush=True)
        spec.write_text(total(500))
        base, check = _fastest([[sys.executable, "-c", "import typer, rich"], [*tool, "check", str(spec)]], runs)
        what = "check, a sum of 500, import typer, rich"
        print(f"{what:44} {check * 1000:9.0f} ms {base * 1000:9.0f} ms {check / base:7.2f}")


def _fastest(commands: Sequence[Sequence[str]], runs: int) -> list[float]:
    best = [float("inf")] * len(commands)
    for _ in range(runs):
        for number, command in enumerate(commands):
            start = time.perf_counter()
            done = subprocess.run(command, capture_output=True, check=False)
            best[number] = min(best[number], time.perf_counter() - start)
            if done.returncode not in (0, 1):
                raise SystemExit(f"{' '.join(command)} failed: {done.stderr.decode()}")
    return best


def _rules_in(text: str) -> int:
    return sum(len(re.findall(r" <=? ", line)) for line in text.splitlines() if "require:" in line)


def pairs(parameters: int, rules: int, *, seed: int = 3) -> str:
    """Rules between any two parameters, those of greater numbers outlasting the others; values in use break many of them."""
    random = Random(seed)
    lines = [
        f"  p{n:03}: {{ free: 1ms..10min, current: {(n + 1) * 3000 + random.randrange(100, 9000)}ms }}"
        for n in range(parameters)
    ]
    found: list[str] = []
    for number in range(rules):
        low, high = sorted(random.sample(range(parameters), 2))
        found.append(f"  r{number}: {{ require: p{low:03} + {random.randrange(1, 300)}ms < p{high:03}, aim: 1s }}")
    return _spec(lines, found)


def many_ways(chains: int) -> str:
    """Chains of four that hang together at their outermost value, each broken at its innermost one: as many changes as chains."""
    parameters, rules = ["  hub: { free: 1s..10min, current: 60s }"], list[str]()
    for chain in range(chains):
        for layer in range(4):
            parameters.append(f"  s{chain}.t{layer}: {{ free: 1ms..10min, current: {5 * (layer + 1)}s }}")
            below = f"s{chain}.t{layer - 1} + 1s" if layer else f"{20 + chain}s"
            rules.append(f"  s{chain}/l{layer}: {{ require: {below} < s{chain}.t{layer} }}")
        rules.append(f"  s{chain}/hub: {{ require: s{chain}.t3 < hub }}")
    return _spec(parameters, rules)


def copies(number: int) -> str:
    """A web service on Kubernetes behind a balancer, so many times."""
    lines = ["outlast: 1", "components:"]
    for n in range(number):
        lines += [
            f"  browser{n}: generic.unknown-client",
            f"  lb{n}: aws.alb",
            f"  pod{n}: {{ kind: k8s.pod, version: '1.33' }}",
        ]
        lines.append(f"  web{n}: {{ kind: gunicorn, worker_class: gthread, runs_in: pod{n} }}")
    lines += ["links:", *(f"  - browser{n} -> lb{n} -> web{n}" for n in range(number)), "parameters:"]
    for n in range(number):
        lines += [f"  lb{n}.idle_timeout: {{ free: 30s..10min }}", f"  web{n}.keepalive: {{ free: 1s..10min }}"]
        lines += [f"  web{n}.graceful_timeout: {{ free: 5s..60s }}", f"  pod{n}.prestop_sleep: {{ free: 1s..60s }}"]
        lines += [f"  pod{n}.grace: {{ free: 10s..2min }}", f"  web{n}.longest_request: {{ fact: 20s }}"]
        lines.append(f"  pod{n}.endpoint_propagation: {{ fact: 10s }}")
    return "\n".join([*lines, ""])


def sequence(rules: int, *, seed: int = 6) -> str:
    """One chain, each value outlasting the one before it."""
    random = Random(seed)
    parameters = [f"  t{n:03}: {{ free: 1ms..2h }}" for n in range(rules + 1)]
    return _spec(
        parameters,
        [f"  r{n:03}: {{ require: t{n:03} + {random.randrange(1, 100)}ms < t{n + 1:03} }}" for n in range(rules)],
    )


def total(parameters: int) -> str:
    """One sum of values in use that is over its limit."""
    names = [f"t{n:03}" for n in range(parameters)]
    lines = [f"  {name}: {{ free: 1ms..10min, current: {100 + n}ms }}" for n, name in enumerate(names)]
    return _spec(lines, [f"  total: {{ require: {' + '.join(names)} <= 60s }}"])


def _spec(parameters: Sequence[str], rules: Sequence[str]) -> str:
    return "\n".join(["outlast: 1", "parameters:", *parameters, "rules:", *rules, ""])
