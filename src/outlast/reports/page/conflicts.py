"""Conflicts and ways out as a section of the page, in the words of `explain`; where nothing is broken, what is tightest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from outlast.constraints.model import Spec
from outlast.reporting import Reported
from outlast.reports.check import spec_line
from outlast.reports.commands import spec_command
from outlast.reports.document import Block, Document, Entry, Paragraph, Section, Span, Verdict, code, good, text, warn
from outlast.reports.explain import explain_document
from outlast.reports.html import document_markup
from outlast.reports.markup import Markup, element
from outlast.reports.solve import bottleneck_paragraph
from outlast.reports.wording import all_hold, counted
from outlast.solver.outcome import Status

__all__ = ["conflicts_section", "unmoved", "without_spec"]

#: Conflicts and ways out of each list that are not folded.
_MOST_SHOWN: Final = 2


def conflicts_section(reported: Reported) -> Markup:
    """The section `conflicts`; never empty, since a reader wants to know that there are none."""
    account = reported.account
    if account is None:
        title, blocks = "Conflicts", tuple(_nothing_broken(reported))
    else:
        title = "Conflicts and ways out"
        blocks = tuple(_folded(block) for block in without_spec(explain_document(account), reported.spec))
        if not account.is_complete:
            command = spec_command(f"outlast explain{' --current' if account.current else ''}", reported.spec)
            blocks += (Paragraph(text(code(command), " tells all conflicts and all ways out")),)
    return element("section", element("h2", title), unmoved(), document_markup(blocks), id="conflicts")


def unmoved() -> Markup:
    """That a section stays as it is when a slider moves."""
    return element("p", "Of the values in the spec: this does not move with the sliders.", class_="note")


def without_spec(document: Document, spec: Spec) -> Document:
    """The document without the line that says which spec it is about; the page says it once for all."""
    line = Paragraph(spec_line(spec))
    return tuple(block for block in document if block != line)


def _folded(block: Block) -> Block:
    """A list of conflicts or of ways out with all but its first ones folded."""
    if not isinstance(block, Section):
        return block
    entries = [each for each in block.blocks if isinstance(each, Entry)]
    rest = entries[_MOST_SHOWN:]
    if not rest:
        return block
    what = ("more conflict", "more conflicts") if "conflict" in block.title else ("more way out", "more ways out")
    kept = tuple(each for each in block.blocks if each not in rest)
    return block._replace(blocks=(*kept, Section(counted(len(rest), *what), tuple(rest), is_folded=True)))


def _nothing_broken(reported: Reported) -> Iterator[Block]:
    """One sentence, and the tightest rules of what is recommended."""
    solved = reported.solved
    judged = [c for c in reported.checked.rules.values() if c.verdict is not None and not c.rule.rule.is_bound]
    told: list[str | Span] = []
    if solved.status is Status.UNDECIDED:
        told += [warn("undecided"), f" whether there is a solution: {solved.undecided or 'a limit came first'}; "]
    elif solved.status is Status.CONFLICT:
        told += [warn("the rules conflict"), ", though no account of it was found; "]
    if judged:
        told.append(good(f"{all_hold(len(judged))} at the values in use"))
    else:
        told.append("no rule can be judged, since no value in use is known")
    yield Verdict(text(*told))
    if solved.bottlenecks:
        yield Paragraph(text("The tightest, at the recommended values:"))
        yield bottleneck_paragraph(solved.bottlenecks[0])
