"""Which end of an interval, and which bound of a quantile, a picture is drawn at: the one that its rules take.

A picture has one value for each name. Where its rules take different ends, or none speaks of the name, the shape says which end does harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from outlast.constraints.normal import Inequality, NormalRule, directions
from outlast.constraints.pictures import Shape
from outlast.constraints.polynomial import Poly, Quant, Var
from outlast.constraints.quantities import Kind, format_value
from outlast.constraints.record import replace
from outlast.picturing.drawing import Drawing, End, Fact, atoms_of
from outlast.picturing.formulas import ZERO

if TYPE_CHECKING:
    from outlast.constraints.model import Spec
    from outlast.picturing.told import Told

__all__ = ["sides_of", "with_ends"]

#: The parts of a shape that do harm when they are short; all others do when they are long.
_SHORT: Final[Mapping[Shape, frozenset[str]]] = {
    Shape.REQUEST: frozenset(("deadline",)),
    Shape.IDLE: frozenset(("hops", "server")),
    Shape.DEPLOY: frozenset(("drain", "grace", "watchdog_interval", "watchdog_failures")),
    Shape.RETRIES: frozenset(("deadline",)),
}
#: By direction, the ends that are taken: whether they are upper ones.
_ENDS: Final[Mapping[int, tuple[bool, ...]]] = {1: (True,), -1: (False,), 0: (True, False)}


def sides_of(shape: Shape, told: Told) -> Iterator[tuple[Poly, bool]]:
    """The formulas of a picture, each with whether it does harm when it is great."""
    for part, members in told.parts.items():
        is_short = part in _SHORT[shape] or (part == "delay" and not told.has("drain"))
        yield from ((formula, not is_short) for _, formula in members)


def with_ends(
    drawing: Drawing, spec: Spec, rules: Mapping[str, NormalRule], sides: Iterable[tuple[Poly, bool]] = ()
) -> Drawing:
    """The drawing with the end of each bounded quantity in it, and a fact for each interval."""
    intervals = {name for name, parameter in spec.parameters.items() if parameter.interval is not None}
    found = {a for a in atoms_of(drawing) if isinstance(a, Quant) or (isinstance(a, Var) and a.name in intervals)}
    atoms = sorted(found, key=lambda atom: atom.key)
    if not atoms:
        return drawing
    taken, harmful = _taken(rules[rule] for rule in drawing.rules), _harmful(sides)
    ends: list[End] = []
    facts: list[Fact] = []
    for atom in atoms:
        takes = taken.get(atom, {True: [], False: []})
        is_agreed = bool(takes[True]) != bool(takes[False])
        by_shape = harmful.get(atom, set())
        is_upper = bool(takes[True]) if is_agreed else by_shape != {False}
        ends.append(End(of=atom, is_upper=is_upper))
        is_worst = is_agreed or len(by_shape) == 1
        if words := _told(atom, spec, takes[is_upper], takes[not is_upper], is_upper=is_upper, is_worst=is_worst):
            facts.append(Fact(words=(words,)))
    return replace(drawing, ends=tuple(ends), facts=(*drawing.facts, *facts))


def _taken(rules: Iterable[NormalRule]) -> dict[Var | Quant, dict[bool, list[str]]]:
    """By quantity and by end the rules that take it; one that takes both, or neither more than the other, stands with both."""
    found: dict[Var | Quant, dict[bool, list[str]]] = {}
    for rule in rules:
        for atom, direction in dict.fromkeys(directions(rule.formula)):
            takes = found.setdefault(atom, {True: [], False: []})
            for is_upper in _ENDS[direction]:
                if rule.id not in takes[is_upper]:
                    takes[is_upper].append(rule.id)
    return found


def _harmful(sides: Iterable[tuple[Poly, bool]]) -> dict[Var | Quant, set[bool]]:
    """By quantity which of its ends make the formulas come out at their sides."""
    found: dict[Var | Quant, set[bool]] = {}
    for formula, is_upper in sides:
        left, right = (formula, ZERO) if is_upper else (ZERO, formula)
        for atom, direction in directions(Inequality(left=left, right=right, strict=True, optimistic=False)):
            found.setdefault(atom, set()).update(_ENDS[direction])
    return found


def _told(
    atom: Var | Quant, spec: Spec, same: Sequence[str], other: Sequence[str], *, is_upper: bool, is_worst: bool
) -> str:
    """A sentence; of a quantile only where a rule takes the other bound."""
    if isinstance(atom, Quant):
        if not other:
            return ""
        drawn, rest = ("upper", "lower") if is_upper else ("lower", "upper")
        return f"{atom.key} is drawn at its {drawn} bound{_as_in(same)}; {_takes(other)} its {rest} one."
    parameter = spec.parameters[atom.name]
    exponent, percent = atom.time_exponent, parameter.kind is Kind.RATIO
    low, high = (format_value(end, exponent, percent=percent) for end in parameter.interval or ())
    drawn, rest = (high, low) if is_upper else (low, high)
    if other:
        why = f"{_as_in(same)}; {_takes(other)} {rest}"
    else:
        why = ", the worst end here" if is_worst else ""
    return f"{atom.name} is anything from {low} to {high}; drawn is {drawn}{why}."


def _as_in(rules: Sequence[str]) -> str:
    return f", as in {_listed(rules)}" if rules else ""


def _takes(rules: Sequence[str]) -> str:
    return f"{_listed(rules)} {'takes' if len(rules) == 1 else 'take'}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
