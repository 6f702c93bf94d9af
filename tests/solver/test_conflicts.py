"""A conflict is enough by itself, needs each of its items, does not depend on the order, and its certificate adds up as printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from laws.answers import CHUNK, answered, chunks
from naive.generator import generate
from naive.language import Spec, Value
from naive.reference import components
from outlast.api import solve
from outlast.solver.account import Certificate, Conflict
from outlast.solver.outcome import SolveOutcome, Status
from solver.named import TooManyError, left_over, point

SEEDS = 120
#: Points that a search for one that satisfies what is left may look at.
MOST = 3000
#: Of the conflicts of one spec.
MOST_CONFLICTS = 2

#: What lines of a certificate say of quantities as such, and of ceil and floor.
BY_NATURE = {"natural", "rounding"}
CONSTANTS = ("fact", "fixed", "measurement")
#: An item of these can be left out by itself only where the rule's other items are not named.
SIDE_ITEMS = ("rule", "margin", "divisor")
#: Items of a chunk without which the reference may find nothing.
DOUBTS = 1


def solved(spec: Spec, folder: Path, shuffle: Random | None = None) -> SolveOutcome:
    path = folder / "outlast.yaml"
    path.write_text(spec.to_text(shuffle))
    return solve(path, exact=True)


def ids(conflict: Conflict) -> list[str]:
    return [i.id for i in conflict.items]


def rules_of(conflict: Conflict) -> set[str]:
    return {i.name for i in conflict.items if i.kind.value in SIDE_ITEMS}


def told(outcome: SolveOutcome) -> list[object]:
    """Everything about the conflicts except where it stands."""
    return [([(i.id, i.says) for i in c.items], c.certificate, c.by_steps, c.minimal) for c in outcome.conflicts]


# The report is enough, and no more than enough.


@pytest.mark.parametrize("start", chunks(0, SEEDS))
def test_conflicts_of_random_specs_are_minimal_conflicts(start: int) -> None:
    wrong: list[str] = []
    doubts: list[str] = []
    seen: Counter[str] = Counter()
    for seed in range(start, start + CHUNK):
        spec = generate(seed).spec
        hopeless = [c for c in components(spec) if c.surrendered is None]
        if not hopeless:
            continue
        _, outcome = answered(seed)
        assert outcome.status is Status.CONFLICT
        for component in hopeless:
            if not any(rules_of(c) <= set(component.rules) for c in outcome.conflicts):
                wrong.append(f"seed {seed}: no conflict of {sorted(component.rules)}")
        for conflict in outcome.conflicts[:MOST_CONFLICTS]:
            seen["certified"] += conflict.certificate is not None
            wrong += [f"seed {seed}: {w} of {ids(conflict)}" for w in miscalculated(spec, conflict)]
            wrong += [f"seed {seed}: {w} of {ids(conflict)}" for w in not_a_conflict(spec, conflict, seen)]
            doubts += [f"seed {seed}: {w} in {ids(conflict)}" for w in not_minimal(spec, conflict, seen)]
    assert not wrong, "\n".join(wrong)
    # A search that finds nothing proves little; nearly all find something.
    assert len(doubts) <= DOUBTS, "\n".join(doubts)
    assert seen["needed"] > 15
    assert seen["certified"] > 1
    assert seen["searched through"] > 3
    assert seen["not said to be minimal"] <= 3
    assert seen["too many points"] <= 8


def not_a_conflict(spec: Spec, conflict: Conflict, seen: Counter[str]) -> list[str]:
    try:
        found = point(spec, ids(conflict), MOST)
    except TooManyError:
        seen["too many points"] += 1
        return []
    seen["searched through"] += 1
    return [] if found is None else [f"{dict(found)} satisfies all"]


def not_minimal(spec: Spec, conflict: Conflict, seen: Counter[str]) -> list[str]:
    """Items without which the reference finds no point either; it looks at many values, not at all."""
    if not conflict.minimal:
        seen["not said to be minimal"] += 1
        return []
    doubts = []
    named = ids(conflict)
    for item in named:
        kind, _, name = item.partition(":")
        if kind in SIDE_ITEMS and any(f"{k}:{name}" in named for k in SIDE_ITEMS if k != kind):
            continue
        rest = [i for i in named if i != item]
        try:
            found = point(spec, rest, MOST)
        except TooManyError:
            seen["too many points"] += 1
            continue
        seen["needed"] += 1
        if found is None:
            doubts.append(f"{item} is not needed, as far as can be seen,")
    return doubts


def test_a_conflict_with_an_item_too_few_or_too_many_is_noticed(tmp_path: Path) -> None:
    spec = generate(44).spec
    named = ids(solved(spec, tmp_path).conflicts[0])
    assert point(spec, named, MOST) is None
    assert point(spec, named[1:], MOST) is not None


# Certificates.


#: The unknowns that a term multiplies.
Names = tuple[str, ...]


def printed_sum(certificate: Certificate) -> tuple[dict[Names, Fraction], Fraction, bool]:
    """What the printed inequalities, each times its multiplier, add up to: Σ terms + number < 0 (or ≤ 0)."""
    terms: dict[Names, Fraction] = {}
    strict = False
    for step in certificate.steps:
        left, sign, right = sides_of(step.says)
        strict = strict or sign == "<"
        for side, factor in ((left, step.multiplier), (right, -step.multiplier)):
            for coefficient, names in map(term, side.split(" + ")):
                terms[names] = terms.get(names, Fraction(0)) + factor * coefficient
    return terms, terms.pop((), Fraction(0)), strict


def sides_of(says: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"(.+) (<=?) (.+)", says)
    assert found is not None, says
    return found[1], found[2], found[3]


def term(text: str) -> tuple[Fraction, Names]:
    """`2 * pods * send` is 2 and its names, sorted; `7s` is a number of nanoseconds."""
    number, names = Fraction(1), []
    for factor in text.split(" * "):
        if re.fullmatch(r"[^\W\d][\w.]*", factor):
            names.append(factor)
        else:
            number *= plain(factor)
    return number, tuple(sorted(names))


UNITS = {"": Fraction(1), "%": Fraction(1, 100), "ns": Fraction(1), "us": Fraction(10**3), "ms": Fraction(10**6)} | {
    "s": Fraction(10**9), "min": Fraction(60 * 10**9), "h": Fraction(3600 * 10**9), "d": Fraction(86400 * 10**9)
}  # fmt: skip


def plain(text: str) -> Fraction:
    """`1m30s`, `-7/2ms`, `100/s`, `1/3`, `20%` in the base unit."""
    sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
    rate = re.fullmatch(r"([\d./]+)/([a-z]+)", text)
    if rate is not None:
        return sign * plain(rate[1]) / UNITS[rate[2]]
    parts = re.findall(r"(\d+(?:\.\d+)?)(?:/(\d+))?([a-z%]*)", text)
    assert "".join(f"{n}{'/' * bool(d)}{d}{u}" for n, d, u in parts) == text, text
    return sign * sum((Fraction(n) / int(d or 1) * UNITS["min" if u == "m" else u] for n, d, u in parts), Fraction(0))


def miscalculated(spec: Spec, conflict: Conflict) -> list[str]:
    certificate = conflict.certificate
    # What ceil and floor come to is an unknown of its own, which other tests look at.
    if certificate is None or any("(" in s.says for s in certificate.steps):
        return []
    wrong = []
    if any(s.multiplier <= 0 for s in certificate.steps):
        wrong.append("a multiplier is not above 0")
    terms, number, strict = printed_sum(certificate)
    if any(terms.values()):
        wrong.append(f"{terms} is left over")
    if number < 0 or (number == 0 and not strict):
        wrong.append(f"{number} on the left contradicts nothing")
    zero, sign, total = certificate.total.split()
    if (plain(zero), sign, plain(total)) != (Fraction(0), "<" if strict else "<=", -number):
        wrong.append(f"the sum is {-number}, told is {certificate.total}")
    used = {s.item for s in certificate.steps} - BY_NATURE
    # An interval, and what multiplies or divides, stand in the lines of the rules with their values.
    folded = {i for i in ids(conflict) if i.split(":")[0] in CONSTANTS} - used
    if used | folded != set(ids(conflict)):
        wrong.append(f"{used} are added up")
    wrong += [w for step in certificate.steps for w in not_implied(spec, step.item, step.says)]
    return wrong


def not_implied(spec: Spec, item: str, says: str) -> list[str]:
    """Where a rule holds with its margin, and the inequality that is said of it does not."""
    kind, _, name = item.partition(":")
    if kind not in ("rule", "margin"):
        return []
    (component,) = (c for c in components(spec) if name in c.rules)
    (rule,) = left_over(spec, [item, *(f"{p.role}:{p.name}" for p in spec.parameters)])
    left, sign, right = sides_of(says)
    for each in component.points:
        values = component.effective(each.values)
        if any(isinstance(values[n], str) for n in rule.free) or rule.verdict(values).holds is not True:
            continue
        known = {**rule.constants, **values}
        if not {n for side in (left, right) for _, names in map(term, side.split(" + ")) for n in names} <= set(known):
            return []  # an end of an interval, or a parameter of another rule
        difference = side_at(left, known) - side_at(right, known)
        if not (difference < 0 if sign == "<" else difference <= 0):
            return [f"{item} holds at {values}, and {says} does not"]
    return []


def side_at(text: str, values: Mapping[str, Value]) -> Fraction:
    total = Fraction(0)
    for coefficient, names in map(term, text.split(" + ")):
        for name in names:
            value = values[name]
            assert not isinstance(value, str)
            coefficient *= value
        total += coefficient
    return total


# Order.


def test_the_order_decides_nothing_between_equal_conflicts(tmp_path: Path) -> None:
    assert not [seed for seed in (419, 689, 923) if told_otherwise(tmp_path, seed, orders=3)]


def told_otherwise(folder: Path, seed: int, *, orders: int) -> bool:
    spec = generate(seed).spec
    if all(c.surrendered is not None for c in components(spec)):
        return False
    plain_order = told(solved(spec, folder))
    return any(told(solved(spec, folder, Random(seed + n))) != plain_order for n in range(orders))
