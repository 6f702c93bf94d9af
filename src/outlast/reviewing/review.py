"""A review: what the change from one revision to another, or to the files as they lie there, breaks, mends and no longer guards."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field
from datetime import date
from pathlib import Path
from typing import Final

from outlast.configs.git import Repository
from outlast.configs.recovery import refuse_mixture
from outlast.configs.walk import Skipped, walk
from outlast.constraints.aging import due_of
from outlast.constraints.check import FindingKind
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import DISK, Pruned, Store
from outlast.constraints.loading.tree import Tree
from outlast.constraints.progress import counted, doing
from outlast.constraints.record import record, replace
from outlast.linting import lint_files
from outlast.reviewing.files import files_part
from outlast.reviewing.lines import NOTHING, GitLines, Lines
from outlast.reviewing.outcome import Part, Reviewed, Revision
from outlast.reviewing.side import Side, read_side
from outlast.reviewing.specs import removed_part, spec_part
from outlast.solver.limits import Limits

__all__ = ["Asked", "review"]

#: What a spec is called that is found by itself.
_SPEC: Final = "outlast.yaml"


@record(kw_only=True)
class Asked:
    """What a review is to look at."""

    #: Empty: all that are called `outlast.yaml` below the current folder.
    specs: tuple[Path, ...] = ()
    #: None: nothing is compared, only what is due is listed.
    base: str | None = None
    #: None: the files as they lie there.
    head: str | None = None
    #: Whether to look at files without a spec as well, where there are specs.
    with_files: bool = False
    #: Days after which a decision or a measurement is due; None: not asked.
    stale: int | None = None
    today: date
    root: Path | None = None


def review(asked: Asked, limits: Limits) -> Reviewed:
    """Compare the two sides.

    Raises:
        InputErrors: a spec cannot be used as it is after the change, or what was asked for is not there.
        OutlastError: the repository, or a revision, cannot be read.
    """
    with ExitStack() as stack:
        sides = _Sides() if asked.base is None and asked.head is None else _Sides.of(asked, stack)
        return _Review(asked, sides, limits).run()


@record(kw_only=True, eq=False)
class _Sides:
    """Where the files of both sides are read from."""

    before: Store | None = None
    after: Store = DISK
    base: Revision | None = None
    head: Revision | None = None
    parted: str | None = None
    #: The topmost folder of the repository; None: none was looked for.
    top: str | None = None
    #: By the path that a file has now, as seen from here, the one that it had.
    renames: Mapping[str, str] = field(default_factory=dict)
    lines: Lines = NOTHING

    @classmethod
    def of(cls, asked: Asked, stack: ExitStack) -> _Sides:
        """The revisions that were asked for; the older side is where the two parted."""
        repository = stack.enter_context(Repository.around(Path()))
        tip = repository.commit("HEAD" if asked.head is None else asked.head)
        newer = None if asked.head is None else tip
        after = _worktree(repository) if newer is None else _revision(repository, newer)
        head = Revision(name=asked.head, commit=tip)
        if asked.base is None:
            return cls(after=after, head=head, top=repository.top)
        base = repository.commit(asked.base)
        parted = repository.merge_base(base, tip)
        renames = repository.renames(parted, newer)
        return cls(
            before=_revision(repository, parted),
            after=after,
            base=Revision(name=asked.base, commit=base),
            head=head,
            parted=parted,
            top=repository.top,
            renames={repository.path(new): repository.path(old) for new, old in renames.items()},
            lines=GitLines(repository, parted, newer),
        )


def _worktree(repository: Repository) -> Store:
    return _without(repository.submodules, repository.top, DISK)


def _revision(repository: Repository, commit: str) -> Store:
    found = repository.revision(commit)
    return _without(found.submodules, found.top, found)


def _without(submodules: Sequence[str], top: str, store: Store) -> Store:
    """The store without what is in submodules, which have revisions of their own."""
    folders = {
        os.path.join(
            top, *name.split("/")
        ): f"it is in the submodule '{printable(name)}', which has revisions of its own"
        for name in submodules
    }
    return Pruned(store, folders) if folders else store


class _Review:
    """One review on its way."""

    def __init__(self, asked: Asked, sides: _Sides, limits: Limits) -> None:
        self._asked = asked
        self._sides = sides
        self._limits = limits
        self._errors: list[OutlastError] = []
        self._notices: list[OutlastError] = []

    def run(self) -> Reviewed:
        """All specs, then the files."""
        sides = self._sides
        pairs = self._pairs()
        read = [self._read(was, now) for was, now in counted("reading specs: {} of {}", pairs)]
        if self._errors:
            raise InputErrors("specs that cannot be used", self._errors)
        before = _together([one.before for one in read])
        after = _together([one.after for one in read])
        parts: list[Part] = []
        for number, one in enumerate(read):
            doing("reviewing {} of {} specs", number + 1, len(read))
            parts += self._part(one, before[number], after[number], [side for side in after if side is not None])
        if (not pairs or self._asked.with_files) and sides.before is not None:
            doing("reviewing files")
            parts.append(self._files([side for side in after if side is not None]))
        if not pairs and sides.top is not None and os.path.realpath(os.curdir) != sides.top:
            self._notices.append(OutlastError("only what is below the current folder was looked at"))
        return Reviewed(
            base=sides.base,
            parted=sides.parted,
            head=sides.head,
            parts=tuple(parts),
            notices=tuple(self._notices),
        )

    def _pairs(self) -> list[tuple[Path | None, Path | None]]:
        """Each spec with the path that it had and the one that it has; None: it is not there."""
        sides = self._sides
        renamed = {old: new for new, old in sides.renames.items()}
        pairs: dict[tuple[Path | None, Path | None], None] = {}
        skipped: list[Skipped] = []
        for path in self._asked.specs or _specs_in(sides.after, skipped):
            heir = Path(renamed.get(path.as_posix(), path))
            now = path if _is_file(path, sides.after) else heir if _is_file(heir, sides.after) else None
            old = Path(sides.renames.get((now or path).as_posix(), now or path))
            was = old if sides.before is not None and _is_file(old, sides.before) else None
            if was is None and now is None:
                where = "" if sides.before is None else ", neither before nor after the change"
                self._errors.append(OutlastError(f"there is no spec {printable(str(path))}{where}"))
                continue
            pairs[was, now] = None
        if sides.before is not None and not self._asked.specs:
            paired = {was for was, _ in pairs}
            for path in _specs_in(sides.before, []):
                if path not in paired:
                    heir = Path(renamed.get(path.as_posix(), path))
                    pairs[path, heir if _is_file(heir, sides.after) else None] = None
        self._notices += [OutlastError(f"{each.file}: {each.reason}") for each in skipped]
        return list(pairs)

    def _read(self, was: Path | None, now: Path | None) -> _Read:
        """Both sides of a spec; what is wrong with the newer one is among the errors."""
        sides, today = self._sides, self._asked.today
        root = self._asked.root or (None if sides.top is None else Path(sides.top))
        before = after = None
        is_unknown = False
        if was is not None and sides.before is not None:
            try:
                before = read_side(was, sides.before, root=root, today=today, with_remedies=False)
            except InputErrors as group:
                is_unknown = True
                self._unusable_before(was, group)
        if now is not None:
            try:
                if self._asked.head is None:
                    refuse_mixture(os.path.dirname(now) or os.curdir, Tree.around(now, root).folders)
                after = read_side(now, sides.after, root=root, today=today)
            except InputErrors as group:
                self._errors += [error for error in group.exceptions if isinstance(error, OutlastError)]
        return _Read(was=was, now=now, before=before, after=after, is_unknown=is_unknown)

    def _part(self, one: _Read, before: Side | None, after: Side | None, others: Sequence[Side]) -> Iterator[Part]:
        if after is None:
            if one.was is not None:
                yield removed_part(one.was, before)
            return
        due = () if self._asked.stale is None else due_of(after.spec, self._asked.stale, self._asked.today)
        if self._sides.before is None:
            yield Part(spec=str(one.now), due=due)
            return
        known = set() if before is None else {note.message for note in before.spec.notes}
        self._notices += [OutlastError(n.message, n.place) for n in after.spec.notes if n.message not in known]
        part = spec_part(before, after, others=others, lines=self._sides.lines, limits=self._limits)
        yield replace(part, due=due, is_unknown_before=one.is_unknown)

    def _unusable_before(self, path: Path, group: InputErrors) -> None:
        """A spec that could not be used before is taken for a new one."""
        first = group.exceptions[0]
        more = f", and {len(group.exceptions) - 1} more" if len(group.exceptions) > 1 else ""
        message = f"{printable(str(path))} could not be used before the change, so all of it counts as new, and nobody knows what it guarded: {first}{more}"
        self._notices.append(OutlastError(message))

    def _files(self, specs: Sequence[Side]) -> Part:
        """What the files alone show, but for values that a spec is bound to."""
        sides = self._sides
        assert sides.before is not None  # the caller saw to it
        after = lint_files([Path()], sides.after, today=self._asked.today)
        before = lint_files([Path()], sides.before, today=self._asked.today, with_remedies=False)
        told = {notice.message for notice in self._notices}
        self._notices += [problem for problem in after.found.problems if problem.message not in told]
        return files_part(before, after, specs=specs, store=sides.after, lines=sides.lines, limits=self._limits)


@record(kw_only=True, eq=False)
class _Read:
    """A spec on both sides."""

    was: Path | None
    now: Path | None
    before: Side | None
    after: Side | None
    #: Whether it was there before and could not be used.
    is_unknown: bool


def _together(sides: Sequence[Side | None]) -> list[Side | None]:
    """The specs of one side: what one of them makes use of is ignored in vain in none."""
    used = {
        (ignored.ignore.place, id_)
        for side in sides
        if side is not None
        for ignored in side.outcome.ignored
        for id_ in ignored.ignore.ids
    }
    found: list[Side | None] = []
    for side in sides:
        if side is not None and used:
            left = tuple(
                finding
                for finding in side.outcome.findings
                if finding.kind is not FindingKind.IN_VAIN or (finding.place, finding.subject) not in used
            )
            found.append(replace(side, outcome=replace(side.outcome, findings=left)))
        else:
            found.append(side)
    return found


def _specs_in(store: Store, skipped: list[Skipped]) -> list[Path]:
    """The specs below the current folder; to `skipped` goes what could not be looked at."""
    return [Path(found.file) for found in walk([Path()], skipped, store) if Path(found.file).name == _SPEC]


def _is_file(path: Path, store: Store) -> bool:
    try:
        return store.what(path) == "file"
    except OutlastError:
        return False
