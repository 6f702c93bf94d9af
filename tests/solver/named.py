"""What a conflict names, and nothing else: a spec of it to be searched by the reference."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import floor, gcd, lcm

from naive.language import MS, Parameter, Rule, Spec, Value
from naive.rules import Judged, effective, grid

#: More points of a grid than this are not made by widening it.
MOST_VALUES = 30
#: How far beyond its own end a side is looked at that nothing named limits; counts may be retries, of which a million takes long.
MULTIPLES = {True: (100, 10**4), False: (10**3, 10**6)}


def subjects(items: Collection[str], *kinds: str) -> set[str]:
    """The names of the items of these kinds."""
    return {name for kind, _, name in (i.partition(":") for i in items) if kind in kinds}


def left_over(spec: Spec, items: Collection[str]) -> list[Judged]:
    """The rules that are named, each with its margin only where that is named too; constants that are not are free."""
    rules = subjects(items, "rule", "margin", "divisor")
    margins = subjects(items, "margin")
    parameters = {p.name: freed(p, items) for p in spec.parameters}
    found: list[Judged] = []
    for rule in (link for whole in spec.rules for link in whole.links()):
        if rule.id in rules:
            kept: Rule = replace(rule, margin=rule.margin if rule.id in margins else None)
            found.append(Judged(kept, parameters))
    return found


def freed(p: Parameter, items: Collection[str]) -> Parameter:
    """A constant that is not named, as a free parameter; others as they are."""
    if p.role not in ("fact", "fixed") or f"{p.role}:{p.name}" in items:
        return p
    return replace(p, role="free", value=None, interval=None, zero=None, choices=tuple(any_values(p)))


def any_values(p: Parameter) -> list[Value]:
    """Many values of a constant, its own included (of a fact that is an interval: both ends)."""
    unit = {"duration": Fraction(500 * MS), "count": Fraction(1), "rate": Fraction(10, 10**9), "ratio": Fraction(1, 10)}
    own = [effective(p, p.value)] if p.value is not None else [*(p.interval or ())]
    numbers = [unit[p.kind] * k for k in (*range(9), *range(9, 60, 6), *MULTIPLES[p.kind == "count"])]
    return [*own, *(short(n) for n in numbers if n not in own)]


def short(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def values_of(p: Parameter, items: Collection[str]) -> list[Value]:
    """The effective values of a free parameter that what is named of its domain and step allows, many of them."""
    own = [effective(p, v) for v in grid(p)]
    specials: list[Value] = [v for v in dict.fromkeys(own) if isinstance(v, str)]
    numbers = sorted({Fraction(v) for v in own if not isinstance(v, str)})
    named = {e for e in ("min", "max") if f"domain:{p.name}.{e}" in items}
    low, high = (numbers[0], numbers[-1]) if numbers else (Fraction(0), Fraction(0))
    if p.interval is not None:
        low, high = p.interval[0], high if p.interval[1] is None else p.interval[1]
    stepped = f"step:{p.name}" in items
    if p.choices is not None and stepped:
        return [*specials, *map(short, numbers)]
    step = common(numbers) if p.choices is not None else p.granularity
    if p.kind == "count":
        step = step if stepped else Fraction(1)
    elif not stepped:
        step /= 6 if step > 10**9 else 2
    # An end of an interval excludes nothing that another does not: 0 is the natural lower end.
    first, last = (low if "min" in named else Fraction(0)), (high if "max" in named else max(3 * high / 2, 12 * step))
    if "max" not in named and last / step > MOST_VALUES:
        last = max(high, MOST_VALUES * step)
    found = [step * k for k in range(-floor(-first / step), floor(last / step) + 1)]
    if "min" in named and p.choices is None and p.zero is not None:
        found = [v for v in found if v]
    if "max" not in named:
        found += [step * k for k in MULTIPLES[p.kind == "count"]]
    if not stepped and p.kind != "count":
        found += [
            v for k in (Fraction(1, 10**6), Fraction(1, 10**3)) for v in (step * k, last - step * k) if v >= first
        ]
    return [*specials, *map(short, sorted(set(found)))]


def common(numbers: list[Fraction]) -> Fraction:
    """A step of which all are multiples."""
    bottom = lcm(*(n.denominator for n in numbers))
    return Fraction(gcd(*(int(n * bottom) for n in numbers)), bottom) or Fraction(1)


class TooManyError(Exception):
    """More points than the search may look at."""


def point(spec: Spec, items: Collection[str], most: int) -> Mapping[str, Value] | None:
    """Values at which all that is named holds; None: there are none among those looked at.

    Raises:
        TooManyError: `most` points did not suffice.
    """
    rules = left_over(spec, items)
    parameters = {p.name: freed(p, items) for p in spec.parameters}
    names = sorted({n for r in rules for n in r.free})
    grids = {n: domain(spec, parameters[n], items) for n in names}
    names.sort(key=lambda n: (len(grids[n]), n))
    #: The rules that can be judged once so many names have values.
    ready = [
        [r for r in rules if set(r.free) <= set(names[:i]) and not (i and set(r.free) <= set(names[: i - 1]))]
        for i in range(len(names) + 1)
    ]
    budget = iter(range(most))

    def search(values: dict[str, Value]) -> Iterator[dict[str, Value]]:
        if next(budget, None) is None:
            raise TooManyError
        if any(r.verdict(values).holds is False for r in ready[len(values)]):
            return
        if len(values) == len(names):
            yield values
            return
        name = names[len(values)]
        for value in grids[name]:
            yield from search({**values, name: value})

    return next(search({}), None)


def domain(spec: Spec, p: Parameter, items: Collection[str]) -> list[Value]:
    own = next(q for q in spec.parameters if q.name == p.name)
    return list(p.choices or ()) if own.role != "free" else values_of(p, items)
