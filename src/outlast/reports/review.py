"""What a review came to, as a document: what is new and how to mend it, what is guarded less, then what changed and what was there before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from outlast.constraints.aging import Due
from outlast.constraints.check import CheckOutcome, Finding, FindingKind, Severity
from outlast.constraints.errors import Place
from outlast.constraints.evaluate import Judged, Truth, Verdict
from outlast.constraints.model import Choices, Parameter, Role, Spec
from outlast.constraints.quantities import format_value
from outlast.constraints.record import replace
from outlast.reports.apply import coloured_difference
from outlast.reports.check import aside_blocks, finding_entry, headroom_text
from outlast.reports.commands import command_text
from outlast.reports.conflict import conflict_sentence
from outlast.reports.document import (
    Block,
    Document,
    Entry,
    Fields,
    Paragraph,
    Section,
    Span,
    Text,
    bad,
    code,
    faint,
    good,
    text,
    warn,
    whole,
)
from outlast.reports.document import Verdict as Answer
from outlast.reports.origins import Origins
from outlast.reports.repair import changes_text, cost_text
from outlast.reports.wording import FromHere, counted, extended_text, joined, shortened_table, value_of
from outlast.reviewing.outcome import (
    Headroom,
    InUse,
    Loss,
    MeasurementChange,
    ParameterChange,
    Part,
    Reviewed,
    RuleChange,
    Trouble,
)
from outlast.reviewing.trouble import rules_of
from outlast.solver.account import Conflict, Group, Moved, Repair, rule_of
from outlast.solver.weaker import Witness

__all__ = ["conflict_with", "loss_entry", "review_document", "trouble_entry"]

#: How many values are told that show what a rule allows.
_MOST_VALUES: Final = 8

_TONES: Final = {Severity.ERROR: bad, Severity.WARNING: warn, Severity.ADVICE: faint}


def review_document(reviewed: Reviewed) -> Document:
    """The whole report."""
    blocks: list[Block] = [Answer(_verdict(reviewed))]
    if reviewed.base is not None:
        blocks.append(Paragraph(_compared(reviewed)))
    quiet = [part for part in reviewed.parts if _is_quiet(part)]
    several = len(reviewed.parts) - len(quiet) > 1
    for part in reviewed.parts:
        if part not in quiet:
            inner = tuple(_part(part))
            blocks += [Section(_name(part), inner)] if several else (Paragraph(text(faint(_name(part)))), *inner)
    if quiet and reviewed.base is not None:
        names = [_name(part) for part in quiet]
        blocks.append(Paragraph(text(faint("nothing changed for "), joined(names[:5]), _more(len(names) - 5))))
    if reviewed.notices:
        rows = tuple(("note", text(notice.message)) for notice in reviewed.notices)
        blocks.append(Section("to know", (Fields(rows),)))
    return tuple(blocks)


def _is_quiet(part: Part) -> bool:
    return part.is_untouched and not part.old and not part.due and not part.ignored


def _more(number: int) -> str:
    return f" and {number} more" if number > 0 else ""


def _name(part: Part) -> str:
    if part.spec is None:
        return "files without a spec"
    was = f" (was {part.was})" if part.was else ""
    new = " (new)" if part.is_new else ""
    return f"spec {part.spec}{was}{new}"


def _compared(reviewed: Reviewed) -> Text:
    base, head = reviewed.base, reviewed.head
    assert base is not None  # the caller saw to it
    now = "the files as they are" if head is None or head.name is None else head.name
    parts = [
        faint("from "),
        code(base.name or ""),
        faint(" to "),
        now if head is None or head.name is None else code(now),
    ]
    if reviewed.parted != base.commit and reviewed.parted is not None:
        parts += [faint(", from where they parted: "), code(reviewed.parted[:12])]
    return text(*parts)


def _verdict(reviewed: Reviewed) -> Text:
    told: list[str | Span] = []
    new, losses = reviewed.new, reviewed.losses
    if reviewed.base is None:
        due = sum(len(part.due) for part in reviewed.parts)
        return text(warn(_to_look_at(due)) if due else good("nothing is due"), f" in {_looked_at(reviewed)}")
    if new:
        severity = [t.finding.severity for t in new]
        words = [counted(severity.count(s), f"new {s.value}") for s in Severity if s in severity]
        told.append(bad(joined(words)))
    if losses:
        told += [
            ", " if told else "",
            (bad if not new else warn)(counted(len(losses), "thing is guarded less", "things are guarded less")),
        ]
    unknown = [part for part in reviewed.parts if part.is_unknown_before]
    if unknown:
        told += [", " if told else "", warn(f"undecided what {counted(len(unknown), 'spec')} guarded before")]
    judged = sum(part.judged for part in reviewed.parts)
    if not told:
        told.append(good("nothing new is wrong") if judged else warn("nothing new is wrong, and nothing to judge"))
    mended = sum(len(part.mended) for part in reviewed.parts)
    old = sum(len(part.old) for part in reviewed.parts)
    due = sum(len(part.due) for part in reviewed.parts)
    rest = [f"{mended} mended"] if mended else []
    rest += [f"{old} broken before as well"] if old else []
    ignored = sum(len(part.ignored) for part in reviewed.parts)
    rest += [f"{counted(ignored, 'finding is', 'findings are')} ignored"] if ignored else []
    rest += [_to_look_at(due)] if due else []
    return text(
        *told, f"; {joined(rest)}" if rest else "", f"; {counted(judged, 'rule')} judged in {_looked_at(reviewed)}"
    )


def _to_look_at(due: int) -> str:
    return counted(due, "thing to look at again", "things to look at again")


def _looked_at(reviewed: Reviewed) -> str:
    specs = sum(1 for part in reviewed.parts if part.spec is not None and not part.is_removed)
    has_files = any(part.spec is None for part in reviewed.parts)
    words = [counted(specs, "spec")] if specs else []
    return joined([*words, *(["files"] if has_files else [])]) or "no spec"


def _part(part: Part) -> Iterator[Block]:
    told: set[int] = set()
    for trouble in part.new:
        yield trouble_entry(trouble, told)
    for loss in part.losses:
        yield loss_entry(loss)
    if part.mended:
        rows = [_short(*each)[:3] for each in part.mended]  # the place may not be there any longer
        yield Section("mended", tuple(shortened_table(("", "rule", "what it was"), rows)))
    if part.parameters or part.measurements or part.rules:
        yield Section("what changed", tuple(_changes(part)))
    if part.headrooms:
        rows = [row for each in part.headrooms if (row := _moved(each))[1] != row[3]]
        if rows:
            yield Section("how rules moved", tuple(shortened_table(("rule", "before", "", "after"), rows)))
    if part.old:
        rows = [_short(*each) for each in part.old]
        yield Section(
            "broken before as well",
            tuple(shortened_table(("", "rule", "what it is", "place"), rows, last_is_spare=True)),
        )
    yield from aside_blocks([ignored for ignored, _ in part.ignored], (), _where)
    if part.due:
        yield Section("to look at again", tuple(_due(part.due)))


def trouble_entry(trouble: Trouble, told: set[int]) -> Entry:
    """The finding as `check` tells it, then why and what to do; of findings with one cause only the first tells these."""
    outcome = trouble.outcome
    finding = replace(trouble.finding, place=trouble.place)
    fixed = "set" if not outcome.spec.sources else "fixed"
    title, inner = finding_entry(
        outcome, finding, Origins(outcome.spec, outcome.values, fixed=fixed), FromHere(outcome.spec)
    )
    blocks = list(inner)
    rows: list[tuple[str, Text]] = []
    account, suggested = trouble.account, trouble.suggested
    is_first = trouble.group is None or trouble.group not in told
    if account is not None and trouble.group is not None and is_first:
        told.add(trouble.group)
        rows += _way_out(trouble, next(g for g in account.groups if g.number == trouble.group), account.spec)
    if suggested is not None and (is_first or finding.kind is FindingKind.DIFFERS):
        cost = faint(f", {cost_text(suggested.repair.cost)}")
        rows.append(("suggested", text(changes_text(suggested.repair.changes, outcome.spec), cost)))
    blocks += [Fields(tuple(rows))] if rows else []
    if rows and suggested is not None:
        blocks += [coloured_difference(each.file, each.before, each.after, is_git=True) for each in suggested.files]
    return Entry(text(title, faint(", on a changed line") if trouble.is_on_changed_line else ()), tuple(blocks))


def _way_out(trouble: Trouble, group: Group, spec: Spec) -> Iterator[tuple[str, Text]]:
    """Why the values cannot hold together, and the cheapest repair unless it is the one that is suggested."""
    conflict = conflict_with(group, rules_of(trouble.finding))
    if conflict is not None:
        yield "conflict", text(conflict_sentence(conflict, spec, FromHere(spec)))
    told = set() if trouble.suggested is None else {_what(trouble.suggested.repair)}
    if group.repairs and _what(group.repairs[0]) not in told:
        told.add(_what(group.repairs[0]))
        cost = faint(f", {cost_text(group.repairs[0].cost)}")
        yield "cheapest", text(changes_text(group.repairs[0].changes, spec), cost)
    others = sum(1 for repair in group.repairs if _what(repair) not in told)
    if others:
        yield "more", text(faint(f"{counted(others, 'more way out', 'more ways out')}: "), whole(code(_explain(spec))))


def _what(repair: Repair) -> frozenset[str]:
    """What a repair changes, whatever the amounts."""
    return frozenset(c.parameter if isinstance(c, Moved) else f"rule {c.rule}" for c in repair.changes)


def _explain(spec: Spec) -> str:
    """The command that tells all; below which folder it may read, a review finds out by itself."""
    return (
        command_text("outlast explain --current", str(spec.path))
        if spec.sources
        else "outlast init, then outlast explain"
    )


def conflict_with(group: Group, rules: Sequence[str]) -> Conflict | None:
    """The first conflict in which one of these rules takes part."""
    return next((c for c in group.conflicts if any(rule_of(item.id) in rules for item in c.items)), None)


def loss_entry(loss: Loss) -> Entry:
    """What is guarded less, and values that show it."""
    tone = warn if loss.is_undecided else bad
    may = "may guard less" if loss.is_undecided else "guards less"
    title = text(tone(may), " ", code(loss.subject), f": {loss.kind.value} ", faint(f"({_where(loss.place)})"))
    rows: list[tuple[str, Text]] = []
    weakening = loss.weakening
    if weakening is not None:
        if weakening.ways:
            rows.append(("in its", text(joined([way.value for way in weakening.ways]))))
        if weakening.witness is not None:
            rows.append(("allows now", _values(weakening.witness)))
        if weakening.is_weaker and weakening.guards_more:
            rows.append(("", text("it also forbids what it allowed")))
        if weakening.reason is not None:
            rows.append(("undecided", text(weakening.reason)))
    blocks: list[Block] = [Paragraph(text(loss.message))]
    return Entry(title, (*blocks, Fields(tuple(rows))) if rows else tuple(blocks))


def _values(witness: Witness) -> Text:
    parts: list[str | Span] = []
    shown = witness.shown()
    for name, value in shown[:_MOST_VALUES]:
        parts += [", " if parts else "", whole(code(f"{name} = {value}"))]
    return text(*parts, _more(len(shown) - _MOST_VALUES))


def _short(finding: Finding, outcome: CheckOutcome) -> tuple[Text, ...]:
    tone = _TONES[finding.severity]
    return text(tone(finding.severity.value)), text(code(finding.subject)), text(finding.message), _place(finding.place)


def _place(place: Place | None) -> Text:
    return text("" if place is None else faint(_where(place)))


def _where(place: Place) -> str:
    return f"{place.file}:{place.line}"


def _changes(part: Part) -> Iterator[Block]:
    rows = [_parameter(each) for each in part.parameters]
    rows += [_measurement(each) for each in part.measurements]
    rows += [_rule(each) for each in part.rules]
    yield from shortened_table(("what", "before", "after", "place"), rows, last_is_spare=True)


def _parameter(change: ParameterChange) -> tuple[Text, ...]:
    side = change.after or change.before
    place = None if side is None else _place_of(side)
    before, after = change.before, change.after
    differs = before is None or after is None or before.parameter.domain != after.parameter.domain
    with_domain = differs or (side is not None and side.value is None)
    told = (_in_use(each, with_domain=with_domain) for each in (before, after))
    name = text(code(change.name), f" (was {change.was})" if change.was else "")
    return name, *told, _place(place)


def _place_of(side: InUse) -> Place:
    parameter = side.parameter
    key = "current" if parameter.role is Role.FREE else parameter.role.value
    return parameter.places.get(key, parameter.place)


def _in_use(side: InUse | None, *, with_domain: bool) -> Text:
    """`60s, fixed`, `90s, the default of nginx`, `5s of 1s..1min`."""
    if side is None:
        return text(faint("not there"))
    parameter, value = side.parameter, side.value
    words: list[str | Span] = []
    if parameter.interval is not None:
        words.append(whole(code("..".join(value_of(parameter, end) for end in parameter.interval))))
    elif value is not None:
        words.append(whole(code(value_of(parameter, value))))
    if parameter.text is not None:
        words += [" = " if words else "", code(parameter.text)]
    if side.in_file is not None and side.in_file[0] != value:
        said, where = side.in_file
        words.append(f"; {where.file} says ")
        words.append(whole(code(value_of(parameter, said))))
    if parameter.default_of is not None:
        words.append(f", the default of {parameter.default_of}")
    elif parameter.role in (Role.FACT, Role.FIXED):
        words.append(f", {parameter.role.value}")
    elif parameter.role is Role.FREE and with_domain:
        words += [" of " if words else "", code(_domain(parameter))]
    return text(*words)


def _domain(parameter: Parameter) -> str:
    domain = parameter.domain
    if domain is None:
        return "any"
    if isinstance(domain, Choices):
        return "[" + ", ".join(value_of(parameter, value) for value in domain.values) + "]"
    low, high = ("" if end is None else value_of(parameter, end) for end in (domain.low, domain.high))
    return f"{low}..{high}" if low or high else "any"


def _measurement(change: MeasurementChange) -> tuple[Text, ...]:
    before: list[str] = []
    after: list[str] = []
    for side, words in ((change.before, before), (change.after, after)):
        if side is not None:
            taken = "" if side.taken is None else f", taken {side.taken.isoformat()}"
            words.append(f"{counted(side.sample.size, 'sample')} in {side.file}{taken}")
    for quantile in change.quantiles:
        for bound, words in ((quantile.before, before), (quantile.after, after)):
            words.append(f"{quantile.text} {'unknown' if bound is None else format_value(bound, 1)}")
    place = None if change.after is None else change.after.place
    return text(code(change.name)), text("; ".join(before)), text("; ".join(after)), _place(place)


def _rule(change: RuleChange) -> tuple[Text, ...]:
    name = text(code(change.id), f" (was {change.was})" if change.was else "")
    before, after = (
        (code(words),) if words is not None else (faint("not there"),) for words in (change.before, change.after)
    )
    return name, text(*before), text(*after), _place(change.place)


def _moved(headroom: Headroom) -> tuple[Text, ...]:
    return text(code(headroom.rule)), _stood(headroom.before), text("→"), _stood(headroom.after)


def _stood(verdict: Verdict | None) -> Text:
    if verdict is None:
        return text(faint("not judged"))
    if verdict.truth is Truth.NOT_APPLICABLE:
        return text(faint("does not apply"))
    if verdict.truth is Truth.BROKEN:
        return text(bad("broken"), _sides(verdict.decisive))
    room = "" if verdict.decisive is None else headroom_text(verdict.decisive)
    kept = () if verdict.margin_kept else (warn(", margin not kept"),)
    return text(whole(room or "holds"), *kept)


def _sides(judged: Judged | None) -> Text:
    """`: 905s not < 300s`."""
    if judged is None:
        return ()
    exponent = judged.comparison.time_exponent
    left, right = (extended_text(value, exponent) for value in (judged.left, judged.right))
    return text(": ", whole(code(f"{left} not {judged.comparison.sign} {right}")))


def _due(due: Sequence[Due]) -> Iterator[Block]:
    rows = [
        (text(_TONES[each.severity](each.severity.value)), text(code(each.subject)), text(each.why), _place(each.place))
        for each in due
    ]
    yield from shortened_table(("", "what", "why", "place"), rows, last_is_spare=True)
