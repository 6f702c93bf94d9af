"""The clauses that conflicts are told with: what an item needs or is, and where that stands; what a row says of one unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from fractions import Fraction
from typing import Final

from outlast.constraints.evaluate import Extended, Special
from outlast.constraints.model import Spec
from outlast.constraints.polynomial import Monomial, Poly
from outlast.constraints.quantities import Kind, Value
from outlast.reports.document import Text, code, text, whole
from outlast.reports.wording import Places, about_text, counted, names_text, readable
from outlast.solver.account import Item, ItemKind
from outlast.solver.logic import Below
from outlast.solver.reasons import Bound, Premise
from outlast.solver.statements import row_text

__all__ = ["Clauses", "Detail", "listed", "name_of"]

#: How much of a reason is told.
_LONGEST_WHY: Final = 80
#: How many values of a list are told.
_FEW_VALUES: Final = 8
#: How long `outlast.yaml:12` is.
_USUAL_PLACE: Final = 15
#: The unit of a rate.
_PER: Final = re.compile(r"(?<![\w.])[\d.]+/(s|min|m|h|d|ms)\b(?!\.)")
_SIGNS: Final = {">=": "at least", "<=": "at most", ">": "over", "<": "under"}
#: Whose reason speaks of the value.
_REASONED: Final = (ItemKind.FACT, ItemKind.FIXED, ItemKind.DOMAIN, ItemKind.MEASUREMENT)


class Detail(IntEnum):
    """How much is told."""

    NAMES = 0
    CHAINS = 1
    PLACES = 2
    ALL = 3


class Clauses:
    """Tells items and rows, and remembers which items were told."""

    def __init__(self, items: Iterable[Item], spec: Spec, places: Places, detail: Detail, *, full: bool) -> None:
        """With `full` nothing is cut short."""
        self.items = {item.id: item for item in items}
        self.spec = spec
        self.detail = detail
        self.full = full
        #: Ids of the items whose place needs no telling any more.
        self.seen: set[str] = set()
        #: Whether rules tell what they need to be on.
        self.is_about_modes = True
        self._places = places
        #: By how much what was told is longer or shorter than it would be with places of usual length.
        self.excess = 0
        per = {unit for item in self.items.values() for unit in _PER.findall(item.says)}
        #: The unit of all rates that the items mention.
        self._per: str | None = next(iter(per)) if len(per) == 1 else None

    def clauses(self, items: Iterable[Item]) -> list[Text]:
        """One for each item."""
        return [self.clause(item) for item in items]

    def limit(self, bound: Bound) -> Text:
        """`at least 8s`."""
        words = ("under" if bound.strict else "at most") if bound.is_upper else ("over" if bound.strict else "at least")
        return text(f"{words} ", whole(code(self.value(bound.value, bound.unknown))))

    def value(self, value: Fraction, unknown: Monomial) -> str:
        """A number of the unknown, in its unit."""
        parameter = self.spec.parameters.get(name_of(unknown))
        exponent = sum(a.time_exponent * n for a, n in unknown)
        return self.number(value, exponent, percent=parameter is not None and parameter.kind is Kind.RATIO)

    def number(self, value: Value, time_exponent: int, *, percent: bool = False) -> str:
        """A number; all rates in the same unit."""
        return about_text(value, time_exponent, percent=percent, per=self._per)

    def extended(self, value: Extended, time_exponent: int) -> str:
        """The same of the result of an evaluation."""
        return value.value if isinstance(value, Special) else self.number(value, time_exponent)

    def holding(self, row: Below) -> Text:
        """A conclusion as a reason."""
        unknowns = [m for m in row.poly.terms if m]
        if len(unknowns) != 1:
            return text(code(readable(row_text(row))))
        (unknown,) = unknowns
        factor = row.poly.terms[unknown]
        bound = Bound(unknown, factor > 0, -row.poly.terms.get((), Fraction(0)) / factor, row.strict)
        return text(code(name_of(unknown)), " is ", self.limit(bound))

    def premise(self, premise: Premise) -> Text:
        """What an item or a row that always holds contributes to a line."""
        item = self.items.get(str(premise.of))
        if item is None:
            return self._always(premise)
        if item.kind is ItemKind.MEASUREMENT and len([m for m in premise.row.poly.terms if m]) == 1:
            return text(self._measured(premise.row), self._origin(item))
        return self.clause(item)

    def _always(self, premise: Premise) -> Text:
        """What is no item: that quantities are not negative, what rounding means, what a case assumes."""
        unknowns = [m for m in premise.row.poly.terms if m]
        if premise.of == "case" and len(unknowns) == 1:
            return text("in this case ", self.holding(premise.row))
        if premise.of == "natural" and len(unknowns) == 1:
            return text(code(name_of(unknowns[0])), " is never negative")
        if premise.of == "rounding":
            return text(code(readable(row_text(premise.row))), " by what rounding means")
        return text("in this case ", code(readable(row_text(premise.row))))

    def _measured(self, row: Below) -> Text:
        """`p99.9(rtt) may be as long as 2s`: the end of the interval that counts."""
        (unknown,) = (m for m in row.poly.terms if m)
        factor = row.poly.terms[unknown]
        value = self.value(-row.poly.terms.get((), Fraction(0)) / factor, unknown)
        words = " may be as long as " if factor < 0 else " may be as short as "
        return text(code(name_of(unknown)), words, whole(code(value)))

    def clause(self, item: Item) -> Text:
        """What the item says, and where."""
        return text(self._words(item), self._origin(item))

    def offered(self, item: Item) -> Text:
        """The values that a step or a list offers: `a multiple of 5s (its step, outlast.yaml:7)`."""
        start, of, values = item.says.removeprefix(f"{item.subject} is ").partition(" of ")
        return text(start, of, code(self._few(values)), self._origin(item))

    def _words(self, item: Item) -> Text:
        name, says = item.name, item.says
        match item.kind:
            case ItemKind.RULE:
                rule = self.spec.rules.get(name)
                when = "" if rule is None or rule.when_text is None else rule.when_text
                base = says.removesuffix(f", when {when}") if when else says
                on = () if rule is None or not self.is_about_modes else rule.needs_on
                more = (
                    text(" and that ", names_text(on), " is not off" if len(on) == 1 else " are not off")
                    if on
                    else text()
                )
                return text(code(name), " needs ", code(base), more, *((" when ", code(when)) if base != says else ()))
            case ItemKind.MARGIN:
                base, found, margin = says.rpartition(", with a margin of ")
                if found:
                    return text(code(name), " needs ", code(base), " with a margin of ", whole(code(margin)))
                return text(code(name), " needs ", code(says))
            case ItemKind.DIVISOR:
                base = says.removesuffix(" divides by something that must be above 0")
                return text(code(name), " needs all in it to be numbers and its divisors to be over 0: ", code(base))
            case ItemKind.MEASUREMENT:
                return text(code(says))
        subject = item.subject
        verb = " shall be " if item.kind is ItemKind.ASKED else " is "
        rest = says.removeprefix(subject)
        for sign, words in _SIGNS.items():
            if rest.startswith(f" {sign} "):
                return text(code(subject), f" is {words} ", whole(code(rest.removeprefix(f" {sign} "))))
        if rest.startswith(" = "):
            value, comma, meaning = rest.removeprefix(" = ").partition(", ")
            return text(code(subject), verb, whole(code(value)), f"{comma}{meaning}")
        for start in (" is a multiple of ", " is one of "):
            if rest.startswith(start):
                return text(code(subject), start, code(self._few(rest.removeprefix(start))))
        return text(code(subject), rest) if rest != says else text(code(says))

    def _few(self, listed: str) -> str:
        """A list of values, the middle of a long one left out."""
        values = listed.split(", ")
        return listed if self.full or len(values) <= _FEW_VALUES else f"{', '.join(values[:3])}, …, {values[-1]}"

    def _origin(self, item: Item) -> Text:
        """Where the item comes from, in brackets, the first time."""
        if item.id in self.seen:
            return text()
        self.seen.add(item.id)
        parts: list[str] = []
        match item.kind:
            case ItemKind.FACT:
                parts.append("fact")
            case ItemKind.FIXED:
                default_of = (
                    self.spec.parameters[item.subject].default_of if item.subject in self.spec.parameters else None
                )
                parts.append("fixed" if default_of is None else f"the default of {default_of}")
            case ItemKind.CURRENT:
                parts.append("in use")
            case ItemKind.DOMAIN:
                parts.append("its domain")
            case ItemKind.STEP:
                parts.append("its list" if " is one of " in item.says else "its step")
            case ItemKind.MEASUREMENT:
                parts += self._sample(item)
        if item.place is not None and (self.detail > Detail.NAMES or item.is_of_rule):
            place = self._places.text(item.place)
            self.excess += len(place) - _USUAL_PLACE
            parts.append(place)
        why = "" if item.kind not in _REASONED or self.detail < Detail.ALL else _shortly(item.why or "")
        words = ", ".join(parts) + (": " if parts and why else "") + why
        return text(f" ({words})") if words else text()

    def _sample(self, item: Item) -> list[str]:
        measurement = self.spec.measurements.get(item.name)
        if measurement is None:
            return ["measured"]
        found = [counted(measurement.sample.size, "sample")]
        return [*found, f"taken {measurement.taken.isoformat()}"] if measurement.taken else found


def listed(parts: Sequence[Text], last: str = "and") -> Text:
    """`a, b and c`."""
    found: list[str | Text] = []
    for number, part in enumerate(parts):
        found += ["" if number == 0 else f" {last} " if number == len(parts) - 1 else ", ", part]
    return text(*found)


def name_of(unknown: Monomial) -> str:
    """An unknown in the rule language; `+` and `-` at the end of a name tell the ends of an interval apart."""
    if len(unknown) == 1 and unknown[0][1] == 1:
        return unknown[0][0].key.rstrip("+-")
    return Poly({unknown: Fraction(1)}).text(sum(a.time_exponent * n for a, n in unknown))


def _shortly(why: str) -> str:
    words = " ".join(why.split()).rstrip(".")
    return words if len(words) <= _LONGEST_WHY else f"{words[: _LONGEST_WHY - 1].rstrip()}…"
