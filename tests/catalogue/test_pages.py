"""What the files of the catalogue say is what `outlast rules NAME` says, as data and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from outlast.constraints.catalogue.lookup import page
from outlast.constraints.catalogue.sources import documents
from outlast.constraints.record import fields_of, is_record
from outlast.reports.rules import page_document
from outlast.reports.rules_data import page_data

#: Where lint finds a kind and generate writes it is for those who add to the catalogue.
NOT_TOLD: Final = ("files", "output")
#: What a page says in other words, or of relations alone: the sort, the dialect, and the third example.
IN_OTHER_WORDS: Final = (
    *NOT_TOLD,
    "verified",
    "product",
    "over",
    "is",
    "unit",
    "syntax",
    "id",
    "kinds",
    "equal",
    "key",
)


def leaves(node: object, without: tuple[str, ...] = ()) -> Iterator[str]:
    """Every text in a document, white space folded."""
    if isinstance(node, dict):
        for key, below in node.items():
            if key not in without:
                yield from leaves(below, without)
    elif isinstance(node, list | tuple):
        for below in node:
            yield from leaves(below, without)
    elif isinstance(node, str) and node not in ("yes", "no", ""):
        yield " ".join(node.split())


@pytest.mark.parametrize("section", ["kinds", "relations"])
def test_everything_that_a_file_says_stands_in_its_data(section: str) -> None:
    for name, document in documents()[section].items():
        told = set(leaves(page_data(page(name))))
        assert set(leaves(document, NOT_TOLD)) - told == set(), name


@pytest.mark.parametrize("section", ["kinds", "relations"])
def test_everything_that_people_need_stands_on_its_page(section: str) -> None:
    for name, document in documents()[section].items():
        told = plain("".join(words(page_document(page(name)))))
        for text in leaves(document, IN_OTHER_WORDS):
            assert plain(text) in told, (name, text)


def words(node: object) -> Iterator[str]:
    """Every text of a report's document, in its order."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, tuple):
        for below in node:
            yield from words(below)
    elif is_record(node):
        for field in fields_of(node):
            yield from words(getattr(node, field))


def plain(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())
