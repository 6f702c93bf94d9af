"""Rules as formulas over the free parameters: constants folded in, functions, products and sentinels taken apart into cases.

Everything here is exact and knows no solver. The cases of one comparison cover all values, so that a formula may be negated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from itertools import product
from typing import Final

from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Extended, Special, apply, extended
from outlast.constraints.model import Margin, Rule
from outlast.constraints.normal import All, Either, Equality, Formula, Given, Inequality, IsSentinel, NormalRule
from outlast.constraints.polynomial import (
    MOST_TERMS,
    Apply,
    Atom,
    Group,
    Monomial,
    Poly,
    Quant,
    Switch,
    TooManyTermsError,
    Var,
    constant,
    variable,
)
from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import record
from outlast.solver.cases import (
    MOST_CASES,
    Case,
    TooManyCasesError,
    add,
    as_case,
    as_extended,
    backoff_cases,
    cleared,
    least,
    limit,
    over,
    pairs,
    powers,
    times,
)
from outlast.solver.constants import Constants
from outlast.solver.grid import Grid
from outlast.solver.logic import (
    FALSE,
    TRUE,
    Logic,
    Mode,
    below,
    both,
    either,
    implies,
    negated,
    polys,
    zero,
)

__all__ = ["Demand", "Encoder", "Piece", "is_linear"]


@record
class Demand:
    """What is asked of a rule: that it holds, divides by nothing that is 0, keeps its margin, and reaches a level in thousandths."""

    base: bool = True
    divisors: bool = True
    margin: bool = True
    level: int | None = None


#: What parameters are, by name.
_Modes = tuple[tuple[str, Sentinel | None], ...]

#: Just that it holds.
_PLAIN: Final = Demand(margin=False)


@record
class Piece:
    """One case of a comparison: where `conditions` hold, left and right are these, already multiplied by `scale`.

    A side without a number makes the comparison decided (`truth`; None: a side is off). Each of `divisors` must be positive.
    """

    conditions: tuple[Logic, ...]
    left: Poly = field(default_factory=lambda: Poly({}))
    right: Poly = field(default_factory=lambda: Poly({}))
    scale: Poly = field(default_factory=lambda: constant(Fraction(1)))
    divisors: tuple[Poly, ...] = ()
    decided: bool = False
    truth: bool | None = None


@record
class _Truths:
    """A formula in three values: where it holds, and where it is not applicable."""

    holds: Logic
    absent: Logic = FALSE


class Encoder:
    """Encodes the rules of one problem; remembers what it has taken apart."""

    def __init__(
        self,
        grids: Mapping[str, Grid],
        constants: Constants,
        *,
        allow_products: bool = False,
        unpicked: str | None = None,
    ) -> None:
        self._grids = grids
        self._constants = constants
        self._allow_products = allow_products
        #: A parameter taken as continuous, which is not to be picked value by value.
        self._unpicked = unpicked
        self._names: dict[str, list[str]] = {}
        #: Factors of products that are taken value by value.
        self.picked: set[str] = set()
        self._pieces: dict[tuple[Inequality | Equality, frozenset[tuple[str, Sentinel | None]]], tuple[Piece, ...]] = {}

    def rule(self, rule: NormalRule, demand: Demand) -> Logic:
        """The rule with what is demanded of it, sentinels included.

        Raises:
            OutlastError: the rule multiplies free parameters that range over too many values.
        """
        try:
            cases = {tuple(modes.items()): self._in_modes(rule, demand, modes) for modes in self._all_modes(rule)}
            return both(
                implies(both(Mode(n, s) for n, s in modes), logic) for modes, logic in self._merged(cases).items()
            )
        except OutlastError as error:  # a backoff that is too long
            place = error.place or rule.rule.places.get("require", rule.rule.place)
            raise OutlastError(f"rule '{rule.id}': {error.message}", place) from None
        except TooManyTermsError:
            place = rule.rule.places.get("require", rule.rule.place)
            message = f"rule '{rule.id}' has more than {MOST_TERMS} terms when multiplied out"
            raise OutlastError(message, place) from None
        except TooManyCasesError as error:
            place = rule.rule.places.get("require", rule.rule.place)
            raise OutlastError(f"rule '{rule.id}' {error}", place) from None

    def pieces(self, comparison: Inequality | Equality, modes: Mapping[str, Sentinel | None]) -> tuple[Piece, ...]:
        """A comparison taken apart into linear cases."""
        if isinstance(comparison, Equality) and comparison.means is not None:
            comparison = comparison.means
        key = (comparison, frozenset(modes.items()))
        if key not in self._pieces:
            found = list(self._take_apart(comparison, dict(modes), {}))
            if len(found) > MOST_CASES:
                raise TooManyCasesError(f"falls apart into {len(found)} cases, more than {MOST_CASES}")
            self._pieces[key] = tuple(found)
        return self._pieces[key]

    def names(self, rule: NormalRule) -> list[str]:
        """The free parameters that the rule speaks of, by name."""
        if rule.id not in self._names:
            self._names[rule.id] = sorted(n for n in rule.names() if n in self._grids)
        return self._names[rule.id]

    # Sentinels: one formula for each combination of modes.

    def _all_modes(self, rule: NormalRule) -> Iterator[dict[str, Sentinel | None]]:
        names = [n for n in self.names(rule) if self._grids[n].specials]
        choices: list[list[Sentinel | None]] = []
        total = 1
        for name in names:
            grid = self._grids[name]
            numbers: list[Sentinel | None] = [None] if grid.count != 0 else []
            choices.append([*numbers, *grid.specials])
            total *= len(choices[-1])
            if total > MOST_CASES:
                raise TooManyCasesError(f"mentions too many parameters that may be off or infinite: {', '.join(names)}")
        for combination in product(*choices):
            yield dict(zip(names, combination, strict=True))

    def _merged(self, cases: Mapping[_Modes, Logic]) -> dict[_Modes, Logic]:
        """The cases, each without the parameters on which it does not depend: where its first argument is on, `first_set` asks no further."""
        merged = dict(cases)
        for name in dict.fromkeys(n for modes in cases for n, _ in modes):
            alike: dict[tuple[_Modes, Logic], dict[_Modes, Sentinel | None]] = {}
            for modes, logic in merged.items():
                rest = tuple(m for m in modes if m[0] != name)
                if len(rest) < len(modes):
                    alike.setdefault((rest, logic), {})[modes] = dict(modes)[name]
            for (rest, logic), found in alike.items():
                # A grid without numbers is not taken for granted: it is an item of its own.
                if {None, *self._grids[name].specials} <= set(found.values()):
                    for modes in found:
                        del merged[modes]
                    merged[rest] = logic
        return merged

    def is_plain(self, rule: NormalRule) -> bool | None:
        """Whether a rule without sentinels in reach is just its formula; None: it does not apply at all."""
        if self.names(rule) and any(self._grids[n].specials for n in self.names(rule)):
            return False
        applies: Logic = TRUE
        if rule.when is not None:
            condition = self._formula(rule.when, None, _PLAIN, {})
            applies = both((condition.holds, negated(condition.absent)))
        missing = either(self._off(poly, {}) for _, poly in rule.needs_on)
        muted = either(self._off(poly, {}) for poly in rule.muted_by)
        if applies is FALSE or (applies is TRUE and missing is FALSE and muted is TRUE):
            return None
        return applies is TRUE and missing is FALSE and muted is FALSE

    def _in_modes(self, rule: NormalRule, demand: Demand, modes: dict[str, Sentinel | None]) -> Logic:
        applies: Logic = TRUE
        if rule.when is not None:
            condition = self._formula(rule.when, None, _PLAIN, modes)
            applies = both((condition.holds, negated(condition.absent)))
        missing = either(self._off(poly, modes) for _, poly in rule.needs_on)
        muted = either(self._off(poly, modes) for poly in rule.muted_by)
        present = negated(missing) if demand.base else TRUE
        if muted is TRUE:
            return implies(applies, present)
        formula = self._formula(rule.formula, rule.rule, demand, modes)
        return implies(applies, both((present, either((muted, formula.holds, formula.absent)))))

    def _formula(
        self, formula: Formula, rule: Rule | None, demand: Demand, modes: dict[str, Sentinel | None]
    ) -> _Truths:
        match formula:
            case Inequality() | Equality():
                return self._comparison(formula, rule, demand, modes)
            case IsSentinel() if not demand.base:
                return _Truths(TRUE)
            case IsSentinel():
                wanted = (
                    self._off(formula.of, modes)
                    if formula.sentinel is Sentinel.OFF
                    else self._endless(formula.of, modes)
                )
                return _Truths(wanted if formula.positive else negated(wanted))
            case Given(condition, conclusion):
                given = self._formula(condition, rule, _PLAIN, modes)
                then = self._formula(conclusion, rule, demand, modes)
                applies = both((given.holds, negated(given.absent)))
                return _Truths(either((negated(applies), then.holds)), both((applies, then.absent)))
            case All(parts) | Either(parts):
                truths = [self._formula(p, rule, demand, modes) for p in parts]
                absent = both(t.absent for t in truths)
                if isinstance(formula, Either):
                    return _Truths(either(t.holds for t in truths), absent)
                return _Truths(both((*(either((t.holds, t.absent)) for t in truths), negated(absent))), absent)

    def _comparison(
        self, comparison: Inequality | Equality, rule: Rule | None, demand: Demand, modes: dict[str, Sentinel | None]
    ) -> _Truths:
        holds, absent = [], []
        for piece in self.pieces(comparison, modes):
            where = both(piece.conditions)
            if piece.decided and piece.truth is None:
                absent.append(where)
                holds.append(negated(where))
            else:
                holds.append(implies(where, _demanded(comparison, piece, rule, demand)))
        return _Truths(both(holds), either(absent))

    # Cases of one comparison.

    def _take_apart(
        self, comparison: Inequality | Equality, modes: dict[str, Sentinel | None], picked: dict[str, Fraction]
    ) -> Iterator[Piece]:
        """The cases; a factor of a product is picked value by value until what is left is linear."""
        upper_left = not comparison.optimistic
        pieces: list[Piece] = []
        left_cases = self._poly(comparison.left, upper_left, modes, picked)
        right_cases = self._poly(comparison.right, not upper_left, modes, picked)
        for (left_where, left), (right_where, right) in pairs(left_cases, right_cases):
            pieces.append(_multiplied_out(comparison, (*left_where, *right_where), left, right))
        bad = None if self._allow_products else next((p for p in pieces if not _piece_is_linear(p)), None)
        if bad is None:
            yield from pieces
            return
        name = self._factor_to_pick(bad, picked)
        self.picked.add(name)
        grid = self._grids[name]
        for value in grid.numbers():
            here: Logic = zero(self._variable(name) - constant(value))
            for piece in self._take_apart(comparison, modes, {**picked, name: value}):
                yield Piece(
                    (here, *piece.conditions),
                    piece.left,
                    piece.right,
                    piece.scale,
                    piece.divisors,
                    piece.decided,
                    piece.truth,
                )

    def _factor_to_pick(self, piece: Piece, picked: Mapping[str, Fraction]) -> str:
        factors: set[str] = set()
        for poly in _piece_polys(piece):
            for monomial, _ in poly:
                if not _monomial_is_linear(monomial):
                    factors.update(_monomial_names(monomial))
        sizes = {n: self._grids[n].count for n in sorted(factors - {*picked, self._unpicked}) if n in self._grids}
        finite = {n: size for n, size in sizes.items() if size is not None}
        used = 1
        for name in picked:
            used *= self._grids[name].count or 1
        small = {n: size for n, size in finite.items() if size * used <= MOST_CASES}
        if not small:
            names = " and ".join(f"'{n}'" for n in sorted(factors)) or "unknown numbers"
            raise TooManyCasesError(
                f"multiplies {names}, which are all free; fix one of them, or give it a domain of few values "
                f"(at most {MOST_CASES} combinations a rule)"
            )
        # Counts and lists first: what is taken apart cannot be relaxed.
        return min(small, key=lambda n: (not self._grids[n].whole and self._grids[n].listed is None, small[n], n))

    def _poly(
        self, poly: Poly, upper: bool, modes: Mapping[str, Sentinel | None], picked: Mapping[str, Fraction]
    ) -> list[Case]:
        plain: dict[Monomial, Fraction] = {}
        cases: list[Case] = [((), Poly({}))]
        for monomial, coefficient in poly:
            terms = self._monomial(monomial, upper == (coefficient > 0), modes, picked)
            ((where, term), *others) = terms
            if not others and not where and isinstance(term, Poly):
                for inner, value in term:
                    plain[inner] = plain.get(inner, Fraction(0)) + coefficient * value
                continue
            cases = [
                ((*where, *more), add(total, term, coefficient)) for (where, total), (more, term) in pairs(cases, terms)
            ]
        rest = Poly({m: c for m, c in plain.items() if c})
        return [(where, add(total, rest, Fraction(1))) for where, total in cases]

    def _monomial(
        self, monomial: Monomial, upper: bool, modes: Mapping[str, Sentinel | None], picked: Mapping[str, Fraction]
    ) -> list[Case]:
        cases: list[Case] = [((), constant(Fraction(1)))]
        divided: list[Case] = [((), constant(Fraction(1)))]
        for atom, exponent in monomial:
            values = self._atom(atom, upper == (exponent > 0), modes, picked)
            for _ in range(abs(exponent)):
                if exponent > 0:
                    cases = [c for a, b in pairs(cases, values) for c in times(a, b)]
                else:
                    divided = [c for a, b in pairs(divided, values) for c in times(a, b)]
        return [c for a, b in pairs(cases, divided) for c in over(a, b)]

    def _atom(
        self, atom: Atom, upper: bool, modes: Mapping[str, Sentinel | None], picked: Mapping[str, Fraction]
    ) -> list[Case]:
        match atom:
            case Var(name=name):
                return [((), self._number(atom, upper, modes, picked.get(name)))]
            case Quant():
                if atom.key in self._constants.unknown:
                    return [((), variable(Var(f"{atom.key}{'+' if upper else '-'}", 1)))]
                return [((), constant(self._constants.bound(atom, upper)))]
            case Group(poly=poly):
                return self._poly(poly, upper, modes, picked)
            case Switch():
                return self._switch(atom, upper, modes, picked)
            case Apply(function="first_set"):
                for argument in atom.arguments:
                    if self._off(argument, modes) is not TRUE:
                        return self._poly(argument, upper, modes, picked)
                return [((), Special.OFF)]
            case Apply(function="min" | "max" as function):
                return self._extreme(function, atom.arguments, upper, modes, picked)
            case Apply():
                return self._called(atom, upper, modes, picked)

    def _number(
        self, atom: Var, upper: bool, modes: Mapping[str, Sentinel | None], picked: Fraction | None
    ) -> Poly | Special:
        if picked is not None and modes.get(atom.name) is None:
            return constant(picked)
        if atom.name in self._grids or atom.name in self._constants.unknown:
            mode = modes.get(atom.name)
            return variable(atom) if mode is None else as_case(extended(mode))
        value = self._constants.values[atom.name]
        if isinstance(value, tuple):
            value = value[1] if upper else value[0]
        return as_case(extended(value))

    def _variable(self, name: str) -> Poly:
        return variable(Var(name, self._grids[name].time_exponent))

    def _switch(
        self, atom: Switch, upper: bool, modes: Mapping[str, Sentinel | None], picked: Mapping[str, Fraction]
    ) -> list[Case]:
        truths = self._formula(atom.condition, None, _PLAIN, dict(modes))
        applies = both((truths.holds, negated(truths.absent)))
        fails = both((negated(truths.holds), negated(truths.absent)))
        cases: list[Case] = []
        for where, poly in ((applies, atom.then), (fails, atom.otherwise)):
            if where is not FALSE:
                cases += [((where, *more), value) for more, value in self._poly(poly, upper, modes, picked)]
        if truths.absent is not FALSE:
            cases.append(((truths.absent,), Special.OFF))
        return cases

    def _extreme(
        self, function: str, arguments: tuple[Poly, ...], upper: bool, modes: Mapping[str, Sentinel | None],
        picked: Mapping[str, Fraction],
    ) -> list[Case]:  # fmt: skip
        cases: list[Case] = []
        parts = [self._poly(a, upper, modes, picked) for a in arguments]
        limit(parts)
        for combination in product(*parts):
            where = tuple(w for conditions, _ in combination for w in conditions)
            cases += [((*where, *more), value) for more, value in least([v for _, v in combination], function)]
        return cases

    def _called(
        self, atom: Apply, upper: bool, modes: Mapping[str, Sentinel | None], picked: Mapping[str, Fraction]
    ) -> list[Case]:
        cases: list[Case] = []
        parts = [self._poly(a, upper, modes, picked) for a in atom.arguments]
        limit(parts)
        for combination in product(*parts):
            where = tuple(w for conditions, _ in combination for w in conditions)
            values = [v for _, v in combination]
            numbers = [as_extended(v) for v in values]
            known = [n for n in numbers if n is not None]
            if len(known) == len(values):
                cases.append((where, as_case(apply(atom.function, known))))
            elif Special.OFF in values or Special.UNDEFINED in values:
                cases.append((where, Special.OFF if Special.OFF in values else Special.UNDEFINED))
            elif atom.function in ("ceil", "floor"):
                (only,) = values
                assert isinstance(only, Poly)
                if self._allow_products and powers(only):
                    raise TooManyCasesError(f"rounds a quotient of unknown numbers, {atom.key}")
                cases.append((where, variable(Apply(atom.function, (only,), f"{atom.function}({only.text(0)})", 0))))
            else:
                cases += [((*where, *more), value) for more, value in self._retries(atom, values, numbers)]
        return cases

    def _retries(self, atom: Apply, values: list[Poly | Special], numbers: list[Extended | None]) -> list[Case]:
        """`backoff` and `tcp_give_up` with unknown arguments: the count of retries is picked, the cap splits the sum."""
        count = values[-1]
        if numbers[-1] is None:
            assert isinstance(count, Poly)
            return self._each(atom, values, len(values) - 1, count)
        if atom.function != "backoff":
            raise AssertionError(atom.function)
        base, factor, cap = values[:3]
        if numbers[1] is None:
            assert isinstance(factor, Poly)
            return self._each(atom, values, 1, factor)
        retries, growth = numbers[-1], numbers[1]
        if (
            not isinstance(retries, Fraction)
            or not isinstance(growth, Fraction)
            or retries.denominator != 1
            or retries < 0
        ):
            return [((), Special.UNDEFINED)] if retries is not Special.PLUS else [((), Special.PLUS)]
        if retries > MOST_CASES:
            raise TooManyCasesError(
                f"has a backoff over {retries} retries whose base or cap is free; at most {MOST_CASES}"
            )
        return backoff_cases(base, growth, cap, int(retries))

    def _each(self, atom: Apply, values: list[Poly | Special], place: int, poly: Poly) -> list[Case]:
        """The call with its argument at `place` picked value by value."""
        cases: list[Case] = []
        for where, value in self._each_value(poly):
            again = [*values]
            again[place] = constant(value)
            numbers = [as_extended(v) for v in again]
            known = [n for n in numbers if n is not None]
            if len(known) == len(again):
                cases.append(((where,), as_case(apply(atom.function, known))))
            else:
                cases += [((where, *more), total) for more, total in self._retries(atom, again, numbers)]
        return cases

    def _each_value(self, poly: Poly) -> Iterator[tuple[Logic, Fraction]]:
        """Every value of a polynomial in parameters of few values."""
        names = sorted({n for n in _poly_names(poly) if n in self._grids})
        total = 1
        for name in names:
            total *= MOST_CASES + 1 if name == self._unpicked else self._grids[name].count or MOST_CASES + 1
        if total > MOST_CASES or not names or set(names) != set(_poly_names(poly)):
            shown = " and ".join(f"'{n}'" for n in names) or "an unknown number"
            raise TooManyCasesError(
                f"needs {shown} to range over at most {MOST_CASES} values; fix it or give it a smaller domain"
            )
        self.picked.update(names)
        seen: dict[Fraction, list[Logic]] = {}
        for combination in product(*(self._grids[n].numbers() for n in names)):
            picked = dict(zip(names, combination, strict=True))
            value = _substituted(poly, picked)
            here = both(zero(self._variable(n) - constant(v)) for n, v in picked.items())
            seen.setdefault(value, []).append(here)
        for value in sorted(seen):
            yield either(seen[value]), value

    # Which sides are off.

    def _off(self, poly: Poly, modes: Mapping[str, Sentinel | None]) -> Logic:
        return either(self._atom_off(atom, modes) for atom in poly.atoms())

    def _atom_off(self, atom: Atom, modes: Mapping[str, Sentinel | None]) -> Logic:
        match atom:
            case Var(name=name):
                if name in self._constants.unknown:
                    return FALSE
                value = modes.get(name) if name in self._grids else self._constants.values.get(name)
                return TRUE if value is Sentinel.OFF else FALSE
            case Quant():
                return FALSE
            case Group(poly=poly):
                return self._off(poly, modes)
            case Apply(function="first_set"):
                return both(self._off(a, modes) for a in atom.arguments)
            case Apply():
                return either(self._off(a, modes) for a in atom.arguments)
            case Switch():
                truths = self._formula(atom.condition, None, _PLAIN, dict(modes))
                applies = both((truths.holds, negated(truths.absent)))
                fails = both((negated(truths.holds), negated(truths.absent)))
                then, otherwise = self._off(atom.then, modes), self._off(atom.otherwise, modes)
                return either((truths.absent, both((applies, then)), both((fails, otherwise))))

    def _endless(self, poly: Poly, modes: Mapping[str, Sentinel | None]) -> Logic:
        cases = self._poly(poly, True, modes, {})
        return either(both(where) for where, value in cases if value is Special.PLUS)


def _multiplied_out(
    comparison: Inequality | Equality, where: tuple[Logic, ...], left: Poly | Special, right: Poly | Special
) -> Piece:
    where = tuple(w for w in where if w is not TRUE)
    if not isinstance(left, Poly) or not isinstance(right, Poly):
        divided = powers(*(side for side in (left, right) if isinstance(side, Poly)))
        truth = _decided(comparison, left, right)
        return Piece(where, decided=True, truth=truth, divisors=tuple(a.poly for a in divided))
    divisors = powers(left, right)
    scale = constant(Fraction(1))
    for atom, power in divisors.items():
        for _ in range(power):
            scale = scale * atom.poly
    if divisors:
        left, right = cleared(left, divisors), cleared(right, divisors)
    return Piece(where, left, right, scale, tuple(a.poly for a in divisors))


def _decided(comparison: Inequality | Equality, left: Poly | Special, right: Poly | Special) -> bool | None:
    sides = (left, right)
    if Special.OFF in sides:
        return None
    if Special.UNDEFINED in sides:
        return False
    if isinstance(comparison, Equality):
        return (left is right) == comparison.equal
    if left is right:
        return not comparison.strict
    return left is Special.MINUS or right is Special.PLUS


def _demanded(comparison: Inequality | Equality, piece: Piece, rule: Rule | None, demand: Demand) -> Logic:
    parts: list[Logic] = []
    if demand.divisors:
        parts += (below(d.scaled(Fraction(-1)), strict=True, exponent=d.time_exponent) for d in piece.divisors)
    if demand.base:
        parts.append(_plainly(comparison, piece))
    if rule is not None and isinstance(comparison, Inequality) and comparison.scores and not piece.decided:
        if demand.margin and rule.margin is not None:
            parts.append(_at_least(comparison, piece, rule.margin, Fraction(1)))
        if demand.level and rule.aim.amount:
            reached = _at_least(comparison, piece, rule.aim, Fraction(demand.level, 1000))
            if not rule.aim.is_relative:
                reached = either((below(piece.left, strict=False), reached))
            parts.append(reached)
    return both(parts)


def _plainly(comparison: Inequality | Equality, piece: Piece) -> Logic:
    """The comparison itself, multiplied out."""
    if piece.decided:
        return TRUE if piece.truth else FALSE
    difference = piece.left - piece.right
    if isinstance(comparison, Inequality):
        return below(difference, strict=comparison.strict, exponent=_exponent(comparison, piece))
    equal = zero(difference, exponent=_exponent(comparison, piece))
    return equal if comparison.equal else negated(equal)


def _exponent(comparison: Inequality | Equality, piece: Piece) -> int:
    return comparison.time_exponent + piece.scale.time_exponent


def _at_least(comparison: Inequality, piece: Piece, margin: Margin, share: Fraction) -> Logic:
    if margin.is_relative:
        needed = piece.left.scaled(1 + share * margin.amount)
    else:
        needed = piece.left.plus(piece.scale, share * margin.amount)
    return below(needed - piece.right, strict=False, exponent=_exponent(comparison, piece))


# What polynomials speak of.


def is_linear(poly: Poly) -> bool:
    """Whether each term holds at most one unknown number, to the first power."""
    return all(_monomial_is_linear(m) for m, _ in poly)


def _monomial_is_linear(monomial: Monomial) -> bool:
    if not monomial:
        return True
    if len(monomial) > 1 or monomial[0][1] != 1:
        return False
    atom = monomial[0][0]
    return not isinstance(atom, Apply) or all(is_linear(a) for a in atom.arguments)


def _piece_polys(piece: Piece) -> Iterator[Poly]:
    yield from (piece.left, piece.right, piece.scale, *piece.divisors)
    for condition in piece.conditions:
        yield from polys(condition)


def _piece_is_linear(piece: Piece) -> bool:
    return all(is_linear(p) for p in _piece_polys(piece))


def _poly_names(poly: Poly) -> Iterator[str]:
    return (a.name for a in poly.all_atoms() if isinstance(a, Var))


def _monomial_names(monomial: Monomial) -> Iterator[str]:
    return _poly_names(Poly({monomial: Fraction(1)}))


def _substituted(poly: Poly, values: Mapping[str, Fraction]) -> Fraction:
    total = Fraction(0)
    for monomial, coefficient in poly:
        term = coefficient
        for atom, exponent in monomial:
            assert isinstance(atom, Var)
            term *= values[atom.name] ** exponent
        total += term
    return total
