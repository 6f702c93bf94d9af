"""The parameters of a spec as a section of the page: what each is, how far it may go, and controls that move it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.quantities import Value
from outlast.reporting import Reported
from outlast.reports.document import plain_text
from outlast.reports.html import address_markup
from outlast.reports.markup import Markup, element, joined, shown
from outlast.reports.page.controls import Control
from outlast.reports.page.odd import odd_of
from outlast.reports.page.opening import Opening, place_of, said_value
from outlast.reports.page.scale import Scale
from outlast.reports.ranges import interval_text
from outlast.reports.wording import Places, counted, value_of
from outlast.solver.outcome import Range

__all__ = ["parameters_section"]

#: Marks of a bar, around the place that they mark.
_SHAPES: Final = {"in-use": "M0 8l-5 -8h10z", "recommended": "M0 17l5 4.5l-5 4.5l-5 -4.5z", "shown": "M0 6v14"}


def parameters_section(reported: Reported, opening: Opening, controls: Sequence[Control]) -> Markup:
    """The section `parameters`: cards of what may move, then a table of the rest."""
    places, uses = Places(reported.spec), _uses(reported)
    odd = odd_of(reported, opening, controls)
    cards = [
        _card(number, control, opening, places, uses.get(control.parameter.name, 0), odd.get(control.parameter.name))
        for number, control in enumerate(controls)
    ]
    set_ = sum(1 for control in controls if control.is_set)
    others = [p for role in (Role.FACT, Role.DERIVED) for p in _of_role(reported.spec, role)]
    defaults = [p for p in others if p.default_of is not None]
    return element(
        "section",
        element("h2", "Parameters"),
        element(
            "p",
            "The shaded part of a bar is what the value may be while all rules hold, the other values free to move along. ",
            "It is of the values in the spec: it does not move with the sliders.",
            class_="note",
        )
        if any(control.range is not None for control in controls)
        else "",
        _marks() if cards else "",
        element("div", *cards[:set_], class_="deck") if set_ else "",
        _others([p for p in others if p not in defaults], opening, places),
        _defaults(cards[set_:], defaults, opening, places),
        id="parameters",
    )


def _of_role(spec: Spec, role: Role) -> list[Parameter]:
    return [p for _, p in sorted(spec.parameters.items()) if p.role is role]


def _uses(reported: Reported) -> Mapping[str, int]:
    """In how many rules each parameter is, bounds of its own left aside."""
    found: dict[str, int] = {}
    for rule in reported.rules.values():
        if not rule.rule.is_bound:
            for name in rule.names():
                found[name] = found.get(name, 0) + 1
    return found


def _card(
    number: int, control: Control, opening: Opening, places: Places, uses: int, odd: tuple[bool, str] | None
) -> Markup:
    """What is known of a parameter; inputs.js puts in what moves it."""
    parameter = control.parameter
    value = opening.written.get(parameter.name)
    return element(
        "div",
        element("h3", element("code", parameter.name), " ", element("span", _status(parameter), class_="tag")),
        element("div", _value(control, value), class_="head"),
        _bar(control, value) if control.scale is not None else "",
        element("p", "" if odd is None else odd[1], class_="remark"),
        _legend(control),
        element("p", parameter.origin.why, class_="why") if parameter.origin.why else "",
        _where(parameter, places, uses),
        class_="parameter",
        id=f"parameter-{number}",
        data_odd=None if odd is None else "true",
    )


def _status(parameter: Parameter) -> str:
    if parameter.default_of is not None:
        return f"{parameter.role.value}, the default of {parameter.default_of}"
    return parameter.role.value


def _against(control: Control, value: Value | None) -> str:
    """How the value stands to those it is compared with, as page.js says it."""
    if value is None:
        return ""
    if value == control.in_use:
        return "in use and recommended" if value == control.recommended else "in use"
    if value == control.recommended:
        return "recommended"
    return "" if control.in_use is None else f"in use {said_value(control.parameter, control.in_use)}"


def _bar(control: Control, value: Value | None) -> Markup:
    """The domain, what is possible, and marks for the value in use, the recommended one and the one shown."""
    scale = control.scale
    assert scale is not None  # the caller saw to it
    parts = [element("rect", class_="domain")]
    parts += (
        element("rect", x=_percent(start), width=_percent(max(end - start, 30)), class_="possible")
        for start, end in _stretches(scale, control.range)
    )
    for name, mark in (("in-use", control.in_use), ("recommended", control.recommended)):
        if isinstance(mark, Fraction):
            parts.append(element("use", href=f"#mark-{name}", x=_percent(scale.share(mark)), class_=name))
    is_number = isinstance(value, Fraction)
    at = scale.share(value) if isinstance(value, Fraction) else 0
    parts.append(element("use", href="#mark-shown", x=_percent(at), class_="shown", hidden=not is_number))
    return element("svg", *parts, class_="bar", aria_hidden="true")


def _marks() -> Markup:
    """The shapes that all bars make use of, 26 pixels high."""
    shapes = (element("path", d=shape, id=f"mark-{name}") for name, shape in _SHAPES.items())
    return element("svg", element("defs", *shapes), class_="unseen", aria_hidden="true")


def _stretches(scale: Scale, found: Range | None) -> Iterator[tuple[int, int]]:
    """Where the possible values lie, in hundredths of a percent."""
    if found is None:
        return
    if found.listed is not None:
        yield from ((scale.share(value), scale.share(value)) for value in found.listed)
        return
    if found.low is None and found.high is None:
        return
    start = 0 if found.low is None or found.low.at is None else scale.share(found.low.at)
    for low, high in found.gaps or ():
        yield start, scale.share(low)
        start = scale.share(high)
    yield start, 10_000 if found.high is None or found.high.at is None else scale.share(found.high.at)


def _percent(share: int) -> str:
    return f"{share // 100}.{share % 100:02d}%"


def _value(control: Control, value: Value | None) -> Markup:
    """The value, and how it stands to others."""
    parameter = control.parameter
    return element(
        "p",
        element("span", said_value(parameter, value), data_value=parameter.name, class_="now"),
        " ",
        element("span", _against(control, value), class_="faint"),
        class_="value",
    )


def _legend(control: Control) -> Markup:
    """The same as the bar in words; the style gives each its mark."""
    parameter = control.parameter
    told = [
        element("span", f"{name.replace('-', ' ')} ", element("code", value_of(parameter, value)), class_=name)
        for name, value in (("in-use", control.in_use), ("recommended", control.recommended))
        if value is not None
    ]
    if control.range is not None:
        possible = plain_text(interval_text(parameter, control.range))
        told.append(element("span", "possible ", element("code", possible), class_="possible"))
    return element("p", joined(told, " "), class_="legend") if told else Markup("")


def _where(parameter: Parameter, places: Places, uses: int | None = None) -> Markup:
    origin = parameter.origin
    told: list[str] = [places.text(place_of(parameter))]
    if uses is not None:
        told.append("in no rule" if not uses else f"in {counted(uses, 'rule')}")
    if origin.owner:
        told.append(f"says {origin.owner}")
    if origin.source:
        told.append(_source(origin.source))
    return element("p", joined(told, ", "), class_="where")


def _source(source: str) -> Markup:
    """Where to read more, in a word where it is a link."""
    link = address_markup(source)
    return (
        link
        if link == shown(source)
        else element("a", "source", href=source, rel="noopener noreferrer", class_="source")
    )


def _others(parameters: Sequence[Parameter], opening: Opening, places: Places) -> Markup:
    """Facts and derived values, which nothing here moves by itself."""
    if not parameters:
        return Markup("")
    items = [_other(parameter, opening, places) for parameter in parameters]
    return joined([element("h3", "Facts, and what is computed"), element("ul", *items, class_="others")])


def _defaults(cards: Sequence[Markup], others: Sequence[Parameter], opening: Opening, places: Places) -> Markup:
    """What software takes by itself, folded."""
    number = len(cards) + len(others)
    if not number:
        return Markup("")
    inside = [element("div", *cards, class_="deck")] if cards else []
    items = [_other(parameter, opening, places) for parameter in others]
    inside += [element("ul", *items, class_="others")] if items else []
    return element(
        "details", element("summary", f"{counted(number, 'default')} that nobody set"), *inside, class_="defaults"
    )


def _other(parameter: Parameter, opening: Opening, places: Places) -> Markup:
    said = said_value(parameter, opening.values.get(parameter.name))
    moves = parameter.name if parameter.role is Role.DERIVED else None
    formula = [element("p", "= ", element("code", parameter.text), class_="where")] if parameter.text else []
    return element(
        "li",
        element("code", parameter.name),
        " ",
        element("code", said, data_value=moves, class_="now"),
        " ",
        element("span", _status(parameter), class_="tag"),
        *formula,
        element("p", parameter.origin.why, class_="why") if parameter.origin.why else "",
        _where(parameter, places),
    )
