"""The smallest amounts of a repair: shares on a scale of three digits, the largest first, lexicographically smallest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from math import ceil, floor

from naive.conflicts import Conflicts, Question
from naive.language import Cmp, Num

#: From 0.01 % to a millionfold, 900 steps a decade.
LAST = 9000


def share(index: int) -> Fraction:
    """0.0001, 0.000101, …, 0.000999, 0.001, 0.00101, …."""
    decade, digit = divmod(index, 900)
    return Fraction((100 + digit) * 10**decade, 10**6)


class Amounts:
    """What a repair of some rules may do to fixed values and rules, a rule or margin that is dropped apart."""

    def __init__(
        self, found: Conflicts, rules: Iterable[str], changed: Collection[str], dropped: Collection[str]
    ) -> None:
        self.found = found
        self.rules = list(rules)
        self.items = sorted(set(changed) - set(dropped))
        self.dropped = sorted(dropped)
        self.kept = found.without(self.rules, [i for i in changed if i in dropped or i.startswith("fixed:")])

    def holds(self, caps: Mapping[str, Fraction], at: Mapping[str, Fraction] | None = None) -> bool:
        """Whether all holds with fixed values moved by no more than these shares, or to a value, and rules weakened by them."""
        moves = {i.partition(":")[2]: self.band(i, cap) for i, cap in caps.items() if i.startswith("fixed:")}
        moves |= {i.partition(":")[2]: (v, v) for i, v in (at or {}).items()}
        shares = {i.partition(":")[2]: cap for i, cap in caps.items() if i.startswith("rule:")}
        return self.found.holds(Question(self.kept, moves, shares))

    def value(self, item: str) -> Fraction:
        value = self.found.parameters[item.partition(":")[2]].value
        assert value is not None
        return Fraction(value)

    def band(self, item: str, cap: Fraction) -> tuple[Fraction, Fraction]:
        value = self.value(item)
        return max(Fraction(0), value - cap * value), value + cap * value

    def smallest(self) -> list[dict[str, Fraction]]:
        """Every way to spread the lexicographically smallest vector of shares over the items."""
        return [dict(found) for found in dict.fromkeys(tuple(sorted(f.items())) for f in self._spread(self.items, {}))]

    def _spread(self, items: list[str], caps: dict[str, Fraction]) -> Iterator[dict[str, Fraction]]:
        if not items:
            yield dict(caps)
            return
        common = self._common(items, caps)
        found = [f for i in items for f in self._spread([j for j in items if j != i], {**caps, i: common})]
        vectors = [sorted((f[i] for i in items), reverse=True) for f in found]
        yield from (f for f, v in zip(found, vectors, strict=True) if v == min(vectors))

    def _common(self, items: list[str], caps: dict[str, Fraction]) -> Fraction:
        low, high = -1, LAST
        assert self.holds({**caps, **dict.fromkeys(items, share(high))})
        while high - low > 1:
            middle = (low + high) // 2
            if self.holds({**caps, **dict.fromkeys(items, share(middle))}):
                high = middle
            else:
                low = middle
        return share(high)

    def drops_more_than_needed(self) -> bool:
        """Whether one rule fewer could be dropped, were the others weakened a millionfold."""
        rules = [i for i in self.dropped if i.startswith("rule:") and self.can_weaken(i.partition(":")[2])]
        others = [i for i in self.dropped if i not in rules]
        every = [i for i in self.items if i.startswith("rule:")] + rules
        for some in combinations(every, max(0, len(rules) - 1)) if rules else ():
            fewer = Amounts(self.found, self.rules, [*self.items, *self.dropped], [*others, *some])
            if fewer.holds(dict.fromkeys(fewer.items, share(LAST))):
                return True
        return False

    def can_weaken(self, rule: str) -> bool:
        """Whether a share changes anything."""
        return not self.found.rules[rule].should and any(c.right for c in self.found.scored(rule))

    def told(self, item: str, cap: Fraction) -> set[Fraction]:
        """The share of a rule as it may be told: where its own number is the smaller side, that number or its change has three digits, whichever takes less away."""
        rule = self.found.rules[item.partition(":")[2]]
        if not isinstance(rule.require, Cmp):
            return {cap}
        smaller = rule.require.left if rule.require.op in ("<", "<=") else rule.require.right
        (comparison,) = self.found.scored(rule.id)
        if not isinstance(smaller, Num) or comparison.left != [(smaller.value, ())]:
            return {cap}
        value = smaller.value * in_own_unit(smaller.text)
        after = value / (1 + cap)
        left = max(floor(after / third_digit(after)) * third_digit(after), value - rounded_up(value - after))
        if left <= 0:
            return {cap}
        told = value / left - 1
        # A margin that is an amount does not shrink with the rule, whose larger side may have to grow instead.
        return {told} if rule.margin is None or rule.margin.relative else {told, cap}


def in_own_unit(text: str) -> Fraction:
    """What makes a number one in the unit in which it was written, but for powers of ten, which move no digit."""
    length = 60 if text.endswith("min") else 3600 if text.endswith("h") else 1
    return Fraction(length) if "/" in text else Fraction(1, length)


def third_digit(value: Fraction) -> Fraction:
    """What the third significant digit counts."""
    digit = Fraction(1)
    while value >= 1000 * digit:
        digit *= 10
    while value < 100 * digit:
        digit /= 10
    return digit


def rounded_up(value: Fraction) -> Fraction:
    return ceil(value / third_digit(value)) * third_digit(value)
