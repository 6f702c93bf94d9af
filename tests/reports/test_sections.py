"""Sections of the page: which clock ends first, histograms, decisions, conflicts, and documents as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from outlast.constraints.measurements.sample import Cell, CellSample, ExactSample, Observations
from outlast.constraints.record import replace
from outlast.reporting import Reported, report_spec
from outlast.reports.document import (
    Entry,
    Fields,
    Listing,
    Paragraph,
    Section,
    Span,
    Table,
    Tone,
    Verbatim,
    Verdict,
    bad,
    code,
    link,
    text,
    whole,
)
from outlast.reports.html import document_markup
from outlast.reports.markup import Markup
from outlast.reports.page import timelines, unguarded
from outlast.reports.page.bins import bins_of
from outlast.reports.page.conflicts import conflicts_section
from outlast.reports.page.decisions import decisions_section
from outlast.reports.page.histograms import measurements_section
from outlast.reports.page.opening import opening_of
from outlast.reports.page.path import path_section
from outlast.reports.page.rules import broken_markup, rule_numbers
from outlast.reports.page.timelines import timelines_section
from outlast.reports.page.unguarded import unguarded_section
from outlast.reports.page.ways import chains_of, ends_first, sentence, ways_of
from outlast.solver.explain import explain_spec
from outlast.solver.limits import Limits
from outlast.solver.mutants import mutate_spec
from reports.reported import reported

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\x1b"
MS = 1_000_000


def spec(folder: Path, words: str) -> Reported:
    path = folder / "outlast.yaml"
    path.write_text(f"outlast: 1\n{words}", encoding="utf-8")
    return reported(path)


class Elements(HTMLParser):
    """The elements of a piece of HTML with their attributes, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


# Documents.


def test_every_block_of_a_document_is_told_and_nothing_hostile_is_markup() -> None:
    spans = tuple(Span(HOSTILE, tone) for tone in Tone)
    document = (
        Verdict(spans),
        Paragraph(spans),
        Fields(((HOSTILE, spans), (spans, spans)), folded=1),
        Table((HOSTILE, ""), ((spans, spans),)),
        Verbatim((spans,)),
        Listing((spans,)),
        Entry(spans, (Section(HOSTILE, (Paragraph(spans),), is_folded=True),)),
    )
    elements = Elements(document_markup(document))
    tags = {tag for tag, _ in elements.found}
    assert not tags & {"script", "img", "a"}
    assert not any(name.startswith(("on", "style")) for _, attributes in elements.found for name in attributes)
    # each span, label and head; a narrow window reads the heads from attributes too
    assert elements.words.count("alert(1)</script>") == 11 * len(Tone) + 3
    assert {"p", "dl", "table", "pre", "li", "h3", "details"} <= tags


def test_only_addresses_of_pages_become_links() -> None:
    document = (Paragraph(text(link("https://a.example/x?b=1&c"), link("javascript:alert(1)"), link('https://a"b'))),)
    links = [attributes["href"] for tag, attributes in Elements(document_markup(document)).found if tag == "a"]
    assert links == ["https://a.example/x?b=1&c"]


def test_a_document_is_laid_out_by_its_blocks() -> None:
    document = (
        Section("why", (Entry(text(code("a")), (Section("deep", ()),)),)),
        Table(("x", "empty", "y"), ((text("1"), (), text(bad("2"))), (text("3"),))),
        Fields((("seen", text("1")), ("spare", text(whole("2")))), folded=1),
    )
    assert document_markup(document) == (
        '<div class="part"><h3>Why</h3><div class="entry"><h4><code>a</code></h4><div class="part"><h5>Deep</h5></div></div></div>'
        '<table class="cards" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">x</th>'
        '<th scope="col" role="columnheader">y</th></tr></thead><tbody role="rowgroup"><tr role="row"><th scope="row" role="rowheader">1</th>'
        '<td role="cell" data-label="y"><strong class="bad">2</strong></td></tr><tr role="row"><th scope="row" role="rowheader">3</th>'
        '<td role="cell" data-label="y" class="empty"></td></tr></tbody></table>'
        '<dl class="fields"><div><dt>spare</dt><dd><span class="whole">2</span></dd></div></dl><details><summary>Numbers, reasons and sources'
        '</summary><dl class="fields"><div><dt>seen</dt><dd>1</dd></div></dl></details>'
    )


def test_lines_of_a_file_stay_lines() -> None:
    document = (Verbatim((text("  a < b"), text(bad("c")))),)
    assert document_markup(document) == "<pre><code>  a &lt; b\nc</code></pre>"


# The path.

PATH = """
components: {{ client: generic.client, nlb: generic.hop, alb: aws.alb, web: generic.server }}
links: [client -> nlb -> alb, alb -> web]
parameters:
  client.pool_idle: {{ fixed: {client} }}
  client.keep_alive: {{ fixed: {awake} }}
  nlb.silent_idle: {{ fixed: {hop} }}
  alb.idle_timeout: {{ fixed: 60s }}
  web.idle_timeout: {{ fixed: 75s }}
"""


@pytest.mark.parametrize(
    ("client", "hop", "awake", "told"),
    [
        ("90s", "50s", "off", "ends after 50s: nlb forgets it first, telling nobody."),
        ("90s", "50s", "50s", "ends after 50s: nlb forgets it first, telling nobody."),
        ("90s", "50s", "49s", "ends after 60s: alb closes it first."),
        ("90s", "70s", "off", "ends after 60s: alb closes it first."),
        ("30s", "50s", "off", "ends after 30s: client closes it first."),
        ("60s", "350s", "off", "ends after 60s: client and alb end it at the same moment."),
        ("infinite", "infinite", "off", "ends after 60s: alb closes it first."),
    ],
)
def test_the_shortest_clock_that_runs_ends_a_connection(
    tmp_path: Path, client: str, hop: str, awake: str, told: str
) -> None:
    found = spec(tmp_path, PATH.format(client=client, hop=hop, awake=awake))
    world = opening_of(found).world
    first, second = ways_of(found.spec)
    assert sentence(first, ends_first(first, world), world) == f"client → nlb → alb: idle, it {told}"
    assert sentence(second, ends_first(second, world), world).endswith("60s: alb closes it first.")


@pytest.mark.parametrize(
    ("client", "hop", "server", "told"),
    [
        ("80s..90s", "50s..100s", "70s", "after 50s, the lower end of 50s to 100s: nlb forgets it first, telling nobody."),
        ("20s..90s", "100s", "70s", "after 70s: web closes it first."),
        ("20s..60s", "100s", "70s", "after 60s, the upper end of 20s to 60s: client closes it first."),
        ("20s..60s", "60s..70s", "60s", "after 60s, the upper end of 20s to 60s at client and the lower end of 60s to 70s at nlb: client, nlb and web end it at the same moment."),
        ("90s", "100s", "70s..80s", "after 70s, the lower end of 70s to 80s: web closes it first."),
    ],
)  # fmt: skip
def test_the_worst_ends_of_intervals_decide_who_is_first(
    tmp_path: Path, client: str, hop: str, server: str, told: str
) -> None:
    words = "components: {{ client: generic.client, nlb: generic.hop, web: generic.server }}\nlinks: [client -> nlb -> web]\nparameters: {{ client.pool_idle: {{ fact: {} }}, nlb.silent_idle: {{ fact: {} }}, web.idle_timeout: {{ fact: {} }} }}\n"
    found = spec(tmp_path, words.format(client, hop, server))
    world = opening_of(found).world
    (way,) = ways_of(found.spec)
    assert sentence(way, ends_first(way, world), world) == f"client → nlb → web: idle, it ends {told}"


def test_marks_stand_at_the_clocks_that_end_first_and_are_words(tmp_path: Path) -> None:
    markup = path_section(spec(tmp_path, PATH.format(client="90s", hop="50s", awake="off")))
    shown = re.findall(r"<code>(\w+)</code></dt><dd><span[^>]*>(\S+?)</span>((?:<strong.*?</strong>)*)", markup)
    marks = {name: re.findall(r"<strong[^>]*data-clock=\"[^\"]*\">(.*?)<", rest) for name, _, rest in shown}
    assert marks["silent_idle"] == ["ends first, client → nlb → alb"]
    assert marks["pool_idle"] == []
    assert marks["idle_timeout"] == []  # of the server; that of the balancer stands before it
    assert markup.count("ends first, alb → web</strong>") - markup.count("hidden>ends first, alb → web</strong>") == 1
    order = [markup.index(f"<h3>{name}</h3>") for name in ("client", "nlb", "alb", "web")]
    assert order == sorted(order)
    assert markup.count("<ol") == 1  # one chain, in which the balancer stands once
    assert markup.count(">passes connections on<") == 1


def test_connections_of_pictures_make_a_path_where_there_are_no_components() -> None:
    found = reported(Path(__file__).parents[2] / "examples/silent-nlb/before.yaml")
    (chain,) = chains_of(ways_of(found.spec))
    assert [way.label for way in chain] == ["nlb → alb", "alb → apache"]
    markup = path_section(found)
    assert (
        '<p class="first" data-way="0">nlb → alb: idle, it ends after 350s: nlb forgets it first, telling nobody.'
        in markup
    )
    assert "passes connections on" in markup.partition("<h3>nlb</h3>")[2].partition("</li>")[0]


def test_branches_and_circles_show_each_connection_once(tmp_path: Path) -> None:
    components = ", ".join(f"{name}: generic.load-balancer" for name in ("a", "b", "c", "x", "e", "f"))
    found = spec(tmp_path, f"components: {{ {components} }}\nlinks: [b -> c, a -> b, b -> x, e -> f, f -> e]\n")
    chains = [[way.label for way in chain] for chain in chains_of(ways_of(found.spec))]
    assert sorted(label for chain in chains for label in chain) == ["a → b", "b → c", "b → x", "e → f", "f → e"]
    assert ["a → b"] in chains  # it branches at b
    assert ["b → c"] in chains
    assert ["e → f", "f → e"] in chains


def test_a_spec_without_connections_claims_no_order(tmp_path: Path) -> None:
    words = "parameters: { a.x: { fixed: 1s }, a.y: { fixed: 2s }, z: { fixed: 3s }, b.unused: { fixed: 1s } }\nrules: { r: { require: a.x < a.y < z } }\n"
    elements = Elements(path_section(spec(tmp_path, words)))
    assert elements.words.startswith("Components")
    assert "ends" not in elements.words
    assert "unused" not in elements.words  # no rule speaks of it
    assert elements.words.index("others") > elements.words.index("a")


# Measurements.


@pytest.mark.parametrize("numbers", [[0], [5], [1, 1, 2], [0, 1, 10**12], [100, 101, 101, 107], list(range(1, 2000))])
def test_single_values_are_counted_where_they_lie(numbers: list[int]) -> None:
    sample = ExactSample(numbers, Fraction(MS))
    bins = bins_of(sample)
    assert not bins.is_open
    assert sum(bar.most for bar in bins.bars) == len(numbers)
    for bar in bins.bars:
        low, high = bins.edges[bar.first], bins.edges[bar.last + 1]
        inside = [n for n in numbers if low < n * MS <= high or (bar.first == 0 and n * MS == low)]
        assert (bar.least, bar.most) == (len(inside), len(inside))
        assert bar.height * (bar.last - bar.first + 1) == len(inside)


def test_a_cell_is_drawn_over_its_own_span_and_one_without_end_to_the_end() -> None:
    cells = [
        Cell(Fraction(0), Fraction(5 * MS), 4),
        Cell(Fraction(5 * MS), Fraction(10 * MS), 30),
        Cell(Fraction(10 * MS), None, 2),
    ]
    bins = bins_of(CellSample(cells))
    spans = [(bins.edges[bar.first] / MS, bar.last, bar.most) for bar in bins.bars]
    assert bins.is_open
    assert [(str(low), most) for low, _, most in spans] == [("0", 4), ("5", 30), ("10", 2)]
    assert [bar.height for bar in bins.bars] == [4, 10, Fraction(2, bins.number - bins.bars[2].first)]
    assert [str(edge / MS) for edge in bins.edges[1:5]] == ["5", "63/10", "8", "10"]


def test_cells_that_cross_an_edge_may_lie_on_both_sides() -> None:
    bins = bins_of(CellSample([Cell(Fraction(99, 100), Fraction(101, 100), 5), Cell(Fraction(1), Fraction(12, 10), 3)]))
    assert [(bar.least, bar.most, bar.height) for bar in bins.bars] == [(0, 5, Fraction(5, 2)), (3, 8, Fraction(11, 2))]


def test_values_stand_within_their_bins() -> None:
    bins = bins_of(ExactSample([n * n for n in range(1, 400)], Fraction(MS)))
    for n, (low, high) in enumerate(zip(bins.edges, bins.edges[1:], strict=False)):
        assert bins.place((low + high) / 2) == n + Fraction(1, 2)
        assert bins.place(high) == n + 1


MEASURED = """
measurements:
  rtt: { samples: rtt.csv, unit: ms, taken: 2026-10-20, lost: 1, owner: net }
  idle: { samples: rtt.csv, unit: ms }
parameters: { ping: { fixed: 9s }, least: { fixed: 1ms } }
rules:
  long: { require: p99(rtt) < ping }
  longer: { require: p99(rtt) * 2 < ping }
  short: { require: least < p50(rtt) }
"""


def measured(folder: Path) -> Reported:
    (folder / "rtt.csv").write_text("\n".join(str(n) for n in range(1, 1000)), encoding="utf-8")
    return spec(folder, MEASURED)


def test_a_measurement_tells_the_quantiles_that_rules_use(tmp_path: Path) -> None:
    found = measured(tmp_path)
    sample = found.spec.measurements["rtt"].sample
    assert isinstance(sample, Observations)
    upper, lower = sample.upper(Fraction(99, 100), Fraction(95, 100)), sample.lower(Fraction(1, 2), Fraction(95, 100))
    markup = measurements_section(found)
    words = Elements(markup).words
    assert f"p99990msat most {upper // MS}mslong, longer" in words
    assert f"p50500msat least {lower // MS}msshort" in words
    assert "1000, 1 of them lost" in words
    assert "2026-10-20, 41 days ago" in words
    assert words.count("No rule uses it.") == 1
    assert words.index("idle") < words.index("rtt")


@pytest.mark.parametrize(
    ("numbers", "labels", "bins"),
    [
        (range(1, 21), "1ms 35.43, 10ms 309.71, 2ms 117.71, 5ms 227.43, 20ms 381.4, 3.2ms 172.57", ("5ms to 6.3ms", "10ms to 12.5ms", "12.5ms to 16ms")),
        ([1, 500, 10**5], "1ms 32, 10ms 104, 100ms 176, 1s 248, 10s 320, 100s 381.4", ("500us to 1ms", "200ms to 500ms")),
        (range(100, 121), "100ms 42.91, 104ms 112.73, 108ms 182.55, 112ms 252.36, 116ms 322.18, 120ms 378.3", ("98ms to 100ms", "118ms to 120ms")),
    ],
)  # fmt: skip
def test_bins_end_at_preferred_numbers_or_even_steps_and_the_roundest_are_told(
    tmp_path: Path, numbers: Sequence[int], labels: str, bins: tuple[str, ...]
) -> None:
    (tmp_path / "rtt.csv").write_text("\n".join(map(str, numbers)), encoding="utf-8")
    markup = measurements_section(spec(tmp_path, "measurements: { rtt: { samples: rtt.csv, unit: ms } }\n"))
    told = re.findall(r'<text x="([\d.]+)" y="\d+" text-anchor="middle">(.*?)<', markup)
    assert ", ".join(f"{words} {x}" for x, words in told) == labels
    assert set(bins) <= set(re.findall(r"<title>from (.*?):", markup))


def test_labels_of_a_histogram_overlap_neither_each_other_nor_a_line(tmp_path: Path) -> None:
    (tmp_path / "rtt.csv").write_text("\n".join(str(n) for n in range(1000, 2000)), encoding="utf-8")
    many = "".join(
        f"  r{n}: {{ require: p{n}(rtt) < ping }}\n  s{n}: {{ require: least < p{n}(rtt) }}\n" for n in range(2, 99, 8)
    )
    found = spec(tmp_path, MEASURED + many)
    picture = re.findall(r"<svg.*?</svg>", measurements_section(found))[1]
    marks = re.findall(
        r'class="quantile \w+"><line x1="([\d.]+)" x2="[\d.]+" y1="([\d.]+)" y2="\d+"></line>'
        r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>',
        picture,
    )
    assert len(marks) == 3 * 13 + 2
    left = float(re.findall(r'viewBox="(-?\d+)', picture)[0])
    boxes = [
        (float(end) - 5.8 * len(words.replace("&lt;", "<")), float(end), float(y), float(x), float(top))
        for x, top, end, y, words in marks
    ]
    for n, (start, end, y, _, _) in enumerate(boxes):
        assert start > left
        for m, (other_start, other_end, other_y, x, top) in enumerate(boxes):
            if n != m:
                assert not (start < other_end and other_start < end and abs(y - other_y) < 10)
                assert not (start < x - 1 < end - 1 and top < y - 10), "a line goes through a label"


# Decisions, conflicts, what is unguarded.

DECIDED = """
parameters:
  slo: {{ fixed: 10s, why: agreed, owner: pay, reviewed: 2026-11-01, review_by: 2026-12-01, source: "https://a.example/slo" }}
  late: {{ fixed: 4s, why: "{hostile}", owner: "{hostile}", review_by: 2026-11-29, source: "javascript:alert(1)" }}
  pods: {{ fact: 1..4 }}
  free: {{ free: 1s..9s, current: 2s }}
rules:
  a: {{ require: free < slo, margin: 20%, why: room, owner: ops }}
  b: {{ require: pods * late < 100s }}
ignore:
  a: {{ why: for now, until: 2027-01-01 }}
"""


def test_decisions_tell_value_reason_owner_and_age(tmp_path: Path) -> None:
    found = spec(tmp_path, DECIDED.format(hostile="<script>alert(1)</script>"))
    markup = decisions_section(found)
    elements = Elements(markup)
    rows = [re.sub(r"\s+", " ", Elements(row).words) for row in re.findall(r"<tr.*?</tr>", markup)]
    assert any("slo" in row and "10s" in row and "2026-11-01, 29 days ago" in row and "pay" in row for row in rows)
    assert [row for row in rows if "overdue" in row] == [row for row in rows if row.startswith("late")] != []
    assert any(row.startswith("pods") and "1..4" in row and "nobody" in row for row in rows)
    assert any(row.startswith("a") and "20%" in row and "ops" in row for row in rows)
    assert any("ignored until 2027-01-01" in row and "for now" in row for row in rows)
    assert [a["href"] for tag, a in elements.found if tag == "a"] == ["https://a.example/slo"]
    assert "free" not in [row.split()[0] for row in rows]  # nobody decided it
    assert not {"script"} & {tag for tag, _ in elements.found}


def test_the_last_day_to_review_is_not_yet_overdue(tmp_path: Path) -> None:
    found = spec(
        tmp_path, "parameters: { a: { fixed: 1s, review_by: 2026-11-30 } }\nrules: { r: { require: a < 2s } }\n"
    )
    assert "overdue" not in decisions_section(found)
    assert "overdue" in decisions_section(replace(found, today=date(2026, 12, 1)))


def test_what_was_reviewed_long_ago_is_old_and_not_overdue(tmp_path: Path) -> None:
    words = "parameters: {{ a: {{ fixed: 1s, reviewed: {day} }} }}\nrules: {{ r: {{ require: a < 2s }} }}\n"
    for day, is_old in (("2025-11-29", True), ("2025-11-30", False), ("2026-12-01", False)):
        told = Elements(decisions_section(spec(tmp_path, words.format(day=day)))).words
        assert told.endswith("old") is is_old
        assert "overdue" not in told


def test_defaults_stand_apart_from_decisions(tmp_path: Path) -> None:
    found = spec(tmp_path, PATH.format(client="90s", hop="50s", awake="off"))
    decided, _, defaults = decisions_section(found).partition("Nobody decided these")
    assert "alb.check_interval" not in decided
    assert "alb.check_interval" in defaults
    assert "keep_awake" not in decided  # the balancer has nothing of the sort, and nobody said so


def test_only_the_first_ways_out_are_in_sight() -> None:
    found = reported(Path(__file__).parents[2] / "examples/silent-nlb/before.yaml")
    limits = Limits.starting_now(10)
    account = explain_spec(found.spec, found.rules, current=True, limit=10, limits=limits)
    total = len(account.groups[0].repairs)
    markup = conflicts_section(replace(found, account=account))
    shown, _, folded = markup.partition(f"<summary>{total - 2} more ways out</summary>")
    assert [words in shown for words in (f"way 1 of {total}", f"way 2 of {total}", f"way 3 of {total}")] == [
        True,
        True,
        False,
    ]
    assert f"way {total} of {total}" in folded
    levels = [int(tag[1]) for tag, _ in Elements(markup).found if re.fullmatch(r"h\d", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_where_conflicts_or_ways_out_are_left_out_the_page_names_the_command_that_tells_them() -> None:
    found = reported(Path(__file__).parents[2] / "examples/silent-nlb/before.yaml")
    found = replace(found, spec=replace(found.spec, overrides=("a = 5s",), root=Path("b c")))
    told = []
    for limit in (1, None):
        limits = Limits.starting_now(10)
        account = explain_spec(found.spec, found.rules, current=True, limit=limit, limits=limits)
        told.append(Elements(conflicts_section(replace(found, account=account))).words)
    command = (
        f"outlast explain --current --set 'a = 5s' --root 'b c' {found.spec.path} tells all conflicts and all ways out"
    )
    assert [command in words for words in told] == [True, False]


def test_of_many_broken_rules_the_first_three_are_named_and_some_pictures_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(count: int) -> tuple[str, Markup]:
        rules = "\n".join(f"  r{n}: {{ require: a < {n}s }}" for n in range(1, count + 1))
        found = spec(tmp_path, f"parameters: {{ a: {{ fixed: 9s }} }}\nrules:\n{rules}\n")
        opening = opening_of(found)
        return Elements(broken_markup(found, opening, {}, [])).words, timelines_section(found, opening)

    assert told(3)[0] == "r1r2r3"
    words, pictures = told(8)
    assert words == "r1r2r3 and 5 more"
    assert ('<details class="bars" open>' in pictures, pictures.count("<svg")) == (True, 8)
    monkeypatch.setattr(timelines, "_MOST_DRAWN", 2)
    words, pictures = told(9)
    assert ('<details class="bars">' in pictures, pictures.count("<svg")) == (True, 2)


def test_of_many_pictures_those_of_broken_rules_are_drawn_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def each(told: str) -> str:
        return "\n".join(f"  {told.format(n, 8 if n == 3 else 20 + n)}" for n in range(1, 5))

    rules, pictures = (
        each("r{0}: {{ require: a < {1}s, picture: p{0} }}"),
        each("p{0}: {{ shape: idle, client: a, server: {1}s }}"),
    )
    found = spec(tmp_path, f"parameters: {{ a: {{ fixed: 9s }} }}\nrules:\n{rules}\npictures:\n{pictures}\n")
    monkeypatch.setattr(timelines, "_MOST_DRAWN", 2)
    drawn = re.findall(
        r'data-number="(\d)"(?: open)?>(?:(?!<details).)*<svg', timelines_section(found, opening_of(found))
    )
    assert drawn == ["0", "2"]


@pytest.mark.parametrize(("count", "limit"), [(4, 10), (5, 1)])
def test_where_more_than_a_few_rules_are_broken_one_conflict_and_one_way_out_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, limit: int
) -> None:
    asked: list[int] = []
    monkeypatch.setattr("outlast.solver.explain.explain_spec", lambda *_, limit, **__: asked.append(limit))
    rules = "\n".join(f"  r{n}: {{ require: a > {n}s }}" for n in range(1, 6))
    found = spec(tmp_path, f"parameters: {{ a: {{ free: 1s..9s, current: {6 - count}s }} }}\nrules:\n{rules}\n")
    report_spec(found.spec, found.rules, today=found.today, limits=Limits.starting_now(10))
    assert asked == [limit]


def test_where_nothing_is_broken_the_sections_say_so(tmp_path: Path) -> None:
    found = spec(tmp_path, "parameters: { a: { fixed: 1s } }\nrules: { r: { require: a < 2s } }\n")
    assert "the rule holds at the values in use" in conflicts_section(found)
    assert "nobody asked" in unguarded_section(found)
    assert measurements_section(found) == ""


def test_a_long_page_tells_which_slips_nobody_notices_and_where_the_rest_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "parameters: { a: { free: 1s..9s, current: 1s }, b: { free: 1s..9s, current: 3s } }\nrules: { r: { require: a < b } }\n"
    found = spec(tmp_path, words)
    mutated = mutate_spec(found.spec, found.rules, facts=False, limits=Limits.starting_now(10))
    told = [Elements(unguarded_section(replace(found, mutated=mutated))).words]
    monkeypatch.setattr(unguarded, "_MOST_TOLD", 1)
    told.append(Elements(unguarded_section(replace(found, mutated=mutated))).words)
    assert ["tells of each of 2 numbers who notices what" in each for each in told] == [False, True]
    assert len(told[1]) < len(told[0])
    assert [(each.count("and no rule notices"), "and 1 more: b high" in each) for each in told] == [
        (2, False),
        (1, True),
    ]


def test_what_is_broken_comes_first_and_bounds_of_software_that_are_kept_last(tmp_path: Path) -> None:
    words = "components: {{ lb: aws.alb }}\nparameters: {{ lb.check_interval: {{ fixed: {} }}, z: {{ fixed: 9s }} }}\nrules: {{ kept: {{ require: z < 10s }}, wrong: {{ require: z < 2s }}, idle: {{ require: z < 3s, when: z > 90s }} }}\n"
    orders = []
    for interval in ("30s", "301s"):
        found = spec(tmp_path, words.format(interval))
        orders.append([*rule_numbers(found, opening_of(found))])
    relation = "lb/alb-check-timeout-below-interval@lb"
    assert orders[0][:5] == ["wrong", "kept", relation, "idle", "lb.check_interval.max"]
    assert orders[1][:5] == ["lb.check_interval.max", "wrong", "kept", relation, "idle"]
