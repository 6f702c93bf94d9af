"""How the catalogue's texts are written: a clause goes into the middle of a report, a note stands for itself."""

from __future__ import annotations

import re
from typing import Final

from outlast.constraints.catalogue import kind, kind_names, relations

_SECOND_SENTENCE: Final = re.compile(r"[.!?]['\")]? [A-Z0-9]")
_ENDS: Final = (".", "!", "?")
_ARTICLES: Final = re.compile(r"(?:The|A|An|How|What|From|Every|With|Without) ")

PARAMETERS: Final = [
    (name, parameter)
    for name in kind_names()
    if (known := kind(name)) is not None
    for parameter in known.parameters.values()
]


def wrong_clauses(texts: dict[str, str | None]) -> list[str]:
    """Those of a single clause that begin or end like a sentence."""
    return [
        where
        for where, text in texts.items()
        if text is not None
        and not _SECOND_SENTENCE.search(text)
        and (text.endswith(".") or _ARTICLES.match(text) is not None)
    ]


def test_what_a_relation_says_in_one_clause_is_no_sentence() -> None:
    for each in relations():
        texts = {"why": each.why, "breaks": each.breaks, "margin": each.margin_advice, "unverified": each.unverified}
        assert wrong_clauses(texts) == [], each.id


def test_what_a_parameter_means_in_one_clause_is_no_sentence() -> None:
    for kind_name, p in PARAMETERS:
        texts = {"means": p.means, "outside": p.outside, "unverified": p.unverified}
        assert wrong_clauses(texts) == [], (kind_name, p.name)


def test_notes_end_like_sentences() -> None:
    notes = [(each.id, each.note) for each in relations()] + [(f"{name} {p.name}", p.note) for name, p in PARAMETERS]
    assert [where for where, note in notes if note is not None and not note.endswith(_ENDS)] == []
