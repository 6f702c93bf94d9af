"""`outlast timeline` and `outlast report`: what they write where, how they end, and what they refuse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.running import Outlast

EXAMPLES = Path(__file__).parents[2] / "examples"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch, outlast: Outlast) -> Outlast:
    monkeypatch.chdir(EXAMPLES / "silent-nlb")
    return outlast


@pytest.mark.parametrize(
    ("arguments", "code", "panels"),
    [
        ("before.yaml --current", 1, ["in use"]),
        ("before.yaml --recommended", 0, ["recommended"]),
        ("before.yaml --current --recommended", 1, ["in use", "recommended"]),
        ("before.yaml", 1, ["in use", "recommended"]),
        ("outlast.yaml", 0, ["recommended"]),
        ("outlast.yaml --set nlb.idle_timeout=660s --set apache.keep_alive=660s", 0, ["in use"]),
        ("before.yaml --set alb.idle_timeout=7000s", 1, ["in use"]),
        ("before.yaml --set alb.idle_timeout=7000s --recommended", 1, []),
        ("before.yaml --recommended --time-limit 1ns", 3, []),
    ],
)
def test_panels_are_those_asked_for_or_those_that_differ(
    example: Outlast, arguments: str, code: int, panels: list[str]
) -> None:
    run = example("timeline", *arguments.split(), "--format", "json")
    assert run.code == code
    assert [panel["name"] for panel in json.loads(run.out)["panels"]] == panels


@pytest.mark.parametrize("name", ["silent-hop-forgets-last", "flow-table-stays-small"])
def test_a_rule_is_drawn_by_its_id(example: Outlast, name: str) -> None:
    run = example("timeline", "before.yaml", name, "--current", "--format", "json")
    (panel,) = json.loads(run.out)["panels"]
    (timeline,) = panel["timelines"]
    assert name in [gap["rule"] for gap in timeline["gaps"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("timeline outlast.yaml silent-hop", "did you mean 'silent-hop-forgets-last'?"),
        ("timeline outlast.yaml --current", "parameter 'apache.keep_alive' has no value in use"),
        ("timeline outlast.yaml -o picture.png", "expected the name of a picture, ending in .svg"),
        ("timeline absent.yaml", "absent.yaml"),
        ("report absent.yaml", "absent.yaml"),
        ("report outlast.yaml -o report.txt", "expected the name of a page, ending in .html"),
        ("report outlast.yaml -o outlast.yaml", "expected the name of a page, ending in .html"),
        ("report outlast.yaml --today tomorrow", "expected a date"),
        ("report outlast.yaml -o absent/report.html", "cannot write absent/report.html"),
    ],
)
def test_what_cannot_be_is_refused(example: Outlast, arguments: str, message: str) -> None:
    run = example(*arguments.split())
    assert run.code == 2
    assert message in run.err
    assert run.out == ""


def test_a_picture_is_a_file_of_its_own_and_the_report_is_told_besides(example: Outlast, tmp_path: Path) -> None:
    file = tmp_path / "pause.svg"
    run = example("timeline", "before.yaml", "silent-hop-forgets-last", "-o", file)
    assert run.code == 1
    assert "silent-hop-forgets-last" in run.out
    first = file.read_bytes()
    root = ElementTree.fromstring(first)
    assert root.tag == f"{SVG}svg"
    said = " ".join(root.itertext())
    assert "in use" in said
    assert "recommended" in said
    assert "350s" in said
    assert example("timeline", "before.yaml", "silent-hop-forgets-last", "-o", file).code == 1  # over its own
    assert file.read_bytes() == first
    to_stdout = example("timeline", "before.yaml", "silent-hop-forgets-last", "-o", "-")
    assert to_stdout.out.encode() == first


@pytest.mark.parametrize(("command", "name"), [("timeline", "own.svg"), ("report", "own.html")])
def test_a_file_of_the_users_is_overwritten_only_by_force(
    example: Outlast, tmp_path: Path, command: str, name: str
) -> None:
    file = tmp_path / name
    file.write_text("<p>mine</p>", encoding="utf-8")
    run = example(command, "after.yaml", "-o", file)
    assert run.code == 2
    assert "--force overwrites it" in run.err
    assert file.read_text(encoding="utf-8") == "<p>mine</p>"
    assert example(command, "after.yaml", "-o", file, "--force").code == 0
    assert "mine" not in file.read_text(encoding="utf-8")
    assert example(command, "before.yaml", "-o", file).code == 1
    assert "server-closes-last: 600s &lt; 600s" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [("after.yaml", 0), ("before.yaml", 1), ("outlast.yaml", 0), ("outlast.yaml --set alb.idle_timeout=7000s", 1)],
)
def test_a_page_is_written_whatever_is_found_and_the_same_each_time(
    example: Outlast, tmp_path: Path, arguments: str, code: int
) -> None:
    file = tmp_path / "report.html"
    run = example("report", *arguments.split(), "--today", "2026-12-24", "-o", file)
    assert (run.code, run.out) == (code, "")
    page = file.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    assert "2026-12-24" in page
    again = example("report", *arguments.split(), "--today", "2026-12-24")
    assert (again.code, again.out) == (code, page)


def test_a_page_tells_what_check_and_explain_tell(example: Outlast) -> None:
    page = example("report", "before.yaml").out
    for words in (
        "server-closes-last",
        "silent-hop-forgets-last",
        "way 1 of 5",
        "of two ends that close idle connections, the one that sends requests must be the first",
        "unguarded",
    ):
        assert words in page, words


def test_what_does_not_apply_or_only_bounds_what_is_kept_is_drawn_only_when_it_is_named(
    monkeypatch: pytest.MonkeyPatch, outlast: Outlast
) -> None:
    monkeypatch.chdir(EXAMPLES / "web-on-kubernetes")
    document = json.loads(outlast("timeline", "before.yaml", "--current", "--format", "json").out)
    (panel,) = document["panels"]
    drawn = {timeline["id"] for timeline in panel["timelines"]}
    assert "deploy@pod:web/2" in document["not_applicable"]
    assert "deploy@pod:web" in drawn
    assert not drawn & {"lb.check_interval.max", *document["not_applicable"]}
    for name in ("lb.check_interval.max", "k8s/probe-grace-covers-shutdown"):
        named = json.loads(outlast("timeline", "before.yaml", name, "--current", "--format", "json").out)
        assert [len(panel["timelines"]) for panel in named["panels"]] == [1], name
    broken = outlast("timeline", "before.yaml", "--current", "--set", "lb.check_interval=301s", "--format", "json")
    assert "lb.check_interval.max" in {t["id"] for t in json.loads(broken.out)["panels"][0]["timelines"]}


def test_values_in_use_that_are_recommended_are_one_panel_that_says_so(example: Outlast) -> None:
    run = example("timeline", "after.yaml", "silent-hop-forgets-last", "--set", "nlb.idle_timeout=660s")
    assert run.code == 0
    assert run.out.splitlines()[0].endswith("what is in use is recommended, too")
    assert run.out.count("silent-hop-forgets-last: 60s left") == 1


@pytest.mark.parametrize("arguments", ["report after.yaml", "timeline after.yaml -o -"])
def test_files_on_stdout_are_utf_8_and_no_line_of_them_is_a_users(
    example: Outlast, arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    title = 'title: "→\\n::error::pwn"'
    spec = "outlast: 1\n{title}\nparameters:\n  a: {{ fixed: 1s, why: {why} }}\n  b: {{ fixed: 2s }}\nrules:\n  r: {{ require: a < b }}\n"
    (tmp_path / "after.yaml").write_text(spec.format(title=title, why='"one\\n::warning::two"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run = subprocess.run(
        [Path(sys.executable).with_name("outlast"), *arguments.split()],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0
    text = run.stdout.decode("utf-8")
    assert "\\u" not in text.split("</style>")[0]
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.parametrize("arguments", ["check after.yaml", "report after.yaml", "timeline after.yaml"])
def test_a_stdout_that_was_closed_takes_nothing_and_keeps_the_exit_code(example: Outlast, arguments: str) -> None:
    tool = Path(sys.executable).with_name("outlast")
    run = subprocess.run(f"{tool} {arguments} >&-", shell=True, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")


def test_a_picture_that_applies_nowhere_is_told_though_no_other_is_drawn(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text(
        "outlast: 1\nparameters:\n  a: { fixed: off }\n  b: { fixed: 1s }\nrules:\n  r: { require: a < b }\n"
    )
    document = json.loads(outlast("timeline", spec, "--format", "json").out)
    assert (document["panels"], document["not_applicable"]) == ([], ["r"])


def test_a_zero_is_drawn_as_what_it_means(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text(
        "outlast: 1\nparameters:\n  a: { free: 1s..9s, current: 0s, zero: infinite }\n  b: { fixed: 5s }\nrules:\n  r: { require: a < b }\n"
    )
    run = outlast("timeline", spec, "--current")
    assert run.code == 1
    assert "! r: infinite < 5s, broken" in run.out


def test_what_is_set_aside_fails_neither_check_nor_the_page(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    text = "outlast: 1\nparameters:\n  a: { free: 1s..9s, current: 7s }\n  b: { fixed: 5s }\nrules:\n  r: { require: a < b }\n"
    spec.write_text(text)
    assert outlast("report", spec).code == 1
    spec.write_text(text + "ignore:\n  r: { why: known since spring }\n")
    run = outlast("report", spec)
    assert (run.code, outlast("check", spec).code) == (0, 0)
    assert "known since spring" in run.out


@pytest.mark.parametrize("level", ["{ free: 1s..3h, current: 8000s }", "{ free: 1s..3h, current: 500s }"])
def test_advice_fails_neither_check_nor_pictures_nor_the_page(outlast: Outlast, tmp_path: Path, level: str) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text(
        f"outlast: 1\ncomponents:\n  host: {{ kind: linux.tcp }}\nparameters:\n  host.user_timeout: {level}\n"
    )
    found = json.loads(outlast("check", spec, "--format", "json").out)["findings"]
    assert {finding["severity"] for finding in found} == ({"advice"} if "8000s" in level else set())
    assert [outlast(*words, spec).code for words in (["check"], ["timeline", "--current"], ["report"])] == [0, 0, 0]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("silence", "6:55: expected rst or nothing or unknown, found 'silence'"),
        ("[rst, rst]", "6:55: expected as many answers as hops, 1, found 2"),
    ],
)
def test_what_is_no_answer_of_a_hop_is_refused_where_it_stands(
    outlast: Outlast, tmp_path: Path, answers: str, message: str
) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text(
        "outlast: 1\nparameters: { a: { fixed: 1s } }\nrules:\n  r: { require: a < 2s, picture: p }\npictures:\n"
        f"  p: {{ shape: idle, hops: a, server: a + 1s, answers: {answers} }}\n",
        encoding="utf-8",
    )
    run = outlast("timeline", spec)
    assert run.code == 2
    assert message in run.err


@pytest.mark.parametrize(
    ("client", "answers", "compared", "forgets", "first", "meets"),
    [
        ("client: c.t", "[rst, nothing]", ("c.t <= a.t", "c.t < b.t"), "b", "closed by the FIN", "no answer"),
        ("client: c.t", "[rst, nothing]", ("c.t < a.t", "c.t <= b.t"), "a", "100s forgets it", "an RST"),
        ("client: 3 * c.t, client_awake: c.t", "[nothing, rst]", ("c.t <= a.t",), "b", "closed by the RST", "an RST"),
    ],
)
def test_of_hops_at_a_tie_the_one_forgets_whose_rule_forbids_it(
    outlast: Outlast,
    tmp_path: Path,
    client: str,
    answers: str,
    compared: Sequence[str],
    forgets: str,
    first: str,
    meets: str,
) -> None:
    rules = "\n".join(f"  r{n}: {{ require: {each}, picture: p }}" for n, each in enumerate(compared))
    picture = f"  p: {{ shape: idle, {client}, hops: [a.t, b.t], answers: {answers} }}"
    spec = tmp_path / "outlast.yaml"
    spec.write_text(
        "outlast: 1\nparameters: { a.t: { fixed: 100s }, b.t: { fixed: 100s }, c.t: { fixed: 100s } }\n"
        f"rules:\n{rules}\npictures:\n{picture}\n",
        encoding="utf-8",
    )
    lines = outlast("timeline", spec, "--current").out.splitlines()
    assert f"  ! {forgets} forgets the connection first, after 100s, and tells nobody." in lines
    assert any(line.startswith("  - a: ") and first in line for line in lines)
    assert any(line.endswith(f"at that moment, and a request sent just then meets {meets}.") for line in lines)
