"""Pictures as SVG: well-formed whatever words stand in them, words where they overlap nothing, panels on one axis."""

from __future__ import annotations

import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.record import replace
from outlast.picturing.drawing import Tone
from outlast.picturing.layout import last_place, up_to
from outlast.picturing.timeline import Gap, Moment, Row, Sentence, Stretch, Timeline
from outlast.reports.svg import svg, svg_file
from outlast.reports.svg_text import columns, depth_of, length, one_line, placed, wrapped

SECOND = Fraction(10**9)
ANY_TEXT = st.text(st.characters(), max_size=30)


def picture(name: str = "pause", *, title: str = "A pause", until: int = 10, words: str = "open") -> Timeline:
    """A lane with a bar that ends, a mark and a bar that goes on; one rule that is broken from the fourth second on."""
    bars = (
        Stretch(start=Fraction(0), end=4 * SECOND, words=words, tone=Tone.OPEN),
        Stretch(start=4 * SECOND, end=None, words="forgotten", tone=Tone.GONE),
    )
    row = Row(label="nlb", stretches=bars, moments=(Moment(at=until * SECOND, words="meets RST", tone=Tone.BAD),))
    gap = Gap(
        rule="outlasts",
        start=4 * SECOND,
        end=until * SECOND,
        words="too little",
        tone=Tone.BAD,
        wrong_at=4 * SECOND,
    )
    facts = (Sentence(words="The nlb forgets it.", tone=Tone.PLAIN), Sentence(words="An RST comes.", tone=Tone.BAD))
    drawn = Timeline(
        id=name,
        title=title,
        shape=None,
        time_exponent=1,
        until=Fraction(1),
        ticks=(),
        rows=(row,),
        gaps=(gap,),
        facts=facts,
    )
    return up_to(last_place(drawn), drawn)


def texts(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {"".join(each.itertext()): each for each in root.iter() if each.tag.endswith("text")}


def test_a_picture_says_in_words_what_goes_wrong_when_and_which_bars_are_bad() -> None:
    root = ElementTree.fromstring(svg(picture(), width=760))
    assert {"A pause", "nlb", "open", "forgotten", "✗ meets RST", "outlasts", "✗ too little"} < texts(root).keys()
    assert "✗ goes wrong at 4s" in texts(root)


def test_where_rules_go_wrong_at_several_moments_each_is_told_with_its_rule() -> None:
    one = picture()
    (gap,) = one.gaps
    others = [replace(gap, rule="second"), replace(gap, rule="early", wrong_at=2 * SECOND)]
    found = texts(ElementTree.fromstring(svg(replace(one, gaps=(gap, *others)), width=760)))
    assert {"✗ goes wrong at 2s: early", "✗ goes wrong at 4s: outlasts and 1 more"} < found.keys()


def test_readers_that_see_nothing_are_told_the_title_and_every_fact() -> None:
    root = ElementTree.fromstring(svg(picture("a b"), width=760, titled=False))
    named = [root.find(f".//*[@id='{name}']") for name in root.attrib["aria-labelledby"].split()]
    assert [each is not None and each.text for each in named] == ["A pause", "The nlb forgets it. An RST comes."]
    assert "A pause" not in texts(root)


def test_a_bar_the_line_where_it_goes_wrong_and_a_mark_stand_at_their_shares_of_the_axis() -> None:
    root = ElementTree.fromstring(svg(picture(), width=760))
    shown = {each.get("class"): each for each in root.iter()}
    bar, room = shown["tl-bar tl-open"], shown["tl-bar tl-bad tl-room"]
    start, end = float(bar.attrib["x"]), float(bar.attrib["x"]) + float(bar.attrib["width"])
    wall = float(re.findall(r"[\d.]+", shown["tl-wall"].attrib["d"])[0])
    mark = float(re.findall(r"[\d.]+", shown["tl-mark tl-bad"].attrib["d"])[0])
    assert wall == end == float(room.attrib["x"])
    assert abs((mark - start) / (end - start) - 10 / 4) < 0.001
    assert abs((760 - 14 - start) / (end - start) - 10.5 / 4) < 0.001


def test_pictures_bring_no_style_and_their_ids_differ() -> None:
    drawn = [svg(picture(name), width=400) for name in ("a@b", "a_40_b", "a b", "A")]
    assert not any(re.search(r"style|\son\w+=", each) for each in drawn)
    ids = [found for each in drawn for found in re.findall(r'\bid="([^"]*)"', each)]
    assert len(ids) == len(set(ids)) == 12
    assert all(re.fullmatch(r"[\w-]+", each, re.ASCII) for each in ids)
    for each in drawn:  # the hatch of one picture is its own
        assert set(re.findall(r"url\(#([^)]*)\)", each)) <= set(re.findall(r'\bid="([^"]*)"', each))


@settings(max_examples=60, derandomize=True, deadline=None)
@given(ANY_TEXT, st.integers(200, 900))
def test_whatever_stands_in_a_picture_is_text_and_nothing_is_lost(text: str, width: int) -> None:
    drawn = svg(picture(text, title=text, words=text), width=width)
    root = ElementTree.fromstring(drawn)
    assert {each.tag for each in root.iter()} <= {"svg", "title", "desc", "defs", "pattern", "rect", "path", "text"}
    told = "".join("".join(each.itertext()) for each in root.iter("text"))
    assert one_line(text).replace(" ", "") in told.replace(" ", "")
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069\x1b]", told)


@pytest.mark.parametrize(
    ("text", "room", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("silent-hop-forgets-last@client", 13, ["silent-hop-", "forgets-last@", "client"]),
        ("a-bcdefghij", 5, ["a-bcd", "efghi", "j"]),  # a sign near the beginning is no place to cut
        ("網網網", 5, ["網網", "網"]),
        (" \n ", 5, []),
    ],
)
def test_long_text_is_cut_after_signs_and_to_its_columns(text: str, room: int, lines: list[str]) -> None:
    assert list(wrapped(text, room)) == lines


@settings(max_examples=60, derandomize=True, deadline=None)
@given(ANY_TEXT, st.integers(2, 12))
def test_lines_have_room_and_together_are_the_text(text: str, room: int) -> None:
    lines = wrapped(text, room)
    assert all(0 < columns(line) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == re.sub("[ \n]", "", text)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1000, 4000), st.sampled_from(["a", "some words", "words that take a lot of room", "網" * 9])
        )
    ),
    st.lists(st.integers(1000, 4000), max_size=2),
)
def test_words_keep_apart_and_inside_and_leaders_come_down_beside_them(
    wanted: list[tuple[int, str]], walls: list[int]
) -> None:
    found = placed(wanted, walls, 1000, 4000)
    assert sorted(each.index for each in found) == list(range(len(wanted)))
    boxes = [(each.row + n, each.left, each.left + length(line)) for each in found for n, line in enumerate(each.lines)]
    assert all(left >= 1000 and right <= 4000 for _, left, right in boxes)
    for n, (row, left, right) in enumerate(boxes):
        assert not any(row == r and left < e and s < right for r, s, e in boxes[:n])
    for each in found:
        place = wanted[each.index][0]
        right = each.left + max(map(length, each.lines))
        assert place < each.left or place > right if each.is_beside else True
    assert {row for row, _, _ in boxes} == set(range(depth_of(found)))


def test_words_of_marks_close_together_cascade_so_that_no_leader_passes_words() -> None:
    wanted = [(1500 + 20 * n, f"event {n}") for n in range(5)]
    found = placed(wanted, (), 1000, 4000)
    for each in found:
        for other in found:
            passes = other.left < wanted[each.index][0] < other.left + length(other.lines[0])
            assert not (passes and other.row < each.row), (each, other)
    assert depth_of(found) == 5


def test_words_stand_clear_of_the_lines_where_rules_go_wrong_if_they_can() -> None:
    (alone,) = placed([(2000, "some words")], (2100,), 1000, 4000)
    assert alone.left + length("some words") < 2000
    (crossed,) = placed([(2000, "some words that go on and on")], (1500, 2500), 1000, 4000)
    assert crossed.row == 0


def test_a_file_tells_of_what_cannot_be_drawn_the_title_and_why() -> None:
    reason = Sentence(words="Not drawn: threshold is 2.5, not a whole number from 1 on.", tone=Tone.PLAIN)
    undrawn = replace(picture("deploy"), rows=(), gaps=(), facts=(reason,))
    root = ElementTree.fromstring(svg_file([("in use", [undrawn]), ("recommended", [picture("deploy")])], width=400))
    bare, drawn = root.findall("{http://www.w3.org/2000/svg}svg")
    assert [*texts(bare)] == ["A pause", "Not drawn: threshold is 2.5, not a whole number", "from 1 on."]
    assert {each.get("class") for each in bare.iter()} & {"tl-axis", "tl-grid", "tl-tick"} == set()
    assert "tl-axis" in {each.get("class") for each in drawn.iter()}


def test_panels_of_a_file_share_the_axis_and_the_row_of_a_picture() -> None:
    before = [picture("idle", until=20), picture("deploy", until=6)]
    after = [picture("deploy", until=30, words="words that have no room in so short a bar and need a second line")]
    text = svg_file([("in use", before), ("recommended", after)], width=400)
    root = ElementTree.fromstring(text)
    name = "{http://www.w3.org/2000/svg}"
    idle, deploy, other = root.findall(f"{name}svg")
    assert deploy.attrib["y"] == other.attrib["y"] != idle.attrib["y"]
    assert float(other.attrib["x"]) >= 400
    ticks = [
        [t.text for t in each.iter(f"{name}text") if t.get("class") == "tl-tick"] for each in (idle, deploy, other)
    ]
    assert ticks[1] == ticks[2] != ticks[0]
    assert {"in use", "recommended"} < texts(root).keys()
    ids = re.findall(r'\bid="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    lowest = max(float(each.attrib["y"]) + float(each.attrib["height"]) for each in (deploy, other))
    assert lowest == float(root.attrib["height"])
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg\")|@import|<script", text)
