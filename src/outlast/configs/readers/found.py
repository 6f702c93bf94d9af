"""Values of a source file as its tree is walked, in any order: scopes are links then, and become segments, numbered, once all are known."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from outlast.configs.setting import HIDDEN, Content, Index, Key, Opaque, Segment, Setting, Step

__all__ = ["DEEPEST", "SHARED", "Scope", "Steps", "Values", "cut", "names_of"]

#: A route while the tree is walked: names and positions.
Steps: TypeAlias = tuple[str | int, ...]

#: What encloses more than so many levels deep is no longer told apart: routes and scopes would grow with the depth.
DEEPEST: Final = 64

#: How many bytes are shown of what is not read.
_LONGEST_UNREAD: Final = 80

#: The start of what is never numbered, since it is one thing wherever it is named: an object, a key.
SHARED: Final = -1


class Scope(NamedTuple):
    """One enclosing thing: what encloses it, its names and the byte at which it begins."""

    parent: Scope | None
    names: Segment
    start: int
    depth: int


@lru_cache(4096)
def names_of(path: str) -> Segment:
    """The names of something called by a path of names: all of it, and the last.

    >>> names_of("requests.get"), names_of("get")
    (('requests.get', 'get'), ('get',))
    """
    last = path.rpartition(".")[2]
    return (path,) if last == path else (path, last)


def cut(data: bytes, start: int, end: int) -> int:
    """Where that much of the data ends at most that is shown of what is not read."""
    if end - start <= _LONGEST_UNREAD:
        return end
    end = start + _LONGEST_UNREAD
    while data[end] & 0xC0 == 0x80:  # inside a character
        end -= 1
    return end


class Values:
    """The values of one file so far; with `unread`, only those that are not read."""

    def __init__(self, data: bytes, *, unread: bool = False) -> None:
        self._data = data
        self._is_unread = unread
        self._values: list[tuple[int, int, Steps, Scope | None, Content, str | None]] = []
        self._shared: dict[tuple[int, Segment], Scope] = {}
        #: Those that are told apart by their numbers: of one name within one scope.
        self._alike: dict[tuple[int, str], list[Scope]] = {}

    def inside(self, parent: Scope | None, names: Segment, start: int = SHARED) -> Scope | None:
        """A scope within another; with a start it is numbered where its names repeat there, without one it is the same thing each time.

        All are counted, also those that hold no value yet: one that gets its first value does not rename the others.
        """
        depth = 0 if parent is None else parent.depth + 1
        if depth > DEEPEST:
            return parent
        if start == SHARED:
            shared = id(parent), names
            if shared not in self._shared:
                self._shared[shared] = Scope(parent, names, start, depth)
            return self._shared[shared]
        scope = Scope(parent, names, start, depth)
        self._alike.setdefault((id(parent), names[0]), []).append(scope)
        return scope

    def add(
        self, start: int, end: int, route: Steps, scope: Scope | None, content: Content, locked: str | None = None
    ) -> None:
        """One more value; lists nested deeper than anybody nests them are left out."""
        if len(route) <= DEEPEST and not self._is_unread:
            self._values.append((start, end, route, scope, content, locked))

    def miss(self, start: int, end: int, route: Steps, scope: Scope | None, reason: str) -> None:
        """One more value that is not read."""
        if len(route) <= DEEPEST and self._is_unread:
            self._values.append((start, cut(self._data, start, end), route, scope, Opaque(reason), None))

    def hide(self, start: int, end: int, scope: Scope | None, reason: str) -> None:
        """Something that may bring any keys into a scope."""
        self.miss(start, end, (HIDDEN.name,), scope, reason)

    def settings(self) -> tuple[Setting, ...]:
        """All values in the order of the bytes; of equal routes in the same scope, all but the first are in a numbered scope of their own."""
        data, values = self._data, self._values
        values.sort(key=itemgetter(0))
        segments = self._segments()
        routes: dict[Steps, tuple[Step, ...]] = {}
        seen: dict[tuple[tuple[Segment, ...], Steps], int] = {}
        settings = []
        for start, end, steps, scope, content, locked in values:
            route = routes.get(steps)
            if route is None:
                route = routes[steps] = tuple(
                    Key(step) if step.__class__ is str else Index(step)  # type: ignore[arg-type]  # else a position
                    for step in steps
                )
            around = segments[id(scope)]
            count = seen[around, steps] = seen.get((around, steps), -1) + 1
            if count and not self._is_unread:
                around = (*around, (f"{steps[0]}#{count}",))
            settings.append(
                Setting(
                    route=route,
                    scope=around,
                    start=start,
                    end=end,
                    raw=data[start:end].decode(),
                    content=content,
                    locked=locked,
                )
            )
        return tuple(settings)

    def _segments(self) -> dict[int, tuple[Segment, ...]]:
        """The segments of each scope that holds a value, by its identity."""
        numbers: dict[int, int] = {}
        for alike in self._alike.values():
            if len(alike) > 1:
                alike.sort(key=itemgetter(2))
                numbers.update({id(scope): number for number, scope in enumerate(alike) if number})
        made: dict[int, tuple[Segment, ...]] = {id(None): ()}
        for value in self._values:
            scope = value[3]
            missing: list[Scope] = []
            while scope is not None and id(scope) not in made:
                missing.append(scope)
                scope = scope.parent
            for one in reversed(missing):
                number = numbers.get(id(one))
                names = one.names if number is None else (f"{one.names[0]}#{number}", *one.names)
                made[id(one)] = (*made[id(one.parent)], names)
        return made
