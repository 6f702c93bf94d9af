"""`outlast review` as its users see it: what a branch breaks, mends, and no longer guards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from cli.repository import LB, SERVER, SPEC, Repository
from cli.running import Outlast, Run, assert_snapshot

FILES = {"outlast.yaml": SPEC, "infra/lb.tf": LB, "server/main.go": SERVER}
RULE = "http/pool-closes-first@lb:api"


@pytest.fixture
def demo(tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository = Repository(tmp_path / "demo", FILES)
    monkeypatch.chdir(repository.top)
    return repository


def data(run: Run) -> Any:
    return json.loads(run.out)


def part(run: Run) -> Any:
    (only,) = data(run)["parts"]
    return only


def test_a_raised_idle_timeout_is_one_new_finding_on_the_changed_line(outlast: Outlast, demo: Repository) -> None:
    demo.git("checkout", "-q", "-b", "raise")
    demo.change("infra/lb.tf", "= 60\n", "= 905\n")
    demo.commit("Keep connections longer")
    run = outlast("review", "--base", "main", "--head", "raise", "-f", "json")
    assert run.code == 1
    (new,) = part(run)["new"]
    assert (new["rule"], new["severity"], new["place"]) == (
        RULE,
        "error",
        {"file": "infra/lb.tf", "line": 4, "col": 24},
    )
    assert new["is_on_changed_line"]
    assert "905s" in new["conflict"]
    assert new["repairs"][0]["text"].startswith("lb.idle_timeout from 905s to 299s")
    (suggested,) = new["suggested"]["files"]
    assert "-  idle_timeout       = 905\n+  idle_timeout       = 295\n" in suggested["diff"]
    assert part(run)["losses"] == part(run)["old"] == []
    assert [(p["name"], p["before"]["value"], p["after"]["value"]) for p in part(run)["parameters"]] == [
        ("lb.idle_timeout", "60s", "905s")
    ]


def test_with_the_server_raised_as_well_nothing_is_wrong(outlast: Outlast, demo: Repository) -> None:
    demo.change("infra/lb.tf", "= 60\n", "= 905\n")
    demo.change("server/main.go", "300 *", "930 *")
    run = outlast("review", "--base", "main", "-f", "json")
    assert (run.code, part(run)["new"], part(run)["losses"]) == (0, [], [])
    (moved,) = [h for h in part(run)["headrooms"] if h["rule"] == RULE]
    assert (moved["before"]["headroom"], moved["after"]["headroom_exact"]) == (4, "5/181")


@pytest.mark.parametrize("layout", ["text", "markdown"])
def test_the_report(outlast: Outlast, demo: Repository, layout: str) -> None:
    demo.change("infra/lb.tf", "= 60\n", "= 905\n")
    assert_snapshot(f"review.{layout}", outlast("review", "--base", "main", "-f", layout).out)


# What is guarded less.

OWN = """\
outlast: 1
parameters:
  lb.idle:  { fixed: 60s, at: 'infra/lb.tf#aws_lb.main:idle_timeout', unit: s }
  api.idle: { free: 1s..1h, at: 'server/main.go#main:IdleTimeout' }
  drain:    { fixed: 10s }
  grace:    { fact: 30s }
measurements:
  rtt: { samples: rtt.csv, unit: ms }
rules:
  closes-last:  { require: lb.idle < api.idle, margin: 5s, why: the server must not close first }
  drain-fits:   { require: drain + 5s < grace, needs_on: [drain] }
  rtt-fits:     { require: p99(rtt) < drain }
"""
OWN_FILES = {**FILES, "outlast.yaml": OWN, "rtt.csv": "\n".join(str(n) for n in range(1, 2001)) + "\n"}


@pytest.fixture
def own(tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> Repository:
    repository = Repository(tmp_path / "own", OWN_FILES)
    monkeypatch.chdir(repository.top)
    return repository


LOSSES = [
    ("  drain-fits:   { require: drain + 5s < grace, needs_on: [drain] }\n", "", "rule removed", "drain-fits"),
    ("drain + 5s < grace", "drain < grace", "rule weakened", "drain-fits"),
    ("drain + 5s < grace", "drain + 5s <= grace", "rule weakened", "drain-fits"),
    (", needs_on: [drain]", "", "rule weakened", "drain-fits"),
    ("margin: 5s, ", "", "rule weakened", "closes-last"),
    ("margin: 5s", "margin: 4s", "rule weakened", "closes-last"),
    ("needs_on: [drain]", "needs_on: [drain], level: should", "rule weakened", "drain-fits"),
    ("needs_on: [drain]", "needs_on: [drain], when: grace > 20s", "rule weakened", "drain-fits"),
    ("p99(rtt)", "p98(rtt)", "rule weakened", "rtt-fits"),
    (", at: 'infra/lb.tf#aws_lb.main:idle_timeout'", "", "binding dropped", "lb.idle"),
    ("outlast: 1\n", "outlast: 1\nconfidence: 90%\n", "confidence lowered", "confidence"),
    ("free: 1s..1h, at: 'server/main.go#main:IdleTimeout'", "free: 1s..1h", "rule no longer judged", "closes-last"),
]


@pytest.mark.parametrize(("old", "new", "kind", "subject"), LOSSES)
def test_what_guards_less_is_a_finding(
    outlast: Outlast, own: Repository, old: str, new: str, kind: str, subject: str
) -> None:
    own.change("outlast.yaml", old, new)
    run = outlast("review", "--base", "main", "-f", "json")
    assert (kind, subject) in [(loss["kind"], loss["subject"]) for loss in part(run)["losses"]]
    assert (run.code, part(run)["new"]) == (1, [])
    assert outlast("review", "--base", "main", "--allow-unguarding").code == 0


GUARDING = [
    ("drain + 5s < grace", "grace > 5000ms + drain"),
    ("drain-fits: ", "drain-fits-in: "),
    ("margin: 5s", "margin: 6s"),
    ("p99(rtt)", "p99.5(rtt)"),
    ("drain + 5s < grace", "drain + 6s < grace"),
    ("fact: 30s", "fact: 40s"),
    ("'infra/lb.tf#aws_lb.main:idle_timeout'", "['infra/lb.tf#aws_lb.main:idle_timeout']"),
    ("'infra/lb.tf#aws_lb.main:idle_timeout'", "'infra/lb.tf#idle_timeout'"),
    ("why: the server must not close first", "why: of two ends the server must not close first"),
]


@pytest.mark.parametrize(("old", "new"), GUARDING)
def test_what_guards_no_less_is_none(outlast: Outlast, own: Repository, old: str, new: str) -> None:
    own.change("outlast.yaml", old, new)
    run = outlast("review", "--base", "main", "-f", "json")
    assert (part(run)["losses"], part(run)["new"], run.code) == ([], [], 0)


def test_a_declined_rule_of_the_catalogue_guards_less(outlast: Outlast, demo: Repository) -> None:
    demo.write({"outlast.yaml": SPEC + f"decline:\n  {RULE}: it is quick enough\n"})
    run = outlast("review", "--base", "main", "-f", "json")
    (loss,) = part(run)["losses"]
    assert (run.code, loss["kind"], loss["subject"]) == (1, "rule declined", RULE)
    assert loss["place"] == {"file": "outlast.yaml", "line": 16, "col": 3}


def test_a_rule_that_lost_its_value_is_told_under_the_new_name_of_its_component(
    tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = "outlast: 1\ncomponents: { pod: k8s.pod, NAME: { kind: generic.server, runs_in: pod } }\n"
    text = spec.replace("NAME", "web") + "parameters: { web.shutdown: { fact: 10s } }\n"
    repository = Repository(tmp_path / "web", {"outlast.yaml": text})
    monkeypatch.chdir(repository.top)
    repository.write({"outlast.yaml": spec.replace("NAME", "app")})
    run = outlast("review", "--base", "main", "-f", "json")
    told = [(loss["kind"], loss["subject"]) for loss in part(run)["losses"]]
    assert ("rule no longer judged", "stop/grace-covers-shutdown@pod:app") in told


def test_a_connection_that_is_gone_takes_its_rules_along(outlast: Outlast, demo: Repository) -> None:
    demo.change("outlast.yaml", "  - browser -> lb -> api\n", "  - browser -> lb\n")
    run = outlast("review", "--base", "main", "-f", "json")
    assert [(loss["kind"], loss["rules"]) for loss in part(run)["losses"]] == [("rule removed", [RULE])]
    assert run.code == 1


# What was there before.


def test_what_was_broken_before_is_told_apart(outlast: Outlast, demo: Repository) -> None:
    demo.change("infra/lb.tf", "= 60\n", "= 400\n")
    demo.commit("Broken already")
    demo.change("infra/lb.tf", "= 400\n", "= 500\n")
    run = outlast("review", "--base", "main", "-f", "json")
    assert (run.code, part(run)["new"]) == (0, [])
    assert [finding["rule"] for finding in part(run)["old"]] == [RULE]
    demo.change("infra/lb.tf", "= 500\n", "= 100\n")
    run = outlast("review", "--base", "main", "-f", "json")
    assert [finding["rule"] for finding in part(run)["mended"]] == [RULE]


def test_a_file_that_differs_from_the_spec_is_new_with_what_it_would_break(outlast: Outlast, own: Repository) -> None:
    own.change("infra/lb.tf", "= 60\n", "= 905\n")
    run = outlast("review", "--base", "main", "-f", "json")
    (new,) = part(run)["new"]
    assert (run.code, new["kind"], new["parameter"]) == (1, "value differs from its file", "lb.idle")
    assert (new["place"]["file"], new["place"]["line"], new["is_on_changed_line"]) == ("infra/lb.tf", 4, True)
    assert "closes-last" in new["conflict"]
    assert "-  idle_timeout       = 905" in new["suggested"]["files"][0]["diff"]


# Specs that move.


def test_a_renamed_spec_is_the_same_spec(outlast: Outlast, demo: Repository) -> None:
    demo.git("mv", "outlast.yaml", "timeouts.yaml")
    demo.git("mv", "infra/lb.tf", "infra/balancer.tf")
    demo.change("timeouts.yaml", "infra/lb.tf#", "infra/balancer.tf#")
    demo.commit("Rename")
    run = outlast("review", "timeouts.yaml", "--base", "main~1", "-f", "json")
    assert (part(run)["was"], part(run)["losses"], part(run)["new"], run.code) == ("outlast.yaml", [], [], 0)


def test_a_spec_that_is_gone_guards_nothing(outlast: Outlast, own: Repository) -> None:
    own.git("rm", "-q", "outlast.yaml")
    run = outlast("review", "--base", "main", "-f", "json")
    (loss,) = part(run)["losses"]
    assert (run.code, loss["kind"], loss["rules"]) == (1, "spec removed", ["closes-last", "drain-fits", "rtt-fits"])


def test_all_of_a_new_spec_is_new(outlast: Outlast, demo: Repository) -> None:
    demo.write(
        {
            "sub/outlast.yaml": "outlast: 1\nparameters: { a: { fixed: 2s }, b: { fixed: 1s } }\nrules: { r: { require: a < b } }\n"
        }
    )
    run = outlast("review", "--base", "main", "-f", "json")
    new = data(run)["parts"][1]
    assert (run.code, new["spec"], new["is_new"], [f["rule"] for f in new["new"]]) == (
        1,
        "sub/outlast.yaml",
        True,
        ["r"],
    )
    assert "-outlast" not in new["new"][0]["suggested"]["files"][0]["diff"]


# Without a spec.

WEB = (Path(__file__).parents[2] / "examples/web-on-kubernetes/files/web.yaml").read_text(encoding="utf-8")


def test_files_alone_are_reviewed_where_there_is_no_spec(
    tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = WEB.replace("timeout_seconds=120", "timeout_seconds=60")
    repository = Repository(tmp_path / "web", {"k8s/web.yaml": calm})
    monkeypatch.chdir(repository.top)
    repository.write({"k8s/web.yaml": "# moved down\n" + WEB.replace("timeout_seconds=120", "timeout_seconds=905")})
    run = outlast("review", "--base", "main", "-f", "json")
    (new,) = part(run)["new"]
    assert (run.code, new["rule"].partition("@")[0]) == (1, "http/pool-closes-first")
    assert (new["place"]["line"], new["is_on_changed_line"]) == (41, True)
    assert "+            - --keep-alive=910" in new["suggested"]["files"][0]["diff"]
    assert [(p["name"], p["before"]["value"], p["after"]["value"]) for p in part(run)["parameters"]] == [
        ("web_alb.idle_timeout", "60s", "905s")
    ]
    assert part(run)["headrooms"]
    assert part(run)["old"]
    repository.change("k8s/web.yaml", "--keep-alive=75", "--keep-alive=930")
    assert outlast("review", "--base", "main").code == 0


# Revisions that cannot be read.


def test_a_base_that_is_not_there(outlast: Outlast, demo: Repository) -> None:
    run = outlast("review", "--base", "origin/main", "-f", "json")
    assert (run.code, data(run)["status"]) == (2, "error")
    assert "cannot find the commit 'origin/main'" in run.err


def test_a_spec_that_cannot_be_used(outlast: Outlast, demo: Repository) -> None:
    demo.change("outlast.yaml", "free: 1s..1h", "free: 1s..1x")
    run = outlast("review", "--base", "main")
    assert (run.code, run.out) == (2, "")
    assert "outlast.yaml:14:" in run.err


def test_a_spec_that_could_not_be_used_before_counts_as_new(outlast: Outlast, demo: Repository) -> None:
    demo.change("outlast.yaml", "free: 1s..1h", "free: 1s..1x")
    demo.commit("Break the spec")
    demo.change("outlast.yaml", "free: 1s..1x", "free: 1s..1h")
    run = outlast("review", "--base", "main", "-f", "json")
    assert (run.code, data(run)["status"], part(run)["is_new"]) == (3, "undecided", True)
    assert "could not be used before the change" in run.err
    told = outlast("review", "--base", "main", "--allow-unguarding")
    assert (told.code, told.err, " ".join(told.out.split()).count("could not be used before the change")) == (0, "", 1)


def test_without_a_base_only_what_is_due_is_listed(outlast: Outlast, own: Repository) -> None:
    own.change(
        "outlast.yaml", "drain:    { fixed: 10s", "drain:    { fixed: 10s, why: x, owner: y, review_by: 2026-01-31"
    )
    run = outlast("review", "--stale", "90", "--today", "2026-02-01", "-f", "json")
    due = {d["subject"]: d for d in part(run)["due"]}
    assert (run.code, due["drain"]["severity"], due["drain"]["days"]) == (1, "error", 1)
    assert outlast("review", "--stale", "90", "--today", "2026-01-31", "--fail-on", "error").code == 0
    assert outlast("review").code == 2


def test_an_ignored_finding_guards_less_and_counts_no_more(outlast: Outlast, demo: Repository) -> None:
    demo.change("infra/lb.tf", "= 60\n", f"= 905 # outlast: ignore[{RULE}] until the servers are replaced\n")
    run = outlast("review", "--base", "main", "-f", "json")
    (loss,) = part(run)["losses"]
    assert (run.code, part(run)["new"], loss["kind"], loss["subject"]) == (1, [], "finding ignored", RULE)
    assert (loss["place"]["file"], loss["place"]["line"]) == ("infra/lb.tf", 4)
    assert [(i["rule"], i["ignored_by"]["why"]) for i in part(run)["ignored"]] == [
        (RULE, "until the servers are replaced")
    ]
    demo.commit("Ignore it")
    assert outlast("review", "--base", "main").code == 0
    demo.change("infra/lb.tf", f" # outlast: ignore[{RULE}] until the servers are replaced", "")
    assert outlast("review", "--base", "main", "-f", "json").code == 0  # it was so before


def test_a_suggestion_is_in_whole_units_where_the_value_is(outlast: Outlast, own: Repository) -> None:
    own.change("outlast.yaml", "unit: s }", "unit: s, cost: never }")
    own.change("outlast.yaml", "margin: 5s, ", "")
    own.commit("Keep the balancer")
    own.change("server/main.go", "300 *", "50 *")
    run = outlast("review", "--base", "main", "-f", "json")
    (new,) = part(run)["new"]
    assert new["repairs"][0]["changes"][0]["to"] == "60.001s"
    assert new["suggested"]["changes"][0]["to"] == "61s"
    assert "+\t\tIdleTimeout: 61 * time.Second" in new["suggested"]["files"][0]["diff"]


def test_files_of_a_submodule_are_nobody_elses_change(
    tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other", {"web.yaml": WEB})
    repository = Repository(tmp_path / "web", {"a.txt": "x"})
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.top), "sub")
    repository.commit("Add a submodule")
    monkeypatch.chdir(repository.top)
    for head in ((), ("--head", "HEAD")):
        run = outlast("review", "--base", "main", *head, "-f", "json")
        assert (run.code, part(run)["new"], run.err) == (0, [], "")


def test_what_could_not_be_looked_at_is_told_once(outlast: Outlast, demo: Repository) -> None:
    (demo.top / "/".join("d" * 102)).mkdir(parents=True)
    run = outlast("review", "--base", "main", "--lint", "-f", "json")
    assert run.code == 0
    assert run.err.count("more than 100 folders deep") == 1


@pytest.mark.parametrize("option", ["--base", "--head"])
def test_a_revision_from_a_variable_that_is_not_set_is_wrong_usage(
    outlast: Outlast, demo: Repository, option: str
) -> None:
    run = outlast("review", "--base", "main", option, "")
    assert run.code == 2
    assert f"'{option}'" in run.err
    assert "expected a revision, found nothing" in " ".join(run.err.split())


# What is the same finding.


def hooked(name: str, sleep: str = "20") -> str:
    """A Deployment whose hook is as long as its grace period allows, or longer."""
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{ name: {name} }}
spec:
  template:
    spec:
      terminationGracePeriodSeconds: 60
      containers:
        - name: app
          image: x
          command: [gunicorn, "app:app"]
          lifecycle: {{ preStop: {{ exec: {{ command: [sh, -c, "sleep {sleep}"] }} }} }}
---
"""


@pytest.mark.parametrize(
    ("before", "after", "new", "old"),
    [
        (["a40", "b1"], ["a40", "b40"], 1, 1),
        (["a40", "b1"], ["a1", "b40"], 1, 0),
        (["a40"], ["a40", "b1"], 0, 1),
        (["a40", "b1"], ["b1", "a40"], 0, 1),
        (["a40", "b1"], ["a40"], 0, 1),
        (["a40"], ["a45"], 0, 1),
        (["a40"], ["c40"], 0, 1),
        (["a40"], ["a40", "b40"], 1, 1),
        (["a40", "b40"], ["a1", "b40"], 0, 1),
        (["a40", "b1"], ["b1"], 0, 0),
    ],
)
def test_findings_of_one_file_are_told_apart(
    tmp_path: Path,
    outlast: Outlast,
    monkeypatch: pytest.MonkeyPatch,
    before: list[str],
    after: list[str],
    new: int,
    old: int,
) -> None:
    texts = ["".join(hooked(one[0], one[1:]) for one in each) for each in (before, after)]
    repository = Repository(tmp_path / "k", {"d.yaml": texts[0]})
    monkeypatch.chdir(repository.top)
    repository.write({"d.yaml": texts[1]})
    run = outlast("review", "--base", "main", "-f", "json")
    found = part(run)
    assert (len(found["new"]), len(found["old"]), run.code) == (new, old, 1 if new else 0)
    were, are = ({one[0]: int(one[1:]) <= 30 for one in each} for each in (before, after))
    assert len(found["mended"]) == sum(not were[name] and is_well for name, is_well in are.items() if name in were)


CHAIN = """\
outlast: 1
parameters: { x: { fixed: 1s }, a: { fixed: 2s }, b: { fixed: 3s }, c: { fixed: 4s } }
rules:
  r: { require: a < b < c }
"""


@pytest.mark.parametrize(
    ("rules", "kinds"),
    [
        ("r: { require: c > b > a }", []),
        ("r: { require: x < a < b < c }", []),
        ("r: { require: a < b and b < c }", []),
        ("q: { require: a < b }\n  p: { require: b < c }", []),
        ("q: { require: a < x }\n  p: { require: x < b }\n  s: { require: b < c }", []),
        ("r: { require: a < b <= c }", ["rule weakened"]),
        ("r: { require: a < c }", ["rule removed", "rule removed"]),
        ("r: { require: b < c }", ["rule removed"]),
    ],
)
def test_chains_are_compared_by_what_they_forbid(
    tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch, rules: str, kinds: list[str]
) -> None:
    repository = Repository(tmp_path / "c", {"outlast.yaml": CHAIN})
    monkeypatch.chdir(repository.top)
    repository.change("outlast.yaml", "r: { require: a < b < c }", rules)
    run = outlast("review", "--base", "main", "-f", "json")
    assert [loss["kind"] for loss in part(run)["losses"]] == kinds


def test_names_that_change_alone_guard_no_less(outlast: Outlast, demo: Repository) -> None:
    text = (
        SPEC.replace("lb:      aws.alb", "edge: aws.alb")
        .replace("-> lb ->", "-> edge ->")
        .replace("lb.idle_", "edge.idle_")
    )
    demo.write({"outlast.yaml": text})
    run = outlast("review", "--base", "main", "-f", "json")
    assert (part(run)["losses"], part(run)["new"], run.code) == ([], [], 0)


def test_a_second_place_that_differs_is_new(tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = "outlast: 1\nparameters: { a: { fixed: 5s, at: [f.yaml#a, g.yaml#a] }, b: { fixed: 9s } }\nrules: { r: { require: a < b } }\n"
    repository = Repository(tmp_path / "p", {"outlast.yaml": spec, "f.yaml": "a: 6s\n", "g.yaml": "a: 5s\n"})
    monkeypatch.chdir(repository.top)
    repository.write({"f.yaml": "a: 5s\n", "g.yaml": "a: 7s\n"})
    run = outlast("review", "--base", "main", "-f", "json")
    assert [new["place"]["file"] for new in part(run)["new"]] == ["g.yaml"]
    assert [mended["place"]["file"] for mended in part(run)["mended"]] == ["f.yaml"]


def test_a_suggestion_mends_all_that_it_stands_under(
    tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = "outlast: 1\nparameters:\n  x: { fixed: 10.5s, step: 100ms }\nrules:\n  aa: { require: x >= 10.4s }\n  bb: { require: x > 10s and x < 10.8s }\n"
    repository = Repository(tmp_path / "s", {"outlast.yaml": spec})
    monkeypatch.chdir(repository.top)
    repository.change("outlast.yaml", "10.5s", "5s")
    run = outlast("review", "--base", "main", "-f", "json")
    assert [new["suggested"]["changes"][0]["to"] for new in part(run)["new"]] == ["10.4s", "10.4s"]


def test_no_suggestion_breaks_another_spec(tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> None:
    one = "outlast: 1\nparameters: { lb: { free: 1s..100s, step: 1s, at: ../f.yaml#lb }, web: { free: 1s..100s, step: 1s, at: ../f.yaml#web } }\nrules: { r: { require: lb < web } }\n"
    other = "outlast: 1\nparameters: { lb: { free: 1s..100s, at: ../f.yaml#lb }, c: { fixed: 55s } }\nrules: { s: { require: c <= lb } }\n"
    repository = Repository(
        tmp_path / "m", {"one/outlast.yaml": one, "two/outlast.yaml": other, "f.yaml": "lb: 40s\nweb: 50s\n"}
    )
    monkeypatch.chdir(repository.top)
    repository.write({"f.yaml": "lb: 60s\nweb: 50s\n"})
    run = outlast("review", "--base", "main", "-f", "json")
    (new,) = [finding for each in data(run)["parts"] for finding in each["new"]]
    assert (new["place"]["line"], new["suggested"]["changes"][0]["parameter"]) == (1, "web")


def test_a_suggestion_changes_the_line_that_the_change_touched(outlast: Outlast, demo: Repository) -> None:
    demo.change("server/main.go", "300 *", "50 *")
    (new,) = part(outlast("review", "--base", "main", "-f", "json"))["new"]
    assert new["repairs"][0]["text"].startswith("lb.idle_timeout from 60s")
    assert (new["place"]["file"], new["suggested"]["files"][0]["file"]) == ("server/main.go", "server/main.go")


def test_a_suggestion_for_files_alone_breaks_no_spec(
    tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = "outlast: 1\nparameters: { g: { free: 1s..1min, at: 'compose.yaml#services.a.stop_grace_period' } }\nrules: { r: { require: g <= 12s } }\n"
    long = compose(("a", 11)).replace("period: 10s", "period: 12s")
    repository = Repository(tmp_path / "l", {"compose.yaml": long, "outlast.yaml": spec})
    monkeypatch.chdir(repository.top)
    repository.write({"compose.yaml": compose(("a", 11))})
    _, files = data(outlast("review", "--base", "main", "--lint", "-f", "json"))["parts"]
    (new,) = files["new"]
    (change,) = new["suggested"]["changes"]
    assert (change["parameter"], change["to"]) == ("a_service.stop_grace_period", "11s")
    repository.write({"outlast.yaml": spec.replace("12s", "20s")})
    _, files = data(outlast("review", "--base", "main", "--lint", "-f", "json"))["parts"]
    assert files["new"][0]["suggested"]["changes"][0]["to"] == "16s"


def test_what_some_spec_makes_use_of_is_ignored_in_vain_in_none(
    tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = "outlast: 1\nparameters: { a: { free: 1s..9s, current: 1s }, b: { fixed: 5s } }\nrules: { r: { require: a < b } }\nignore: { r: known }\n"
    high, low = (f"outlast: 1\nextends: ../base.yaml\nparameters: {{ a: {{ current: {n}s }} }}\n" for n in (7, 2))
    repository = Repository(tmp_path / "v", {"base.yaml": base.replace("ignore: { r: known }\n", "")})
    monkeypatch.chdir(repository.top)
    repository.write({"base.yaml": base, "high/outlast.yaml": high, "low/outlast.yaml": low})
    run = outlast("review", "--base", "main", "-f", "json")
    assert [finding for each in data(run)["parts"] for finding in each["new"]] == []
    repository.write({"high/outlast.yaml": low})
    run = outlast("review", "--base", "main", "-f", "json")
    assert [f["kind"] for each in data(run)["parts"] for f in each["new"]] == ["ignored in vain", "ignored in vain"]


def test_a_value_that_differs_further_and_breaks_more_is_new(outlast: Outlast, own: Repository) -> None:
    own.change("infra/lb.tf", "= 60\n", "= 61\n")
    own.commit("Differ")
    own.change("infra/lb.tf", "= 61\n", "= 62\n")
    assert part(outlast("review", "--base", "main", "-f", "json"))["new"] == []
    own.change("infra/lb.tf", "= 62\n", "= 905\n")
    found = part(outlast("review", "--base", "main", "-f", "json"))
    assert ([f["kind"] for f in found["new"]], found["mended"]) == (["value differs from its file"], [])


def test_a_broken_rule_that_now_must_hold_is_new(outlast: Outlast, own: Repository) -> None:
    own.change("outlast.yaml", "drain + 5s < grace, needs_on: [drain]", "drain + 50s < grace, level: should")
    own.commit("Wish for more")
    own.change("outlast.yaml", "level: should", "level: must")
    (new,) = part(outlast("review", "--base", "main", "-f", "json"))["new"]
    assert (new["rule"], new["severity"]) == ("drain-fits", "error")


def test_a_review_that_gives_up_is_undecided(outlast: Outlast, own: Repository) -> None:
    own.change("outlast.yaml", "require: drain + 5s < grace, needs_on: [drain]", "require: 'multiple_of(grace, drain)'")
    own.commit("Demand multiples")
    own.change(
        "outlast.yaml", "multiple_of(grace, drain)", "multiple_of(grace, 2 * drain) or multiple_of(grace, drain)"
    )
    run = outlast("review", "--base", "main", "--effort", "1", "-f", "json")
    (loss,) = part(run)["losses"]
    assert (run.code, data(run)["status"], loss["verdict"]) == (3, "undecided", "undecided")
    assert outlast("review", "--base", "main", "--effort", "1", "--allow-unguarding").code == 0


def test_every_format_tells_the_same_and_ends_the_same(outlast: Outlast, demo: Repository) -> None:
    demo.change("infra/lb.tf", "= 60\n", "= 905\n")
    demo.change(
        "outlast.yaml", "title: Go API", "decline: { lb/alb-check-timeout-below-interval@lb: é | `x` }\ntitle: Go API"
    )
    formats = ("sarif", "junit", "github", "gitlab", "markdown", "json")
    written = [argument for name in formats for argument in ("--output", f"{name}=out.{name}")]
    assert outlast("review", "--base", "main", *written).code == 1
    for name in formats:
        run = outlast("review", "--base", "main", "-f", name)
        assert (run.code, run.out) == (1, (demo.top / f"out.{name}").read_text(encoding="utf-8"))
    log = json.loads((demo.top / "out.sarif").read_text(encoding="utf-8"))
    schema = json.loads((Path(__file__).parents[1] / "data/sarif/sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    assert [error.message for error in jsonschema.Draft4Validator(schema).iter_errors(log)] == []
    (run_,) = log["runs"]
    assert [result["ruleId"] for result in run_["results"]] == ["http/pool-closes-first", "rule-declined"]
    ((change,),) = [fix["artifactChanges"] for fix in run_["results"][0]["fixes"]]
    ((replacement,),) = [change["replacements"]]
    region, before = replacement["deletedRegion"], (demo.top / "infra/lb.tf").read_bytes()
    start, end = region["byteOffset"], region["byteOffset"] + region["byteLength"]
    assert (
        before[:start] + replacement["insertedContent"]["text"].encode() + before[end:]
        == LB.replace("60", "295").encode()
    )
    cases = ElementTree.fromstring((demo.top / "out.junit").read_text(encoding="utf-8")).iter("testcase")
    assert sum(1 for case in cases if case.find("failure") is not None) == 2
    assert len(json.loads((demo.top / "out.gitlab").read_text(encoding="utf-8"))) == 2
    lines = (demo.top / "out.github").read_text(encoding="utf-8").splitlines()
    assert [line.partition(",")[0] for line in lines[:2]] == ["::error file=infra/lb.tf", "::warning file=outlast.yaml"]


def test_a_review_of_nothing_says_so(tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(tmp_path / "n", {"a.txt": "x"})
    monkeypatch.chdir(repository.top)
    run = outlast("review", "--base", "main")
    assert (run.code, run.out.splitlines()[0]) == (
        0,
        "nothing new is wrong, and nothing to judge; 0 rules judged in files",
    )


def compose(*services: tuple[str, int]) -> str:
    """Services with a grace period of 10 s and their time for the last requests."""
    told = (
        f"  {name}:\n    image: x\n    stop_grace_period: 10s\n    command: gunicorn --graceful-timeout {seconds} app:app\n"
        for name, seconds in services
    )
    return "".join(["services:\n", *told])


@pytest.mark.parametrize(
    ("before", "after", "new", "old", "mended"),
    [
        ([("a", 20)], [("a", 5), ("b", 20)], ["b"], [], ["a"]),
        ([("q", 20)], [("p", 20), ("q", 5)], ["p"], [], ["q"]),
        ([("s", 20), ("r", 20), ("q", 5)], [("r", 20), ("q", 5), ("s", 20)], [], ["r", "s"], []),
        ([("p", 20), ("q", 5)], [("q", 20)], ["q"], [], []),
        ([("p", 20)], [("renamed", 20)], [], ["renamed"], []),
    ],
)
def test_a_block_is_not_taken_for_another_in_its_lines(
    tmp_path: Path,
    outlast: Outlast,
    monkeypatch: pytest.MonkeyPatch,
    before: list[tuple[str, int]],
    after: list[tuple[str, int]],
    new: list[str],
    old: list[str],
    mended: list[str],
) -> None:
    repository = Repository(tmp_path / "c", {"compose.yaml": compose(*before)})
    monkeypatch.chdir(repository.top)
    repository.write({"compose.yaml": compose(*after)})
    found = part(outlast("review", "--base", "main", "-f", "json"))
    told = {
        key: sorted(f["rule"].rpartition(":")[2].partition("_")[0] for f in found[key])
        for key in ("new", "old", "mended")
    }
    assert told == {"new": new, "old": old, "mended": mended}


def test_a_rule_of_the_catalogue_that_a_spec_loosens_guards_less(outlast: Outlast, demo: Repository) -> None:
    demo.write({"outlast.yaml": SPEC + f"rules:\n  {RULE}: {{ margin: 20% }}\n"})
    demo.commit("Demand a margin")
    for keys in ("margin: 10%", "margin: 20%, level: should"):
        demo.write({"outlast.yaml": SPEC + f"rules:\n  {RULE}: {{ {keys} }}\n"})
        run = outlast("review", "--base", "main", "-f", "json")
        assert [(loss["kind"], loss["subject"]) for loss in part(run)["losses"]] == [("rule weakened", RULE)]


CHANGED_RULES = """\
outlast: 1
parameters: { a: { fixed: 5s }, b: { fixed: 3s }, c: { fixed: 1s }, hop: { fixed: 4s } }
rules:
  r: { require: a < b }
"""


@pytest.mark.parametrize(
    ("old", "new", "is_new", "losses"),
    [
        ("r: { require: a < b }", "r: { require: b < c }", True, ["rule weakened"]),
        ("r: { require: a < b }", "r: { require: a < b, why: x }", False, []),
        ("a: { fixed: 5s }", "a: { derived: 2 * hop }", False, []),
        ("r: { require: a < b }", "r: { require: 'a < b and b < 9s' }", False, []),
    ],
)
def test_what_a_rule_compares_tells_whether_its_trouble_is_new(
    tmp_path: Path,
    outlast: Outlast,
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
    is_new: bool,
    losses: list[str],
) -> None:
    repository = Repository(tmp_path / "r", {"outlast.yaml": CHANGED_RULES})
    monkeypatch.chdir(repository.top)
    repository.change("outlast.yaml", old, new)
    found = part(outlast("review", "--base", "main", "-f", "json"))
    assert (bool(found["new"]), [loss["kind"] for loss in found["losses"]]) == (is_new, losses)


def test_another_place_of_the_same_file_that_differs_is_new(
    tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = "outlast: 1\nparameters: { a: { fixed: 5s, at: [f.yaml#p.a, f.yaml#q.a] }, b: { fixed: 9s } }\nrules: { r: { require: a < b } }\n"
    repository = Repository(tmp_path / "p", {"outlast.yaml": spec, "f.yaml": "p:\n  a: 60s\nq:\n  a: 5s\n"})
    monkeypatch.chdir(repository.top)
    repository.write({"f.yaml": "p:\n  a: 5s\nq:\n  a: 60s\n"})
    found = part(outlast("review", "--base", "main", "-f", "json"))
    assert [new["place"]["line"] for new in found["new"]] == [4]
    assert [mended["place"]["line"] for mended in found["mended"]] == [2]
    repository.write({"f.yaml": "p:\n  a: 70s\nq:\n  a: 5s\n"})
    assert part(outlast("review", "--base", "main", "-f", "json"))["new"] == []
