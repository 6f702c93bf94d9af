"""The page in a browser: nothing is wrong in its console, what moves is judged as check judges it, and everybody can read it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from outlast.constraints.check import CheckOutcome, FindingKind
from outlast.constraints.evaluate import judge
from outlast.constraints.model import Role, Spec
from outlast.constraints.normal import normalise
from outlast.constraints.quantities import Sentinel, Value, value_text
from outlast.constraints.record import replace
from outlast.reporting import Reported
from outlast.reports.check_data import check_data
from outlast.reports.data import verdict_data
from outlast.reports.markup import forward
from outlast.reports.page.controls import Control, controls_of
from outlast.reports.page.encoding import number_text
from outlast.reports.page.page import page_text, style
from outlast.reports.wording import about_percent, about_text
from outlast.solver.audit import audit, value_in_use
from outlast.solver.outcome import End, ParameterResult, Range
from reports.reported import reported

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

ROOT = Path(__file__).parents[2]
EXAMPLES = ("dead-connection", "silent-nlb", "web-on-kubernetes", "zero-502-deploy")
#: Of one value, and of several.
STEPS = ("value is off its step", "values are off their steps")
OUTSIDE = ("value is outside its domain", "values are outside their domains")
ATTRIBUTES = ("holds", "applies", "left", "right", "slack", "headroom", "score", "margin_kept")

#: Every rule's row and every value that the page shows, at positions of sliders and choices that are set as a reader sets them.
MOVE = """
(moves) => JSON.stringify(moves.map((move) => {
  for (const [name, [part, value]] of Object.entries(move)) {
    const card = [...document.querySelectorAll(".parameter")].find((each) => each.dataset.parameter === name);
    const input = card.querySelector(`[data-part="${part}"]`);
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const rows = [...document.querySelectorAll("[data-rule]")];
  const values = [...document.querySelectorAll("#parameters [data-value]")];
  return {
    rules: Object.fromEntries(rows.map((row) => [row.dataset.rule, { ...row.dataset }])),
    values: Object.fromEntries(values.map((each) => [each.dataset.value, each.textContent])),
    positions: Object.entries(move).filter(([, [part]]) => part === "slider").map(([name]) =>
      [...document.querySelectorAll(".parameter")].find((each) => each.dataset.parameter === name).querySelector("input[type=range]").value),
  };
}))
"""
#: Every rule's row at values that are given as texts.
SHOW = """
(points) => JSON.stringify(points.map((texts) => {
  const refused = outlast.show(texts);
  return [refused, Object.fromEntries([...document.querySelectorAll("[data-rule]")].map((row) => [row.dataset.rule, { ...row.dataset }]))];
}))
"""
#: All that a reader reads or a test looks at, but for pictures, which are drawn anew to fit.
STILL = """
() => [...document.querySelectorAll("body *:not(script)")].filter((each) => !each.closest(".figure, .parameter .inputs"))
  .map((each) => [each.tagName, each.className.baseVal ?? each.className, ...["data-state", "width", "x", "hidden"].map((name) => each.getAttribute(name)),
    each.value ?? "", [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent).join("")].join("|"))
"""
WIDER = "() => [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('.unseen, .skip, .rules thead, .which, .figure')).map((each) => each.outerHTML.slice(0, 120))"
#: Pairs of lines of text, and of inputs, whose boxes overlap.
OVERLAPS = """
() => {
  const shown = (each) => each.checkVisibility() && !each.closest(".status, .skip, .unseen, thead, script, style, option");
  const boxes = [...document.querySelectorAll("input, select, button, svg.bar")].filter(shown).map((each) => [each.outerHTML, each.getBoundingClientRect()]);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (!text.textContent.trim() || !shown(text.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) boxes.push([text.textContent, box]);
  }
  boxes.sort(([, one], [, other]) => one.top - other.top);
  const found = [];
  boxes.forEach(([words, box], at) => {
    for (const [others, other] of boxes.slice(at + 1)) {
      if (other.top >= box.bottom - 4) break;
      if (box.left < other.right - 1 && other.left < box.right - 1 && words !== others) found.push([words.slice(0, 80), others.slice(0, 80)]);
    }
  });
  return found;
}
"""

#: Every state of a rule, and every sort of control and of value.
MIXED = """
outlast: 1
title: Mixed values
parameters:
  a.keep_alive: { free: 1ms..2h, step: 1ms, current: 75s, zero: infinite, why: log scale, owner: web, source: https://example.org/a }
  a.choice: { free: [2s, 5s, 30s, infinite], current: 5s }
  a.ratio: { free: 1%..90%, step: 1%, current: 20% }
  a.rate: { fixed: 100/s }
  a.count: { free: 1..9, current: 3 }
  a.open: { free: 2s.., step: 1s, current: 30s }
  a.unknown: { free: 1s..9s }
  a.found: { free: 1s..9s }
  a.off_step: { free: 1s..9s, step: 1s, current: 2500ms }
  a.outside: { free: 1s..9s, step: 1s, current: 42s }
  b.off: { fixed: off }
  b.pods: { fact: 40..400, why: autoscaler }
  b.derived: { derived: a.keep_alive * 2 + 1s, why: computed }
pictures:
  not-known: { shape: idle, client: a.unknown, server: a.open }
  below-zero: { shape: idle, client: a.open - 60s, server: a.choice }
rules:
  margin-missed: { require: a.choice < 6s, margin: 50%, breaks: it is tight }
  equal: { require: a.choice <= 5s, picture: below-zero }
  equal-strict: { require: a.choice < 5s, breaks: both ends close at once }
  not-there: { require: b.off < 9s }
  needs: { require: b.off < 9s, needs_on: [b.off], breaks: dead connections are never found }
  unknown: { require: a.unknown < a.open }
  found: { require: a.found < a.open }
  rates: { require: b.pods / a.open < a.rate, level: should }
  long: { require: b.derived + a.open * 3 < 400s and a.ratio < 50% or a.outside > 99s, why: a long one }
  condition: { require: a.keep_alive is infinite or a.open < 9h }
  thirds: { require: a.count / 7 < 3 }
  "9": { require: a.count < 2 }
  "10": { require: a.count < 3 }
"""

#: Everything that makes a value odd, or keeps it from being so: domains, lists, steps, what a product takes, and what nobody has set.
ODD = """
outlast: 1
components: { pool: hikaricp, lb: aws.alb }
parameters:
  stepped: { free: 100ms..10s, step: 100ms, current: 1s }
  open: { free: 2s.., step: 1s, current: 3s }
  anything: { free: any, step: 1s, current: 3s }
  zero: { free: 0s..9s, step: 1s, zero: off, current: 1s }
  listed: { free: [1s, 5s, off], zero: off, current: 5s }
  fixed: { fixed: 10s, step: 1s }
  pool.connection_timeout: { fixed: 30s }
  pool.idle_timeout: { free: 1s..9min, step: 1s }
  lb.idle_timeout: { free: 1s..4000s, step: 1s, current: 60s }
rules:
  r: { require: stepped + open + anything + zero + listed + fixed < 9h }
"""

#: At values that are given as texts: what the page says first, and by name what it says beside each value that is odd.
SAY = """
(points) => JSON.stringify(points.map((texts) => {
  outlast.show(texts);
  const odd = [...document.querySelectorAll(".parameter[data-odd='true']")];
  return [document.querySelector("[data-part=standing]").textContent.split("; ").slice(1), document.querySelector("[data-part=status]").dataset.state,
    Object.fromEntries(odd.map((card) => [card.dataset.parameter, card.querySelector(".remark").textContent]))];
}))
"""

#: Two pictures, of which the second does not apply, and a rule as bars.
IDLE = """
outlast: 1
parameters: { client: { fixed: 10s }, server: { fixed: 20s }, hop: { free: [off, 5s, 60s], current: off } }
pictures:
  always: { shape: idle, client: client, server: server }
  sometimes: { shape: idle, hops: hop, server: server }
rules:
  one: { require: client < server, picture: always }
  two: { require: hop < server, picture: sometimes }
  bars: { require: client < 1h }
"""

HOSTILE = """
outlast: 1
title: "<script>alert(1)</script><img src=x onerror=alert(2)>"
parameters:
  __proto__: { free: 1s..60s, current: 5s, why: "</script><script>alert(3)</script><!--", source: "javascript:alert(4)", owner: "<img src=x onerror=alert(5)>" }
  constructor: { fixed: 9s, why: "]]>&lt;b&gt;\\u202E" }
  hasOwnProperty: { derived: __proto__ * 2, why: "<svg onload=alert(6)>" }
measurements: {}
rules:
  "toString":
    require: __proto__ + 1s < constructor
    why: "<b onclick=alert(7)>x</b>"
    breaks: "<iframe src=javascript:alert(8)></iframe>"
    source: "https://example.org/\\"onmouseover=alert(9)"
  valueOf: { require: hasOwnProperty < 100s, why: "${alert(10)}" }
"""


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens pages; nothing may be in their consoles in the end."""
    opener = Opener(browser, tmp_path)
    yield opener
    opener.close()


class Opener:
    """Writes pages and opens them in the browser."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser, self._folder = browser, folder
        self._wrong: list[str] = []
        self._pages: list[Page] = []

    def __call__(self, found: Reported, **context: Any) -> Page:
        file = self._folder / "page.html"
        file.write_text(page_text(found), encoding="utf-8")
        page = self._browser.new_context(**context).new_page()
        self._pages.append(page)
        page.on("pageerror", lambda error: self._wrong.append(str(error)))
        page.on("console", lambda told: self._wrong.append(told.text))
        page.on("dialog", self._alerted)
        page.on("request", lambda request: self._asked(request.url, file.as_uri()))
        page.goto(file.as_uri())
        return page

    def _alerted(self, dialog: Dialog) -> None:
        self._wrong.append(dialog.message)
        dialog.dismiss()

    def _asked(self, url: str, own: str) -> None:
        if url.split("#")[0] != own and not url.startswith("data:"):
            self._wrong.append(url)

    def close(self) -> None:
        """Ends all of them."""
        for page in self._pages:
            page.context.close()
        assert self._wrong == []


def example(name: str, spec: str = "before") -> Reported:
    return reported(ROOT / "examples" / name / f"{spec}.yaml")


def written(folder: Path, words: str) -> Reported:
    path = folder / "outlast.yaml"
    path.write_text(words, encoding="utf-8")
    return reported(path)


@pytest.mark.parametrize("name", EXAMPLES)
def test_rows_are_what_check_says_wherever_the_sliders_stand(opened: Opener, name: str) -> None:
    found = example(name)
    controls, random = controls_of(found), Random(name)
    moves = [_moves(controls, random) for _ in range(10)]
    page = opened(found)
    shown = json.loads(page.evaluate(MOVE, [{n: told for n, (told, _) in move.items()} for move in moves]))
    broken = set()
    for move, told in zip(moves, shown, strict=True):
        data: Any = _checked(found.spec, {name: value for name, (_, value) in move.items()})
        assert _numbers(told["rules"]) == _attributes(data["rules"])
        values = {n: str(p["value"]) for n, p in data["parameters"].items() if n in told["values"]}
        assert told["values"] == {n: "no value" if v == "None" else v for n, v in values.items()}
        assert told["positions"] == [value for (part, value), _ in move.values() if part == "slider"]
        is_broken = {id_ for id_, rule in data["rules"].items() if rule["applies"] and not rule["holds"]}
        assert {id_ for id_, row in told["rules"].items() if row["state"] == "broken"} == is_broken
        broken |= is_broken
    assert broken


@pytest.mark.parametrize("name", EXAMPLES)
def test_rows_are_what_rules_come_to_at_200_positions_of_sliders(opened: Opener, name: str) -> None:
    found = example(name)
    controls, random = controls_of(found), Random(f"{name} again")
    kinds = {control.parameter.name: control.parameter.kind for control in controls}
    points = [{name: value for name, (_, value) in _moves(controls, random).items()} for _ in range(200)]
    texts = [{name: value_text(value, kinds[name]) for name, value in point.items()} for point in points]
    for point, (refused, rows) in zip(points, json.loads(opened(found).evaluate(SHOW, texts)), strict=True):
        world = found.world(point)
        assert not refused
        assert _numbers(rows) == _attributes({i: verdict_data(judge(rule, world)) for i, rule in found.rules.items()})


def test_values_are_odd_exactly_where_check_finds_fault_with_them(opened: Opener, tmp_path: Path) -> None:
    found = written(tmp_path, ODD)
    controls, random = controls_of(found), Random(11)
    values: list[Value] = [
        Sentinel.OFF,
        Sentinel.INFINITE,
        *(Fraction(n * 10**6, 2) for n in (0, 1, 200, 300, 2000, 2001, 10_000, 10**8)),
    ]
    points: list[dict[str, Value]] = [{}]
    points += [
        {c.parameter.name: random.choice(values) for c in random.sample(controls, random.randrange(1, 5))}
        for _ in range(60)
    ]
    texts = [
        {name: value_text(value, found.spec.parameters[name].kind) for name, value in each.items()} for each in points
    ]
    in_use = [(c.parameter, c.in_use) for c in controls if c.in_use is not None]
    start = {parameter.name: value_text(value, parameter.kind) for parameter, value in in_use}
    said = json.loads(opened(found).evaluate(SAY, [{**start, **each} for each in texts]))
    kinds = set()
    for point, (first, state, remarks) in zip(points, said, strict=True):
        findings = _audited(found.spec, point).findings
        odd = [f for f in findings if f.kind in (FindingKind.OFF_STEP, FindingKind.OFF_DOMAIN)]
        kinds |= {f.kind for f in odd}
        assert remarks.keys() == {f.subject for f in odd}
        assert all(remarks[f.subject].removesuffix(" this") in f.message for f in odd)
        off_step = sum(1 for f in odd if f.kind is FindingKind.OFF_STEP)
        counts = ((off_step, STEPS), (len(odd) - off_step, OUTSIDE))
        told = " and ".join(f"{number} {words[number > 1]}" for number, words in counts if number)
        assert first == ([told] if told else [])
        assert state == ("broken" if findings else "holds")
    assert len(kinds) == 2
    assert [first for first, *_ in said].count([]) > 1


def _numbers(rows: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What the page's rows tell."""
    return {i: {k: row["marginKept" if k == "margin_kept" else k] for k in ATTRIBUTES} for i, row in rows.items()}


def _attributes(rules: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What Python tells, as attributes have it."""
    return {id_: {key: _plain(rule[key]) for key in ATTRIBUTES} for id_, rule in rules.items()}


def _moves(controls: Sequence[Control], random: Random) -> dict[str, tuple[tuple[str, str], Value]]:
    """For each parameter what a reader does to it, and the value that it then has."""
    found: dict[str, tuple[tuple[str, str], Value]] = {}
    for control in controls:
        if control.choices and (control.scale is None or random.random() < 0.2):
            index = random.randrange(len(control.choices))
            found[control.parameter.name] = ("choice", str(index)), control.choices[index]
        elif control.scale is not None:
            # Most incidents happen near the lower end.
            position = int(control.scale.last * random.random() ** 2)
            found[control.parameter.name] = ("slider", str(position)), control.scale.value(position)
    return found


def _checked(spec: Spec, values: Mapping[str, Value]) -> Mapping[str, Any]:
    """What check says of the spec with these values, as data."""
    return check_data(_audited(spec, values))


def _audited(spec: Spec, values: Mapping[str, Value]) -> CheckOutcome:
    """What check finds where somebody has set these values."""
    changed = dict(spec.parameters)
    for name, value in values.items():
        p = changed[name]
        if value != value_in_use(p):
            places, key = {**p.places, "current": p.place}, "current" if p.role is Role.FREE else "value"
            changed[name] = replace(p, **{key: value, "places": places, "default_of": None})
    spec = replace(spec, parameters=changed)
    rules, _ = normalise(spec)
    return audit(spec, rules, known_only=True, may_know_nothing=True, with_remedies=False)


def _plain(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_amounts_are_rounded_as_python_rounds_them(scripts: Callable[..., Page]) -> None:
    random = Random(3)
    values = [
        Fraction(
            random.choice([1, 3, 5, 12345, 99995, random.randrange(1, 10**13)]),
            random.choice([1, 2, 7, 8, 80, 3000, 10**9]),
        )
        for _ in range(200)
    ]
    values = [value * 10 ** random.randrange(9) for value in values]
    page = scripts("numbers", "rules", "words")
    for exponent in (-1, 0, 1):
        told = page.evaluate("([texts, exponent]) => texts.map((text) => [outlast.aboutText(outlast.read(text), exponent), outlast.aboutPercent(outlast.read(text))])", [[number_text(v) for v in values], exponent])  # fmt: skip
        assert told == [[about_text(value, exponent), about_percent(value)] for value in values]


def test_the_script_changes_nothing_that_was_written_right(opened: Opener, tmp_path: Path) -> None:
    found = written(tmp_path, MIXED)
    low = End(at=Fraction(5 * 10**9), is_open=False, on_step=None, limited_by=())
    possible = Range(low=low, high=None, gaps=(), listed=None, sentinels=())
    best = ParameterResult(parameter=found.spec.parameters["a.found"], value=Fraction(6 * 10**9), range=possible)
    found = replace(found, solved=replace(found.solved, parameters={"a.found": best}))
    without = opened(found, java_script_enabled=False)
    states = without.locator(".rules .state").all_inner_texts()
    assert {state.strip() for state in states} == {"BROKEN", "margin missed", "holds", "not applicable", "no value"}
    assert without.locator("svg.tl").count() > 0
    assert not without.locator("input:visible, select:visible, button:visible").count()
    still = opened(found).evaluate(STILL)
    # Playwright evaluates on pages that run no script of their own, too.
    assert still == without.evaluate(STILL)


def test_a_picture_that_cannot_be_drawn_has_only_its_sentences_until_it_can(opened: Opener, tmp_path: Path) -> None:
    page = opened(written(tmp_path, MIXED))
    picture = page.locator(".shaped", has_text="client is -30s")
    assert (picture.locator("svg").count(), picture.locator(".lanes").count()) == (0, 0)
    page.evaluate("() => outlast.show({ 'a.open': '70s' })")
    page.wait_for_selector(".shaped svg")
    assert picture.count() == 0
    page.evaluate("() => outlast.show({ 'a.open': '30s' })")
    picture.wait_for()
    assert (page.locator(".shaped svg").count(), page.locator(".shaped .lanes").count()) == (0, 0)


def test_a_limit_that_is_passed_is_red_drawn_anew_and_told(opened: Opener) -> None:
    page = opened(example("dead-connection", "after"))
    row = page.locator("[data-rule='retry-dials-anew']")
    assert row.get_attribute("data-state") == "holds"
    calm = row.evaluate("(row) => getComputedStyle(row).backgroundColor")
    figure = page.locator(".shaped .figure").first
    drawn = figure.inner_html()
    lanes = page.locator(".shaped .lanes ul").first
    assert "7s" not in (lanes.text_content() or "")
    slider = page.get_by_role("slider", name="client.send_ping")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert page.locator("[data-parameter='client.send_ping'] [data-part=field]").input_value() == "7s"
    assert row.get_attribute("data-state") == "broken"
    assert row.evaluate("(row) => getComputedStyle(row).backgroundColor") != calm
    assert page.locator("[data-rule][data-state='broken']").count() == 1
    page.wait_for_selector("html[data-drawn='yes']")
    assert figure.inner_html() != drawn
    assert "7s" in (lanes.text_content() or "")
    assert "desc" not in figure.inner_html()
    assert page.get_by_role("img", name="An attempt on a dead connection").is_visible()
    live = page.locator("[aria-live]")
    page.wait_for_function("() => document.querySelector('[aria-live]').textContent !== ''")
    assert live.inner_text() == "1 of 7 rules is broken: retry-dials-anew"
    page.get_by_role("button", name="values in use").click()
    assert row.get_attribute("data-state") == "holds"


def test_what_is_typed_is_taken_exactly_or_told_beside_it(opened: Opener) -> None:
    page = opened(example("dead-connection", "after"))
    card = page.locator("[data-parameter='client.ping']")
    field, row = card.locator("[data-part=field]"), page.locator("[data-rule='retry-dials-anew']")
    for text, left in (("4999999us", "9.999999s"), ("2m", "125s")):
        field.fill(text)
        assert row.get_attribute("data-left") == left
    field.fill("5")
    field.press("Tab")
    assert field.get_attribute("aria-invalid") == "true"
    assert card.locator(".remark").inner_text() == (
        "expected a duration with its unit, such as 10s, found '5'; did you mean '5s' or '5ms'?; 120s still counts"
    )
    assert row.get_attribute("data-left") == "125s"
    page.get_by_role("button", name="values in use").click()
    field.fill("5")
    field.press("Tab")
    page.get_by_role("button", name="values in use").click()
    assert (field.input_value(), field.get_attribute("aria-invalid")) == ("3s", None)
    assert card.locator(".remark").inner_text() == ""
    field.fill("5")
    field.press("Tab")
    field.fill("100ms")
    assert field.get_attribute("aria-invalid") is None
    assert page.evaluate("() => outlast.show({ 'client.ping': '3s', nothing: '1s' })") == {
        "nothing": "nothing here moves it"
    }
    assert row.get_attribute("data-left") == "8s"


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_cut_and_nothing_overlaps(opened: Opener, tmp_path: Path, width: int) -> None:
    hops = [
        f"  the-hop-{n}-of-a-long-way/{'x' * 40 * (n == 3)}: {{ require: hop{n}.a_rather_long_name_of_a_timeout + 5s < 2 * hop{n + 1}.a_rather_long_name_of_a_timeout, why: {'because ' * 20} }}"
        for n in range(8)
    ]
    parameters = [
        f"  hop{n}.a_rather_long_name_of_a_timeout: {{ free: 1ms..2h, current: {9 - n}s, zero: off }}" for n in range(9)
    ]
    spec = "\n".join(["outlast: 1", "parameters:", *parameters, "rules:", *hops]).replace("the-hop", "hop")
    page = opened(written(tmp_path, spec), viewport={"width": width, "height": 900})
    page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")
    page.wait_for_selector("html[data-drawn='yes']")
    assert page.evaluate(WIDER) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVERLAPS) == []


def test_pictures_of_what_does_not_apply_are_folded_until_it_does(opened: Opener, tmp_path: Path) -> None:
    page = opened(written(tmp_path, IDLE))
    first, second = page.locator(".shaped").all()
    for hop, is_open in (("off", False), ("5s", True), ("off", False)):
        page.evaluate("(hop) => outlast.show({ hop })", hop)
        assert second.evaluate("(each) => each.open") is is_open
        assert second.locator(".idle").is_visible() is not is_open
        assert second.locator("svg.tl").is_visible() is is_open
        assert first.locator("svg.tl").is_visible()


def test_paper_shows_every_picture_of_a_rule_that_applies(opened: Opener, tmp_path: Path) -> None:
    page = opened(written(tmp_path, IDLE))
    pictures = page.locator(".timeline")
    closed = pictures.evaluate_all("(all) => all.map((each) => each.open)")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert page.locator("svg.tl").evaluate_all("(all) => all.filter((each) => each.checkVisibility()).length") == 2
    assert page.locator(".lanes[open]").count() >= 2
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert pictures.evaluate_all("(all) => all.map((each) => each.open)") == closed


def test_a_filter_that_leaves_nothing_says_so(opened: Opener, tmp_path: Path) -> None:
    page = opened(written(tmp_path, IDLE))
    none = page.get_by_text("No rule is broken or short of its margin.")
    assert not none.is_visible()
    page.get_by_label("broken or short of their margin").check()
    assert none.is_visible()
    page.evaluate("() => outlast.show({ server: '1s' })")
    assert not none.is_visible()


def test_hostile_words_stay_words(opened: Opener, tmp_path: Path) -> None:
    page = opened(written(tmp_path, HOSTILE))
    assert page.evaluate("() => outlast.show({ ['__proto__']: '8s' })") == {}
    page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")
    page.wait_for_selector("html[data-drawn='yes']")
    assert page.locator("img, iframe, b, object, embed, base, script:not(#data) ~ script").count() == 0
    assert page.locator("script").count() == 2
    links = page.evaluate(
        "() => [...document.links].map((link) => link.href).filter((href) => !href.startsWith('file:'))"
    )
    assert all(link.startswith("https://example.org/") for link in links)
    handlers = "() => [...document.querySelectorAll('*')].flatMap((each) => [...each.attributes]).filter((each) => each.name.startsWith('on') || each.name === 'style').length"
    assert page.evaluate(handlers) == 0
    assert page.title() == "<script>alert(1)</script><img src=x onerror=alert(2)>: timeouts"


def test_what_has_no_value_is_told_and_can_be_given_one(opened: Opener, tmp_path: Path) -> None:
    spec = "outlast: 1\nparameters: { a: { free: 1s..9s }, b: { free: [2s, 5s, infinite] } }\nrules: { r: { require: a < b } }\n"
    page = opened(written(tmp_path, spec))
    row = page.locator("[data-rule=r]")
    assert row.get_attribute("data-state") == "no-value"
    page.locator(".timeline summary").click()
    page.get_by_text("cannot be drawn without a value of a and b").wait_for()
    assert page.get_by_role("slider", name="a").input_value() == "0"
    page.get_by_role("slider", name="a").fill("200")
    assert row.get_attribute("data-state") == "no-value"
    page.get_by_role("combobox", name="b").select_option("5s")
    assert (row.get_attribute("data-state"), row.get_attribute("data-right")) == ("holds", "5s")
    page.locator(".timeline svg.tl").wait_for()
    page.get_by_role("combobox", name="b").select_option("infinite")
    assert row.get_attribute("data-slack") == "infinite"
    assert page.locator(".value [data-value=b]").text_content() == Sentinel.INFINITE.value


def test_the_headline_is_a_landmark_and_changes_are_announced_in_few_words(opened: Opener, tmp_path: Path) -> None:
    rules = [f"  r{n}: {{ require: a < {n}s }}" for n in range(3, 9)]
    page = opened(written(tmp_path, "\n".join(["outlast: 1", "parameters: { a: { fixed: 1s } }", "rules:", *rules])))
    assert page.get_by_role("region", name="how the rules stand").is_visible()
    page.evaluate("() => outlast.show({ a: '8s' })")
    live = page.locator("[aria-live]")
    live.get_by_text("6 of 6 rules are broken: r3, r4, r5 and 3 more", exact=True).wait_for(state="attached")
    field = page.locator("[data-parameter=a] [data-part=field]")
    field.fill("5")
    field.press("Tab")
    live.get_by_text("a: expected a duration with its unit, such as 10s, found '5'").wait_for(state="attached")


def test_pictures_take_the_colours_that_readers_force_and_facts_have_signs(opened: Opener, tmp_path: Path) -> None:
    page = opened(written(tmp_path, IDLE), forced_colors="active", color_scheme="light")
    fills = (
        "(all) => [...new Set(all.filter((each) => each.checkVisibility()).map((each) => getComputedStyle(each).fill))]"
    )
    system = page.evaluate("() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")  # fmt: skip
    assert page.locator(".tl text").evaluate_all(fills) == [system[0]]
    assert page.locator(".tl-paper, .tl-bar").evaluate_all(fills) == [system[1]]
    signs = "(all) => all.map((each) => getComputedStyle(each, '::before').content[1])"
    assert set(page.locator(".facts .tone-good").evaluate_all(signs)) == {"✓"}


def test_words_that_stay_together_are_cut_rather_than_reach_out(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 600})
    page.set_content(f"<style>{style()}</style><p>some words <code class=whole>a.b = 5s</code> and <code class=whole>{'x' * 200}</code>.")  # fmt: skip
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    short, long = page.locator(".whole").all()
    assert short.bounding_box()["height"] < 30 < long.bounding_box()["height"]  # type: ignore[index]
    page.close()


#: Names that run from right to left, and what is to stand on their right.
LEFTWARD = """
outlast: 1
parameters: { לקוח.מהלה: { fixed: 5s }, خادم.مهلة: { fixed: 20s } }
pictures: { p: { shape: idle, client: לקוח.מהלה, server: خادم.مهلة } }
rules: { קודם: { require: לקוח.מהלה < خادم.مهلة, picture: p }, bars: { require: לקוח.מהלה < 1h } }
"""
#: How far left some words stand in the first element of a kind that has them.
LEFT_OF = """
([kind, has, words]) => {
  const found = [...document.querySelectorAll(kind)].find((each) => each.textContent.includes(has));
  const range = document.createRange();
  const texts = document.createTreeWalker(found, NodeFilter.SHOW_TEXT);
  let text = texts.nextNode();
  while (!text.textContent.includes(words)) text = texts.nextNode();
  const start = text.textContent.indexOf(words);
  range.setStart(text, start);
  range.setEnd(text, start + words.length);
  return range.getBoundingClientRect().left;
}
"""


@pytest.mark.parametrize("has_script", [True, False])
def test_what_follows_names_that_run_leftward_stands_right_of_them(
    opened: Opener, tmp_path: Path, has_script: bool
) -> None:
    page = opened(written(tmp_path, LEFTWARD), java_script_enabled=has_script)
    page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")

    def left(kind: str, has: str, words: str) -> float:
        return float(page.evaluate(LEFT_OF, [kind, has, words]))

    assert left(".facts li", "קודם", "קודם") < left(".facts li", "קודם", "5s")
    assert left(".lanes li", "לקוח", "לקוח") < left(".lanes li", "לקוח", "0s")
    for kind in ("p.first", ".shaped h3", "#rules summary code"):
        assert left(kind, "خادم", "לקוח") < left(kind, "خادم", "خادم")
    assert "\u200e" not in page.content()  # it would be copied with a name
    if has_script:  # without it there are no bars
        page.wait_for_selector("html[data-drawn='yes']")
        assert left(".tl text", "מהלה", "מהלה") < left(".tl text", "מהלה", "5s")
        words = "a/b@לקוח.מהלה: x, לקוח מהלה <网.خادم> – 5s/לקוח\x07"
        assert page.evaluate("(words) => outlast.forward(outlast.escape(words))", words) == forward(words)
