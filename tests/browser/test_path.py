"""The path in the page: which clock ends first at any values, as Python says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from outlast.constraints.quantities import Sentinel, Value
from outlast.reporting import Reported
from outlast.reports.page.encoding import encoded, number_text, script_text
from outlast.reports.page.path import path_section
from outlast.reports.page.ways import clock_text, ends_first, sentence, ways_of
from reports.reported import reported

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECOND = 10**9
SPEC = """
outlast: 1
components: { client: generic.client, nlb: generic.hop, nat: generic.hop, alb: aws.alb, web: generic.server, db: generic.server }
links:
  - client -> nlb -> nat -> alb
  - alb -> web
  - { from: web, to: db, pooled: no }
parameters:
  client.pool_idle: { fixed: 90s }
  client.keep_alive: { fixed: off }
  nlb.silent_idle: { fixed: 50s }
  nat.silent_idle: { fact: 30s..70s }
  alb.idle_timeout: { fixed: 60s }
  web.idle_timeout: { free: 1s..2h }
  db.idle_timeout: { fixed: 1s }
""".lstrip()
#: Two clocks that are formulas, and no component.
PICTURED = """
outlast: 1
parameters: { a: { fixed: 90s }, hop: { fact: 20s..60s }, b: { fixed: 70s }, ping: { fixed: off } }
pictures:
  pause: { shape: idle, client: a + 5s, hops: [hop * 2], server: b, client_awake: ping }
rules: { r: { require: a < b, picture: pause } }
""".lstrip()

READ = """
(points) => points.map((written) => {
  outlast.markPath(page, outlast.worldOf(page, written));
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    marked: all("[data-clock]").filter((mark) => mark.checkVisibility()).map((mark) => mark.dataset.clock).sort(),
    told: all("[data-way]").map((told) => told.textContent),
    shown: all("[data-clock-value]").map((shown) => shown.textContent),
  };
})
"""


def test_the_page_marks_the_clocks_that_python_finds_first(scripts: Callable[..., Page], tmp_path: Path) -> None:
    for words in (SPEC, PICTURED):
        path = tmp_path / "outlast.yaml"
        path.write_text(words, encoding="utf-8")
        found = reported(path)
        page = scripts("numbers", "direction", "rules", "svg", "words", "path")
        page.evaluate("(markup) => { document.body.innerHTML = markup; }", path_section(found))
        page.evaluate(f"() => {{ globalThis.page = outlast.unpacked({script_text(encoded(found))}); }}")
        random = Random(7)
        movable = [p for p in found.spec.parameters.values() if p.role.value in ("free", "fixed")]
        points = [
            {p.name: _value(random) for p in movable if random.random() < 0.9 or p.value is None} for _ in range(40)
        ]
        expected = [_expected(found, written) for written in points]
        assert page.evaluate(READ, [{n: number_text(v) for n, v in point.items()} for point in points]) == expected
        assert len({tuple(each["told"]) for each in expected}) > 10


def _value(random: Random) -> Value:
    values: list[Value] = [Fraction(n * SECOND, 4) for n in (40, 80, 120, 121, 200)]
    return random.choice([Sentinel.OFF, Sentinel.INFINITE, *values])


def _expected(found: Reported, written: Mapping[str, Value]) -> dict[str, list[str]]:
    world, ways = found.world(written), ways_of(found.spec)
    firsts = [ends_first(way, world) for way in ways]
    return {
        "marked": sorted(f"{n}.{clock}" for n, first in enumerate(firsts) for clock in first),
        "told": [sentence(way, first, world) for way, first in zip(ways, firsts, strict=True)],
        "shown": [clock_text(clock, world) for way in ways for clock in way.clocks if clock.parameter is None],
    }
