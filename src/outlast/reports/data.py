"""The JSON shapes that all commands share (docs/json.md): values, places, rules with their sides, numbers with their origins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.evaluate import Extended, Judged, Special, Truth, Verdict
from outlast.constraints.model import Level, Margin, Origin, Parameter, Role, Rule
from outlast.constraints.normal import Inequality
from outlast.constraints.quantities import Kind, Sentinel, Value, format_number, format_value
from outlast.reports.origins import Origins, Source

__all__ = [
    "VERSION",
    "Json",
    "as_text",
    "error_data",
    "extended_data",
    "fraction_data",
    "nanoseconds",
    "parameter_data",
    "place_data",
    "rounded_down",
    "rule_data",
    "value_data",
    "verdict_data",
]

VERSION: Final = 1

#: From here on a float tells nothing after the point.
_SEVENTEEN_DIGITS: Final = 10**16

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


#: Runners of GitHub and Azure obey `##[command]` and `##vso[command]` anywhere in a line.
_COMMAND: Final = re.compile("#(?=#)")


def as_text(data: Mapping[str, Json] | Sequence[Json]) -> str:
    """The document, ASCII only, two blanks a level, the same bytes for the same data; no runner obeys any of it.

    >>> as_text(["##[error]x"])
    '[\\n  "\\\\u0023#[error]x"\\n]\\n'
    """
    return _COMMAND.sub(r"\\u0023", json.dumps(data, indent=2, ensure_ascii=True, allow_nan=False)) + "\n"


def error_data(errors: Iterable[OutlastError]) -> dict[str, Json]:
    """What was wrong with the input, instead of an answer."""
    listed: list[Json] = []
    for error in errors:
        at = error.place
        where: dict[str, Json] = {"file": None, "line": None, "col": None}
        if at is not None:
            where = {"file": at.file, "line": at.line, "col": at.col}
        listed.append({**where, "message": error.message})
    return {"version": VERSION, "status": "error", "errors": listed}


def place_data(place: Place | None) -> Json:
    """Where something stands."""
    return None if place is None else {"file": place.file, "line": place.line, "col": place.col}


def fraction_data(value: Fraction) -> int | str:
    """Exact: an integer, or a fraction as text.

    >>> fraction_data(Fraction(3)), fraction_data(Fraction(3, 7))
    (3, '3/7')
    """
    return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def rounded_down(value: Fraction, places: int) -> int | float:
    """For reading: so many places after the point, rounded down. Nothing is computed with it.

    >>> rounded_down(Fraction(3, 7), 4)
    0.4285
    """
    cut = Fraction(value * 10**places // 1, 10**places)
    if cut.denominator == 1 or abs(cut) >= _SEVENTEEN_DIGITS:
        return int(cut // 1)
    return float(cut)


def value_data(value: Value | None, kind: Kind) -> int | str | None:
    """A value as written: counts as numbers, everything else as text with its unit, sentinels as words."""
    if value is None or isinstance(value, Sentinel):
        return None if value is None else value.value
    if kind is Kind.COUNT and value.denominator == 1:
        return value.numerator
    return format_value(value, kind.time_exponent, percent=kind is Kind.RATIO)


def nanoseconds(value: Value | None, kind: Kind) -> dict[str, Json]:
    """`ns`, for durations that are numbers."""
    return {"ns": fraction_data(value)} if kind is Kind.DURATION and isinstance(value, Fraction) else {}


def extended_data(value: Extended | None, time_exponent: int) -> int | str | None:
    """The result of an evaluation: plain whole numbers as such, everything else as text."""
    if value is None or isinstance(value, Special):
        return None if value is None else value.value
    if time_exponent == 0:
        return value.numerator if value.denominator == 1 else format_number(value)
    return format_value(value, time_exponent)


def parameter_data(parameter: Parameter, value: Value | None) -> dict[str, Json]:
    """What every command says of a parameter; None is said where there is no value."""
    kind = parameter.kind
    data: dict[str, Json] = {
        "status": parameter.role.value,
        "kind": kind.value,
        "value": value_data(value, kind),
        **nanoseconds(value, kind),
    }
    if parameter.interval is not None:
        data["interval"] = [value_data(end, kind) for end in parameter.interval]
    if parameter.role is Role.FREE:
        data["current"] = value_data(parameter.current, kind)
        data["step"] = value_data(parameter.step, kind)
    if parameter.text is not None:
        data["formula"] = parameter.text
    if parameter.default_of is not None:
        data["default_of"] = parameter.default_of
    return {**data, "place": place_data(_value_place(parameter)), **_origin(parameter.origin)}


def _value_place(parameter: Parameter) -> Place:
    key = "current" if parameter.role is Role.FREE else parameter.role.value
    return parameter.places.get(key, parameter.place)


def rule_data(rule: Rule, verdict: Verdict, origins: Origins) -> dict[str, Json]:
    """One rule at the given values: its answer, its decisive comparison, and where its numbers come from."""
    judged = verdict.decisive
    return verdict_data(verdict) | {
        "level": rule.level.value,
        "weight": fraction_data(rule.weight) if rule.level is Level.SHOULD else None,
        "margin": _margin(rule.margin),
        "aim": _margin(rule.aim),
        "text": rule.text,
        "when": rule.when_text,
        "breaks": rule.breaks,
        "place": place_data(rule.place),
        **_origin(rule.origin),
        **_relation(rule),
        "sides": None if judged is None or verdict.missing is not None else _sides(judged, rule, origins),
        "numbers": [_source(source) for source in origins.of_rule(rule)],
    }


def verdict_data(verdict: Verdict) -> dict[str, Json]:
    """What a rule comes to, and its decisive comparison."""
    data: dict[str, Json] = {
        "holds": verdict.truth is Truth.HOLDS,
        "applies": verdict.truth is not Truth.NOT_APPLICABLE,
        **_comparison(verdict.decisive),
        "score": None if verdict.score is None else rounded_down(verdict.score, 3),
        "margin_kept": verdict.margin_kept,
    }
    return data if verdict.missing is None else {**data, "off": verdict.missing}


def _relation(rule: Rule) -> dict[str, Json]:
    """The catalogue's relation that a rule was made of."""
    if rule.relation is None:
        return {}
    return {
        "relation": rule.relation.id,
        "components": list(rule.components),
        "severity": rule.relation.severity.value,
        "sources": list(rule.relation.sources),
    }


def _comparison(judged: Judged | None) -> dict[str, Json]:
    if judged is None:
        return dict.fromkeys(("left", "sign", "right", "slack", "headroom", "headroom_exact"))
    exponent = judged.comparison.time_exponent
    headroom = judged.headroom if isinstance(judged.comparison, Inequality) else None
    exact = fraction_data(headroom) if isinstance(headroom, Fraction) else _special(headroom)
    return {
        "left": extended_data(judged.left, exponent),
        "sign": judged.comparison.sign,
        "right": extended_data(judged.right, exponent),
        "slack": extended_data(judged.slack, exponent),
        "headroom": rounded_down(headroom, 4) if isinstance(headroom, Fraction) else exact,
        "headroom_exact": exact if exact is None else str(exact),
    }


def _special(value: Extended | None) -> str | None:
    return value.value if isinstance(value, Special) else None


def _margin(margin: Margin | None) -> Json:
    if margin is None:
        return None
    return format_value(margin.amount, margin.time_exponent or 0, percent=margin.is_relative)


def _sides(judged: Judged, rule: Rule, origins: Origins) -> dict[str, Json]:
    compared = origins.compared(judged, rule.margin)
    return {
        "left": list(compared.left),
        "right": list(compared.right),
        "short": compared.short,
        "demanded": compared.demanded,
    }


def _source(source: Source) -> dict[str, Json]:
    data: dict[str, Json] = {"name": source.name, "value": source.value, "is": source.role}
    if source.bound is not None and source.confidence is not None:
        data |= {
            "bound": source.bound,
            "confidence": f"{format_number(source.confidence * 100)}%",
            "samples": source.size,
            "measured_in": source.file,
            "taken": None if source.taken is None else source.taken.isoformat(),
        }
    return {**data, "place": place_data(source.place), "why": source.why}


def _origin(origin: Origin) -> dict[str, Json]:
    told: dict[str, Json] = {"why": origin.why}
    for key, value in (("source", origin.source), ("owner", origin.owner)):
        if value is not None:
            told[key] = value
    for key, date in (("reviewed", origin.reviewed), ("review_by", origin.review_by)):
        if date is not None:
            told[key] = date.isoformat()
    return told
