"""Which files a spec may make outlast read: regular ones inside the spec's folder, or below the root that the user gave."""

from __future__ import annotations

import os

from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.files import DISK, Store
from outlast.constraints.record import record

__all__ = ["Tree"]


@record
class Tree:
    """The folders, links resolved, below which files may be read."""

    folders: tuple[str, ...]
    #: Where they are.
    store: Store = DISK

    @classmethod
    def around(cls, spec: str | os.PathLike[str], root: str | os.PathLike[str] | None, store: Store = DISK) -> Tree:
        """The folder of a spec, and what `--root` adds to it."""
        spec_folder = store.resolve(os.path.dirname(os.path.abspath(spec)))
        return cls((spec_folder,) if root is None else (spec_folder, store.resolve(root)), store)

    def read(self, path: str, place: Place, limit: int) -> bytes:
        """The bytes of a file.

        Raises:
            OutlastError: at `place`; the file is outside, not regular, unreadable or has more than `limit` bytes.
        """
        try:
            resolved = self.store.resolve(path)
        except (ValueError, OSError):
            raise OutlastError(f"expected the path of a file, found '{printable(path)[:200]}'", place) from None
        if not any(
            resolved == folder or resolved.startswith(folder.rstrip(os.sep) + os.sep) for folder in self.folders
        ):
            message = (
                f"expected a file inside the folder of the spec, found '{printable(path)[:200]}'; "
                "--root FOLDER allows the files below another folder"
            )
            raise OutlastError(message, place)
        try:
            return self.store.read(resolved, limit)
        except OutlastError as error:
            # It speaks of the resolved path; people know the one that they wrote.
            message = error.message.replace(printable(resolved), printable(path))
            raise OutlastError(message[:500], place) from None
