"""What is given: facts, fixed values and the bounds of measured quantiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from outlast.constraints.model import Spec
from outlast.constraints.polynomial import Quant
from outlast.constraints.quantities import Value
from outlast.constraints.record import record

__all__ = ["Constants", "constants_of"]


@record(kw_only=True)
class Constants:
    """What is not to be found: values (effective) by name, interval facts by both ends, and quantiles by bound."""

    values: Mapping[str, Value | tuple[Fraction, Fraction]]
    bound: Callable[[Quant, bool], Fraction]
    #: Names and quantiles that are treated as unknown numbers nevertheless.
    unknown: frozenset[str] = frozenset()


def constants_of(spec: Spec) -> Constants:
    """Facts, fixed values and measurements of a spec."""
    values: dict[str, Value | tuple[Fraction, Fraction]] = {}
    for parameter in spec.parameters.values():
        if parameter.interval is not None:
            values[parameter.name] = parameter.interval
        elif parameter.value is not None:
            values[parameter.name] = parameter.effective(parameter.value)
    bounds: dict[tuple[Quant, bool], Fraction] = {}

    def bound(quantile: Quant, upper: bool) -> Fraction:  # the shape of QuantileBound
        key = (quantile, upper)
        if key not in bounds:
            sample = spec.measurements[quantile.measurement].sample
            find = sample.upper if upper else sample.lower
            bounds[key] = find(quantile.level, spec.confidence)
        return bounds[key]

    return Constants(values=values, bound=bound)
