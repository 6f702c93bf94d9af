"""The command that tests a spec by changing its numbers: mutate."""

from __future__ import annotations

from typing import Annotated

import typer

from outlast.commands.ending import FINDINGS, UNDECIDED, end, report, tell_notes
from outlast.commands.options import (
    Effort,
    FindingLayout,
    Outputs,
    Overrides,
    Root,
    Spec,
    TimeLimit,
    folder_of,
    outputs_of,
    seconds_of,
    spec_path,
    steps_of,
)

__all__ = ["mutate"]


def mutate(
    spec: Spec = "outlast.yaml",
    facts: Annotated[bool, typer.Option("--facts", help="Change what is given as a fact, too.")] = False,
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    layout: FindingLayout = "text",
    outputs: Outputs = None,
    overrides: Overrides = None,
    root: Root = None,
) -> None:
    """Change each number, and tell which changes no rule notices."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)
    files = outputs_of(outputs)

    def run() -> int:
        from outlast import api

        outcome = api.mutate(
            spec_path(spec),
            facts=facts,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=folder_of(root),
        )
        tell_notes(outcome.spec.notes)
        report(layout, "mutate", outcome, files)
        return {"guarded": 0, "undecided": UNDECIDED}.get(outcome.status, FINDINGS)

    end(layout, run, files)
