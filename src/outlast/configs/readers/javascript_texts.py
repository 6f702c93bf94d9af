"""Texts of JavaScript: what the program sees of a literal, and how a text is written as one."""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.readers.texts import refuse_halves

__all__ = ["unquoted", "written"]

_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{0*([0-9a-fA-F]{1,6})\}|([0-3]?[0-7]{1,2})|(\r\n|[\n\r\u2028\u2029])|(.))",
    re.S,
)
_LETTERS: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}
_SHORT: Final = {text: f"\\{letter}" for letter, text in _LETTERS.items()}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF: Final = re.compile("[\ud800-\udfff]")
_UNSAFE: Final = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029]")


def unquoted(raw: str) -> str | None:
    """What a literal with its quotes says; None if that holds half of a surrogate pair.

    >>> unquoted("'75 s'"), unquoted(r'"it\\'s \\u{1f600}"')
    ('75 s', "it's 😀")
    """
    text = raw[1:-1]
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_unescape, text)
    text = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return None if _HALF.search(text) else text


def _unescape(match: re.Match[str]) -> str:
    if digits := match[1] or match[2] or match[3]:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 else match[0]
    if match[4]:
        return chr(int(match[4], 8))
    return "" if match[5] else _LETTERS.get(match[6], match[6])


def written(text: str, quote: str) -> str:
    """A text as a literal in these quotes.

    Raises:
        OutlastError: without a place; it holds half of a surrogate pair.

    >>> print(written("it's ${a}", "'"), written("it's ${a}", "`"))
    'it\\'s ${a}' `it's \\${a}`
    """
    refuse_halves(text)
    body = _UNSAFE.sub(_escape, text).replace(quote, "\\" + quote)
    if quote == "`":
        body = body.replace("${", "\\${")
    return f"{quote}{body}{quote}"


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    if found == "\\":
        return "\\\\"
    return _SHORT.get(found) or f"\\u{ord(found):04x}"
