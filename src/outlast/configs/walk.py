"""Which files to read below some paths: those that a project has written itself, as far as names and git's files of patterns tell.

Left out are what git ignores, folders of dependencies and of built things, minified and lock files. No link leads out of the tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from outlast.configs.gitignore import Patterns, is_ignored, patterns_above, patterns_of, patterns_of_repository
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.files import DISK, Store, TooLargeError, glance
from outlast.constraints.progress import doing
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


def walk(paths: Sequence[Path], skipped: list[Skipped], store: Store = DISK) -> Iterator[Found]:
    """The files below the paths, each once, in the order of the names that reports give them; to `skipped` goes what could not be looked at.

    A file that is given itself is found whatever it is; of a folder, its own name is not judged.

    Raises:
        InputErrors: before the first file, for paths that do not exist.
    """
    named, folders, wrong = _given(paths, store)
    if wrong:
        raise InputErrors("paths that cannot be read", wrong)
    found: dict[str, Found] = {}
    links: list[_Link] = []
    for real, path in named:
        found.setdefault(real, Found(path, _shown(path), True))
    for real, path in folders:
        shown = "" if path == "." else _shown(path).rstrip("/") + "/"
        for inner, file in _files(_Folder(path, shown, real, 0, patterns_above(real, store)), links, skipped, store):
            found.setdefault(inner, file)
    for link in sorted(links, key=lambda link: link.file):
        target = _target(link, store)
        if target is not None:
            found.setdefault(target, Found(link.path, link.file))
    return iter(sorted(found.values(), key=lambda f: f.file))


def _given(
    paths: Sequence[Path], store: Store
) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[OutlastError]]:
    """Files and folders, each with its absolute path and as it was given, and what is wrong with others."""
    named: list[tuple[str, str]] = []
    folders: list[tuple[str, str]] = []
    wrong: list[OutlastError] = []
    for path in sorted({os.fspath(p) for p in paths}):
        try:
            (folders if store.what(path) == "folder" else named).append((store.resolve(path), path))
        except OutlastError as error:
            wrong.append(error)
    return named, folders, wrong


def _shown(path: str) -> str:
    return path.replace(os.sep, "/")


def _files(root: _Folder, links: list[_Link], skipped: list[Skipped], store: Store) -> Iterator[tuple[str, Found]]:
    """The regular files below a folder, with their absolute paths, in no order; links to something go to `links`."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        doing("looking around: {}", folder.shown or ".")
        try:
            entries = store.entries(folder.path)
        except OutlastError as error:
            skipped.append(Skipped(folder.shown.rstrip("/") or ".", error.message))
            continue
        patterns = _patterns_in(folder, {name for name, _ in entries}, store)
        for name, what in entries:
            path = os.path.join(folder.path, name)
            real, shown = f"{folder.real.rstrip('/')}/{name}", folder.shown + name
            is_folder = what == "folder"
            if name in _LEFT_OUT or (patterns and is_ignored(real, patterns, is_folder=is_folder)):
                continue
            if is_folder:
                if folder.depth == _DEEPEST:
                    skipped.append(Skipped(shown, f"more than {_DEEPEST} folders deep"))
                else:
                    waiting.append(_Folder(path, shown + "/", real, folder.depth + 1, patterns))
            elif _NOT_WRITTEN.fullmatch(name):
                continue
            elif what == "link":
                links.append(_Link(path, shown, root.real))
            elif what == "file":
                yield real, Found(path, shown)


def _patterns_in(folder: _Folder, names: set[str], store: Store) -> tuple[Patterns, ...]:
    """The patterns for a folder's entries, the nearest first; those around a repository do not count inside it."""
    inherited = folder.patterns
    if ".git" in names and folder.depth:
        inherited = patterns_of_repository(folder.real, store)
    if ".gitignore" not in names:
        return inherited
    own = patterns_of(os.path.join(folder.path, ".gitignore"), folder.real, store)
    return inherited if own is None else (own, *inherited)


def _target(link: _Link, store: Store) -> str | None:
    """The regular file inside the tree that a link leads to, by its absolute path; None: there is none."""
    try:
        real = store.resolve(link.path)
        is_file = store.what(real, follow=False) == "file"
    except (OutlastError, OSError, ValueError):
        return None
    inside = link.root.rstrip("/") + "/"
    if not is_file or not real.startswith(inside) or not _LEFT_OUT.isdisjoint(real[len(inside) :].split("/")):
        return None
    return real


def contents(found: Found, skipped: list[Skipped], store: Store = DISK) -> bytes | None:
    """The bytes of a file; None if it was not named and is binary, minified or too large or cannot be read, the last two told in `skipped`.

    Raises:
        OutlastError: a file that was named cannot be read.
    """
    if found.is_named:
        return store.read(found.path)
    try:
        data = glance(found.path, LARGEST, store)
    except OutlastError as error:
        is_large = isinstance(error, TooLargeError)
        why = f"larger than {LARGEST // 2**20} MB; name the file to have it read" if is_large else error.message
        skipped.append(Skipped(found.file, why))
        return None
    head = data[:_HEAD]
    if b"\0" in head or (len(data) > _HEAD and found.file.endswith(_SCRIPTS) and b"\n" not in head):
        return None
    return data
