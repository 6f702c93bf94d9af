"""Why something is as it is, and what another value would break, as a document."""

from __future__ import annotations

from outlast.constraints.model import Role
from outlast.reports.check import Row, spec_line
from outlast.reports.conflict import conflict_entry
from outlast.reports.document import (
    Block,
    Document,
    Fields,
    Paragraph,
    Section,
    Span,
    Table,
    Text,
    Verdict,
    bad,
    code,
    faint,
    good,
    strong,
    text,
    warn,
    whole,
)
from outlast.reports.growth import growth_text
from outlast.reports.prose import told
from outlast.reports.ranges import interval_text, limit_text
from outlast.reports.repair import repair_entry
from outlast.reports.solve import bottleneck_paragraph, lowest_score, room_rows, rules_table
from outlast.reports.wording import Places, counted, names_text, percent, value_of
from outlast.solver.account import Group
from outlast.solver.derivation import derive
from outlast.solver.outcome import End, SolveOutcome, Status
from outlast.solver.why import Break, Stop, WhatIf, Why

__all__ = ["what_if_document", "why_document"]

_MEANT = {"free": "free parameter", "fact": "fact", "fixed": "fixed value", "derived": "computed", "rule": "rule"}


def why_document(why: Why) -> Document:
    """Why one parameter, measurement or rule is as it is."""
    places = Places(why.spec)
    blocks: list[Block] = [Verdict(_verdict(why)), Paragraph(spec_line(why.spec))]
    if fields := _about(why, places):
        blocks.append(Fields(tuple(fields)))
    if why.outcome.status is Status.CONFLICT:
        return (*blocks, *_taken_part(why, places))
    if why.outcome.status is Status.UNDECIDED:
        return tuple(blocks)
    blocks += [_stop(stop, why, places) for stop in why.stops]
    if why.subject.kind == "rule":
        blocks += _of_rule(why, places)
    elif why.rules:
        blocks.append(Section("the rules that mention it", (rules_table(why.outcome, places, why.rules),)))
    own = {why.subject.name} if why.subject.kind == "rule" else set(why.rules)
    if held := [b for b in why.outcome.bottlenecks if not own.isdisjoint(b.rules)]:
        blocks.append(Section("what holds the headroom down", tuple(bottleneck_paragraph(b) for b in held)))
    return tuple(blocks)


def _verdict(why: Why) -> Text:
    name, kind, outcome = why.subject.name, why.subject.kind, why.outcome
    if outcome.status is Status.CONFLICT:
        total = len(outcome.conflicts if outcome.account is None else outcome.account.conflicts)
        part = (
            f"takes part in {len(why.conflicts)} of {counted(total, 'conflict')}"
            if why.conflicts
            else "has no part in it"
        )
        return text(bad("what the spec demands cannot hold together"), "; ", code(name), f" {part}")
    if outcome.status is Status.UNDECIDED:
        return text(warn("undecided"), f": {outcome.undecided or 'the limit came first'}")
    if kind == "rule":
        result = outcome.rules[name]
        if not result.kept:
            return text(code(name), warn(" had to be given up"))
        verdict = result.verdict.truth.value
        return text(
            code(name), f" {verdict}" if verdict == "holds" else " does not apply", " at the recommended values"
        )
    if kind == "measurement":
        return text(code(name), " was measured")
    result_of = outcome.parameters[name]
    if result_of.value is None:
        return text(code(name), f" is a {_MEANT[kind]}")
    words = {"free": f", {result_of.chosen}" if result_of.chosen else "", "derived": ", computed"}
    return text(
        code(name),
        " = ",
        whole(strong(value_of(result_of.parameter, result_of.value))),
        words.get(kind, f", a {_MEANT[kind]}"),
    )


def _about(why: Why, places: Places) -> list[Row]:
    """What the spec and the answer say of it."""
    name, kind, spec = why.subject.name, why.subject.kind, why.spec
    if kind == "measurement":
        measurement = spec.measurements[name]
        rows: list[Row] = [("measured in", text(measurement.file, faint(f" ({places.text(measurement.place)})")))]
        rows += [("why", text(measurement.why))] if measurement.why else []
    elif kind == "rule":
        rule = spec.rules[name]
        rows = [("requires", text(code(rule.text), faint(f" ({places.text(rule.place)})")))]
        said = (("when", rule.when_text), ("why", rule.origin.why), ("breaks", rule.breaks))
        rows += [(label, text(words)) for label, words in said if words]
    else:
        rows = _about_parameter(why, places)
    if why.growth is not None:
        rows.append(("room to grow", growth_text(why.growth, spec)))
    elif kind in ("fact", "fixed", "measurement") and why.outcome.status in (Status.OPTIMAL, Status.FEASIBLE):
        rows.append(("room to grow", text("no rule that is kept uses it")))
    return rows


def _about_parameter(why: Why, places: Places) -> list[Row]:
    result = why.outcome.parameters[why.subject.name]
    parameter = result.parameter
    rows: list[Row] = []
    if parameter.role is Role.DERIVED:
        rows.append(("formula", (code(parameter.text or ""),)))
        rows += [_used(name, why) for name in why.computed_from]
    if parameter.role is Role.FREE and result.value is not None:
        if parameter.current is not None:
            rows.append(("now", text(whole(value_of(parameter, parameter.current)) if result.changed else "the same")))
        if result.range is not None:
            rows.append(("possible", interval_text(parameter, result.range)))
        rows += [row for row in room_rows(result) if row[0] != "chosen"]
    rows.append(("place", text(places.text(parameter.place))))
    if parameter.origin.why:
        rows.append(("why", text(parameter.origin.why)))
    return rows


def _used(name: str, why: Why) -> Row:
    result = why.outcome.parameters.get(name)
    if result is None:
        return "of", text(code(name), ", measured")
    value = result.value
    shown: Text = () if value is None else text(" = ", whole(code(value_of(result.parameter, value))))
    return "of", text(code(name), shown, f", {_MEANT[result.parameter.role.value]}")


def _taken_part(why: Why, places: Places) -> list[Block]:
    outcome = why.outcome
    every = outcome.conflicts if outcome.account is None else outcome.account.conflicts
    label = "conflict {} of {}" if len(every) > 1 else "conflict"
    blocks: list[Block] = [
        conflict_entry(every[n - 1], why.spec, places, label=label.format(n, len(every))) for n in why.conflicts
    ]
    hint = "`outlast explain` tells every conflict and every way out"
    return [*blocks, Paragraph(text(hint))]


# Ends.


def _stop(stop: Stop, why: Why, places: Places) -> Section:
    kind, name = why.subject.kind, why.subject.name
    title = (
        ("from above" if stop.upward else "from below") if kind == "free" else "upwards" if stop.upward else "downwards"
    )
    parts: list[str | Span | Text] = []
    if kind == "measurement":
        assert stop.end.at is not None
        words = "must not grow by" if stop.upward else "must not shrink by"
        parts += [
            f"all of it {words} ",
            whole(f"{percent(abs(stop.end.at - 1))}"),
            "" if stop.end.is_open else " or more than that",
        ]
    else:
        parts += [code(name), " must be ", _end_words(stop, why)]
    parts += [": limited by ", limit_text(stop.end.limited_by, name)]
    blocks: list[Block] = [Paragraph(text(*parts))]
    if stop.conflict is not None:
        blocks += told(derive(stop.conflict), stop.conflict, why.spec, places)
    return Section(title, tuple(blocks))


def _end_words(stop: Stop, why: Why) -> Text:
    parameter = why.spec.parameters[why.subject.name]
    end: End = stop.end
    assert end.at is not None
    words = ("under" if end.is_open else "at most") if stop.upward else ("over" if end.is_open else "at least")
    return text(f"{words} ", whole(code(value_of(parameter, end.at))))


def _of_rule(why: Why, places: Places) -> list[Block]:
    name, outcome = why.subject.name, why.outcome
    blocks: list[Block] = [Section("at the recommended values", (rules_table(outcome, places, (name,)),))]
    because = [conflict_entry(g.conflict, why.spec, places) for g in outcome.given_up if g.rule == name and g.conflict]
    if because:
        blocks.append(Section("why it had to be given up", tuple(because)))
    rows: list[Row] = []
    for result in outcome.parameters.values():
        for side, end in _ends_of(outcome, result.parameter.name):
            if name in end.limited_by:
                others = [i for i in end.limited_by if i != name]
                beside: Text = (
                    text(", together with ", limit_text(tuple(others), result.parameter.name)) if others else ()
                )
                rows.append(
                    (
                        (code(result.parameter.name),),
                        text(f"{side} at ", whole(_at(result.parameter.name, end, why)), beside),
                    )
                )
    rows += [
        ((code(g.name),), growth_text(g, why.spec))
        for g in outcome.growth
        if any(e is not None and name in e.limited_by for e in (g.shrink, g.grow))
    ]
    if rows:
        blocks.append(Section("what it limits", (Fields(tuple(rows)),)))
    return blocks


def _ends_of(outcome: SolveOutcome, name: str) -> list[tuple[str, End]]:
    found = outcome.parameters[name].range
    if found is None:
        return []
    return [(side, end) for side, end in (("from below", found.low), ("from above", found.high)) if end is not None]


def _at(name: str, end: End, why: Why) -> Span:
    return code("" if end.at is None else value_of(why.spec.parameters[name], end.at))


# Another value.


def what_if_document(found: WhatIf) -> Document:
    """What another value would break, and what would have to move for it."""
    places = Places(found.spec)
    blocks: list[Block] = [
        Verdict(_what_if_verdict(found)),
        Paragraph(spec_line(found.now.spec)),
        Fields(tuple(_now(found))),
    ]
    if found.breaks:
        title = "what it would break, in this order" if len(found.breaks) > 1 else "what it would break"
        entries = [_break(b, n, found, places) for n, b in enumerate(found.breaks, 1)]
        blocks.append(Section(title, tuple(entries)))
    for group in found.groups:
        blocks.append(_ways(group, found, places))
    if found.outcome is not None:
        if found.rules:
            blocks.append(Section("the rules that mention it then", (rules_table(found.outcome, places, found.rules),)))
        if others := _others(found):
            blocks.append(Section("what else would change", (others,)))
    missing = [
        text(words) for group in found.groups for words in dict.fromkeys((*group.missing, *group.missing_repairs))
    ]
    if found.undecided is not None:
        missing.append(text(found.undecided))
    if missing:
        blocks.append(Section("what was left out", (Fields(tuple(("here", words) for words in missing)),)))
    return tuple(blocks)


def _asked(found: WhatIf) -> Text:
    return text(code(found.parameter.name), " = ", whole(strong(value_of(found.parameter, found.value))))


def _what_if_verdict(found: WhatIf) -> Text:
    asked = _asked(found)
    if found.not_its_own is not None:
        rest = f", and it would break {counted(len(found.breaks), 'thing')}" if found.breaks else ""
        return text(asked, bad(" is none of its values"), f": {found.not_its_own}{rest}")
    if found.outcome is not None:
        parts: list[str | Span | Text] = [asked, good(" works")]
        if found.given_up:
            parts += [", but ", names_text(found.given_up), warn(" would have to be given up")]
        lowest = lowest_score(found.outcome)
        if lowest is not None and lowest < 1:
            parts.append(f"; the tightest then have {percent(lowest)} of the headroom that they aim at")
        return text(*parts)
    if found.undecided is not None and not found.groups:
        return text(asked, " is ", warn("undecided"), f": {found.undecided}")
    if not found.breaks:
        return text(asked, " breaks nothing itself, but ", bad("what the spec demands cannot hold together"), " anyway")
    must = sum(1 for b in found.breaks if not b.conflict.shoulds)
    return text(asked, bad(f" cannot be: it leads to {counted(must, 'conflict')}"))


def _now(found: WhatIf) -> list[Row]:
    parameter, before = found.parameter, found.before
    rows: list[Row] = []
    if before is not None:
        label = "recommended" if parameter.role is Role.FREE else "now"
        rows.append((label, text(whole(code(value_of(parameter, before))))))
    result = found.now.parameters[parameter.name]
    if result.range is not None:
        rows.append(("possible", interval_text(parameter, result.range)))
    if found.growth is not None:
        rows.append(("room to grow", growth_text(found.growth, found.now.spec)))
    if found.now.status is Status.CONFLICT and found.breaks:
        rows.append(("note", text("the spec is in conflict without it, too")))
    return rows or [("place", text(Places(found.spec).text(parameter.place)))]


def _break(found: Break, number: int, what: WhatIf, places: Places) -> Block:
    label = f"{number}" if found.begins is None else f"{number}, from {value_of(what.parameter, found.begins)} on"
    return conflict_entry(found.conflict, what.spec, places, label=label)


def _ways(group: Group, found: WhatIf, places: Places) -> Section:
    value = value_of(found.parameter, found.value)
    if not group.repairs:
        words = (
            "none was found within the limits"
            if group.missing_repairs
            else "nothing that a repair may change would make it work"
        )
        return Section(f"no way to {value}", (Paragraph(text(words)),))
    total = len(group.repairs)
    entries = [
        repair_entry(r, group, found.spec, places, f"way {n} of {total}") for n, r in enumerate(group.repairs, 1)
    ]
    return Section(f"what would have to move for {value}", tuple(entries))


def _others(found: WhatIf) -> Table | None:
    """Other parameters with the values that are recommended then."""
    rows = []
    for name, then in found.outcome.parameters.items() if found.outcome is not None else ():
        now = found.now.parameters[name].value
        if then.parameter.role is Role.FREE and then.value is not None and then.value != now:
            before = "-" if now is None else value_of(then.parameter, now)
            rows.append(((code(name),), text(whole(strong(value_of(then.parameter, then.value)))), text(whole(before))))
    return Table(("parameter", "value", "recommended now"), tuple(rows)) if rows else None
