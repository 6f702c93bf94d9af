"""Every relation's own examples: what is bad is found, what is good is not, and equality is found just where it is not enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalogue.judging import audited, spec_text, truths
from outlast.constraints.catalogue import Relation, kind, relation, relations
from outlast.constraints.evaluate import Truth
from outlast.constraints.expression import Compare, Op, names_in, walk
from outlast.constraints.syntax import parse_condition, parse_rule

IDS = [each.id for each in relations()]


def named(id_: str) -> Relation:
    found = relation(id_)
    assert found is not None
    return found


@pytest.mark.parametrize("id_", IDS)
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
def test_the_bad_example_is_found_and_the_good_one_is_not(id_: str, tmp_path: Path) -> None:
    examples = named(id_).examples
    bad = truths(audited(tmp_path, spec_text(examples, examples["bad"])), id_)
    assert Truth.BROKEN in bad.values(), bad
    outcome = audited(tmp_path, spec_text(examples, examples["good"]))
    good = truths(outcome, id_)
    assert Truth.BROKEN not in good.values(), good
    assert Truth.HOLDS in good.values() or _is_condition(id_), (good, outcome.spec.unjudged)


@pytest.mark.parametrize("id_", IDS)
def test_equality_is_found_where_it_is_not_enough(id_: str, tmp_path: Path) -> None:
    each = named(id_)
    comparisons = [n for link in parse_rule(each.require) for n in walk(link.formula) if isinstance(n, Compare)]
    is_strict = [c.op in (Op.LT, Op.GT) for c in comparisons]
    if "equal" not in each.examples:
        assert len(comparisons) != 1 or comparisons[0].op is Op.EQ or each.note, (
            "say in the note why equality cannot be reached"
        )
        return
    found = truths(audited(tmp_path, spec_text(each.examples, each.examples["equal"])), id_)
    assert (Truth.BROKEN in found.values()) == any(is_strict), found


@pytest.mark.parametrize("id_", IDS)
def test_a_claim_can_be_looked_up(id_: str) -> None:
    each = named(id_)
    assert each.sources, "a claim that nobody can look up does not go in"
    assert each.verified
    assert not each.title.endswith(".")
    assert set(each.kinds) <= set(each.over.ends)


def _is_condition(id_: str) -> bool:
    """Whether the relation only asks for a feature, so that nothing is compared."""
    return not any(isinstance(n, Compare) for link in parse_rule(named(id_).require) for n in walk(link.formula))
