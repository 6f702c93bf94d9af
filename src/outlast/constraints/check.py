"""Audit: every rule at the values in use, with exact arithmetic and without a solver."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from fractions import Fraction

from outlast.constraints.errors import OVERRIDE, Place
from outlast.constraints.evaluate import Verdict
from outlast.constraints.model import Ignore, Parameter, Role, Severity, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Value, value_text
from outlast.constraints.record import record

__all__ = [
    "ABOUT_IGNORING",
    "ABOUT_RULES",
    "RULES_ABOUT_IGNORING",
    "CheckOutcome",
    "Checked",
    "Finding",
    "FindingKind",
    "Ignored",
    "Remedy",
    "Severity",
    "identity",
    "in_order",
    "rule_of",
    "shown_file",
    "value_places",
    "values_of",
]


class FindingKind(Enum):
    """What a finding is about."""

    BROKEN = "broken rule"
    MARGIN = "margin not kept"
    OFF_STEP = "value off its step"
    OFF_DOMAIN = "value outside its domain"
    DIFFERS = "value differs from its file"
    IN_VAIN = "ignored in vain"
    EXPIRED = "ignoring has expired"
    MISUNDERSTOOD = "not understood as an ignore comment"


#: What is found of rules; all else is about one value, or about ignoring.
ABOUT_RULES = (FindingKind.BROKEN, FindingKind.MARGIN)

#: What is wrong with ignoring itself, and the rules that it is told under.
RULES_ABOUT_IGNORING = {
    FindingKind.IN_VAIN: "ignored-in-vain",
    FindingKind.EXPIRED: "ignoring-expired",
    FindingKind.MISUNDERSTOOD: "ignore-not-understood",
}
ABOUT_IGNORING = tuple(RULES_ABOUT_IGNORING)


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
    #: Of a value that differs from its file: the rules that would be broken with what the file says.
    would_break: tuple[str, ...] = ()


@record(kw_only=True)
class Checked:
    """One rule at the values in use; `missing` names parameters without a value, for which it was not judged."""

    rule: NormalRule
    verdict: Verdict | None
    missing: tuple[str, ...] = ()


@record(kw_only=True)
class Ignored:
    """A finding that does not count, and who says so."""

    finding: Finding
    ignore: Ignore


@record(kw_only=True)
class CheckOutcome:
    """The audit of a spec."""

    spec: Spec
    rules: Mapping[str, Checked]
    #: By severity, then by id.
    findings: tuple[Finding, ...]
    #: The values in use, as written; derived parameters computed; a fact that is an interval is left out.
    values: Mapping[str, Value]
    #: Set aside by comments or by the spec; in the order of findings, which these are not among.
    ignored: tuple[Ignored, ...] = ()
    #: Set aside since a baseline has them; likewise. `mended`: how many others it has.
    known: tuple[Finding, ...] = ()
    mended: int = 0

    @property
    def has_errors(self) -> bool:
        """Whether a finding is more than a warning."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By severity, then by subject, as an audit tells them."""
    return tuple(sorted(findings, key=lambda f: (f.severity.order, f.subject, f.kind.value, f.place)))


def rule_of(finding: Finding, outcome: CheckOutcome) -> str:
    """The rule that a finding is told under: the catalogue's relation, the spec's own rule, or for one value what is wrong with it.

    The last are `value-off-step`, `value-outside-domain`, `value-differs`; `component-bound` is what a kind says of its own values.
    """
    checked = outcome.rules.get(finding.subject)
    if checked is None or finding.kind not in ABOUT_RULES:
        return _OF_VALUES[finding.kind]
    rule = checked.rule.rule
    if rule.relation is not None:
        return rule.relation.id
    return "component-bound" if rule.is_bound else rule.id


_OF_VALUES = {
    FindingKind.OFF_STEP: "value-off-step",
    FindingKind.OFF_DOMAIN: "value-outside-domain",
    FindingKind.DIFFERS: "value-differs",
    **RULES_ABOUT_IGNORING,
}


def identity(finding: Finding, outcome: CheckOutcome) -> tuple[str, ...]:
    """What makes it the same finding after other edits: rule, kind, subject and the files that it is about, never lines or values.

    Where no spec was read, a component's name is made up and may change, and so may what selects a value in its file once others stand
    beside it; file, kind of component and parameter of all values stand for them, and several findings may have the same.
    """
    head = (rule_of(finding, outcome), finding.kind.value)
    if outcome.spec.sources:
        files = {place.file for place in (finding.place, *value_places(finding, outcome))}
        checked = outcome.rules.get(finding.subject)
        if checked is not None:
            files.add(checked.rule.rule.place.file)
        return (*head, finding.subject, *sorted({shown_file(file) for file in files} - {OVERRIDE}))
    values = sorted(f"{shown_file(file)} {word}" for file, word in _recognised(finding, outcome).values())
    return (*head, *(values or (shown_file(finding.place.file), finding.subject)))


def _recognised(finding: Finding, outcome: CheckOutcome) -> Mapping[str, tuple[str, str]]:
    """Of a finding without a spec, by parameter: the file of each value, and what the value is, as `gunicorn.keepalive`.

    A default has the file of its component, so that writing it down there changes nothing.
    """
    checked, topology = outcome.rules.get(finding.subject), outcome.spec.topology
    names = {finding.subject} if checked is None else checked.rule.names()
    files = {parameter.name: place.file for parameter, place in _values_set(finding, outcome)}
    found: dict[str, tuple[str, str]] = {}
    for name in sorted(names & outcome.spec.parameters.keys()):
        owner, _, word = name.partition(".")
        component = None if topology is None else topology.components.get(owner)
        if component is not None:
            found[name] = files.get(name, component.place.file), f"{component.kind.name}.{word}"
    return found


def shown_file(file: str) -> str:
    """A path with `/` between its parts and nothing in it that leads nowhere.

    >>> shown_file("./a//b.yaml"), shown_file("..\\\\c.yaml")
    ('a/b.yaml', '../c.yaml')
    """
    return posixpath.normpath(file.replace("\\", "/"))


def value_places(finding: Finding, outcome: CheckOutcome) -> tuple[Place, ...]:
    """Where the values stand that a finding's rule compares and that somebody has set, those behind effective values included; sorted.

    A value that stands in a user's file and in the spec has both places; one of the command line has none.
    """
    return tuple(sorted({place for _, place in _values_set(finding, outcome)}))


def values_of(
    finding: Finding, outcome: CheckOutcome, shown: Callable[[str], str] = shown_file
) -> Iterator[tuple[str, str]]:
    """What a finding compares: how each value is called, which changes with no line, and what it is, as an exact text.

    Where no spec was read, a component's name is made up; file, as `shown` writes it, kind and parameter stand for it.
    """
    checked, spec = outcome.rules.get(finding.subject), outcome.spec
    names = {finding.subject} if checked is None else checked.rule.names()
    recognised = {} if spec.sources else _recognised(finding, outcome)
    found: dict[str, list[str]] = {}
    for name in sorted(names & spec.parameters.keys()):
        parameter, called = spec.parameters[name], name
        if name in recognised:
            file, word = recognised[name]
            called = f"{shown(file)} {word}"
        value = outcome.values.get(name)
        ends = (value,) if value is not None else parameter.interval or ()
        told = "..".join(value_text(end, parameter.kind) for end in ends)
        found.setdefault(called, []).append(told)
    for called, told_ones in sorted(found.items()):
        yield called, ", ".join(sorted(told_ones))


def _values_set(finding: Finding, outcome: CheckOutcome) -> Iterator[tuple[Parameter, Place]]:
    """Each value of a finding that is no default, with every place where it is said."""
    checked, spec = outcome.rules.get(finding.subject), outcome.spec
    names = {finding.subject} if checked is None else checked.rule.names()
    for parameter in (spec.parameters[name] for name in sorted(names) if name in spec.parameters):
        key = "current" if parameter.role is Role.FREE else parameter.role.value
        said, found = parameter.places.get(key), spec.in_files.get(parameter.name)
        is_unset = parameter.default_of is not None or (
            parameter.unset_of is not None and said == parameter.places.get("unset")
        )
        for place in dict.fromkeys((None if is_unset else said, None if found is None else found[1])):
            # At the beginning of a file that has no such key, nobody has said anything.
            if place is not None and place.file != OVERRIDE and place[1:] != (1, 1):
                yield parameter, place
