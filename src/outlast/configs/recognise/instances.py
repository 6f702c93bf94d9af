"""From the settings of one file to the instances of kinds that stand in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Final

from outlast.configs.formats import Format
from outlast.configs.interpret import read_value
from outlast.configs.recognise.commands import (
    FORMATS_WITH_COMMANDS,
    Command,
    commands_of,
    image_name,
    image_tag,
    program_of,
)
from outlast.configs.recognise.deduced import hints_of_command, hints_of_file, hook_of
from outlast.configs.recognise.environment import (
    NO_ENVIRONMENT,
    Environment,
    catch_alls,
    environments_of,
    flagged_by,
    has_open_argument,
    is_guest,
    is_mounted,
    variables_of,
)
from outlast.configs.recognise.found import Held
from outlast.configs.recognise.paths import Item, items_of, last_of, path_of
from outlast.configs.recognise.pattern import Entry, Patterns, Program, Use, is_scope, is_tail
from outlast.configs.select import FOLDING, Selectors, fold_of
from outlast.configs.setting import Computed, Key, Literal, Setting
from outlast.constraints.catalogue.guard import version_of
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import place_of_byte
from outlast.constraints.quantities import QuantityError, Value, format_number, parse_quantity
from outlast.constraints.record import record, replace

__all__ = ["Site", "joined", "sites_of", "with_variables"]

#: Formats in which a field may be set apart from the literal that makes its object: `srv.IdleTimeout = time.Minute`.
_CODE: Final = frozenset(("go", "javascript", "typescript", "python", "java"))

#: Of an option; what is longer is none.
_LONGEST_WORD: Final = 100
_Root = tuple[Item, ...]


@record(kw_only=True, eq=False)
class Site:
    """An instance with where it stands; its name comes later, when all are known."""

    kind: str
    file: str
    format: str
    #: The path of what holds it: of a container, a block, an object.
    root: _Root
    #: How many items of it are segments of the scope.
    depth: int
    start: int
    values: Mapping[str, Held]
    options: Mapping[str, str]
    opaque: frozenset[str]
    #: The command line that tells it; None: a file of its own.
    command: Command | None = None
    #: Whether a file of its own may set more, and the words that name it.
    has_config: bool = False
    configs: tuple[str, ...] = ()
    #: Whether its environment, or an argument that is not told, may set what its command line does not.
    is_unsure: bool = False
    #: Parameters that stand in another block: of `opaque`, what is unknown only as long as that block is.
    elsewhere: frozenset[str] = frozenset()
    #: Of some that are opaque: what they are at least.
    least: Mapping[str, Held] = field(default_factory=dict)
    #: What it says of its ports and threads, as written.
    hints: Mapping[str, str] = field(default_factory=dict)


@record(kw_only=True, frozen=False)
class _Group:
    """What was found below one root for one entry."""

    depth: int
    start: int
    #: By role and name.
    found: dict[tuple[str, str], list[Setting]] = field(default_factory=dict)

    def add(self, use: Use, setting: Setting) -> None:
        """One more setting."""
        self.start = min(self.start, setting.start)
        self.found.setdefault((use.role, use.name), []).append(setting)


@record(kw_only=True, frozen=False)
class _Groups:
    """Of one entry: what was found, by root."""

    below: dict[_Root, _Group] = field(default_factory=dict)
    #: Where no instance may stand, but values that instances inherit, or fields that are set apart.
    beside: dict[_Root, _Group] = field(default_factory=dict)
    #: By the scope.
    rooted: dict[_Root, _Group] = field(default_factory=dict)


def sites_of(
    settings: Sequence[Setting], data: bytes, file: str, format_: Format, patterns: Patterns, kinds: Mapping[str, Kind]
) -> tuple[list[Site], list[Command]]:
    """The instances in one file, in the order of their places, and the command lines in it."""
    reader = _Values(settings, data, file, format_)
    commands = commands_of(settings, data, format_.name) if format_.name in FORMATS_WITH_COMMANDS else []
    running = [(program, command) for command in commands for program in _run_by(command, patterns.programs)]
    sites = [
        reader.site(entry, root, group, kinds[entry.kind])
        for entry, root, group in _groups(settings, data, file, format_.name, patterns, [c for _, c in running])
    ]
    sites += [reader.program(program, command, kinds[program.kind]) for program, command in running]
    whole = _merged(sites)
    if b"preStop" in data:
        whole = [_with_hook(site, kinds[site.kind], settings, data, fold_of(format_.name)) for site in whole]
    if any(site.command is not None or is_guest(kinds[site.kind]) for site in whole):
        around = environments_of(settings, format_.name, fold_of(format_.name))
        whole = [_with_environment(site, kinds[site.kind], around.get(site.root)) for site in whole]
    if format_.name == "python" and whole and (hints := hints_of_file(settings)):
        whole = [replace(site, hints=hints) for site in whole]
    return whole, commands


#: What takes as long as the command of a preStop hook.
_HOOK: Final = "prestop_time"


def _with_hook(site: Site, kind: Kind, settings: Sequence[Setting], data: bytes, fold: Callable[[str], str]) -> Site:
    """The site with how long its hook takes, as far as its command tells."""
    if _HOOK not in kind.parameters:
        return site
    end = len(site.root) - site.depth
    inside = [s for s in settings if len(s.route) > end and s.route[end].name == "lifecycle"]
    own = [s for s in inside if items_of(s.scope, s.route[:end], fold) == site.root]
    hook = hook_of(((tuple(step.name for step in s.route[end:]), s) for s in own), data, site.file)
    if hook is None:
        return site
    held, is_all = hook
    if is_all:
        return replace(site, values={**site.values, _HOOK: held})
    return replace(site, least={_HOOK: held}, opaque=site.opaque | {_HOOK})


#: What holds containers.
_CONTAINING: Final = frozenset(("compose", "yaml", "helm", "json", "hcl"))


def _with_environment(site: Site, kind: Kind, environment: Environment | None) -> Site:
    """The site, what its environment may set being unknown."""
    environment = environment or NO_ENVIRONMENT
    if site.command is None:
        # Told by its variables: below them is a file that is not known.
        return replace(site, is_unsure=True) if is_guest(kind) and site.format in _CONTAINING else site
    if has_open_argument(site.command) or is_mounted(kind, environment):
        return replace(site, is_unsure=True)
    variables, anything = variables_of(kind), catch_alls(kind)
    if not variables and not anything:
        return site
    site = with_variables(site, kind, environment.names.difference(site.command.values))
    if environment.has_more and site.format == "systemd":
        # A file of variables goes before `Environment=`.
        site = with_variables(site, kind, environment.names)
    is_open = environment.has_more or not anything.isdisjoint(environment.names)
    return replace(site, is_unsure=True) if is_open else site


def with_variables(site: Site, kind: Kind, names: Collection[str]) -> Site:
    """The site, what variables of these names set being unknown but where a flag says it."""
    variables = variables_of(kind)
    said = {variables[name] for name in names if name in variables}
    if site.command is not None:
        said -= flagged_by(kind, site.command)
    if not said:
        return site
    values = {name: held for name, held in site.values.items() if name not in said}
    options = {name: word for name, word in site.options.items() if name not in said}
    return replace(site, values=values, options=options, opaque=site.opaque | said)


def _merged(sites: Sequence[Site]) -> list[Site]:
    """Instances of one kind at one place are one: two entries may each hold a part of it."""
    found: dict[tuple[str, _Root], Site] = {}
    for site in sites:
        key = (site.kind, site.root)
        other = found.get(key)
        if other is None:
            found[key] = site
            continue
        double = {
            name
            for name, held in site.values.items()
            if name in other.values and other.values[name].selector != held.selector
        }
        found[key] = replace(
            joined(other, site, double), start=min(other.start, site.start), command=other.command or site.command
        )
    return sorted(found.values(), key=lambda site: (site.start, site.kind))


def joined(one: Site, other: Site, double: Collection[str] = ()) -> Site:
    """One instance of what two blocks say of it; `double`: parameters that both say differently."""
    values = {n: h for n, h in {**other.values, **one.values}.items() if n not in double}
    elsewhere = one.elsewhere & other.elsewhere
    opaque = (one.opaque - one.elsewhere) | (other.opaque - other.elsewhere) | frozenset(double) | elsewhere
    return replace(
        one,
        values=values,
        options={**other.options, **one.options},
        opaque=opaque,
        elsewhere=elsewhere,
        least={**other.least, **one.least},
        hints={**other.hints, **one.hints},
    )


def _groups(
    settings: Sequence[Setting], data: bytes, file: str, format_: str, patterns: Patterns, running: Sequence[Command]
) -> Iterator[tuple[Entry, _Root, _Group]]:
    """The instances of entries."""
    uses = patterns.uses.get(format_, {})
    fold = fold_of(format_)
    by_entry: dict[Entry, _Groups] = {}
    for setting in settings:
        known = uses.get(fold(last_of(setting)))
        if known is None:
            continue
        items, depth = path_of(setting, fold)
        for use in known:
            _sort_in(use, setting, items, depth, file, by_entry)
    inner = _put(settings, data) if format_ == "java" else _listed(settings) if format_ in ("yaml", "helm") else ()
    for setting in inner:
        for use in uses.get(last_of(setting), ()):
            items, depth = path_of(setting, fold)
            _sort_in(use, setting, items, depth, file, by_entry)
    for entry in patterns.always.get(format_, ()):
        if entry.names is None or entry.names.fullmatch(file):
            _add_always(entry, settings, fold, by_entry)
    hosts = patterns.hosts.get(format_, ())
    for command in running:
        root = items_of(command.scope, command.route, fold)
        for entry in hosts:
            _add_host(entry, root, len(command.scope), command.start, by_entry)
    # A guest may be told by variables alone.
    for guest, groups in list(by_entry.items()) if hosts else ():
        for root, group in groups.below.items():
            if group.depth < len(root) and guest not in hosts and _whole(guest, root, group, groups, data) is not None:
                for entry in hosts:
                    _add_host(entry, root, group.depth, group.start, by_entry)
    for entry, groups in by_entry.items():
        for root, group in groups.below.items():
            whole = _whole(entry, root, group, groups, data)
            if whole is not None:
                yield entry, root, whole


def _sort_in(use: Use, setting: Setting, items: _Root, depth: int, file: str, by_entry: dict[Entry, _Groups]) -> None:
    entry = use.entry
    if entry.names is not None and not entry.names.fullmatch(file):
        return
    end = len(items)
    if not is_tail(use.route, items, end):
        return
    top = end - len(use.route)
    if use.is_rooted:
        if top <= depth:
            groups = by_entry.setdefault(entry, _Groups())
            place = groups.rooted if is_scope(entry, items[:top]) else groups.beside
            place.setdefault(items[:top], _Group(depth=top, start=setting.start)).add(use, setting)
        return
    if not is_tail(entry.instance, items, top):
        return
    scope = top - len(entry.instance)
    if scope > depth:
        if not entry.is_deep:
            return
        scope = depth
    if is_scope(entry, items[:scope]):
        groups = by_entry.setdefault(entry, _Groups())
        groups.below.setdefault(items[:top], _Group(depth=scope, start=setting.start)).add(use, setting)
    elif entry.inherits or entry.inherits_from or entry.format in _CODE:
        groups = by_entry.setdefault(entry, _Groups())
        groups.beside.setdefault(items[:top], _Group(depth=scope, start=setting.start)).add(use, setting)


def _add_always(
    entry: Entry, settings: Sequence[Setting], fold: Callable[[str], str], by_entry: dict[Entry, _Groups]
) -> None:
    """An instance for each scope in which anything stands."""
    seen: set[object] = set()
    for setting in settings:
        if setting.scope in seen:
            continue
        seen.add(setting.scope)
        items = items_of(setting.scope, (), fold)
        for depth in range(len(items) + 1):
            if is_scope(entry, items[:depth]):
                groups = by_entry.setdefault(entry, _Groups())
                groups.below.setdefault(items[:depth], _Group(depth=depth, start=setting.start))


def _add_host(entry: Entry, root: _Root, depth: int, start: int, by_entry: dict[Entry, _Groups]) -> None:
    """What a recognised program runs in is there although nothing of its own is set: a container with the default grace period."""
    scope = len(root) - len(entry.instance)
    if scope != depth or not is_tail(entry.instance, root, len(root)) or not is_scope(entry, root[:scope]):
        return
    groups = by_entry.setdefault(entry, _Groups())
    groups.below.setdefault(root, _Group(depth=scope, start=start))


def _whole(entry: Entry, root: _Root, group: _Group, groups: _Groups, data: bytes) -> _Group | None:
    """All that holds for an instance, inherited values included; None: it is none, for its conditions."""
    found = dict(group.found)
    rooted = groups.rooted.get(root[: group.depth])
    for other in [rooted] if rooted else []:
        found = {**other.found, **found}
    if entry.format in _CODE and len(root) > 1 and (apart := groups.beside.get(root[:-1])) is not None:
        fields = {key: own for key, all_ in apart.found.items() if (own := [s for s in all_ if _is_field(s, data)])}
        for key, own in fields.items():
            found[key] = own  # assigned after the literal
    if entry.inherits and entry.format != "haproxy":
        for length in range(len(root) - 1, -1, -1):
            for source in (groups.below, groups.beside):
                if (outer := source.get(root[:length])) is not None:
                    found = {**_not_replaced(outer.found, found, entry.format), **found}
    for name in (*entry.inherits_from, *(("defaults",) if entry.inherits and entry.format == "haproxy" else ())):
        nearest = _nearest(name, group.start, groups)
        if nearest is not None:
            found = {**nearest.found, **found}
    for number, condition in enumerate(entry.conditions):
        held = found.get(("condition", str(number)), [])
        if condition.words:
            texts = [_text(s) for s in held]
            if None in texts:
                return None
            is_there = not condition.words.isdisjoint(text for text in texts if text is not None)
        else:
            is_there = bool(held)
        if is_there is not condition.is_wanted:
            return None
    return _Group(depth=group.depth, start=group.start, found=found)


_Settings = dict[tuple[str, str], list[Setting]]


def _not_replaced(outer: _Settings, found: _Settings, format_: str) -> _Settings:
    """What holds of an outer block; a directive of nginx replaces the outer one with all its values: `keepalive_timeout 30s` leaves no header."""
    if format_ != "nginx":
        return outer
    own = {s.route[0] for settings in found.values() for s in settings}
    return {key: settings for key, settings in outer.items() if own.isdisjoint(s.route[0] for s in settings)}


def _nearest(name: str, start: int, groups: _Groups) -> _Group | None:
    """The last scope of a name before a place."""
    named = [
        group
        for source in (groups.beside, groups.below)
        for root, group in source.items()
        if root and name in root[-1] and group.start < start
    ]
    return max(named, key=lambda group: group.start, default=None)


_FIELD: Final = re.compile(rb"\.[ \t]*\w+[ \t]*=[ \t\r\n]*\Z")


def _is_field(setting: Setting, data: bytes) -> bool:
    """Whether a value is assigned to a field of an object: `srv.IdleTimeout = …`."""
    return _FIELD.search(data, max(0, setting.start - 120), setting.start) is not None


_PUT: Final = re.compile(r"(?:put|setProperty|putIfAbsent)\[1\]")
_CONSTANT: Final = re.compile(
    rb"(?:\"([\w.-]{1,120})\"|\b(?:[\w.]+\.)?([A-Z0-9_]{3,120})_CONFIG)[ \t\r\n]*,[ \t\r\n]*\Z"
)


def _put(settings: Sequence[Setting], data: bytes) -> Iterator[Setting]:
    """Entries of a map of settings in code, as settings of the object: `props.put("session.timeout.ms", 45000)`."""
    for setting in settings:
        if not _PUT.fullmatch(last_of(setting)):
            continue
        match = _CONSTANT.search(data, max(0, setting.start - 200), setting.start)
        if match is None:
            continue
        name = match[1].decode() if match[1] is not None else match[2].decode().lower().replace("_", ".")
        scope = setting.scope
        if scope and scope[-1][-1].partition("#")[0] in ("put", "setProperty", "putIfAbsent"):
            scope = scope[:-1]
        yield replace(setting, route=(Key(name),), scope=scope)


_ATTRIBUTES: Final = re.compile(r"[a-z_0-9]+(?:\.[a-z_0-9]+)+=[^,=]*(?:,[a-z_0-9.]+=[^,=]*)*")


def _listed(settings: Sequence[Setting]) -> Iterator[Setting]:
    """The attributes that one text lists, as settings below it: `idle_timeout.timeout_seconds=60,routing.http2.enabled=true`."""
    for setting in settings:
        content, last = setting.content, setting.route[-1]
        if content.__class__ is not Literal or last.__class__ is not Key or "/" not in (last.name or ""):
            continue
        text = content.text.replace(" ", "")
        if _ATTRIBUTES.fullmatch(text):
            for part in text.split(","):
                name, _, value = part.partition("=")
                yield replace(setting, route=(*setting.route, Key(name)), content=Literal(value), raw=part)


def _text(setting: Setting) -> str | None:
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


def _run_by(command: Command, programs: Sequence[Program]) -> Iterator[Program]:
    """The programs that a command line runs, or an image without one."""
    words = command.line
    name, rest = program_of(words)
    image = None
    if command.image is not None and isinstance(command.image.content, Literal):
        image = image_name(command.image.content.text) if not words or words[0].startswith("-") else None
    for program in programs:
        is_named = any(each[0] == name and all(word in rest for word in each[1:]) for each in program.programs)
        if (is_named or (image is not None and image in program.images)) and all(
            key in command.values or key in words for key in program.requires
        ):
            yield program


#: Variables of the environment that hold flags.
_MORE_FLAGS: Final = frozenset(("GUNICORN_CMD_ARGS",))


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
    said = [_text(s) for s in settings if s.route[-1].name == "SendSIGKILL"]
    is_sure = all((word or "").lower() in ("yes", "true", "on", "1", "y", "t") for word in said)
    return frozenset() if is_sure else frozenset(("timeout_stop",))


class _Values:
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

    def site(self, entry: Entry, root: _Root, group: _Group, kind: Kind) -> Site:
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
            and image_name(_text(command.image) or "") in program.images
            and (tag := image_tag(_text(command.image) or "")) is not None
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
    texts = {_text(setting) for setting in settings}
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
