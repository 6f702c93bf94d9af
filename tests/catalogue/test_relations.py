"""Every relation's own examples: what is bad is found, what is good is not, and equality is found just where it is not enough."""

from __future__ import annotations

import pytest

from catalogue.judging import audited, named, truths
from cheap import of_each
from outlast.constraints.catalogue import kind, relations
from outlast.constraints.evaluate import Truth
from outlast.constraints.expression import Compare, Op, names_in, walk
from outlast.constraints.syntax import parse_condition, parse_rule

IDS = [each.id for each in relations()]


@of_each(IDS)
def test_formulas_parse_and_mention_what_the_relation_says(id_: str) -> None:
    each = named(id_)
    mentioned = {name for link in parse_rule(each.require) for name in names_in(link.formula)}
    if each.when is not None:
        mentioned.update(names_in(parse_condition(each.when)))
    mentioned.update(each.needs_on)
    assert set(each.optional) <= mentioned
    assert {f"{end}.{word}" if end else word for end, word in each.names} == mentioned
    for kinds in each.kinds.values():
        assert all(kind(name) is not None for name in kinds)


@pytest.mark.parametrize("id_", IDS)
def test_the_bad_example_is_found_and_the_good_one_is_not(id_: str) -> None:
    bad, good = truths(id_, "bad"), truths(id_, "good")
    assert Truth.BROKEN in bad.values(), bad
    assert Truth.BROKEN not in good.values(), good
    assert Truth.HOLDS in good.values() or _is_condition(id_), (good, audited(id_, "good").spec.unjudged)


@pytest.mark.parametrize("id_", [id_ for id_ in IDS if "equal" in named(id_).examples])
def test_equality_is_found_where_it_is_not_enough(id_: str) -> None:
    found = truths(id_, "equal")
    assert (Truth.BROKEN in found.values()) == any(c.op in (Op.LT, Op.GT) for c in _comparisons(id_)), found


def test_where_equality_is_not_shown_the_note_says_why() -> None:
    for id_ in IDS:
        comparisons, each = _comparisons(id_), named(id_)
        is_single = len(comparisons) == 1 and comparisons[0].op is not Op.EQ
        assert "equal" in each.examples or each.note or not is_single, id_


def test_a_claim_can_be_looked_up() -> None:
    assert [each.id for each in relations() if not (each.sources and each.verified)] == []


def test_titles_are_clauses_and_kinds_stand_at_ends_that_there_are() -> None:
    for each in relations():
        assert not each.title.endswith("."), each.id
        assert set(each.kinds) <= set(each.over.ends), each.id


def _comparisons(id_: str) -> list[Compare]:
    return [n for link in parse_rule(named(id_).require) for n in walk(link.formula) if isinstance(n, Compare)]


def _is_condition(id_: str) -> bool:
    """Whether the relation only asks for a feature, so that nothing is compared."""
    return not _comparisons(id_)
