"""Which rules notice other values, as a document: the verdict, each unguarded direction at length, then every parameter in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.model import Direction, Parameter
from outlast.constraints.quantities import Sentinel, Value
from outlast.reports.check import Row, spec_line
from outlast.reports.commands import spec_command
from outlast.reports.document import (
    Block,
    Document,
    Entry,
    Fields,
    Paragraph,
    Section,
    Span,
    Text,
    Verdict,
    bad,
    code,
    faint,
    good,
    text,
    warn,
    whole,
)
from outlast.reports.wording import Places, counted, joined, names_text, value_of
from outlast.solver.closing import Closer
from outlast.solver.mutants import Fate, Mutant, Mutated, MutateOutcome, State, Watch

__all__ = ["failing_text", "mutate_document", "survivor_rows"]

#: What a number does in a direction.
_SLIPS: Final = {
    Direction.HIGH: "may grow",
    Direction.LOW: "may shrink",
    Direction.OFF: "may be off",
}


def mutate_document(outcome: MutateOutcome, *, most: int | None = None) -> Document:
    """The whole report; with `most` so many directions at length, the rest by name, and not of each number who notices what."""
    places = Places(outcome.spec)
    blocks: list[Block] = [Verdict(_verdict(outcome)), Paragraph(spec_line(outcome.spec))]
    if outcome.status == "conflict":
        hint = whole(code(spec_command("outlast explain", outcome.spec)))
        blocks.append(Paragraph(text("nothing was changed, since no values keep every rule; ", hint, " tells why")))
        return tuple(blocks)
    if outcome.parameters:
        words = "those in use" if outcome.solved is None else "those that solve recommends"
        blocks.append(Paragraph(text(faint(f"values: {words}; each was changed alone"))))
    blocks += [_entry(mutated, watch, places) for mutated, watch in outcome.findings[:most]]
    if most is not None and (more := outcome.findings[most:]):
        names = names_text([f"{mutated.parameter.name} {watch.direction.value}" for mutated, watch in more])
        blocks.append(Paragraph(text(f"and {len(more)} more: ", names)))
    if any(watch.state is State.UNGUARDED for _, watch in outcome.findings):
        accepting = text(code("unguarded:"), " and a ", code("why:"), " at the parameter accept it")
        blocks.append(Paragraph(text("a rule that limits the number closes such a direction; ", accepting)))
    accepted = [
        (text(code(m.parameter.name), f" {w.direction.value}"), text(m.parameter.origin.why or ""))
        for m in outcome.parameters
        for w in m.watches
        if w.state is State.ACCEPTED
    ]
    if accepted:
        blocks.append(Section("unguarded, and accepted", (Fields(tuple(accepted)),)))
    if outcome.parameters and most is None:
        rows = tuple((_head(m), _noticed(m)) for m in outcome.parameters)
        legend = Paragraph(
            text(faint("the range that the rules leave each number, then who notices which other values"))
        )
        blocks.append(Section("who notices what", (legend, Fields(rows))))
    return tuple(blocks)


def _verdict(outcome: MutateOutcome) -> Text:
    if outcome.status == "conflict":
        return text(bad("the rules cannot hold together"))
    if outcome.status == "undecided":
        return text(warn(f"undecided: {outcome.undecided or 'a limit was reached'}"))
    states = [watch.state for _, watch in outcome.findings]
    unguarded, in_vain = states.count(State.UNGUARDED), states.count(State.IN_VAIN)
    told = []
    if unguarded:
        told.append(f"{counted(unguarded, 'direction')} {'is' if unguarded == 1 else 'are'} unguarded")
    if in_vain:
        told.append(f"{in_vain} {'is' if in_vain == 1 else 'are'} accepted in vain")
    if told:
        return text(bad(joined(told)))
    total = len(outcome.parameters)
    if total == 1:
        return text(good("the number is guarded, or said to need no guard"))
    return text(good(f"all {total} numbers are guarded, or said to need no guard"))


def _entry(mutated: Mutated, watch: Watch, places: Places) -> Entry:
    """One direction that fails, at length."""
    parameter = mutated.parameter
    tone, words = (bad, "unguarded") if watch.state is State.UNGUARDED else (warn, "accepted in vain")
    place = faint(f"({places.text(mutated.place)})")
    title = text(tone(words), " ", code(parameter.name), f": {watch.direction.value} ", place)
    rows = survivor_rows(watch, parameter)
    return Entry(title, (Paragraph(failing_text(mutated, watch)), *((Fields(tuple(rows)),) if rows else ())))


def failing_text(mutated: Mutated, watch: Watch) -> Text:
    """What is wrong with one direction, in a sentence without a full stop."""
    parameter, value = mutated.parameter, code(value_of(mutated.parameter, mutated.value))
    subject = text(code(parameter.name), " = ", value)
    if watch.state is State.IN_VAIN:
        noticing = sorted({r for m in mutated.mutants if m.direction is watch.direction for r in m.noticed_by})
        says = text(code(f"unguarded: {watch.direction.value}"), " says that no rule need notice it")
        if noticing:
            return text(subject, " is guarded there by ", names_text(noticing), ", though ", says)
        return text(subject, f" has nothing {watch.direction.value} that it could be changed to, though ", says)
    return text(subject, f" {_SLIPS[watch.direction]}, and no rule notices")


def survivor_rows(watch: Watch, parameter: Parameter) -> list[Row]:
    """The mutants that survive, what would close the direction, and how to accept it."""
    if watch.state is not State.UNGUARDED:
        return []
    rows: list[Row] = []
    for number, mutant in enumerate(watch.survivors):
        rows.append(("survives" if number == 0 else "and", _survivor(mutant, parameter)))
    for number, closer in enumerate(watch.closers):
        rows.append(("closed by" if number == 0 else "or by", _closer(closer)))
    return rows


def _survivor(mutant: Mutant, parameter: Parameter) -> Text:
    words = text(whole(code(value_of(parameter, mutant.value))), faint(f" ({joined(mutant.origins)})"))
    if not mutant.silenced:
        return words
    verb = "does" if len(mutant.silenced) == 1 else "do"
    return text(words, ", where ", names_text(mutant.silenced), f" {verb} not apply")


def _closer(closer: Closer) -> Text:
    """A relation of the catalogue, and what it waits for."""
    return text(code(closer.rule or closer.relation), f", but {closer.wants}")


def _head(mutated: Mutated) -> Text:
    return text(code(f"{mutated.parameter.name} = {value_of(mutated.parameter, mutated.value)}"))


def _noticed(mutated: Mutated) -> Text:
    """The range, then who notices which values, those that are alike together."""
    parts: list[Text] = [_range(mutated)]
    groups: dict[tuple[str, ...], list[Mutant]] = {}
    for mutant in mutated.mutants:
        if mutant.fate is Fate.NOTICED:
            groups.setdefault(mutant.noticed_by, []).append(mutant)
    for rules, mutants in groups.items():
        parts.append(text(_values(mutated.parameter, mutants), ": ", names_text(rules)))
    for fate, words in ((Fate.ALLOWED, "allowed"), (Fate.SURVIVES, "survives")):
        mutants = [m for m in mutated.mutants if m.fate is fate]
        if mutants:
            verb = "survive" if fate is Fate.SURVIVES and len(mutants) > 1 else words
            tone: Span = faint(verb) if fate is Fate.ALLOWED else warn(verb)
            parts.append(text(_values(mutated.parameter, mutants), ": " if fate is Fate.ALLOWED else " ", tone))
    spans: list[Text | str] = []
    for part in parts:
        spans += ["; ", part] if spans else [part]
    return text(*spans)


def _values(parameter: Parameter, mutants: Sequence[Mutant]) -> Text:
    parts: list[str | Span] = []
    for mutant in mutants:
        parts += [", " if parts else "", whole(code(value_of(parameter, mutant.value)))]
    return text(*parts)


def _range(mutated: Mutated) -> Text:
    """What the rules leave: `from 4.1s to 6.9s`."""
    parameter = mutated.parameter
    if parameter.effective(mutated.value) is Sentinel.OFF:
        return text("no range")

    def shown(value: Value) -> Span:
        return whole(code(value_of(parameter, value)))

    low, high = mutated.low.last, mutated.high.last
    if isinstance(low, Sentinel) and mutated.low.past is not None:
        if mutated.low.past <= (Fraction(0) if parameter.zero is None else parameter.step):
            return text("no number is allowed")
        return text("no number from ", shown(mutated.low.past), " on")
    if low is not None and high is not None:
        return text("only ", shown(low)) if low == high else text("from ", shown(low), " to ", shown(high))
    if low is not None:
        return text("from ", shown(low), " on")
    return text("up to ", shown(high)) if high is not None else text("no limits")
