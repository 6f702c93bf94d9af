"""Releases and conditions over options: compared number by number, and unknown where nobody can tell."""

from __future__ import annotations

import pytest

from outlast.constraints.catalogue.guard import read_guard
from outlast.constraints.catalogue.known import Default, KnownParameter, Span, is_within
from outlast.constraints.catalogue.reading import CatalogueError
from outlast.constraints.quantities import Kind as Quantity

ENDS = ("from", "to")


@pytest.mark.parametrize(
    ("condition", "given", "holds"),
    [
        ("to.version >= 1.32", "1.9", False),
        ("to.version >= 1.32", "1.32.1", True),
        ("to.version <= 1.32", "1.32.0", True),
        ("to.version < 1.32.0", "1.32", False),
        ("to.version > 1.32", "v1.33-alpine", True),
        ("to.version >= 1.32", "latest", None),
        ("to.version >= 1.32", None, None),
        ("from.mode == tcp", "tcp", True),
        ("from.mode == tcp", "http", False),
        ("link.pooled != no", "yes", True),
        ("link.pooled != no", "no", False),
        ("link.pooled != no", None, None),
    ],
)
def test_a_condition_holds_of_what_is_given(condition: str, given: str | None, holds: bool | None) -> None:
    assert read_guard(condition, ENDS, "here").holds(given) is holds


@pytest.mark.parametrize(
    "text", ["to.version => 1", "hop.mode == tcp", "mode == tcp", "link.speed == fast", "to.ping is", "to.ping"]
)
def test_what_is_no_condition_of_these_ends_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError, match=r"^here: "):
        read_guard(text, ENDS, "here")


def test_a_component_alone_has_no_link() -> None:
    assert read_guard("mode is set", ("",), "here").sign == "set"
    with pytest.raises(CatalogueError):
        read_guard("link.pooled == no", ("",), "here")


@pytest.mark.parametrize(
    ("version", "since", "until", "inside"),
    [
        ("8", "8", "24", True),
        ("8.0.1", "8", "24", True),
        ("7.9", "8", "24", False),
        ("24", "8", "24", False),
        ("24.0", "8", "24", False),
        ("23.99", "8", "24", True),
        ("9", None, "8", False),
        ("9", None, None, True),
        ("main", None, None, True),
        ("main", "8", None, False),
    ],
)
def test_a_release_lies_from_since_up_to_but_without_until(
    version: str, since: str | None, until: str | None, inside: bool
) -> None:
    assert is_within(version, Span(since=since, until=until)) is inside


def test_the_default_is_that_of_the_release_and_else_the_newest() -> None:
    defaults = (
        Default(value="2min", span=Span(since="4", until="8")),
        Default(value="5s", span=Span(since="8")),
    )
    known = KnownParameter(name="x", key="x", quantity=Quantity.DURATION, means="x", defaults=defaults)
    found = [known.default(version) for version in ("3", "4.1", "8", None)]
    assert found == [None, defaults[0], defaults[1], defaults[1]]
    assert not known.has_one_default()
