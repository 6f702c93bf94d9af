"""A repair as a document, as a sentence and as data: what it changes and where that stands, what it costs, and what then holds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.errors import Place
from outlast.constraints.expression import names_in
from outlast.constraints.model import Level, Parameter, Spec
from outlast.constraints.quantities import DURATION_UNITS, Kind, Sentinel, format_number
from outlast.reports.conflict import rules_of
from outlast.reports.data import Json, extended_data, fraction_data, place_data, rounded_down, value_data
from outlast.reports.document import Entry, Fields, Text, code, faint, plain_text, strong, text, whole
from outlast.reports.wording import (
    Places,
    about_percent,
    counted,
    joined,
    margin_text,
    names_text,
    percent,
    rounded,
    value_of,
)
from outlast.solver.account import Change, Dropped, Group, ItemKind, Moved, Repair, Weakened

__all__ = [
    "advice",
    "change_data",
    "change_rows",
    "change_text",
    "changed",
    "changes_text",
    "cost_text",
    "repair_data",
    "repair_entry",
]

#: What a value is that moves.
_IS: Final = {ItemKind.FIXED: "fixed", ItemKind.CURRENT: "in use"}

#: So many values are told that a repair works with.
_MOST_VALUES: Final = 12

#: A row of `Fields`.
Row = tuple[str | Text, Text]


def repair_entry(repair: Repair, group: Group, spec: Spec, places: Places, label: str) -> Entry:
    """The whole of it: its changes with their places, the rules kept, values with which all holds, the headroom then."""
    rows: list[Row] = list(change_rows(repair.changes, spec, places))
    if kept := _kept(repair, group):
        rows.append(("kept", names_text(kept)))
    if repair.values:
        rows.append(("works with", _values(repair, spec)))
    if repair.headroom:
        rule, headroom = repair.headroom[0]
        rows.append(("headroom then", text(about_percent(headroom), " in ", code(rule), _rest(repair))))
    if not repair.smallest:
        rows.append(("amounts", text("not shown to be the smallest that do")))
    return Entry(text(strong(label), f": {cost_text(repair.cost)}"), (Fields(tuple(rows)),))


def _values(repair: Repair, spec: Spec) -> Text:
    """What it works with: of many values those of what changes first, and how many more there are."""
    changed = {c.parameter for c in repair.changes if isinstance(c, Moved)}
    for change in repair.changes:
        if not isinstance(change, Moved):
            changed |= set(names_in(spec.rules[change.rule].require))
    names = sorted(repair.values)
    shown = names
    if len(names) > _MOST_VALUES:
        shown = sorted(sorted(names, key=lambda name: (name not in changed, name))[:_MOST_VALUES])
    told: list[str | Text] = []
    for name in shown:
        words = whole(code(f"{name} = {value_of(spec.parameters[name], repair.values[name])}"))
        told += [", " if told else "", (words,)]
    return text(*told, f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")


def _rest(repair: Repair) -> str:
    number = len(repair.headroom) - 1
    return f", the tightest of {counted(number + 1, 'rule')}" if number else ""


def _kept(repair: Repair, group: Group) -> list[str]:
    """The rules of the group's conflicts that the repair leaves as they are."""
    touched = {c.rule for c in repair.changes if isinstance(c, Weakened)}
    touched |= {c.rule for c in repair.changes if isinstance(c, Dropped) and c.kind is ItemKind.RULE}
    return sorted({rule for conflict in group.conflicts for rule in rules_of(conflict)} - touched)


def cost_text(cost: Fraction) -> str:
    """`cost 20`."""
    return f"cost {format_number(cost)}"


def change_rows(changes: Sequence[Change], spec: Spec, places: Places) -> tuple[Row, ...]:
    """Each change with the place where it is to be made."""
    return tuple(("and" if n else "change", _placed(change, spec, places)) for n, change in enumerate(changes))


def _placed(change: Change, spec: Spec, places: Places) -> Text:
    """`deadline from 10s to 10.4s (+4 %; fixed, outlast.yaml:5)`."""
    place = places.text(_place(change, spec))
    if not isinstance(change, Moved):
        return text(change_text(change, spec), faint(f" ({place})"))
    default_of = spec.parameters[change.parameter].default_of
    sort = _IS.get(change.kind, "") if default_of is None else f"the default of {default_of}"
    where = ", ".join(word for word in (sort, place) if word)
    notes = "; ".join(note for note in (_share(change), where) if note)
    return text(_moved(change, spec.parameters[change.parameter]), faint(f" ({notes})"))


def changes_text(changes: Sequence[Change], spec: Spec) -> Text:
    """All changes in one line: `deadline from 10s to 10.4s (+4 %); rate weakened by 3 %: …`."""
    parts: list[str | Text] = []
    for change in changes:
        parts += ["; " if parts else "", change_text(change, spec)]
    return text(*parts)


def change_text(change: Change, spec: Spec) -> Text:
    """One change: what becomes of what."""
    match change:
        case Moved():
            share = _share(change)
            return text(_moved(change, spec.parameters[change.parameter]), f" ({share})" if share else "")
        case Weakened():
            was = spec.rules[change.rule].text
            by = about_percent(change.share)
            return text(code(change.rule), f" weakened by {by}: ", code(change.to), " (was ", code(was), ")")
        case Dropped(rule=rule, kind=ItemKind.MARGIN):
            margin = spec.rules[rule].margin
            of = text(", ", code(margin_text(margin)), ",") if margin is not None else ()
            return text("the margin of ", code(rule), of, " given up")
        case Dropped(rule=rule):
            kind = "should rule" if spec.rules[rule].level is Level.SHOULD else "rule"
            return text(f"{kind} ", code(rule), " given up")


def advice(changes: Sequence[Change], spec: Spec) -> Text:
    """What to do, in one line: `move deadline from 10s to 10.4s (+4 %); weaken rate by 3 %: …`."""
    parts: list[str | Text] = []
    for change in changes:
        parts += ["; " if parts else "", _advised(change, spec)]
    return text(*parts)


def _advised(change: Change, spec: Spec) -> Text:
    match change:
        case Moved():
            return text("move ", change_text(change, spec))
        case Weakened():
            to = (code(change.to), " (was ", code(spec.rules[change.rule].text), ")")
            return text("weaken ", code(change.rule), f" by {about_percent(change.share)}: ", *to)
        case Dropped(rule=rule, kind=ItemKind.MARGIN):
            return text("give up the margin of ", code(rule))
        case Dropped(rule=rule):
            return text("give up ", code(rule))


def changed(changes: Sequence[Change]) -> str:
    """How many things of which sort change: `1 value and 2 rules`."""
    moved = sum(isinstance(change, Moved) for change in changes)
    margins = sum(isinstance(change, Dropped) and change.kind is ItemKind.MARGIN for change in changes)
    found = ((moved, "value"), (len(changes) - moved - margins, "rule"), (margins, "margin"))
    return joined([counted(number, noun) for number, noun in found if number])


def _moved(change: Moved, parameter: Parameter) -> Text:
    before, after = (whole(code(value_of(parameter, v))) for v in (change.before, change.after))
    asked = ", the value asked about," if change.kind is ItemKind.ASKED else ""
    return text(code(parameter.name), " from ", before, asked, " to ", after)


def _share(change: Moved) -> str:
    """How far it moves, relative to where it is: `+4 %`."""
    if isinstance(change.before, Sentinel) or isinstance(change.after, Sentinel) or change.before == 0:
        return ""
    share = (change.after - change.before) / change.before
    about = "" if rounded(share * 100)[1] else "about "
    return f"{about}{'+' if share > 0 else '-'}{percent(abs(share))}"


def _place(change: Change, spec: Spec) -> Place:
    if isinstance(change, Moved):
        parameter = spec.parameters[change.parameter]
        key = "current" if change.kind is ItemKind.CURRENT else "fixed"
        return parameter.places.get(key, parameter.place)
    rule = spec.rules[change.rule]
    if isinstance(change, Weakened):
        return rule.places.get("require", rule.place)
    return rule.places.get("margin", rule.place) if change.kind is ItemKind.MARGIN else rule.place


def repair_data(repair: Repair, component: int, spec: Spec) -> dict[str, Json]:
    """One repair (docs/json.md)."""
    return {
        "component": component,
        "cost": fraction_data(repair.cost),
        "changes": [change_data(change, spec) for change in repair.changes],
        "text": plain_text(changes_text(repair.changes, spec)),
        "values": {
            name: value_data(value, spec.parameters[name].kind) for name, value in sorted(repair.values.items())
        },
        "headroom": [
            {"rule": rule, "headroom": rounded_down(headroom, 4), "headroom_exact": str(fraction_data(headroom))}
            for rule, headroom in repair.headroom
        ],
        "smallest": repair.smallest,
    }


def _amount(change: Weakened) -> int | str | None:
    """By how much the right side moves; rates a second where that is a decimal number, since limits are mostly written so."""
    if change.by is not None and change.time_exponent == -1:
        number = format_number(change.by * DURATION_UNITS["s"])
        if "/" not in number:
            return f"{number}/s"
    return extended_data(change.by, change.time_exponent)


def change_data(change: Change, spec: Spec) -> dict[str, Json]:
    """One change with its place."""
    place = place_data(_place(change, spec))
    match change:
        case Moved():
            kind = spec.parameters[change.parameter].kind
            return {
                "parameter": change.parameter,
                "is": change.kind.value,
                "from": value_data(change.before, kind),
                "to": value_data(change.after, kind),
                "place": place,
            }
        case Weakened():
            return {
                "rule": change.rule,
                "by": _amount(change),
                "to": change.to,
                "share": value_data(change.share, Kind.RATIO),
                "place": place,
            }
        case Dropped():
            return {"rule": change.rule, "given_up": change.kind.value, "place": place}
