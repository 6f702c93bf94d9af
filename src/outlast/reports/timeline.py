"""Pictures of a spec as a document: of each the drawing, then everything that it shows in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outlast.constraints.evaluate import Truth
from outlast.constraints.model import Role
from outlast.picturing.drawing import Tone
from outlast.picturing.events import events_of
from outlast.picturing.timeline import Timeline
from outlast.reporting import RECOMMENDED, Panel, Pictured
from outlast.reports.check import spec_line
from outlast.reports.document import (
    Block,
    Document,
    Drawn,
    Entry,
    Listing,
    Paragraph,
    Section,
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
from outlast.reports.wording import counted, value_of
from outlast.solver.outcome import Status

__all__ = ["timeline_document"]


def timeline_document(outcome: Pictured) -> Document:
    """The whole report."""
    blocks: list[Block] = [Verdict(_verdict(outcome)), Paragraph(spec_line(outcome.spec))]
    blocks += _values(outcome)
    for id_ in dict.fromkeys(timeline.id for panel in outcome.panels for timeline in panel.timelines):
        found = _merged([(panel.name, t) for panel in outcome.panels for t in panel.timelines if t.id == id_])
        drawn = tuple((name, timeline) for name, timeline in found if timeline.is_drawn)
        pictures = (Drawn(drawn),) if drawn else ()
        blocks.append(Entry(_title(found[0][1]), (*pictures, *_facts(found))))
    if outcome.idle:
        ids = [part for number, id_ in enumerate(outcome.idle) for part in (", " if number else "", code(id_))]
        blocks.append(Paragraph(text(faint("not drawn, since they do not apply: "), *ids)))
    if outcome.untold:
        blocks.append(Section("what is not drawn", (Listing(tuple(text(why) for why in outcome.untold)),)))
    return tuple(blocks)


def _verdict(outcome: Pictured) -> Text:
    """`2 pictures: in use 1 of 3 rules is broken, recommended all 3 hold`."""
    count = len({timeline.id for panel in outcome.panels for timeline in panel.timelines})
    if not count:
        return text("nothing is drawn: ", _why_not(outcome))
    parts: list[str | Text] = [counted(count, "picture")]
    for number, panel in enumerate(outcome.panels):
        parts += [", " if number else ": ", f"{panel.name} ", _standing(panel)]
    if outcome.is_recommended:
        parts.append("; what is in use is recommended, too")
    if outcome.solved is not None and outcome.solved.status is Status.CONFLICT:
        parts.append(text("; ", bad("conflict: no values can be recommended")))
    elif outcome.solved is not None and outcome.solved.status is Status.UNDECIDED:
        parts.append(text("; ", warn("undecided: no values are recommended")))
    return text(*parts)


def _why_not(outcome: Pictured) -> Text:
    """Why there is no picture at all."""
    if outcome.solved is not None and outcome.solved.status is Status.CONFLICT:
        return text(bad("conflict, no values can be recommended"))
    if outcome.solved is not None and outcome.solved.status is Status.UNDECIDED:
        return text(warn("undecided, no values are recommended"))
    if outcome.untold:
        return text("values are missing")
    if outcome.idle:
        return text("no rule applies at these values")
    return text("all that could be are limits of the software, and they are kept")


def _standing(panel: Panel) -> Text:
    """How many of a panel's rules do not hold."""
    verdicts = panel.verdicts.values()
    broken = sum(1 for v in verdicts if v.truth is Truth.BROKEN)
    short = sum(1 for v in verdicts if v.truth is not Truth.BROKEN and not v.margin_kept)
    total = len(verdicts)
    parts = []
    if broken:
        parts.append(text(bad(f"{broken} of {counted(total, 'rule')} {'is' if broken == 1 else 'are'} broken")))
    if short:
        words = "margin is not kept" if short == 1 else "margins are not kept"
        parts.append(text(" and " if broken else "", warn(f"{short} {words}")))
    return text(*parts) or text(good("no rule is broken"))


def _values(outcome: Pictured) -> Iterator[Block]:
    """Values that differ from panel to panel, or those that are recommended where nothing else is shown."""
    panels, parameters = outcome.panels, outcome.spec.parameters
    names = [n for n in dict.fromkeys(name for panel in panels for name in panel.values) if n in parameters]
    if len(panels) > 1:
        names = [n for n in names if len({panel.values.get(n) for panel in panels}) > 1]
    else:
        recommended = {panel.name for panel in panels} == {RECOMMENDED}
        names = [n for n in names if recommended and parameters[n].role is Role.FREE]
    rows = []
    for name in names:
        values = [panel.values.get(name) for panel in panels]
        cells = [() if v is None else text(whole(code(value_of(parameters[name], v)))) for v in values]
        rows.append((text(code(name)), *cells))
    if rows:
        yield Section("values", (Table(("parameter", *(panel.name for panel in panels)), tuple(rows)),))


def _merged(panels: Sequence[tuple[str, Timeline]]) -> list[tuple[str, Timeline]]:
    """What looks the same at all values once, under all their names."""
    if len({timeline for _, timeline in panels}) > 1:
        return list(panels)
    return [(" and ".join(name for name, _ in panels), panels[0][1])]


def _title(timeline: Timeline) -> Text:
    """`A request (request@client:lb)`; the id is what the command line takes."""
    if timeline.title == timeline.id:
        return text(code(timeline.id))
    if timeline.title.endswith(f" ({timeline.id})"):  # it tells the picture from another of its title
        title = timeline.title.removesuffix(f" ({timeline.id})")
        return text(strong(title), faint(" ("), code(timeline.id), faint(")"))
    return text(strong(timeline.title), faint(" ("), code(timeline.id), faint(")"))


def _facts(panels: Sequence[tuple[str, Timeline]]) -> Iterator[Block]:
    """What each panel shows; once, where all show the same."""
    told = [(name, Listing(tuple(_items(timeline)))) for name, timeline in panels]
    if len({listing for _, listing in told}) == 1:
        yield told[0][1]
        return
    for name, listing in told:
        yield Paragraph(text(strong(f"{name}:")))
        yield listing


def _items(timeline: Timeline) -> Iterator[Text]:
    """The facts, then what each lane shows."""
    for fact in timeline.facts:
        yield text(bad(fact.words)) if fact.tone is Tone.BAD else text(fact.words)
    yield from (text(events) for events in events_of(timeline))
