"""Specs from strangers: whatever stands in them, loading ends soon, with a spec or with errors."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.loading import load_spec
from outlast.constraints.model import Spec

GOOD = b"""\
outlast: 1
title: "Coin \\u00e9"
aim: 80%
confidence: 90%
parameters:
  deadline: { fixed: 10s, why: "the SLO, as agreed", reviewed: 2026-11-01, cost: 2 }
  pods: { fact: 40..400 }
  ping: &p { free: 100ms..60s, step: 100ms, current: 10s, prefer: low }
  other: *p
  idle: { free: [0, 5s, 1m30s, off], zero: infinite, unset: 5s }
  drain: { derived: "max(ping, other) + 5s" }
  any_one: { free: any }
measurements:
  rtt: { samples: rtt.csv, unit: ms, taken: 2026-10-20, lost: 1 }
rules:
  outlasts:
    require: ping + p90(rtt) < any_one < deadline
    margin: 20%
    aim: 50%
    level: should
    weight: 2.5
  no-flood: { require: "pods / ping < 100/s and not (other == 5s)", when: idle is off => drain > 1s, needs_on: [ping] }
  text:
    require: >-
      ping <
      idle
    breaks: 'it''s bad'
"""

TOKENS = [
    b"@", b"`", b"%", b"#", b" #x", b": ", b":", b", ", b"{", b"}", b"[", b"]", b"&a ", b"*a", b"*p", b"!!int ", b"<<: ", b"'",
    b'"', b"|", b">", b"\\", b"\t", b"\r", b"\n", b"\n\n", b"  ", b"---\n", b"...", b"- ", b"? ", b"~", b"null", b"off",
    b"infinite", b"any", b"..", b"1e9", b"9" * 50, b"0", b"-1", b"0s", b"10 s", b"<", b"==", b"=>", b" and ", b"not ",
    b"p99(rtt)", b"p0(rtt)", b"if(", b")", b"(", b"+", b"/", b"*", b"max(", b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    b"\xe2\x80\xa8", b"extends: outlast.yaml\n", b"extends: ..\n", b"derived: drain", b"fixed: ", b"fact: ", b"free: ",
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = GOOD
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        length = draw(st.sampled_from([0, 1, 1, 2, 5, 20, 80]))
        part = data[start : start + length]
        match draw(st.sampled_from(["delete", "insert", "repeat", "move", "replace"])):
            case "delete":
                data = data[:start] + data[start + length :]
            case "insert":
                data = data[:start] + draw(st.sampled_from(TOKENS)) + data[start:]
            case "repeat":
                data = data[:start] + part * draw(st.sampled_from([2, 3, 50])) + data[start + length :]
            case "move":
                data = data[:start] + data[start + length :]
                target = draw(st.integers(0, len(data)))
                data = data[:target] + part + data[target:]
            case _:
                data = data[:start] + draw(st.sampled_from(TOKENS)) + data[start + length :]
    return data


def outcome(path: Path, **options: object) -> Spec | InputErrors:
    """The spec or its errors, each of which has a place and a message on one line."""
    try:
        return load_spec(path, **options)  # type: ignore[arg-type]  # passed through
    except InputErrors as caught:
        errors = caught
    assert errors.exceptions
    for error in errors.exceptions:
        assert isinstance(error, OutlastError)
        assert error.place is not None
        assert error.place.line >= 1
        assert error.place.col >= 1
        assert error.message.isprintable(), error.message
        assert len(error.message) < 1000
    return errors


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spec")
    (folder / "rtt.csv").write_text("\n".join(str(i) for i in range(100)))
    return folder


def test_the_spec_that_is_mutated_is_good(folder: Path) -> None:
    (folder / "outlast.yaml").write_bytes(GOOD)
    assert isinstance(outcome(folder / "outlast.yaml"), Spec)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=mutated())
def test_a_mutated_spec_gives_a_spec_or_errors(folder: Path, data: bytes) -> None:
    (folder / "outlast.yaml").write_bytes(data)
    outcome(folder / "outlast.yaml")


@settings(max_examples=60, deadline=None)
@given(
    override=st.text(max_size=20) | st.sampled_from(["ping=", "=5s", "ping=x", "drain=5s", "ping=5s\x1b", "pods=1..2"])
)
def test_any_override_gives_a_spec_or_errors(folder: Path, override: str) -> None:
    (folder / "set.yaml").write_bytes(GOOD)
    outcome(folder / "set.yaml", overrides=[override])


def complaint(path: Path, data: bytes | None = None) -> str:
    """The only error of a spec, loaded in little time."""
    if data is not None:
        path.write_bytes(data)
    start = time.process_time()
    found = outcome(path)
    assert time.process_time() - start < 5
    assert isinstance(found, InputErrors)
    (error,) = found.exceptions
    assert isinstance(error, OutlastError)
    return error.message


def bomb(levels: int) -> bytes:
    """Lists of nine aliases each, one level upon the other."""
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join(lines).encode()


HOSTILE: list[tuple[str, Callable[[], bytes], str]] = [
    ("alias bomb", lambda: bomb(20), "expected at most 200000 values, aliases counted at each use, found more"),
    (
        "text bomb",
        lambda: b"a: &a " + b"x" * 100_000 + b"\nb: [" + b"*a, " * 1_000 + b"]\n",
        "expected at most 8388608 characters, aliases counted at each use, found more",
    ),
    (
        "many values",
        lambda: b"- a\n" * 250_000,
        "expected at most 200000 values, aliases counted at each use, found more",
    ),
    ("brackets", lambda: b"[" * 200_000, "expected at most 32 levels of nesting, found more"),
    ("braces", lambda: b"{a: " * 200_000, "expected at most 32 levels of nesting, found more"),
    ("dashes", lambda: b"- " * 200_000, "expected at most 32 levels of nesting, found more"),
    ("recursion", lambda: b"outlast: &a {x: *a}\n", "found the alias '*a' inside the value that it stands for"),
    (
        "chains",
        lambda: b"outlast: 1\nrules:\n" + b"".join(b"  a%d: {require: 0s%s}\n" % (i, b"<1s" * 5_000) for i in range(5)),
        "expected at most 20000 rules, each link of a chain counted, found more",
    ),
    ("empty", lambda: b"", "found an empty file, expected a spec"),
    ("a list", lambda: b"- a\n", "expected 'outlast: 1' and sections such as 'parameters:' and 'rules:'"),
    ("a text", lambda: b"outlast", "expected 'outlast: 1' and sections such as 'parameters:' and 'rules:'"),
    (
        "many parameters",
        lambda: b"outlast: 1\nparameters:\n  <: &p {fixed: 1s}\n" + b"".join(b"  a%d: *p\n" % i for i in range(20_001)),
        "expected at most 20000 parameters, found 20002",
    ),
]


@pytest.mark.parametrize(("make", "message"), [h[1:] for h in HOSTILE], ids=[h[0] for h in HOSTILE])
def test_a_hostile_text_ends_in_one_error(tmp_path: Path, make: Callable[[], bytes], message: str) -> None:
    assert complaint(tmp_path / "outlast.yaml", make()) == message


def test_a_scalar_of_50_megabytes_is_not_read(tmp_path: Path) -> None:
    message = complaint(tmp_path / "outlast.yaml", b"outlast: 1\ntitle: " + b"x" * 50_000_000)
    assert message.startswith("expected a file of at most 8 MB")


@pytest.mark.parametrize("digits", [20, 5_000, 1_000_000])
def test_a_huge_number_is_an_error(tmp_path: Path, digits: int) -> None:
    number = b"9" * digits
    spec = b"outlast: 1\nparameters:\n  a: { fixed: " + number + b"s }\n"
    assert "largest number is 9223372036854775807" in complaint(tmp_path / "outlast.yaml", spec) or digits > 20
    spec = (
        b"outlast: 1\nparameters:\n  a: { fixed: 1s }\nrules:\n  r: { require: a < 5s, level: should, weight: "
        + number
        + b" }\n"
    )
    assert complaint(tmp_path / "outlast.yaml", spec).startswith("expected a number greater than 0")


@pytest.mark.parametrize(
    "spec",
    [
        b"  a%d: {derived: a%d + 1s}\n",
        b"  a%d: {derived: a%d + p99(rtt)}\n",
    ],
)
def test_a_long_chain_of_derived_parameters_is_no_deep_recursion(tmp_path: Path, spec: bytes) -> None:
    lines = b"".join(spec % (i, i + 1) for i in range(5_000))
    data = b"outlast: 1\nparameters:\n" + lines + b"  a5000: { fixed: 1s }\nrules:\n  r: { require: a0 < 5s }\n"
    (tmp_path / "outlast.yaml").write_bytes(data)
    outcome(tmp_path / "outlast.yaml")


def test_a_long_circle_is_told_briefly(tmp_path: Path) -> None:
    lines = b"".join(b"  a%d: {derived: a%d + 1s}\n" % (i, (i + 1) % 5_000) for i in range(5_000))
    message = complaint(tmp_path / "outlast.yaml", b"outlast: 1\nparameters:\n" + lines)
    assert message == "'a0' is derived from itself: a0 -> a1 -> a2 -> a3 -> a4 -> a5 -> … -> a0"


@pytest.mark.parametrize("section", [b"rules", b"parameters"])
def test_thousands_of_errors_are_told_in_time(tmp_path: Path, section: bytes) -> None:
    lines = b"".join(b"  a%d: { require: bbbbbb%d < cccccc%d, fixed: 3 sec }\n" % (i, i, i) for i in range(5_000))
    (tmp_path / "outlast.yaml").write_bytes(b"outlast: 1\n" + section + b":\n" + lines)
    start = time.process_time()
    found = outcome(tmp_path / "outlast.yaml")
    assert isinstance(found, InputErrors)
    assert len(found.exceptions) >= 10_000
    assert time.process_time() - start < 10


def measured(path: str) -> bytes:
    return f'outlast: 1\nmeasurements:\n  rtt: {{ samples: "{path}", unit: ms }}\n'.encode()


def extended(path: str) -> bytes:
    return f'outlast: 1\nextends: "{path}"\n'.encode()


OUTSIDE = "expected a file inside the folder of the spec, found {}; --root FOLDER allows the files below another folder"


@pytest.mark.parametrize("spec", [measured, extended])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../other/secret", OUTSIDE.format("'../other/secret'")),
        ("link", OUTSIDE.format("'link'")),
        ("linked/secret", OUTSIDE.format("'linked/secret'")),
        ("/dev/zero", OUTSIDE.format("'/dev/zero'")),
        ("sub", "expected sub to be a regular file, found a folder"),
        ("pipe", "expected pipe to be a regular file, found a pipe"),
        ("missing", "cannot read missing: no such file or directory"),
        ("loop", "cannot read loop: too many levels of symbolic links"),
        (r"a\0b", r"expected the path of a file, found 'a\x00b'"),
        (r"\e[31m", r"cannot read \x1b[31m: no such file or directory"),
    ],
)
def test_only_regular_files_inside_the_folder_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: Callable[[str], bytes], path: str, message: str
) -> None:
    folder, other = tmp_path / "spec", tmp_path / "other"
    (folder / "sub").mkdir(parents=True)
    other.mkdir()
    (other / "secret").write_text("outlast: 1\n")
    (folder / "link").symlink_to(other / "secret")
    (folder / "linked").symlink_to(other)
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)
    assert complaint(Path("outlast.yaml"), spec(path)) == message


@pytest.mark.parametrize("spec", [measured, extended])
def test_a_root_allows_files_beside_the_folder(tmp_path: Path, spec: Callable[[str], bytes]) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "file").write_text("outlast: 1\n" if spec is extended else "5\n")
    path = tmp_path / "spec" / "outlast.yaml"
    path.write_bytes(spec("../file"))
    assert isinstance(outcome(path, root=tmp_path), Spec)
    assert isinstance(outcome(path, root=tmp_path / "spec"), InputErrors)


def test_a_root_is_no_prefix_of_a_name(tmp_path: Path) -> None:
    for name in ("spec", "spec2"):
        (tmp_path / name).mkdir()
    (tmp_path / "spec2" / "rtt.csv").write_text("5\n")
    assert "inside the folder" in complaint(tmp_path / "spec" / "outlast.yaml", measured("../spec2/rtt.csv"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: p.mkdir(), "found a folder"),
        (lambda p: os.mkfifo(p), "found a pipe"),
        (lambda p: p.symlink_to("/etc/passwd"), "inside the folder"),
        (lambda p: None, "no such file"),
    ],
)
def test_the_spec_itself_is_a_regular_file_in_its_folder(
    tmp_path: Path, make: Callable[[Path], None], message: str
) -> None:
    make(tmp_path / "outlast.yaml")
    assert message in complaint(tmp_path / "outlast.yaml")


def test_specs_that_extend_each_other_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_bytes(extended("outlast.yaml"))
    assert (
        complaint(tmp_path / "outlast.yaml", extended("b.yaml"))
        == "'outlast.yaml' extends itself, directly or through others"
    )
    (tmp_path / "c.yaml").symlink_to("outlast.yaml")
    assert (
        complaint(tmp_path / "outlast.yaml", extended("c.yaml"))
        == "'c.yaml' extends itself, directly or through others"
    )


@pytest.mark.parametrize(("files", "is_fine"), [(16, True), (17, False)])
def test_a_chain_of_specs_is_capped(tmp_path: Path, files: int, is_fine: bool) -> None:
    for number in range(1, files):
        (tmp_path / f"{number}.yaml").write_bytes(extended(f"{number + 1}.yaml"))
    (tmp_path / f"{files}.yaml").write_bytes(b"outlast: 1\n")
    assert isinstance(outcome(tmp_path / "1.yaml"), Spec) is is_fine
