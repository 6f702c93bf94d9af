"""Conflicts in words: whole sentences, nothing left out, nothing told twice."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings

from outlast.constraints.loading import load_spec
from outlast.constraints.model import Spec
from outlast.reports.document import Tone
from outlast.reports.prose import sentence, told
from outlast.reports.wording import Places
from outlast.solver.account import Case, Cases, Clash, Conflict, ItemKind
from outlast.solver.derivation import derive
from solver.handmade import SECOND, certificate, conflict, item, row
from solver.test_derivation import ALTERNATIVES, CYCLE, STEPS, chain_of, systems

SPEC = """\
outlast: 1
parameters:
  ctx: { fixed: 10s, why: SLO of the coin API }
  pods: { fact: 400, why: HPA maximum }
  share: { fixed: 20% }
  send: { free: 0s..60s, current: 5s, why: after so long without a frame }
  ping: { free: 2300ms.., current: 10s }
  x: { free: any, step: 5s }
measurements:
  rtt: { samples: rtt.csv, unit: ms, taken: 2026-10-20 }
rules:
  deadline: { require: send + ping < ctx, why: or the retry goes the same way }
  budget: { require: pods / send <= 50/s, margin: 20% }
  acked: { require: p99(rtt) < ping, when: x > 0s }
  on: { require: ping < ctx, needs_on: [ping] }
  share: { require: share * ctx < ping }
"""
DEADLINE = item("rule:deadline", "send + ping < ctx", 12, "or the retry goes the same way")
BUDGET = item("rule:budget", "pods / send <= 50/s", 13)
CTX = item("fixed:ctx", "ctx = 10s", 3, "SLO of the coin API")
PODS = item("fact:pods", "pods = 400", 4, "HPA maximum")
LEAST = item("domain:ping.min", "ping >= 2.3s", 7)

DEADLINE_ROW = row({"send": 1, "ping": 1, "ctx": -1}, "<", 0)
BUDGET_ROW = row({"pods": 1, "send": Fraction(-50, SECOND)}, "<=", 0, exponent=0)
CTX_ROW = row({"ctx": 1}, "<=", 10)
PODS_ROW = row({"pods": -1}, "<=", -400, exponent=0)
LEAST_ROW = row({"ping": -1}, "<=", Fraction(-23, 10))


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    folder = tmp_path_factory.mktemp("spec")
    (folder / "rtt.csv").write_text("\n".join(str(1 + n / 31_000) for n in range(31_000)))
    (folder / "outlast.yaml").write_text(SPEC)
    return load_spec(folder / "outlast.yaml")


def of(conflict: Conflict, spec: Spec) -> str:
    return sentence(derive(conflict), conflict, spec, Places(spec))


def lines(conflict: Conflict, spec: Spec) -> list[str]:
    paragraphs = told(derive(conflict), conflict, spec, Places(spec), full=True)
    return ["".join(span.text for span in p.text) for p in paragraphs]


SYMBOLIC = conflict(
    [BUDGET, DEADLINE, PODS, CTX, LEAST],
    certificate(
        [
            ("rule:deadline", DEADLINE_ROW),
            ("rule:budget", BUDGET_ROW),
            ("domain:ping.min", LEAST_ROW),
            ("fixed:ctx", CTX_ROW),
            ("fact:pods", PODS_ROW),
        ]
    ),
)
FOLDED = conflict(
    SYMBOLIC.items,
    certificate(
        [
            ("rule:deadline", row({"send": 1, "ping": 1}, "<", 10)),
            ("rule:budget", row({"send": Fraction(-50, SECOND)}, "<=", -400, exponent=0)),
            ("domain:ping.min", LEAST_ROW),
        ]
    ),
)
TWO = conflict(
    [item("rule:low", "x >= 75s", 8), item("rule:high", "60s > x", 9)],
    certificate([("rule:low", row({"x": -1}, "<=", -75)), ("rule:high", row({"x": 1}, "<", 60))]),
)
MEASURED = conflict(
    [
        item("rule:acked", "p99(rtt) < ping, when x > 0s", 14),
        item("measurement:rtt", "p99(rtt) is at most 2s", 10),
        item("rule:short", "2 * ping <= 3s", 15),
    ],
    certificate(
        [
            ("rule:acked", row({"p99(rtt)": 1, "ping": -1}, "<", 0)),
            ("measurement:rtt", row({"p99(rtt)": -1}, "<=", -2)),
            ("rule:short", row({"ping": 2}, "<=", 3)),
        ]
    ),
)
BROKEN = conflict(
    [DEADLINE, CTX, item("current:send", "send = 5s", 6), item("current:ping", "ping = 10s", 7)],
    certificate(
        [
            ("rule:deadline", DEADLINE_ROW),
            ("fixed:ctx", CTX_ROW),
            ("current:send", row({"send": -1}, "<=", -5)),
            ("current:ping", row({"ping": -1}, "<=", -10)),
        ]
    ),
)
ALONE = conflict(
    [item("rule:long", "x >= 75s", 8), item("current:x", "x = 60s", 9)],
    certificate([("rule:long", row({"x": -1}, "<=", -75)), ("current:x", row({"x": 1}, "<=", 60))]),
)
RATIO = conflict(
    [item("rule:budget", "pods / send <= 50/s", 13), PODS, item("current:send", "send = 5s", 6)],
    certificate(
        [
            ("rule:budget", BUDGET_ROW),
            ("fact:pods", PODS_ROW),
            ("current:send", row({"send": 1}, "<=", 5)),
        ]
    ),
)
ASKED = conflict(
    [DEADLINE, CTX, LEAST, item("asked:send", "send = 9s")],
    certificate(
        [
            ("rule:deadline", DEADLINE_ROW),
            ("fixed:ctx", CTX_ROW),
            ("domain:ping.min", LEAST_ROW),
            ("asked:send", row({"send": -1}, "<=", -9)),
        ]
    ),
)
NATURAL = conflict(
    [item("rule:on", "ping < ctx", 15), item("fixed:ctx", "ctx = 0s", 3)],
    certificate(
        [
            ("rule:on", row({"ping": 1, "ctx": -1}, "<", 0)),
            ("fixed:ctx", row({"ctx": 1}, "<=", 0)),
            ("natural", row({"ping": -1}, "<=", 0)),
        ]
    ),
)
SQUEEZED = conflict(
    [DEADLINE, CTX, item("current:ping", "ping = 10s", 7)],
    certificate(
        [
            ("rule:deadline", DEADLINE_ROW),
            ("fixed:ctx", CTX_ROW),
            ("current:ping", row({"ping": -1}, "<=", -10)),
            ("natural", row({"send": -1}, "<=", 0)),
        ]
    ),
)
CROWDED = conflict(
    [
        item("rule:sum", "a + 2 * b + x <= ctx / 2", 8),
        CTX,
        item("current:a", "a = 3s", 6),
        item("current:b", "b = 3s", 7),
    ],
    certificate(
        [
            ("rule:sum", row({"a": 1, "b": 2, "x": 1, "ctx": Fraction(-1, 2)}, "<=", 0)),
            ("fixed:ctx", CTX_ROW),
            ("current:a", row({"a": -1}, "<=", -3)),
            ("current:b", row({"b": -1}, "<=", -3)),
            ("natural", row({"x": -1}, "<=", 0)),
        ]
    ),
)
BELOW_ZERO = conflict(
    [item("rule:low", "x + y < 10s", 8), item("domain:y.min", "y >= 12s", 9)],
    certificate(
        [
            ("rule:low", row({"x": 1, "y": 1}, "<", 10)),
            ("domain:y.min", row({"y": -1}, "<=", -12)),
            ("natural", row({"x": -1}, "<=", 0)),
        ]
    ),
)
MARGIN = conflict(
    [item("margin:budget", "pods / send <= 50/s, with a margin of 20%", 13), PODS, item("rule:short", "send <= 9s", 9)],
    certificate(
        [
            ("margin:budget", row({"pods": Fraction(6, 5), "send": Fraction(-50, SECOND)}, "<=", 0, exponent=0)),
            ("fact:pods", PODS_ROW),
            ("rule:short", row({"send": 1}, "<=", 9)),
        ]
    ),
)
CLASH = conflict(
    [item("rule:on", "ping < ctx", 15), item("rule:off", "ping is off", 16)],
    Clash(("rule:on", "rule:off"), ("ping is not off", "ping is off")),
)
MODES = conflict(
    CLASH.items,
    Cases(
        "case",
        (
            Case("ping is off", Clash(("case", "rule:on"), ("ping is off", "ping is not off"))),
            Case("ping is a number", Clash(("case", "rule:off"), ("ping is a number", "ping is off"))),
        ),
    ),
)
MANY = conflict(
    [item("step:x", "x is one of 1s, 2s", 8), *(item(f"rule:r{n}", f"a{n} < b{n}", n) for n in range(1, 5))],
    Cases(
        "step:x",
        tuple(Case(f"x = {n}s", Clash(("case", f"rule:r{n}"), ("y is off", "why " * 40 + "not"))) for n in range(1, 5)),
    ),
)


@pytest.mark.parametrize(
    ("conflict", "words"),
    [
        pytest.param(
            TWO,
            "low needs x >= 75s (outlast.yaml:8). But high needs 60s > x (outlast.yaml:9). 15s are missing.",
            id="two rules",
        ),
        pytest.param(
            SYMBOLIC,
            "Because budget needs pods / send <= 50/s (outlast.yaml:13), where pods is 400 (fact, outlast.yaml:4:"
            " HPA maximum), send must be at least 8s. But because deadline needs send + ping < ctx "
            "(outlast.yaml:12), where ping is at least 2.3s (its domain, outlast.yaml:7) and ctx is 10s (fixed, "
            "outlast.yaml:3: SLO of the coin API), send must be under 7.7s. 300ms are missing.",
            id="facts as unknowns",
        ),
        pytest.param(
            FOLDED,
            "Because budget needs pods / send <= 50/s (outlast.yaml:13), where pods is 400 (fact, outlast.yaml:4:"
            " HPA maximum), send must be at least 8s. But because deadline needs send + ping < ctx "
            "(outlast.yaml:12), where ping is at least 2.3s (its domain, outlast.yaml:7) and ctx is 10s (fixed, "
            "outlast.yaml:3: SLO of the coin API), send must be under 7.7s. 300ms are missing.",
            id="facts as numbers",
        ),
        pytest.param(
            MEASURED,
            "Because acked needs p99(rtt) < ping when x > 0s (outlast.yaml:14), where p99(rtt) may be as long as "
            "2s (31000 samples, taken 2026-10-20, outlast.yaml:10), ping must be over 2s. But because short "
            "needs 2 * ping <= 3s (outlast.yaml:15), ping must be at most 1.5s. 500ms are missing.",
            id="measured",
        ),
        pytest.param(
            chain_of(10),
            "Because first needs 12s <= t1, hop1 needs t1 < t2 and hop2 needs t2 < t3, t3 must be over 12s. And "
            "because t3 is over 12s, hop3 needs t3 < t4 and hop4 needs t4 < t5, t5 must be over 12s. But because "
            "last needs t10 < 10s, hop9 needs t9 < t10 and hop8 needs t8 < t9, t8 must be under 10s. And because "
            "t8 is under 10s, hop7 needs t7 < t8 and hop6 needs t6 < t7, t6 must be under 10s. And because t6 is "
            "under 10s and hop5 needs t5 < t6, t5 must be under 10s. 2s are missing.",
            id="chain",
        ),
        pytest.param(
            chain_of(1), "first needs 12s <= t1. But last needs t1 < 10s. 2s are missing.", id="both ends of one"
        ),
        pytest.param(
            CYCLE,
            "Because ab needs a + 1s <= b and ca needs c <= a, c + 1s <= b must hold. But bc needs b <= c. 1s is "
            "missing.",
            id="circle",
        ),
        pytest.param(
            BROKEN,
            "deadline needs send + ping < ctx (outlast.yaml:12), where send is 5s (in use, outlast.yaml:6), ping is"
            " 10s (in use, outlast.yaml:7) and ctx is 10s (fixed, outlast.yaml:3: SLO of the coin API). But send + "
            "ping is 15s, not under 10s.",
            id="in use",
        ),
        pytest.param(
            ALONE,
            "long needs x >= 75s (outlast.yaml:8). But x is 60s (in use, outlast.yaml:9), not at least 75s.",
            id="one value in use",
        ),
        pytest.param(
            RATIO,
            "budget needs pods / send <= 50/s (outlast.yaml:13), where pods is 400 (fact, outlast.yaml:4: HPA "
            "maximum) and send is 5s (in use, outlast.yaml:6). But pods / send is 80/s, not at most 50/s.",
            id="quotient",
        ),
        pytest.param(
            ASKED,
            "Because deadline needs send + ping < ctx (outlast.yaml:12), where ping is at least 2.3s (its domain,"
            " outlast.yaml:7) and ctx is 10s (fixed, outlast.yaml:3: SLO of the coin API), send must be under "
            "7.7s. But send shall be 9s. 1.3s are missing.",
            id="asked",
        ),
        pytest.param(
            NATURAL,
            "on needs ping < ctx (outlast.yaml:15), where ctx is 0s (fixed, outlast.yaml:3). That leaves no room for ping.",
            id="nothing left",
        ),
        pytest.param(
            SQUEEZED,
            "deadline needs send + ping < ctx (outlast.yaml:12), where ping is 10s (in use, outlast.yaml:7) and ctx is "
            "10s (fixed, outlast.yaml:3: SLO of the coin API). But ping alone uses up ctx and leaves no room for "
            "send. At the values in use, send + ping is 15s, not under 10s.",
            id="no room",
        ),
        pytest.param(
            conflict(
                [item("rule:same", "2 * x == 75s", 8), item("current:x", "x = 30s", 9)],
                certificate([("rule:same", row({"x": -2}, "<=", -75)), ("current:x", row({"x": 1}, "<=", 30))]),
            ),
            "same needs 2 * x == 75s (outlast.yaml:8), where x is 30s (in use, outlast.yaml:9). But 2 * x is 60s, not 75s.",
            id="equation",
        ),
        pytest.param(
            CROWDED,
            "sum needs a + 2 * b + x <= ctx / 2 (outlast.yaml:8), where a is 3s (in use, outlast.yaml:6), b is 3s (in "
            "use, outlast.yaml:7) and ctx is 10s (fixed, outlast.yaml:3: SLO of the coin API). But a + 2 * b, which is "
            "9s, is more than 0.5 * ctx, which is 5s, and leaves no room for x.",
            id="more than there is",
        ),
        pytest.param(
            BELOW_ZERO,
            "Because low needs x + y < 10s (outlast.yaml:8), where y is at least 12s (its domain, outlast.yaml:9), x must "
            "be under -2s. But x is never negative.",
            id="below zero",
        ),
        pytest.param(
            MARGIN,
            "Because budget needs pods / send <= 50/s with a margin of 20% (outlast.yaml:13), where pods is 400 "
            "(fact, outlast.yaml:4: HPA maximum), send must be at least 9.6s. But short needs send <= 9s "
            "(outlast.yaml:9). 600ms are missing.",
            id="margin",
        ),
        pytest.param(
            STEPS,
            "low needs x > 11s. And high needs x < 14s. But x is a multiple of 5s (its step), and none lies "
            "between: the nearest are 10s and 15s.",
            id="step",
        ),
        pytest.param(
            ALTERNATIVES,
            "alt needs x > 14s or y > 14s. There are 2 cases, and neither is possible. Case 1, x > 14s: high "
            "needs x < 14s. x cannot be over 14s and under 14s at once. Case 2, y > 14s: y needs y < 8s. 6s are "
            "missing.",
            id="alternatives",
        ),
        pytest.param(
            CLASH,
            "on needs ping < ctx and that ping is not off (outlast.yaml:15), so ping is not off. But off needs "
            "ping is off (outlast.yaml:16). These exclude each other.",
            id="clash",
        ),
        pytest.param(
            MODES,
            "There are 2 cases, and neither is possible. Case 1, ping is off: on needs ping < ctx and that ping "
            "is not off (outlast.yaml:15), so ping is not off. That cannot be. Case 2, ping is a number: off "
            "needs ping is off (outlast.yaml:16). That cannot be.",
            id="modes",
        ),
        pytest.param(
            MANY,
            "x is one of 1s, 2s (its list, outlast.yaml:8). There are 4 cases, and none is possible. Case 1, x = "
            "1s: In this case y is off. But r1 needs a1 < b1 (outlast.yaml:1), so why why why why why why why why"
            " why why why why why why why why why why why why why why why why why why why why why why why why why"
            " why why why why why why why not. These exclude each other. The 3 other cases are impossible too, "
            "by r2, r3 and r4.",
            id="many cases",
        ),
        pytest.param(
            conflict(SYMBOLIC.items, None),
            "These cannot hold together: budget needs pods / send <= 50/s (outlast.yaml:13); deadline needs send "
            "+ ping < ctx (outlast.yaml:12); pods is 400 (fact, outlast.yaml:4: HPA maximum); ctx is 10s (fixed, "
            "outlast.yaml:3: SLO of the coin API); ping is at least 2.3s (its domain, outlast.yaml:7). Z3 alone "
            "says so: no proof was found that can be shown.",
            id="no proof",
        ),
        pytest.param(
            conflict(TWO.items, TWO.proof, minimal=False),
            "low needs x >= 75s (outlast.yaml:8). But high needs 60s > x (outlast.yaml:9). 15s are missing. It "
            "was not shown that all of these are needed for it.",
            id="maybe not minimal",
        ),
    ],
)
def test_a_conflict_is_told_in_whole_sentences(conflict: Conflict, words: str, spec: Spec) -> None:
    assert of(conflict, spec) == words


def test_a_name_that_steers_a_terminal_or_a_table_stays_a_name(spec: Spec) -> None:
    name = "a`|*b\x1b[31m"
    hostile = conflict(
        [item(f"rule:{name}", "x >= 75s\nError: all is lost", 8), item("rule:high", "60s > x", 9, "<b>why</b>")],
        certificate([(f"rule:{name}", row({"x": -1}, "<=", -75)), ("rule:high", row({"x": 1}, "<", 60))]),
    )
    (paragraph,) = told(derive(hostile), hostile, spec, Places(spec))
    assert [s.tone for s in paragraph.text if name in s.text] == [Tone.CODE]
    assert [s.tone for s in paragraph.text if "lost" in s.text] == [Tone.CODE]
    plain = of(hostile, spec)
    assert "\n" not in plain
    assert "\x1b" not in plain


def test_in_full_each_line_is_a_paragraph(spec: Spec) -> None:
    assert lines(chain_of(4), spec) == [
        "Because first needs 12s <= t1 and hop1 needs t1 < t2, t2 must be over 12s.",
        "But because last needs t4 < 10s, hop3 needs t3 < t4 and hop2 needs t2 < t3, t2 must be under 10s.",
        "2s are missing.",
    ]


def test_in_full_a_list_of_values_is_told_to_its_end(spec: Spec) -> None:
    values = ", ".join(f"{n}s" for n in range(1, 21))
    listed = conflict([*STEPS.items[:2], item("step:x", f"x is one of {values}")], STEPS.proof, by_steps=True)
    assert "1s, 2s, 3s, …, 20s" in of(listed, spec)
    assert values in " ".join(lines(listed, spec))


def test_a_long_chain_is_told_in_six_lines_with_its_middle_by_name(spec: Spec) -> None:
    found = chain_of(24)
    assert len(of(found, spec)) <= 600
    assert len(" ".join(lines(found, spec))) > 1000


def test_reasons_are_left_out_before_places_are(spec: Spec) -> None:
    wordy = tuple(
        item(i.id, i.says, n, "because " * 9 if i.kind in (ItemKind.FACT, ItemKind.FIXED, ItemKind.DOMAIN) else None)
        for n, i in enumerate(SYMBOLIC.items, 3)
    )
    words = of(conflict([*wordy, item("fixed:other", "other = 3s", 8, "because " * 9)], SYMBOLIC.proof), spec)
    assert "because because" not in words
    assert all(f"outlast.yaml:{n}" in words for n in range(3, 9))


def test_a_place_is_told_once(spec: Spec) -> None:
    half = conflict(
        [
            item("fact:pods", "pods = 400", 4),
            item("rule:slow", "pods / send <= 50/s", 5),
            item("rule:fast", "send <= pods / (100/s)", 6),
        ],
        certificate(
            [
                ("fact:pods", PODS_ROW),
                ("rule:slow", BUDGET_ROW),
                ("rule:fast", row({"pods": -1, "send": Fraction(100, SECOND)}, "<=", 0, exponent=0)),
            ]
        ),
    )
    words = of(half, spec)
    assert words.count("pods is 400") == 2
    assert words.count("outlast.yaml:4") == 1


def test_items_that_the_proof_does_not_use_are_named_all_the_same(spec: Spec) -> None:
    more = conflict([*TWO.items, item("fixed:other", "other = 3s", 5)], TWO.proof)
    assert of(more, spec).endswith("It also takes that other is 3s (fixed, outlast.yaml:5). 15s are missing.")


def test_a_bound_that_is_used_later_is_called_by_its_number(spec: Spec) -> None:
    rows = [
        ("rule:a", row({"z": 1, "a": -1}, "<=", 0)),
        ("rule:z", row({"y": 1, "z": -1}, "<=", 0)),
        ("rule:y", row({"y": -1}, "<=", -4)),
        ("rule:sum", row({"a": 1, "b": 1}, "<", 10)),
        ("rule:double", row({"a": 2, "b": -1}, "<=", 0)),
    ]
    found = conflict([item(i, "") for i, _ in rows], certificate(rows))
    told_lines = lines(found, spec)
    assert told_lines[0].endswith("a must be at least 4s (1).")
    assert sum("a is at least 4s (1)" in line for line in told_lines) == 2


@pytest.mark.parametrize(
    ("folder", "main", "base", "told"),
    [
        ("", "before.yaml", "outlast.yaml", ["before.yaml:4", "outlast.yaml:4"]),
        ("team", "before.yaml", "shared/outlast.yaml", ["before.yaml:4", "shared/outlast.yaml:4"]),
        ("team", "shared/before.yaml", "outlast.yaml", ["team/shared/before.yaml:4", "team/outlast.yaml:4"]),
    ],
)
def test_places_are_told_from_the_folder_of_the_spec_if_all_lie_in_it(
    folder: str, main: str, base: str, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    at, of = Path(folder, main), Path(folder, base)
    for path in (at, of):
        path.parent.mkdir(parents=True, exist_ok=True)
    of.write_text(
        "outlast: 1\nparameters:\n  a: { fixed: 1s }\n  b: { free: 1s..9s }\nrules: { r: { require: a < b } }\n"
    )
    extended = os.path.relpath(of, at.parent)
    at.write_text(f"outlast: 1\nextends: {extended}\nparameters:\n  a: {{ fixed: 2s }}\n")
    spec = load_spec(at, root=Path())
    places = Places(spec)
    found = (spec.parameters["a"].places["fixed"], spec.parameters["b"].place)
    assert [places.text(place) for place in found] == told


# Laws.


def check(found: Conflict, spec: Spec) -> None:
    for full in (False, True):
        paragraphs = told(derive(found), found, spec, Places(spec), full=full)
        words = " ".join("".join(s.text for s in p.text) for p in paragraphs)
        names = {s.text for p in paragraphs for s in p.text if s.tone is Tone.CODE}
        for member in found.items:
            assert member.name.removesuffix(".min") in names
        assert "  " not in words
        assert ", ." not in words
        assert not re.search(r"[.,]{2}", words)
        ends = re.findall(
            r"(?:is|are) missing\.| at once\.| not (?:under|over|at most|at least) | leaves? no room for |But \S+ is never negative\.$",
            re.sub(r"At the values in use, .*", "", words),
        )
        assert len(ends) == 1


@settings(max_examples=60, deadline=None)
@given(found=systems())
def test_every_item_is_named_and_what_is_missing_is_told_once(found: Conflict, spec: Spec) -> None:
    check(found, spec)


@pytest.mark.parametrize(
    "found", [SYMBOLIC, FOLDED, BROKEN, MARGIN, RATIO, ASKED, NATURAL, SQUEEZED, CROWDED, BELOW_ZERO, chain_of(24)]
)
def test_every_item_by_hand_is_named_and_what_is_missing_is_told_once(found: Conflict, spec: Spec) -> None:
    check(found, spec)


def test_values_other_than_those_of_the_spec_are_told_as_the_proof_has_them(spec: Spec) -> None:
    other = conflict(
        [*RATIO.items[:2], item("current:send", "send = 4s", 6)],
        certificate(
            [
                ("rule:budget", BUDGET_ROW),
                ("fact:pods", PODS_ROW),
                ("current:send", row({"send": 1}, "<=", 4)),
            ]
        ),
    )
    assert of(other, spec).endswith("But 50/s * send is 200, not at least 400.")
