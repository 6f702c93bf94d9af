"""Audit: every rule at the values in use, with exact arithmetic and without a solver."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction

from outlast.constraints.errors import Place
from outlast.constraints.evaluate import Verdict
from outlast.constraints.model import Severity, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Value
from outlast.constraints.record import record

__all__ = ["CheckOutcome", "Checked", "Finding", "FindingKind", "Remedy", "Severity"]


class FindingKind(Enum):
    """What a finding is about."""

    BROKEN = "broken rule"
    MARGIN = "margin not kept"
    OFF_STEP = "value off its step"
    OFF_DOMAIN = "value outside its domain"
    DIFFERS = "value differs from its file"


@record(kw_only=True)
class Remedy:
    """The nearest value of one parameter at which the rule would hold with its margin, all others as they are.

    A farther one in the same direction stands here where that breaks no other rule, and the nearest does.
    """

    parameter: str
    now: Value
    to: Value
    #: Other rules, holding now, that this value would break.
    breaks: tuple[str, ...]
    #: On which side of it the rule holds as well: `>=`, `<=`, or `=` for just this value.
    sign: str = "="
    #: The end of that side where it is the step next to the value and itself no longer does: as in `> 60s` for `>= 60.001s`.
    beyond: Fraction | None = None
    #: The nearest value that leaves the headroom which the rule aims at, where that is an amount and breaks nothing.
    roomy: Fraction | None = None
    #: Whether the rule holds there; else it only does not apply any more, which is told where it holds nowhere.
    holds: bool = True


@record(kw_only=True)
class Finding:
    """One thing that is wrong with the values in use."""

    kind: FindingKind
    severity: Severity
    #: The rule's id, or the parameter's name for what is wrong with its value.
    subject: str
    #: Where the rule or the value stands.
    place: Place
    #: What was found, in one sentence without a full stop: "send_ping + ping = 20s is not under deadline = 10s".
    message: str
    remedies: tuple[Remedy, ...] = ()


@record(kw_only=True)
class Checked:
    """One rule at the values in use; `missing` names parameters without a value, for which it was not judged."""

    rule: NormalRule
    verdict: Verdict | None
    missing: tuple[str, ...] = ()


@record(kw_only=True)
class CheckOutcome:
    """The audit of a spec."""

    spec: Spec
    rules: Mapping[str, Checked]
    #: By severity, then by id.
    findings: tuple[Finding, ...]
    #: The values in use, as written; derived parameters computed; a fact that is an interval is left out.
    values: Mapping[str, Value]

    @property
    def has_errors(self) -> bool:
        """Whether a finding is more than a warning."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)
