"""A review: what the change from one revision to another, or to the files as they lie there, breaks, mends and no longer guards."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import field
from datetime import date
from pathlib import Path
from typing import Final

from outlast.configs.git import Repository
from outlast.configs.walk import Skipped, walk
from outlast.constraints.aging import due_of
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import DISK, Pruned, Store
from outlast.constraints.progress import doing
from outlast.constraints.record import record, replace
from outlast.linting import lint_files
from outlast.reviewing.files import files_part
from outlast.reviewing.outcome import Part, Reviewed, Revision
from outlast.reviewing.side import read_side
from outlast.reviewing.specs import Lines, removed_part, spec_part
from outlast.solver.limits import Limits

__all__ = ["Asked", "review"]

#: What a spec is called that is found by itself.
_SPEC: Final = "outlast.yaml"


@record(kw_only=True)
class Asked:
    """What a review is to look at."""

    #: None: all that are called `outlast.yaml` below the current folder.
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


def _no_lines(files: Collection[str]) -> Mapping[str, frozenset[int]]:
    return {}


@record(kw_only=True, eq=False)
class _Sides:
    """Where the files of both sides are read from."""

    before: Store | None = None
    after: Store = DISK
    base: Revision | None = None
    head: Revision | None = None
    parted: str | None = None
    #: By the path that a file has now, as seen from here, the one that it had.
    renames: Mapping[str, str] = field(default_factory=dict)
    lines: Lines = _no_lines

    @classmethod
    def of(cls, asked: Asked, stack: ExitStack) -> _Sides:
        """The revisions that were asked for; the older side is where the two parted."""
        repository = stack.enter_context(Repository.around(Path()))
        tip = repository.commit(asked.head or "HEAD")
        newer = None if asked.head is None else tip
        after = _worktree(repository) if newer is None else repository.revision(newer)
        head = Revision(name=asked.head, commit=tip)
        if asked.base is None:
            return cls(after=after, head=head)
        base = repository.commit(asked.base)
        parted = repository.merge_base(base, tip)

        def lines(files: Collection[str]) -> Mapping[str, frozenset[int]]:
            named = {name: printable(repository.path(name)) for name in repository.changed(parted, newer)}
            found = repository.changed_lines(parted, newer, [name for name, shown in named.items() if shown in files])
            return {named[name]: numbers for name, numbers in found.items()}

        renames = repository.renames(parted, newer)
        return cls(
            before=repository.revision(parted),
            after=after,
            base=Revision(name=asked.base, commit=base),
            head=head,
            parted=parted,
            renames={repository.path(new): repository.path(old) for new, old in renames.items()},
            lines=lines,
        )


def _worktree(repository: Repository) -> Store:
    """The files as they lie there, without those of submodules, which have revisions of their own."""
    folders = (os.path.join(repository.top, *name.split("/")) for name in repository.submodules)
    return Pruned(DISK, frozenset(folders)) if repository.submodules else DISK


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
        parts: list[Part] = []
        pairs = self._pairs()
        for number, (was, now) in enumerate(pairs, 1):
            doing("reviewing {} of {} specs", number, len(pairs))
            parts += self._part(was, now)
        if (not pairs or self._asked.with_files) and sides.before is not None:
            doing("reviewing files")
            parts.append(self._files())
        if self._errors:
            raise InputErrors("specs that cannot be used", self._errors)
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
        after = list(self._asked.specs) or self._found(sides.after)
        pairs: list[tuple[Path | None, Path | None]] = []
        for path in after:
            old = Path(sides.renames.get(path.as_posix(), path))
            was = old if sides.before is not None and _is_file(old, sides.before) else None
            now = path if _is_file(path, sides.after) else None
            if was is None and now is None:
                where = "" if sides.before is None else ", neither before nor after the change"
                self._errors.append(OutlastError(f"there is no spec {printable(str(path))}{where}"))
                continue
            pairs.append((was, now))
        if sides.before is not None and not self._asked.specs:
            paired = {was for was, _ in pairs}
            pairs += [(path, None) for path in self._found(sides.before) if path not in paired]
        return pairs

    def _found(self, store: Store) -> list[Path]:
        """The specs below the current folder."""
        skipped: list[Skipped] = []
        return [Path(found.file) for found in walk([Path()], skipped, store) if Path(found.file).name == _SPEC]

    def _part(self, was: Path | None, now: Path | None) -> Iterator[Part]:
        sides, root = self._sides, self._asked.root
        before = None
        if was is not None and sides.before is not None:
            try:
                before = read_side(was, sides.before, root=root, today=self._asked.today)
            except InputErrors as group:
                self._unusable_before(was, group)
        if now is None:
            if was is not None:
                yield removed_part(was, before)
            return
        try:
            after = read_side(now, sides.after, root=root, today=self._asked.today)
        except InputErrors as group:
            self._errors += [error for error in group.exceptions if isinstance(error, OutlastError)]
            return
        due = () if self._asked.stale is None else due_of(after.spec, self._asked.stale, self._asked.today)
        if sides.before is None:
            yield Part(spec=str(now), due=due)
            return
        part = spec_part(before, after, renames=sides.renames, lines=sides.lines, limits=self._limits)
        yield replace(part, due=due)

    def _unusable_before(self, path: Path, group: InputErrors) -> None:
        """A spec that could not be used before is taken for a new one."""
        first = group.exceptions[0]
        more = f", and {len(group.exceptions) - 1} more" if len(group.exceptions) > 1 else ""
        where = printable(str(path))
        self._notices.append(
            OutlastError(f"{where} could not be used before the change, so all of it counts as new: {first}{more}")
        )

    def _files(self) -> Part:
        sides = self._sides
        assert sides.before is not None  # the caller saw to it
        after = lint_files([Path()], sides.after, today=self._asked.today)
        before = lint_files([Path()], sides.before, today=self._asked.today)
        self._notices += after.found.problems
        return files_part(
            before, after, store=sides.after, renames=sides.renames, lines=sides.lines, limits=self._limits
        )


def _is_file(path: Path, store: Store) -> bool:
    try:
        return store.what(path) == "file"
    except OutlastError:
        return False
