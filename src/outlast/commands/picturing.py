"""Commands that draw: timeline, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from outlast.commands.completing import names_of_spec, offering
from outlast.commands.ending import FINDINGS, UNDECIDED, end, tell_notes, write_page
from outlast.commands.ending import report as tell
from outlast.commands.options import (
    Effort,
    Exact,
    Layout,
    Overrides,
    Root,
    Spec,
    TimeLimit,
    Today,
    folder_of,
    seconds_of,
    spec_path,
    steps_of,
    target_of,
    today_of,
)

__all__ = ["report", "timeline"]

Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that outlast did not generate.")]


def timeline(
    spec: Spec = "outlast.yaml",
    rule: Annotated[
        str | None,
        typer.Argument(
            metavar="[RULE]", help="A rule, relation or picture; all unless given.", **offering(names_of_spec)
        ),
    ] = None,
    current: Annotated[bool, typer.Option("--current", help="Draw the values in use.")] = False,
    recommended: Annotated[bool, typer.Option("--recommended", help="Draw the values that solve finds.")] = False,
    to: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.svg",
            help="Write the pictures as SVG, too; with - to stdout, and nothing else.",
        ),
    ] = None,
    force: Force = False,
    exact: Exact = False,
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    layout: Layout = "text",
    overrides: Overrides = None,
    root: Root = None,
) -> None:
    """Draw what happens when, and which clock ends first. The values in use and the recommended ones stand side by side."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)
    file = _file_of(to, (".svg",), "a picture")

    def run() -> int:
        from outlast import api

        pictured = api.timeline(
            spec_path(spec),
            rule,
            current=current,
            recommended=recommended,
            exact=exact,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=folder_of(root),
        )
        tell_notes(pictured.spec.notes)
        if to is not None and pictured.panels:
            from outlast.reports.timeline_svg import timeline_svg

            write_page(file, timeline_svg(pictured), pictured.spec, force=force)
        if to != "-":
            tell(layout, "timeline", pictured)
        return _code(pictured.status)

    end(layout, run)


def report(
    spec: Spec = "outlast.yaml",
    to: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE.html", help="Where to write it; to stdout unless given, or -."),
    ] = None,
    force: Force = False,
    today: Today = None,
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    overrides: Overrides = None,
    root: Root = None,
) -> None:
    """Write a page about a spec: values, rules, conflicts, pictures, decisions; with sliders that judge every rule again."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)
    day = today_of(today)
    file = _file_of(to, (".html", ".htm"), "a page")

    def run() -> int:
        from outlast import api

        reported = api.report(
            spec_path(spec),
            today=day,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=folder_of(root),
        )
        from outlast.reports.page.page import page_text

        tell_notes(reported.spec.notes)
        write_page(file, page_text(reported), reported.spec, force=force)
        return _code(reported.status)

    end("text", run)


def _code(status: str) -> int:
    return {"holds": 0, "undecided": UNDECIDED}.get(status, FINDINGS)


def _file_of(to: str | None, endings: tuple[str, ...], what: str) -> Path | None:
    """The file to write, whose name says what is in it."""
    file = target_of(to)
    if file is not None and file.suffix.lower() not in endings:
        message = f"expected the name of {what}, ending in {endings[0]}, found {str(file)!r}"
        raise typer.BadParameter(message, param_hint="'--output'")
    return file
