"""What other files and blocks that the software merges in by itself say of an instance: profiles, overrides, `extends`.

A value that another layer may set is never taken for its default: it is the layer's if that was read, else unknown.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from outlast.configs.recognise.environment import catch_alls, variables_of
from outlast.configs.recognise.sites import Site, unknown_rest, with_variables
from outlast.configs.recognise.surroundings import ComposeService, FileFacts, Root
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.record import record, replace

__all__ = ["is_of_systemd", "is_spring", "layered", "layered_facts", "with_drop_ins", "with_services"]

_SPRING: Final = re.compile(r"(?:(.*)/)?(application|bootstrap)(-[^/]+)?\.(?:ya?ml|properties)", re.I)
_COMPOSE: Final = frozenset(("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"))
#: In the order in which compose looks for them; it takes the first.
_OVERRIDES: Final = (
    "compose.override.yml",
    "compose.override.yaml",
    "docker-compose.override.yml",
    "docker-compose.override.yaml",
)
#: Of a service: what decides which program runs with which flags and variables.
_RUNNING: Final = frozenset(("command", "entrypoint", "image", "build", "environment", "env_file", "extends"))


def layered(
    sites: Sequence[Site], facts: Sequence[FileFacts], kinds: Mapping[str, Kind], files: Collection[str]
) -> list[Site]:
    """The sites with what the layers around them say; `files` are all configurations of Spring, those that set nothing included."""
    plain = list(_of_nginx(list(_of_compose(_of_envoy(sites), facts, kinds)), facts, kinds))
    return list(_of_spring(plain, facts, kinds, files))


def _over(one: Site, other: Site) -> Site:
    """What holds where the first layer lies over the second."""
    values = {**{n: held for n, held in other.values.items() if n not in one.opaque}, **one.values}
    options = {**{n: word for n, word in other.options.items() if n not in one.opaque}, **one.options}
    opaque = one.opaque | other.opaque.difference(one.values, one.options)
    return replace(one, values=values, options=options, opaque=opaque)


# What a service of compose gives to a program that is told elsewhere: in a file below what it builds, or in the image's own variables.


def with_services(sites: Sequence[Site], facts: Sequence[FileFacts], kinds: Mapping[str, Kind]) -> list[Site]:
    """The sites, what variables of the service that they run in, or of its image, may set being unknown."""
    services = [service for each in facts for service in each.compose]
    images = {posixpath.normpath(each.file): each.variables for each in facts if each.variables}
    found: list[Site] = []
    for site in sites:
        kind = kinds[site.kind]
        variables, anything = variables_of(kind), catch_alls(kind)
        if not services or not (variables or anything):
            found.append(site)
            continue
        names: set[str] = set()
        has_more = False
        for service in services:
            if site.format == "compose":
                if (service.file, service.root) == (site.file, site.root) and service.context is not None:
                    own = [v for file, v in images.items() if posixpath.dirname(file) == service.context]
                    names.update(name for each in own for name in each if name not in service.environment.names)
            elif site.format in _OF_APPLICATIONS and _is_in(site.file, service):
                names |= service.environment.names
                has_more = has_more or service.environment.has_more
        site = with_variables(site, kind, names)
        if has_more or not anything.isdisjoint(names):
            site = replace(site, is_unsure=True)
        found.append(site)
    return found


#: Formats of what runs in a service.
_OF_APPLICATIONS: Final = frozenset(("dockerfile", "spring-yaml", "spring-properties", "python", "toml", "ini"))


def _is_in(file: str, service: ComposeService) -> bool:
    """Whether a file is mounted into a service, or below what it builds."""
    path = posixpath.normpath(file)
    folders = [*service.mounts, *([service.context] if service.context is not None else [])]
    return any(folder in (".", path) or path.startswith(folder + "/") for folder in folders)


# systemd: drop-ins, and the defaults of the manager.

_DROP_IN: Final = re.compile(r"(.*/)?([^/]*)\.d/[^/]+\.conf")
_MANAGER: Final = re.compile(r"(?:.*/)?systemd/system\.conf(?:\.d/[^/]+\.conf)?")


def is_of_systemd(file: str) -> bool:
    """Whether a file adds to units, or to what holds for all of them."""
    return file.endswith(".conf") and (
        _MANAGER.fullmatch(file) is not None
        or ((match := _DROP_IN.fullmatch(file)) is not None and "service" in match[2])
    )


def with_drop_ins(
    sites: Sequence[Site], drop_ins: Collection[str], has_defaults: bool, kinds: Mapping[str, Kind]
) -> list[Site]:
    """The sites in units of systemd: what a drop-in may change is unknown, and what it may say first.

    Args:
        sites: of all files.
        drop_ins: the names of files for which `is_of_systemd`.
        has_defaults: whether one says `DefaultTimeoutStopSec` or the like.
        kinds: by name.
    """
    units = {(m[1] or "") + m[2] for file in drop_ins if (m := _DROP_IN.fullmatch(file))}
    found: list[Site] = []
    for site in sites:
        if site.format == "systemd":
            kind = kinds[site.kind]
            folder, _, name = site.file.rpartition("/")
            before = f"{folder}/" if folder else ""
            stem = name.partition("@")[0] + "@.service" if "@" in name else name
            if not units.isdisjoint({before + name, before + stem, before + "service"}):
                site = unknown_rest(replace(site, values={}, options={}), kind)
            elif has_defaults and site.command is None:
                names = {n for n in ("timeout_start", "timeout_stop", "timeout_abort") if n in kind.parameters}
                site = replace(site, opaque=site.opaque | names.difference(site.values))
        found.append(site)
    return found


# Compose: the file of overrides beside a file, and `extends`.


def _of_compose(sites: Sequence[Site], facts: Sequence[FileFacts], kinds: Mapping[str, Kind]) -> Iterator[Site]:
    services = {(s.file, s.root): s for each in facts for s in each.compose}
    over = _overridden(facts)
    upper = {id(o) for o in over.values()}
    hosts = {(s.file, s.root): s for s in sites if s.format == "compose" and "grace" in kinds[s.kind].roles}
    for site in sites:
        service = services.get((site.file, site.root)) if site.format == "compose" else None
        if service is None:
            yield site
            continue
        if id(service) in upper:
            continue  # a part of the service below
        whole, extends = site, "extends" in service.keys
        override = over.get((service.file, service.name))
        if override is not None:
            extends = extends or "extends" in override.keys
            is_host = "grace" in kinds[site.kind].roles
            above = hosts.get((override.file, override.root)) if is_host else None
            if above is not None:
                whole = replace(_over(above, site), file=site.file, root=site.root, depth=site.depth, start=site.start)
            elif not is_host and not override.keys.isdisjoint(_RUNNING):
                whole = unknown_rest(replace(site, values={}, options={}), kinds[site.kind])
        yield unknown_rest(whole, kinds[site.kind]) if extends else whole


def _overridden(facts: Sequence[FileFacts]) -> dict[tuple[str, str], ComposeService]:
    """By file and name of a service what compose merges into it."""
    by_file = {each.file: each for each in facts if each.compose}
    found: dict[tuple[str, str], ComposeService] = {}
    for file, each in by_file.items():
        folder, name = posixpath.split(file)
        if name not in _COMPOSE:
            continue
        named = (by_file.get(posixpath.join(folder, other)) for other in _OVERRIDES)
        override = next((other for other in named if other is not None), None)
        above = {s.name: s for s in override.compose} if override is not None else {}
        found.update(((file, s.name), above[s.name]) for s in each.compose if s.name in above)
    return found


def layered_facts(facts: Sequence[FileFacts]) -> list[FileFacts]:
    """The facts, the services of a file of overrides being parts of those below them; a mount of the same target replaces the one below."""
    over = _overridden(facts)
    upper = {id(o) for o in over.values()}
    found: list[FileFacts] = []
    for each in facts:
        services = [_mounted(s, over.get((s.file, s.name))) for s in each.compose if id(s) not in upper]
        found.append(replace(each, compose=tuple(services)) if each.compose else each)
    return found


def _mounted(service: ComposeService, override: ComposeService | None) -> ComposeService:
    if override is None:
        return service
    targets = set(override.mounts.values())
    kept = {source: target for source, target in service.mounts.items() if target not in targets}
    return replace(service, mounts={**kept, **override.mounts}, image=override.image or service.image)


# Envoy: a route is part of a connection manager.

#: What a route takes from the connection manager around it, unless it says otherwise itself.
_FROM_AROUND: Final = ("stream_idle_timeout",)


def _of_envoy(sites: Sequence[Site]) -> list[Site]:
    managers = {(s.file, s.root): s for s in sites if s.kind == "envoy" and _FROM_AROUND[0] not in s.elsewhere}
    found: list[Site] = []
    for site in sites:
        roots = (site.root[:length] for length in range(len(site.root) - 1, 0, -1)) if site.kind == "envoy" else ()
        around = next((m for root in roots if (m := managers.get((site.file, root))) is not None), None)
        if around is not None:
            values = {name: around.values[name] for name in _FROM_AROUND if name in around.values}
            known = {name for name in _FROM_AROUND if name not in around.opaque}
            site = replace(site, values={**values, **site.values}, opaque=site.opaque - known)
        found.append(site)
    return found


# nginx: `include` in blocks, and what one file says of all servers.


def _of_nginx(sites: Sequence[Site], facts: Sequence[FileFacts], kinds: Mapping[str, Kind]) -> Iterator[Site]:
    by_file = {each.file: each for each in facts if each.format == "nginx"}
    mains = {posixpath.dirname(file) for file, each in by_file.items() if each.is_main}
    nearest = {file: _around(posixpath.dirname(file), mains) for file in by_file}
    #: By folder of an nginx and name of a directive the files that have it for all servers.
    saying: dict[tuple[str | None, str], set[str]] = {}
    for file, each in by_file.items():
        for name in each.shared:
            saying.setdefault((nearest[file], name), set()).add(file)
    for site in sites:
        its = by_file.get(site.file)
        if its is None:
            yield site
        elif any(site.root[: len(scope)] == scope for scope in its.includes):
            yield unknown_rest(site, kinds[site.kind])
        else:
            main = nearest[site.file]
            keys = {p.name: (p.key or "").partition("[")[0] for p in kinds[site.kind].parameters.values()}
            said = {name for name, key in keys.items() if saying.get((main, key), set()) - {site.file}}
            hidden = said.difference(site.values) if main is not None else ()
            yield replace(site, opaque=site.opaque | hidden) if hidden else site


def _around(folder: str, mains: Collection[str]) -> str | None:
    """The folder, or the nearest around it, that has the main file of an nginx."""
    while folder not in mains:
        if not folder.strip("/."):
            return None
        folder = posixpath.dirname(folder)
    return folder


# Spring: profiles, documents that hold under a condition, several files of one name.


@record(kw_only=True, frozen=False, eq=False)
class _Layers:
    """The configurations of one kind in one folder."""

    bases: list[Site]
    overlays: list[Site]
    #: Of a bootstrap context, which other files lie over.
    early: list[Site]


def is_spring(file: str) -> bool:
    """Whether a file is called as a configuration of Spring."""
    return _SPRING.fullmatch(file) is not None


def _folder(file: str) -> str:
    """Where the application is that a configuration is for: its folder `config` counts as the one around it."""
    folder = posixpath.dirname(file)
    return posixpath.dirname(folder) if posixpath.basename(folder) == "config" else folder


def _of_spring(
    sites: Sequence[Site], facts: Sequence[FileFacts], kinds: Mapping[str, Kind], files: Collection[str]
) -> Iterator[Site]:
    by_file = {each.file: each for each in facts}
    with_base = {
        _folder(f) for f in files if (match := _SPRING.fullmatch(f)) and match[2] == "application" and not match[3]
    }
    importing = {_folder(each.file) for each in facts if each.imports}
    importing |= {_folder(f) for f in files if (match := _SPRING.fullmatch(f)) and match[2] == "bootstrap"}
    groups: dict[tuple[str, str, Root], _Layers] = {}
    of: dict[int, tuple[str, str, Root]] = {}
    for site in sites:
        match = _SPRING.fullmatch(site.file) if site.format.startswith("spring") else None
        if match is None:
            continue
        key = of[id(site)] = (_folder(site.file), site.kind, site.root[site.depth :])
        layers = groups.setdefault(key, _Layers(bases=[], overlays=[], early=[]))
        if match[2] != "application":
            layers.early.append(site)
        elif match[3] or site.root[: site.depth] in by_file[site.file].conditional:
            layers.overlays.append(site)
        else:
            layers.bases.append(site)
    merged: dict[tuple[str, str, Root], Site] = {}
    for key, layers in groups.items():
        if layers.bases:
            merged[key] = _merged(layers.bases)
    for site in sites:
        key = of.get(id(site), ("", "", ()))
        if id(site) not in of:
            yield site
            continue
        layers, base, kind = groups[key], merged.get(key), kinds[site.kind]
        is_told = key[0] in with_base and key[0] not in importing
        if any(site is one for one in layers.overlays):
            whole = _over(site, base) if base is not None else site
            if site.root[: site.depth] in by_file[site.file].mixed:
                whole = replace(site, values={}, options={})
                is_told = False
        elif any(site is one for one in layers.early):
            whole, is_told = site, False
        elif base is None or site is not layers.bases[0]:
            continue  # a part of the first
        else:
            others = (*layers.overlays, *layers.early)
            said = {name for one in others for name in (*one.values, *one.options, *one.opaque)}
            whole = replace(base, opaque=base.opaque | said.difference(base.values, base.options))
        yield whole if is_told else unknown_rest(whole, kind)


def _merged(bases: Sequence[Site]) -> Site:
    """Files and documents that hold together; what two files say differently is unknown, of two documents the later one counts."""
    whole = bases[0]
    for site in bases[1:]:
        double = {
            name
            for name, held in site.values.items()
            if site.file != whole.file and name in whole.values and whole.values[name].value != held.value
        }
        joint = _over(site, whole)
        values = {n: held for n, held in joint.values.items() if n not in double}
        whole = replace(whole, values=values, options=joint.options, opaque=joint.opaque | double)
    return whole
