"""Small, readable values for which something is so: whole seconds rather than nanoseconds, numbers rather than off, small ones first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Final

from outlast.constraints.evaluate import World
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Poly, Quant, Var, constant, variable
from outlast.constraints.quantities import Kind, Sentinel, Value, format_value, value_text
from outlast.constraints.record import record
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import TRUE, Logic, Mode, Whole, below, both, zero
from outlast.solver.unknowns import Unknowns, bound_name

if TYPE_CHECKING:
    from outlast.solver.engine import Z3Engine

__all__ = ["Witness", "found", "tried"]

#: Values are whole numbers of seconds (of 1/s, of 100 %) where they can be, else of these parts of them.
_GRAINS: Final = (1, 10, 100, 1000)
#: z3's effort for a question that only makes a witness nicer.
_NICER_EFFORT: Final = 300_000
#: How many points are tried one by one.
_MOST_POINTS: Final = 4_000
#: Numbers of steps beyond this are not readable.
_LARGEST: Final = 10**7
#: Numbers of units up to this are readable at once.
_SMALL: Final = 100
_SECOND: Final = Fraction(10**9)
#: What is tried without z3.
_USUAL: Final[dict[Kind, list[Fraction]]] = {
    Kind.DURATION: [n * _SECOND for n in (1, 2, 5, 10, 60, 0)],
    Kind.RATE: [n / _SECOND for n in (1, 10, 100, 0)],
    Kind.COUNT: [Fraction(n) for n in (1, 2, 3, 5, 10, 0)],
    Kind.RATIO: [Fraction(n, 10) for n in (5, 1, 9, 10, 20, 0)],
}


@record(kw_only=True)
class Witness:
    """Effective values of what two rules mention, and the bounds of quantiles."""

    values: Mapping[str, Value]
    #: The lower and the upper bound of each quantile that is mentioned.
    bounds: Mapping[Quant, tuple[Fraction, Fraction]]
    kinds: Mapping[str, Kind]

    def world(self) -> World:
        """What rules are judged in."""
        return World(values=self.values, bound=lambda quantile, upper: self.bounds[quantile][upper])

    def point(self) -> dict[str, Value]:
        """The value of every unknown, bounds of quantiles included."""
        ends = {bound_name(q, upper): pair[upper] for q, pair in self.bounds.items() for upper in (False, True)}
        return {**self.values, **ends}

    def shown(self) -> tuple[tuple[str, str], ...]:
        """Each name with its value as text: `("deadline", "10s")`, `("p99(rtt)", "2s..3s")`."""
        values = ((name, value_text(v, self.kinds[name])) for name, v in self.values.items())
        bounds = (
            (quantile.key, "..".join(format_value(v, 1) for v in dict.fromkeys(ends)))
            for quantile, ends in self.bounds.items()
        )
        return (*values, *bounds)

    @property
    def text(self) -> str:
        """The values in one line: "deadline = 10s, p99(rtt) = 2s"."""
        return ", ".join(f"{name} = {value}" for name, value in self.shown())


def found(
    unknowns: Unknowns, engine: Z3Engine, question: Sequence[Hashable], limits: Limits, *, is_readable: bool = True
) -> Witness | None:
    """Values for the assumptions that the engine has just said to be possible; None: it knows none that are fractions."""
    search = _Search(unknowns, engine, question, limits)
    if is_readable:
        search.simplify()
    return search.witness()


class _Search:
    """Wishes are added one by one, as long as the formula can hold with all of them; so they decide, not z3's taste."""

    def __init__(self, unknowns: Unknowns, engine: Z3Engine, question: Sequence[Hashable], limits: Limits) -> None:
        self._unknowns = unknowns
        self._engine = engine
        self._limits = Limits(limits.deadline, min(limits.effort or _NICER_EFFORT, _NICER_EFFORT))
        self._grids = {**unknowns.grids, **unknowns.bounds}
        self._kept: list[Hashable] = [*question]
        #: What the engine has just found, in case that it gives up on what is asked from here on.
        self._point = self._found()

    def simplify(self) -> None:
        """Fulfil what wishes can be."""
        modes = {n: self._mode(n) for n in self._unknowns.grids}
        numbers = [*(n for n, mode in modes.items() if mode is None), *self._unknowns.bounds]
        self._wish(self._unknowns.same_bounds())
        if self._wish(both(self._above_zero(n) for n in numbers)):
            positive = set(numbers)
        else:
            positive = {n for n in numbers if self._wish(self._above_zero(n))}
        grain = None
        for limit in (_SMALL, None):
            grain = grain or next((g for g in _GRAINS if self._wish(self._steps(numbers, g, limit))), None)
        # Counts first: what is multiplied by them is then linear.
        for name in sorted(numbers, key=lambda n: (not self._grids[n].whole, n)):
            own = grain or next((g for g in _GRAINS if self._wish(self._multiple(name, g))), None)
            if own is not None:
                step = self._grids[name].unit / (1 if self._grids[name].whole else own)
                if name in positive or not self._wish(zero(self._variable(name))):
                    self._make_small(name, step)

    def witness(self) -> Witness | None:
        """The values at which all that is kept holds."""
        point = self._point
        with suppress(Undecided):
            if self._engine.satisfiable(self._kept):
                point = self._found()
        if point is None:
            return None
        ends = {q: (point[bound_name(q, False)], point[bound_name(q, True)]) for q in self._unknowns.quantiles}
        return Witness(
            values={n: point[n] for n in self._unknowns.grids},
            bounds={q: (_as_number(low), _as_number(high)) for q, (low, high) in ends.items()},
            kinds=self._unknowns.kinds,
        )

    def _wish(self, logic: Logic) -> bool:
        """Keep the wish if it can be fulfilled beside those that are kept."""
        if logic is TRUE:
            return True
        self._engine.define(logic, logic)
        wanted = [*self._kept, logic]
        try:
            if not self._engine.satisfiable(wanted, self._limits):
                return False
        except Undecided:
            return False
        self._kept = wanted
        return True

    def _found(self) -> dict[str, Value] | None:
        try:
            return self._engine.point(list(self._grids))
        except Undecided:  # a value is no fraction
            return None

    def _mode(self, name: str) -> Sentinel | None:
        """A number if it can be one."""
        specials = self._grids[name].specials
        return next((m for m in (None, *specials) if self._wish(Mode(name, m))), None) if specials else None

    def _make_small(self, name: str, step: Fraction) -> None:
        """Make a number the smallest of the multiples of a step that it can be, 0 left aside."""
        high = 1
        while not self._at_most(name, high * step):
            high *= 2
            if high > _LARGEST:
                return
        low = high // 2  # too small, as is what is below the least that is found
        while high - low > 1:
            middle = (low + high) // 2
            if self._at_most(name, middle * step):
                high = middle
            else:
                low = middle

    def _at_most(self, name: str, limit: Fraction) -> bool:
        return self._wish(below(self._variable(name) - constant(limit), strict=False))

    def _steps(self, names: Iterable[str], grain: int, limit: int | None) -> Logic:
        """That all are whole numbers of this part of their units, and of not more than so many units."""
        parts = [self._multiple(n, grain) for n in names]
        if limit is not None:
            most = ((self._variable(n), self._grids[n].unit * limit) for n in names)
            parts += (below(v - constant(high), strict=False) for v, high in most)
        return both(parts)

    def _multiple(self, name: str, grain: int) -> Logic:
        return TRUE if self._grids[name].whole else Whole(name, Fraction(grain))

    def _above_zero(self, name: str) -> Logic:
        return below(self._variable(name).scaled(Fraction(-1)), strict=True)

    def _variable(self, name: str) -> Poly:
        return variable(Var(name, self._grids[name].time_exponent))


def _as_number(value: Value) -> Fraction:
    assert isinstance(value, Fraction)  # bounds have no sentinels
    return value


# Without z3.


def tried(unknowns: Unknowns, rules: Iterable[NormalRule], limits: Limits) -> Iterator[Witness]:
    """Values that rules may differ at: small ones, and numbers that the rules mention, in all combinations up to some thousands."""
    mentioned = _numbers_in(rules)
    choices: list[list[Value]] = []
    for name, grid in unknowns.grids.items():
        kind = unknowns.kinds[name]
        numbers = [*_USUAL[kind], *(n for n in mentioned if kind is not Kind.COUNT or n.denominator == 1)]
        fitting = [n for n in dict.fromkeys(numbers) if n or not grid.positive]
        choices.append([*fitting, *grid.specials])
    spans = [(low, high) for low in _USUAL[Kind.DURATION] for high in (low, low * 2)] if unknowns.quantiles else [None]
    most = _MOST_POINTS // len(spans)
    while prod(map(len, choices)) > most and max(map(len, choices)) > 1:
        longest = max(choices, key=len)
        longest.pop(len(longest) // 2)  # neither the usual values nor the sentinels first
    names = list(unknowns.grids)
    for values, span in islice(product(product(*choices), spans), _MOST_POINTS):
        limits.check()
        bounds = {q: span for q in unknowns.quantiles if span is not None}
        yield Witness(values=dict(zip(names, values, strict=True)), bounds=bounds, kinds=unknowns.kinds)


def _numbers_in(rules: Iterable[NormalRule]) -> list[Fraction]:
    numbers: dict[Fraction, None] = {}
    for rule in rules:
        formulas = [f for f in (rule.formula, rule.when) if f is not None]
        for poly in (p for f in formulas for p in f.polys()):
            rest = poly.terms.get((), Fraction(0))
            for coefficient in (rest / c for m, c in poly if m) if rest else ():
                numbers[abs(coefficient)] = None
            numbers[abs(rest)] = None
    return list(numbers)
