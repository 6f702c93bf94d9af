"""The pictures of a spec as a section of the page: those of a shape and of what is broken drawn, the others when they are opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from outlast.constraints.evaluate import Verdict
from outlast.picturing.drawing import Drawing, names_of
from outlast.picturing.layout import lay_out
from outlast.picturing.timeline import Sentence
from outlast.reporting import Reported
from outlast.reports.markup import Markup, element
from outlast.reports.page.opening import Opening, state_of
from outlast.reports.svg import svg
from outlast.reports.wording import counted
from outlast.reports.wording import joined as listed

__all__ = ["timelines_section"]

#: How wide pictures are before the page knows its own width.
_WIDTH: Final = 760
#: Pictures of broken rules that are drawn before somebody opens them.
_MOST_DRAWN: Final = 40


def timelines_section(reported: Reported, opening: Opening) -> Markup:
    """The section `timelines`; empty where there is nothing to draw."""
    if not reported.drawings:
        return Markup("")
    shaped = [(n, drawing) for n, drawing in enumerate(reported.drawings) if drawing.shape is not None]
    bars = [(n, drawing) for n, drawing in enumerate(reported.drawings) if drawing.shape is None]
    broken = [each for each in bars if _is_broken(each[1], opening)]
    drawn = {number for number, _ in broken[:_MOST_DRAWN]}
    folded = [_article(number, drawing, opening, reported, drawn) for number, drawing in bars]
    return element(
        "section",
        element("h2", "Timelines"),
        *(_article(number, drawing, opening, reported, drawn) for number, drawing in shaped),
        *([element("h3", f"{counted(len(bars), 'rule')} as bars, left against right")] if bars else []),
        *folded,
        id="timelines",
    )


def _is_broken(drawing: Drawing, opening: Opening) -> bool:
    return any(state_of(opening.verdicts[rule]) in ("BROKEN", "margin missed") for rule in drawing.rules)


def _article(number: int, drawing: Drawing, opening: Opening, reported: Reported, drawn: set[int]) -> Markup:
    """One picture and the same in sentences."""
    is_shaped = drawing.shape is not None
    needed = names_of(drawing) | {name for rule in drawing.rules for name in reported.rules[rule].names()}
    missing = sorted(name for name in needed if name not in opening.world.values)
    timeline = None if missing else lay_out(drawing, opening.world, _known(drawing, opening.verdicts))
    picture: str = ""
    if timeline is not None and (is_shaped or number in drawn):
        picture = svg(timeline, width=_WIDTH, prefix=f"picture-{number}", titled=False)
    facts = [f"needs a value of {listed(missing)}"] if timeline is None else [*map(_fact, timeline.facts)]
    inside = [
        element("div", picture, class_="figure", data_part="figure"),
        element("ul", *(fact if isinstance(fact, Markup) else element("li", fact) for fact in facts), class_="facts", data_part="facts"),
    ]  # fmt: skip
    told: dict[str, str | int] = {"data_drawing": drawing.id, "data_number": number, "class_": "timeline"}
    if is_shaped:
        return element("article", element("h3", drawing.title), *inside, **told)
    return element("details", _summary(drawing), *inside, open=number in drawn, **told)


def _summary(drawing: Drawing) -> Markup:
    return element("summary", element("code", drawing.id, class_="id"), " ", element("code", drawing.title))


def _known(drawing: Drawing, verdicts: Mapping[str, Verdict | None]) -> dict[str, Verdict]:
    return {rule: verdict for rule in drawing.rules if (verdict := verdicts[rule]) is not None}


def _fact(fact: Sentence) -> Markup:
    return element("li", fact.words, class_=f"tone-{fact.tone.value}")
