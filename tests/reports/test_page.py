"""The page as a document: its policy, what it opens with, sliders, and how large it becomes."""

from __future__ import annotations

import base64
import hashlib
import re
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.constraints.evaluate import Special
from outlast.constraints.quantities import Sentinel
from outlast.constraints.record import replace
from outlast.reports.page.controls import controls_of
from outlast.reports.page.opening import opening_of
from outlast.reports.page.page import page_text, script, style
from outlast.reports.page.rules import standing
from outlast.reports.page.scale import Scale
from outlast.solver.outcome import ParameterResult
from reports.reported import reported

SPEC = """
outlast: 1
title: Two clocks
parameters:
  client: { free: 1s..2h, step: 1s, current: 50s, source: "https://a.example/?x=1&y=2" }
  server: { free: 0s..9s, step: 1s, zero: infinite, source: "javascript:alert(1)" }
  deadline: { fixed: 10s }
rules:
  closes-first: { require: client < server, source: "data:text/html,x" }
  in-time: { require: client < deadline, breaks: all of them wait }
"""


def path_of(folder: Path, words: str = SPEC) -> Path:
    path = folder / "outlast.yaml"
    path.write_text(words, encoding="utf-8")
    return path


class Read(HTMLParser):
    """The attributes of each element, and what stands in scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inline: dict[str, str] = {}
        self._last = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._last = tag if dict(attrs).get("type") != "application/json" else ""

    def handle_endtag(self, tag: str) -> None:
        self._last = ""

    def handle_data(self, data: str) -> None:
        if self._last in ("script", "style"):
            self.inline[self._last] = self.inline.get(self._last, "") + data


def test_the_policy_allows_this_script_and_this_style_and_nothing_else(tmp_path: Path) -> None:
    read = Read(page_text(reported(path_of(tmp_path))))
    (policy,) = [a["content"] or "" for tag, a in read.elements if a.get("http-equiv") == "Content-Security-Policy"]
    directives = {name: rest for name, _, rest in (each.strip().partition(" ") for each in policy.split(";"))}
    hashes = {
        key: f"'sha256-{base64.b64encode(hashlib.sha256(words.encode()).digest()).decode()}'"
        for key, words in read.inline.items()
    }
    assert directives == {
        "default-src": "'none'", "script-src": hashes["script"], "style-src": hashes["style"], "img-src": "data:",
        "base-uri": "'none'", "form-action": "'none'",
    }  # fmt: skip
    names = {name for _, attributes in read.elements for name in attributes}
    assert not [name for name in names if name.startswith("on") or name in ("style", "srcdoc", "ping")]
    loading = [a for tag, a in read.elements if "src" in a or (tag == "link" and a.get("href") != "data:,")]
    assert loading == []


def test_only_addresses_of_the_web_are_links_out(tmp_path: Path) -> None:
    read = Read(page_text(reported(path_of(tmp_path))))
    links = [a for tag, a in read.elements if tag == "a" and not (a["href"] or "").startswith("#")]
    assert {a["href"] for a in links} == {"https://a.example/?x=1&y=2"}
    assert {a["rel"] for a in links} == {"noopener noreferrer"}


def test_ids_are_unique_and_links_inside_lead_somewhere(tmp_path: Path) -> None:
    read = Read(page_text(reported(path_of(tmp_path))))
    ids = [a["id"] for _, a in read.elements if "id" in a]
    assert len(ids) == len(set(ids))
    referred = {
        id_ for _, a in read.elements for key in ("aria-labelledby", "aria-describedby") for id_ in (a.get(key) or "").split()
    }  # fmt: skip
    referred |= {(a["href"] or "")[1:] for tag, a in read.elements if tag == "a" and (a["href"] or "").startswith("#")}
    assert referred <= set(ids)


def test_the_way_around_calls_sections_by_their_headings_and_headings_skip_no_level(tmp_path: Path) -> None:
    text = page_text(reported(path_of(tmp_path)))
    links = re.findall(r'<a href="#(\w+)">([^<]*)</a>', text.partition("<nav")[2].partition("</nav>")[0])
    assert [(id_, words) for id_, words in re.findall(r'<section id="(\w+)"><h2>(.*?)</h2>', text)] == links
    assert [id_ for id_, _ in links][1:4] == ["path", "timelines", "parameters"]
    levels = [int(level) for level in re.findall(r"<h(\d)>", text)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_a_page_opens_with_values_in_use_or_recommended_or_known(tmp_path: Path) -> None:
    found = reported(path_of(tmp_path))
    assert opening_of(found).whose == "known"
    assert standing(found, opening_of(found)) == "1 of 2 rules is broken, 1 has no value"
    best = {
        name: ParameterResult(parameter=p, value=Fraction(0) if name == "server" else p.value or Fraction(5 * 10**9))
        for name, p in found.spec.parameters.items()
    }
    solved = replace(found, solved=replace(found.solved, parameters=best))
    opening = opening_of(solved)
    assert (opening.whose, opening.written["server"]) == ("recommended", Fraction(0))
    assert opening.world.values["server"] is Sentinel.INFINITE
    verdict = opening.verdicts["closes-first"]
    assert verdict is not None
    assert verdict.decisive is not None
    assert verdict.decisive.right is Special.PLUS
    assert standing(solved, opening) == "both rules hold"
    server = replace(found.spec.parameters["server"], current=Fraction(3 * 10**9))
    known = replace(solved, spec=replace(found.spec, parameters={**found.spec.parameters, "server": server}))
    assert opening_of(known).whose == "in use"


@given(st.integers(0, 3000), st.integers(1, 10**13), st.sampled_from([0, 1, 2, 50, 1000]), st.fractions(0, 1))
def test_sliders_stand_on_whole_steps_from_end_to_end(low: int, more: int, stride: int, part: Fraction) -> None:
    scale = Scale(step=Fraction(1, 3), low=low, high=low + more, stride=stride)
    position = int(scale.last * part)
    value = scale.value(position)
    assert (value / scale.step).denominator == 1
    assert scale.position(value) == position
    assert (scale.value(0), scale.value(scale.last)) == (scale.step * low, scale.step * (low + more))
    if position < scale.last:
        assert value < scale.value(position + 1)
        between = value + (scale.value(position + 1) - value) / 2
        assert scale.position(between) == position
        assert scale.share(value) <= scale.share(between) <= scale.share(scale.value(position + 1))
    assert (scale.share(scale.value(0)), scale.share(scale.value(scale.last))) == (0, 10_000)


@pytest.mark.parametrize(
    ("words", "low", "high", "is_even"),
    [
        ("free: 1s..60s, step: 100ms, current: 5s", "1s", "60s", True),
        ("free: 1ms..1h, step: 1ms", "1ms", "1h", False),
        ("free: 0s..9s, step: 1s, zero: off", "1s", "9s", True),
        ("free: 2s.., step: 1s, current: 30s", "2s", "60s", True),
        ("free: 2s.., step: 1s", "2s", "12s", True),
        ("free: 1s..10s, step: 1s, current: 42s", "1s", "42s", True),
        ("fixed: 10s, step: 1s", "0s", "20s", True),
    ],
)
def test_a_slider_spans_the_domain_and_all_that_is_known(tmp_path: Path, words: str, low: str, high: str, is_even: bool) -> None:  # fmt: skip
    found = reported(
        path_of(tmp_path, f"outlast: 1\nparameters: {{ a: {{ {words} }} }}\nrules: {{ r: {{ require: a < 9h }} }}\n")
    )
    (control,) = controls_of(found)
    assert control.scale is not None
    units = {"ms": 10**6, "s": 10**9, "h": 3600 * 10**9}
    ends = [int(re.sub(r"\D", "", end)) * units[re.sub(r"\d", "", end)] for end in (low, high)]
    assert [control.scale.value(0), control.scale.value(control.scale.last)] == ends
    assert bool(control.scale.stride) == is_even


def test_a_page_of_500_rules_is_below_two_megabytes(tmp_path: Path) -> None:
    count = 100
    parameters = "\n".join(
        f"  hop{n}.idle_timeout: {{ free: 1s..1h, current: {60 + n}s, why: hop {n} waits }}" for n in range(count + 1)
    )
    rules = "\n".join(
        f"  hop{n}-outlasts: {{ require: hop{n}.idle_timeout + {n}ms < 2 * hop{n + 1}.idle_timeout, why: {'as it is ' * 8}, breaks: {'requests fail ' * 5}}}"
        for n in range(count)
    )  # fmt: skip
    found = reported(path_of(tmp_path, f"outlast: 1\nparameters:\n{parameters}\nrules:\n{rules}\n"))
    assert len(found.rules) == count
    always = len(script().encode()) + len(style().encode())
    assert always + (len(page_text(found).encode()) - always) * 500 / count < 1_600_000
