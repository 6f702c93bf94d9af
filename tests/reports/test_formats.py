"""What other tools read: valid, stable, and nothing in it that a stranger's file can command."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from outlast import api
from outlast.constraints.errors import OutlastError, Place
from outlast.constraints.model import Severity
from outlast.constraints.record import replace
from outlast.reports.check_results import check_results
from outlast.reports.document import Fields, Paragraph, code, text
from outlast.reports.explain_results import explain_results
from outlast.reports.gathering import gathered
from outlast.reports.github import github, github_errors
from outlast.reports.gitlab import gitlab, gitlab_errors
from outlast.reports.junit import junit, junit_errors
from outlast.reports.lint_results import lint_results
from outlast.reports.results import Described, Edit, Fix, Related, Result, Results, SetAside, Standing
from outlast.reports.sarif import sarif, sarif_errors
from outlast.reports.solve_results import solve_results

TESTS = Path(__file__).parents[1]
EXAMPLES = TESTS.parent / "examples"
SPECS = TESTS / "cli/specs"
HOSTILE = (
    "a\n::error::x\r\n::stop-commands::y %0A::warning::z ##[error]q ##vso[task] <script>alert(1)</script> ]]> "
    "\x00\x08\x1b[31m\u202e\ufffe [x](javascript:1) {0} \"'&|`"
)
ERRORS = [
    OutlastError(HOSTILE, Place("a b.yaml", 3, 4)),
    OutlastError("no place"),
    OutlastError("x", Place("--set", 1, 1)),
]


@cache
def _schema() -> jsonschema.protocols.Validator:
    schema = json.loads((TESTS / "data/sarif/sarif-schema-2.1.0.json").read_text())
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


def _log(written: str) -> Any:
    assert written.isascii()
    log = json.loads(written)
    assert [f"{list(e.absolute_path)}: {e.message}" for e in _schema().iter_errors(log)] == []
    return log["runs"][0]


def _result(**changes: Any) -> Result:
    base = Result(
        standing=Standing.FAIL,
        rule="r",
        subject="r@a:b",
        severity=Severity.ERROR,
        place=Place("conf/a b,ü:#%.yaml", 7, 3),
        message="a is not under b",
        details=(Paragraph(text("at length")), Fields((("why", text("because")),))),
        fingerprint="f1",
    )
    return replace(base, **changes)


def _results(*results: Result) -> Results:
    rules = [
        Described(id=each, summary=f"{each} holds", severity=Severity.ERROR, help=(Paragraph(text(code(each))),))
        for each in {result.rule for result in results}
    ]
    return gathered("check", "outlast.yaml", results, rules)


def _hostile() -> Results:
    return _results(
        _result(
            rule=HOSTILE,
            subject=HOSTILE,
            message=HOSTILE,
            place=Place(HOSTILE, 1, 1),
            details=(Paragraph(text(HOSTILE)), Fields(((text(code(HOSTILE)), text(HOSTILE)),))),
            related=(Related(place=Place(HOSTILE, 1, 1), message=HOSTILE),),
        ),
        _result(subject=HOSTILE, set_aside=SetAside(kind="inSource", why=HOSTILE, place=Place(HOSTILE, 2, 1))),
        _result(standing=Standing.OPEN, subject=HOSTILE, message=HOSTILE),
    )


def _strings(data: Any, keys: set[str], key: str = "") -> Iterator[str]:
    """Every text under one of some keys."""
    if isinstance(data, str):
        if key in keys:
            yield data
        return
    for inner, each in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from _strings(each, keys, key if isinstance(data, list) else str(inner))


# SARIF.


def test_sarif_of_each_command_is_what_the_schema_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    checked = _log(sarif(check_results(api.check(Path("dead-connection/files.yaml")))))
    (result,) = checked["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "dead-connection/files/client.go", "uriBaseId": "%SRCROOT%"}
    assert checked["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "retry-dials-anew"
    assert {each["physicalLocation"]["artifactLocation"]["uri"] for each in result["relatedLocations"]} == {
        "dead-connection/files/client.go",
        "dead-connection/outlast.yaml",
    }
    linted = _log(sarif(lint_results(api.lint([Path("web-on-kubernetes/files")]))))
    assert [each["level"] for each in linted["results"]] == ["error", "warning"]
    rule = linted["tool"]["driver"]["rules"][linted["results"][0]["ruleIndex"]]
    assert rule["helpUri"].startswith("https://")
    assert "what breaks" in rule["help"]["text"]
    assert "### What breaks" in rule["help"]["markdown"]


def test_sarif_of_a_conflict_tells_it_and_the_cheapest_way_out() -> None:
    for results in (
        solve_results(api.solve(SPECS / "conflict.yaml")),
        explain_results(api.explain(SPECS / "conflict.yaml")),
    ):
        run = _log(sarif(results))
        assert {each["ruleId"] for each in run["results"]} == {"conflict"}
        for each in run["results"]:
            assert "the cheapest way out" in each["message"]["text"]
            assert each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("conflict.yaml")


def test_a_rule_that_is_not_demanded_makes_no_test_fail(tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text(
        "outlast: 1\nparameters: { a: { free: 1s..9s, step: 1s } }\nrules:\n"
        "  low: { require: a < 3s, source: 'javascript:1' }\n  high: { require: a > 4s, level: should }\n"
    )
    for results in (solve_results(api.solve(spec)), explain_results(api.explain(spec))):
        (result,) = (each for each in results.results if each.standing is Standing.FAIL)
        assert result.severity is Severity.ADVICE
        assert "high" in result.subject
        assert 'failures="0"' in junit(results)
        assert [rule.address for rule in results.rules if rule.id == "low"] in ([None], [])


def test_sarif_of_fixes_suppressions_and_hostile_words_is_valid() -> None:
    edit = Edit(
        file="a.conf", start=4, end=6, start_place=Place("a.conf", 1, 5), end_place=Place("a.conf", 1, 7), text="90s"
    )
    run = _log(sarif(_results(_result(fixes=(Fix(message="raise it", edits=(edit,)),)))))
    (change,) = run["results"][0]["fixes"][0]["artifactChanges"]
    assert change["replacements"][0] == {
        "deletedRegion": {
            "startLine": 1,
            "startColumn": 5,
            "endLine": 1,
            "endColumn": 7,
            "byteOffset": 4,
            "byteLength": 2,
        },
        "insertedContent": {"text": "90s"},
    }
    run = _log(sarif(_hostile()))
    assert [len(each.get("suppressions", [])) for each in run["results"]] == [0, 1]  # what is open is not in it
    messages = [words for words in _strings(run, {"text", "markdown", "justification"}) if "javascript" in words]
    assert len(messages) > 4
    for words in messages:
        assert "](javascript" not in words
        assert "{0}" not in words


def test_sarif_of_unusable_input_says_that_nothing_was_run() -> None:
    run = _log(sarif_errors(ERRORS))
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    told = invocation["toolConfigurationNotifications"]
    assert ["locations" in each for each in told] == [True, False, False]


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("conf/a b,ü:#%.yaml", {"uri": "conf/a%20b%2C%C3%BC%3A%23%25.yaml", "uriBaseId": "%SRCROOT%"}),
        ("./a//b.yaml", {"uri": "a/b.yaml", "uriBaseId": "%SRCROOT%"}),
        ("/etc/a b.conf", {"uri": "file:///etc/a%20b.conf"}),
        ("/home/u/repo/x.yaml", {"uri": "x.yaml", "uriBaseId": "%SRCROOT%"}),
        ("../x.yaml", {"uri": "file:///home/u/x.yaml"}),
        ("C:\\a\\b.conf", {"uri": "file:///C:/a/b.conf"}),
    ],
)
def test_a_file_has_a_uri_from_the_current_folder_or_a_whole_one(
    monkeypatch: pytest.MonkeyPatch, file: str, uri: dict[str, str]
) -> None:
    monkeypatch.setattr("os.getcwd", lambda: "/home/u/repo")
    run = _log(sarif(_results(_result(place=Place(file, 1, 1)))))
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == uri


def test_what_the_command_line_says_has_no_location() -> None:
    override = _result(place=Place("--set", 1, 1), related=(Related(place=Place("--set", 1, 1), message="a = 1s"),))
    (result,) = _log(sarif(_results(override)))["results"]
    assert result.keys().isdisjoint({"locations", "relatedLocations"})
    assert "file=" not in github(_results(override))
    assert "file=" not in junit(_results(override))
    assert json.loads(gitlab(_results(override)))[0]["location"] == {"path": "outlast.yaml", "lines": {"begin": 1}}


# JUnit.


def test_junit_tells_each_rule_once_and_counts_as_the_command_does() -> None:
    tree = ElementTree.fromstring(
        junit(
            _results(
                _result(),
                _result(severity=Severity.ADVICE, subject="advice", fingerprint="f2"),
                _result(set_aside=SetAside(kind="external", why="known since May"), subject="aside", fingerprint="f3"),
                _result(standing=Standing.NOT_APPLICABLE, subject="idle", message="b is off"),
                _result(standing=Standing.PASS, subject="fine"),
            )
        )
    )
    (suite,) = tree
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("5", "1", "2")
    assert {case.get("name"): [child.tag for child in case] for case in suite} == {
        "r@a:b": ["failure"],
        "advice": ["system-out"],
        "aside": ["skipped"],
        "idle": ["skipped"],
        "fine": [],
    }
    failure, aside = (suite.find(f"testcase[@name='{name}']/*") for name in ("r@a:b", "aside"))
    assert failure is not None
    assert failure.text == "error r@a:b (conf/a b,ü:#%.yaml:7)\na is not under b\nat length\n\nwhy  because\n"
    assert aside is not None
    assert aside.get("message") == "known since May"


@pytest.mark.parametrize("written", [junit(_hostile()), junit_errors(ERRORS)])
def test_junit_is_xml_whatever_names_hold(written: str) -> None:
    tree = ElementTree.fromstring(written)
    assert {each.tag for each in tree.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "skipped", "error"}
    told = " ".join(
        [*(each.text or "" for each in tree.iter()), *(v for each in tree.iter() for v in each.attrib.values())]
    )
    assert r"\x00\x08\x1b[31m\u202e" in told
    assert "<script>alert(1)</script>" in told


def test_junit_of_nothing_found_has_a_test_that_passes() -> None:
    (case,) = ElementTree.fromstring(junit(_results())).iter("testcase")
    assert list(case) == []


# GitHub.


@pytest.mark.parametrize("written", [github(_hostile()), github_errors(ERRORS)])
def test_github_gets_a_line_a_finding_and_no_command_of_a_stranger(written: str) -> None:
    lines = written.splitlines()
    commands = [line for line in lines if line.startswith("::")]
    assert len(commands) == len(lines) - 1 == (3 if "nothing was computed" in written else 1)
    for line in commands:
        found = re.fullmatch(r"::error (?:[a-z]+=[^,:\r\n]*,?)+::(?P<data>[^\r\n]*)", line)
        assert found, line
        assert not re.search(r"%(?!25|0A|0D|3A|2C)", line)
        for part in found["data"].split("%0A"):
            assert not re.match(r"\s*::", part), part
    assert "##[" not in written
    assert "##vso" not in written
    assert written.isprintable() or written.replace("\n", "").isprintable()


def test_github_escapes_a_place_s_properties() -> None:
    line = github(_results(_result(message="50 % of a"))).splitlines()[0]
    assert line == (
        "::error file=conf/a b%2Cü%3A#%25.yaml,line=7,col=3,title=outlast%3A r@a%3Ab::50 %25 of a%0Aat length%0A%0Awhy  because"
    )


def test_github_shows_the_loudest_first_and_says_how_many_it_leaves_out() -> None:
    many = [_result(severity=Severity.WARNING, place=Place("a", n, 1), fingerprint=str(n)) for n in range(1, 12)]
    aside = _result(set_aside=SetAside(kind="external", why="known"), fingerprint="y")
    written = github(_results(*many, _result(place=Place("z", 1, 1), fingerprint="x"), aside)).splitlines()
    assert [line.split()[0] for line in written[:-1]] == ["::error", *["::warning"] * 11]
    assert written[-1] == "outlast check: 1 error and 11 warnings (GitHub shows 10 of them); 1 finding set aside"


# GitLab.


def test_gitlab_tells_like_findings_apart_the_same_way_each_time() -> None:
    twins = [_result(place=Place("a", n, 1)) for n in (2, 1)]
    found = [json.loads(gitlab(_results(*each))) for each in (twins, twins[::-1])]
    assert found[0] == found[1]
    assert [each["location"]["lines"]["begin"] for each in found[0]] == [1, 2]
    assert len({each["fingerprint"] for each in found[0]}) == 2
    assert found[0][0]["fingerprint"] == "f1"


def test_gitlab_of_unusable_input_blocks() -> None:
    issues = json.loads(gitlab_errors([*ERRORS, *ERRORS]))
    assert {each["severity"] for each in issues} == {"blocker"}
    assert len({each["fingerprint"] for each in issues}) == 6
    assert [each["location"]["path"] for each in issues[:3]] == ["a b.yaml", "outlast.yaml", "outlast.yaml"]


def test_gitlab_leaves_out_what_is_set_aside_and_what_does_not_fail() -> None:
    (issue,) = json.loads(gitlab(_hostile()))
    assert issue["severity"] == "major"
    assert issue["description"].isprintable()


# All of them, when they go to a log.


@pytest.mark.parametrize("layout", [sarif, junit, gitlab])
def test_no_runner_obeys_what_is_written_to_a_log(layout: Callable[[Results], str]) -> None:
    words = "::error::x ###[group]y ##vso[task] ::stop-commands::z"
    written = layout(_results(_result(rule=words, subject=words, message=words, details=(Paragraph(text(words)),))))
    assert "##" not in written.replace("# #", "")
    assert not re.search(r"^\s*::", written, re.MULTILINE)
    assert "###[group]y" in _unescaped(written)


def _unescaped(written: str) -> str:
    """Every text of a document as its reader gets it."""
    if written.startswith("<"):
        return " ".join(value for each in ElementTree.fromstring(written).iter() for value in each.attrib.values())
    return " ".join(_strings(json.loads(written), {"subject", "check_name", "ruleId"}))


# Fingerprints.


def test_fingerprints_stay_when_lines_and_values_change(tmp_path: Path) -> None:
    text_ = (SPECS / "shop.yaml").read_text()
    (tmp_path / "rtt.txt").write_bytes((SPECS / "rtt.txt").read_bytes())
    found = []
    for shift in ("", "# one\n\n# two\n"):
        (tmp_path / "shop.yaml").write_text(shift + text_)
        results = check_results(api.check(tmp_path / "shop.yaml")).results
        found.append({result.subject: (result.fingerprint, result.place) for result in results})
    assert found[0].keys() == found[1].keys()
    assert all(found[0][name][0] == found[1][name][0] and found[0][name][1] != found[1][name][1] for name in found[0])
    assert len({own for own, _ in found[0].values()}) == len(found[0])


@pytest.mark.skipif(sys.platform == "win32", reason="its paths are others")
def test_the_same_results_are_the_same_bytes() -> None:
    outcome = api.check(SPECS / "shop.yaml")
    for layout in (sarif, junit, github, gitlab):
        assert layout(check_results(outcome)) == layout(check_results(outcome))


# A run over several specs.


def test_of_several_specs_each_result_says_which_and_names_clash_within_one_only() -> None:
    several = _results(
        _result(origin="a/outlast.yaml", message="one"),
        _result(origin="b/outlast.yaml", message="other"),
        _result(origin="b/outlast.yaml", message="again", place=None),
    )
    cases = [
        (case.get("classname"), case.get("name")) for case in ElementTree.fromstring(junit(several)).iter("testcase")
    ]
    assert sorted(cases) == [
        ("a/outlast.yaml", "r@a:b"), ("b/outlast.yaml", "r@a:b"), ("b/outlast.yaml", "r@a:b (r)")
    ]  # fmt: skip
    assert "::a/outlast.yaml: one%0A" in github(several)
    assert "b/outlast.yaml: other." in [r["message"]["text"].split("\n")[0] for r in _log(sarif(several))["results"]]
    issues = {issue["description"]: issue["location"]["path"] for issue in json.loads(gitlab(several))}
    assert issues["b/outlast.yaml: r@a:b: again"] == "b/outlast.yaml"
    alone = _results(_result(origin="a/outlast.yaml", message="one"), _result(origin=None, message="other"))
    for words in (github(alone), gitlab(alone), sarif(alone)):
        assert "a/outlast.yaml: " not in words


def test_alerts_of_a_review_have_one_category_whatever_it_compares_with() -> None:
    for base in ("since main", "since 1a2b3c4"):
        results = gathered("review", base, [], [])
        assert _log(sarif(results))["automationDetails"] == {"id": "outlast/review/"}
