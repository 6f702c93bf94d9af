r"""Reads Java's .properties files as settings.

A key is one step of the route, dots and all. Blanks at the end of a value belong to it, `\` joins lines, a later equal key wins (both are settings).
Files are taken as UTF-8 if they are that, else as Latin-1, which the format's standard says; what is written is ASCII and so does for both.
"""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.readers.texts import BOM, literal, refuse_unwritable
from outlast.configs.setting import Content, Key, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.files import place_of_byte

__all__ = ["encode", "read"]

#: Nearly all lines: a key, a separator and a value without backslashes.
_SIMPLE: Final = re.compile(
    rb"[ \t\f]*+([^\\\s:=#!][^\\\s:=]*+)(?:[ \t\f]*+[:=]|[ \t\f])[ \t\f]*+([^\\\r\n]*+)(?:\r\n?|\n|\Z)"
)
_IDLE: Final = re.compile(rb"(?:[ \t\f]*+(?:[#!][^\r\n]*+)?(?:\r\n?|\n))++|[ \t\f]*+(?:[#!][^\r\n]*+)?\Z")
_LINE: Final = re.compile(rb"[ \t\f]*+((?:[^\\\r\n]++|\\(?:\r\n|[\s\S]|\Z))*+)(?:\r\n?|\n|\Z)")
_JOINT: Final = rb"\\(?:\r\n?|\n)[ \t\f]*+"
_KEY: Final = re.compile(
    rb"(?:" + _JOINT + rb")*+((?:" + _JOINT + rb"|\\[\s\S]|[^\\\s:=])*+)((?:[ \t\f]|" + _JOINT + rb")*+(?:[:=](?:[ \t\f]|" + _JOINT + rb")*+)?+)"
)  # fmt: skip
_JOINTS: Final = re.compile(_JOINT)
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|u|[\s\S]|\Z)")
_ANY_ESCAPE: Final = re.compile(rb"\\(?:(u)(?![0-9a-fA-F]{4})|[\s\S])")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
#: Without it, all of the file might be UTF-8.
_LATIN: Final = "a text in Latin-1: it tells in which encoding the file is"


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    r"""The settings of a .properties file.

    Raises:
        OutlastError: with a place; it holds a zero byte, as UTF-16 does, or `\u` without four digits.
    """
    if (zero := data.find(b"\0")) >= 0:
        raise OutlastError("expected text, found a zero byte", place_of_byte(data, zero, file))
    encoding = _encoding(data)
    pos = len(BOM) if data.startswith(BOM) else 0
    is_latin = encoding == "latin-1"
    found: list[Setting] = []
    while pos < len(data):
        if match := _SIMPLE.match(data, pos):
            start, end = match.span(2)
            raw, name = match[2].decode(encoding), match[1].decode(encoding)
            locked = _LATIN if is_latin and not raw.isascii() else None
            found.append(
                Setting(route=(Key(name),), start=start, end=end, raw=raw, content=literal(raw), locked=locked)
            )
        elif not (match := _IDLE.match(data, pos)):
            match = _LINE.match(data, pos)
            assert match is not None  # it matches everywhere
            setting = _setting(data, *match.span(1), encoding, file)
            if setting is not None:
                found.append(setting)
        pos = match.end()
    return tuple(found)


def _encoding(data: bytes) -> str:
    try:
        data.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _setting(data: bytes, start: int, end: int, encoding: str, file: str) -> Setting | None:
    """The setting of a logical line with its joints; None if nothing but these are there."""
    match = _KEY.match(data, start, end)
    assert match is not None  # it matches everywhere
    if not match[1] and not match[2].strip() and data[match.end() : end] in (b"", b"\\"):
        return None  # joints only, or a backslash that ends the file
    try:
        name = _unescaped(match[1], encoding)
        value = data[match.end() : end]
        text = _unescaped(value, encoding)
    except ValueError:
        raise OutlastError("expected four hexadecimal digits behind \\u", _broken_escape(data, start, file)) from None
    content: Content
    if not match[2]:
        content = Opaque("a key without a value")
    elif _JOINTS.search(value):
        content = Opaque("a value of several lines")
    else:
        has_half = any("\ud800" <= c <= "\udfff" for c in text)
        content = Opaque("a text with half a character") if has_half else literal(text)
    name = name.encode(errors="backslashreplace").decode()
    raw = value.decode(encoding)
    locked = _LATIN if encoding == "latin-1" and not raw.isascii() else None
    return Setting(route=(Key(name),), start=match.end(), end=end, raw=raw, content=content, locked=locked)


def _broken_escape(data: bytes, start: int, file: str) -> Place:
    breaks = (match.start() for match in _ANY_ESCAPE.finditer(data, start) if match[1])
    return place_of_byte(data, next(breaks, start), file)


def _unescaped(raw: bytes, encoding: str) -> str:
    """What a key or value says; `ValueError` for a broken `\\u`."""
    if b"\\" not in raw:
        return raw.decode(encoding)
    text = _ESCAPE.sub(_escaped, _JOINTS.sub(b"", raw).decode(encoding))
    return _PAIR.sub(lambda m: m[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _escaped(match: re.Match[str]) -> str:
    found = match[1]
    if found == "u":
        raise ValueError
    return chr(int(found[1:], 16)) if len(found) == 5 else _ESCAPES.get(found, found)


def encode(setting: Setting, text: str) -> str:
    r"""Backslashes, a blank at the beginning and what is not ASCII become escapes."""
    if not isinstance(setting.content, Literal):
        raise OutlastError("expected a value on one line to replace, found another")
    refuse_unwritable(text)
    escaped = text.replace("\\", "\\\\").replace("\t", "\\t")
    if escaped.startswith(" "):
        escaped = "\\" + escaped
    return "".join(c if c.isascii() else _hexadecimal(c) for c in escaped)


def _hexadecimal(character: str) -> str:
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
