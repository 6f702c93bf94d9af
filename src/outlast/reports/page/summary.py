"""What a page says first: how the rules stand at the values in use and at those recommended, and how much of everything there is."""

from __future__ import annotations

from outlast.constraints.model import Role
from outlast.reporting import Reported
from outlast.reports.check import check_verdict
from outlast.reports.html import text_markup
from outlast.reports.markup import Markup, element
from outlast.reports.page.opening import Opening
from outlast.reports.solve import solve_verdict
from outlast.reports.wording import counted

__all__ = ["summary_section"]


def summary_section(reported: Reported, opening: Opening) -> Markup:
    """The section `summary`."""
    told = [("in use", check_verdict(reported.checked)), ("recommended", solve_verdict(reported.solved))]
    verdicts = [element("dt", whose) + element("dd", text_markup(verdict)) for whose, verdict in told]
    return element(
        "section",
        element("h2", "Summary"),
        element("dl", *map(Markup, verdicts), class_="verdicts"),
        element("p", _sizes(reported), class_="note"),
        element("p", _opens_with(opening), class_="note"),
        id="summary",
    )


def _sizes(reported: Reported) -> str:
    spec = reported.spec
    roles = [(role, sum(1 for p in spec.parameters.values() if p.role is role)) for role in Role]
    parameters = ", ".join(f"{number} {role.value}" for role, number in roles if number)
    told = [f"{counted(len(spec.parameters), 'parameter')} ({parameters})"] if parameters else []
    told.append(counted(sum(1 for rule in spec.rules.values() if not rule.is_bound), "rule"))
    if spec.measurements:
        told.append(counted(len(spec.measurements), "measurement"))
    return ", ".join(told)


def _opens_with(opening: Opening) -> str:
    if opening.whose == "in use":
        return (
            "The page opens with the values in use; sliders and the buttons above change what it shows, not the spec."
        )
    if opening.whose == "recommended":
        return "Some values in use are not known, so the page opens with those recommended; sliders change what it shows, not the spec."
    return "Some values are not known and none can be recommended; the page shows what is known. Sliders change what it shows, not the spec."
