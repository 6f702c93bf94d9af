"""Which rules notice other values, one result a direction of each parameter."""

from __future__ import annotations

from typing import Final

from outlast.constraints.check import shown_file
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.model import Severity
from outlast.reports.addresses import in_file
from outlast.reports.document import Document, Fields, Paragraph, plain_text, text
from outlast.reports.gathering import fingerprint, gathered
from outlast.reports.mutate import failing_text, survivor_rows
from outlast.reports.results import Described, Result, Results, SetAside, Standing
from outlast.reports.solve_results import solve_results
from outlast.reports.wording import joined
from outlast.solver.mutants import Fate, Mutated, MutateOutcome, State, Watch

__all__ = ["mutate_results"]

_UNGUARDED: Final = "unguarded-direction"
_IN_VAIN: Final = "accepted-in-vain"


def mutate_results(outcome: MutateOutcome) -> Results:
    """Every direction of every parameter; of rules that cannot hold together their conflicts."""
    where = printable(str(outcome.spec.path))
    if outcome.status == "conflict" and outcome.solved is not None:
        found = solve_results(outcome.solved)
        return gathered("mutate", where, found.results, found.rules, found.notices)
    results = [_result(mutated, watch) for mutated in outcome.parameters for watch in mutated.watches]
    notices = [] if outcome.undecided is None else [OutlastError(f"undecided: {outcome.undecided}", Place(where, 1, 1))]
    return gathered("mutate", where, results, _described(), notices)


def _result(mutated: Mutated, watch: Watch) -> Result:
    parameter, direction = mutated.parameter, watch.direction.value
    is_in_vain = watch.state is State.IN_VAIN
    rule = _IN_VAIN if is_in_vain else _UNGUARDED
    rows = survivor_rows(watch, parameter)
    place = in_file(mutated.place)
    accepted = None
    if watch.state is State.ACCEPTED:
        at = parameter.places.get("unguarded")
        accepted = SetAside(kind="inSource", why=printable(parameter.origin.why or ""), place=at)
    details: Document = (Fields(tuple(rows)),) if rows else ()
    message = _guarded(mutated, watch) if watch.state is State.GUARDED else plain_text(failing_text(mutated, watch))
    return Result(
        # What is accepted fails, and is set aside.
        standing=Standing.PASS if watch.state is State.GUARDED else Standing.FAIL,
        rule=rule,
        subject=f"{parameter.name} {direction}",
        severity=Severity.WARNING if is_in_vain else Severity.ERROR,
        place=place,
        message=printable(message),
        details=details,
        fingerprint=fingerprint((rule, parameter.name, direction, "" if place is None else shown_file(place.file))),
        set_aside=accepted,
    )


def _guarded(mutated: Mutated, watch: Watch) -> str:
    aimed = [m for m in mutated.mutants if m.direction is watch.direction]
    rules = sorted({rule for mutant in aimed if mutant.fate is Fate.NOTICED for rule in mutant.noticed_by})
    told = f"guarded by {joined(rules)}" if rules else "needs no guard"
    return f"{mutated.parameter.name}, {watch.direction.value}: {told}"


def _described() -> tuple[Described, ...]:
    def of(id_: str, summary: str, severity: Severity, rest: str) -> Described:
        return Described(id=id_, summary=summary, severity=severity, help=(Paragraph(text(summary, " ", rest)),))

    return (
        of(
            _UNGUARDED,
            "A number may slip in a direction in which no rule notices.",
            Severity.ERROR,
            "Write a rule that limits it there, or accept it with unguarded: and a reason.",
        ),
        of(
            _IN_VAIN,
            "A number is said to need no guard in a direction that the rules guard, or in which it cannot go.",
            Severity.WARNING,
            "Take the direction out of unguarded:, so that nobody relies on it.",
        ),
    )
