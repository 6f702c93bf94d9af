"""Asking git for revisions and for what differs between them; nothing else runs git, and nothing is ever written.

A repository may come from a stranger: none of what it configures to be run is run, no revision is taken for an option, and nothing is fetched.
Needs git 2.31 or newer.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from outlast.configs.hunks import Hunk, hunks_in, names_in_numstat
from outlast.configs.revision import Entry, Revision
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.files import DISK, Store, What, reason
from outlast.constraints.record import record

__all__ = ["Repository", "Revision"]

#: Of the variables that speak of git, those that are passed on; others may point it elsewhere.
_KEPT: Final = re.compile(r"GIT_(?:CONFIG_.*|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)")
_SAFE: Final = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.warnAmbiguousRefs=true",
    "protocol.allow=never",
)
#: Plumbing, so that no one's settings of `git diff` count; files are told from each other by contents alone.
_DIFFERING: Final = ("--find-renames", "--ignore-submodules=dirty", "--no-ext-diff", "--no-textconv", "--no-relative")
_FULL_HASH: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
#: How many names one command line takes.
_MOST_NAMES: Final = 500
_MODES: Final[Mapping[bytes, What]] = {b"040000": "folder", b"160000": "folder", b"120000": "link"}


@record
class _Differences:
    """What differs between a commit and another one, or the worktree."""

    #: New names and old ones, what is not tracked included.
    names: frozenset[str]
    #: Old names by new ones.
    renames: Mapping[str, str]
    #: What git does not track.
    untracked: frozenset[str]


class Repository:
    """A git repository with a worktree; to be closed, or used in a `with`, as a process of git's waits for questions about files.

    Names of files are from the top, with `/` between folders. Commits are full hashes, as `commit` gives them.
    """

    def __init__(self, top: str, *, is_shallow: bool) -> None:
        #: The topmost folder of the worktree, absolute and without links.
        self.top = top
        #: Whether history is cut off.
        self.is_shallow = is_shallow
        self._blobs: _Blobs | None = None
        self._differences: dict[tuple[str, str | None], _Differences] = {}
        self._filters: tuple[str, ...] | None = None

    @classmethod
    def around(cls, folder: Path) -> Self:
        """The repository whose worktree a folder is in.

        Raises:
            OutlastError: there is none, it is bare, git does not trust it, or git is not installed.
        """
        shown = printable(str(folder))
        asked = ("--is-shallow-repository", "--is-bare-repository", "--is-inside-git-dir", "--show-toplevel")
        run = _run(os.path.abspath(folder), ("rev-parse", *asked))
        lines = os.fsdecode(run.stdout).split("\n", 3)
        if run.returncode == 0 and len(lines) == 4:
            return cls(os.path.realpath(lines[3].removesuffix("\n")), is_shallow=lines[0] == "true")
        said = run.stderr.decode(errors="replace")
        if "dubious ownership" in said or "unsafe repository" in said:
            advice = re.search(r"git config --global --add safe\.directory .*", said)
            hint = f"; if you trust it: {advice[0]}" if advice else ""
            raise OutlastError(f"git refuses the repository around {shown}, which another user owns{hint}")
        if "not a git repository" in said:
            raise OutlastError(f"expected {shown} to be in a git repository, found none")
        if lines[1:2] == ["true"]:
            raise OutlastError(f"expected a git repository with a worktree, found a bare one around {shown}")
        if lines[2:3] == ["true"]:
            raise OutlastError(f"expected a folder of a worktree, found {shown} inside git's own")
        raise OutlastError(f"git cannot look at {shown}: {_last_line(run.stderr)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End git's process; revisions can be read no more unless it is started anew, as reading does."""
        if self._blobs is not None:
            self._blobs.close()
            self._blobs = None

    def name(self, path: str | os.PathLike[str], store: Store = DISK) -> str | None:
        """The name of a path as users write it, links resolved as the store has them; None: it is outside of the worktree, or no path."""
        try:
            real = store.resolve(path)
        except (ValueError, OSError):
            return None
        inside = self.top.rstrip(os.sep) + os.sep
        return real[len(inside) :].replace(os.sep, "/") if real.startswith(inside) else None

    def path(self, name: str) -> str:
        """The path of a name as users see it: from the current folder where it is below that, else absolute."""
        path, here = os.path.join(self.top, *name.split("/")), os.path.realpath(os.curdir)
        return os.path.relpath(path, here) if path.startswith(here.rstrip(os.sep) + os.sep) else path

    def commit(self, revision: str) -> str:
        """The full hash of the commit that a revision (a branch, tag, hash, `HEAD~2`) means.

        Raises:
            OutlastError: it means none, or may mean several, or what it means is not here; the message says how to get it.
        """
        shown = printable(revision)[:200]
        if not revision or revision.startswith("-") or "\0" in revision:
            raise OutlastError(f"expected a revision, such as main or HEAD~1, found '{shown}'")
        run = self._run("rev-parse", "--verify", "--end-of-options", revision + "^{commit}")
        said = run.stderr.decode(errors="replace")
        if re.search(r"refname '.*' is ambiguous", said):
            raise OutlastError(
                f"'{shown}' is ambiguous: it names both a branch and a tag; write refs/heads/… or refs/tags/…"
            )
        if run.returncode == 0:
            return run.stdout.decode().strip()
        if " is ambiguous" in said:
            raise OutlastError(f"'{shown}' is ambiguous: several objects' hashes begin so; write more of it")
        if other := re.search(r"dereferences to (\w+) type", said):
            raise OutlastError(f"expected '{shown}' to be a commit, found a {other[1]}")
        if self._run("rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD").returncode and (
            not self._run("for-each-ref", "--count=1").stdout
        ):
            raise OutlastError(f"cannot find the commit '{shown}': the repository has no commits yet")
        raise OutlastError(f"cannot find the commit '{shown}'{self._way_to(revision)}")

    def _way_to(self, revision: str) -> str:
        """How a commit that is not here might get here."""
        deeper = f"; {_SHALLOW}" if self.is_shallow else ""
        if not re.fullmatch(r"[\w./-]+", revision) or revision == "HEAD":
            return deeper
        remotes = self._run("remote").stdout.decode(errors="replace").split("\n")[:-1]
        remote, _, branch = revision.removeprefix("refs/remotes/").partition("/")
        if branch and remote in remotes:
            return f"; get it with: git fetch {remote} {branch}:refs/remotes/{remote}/{branch}{deeper}"
        names = self._run("for-each-ref", "--format=%(refname:short)", f"refs/remotes/*/{revision}").stdout
        near = names.decode(errors="replace").split("\n")[:-1]
        return f"; there is {' and '.join(printable(each) for each in near)}" if near else deeper

    def merge_base(self, one: str, other: str) -> str:
        """The commit at which two commits parted; of several the one that git calls best.

        Raises:
            OutlastError: they have no history in common, as far as it is here.
        """
        one, other = self._full(one), self._full(other)
        run = self._run("merge-base", one, other)
        if run.returncode == 0:
            return run.stdout.decode().strip()
        why = f"; {_SHALLOW}" if self.is_shallow else ""
        raise OutlastError(f"cannot find a commit that both {one[:12]} and {other[:12]} come from{why}")

    def revision(self, commit: str) -> Revision:
        """The files of a commit, to be read while the repository is open."""
        commit = self._full(commit)
        return Revision(commit, self.top, lambda: self._tree(commit), self._blob)

    def _full(self, commit: str) -> str:
        return commit if _FULL_HASH.fullmatch(commit) else self.commit(commit)

    def _tree(self, commit: str) -> dict[str, Entry]:
        data = self._output("ls-tree", "-r", "-t", "-z", "--full-tree", commit)
        found: dict[str, Entry] = {}
        for line in data.split(b"\0")[:-1]:
            about, _, name = line.partition(b"\t")
            mode, _, object_ = about.split()
            found[os.fsdecode(name)] = Entry(_MODES.get(mode, "file"), object_.decode(), mode == b"160000")
        return found

    def _blob(self, object_: str, limit: int) -> bytes:
        if self._blobs is None:
            self._blobs = _Blobs(self.top)
        try:
            return self._blobs.read(object_, limit)
        except OutlastError:
            self.close()  # it may have ended; others can still be asked for
            raise

    @property
    def submodules(self) -> tuple[str, ...]:
        """The folders of the worktree that are other repositories' by what git tracks, whether something is there or not."""
        entries = self._output("ls-files", "--stage", "-z").split(b"\0")[:-1]
        return tuple(sorted({os.fsdecode(e.partition(b"\t")[2]) for e in entries if e.startswith(b"160000 ")}))

    def changed(self, base: str, head: str | None) -> frozenset[str]:
        """The files that differ between two commits, those that are in one alone included; without `head` up to the worktree.

        Of the worktree, files that git neither tracks nor ignores are new. A renamed file has both of its names there.
        """
        return self._differing(base, head).names

    def renames(self, base: str, head: str | None) -> Mapping[str, str]:
        """The old names of files that were renamed, and maybe changed a bit, by their new ones.

        In the worktree, git sees only what it was told of: that a file which it does not track has another's contents is not seen.
        """
        return self._differing(base, head).renames

    def hunks(self, base: str, head: str | None, files: Collection[str]) -> dict[str, tuple[Hunk, ...]]:
        """What differs in files, by the names that they have in `head`, or in the worktree, since `base`.

        A file that does not differ, or is not there on both sides, is not there. A line ends with a line feed.
        """
        differing = self._differing(base, head)
        found: dict[str, tuple[Hunk, ...]] = {}
        wanted = sorted((differing.names - differing.untracked).intersection(files))
        for start in range(0, len(wanted), _MOST_NAMES):
            names = wanted[start : start + _MOST_NAMES]
            names += [differing.renames[name] for name in names if name in differing.renames]
            options = ("--text", "--patch", "--unified=0", "--inter-hunk-context=0", "--no-color")
            prefixes = ("--src-prefix=a/", "--dst-prefix=b/")
            patch = self._compare(base, head, (*options, *prefixes), names)
            found |= {name: hunks for name, hunks in hunks_in(patch) if hunks and name in files}
        return found

    def changed_lines(self, base: str, head: str | None, files: Collection[str]) -> dict[str, frozenset[int]]:
        """The lines, from 1, of files as they are in `head`, or in the worktree, that were added or changed since `base`.

        A file without such lines is not there; of one that git does not track all lines are new.
        """
        found: dict[str, frozenset[int]] = {}
        for name in self._differing(base, head).untracked.intersection(files):
            try:
                data = DISK.read(os.path.join(self.top, name))
            except OutlastError:
                continue
            found[name] = frozenset(range(1, data.count(b"\n") + (data[-1:] not in (b"", b"\n")) + 1))
        for name, hunks in self.hunks(base, head, files).items():
            if lines := frozenset(line for hunk in hunks for line in hunk.added()):
                found[name] = lines
        return found

    def _differing(self, base: str, head: str | None) -> _Differences:
        key = (base, head)
        if key not in self._differences:
            # Not `--name-status`: of the worktree, it names files whose times alone differ.
            changed = names_in_numstat(self._compare(base, head, ("--numstat", "-z"), ()))
            untracked: frozenset[str] = frozenset()
            if head is None:
                others = self._output("ls-files", "--others", "--exclude-standard", "-z")
                untracked = frozenset(map(os.fsdecode, others.split(b"\0")[:-1]))
            names = {name for pair in changed for name in pair}
            renames = {new: old for old, new in changed if old != new}
            self._differences[key] = _Differences(untracked.union(names), renames, untracked)
        return self._differences[key]

    def _compare(self, base: str, head: str | None, options: Sequence[str], names: Sequence[str]) -> bytes:
        """What git says of the differences; the index is not brought up to date, and contents of files go through no program."""
        base = self._full(base)
        if head is not None:
            return self._output("diff-tree", "-r", *_DIFFERING, *options, base, self._full(head), "--", *names)
        return self._output("diff-index", *_DIFFERING, *options, base, "--", *names, configured=self._without_filters())

    def _without_filters(self) -> tuple[str, ...]:
        """What keeps git from running programs that the repository names as filters."""
        if self._filters is None:
            run = self._run("config", "--null", "--name-only", "--get-regexp", r"^filter\..*\.")
            filters = {key.rpartition(".")[0] for key in os.fsdecode(run.stdout).split("\0")[:-1]}
            ends = ("clean=", "smudge=", "process=", "required=false")
            self._filters = tuple(f"{each}.{end}" for each in sorted(filters) for end in ends)
        return self._filters

    def _run(self, *arguments: str, configured: Sequence[str] = ()) -> subprocess.CompletedProcess[bytes]:
        return _run(self.top, arguments, configured)

    def _output(self, *arguments: str, configured: Sequence[str] = ()) -> bytes:
        run = self._run(*arguments, configured=configured)
        if run.returncode:
            raise OutlastError(f"git {arguments[0]} failed: {_last_line(run.stderr)}")
        return run.stdout


_SHALLOW: Final = (
    "the clone is shallow; get all history with: git fetch --unshallow "
    "(in GitHub Actions fetch-depth: 0 of actions/checkout, in GitLab GIT_DEPTH: 0)"
)


class _Blobs:
    """A process of git's that gives the contents of objects, one after the other."""

    def __init__(self, top: str) -> None:
        try:
            self._process = subprocess.Popen(
                _command(top, ("cat-file", "--batch")),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(()),
            )
        except OSError as error:
            raise _not_run(error) from None

    def read(self, object_: str, limit: int) -> bytes:
        """The first bytes of an object, up to a limit.

        Raises:
            OutlastError: it is not there, as in a clone that leaves out some; the message tells why alone.
        """
        asking, answer = self._process.stdin, self._process.stdout
        if asking is None or answer is None:
            raise OutlastError(_GONE)  # not reached: both are pipes
        try:
            asking.write(f"{object_}\n".encode())
            asking.flush()  # it answers one question before the next is asked, so that neither waits for the other
            head = answer.readline().split()
            if len(head) != 3:
                raise OutlastError(_GONE)
            size = int(head[2])
            data = answer.read(min(size, limit))
            rest = size - len(data) + 1
            while rest > 0 and (passed := answer.read(min(rest, 2**16))):
                rest -= len(passed)
        except (OSError, ValueError):  # a pipe that is broken or closed
            raise OutlastError(_GONE) from None
        if rest > 0:
            raise OutlastError(_GONE)
        return data

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # the process ended before
                    pipe.close()
        self._process.wait()


_GONE: Final = "git does not have its contents here; the clone may be a partial one, or damaged"


def _run(folder: str, arguments: Sequence[str], configured: Sequence[str] = ()) -> subprocess.CompletedProcess[bytes]:
    """What git answers in a folder; `configured` are settings as `key=value`, whatever is in the key."""
    try:
        return subprocess.run(
            _command(folder, arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=_environment(configured),
            check=False,
        )
    except OSError as error:
        raise _not_run(error) from None
    except ValueError:
        raise OutlastError(f"expected a path or a revision, found '{printable(folder)}'") from None


def _command(folder: str, arguments: Sequence[str]) -> list[str]:
    settings = [word for setting in _SAFE for word in ("-c", setting)]
    return ["git", "--no-pager", "-C", folder, *settings, *arguments]


def _environment(configured: Sequence[str]) -> dict[str, str]:
    """The variables for git: safe, silent and in English; settings go here, as in an option a key cannot hold `=`."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _KEPT.fullmatch(name)
    }
    environment |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "LC_ALL": "C",
    }
    given = environment.get("GIT_CONFIG_COUNT", "")
    count = int(given) if given.isascii() and given.isdigit() else 0
    for number, setting in enumerate(configured, start=count):
        key, _, value = setting.rpartition("=")
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    if configured:
        environment["GIT_CONFIG_COUNT"] = str(count + len(configured))
    return environment


def _not_run(error: OSError) -> OutlastError:
    if isinstance(error, FileNotFoundError):
        return OutlastError("cannot read revisions: git is not installed, or not on the path")
    return OutlastError(f"cannot run git: {reason(error)}")


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or ["it says nothing"]
    fatal = next((line for line in lines if line.startswith("fatal: ")), lines[-1])
    return printable(fatal.removeprefix("fatal: "))[:300]
