"""Keeps docs/cases.md true: runs the audit of every public case under tests/cases/ and writes what it finds as a table.

`python docs/update_cases.py` rewrites the page; `--check` only tells whether it would change (exit code 1).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from outlast import api
from outlast.constraints.check import Checked, CheckOutcome
from outlast.constraints.evaluate import Truth
from outlast.constraints.record import record
from outlast.reports.wording import extended_text

__all__ = ["CASES", "PAGE", "Case", "State", "audited", "broken", "cases", "page"]

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests/cases"
PAGE = ROOT / "docs/cases.md"

_HEAD = """\
# Public cases

Timeouts that did not outlast each other, from public reports and pull requests. Each is a spec under [tests/cases/](../tests/cases), written as a user
of that software would write it, with the values as they were; `outlast check` is run on it with the values before and after. A test holds this page to
what the audit finds.
"""


@record(kw_only=True)
class State:
    """What a case comes to with one set of values."""

    #: The spec, by the name of its file.
    spec: str
    #: `NAME=VALUE`, as for `--set`.
    overrides: tuple[str, ...]
    #: Whether none of the rules that name the cause is broken.
    holds: bool
    #: Every finding there is, by its rule, in order.
    broken: tuple[str, ...]
    #: Whether the values are ours, because the report has none.
    is_ours: bool = False


@record(kw_only=True)
class Case:
    """A public case and what is expected of it."""

    id: str
    url: str
    cause: str
    #: Why no audit of values can find it; the rest is then empty.
    not_checkable: str | None = None
    #: `catalogue` or `own rule`, and why it takes one.
    by: str | None = None
    because: str | None = None
    #: The rules that name the cause.
    found_by: tuple[str, ...] = ()
    #: Numbers that the report leaves open.
    assumed: str | None = None
    before: State | None = None
    after: State | None = None

    @property
    def is_by_catalogue(self) -> bool:
        """Whether relations of the catalogue find it, without a rule written for it."""
        return self.by == "catalogue"

    @property
    def has_formula(self) -> bool:
        """Whether the spec computes one of its quantities, such as a sum of limits that run one after another."""
        return self.before is not None and "derived:" in (CASES / self.before.spec).read_text(encoding="utf-8")


def cases() -> list[Case]:
    """Every case, in the order of tests/cases/expected.yaml."""
    document = yaml.load((CASES / "expected.yaml").read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    return [_case(id_, entry) for id_, entry in document.items()]


def _case(id_: str, entry: Mapping[str, Any]) -> Case:
    return Case(
        id=id_,
        url=entry["url"],
        cause=entry["cause"],
        not_checkable=entry.get("not checkable"),
        by=entry.get("by"),
        because=entry.get("because"),
        found_by=tuple(entry.get("found_by", ())),
        assumed=entry.get("assumed"),
        before=_state(id_, entry.get("before")),
        after=_state(id_, entry.get("after")),
    )


def _state(id_: str, entry: Mapping[str, Any] | None) -> State | None:
    if entry is None:
        return None
    return State(
        spec=entry.get("spec", f"{id_}.yaml"),
        overrides=tuple(f"{name}={value}" for name, value in entry.get("set", {}).items()),
        holds=entry["holds"] == "yes",
        broken=tuple(entry["broken"]),
        is_ours=entry.get("ours") == "yes",
    )


@cache
def audited(state: State) -> CheckOutcome:
    """The audit of a case with one set of values."""
    return api.check(CASES / state.spec, overrides=state.overrides)


def broken(outcome: CheckOutcome) -> tuple[str, ...]:
    """What the findings are about, in order."""
    return tuple(sorted(finding.subject for finding in outcome.findings))


def page() -> str:
    """docs/cases.md."""
    every = cases()
    by_catalogue = [case for case in every if case.is_by_catalogue]
    own = [case for case in every if case.by == "own rule"]
    open_ = [case for case in every if case.not_checkable is not None]
    failing = [case for case in by_catalogue if case.before is not None and not case.before.holds]
    lines = [
        _HEAD,
        f"- {len(every)} cases. {len(by_catalogue)} are judged by relations of the catalogue alone, {len(own)} take a rule of the spec's own, "
        f"{len(open_)} cannot be checked.",
        f"- Of the {len(by_catalogue)}, {len(failing)} are reported with the values before. In the other {len(by_catalogue) - len(failing)} the relation held, "
        "as the reports themselves say: the cause was a margin, the sheer size, or elsewhere. There a relation is judged and holds.",
        f"- In {sum(case.has_formula for case in by_catalogue)} of them the spec computes a quantity, such as the sum of limits that run one after another; what must "
        "outlast it is still the catalogue's relation.",
        f"- In {sum(case.assumed is not None for case in every)} cases the report leaves a number open that the audit needs. The last column says what was assumed.",
        f"- In {sum(case.after is not None and not case.after.holds for case in every)} cases the fix that was made still breaks a rule. In "
        f"{sum(case.after is not None and case.after.is_ours for case in every)} there are no values after, and ours stand in their place.",
        "",
        "✗ is a broken rule, ✓ one that holds. What else the audit finds, such as advice, stands in [expected.yaml](../tests/cases/expected.yaml).",
        "",
        "| case | what went wrong | found by | before | after | remarks |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(_row(case) for case in every)]) + "\n"


def _row(case: Case) -> str:
    if case.not_checkable is not None:
        rules = "–"
    else:
        rules = "<br>".join(dict.fromkeys(f"`{id_.partition('@')[0]}`" for id_ in case.found_by))
    remarks = [f"not checkable: {case.not_checkable}"] if case.not_checkable else []
    remarks += [f"own rule: {case.because}"] if case.because else []
    remarks += ["the values after are ours"] if case.after is not None and case.after.is_ours else []
    remarks += [f"assumed: {case.assumed}"] if case.assumed else []
    cells = [f"[{case.id}]({case.url})", case.cause, rules, _cell(case, case.before), _cell(case, case.after)]
    return "| " + " | ".join([*cells, "; ".join(remarks)]) + " |"


def _cell(case: Case, state: State | None) -> str:
    if state is None:
        return "–"
    outcome = audited(state)
    told = [_told(outcome.rules[id_], id_ in broken(outcome)) for id_ in case.found_by if id_ in outcome.rules]
    return "<br>".join(dict.fromkeys(each for each in told if each)) or "no longer asked"


def _told(checked: Checked, is_broken: bool) -> str:
    verdict = checked.verdict
    if verdict is None or verdict.truth is Truth.NOT_APPLICABLE:
        return ""
    mark = "✗" if is_broken else "✓"
    if verdict.missing is not None:
        return f"{mark} `{verdict.missing}` is off"
    judged = verdict.decisive
    if judged is None:
        return mark
    exponent = judged.comparison.time_exponent
    left, right = extended_text(judged.left, exponent), extended_text(judged.right, exponent)
    short = ", but not its margin" if verdict.truth is Truth.HOLDS and is_broken else ""
    return f"{mark} `{left} {judged.comparison.sign} {right}`{short}"


def main(arguments: Sequence[str]) -> int:
    """Rewrite or check; the exit code."""
    wanted = page()
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    print(PAGE.relative_to(ROOT))
    if "--check" in arguments:
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
