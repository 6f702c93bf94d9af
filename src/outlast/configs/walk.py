"""Which files to read below some paths: those that a project has written itself, as far as names and git's files of patterns tell.

Left out are what git ignores, folders of dependencies and of built things, minified and lock files. No link leads out of the tree.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from outlast.configs.ignored import Patterns, is_ignored, patterns_above, patterns_of, patterns_of_repository
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import open_regular, reason
from outlast.constraints.record import record

__all__ = ["LARGEST", "Found", "Skipped", "contents", "walk"]

#: The largest file that is read without being named, in bytes.
LARGEST: Final = 4 * 2**20
#: How many bytes tell a binary file, and code that no person wrote.
_HEAD: Final = 8192
#: How many folders may lie in each other.
_DEEPEST: Final = 100

#: Folders of dependencies, of built things and of tools.
_LEFT_OUT: Final = frozenset(
    (".git", ".hg", ".svn", "vendor", "node_modules", "third_party", ".venv", "venv", "site-packages", "dist", "build", "target", "__pycache__", ".terraform",
     "Pods", "bower_components", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".next", ".terragrunt-cache")
)  # fmt: skip
#: Minified, lock and generated files.
_NOT_WRITTEN: Final = re.compile(
    r".*\.(?:min\.[cm]?js|bundle\.js|map|lock|lock\.(?:json|hcl|ya?ml)|pb(?:\.gw)?\.go)|(?:.*-lock|npm-shrinkwrap)\.(?:json|ya?ml)|go\.sum|.*_pb2(?:_grpc)?\.py"
    r"|zz_generated\..*"
)
_SCRIPTS: Final = (".js", ".mjs", ".cjs")


@record
class Found:
    """A file to read."""

    #: What opens it.
    path: str
    #: How reports call it: below the path that was given, with `/` between folders.
    file: str
    #: Whether it was given itself, not a folder around it.
    is_named: bool = False


@record
class Skipped:
    """A file or folder that would have been read, but for the reason."""

    file: str
    reason: str


class _Folder(NamedTuple):
    path: str
    #: What stands before the names of its entries in reports.
    shown: str
    #: Its absolute path without links, which patterns are compared with.
    real: str
    depth: int
    patterns: tuple[Patterns, ...]


class _Link(NamedTuple):
    path: str
    file: str
    #: The absolute path, without links, of the folder that was given.
    root: str


def walk(paths: Sequence[Path], skipped: list[Skipped]) -> Iterator[Found]:
    """The files below the paths, each once, in the order of the names that reports give them; to `skipped` goes what could not be looked at.

    A file that is given itself is found whatever it is; of a folder, its own name is not judged.

    Raises:
        InputErrors: before the first file, for paths that do not exist.
    """
    named, folders, wrong = _given(paths)
    if wrong:
        raise InputErrors("paths that cannot be read", wrong)
    found: dict[str, Found] = {}
    links: list[_Link] = []
    for real, path in named:
        found.setdefault(real, Found(path, _shown(path), True))
    for real, path in folders:
        shown = "" if path == "." else _shown(path).rstrip("/") + "/"
        for inner, file in _files(_Folder(path, shown, real, 0, patterns_above(real)), links, skipped):
            found.setdefault(inner, file)
    for link in sorted(links, key=lambda link: link.file):
        target = _target(link)
        if target is not None:
            found.setdefault(target, Found(link.path, link.file))
    return iter(sorted(found.values(), key=lambda f: f.file))


def _given(paths: Sequence[Path]) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[OutlastError]]:
    """Files and folders, each with its absolute path and as it was given, and what is wrong with others."""
    named: list[tuple[str, str]] = []
    folders: list[tuple[str, str]] = []
    wrong: list[OutlastError] = []
    for path in sorted({os.fspath(p) for p in paths}):
        try:
            mode = os.stat(path).st_mode
            real = os.path.realpath(path)
        except ValueError:
            wrong.append(OutlastError(f"expected a path, found '{printable(path)}'"))
            continue
        except OSError as error:
            wrong.append(OutlastError(f"cannot read {printable(path)}: {reason(error)}"))
            continue
        (folders if stat.S_ISDIR(mode) else named).append((real, path))
    return named, folders, wrong


def _shown(path: str) -> str:
    return path.replace(os.sep, "/")


def _files(root: _Folder, links: list[_Link], skipped: list[Skipped]) -> Iterator[tuple[str, Found]]:
    """The regular files below a folder, with their absolute paths, in no order; links to something go to `links`."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder.path) as scan:
                entries = list(scan)
        except OSError as error:
            skipped.append(Skipped(folder.shown.rstrip("/") or ".", f"cannot be read: {reason(error)}"))
            continue
        patterns = _patterns_in(folder, {entry.name for entry in entries})
        for entry in entries:
            name = entry.name
            real, shown = f"{folder.real.rstrip('/')}/{name}", folder.shown + name
            is_folder = entry.is_dir(follow_symlinks=False)
            if name in _LEFT_OUT or (patterns and is_ignored(real, patterns, is_folder=is_folder)):
                continue
            if is_folder:
                if folder.depth == _DEEPEST:
                    skipped.append(Skipped(shown, f"more than {_DEEPEST} folders deep"))
                else:
                    waiting.append(_Folder(entry.path, shown + "/", real, folder.depth + 1, patterns))
            elif _NOT_WRITTEN.fullmatch(name):
                continue
            elif entry.is_symlink():
                links.append(_Link(entry.path, shown, root.real))
            elif entry.is_file(follow_symlinks=False):
                yield real, Found(entry.path, shown)


def _patterns_in(folder: _Folder, names: set[str]) -> tuple[Patterns, ...]:
    """The patterns for a folder's entries, the nearest first; those around a repository do not count inside it."""
    inherited = folder.patterns
    if ".git" in names and folder.depth:
        inherited = patterns_of_repository(folder.real)
    own = patterns_of(os.path.join(folder.path, ".gitignore"), folder.real) if ".gitignore" in names else None
    return inherited if own is None else (own, *inherited)


def _target(link: _Link) -> str | None:
    """The regular file inside the tree that a link leads to, by its absolute path; None: there is none."""
    try:
        real = os.path.realpath(link.path, strict=True)
        is_file = stat.S_ISREG(os.stat(real).st_mode)
    except (OSError, ValueError):
        return None
    inside = link.root.rstrip("/") + "/"
    if not is_file or not real.startswith(inside) or not _LEFT_OUT.isdisjoint(real[len(inside) :].split("/")):
        return None
    return real


def contents(found: Found, skipped: list[Skipped]) -> bytes | None:
    """The bytes of a file; None if it was not named and is binary, minified or too large or cannot be read, the last two told in `skipped`.

    Raises:
        OutlastError: a file that was named cannot be read.
    """
    if found.is_named:
        return open_regular(found.path)
    try:
        data = open_regular(found.path, LARGEST)
    except OutlastError as error:
        is_large = os.path.isfile(found.path) and os.path.getsize(found.path) > LARGEST
        why = f"larger than {LARGEST // 2**20} MB; name the file to have it read" if is_large else error.message
        skipped.append(Skipped(found.file, why))
        return None
    head = data[:_HEAD]
    if b"\0" in head or (len(data) > _HEAD and found.file.endswith(_SCRIPTS) and b"\n" not in head):
        return None
    return data
