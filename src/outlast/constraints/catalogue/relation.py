"""A relation between parameters or roles of kinds: what must hold, when, what breaks otherwise, and how that is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final

from outlast.constraints.catalogue.guard import Guard, read_guard
from outlast.constraints.catalogue.reading import CatalogueError, Document, Entry
from outlast.constraints.model import Severity
from outlast.constraints.pictures import PARTS, Shape, fitting, problems_of
from outlast.constraints.record import record

__all__ = ["Over", "Relation", "Sketch", "names_of", "rewritten", "split_name"]


class Over(Enum):
    """What a relation makes a rule for."""

    COMPONENT = "component"
    LINK = "link"
    HOP = "hop"
    HOST = "host"

    @property
    def ends(self) -> tuple[str, ...]:
        """What its formulas call those it speaks of; of a single component nothing."""
        return {
            Over.COMPONENT: ("",),
            Over.LINK: ("from", "to"),
            Over.HOP: ("hop", "from", "to"),
            Over.HOST: ("host", "guest"),
        }[self]


@record(kw_only=True)
class Sketch:
    """What a relation would have drawn: formulas over the names that its components know.

    A list part has a formula for each that it may show; any other part has them in the order of preference: the first whose names a component has.
    """

    shape: Shape
    parts: Mapping[str, tuple[str, ...]]


_WORDS: Final = frozenset(["and", "or", "not", "is", "if", "infinite", "off", "any"])
_NAME: Final = re.compile(r"(?<![\w.])(?<![0-9]/)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(\s*\()?")


@record(kw_only=True)
class Relation:
    """What must hold between quantities of one, two or three components."""

    id: str
    title: str
    over: Over
    #: By end, the kinds that may stand there; an end that is left out takes any kind with the roles.
    kinds: Mapping[str, tuple[str, ...]]
    require: str
    when: str | None
    applies: tuple[Guard, ...]
    #: Names, as in formulas, of what must not be off.
    needs_on: tuple[str, ...]
    #: Names, as in formulas, of roles that count as off for a kind that does not have them.
    optional: tuple[str, ...]
    severity: Severity
    #: The software, or the API that takes its configuration, does not accept values that break it: a weaker rule would help nobody.
    is_refused: bool
    aim: str | None
    margin_advice: str | None
    why: str
    breaks: str
    note: str | None
    sources: tuple[str, ...]
    verified: tuple[str, ...]
    checked: str | None
    unverified: str | None
    #: What it is drawn as; None: as bars.
    picture: Sketch | None
    #: `components`, `links`, `good`, `bad`, `equal`.
    examples: Document
    #: Each quantity in the formulas, as its end and its word there; once, in the order of the text.
    names: tuple[tuple[str, str], ...]

    @classmethod
    def from_mapping(cls, id_: str, document: Document) -> Relation:
        """Read a document.

        Raises:
            CatalogueError: it is not as docs/catalogue.md says.
        """
        entry = Entry(document, f"relation {id_}")
        if entry.needed("id") != id_:
            raise CatalogueError(f"relation {id_}: the file is called otherwise than the relation in it")
        over = Over(entry.word("over", [each.value for each in Over], ""))
        require, when, needs_on = entry.needed("require"), entry.text("when"), entry.texts("needs_on")
        formulas = " ; ".join((require, when or "", *needs_on))
        relation = cls(
            id=id_,
            title=entry.needed("title"),
            over=over,
            kinds=_kinds(entry, over),
            require=require,
            when=when,
            applies=tuple(read_guard(text, over.ends, entry.where) for text in entry.texts("applies")),
            needs_on=needs_on,
            optional=entry.texts("optional"),
            severity=Severity(entry.word("severity", [each.value for each in Severity], "")),
            is_refused=entry.is_yes("refused"),
            aim=entry.text("aim"),
            margin_advice=entry.text("margin_advice"),
            why=entry.needed("why"),
            breaks=entry.needed("breaks"),
            note=entry.text("note"),
            sources=entry.texts("sources"),
            verified=entry.verified(),
            checked=entry.text("checked"),
            unverified=entry.text("unverified"),
            picture=_sketch(entry, over),
            examples=entry.mapping("examples"),
            names=tuple(split_name(name, over) for name in names_of(formulas)),
        )
        entry.finish()
        return relation


def names_of(formula: str) -> tuple[str, ...]:
    """The names in a formula, each once, in the order of its text; told without parsing it.

    >>> names_of("max(from.a, 10s) < 3 * to.b / 100/s")
    ('from.a', 'to.b')
    """
    return tuple(dict.fromkeys(match[1] for match in _NAME.finditer(formula) if _is_name(match)))


def rewritten(formula: str, names: Mapping[str, str]) -> str:
    """A formula with other names in place of its own."""
    return _NAME.sub(lambda m: names[m[1]] if _is_name(m) else m[0], formula)


def _is_name(match: re.Match[str]) -> bool:
    return match[2] is None and match[1] not in _WORDS


def split_name(name: str, over: Over) -> tuple[str, str]:
    """A name in a formula as the end that it speaks of and its word there.

    Raises:
        CatalogueError: it is not as the formulas of such a relation call things.
    """
    if over is Over.COMPONENT:
        return "", name
    end, _, word = name.partition(".")
    if end not in over.ends or not word:
        raise CatalogueError(f"expected {', '.join(f'{e}.…' for e in over.ends)} in a formula, found {name!r}")
    return end, word


def _sketch(entry: Entry, over: Over) -> Sketch | None:
    given = entry.mapping("picture")
    if not given:
        return None
    inner = Entry(given, f"{entry.where}, picture")
    shape = Shape(inner.word("shape", [each.value for each in Shape], ""))
    parts = {name: formulas for name in PARTS[shape] if (formulas := inner.texts(name))}
    inner.finish()
    for name in (name for formulas in parts.values() for formula in formulas for name in names_of(formula)):
        split_name(name, over)
    problems = problems_of(shape, fitting(shape, parts))
    if problems:
        raise CatalogueError(f"{inner.where}: {problems[0]}")
    return Sketch(shape=shape, parts=parts)


def _kinds(entry: Entry, over: Over) -> dict[str, tuple[str, ...]]:
    given = entry.raw("kinds")
    if over is Over.COMPONENT:
        return {"": entry.texts("kinds")} if given is not None else {}
    mapping = entry.mapping("kinds")
    inner = Entry(mapping, f"{entry.where}, kinds")
    found = {end: inner.texts(end) for end in over.ends if end in mapping}
    inner.finish()
    return found
