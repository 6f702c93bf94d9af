"""How the catalogue's texts are written: a clause goes into the middle of a report, a note stands for itself."""

from __future__ import annotations

import re
from typing import Final

import pytest

from outlast.constraints.catalogue import Kind, Relation, kind, kind_names, relations

_SECOND_SENTENCE: Final = re.compile(r"[.!?]['\")]? [A-Z0-9]")
_ENDS: Final = (".", "!", "?")
_ARTICLES: Final = re.compile(r"(?:The|A|An|How|What|From|Every|With|Without) ")

RELATIONS: Final = [pytest.param(each, id=each.id) for each in relations()]
KINDS: Final = [pytest.param(known, id=name) for name in kind_names() if (known := kind(name)) is not None]


def wrong_clauses(texts: dict[str, str | None]) -> list[str]:
    """Those of a single clause that begin or end like a sentence."""
    return [
        where
        for where, text in texts.items()
        if text is not None
        and not _SECOND_SENTENCE.search(text)
        and (text.endswith(".") or _ARTICLES.match(text) is not None)
    ]


@pytest.mark.parametrize("each", RELATIONS)
def test_what_a_relation_says_in_one_clause_is_no_sentence(each: Relation) -> None:
    texts = {"why": each.why, "breaks": each.breaks, "margin": each.margin_advice, "unverified": each.unverified}
    assert wrong_clauses(texts) == []


@pytest.mark.parametrize("known", KINDS)
def test_what_a_parameter_means_in_one_clause_is_no_sentence(known: Kind) -> None:
    for p in known.parameters.values():
        assert wrong_clauses({"means": p.means, "outside": p.outside, "unverified": p.unverified}) == [], p.name


@pytest.mark.parametrize("each", RELATIONS)
def test_the_note_of_a_relation_ends_like_a_sentence(each: Relation) -> None:
    assert each.note is None or each.note.endswith(_ENDS)


@pytest.mark.parametrize("known", KINDS)
def test_the_notes_of_parameters_end_like_sentences(known: Kind) -> None:
    assert [p.name for p in known.parameters.values() if p.note is not None and not p.note.endswith(_ENDS)] == []
