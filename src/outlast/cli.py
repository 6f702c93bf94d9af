"""The command line: parses, calls the api, renders, chooses the exit code; nothing else."""

from __future__ import annotations

import errno
import sys
from contextlib import suppress
from typing import Annotated, Final

try:
    import typer

    from outlast.commands import completing, describing, finding, judging, looking, mutating, picturing, reviewing
    from outlast.commands.ending import INTERRUPTED, UNUSABLE, own_mistake
    from outlast.commands.options import Command, Group
except KeyboardInterrupt:
    sys.stderr.write("interrupted\n")
    raise SystemExit(130) from None

__all__ = ["app", "main"]

#: What an output says that takes no more.
_UNWRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


app = typer.Typer(
    name="outlast",
    cls=Group,
    help="Timeouts that hold together, and why.",
    epilog="Exit codes: 0 all holds, 1 findings or conflict, 2 unusable input, 3 undecided, 130 interrupted.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; ends the process."""
    code = INTERRUPTED
    with suppress(KeyboardInterrupt):
        code = _run()
    if code == INTERRUPTED:
        with suppress(OSError):
            sys.stderr.write("interrupted\n")
    raise SystemExit(code)


def _run() -> int:
    from outlast.reports.output import set_up_streams

    set_up_streams()
    completing.set_up()
    try:
        code = app(standalone_mode=False, prog_name="outlast")
    except typer.Abort:
        return INTERRUPTED
    except OSError as error:
        # What cannot be read is told where it is read.
        if error.errno not in _UNWRITABLE:
            return own_mistake(error)
        from outlast.reports.output import tell_unwritable

        tell_unwritable(error)
        return UNUSABLE
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):  # wrong usage, told by typer
            error.show()
            return UNUSABLE
        return own_mistake(error)
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
        raise typer.Exit(UNUSABLE)


for _command in (
    *(judging.check, finding.solve, finding.apply, finding.generate, judging.explain, judging.why),
    *(picturing.timeline, picturing.report, mutating.mutate, reviewing.review),
    *(looking.lint, looking.init, looking.rules, looking.settings, looking.measure),
    *(describing.schema, describing.completion),
):
    app.command(cls=Command)(_command)
