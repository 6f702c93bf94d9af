"""What an interrupted run left behind: told before anything is judged by it, and taken back before anything new is written."""

from __future__ import annotations

from collections.abc import Sequence

from outlast.configs.transaction import Interrupted, forget, interrupted, undo
from outlast.constraints.errors import InputErrors, OutlastError, Place, printable

__all__ = ["recover", "refuse_mixture"]


def refuse_mixture(folder: str, allowed: Sequence[str]) -> None:
    """Nothing, unless an interrupted run left old and new files beside each other: what is in them would be judged wrongly.

    Raises:
        InputErrors: it did, or its journal cannot be read.
    """
    try:
        found = interrupted(folder, allowed=allowed)
    except OutlastError as error:
        raise InputErrors("an interrupted change", [error]) from None
    if found is not None and found.is_mixed and not found.is_running:
        raise InputErrors(
            "an interrupted change", [OutlastError(_mixture(found), Place(printable(found.journal), 1, 1))]
        )


def _mixture(found: Interrupted) -> str:
    told = ", ".join(f"{printable(file.path)} is {file.state.value}" for file in found.files)
    return f"an interrupted apply left a mixture: {told}; outlast apply --write takes it back first"


def recover(folder: str, allowed: Sequence[str]) -> tuple[str, ...]:
    """Take back what an interrupted run left half done: the files that got their old contents back.

    Raises:
        InputErrors: it cannot be taken back, since a file was changed since, or the journal cannot be read; no file was written.
    """
    try:
        found = interrupted(folder, allowed=allowed)
        if found is None:
            return ()
        if found.is_mixed:
            return undo(folder, allowed=allowed)
        forget(folder, allowed=allowed)
    except OutlastError as error:
        raise InputErrors("an interrupted change", [error]) from None
    return ()
