"""What somebody decided, as a section of the page: the value, why, who says so, how long ago, and when to look again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Final

from outlast.constraints.aging import Due, What, due_of
from outlast.constraints.errors import Place
from outlast.constraints.model import Origin, Role, Severity, Spec
from outlast.reporting import Reported
from outlast.reports.document import Fields, code, text
from outlast.reports.html import address_markup, document_markup, table_markup
from outlast.reports.markup import Markup, element, joined
from outlast.reports.page.opening import place_of, said_value
from outlast.reports.page.ways import is_made
from outlast.reports.wording import Places, counted, margin_text, value_of

__all__ = ["decisions_section", "due_in", "review_markup", "told_age"]

#: After so many days a review or a measurement is called old.
_STALE: Final = 365
_HEADS: Final = ("what", "value", "why", "owner", "reviewed")
_KINDS: Final = {
    "parameter": "",
    "measurement": "measurement ",
    "rule": "rule ",
    "decline": "decline of ",
    "ignore": "ignoring ",
}

_Row = tuple[str, ...]


def decisions_section(reported: Reported) -> Markup:
    """The section `decisions`; empty where nobody decided anything and no default is used."""
    due = due_in(reported)
    told = _Told(reported.spec, due, reported.today)
    groups = [
        ("Facts", told.parameters(Role.FACT)),
        ("Fixed values", told.parameters(Role.FIXED)),
        ("Margins", told.margins()),
        ("Declined rules", told.declines()),
        ("Findings set aside", told.ignores()),
    ]
    parts = [_overdue(due.values())]
    for title, found in groups:
        if rows := list(found):
            parts += [element("h3", title), table_markup(_HEADS, rows)]
    parts += [_defaults(reported.spec)]
    inside = joined(part for part in parts if part)
    return element("section", element("h2", "Decisions"), inside, id="decisions") if inside else Markup("")


def due_in(reported: Reported) -> dict[tuple[What, Place], Due]:
    """What is to be looked at again, by what it is and where it stands."""
    return {(due.what, due.place): due for due in due_of(reported.spec, _STALE, reported.today)}


def told_age(day: date, today: date) -> str:
    """How long ago a day is: `2026-10-20, 19 days ago`."""
    days = (today - day).days
    if days < 0:
        return f"{day}, a day that is still to come"
    return f"{day}, {'today' if days == 0 else 'yesterday' if days == 1 else f'{days} days ago'}"


def review_markup(origin: Origin, due: Due | None, today: date) -> Markup:
    """When it was reviewed and is to be, with a word where that is late."""
    parts: list[str] = []
    if origin.reviewed is not None:
        parts.append(element("div", told_age(origin.reviewed, today)))
    if origin.review_by is not None:
        parts.append(element("div", f"review by {origin.review_by}"))
    if due is not None and due.severity is Severity.ERROR:
        parts.append(element("div", element("strong", "overdue", class_="bad")))
    elif due is not None and due.severity is Severity.WARNING and due.days is not None and due.what != "measurement":
        parts.append(element("div", element("span", "old", class_="warn")))
    elif not parts:
        parts.append(element("span", "never", class_="faint whole"))
    return joined(parts)


class _Told:
    """Rows about the decisions of one spec."""

    def __init__(self, spec: Spec, due: Mapping[tuple[What, Place], Due], today: date) -> None:
        self._spec = spec
        self._today = today
        self._places = Places(spec)
        self._due = due

    def parameters(self, role: Role) -> Iterator[_Row]:
        for p in self._spec.parameters.values():
            if p.role is role and not is_made(self._spec, p):
                value = element("span", said_value(p, p.value), data_value=p.name if role is Role.FIXED else None)
                yield self._row("parameter", p.name, p.place, value, p.origin, shown_at=place_of(p))

    def margins(self) -> Iterator[_Row]:
        seen: set[Place] = set()
        for rule in self._spec.rules.values():
            if rule.margin is not None and rule.place not in seen:
                seen.add(rule.place)  # the links of a chain share one
                yield self._row(
                    "rule",
                    rule.chain or rule.id,
                    rule.place,
                    margin_text(rule.margin),
                    rule.origin,
                    shown_at=rule.places.get("margin"),
                )

    def declines(self) -> Iterator[_Row]:
        for d in self._spec.declined:
            yield self._row("decline", d.id, d.place, "declined", d.origin, d.why)

    def ignores(self) -> Iterator[_Row]:
        for i in self._spec.ignores:
            until = "for good" if i.until is None else f"until {i.until}"
            yield self._row("ignore", ", ".join(i.ids), i.place, f"ignored {until}", i.origin, i.why)

    def _row(
        self,
        what: What,
        name: str,
        place: Place,
        value: str,
        origin: Origin,
        why: str | None = None,
        shown_at: Place | None = None,
    ) -> _Row:
        reason = why or origin.why or ""
        source = element("div", address_markup(origin.source), class_="source") if origin.source else ""
        return (
            joined((element("code", name), element("div", self._places.text(shown_at or place), class_="faint"))),
            value,
            joined((reason, source)),
            joined((origin.owner,)) if origin.owner else element("span", "nobody", class_="faint whole"),
            review_markup(origin, self._due.get((what, place)), self._today),
        )


def _overdue(due: Iterable[Due]) -> Markup:
    """What is late of all that has a day to review by, rules and measurements included."""
    late = [d for d in due if d.severity is Severity.ERROR]
    if not late:
        return Markup("")
    rows = tuple((text(_KINDS[d.what], code(d.subject)), text(d.why)) for d in late)
    return joined((element("h3", "Overdue"), document_markup((Fields(rows),))))


def _defaults(spec: Spec) -> Markup:
    """What software takes that nobody has told otherwise."""
    rows = [
        (element("code", p.name), value_of(p, p.value), p.default_of)
        for p in spec.parameters.values()
        if p.default_of is not None and p.value is not None
    ]
    if not rows:
        return Markup("")
    told = f"Nobody decided these: {counted(len(rows), 'default')} of software"
    return element("details", element("summary", told), table_markup(("what", "value", "default of"), rows))
