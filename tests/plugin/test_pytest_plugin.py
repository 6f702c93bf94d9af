"""Specs as tests: what pytest says of a spec is what `outlast check` says of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from cli.running import Outlast
from outlast.api import check
from outlast.cli import app
from outlast.constraints.check import FindingKind
from outlast.reports.check import check_document

pytest_plugins = ["pytester"]

HEAD = "outlast: 1\n"
#: One that holds, one broken, one worth having, one that does not apply, one without a value.
MIXED = """\
outlast: 1
parameters:
  a: { fixed: 3s }
  b: { fixed: 2s }
  c: { fixed: off }
  e: { free: 1s..9s }
rules:
  broken:  { require: a < b, why: "::error::b must wait for a" }
  holding: { require: b < a }
  idle:    { require: c < a }
  unknown: { require: a < e }
  wished:  { require: a < b, level: should }
"""


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """pytester forgets what was imported since it began, and some modules cannot be imported twice."""
    spec = tmp_path_factory.mktemp("first") / "outlast.yaml"
    spec.write_text(MIXED)
    check_document(check(spec, known_only=True))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other plugins take longer than all that is tested here."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def outlast(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Outlast:
    made = Outlast(monkeypatch, capsys)
    monkeypatch.chdir(pytester.path)
    return made


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "outlast.pytest_plugin", *arguments)


def outcomes(result: pytest.RunResult) -> dict[str, str]:
    """By the name of a test, its last word in `-rA`."""
    told = {}
    for line in result.outlines:
        word, _, rest = line.partition(" ")
        if word in ("PASSED", "FAILED", "XFAIL", "ERROR") and "::" in rest:
            told[rest.partition("::")[2].partition(" - ")[0]] = word
    return told


def test_each_rule_is_a_test_and_fails_in_the_words_of_check(pytester: pytest.Pytester, outlast: Outlast) -> None:
    spec = pytester.path / "outlast.yaml"
    spec.write_text(MIXED)
    result = run(pytester, "-rA", "-o", "outlast_fail_on=error")
    told = outcomes(result)
    assert {name: word for name, word in told.items() if not name.startswith("no finding: ")} == {
        "broken": "FAILED",
        "holding": "PASSED",
        "wished": "XFAIL",
    }
    assert {name.removeprefix("no finding: ") for name in told if name.startswith("no finding: ")} == {
        kind.value for kind in FindingKind if kind not in (FindingKind.BROKEN, FindingKind.MARGIN)
    }
    assert "SKIPPED [1] outlast.yaml: does not apply: c is off" in result.outlines
    assert "SKIPPED [1] outlast.yaml: not judged: no value in use for e" in result.outlines
    checked = outlast("check", "--known-only", "outlast.yaml").out
    entry = next(part for part in checked.split("\n\n") if part.startswith("error broken"))
    assert f"{entry}\n" in result.stdout.str().replace("\n=====", "\n\n=====")
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


TWO = "parameters: { a: { fixed: 3s }, b: { fixed: 2s } }\n"
ON_FILE = (
    "parameters: { a: { fixed: 3s, at: a.env#A_S, unit: s }, b: { fixed: 9s } }\nrules: { r: { require: a < b } }\n"
)
SPECS = {
    "holds": f"{TWO}rules: {{ r: {{ require: b < a }} }}\n",
    "broken": f"{TWO}rules: {{ r: {{ require: a < b }} }}\n",
    "wished": f"{TWO}rules: {{ r: {{ require: a < b, level: should }} }}\n",
    "margin": f"{TWO}rules: {{ r: {{ require: b < a, margin: 5s }} }}\n",
    "step": "parameters: { a: { fixed: 3s, step: 2s }, b: { fixed: 9s } }\nrules: { r: { require: a < b } }\n",
    "domain": "parameters: { a: { free: 1s..2s, current: 3s }, b: { fixed: 9s } }\nrules: { r: { require: a < b } }\n",
    "bound": "components: { lb: aws.alb }\nparameters: { lb.idle_timeout: { fixed: 5000s } }\nrules: { r: { require: lb.idle_timeout > 1s } }\n",
    "only bounds": "components: { lb: aws.alb }\nparameters: { lb.idle_timeout: { fixed: 5000s } }\n",
    "nothing to judge": "components: { api: aws.apigw-http }\n",
    "differs": ON_FILE,
    "nothing": "parameters: { a: { fixed: 3s } }\n",
    "no values": "parameters: { a: { free: 1s..3s } }\nrules: { r: { require: a < 2s } }\n",
    "unusable": "parameters: { a: { fixed: 3 sec } }\n",
}


def test_the_tests_of_a_spec_fail_where_check_does(pytester: pytest.Pytester) -> None:
    command = typer.main.get_command(app)
    expected = {}
    for name, text in SPECS.items():
        folder = pytester.mkdir(name)
        (folder / "a.env").write_text("A_S=4\n")
        (folder / "outlast.yaml").write_text(HEAD + text)
        expected[name] = command.main(["check", "--known-only", f"{name}/outlast.yaml"], standalone_mode=False)
    assert set(expected.values()) == {0, 1, 2}
    result = run(pytester, "-rA", "--continue-on-collection-errors")
    codes = dict.fromkeys(SPECS, 0)
    for line in result.outlines:
        word, _, rest = line.partition(" ")
        if word in ("FAILED", "ERROR") and "outlast.yaml" in rest:
            codes[rest.partition("/")[0]] = 1 if word == "FAILED" else 2
    assert codes == expected


def test_what_is_set_aside_is_expected_to_fail_and_the_reason_told(pytester: pytest.Pytester) -> None:
    spec = pytester.path / "outlast.yaml"
    spec.write_text(f"{HEAD}{TWO}rules:\n  r: {{ require: a < b }} # outlast: ignore[r] b goes next week\n")
    result = run(pytester, "-rA")
    assert outcomes(result)["r"] == "XFAIL"
    assert "XFAIL outlast.yaml::r - ignored, b goes next week (outlast.yaml:4:27): a = 3s is not under b = 2s" in result.outlines  # fmt: skip
    result.assert_outcomes(xfailed=1, passed=len(FindingKind) - 2)
    spec.write_text(spec.read_text().replace("a < b", "b < a"))
    assert outcomes(run(pytester, "-rA"))["no finding: ignored in vain"] == "FAILED"


def test_what_a_baseline_has_is_expected_to_fail(pytester: pytest.Pytester, outlast: Outlast) -> None:
    spec = pytester.path / "outlast.yaml"
    spec.write_text(f"{HEAD}{TWO}rules: {{ r: {{ require: a < b }} }}\n")
    assert outlast("check", "--write-baseline", "known.json").code == 0
    assert outcomes(run(pytester, "-rA", "-o", "outlast_baseline=known.json"))["r"] == "XFAIL"
    assert outcomes(run(pytester, "-rA"))["r"] == "FAILED"


def test_all_that_is_wrong_with_a_spec_is_one_error_with_places(pytester: pytest.Pytester) -> None:
    (pytester.path / "outlast.yaml").write_text(f"{HEAD}parameters: {{ a: {{ fixed: 3 sec }}, b: {{ fix: 1s }} }}\n")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    text = result.stdout.str()
    assert "\noutlast.yaml:2:" in text
    assert "\noutlast: 2 errors; nothing was computed\n" in text
    assert "Traceback" not in text
    assert "pytest_plugin.py" not in text


def test_an_ini_file_names_the_specs_and_lets_them_read_further_files(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\noutlast_files = deploy/limits.yaml\noutlast_root = .\n")
    (pytester.path / "a.env").write_text("A_S=4\n")
    for name in ("deploy", "other"):
        (pytester.mkdir(name) / "limits.yaml").write_text(HEAD + ON_FILE.replace("a.env", "../a.env"))
    result = run(pytester, "-rA")
    assert outcomes(result)["r"] == "PASSED"
    assert outcomes(result)["no finding: value differs from its file"] == "FAILED"
    assert not [line for line in result.outlines if "other/limits.yaml" in line]
    refused = run(pytester, "-o", "outlast_root=").stdout.str()
    assert "; outlast_root in the ini file allows the files below another folder" in refused
    assert "--root" not in refused


@pytest.mark.parametrize(
    ("option", "said"), [("outlast_fail_on=errors", "'errors'"), ("outlast_root=nowhere", "expected a folder")]
)
def test_an_ini_file_that_says_nonsense_is_refused(pytester: pytest.Pytester, option: str, said: str) -> None:
    result = run(pytester, "-o", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


def test_who_has_no_spec_imports_nothing_of_outlast_but_the_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
    (tmp_path / "values.yaml").write_text("a: 1\n")
    code = (
        "import json, sys, pytest\n"
        "pytest.main(['-q', '-p', 'no:cacheprovider', '-p', 'no:hypothesispytest', '-p', 'no:anyio', '-p', 'no:xdist'])\n"
        "print(json.dumps([m for m in sys.modules if m.partition('.')[0] in ('outlast', 'z3', 'typer', 'yaml')]), file=sys.stderr)"
    )
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")  # so that it is the installed entry point that brings it
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "1 passed" in done.stdout
    assert set(json.loads(done.stderr)) == {"outlast", "outlast.pytest_plugin"}
