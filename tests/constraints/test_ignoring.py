"""What an ignore comment or entry means, which findings it is about, and when it is in vain."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from outlast import api
from outlast.constraints import ignoring
from outlast.constraints.errors import InputErrors, OutlastError, Place
from outlast.constraints.ignoring import parse_ignore
from outlast.constraints.model import Ignore

TODAY = date(2026, 12, 1)

SPEC = """outlast: 1
parameters:
  deadline: { fixed: 10s }
  ping: { free: any, step: 1ms, current: 20s }
  pong: { free: 1s..5s, step: 1s, current: 1500ms }
rules:
  in-time:
    require: ping < deadline
  nested: { require: pong < deadline < ping < 1s }
"""


def judged(folder: Path, text: str, **options: object) -> tuple[list[str], list[str]]:
    """What counts and what is ignored, each as its subject, remarks with what they are."""
    (folder / "outlast.yaml").write_text(text)
    outcome = api.check(folder / "outlast.yaml", today=TODAY, **options)  # type: ignore[arg-type]  # as `check` has them
    found = [f"{each.subject}: {each.kind.value}" for each in outcome.findings]
    return found, [each.finding.subject for each in outcome.ignored]


ALL = ["in-time: broken rule", "nested/3: broken rule", "pong: value off its step"]


def with_comment(line: str, comment: str) -> str:
    assert SPEC.count(line) == 1
    return SPEC.replace(line, f"{line} # outlast: {comment}")


@pytest.mark.parametrize(
    ("line", "comment", "ignored"),
    [
        ("current: 20s }", "ignore[in-time] why", ["in-time"]),
        ("deadline: { fixed: 10s }", "ignore[in-time] why", ["in-time"]),
        ("  in-time:", "ignore[in-time] why", ["in-time"]),
        ("require: ping < deadline\n".strip(), "ignore[in-time] why", ["in-time"]),
        ("current: 20s }", "ignore[nested] why", ["nested/3"]),
        ("current: 20s }", "ignore[nested/3] why", ["nested/3"]),
        ("current: 20s }", "ignore[nested, in-time] why", ["in-time", "nested/3"]),
        ("current: 20s }", "ignore[in-time until 2026-12-01] why", ["in-time"]),
        ("current: 1500ms }", "ignore[pong] why", ["pong"]),
    ],
)
def test_a_comment_silences_its_rule_on_each_line_that_this_is_about(
    tmp_path: Path, line: str, comment: str, ignored: list[str]
) -> None:
    found, aside = judged(tmp_path, with_comment(line, comment))
    assert aside == ignored
    assert found == [each for each in ALL if each.partition(":")[0] not in ignored]


@pytest.mark.parametrize(
    ("line", "comment", "remark"),
    [
        ("current: 1500ms }", "ignore[in-time] why", "in-time: ignored in vain"),
        ("current: 20s }", "ignore[nested/1] why", "nested/1: ignored in vain"),
        ("current: 20s }", "ignore[ping] why", "ping: ignored in vain"),
        ("current: 20s }", "ignore[in-tme] why", "in-tme: ignored in vain"),
        ("current: 20s }", "ignore[in-time until 2026-11-30] why", "in-time: ignoring has expired"),
        ("current: 20s }", "ignore[in-time]", "outlast: ignore: not understood as an ignore comment"),
    ],
)
def test_another_line_another_rule_a_day_too_late_or_no_reason_silence_nothing_and_are_told(
    tmp_path: Path, line: str, comment: str, remark: str
) -> None:
    found, aside = judged(tmp_path, with_comment(line, comment))
    assert aside == []
    assert sorted(found) == sorted([*ALL, remark])


def test_a_rule_is_no_link_of_a_chain_for_its_name(tmp_path: Path) -> None:
    own = "  in-time/1: { require: ping < 2s }\n  one: { require: ping < 3s }\n  one/2: { require: ping < 4s }\n"
    found, aside = judged(tmp_path, SPEC + own + "ignore: { in-time: later, one/2: later, nested: later }\n")
    assert aside == ["in-time", "nested/3", "one/2"]
    assert found == ["in-time/1: broken rule", "one: broken rule", ALL[2]]


DIFFERING = """outlast: 1
parameters:
  a:
    fixed: 50s
    at:
      - f.yaml#a
      - g.yaml#a
rules:
  r: { require: a > 1ms }
"""


@pytest.mark.parametrize(
    ("file", "line", "ignored"),
    [
        ("f.yaml", "a: 1s", ["f.yaml"]),
        ("g.yaml", "a: 2s", ["g.yaml"]),
        ("outlast.yaml", "      - f.yaml#a", ["f.yaml"]),
        ("outlast.yaml", "      - g.yaml#a", ["g.yaml"]),
        ("outlast.yaml", "    fixed: 50s", ["f.yaml", "g.yaml"]),
        ("outlast.yaml", "  a:", ["f.yaml", "g.yaml"]),
    ],
)
def test_a_difference_is_about_its_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, line: str, ignored: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("f.yaml", "a: 1s\n"), ("g.yaml", "a: 2s\n"), ("outlast.yaml", DIFFERING)):
        said = text.replace(f"{line}\n", f"{line}  # outlast: ignore[a] why\n") if name == file else text
        (tmp_path / name).write_text(said)
    outcome = api.check(Path("outlast.yaml"), today=TODAY)
    assert [each.finding.place.file for each in outcome.ignored] == ignored
    assert [each.place.file for each in outcome.findings] == [f for f in ("f.yaml", "g.yaml") if f not in ignored]


def test_one_of_two_rules_in_vain_is_told_of_that_one(tmp_path: Path) -> None:
    found, aside = judged(tmp_path, with_comment("current: 20s }", "ignore[in-time, nested/1] why"))
    assert aside == ["in-time"]
    assert sorted(found) == sorted([*ALL[1:], "nested/1: ignored in vain"])


def test_what_was_not_judged_is_not_ignored_in_vain(tmp_path: Path) -> None:
    text = with_comment(", current: 20s }", "ignore[in-time] why").replace(", current: 20s", "")
    found, aside = judged(tmp_path, text, known_only=True)
    assert (found, aside) == (["pong: value off its step"], [])


def test_the_spec_ignores_wherever_the_finding_stands(tmp_path: Path) -> None:
    ignore = "ignore:\n  nested: later\n  in-time: { why: now, until: 2026-12-01, owner: web }\n  pong: odd\n"
    assert judged(tmp_path, SPEC + ignore) == ([], ["in-time", "nested/3", "pong"])
    found, aside = judged(tmp_path, SPEC + ignore.replace("12-01", "11-30").replace("pong", "deadline"))
    assert aside == ["nested/3"]
    assert sorted(found) == [
        "deadline: ignored in vain",
        "in-time: broken rule",
        "in-time: ignoring has expired",
        ALL[2],
    ]


def test_remarks_cannot_be_ignored(tmp_path: Path) -> None:
    text = with_comment("current: 20s }", "ignore[in-time until 2020-01-01] why  # outlast: ignore[in-time] why")
    found, _ = judged(tmp_path, text)
    assert "in-time: ignoring has expired" in found


def test_entries_go_through_extends_and_null_removes_them(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(SPEC + "ignore:\n  nested: later\n  pong: odd\n")
    found, aside = judged(tmp_path, "outlast: 1\nextends: base.yaml\nignore:\n  nested: null\n  in-time: now\n")
    assert (found, aside) == (["nested/3: broken rule"], ["in-time", "pong"])
    (tmp_path / "base.spec").write_text(with_comment("current: 20s }", "ignore[in-time] why"))
    _, aside = judged(tmp_path, "outlast: 1\nextends: base.spec\n")
    assert aside == ["in-time"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("in-tme: why", "no rule, relation or parameter is called 'in-tme'; did you mean 'in-time'?"),
        ("in-time: { until: 2027-01-31 }", "expected the reason why 'in-time' is ignored, found none"),
        ("in-time: { why: x, until: soon }", "expected a date, such as 2026-10-20, found 'soon'"),
        ("http/pool-closes-frst: why", "did you mean 'http/pool-closes-first'?"),
    ],
)
def test_an_entry_that_means_nothing_is_an_error(tmp_path: Path, entry: str, message: str) -> None:
    with pytest.raises(InputErrors) as errors:
        judged(tmp_path, f"{SPEC}ignore:\n  {entry}\n")
    assert [str(e).endswith(message) for e in errors.value.exceptions] == [True]


WEB = """outlast: 1
components:
  # outlast: ignore[%s] the balancer goes away next week
  lb: { kind: aws.alb }
  web: { kind: node.http-server }
links: [lb -> web]
parameters:
  lb.idle_timeout: { fixed: 60s }
  web.keep_alive_timeout:
    fixed: 5s
    at: app.json#keepAlive
"""


@pytest.mark.parametrize("id_", ["http/pool-closes-first", "http/pool-closes-first@lb:web"])
def test_a_relation_is_ignored_by_its_name_or_that_of_its_rule_at_a_component(tmp_path: Path, id_: str) -> None:
    (tmp_path / "app.json").write_text('{"keepAlive": 5000}')
    found, aside = judged(tmp_path, WEB % id_)
    assert "http/pool-closes-first@lb:web" in aside
    assert not any("pool-closes-first" in each or "vain" in each for each in found)
    found, aside = judged(tmp_path, WEB % "http/pool-closes-last@lb:web")
    assert aside == []
    assert "http/pool-closes-last@lb:web: ignored in vain" in found
    other = "  # outlast: ignore[http/pool-closes-first] why\n    at:"
    _, aside = judged(tmp_path, WEB.replace("  # outlast: ignore[%s]", "  #").replace("    at:", other))
    assert aside == ["http/pool-closes-first@lb:web"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ignored[a] why", "expected 'outlast: ignore[RULE] REASON', found 'ignored'"),
        ("ignore why", "expected the rule in brackets, as in 'outlast: ignore[RULE] REASON', found 'why'"),
        ("ignore[a why", "expected the rule in brackets, as in 'outlast: ignore[RULE] REASON', found '[a why'"),
        ("ignore[] why", "expected the id of a rule, found nothing"),
        ("ignore[a,] why", "expected the id of a rule, found nothing"),
        ("ignore[a*] why", "expected the id of a rule, found 'a*'"),
        ("ignore[a] - .", "expected the reason behind the brackets, found none"),
        ("ignore[a untl 2027-01-31] why", "expected a comma, 'until' or ']' behind a, found 'untl'"),
        ("ignore[a until] why", "expected one date behind 'until', such as 2027-01-31"),
        ("ignore[a until 31.1.2027] why", "expected a date, such as 2027-01-31, found '31.1.2027'"),
        ("ignore[a until 2027-02-30] why", "found '2027-02-30', a day that no calendar has"),
        ("ignore[a until 2027-01-31, b] why", "expected 'until' behind the last rule, for all of them, found it before another"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_comment_is_said(text: str, message: str) -> None:
    with pytest.raises(OutlastError) as error:
        parse_ignore(f"outlast: {text}", Place("a", 1, 1), 1)
    assert error.value.message == message


def test_a_comment_says_which_rules_until_when_and_why() -> None:
    found = parse_ignore("outlast:ignore[a, b/c@d:e until 2027-01-31]: a [b] \x1b[31m why", Place("a", 1, 1), 4)
    assert (found.ids, found.until, found.line) == (("a", "b/c@d:e"), date(2027, 1, 31), 4)
    assert found.why == "a [b] \x1b[31m why"


def test_near_names_are_looked_for_only_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ignoring, "_MOST_COMPARISONS", 20)
    places = [Place("outlast.yaml", number, 1) for number in range(1, 5)]
    ids = ("rule-numbre-1", "rule-numbre-1", "rule-numbre-2", "rule-numbre-3")
    ignores = [
        Ignore(ids=(id_,), why="x", place=place, line=place.line) for id_, place in zip(ids, places, strict=True)
    ]
    known = [f"rule-number-{number}" for number in range(10)]
    told = [found.message for found in ignoring.Ignoring(ignores, TODAY).remarks(["outlast.yaml"], known)]
    assert ["did you mean" in message for message in told] == [True, True, True, False]
