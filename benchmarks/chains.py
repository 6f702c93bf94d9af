"""Generated specs of any size: services, each a chain of six timeouts that have to outlast each other, with conflicts planted or without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

LAYERS = 6


def chain_spec(services: int, *, seed: int = 1, linked: int = 1) -> str:
    """A spec with seven rules a service, on whole milliseconds, its aims durations; `linked` services share one component.

    Layer 0 is the innermost timeout; each layer must outlast the one below it and a measured latency; the outermost must end
    before the service's deadline.
    """
    random = Random(seed)
    parameters: list[str] = []
    rules: list[str] = []
    for service in range(services):
        deadline = random.randrange(20_000, 60_000)
        parameters.append(f"  s{service}.deadline: {{ fixed: {deadline}ms }}")
        for layer in range(LAYERS):
            parameters.append(f"  s{service}.t{layer}: {{ free: 1ms..120s }}")
            latency, aim = random.randrange(5, 400), random.randrange(2_000, 9_000)
            below = f"s{service}.t{layer - 1} + {latency}ms" if layer else f"{latency}ms"
            if not layer and service % linked:
                below = f"s{service - 1}.t0 + {latency}ms"
            rules.append(f"  s{service}/l{layer}: {{ require: '{below} < s{service}.t{layer}', aim: {aim}ms }}")
        rules[-1] = (
            f"  s{service}/l{LAYERS - 1}: {{ require: 's{service}.t{LAYERS - 2} + {latency}ms < s{service}.t{LAYERS - 1} "
            f"< s{service}.deadline', aim: {aim}ms }}"
        )
    return "\n".join(["outlast: 1", "parameters:", *parameters, "rules:", *rules, ""])


class Held(NamedTuple):
    """A parameter with one value: its role (`fixed` or `fact`) and milliseconds."""

    role: str
    value: int


class Domain(NamedTuple):
    """A free parameter between two numbers of milliseconds, both included."""

    low: int
    high: int


class Row(NamedTuple):
    """A rule: the parameters on the left and some milliseconds are less than the one on the right, or not greater."""

    left: tuple[str, ...]
    plus: int
    strict: bool
    right: str


class System(NamedTuple):
    """A spec as numbers, and the conflicts that were planted: their items, called as in reports."""

    parameters: Mapping[str, Held | Domain]
    rules: Mapping[str, Row]
    planted: Sequence[frozenset[str]]

    def text(self) -> str:
        """The spec as users write it."""
        lines = ["outlast: 1", "parameters:"]
        for name, parameter in self.parameters.items():
            if isinstance(parameter, Held):
                lines.append(f"  {name}: {{ {parameter.role}: {parameter.value}ms }}")
            else:
                lines.append(f"  {name}: {{ free: {parameter.low}ms..{parameter.high}ms }}")
        lines.append("rules:")
        for name, row in self.rules.items():
            left = " + ".join([*row.left, *([f"{row.plus}ms"] if row.plus else [])])
            lines.append(f"  {name}: {{ require: '{left} {'<' if row.strict else '<='} {row.right}' }}")
        return "\n".join([*lines, ""])

    def items(self) -> list[str]:
        """Everything that may take part in a conflict: rules, values held and both ends of each domain."""
        found = [f"rule:{name}" for name in self.rules]
        for name, parameter in self.parameters.items():
            if isinstance(parameter, Held):
                found.append(f"{parameter.role}:{name}")
            else:
                found += [f"domain:{name}.min", f"domain:{name}.max"]
        return found


def planted(services: int, *, seed: int = 1, conflicts: int = 3, linked: int = 1) -> System:
    """Chains as those of `chain_spec`, without aims, in which exactly these conflicts hide, each in a service of its own.

    Three kinds in turn: a minimum for some layers together that exceeds the deadline; a rule the other way round; a fixed
    value below what was measured plus the smallest pause. None needs the steps. Of `linked` services each waits for the one
    before it, so that they are one component; with a few hundred of them the chain stays far below every deadline.
    """
    random = Random(seed)
    parameters: dict[str, Held | Domain] = {}
    rules: dict[str, Row] = {}
    found: list[frozenset[str]] = []
    unlucky = {number * services // conflicts: number for number in range(conflicts)}
    for service in range(services):
        s = f"s{service}"
        deadline = random.randrange(20_000, 60_000)
        parameters[f"{s}.deadline"] = Held("fixed", deadline)
        for layer in range(LAYERS):
            parameters[f"{s}.t{layer}"] = Domain(1, 120_000)
            rules[f"{s}/l{layer}"] = Row((f"{s}.t{layer - 1}",), random.randrange(5, 400), True, f"{s}.t{layer}")
        linking = random.randrange(5, 20)
        below, wait = ((f"s{service - 1}.t0",), linking) if service % linked else ((), rules[f"{s}/l0"].plus)
        rules[f"{s}/l0"] = Row(below, wait, True, f"{s}.t0")
        rules[f"{s}/ends"] = Row((f"{s}.t{LAYERS - 1}",), 0, True, f"{s}.deadline")
        if service in unlucky:
            found.append(_plant(unlucky[service] % 3, s, deadline, parameters, rules))
    return System(parameters, rules, found)


def _plant(
    kind: int, s: str, deadline: int, parameters: dict[str, Held | Domain], rules: dict[str, Row]
) -> frozenset[str]:
    """Add a conflict to service `s`; its items."""
    match kind:
        case 0:
            rules[f"{s}/minimum"] = Row((f"{s}.t0",), deadline + 500, False, f"{s}.t3")
            names = ["rule:{}/minimum", "rule:{}/l4", "rule:{}/l5", "rule:{}/ends", "fixed:{}.deadline"]
        case 1:
            rules[f"{s}/reversed"] = Row((f"{s}.t4",), 10_000, True, f"{s}.t1")
            names = ["rule:{}/reversed", "rule:{}/l2", "rule:{}/l3", "rule:{}/l4"]
        case _:
            parameters[f"{s}.rtt"] = Held("fact", 9_000)
            parameters[f"{s}.pause"] = Domain(3_000, 120_000)
            parameters[f"{s}.cap"] = Held("fixed", 11_000)
            rules[f"{s}/hears"] = Row((f"{s}.rtt", f"{s}.pause"), 0, True, f"{s}.t2")
            rules[f"{s}/capped"] = Row((f"{s}.t3",), 0, False, f"{s}.cap")
            names = ["rule:{}/hears", "rule:{}/l3", "rule:{}/capped", "fixed:{}.cap", "fact:{}.rtt"]
            names.append("domain:{}.pause.min")
    return frozenset(name.format(s) for name in names)


def planted_spec(services: int, *, seed: int = 1, conflicts: int = 3, linked: int = 1) -> str:
    """The spec that `planted` makes."""
    return planted(services, seed=seed, conflicts=conflicts, linked=linked).text()
