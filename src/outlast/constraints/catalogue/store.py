"""The catalogue's documents as kinds and relations; each is read when it is first asked for."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from outlast.constraints.catalogue.known import Kind
from outlast.constraints.catalogue.relation import Relation
from outlast.constraints.catalogue.sources import FOLDER

__all__ = ["kind", "kind_names", "relation", "relations"]

#: What docs/update_catalogue.py makes of the files that people write.
_COMPILED: Final = FOLDER / "catalogue.json"


@cache
def _documents() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(_COMPILED.read_text(encoding="utf-8"))
    return found


@cache
def kind_names() -> tuple[str, ...]:
    """The names of all kinds, sorted."""
    return tuple(_documents()["kinds"])


@cache
def kind(name: str) -> Kind | None:
    """A kind; None: there is none of that name."""
    document = _documents()["kinds"].get(name)
    return None if document is None else Kind.from_mapping(name, document)


@cache
def relations() -> tuple[Relation, ...]:
    """All relations, by id."""
    return tuple(Relation.from_mapping(id_, document) for id_, document in _documents()["relations"].items())


@cache
def relation(id_: str) -> Relation | None:
    """A relation; None: there is none of that id."""
    return next((each for each in relations() if each.id == id_), None)
