"""Reading files that may come from a stranger, from the disk or from elsewhere: regular ones only, up to a size, and never a traceback."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal, Protocol

from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.record import record

__all__ = [
    "DISK",
    "LARGEST_FILE",
    "Overlaid",
    "Pruned",
    "Store",
    "TooLargeError",
    "What",
    "decode",
    "glance",
    "lines_between",
    "may_ignore",
    "open_regular",
    "place_of_byte",
    "reason",
    "remember",
    "remembering",
    "was_read_as",
]

#: In bytes.
LARGEST_FILE: Final = 256 * 2**20

#: What can be found at a path; pipes, sockets and devices are something other.
What = Literal["file", "folder", "link", "other"]


class _Memory:
    """Which files were read, each with the path by which."""

    def __init__(self) -> None:
        #: By device and inode, whatever name leads there.
        self.files: dict[tuple[int, int], str] = {}
        #: Absolute paths without links of what came from elsewhere than the disk.
        self.paths: dict[str, str] = {}


#: None: nobody asks for it.
_memory: ContextVar[_Memory | None] = ContextVar("_memory", default=None)


class TooLargeError(OutlastError):
    """A file has more bytes than were asked for."""

    def __init__(self, file: str, limit: int) -> None:
        super().__init__(f"expected a file of at most {_megabytes(limit)}, found {file} to be larger")


class Store(Protocol):
    """Where files are read from: the disk, or one revision of a repository.

    Paths are those that users write and see, relative to the current folder or absolute, wherever the files come from.
    """

    def read(self, path: str | os.PathLike[str], limit: int = LARGEST_FILE) -> bytes:
        """The bytes of a regular file (a link to one will do) of at most `limit` bytes.

        Raises:
            OutlastError: without a place; as `open_regular`.
        """

    def resolve(self, path: str | os.PathLike[str]) -> str:
        """The absolute path without links, whether something is there or not.

        Raises:
            ValueError, OSError: it is no path.
        """

    def what(self, path: str | os.PathLike[str], *, follow: bool = True) -> What:
        """What is at a path; `follow` looks where a link leads to.

        Raises:
            OutlastError: without a place; nothing is there, or it cannot be told.
        """

    def entries(self, path: str | os.PathLike[str]) -> list[tuple[str, What]]:
        """The names in a folder, in no order, and what each is, itself.

        Raises:
            OutlastError: without a place, of the folder itself: that it cannot be read, and why.
        """


class _Disk:
    """The files of this computer."""

    def read(self, path: str | os.PathLike[str], limit: int = LARGEST_FILE) -> bytes:
        return open_regular(path, limit)

    def resolve(self, path: str | os.PathLike[str]) -> str:
        return os.path.realpath(path)

    def what(self, path: str | os.PathLike[str], *, follow: bool = True) -> What:
        shown = printable(os.fspath(path))
        try:
            mode = os.stat(path, follow_symlinks=follow).st_mode
        except ValueError:
            raise OutlastError(f"expected a path, found '{shown}'") from None
        except OSError as error:
            raise OutlastError(f"cannot read {shown}: {reason(error)}") from None
        if stat.S_ISREG(mode):
            return "file"
        return "folder" if stat.S_ISDIR(mode) else "link" if stat.S_ISLNK(mode) else "other"

    def entries(self, path: str | os.PathLike[str]) -> list[tuple[str, What]]:
        try:
            with os.scandir(path) as scan:
                return [(entry.name, _what(entry)) for entry in scan]
        except ValueError:
            raise OutlastError("cannot be read: no path") from None
        except OSError as error:
            raise OutlastError(f"cannot be read: {reason(error)}") from None


DISK: Final[Store] = _Disk()


@record(eq=False)
class Overlaid:
    """A store in which some files, by their absolute paths without links, hold other bytes than they do."""

    below: Store
    changed: Mapping[str, bytes]

    def read(self, path: str | os.PathLike[str], limit: int = LARGEST_FILE) -> bytes:
        """As the store below, but for what was changed."""
        data = self.changed.get(self.resolve(path))
        return self.below.read(path, limit) if data is None else data

    def resolve(self, path: str | os.PathLike[str]) -> str:
        """As the store below."""
        return self.below.resolve(path)

    def what(self, path: str | os.PathLike[str], *, follow: bool = True) -> What:
        """As the store below."""
        return self.below.what(path, follow=follow)

    def entries(self, path: str | os.PathLike[str]) -> list[tuple[str, What]]:
        """As the store below."""
        return self.below.entries(path)


@record(eq=False)
class Pruned:
    """A store without what is in some folders, by their absolute paths without links, each with the reason."""

    below: Store
    folders: Mapping[str, str]

    def read(self, path: str | os.PathLike[str], limit: int = LARGEST_FILE) -> bytes:
        """As the store below, but for what is in these folders."""
        try:
            real = self.resolve(path)
        except (ValueError, OSError):
            return self.below.read(path, limit)  # which tells what is wrong with it
        for folder, why in self.folders.items():
            if real.startswith(folder + os.sep):
                raise OutlastError(f"cannot read {printable(os.fspath(path))}: {why}")
        return self.below.read(path, limit)

    def resolve(self, path: str | os.PathLike[str]) -> str:
        """As the store below."""
        return self.below.resolve(path)

    def what(self, path: str | os.PathLike[str], *, follow: bool = True) -> What:
        """As the store below."""
        return self.below.what(path, follow=follow)

    def entries(self, path: str | os.PathLike[str]) -> list[tuple[str, What]]:
        """As the store below; of these folders, none."""
        return [] if self.resolve(path) in self.folders else self.below.entries(path)


def _what(entry: os.DirEntry[str]) -> What:
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "folder" if entry.is_dir(follow_symlinks=False) else "link" if entry.is_symlink() else "other"


@contextmanager
def remembering() -> Iterator[None]:
    """Remember meanwhile which files are read, so that `was_read_as` can tell; what encloses it remembers the same."""
    token = None if _memory.get() is not None else _memory.set(_Memory())
    try:
        yield
    finally:
        if token is not None:
            _memory.reset(token)


def remember(real: str, path: str) -> None:
    """Remember that what stands at an absolute path without links was read from elsewhere, by `path`."""
    memory = _memory.get()
    if memory is not None:
        memory.paths.setdefault(real, path)


def was_read_as(path: str | os.PathLike[str]) -> str | None:
    """By which path a file was read, whatever else its name is; None: it is not there, was not read, or nothing is remembered."""
    memory = _memory.get()
    if memory is None:
        return None
    try:
        real = os.path.realpath(path)  # `missing/../file` is no path to the system
        status = os.stat(real)
    except (OSError, ValueError):
        return None
    return memory.files.get((status.st_dev, status.st_ino)) or memory.paths.get(real)


def glance(path: str | os.PathLike[str], limit: int = LARGEST_FILE, store: Store = DISK) -> bytes:
    """The bytes of a file that nothing depends on, which is not remembered.

    Raises:
        OutlastError: as the store.
    """
    token = _memory.set(None)
    try:
        return store.read(path, limit)
    finally:
        _memory.reset(token)


def open_regular(path: str | os.PathLike[str], limit: int = LARGEST_FILE) -> bytes:
    """The bytes of a regular file (a link to one will do) of at most `limit` bytes.

    Raises:
        OutlastError: without a place; there is no such file, it is a folder, a pipe or a device, too large or unreadable.

    A pipe that nobody writes to does not block.
    """
    shown = printable(os.fspath(path))
    try:
        descriptor = _open(path, shown)
    except ValueError:
        raise OutlastError(f"expected the path of a file, found '{shown}'") from None
    except OSError as error:
        raise OutlastError(f"cannot read {shown}: {reason(error)}") from None
    try:
        with open(descriptor, "rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise OutlastError(f"cannot read {shown}: {reason(error)}") from None
    if len(data) > limit:
        raise TooLargeError(shown, limit)
    return data


def _open(path: str | os.PathLike[str], shown: str) -> int:
    _refuse_unless_regular(os.stat(path).st_mode, shown)  # before opening: opening a device may have effects
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        _refuse_unless_regular(status.st_mode, shown)  # it may have been replaced in between
    except OutlastError:
        os.close(descriptor)
        raise
    memory = _memory.get()
    if memory is not None:
        memory.files.setdefault((status.st_dev, status.st_ino), os.fspath(path))
    return descriptor


def _refuse_unless_regular(mode: int, shown: str) -> None:
    if stat.S_ISREG(mode):
        return
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    kind = next((name for test, name in kinds if test(mode)), "something else")
    raise OutlastError(f"expected {shown} to be a regular file, found {kind}")


def reason(error: OSError) -> str:
    """What the system says, in lower case."""
    return (error.strerror or type(error).__name__).lower()


def _megabytes(limit: int) -> str:
    return f"{limit // 2**20} MB" if limit >= 2**20 and limit % 2**20 == 0 else f"{limit} bytes"


def decode(data: bytes, file: str) -> str:
    """The text of a UTF-8 file, without its byte order mark.

    Raises:
        OutlastError: at the first byte that is not UTF-8, or where the file is compressed.
    """
    if data.startswith(b"\x1f\x8b"):
        raise OutlastError("expected text, found gzip-compressed data; unpack it first", place_of_byte(data, 0, file))
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        bom = len(data) - len(error.object)
        place = place_of_byte(data, bom + error.start, file)
        byte = error.object[error.start]
        raise OutlastError(f"expected UTF-8 text, found the byte 0x{byte:02x}", place) from None


def may_ignore(data: bytes) -> bool:
    """Whether a comment in a file may say which findings do not count; nearly no file has such words."""
    return b"outlast: ignore" in data or b"outlast:ignore" in data


def place_of_byte(data: bytes, offset: int, file: str) -> Place:
    """Line and column, in characters, of a byte; what comes before it on its line is taken as UTF-8."""
    lines, start = lines_between(data, 0, offset)
    before = data[start:offset].removeprefix(b"\xef\xbb\xbf" if start == 0 else b"")
    return Place(file, lines + 1, len(before.decode(errors="replace")) + 1)


def lines_between(data: bytes, start: int, end: int) -> tuple[int, int]:
    """How many lines end between two bytes, and where the one begins in which the second stands, or else `start`.

    A line ends with a line feed, a carriage return or both.

    >>> lines_between(b"a\\r\\nb\\rc", 0, 6)
    (2, 5)
    """
    lines = data.count(b"\n", start, end)
    begin = data.rfind(b"\n", start, end) + 1
    if data.find(b"\r", start, end) >= 0:
        if data[end - 1 : end + 1] == b"\r\n":  # the line does not end between the two
            return lines_between(data, start, end - 1)
        lines += data.count(b"\r", start, end) - data.count(b"\r\n", start, end)
        begin = max(begin, data.rfind(b"\r", start, end) + 1)
    return lines, max(begin, start)
