"""Timelines as SVG: lanes under an axis, words where they overlap nothing, and below them the room of each rule.

How things look is said by classes alone, which page/timeline.css knows; page/svg.js draws the same in the page, to the byte.
All measures are whole tenths of a pixel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from fractions import Fraction
from html import escape
from importlib.resources import files
from typing import Final

from outlast.constraints.quantities import format_value
from outlast.constraints.record import record, replace
from outlast.picturing.drawing import Tone
from outlast.picturing.layout import last_place, up_to
from outlast.picturing.timeline import Gap, Moment, Row, Stretch, Timeline
from outlast.reports.markup import TSPAN, Markup, element, forward
from outlast.reports.svg_text import (
    COLUMN,
    columns,
    depth_of,
    length,
    one_line,
    placed,
    readable,
    wrapped,
)

__all__ = ["WIDTH", "svg", "svg_file"]

#: How wide a picture is that has the room to itself, in pixels.
WIDTH: Final = 760

#: Around everything, and between the label of a lane and its bars.
_MARGIN: Final = 140
#: From this width on labels stand on the left, in pixels.
_WIDE: Final = 520
_LONGEST_LABEL: Final = 26

#: How high a line of words is, and how far below its top words stand.
_LINE: Final = 170
_BASE: Final = 125
#: How wide a column of a title is, how high a line of it, and how far below its top it stands.
_TITLE_COLUMN: Final = 84
_TITLE_LINE: Final = 200
_TITLE_BASE: Final = 145
_BAR: Final = 190
_BAR_BASE: Final = 136
_AFTER_BAR: Final = 20
_AFTER_LANE: Final = 90
_BEFORE_ROOM: Final = 60
#: Inside of a bar, on both sides of its words.
_INSET: Final = 60
#: From the middle of a mark to each of its corners, and how much of a bar it keeps free of words.
_CORNER: Final = 50
_BESIDE_MARK: Final = 80
_BESIDE_LINE: Final = 60
_ARROW: Final = 70
_THINNEST: Final = 10
_GUTTER: Final = 160

#: What is meant is never told by a colour alone.
_SIGNS: Final = {Tone.BAD: "✗ ", Tone.GOOD: "✓ "}


@record(kw_only=True)
class _Bar:
    start: int
    #: None: it goes on beyond the picture.
    end: int | None
    words: str
    tone: Tone


@record(kw_only=True)
class _Mark:
    place: int
    words: str
    tone: Tone


@record(kw_only=True)
class _Lane:
    label: str
    bars: tuple[_Bar, ...]
    marks: tuple[_Mark, ...]
    #: Whether it is the room of a rule.
    is_room: bool


@record(kw_only=True)
class _Frame:
    """Where things are, from left to right."""

    left: int
    #: Where the axis begins.
    origin: int
    right: int
    until: Fraction
    #: The columns of a label; None: it stands above its lane.
    label: int | None
    #: Where rules go wrong, from left to right.
    walls: tuple[int, ...] = ()

    def place(self, at: Fraction) -> int:
        """Where a moment is, on the left side of its tenth of a pixel."""
        return min(self.right, self.origin + at * (self.right - self.origin) // self.until)


@record(frozen=False)
class _Sheet:
    """What is drawn, from the back to the front."""

    #: The id of what bars of what is bad are filled with.
    hatch: str
    is_hatched: bool = False
    back: list[Markup] = field(default_factory=list)
    bars: list[Markup] = field(default_factory=list)
    lines: list[Markup] = field(default_factory=list)
    words: list[Markup] = field(default_factory=list)

    def text(self, left: int, top: int, text: str, class_: str) -> None:
        self.words.append(_text(left, top + _BASE, length(text), text, class_))

    def clear(self, left: int, top: int, text: str) -> None:
        """Hide what is behind a line of words."""
        box = {"x": _px(left - 20), "y": _px(top + 10), "width": _px(length(text) + 40), "height": _px(_LINE - 20)}
        self.words.append(element("rect", class_="tl-paper", **box))

    def path(self, class_: str, d: str) -> None:
        self.lines.append(element("path", class_=class_, d=d))


def svg(timeline: Timeline, *, width: int, prefix: str = "timeline", titled: bool = True, told: bool = True) -> Markup:
    """A picture, `width` pixels wide (200 at least), as high as it needs; it brings no style of its own.

    Ids in it begin with `prefix` and differ from picture to picture. Without `titled` the title is read out, but not drawn;
    without `told` it is all that is read out, since the facts stand beside it.
    """
    name = f"{prefix}-{_safe(timeline.id)}"
    height, inside = _drawn(timeline, width, name, titled=titled, told=told)
    return _root(inside, name, width, height, told=told)


def svg_file(panels: Sequence[tuple[str, Sequence[Timeline]]], *, width: int) -> Markup:
    """A file of its own: panels by their titles side by side, each `width` pixels wide, pictures of the same id in one row.

    Pictures of the same id share their axis.
    """
    ids = dict.fromkeys(timeline.id for _, timelines in panels for timeline in timelines)
    last = {each: max(last_place(t) for _, ts in panels for t in ts if t.id == each) for each in ids}
    lefts = [n * (width * 10 + _GUTTER) for n in range(len(panels))]
    parts: list[Markup] = []
    heads = [wrapped(one_line(title), (width * 10 - 2 * _MARGIN) // _TITLE_COLUMN) for title, _ in panels]
    for left, head in zip(lefts, heads, strict=True):
        parts += _head(left + _MARGIN, _MARGIN, head, "tl-head")
    top = max((_MARGIN + len(head) * _TITLE_LINE for head in heads if head), default=0)
    for each in ids:
        lowest = top
        for number, (left, (_, timelines)) in enumerate(zip(lefts, panels, strict=True), start=1):
            for timeline in timelines:
                if timeline.id == each:
                    name = f"panel{number}-{_safe(each)}"
                    if timeline.is_drawn:
                        height, inside = _drawn(up_to(last[each], timeline), width, name, titled=True)
                    else:
                        height, inside = _undrawn(timeline, width, name)
                    parts.append(_root(inside, name, width, height, left=left, top=top))
                    lowest = max(lowest, top + height)
        top = lowest
    total = lefts[-1] + width * 10 if lefts else width * 10
    paper = element("rect", class_="tl-paper", width=_px(total), height=_px(top))
    style = Markup(f"<style>\n{files('outlast.reports.page').joinpath('timeline.css').read_text('utf-8')}</style>")
    size = {"viewBox": f"0 0 {_px(total)} {_px(top)}", "width": _px(total), "height": _px(top)}
    return element("svg", style, paper, *parts, xmlns="http://www.w3.org/2000/svg", class_="tl", **size)


def _root(
    inside: Iterable[Markup], name: str, width: int, height: int, left: int = 0, top: int = 0, *, told: bool = True
) -> Markup:
    place = {"x": _px(left), "y": _px(top)} if left or top else {}
    size = {"viewBox": f"0 0 {width} {_px(height)}", "width": str(width), "height": _px(height)}
    names = f"{name}-title {name}-desc" if told else f"{name}-title"
    return element("svg", *inside, class_="tl", **place, **size, role="img", aria_labelledby=names)


def _drawn(timeline: Timeline, width: int, name: str, *, titled: bool, told: bool = True) -> tuple[int, list[Markup]]:
    """How high a picture is, and what is in it."""
    sheet = _Sheet(f"{name}-hatch")
    frame = _frame(timeline, width)
    top = _draw_title(sheet, timeline, width) if titled else _MARGIN
    begin = _draw_axis(sheet, frame, timeline, top)
    top = _draw_walls(sheet, frame, timeline, begin + 60) if frame.walls else begin + 100
    lanes = _lanes(timeline, frame)
    for number, lane in enumerate(lanes):
        if lane.is_room and number and not lanes[number - 1].is_room:
            rule = f"M{_px(frame.left)} {_px(top)}H{_px(frame.right)}"
            sheet.back.append(element("path", class_="tl-rule", d=rule))
            top += _BEFORE_ROOM + _AFTER_LANE
        top = _draw_lane(sheet, frame, lane, top) + _AFTER_LANE
    top -= _AFTER_LANE - 30
    for wall in frame.walls:
        sheet.path("tl-wall", f"M{_px(wall)} {_px(begin)}V{_px(top)}")
    grid = "".join(f"M{_px(frame.place(tick.at))} {_px(begin)}V{_px(top)}" for tick in timeline.ticks)
    sheet.back.insert(0, element("path", class_="tl-grid", d=grid))
    height = top + _MARGIN
    return height, _all(sheet, timeline, width, height, name, told=told)


def _undrawn(timeline: Timeline, width: int, name: str) -> tuple[int, list[Markup]]:
    """The same of a picture that cannot be drawn: the title, and below it the sentences, of which one says why."""
    sheet = _Sheet(f"{name}-hatch")
    top = _draw_title(sheet, timeline, width)
    for fact in timeline.facts:
        for line in wrapped(_signed(fact.words, fact.tone), (width * 10 - 2 * _MARGIN) // COLUMN):
            sheet.text(_MARGIN, top, line, f"tl-words tl-{fact.tone.value}")
            top += _LINE
    height = top + _MARGIN
    return height, _all(sheet, timeline, width, height, name, told=True)


def _draw_title(sheet: _Sheet, timeline: Timeline, width: int) -> int:
    """The title in as many lines as it takes; where what is below it begins."""
    lines = wrapped(one_line(timeline.title), (width * 10 - 2 * _MARGIN) // _TITLE_COLUMN)
    sheet.words += _head(_MARGIN, _MARGIN, lines, "tl-title")
    return _MARGIN + len(lines) * _TITLE_LINE + 40


def _all(sheet: _Sheet, timeline: Timeline, width: int, height: int, name: str, *, told: bool) -> list[Markup]:
    """What is read out of a picture, and what is drawn."""
    facts = _written(" ".join(fact.words for fact in timeline.facts))
    return [
        element("title", _written(timeline.title), id=f"{name}-title"),
        *([element("desc", facts, id=f"{name}-desc")] if told else []),
        *_hatch(sheet),
        element("rect", class_="tl-paper", width=_px(width * 10), height=_px(height)),
        *sheet.back,
        *sheet.bars,
        *sheet.lines,
        *sheet.words,
    ]


def _frame(timeline: Timeline, width: int) -> _Frame:
    left, right = _MARGIN, width * 10 - _MARGIN
    labels = [*(row.label for row in timeline.rows), *(gap.rule for gap in timeline.gaps)]
    longest = max((columns(one_line(label)) for label in labels), default=0)
    label = min(longest, _LONGEST_LABEL, (right - left) // (4 * COLUMN)) if width >= _WIDE else None
    origin = left + label * COLUMN + _MARGIN if label else left
    frame = _Frame(left=left, origin=origin, right=right, until=timeline.until, label=label)
    wrong = sorted({frame.place(gap.wrong_at) for gap in timeline.gaps if gap.wrong_at is not None})
    return replace(frame, walls=tuple(wrong))


def _lanes(timeline: Timeline, frame: _Frame) -> list[_Lane]:
    return [*(_lane(row, frame) for row in timeline.rows), *(_room(gap, frame) for gap in timeline.gaps)]


def _lane(row: Row, frame: _Frame) -> _Lane:
    bars = tuple(_bar(each, frame) for each in row.stretches)
    marks = tuple(_mark(each.at, each, frame) for each in row.moments)
    return _Lane(label=one_line(row.label), bars=bars, marks=marks, is_room=False)


def _room(gap: Gap, frame: _Frame) -> _Lane:
    """The room of a rule as a lane: a bar, or a mark where there is none at all."""
    is_empty = gap.end == gap.start
    bars = () if is_empty else (_bar(gap, frame),)
    marks = (_mark(gap.start, gap, frame),) if is_empty else ()
    return _Lane(label=one_line(gap.rule), bars=bars, marks=marks, is_room=True)


def _bar(each: Stretch | Gap, frame: _Frame) -> _Bar:
    end = None if each.end is None else frame.place(each.end)
    return _Bar(start=frame.place(each.start), end=end, words=_signed(each.words, each.tone), tone=each.tone)


def _mark(at: Fraction, each: Moment | Gap, frame: _Frame) -> _Mark:
    return _Mark(place=frame.place(at), words=_signed(each.words, each.tone), tone=each.tone)


def _draw_axis(sheet: _Sheet, frame: _Frame, timeline: Timeline, top: int) -> int:
    """The words of the axis, every second or third where not all have room; where its line is."""
    boxes: list[tuple[int, str]] = []
    for tick in timeline.ticks:
        words = one_line(tick.words)
        left = max(frame.left, min(frame.place(tick.at) - length(words) // 2, frame.right - length(words)))
        boxes.append((left, words))
    every = 1
    while not _have_room(boxes[::every], frame):
        every += 1
    for left, words in boxes[::every]:
        sheet.text(left, top, words, "tl-tick")
    line = top + _LINE + 20
    sheet.back.append(element("path", class_="tl-axis", d=f"M{_px(frame.origin)} {_px(line)}H{_px(frame.right)}"))
    return line


def _have_room(boxes: Sequence[tuple[int, str]], frame: _Frame) -> bool:
    """Whether words in one line stand apart; the first alone always do."""
    if len(boxes) < 2:
        return True
    ends = [left + length(words) for left, words in boxes]
    return ends[-1] <= frame.right and all(
        end + COLUMN <= left for end, (left, _) in zip(ends, boxes[1:], strict=False)
    )


def _draw_walls(sheet: _Sheet, frame: _Frame, timeline: Timeline, top: int) -> int:
    """The moments at which rules go wrong, lowest first so that the lines below pass no words; where the words end."""
    wrong = sorted({gap.wrong_at for gap in timeline.gaps if gap.wrong_at is not None})
    wanted = [(frame.place(at), _signed(_wrong(at, timeline, are_several=len(wrong) > 1), Tone.BAD)) for at in wrong]
    found = placed(wanted, (), frame.origin, frame.right)
    depth = depth_of(found)
    for each in found:
        first = top + (depth - each.row - len(each.lines)) * _LINE
        _draw_words(sheet, each.lines, each.left, first, "tl-words tl-bad")
    return top + depth * _LINE + 60


def _wrong(at: Fraction, timeline: Timeline, *, are_several: bool) -> str:
    """`goes wrong at 350s`, with the rule where others go wrong at other moments."""
    words = f"goes wrong at {format_value(at, timeline.time_exponent)}"
    first, *others = [gap.rule for gap in timeline.gaps if gap.wrong_at == at]
    more = f" and {len(others)} more" if others else ""
    return f"{words}: {first}{more}" if are_several else words


def _draw_lane(sheet: _Sheet, frame: _Frame, lane: _Lane, top: int) -> int:
    """A lane with its label; where it ends."""
    class_ = "tl-label tl-of-rule" if lane.is_room else "tl-label"
    lines = wrapped(lane.label, frame.label or (frame.right - frame.left) // COLUMN)
    if frame.label is None:
        _draw_words(sheet, lines, frame.left, top, class_)
        top += len(lines) * _LINE + _AFTER_BAR
        lines = ()
    for number, line in enumerate(lines):
        sheet.text(frame.left, top + _BAR_BASE - _BASE + number * _LINE, line, class_)
    least = top + _BAR_BASE - _BASE + len(lines) * _LINE
    middle = top + _BAR // 2
    track = f"M{_px(frame.origin)} {_px(middle)}H{_px(frame.right)}"
    sheet.back.append(element("path", class_="tl-track", d=track))
    for number, bars in enumerate(_tracks(lane.bars)):
        top = _draw_track(sheet, frame, bars, () if number else lane.marks, top, is_room=lane.is_room)
    return max(top, least)


def _tracks(bars: Iterable[_Bar]) -> list[list[_Bar]]:
    """Bars, those that overlap one below the other; one track at least."""
    tracks: list[list[_Bar]] = [[]]
    for bar in bars:
        for track in tracks:
            if not track or (track[-1].end is not None and track[-1].end <= bar.start):
                track.append(bar)
                break
        else:
            tracks.append([bar])
    return tracks


def _draw_track(
    sheet: _Sheet, frame: _Frame, bars: Iterable[_Bar], marks: Iterable[_Mark], top: int, *, is_room: bool
) -> int:
    """Bars and marks in a row, and rows of the words that have no room in them; where they end."""
    wanted: list[tuple[int, str, Tone, int]] = []
    marks = tuple(marks)
    blocked = sorted(
        [
            *((each.place - _BESIDE_MARK, each.place + _BESIDE_MARK) for each in marks),
            *((wall - _BESIDE_LINE, wall + _BESIDE_LINE) for wall in frame.walls),
        ]
    )
    for bar in bars:
        end = _draw_bar(sheet, frame, bar, top, is_room=is_room)
        inside = _inside(bar, frame.right - _ARROW if bar.end is None else end, blocked)
        if inside is not None:
            sheet.text(inside, top + _BAR_BASE - _BASE, bar.words, "tl-words tl-inside")
        elif bar.words:
            wanted.append(((bar.start + end) // 2, bar.words, bar.tone, top + _BAR))
    for mark in marks:
        _draw_mark(sheet, mark, top + _BAR // 2)
        if mark.words:
            wanted.append((mark.place, mark.words, mark.tone, top + _BAR // 2 + _CORNER))
    found = placed([(place, words) for place, words, _, _ in wanted], frame.walls, frame.origin, frame.right)
    first = top + _BAR + _AFTER_BAR
    for each in found:
        place, _, tone, begin = wanted[each.index]
        row = first + each.row * _LINE
        down = f"M{_px(place)} {_px(begin)}V"
        side = each.left - 30 if each.left > place else each.left + length(each.lines[0]) + 30
        sheet.path("tl-leader", f"{down}{_px(row + 85)}H{_px(side)}" if each.is_beside else f"{down}{_px(row + 20)}")
        _draw_words(sheet, each.lines, each.left, row, f"tl-words tl-{tone.value}")
    return first + depth_of(found) * _LINE if found else top + _BAR


def _draw_bar(sheet: _Sheet, frame: _Frame, bar: _Bar, top: int, *, is_room: bool) -> int:
    """A bar, with an arrow where it goes on beyond the picture; where it ends."""
    class_ = f"tl-bar tl-{bar.tone.value}{' tl-room' if is_room else ''}"
    fill = f"url(#{sheet.hatch})" if bar.tone is Tone.BAD else None
    sheet.is_hatched |= fill is not None
    end = frame.right if bar.end is None else max(bar.end, bar.start + _THINNEST)
    if bar.end is not None:
        box = {"x": _px(bar.start), "y": _px(top), "width": _px(end - bar.start), "height": _px(_BAR), "rx": "3"}
        sheet.bars.append(element("rect", class_=class_, **box, fill=fill))
        return end
    neck = max(bar.start, end - _ARROW)
    d = (
        f"M{_px(neck)} {_px(top)}H{_px(bar.start)}V{_px(top + _BAR)}H{_px(neck)}"
        f"L{_px(end)} {_px(top + _BAR // 2)}L{_px(neck)} {_px(top)}"
    )
    sheet.bars.append(element("path", class_=class_, d=d, fill=fill))
    return end


def _draw_mark(sheet: _Sheet, mark: _Mark, y: int) -> None:
    x = mark.place
    corners = ((x, y - _CORNER), (x + _CORNER, y), (x, y + _CORNER), (x - _CORNER, y))
    d = f"M{'L'.join(f'{_px(left)} {_px(top)}' for left, top in corners)}Z"
    sheet.bars.append(element("path", class_=f"tl-mark tl-{mark.tone.value}", d=d))


def _inside(bar: _Bar, end: int, blocked: Sequence[tuple[int, int]]) -> int | None:
    """Where the words of a bar begin inside of it, clear of marks and of lines; None: they have no room."""
    width = length(bar.words)
    if not width:
        return None
    left = bar.start + _INSET
    for start, stop in blocked:
        if stop > left and start < left + width:
            left = stop
    return left if left + width <= end - _INSET else None


def _draw_words(sheet: _Sheet, lines: Iterable[str], left: int, top: int, class_: str) -> None:
    for number, line in enumerate(lines):
        sheet.clear(left, top + number * _LINE, line)
        sheet.text(left, top + number * _LINE, line, class_)


def _head(left: int, top: int, lines: Iterable[str], class_: str) -> Iterator[Markup]:
    for number, line in enumerate(lines):
        yield _text(left, top + number * _TITLE_LINE + _TITLE_BASE, columns(line) * _TITLE_COLUMN, line, class_)


def _hatch(sheet: _Sheet) -> Iterator[Markup]:
    """What bars of what is bad are filled with, where there are any."""
    if not sheet.is_hatched:
        return
    paper = element("rect", class_="tl-hatched", width="6", height="6")
    stroke = element("path", class_="tl-hatch", d="M0 0V6")
    size = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
    yield element("defs", element("pattern", paper, stroke, id=sheet.hatch, **size))


def _text(left: int, base: int, width: int, text: str, class_: str) -> Markup:
    size = {"x": _px(left), "y": _px(base), "textLength": _px(width), "lengthAdjust": "spacingAndGlyphs"}
    return element("text", forward(_written(text), TSPAN), class_=class_, **size)


def _signed(words: str, tone: Tone) -> str:
    told = one_line(words)
    return _SIGNS.get(tone, "") + told if told else ""


def _written(text: str) -> Markup:
    return Markup(escape(readable(text), quote=True))


def _safe(name: str) -> str:
    """An id as a part of one that HTML, SVG and addresses take as it is; different ones stay different.

    >>> _safe("idle@client:lb")
    'idle_40_client_3a_lb'
    """
    return "".join(c if c.isascii() and (c.isalnum() or c == "-") else f"_{ord(c):x}_" for c in name)


def _px(tenths: int) -> str:
    """Tenths of a pixel as a number of pixels; none is below 0."""
    return f"{tenths // 10}.{tenths % 10}" if tenths % 10 else str(tenths // 10)
