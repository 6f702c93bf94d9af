"""Texts of Java: what the program sees of a literal, and how a text is written as one."""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.readers.texts import refuse_halves
from outlast.configs.setting import Content, Literal, Opaque

__all__ = ["content_of", "written"]

_ESCAPE: Final = re.compile(r"\\(?:u+([0-9a-fA-F]{4})|([0-3][0-7]{2}|[0-7]{1,2})|(.))", re.S)
_ESCAPED: Final = dict(zip("btnfrs\"'\\", "\b\t\n\f\r \"'\\", strict=True))
_WRITTEN: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def content_of(raw: str) -> Content:
    """What a literal with its quotes says.

    >>> content_of(r'"it\\t\\u00fc"')
    Literal(text='it\\tü', quote='"', is_text=True)
    """
    if raw.startswith('"""'):
        return Opaque("a text block")
    inside = raw[1:-1]
    if "\\" not in inside:
        return Literal(text=inside, quote='"', is_text=True)
    try:
        text = _ESCAPE.sub(_unescaped, inside).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except ValueError:
        return Opaque("a string with an escape that is not read")
    return Literal(text=text, quote='"', is_text=True)


def _unescaped(match: re.Match[str]) -> str:
    code, octal, letter = match.groups()
    if letter is not None:
        if letter not in _ESCAPED:
            raise ValueError(letter)
        return _ESCAPED[letter]
    if octal is not None:
        return chr(int(octal, 8))
    character = chr(int(code, 16))
    if character in '"\\\n\r':  # read as if it stood there
        raise ValueError(code)
    return character


def written(text: str) -> str:
    """A text as a literal.

    Raises:
        OutlastError: without a place; it holds half of a surrogate pair.
    """
    refuse_halves(text)
    return f'"{"".join(map(_written, text))}"'


def _written(character: str) -> str:
    if character in _WRITTEN:
        return _WRITTEN[character]
    if character.isprintable():
        return character
    if character < "\x80":
        return f"\\{ord(character):03o}"
    units = character.encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
