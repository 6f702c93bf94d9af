"""Commands that find values and write files: solve, apply, generate."""

from __future__ import annotations

from typing import Annotated

import typer

from outlast.commands.ending import FINDINGS, code_of, end, report, tell_notes
from outlast.commands.options import (
    Effort,
    Exact,
    FindingLayout,
    Layout,
    Objective,
    Outputs,
    Overrides,
    Root,
    Spec,
    TimeLimit,
    choice,
    folder_of,
    outputs_of,
    seconds_of,
    spec_path,
    steps_of,
    target_of,
)

__all__ = ["apply", "generate", "solve"]


def solve(
    spec: Spec = "outlast.yaml",
    objective: Objective = "margin",
    exact: Exact = False,
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    layout: FindingLayout = "text",
    outputs: Outputs = None,
    overrides: Overrides = None,
    root: Root = None,
) -> None:
    """Find values that hold together, with the most headroom. Where there are none, tell what cannot hold together."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)
    files = outputs_of(outputs)

    def run() -> int:
        from outlast import api

        outcome = api.solve(
            spec_path(spec),
            objective=objective,
            exact=exact,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=folder_of(root),
        )
        tell_notes(outcome.spec.notes)
        report(layout, "solve", outcome, files)
        return code_of(outcome)

    end(layout, run, files)


def apply(
    spec: Spec = "outlast.yaml",
    write: Annotated[
        bool, typer.Option("--write", help="Write the files; without it, only show what would change.")
    ] = False,
    objective: Objective = "margin",
    exact: Exact = False,
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    layout: Layout = "text",
    overrides: Overrides = None,
    root: Root = None,
) -> None:
    """Bring the values that solve finds into their files."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)

    def run() -> int:
        from outlast import api

        applied = api.apply(
            spec_path(spec),
            write=write,
            objective=objective,
            exact=exact,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=folder_of(root),
        )
        tell_notes(applied.notes)
        report(layout, "apply", applied)
        if applied.checked is not None and applied.checked.has_errors:
            return FINDINGS
        return code_of(applied.solved)

    end(layout, run)


def generate(
    spec: Spec = "outlast.yaml",
    made_as: Annotated[
        str | None,
        choice(
            "--as",
            of=(
                *("go", "typescript", "python", "java", "env", "properties", "json", "yaml", "toml", "tfvars"),
                *("nginx", "haproxy", "envoy", "apache", "k8s", "compose", "terraform", "spring", "go-code", "node"),
                "gunicorn",
            ),
            text="What to write: constants of a language, settings, or from nginx on what the software of components reads.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write it; to stdout unless given, or -."),
    ] = None,
    package: Annotated[
        str | None,
        typer.Option("--package", metavar="NAME", help="Of Go (timeouts unless given) or Java (none unless given)."),
    ] = None,
    component: Annotated[
        list[str] | None,
        typer.Option(
            "--component",
            metavar="NAME",
            help="Only this component's configuration; may be repeated; all that the file can hold unless given.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that outlast did not generate.")] = False,
    objective: Objective = "margin",
    exact: Exact = False,
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    layout: Layout = "text",
    overrides: Overrides = None,
    root: Root = None,
) -> None:
    """Write a new file with the values that solve finds. Each comes with its reason."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)
    if made_as is None:
        raise typer.BadParameter("expected what to write, such as --as go", param_hint="'--as'")
    file = target_of(to)

    def run() -> int:
        from outlast import api

        made = api.generate(
            spec_path(spec),
            made_as,
            to=file,
            force=force,
            package=package,
            components=component or (),
            objective=objective,
            exact=exact,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=folder_of(root),
        )
        tell_notes((*made.solved.spec.notes, *made.notes))
        if layout == "text" and made.text is not None and made.file is None:
            from outlast.reports.output import write

            write(made.text)
        else:
            report(layout, "generate", made)
        return code_of(made.solved)

    end(layout, run)
