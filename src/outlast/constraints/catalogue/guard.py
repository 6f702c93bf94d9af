"""Conditions over what components and links say of themselves: `to.version >= 1.32`, `link.pooled != no`, `from.ping is set`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import ge, gt, le, lt
from typing import Final

from outlast.constraints.catalogue.reading import CatalogueError
from outlast.constraints.record import record

__all__ = ["LINK_OPTIONS", "Guard", "read_guard", "version_of"]

#: Options of links with their defaults; None: unknown unless told.
LINK_OPTIONS: Final[dict[str, str | None]] = {"protocol": None, "pooled": "yes", "idempotent": "no"}

_GUARD: Final = re.compile(r"(?:(from|to|hop|host|guest|link)\.)?(\w+) (?:(==|!=|<=|>=|<|>) (\S+)|(is set|is not set))")
_VERSION: Final = re.compile(r"v?([0-9]+(?:\.[0-9]+)*)(?:[-+.a-z].*)?")
_ORDER: Final = {"<": lt, "<=": le, ">": gt, ">=": ge}


@record(kw_only=True)
class Guard:
    """One condition over an option, or (`sign` is `set` or `not set`) over whether a parameter or role was given."""

    #: `from`, `to`, …, `link`; empty of a single component.
    end: str
    name: str
    sign: str
    word: str = ""
    text: str

    def holds(self, given: str | None) -> bool | None:
        """Whether the condition holds of what an option says; None: nobody knows."""
        if given is None:
            return None
        if self.sign in ("==", "!="):
            return (given == self.word) == (self.sign == "==")
        left, right = version_of(given), version_of(self.word)
        if left is None or right is None:
            return None
        width = max(len(left), len(right))
        left, right = (part + (0,) * (width - len(part)) for part in (left, right))
        return bool(_ORDER[self.sign](left, right))


def read_guard(text: str, ends: Sequence[str], where: str) -> Guard:
    """A condition of a relation over these ends, or of a kind, whose only end is the empty one.

    Raises:
        CatalogueError: it is none.
    """
    match = _GUARD.fullmatch(text)
    if match is None:
        raise CatalogueError(f"{where}: expected a condition such as link.pooled != no under applies, found {text!r}")
    end = match[1] or ""
    if end != "link" and end not in ends:
        raise CatalogueError(f"{where}: {end or 'a name without an end'} says nothing here: {text!r}")
    if end == "link" and ("from" not in ends or match[2] not in LINK_OPTIONS):
        raise CatalogueError(f"{where}: expected an option of links, {', '.join(LINK_OPTIONS)}, found {text!r}")
    sign = match[3] or match[5].removeprefix("is ")
    return Guard(end=end, name=match[2], sign=sign, word=match[4] or "", text=text)


def version_of(text: str) -> tuple[int, ...] | None:
    """A version as numbers, what follows them left out; None: it has none.

    >>> version_of("v1.29.7-alpine")
    (1, 29, 7)
    """
    match = _VERSION.fullmatch(text.strip())
    return tuple(int(part) for part in match[1].split(".")) if match and len(text) < 60 else None
