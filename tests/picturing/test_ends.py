"""Pictures with intervals and quantiles show the ends that decide about their rules."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.evaluate import Truth, World, judge
from outlast.constraints.loading.load import load_spec, load_text
from outlast.constraints.normal import normalise
from outlast.constraints.polynomial import Quant
from outlast.constraints.quantities import Value
from outlast.picturing.drawing import Tone
from outlast.picturing.layout import lay_out
from outlast.picturing.shapes import drawings_of
from outlast.picturing.timeline import Timeline

#: By shape, rules that are broken just where something happens in its picture that should not.
SCENES = {
    "request": ("send + ping < deadline",),
    "idle": ("server < hop",),
    "deploy": ("interval * threshold < drain", "longest < checks * failures"),
    "deploy, killed": ("drain + stop <= grace",),
    "retries": ("attempts * attempt + backoff(base, 2, cap, attempts - 1) <= limit",),
    # The same with the other sort of comparison: equal is as the rules say.
    "request, equal is well": ("send + ping <= deadline",),
    "idle, equal is well": ("min(server, server + 9s) <= hop",),
    "ends": ("client < server",),
    "ends, equal is well": ("client <= server",),
    "deploy, equal is well": ("interval * threshold <= drain", "longest <= checks * failures"),
    "deploy, killed, equal is bad": ("drain + stop < grace",),
    "retries, equal is bad": ("attempts * attempt + backoff(base, 2, cap, attempts - 1) < limit",),
}
PARTS = {
    "request": "{ shape: request, deadline: deadline, send_ping: send, ping: ping }",
    "idle": "{ shape: idle, hops: hop, server: server }",
    "deploy": "{ shape: deploy, interval: interval, threshold: threshold, drain: drain, "
    "watchdog_interval: checks, watchdog_failures: failures, longest_drain: longest }",
    "deploy, killed": "{ shape: deploy, drain: drain, stop: stop, grace: grace }",
    "ends": "{ shape: idle, client: client, server: server }",
    "retries": "{ shape: retries, attempts: attempts, attempt: attempt, base: base, factor: 2, cap: cap, deadline: limit }",
}
COUNTS = ("threshold", "failures", "attempts")
NAMES = (
    *(
        "send",
        "ping",
        "deadline",
        "hop",
        "client",
        "server",
        "interval",
        "threshold",
        "drain",
        "checks",
        "failures",
        "longest",
    ),
    *("stop", "grace", "attempts", "attempt", "base", "cap", "limit"),
)
#: A low end and how much more the high one is.
ENDS = st.tuples(st.integers(1, 12), st.sampled_from((0, 3, 9)))


def drawn(text: str) -> tuple[dict[str, Timeline], list[Truth]]:
    """The pictures without what rules say of themselves, and what the rules come to."""
    spec = load_text(Path("outlast.yaml"), text)
    rules, errors = normalise(spec)
    assert not errors
    values: dict[str, Value | tuple[Fraction, Fraction]] = {}
    for name, parameter in spec.parameters.items():
        value = parameter.value if parameter.interval is None else parameter.interval
        assert value is not None
        values[name] = value
    world = World(values=values, bound=lambda _, __: Fraction(1))
    timelines = {drawing.id: lay_out(drawing, world, {}) for drawing in drawings_of(spec, rules)}
    return timelines, [judge(rule, world).truth for rule in rules.values()]


def tones(timeline: Timeline) -> set[Tone]:
    found = {fact.tone for fact in timeline.facts}
    for row in timeline.rows:
        found |= {each.tone for each in row.stretches} | {each.tone for each in row.moments}
    return found


def specification(scene: str, ends: dict[str, tuple[int, int]]) -> str:
    lines = ["outlast: 1", "parameters:"]
    for name, (low, more) in ends.items():
        unit = "" if name in COUNTS else "s"
        value = f"{low}{unit}" if not more else f"{low}{unit}..{low + more}{unit}"
        lines.append(f"  {name}: {{ fact: {value} }}")
    lines.append("rules:")
    lines += [f"  r{n}: {{ require: '{rule}', picture: p }}" for n, rule in enumerate(SCENES[scene])]
    return "\n".join([*lines, "pictures:", f"  p: {PARTS[scene.partition(', equal')[0]]}", ""])


@pytest.mark.parametrize("scene", SCENES)
def test_something_is_bad_in_a_picture_just_where_a_rule_of_it_is_broken(scene: str) -> None:
    used = [name for name in NAMES if any(name in re.findall(r"\w+", rule) for rule in SCENES[scene])]
    used += [name for name in ("attempts", "base", "cap") if scene.startswith("retries") and name not in used]

    @settings(max_examples=8 if scene.startswith("retries") else 20, derandomize=True, deadline=None)
    @given(st.fixed_dictionaries(dict.fromkeys(used, ENDS)))
    def law(ends: dict[str, tuple[int, int]]) -> None:
        timelines, truths = drawn(specification(scene, ends))
        assert (Tone.BAD in tones(timelines["p"])) == (Truth.BROKEN in truths), ends

    law()


INTERVAL = """\
outlast: 1
parameters:
  alb: { fact: 100s..200s }
  nat: { fact: 150s }
  client: { fact: 50s }
rules:
  closes-first: { require: client < alb, picture: p }
  forgets-last: { require: alb < nat, picture: p }
pictures:
  p: { shape: idle, client: client, hops: nat, server: alb }
"""


def words_of(timeline: Timeline) -> list[str]:
    return [fact.words for fact in timeline.facts]


def test_where_rules_take_different_ends_the_shape_decides_and_the_other_rule_is_named() -> None:
    timeline = drawn(INTERVAL)[0]["p"]
    assert words_of(timeline)[-1] == (
        "alb is anything from 100s to 200s; drawn is 100s, as in closes-first; forgets-last takes 200s."
    )
    alone = drawn(INTERVAL.replace("alb < nat", "client < nat"))[0]["p"]
    assert words_of(alone)[-1] == "alb is anything from 100s to 200s; drawn is 100s, the worst end here."


def test_an_interval_that_no_rule_mentions_stands_where_it_does_harm_in_its_shape() -> None:
    text = INTERVAL.replace("client < alb", "client < nat").replace("alb < nat", "client < 60s")
    assert words_of(drawn(text)[0]["p"])[-1].endswith("drawn is 100s, the worst end here.")
    text = text.replace("client: client, hops: nat, server: alb", "client: alb, hops: nat")
    assert words_of(drawn(text)[0]["p"])[-1].endswith("drawn is 200s, the worst end here.")
    text = text.replace("client: alb", "client: 300s - alb")
    assert words_of(drawn(text)[0]["p"])[-1].endswith("drawn is 100s, the worst end here.")


QUANTILE = """\
outlast: 1
parameters:
  wait: { fact: 90% }
measurements:
  rtt: { samples: rtt.csv, unit: s }
rules:
  above: { require: 'p99(rtt) < 90s' }
  below: { require: '30s < p99(rtt)' }
  share: { require: 'wait * 2 > 1' }
"""


def test_a_quantile_stands_at_the_bound_that_its_rule_takes(tmp_path: Path) -> None:
    (tmp_path / "rtt.csv").write_text("1\n" * 300, encoding="utf-8")
    (tmp_path / "outlast.yaml").write_text(QUANTILE, encoding="utf-8")
    spec = load_spec(tmp_path / "outlast.yaml", root=tmp_path)
    rules, _ = normalise(spec)
    ends = {drawing.id: [(end.of, end.is_upper) for end in drawing.ends] for drawing in drawings_of(spec, rules)}
    quantile = Quant(Fraction(99, 100), "rtt")
    assert ends == {"above": [(quantile, True)], "below": [(quantile, False)], "share": []}


def test_a_smaller_side_without_end_leaves_a_gap_without_end_and_a_missed_margin_is_told_as_bad() -> None:
    spec = load_text(
        Path("outlast.yaml"),
        "outlast: 1\nparameters:\n  a: { fixed: infinite }\n  b: { fixed: 9s }\n  c: { fixed: 5s }\n"
        "rules:\n  r: { require: a < b }\n  s: { require: c < b, margin: 5s }\n",
    )
    rules, _ = normalise(spec)
    world = World(
        values={name: p.value for name, p in spec.parameters.items() if p.value is not None},
        bound=lambda _, __: Fraction(1),
    )
    verdicts = {id_: judge(rule, world) for id_, rule in rules.items()}
    first, second = (lay_out(drawing, world, verdicts) for drawing in drawings_of(spec, rules))
    ((gap,), (other,)) = first.gaps, second.gaps
    assert (gap.end, gap.tone) == (None, Tone.BAD)
    assert gap.start == gap.wrong_at == 9 * 10**9
    assert first.facts[-1].words == "r: infinite < 9s, broken, the smaller side has no end."
    assert (other.wrong_at, other.tone) == (None, Tone.PLAIN)
    assert [fact.tone for fact in second.facts] == [Tone.BAD]
