"""PyYAML's complaints in words that a user of a spec can act on."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import yaml

from outlast.constraints.errors import printable
from outlast.constraints.record import record

__all__ = ["Slip", "explain", "in_quotes"]


@record(kw_only=True)
class Slip:
    """What is wrong at a line and column (from 1), and the text with the slip made harmless, of the same length."""

    message: str
    line: int
    col: int
    mended: str | None = None


def in_quotes(text: str) -> str:
    """The text as a quoted YAML scalar on one line, shortened, for a proposal.

    >>> in_quotes("it's")
    "'it''s'"
    """
    shown = printable(text[:1000].strip())
    shown = shown if len(shown) <= 60 else shown[:57] + "…"
    return "'" + shown.replace("'", "''") + "'"


_BEGINS: Final = {
    "@": "which cannot begin a value in YAML",
    "`": "which cannot begin a value in YAML",
    "%": "which cannot begin a value in YAML",
    "*": "which YAML takes for an alias",
    "&": "which YAML takes for an anchor",
    "!": "which YAML takes for a tag",
    ">": "which YAML takes for the start of a block of text",
    "|": "which YAML takes for the start of a block of text",
}
_HASH: Final = re.compile(r"[ \t](#[^\s#])")
_KEY_BEFORE: Final = re.compile(r"([^\s,\[\]{}:'\"]+)\s*:\s*$")
_FIRST_KEY: Final = re.compile(r"[\s\-]*([^\s:'\"{\[][^:]*?)\s*:\s+(?=\S)")
#: Proposals look no further than this, in characters.
_LONGEST_KEY: Final = 200
_KEY_WITHOUT_BLANK: Final = re.compile(r"\s*([A-Za-z_][\w.]*):(\S.*)")


def explain(error: yaml.MarkedYAMLError, text: str, line_of: Callable[[int], str]) -> Slip:
    """Say what is wrong; `text` is what was read, `line_of` gives one of its lines."""
    problem = error.problem or "found something else"
    mark = error.problem_mark or error.context_mark
    context = error.context or ""
    at = (mark.line, mark.column) if mark else (0, 0)
    start = (error.context_mark.line, error.context_mark.column) if error.context_mark else at
    if "nesting depth" in problem or "nesting depth" in context:
        return _slip("expected at most 32 levels of nesting, found more", at)
    if "quoted scalar" in context:
        return _quoted(problem, at, start, line_of)
    if "cannot start any token" in problem or any(
        word in context for word in ("alias", "anchor", "tag", "block scalar")
    ):
        first = at if "cannot start" in problem else start
        return _first_character(first, text, line_of)
    if "mapping values" in problem:
        return _second_colon(at, text, line_of)
    if "flow" in context and (cut := _cut_in_flow(start, at, text, line_of)):
        return cut
    if "flow" in context:
        pair = "']'" if "sequence" in context else "'}'"
        opened = (
            f"the bracket at {start[0] + 1}:{start[1] + 1}"
            if "sequence" in context
            else f"the brace at {start[0] + 1}:{start[1] + 1}"
        )
        return _slip(f"expected ',' or {pair} to go with {opened}", at)
    if "simple key" in context:
        found = line_of(start[0] + 1)
        if match := _KEY_WITHOUT_BLANK.match(found, start[1]):
            key, value = printable(match[1]), printable(match[2])[:40]
            return _slip(f"expected a blank after the colon: '{key}: {value}'", start)
        return _slip(f"expected 'key: value', found {in_quotes(found[start[1] :])}", start)
    if "entries are not allowed" in problem:
        message = "found '- ' inside a value; begin the list on a line of its own, or put the value in quotes"
        return _slip(message, at, _mend(text, at, "_"))
    if "mapping keys" in problem:
        return _slip("found '? ' inside a value; put the value in quotes", at, _mend(text, at, "_"))
    if "expected key" in problem or "block end" in problem or "'-' indicator" in problem:
        return _slip("found a line that belongs to nothing before it; check its indentation", at)
    if "node content" in problem:
        found = line_of(at[0] + 1)[at[1] : at[1] + 1]
        return _slip(f"expected a value, found '{printable(found)}'" if found else "expected a value", at)
    return _slip(f"not YAML: {printable(problem)}", at)


def _slip(message: str, at: tuple[int, int], mended: str | None = None) -> Slip:
    return Slip(message=message, line=at[0] + 1, col=at[1] + 1, mended=mended)


def _mend(text: str, at: tuple[int, int], by: str) -> str:
    """The text with one character replaced."""
    start = 0
    for _ in range(at[0]):
        start = text.index("\n", start) + 1
    index = start + at[1]
    return text[:index] + by + text[index + 1 :]


def _first_character(at: tuple[int, int], text: str, line_of: Callable[[int], str]) -> Slip:
    line = line_of(at[0] + 1)
    found = line[at[1] : at[1] + 1]
    if found == "\t":
        message = "found a tab, expected blanks; YAML does not indent with tabs"
        return _slip(message, at, _mend(text, at, " "))
    if found not in _BEGINS or not found:
        return _slip(f"not YAML: found '{printable(found)}' where no value can begin", at)
    key = _KEY_BEFORE.search(line, max(0, at[1] - _LONGEST_KEY), at[1])
    value = line[at[1] : at[1] + _LONGEST_KEY]
    if "{" in line[: at[1]]:
        value = re.split(r"[,}]", value)[0]
    proposal = (f"{printable(key[1])}: " if key else "") + in_quotes(value)
    return _slip(f"found '{found}', {_BEGINS[found]}; put the value in quotes: {proposal}", at, _mend(text, at, "_"))


def _second_colon(at: tuple[int, int], text: str, line_of: Callable[[int], str]) -> Slip:
    line = line_of(at[0] + 1)
    key = _FIRST_KEY.match(line, 0, at[1]) if at[1] <= 10 * _LONGEST_KEY else None
    if key is None:
        return _slip("found a key inside a value; check the indentation", at)
    proposal = f"{printable(key[1])}: {in_quotes(line[key.end() :])}"
    message = f"found ': ' inside a value; put the value in quotes: {proposal}"
    return _slip(message, at, _mend(text, at, "_"))


def _cut_in_flow(start: tuple[int, int], at: tuple[int, int], text: str, line_of: Callable[[int], str]) -> Slip | None:
    for number in range(start[0], min(at[0], start[0] + 50) + 1):
        match = _HASH.search(line_of(number + 1), start[1] if number == start[0] else 0)
        if match:
            place = (number, match.start(1))
            message = "found ' #' inside braces, where the rest of the line is a comment; put the value in quotes"
            return _slip(message, place, _mend(text, place, "_"))
    return None


def _quoted(problem: str, at: tuple[int, int], start: tuple[int, int], line_of: Callable[[int], str]) -> Slip:
    if "end of stream" in problem or "document" in problem:
        return _slip("found a quotation mark without its partner", start)
    line = line_of(at[0] + 1)
    backslash = line.rfind("\\", 0, at[1] + 1)
    escape = line[backslash:][:2]
    if backslash >= 0 and ("escape" in problem or "hexa" in problem):
        at = (at[0], backslash)
        return _slip(
            f"found the unknown escape '{printable(escape)}'; put the text in single quotes, or write '\\\\'", at
        )
    return _slip(f"not YAML: {printable(problem)}", at)
