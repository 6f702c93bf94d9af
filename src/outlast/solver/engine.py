"""The only module that holds z3 objects: formulas over indices of grids, asked with assumption literals.

Each parameter is `unit * k`: k is an Int on its grid, or a Real where the parameter is taken as continuous. What is asked
is a set of assumption literals, so that the same solver answers for any choice of rules, levels and bounds.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from outlast.constraints.polynomial import Apply, Poly, Var
from outlast.constraints.quantities import Sentinel, Value
from outlast.solver.grid import Grid
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import Below, Both, Clause, Logic, Mode, Negated, Truism, Whole, Zero

__all__ = ["Assumption", "Z3Engine"]

#: z3's way to say that there is no time limit.
_NO_TIMEOUT = 2**32 - 1

#: What an assumption literal stands for: anything hashable that prints the same in every run.
Assumption = Hashable


@dataclass(slots=True)
class _Unknown:
    """A parameter as z3 sees it."""

    index: Any
    #: One literal for each sentinel; exactly one of these or none is true.
    sentinels: dict[Sentinel, Any]


class Z3Engine:
    """Answers whether a set of assumptions can hold together, with a point or a core."""

    def __init__(
        self,
        grids: Mapping[str, Grid],
        limits: Limits,
        *,
        continuous: frozenset[str] = frozenset(),
        bounded: bool = True,
    ) -> None:
        """`bounded` False leaves the domains to assumptions of the caller."""
        self._grids = grids
        self._limits = limits
        self._continuous = continuous
        self._solver = z3.SimpleSolver()
        self._literals: dict[Assumption, Any] = {}
        self._stands_for: dict[int, Assumption] = {}
        self._unknowns: dict[str, _Unknown] = {}
        for name in sorted(grids):
            self._declare(grids[name], bounded=bounded)

    def _declare(self, grid: Grid, *, bounded: bool) -> None:
        free = grid.name in self._continuous
        sort = z3.RealSort() if free else z3.IntSort()
        index = z3.Const(f"k:{grid.name}", sort)
        literals = {s: z3.Bool(f"{grid.name} is {s.value}") for s in grid.specials}
        self._unknowns[grid.name] = _Unknown(index, literals)
        if len(literals) > 1:
            self._solver.add(z3.AtMost(*literals.values(), 1))
        if bounded:
            inside = self.domain(grid)
            self._solver.add(z3.Or(inside, *literals.values()) if literals else inside)
        else:
            self._solver.add(index >= 0)

    def domain(self, grid: Grid) -> Any:
        """That the parameter is a number of its grid (or, taken as continuous, of its domain)."""
        index = self._unknowns[grid.name].index
        if grid.listed is not None:
            return z3.Or([index == k for k in grid.listed]) if grid.listed else z3.BoolVal(False)
        if grid.name in self._continuous:
            low = (grid.domain_low or Fraction(0)) / grid.unit
            parts = [index > 0 if grid.positive else index >= _number(low)]
            if grid.domain_high is not None:
                parts.append(index <= _number(grid.domain_high / grid.unit))
            return z3.And(parts)
        parts = [index >= grid.low]
        if grid.high is not None:
            parts.append(index <= grid.high)
        return z3.And(parts)

    def define(self, assumption: Assumption, logic: Logic) -> None:
        """Say what an assumption means; the first definition counts."""
        if assumption not in self._literals:
            literal = z3.Bool(f"a{len(self._literals)}")
            self._literals[assumption] = literal
            self._stands_for[literal.get_id()] = assumption
            self._solver.add(z3.Implies(literal, self._translate(logic)))

    def require(self, logic: Logic) -> None:
        """Assert without an assumption."""
        self._solver.add(self._translate(logic))

    def knows(self, assumption: Assumption) -> bool:
        """Whether the assumption has been defined."""
        return assumption in self._literals

    def satisfiable(self, assumptions: Iterable[Assumption], limits: Limits | None = None) -> bool:
        """Whether the assumptions can hold together; `limits` replace the engine's own for this question.

        Raises:
            Undecided: z3 gave up within the limits.
        """
        limits = limits or self._limits
        limits.check()
        self._solver.set("timeout", limits.milliseconds_left() or _NO_TIMEOUT)
        self._solver.set("rlimit", limits.effort or 0)
        answer = self._solver.check([self._literals[a] for a in assumptions])
        if answer == z3.unknown:
            reason = self._solver.reason_unknown()
            if "interrupt" in reason or "keyboard" in reason:
                raise KeyboardInterrupt
            limits.check()
            raise Undecided("the effort limit was reached" if limits.effort else f"z3 gave up: {reason}")
        return bool(answer == z3.sat)

    def core(self) -> list[Assumption]:
        """After an unsatisfiable answer: assumptions that suffice for it, maybe more than needed."""
        return [self._stands_for[literal.get_id()] for literal in self._solver.unsat_core()]

    def point(self, names: Sequence[str] | None = None) -> dict[str, Value]:
        """After a satisfiable answer: a value for each parameter."""
        model = self._solver.model()
        point: dict[str, Value] = {}
        for name in names if names is not None else sorted(self._grids):
            unknown = self._unknowns[name]
            chosen = [s for s, b in unknown.sentinels.items() if z3.is_true(model.eval(b, model_completion=True))]
            if chosen:
                point[name] = chosen[0]
            else:
                number = model.eval(unknown.index, model_completion=True)
                point[name] = self._grids[name].unit * _fraction(number)
        return point

    # Translation.

    def _translate(self, logic: Logic) -> Any:
        match logic:
            case Below(poly, strict):
                terms, rest = self._scaled(poly)
                total = z3.Sum(terms) if len(terms) > 1 else terms[0]
                limit = _number(-rest)
                return total < limit if strict else total <= limit
            case Zero(poly):
                terms, rest = self._scaled(poly)
                return (z3.Sum(terms) if len(terms) > 1 else terms[0]) == _number(-rest)
            case Mode(name, sentinel):
                literals = self._unknowns[name].sentinels
                if sentinel is None:
                    return z3.Not(z3.Or(list(literals.values()))) if literals else z3.BoolVal(True)
                return literals[sentinel] if sentinel in literals else z3.BoolVal(False)
            case Whole(name):
                return z3.IsInt(self._unknowns[name].index)
            case Both(parts):
                return z3.And([self._translate(p) for p in parts])
            case Clause(parts):
                return z3.Or([self._translate(p) for p in parts])
            case Negated(part):
                return z3.Not(self._translate(part))
            case Truism(value):
                return z3.BoolVal(value)

    def _scaled(self, poly: Poly) -> tuple[list[Any], Fraction]:
        """Terms with whole coefficients in the indices, and the constant."""
        raw: list[tuple[Fraction, Any]] = []
        rest = Fraction(0)
        for monomial, coefficient in poly:
            product: Any = None
            for atom, exponent in monomial:
                match atom:
                    case Var(name=name):
                        coefficient *= self._grids[name].unit ** exponent
                        factor = self._unknowns[name].index
                    case Apply(function="ceil" | "floor" as function, arguments=(inner,)):
                        factor = self._rounded(function, inner)
                    case _:
                        raise AssertionError(atom)
                for _ in range(exponent):
                    product = factor if product is None else product * factor
            if product is None:
                rest += coefficient
            else:
                raw.append((coefficient, product))
        scale = math.lcm(rest.denominator, *(c.denominator for c, _ in raw))
        terms = [t if c * scale == 1 else _number(c * scale) * t for c, t in raw]
        return terms, rest * scale

    def _rounded(self, function: str, inner: Poly) -> Any:
        terms, rest = self._scaled(inner)
        # _scaled multiplies by a common denominator; divide it out again.
        ratio = self._common(inner)
        exact = (z3.Sum([z3.ToReal(t) if z3.is_int(t) else t for t in terms]) + _real(rest)) / ratio
        return z3.ToInt(exact) if function == "floor" else -z3.ToInt(-exact)

    def _common(self, poly: Poly) -> int:
        denominators = [1]
        for monomial, coefficient in poly:
            for atom, exponent in monomial:
                if isinstance(atom, Var):
                    coefficient *= self._grids[atom.name].unit ** exponent
            denominators.append(coefficient.denominator)
        return math.lcm(*denominators)


def _number(value: Fraction) -> Any:
    if value.denominator == 1:
        return z3.IntVal(value.numerator)
    return z3.RealVal(f"{value.numerator}/{value.denominator}")


def _real(value: Fraction) -> Any:
    return z3.RealVal(f"{value.numerator}/{value.denominator}")


def _fraction(number: Any) -> Fraction:
    if z3.is_int_value(number):
        return Fraction(number.as_long())
    return Fraction(number.numerator_as_long(), number.denominator_as_long())
