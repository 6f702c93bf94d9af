"""Every picture of a relation on the relation's own examples: it is there, it can be drawn, and it shows what the rule compares."""

from __future__ import annotations

from fractions import Fraction

import pytest

from catalogue.judging import audited, named
from outlast.constraints.catalogue import kind, relations
from outlast.constraints.catalogue.lookup import kinds_of
from outlast.constraints.catalogue.relation import names_of, split_name
from outlast.constraints.evaluate import Extended, Side, Special, World, evaluate
from outlast.constraints.expression import names_in
from outlast.constraints.normal import polys_of
from outlast.constraints.pictures import Picture, Shape, problems_of
from outlast.solver.constants import constants_of

DRAWN = [each.id for each in relations() if each.picture is not None]


def _picture(id_: str, example: str) -> Picture:
    spec = audited(id_, example).spec
    (found,) = (p for p in spec.pictures.values() if any(rule.partition("@")[0] == id_ for rule in p.rules))
    return found


def _values(id_: str, example: str) -> dict[str, list[Extended]]:
    """What the parts come to, by their names."""
    spec = audited(id_, example).spec
    poly, world = polys_of(spec), World(values=constants_of(spec).values, bound=constants_of(spec).bound)
    parts = _picture(id_, example).parts.items()
    return {name: [evaluate(poly(part.formula), world, Side.UPPER) for part in told] for name, told in parts}


@pytest.mark.parametrize("id_", DRAWN)
@pytest.mark.parametrize("example", ["good", "bad"])
def test_an_example_has_the_picture_with_a_value_for_each_part(id_: str, example: str) -> None:
    picture = _picture(id_, example)
    assert problems_of(picture.shape, picture.parts) == []
    used = {name for told in picture.parts.values() for part in told for name in names_in(part.formula)}
    assert used <= audited(id_, example).spec.parameters.keys()
    values = _values(id_, example)
    assert not [name for name, told in values.items() for value in told if value is Special.UNDEFINED], values


@pytest.mark.parametrize("id_", DRAWN)
def test_a_picture_shows_the_two_sides_that_the_rule_compares(id_: str) -> None:
    """What is drawn of a broken example goes wrong by just as much as the rule says."""
    checked = audited(id_, "bad").rules
    verdict = next(each.verdict for rule, each in checked.items() if rule.partition("@")[0] == id_)
    assert verdict is not None
    if verdict.missing is not None:
        assert Special.OFF in [value for told in _values(id_, "bad").values() for value in told]
        return
    judged = verdict.decisive
    assert judged is not None
    ends = _ends(_picture(id_, "bad").shape, {name: told[0] for name, told in _values(id_, "bad").items()})
    assert {judged.left, judged.right} <= ends, (judged.left, judged.right, ends)


def _ends(shape: Shape, at: dict[str, Extended]) -> set[Extended]:
    """The moments at which clocks of a picture end."""
    known = {name: value for name, value in at.items() if isinstance(value, Fraction)}
    part = {
        name: known.get(name, Fraction(0)) for name in (*at, "waits", "delay", "stop", "send_ping", "ping", "drain")
    }
    ends: set[Extended] = set(at.values())
    if shape is Shape.REQUEST:
        ends.add(part["send_ping"] + part["ping"])
    if shape is Shape.DEPLOY:
        ends.add(part["delay"] + part["stop"])
        if "watchdog_interval" in part:
            ends.add(part["watchdog_interval"] * part["watchdog_failures"])
    if shape is Shape.RETRIES:
        waits, count = part["waits"], int(part["attempts"])
        if "base" in part:
            waits = sum((min(part["base"] * part["factor"] ** n, part["cap"]) for n in range(count - 1)), Fraction(0))
        ends.add(part["attempts"] * part["attempt"] + waits)
    return ends


def test_formulas_of_pictures_speak_of_what_some_component_has() -> None:
    """A slip in a name would only leave the part out."""
    for id_ in DRAWN:
        each = named(id_)
        assert each.picture is not None
        for formulas in each.picture.parts.values():
            for name in (name for formula in formulas for name in names_of(formula)):
                end, word = split_name(name, each.over)
                kinds = [kind(known) for known in kinds_of(each, end)]
                assert any(one is not None and (word in one.roles or word in one.parameters) for one in kinds), (
                    id_,
                    name,
                )
