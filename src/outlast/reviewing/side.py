"""One side of a review: a spec as it stands in one revision, with the values that stand in the files there, judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from outlast.configs.bind import Bound, Files, bind
from outlast.configs.ignoring import without_ignored
from outlast.constraints.check import CheckOutcome, FindingKind
from outlast.constraints.errors import InputErrors
from outlast.constraints.files import Overlaid, Store
from outlast.constraints.loading import load_spec
from outlast.constraints.loading.tree import Tree
from outlast.constraints.model import Spec
from outlast.constraints.normal import NormalRule, normalise
from outlast.constraints.record import record
from outlast.solver.audit import audit

__all__ = ["Side", "again", "breaks_nothing", "read_side", "wrong"]


@record(kw_only=True, eq=False)
class Side:
    """A spec in one revision."""

    path: Path
    store: Store
    root: Path | None
    today: date
    files: Files
    spec: Spec
    rules: Mapping[str, NormalRule]
    bound: tuple[Bound, ...]
    outcome: CheckOutcome


def read_side(path: Path, store: Store, *, today: date, root: Path | None = None, with_remedies: bool = True) -> Side:
    """Read and judge a spec; rules without values in use are left out. `with_remedies` as in `audit`.

    Raises:
        InputErrors: it cannot be used.
    """
    written = load_spec(path, root=root, store=store)
    files = Files(Tree.around(path, root, store))
    spec, bound = bind(written, files)
    rules, errors = normalise(spec)
    if errors:
        raise InputErrors(f"'{path.name}' cannot be used", errors)
    outcome = without_ignored(
        audit(spec, rules, known_only=True, may_know_nothing=True, with_remedies=with_remedies), today
    )
    return Side(
        path=path,
        store=store,
        root=root,
        today=today,
        files=files,
        spec=spec,
        rules=rules,
        bound=bound,
        outcome=outcome,
    )


def breaks_nothing(sides: Sequence[Side], store: Overlaid) -> bool:
    """Whether with files as they would be nothing is wrong in these specs that is not so already."""
    return all(wrong(again(side, store)) <= wrong(side.outcome) for side in sides if _reads(side, store))


def again(side: Side, store: Store) -> CheckOutcome:
    """The spec judged with other files.

    Raises:
        InputErrors: it cannot be used with these.
    """
    return read_side(side.path, store, today=side.today, root=side.root, with_remedies=False).outcome


def wrong(outcome: CheckOutcome) -> set[tuple[FindingKind, str]]:
    """What was found, whatever it was found at."""
    return {(finding.kind, finding.subject) for finding in outcome.findings}


def _reads(side: Side, store: Overlaid) -> bool:
    """Whether a spec is made of files that would change."""
    mine = {store.resolve(source) for source in side.spec.sources} | {bound.file.path for bound in side.bound}
    return not mine.isdisjoint(store.changed)
