"""Envoy validates a configuration without serving it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from oracles.asking import Oracle, Values, cases, executable

pytestmark = pytest.mark.oracle_heavy

_TYPES = "type.googleapis.com/envoy.extensions.filters"


def _bootstrap(values: Values) -> dict[str, Any]:
    """A listener and a cluster; `retry.X` goes to the retry policy, `route.X` to the route, `check.X` to the health check, `cluster.X` to the cluster."""

    def of(part: str) -> dict[str, Any]:
        return {name.removeprefix(f"{part}."): value for name, value in values.items() if name.startswith(f"{part}.")}

    retry: dict[str, Any] = {"retry_on": "5xx"}
    if of("backoff"):
        retry["retry_back_off"] = of("backoff")
    router = {"name": "router", "typed_config": {"@type": f"{_TYPES}.http.router.v3.Router"}}
    route = {
        "match": {"prefix": "/"},
        "route": {"cluster": "c", "retry_policy": {**retry, **of("retry")}, **of("route")},
    }
    manager = {
        "@type": f"{_TYPES}.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "oracle",
        "http_filters": [router],
        "route_config": {"virtual_hosts": [{"name": "v", "domains": ["*"], "routes": [route]}]},
    }
    check = {
        "timeout": "1s",
        "interval": "1s",
        "unhealthy_threshold": 1,
        "healthy_threshold": 1,
        "tcp_health_check": {},
        **of("check"),
    }
    return {
        "static_resources": {
            "listeners": [
                {
                    "name": "l",
                    "address": {"socket_address": {"address": "127.0.0.1", "port_value": 0}},
                    "filter_chains": [{"filters": [{"name": "manager", "typed_config": manager}]}],
                }
            ],
            "clusters": [{"name": "c", "connect_timeout": "1s", "health_checks": [check], **of("cluster")}],
        }
    }


def _valid(values: Values, folder: Path, *flags: str) -> bool:
    program = executable("envoy", "py/envoy/_bin/envoy")
    file = folder / "envoy.json"
    file.write_text(json.dumps(_bootstrap(values)))
    done = subprocess.run(
        [program, "--mode", "validate", "--log-level", "error", "-c", file, *flags],
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stdout + done.stderr
    assert (
        done.returncode == 0
        or "max_interval must greater than or equal to" in told
        or "value must be greater than 0s" in told
    ), told
    return done.returncode == 0


def _backoffs(*rows: tuple[str, str]) -> tuple[Values, ...]:
    return tuple({"backoff.base_interval": a, "backoff.max_interval": b} for a, b in rows)


BACKOFF = Oracle(
    name="a max_interval below base_interval is refused",
    accepted=(*_backoffs(("0.999s", "1s"), ("1s", "1s")), {"backoff.base_interval": "1s"}),
    refused=_backoffs(("1.001s", "1s")),
)

CONNECT = Oracle(
    name="a connect_timeout of 0 is refused",
    accepted=({"cluster.connect_timeout": "0.001s"},),
    refused=({"cluster.connect_timeout": "0s"},),
)

CHECK = Oracle(
    name="a health check's timeout or interval of 0 is refused",
    accepted=({"check.timeout": "0.001s"}, {"check.interval": "0.001s"}),
    refused=({"check.timeout": "0s"}, {"check.interval": "0s"}),
)

ORACLES = (BACKOFF, CONNECT, CHECK)

#: What catalogues and people say beyond that is advice: nothing of it is refused.
APART = (
    Oracle(
        name="a per_try_timeout beyond the route's timeout is accepted",
        accepted=({"retry.per_try_timeout": "2s", "route.timeout": "1s"},),
        refused=(),
    ),
    Oracle(
        name="a health check's timeout beyond its interval is accepted",
        accepted=({"check.timeout": "2s", "check.interval": "1s"},),
        refused=(),
    ),
)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((*ORACLES, *APART)))
def test_envoy_draws_the_line_there(tmp_path: Path, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert _valid(values, tmp_path) is accepted


def test_a_drain_longer_than_the_life_of_the_parent_is_accepted(tmp_path: Path) -> None:
    assert _valid({}, tmp_path, "--drain-time-s", "901", "--parent-shutdown-time-s", "900")
