"""How long `outlast lint` takes for a project of mixed files, against `outlast settings` of the same files; `run.py` prints it."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path

from projects import write_project
from settings import cpu


def linting(files: int, runs: int) -> None:
    """Print the fastest of some runs of both, in turns, all in this process; the processor's time."""
    from outlast.configs.listing import list_settings
    from outlast.linting import all_kinds, lint_files

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_project(root, files)
        all_kinds()
        ours, yardstick, components = [], [], 0
        for _ in range(runs):
            gc.collect()
            yardstick.append(cpu(lambda: list_settings([root], all_=False).read)[0])
            gc.collect()
            taken, linted = cpu(lambda: lint_files([root]))
            ours.append(taken)
            if linted.found.problems or linted.found.read != files:
                raise SystemExit(f"{linted.found.read} of {files} files read: {linted.found.problems[:1]}")
            components = len(linted.found.instances)
            del linted
        print(f"\n{'lint, a project of mixed files':44} {'outlast':>12} {'settings':>12} {'ratio':>7}   aim")
        label = f"{files} files, {components} components, {len(ours)} runs"
        print(
            f"{label:44} {min(ours) * 1000:9.0f} ms {min(yardstick) * 1000:9.0f} ms {min(ours) / min(yardstick):7.2f}   at most 1.5",
            flush=True,
        )
