"""Pictures as documents and JSON: whoever reads only the text misses nothing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from outlast import api
from outlast.constraints.evaluate import Truth, Verdict
from outlast.constraints.pictures import Shape
from outlast.constraints.quantities import Value
from outlast.constraints.record import replace
from outlast.picturing.drawing import Tone
from outlast.picturing.events import events_of
from outlast.picturing.timeline import Moment, Sentence, Stretch, Timeline
from outlast.reporting import IN_USE, RECOMMENDED, Panel, Pictured
from outlast.reports.data import as_text
from outlast.reports.markdown import markdown
from outlast.reports.text import plain
from outlast.reports.timeline import timeline_document
from outlast.reports.timeline_data import timeline_data
from reports.timelines import SECOND, bar, idle, lane, mark, request, timeline

SPEC = """
outlast: 1
parameters:
  deadline: { fixed: 10s }
  send: { free: 1s..60s, current: 10s }
rules:
  a: { require: send < deadline }
  b: { require: send < 10s }
  c: { require: send <= deadline }
"""


def verdict(truth: Truth, *, margin_kept: bool = True) -> Verdict:
    return Verdict(truth=truth, margin_kept=margin_kept, score=None)


BROKEN, HOLDS = verdict(Truth.BROKEN, margin_kept=False), verdict(Truth.HOLDS)


def panel(name: str, send: int, verdicts: dict[str, Verdict], *timelines: Timeline) -> Panel:
    values: dict[str, Value] = {"deadline": Fraction(10**10), "send": Fraction(send * 10**9)}
    return Panel(name=name, values=values, verdicts=verdicts, timelines=timelines)


@pytest.fixture
def pictured(tmp_path: Path) -> Pictured:
    (tmp_path / "outlast.yaml").write_text(SPEC, encoding="utf-8")
    spec = api.check(tmp_path / "outlast.yaml").spec
    in_use = panel(IN_USE, 10, {"a": BROKEN, "b": BROKEN, "c": HOLDS}, request(10, 10, 10), idle(350, 600))
    recommended = panel(RECOMMENDED, 5, {"a": HOLDS, "b": verdict(Truth.HOLDS, margin_kept=False)}, request(5, 3, 10))
    return Pictured(spec=spec, panels=(in_use, recommended), solved=None, untold=("c needs a value of x",))


def test_of_what_cannot_be_drawn_the_title_and_the_sentences_are_told(pictured: Pictured) -> None:
    reason = Sentence(words="Not drawn: hop is -3s.", tone=Tone.PLAIN)
    undrawn = panel(IN_USE, 10, {}, replace(idle(350, 600), rows=(), gaps=(), facts=(reason,)))
    alone = plain(timeline_document(replace(pictured, panels=(undrawn,))))
    assert alone.partition(f"({idle(350, 600).id})\n")[2].startswith("  - Not drawn: hop is -3s.\n")
    data = json.loads(as_text(timeline_data(replace(pictured, panels=(undrawn,)))))["panels"][0]["timelines"][0]
    assert (data["until"], data["ticks"], data["lanes"], data["gaps"]) == (None, [], [], [])
    beside = plain(
        timeline_document(
            replace(pictured, panels=(undrawn, replace(undrawn, name=RECOMMENDED, timelines=(idle(350, 600),))))
        )
    )
    assert beside.index("recommended\n") < beside.index("in use:\n  - Not drawn") < beside.index("recommended:\n")


def test_the_verdict_counts_pictures_and_broken_rules_of_each_panel(pictured: Pictured) -> None:
    first = plain(timeline_document(pictured)).splitlines()[0]
    assert first == "2 pictures: in use 2 of 3 rules are broken, recommended 1 margin is not kept"


def test_values_that_differ_stand_side_by_side(pictured: Pictured) -> None:
    text = plain(timeline_document(pictured))
    assert "  parameter  in use  recommended\n  send       10s     5s\n" in text
    assert "deadline" not in text.split("A request")[0]


def test_each_panel_tells_its_own_facts_and_marks_what_is_wrong(pictured: Pictured) -> None:
    text = plain(timeline_document(pictured), 140)
    own = text.split("idle@client")[0]
    in_use, recommended = own.split("\n  in use:\n")[1].split("\n  recommended:\n")
    assert "  ! retry-dials-anew: 20s < 10s, 10s too little." in in_use
    assert "  - retry-dials-anew: 8s < 10s, 2s left." in recommended
    assert "  - health check: 0s to 10s nothing is read; 10s sends a PING; 10s to 20s waits for the ACK" in in_use
    assert "  - retry: 8s dials anew" in recommended


def test_facts_that_are_the_same_are_told_once(pictured: Pictured) -> None:
    same = panel(RECOMMENDED, 5, {}, request(10, 10, 10))
    both = Pictured(spec=pictured.spec, panels=(pictured.panels[0], same), solved=None, untold=())
    text = plain(timeline_document(both))
    assert text.count("The attempt gives up after 10s") == 1
    assert text.count("waits for an answer ==") == 1
    assert "\n  in use and recommended\n" in text


def test_every_bar_and_every_mark_of_a_lane_is_told_in_the_order_of_time() -> None:
    rows = [lane("web", bar(0, 5, "drains"), bar(5, None, "stopped"), mark(5, "stops listening")), lane("db")]
    fact = Sentence(words="It drains from 0s to 5s and stops listening after 5s.", tone=Tone.PLAIN)
    assert events_of(timeline("x", "x", Shape.DEPLOY, rows, [], fact)) == (
        "web: 0s to 5s drains; 5s stops listening; from 5s on stopped",
        "db: nothing",
    )


def test_marks_alike_without_words_in_the_drawing_are_told_together() -> None:
    quiet = [Moment(at=Fraction(n * SECOND), words="", tone=Tone.PLAIN, told="fails") for n in (2, 3, 5)]
    wait = Stretch(start=Fraction(4 * SECOND), end=None, words="", tone=Tone.WAIT, told="wait")
    row = lane("checks", mark(1, "fails, 1 of 9"), *quiet, wait, mark(6, "out"))
    assert events_of(timeline("x", "x", Shape.DEPLOY, [row], [])) == (
        "checks: 1s fails, 1 of 9; 2s, 3s fails; from 4s on wait; 5s fails; 6s out",
    )


def test_bars_of_a_sum_are_told_by_their_amounts() -> None:
    row = lane("smaller side", bar(0, 5, "send 5s"), mark(5, "ping 0s"), bar(5, 8, "and 2 more, together 3s"))
    assert events_of(timeline("x", "x", None, [row], [])) == (
        "smaller side: send 5s; ping 0s; and 2 more, together 3s",
    )


@pytest.mark.parametrize(
    ("idle", "untold", "why"),
    [
        (("x",), (), "no rule applies at these values"),
        ((), ("in use: x needs a value of y",), "values are missing"),
        ((), (), "all that could be are limits of the software, and they are kept"),
    ],
)
def test_where_nothing_is_drawn_the_first_line_says_why(
    pictured: Pictured, idle: tuple[str, ...], untold: tuple[str, ...], why: str
) -> None:
    empty = Pictured(spec=pictured.spec, panels=(), solved=None, untold=untold, idle=idle)
    assert plain(timeline_document(empty)).splitlines()[0] == f"nothing is drawn: {why}"


def test_what_is_not_drawn_is_told_with_its_reason(pictured: Pictured) -> None:
    assert "what is not drawn:\n  - c needs a value of x\n" in plain(timeline_document(pictured))


def test_markdown_is_the_drawing_and_the_facts_as_a_list(pictured: Pictured) -> None:
    lines = markdown(timeline_document(pictured)).splitlines()
    assert "```text" in lines
    assert "- **retry-dials-anew: 20s \\< 10s, 10s too little.**" in lines
    assert "- c needs a value of x" in lines


@pytest.mark.parametrize(
    "words", ["- x", "1. x", "# x", "::error::x", "<b>x", "a\n::error::b\n- c", "\x1b[31m ##[error]"]
)
def test_texts_of_a_spec_steer_nobody(pictured: Pictured, words: str) -> None:
    hostile = timeline(words, words, None, [lane(words, mark(1, words))], [], Sentence(words=words, tone=Tone.PLAIN))
    own = Pictured(spec=pictured.spec, panels=(panel(IN_USE, 1, {}, hostile),), solved=None, untold=(words,))
    document = timeline_document(own)
    for text in (plain(document), markdown(document)):
        assert "\x1b" not in text
        assert "##[" not in text
        assert not any(line.strip().startswith("::") for line in text.splitlines())
    listed = [line for line in markdown(document).splitlines() if line.startswith("- ")]
    assert all(not line.startswith(("- - ", "- 1. ", "- # ", "- <b>", "- ::")) for line in listed)
    assert "::error::x" not in plain(document).splitlines()
    assert json.loads(as_text(timeline_data(own)))["panels"][0]["timelines"][0]["facts"][0]["words"] == words


def test_json_has_every_place_as_text_and_exactly(pictured: Pictured) -> None:
    data = json.loads(as_text(timeline_data(pictured)))
    assert (data["version"], data["status"], data["complete"]) == (1, "findings", False)
    assert [each["name"] for each in data["panels"]] == [IN_USE, RECOMMENDED]
    assert data["panels"][1]["values"]["send"] == {"value": "5s", "ns": 5 * 10**9}
    assert data["panels"][1]["rules"]["b"] == {"holds": True, "applies": True, "margin_kept": False}
    found = data["panels"][0]["timelines"][0]
    assert (found["id"], found["shape"], found["time_exponent"]) == ("request@client", "request", 1)
    assert found["until"] == {"value": "21s", "ns": 21 * 10**9}
    assert found["lanes"][1]["marks"] == [
        {"at": {"value": "10s", "ns": 10**10}, "words": "sends a PING", "tone": "plain"}
    ]
    assert found["gaps"][0]["wrong_at"] == {"value": "10s", "ns": 10**10}
    assert data["panels"][0]["timelines"][1]["lanes"][0]["bars"][0]["end"] is None
