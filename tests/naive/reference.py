"""What a spec means as a whole, decided by looking at every point of the grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

from naive.evaluation import FULL
from naive.language import Parameter, Spec, Value
from naive.rules import Judged, Verdict, effective, grid


@dataclass
class Point:
    #: As written.
    values: tuple[Value, ...]
    verdicts: dict[str, Verdict]

    def broken(self) -> list[str]:
        return [i for i, v in self.verdicts.items() if v.holds is False]


@dataclass
class Component:
    """Rules and free parameters that hang together, with every point of their grid."""

    names: list[str]
    rules: dict[str, Judged]
    parameters: Mapping[str, Parameter]

    @cached_property
    def points(self) -> list[Point]:
        grids = [grid(self.parameters[n]) for n in self.names]
        found = []
        rules = sorted(self.rules.items())
        for values in product(*grids):
            env = self.effective(values)
            found.append(Point(values, {i: rule.verdict(env) for i, rule in rules}))
        return found

    def effective(self, values: tuple[Value, ...]) -> dict[str, Value]:
        return {n: effective(self.parameters[n], v) for n, v in zip(self.names, values, strict=True)}

    @cached_property
    def surrendered(self) -> tuple[str, ...] | None:
        """The `should` rules given up; None if the `must` rules cannot hold together."""
        best: tuple[int, int, list[str]] | None = None
        for point in self.points:
            broken = sorted(point.broken())
            if all(self.rules[i].rule.should for i in broken):
                cost = (sum(self.rules[i].rule.weight for i in broken), len(broken), broken)
                best = cost if best is None else min(best, cost)
        return None if best is None else tuple(best[2])

    @cached_property
    def kept(self) -> list[str]:
        return [i for i in sorted(self.rules) if i not in (self.surrendered or ())]

    @cached_property
    def feasible(self) -> list[Point]:
        """The points at which every kept rule holds with its margin."""
        if self.surrendered is None:
            return []
        return [p for p in self.points if all(p.verdicts[i].holds is not False for i in self.kept)]

    @cached_property
    def rising(self) -> list[str]:
        return [i for i in self.kept if self.rules[i].scores]

    def level(self, settled: Mapping[str, int], rising: Iterable[str]) -> int:
        """The greatest level that all rising rules reach while the settled ones keep theirs."""
        names = list(rising)
        return max(
            min((p.verdicts[i].thousandths for i in names), default=FULL)
            for p in self.feasible
            if all(p.verdicts[i].thousandths >= t for i, t in settled.items())
        )

    def can_reach(self, chosen: Iterable[str], level: int, settled: Mapping[str, int]) -> bool:
        """Whether these reach the level on the grid, where settled and non-scoring rules are given and others are not."""
        wanted = {**settled, **dict.fromkeys(chosen, level)}
        given = [i for i in self.kept if not self.rules[i].scores]
        return any(
            all(p.verdicts[i].holds is not False for i in given)
            and all(p.verdicts[i].holds is not False and p.verdicts[i].thousandths >= t for i, t in wanted.items())
            for p in self.points
        )

    def grid_bottleneck(self, level: int, settled: Mapping[str, int], rising: Iterable[str]) -> tuple[str, ...]:
        """The smallest set, then the first by ids, that cannot all reach the level on the grid."""
        names = sorted(rising)
        for size in range(1, len(names) + 1):
            for chosen in combinations(names, size):
                if not self.can_reach(chosen, level, settled):
                    return chosen
        raise AssertionError("all of them reach the level")

    def only_whole(self) -> bool:
        """Whether ignoring steps changes nothing: counts with step 1 and lists."""
        return all(
            self.parameters[n].choices is not None
            or (self.parameters[n].kind == "count" and self.parameters[n].granularity == 1)
            for n in self.names
        )

    def values_of(self, name: str, others: Mapping[str, Value] | None = None) -> list[Value]:
        """The values of one parameter on its grid at feasible points, ascending; others may be held."""
        at = self.names.index(name)
        held = [(self.names.index(n), v) for n, v in (others or {}).items()]
        found = {p.values[at] for p in self.feasible if all(p.values[i] == v for i, v in held)}
        return [v for v in grid(self.parameters[name]) if v in found]


def components(spec: Spec) -> list[Component]:
    """Rules are connected by the free parameters they mention; a free parameter without rules is a component too."""
    parameters = {p.name: p for p in spec.parameters}
    judged = [Judged(link, parameters) for rule in spec.rules for link in rule.links()]
    groups: list[tuple[set[str], list[Judged]]] = [({p.name}, []) for p in spec.parameters if p.role == "free"]
    for rule in judged:
        joined = [g for g in groups if g[0] & set(rule.free)]
        groups = [g for g in groups if not g[0] & set(rule.free)]
        names = set(rule.free).union(*(g[0] for g in joined))
        groups.append((names, [rule, *(r for g in joined for r in g[1])]))
    return [Component(sorted(names), {r.id: r for r in rules}, parameters) for names, rules in groups]
