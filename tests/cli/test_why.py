"""What `why` says, and when it says so with which exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import Outlast, assert_snapshot

LAYOUTS = [("text", "txt"), ("markdown", "md"), ("json", "json")]


@pytest.mark.parametrize(("layout", "ending"), LAYOUTS)
@pytest.mark.parametrize(
    ("spec", "asked", "code"),
    [
        ("shop", "ping.send", 0),
        ("shop", "pods", 0),
        ("shop", "rtt", 0),
        ("shop", "deadline", 0),
        ("shop", "detection", 0),
        ("shop", "detect-in-time", 0),
        ("shop", "ping.send=9600ms", 1),
        ("shop", "deadline=4s", 1),
        ("shop", "ping.send=6s", 0),
        ("system", "send_ping", 1),
        ("system", "idle=50s", 1),
    ],
)
def test_an_answer_reads_as_its_snapshot(
    outlast: Outlast, spec: str, asked: str, code: int, layout: str, ending: str
) -> None:
    run = outlast("why", f"{spec}.yaml", asked, "--format", layout)
    assert (run.code, run.err) == (code, "")
    assert_snapshot(f"why-{spec}-{asked.replace('=', '-is-')}.{ending}", run.out)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("calm.yaml inner", 0),
        ("calm.yaml nested", 0),
        ("calm.yaml rule:nested", 0),
        ("calm.yaml inner=8s", 0),
        ("calm.yaml inner=10s", 1),
        ("calm.yaml inner=8500ms", 1),
        ("calm.yaml inner=off", 1),
        ("calm.yaml outer=infinite", 0),
        ("calm.yaml outer=1s", 1),
        ("calm.yaml inner=", 2),
        ("calm.yaml inner=5", 2),
        ("calm.yaml nested=5s", 2),
        ("calm.yaml other", 2),
        ("calm.yaml rule:other", 2),
        ("calm.yaml other=5s", 2),
        ("shop.yaml rtt=5s", 2),
        ("calm.yaml inner outer", 2),
        ("calm.yaml", 2),
        ("", 2),
        ("nothing.yaml inner", 2),
        ("wrong.yaml inner", 2),
        ("conflict.yaml --time-limit 0s x", 2),
        ("calm.yaml inner --set outer=1s", 1),
    ],
)
def test_the_exit_code_says_what_was_found(outlast: Outlast, arguments: str, code: int) -> None:
    assert outlast("why", *arguments.split()).code == code


def test_a_name_that_is_not_there_is_told_with_the_nearest_one(outlast: Outlast) -> None:
    run = outlast("why", "shop.yaml", "ping.sent")
    assert run.code == 2
    assert "found 'ping.sent'; did you mean 'ping.send'?" in run.err


def test_an_undecided_search_is_told_so(outlast: Outlast) -> None:
    for asked in ("ping.send", "ping.send=6s"):
        run = outlast("why", "shop.yaml", asked, "--effort", "1")
        assert run.code == 3
        assert "undecided" in run.out.splitlines()[0]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("59500ms", "not a multiple of its step, 1s"),
        ("700s", "its domain ends at 600s"),
        ("500ms", "its domain begins at 1s"),
        ("0s", "its domain does not offer 'infinite'"),
        ("off", "its domain does not offer 'off'"),
    ],
)
def test_a_value_that_is_none_of_its_own_is_told_with_the_reason(outlast: Outlast, value: str, words: str) -> None:
    run = outlast("why", "shop.yaml", f"pool.idle={value}")
    assert run.code == 1
    assert words in " ".join(run.out.split())


def test_the_ends_are_told_with_the_items_that_hold_them(outlast: Outlast) -> None:
    data = json.loads(outlast("why", "shop.yaml", "ping.send", "--format", "json").out)
    low, high = data["stops"]
    assert (low["side"], low["at"], low["open"], low["beyond"]) == ("min", "4s", True, "4s")
    assert low["conflict"]["items"] == ["rule:no-flood", "fact:pods", "asked:ping.send"]
    assert (high["side"], high["limited_by"]) == ("max", ["detect-in-time", "domain:ping.wait.min"])
    assert set(high["conflict"]["items"]) == {
        "margin:detect-in-time", "fixed:deadline", "asked:ping.send", "domain:ping.wait.min",
    }  # fmt: skip
    assert data["parameter"]["value"] == "5s"


def test_what_breaks_is_told_in_the_order_in_which_it_begins(outlast: Outlast) -> None:
    """From 5 s down to 1 s: nothing but the flood; up to 20 s: the deadline at once, then the wish of `spare`, which has room."""
    data = json.loads(outlast("why", "shop.yaml", "ping.send=1s", "--format", "json").out)
    assert [(b["from"], b["items"][0]) for b in data["breaks"]] == [("4s", "rule:no-flood")]
    data = json.loads(outlast("why", "calm.yaml", "inner=12s", "--format", "json").out)
    assert (data["status"], data["not_its_own"]) == ("no value", "its domain ends at 9s")
    assert [b["from"] for b in data["breaks"]] == ["10s"]


def test_the_spec_may_be_left_out(outlast: Outlast, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("outlast.yaml", "w") as spec:
        spec.write("outlast: 1\nparameters:\n  a: { free: 1s..9s }\nrules:\n  r: { require: a < 5s }\n")
    run = outlast("why", "a")
    assert run.code == 0
    assert run.out.startswith("a = ")


def test_a_rule_that_was_given_up_is_told_with_its_conflict(outlast: Outlast) -> None:
    run = outlast("why", "shop.yaml", "calm-pings")
    assert run.code == 0
    assert run.out.startswith("calm-pings had to be given up")
    data = json.loads(outlast("why", "shop.yaml", "calm-pings", "--format", "json").out)
    assert {"rule:calm-pings", "margin:detect-in-time"} <= set(data["given_up"]["items"])
    assert json.loads(outlast("why", "shop.yaml", "no-flood", "--format", "json").out)["given_up"] is None


def test_of_two_conflicts_the_one_that_begins_first_is_told_first(outlast: Outlast, tmp_path: Path) -> None:
    """Both ways, with a strict and a plain comparison, and one that a product lets only a search tell (by the least of `n` or by its list)."""
    spec = tmp_path / "outlast.yaml"
    spec.write_text(
        "outlast: 1\nparameters:\n"
        "  x: { free: 1s..20s, step: 1s }\n"
        "  n: { free: [2, 3] }\n"
        "rules:\n"
        "  a-late: { require: x <= 14s }\n"
        "  b-soon: { require: x < 12s }\n"
        "  c-product: { require: n * x <= 27s }\n"
        "  d-low: { require: x > 3s, aim: 0% }\n"
        "  e-lower: { require: x >= 2s, aim: 0% }\n"
    )
    for value, begins in (("19s", ["12s", "14s", "14s", "15s"]), ("1s", ["3s", "1s"])):
        data = json.loads(outlast("why", spec, f"x={value}", "--format", "json").out)
        assert sorted(b["from"] for b in data["breaks"]) == sorted(begins)
        assert [b["from"] for b in data["breaks"]] == begins
