"""Conflicts in words: whole sentences, nothing left out, nothing told twice."""

from __future__ import annotations

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
from outlast.solver.logic import Below
from solver.handmade import SECOND, certificate, conflict, item, row
from solver.test_derivation import ALTERNATIVES, CYCLE, STEPS, chain_of, systems

SPEC = """\
outlast: 1
parameters:
  ctx: { fixed: 10s, why: SLO of the coin API }
  pods: { fact: 400, why: HPA maximum }
  share: { fixed: 20% }
  send: { free: 0s..60s, current: 10s, why: after so long without a frame }
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
    [DEADLINE, CTX, item("current:send", "send = 10s", 6), item("current:ping", "ping = 10s", 7)],
    certificate(
        [
            ("rule:deadline", DEADLINE_ROW),
            ("fixed:ctx", CTX_ROW),
            ("current:send", row({"send": -1}, "<=", -10)),
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
        pytest.param(TWO, "", id="two rules"),
        pytest.param(SYMBOLIC, "", id="facts as unknowns"),
        pytest.param(FOLDED, "", id="facts as numbers"),
        pytest.param(MEASURED, "", id="measured"),
        pytest.param(chain_of(10), "", id="chain"),
        pytest.param(chain_of(1), "", id="both ends of one"),
        pytest.param(CYCLE, "", id="circle"),
        pytest.param(BROKEN, "", id="in use"),
        pytest.param(ALONE, "", id="one value in use"),
        pytest.param(RATIO, "", id="quotient"),
        pytest.param(ASKED, "", id="asked"),
        pytest.param(NATURAL, "", id="touching"),
        pytest.param(MARGIN, "", id="margin"),
        pytest.param(STEPS, "", id="step"),
        pytest.param(ALTERNATIVES, "", id="alternatives"),
        pytest.param(CLASH, "", id="clash"),
        pytest.param(MODES, "", id="modes"),
        pytest.param(MANY, "", id="many cases"),
        pytest.param(conflict(SYMBOLIC.items, None), "", id="no proof"),
        pytest.param(conflict(TWO.items, TWO.proof, minimal=False), "", id="maybe not minimal"),
    ],
)
def test_a_conflict_is_told_in_whole_sentences(conflict: Conflict, words: str, spec: Spec) -> None:
    print(of(conflict, spec))
    assert of(conflict, spec) == words
