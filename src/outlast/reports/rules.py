"""The catalogue for people: its contents, and a page for each relation and each kind; docs/rules/ has the same pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from outlast.constraints.catalogue import Kind, KnownParameter, Relation
from outlast.constraints.catalogue.known import KnownAnswer
from outlast.constraints.catalogue.lookup import Contents, Page
from outlast.constraints.catalogue.relation import Sketch
from outlast.constraints.pictures import Answer
from outlast.reports.document import (
    Block,
    Document,
    Entry,
    Fields,
    Paragraph,
    Section,
    Table,
    Text,
    Verbatim,
    Verdict,
    code,
    faint,
    link,
    strong,
    text,
    warn,
    whole,
)
from outlast.reports.wording import counted, joined

__all__ = ["page_document", "rules_document"]

_ENDS = {
    "": "of",
    "from": "from, which opens the connection",
    "to": "to, which accepts it",
    "hop": "hop, which passes it on",
    "host": "host",
    "guest": "guest, which runs in it",
}
_SPEAKS_OF = {
    "component": "one component",
    "link": "each connection between two components",
    "hop": "each hop that a connection passes through",
    "host": "each component that runs in another one",
}
_VERIFIED = {
    "documentation": "documentation read",
    "source": "source read",
    "run": "tried with the software itself",
    "derived": "derived from other facts",
    "report": "known from reports",
}


def rules_document(contents: Contents) -> Document:
    """What there is, relations by family, then kinds."""
    if not contents.relations and not contents.kinds:
        return (Verdict(text(warn("the catalogue has nothing of that sort"))),)
    told = f"{counted(len(contents.relations), 'relation')}, {counted(len(contents.kinds), 'kind')}"
    blocks: list[Block] = [Verdict(text(told))]
    for family, each in groupby(contents.relations, key=lambda r: r.id.partition("/")[0]):
        rows = tuple((_name(r.id), text(r.severity.value), text(r.title)) for r in each)
        blocks.append(Section(family, (Table(("relation", "severity", "what must hold"), rows),)))
    if contents.kinds:
        rows = tuple((_name(k.name), text(k.title), text(whole(str(len(k.parameters))))) for k in contents.kinds)
        blocks.append(Section("kinds", (Table(("kind", "what it is", "parameters"), rows),)))
    blocks.append(Paragraph(text(faint("one page: "), code("outlast rules NAME"))))
    return tuple(blocks)


def page_document(page: Page) -> Document:
    """The page of a relation or of a kind."""
    return _relation(page.about, page) if isinstance(page.about, Relation) else _kind(page.about, page)


def _name(name: str) -> Text:
    return (whole(code(name)),)


def _relation(about: Relation, page: Page) -> Document:
    rows: list[tuple[str | Text, Text]] = [("speaks of", text(_SPEAKS_OF[about.over.value]))]
    rows.append(("requires", (code(about.require),)))
    if about.when:
        rows.append(("when", (code(about.when),)))
    for guard in about.applies:
        rows.append(("applies if", (code(guard.text),)))
    if about.needs_on:
        rows.append(("must not be off", text(*_listed(about.needs_on))))
    if about.optional:
        rows.append(("off for kinds without it", text(*_listed(about.optional))))
    if about.picture is not None:
        rows.append(("drawn as", text(*_drawn(about.picture))))
    refused = "; the software refuses what breaks it" if about.is_refused else ""
    rows.append(("severity", text(f"{about.severity.value}{refused}")))
    blocks: list[Block] = [
        Verdict(text(about.title)),
        Paragraph(text(code(about.id))),
        Fields(tuple(rows)),
        Section("why", (Paragraph(text(about.why)),)),
        Section("what breaks", (Paragraph(text(about.breaks)),)),
    ]
    margin = [about.margin_advice] if about.margin_advice else []
    if about.aim:
        margin.append(f"{about.aim} of headroom are aimed at")
    if margin:
        blocks.append(Section("margin", (Paragraph(text("; ".join(margin))),)))
    if about.note:
        blocks.append(Section("note", (Paragraph(text(about.note)),)))
    blocks += _examples(about)
    who = tuple((_ENDS[end], text(*_listed(kinds))) for end, kinds in page.kinds if kinds)
    blocks.append(Section("kinds that it meets", (Fields(who),)))
    if evidence := _evidence(about.sources, about.verified, about.checked, about.unverified):
        blocks.append(Section("how it is known", (Fields(evidence),)))
    return tuple(blocks)


def _drawn(picture: Sketch) -> Iterator[Text]:
    """The shape of a picture and its parts; of several ways to tell one, all."""
    yield text(f"{picture.shape.value}: ")
    for at, (name, formulas) in enumerate(picture.parts.items()):
        yield text(", " if at else "", f"{name} ")
        for number, formula in enumerate(formulas):
            yield text(" or " if number else "", code(formula))


def _examples(about: Relation) -> Iterator[Block]:
    told = {"bad": "found", "good": "not found"}
    components = about.examples.get("components")
    if not isinstance(components, Mapping):
        return
    lines: list[str] = ["components:"]
    for name, component in components.items():
        options = component.items() if isinstance(component, Mapping) else [("kind", component)]
        lines.append(f"  {name}: {{ {', '.join(f'{key}: {value}' for key, value in options)} }}")
    links = about.examples.get("links") or []
    if links:
        lines.append("links:")
        for each in links:
            shown = (
                each if isinstance(each, str) else "{ " + ", ".join(f"{k}: {_flow(v)}" for k, v in each.items()) + " }"
            )
            lines.append(f"  - {shown}")
    for which, verdict in told.items():
        values = about.examples.get(which) or {}
        lines.append(f"parameters:  # {verdict}")
        lines += [f"  {name}: {{ fixed: {value} }}" for name, value in values.items()]
    yield Section("example", (Verbatim(tuple(text(line) for line in lines), "yaml"),))


def _flow(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _kind(about: Kind, page: Page) -> Document:
    blocks: list[Block] = [Verdict(text(about.title)), Paragraph(text(code(about.name)))]
    if about.passes_through:
        blocks.append(Paragraph(text("passes connections on without ending them")))
    blocks += [_parameter(p) for p in about.parameters.values()]
    if about.roles:
        roles = tuple(
            (
                text(code(role)),
                text(code(formula), *(text(" if ", code(g.text)) for g in about.conditions.get(role, ()))),
            )
            for role, formula in about.roles.items()
        )
        blocks.append(Section("what it is to others", (Fields(roles),)))
    if about.answers:
        blocks.append(Section("what a request meets once it has forgotten", tuple(map(_answer, about.answers))))
    if about.options:
        rows: list[tuple[str | Text, Text]] = []
        for option in about.options.values():
            words = f"; {joined(option.values, 'or')}" if option.values else ""
            default = f"; {option.default} unless told" if option.default else ""
            rows.append((text(code(option.name)), text(f"{option.means}{words}{default}")))
        blocks.append(Section("options of a component", (Fields(tuple(rows)),)))
    if page.relations:
        found = tuple((text(code(each.id)), text(each.title)) for each in page.relations)
        blocks.append(Section("relations that may apply", (Fields(found),)))
    return tuple(blocks)


def _answer(known: KnownAnswer) -> Entry:
    rows: list[tuple[str | Text, Text]] = [("if", (code(guard.text),)) for guard in known.applies]
    if known.note:
        rows.append(("note", text(known.note)))
    evidence = _evidence(known.sources, known.verified, None, known.unverified)
    told = {Answer.RST: "an RST is sent back", Answer.NOTHING: "nothing is sent back, it waits until its own timeout"}
    return Entry(text(code(known.answer.value)), (Paragraph(text(told[known.answer])), Fields((*rows, *evidence))))


def _parameter(known: KnownParameter) -> Entry:
    rows: list[tuple[str | Text, Text]] = []
    if known.key and known.key != known.name:
        rows.append(("written", (code(known.key),)))
    if known.where:
        rows.append(("where", text(known.where)))
    rows.append(("what", text(_sort(known))))
    rows += [("default", _default(d.value, d.span.since, d.span.until)) for d in known.defaults]
    for label, word in (("0 means", known.zero), ("negative means", known.negative)):
        if word:
            rows.append((label, (code(word),)))
    if known.minimum or known.maximum:
        taken = f"{known.minimum or ''}..{known.maximum or ''}"
        rows.append(("takes", text(whole(code(taken)), f"; {known.outside}" if known.outside else "")))
    elif known.outside:
        rows.append(("takes", text(known.outside)))
    if known.step:
        rows.append(("step", (whole(code(known.step)),)))
    if known.product:
        rows.append(("whose", text(known.product)))
    if known.note:
        rows.append(("note", text(known.note)))
    evidence = _evidence(known.sources, known.verified, None, known.unverified)
    return Entry(text(code(known.name)), (Paragraph(text(known.means)), Fields((*rows, *evidence))))


def _sort(known: KnownParameter) -> str:
    told = known.quantity.value
    if known.is_constant:
        return f"{told}, a constant"
    if known.key is None:
        return f"{told}, of the workload: no file holds it"
    return f"{told}, bare numbers are {known.unit}" if known.unit else told


def _default(value: str, since: str | None, until: str | None) -> Text:
    words = joined([w for w in (since and f"since {since}", until and f"before {until}") if w])
    return text(whole(code(value)), f" {words}" if words else "")


def _evidence(
    sources: tuple[str, ...], verified: tuple[str, ...], checked: str | None, unverified: str | None
) -> tuple[tuple[str | Text, Text], ...]:
    """How a claim is known, a row for each way and source."""
    rows: list[tuple[str | Text, Text]] = []
    if verified:
        rows.append(("verified", text(joined([_VERIFIED[word] for word in verified]))))
    if checked:
        rows.append(("checked", text(checked)))
    if unverified:
        rows.append((text(strong("not verified")), text(unverified)))
    return (*rows, *(("source", text(link(source))) for source in sources))


def _listed(words: tuple[str, ...]) -> Iterator[Text]:
    for at, word in enumerate(words):
        yield text(", " if at else "", whole(code(word)))
