"""What the page's scripts are given: everything once, exact, and nothing that HTML would take for its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from outlast.reports.page.encoding import encoded, script_text
from reports.reported import reported

SMALL = """
outlast: 1
parameters:
  wait: {free: 1s..60s, step: 500ms, current: 0s, zero: infinite}
  tries: {free: [1, 3, off], unit: "%"}
  pods: {fact: 40..400}
  ends: {derived: wait + 5s}
measurements:
  rtt: {samples: rtt.csv, unit: ms}
rules:
  long: {require: p99(rtt) < wait, margin: 1s, aim: 5s}
  short: {require: "wait < p99.9(rtt) * 100", when: tries > 1, level: should, aim: 50%, needs_on: [tries]}
"""


def told(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "outlast.yaml"
    path.write_text(text, encoding="utf-8")
    (folder / "rtt.csv").write_text("\n".join(str(n) for n in range(1, 301)))
    found: dict[str, Any] = json.loads(script_text(encoded(reported(path))))
    return found


def test_a_parameter_is_told_as_it_is_written(tmp_path: Path) -> None:
    found = told(tmp_path, SMALL)
    ends, pods, tries, wait = (found["usual"]["parameters"] | parameter for parameter in found["parameters"])
    assert wait == {
        "name": "wait",
        "kind": "duration",
        "unit": None,
        "step": "500000000",
        "zero": "infinite",
        "interval": None,
        "value": None,
        "poly": None,
        "names": [],
    }
    assert (tries["kind"], tries["unit"]) == ("ratio", "%")
    assert (pods["interval"], pods["value"]) == (["40", "400"], None)
    assert ends["names"] == [3]
    assert ["5000000000", []] in found["polys"][ends["poly"]]


def test_a_rule_is_told_with_all_that_decides_about_it(tmp_path: Path) -> None:
    found = told(tmp_path, SMALL)
    long, short = (found["usual"]["rules"] | rule for rule in found["rules"])
    assert (long["margin"], found["usual"]["margins"]) == ({"amount": "1000000000"}, {"exponent": 1})
    assert (long["aim"]["amount"], short["aim"]) == ("5000000000", {"amount": "1/2", "exponent": None})
    assert (short["names"], short["needs_on"][0][0]) == ([2, 3], "tries")
    compared = found["usual"]["formulas"] | found["formulas"][short["when"]]
    assert (compared["sign"], compared["strict"], compared["optimistic"]) == ("<", True, True)
    assert found["polys"][compared["left"]] == [["1", []]]


def test_a_bound_that_a_sample_does_not_have_is_null(tmp_path: Path) -> None:
    usual, rare = told(tmp_path, SMALL)["quantiles"]
    assert usual == {"name": "p99(rtt)", "upper": "300000000", "lower": "294000000"}
    why = "expected at least 2995 samples for an upper bound of p99.9 at 95% confidence, found 300"
    assert rare == {"name": "p99.9(rtt)", "upper": None, "no_upper": why, "lower": "299000000"}


def test_what_many_rules_say_stands_once(tmp_path: Path) -> None:
    parameters = "".join(f"  p{n}: {{free: 1s..60s, current: 2s}}\n" for n in range(20))
    rules = "".join(
        f'  r{n}: {{require: "max(p{n % 5}, p1) / (p2 + p3) < p{n % 20} / 3s", when: p4 < p5 or p6 is off}}\n'
        for n in range(200)
    )
    found = told(tmp_path, f"outlast: 1\nparameters:\n{parameters}rules:\n{rules}")
    assert len(found["rules"]) == 200
    assert (len(found["atoms"]), len(found["formulas"])) == (20 + 5 + 1, 20 + 3)
    assert len(json.dumps(found["rules"])) < 200 * 300


def test_nothing_in_the_data_means_something_to_html() -> None:
    texts = [
        "</script><script>alert(1)</script>",
        "<!--",
        "<script",
        "&lt;",
        "]]>",
        "\u2028\u2029",
        "\ud800",
        "\0",
        "é",
    ]
    shown = script_text({text: text for text in texts})
    assert not set(shown) & set("<>&\u2028\u2029\ud800\0")
    assert shown.isascii()
    assert list(json.loads(shown).items()) == [(text, text) for text in texts]
