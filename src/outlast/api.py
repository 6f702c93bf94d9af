"""What the commands do, for programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from outlast.constraints.check import CheckOutcome
from outlast.constraints.errors import InputErrors, OutlastError, Place, printable
from outlast.constraints.files import open_regular, remembering
from outlast.constraints.model import Note, Spec
from outlast.constraints.record import record

if TYPE_CHECKING:
    from outlast.applying import Applied
    from outlast.configs.listing import Listing
    from outlast.constraints.catalogue.lookup import Contents, Page
    from outlast.constraints.measurements import Description
    from outlast.constraints.normal import NormalRule
    from outlast.initializing import Initialized
    from outlast.linting import Linted
    from outlast.reporting import Pictured, Reported
    from outlast.reviewing.outcome import Reviewed
    from outlast.solver.account import Account
    from outlast.solver.mutants import MutateOutcome
    from outlast.solver.outcome import SolveOutcome
    from outlast.solver.why import WhatIf, Why

__all__ = [
    "Generated",
    "Measured",
    "apply",
    "check",
    "explain",
    "generate",
    "init",
    "lint",
    "measure",
    "mutate",
    "page",
    "report",
    "review",
    "rules",
    "settings",
    "solve",
    "timeline",
    "what_if",
    "why",
    "write_baseline",
]


def check(
    path: Path,
    *,
    overrides: Sequence[str] = (),
    root: Path | None = None,
    known_only: bool = False,
    today: date | None = None,
    baseline: Path | None = None,
) -> CheckOutcome:
    """Audit the values in use; what is ignored stands apart, and so does what a baseline has.

    `today` tells what has expired; None: the clock does.

    Raises:
        InputErrors: the spec or the baseline cannot be used, or a parameter has no current value and `known_only` is not set.
    """
    from outlast.solver.audit import audit

    spec, rules = _load(path, overrides, root, are_findings=True)
    with _unusable(path):
        outcome = audit(spec, rules, known_only=known_only)
    if spec.ignores or spec.marked:
        from outlast.configs.ignoring import without_ignored  # most specs have nothing of the sort

        outcome = without_ignored(outcome, today or date.today())
    if baseline is not None:
        from outlast.constraints.baseline import read_baseline, without_known

        outcome = without_known(outcome, read_baseline(str(baseline)))
    return outcome


def solve(
    path: Path,
    *,
    objective: str = "margin",
    exact: bool = False,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> SolveOutcome:
    """Find values. `objective` is `margin`, `closest` or `feasible`; `exact` leaves values unrounded; `time_limit` is in seconds.

    Raises:
        InputErrors: the spec cannot be used.
    """
    spec, rules = _load(path, overrides, root)
    from outlast.solver.limits import Limits
    from outlast.solver.solve import solve_spec

    limits = Limits.starting_now(time_limit, effort)
    with _unusable(path):
        return solve_spec(spec, rules, objective=objective, exact=exact, limits=limits)


def apply(
    path: Path,
    *,
    write: bool = False,
    objective: str = "margin",
    exact: bool = False,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> Applied:
    """Find values and the changes of files that bring them in; `write` makes the changes, all or none. The rest is as for `solve`.

    Raises:
        InputErrors: the spec or a file cannot be used or written; unless the message says otherwise nothing was written.
    """
    from outlast.applying import apply_spec

    with _unusable(path):
        return apply_spec(
            path,
            write=write,
            objective=objective,
            exact=exact,
            time_limit=time_limit,
            effort=effort,
            overrides=overrides,
            root=root,
        )


@remembering()
def generate(
    path: Path,
    output: str,
    *,
    to: Path | None = None,
    force: bool = False,
    package: str | None = None,
    components: Sequence[str] = (),
    objective: str = "margin",
    exact: bool = False,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> Generated:
    """Find values and write them as a new file: constants of a language (`go`, `env`, …) or what the software reads (`nginx`, …).

    `to` None: only its text. `package` is Go's or Java's; the class of Java is called as the file. `components` restricts what the software
    reads to some; without it all that the file can express are in it. The rest is as for `solve`.

    Raises:
        InputErrors: the spec cannot be used, the language has no such names, or the file cannot be written or must not be.
    """
    from outlast.configs.generate import OUTPUTS, frame_for

    is_language = output in OUTPUTS
    try:
        if is_language and components:
            raise OutlastError(f"expected no --component, which is for what software itself reads, with --as {output}")
        frame = frame_for(
            output, package=package if is_language else None, stem=None if to is None or not is_language else to.stem
        )
    except OutlastError as error:
        raise InputErrors(f"cannot write {output}", [error]) from None
    outcome = solve(
        path, objective=objective, exact=exact, time_limit=time_limit, effort=effort, overrides=overrides, root=root
    )
    if outcome.status.value not in ("optimal", "feasible"):
        return Generated(solved=outcome, output=output, text=None, file=None, is_new=False)
    from outlast.configs.new_files import refuse_input, write_generated
    from outlast.generating import configured, generated

    if to is not None:
        refuse_input(to, outcome.spec)
    written: tuple[str, ...] = ()
    if is_language:
        text, notes = generated(outcome, output, frame)
    else:
        made = configured(outcome, output, components=components, package=package)
        text, notes, written = made.text, made.notes, made.components
    is_new = to is not None and write_generated(to, text, force=force)
    file = None if to is None else str(to)
    return Generated(
        solved=outcome, output=output, text=text, file=file, is_new=is_new, notes=notes, components=written
    )


def lint(paths: Sequence[Path], *, today: date | None = None, baseline: Path | None = None) -> Linted:
    """What is wrong between the timeouts in files and folders, as far as these alone show it.

    What comments ignore, and what a baseline has, stands apart. `today` tells what has expired; None: the clock does.

    Raises:
        InputErrors: a path does not exist, or the baseline cannot be used.
    """
    from outlast.linting import lint_files, without_known

    linted = lint_files(paths, today=today)
    if baseline is None:
        return linted
    from outlast.constraints.baseline import read_baseline

    return without_known(linted, read_baseline(str(baseline)))


def write_baseline(path: Path, found: CheckOutcome | Linted) -> int:
    """Write all that counts, and what an earlier baseline has of it, as a new baseline, whole or not at all; how many findings that is.

    Raises:
        InputErrors: the file cannot be written, or is there and is no baseline.
    """
    from outlast.configs.new_files import refuse_own, write_generated
    from outlast.constraints.baseline import baseline_text, entry_of, read_baseline

    folder = os.path.dirname(os.path.abspath(path))
    refuse_own(path, found.spec if isinstance(found, CheckOutcome) else None)
    if isinstance(found, CheckOutcome):
        entries = [entry_of(each, found, folder) for each in (*found.findings, *found.known)]
    else:
        entries = [entry_of(each.finding, each.outcome, folder) for each in (*found.findings, *found.known)]
        entries += [entry_of(each, None, folder) for each in (*found.remarks, *found.known_remarks)]
    if path.exists() and not (path.is_file() and path.stat().st_size == 0):
        try:
            read_baseline(str(path))
        except InputErrors:
            message = f"expected a baseline to overwrite, or no file, found {printable(str(path))} to be something else"
            raise InputErrors("the baseline cannot be written", [OutlastError(message)]) from None
    write_generated(path, baseline_text(entries), force=True)
    return len(entries)


def review(
    specs: Sequence[Path] = (),
    *,
    base: str | None = None,
    head: str | None = None,
    with_files: bool = False,
    stale: int | None = None,
    today: date | None = None,
    time_limit: float | None = 60,
    effort: int | None = None,
    root: Path | None = None,
) -> Reviewed:
    """What the change since a revision, `base`, breaks, mends and no longer guards; `head` None: the files as they are.

    Without specs, those called `outlast.yaml` below the current folder; where there are none, or `with_files` says so, files without a spec.
    `stale`: also what was last looked at more than so many days ago; `today` None: as the clock says.

    Raises:
        InputErrors: a spec cannot be used as it is after the change.
        OutlastError: a revision cannot be read.
    """
    from outlast.reviewing.review import Asked
    from outlast.reviewing.review import review as review_them
    from outlast.solver.limits import Limits

    asked = Asked(
        specs=tuple(specs),
        base=base,
        head=head,
        with_files=with_files,
        stale=stale,
        today=today or date.today(),
        root=root,
    )
    return review_them(asked, Limits.starting_now(time_limit, effort))


def settings(paths: Sequence[Path], *, all_: bool = False) -> Listing:
    """The settings in files and folders that are likely to be durations, or every one; files that cannot be read are among its problems.

    Raises:
        InputErrors: a path does not exist.
    """
    from outlast.configs.listing import list_settings

    return list_settings(paths, all_=all_)


def init(paths: Sequence[Path], *, to: Path | None = None, force: bool = False) -> Initialized:
    """A first spec of what files and folders configure; `to` None: only its text.

    Raises:
        InputErrors: a path does not exist, nothing is recognised, or the file cannot be written or must not be.
    """
    from outlast.initializing import initialize

    return initialize(paths, to=to, force=force)


def rules(*, kind: str | None = None, search: str | None = None) -> Contents:
    """What the catalogue holds: everything, what may concern a kind, what has all words of a search in it.

    Raises:
        OutlastError: there is no such kind.
    """
    from outlast.constraints.catalogue.lookup import contents

    return contents(kind, search)


def page(name: str) -> Page:
    """Everything that the catalogue says about a relation or a kind.

    Raises:
        OutlastError: there is none of that name.
    """
    from outlast.constraints.catalogue.lookup import page as look_up

    return look_up(name)


def explain(
    path: Path,
    *,
    current: bool = False,
    limit: int | None = None,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> Account:
    """All conflicts and all ways out; `current` holds free parameters at their values in use, `limit` ends the search after so many conflicts of a group.

    Raises:
        InputErrors: the spec cannot be used.
    """
    spec, rules = _load(path, overrides, root)
    from outlast.solver.explain import explain_spec
    from outlast.solver.limits import Limits

    limits = Limits.starting_now(time_limit, effort)
    with _unusable(path):
        return explain_spec(spec, rules, current=current, limit=limit, limits=limits)


def why(
    path: Path,
    name: str,
    *,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> Why:
    """Why a parameter, a measurement or a rule is as it is: what decided a value, what holds its ends, how far it may move.

    Raises:
        InputErrors: the spec cannot be used, or nothing in it is called so.
    """
    spec, rules = _load(path, overrides, root)
    from outlast.solver import why as asking
    from outlast.solver.limits import Limits

    limits = Limits.starting_now(time_limit, effort)
    with _unusable(path):
        return asking.why(spec, rules, name, limits)


def what_if(
    path: Path,
    name: str,
    value: str,
    *,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> WhatIf:
    """What would break, and what would have to move, for a parameter to have a value, such as `9s`.

    Raises:
        InputErrors: the spec cannot be used, nothing in it is called so, or it cannot have such a value.
    """
    spec, rules = _load(path, overrides, root)
    from outlast.solver import why as asking
    from outlast.solver.limits import Limits

    limits = Limits.starting_now(time_limit, effort)
    with _unusable(path):
        return asking.what_if(spec, rules, name, value, limits)


def mutate(
    path: Path,
    *,
    facts: bool = False,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> MutateOutcome:
    """Change each number that somebody decided, and tell which rules notice; `facts` changes those, too.

    The values are those in use where they keep every rule, else those that `solve` recommends.

    Raises:
        InputErrors: the spec cannot be used, or decides no number.
    """
    spec, rules = _load(path, overrides, root)
    from outlast.solver.limits import Limits
    from outlast.solver.mutants import mutate_spec

    limits = Limits.starting_now(time_limit, effort)
    with _unusable(path):
        return mutate_spec(spec, rules, facts=facts, limits=limits)


def timeline(
    path: Path,
    rule: str | None = None,
    *,
    current: bool = False,
    recommended: bool = False,
    exact: bool = False,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> Pictured:
    """Draw what happens when: all rules, or what `rule` names, a rule, a chain, a relation or a picture.

    `current` draws the values in use, `recommended` those that `solve` finds; neither: both, where both are known and differ.

    Raises:
        InputErrors: the spec cannot be used, nothing in it is called so or can be drawn, or values in use were asked for and are missing.
    """
    spec, rules = _load(path, overrides, root)
    from outlast.reporting import IN_USE, RECOMMENDED, picture_spec
    from outlast.solver.limits import Limits

    panels = [name for name, asked in ((IN_USE, current), (RECOMMENDED, recommended)) if asked]
    limits = Limits.starting_now(time_limit, effort)
    with _unusable(path):
        return picture_spec(spec, rules, rule=rule, panels=panels, exact=exact, limits=limits)


def report(
    path: Path,
    *,
    today: date | None = None,
    time_limit: float | None = 60,
    effort: int | None = None,
    overrides: Sequence[str] = (),
    root: Path | None = None,
) -> Reported:
    """Everything that a page about a spec tells; `today` tells how old decisions are, None: the clock does.

    Raises:
        InputErrors: the spec cannot be used.
    """
    spec, rules = _load(path, overrides, root, are_findings=True)
    from outlast.reporting import report_spec
    from outlast.solver.limits import Limits

    limits = Limits.starting_now(time_limit, effort)
    with _unusable(path):
        return report_spec(spec, rules, today=today or date.today(), limits=limits)


@contextmanager
def _unusable(path: Path) -> Iterator[None]:
    """What cannot be computed is told like everything else that is wrong with a spec."""
    try:
        yield
    except OutlastError as error:
        raise InputErrors(f"'{path.name}' cannot be used", [error]) from None


def _load(
    path: Path, overrides: Sequence[str], root: Path | None, *, are_findings: bool = False
) -> tuple[Spec, Mapping[str, NormalRule]]:
    """The spec with the values that stand in files, and its rules in normal form; where files differ is noted, unless these `are_findings`."""
    from outlast.constraints.loading import load_spec  # not needed to list settings or to describe samples
    from outlast.constraints.normal import normalise

    spec = load_spec(path, overrides=overrides, root=root)
    if any(parameter.at for parameter in spec.parameters.values()):
        from outlast.configs.bind import Files, bind
        from outlast.configs.recovery import refuse_mixture
        from outlast.constraints.differences import with_difference_notes
        from outlast.constraints.loading.tree import Tree

        tree = Tree.around(path, root)
        refuse_mixture(os.path.dirname(path) or os.curdir, tree.folders)
        spec, _ = bind(spec, Files(tree))
        if not are_findings:
            spec = with_difference_notes(spec)
    rules, errors = normalise(spec)
    if errors:
        raise InputErrors(f"'{path.name}' cannot be used", errors)
    return spec, rules


@record(kw_only=True)
class Generated:
    """A new file for a solution."""

    solved: SolveOutcome
    #: Its language, or the software that reads it.
    output: str
    #: None where there is no solution.
    text: str | None
    #: Where it was written; None: nowhere.
    file: str | None
    #: Whether it was not there already, just so.
    is_new: bool
    #: What was left out without a word in the file.
    notes: tuple[Note, ...] = ()
    #: The components whose configuration it is; empty: it is in a language.
    components: tuple[str, ...] = ()


@record(kw_only=True)
class Measured:
    """One measured file in figures."""

    file: str
    #: A key of `FORMATS`.
    format: str
    description: Description


def measure(
    paths: Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002  # as everywhere else
    unit: str | None = None,
    column: str | None = None,
    metric: str | None = None,
    labels: Mapping[str, str] | None = None,
    tag: str | None = None,
    lost: int = 0,
    confidence: Fraction = Fraction(95, 100),
) -> tuple[Measured, ...]:
    """Describe measured files, all read with the same options; without `format` it is told from each file.

    Raises:
        InputErrors: a file cannot be read or an option does not fit; of the latter the place is None.
    """
    from outlast.constraints.measurements import (
        FORMATS,
        OptionError,
        SampleOptions,
        describe,
        detect_format,
        read_sample,
    )

    found: list[Measured] = []
    errors: list[OutlastError] = []
    for path in paths:
        shown = printable(str(path))
        try:
            data = open_regular(path)
            kind = format or detect_format(path.name, data)
            if kind is None:
                known = ", ".join(FORMATS)
                raise OutlastError(f"expected a file in a known format; say with --as which it is: {known}")
            options = SampleOptions(
                format=kind, unit=unit, column=column, metric=metric, labels=labels, tag=tag, lost=lost
            )
            sample = read_sample(data, shown, options)
        except OptionError as error:
            if error.message not in (e.message for e in errors):
                errors.append(error)
        except OutlastError as error:
            errors.append(error if error.place is not None else OutlastError(error.message, Place(shown, 1, 1)))
        except InputErrors as group:
            errors += (e for e in group.exceptions if isinstance(e, OutlastError))
        else:
            found.append(Measured(file=shown, format=kind, description=describe(sample, confidence)))
    if errors:
        raise InputErrors("cannot use what was measured", errors)
    return tuple(found)
