"""What lint says of a mistake: once, however many places inherit it."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from pathlib import Path
from random import Random
from shutil import copytree

import pytest

from outlast.configs.recognise.found import Found, Held, Hosted, Instance, Link
from outlast.constraints.errors import InputErrors, Place
from outlast.linting import Linted, lint_files, spec_of
from outlast.reports.lint import lint_document
from outlast.reports.text import plain

COMPOSE = """services:
  edge: { image: "nginx:1.27", volumes: ["./nginx.conf:/etc/nginx/nginx.conf:ro"] }
  app: { build: ., command: gunicorn -t 120 shop.wsgi }
"""


def linted(folder: Path, locations: str) -> Linted:
    (folder / "compose.yaml").write_text(COMPOSE)
    (folder / "nginx.conf").write_text(
        f"events {{}} http {{ proxy_read_timeout 50s; server {{ listen 80; {locations} }} }}"
    )
    return lint_files([folder])


@pytest.mark.parametrize(
    ("locations", "found"),
    [
        ("location /a { proxy_pass http://app; }", 1),
        ("location /a { proxy_pass http://app; } location /b { proxy_pass http://app; }", 1),
        ("location /a { proxy_pass http://app; } location /b { proxy_pass http://app; proxy_read_timeout 40s; }", 2),
        ("location /a { proxy_pass http://app; } location /b { proxy_pass http://app; proxy_read_timeout 130s; }", 1),
    ],
)
def test_one_line_that_several_blocks_inherit_is_one_mistake(tmp_path: Path, locations: str, found: int) -> None:
    told = linted(tmp_path, locations).findings
    assert [each.finding.subject.partition("@")[0] for each in told] == ["deadline/patience-outlasts-work"] * found


def test_equal_mistakes_in_two_places_are_two(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "celeryconfig.py").write_text("task_soft_time_limit = 60\ntask_time_limit = 50\n")
    told = lint_files([tmp_path]).findings
    assert [Path(each.finding.place.file).parent.name for each in told] == ["a", "b"]


HOOKED = """apiVersion: apps/v1
kind: Deployment
metadata: {{ name: web }}
spec:
  template:
    spec:
      terminationGracePeriodSeconds: 30
      containers:
        - name: web
          command: [gunicorn, --graceful-timeout, "25"]
          lifecycle: {{ preStop: {{ exec: {{ command: [sh, -c, "{script}"] }} }} }}
"""


@pytest.mark.parametrize(("script", "found"), [("sleep 6; leave", 1), ("sleep 5; leave", 0), ("leave", 0)])
def test_a_hook_that_does_more_than_sleep_counts_from_below(tmp_path: Path, script: str, found: int) -> None:
    (tmp_path / "web.yaml").write_text(HOOKED.format(script=script))
    told = lint_files([tmp_path]).findings
    assert [each.finding.subject.partition("@")[0] for each in told] == ["stop/grace-covers-shutdown"] * found


def text_of(linted: Linted) -> str:
    return plain(lint_document(linted), 100)


def test_every_place_is_told_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "celeryconfig.py").write_text("task_soft_time_limit = 60\ntask_time_limit = 50\n")
    monkeypatch.chdir(tmp_path)
    for path in (Path("a"), Path(), tmp_path / "a", Path("a/celeryconfig.py")):
        found = lint_files([path])
        assert {each.finding.place.file for each in found.findings} == {"a/celeryconfig.py"}
        shown = text_of(found)
        assert shown.count("celeryconfig.py:") == shown.count("a/celeryconfig.py:") > 2
        assert "fixed" not in shown


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("gunicorn.conf.py", "timeout = 5\n".encode("utf-16"), "UTF-8"),
        ("a.yaml", b"\0\1\2", "UTF-8"),
        ("a.yaml", b"gunicorn: [", "expected"),
        ("a.xyz", b"a", "cannot tell from its name"),
        ("a.yaml", b"a" * (8 * 2**20 + 1), "8388608"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_where_it_is_named_and_a_note_elsewhere(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputErrors) as caught:
        lint_files([tmp_path / name])
    assert message in caught.value.exceptions[0].message
    assert len(lint_files([tmp_path]).found.problems) == (0 if name == "a.xyz" else 1)


def test_a_pipe_that_is_named_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    with pytest.raises(InputErrors):
        lint_files([tmp_path / "a.yaml"])


def test_no_rule_to_judge_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n")
    assert text_of(lint_files([tmp_path])).startswith("no findings, and nothing to judge: 0 components recognised")
    (tmp_path / "celeryconfig.py").write_text("task_soft_time_limit = 40\ntask_time_limit = 50\n")
    assert text_of(lint_files([tmp_path])).startswith("no findings; 1 component recognised in 2 files")


def test_long_tables_are_cut_and_what_is_wanted_is_counted(tmp_path: Path) -> None:
    services = "".join(
        f"  s{n}: {{ image: x, command: gunicorn -t 9 a:b, stop_grace_period: 3m }}\n" for n in range(30)
    )
    (tmp_path / "compose.yaml").write_text(f"services:\n{services}")
    found = lint_files([tmp_path])
    assert len(found.found.instances) == 60
    assert found.wanting["compose.service shutdown_time"] == 30
    shown = text_of(found)
    assert "and 20 more; --format json has all" in shown
    assert "shutdown_time of compose.service (30)" in " ".join(shown.split())


@pytest.mark.parametrize(("word", "found"), [("prestop_time", 1), ("grace", 0)])
def test_a_lower_bound_tells_only_what_greater_values_break_too(
    monkeypatch: pytest.MonkeyPatch, word: str, found: int
) -> None:
    def held(seconds: int, line: int) -> Held:
        return Held(value=Fraction(seconds * 10**9), place=Place("a.yaml", line, 1), selector="", file="a.yaml")

    known = {"grace": held(30, 1), "prestop_time": held(10, 2)}
    least = {word: known.pop(word)}
    pod = Instance(
        kind="k8s.pod",
        name="pod",
        file="a.yaml",
        place=Place("a.yaml", 1, 1),
        values=known,
        least=least,
        opaque=frozenset(least),
    )
    web = Instance(
        kind="gunicorn", name="web", file="a.yaml", place=pod.place, values={"graceful_timeout": held(25, 3)}
    )
    both = Found(instances=(pod, web), hosted=(Hosted(guest="web", host="pod", because="both are of one container"),))
    monkeypatch.setattr("outlast.linting.recognise", lambda paths, kinds, store: both)
    told = [each.finding.subject.partition("@")[0] for each in lint_files([Path()]).findings]
    assert told == ["stop/grace-covers-shutdown"] * found


@pytest.mark.parametrize(("options", "judged"), [({}, False), ({"version": "24"}, True), ({"version": "18"}, True)])
def test_a_default_that_depends_on_a_release_is_taken_only_where_the_release_is_told(
    options: dict[str, str], judged: bool
) -> None:
    """Node.js added a second to its keep-alive; before, it added none."""
    place = Place("main.tf", 1, 1)
    lb = Instance(kind="aws.alb", name="lb", file="main.tf", place=place)
    web = Instance(kind="node.http-server", name="web", file="server.js", place=place, options=options)
    spec = spec_of(Found(instances=(lb, web), links=(Link(source="lb", target="web", because="a test"),)))
    assert ("http/pool-closes-first@lb:web" in spec.rules) == judged


def test_folders_side_by_side_tell_what_each_tells_alone(tmp_path: Path) -> None:
    """Nothing that is remembered of one group may answer for another: whole numbers of each folder are exchanged, too."""
    source, chance = Path(__file__).parents[1] / "data/unhealthy", Random(1)
    for folder in sorted(path for path in source.iterdir() if path.is_dir()):
        copytree(folder, tmp_path / folder.name)
        other = tmp_path / f"{folder.name}-mixed"
        copytree(folder, other)
        for path in sorted(p for p in other.rglob("*") if p.is_file()):
            text = path.read_text()
            numbers = re.findall(r"\b\d+\b", text)
            chance.shuffle(numbers)
            left = iter(numbers)
            path.write_text("".join(next(left) if part.isdigit() else part for part in re.split(r"\b(\d+)\b", text)))
    alone = [each for folder in sorted(tmp_path.iterdir()) for each in placed(lint_files([folder]))]
    assert len(alone) > 40
    assert placed(lint_files([tmp_path])) == sorted(alone)


def placed(linted: Linted) -> list[tuple[str, str]]:
    """Each finding's relation, or parameter with its end, and place; the names of components depend on what lies beside."""
    subjects = ((told.finding.subject.partition("@"), told.finding.place) for told in linted.findings)
    return sorted((name if at else name.partition(".")[2], str(place)) for (name, at, _), place in subjects)
