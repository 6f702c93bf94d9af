"""Parts of Envoy's bootstrap in YAML: clusters, HTTP connection managers with their routes, TCP proxies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from outlast.configs.names import quoted_key
from outlast.configs.outputs.naming import bound, targets_of, word
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, by_component
from outlast.configs.outputs.spelled import text
from outlast.configs.outputs.trees import Leaf, Tree, put_in, tell, yaml_lines
from outlast.constraints.topology import Component, Topology

__all__ = ["ENVOY"]

_EXTENSION: Final = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
_FILTERS: Final = {
    "http_connection_manager": (
        "envoy.filters.network.http_connection_manager",
        "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    ),
    "tcp_proxy": ("envoy.filters.network.tcp_proxy", "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy"),
}


def _cluster(component: Component, topology: Topology) -> str:
    """What it sends requests to; without one target it is called as the component."""
    targets = targets_of(component, topology)
    return word(targets[0] if len(targets) == 1 else component.name)


def _name(component: Component, part: str, puts: Sequence[Put], topology: Topology) -> str:
    if part == "cluster":
        return bound(puts, r"clusters\[([\w.-]*[A-Za-z][\w.-]*)\]") or _cluster(component, topology)
    return word(component.name)


def _type(name: str) -> Leaf:
    return Leaf(text=f"type.googleapis.com/{name}")


def _lay_out(pieces: Sequence[Piece], context: Context) -> list[Line]:
    listeners: list[Tree] = []
    clusters: list[Tree] = []
    for parts in by_component(pieces).values():
        filters: list[Tree] = []
        if "http_connection_manager" in parts or "route" in parts:
            filters.append(_filter("http_connection_manager", parts.get("http_connection_manager")))
        if "route" in parts:
            _add_route(filters[-1]["typed_config"], parts["route"], context)
        if "tcp_proxy" in parts:
            filters.append(_filter("tcp_proxy", parts["tcp_proxy"]))
        if filters:
            name = next(p for part, p in parts.items() if part != "cluster").name
            listeners.append({"name": Leaf(text=quoted_key(name)), "filter_chains": [{"filters": filters}]})
        if "cluster" in parts:
            clusters.append(_filled({"name": Leaf(text=quoted_key(parts["cluster"].name))}, parts["cluster"]))
    resources: Tree = {}
    if listeners:
        resources["listeners"] = listeners
    if clusters:
        resources["clusters"] = clusters
    return yaml_lines({"static_resources": resources})


def _filter(part: str, piece: Piece | None) -> Tree:
    name, type_ = _FILTERS[part]
    config: Tree = {"@type": _type(type_)}
    return {"name": Leaf(text=name), "typed_config": config if piece is None else _filled(config, piece)}


def _add_route(manager: Tree, piece: Piece, context: Context) -> None:
    route = _filled({"cluster": Leaf(text=quoted_key(_cluster(piece.component, context.topology)))}, piece)
    match: Any = {"prefix": Leaf(text='"/"')}
    host = {
        "name": Leaf(text=quoted_key(piece.name)),
        "domains": Leaf(text='["*"]'),
        "routes": [{"match": match, "route": route}],
    }
    manager["route_config"] = {"virtual_hosts": [host]}


def _filled(tree: Tree, piece: Piece) -> Tree:
    for put in piece.puts:
        if _EXTENSION in put.key and "typed_extension_protocol_options" not in tree:
            options: Tree = {"@type": _type(_EXTENSION)}
            tell(options, ("which protocol it speaks upstream, explicit_http_config or another, is yours to say",))
            tree["typed_extension_protocol_options"] = {_EXTENSION: options}
        put_in(tree, put.key, Leaf(text=put.text, put=put))
    tell(tree, piece.told)
    return tree


ENVOY = Layout(
    reader="yaml",
    file="envoy.yaml",
    mark="#",
    use="Put these keys into the clusters, filters and routes of yours; names, domains and matches are examples.",
    name=_name,
    lay_out=_lay_out,
    spell=text,
)
