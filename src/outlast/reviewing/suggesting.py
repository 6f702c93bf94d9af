"""The cheapest way out as new bytes of files: values where they stand, in users' files and in the spec, read and judged again before they are shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import ceil, floor
from typing import Final

from outlast.configs.bind import Bound
from outlast.configs.patch import Edit, splice
from outlast.configs.plan import plan_changes
from outlast.constraints.check import Finding
from outlast.constraints.errors import InputErrors, OutlastError, Place, printable
from outlast.constraints.files import Overlaid, Store, decode
from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.quantities import QuantityError, Value, parse_quantity, value_text
from outlast.constraints.record import replace
from outlast.reviewing.outcome import NewBytes, Suggested
from outlast.solver.account import Change, Moved, Repair

__all__ = ["preferred", "suggestion"]

#: How many ways out are tried, the cheapest first.
_MOST_TRIED: Final = 12

#: What durations are told in, in nanoseconds; counts are whole anyway.
_UNITS: Final = (Fraction(10**9), Fraction(10**6))
#: A plain scalar of a spec, in block or in braces.
_SCALAR: Final = re.compile(r"[^\s,\[\]{}#\"']+")


def suggestion(
    spec: Spec,
    bound: Sequence[Bound],
    repairs: Sequence[Repair],
    store: Store,
    mends: Callable[[Overlaid], bool],
) -> Suggested | None:
    """The cheapest repair that files can be written with; `mends` tries it on files as they would be. None: there is none."""
    for repair in repairs[:_MOST_TRIED]:
        with suppress(InputErrors, OutlastError):  # a template stands there, or the file cannot say such a value
            found = _new_bytes(spec, bound, repair, store)
            if found and mends(Overlaid(store, {store.resolve(path): after for path, (_, after) in found.items()})):
                files = (
                    NewBytes(file=printable(path), before=before, after=after)
                    for path, (before, after) in sorted(found.items())
                    if before != after
                )
                return Suggested(repair=repair, files=tuple(files))
    return None


def preferred(
    repairs: Sequence[Repair], spec: Spec, findings: Sequence[Finding], changed: Mapping[str, frozenset[int]]
) -> list[Repair]:
    """The repairs in the order in which they are to be tried, each with more comfortable amounts before its own.

    Of those that cost the least the one that changes lines which the change touched comes first.
    """
    found: list[Repair] = []
    for repair in sorted(repairs, key=lambda repair: (repair.cost, not _is_on(changed, repair, spec))):
        found += [each for each in (_advised(repair, findings), _rounded(repair)) if each != repair]
        found.append(repair)
    return found


def _is_on(changed: Mapping[str, frozenset[int]], repair: Repair, spec: Spec) -> bool:
    """Whether all values that a repair moves stand in lines that the change touched."""
    for change in repair.changes:
        if not isinstance(change, Moved):
            return False
        parameter = spec.parameters[change.parameter]
        places = [parameter.places.get(key) for key in ("current", "fixed")]
        if not any(place is not None and place.line in changed.get(place.file, ()) for place in places):
            return False
    return True


def _advised(repair: Repair, findings: Sequence[Finding]) -> Repair:
    """The repair with the value that leaves the headroom which the rule aims at, where it moves one value."""
    (change, *more) = repair.changes
    if more or not isinstance(change, Moved) or len(findings) != 1:
        return repair
    for remedy in findings[0].remedies:
        if remedy.parameter == change.parameter and remedy.roomy is not None:
            return replace(repair, changes=(replace(change, after=remedy.roomy),), smallest=False)
    return repair


def _rounded(repair: Repair) -> Repair:
    """The repair with durations in whole seconds or milliseconds where those in use are, a bit farther than need be."""
    changes = tuple(_whole(change) for change in repair.changes)
    return repair if changes == repair.changes else replace(repair, changes=changes, smallest=False)


def _whole(change: Change) -> Change:
    if (
        not isinstance(change, Moved)
        or not isinstance(change.before, Fraction)
        or not isinstance(change.after, Fraction)
    ):
        return change
    unit = next((unit for unit in _UNITS if change.before % unit == 0), None)
    if unit is None or change.before == 0:
        return change
    number = change.after / unit
    after = unit * (ceil(number) if change.after > change.before else floor(number))
    return replace(change, after=after) if after > 0 else change


def _new_bytes(
    spec: Spec, bound: Sequence[Bound], repair: Repair, store: Store
) -> Mapping[str, tuple[bytes, bytes]] | None:
    """By path, each file that the repair changes, as it is and as it would be; None: it changes more than values that stand in files.

    Raises:
        InputErrors: a value cannot be written where it stands.
    """
    values: dict[str, Value] = {}
    for change in repair.changes:
        if not isinstance(change, Moved) or spec.parameters[change.parameter].default_of is not None:
            return None
        values[change.parameter] = change.after
    plan = plan_changes(spec, bound, values)
    if plan.by_hand:
        return None
    found = {changed.file.named: (changed.file.data, changed.after) for changed in plan.files}
    paths = {printable(path): path for path in spec.sources}
    edits: dict[str, list[Edit]] = {}
    texts: dict[str, bytes] = {}
    for name, value in values.items():
        parameter = spec.parameters[name]
        key = "fixed" if parameter.role is Role.FIXED else "current"
        place = parameter.places.get(key)
        if place is None or place.file not in paths:
            if parameter.at:
                continue
            return None
        path = paths[place.file]
        if path not in texts:
            texts[path] = store.read(path)
        edit = _edit(texts[path], place, parameter, value)
        if edit is None:
            return None
        edits.setdefault(path, []).append(edit)
    for path, changes in edits.items():
        found[path] = (texts[path], splice(texts[path], sorted(changes, key=lambda edit: edit.start)))
    return found


def _edit(data: bytes, place: Place, parameter: Parameter, value: Value) -> Edit | None:
    """The new value in place of the one that a spec says; None: what stands there is not plainly that."""
    try:
        lines = decode(data, place.file).splitlines(keepends=True)
    except OutlastError:
        return None
    if data.startswith(b"\xef\xbb\xbf") or place.line > len(lines):
        return None
    line = lines[place.line - 1]
    found = _SCALAR.match(line, place.col - 1)
    now = parameter.current if parameter.role is Role.FREE else parameter.value
    if found is None or not _says(found.group(), now):
        return None
    start = sum(len(text.encode()) for text in lines[: place.line - 1]) + len(line[: place.col - 1].encode())
    written = value_text(value, parameter.kind)
    return Edit(start, start + len(found.group().encode()), written.encode())


def _says(text: str, value: Value | None) -> bool:
    try:
        return parse_quantity(text).value == value
    except QuantityError:
        return False
