"""What is said of a value in a file that differs from what the spec, or another file, says."""

from __future__ import annotations

from outlast.constraints.errors import Place
from outlast.constraints.model import Difference, Note, Parameter, Spec
from outlast.constraints.quantities import value_text
from outlast.constraints.record import replace

__all__ = ["difference_text", "with_difference_notes"]


def difference_text(difference: Difference, parameter: Parameter) -> str:
    """One sentence without a full stop: "the spec says 10s, client.go:31 says 5s"."""
    by = "the spec" if difference.is_from_spec else _position(difference.expected_place)
    ends = difference.expected if isinstance(difference.expected, tuple) else (difference.expected,)
    wanted = "..".join(value_text(end, parameter.kind) for end in ends)
    found = value_text(difference.found, parameter.kind)
    if difference.is_absent:
        return f"{by} says {wanted}, but {difference.place.file} has no such key, which means {found}"
    return f"{by} says {wanted}, {_position(difference.place)} says {found}"


def with_difference_notes(spec: Spec) -> Spec:
    """The spec with its differences among the notes, for commands to which they are no findings."""
    differing = (Note(difference_text(d, spec.parameters[d.parameter]), d.place) for d in spec.differences)
    return replace(spec, notes=(*spec.notes, *differing)) if spec.differences else spec


def _position(place: Place) -> str:
    return f"{place.file}:{place.line}"
