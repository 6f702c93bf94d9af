"""What a review came to, as data: for each spec, or for the files alone, what changed, what that broke, and how to mend it."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from outlast.constraints.aging import Due
from outlast.constraints.check import CheckOutcome, Finding, Ignored
from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.evaluate import Verdict
from outlast.constraints.measurements import Measurement
from outlast.constraints.model import Parameter
from outlast.constraints.quantities import Value
from outlast.constraints.record import record
from outlast.solver.account import Account, Repair
from outlast.solver.weaker import Weakening

__all__ = [
    "Headroom",
    "InUse",
    "Loss",
    "LossKind",
    "MeasurementChange",
    "NewBytes",
    "ParameterChange",
    "Part",
    "Quantile",
    "Reviewed",
    "Revision",
    "RuleChange",
    "Suggested",
    "Trouble",
]


@record(kw_only=True)
class Revision:
    """One of the two sides of a review."""

    #: As it was asked for: `origin/main`; None: the files as they lie there.
    name: str | None
    #: The hash of the commit; of the files as they lie there, of the one that they are based on.
    commit: str


@record
class InUse:
    """A parameter on one side, with its value in use, as written; None: there is none."""

    parameter: Parameter
    value: Value | None
    #: What the first of its places in files says, and where; None: it has none.
    in_file: tuple[Value, Place] | None = None


@record(kw_only=True)
class ParameterChange:
    """A parameter that is not what it was; None: it is not there on that side."""

    name: str
    #: The name that it had, where it has another.
    was: str | None = None
    before: InUse | None
    after: InUse | None


@record
class Quantile:
    """A quantile that rules speak of, such as `p99(rtt)`, with its upper bounds on both sides in nanoseconds; None: too few samples for one."""

    text: str
    before: Fraction | None
    after: Fraction | None


@record(kw_only=True)
class MeasurementChange:
    """A measurement that is not what it was; None: it is not there on that side."""

    name: str
    before: Measurement | None
    after: Measurement | None
    #: Those that rules use and whose bounds differ.
    quantiles: tuple[Quantile, ...] = ()


@record(kw_only=True)
class RuleChange:
    """A rule that says something else than it said, or is new; what guards less is among the losses as well."""

    id: str
    #: The requirement with its condition; None: it is not there on that side.
    before: str | None
    after: str | None
    #: Where it stands now; of a rule that is gone, where it stood.
    place: Place
    #: The id that it had, where only that changed.
    was: str | None = None


@record(kw_only=True)
class Headroom:
    """How a rule stood and stands; None: it was not judged, or is not there, on that side."""

    rule: str
    before: Verdict | None
    after: Verdict | None


class LossKind(Enum):
    """How a change guards less."""

    SPEC_REMOVED = "spec removed"
    RULE_REMOVED = "rule removed"
    RULE_WEAKENED = "rule weakened"
    RULE_DECLINED = "rule declined"
    RULE_NOT_JUDGED = "rule no longer judged"
    FINDING_IGNORED = "finding ignored"
    BINDING_DROPPED = "binding dropped"
    CONFIDENCE_LOWERED = "confidence lowered"


@record(kw_only=True)
class Loss:
    """Something that was guarded before the change, and is less after it."""

    kind: LossKind
    #: The rule, parameter, component or spec.
    subject: str
    #: Where that is said now; of what is gone, the beginning of the file that said it, or where it stood.
    place: Place
    #: One sentence without a full stop.
    message: str
    #: Of a rule that says something else: values that it forbade and now allows.
    weakening: Weakening | None = None
    #: The rules that are gone with a component or a connection.
    rules: tuple[str, ...] = ()

    @property
    def is_undecided(self) -> bool:
        """Whether a limit struck before it was known that the rule guards less."""
        return self.weakening is not None and self.weakening.is_undecided


@record(kw_only=True)
class NewBytes:
    """A file as it is and as it would be."""

    file: str
    before: bytes
    after: bytes


@record(kw_only=True)
class Suggested:
    """A repair as new bytes of files, read and judged again before it is shown."""

    repair: Repair
    #: By name.
    files: tuple[NewBytes, ...]


@record(kw_only=True)
class Trouble:
    """A finding that the change brought."""

    finding: Finding
    outcome: CheckOutcome
    #: On a line that the change touched, where one of the finding's places is on one.
    place: Place
    is_on_changed_line: bool
    #: Why the values cannot hold together and every way out, for all troubles of the part at once; None: it is no matter of rules, or a limit struck.
    account: Account | None = None
    #: The number of its group in the account.
    group: int | None = None
    #: The cheapest repair that can be made by writing files; None: there is none.
    suggested: Suggested | None = None


@record(kw_only=True)
class Part:
    """What came out for one spec, or for the files alone."""

    #: The spec as it is called now, or as it was called where it is gone; None: the files, without a spec.
    spec: str | None
    #: Its former name, where it has another.
    was: str | None = None
    #: Whether the older side has no such spec, or none that can be read.
    is_new: bool = False
    #: Whether it was there before and could not be read, so that nobody knows what it guarded.
    is_unknown_before: bool = False
    is_removed: bool = False
    parameters: tuple[ParameterChange, ...] = ()
    measurements: tuple[MeasurementChange, ...] = ()
    rules: tuple[RuleChange, ...] = ()
    #: Only where something moved.
    headrooms: tuple[Headroom, ...] = ()
    losses: tuple[Loss, ...] = ()
    #: By severity and place.
    new: tuple[Trouble, ...] = ()
    #: What was wrong before and still is, with its audit now.
    old: tuple[tuple[Finding, CheckOutcome], ...] = ()
    #: What was wrong before and no longer is, with its audit then.
    mended: tuple[tuple[Finding, CheckOutcome], ...] = ()
    #: What somebody has set aside: the finding and why.
    ignored: tuple[tuple[Ignored, CheckOutcome], ...] = ()
    #: Decisions and measurements that are due, where that was asked for.
    due: tuple[Due, ...] = ()
    #: The audit of a spec as it is now.
    outcome: CheckOutcome | None = None
    #: How many rules were judged after the change.
    judged: int = 0

    @property
    def is_untouched(self) -> bool:
        """Whether the change did nothing that is told of it."""
        return not (
            self.is_new
            or self.is_removed
            or self.was
            or self.parameters
            or self.measurements
            or self.rules
            or self.headrooms
            or self.losses
            or self.new
            or self.mended
        )


@record(kw_only=True)
class Reviewed:
    """The whole review."""

    #: None: only what is due was asked for.
    base: Revision | None
    #: The commit that was compared with: where the two sides parted.
    parted: str | None
    head: Revision | None
    #: Specs by name, then the files.
    parts: tuple[Part, ...]
    #: What could not be read, and other things to know.
    notices: tuple[OutlastError, ...] = ()

    @property
    def new(self) -> tuple[Trouble, ...]:
        """Everything that the change broke."""
        return tuple(trouble for part in self.parts for trouble in part.new)

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Everything that is guarded less."""
        return tuple(loss for part in self.parts for loss in part.losses)

    @property
    def is_undecided(self) -> bool:
        """Whether it is not known, of a rule or a whole spec, what the change guards less."""
        return any(loss.is_undecided for loss in self.losses) or any(part.is_unknown_before for part in self.parts)
