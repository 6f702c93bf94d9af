"""`outlast mutate`: what it says, how it ends, and that the rules of the examples are all missed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cli.running import Outlast, assert_snapshot
from outlast.api import mutate
from outlast.solver.mutants import State

EXAMPLES = sorted(path for path in (Path(__file__).parents[2] / "examples").iterdir() if path.is_dir())
#: Rules of the catalogue that another one implies in this example, so that nobody would miss them there.
IMPLIED = {"k8s/hook-needs-grace@pod", "k8s/prestop-sleep-within-grace@pod"}


@pytest.mark.parametrize(("layout", "ending"), [("text", "txt"), ("markdown", "md"), ("json", "json")])
def test_a_report_reads_as_its_snapshot(outlast: Outlast, layout: str, ending: str) -> None:
    run = outlast("mutate", "slips.yaml", "--format", layout)
    assert run.code == 1
    assert run.err == "slips.yaml:10:3: note: nothing uses the parameter 'web.keep_alive_timeout'\n"
    assert_snapshot(f"mutate-slips.{ending}", run.out)


def test_each_direction_is_a_result_and_what_is_accepted_is_set_aside(outlast: Outlast) -> None:
    run = outlast("mutate", "slips.yaml", "--format", "sarif")
    results = json.loads(run.out)["runs"][0]["results"]
    told = [(r["ruleId"], r["kind"], bool(r.get("suppressions"))) for r in results]
    failing = sorted(each for each in told if each[1] == "fail")
    assert failing == [
        ("accepted-in-vain", "fail", False),
        ("unguarded-direction", "fail", False),
        ("unguarded-direction", "fail", False),
        ("unguarded-direction", "fail", False),
        ("unguarded-direction", "fail", True),
    ]
    lines = {r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in results if r["kind"] == "fail"}
    assert lines == {10, 11, 12}


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("name", ["outlast.yaml", "files.yaml"])
def test_an_example_has_no_unguarded_direction_but_those_that_it_accepts(folder: Path, name: str) -> None:
    outcome = mutate(folder / name)
    assert (outcome.status, outcome.findings) == ("guarded", ())
    assert any(watch.state is State.ACCEPTED for m in outcome.parameters for watch in m.watches)


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_without_any_one_rule_of_an_example_a_mutant_survives(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    whole = mutate(copy / "after.yaml")
    assert (whole.status, whole.solved) == ("guarded", None)
    noticing = {rule for p in whole.parameters for m in p.mutants for rule in m.noticed_by}
    silent: set[str] = set()
    for rule in whole.spec.rules.values():
        if rule.is_bound:
            continue
        without = f"rules:\n  {rule.id}: null" if rule.relation is None else f"decline:\n  {rule.id}: tried without"
        (copy / "without.yaml").write_text(f"outlast: 1\nextends: after.yaml\n{without}\n")
        outcome = mutate(copy / "without.yaml")
        assert rule.id not in outcome.spec.rules
        assert all(watch.state is State.UNGUARDED for _, watch in outcome.findings)
        if rule.relation is not None:
            assert all(rule.id in {closer.rule for closer in watch.closers} for _, watch in outcome.findings)
        if not outcome.findings:
            silent.add(rule.id)
    # What no mutant breaks speaks of numbers that nobody decided.
    assert silent & noticing == (IMPLIED if folder.name == "web-on-kubernetes" else set())
    assert folder.name == "web-on-kubernetes" or silent == set()


def test_without_a_rule_the_command_fails_and_names_the_direction(outlast: Outlast, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(EXAMPLES[1], copy)
    assert outlast("mutate", copy).code == 0
    (copy / "without.yaml").write_text("outlast: 1\nextends: outlast.yaml\nrules: { server-closes-last: null }\n")
    run = outlast("mutate", copy / "without.yaml", "--format", "json")
    assert run.code == 1
    unguarded = [(u["parameter"], u["direction"]) for u in json.loads(run.out)["unguarded"]]
    assert unguarded == [("apache.keep_alive", "low")]


def test_a_conflict_is_said_and_nothing_is_changed(outlast: Outlast) -> None:
    run = outlast("mutate", "conflict.yaml")
    assert run.code == 1
    assert run.out.splitlines()[0] == "the rules cannot hold together"
    assert "outlast explain conflict.yaml" in run.out


def test_values_that_are_not_found_in_time_end_undecided(outlast: Outlast) -> None:
    run = outlast("mutate", "shop.yaml", "--time-limit", "1us")
    assert run.code == 3
    assert run.out.startswith("undecided: the time limit was reached")


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ("unguarded: high", "3:20: expected the reason why 'a' may be unguarded, found no 'why'"),
        ("unguarded: up, why: x", "3:31: expected high, low or off, or a list of these, found 'up'"),
        ("unguarded: [low, low], why: x", "3:37: found 'low' a second time"),
        ("unguarded: [], why: x", "3:31: expected high, low or off, or a list of these, found an empty list"),
    ],
)
def test_what_is_wrong_with_an_accepted_direction_is_told_at_its_place(
    outlast: Outlast, tmp_path: Path, keys: str, complaint: str
) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text(f"outlast: 1\nparameters:\n  a: {{ fixed: 10s, {keys} }}\nrules:\n  r: {{ require: a < 1min }}\n")
    run = outlast("mutate", spec)
    assert run.code == 2
    assert run.err.splitlines() == [f"{spec}:{complaint}", "outlast: 1 error; nothing was computed"]
