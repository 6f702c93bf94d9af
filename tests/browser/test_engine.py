"""The page computes as Python does: rules, derived values, texts of numbers and pictures, at random values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from naive.generator import generate
from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import World, judge
from outlast.constraints.model import Choices, Interval, Parameter, Role, Spec
from outlast.constraints.normal import Inequality
from outlast.constraints.pictures import Shape
from outlast.constraints.polynomial import Apply, Quant, Var, constant, variable
from outlast.constraints.quantities import (
    DURATION_UNITS,
    UNIT_SLIPS,
    Kind,
    QuantityError,
    Sentinel,
    Value,
    format_value,
    parse_quantity,
)
from outlast.constraints.record import fields_of, is_record, replace
from outlast.picturing.drawing import Amount, Bar, Drawing, End, Fact, Lane, Mark, Tone, names_of
from outlast.picturing.events import events_of
from outlast.picturing.layout import lay_out
from outlast.reporting import Reported
from outlast.reports.data import rounded_down, verdict_data
from outlast.reports.markup import element
from outlast.reports.page.encoding import encoded, number_text, script_text
from outlast.solver.audit import derived_values
from reports.reported import reported

if TYPE_CHECKING:
    from playwright.sync_api import Page

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/outlast.yaml"))
HOUR = DURATION_UNITS["h"]
SPECS = 200
POINTS = 3

#: What the random specs do not have.
ODD = """
outlast: 1
parameters:
  constructor: {free: 1s..60s, step: 1s}
  __proto__: {free: 1..2000, step: 1}
  toString: {free: 1s..60s, step: 1s, zero: 30s}
  far: {free: 1s..900000s, step: 1s}
  pods: {fact: 40..400}
  share: {free: 1%..90%}
  total: {derived: "backoff(constructor, 2, far, __proto__)"}
  per: {derived: pods / (constructor + toString)}
  odd: {derived: constructor - toString}
  spare: {derived: 500 - pods}
  share_of_time: {derived: far / p99(rtt)}
measurements:
  rtt: {samples: rtt.csv, unit: ms}
rules:
  valueOf: {require: "multiple_of(toString, constructor)"}
  hasOwnProperty: {require: "not multiple_of(far, constructor * share)"}
  __proto__: {require: "total < far", margin: 1s, aim: 10s}
  grows: {require: "backoff(1s, 1.01, far, __proto__) < far * 10"}
  gives-up: {require: "tcp_give_up(__proto__) < far"}
  flood: {require: "pods / (constructor + toString) < 100/s", when: not (toString is off), margin: 20%}
  ends: {require: "min(constructor, toString) - far < max(far, 3s) / share", aim: 0%}
  whole: {require: "ceil(constructor / toString) + floor(share) <= __proto__"}
  spare: {require: "max(500 - pods, 3) < __proto__"}
  far: {require: "share_of_time is infinite or share_of_time > 2 * share"}
  rarely: {require: "p99.9(rtt) * 2 > constructor", aim: 10%}
  below: {require: "constructor / 4 < min(constructor - toString, far)"}
  unlike: {require: "constructor != toString or far == 3 * toString"}
  first: {require: "first_set(toString, constructor, 9s) < far", needs_on: [far]}
  chosen: {require: "if(constructor < toString, far, toString) >= constructor => far > 5s and share < 50%"}
"""


def some_value(random: Random, parameter: Parameter) -> Value:
    roll = random.randrange(100)
    if roll < 12:
        return Sentinel.OFF if roll < 6 else Sentinel.INFINITE
    if roll < 18:
        return Fraction(0)
    domain = parameter.domain
    if roll < 40 and isinstance(domain, Choices):
        return random.choice(domain.values)
    if roll < 60 and isinstance(domain, Interval) and domain.low is not None:
        return domain.low + random.randrange(9) * parameter.step
    if parameter.kind is Kind.COUNT:
        return Fraction(random.choice((random.randrange(12), random.randrange(2000))))
    unit = {Kind.DURATION: Fraction(10**9), Kind.RATE: Fraction(1, 10**8), Kind.RATIO: Fraction(1, 10)}[parameter.kind]
    return unit * random.randrange(1, 40) / random.choice((1, 1, 1, 2, 3, 7, 1000))


def odd_values(random: Random, spec: Spec) -> Iterator[dict[str, Value]]:
    """Every mixture of what is no number, 0 and a number for three names; the rest at random."""
    several: tuple[Value, ...] = (Fraction(0), Fraction(9 * 10**9), Fraction(10**9), Sentinel.OFF, Sentinel.INFINITE)
    for mixture in product(several, repeat=3):
        yield {**some_values(random, spec), **dict(zip(("constructor", "toString", "far"), mixture, strict=True))}


def odd(folder: Path, pictures: Sequence[Drawing] = ()) -> Reported:
    """A spec with what the random ones do not have."""
    path = folder / "odd.yaml"
    path.write_text(ODD)
    (folder / "rtt.csv").write_text("\n".join(str(n) for n in range(1, 301)))
    return reported(path, pictures)


def some_values(random: Random, spec: Spec) -> dict[str, Value]:
    """Values as written, few of them missing."""
    return {
        p.name: some_value(random, p)
        for p in spec.parameters.values()
        if p.role in (Role.FREE, Role.FIXED) and random.randrange(100) >= 3
    }


def expected(told: Reported, world: World) -> dict[str, Any]:
    """What Python says of every rule, numbers as the texts that stand in JSON."""
    found: dict[str, Any] = {}
    for id_, rule in told.rules.items():
        missing = sorted(name for name in rule.names() if name not in world.values)
        if missing:
            found[id_] = {"missing": missing}
            continue
        try:
            data = verdict_data(judge(rule, world))
        except OutlastError as error:
            found[id_] = {"error": error.message.removeprefix(f"rule '{id_}': ")}
            continue
        found[id_] = {key: as_text(value) for key, value in data.items()}
    return found


def as_text(value: Any) -> Any:
    return json.dumps(value) if type(value) in (int, float) else value


def pairs(told: Mapping[str, Any]) -> list[Any]:
    return sorted([key, value] for key, value in told.items())


def texts(values: Mapping[str, Value]) -> dict[str, str | None]:
    return {name: number_text(value) for name, value in values.items()}


JUDGED = """(cases) => JSON.stringify(JSON.parse(cases).map(([told, points]) => [outlast.unpacked(told), points]).map(([data, points]) => points.map((written) => {
  const { rules, derived } = outlast.judgedAt(data, written);
  return [Object.entries(rules), Object.entries(derived).map(([name, value]) => [name, outlast.written(value)])];
})))"""


def shown(rules: list[Any]) -> dict[str, Any]:
    """Of each rule what is comparable: nothing but the reason where it was not judged."""
    found: dict[str, Any] = {}
    for id_, told in rules:
        why = {key: told.pop(key) for key in ("missing", "error")}
        known = {key: reason for key, reason in why.items() if reason is not None}
        found[id_] = known or told
    return found


def test_the_page_judges_every_rule_as_check_does(scripts: Callable[..., Page], tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    cases: list[tuple[Reported, int]] = []
    for seed in range(SPECS):
        path.write_text(generate(seed).spec.to_text())
        cases.append((reported(path), POINTS))
    cases += [(reported(example), 15) for example in EXAMPLES]
    random = Random(7)
    asked = [(told, [some_values(random, told.spec) for _ in range(points)]) for told, points in cases]
    strange = odd(tmp_path)
    asked.append((strange, list(odd_values(random, strange.spec))))
    message = json.dumps([[encoded(told), [texts(values) for values in points]] for told, points in asked])
    answers = json.loads(scripts("numbers", "rules").evaluate(JUDGED, message))
    reasons: set[str] = set()
    for (told, points), found in zip(asked, answers, strict=True):
        for values, (rules, derived) in zip(points, found, strict=True):
            world = told.world(values)
            known = derived_values(told.spec, world)
            wanted = expected(told, world)
            assert shown(rules) == wanted, f"at {texts(values)}"
            assert sorted(derived) == pairs(texts(known)), f"at {texts(values)}"
            reasons |= {key for each in wanted.values() for key in each}
    assert {"missing", "error", "off"} <= reasons


def some_fractions(random: Random) -> list[Fraction]:
    """Numbers of all sizes, most of them with few decimals."""
    units = [Fraction(unit) for unit in DURATION_UNITS.values()]
    found = [
        Fraction(n) for n in (0, 1, -1, HOUR, -24 * HOUR, 47 * HOUR, 48 * HOUR, -72 * HOUR, 10**16, 10**22, -(10**40))
    ]
    found += [Fraction(2**n + 1, 10**m) for n in range(0, 80, 7) for m in (1, 4, 9, 39, 40)]
    for _ in range(1500):
        number = Fraction(
            random.randrange(10 ** random.randrange(1, 20)), random.choice((1, 1, 2, 8, 10**4, 10**9, 7, 360))
        )
        found.append(random.choice((number, -number)) * random.choice((*units, *(1 / unit for unit in units))))
    return found


def test_numbers_read_as_everywhere_else(scripts: Callable[..., Page]) -> None:
    values = some_fractions(Random(3))
    ways = [(exponent, False) for exponent in (-1, 0, 1, 2, 3)] + [(0, True)]
    found = scripts("numbers").evaluate(
        """([values, ways]) => JSON.stringify(values.map(outlast.read).map((value) => [
          ...ways.map(([exponent, percent]) => outlast.formatValue(value, exponent, percent)),
          ...[3, 4, 5].map((places) => outlast.roundedDown(value, places)),
        ]))""",
        [[str(value) for value in values], ways],
    )
    for value, texts_ in zip(values, json.loads(found), strict=True):
        expected = [format_value(value, exponent, percent=percent) for exponent, percent in ways]
        expected += [json.dumps(rounded_down(value, places)) for places in (3, 4, 5)]
        assert texts_ == expected, value


ODD_TEXTS = """
infinite|off|Infinite|OFF|never|inf||  |10s |\x1f10s|+5s|-.5s|-x|-|.5|5.|.5s|1.5.5s|10|10s|1m30s|90m|30s1m|1m1m|1m1min|1h30
1m 30s|1m\t30|10 s|10 sec|10  s e c|5sec|5M|5Mins|5_000s|5,5s|5e3|5E3s|5e|1.0000000001s|0.5ns|9223372036854775807ns|9223372036854775808ns
9223372036854775807|9223372036854775808|292y|300000d|0000000000000000000000000000000000000000001s|20%|20 %|0.5%|%|100/s|100/|100/sec|100/S
100/ s|1/min|1/m/s|²3|+²|+٣|٣s|1²|1½s|1ßs|1µs|1μs|1ªs|1\u200bs|1\U000e0001s|1\U0001f600s|\U0001f600|\x1b[31m|1s\x1b[31m|\u2028|1\xa0s|<script>|1<script>s|1s<!--
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|1\U0001f600\U0001f600\U0001f600
"""


def some_texts(random: Random) -> list[str]:
    """What people and worse write beside a slider."""
    pieces = [
        "0",
        "1",
        "30",
        "7.25",
        ".5",
        ".",
        " ",
        "/",
        "%",
        "-",
        "+",
        "_",
        "e",
        "é",
        "1" * 41,
        "\x00",
        "x" * 9,
        "\u3000",
    ]
    pieces += [*DURATION_UNITS, *UNIT_SLIPS]
    listed = [text for line in ODD_TEXTS.splitlines() for text in line.split("|")]
    return listed + ["".join(random.choices(pieces, k=random.randrange(1, 6))) for _ in range(4000)]


def read_by_python(text: str) -> list[str | None]:
    try:
        found = parse_quantity(text)
    except QuantityError as error:
        return [None, None, error.message]
    return [number_text(found.value), None if found.kind is None else found.kind.value, None]


def test_what_is_typed_is_understood_as_in_a_spec(scripts: Callable[..., Page]) -> None:
    asked = some_texts(Random(5))
    found = scripts("numbers").evaluate(
        """(asked) => JSON.stringify(JSON.parse(asked).map((text) => outlast.parse(text)).map(({ value, kind, error }) =>
          [value === undefined ? null : outlast.written(value), kind ?? null, error ?? null]))""",
        json.dumps(asked),
    )
    for text, answer in zip(asked, json.loads(found), strict=True):
        assert answer == read_by_python(text), text


def plain(value: Any) -> Any:
    """A timeline as JSON: numbers as texts, words for what is one of a few."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return {name: plain(getattr(value, name)) for name in fields_of(value)} if is_record(value) else value


def drawn(told: Reported, drawing: Drawing, world: World) -> Any:
    """The picture as Python lays it out; None where a value is missing, the reason where something cannot be computed."""
    needed = names_of(drawing).union(*(told.rules[rule].names() for rule in drawing.rules))
    if needed - world.values.keys():
        return None
    try:
        timeline = lay_out(drawing, world, {rule: judge(told.rules[rule], world) for rule in drawing.rules})
        return {**plain(timeline), "events": list(events_of(timeline))}
    except OutlastError as error:
        return error.message


DRAWN = """(cases) => JSON.parse(cases).map(([told, points]) => [outlast.unpacked(told), points]).map(([data, points]) => points.map((written) => {
  const { world, verdicts } = outlast.judgedAt(data, written);
  const asText = (key, value) => (typeof value?.n === "bigint" ? outlast.written(value) : value);
  const drawn = data.drawings.map((drawing) => outlast.layOut(data, drawing, world, verdicts));
  return JSON.stringify(drawn.map((each) => each && { ...each, events: outlast.eventsOf(each) }), asText);
}))"""


def all_words(shape: Shape | None = Shape.IDLE) -> Drawing:
    """A picture with everything that a drawing may have, more of it than shapes make use of."""
    wait, far = (variable(Var(name, 1)) for name in ("constructor", "far"))
    pods, quantile = Var("pods", 0), Quant(Fraction(99, 100), "rtt")
    rtt = variable(quantile)
    is_late = Inequality(left=wait, right=far, strict=True, optimistic=True, time_exponent=1)
    words = ("from ", Amount(wait, 1), " to ", Amount(far - wait, 1))
    bars = (
        Bar(start=wait, end=far, words=words, when=is_late),
        Bar(start=far, end=wait, words=words, tone=Tone.GONE),
        Bar(start=wait - far, end=None, words=("on",), tone=Tone.OPEN),
        Bar(start=constant(Fraction(0)), end=far - wait, words=(), told="off and on"),
        Bar(start=rtt, end=rtt, words=("in no time",)),
    )
    retries = (constant(Fraction(10**9)), constant(Fraction(101, 100)), far, variable(Var("__proto__", 0)))
    long = variable(Apply("backoff", retries, "backoff", 1))
    marks = (
        Mark(at=far - wait, words=words),
        Mark(at=long, words=()),
        Mark(at=wait, words=("now",), tone=Tone.BAD, when=is_late),
        Mark(at=far.scaled(Fraction(2)), words=(), told="again"),
        Mark(at=far.scaled(Fraction(3)), words=(), told="again"),
        Mark(at=rtt, words=("p99 ", Amount(rtt, 1), " of ", Amount(variable(pods), 0)), told="not this"),
    )
    facts = (Fact(words=("It ends at ", Amount(far, 1), "."), when=is_late), Fact(words=("It ends.",), tone=Tone.GOOD))
    return Drawing(
        id="all",
        title="All <words>",
        shape=shape,
        time_exponent=1,
        lanes=(Lane(label="lane", bars=bars, marks=marks), Lane(label="empty")),
        facts=facts,
        rules=("__proto__", "below", "ends", "first", "flood", "grows", "unlike", "valueOf"),
        ends=(End(of=quantile, is_upper=False), End(of=pods, is_upper=False)) if shape else (),
    )


def test_the_page_draws_what_is_drawn_elsewhere(scripts: Callable[..., Page], tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    cases = [(odd(tmp_path, [all_words(), all_words(None)]), 60), *((reported(example), 12) for example in EXAMPLES)]
    random = Random(11)
    for seed in range(60):
        path.write_text(generate(seed).spec.to_text())
        cases.append((reported(path), 2))
    asked = [(told, [some_values(random, told.spec) for _ in range(points)]) for told, points in cases]
    message = json.dumps([[encoded(told), [texts(values) for values in points]] for told, points in asked])
    answers = scripts("numbers", "rules", "layout").evaluate(DRAWN, message)
    for (told, points), found in zip(asked, answers, strict=True):
        for values, timelines in zip(points, found, strict=True):
            world = told.world(values)
            for drawing, timeline in zip(told.drawings, json.loads(timelines), strict=True):
                expected_ = drawn(told, drawing, world)
                if not isinstance(expected_, str):
                    assert timeline == expected_, f"{drawing.id} at {texts(values)}"
                else:
                    assert "cannot be computed" in str(timeline["facts"]), f"{drawing.id} at {texts(values)}"


HOSTILE = "</script><script>window.broken = 1</script><!-- <script> --!> ]]> &lt; \u2028\u2029\0"


def test_hostile_texts_stay_data(scripts: Callable[..., Page], tmp_path: Path) -> None:
    picture = replace(all_words(), id=HOSTILE, title=HOSTILE, lanes=(Lane(label=HOSTILE),))
    data = {**encoded(odd(tmp_path, [picture])), HOSTILE: HOSTILE}
    page = scripts()
    page.set_content(element("script", script_text(data), type="application/json", id="data") + "<p>after</p>")
    assert page.evaluate("document.body.textContent.trim() + document.scripts.length + typeof window.broken") == (
        "after1undefined"
    )
    assert json.loads(page.locator("#data").evaluate("each => JSON.stringify(JSON.parse(each.textContent))")) == data


def test_what_is_typed_beside_a_slider_has_to_be_of_its_kind(scripts: Callable[..., Page]) -> None:
    page = scripts("numbers")

    def typed(text: str, kind: str, unit: str | None = None) -> str:
        found: str = page.evaluate(
            """(asked) => { const { value, error } = outlast.parseFor(...asked); return error ?? outlast.written(value); }""",
            [{"kind": kind, "unit": unit}, text],
        )
        return found

    assert typed(" 1m30s ", "duration") == "90000000000"
    assert typed("250", "duration", "ms") == typed("250ms", "duration", "ms") == "250000000"
    assert typed("5", "rate", "/s") == typed("5/s", "rate") == "1/200000000"
    assert typed("20", "ratio", "%") == typed("0.2", "ratio") == "1/5"
    assert typed("2", "ratio") == typed("2", "count") == "2"
    assert typed("0", "duration") == typed("0", "rate") == "0"
    assert typed("off", "count") == "off"
    expected_ = "expected a duration with its unit, such as 10s, found '10'; did you mean '10s' or '10ms'?"
    assert typed("10", "duration") == expected_
    assert typed("1.5", "count") == "expected a count, such as 3, found '1.5', which is a ratio; counts are whole"
    assert typed("10s", "ratio") == "expected a ratio, such as 20%, found '10s'"
