"""What git ignores, told from the patterns in a repository's files alone: git is not asked, which may not be there."""

from __future__ import annotations

import os
import re
import warnings
from typing import Final, NamedTuple

from pathspec import GitIgnoreSpec

from outlast.constraints.errors import OutlastError
from outlast.constraints.files import DISK, Store

__all__ = ["Patterns", "is_ignored", "patterns_above", "patterns_of", "patterns_of_repository"]

#: The group by which the library's expressions tell that a folder is meant, or one above.
_FOLDER: Final = "ps_d"
_NAMED_GROUP: Final = re.compile(r"\(\?P<\w+>")
#: A star and what follows it up to the next star of the same name: the first place that fits is as good as any other one.
_STARS: Final = re.compile(r"(?:\[\^/\]\*)+")
_STAR: Final = re.compile(r"\[\^/\]\*((?:\\.|\[(?:\\.|[^\]\\])+\]|[^\\\[()|/*])+)(?=\[\^/\]\*)")
#: Classes of characters that the library does not know.
_CLASSES: Final = {
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:alnum:]": "A-Za-z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:space:]": " \t",
    "[:xdigit:]": "0-9A-Fa-f",
}
#: How many `**` between names a pattern may have, each of which multiplies the ways in which it may fit.
_MOST_GAPS: Final = 3
_LARGEST: Final = 2**20


class Pattern(NamedTuple):
    """One line of a file of patterns."""

    expression: re.Pattern[str]
    #: False for a line with `!`.
    ignores: bool


class Patterns(NamedTuple):
    """The lines of one file, the last first, with the folder that they speak of."""

    #: Its path with `/` at the end; paths are compared after so many characters.
    folder: str
    patterns: tuple[Pattern, ...]
    #: Any of them, to pass by most paths in one go.
    any_of: re.Pattern[str]

    def ignores(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the last line that fits a path in the folder ignores it; None: none fits."""
        inner = path[len(self.folder) :]
        asked = inner + "/" if is_folder else inner
        if self.any_of.search(asked) is None:
            return None
        for expression, ignores in self.patterns:
            if _fits(expression, inner, asked, is_folder=is_folder):
                return ignores
        return None


def _fits(expression: re.Pattern[str], inner: str, asked: str, *, is_folder: bool) -> bool:
    """Whether a pattern means the path itself; that it means a folder above has been told when that folder was looked at."""
    if _FOLDER not in expression.groupindex:  # `a/**`: what is inside, whatever it is
        return expression.search(inner) is not None
    match = expression.search(asked)
    if match is None:
        return False
    end = match.end(_FOLDER)
    if not is_folder:
        return end == -1
    return end == len(asked) or match.re.pattern == f"(?P<{_FOLDER}>/)"  # `*/`: any folder


def is_ignored(path: str, chain: tuple[Patterns, ...], *, is_folder: bool) -> bool:
    """Whether git ignores a path whose folder is not ignored, by the files of patterns that apply there, the nearest first."""
    for patterns in chain:
        answer = patterns.ignores(path, is_folder=is_folder)
        if answer is not None:
            return answer
    return False


def patterns_above(folder: str, store: Store = DISK) -> tuple[Patterns, ...]:
    """The patterns of the folders above an absolute one, up to the root of its repository, the nearest first; none outside of one."""
    found: list[Patterns] = []
    while not _is_there(os.path.join(folder, ".git"), store):
        above = os.path.dirname(folder)
        if above == folder:
            return ()
        folder = above
        if patterns := patterns_of(os.path.join(folder, ".gitignore"), folder, store):
            found.append(patterns)
    return (*found, *patterns_of_repository(folder, store))


def _is_there(path: str, store: Store) -> bool:
    try:
        store.what(path, follow=False)
    except OutlastError:
        return False
    return True


def patterns_of_repository(folder: str, store: Store = DISK) -> tuple[Patterns, ...]:
    """The patterns that a repository keeps to itself, by its topmost folder."""
    patterns = patterns_of(os.path.join(folder, ".git", "info", "exclude"), folder, store)
    return () if patterns is None else (patterns,)


def patterns_of(file: str, folder: str, store: Store = DISK) -> Patterns | None:
    """The patterns of a file, for paths below a folder; None: there are none, or no regular file is there."""
    try:
        if store.what(file, follow=False) == "link":  # git does not follow it either
            return None
        data = store.read(file, _LARGEST)
    except OutlastError:
        return None
    patterns: list[Pattern] = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip() and line[:1] != b"#" and (pattern := _pattern(os.fsdecode(line.removesuffix(b"\r")))):
            patterns.append(pattern)
    if not patterns:
        return None
    patterns.reverse()
    texts = (_NAMED_GROUP.sub("(?:", pattern.expression.pattern) for pattern in patterns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        any_of = re.compile("|".join(f"(?:{text})" for text in texts), re.DOTALL)
    return Patterns(folder.rstrip("/") + "/", tuple(patterns), any_of)


def _pattern(line: str) -> Pattern | None:
    """A line as an expression that takes no more than polynomial time; None: it means nothing."""
    if line.rstrip("/").count("/**/") - line.startswith("/**/") > _MOST_GAPS:
        return None
    if "[:" in line:
        for name, characters in _CLASSES.items():
            line = line.replace(name, characters)
    if line.endswith("/**/"):
        line = f"{line}*/"  # folders inside; the library would take the folder itself, too
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of `re`, about `[[`
            (compiled,) = GitIgnoreSpec.from_lines([line]).patterns
            if compiled.include is None or compiled.regex is None:
                return None
            text = _STAR.sub(r"(?>[^/]*?\1)", _STARS.sub("[^/]*", compiled.regex.pattern))
            return Pattern(re.compile(text.replace("$)", r"\Z)"), re.DOTALL), compiled.include)
    except (ValueError, re.error):
        return None
