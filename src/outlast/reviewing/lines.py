"""Where lines of the older side stand now, and which lines the change touched."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from outlast.configs.formats import may_have_format
from outlast.configs.git import Repository
from outlast.configs.hunks import Hunk, line_now
from outlast.constraints.errors import Place, printable

__all__ = ["NOTHING", "GitLines", "Lines"]


class Lines(Protocol):
    """What became of the lines of files, which are called as reports call them."""

    def touched(self, files: Collection[str]) -> Mapping[str, frozenset[int]]:
        """Of files as they are now, the lines that were added or changed."""

    def file_now(self, file: str) -> str:
        """The name that a file of the older side has now."""

    def now(self, place: Place) -> Place | None:
        """Where a line of the older side stands now; None: it is gone, or another stands in its place."""


class _Nothing:
    """Nothing was compared."""

    def touched(self, files: Collection[str]) -> Mapping[str, frozenset[int]]:
        return {}

    def file_now(self, file: str) -> str:
        return file

    def now(self, place: Place) -> Place | None:
        return place


NOTHING: Lines = _Nothing()


class GitLines:
    """What git tells of two commits, or of one and the worktree."""

    def __init__(self, repository: Repository, base: str, head: str | None) -> None:
        self._repository = repository
        self._base, self._head = base, head
        #: Names in the repository of what differs, by how reports call them.
        self._names = {printable(repository.path(name)): name for name in repository.changed(base, head)}
        renames = repository.renames(base, head)
        self._renamed = {
            printable(repository.path(old)): printable(repository.path(new)) for new, old in renames.items()
        }
        self._hunks: dict[str, tuple[Hunk, ...]] = {}

    def touched(self, files: Collection[str]) -> Mapping[str, frozenset[int]]:
        """Of files as they are now, the lines that were added or changed."""
        names = {self._names[file]: file for file in files if file in self._names}
        found = self._repository.changed_lines(self._base, self._head, names)
        return {names[name]: numbers for name, numbers in found.items()}

    def file_now(self, file: str) -> str:
        """The name that a file of the older side has now."""
        return self._renamed.get(file, file)

    def now(self, place: Place) -> Place | None:
        """Where a line of the older side stands now; None: it is gone, or another stands in its place."""
        file = self.file_now(place.file)
        name = self._names.get(file)
        if name is None:
            return place._replace(file=file)
        if file not in self._hunks:
            # All at once that may be asked for: git is asked once, not for every file.
            names = {each: shown for shown, each in self._names.items() if shown == file or may_have_format(each)}
            found = self._repository.hunks(self._base, self._head, names)
            self._hunks |= {shown: found.get(each, ()) for each, shown in names.items()}
        line = line_now(place.line, self._hunks[file])
        return None if line is None else Place(file, line, place.col)
