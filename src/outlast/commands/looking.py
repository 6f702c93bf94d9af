"""Commands that look at files, at what was measured and into the catalogue: lint, init, settings, measure, rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from outlast.commands.completing import known_kinds, known_names, offering
from outlast.commands.ending import FINDINGS, UNUSABLE, end, is_as_loud, report, tell_baseline, tell_mended, tell_unread
from outlast.commands.options import (
    Baseline,
    FailOn,
    FindingLayout,
    Layout,
    NewBaseline,
    Outputs,
    Today,
    baseline_of,
    choice,
    file_of,
    label_of,
    outputs_of,
    share_of,
    target_of,
    today_of,
    whole,
)

__all__ = ["init", "lint", "measure", "rules", "settings"]


def lint(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files and folders; this one unless given.")
    ] = None,
    fail_on: FailOn = "warning",
    layout: FindingLayout = "text",
    outputs: Outputs = None,
    today: Today = None,
    baseline: Baseline = None,
    write_baseline: NewBaseline = None,
) -> None:
    """Tell which timeouts in files cannot be right together. No spec is needed."""

    files = outputs_of(outputs)
    day = today_of(today)
    before, after = file_of(baseline, "--baseline"), baseline_of(write_baseline, files)

    def run() -> int:
        from outlast import api

        linted = api.lint([Path(path) for path in paths or ["."]], today=day, baseline=before)
        tell_unread(linted.found)
        report(layout, "lint", linted, files)
        if after is not None:
            return tell_baseline(after, api.write_baseline(after, linted))
        tell_mended(baseline, linted.mended)
        return FINDINGS if any(is_as_loud(finding, fail_on) for finding in linted.all_that_counts()) else 0

    end(layout, run, files)


def init(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files and folders; this one unless given.")
    ] = None,
    to: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; - is stdout.")
    ] = "outlast.yaml",
    force: Annotated[bool, typer.Option("--force", help="Overwrite a spec that is there.")] = False,
    layout: Layout = "text",
) -> None:
    """Write a first spec from what the files show. It asks where a human must decide."""
    file = target_of(to)

    def run() -> int:
        from outlast import api

        made = api.init([Path(path) for path in paths or ["."]], to=file, force=force)
        tell_unread(made.found)
        if layout == "text" and made.file is None:
            from outlast.reports.output import write

            write(made.text)
        else:
            report(layout, "init", made)
        return 0

    end(layout, run)


def settings(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files and folders; this one unless given.")
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Show every setting, not only what is likely a duration.")
    ] = False,
    layout: Layout = "text",
) -> None:
    """List the timeouts in files, and how a spec refers to each."""

    def run() -> int:
        from outlast import api
        from outlast.reports.output import tell
        from outlast.reports.settings import unread_text

        listing = api.settings([Path(path) for path in paths or ["."]], all_=all_)
        for skipped in listing.skipped:
            tell(f"{skipped.file}: note: {skipped.reason}")
        for problem in listing.problems:
            tell(str(problem.error))
        if (unread := unread_text(listing)) is not None:
            tell(unread)
        report(layout, "settings", listing)
        return UNUSABLE if any(problem.is_named for problem in listing.problems) else 0

    end(layout, run)


def measure(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Measured files.", show_default=False)],
    read_as: Annotated[
        str | None,
        choice(
            "--as",
            of=("samples", "prometheus", "hdr", "k6", "vegeta", "ghz"),
            text="What the files are; told from the files unless given.",
        ),
    ] = None,
    unit: Annotated[str | None, typer.Option(help="Unit of bare numbers.")] = None,
    column: Annotated[str | None, typer.Option(help="Column of a comma-separated file.")] = None,
    metric: Annotated[str | None, typer.Option(help="Name of the metric.")] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="KEY=VALUE", help="Label of the series; may be repeated.")
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Tag of the intervals of an HdrHistogram log.")] = None,
    lost: Annotated[str, typer.Option(metavar="N", help="How many samples never came back.")] = "0",
    confidence: Annotated[str, typer.Option(metavar="PERCENT", help="How sure each bound is.")] = "95%",
    layout: Layout = "text",
) -> None:
    """Show the quantiles of measured files with their bounds."""
    labels = dict(label_of(text) for text in label) if label else None
    sure = share_of(confidence)
    lost_samples = whole(lost, "--lost")

    def run() -> int:
        from outlast import api

        measured = api.measure(
            [Path(file) for file in files],
            format=read_as,
            unit=unit,
            column=column,
            metric=metric,
            labels=labels,
            tag=tag,
            lost=lost_samples,
            confidence=sure,
        )
        report(layout, "measure", measured)
        return 0

    end(layout, run)


def rules(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="A relation or a kind: its whole page.", show_default=False, **offering(known_names)
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="KIND", help="Only what may concern this kind.", **offering(known_kinds)),
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", metavar="WORDS", help="Only what has all these words in it.")
    ] = None,
    layout: Layout = "text",
) -> None:
    """Show the catalogue: what must outlast what in real software."""
    if name is not None and (kind is not None or search is not None):
        raise typer.BadParameter("expected a name, or --kind and --search, found both", param_hint="'NAME'")

    def run() -> int:
        from outlast import api

        if name is not None:
            report(layout, "page", api.page(name))
        else:
            report(layout, "rules", api.rules(kind=kind, search=search))
        return 0

    end(layout, run)
