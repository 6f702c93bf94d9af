"""What is drawn of a spec: its pictures, then every rule that none of them shows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outlast.constraints.evaluate import Side, World, evaluate
from outlast.constraints.loading.load import load_spec, load_text
from outlast.constraints.normal import normalise
from outlast.constraints.pictures import Shape
from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import replace
from outlast.picturing.bars import bars
from outlast.picturing.drawing import Drawing
from outlast.picturing.events import events_of
from outlast.picturing.layout import lay_out
from outlast.picturing.shapes import drawings_of
from outlast.picturing.timeline import Timeline

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*/outlast.yaml"))

HEAD = """\
outlast: 1
parameters:
  a: { fixed: 3s }
  b: { fixed: 2s }
  c: { fixed: 10s }
  n: { fixed: 4 }
"""


def drawings(text: str) -> dict[str, Drawing]:
    spec = load_text(Path("outlast.yaml"), HEAD + text)
    rules, _ = normalise(spec)
    return {drawing.id: drawing for drawing in drawings_of(spec, rules)}


def laid_out(drawing: Drawing, **seconds: int) -> Timeline:
    values = {name: Fraction(number * 10**9 if name != "n" else number) for name, number in seconds.items()}
    return lay_out(drawing, World(values=values, bound=lambda _, __: Fraction(1)), {})


def test_pictures_come_first_and_their_rules_are_not_drawn_again() -> None:
    found = drawings(
        """\
rules:
  aa: { require: b < c }
  drops: { require: a + b < c, picture: z }
  zz: { require: a < c, picture: y }
pictures:
  z: { shape: request, deadline: c, send_ping: a, ping: b }
  y: { shape: idle, title: A pause, client: a, server: c }
"""
    )
    assert [(id_, drawing.shape) for id_, drawing in found.items()] == [
        ("y", Shape.IDLE),
        ("z", Shape.REQUEST),
        ("aa", None),
    ]
    assert found["y"].title == "A pause"
    assert found["z"].title == "An attempt on a dead connection"
    assert found["z"].rules == ("drops",)


def test_the_terms_of_a_side_are_laid_end_to_end_whatever_is_nothing() -> None:
    timeline = laid_out(drawings("rules:\n  r: { require: 2 * a + b + 1s <= c }\n")["r"], a=3, b=0, c=9)
    left, right = timeline.rows
    second = 10**9
    assert [s.words for s in left.stretches] == ["2 * a 6s", "1s"]
    assert [s.start for s in left.stretches] == [0, 6 * second]
    assert [s.end for s in left.stretches] == [6 * second, 7 * second]
    assert (left.label, right.label) == ("smaller side", "<= larger side")
    assert [s.words for s in right.stretches] == ["c 9s"]


def test_many_terms_end_in_one_bar_that_reaches_the_whole_sum() -> None:
    names = [f"p{n}" for n in range(15)]
    parameters = "".join(f"  {name}: {{ fixed: 1s }}\n" for name in names)
    (left, _) = laid_out(
        drawings(parameters + f"rules:\n  r: {{ require: {' + '.join(names)} < c }}\n")["r"],
        **dict.fromkeys(names, 1),
        c=20,
    ).rows
    assert len(left.stretches) == 13
    assert left.stretches[-1].words == "and 3 more, together 3s"
    assert left.stretches[-1].end == 15 * 10**9


def test_conclusions_stand_before_conditions_and_other_dimensions_are_left_to_words() -> None:
    drawing = drawings("rules:\n  r: { require: a < b => (n > 2 or b < c) and a < c }\n")["r"]
    assert drawing.time_exponent == 0
    assert [lane.label for lane in drawing.lanes] == ["smaller side", "< larger side"]
    drawing = drawings("rules:\n  r: { require: a < b => b < c and n > 2 }\n")["r"]
    left = [laid_out(drawing, a=1, b=2, c=3, n=4).rows[n].stretches[0].words for n in range(4)]
    assert left == ["b 2s", "c 3s", "a 1s", "b 2s"]


def test_a_rule_that_compares_nothing_is_not_drawn() -> None:
    assert drawings("rules:\n  r: { require: not a is off }\n") == {}


def test_an_end_and_a_hop_that_no_name_tells_are_called_what_they_are() -> None:
    found = drawings(
        """\
rules:
  r: { require: b < c, picture: p }
pictures:
  p: { shape: idle, client: a, hops: b, server: c }
"""
    )
    timeline = laid_out(found["p"], a=3, b=2, c=10)
    assert [row.label for row in timeline.rows] == ["client", "hop", "server", "next request"]
    assert timeline.title == "An idle connection: client – hop – server"
    assert timeline.facts[0].words == "The hop forgets the connection first, after 2s, and tells nobody."


def test_a_picture_that_divides_by_nothing_is_left_out_and_its_rule_is_drawn_as_bars() -> None:
    found = drawings(
        """\
rules:
  r: { require: a < c, picture: p }
pictures:
  p: { shape: idle, client: a / (n - n), server: c }
"""
    )
    assert [(id_, drawing.shape) for id_, drawing in found.items()] == [("r", None)]


def test_no_two_drawings_have_the_same_title() -> None:
    found = drawings(
        """\
rules:
  r: { require: a < c, picture: p }
  s: { require: b < c, picture: q }
  s2: { require: b < c, picture: again }
  t: { require: n * a < c }
  u: { require: n * a < c }
pictures:
  p: { shape: deploy, detection: a, drain: c }
  q: { shape: deploy, detection: b, drain: c }
  again: { shape: deploy, detection: b, drain: c }
"""
    )
    assert [drawing.title for drawing in found.values()] == [
        "A server is taken out and stops",
        "A server is taken out and stops (a)",
        "A server is taken out and stops (q)",
        "n * a < c",
        "u: n * a < c",
    ]


def test_a_sum_tells_what_takes_no_time_and_calls_its_sides_what_they_are() -> None:
    (timeline,) = (laid_out(d, a=3, b=0, c=9) for d in drawings("rules:\n  r: { require: c > a + b }\n").values())
    assert events_of(timeline) == ("smaller side: a 3s; b 0s", "< larger side: c 9s")
    (timeline,) = (laid_out(d, a=3, c=9) for d in drawings("rules:\n  r: { require: a != c }\n").values())
    assert [row.label for row in timeline.rows] == ["one side", "!= other side"]


@pytest.mark.parametrize(
    ("parts", "label", "words"),
    [
        ("detection: a", "rotation", "still in rotation"),
        ("interval: a, threshold: n", "health checks", "counts failures"),
        ("interval: a, threshold: 1", "health checks", "waits for a failure"),
    ],
)
def test_the_lane_of_what_takes_a_server_out_is_called_what_is_known_of_it(parts: str, label: str, words: str) -> None:
    text = f"rules:\n  r: {{ require: a < c, picture: p }}\npictures:\n  p: {{ shape: deploy, {parts}, drain: c }}\n"
    first = laid_out(drawings(text)["p"], a=3, c=9, n=4).rows[0]
    assert (first.label, [stretch.words for stretch in first.stretches]) == (label, [words])


VALUES = st.one_of(st.integers(0, 10**12).map(Fraction), st.sampled_from(Sentinel))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_pictures_of_an_example_can_be_drawn_at_any_values(path: Path) -> None:
    spec = load_spec(path, root=ROOT)
    rules, _ = normalise(spec)
    found = drawings_of(spec, rules)
    assert {rule for drawing in found for rule in drawing.rules} == {id_ for id_, rule in rules.items() if bars(rule)}

    @settings(max_examples=4, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(VALUES, min_size=len(spec.parameters), max_size=len(spec.parameters)))
    def draw(values: list[Fraction | Sentinel]) -> None:
        world = World(values=dict(zip(spec.parameters, values, strict=True)), bound=lambda _, __: Fraction(5))
        for drawing in found:
            timeline = lay_out(replace(drawing, needs=()), world, {})
            for lane, row in zip(drawing.lanes, timeline.rows, strict=True):
                ends = [evaluate(bar.start, world, Side.UPPER) for bar in lane.bars]
                assert {stretch.start for stretch in row.stretches} <= {
                    max(e, Fraction(0)) for e in ends if isinstance(e, Fraction)
                }
            if drawing.facts:
                assert timeline.facts

    draw()


@pytest.mark.parametrize(
    ("parts", "values", "told"),
    [
        ("shape: idle, hops: a, server: c", {"a": -3, "b": 2}, "hop is -3s"),
        ("shape: idle, client: a - b, server: c", {"a": 1, "b": 2}, "client is -1s"),
        ("shape: deploy, interval: a, threshold: n / 2, drain: c", {"n": 5}, "threshold is 2.5, not a whole number from 1 on"),
        ("shape: retries, attempts: n, attempt: a - b, deadline: c", {"a": 1, "b": 2, "n": 0}, "attempts is 0, not a whole number from 1 on; attempt is -1s"),
        ("shape: retries, attempts: 2, attempt: a, base: b, factor: n, cap: c, deadline: c", {"n": -1}, "factor is -1"),
    ],
)  # fmt: skip
def test_a_part_that_no_time_and_no_count_can_be_is_told_and_nothing_is_drawn(
    parts: str, values: dict[str, int], told: str
) -> None:
    text = f"rules:\n  r: {{ require: a < c, picture: p }}\npictures:\n  p: {{ {parts} }}\n"
    drawing, values = drawings(text)["p"], {"a": 0, "b": 0, "c": 9, "n": 2, **values}
    assert laid_out(drawing, a=0, b=0, c=9, n=2).rows  # zero is fine
    timeline = laid_out(drawing, **values)
    assert (timeline.rows, timeline.gaps) == ((), ())
    assert [fact.words for fact in timeline.facts] == [f"Not drawn: {told}."]
