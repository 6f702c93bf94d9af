"""Reading revisions: what git has is read just as it would be from disk, nothing is written, and what cannot be answered is said."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.repository import git
from outlast.configs.git import Repository
from outlast.configs.hunks import hunks_in
from outlast.configs.walk import Skipped, walk
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.files import DISK, TooLargeError
from outlast.constraints.loading import load_spec
from outlast.constraints.model import Spec
from outlast.linting import lint_files
from outlast.reports.lint_data import lint_data

DATA = Path(__file__).parents[1] / "data"


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "more")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, and the current folder in it."""
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "a.env").write_text("A=1\nB=2\nC=3\n")
    (folder / "sub" / "b.env").write_text("".join(f"LONG_{i}=1\n" for i in range(20)))
    commit(folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def around() -> Iterator[Callable[[Path], Repository]]:
    """Opens repositories, and closes them."""
    opened: list[Repository] = []

    def open_(folder: Path) -> Repository:
        opened.append(Repository.around(folder))
        return opened[-1]

    yield open_
    for repository in opened:
        repository.close()


Around = Callable[[Path], Repository]


def error(call: Callable[..., object], *arguments: object) -> str:
    with pytest.raises(OutlastError) as raised:
        call(*arguments)
    assert raised.value.place is None
    return raised.value.message


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """All files, those of git included, with their times."""
    return {
        str(path): ((status := path.lstat()).st_mtime_ns, status.st_ino, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_reading_and_comparing_writes_nothing_even_where_git_would_refresh_its_index(
    project: Path, around: Around
) -> None:
    (project / "new.env").write_text("N=1\n")
    (project / "a.env").write_text("A=1\nB=3\nC=3\n")
    os.utime(project / "sub" / "b.env", (1, 1))  # the index holds another time
    before = state(project)
    repository = around(project / "sub")
    base = repository.commit("HEAD")
    repository.revision(base).read("a.env")
    changed = repository.changed(base, None)
    lines = repository.changed_lines(base, None, changed)
    _ = (repository.submodules, repository.renames(base, None), repository.merge_base(base, base))
    assert state(project) == before
    assert changed == {"a.env", "new.env"}  # not b.env, whose time alone differs
    assert lines == {"a.env": {2}, "new.env": {1}}


def test_files_are_those_of_the_commit_whatever_the_worktree_holds(
    project: Path, around: Around, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.env").write_text("changed")
    shutil.rmtree(project / "sub")
    (project / "later.env").write_text("L=1\n")
    repository = around(project)
    revision = repository.revision(repository.commit("HEAD"))
    assert revision.read("a.env") == revision.read(project / "a.env") == b"A=1\nB=2\nC=3\n"
    assert sorted(revision.entries(".")) == [("a.env", "file"), ("sub", "folder")]
    assert (revision.what("sub"), revision.what("sub/b.env")) == ("folder", "file")
    assert revision.names == ("a.env", "sub/b.env")
    monkeypatch.chdir(project.parent)
    assert revision.read("project/sub/../a.env") == b"A=1\nB=2\nC=3\n"
    # As errors of the disk are worded, so that a reader finds no difference.
    for path in ("project/no.env", "project/a.env/x", "project/later.env"):
        (project / "later.env").unlink(missing_ok=True)
        assert error(revision.read, path) == error(DISK.read, path)
        assert error(revision.what, path) == error(DISK.what, path)
    assert error(revision.read, "project") == error(DISK.read, "project")
    assert error(revision.entries, "project/no") == error(DISK.entries, "project/no")
    assert error(revision.entries, "project/a.env") == error(DISK.entries, "project/a.env")
    assert error(revision.read, "a\0b") == error(DISK.read, "a\0b")
    assert "outside of the repository" in error(revision.read, "other.env")


def test_links_lead_where_they_would_on_disk(project: Path, around: Around) -> None:
    (project.parent / "out.env").write_text("OUT=1\n")
    targets = {
        "in.env": "sub/b.env", "sub/up.env": "../a.env", "folder": "sub", "whole.env": str(project / "a.env"), "twice.env": "folder/up.env",
        "out.env": "../out.env", "nowhere.env": "no.env", "loop.env": "loop.env", "sub/round": "../sub/round/x", "back.env": "../project/a.env",
        "slash": "sub/",
    }  # fmt: skip
    for name, target in targets.items():
        (project / name).symlink_to(target)
    commit(project)
    repository = around(project)
    revision = repository.revision(repository.commit("HEAD"))
    for name in (*targets, "folder/up.env", "folder/../a.env", "slash/b.env", ".", "sub/", "folder/"):
        assert revision.what(name, follow=False) == DISK.what(name, follow=False), name
        if name in ("loop.env", "sub/round"):
            assert error(revision.read, name) == error(DISK.read, name) == error(revision.what, name)
            continue
        assert revision.resolve(name) == DISK.resolve(name), name
        if name == "out.env":
            assert "outside of the repository" in error(revision.read, name)
        elif name == "nowhere.env":
            assert error(revision.read, name) == error(DISK.read, name)
        elif DISK.what(name) == "file":
            assert revision.read(name) == DISK.read(name), name
    on_disk: list[Skipped] = []
    in_revision: list[Skipped] = []
    assert list(walk([Path()], in_revision, revision)) == list(walk([Path()], on_disk))
    assert in_revision == on_disk


@pytest.mark.parametrize("name", ["with blank", "new\nline", 'quo"te', "tab\there", "-dash", "*", ":(top)x", "naïve"])
def test_odd_names_are_names(project: Path, around: Around, name: str) -> None:
    (project / name).write_text("a\n")
    base = commit(project)
    (project / name).write_text("a\n++ b/else\n")
    repository = around(project)
    assert repository.revision(base).read(name) == b"a\n"
    assert repository.changed_lines(base, None, [name]) == {name: {2}}


def test_names_that_are_not_utf_8_are_read(project: Path, around: Around) -> None:
    name = os.fsdecode(b"\xff.env")
    Path(name).write_text("a\n")
    base = commit(project)
    repository = around(project)
    Path(name).write_text("b\n")
    assert repository.revision(base).read(name) == b"a\n"
    assert repository.changed_lines(base, None, [name]) == {name: {1}}


def test_large_and_binary_files_are_read_whole_or_refused_and_others_after_them(project: Path, around: Around) -> None:
    large = os.urandom(3 * 2**20)
    (project / "large.bin").write_bytes(large)
    (project / "empty.env").write_bytes(b"")
    (project / "pointer.yaml").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    head = commit(project)
    revision = around(project).revision(head)
    assert revision.read("large.bin") == large
    with pytest.raises(TooLargeError, match=r"at most 1 MB, found large\.bin"):
        revision.read("large.bin", 2**20)
    assert revision.read("empty.env") == b""
    assert "git lfs" in error(revision.read, "pointer.yaml")
    assert revision.read("a.env", 12) == b"A=1\nB=2\nC=3\n"
    with pytest.raises(TooLargeError):
        revision.read("a.env", 11)


def test_what_a_partial_clone_leaves_out_is_missing_and_not_fetched(
    project: Path, tmp_path: Path, around: Around
) -> None:
    git(project, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", project.as_uri(), "partial")
    repository = around(tmp_path / "partial")
    revision = repository.revision(repository.commit("HEAD"))
    before = state(tmp_path / "partial")
    for name in ("a.env", "sub/b.env"):
        assert "may be a partial one" in error(revision.read, tmp_path / "partial" / name)
    assert state(tmp_path / "partial") == before
    git(tmp_path / "partial", "cat-file", "blob", "HEAD:a.env")  # which fetches it
    assert "may be a partial one" in error(revision.read, tmp_path / "partial" / "sub" / "b.env")
    assert revision.read(tmp_path / "partial" / "a.env") == b"A=1\nB=2\nC=3\n"


def test_changed_lines_are_those_of_the_new_version(project: Path, around: Around) -> None:
    base = git(project, "rev-parse", "HEAD")
    git(project, "mv", "sub/b.env", "sub/c.env")
    (project / "sub" / "c.env").write_text((project / "sub" / "c.env").read_text().replace("LONG_3=1", "LONG_3=9"))
    (project / "a.env").write_text("NEW=0\nA=1\nC=3")  # one line more, one fewer, and the last one without its end
    (project / "bin.env").write_bytes(b"\0\n\0\n")
    head = commit(project)
    repository = around(project)
    assert repository.renames(base, head) == {"sub/c.env": "sub/b.env"}
    assert repository.changed(base, head) == {"a.env", "bin.env", "sub/b.env", "sub/c.env"}
    everything = repository.changed(base, head)
    assert repository.changed_lines(base, head, everything) == {"a.env": {1, 3}, "bin.env": {1, 2}, "sub/c.env": {4}}
    assert repository.changed_lines(base, head, ["sub/c.env"]) == {"sub/c.env": {4}}
    assert repository.changed_lines(base, None, everything) == repository.changed_lines(base, head, everything)
    assert repository.changed(head, None) == frozenset()


def test_lines_of_a_patch_that_look_like_its_own_are_only_lines() -> None:
    patch = (
        b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n-@@ -1 +50 @@\n\\ No newline at end of file\n"
        b"+diff --git a/y b/y\n+++ b/evil\n\\ No newline at end of file\ndiff --git a/z b/z\n--- a/z\n+++ b/z\n@@ -0,0 +7 @@\n+z\n"
    )
    found = {name: [line for hunk in hunks for line in hunk.added()] for name, hunks in hunks_in(patch)}
    assert found == {"x": [1, 2], "z": [7]}


def test_a_shallow_clone_says_how_to_get_the_rest(project: Path, tmp_path: Path, around: Around) -> None:
    first = git(project, "rev-parse", "HEAD")
    git(project, "branch", "old")
    (project / "a.env").write_text("A=2\n")
    commit(project)
    git(tmp_path, "clone", "--quiet", "--depth=1", project.as_uri(), "shallow")
    repository = around(tmp_path / "shallow")
    assert repository.is_shallow
    assert not around(project).is_shallow
    for revision in ("HEAD~1", first, "old"):
        assert "the clone is shallow" in error(repository.commit, revision)
        assert "fetch-depth: 0" in error(repository.commit, revision)
    assert "git fetch origin old:refs/remotes/origin/old" in error(repository.commit, "origin/old")
    git(tmp_path / "shallow", "fetch", "--quiet", "--depth=1", "origin", "old:refs/remotes/origin/old")
    old, new = repository.commit("origin/old"), repository.commit("HEAD")
    assert "--unshallow" in error(repository.merge_base, old, new)
    assert repository.changed_lines(old, new, ["a.env"]) == {"a.env": {1}}


def test_a_branch_that_is_on_the_remote_only_is_pointed_at(project: Path, tmp_path: Path, around: Around) -> None:
    git(project, "branch", "release")
    git(tmp_path, "clone", "--quiet", project.as_uri(), "clone")
    repository = around(tmp_path / "clone")
    message = error(repository.commit, "release")
    assert message == "cannot find the commit 'release'; there is origin/release"
    assert repository.commit("origin/release") == repository.commit("HEAD")


def test_revisions_that_are_no_commit_are_refused(project: Path, around: Around) -> None:
    repository = around(project)
    git(project, "tag", "--annotate", "--message", "x", "v1")
    assert repository.commit("v1") == repository.commit("HEAD") == git(project, "rev-parse", "HEAD")
    for bad in ("", "-h", "--all", "a\0b"):
        assert "expected a revision" in error(repository.commit, bad)
    assert "found a tree" in error(repository.commit, "HEAD^{tree}")
    assert "cannot find" in error(repository.commit, "no\nsuch")
    assert "cannot find" in error(repository.commit, "HEAD..HEAD")
    git(project, "config", "core.warnAmbiguousRefs", "false")
    git(project, "branch", "both")
    git(project, "tag", "both")
    assert "both a branch and a tag" in error(repository.commit, "both")
    assert repository.commit("refs/heads/both")


def test_histories_that_never_met_have_no_base(project: Path, around: Around) -> None:
    one = git(project, "rev-parse", "HEAD")
    git(project, "checkout", "--quiet", "--orphan", "other")
    (project / "a.env").write_text("other\n")
    other = commit(project)
    message = error(around(project).merge_base, one, other)
    assert message == f"cannot find a commit that both {one[:12]} and {other[:12]} come from"


def test_a_detached_head_in_a_linked_worktree_is_read_from_there(project: Path, around: Around) -> None:
    first = git(project, "rev-parse", "HEAD")
    (project / "a.env").write_text("A=2\n")
    commit(project)
    git(project, "worktree", "add", "--quiet", "--detach", "../linked", first)
    linked = project.parent / "linked"
    repository = around(linked / "sub")
    assert (repository.top, repository.commit("HEAD")) == (str(linked), first)
    assert repository.revision(first).read(linked / "a.env") == b"A=1\nB=2\nC=3\n"
    assert repository.changed(first, None) == frozenset()


def test_variables_that_a_hook_sets_do_not_lead_elsewhere(
    project: Path, around: Around, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "nowhere")
    monkeypatch.setenv("GIT_GLOB_PATHSPECS", "1")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    repository = around(project / "sub")
    (project / "a.env").write_text("A=2\n")
    assert repository.changed_lines("HEAD", None, ["a.env"]) == {"a.env": {1}}


def test_a_submodule_is_named_where_its_files_are_asked_for(project: Path, tmp_path: Path, around: Around) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    (other / "c.env").write_text("C=1\n")
    commit(other)
    git(project, "submodule", "--quiet", "add", other.as_uri(), "libs/other")
    head = commit(project)
    repository = around(project)
    revision = repository.revision(head)
    assert revision.submodules == repository.submodules == ("libs/other",)
    assert DISK.read("libs/other/c.env") == b"C=1\n"
    assert "in the submodule 'libs/other'" in error(revision.read, "libs/other/c.env")
    skipped: list[Skipped] = []
    assert [found.file for found in walk([Path()], skipped, revision)] == [".gitmodules", "a.env", "sub/b.env"]
    assert [each.file for each in skipped] == ["libs/other"]
    (project / "libs" / "other" / "c.env").write_text("C=2\n")
    assert repository.changed(head, None) == frozenset()  # what is in there is another repository's


def test_nothing_that_a_repository_configures_is_run(project: Path, around: Around) -> None:
    base = git(project, "rev-parse", "HEAD")
    marker = project.parent / "ran"
    program = project.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    keys = ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "diff.d.textconv", "diff.d.command")
    filters = ("filter.f.clean", "filter.f.process", "filter.with=sign.clean", "filter.F x.y.clean")
    for key in (*keys, *filters):
        git(project, "config", key, str(program))
    git(project, "config", "filter.f.required", "true")
    (project / ".gitattributes").write_text("a.env diff=d filter=f\nsub/b.env filter=with=sign\n")
    (project / "a.env").write_text("A=2\n")
    (project / "sub" / "b.env").write_text("B=2\n")
    repository = around(project)
    assert repository.changed_lines(base, None, ["a.env", "sub/b.env"]) == {"a.env": {1}, "sub/b.env": {1}}
    repository.revision(base).read("a.env")
    _ = repository.submodules
    assert not marker.exists()
    git(project, "status")
    assert marker.exists()  # git itself would have run it


def test_where_there_is_no_worktree_git_is_not_asked_further(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    git(tmp_path, "init", "--quiet", "--bare", "bare")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert "in a git repository, found none" in error(Repository.around, tmp_path / "plain")
    assert "found a bare one" in error(Repository.around, tmp_path / "bare")
    assert "inside git's own" in error(Repository.around, project / ".git")
    assert "cannot look at" in error(Repository.around, tmp_path / "no such")
    assert "expected a path" in error(Repository.around, Path("a\0b"))
    monkeypatch.setenv("PATH", str(tmp_path / "plain"))
    assert "not installed" in error(Repository.around, project)


def test_a_repository_of_another_user_is_refused_with_gits_advice(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_ = project.parent / "bin"
    bin_.mkdir()
    advice = f"git config --global --add safe.directory {project}"
    (bin_ / "git").write_text(
        f"#!/bin/sh\nprintf >&2 \"fatal: detected dubious ownership in repository at '%s'\\nTo add an exception, call:\\n\\n\\t%s\\n\" x '{advice}'\nexit 128\n"
    )
    (bin_ / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    assert error(Repository.around, project).endswith(f"which another user owns; if you trust it: {advice}")


def test_a_repository_without_commits_says_so(tmp_path: Path, around: Around) -> None:
    git(tmp_path, "init", "--quiet", "empty")
    assert error(around(tmp_path / "empty").commit, "HEAD") == (
        "cannot find the commit 'HEAD': the repository has no commits yet"
    )


def test_names_and_paths_lead_to_each_other(project: Path, around: Around, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = around(project)
    monkeypatch.chdir(project / "sub")
    assert [repository.name(path) for path in ("b.env", "../a.env", project / "a.env", "..", "../..", "a\0b")] == [
        "sub/b.env",
        "a.env",
        "a.env",
        None,
        None,
        None,
    ]
    assert repository.path("sub/b.env") == "b.env"
    assert repository.path("a.env") == str(project / "a.env")


def test_a_spec_reads_what_it_extends_and_measures_from_the_revision(project: Path, around: Around) -> None:
    (project / "base.yaml").write_text(
        "outlast: 1\nparameters: { b: { fixed: 2s } }\nmeasurements: { taken: { samples: m.txt, unit: ms } }\n"
    )
    (project / "outlast.yaml").write_text(
        "outlast: 1\nextends: base.yaml\nparameters: { a: { fixed: 1s } }\nrules: { r: { require: a < b } }\n"
    )
    (project / "m.txt").write_text("1\n2\n3\n")
    head = commit(project)

    def read(spec: Spec) -> object:
        sample = spec.measurements["taken"].sample
        return spec.parameters, spec.rules, spec.sources, sample.size

    before = load_spec(Path("outlast.yaml"))
    for name in ("base.yaml", "outlast.yaml", "m.txt"):
        (project / name).unlink()
    revision = around(project).revision(head)
    assert read(load_spec(Path("outlast.yaml"), store=revision)) == read(before)
    with pytest.raises(InputErrors):
        load_spec(Path("outlast.yaml"))


LINTED = ["apache-pool-outlives-gunicorn", "compose-stops-before-workers", "k8s-alb-outlasts-server"]


def test_lint_of_a_clean_worktree_and_of_its_commit_find_the_same(project: Path, around: Around) -> None:
    for name in LINTED:
        shutil.copytree(DATA / "unhealthy" / name, project / name)
    (project / ".gitignore").write_text("kept.yaml\n*.tmp.yaml\n")
    shutil.copy(project / LINTED[1] / "compose.yaml", project / "kept.yaml")
    (project / "binary.yaml").write_bytes(b"a: \0\n")
    (project / ".git" / "info" / "exclude").write_text("k8s-*\n")
    git(project, "add", "--force", ".")
    head = commit(project)
    on_disk = lint_data(lint_files([Path()]))
    in_commit = lint_files([Path()], around(project).revision(head))
    assert len(in_commit.findings) == 2
    assert lint_data(in_commit) == on_disk
