"""Rules: what is required of which names, with which margin, and what may be given up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Final

from outlast.constraints.dimensions import dimension_name, dimension_of
from outlast.constraints.document import Node, Scalar, Sequence
from outlast.constraints.errors import Place
from outlast.constraints.expression import And, Bool, Compare, Expr, Implies, Is, Name, Not, Or, Quantile, walk
from outlast.constraints.loading.layers import Item, KnownRule
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.loading.values import (
    read_cost,
    read_margin,
    read_number,
    read_origin,
    read_text,
    read_word,
    scalar_of,
)
from outlast.constraints.model import Level, Margin, Origin, Rule
from outlast.constraints.record import record
from outlast.constraints.syntax import Link, RuleSyntaxError, normal_name, parse_condition, parse_rule

__all__ = ["RuleDraft", "check_names", "finish_rules", "read_rule", "scoring_comparisons"]

_MOST_NEEDED: Final = 1_000


@record(kw_only=True, frozen=False)
class RuleDraft:
    """A rule as far as it can be read by itself; a chain has several links."""

    id: str
    item: Item
    require: Scalar
    links: tuple[Link, ...]
    when: Scalar | None = None
    condition: Bool | None = None
    level: Level = Level.MUST
    weight: Fraction = Fraction(1)
    margin: Margin | None = None
    aim: Margin | None = None
    needs_on: list[Scalar] = field(default_factory=list)
    cost: Fraction | None = Fraction(10)
    breaks: str | None = None
    #: The id of the picture that shows it.
    picture: Scalar | None = None
    origin: Origin = field(default_factory=Origin)

    def formulas(self) -> Iterator[tuple[Scalar, Bool]]:
        """Each formula with the text in which its spans lie."""
        for link in self.links:
            yield self.require, link.formula
        if self.when is not None and self.condition is not None:
            yield self.when, self.condition


def read_rule(id_: str, item: Item, problems: Problems) -> RuleDraft | None:
    """Read what is written about a rule; None if its formulas cannot be read, the reason being among the problems."""
    if "" in item.keys:
        return None
    if "require" not in item.keys and not item.is_incomplete:
        problems.add(f"expected 'require' in the rule {quoted(id_)}, found no such key", item.name.place)
    require = scalar_of(item.keys.get("require"), "a requirement, such as a < b", problems)
    when = scalar_of(item.keys.get("when"), "a condition, such as a < b or x is off", problems)
    before = len(problems)
    links: tuple[Link, ...] = ()
    condition: Bool | None = None
    if require is not None:
        try:
            links = parse_rule(require.text)
        except RuleSyntaxError as error:
            problems.add(error.message, require.at(error.span[0]))
    if when is not None:
        try:
            condition = parse_condition(when.text)
        except RuleSyntaxError as error:
            problems.add(error.message, when.at(error.span[0]))
    picture = scalar_of(item.keys.get("picture"), "the id of a picture", problems)
    level = Level(read_word(item.keys.get("level"), ("must", "should"), problems) or "must")
    weight = read_number(item.keys.get("weight"), problems)
    if "weight" in item.keys and level is not Level.SHOULD:
        message = "'weight' says nothing about a rule that must hold; it goes with level: should"
        problems.add(message, item.keys["weight"].key.place)
    margin, aim = read_margin(item, "margin", problems), read_margin(item, "aim", problems)
    needs_on = _read_needs_on(item, problems)
    cost, breaks, origin = (
        read_cost(item, 10, problems),
        read_text(item, "breaks", problems),
        read_origin(item, problems),
    )
    if require is None or not links or (len(problems) > before and when is not None and condition is None):
        return None
    return RuleDraft(
        id=id_,
        item=item,
        require=require,
        links=links,
        when=when,
        condition=condition,
        level=level,
        weight=weight or Fraction(1),
        margin=margin,
        aim=aim,
        needs_on=needs_on,
        cost=cost,
        breaks=breaks,
        picture=picture,
        origin=origin,
    )


def _read_needs_on(item: Item, problems: Problems) -> list[Scalar]:
    entry = item.keys.get("needs_on")
    if entry is None:
        return []
    nodes: tuple[Node, ...] = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    if not nodes or len(nodes) > _MOST_NEEDED:
        problems.add(f"expected 1 to {_MOST_NEEDED} names of parameters, found {len(nodes)}", entry.value.place)
        return []
    names: list[Scalar] = []
    for node in nodes:
        if not isinstance(node, Scalar) or not node.text:
            problems.add("expected the name of a parameter, found something else", node.place)
        elif any(normal_name(other.text) == normal_name(node.text) for other in names[:50]):
            problems.add(f"found {quoted(node.text)} in the list a second time", node.place)
        else:
            names.append(node)
    return names


def check_names(
    text: Scalar,
    formula: Bool | Expr,
    parameters: Mapping[str, object],
    measurements: Mapping[str, object],
    problems: Problems,
) -> None:
    """Say of every name in a formula that is not defined which one may be meant."""
    for node in walk(formula):
        if isinstance(node, (Name, Is)) and node.name not in parameters:
            place = text.at(node.span[0])
            if node.name in measurements:
                message = f"{quoted(node.name)} is a measurement; write which quantile, such as p99({node.name})"
                problems.add(message, place)
            else:
                hint = problems.nearest(node.name, parameters)
                problems.add(f"unknown parameter {quoted(node.name)}{hint}", place)
        elif isinstance(node, Quantile) and node.measurement not in measurements:
            name = quoted(node.measurement)
            place = text.at(node.span[0])
            if node.measurement in parameters:
                problems.add(f"{name} is a parameter; a quantile is taken of a measurement", place)
            else:
                problems.add(f"unknown measurement {name}{problems.nearest(node.measurement, measurements)}", place)


def check_needs_on(draft: RuleDraft, parameters: Mapping[str, object], problems: Problems) -> None:
    """Say of every name under `needs_on` that is not defined which one may be meant."""
    for scalar in draft.needs_on:
        if normal_name(scalar.text) not in parameters:
            hint = problems.nearest(scalar.text, parameters)
            problems.add(f"unknown parameter {quoted(scalar.text)}{hint}", scalar.place)


def scoring_comparisons(formula: Bool) -> list[Compare]:
    """The inequalities to which a margin applies: those in conclusions."""
    found: list[Compare] = []
    stack: list[tuple[Bool, bool]] = [(formula, False)]
    while stack:
        node, negated = stack.pop()
        match node:
            case Compare():
                if node.op.orders:
                    found.append(node)
            case And(parts=parts) | Or(parts=parts):
                stack.extend((part, negated) for part in parts)
            case Not(part=part):
                stack.append((part, not negated))
            case Implies():
                if negated:  # not (A => B) is A and not B
                    stack.append((node.condition, False))
                stack.append((node.conclusion, negated))
            case Is():
                pass
    return found


def finish_rules(
    draft: RuleDraft, default_aim: Fraction, exponents: Mapping[str, int], problems: Problems
) -> list[Rule]:
    """Build the rules of a draft, one a link; `exponents` are the powers of time of the parameters."""
    _check_margins(draft, exponents, problems)
    places = {key: entry.value.place for key, entry in draft.item.keys.items()}
    aim = draft.aim or Margin(default_aim, None)
    if draft.aim is None and draft.margin is not None and draft.margin.is_relative and aim.amount:
        aim = Margin(max(aim.amount, draft.margin.amount), None)
    when_text = " ".join(draft.when.text.split()) if draft.when is not None else None
    is_chain = len(draft.links) > 1
    known = draft.item.known if isinstance(draft.item.known, KnownRule) else None
    return [
        Rule(
            id=f"{draft.id}/{number}" if is_chain else draft.id,
            place=draft.item.name.place,
            require=link.formula,
            text=link.text,
            when=draft.condition,
            when_text=when_text,
            level=draft.level,
            weight=draft.weight,
            margin=draft.margin,
            aim=aim,
            needs_on=tuple(normal_name(scalar.text) for scalar in draft.needs_on),
            cost=draft.cost,
            breaks=draft.breaks,
            relation=known.relation if known else None,
            chain=draft.id if is_chain else None,
            components=known.components if known else (),
            origin=draft.origin,
            places=places,
        )
        for number, link in enumerate(draft.links, start=1)
    ]


def _check_margins(draft: RuleDraft, exponents: Mapping[str, int], problems: Problems) -> None:
    margin, aim = draft.margin, draft.aim
    if margin is None and aim is None:
        return
    for key, wanted in (("margin", margin), ("aim", aim)):
        if wanted is not None:
            _check_dimension(draft, key, wanted, exponents, problems)
    if margin is None or aim is None or aim.amount == 0:
        return
    place = draft.item.place("aim")
    if margin.is_relative != aim.is_relative:
        one, other = ("a percentage", "an amount") if margin.is_relative else ("an amount", "a percentage")
        problems.add(f"expected the aim to be {one}, as the margin is, found {other}", place)
    elif aim.amount < margin.amount:
        problems.add(
            "expected the aim to be at least the margin (or 0%, which leaves the rule out of the scoring)", place
        )


def _dimension(comparison: Compare, exponents: Mapping[str, int]) -> int | None:
    """The power of time of both sides; None where names lack one, which is told elsewhere."""
    for side in (comparison.left, comparison.right):
        try:
            return dimension_of(side, exponents)
        except KeyError:
            continue
    return None


def _check_dimension(
    draft: RuleDraft, key: str, wanted: Margin, exponents: Mapping[str, int], problems: Problems
) -> None:
    place: Place = draft.item.place(key)
    for link in draft.links:
        scoring = scoring_comparisons(link.formula)
        if not scoring:
            if key == "aim" and wanted.amount == 0 and wanted.is_relative:
                continue
            where = f" in {quoted(link.text)}" if len(draft.links) > 1 else ""
            problems.add(f"found '{key}' where nothing is compared by < or >{where}, so there is no headroom", place)
            return
        if wanted.time_exponent is None:
            continue
        for comparison in scoring:
            exponent = _dimension(comparison, exponents)
            if exponent not in (None, wanted.time_exponent):
                found, expected = dimension_name(wanted.time_exponent), dimension_name(exponent or 0)
                problems.add(
                    f"expected the {key} to be a percentage or a {expected}, as the rule compares, found a {found}",
                    place,
                )
                return
