"""Files cut, doubled and overwritten anywhere give findings or problems, and nothing else; what is not known is not judged."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from outlast.constraints.errors import OutlastError
from outlast.linting import lint_files

DATA = Path(__file__).resolve().parent.parent / "data"
FOLDERS = sorted(path for root in ("healthy", "unhealthy") for path in (DATA / root).iterdir() if path.is_dir())
INSERTED = [b"\xff", b"\0", b"\x1b[31m", b"{", b"]", b'"', b"'", b"\n", b"\t", b"- ", b"&a ", b"*a", b"${", b"9" * 30, b"-", b"%", b"a" * 300, b";"]  # fmt: skip


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A file with a few mistakes."""
    for _ in range(chance.choice((1, 2, 5))):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((1, 5, 20, 100)))
        words = data.split() or [b""]
        data = chance.choice(
            (
                data[:start] + data[end:],
                data[:start] + data[start:end] * 3 + data[end:],
                data[:start] + chance.choice(INSERTED) + data[start:],
                data[:start],
                data.replace(chance.choice(words) or b" ", chance.choice(words + INSERTED), 1),
            )
        )
    return data


@pytest.mark.parametrize("seed", range(40))
def test_broken_files_give_no_more_than_problems(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    project = tmp_path / "project"
    shutil.copytree(chance.choice(FOLDERS), project)
    for path in sorted(path for path in project.rglob("*") if path.is_file()):
        path.write_bytes(mutated(path.read_bytes(), chance))
    assert all(isinstance(problem, OutlastError) for problem in lint_files([project]).found.problems)


@pytest.mark.parametrize(
    ("command", "findings"),
    [
        # 75 s of the pool against 5 s of workers, which sync workers do not have.
        ("gunicorn --keep-alive 5 -k gthread", 1),
        ("gunicorn --keep-alive 5 -k sync", 0),
        ("gunicorn --keep-alive 5 -k $CLASS", 0),
        ("gunicorn --keep-alive 5 -c /etc/gunicorn.py", 0),
    ],
)
def test_a_relation_that_asks_for_an_unknown_option_is_not_judged(tmp_path: Path, command: str, findings: int) -> None:
    (tmp_path / "compose.yaml").write_text(
        "services:\n  edge: { image: 'nginx:1.29.7', volumes: ['./nginx.conf:/etc/nginx/nginx.conf'] }\n"
        f"  app: {{ image: x, command: {command} }}\n"
    )
    (tmp_path / "nginx.conf").write_text(
        "http { upstream app { server app:8000; keepalive 4; keepalive_timeout 75s; } server { listen 80; location / { proxy_pass http://app; } } }"
    )
    linted = lint_files([tmp_path])
    assert "gunicorn" in {instance.kind for instance in linted.found.instances}
    told = [each.finding.subject.partition("@")[0] for each in linted.findings]
    assert told == ["http/pool-closes-first"] * findings


@pytest.mark.parametrize(("word", "findings"), [("graceful", 1), ("GRACEFUL", 1), ("immediate", 0), ("later", 0)])
def test_an_option_that_is_no_known_word_is_unknown(tmp_path: Path, word: str, findings: int) -> None:
    text = (DATA / "unhealthy" / "k8s-spring-phase-longer-than-grace" / "deployment.yaml").read_text()
    (tmp_path / "deployment.yaml").write_text(text.replace("value: graceful", f"value: {word}"))
    assert len(lint_files([tmp_path]).findings) == findings
