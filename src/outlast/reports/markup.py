"""HTML and SVG as text in which nothing but our own words is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Final

__all__ = ["Markup", "element", "forward", "joined", "shown"]

#: Elements of HTML that have no end tag.
_VOID: Final = frozenset(["br", "hr", "img", "input", "link", "meta"])
#: What may have to be escaped or shown by its number.
_SPECIAL: Final = re.compile("[^ !#-%(-;=?-~]")
_LEFTWARD: Final = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
#: Words that run from right to left.
_WORDS: Final = re.compile(f"{_LEFTWARD}(?: +{_LEFTWARD})*")


class Markup(str):
    """Text that is markup already; all other text is escaped where it meets it."""

    __slots__ = ()


def element(name: str, /, *inside: str, **attributes: str | int | bool | None) -> Markup:
    """An element. In names of attributes `_` stands for `-`, one at the end is dropped; False and None leave one out, True gives it no value.

    >>> element("td", "a < b", class_="x", data_n=3, hidden=True)
    '<td class="x" data-n="3" hidden>a &lt; b</td>'
    """
    told = name
    for key, value in attributes.items():
        if value is True:
            told += f" {_written(key)}"
        elif value is not None and value is not False:
            told += f' {_written(key)}="{shown(str(value))}"'
    if name in _VOID:
        return Markup(f"<{told}>")
    return Markup(f"<{told}>{''.join(map(shown, inside))}</{name}>")


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """Pieces one after another; what is no markup is escaped."""
    return Markup(shown(between).join(map(shown, parts)))


def shown(text: str) -> Markup:
    """Text as a reader sees it; markup stays as it is. What neither XML nor a reader can take is shown by its number, a line end by a blank.

    >>> shown("<script>\\x07")
    '&lt;script&gt;\\\\x07'
    """
    if isinstance(text, Markup):
        return text
    if not _SPECIAL.search(text):
        return Markup(text)
    safe = (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else " " if c == "\n" else _numbered(c) for c in text)
    )
    return Markup(escape(safe, quote=True))


def forward(text: str) -> Markup:
    r"""Text, shown, in which what follows words that run from right to left stands on their right: a mark that nobody sees ends them.

    Else `A → B` of two such names would be read as `B → A`, and `A: 5s` as `5 :As`.

    >>> ascii(forward("a\u05d0: 5s"))
    "'a\\u05d0\\u200e: 5s'"
    """
    told = shown(text)
    return told if told.isascii() else Markup(_WORDS.sub("\\g<0>\u200e", told))


@cache
def _written(key: str) -> str:
    """The name of an attribute."""
    return key.rstrip("_").replace("_", "-")


def _numbered(character: str) -> str:
    return character.encode("unicode_escape").decode()
