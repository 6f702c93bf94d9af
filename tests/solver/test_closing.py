"""Which relations of the catalogue would guard a number, and what they wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast.api import mutate
from outlast.constraints.model import Direction
from outlast.constraints.syntax import parse_condition
from outlast.solver.closing import harder

HIGH, LOW = Direction.HIGH, Direction.LOW


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a < b", {HIGH}),
        ("b <= a", {LOW}),
        ("a > b", {LOW}),
        ("b >= 2 * a", {HIGH}),
        ("b < c - a", {HIGH}),
        ("b / a < 3", {LOW}),
        ("b < c / a", {HIGH}),
        ("not (a < b)", {LOW}),
        ("b < min(a, first_set(a, c))", {LOW}),
        ("a < b and c < e", {HIGH}),
        ("a < b or c < a", {HIGH, LOW}),
        ("a < b => c < e", {LOW}),
        ("b < c => a < e", {HIGH}),
        ("a == b", {HIGH, LOW}),
        ("b < if(a > c, e, c)", {HIGH, LOW}),
        ("b < if(c > e, a, c)", {LOW}),
        ("a is off or b < c", set()),
        ("b < c", set()),
    ],
)
def test_a_condition_gets_harder_where_the_parameter_grows_on_its_smaller_side(
    condition: str, expected: set[Direction]
) -> None:
    assert harder(parse_condition(condition), "a") == expected


@pytest.mark.parametrize(
    ("more", "name", "direction", "expected"),
    [
        (  # a value that nobody told
            "components: { web: { kind: gunicorn, worker_class: gthread } }",
            "web.graceful_timeout",
            LOW,
            ("python/graceful-covers-longest-request@web", "no value of web.longest_request is known"),
        ),
        (  # a link that the spec does not have, of a role that is the parameter itself
            "components: { web: { kind: gunicorn, worker_class: gthread } }",
            "web.keepalive",
            LOW,
            ("http/pool-closes-first", "no link ends at web"),
        ),
        (  # a decline
            "components: { web: { kind: gunicorn, worker_class: gthread }, lb: aws.alb }\nlinks: [lb -> web]\n"
            "decline: { http/pool-closes-first: we try without }",
            "web.keepalive",
            LOW,
            ("http/pool-closes-first@lb:web", "it was declined: we try without"),
        ),
        (  # nothing of the catalogue grows that way
            "components: { web: { kind: gunicorn, worker_class: gthread }, lb: aws.alb }\nlinks: [lb -> web]",
            "web.keepalive",
            HIGH,
            None,
        ),
    ],
)
def test_what_would_close_a_direction_says_what_it_waits_for(
    tmp_path: Path, more: str, name: str, direction: Direction, expected: tuple[str, str] | None
) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(f"outlast: 1\n{more}\nparameters: {{ {name}: {{ fixed: 75s }} }}\n")
    (mutated,) = mutate(path).parameters
    (watch,) = [w for w in mutated.watches if w.direction is direction]
    told = [(closer.rule or closer.relation, closer.wants) for closer in watch.closers]
    assert (told[0] if told else None) == expected
