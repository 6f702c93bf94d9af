"""Commands that describe outlast to other programs: schema for editors, completion for shells."""

from __future__ import annotations

from typing import Annotated

import typer

from outlast.commands.ending import end

__all__ = ["schema"]


def schema(
    to: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; - is stdout.")] = "-",
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that outlast did not generate.")] = False,
) -> None:
    """Write the JSON Schema of a spec, with which editors complete and explain it."""
    if to == "":
        raise typer.BadParameter("expected the name of a file, or - for stdout, found nothing", param_hint="'--output'")

    def run() -> int:
        from pathlib import Path

        from outlast.generating import write_generated
        from outlast.reports.output import write
        from outlast.reports.schema import schema_text

        if to == "-":
            write(schema_text())
        else:
            write_generated(Path(to), schema_text(), force=force)
        return 0

    end("text", run)
