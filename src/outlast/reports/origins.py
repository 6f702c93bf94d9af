"""Where the numbers of a rule come from: each parameter and each quantile it mentions, with its value, place and reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from outlast.constraints.errors import Place
from outlast.constraints.evaluate import Extended, Judged, Side, Special, World, evaluate, with_margin
from outlast.constraints.expression import Quantile, names_in
from outlast.constraints.loading.quantiles import Side as Bound
from outlast.constraints.loading.quantiles import bounds_of_number, bounds_used
from outlast.constraints.model import Margin, Parameter, Role, Rule, Spec
from outlast.constraints.normal import Inequality
from outlast.constraints.polynomial import Apply, Atom, Group, Monomial, Poly, Quant, Switch, Var, variable
from outlast.constraints.quantities import Kind, Value, format_number, format_value
from outlast.reports.wording import extended_text, value_of

__all__ = ["Compared", "Origins", "Source", "quantile_text"]


class Source(NamedTuple):
    """One number: what it is called, what it is, and who says so."""

    name: str
    value: str
    #: `fact`, `fixed`, `current`, `unset`, `recommended`, `derived`, `the default of …` or `measurement`.
    role: str
    place: Place
    why: str | None = None
    #: Of a quantile.
    bound: str | None = None
    confidence: Fraction | None = None
    file: str | None = None
    size: int | None = None
    taken: date | None = None

    @property
    def is_default(self) -> bool:
        """Whether it is what software takes that nobody has told otherwise."""
        return self.role.startswith("the default of ")

    @property
    def words(self) -> str:
        """What sort of number it is."""
        if self.bound is None or self.confidence is None:
            return self.role
        dated = f", taken {self.taken.isoformat()}" if self.taken else ""
        sure = f"{format_number(self.confidence * 100)} %"
        return f"{self.bound} bound at {sure} confidence, {self.size} samples in {self.file}{dated}"


class Compared(NamedTuple):
    """One comparison with the numbers filled in; each side as formula, numbers and value, equal ones left out."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    #: By how much the larger side falls short of what the rule, its margin included, demands; None where that has no number.
    short: str | None
    #: What the larger side must reach for the margin.
    demanded: str | None


class Origins:
    """Explains the numbers of a spec's rules at given values, as written in the spec."""

    def __init__(
        self,
        spec: Spec,
        values: Mapping[str, Value | None],
        *,
        recommended: bool = False,
        fixed: str = "fixed",
        say: Callable[[Extended, int], str] = extended_text,
    ) -> None:
        """`recommended` says that the values of free parameters are an answer and not in use; `say` writes what was compared.

        `fixed` is what fixed values are called.
        """
        self.fixed = fixed
        self._say = say
        self._spec = spec
        self._values = values
        self._recommended = recommended
        known: dict[str, Value | tuple[Fraction, Fraction]] = {}
        for name, parameter in spec.parameters.items():
            value = values.get(name)
            if parameter.interval is not None:
                known[name] = parameter.interval
            elif value is not None:
                known[name] = parameter.effective(value)
        self._world = World(values=known, bound=self._bound)

    def of_rule(self, rule: Rule) -> tuple[Source, ...]:
        """Every number that the rule depends on, in the order of its text, each once."""
        found: dict[tuple[str, str], Source] = {}
        seen: set[tuple[str, str | None]] = set()
        for node, side in _mentioned(rule):
            self._collect(node, side, found, seen)
        return tuple(found.values())

    def compared(self, judged: Judged, margin: Margin | None = None) -> Compared:
        """What was compared; `margin` is the one that the rule demands."""
        comparison = judged.comparison
        exponent = comparison.time_exponent
        against = Side.LOWER if comparison.optimistic else Side.UPPER
        demanded = short = None
        if isinstance(comparison, Inequality) and isinstance(judged.left, Fraction):
            required = judged.left
            if margin is not None and comparison.scores:
                wanted = with_margin(judged.left, margin, Fraction(1))
                demanded = self._say(wanted, exponent)
                required = max(required, wanted) if isinstance(wanted, Fraction) else required
            if isinstance(judged.right, Fraction) and judged.right < required:
                short = self._say(required - judged.right, exponent)
        return Compared(
            left=self._chain(comparison.left, judged.left, against, exponent),
            right=self._chain(comparison.right, judged.right, against.other, exponent),
            short=short,
            demanded=demanded,
        )

    def _collect(
        self,
        node: Quantile | str,
        side: Bound | None,
        found: dict[tuple[str, str], Source],
        seen: set[tuple[str, str | None]],
    ) -> None:
        """Add the source of a quantile or a name, and of what a derived one is computed from; each once."""
        if isinstance(node, Quantile):
            source = self._of_quantile(node, side or "upper")
            found.setdefault((source.name, source.bound or ""), source)
            return
        parameter = self._spec.parameters.get(node)
        if parameter is None or (node, side) in seen:
            return
        seen.add((node, side))
        found.setdefault((node, ""), self._of_parameter(parameter))
        if parameter.formula is not None and side is not None:
            for inner, end in bounds_of_number(parameter.formula, side):
                self._collect(inner if isinstance(inner, Quantile) else inner.name, end, found, seen)

    def _of_parameter(self, parameter: Parameter) -> Source:
        value = self._values.get(parameter.name)
        shown = "no value" if value is None else value_of(parameter, value, exact=True)
        key = parameter.role.value
        if parameter.interval is not None:
            shown = "..".join(value_of(parameter, end) for end in parameter.interval)
        role = self.fixed if parameter.role is Role.FIXED else key
        if parameter.role is Role.FREE:
            key = "current" if "current" in parameter.places or "unset" not in parameter.places else "unset"
            role = "recommended" if self._recommended else key
            if role == "unset" and parameter.unset_of is not None:
                role = f"the default of {parameter.unset_of}"
        elif parameter.role is Role.DERIVED:
            role = f"derived: {parameter.text}"
        elif parameter.default_of is not None:
            role = f"the default of {parameter.default_of}"
        place = parameter.place if self._recommended and key == "current" else parameter.places.get(key)
        return Source(
            name=parameter.name, value=shown, role=role, place=place or parameter.place, why=parameter.origin.why
        )

    def _of_quantile(self, quantile: Quantile, side: Bound) -> Source:
        atom = Quant(quantile.level, quantile.measurement)
        measurement = self._spec.measurements[quantile.measurement]
        return Source(
            name=quantile_text(atom),
            value=format_value(self._bound(atom, side == "upper"), 1),
            role="measurement",
            place=measurement.place,
            why=measurement.why,
            bound=side,
            confidence=self._spec.confidence,
            file=measurement.file,
            size=measurement.sample.size,
            taken=measurement.taken,
        )

    def _bound(self, quantile: Quant, upper: bool) -> Fraction:
        sample = self._spec.measurements[quantile.measurement].sample
        bound = sample.upper if upper else sample.lower
        return bound(quantile.level, self._spec.confidence)

    # A side as formula, numbers and value.

    def _chain(self, poly: Poly, value: object, side: Side, exponent: int) -> tuple[str, ...]:
        total = self._say(value, exponent) if isinstance(value, (Fraction, Special)) else ""
        formula = self._rewritten(poly, None).text(exponent)
        if poly.constant is not None:
            return (formula,)
        links = [formula, self._rewritten(poly, side).text(exponent), total]
        return tuple(dict.fromkeys(links))

    def _rewritten(self, poly: Poly, side: Side | None) -> Poly:
        """The polynomial with other words for its atoms: their values at that side, or without one their names."""
        terms: dict[Monomial, Fraction] = {}
        for monomial, coefficient in poly:
            end = side if side is None or coefficient > 0 else side.other
            factors: Monomial = tuple(
                (_as_word(atom, self._word(atom, end if end is None or n > 0 else end.other)), n)
                for atom, n in monomial
            )
            terms[factors] = coefficient
        return Poly(terms)

    def _word(self, atom: Atom, side: Side | None) -> str:
        match atom:
            case Var():
                return atom.name if side is None else self._var(atom, side)
            case Quant():
                return quantile_text(atom) if side is None else format_value(self._bound(atom, side is Side.UPPER), 1)
            case Group():
                return f"({self._rewritten(atom.poly, side).text()})"
            case Apply():
                return f"{atom.function}({', '.join(self._texts(atom.arguments, _exponents(atom), side))})"
            case Switch():
                if side is None:
                    values = self._texts((atom.then, atom.otherwise), (atom.time_exponent,) * 2, side)
                    return f"if(…, {', '.join(values)})"
                poly = variable(atom)
                return extended_text(evaluate(poly, self._world, side), poly.time_exponent)

    def _texts(self, polys: Iterable[Poly], exponents: Iterable[int], side: Side | None) -> list[str]:
        return [self._rewritten(p, side).text(n) for p, n in zip(polys, exponents, strict=True)]

    def _var(self, atom: Var, side: Side) -> str:
        value = self._world.values.get(atom.name)
        if value is None:
            return atom.name
        if isinstance(value, tuple):
            value = value[1] if side is Side.UPPER else value[0]
        is_ratio = self._spec.parameters[atom.name].kind is Kind.RATIO
        return format_value(value, atom.time_exponent, percent=is_ratio)


def _mentioned(rule: Rule) -> Iterator[tuple[Quantile | str, Bound | None]]:
    """The quantiles and names of a rule with the end that is taken of each, None where no number is."""
    asked: dict[str, None] = {}
    told: set[str] = set()
    for formula, is_condition in ((rule.require, False), (rule.when, True)):
        if formula is not None:
            asked |= dict.fromkeys(names_in(formula))
            for node, side in bounds_used(formula, is_condition=is_condition):
                if isinstance(node, Quantile):
                    yield node, side
                else:
                    told.add(node.name)
                    yield node.name, side
    for name in (*asked, *rule.needs_on):
        if name not in told:  # only asked whether it is off or infinite
            told.add(name)
            yield name, None


def _exponents(atom: Apply) -> tuple[int, ...]:
    """The power of time of each argument of a function."""
    if atom.function == "backoff":
        return atom.time_exponent, 0, atom.time_exponent, 0
    if atom.function == "tcp_give_up":
        return (0,)
    return (atom.time_exponent,) * len(atom.arguments)


def _as_word(atom: Atom, words: str) -> Apply:
    """An atom that prints as other words; two that print alike stay apart."""
    return Apply("", (variable(atom),), words, atom.time_exponent)


def quantile_text(quantile: Quant) -> str:
    """A quantile as a spec writes it: `p99.9(rtt)`."""
    return quantile.key
