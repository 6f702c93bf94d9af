"""What moves the free and the fixed parameters of a page: a slider, a list of values, or both."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from outlast.constraints.model import Choices, Interval, Parameter, Role, Spec
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record
from outlast.reporting import Reported
from outlast.reports.data import Json
from outlast.reports.page.encoding import number_text
from outlast.reports.page.odd import odd_data
from outlast.reports.page.opening import values_in_use
from outlast.reports.page.scale import Scale, scale_of
from outlast.reports.page.usual import unusual
from outlast.reports.page.ways import is_made
from outlast.solver.outcome import Range

__all__ = ["Control", "controls_data", "controls_of"]


@record(kw_only=True)
class Control:
    """What moves one free or fixed parameter."""

    parameter: Parameter
    #: None: its values are listed.
    scale: Scale | None
    #: Numbers to choose from, ascending, and what is no number; of a parameter with a slider only the latter.
    choices: tuple[Value, ...]
    in_use: Value | None
    recommended: Value | None
    #: What it may be while all rules hold; None: not known.
    range: Range | None
    #: Whether somebody wrote it down; else it is what software takes by itself.
    is_set: bool = True


def controls_of(reported: Reported) -> tuple[Control, ...]:
    """The controls of all free and fixed parameters: free ones, fixed ones, then those that nobody set, each by name."""
    in_use, recommended = values_in_use(reported), reported.recommended
    found = []
    for name, parameter in sorted(reported.spec.parameters.items()):
        if parameter.role in (Role.FREE, Role.FIXED):
            now = in_use.get(name)
            best = recommended.get(name) if parameter.role is Role.FREE else now if recommended else None
            result = reported.solved.parameters.get(name)
            is_set = not is_made(reported.spec, parameter)
            found.append(_control(parameter, now, best, None if result is None else result.range, is_set=is_set))
    return tuple(sorted(found, key=lambda each: (not each.is_set, each.parameter.role is not Role.FREE)))


def _control(
    parameter: Parameter, now: Value | None, best: Value | None, possible: Range | None, *, is_set: bool
) -> Control:
    known = [value for value in (now, best) if value is not None]
    ends = [end.at for end in (possible.low, possible.high) if end and end.at is not None] if possible else []
    numbers = [value for value in (*known, *ends) if isinstance(value, Fraction)]
    listed = parameter.domain.values if isinstance(parameter.domain, Choices) else ()
    words = [value for value in (*listed, *known, parameter.zero) if isinstance(value, Sentinel)]
    words += possible.sentinels if possible else ()
    others = [word for word in Sentinel if word in words]
    choices: list[Value] = (
        [*sorted({value for value in (*listed, *known) if isinstance(value, Fraction)})] if listed else []
    )
    return Control(
        parameter=parameter,
        scale=None if listed else scale_of(parameter, numbers),
        choices=(*choices, *others),
        in_use=now,
        recommended=best,
        range=possible,
        is_set=is_set,
    )


def controls_data(controls: Iterable[Control], spec: Spec) -> list[Json]:
    """What page.js needs of them; `parameter` is its place in the order of names."""
    numbers = {name: number for number, name in enumerate(sorted(spec.parameters))}
    return [
        unusual(
            "controls",
            {
                "parameter": numbers[control.parameter.name],
                "scale": None if control.scale is None else _scale_data(control.scale),
                "ends": _ends_data(control.parameter),
                "choices": [number_text(value) for value in control.choices],
                "in_use": number_text(control.in_use),
                "recommended": number_text(control.recommended),
                **odd_data(spec, control.parameter),
            },
        )
        for control in controls
    ]


def _scale_data(scale: Scale) -> dict[str, Json]:
    return unusual("scales", {"low": str(scale.low), "high": str(scale.high), "stride": str(scale.stride)})


def _ends_data(parameter: Parameter) -> list[Json]:
    domain = parameter.domain
    ends = (domain.low, domain.high) if isinstance(domain, Interval) else (None, None)
    return [number_text(end) for end in ends]
