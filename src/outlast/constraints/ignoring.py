"""Which findings somebody has set aside, in a comment or in the spec, and what is wrong with having done so.

After zizmor's and Ruff's comments; that a rule and a reason must be named, and that one in vain is told, keeps them from outliving their cause.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from difflib import get_close_matches
from typing import Final

from outlast.constraints.check import ABOUT_RULES, CheckOutcome, Finding, FindingKind, shown_file, value_places
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.loading.problems import quoted
from outlast.constraints.model import Ignore, Parameter, Rule, Severity, Spec

__all__ = ["EXAMPLE", "Ignoring", "names_of_rule", "names_of_spec", "parse_ignore", "remark"]

#: As messages show it.
EXAMPLE: Final = "outlast: ignore[RULE] REASON"
_HEAD: Final = re.compile(r"outlast:[ \t]?(\w*)[ \t]*")
_BRACKETS: Final = re.compile(r"\[([^\[\]]*)\]")
_ID: Final = re.compile(r"[\w.\-/@:]+")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST_IDS: Final = 50
#: Looking for near names is worth this many.
_MOST_COMPARISONS: Final = 200_000


def parse_ignore(text: str, place: Place, line: int) -> Ignore:
    """What a comment says that begins with `outlast:` at `place` and speaks of a line of its file.

    Raises:
        OutlastError: at the place of what is wrong.

    >>> parse_ignore("outlast: ignore[no-flood until 2027-01-31] one client", Place("a.yaml", 2, 3), 3).why
    'one client'
    """
    head = _HEAD.match(text)
    if head is None or head[1] != "ignore":
        found = text.partition("[")[0].removeprefix("outlast:").strip()
        raise OutlastError(f"expected '{EXAMPLE}', found {quoted(found)}", place)
    brackets = _BRACKETS.match(text, head.end())
    if brackets is None:
        found = quoted(text[head.end() :]) if text[head.end() :].strip() else "nothing"
        raise OutlastError(
            f"expected the rule in brackets, as in '{EXAMPLE}', found {found}", place.shifted(head.end())
        )
    ids, until = _ids(brackets[1], place.shifted(brackets.start(1)))
    why = text[brackets.end() :].strip(" \t:")
    if not any(c.isalnum() for c in why):
        raise OutlastError("expected the reason behind the brackets, found none", place.shifted(brackets.end()))
    return Ignore(ids=ids, why=why, until=until, place=place, line=line)


def _ids(text: str, place: Place) -> tuple[tuple[str, ...], date | None]:
    """The ids between the brackets, and the day behind the last."""
    found: dict[str, None] = {}
    until: date | None = None
    parts = text.split(",")
    if len(parts) > _MOST_IDS:
        raise OutlastError(f"expected at most {_MOST_IDS} rules in one comment, found {len(parts)}", place)
    offset = 0
    for number, part in enumerate(parts, start=1):
        at, words = place.shifted(offset + len(part) - len(part.lstrip())), part.split()
        offset += len(part) + 1
        if not words:
            raise OutlastError("expected the id of a rule, found nothing", at)
        if not _ID.fullmatch(words[0]):
            raise OutlastError(f"expected the id of a rule, found {quoted(words[0])}", at)
        if len(words) > 1:
            if words[1] != "until":
                raise OutlastError(f"expected a comma, 'until' or ']' behind {words[0]}, found {quoted(words[1])}", at)
            if number < len(parts):
                raise OutlastError(
                    "expected 'until' behind the last rule, for all of them, found it before another", at
                )
            if len(words) != 3:
                raise OutlastError("expected one date behind 'until', such as 2027-01-31", at)
            until = _day(words[2], at)
        found[words[0]] = None
    return tuple(found), until


def _day(text: str, place: Place) -> date:
    if not _DATE.fullmatch(text):
        raise OutlastError(f"expected a date, such as 2027-01-31, found {quoted(text)}", place)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise OutlastError(f"found {quoted(text)}, a day that no calendar has", place) from None


def names_of_rule(rule: Rule) -> Iterator[str]:
    """What a rule goes by: its id; of a link of a chain also that of the chain, of the catalogue's the relation, of a bound the parameter."""
    yield rule.id
    if rule.chain is not None:
        yield rule.chain
    if rule.relation is not None:
        yield rule.relation.id
    elif rule.is_bound:
        yield rule.id.rpartition(".")[0]


def names_of_spec(spec: Spec) -> Iterator[str]:
    """Everything that may be ignored in a spec: what its rules go by, parameters, rules of the catalogue that are not judged or declined."""
    for rule in spec.rules.values():
        yield from names_of_rule(rule)
    yield from spec.parameters
    for each in spec.unjudged:
        yield from (each.id, each.relation)
    for declined in spec.declined:
        yield from (declined.id, declined.id.partition("@")[0])


def remark(kind: FindingKind, subject: str, place: Place, message: str) -> Finding:
    """A finding about ignoring itself, which nothing ignores."""
    return Finding(kind=kind, severity=Severity.WARNING, subject=subject, place=place, message=printable(message))


class Ignoring:
    """Sets findings aside one by one, and remembers what for."""

    def __init__(self, ignores: Iterable[Ignore], today: date) -> None:
        self._ignores = sorted(ignores, key=lambda each: (each.line is None, each.place, each.ids))
        self._today = today
        self._by_id: dict[str, list[int]] = {}
        for number, each in enumerate(self._ignores):
            if not _is_expired(each, today):
                for id_ in each.ids:
                    self._by_id.setdefault(id_, []).append(number)
        self._used: set[tuple[int, str]] = set()
        #: Where a finding stands that another line would have ignored.
        self._elsewhere: dict[tuple[int, str], Place] = {}
        #: The files of all rules that were judged, by what these go by, and what goes by names that were not judged.
        self._judged: dict[str, set[str]] = {}
        self._unjudged: set[str] = set()

    def of(self, finding: Finding, outcome: CheckOutcome) -> Ignore | None:
        """Who says that this finding does not count; None: nobody."""
        if not self._by_id:
            return None
        first: int | None = None
        lines: Collection[tuple[str, int]] | None = None
        for name in _names(finding, outcome):
            for number in self._by_id.get(name, ()):
                each = self._ignores[number]
                if each.line is not None:
                    lines = _lines(finding, outcome) if lines is None else lines
                    if (each.place.file, each.line) not in lines:
                        if finding.place.file == each.place.file:
                            self._elsewhere.setdefault((number, name), finding.place)
                        continue
                self._used.add((number, name))
                first = number if first is None else min(first, number)
        return None if first is None else self._ignores[first]

    def look(self, outcome: CheckOutcome) -> None:
        """Take note of what was judged, so that what is ignored in vain can be told from what nobody looked at."""
        for checked in outcome.rules.values():
            rule = checked.rule.rule
            names = [name for name in names_of_rule(rule) if name in self._by_id]
            if not names:
                continue
            if checked.verdict is None:
                self._unjudged.update(names)
                continue
            files = {file for file, _ in _lines_of_rule(rule, outcome)}
            for name in names:
                self._judged.setdefault(name, set()).update(files)
        for each in outcome.spec.unjudged:
            self._unjudged.update((each.id, each.relation))
        for name in self._by_id.keys() & outcome.spec.parameters.keys():
            places = outcome.spec.parameters[name].places.values()
            self._judged.setdefault(name, set()).update(place.file for place in places)

    def remarks(self, own: Collection[str], known: Collection[str]) -> Iterator[Finding]:
        """What is wrong with the ignoring itself; `own` are the spec's files, `known` all names that there are."""
        names = _Known(known)
        for number, each in enumerate(self._ignores):
            if _is_expired(each, self._today):
                message = f"{', '.join(each.ids)} was to be ignored until {each.until}: {each.why}"
                yield remark(FindingKind.EXPIRED, ", ".join(each.ids), each.place, message)
                continue
            for id_ in each.ids:
                if (number, id_) in self._used or not self._was_looked_at(each, id_, own, names):
                    continue
                yield remark(FindingKind.IN_VAIN, id_, each.place, self._in_vain(number, id_, names))

    def _was_looked_at(self, each: Ignore, id_: str, own: Collection[str], known: _Known) -> bool:
        """Whether a finding that somebody wants ignored would have been found."""
        if id_ in self._unjudged:
            return False
        file = each.place.file
        if each.line is None or file in own:
            return True
        if _is_of_catalogue(id_):  # in a file that others may look at as well, with other components around it
            return file in self._judged.get(id_, ())
        return id_ in self._judged or known.near(id_) is not None

    def _in_vain(self, number: int, id_: str, known: _Known) -> str:
        each = self._ignores[number]
        if id_ not in known and not _is_of_catalogue(id_):
            near = known.near(id_)
            return f"nothing here is called {quoted(id_)}" + ("" if near is None else f"; did you mean {quoted(near)}?")
        if each.line is None:
            return f"no finding of {id_} is there to be ignored"
        place = self._elsewhere.get((number, id_))
        hint = "" if place is None else f"; one is about line {place.line}"
        return f"no finding of {id_} is about line {each.line}, which this comment speaks of{hint}"


def _is_expired(each: Ignore, today: date) -> bool:
    """On the day itself it still holds."""
    return each.until is not None and each.until < today


def _is_of_catalogue(id_: str) -> bool:
    from outlast.constraints.catalogue import relation  # wanted only where something may be in vain

    return "@" not in id_ and relation(id_) is not None


class _Known:
    """All names that there are."""

    def __init__(self, names: Collection[str]) -> None:
        self._known = frozenset(names)
        self._sorted = sorted(self._known)
        self._left = _MOST_COMPARISONS
        self._near: dict[str, str | None] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def near(self, name: str) -> str | None:
        """Another name that may be meant; None: there is none, or enough was looked for."""
        if name in self._known or len(name) > 200:
            return None
        if name not in self._near:
            self._left -= len(self._sorted)
            near = get_close_matches(name, self._sorted, n=1, cutoff=0.8) if self._left >= 0 else []
            self._near[name] = near[0] if near else None
        return self._near[name]


def _names(finding: Finding, outcome: CheckOutcome) -> Iterator[str]:
    checked = outcome.rules.get(finding.subject)
    if checked is None or finding.kind not in ABOUT_RULES:
        return iter((finding.subject,))
    return names_of_rule(checked.rule.rule)


def _lines(finding: Finding, outcome: CheckOutcome) -> frozenset[tuple[str, int]]:
    """All lines that a finding is about."""
    if finding.kind is FindingKind.DIFFERS:
        return frozenset(_lines_of_difference(finding, outcome.spec.parameters[finding.subject]))
    checked = outcome.rules.get(finding.subject)
    places = [finding.place, *value_places(finding, outcome)]
    found = {(place.file, place.line) for place in places}
    if checked is not None and finding.kind in ABOUT_RULES:
        found.update(_lines_of_rule(checked.rule.rule, outcome))
    elif finding.subject in outcome.spec.parameters:
        place = outcome.spec.parameters[finding.subject].place
        found.add((place.file, place.line))
    return frozenset(found)


def _lines_of_difference(finding: Finding, parameter: Parameter) -> Iterator[tuple[str, int]]:
    """Where a value stands that differs, and what the spec says of the parameter and of that file; nothing of other files."""
    here = shown_file(finding.place.file)
    places = [finding.place, parameter.place, *(place for key, place in parameter.places.items() if key != "at")]
    places += [binding.place for binding in parameter.at if shown_file(printable(binding.file)) == here]
    yield from ((place.file, place.line) for place in places)


def _lines_of_rule(rule: Rule, outcome: CheckOutcome) -> Iterator[tuple[str, int]]:
    """Where a rule stands, the link or the components that it is made for, and the values that it compares."""
    spec = outcome.spec
    places: list[Place] = [rule.place, *rule.places.values()]
    if spec.topology is not None:
        places += [spec.topology.components[name].place for name in rule.components]
    for name in outcome.rules[rule.id].rule.names():
        parameter = spec.parameters[name]
        places += [parameter.place, *parameter.places.values()]
        if name in spec.in_files:
            places.append(spec.in_files[name][1])
    yield from ((place.file, place.line) for place in places)
