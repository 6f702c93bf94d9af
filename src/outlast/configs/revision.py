"""The files of one revision of a git repository, by the paths that they have, or would have, on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.files import DISK, LARGEST_FILE, TooLargeError, What, remember

__all__ = ["Entry", "Revision"]

#: As many links as Linux follows.
_MOST_LINKS: Final = 40
_LONGEST_PATH: Final = 4096
_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_MISSING: Final = "no such file or directory"
_LOOP: Final = "too many levels of symbolic links"


class Entry(NamedTuple):
    """One path of a tree."""

    what: What
    #: The hash of what is there.
    object: str
    #: Whether it is a folder that holds another repository, of which only a commit is named.
    is_submodule: bool = False


class Revision:
    """A store of files (outlast.constraints.files.Store) as a commit has them, whatever is in the worktree.

    Links lead where they would on disk if all of the commit were checked out; what they lead to outside of the repository is not read. Bytes are
    those that git keeps: neither line ends (`eol` in .gitattributes) nor anything else is converted. What git keeps to itself, below `.git`,
    is read from the disk, so that the same files are ignored.
    """

    def __init__(
        self, commit: str, top: str, tree: Callable[[], Mapping[str, Entry]], blob: Callable[[str, int], bytes]
    ) -> None:
        """`tree` gives all entries by their names, and is asked once; `blob` gives at most so many bytes of an object."""
        #: Its full hash.
        self.commit = commit
        #: The folder of the worktree, absolute and without links.
        self.top = top
        self._inside = top.rstrip(os.sep) + os.sep
        self._tree = tree
        self._blob = blob

    @cached_property
    def _entries(self) -> Mapping[str, Entry]:
        return {"": Entry("folder", ""), **self._tree()}

    @cached_property
    def _children(self) -> Mapping[str, list[tuple[str, What]]]:
        found: dict[str, list[tuple[str, What]]] = {}
        for name, entry in self._entries.items():
            if name:
                folder, _, last = name.rpartition("/")
                found.setdefault(folder, []).append((last, entry.what))
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The regular files, by their names from the top, with `/` between folders, in order."""
        return tuple(sorted(name for name, entry in self._entries.items() if entry.what == "file"))

    @property
    def submodules(self) -> tuple[str, ...]:
        """The folders whose contents are another repository's, by their names from the top."""
        return tuple(sorted(name for name, entry in self._entries.items() if entry.is_submodule))

    def read(self, path: str | os.PathLike[str], limit: int = LARGEST_FILE) -> bytes:
        """The bytes of a regular file; see Store."""
        shown = printable(os.fspath(path))
        real = self._resolved(path, f"expected the path of a file, found '{shown}'")
        name = self._name(real)
        if name is not None and _is_of_git(name):
            return DISK.read(real, limit)
        try:
            entry = self._entry(name)
        except OutlastError as error:
            raise OutlastError(f"cannot read {shown}: {error.message}") from None
        if entry.what == "link":
            raise OutlastError(f"cannot read {shown}: {_LOOP}")
        if entry.what != "file":
            raise OutlastError(f"expected {shown} to be a regular file, found a folder")
        remember(real, os.fspath(path))
        try:
            data = self._blob(entry.object, limit + 1)
        except OutlastError as error:
            raise OutlastError(f"cannot read {shown}: {error.message}") from None
        if len(data) > limit:
            raise TooLargeError(shown, limit)
        if data.startswith(_POINTER):
            raise OutlastError(f"cannot read {shown}: it is kept in git lfs, only a pointer to it is in the revision")
        return data

    def resolve(self, path: str | os.PathLike[str]) -> str:
        """The absolute path without links; see Store."""
        given = os.path.join(os.getcwd(), os.fspath(path))
        if "\0" in given:
            raise ValueError("embedded null byte")
        current = self.top if given.startswith(self._inside) else os.sep
        waiting = given[len(current) :].split(os.sep)[::-1]
        links = 0
        while waiting:
            part = waiting.pop()
            if part in ("", os.curdir):
                continue
            if part == os.pardir:
                current = os.path.dirname(current)
                continue
            current = os.path.join(current, part)
            target = self._target(current)
            if target is None:
                continue
            links += 1
            if links > _MOST_LINKS:
                return os.path.normpath(os.path.join(current, *waiting[::-1]))
            current = os.sep if os.path.isabs(target) else os.path.dirname(current)
            waiting += target.split(os.sep)[::-1]
        return current

    def _target(self, path: str) -> str | None:
        """Where a link leads to; None: it is none, or leads nowhere at all."""
        name = self._name(path)
        if not name or _is_of_git(name):
            try:
                return os.readlink(path) if os.path.islink(path) else None
            except OSError:
                return None
        entry = self._entries.get(name)
        if entry is None or entry.what != "link":
            return None
        try:
            target = os.fsdecode(self._blob(entry.object, _LONGEST_PATH + 1))
        except OutlastError:
            return None
        return None if not target or "\0" in target or len(target) > _LONGEST_PATH else target

    def what(self, path: str | os.PathLike[str], *, follow: bool = True) -> What:
        """What is at a path; see Store."""
        shown = printable(os.fspath(path))
        wrong = f"expected a path, found '{shown}'"
        if follow:
            real = self._resolved(path, wrong)
        else:
            above, last = os.path.split(os.path.join(os.getcwd(), os.fspath(path)))
            plain = last not in ("", os.curdir, os.pardir)
            real = os.path.join(self._resolved(above, wrong), last) if plain else self._resolved(path, wrong)
        name = self._name(real)
        if name is not None and _is_of_git(name):
            return DISK.what(real, follow=False)
        try:
            entry = self._entry(name)
            if follow and entry.what == "link":
                raise OutlastError(_LOOP)
        except OutlastError as error:
            raise OutlastError(f"cannot read {shown}: {error.message}") from None
        return entry.what

    def entries(self, path: str | os.PathLike[str]) -> list[tuple[str, What]]:
        """What is in a folder; see Store."""
        real = self._resolved(path, "cannot be read: no path")
        name = self._name(real)
        try:
            entry = self._entry(name)
            if entry.is_submodule:
                raise OutlastError(_in_submodule(name or ""))
            if entry.what != "folder":
                raise OutlastError("not a directory")
        except OutlastError as error:
            raise OutlastError(f"cannot be read: {error.message}") from None
        return self._children.get(name or "", [])

    def _resolved(self, path: str | os.PathLike[str], otherwise: str) -> str:
        try:
            return self.resolve(path)
        except (ValueError, OSError):  # the current folder may be gone
            raise OutlastError(otherwise) from None

    def _name(self, real: str) -> str | None:
        """The name from the top; None for what is outside."""
        if real == self.top:
            return ""
        return real[len(self._inside) :].replace(os.sep, "/") if real.startswith(self._inside) else None

    def _entry(self, name: str | None) -> Entry:
        """What has the name.

        Raises:
            OutlastError: nothing has; the message tells why alone.
        """
        if name is None:
            raise OutlastError("it is outside of the repository whose revision is read")
        entry = self._entries.get(name)
        if entry is not None:
            return entry
        above = name
        while above:
            above = above.rpartition("/")[0]
            entry = self._entries.get(above)
            if entry is not None and entry.is_submodule:
                raise OutlastError(_in_submodule(above))
            if entry is not None:
                why = {"folder": _MISSING, "link": _LOOP}
                raise OutlastError(why.get(entry.what, "not a directory"))
        raise OutlastError(_MISSING)


def _is_of_git(name: str) -> bool:
    return name == ".git" or name.startswith(".git/")


def _in_submodule(name: str) -> str:
    return f"it is in the submodule '{printable(name)}', whose contents the revision does not hold"
