"""The values that parameters have in users' files: each `at` of a spec looked up, read and compared with what the spec says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from outlast.configs.formats import FORMATS, Format, format_of
from outlast.configs.select import Lookup, Selectors, ending_alike, near, select, ways_of
from outlast.configs.setting import HIDDEN, Key, Opaque, Setting
from outlast.constraints.errors import OVERRIDE, InputErrors, OutlastError, Place, printable
from outlast.constraints.files import may_ignore, place_of_byte
from outlast.constraints.loading.tree import Tree
from outlast.constraints.model import Binding, Difference, Note, Parameter, Role, Spec
from outlast.constraints.quantities import Value
from outlast.constraints.record import record, replace

__all__ = ["Bound", "Files", "UserFile", "bind"]

#: Larger files of configuration or source are taken for a mistake; in bytes.
_LARGEST: Final = 8 * 2**20
_SHOWN: Final = 5
#: What brings the keys of another mapping into the one that it stands in.
_MERGE: Final = re.compile(r"(?:^|\.)<<(?![^.\[])")
#: Looking for near selectors takes its time; after so many errors it is left out.
_MOST_HINTS: Final = 20


@record(kw_only=True)
class UserFile:
    """A file as it was read."""

    #: As the spec names it, from the folder that outlast was started in.
    named: str
    #: The same as errors and reports show it.
    shown: str
    #: Links resolved.
    path: str
    data: bytes
    format: Format
    settings: tuple[Setting, ...]
    lookup: Lookup

    def place(self, setting: Setting) -> Place:
        """Where a setting's value stands."""
        return place_of_byte(self.data, setting.start, self.shown)


@record(kw_only=True)
class Bound:
    """One place of a parameter in a file; without a setting there is no such key, and the parameter's `unset` says what that means."""

    parameter: str
    binding: Binding
    file: UserFile
    setting: Setting | None
    value: Value | None
    #: Of the value, or the beginning of the file.
    place: Place


class Files:
    """Users' files, each read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._read: dict[str, UserFile | OutlastError] = {}
        self._unread: dict[str, Lookup] = {}

    def read(self, path: str, place: Place) -> UserFile:
        """The file that is named at `place`.

        Raises:
            OutlastError: it is outside, missing, unreadable, of no known format or not what its format wants.
        """
        if path not in self._read:
            try:
                self._read[path] = self._file(path, place)
            except OutlastError as error:
                self._read[path] = error
        found = self._read[path]
        if isinstance(found, OutlastError):
            raise OutlastError(found.message, found.place)
        return found

    def unread(self, file: UserFile) -> Lookup:
        """Where a file that was read sets keys without a value that is read."""
        if file.path not in self._unread:
            self._unread[file.path] = Lookup(file.format.unread(file.data, file.shown), file.format.name)
        return self._unread[file.path]

    def _file(self, path: str, place: Place) -> UserFile:
        shown = printable(path)
        resolved = self._tree.store.resolve(path) if "\0" not in path else path
        if any(part.casefold() == ".git" for part in (*path.split(os.sep), *resolved.split(os.sep))):
            raise OutlastError(f"expected a file of yours, found one of git: '{shown}'", place)
        data = self._tree.read(path, place, _LARGEST)
        format_ = format_of(path.replace(os.sep, "/"), data)
        if format_ is None:
            known = ", ".join(FORMATS)
            raise OutlastError(f"cannot tell from its name what {shown} is; known are {known}", place)
        settings = format_.read(data, shown)
        return UserFile(
            named=path,
            shown=shown,
            path=resolved,
            data=data,
            format=format_,
            settings=settings,
            lookup=Lookup(settings, format_.name),
        )


def bind(spec: Spec, files: Files) -> tuple[Spec, tuple[Bound, ...]]:
    """The spec with the values in use that stand in files, how these differ from what is written, and where each stands.

    Raises:
        InputErrors: all that is wrong with the places: no such file, nothing or several values there, one that cannot be read.
    """
    errors: list[OutlastError] = []
    bound: list[Bound] = []
    parameters = dict(spec.parameters)
    differences: list[Difference] = []
    notes: list[Note] = []
    for name, parameter in sorted(spec.parameters.items()):
        places: list[Bound] = []
        for binding in parameter.at:
            try:
                places.append(_look_up(parameter, binding, files, with_hints=len(errors) < _MOST_HINTS))
            except OutlastError as error:
                errors.append(error)
        bound += places
        notes += [_absent(parameter, b) for b in places if b.setting is None]
        if places and len(places) == len(parameter.at):
            differences += _differences(parameter, places)
            parameters[name] = _in_use(parameter, places[0])
    errors += _claimed_twice(bound)
    if errors:
        unique = {(e.place or Place("", 0, 0), e.message): e for e in errors}
        raise InputErrors(f"'{spec.path.name}' cannot be used", [unique[key] for key in sorted(unique)])
    found = replace(
        spec,
        parameters=parameters,
        differences=(*spec.differences, *differences),
        notes=(*spec.notes, *notes),
        in_files={b.parameter: (b.value, b.place) for b in reversed(bound) if b.value is not None},
        marked={**spec.marked, **{b.file.named: b.file.data for b in bound if may_ignore(b.file.data)}},
    )
    return found, tuple(bound)


def _claimed_twice(bound: Sequence[Bound]) -> Iterator[OutlastError]:
    """Values that two parameters are bound to: they would be one."""
    claims: dict[tuple[str, int, int], str] = {}
    for one in bound:
        if one.setting is None:
            continue
        first = claims.setdefault((one.file.path, one.setting.start, one.setting.end), one.parameter)
        if first != one.parameter:
            message = f"{first} and {one.parameter} are both bound to the value at {_at(one.place)}"
            yield OutlastError(message, one.binding.place)


def _look_up(parameter: Parameter, binding: Binding, files: Files, *, with_hints: bool) -> Bound:
    from outlast.configs.interpret import read_value

    file = files.read(binding.file, binding.place)
    found = file.lookup.select(binding.selector)
    known = file.settings
    if not found:
        unread = files.unread(file)
        found = unread.select(binding.selector)[:1]
        known += tuple(setting for setting in unread.settings if setting.route != (HIDDEN,))
    is_from_spec = parameter.places.get("unset") != parameter.place
    if not found and parameter.unset is not None and (is_from_spec or not ending_alike(known, binding.selector)):
        _refuse_hidden(file, binding)
        _refuse_brought_in(file, binding, unread.settings)
        start = Place(file.shown, 1, 1)
        return Bound(
            parameter=parameter.name, binding=binding, file=file, setting=None, value=parameter.unset, place=start
        )
    if len(found) != 1:
        hint = "; where no such key is meant, say so with unset:" if not found and parameter.unset is not None else ""
        raise OutlastError(_not_one(file, known, found, binding.selector, with_hints=with_hints) + hint, binding.place)
    setting = found[0]
    place = file.place(setting)
    try:
        is_only = len(parameter.at) == 1
        value, _ = read_value(
            setting,
            file.format,
            parameter.kind,
            parameter.unit,
            is_only=is_only,
            syntax=parameter.syntax,
            negative=parameter.negative,
        )
    except OutlastError as error:
        raise OutlastError(f"{error.message} ({parameter.name}, {_at(binding.place)})", place) from None
    return Bound(parameter=parameter.name, binding=binding, file=file, setting=setting, value=value, place=place)


def _refuse_hidden(file: UserFile, binding: Binding) -> None:
    """A key that is not there by itself may be there through an alias or a merge, or hold more than one value: then it is not missing.

    Raises:
        OutlastError: at the selector.
    """
    shown = printable(binding.selector)
    ways = [text for _, text in ways_of(binding.selector)]
    for setting, route in zip(file.settings, file.lookup.routes, strict=True):
        if any(route.startswith((f"{way}.", f"{way}[")) for way in ways):
            message = f"expected one value at '{shown}' in {file.shown}, found several below it, the first at line {file.place(setting).line}"
            raise OutlastError(message, binding.place)
        if isinstance(setting.content, Opaque) and any(way.startswith((f"{route}.", f"{route}[")) for way in ways):
            message = f"'{shown}' in {file.shown} may come in through {setting.content.reason}, line {file.place(setting).line}, which is not read; so unset: cannot tell"
            raise OutlastError(message, binding.place)
        merge = _MERGE.search(route)
        if merge is None and not _is_alias(setting):
            continue
        above = route if merge is None else route[: merge.start()]
        if not above or any(way.startswith((f"{above}.", f"{above}[")) for way in ways):
            what = "an alias" if merge is None else "a merge"
            message = f"'{shown}' in {file.shown} may come in through {what}, line {file.place(setting).line}, which is not read; so unset: cannot tell"
            raise OutlastError(message, binding.place)


def _refuse_brought_in(file: UserFile, binding: Binding, unread: Sequence[Setting]) -> None:
    """A key that an object may have got from another is not missing; where the selector has no scope, in any object.

    Raises:
        OutlastError: at the selector.
    """
    selector = binding.selector
    key = Key(re.split(r"[.:]", selector)[-1])
    for setting in unread:
        if setting.route == (HIDDEN,) and select((replace(setting, route=(key,)),), selector):
            reason = setting.content.reason if isinstance(setting.content, Opaque) else ""
            message = f"'{printable(selector)}' in {file.shown} may come in through {reason}, line {file.place(setting).line}, which is not read; so unset: cannot tell"
            hint = "" if ":" in selector else f"; a scope, SCOPE:{printable(selector)}, leaves out other objects"
            raise OutlastError(message + hint, binding.place)


def _is_alias(setting: Setting) -> bool:
    return isinstance(setting.content, Opaque) and setting.content.reason.startswith("an alias")


def _not_one(
    file: UserFile, settings: Sequence[Setting], found: Sequence[Setting], selector: str, *, with_hints: bool
) -> str:
    shown = printable(selector)
    if found:
        known = Selectors(file.settings, file.format.name)
        told = [f"{known.of(s)} ({_line(file, s)})" for s in found[:_SHOWN]]
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        return f"expected one value at '{shown}' in {file.shown}, found {len(found)}: {', '.join(told)}{more}"
    near_ones = near(settings, selector, file.format.name) if with_hints else ()
    hint = f"; near are {', '.join(near_ones)}" if near_ones else ""
    none = "no value at all" if not settings else "none"
    return f"expected a value at '{shown}' in {file.shown}, found {none}{hint}"


def _line(file: UserFile, setting: Setting) -> str:
    return f"line {file.place(setting).line}"


def _at(place: Place) -> str:
    return f"{place.file}:{place.line}"


def _absent(parameter: Parameter, bound: Bound) -> Note:
    binding = bound.binding
    message = f"{bound.file.shown} has no {binding.selector}; what unset: says of {parameter.name} is taken"
    return Note(message, binding.place)


def _in_use(parameter: Parameter, first: Bound) -> Parameter:
    """The parameter with the value in use that its file says, unless the command line says another."""
    if parameter.role is not Role.FREE or first.value is None or _is_overridden(parameter, "current"):
        return parameter
    place = first.place if first.setting is not None else parameter.places.get("unset", first.place)
    return replace(parameter, current=first.value, places={**parameter.places, "current": place})


def _is_overridden(parameter: Parameter, key: str) -> bool:
    place = parameter.places.get(key)
    return place is not None and place.file == OVERRIDE


def _differences(parameter: Parameter, places: Sequence[Bound]) -> Iterator[Difference]:
    """Every place that does not say what the spec says; if the spec says nothing, what the first place does."""
    first = places[0]
    key = "current" if parameter.role is Role.FREE else parameter.role.value
    written: Value | tuple[Fraction, Fraction] | None = parameter.interval
    if written is None:
        written = parameter.current if parameter.role is Role.FREE else parameter.value
    is_said = written is not None and key in parameter.places and not _is_overridden(parameter, key)
    expected, place = (written, parameter.places[key]) if is_said else (first.value, first.place)
    for bound in places if is_said else places[1:]:
        if expected is not None and bound.value is not None and not _agrees(parameter, expected, bound.value):
            yield Difference(
                parameter=parameter.name,
                expected=expected,
                expected_place=place,
                is_from_spec=is_said,
                found=bound.value,
                place=bound.place,
                is_absent=bound.setting is None,
            )


def _agrees(parameter: Parameter, expected: Value | tuple[Fraction, Fraction], found: Value) -> bool:
    value = parameter.effective(found)
    if not isinstance(expected, tuple):
        return parameter.effective(expected) == value
    return isinstance(value, Fraction) and expected[0] <= value <= expected[1]
