from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from outlast.configs.gitignore import patterns_of
from outlast.configs.walk import LARGEST, Found, Skipped, contents, walk
from outlast.constraints.errors import InputErrors, OutlastError


def found(*paths: Path, skipped: list[Skipped] | None = None) -> list[str]:
    return [f.file for f in walk(paths, [] if skipped is None else skipped)]


def below(root: Path, *paths: Path) -> list[str]:
    """What is found, without the root's own path."""
    return [file.removeprefix(f"{root}/") for file in found(*(paths or (root,)))]


def write(root: Path, *names: str, text: str = "x\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def git(root: Path, *arguments: str, given: bytes = b"") -> list[str]:
    """What git answers with `-z`, without anybody's own configuration."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", "-C", root, *arguments], input=given, env=clean, stdout=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1), arguments
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


NAMES = ("a", "b", "ab", "a.log", "b.yaml", ".env", "x y", "café", "a[b]", "!c", "#d", "a*b", "aab", "deep")
PATTERNS = ("a", "/a", "a/", "/a/", "*.log", "!a.log", "a/*", "!a/b", "a/**", "**/b", "a/**/b", "**/a/**", "*/", "!*/", "*", "!*.yaml", "b?", "[ab]", "[!a]b",
            "[a-b]*", r"\!c", r"\#d", "#d", "!c", "x y", r"x\ y", "a.log ", "a  ", "/*", "!/a", "deep/a", "deep/*/a", "/**/ab", "a**b", "a/**/", "caf*",
            r"a\*b", r"a\[b\]", "a[[]b]", "[[:alpha:]]", "*[[:digit:]]*", "a\\", "!", "/", "//a", "b/.", "*a*b", ".*", "!.env", "**", "!**/b", "[", "[b",
            "a[]b]", "*.yaml\r", "!/b/", "ab/")  # fmt: skip


def make_tree(root: Path, chance: random.Random) -> None:
    for _ in range(40):
        parts = [chance.choice(NAMES) for _ in range(chance.choice((1, 2, 2, 3, 3, 4)))]
        path = root.joinpath(*parts)
        if not any(p.is_file() for p in [path, *path.parents][: len(parts)]) and not path.is_dir():
            write(root, "/".join(parts))
    folders = [root, *sorted(p for p in root.rglob("*") if p.is_dir() and ".git" not in p.parts)]
    for folder in chance.sample(folders, min(len(folders), 4)):
        lines = [chance.choice(PATTERNS) for _ in range(chance.choice((1, 2, 3, 6)))]
        (folder / ".gitignore").write_bytes("\n".join(lines).encode() + chance.choice((b"\n", b"")))


@pytest.mark.parametrize("seed", range(60))
def test_what_is_found_is_what_git_lists(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    git(tmp_path, "init", "-q")
    make_tree(tmp_path, chance)
    (tmp_path / ".git/info/exclude").write_text(chance.choice(PATTERNS) + "\n", encoding="utf-8")
    listed = git(tmp_path, "ls-files", "-co", "--exclude-standard", "-z")
    assert below(tmp_path) == sorted(listed)
    every = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    every = [name for name in every if not name.startswith(".git/")]
    told = "\0".join(every).encode()
    ignored = set(git(tmp_path, "check-ignore", "--no-index", "-z", "--stdin", given=told))
    assert below(tmp_path) == [name for name in every if name not in ignored]


def test_a_folder_inside_a_repository_is_judged_by_the_patterns_above_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "a/b/x.log", "a/b/x.yaml", "a/b/keep.log", "a/b/own")
    write(tmp_path, ".gitignore", text="*.log\n/own\n")
    write(tmp_path, "a/.gitignore", text="!keep.log\n")
    assert below(tmp_path, tmp_path / "a/b") == ["a/b/keep.log", "a/b/own", "a/b/x.yaml"]


def test_an_ignored_folder_that_is_named_is_read(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, "gen/x.yaml", "vendor/y.yaml", "vendor/vendor/z.yaml")
    write(tmp_path, ".gitignore", text="gen/\n")
    assert below(tmp_path) == [".gitignore"]
    assert below(tmp_path, tmp_path / "gen", tmp_path / "vendor") == ["gen/x.yaml", "vendor/y.yaml"]


def test_an_ignored_file_that_is_named_is_found(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, ".env")
    write(tmp_path, ".gitignore", text=".env\n")
    (named,) = walk([tmp_path / ".env"], [])
    assert named == Found(str(tmp_path / ".env"), f"{tmp_path}/.env", True)


def test_patterns_around_a_repository_do_not_count_inside_it(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", text="*.yaml\n")
    git(tmp_path, "init", "-q")
    (tmp_path / "inner").mkdir()
    git(tmp_path / "inner", "init", "-q")
    write(tmp_path, "x.yaml", "inner/x.yaml", "inner/y.txt")
    (tmp_path / "inner/.git/info/exclude").write_text("y.txt\n", encoding="utf-8")
    assert below(tmp_path) == [".gitignore", "inner/x.yaml"]


def test_without_a_repository_patterns_count_from_the_given_folder_on(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", text="x.yaml\n")
    write(tmp_path, "a/x.yaml", "a/y.yaml", "a/b/y.yaml")
    write(tmp_path, "a/.gitignore", text="/y.yaml\n")
    assert below(tmp_path, tmp_path / "a") == ["a/.gitignore", "a/b/y.yaml", "a/x.yaml"]


@pytest.mark.parametrize("folder", ["vendor", "node_modules", "third_party", ".venv", "venv", "site-packages", "dist", "build", "target", "__pycache__",
                                    ".terraform", "Pods", "bower_components", ".git"])  # fmt: skip
def test_folders_of_others_are_left_out(tmp_path: Path, folder: str) -> None:
    write(tmp_path, f"{folder}/a.yaml", f"x/{folder}/a.yaml", f"my{folder}/a.yaml")
    assert below(tmp_path) == [f"my{folder}/a.yaml"]


def test_minified_lock_and_generated_files_are_left_out(tmp_path: Path) -> None:
    out = [
        "a.min.js",
        "package-lock.json",
        "pnpm-lock.yaml",
        "go.sum",
        "Cargo.lock",
        "api.pb.go",
        "api_pb2.py",
        ".terraform.lock.hcl",
        "a.js.map",
    ]
    kept = ["a.js", "admin.js", "clock.json", "lock.yaml", "min.js", "pb.go", "sum.go"]
    write(tmp_path, *out, *kept)
    assert below(tmp_path) == kept


def test_each_file_is_found_once_in_the_order_of_names(tmp_path: Path) -> None:
    write(tmp_path, "b/a", "b.yaml", "b-c", "a/z", "a/b")
    every = ["a/b", "a/z", "b-c", "b.yaml", "b/a"]
    assert below(tmp_path) == every
    assert below(tmp_path, tmp_path / "b", tmp_path, tmp_path / "b/a", tmp_path / "a/../b.yaml") != []
    files = list(walk([tmp_path / "b", tmp_path, tmp_path / "b/a"], []))
    assert [f.file.removeprefix(f"{tmp_path}/") for f in files] == every
    assert [f.is_named for f in files] == [False, False, False, False, True]


def test_names_are_relative_where_the_path_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a/b", "c")
    monkeypatch.chdir(tmp_path)
    assert found(Path()) == ["a/b", "c"]
    assert found(Path("a")) == ["a/b"]
    assert found(Path("../") / tmp_path.name / "a") == [f"../{tmp_path.name}/a/b"]


def test_a_link_inside_the_tree_is_read_once_and_none_leads_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "a.yaml", "vendor/b.yaml", "gen/c.yaml")
    write(root, ".gitignore", text="gen/\n")
    write(tmp_path, "secret.yaml", "root-2/x.yaml")
    for name, target in (("1", "a.yaml"), ("2", "../secret.yaml"), ("3", "/etc/passwd"), ("4", "vendor/b.yaml"), ("5", "gen/c.yaml"), ("6", "gen/c.yaml"),
                         ("7", "7"), ("8", "nothing"), ("9", "../root-2/x.yaml"), ("loop", "."), ("out", "..")):  # fmt: skip
        (root / name).symlink_to(target)
    assert below(root) == [".gitignore", "5", "a.yaml"]
    assert below(tmp_path, root / "2") == ["root/2"]


def test_pipes_and_sockets_are_passed_by(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    assert below(tmp_path) == ["a.yaml"]
    (named,) = walk([tmp_path / "pipe.yaml"], [])
    with pytest.raises(OutlastError, match="a pipe"):
        contents(named, [])


def test_names_that_are_no_utf8_are_found_and_judged(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_bytes(b"a: 1\n")
    (tmp_path / os.fsdecode(b"\xfe.yaml")).write_bytes(b"a: 1\n")
    (tmp_path / ".gitignore").write_bytes(b"\xfe*\n")
    files = [f for f in walk([tmp_path], []) if f.path.endswith(".yaml")]
    assert [os.fsencode(f.path).rpartition(b"/")[2] for f in files] == [b"\xff.yaml"]
    assert contents(files[0], []) == b"a: 1\n"


def test_paths_that_do_not_exist_are_all_told(tmp_path: Path) -> None:
    with pytest.raises(InputErrors) as caught:
        walk([tmp_path / "no", tmp_path, tmp_path / "never\n", Path("a\0b")], [])
    assert [e.message.rpartition("/")[2] for e in caught.value.exceptions] == [
        "never: no such file or directory",
        "no: no such file or directory",
        "expected a path, found 'a\\x00b'",
    ]


def test_what_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a/x.yaml", "b/y.yaml")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    skipped: list[Skipped] = []
    assert found(tmp_path, skipped=skipped) == [f"{tmp_path}/b/y.yaml"]
    assert skipped == [Skipped(f"{tmp_path}/a", "cannot be read: permission denied")]


def test_binary_minified_and_large_files_are_not_read_unless_named(tmp_path: Path) -> None:
    (tmp_path / "binary.yaml").write_bytes(b"a" * 8000 + b"\0")
    (tmp_path / "late.yaml").write_bytes(b"a" * 8192 + b"\0")
    (tmp_path / "code.js").write_bytes(b"a;" * 5000)
    (tmp_path / "large.yaml").write_bytes(b"a" * (LARGEST + 1))
    (tmp_path / "largest.yaml").write_bytes(b"a" * LARGEST)
    skipped: list[Skipped] = []
    read = [f.file.rpartition("/")[2] for f in walk([tmp_path], []) if contents(f, skipped) is not None]
    assert read == ["largest.yaml", "late.yaml"]
    assert [s.file.rpartition("/")[2] for s in skipped] == ["large.yaml"]
    assert "larger than 4 MB" in skipped[0].reason
    for name in ("binary.yaml", "code.js", "large.yaml"):
        (named,) = walk([tmp_path / name], [])
        assert contents(named, []) == (tmp_path / name).read_bytes()


def test_deep_folders_end_somewhere(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 103)
    write(deep, "x.yaml")
    write(deep.parents[2], "y.yaml")
    skipped: list[Skipped] = []
    assert [f.rpartition("/")[2] for f in found(tmp_path, skipped=skipped)] == ["y.yaml"]
    assert [s.reason for s in skipped] == ["more than 100 folders deep"]


@pytest.mark.parametrize(
    "line", ["*a" * 40 + "b", "*a*" * 30 + "b", "**/a/" * 30 + "b", "a*" * 60, "?*" * 40 + "b", "[a]*" * 40 + "b"]
)
def test_no_pattern_takes_long(tmp_path: Path, line: str) -> None:
    write(tmp_path, ".gitignore", text=line + "\n")
    patterns = patterns_of(str(tmp_path / ".gitignore"), "/")
    began = time.process_time()
    if patterns is not None:
        patterns.ignores("/" + "/".join(["a" * 120, "a" * 250, *["a"] * 90]), is_folder=False)
    assert time.process_time() - began < 1


def test_a_link_instead_of_patterns_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "root/x.yaml", "patterns", text="x.yaml\n")
    (tmp_path / "root/.gitignore").symlink_to("../patterns")
    assert below(tmp_path / "root") == ["x.yaml"]
