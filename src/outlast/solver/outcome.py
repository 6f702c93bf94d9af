"""What solving a spec comes to, as data. Values are as written in the spec unless said otherwise; numbers in base units."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction

from outlast.constraints.evaluate import Verdict
from outlast.constraints.model import Parameter, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record
from outlast.solver.account import Account, Conflict, ItemKind

__all__ = [
    "Bottleneck",
    "End",
    "GivenUp",
    "Growth",
    "ParameterResult",
    "Range",
    "RuleResult",
    "SolveOutcome",
    "Status",
]


class Status(Enum):
    """How a search ended."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    CONFLICT = "conflict"
    UNDECIDED = "undecided"


@record(kw_only=True)
class End:
    """One end of a range."""

    #: Where it lies, taken as continuous; None: nothing limits this side.
    at: Fraction | None
    #: Whether the end itself is not part of the range.
    is_open: bool
    #: The last value on the parameter's own step before it; None where nothing limits this side.
    on_step: Fraction | None
    #: What holds it there: ids of rules, and `domain:NAME.min`, `domain:NAME.max`, sorted; minimal.
    limited_by: tuple[str, ...]


@record(kw_only=True)
class Range:
    """The numbers that a free parameter may take. None for both ends: no number is possible, only `sentinels`."""

    low: End | None
    high: End | None
    #: Stretches between the ends that are impossible (their ends belong to the range or not, as it may be); None: not examined.
    gaps: tuple[tuple[Fraction, Fraction], ...] | None
    #: Of a domain that is a list: the values that are possible.
    listed: tuple[Fraction, ...] | None
    #: Sentinels that are possible.
    sentinels: tuple[Sentinel, ...]


@record(kw_only=True)
class Growth:
    """How far something given may move before the kept rules cannot all hold, with their margins; every free parameter may move along."""

    name: str
    #: `FACT`, `FIXED` or `MEASUREMENT`.
    kind: ItemKind
    #: Effective; of a measurement 1, the factor by which all its bounds are multiplied; None for an interval and for a sentinel.
    now: Fraction | None
    #: Of a fact that is an interval: both ends as they are. Its lower end may shrink, its upper one grow.
    interval: tuple[Fraction, Fraction] | None = None
    #: How small it may become; None where that is not told.
    shrink: End | None = None
    #: How great it may become; None where that is not told.
    grow: End | None = None
    #: The least and the greatest value looked at, where they were tried one by one and a side has no end among them.
    tried: tuple[Fraction, Fraction] | None = None
    #: Why it is not told.
    untold: str | None = None


@record(kw_only=True)
class ParameterResult:
    """One parameter of the answer."""

    parameter: Parameter
    #: Of a derived parameter the computed value; of an interval fact None; of a free one the recommended value.
    value: Value | None
    #: Whether a free parameter's value differs from its current one; None where it has none.
    changed: bool | None = None
    #: The others free, on their steps.
    range: Range | None = None
    #: The others at their recommended values.
    range_as_recommended: Range | None = None
    #: What decided the value, in a few words: "at its current value", "smallest that the rules allow", ….
    chosen: str | None = None


@record(kw_only=True)
class RuleResult:
    """One rule at the recommended values."""

    rule: NormalRule
    verdict: Verdict
    #: False for a `should` rule that was given up.
    kept: bool


@record(kw_only=True)
class Bottleneck:
    """Rules that share the room and cannot all score more."""

    rules: tuple[str, ...]
    #: In thousandths of the aim.
    level: int
    #: Only the steps keep them from the next thousandth.
    held_by_steps: bool
    #: Whether z3 or an exact certificate confirmed, within the limits, that the next thousandth is out of reach.
    confirmed: bool


@record(kw_only=True)
class GivenUp:
    """A `should` rule that was not kept, and a minimal conflict that it is part of."""

    rule: str
    weight: Fraction
    conflict: Conflict | None


@record(kw_only=True)
class SolveOutcome:
    """The answer. In a conflict there are no values; undecided, what was proved so far is there and the rest is None."""

    spec: Spec
    status: Status
    objective: str
    parameters: Mapping[str, ParameterResult]
    rules: Mapping[str, RuleResult]
    bottlenecks: tuple[Bottleneck, ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    #: Minimal conflicts among the rules that must hold.
    conflicts: tuple[Conflict, ...] = ()
    #: Where there are some: every conflict and every way out, as far as was searched.
    account: Account | None = None
    #: Of an undecided search: what struck, and what is known nevertheless.
    undecided: str | None = None
    proved: tuple[str, ...] = ()
    #: How far facts and measurements may move, by name; empty unless there are values.
    growth: tuple[Growth, ...] = ()
    #: Things to know: a side that nothing limits, values left as they are, ….
    notes: tuple[str, ...] = ()
