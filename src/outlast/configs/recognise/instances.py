"""From the settings of one file to the instances of kinds that stand in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from outlast.configs.formats import Format
from outlast.configs.recognise.commands import (
    FORMATS_WITH_COMMANDS,
    Command,
    commands_of,
    image_name,
    program_of,
)
from outlast.configs.recognise.deduced import hints_of_file, hook_of
from outlast.configs.recognise.environment import (
    NO_ENVIRONMENT,
    Environment,
    catch_alls,
    environments_of,
    has_open_argument,
    is_guest,
    is_mounted,
    variables_of,
)
from outlast.configs.recognise.paths import items_of, last_of, path_of
from outlast.configs.recognise.pattern import Entry, Patterns, Program, Use, is_scope, is_tail
from outlast.configs.recognise.sites import Group, Root, Site, merged, unknown_rest, with_variables
from outlast.configs.recognise.values import Values, word_of
from outlast.configs.select import fold_of
from outlast.configs.setting import HIDDEN, Key, Literal, Opaque, Setting
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.record import record, replace

__all__ = ["sites_of"]

#: Formats in which a field may be set apart from the literal that makes its object: `srv.IdleTimeout = time.Minute`.
_CODE: Final = frozenset(("go", "javascript", "typescript", "python", "java"))


@record(kw_only=True, frozen=False)
class _Groups:
    """Of one entry: what was found, by root."""

    below: dict[Root, Group] = field(default_factory=dict)
    #: Where no instance may stand, but values that instances inherit, or fields that are set apart.
    beside: dict[Root, Group] = field(default_factory=dict)
    #: By the scope.
    rooted: dict[Root, Group] = field(default_factory=dict)


def sites_of(
    settings: Sequence[Setting], data: bytes, file: str, format_: Format, patterns: Patterns, kinds: Mapping[str, Kind]
) -> tuple[list[Site], list[Command]]:
    """The instances in one file, in the order of their places, and the command lines in it."""
    reader = Values(settings, data, file, format_)
    unread: list[Setting] = []
    commands = commands_of(settings, data, format_.name) if format_.name in FORMATS_WITH_COMMANDS else []
    running = [(program, command) for command in commands for program in _run_by(command, patterns.programs)]
    sites = [
        reader.site(entry, root, group, kinds[entry.kind])
        for entry, root, group in _groups(settings, unread, data, file, format_, patterns, [c for _, c in running])
    ]
    if hidden := {items_of(s.scope, (), fold_of(format_.name)) for s in unread if s.route == (HIDDEN,)}:
        sites = [
            unknown_rest(s, kinds[s.kind]) if not hidden.isdisjoint((s.root, s.root[:-1] or s.root)) else s
            for s in sites
        ]
    sites += [reader.program(program, command, kinds[program.kind]) for program, command in running]
    whole = merged(sites)
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


def _groups(
    settings: Sequence[Setting],
    unread: list[Setting],
    data: bytes,
    file: str,
    of: Format,
    patterns: Patterns,
    running: Sequence[Command],
) -> Iterator[tuple[Entry, Root, Group]]:
    """The instances of entries; what their file sets without a value that is read is added to `unread`, if there are any."""
    format_ = of.name
    fold = fold_of(format_)
    by_entry = _sorted_in(settings, data, file, format_, patterns)
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
    missed: dict[Entry, _Groups] = {}
    if format_ in _CODE and any(groups.below for groups in by_entry.values()):
        unread += of.unread(data, file)
        missed = _sorted_in(unread, data, file, format_, patterns)
    for entry, groups in by_entry.items():
        made: set[Root] = set()
        if format_ in _CODE:
            made = {root[:-1] for root, group in groups.below.items() if not _are_fields(group, data, any)}
        for root, group in groups.below.items():
            if root in made and _are_fields(group, data, all):
                continue  # the fields of one that a call or a literal makes
            whole = _whole(entry, root, group, groups, data, missed.get(entry))
            if whole is not None:
                yield entry, root, whole


def _sorted_in(
    settings: Sequence[Setting], data: bytes, file: str, format_: str, patterns: Patterns
) -> dict[Entry, _Groups]:
    """What may be instances, or parts of them, by their entries."""
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
    return by_entry


def _sort_in(use: Use, setting: Setting, items: Root, depth: int, file: str, by_entry: dict[Entry, _Groups]) -> None:
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
            place.setdefault(items[:top], Group(depth=top, start=setting.start)).add(use, setting)
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
        groups.below.setdefault(items[:top], Group(depth=scope, start=setting.start)).add(use, setting)
    elif entry.inherits or entry.inherits_from or entry.format in _CODE:
        groups = by_entry.setdefault(entry, _Groups())
        groups.beside.setdefault(items[:top], Group(depth=scope, start=setting.start)).add(use, setting)


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
                groups.below.setdefault(items[:depth], Group(depth=depth, start=setting.start))


def _add_host(entry: Entry, root: Root, depth: int, start: int, by_entry: dict[Entry, _Groups]) -> None:
    """What a recognised program runs in is there although nothing of its own is set: a container with the default grace period."""
    scope = len(root) - len(entry.instance)
    if scope != depth or not is_tail(entry.instance, root, len(root)) or not is_scope(entry, root[:scope]):
        return
    groups = by_entry.setdefault(entry, _Groups())
    groups.below.setdefault(root, Group(depth=scope, start=start))


def _whole(
    entry: Entry, root: Root, group: Group, groups: _Groups, data: bytes, missed: _Groups | None = None
) -> Group | None:
    """All that holds for an instance, inherited values and those that are `missed` included; None: it is none, for its conditions."""
    found = dict(group.found)
    if missed is not None:
        _add_missed(found, missed.below.get(root))
    rooted = groups.rooted.get(root[: group.depth])
    for other in [rooted] if rooted else []:
        found = {**other.found, **found}
    apart = groups.beside.get(root[:-1])
    if apart is None and entry.format in _CODE and not _are_fields(group, data, any):
        apart = groups.below.get(root[:-1])
    if entry.format in _CODE and len(root) > 1 and apart is not None:
        fields = {key: own for key, all_ in apart.found.items() if (own := [s for s in all_ if _is_field(s, data)])}
        for key, own in fields.items():
            found[key] = own  # assigned after the literal
    if missed is not None and len(root) > 1:
        for source in (missed.below, missed.beside):
            _add_missed(found, source.get(root[:-1]), data)
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
            texts = [word_of(s) for s in held]
            if None in texts:
                return None
            is_there = not condition.words.isdisjoint(text for text in texts if text is not None)
        else:
            is_there = bool(held)
        if is_there is not condition.is_wanted:
            return None
    return Group(depth=group.depth, start=group.start, found=found)


def _add_missed(found: _Settings, group: Group | None, data: bytes | None = None) -> None:
    """Add what is not read, so that it is not taken for missing; with `data`, only fields of an object."""
    for key, settings in group.found.items() if group is not None else ():
        own = [s for s in settings if data is None or _is_field(s, data) or _reason(s) in _ASSIGNING]
        if own:
            found[key] = [*found.get(key, ()), *own]


#: How a field gets a value that does not stand behind its name.
_ASSIGNING: Final = frozenset(("an update", "an address", "a part of something", "the value of another name"))


def _reason(setting: Setting) -> str:
    return setting.content.reason if isinstance(setting.content, Opaque) else ""


_Settings = dict[tuple[str, str], list[Setting]]


def _not_replaced(outer: _Settings, found: _Settings, format_: str) -> _Settings:
    """What holds of an outer block; a directive of nginx replaces the outer one with all its values: `keepalive_timeout 30s` leaves no header."""
    if format_ != "nginx":
        return outer
    own = {s.route[0] for settings in found.values() for s in settings}
    return {key: settings for key, settings in outer.items() if own.isdisjoint(s.route[0] for s in settings)}


def _nearest(name: str, start: int, groups: _Groups) -> Group | None:
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


def _are_fields(group: Group, data: bytes, how: Callable[[Iterable[bool]], bool]) -> bool:
    """Whether all, or any, of a group's values are assigned so."""
    return how(_is_field(s, data) for settings in group.found.values() for s in settings)


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
