"""How long servers keep a connection open between two requests: a request that comes later goes down a closed connection."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from oracles.asking import Oracle, Values, cases, executable, fetched, ms, seconds

pytestmark = pytest.mark.oracle_heavy

_APP = """
async def asgi(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

def wsgi(environ, start):
    start("200 OK", [("Content-Length", "2")])
    return [b"ok"]
"""


def _script(name: str) -> str:
    """A program of this environment."""
    path = shutil.which(name, path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    if path is None:
        pytest.skip(f"{name} is not at hand")
    return path


@contextmanager
def _serving(command: list[str], port: int, folder: Path, **env: str) -> Iterator[None]:
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env={**os.environ, **env})
        with process:
            try:
                for _ in range(300):
                    assert process.poll() is None, (folder / "log").read_text()
                    try:
                        socket.create_connection(("127.0.0.1", port), 1).close()
                    except OSError:
                        time.sleep(0.05)
                    else:
                        break
                yield
            finally:
                process.kill()


def _answered(s: socket.socket) -> bool:
    try:
        s.sendall(b"GET / HTTP/1.1\r\nHost: oracle\r\n\r\n")
        told = b""
        while b"ok" not in told:
            piece = s.recv(4096)
            if not piece:
                return False
            told += piece
    except ConnectionError:
        return False
    return True


def _second_request(command: list[str], port: int, quiet: str, folder: Path, **env: str) -> bool:
    """Whether a request is answered that follows another one on its connection after that time."""
    (folder / "app.py").write_text(_APP)
    with _serving(command, port, folder, **env), socket.create_connection(("127.0.0.1", port), 5) as s:
        s.settimeout(5)
        assert _answered(s)
        time.sleep(ms(quiet) / 1000)
        return _answered(s)


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def _uvicorn(values: Values, port: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    return [
        _script("uvicorn"),
        "app:asgi",
        "--port",
        str(port),
        "--timeout-keep-alive",
        str(seconds(values["timeout_keep_alive"])),
    ], {}


def _hypercorn(values: Values, port: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    return [
        _script("hypercorn"),
        "app:asgi",
        "-b",
        f"127.0.0.1:{port}",
        "--keep-alive",
        str(seconds(values["keep_alive_timeout"])),
    ], {}


def _waitress(values: Values, port: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Looked at every second: the default of cleanup_interval, 30 s, comes on top of the limit."""
    flags = [
        f"--listen=127.0.0.1:{port}",
        f"--channel-timeout={seconds(values['channel_timeout'])}",
        "--cleanup-interval=1",
    ]
    return [_script("waitress-serve"), *flags, "app:wsgi"], {}


def _gunicorn(values: Values, port: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    flags = [
        "-k",
        values["worker_class"],
        "--threads",
        values["threads"],
        "--keep-alive",
        str(seconds(values["keepalive"])),
    ]
    return [_script("gunicorn"), "app:wsgi", "-b", f"127.0.0.1:{port}", *flags], {}


def _node(values: Values, port: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    options = f"{{keepAliveTimeout: {ms(values['keepAliveTimeout'])}}}"
    return [
        executable("node"),
        "-e",
        f"require('http').createServer({options}, (q, r) => r.end('ok')).listen({port}, '127.0.0.1')",
    ], {}


def _nginx(values: Values, port: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    places = " ".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {places} keepalive_timeout {values['keepalive_timeout']};"
        f" server {{ listen 127.0.0.1:{port}; location / {{ return 200 ok; }} }} }}\n"
    )
    return [executable("nginx", "root/usr/sbin/nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")], {}


def _haproxy(values: Values, port: int, folder: Path) -> tuple[list[str], dict[str, str]]:
    limits = "\n".join(f"  timeout {name} {text}" for name, text in values.items() if name != "quiet")
    (folder / "haproxy.cfg").write_text(
        f"defaults\n  mode http\n  timeout connect 1s\n  timeout server 5s\n{limits}\n"
        f"frontend f\n  bind 127.0.0.1:{port}\n  http-request return status 200 content-type text/plain string ok\n"
    )
    libraries = {"LD_LIBRARY_PATH": str(fetched("root/usr/lib/x86_64-linux-gnu") or "")}
    return [executable("haproxy", "root/usr/sbin/haproxy"), "-f", str(folder / "haproxy.cfg")], libraries


def _rows(quiet: str, *rows: dict[str, str]) -> tuple[Values, ...]:
    return tuple({**row, "quiet": quiet} for row in rows)


def _plain(name: str, parameter: str) -> Oracle:
    return Oracle(
        name=f"{name} closes after {parameter}",
        kind=name,
        accepted=_rows("1s", {parameter: "2s"}),
        refused=_rows("2500ms", {parameter: "1s"}),
    )


UVICORN, HYPERCORN, WAITRESS, NGINX = (
    _plain("uvicorn", "timeout_keep_alive"),
    _plain("hypercorn", "keep_alive_timeout"),
    _plain("waitress", "channel_timeout"),
    _plain("nginx", "keepalive_timeout"),
)

GTHREAD = Oracle(
    name="gunicorn's threads close after keepalive",
    kind="gunicorn",
    accepted=_rows("1s", {"worker_class": "gthread", "threads": "2", "keepalive": "2s"}),
    refused=_rows("2500ms", {"worker_class": "gthread", "threads": "2", "keepalive": "1s"}),
)

NODE = Oracle(
    name="Node closes one second after keepAliveTimeout",
    kind="node",
    accepted=_rows("1500ms", {"keepAliveTimeout": "1s"}),
    refused=_rows("2500ms", {"keepAliveTimeout": "1s"}),
)

HAPROXY = Oracle(
    name="HAProxy closes after http-keep-alive, else http-request, else client",
    kind="haproxy",
    accepted=_rows(
        "1s",
        {"client": "3s", "http-keep-alive": "2s"},
        {"client": "3s", "http-request": "1s", "http-keep-alive": "2s"},
        {"client": "2s"},
    ),
    refused=_rows(
        "1500ms", {"client": "3s", "http-keep-alive": "1s"}, {"client": "3s", "http-request": "1s"}, {"client": "1s"}
    ),
)

ORACLES = (UVICORN, HYPERCORN, WAITRESS, NGINX, GTHREAD, NODE, HAPROXY)

APART = (
    Oracle(
        name="gunicorn's sync workers keep no connection at all, unless they have threads, which makes them gthread",
        kind="gunicorn",
        accepted=_rows("1s", {"worker_class": "sync", "threads": "2", "keepalive": "5s"}),
        refused=_rows("0s", {"worker_class": "sync", "threads": "1", "keepalive": "5s"}),
    ),
    Oracle(
        name="before the mending of its issue 2334 HAProxy does not outlast timeout client",
        kind="old haproxy",
        accepted=(),
        refused=_rows("1500ms", {"client": "1s", "http-keep-alive": "3s"}),
    ),
)

_SERVERS = {
    "uvicorn": _uvicorn,
    "hypercorn": _hypercorn,
    "waitress": _waitress,
    "gunicorn": _gunicorn,
    "node": _node,
    "nginx": _nginx,
    "haproxy": _haproxy,
    "old haproxy": _haproxy,
}


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((*ORACLES, *APART)))
def test_servers_close_idle_connections_then(tmp_path: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    port = _free_port()
    command, env = _SERVERS[oracle.kind](values, port, tmp_path)
    if (
        oracle.kind == "old haproxy"
        and "version 2.6.12"
        not in subprocess.run([command[0], "-v"], capture_output=True, text=True, env=env, check=False).stdout
    ):
        pytest.skip("a HAProxy of another version")
    assert _second_request(command, port, values["quiet"], tmp_path, **env) is accepted
