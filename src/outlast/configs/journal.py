"""The journal of a change of several files: what they held and what they are to hold, written before the first is touched.

A journal could come with a stranger's repository. It is believed only if this user owns it alone and it carries the signature of the
folder and the inode that it was written to, on this machine; and it may only speak of files below the folders that the user allows.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import stat
from collections.abc import Sequence
from typing import Final

from outlast.configs.durable import remove, sync_folder, write_new
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.files import open_regular, reason
from outlast.constraints.record import record

__all__ = ["NAME", "Entry", "Folders", "Journal", "load", "remove_unfinished"]

NAME: Final = ".outlast-journal"
_UNFINISHED: Final = ".outlast-journal.new"
_OURS: Final = ".outlast-"
_VERSION: Final = 1
#: In bytes.
_LARGEST: Final = 256 * 2**20
_TOKEN: Final = re.compile(r"[0-9a-f]{16}")
#: A number that machines have for themselves alone.
_MACHINE: Final = ("/etc/machine-id", "/var/lib/dbus/machine-id")


@record(kw_only=True)
class Folders:
    """The journal's folder and what else may be written to."""

    #: As the user knows it.
    shown: str
    #: Links resolved; so are all others.
    home: str
    others: tuple[str, ...]

    @classmethod
    def around(cls, journal_folder: str, allowed: Sequence[str]) -> Folders:
        """The folders with their links resolved."""
        try:
            home, *others = (os.path.realpath(folder) for folder in (journal_folder or os.curdir, *allowed))
        except (OSError, ValueError):
            raise OutlastError(f"expected the path of a folder, found '{journal_folder}'") from None
        return cls(shown=journal_folder, home=home, others=tuple(others))

    def why_not(self, path: str) -> str | None:
        """Why a file must not be written, by its resolved path, as what follows its name; None: it may be."""
        inside = next((below for folder in (self.home, *self.others) if (below := _below(path, folder))), None)
        if inside is None:
            return "is not inside the folder of the spec or another that is allowed"
        parts = inside.split(os.sep)
        if any(part.lower() == ".git" for part in parts):
            return "belongs to git"
        if parts[-1].startswith(_OURS):
            return "is a file of outlast's own"
        return None

    def name(self, path: str) -> str:
        """How a resolved path is shown: with the folder in front, as the user gave it."""
        below = _below(path, self.home)
        return os.path.join(self.shown, below) if below else path


def _below(path: str, folder: str) -> str | None:
    """What of the path follows the folder's; None: it is not below it."""
    start = folder.rstrip(os.sep) + os.sep
    return path[len(start) :] if path.startswith(start) and len(path) > len(start) else None


@record(kw_only=True)
class Entry:
    """A file that is to be changed."""

    #: Links resolved.
    path: str
    #: As the user knows it.
    shown: str
    #: The same, absolute; links in it not resolved.
    given: str
    old: bytes
    new: bytes


@record(kw_only=True)
class Journal:
    """What is to be changed from what to what."""

    folders: Folders
    #: 16 hexadecimal digits in the names of the temporary files.
    token: str
    entries: tuple[Entry, ...]

    @property
    def path(self) -> str:
        """Where it is written."""
        return os.path.join(self.folders.home, NAME)

    @property
    def shown(self) -> str:
        """The same, as the user knows it."""
        return os.path.join(self.folders.shown, NAME)

    def temporary(self, entry: Entry) -> str:
        """The name under which a file's new contents are made ready, in its own folder."""
        number = self.entries.index(entry)
        return os.path.join(os.path.dirname(entry.path), f"{_OURS}{self.token}-{number}")

    def write(self) -> None:
        """Bring the journal to the disk; the folder is locked, and there is none.

        Raises:
            OutlastError: it would be too large.
            OSError: as the system says; the unfinished journal may be there.
        """
        body = _body(self)
        if len(body) > _LARGEST - 4096:
            raise OutlastError(f"expected files of together at most {_LARGEST // 2**20 // 3} MB, found larger ones")
        unfinished = os.path.join(self.folders.home, _UNFINISHED)
        remove(unfinished)
        write_new(unfinished, lambda inode: _signed(body, self.folders.home, inode))
        os.rename(unfinished, self.path)
        sync_folder(self.folders.home)

    def remove(self) -> None:
        """Remove the journal, also an unfinished one, if it is there; raises OSError as the system says, and leaves it then."""
        remove_unfinished(self.folders)
        remove(self.path)


def remove_unfinished(folders: Folders) -> None:
    """Remove what a journal is written to before it has its name; raises OSError as the system says."""
    remove(os.path.join(folders.home, _UNFINISHED))


def _body(journal: Journal) -> bytes:
    files = [
        {
            "path": _stored(entry.path, journal.folders),
            "old": base64.b64encode(entry.old).decode(),
            "new": base64.b64encode(entry.new).decode(),
        }
        for entry in journal.entries
    ]
    return json.dumps({"token": journal.token, "files": files}).encode()


def _stored(path: str, folders: Folders) -> str:
    below = _below(path, folders.home)
    return path if below is None else below.replace(os.sep, "/")


def _signed(body: bytes, home: str, inode: int) -> bytes:
    head = {"outlast-journal": _VERSION, "signature": _signature(body, home, inode)}
    return json.dumps(head).encode() + b"\n" + body + b"\n"


def _signature(body: bytes, home: str, inode: int) -> str:
    """What the body gets in this folder, in this inode, from this user on this machine; device numbers change when it starts anew."""
    user = os.geteuid() if hasattr(os, "geteuid") else -1
    facts = json.dumps([_VERSION, home, os.stat(home).st_ino, inode, user]).encode()
    return hmac.new(_machine(), facts + b"\n" + body, hashlib.sha256).hexdigest()


def _machine() -> bytes:
    for path in _MACHINE:
        try:
            number = open_regular(path, 4096).strip()
        except OutlastError:
            continue
        if number:
            return number
    return b"-"


def load(folders: Folders) -> Journal | None:
    """The journal of a folder, if there is one and it can be believed.

    Raises:
        OutlastError: without a place; it is damaged, is not this user's own, was not written here, or speaks of files outside.
    """
    shown = os.path.join(folders.shown, NAME)
    path = os.path.join(folders.home, NAME)
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutlastError(f"cannot read {shown}: {reason(error)}") from None
    _refuse_unless_own(status, shown)
    try:
        text = open_regular(path, _LARGEST)
    except OutlastError as error:
        raise OutlastError(error.message.replace(printable(path), printable(shown))) from None
    head, _, body = text.partition(b"\n")
    body = body.removesuffix(b"\n")
    fields = _fields(head, shown)
    if fields.get("outlast-journal") != _VERSION or isinstance(fields.get("outlast-journal"), bool):
        raise _damaged(shown)
    signature = fields.get("signature")
    if not isinstance(signature, str) or not signature.isascii():
        raise _damaged(shown)
    if not hmac.compare_digest(signature, _signature(body, folders.home, status.st_ino)):
        raise OutlastError(
            f"expected {shown} to be from an interrupted change in this folder, found one that was written elsewhere or altered; "
            "compare what it names with your files, then remove it"
        )
    return _journal(_fields(body, shown), folders, shown)


def _refuse_unless_own(status: os.stat_result, shown: str) -> None:
    """A journal is a regular file under one name, which its owner alone may read or write."""
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise OutlastError(f"expected {shown} to be a regular file with one name; look at it and remove it")
    if status.st_size > _LARGEST:
        raise OutlastError(f"expected {shown} to have at most {_LARGEST // 2**20} MB; look at it and remove it")
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise OutlastError(
            f"expected {shown} to be from an interrupted change of this user, found a file of others or open to others; "
            "look at it and remove it"
        )


def _fields(text: bytes, shown: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise _damaged(shown) from None
    if not isinstance(value, dict):
        raise _damaged(shown)
    return value


def _damaged(shown: str) -> OutlastError:
    return OutlastError(f"expected {shown} to be a journal of outlast, found something else; look at it and remove it")


def _journal(body: dict[str, object], folders: Folders, shown: str) -> Journal:
    token, files = body.get("token"), body.get("files")
    if not isinstance(token, str) or not _TOKEN.fullmatch(token) or not isinstance(files, list) or not files:
        raise _damaged(shown)
    entries = tuple(_entry(file, folders, shown) for file in files)
    if len({entry.path for entry in entries}) != len(entries):
        raise _damaged(shown)
    return Journal(folders=folders, token=token, entries=entries)


def _entry(file: object, folders: Folders, shown: str) -> Entry:
    if not isinstance(file, dict):
        raise _damaged(shown)
    stored, old, new = file.get("path"), _content(file.get("old"), shown), _content(file.get("new"), shown)
    if not isinstance(stored, str) or old == new:
        raise _damaged(shown)
    path = _path(stored, folders)
    why_not = "does not lead to where it led" if path is None else folders.why_not(path)
    if path is None or why_not is not None:
        raise OutlastError(
            f"expected {shown} to name files that may be written, found '{stored[:200]}', which {why_not}"
        )
    return Entry(path=path, shown=folders.name(path), given=path, old=old, new=new)


def _content(text: object, shown: str) -> bytes:
    if not isinstance(text, str):
        raise _damaged(shown)
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise _damaged(shown) from None


def _path(stored: str, folders: Folders) -> str | None:
    """The path that a journal names; None: it is not written as it would be, or goes through a link."""
    if os.path.isabs(stored):
        path = stored
    else:
        parts = stored.split("/")
        if any(part in ("", os.curdir, os.pardir) or os.sep in part or os.path.splitdrive(part)[0] for part in parts):
            return None
        path = os.path.join(folders.home, *parts)
    try:
        return path if os.path.realpath(path) == path else None
    except (OSError, ValueError):
        return None
