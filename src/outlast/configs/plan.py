"""What has to change in users' files for given values: new bytes for each file, checked against the old ones, nothing written yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from outlast.configs.bind import Bound, UserFile
from outlast.configs.patch import Edit, splice, verify
from outlast.configs.rewrite import new_text
from outlast.constraints.errors import InputErrors, OutlastError, Place
from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record

__all__ = ["Change", "ChangedFile", "Plan", "plan_changes"]


@record(kw_only=True)
class Change:
    """A new value for one place in a file."""

    bound: Bound
    value: Value
    #: What will stand there; None: the key is absent and has to be added by hand.
    raw: str | None


@record(kw_only=True)
class ChangedFile:
    """A file with its new bytes."""

    file: UserFile
    after: bytes
    #: In the order of the file.
    changes: tuple[Change, ...]


@record(kw_only=True)
class Plan:
    """All that has to change; files in the order of their names."""

    files: tuple[ChangedFile, ...]
    #: Values for keys that the files do not have.
    by_hand: tuple[Change, ...]


def plan_changes(spec: Spec, bound: Sequence[Bound], values: Mapping[str, Value]) -> Plan:
    """The changes after which every place holds its parameter's value; places that hold it already stay as they are.

    Facts are true of the world and are not written.

    Raises:
        InputErrors: values that cannot be written where they belong: a template or a reference stands there, the unit or the syntax of the
            place has no such number, the change would reach beyond its bytes.
    """
    errors: list[OutlastError] = []
    by_hand: list[Change] = []
    edited: dict[str, dict[int, Change]] = {}
    files: dict[str, UserFile] = {}
    for one in bound:
        parameter = spec.parameters[one.parameter]
        value = values.get(one.parameter)
        if parameter.role is Role.FACT or value is None or _holds(parameter, one, value):
            continue
        if one.setting is None:
            by_hand.append(Change(bound=one, value=value, raw=None))
            continue
        try:
            raw = new_text(
                one.setting,
                one.file.format,
                _as_written(parameter, value),
                parameter.kind,
                parameter.unit,
                is_only=len(parameter.at) == 1,
                syntax=parameter.syntax,
                negative=parameter.negative,
            )
        except OutlastError as error:
            errors.append(OutlastError(f"cannot set {one.parameter} here: {error.message}", one.place))
            continue
        file = files.setdefault(one.file.path, one.file)
        changes = edited.setdefault(file.path, {})
        index = next(
            i for i, s in enumerate(file.settings) if s.start == one.setting.start and s.end == one.setting.end
        )
        changes[index] = Change(bound=one, value=value, raw=raw)
    changed = []
    for path, changes in sorted(edited.items()):
        try:
            changed.append(_changed(files[path], dict(sorted(changes.items()))))
        except OutlastError as error:
            errors.append(error)
    if errors:
        ordered = sorted(errors, key=lambda e: (e.place or Place("", 0, 0), e.message))
        raise InputErrors(f"the values for '{spec.path.name}' cannot be written", ordered)
    return Plan(files=tuple(sorted(changed, key=lambda f: f.file.shown)), by_hand=tuple(by_hand))


def _holds(parameter: Parameter, bound: Bound, value: Value) -> bool:
    return bound.value is not None and parameter.effective(bound.value) == parameter.effective(value)


def _as_written(parameter: Parameter, value: Value) -> Value:
    """The value as a file can hold it: a 0 where that is what it means."""
    is_zero = isinstance(value, Sentinel) and parameter.zero is value
    return Fraction(0) if is_zero else value


def _changed(file: UserFile, changes: Mapping[int, Change]) -> ChangedFile:
    edits = []
    wanted: dict[int, str] = {}
    for index, change in changes.items():
        setting = file.settings[index]
        raw = change.raw or ""
        edits.append(Edit(setting.start, setting.end, raw.encode()))
        wanted[index] = raw
    first = min(file.settings[index].start for index in changes)
    try:
        after = splice(file.data, edits)
    except OutlastError as error:
        place = next(c.bound.place for i, c in changes.items() if file.settings[i].start == first)
        raise OutlastError(error.message, error.place or place) from None
    verify(file.format, file.shown, file.settings, file.data, after, wanted)
    return ChangedFile(file=file, after=after, changes=tuple(changes.values()))
