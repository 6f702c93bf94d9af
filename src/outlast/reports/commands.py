"""Commands that a report names, as somebody can copy them into a shell."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Final

from outlast.constraints.errors import printable
from outlast.constraints.model import Spec

__all__ = ["command_text", "spec_command"]

#: What stands for a path that cannot be shown as it is.
_PATH: Final = "SPEC"


def spec_command(words: str, spec: Spec) -> str:
    """A command about a spec as it was read: with the values that were set for it and the folder below which it may read."""
    return command_text(words, str(spec.path), overrides=spec.overrides, root=spec.root)


def command_text(words: str, path: str, *, overrides: tuple[str, ...] = (), root: Path | str | None = None) -> str:
    r"""A command, its options, the path last; a path that cannot be shown as it is has a word in its place.

    >>> print(command_text("outlast explain --current", "it's.yaml", overrides=("a = 5s",)))
    outlast explain --current --set 'a = 5s' 'it'"'"'s.yaml'
    >>> command_text("outlast check", "-x.yaml"), command_text("outlast check", "a\x07.yaml")
    ('outlast check ./-x.yaml', 'outlast check SPEC')
    """
    told = [words]
    for override in overrides:
        told += ["--set", _quoted(override, "NAME=VALUE")]
    if root is not None:
        told += ["--root", _quoted(_apart(str(root)), "DIR")]
    return " ".join((*told, _quoted(_apart(path), _PATH)))


def _apart(path: str) -> str:
    """A path that no command takes for an option."""
    return os.path.join(".", path) if path.startswith("-") else path


def _quoted(word: str, instead: str) -> str:
    """A word for a shell; `instead` where a reader would not see it as it is."""
    quoted = shlex.quote(word)
    return quoted if printable(quoted) == quoted else instead
