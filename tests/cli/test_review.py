"""`outlast review` as its users see it: what a branch breaks, mends, and no longer guards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.repository import LB, SERVER, SPEC, Repository
from cli.running import Outlast, Run, assert_snapshot

FILES = {"outlast.yaml": SPEC, "infra/lb.tf": LB, "server/main.go": SERVER}
RULE = "http/pool-closes-first@lb:api"


@pytest.fixture
def demo(tmp_path: Path, outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    repository = Repository(tmp_path / "demo", FILES)
    monkeypatch.chdir(repository.top)
    yield repository


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
    (suggested,) = new["suggested"]
    assert "-  idle_timeout       = 905\n+  idle_timeout       = 299\n" in suggested["diff"]
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
