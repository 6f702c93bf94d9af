"""What makes a finding the same one after other edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast import api
from outlast.constraints.check import identity, value_places
from outlast.reports.lint_results import lint_results

SPEC = """outlast: 1
parameters:
  deadline: { fixed: 10s }
  ping: { free: any, step: 1ms, current: %s }
rules:
  in-time: { require: ping < deadline }
"""


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_lines_and_values_do_not_matter_but_files_do(tmp_path: Path) -> None:
    found = []
    for text in (SPEC % "20s", "# one\n# two\n" + SPEC % "30s"):
        outcome = api.check(_written(tmp_path / "a.yaml", text))
        found.append(identity(outcome.findings[0], outcome))
    assert found[0] == found[1] == ("in-time", "broken rule", "in-time", str(tmp_path / "a.yaml"))
    outcome = api.check(_written(tmp_path / "b.yaml", SPEC % "20s"))
    assert identity(outcome.findings[0], outcome) != found[0]


def test_what_is_wrong_with_one_value_is_of_that_value(tmp_path: Path) -> None:
    outcome = api.check(_written(tmp_path / "a.yaml", SPEC % "1500us"))
    assert [identity(f, outcome)[:3] for f in outcome.findings] == [("value-off-step", "value off its step", "ping")]


def test_an_override_stands_nowhere(tmp_path: Path) -> None:
    outcome = api.check(_written(tmp_path / "a.yaml", SPEC % "1s"), overrides=["ping=20s"])
    (finding,) = outcome.findings
    assert [place.line for place in value_places(finding, outcome)] == [3]
    assert "--set" not in identity(finding, outcome)


def test_a_bound_value_has_its_place_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _written(tmp_path / "app.json", '{"ping": "20s"}\n')
    spec = SPEC.replace("current: %s", "at: app.json#ping")
    outcome = api.check(_written(Path("a.yaml"), spec))
    (finding,) = outcome.findings
    assert [(p.file, p.line) for p in value_places(finding, outcome)] == [("a.yaml", 3), ("app.json", 1)]
    assert identity(finding, outcome)[3:] == ("a.yaml", "app.json")


POD = """kind: Deployment
metadata: { name: %s }
spec:
  template:
    spec:
      containers:
      - name: app
        command: ["gunicorn", "app:app", "--graceful-timeout=25"]
        lifecycle: { preStop: { exec: { command: [sh, -c, sleep %d] } } }
"""


def test_without_a_spec_neither_neighbours_nor_texts_matter_and_equal_ones_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    web, shop, healthy = POD % ("web", 20), POD % ("shop", 25), POD % ("healthy", 1)
    found = []
    for pods in ([web], [healthy, shop], [web, shop]):
        _written(Path("web.yaml"), "---\n".join(pods))
        linted = api.lint([Path()])
        found.append([identity(told.finding, told.outcome) for told in linted.findings])
    values = ("gunicorn.graceful_timeout", "k8s.pod.grace", "k8s.pod.prestop_sleep", "k8s.pod.prestop_time")
    whole = ("stop/grace-covers-shutdown", "broken rule", *(f"web.yaml {each}" for each in values))
    assert found == [[whole], [whole], [whole, whole]]
    assert len({result.fingerprint for result in lint_results(linted).results}) == 2


def test_without_a_spec_a_value_has_its_own_file_and_a_default_that_of_its_component(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = []
    _written(Path("compose.yaml"), "services:\n  web:\n    command: gunicorn app:app --graceful-timeout=25\n")
    for _ in range(2):
        linted = api.lint([Path()])
        found.append([identity(told.finding, told.outcome)[2:] for told in linted.findings])
        _written(Path("compose.override.yaml"), "services:\n  web:\n    stop_grace_period: 5s\n")
    assert found == [
        [(f"{name} compose.service.stop_grace_period", "compose.yaml gunicorn.graceful_timeout")]
        for name in ("compose.yaml", "compose.override.yaml")
    ]


def test_without_a_spec_neither_values_nor_made_up_names_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = Path(__file__).parents[2] / "examples/web-on-kubernetes/files/web.yaml"
    text = source.read_text()
    other = text.replace("timeout_seconds=120", "timeout_seconds=240").replace(
        "metadata:\n  name: web\n", "metadata:\n  name: shop\n"
    )
    found = []
    for each in (text, "# a line\n" + other):
        _written(Path("web.yaml"), each)
        linted = api.lint([Path()])
        found.append({identity(told.finding, told.outcome)[0]: told for told in linted.findings})
    assert found[0].keys() == found[1].keys() >= {"http/pool-closes-first"}
    one, two = (each["http/pool-closes-first"] for each in found)
    assert one.finding.place.line + 1 == two.finding.place.line
    assert one.finding.subject != two.finding.subject
    assert identity(one.finding, one.outcome) == identity(two.finding, two.outcome)
