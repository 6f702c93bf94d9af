"""Rules of which nothing is known but what quantities are: facts, fixed values and measurements are unknown like all else.

Numbers are not negative, counts are whole, and of quantiles of one measurement the higher level and the upper bound are the greater.
What cannot be written in unknown numbers (a backoff over an unknown number of retries) becomes a number of its own, the same for
the same arguments, greater for greater ones: what cannot be even so, cannot be; what can be so, has to be tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Final

from outlast.constraints.evaluate import Side, Special, World, apply, evaluate
from outlast.constraints.model import Choices, Parameter, Spec
from outlast.constraints.normal import (
    All,
    Either,
    Equality,
    Formula,
    Given,
    Inequality,
    IsSentinel,
    NormalRule,
    poly_may_be_negative,
)
from outlast.constraints.polynomial import Apply, Poly, Quant, Switch, Var, constant, variable
from outlast.constraints.quantities import Kind, Sentinel, Value
from outlast.solver.cases import Case, TooManyCasesError, as_case, as_extended, cleared, limit, powers
from outlast.solver.constants import Constants
from outlast.solver.encode import Demand, Encoder
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits
from outlast.solver.logic import TRUE, Logic, Mode, below, both, either, implies, negated, zero

if TYPE_CHECKING:
    from outlast.solver.engine import Z3Engine

__all__ = ["Unknowns", "bound_name", "kinds_differ"]

#: What an index of an unknown counts: readable values have small ones.
_UNITS: Final = {
    Kind.DURATION: Fraction(10**9), Kind.RATE: Fraction(1, 10**9), Kind.COUNT: Fraction(1), Kind.RATIO: Fraction(1),
}  # fmt: skip


def bound_name(quantile: Quant, upper: bool) -> str:
    """What the unknown is called that stands for one bound of a quantile."""
    return f"{quantile.key}{'+' if upper else '-'}"


def kinds_differ(rules: Sequence[tuple[NormalRule, Spec]]) -> str | None:
    """Why rules cannot be compared: a name means a duration in one spec and a count in the other; None: they can."""
    known: dict[str, Kind] = {}
    for rule, spec in rules:
        for name in sorted(rule.names()):
            kind = spec.parameters[name].kind
            if known.setdefault(name, kind) is not kind:
                return f"'{name}' is a {known[name].value} in one and a {kind.value} in the other"
    return None


class Unknowns:
    """What some rules speak of, each name and each bound of a quantile an unknown."""

    def __init__(self, rules: Sequence[tuple[NormalRule, Spec]]) -> None:
        """The names that the rules share are of the same kind in each spec."""
        found: dict[str, list[Parameter]] = {}
        for rule, spec in rules:
            for name in rule.names():
                found.setdefault(name, []).append(spec.parameters[name])
        asked = _asked(rule for rule, _ in rules)
        self.kinds: dict[str, Kind] = {n: found[n][0].kind for n in sorted(found)}
        self.grids: dict[str, Grid] = {n: _grid(n, found[n], asked.get(n, set())) for n in sorted(found)}
        atoms = (a for rule, _ in rules for a in rule.atoms())
        quantiles = {a for a in atoms if isinstance(a, Quant)}
        self.quantiles: tuple[Quant, ...] = tuple(sorted(quantiles, key=lambda q: (q.measurement, q.level)))
        self.bounds: dict[str, Grid] = {
            name: _number(name, Kind.DURATION) for q in self.quantiles for name in (bound_name(q, False), bound_name(q, True))
        }  # fmt: skip
        self._constants = Constants(values={}, bound=_no_bound, unknown=frozenset(q.key for q in self.quantiles))
        self._stand_ins = _StandIns(frozenset(n for n, kind in self.kinds.items() if kind is Kind.COUNT))

    def logic(self, rule: NormalRule, demand: Demand) -> Logic:
        """What is demanded of a rule.

        Raises:
            OutlastError: it cannot be written as a formula.
        """
        return _Encoder(self.grids, self._constants, self._stand_ins).rule(rule, demand)

    def engine(self, limits: Limits) -> Z3Engine:
        """An engine that knows all that always holds; to be asked for after the formulas, which add to it."""
        from outlast.solver.engine import Z3Engine  # z3 takes long to import, and most rules do not change

        always = [*self._always(), *self._stand_ins.facts()]
        grids = {**self.grids, **self.bounds, **self._stand_ins.grids}
        continuous = frozenset(n for n, grid in grids.items() if not grid.whole)
        engine = Z3Engine(grids, limits, continuous=continuous, unbounded=frozenset(grids))
        for logic in always:
            engine.require(logic)
        return engine

    def called_at(self, point: Mapping[str, Value]) -> tuple[Logic, Logic] | None:
        """That what stands in calls has these values, and what the calls then come to; None: nothing stands for a call.

        Raises:
            OutlastError: a call is too long to be computed.
        """
        return self._stand_ins.called_at(point)

    def same_bounds(self) -> Logic:
        """That each quantile is known exactly, its bounds being the same."""
        return both(zero(_bound(q, True) - _bound(q, False)) for q in self.quantiles)

    def _always(self) -> Iterator[Logic]:
        for name, grid in self.grids.items():
            if grid.positive:
                positive = below(variable(Var(name, grid.time_exponent)).scaled(Fraction(-1)), strict=True)
                yield either([*(Mode(name, s) for s in grid.specials), positive])
        for number, quantile in enumerate(self.quantiles):
            yield below(_bound(quantile, False) - _bound(quantile, True), strict=False)
            following = self.quantiles[number + 1 : number + 2]
            if following and following[0].measurement == quantile.measurement:
                for upper in (False, True):
                    yield below(_bound(quantile, upper) - _bound(following[0], upper), strict=False)


def _bound(quantile: Quant, upper: bool) -> Poly:
    return variable(Var(bound_name(quantile, upper), 1))


def _no_bound(quantile: Quant, _: bool) -> Fraction:
    raise AssertionError(quantile)


def _number(name: str, kind: Kind | None, specials: tuple[Sentinel, ...] = (), *, positive: bool = False) -> Grid:
    unit = Fraction(1) if kind is None else _UNITS[kind]
    return Grid(
        name=name, time_exponent=0 if kind is None else kind.time_exponent, unit=unit, low=0, high=None, listed=None,
        specials=specials, whole=kind is Kind.COUNT, positive=positive, domain_low=None, domain_high=None,
    )  # fmt: skip


# What a parameter may be besides a number.


def _grid(name: str, parameters: Sequence[Parameter], asked: set[Sentinel]) -> Grid:
    possible = asked.union(*map(_own_sentinels, parameters))
    positive = all(p.zero is not None for p in parameters)  # a 0 that has a meaning of its own is no number
    return _number(name, parameters[0].kind, tuple(s for s in Sentinel if s in possible), positive=positive)


def _own_sentinels(parameter: Parameter) -> set[Sentinel]:
    listed = parameter.domain.values if isinstance(parameter.domain, Choices) else ()
    values = (parameter.value, parameter.current, parameter.zero, parameter.unset, parameter.negative, *listed)
    return {v for v in values if isinstance(v, Sentinel)}


def _asked(rules: Iterable[NormalRule]) -> dict[str, set[Sentinel]]:
    """By name, the sentinels that rules ask about or make allowance for."""
    found: dict[str, set[Sentinel]] = {}

    def note(poly: Poly, sentinel: Sentinel) -> None:
        for atom in poly.all_atoms():
            if isinstance(atom, Var):
                found.setdefault(atom.name, set()).add(sentinel)

    for rule in rules:
        for _, poly in rule.needs_on:
            note(poly, Sentinel.OFF)
        for formula in (rule.formula, rule.when):
            for predicate in () if formula is None else _predicates(formula):
                note(predicate.of, predicate.sentinel)
        for atom in rule.atoms():
            if isinstance(atom, Apply) and atom.function == "first_set":
                for argument in atom.arguments[:-1]:  # the last is there for the others
                    note(argument, Sentinel.OFF)
            elif isinstance(atom, Switch):
                for predicate in _predicates(atom.condition):
                    note(predicate.of, predicate.sentinel)
    return found


def _predicates(formula: Formula) -> Iterator[IsSentinel]:
    match formula:
        case IsSentinel():
            yield formula
        case All(parts) | Either(parts):
            for part in parts:
                yield from _predicates(part)
        case Given(condition, conclusion):
            yield from _predicates(condition)
            yield from _predicates(conclusion)
        case Inequality() | Equality():
            return


# What cannot be written in unknown numbers.


class _StandIns:
    """Numbers in the place of function calls, by function and arguments."""

    def __init__(self, counts: frozenset[str]) -> None:
        self._counts = counts
        self._known: dict[tuple[str, tuple[Poly | Special, ...]], tuple[Var, Var]] = {}
        #: The parts below 0 that are needed.
        self._signed: set[str] = set()
        self._facts: list[Logic] = []
        self.grids: dict[str, Grid] = {}

    def rounded(self, function: str, inner: Poly) -> list[Case]:
        """`floor` and `ceil` of a quotient of unknown numbers: the whole number next to it, which that defines."""
        divisors = powers(inner)
        numerator, denominator = cleared(inner, divisors), constant(Fraction(1))
        for atom, power in divisors.items():
            for _ in range(power):
                denominator = denominator * atom.poly
        defined = both(below(a.poly.scaled(Fraction(-1)), strict=True) for a in divisors)
        key = (function, (inner,))
        is_new = key not in self._known
        whole = self._value(key, Kind.COUNT, may_be_negative=poly_may_be_negative(inner))
        if is_new:
            # floor: whole ≤ n/d < whole + 1; ceil: whole - 1 < n/d ≤ whole
            over = numerator - whole * denominator if function == "floor" else whole * denominator - numerator
            ends = (below(over.scaled(Fraction(-1)), strict=False), below(over - denominator, strict=True))
            self._facts.append(implies(defined, both(ends)))
        cases: list[Case] = [((defined,), whole)]
        return cases if defined is TRUE else [*cases, ((negated(defined),), Special.UNDEFINED)]

    def called(self, function: str, values: Sequence[Poly | Special], exponent: int) -> list[Case]:
        """Any other call: a number of its own, infinite, or undefined."""
        key = (function, tuple(values))
        negative = any(isinstance(v, Poly) and poly_may_be_negative(v) for v in values)
        number = self._value(key, None, may_be_negative=negative, exponent=exponent)
        state = self._state(key)
        if all(isinstance(v, Poly) for v in values) and not negative and self._is_whole(values[-1]):
            self._facts.append(below(constant(Fraction(2)) - state, strict=False))
            return [((), number)]
        is_number = below(constant(Fraction(2)) - state, strict=False)
        rest = ((zero(state), Special.UNDEFINED), (zero(state - constant(Fraction(1))), Special.PLUS))
        return [((is_number,), number), *(((where,), value) for where, value in rest)]

    def facts(self) -> Iterator[Logic]:
        """What holds of the numbers: what defines them, and that calls with greater arguments are no smaller."""
        yield from self._facts
        for one, other in product(self._known, repeat=2):
            if one is other or one[0] != other[0] or one[0] in ("floor", "ceil"):
                continue
            pairs = list(zip(one[1], other[1], strict=True))
            if any(isinstance(a, Special) or isinstance(b, Special) for a, b in pairs):
                continue
            if any(poly_may_be_negative(v) for key in (one, other) for v in key[1] if isinstance(v, Poly)):
                continue
            no_greater = both(
                below(a - b, strict=False) for a, b in pairs if isinstance(a, Poly) and isinstance(b, Poly)
            )
            are_numbers = (below(constant(Fraction(2)) - self._state(key), strict=False) for key in (one, other))
            smaller, greater = (self._value(key, None, may_be_negative=False) for key in (one, other))
            yield implies(both((no_greater, *are_numbers)), below(smaller - greater, strict=False))

    def called_at(self, point: Mapping[str, Value]) -> tuple[Logic, Logic] | None:
        """The arguments of calls at these values, and their results."""
        values = dict(point)
        world = World(values=values, bound=_no_bound)
        given: list[Logic] = []
        results: list[Logic] = []
        for (function, arguments), (above, under) in self._known.items():
            known = [evaluate(a, world, Side.UPPER) if isinstance(a, Poly) else a for a in arguments]
            result = apply(function, known)
            number = result if isinstance(result, Fraction) else Fraction(0)
            values[above.name], values[under.name] = max(number, Fraction(0)), max(-number, Fraction(0))
            if function in ("ceil", "floor"):
                continue
            for argument, value in zip(arguments, known, strict=True):
                if isinstance(argument, Poly) and isinstance(value, Fraction):
                    given.append(zero(argument - constant(value)))
            state = 0 if result is Special.UNDEFINED else 1 if result is Special.PLUS else 2
            at_state = self._state((function, arguments)) - constant(Fraction(state))
            if state == 2:
                difference = variable(above) - constant(number)
                if under.name in self._signed:
                    difference = difference - variable(under)
                results.append(both((zero(difference), below(at_state.scaled(Fraction(-1)), strict=False))))
            else:
                results.append(zero(at_state))
        return (both(given), both(results)) if results else None

    def _is_whole(self, value: Poly | Special) -> bool:
        """Whether a polynomial is obviously a whole number, and not negative."""
        return isinstance(value, Poly) and all(
            c > 0 and c.denominator == 1 and all(isinstance(a, Var) and a.name in self._counts and n > 0 for a, n in m)
            for m, c in value
        )

    def _value(
        self,
        key: tuple[str, tuple[Poly | Special, ...]],
        kind: Kind | None,
        *,
        may_be_negative: bool,
        exponent: int = 0,
    ) -> Poly:
        if key not in self._known:
            number = len(self._known)
            self._known[key] = (Var(f"?{number}", exponent), Var(f"?{number}-", exponent))
            for var in self._known[key]:
                self.grids[var.name] = _number(var.name, kind)
        above, under = self._known[key]
        if may_be_negative:
            self._signed.add(under.name)
        return variable(above) - variable(under) if may_be_negative else variable(above)

    def _state(self, key: tuple[str, tuple[Poly | Special, ...]]) -> Poly:
        name = f"{self._known[key][0].name}:"
        self.grids.setdefault(name, _number(name, Kind.COUNT))
        return variable(Var(name, 0))


class _Encoder(Encoder):
    """An encoder that lets a number stand for what it cannot take apart."""

    def __init__(self, grids: Mapping[str, Grid], constants: Constants, stand_ins: _StandIns) -> None:
        super().__init__(grids, constants, allow_products=True)
        self._stand_ins = stand_ins

    def _called(
        self, atom: Apply, upper: bool, modes: Mapping[str, Sentinel | None], picked: Mapping[str, Fraction]
    ) -> list[Case]:
        try:
            return super()._called(atom, upper, modes, picked)
        except TooManyCasesError:
            pass
        cases: list[Case] = []
        parts = [self._poly(a, upper, modes, picked) for a in atom.arguments]
        limit(parts)
        for combination in product(*parts):
            where = tuple(w for conditions, _ in combination for w in conditions)
            cases += [((*where, *more), value) for more, value in self._stood_in(atom, [v for _, v in combination])]
        return cases

    def _stood_in(self, atom: Apply, values: list[Poly | Special]) -> list[Case]:
        for strongest in (Special.OFF, Special.UNDEFINED):
            if strongest in values:
                return [((), strongest)]
        known = [n for n in map(as_extended, values) if n is not None]
        if len(known) == len(values):
            return [((), as_case(apply(atom.function, known)))]
        if atom.function in ("ceil", "floor"):
            (only,) = values
            assert isinstance(only, Poly)  # what is no number is known
            return self._stand_ins.rounded(atom.function, only)
        if any(isinstance(v, Poly) and powers(v) for v in values):
            raise TooManyCasesError(f"divides by an unknown number inside {atom.function}")
        try:
            return self._retries(atom, values, [as_extended(v) for v in values])
        except TooManyCasesError:
            return self._stand_ins.called(atom.function, values, atom.time_exponent)
