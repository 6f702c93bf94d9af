"""What lint says of a mistake: once, however many places inherit it."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast.linting import Linted, lint_files

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
