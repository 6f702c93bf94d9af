"""Keeps the manual page true: docs/man/outlast.1 is made of what the command line says of itself.

`python docs/update_man.py` rewrites it; `--check` only tells whether it would change (exit code 1).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import typer

from outlast import __version__
from outlast.cli import app
from outlast.commands.ending import FINDINGS, INTERRUPTED, UNDECIDED, UNUSABLE

__all__ = ["is_stale", "page", "roff"]

ROOT = Path(__file__).resolve().parent.parent
_PAGE = ROOT / "docs/man/outlast.1"
#: Of the release that the page is about; no clock, so that the page is the same every day.
_DAY = "2026-11-30"
#: Of lines in the source, what is escaped not counted.
_WIDTH = 64

_ABOUT = """\
Timeouts have to outlast each other: a server's keep-alive the idle timeout of the balancer in front of it, a deadline all attempts
below it. outlast takes what must hold, from a spec or from the files that are there already, audits the values in use, finds values
with the most headroom, or proves that the requirements cannot hold together and tells which to change and by how much.

A spec is a file called outlast.yaml. Without one, outlast lint shows what files alone tell, and outlast init writes a first spec.
"""
_CODES = (
    (0, "All holds, or values were found."),
    (FINDINGS, "Findings, or a conflict."),
    (UNUSABLE, "Wrong usage, or input that cannot be read or used; nothing was computed."),
    (UNDECIDED, "Undecided within the limits of time or effort."),
    (INTERRUPTED, "Interrupted."),
)
_FILES = (
    ("outlast.yaml", "The spec, unless another one is named. outlast schema describes it to editors."),
    (".gitignore", "What git ignores, outlast lint, outlast init and outlast settings leave out."),
)
_ENVIRONMENT = (
    ("CI", "If set, nothing is said of what is being done while a command takes long."),
    ("COLUMNS", "How wide reports are, instead of as wide as the terminal."),
    ("NO_COLOR", "If set, reports have no colours. They have none either where stdout is no terminal."),
    ("OUTLAST_DEBUG", "If set, a mistake of outlast shows where it happened."),
    ("TERM", "dumb: neither colours nor a line that says what is being done."),
)
_EXAMPLES = (
    ("What is wrong between the timeouts of a folder?", "outlast lint deploy/"),
    ("Which rules do the values in use break?", "outlast check"),
    ("Which values have the most headroom?", "outlast solve"),
    ("What would another value break?", "outlast why deadline=9s"),
    ("Report to a pipeline as well.", "outlast check --output sarif=outlast.sarif --output junit=outlast.xml"),
)


def page() -> str:
    """The manual page in the macros of man(7)."""
    group: Any = typer.main.get_command(app)
    commands: dict[str, Any] = group.commands
    lines = [
        '.\\" Made by docs/update_man.py of what the command line says of itself.',
        f'.TH OUTLAST 1 {_DAY} "outlast {__version__}"',
        ".ad l",
        ".nh",
        ".SH NAME",
        f"outlast \\- {roff(group.help[:1].lower() + group.help[1:].rstrip('.'))}",
        ".SH SYNOPSIS",
        ".B outlast",
        ".I command",
        "[\\fIoption\\fR ...] [\\fIargument\\fR ...]",
        ".br",
        ".B outlast",
        "[\\fB\\-h\\fR | \\fB\\-\\-version\\fR]",
        ".SH DESCRIPTION",
        *_paragraphs(_ABOUT),
        ".PP",
        "Reports go to stdout; notes, and what is wrong with the input, to stderr.",
        "Every command takes \\fB\\-h\\fR or \\fB\\-\\-help\\fR, which shows its options.",
        ".SH COMMANDS",
    ]
    for name, command in commands.items():
        lines += _command(name, command)
    lines += [".SH EXIT STATUS", *_entries((str(code), text) for code, text in _CODES)]
    lines += [".SH ENVIRONMENT", *_entries(_ENVIRONMENT)]
    lines += [".SH FILES", *_entries(_FILES)]
    lines.append(".SH EXAMPLES")
    for number, (text, command) in enumerate(_EXAMPLES):
        lines += [*([".PP"] if number else []), roff(text), ".PP", ".nf", ".RS", roff(command), ".RE", ".fi"]
    lines += [".SH SEE ALSO", ".BR git (1)"]
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    yield f".SS {roff(name)}"
    yield f"\\fBoutlast {roff(name)}\\fR [\\fIoption\\fR ...]{''.join(f' {_placeholder(a)}' for a in arguments)}"
    yield ".PP"
    yield from _sentences(command.help)
    for each in arguments:
        yield ".TP"
        yield _placeholder(each)
        yield from _sentences(_told(each))
    for each in options:
        flags = ", ".join(f"\\fB{roff(flag)}\\fR" for flag in sorted((*each.opts, *each.secondary_opts), key=len))
        takes = "" if each.is_flag else f" \\fI{_breakable(each.metavar or each.name.upper())}\\fR"
        yield ".TP"
        yield flags + takes
        yield from _sentences(_told(each))


def _placeholder(argument: Any) -> str:
    """An argument as usage lines show it."""
    text = argument.metavar or argument.name.upper()
    is_bracketed = text.startswith("[")
    more = " ..." if argument.nargs == -1 and not is_bracketed else ""
    shown = f"\\fI{_breakable(text)}\\fR{more}"
    return shown if argument.required or is_bracketed else f"[{shown}]"


def _breakable(text: str) -> str:
    """A list of words that may go on in the next line."""
    return roff(text).replace("|", "|\\:")


def _told(param: Any) -> str:
    """The help of a parameter, with its default."""
    default = param.default
    is_shown = isinstance(default, str) and default and param.show_default
    return f"{param.help or ''} Default: {default}." if is_shown else param.help or ""


def _entries(entries: Any) -> Iterator[str]:
    for name, text in entries:
        yield ".TP"
        yield f"\\fB{roff(name)}\\fR"
        yield from _sentences(text)


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.strip().split("\n\n")):
        if number:
            yield ".PP"
        yield from _sentences(paragraph)


def _sentences(text: str) -> Iterator[str]:
    """A new line for each sentence, as roff wants it."""
    for sentence in re.split(r"(?<=[.?!])\s+(?=[A-Z])", " ".join(text.split())):
        yield from map(roff, wrap(sentence, _WIDTH, break_on_hyphens=False))


def roff(text: str) -> str:
    """A text as it stands, whatever is in it.

    >>> print(roff(".so it's --all"))
    \\&.so it\\(aqs \\-\\-all
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    escaped = escaped.replace("^", "\\(ha").replace("~", "\\(ti").replace('"', "\\(dq")
    escaped = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in escaped)
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def is_stale() -> bool:
    """Whether the page is not as it should be."""
    return not _PAGE.is_file() or _PAGE.read_text(encoding="utf-8") != page()


def main(arguments: list[str]) -> int:
    """Rewrite or check; the exit code."""
    if not is_stale():
        return 0
    print(_PAGE.relative_to(ROOT))
    if arguments == ["--check"]:
        return 1
    _PAGE.parent.mkdir(parents=True, exist_ok=True)
    _PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
