"""Options that commands share, and what their texts mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from outlast.commands.completing import offering

__all__ = [
    "FORMATS",
    "LOUDNESS",
    "Baseline",
    "Command",
    "Effort",
    "Exact",
    "FailOn",
    "FindingLayout",
    "Group",
    "Layout",
    "NewBaseline",
    "Objective",
    "Outputs",
    "Overrides",
    "Root",
    "Spec",
    "TimeLimit",
    "Today",
    "baseline_of",
    "choice",
    "file_of",
    "folder_of",
    "label_of",
    "outputs_of",
    "seconds_of",
    "share_of",
    "spec_path",
    "steps_of",
    "target_of",
    "today_of",
    "whole",
]

#: Severities, the loudest first.
LOUDNESS: Final = ("error", "warning", "advice")


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


class Command(TyperCommand):
    """A command with flags and texts only."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does, with texts left alone."""
        _leave_texts_alone(self.get_params(ctx))
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


class Group(TyperGroup):
    """The same for what stands before the command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does, with texts left alone."""
        _leave_texts_alone(self.get_params(ctx))
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


def _one_of(*words: str) -> Callable[[str | None], str | None]:
    def check_word(value: str | None) -> str | None:
        if value is not None and value not in words:
            raise typer.BadParameter(f"expected one of {', '.join(words)}, found {value!r}")
        return value

    return check_word


def choice(*flags: str, of: Sequence[str], text: str) -> Any:
    """An option that takes one of some words."""
    return typer.Option(*flags, metavar=f"[{'|'.join(of)}]", help=text, callback=_one_of(*of), **offering(of))


Spec = Annotated[str, typer.Argument(metavar="SPEC", help="The spec, or a folder with an outlast.yaml.")]
Layout = Annotated[str, choice("--format", "-f", of=("text", "json", "markdown"), text="Layout of the report.")]
#: What commands that find things can be told in.
FORMATS: Final = ("text", "json", "markdown", "sarif", "junit", "github", "gitlab")
FindingLayout = Annotated[str, choice("--format", "-f", of=FORMATS, text="Layout of the report.")]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output", metavar="FORMAT=FILE", help="Write the report to a file as well, in any format; may be repeated."
    ),
]
FailOn = Annotated[str, choice("--fail-on", of=LOUDNESS, text="The quietest finding that makes exit code 1.")]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Use this value instead; may be repeated.")
]
Root = Annotated[
    str | None, typer.Option("--root", metavar="DIR", help="Allow files below this folder, too.", show_default=False)
]
Objective = Annotated[
    str,
    choice(
        "--objective",
        of=("margin", "closest", "feasible"),
        text="The most headroom, the fewest and smallest changes, or any values.",
    ),
]
Exact = Annotated[bool, typer.Option("--exact", help="Do not make values round.")]
TimeLimit = Annotated[str, typer.Option(metavar="TIME", help="Give up after so long: 10, 10s, 500ms.")]
Today = Annotated[
    str | None,
    typer.Option("--today", metavar="DATE", help="Take this for today's date, as in 2027-01-31.", show_default=False),
]
Baseline = Annotated[
    str | None,
    typer.Option("--baseline", metavar="FILE", help="Do not count the findings in this file.", show_default=False),
]
NewBaseline = Annotated[
    str | None,
    typer.Option(
        "--write-baseline", metavar="FILE", help="Write all findings to this file, and do not fail.", show_default=False
    ),
]
Effort = Annotated[
    str | None, typer.Option(metavar="N", help="Give up after so many steps of z3, the same on every machine.")
]


def spec_path(spec: str) -> Path:
    """The spec that a word of the command line means."""
    path = Path(spec)
    return path / "outlast.yaml" if os.path.isdir(spec) else path


def file_of(name: str | None, option: str) -> Path | None:
    """The file that an option names; None: it is not given."""
    if name == "" or (name is not None and "\0" in name):
        raise typer.BadParameter("expected the name of a file, found nothing", param_hint=f"'{option}'")
    return None if name is None else Path(name)


def target_of(name: str | None) -> Path | None:
    """The file that `--output FILE` names; None: stdout, which is - or what is not given."""
    if name == "":
        message = "expected the name of a file, or - for stdout, found nothing"
        raise typer.BadParameter(message, param_hint="'--output'")
    return None if name is None or name == "-" else Path(name)


def baseline_of(name: str | None, outputs: Sequence[tuple[str, str]]) -> Path | None:
    """The file that `--write-baseline` names, which gets no report as well; None: it is not given."""
    path = file_of(name, "--write-baseline")
    if path is not None and any(os.path.realpath(path) == os.path.realpath(file) for _, file in outputs):
        message = f"expected another file than one of --output, found {name!r}"
        raise typer.BadParameter(message, param_hint="'--write-baseline'")
    return path


def folder_of(root: str | None) -> Path | None:
    """The folder that `--root` names; None: it is not given."""
    if root is None:
        return None
    if not os.path.isdir(root):
        raise typer.BadParameter(f"expected a folder, found {root!r}", param_hint="'--root'")
    return Path(root)


def whole(text: str, option: str, least: int = 0) -> int:
    """A whole number of an option."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= least):
        raise typer.BadParameter(f"expected a whole number from {least} on, found {text!r}", param_hint=f"'{option}'")
    return int(text)


def steps_of(effort: str | None) -> int | None:
    """What `--effort` says."""
    return None if effort is None else whole(effort, "--effort", least=1)


def today_of(text: str | None) -> date | None:
    """What `--today` says; None: what the clock says."""
    if text is None:
        return None
    try:
        if len(text) != len("2027-01-31"):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"expected a date, such as 2027-01-31, found {text!r}", param_hint="'--today'"
        ) from None


def outputs_of(texts: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
    """What `--output` says each time: a format and a file."""
    found: list[tuple[str, str]] = []
    taken: dict[str, str] = {}
    for text in texts or ():
        layout, equals, file = text.partition("=")
        problem = None
        if not equals or not file or layout not in FORMATS:
            problem = f"expected FORMAT=FILE with a format of {', '.join(FORMATS)}, found {text!r}"
        elif file == "-":
            problem = f"expected the name of a file, found {text!r}; stdout gets what --format says"
        elif "\0" in file:
            problem = f"expected the name of a file, found {text!r}"
        elif file.casefold().endswith((".yaml", ".yml")):
            problem = f"expected the name of a report, found {text!r}, which names what outlast reads"
        elif (first := taken.setdefault(os.path.realpath(file), text)) is not text:
            problem = f"expected a file for each format, found {first!r} and {text!r}"
        if problem is not None:
            raise typer.BadParameter(problem, param_hint="'--output'")
        found.append((layout, file))
    return tuple(found)


def seconds_of(text: str) -> float:
    """The only floating-point number: a limit of the clock, in which nothing is decided exactly."""
    from outlast.constraints.quantities import QuantityError, parse_duration

    try:
        seconds = float(parse_duration(text, bare_unit="s") / 10**9)
    except QuantityError as error:
        raise typer.BadParameter(error.message, param_hint="'--time-limit'") from None
    if seconds <= 0:
        raise typer.BadParameter("expected a time above 0", param_hint="'--time-limit'")
    return seconds


def share_of(text: str) -> Fraction:
    """What `--confidence` says, between 0 and 1."""
    from outlast.constraints.quantities import Kind, QuantityError, parse_quantity

    try:
        quantity = parse_quantity(text)
    except QuantityError as error:
        raise typer.BadParameter(error.message, param_hint="'--confidence'") from None
    value = quantity.value
    if quantity.kind is not Kind.RATIO or not isinstance(value, Fraction) or not 0 < value < 1:
        raise typer.BadParameter("expected a share between 0% and 100%, such as 95%", param_hint="'--confidence'")
    return value


def label_of(text: str) -> tuple[str, str]:
    """What `--label` says: a key and its value."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise typer.BadParameter(f"expected KEY=VALUE, found {text!r}", param_hint="'--label'")
    return key, value
