"""Text in pictures: made readable, measured in columns of a monospace font, wrapped and put where it overlaps nothing.

reports/page/svg.js does the same in the page, to the byte; so the rules are ranges of code points, not Unicode's tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from outlast.constraints.record import record

__all__ = [
    "COLUMN",
    "Placed",
    "columns",
    "depth_of",
    "length",
    "one_line",
    "placed",
    "readable",
    "wrapped",
]

#: How wide a column is at 12px, in tenths of a pixel, as all measures here.
COLUMN: Final = 72
#: From a leader to the words beside it.
_BESIDE: Final = 70
#: What stays free on both sides of words.
_APART: Final = 50
#: The same towards the leader of other words.
_ASIDE: Final = 30

#: Controls, what changes the direction of text, what is not seen and what XML cannot hold. A line's end stays.
_UNSEEN: Final = re.compile(
    "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    "\\ud800-\\udfff\\ufeff\\ufff9-\\ufffb\\ufffe\\uffff\\U000e0000-\\U000e0fff]"
)
#: On which sides of a place words may stand: after it, before it.
_BOTH: Final = (1, -1)
_AFTER: Final = (1,)
_BEFORE: Final = (-1,)

#: After what a long word may be cut.
_CUTS: Final = frozenset("-/@:._,;=")


@record(kw_only=True)
class Placed:
    """Words that stand near a place."""

    #: The index of the words among those that were to be placed.
    index: int
    #: The first row that they take, from 0.
    row: int
    #: Where all lines begin.
    left: int
    lines: tuple[str, ...]
    #: Whether the leader ends beside the only line; else it ends where the first one begins.
    is_beside: bool


@record(kw_only=True)
class _Block:
    """Where words could stand, in some row."""

    left: int
    right: int
    lines: tuple[str, ...]
    is_beside: bool


@record(kw_only=True)
class _Taken:
    """Words that stand somewhere, and the leader that comes down to them."""

    first: int
    last: int
    left: int
    right: int
    place: int
    #: The last row that the leader passes or ends in; -1: none.
    led: int


def readable(text: str) -> str:
    r"""Text in which everything is seen: what is not stands there by its number.

    >>> print(readable("a\x07\u202eb"))
    a\x07\u202eb
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def columns(text: str) -> int:
    """How many columns text takes: two for whatever may be wide, generously.

    >>> columns("10s → 網")
    8
    """
    return sum(map(_columns, text))


def length(text: str) -> int:
    """How long text is at 12px."""
    return columns(text) * COLUMN


def one_line(text: str) -> str:
    """Readable text with single spaces, where a line ends too."""
    return " ".join(filter(None, re.split("[ \n]+", readable(text))))


def _crosses(line: int, left: int, right: int) -> bool:
    """Whether an upright line passes words that stand between these ends, or nearly does."""
    return left - _ASIDE < line < right + _ASIDE


def wrapped(text: str, room: int) -> tuple[str, ...]:
    """Readable text as lines of at most `room` columns, two at least; words that are longer are cut, after a sign if there is one.

    >>> wrapped("http/pool-closes-first@client:lb holds", 16)
    ('http/pool-', 'closes-first@', 'client:lb holds')
    """
    lines: list[str] = []
    line = ""
    for word in filter(None, re.split("[ \n]+", text)):
        if line and columns(line) + 1 + columns(word) <= room:
            line = f"{line} {word}"
            continue
        if line:
            lines.append(line)
        *full, line = _pieces(word, room)
        lines += full
    return (*lines, line) if line else tuple(lines)


def placed(wanted: Sequence[tuple[int, str]], walls: Sequence[int], left: int, right: int) -> tuple[Placed, ...]:
    """Words of one line, each with its place, put into rows between `left` and `right` so that none overlap, no more rows than need be.

    Leaders come down from above the rows; they pass no words unless there is no way around it. Walls are crossed rather than that.
    Four ways are tried: the last place first or the first one, and words on both sides of their places or on one; of equal ones
    the first is taken.
    """
    order = sorted(range(len(wanted)), key=lambda each: -wanted[each][0])
    ways = [(order, _BOTH), (order[::-1], _BOTH), (order, _AFTER), (order[::-1], _BEFORE)]
    tried = [_placed(wanted, each, sides, walls, left, right) for each, sides in ways]
    return min(tried, key=lambda each: (*each[0], depth_of(each[1])))[1]


def depth_of(found: Sequence[Placed]) -> int:
    """How many rows words take."""
    return max((each.row + len(each.lines) for each in found), default=0)


def _columns(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x1100 or 0x1160 <= code < 0x2E80 or 0xFE00 <= code < 0xFE10 else 2


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word in pieces of at most `room` columns, the last one whatever is left."""
    start = width = 0
    for at, character in enumerate(word):
        width += _columns(character)
        if width > room and at > start:
            signs = [n for n in range(at, start + (at - start) // 2, -1) if word[n - 1] in _CUTS]
            end = signs[0] if signs else at
            yield word[start:end]
            start, width = end, columns(word[end : at + 1])
    yield word[start:]


def _placed(
    wanted: Sequence[tuple[int, str]],
    order: Iterable[int],
    sides: Sequence[int],
    walls: Sequence[int],
    left: int,
    right: int,
) -> tuple[tuple[int, int], tuple[Placed, ...]]:
    """Words put into rows one after another, and how many have a leader that passes words, how many stand on walls."""
    taken: list[_Taken] = []
    found: list[Placed] = []
    passing = walled = 0
    for index in order:
        place, words = wanted[index]
        blocks = _blocks(place, words, sides, left, right)
        below = max((each.last + 1 for each in taken), default=0)
        free = _free(place, blocks, taken, walls, below)
        if free is None:
            walled += 1
            free = _free(place, blocks, taken, (), below)
        if free is None:
            passing += 1
            free = below, blocks[-1]
        row, block = free
        last = row + len(block.lines) - 1
        led = row if block.is_beside else row - 1
        taken.append(_Taken(first=row, last=last, left=block.left, right=block.right, place=place, led=led))
        found.append(Placed(index=index, row=row, left=block.left, lines=block.lines, is_beside=block.is_beside))
    return (passing, walled), tuple(found)


def _blocks(place: int, words: str, sides: Sequence[int], left: int, right: int) -> list[_Block]:
    """Where words may stand in a row, the best first: beside the place, on these sides of it, or below it.

    Below it is left out where words have room on the only side that they may stand on.
    """
    width = length(words)
    blocks: list[_Block] = []
    for side in sides:
        start = place + _BESIDE if side > 0 else place - _BESIDE - width
        if left <= start and start + width <= right:
            blocks.append(_Block(left=start, right=start + width, lines=(words,), is_beside=True))
    if blocks and len(sides) == 1:
        return blocks
    lines = wrapped(words, (right - left) // COLUMN)
    width = max(map(length, lines))
    start = max(left, min(place - width // 2, right - width))
    blocks.append(_Block(left=start, right=start + width, lines=lines, is_beside=False))
    return blocks


def _free(
    place: int, blocks: Sequence[_Block], taken: Sequence[_Taken], walls: Sequence[int], below: int
) -> tuple[int, _Block] | None:
    """The first row with a free block, down to the one below all."""
    for row in range(below + 1):
        for block in blocks:
            if _is_free(place, row, block, taken, walls):
                return row, block
    return None


def _is_free(place: int, row: int, block: _Block, taken: Sequence[_Taken], walls: Sequence[int]) -> bool:
    """Whether words could stand there: no others do, and no leader passes words, neither theirs nor another's."""
    last = row + len(block.lines) - 1
    led = row if block.is_beside else row - 1
    if any(_crosses(wall, block.left, block.right) for wall in walls):
        return False
    for each in taken:
        shares_rows = row <= each.last and each.first <= last
        if shares_rows and block.left < each.right + _APART and each.left < block.right + _APART:
            return False
        if row <= each.led and _crosses(each.place, block.left, block.right):
            return False
        if each.first <= led and _crosses(place, each.left, each.right):
            return False
    return True
