"""Changes of several files on disk: all of them or none, whatever happens on the way, and how an interrupted change is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from outlast.constraints.record import record

__all__ = ["FileState", "Interrupted", "Replacement", "State", "forget", "interrupted", "undo", "write_all"]


@record(kw_only=True)
class Replacement:
    """New contents for a file."""

    #: As the user knows it; a link stays and its target is replaced.
    path: str
    #: What it must hold until it is replaced.
    before: bytes
    after: bytes


class State(Enum):
    """What a file of an interrupted change holds."""

    OLD = "old"
    NEW = "new"
    CHANGED = "changed since"
    MISSING = "missing"


@record(kw_only=True)
class FileState:
    """A file of an interrupted change."""

    #: With the journal's folder in front, as that was given.
    path: str
    state: State


@record(kw_only=True)
class Interrupted:
    """A change that was begun and not ended."""

    #: The journal, with its folder in front, as that was given.
    journal: str
    #: In the order in which they were to be written.
    files: tuple[FileState, ...]
    #: Whether the process that writes is still there: nothing is wrong then.
    is_running: bool

    @property
    def is_mixed(self) -> bool:
        """Whether the files are neither all old nor all new."""
        return {file.state for file in self.files} not in ({State.OLD}, {State.NEW})


def write_all(replacements: Sequence[Replacement], *, journal_folder: str, allowed: Sequence[str] = ()) -> None:
    """Replace the contents of all files or of none.

    Files must lie below `journal_folder` (the spec's folder, where the journal is while files are replaced) or below one of the `allowed`
    folders, links resolved. Mode, owner, extended attributes are kept where permitted.

    Raises:
        OutlastError: without a place; a file changed meanwhile or cannot be replaced, another change is running or was interrupted, or
            the system refused something on the way. Nothing was written then, unless the message says otherwise.
        KeyboardInterrupt: nothing was written, or (at the very end) all.
    """
    raise NotImplementedError


def interrupted(journal_folder: str, *, allowed: Sequence[str] = ()) -> Interrupted | None:
    """The change that was begun in this folder and not ended; reads only.

    Raises:
        OutlastError: without a place; the journal is damaged, or was not written by this user in this folder on this machine.
    """
    raise NotImplementedError


def undo(journal_folder: str, *, allowed: Sequence[str] = ()) -> tuple[str, ...]:
    """Take an interrupted change back: the paths of the files that got their old contents back.

    All old or all new: nothing is written. In any case the journal and the temporary files are removed afterwards; without a journal
    nothing happens.

    Raises:
        OutlastError: without a place; as for `interrupted`, or a change is running, or a file is neither old nor new: no file was written then.
    """
    raise NotImplementedError


def forget(journal_folder: str, *, allowed: Sequence[str] = ()) -> None:
    """Remove the journal of an interrupted change and its temporary files; the files stay as they are.

    Raises:
        OutlastError: without a place; as for `interrupted`, or a change is running.
    """
    raise NotImplementedError
