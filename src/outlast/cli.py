"""The command line: parses, calls the api, renders, chooses the exit code; nothing else."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

try:
    import typer
    from typer.core import TyperCommand, TyperGroup
except KeyboardInterrupt:
    sys.stderr.write("interrupted\n")
    raise SystemExit(130) from None

if TYPE_CHECKING:
    from outlast.configs.recognise.found import Found
    from outlast.constraints.check import Finding
    from outlast.constraints.errors import OutlastError
    from outlast.constraints.model import Note
    from outlast.solver.outcome import SolveOutcome

__all__ = ["app", "main"]

_FINDINGS: Final = 1
_UNUSABLE: Final = 2
_UNDECIDED: Final = 3
_INTERRUPTED: Final = 130

#: Reports that share a module with another one.
_MODULES: Final = {"what_if": "why", "page": "rules"}

#: Severities, the loudest first.
_LOUDNESS: Final = ("error", "warning", "advice")

#: What an output says that takes no more.
_UNWRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


class _AsText:
    """A parameter's value as the text that was typed."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value as it is; of one that may be repeated, none is an empty sequence."""
        return () if value is None and (param.multiple or param.nargs == -1) else value


def _leave_texts_alone(params: Sequence[Any]) -> None:
    """Keep typer from importing pydantic, which would take as long as everything else together.

    All our parameters are flags or texts, which need no conversion; a typer that has no such attribute converts them its own way.
    """
    for param in params:
        if hasattr(param, "_runtime_param"):
            param._runtime_param = _AsText()


class _Command(TyperCommand):
    """A command with flags and texts only."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _leave_texts_alone(self.get_params(ctx))
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


class _Group(TyperGroup):
    """The same for what stands before the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _leave_texts_alone(self.get_params(ctx))
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


def _one_of(*words: str) -> Callable[[str | None], str | None]:
    def check_word(value: str | None) -> str | None:
        if value is not None and value not in words:
            raise typer.BadParameter(f"expected one of {', '.join(words)}, found {value!r}")
        return value

    return check_word


def _choice(*flags: str, of: Sequence[str], text: str) -> Any:
    return typer.Option(*flags, metavar=f"[{'|'.join(of)}]", help=text, callback=_one_of(*of))


app = typer.Typer(
    name="outlast",
    cls=_Group,
    help="Timeouts that hold together, and why.",
    epilog="Exit codes: 0 all holds, 1 findings or conflict, 2 unusable input, 3 undecided, 130 interrupted.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Spec = Annotated[str, typer.Argument(metavar="SPEC", help="The spec, or a folder with an outlast.yaml.")]
_Layout = Annotated[str, _choice("--format", "-f", of=("text", "json", "markdown"), text="Layout of the report.")]
_FailOn = Annotated[str, _choice("--fail-on", of=_LOUDNESS, text="The quietest finding that makes exit code 1.")]
_Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Use this value instead; may be repeated.")
]
_Root = Annotated[
    str | None, typer.Option("--root", metavar="DIR", help="Allow files below this folder, too.", show_default=False)
]
_Objective = Annotated[
    str,
    _choice(
        "--objective",
        of=("margin", "closest", "feasible"),
        text="The most headroom, the fewest and smallest changes, or any values.",
    ),
]
_Exact = Annotated[bool, typer.Option("--exact", help="Do not make values round.")]
_TimeLimit = Annotated[str, typer.Option(metavar="TIME", help="Give up after so long: 10, 10s, 500ms.")]
_Effort = Annotated[
    str | None, typer.Option(metavar="N", help="Give up after so many steps of z3, the same on every machine.")
]


def main() -> None:
    """Run the command line; ends the process."""
    code = _INTERRUPTED
    with suppress(KeyboardInterrupt):
        code = _run()
    if code == _INTERRUPTED:
        with suppress(OSError):
            sys.stderr.write("interrupted\n")
    raise SystemExit(code)


def _run() -> int:
    from outlast.reports.output import set_up_streams

    set_up_streams()
    try:
        code = app(standalone_mode=False, prog_name="outlast")
    except typer.Abort:
        return _INTERRUPTED
    except OSError as error:
        # What cannot be read is told where it is read.
        if error.errno not in _UNWRITABLE:
            return _own_mistake(error)
        from outlast.reports.output import tell_unwritable

        tell_unwritable(error)
        return _UNUSABLE
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):  # wrong usage, told by typer
            error.show()
            return _UNUSABLE
        return _own_mistake(error)
    return code if isinstance(code, int) else 0


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        from outlast import __version__
        from outlast.reports.output import write

        write(f"outlast {__version__}\n")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        from outlast.reports.output import tell_block

        tell_block(context.get_help())
        raise typer.Exit(_UNUSABLE)


@app.command(cls=_Command)
def check(
    spec: _Spec = "outlast.yaml",
    layout: _Layout = "text",
    overrides: _Set = None,
    root: _Root = None,
    known_only: Annotated[bool, typer.Option("--known-only", help="Leave out rules about values not known.")] = False,
    fail_on: _FailOn = "warning",
) -> None:
    """Audit the values in use: which rules do they break?"""

    def run() -> int:
        from outlast import api

        outcome = api.check(_spec_path(spec), overrides=overrides or (), root=_folder(root), known_only=known_only)
        _tell_notes(outcome.spec.notes)
        _report(layout, "check", outcome)
        if any(_is_as_loud(f, fail_on) for f in outcome.findings):
            return _FINDINGS
        return _UNUSABLE if all(c.rule.rule.is_bound for c in outcome.rules.values()) else 0

    _end(layout, run)


@app.command(cls=_Command)
def solve(
    spec: _Spec = "outlast.yaml",
    objective: _Objective = "margin",
    exact: _Exact = False,
    time_limit: _TimeLimit = "60s",
    effort: _Effort = None,
    layout: _Layout = "text",
    overrides: _Set = None,
    root: _Root = None,
) -> None:
    """Find values with the most headroom, or nearest to those in use, or what cannot hold together."""
    seconds = _seconds(time_limit)
    steps = _steps(effort)

    def run() -> int:
        from outlast import api

        outcome = api.solve(
            _spec_path(spec),
            objective=objective,
            exact=exact,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=_folder(root),
        )
        _tell_notes(outcome.spec.notes)
        _report(layout, "solve", outcome)
        return _code_of(outcome)

    _end(layout, run)


@app.command(cls=_Command)
def apply(
    spec: _Spec = "outlast.yaml",
    write: Annotated[
        bool, typer.Option("--write", help="Write the files; without it, only show what would change.")
    ] = False,
    objective: _Objective = "margin",
    exact: _Exact = False,
    time_limit: _TimeLimit = "60s",
    effort: _Effort = None,
    layout: _Layout = "text",
    overrides: _Set = None,
    root: _Root = None,
) -> None:
    """Bring the values that solve finds into the files that hold them."""
    seconds = _seconds(time_limit)
    steps = _steps(effort)

    def run() -> int:
        from outlast import api

        applied = api.apply(
            _spec_path(spec),
            write=write,
            objective=objective,
            exact=exact,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=_folder(root),
        )
        _tell_notes(applied.notes)
        _report(layout, "apply", applied)
        if applied.checked is not None and applied.checked.has_errors:
            return _FINDINGS
        return _code_of(applied.solved)

    _end(layout, run)


@app.command(cls=_Command)
def generate(
    spec: _Spec = "outlast.yaml",
    output: Annotated[
        str | None,
        _choice(
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
    objective: _Objective = "margin",
    exact: _Exact = False,
    time_limit: _TimeLimit = "60s",
    effort: _Effort = None,
    layout: _Layout = "text",
    overrides: _Set = None,
    root: _Root = None,
) -> None:
    """Write a new file with the values that solve finds, each with its reason."""
    seconds = _seconds(time_limit)
    steps = _steps(effort)
    if output is None:
        raise typer.BadParameter("expected what to write, such as --as go", param_hint="'--as'")
    if to == "":
        raise typer.BadParameter("expected the name of a file, or - for stdout, found nothing", param_hint="'--output'")

    def run() -> int:
        from outlast import api

        made = api.generate(
            _spec_path(spec),
            output,
            to=None if to is None or to == "-" else Path(to),
            force=force,
            package=package,
            components=component or (),
            objective=objective,
            exact=exact,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=_folder(root),
        )
        _tell_notes((*made.solved.spec.notes, *made.notes))
        if layout == "text" and made.text is not None and made.file is None:
            from outlast.reports.output import write

            write(made.text)
        else:
            _report(layout, "generate", made)
        return _code_of(made.solved)

    _end(layout, run)


@app.command(cls=_Command)
def explain(
    spec: _Spec = "outlast.yaml",
    current: Annotated[bool, typer.Option("--current", help="Hold free parameters at their values in use.")] = False,
    limit: Annotated[
        str | None,
        typer.Option(metavar="N", help="At most so many conflicts and ways out of a group; all unless given."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Tell the items of each conflict and its proof, too.")] = False,
    time_limit: _TimeLimit = "60s",
    effort: _Effort = None,
    layout: _Layout = "text",
    overrides: _Set = None,
    root: _Root = None,
) -> None:
    """Tell everything that cannot hold together, and every way out."""
    seconds = _seconds(time_limit)
    steps = _steps(effort)
    most = None if limit is None else _whole(limit, "--limit", least=1)

    def run() -> int:
        from outlast import api

        account = api.explain(
            _spec_path(spec),
            current=current,
            limit=most,
            time_limit=seconds,
            effort=steps,
            overrides=overrides or (),
            root=_folder(root),
        )
        _tell_notes(account.spec.notes)
        _report(layout, "explain", account, full=full)
        if any(group.is_must for group in account.groups):
            return _FINDINGS
        return 0 if account.undecided is None else _UNDECIDED

    _end(layout, run)


@app.command(cls=_Command)
def why(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[SPEC] NAME[=VALUE]",
            help="What is asked about: a parameter, a measurement or a rule; with a value, what that would break.",
            show_default=False,
        ),
    ],
    time_limit: _TimeLimit = "60s",
    effort: _Effort = None,
    layout: _Layout = "text",
    overrides: _Set = None,
    root: _Root = None,
) -> None:
    """Tell why something is as it is, or what another value would break."""
    seconds = _seconds(time_limit)
    steps = _steps(effort)
    if len(words) > 2:
        raise typer.BadParameter(f"expected a spec and a name, found {len(words)} words", param_hint="'NAME'")
    name, equals, value = words[-1].partition("=")
    path = _spec_path(words[0] if len(words) == 2 else "outlast.yaml")

    def run() -> int:
        from outlast import api

        if equals:
            return _what_if(path, name, value, seconds, steps, overrides or (), _folder(root), layout)
        found = api.why(path, name, time_limit=seconds, effort=steps, overrides=overrides or (), root=_folder(root))
        _tell_notes(found.spec.notes)
        _report(layout, "why", found)
        return _code_of(found.outcome)

    _end(layout, run)


def _what_if(
    path: Path, name: str, value: str, seconds: float, steps: int | None, overrides: Sequence[str],
    root: Path | None, layout: str,
) -> int:  # fmt: skip
    from outlast import api

    found = api.what_if(path, name, value, time_limit=seconds, effort=steps, overrides=overrides, root=root)
    _tell_notes(found.now.spec.notes)
    _report(layout, "what_if", found)
    if found.works:
        return 0
    return _UNDECIDED if found.undecided is not None and not found.groups else _FINDINGS


@app.command(cls=_Command)
def lint(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="Files and folders; this one unless given.")
    ] = None,
    fail_on: _FailOn = "warning",
    layout: _Layout = "text",
) -> None:
    """Look at files without a spec: which of their timeouts cannot be right together?"""

    def run() -> int:
        from outlast import api

        linted = api.lint([Path(path) for path in paths or ["."]])
        _tell_unread(linted.found)
        _report(layout, "lint", linted)
        return _FINDINGS if any(_is_as_loud(told.finding, fail_on) for told in linted.findings) else 0

    _end(layout, run)


@app.command(cls=_Command)
def init(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="Files and folders; this one unless given.")
    ] = None,
    to: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; - is stdout.")
    ] = "outlast.yaml",
    force: Annotated[bool, typer.Option("--force", help="Overwrite a spec that is there.")] = False,
    layout: _Layout = "text",
) -> None:
    """Write a first spec from what the files show, with questions where a human must decide."""
    if to == "":
        raise typer.BadParameter("expected the name of a file, or - for stdout, found nothing", param_hint="'--output'")

    def run() -> int:
        from outlast import api

        made = api.init([Path(path) for path in paths or ["."]], to=None if to == "-" else Path(to), force=force)
        _tell_unread(made.found)
        if layout == "text" and made.file is None:
            from outlast.reports.output import write

            write(made.text)
        else:
            _report(layout, "init", made)
        return 0

    _end(layout, run)


@app.command(cls=_Command)
def rules(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A relation or a kind: its whole page.", show_default=False)
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only what may concern this kind.")] = None,
    search: Annotated[
        str | None, typer.Option("--search", metavar="WORDS", help="Only what has all these words in it.")
    ] = None,
    layout: _Layout = "text",
) -> None:
    """Look into the catalogue: what is known of real software, and what must outlast what."""
    if name is not None and (kind is not None or search is not None):
        raise typer.BadParameter("expected a name, or --kind and --search, found both", param_hint="'NAME'")

    def run() -> int:
        from outlast import api

        if name is not None:
            _report(layout, "page", api.page(name))
        else:
            _report(layout, "rules", api.rules(kind=kind, search=search))
        return 0

    _end(layout, run)


@app.command(cls=_Command)
def settings(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="Files and folders; this one unless given.")
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Show every setting, not only what is likely a duration.")
    ] = False,
    layout: _Layout = "text",
) -> None:
    """List the timeouts in files: where each stands, how a spec refers to it, and what it says."""

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
        _report(layout, "settings", listing)
        return _UNUSABLE if any(problem.is_named for problem in listing.problems) else 0

    _end(layout, run)


@app.command(cls=_Command)
def measure(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Measured files.", show_default=False)],
    read_as: Annotated[
        str | None,
        _choice(
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
    layout: _Layout = "text",
) -> None:
    """Show the quantiles of measured files with their confidence bounds."""
    labels = dict(_label(text) for text in label) if label else None
    sure = _share(confidence)
    lost_samples = _whole(lost, "--lost")

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
        _report(layout, "measure", measured)
        return 0

    _end(layout, run)


# Options.


def _spec_path(spec: str) -> Path:
    path = Path(spec)
    return path / "outlast.yaml" if os.path.isdir(spec) else path


def _folder(root: str | None) -> Path | None:
    if root is None:
        return None
    if not os.path.isdir(root):
        raise typer.BadParameter(f"expected a folder, found {root!r}", param_hint="'--root'")
    return Path(root)


def _whole(text: str, option: str, least: int = 0) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= least):
        raise typer.BadParameter(f"expected a whole number from {least} on, found {text!r}", param_hint=f"'{option}'")
    return int(text)


def _steps(effort: str | None) -> int | None:
    return None if effort is None else _whole(effort, "--effort", least=1)


def _seconds(text: str) -> float:
    """The only floating-point number: a limit of the clock, in which nothing is decided exactly."""
    from outlast.constraints.quantities import QuantityError, parse_duration

    try:
        seconds = float(parse_duration(text, bare_unit="s") / 10**9)
    except QuantityError as error:
        raise typer.BadParameter(error.message, param_hint="'--time-limit'") from None
    if seconds <= 0:
        raise typer.BadParameter("expected a time above 0", param_hint="'--time-limit'")
    return seconds


def _share(text: str) -> Fraction:
    from outlast.constraints.quantities import Kind, QuantityError, parse_quantity

    try:
        quantity = parse_quantity(text)
    except QuantityError as error:
        raise typer.BadParameter(error.message, param_hint="'--confidence'") from None
    value = quantity.value
    if quantity.kind is not Kind.RATIO or not isinstance(value, Fraction) or not 0 < value < 1:
        raise typer.BadParameter("expected a share between 0% and 100%, such as 95%", param_hint="'--confidence'")
    return value


def _label(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise typer.BadParameter(f"expected KEY=VALUE, found {text!r}", param_hint="'--label'")
    return key, value


# Ends.


def _end(layout: str, run: Callable[[], int]) -> None:
    """Run a command's body and leave with its exit code; wrong input is told."""
    from outlast.constraints.errors import InputErrors, OutlastError

    try:
        code = run()
    except OutlastError as error:
        code = _complain([error], layout)
    except InputErrors as group:
        code = _complain([e for e in group.exceptions if isinstance(e, OutlastError)], layout)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    raise typer.Exit(code)


def _is_as_loud(finding: Finding, fail_on: str) -> bool:
    return _LOUDNESS.index(finding.severity.value) <= _LOUDNESS.index(fail_on)


def _code_of(outcome: SolveOutcome) -> int:
    """The exit code of a search."""
    return {"conflict": _FINDINGS, "undecided": _UNDECIDED}.get(outcome.status.value, 0)


def _complain(errors: Sequence[OutlastError], layout: str) -> int:
    from outlast.constraints.errors import Place
    from outlast.reports.output import tell, write

    ordered = sorted(errors, key=lambda error: (error.place or Place("", 0, 0), error.message))
    for error in ordered:
        tell(f"{error.place or 'outlast'}: {error.message}")
    tell(f"outlast: {len(ordered)} error{'' if len(ordered) == 1 else 's'}; nothing was computed")
    if layout == "json":
        from outlast.reports.data import as_text, error_data

        write(as_text(error_data(ordered)))
    return _UNUSABLE


def _report(layout: str, name: str, outcome: object, **options: bool) -> None:
    """Write what came out, as `outlast.reports` lays `name` out: only the layout that is asked for is imported."""
    from importlib import import_module

    from outlast.reports.output import show, write

    module = _MODULES.get(name, name)
    if layout == "json":
        from outlast.reports.data import as_text

        write(as_text(getattr(import_module(f"outlast.reports.{module}_data"), f"{name}_data")(outcome)))
        return
    document = getattr(import_module(f"outlast.reports.{module}"), f"{name}_document")(outcome, **options)
    if layout == "markdown":
        from outlast.reports.markdown import markdown

        write(markdown(document))
    else:
        show(document)


def _tell_notes(notes: Sequence[Note]) -> None:
    from outlast.reports.output import tell

    for note in notes:
        tell(f"{note.place}: note: {note.message}")


def _tell_unread(found: Found) -> None:
    from outlast.reports.output import tell

    for problem in found.problems:
        tell(f"{problem.place or 'outlast'}: note: {problem.message}; not read")


def _own_mistake(error: Exception) -> int:
    from outlast.reports.output import tell

    if os.environ.get("OUTLAST_DEBUG"):
        import traceback

        traceback.print_exception(error)
    else:
        tell(
            f"outlast: this is a mistake of outlast, not of yours: {type(error).__name__}: {error}; "
            "please report it with the spec and with what OUTLAST_DEBUG=1 shows"
        )
    return _UNUSABLE
