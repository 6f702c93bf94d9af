"""New bytes for values of a file, and the proof that nothing else in it changed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from outlast.configs.formats import Format
from outlast.configs.setting import Computed, Content, Opaque, Setting
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.files import place_of_byte
from outlast.constraints.record import record, replace

__all__ = ["Edit", "Wanted", "splice", "verify"]

#: What an edited setting must be when it is read again: exactly this text, or content of which the claim is true.
Wanted = str | Callable[[Content], bool]


@record
class Edit:
    """New bytes in place of those from `start` up to, not including, `end`."""

    start: int
    end: int
    new: bytes


def splice(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The data with all edits made; their order does not matter.

    Raises:
        OutlastError: without a place; edits overlap, insert at the same position or lie outside the data.

    >>> splice(b"a: 10s, b: 20s", [Edit(11, 14, b"9s"), Edit(3, 6, b"300ms")])
    b'a: 300ms, b: 9s'
    """
    parts = []
    done = 0
    last: Edit | None = None
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if not 0 <= edit.start <= edit.end <= len(data):
            raise OutlastError(f"expected an edit inside {len(data)} bytes, found one of {edit.start} to {edit.end}")
        if last is not None and (edit.start < last.end or edit.start == last.start):
            raise OutlastError(
                f"expected edits apart from each other, found one of {edit.start} to {edit.end} "
                f"beside one of {last.start} to {last.end}"
            )
        parts += [data[done : edit.start], edit.new]
        done, last = edit.end, edit
    return b"".join([*parts, data[done:]])


def verify(
    format: Format,  # noqa: A002  # what the caller has is called so
    file: str,
    before: tuple[Setting, ...],
    data_before: bytes,
    after: bytes,
    edits: Mapping[int, Wanted],
) -> tuple[Setting, ...]:
    """The settings of `after`, which is `data_before` with new text in place of some settings, if it differs in these alone.

    `edits` says, by a setting's position in `before`, what it must have become. All others must have the route, scope, text and
    content that they had, each at its old place moved by what became longer or shorter before it. Three kinds follow from an edit: the
    word around an edited flag changes with it, a flag inside an edited word keeps its route and may have another value, and a locked value
    that is worked out (a constant that is used) keeps its text and may amount to something else.

    Raises:
        OutlastError: at the value in `data_before` that would not be as wanted, or not as before.
    """
    beginning = place_of_byte(data_before, min((before[i].start for i in edits), default=0), file)
    try:
        found = format.read(after, file)
    except (OutlastError, InputErrors) as error:
        reason = error.exceptions[0] if isinstance(error, InputErrors) else error
        message = reason.message if isinstance(reason, OutlastError) else str(reason)
        raise OutlastError(f"the new value would make the file unreadable: {message}", beginning) from None
    if len(found) != len(before):
        message = f"{_REST}: expected {len(before)} values afterwards, found {len(found)}"
        raise OutlastError(message, beginning)
    made = _Made({Edit(before[i].start, before[i].end, found[i].raw.encode()) for i in edits})
    if made.splice(data_before) != after:
        raise OutlastError(_REST, beginning)
    for i, (old, new) in enumerate(zip(before, found, strict=True)):
        if i in edits and not _is_wanted(new, edits[i]):
            wanted = f"'{edits[i]}'" if isinstance(edits[i], str) else "the new value"
            found_ = new.content.reason if isinstance(new.content, Opaque) else f"'{new.raw}'"
            message = f"expected to read {wanted} afterwards, found {found_}"
        elif not _is_kept(old, new, made, after, is_edited=i in edits):
            message = f"{_REST}: this value would be another"
        else:
            continue
        raise OutlastError(message, place_of_byte(data_before, old.start, file))
    return found


_REST: Final = "the new value would change the rest of the file"


class _Made:
    """Edits in their order, and where each byte goes with them."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._edits = sorted(edits, key=lambda e: (e.start, e.end))
        self._starts = [e.start for e in self._edits]
        self._ends = [e.end for e in self._edits]
        self._moved = [0, *accumulate(len(e.new) - (e.end - e.start) for e in self._edits)]

    def splice(self, data: bytes) -> bytes:
        return splice(data, self._edits)

    def start(self, position: int) -> int:
        """Where what begins at a position begins afterwards; an edit that begins there too is inside it."""
        return position + self._moved[bisect_left(self._starts, position)]

    def end(self, position: int) -> int:
        """Where what ends at a position ends afterwards; an edit that ends there too is inside it."""
        return position + self._moved[bisect_right(self._ends, position)]

    def encloses(self, setting: Setting) -> bool:
        """Whether an edit lies inside the setting, or is the setting."""
        i = bisect_left(self._starts, setting.start)
        return i < len(self._edits) and self._ends[i] <= setting.end

    def around(self, setting: Setting) -> Edit | None:
        """The edit inside which the setting lies."""
        i = bisect_right(self._starts, setting.start) - 1
        return self._edits[i] if i >= 0 and setting.end <= self._ends[i] and setting.start < self._ends[i] else None


def _is_wanted(new: Setting, wanted: Wanted) -> bool:
    return new.raw == wanted if isinstance(wanted, str) else wanted(new.content)


def _is_kept(old: Setting, new: Setting, made: _Made, after: bytes, *, is_edited: bool) -> bool:
    """Whether a setting is what it was, but for what edits make of it."""
    if (old.route, old.scope, old.dialect, old.locked is None) != (
        new.route,
        new.scope,
        new.dialect,
        new.locked is None,
    ):
        return False
    if made.encloses(old):
        start, end = made.start(old.start), made.end(old.end)
        is_same_text = (new.start, new.end, new.raw.encode()) == (start, end, after[start:end])
        return is_same_text and (is_edited or new.content.__class__ is old.content.__class__)
    if (edit := made.around(old)) is not None:
        return made.start(edit.start) <= new.start <= new.end <= made.end(edit.end)
    if (new.start, new.end, new.raw) != (made.start(old.start), made.end(old.end), old.raw):
        return False
    if old.locked is not None and isinstance(old.content, Computed):
        return isinstance(new.content, Computed)
    return new.content == _moved(old.content, made)


def _moved(content: Content, made: _Made) -> Content:
    """The content with its coefficient where edits before it have moved it."""
    if not isinstance(content, Computed) or content.coefficient is None:
        return content
    coefficient = content.coefficient
    there = replace(coefficient, start=made.start(coefficient.start), end=made.end(coefficient.end))
    return replace(content, coefficient=there)
