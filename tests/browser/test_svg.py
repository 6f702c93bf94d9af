"""Pictures of the page: JavaScript draws what Python draws, and in a real browser no words overlap or leave the picture."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from outlast.picturing.drawing import Tone
from outlast.picturing.layout import last_place, up_to
from outlast.picturing.timeline import Gap, Moment, Row, Sentence, Stretch, Timeline
from outlast.reports.svg import svg

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECOND = Fraction(10**9)
UNITS = {1: SECOND, 0: Fraction(1), -1: 1 / SECOND}
WIDTHS = (320, 420, 519, 520, 760, 1100)
STYLE = Path(__file__).parents[2] / "src/outlast/reports/page/timeline.css"
HOSTILE = (
    "<script>alert(1)</script>",
    "a\"b' onload=x",
    "]]> &amp; &lt;",
    "\x00\x07\t\r\x1b[31m\x7f\x85",
    "\u061c\u202egnp.exe\u2066 \u200b\ufeff\ufffe\U000e0041",
    "line\none\u2028two",
    "🙂 👩‍🚀 ⚠️ 日本語 가 한국",
    "שלום עולם مرحبا",
    "e\u0301\u0301 ﷽ ",
    "http/pool-closes-first@client:lb",
    "x" * 70,
    "網" * 41,
    "",
)

#: Draws timelines, each at its width; fractions come as texts.
DRAW = """
(drawn) => {
  const revived = (key, value) =>
    Array.isArray(value) && value[0] === "fraction" ? { n: BigInt(value[1]), d: BigInt(value[2]) } : value;
  return JSON.parse(drawn, revived).map(([timeline, width, titled]) => outlast.svg(timeline, width, { titled, told: titled }));
}
"""

#: What is wrong with the words of pictures: two that overlap, words on a mark, one that leaves the picture.
JUDGE = """
() => {
  const wrong = [];
  const told = (box) => [box.x, box.y, box.width, box.height].map((n) => n.toFixed(1)).join(" ");
  for (const svg of document.querySelectorAll("svg")) {
    const { width, height } = svg.viewBox.baseVal;
    const boxes = [...svg.querySelectorAll("text")].map((text) => [text.getBBox(), text.textContent]);
    const marks = [...svg.querySelectorAll(".tl-mark")].map((mark) => [mark.getBBox(), "a mark"]);
    boxes.forEach(([a, words], n) => {
      if (a.x < 0 || a.y < 0 || a.x + a.width > width || a.y + a.height > height) {
        wrong.push(`${words} leaves the picture of ${width}: ${told(a)}`);
      }
      for (const [b, others] of [...boxes.slice(n + 1), ...marks]) {
        if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height) {
          wrong.push(`${words} overlaps ${others} at ${width}: ${told(a)}; ${told(b)}`);
        }
      }
    });
  }
  return [wrong, document.querySelectorAll("svg text").length];
}
"""


def words(chance: random.Random) -> str:
    if chance.random() < 0.4:
        return chance.choice(HOSTILE)
    if chance.random() < 0.2:
        return "".join(chance.choices("abcdef網-/@:.", k=chance.randint(30, 120)))
    return " ".join("abcdefghij"[: chance.randint(1, 10)] for _ in range(chance.randint(1, chance.choice((2, 9)))))


def timeline(chance: random.Random) -> Timeline:
    exponent = chance.choice((1, 1, 1, -1, 0))
    longest = Fraction(chance.randint(1, 10**6), chance.randint(1, 999)) * UNITS[exponent]
    near = chance.choice((1, 100))

    def place() -> Fraction:
        if chance.random() < 0.2:
            return longest * chance.choice((0, 1))
        return longest * (1 - Fraction(chance.randint(0, 1000), 1000 * near))

    def span() -> tuple[Fraction, Fraction | None]:
        start, end = sorted((place(), place()))
        return start, None if start == end or chance.random() < 0.2 else end

    def stretch() -> Stretch:
        start, end = span()
        return Stretch(start=start, end=end, words=words(chance), tone=chance.choice(list(Tone)))

    rows = [
        Row(
            label=words(chance),
            stretches=tuple(sorted((stretch() for _ in range(chance.randint(0, 4))), key=lambda each: each.start)),
            moments=tuple(
                sorted(
                    (
                        Moment(at=place(), words=words(chance), tone=chance.choice(list(Tone)))
                        for _ in range(chance.randint(0, 4))
                    ),
                    key=lambda each: each.at,
                )
            ),
        )
        for _ in range(chance.randint(0, 5))
    ]
    gaps = []
    few = [place(), place(), place()]
    for _ in range(chance.randint(0, 5)):
        start, end = chance.choice(few), chance.choice((max(few), None))
        end = start if end is not None and chance.random() < 0.2 else end
        tone = chance.choice((Tone.GOOD, Tone.PLAIN, Tone.BAD))
        gaps.append(
            Gap(
                rule=words(chance),
                start=start,
                end=end,
                words=words(chance),
                tone=tone,
                wrong_at=start if tone is Tone.BAD else None,
            )
        )
    return whole(f"{words(chance)}", exponent, rows, gaps, words(chance))


def whole(title: str, exponent: int, rows: list[Row], gaps: list[Gap], fact: str = "so") -> Timeline:
    drawn = Timeline(
        id=title,
        title=title,
        shape=None,
        time_exponent=exponent,
        until=Fraction(1),
        ticks=(),
        rows=tuple(rows),
        gaps=tuple(gaps),
        facts=(Sentence(words=fact, tone=Tone.PLAIN), Sentence(words=fact, tone=Tone.BAD)),
    )
    return up_to(last_place(drawn), drawn)


def crowded() -> list[Timeline]:
    """Twelve marks within a hundredth of the axis, at its start, in its middle and at its end; long labels, eight lanes."""
    found = []
    for at in (0, 50, 99):
        marks = tuple(
            Moment(at=(at + Fraction(n, 12)) * SECOND, words=f"number {n} of what happens here", tone=Tone.BAD)
            for n in range(12)
        )
        bars = tuple(
            Stretch(
                start=n * 10 * SECOND,
                end=(n * 10 + 10) * SECOND,
                words=f"bar {n} waits for it",
                tone=Tone.WAIT,
            )
            for n in range(10)
        )
        label = "a label that is as long as sixty characters are, as one may"
        rows = [Row(label=f"{label} {n}", stretches=bars, moments=marks if n % 2 else ()) for n in range(8)]
        gaps = [
            Gap(
                rule=f"a-rule/with-a-long-name-{n}@client:lb",
                start=at * SECOND + n,
                end=100 * SECOND,
                words="far too little",
                tone=Tone.BAD,
                wrong_at=at * SECOND + (10**7, 1, 10**7, 0)[n],
            )
            for n in range(4)
        ]
        found.append(whole(f"Crowded at {at}", 1, rows, gaps))
    return found


def drawn_by_javascript(page: Page, wanted: list[tuple[Timeline, int, bool]]) -> list[str]:
    found: list[str] = page.evaluate(DRAW, json.dumps([[plain(t), width, titled] for t, width, titled in wanted]))
    return found


def plain(value: object) -> object:
    """A record as JSON, field by field."""
    if isinstance(value, Fraction):
        return ["fraction", str(value.numerator), str(value.denominator)]
    if isinstance(value, Tone):
        return value.value
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if hasattr(value, "__slots__") and not isinstance(value, str | int):
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    return value


@pytest.fixture
def drawing(scripts: Callable[..., Page]) -> Page:
    return scripts("numbers", "direction", "svg")


def test_the_page_draws_every_picture_as_python_does_to_the_byte(drawing: Page) -> None:
    chance = random.Random(7)
    wanted = [(each, width, True) for each in crowded() for width in WIDTHS]
    wanted += [(timeline(chance), width, bool(n % 3)) for n in range(50) for width in WIDTHS[n % 2 :: 2]]
    found = drawn_by_javascript(drawing, wanted)
    for (each, width, titled), javascript in zip(wanted, found, strict=True):
        assert javascript == svg(each, width=width, titled=titled, told=titled), (each, width)


def test_no_words_overlap_or_leave_the_picture_in_a_browser(drawing: Page) -> None:
    chance = random.Random(11)
    pictures = [timeline(chance) for _ in range(25)] + crowded()
    text = "".join(svg(each, width=width) for each in pictures for width in (320, 519, 520, 1100))
    drawing.set_content(f"<!DOCTYPE html><style>{STYLE.read_text('utf-8')}</style>{text}")
    wrong, count = drawing.evaluate(JUDGE)
    assert count > 2000
    assert wrong == []


def test_hostile_words_make_no_elements_and_run_nothing(drawing: Page) -> None:
    told = " ".join(HOSTILE)
    row = Row(label=told, stretches=(Stretch(start=Fraction(0), end=None, words=told, tone=Tone.BAD),), moments=())
    gap = Gap(rule=told, start=Fraction(1), end=None, words=told, tone=Tone.BAD, wrong_at=Fraction(1))
    picture = svg(whole(told, 1, [row], [gap], told), width=420)
    drawing.set_content(picture)
    names = drawing.evaluate("() => [...new Set([...document.querySelectorAll('svg, svg *')].map((e) => e.tagName))]")
    assert set(names) == {"svg", "title", "desc", "defs", "pattern", "rect", "path", "text", "tspan"}
    attributes = drawing.evaluate(
        "() => [...document.querySelectorAll('svg, svg *')].flatMap((e) => e.getAttributeNames()).filter((n) => n.startsWith('on') || n === 'style')"
    )
    assert attributes == []
