"""A strategic-merge patch of workloads of Kubernetes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from outlast.configs.names import quoted_key
from outlast.configs.outputs.naming import bound, dns, guest_of
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put
from outlast.configs.outputs.spelled import text
from outlast.configs.outputs.trees import Leaf, Tree, put_in, tell, yaml_lines
from outlast.constraints.topology import Component, Topology

__all__ = ["K8S"]

_WORKLOAD: Final = r"((?:Deployment|StatefulSet|DaemonSet|ReplicaSet|Job)/(?:[\w.-]+/)?[\w.-]+)[/:]"
#: Between the workload and the container in the name of a piece.
_AND: Final = "\0"


def _name(component: Component, part: str, puts: Sequence[Put], topology: Topology) -> str:
    """`Deployment/web`, and of a container what it is called there."""
    hosts = (topology.components[name] for name in component.hosts if name in topology.components)
    own = next((host.name for host in hosts if host.kind.name == "k8s.deployment"), component.name)
    workload = bound(puts, _WORKLOAD) or f"Deployment/{dns(own)}"
    if part == "workload":
        return workload
    container = bound(puts, r"containers\[([\w.-]*[A-Za-z][\w.-]*)\]")
    return f"{workload}{_AND}{container or dns(guest_of(component, topology) or component.name)}"


def _lay_out(pieces: Sequence[Piece], _: Context) -> list[Line]:
    documents: dict[str, Tree] = {}
    for piece in pieces:
        workload, _and, container = piece.name.partition(_AND)
        document = documents.setdefault(workload, _document(workload))
        for put in piece.puts:
            if put.key.startswith("^"):
                put_in(document, put.key.removeprefix("^"), Leaf(text=put.text, put=put))
        own: Tree = document
        if container:
            containers = document["spec"].setdefault("template", {}).setdefault("spec", {}).setdefault("containers", [])
            own = {"name": Leaf(text=quoted_key(container))}
            containers.append(own)
        tell(own if container else document["spec"], piece.told)
        of_own = [put for put in piece.puts if not put.key.startswith("^")]
        for put in of_own:
            put_in(own, put.key, Leaf(text=put.text, put=put))
        if container and not of_own:
            put_in(own, "readinessProbe.periodSeconds", Leaf(text="1", is_shown=False))
    lines: list[Line] = []
    for document in documents.values():
        lines += [*([Line(text="---")] if lines else []), *yaml_lines(document)]
    return lines


def _document(workload: str) -> Tree:
    sort, *namespace, name = workload.split("/")
    metadata = {"name": Leaf(text=quoted_key(name))}
    if namespace:
        metadata["namespace"] = Leaf(text=quoted_key(namespace[0]))
    version = "batch/v1" if sort == "Job" else "apps/v1"
    return {"apiVersion": Leaf(text=version), "kind": Leaf(text=sort), "metadata": metadata, "spec": {}}


def _place(name: str, key: str) -> str:
    """What is of the pod is one for all its containers."""
    return name.partition(_AND)[0] if key.startswith("^") else name


K8S = Layout(
    reader="yaml",
    file="patch.yaml",
    mark="#",
    use="A strategic-merge patch: list it under patches in a kustomization.yaml, or kubectl patch --patch-file.",
    name=_name,
    lay_out=_lay_out,
    spell=text,
    place=_place,
)
