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
    # JSON has no comments in which to say so.
    assert (run.code, run.err.count("absent is infinite")) == (0, output == "json")
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
        (
            "a.b_c: { fixed: 1s }, a_b.c: { fixed: 2s }",
            "env",
            "outlast.yaml:2:37: a.b_c (outlast.yaml:2) and a_b.c would both be called A_B_C_MS in env",
        ),
        ("a.b: { fixed: 1s }, A.b: { fixed: 2s }", "go", "would both be called AB in go"),
        ("a.b: { fact: 1s }, A.b: { fact: 2s }", "go", "there is nothing to write"),
        (
            "path: { fixed: 1 }, b: { fixed: 2 }",
            "env",
            "path would be called PATH, which shells and programs already know",
        ),
        ("ld_preload: { fixed: 1 }, b: { fixed: 2 }", "env", "give it a longer name, such as service.ld_preload"),
        (
            "count: { fixed: 1 }, b: { fixed: 2 }",
            "tfvars",
            "count would be called count, which Terraform keeps for itself",
        ),
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
        (("--as", "go", "-o", ""), "expected the name of a file, or - for stdout, found nothing"),
        (("--as", "java", "-o", "my-limits.java"), "such as Timeouts.java, found 'my-limits'"),
        (("--as", "java", "-o", "record.java"), "such as Timeouts.java, found 'record'"),
        (("--as", "java", "-o", "Duration.java"), "such as Timeouts.java, found 'Duration'"),
        (("--as", "env", "--package", "x"), "expected no --package, which is for go, go-code and java, with --as env"),
        (("--as", "go", "--package", "a.b"), "expected the name of a package of Go such as timeouts, found 'a.b'"),
        (("--as", "go", "--package", "func"), "found 'func'"),
        (("--as", "java", "--package", "a..b"), "such as com.example.limits, found 'a..b'"),
        (("--as", "java", "--package", "a.new"), "found 'a.new'"),
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


UNENDING = """\
outlast: 1
parameters:
  a: { fixed: 5s }
  third: { derived: a / 3 }
  half: { derived: a / 10000000000 }
  below: { derived: a - 6s }
  longest: { derived: 9223372036854775807ns * 2 }
  retry: { fixed: 1/min, step: 1/min }
  dead: { fixed: off, unset: 3s }
  gone: { fixed: off, unset: off }
  calls: { fixed: 9007199254740993 }
  share: { derived: 0.1234567890123456 * 1 }
rules:
  r: { require: third < a and half < a and longest > a and below < a and retry > 0/s and dead < a and gone < a, aim: 0% }
  s: { require: calls > 1 and share < 1, aim: 0% }
"""


@pytest.mark.parametrize("output", sorted(OUTPUTS))
def test_values_that_no_number_means_are_told_in_words(outlast: Outlast, folder: Path, output: str) -> None:
    (folder / "outlast.yaml").write_text(UNENDING)
    run = outlast("generate", "--as", output)
    assert run.code == 0
    said = run.err if output == "json" else run.out
    for words in (
        "third is 5/3 s, which no number here means exactly",
        "half is 0.5ns, which no number here means exactly",
        "below is -1s, which is less than 0: nothing can be set to that",
        "longest is 18446744073.709551614s, which no number here means exactly",
        "retry is 1/min, which no number here means exactly",
        "dead is off, which cannot be written here: set it by hand, since unset it is 3s",
        "gone is off, which cannot be written here: leave it unset",
    ):
        assert words in said
    # Numbers that are all floating-point, and those that are where they have a fraction.
    assert ("calls is 9007199254740993, which no" in said) == (output in ("json", "typescript"))
    is_binary = output in ("json", "typescript", "python", "java", "go", "yaml", "toml")
    assert ("share is 0.1234567890123456, which no" in said) == is_binary
    if output == "json":
        assert json.loads(run.out) == {"a": "5s"}


def test_names_tell_their_unit_once(outlast: Outlast, folder: Path) -> None:
    (folder / "outlast.yaml").write_text("""\
outlast: 1
parameters:
  timeout_ms: { fixed: 5s }
  sendTimeoutMs: { fixed: 7s }
  wait_seconds: { fixed: 1500ms }
  idle_minutes: { fixed: 90s }
  calls: { fixed: 5/s }
  calls.per_minute: { fixed: 90/min, step: 1/min }
  peak.rps: { fixed: 4/s }
  _: { fixed: 3 }
  超时: { fixed: 1s }
rules:
  r: { require: timeout_ms < sendTimeoutMs and wait_seconds < idle_minutes and _ > 1 and 超时 > 0s, aim: 0% }
  s: { require: calls > 0/s and calls.per_minute > 0/s and peak.rps > 0/s, aim: 0% }
""")

    def names(output: str) -> str:
        return outlast("generate", "--as", output).out

    for text in ("TIMEOUT_MS = 5000;", "SEND_TIMEOUT_MS = 7000;", "WAIT_SECONDS = 1.5;", "IDLE_MINUTES_MS = 90000;",
                 "CALLS_PER_SECOND = 5;", "CALLS_PER_MINUTE = 90;", "PEAK_RPS = 4;", "X = 3;", "超时_MS = 1000;"):  # fmt: skip
        assert f"export const {text}\n" in names("typescript")
    for text in (
        "TimeoutMs = 5 *",
        "CallsPerSecond = 5\n",
        "CallsPerMinute = 90\n",
        "PeakRps = 4\n",
        "X = 3\n",
        "X超时 = 1 *",
    ):
        assert f"\t{text}" in names("go")
    for text in (
        "long X = 3L;",
        "double CALLS_PER_SECOND = 5.0;",
        "double CALLS_PER_MINUTE = 90.0;",
        "Duration 超时 = ",
    ):
        assert text in names("java")
    assert "CALLS_PER_SECOND = 5\n" in names("python")
    assert "\nU8D85U65F6_MS=1000\n" in names("env")


def test_every_name_that_meets_another_is_told_at_once(outlast: Outlast, folder: Path) -> None:
    parameters = "a.b: { fixed: 1 }, a_b: { fixed: 2 }, aB: { fixed: 3 }, home: { fixed: 4 }"
    (folder / "outlast.yaml").write_text(
        f"outlast: 1\nparameters: {{ {parameters} }}\nrules: {{ r: {{ require: a.b < a_b and aB < home, aim: 0% }} }}\n"
    )
    run = outlast("generate", "--as", "env")
    assert run.code == 2
    assert run.err.count("would both be called A_B in env") == 2
    assert run.err.count("would be called HOME") == 1


def test_the_file_names_the_class_and_an_option_the_package(outlast: Outlast, folder: Path) -> None:
    assert outlast("generate", "--as", "java", "-o", "Limits.java", "--package", "com.example").code == 0
    text = (folder / "Limits.java").read_text()
    assert "\npackage com.example;\n\nimport java.time.Duration;\n\npublic final class Limits {\n" in text
    assert "\n    private Limits() {}\n" in text
    assert "\npackage limits\n" in outlast("generate", "--as", "go", "--package", "limits").out
    assert outlast("generate", "--as", "go", "-o", "-").out == outlast("generate", "--as", "go").out
    assert not (folder / "-").exists()


@pytest.fixture
def own_files(folder: Path) -> Path:
    """A spec with all that may belong to one, and a folder of git's."""
    mark = "# Code generated by outlast\n"
    (folder / "samples.txt").write_text("".join(f"{n}ms\n" for n in range(1, 401)))
    (folder / "bound.env").write_text(f"{mark}A_MS=5000\n")
    (folder / "base.yaml").write_text(
        f"{mark}outlast: 1\nparameters: {{ a: {{ fixed: 5s, at: bound.env#A_MS }}, b: {{ fixed: 9s }} }}\n"
        "measurements: { rtt: { samples: samples.txt, unit: ms } }\n"
        "rules: { r: { require: a < b and p50(rtt) < a, aim: 0% } }\n"
    )
    (folder / "outlast.yaml").write_text(
        f"{mark}outlast: 1\nextends: base.yaml\nrules: {{ s: {{ require: b < 10s, aim: 0% }} }}\n"
    )
    (folder / ".git" / "hooks").mkdir(parents=True)
    (folder / "linked").symlink_to(folder / ".git" / "hooks")
    (folder / "dangling.env").symlink_to(folder / "nowhere.env")
    (folder / "alias.env").symlink_to(folder / "bound.env")
    os.link(folder / "outlast.yaml", folder / "second.env")
    return folder


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("outlast.yaml", "expected another file to write than outlast.yaml, which is the spec"),
        ("./sub/../outlast.yaml", "which is the spec"),
        ("second.env", "which is the spec"),
        ("base.yaml", "expected another file to write than base.yaml, from which outlast.yaml is read"),
        ("samples.txt", "from which outlast.yaml is read"),
        ("bound.env", "expected another file to write than bound.env, which holds the value of a (base.yaml:3)"),
        ("alias.env", "which holds the value of a"),
        (".git/hooks/new", "expected a file of yours to write, found one of git: .git/hooks/new"),
        (".GIT/new", "found one of git"),
        ("linked/new", "found one of git"),
        ("dangling.env", "expected a file to write, found dangling.env to be a link that leads nowhere"),
    ],
)
def test_files_that_the_spec_or_git_needs_stay_even_by_force(
    outlast: Outlast, own_files: Path, target: str, told: str
) -> None:
    (own_files / "sub").mkdir()
    before = {p: p.read_bytes() for p in own_files.rglob("*") if p.is_file()}
    run = outlast("generate", "--as", "env", "-o", target, "--force")
    assert run.code == 2
    assert told in run.err
    assert {p: p.read_bytes() for p in own_files.rglob("*") if p.is_file()} == before


def test_why_a_free_value_is_wanted_follows_the_rules(outlast: Outlast, folder: Path) -> None:
    run = outlast("generate", "--as", "toml")
    assert "# client.send_ping: above the end of its domain, below deadline" not in run.out
    assert "; why: ends */ here const x = 1\n" in run.out


def test_a_file_that_stands_beside_is_not_touched(outlast: Outlast, folder: Path) -> None:
    (folder / ".new.go.outlast").write_text("precious")
    assert outlast("generate", "--as", "go", "-o", "new.go").code == 0
    assert (folder / ".new.go.outlast").read_text() == "precious"
    assert outlast("generate", "--as", "go", "-o", ".outlast-journal").code == 2
