"""Commands that judge a spec: check, explain, why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from outlast.commands.completing import names_of_spec, offering
from outlast.commands.ending import (
    FINDINGS,
    UNDECIDED,
    UNUSABLE,
    code_of,
    end,
    is_as_loud,
    report,
    tell_baseline,
    tell_mended,
    tell_notes,
)
from outlast.commands.options import (
    Baseline,
    Effort,
    FailOn,
    FindingLayout,
    Layout,
    NewBaseline,
    Outputs,
    Overrides,
    Root,
    Spec,
    TimeLimit,
    Today,
    baseline_of,
    file_of,
    folder_of,
    outputs_of,
    seconds_of,
    spec_path,
    steps_of,
    today_of,
    whole,
)

__all__ = ["check", "explain", "why"]


def check(
    spec: Spec = "outlast.yaml",
    layout: FindingLayout = "text",
    outputs: Outputs = None,
    overrides: Overrides = None,
    root: Root = None,
    known_only: Annotated[bool, typer.Option("--known-only", help="Leave out rules about values not known.")] = False,
    fail_on: FailOn = "warning",
    today: Today = None,
    baseline: Baseline = None,
    write_baseline: NewBaseline = None,
) -> None:
    """Audit the values in use: which rules do they break?"""

    files = outputs_of(outputs)
    day = today_of(today)
    before, after = file_of(baseline, "--baseline"), baseline_of(write_baseline, files)

    def run() -> int:
        from outlast import api

        outcome = api.check(
            spec_path(spec),
            overrides=overrides or (),
            root=folder_of(root),
            known_only=known_only,
            today=day,
            baseline=before,
        )
        tell_notes(outcome.spec.notes)
        report(layout, "check", outcome, files)
        if after is not None:
            return tell_baseline(after, api.write_baseline(after, outcome))
        tell_mended(baseline, outcome.mended)
        if any(is_as_loud(f, fail_on) for f in outcome.findings):
            return FINDINGS
        return UNUSABLE if all(c.rule.rule.is_bound for c in outcome.rules.values()) else 0

    end(layout, run, files)


def explain(
    spec: Spec = "outlast.yaml",
    current: Annotated[bool, typer.Option("--current", help="Hold free parameters at their values in use.")] = False,
    limit: Annotated[
        str | None,
        typer.Option(metavar="N", help="At most so many conflicts and ways out of a group; all unless given."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Tell the items of each conflict and its proof, too.")] = False,
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    layout: FindingLayout = "text",
    outputs: Outputs = None,
    overrides: Overrides = None,
    root: Root = None,
) -> None:
    """Tell everything that cannot hold together, and every way out."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)
    most = None if limit is None else whole(limit, "--limit", least=1)
    files = outputs_of(outputs)

    def run() -> int:
        from outlast import api

        account = api.explain(
            spec_path(spec),
            current=current,
            limit=most,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=folder_of(root),
        )
        tell_notes(account.spec.notes)
        report(layout, "explain", account, files, full=full)
        if any(group.is_must for group in account.groups):
            return FINDINGS
        return 0 if account.undecided is None else UNDECIDED

    end(layout, run, files)


def why(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[SPEC] NAME[=VALUE]",
            help="What is asked about: a parameter, a measurement or a rule; with a value, what that would break.",
            show_default=False,
            **offering(names_of_spec),
        ),
    ],
    time_limit: TimeLimit = "60s",
    effort: Effort = None,
    layout: Layout = "text",
    overrides: Overrides = None,
    root: Root = None,
) -> None:
    """Tell why a value is what it is, or what another would break."""
    seconds = seconds_of(time_limit)
    steps = steps_of(effort)
    if len(words) > 2:
        raise typer.BadParameter(f"expected a spec and a name, found {len(words)} words", param_hint="'NAME'")
    name, equals, value = words[-1].partition("=")
    path = spec_path(words[0] if len(words) == 2 else "outlast.yaml")

    def run() -> int:
        from outlast import api

        if equals:
            return _what_if(path, name, value, seconds, steps, overrides or (), folder_of(root), layout)
        found = api.why(path, name, time_limit=seconds, effort=steps, overrides=overrides or (), root=folder_of(root))
        tell_notes(found.spec.notes)
        report(layout, "why", found)
        return code_of(found.outcome)

    end(layout, run)


def _what_if(
    path: Path, name: str, value: str, seconds: float, steps: int | None, overrides: Sequence[str],
    root: Path | None, layout: str,
) -> int:  # fmt: skip
    from outlast import api

    found = api.what_if(path, name, value, time_limit=seconds, effort=steps, overrides=overrides, root=root)
    tell_notes(found.now.spec.notes)
    report(layout, "what_if", found)
    if found.works:
        return 0
    return UNDECIDED if found.undecided is not None and not found.groups else FINDINGS
