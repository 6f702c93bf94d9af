"""Commands that describe outlast to other programs: schema for editors, completion for shells."""

from __future__ import annotations

from typing import Annotated

import typer

from outlast.commands.completing import VARIABLE, offering
from outlast.commands.ending import end
from outlast.commands.options import target_of

__all__ = ["completion", "schema"]

_SHELLS = ("bash", "zsh", "fish")


def schema(
    to: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; - is stdout.")] = "-",
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that outlast did not generate.")] = False,
) -> None:
    """Write the JSON Schema of a spec. With it, editors complete and explain."""
    file = target_of(to)

    def run() -> int:
        from outlast.configs.new_files import refuse_own, write_generated
        from outlast.reports.output import write
        from outlast.reports.schema import schema_text

        if file is None:
            write(schema_text())
        else:
            refuse_own(file, None)
            write_generated(file, schema_text(), force=force)
        return 0

    end("text", run)


def completion(
    shell: Annotated[
        str,
        typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False, **offering(_SHELLS)),
    ],
) -> None:
    """Write what completes commands and names in a shell. To use it: eval "$(outlast completion bash)"."""
    if shell not in _SHELLS:
        raise typer.BadParameter(f"expected one of {', '.join(_SHELLS)}, found {shell!r}", param_hint="'SHELL'")

    def run() -> int:
        from typer.completion import get_completion_script  # type: ignore[attr-defined]  # the same

        from outlast.reports.output import write

        write(get_completion_script(prog_name="outlast", complete_var=VARIABLE, shell=shell) + "\n")
        return 0

    end("text", run)
