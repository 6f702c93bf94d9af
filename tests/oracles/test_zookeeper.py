"""ZooKeeper looks at its configuration when it starts, and cuts each session to its bounds."""

from __future__ import annotations

import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from oracles.asking import Oracle, Values, cases, executable, fetched, ms

pytestmark = pytest.mark.oracle_heavy

_JARS = (
    "zookeeper",
    "zookeeper-jute",
    "slf4j-api",
    "slf4j-simple",
    "netty-all",
    "metrics-core",
    "snappy-java",
)
_REFUSALS = ("minSessionTimeout must not be larger than maxSessionTimeout", "tickTime is not set")


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextmanager
def _started(values: Values, folder: Path) -> Iterator[int | None]:
    """Its port, or None if it refuses the configuration."""
    jars = fetched("root/usr/share/java") or Path("/usr/share/java")
    path = [jars / f"{name}.jar" for name in _JARS]
    if not all(jar.exists() for jar in path):
        pytest.skip("ZooKeeper is not at hand")
    port, file, log = _free_port(), folder / "zoo.cfg", folder / "log"
    lines = [f"dataDir={folder}/data", f"clientPort={port}", "clientPortAddress=127.0.0.1", "admin.enableServer=false"]
    file.write_text(
        "\n".join([*lines, *(f"{name}={ms(text)}" for name, text in {"tickTime": "2s", **values}.items())]) + "\n"
    )
    command = [
        executable("java"),
        "-cp",
        ":".join(map(str, path)),
        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
        str(file),
    ]
    with log.open("w") as told, subprocess.Popen(command, stdout=told, stderr=told) as process:
        try:
            for _ in range(300):
                if process.poll() is not None:
                    text = log.read_text()
                    assert any(words in text for words in _REFUSALS), text
                    yield None
                    return
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                except OSError:
                    time.sleep(0.1)
                else:
                    yield port
                    return
            raise AssertionError(log.read_text())
        finally:
            process.terminate()


def _session(port: int, text: str) -> int:
    """What the server makes of a client's session timeout, in ms: the handshake of its protocol."""
    request = struct.pack(">iqiqi16s", 0, 0, ms(text), 0, 16, b"")
    for _ in range(20):
        # While the server behind the port is starting it answers nothing, or not at all.
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as s:
                s.settimeout(2)
                s.sendall(struct.pack(">i", len(request)) + request)
                answer = s.recv(12, socket.MSG_WAITALL)
        except OSError:
            continue
        if answer:
            return int(struct.unpack(">iii", answer)[2])
        time.sleep(0.1)
    raise AssertionError("no answer")


BOUNDS = Oracle(
    name="a minSessionTimeout beyond maxSessionTimeout is refused",
    accepted=(
        {"minSessionTimeout": "5s", "maxSessionTimeout": "5001ms"},
        {"minSessionTimeout": "5s", "maxSessionTimeout": "5s"},
        {"minSessionTimeout": "40s"},
    ),
    # The last two are measured against the defaults: 2 and 20 ticks.
    refused=(
        {"minSessionTimeout": "5001ms", "maxSessionTimeout": "5s"},
        {"minSessionTimeout": "40001ms"},
        {"maxSessionTimeout": "3999ms"},
    ),
)

TICK = Oracle(name="a tickTime of 0 is refused", accepted=({"tickTime": "1ms"},), refused=({"tickTime": "0ms"},))

ORACLES = (BOUNDS, TICK)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(ORACLES))
def test_zookeeper_draws_the_line_there(tmp_path: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    with _started(values, tmp_path) as port:
        assert (port is not None) is accepted


#: Of a server with minSessionTimeout 3 s and maxSessionTimeout 9 s: a session that is kept as asked for is accepted.
SESSION = Oracle(
    name="a session outside the server's bounds is cut to them",
    accepted=({"session": "3s"}, {"session": "3001ms"}, {"session": "9s"}),
    refused=({"session": "2999ms"}, {"session": "9001ms"}),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    values = {"minSessionTimeout": "3s", "maxSessionTimeout": "9s"}
    with _started(values, tmp_path_factory.mktemp("zookeeper")) as port:
        assert port is not None
        yield port


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((SESSION,)))
def test_zookeeper_keeps_sessions_within_its_bounds(
    server: int, oracle: Oracle, values: Values, accepted: bool
) -> None:
    assert (_session(server, values["session"]) == ms(values["session"])) is accepted
