"""HTML and SVG as text in which nothing but our own words is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import Final

__all__ = ["BDI", "TSPAN", "Markup", "element", "forward", "joined", "shown"]

#: What sets a name apart from the direction of what is around it, in HTML and in SVG.
BDI: Final = ('<bdi dir="ltr">', "</bdi>")
TSPAN: Final = ('<tspan direction="ltr" unicode-bidi="isolate">', "</tspan>")
#: Elements of HTML that have no end tag.
_VOID: Final = frozenset(["br", "hr", "img", "input", "link", "meta"])
#: What may have to be escaped or shown by its number.
_SPECIAL: Final = re.compile("[^ !#-%(-;=?-~]")
#: Letters that run from right to left.
_LEFTWARD: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_SIGNS: Final = (
    "0-9A-Z_a-z\u00aa-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\u2dff\u3005-\ud7ff\uf900-\ufffd\U00010000-\U000effff"
)
#: Names, ids of rules, words.
_NAMES: Final = re.compile(f"[{_SIGNS}]+(?:[-./:@][{_SIGNS}]+)*")


class Markup(str):
    """Text that is markup already; all other text is escaped where it meets it."""

    __slots__ = ()


def element(name: str, /, *inside: str, **attributes: str | int | bool | None) -> Markup:
    """An element. In names of attributes `_` stands for `-`, one at the end is dropped; False and None leave one out, True gives it no value.

    In code names that run from right to left are set apart, as `forward` does.

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
    if name == "code":
        inside = tuple(each if isinstance(each, Markup) else forward(each) for each in inside)
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


def forward(text: str, isolated: tuple[str, str] = BDI) -> Markup:
    r"""Text, shown, or markup without elements, in which each name with letters that run from right to left stands as if alone in a line from left to right.

    Else `A < B` of two such names would be read as `B < A`, and `A: 5s` as `5 :As`. Words with blanks between them stay together.
    `isolated` is what begins and what ends such a name.

    >>> ascii(forward("a.\u05d0 < \u05d1: 5s", ("[", "]")))
    "'[a.\\u05d0] &lt; [\\u05d1]: 5s'"
    """
    told = shown(text)
    if told.isascii():
        return told
    begin, end = isolated
    marked = _NAMES.sub(lambda found: f"{begin}{found[0]}{end}" if _LEFTWARD.search(found[0]) else found[0], told)
    return Markup(re.sub(f"{re.escape(end)}( +){re.escape(begin)}", r"\1", marked))


@cache
def _written(key: str) -> str:
    """The name of an attribute."""
    return key.rstrip("_").replace("_", "-")


def _numbered(character: str) -> str:
    return character.encode("unicode_escape").decode()
