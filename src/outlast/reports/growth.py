"""How far facts and measurements may move, in words and as JSON."""

from __future__ import annotations

from fractions import Fraction

from outlast.constraints.model import Spec
from outlast.constraints.quantities import Kind
from outlast.reports.data import Json, fraction_data, rounded_down, value_data
from outlast.reports.document import Fields, Text, code, text, whole
from outlast.reports.ranges import limit_text
from outlast.reports.wording import percent, rounded, value_of
from outlast.solver.account import ItemKind
from outlast.solver.outcome import End, Growth

__all__ = ["growth_data", "growth_fields", "growth_text"]


def growth_fields(growth: tuple[Growth, ...], spec: Spec) -> Fields:
    """A line for each."""
    return Fields(tuple(((code(g.name),), growth_text(g, spec)) for g in growth))


def growth_text(growth: Growth, spec: Spec) -> Text:
    """`400, up to 557 (no-flood)`, or of a measurement `may grow by 42.8 % (no-flood)`."""
    if growth.kind is ItemKind.MEASUREMENT:
        if growth.untold is not None:
            return text(f"not told: {growth.untold}")
        parts = [p for p in (_stretched(growth.grow, "grow"), _stretched(growth.shrink, "shrink")) if p]
        return text(*(text(", ", p) if n else p for n, p in enumerate(parts))) or text("nothing limits it")
    parameter = spec.parameters[growth.name]

    def shown(value: Fraction) -> Text:
        return (whole(code(value_of(parameter, value))),)

    now: Text = text(shown(growth.now)) if growth.now is not None else ()
    if growth.interval is not None:
        now = text(shown(growth.interval[0]), " to ", shown(growth.interval[1]))
    if growth.untold is not None:
        return text(now, ", " if now else "", f"not told: {growth.untold}")
    ends: list[Text] = []
    for word, end in (("down to", growth.shrink), ("up to", growth.grow)):
        if end is not None and end.at is not None:
            last = end.at if end.on_step is None else end.on_step
            ends.append(text(f", {word} ", shown(last), " (", limit_text(end.limited_by, growth.name), ")"))
    if growth.tried is not None:
        low, high = growth.tried
        ends.append(text(", looked at from ", shown(low), " to ", shown(high)))
    return text(now, *(ends or [text(", nothing limits it")]))


def _stretched(end: End | None, verb: str) -> Text:
    if end is None or end.at is None:
        return ()
    share = abs(end.at - 1)
    under = "less than " if end.is_open and rounded(share * 100)[1] else ""
    amount = text(f"may {verb} by ", whole(f"{under}{percent(share)}")) if share else text(f"may not {verb}")
    return text(amount, " (", limit_text(end.limited_by, ""), ")")


def growth_data(growth: Growth, kind: Kind) -> dict[str, Json]:
    """One entry of `growth`; `kind` is the parameter's, for a measurement RATIO."""
    is_factor = growth.kind is ItemKind.MEASUREMENT

    def value(number: Fraction | None) -> Json:
        if number is None:
            return None
        return fraction_data(number) if is_factor else value_data(number, kind)

    def end(found: End | None, now: Fraction | None) -> Json:
        if found is None or found.at is None:
            return None
        share = None if not now else rounded_down(abs(found.at - now) / now, 4)
        return {
            "to": value(found.at),
            "open": found.is_open,
            "on_step": value(found.on_step),
            "share": share,
            "limited_by": list(found.limited_by),
        }

    low, high = growth.interval or (growth.now, growth.now)
    return {
        "kind": growth.kind.value,
        "name": growth.name,
        "now": value(growth.now),
        "interval": None if growth.interval is None else [value(v) for v in growth.interval],
        "shrink": end(growth.shrink, low),
        "grow": end(growth.grow, high),
        "tried": None if growth.tried is None else [value(v) for v in growth.tried],
        "untold": growth.untold,
    }
