"""Configurations of components: which values go where, their text, and the proof that it reads as them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Final

from outlast.configs.formats import FORMATS
from outlast.configs.names import is_go_name
from outlast.configs.outputs.apache import APACHE
from outlast.configs.outputs.compose import COMPOSE
from outlast.configs.outputs.envoy import ENVOY
from outlast.configs.outputs.go_code import GO_CODE
from outlast.configs.outputs.gunicorn import GUNICORN
from outlast.configs.outputs.haproxy import HAPROXY
from outlast.configs.outputs.k8s import K8S
from outlast.configs.outputs.nginx import NGINX
from outlast.configs.outputs.node import NODE
from outlast.configs.outputs.pieces import Context, Layout, Line, Piece, Put, clashes, head
from outlast.configs.outputs.spelled import absent_value, shown
from outlast.configs.outputs.spring import SPRING
from outlast.configs.outputs.terraform import TERRAFORM
from outlast.configs.spelling import Entry
from outlast.constraints.catalogue import Kind, KnownParameter, kind, kind_names
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.model import Note, Role
from outlast.constraints.quantities import Sentinel, Value, parse_quantity
from outlast.constraints.record import record
from outlast.constraints.topology import Component, Topology

if TYPE_CHECKING:
    from outlast.configs.recognise.pattern import Patterns

__all__ = ["COMPONENT_OUTPUTS", "Configuration", "configuration"]

#: By the words that `--as` takes.
COMPONENT_OUTPUTS: Final[Mapping[str, Layout]] = {
    "nginx": NGINX,
    "haproxy": HAPROXY,
    "envoy": ENVOY,
    "apache": APACHE,
    "k8s": K8S,
    "compose": COMPOSE,
    "terraform": TERRAFORM,
    "spring": SPRING,
    "go-code": GO_CODE,
    "node": NODE,
    "gunicorn": GUNICORN,
}


@record(kw_only=True)
class Configuration:
    """A file for software, as text."""

    text: str
    #: The components in it, in the order of the spec's names.
    components: tuple[str, ...]
    #: What it cannot say.
    notes: tuple[Note, ...] = ()


def configuration(
    entries: Sequence[Entry],
    topology: Topology | None,
    output: str,
    title: str,
    *,
    components: Sequence[str] = (),
    package: str | None = None,
) -> Configuration:
    """The file of one of `COMPONENT_OUTPUTS`, read back and recognised before it is returned.

    `entries` are all parameters that have a value, the software's defaults among them; `components` restricts to some.

    Raises:
        InputErrors: no component can be written so, values cannot or meet in one place, or what was written is not found again.
    """
    layout = COMPONENT_OUTPUTS[output]
    try:
        chosen = _chosen(topology, output, components, package)
    except OutlastError as error:
        raise InputErrors(f"cannot write {output}", [error]) from None
    known_topology = topology or Topology(components={}, connections=())
    errors: list[OutlastError] = []
    notes: list[Note] = []
    pieces: list[Piece] = []
    for component in chosen:
        own = {e.parameter.name.partition(".")[2]: e for e in entries if _owner(e) == component.name}
        pieces += _pieces(component, own, layout, output, known_topology, errors)
        notes += _left_out(component, own, output)
    pieces = [piece for piece in pieces if piece.puts or piece.told]
    if not errors and not any(piece.puts for piece in pieces):
        names = ", ".join(component.name for component in chosen)
        errors.append(
            OutlastError(
                f"there is nothing to write: no value of {names} that {output} has a place for was found or decided"
            )
        )
    errors += clashes(pieces, layout)
    if errors:
        raise InputErrors(f"cannot write {output}", sorted(errors, key=lambda e: e.place or ("", 0, 0)))
    pieces = [piece for piece in pieces if piece.puts]
    try:
        body = layout.lay_out(pieces, Context(topology=known_topology, package=package))
    except OutlastError as error:
        raise InputErrors(f"cannot write {output}", [error]) from None
    lines = [*head(title, layout), Line(text=""), *body]
    if wrong := [*_wrong(lines, layout)]:
        raise InputErrors(f"cannot write {output}", wrong)
    written = tuple(dict.fromkeys(piece.component.name for piece in pieces))
    return Configuration(text=_text([line for line in lines if line.is_shown]), components=written, notes=tuple(notes))


def _owner(entry: Entry) -> str:
    return entry.parameter.name.partition(".")[0]


def _has(component: Component, output: str) -> bool:
    return any(o.name == output for o in component.kind.outputs)


def _chosen(topology: Topology | None, output: str, names: Sequence[str], package: str | None) -> list[Component]:
    if package is not None and output != "go-code":
        raise OutlastError(f"expected no --package, which is for go, go-code and java, with --as {output}")
    if package is not None and not is_go_name(package):
        raise OutlastError(f"expected the name of a package of Go such as timeouts, found '{package}'")
    if topology is None or not topology.components:
        raise OutlastError(f"expected a spec with components, whose configuration {output} is, found none")
    for name in names:
        component = topology.components.get(name)
        if component is None:
            known = ", ".join(sorted(topology.components))
            raise OutlastError(f"expected a component of the spec, {known}, found '{name}'")
        if not _has(component, output):
            raise OutlastError(f"{component.name} cannot be written as {output}; {_ways(component)}")
    wanted = [c for n, c in sorted(topology.components.items()) if _has(c, output) and (not names or n in names)]
    if not wanted:
        told = "; ".join(_ways(component) for _, component in sorted(topology.components.items()))
        raise OutlastError(f"no component can be written as {output}: {told}")
    return wanted


def _ways(component: Component) -> str:
    """`lb, which is aws.alb, goes into terraform`."""
    outputs = list(dict.fromkeys(o.name for o in component.kind.outputs))
    where = f"goes into {' and '.join(outputs)}" if outputs else "goes into none of these files"
    return f"{component.name}, which is {component.kind.name}, {where}"


def _pieces(
    component: Component,
    own: Mapping[str, Entry],
    layout: Layout,
    output: str,
    topology: Topology,
    errors: list[OutlastError],
) -> Iterator[Piece]:
    """The parts of one component, each parameter in the first that has a place for it."""
    parts: dict[str, tuple[list[Put], list[str]]] = {}
    seen: set[str] = set()
    for each in component.kind.outputs:
        if each.name != output:
            continue
        for word, key in each.keys.items():
            entry = own.get(word)
            if word in seen:
                continue
            seen.add(word)
            puts, told = parts.setdefault(each.part, ([], []))
            known = component.kind.parameters[word]
            read_as = _read_as(component.kind, word, key, each.read_as, output, each.part)
            try:
                put = _put(component, known, entry, key, read_as, layout, told)
            except OutlastError as error:
                value = entry.value if entry is not None else None
                is_ = f" is {shown(known, value)}, which" if value is not None else ""
                place = entry.parameter.place if entry is not None else None
                message = f"{component.name}.{word}{is_} {output} cannot write: {error.message}"
                errors.append(OutlastError(message, place))
                continue
            if put is not None:
                puts.append(put)
    # A name that a value tells holds for the component's other parts, too.
    everything = [put for puts, _ in parts.values() for put in puts]
    for part, (puts, told) in parts.items():
        name = layout.name(component, part, [*puts, *everything], topology)
        yield Piece(component=component, part=part, name=name, puts=tuple(puts), told=tuple(told))


def _put(
    component: Component,
    known: KnownParameter,
    entry: Entry | None,
    key: str,
    read_as: tuple[str, str],
    layout: Layout,
    told: list[str],
) -> Put | None:
    """What is written of a parameter; None: nothing, and `told` may say why."""
    name = f"{component.name}.{known.name}"
    if entry is None or entry.parameter.default_of is not None or entry.parameter.role is Role.FACT:
        default = _default(known, component)
        if (
            layout.is_literal
            and isinstance(default, Fraction)
            and default != absent_value(known)
            and not _is_fact(entry)
        ):
            text = layout.spell(known, default)
            reason = f"the default of {component.kind.product}, which a literal has to repeat"
            return Put(
                name=name,
                parameter=None,
                known=known,
                key=key,
                value=default,
                text=text,
                reason=reason,
                read_as=read_as,
            )
        if entry is not None and entry.parameter.default_of is not None and entry.value is not Sentinel.OFF:
            told.append(f"{name} is left at its default of {shown(known, entry.value)}")
        return None
    parameter = entry.parameter
    try:
        text = layout.spell(known, entry.value)
    except OutlastError:
        if (
            isinstance(entry.value, Sentinel)
            and parameter.unset is not None
            and parameter.effective(parameter.unset) == entry.value
        ):
            told.append(f"{name} is {entry.value.value}, as where it is left out: {entry.reason}")
            return None
        raise
    return Put(
        name=name, parameter=parameter, known=known, key=key, value=entry.value, text=text, reason=entry.reason, read_as=read_as
    )  # fmt: skip


def _is_fact(entry: Entry | None) -> bool:
    return entry is not None and entry.parameter.default_of is None


def _default(known: KnownParameter, component: Component) -> Value | None:
    default = known.default(component.option("version"))
    return None if default is None else parse_quantity(default.value).value


def _read_as(own: Kind, word: str, key: str, other: str | None, output: str, part: str) -> tuple[str, str]:
    """The kind and the parameter that recognition finds under a key."""
    if other is None:
        return own.name, word
    there = kind(other)
    for each in there.outputs if there is not None else ():
        if (each.name, each.part) == (output, part):
            found = next((w for w, k in each.keys.items() if k == key), None)
            if found is not None:
                return other, found
    return other, word


def _left_out(component: Component, own: Mapping[str, Entry], output: str) -> Iterator[Note]:
    """Values that somebody set or that were found, and that the output has no place for."""
    written = {word for each in component.kind.outputs if each.name == output for word in each.keys}
    for word, entry in sorted(own.items()):
        known = component.kind.parameters.get(word)
        parameter = entry.parameter
        if parameter.default_of is not None or parameter.role is Role.FACT or word in written:
            continue
        if known is None or known.is_constant or known.key is None:
            continue
        message = f"{parameter.name} is {shown(known, entry.value)}; {output} has no place for it, so it is left out"
        yield Note(message, parameter.place)


def _text(lines: Sequence[Line]) -> str:
    return "".join(f"{line.text}\n" for line in lines)


def _wrong(lines: Sequence[Line], layout: Layout) -> Iterator[OutlastError]:
    """What is not found again as it should be; nothing, unless the catalogue, outlast or a reader has a fault."""
    from outlast.configs.recognise.instances import sites_of

    patterns, kinds = _recognised()
    format_ = FORMATS[layout.reader]
    data = _text(lines).encode()
    settings = format_.read(data, layout.file)
    sites, _ = sites_of(settings, data, layout.file, format_, patterns, kinds)
    found = {(s.kind, word, held.place.line): held.value for s in sites for word, held in s.values.items()}
    meant: dict[tuple[str, str, int], Put] = {}
    for number, line in enumerate(lines, start=1):
        for put in line.puts:
            meant[(*put.read_as, number)] = put
    for (kind_, word, number), put in meant.items():
        place = put.parameter.place if put.parameter is not None else None
        value = found.get((kind_, word, number))
        text = lines[number - 1].text.strip()
        if value is None:
            yield OutlastError(f"what was written for {put.name}, {text}, is not recognised as {kind_}", place)
        elif _effective(put.known, value) != _effective(put.known, put.value):
            yield OutlastError(f"what was written for {put.name}, {text}, reads as another value", place)
    for kind_, word, number in found:
        line = lines[number - 1]
        if not line.puts and line.is_shown:
            yield OutlastError(f"{line.text.strip()} reads as {word} of {kind_}, which nobody asked for")


@cache
def _recognised() -> tuple[Patterns, Mapping[str, Kind]]:
    """What recognition knows of all kinds."""
    from outlast.configs.recognise.pattern import compile_patterns

    kinds = {name: each for name in kind_names() if (each := kind(name)) is not None}
    return compile_patterns([*kinds.values()]), kinds


def _effective(known: KnownParameter, value: Value) -> Value:
    return absent_value(known) if value == 0 else value
