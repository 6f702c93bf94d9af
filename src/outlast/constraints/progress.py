"""What is being done at the moment, for a person who waits: whoever works says it, and nothing happens unless somebody looks.

doing("solving: level {} of {}", 412, 1000)
for mutant in counted("mutants: {} of {}", mutants): ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

__all__ = ["counted", "doing", "now"]

_T = TypeVar("_T")

#: What is being done, the outermost first; texts with `{}` where numbers and names belong.
_lines: list[tuple[str, tuple[object, ...]]] = []
#: How many `counted` loops are around.
_depth = 0


def doing(what: str, *parts: object) -> None:
    """Say what is being done from now on; `parts` stand where `what` has `{}`. It costs next to nothing."""
    _lines[_depth:] = [(what, parts)]


def counted(what: str, items: Iterable[_T]) -> Iterator[_T]:
    """The items, each with its number put into the first `{}` of `what`, and how many there are, if that is known, into the second.

    What the body of the loop says with `doing` is told behind it.
    """
    global _depth
    of = (len(items),) if isinstance(items, Sized) else ()
    depth = _depth
    try:
        for number, item in enumerate(items, 1):
            _depth = depth
            doing(what, number, *of)
            _depth = depth + 1
            yield item
    finally:
        _depth = depth
        del _lines[depth:]


def now() -> str:
    """What is being done, in a few words; empty: nobody has said."""
    return ", ".join(what.format(*map(_shown, parts)) if parts else what for what, parts in list(_lines))


def _shown(part: object) -> str:
    return f"{part:,}" if isinstance(part, int) else str(part)
