"""The rational relaxation of a component: steps of durations, rates and ratios ignored, decided by Fourier-Motzkin elimination."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from naive.evaluation import FULL, Comparison, Env, Function, Terms, Test, holding, ordering, value_of
from naive.language import OFF, Is, Margin, Value
from naive.ranges import uses
from naive.reference import Component
from naive.rules import Judged, effective, grid

UNDEFINED = "undefined"


class NotLinearError(Exception):
    """The relaxation cannot be decided by linear inequalities."""


#: A polynomial of the continuous parameters; monomials with exponents, () the constant.
Form = Mapping[tuple[tuple[str, int], ...], Fraction]


@dataclass(frozen=True)
class Row:
    """`sum of coefficients * variables + constant >= 0`, or `> 0`."""

    coefficients: tuple[tuple[str, Fraction], ...]
    constant: Fraction
    strict: bool

    def opposite(self) -> Row:
        return Row(tuple((v, -c) for v, c in self.coefficients), -self.constant, not self.strict)


@dataclass(frozen=True)
class Both:
    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Either:
    parts: tuple[Formula, ...]


Formula = Row | Both | Either
TRUE, FALSE = Both(()), Either(())


def opposite(f: Formula) -> Formula:
    match f:
        case Row():
            return f.opposite()
        case Both():
            return Either(tuple(map(opposite, f.parts)))
        case Either():
            return Both(tuple(map(opposite, f.parts)))


def row(form: Form, strict: bool) -> Formula:
    """`form >= 0` or `form > 0`, multiplied by what it divides by (which must be positive)."""
    divisors = sorted({v for monomial, c in form.items() if c for v, k in monomial if k < 0})
    for v in divisors:
        form = times(form, {((v, 1),): Fraction(1)})
    coefficients: dict[str, Fraction] = {}
    for monomial, c in form.items():
        if c and monomial:
            if len(monomial) > 1 or monomial[0][1] != 1:
                raise NotLinearError(str(monomial))
            coefficients[monomial[0][0]] = c
    found = Row(tuple(sorted(coefficients.items())), form.get((), Fraction(0)), strict)
    return found if not divisors else Both((found, *(Row(((v, Fraction(1)),), Fraction(0), True) for v in divisors)))


def times(a: Form, b: Form) -> Form:
    total: dict[tuple[tuple[str, int], ...], Fraction] = {}
    for (m, c), (n, d) in product(a.items(), b.items()):
        exponents = dict(m)
        for v, k in n:
            exponents[v] = exponents.get(v, 0) + k
        monomial = tuple(sorted((v, k) for v, k in exponents.items() if k))
        total[monomial] = total.get(monomial, Fraction(0)) + c * d
    return total


def plus(a: Form, b: Form, share: Fraction | int = 1) -> Form:
    return {m: a.get(m, Fraction(0)) + share * b.get(m, Fraction(0)) for m in {*a, *b}}


def constant(value: Fraction | int) -> Form:
    return {(): Fraction(value)}


class Translator:
    """Turns tests into formulas; `env` holds all values but those of the continuous parameters."""

    def __init__(self, env: Env, continuous: Iterable[str]) -> None:
        self.env = env
        self.continuous = frozenset(continuous)

    def value(self, terms: Terms) -> list[tuple[Formula, Form | str]]:
        """What a sum can be, each with the condition under which it is that."""
        fixed: list[tuple[int | Fraction, tuple[tuple[str | Function, int], ...]]] = []
        cases: list[tuple[Formula, Form]] = [(TRUE, {})]
        for factor, atoms in terms:
            if not any(self.moves(atom) for atom, _ in atoms):
                fixed.append((factor, atoms))
                continue
            options: list[tuple[Formula, Form]] = [(TRUE, constant(factor))]
            for atom, exponent in atoms:
                mine = self.atom(atom, exponent)
                options = [(Both((g, h)), times(a, b)) for (g, a), (h, b) in product(options, mine)]
            cases = [(Both((g, h)), plus(a, b)) for (g, a), (h, b) in product(cases, options)]
        rest = value_of(fixed, self.env)
        if isinstance(rest, str):
            return [(TRUE, rest)]
        return [(g, plus(form, constant(rest))) for g, form in cases]

    def moves(self, atom: str | Function) -> bool:
        if isinstance(atom, str):
            return atom in self.continuous
        return any(uses(atom, name) for name in self.continuous)

    def atom(self, atom: str | Function, exponent: int) -> list[tuple[Formula, Form]]:
        if isinstance(atom, str) and atom in self.continuous:
            return [(TRUE, {((atom, exponent),): Fraction(1)})]
        if not self.moves(atom):
            value = value_of([(1, ((atom, exponent),))], self.env)
            if isinstance(value, str):
                raise NotLinearError("a special value times a continuous one")
            return [(TRUE, constant(value))]
        assert isinstance(atom, Function)
        if exponent != 1:
            raise NotLinearError("division by a function")
        found = [(g, v) for g, v in self.function(atom) if not isinstance(v, str)]
        if len(found) < len(self.function(atom)):
            raise NotLinearError("a function with a special value")
        return found

    def function(self, f: Function) -> list[tuple[Formula, Form | str]]:
        if f.condition is not None:
            yes, nothing = self.test(f.condition, None, None, 0)
            if nothing != FALSE:
                raise NotLinearError("a condition that may not apply")
            branches = ((yes, f.args[0]), (opposite(yes), f.args[1]))
            return [(Both((taken, g)), v) for taken, arg in branches for g, v in self.value(arg)]
        if f.name == "backoff":
            return self.backoff(f)
        if f.name not in ("min", "max", "first_set"):
            raise NotLinearError(f.name)
        found: list[tuple[Formula, Form | str]] = []
        for choice in product(*map(self.value, f.args)):
            guards = [g for g, _ in choice]
            values = [v for _, v in choice]
            if f.name == "first_set":
                found.append((Both(tuple(guards)), next((v for v in values if v != OFF), OFF)))
                continue
            if OFF in values or UNDEFINED in values:
                raise NotLinearError("a function of special values")
            numbers = [v for v in values if not isinstance(v, str)]
            if len(numbers) < len(values) and f.name == "max":
                raise NotLinearError("a maximum without end")
            sign = 1 if f.name == "max" else -1
            for v in numbers:
                best = [row(plus(constant(0), plus(v, w, -1), sign), False) for w in numbers if w is not v]
                found.append((Both((*guards, *best)), v))
        return found

    def backoff(self, f: Function) -> list[tuple[Formula, Form | str]]:
        factor, retries = value_of(f.args[1], self.env), value_of(f.args[3], self.env)
        if isinstance(factor, str) or isinstance(retries, str):
            raise NotLinearError("a backoff without end")
        found: list[tuple[Formula, Form | str]] = []
        for (g, base), (h, cap) in product(self.value(f.args[0]), self.value(f.args[2])):
            if isinstance(base, str) or isinstance(cap, str):
                raise NotLinearError("a backoff of special values")
            cases: list[tuple[Formula, Form]] = [(Both((g, h)), {})]
            for i in range(int(retries)):
                step = times(base, constant(Fraction(factor) ** i))
                below = row(plus(cap, step, -1), False)
                ways = ((below, step), (opposite(below), cap))
                cases = [(Both((c, way)), plus(v, wait)) for way, wait in ways for c, v in cases]
            found += cases
        return found

    def test(self, test: Test, margin: Margin | None, aim: Margin | None, level: int) -> tuple[Formula, Formula]:
        """Where it holds with its margin and reaches the level, and where it is not applicable."""
        if isinstance(test, Is):
            if test.name in self.continuous:
                return (TRUE if test.negated else FALSE), FALSE
            return (TRUE if (self.env[test.name] == test.what) != test.negated else FALSE), FALSE
        if isinstance(test, Comparison):
            return self.comparison(test, margin, aim, level)
        if test.how == "=>":
            condition, _ = self.test(test.parts[0], None, None, 0)
            yes, nothing = self.test(test.parts[1], margin, aim, level)
            return Either((opposite(condition), yes)), Both((condition, nothing))
        parts = [self.test(p, margin, aim, level) for p in test.parts]
        nothing = Both(tuple(p[1] for p in parts))
        some = Either(tuple(p[0] for p in parts))
        if test.how == "or":
            return some, nothing
        return Both((some, *(Either(p) for p in parts))), nothing

    def comparison(
        self, c: Comparison, margin: Margin | None, aim: Margin | None, level: int
    ) -> tuple[Formula, Formula]:
        if "multiple" in c.op:
            raise NotLinearError(c.op)
        yes: list[Formula] = []
        nothing: list[Formula] = []
        for (g, left), (h, right) in product(self.value(c.left), self.value(c.right)):
            guard = Both((g, h))
            if OFF in (left, right):
                nothing.append(guard)
            elif UNDEFINED in (left, right):
                continue
            elif isinstance(left, str) or isinstance(right, str):
                a = ordering(left if isinstance(left, str) else 0)
                b = ordering(right if isinstance(right, str) else 0)
                if holding(c.op, a, b):
                    yes.append(guard)
            elif c.op == "==":
                yes.append(Both((guard, row(plus(right, left, -1), False), row(plus(left, right, -1), False))))
            elif c.op == "!=":
                apart = (row(plus(right, left, -1), True), row(plus(left, right, -1), True))
                yes.append(Both((guard, Either(apart))))
            else:
                needs: list[Formula] = [guard, row(plus(right, left, -1), c.op == "<")]
                if margin is not None:
                    needs.append(enough(left, right, margin, FULL))
                if aim is not None:
                    empty = row(times(left, constant(-1)), False)
                    needs.append(Either((empty, enough(left, right, aim, level))))
                yes.append(Both(tuple(needs)))
        return Either(tuple(yes)), Either(tuple(nothing))


def enough(left: Form, right: Form, wanted: Margin, thousandths: int) -> Formula:
    share = wanted.amount * Fraction(thousandths, FULL)
    if wanted.relative:
        return row(plus(right, left, -(1 + share)), False)
    return row(plus(plus(right, left, -1), constant(-share)), False)


def rule_formula(rule: Judged, env: Env, continuous: Iterable[str], level: int) -> Formula:
    """Where the rule is not broken, keeps its margin and reaches the level, for every end of its interval facts."""
    found: list[Formula] = []
    for world in rule.worlds:
        everything = {**env, **rule.constants, **world}
        translator = Translator(everything, continuous)
        applies: Formula = TRUE
        if rule.when is not None:
            applies, _ = translator.test(rule.when, None, None, 0)
        on = {n: everything.get(n) for n in (*rule.rule.needs_on, *rule.silencing) if n not in translator.continuous}
        if any(on.get(n) == OFF for n in rule.rule.needs_on):
            found.append(opposite(applies))
        elif any(on.get(n) == OFF for n in rule.silencing):
            continue
        else:
            yes, nothing = translator.test(rule.test, rule.rule.margin, rule.aim if rule.scores else None, level)
            found.append(Either((opposite(applies), yes, nothing)))
    return Both(tuple(found))


class Search:
    """Looks for a rational point, choosing one part of each `Either` at a time, for so many choices at most."""

    def __init__(self, choices: int) -> None:
        self.left = choices

    def can_hold(self, formulas: Sequence[Formula], rows: tuple[Row, ...] = ()) -> bool:
        """Whether some rational point meets all of them."""
        self.left -= 1
        if self.left < 0:
            raise NotLinearError("too many cases")
        plain = unfolded(formulas, rows)
        if plain is None:
            return False
        rows, choices = plain
        if not eliminate(set(rows)):
            return False
        if not choices:
            return True
        first, *others = sorted(choices, key=lambda c: len(c.parts))
        return any(self.can_hold([part, *others], rows) for part in first.parts)


def unfolded(formulas: Sequence[Formula], rows: tuple[Row, ...]) -> tuple[tuple[Row, ...], list[Either]] | None:
    """What must hold in any case, and the choices that are left; None if nothing can meet it."""
    pending = list(formulas)
    choices: list[Either] = []
    while pending:
        f = pending.pop()
        match f:
            case Row():
                if not f.coefficients:
                    if f.constant < 0 or (f.strict and f.constant == 0):
                        return None
                else:
                    rows = (*rows, f)
            case Both():
                pending += f.parts
            case Either():
                if len(f.parts) == 1:
                    pending.append(f.parts[0])
                elif f == FALSE:
                    return None
                elif TRUE not in f.parts:
                    choices.append(f)
    return rows, choices


def tightest(rows: Iterable[Row]) -> set[Row]:
    """Scaled to a greatest coefficient of 1, and of rows with the same coefficients only the narrowest."""
    best: dict[tuple[tuple[str, Fraction], ...], tuple[Fraction, bool]] = {}
    for r in rows:
        size = max((abs(c) for _, c in r.coefficients), default=Fraction(1))
        key = tuple((v, c / size) for v, c in r.coefficients)
        narrow = (r.constant / size, not r.strict)
        best[key] = min(best.get(key, narrow), narrow)
    return {Row(key, at, not loose) for key, (at, loose) in best.items()}


def eliminate(rows: set[Row]) -> bool:
    """Fourier-Motzkin: whether the rows have a common point."""
    rows = tightest(rows)
    while True:
        if any(not r.coefficients and (r.constant < 0 or (r.strict and r.constant == 0)) for r in rows):
            return False
        signs: dict[str, list[int]] = {}
        for r in rows:
            for v, c in r.coefficients:
                signs.setdefault(v, [0, 0])[c > 0] += 1
        if not signs:
            return True
        v = min(signs, key=lambda name: (signs[name][0] * signs[name][1], name))
        lower: list[tuple[Row, Fraction]] = []
        upper: list[tuple[Row, Fraction]] = []
        rest: list[Row] = []
        for r in rows:
            c = dict(r.coefficients).get(v, Fraction(0))
            if c:
                (lower if c > 0 else upper).append((r, abs(c)))
            else:
                rest.append(r)
        for (a, c), (b, d) in product(lower, upper):
            merged = {name: x / c for name, x in a.coefficients}
            for name, x in b.coefficients:
                merged[name] = merged.get(name, Fraction(0)) + x / d
            coefficients = tuple(sorted((name, x) for name, x in merged.items() if x))
            rest.append(Row(coefficients, a.constant / c + b.constant / d, a.strict or b.strict))
        if len(rest) > 3000:
            raise NotLinearError("too many rows")
        rows = tightest(rest)


@dataclass
class Relaxation:
    """Which rules of a component can reach a level together if steps did not matter."""

    component: Component

    def can_reach(self, chosen: Iterable[str], level: int, settled: Mapping[str, int]) -> bool:
        """As `Component.can_reach`, in the relaxation.

        Raises:
            NotLinearError: it cannot be decided here.
        """
        c = self.component
        if c.can_reach(chosen, level, settled):
            return True
        continuous = [n for n in c.names if c.parameters[n].choices is None and c.parameters[n].kind != "count"]
        whole = [n for n in c.names if n not in continuous]
        wanted = {**{i: 0 for i in c.kept if not c.rules[i].scores}, **settled, **dict.fromkeys(chosen, level)}
        search = Search(300)
        domain: list[Formula] = []
        for n in continuous:
            p = c.parameters[n]
            assert p.interval is not None
            low, high = p.interval
            domain.append(Row(((n, Fraction(1)),), -low, p.zero is not None and low == 0))
            if high is not None:
                domain.append(Row(((n, Fraction(-1)),), high, False))
        for values in product(*(grid(c.parameters[n]) for n in whole)):
            env: dict[str, Value] = {n: effective(c.parameters[n], v) for n, v in zip(whole, values, strict=True)}
            rules = [rule_formula(c.rules[i], env, continuous, t) for i, t in wanted.items()]
            if search.can_hold([*domain, *rules]):
                return True
        return False

    def bottleneck(self, level: int, settled: Mapping[str, int], rising: Iterable[str]) -> tuple[tuple[str, ...], bool]:
        """The rules that cannot all reach the level, and whether only the steps hold them.

        Raises:
            NotLinearError: it cannot be decided here.
        """
        names = sorted(rising)
        if self.can_reach(names, level, settled):
            return self.component.grid_bottleneck(level, settled, names), True
        for size in range(1, len(names) + 1):
            for chosen in combinations(names, size):
                if not self.can_reach(chosen, level, settled):
                    return chosen, False
        raise AssertionError("the whole set cannot, as seen above")
