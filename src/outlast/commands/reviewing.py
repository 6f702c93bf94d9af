"""The command that compares two revisions: review."""

from __future__ import annotations

from typing import Annotated

import typer

from outlast.commands.ending import FINDINGS, UNDECIDED, end, is_as_loud, report, tell_notes
from outlast.commands.options import (
    Effort,
    FailOn,
    FindingLayout,
    Outputs,
    Root,
    TimeLimit,
    Today,
    folder_of,
    outputs_of,
    seconds_of,
    spec_path,
    steps_of,
    today_of,
    whole,
)

__all__ = ["review"]


def review(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC",
            help="Specs; unless given, every outlast.yaml below this folder, or where there is none, files without a spec.",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="REV", help="Compare with where REV and the change parted.", show_default=False),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            "--head", metavar="REV", help="The change; the files as they are unless given.", show_default=False
        ),
    ] = None,
    allow_unguarding: Annotated[
        bool, typer.Option("--allow-unguarding", help="Tell what is guarded less, but do not fail for it.")
    ] = False,
    with_files: Annotated[
        bool, typer.Option("--lint", help="Look at files without a spec as well, where there are specs.")
    ] = False,
    stale: Annotated[
        str | None,
        typer.Option(
            "--stale",
            metavar="DAYS",
            help="List decisions and measurements older than that, and rules without a source or an owner.",
        ),
    ] = None,
    fail_on: FailOn = "warning",
    today: Today = None,
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    layout: FindingLayout = "text",
    outputs: Outputs = None,
    root: Root = None,
) -> None:
    """Tell what a change breaks and how to mend it. Also what it mends, and what it guards less."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)
    days = None if stale is None else whole(stale, "--stale")
    day = today_of(today)
    files = outputs_of(outputs)
    _refuse_empty(base, "--base")
    _refuse_empty(head, "--head")
    if base is None and days is None:
        raise typer.BadParameter(
            "expected what to compare with, such as --base main, or --stale DAYS", param_hint="'--base'"
        )

    def run() -> int:
        from outlast import api

        reviewed = api.review(
            [spec_path(spec) for spec in specs or ()],
            base=base,
            head=head,
            with_files=with_files,
            stale=days,
            today=day,
            time_limit=seconds,
            effort=steps,
            root=folder_of(root),
        )
        if layout not in ("text", "markdown"):  # which tell them themselves
            tell_notes(reviewed.notices)
        report(layout, "review", reviewed, files)
        losses = () if allow_unguarding else reviewed.losses
        if (
            any(is_as_loud(trouble.finding, fail_on) for trouble in reviewed.new)
            or any(not loss.is_undecided for loss in losses)
            or any(is_as_loud(due, fail_on) for part in reviewed.parts for due in part.due)
        ):
            return FINDINGS
        return UNDECIDED if reviewed.is_undecided and not allow_unguarding else 0

    end(layout, run, files)


def _refuse_empty(revision: str | None, option: str) -> None:
    """Refuse what comes of a variable that is not set."""
    if revision is not None and not revision.strip():
        message = "expected a revision, found nothing; a variable of the job may not be set"
        raise typer.BadParameter(message, param_hint=f"'{option}'")
