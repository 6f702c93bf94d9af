"""Specs given to outlast, and what its answers must be by the reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from _pytest.mark.structures import ParameterSet

from naive.evaluation import FULL
from naive.generator import generate
from naive.language import Spec, Value
from naive.ranges import NotContinuousError, Piece, range_of
from naive.reference import Component, Point, components
from naive.relaxation import NotLinearError, Relaxation
from naive.rules import grid
from outlast.api import solve
from outlast.constraints.quantities import Sentinel
from outlast.solver.outcome import Bottleneck, Range, SolveOutcome

#: Seeds whose specs are solved in one process, however many tests look at the answers.
CHUNK = 30


def chunks(first: int, end: int) -> list[ParameterSet]:
    """The first seed of each chunk of those from `first` on, under `end`; what is asked of one chunk is asked in one process."""
    return [
        pytest.param(start, marks=pytest.mark.xdist_group(f"answers-{start}")) for start in range(first, end, CHUNK)
    ]


def plain(value: Fraction | Sentinel | None) -> Value | None:
    """A value of outlast as one of the reference."""
    if isinstance(value, Sentinel):
        return value.value
    return value.numerator if value is not None and value.denominator == 1 else value


@dataclass(frozen=True)
class Answer:
    """What outlast says of a spec, as far as the reference can tell."""

    #: None: undecided.
    solvable: bool | None
    given_up: frozenset[str]
    bottlenecks: tuple[Bottleneck, ...]
    values: Mapping[str, Value]
    ranges: Mapping[str, Range]
    recommended: Mapping[str, Range]


def ask(spec: Spec, folder: Path, shuffle: Random | None = None) -> tuple[Answer, SolveOutcome]:
    """Solve the spec exactly."""
    path = folder / "outlast.yaml"
    path.write_text(spec.to_text(shuffle))
    outcome = solve(path, exact=True, time_limit=60)
    free = {n: r for n, r in outcome.parameters.items() if r.parameter.domain is not None}
    answer = Answer(
        solvable={"optimal": True, "conflict": False}.get(outcome.status.value),
        given_up=frozenset(g.rule for g in outcome.given_up),
        bottlenecks=outcome.bottlenecks,
        values={n: v for n, r in free.items() if (v := plain(r.value)) is not None},
        ranges={n: r.range for n, r in free.items() if r.range is not None},
        recommended={n: r.range_as_recommended for n, r in free.items() if r.range_as_recommended is not None},
    )
    return answer, outcome


@cache
def answered(seed: int) -> tuple[Answer, SolveOutcome]:
    """What outlast says of the spec of the seed."""
    with TemporaryDirectory() as folder:
        return ask(generate(seed).spec, Path(folder))


def complaints(spec: Spec, answer: Answer, *, relaxed: bool = True) -> Iterator[str]:
    """Everything that the reference says otherwise; `relaxed` looks at bottlenecks in the relaxation too."""
    found = components(spec)
    solvable = all(c.surrendered is not None for c in found)
    if answer.solvable != solvable:
        yield f"solvable: {solvable} by enumeration, found {answer.solvable}"
    if not solvable or not answer.solvable:
        return
    given_up = sorted(i for c in found for i in c.surrendered or ())
    if sorted(answer.given_up) != given_up:
        yield f"{given_up} are to be given up, found {sorted(answer.given_up)}"
        return
    for c in found:
        if c.names:
            levels: dict[str, int] = {}
            yield from wrong_levels(c, answer, levels, relaxed=relaxed)
            yield from wrong_ranges(c, answer)
            if answer.values:
                yield from wrong_point(c, answer, levels)


def wrong_levels(c: Component, answer: Answer, settled: dict[str, int], *, relaxed: bool) -> Iterator[str]:
    """Follows the bottlenecks round by round; fills in the levels at which the rules are settled."""
    rising = list(c.rising)
    for told in answer.bottlenecks:
        if not set(told.rules) <= set(c.rules):
            continue
        if not told.rules or not set(told.rules) <= set(rising):
            yield f"bottleneck {told.rules} of the rising rules {rising}"
            return
        level = c.level(settled, rising)
        if told.level != level:
            yield f"level {level} is the greatest for {rising} after {settled}, found {told.level}"
            return
        if level == FULL:
            yield f"bottleneck {told.rules} at the full score"
            return
        if c.can_reach(told.rules, level + 1, settled):
            yield f"bottleneck {told.rules} can reach {level + 1} on the grid, after {settled}"
        if told.held_by_steps and (best := c.grid_bottleneck(level + 1, settled, rising)) != told.rules:
            yield f"{best} is the bottleneck on the grid above {level}, after {settled}, found {told.rules}"
        if relaxed:
            try:
                expected = Relaxation(c).bottleneck(level + 1, settled, rising)
            except NotLinearError:
                expected = (told.rules, told.held_by_steps)
            if expected != (told.rules, told.held_by_steps):
                yield f"bottleneck (held by steps) {expected} above {level}, after {settled}, found {told.rules, told.held_by_steps}"
        settled.update(dict.fromkeys(told.rules, level))
        rising = [i for i in rising if i not in told.rules]
    if rising and (level := c.level(settled, rising)) < FULL:
        yield f"no bottleneck told for {rising}, which reach {level} only, after {settled}"
    settled.update(dict.fromkeys(rising, FULL))


def wrong_ranges(c: Component, answer: Answer) -> Iterator[str]:
    for name in c.names:
        if name in answer.ranges:
            yield from (f"range of {name}: {w}" for w in wrong_range(c, name, answer.ranges[name], None))
        if name in answer.recommended:
            others = {n: v for n, v in answer.values.items() if n != name and n in c.names}
            told = wrong_range(c, name, answer.recommended[name], others)
            yield from (f"range of {name} with the others at {others}: {w}" for w in told)


def wrong_range(c: Component, name: str, told: Range, others: Mapping[str, Value] | None) -> Iterator[str]:
    parameter = c.parameters[name]
    possible = c.values_of(name, others)
    special = tuple(v for v in possible if isinstance(v, str) or (v == 0 and parameter.zero is not None))
    numbers = [v for v in possible if v not in special]
    meant = {v if isinstance(v, str) else parameter.zero for v in special}
    if {s.value for s in told.sentinels} != {v for v in meant if isinstance(v, str)}:
        yield f"{special} are possible too, found {told.sentinels}"
    if any(not isinstance(v, str) for v in meant):
        return
    if (told.low is None) != (not numbers):
        yield f"{numbers} are possible, found an end {told.low}"
        return
    if told.low is None or told.high is None:
        return
    ends = [plain(told.low.on_step), plain(told.high.on_step)]
    if ends != [numbers[0], numbers[-1]]:
        yield f"{numbers[0]} and {numbers[-1]} are the smallest and largest values, found {ends[0]} and {ends[1]}"
    if parameter.choices is not None:
        if told.listed is None or [plain(v) for v in told.listed] != numbers:
            yield f"{numbers} of the list are possible, found {told.listed}"
        return
    if parameter.kind == "count":
        return
    try:
        pieces = range_of(c, name, others)
    except NotContinuousError:
        return
    whole = Piece(pieces[0].low, pieces[0].low_open, pieces[-1].high, pieces[-1].high_open)
    low, high = plain(told.low.at), plain(told.high.at)
    if (low, told.low.is_open, high, told.high.is_open) != (whole.low, whole.low_open, whole.high, whole.high_open):
        yield f"{whole}, found {told.low}, {told.high}"
    gaps = [(a.high, b.low) for a, b in pairwise(pieces)]
    if told.gaps is not None and [(plain(a), plain(b)) for a, b in told.gaps] != gaps:
        yield f"gaps {gaps}, found {told.gaps}"


def wrong_point(c: Component, answer: Answer, levels: Mapping[str, int]) -> Iterator[str]:
    missing = [n for n in c.names if n not in answer.values]
    if missing:
        yield f"no value for {missing}"
        return
    values = tuple(answer.values[n] for n in c.names)
    for name, value in zip(c.names, values, strict=True):
        if value not in grid(c.parameters[name]):
            yield f"{name} = {value} is not on its grid"
            return
    (point,) = (p for p in c.points if p.values == values)
    for i in c.kept:
        if point.verdicts[i].holds is False:
            yield f"rule {i} is broken at {values} of {c.names}"
        elif point.verdicts[i].thousandths < levels.get(i, 0):
            yield f"rule {i} scores {point.verdicts[i].thousandths} at {values}, not {levels[i]}"
    at_level = [q for q in c.feasible if all(q.verdicts[i].thousandths >= t for i, t in levels.items())]
    best = min((d for q in at_level if (d := distance(c, q.values, at_level)) is not None), default=None)
    if best is not None and distance(c, values, at_level) != best:
        yield f"{values} of {c.names} is not nearest to the targets: {distance(c, values, at_level)}, not {best}"


def distance(c: Component, values: tuple[Value, ...], among: list[Point]) -> tuple[object, ...] | None:
    """How far a point is from the targets, in the order in which that counts; None where distances have no meaning."""
    away: list[Fraction] = []
    nearest: list[tuple[Fraction, Value]] = []
    for n, value in zip(c.names, values, strict=True):
        p = c.parameters[n]
        if any(isinstance(v, str) or p.zero is not None for v in grid(p)):
            return None
        at = c.names.index(n)
        possible = [v for q in among if not isinstance(v := q.values[at], str)]
        target = {"high": max(possible), "low": min(possible)}.get(p.prefer or "", p.current)
        if target is None:
            continue
        if isinstance(target, str) or isinstance(value, str) or target == 0:
            return None
        away.append(abs(Fraction(value - target)) / target)
        nearest.append((away[-1], value))
    return (sum(1 for d in away if d), sum(away), max(away, default=0), nearest)
