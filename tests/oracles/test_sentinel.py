"""Redis Sentinel looks at its times when it starts, each for itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from oracles.asking import Oracle, Values, cases, executable, fetched, ms

pytestmark = pytest.mark.oracle_heavy


def _starts(values: Values, folder: Path) -> bool:
    program = executable("redis-sentinel", "root/usr/bin/redis-sentinel")
    libraries = fetched("root/usr/lib/x86_64-linux-gnu")
    file = folder / "sentinel.conf"
    lines = ["port 0", f"unixsocket {folder}/socket", "sentinel monitor oracle 127.0.0.1 1 1"]
    file.write_text(
        "\n".join([*lines, *(f"sentinel {name} oracle {ms(value)}" for name, value in values.items())]) + "\n"
    )
    try:
        done = subprocess.run(
            [program, file],
            capture_output=True,
            text=True,
            timeout=1,
            check=False,
            env={"LD_LIBRARY_PATH": str(libraries or "")},
        )
    except subprocess.TimeoutExpired:
        return True
    told = done.stdout + done.stderr
    assert "negative or zero time parameter" in told, told
    return False


POSITIVE = Oracle(
    name="times of 0 are refused",
    accepted=({"down-after-milliseconds": "1ms", "failover-timeout": "1ms"},),
    refused=(
        {"down-after-milliseconds": "0ms", "failover-timeout": "1s"},
        {"down-after-milliseconds": "1s", "failover-timeout": "0ms"},
    ),
)

#: They are advice: a failover that is given up before a master counts as down is accepted.
APART = Oracle(
    name="a failover-timeout below down-after-milliseconds is not looked at",
    accepted=({"down-after-milliseconds": "30s", "failover-timeout": "10s"},),
    refused=(),
)

ORACLES = (POSITIVE,)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((*ORACLES, APART)))
def test_sentinel_draws_the_line_there(tmp_path: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert _starts(values, tmp_path) is accepted
