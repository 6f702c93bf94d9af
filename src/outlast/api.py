"""What the commands do, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from outlast.constraints.check import CheckOutcome
from outlast.constraints.loading import load_spec

if TYPE_CHECKING:
    from outlast.solver.outcome import SolveOutcome

__all__ = ["check", "solve"]


def check(
    path: Path, *, overrides: Sequence[str] = (), root: Path | None = None, known_only: bool = False
) -> CheckOutcome:
    """Audit the values in use.

    Raises:
        InputErrors: the spec cannot be used, or a parameter has no current value and `known_only` is not set.
    """
    raise NotImplementedError(load_spec, path, overrides, root, known_only)


def solve(
    path: Path,
    *,
    objective: str = "margin",
    exact: bool = False,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> SolveOutcome:
    """Find values. `objective` is `margin` or `feasible`; `exact` leaves values unrounded; `time_limit` is in seconds.

    Raises:
        InputErrors: the spec cannot be used.
    """
    raise NotImplementedError(path, objective, exact, time_limit, effort, overrides, root)
