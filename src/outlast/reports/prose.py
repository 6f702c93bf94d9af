"""A conflict's derivation in words that need no knowledge of the tool: `Because A, where B, C. But because D, E. 300ms are missing.`

Each item is told with its place once; what is longer than six lines is told again with less: no reasons, then the middle of chains by name only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from outlast.constraints.errors import printable
from outlast.constraints.evaluate import Judged, Truth, World, judge
from outlast.constraints.model import Role, Spec
from outlast.constraints.normal import Inequality, normalise
from outlast.constraints.polynomial import Poly, Quant, Var
from outlast.constraints.quantities import Sentinel, Value
from outlast.reports.clauses import Clauses, Detail, listed, name_of
from outlast.reports.document import Paragraph, Span, Text, code, text, whole
from outlast.reports.origins import Origins
from outlast.reports.wording import Places, counted, names_text, readable
from outlast.solver.account import Cases, Clash, Conflict, Item, ItemKind, Proof
from outlast.solver.logic import Below
from outlast.solver.reasons import Apart, Between, Broken, Chain, Derivation, Line, Meeting, Premise, Split
from outlast.solver.statements import row_text

__all__ = ["sentence", "told"]

#: About six lines of 100 columns.
_LONGEST: Final = 580
#: How many rules of a chain are told in full where its middle is only named.
_FEW: Final = 2

#: What a rule takes for given.
_GIVEN: Final = (ItemKind.FACT, ItemKind.FIXED, ItemKind.CURRENT, ItemKind.ASKED, ItemKind.MEASUREMENT)
#: A rule that is one equation.
_EQUATION: Final = re.compile(r"[^<>=]*==[^<>=]*")


class _Side(NamedTuple):
    """One side of a comparison at given values."""

    formula: str
    value: str
    #: Whether something in it may change.
    moves: bool
    is_number: bool
    is_name: bool


def told(
    derivation: Derivation | None, conflict: Conflict, spec: Spec, places: Places, *, full: bool = False
) -> tuple[Paragraph, ...]:
    """Why the conflict is one: a paragraph of about six lines at most, or with `full` one for each line of the derivation.

    Without a derivation its items are listed. Multipliers are not told.
    """
    if full:
        return tuple(Paragraph(t) for t in _Teller(conflict, spec, places, Detail.ALL, full=True).told(derivation))
    for detail in sorted(Detail, reverse=True):
        teller = _Teller(conflict, spec, places, detail, full=False)
        words = _sentences(teller.told(derivation))
        # Where a file lies and on which line must not decide what is told.
        if sum(len(span.text) for span in words) - teller.excess <= _LONGEST:
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


class _Teller(Clauses):
    """Tells one derivation and remembers what has been told."""

    def __init__(self, conflict: Conflict, spec: Spec, places: Places, detail: Detail, *, full: bool) -> None:
        super().__init__(conflict.items, spec, places, detail, full=full)
        self.is_about_modes = _has_clash(conflict.proof)
        self._conflict = conflict
        #: What the cases around assume, told already.
        self._assumed: set[str] = set()
        #: What the number of a case starts with.
        self._number = ""

    def told(self, derivation: Derivation | None) -> list[Text]:
        """One text for each line, then what is left to say."""
        if derivation is None:
            found = [self._list()]
        else:
            settled = self._settled() if isinstance(derivation, (Split, Between)) else []
            found = settled or self._derivation(derivation)
            rest = [item for item in self.items.values() if item.id not in self.seen]
            if rest:
                found.insert(max(len(found) - 1, 0), text("It also takes that ", listed(self.clauses(rest)), "."))
            found += [] if settled else self._in_use(derivation)
        if not self._conflict.minimal:
            found.append(text("It was not shown that all of these are needed for it."))
        return found

    def _list(self) -> Text:
        clauses: list[str | Text] = []
        for clause in self.clauses(self.items.values()):
            clauses += ["; " if clauses else "", clause]
        alone = " Z3 alone says so: no proof was found that can be shown." if self._conflict.proof is None else ""
        return text("These cannot hold together: ", *clauses, f".{alone}")

    # Whole derivations.

    def _settled(self) -> list[Text]:
        """The only rule and what it compares, where values of all that it speaks of break it: they say which of its cases it is."""
        rules = [i for i in self.items.values() if i.is_of_rule]
        judged = self._broken_at(rules[0], self._values()) if len(rules) == 1 else None
        if judged is None or not isinstance(judged.comparison, Inequality):
            return []
        demanded = self._demanded(rules[0], judged, self._values())
        sides = self._compared(rules[0], judged, self._values())
        about = sides[_about(sides)]
        alone = [i for i in self.items.values() if i.kind in _GIVEN and about.is_name and i.subject == about.formula]
        alone = alone if demanded is None else []
        needs = text(self._with_values(rules[0], but=[i.id for i in alone]), ".")
        start = self.clause(alone[0]) if alone else None
        return [needs, text("But ", demanded or _misses(sides, judged.comparison.strict, start))]

    def _derivation(self, derivation: Derivation) -> list[Text]:
        match derivation:
            case Chain(lines, end):
                if isinstance(end, Broken):
                    return self._broken(end)
                told = self._lines(lines, tuple(sorted((end.lower, end.upper))))
                is_plain = any([p.of for p in lines[n - 1].premises] == ["natural"] for n in (end.lower, end.upper))
                return told if is_plain else [*told, self._missing(lines, end)]
            case Between():
                roots = tuple(n for n in (derivation.lower, derivation.upper) if n is not None)
                off_step = self._off_step(derivation, roots)
                return off_step or [*self._lines(derivation.lines, roots, "And "), self._nothing_between(derivation)]
            case Split():
                return self._split(derivation)
            case Apart():
                return self._apart(derivation)

    def _missing(self, lines: Sequence[Line], end: Meeting) -> Text:
        upper, lower = lines[end.upper - 1], lines[end.lower - 1]
        if end.missing:
            _, about, amount = self.value(end.missing, end.unknown).rpartition("about ")
            verb = " is missing." if re.match(r"1(?![\d./])", amount) else " are missing."
            return text(_capital(text(about)), whole(code(amount)), verb)
        if upper.bound is None or lower.bound is None:
            both = names_text([readable(row_text(line.conclusion)) for line in (lower, upper)])
            return text(both, " cannot hold at once.")
        sides = (self.limit(lower.bound), self.limit(upper.bound))
        return text(code(name_of(upper.bound.unknown)), " cannot be ", sides[0], " and ", sides[1], " at once.")

    def _broken(self, end: Broken) -> list[Text]:
        """What the rule needs at which values, then `send_ping + ping is 20s, not under 10s`."""
        rule, *values = end.premises
        if end.squeezed:
            return [self._needs(rule, [v for v in values if v.of != "natural"], end.given), self._no_room(end)]
        judged = self._judged(end)
        item = self.items.get(str(rule.of))
        demanded = None if item is None or judged is None else self._demanded(item, judged, self._values())
        if demanded is not None:
            return [self._needs(rule, values, end.given), text("But ", demanded)]
        sides = self._sides(end) if item is None or judged is None else self._compared(item, judged, self._values())
        about = sides[_about(sides)]
        # A value that is a whole side is told only there.
        alone = next((v for v in values if about.is_name and self._subject_of(v.of) == about.formula), None)
        others = [v for v in values if v is not alone]
        if rule.of == "case" and not self._assumed.isdisjoint(_ways(rule.row)):
            # The case is called after what it needs.
            wheres = self._wheres([v for v in others if v.of not in self.seen], end.given, [])
            because = text("Because ", listed(wheres), ", ") if wheres else text()
            misses = _misses(sides, end.row.strict, None if alone is None else self.premise(alone))
            return [text(because, misses)]
        needs = self._needs(rule, others, end.given)
        start = None if alone is None else self.premise(alone)
        is_equation = item is not None and _EQUATION.fullmatch(item.says) is not None
        return [needs, text("But ", _misses(sides, None if is_equation else end.row.strict, start))]

    def _needs(self, rule: Premise, values: Sequence[Premise], given: Sequence[str]) -> Text:
        needs = self.premise(rule)
        wheres = self._wheres(values, given, [rule])
        return text(_capital(needs), ", where " if wheres else "", listed(wheres), ".")

    def _no_room(self, end: Broken) -> Text:
        """`But ping alone uses up ctx and leaves no room for send_ping.`"""
        room = names_text(tuple(name_of(unknown) for unknown in end.squeezed))
        smaller, larger = end.row.poly.positive_part(), end.row.poly.negative_part()
        taken = Poly({m: c for m, c in smaller.terms.items() if m not in end.squeezed})
        if not taken.terms:
            return text("That leaves no room for ", room, ".")
        about, against = (
            text(code(poly.text(end.row.exponent)))
            if poly.constant is not None or _is_name(poly)
            else text(
                code(poly.text(end.row.exponent)), ", which is ", whole(code(self.number(value, end.row.exponent))), ","
            )
            for poly, value in ((taken, end.left), (larger, end.right))
        )
        alone = " alone" if _is_name(taken) else ""
        verb = " uses up " if end.left == end.right else " is more than "
        return text("But ", about, alone, verb, against, " and leaves no room for ", room, ".")

    def _in_use(self, derivation: Derivation) -> list[Text]:
        """Both sides of the only rule, where it is broken at the values in use and that has not been told."""
        rules = [i for i in self.items.values() if i.is_of_rule]
        is_told = isinstance(derivation, Chain) and isinstance(derivation.end, Broken) and not derivation.end.squeezed
        if is_told or len(rules) != 1 or all(i.kind is not ItemKind.CURRENT for i in self.items.values()):
            return []
        every = ((n, p.current if p.role is Role.FREE else p.value) for n, p in self.spec.parameters.items())
        values = {name: value for name, value in every if value is not None}
        judged = self._broken_at(rules[0], values)
        if judged is None or not isinstance(judged.comparison, Inequality):
            return []
        demanded = self._demanded(rules[0], judged, values)
        sides = self._compared(rules[0], judged, values)
        words = _misses(sides, judged.comparison.strict) if demanded is None else demanded
        return [text("At the values in use, ", words)]

    def _demanded(self, item: Item, judged: Judged, values: Mapping[str, Value]) -> Text | None:
        """What a margin demands, where its rule is one comparison."""
        if item.kind is not ItemKind.MARGIN:
            return None
        compared = Origins(self._one(item.id), values, say=self.extended).compared(
            judged, self.spec.rules[item.name].margin
        )
        if compared.demanded is None or compared.short is None:
            return None
        left, right = compared.left, compared.right
        about = text(code(left[0]), " is ", whole(code(left[-1]))) if len(left) > 1 else text(code(left[0]))
        of = text(" of ", code(right[0]), ", which is ") if len(right) > 1 else text(", not ")
        demands = text(", for which the margin demands ", whole(code(compared.demanded)))
        return text(about, demands, of, whole(code(right[-1])), ".")

    def _subject_of(self, of: str | int) -> str:
        item = self.items.get(str(of))
        return "" if item is None else item.subject

    def _sides(self, end: Broken) -> tuple[_Side, _Side]:
        """Both sides of the row."""
        exponent = end.row.exponent
        polys = (end.row.poly.positive_part(), end.row.poly.negative_part())
        left, right = (
            self._side(poly, poly.text(exponent), self.number(number, exponent))
            for poly, number in zip(polys, (end.left, end.right), strict=True)
        )
        return left, right

    def _compared(self, item: Item, judged: Judged, values: Mapping[str, Value]) -> tuple[_Side, _Side]:
        """Both sides as the rule writes them."""
        comparison, compared = (
            judged.comparison,
            Origins(self._one(item.id), values, say=self.extended).compared(judged),
        )
        left = self._side(comparison.left, compared.left[0], compared.left[-1])
        return left, self._side(comparison.right, compared.right[0], compared.right[-1])

    def _side(self, poly: Poly, formula: str, value: str) -> _Side:
        return _Side(
            formula, value, moves=self._moves(poly), is_number=poly.constant is not None, is_name=_is_name(poly)
        )

    def _judged(self, end: Broken) -> Judged | None:
        """The only comparison of a rule at the values of the conflict; None where there are more, or not all values are known."""
        item, values = self.items.get(str(end.premises[0].of)), self._values()
        effective = {n: self.spec.parameters[n].effective(v) for n, v in values.items()}
        if item is None or any(effective.get(name, value) != value for name, value in _held(end.premises[1:])):
            return None
        return self._broken_at(item, values)

    def _broken_at(self, item: Item, values: Mapping[str, Value]) -> Judged | None:
        """The only comparison of a rule, if these values break it; None where there are more, or not all values are known."""
        if item.kind not in (ItemKind.RULE, ItemKind.MARGIN) or item.name not in self.spec.rules:
            return None
        rules, errors = normalise(self._one(item.id))
        if errors or item.name not in rules:
            return None
        rule = rules[item.name]
        measured = {a.measurement for a in rule.atoms() if isinstance(a, Quant)}
        is_known = rule.names() <= values.keys() and all(f"measurement:{m}" in self.items for m in measured)
        if not is_known or not isinstance(rule.formula, Inequality):
            return None
        effective = {n: self.spec.parameters[n].effective(v) for n, v in values.items()}
        verdict = judge(rule, World(values=effective, bound=self._bound))
        is_broken = verdict.truth is Truth.BROKEN if item.kind is ItemKind.RULE else not verdict.margin_kept
        return verdict.decisive if is_broken else None

    def _bound(self, quantile: Quant, upper: bool) -> Fraction:  # the shape of QuantileBound
        sample = self.spec.measurements[quantile.measurement].sample
        return (sample.upper if upper else sample.lower)(quantile.level, self.spec.confidence)

    def _one(self, item: str) -> Spec:
        """The spec with that rule only."""
        spec, name = self.spec, self.items[item].name
        return Spec(
            path=spec.path, title=spec.title, parameters=spec.parameters, measurements=spec.measurements,
            rules={name: spec.rules[name]}, confidence=spec.confidence,
        )  # fmt: skip

    def _values(self) -> dict[str, Value]:
        """The values that the conflict names, as written."""
        found: dict[str, Value] = {}
        for item in self.items.values():
            parameter = self.spec.parameters.get(item.name)
            value = (
                None if parameter is None else parameter.current if item.kind is ItemKind.CURRENT else parameter.value
            )
            if value is not None and item.kind in (ItemKind.FACT, ItemKind.FIXED, ItemKind.CURRENT):
                found[item.name] = value
        return found

    def _moves(self, poly: Poly) -> bool:
        """Whether it speaks of something that is not simply given."""
        given = {i.name for i in self.items.values() if i.kind in (ItemKind.FACT, ItemKind.FIXED)}
        return any(not isinstance(a, Var) or a.name.rstrip("+-") not in given for a in poly.atoms())

    def _off_step(self, end: Between, roots: Sequence[int]) -> list[Text]:
        """`b is 1.5005s, which is not a multiple of 1ms: the nearest are …`, if one value is what both bounds say."""
        premises = [p.of for n in roots for p in end.lines[n - 1].premises]
        value, step = self.items.get(str(premises[0])), self.items.get(end.item)
        if value is None or value.kind not in _GIVEN or len(set(premises)) > 1 or len(roots) != len(premises):
            return []
        if step is None or step.kind is not ItemKind.STEP or step.subject != value.subject or end.also:
            return []
        ends = [self.value(bound.value, end.unknown) for bound in (end.below, end.above) if bound is not None]
        near = listed([(whole(code(v)),) for v in ends])
        verb = "is" if len(ends) == 1 else "are"
        return [text(self.clause(value), ", which is not ", self.offered(step), f": the nearest {verb} ", near, ".")]

    def _nothing_between(self, end: Between) -> Text:
        name = code(name_of(end.unknown))
        ends = [bound for bound in (end.below, end.above) if bound is not None]
        near = listed([(whole(code(self.value(bound.value, end.unknown))),) for bound in ends])
        item = self.items.get(end.item)
        clause = text(name, " is whole") if item is None else self._with_values(item, end.also)
        if item is None or item.kind is ItemKind.STEP:
            if len(ends) == 2:
                return text("But ", clause, ", and none lies between: the nearest are ", near, ".")
            side = "so large: the largest is " if end.below is not None else "so small: the smallest is "
            return text("But ", clause, ", and none is ", side, near, ".")
        return text(
            "But ", clause, ", so ", name, " must be ", listed([self.limit(bound) for bound in ends], "or"), "."
        )

    def _split(self, end: Split) -> list[Text]:
        item = self.items.get(end.item)
        number = len(end.cases)
        none = {1: "which is impossible", 2: "and neither is possible"}.get(number, "and none is possible")
        verb = "is" if number == 1 else "are"
        found = [text(f"There {verb} {counted(number, 'case')}, {none}.")]
        if item is not None and item.id in self.seen:
            found = [text("By ", code(item.subject), f" there {verb} {counted(number, 'case')}, {none}.")]
        elif item is not None:
            found.insert(0, text(self._with_values(item, end.also), "."))
        is_short = number > _FEW or self.detail is Detail.NAMES
        every = list(enumerate(zip(end.says, end.cases, strict=True), 1))
        # The one of several that says most.
        shown = sorted(every, key=lambda case: self._is_dull(case[1][1]))[:1]
        shown = every if not is_short or self.detail is Detail.ALL else shown
        outer, prefix = self._assumed, self._number
        for at, (says, case) in shown:
            self._assumed, self._number = {*outer, says}, f"{prefix}{at}."
            inner = self._derivation(case)
            found += [text(f"Case {prefix}{at}, ", code(says), ": ", inner[0]), *inner[1:]]
        self._assumed, self._number = outer, prefix
        if len(shown) < number:
            others = [i for case in every if case not in shown for i in _items_of(case[1][1])]
            left = [i for i in dict.fromkeys(others) if i in self.items and i not in self.seen]
            by = text(", by ", self._named(left)) if left else text()
            rest = number - len(shown)
            fails = "The other case is impossible" if rest == 1 else f"The {rest} other cases are impossible"
            found.append(text(fails, " too", by, "."))
        return found

    def _is_dull(self, case: Derivation) -> tuple[bool, bool]:
        """Whether it has no numbers or no items of the conflict, and whether it takes cases of its own."""
        return isinstance(case, Apart) or self.items.keys().isdisjoint(_items_of(case)), isinstance(case, Split)

    def _with_values(self, item: Item, also: Sequence[str] = (), but: Sequence[str] = ()) -> Text:
        """An item with the values that it mentions, as far as they are not told elsewhere."""
        words = set(re.findall(r"[\w.]+", item.says)) if item.is_of_rule else set()
        clause = self.clause(item)
        values = [
            i
            for i in self.items.values()
            if i.id not in self.seen and i.id not in but and (i.id in also or (i.kind in _GIVEN and i.subject in words))
        ]
        return text(clause, ", where ", listed(self.clauses(values))) if values else clause

    def _named(self, ids: Sequence[str]) -> Text:
        self.seen.update(ids)
        return names_text(tuple(dict.fromkeys(self.items[i].subject for i in ids)))

    def _apart(self, end: Apart) -> list[Text]:
        said: dict[str, list[str]] = {}
        for of, says in zip(end.items, end.says, strict=True):
            if of != "case" or says not in self._assumed:
                said.setdefault(of, []).append(says)
        found: list[Text] = []
        for of, each in said.items():
            item = self.items.get(of)
            start = "But " if found and len(said) == len(found) + 1 else ""
            if item is None:
                words = text("in this case ", names_text(each))
            elif all(says in (item.says, item.says.replace(" = ", " is "), "cannot hold") for says in each):
                words = self._with_values(item, but=end.items)
            else:
                words = text(self._with_values(item, but=end.items), ", so ", names_text(each))
            found.append(text(start, words if start else _capital(words), "."))
        alone = self.items.get(next(iter(said))) if len(said) == 1 and "case" not in end.items else None
        reason = None if alone is None else self._not_offered(alone) or self._never(alone)
        found.append(reason or text("That cannot be." if len(found) == 1 else "These exclude each other."))
        return found

    def _not_offered(self, item: Item) -> Text | None:
        """That a value in use is none of its parameter's."""
        parameter = self.spec.parameters.get(item.name)
        value = None if parameter is None else parameter.current
        if parameter is None or value is None or item.kind is not ItemKind.CURRENT:
            return None
        means = parameter.effective(value)
        if isinstance(means, Fraction):
            return None
        written = self.number(value, parameter.kind.time_exponent)
        zero = text() if means == value else text(", which ", whole(code(written)), " means")
        return text("But its domain does not offer ", code(means.value), zero, ".")

    def _never(self, item: Item) -> Text | None:
        """That a rule of one comparison would take something infinite to be under something else."""
        if item.kind is not ItemKind.RULE or item.name not in self.spec.rules:
            return None
        rules, errors = normalise(self._one(item.id))
        comparison = rules[item.name].formula if item.name in rules and not errors else None
        infinite = [n for n, v in self._values().items() if self.spec.parameters[n].effective(v) is Sentinel.INFINITE]
        if not isinstance(comparison, Inequality):
            return None
        atoms = [a for a in comparison.left.atoms() if isinstance(a, Var)]
        if not any(a.name in infinite for a in atoms) or any(c < 0 for _, c in comparison.left):
            return None
        is_name = _is_name(comparison.left)
        formula = code(comparison.left.text(comparison.time_exponent))
        start = (
            text("But ", code("infinite")) if is_name else text("But ", formula, " is ", code("infinite"), ", and that")
        )
        return text(start, " is not under anything." if comparison.strict else " is not at most any number.")

    # Lines.

    def _lines(self, lines: Sequence[Line], roots: Sequence[int], other: str = "But ") -> list[Text]:
        """The lines that end in these; `other` starts those of the second."""
        if self.detail <= Detail.CHAINS:
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
        parts: list[str | Text] = [start, because, listed(reasons)]
        parts += [", where ", listed(wheres)] if wheres else []
        parts += [", and through ", named] if named else []
        return text(*parts, ", ", self._conclusion(line), mark, ".")

    def _wheres(self, values: Sequence[Premise], given: Sequence[str], rules: Sequence[Premise]) -> list[Text]:
        """Values, in the order in which the rules mention them."""
        formulas = " ; ".join(self.items[str(p.of)].says for p in rules if str(p.of) in self.items)
        words = re.findall(r"[\w.]+", formulas)

        def place(value: Premise | str) -> int:
            name = self._subject_of(value if isinstance(value, str) else value.of)
            return words.index(name) if name in words else len(words)

        every: list[Premise | str] = [*values, *given]
        ordered = sorted(every, key=place)
        return [self.clause(self.items[v]) if isinstance(v, str) else self.premise(v) for v in ordered]

    def _is_long(self, line: Line) -> bool:
        return self.detail <= Detail.CHAINS and sum(self._is_rule(p) for p in line.premises) > _FEW + 1

    def _is_rule(self, premise: Premise) -> bool:
        if isinstance(premise.of, int):
            return True
        item = self.items.get(premise.of)
        return premise.of != "natural" if item is None else item.is_of_rule

    def _as_it_stands(self, line: Line) -> Text | None:
        """The only premise, where it says itself what follows from it."""
        if len(line.premises) != 1 or line.given:
            return None
        (premise,) = line.premises
        item = self.items.get(str(premise.of))
        if isinstance(premise.of, int):
            return None
        if item is None or not item.is_of_rule:
            return self.premise(premise)
        return self.clause(item) if item.says in _ways(line.conclusion) else None

    def _conclusion(self, line: Line) -> Text:
        if line.bound is None:
            return text(code(readable(row_text(line.conclusion))), " must hold")
        return text(code(name_of(line.bound.unknown)), " must be ", self.limit(line.bound))

    def _reason(self, premise: Premise, numbered: set[int]) -> Text:
        if isinstance(premise.of, int):
            mark = f" ({premise.of})" if premise.of in numbered else ""
            return text(self.holding(premise.row), mark)
        return self.premise(premise)


def _has_clash(proof: Proof | None) -> bool:
    """Whether it matters what is off, or that may be: then it is told which rules need what to be on."""
    match proof:
        case Cases(cases=cases):
            return any(_has_clash(case.proof) for case in cases)
        case _:
            return proof is None or isinstance(proof, Clash)


def _about(sides: tuple[_Side, _Side]) -> int:
    """Which side a reader is told about: the smaller one, unless only the other may change."""
    left, right = sides
    return int(not left.moves and (right.moves or left.is_number))


def _misses(sides: tuple[_Side, _Side], strict: bool | None, start: Text | None = None) -> Text:
    """`send_ping + ping is 20s, not under 10s.`; not `strict` but None where they should be equal; `start` says what the one side is."""
    at = _about(sides)
    about, against = sides[at], sides[1 - at]
    words = ("over " if strict else "at least ") if at else "under " if strict else "at most "
    words = "" if strict is None else words
    parts: list[str | Span | Text] = []
    if start is not None:
        parts += [start, ","]
    else:
        parts.append(code(about.formula))
        parts += [" is"] if about.is_number else [" is ", whole(code(about.value)), ","]
    parts += [f" not {words}"]
    parts += [] if against.is_name or against.is_number else [code(against.formula), ", which is "]
    return text(*parts, whole(code(against.value)), ".")


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
            yield name_of(unknowns[0]), -value.row.poly.terms.get((), Fraction(0)) / value.row.poly.terms[unknowns[0]]


def _is_name(poly: Poly) -> bool:
    """Whether it is one name."""
    return [c for m, c in poly if len(m) == 1 and m[0][1] == 1] == [1] and len(poly.terms) == 1


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
