"""The values and options that instances of one file have, as far as they can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from outlast.configs.formats import Format
from outlast.configs.interpret import read_value
from outlast.configs.recognise.commands import Command, image_name, image_tag
from outlast.configs.recognise.deduced import hints_of_command
from outlast.configs.recognise.found import Held
from outlast.configs.recognise.paths import items_of, last_of
from outlast.configs.recognise.pattern import Entry, Program
from outlast.configs.recognise.sites import Group, Root, Site
from outlast.configs.select import FOLDING, Selectors, fold_of
from outlast.configs.setting import Computed, Literal, Setting
from outlast.constraints.catalogue.guard import version_of
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import place_of_byte
from outlast.constraints.quantities import QuantityError, Value, format_number, parse_quantity

__all__ = ["Values", "word_of"]

#: Of an option; what is longer is none.
_LONGEST_WORD: Final = 100

#: Variables of the environment that hold flags.
_MORE_FLAGS: Final = frozenset(("GUNICORN_CMD_ARGS",))


def word_of(setting: Setting) -> str | None:
    """What a setting says, as a word; None: it is not told."""
    content = setting.content
    if isinstance(content, Literal):
        return content.text
    return format_number(content.amount) if isinstance(content, Computed) and content.unit is None else None


def _named_by(flags: frozenset[str], command: Command) -> Iterator[str]:
    """The values of some flags."""
    for flag in sorted(flags):
        for setting in command.values.get(flag, ()):
            if isinstance(setting.content, Literal):
                yield setting.content.text


@lru_cache(2**10)
def _quantity(text: str) -> Value | None:
    try:
        return parse_quantity(text).value
    except QuantityError:
        return None


def _never_killed(entry: Entry, settings: Sequence[Setting]) -> frozenset[str]:
    """The grace period of a unit of systemd that nothing ends: `SendSIGKILL=no`."""
    if entry.kind != "systemd.service":
        return frozenset()
    said = [word_of(s) for s in settings if s.route[-1].name == "SendSIGKILL"]
    is_sure = all((word or "").lower() in ("yes", "true", "on", "1", "y", "t") for word in said)
    return frozenset() if is_sure else frozenset(("timeout_stop",))


class Values:
    """Reads the values of instances of one file."""

    def __init__(self, settings: Sequence[Setting], data: bytes, file: str, format_: Format) -> None:
        self._settings = settings
        self._data = data
        self._file = file
        self._format = format_
        self._selectors: dict[str, Selectors] = {}
        #: By the last name.
        self._alike: dict[str, list[Setting]] = {}
        self._own = {id(setting) for setting in settings}

    def site(self, entry: Entry, root: Root, group: Group, kind: Kind) -> Site:
        """The instance that a group is."""
        values: dict[str, Held] = {}
        options = dict(entry.fixed)
        opaque = set(_never_killed(entry, self._settings))
        for (role, name), settings in group.found.items():
            if role == "parameter":
                held = self._held(kind, name, settings) if name not in opaque else None
                if held is None:
                    opaque.add(name)
                else:
                    values[name] = held
            elif role == "option":
                word = _option(kind, name, settings)
                if word is None:
                    opaque.add(name)
                else:
                    options[name] = word
        elsewhere = entry.elsewhere.difference(values, opaque)
        return Site(
            kind=entry.kind,
            file=self._file,
            format=self._format.name,
            root=root,
            depth=group.depth,
            start=group.start,
            values=values,
            options=options,
            opaque=frozenset(opaque) | elsewhere,
            elsewhere=elsewhere,
        )

    def program(self, program: Program, command: Command, kind: Kind) -> Site:
        """The instance that a command line starts."""
        found: dict[tuple[str, str], list[Setting]] = {}
        for key, settings in command.values.items():
            if (known := program.keys.get(key)) is not None:
                # A flag goes before a variable.
                others = found.get(known)
                found[known] = settings if others is None or key.startswith("-") else others
        entry_values: dict[str, Held] = {}
        options, opaque = dict(program.fixed), set()
        for (role, name), settings in found.items():
            held = self._held(kind, name, settings) if role == "parameter" else None
            word = _option(kind, name, settings) if role == "option" else None
            if held is not None:
                entry_values[name] = held
            elif word is not None:
                options[name] = word
            else:
                opaque.add(name)
        if (
            "version" in kind.options
            and "version" not in options
            and command.image is not None
            and image_name(word_of(command.image) or "") in program.images
            and (tag := image_tag(word_of(command.image) or "")) is not None
        ):
            options["version"] = tag
        # Flags whose words nothing tells apart (a switch, a template) may be any of them.
        has_config = not program.configs.isdisjoint(command.values) or any(w in program.configs for w in command.line)
        has_config = has_config or not _MORE_FLAGS.isdisjoint(command.values)
        if "\0" in command.line:
            opaque |= {n for r, n in program.keys.values() if r == "parameter" and n not in entry_values}
        return Site(
            kind=program.kind,
            file=self._file,
            format=self._format.name,
            root=items_of(command.scope, command.route, fold_of(self._format.name)),
            depth=len(command.scope),
            start=command.start,
            values=entry_values,
            options=options,
            opaque=frozenset(opaque),
            command=command,
            has_config=has_config,
            configs=tuple(_named_by(program.configs, command)),
            hints=hints_of_command(command),
        )

    def _held(self, kind: Kind, name: str, settings: Sequence[Setting]) -> Held | None:
        """The value of a parameter; None: it is set, but not known, or set several times."""
        if len(settings) != 1:
            return None
        setting = settings[0]
        parameter = kind.parameters[name]
        negative = _quantity(parameter.negative) if parameter.negative is not None else None
        try:
            value, _ = read_value(
                setting, self._format, parameter.quantity, parameter.unit, syntax=parameter.syntax, negative=negative
            )
        except OutlastError:
            return None
        return Held(
            value=value,
            place=place_of_byte(self._data, setting.start, self._file),
            selector=self._selector(setting),
            file=self._file,
            raw=setting.raw,
        )

    def _selector(self, setting: Setting) -> str:
        """The shortest selector; only settings whose routes end alike can be meant by it."""
        if id(setting) not in self._own:
            whole = next((s for s in self._settings if s.start == setting.start and s.end == setting.end), None)
            if whole is None or whole.content != setting.content:
                return ""
            setting = whole
        key = "" if self._format.name in FOLDING else last_of(setting)
        if key not in self._selectors:
            if not self._alike:
                for each in self._settings:
                    self._alike.setdefault(last_of(each), []).append(each)
            self._selectors[key] = Selectors(self._alike[key] if key else self._settings, self._format.name)
        return self._selectors[key].of(setting)


def _option(kind: Kind, name: str, settings: Sequence[Setting]) -> str | None:
    """The word of an option; of an image its version. None: it is none that is known."""
    texts = {word_of(setting) for setting in settings}
    if len(texts) != 1:
        return None
    text = texts.pop()
    if text is None or "$" in text or "{{" in text:
        return None
    if name == "version":
        text = (image_tag(text) if ":" in text else text) or ""
        return text if version_of(text) is not None else None
    known = kind.options[name].values
    if known and text not in known:
        return next((word for word in known if word.lower() == text.lower()), None)
    return text if text.isprintable() and len(text) < _LONGEST_WORD else None
