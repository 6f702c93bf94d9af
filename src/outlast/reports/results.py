"""What a command found, in the shape that tools of review and CI ask for: one result a rule, whatever the command.

The words are SARIF's (2.1.0, sections 3.27 and 3.49), which the other formats take a part of.
"""

from __future__ import annotations

from enum import Enum

from outlast.constraints.check import Severity
from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.record import record
from outlast.reports.document import Document

__all__ = ["Described", "Edit", "Fix", "Related", "Result", "Results", "SetAside", "Standing"]


class Standing(Enum):
    """What came out for a rule; the values are SARIF's `kind`."""

    FAIL = "fail"
    PASS = "pass"
    NOT_APPLICABLE = "notApplicable"
    #: Not judged: a value is missing, or a limit struck.
    OPEN = "open"


@record(kw_only=True)
class Related:
    """Another place that a result is about: where a value or a rule stands."""

    place: Place
    #: One line without a full stop: "web.keepalive = 75s, set".
    message: str


@record(kw_only=True)
class Edit:
    """Bytes of a file to be replaced: from `start` to before `end`, counted from 0."""

    file: str
    start: int
    end: int
    #: Of `start`, and of the first character that stays.
    start_place: Place
    end_place: Place
    text: str


@record(kw_only=True)
class Fix:
    """One way to mend it: edits that belong together."""

    message: str
    edits: tuple[Edit, ...]


@record(kw_only=True)
class SetAside:
    """Why a result does not count: somebody has said so, or it was there before."""

    #: `inSource` (a comment, an entry of the spec) or `external` (a baseline, an older revision).
    kind: str
    why: str
    place: Place | None = None


@record(kw_only=True)
class Described:
    """What is known of a rule, whatever it was applied to: SARIF's `reportingDescriptor`."""

    #: The relation's id, the spec's own rule's id, or a word of ours such as `value-off-step`.
    id: str
    #: One sentence.
    summary: str
    severity: Severity
    #: At length: why, what breaks, the formula, sources.
    help: Document
    #: A page about it; None: there is none.
    address: str | None = None


@record(kw_only=True)
class Result:
    """One rule with what it came to."""

    standing: Standing
    #: A key of `Results.rules`.
    rule: str
    #: What it is about here: `http/pool-closes-first@lb:web`, or a parameter.
    subject: str
    severity: Severity
    #: None: no place in a file tells.
    place: Place | None
    #: One sentence without a full stop, plain text from anywhere.
    message: str
    #: The same at length, as the report for people tells it; without the message.
    details: Document = ()
    related: tuple[Related, ...] = ()
    #: Hexadecimal, the same for the same rule in the same file whatever the lines and values.
    fingerprint: str
    fixes: tuple[Fix, ...] = ()
    #: None: it counts.
    set_aside: SetAside | None = None
    #: The spec that it comes from, by its path, where a command looks at several; None: `Results.subject` says, or there is none.
    origin: str | None = None


@record(kw_only=True)
class Results:
    """All that a command has to say."""

    #: `check`, `lint`, `review`, ….
    command: str
    #: What was looked at: the spec's path or title, or the paths of files.
    subject: str
    #: By severity, then by place and subject; those that do not fail after those that do.
    results: tuple[Result, ...]
    rules: tuple[Described, ...]
    #: What was not read, or left undecided.
    notices: tuple[OutlastError, ...] = ()
