"""Where the catalogue's documents come from; each is read when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from outlast.constraints.catalogue.known import Kind
from outlast.constraints.catalogue.relation import Relation

__all__ = ["kind", "kind_names", "relation", "relations"]

_FOLDER: Final = Path(__file__).parent


@cache
def kind_names() -> tuple[str, ...]:
    """The names of all kinds, sorted."""
    return tuple(sorted(path.name.removesuffix(".yaml") for path in (_FOLDER / "kinds").glob("*.yaml")))


@cache
def kind(name: str) -> Kind | None:
    """A kind; None: there is none of that name."""
    return Kind.from_mapping(name, _document(f"kinds/{name}.yaml")) if name in kind_names() else None


@cache
def relations() -> tuple[Relation, ...]:
    """All relations, by id."""
    return tuple(_relations())


@cache
def relation(id_: str) -> Relation | None:
    """A relation; None: there is none of that id."""
    return next((each for each in relations() if each.id == id_), None)


def _relations() -> Iterator[Relation]:
    folder = _FOLDER / "relations"
    for path in sorted(folder.glob("*/*.yaml")):
        id_ = f"{path.parent.name}/{path.name.removesuffix('.yaml')}"
        yield Relation.from_mapping(id_, _document(f"relations/{id_}.yaml"))


def _document(path: str) -> Any:
    import yaml

    loader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    return yaml.load((_FOLDER / path).read_text(encoding="utf-8"), Loader=loader)  # texts only, of our own files
