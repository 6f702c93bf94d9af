"""An instance of a kind where it stands, before all are known, and what several of them say together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field

from outlast.configs.recognise.commands import Command
from outlast.configs.recognise.environment import flagged_by, variables_of
from outlast.configs.recognise.found import Held
from outlast.configs.recognise.paths import Item
from outlast.configs.recognise.pattern import Use
from outlast.configs.setting import Setting
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.record import record, replace

__all__ = ["Group", "Root", "Site", "joined", "merged", "unknown_rest", "with_variables"]

Root = tuple[Item, ...]


@record(kw_only=True, eq=False)
class Site:
    """An instance with where it stands; its name comes later, when all are known."""

    kind: str
    file: str
    format: str
    #: The path of what holds it: of a container, a block, an object.
    root: Root
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
class Group:
    """What was found below one root for one entry."""

    depth: int
    start: int
    #: By role and name.
    found: dict[tuple[str, str], list[Setting]] = field(default_factory=dict)

    def add(self, use: Use, setting: Setting) -> None:
        """One more setting."""
        self.start = min(self.start, setting.start)
        self.found.setdefault((use.role, use.name), []).append(setting)


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


def unknown_rest(site: Site, kind: Kind) -> Site:
    """The site, all that it does not set being unknown."""
    unset = {p.name for p in kind.parameters.values() if p.key is not None and not p.is_constant}
    unset |= {name for document in kind.files for name in _options_of(document) if name != "version"}
    return replace(site, opaque=site.opaque | unset.difference(site.values, site.options))


def _options_of(document: Mapping[str, object]) -> Iterable[str]:
    """The options that an entry of `files` reads."""
    options = document.get("options")
    return options if isinstance(options, Mapping) else ()


def merged(sites: Sequence[Site]) -> list[Site]:
    """Instances of one kind at one place are one: two entries may each hold a part of it."""
    found: dict[tuple[str, Root], Site] = {}
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
