"""Parameters: first what is written, then, once every kind is known, whether it fits together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Final

from outlast.constraints.document import Scalar, Sequence
from outlast.constraints.expression import Call, Expr, If, Literal, Name, Product, Quantile, Sum
from outlast.constraints.loading.layers import Item, Known, check_role_keys, roles_of
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.loading.values import Found, read_cost, read_origin, read_quantity, read_unit, scalar_of
from outlast.constraints.model import Binding, Choices, Direction, Domain, Interval, Origin, Parameter, Role
from outlast.constraints.quantities import Kind, Sentinel, Value, value_text
from outlast.constraints.record import record
from outlast.constraints.syntax import RuleSyntaxError, parse_expression

__all__ = ["Draft", "finish_parameter", "kind_of_formula", "read_parameter"]

#: 1 ms, 1, 1/s and 1 %.
_DEFAULT_STEPS: Final = {
    Kind.DURATION: Fraction(10**6),
    Kind.COUNT: Fraction(1),
    Kind.RATE: Fraction(1, 10**9),
    Kind.RATIO: Fraction(1, 100),
}
_MOST_CHOICES: Final = 10_000
_VALUE_KEYS: Final = ("current", "prefer", "zero", "unset", "negative")


@record(kw_only=True, frozen=False)
class Draft:
    """A parameter as far as it can be read by itself. `kind` None: its values do not tell."""

    name: str
    item: Item
    role: Role
    kind: Kind | None = None
    #: A value of its own: of a fact or a fixed parameter; the ends of an interval (None: open); the values of a list.
    value: Found | None = None
    ends: tuple[Found | None, Found | None] | None = None
    choices: list[Found] = field(default_factory=list)
    formula: Expr | None = None
    formula_text: Scalar | None = None
    step: Found | None = None
    others: dict[str, Found] = field(default_factory=dict)
    prefer_end: str | None = None
    cost: Fraction | None = Fraction(1)
    at: tuple[Binding, ...] = ()
    unit: str | None = None
    unguarded: tuple[Direction, ...] = ()
    origin: Origin = field(default_factory=Origin)

    def own_values(self) -> Iterator[Found]:
        """What stands under `fact`, `fixed` or `free`."""
        if self.value is not None:
            yield self.value
        yield from (end for end in self.ends or () if end is not None)
        yield from self.choices


def read_parameter(name: str, item: Item, folders: Mapping[str, str], problems: Problems) -> Draft | None:
    """Read what is written about a parameter; None if it cannot be used, the reason being among the problems."""
    if "" in item.keys:
        return None
    roles = roles_of(item)
    if not roles and item.is_incomplete:
        return None
    if len(roles) != 1:
        found = "none of them" if not roles else " and ".join(roles)
        second = item.keys[roles[1]].key.place if roles else item.name.place
        problems.add(f"expected exactly one of fact, fixed, free and derived for {quoted(name)}, found {found}", second)
        return None
    draft = Draft(name=name, item=item, role=Role(roles[0]))
    before = len(problems)
    check_role_keys(item, roles[0], problems)
    draft.origin = read_origin(item, problems)
    draft.cost = read_cost(item, 1, problems)
    draft.unit = unit = read_unit(item, problems)
    if "at" in item.keys:
        from outlast.constraints.loading.bindings import read_bindings  # most specs name no files

        draft.at = read_bindings(item, folders, problems)
    _read_role(draft, unit, problems)
    _read_others(draft, unit, problems)
    if "unguarded" in item.keys:
        draft.unguarded = _read_unguarded(draft, problems)
    if len(problems) == before:
        _tell_kind(draft, unit, problems)
    return draft if len(problems) == before else None


def _read_role(draft: Draft, unit: str | None, problems: Problems) -> None:
    entry = draft.item.keys[draft.role.value]
    if draft.role is Role.FREE and isinstance(entry.value, Sequence):
        _read_choices(draft, entry.value, unit, problems)
        return
    expected = {
        Role.FACT: "a value or an interval a..b",
        Role.FIXED: "a value",
        Role.FREE: "any, a..b, a.., ..b or a list of values",
        Role.DERIVED: "an expression, such as drain + 5s",
    }[draft.role]
    scalar = scalar_of(entry, expected, problems)
    if scalar is None:
        return
    if draft.role is Role.DERIVED:
        draft.formula_text = scalar
        try:
            draft.formula = parse_expression(scalar.text)
        except RuleSyntaxError as error:
            problems.add(error.message, scalar.at(error.span[0]))
    elif ".." in scalar.text:
        _read_interval(draft, scalar, unit, problems)
    elif draft.role is not Role.FREE:
        draft.value = read_quantity(scalar, unit, problems)
    elif scalar.text == "any":
        draft.ends = (None, None)
    else:
        hint = f"; a single value is written fixed: {scalar.text}" if scalar.text[:1].isdigit() else ""
        problems.add(f"expected {expected}, found {quoted(scalar.text)}{hint}", scalar.place)


def _read_interval(draft: Draft, scalar: Scalar, unit: str | None, problems: Problems) -> None:
    if draft.role is Role.FIXED:
        message = f"a fixed value is one value, found {quoted(scalar.text)}; write fact: or free: for an interval"
        problems.add(message, scalar.place)
        return
    middle = scalar.text.index("..")
    low = _read_end(scalar, 0, middle, unit, problems)
    high = _read_end(scalar, middle + 2, len(scalar.text), unit, problems)
    draft.ends = (low, high)
    if scalar.text.strip() == "..":
        problems.add("expected a..b, a.. or ..b, found '..'; for no limits write any", scalar.place)
    elif draft.role is Role.FACT and not (scalar.text[:middle].strip() and scalar.text[middle + 2 :].strip()):
        problems.add(f"expected both ends of the interval of a fact, found {quoted(scalar.text)}", scalar.place)


def _read_end(scalar: Scalar, start: int, end: int, unit: str | None, problems: Problems) -> Found | None:
    part = scalar.text[start:end]
    stripped = part.strip()
    if not stripped:
        return None
    offset = start + len(part) - len(part.lstrip())
    found = read_quantity(scalar, unit, problems, text=stripped, offset=offset)
    if found is not None and isinstance(found.quantity.value, Sentinel):
        hint = "; an interval without an upper end is written a.." if found.text == "infinite" and start else ""
        problems.add(f"expected a number as end of an interval, found {quoted(stripped)}{hint}", found.place)
        return None
    return found


def _read_choices(draft: Draft, node: Sequence, unit: str | None, problems: Problems) -> None:
    if not node.items:
        problems.add("expected at least one value in the list, found none", node.place)
    if len(node.items) > _MOST_CHOICES:
        problems.add(f"expected at most {_MOST_CHOICES} values in the list, found {len(node.items)}", node.place)
        return
    for item in node.items:
        if not isinstance(item, Scalar) or not item.text:
            problems.add("expected a value in the list, found something else", item.place)
        elif (found := read_quantity(item, unit, problems)) is not None:
            draft.choices.append(found)


def _read_others(draft: Draft, unit: str | None, problems: Problems) -> None:
    keys = draft.item.keys
    step = scalar_of(keys.get("step"), "a step, such as 100ms", problems)
    if step is not None:
        draft.step = read_quantity(step, unit, problems)
        if draft.step is not None and draft.step.quantity.value in (0, Sentinel.OFF, Sentinel.INFINITE):
            problems.add(f"expected a step greater than 0, found {quoted(step.text)}", step.place)
    for key in _VALUE_KEYS:
        expected = "high, low or a value" if key == "prefer" else "a value"
        scalar = scalar_of(keys.get(key), expected, problems)
        if scalar is None:
            continue
        if key == "unset" and scalar.text == "unknown":
            continue  # not even what the catalogue says
        if key == "prefer" and scalar.text in ("high", "low"):
            draft.prefer_end = scalar.text
        elif key == "prefer" and scalar.text[:1].isalpha() and scalar.text not in ("infinite", "off"):
            hint = problems.nearest(scalar.text, ("high", "low", "infinite", "off"))
            problems.add(f"expected {expected}, found {quoted(scalar.text)}{hint}", scalar.place)
        elif (found := read_quantity(scalar, unit, problems)) is not None:
            draft.others[key] = found


def _read_unguarded(draft: Draft, problems: Problems) -> tuple[Direction, ...]:
    """The directions in which no rule need guard the parameter, each once; who says so says why."""
    entry, words = draft.item.keys["unguarded"], tuple(direction.value for direction in Direction)
    expected = f"{', '.join(words[:-1])} or {words[-1]}, or a list of these"
    found: dict[Direction, None] = {}
    nodes = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    if not nodes:
        problems.add(f"expected {expected}, found an empty list", entry.value.place)
    for node in nodes:
        if not isinstance(node, Scalar):
            problems.add(f"expected {expected}, found something else", node.place)
        elif node.text not in words:
            hint = problems.nearest(node.text, words)
            problems.add(
                f"expected {expected}, found {quoted(node.text) if node.text else 'nothing'}{hint}", node.place
            )
        elif Direction(node.text) in found:
            problems.add(f"found {quoted(node.text)} a second time", node.place)
        else:
            found[Direction(node.text)] = None
    if not draft.origin.why:
        message = f"expected the reason why {quoted(draft.name)} may be unguarded, found no 'why'"
        problems.add(message, entry.key.place)
    return tuple(direction for direction in Direction if direction in found)


def _tell_kind(draft: Draft, unit: str | None, problems: Problems) -> None:
    """Find the kind that the values tell, and hold each of them to it.

    Whole and broken numbers go together (then all are ratios) where they define the parameter: in its own values and its
    step; a free `any` also looks at `current` and `prefer`.
    """
    own = list(draft.own_values())
    telling = [f for f in (*own, draft.step) if f is not None]
    kinds = [f.kind for f in telling if f.kind is not None]
    others = [f.kind for f in draft.others.values() if f.kind is not None]
    # A number without a unit is taken for the one that has forgotten it.
    with_unit = [k for k in kinds + others if k.time_exponent]
    if isinstance(draft.item.known, Known):
        draft.kind = draft.item.known.parameter.quantity
    elif with_unit and Kind.RATIO not in kinds[:1]:
        draft.kind = with_unit[0]
    elif kinds or others:
        draft.kind = Kind.RATIO if Kind.RATIO in (kinds or others) else Kind.COUNT
    elif unit is not None:
        draft.kind = Kind.RATIO if unit == "%" else Kind.RATE if unit[0] == "/" else Kind.DURATION
    elif any(f.fits_any for f in own):
        draft.kind = Kind.COUNT
    if draft.kind is not None and draft.role is not Role.DERIVED:
        for found in (*telling, *draft.others.values()):
            _hold_to_kind(draft.kind, found, problems)


_KIND_EXAMPLES: Final = {
    Kind.DURATION: "a duration with its unit, such as 10s",
    Kind.COUNT: "a count, such as 3",
    Kind.RATE: "a rate, such as 100/s",
    Kind.RATIO: "a ratio, such as 20%",
}


def _hold_to_kind(kind: Kind, found: Found, problems: Problems) -> None:
    if found.kind is None or found.kind is kind or (kind is Kind.RATIO and found.kind is Kind.COUNT):
        return
    text, hint = found.text, ""
    if found.kind is Kind.COUNT:
        hint = {Kind.DURATION: f"; did you mean '{text}s' or '{text}ms'?", Kind.RATE: f"; did you mean '{text}/s'?"}[
            kind
        ]
    elif kind is Kind.COUNT and found.kind is Kind.RATIO:
        hint = ", which is a ratio; counts are whole"
    problems.add(f"expected {_KIND_EXAMPLES[kind]}, found {quoted(text)}{hint}", found.place)


def finish_parameter(draft: Draft, kind: Kind, problems: Problems) -> Parameter | None:
    """Build the parameter, its kind known; None if its values do not fit."""
    before = len(problems)
    if draft.kind is None:
        for found in draft.others.values():
            _hold_to_kind(kind, found, problems)
    step = _DEFAULT_STEPS[kind] if draft.step is None else _number(draft.step)
    if kind is Kind.COUNT and step.denominator != 1 and draft.step is not None:
        problems.add(f"expected a whole step of a count, found {quoted(draft.step.text)}", draft.step.place)
    has_zero = "zero" in draft.others
    domain: Domain | None = None
    interval: tuple[Fraction, Fraction] | None = None
    if draft.role is Role.FREE:
        domain = _domain(draft, kind, step, has_zero, problems)
    elif draft.ends is not None:
        interval = _fact_interval(draft, problems)
    if len(problems) > before:
        return None
    value: Value | None = draft.value.quantity.value if draft.value else None
    if interval is not None and interval[0] == interval[1]:
        value, interval = interval[0], None
    others = {key: found.quantity.value for key, found in draft.others.items()}
    known = draft.item.known if isinstance(draft.item.known, Known) else None
    return Parameter(
        name=draft.name,
        place=draft.item.name.place,
        role=draft.role,
        kind=kind,
        value=value,
        interval=interval,
        domain=domain,
        formula=draft.formula,
        text=" ".join(draft.formula_text.text.split()) if draft.formula_text else None,
        step=step,
        current=others.get("current", others.get("unset")) if draft.role is Role.FREE else None,
        prefer=draft.prefer_end or others.get("prefer"),
        cost=draft.cost,
        zero=others.get("zero"),
        unset=others.get("unset"),
        at=draft.at,
        unit=draft.unit,
        negative=others.get("negative"),
        syntax=known.parameter.syntax if known else None,
        default_of=known.default_of if known else None,
        unset_of=known.unset_of if known else None,
        is_effective=draft.item.is_effective,
        unguarded=draft.unguarded,
        origin=draft.origin,
        places={key: entry.value.place for key, entry in draft.item.keys.items()},
    )


def _number(found: Found) -> Fraction:
    value = found.quantity.value
    return Fraction(0) if isinstance(value, Sentinel) else value


def _fact_interval(draft: Draft, problems: Problems) -> tuple[Fraction, Fraction] | None:
    low, high = draft.ends or (None, None)
    if low is None or high is None or not _is_upward(low, high, problems):
        return None
    return _number(low), _number(high)


def _is_upward(low: Found, high: Found, problems: Problems) -> bool:
    if _number(low) <= _number(high):
        return True
    message = f"the interval is empty: {low.text} is more than {high.text}; did you mean {high.text}..{low.text}?"
    problems.add(message, low.place)
    return False


def _domain(draft: Draft, kind: Kind, step: Fraction, has_zero: bool, problems: Problems) -> Domain | None:
    if draft.ends is None:
        return _choices(draft, kind, step, problems)
    low, high = draft.ends
    if low is not None and high is not None and not _is_upward(low, high, problems):
        return None
    lowest = _number(low) if low is not None else Fraction(0)
    first = -(-lowest // step) * step
    if first == 0 and has_zero:
        first = step
    if high is not None and first > _number(high):
        place = (low or high).place
        shown = value_text(step, kind)
        told = "" if draft.step is not None else " unless told"
        without = " but 0, which means something else" if has_zero and lowest == 0 else ""
        text = f"{low.text if low else ''}..{high.text}"
        problems.add(f"no multiple of the step lies in {text}{without}; the step is {shown}{told}", place)
        return None
    return Interval(None if low is None else _number(low), None if high is None else _number(high))


def _choices(draft: Draft, kind: Kind, step: Fraction, problems: Problems) -> Domain | None:
    numbers: dict[Value, Found] = {}
    for found in draft.choices:
        value = found.quantity.value
        if value in numbers:
            problems.add(f"found {quoted(found.text)} in the list a second time", found.place)
        numbers[value] = found
        if draft.step is not None and not isinstance(value, Sentinel) and value % step:
            shown = value_text(step, kind)
            problems.add(f"found {quoted(found.text)}, which is no multiple of the step {shown}", found.place)
    ascending = sorted(v for v in numbers if not isinstance(v, Sentinel))
    sentinels = [s for s in (Sentinel.INFINITE, Sentinel.OFF) if s in numbers]
    return Choices((*ascending, *sentinels))


def kind_of_formula(formula: Expr, exponent: int, kinds: Mapping[str, Kind]) -> Kind:
    """The kind of a derived parameter of that power of time; a plain number is a count if it is surely whole."""
    if exponent:
        return Kind.DURATION if exponent > 0 else Kind.RATE
    return Kind.COUNT if _is_whole(formula, kinds) else Kind.RATIO


def _is_whole(expr: Expr, kinds: Mapping[str, Kind]) -> bool:
    match expr:
        case Literal():
            return expr.value.denominator == 1 and not expr.text.endswith("%")
        case Name(name=name):
            return kinds.get(name) is Kind.COUNT
        case Quantile():
            return False
        case Sum(terms=pairs):
            return all(_is_whole(part, kinds) for _, part in pairs)
        case Product(factors=pairs):
            return all(power > 0 and _is_whole(part, kinds) for power, part in pairs)
        case Call(function=function, arguments=arguments):
            return function in ("ceil", "floor") or all(_is_whole(part, kinds) for part in arguments)
        case If(then=then, otherwise=otherwise):
            return _is_whole(then, kinds) and _is_whole(otherwise, kinds)
