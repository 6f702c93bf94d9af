"""The pictures of a spec as a section of the page: those of a shape and of what is broken drawn, the others when they are opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from outlast.constraints.evaluate import Verdict
from outlast.picturing.drawing import Drawing, names_of
from outlast.picturing.layout import lay_out
from outlast.reporting import Reported
from outlast.reports.markup import Markup, element, joined
from outlast.reports.page.opening import Opening, state_of
from outlast.reports.page.rules import rule_numbers
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
    numbered = list(enumerate(reported.drawings))
    shaped = [each for each in numbered if each[1].shape is not None]
    bars = [each for each in numbered if each[1].shape is None]
    broken = [number for number, drawing in bars if _is_broken(drawing, opening)]
    drawn, rows = frozenset(broken[:_MOST_DRAWN]), rule_numbers(reported, opening)
    folded = [
        _drawn(number, drawing, reported, opening) if number in drawn else _undrawn(number, drawing, rows)
        for number, drawing in bars
    ]
    return element(
        "section",
        element("h2", "Timelines"),
        *(_drawn(number, drawing, reported, opening) for number, drawing in shaped),
        *([element("h3", f"{counted(len(bars), 'rule')} as bars, left against right")] if bars else []),
        *folded,
        id="timelines",
    )


def _is_broken(drawing: Drawing, opening: Opening) -> bool:
    return any(state_of(opening.verdicts[rule]) in ("BROKEN", "margin missed") for rule in drawing.rules)


def _drawn(number: int, drawing: Drawing, reported: Reported, opening: Opening) -> Markup:
    """A picture and the same in sentences."""
    needed = names_of(drawing) | {name for rule in drawing.rules for name in reported.rules[rule].names()}
    if missing := sorted(name for name in needed if name not in opening.world.values):
        return _article(
            number, drawing, Markup(""), [element("li", f"cannot be drawn without a value of {listed(missing)}")]
        )
    timeline = lay_out(drawing, opening.world, _known(drawing, opening.verdicts))
    picture = svg(timeline, width=_WIDTH, prefix=f"picture-{number}", titled=False)
    facts = [element("li", fact.words, class_=f"tone-{fact.tone.value}") for fact in timeline.facts]
    return _article(number, drawing, picture, facts)


def _undrawn(number: int, drawing: Drawing, rows: Mapping[str, int]) -> Markup:
    """A picture that is drawn when somebody opens it."""
    links = [element("a", rule, href=f"#rule-{rows[rule]}") for rule in drawing.rules]
    return _article(number, drawing, None, [element("li", "its numbers stand with the rules: ", joined(links, ", "))])


def _article(number: int, drawing: Drawing, picture: Markup | None, facts: Sequence[Markup]) -> Markup:
    inside = [
        "" if picture is None else element("div", picture, class_="figure"),
        element("ul", *facts, class_="facts"),
    ]
    told: dict[str, str | int] = {"data_number": number, "class_": "timeline"}
    if drawing.shape is not None:
        return element("article", element("h3", drawing.title), *inside, **told)
    return element("details", _summary(drawing), *inside, open=picture is not None, **told)


def _summary(drawing: Drawing) -> Markup:
    return element("summary", element("code", drawing.id, class_="id"), " ", element("code", drawing.title))


def _known(drawing: Drawing, verdicts: Mapping[str, Verdict | None]) -> dict[str, Verdict]:
    return {rule: verdict for rule in drawing.rules if (verdict := verdicts[rule]) is not None}
