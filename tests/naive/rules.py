"""Rules and the values of parameters, ready to be evaluated at a point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor

from naive.evaluation import FULL, Comparison, Env, Group, Normaliser, Test, judge, shortened, truth, value_of
from naive.language import INFINITE, OFF, Bool, Expr, Fn, Is, Margin, Par, Parameter, Rule, Value, parts


def names_in(node: Expr | Bool) -> set[str]:
    """Every parameter it mentions."""
    own = {node.name} if isinstance(node, (Par, Is)) else set()
    return own.union(*map(names_in, parts(node)))


def outside_first_set(node: Expr | Bool) -> set[str]:
    """The parameters used as numbers elsewhere than under `first_set`."""
    if isinstance(node, Fn) and node.name == "first_set":
        return set()
    own = {node.name} if isinstance(node, Par) else set()
    return own.union(*map(outside_first_set, parts(node)))


def asked_off(node: Expr | Bool) -> set[str]:
    """The parameters about which it asks `is off`."""
    own = {node.name} if isinstance(node, Is) and node.what == OFF else set()
    return own.union(*map(asked_off, parts(node)))


def in_conclusion(test: Test) -> Iterator[Comparison]:
    if isinstance(test, Comparison):
        yield test
    elif isinstance(test, Group):
        for part in test.parts[1:] if test.how == "=>" else test.parts:
            yield from in_conclusion(part)


@dataclass(frozen=True)
class Verdict:
    #: None: not applicable.
    holds: bool | None
    thousandths: int

    @property
    def rank(self) -> tuple[bool, int, bool]:
        """The worst first."""
        return (self.holds is not False, self.thousandths, self.holds is None)


class Judged:
    """A rule ready to be evaluated."""

    def __init__(self, rule: Rule, parameters: Mapping[str, Parameter]) -> None:
        assert rule.require is not None
        self.rule = rule
        self.id = rule.id
        derived = {n: p.formula for n, p in parameters.items() if p.formula is not None}
        normaliser = Normaliser(derived)
        self.test = normaliser.test(rule.require)
        self.when = None if rule.when is None else normaliser.test(rule.when)
        nodes = [rule.require] + ([] if rule.when is None else [rule.when])

        def unfolded(names: Iterable[str], mentioned: Callable[[Expr], set[str]]) -> set[str]:
            """Derived parameters replaced by those that they are computed from."""
            return set().union(*(unfolded(mentioned(derived[n]), mentioned) if n in derived else {n} for n in names))

        names = unfolded(set().union(*map(names_in, nodes), rule.needs_on), names_in)
        asked = set().union(*map(asked_off, nodes))
        self.silencing = sorted(unfolded(set().union(*map(outside_first_set, nodes)), outside_first_set) - asked)
        self.free = sorted(n for n in names if parameters[n].role == "free")
        self.constants: dict[str, Value] = {}
        spans: list[tuple[str, tuple[Value, Value]]] = []
        for name in sorted(names):
            p = parameters[name]
            if p.role in ("fact", "fixed"):
                if p.interval is not None and p.interval[1] is not None:
                    spans.append((name, (short(p.interval[0]), short(p.interval[1]))))
                else:
                    assert p.value is not None
                    self.constants[name] = effective(p, p.value)
        self.worlds: list[dict[str, Value]] = [
            dict(zip((n for n, _ in spans), ends, strict=True)) for ends in product(*(ends for _, ends in spans))
        ]
        self.has_interval = bool(spans)
        self.aim = Margin(Fraction(1), True) if rule.aim is None else rule.aim
        if rule.margin is not None and rule.margin.relative == self.aim.relative and self.aim.amount:
            self.aim = Margin(max(self.aim.amount, rule.margin.amount), self.aim.relative)
        self.scores = self.aim.amount > 0 and any(c.op in ("<", "<=") for c in in_conclusion(self.test))
        self.table: dict[tuple[Value, ...], Verdict] = {}

    def verdict(self, values: Mapping[str, Value]) -> Verdict:
        """For effective values of the free parameters; the worst end of each fact that is an interval."""
        key = tuple([values[n] for n in self.free])
        found = self.table.get(key)
        if found is None:
            env = {**self.constants, **{n: values[n] for n in self.free}}
            found = self.table[key] = min((self._verdict({**env, **w}) for w in self.worlds), key=lambda v: v.rank)
        return found

    def _verdict(self, env: Env) -> Verdict:
        if self.when is not None and not truth(self.when, env):
            return Verdict(None, FULL)
        if any(env[n] == OFF for n in self.rule.needs_on):
            return Verdict(False, 0)
        if any(env[n] == OFF for n in self.silencing):
            return Verdict(None, FULL)
        if isinstance(self.test, Group) and self.test.how == "=>" and not truth(self.test.parts[0], env):
            return Verdict(None, FULL)
        return Verdict(*judge(self.test, env, self.rule.margin, self.aim if self.scores else None))

    def sides(self, values: Mapping[str, Value]) -> tuple[Value, Value] | None:
        """Both sides in normal form, for a rule that is one comparison without facts that are intervals."""
        if self.has_interval or not isinstance(self.test, Comparison):
            return None
        env = {**self.constants, **{n: values[n] for n in self.free}}
        return value_of(self.test.left, env), value_of(self.test.right, env)


def short(value: Fraction | int) -> int | Fraction:
    return shortened(Fraction(value))


def effective(p: Parameter, value: Value) -> Value:
    if p.zero is not None and value == 0:
        return p.zero
    return value if isinstance(value, str) else short(value)


@lru_cache(maxsize=10_000)
def grid(p: Parameter) -> tuple[Value, ...]:
    """A free parameter's values as written, in ascending order; infinite, then off, after all numbers."""
    if p.choices is not None:
        numbers = sorted({short(v) for v in p.choices if not isinstance(v, str)})
        return (*numbers, *(v for v in (INFINITE, OFF) if v in p.choices))
    assert p.interval is not None
    low, high = p.interval
    if high is None:
        assert p.beyond is not None
        high = p.beyond
    first = ceil(low / p.granularity)
    values = [short(i * p.granularity) for i in range(first, floor(high / p.granularity) + 1)]
    return tuple(v for v in values if not (v == 0 and p.zero is not None))
