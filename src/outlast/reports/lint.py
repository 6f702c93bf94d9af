"""What `lint` found in files, as a document: each finding with the facts that it relies on, then what was recognised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from outlast.linting import Linted, Told
from outlast.reports.check import finding_entry
from outlast.reports.document import (
    Block,
    Document,
    Paragraph,
    Section,
    Table,
    Text,
    Verdict,
    bad,
    code,
    faint,
    good,
    text,
    whole,
)
from outlast.reports.origins import Origins
from outlast.reports.wording import Places, counted, joined

__all__ = ["lint_document"]


def lint_document(linted: Linted) -> Document:
    """The whole report; files that could not be read are told elsewhere."""
    blocks: list[Block] = [Verdict(_verdict(linted))]
    for told in linted.findings:
        origins = Origins(told.outcome.spec, told.outcome.values, fixed="set")
        evidence = tuple(_evidence(told, linted))
        blocks.append(finding_entry(told.outcome, told.finding, origins, Places(told.outcome.spec), evidence))
    if linted.found.instances:
        rows = tuple(
            (
                (whole(code(each.name)),),
                (whole(code(each.kind)),),
                text(whole(f"{each.place.file}:{each.place.line}")),
                text(whole(str(len(each.values)))),
            )
            for each in linted.found.instances
        )
        blocks.append(Section("recognised", (Table(("component", "kind", "place", "set there"), rows),)))
    if linted.found.links or linted.found.hosted:
        connections = tuple(_connections(linted))
        blocks.append(Section("what belongs together", (Table(("components", "because"), connections),)))
    if not linted.found.instances:
        blocks.append(Paragraph(text(faint("kinds that are known: "), code("outlast rules"))))
    return tuple(blocks)


def _verdict(linted: Linted) -> Text:
    files = counted(linted.found.read, "file")
    kinds = f"{counted(len(linted.found.instances), 'component')} recognised in {files}"
    if not linted.findings:
        return text(good("no findings"), f"; {kinds}")
    told = [
        counted(number, severity.value)
        for severity, number in Counter(told.finding.severity for told in linted.findings).items()
    ]
    return text(bad(joined(told)), f"; {kinds}")


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
