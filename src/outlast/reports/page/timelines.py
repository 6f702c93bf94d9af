"""The pictures of a spec as a section of the page: those of a shape and of what is broken drawn, if not too many, the others when they are opened.

Pictures none of whose rules applies are folded, and so are rules as bars where there are pictures of a shape, or many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from outlast.constraints.evaluate import Verdict
from outlast.picturing.drawing import Drawing
from outlast.picturing.events import events_of
from outlast.picturing.layout import lay_out
from outlast.reporting import Reported, is_short, unknown_in
from outlast.reports.markup import Markup, element, forward, joined
from outlast.reports.page.opening import Opening, state_of
from outlast.reports.page.rules import rule_numbers
from outlast.reports.svg import WIDTH, svg
from outlast.reports.wording import counted
from outlast.reports.wording import joined as listed

__all__ = ["timelines_section"]

#: Pictures of a shape, and rules as bars, that are drawn before somebody opens them; those of broken rules come first.
_MOST_DRAWN: Final = 40
#: Rules as bars that are not folded where nothing else is drawn.
_MOST_OPEN: Final = 8


def timelines_section(reported: Reported, opening: Opening) -> Markup:
    """The section `timelines`; empty where there is nothing to draw."""
    if not reported.drawings:
        return Markup("")
    numbered = list(enumerate(reported.drawings))
    shaped = [each for each in numbered if each[1].shape is not None]
    bars = [each for each in numbered if each[1].shape is None]
    broken = [number for number, drawing in bars if _is_broken(drawing, opening)]
    first = sorted(shaped, key=lambda each: not _is_broken(each[1], opening))
    drawn = frozenset([*(number for number, _ in first[:_MOST_DRAWN]), *broken[:_MOST_DRAWN]])
    rows = rule_numbers(reported, opening)

    def picture(number: int, drawing: Drawing) -> Markup:
        return _drawn(number, drawing, reported, opening) if number in drawn else _undrawn(number, drawing, rows)

    summary = element("summary", f"{counted(len(bars), 'rule')} as bars, smaller side against larger one")
    is_open = not shaped and len(bars) <= _MOST_OPEN
    return element(
        "section",
        element("h2", "Timelines"),
        *(picture(*each) for each in shaped),
        element("details", summary, *(picture(*each) for each in bars), class_="bars", open=is_open) if bars else "",
        id="timelines",
    )


def _is_broken(drawing: Drawing, opening: Opening) -> bool:
    return any(is_short(opening.verdicts[rule]) for rule in drawing.rules)


def _is_idle(drawing: Drawing, opening: Opening) -> bool:
    """Whether it is of rules none of which applies."""
    states = [state_of(opening.verdicts[rule]) for rule in drawing.rules]
    return bool(states) and all(state == "not applicable" for state in states)


def _drawn(number: int, drawing: Drawing, reported: Reported, opening: Opening) -> Markup:
    """A picture and the same in sentences: what is to be seen in it, then what each lane shows; folded where it is of a shape and none of its rules applies."""
    is_idle = _is_idle(drawing, opening)
    is_open, summary = drawing.shape is None or not is_idle, _summary(drawing, is_idle=is_idle)
    no_figure = element("div", class_="figure")
    if missing := unknown_in(drawing, reported.rules, opening.world):
        facts = [element("li", f"cannot be drawn without a value of {listed(missing)}")]
        return _picture(number, drawing, summary, [no_figure], facts, is_open=is_open)
    timeline = lay_out(drawing, opening.world, _known(drawing, opening.verdicts))
    facts = [element("li", forward(fact.words), class_=f"tone-{fact.tone.value}") for fact in timeline.facts]
    if not timeline.is_drawn:
        return _picture(number, drawing, summary, [no_figure], facts, is_open=is_open)
    picture = svg(timeline, width=WIDTH, prefix=f"picture-{number}", titled=False, told=False)
    lanes = [element("li", forward(lane)) for lane in events_of(timeline)]
    more = element("details", element("summary", "what each lane shows"), element("ul", *lanes), class_="lanes")
    figure = element("div", picture, class_="figure")
    return _picture(number, drawing, summary, [figure], facts, [more], is_open=is_open)


def _undrawn(number: int, drawing: Drawing, rows: Mapping[str, int]) -> Markup:
    """A picture that is drawn when somebody opens it."""
    links = [element("a", rule, href=f"#rule-{rows[rule]}") for rule in drawing.rules]
    facts = [element("li", "its numbers are at ", joined(links, ", "))]
    return _picture(number, drawing, _summary(drawing), [], facts, is_open=False)


def _picture(
    number: int,
    drawing: Drawing,
    summary: Markup,
    figure: Sequence[Markup],
    facts: Sequence[Markup],
    lanes: Sequence[Markup] = (),
    *,
    is_open: bool,
) -> Markup:
    said = element("div", element("ul", *facts, class_="facts"), *lanes, class_="said")
    class_ = "timeline" if drawing.shape is None else "timeline shaped"
    inside = element("div", *figure, said, class_="inner")
    return element("details", summary, inside, class_=class_, data_number=number, open=is_open)


def _summary(drawing: Drawing, *, is_idle: bool = False) -> Markup:
    """What it is of."""
    if drawing.shape is None:
        return element("summary", element("code", drawing.id, class_="id"), " ", element("code", drawing.title))
    note = element("span", " does not apply at these values", class_="note idle", hidden=not is_idle)
    return element("summary", element("h3", forward(drawing.title)), note)


def _known(drawing: Drawing, verdicts: Mapping[str, Verdict | None]) -> dict[str, Verdict]:
    return {rule: verdict for rule in drawing.rules if (verdict := verdicts[rule]) is not None}
