"""Which settings of which files are durations, or all settings: what `outlast settings` shows and init begins with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final

from outlast.configs.formats import FORMATS, Format, format_of, may_have_format
from outlast.configs.interpret import read_value
from outlast.configs.keys import name_of
from outlast.configs.likely import durations, is_value_like, may_tell_duration
from outlast.configs.select import FOLDING, Selectors
from outlast.configs.setting import Flag, Key, Literal, Opaque, Setting, Step
from outlast.configs.walk import Found, Skipped, contents, walk
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import lines_between
from outlast.constraints.progress import counted
from outlast.constraints.quantities import Kind, Value
from outlast.constraints.record import record

__all__ = ["Listed", "ListedFile", "Listing", "Problem", "list_settings"]


@record(kw_only=True, many=True)
class Listed:
    """One setting with its place, how a spec refers to it, and what it says."""

    line: int
    col: int
    #: What stands behind the `#` of an `at`.
    selector: str
    raw: str
    #: None: not known, for the `reason`.
    value: Value | None
    reason: str | None = None
    #: None: not known, or a value that fits every kind.
    kind: Kind | None = None


@record(kw_only=True)
class ListedFile:
    """A file of which there is something to show."""

    file: str
    #: The name of its format.
    format: str
    settings: tuple[Listed, ...]


@record
class Problem:
    """Why a file could not be read; `is_named`: it was asked for by its own name."""

    error: OutlastError
    is_named: bool


@record(kw_only=True)
class Listing:
    """What was found, in the order of the files' names."""

    files: tuple[ListedFile, ...]
    problems: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]
    #: How many files were read, those without anything to show included.
    read: int


def list_settings(paths: Sequence[Path], *, all_: bool) -> Listing:
    """The settings below the paths that are likely to be durations; with `all_`, every one.

    Raises:
        InputErrors: for paths that do not exist.
    """
    skipped: list[Skipped] = []
    files: list[ListedFile] = []
    problems: list[Problem] = []
    read = 0
    with _without_collection():
        for found in counted("reading files: {}", walk(paths, skipped)):
            try:
                listed = _list_file(found, skipped, all_=all_)
            except OutlastError as error:
                problems.append(Problem(error, found.is_named))
                continue
            except InputErrors as errors:
                problems += [Problem(error, found.is_named) for error in _flat(errors)]
                continue
            if listed is not None:
                read += 1
                if listed.settings:
                    files.append(listed)
    return Listing(files=tuple(files), problems=tuple(problems), skipped=tuple(skipped), read=read)


@contextmanager
def _without_collection() -> Iterator[None]:
    """No search for circles of objects, of which readers make none: it takes a tenth of the time of thousands of files."""
    import gc

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _flat(errors: BaseExceptionGroup[OutlastError]) -> Iterator[OutlastError]:
    for error in errors.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _flat(error)
        else:
            yield error


def _list_file(found: Found, skipped: list[Skipped], *, all_: bool) -> ListedFile | None:
    """What a file has to show; None: it was not read."""
    if not found.is_named and not may_have_format(found.file):
        return None
    data = contents(found, skipped)
    if data is None:
        return None
    file = printable(found.file)
    format_ = format_of(found.file, data)
    if format_ is None:
        if found.is_named:
            raise OutlastError(f"cannot tell from its name what {file} is; known are {', '.join(FORMATS)}")
        return None
    if not all_ and _is_quiet(data, format_, is_named=found.is_named):
        return ListedFile(file=file, format=format_.name, settings=())
    settings = format_.read(data, file)
    shown = settings if all_ else durations(settings, format_)
    return ListedFile(file=file, format=format_.name, settings=tuple(_listed(shown, settings, data, format_)))


def _is_quiet(data: bytes, format_: Format, *, is_named: bool) -> bool:
    """Whether a file has nothing to list although it was not parsed, nor found to be broken."""
    if format_.name == "yaml" and _SPEC.search(data[:_HEAD]):
        return True
    return not is_named and format_.module in _SLOW and not may_tell_duration(data)


#: Readers that take many times as long as a look at the words.
_SLOW: Final = frozenset(("yaml_files", "json_files", "toml", "hcl", "go", "javascript", "python", "java"))
#: Our own specs speak of settings, but set none.
_SPEC: Final = re.compile(rb"^outlast:[ \t]*[0-9]", re.M)
_HEAD: Final = 4096


def _listed(shown: Sequence[Setting], settings: Sequence[Setting], data: bytes, format_: Format) -> Iterator[Listed]:
    if not shown:
        return
    alike = settings if format_.name in FOLDING else _alike(settings, shown)
    selectors = Selectors(alike, format_.name)
    places = _places(data, shown)
    for setting, (line, col) in zip(shown, places, strict=True):
        value, kind, reason = _said(setting, format_)
        selector = selectors.of(setting)
        yield Listed(
            line=line, col=col, selector=selector, raw=setting.raw, value=value, reason=reason, kind=kind
        )  # fmt: skip


def _alike(settings: Sequence[Setting], shown: Sequence[Setting]) -> Sequence[Setting]:
    """The settings shown, and all whose routes may be written like theirs: elements without a name may be like any."""
    lasts = {setting.route[-1].name for setting in shown}
    if len(shown) == len(settings) or None in lasts:
        return settings
    return [setting for setting in settings if setting.route[-1].name in lasts]


def _places(data: bytes, shown: Sequence[Setting]) -> Iterator[tuple[int, int]]:
    """Line and column of each setting, in characters from 1, in one pass over the bytes."""
    offset, line, col = 3 if data.startswith(b"\xef\xbb\xbf") else 0, 1, 1
    for setting in shown:
        start = max(setting.start, offset)
        lines, begin = lines_between(data, offset, start)
        if lines:
            line, col, offset = line + lines, 1, begin
        between = data[offset:start]
        col += len(between) if between.isascii() else len(between.decode(errors="replace"))
        offset = start
        yield line, col


def _said(setting: Setting, format_: Format) -> tuple[Value | None, Kind | None, str | None]:
    """Value and kind, or why there is none."""
    content = setting.content
    if isinstance(content, Opaque):
        return None, None, content.reason
    if isinstance(content, Literal):
        if not is_value_like(content.text):
            return None, None, "not a number"
        route = setting.route
        outer = next(filter(_is_for_others, route), None)
        return _literal(
            content.text, content.is_text, name_of(setting), outer, len(route), setting.dialect, format_.name
        )
    return _read(setting, format_)


def _is_for_others(step: Step) -> bool:
    """Whether what is inside a step is for another program than the one that reads the file, which changes what a bare number means."""
    return step.__class__ is Flag or step.name == "environment" or step.name == "Environment"


@lru_cache(maxsize=2**14)
def _literal(
    text: str, is_text: bool, name: str, outer: Step | None, steps: int, dialect: str | None, format_: str
) -> tuple[Value | None, Kind | None, str | None]:
    """The same of a literal: with that name, and that step for other programs, it says the same wherever and in whatever quotes it stands."""
    route = (outer, Key(name)) if outer is not None and steps > 1 else (outer or Key(name),)
    content = Literal(text, is_text=is_text)
    alike = Setting(route=route, start=0, end=0, raw="", content=content, dialect=dialect)
    return _read(alike, FORMATS[format_])


def _read(setting: Setting, format_: Format) -> tuple[Value | None, Kind | None, str | None]:
    try:
        value, kind = read_value(setting, format_, None, None)
    except OutlastError as error:
        return None, None, "no unit told" if _is_without_unit(error) else error.message
    return value, kind, None


def _is_without_unit(error: OutlastError) -> bool:
    return "without a unit, and neither" in error.message
