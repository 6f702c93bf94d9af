"""What `lint` found in files, as a document: each finding with the facts that it relies on, then what was recognised."""

from __future__ import annotations

from collections.abc import Iterator

from outlast.constraints.check import Finding
from outlast.linting import Linted
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
    outcome = linted.outcome
    if outcome is not None:
        origins = Origins(outcome.spec, outcome.values, fixed="set")
        places = Places(outcome.spec)
        blocks += [
            finding_entry(outcome, finding, origins, places, tuple(_evidence(finding, linted)))
            for finding in linted.findings
        ]
    if linted.found.instances:
        rows = tuple(
            (
                (whole(code(each.name)),),
                (whole(code(each.kind)),),
                text(whole(f"{each.place.file}:{each.place.line}")),
                text(counted(len(each.values), "value")),
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
        counted(sum(1 for f in linted.findings if f.severity is each), each.value)
        for each in dict.fromkeys(f.severity for f in linted.findings)
    ]
    return text(bad(joined(told)), f"; {kinds}")


def _evidence(finding: Finding, linted: Linted) -> Iterator[tuple[str, Text]]:
    """Why the components of a finding belong together."""
    rule = linted.outcome.rules[finding.subject].rule.rule if linted.outcome is not None else None
    for one in rule.components if rule is not None else ():
        for other in rule.components if rule is not None else ():
            if (one, other) in linted.evidence:
                yield f"{one} and {other}", text(linted.evidence[one, other])


def _connections(linted: Linted) -> Iterator[tuple[Text, ...]]:
    for link in linted.found.links:
        yield (whole(code(" -> ".join((link.source, *link.via, link.target)))),), text(link.because)
    for hosted in linted.found.hosted:
        yield text(whole(code(hosted.guest)), " in ", whole(code(hosted.host))), text(hosted.because)
