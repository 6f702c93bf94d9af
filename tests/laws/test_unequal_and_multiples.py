"""`!=` and `multiple_of` in solve and explain: what enumeration and the linear reference say, on random small specs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from laws.accounts import account_of, broken, changes_of, ids
from laws.answers import ask, complaints
from laws.test_conflicts_and_repairs import differences, unproved
from naive.conflicts import Conflicts
from naive.language import (
    OFF,
    SECOND,
    All,
    AnyOf,
    Bool,
    Cmp,
    Expr,
    Implies,
    Not,
    Par,
    Parameter,
    Rule,
    Spec,
    number,
    plus,
    times,
)
from naive.rules import names_in

SOLVED, CHUNK = 72, 24


def seconds(value: int | Fraction) -> Expr:
    return number(Fraction(value) * SECOND, "duration")


class Maker:
    """Few free durations on coarse steps, and rules that mostly use what is tested here."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.free = [self.duration(name) for name in ("x", "y")]
        self.tick = Parameter("tick", "fact", "duration", value=self.random.randint(1, 5) * SECOND)
        self.seen: Counter[str] = Counter()

    def duration(self, name: str) -> Parameter:
        step = Fraction(self.random.choice((SECOND, SECOND, 2 * SECOND, SECOND // 2)))
        ends = Fraction(self.random.choice((0, 0, 1)) * SECOND), Fraction(self.random.randint(3, 9) * SECOND)
        return Parameter(name, "free", "duration", interval=ends, step=step)

    def one(self) -> Par:
        return Par(self.random.choice(self.free).name)

    def some(self) -> Expr:
        both = plus(*(Par(p.name) for p in self.free))
        return self.random.choice((self.one(), self.one(), both, times(number(2, "count"), self.one())))

    def unequal(self) -> Bool:
        self.seen["!="] += 1
        right = self.random.choice((seconds(0), seconds(self.random.randint(1, 6)), plus(self.one(), seconds(1))))
        found = Cmp("!=", self.one(), right)
        return Not(replace(found, op="==")) if self.random.random() < 0.2 else found

    def multiple(self, divisor: Expr | None = None) -> Bool:
        self.seen["multiple_of"] += 1
        divisor = divisor or seconds(self.random.choice((2, 3, Fraction(3, 2), 4)))
        found = Cmp("multiple_of", self.some(), divisor)
        if self.random.random() < 0.35:
            self.seen["no multiple"] += 1
            return Not(found)
        return found

    def bound(self) -> Bool:
        sign = self.random.choice(("<", "<=", ">", ">="))
        return Cmp(sign, self.some(), seconds(self.random.randint(1, 9)))

    def guarded(self) -> Bool:
        condition = self.random.choice((Cmp("!=", self.one(), seconds(0)), self.multiple()))
        return Implies(condition, self.random.choice((self.bound, self.unequal, self.multiple))())

    def guarded_by_zero(self) -> Bool:
        return Implies(Cmp("!=", self.one(), seconds(0)), self.random.choice((self.bound, self.unequal))())

    def spec(self, rules: list[Rule]) -> Spec:
        used = set().union(*(names_in(b) for r in rules for b in (r.require, r.when) if b is not None))
        return Spec(tuple(p for p in (*self.free, self.tick) if p.name in used), tuple(rules))


def to_solve(seed: int) -> tuple[Spec, Counter[str]]:
    """Divisors are free or facts too, a zero may mean off, and rules have a `when`."""
    maker = Maker(seed)
    random = maker.random
    if random.random() < 0.3:
        maker.free[0] = replace(maker.free[0], choices=(OFF, *(s * SECOND for s in range(7))), interval=None, step=None)
    if random.random() < 0.2:
        maker.free[1] = replace(maker.free[1], zero=OFF)
    rules = []
    for i in range(random.randint(2, 4)):
        divided = lambda: maker.multiple(random.choice((maker.one(), Par("tick"))))  # noqa: E731
        junction = lambda: random.choice((All, AnyOf))((maker.unequal(), maker.bound()))  # noqa: E731
        require = random.choice((maker.unequal, maker.multiple, maker.bound, divided, maker.guarded, junction))()
        when = random.choice((maker.unequal, maker.multiple, divided))() if random.random() < 0.3 else None
        rules.append(Rule(f"r{i}", require, when=when))
    return maker.spec(rules), maker.seen


@pytest.mark.parametrize("start", range(0, SOLVED, CHUNK))
def test_solve_agrees_with_enumeration(tmp_path: Path, start: int) -> None:
    seen: Counter[str] = Counter()
    solvable: Counter[bool | None] = Counter()
    for seed in range(start, start + CHUNK):
        spec, features = to_solve(seed)
        answer, _ = ask(spec, tmp_path)
        seen += features
        solvable[answer.solvable] += 1
        assert list(complaints(spec, answer)) == [], f"seed {seed}\n{spec.to_text()}"
    assert min(seen[f] for f in ("!=", "multiple_of", "no multiple")) > CHUNK / 4
    assert min(solvable[True], solvable[False]) > 0


def to_explain(seed: int, *, multiples: bool) -> Spec:
    """A spec that cannot hold; what is divided by is written out, as the reference is linear."""
    maker = Maker(seed)
    kinds = (maker.unequal, maker.bound, maker.guarded_by_zero, *((maker.multiple, maker.guarded) if multiples else ()))
    while True:
        makers = [maker.random.choice(kinds) for _ in range(4)]
        spec = maker.spec([Rule(f"r{i}", make()) for i, make in enumerate(makers)])
        if broken(Conflicts(spec)):
            return spec


@pytest.mark.parametrize("start", [0, 12])
def test_explain_finds_every_conflict_of_unequal_values(start: int) -> None:
    wrong: list[str] = []
    for seed in range(start, start + 12):
        spec = to_explain(seed, multiples=False)
        account, found = account_of(spec), Conflicts(spec)
        told = [*differences(found, account), *(w for c in account.conflicts for w in unproved(found, c))]
        wrong += [f"seed {seed}: {w}\n{spec.to_text()}" for w in told]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("start", [0, 6])
def test_what_explain_says_of_multiples_is_so(start: int) -> None:
    """Not every question about them is answered, so that more may be named than is needed; it then is not called minimal."""
    minimal: Counter[bool] = Counter()
    for seed in range(start, start + 6):
        spec = to_explain(seed, multiples=True)
        account, found = account_of(spec), Conflicts(spec)
        assert {frozenset(g.rules) for g in account.groups} == set(broken(found)), spec.to_text()
        for group in account.groups:
            assert group.repairs, spec.to_text()
            for conflict in group.conflicts:
                named = ids(conflict)
                minimal[conflict.minimal] += 1
                assert not found.can_hold(named), f"{sorted(named)}\n{spec.to_text()}"
                for one in named if conflict.minimal else ():
                    assert found.can_hold(named - {one}), f"{sorted(named)} without {one}\n{spec.to_text()}"
            for repair in group.repairs:
                assert found.mends(group.rules, changes_of(repair)), f"{changes_of(repair)}\n{spec.to_text()}"
    assert minimal[True] > minimal[False]
