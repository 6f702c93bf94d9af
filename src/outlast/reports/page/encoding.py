"""What the page's scripts compute with, as plain JSON.

Numbers are texts, `n` or `n/d`, in base units; what is no number is `infinite` or `off`; None is null. `atoms`, `polys` and `formulas` are
tables in which everything stands once: wherever something is made of them, it names them by their index. What is as in `usual` is left out.

- `quantiles`: name, upper and lower (null: the sample has no such bound; no_upper and no_lower say why)
- `atoms`: one of name | quantile | sum: poly | call, of: polys | if: formula, then, otherwise: polys
- `polys`: terms, each [coefficient, [[atom, exponent], …]]
- `formulas`: left, right, sign, orders, wanted, strict, optimistic, exponent, means | is, of, wanted | all | either | given, then
- `parameters`: name, kind, unit, step, zero, interval, value (given), poly and names (derived)
- `rules`: id, formula, when, muted_by, needs_on, margin and aim (amount, exponent), scores, names
- `path`: by connection, label, kept, clocks (poly, stop, silent), awake: polys
- `drawings`: as picturing.drawing has them, words as texts and polys, [poly, exponent] where that is not the exponent of the axis;
  low_names and low_quantiles: what stands at its lower end; needs: label, poly, exponent, is it a count;
  rules where they are more or others than the one of its id; names besides those of its rules, whose values all must be known

Parameters and rules stand in the order of their names and ids; names of parameters are told by their place there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Final, Generic, TypeVar

from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Extended, Special
from outlast.constraints.model import Margin, Parameter
from outlast.constraints.normal import (
    All,
    Either,
    Equality,
    Formula,
    Given,
    Inequality,
    IsSentinel,
    NormalRule,
    derived_polys,
)
from outlast.constraints.polynomial import Apply, Atom, Group, Poly, Quant, QuantileBound, Switch, Var
from outlast.constraints.quantities import Sentinel, Value
from outlast.picturing.drawing import Amount, Bar, Drawing, Fact, Lane, Mark, Words, names_of
from outlast.reporting import Reported
from outlast.reports.data import Json
from outlast.reports.markup import Markup
from outlast.reports.page.path import path_data
from outlast.reports.page.usual import USUAL, unusual

__all__ = ["encoded", "number_text", "script_text"]

_K = TypeVar("_K", bound=Hashable)


def encoded(reported: Reported) -> dict[str, Json]:
    """The parameters, rules and drawings of a spec, so that they can be judged and drawn at any values."""
    tables = _Tables(
        reported.world({}).bound, {name: number for number, name in enumerate(sorted(reported.spec.parameters))}
    )
    derived = derived_polys(reported.spec)
    parameters: list[Json] = [
        tables.parameter(parameter, derived.get(name)) for name, parameter in sorted(reported.spec.parameters.items())
    ]
    rules: list[Json] = [tables.rule(rule) for _, rule in sorted(reported.rules.items())]
    drawings: list[Json] = [tables.drawing(drawing, reported.rules) for drawing in reported.drawings]
    path = path_data(reported, tables.poly)
    usual: dict[str, Json] = {sort: dict(values) for sort, values in USUAL.items()}
    return {"usual": usual, "parameters": parameters, "rules": rules, "drawings": drawings, "path": path, **tables.told}


def script_text(data: Mapping[str, Json]) -> Markup:
    """JSON for a `<script type="application/json">`: ASCII, and nothing in it can end the element or begin another.

    >>> script_text({"title": "</script>"})
    '{"title":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_HARMLESS))


#: What means something in HTML stands in texts only, where JSON takes it by its number.
_HARMLESS: Final = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


def number_text(value: Extended | Value | None) -> str | None:
    """An exact value as the scripts read it.

    >>> from fractions import Fraction
    >>> number_text(Fraction(10, 4)), number_text(Sentinel.OFF), number_text(None)
    ('5/2', 'off', None)
    """
    if value is None:
        return None
    return value.value if isinstance(value, (Sentinel, Special)) else str(value)


def _margin(margin: Margin | None) -> Json:
    if margin is None:
        return None
    return unusual("margins", {"amount": number_text(margin.amount), "exponent": margin.time_exponent})


def _names(poly: Poly) -> set[str]:
    return {atom.name for atom in poly.all_atoms() if isinstance(atom, Var)}


class _Tables:
    """Everything that formulas are made of, each thing once."""

    def __init__(self, bound: QuantileBound, numbers: Mapping[str, int]) -> None:
        self._bound = bound
        #: The places of parameters, by name.
        self._numbers = numbers
        self._quantiles = _Table(self._told_quantile)
        self._atoms = _Table(self._told_atom)
        self._polys = _Table(self._told_poly)
        self._formulas = _Table(self._told_formula)

    @property
    def told(self) -> dict[str, Json]:
        return {
            "quantiles": self._quantiles.told,
            "atoms": self._atoms.told,
            "polys": self._polys.told,
            "formulas": self._formulas.told,
        }

    def poly(self, poly: Poly) -> int:
        return self._polys.index(poly)

    def parameter(self, parameter: Parameter, derived: Poly | None) -> Json:
        interval = parameter.interval
        told: dict[str, Json] = {
            "name": parameter.name,
            "kind": parameter.kind.value,
            "unit": parameter.unit,
            "step": number_text(parameter.step),
            "zero": number_text(parameter.zero),
            "interval": None if interval is None else [number_text(end) for end in interval],
            "value": number_text(parameter.value),
        }
        if derived is not None:
            told |= {"poly": self.poly(derived), "names": self._names(_names(derived))}
        return unusual("parameters", told)

    def rule(self, rule: NormalRule) -> Json:
        told: dict[str, Json] = {
            "id": rule.id,
            "formula": self._formulas.index(rule.formula),
            "when": self._when(rule.when),
            "muted_by": [self.poly(poly) for poly in rule.muted_by],
            "needs_on": [[name, self.poly(poly)] for name, poly in rule.needs_on],
            "margin": _margin(rule.rule.margin),
            "aim": _margin(rule.rule.aim),
            "scores": rule.scores,
            "names": self._names(rule.names()),
        }
        return unusual("rules", told)

    def _names(self, names: Iterable[str]) -> list[Json]:
        return [*sorted(self._numbers[name] for name in names)]

    def drawing(self, drawing: Drawing, rules: Mapping[str, NormalRule]) -> Json:
        lower = [end.of for end in drawing.ends if not end.is_upper]
        names = names_of(drawing).difference(*(rules[rule].names() for rule in drawing.rules))
        told: dict[str, Json] = {
            "id": drawing.id,
            "title": drawing.title,
            "shape": None if drawing.shape is None else drawing.shape.value,
            "time_exponent": drawing.time_exponent,
            "lanes": [self._lane(lane, drawing.time_exponent) for lane in drawing.lanes],
            "facts": [unusual("facts", self._item(fact, drawing.time_exponent)) for fact in drawing.facts],
            "names": self._names(names),
            "needs": [[n.label, self.poly(n.poly), n.time_exponent, n.is_whole] for n in drawing.needs],
            "low_names": self._names({end.name for end in lower if isinstance(end, Var)}),
            "low_quantiles": [self._quantiles.index(end) for end in lower if isinstance(end, Quant)],
        }
        if drawing.rules != (drawing.id,):
            told["rules"] = list(drawing.rules)
        return unusual("drawings", told)

    def _lane(self, lane: Lane, exponent: int) -> Json:
        bars: list[Json] = [unusual("bars", self._bar(bar, exponent)) for bar in lane.bars]
        marks: list[Json] = [
            unusual("marks", {**self._item(mark, exponent), "at": self.poly(mark.at), "told": mark.told})
            for mark in lane.marks
        ]
        return unusual("lanes", {"label": lane.label, "bars": bars, "marks": marks})

    def _bar(self, bar: Bar, exponent: int) -> dict[str, Json]:
        end = None if bar.end is None else self.poly(bar.end)
        return {**self._item(bar, exponent), "start": self.poly(bar.start), "end": end, "told": bar.told}

    def _item(self, item: Bar | Mark | Fact, exponent: int) -> dict[str, Json]:
        return {"words": self._words(item.words, exponent), "tone": item.tone.value, "when": self._when(item.when)}

    def _words(self, words: Words, exponent: int) -> Json:
        return [word if isinstance(word, str) else self._amount(word, exponent) for word in words]

    def _amount(self, amount: Amount, exponent: int) -> Json:
        poly = self.poly(amount.poly)
        return poly if amount.time_exponent == exponent else [poly, amount.time_exponent]

    def _when(self, formula: Formula | None) -> int | None:
        return None if formula is None else self._formulas.index(formula)

    def _told_quantile(self, quantile: Quant) -> Json:
        return {"name": quantile.key, **self._end(quantile, "upper"), **self._end(quantile, "lower")}

    def _end(self, quantile: Quant, end: str) -> dict[str, Json]:
        try:
            return {end: number_text(self._bound(quantile, end == "upper"))}
        except OutlastError as error:  # of a bound that no rule uses at the values in use
            return {end: None, f"no_{end}": error.message}

    def _told_atom(self, atom: Atom) -> Json:
        match atom:
            case Var():
                return {"name": atom.name}
            case Quant():
                return {"quantile": self._quantiles.index(atom)}
            case Group():
                return {"sum": self.poly(atom.poly)}
            case Apply():
                return {"call": atom.function, "of": self._all(atom.arguments)}
            case Switch():
                condition = self._formulas.index(atom.condition)
                return {"if": condition, "then": self.poly(atom.then), "otherwise": self.poly(atom.otherwise)}

    def _all(self, polys: Iterable[Poly]) -> list[Json]:
        return [self.poly(poly) for poly in polys]

    def _told_poly(self, poly: Poly) -> Json:
        terms: list[Json] = []
        for monomial, coefficient in poly:
            factors: list[Json] = [[self._atoms.index(atom), exponent] for atom, exponent in monomial]
            terms.append([number_text(coefficient), factors])
        return terms

    def _told_formula(self, formula: Formula) -> Json:
        match formula:
            case Inequality() | Equality():
                return self._comparison(formula)
            case IsSentinel():
                told = {"is": formula.sentinel.value, "of": self.poly(formula.of), "wanted": formula.positive}
                return unusual("formulas", told)
            case All(parts):
                return {"all": [self._formulas.index(part) for part in parts]}
            case Either(parts):
                return {"either": [self._formulas.index(part) for part in parts]}
            case Given(condition, conclusion):
                return {"given": self._formulas.index(condition), "then": self._formulas.index(conclusion)}

    def _comparison(self, comparison: Inequality | Equality) -> Json:
        if isinstance(comparison, Inequality):
            says: dict[str, Json] = {"orders": True, "strict": comparison.strict, "wanted": True, "means": None}
        else:
            means = self._when(comparison.means)
            says = {"orders": False, "strict": False, "wanted": comparison.equal, "means": means}
        return unusual(
            "formulas",
            {
                "left": self.poly(comparison.left),
                "right": self.poly(comparison.right),
                "sign": comparison.sign,
                **says,
                "optimistic": comparison.optimistic,
                "exponent": comparison.time_exponent,
            },
        )


class _Table(Generic[_K]):
    """Things by index, each with what it is told as; what one is made of comes before it."""

    def __init__(self, tell: Callable[[_K], Json]) -> None:
        self._tell = tell
        self._indices: dict[_K, int] = {}
        #: The same by identity, since formulas are long to compare and most are the very same; what is in it stays alive.
        self._seen: dict[int, tuple[_K, int]] = {}
        self.told: list[Json] = []

    def index(self, thing: _K) -> int:
        """Its place in the table, where it is put if it is not there."""
        if id(thing) not in self._seen:
            self._seen[id(thing)] = thing, self._index(thing)
        return self._seen[id(thing)][1]

    def _index(self, thing: _K) -> int:
        known = self._indices.get(thing)
        if known is not None:
            return known
        told = self._tell(thing)
        self.told.append(told)
        return self._indices.setdefault(thing, len(self.told) - 1)
