"""Keeps the outputs in the pages true: reruns the commands that stand above them and rewrites what changed.

A page asks for an output with a comment line and a fenced block below it:

    <!-- output: outlast check before.yaml -->
    ```console
    $ outlast check before.yaml
    ...
    ```

The command runs in the page's own folder; what it writes to stdout becomes the block, with its exit code if that is not 0.
With ` | head -n 12` behind it, only so many lines do. What a command says that needs a repository of its own stands in a snapshot of the tests:

    <!-- output: review.text of outlast review --base main -->
`python docs/update_outputs.py [PAGE ...]` rewrites, `--check` only tells which pages would change (exit code 1).
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

__all__ = ["PageError", "pages", "rewrite", "run"]

ROOT = Path(__file__).resolve().parent.parent

_MARKER = re.compile(r"<!-- output: (?P<command>.+) -->")
_HEAD = re.compile(r"(?P<command>.*?) \| head -n (?P<lines>[1-9]\d*)")
_SNAPSHOT = re.compile(r"(?P<name>[\w.-]+) of (?P<command>.*)")
_FENCE = "```"


class PageError(Exception):
    """A page's marker or command is not as it should be."""


def pages() -> list[Path]:
    """Every page of the project that may show outputs, the root's first."""
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("examples/*/*.md"))]


def run(command: str, folder: Path) -> str:
    """What `command` shows when it is run in `folder`, as a reader would see it in a terminal without colours.

    Raises PageError if it is not a command of outlast, could not be run, or was used wrongly.
    """
    snapshot = _SNAPSHOT.fullmatch(command)
    if snapshot is not None:
        path = ROOT / "tests/cli/snapshots" / snapshot["name"]
        return f"$ {snapshot['command']}\n{path.read_text(encoding='utf-8').rstrip()}"
    head = _HEAD.fullmatch(command)
    words = shlex.split(head["command"] if head else command)
    if words[:1] != ["outlast"]:
        raise PageError(f"expected a command of outlast, found {command!r}")
    tool = Path(sys.executable).with_name("outlast")
    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    kept = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "CLICOLOR_FORCE"}}
    done = subprocess.run(
        [tool, *words[1:]],
        cwd=folder,
        env=kept | plain,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    if done.returncode not in (0, 1, 3):
        raise PageError(f"{command!r} ended with exit code {done.returncode}: {done.stderr.strip()}")
    shown = [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]
    lines = [f"$ {command}", *(shown[: int(head["lines"])] if head else shown)]
    if done.returncode and not head:  # of a pipe, the shell would show the last one's
        lines += ["$ echo $?", str(done.returncode)]
    return "\n".join(lines)


def rewrite(text: str, output: Callable[[str], str]) -> str:
    """The page with every block below a marker replaced by what `output` says of the marker's command.

    Raises PageError where a marker is not followed by a closed fenced block, or an output would close its block.
    """
    lines = text.split("\n")
    written: list[str] = []
    at = 0
    while at < len(lines):
        written.append(lines[at])
        marker = _MARKER.fullmatch(lines[at].strip())
        at += 1
        if marker is None:
            continue
        if at >= len(lines) or not lines[at].startswith(_FENCE):
            raise PageError(f"expected a fenced block below the marker in line {at}")
        if _FENCE not in lines[at + 1 :]:
            raise PageError(f"expected an end of the fenced block that starts in line {at + 1}")
        shown = output(marker["command"])
        if any(line.startswith(_FENCE) for line in shown.split("\n")):
            raise PageError(f"{marker['command']!r} prints a line that would end its block")
        written += [lines[at], *shown.split("\n"), _FENCE]
        at = lines.index(_FENCE, at + 1) + 1
    return "\n".join(written)


def main(arguments: Sequence[str]) -> int:
    """Rewrite or check the pages named, all of them if none is."""
    checking = "--check" in arguments
    named = [Path(argument).resolve() for argument in arguments if argument != "--check"]
    changed = 0
    for page in named or pages():
        old = page.read_text(encoding="utf-8")
        try:
            new = rewrite(old, partial(run, folder=page.parent))
        except PageError as error:
            print(f"{page}: {error}", file=sys.stderr)
            return 2
        if new != old:
            changed += 1
            print(f"{page} {'is out of date' if checking else 'rewritten'}")
            if not checking:
                page.write_text(new, encoding="utf-8")
    return 1 if checking and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
