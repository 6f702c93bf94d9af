"""promtool reads a configuration as Prometheus does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from oracles.asking import Oracle, Values, cases, executable

pytestmark = pytest.mark.oracle_heavy

_JOB = "scrape_configs:\n- job_name: oracle\n  static_configs: [{targets: ['127.0.0.1:1']}]\n"


def _accepts(text: str, folder: Path) -> bool:
    program = executable("promtool", "root/usr/bin/promtool")
    file = folder / "prometheus.yml"
    file.write_text(text)
    done = subprocess.run(
        [program, "check", "config", "--syntax-only", file], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 or "scrape timeout greater than scrape interval" in done.stderr, done.stderr
    return done.returncode == 0


def _lines(values: Values, indent: str) -> str:
    return "".join(f"{indent}{name}: {value}\n" for name, value in values.items())


_ROWS = tuple(
    {"scrape_interval": interval, "scrape_timeout": timeout}
    for interval, timeout in (("10s", "9999ms"), ("10s", "10s"), ("10s", "10001ms"), ("9999ms", "10s"))
)

SCRAPE = Oracle(
    name="a scrape_timeout beyond scrape_interval is refused",
    accepted=_ROWS[:2],
    refused=_ROWS[2:],
)

ORACLES = (SCRAPE,)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(ORACLES))
def test_prometheus_draws_the_line_there(tmp_path: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert _accepts(f"global:\n{_lines(values, '  ')}{_JOB}", tmp_path) is accepted
    assert _accepts(f"{_JOB}{_lines(values, '  ')}", tmp_path) is accepted


def test_a_global_timeout_beyond_the_interval_of_a_job_is_cut_to_it(tmp_path: Path) -> None:
    assert _accepts(f"global: {{scrape_interval: 60s, scrape_timeout: 10s}}\n{_JOB}  scrape_interval: 5s\n", tmp_path)


def test_a_default_timeout_beyond_the_interval_is_cut_to_it(tmp_path: Path) -> None:
    """The default is 10 s."""
    assert _accepts(f"global: {{scrape_interval: 5s}}\n{_JOB}", tmp_path)


def test_a_global_timeout_beyond_the_global_interval_is_refused_though_no_job_uses_it(tmp_path: Path) -> None:
    text = f"global: {{scrape_interval: 5s, scrape_timeout: 10s}}\n{_JOB}  scrape_interval: 20s\n"
    assert not _accepts(text, tmp_path)
