"""How long `outlast report` takes against `outlast solve` of the same spec, and how large its page is; `run.py` prints it."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from chains import chain_spec
from reviewing import in_use

__all__ = ["reporting"]

#: Services that make some 500 rules, links of chains counted one by one.
_SERVICES = 71


def reporting(runs: int) -> None:
    """Print the fastest of some runs of each, in turns, as whole processes: nothing in use, values that hold, three that do not."""
    print(f"\n{'report, whole processes':44} {'outlast':>12} {'solve':>12} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        spec, page = Path(folder) / "outlast.yaml", Path(folder) / "report.html"
        spec.write_text(chain_spec(_SERVICES))
        free = spec.read_text()
        held = in_use(spec)
        broken = re.sub(r"current: \S+", "current: 120s", held, count=3)
        for what, text in (("nothing in use", free), ("values in use", held), ("three of them broken", broken)):
            spec.write_text(text)
            tool = [sys.executable, "-m", "outlast"]
            commands = [[*tool, "report", str(spec), "--output", str(page)], [*tool, "solve", str(spec)]]
            best = [float("inf")] * 2
            for _ in range(runs):
                for number, command in enumerate(commands):
                    start = time.perf_counter()
                    done = subprocess.run(command, capture_output=True, check=False)
                    best[number] = min(best[number], time.perf_counter() - start)
                    if done.returncode not in (0, 1):
                        raise SystemExit(f"{' '.join(command)} failed: {done.stderr.decode()}")
            rules = text.count("require:") + _SERVICES
            told = f"{rules} rules, {what}, {page.stat().st_size / 10**6:.2f} MB"
            print(f"{told:44} {best[0] * 1000:9.0f} ms {best[1] * 1000:9.0f} ms {best[0] / best[1]:7.2f}")
