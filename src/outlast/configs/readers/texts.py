"""What readers of several formats share: which texts are read as they stand, and how equal blocks are told apart."""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.setting import Content, Literal, Opaque, Segment
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import decode, place_of_byte

__all__ = [
    "BOM",
    "LEVELS",
    "NAMING",
    "defined_at",
    "is_name",
    "literal",
    "numbered",
    "plainly",
    "reference_in",
    "refuse_halves",
    "refuse_unwritable",
    "start_of_text",
]

BOM: Final = b"\xef\xbb\xbf"

#: Files that nest deeper are refused: nobody writes them, and routes would grow with the depth.
LEVELS: Final = 256

#: Keys by whose values an element of a list is called, the first that is there.
NAMING: Final = ("name", "key", "id", "Name", "Key", "Id")
_LONGEST_NAME: Final = 200

_REFERENCE: Final = re.compile(r"\{\{|\{%|<%|\$\{|\$\(|%\([^()]*\)[a-z]")
_REASONS: Final = {
    "{{": "a template, {{ … }}",
    "{%": "a template, {% … %}",
    "<%": "a template, <% … %>",
    "${": "a reference, ${…}",
    "$(": "a reference, $(…)",
}


def start_of_text(data: bytes, file: str) -> int:
    """Where the text begins: behind a byte order mark.

    Raises:
        OutlastError: with a place; it is not UTF-8, or holds a zero byte, as UTF-16 does.
    """
    decode(data, file)
    if (zero := data.find(b"\0")) >= 0:
        raise OutlastError("expected text, found a zero byte", place_of_byte(data, zero, file))
    return len(BOM) if data.startswith(BOM) else 0


def reference_in(text: str) -> str | None:
    """Why a text is not what the program will see, if something is put in for a part of it: for `Opaque`.

    >>> reference_in("${TIMEOUT:-60}")
    'a reference, ${…}'
    """
    match = _REFERENCE.search(text)
    return None if match is None else _REASONS.get(match[0], "a reference, %(…)s")


def is_name(text: str) -> bool:
    """Whether a text is short and plain enough that something can be called by it.

    >>> is_name("web"), is_name("two\\nlines"), is_name("")
    (True, False, False)
    """
    return 0 < len(text) <= _LONGEST_NAME and text.isprintable()


def literal(text: str, quote: str = "", is_text: bool = False) -> Content:
    """The content of a value: opaque if something is put in for a part of it."""
    reason = reference_in(text)
    return Literal(text, quote, is_text) if reason is None else Opaque(reason)


def defined_at(name: str, file: str, line: int) -> str:
    """Why what leans on a constant is not changed where it is used: for `locked`."""
    return f"the constant {name}, {file}:{line}; bind that one"


def refuse_halves(text: str) -> None:
    """Raise `OutlastError`, without a place, for a text with half of a surrogate pair, which UTF-8 does not have."""
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise OutlastError("expected a text, found half of a surrogate pair")


def refuse_unwritable(text: str, unless: str = "") -> None:
    """Raise `OutlastError`, without a place, for a text that no format here can hold as it stands.

    That is one with line breaks or other control characters, with a half of a surrogate pair, with what would be read as a reference, or
    with one of the characters of `unless`.
    """
    if not all((c >= " " and c != "\x7f" and not "\ud800" <= c <= "\udfff") or c == "\t" for c in text):
        raise OutlastError("expected a text on one line, without control characters")
    if (reason := reference_in(text)) is not None:
        raise OutlastError(f"expected a text that is read as it stands, found {reason}")
    for character in unless:
        if character in text:
            raise OutlastError(f"expected a text without {character} here, found '{text}'")


def numbered(seen: dict[str, int], name: str, *others: str) -> Segment:
    """A segment for a block of that name; from the second of them on it has a number, too. Counts in `seen`.

    >>> seen = {}
    >>> numbered(seen, "Route"), numbered(seen, "Route")
    (('Route',), ('Route#1', 'Route'))
    """
    count = seen[name] = seen.get(name, -1) + 1
    return (f"{name}#{count}", name, *others) if count else (name, *others)


def plainly(message: str) -> str:
    """Python's words for what it cannot read, without advice that only its programmers can take."""
    return "a whole number of more digits than are read" if "set_int_max_str_digits" in message else message
