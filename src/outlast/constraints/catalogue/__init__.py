"""What is known about real software: kinds of components with their parameters, and relations between them, as data.

docs/catalogue.md says what the files under `kinds/` and `relations/` hold.
"""

from __future__ import annotations

from outlast.constraints.catalogue.guard import Guard
from outlast.constraints.catalogue.known import Default, Kind, KnownParameter, Option
from outlast.constraints.catalogue.relation import Over, Relation
from outlast.constraints.catalogue.store import kind, kind_names, relation, relations

__all__ = [
    "Default",
    "Guard",
    "Kind",
    "KnownParameter",
    "Option",
    "Over",
    "Relation",
    "kind",
    "kind_names",
    "relation",
    "relations",
]
