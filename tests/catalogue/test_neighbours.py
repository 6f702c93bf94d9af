"""The relations beside each other: a mistake is told by one relation, what is right by none, and what leaves a kind out says for which other."""

from __future__ import annotations

from typing import Final

import pytest

from catalogue.judging import audited
from outlast.constraints.catalogue import Relation, kind, kind_names, relation, relations
from outlast.constraints.catalogue.lookup import kinds_of
from outlast.constraints.check import CheckOutcome
from outlast.constraints.evaluate import Truth

#: By relation and example, what else is found there, with the reason why it is another statement, and true.
ALLOWED: Final[dict[tuple[str, str], dict[str, str]]] = {
    ("grpc/plain-pings-permitted", "good"): {
        "http/dead-connection-before-kernel": "a server that permits no more leaves Go a check too rare to be of use",
    },
    ("celery/soft-limit-within-hard", "equal"): {
        "celery/soft-limit-leaves-time": "Celery takes equal limits, and the soft one leaves no time",
    },
    ("grpc/plain-pings-permitted", "equal"): {
        "http/dead-connection-before-kernel": "a server that permits no more leaves Go a check too rare to be of use",
    },
    ("grpc/pings-not-too-often", "equal"): {
        "grpc/pings-leave-room": "equality is permitted by the letter, and too tight for timers that jitter",
    },
    ("lambda/visibility-covers-timeout", "equal"): {
        "lambda/visibility-six-times": "AWS accepts once the timeout, and advises six times",
    },
}

#: Relations over roles that leave kinds out although these have the roles: the more specific relation that speaks of them instead.
LEFT_OUT: Final[dict[tuple[str, str], dict[str, str]]] = {
    ("deadline/caller-outlasts-work", "from"): {"boto": "lambda/client-outlasts-function"},
    ("deadline/patience-outlasts-work", "from"): {
        "boto": "lambda/client-outlasts-function",
        "go.http-client": "deadline/caller-outlasts-work",
        "go.http-transport": "deadline/caller-outlasts-work",
        "go.http2-client": "deadline/caller-outlasts-work",
        "go.x-http2-client": "deadline/caller-outlasts-work",
        "heroku.router": "proxy/app-gives-up-before-heroku-router",
    },
    ("retry/first-attempt-can-fail", ""): {"envoy": "envoy/attempt-below-route"},
}

EXAMPLES: Final = [
    pytest.param(each, example, id=f"{each.id}-{example}")
    for each in relations()
    for example in ("bad", "good", "equal")
    if example in each.examples
]


def broken(outcome: CheckOutcome) -> dict[str, str]:
    """By relation, or by bound of a parameter, the rule that is broken."""
    return {
        id_ if (made_of := checked.rule.rule.relation) is None else made_of.id: id_
        for id_, checked in outcome.rules.items()
        if checked.verdict is not None and checked.verdict.truth is Truth.BROKEN
    }


@pytest.mark.parametrize(("each", "example"), EXAMPLES)
def test_what_an_example_shows_is_told_by_its_own_relation_alone(each: Relation, example: str) -> None:
    found = broken(audited(each.id, example))
    assert set(found) - {each.id} == set(ALLOWED.get((each.id, example), {}))


def test_each_allowed_neighbour_is_of_an_example_that_is_there() -> None:
    assert set(ALLOWED) <= {(each.id, example) for each in relations() for example in each.examples}


@pytest.mark.parametrize(("id_", "end"), LEFT_OUT)
def test_a_kind_is_left_out_of_a_relation_only_for_one_that_says_more(id_: str, end: str) -> None:
    general = relation(id_)
    assert general is not None
    words = {word for at, word in general.names if at == end}
    with_roles = {name for name in kind_names() if words <= set(_roles(name))}
    instead = LEFT_OUT[(id_, end)]
    assert with_roles - set(kinds_of(general, end)) == set(instead)
    for name, other in instead.items():
        specific = relation(other)
        assert specific is not None
        assert any(name in kinds_of(specific, at) for at in specific.over.ends)


def test_a_kind_without_an_optional_role_may_stand_at_that_end() -> None:
    silent = relation("net/silent-hop-outlasts-ends")
    assert silent is not None
    assert "to.keep_awake" in silent.optional
    found = {name: "keep_awake" in _roles(name) for name in kinds_of(silent, "to")}
    assert set(found.values()) == {True, False}


def _roles(name: str) -> tuple[str, ...]:
    known = kind(name)
    return () if known is None else tuple(known.roles)
