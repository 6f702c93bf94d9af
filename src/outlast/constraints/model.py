"""A spec after loading: parameters, measurements and rules, each with the places it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.constraints.errors import Place
from outlast.constraints.expression import Bool, Expr
from outlast.constraints.quantities import Kind, Sentinel, Value
from outlast.constraints.record import record

if TYPE_CHECKING:
    from outlast.constraints.catalogue import Relation
    from outlast.constraints.measurements import Measurement
    from outlast.constraints.pictures import Picture
    from outlast.constraints.topology import Topology

__all__ = [
    "NEVER",
    "Binding",
    "Choices",
    "Declined",
    "Difference",
    "Direction",
    "Domain",
    "Ignore",
    "Interval",
    "Level",
    "Margin",
    "Note",
    "Origin",
    "Parameter",
    "Role",
    "Rule",
    "Severity",
    "Spec",
    "Unjudged",
]

#: The cost of what a repair must never change.
NEVER = None


class Role(Enum):
    """What a parameter is: true of the world, decided, to be found, or computed."""

    FACT = "fact"
    FIXED = "fixed"
    FREE = "free"
    DERIVED = "derived"


class Level(Enum):
    """Whether a rule holds in every solution, or is kept if possible."""

    MUST = "must"
    SHOULD = "should"


class Direction(Enum):
    """Where a number may slip to: beyond what it is, below it, or to not being there at all. Infinite is high."""

    HIGH = "high"
    LOW = "low"
    OFF = "off"


class Severity(Enum):
    """How loudly a finding is told: a `must` rule's is an error, a `should` rule's a warning, unless the catalogue says otherwise."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"

    @property
    def order(self) -> int:
        """Where it stands in lists, the loudest first."""
        return _ORDER[self]


_ORDER: Final = {severity: number for number, severity in enumerate(Severity)}


@record
class Interval:
    """The values from `low` to `high`, both included; None leaves that side unlimited (below, 0 is the limit)."""

    low: Fraction | None
    high: Fraction | None


@record
class Choices:
    """The values listed, as written (a 0 that means `infinite` stands here as 0); numbers ascending, then sentinels."""

    values: tuple[Value, ...]


Domain = Interval | Choices


@record(kw_only=True)
class Origin:
    """Why something is as it is, in the words of those who decided it."""

    why: str | None = None
    source: str | None = None
    owner: str | None = None
    reviewed: date | None = None
    review_by: date | None = None


@record(kw_only=True)
class Binding:
    """Where a parameter's value stands in a user's file (`at: client.go#createHTTPClient:SendPingTimeout`)."""

    #: Relative to the folder that outlast was started in, as the spec's own path is.
    file: str
    #: The rest of the text: `[scope:]route`.
    selector: str
    #: Of this text in the spec.
    place: Place


@record(kw_only=True)
class Parameter:
    """One named quantity.

    Values are kept as written; `effective` tells what the software makes of them.
    """

    name: str
    #: Where the name stands.
    place: Place
    role: Role
    kind: Kind
    #: Of a fact or fixed parameter; None for a fact that is an interval, a free or a derived parameter.
    value: Value | None = None
    #: Of a fact that is an interval: both ends included.
    interval: tuple[Fraction, Fraction] | None = None
    #: Of a free parameter.
    domain: Domain | None = None
    #: Of a derived parameter.
    formula: Expr | None = None
    #: The formula's text.
    text: str | None = None
    #: Granularity: 1 ms, 1, 1/s or 1 % unless told.
    step: Fraction = Fraction(1)
    #: A free parameter's value in use; where `current` is not written, what `unset` says.
    current: Value | None = None
    #: `high`, `low` or a value.
    prefer: str | Value | None = None
    #: How hard a fixed value is to change; NEVER keeps it out of every repair.
    cost: Fraction | None = Fraction(1)
    #: What a 0 means; None: the number 0.
    zero: Value | None = None
    #: What an absent key means.
    unset: Value | None = None
    #: The places in files that hold its value; all must agree.
    at: tuple[Binding, ...] = ()
    #: The unit of a bare number, in the spec and in files: `ms`, `/s`, `%`.
    unit: str | None = None
    #: What a negative number means in files; None: there is none.
    negative: Value | None = None
    #: The dialect of durations in files, where the catalogue tells it.
    syntax: str | None = None
    #: The software whose default the value is, as in "60s, the default of ALB"; None: somebody has said it.
    default_of: str | None = None
    #: The software whose default is what `unset` says; None: the spec itself says it, or nobody does.
    unset_of: str | None = None
    #: Derived as the kind of its component says: what the software makes of several parameters.
    is_effective: bool = False
    #: Where no rule need notice it; the reason is in `origin`.
    unguarded: tuple[Direction, ...] = ()
    origin: Origin = Origin()
    #: Where the value of each key stands: `fixed`, `step`, `current`, ….
    places: Mapping[str, Place] = field(default_factory=dict)

    def effective(self, value: Value) -> Value:
        """What a value as written means: itself, or what `zero` says of a 0."""
        if self.zero is not None and not isinstance(value, Sentinel) and value == 0:
            return self.zero
        return value


@record
class Margin:
    """A margin or an aim: a share of the smaller side (`time_exponent` None) or an amount of the rule's own dimension."""

    amount: Fraction
    time_exponent: int | None

    @property
    def is_relative(self) -> bool:
        """Whether it speaks of headroom (a share) rather than slack (an amount)."""
        return self.time_exponent is None


@record(kw_only=True)
class Rule:
    """One requirement. A chain `a < b < c` has become rules `id/1`, `id/2`."""

    id: str
    #: Where the id stands.
    place: Place
    require: Bool
    #: The requirement as written (of a chain: this link).
    text: str
    when: Bool | None = None
    when_text: str | None = None
    level: Level = Level.MUST
    weight: Fraction = Fraction(1)
    margin: Margin | None = None
    #: What scores 1; the spec's `aim` where the rule has none of its own, and at least `margin` where both are relative.
    aim: Margin = Margin(Fraction(1), None)
    needs_on: tuple[str, ...] = ()
    cost: Fraction | None = Fraction(10)
    breaks: str | None = None
    #: The relation of the catalogue that it was made of; None: the spec's own.
    relation: Relation | None = None
    #: The id of the chain that it is a link of; None: it was written as it is.
    chain: str | None = None
    #: The components that the relation speaks of here, in the order of the id.
    components: tuple[str, ...] = ()
    origin: Origin = Origin()
    places: Mapping[str, Place] = field(default_factory=dict)

    @property
    def is_bound(self) -> bool:
        """Whether it says what a parameter of a component may be at all."""
        return bool(self.components) and self.relation is None

    @property
    def is_own(self) -> bool:
        """Whether the spec says it, not the catalogue."""
        return self.relation is None and not self.is_bound


@record(kw_only=True)
class Unjudged:
    """A rule that a relation of the catalogue would make if more were known."""

    id: str
    #: The relation's id.
    relation: str
    #: The parameters whose values are missing; empty where it is something else.
    needs: tuple[str, ...]
    #: One sentence without a full stop: "no value of web.drain is known".
    why: str


@record(kw_only=True)
class Declined:
    """A rule of the catalogue that somebody has left out on purpose."""

    id: str
    why: str
    place: Place
    #: Who says so, besides why.
    origin: Origin = Origin()


@record(kw_only=True)
class Ignore:
    """Findings that somebody does not want to count."""

    #: Of rules, relations or parameters.
    ids: tuple[str, ...]
    why: str
    #: The last day on which it holds; None: for ever.
    until: date | None = None
    #: Of the comment, or of the entry in the spec.
    place: Place
    #: The line of the same file that a comment speaks of; None: an entry of the spec, which speaks of all.
    line: int | None = None
    #: Of an entry: who says so, besides why.
    origin: Origin = Origin()


@record(kw_only=True)
class Difference:
    """A value in a file that is not the one which the spec, or another file, says."""

    parameter: str
    #: What should stand in the file, and who says so: the spec, or the first of several places in files.
    expected: Value | tuple[Fraction, Fraction]
    expected_place: Place
    is_from_spec: bool
    found: Value
    place: Place
    #: The file has no such key, and `found` is what that means.
    is_absent: bool = False


@record
class Note:
    """Something to know that is no error."""

    message: str
    place: Place


@record(kw_only=True)
class Spec:
    """Everything an `outlast.yaml` says, `extends` and overrides applied."""

    path: Path
    title: str | None
    #: In the order of the names, which no result depends on.
    parameters: Mapping[str, Parameter]
    measurements: Mapping[str, Measurement]
    rules: Mapping[str, Rule]
    #: The probability with which a quantile's bound holds.
    confidence: Fraction
    notes: tuple[Note, ...] = ()
    #: None: it has no components.
    topology: Topology | None = None
    #: By id: what the catalogue could say if more were known, and what it shall not say.
    unjudged: tuple[Unjudged, ...] = ()
    declined: tuple[Declined, ...] = ()
    #: What it says under `ignore:`; comments are not among it.
    ignores: tuple[Ignore, ...] = ()
    #: By parameter and place; empty until the files have been read.
    differences: tuple[Difference, ...] = ()
    #: The value that stands in the first place of each parameter that is bound to files, and where.
    in_files: Mapping[str, tuple[Value, Place]] = field(default_factory=dict)
    #: By id: what is drawn as more than bars, those of the spec and those that the catalogue makes.
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    #: The paths of all that it was read from: itself, what it extends, what was measured.
    sources: tuple[str, ...] = ()
    #: Those of its files, and of users' files once these have been read, in which a comment may ignore findings: what they hold, by path.
    marked: Mapping[str, bytes] = field(default_factory=dict)
    #: `NAME=VALUE`, as they were set when it was read.
    overrides: tuple[str, ...] = ()
    #: The folder below which it may read, besides its own, where one was named.
    root: Path | None = None
