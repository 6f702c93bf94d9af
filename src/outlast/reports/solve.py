"""What `solve` found, as a document: values with their ranges, rules with their headroom, bottlenecks, conflicts."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from outlast.constraints.evaluate import Truth
from outlast.constraints.evaluate import Verdict as RuleVerdict
from outlast.constraints.model import Level, Parameter, Role
from outlast.reports.check import Row, headroom_text, source_row, spec_line
from outlast.reports.document import (
    Block,
    Document,
    Entry,
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
from outlast.reports.growth import growth_fields
from outlast.reports.origins import Origins, Source
from outlast.reports.ranges import interval_text, limit_text, steps_text
from outlast.reports.wording import Places, all_hold, counted, extended_text, names_text, percent, value_of
from outlast.solver.outcome import Bottleneck, End, ParameterResult, Range, RuleResult, SolveOutcome, Status

__all__ = ["bottleneck_paragraph", "lowest_score", "room_rows", "rules_table", "solve_document", "solve_verdict"]


def solve_document(outcome: SolveOutcome) -> Document:
    """The whole report."""
    places = Places(outcome.spec)
    blocks: list[Block] = [Verdict(solve_verdict(outcome)), Paragraph(spec_line(outcome.spec))]
    if outcome.proved:
        blocks.append(Section("what is known nevertheless", tuple(Paragraph(text(p)) for p in outcome.proved)))
    if outcome.status is Status.CONFLICT:
        blocks += _conflicts(outcome, places)
    free = [r for r in outcome.parameters.values() if r.parameter.role is Role.FREE and r.value is not None]
    if free:
        blocks.append(Section("values", (_values(free), *[_room(r, places) for r in free if r.range is not None])))
    derived = [r for r in outcome.parameters.values() if r.parameter.role is Role.DERIVED and r.value is not None]
    if derived:
        blocks.append(Section("computed from them", (_derived(derived, places),)))
    if outcome.rules:
        blocks.append(Section("rules", (rules_table(outcome, places),)))
    if outcome.bottlenecks:
        blocks.append(
            Section("what holds the headroom down", tuple(bottleneck_paragraph(b) for b in outcome.bottlenecks))
        )
    blocks += _shoulds(outcome, places)
    blocks += _given(outcome, places)
    if outcome.growth:
        blocks.append(Section("room to grow", (growth_fields(outcome.growth, outcome.spec),)))
    if outcome.notes:
        blocks.append(Section("to know", (Fields(tuple(("note", text(note)) for note in outcome.notes)),)))
    return tuple(blocks)


def lowest_score(outcome: SolveOutcome) -> Fraction | None:
    """The smallest score at the recommended values; None where nothing scores."""
    scores = [r.verdict.score for r in outcome.rules.values() if r.kept and r.verdict.score is not None]
    return min(scores, default=None)


def _conflicts(outcome: SolveOutcome, places: Places) -> list[Block]:
    from outlast.reports.conflict import conflict_entry  # not needed where all is well
    from outlast.reports.explain import shortened

    if outcome.account is not None and outcome.account.conflicts:
        return list(shortened(outcome.account, places))
    return [conflict_entry(c, outcome.spec, places, full=True) for c in outcome.conflicts]


def _is_silent(result: RuleResult) -> bool:
    """Whether nobody needs to see the rule: a bound that is kept, or one of the catalogue that does not apply."""
    rule = result.rule.rule
    return rule.is_bound or (rule.relation is not None and result.verdict.truth is Truth.NOT_APPLICABLE)


def solve_verdict(outcome: SolveOutcome) -> Text:
    """The first line: what was found."""
    if outcome.status is Status.CONFLICT:
        if outcome.account is not None and outcome.account.conflicts:
            from outlast.reports.explain import conflict_verdict

            return conflict_verdict(outcome.account)
        if len(outcome.conflicts) == 1:
            return text(bad("conflict: what the spec demands cannot hold together"))
        return text(bad(f"{len(outcome.conflicts)} conflicts: what the spec demands cannot hold together"))
    if outcome.status is Status.UNDECIDED:
        return text(warn("undecided"), f": {outcome.undecided or 'the limit came first'}")
    rules = [r for r in outcome.rules.values() if not r.rule.rule.is_bound]
    kept = [r for r in rules if r.kept]
    idle = sum(1 for r in kept if r.verdict.truth is Truth.NOT_APPLICABLE)
    holding, total = len(kept) - idle, len(rules)
    words = all_hold(total) if holding == total else f"{holding} of {counted(total, 'rule')} {_verb(holding, 'hold')}"
    parts: list[str | Span] = [good(words)]
    if outcome.given_up:
        given = len(outcome.given_up)
        parts.append(warn(f", {given} that {'is' if given == 1 else 'are'} not demanded had to be given up"))
    if idle:
        parts.append(f", {idle} {'does' if idle == 1 else 'do'} not apply")
    lowest = lowest_score(outcome)
    if outcome.objective == "closest":
        parts.append(f"; {_changes(outcome)}")
    elif outcome.status is Status.FEASIBLE:
        parts.append("; any values were asked for, not the best")
    elif lowest is not None:
        parts.append("; ")
        parts.append(
            "each has all the headroom that it aims at"
            if lowest >= 1
            else f"the tightest have {percent(lowest)} of the headroom that they aim at"
        )
    return text(*parts)


def _changes(outcome: SolveOutcome) -> str:
    """How much of what is in use has to change."""
    in_use = [r for r in outcome.parameters.values() if r.changed is not None]
    changed = sum(1 for r in in_use if r.changed)
    if not in_use:
        return "no value is in use yet"
    if not changed:
        return "nothing has to change"
    words = f"{changed} of {counted(len(in_use), 'value')} {_verb(changed, 'change')}"
    return f"{words}, not shown to be the fewest and least" if outcome.status is Status.FEASIBLE else words


def _verb(number: int, verb: str) -> str:
    return f"{verb}s" if number == 1 else verb


def _values(results: list[ParameterResult]) -> Table:
    rows = []
    for result in results:
        parameter, value = result.parameter, result.value
        assert value is not None  # the caller saw to it
        now = parameter.current
        rows.append(
            (
                (code(parameter.name),),
                text(whole(strong(value_of(parameter, value)))),
                text("-" if now is None else whole(value_of(parameter, now)) if result.changed else "the same"),
                interval_text(parameter, result.range) if result.range else (),
            )
        )
    return Table(("parameter", "value", "now", "possible"), tuple(rows))


def _room(result: ParameterResult, places: Places) -> Entry:
    """What limits one parameter, and what is left of its range with the others as recommended."""
    parameter = result.parameter
    rows = room_rows(result)
    if parameter.origin.why:
        rows.append(("why", text(parameter.origin.why)))
    title = text(code(parameter.name), faint(f" ({places.text(parameter.place)})"))
    return Entry(title, (Fields(tuple(rows)),) if rows else ())


def room_rows(result: ParameterResult) -> list[Row]:
    """The ends of a free parameter's range, and what decided its value."""
    parameter = result.parameter
    rows: list[Row] = []
    if (found := result.range) is not None:
        if steps := steps_text(parameter, found):
            rows.append(("on its step", steps))
        rows += _limits(parameter, found)
        if found.gaps is None and found.listed is None and found.low is not None:
            rows.append(("gaps", text("not searched for")))
    if (rest := result.range_as_recommended) is not None:
        rows.append(("the others as above", _rest(parameter, rest, found)))
    if result.chosen:
        rows.append(("chosen", text(result.chosen)))
    return rows


def _rest(parameter: Parameter, rest: Range, found: Range | None) -> Text:
    interval, steps = interval_text(parameter, rest), steps_text(parameter, rest)
    if found is not None and (interval, steps) == (interval_text(parameter, found), steps_text(parameter, found)):
        return text("the same range")
    return text(interval, ", on its step " if steps else "", steps)


def _limits(parameter: Parameter, found: Range) -> list[Row]:
    if found.listed is not None or (found.low is None and found.high is None):
        return []
    return [
        ("from below", _limit(parameter, found.low, "it cannot be less than 0")),
        ("from above", _limit(parameter, found.high, "nothing limits it")),
    ]


def _limit(parameter: Parameter, end: End | None, unlimited: str) -> Text:
    if end is None or not end.limited_by:
        return text(unlimited)
    return text("limited by ", limit_text(end.limited_by, parameter.name))


def _derived(results: list[ParameterResult], places: Places) -> Table:
    rows = []
    for result in results:
        parameter, value = result.parameter, result.value
        assert value is not None  # the caller saw to it
        row = ((code(parameter.name),), (whole(code(value_of(parameter, value))),), (code(parameter.text or ""),))
        rows.append((*row, text(faint(places.text(parameter.place)))))
    return Table(("parameter", "value", "formula", "place"), tuple(rows), last_is_spare=True)


def rules_table(outcome: SolveOutcome, places: Places, only: Collection[str] | None = None) -> Table:
    """Rules at the recommended values, all of them or only some."""
    binding = {id_ for bottleneck in outcome.bottlenecks for id_ in bottleneck.rules}
    results = [r for id_, r in outcome.rules.items() if (id_ in only if only is not None else not _is_silent(r))]
    rows = [_rule(result, result.rule.id in binding, places) for result in results]
    return Table(("rule", "left", "", "right", "headroom", "of its aim", "place"), tuple(rows), last_is_spare=True)


def _rule(result: RuleResult, binding: bool, places: Places) -> tuple[Text, ...]:
    verdict, judged = result.verdict, result.verdict.decisive
    left = sign = right = headroom = ""
    if judged is not None and verdict.truth is not Truth.NOT_APPLICABLE:
        exponent = judged.comparison.time_exponent
        left, right = extended_text(judged.left, exponent), extended_text(judged.right, exponent)
        sign, headroom = judged.comparison.sign, headroom_text(judged)
    return (
        (code(result.rule.id),),
        (whole(code(left)),) if left else (),
        text(sign),
        (whole(code(right)),) if right else (),
        text(whole(headroom)) if headroom else (),
        _score(result, verdict, binding),
        text(faint(places.text(result.rule.rule.place))),
    )


def _score(result: RuleResult, verdict: RuleVerdict, binding: bool) -> Text:
    if not result.kept:
        return text(warn("given up"))
    if verdict.truth is Truth.NOT_APPLICABLE:
        return text(faint("does not apply"))
    score = "" if verdict.score is None else percent(verdict.score)
    comma = ", " if binding and score else ""
    return text(whole(f"{score}{comma}"), whole(strong("tight"))) if binding else text(whole(score)) if score else ()


def bottleneck_paragraph(bottleneck: Bottleneck) -> Paragraph:
    """Which rules share the room, and how much of it they have."""
    level = percent(Fraction(bottleneck.level, 1000))
    names = names_text(bottleneck.rules)
    if len(bottleneck.rules) == 1:
        words = text(names, f" cannot have more than {level} of its aim")
    else:
        number = len(bottleneck.rules)
        words = text(
            f"these {number} share the room: ", names, f"; they cannot all have more than {level} of their aims"
        )
    if bottleneck.held_by_steps:
        words = text(words, ", held by the steps: values between them would allow more")
    if not bottleneck.confirmed:
        words = text(words, " (not confirmed within the limits)")
    return Paragraph(words)


def _shoulds(outcome: SolveOutcome, places: Places) -> list[Block]:
    blocks: list[Block] = []
    entries = []
    if outcome.given_up:
        from outlast.reports.conflict import conflict_entry
    for given in outcome.given_up:
        title = text(warn("given up"), "  ", code(given.rule))
        because = (conflict_entry(given.conflict, outcome.spec, places),) if given.conflict is not None else ()
        entries.append(Entry(title, because))
    if entries:
        blocks.append(Section("rules that had to be given up", tuple(entries)))
    kept = [r.rule.id for r in outcome.rules.values() if r.kept and r.rule.rule.level is Level.SHOULD]
    if kept and outcome.status in (Status.OPTIMAL, Status.FEASIBLE):
        blocks.append(Section("kept though not demanded", (Paragraph(names_text(kept)),)))
    return blocks


def _given(outcome: SolveOutcome, places: Places) -> list[Block]:
    """Facts and fixed values that the rules use, and the bounds of what was measured."""
    values = {name: result.value for name, result in outcome.parameters.items()}
    origins = Origins(outcome.spec, values, recommended=True)
    given: dict[tuple[str, str], Source] = {}
    for rule in outcome.spec.rules.values():
        for source in origins.of_rule(rule):
            given.setdefault((source.name, source.bound or ""), source)
    ordered = [source for _, source in sorted(given.items())]
    blocks: list[Block] = []
    if told := [source_row(s, places) for s in ordered if s.role in ("fact", "fixed") or s.is_default]:
        blocks.append(Section("facts and decisions", (Fields(tuple(told)),)))
    if measured := [source_row(s, places) for s in ordered if s.role == "measurement"]:
        blocks.append(Section("measured", (Fields(tuple(measured)),)))
    return blocks
