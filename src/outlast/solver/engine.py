"""The only module that holds z3 objects: formulas over indices of grids, asked with assumption literals.

Each parameter is `unit * k`: k is an Int on its grid, or a Real where the parameter is taken as continuous. What is asked
is a set of assumption literals, so that the same solver answers for any choice of rules, levels and bounds. Formulas are handed
over as SMT-LIB text, which z3 reads about ten times faster than its Python interface builds them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import z3

from outlast.constraints.polynomial import Apply, Poly, Var
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record
from outlast.solver.grid import Grid
from outlast.solver.interrupts import interruptible
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import Below, Both, Clause, Logic, Mode, Negated, Truism, Whole, Zero

__all__ = ["Assumption", "Z3Engine"]

#: z3's way to say that there is no time limit.
_NO_TIMEOUT = 2**32 - 1

#: The greatest effort that z3 takes; it would wrap round beyond.
MOST_EFFORT = 2**32 - 1

#: What an assumption literal stands for: anything hashable that prints the same in every run.
Assumption = Hashable


@record
class _Unknown:
    """A parameter as z3 sees it: its index, and a literal for each sentinel, of which at most one is true."""

    symbol: str
    is_real: bool
    index: Any
    sentinels: dict[Sentinel, Any]
    #: The literals as text.
    texts: dict[Sentinel, str]


@record
class _Term:
    """SMT-LIB text of a number, and whether its sort is Real."""

    text: str
    is_real: bool

    @property
    def as_real(self) -> str:
        """The text as a Real."""
        return self.text if self.is_real else f"(to_real {self.text})"


class Z3Engine:
    """Answers whether a set of assumptions can hold together, with a point or a core."""

    def __init__(
        self,
        grids: Mapping[str, Grid],
        limits: Limits,
        *,
        continuous: frozenset[str] = frozenset(),
        unbounded: frozenset[str] = frozenset(),
    ) -> None:
        """`unbounded` names parameters whose domains are left to assumptions of the caller."""
        self._grids = grids
        self._limits = limits
        self._continuous = continuous
        self._solver = z3.SimpleSolver()
        self._solver.set("ctrl_c", False)  # Python's own handler decides
        self._set: dict[str, int] = {}
        #: Whether formulas are asserted for the last question alone; they go before the next one, so that its point and core may be asked for.
        self._is_pushed = False
        #: Text that z3 has not read yet.
        self._pending: list[str] = []
        self._literals: dict[Assumption, Any] = {}
        self._asts: dict[Assumption, Any] = {}
        #: By the number that z3 gives a literal.
        self._stands_for: dict[int, Assumption] = {}
        self._unknowns: dict[str, _Unknown] = {}
        for name in sorted(grids):
            self._declare(grids[name], bounded=name not in unbounded)

    def _declare(self, grid: Grid, *, bounded: bool) -> None:
        number, is_real = len(self._unknowns), grid.name in self._continuous
        symbol = f"k{number}"
        texts = {s: f"m{number}.{s.value}" for s in grid.specials}
        literals = {s: z3.Bool(text) for s, text in texts.items()}
        index = z3.Real(symbol) if is_real else z3.Int(symbol)
        self._unknowns[grid.name] = _Unknown(symbol, is_real, index, literals, texts)
        self._pending.append(f"(declare-const {symbol} {'Real' if is_real else 'Int'})")
        self._pending += (f"(declare-const {b} Bool)" for b in texts.values())
        if len(texts) > 1:
            self._assert(f"(not (and {' '.join(texts.values())}))")
        inside = self._domain(grid) if bounded else f"(>= {symbol} 0)"
        self._assert(f"(or {inside} {' '.join(texts.values())})" if texts else inside)

    def _domain(self, grid: Grid) -> str:
        """That the parameter is a number of its grid (or, taken as continuous, of its domain)."""
        symbol = self._unknowns[grid.name].symbol
        if grid.listed is not None:
            return _join("or", [f"(= {symbol} {k})" for k in grid.listed], "false")
        if grid.name in self._continuous:
            low = (grid.domain_low or Fraction(0)) / grid.unit
            parts = [f"(> {symbol} 0.0)" if grid.positive else f"(>= {symbol} {_real(low)})"]
            if grid.domain_high is not None:
                parts.append(f"(<= {symbol} {_real(grid.domain_high / grid.unit)})")
            return _join("and", parts, "true")
        parts = [f"(>= {symbol} {grid.low})"]
        if grid.high is not None:
            parts.append(f"(<= {symbol} {_whole(grid.high)})")
        return _join("and", parts, "true")

    def define(self, assumption: Assumption, logic: Logic) -> None:
        """Say what an assumption means; the first definition counts."""
        if assumption not in self._literals:
            symbol = f"a{len(self._literals)}"
            self._literals[assumption] = z3.Bool(symbol)
            self._asts[assumption] = self._literals[assumption].as_ast()
            self._stands_for[self._literals[assumption].get_id()] = assumption
            self._pending.append(f"(declare-const {symbol} Bool)")
            self._assert(f"(=> {symbol} {self._translate(logic)})")

    def require(self, logic: Logic) -> None:
        """Assert without an assumption."""
        self._assert(self._translate(logic))

    def knows(self, assumption: Assumption) -> bool:
        """Whether the assumption has been defined."""
        return assumption in self._literals

    def satisfiable(
        self, assumptions: Iterable[Assumption], limits: Limits | None = None, also: Sequence[Logic] = ()
    ) -> bool:
        """Whether the assumptions can hold together; `limits` replace the engine's own for this question, `also` is asserted for it alone.

        Raises:
            Undecided: z3 gave up within the limits.
        """
        limits = limits or self._limits
        limits.check()
        if self._is_pushed:
            self._is_pushed = False
            self._solver.pop()
        self._read()
        self._limit("timeout", min(limits.milliseconds_left() or _NO_TIMEOUT, _NO_TIMEOUT))
        self._limit("rlimit", min(limits.effort or 0, MOST_EFFORT))
        if also:
            self._is_pushed = True
            self._solver.push()
            for logic in also:
                self.require(logic)
            self._read()
        with interruptible():
            answer = self._check([self._asts[a] for a in assumptions])
        if answer == z3.unknown:
            limits.check()
            if limits.effort is not None:
                raise Undecided("the effort limit was reached")
            if limits.deadline is not None:
                raise Undecided("the time limit was reached")
            raise Undecided(f"z3 gave up: {self._solver.reason_unknown()}")
        return bool(answer == z3.sat)

    def _read(self) -> None:
        """Let z3 read the text that is pending."""
        if self._pending:
            self._solver.from_string("".join(self._pending))
            self._pending.clear()

    def _check(self, assumptions: list[Any]) -> Any:
        """The same as z3's `check`, which looks at each assumption first (docs/decisions/0006-conflicts.md)."""
        array = (z3.Ast * len(assumptions))(*assumptions)
        answer = z3.Z3_solver_check_assumptions(self._solver.ctx.ref(), self._solver.solver, len(array), array)
        return z3.CheckSatResult(answer)

    def _limit(self, name: str, value: int) -> None:
        if self._set.get(name) != value:
            self._set[name] = value
            self._solver.set(name, value)

    def core(self) -> list[Assumption]:
        """After an unsatisfiable answer: assumptions that suffice for it, maybe more than needed."""
        return [self._stands_for[literal.get_id()] for literal in self._solver.unsat_core()]

    def point(self, names: Sequence[str] | None = None) -> dict[str, Value]:
        """After a satisfiable answer: a value for each parameter.

        Raises:
            Undecided: one of them is no fraction.
        """
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

    # Translation into SMT-LIB.

    def _assert(self, text: str) -> None:
        self._pending.append(f"(assert {text})")

    def _translate(self, logic: Logic) -> str:
        match logic:
            case Below(poly=poly, strict=strict):
                return self._comparison("<" if strict else "<=", poly)
            case Zero(poly=poly):
                return self._comparison("=", poly)
            case Mode(name, sentinel):
                texts = self._unknowns[name].texts
                if sentinel is None:
                    return f"(not {_join('or', list(texts.values()), 'false')})"
                return texts.get(sentinel, "false")
            case Whole(name, times):
                symbol = self._unknowns[name].symbol
                return f"(is_int {symbol})" if times == 1 else f"(is_int (* {_real(times)} {symbol}))"
            case Both(parts):
                return _join("and", [self._translate(p) for p in parts], "true")
            case Clause(parts):
                return _join("or", [self._translate(p) for p in parts], "false")
            case Negated(part):
                return f"(not {self._translate(part)})"
            case Truism(value):
                return "true" if value else "false"

    def _comparison(self, sign: str, poly: Poly) -> str:
        total, rest, _ = self._sum(poly)
        limit = _real(-rest) if total.is_real else _whole(-rest)
        return f"({sign} {total.text} {limit})"

    def _sum(self, poly: Poly) -> tuple[_Term, Fraction, int]:
        """The terms with whole coefficients in the indices, the constant, and the factor by which both were multiplied."""
        raw: list[tuple[Fraction, list[_Term]]] = []
        rest = Fraction(0)
        for monomial, coefficient in poly:
            factors: list[_Term] = []
            for atom, exponent in monomial:
                match atom:
                    case Var(name=name):
                        coefficient *= self._grids[name].unit ** exponent
                        factor = _Term(self._unknowns[name].symbol, self._unknowns[name].is_real)
                    case Apply(function="ceil" | "floor" as function, arguments=(inner,)):
                        factor = self._rounded(function, inner)
                    case _:
                        raise AssertionError(atom)
                factors += [factor] * exponent
            if factors:
                raw.append((coefficient, factors))
            else:
                rest += coefficient
        scale = math.lcm(rest.denominator, *(c.denominator for c, _ in raw))
        is_real = any(f.is_real for _, factors in raw for f in factors)
        terms = [_product(c * scale, factors, is_real=is_real) for c, factors in raw]
        return _Term(_join("+", terms, "0"), is_real), rest * scale, scale

    def _rounded(self, function: str, inner: Poly) -> _Term:
        total, rest, scale = self._sum(inner)
        if not total.is_real:  # z3 settles what whole numbers are divided by, but not what is rounded from a real one
            number = f"(+ {total.text} {_whole(rest)})"
            return _Term(
                f"(div {number} {scale})" if function == "floor" else f"(- (div (- {number}) {scale}))", is_real=False
            )
        exact = f"(/ (+ {total.as_real} {_real(rest)}) {scale}.0)"
        return _Term(f"(to_int {exact})" if function == "floor" else f"(- (to_int (- {exact})))", is_real=False)


def _product(coefficient: Fraction, factors: list[_Term], *, is_real: bool) -> str:
    texts = [f.as_real if is_real else f.text for f in factors]
    if coefficient != 1:
        texts.insert(0, _real(coefficient) if is_real else _whole(coefficient))
    return _join("*", texts, "1")


def _join(operator: str, parts: list[str], empty: str) -> str:
    return empty if not parts else parts[0] if len(parts) == 1 else f"({operator} {' '.join(parts)})"


def _whole(value: Fraction | int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _real(value: Fraction) -> str:
    size = abs(value)
    text = f"{size.numerator}.0" if size.denominator == 1 else f"(/ {size.numerator}.0 {size.denominator}.0)"
    return text if value >= 0 else f"(- {text})"


def _fraction(number: Any) -> Fraction:
    if z3.is_int_value(number):
        return Fraction(number.as_long())
    if not z3.is_rational_value(number):
        raise Undecided("z3 found a root of a polynomial, which is no fraction")
    return Fraction(number.numerator_as_long(), number.denominator_as_long())
