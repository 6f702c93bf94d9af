"""Whatever things are called in files, what is recognised has a name that a spec can use, and a first spec can be read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lint.test_false_alarms import UNKNOWN
from outlast.api import check
from outlast.constraints.errors import InputErrors
from outlast.initializing import initialize
from outlast.linting import lint_files

DATA = Path(__file__).resolve().parent.parent / "data"
FOLDERS = sorted(path for root in ("healthy", "unhealthy") for path in (DATA / root).iterdir() if path.is_dir())
NAMES = [
    *("s", "d", "ms", "if", "and", "not", "is", "off", "infinite", "min", "first_set", "any", "yes", "null", "~", "1e5"),
    *("1web", "9", "-", "_", "a-", "a b", "é", "Ünï", "日本", "x" * 300, "\x1b[31mred", "a\u202eb", "web_2", "a@b", "a#b"),
]  # fmt: skip


def components(spec: Path) -> set[str]:
    """The components of a spec that can be checked."""
    topology = check(spec, known_only=True).spec.topology
    return set() if topology is None else {*topology.components}


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_every_name_becomes_one_that_a_spec_can_use(tmp_path: Path, name: str) -> None:
    service = "{ image: x, stop_grace_period: 5s, command: gunicorn -t 40 --graceful-timeout 60 }"
    (tmp_path / "compose.yaml").write_text(f"services:\n  {json.dumps(name)}: {service}\n")
    (tmp_path / "x.service").write_text("[Service]\nExecStart=gunicorn -t 40\nTimeoutStopSec=5\n")
    plain = "".join(c for c in name if c.isprintable())
    (tmp_path / "main.tf").write_text(f'resource "aws_lb" "{plain}" {{\n  idle_timeout = 60\n}}\n')
    (tmp_path / "nginx.conf").write_text(f'http {{ upstream "{plain}" {{ server a:1; keepalive 3; }} }}\n')
    linted = lint_files([tmp_path])
    assert len(linted.found.instances) == 6
    assert [told.finding.severity for told in linted.findings]  # the rules over them could be made
    spec = tmp_path / "outlast.yaml"
    initialize([tmp_path], to=spec, force=False)
    assert len(components(spec)) == 6


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_first_spec_can_be_read_and_checked(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder, tmp_path / "project")
    spec = tmp_path / "outlast.yaml"
    if folder.name in UNKNOWN:
        with pytest.raises(InputErrors):
            initialize([tmp_path / "project"], to=spec, force=False)
        return
    found = initialize([tmp_path / "project"], to=spec, force=False).found
    assert components(spec) == {instance.name for instance in found.instances}
