"""New files with the values found: every language, odd names, values that a language cannot write, files that are there already."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from cli.running import Outlast, assert_snapshot
from outlast.configs.formats import FORMATS
from outlast.configs.generate import OUTPUTS
from outlast.configs.interpret import read_value
from outlast.constraints.quantities import Kind, Value

SPEC = """\
outlast: 1
title: "Odd */ names \\u2028 -*- coding: latin-1 -*- \\\\u000a x"
parameters:
  client.send_ping: { free: 1s..9s, step: 500ms, why: "ends */ here\\nconst x = 1" }
  deadline: { fixed: 10500ms, why: 'a \\u000a \\N{BULLET} "quote" # hash' }
  tiny: { fixed: 1500ns }
  long: { fixed: 2d, step: 1s }
  größe.λ: { fixed: 3s }
  class: { fixed: 3 }
  import.null: { fixed: 250ms }
  share: { fixed: 25%, step: 1% }
  never: { fixed: infinite, zero: infinite }
  absent: { fixed: infinite }
  total: { derived: deadline + 1s }
  pods: { fact: 400 }
rules:
  in-time: { require: client.send_ping < deadline and tiny < long and größe.λ < total and class >= 1, aim: 0% }
  rest: { require: import.null < never and share < 1 and pods > 1 and deadline < absent, aim: 0% }
"""
EXPECTED: dict[str, tuple[Kind, Value]] = {
    "client.send_ping": (Kind.DURATION, Fraction(9 * 10**9)),
    "deadline": (Kind.DURATION, Fraction(10_500_000_000)),
    "tiny": (Kind.DURATION, Fraction(1500)),
    "long": (Kind.DURATION, Fraction(172_800 * 10**9)),
    "größe.λ": (Kind.DURATION, Fraction(3 * 10**9)),
    "class": (Kind.COUNT, Fraction(3)),
    "import.null": (Kind.DURATION, Fraction(250 * 10**6)),
    "share": (Kind.RATIO, Fraction(1, 4)),
    "never": (Kind.DURATION, Fraction(0)),
    "total": (Kind.DURATION, Fraction(11_500_000_000)),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outlast: Outlast) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outlast.yaml").write_text(SPEC)
    return tmp_path


@pytest.mark.parametrize("output", sorted(OUTPUTS))
def test_what_is_written_reads_back_as_the_solution(outlast: Outlast, folder: Path, output: str) -> None:
    run = outlast("generate", "--as", output, "--set", "client.send_ping=9s", "--objective", "closest")
    assert (run.code, run.err) == (0, "")
    layout = OUTPUTS[output]
    settings = FORMATS[layout.reader].read(run.out.encode(), layout.file)
    found = []
    for setting in settings:
        name = "".join(getattr(step, "name", None) or "" for step in setting.route[-1:])
        kind = next((k for n, (k, _) in EXPECTED.items() if _is_name(n, name)), Kind.DURATION)
        found.append(read_value(setting, FORMATS[layout.reader], kind, None)[0])
    # A timedelta has no nanoseconds: that value stands there as a comment.
    expected = [v for n, (_, v) in EXPECTED.items() if (output, n) != ("python", "tiny")]
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert "pods" not in run.out.lower()
    assert "absent" in run.out.lower() or output == "json"
    assert_snapshot(f"generate-{output}.txt", run.out)


def _is_name(parameter: str, written: str) -> bool:
    last = parameter.rpartition(".")[2].lower()
    return written.lower().replace("_", "").startswith((last, parameter.replace(".", "").lower()))


def test_other_readers_than_ours_agree(outlast: Outlast, folder: Path) -> None:
    def text(output: str) -> str:
        return outlast("generate", "--as", output, "--set", "client.send_ping=9s", "--objective", "closest").out

    nested = {
        "class": 3, "client": {"send_ping": "9s"}, "deadline": "10500ms", "größe": {"λ": "3s"}, "import": {"null": "250ms"},
        "long": "172800s", "never": "0s", "share": 0.25, "tiny": "1500ns", "total": "11500ms",
    }  # fmt: skip
    assert json.loads(text("json")) == nested
    assert tomllib.loads(text("toml")) == nested
    assert yaml.safe_load(text("yaml")) == nested
    module: dict[str, object] = {}
    exec(text("python"), module)
    assert str(module["CLIENT_SEND_PING"]) == "0:00:09"
    assert module["CLASS"] == 3
    assert module["GRÖSSE_Λ" if "GRÖSSE_Λ" in module else "GRÖßE_Λ"] is not None


@pytest.mark.parametrize(
    ("parameters", "output", "told"),
    [
        ("a.b_c: { fixed: 1s }, a_b.c: { fixed: 2s }", "env", "a.b_c and a_b.c would both be called A_B_C_MS in env"),
        ("a.b: { fixed: 1s }, A.b: { fixed: 2s }", "go", "would both be called AB in go"),
        ("a.b: { fact: 1s }, A.b: { fact: 2s }", "go", "there is nothing to write"),
    ],
)
def test_names_that_meet_are_told(outlast: Outlast, folder: Path, parameters: str, output: str, told: str) -> None:
    names = [part.split(":")[0].strip() for part in parameters.split("}, ")]
    rule = f"rules: {{ r: {{ require: {names[0]} < {names[1]}, aim: 0% }} }}\n"
    (folder / "outlast.yaml").write_text(f"outlast: 1\nparameters: {{ {parameters} }}\n{rule}")
    run = outlast("generate", "--as", output)
    assert run.code == 2
    assert told in run.err


@pytest.mark.parametrize("output", ["json", "yaml", "toml"])
def test_a_name_that_begins_another_is_written_whole(outlast: Outlast, folder: Path, output: str) -> None:
    parameters = "a: { fixed: 1s }, a.b: { fixed: 2s }"
    (folder / "outlast.yaml").write_text(
        f"outlast: 1\nparameters: {{ {parameters} }}\nrules: {{ r: {{ require: a < a.b, aim: 0% }} }}\n"
    )
    run = outlast("generate", "--as", output)
    assert run.code == 0
    readers: dict[str, Callable[[str], object]] = {"json": json.loads, "yaml": yaml.safe_load, "toml": tomllib.loads}
    loaded = readers[output](run.out)
    assert loaded == {"a": "1s", "a.b": "2s"}


def test_the_name_of_a_constant_does_not_depend_on_its_value(outlast: Outlast, folder: Path) -> None:
    spec = "outlast: 1\nparameters: { a: { free: 1ms..10s }, b: { fixed: 10s } }\nrules: { r: { require: a < b, aim: 0% } }\n"
    (folder / "outlast.yaml").write_text(spec)
    for value, number in (("1s", "1000"), ("1500ms", "1500")):
        run = outlast("generate", "--as", "env", "--set", f"a={value}")
        assert f"A_MS={number}\n" in run.out


def test_a_file_is_written_whole_and_only_over_its_like(outlast: Outlast, folder: Path) -> None:
    target = folder / "new.go"
    run = outlast("generate", "--as", "go", "-o", "new.go")
    assert run.code == 0
    assert "was written" in run.out
    assert target.read_text().startswith("// Code generated by outlast")
    assert target.stat().st_mode & 0o777 == 0o666 & ~_umask()
    again = outlast("generate", "--as", "go", "-o", "new.go", "--format", "json")
    assert json.loads(again.out)["written"] is False
    os.chmod(target, 0o600)
    assert outlast("generate", "--as", "go", "-o", "new.go", "--set", "deadline=11s").code == 0
    assert "11 * time.Second" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o600
    target.write_text("package mine\n")
    refused = outlast("generate", "--as", "go", "-o", "new.go")
    assert refused.code == 2
    assert "new.go is there already and does not say that outlast generated it; --force overwrites it" in refused.err
    assert target.read_text() == "package mine\n"
    assert outlast("generate", "--as", "go", "-o", "new.go", "--force").code == 0
    assert target.read_text().startswith("// Code generated by outlast")
    assert sorted(p.name for p in folder.iterdir()) == ["new.go", "outlast.yaml"]


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--as", "cobol"), "expected one of go, typescript"),
        ((), "expected what to write, such as --as go"),
        (("--as", "go", "-o", "missing/new.go"), "cannot write missing/new.go: no such file or directory"),
        (("--as", "go", "-o", "."), "regular file"),
    ],
)
def test_what_cannot_be_written_is_told(outlast: Outlast, folder: Path, arguments: tuple[str, ...], told: str) -> None:
    run = outlast("generate", *arguments)
    assert run.code == 2
    assert told in " ".join(run.err.replace("│", " ").split())
    assert sorted(p.name for p in folder.iterdir()) == ["outlast.yaml"]


def test_without_a_solution_the_conflict_is_told(outlast: Outlast, folder: Path) -> None:
    run = outlast("generate", "--as", "go", "-o", "new.go", "--set", "deadline=1ns")
    assert run.code == 1
    assert "conflict" in run.out
    assert not (folder / "new.go").exists()
