"""Random small linear specs that cannot be satisfied, by seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

from naive.conflicts import Conflicts
from naive.language import (
    MS,
    SECOND,
    Bool,
    Cmp,
    Expr,
    Fn,
    Implies,
    Margin,
    Par,
    Parameter,
    Rule,
    Spec,
    minus,
    number,
    over,
    plus,
    times,
)
from naive.rules import names_in

#: More items or soft items than these take the reference too long.
MOST_ITEMS, MOST_SOFTS = 16, 8
MOST_CONFLICTS = 12
#: Without those that are units.
LETTERS = "abcefgijklnopqrtuvwxyz"


def generate(seed: int) -> Spec:
    """A spec of which at least one group of rules cannot hold."""
    random = Random(seed)
    while True:
        spec = _Maker(random).spec()
        found = Conflicts(spec)
        broken = [g for g in found.groups if not found.can_hold(found.items(g))]
        if (
            broken
            and all(len(found.items(g)) <= MOST_ITEMS and len(found.softs(g)) <= MOST_SOFTS for g in broken)
            and all(len(found.conflicts(g)) <= MOST_CONFLICTS for g in broken)
        ):
            return spec


def seconds(value: int | Fraction) -> Expr:
    return number(Fraction(value) * SECOND, "duration")


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.parameters: dict[str, Parameter] = {}
        self.letters = random.sample(LETTERS, len(LETTERS))

    def spec(self) -> Spec:
        random = self.random
        self.free = [self.free_duration() for _ in range(random.randint(1, 3))]
        self.counts = [self.free_count()] if random.random() < 0.2 else []
        self.fixed = [self.constant("fixed") for _ in range(random.randint(0, 2))]
        self.facts = [self.constant("fact") for _ in range(random.randint(0, 2))]
        self.measured = [self.constant("measurement")] if random.random() < 0.35 else []
        makers: list[tuple[Callable[[], Bool], float]] = [
            (self.upper, 3),
            (self.lower, 3),
            (self.ordered, 2),
            (self.rate, 1.5),
            (self.extreme, 1),
            (self.implied, 0.7),
            (self.equality, 0.5),
            (self.factor, 0.7),
            (self.settled, 0.4),
        ]
        rules = []
        for i in range(random.randint(2, 5)):
            (maker,) = random.choices([m for m, _ in makers], [w for _, w in makers])
            rules.append(self.rule(f"r{i}" if random.random() < 0.5 else f"{random.choice('abcxyz')}-{i}", maker()))
        used = set().union(*(names_in(r.require) for r in rules if r.require is not None))
        return Spec(tuple(p for n, p in self.parameters.items() if n in used), tuple(rules))

    # Parameters.

    def add(self, p: Parameter) -> Par:
        self.parameters[p.name] = p
        return Par(p.name, f"p90({p.name})" if p.role == "measurement" else None)

    def name(self) -> str:
        return self.letters.pop() + self.random.choice(("", "_x"))

    def free_duration(self) -> Par:
        random = self.random
        low = Fraction(random.choice((0, 0, 1, 2, 3)) * SECOND)
        high = None if random.random() < 0.4 else Fraction(random.randint(5, 12) * SECOND)
        step = Fraction(random.choice((None, None, SECOND, 2 * SECOND, 3 * SECOND, SECOND // 2)) or MS)
        return self.add(Parameter(self.name(), "free", "duration", interval=(low, high), step=step))

    def free_count(self) -> Par:
        low, high = Fraction(self.random.randint(0, 2)), Fraction(self.random.randint(4, 9))
        step = self.random.choice((None, None, Fraction(2), Fraction(3)))
        return self.add(Parameter(self.name(), "free", "count", interval=(low, high), step=step))

    def constant(self, role: str) -> Par:
        random = self.random
        value = random.randint(1, 10) * SECOND
        if role == "fact" and random.random() < 0.2:
            ends = Fraction(value), Fraction(value + random.randint(1, 3) * SECOND)
            return self.add(Parameter(self.name(), role, "duration", interval=ends))
        step = Fraction(random.choice((SECOND, SECOND // 2, MS))) if role == "fixed" else None
        return self.add(
            Parameter(self.name(), role, "duration", value=value, step=step, cost=self.cost(role == "fixed"))
        )

    def cost(self, can_be: bool) -> int | str | None:
        return self.random.choice((None, None, None, 2, 5, "never")) if can_be else None

    # Formulas.

    def bound(self, low: int, high: int, *, small: bool) -> Expr:
        """A number of seconds, or a constant; on a `small` side also a measurement, of which only the upper bound is known."""
        constants = [*self.fixed, *self.facts, *(self.measured if small else ())]
        if constants and self.random.random() < 0.5:
            found = self.random.choice(constants)
            return found if self.random.random() < 0.7 else plus(found, seconds(self.random.randint(1, 3)))
        return seconds(self.random.randint(low, high))

    def some(self, most: int) -> list[Par]:
        return self.random.sample(self.free, self.random.randint(1, min(most, len(self.free))))

    def term(self, par: Par) -> Expr:
        return times(number(self.random.choice((2, 3)), "count"), par) if self.random.random() < 0.25 else par

    def upper(self) -> Bool:
        if self.counts and self.random.random() < 0.5:
            return Cmp(self.op(), self.term(self.counts[0]), number(self.random.randint(1, 7), "count"))
        return Cmp(self.op(), plus(*(self.term(p) for p in self.some(2))), self.bound(1, 8, small=False))

    def lower(self) -> Bool:
        if self.counts and self.random.random() < 0.5:
            return Cmp(self.op(), number(self.random.randint(3, 9), "count"), self.term(self.counts[0]))
        bound = self.bound(4, 12, small=True)
        if self.random.random() < 0.3:
            return Cmp(">=", plus(*self.some(2)), bound)
        return Cmp(self.op(), bound, plus(*(self.term(p) for p in self.some(2))))

    def ordered(self) -> Bool:
        left, right = (self.random.choice([*self.free, *self.fixed]) for _ in range(2))
        if left == right:
            return self.lower()
        is_less = self.random.random() < 0.3
        more = self.bound(0, 4, small=not is_less)
        if is_less:
            return Cmp(self.op(), minus(left, more), right)
        return Cmp(self.op(), plus(left, more), right)

    def rate(self) -> Bool:
        """So many requests in so long: a division."""
        pods = self.add(Parameter(self.name(), "fact", "count", value=self.random.randint(1, 6) * 10))
        if self.random.random() < 0.3:
            pods_end = Fraction(self.random.randint(3, 6) * 10)
            pods = self.add(Parameter(self.name(), "fact", "count", interval=(Fraction(10), pods_end)))
        limit: Expr = number(Fraction(self.random.choice((2, 5, 10, 20)), SECOND), "rate")
        if self.random.random() < 0.4:
            value = Fraction(self.random.choice((2, 5, 10)), SECOND)
            limit = self.add(Parameter(self.name(), "fixed", "rate", value=value, cost=self.cost(True)))
        by = self.random.choice(self.free)
        if self.random.random() < 0.3:
            return (
                Cmp(self.op(), limit, over(pods, by)) if not self.is_interval(pods) else Cmp(">", over(pods, by), limit)
            )
        return Cmp(self.op(), over(pods, by), limit)

    def factor(self) -> Bool:
        """A fixed count that multiplies."""
        retries = self.add(
            Parameter(self.name(), "fixed", "count", value=self.random.randint(2, 4), cost=self.cost(True))
        )
        product_ = times(retries, self.random.choice(self.free))
        if self.random.random() < 0.5:
            return Cmp(self.op(), product_, seconds(self.random.randint(3, 12)))
        return Cmp(self.op(), seconds(self.random.randint(6, 20)), product_)

    def extreme(self) -> Bool:
        function = Fn(self.random.choice(("min", "max")), (*self.some(2), seconds(self.random.randint(2, 7))))
        other = seconds(self.random.randint(2, 8)) if self.random.random() < 0.5 else self.random.choice(self.free)
        left, right = self.random.sample([plus(function, seconds(1)), other], 2)
        return Cmp(self.op(), left, right)

    def implied(self) -> Bool:
        condition = Cmp(self.random.choice("<>"), self.random.choice(self.free), seconds(self.random.randint(2, 6)))
        return Implies(condition, self.random.choice((self.upper, self.lower))())

    def equality(self) -> Bool:
        right = self.without_intervals(plus(self.random.choice(self.free), self.bound(1, 3, small=False)))
        return Cmp("==", self.term(self.random.choice(self.free)), right)

    def settled(self) -> Bool:
        """Without free parameters."""
        known = [*self.fixed, *self.facts]
        if not known:
            return self.upper()
        return Cmp(self.op(), self.bound(4, 9, small=True), self.random.choice(known))

    def op(self) -> str:
        return self.random.choice(("<", "<="))

    def is_interval(self, e: Expr) -> bool:
        return isinstance(e, Par) and self.parameters[e.name].interval is not None

    def without_intervals(self, e: Expr) -> Expr:
        """An interval makes no equality."""
        named = [self.parameters[n] for n in names_in(e)]
        return seconds(3) if any(p.role == "measurement" or (p.role == "fact" and p.interval) for p in named) else e

    def rule(self, name: str, require: Bool) -> Rule:
        random = self.random
        rule = Rule(name, require, should=random.random() < 0.15, cost=random.choice((*[None] * 8, 4, 4, "never")))
        if rule.should:
            return replace(rule, weight=random.choice((1, 3, 12)), cost=None)
        if isinstance(require, Cmp) and require.op != "==" and random.random() < 0.2:
            is_rate = any(self.parameters[n].kind != "duration" for n in names_in(require))
            relative = is_rate or random.random() < 0.6
            amount = (
                Fraction(random.choice((20, 50, 100)), 100) if relative else Fraction(random.choice((1, 2)) * SECOND)
            )
            return replace(rule, margin=Margin(amount, relative))
        return rule
