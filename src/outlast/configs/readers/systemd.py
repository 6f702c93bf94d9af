r"""Reads systemd's units and its own configuration as settings: a section is the scope, a key the route.

Keys may repeat, and there are no comments behind a value. `\` at the end of a line joins it to the next, over comments in between. The
words of `Environment=` are settings of their own (`Environment.NAME`), and so are the values of options in command lines (`ExecStart[--timeout]`).
"""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.readers.arguments import encode_argument
from outlast.configs.readers.flags import Word, content_of, encode_word, options, split_words
from outlast.configs.readers.texts import literal, numbered, refuse_unwritable, start_of_text
from outlast.configs.setting import Content, Flag, Key, Literal, Opaque, Segment, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import place_of_byte

__all__ = ["encode", "read"]

_COMMANDS: Final = re.compile(r"Exec(?:Condition|Reload|Start(?:Pre|Post)?|Stop(?:Pre|Post)?)")
_SPECIFIER: Final = re.compile(r"%[A-Za-z%]")

#: A word of `Environment=`: all of it in quotes, or its value, or none of it.
_ASSIGNMENT: Final = re.compile(
    rb"""\s*+(?:"([A-Za-z_]\w*+)=([^"\\\n]*+)"|'([A-Za-z_]\w*+)=([^'\\\n]*+)'"""
    rb"""|([A-Za-z_]\w*+)=("[^"\\\n]*+"|'[^'\\\n]*+'|[^\s"'\\]*+))(?=\s|\Z)"""
)
#: Another word; with the quotes that an assignment begins with, for what they are worth.
_OTHER_WORD: Final = re.compile(
    rb"""\s*+(?:["']?+([A-Za-z_]\w*+)=(?=[^\s]))?+((?:[^\s"'\\]++|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\\.|["'\\])++)""",
    re.S,
)

_Pieces = list[tuple[int, int]]


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a unit.

    Raises:
        OutlastError: with a place; it is not UTF-8, or a section's name is not closed. Other lines that say nothing are skipped.
    """
    pos = start_of_text(data, file)
    scope: tuple[Segment, ...] = ()
    seen: dict[str, int] = {}
    found: list[Setting] = []
    key = ""
    pieces: _Pieces = []  # what stands on the lines of the value that is being read
    goes_on = False
    for line in data[pos:].splitlines(keepends=True):
        begin, pos = pos, pos + len(line)
        text = line.strip()
        if text[:1] in (b"#", b";"):
            continue  # also within a value
        start = begin + len(line) - len(line.lstrip()) if text else begin
        if not goes_on:
            if text[:1] == b"[":
                if not text.endswith(b"]"):
                    place = place_of_byte(data, start + len(text), file)
                    raise OutlastError("expected ] behind the name of a section, found the end of the line", place)
                scope = (numbered(seen, text[1:-1].decode()),)
                continue
            name, equals, value = text.partition(b"=")
            if not equals or not name.strip():
                continue
            key, pieces = name.strip().decode(), []
            start = start + len(text) - len(value.lstrip()) if value else begin + len(line.rstrip(b"\r\n"))
        end = max(start, begin + len(line.rstrip()))
        goes_on = _goes_on(line)
        pieces.append((start, end - goes_on))
        if not goes_on:
            found += _said(data, key, scope, pieces)
    if goes_on:
        found += _said(data, key, scope, pieces)
    return tuple(found)


def _goes_on(line: bytes) -> bool:
    body = line.rstrip(b"\r\n")
    return (len(body) - len(body.rstrip(b"\\"))) % 2 == 1


def _said(data: bytes, key: str, scope: tuple[Segment, ...], pieces: _Pieces) -> list[Setting]:
    """The settings of a key with its value."""
    start, end = pieces[0][0], pieces[-1][1]
    raw = data[start:end].decode()
    if key == "Environment" and (variables := _variables(data, scope, pieces)):
        return variables
    content: Content
    flags: list[Setting] = []
    if _COMMANDS.fullmatch(key):
        content = Opaque("a command line" if raw else "nothing, which drops the command lines before it")
        words = [word for piece in pieces for word in split_words(data, *piece, is_shell=False)]
        flags = [_flag(data, key, scope, name, word) for name, word in options(words)]
    elif len(pieces) > 1:
        content = Opaque("a value of several lines")
    else:
        content = _unless_specifier(raw, literal(raw))
    return [Setting(route=(Key(key),), scope=scope, start=start, end=end, raw=raw, content=content), *flags]


def _unless_specifier(text: str, content: Content) -> Content:
    match = _SPECIFIER.search(text) if "%" in text else None
    return content if match is None else Opaque(f"a specifier, {match[0]}")


def _flag(data: bytes, key: str, scope: tuple[Segment, ...], name: str, word: Word) -> Setting:
    raw = data[word.start : word.end].decode()
    content = _unless_specifier(word.text, content_of(word))
    return Setting(
        route=(Key(key), Flag(name)),
        scope=scope,
        start=word.start,
        end=word.end,
        raw=raw,
        content=content,
    )


def _variables(data: bytes, scope: tuple[Segment, ...], pieces: _Pieces) -> list[Setting]:
    found: list[Setting] = []
    for begin, end in pieces:
        pos = begin
        while pos < end:
            match = _ASSIGNMENT.match(data, pos, end)
            if match is None:
                other = _OTHER_WORD.match(data, pos, end)
                if other is None:
                    break
                pos = other.end()
                if other[1]:
                    route = (Key("Environment"), Key(other[1].decode()))
                    first, content = other.start(2), Opaque("a text with escapes, or in several pieces")
                    raw = data[first:pos].decode()
                    found.append(Setting(route=route, scope=scope, start=first, end=pos, raw=raw, content=content))
                continue
            pos = match.end()
            group = match.lastindex or 0
            raw = match[group].decode()
            quote = raw[0] if raw[:1] in ('"', "'") and group == 6 else ""
            text = raw[1:-1] if quote else raw
            said = _unless_specifier(text, literal(text, quote))
            route = (Key("Environment"), Key(match[group - 1].decode()))
            first, last = match.span(group)
            found.append(Setting(route=route, scope=scope, start=first, end=last, raw=raw, content=said))
    return found


def encode(setting: Setting, text: str) -> str:
    """The quotes stay; options and variables outside of quotes take no blanks, and nothing takes a specifier."""
    content = setting.content
    if not isinstance(content, Literal):
        raise OutlastError("expected a value on one line to replace, found another")
    refuse_unwritable(text)
    if _SPECIFIER.search(text):
        raise OutlastError(f"expected a text without a specifier, found '{text}'")
    if isinstance(setting.route[-1], Flag):
        return encode_argument(text)
    if content.quote:
        refuse_unwritable(text, "\\" + content.quote)
        return f"{content.quote}{text}{content.quote}"
    if len(setting.route) > 1:
        return encode_word(text) if text else text
    if text != text.strip(" \t") or text.endswith("\\"):
        raise OutlastError(f"expected a text that begins and ends with a letter, a digit or a sign, found '{text}'")
    return text
