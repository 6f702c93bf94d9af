"""The catalogue as JSON (docs/json.md)."""

from __future__ import annotations

from outlast.constraints.catalogue import Kind, KnownParameter, Relation
from outlast.constraints.catalogue.lookup import Contents, Page
from outlast.constraints.catalogue.relation import Sketch
from outlast.reports.data import VERSION, Json

__all__ = ["page_data", "rules_data"]


def rules_data(contents: Contents) -> dict[str, Json]:
    """What there is, in short."""
    return {
        "version": VERSION,
        "relations": {r.id: {"title": r.title, "severity": r.severity.value} for r in contents.relations},
        "kinds": {k.name: {"title": k.title, "parameters": list(k.parameters)} for k in contents.kinds},
    }


def page_data(page: Page) -> dict[str, Json]:
    """Everything about a relation or a kind, but for where lint finds it and generate writes it."""
    if isinstance(page.about, Relation):
        kinds: dict[str, Json] = {end or "component": list(names) for end, names in page.kinds}
        return {"version": VERSION, "relation": _relation(page.about), "kinds": kinds}
    return {"version": VERSION, "kind": _kind(page.about), "relations": [each.id for each in page.relations]}


def _relation(about: Relation) -> dict[str, Json]:
    return {
        "id": about.id,
        "title": about.title,
        "over": about.over.value,
        "require": about.require,
        "when": about.when,
        "applies": [guard.text for guard in about.applies],
        "needs_on": list(about.needs_on),
        "optional": list(about.optional),
        "severity": about.severity.value,
        "refused": about.is_refused,
        "aim": about.aim,
        "margin_advice": about.margin_advice,
        "why": about.why,
        "breaks": about.breaks,
        "note": about.note,
        "sources": list(about.sources),
        "verified": list(about.verified),
        "checked": about.checked,
        "unverified": about.unverified,
        "picture": _picture(about.picture) if about.picture is not None else None,
        "examples": dict(about.examples),
    }


def _picture(picture: Sketch) -> dict[str, Json]:
    parts: dict[str, Json] = {name: list(formulas) for name, formulas in picture.parts.items()}
    return {"shape": picture.shape.value, "parts": parts}


def _kind(about: Kind) -> dict[str, Json]:
    return {
        "name": about.name,
        "title": about.title,
        "product": about.product,
        "passes_through": about.passes_through,
        "options": {
            o.name: {"means": o.means, "values": list(o.values), "default": o.default, "key": o.key}
            for o in about.options.values()
        },
        "parameters": {name: _parameter(known) for name, known in about.parameters.items()},
        "answers": [
            {
                "with": each.answer.value,
                "applies": [guard.text for guard in each.applies],
                "note": each.note,
                "sources": list(each.sources),
                "verified": list(each.verified),
                "unverified": each.unverified,
            }
            for each in about.answers
        ],
        "roles": {
            role: {"formula": formula, "applies": [guard.text for guard in about.conditions.get(role, ())]}
            for role, formula in about.roles.items()
        },
    }


def _parameter(known: KnownParameter) -> dict[str, Json]:
    defaults: list[Json] = [{"value": d.value, "since": d.span.since, "until": d.span.until} for d in known.defaults]
    return {
        "key": known.key,
        "kind": known.quantity.value,
        "unit": known.unit,
        "syntax": known.syntax,
        "where": known.where,
        "step": known.step,
        "min": known.minimum,
        "max": known.maximum,
        "outside": known.outside,
        "defaults": defaults,
        "constant": known.is_constant,
        "zero": known.zero,
        "negative": known.negative,
        "means": known.means,
        "product": known.product,
        "note": known.note,
        "sources": list(known.sources),
        "verified": list(known.verified),
        "unverified": known.unverified,
    }
