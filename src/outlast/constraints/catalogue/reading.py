"""Reading the catalogue's documents: nested mappings, lists and texts, every key known, or it is our own mistake."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["CatalogueError", "Document", "Entry", "entries_of"]

Document = Mapping[str, Any]

#: The ways in which a claim can have been looked up.
_VERIFIED: Final = ("documentation", "source", "run", "derived", "report")


class CatalogueError(Exception):
    """A file of the catalogue is not what docs/catalogue.md says; the tests find these, users never see one."""


class Entry:
    """One mapping of a document; remembers which keys were asked for."""

    def __init__(self, document: object, where: str) -> None:
        """`where` is told in errors."""
        if not isinstance(document, Mapping):
            raise CatalogueError(f"{where}: expected a mapping, found {document!r}")
        self._document = document
        self._asked: set[str] = set()
        self.where = where

    def text(self, key: str) -> str | None:
        """A text, without line breaks; None if there is no such key."""
        value = self._get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise CatalogueError(f"{self.where}: expected a text under {key}, found {value!r}")
        return " ".join(value.split())

    def needed(self, key: str) -> str:
        """A text that must be there."""
        value = self.text(key)
        if value is None:
            raise CatalogueError(f"{self.where}: expected the key {key}")
        return value

    def word(self, key: str, words: Iterable[str], otherwise: str) -> str:
        """One of a few words."""
        value = self.text(key) or otherwise
        if value not in words:
            raise CatalogueError(f"{self.where}: expected one of {', '.join(words)} under {key}, found {value!r}")
        return value

    def is_yes(self, key: str) -> bool:
        """A `yes` or `no`; without the key no."""
        return self.word(key, ("yes", "no"), "no") == "yes"

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or a single one."""
        value = self._get(key)
        items = [value] if isinstance(value, str) else value or []
        if not isinstance(items, list) or not all(isinstance(item, str) and item for item in items):
            raise CatalogueError(f"{self.where}: expected a list of texts under {key}, found {value!r}")
        return tuple(" ".join(item.split()) for item in items)

    def verified(self) -> tuple[str, ...]:
        """How it is known, under `verified`."""
        words = self.texts("verified")
        if any(word not in _VERIFIED for word in words):
            raise CatalogueError(f"{self.where}: expected {', '.join(_VERIFIED)} under verified, found {words}")
        return words

    def items(self, key: str) -> list[object]:
        """A list of anything."""
        value = self._get(key) or []
        if not isinstance(value, list):
            raise CatalogueError(f"{self.where}: expected a list under {key}, found {value!r}")
        return value

    def mapping(self, key: str) -> Document:
        """A mapping; an empty one if there is no such key."""
        value = self._get(key)
        if value is None or value == "":
            return {}
        if not isinstance(value, Mapping):
            raise CatalogueError(f"{self.where}: expected a mapping under {key}, found {value!r}")
        return value

    def raw(self, key: str) -> object:
        """Whatever stands there."""
        return self._get(key)

    def finish(self) -> None:
        """Refuse keys that nobody asked for."""
        unknown = [key for key in self._document if key not in self._asked]
        if unknown:
            raise CatalogueError(f"{self.where}: unknown keys {', '.join(unknown)}")

    def _get(self, key: str) -> object:
        self._asked.add(key)
        return self._document.get(key)


def entries_of(mapping: Document, where: str) -> Iterable[tuple[str, Entry]]:
    """The mappings in a mapping, with their names."""
    for name, document in mapping.items():
        yield name, Entry(document, f"{where}, {name}")
