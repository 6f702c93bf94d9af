"""What a spec says under `ignore:`: which findings do not count, why, and until when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from outlast.constraints.catalogue import relation, relations
from outlast.constraints.document import Scalar
from outlast.constraints.ignoring import names_of_rule
from outlast.constraints.loading.layers import Item
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.loading.values import read_date, read_origin
from outlast.constraints.model import Ignore, Rule

if TYPE_CHECKING:
    from outlast.constraints.loading.instances import Instances

__all__ = ["read_ignores"]


def read_ignores(
    items: Mapping[str, Item],
    rules: Mapping[str, Rule],
    parameters: Mapping[str, object],
    instances: Instances | None,
    problems: Problems,
) -> tuple[Ignore, ...]:
    """The entries, by id; an id that no rule, relation or parameter has is among the problems."""
    known = {name for rule in rules.values() for name in names_of_rule(rule)} | set(parameters)
    if instances is not None:
        known |= {each.id for each in instances.unjudged} | {each.id for each in instances.declined}
    found: list[Ignore] = []
    for id_, item in sorted(items.items()):
        if "" in item.keys:
            continue
        entry = item.keys.get("why")
        if entry is None or not isinstance(entry.value, Scalar) or not entry.value.text.strip():
            if not item.is_incomplete:
                problems.add(f"expected the reason why {quoted(id_)} is ignored, found none", item.name.place)
            continue
        if id_ not in known and relation(id_) is None:
            near = problems.nearest(id_, sorted({*known, *(each.id for each in relations())}))
            problems.add(f"no rule, relation or parameter is called {quoted(id_)}{near}", item.name.place)
        until = read_date(item, "until", problems)
        origin = read_origin(item, problems)
        found.append(
            Ignore(ids=(id_,), why=origin.why or "", until=until, place=item.name.place, line=None, origin=origin)
        )
    return tuple(found)
