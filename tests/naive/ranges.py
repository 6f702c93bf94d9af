"""Ranges of one parameter taken as continuous: breakpoints of all comparisons, and a look between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import isqrt

from naive.evaluation import Comparison, Env, Function, Group, Terms, Test, function_value
from naive.language import Is, Margin, Parameter, Value
from naive.reference import Component
from naive.rules import Judged, effective, grid, short


class NotContinuousError(Exception):
    """The range of this parameter cannot be found by looking at breakpoints."""


def range_of(component: Component, name: str, others: Mapping[str, Value] | None = None) -> list[Piece]:
    """The pieces of the line on which the parameter, taken as continuous, is feasible for some choice of the others.

    Raises:
        NotContinuousError: a rule is not made of linear pieces in it.
    """
    rest = [n for n in component.names if n != name]
    rules = [component.rules[i] for i in component.kept]
    mine, foreign = [r for r in rules if name in r.free], [r for r in rules if name not in r.free]
    line = domain_pieces(component.parameters[name])
    known: dict[tuple[str, tuple[Value, ...]], list[Piece]] = {}
    total: set[Piece] = set()
    for values in product(*(grid(component.parameters[n]) if others is None else [others[n]] for n in rest)):
        env = {n: effective(component.parameters[n], v) for n, v in zip(rest, values, strict=True)}
        if any(r.verdict(env).holds is False for r in foreign):
            continue
        pieces = line
        for rule in mine:
            key = (rule.id, tuple(env[n] for n in rule.free if n != name))
            if key not in known:
                known[key] = feasible_pieces(rule, name, env, component.parameters[name])
            pieces = [c for a in pieces for b in known[key] if (c := a.meet(b)) is not None]
            if not pieces:
                break
        total.update(pieces)
    return united(total)


@dataclass(frozen=True)
class Piece:
    """An interval of the line; no end above: None."""

    low: int | Fraction
    low_open: bool
    high: int | Fraction
    high_open: bool

    def meet(self, other: Piece) -> Piece | None:
        low, low_open = max((self.low, self.low_open), (other.low, other.low_open))
        high, closed = min((self.high, not self.high_open), (other.high, not other.high_open))
        if low > high or (low == high and (low_open or not closed)):
            return None
        return Piece(low, low_open, high, not closed)


def united(pieces: Iterable[Piece]) -> list[Piece]:
    merged: list[Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.low, p.low_open, p.high, not p.high_open)):
        if merged:
            last = merged[-1]
            touching = piece.low < last.high or (piece.low == last.high and not (piece.low_open and last.high_open))
            if touching:
                high, closed = max((last.high, not last.high_open), (piece.high, not piece.high_open))
                merged[-1] = Piece(last.low, last.low_open, high, not closed)
                continue
        merged.append(piece)
    return merged


def domain_pieces(p: Parameter) -> list[Piece]:
    """Where the parameter may lie: all of an interval, or the numbers of a list (as written)."""
    if p.choices is not None:
        return [Piece(v, False, v, False) for v in grid(p) if not isinstance(v, str)]
    assert p.interval is not None
    low, high = short(p.interval[0]), p.interval[1]
    if high is None:
        assert p.beyond is not None
        return [Piece(low, p.zero is not None and low == 0, short(p.beyond), True)]
    return [Piece(low, p.zero is not None and low == 0, short(high), False)]


def feasible_pieces(rule: Judged, name: str, env: Env, p: Parameter) -> list[Piece]:
    """Where the rule holds, as the parameter moves and the others stay."""
    if p.choices is not None:
        chosen = [v for v in grid(p) if not isinstance(v, str)]
        return [
            Piece(v, False, v, False) for v in chosen if rule.verdict({**env, name: effective(p, v)}).holds is not False
        ]
    (whole,) = domain_pieces(p)
    cuts: set[Fraction] = {Fraction(whole.low), Fraction(whole.high)}
    for world in rule.worlds:
        everything = {**rule.constants, **env, **world}
        for test in (rule.test, rule.when):
            if test is not None:
                cuts |= breakpoints(test, name, everything, rule.rule.margin)
    marks = sorted(short(c) for c in cuts if whole.low <= c <= whole.high)

    def holds(x: int | Fraction) -> bool:
        return rule.verdict({**env, name: x}).holds is not False

    found = [Piece(x, False, x, False) for x in marks if holds(x)]
    for a, b in pairwise(marks):
        if holds(short(Fraction(a + b) / 2)):
            found.append(Piece(a, True, b, True))
    return united(found)


#: A function of one parameter by powers, {-1: a, 0: b, 1: c}; None where it is infinite, off or undefined (and stays so for x > 0).
Form = dict[int, Fraction] | None


def breakpoints(test: Test, name: str, env: Env, margin: Margin | None) -> set[Fraction]:
    """Every value at which the truth of a comparison could change (and maybe others)."""
    if isinstance(test, Is):
        return set()
    if isinstance(test, Group):
        return set().union(*(breakpoints(p, name, env, margin) for p in test.parts))
    if "multiple" in test.op:
        raise NotContinuousError(test.op)
    found: set[Fraction] = set()
    lefts, inner = forms(test.left, name, env)
    rights, more = forms(test.right, name, env)
    found |= inner | more
    for left, right in product(lefts, rights):
        if left is not None and right is not None:
            found |= roots(combined(left, right, Fraction(-1), Fraction(0)))
            if margin is not None:
                share = 1 + margin.amount if margin.relative else Fraction(1)
                amount = Fraction(0) if margin.relative else margin.amount
                found |= roots(combined(right, left, -share, -amount))
    return found


def combined(a: dict[int, Fraction], b: dict[int, Fraction], share: Fraction, amount: Fraction) -> dict[int, Fraction]:
    total = {k: a.get(k, Fraction(0)) + share * b.get(k, Fraction(0)) for k in {*a, *b, 0}}
    total[0] += amount
    return total


def roots(form: dict[int, Fraction]) -> set[Fraction]:
    powers = {k: c for k, c in form.items() if c}
    if len(powers) < 2:
        return set()
    least = min(powers)
    coefficients = {k - least: c for k, c in powers.items()}
    degree = max(coefficients)
    c0, c1, c2 = (coefficients.get(k, Fraction(0)) for k in (0, 1, 2))
    if degree == 1:
        return {-c0 / c1}
    if degree > 2:
        raise NotContinuousError("a cubic")
    under = c1 * c1 - 4 * c2 * c0
    if under < 0:
        return set()
    top, bottom = isqrt(under.numerator), isqrt(under.denominator)
    if top * top != under.numerator or bottom * bottom != under.denominator:
        raise NotContinuousError("an irrational root")
    root = Fraction(top, bottom)
    return {(-c1 + root) / (2 * c2), (-c1 - root) / (2 * c2)}


def forms(terms: Terms, name: str, env: Env) -> tuple[list[Form], set[Fraction]]:
    """What the sum can be, as functions of the parameter, and breakpoints met inside."""
    results: list[Form] = [{}]
    cuts: set[Fraction] = set()
    for factor, atoms in terms:
        options: list[Form] = [{0: Fraction(factor)}]
        for atom, exponent in atoms:
            mine, inner = atom_forms(atom, exponent, name, env)
            cuts |= inner
            options = [times_form(a, b) for a, b in product(options, mine)]
        results = [
            None if a is None or b is None else combined(a, b, Fraction(1), Fraction(0))
            for a, b in product(results, options)
        ]
        if len(results) > 64:
            raise NotContinuousError("too many cases")
    return results, cuts


def times_form(a: Form, b: Form) -> Form:
    if a is None or b is None:
        return None
    total: dict[int, Fraction] = {}
    for (i, x), (k, y) in product(a.items(), b.items()):
        total[i + k] = total.get(i + k, Fraction(0)) + x * y
    return total


def atom_forms(atom: str | Function, exponent: int, name: str, env: Env) -> tuple[list[Form], set[Fraction]]:
    if isinstance(atom, str):
        if atom == name:
            return [{exponent: Fraction(1)}], {Fraction(0)}
        value = env[atom]
        if isinstance(value, str) or (value == 0 and exponent < 0):
            return [None], {Fraction(0)}
        return [{0: Fraction(value) ** exponent}], set()
    if not uses(atom, name):
        value = function_value(atom, {**env, name: 0})
        if isinstance(value, str) or (value == 0 and exponent < 0):
            return [None], {Fraction(0)}
        return [{0: Fraction(value) ** exponent}], set()
    if exponent != 1 or atom.name not in ("min", "max", "if", "first_set", "backoff"):
        raise NotContinuousError(atom.name)
    cuts = set() if atom.condition is None else breakpoints(atom.condition, name, env, None)
    args = []
    for arg in atom.args:
        mine, inner = forms(arg, name, env)
        args.append(mine)
        cuts |= inner
    if atom.name == "backoff":
        return backoff_forms(args, cuts)
    every = [form for mine in args for form in mine]
    if atom.name in ("min", "max"):
        for a, b in combinations(every, 2):
            if a is not None and b is not None:
                cuts |= roots(combined(a, b, Fraction(-1), Fraction(0)))
    return every, cuts


def backoff_forms(args: list[list[Form]], cuts: set[Fraction]) -> tuple[list[Form], set[Fraction]]:
    if any(len(a) != 1 or a[0] is None for a in args):
        raise NotContinuousError("a backoff of functions")
    base, factor, cap, retries = (a[0] for a in args)
    assert base is not None
    assert cap is not None
    assert factor is not None
    assert retries is not None
    if any(k and c for form in (factor, retries) for k, c in form.items()):
        raise NotContinuousError("the retries of a backoff")
    f, n = factor.get(0, Fraction(0)), int(retries.get(0, Fraction(0)))
    steps = [{k: c * f**i for k, c in base.items()} for i in range(n)]
    for step in steps:
        cuts |= roots(combined(step, cap, Fraction(-1), Fraction(0)))
    found: list[Form] = []
    for uncapped in (
        product((True, False), repeat=n) if n <= 4 else [(True,) * k + (False,) * (n - k) for k in range(n + 1)]
    ):
        total: dict[int, Fraction] = {}
        for i, plain in enumerate(uncapped):
            total = combined(total, steps[i] if plain else cap, Fraction(1), Fraction(0))
        found.append(total)
    return found, cuts


def uses(thing: Function, name: str) -> bool:
    if thing.condition is not None and test_uses(thing.condition, name):
        return True
    return any(terms_use(a, name) for a in thing.args)


def terms_use(terms: Terms, name: str) -> bool:
    return any(atom == name if isinstance(atom, str) else uses(atom, name) for _, atoms in terms for atom, _ in atoms)


def test_uses(test: Test, name: str) -> bool:
    if isinstance(test, Comparison):
        return terms_use(test.left, name) or terms_use(test.right, name)
    if isinstance(test, Is):
        return test.name == name
    return any(test_uses(p, name) for p in test.parts)
