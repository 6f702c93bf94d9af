"""Keeps the pictures in the pages true: reruns the commands that stand above them and rewrites the files that changed.

A page asks for a picture with a comment line right above its image:

    <!-- picture: outlast timeline before.yaml pause --current -->
    ![what it shows](pictures/before.svg)

The command runs in the page's own folder; what it draws becomes the file.
`python docs/update_pictures.py` rewrites, `--check` only tells which pictures would change (exit code 1).
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from update_outputs import PageError, pages

__all__ = ["Wanted", "draw", "stale", "wanted"]

_MARKER = re.compile(r"<!-- picture: (?P<command>.+) -->\n(?:!\[(?P<words>[^\]]*)\]\((?P<file>[\w./-]+\.svg)\))?")


class Wanted(NamedTuple):
    """A picture of a page."""

    page: Path
    command: str
    file: Path
    #: What those read who do not see it.
    words: str


def wanted(page: Path) -> Iterator[Wanted]:
    """The pictures that a page asks for.

    Raises PageError where no image follows a marker, or nobody is told in words what it shows.
    """
    for match in _MARKER.finditer(page.read_text(encoding="utf-8")):
        if not match["file"] or not match["words"].strip():
            raise PageError(f"{page}: expected an image with its words below the marker of {match['command']!r}")
        yield Wanted(page, match["command"], page.parent / match["file"], match["words"])


def draw(picture: Wanted) -> str:
    """The picture as its command draws it today.

    Raises PageError if it is no command that draws, or could not be run.
    """
    words = shlex.split(picture.command)
    if words[:2] != ["outlast", "timeline"]:
        raise PageError(f"expected outlast timeline, found {picture.command!r}")
    tool = Path(sys.executable).with_name("outlast")
    done = subprocess.run(
        [tool, *words[1:], "--output", "-"],
        cwd=picture.page.parent,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    if done.returncode not in (0, 1) or not done.stdout:
        raise PageError(f"{picture.command!r} ended with exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def stale() -> Iterator[tuple[Wanted, str]]:
    """The pictures that are not as their commands draw them, and how they should be."""
    for page in pages():
        for picture in wanted(page):
            drawn = draw(picture)
            if not picture.file.is_file() or picture.file.read_text(encoding="utf-8") != drawn:
                yield picture, drawn


def main(arguments: Sequence[str]) -> int:
    """Rewrite or check all pictures."""
    checking = "--check" in arguments
    changed = 0
    try:
        for picture, drawn in stale():
            changed += 1
            print(f"{picture.file} {'is out of date' if checking else 'rewritten'}")
            if not checking:
                picture.file.parent.mkdir(exist_ok=True)
                picture.file.write_text(drawn, encoding="utf-8")
    except PageError as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if checking and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
