"""What `lint` found in files, as a document: each finding with the facts that it relies on, then what was recognised, and what was not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from outlast.constraints.check import Finding, Ignored
from outlast.linting import Linted, Told
from outlast.reports.check import aside_blocks, aside_words, finding_entry
from outlast.reports.document import (
    Block,
    Document,
    Entry,
    Paragraph,
    Section,
    Span,
    Text,
    Verdict,
    bad,
    code,
    faint,
    good,
    text,
    warn,
    whole,
)
from outlast.reports.origins import Origins
from outlast.reports.wording import FromHere, counted, joined, shortened_table

__all__ = ["lint_document", "remark_entry", "told_entry"]


#: Of what would have to be known, how much is told.
_MOST_WANTED: Final = 3


def lint_document(linted: Linted) -> Document:
    """The whole report; files that could not be read are told elsewhere."""
    blocks: list[Block] = [Verdict(_verdict(linted))]
    blocks += [told_entry(told, linted) for told in linted.findings]
    blocks += [remark_entry(each) for each in linted.remarks]
    blocks += _aside(linted)
    if linted.found.instances:
        rows = [
            (
                (whole(code(each.name)),),
                (whole(code(each.kind)),),
                text(whole(f"{each.place.file}:{each.place.line}")),
                text(whole(str(len(each.values)))),
            )
            for each in linted.found.instances
        ]
        blocks.append(
            Section(
                "recognised", tuple(shortened_table(("component", "kind", "place", "set there"), rows)), is_folded=True
            )
        )
    if linted.found.links or linted.found.hosted:
        connections = list(_connections(linted))
        blocks.append(
            Section(
                "what belongs together", tuple(shortened_table(("components", "because"), connections)), is_folded=True
            )
        )
    if linted.wanting:
        blocks.append(Section("not judged", (Paragraph(_not_judged(linted)),)))
    if not linted.found.instances:
        blocks.append(Paragraph(text(faint("kinds that are known: "), code("outlast rules"))))
    return tuple(blocks)


def remark_entry(finding: Finding) -> Entry:
    """What is wrong with ignoring itself."""
    place = faint(f"({finding.place.file}:{finding.place.line})")
    title = text(warn(finding.severity.value), " ", code(finding.subject), f": {finding.kind.value} ", place)
    return Entry(title, (Paragraph(text(finding.message)),))


def _aside(linted: Linted) -> tuple[Block, ...]:
    """What does not count."""
    ignored = [Ignored(finding=each.told.finding, ignore=each.ignore) for each in linted.ignored]
    known = [*(told.finding for told in linted.known), *linted.known_remarks]
    return aside_blocks(ignored, known, lambda place: f"{place.file}:{place.line}")


def told_entry(told: Told, linted: Linted) -> Entry:
    """One finding at length."""
    origins = Origins(told.outcome.spec, told.outcome.values, fixed="set")
    evidence = tuple(_evidence(told, linted))
    return finding_entry(told.outcome, told.finding, origins, FromHere(told.outcome.spec), evidence)


def _not_judged(linted: Linted) -> Text:
    """How many rules want a value that no file says, and which ones the most do."""
    wanted = sorted(linted.wanting, key=lambda name: (-linted.wanting[name], name))
    parts: list[str | Span] = []
    for name in wanted[:_MOST_WANTED]:
        kind, _, word = name.partition(" ")
        parts += [", " if parts else "", code(word), f" of {kind} ({linted.wanting[name]})"]
    more = len(wanted) - _MOST_WANTED
    rest = f" and {more} more" if more > 0 else ""
    count = counted(linted.unjudged, "rule")
    verb = "wants" if linted.unjudged == 1 else "want"
    return text(
        f"{count} {verb} a value that no file says: ", *parts, f"{rest}; a spec can say it, see ", code("outlast init")
    )


def _verdict(linted: Linted) -> Text:
    files = counted(linted.found.read, "file")
    kinds = f"{counted(len(linted.found.instances), 'component')} recognised in {files}"
    counts = linted.all_that_counts()
    known = len(linted.known) + len(linted.known_remarks)
    aside = "".join(f"; {words}" for words in aside_words(len(linted.ignored), known))
    if not counts and not linted.rules:
        return text(warn("no findings, and nothing to judge"), f": {kinds}", aside)
    if not counts:
        return text(good("no findings"), f"; {kinds}, {counted(linted.rules, 'rule')} judged", aside)
    told = [
        counted(number, severity.value) for severity, number in Counter(finding.severity for finding in counts).items()
    ]
    return text(bad(joined(told)), f"; {kinds}, {counted(linted.rules, 'rule')} judged", aside)


def _evidence(told: Told, linted: Linted) -> Iterator[tuple[str, Text]]:
    """Why the components of a finding belong together."""
    components = told.outcome.rules[told.finding.subject].rule.rule.components
    for one in components:
        for other in components:
            if (one, other) in linted.evidence:
                yield f"{one} and {other}", text(linted.evidence[one, other])


def _connections(linted: Linted) -> Iterator[tuple[Text, ...]]:
    for link in linted.found.links:
        yield (whole(code(" -> ".join((link.source, *link.via, link.target)))),), text(link.because)
    for hosted in linted.found.hosted:
        yield text(whole(code(hosted.guest)), " in ", whole(code(hosted.host))), text(hosted.because)
