"""Results in their order, each with a fingerprint of its own, and what is known of their rules once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from outlast.constraints.check import shown_file
from outlast.constraints.errors import OVERRIDE, OutlastError, Place
from outlast.constraints.record import replace
from outlast.reports.origins import Source
from outlast.reports.results import Described, Related, Result, Results, Standing

__all__ = ["fingerprint", "gathered", "of_sources", "prefixes", "standing_order"]


def fingerprint(identity: Sequence[str]) -> str:
    """The SHA-256 of what makes a finding the same one after other edits."""
    return sha256("\0".join(identity).encode(errors="backslashreplace")).hexdigest()


def gathered(
    command: str,
    subject: str,
    results: Iterable[Result],
    rules: Iterable[Described],
    notices: Sequence[OutlastError] = (),
) -> Results:
    """All results; a fingerprint that several have is told apart by their order."""
    seen: dict[str, int] = {}
    told: list[Result] = []
    for result in sorted(results, key=standing_order):
        number = seen[result.fingerprint] = seen.get(result.fingerprint, 0) + 1
        own = result.fingerprint if number == 1 else fingerprint((result.fingerprint, str(number)))
        told.append(result if number == 1 else replace(result, fingerprint=own))
    used = {result.rule for result in told}
    known = {rule.id: rule for rule in reversed(tuple(rules)) if rule.id in used}
    return Results(
        command=command,
        subject=subject,
        results=tuple(told),
        rules=tuple(known[id_] for id_ in sorted(known)),
        notices=tuple(notices),
    )


def prefixes(results: Results) -> Callable[[Result], str]:
    """What to put in front of a result's words: the spec that it comes from, where they come from several."""
    if len({result.origin for result in results.results} - {None}) < 2:
        return lambda result: ""
    return lambda result: "" if result.origin is None else f"{result.origin}: "


def standing_order(result: Result) -> tuple[object, ...]:
    """What fails first, by severity, place and subject."""
    place = result.place or Place("", 0, 0)
    loudness = result.severity.order
    return (
        result.standing is not Standing.FAIL,
        loudness,
        shown_file(place.file),
        place[1:],
        result.subject,
        result.rule,
    )


def of_sources(sources: Iterable[Source]) -> tuple[Related, ...]:
    """Where the numbers of a rule stand, each place once; those of the command line stand nowhere."""
    found: dict[tuple[Place, str], Related] = {}
    for source in sources:
        if source.place.file != OVERRIDE:
            words = f"{source.name} = {source.value}, {source.words}" + (f": {source.why}" if source.why else "")
            found.setdefault((source.place, words), Related(place=source.place, message=words))
    return tuple(found.values())
