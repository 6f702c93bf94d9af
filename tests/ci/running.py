"""Asks the command line whether it understands a line, without running it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import typer

from outlast.cli import app


@cache
def _commands() -> Mapping[str, Any]:
    found: Mapping[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # it is a group
    return found


def parse(words: Sequence[str]) -> None:
    """Raise if there is no such command, or it has no such options or values."""
    _commands()[words[0]].make_context(words[0], list(words[1:]))
