"""Generated specs of any size: services, each a chain of six timeouts that have to outlast each other."""

from __future__ import annotations

from random import Random

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
