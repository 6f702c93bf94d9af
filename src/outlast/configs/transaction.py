"""Changes of several files on disk: all of them or none, whatever happens on the way, and how an interrupted change is taken back."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Final

from outlast.configs.durable import lock, remove, sync_folder, write_beside
from outlast.configs.journal import NAME, Entry, Folders, Journal, load, remove_unfinished
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.files import open_regular, reason
from outlast.constraints.record import record

__all__ = ["FileState", "Interrupted", "Replacement", "State", "forget", "interrupted", "undo", "write_all"]

_ANY_WRITE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


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
    #: Whether the process that writes is still there: nothing is wrong then, and the states are those of a moment.
    is_running: bool

    @property
    def is_mixed(self) -> bool:
        """Whether the files are neither all old nor all new."""
        return {file.state for file in self.files} not in ({State.OLD}, {State.NEW})


def write_all(replacements: Sequence[Replacement], *, journal_folder: str, allowed: Sequence[str] = ()) -> None:
    """Replace the contents of all files or of none.

    Files must lie below `journal_folder` (the spec's folder, where the journal is while files are replaced) or below one of the `allowed`
    folders, links resolved. Mode, owner and extended attributes are kept where permitted.

    Raises:
        OutlastError: without a place; a file changed meanwhile or cannot be replaced, another change is running or was interrupted, or
            the system refused something on the way. Nothing was written then, unless the message says otherwise.
        KeyboardInterrupt: nothing was written, or (at the very end) all.
    """
    folders = Folders.around(journal_folder, allowed)
    with _locked(folders):
        if os.path.lexists(os.path.join(folders.home, NAME)):
            load(folders)  # whether it can be believed
            shown = os.path.join(journal_folder, NAME)
            message = f"an earlier change was interrupted, as {shown} tells; take it back first; nothing was written"
            raise OutlastError(message)
        entries = _examine(replacements, folders)
        if entries:
            _Change(Journal(folders=folders, token=os.urandom(8).hex(), entries=entries)).make()


def interrupted(journal_folder: str, *, allowed: Sequence[str] = ()) -> Interrupted | None:
    """The change that was begun in this folder and not ended; reads only.

    Raises:
        OutlastError: without a place; the journal is damaged, or was not written by this user in this folder on this machine.
    """
    folders = Folders.around(journal_folder, allowed)
    if not os.path.lexists(os.path.join(folders.home, NAME)):
        return None
    try:
        with lock(folders.home, is_shared=True) as is_held:
            journal = load(folders)
            if journal is None:
                return None
            files = tuple(FileState(path=entry.shown, state=_state(entry)) for entry in journal.entries)
            return Interrupted(journal=journal.shown, files=files, is_running=not is_held)
    except OSError as error:
        raise OutlastError(f"cannot read {os.path.join(journal_folder, NAME)}: {reason(error)}") from None


def undo(journal_folder: str, *, allowed: Sequence[str] = ()) -> tuple[str, ...]:
    """Take an interrupted change back: the paths of the files that got their old contents back.

    All old or all new: nothing is written. In any case the journal and the temporary files are removed afterwards; without a journal
    nothing happens.

    Raises:
        OutlastError: without a place; as for `interrupted`, or a change is running, or a file is neither old nor new: no file was written then.
            If the system refuses something on the way, the message says which files are old and which new, and the journal stays.
    """
    folders = Folders.around(journal_folder, allowed)
    with _locked(folders):
        journal = load(folders)
        if journal is None:
            _tidy(folders, None)
            return ()
        states = [_state(entry) for entry in journal.entries]
        _refuse_unknown(journal, states)
        is_uniform = len(set(states)) == 1
        written = (
            [] if is_uniform else [e for e, state in zip(journal.entries, states, strict=True) if state is State.NEW]
        )
        refusals = [f"{entry.shown} {why}" for entry in written if (why := _why_not_replaceable(entry.path))]
        if refusals:
            raise OutlastError(f"cannot take the interrupted change back: {'; '.join(refusals)}; nothing was touched")
        _remove_temporaries(journal)
        failures = _restore(journal, written)
        failures += [f"{entry.shown} changed meanwhile" for entry in written if _state(entry) is not State.OLD]
        if failures:
            raise OutlastError(f"cannot take the interrupted change back: {failures[0]}; {_tell_states(journal)}")
        _tidy(folders, journal)
        return tuple(entry.shown for entry in written)


def forget(journal_folder: str, *, allowed: Sequence[str] = ()) -> None:
    """Remove the journal of an interrupted change and its temporary files; the files stay as they are.

    Raises:
        OutlastError: without a place; as for `interrupted`, or a change is running.
    """
    folders = Folders.around(journal_folder, allowed)
    with _locked(folders):
        _tidy(folders, load(folders))


@contextmanager
def _locked(folders: Folders) -> Iterator[None]:
    """Hold the folder of the journal; raises `OutlastError` if that is not possible."""
    with ExitStack() as stack:
        try:
            is_held = stack.enter_context(lock(folders.home))
        except OSError as error:
            raise OutlastError(
                f"cannot write in {folders.shown or os.curdir}: {reason(error)}; nothing was written"
            ) from None
        if not is_held:
            message = f"files are being changed from {folders.shown or os.curdir} just now; try again when that has ended; nothing was written"
            raise OutlastError(message)
        yield


def _examine(replacements: Sequence[Replacement], folders: Folders) -> tuple[Entry, ...]:
    """What is to be replaced, files that stay as they are left out; raises `OutlastError` with all that speaks against it."""
    entries, refusals = [], []
    known: dict[str, str] = {}
    for replacement in replacements:
        shown = replacement.path
        try:
            given = os.path.join(os.getcwd(), shown)
            path = os.path.realpath(given)
        except (OSError, ValueError):
            refusals.append(f"{shown} is not the path of a file")
            continue
        entry = Entry(path=path, shown=shown, given=given, old=replacement.before, new=replacement.after)
        try:
            why_not = (
                f"is the same file as {known[path]}" if path in known else folders.why_not(path) or _why_not(entry)
            )
        except OutlastError as error:
            refusals.append(error.message)
        else:
            refusals += [f"{shown} {why_not}"] if why_not else []
        known[path] = shown
        if entry.old != entry.new:
            entries.append(entry)
    if refusals:
        raise OutlastError(f"{'; '.join(refusals)}; nothing was written")
    return tuple(entries)


def _why_not(entry: Entry) -> str | None:
    """Why a file must not be replaced now, as what follows its name; None: it may be."""
    if os.path.realpath(entry.given) != entry.path:
        return "changed meanwhile"
    return _why_not_replaceable(entry.path) or (None if _state(entry) is State.OLD else "changed meanwhile")


def _why_not_replaceable(path: str) -> str | None:
    """What a rename over the file would pass by: its other names, and that it or its folder is not to be written."""
    folder = os.path.dirname(path)
    try:
        status, around = os.lstat(path), os.stat(folder)
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read: {reason(error)}"
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if status.st_nlink != 1:
        return f"has {status.st_nlink} names (hard links), and the others would keep the old contents"
    if not status.st_mode & _ANY_WRITE or not os.access(path, os.W_OK):
        return "is read-only"
    if sys.platform != "win32" and (
        not around.st_mode & _ANY_WRITE or not os.access(folder, os.R_OK | os.W_OK | os.X_OK)
    ):
        return "is in a folder that cannot be written"
    return None


def _state(entry: Entry) -> State:
    """What the file holds now; raises `OutlastError` if it cannot be read."""
    try:
        status = os.lstat(entry.path)
    except (FileNotFoundError, NotADirectoryError):
        return State.MISSING
    except OSError as error:
        raise OutlastError(f"cannot read {entry.shown}: {reason(error)}") from None
    if not stat.S_ISREG(status.st_mode) or status.st_size not in (len(entry.old), len(entry.new)):
        return State.CHANGED
    try:
        content = open_regular(entry.path)
    except OutlastError as error:
        raise OutlastError(error.message.replace(printable(entry.path), printable(entry.shown))) from None
    if content == entry.old:
        return State.OLD
    return State.NEW if content == entry.new else State.CHANGED


class _Change:
    """Files that are being replaced, with the folder locked."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        #: What may have been replaced.
        self._begun: list[Entry] = []
        #: What is being written.
        self._at = journal.shown

    def make(self) -> None:
        """Replace all; on any trouble none."""
        try:
            self._replace()
        except BaseException as trouble:
            if len(self._begun) == len(self._journal.entries) and not os.path.lexists(self._journal.path):
                # All is replaced and on the disk; only the names of removed files may not be.
                if isinstance(trouble, OSError):
                    return
                raise
            self._take_back(trouble)
            raise

    def _replace(self) -> None:
        journal = self._journal
        journal.write()
        for entry in journal.entries:
            self._at = entry.shown
            write_beside(entry.path, journal.temporary(entry), entry.new)
        for entry in journal.entries:
            self._refuse_changed(entry)
        for entry in journal.entries:
            self._at = entry.shown
            self._refuse_changed(entry)
            self._begun.append(entry)
            os.replace(journal.temporary(entry), entry.path)
        for folder, entry in _folders(journal.entries).items():
            self._at = entry.shown
            sync_folder(folder)
        self._at = journal.shown
        journal.remove()
        sync_folder(journal.folders.home)

    def _refuse_changed(self, entry: Entry) -> None:
        if why := _why_not(entry):
            raise OutlastError(f"{entry.shown} {why}")

    def _take_back(self, trouble: BaseException) -> None:
        """Make all as it was and raise an `OutlastError` that says so; it returns if there is nothing to say."""
        journal = self._journal
        if isinstance(trouble, OutlastError):
            problem = trouble.message
        elif isinstance(trouble, OSError):
            problem = f"cannot write {self._at}: {reason(trouble)}"
        else:
            problem = (
                "interrupted" if isinstance(trouble, KeyboardInterrupt) else f"stopped by {type(trouble).__name__}"
            )
        failures = _restore(journal, self._begun)
        if failures:
            raise OutlastError(
                f"{problem}; not all could be taken back: {failures[0]}; {_tell_states(journal)}"
            ) from None
        changed = [entry.shown for entry in self._begun if _state(entry) is not State.OLD]
        outcome = "nothing was written"
        if changed:
            outcome = f"{', '.join(changed)} changed after having been written and stays so; nothing else was written"
        try:
            _remove_temporaries(journal)
            for folder in _folders(journal.entries):
                sync_folder(folder)
            journal.remove()
            sync_folder(journal.folders.home)
        except OSError as error:
            left = f"but {journal.shown} could not be removed: {reason(error)}"
            raise OutlastError(f"{problem}; {outcome}, {left}") from None
        if changed or isinstance(trouble, (OutlastError, OSError)):
            raise OutlastError(f"{problem}; {outcome}") from None


def _restore(journal: Journal, entries: Sequence[Entry]) -> list[str]:
    """Give those of the entries that are new now their old contents: what went wrong with which."""
    failures = []
    restored = []
    for entry in reversed(entries):
        temporary = journal.temporary(entry)
        try:
            if _state(entry) is State.NEW:
                write_beside(entry.path, temporary, entry.old)
                if _state(entry) is State.NEW:
                    os.replace(temporary, entry.path)
                    restored.append(entry)
        except OSError as error:
            failures.append(f"{entry.shown}: {reason(error)}")
        except OutlastError as error:
            failures.append(error.message)
    for folder, entry in _folders(restored).items():
        try:
            sync_folder(folder)
        except OSError as error:
            failures.append(f"{entry.shown}: {reason(error)}")
    return failures


def _folders(entries: Sequence[Entry]) -> dict[str, Entry]:
    """The folders of files, each with one of them."""
    return {os.path.dirname(entry.path): entry for entry in entries}


def _remove_temporaries(journal: Journal) -> None:
    """Remove them all; raises OSError as the system says."""
    for entry in journal.entries:
        remove(journal.temporary(entry))


def _tidy(folders: Folders, journal: Journal | None) -> None:
    """Remove what a change leaves when it is interrupted; raises `OutlastError` if that is not possible."""
    shown = os.path.join(folders.shown, NAME)
    try:
        if journal is None:
            remove_unfinished(folders)
            return
        for entry in journal.entries:
            shown = entry.shown
            remove(journal.temporary(entry))
        for folder, entry in _folders(journal.entries).items():
            shown = entry.shown
            sync_folder(folder)
        shown = journal.shown
        journal.remove()
        sync_folder(folders.home)
    except OSError as error:
        raise OutlastError(f"cannot remove what an interrupted change left beside {shown}: {reason(error)}") from None


def _refuse_unknown(journal: Journal, states: Sequence[State]) -> None:
    told = [
        f"{entry.shown} {_SAID[state]}"
        for entry, state in zip(journal.entries, states, strict=True)
        if state in (State.CHANGED, State.MISSING)
    ]
    if told:
        raise OutlastError(f"cannot take the interrupted change back: {'; '.join(told)}; nothing was touched")


def _tell_states(journal: Journal) -> str:
    """Which files are in which state, and where that is written down."""
    told = []
    for entry in journal.entries:
        try:
            told.append(f"{entry.shown} {_SAID[_state(entry)]}")
        except OutlastError:
            told.append(f"{entry.shown} cannot be read")
    return f"{', '.join(told)}; {journal.shown} stays, so that the change can be taken back later"


_SAID: Final = {State.OLD: "is old", State.NEW: "is new", State.CHANGED: "changed since", State.MISSING: "is missing"}
