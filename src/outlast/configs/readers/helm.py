"""Reader of Helm's templates: what stands between `{{` and `}}` is hidden, so that the rest is YAML, with every value at its place.

A line of actions only becomes empty, `{{ define }}` and its end begin a document, words of control and `nindent` become blanks, other
actions a word. Both branches of an `if` are read, so that a key may stand there twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from outlast.configs.readers.yaml_files import encode, read_masked
from outlast.configs.setting import Setting

__all__ = ["encode", "masked", "read"]

#: The rest of an action behind its `{{`; every alternative keeps what it has, so that nothing is looked at twice.
_ACTION: Final = re.compile(
    r"""-?\s*+/\*(?:[^*]++|\*(?!/))*+\*/\s*+-?\}\}
      | (?:[^"`'}]++|"(?:[^"\\\n]++|\\.)*+"|`[^`]*+`|'(?:[^'\\\n]++|\\.)*+'|\}(?!\}))*+\}\}""",
    re.X | re.S,
)
_CONTROL: Final = re.compile(
    r"\{\{-?\s*+(?:(if|range|with|define|block|end)\b|(?:else|break|continue)\b|/\*|\$\w*\s*+:?=)"
)
_DEFINED: Final = re.compile(r"""\{\{-?\s*+define\s++["`]([^"`\\\n]++)["`]""")
_INDENTED: Final = re.compile(r"\bn?indent\s+[\d$(.]")
#: What hides an action until lines are looked at; no file that can be read has it.
_MARK: Final = "\x01"
_ACTIONS_ALONE: Final = re.compile(r"^[ \t\r]*\x01[ \t\r\x01]*$", re.M)
_BLANKS: Final = re.compile(r"[ \t]*")
_KEY: Final = re.compile(r"[ \t]*+[\w./-]+:[ \t\r\n]")
_FILLED: Final = re.compile(r"[^\r\n]")


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The values of a template; raises `OutlastError` with a place if it is not YAML even without its actions."""
    return read_masked(data, file, _mask)


def masked(text: str) -> str:
    """The text with its actions overwritten, of the same length."""
    return _mask(text)[0]


def _mask(text: str) -> tuple[str, Sequence[tuple[int, int]], Mapping[int, str]]:
    """The text with its actions overwritten, of the same length, their spans, and the names of the documents that a `define` begins."""
    actions = _actions(text)
    if not actions or _MARK in text:
        return text, (), {}
    alone = _lines_alone(text, actions)
    pieces: list[str] = []
    names: dict[int, str] = {}
    blocks: list[str] = []  # that are open
    done = 0  # up to here the text is in `pieces`
    line = 0  # the line of actions only that is next
    searched = 0  # up to here line ends have been looked for
    indent = _BLANKS.match(text)  # of the line
    for start, end in actions:
        action = text[start:end]
        word, separates = _word(action), False
        if word in ("if", "range", "with", "define", "block"):
            blocks.append(word)
            separates = word == "define"
        elif word == "end":
            separates = bool(blocks) and blocks.pop() == "define"
        while line < len(alone) and alone[line][1] <= start:
            line += 1
        if line < len(alone) and alone[line][0] <= start:
            first = alone[line][0]
            pieces.append(text[done : max(done, first)] + "\n" * (start - max(done, first)))
            at_margin = separates and start == first
            if at_margin and (defined := _DEFINED.match(action)):
                names[start] = defined[1]
            pieces.append("---".ljust(end - start, "\n") if at_margin else "\n" * (end - start))
        else:
            pieces.append(text[done:start])
            newline = text.rfind("\n", searched, start)
            if newline >= 0:
                indent = _BLANKS.match(text, newline + 1)
            searched = start
            begins = _KEY.match(text, end) is not None or (indent is not None and indent.end() == start)
            pieces.append(_filler(action, word, indent[0] if indent and begins else None))
        done = end
    pieces.append(text[done:])
    return "".join(pieces), actions, names


def _actions(text: str) -> list[tuple[int, int]]:
    """The spans of all actions, up to one that does not end."""
    found: list[tuple[int, int]] = []
    start = text.find("{{")
    while start >= 0 and (match := _ACTION.match(text, start + 2)):
        found.append((start, match.end()))
        start = text.find("{{", match.end())
    return found


def _lines_alone(text: str, actions: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans of the lines on which only actions stand, several lines where an action goes on."""
    pieces, done = [], 0
    for start, end in actions:
        pieces += [text[done:start], _MARK * (end - start)]
        done = end
    pieces.append(text[done:])
    return [match.span() for match in _ACTIONS_ALONE.finditer("".join(pieces))]


def _word(action: str) -> str | None:
    """The word of control that an action begins with; empty if it is a comment, an `else` or an assignment, None if it is something else."""
    match = _CONTROL.match(action)
    return None if match is None else match[1] or ""


def _filler(action: str, word: str | None, indent: str | None) -> str:
    """What hides an action on a line with something else; `indent` is what that line begins with, if a key can begin behind the action."""
    if word is not None and indent is not None and len(indent) < len(action):
        filler = (
            "\n" * (len(action) - len(indent)) + indent
        )  # `{{ if }}key: value`: the key begins a line at its column
        return "".join(old if old in "\r\n" else new for old, new in zip(action, filler, strict=True))
    return _FILLED.sub(" " if word is not None or _INDENTED.search(action) else "x", action)
