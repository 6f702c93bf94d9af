"""Asks the command line whether it understands a line, without running it."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from outlast.cli import app


def parse(words: Sequence[str]) -> None:
    """Raise if there is no such command, or it has no such options or values."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # it is a group
    commands[words[0]].make_context(words[0], list(words[1:]))
