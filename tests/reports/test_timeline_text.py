"""Drawings made of characters: everything is told, nothing is too long, and what ends first stands first."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.running import assert_snapshot
from outlast.constraints.errors import printable
from outlast.picturing.drawing import Tone
from outlast.picturing.layout import up_to
from outlast.picturing.timeline import Gap, Moment, Row, Sentence, Stretch, Timeline
from outlast.reports.document import Drawn, Section
from outlast.reports.markdown import markdown
from outlast.reports.text import columns_of, lay_out, plain, without_commands
from outlast.reports.timeline_grid import cells_of
from outlast.reports.timeline_text import drawn
from reports.timelines import bar, deploy, gap, idle, lane, mark, request, retries, timeline

INCIDENTS = {
    "request": (("in use", request(10, 10, 10)), ("recommended", request(5, 3, 10))),
    "equal": (("in use", request(6, 4, 10)),),
    "idle": (("in use", idle(350, 600)),),
    "deploy": (("in use", deploy(5, 10)),),
    "retries": (("in use", retries(4, 5, "0.1", 30)),),
}
LETTERS = "ab :#[]'`|漢\u0301\u200b\x1b\r"
PLACES = st.fractions(min_value=0, max_value=40, max_denominator=7) | st.fractions(39, 40, max_denominator=20)


def made_up(seed: int) -> Timeline:
    """Each of its texts differs from every other one; drawing all of it from Hypothesis would take longer than the tests."""
    chance = random.Random(seed)
    numbers = iter(range(1000))

    def some(letters: str, most: int) -> str:
        return "".join(chance.choices(letters, k=chance.randint(0, most)))

    def words(*starts: str) -> str:
        start = chance.choice(["", "", *starts])
        rest = some(LETTERS, 12) if chance.random() < 0.5 else some("abc ", 60)
        return f"{start}{rest}<{next(numbers)}>{some(LETTERS, 4)}"

    def place() -> Fraction:
        return Fraction(chance.randint(0, 40), chance.choice([1, 1, 7]))

    def stretch() -> Stretch:
        start = place()
        end = chance.choice([None, start + Fraction(1, 9), start + 1 + place()])
        return Stretch(start=start, end=end, words=words("::error::", "##[x]", "[x]", "vso"), tone=tone())

    def tone() -> Tone:
        return chance.choice(list(Tone))

    def row() -> Row:
        stretches = sorted((stretch() for _ in range(chance.randint(0, 4))), key=lambda each: each.start)
        moments = [Moment(at=place(), words=words(), tone=tone()) for _ in range(chance.randint(0, 4))]
        moments.sort(key=lambda each: each.at)
        return Row(label=words("::error::"), stretches=tuple(stretches), moments=tuple(moments))

    def room() -> Gap:
        start = place()
        end = chance.choice([None, start, start + place()])
        wrong_at = chance.choice([None, start])
        return Gap(rule=words(), start=start, end=end, words=words(), tone=tone(), wrong_at=wrong_at)

    last = Fraction(chance.choice([90, 90, 1000, 10**6]))
    picture = Timeline(
        id="x",
        title="x",
        shape=None,
        time_exponent=0,
        until=last,
        ticks=(),
        rows=tuple(row() for _ in range(chance.randint(0, 3))),
        gaps=tuple(room() for _ in range(chance.randint(0, 2))),
        facts=(Sentence(words="x", tone=Tone.PLAIN),),
    )
    return up_to(last, picture)


TIMELINES = st.integers(0, 2**32).map(made_up)


def squeezed(text: str) -> str:
    return "".join(text.split())


def texts_of(one: Timeline) -> list[str]:
    found = [row.label for row in one.rows]
    for row in one.rows:
        found += [each.words for each in row.stretches]
        found += [each.words for each in row.moments]
    return found + [f"{each.rule}: {each.words}" for each in one.gaps]


@settings(max_examples=60, derandomize=True, deadline=None)
@given(panels=st.lists(TIMELINES, min_size=1, max_size=2), width=st.integers(40, 140), is_ascii=st.booleans())
def test_every_text_is_told_whole_and_no_line_is_too_long(panels: list[Timeline], width: int, is_ascii: bool) -> None:
    named = [(f"panel {n}", each) for n, each in enumerate(panels)]
    lines = ["".join(span.text for span in line) for line in drawn(named, width, is_ascii=is_ascii)]
    assert [line for line in lines if columns_of(line) > width] == []
    is_beside = len(panels) > 1 and width >= 123
    cells = [cells_of(line) for line in lines]  # a wide character is two columns
    columns = [
        ["".join(line[: (width - 3) // 2]) for line in cells],
        ["".join(line[(width - 3) // 2 :]) for line in cells],
    ]
    whole = [squeezed("".join(column)) for column in (columns if is_beside else [lines])]
    for words in (words for each in panels for words in texts_of(each)):
        shown = squeezed(without_commands(printable(words)))
        assert any(shown in text for text in whole), (words, lines)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(one=TIMELINES, width=st.integers(40, 140))
def test_a_drawing_is_as_harmless_and_as_wide_on_a_page_as_alone(one: Timeline, width: int) -> None:
    text = plain((Section("pictures", (Drawn((("in use", one),)),)),), width)
    assert [line for line in text.splitlines() if columns_of(line) > width] == []
    assert [line for line in text.splitlines() if line.lstrip().startswith("::") or "##[" in line] == []
    assert "\x1b" not in text
    if all(words.isascii() for words in texts_of(one)):
        assert text.isascii()


@settings(max_examples=25, derandomize=True, deadline=None)
@given(places=st.lists(PLACES, min_size=1, max_size=8, unique=True), width=st.integers(60, 140))
def test_different_moments_stand_in_different_columns_in_their_order(places: list[Fraction], width: int) -> None:
    rows = [Row(label="x", stretches=(), moments=(Moment(at=p, words="", tone=Tone.PLAIN),)) for p in places]
    one = timeline("x", "x", None, rows, [])
    lines = ["".join(span.text for span in line) for line in drawn([("", one)], width, is_ascii=True)]
    columns = [line.index("*") for line in lines if line.startswith("x")]
    assert sorted(zip(places, columns, strict=True)) == list(zip(sorted(places), sorted(set(columns)), strict=True))


@pytest.mark.parametrize("words", ["[error]", "#[error]", "vso[task]"])
def test_a_bar_and_its_words_are_together_no_command_of_a_runner(words: str) -> None:
    one = timeline("x", "x", None, [lane("x", bar(0, 4, words, Tone.BAD), mark(9, ""))], [])
    for width in range(24, 80):
        lines = ["".join(span.text for span in line) for line in drawn([("", one)], width, is_ascii=True)]
        assert not [line for line in lines if "##[" in line or "##vso" in line]


def test_a_long_text_of_the_key_stays_in_its_width_where_a_command_begins_a_line() -> None:
    one = timeline("x", "x", None, [lane("x", mark(1, "a" * 35 + " ::error::" + "b" * 26))], [])
    for width in range(36, 50):
        lines = plain((Drawn((("", one),)),), width).splitlines()
        assert max(map(len, lines)) <= width


def test_more_moments_than_columns_are_all_drawn_and_never_in_another_order() -> None:
    rows = [lane("x", mark(n, "")) for n in range(60)]
    lines = [
        "".join(s.text for s in line) for line in drawn([("", timeline("x", "x", None, rows, []))], 40, is_ascii=True)
    ]
    columns = [line.index("*") for line in lines if line.startswith("x")]
    assert len(columns) == 60
    assert columns == sorted(columns)


def test_several_drawings_share_one_axis() -> None:
    lines = ["".join(s.text for s in line) for line in drawn(INCIDENTS["request"], 80, is_ascii=True)]
    axes = [line for line in lines if "+---" in line]
    assert len(axes) == 2
    assert axes[0] == axes[1]
    assert (
        len(
            [
                line
                for line in lines
                if line == "              0s             5s             10s             15s            20s"
            ]
        )
        == 2
    )


@pytest.mark.parametrize(("width", "beside"), [(122, False), (123, True)])
def test_drawings_stand_side_by_side_where_each_has_room(width: int, beside: bool) -> None:
    first = "".join(span.text for span in drawn(INCIDENTS["request"], width, is_ascii=True)[0])
    assert ("recommended" in first) is beside


def test_what_goes_wrong_is_marked_where_it_does_and_through_the_lanes() -> None:
    lines = ["".join(s.text for s in line) for line in drawn(INCIDENTS["idle"], 100, is_ascii=True)]
    column = lines[-1].index("!")
    assert lines[-1][column : column + 5] == "!####"
    assert [line[column] for line in lines if line.startswith(("nlb", "next request"))] == ["!", "!"]
    below_alb = next(n for n, line in enumerate(lines) if line.startswith("alb")) + 1
    assert lines[below_alb][column] == ":"


def test_two_rules_that_go_wrong_at_once_are_both_told() -> None:
    one = timeline("x", "x", None, [lane("x", mark(5, "stops"))], [gap("a", 9, 5), gap("b", 9, 5), gap("c", 5, 5)])
    text = "\n".join("".join(s.text for s in line) for line in drawn([("", one)], 80, is_ascii=True))
    for words in ("a: 4s too little", "b: 4s too little", "c: both sides are equal, which is not enough"):
        assert words in text
    assert text.count("!") == 3


@pytest.mark.parametrize("width", [40, 80, 140])
def test_the_incidents_are_drawn_as_their_snapshots(width: int) -> None:
    text = ""
    for name, panels in INCIDENTS.items():
        text += f"{name}\n\n{plain((Drawn(panels),), width)}\n"
    assert_snapshot(f"drawn-{width}.txt", text)


def test_the_incidents_are_drawn_in_blocks_as_their_snapshot() -> None:
    text = ""
    for name, panels in INCIDENTS.items():
        lines = ["".join(span.text for span in line) for line in lay_out((Drawn(panels),), 80, is_ascii=False)]
        text += "\n".join([name, "", *(line.rstrip() for line in lines), "", ""])
    assert_snapshot("drawn-blocks-80.txt", text)


def test_markdown_holds_a_drawing_between_fences() -> None:
    one = timeline("x", "x", None, [lane("a```b", mark(1, "<b>"))], [])
    lines = markdown((Drawn((("in use", one),)),)).splitlines()
    assert (lines[0], lines[-1]) == ("````text", "````")
    assert max(map(len, lines)) <= 80
