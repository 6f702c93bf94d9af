"""How files are called in what other tools read: from the current folder, with `/`, or as URIs (RFC 3986, RFC 8089)."""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import quote

from outlast.constraints.check import shown_file
from outlast.constraints.errors import OVERRIDE, Place, printable

__all__ = ["file_uri", "in_file", "is_inside", "relative_path"]

_DRIVE: Final = re.compile(r"[A-Za-z]:/")


def in_file(place: Place | None) -> Place | None:
    """The place; None where it is on the command line, which is no file."""
    return None if place is None or place.file == OVERRIDE else place


def relative_path(file: str) -> str:
    """The path as seen from the current folder; one outside of it as it is."""
    path, here = shown_file(printable(file)), shown_file(os.getcwd()).rstrip("/")
    return path[len(here) + 1 :] if path.startswith(f"{here}/") else path


def is_inside(path: str) -> bool:
    """Whether a path from the current folder stays in it."""
    return not (path.startswith("/") or _DRIVE.match(path) or path.split("/", 1)[0] == "..")


def file_uri(file: str) -> tuple[str, bool]:
    """The URI of a file, and whether it is relative to the current folder.

    >>> file_uri("a b/ü#1.yaml"), file_uri("/etc/a.conf"), file_uri("C:/a.conf")
    (('a%20b/%C3%BC%231.yaml', True), ('file:///etc/a.conf', False), ('file:///C:/a.conf', False))
    """
    path = relative_path(file)
    if is_inside(path):
        return quote(path, safe="/"), True
    if not path.startswith("/") and not _DRIVE.match(path):
        path = shown_file(os.path.join(os.getcwd(), path))
    return f"file://{'' if path.startswith('/') else '/'}{quote(path, safe='/:')}", False
