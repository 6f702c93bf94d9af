"""Looking things up in the catalogue: everything about a kind, everything that mentions a word, one page by its name."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from outlast.constraints.catalogue.known import Kind
from outlast.constraints.catalogue.relation import Relation
from outlast.constraints.catalogue.store import kind, kind_names, relation, relations
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.record import record

__all__ = ["Contents", "Page", "contents", "kinds_of", "page", "relations_of"]


@record(kw_only=True)
class Contents:
    """Kinds and relations, each by name."""

    kinds: tuple[Kind, ...]
    relations: tuple[Relation, ...]
    #: What was asked for: a kind, words; None: nothing in particular.
    kind: str | None = None
    search: str | None = None


@record(kw_only=True)
class Page:
    """One relation with the kinds that it may speak of, or one kind with the relations that may speak of it."""

    about: Relation | Kind
    #: Of a relation by end, of a kind under the empty name.
    kinds: tuple[tuple[str, tuple[str, ...]], ...] = ()
    relations: tuple[Relation, ...] = ()


def contents(kind_name: str | None = None, search: str | None = None) -> Contents:
    """What the catalogue holds, about a kind, or with all words of a search in it.

    Raises:
        OutlastError: there is no such kind.
    """
    words = (search or "").casefold().split()
    if kind_name is not None:
        one = _kind(kind_name)
        found = relations_of(one)
        kinds: tuple[Kind, ...] = (one,)
    else:
        kinds, found = tuple(each for name in kind_names() if (each := kind(name))), relations()
    return Contents(
        kinds=tuple(each for each in kinds if _has(words, _kind_text(each))),
        relations=tuple(each for each in found if _has(words, _relation_text(each))),
        kind=kind_name,
        search=search,
    )


def page(name: str) -> Page:
    """The page of a relation or a kind; of a rule in a spec (`http/pool-closes-first@client:lb`) that of its relation.

    Raises:
        OutlastError: there is neither.
    """
    id_ = name.partition("@")[0]
    about = relation(id_)
    if about is not None:
        return Page(about=about, kinds=tuple((end, kinds_of(about, end)) for end in about.over.ends))
    one = kind(id_)
    if one is not None:
        return Page(about=one, relations=relations_of(one))
    known = [*(each.id for each in relations()), *kind_names()]
    near = get_close_matches(id_, known, n=1, cutoff=0.5) or [each for each in known if each.endswith(f"/{id_}")][:1]
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise OutlastError(
        f"the catalogue has no relation and no kind called '{printable(id_)[:100]}'{hint}; outlast rules lists them"
    )


def kinds_of(about: Relation, end: str) -> tuple[str, ...]:
    """The kinds that may stand at an end of a relation."""
    words = [word for at, word in about.names if at == end and f"{at}.{word}" not in about.optional]
    only = about.kinds.get(end)
    return tuple(
        name
        for name in (kind_names() if only is None else only)
        if (each := kind(name)) and all(w in each.roles or (only is not None and w in each.parameters) for w in words)
    )


def relations_of(one: Kind) -> tuple[Relation, ...]:
    """The relations at an end of which a kind may stand."""
    return tuple(each for each in relations() if any(one.name in kinds_of(each, end) for end in _telling(each)))


def _telling(about: Relation) -> Iterator[str]:
    """The ends that say something about what stands there."""
    mentioned = {end for end, _ in about.names}
    yield from (end for end in about.over.ends if end in mentioned or end in about.kinds)


def _kind(name: str) -> Kind:
    found = kind(name)
    if found is None:
        near = get_close_matches(name, kind_names(), n=1, cutoff=0.5)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise OutlastError(f"unknown kind '{printable(name)[:100]}'{hint}; outlast rules lists kinds")
    return found


def _has(words: list[str], text: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _kind_text(one: Kind) -> str:
    parameters = (f"{p.name} {p.key or ''} {p.means} {p.note or ''}" for p in one.parameters.values())
    return " ".join((one.name, one.title, one.product, *parameters))


def _relation_text(each: Relation) -> str:
    return " ".join((each.id, each.title, each.require, each.when or "", each.why, each.breaks, each.note or ""))
