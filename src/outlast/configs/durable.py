"""Steps on disk that a crash leaves done or not done: a copy written in full beside a file, a folder made durable, a lock that dies with its process."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

__all__ = ["lock", "remove", "sync_folder", "write_beside", "write_new"]

_FLAGS: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | _FLAGS
#: What a system says of things that it does not have, or does not let this user have.
_NOT_THERE: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODATA})
_NOT_PERMITTED: Final = frozenset({errno.EPERM, errno.EACCES, *_NOT_THERE})


def write_beside(target: str, temporary: str, content: bytes) -> None:
    """Make a new file with the mode of `target`, and its owner and extended attributes where permitted; it is on the disk on return.

    Raises:
        OSError: as the system says; a part of the file may be there then.
    """
    descriptor = os.open(temporary, _NEW, 0o600)
    try:
        _write(descriptor, content)
        _take_after(target, temporary)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new(path: str, content: Callable[[int], bytes]) -> None:
    """Make a file that only its owner may read, of what is to be written into the inode of this number; it is on the disk on return.

    Raises:
        OSError: as for `write_beside`.
    """
    descriptor = os.open(path, _NEW, 0o600)
    try:
        _write(descriptor, content(os.fstat(descriptor).st_ino))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: str) -> None:
    """Remove a file, if it is there; raises OSError as the system says."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def sync_folder(folder: str) -> None:
    """Bring the names in a folder to the disk, where the system can do that; raises OSError as it says."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _FLAGS)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
    finally:
        os.close(descriptor)


@contextmanager
def lock(folder: str, *, is_shared: bool = False) -> Iterator[bool]:
    """Hold a folder against other processes that change files from there, as long as this one lives; False: another one holds it.

    Nothing is left behind. Windows keeps a file `.outlast-lock` meanwhile, which the system removes with the process.

    Raises:
        OSError: as the system says.
    """
    try:
        descriptor = _lock(folder, is_shared)
    except (BlockingIOError, FileExistsError):
        yield False
        return
    try:
        yield True
    finally:
        with suppress(OSError):  # it is given up whatever the system says
            os.close(descriptor)


if sys.platform == "win32":

    def _lock(folder: str, is_shared: bool) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_TEMPORARY | os.O_NOINHERIT
        return os.open(os.path.join(folder, ".outlast-lock"), flags, 0o600)

else:
    import fcntl

    def _lock(folder: str, is_shared: bool) -> int:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _FLAGS)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor


def _write(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _take_after(target: str, copy: str) -> None:
    """Give the copy the owner, the mode and the extended attributes (access lists among them) of a file, where permitted."""
    old = os.stat(target)
    mode = stat.S_IMODE(old.st_mode)
    if sys.platform != "win32":
        new = os.stat(copy)
        has_owner = old.st_uid == new.st_uid or _is_permitted(lambda: os.chown(copy, old.st_uid, -1))
        has_group = old.st_gid == new.st_gid or _is_permitted(lambda: os.chown(copy, -1, old.st_gid))
        if not has_group:
            # Another group must not get what was meant for the old one.
            mode = mode & ~0o070 | (mode & 0o007) << 3
        if not (has_owner and has_group):
            mode &= 0o777
    kept = _attributes(target)
    for name in _attributes(copy):
        if name not in kept:  # as an access list that the folder gives to new files
            _is_permitted(partial(_remove_attribute, copy, name))
    os.chmod(copy, mode)
    for name in kept:
        _is_permitted(partial(_copy_attribute, target, copy, name))


if sys.platform == "linux":

    def _attributes(path: str) -> list[str]:
        try:
            return os.listxattr(path)
        except OSError as error:
            if error.errno not in _NOT_PERMITTED:
                raise
            return []

    def _remove_attribute(path: str, name: str) -> None:
        os.removexattr(path, name)

    def _copy_attribute(target: str, copy: str, name: str) -> None:
        os.setxattr(copy, name, os.getxattr(target, name))

else:

    def _attributes(path: str) -> list[str]:
        return []

    def _remove_attribute(path: str, name: str) -> None: ...

    def _copy_attribute(target: str, copy: str, name: str) -> None: ...


def _is_permitted(change: Callable[[], None]) -> bool:
    try:
        change()
    except OSError as error:
        if error.errno not in _NOT_PERMITTED:
            raise
        return False
    return True
