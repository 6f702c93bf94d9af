"""Every kind: its values are quantities of the right sort, defaults lie within bounds and on the step, roles are formulas over it."""

from __future__ import annotations

import itertools
from fractions import Fraction
from operator import itemgetter

from cheap import of_each
from outlast.configs.dialects import BARE_DIALECTS, DIALECTS, read_duration
from outlast.constraints.catalogue import Kind, KnownParameter, kind, kind_names
from outlast.constraints.catalogue.guard import version_of
from outlast.constraints.catalogue.relation import names_of
from outlast.constraints.dimensions import dimension_of
from outlast.constraints.expression import Name, names_in
from outlast.constraints.quantities import DURATION_UNITS, Sentinel, Value, format_number, parse_quantity
from outlast.constraints.quantities import Kind as Quantity
from outlast.constraints.syntax import parse_expression

#: The roles of docs/catalogue.md, with the power of time of what they are.
ROLES = {
    **dict.fromkeys(
        [
            "pool_idle",
            "server_idle",
            "silent_idle",
            "keep_awake",
            "attempt",
            "waits",
            "deadline",
            "work_limit",
            "response_gap",
            "gap_limit",
            "dead_after",
            "ping_every",
            "ping_allowed",
            "detection",
            "recovery",
            "deregistration",
            "drain",
            "shutdown",
            "stop_delay",
            "grace",
            "startup",
            "startup_budget",
            "db_pool_idle",
            "session_idle",
            "lifetime",
            "session_lifetime",
            "processing",
            "visibility",
            "request_wait",
            "hold",
        ],
        1,
    ),
    "attempts": 0,
}


def known(name: str) -> Kind:
    found = kind(name)
    assert found is not None
    return found


def value_of(parameter: KnownParameter, text: str) -> Value:
    quantity = parse_quantity(text)
    if isinstance(quantity.value, Sentinel):
        return quantity.value
    if text == "0" or (parameter.quantity is Quantity.RATIO and quantity.kind is Quantity.COUNT):
        return quantity.value
    assert quantity.kind is parameter.quantity, f"{text} is no {parameter.quantity.value}"
    return quantity.value


@of_each(kind_names())
def test_a_default_lies_within_the_bounds_and_on_the_step(name: str) -> None:
    for word, parameter in known(name).parameters.items():
        assert parse_expression(word) == Name(name=word, span=(0, len(word)))
        low, high, step, zero = (
            None if text is None else value_of(parameter, text)
            for text in (parameter.minimum, parameter.maximum, parameter.step, parameter.zero)
        )
        if parameter.negative is not None:
            value_of(parameter, parameter.negative)
        for default in parameter.defaults:
            value = value_of(parameter, default.value)
            if isinstance(value, Sentinel) or (value == 0 and zero is not None):
                continue
            assert low is None or isinstance(low, Sentinel) or value >= low, word
            assert high is None or isinstance(high, Sentinel) or value <= high, word
            assert step is None or isinstance(step, Sentinel) or value % step == 0, word


@of_each(kind_names())
def test_a_default_can_be_written_in_a_file_and_read_back(name: str) -> None:
    dialects = {*DIALECTS, *(d.name for d in BARE_DIALECTS.values())}
    for word, parameter in known(name).parameters.items():
        if parameter.key is None or parameter.quantity is not Quantity.DURATION:
            continue
        assert parameter.syntax is None or parameter.syntax in dialects, word
        values = [value_of(parameter, default.value) for default in parameter.defaults]
        for value in values:
            if not isinstance(value, Sentinel):
                assert read_back(parameter, value) in (None, value), word


def read_back(parameter: KnownParameter, value: Fraction) -> Fraction | Sentinel | None:
    """A duration as written in the parameter's unit or dialect, read again; None: nothing tells how it is written."""
    if parameter.unit is not None:
        unit = DURATION_UNITS[parameter.unit]
        return read_duration(format_number(value / unit), BARE_DIALECTS[unit])
    dialect = DIALECTS.get(parameter.syntax or "")
    if dialect is None or not dialect.units:
        return None
    whole = ((u, n) for u, n in dialect.units.items() if value % n == 0)
    suffix, length = next(whole, min(dialect.units.items(), key=itemgetter(1)))
    return read_duration(f"{format_number(value / length)}{suffix}", dialect)


@of_each(kind_names())
def test_defaults_follow_each_other_without_gaps(name: str) -> None:
    for word, parameter in known(name).parameters.items():
        defaults = parameter.defaults
        for before, after in itertools.pairwise(defaults):
            assert before.span.until == after.span.since, word
            assert after.span.since is not None, word
            assert version_of(after.span.since), word
        assert not defaults or defaults[-1].span.until is None, word


@of_each(kind_names())
def test_what_is_claimed_of_a_parameter_can_be_looked_up(name: str) -> None:
    for word, parameter in known(name).parameters.items():
        if parameter.key is not None or parameter.is_constant:
            assert parameter.sources, word
            assert parameter.verified, word
        else:
            assert {d.value for d in parameter.defaults} <= {"off", "0s"}, (
                f"{word}: a quantity of the workload is unknown or absent"
            )


@of_each(kind_names())
def test_roles_are_durations_or_counts_over_the_parameters(name: str) -> None:
    kind_ = known(name)
    exponents = {word: p.quantity.time_exponent for word, p in kind_.parameters.items()}
    for role, formula in kind_.roles.items():
        assert role in ROLES, f"{role} is no role of docs/catalogue.md"
        assert role not in kind_.parameters or formula == role
        tree = parse_expression(formula)
        assert set(names_of(formula)) == set(names_in(tree)) <= {*kind_.parameters, *kind_.roles}
        if not set(names_in(tree)) & set(kind_.roles):
            assert dimension_of(tree, exponents) == ROLES[role]


@of_each(kind_names())
def test_what_a_hop_answers_can_be_looked_up_or_is_told_by_whoever_has_it(name: str) -> None:
    kind_ = known(name)
    assert not kind_.answers or "silent_idle" in kind_.roles
    for each in kind_.answers:
        assert (each.sources and each.verified) or (name.startswith("generic.") and each.applies)


@of_each(kind_names())
def test_at_most_one_answer_applies_whatever_a_hop_says_of_itself(name: str) -> None:
    kind_ = known(name)
    options = {guard.name for each in kind_.answers for guard in each.applies}
    words = [kind_.options[option].values for option in sorted(options)]
    assert all(words)
    for said in itertools.product(*words):
        saying = dict(zip(sorted(options), said, strict=True))
        truths = [all(guard.holds(saying[guard.name]) for guard in each.applies) for each in kind_.answers]
        assert truths.count(True) <= 1, saying
