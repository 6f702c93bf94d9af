"""YAML's scalars: what a plain text is taken for, and how a text is written so that it is taken for the same again."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from outlast.configs.readers.flags import NEGATIVE, encode_word
from outlast.configs.setting import Content, Flag, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError, printable

__all__ = ["PLACEHOLDER", "content_of_plain", "content_of_text", "encode"]

_NULL: Final = r"~|null|Null|NULL"
_BOOL: Final = r"true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF"
_NUMBER: Final = (
    r"[-+]?(?:0|[1-9][0-9]*|[0-9]+\.[0-9]*|\.[0-9]+)|[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)[eE][-+][0-9]+"
    r"|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_ZERO: Final = r"[-+]?0[0-9_]+|0o[0-7]+|[-+]?0b[01_]+|[-+]0x[0-9a-fA-F]+|[-+]?0x[0-9a-fA-F_]+"
_COLONS: Final = r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
_UNDERSCORES: Final = r"[-+]?[0-9][0-9_.]*_[0-9_.]*"
_EXPONENT: Final = r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9_]+)[eE][-+]?[0-9]+"
#: What YAML 1.1 or 1.2 takes for something else than a text, the alternatives in the order in which they are tried.
_RESOLVED: Final = re.compile(
    rf"(?P<null>{_NULL})|(?P<bool>{_BOOL})|(?P<number>{_NUMBER})|(?P<zero>{_ZERO})|(?P<colons>{_COLONS})"
    rf"|(?P<underscores>{_UNDERSCORES})|(?P<exponent>{_EXPONENT})"
)
#: What programs disagree about.
_UNCLEAR: Final = {
    "zero": "a number with a leading zero, which is octal for some programs and decimal for others",
    "colons": "digits with colons, which are a number of base 60 for some programs and a text for others",
    "underscores": "digits with '_', which are a number for some programs and a text for others",
    "exponent": "a number with an exponent, which is a text for some programs",
}
_LONGEST_NUMBER: Final = 100
#: Texts that some programs take for something else; they are read as texts, but written with quotes.
_UNSAFE: Final = re.compile(r"[yYnN=]|<<|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*")

#: What a program or a tool puts something else in the place of.
PLACEHOLDER: Final = re.compile(r"\{\{|\$\{[^{}]{0,200}\}?|\$\([^()]{0,200}\)?")
_LONGEST: Final = 60

#: Plain texts that stay what they are, within braces and brackets, too.
_PLAIN: Final = re.compile(r"[\w./](?:[\w./+%=~@^();|*-]| (?=[\w./+(])|:(?=[\w./+]))*")
_WHOLE_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


#: What begins a text that may be taken for something else.
_FIRST: Final = frozenset("0123456789+-.~tTfFyYnNoO")


@lru_cache(maxsize=4096)
def content_of_plain(text: str) -> Content:
    """What a plain text says, as YAML 1.1 and 1.2 agree; where they do not, it is not read.

    >>> content_of_plain("90s"), content_of_plain("90").is_text
    (Literal(text='90s', quote='', is_text=True), False)
    """
    if not text:
        return Opaque("nothing, which is null")
    if text[0] in _FIRST and (match := _resolved(text)):
        kind = match.lastgroup or ""
        return Opaque(_UNCLEAR[kind]) if kind in _UNCLEAR else Literal(text)
    return content_of_text(text, "")


def content_of_text(text: str, quote: str) -> Content:
    """What a text says that is taken for a text: it is not read if something else is put in its place."""
    if ("$" in text or "{" in text) and (match := PLACEHOLDER.search(text)):
        if match[0] == "{{":
            return Opaque("a template, {{ … }}")
        return Opaque(f"a reference, {printable(match[0])[:_LONGEST]}")
    return Literal(text, quote, True)


def encode(setting: Setting, text: str) -> str:
    """The text in place of a literal: quotes stay, a plain text that would be taken for something else gets double ones.

    A number stays a number, `true` and `false` remain among themselves, and a word inside a command line needs no quotes of its own.

    Raises:
        OutlastError: without a place; it cannot be written so.
    """
    content = setting.content
    if not isinstance(content, Literal):
        raise OutlastError("expected a value that is read as it stands, found another")
    if not text.isprintable():
        raise OutlastError(f"expected a text on one line, found '{text}'")
    if match := PLACEHOLDER.search(text):
        raise OutlastError(f"expected a value, found '{match[0]}', in the place of which something else is put")
    if isinstance(setting.route[-1], Flag):
        if text.startswith("-") and not NEGATIVE.fullmatch(text):
            raise OutlastError(f"expected an option's value, found '{text}', which is an option itself")
        if not content.is_text:
            return _word(text)
    if not content.is_text:
        return content.quote + _of_same_type(content.text, text) + content.quote
    if content.quote == "'":
        return "'" + text.replace("'", "''") + "'"
    if not content.quote and _is_plain(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _resolved(text: str) -> re.Match[str] | None:
    """What YAML takes the text for; nothing that is so long is anything but a text."""
    return _RESOLVED.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None


def _is_plain(text: str) -> bool:
    """Whether the text stays a text without quotes, wherever it stands."""
    if len(text) > _LONGEST_NUMBER or _PLAIN.fullmatch(text) is None:
        return False
    return _resolved(text) is None and _UNSAFE.fullmatch(text) is None


def _word(text: str) -> str:
    """A part of a text that may be plain, also within brackets."""
    if "," in text or text.endswith(":"):
        raise OutlastError(f"expected a value that needs no quotes in a command line, found '{text}'")
    return encode_word(text)


def _of_same_type(old: str, text: str) -> str:
    match = _resolved(old)
    kind = match.lastgroup if match else None
    if kind == "bool" and text in ("true", "false"):
        return text
    if kind == "number" and _WHOLE_NUMBER.fullmatch(text):
        return text
    if text == old:
        return text
    expected = {"bool": "true or false", "null": "null"}.get(kind or "", "a number")
    raise OutlastError(f"expected {expected} in place of {old}, which is no text, found '{text}'")
