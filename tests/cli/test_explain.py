"""How conflicts and ways out are told: marks, proofs, places, what is missing, and the exit code."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest

from cli.accounts import SECOND, account, cases, certificate, clash, conflict, group, item, repair, spec, system
from cli.running import SPECS, Outlast
from outlast.constraints.loading import load_spec
from outlast.constraints.model import Spec
from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import replace
from outlast.reports.explain import explain_document
from outlast.reports.explain_data import explain_data
from outlast.reports.markdown import markdown
from outlast.reports.text import plain
from outlast.solver.account import Account, Case, Cases, Change, Dropped, Item, ItemKind, Moved, Weakened
from outlast.solver.outcome import SolveOutcome, Status

DEADLINE = Moved(
    parameter="deadline", kind=ItemKind.FIXED, before=Fraction(10 * SECOND), after=Fraction(104 * SECOND, 10)
)
DETECT = Weakened(
    rule="detect",
    share=Fraction(512, 1000),
    by=Fraction(3584, 1000) * SECOND,
    time_exponent=1,
    to="2 * send_ping <= 10.584s",
)
WARM = Dropped(rule="pool-stays-warm", kind=ItemKind.RULE)


def rule(name: str) -> Item:
    return item(f"rule:{name}", f"{name} holds")


def told(of: Account, *, full: bool = False, width: int = 300) -> str:
    return plain(explain_document(of, full=full), width)


def data(of: Account) -> Any:
    return json.loads(json.dumps(explain_data(of)))


# The verdict and the exit code.


def outcomes() -> dict[str, tuple[Account, int, str, str]]:
    of = spec()
    must = group(1, (conflict(rule("rate")),), (repair(DETECT, cost=10),))
    should = group(1, (conflict(rule("rate"), shoulds=("rate",)),), (repair(DETECT, cost=10),))
    return {
        "nothing": (account(of), 0, "feasible", "the rules can hold together"),
        "nothing in use": (
            account(spec("calm"), current=True),
            0,
            "feasible",
            "at the values in use, the rules hold together",
        ),
        "no value known": (
            account(of, current=True),
            0,
            "feasible",
            "no value in use is known; the rules can hold together",
        ),
        "unknown": (account(of, undecided="the time limit struck"), 3, "undecided", "undecided: the time limit struck"),
        "must": (
            account(of, must),
            1,
            "conflict",
            "1 conflict; the cheapest way out changes 1 rule, at a cost of 10",
        ),
        "must and unknown": (
            account(of, must, undecided="struck"),
            1,
            "conflict",
            "at least 1 conflict; the cheapest way out changes 1 rule, at a cost of 10",
        ),
        "in use": (
            account(spec("choices"), group(1, (conflict(rule("in-time")),), (repair(WARM, cost=10),)), current=True),
            1,
            "conflict",
            "at the values in use, 1 conflict; the cheapest way out changes 1 rule, at a cost of 10",
        ),
        "should": (
            account(of, should),
            0,
            "feasible",
            "1 conflict, but what is demanded can hold together; the cheapest way out changes 1 rule, at a cost of 10",
        ),
        "should and unknown": (
            account(of, should, undecided="struck"),
            3,
            "undecided",
            "at least 1 conflict, but what is demanded can hold together; "
            "the cheapest way out changes 1 rule, at a cost of 10",
        ),
        "no way": (account(of, group(1, (conflict(rule("rate")),))), 1, "conflict", "1 conflict; there is no way out"),
        "no way found": (
            account(of, group(1, (conflict(rule("rate")),), missing_repairs=("the limit struck",))),
            1,
            "conflict",
            "1 conflict; no way out was found",
        ),
        "conflicts missing": (
            account(of, group(1, (conflict(rule("rate")),), missing=("the limit struck",))),
            1,
            "conflict",
            "at least 1 conflict; there is no way out",
        ),
        "none pinned down": (
            account(of, group(1, (), (repair(DETECT, cost=10),), missing=("conflicts: the limit struck",))),
            1,
            "conflict",
            "a conflict, though none was pinned down; the cheapest way out changes 1 rule, at a cost of 10",
        ),
        "system": (
            system(),
            1,
            "conflict",
            "4 conflicts in 2 groups; the cheapest way out of both changes 3 rules, at a cost of 30",
        ),
        "one group without": (
            account(of, must, group(2, (conflict(rule("detect")),))),
            1,
            "conflict",
            "2 conflicts in 2 groups; the cheapest way out of 1 group changes 1 rule, at a cost of 10; "
            "1 group has none",
        ),
        "one group without found": (
            account(of, must, group(2, (conflict(rule("detect")),), missing_repairs=("amounts",))),
            1,
            "conflict",
            "2 conflicts in 2 groups; the cheapest way out of 1 group changes 1 rule, at a cost of 10; "
            "none was found for 1 group",
        ),
    }


@pytest.mark.parametrize("name", outcomes())
def test_the_verdict_and_the_exit_code_tell_what_is_known(
    outlast: Outlast, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of, code, status, verdict = outcomes()[name]
    monkeypatch.setattr("outlast.api.explain", lambda *_, **__: of)
    monkeypatch.setenv("COLUMNS", "140")
    run = outlast("explain", "system.yaml")
    assert (run.code, run.err) == (code, "")
    assert run.out.split("\n\n")[0].replace("\n", " ") == verdict
    as_json = outlast("explain", "system.yaml", "--format", "json")
    assert (as_json.code, json.loads(as_json.out)["status"]) == (code, status)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--limit 3", {"limit": 3}),
        ("--current", {"current": True}),
        ("--time-limit 500ms", {"time_limit": 0.5}),
        ("--effort 7", {"effort": 7}),
        ("--set ctx=11s --set pods=1", {"overrides": ["ctx=11s", "pods=1"]}),
    ],
)
def test_options_reach_the_search(
    outlast: Outlast, arguments: str, expected: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, object] = {}

    def explain(path: object, **options: object) -> Account:
        given.update(options)
        return account(spec())

    monkeypatch.setattr("outlast.api.explain", explain)
    assert outlast("explain", "system.yaml", *arguments.split()).code == 0
    usual = {"current": False, "limit": None, "time_limit": 60.0, "effort": None, "overrides": (), "root": None}
    assert given == {**usual, **expected}


# Conflicts.


@pytest.mark.parametrize(
    ("of", "mark"),
    [
        (conflict(rule("rate"), by_steps=True), "It needs the steps: with values between"),
        (conflict(rule("rate")), "Z3 alone says so"),
        (conflict(rule("rate"), minimal=False), "It was not shown that all of these are needed"),
        (conflict(rule("rate"), shoulds=("rate",)), "It forces out rate, which is not demanded"),
        (
            conflict(rule("rate"), rule("detect"), shoulds=("detect", "rate")),
            "It forces out one of detect or rate, which are not demanded",
        ),
    ],
)
def test_what_is_special_about_a_conflict_is_said(of: Any, mark: str) -> None:
    assert mark in told(account(spec(), group(1, (of,))))


def test_a_group_of_which_no_conflict_is_known_has_one_all_the_same() -> None:
    out = told(account(spec(), group(1, rules=("rate",), missing=("the time limit was reached",))))
    assert "\na conflict that was not pinned down:\n  rules  rate\n" in out


def test_conflicts_are_numbered_through_all_groups() -> None:
    assert re.findall(r"^  conflict (.*): ", told(system()), re.MULTILINE) == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]


def test_a_conflict_without_rules_is_called_by_its_parameters() -> None:
    items = (item("current:spare", "spare = 2.5s"), item("domain:spare.max", "spare <= 2s"), item("step:gap", "s"))
    assert "  conflict: gap and spare\n" in told(account(spec(), group(1, (conflict(*items),))))


def test_conflicts_of_the_same_rules_are_told_apart_by_the_values_in_use() -> None:
    first, second = (
        item(f"current:{name}", f"{name} = {value}") for name, value in (("ping", "3s"), ("send_ping", "4s"))
    )
    other = item("current:idle", "idle = 1s")
    one = group(1, (conflict(rule("rate"), first), conflict(rule("rate"), second), conflict(rule("detect"), other)))
    assert re.findall(r"^  conflict . of 3: (.*)$", told(account(spec(), one)), re.MULTILINE) == [
        "rate at ping = 3s",
        "rate at send_ping = 4s",
        "detect",
    ]


@pytest.mark.parametrize(
    ("items", "title"),
    [
        (("rule:rate", "margin:detect"), "rate and the margin of detect"),
        (("margin:rate", "rule:rate"), "rate"),
        (("divisor:rate",), "the divisor of rate"),
        (("divisor:rate", "margin:rate"), "the divisor and the margin of rate"),
    ],
)
def test_a_title_tells_a_margin_or_a_divisor_from_its_rule(items: tuple[str, ...], title: str) -> None:
    of = account(spec(), group(1, (conflict(*(item(i, "s") for i in items)),)))
    assert f"  conflict: {title}\n" in told(of)


def test_values_that_a_proof_contains_as_numbers_stand_below_it() -> None:
    items = (rule("rate"), item("fact:pods", "pods = 400"), item("domain:ping.min", "ping >= 2s"))
    rows = (("rule:rate", "1", "400 <= 1s"), ("domain:ping.min", "1", "2s <= ping"))
    of = account(spec(), group(1, (conflict(*items, proof=certificate(*rows)),)))
    assert re.search(r"\n    together .* which is false\n    where pods = 400\n", told(of, full=True))
    assert "where pods" not in told(of)
    both = certificate(*rows, ("fact:pods", "1", "pods <= 400"))
    assert "where pods" not in told(account(spec(), group(1, (conflict(*items, proof=both),))), full=True)
    split = Cases("rule:rate", (Case("one", certificate(*rows)),), ("fact:pods",))
    assert "where pods" not in told(account(spec(), group(1, (conflict(*items, proof=split),))), full=True)


def test_rules_without_a_conflict_are_not_said_to_be_in_one() -> None:
    rules = ("detect", "nat_budget", "rate")
    conflicts, ways = (conflict(rule("rate")),), (repair(Dropped(rule="rate", kind=ItemKind.RULE)),)
    out = " ".join(told(account(spec(), group(1, conflicts, ways, rules=rules))).split())
    assert "in conflict rate other rules detect and nat_budget, kept by every way out conflict:" in out
    # Not if no way out is known, or not all conflicts are.
    assert "every way out" not in told(account(spec(), group(1, conflicts, rules=rules)))
    assert "every way out" not in told(account(spec(), group(1, conflicts, (repair(DETECT),), rules=rules)))


def test_what_changes_cost_is_told_once() -> None:
    assert told(system()).count("A value costs 1, a rule 10") == 1
    of = account(spec(), group(1, (conflict(rule("rate")),)), group(2, (), (repair(DETECT),)))
    assert told(of).count("A value costs 1, a rule 10") == 1


def test_a_plain_conflict_has_no_marks() -> None:
    of = conflict(rule("rate"), proof=certificate(("rule:rate", "1", "1s <= 0s")))
    out = told(account(spec(), group(1, (of,))))
    assert not re.search("the steps|Z3|not shown|demanded", out)


def test_items_and_proof_are_told_at_length_only() -> None:
    of = account(
        spec(),
        group(1, (conflict(rule("rate"), proof=certificate(("rule:rate", "40ms", "400 <= 50/s * send_ping"))),)),
    )
    assert "40ms times" not in told(of)
    out = told(of, full=True)
    assert re.search(r"rule rate +rate holds\n", out)
    assert re.search(r"40ms times +400 <= 50/s \* send_ping +rule rate\n", out)
    assert re.search(r"together +0s < -1s +which is false\n", out)


def test_cases_are_numbered_and_indented_below_each_other() -> None:
    leaf = certificate(("case", "1", "ping <= 1s"))
    proof = cases("rule:rate", one=leaf, two=cases("step:ping", deep=leaf, last=clash(("case", "ping is off"))))
    lines = told(account(spec(), group(1, (conflict(rule("rate"), proof=proof),))), full=True).splitlines()
    found = [(len(line) - len(line.lstrip()), line.strip()) for line in lines if line.strip().startswith("case ")]
    assert found == [(4, "case 1: one"), (4, "case 2: two"), (6, "case 2.1: deep"), (6, "case 2.2: last")]
    assert "    because rule rate leaves 2 cases, each impossible:" in lines
    assert "        because these exclude each other:" in lines
    assert re.search(r"1 times +ping <= 1s +this case", "\n".join(lines))


def test_everything_that_leaves_only_the_cases_is_named() -> None:
    leaf = certificate(("case", "1", "ping <= 1s"))
    split = Cases("rule:rate", (Case("one", leaf), Case("two", leaf)), ("step:ping", "step:send_ping"))
    items = (rule("rate"), item("step:ping", "s"), item("step:send_ping", "s"))
    of = account(spec(), group(1, (conflict(*items, proof=split),)))
    assert "because rule rate, step of ping and step of send_ping leave 2 cases, each" in told(of, full=True)
    assert data(of)["conflicts"][0]["proof"]["also"] == ["step:ping", "step:send_ping"]


def test_cases_keep_their_numbers_in_markdown_where_nothing_is_indented() -> None:
    leaf = certificate(("case", "1", "ping <= 1s"))
    proof = cases("rule:rate", one=leaf, two=cases("rule:rate", deep=leaf))
    out = markdown(explain_document(account(spec(), group(1, (conflict(rule("rate"), proof=proof),))), full=True))
    assert re.findall(r"^#### case (.*)$", out, re.MULTILINE) == ["1: `one`", "2: `two`", "2.1: `deep`"]


def test_a_proof_in_json_is_a_tree_and_a_certificate_also_a_list() -> None:
    leaf = certificate(("case", "2", "ping <= 1s"))
    proof = cases("rule:rate", one=leaf, two=clash(("rule:rate", "ping is off"), ("case", "ping is a number")))
    of = data(account(spec(), group(1, (conflict(rule("rate"), proof=proof), conflict(rule("rate"), proof=leaf)))))
    step = {"id": "case", "times": "2", "says": "ping <= 1s"}
    first, second = of["conflicts"]
    assert (first["certificate"], first["steps"], first["total"]) == (None, None, None)
    assert first["proof"] == {
        "kind": "cases",
        "id": "rule:rate",
        "also": [],
        "cases": [
            {"says": "one", "proof": {"kind": "certificate", "steps": [step], "total": "0s < -1s"}},
            {
                "says": "two",
                "proof": {
                    "kind": "clash",
                    "steps": [
                        {"id": "rule:rate", "says": "ping is off"},
                        {"id": "case", "says": "ping is a number"},
                    ],
                },
            },
        ],
    }
    assert second["steps"] == [step]
    assert second["proof"] == {"kind": "certificate", "steps": [step], "total": "0s < -1s"}


# Repairs.


@pytest.mark.parametrize(
    ("change", "words", "place"),
    [
        (DEADLINE, "deadline from 10s to 10.4s (+4 %)", 5),
        (
            Moved(
                parameter="deadline",
                kind=ItemKind.FIXED,
                before=Fraction(9 * SECOND),
                after=Fraction(7 * SECOND),
            ),
            "deadline from 9s to 7s (about -22.2 %)",
            5,
        ),
        (
            Moved(parameter="deadline", kind=ItemKind.FIXED, before=Fraction(0), after=Fraction(SECOND)),
            "deadline from 0s to 1s",
            5,
        ),
        (
            Moved(parameter="deadline", kind=ItemKind.FIXED, before=Sentinel.INFINITE, after=Fraction(SECOND)),
            "deadline from infinite to 1s",
            5,
        ),
        (
            Moved(parameter="send", kind=ItemKind.CURRENT, before=Fraction(12 * SECOND), after=Fraction(6 * SECOND)),
            "send from 12s to 6s (-50 %)",
            12,
        ),
        (
            Moved(parameter="deadline", kind=ItemKind.ASKED, before=Fraction(8 * SECOND), after=Fraction(9 * SECOND)),
            "deadline from 8s, the value asked about, to 9s (+12.5 %)",
            5,
        ),
        (
            Weakened(rule="no-flood", share=Fraction(1, 3), by=None, time_exponent=-1, to="pods / send < 4/3 * 50/s"),
            "no-flood weakened by about 33.3 %: pods / send < 4/3 * 50/s (was pods / send < 50/s)",
            27,
        ),
        (Dropped(rule="drain-fits", kind=ItemKind.MARGIN), "the margin of drain-fits, 20%, given up", 34),
        (WARM, "should rule pool-stays-warm given up", 31),
        (Dropped(rule="in-time", kind=ItemKind.RULE), "rule in-time given up", 22),
    ],
)
def test_a_change_says_what_becomes_of_what_and_where(change: Change, words: str, place: int) -> None:
    of = account(spec("choices"), group(1, (conflict(rule("in-time")),), (repair(change),)))
    (line,) = [line for line in told(of).splitlines() if line.strip().startswith("change")]
    is_kind = (
        {ItemKind.FIXED: "fixed, ", ItemKind.CURRENT: "in use, "}.get(change.kind, "")
        if isinstance(change, Moved)
        else ""
    )
    notes = f"{is_kind}choices.yaml:{place}"
    has_share = isinstance(change, Moved) and words.endswith(" %)")
    assert line.split(maxsplit=1)[1] == (f"{words[:-1]}; {notes})" if has_share else f"{words} ({notes})")
    (found,) = data(of)["repairs"]
    assert found["text"] == words
    assert found["changes"][0]["place"]["line"] == place


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (DEADLINE, {"parameter": "deadline", "is": "fixed", "from": "10s", "to": "10.4s"}),
        (
            Moved(parameter="pods", kind=ItemKind.FIXED, before=Fraction(400), after=Fraction(300)),
            {"parameter": "pods", "is": "fixed", "from": 400, "to": 300},
        ),
        (
            Weakened(
                rule="in-time",
                share=Fraction(512, 1000),
                by=Fraction(3584, 1000) * SECOND,
                time_exponent=1,
                to="send < 9s",
            ),
            {"rule": "in-time", "by": "3.584s", "to": "send < 9s", "share": "51.2%"},
        ),
        (
            Weakened(rule="in-time", share=Fraction(1, 3), by=None, time_exponent=1, to="x"),
            {"rule": "in-time", "by": None, "to": "x", "share": "100/3%"},
        ),
        (
            Weakened(rule="no-flood", share=Fraction(1, 2), by=Fraction(256, 10) / SECOND, time_exponent=-1, to="x"),
            {"rule": "no-flood", "by": "25.6/s", "to": "x", "share": "50%"},
        ),
        (
            Weakened(rule="no-flood", share=Fraction(1), by=Fraction(1, 3) / SECOND, time_exponent=-1, to="x"),
            {"rule": "no-flood", "by": "20/min", "to": "x", "share": "100%"},
        ),
        (Dropped(rule="drain-fits", kind=ItemKind.MARGIN), {"rule": "drain-fits", "given_up": "margin"}),
        (WARM, {"rule": "pool-stays-warm", "given_up": "rule"}),
    ],
)
def test_a_change_in_json_is_exact_and_has_its_units(change: Change, expected: dict[str, object]) -> None:
    (found,) = data(account(spec("choices"), group(1, (), (repair(change),))))["repairs"]
    (as_json,) = found["changes"]
    del as_json["place"]
    assert as_json == expected


def test_a_repair_tells_what_is_kept_and_with_which_values_and_headroom() -> None:
    lines = [" ".join(line.split()) for line in told(system()).splitlines()]
    assert "kept deadline and rate" in lines  # of detect, nat_budget, rate and deadline
    assert "works with ping = 2.3s, send_ping = 5.292s" in lines
    assert "headroom then 0 % in detect, the tightest of 2 rules" in lines


def test_a_rule_that_lost_only_its_margin_is_kept() -> None:
    of = spec("choices")
    margin = item("margin:drain-fits", "drain < grace, with a margin of 20%")
    one = group(
        1,
        (conflict(rule("drain-fits"), margin),),
        (
            repair(Dropped(rule="drain-fits", kind=ItemKind.MARGIN)),
            repair(Dropped(rule="drain-fits", kind=ItemKind.RULE)),
        ),
    )
    lines = [" ".join(line.split()) for line in told(account(of, one)).splitlines()]
    assert [line for line in lines if line.startswith("kept")] == ["kept drain-fits"]


def test_the_verdict_says_what_sort_of_things_change() -> None:
    margin = Dropped(rule="drain-fits", kind=ItemKind.MARGIN)
    of = account(spec("choices"), group(1, (conflict(rule("in-time")),), (repair(DEADLINE, margin, WARM, cost=5),)))
    assert "; the cheapest way out changes 1 value, 1 rule and 1 margin, at a cost of 5\n" in told(of)
    assert (
        "hint: the cheapest is to move deadline from 10s to 10.4s (+4 %); give up the margin of drain-fits; give up pool"
        in told(of)
    )


def test_where_nothing_may_be_changed_it_is_said_why_there_is_no_way_out() -> None:
    one = (conflict(rule("rate")),)
    out = told(account(spec(), group(1, one)))
    assert "no way out:\n  no repair mends it: facts, " in out
    out = told(account(spec(), group(1, one, missing_repairs=("no amounts were found",))))
    assert "no way out:\n  none was found within the limits\n" in out


def test_amounts_that_may_be_too_large_are_marked() -> None:
    doubtful = account(spec(), group(1, (), (repair(DETECT, smallest=False),)))
    assert "not shown to be the smallest that do" in told(doubtful)
    assert "not shown" not in told(account(spec(), group(1, (), (repair(DETECT),))))


def test_of_many_values_those_of_what_changes_are_told() -> None:
    of = spec()
    some = {f"a{n:02}": of.parameters["ping"] for n in range(20)}
    wide = Spec(
        path=of.path,
        title=of.title,
        parameters={**of.parameters, **some},
        measurements=of.measurements,
        rules=of.rules,
        confidence=of.confidence,
    )
    second = Fraction(SECOND)
    values = {**dict.fromkeys(some, second), "send_ping": 2 * second, "ping": 3 * second}
    many = account(wide, group(1, (), (replace(repair(DETECT), values=values),)))
    row = " ".join(f"a{n:02} = 1s," for n in range(11))
    assert f"works with  {row} send_ping = 2s and 10 more\n" in told(many)
    assert "`send_ping = 2s` and 10 more\n" in markdown(explain_document(many))
    assert len(data(many)["repairs"][0]["values"]) == 22
    values = {f"a{n:02}": second for n in range(12)}
    few = account(wide, group(1, (), (replace(repair(DETECT), values=values),)))
    assert "a11 = 1s\n" in told(few)


def test_the_cheapest_repairs_of_all_groups_stand_together() -> None:
    out = told(system())
    after = out.partition("the cheapest way out of both groups together, cost 30:\n")[2].split("\n\n")[0]
    assert [line.split()[1] for line in after.splitlines()] == ["client_reuse", "detect", "nat_budget"]
    cheapest = data(system())["cheapest"]
    assert [change["rule"] for change in cheapest["changes"]] == ["client_reuse", "detect", "nat_budget"]
    assert (cheapest["cost"], cheapest["components"], cheapest["mends_all"]) == (30, [1, 2], True)


def test_one_group_does_not_repeat_its_cheapest_repair() -> None:
    out = told(account(spec(), group(1, (conflict(rule("detect")),), (repair(DETECT),))))
    assert "together, cost" not in out
    assert "group" not in out


def test_the_cheapest_of_all_is_not_said_to_mend_a_group_without_repairs() -> None:
    of = account(
        spec(), group(1, (), (repair(DETECT),)), group(2, (conflict(rule("rate")),)), group(3, (), (repair(DETECT),))
    )
    assert data(of)["cheapest"]["mends_all"] is False
    assert "the cheapest way out of 2 of 3 groups together, cost 2:" in told(of)


def test_the_hint_names_the_cheapest_then_the_fewest_changes_then_the_smallest() -> None:
    rate = Dropped(rule="rate", kind=ItemKind.RULE)
    budget = Dropped(rule="nat_budget", kind=ItemKind.RULE)
    ways = (
        repair(rate, DETECT, cost=2),
        repair(rate, cost=3, move=Fraction(0)),
        repair(budget, cost=2, move=Fraction(2)),
        repair(DETECT, cost=2, move=Fraction(1)),
    )
    out = told(account(spec(), group(1, (), ways)))
    assert out.splitlines()[-1].startswith("hint: the cheapest is to weaken detect by 51.2 %: 2 * send_ping")
    assert "mends" not in out.splitlines()[-1]
    # Two values are easier to move than a rule is to weaken.
    out = told(account(spec(), group(1, (), (repair(budget, cost=10), repair(rate, DETECT, cost=2)))))
    assert out.splitlines()[-1].startswith("hint: the cheapest is to give up rate; weaken detect by")
    assert told(system()).splitlines()[-1].endswith("; this mends group 1 only")


def test_what_was_left_out_is_told_by_group() -> None:
    first = group(1, (conflict(rule("rate")),), missing=("more than 1 conflict",))
    second = group(2, (conflict(rule("detect")),), (repair(DETECT),), missing_repairs=("2 more ways out",))
    third = group(3, (conflict(rule("deadline")),), (repair(DETECT),))
    out = told(account(spec(), first, second, third, undecided="the time limit of 1s was reached"))
    section = out.partition("what was left out:\n")[2].split("\n\n")[0]
    assert [" ".join(line.split()) for line in section.splitlines()] == [
        "group 1 more than 1 conflict",
        "group 2 2 more ways out",
        "undecided the time limit of 1s was reached",
    ]
    as_json = data(account(spec(), first, second, third))
    assert as_json["complete"] is False
    assert [c["complete"] for c in as_json["components"]] == [False, False, True]
    assert [(c["missing"], c["missing_repairs"]) for c in as_json["components"]] == [
        (["more than 1 conflict"], []),
        ([], ["2 more ways out"]),
        ([], []),
    ]
    assert data(account(spec(), second))["complete"] is False


def test_what_has_no_value_in_use_is_not_said_to_be_held() -> None:
    of = spec("shop")
    parameters = {**of.parameters, "spare": load_spec(SPECS / "conflict.yaml").parameters["send"]}
    partly = Spec(
        path=of.path,
        title=of.title,
        parameters=parameters,
        measurements=of.measurements,
        rules=of.rules,
        confidence=of.confidence,
    )
    out = told(account(partly, current=True))
    assert out.startswith("at the values in use, the rules can hold together\n")
    assert "  note  no value in use is known of send: left free\n" in out
    assert data(account(partly, current=True))["left_free"] == ["send"]
    assert data(account(partly))["left_free"] == []
    assert "left free" not in told(account(of, current=True))


def test_a_limit_says_what_it_left_out_and_keeps_the_cheapest(outlast: Outlast) -> None:
    whole = json.loads(outlast("explain", "system.yaml", "--format", "json").out)
    assert (whole["complete"], [c["missing"] for c in whole["components"]]) == (True, [[], []])
    limited = json.loads(outlast("explain", "system.yaml", "--limit", "1", "--format", "json").out)
    assert limited["complete"] is False
    assert all(c["missing"] or c["missing_repairs"] for c in limited["components"])
    assert len(limited["repairs"]) < len(whole["repairs"])
    assert limited["cheapest"]["cost"] == whole["cheapest"]["cost"]
    run = outlast("explain", "system.yaml", "--limit", "1")
    assert run.code == 1
    assert run.out.startswith("at least ")
    assert re.search(r"^what was left out:\n  group 1  .*\n  group 2  ", run.out, re.MULTILINE)


def test_the_worked_system_has_its_four_conflicts_and_five_ways_out(outlast: Outlast) -> None:
    found = json.loads(outlast("explain", "system.yaml", "--format", "json").out)
    assert [(c["component"], sorted(c["items"])) for c in found["conflicts"]] == [
        (1, ["fact:lb_idle", "rule:client_reuse", "rule:idle_order"]),
        (2, ["fact:pods", "rule:detect", "rule:nat_budget"]),
        (2, ["fact:pods", "rule:detect", "rule:rate"]),
        (2, ["domain:ping.min", "fact:ctx", "fact:pods", "rule:deadline", "rule:nat_budget"]),
    ]
    ways = [(r["component"], tuple(sorted(c["rule"] for c in r["changes"]))) for r in found["repairs"]]
    assert sorted(ways) == [
        (1, ("client_reuse",)),
        (1, ("idle_order",)),
        (2, ("deadline", "detect")),
        (2, ("detect", "nat_budget")),
        (2, ("nat_budget", "rate")),
    ]


def test_the_only_way_out_is_called_so_only_if_all_were_looked_for() -> None:
    whole = group(1, (conflict(rule("detect")),), (repair(DETECT),))
    assert "the only way out:" in told(account(spec(), whole))
    partial = group(1, (conflict(rule("detect")),), (repair(DETECT),), missing_repairs=("more",))
    assert "the only way out" not in told(account(spec(), partial))
    assert "1 way out:" in told(account(spec(), partial))


# What a stranger's spec cannot do, and how little room it needs.


HOSTILE = "::error::x\x1b[31m \u202e | `t` <b> @octocat #42 ##[error] [l](javascript:1)"


def hostile() -> Account:
    of = spec()
    evil = Item(
        kind=ItemKind.RULE, name="rate", says=HOSTILE, place=of.rules["rate"].place, why=f"{HOSTILE}\n{HOSTILE}"
    )
    proof = cases("rule:rate", **{HOSTILE: certificate(("rule:rate", "1", HOSTILE), total=HOSTILE)})
    weakened = Weakened(rule="rate", share=Fraction(1), by=None, time_exponent=0, to=HOSTILE)
    return account(of, group(1, (conflict(evil, proof=proof),), (repair(weakened),), missing=(HOSTILE,)))


@pytest.mark.parametrize("width", range(40, 141, 7))
def test_text_from_a_spec_neither_steers_a_terminal_nor_commands_a_runner(width: int) -> None:
    out = told(hostile(), full=True, width=width)
    assert out.replace("\n", "").isprintable()
    assert not re.search(r"^\s*::", out, re.MULTILINE)
    assert "##[" not in out


def test_markdown_has_no_live_html_link_or_mention_of_the_spec() -> None:
    out = markdown(explain_document(hostile(), full=True))
    outside_code = re.sub(r"(?<!\\)(`+)(?!`).*?(?<![`\\])\1(?!`)", "", out)
    assert not re.search(r"(?<!\\)<", outside_code)
    assert not re.search(r"(?<!\\)\[[^\]]*[^\\]\]\(", outside_code)
    assert "@octocat" not in outside_code
    assert "#42" not in outside_code


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("full", [False, True])
def test_text_keeps_within_the_width(width: int, full: bool) -> None:
    assert [line for line in told(system(), full=full, width=width).splitlines() if len(line) > width] == []


# The same, shortened, where `solve` finds no values.


class Solved:
    """An outcome that carries an account."""

    def __init__(self, of: Account) -> None:
        self._outcome = SolveOutcome(
            spec=of.spec, status=Status.CONFLICT, objective="margin", parameters={}, rules={}, conflicts=of.conflicts
        )
        self.account = of

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outcome, name)


def solved(outlast: Outlast, of: Account, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.setattr("outlast.api.solve", lambda *_, **__: Solved(of))
    run = outlast("solve", "system.yaml", *arguments)
    assert (run.code, run.err) == (1, "")
    return run.out


def test_solve_tells_the_smallest_conflict_of_each_group_and_points_to_the_rest(
    outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = solved(outlast, system(), monkeypatch)
    assert out.startswith("4 conflicts in 2 groups; the cheapest way out of both changes 3 rules, at a cost of 30\n")
    assert re.findall(r"^  (.*) cannot hold together$", out, re.MULTILINE) == [
        "client_reuse and idle_order",
        "detect and nat_budget",
    ]
    assert "2 more conflicts, and everything at length: outlast explain\n" in out


def test_solve_tells_three_repairs_a_group_and_counts_the_rest(
    outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = tuple(repair(DETECT, cost=n) for n in range(1, 6))
    of = account(spec(), group(1, (conflict(rule("detect")),), ways))
    out = solved(outlast, of, monkeypatch)
    assert re.findall(r"^ +cost (\d)", out, re.MULTILINE) == ["1", "2", "3"]
    assert "2 more ways out, and everything at length: outlast explain\n" in out


def test_solve_tells_the_conflict_that_keeps_it_from_values_first(
    outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    should = conflict(rule("rate"), shoulds=("rate",))
    must = conflict(rule("deadline"), rule("detect"))
    optional = group(2, (should,), (repair(Dropped(rule="rate", kind=ItemKind.RULE)),))
    of = account(spec(), group(1, (should, must), (repair(DETECT),)), optional)
    out = solved(outlast, of, monkeypatch)
    assert "deadline and detect cannot hold together" in out
    assert "rate cannot hold" not in out
    assert "2 more conflicts and 1 more way out, and everything at length: outlast explain\n" in out
    as_json = json.loads(solved(outlast, of, monkeypatch, "--format", "json"))
    assert {c["component"] for c in as_json["conflicts"]} == {1}
    assert [r["component"] for r in as_json["repairs"]] == [1]
    assert as_json["complete"] is True


def test_solve_in_json_is_not_complete_where_the_account_is_not(
    outlast: Outlast, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = account(spec(), group(1, (conflict(rule("detect")),), missing_repairs=("repairs",)))
    assert json.loads(solved(outlast, of, monkeypatch, "--format", "json"))["complete"] is False
