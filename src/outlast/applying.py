"""Applying a solution to users' files: solve, plan the changes, try them in memory, write them all or none, read and check again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from outlast.configs.bind import Files, bind
from outlast.configs.plan import Plan, plan_changes
from outlast.configs.recovery import recover, refuse_mixture
from outlast.configs.transaction import Replacement, write_all
from outlast.constraints.check import ABOUT_RULES, CheckOutcome, Finding
from outlast.constraints.differences import with_difference_notes
from outlast.constraints.errors import InputErrors, OutlastError, Place, printable
from outlast.constraints.files import Overlaid
from outlast.constraints.loading import load_spec
from outlast.constraints.loading.tree import Tree
from outlast.constraints.model import Note, Role, Severity, Spec
from outlast.constraints.normal import NormalRule, normalise
from outlast.constraints.quantities import Value
from outlast.constraints.record import record, replace
from outlast.solver.audit import audit
from outlast.solver.limits import Limits
from outlast.solver.outcome import SolveOutcome, Status

__all__ = ["Applied", "apply_spec"]


@record(kw_only=True)
class Applied:
    """What applying a spec came to."""

    solved: SolveOutcome
    #: None where there are no values to write.
    plan: Plan | None
    #: Free parameters without a place in a file whose value in use, if there is one, is another: to be changed by hand.
    unbound: tuple[tuple[str, Value], ...]
    was_written: bool
    #: Of the files as they are afterwards, where they were written.
    checked: CheckOutcome | None
    #: Files that got their old contents back first, since an earlier run had been interrupted.
    restored: tuple[str, ...]
    #: Of the spec and the files as they are afterwards.
    notes: tuple[Note, ...]


def apply_spec(
    path: Path,
    *,
    write: bool,
    objective: str,
    exact: bool,
    time_limit: float | None,
    effort: int | None,
    overrides: Sequence[str],
    root: Path | None,
) -> Applied:
    """Find values and the changes that bring them into the files; `write` makes the changes.

    Raises:
        InputErrors: the spec or a file cannot be used, a value cannot be written where it belongs, or the files could not be written;
            unless the message says otherwise nothing was.
    """
    from outlast.solver.solve import solve_spec

    tree = Tree.around(path, root)
    restored: tuple[str, ...] = ()
    if write:
        restored = recover(_folder(path), tree.folders)
    else:
        refuse_mixture(_folder(path), tree.folders)
    written = load_spec(path, overrides=overrides, root=root)
    spec, bound = bind(written, Files(tree))
    spec = with_difference_notes(spec)
    if not bound:
        message = "there is nothing to write: no parameter of the spec has a place in a file (at:)"
        raise InputErrors("nothing to apply", [OutlastError(message, Place(printable(str(path)), 1, 1))])
    rules = _normal(spec)
    outcome = solve_spec(spec, rules, objective=objective, exact=exact, limits=Limits.starting_now(time_limit, effort))
    if outcome.status not in (Status.OPTIMAL, Status.FEASIBLE):
        return Applied(
            solved=outcome, plan=None, unbound=(), was_written=False, checked=None, restored=restored, notes=spec.notes
        )
    values = {name: r.value for name, r in outcome.parameters.items() if r.value is not None}
    unbound = tuple(
        (name, values[name])
        for name, p in sorted(spec.parameters.items())
        if p.role is Role.FREE
        and not p.at
        and (p.current is None or p.effective(p.current) != p.effective(values[name]))
    )
    plan = plan_changes(spec, bound, values)
    _try(written, tree, plan, values)
    checked = None
    notes = spec.notes
    if write and plan.files:
        _write(path, tree, plan)
    if write:
        with _told_as_written(plan):
            again, _ = bind(load_spec(path, overrides=overrides, root=root), Files(tree))
            _hold_to_plan(again, plan, values)
        notes = again.notes
        again = _as_in_files(again)
        with suppress(InputErrors):  # no rule has values for all its parameters
            checked = audit(again, _normal(again), known_only=True)
    return Applied(
        solved=outcome,
        plan=plan,
        unbound=unbound,
        was_written=write and bool(plan.files),
        checked=checked,
        restored=restored,
        notes=notes,
    )


@contextmanager
def _told_as_written(plan: Plan) -> Iterator[None]:
    """Say of what is wrong after writing that it comes after writing."""
    try:
        yield
    except InputErrors as group:
        names = ", ".join(changed.file.shown for changed in plan.files)
        told = OutlastError(f"{names} had been written when this was found" if names else "nothing had to be written")
        found = [error for error in group.exceptions if isinstance(error, OutlastError)]
        raise InputErrors(group.message, [*found, told]) from None


def _normal(spec: Spec) -> Mapping[str, NormalRule]:
    rules, errors = normalise(spec)
    if errors:
        raise InputErrors(f"'{spec.path.name}' cannot be used", errors)
    return rules


def _folder(path: Path) -> str:
    return os.path.dirname(path) or os.curdir


def _try(written: Spec, tree: Tree, plan: Plan, values: Mapping[str, Value]) -> None:
    """Read the new bytes as if they were on disk, and check the spec with them; what stands in no file is taken to be changed by hand.

    Raises:
        InputErrors: a value would not read as it should, or a rule that must hold would not.
    """
    store = Overlaid(tree.store, {changed.file.path: changed.after for changed in plan.files})
    spec, _ = bind(written, Files(Tree(tree.folders, store)))
    _hold_to_plan(spec, plan, values)
    by_hand = {change.bound.parameter for change in plan.by_hand}
    spec = _as_in_files(spec)
    parameters = {
        name: replace(p, current=values[name]) if p.role is Role.FREE and (not p.at or name in by_hand) else p
        for name, p in spec.parameters.items()
    }
    spec = replace(spec, parameters=parameters)
    wrong = [f for f in audit(spec, _normal(spec), known_only=True).findings if _is_fault(f)]
    if wrong:
        raise InputErrors(
            "the values would not hold",
            [OutlastError(f"{f.subject}: {f.message}; nothing was written", f.place) for f in wrong],
        )


def _as_in_files(spec: Spec) -> Spec:
    """The spec with what stands in files in use, also where the command line said otherwise for the search."""
    parameters = dict(spec.parameters)
    for name, (value, place) in spec.in_files.items():
        parameter = parameters[name]
        if parameter.role is Role.FREE:
            parameters[name] = replace(parameter, current=value, places={**parameter.places, "current": place})
    return replace(spec, parameters=parameters)


def _is_fault(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and finding.kind in ABOUT_RULES


def _hold_to_plan(spec: Spec, plan: Plan, values: Mapping[str, Value]) -> None:
    """Every changed parameter reads as its new value, from every one of its places."""
    changed = {c.bound.parameter for f in plan.files for c in f.changes}
    errors = []
    for name in sorted(changed):
        parameter = spec.parameters[name]
        found = spec.in_files.get(name)
        if found is None or parameter.effective(found[0]) != parameter.effective(values[name]):
            place = None if found is None else found[1]
            errors.append(OutlastError(f"{name} would not read as it was written", place))
    errors += [
        OutlastError(f"{d.parameter} would not read the same everywhere", d.place)
        for d in spec.differences
        if d.parameter in changed and not d.is_absent and d.found != values[d.parameter]
    ]
    if errors:
        raise InputErrors(f"'{spec.path.name}' cannot be applied", errors)


def _write(path: Path, tree: Tree, plan: Plan) -> None:
    replacements = [Replacement(path=f.file.named, before=f.file.data, after=f.after) for f in plan.files]
    try:
        write_all(replacements, journal_folder=_folder(path), allowed=tree.folders)
    except OutlastError as error:
        raise InputErrors("the files could not be written", [error]) from None
