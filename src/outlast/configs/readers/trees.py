"""What the readers of programs share: parsing with tree-sitter, where it went wrong, and settings put into their scopes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from outlast.configs.readers.found import DEEPEST, cut
from outlast.configs.readers.texts import start_of_text
from outlast.configs.setting import Content, Index, Key, Opaque, Segment, Setting, Step
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.files import place_of_byte

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

__all__ = [
    "Found",
    "Frame",
    "Match",
    "Matches",
    "Positions",
    "children_of",
    "collect",
    "missed",
    "names_in",
    "parse",
    "placed",
    "text_of",
]

#: So many characters of what is no part of the language are shown.
_LONGEST_SHOWN: Final = 40
#: A tree of more levels is refused.
_MOST_LEVELS: Final = 2500
#: Only of files with more brackets inside each other, or more dots between two of `;{}`, the levels are counted.
_MOST_BRACKETS: Final = 200
_MOST_DOTS: Final = 600
_SENTENCE: Final = re.compile(rb"[;{}]")
_STEP: Final = {**dict.fromkeys(b"([{", 1), **dict.fromkeys(b")]}", -1)}
_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in _STEP)

#: The captures of a match, by name; and all matches, by what they tell.
Match = dict[str, list["Node"]]
Matches = dict[str, list[Match]]


def text_of(node: Node) -> str:
    """What stands there."""
    return (node.text or b"").decode()


def children_of(node: Node) -> list[Node]:
    """The named children that are no comments."""
    return [child for child in node.named_children if not child.is_extra]


def collect(query: Query, node: Node, matches: Matches, kinds: Sequence[str]) -> None:
    """Add the matches of a query below a node; `kinds` are what its patterns tell, in their order."""
    from tree_sitter import QueryCursor

    for pattern, match in QueryCursor(query).matches(node):
        matches[kinds[pattern]].append(match)


def names_in(query: Query, root: Node) -> Counter[bytes | None]:
    """How often a query finds each text for its `@name`."""
    from tree_sitter import QueryCursor

    return Counter(node.text for node in QueryCursor(query).captures(root).get("name", ()))


class Frame(NamedTuple):
    """Something that encloses settings: a function, a type, a literal; from `start` to before `end`, in bytes."""

    start: int
    end: int
    #: Outermost first, at least one; the last is numbered where frames of one name repeat.
    segments: tuple[Segment, ...]
    #: Orders frames over the same bytes: outer ones first.
    rank: int = 0


class Found(NamedTuple):
    """A value and what it is called, not yet in its scope."""

    start: int
    end: int
    #: Names and positions.
    route: tuple[str | int, ...]
    content: Content
    #: What the place itself says before the name: the `server` of `server.Timeout = …`.
    before: tuple[Segment, ...] = ()
    dialect: str | None = None
    locked: str | None = None
    #: Orders values over the same bytes: the first is kept.
    rank: int = 0
    #: Whether it is kept although it is not read and others lie inside it.
    covers: bool = False


class Positions:
    """The places of nodes in their lists, worked out once a list."""

    def __init__(self) -> None:
        self._of: dict[int, dict[int, int]] = {}

    def __call__(self, parent: Node, child: Node) -> int:
        """The position of a child among the others that are no comments."""
        if parent.named_child_count == 1:
            return 0
        known = self._of.get(parent.id)
        if known is None:
            members = [node.start_byte for node in parent.named_children if not node.is_extra]
            known = self._of[parent.id] = {start: position for position, start in enumerate(members)}
        return known[child.start_byte]


def parse(parser: Parser, data: bytes, file: str, language: str) -> Node:
    """The root of the tree; raises `OutlastError` at the first place that the grammar, which may be older than the language, does not have."""
    start_of_text(data, file)
    root = parser.parse(data).root_node
    if root.has_error:
        error = _first_error(root)
        found = f"a missing '{error.type}'" if error.is_missing else _shown(data[error.start_byte : error.end_byte])
        message = f"cannot read this as {language} from here on, at {found}; is it newer syntax?"
        raise OutlastError(message, place_of_byte(data, error.start_byte, file))
    if (_brackets_deep(data) > _MOST_BRACKETS or _has_chain(data)) and (deep := _too_deep(root)) is not None:
        raise OutlastError(
            f"expected at most {_MOST_LEVELS} levels of nesting, found more", place_of_byte(data, deep, file)
        )
    return root


def _brackets_deep(data: bytes) -> int:
    """How deep brackets nest, those in strings and comments counted like others."""
    brackets = data.translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0)


def _has_chain(data: bytes) -> bool:
    """Whether a chain of calls may be long, each being inside the next: `a.b(1).c(2)`."""
    return any(part.count(b".") > _MOST_DOTS for part in _SENTENCE.split(data))


def _too_deep(root: Node) -> int | None:
    """The first byte of a node that is nested too deep for queries, whose time grows with the square of the depth."""
    cursor = root.walk()
    depth = 0
    while True:
        if cursor.goto_first_child():
            depth += 1
            if depth > _MOST_LEVELS and cursor.node is not None:
                return cursor.node.start_byte
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return None
            depth -= 1


def _shown(raw: bytes) -> str:
    text = printable(raw[: 4 * _LONGEST_SHOWN].decode(errors="replace"))
    if not text:
        return "its end"
    return f"'{text}'" if len(text) <= _LONGEST_SHOWN else f"'{text[:_LONGEST_SHOWN]}…'"


def _first_error(root: Node) -> Node:
    """The innermost: around it, a whole function may be taken for none."""
    node = root
    while True:
        for child in node.children:
            if child.is_error or child.is_missing or child.has_error:
                node = child
                break
        else:
            return node


def missed(
    frames: Iterable[Frame], found: Iterable[Found], data: bytes, listed: Iterable[Setting]
) -> tuple[Setting, ...]:
    """The settings that are not read, each in its scope, one maybe inside another; `listed` are those that are, with what lies in them."""
    spans = sorted((setting.start, setting.end) for setting in listed)
    kept: list[Found] = []
    at, last = 0, -1
    for value in sorted(found, key=_order):
        while at < len(spans) and spans[at][0] <= value.start:
            last = max(last, spans[at][1])
            at += 1
        if value.end > last:
            kept.append(value)
    return _placed(frames, kept, data, is_read=False)


def placed(frames: Iterable[Frame], found: Iterable[Found], data: bytes) -> tuple[Setting, ...]:
    """The settings in the order of the bytes, each in the scope of the frames around it; what repeats there gets a number.

    Of values that lie in one another the outermost is kept, unless it is not read and an inner one is.
    """
    return _placed(frames, _apart(found), data, is_read=True)


def _placed(frames: Iterable[Frame], found: Iterable[Found], data: bytes, *, is_read: bool) -> tuple[Setting, ...]:
    settings: list[Setting] = []
    waiting = sorted(frames, key=lambda frame: (frame.start, -frame.end, frame.rank), reverse=True)
    # Ends, scopes and what was counted in them, the outermost first.
    stack: list[tuple[int, tuple[Segment, ...], dict[object, int]]] = [(len(data) + 1, (), {})]
    routes: dict[tuple[str | int, ...], tuple[Step, ...]] = {}
    for value in found:
        start, end, names, content, before, dialect, locked, _, _ = value
        # What fills a frame is not inside it.
        while waiting and (waiting[-1].start < start or (waiting[-1].start == start and waiting[-1].end != end)):
            frame = waiting.pop()
            while stack[-1][0] <= frame.start:
                stack.pop()
            _, scope, seen = stack[-1]
            if len(stack) <= DEEPEST:
                stack.append((frame.end, scope + _numbered(seen, frame.segments), {}))
        while stack[-1][0] <= start:
            stack.pop()
        _, scope, seen = stack[-1]
        repeated = _count(seen, (before, names))
        scope += before
        if repeated and is_read:
            scope += ((f"{names[0]}#{repeated}",),)
        route = routes.get(names)
        if route is None:
            route = routes[names] = tuple(Index(name) if isinstance(name, int) else Key(name) for name in names)
        end = end if is_read else cut(data, start, end)
        settings.append(
            Setting(
                route=route,
                scope=scope,
                start=start,
                end=end,
                raw=data[start:end].decode(),
                content=content,
                dialect=dialect,
                locked=locked,
            )
        )
    return tuple(settings)


def _apart(found: Iterable[Found]) -> Sequence[Found]:
    """In the order of the bytes, without what lies inside another, nor a second over the same bytes."""
    kept: list[Found] = []
    last = -1
    span = (-1, -1)
    for value in sorted(found, key=_order):
        if value[:2] == span:
            continue
        span = value[:2]
        while kept and value.start < last and isinstance(kept[-1].content, Opaque) and not kept[-1].covers:
            kept.pop()
            last = kept[-1].end if kept else -1
        if value.start >= last:
            kept.append(value)
            last = value.end
    return kept


def _order(value: Found) -> tuple[int, int, int]:
    return value.start, -value.end, value.rank


def _numbered(seen: dict[object, int], segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    repeated = _count(seen, segments)
    if not repeated:
        return segments
    last = segments[-1]
    return (*segments[:-1], (f"{last[0]}#{repeated}", *last))


def _count(seen: dict[object, int], what: object) -> int:
    """How often that was counted before."""
    before = seen.get(what, 0)
    seen[what] = before + 1
    return before
