"""What no rule notices, and which rules are not judged, as a section of the page."""

from __future__ import annotations

from typing import Final

from outlast.reporting import Reported
from outlast.reports.check import catalogue_blocks
from outlast.reports.commands import spec_command
from outlast.reports.document import Document, Paragraph, Section, code, text
from outlast.reports.html import document_markup
from outlast.reports.markup import Markup, element
from outlast.reports.mutate import mutate_document
from outlast.reports.page.conflicts import unmoved, without_spec
from outlast.reports.wording import Places
from outlast.solver.mutants import MutateOutcome

__all__ = ["unguarded_section"]

#: Numbers of which the page tells one by one who notices what, and directions of which it tells at length.
_MOST_TOLD: Final = 100


def unguarded_section(reported: Reported) -> Markup:
    """The section `unguarded`; never empty, since a reader wants to know that nothing is."""
    if reported.mutated is None:
        blocks: Document = (Paragraph(text(reported.untold or "nothing was changed")),)
    else:
        blocks = _slips(reported.mutated)
    blocks = (*blocks, *catalogue_blocks(reported.spec, Places(reported.spec)))
    return element("section", element("h2", "Unguarded"), unmoved(), document_markup(blocks), id="unguarded")


def _slips(mutated: MutateOutcome) -> Document:
    """What `mutate` says; its last section, about every parameter, is for who looks closer, and left out where that is very long."""
    if len(mutated.parameters) > _MOST_TOLD:
        told = without_spec(mutate_document(mutated, most=_MOST_TOLD), mutated.spec)
        hint = code(spec_command("outlast mutate", mutated.spec))
        return (*told, Paragraph(text(hint, f" tells of each of {len(mutated.parameters)} numbers who notices what")))
    *first, last = without_spec(mutate_document(mutated), mutated.spec)
    return (*first, last._replace(is_folded=True) if mutated.parameters and isinstance(last, Section) else last)
