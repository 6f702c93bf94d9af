"""A conflict's derivation in words that need no knowledge of the tool: `Because A, where B, C. But because D, E. 300ms are missing.`

Each item is told with its place once; what is longer than six lines is told again with less: no reasons, then the middle of chains by name only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from fractions import Fraction
from typing import Final, NamedTuple

from outlast.constraints.errors import printable
from outlast.constraints.evaluate import Judged, Truth, World, judge
from outlast.constraints.model import Spec
from outlast.constraints.normal import Inequality, normalise
from outlast.constraints.polynomial import Monomial, Poly, Quant, Var
from outlast.constraints.quantities import Kind, Value
from outlast.reports.document import Paragraph, Span, Text, code, text, whole
from outlast.reports.origins import Origins
from outlast.reports.wording import Places, counted, exact_text, names_text
from outlast.solver.account import Conflict, Item, ItemKind
from outlast.solver.derivation import (
    Apart,
    Between,
    Bound,
    Broken,
    Chain,
    Derivation,
    Line,
    Meeting,
    Premise,
    Split,
)
from outlast.solver.logic import Below
from outlast.solver.statements import row_text

__all__ = ["sentence", "told"]

#: About six lines of 100 columns.
_LONGEST: Final = 580
#: How much of a reason is told.
_LONGEST_WHY: Final = 80
#: How many rules of a chain are told in full where its middle is only named.
_FEW: Final = 2
#: How many values of a list are told.
_FEW_VALUES: Final = 8

_OF_RULES: Final = (ItemKind.RULE, ItemKind.MARGIN, ItemKind.DIVISOR)
#: Whose reason speaks of the value.
_REASONED: Final = (ItemKind.FACT, ItemKind.FIXED, ItemKind.DOMAIN, ItemKind.MEASUREMENT)
_SIGNS: Final = {">=": "at least", "<=": "at most", ">": "over", "<": "under"}


class _Side(NamedTuple):
    """One side of a comparison at given values."""

    formula: str
    value: str
    #: Whether something in it may change.
    moves: bool
    is_number: bool
    is_name: bool


class _Detail(IntEnum):
    """How much is told."""

    NAMES = 0
    CHAINS = 1
    PLACES = 2
    ALL = 3


def told(
    derivation: Derivation | None, conflict: Conflict, spec: Spec, places: Places, *, full: bool = False
) -> tuple[Paragraph, ...]:
    """Why the conflict is one: a paragraph of about six lines at most, or with `full` one for each line of the derivation.

    Without a derivation its items are listed. Multipliers are not told.
    """
    if full:
        return tuple(Paragraph(t) for t in _Teller(conflict, spec, places, _Detail.ALL, full=True).told(derivation))
    for detail in sorted(_Detail, reverse=True):
        words = _sentences(_Teller(conflict, spec, places, detail, full=False).told(derivation))
        if sum(len(span.text) for span in words) <= _LONGEST:
            break
    return (Paragraph(words),)


def sentence(derivation: Derivation | None, conflict: Conflict, spec: Spec, places: Places) -> str:
    """The same as plain text on one line."""
    return printable("".join(s.text for p in told(derivation, conflict, spec, places) for s in p.text))


def _sentences(parts: Iterable[Text]) -> Text:
    found: list[str | Text] = []
    for part in parts:
        found += [" ", part] if found else [part]
    return text(*found)


def _listed(parts: Sequence[Text], last: str = "and") -> Text:
    found: list[str | Text] = []
    for number, part in enumerate(parts):
        found += ["" if number == 0 else f" {last} " if number == len(parts) - 1 else ", ", part]
    return text(*found)


class _Teller:
    """Tells one derivation and remembers what has been told."""

    def __init__(self, conflict: Conflict, spec: Spec, places: Places, detail: _Detail, *, full: bool) -> None:
        self._conflict = conflict
        self._items = {item.id: item for item in conflict.items}
        self._spec = spec
        self._places = places
        self._detail = detail
        self._full = full
        self._seen: set[str] = set()
        #: What the cases around assume, told already.
        self._assumed: set[str] = set()

    def told(self, derivation: Derivation | None) -> list[Text]:
        """One text for each line, then what is left to say."""
        if derivation is None:
            found = [self._list()]
        else:
            found = self._derivation(derivation)
            rest = [item for item in self._items.values() if item.id not in self._seen]
            if rest:
                found.insert(max(len(found) - 1, 0), text("It also takes that ", _listed(self._clauses(rest)), "."))
        if not self._conflict.minimal:
            found.append(text("It was not shown that all of these are needed for it."))
        return found

    def _list(self) -> Text:
        clauses: list[str | Text] = []
        for clause in self._clauses(self._items.values()):
            clauses += ["; " if clauses else "", clause]
        alone = " Z3 alone proves it: no certificate was found." if self._conflict.proof is None else ""
        return text("These cannot hold together: ", *clauses, f".{alone}")

    def _clauses(self, items: Iterable[Item]) -> list[Text]:
        return [self._clause(item) for item in items]

    # Whole derivations.

    def _derivation(self, derivation: Derivation) -> list[Text]:
        match derivation:
            case Chain(lines, end):
                if isinstance(end, Broken):
                    return self._broken(end)
                return [*self._lines(lines, tuple(sorted((end.lower, end.upper)))), self._missing(lines, end)]
            case Between():
                roots = tuple(n for n in (derivation.lower, derivation.upper) if n is not None)
                return [*self._lines(derivation.lines, roots, "And "), self._nothing_between(derivation)]
            case Split():
                return self._split(derivation)
            case Apart():
                return self._apart(derivation)

    def _missing(self, lines: Sequence[Line], end: Meeting) -> Text:
        upper, lower = lines[end.upper - 1], lines[end.lower - 1]
        if end.missing:
            amount = self._value(end.missing, end.unknown)
            return text(whole(code(amount)), " is missing." if re.match(r"1(?![\d./])", amount) else " are missing.")
        if upper.bound is None or lower.bound is None:
            return text("Both cannot hold at once.")
        sides = (self._limit(lower.bound), self._limit(upper.bound))
        return text(code(_name(upper.bound.unknown)), " cannot be ", sides[0], " and ", sides[1], " at once.")

    def _broken(self, end: Broken) -> list[Text]:
        """What the rule needs at which values, then `send_ping + ping is 20s, not under 10s`."""
        rule, *values = end.premises
        demanded = self._demanded(end)
        if demanded is not None:
            wheres = self._wheres(values, end.given, [rule])
            return [text(self._premise(rule), ", where " if wheres else "", _listed(wheres), "."), demanded]
        sides = self._sides(end)
        is_turned = not sides[0].moves and (sides[1].moves or sides[0].is_number)
        about, against = reversed(sides) if is_turned else sides
        words = ("over" if end.row.strict else "at least") if is_turned else "under" if end.row.strict else "at most"
        needs, given = self._premise(rule), list(end.given)
        # A value that is a whole side is told only there.
        alone = next((v for v in values if about.is_name and self._subject_of(v.of) == about.formula), None)
        wheres = self._wheres([v for v in values if v is not alone], given, [rule])
        needs = text(needs, ", where " if wheres else "", _listed(wheres), ".")
        parts: list[str | Span | Text] = ["But "]
        if alone is not None:
            parts += [self._premise(alone), ","]
        else:
            parts.append(code(about.formula))
            parts += [" is"] if about.is_number else [" is ", whole(code(about.value)), ","]
        parts += [f" not {words} "]
        parts += [] if against.is_name or against.is_number else [code(against.formula), ", which is "]
        return [needs, text(*parts, whole(code(against.value)), ".")]

    def _demanded(self, end: Broken) -> Text | None:
        """What a margin demands, where its rule is one comparison."""
        item = self._items.get(str(end.premises[0].of))
        judged = None if item is None or item.kind is not ItemKind.MARGIN else self._judged(end)
        if item is None or judged is None:
            return None
        margin = self._spec.rules[item.name].margin
        compared = Origins(self._one(item.id), self._values()).compared(judged, margin)
        if compared.demanded is None or compared.short is None:
            return None
        left, right = compared.left, compared.right
        about = text(code(left[0]), " is ", whole(code(left[-1]))) if len(left) > 1 else text(code(left[0]))
        of = text(" of ", code(right[0]), ", which is ") if len(right) > 1 else text(", not ")
        demands = text(", for which the margin demands ", whole(code(compared.demanded)))
        return text("But ", about, demands, of, whole(code(right[-1])), ".")

    def _subject_of(self, of: str | int) -> str:
        item = self._items.get(str(of))
        return "" if item is None else _subject(item)

    def _sides(self, end: Broken) -> tuple[_Side, _Side]:
        """Both sides as the rule writes them where that is one comparison, else those of the row."""
        exponent, of = end.row.exponent, end.premises[0].of
        judged = self._judged(end)
        if judged is not None:
            comparison, compared = judged.comparison, Origins(self._one(str(of)), self._values()).compared(judged)
            polys, chains = (comparison.left, comparison.right), (compared.left, compared.right)
            shown = [(chain[0], chain[-1]) for chain in chains]
        else:
            polys = (end.row.poly.positive_part(), end.row.poly.negative_part())
            numbers = (end.left, end.right)
            shown = [(p.text(exponent), exact_text(n, exponent)) for p, n in zip(polys, numbers, strict=True)]
        left, right = (
            _Side(*words, moves=self._moves(poly), is_number=poly.constant is not None, is_name=_is_name(poly))
            for words, poly in zip(shown, polys, strict=True)
        )
        return left, right

    def _judged(self, end: Broken) -> Judged | None:
        """The only comparison of a rule at the values of the conflict; None where there are more, or not all values are known."""
        item = self._items.get(str(end.premises[0].of))
        if item is None or item.kind not in (ItemKind.RULE, ItemKind.MARGIN) or item.name not in self._spec.rules:
            return None
        spec, values = self._one(item.id), self._values()
        rules, errors = normalise(spec)
        if errors or item.name not in rules:
            return None
        rule = rules[item.name]
        measured = {a.measurement for a in rule.atoms() if isinstance(a, Quant)}
        is_known = rule.names() <= values.keys() and all(f"measurement:{m}" in self._items for m in measured)
        if not is_known or not isinstance(rule.formula, Inequality):
            return None
        effective = {n: spec.parameters[n].effective(v) for n, v in values.items()}
        if any(effective.get(name, value) != value for name, value in _held(end.premises[1:])):
            return None
        verdict = judge(rule, World(values=effective, bound=self._bound))
        is_broken = verdict.truth is Truth.BROKEN if item.kind is ItemKind.RULE else not verdict.margin_kept
        return verdict.decisive if is_broken else None

    def _bound(self, quantile: Quant, upper: bool) -> Fraction:  # the shape of QuantileBound
        sample = self._spec.measurements[quantile.measurement].sample
        return (sample.upper if upper else sample.lower)(quantile.level, self._spec.confidence)

    def _one(self, item: str) -> Spec:
        """The spec with that rule only."""
        spec, name = self._spec, self._items[item].name
        return Spec(
            path=spec.path, title=spec.title, parameters=spec.parameters, measurements=spec.measurements,
            rules={name: spec.rules[name]}, confidence=spec.confidence,
        )  # fmt: skip

    def _values(self) -> dict[str, Value]:
        """The values that the conflict names, as written."""
        found: dict[str, Value] = {}
        for item in self._items.values():
            parameter = self._spec.parameters.get(item.name)
            value = (
                None if parameter is None else parameter.current if item.kind is ItemKind.CURRENT else parameter.value
            )
            if value is not None and item.kind in (ItemKind.FACT, ItemKind.FIXED, ItemKind.CURRENT):
                found[item.name] = value
        return found

    def _moves(self, poly: Poly) -> bool:
        """Whether it speaks of something that is not simply given."""
        given = {i.name for i in self._items.values() if i.kind in (ItemKind.FACT, ItemKind.FIXED)}
        return any(not isinstance(a, Var) or a.name.rstrip("+-") not in given for a in poly.atoms())

    def _nothing_between(self, end: Between) -> Text:
        name = code(_name(end.unknown))
        ends = [self._value(v, end.unknown) for v in (end.below, end.above) if v is not None]
        near = _listed([(whole(code(v)),) for v in ends])
        item = self._items.get(end.item)
        also = [self._clause(self._items[i]) for i in end.also if i in self._items]
        where = text(", where ", _listed(also)) if also else text()
        clause = self._clause(item) if item is not None else text(name, " is whole")
        if item is None or item.kind is ItemKind.STEP:
            if len(ends) == 2:
                return text("But ", clause, where, ", and none lies between: the nearest are ", near, ".")
            side = "so large: the largest is " if end.below is not None else "so small: the smallest is "
            return text("But ", clause, where, ", and none is ", side, near, ".")
        if len(ends) == 2:
            return text("But ", clause, where, ", which leaves ", name, " nothing between ", near, ".")
        side = "above" if end.below is not None else "below"
        return text("But ", clause, where, ", which leaves ", name, f" nothing {side} ", near, ".")

    def _split(self, end: Split) -> list[Text]:
        item = self._items.get(end.item)
        also = [self._clause(self._items[i]) for i in end.also if i in self._items]
        where = text(", where ", _listed(also)) if also else text()
        number = len(end.cases)
        none = {1: "which is impossible", 2: "and neither is possible"}.get(number, "and none is possible")
        found = [text(f"There {'is' if number == 1 else 'are'} {counted(number, 'case')}, {none}.")]
        if item is not None:
            found.insert(0, text(self._clause(item), where, "."))
        shown = number if self._full or self._detail is _Detail.ALL or number <= _FEW else 1
        outer = self._assumed
        for at, (says, case) in enumerate(zip(end.says[:shown], end.cases, strict=False), 1):
            self._assumed = {*outer, says}
            inner = self._derivation(case)
            found += [text(f"Case {at}, ", code(says), ": ", inner[0]), *inner[1:]]
        self._assumed = outer
        if shown < number:
            others = [i for case in end.cases[shown:] for i in _items_of(case)]
            left = [i for i in dict.fromkeys(others) if i in self._items and i not in self._seen]
            by = text(", by ", self._named(left)) if left else text()
            fail = "The other case fails" if number - shown == 1 else f"The {number - shown} other cases fail"
            found.append(text(fail, " in the same way", by, "."))
        return found

    def _named(self, ids: Sequence[str]) -> Text:
        self._seen.update(ids)
        return names_text(tuple(dict.fromkeys(_subject(self._items[i]) for i in ids)))

    def _apart(self, end: Apart) -> list[Text]:
        said = [
            (of, says)
            for of, says in zip(end.items, end.says, strict=True)
            if of != "case" or says not in self._assumed
        ]
        found: list[Text] = []
        for at, (of, says) in enumerate(said, 1):
            item = self._items.get(of)
            start = "But " if len(said) == at > 1 else ""
            if item is None:
                words = text("in this case ", code(says))
            elif says in (item.says, "cannot hold"):
                words = self._clause(item)
            else:
                words = text(self._clause(item), ", so ", code(says))
            found.append(text(start, words if start else _capital(words), "."))
        found.append(text("That cannot be." if len(found) == 1 else "These exclude each other."))
        return found

    # Lines.

    def _lines(self, lines: Sequence[Line], roots: Sequence[int], other: str = "But ") -> list[Text]:
        """The lines that end in these; `other` starts those of the second."""
        if self._detail <= _Detail.CHAINS:
            lines, roots = _shortened(lines, roots)
        used = [p.of for line in lines for p in line.premises if isinstance(p.of, int)]
        # A line that the next one does not continue has to be called by its number.
        numbered = {n for line in lines for p in line.premises if (n := p.of) != line.number - 1 and isinstance(n, int)}
        numbered |= {n for n in used if used.count(n) > 1}
        found: list[Text] = []
        for line in lines:
            if self._is_assumed(line):
                continue
            start = "" if not found else other if line.number == roots[0] + 1 else "And "
            found.append(self._line(line, start, numbered))
        return found

    def _is_assumed(self, line: Line) -> bool:
        """Whether it only repeats what the case is called after."""
        return [p.of for p in line.premises] == ["case"] and not self._assumed.isdisjoint(_ways(line.conclusion))

    def _line(self, line: Line, start: str, numbered: set[int]) -> Text:
        mark = f" ({line.number})" if line.number in numbered else ""
        rules = [p for p in line.premises if self._is_rule(p)]
        values = [p for p in line.premises if not self._is_rule(p)]
        plain = self._as_it_stands(line)
        if plain is not None:
            return text(start, plain if start else _capital(plain), mark, ".")
        told_rules = rules[:_FEW] if self._is_long(line) else rules
        reasons = [self._reason(p, numbered) for p in told_rules]
        wheres = self._wheres(values, line.given, rules)
        named = self._named([str(p.of) for p in rules[len(told_rules) :]])
        if not reasons:
            reasons, wheres = wheres, []
        because = "because " if start else "Because "
        parts: list[str | Text] = [start, because, _listed(reasons)]
        parts += [", where ", _listed(wheres)] if wheres else []
        parts += [", and through ", named] if named else []
        return text(*parts, ", ", self._conclusion(line), mark, ".")

    def _wheres(self, values: Sequence[Premise], given: Sequence[str], rules: Sequence[Premise]) -> list[Text]:
        """Values, in the order in which the rules mention them."""
        formulas = " ; ".join(self._items[str(p.of)].says for p in rules if str(p.of) in self._items)
        words = re.findall(r"[\w.]+", formulas)

        def place(value: Premise | str) -> int:
            name = self._subject_of(value if isinstance(value, str) else value.of)
            return words.index(name) if name in words else len(words)

        every: list[Premise | str] = [*values, *given]
        ordered = sorted(every, key=place)
        return [self._clause(self._items[v]) if isinstance(v, str) else self._premise(v) for v in ordered]

    def _is_long(self, line: Line) -> bool:
        return self._detail <= _Detail.CHAINS and sum(self._is_rule(p) for p in line.premises) > _FEW + 1

    def _is_rule(self, premise: Premise) -> bool:
        if isinstance(premise.of, int):
            return True
        item = self._items.get(premise.of)
        return premise.of != "natural" if item is None else item.kind in _OF_RULES

    def _as_it_stands(self, line: Line) -> Text | None:
        """The only premise, where it says itself what follows from it."""
        if len(line.premises) != 1 or line.given:
            return None
        (premise,) = line.premises
        item = self._items.get(str(premise.of))
        if isinstance(premise.of, int):
            return None
        if item is None or item.kind not in _OF_RULES:
            return self._premise(premise)
        return self._clause(item) if item.says in _ways(line.conclusion) else None

    def _conclusion(self, line: Line) -> Text:
        if line.bound is None:
            return text(code(row_text(line.conclusion)), " must hold")
        return text(code(_name(line.bound.unknown)), " must be ", self._limit(line.bound))

    def _limit(self, bound: Bound) -> Text:
        words = ("under" if bound.strict else "at most") if bound.is_upper else ("over" if bound.strict else "at least")
        return text(f"{words} ", whole(code(self._value(bound.value, bound.unknown))))

    def _value(self, value: Fraction, unknown: Monomial) -> str:
        parameter = self._spec.parameters.get(_name(unknown))
        exponent = sum(a.time_exponent * n for a, n in unknown)
        return exact_text(value, exponent, percent=parameter is not None and parameter.kind is Kind.RATIO)

    # Premises and items.

    def _reason(self, premise: Premise, numbered: set[int]) -> Text:
        if isinstance(premise.of, int):
            mark = f" ({premise.of})" if premise.of in numbered else ""
            return text(self._holding(premise.row), mark)
        return self._premise(premise)

    def _holding(self, row: Below) -> Text:
        """A conclusion as a reason."""
        unknowns = [m for m in row.poly.terms if m]
        if len(unknowns) != 1:
            return text(code(row_text(row)))
        (unknown,) = unknowns
        factor = row.poly.terms[unknown]
        bound = Bound(unknown, factor > 0, -row.poly.terms.get((), Fraction(0)) / factor, row.strict)
        return text(code(_name(unknown)), " is ", self._limit(bound))

    def _premise(self, premise: Premise) -> Text:
        item = self._items.get(str(premise.of))
        if item is None:
            return self._always(premise)
        if item.kind is ItemKind.MEASUREMENT and len([m for m in premise.row.poly.terms if m]) == 1:
            return text(self._measured(premise.row), self._origin(item))
        return self._clause(item)

    def _always(self, premise: Premise) -> Text:
        """What is no item: that quantities are not negative, what rounding means, what a case assumes."""
        unknowns = [m for m in premise.row.poly.terms if m]
        if premise.of == "case" and len(unknowns) == 1:
            return text("in this case ", self._holding(premise.row))
        if premise.of == "natural" and len(unknowns) == 1:
            return text(code(_name(unknowns[0])), " is never negative")
        if premise.of == "rounding":
            return text(code(row_text(premise.row)), " by what rounding means")
        return text("in this case ", code(row_text(premise.row)))

    def _measured(self, row: Below) -> Text:
        """`p99.9(rtt) may be as long as 2s`: the end of the interval that counts."""
        (unknown,) = (m for m in row.poly.terms if m)
        factor = row.poly.terms[unknown]
        value = self._value(-row.poly.terms.get((), Fraction(0)) / factor, unknown)
        words = " may be as long as " if factor < 0 else " may be as short as "
        return text(code(_name(unknown)), words, whole(code(value)))

    def _clause(self, item: Item) -> Text:
        """What the item says, and where."""
        return text(self._words(item), self._origin(item))

    def _words(self, item: Item) -> Text:
        name, says = item.name, item.says
        match item.kind:
            case ItemKind.RULE:
                rule = self._spec.rules.get(name)
                when = "" if rule is None or rule.when_text is None else rule.when_text
                base = says.removesuffix(f", when {when}") if when else says
                on = () if rule is None else rule.needs_on
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
        subject = _subject(item)
        verb = " shall be " if item.kind is ItemKind.ASKED else " is "
        today = " today" if item.kind is ItemKind.CURRENT else ""
        rest = says.removeprefix(subject)
        for sign, words in _SIGNS.items():
            if rest.startswith(f" {sign} "):
                return text(code(subject), f" is {words} ", whole(code(rest.removeprefix(f" {sign} "))))
        if rest.startswith(" = "):
            value, comma, meaning = rest.removeprefix(" = ").partition(", ")
            return text(code(subject), verb, whole(code(value)), f"{comma}{meaning}", today)
        for start in (" is a multiple of ", " is one of "):
            if rest.startswith(start):
                return text(code(subject), start, code(self._few(rest.removeprefix(start))))
        return text(code(subject), rest) if rest != says else text(code(says))

    def _few(self, listed: str) -> str:
        """A list of values, the middle of a long one left out."""
        values = listed.split(", ")
        return listed if self._full or len(values) <= _FEW_VALUES else f"{', '.join(values[:3])}, …, {values[-1]}"

    def _origin(self, item: Item) -> Text:
        """Where the item comes from, in brackets, the first time."""
        if item.id in self._seen:
            return text()
        self._seen.add(item.id)
        parts: list[str] = []
        match item.kind:
            case ItemKind.FACT:
                parts.append("fact")
            case ItemKind.FIXED:
                parts.append("fixed")
            case ItemKind.DOMAIN:
                parts.append("its domain")
            case ItemKind.STEP:
                parts.append("its list" if " is one of " in item.says else "its step")
            case ItemKind.MEASUREMENT:
                parts += self._sample(item)
        if item.place is not None and (self._detail > _Detail.NAMES or item.kind in _OF_RULES):
            parts.append(self._places.text(item.place))
        why = "" if item.kind not in _REASONED or self._detail < _Detail.ALL else _shortly(item.why or "")
        words = ", ".join(parts) + (": " if parts and why else "") + why
        return text(f" ({words})") if words else text()

    def _sample(self, item: Item) -> list[str]:
        measurement = self._spec.measurements.get(item.name)
        if measurement is None:
            return ["measured"]
        size = measurement.sample.size
        found = [f"{size:,} {'sample' if size == 1 else 'samples'}".replace(",", "\N{NO-BREAK SPACE}")]
        return [*found, f"taken {measurement.taken.isoformat()}"] if measurement.taken else found


def _ways(row: Below) -> set[str]:
    """How a rule may write an inequality: either side first."""
    strict = "<" if row.strict else "<="
    left, _, right = row_text(row).partition(f" {strict} ")
    return {f"{left} {strict} {right}", f"{right} {strict.replace('<', '>')} {left}"}


def _held(values: Iterable[Premise]) -> Iterator[tuple[str, Fraction]]:
    """Names with the numbers that rows hold them at."""
    for value in values:
        unknowns = [m for m in value.row.poly.terms if m]
        if len(unknowns) == 1:
            yield _name(unknowns[0]), -value.row.poly.terms.get((), Fraction(0)) / value.row.poly.terms[unknowns[0]]


def _is_name(poly: Poly) -> bool:
    """Whether it is one name."""
    return [c for m, c in poly if len(m) == 1 and m[0][1] == 1] == [1] and len(poly.terms) == 1


def _subject(item: Item) -> str:
    """The parameter or rule that an item is about."""
    if item.kind is ItemKind.DOMAIN:
        return item.name.removesuffix(".min").removesuffix(".max")
    return item.name


def _name(unknown: Monomial) -> str:
    """An unknown in the rule language; `+` and `-` at the end of a name tell the ends of an interval apart."""
    if len(unknown) == 1 and unknown[0][1] == 1:
        return unknown[0][0].key.rstrip("+-")
    return Poly({unknown: Fraction(1)}).text(sum(a.time_exponent * n for a, n in unknown))


def _shortly(why: str) -> str:
    words = " ".join(why.split()).rstrip(".")
    return words if len(words) <= _LONGEST_WHY else f"{words[: _LONGEST_WHY - 1].rstrip()}…"


def _capital(words: Text) -> Text:
    """Text with a capital at its start, unless that is a name."""
    if not words or words[0].tone is not Span("").tone:
        return words
    first = words[0]
    return (Span(first.text[:1].upper() + first.text[1:], first.tone, first.is_whole), *words[1:])


def _items_of(derivation: Derivation) -> list[str]:
    """The ids that a derivation speaks of."""
    match derivation:
        case Chain(lines, end):
            found = [p.of for line in lines for p in line.premises] + [i for line in lines for i in line.given]
            if isinstance(end, Broken):
                found += [*(p.of for p in end.premises), *end.given]
        case Between(lines=lines):
            found = [p.of for line in lines for p in line.premises] + [i for line in lines for i in line.given]
            found += [derivation.item, *derivation.also]
        case Split():
            found = [derivation.item, *derivation.also, *(i for case in derivation.cases for i in _items_of(case))]
        case Apart():
            found = list(derivation.items)
    return [i for i in found if isinstance(i, str)]


def _shortened(lines: Sequence[Line], roots: Sequence[int]) -> tuple[list[Line], tuple[int, ...]]:
    """One line for each of the roots, with everything that it needs."""
    found: list[Line] = []
    for number, root in enumerate(roots, 1):
        premises: dict[str | int, Premise] = {}
        given: dict[str, None] = {}
        needed = _needed(lines, root)
        for line in lines:
            if line.number in needed:
                premises |= {p.of: p for p in line.premises if isinstance(p.of, str) and p.of not in premises}
                given |= dict.fromkeys(line.given)
        last = lines[root - 1]
        found.append(
            Line(
                number=number,
                premises=tuple(premises.values()),
                conclusion=last.conclusion,
                bound=last.bound,
                given=tuple(given),
            )
        )
    return found, tuple(range(1, len(roots) + 1))


def _needed(lines: Sequence[Line], root: int) -> set[int]:
    found: set[int] = set()
    stack = [root]
    while stack:
        number = stack.pop()
        if number not in found:
            found.add(number)
            stack += [p.of for p in lines[number - 1].premises if isinstance(p.of, int)]
    return found
