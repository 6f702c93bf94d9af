"""Files are replaced all or none: what is refused, what is kept, what is undone, and which journals are believed."""

from __future__ import annotations

import base64
import errno
import json
import os
import random
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from outlast.configs import durable, journal, transaction
from outlast.configs.journal import NAME, Entry, Folders, Journal
from outlast.configs.transaction import Replacement, State, forget, interrupted, undo, write_all
from outlast.constraints.errors import OutlastError

OLD, NEW = b"timeout: 10s\r\n", b"timeout: 9500ms\r\nretries: 3\n"
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
NOBODY = 65534


class Repo:
    """Three files to change, in two folders."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths = [root / "a.yaml", root / "deploy/b.yaml", root / "deploy/c.yaml"]
        (root / "deploy").mkdir(parents=True)
        self.become(OLD)

    def become(self, *contents: bytes) -> None:
        for path, content in zip(self.paths, contents * 3 if len(contents) == 1 else contents, strict=True):
            path.write_bytes(content)

    def contents(self) -> list[bytes]:
        return [path.read_bytes() for path in self.paths]

    def write(self, paths: list[Path] | None = None, allowed: tuple[str, ...] = ()) -> None:
        replacements = [Replacement(path=str(path), before=OLD, after=NEW) for path in paths or self.paths]
        write_all(replacements, journal_folder=str(self.root), allowed=allowed)

    def refused(self, paths: list[Path] | None = None) -> str:
        """The message of a refusal, which must leave no trace."""
        names, contents = self.listed(), self.contents()
        with pytest.raises(OutlastError) as caught:
            self.write(paths)
        assert self.listed() == names
        assert self.contents() == contents
        return caught.value.message.replace(f"{self.root}/", "")

    def listed(self) -> list[str]:
        return sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*"))

    def begin(self, paths: list[Path] | None = None) -> Journal:
        """Leave the journal of a change, as a killed process does."""
        folders = Folders.around(str(self.root), [])
        entries = [
            Entry(path=os.path.realpath(p), shown=str(p), given=str(p), old=OLD, new=NEW) for p in paths or self.paths
        ]
        written = Journal(folders=folders, token="0123456789abcdef", entries=tuple(entries))
        written.write()
        return written


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def fast(tmp_path: Path) -> Iterator[Repo]:
    """The same in memory, where there is such a folder, for what is tried many times."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Repo(Path(folder) / "repo")


def told(act: Callable[[], None]) -> str:
    """The message of an error; empty without."""
    try:
        act()
    except OutlastError as error:
        return error.message
    return ""


# What is written


def test_all_files_get_their_new_bytes_and_nothing_is_left(repo: Repo) -> None:
    names = repo.listed()
    repo.write()
    assert repo.contents() == [NEW] * 3
    assert repo.listed() == names


def test_paths_may_be_relative_to_where_the_user_is(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.root / "deploy")
    write_all([Replacement(path="../a.yaml", before=OLD, after=NEW)], journal_folder="..")
    assert repo.contents() == [NEW, OLD, OLD]


def test_a_link_stays_and_its_target_is_replaced_in_its_own_folder(repo: Repo) -> None:
    link = repo.root / "link.yaml"
    link.symlink_to("deploy/b.yaml")
    repo.write([link])
    assert os.readlink(link) == "deploy/b.yaml"
    assert repo.contents() == [OLD, NEW, OLD]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755, 0o4755])
def test_the_mode_is_kept_whatever_the_mask(repo: Repo, mode: int) -> None:
    repo.paths[0].chmod(mode)
    mask = os.umask(0o077)
    try:
        repo.write()
    finally:
        os.umask(mask)
    assert stat.S_IMODE(repo.paths[0].stat().st_mode) == mode


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_the_owner_is_kept_where_permitted(repo: Repo) -> None:
    os.chown(repo.paths[0], NOBODY, 12345)
    repo.write()
    status = repo.paths[0].stat()
    assert (status.st_uid, status.st_gid) == (NOBODY, 12345)


def test_extended_attributes_are_kept(repo: Repo) -> None:
    try:
        os.setxattr(repo.paths[0], "user.note", b"mine")
    except (OSError, AttributeError):
        pytest.skip("there are none here")
    repo.write()
    assert os.getxattr(repo.paths[0], "user.note") == b"mine"


def access_list(mask: int, tag_for_nobody: int) -> bytes:
    """An access list in the form in which Linux keeps it: version 2, then tag, permissions, id."""
    entries = [(1, 6, -1), (2, tag_for_nobody, NOBODY), (4, 4, -1), (16, mask, -1), (32, 0, -1)]
    parts = [
        tag.to_bytes(2, "little") + p.to_bytes(2, "little") + i.to_bytes(4, "little", signed=True)
        for tag, p, i in entries
    ]
    return (2).to_bytes(4, "little") + b"".join(parts)


@pytest.mark.parametrize("is_default", [False, True])
def test_access_lists_are_kept_and_none_is_taken_from_the_folder(repo: Repo, is_default: bool) -> None:
    target = repo.root if is_default else repo.paths[0]
    name = f"system.posix_acl_{'default' if is_default else 'access'}"
    try:
        os.setxattr(target, name, access_list(6, 6))
    except (OSError, AttributeError):
        pytest.skip("there are none here")
    before = os.listxattr(repo.paths[0])
    mode = repo.paths[0].stat().st_mode
    repo.write()
    assert os.listxattr(repo.paths[0]) == before
    assert repo.paths[0].stat().st_mode == mode
    if not is_default:
        assert os.getxattr(repo.paths[0], name) == access_list(6, 6)


def test_a_file_is_never_changed_in_place(repo: Repo) -> None:
    with repo.paths[0].open("rb") as reader:
        repo.write()
        assert reader.read() == OLD


def test_files_that_stay_as_they_are_are_not_touched(repo: Repo) -> None:
    before = repo.paths[0].stat()
    write_all([Replacement(path=str(repo.paths[0]), before=OLD, after=OLD)], journal_folder=str(repo.root))
    assert repo.paths[0].stat().st_ino == before.st_ino
    assert repo.paths[0].stat().st_ctime_ns == before.st_ctime_ns


def test_each_step_is_on_the_disk_before_the_next_depends_on_it(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[str, str]] = []
    opened: dict[int, str] = {}

    def note(name: str, kind: Callable[..., str]) -> None:
        call = getattr(os, name)

        def noted(*args: Any, **options: Any) -> Any:
            result = call(*args, **options)
            if name == "open":
                opened[result] = os.path.relpath(args[0], repo.root)
            else:
                steps.append((name, kind(*args)))
            return result

        monkeypatch.setattr(os, name, noted)

    note("open", lambda path, *_: "")
    note("fsync", lambda descriptor: opened[descriptor])
    for name in ("rename", "replace"):
        note(name, lambda source, target: os.path.relpath(target, repo.root))
    note("unlink", lambda path: os.path.relpath(path, repo.root))
    note("write", lambda descriptor, _: opened[descriptor])
    repo.write(repo.paths[:2])
    token = next(path for name, path in steps if name == "write" and NAME not in path)[:-1]
    expected = [
        ("write", f"{NAME}.new"),
        ("fsync", f"{NAME}.new"),
        ("rename", NAME),
        ("fsync", "."),
        ("write", f"{token}0"),
        ("fsync", f"{token}0"),
        ("write", f"deploy/{token}1"),
        ("fsync", f"deploy/{token}1"),
        ("replace", "a.yaml"),
        ("replace", "deploy/b.yaml"),
        ("fsync", "."),
        ("fsync", "deploy"),
        ("unlink", NAME),
        ("fsync", "."),
    ]
    assert steps == expected


# What is refused


def test_a_file_that_is_not_as_it_was_read_is_refused(repo: Repo) -> None:
    repo.become(OLD, b"timeout: 11s\r\n", OLD)
    assert repo.refused() == "deploy/b.yaml changed meanwhile; nothing was written"


def test_all_that_speaks_against_it_is_told_at_once(repo: Repo) -> None:
    repo.paths[0].chmod(0o444)
    repo.paths[2].write_bytes(NEW)
    assert repo.refused() == "a.yaml is read-only; deploy/c.yaml changed meanwhile; nothing was written"


def test_a_file_with_several_names_is_refused(repo: Repo) -> None:
    os.link(repo.paths[1], repo.root / "other.yaml")
    assert repo.refused() == (
        "deploy/b.yaml has 2 names (hard links), and the others would keep the old contents; nothing was written"
    )


def test_a_folder_without_write_permission_is_refused(repo: Repo) -> None:
    (repo.root / "deploy").chmod(0o555)
    try:
        message = repo.refused()
    finally:
        (repo.root / "deploy").chmod(0o755)
    assert message.startswith("deploy/b.yaml is in a folder that cannot be written; deploy/c.yaml is in a folder")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_regular_file_is_refused_without_waiting(repo: Repo, make: Callable[[Path], None]) -> None:
    make(repo.root / "odd")
    assert repo.refused([repo.root / "odd"]) == "odd is not a regular file; nothing was written"


def test_a_missing_file_is_refused(repo: Repo) -> None:
    assert repo.refused([*repo.paths, repo.root / "d"]) == "d is missing; nothing was written"


def test_one_file_under_two_names_is_refused(repo: Repo) -> None:
    (repo.root / "link.yaml").symlink_to("a.yaml")
    message = repo.refused([repo.paths[0], repo.root / "link.yaml"])
    assert message == "link.yaml is the same file as a.yaml; nothing was written"


def test_a_link_out_of_the_folder_is_refused_unless_allowed(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_bytes(OLD)
    (repo.root / "link.yaml").symlink_to(outside)
    assert "link.yaml is not inside the folder of the spec" in repo.refused([repo.root / "link.yaml"])
    repo.write([repo.root / "link.yaml"], allowed=(str(tmp_path),))
    assert outside.read_bytes() == NEW


def test_a_folder_whose_name_only_begins_alike_is_outside(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "repo2").mkdir()
    (tmp_path / "repo2/a.yaml").write_bytes(OLD)
    assert "is not inside the folder of the spec" in repo.refused([tmp_path / "repo2/a.yaml"])


@pytest.mark.parametrize("name", [".git/config", "deploy/.GIT/hooks/x", f"{NAME}.yaml", ".outlast-0123456789abcdef-0"])
def test_what_belongs_to_git_or_to_outlast_is_refused(repo: Repo, name: str) -> None:
    path = repo.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(OLD)
    assert repo.refused([path]).startswith(f"{name} {'belongs to git' if '/' in name else 'is a file of'}")


def test_a_path_that_cannot_be_one_is_refused(repo: Repo) -> None:
    with pytest.raises(OutlastError, match="is not the path of a file; nothing was written"):
        write_all([Replacement(path="a\0b", before=OLD, after=NEW)], journal_folder=str(repo.root))


def test_a_journal_folder_that_is_not_there_is_refused(repo: Repo) -> None:
    with pytest.raises(OutlastError, match="no such file or directory; nothing was written"):
        write_all([], journal_folder=str(repo.root / "none"))


def as_nobody(repo: Repo, path: Path) -> str:
    """What a user without rights is told who changes a file; empty if it is changed."""
    program = (
        "import os, sys\n"
        "from outlast.configs.transaction import *\n"
        "from outlast.constraints.errors import OutlastError\n"
        f"os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"  # after imports: the interpreter may be root's alone
        "try:\n"
        "    write_all([Replacement(path=sys.argv[1], before=bytes.fromhex(sys.argv[2]), after=b'new')], journal_folder=sys.argv[3])\n"
        "except OutlastError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-c", program, str(path), OLD.hex(), str(repo.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.replace(f"{repo.root}/", "").strip()


@pytest.fixture
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repo]:
    """A repo that belongs to nobody, in a folder that everybody can reach."""
    if not IS_ROOT:
        pytest.skip("only root can be somebody else")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        repo = Repo(Path(folder) / "repo")
        for path in (repo.root, *repo.root.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        yield repo


def test_somebody_without_rights_cannot_pass_by_a_file_that_is_not_theirs(shared: Repo) -> None:
    os.chown(shared.paths[0], 0, 0)
    assert as_nobody(shared, shared.paths[0]) == "a.yaml is read-only; nothing was written"
    os.chown(shared.root / "deploy", 0, 0)
    assert (
        as_nobody(shared, shared.paths[1]) == "deploy/b.yaml is in a folder that cannot be written; nothing was written"
    )


def test_a_journal_that_cannot_be_written_is_told(shared: Repo) -> None:
    os.chown(shared.root, 0, 0)
    assert as_nobody(shared, shared.paths[1]) == f"cannot write {NAME}: permission denied; nothing was written"
    assert shared.contents() == [OLD] * 3


def test_where_the_group_cannot_be_kept_another_gets_no_more_than_everybody(shared: Repo) -> None:
    os.chown(shared.paths[0], NOBODY, 0)
    shared.paths[0].chmod(0o664)
    assert as_nobody(shared, shared.paths[0]) == ""
    status = shared.paths[0].stat()
    assert (status.st_gid, stat.S_IMODE(status.st_mode)) == (NOBODY, 0o644)


def mounted(*arguments: str) -> bool:
    return IS_ROOT and subprocess.run(["mount", *arguments], capture_output=True).returncode == 0


def test_a_file_that_is_mounted_on_its_own_undoes_all(repo: Repo) -> None:
    last = str(repo.paths[2])
    if not mounted("--bind", last, last):
        pytest.skip("nothing can be mounted here")
    try:
        message = repo.refused()
    finally:
        subprocess.run(["umount", last], check=True)
    assert message == "cannot write deploy/c.yaml: device or resource busy; nothing was written"


@pytest.mark.parametrize("blocks", range(4, 14))
def test_a_full_disk_undoes_all(tmp_path: Path, blocks: int) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    if not mounted("-t", "tmpfs", "-o", f"size={blocks * 4}k", "none", str(root)):
        pytest.skip("nothing can be mounted here")
    try:
        repo = Repo(root)
        large = [Replacement(path=str(path), before=OLD, after=bytes([i]) * 4000) for i, path in enumerate(repo.paths)]
        names = repo.listed()
        message = told(lambda: write_all(large, journal_folder=str(root)))
        if message:
            assert message.endswith(": no space left on device; nothing was written")
            assert repo.contents() == [OLD] * 3
            assert blocks < 12
        else:
            assert repo.contents() == [r.after for r in large]
            assert blocks > 7
        assert repo.listed() == names
    finally:
        subprocess.run(["umount", str(root)], check=True)


# What happens on the way


def before_call(monkeypatch: pytest.MonkeyPatch, name: str, number: int, act: Callable[[], None]) -> None:
    """Do something before the call of this number of a function of the system."""
    call, count = getattr(os, name), 0

    def wrapped(*args: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count == number:
            act()
        return call(*args, **options)

    monkeypatch.setattr(os, name, wrapped)


@pytest.mark.parametrize(("call", "number"), [("fsync", 1), ("fsync", 4), ("replace", 1), ("replace", 2)])
def test_a_change_by_others_on_the_way_undoes_all_and_stays(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    names = repo.listed()
    before_call(monkeypatch, call, number, lambda: void(repo.paths[2].write_bytes(b"theirs")))
    with pytest.raises(OutlastError, match=r"c.yaml changed meanwhile; nothing was written$"):
        repo.write()
    assert repo.contents() == [OLD, OLD, b"theirs"]
    assert repo.listed() == names


def test_nothing_is_replaced_if_a_change_is_seen_before(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced = []
    before_call(monkeypatch, "fsync", 5, lambda: void(repo.paths[2].write_bytes(b"theirs")))
    before_call(monkeypatch, "replace", 1, lambda: replaced.append(1))
    assert "changed meanwhile" in told(repo.write)
    assert not replaced


def test_the_same_change_by_others_on_the_way_is_not_taken_back(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    before_call(monkeypatch, "replace", 1, lambda: void(repo.paths[2].write_bytes(NEW)))
    with pytest.raises(OutlastError, match=r"c.yaml changed meanwhile; nothing was written$"):
        repo.write()
    assert repo.contents() == [OLD, OLD, NEW]


def test_a_link_that_leads_elsewhere_meanwhile_is_refused(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    link = repo.root / "link.yaml"
    link.symlink_to("a.yaml")

    def turn() -> None:
        link.unlink()
        link.symlink_to("deploy/b.yaml")

    before_call(monkeypatch, "fsync", 2, turn)
    with pytest.raises(OutlastError, match=r"link.yaml changed meanwhile; nothing was written$"):
        repo.write([link])
    assert repo.contents() == [OLD] * 3


def test_what_others_change_after_it_was_written_stays_and_is_named(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = repo.listed()

    def change() -> None:
        repo.paths[0].write_bytes(b"theirs")
        repo.paths[2].write_bytes(b"theirs, too")

    before_call(monkeypatch, "replace", 2, change)
    with pytest.raises(
        OutlastError, match=r"a.yaml changed after having been written and stays so; nothing else was written"
    ):
        repo.write()
    assert repo.contents() == [b"theirs", OLD, b"theirs, too"]
    assert repo.listed() == names


def test_what_others_change_while_it_is_taken_back_stays_and_is_named(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = repo.listed()

    def break_off() -> None:
        repo.paths[2].write_bytes(b"x")
        raise OSError(errno.EIO, "Input/output error")

    before_call(monkeypatch, "replace", 3, break_off)
    before_call(monkeypatch, "chmod", 4, lambda: void(repo.paths[1].write_bytes(b"theirs")))
    message = told(repo.write)
    assert "b.yaml, " in message
    assert "changed after having been written and stays so; nothing else was written" in message
    assert repo.contents() == [OLD, b"theirs", b"x"]
    assert repo.listed() == names


def void(_: object) -> None: ...


CALLS = ("open", "write", "fsync", "rename", "replace", "unlink", "chmod", "close")


class Trouble:
    """Calls of the system that raise, from one of a number on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, calls: tuple[str, ...], error: BaseException) -> None:
        self.count, self.number, self.is_lasting, self.error = 0, 0, False, error
        for name in calls:
            monkeypatch.setattr(os, name, self.wrapped(name, getattr(os, name)))

    def wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def maybe(*args: Any, **options: Any) -> Any:
            if self.number:
                self.count += 1
                if self.count == self.number or (self.is_lasting and self.count > self.number):
                    if name == "close":
                        call(*args)  # a descriptor is gone whatever close says
                    elif name == "write":
                        call(args[0], bytes(args[1])[:5])
                    raise self.error
            return call(*args, **options)

        return maybe

    def begin(self, number: int, *, is_lasting: bool = False) -> None:
        self.count, self.number, self.is_lasting = 0, number, is_lasting

    def end(self) -> bool:
        """Stop; whether there was any."""
        was_met = self.count >= self.number
        self.number = 0
        return was_met


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EBUSY, errno.EXDEV])
def test_an_error_at_any_call_undoes_all(fast: Repo, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    names, seen = fast.listed(), 0
    trouble = Trouble(monkeypatch, CALLS, OSError(number, os.strerror(number)))
    for at in range(1, 200):
        trouble.begin(at)
        message = told(fast.write)
        if message:
            assert message.endswith(f": {os.strerror(number).lower()}; nothing was written")
            assert fast.contents() == [OLD] * 3
            seen += 1
        else:
            assert fast.contents() == [NEW] * 3
        if not trouble.end():
            break
        assert fast.listed() == names
        fast.become(OLD)
    assert seen > 20


@pytest.mark.parametrize("calls", [("write",), ("fsync",), ("write", "fsync"), ("replace",), ("unlink",), CALLS])
def test_where_even_taking_back_fails_the_message_is_true_and_the_next_run_can(
    fast: Repo, monkeypatch: pytest.MonkeyPatch, calls: tuple[str, ...]
) -> None:
    names = fast.listed()
    trouble = Trouble(monkeypatch, calls, OSError(errno.ENOSPC, "No space left on device"))
    for at in range(1, 200):
        trouble.begin(at, is_lasting=True)
        message = told(fast.write)
        was_met = trouble.end()
        found = fast.contents()
        if not message:
            assert found == [NEW] * 3
        elif "nothing was written" in message:
            assert found == [OLD] * 3
        else:
            for path, content in zip(fast.paths, found, strict=True):
                assert (
                    f"{path} is {'old' if content == OLD else 'new'}" in message or f"{path} cannot be read" in message
                )
            assert f"{NAME} stays" in message
        left = interrupted(str(fast.root))
        undo(str(fast.root))
        assert fast.contents() == (found if len(set(found)) == 1 else [OLD] * 3)
        assert left is not None or len(set(found)) == 1
        assert fast.listed() == names
        fast.become(OLD)
        if not was_met:
            break
    assert not was_met


def test_an_interruption_at_any_call_undoes_all_and_goes_on(fast: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    names, seen = fast.listed(), 0
    trouble = Trouble(monkeypatch, CALLS, KeyboardInterrupt())
    for at in range(1, 200):
        trouble.begin(at)
        is_told = False
        try:
            fast.write()
        except KeyboardInterrupt:
            is_told = True
            seen += fast.contents() == [OLD] * 3
            assert fast.contents() in ([OLD] * 3, [NEW] * 3)
        was_met = trouble.end()
        assert is_told == was_met
        if not was_met:
            break
        assert fast.listed() == names
        fast.become(OLD)
    assert seen > 20


@pytest.mark.parametrize(("functions", "step"), [(None, 13), ({"_replace", "make"}, 1)])
def test_an_interruption_at_any_line_undoes_all(fast: Repo, functions: set[str] | None, step: int) -> None:
    names = fast.listed()
    code = {transaction.__file__, journal.__file__}
    count = at = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename not in code or not (functions is None or frame.f_code.co_name in functions):
            return None
        if event == "line":
            count += 1
            if count == at:
                raise KeyboardInterrupt
        return trace

    previous = sys.gettrace()
    while count >= at:
        count, at = 0, at + step
        sys.settrace(trace)
        try:
            fast.write()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(previous)
        assert fast.contents() in ([OLD] * 3, [NEW] * 3)
        assert fast.listed() == names
        fast.become(OLD)
    assert at > 20 * step


# Two at once


def test_a_second_change_is_refused_while_one_is_running(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    def try_others() -> None:
        told.append(interrupted(str(repo.root)))
        for act in (repo.write, lambda: undo(str(repo.root)), lambda: forget(str(repo.root))):
            with pytest.raises(OutlastError, match=r"are being changed from .* just now; try again"):
                act()

    before_call(monkeypatch, "replace", 2, try_others)
    repo.write()
    assert repo.contents() == [NEW] * 3
    assert told[0] is not None
    assert told[0].is_running
    assert [file.state for file in told[0].files] == [State.NEW, State.OLD, State.OLD]


def test_a_change_is_refused_where_one_was_interrupted(repo: Repo) -> None:
    repo.begin()
    message = repo.refused()
    assert "an earlier change was interrupted" in message
    assert message.endswith("nothing was written")


# Taking back


def test_a_mixture_is_told_and_taken_back(repo: Repo) -> None:
    names = repo.listed()
    written = repo.begin()
    Path(written.temporary(written.entries[2])).write_bytes(b"half")
    repo.become(NEW, OLD, NEW)
    repo.paths[0].chmod(0o640)
    told = interrupted(str(repo.root))
    assert told is not None
    assert told.is_mixed
    assert not told.is_running
    assert [(file.path, file.state.value) for file in told.files] == [
        (str(path), state) for path, state in zip(repo.paths, ("new", "old", "new"), strict=True)
    ]
    assert undo(str(repo.root)) == (str(repo.paths[0]), str(repo.paths[2]))
    assert repo.contents() == [OLD] * 3
    assert stat.S_IMODE(repo.paths[0].stat().st_mode) == 0o640
    assert repo.listed() == names
    assert interrupted(str(repo.root)) is None


@pytest.mark.parametrize("content", [OLD, NEW])
def test_a_uniform_state_is_only_tidied(repo: Repo, content: bytes) -> None:
    names = repo.listed()
    repo.begin()
    repo.become(content)
    told = interrupted(str(repo.root))
    assert told is not None
    assert not told.is_mixed
    assert undo(str(repo.root)) == ()
    assert repo.contents() == [content] * 3
    assert repo.listed() == names


def test_what_changed_since_or_is_missing_is_named_and_nothing_is_touched(repo: Repo) -> None:
    repo.begin()
    repo.become(NEW, OLD, b"theirs")
    repo.paths[1].unlink()
    names = repo.listed()
    told = interrupted(str(repo.root))
    assert told is not None
    assert [file.state for file in told.files] == [State.NEW, State.MISSING, State.CHANGED]
    with pytest.raises(OutlastError) as caught:
        undo(str(repo.root))
    assert caught.value.message == (
        f"cannot take the interrupted change back: {repo.paths[1]} is missing; {repo.paths[2]} changed since; nothing was touched"
    )
    assert repo.listed() == names
    assert repo.paths[0].read_bytes() == NEW


def test_a_file_that_became_read_only_is_not_taken_back(repo: Repo) -> None:
    repo.begin()
    repo.become(NEW, OLD, NEW)
    repo.paths[2].chmod(0o444)
    with pytest.raises(OutlastError, match=r"c.yaml is read-only; nothing was touched"):
        undo(str(repo.root))
    assert repo.contents() == [NEW, OLD, NEW]


def test_what_others_change_while_it_is_undone_stays_and_is_named(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.begin()
    repo.become(NEW, OLD, NEW)
    before_call(monkeypatch, "chmod", 2, lambda: void(repo.paths[0].write_bytes(b"theirs")))
    a, b, c = repo.paths
    assert told(lambda: void(undo(str(repo.root)))) == (
        f"cannot take the interrupted change back: {a} changed meanwhile; {a} changed since, {b} is old, {c} is old; "
        f"{repo.root}/{NAME} stays, so that the change can be taken back later"
    )
    assert repo.contents() == [b"theirs", OLD, OLD]


def test_forgetting_leaves_files_as_they_are(repo: Repo) -> None:
    names = repo.listed()
    written = repo.begin()
    Path(written.temporary(written.entries[0])).write_bytes(b"half")
    repo.become(NEW, b"theirs", OLD)
    forget(str(repo.root))
    assert repo.contents() == [NEW, b"theirs", OLD]
    assert repo.listed() == names


def test_without_a_journal_there_is_nothing_to_tell_or_to_take_back(repo: Repo) -> None:
    names = repo.listed()
    assert interrupted(str(repo.root)) is None
    assert undo(str(repo.root)) == ()
    forget(str(repo.root))
    assert repo.listed() == names


def test_files_of_an_allowed_folder_are_taken_back_only_if_it_is_allowed_again(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_bytes(NEW)
    repo.begin([repo.paths[0], outside])
    for act in (interrupted, undo, forget):
        with pytest.raises(OutlastError, match=r"found '.*outside.yaml', which is not inside the folder of the spec"):
            act(str(repo.root))
    assert outside.read_bytes() == NEW
    assert undo(str(repo.root), allowed=[str(tmp_path)]) == (str(outside),)
    assert outside.read_bytes() == OLD


# Journals of strangers


def body(*paths: str, **changes: object) -> dict[str, object]:
    old, new = (base64.b64encode(content).decode() for content in (OLD, NEW))
    files = [{"path": path, "old": old, "new": new, **changes} for path in paths]
    return {"token": "0123456789abcdef", "files": files}


def sign(repo: Repo, content: object) -> Path:
    """Write a journal of any content as this user would here: the worst that a stranger could do."""
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    durable.write_new(str(repo.root / NAME), lambda inode: journal._signed(text, str(repo.root.resolve()), inode))
    return repo.root / NAME


def disbelieved(repo: Repo, pattern: str) -> None:
    names, contents = repo.listed(), repo.contents()
    acts: list[Callable[[str], object]] = [interrupted, undo, forget, lambda _: repo.write()]
    for act in acts:
        with pytest.raises(OutlastError, match=pattern):
            act(str(repo.root))
    assert repo.contents() == contents
    assert repo.listed() == names


@pytest.mark.parametrize(
    "path",
    ["../victim", "/etc/hostname", "deploy/../../victim", "./a.yaml", "deploy//b.yaml", "", ".", "..", "a\0b", "out/victim",
     "link.yaml", ".git/config", "deploy/.Git/x", NAME, ".outlast-0123456789abcdef-0", "deploy", "a.yaml/x"],
)  # fmt: skip
def test_a_journal_never_leads_outside_or_through_links(repo: Repo, tmp_path: Path, path: str) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(NEW)
    (repo.root / "out").symlink_to(tmp_path)
    (repo.root / "link.yaml").symlink_to(victim)
    (repo.root / ".git").mkdir()
    (repo.root / ".git/config").write_bytes(NEW)
    repo.become(OLD, OLD, OLD)
    sign(repo, body("a.yaml", path))
    with pytest.raises(OutlastError):
        undo(str(repo.root))
    assert victim.read_bytes() == NEW
    assert (repo.root / ".git/config").read_bytes() == NEW
    assert repo.contents() == [OLD] * 3


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b"1" * 10_000, b'{"token": NaN}',
        {"token": "0123456789abcdef", "files": []},
        {**body("a.yaml"), "token": "../../x"},
        {**body("a.yaml"), "token": 1},
        {"token": "0123456789abcdef", "files": [1]},
        {"token": "0123456789abcdef", "files": {"path": "a.yaml"}},
        body("a.yaml", "a.yaml"),
        body("a.yaml", old="%"), body("a.yaml", old=None), body("a.yaml", new="é"), body("a.yaml", new=3),
        body("a.yaml", new=base64.b64encode(OLD).decode()),
        body("a.yaml", path=1),
    ],
)  # fmt: skip
def test_a_damaged_journal_is_told(repo: Repo, content: object) -> None:
    sign(repo, content)
    disbelieved(repo, "to be a journal of outlast, found something else; look at it and remove it")


@pytest.mark.parametrize("text", [b"", b"{}", b"\0", b"[]\n{}", b'{"outlast-journal": 2, "signature": ""}\n{}',
                                  b'{"outlast-journal": 1}\n{}', b'{"outlast-journal": 1, "signature": "\\u00e9"}'])  # fmt: skip
def test_what_is_no_journal_at_all_is_told(repo: Repo, text: bytes) -> None:
    (repo.root / NAME).write_bytes(text)
    (repo.root / NAME).chmod(0o600)
    disbelieved(repo, "to be a journal of outlast, found something else; look at it and remove it")


def test_a_copied_journal_is_not_believed(repo: Repo) -> None:
    repo.begin()
    repo.become(NEW, OLD, OLD)
    path = repo.root / NAME
    content = path.read_bytes()
    (repo.root / "moved").write_bytes(content)
    (repo.root / "moved").chmod(0o600)
    os.replace(repo.root / "moved", path)
    disbelieved(repo, "found one that was written elsewhere or altered")


def test_a_journal_in_a_copied_folder_is_not_believed(repo: Repo, tmp_path: Path) -> None:
    repo.begin()
    repo.become(NEW, OLD, OLD)
    os.rename(repo.root, tmp_path / "clone")
    repo.root = tmp_path / "clone"
    repo.paths = [repo.root / "a.yaml", repo.root / "deploy/b.yaml", repo.root / "deploy/c.yaml"]
    disbelieved(repo, "found one that was written elsewhere or altered")


def test_an_altered_journal_is_not_believed(repo: Repo) -> None:
    repo.begin()
    repo.become(NEW, OLD, OLD)
    path = repo.root / NAME
    content = path.read_bytes()
    chance = random.Random(1)
    for _ in range(300):
        at = chance.randrange(len(content))
        kind = chance.randrange(3)
        altered = bytearray(content)
        if kind == 0:
            altered[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del altered[at : at + chance.randrange(1, 40)]
        else:
            altered[at:at] = altered[chance.randrange(len(content)) :][:20]
        if altered == content:
            continue
        path.write_bytes(altered)
        try:
            told = interrupted(str(repo.root))
        except OutlastError:
            continue
        # White space around the first line's values signs nothing.
        assert told is not None
        assert json.loads(altered.partition(b"\n")[0]) == json.loads(content.partition(b"\n")[0])
    path.write_bytes(content)
    assert interrupted(str(repo.root)) is not None


def test_a_journal_open_to_others_is_not_believed(repo: Repo) -> None:
    repo.begin()
    (repo.root / NAME).chmod(0o644)
    disbelieved(repo, "found a file of others or open to others")


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_a_journal_of_another_user_is_not_believed(repo: Repo) -> None:
    repo.begin()
    os.chown(repo.root / NAME, NOBODY, NOBODY)
    disbelieved(repo, "found a file of others or open to others")


@pytest.mark.parametrize("make", [os.link, os.symlink])
def test_a_journal_under_two_names_is_not_believed(repo: Repo, make: Callable[[Path, Path], None]) -> None:
    repo.begin()
    os.rename(repo.root / NAME, repo.root / "kept")
    make(repo.root / "kept", repo.root / NAME)
    disbelieved(repo, "to be a regular file with one name")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_journal_that_is_no_file_is_told_without_waiting(repo: Repo, make: Callable[[Path], None]) -> None:
    make(repo.root / NAME)
    disbelieved(repo, "to be a regular file with one name")


def test_a_huge_journal_is_not_read(repo: Repo) -> None:
    with (repo.root / NAME).open("wb") as file:
        file.truncate(2**40)
    (repo.root / NAME).chmod(0o600)
    disbelieved(repo, "to have at most 256 MB")
