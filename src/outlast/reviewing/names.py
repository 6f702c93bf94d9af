"""What only has another name after a change: components, parameters and measurements."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from outlast.constraints.model import Parameter, Role, Spec
from outlast.constraints.record import record
from outlast.reviewing.lines import Lines

__all__ = ["Names", "names_between"]


@record(kw_only=True)
class Names:
    """The names that things of the older side have now, where they have others."""

    components: Mapping[str, str]
    #: Parameters and measurements.
    quantities: Mapping[str, str]

    def component(self, name: str) -> str:
        """The name that a component has now."""
        return self.components.get(name, name)

    def quantity(self, name: str) -> str:
        """The name that a parameter or a measurement has now."""
        return self.quantities.get(name, name)


def names_between(before: Spec, after: Spec, lines: Lines) -> Names:
    """Pairs of what is gone and what is new, that agree in all but the name, if just one of each does.

    A component in its kind, options and hosts; a parameter in its places in files, or in what is said of its value; a measurement in its file.
    """
    old, new = (dict(spec.topology.components) if spec.topology else {} for spec in (before, after))
    components = _pairs(
        {n: (c.kind.name, tuple(sorted(c.options.items()))) for n, c in old.items() if n not in new},
        {n: (c.kind.name, tuple(sorted(c.options.items()))) for n, c in new.items() if n not in old},
    )
    quantities: dict[str, str] = {}
    gone = {n: p for n, p in before.parameters.items() if n not in after.parameters}
    added = {n: p for n, p in after.parameters.items() if n not in before.parameters}
    for name in gone:
        owner, dot, word = name.partition(".")
        heir = f"{components.get(owner, owner)}{dot}{word}"
        if heir in added:
            quantities[name] = heir
    for said in (_places, _says):
        mine = {n: key for n, p in gone.items() if n not in quantities and (key := said(p, lines)) is not None}
        taken = set(quantities.values())
        theirs = {n: key for n, p in added.items() if n not in taken and (key := said(p, None)) is not None}
        quantities |= _pairs(mine, theirs)
    quantities |= _pairs(
        {n: lines.file_now(m.file) for n, m in before.measurements.items() if n not in after.measurements},
        {n: m.file for n, m in after.measurements.items() if n not in before.measurements},
    )
    return Names(components=components, quantities=quantities)


def _pairs(old: Mapping[str, Hashable], new: Mapping[str, Hashable]) -> dict[str, str]:
    """What has the same key as just one on the other side."""
    mine, theirs = _alone(old.items()), _alone(new.items())
    return {name: theirs[key] for key, name in mine.items() if key in theirs}


def _alone(named: Iterable[tuple[str, Hashable]]) -> dict[Hashable, str]:
    found: dict[Hashable, list[str]] = {}
    for name, key in named:
        found.setdefault(key, []).append(name)
    return {key: names[0] for key, names in found.items() if len(names) == 1}


def _places(parameter: Parameter, lines: Lines | None) -> Hashable | None:
    """Where its value stands in files, as these are called now."""
    found = frozenset(
        (binding.file if lines is None else lines.file_now(binding.file), binding.selector) for binding in parameter.at
    )
    return found or None


def _says(parameter: Parameter, lines: Lines | None) -> Hashable | None:
    """What is said of its value; of one of a component nothing tells whose it is."""
    if parameter.role is Role.DERIVED or parameter.default_of is not None or parameter.at:
        return None
    return (parameter.role, parameter.kind, parameter.value, parameter.interval, parameter.domain, parameter.current)
