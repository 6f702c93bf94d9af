"""Comments of users' files that say which findings do not count: where each format has comments, and the line that each speaks of.

Only files with the words are looked at. Where code tells strings from comments a grammar does it, elsewhere the lexical rules of the format's
reader, so that a string, a block of text or a here-document with the words is no comment. When in doubt it is none: a finding stays.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from outlast.configs.readers.texts import BOM
from outlast.constraints.document import LARGEST_FILE, Source
from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.files import may_ignore
from outlast.constraints.ignoring import parse_ignore
from outlast.constraints.model import Ignore

if TYPE_CHECKING:
    from outlast.configs.readers.yaml_nodes import Node

__all__ = ["ignores_in", "spans_of_comments"]

#: The first byte of a comment and the one behind its last.
_Span = tuple[int, int]

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_NO_LINE_END: Final = re.compile(rb"[^\r\n]")
_LEADER: Final = rb"(?:\#+|//+!?|/\*+!?|\*+|;+|!+|\{\{-?[ \t]*/\*+)"
#: At the beginning of a comment, or behind a further leader in it: `# no tabs here  # outlast: ignore[…] …`.
_DIRECTIVE: Final = re.compile(
    rb"^[ \t]*" + _LEADER + rb"?[ \t]*(outlast:[ \t]?ignore.*)|[ \t](?:\#+|//+|;+)[ \t]*(outlast:[ \t]?ignore.*)"
)
_CLOSED: Final = re.compile(rb"[ \t]*\*+/[ \t]*(?:-?\}\})?[ \t]*$")


def ignores_in(data: bytes, file: str, format_name: str) -> tuple[tuple[Ignore, ...], tuple[OutlastError, ...]]:
    """What comments of a file say is to be ignored, and those that are not understood; `file` is how reports call it."""
    if not may_ignore(data):
        return (), ()
    spans = spans_of_comments(data, format_name)
    if not spans:
        return (), ()
    lines = _Lines(data, spans)
    found: list[Ignore] = []
    errors: list[OutlastError] = []
    for start, end in spans:
        for at, text in _directives(data, start, end):
            line = lines.meant_by(start, end)
            try:
                found.append(parse_ignore(text.decode(errors="replace"), lines.place(at, file), line))
            except OutlastError as error:
                errors.append(error)
    return tuple(found), tuple(errors)


def _directives(data: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Each line of a comment that says something to us, from its first word on."""
    at = start
    while at < end:
        match = _LINE_END.search(data, at, end)
        stop = end if match is None else match.start()
        if (found := _DIRECTIVE.search(data[at:stop])) is not None:
            group = 1 if found[1] is not None else 2
            yield at + found.start(group), _CLOSED.sub(b"", found[group]).rstrip()
        at = end if match is None else match.end()


class _Lines:
    """The lines of a file, and which of them have something besides comments."""

    def __init__(self, data: bytes, spans: tuple[_Span, ...]) -> None:
        masked = bytearray(data)
        for start, end in spans:
            masked[start:end] = _NO_LINE_END.sub(b" ", data[start:end])
        self._data = data
        self._starts = [len(BOM) if data.startswith(BOM) else 0, *(m.end() for m in _LINE_END.finditer(data))]
        ends = [*self._starts[1:], len(data)]
        #: For each line the next that has something, itself included.
        self._next = [*range(1, len(ends) + 1), len(ends) + 1]
        for line in range(len(ends) - 1, -1, -1):
            if not masked[self._starts[line] : ends[line]].strip():
                self._next[line] = self._next[line + 1]

    def place(self, at: int, file: str) -> Place:
        """Where a byte stands."""
        line = self._line(at)
        return Place(file, line + 1, len(self._data[self._starts[line] : at].decode(errors="replace")) + 1)

    def meant_by(self, start: int, end: int) -> int:
        """The line that a comment speaks of: its own if something else stands there, else the next on which something does."""
        first, last = self._line(start), self._line(max(end - 1, start))
        return first + 1 if self._next[first] == first + 1 else self._next[last]

    def _line(self, at: int) -> int:
        return max(bisect_right(self._starts, at) - 1, 0)


def spans_of_comments(data: bytes, format_name: str) -> tuple[_Span, ...]:
    """All comments of a file; of one that is not what its format wants, and so is not read, none or a part."""
    find = _BY_FORMAT[format_name]
    try:
        return tuple(find(data))
    except (OutlastError, UnicodeDecodeError):
        return ()


# By lexical rules: alternatives that are no comments are texts with which one could be confused; a comment is the first group.


def _by(pattern: bytes) -> Callable[[bytes], Iterator[_Span]]:
    def find(data: bytes) -> Iterator[_Span]:
        for match in re.compile(pattern, re.X | re.M | re.S).finditer(data):
            if match[1] is not None:
                yield match.span(1)

    return find


_TO_END: Final = rb"[^\r\n]*+"
_QUOTED: Final = rb"""(?:"(?:[^"\\\r\n]|\\[^\r\n])*+"|'(?:[^'\\\r\n]|\\[^\r\n])*+')"""
_AT_LINE: Final = rb"^[ \t\f]*+"

_INI: Final = _by(
    rb"(?<=[=:])[ \t]*+"
    + _QUOTED
    + rb"(?=[ \t]++[\#;]|[ \t]*+(?:[\r\n]|\Z)) | (?:^|(?<=[ \t]))([\#;]"
    + _TO_END
    + rb")"
)
_MYSQL: Final = _by(
    rb"(?<==)[ \t]*+" + _QUOTED + rb"(?=[ \t]*+(?:[\#\r\n]|\Z)) | ((?:\#|(?:^|(?<=\n)[ \t]*+);)" + _TO_END + rb")"
)
_HASH_OR_SEMICOLON_LINES: Final = _by(_AT_LINE + rb"([\#;]" + _TO_END + rb")")
_POSTGRES: Final = _by(rb"'(?:[^'\\\r\n]|\\[^\r\n]|'')*+' | (\#" + _TO_END + rb")")
_PROPERTIES: Final = _by(rb"^[ \t\f]*+(?:([\#!]" + _TO_END + rb")|(?:[^\\\r\n]|\\(?:\r\n|.|\Z))++)")
_DOTENV: Final = _by(
    rb"""=[ \t\f\v]*+(?:'(?:\\.|[^'\\])*+'|"(?:\\.|[^"\\])*+") | (?:^|(?<=[ \t\f\v]))(\#""" + _TO_END + rb")"
)
_NGINX: Final = _by(
    rb"""(\#[^\n]*+) | "(?:[^"\\]|\\.)*+" | '(?:[^'\\]|\\.)*+' | (?:\$\{?|\\.|[^ \t\r\n;{}"'\\$\#])(?:\$\{|\\.|[^ \t\r\n;{\\])*+"""
)
_HAPROXY: Final = _by(rb"""(\#[^\n]*+) | "(?:[^"\\\n]|\\[^\n])*+" | '[^'\n]*+' | \\[^\r\n]""")
_APACHE: Final = _by(_AT_LINE + rb"(?:(\#(?:\\\r?\n|[^\n])*+)|(?:\\\r?\n|[^\n])++)")
_JSON: Final = _by(
    rb"""(//""" + _TO_END + rb"""|/\*(?:[^*]|\*(?!/))*+\*/) | "(?:[^"\\\n]|\\.)*+" | '(?:[^'\\\n]|\\.)*+'"""
)
_TOML: Final = _by(
    rb'''(\#''' + _TO_END + rb''') | """(?:[^"\\]|\\.|"(?!""))*+"{3,5} | \'\'\'(?:[^']|'(?!\'\'))*+'{3,5}
      | "(?:[^"\\\n]|\\.)*+" | '[^'\n]*+' '''
)  # fmt: skip


# Here-documents: their lines are no comments.

_HEREDOC: Final = rb"<<[-~]?[ \t]*+(?:'([^'\r\n]++)'|\"([^\"\r\n]++)\"|\\?([A-Za-z_]\w*+))"
_SHELL: Final = re.compile(
    rb"""(?:(?<=[\s;&|()])|(?<![\s\S]))(\#[^\r\n]*+) | \\. | \$?'[^']*+' | "(?:[^"\\]|\\.)*+" | <<< | """
    + _HEREDOC
    + rb"| (\n)",
    re.X | re.S,
)
_DOCKERFILE: Final = re.compile(
    rb"^[ \t\f\v]*+(\#[^\n]*+) | ^[ \t]*+(?:RUN|COPY|ADD)\b | (?<!<)" + _HEREDOC + rb" | (\n)", re.X | re.I | re.M
)
#: A file with more here-documents that nothing closes is not looked at further.
_MOST_OPEN: Final = 20


def _behind_heredocs(pattern: re.Pattern[bytes]) -> Callable[[bytes], Iterator[_Span]]:
    def find(data: bytes) -> Iterator[_Span]:
        at, unclosed = len(BOM) if data.startswith(BOM) else 0, 0
        waiting: list[bytes] = []
        while (match := pattern.search(data, at)) is not None:
            at = max(match.end(), at + 1)
            if match[1] is not None:
                yield match.span(1)
            elif (word := match[2] or match[3] or match[4]) is not None:
                waiting.append(word)
            elif match[5] is not None and waiting:
                for word in waiting:
                    end = re.compile(rb"^[ \t]*+" + re.escape(word) + rb"[ \t\r]*+$", re.M).search(data, at)
                    if end is not None:
                        at = end.end()
                        continue
                    unclosed += 1
                    if unclosed > _MOST_OPEN:
                        return
                waiting = []

    return find


_SCRIPT: Final = _behind_heredocs(_SHELL)


def _env(data: bytes) -> Iterator[_Span]:
    """As the reader has it: with `#!` it is a script whatever its name."""
    return _SCRIPT(data) if data.removeprefix(BOM).startswith(b"#!") else _DOTENV(data)


# YAML: a `#` at the beginning of a line or behind a blank, outside of every scalar.

_HASH: Final = re.compile(r"(?<![^\s])#[^\r\n]*")
_HEADER: Final = re.compile(r"(?:[!&]\S*\s+)*[|>][^\r\n]*")
_ACTION_COMMENT: Final = re.compile(r"\{\{-?\s*+/\*(?:[^*]++|\*(?!/))*+\*/\s*+-?\}\}")


def _yaml(data: bytes) -> Iterator[_Span]:
    return _yaml_of(data, None)


def _helm(data: bytes) -> Iterator[_Span]:
    from outlast.configs.readers.helm import masked

    return _yaml_of(data, masked)


def _yaml_of(data: bytes, mask: Callable[[str], str] | None) -> Iterator[_Span]:
    from outlast.configs.readers.yaml_nodes import parse

    if len(data) > LARGEST_FILE:
        return
    bom = len(BOM) if data.startswith(BOM) else 0
    text = data[bom:].decode()
    hidden = text if mask is None else mask(text)
    taken = sorted(_scalars(parse(Source("", text), None if mask is None else hidden).nodes, hidden))
    found = [] if mask is None else [match.span() for match in _ACTION_COMMENT.finditer(text)]
    number, at = 0, 0
    while (match := _HASH.search(hidden, at)) is not None:
        while number < len(taken) and taken[number][1] <= match.start():
            number += 1
        if number < len(taken) and taken[number][0] <= match.start():
            at = max(taken[number][1], match.start() + 1)
        else:
            found.append(match.span())
            at = match.end()
    at, offset = 0, bom
    for start, end in sorted(found):
        offset += len(text[at:start].encode())
        at, begin = end, offset
        offset += len(text[start:end].encode())
        yield begin, offset


def _scalars(nodes: list[Node], text: str) -> Iterator[tuple[int, int]]:
    """The characters of all texts, without the first lines of blocks, on which a comment may stand."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if not isinstance(node, tuple):
            pending += node.items
            continue
        start, end, _, style, _, _ = node
        if style in ("|", ">") and (header := _HEADER.match(text, start)) is not None:
            start = header.end()
        if start < end:
            yield start, end


# Code: by grammars.


def _python(data: bytes) -> Iterator[_Span]:
    import tokenize

    text = data.removeprefix(BOM)
    lines = BytesIO(text).readlines()
    starts = list(accumulate(map(len, lines), initial=len(data) - len(text)))
    found: list[_Span] = []
    try:
        for token in tokenize.tokenize(BytesIO(text).readline):
            if token.type == tokenize.COMMENT and token.start[0] <= len(lines):
                line = lines[token.start[0] - 1].decode()
                start = starts[token.start[0] - 1] + len(line[: token.start[1]].encode())
                comment = token.string.encode()
                if data.startswith(comment, start):  # else lines are counted otherwise there
                    found.append((start, start + len(comment)))
    except (tokenize.TokenError, SyntaxError):
        return iter(())
    return iter(found)


def _by_grammar(name: str) -> Callable[[bytes], Iterator[_Span]]:
    def find(data: bytes) -> Iterator[_Span]:
        from outlast.configs.readers.remarks import comments

        return iter(comments(name, data))

    return find


_BY_FORMAT: Final[dict[str, Callable[[bytes], Iterator[_Span]]]] = {
    **dict.fromkeys(("yaml", "compose", "spring-yaml"), _yaml),
    "helm": _helm,
    "json": _JSON,
    "toml": _TOML,
    **dict.fromkeys(("properties", "spring-properties"), _PROPERTIES),
    "env": _env,
    "shell": _SCRIPT,
    "ini": _INI,
    "mysql": _MYSQL,
    "pgbouncer": _HASH_OR_SEMICOLON_LINES,
    "postgres": _POSTGRES,
    "systemd": _HASH_OR_SEMICOLON_LINES,
    "nginx": _NGINX,
    "haproxy": _HAPROXY,
    "apache": _APACHE,
    "dockerfile": _behind_heredocs(_DOCKERFILE),
    "python": _python,
    "hcl": _by_grammar("hcl"),
    "go": _by_grammar("go"),
    "java": _by_grammar("java"),
    "javascript": _by_grammar("tsx"),
    "typescript": _by_grammar("typescript"),
}
