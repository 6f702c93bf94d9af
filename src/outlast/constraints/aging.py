"""Which decisions and measurements of a spec are due to be looked at again, by the days that stand in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Final, Literal

from outlast.constraints.errors import Place
from outlast.constraints.model import Origin, Parameter, Role, Severity, Spec
from outlast.constraints.record import record

__all__ = ["Due", "What", "due_of"]

What = Literal["parameter", "measurement", "rule", "decline", "ignore"]

_WORDS: Final = {"reviewed": "day of review"}


@record(kw_only=True)
class Due:
    """Something to look at again."""

    #: The name or id; of what stands for several rules the part that they share.
    subject: str
    what: What
    #: Of the name or id.
    place: Place
    #: The day that passed, by which to review or on which it was reviewed or taken, or one that is oddly still to come; None: it has no day.
    since: date | None
    #: How many days ago that was; None: there is no such day, or it is still to come.
    days: int | None
    #: A clause without a full stop: "last reviewed on 2025-01-31, 400 days ago".
    why: str
    #: An error where a day to review by has passed, a warning where something is old, has no day or one to come, else advice.
    severity: Severity


@record(kw_only=True)
class _Subject:
    """What may be due."""

    name: str
    what: What
    place: Place
    origin: Origin
    #: The keys of the origin that should be there.
    wanted: tuple[str, ...] = ("reviewed",)
    #: Of a measurement.
    taken: date | None = None


def due_of(spec: Spec, stale: int, today: date) -> tuple[Due, ...]:
    """What is due on a day: the loudest first, then what has been so for the most days; each thing once, for its loudest reason.

    After more than `stale` days a review or a measurement is old; after just so many it is not yet. The day in `review_by` is likewise
    the last that is in time, and a review on that day or later meets it; what has such a day wants no other. A measurement is as old as
    the day on which it was taken. Free and derived parameters and defaults of software are nobody's decision, and the catalogue's rules
    have their sources: only days that stand there count.
    """
    found: dict[tuple[Place, What], tuple[int, Due]] = {}
    for subject in _subjects(spec):
        judged = _judged(subject, stale, today)
        if judged is not None:
            found.setdefault((subject.place, subject.what), judged)  # one chain, or one decline, may stand for many
    ordered = sorted(found.values(), key=lambda e: (e[1].severity.order, -e[0], e[1].place, e[1].subject))
    return tuple(due for _, due in ordered)


def _subjects(spec: Spec) -> Iterator[_Subject]:
    for p in spec.parameters.values():
        wanted = ("reviewed",) if _is_decision(p) else ()
        yield _Subject(name=p.name, what="parameter", place=p.place, origin=p.origin, wanted=wanted)
    for m in spec.measurements.values():
        origin = Origin(owner=m.owner, reviewed=m.reviewed, review_by=m.review_by)
        yield _Subject(name=m.name, what="measurement", place=m.place, origin=origin, wanted=(), taken=m.taken)
    for rule in spec.rules.values():
        keys = ("source", "owner", "reviewed") if rule.is_own else ()
        yield _Subject(name=rule.chain or rule.id, what="rule", place=rule.place, origin=rule.origin, wanted=keys)
    many = Counter(declined.place for declined in spec.declined)
    for declined in spec.declined:
        name = declined.id if many[declined.place] == 1 else declined.id.partition("@")[0]
        yield _Subject(name=name, what="decline", place=declined.place, origin=declined.origin)
    for ignore in spec.ignores:
        yield _Subject(name=", ".join(ignore.ids), what="ignore", place=ignore.place, origin=ignore.origin)


def _is_decision(parameter: Parameter) -> bool:
    """Whether somebody has said what the value is."""
    return parameter.role in (Role.FACT, Role.FIXED) and parameter.default_of is None


def _judged(subject: _Subject, stale: int, today: date) -> tuple[int, Due] | None:
    """Why it is due, with the days for which it has been; None: it is not."""

    def due(over: int, since: date | None, why: str, severity: Severity) -> tuple[int, Due]:
        days = None if since is None or since > today else (today - since).days
        return over, Due(
            subject=subject.name,
            what=subject.what,
            place=subject.place,
            since=since,
            days=days,
            why=why if days is None else f"{why}, {_ago(days)}",
            severity=severity,
        )

    origin, is_measured = subject.origin, subject.what == "measurement"
    by, reviewed = origin.review_by, origin.reviewed
    if by is not None and by < today and (reviewed is None or reviewed < by):
        return due((today - by).days, by, f"to be reviewed by {by}", Severity.ERROR)
    for word, day in (("taken", subject.taken), ("reviewed", reviewed)):
        if day is not None and day > today:
            return due(0, day, f"{word} on {day}, a day that is still to come", Severity.WARNING)
    last = subject.taken if is_measured else reviewed
    if last is not None and (age := (today - last).days) > stale:
        return due(age - stale, last, f"{'taken' if is_measured else 'last reviewed'} on {last}", Severity.WARNING)
    if is_measured and last is None:
        return due(0, None, "nobody has written when it was taken", Severity.WARNING)
    has = {"source": origin.source, "owner": origin.owner, "reviewed": reviewed or by}
    absent = [key for key in subject.wanted if not has[key]]
    return due(0, None, f"it has {_listed(absent)}", Severity.ADVICE) if absent else None


def _ago(days: int) -> str:
    return "yesterday" if days == 1 else f"{days} days ago"


def _listed(keys: list[str]) -> str:
    """What is not there: `no source, no owner and no day of review`."""
    *others, last = [f"no {_WORDS.get(key, key)}" for key in keys]
    return f"{', '.join(others)} and {last}" if others else last
