"""Timelines drawn with characters: lanes under an axis, words in or beside what they are about, the room of each rule below.

Places become columns with integers alone. What fits nowhere is told in a key under the drawing, by a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from outlast.constraints.errors import printable
from outlast.picturing.drawing import Tone as Meant
from outlast.picturing.layout import last_place, up_to
from outlast.picturing.timeline import Gap, Row, Timeline
from outlast.reports.document import Span, Tone
from outlast.reports.text import columns_of, without_commands
from outlast.reports.timeline_grid import Cell, Grid, Holds, cells_of

__all__ = ["drawn"]

Line = list[Span]

#: How many columns each of several drawings has at least where they stand side by side.
_LEAST_BESIDE: Final = 60
_BETWEEN: Final = 3
_GAP: Final = 2
_LEAST: Final = 24
_LEAST_LABEL: Final = 12
_MOST_LABEL: Final = 24
#: How many rows below a lane its words may take.
_DEEPEST: Final = 6
#: What stands in a drawing for words that its key has.
_NUMBERS: Final = "123456789abcdefghijklmnopqrstuvwxyz"


class _Glyphs(NamedTuple):
    """What drawings are made of."""

    bars: Mapping[Meant, str]
    marks: Mapping[Meant, str]
    #: The room of a rule, and where both of its sides are equal.
    room: Mapping[Meant, str]
    equal: str
    #: Where a bar meets the one before it.
    seam: str
    beyond: str
    wrong: str
    axis: str
    tick: str
    leader: str
    #: The ends of leaders whose words stand to the right, and to the left.
    right: str
    left: str
    cut: str


_MEANT: Final = (Meant.OPEN, Meant.WAIT, Meant.GONE, Meant.GOOD, Meant.BAD, Meant.PLAIN)
_ASCII: Final = _Glyphs(
    bars=dict(zip(_MEANT, "=-.=#-", strict=True)),
    marks=dict(zip(_MEANT, "****!*", strict=True)),
    room=dict(zip(_MEANT, "....#.", strict=True)),
    equal="|", seam="|", beyond=">", wrong=":", axis="-", tick="+", leader="|", right="`-", left="-'", cut="..",
)  # fmt: skip
_UNICODE: Final = _Glyphs(
    bars=dict(zip(_MEANT, "█▓░██▓", strict=True)),
    marks=dict(zip(_MEANT, "●●●●✗●", strict=True)),
    room=dict(zip(_MEANT, "░░░░▒░", strict=True)),
    equal="│", seam="│", beyond="▶", wrong="┊", axis="─", tick="┬", leader="│", right="└─", left="─┘", cut="…",
)  # fmt: skip
_TONES: Final = dict(zip(_MEANT, (Tone.CODE, Tone.PLAIN, Tone.FAINT, Tone.GOOD, Tone.BAD, Tone.PLAIN), strict=True))


class _Thing(NamedTuple):
    """What has words: cells of a row from `start` to before `stop`."""

    row: int
    start: int
    stop: int
    words: str
    tone: Meant
    is_bar: bool


class _Axis(NamedTuple):
    """Which column a place has, and where the columns begin and end. One place is never left of another that comes before it."""

    columns: Mapping[Fraction, int]
    start: int
    stop: int

    def cells(self, start: Fraction, end: Fraction | None) -> tuple[int, int]:
        """From the first column of something that lasts to behind its last; there is at least one."""
        first = self.columns[start]
        return first, self.stop if end is None else max(self.columns[end], first + 1)


class _Sheet(NamedTuple):
    """What all lanes of a drawing share."""

    axis: _Axis
    labels: int
    glyphs: _Glyphs
    #: What the key says: what stands in the drawing, what it stands for.
    key: list[tuple[str, str, Tone]]

    def number(self) -> str | None:
        """The next number for the key; None where there is no further one."""
        return next((n for n in _NUMBERS if n not in {mark for mark, _, _ in self.key}), None)


def drawn(panels: Sequence[tuple[str, Timeline]], width: int, *, is_ascii: bool) -> list[Line]:
    """The lines of a drawing at one or several sets of values, each under its heading, all with the same axis.

    No line is longer than `width` (taken for 24 where it is less) columns.
    """
    width = max(width, _LEAST)
    timelines = [timeline for _, timeline in panels]
    if len(panels) > 1:
        last = max(last_place(timeline) for timeline in timelines)
        timelines = [up_to(last, timeline) for timeline in timelines]
    each = (width - _BETWEEN * (len(panels) - 1)) // max(len(panels), 1)
    is_beside = len(panels) > 1 and each >= _LEAST_BESIDE
    size = each if is_beside else width
    labels = _label_size(timelines, size)
    axis = _axis(timelines, labels + _GAP, size)
    glyphs = _ASCII if is_ascii else _UNICODE
    blocks: list[list[Line]] = []
    for (heading, _), timeline in zip(panels, timelines, strict=True):
        above = [[Span(line, Tone.STRONG)] for line in _folded(_shown(heading), size, 0)]
        blocks.append([*above, *_drawing(timeline, size, _Sheet(axis, labels, glyphs, []))])
    if is_beside:
        return _beside(blocks, size)
    lines = blocks[0]
    for block in blocks[1:]:
        lines = [*lines, [], *block]
    return lines


def _beside(blocks: Sequence[Sequence[Line]], size: int) -> list[Line]:
    lines: list[Line] = []
    for n in range(max(map(len, blocks))):
        line: Line = []
        gap = 0
        for block in blocks:
            spans = block[n] if n < len(block) else []
            line += [Span(" " * gap), *spans] if spans else []
            taken = sum(columns_of(span.text) for span in spans)
            gap = (gap if not spans else 0) + size - taken + _BETWEEN
        lines.append(line)
    return lines


def _drawing(timeline: Timeline, width: int, sheet: _Sheet) -> list[Line]:
    grids = [_ticks(timeline, width, sheet)]
    grids += [_lane(row, width, sheet) for row in timeline.rows]
    grids += [_room(gap, width, sheet) for gap in timeline.gaps]
    for column in sorted({sheet.axis.columns[g.wrong_at] for g in timeline.gaps if g.wrong_at is not None}):
        for grid in grids[1:]:
            _draw_through(grid, column, sheet.glyphs.wrong)
    lines = [line for grid in grids for line in grid.lines()]
    for mark, words, tone in sheet.key:
        first, *rest = _folded(f"{mark}: {words}" if mark else words, width, 2)
        lines += [[Span(first, tone)], *([Span(line, tone)] for line in rest)]
    return lines


def _draw_through(grid: Grid, column: int, glyph: str) -> None:
    """The moment at which it goes wrong, where that is in nothing's way."""
    for row in range(len(grid.rows)):
        around = (grid.at(row, column - 1), grid.at(row, column + 1))
        if grid.is_free(row, column, column + 1) and not any(c is not None and c.holds is Holds.WORDS for c in around):
            grid.put(row, column, glyph, Tone.BAD, Holds.LINE)


def _label_size(timelines: Sequence[Timeline], width: int) -> int:
    longest = max((len(cells_of(_shown(row.label))) for t in timelines for row in t.rows), default=0)
    return min(longest, max(_LEAST_LABEL, min(width // 4, _MOST_LABEL)))


def _axis(timelines: Sequence[Timeline], start: int, stop: int) -> _Axis:
    """Different places get different columns as long as they take no more than half of all."""
    places = sorted({place for timeline in timelines for place in _places(timeline)})
    last, until = stop - start - 1, max(timeline.until for timeline in timelines)
    columns = [min(int(place * last // until), last) for place in places]
    if 2 * len(columns) <= last:
        for n in range(1, len(columns)):
            columns[n] = max(columns[n], columns[n - 1] + 1)
        columns = [min(column, last - (len(columns) - 1 - n)) for n, column in enumerate(columns)]
    return _Axis({place: start + column for place, column in zip(places, columns, strict=True)}, start, stop)


def _places(timeline: Timeline) -> Iterator[Fraction]:
    yield from (tick.at for tick in timeline.ticks)
    for row in timeline.rows:
        for stretch in row.stretches:
            yield from (stretch.start,) if stretch.end is None else (stretch.start, stretch.end)
        yield from (moment.at for moment in row.moments)
    for gap in timeline.gaps:
        yield from (place for place in (gap.start, gap.end, gap.wrong_at) if place is not None)


def _ticks(timeline: Timeline, width: int, sheet: _Sheet) -> Grid:
    """The words of ticks as far as there is room, and the axis."""
    grid, axis, glyphs = Grid(width), sheet.axis, sheet.glyphs
    grid.put(1, axis.start, glyphs.axis * (axis.stop - axis.start), Tone.FAINT, Holds.LINE)
    for tick in timeline.ticks:
        column, words = axis.columns[tick.at], cells_of(tick.words)
        grid.change(1, column, glyphs.tick, Tone.FAINT, Holds.LINE)
        at = min(column, width - len(words))
        if grid.is_clear(0, at, at + len(words)):
            grid.put(0, at, words, Tone.FAINT, Holds.WORDS)
    return grid


def _lane(row: Row, width: int, sheet: _Sheet) -> Grid:
    grid = Grid(width)
    label = cells_of(_shown(row.label))
    if len(label) > sheet.labels:
        label = _cut(label, sheet.labels, sheet.glyphs.cut)
        sheet.key.append(("".join(label), _shown(row.label), Tone.PLAIN))
    grid.put(0, 0, label, Tone.STRONG, Holds.WORDS)
    things: list[_Thing] = []
    for stretch in row.stretches:
        start, stop = sheet.axis.cells(stretch.start, stretch.end)
        at = next(n for n in range(len(row.stretches)) if grid.is_free(n, start, stop))
        things.append(_Thing(at, start, stop, _shown(stretch.words), stretch.tone, True))
        _put_bar(grid, things[-1], sheet.glyphs, is_endless=stretch.end is None)
    for moment in row.moments:
        column = sheet.axis.columns[moment.at]
        at = next(n for n in range(len(grid.rows) + 1) if _takes_mark(grid, n, column, things))
        things.append(_Thing(at, column, column + 1, _shown(moment.words), moment.tone, False))
        grid.change(at, column, sheet.glyphs.marks[moment.tone], _TONES[moment.tone], Holds.MARK)
    return _with_words(grid, things, sheet)


def _room(gap: Gap, width: int, sheet: _Sheet) -> Grid:
    """Where a rule has room, or what it lacks, in a row of its own."""
    grid = Grid(width)
    start, stop = sheet.axis.cells(gap.start, gap.end)
    glyphs, tone = sheet.glyphs, _TONES[gap.tone]
    is_bar = gap.start != gap.end
    if is_bar:
        grid.put(0, start, glyphs.room[gap.tone] * (stop - start), tone, Holds.BAR)
    else:
        grid.put(0, start, glyphs.equal, tone, Holds.MARK)
    if is_bar and gap.end is None:
        grid.change(0, stop - 1, glyphs.beyond, tone, Holds.BAR)
    if gap.wrong_at is not None:
        grid.change(0, sheet.axis.columns[gap.wrong_at], glyphs.marks[Meant.BAD], Tone.BAD, Holds.MARK)
    words = _shown(f"{gap.rule}: {gap.words}")
    return _with_words(grid, [_Thing(0, start, stop, words, gap.tone, is_bar)], sheet)


def _put_bar(grid: Grid, bar: _Thing, glyphs: _Glyphs, *, is_endless: bool) -> None:
    cells = [glyphs.bars[bar.tone]] * (bar.stop - bar.start)
    before = grid.at(bar.row, bar.start - 1)
    if len(cells) > 1 and before is not None and before.holds is Holds.BAR:
        cells[0] = glyphs.seam
    if is_endless:
        cells[-1] = glyphs.beyond
    grid.put(bar.row, bar.start, cells, _TONES[bar.tone], Holds.BAR)


def _takes_mark(grid: Grid, row: int, column: int, things: Sequence[_Thing]) -> bool:
    """Whether the cell is free, or of a bar that is still seen when a mark stands on it."""
    cell = grid.at(row, column)
    if cell is None or cell.holds is not Holds.BAR:
        return cell is None
    bar = next(b for b in things if b.is_bar and b.row == row and b.start <= column < b.stop)
    return sum(1 for c in range(bar.start, bar.stop) if _is_bar(grid.at(row, c))) > 1


def _is_bar(cell: Cell | None) -> bool:
    return cell is not None and cell.holds is Holds.BAR


def _with_words(grid: Grid, things: Sequence[_Thing], sheet: _Sheet) -> Grid:
    """The words inside of bars, beside them, in the rows below, else in the key."""
    rest = [thing for thing in things if thing.words and not (thing.is_bar and _put_inside(grid, thing))]
    marks_first = sorted(rest, key=lambda thing: thing.is_bar)
    beside = {id(thing) for thing in marks_first if _put_beside(grid, thing)}
    rest = sorted((t for t in rest if id(t) not in beside), key=lambda thing: (_anchor(grid, thing), thing.row))
    tried = [_below(grid.copy(), order, sheet.glyphs) for order in (rest[::-1], rest)]
    grid, homeless = min(tried, key=lambda each: (len(each[1]), len(each[0].rows)))
    for thing in sorted(homeless, key=things.index):
        number = sheet.number()
        if number is not None:
            column = _anchor(grid, thing)
            is_beside = not thing.is_bar and grid.is_free(thing.row, column + 1, column + 2)
            grid.change(thing.row, column + is_beside, number, _TONES[thing.tone], Holds.MARK)
        sheet.key.append((number or "", thing.words, _words_tone(thing)))
    return grid


def _words_tone(thing: _Thing) -> Tone:
    return Tone.BAD if thing.tone is Meant.BAD else Tone.PLAIN


def _open_run(grid: Grid, bar: _Thing) -> list[int]:
    """The longest row of columns of a bar on which no mark stands."""
    runs: list[list[int]] = [[]]
    for column in range(bar.start, bar.stop):
        if _is_bar(grid.at(bar.row, column)):
            runs[-1].append(column)
        else:
            runs.append([])
    return max(runs, key=len)


def _put_inside(grid: Grid, bar: _Thing) -> bool:
    """In the middle of the longest stretch of the bar on which no mark stands, if some of it is left on both sides."""
    run = _open_run(grid, bar)
    cells = cells_of(bar.words)
    if len(run) < len(cells) + 2 or not run:
        return False
    # `#[…]` between `#` would be a command of a runner.
    if len(run) >= len(cells) + 4 or grid.rows[bar.row][run[0]] == Cell("#", Tone.BAD, Holds.BAR):
        cells = [" ", *cells, " "]
    if len(run) < len(cells) + 2:
        return False
    grid.change(bar.row, run[0] + (len(run) - len(cells)) // 2, cells, _words_tone(bar), Holds.WORDS)
    return True


def _put_beside(grid: Grid, thing: _Thing) -> bool:
    """Right of it, else left of it."""
    cells = cells_of(thing.words)
    right, left = thing.stop + 1, thing.start - 1 - len(cells)
    if grid.is_free(thing.row, thing.stop, right + len(cells)) and grid.at(thing.row, right + len(cells)) is None:
        grid.put(thing.row, right, cells, _words_tone(thing), Holds.WORDS)
        return True
    if left >= 0 and grid.is_free(thing.row, max(left - _GAP, 0), thing.start):
        grid.put(thing.row, left, cells, _words_tone(thing), Holds.WORDS)
        return True
    return False


def _anchor(grid: Grid, thing: _Thing) -> int:
    """The column that speaks for it: of a bar the middle of where it is seen best."""
    run = _open_run(grid, thing) if thing.is_bar else []
    return run[len(run) // 2] if run else thing.start


def _below(grid: Grid, things: Sequence[_Thing], glyphs: _Glyphs) -> tuple[Grid, list[_Thing]]:
    """The words at the ends of leaders, and what there was no room for."""
    top = len(grid.rows)
    homeless = [thing for thing in things if not _put_below(grid, thing, top, glyphs)]
    return grid, homeless


def _put_below(grid: Grid, thing: _Thing, top: int, glyphs: _Glyphs) -> bool:
    """Right or left of where the leader ends; else right under its end, which takes one row more."""
    column, words = _anchor(grid, thing), cells_of(thing.words)
    right, left = [*glyphs.right, " ", *words], [*words, " ", *glyphs.left]
    start = max(min(column - len(words) // 2, grid.width - len(words)), 0)
    for depth, places in ((0, ((column, right), (column + 1 - len(left), left))), (1, ((start, words),))):
        for row in range(top + depth, top + _DEEPEST):
            above = range(thing.row + 1, row)
            if not all(grid.is_clear(each, column, column + 1) for each in above):
                break
            for at, cells in places:
                if grid.is_clear(row, at, at + len(cells)):
                    for each in above:
                        grid.put(each, column, glyphs.leader, Tone.FAINT, Holds.LINE)
                    grid.put(row, at, cells, _words_tone(thing), Holds.WORDS)
                    return True
    return False


def _cut(cells: Sequence[str], size: int, sign: str) -> list[str]:
    """As many cells as there is room for before the sign that there is more."""
    kept = list(cells[: size - len(sign)])
    if cells[len(kept)] == "":
        kept = kept[:-1]  # half of a wide character
    return [*kept, *sign]


def _folded(text: str, width: int, hanging: int) -> Iterator[str]:
    """Lines of at most `width` columns, those after the first set in; words are broken only where they are longer than a line."""
    # A runner's command is made harmless at the start of a line, with two columns more.
    room, start, line = width - 2, "", ""
    for word in text.split():
        size = columns_of(word)
        if line != start and columns_of(line) + 1 + size > room and size <= room - hanging:
            yield line
            line = start = " " * hanging
        line += word if line == start else f" {word}"
        while columns_of(line) > room:
            cells = cells_of(line)
            head = cells[: room if cells[room] else room - 1]
            yield "".join(head)
            start = " " * hanging
            line = start + "".join(cells[len(head) :])
    if line != start:
        yield line


def _shown(text: str) -> str:
    return without_commands(printable(text))
