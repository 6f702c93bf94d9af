"""Writes the made-up samples of this example: `python make_data.py [FOLDER]`, into `measured/` unless told.

Each measurement is drawn from the quantiles below, straight lines between them, with a fixed seed. Only `Random.random`
and whole numbers are used, so every Python writes the same bytes.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from random import Random

#: A quantile's upper bound at 95 % needs 29 956 samples for p99.99.
SAMPLES = 31_000

#: Per measurement: seed, unit of the file in µs, and the quantiles drawn from as (parts of a million, µs).
SHAPES = {
    "ping_rtt": (
        1,
        1_000,
        (
            (0, 1_000),
            (500_000, 4_000),
            (900_000, 18_000),
            (990_000, 120_000),
            (999_000, 600_000),
            (1_000_000, 1_900_000),
        ),
    ),
    "sched_wait": (
        2,
        1,
        ((0, 1), (500_000, 8), (900_000, 90), (990_000, 2_500), (999_000, 40_000), (1_000_000, 420_000)),
    ),
    "dial": (
        3,
        1_000,
        (
            (0, 2_000),
            (500_000, 9_000),
            (900_000, 35_000),
            (990_000, 210_000),
            (999_000, 1_050_000),
            (1_000_000, 3_100_000),
        ),
    ),
}


def draw(random: Random, quantiles: tuple[tuple[int, int], ...]) -> int:
    """One sample, in µs."""
    at = int(random.random() * 1_000_000)
    for (low_at, low), (high_at, high) in pairwise(quantiles):
        if at < high_at:
            return low + (high - low) * (at - low_at) // (high_at - low_at)
    raise AssertionError("the last quantile is the whole")


def shown(sample: int, unit: int) -> str:
    """A sample in the file's unit, to at most a tenth of it below 100 and to a whole one above."""
    if unit == 1:
        return str(sample)
    tenths = (sample * 10 + unit // 2) // unit
    return str((tenths + 5) // 10) if tenths >= 1_000 else f"{tenths // 10}.{tenths % 10}"


def write(folder: Path) -> None:
    """Write every measurement, one sample a line, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (seed, unit, quantiles) in SHAPES.items():
        random = Random(seed)
        lines = [shown(draw(random, quantiles), unit) for _ in range(SAMPLES)]
        (folder / f"{name}.csv").write_bytes(("\n".join(lines) + "\n").encode("ascii"))


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "measured")
