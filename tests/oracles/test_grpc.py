"""gRPC reads its service config when a channel is made, and says so to the first call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from typing import Any

import pytest

from oracles.asking import Oracle, Values, cases, ms, us

#: A healthy one; backoffs below about 1 ms are 0 to gRPC's C core.
_POLICY = {
    "maxAttempts": 3,
    "initialBackoff": "0.010s",
    "maxBackoff": "0.010s",
    "backoffMultiplier": 1,
    "retryableStatusCodes": ["UNAVAILABLE"],
}


def _config(values: Values) -> str:
    policy: dict[str, object] = dict(_POLICY)
    for name, text in values.items():
        policy[name] = f"{us(text) / 10**6:.6f}s" if "Backoff" in name else float(text) if "." in text else int(text)
    return json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": policy}]})


@contextmanager
def _channel(values: Values, port: int) -> Iterator[Any]:
    grpc = pytest.importorskip("grpc")
    options = [("grpc.service_config", _config(values)), ("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        yield channel


def _valid(values: Values) -> bool:
    grpc = pytest.importorskip("grpc")
    with _channel(values, 1) as channel, pytest.raises(grpc.RpcError) as failure:
        channel.unary_unary("/oracle/call")(b"", timeout=0.05)
    if failure.value.code() is grpc.StatusCode.INVALID_ARGUMENT:
        assert "errors validating service config" in failure.value.details()
        return False
    return True


ATTEMPTS = Oracle(
    name="maxAttempts below 2 is refused",
    accepts=_valid,
    accepted=({"maxAttempts": "2"}, {"maxAttempts": "3"}),
    refused=({"maxAttempts": "1"}, {"maxAttempts": "0"}),
)

INITIAL = Oracle(
    name="initialBackoff 0 is refused",
    accepts=_valid,
    accepted=({"initialBackoff": "1ms"},),
    refused=({"initialBackoff": "0s"},),
)

MAXIMUM = Oracle(
    name="maxBackoff 0 is refused",
    accepts=_valid,
    accepted=({"maxBackoff": "1ms"}, {"maxBackoff": "1ms", "initialBackoff": "2ms"}),
    refused=({"maxBackoff": "0s"},),
)

MULTIPLIER = Oracle(
    name="backoffMultiplier 0 is refused",
    accepts=_valid,
    accepted=({"backoffMultiplier": "0.001"}, {"backoffMultiplier": "1"}),
    refused=({"backoffMultiplier": "0"},),
)


@pytest.mark.oracle
def test_backoffs_below_1_ms_are_0_to_the_c_core() -> None:
    assert not _valid({"initialBackoff": "999us"})
    assert not _valid({"maxBackoff": "999us"})
    assert _valid({"initialBackoff": "1001us"})


def _attempts(values: Values) -> int:
    """How often a server is asked that always answers UNAVAILABLE."""
    grpc, calls = pytest.importorskip("grpc"), []

    def refuse(_: bytes, context: Any) -> None:
        calls.append(1)
        context.abort(grpc.StatusCode.UNAVAILABLE, "no")

    server = grpc.server(futures.ThreadPoolExecutor(1))
    method = grpc.unary_unary_rpc_method_handler(refuse)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("oracle", {"call": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with _channel(values, port) as channel, pytest.raises(grpc.RpcError) as failure:
            channel.unary_unary("/oracle/call")(b"", timeout=5)
        assert failure.value.code() is grpc.StatusCode.UNAVAILABLE
    finally:
        server.stop(0)
    return len(calls)


CAP = Oracle(
    name="more than 5 attempts are not made",
    accepts=lambda values: _attempts(values) == int(values["maxAttempts"]),
    accepted=({"maxAttempts": "4"}, {"maxAttempts": "5"}),
    refused=({"maxAttempts": "6"},),
)

ORACLES = (ATTEMPTS, INITIAL, MAXIMUM, MULTIPLIER, CAP)


@pytest.mark.oracle
@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(ORACLES))
def test_grpc_draws_the_line_there(oracle: Oracle, values: Values, accepted: bool) -> None:
    assert oracle.asked(values) is accepted


def _survives(values: Values) -> bool:
    """Whether a quiet call of 7 s lasts; the third ping that comes too early ends it."""
    grpc = pytest.importorskip("grpc")
    wait = futures.Future[None]()

    def answer(_: bytes, __: Any) -> bytes:
        try:
            wait.result(7)
        except TimeoutError:
            return b""
        return b""

    permit = ms(values["permit_keepalive_time"])
    server = grpc.server(
        futures.ThreadPoolExecutor(1),
        options=[("grpc.http2.min_ping_interval_without_data_ms", permit), ("grpc.http2.max_ping_strikes", 2)],
    )
    method = grpc.unary_unary_rpc_method_handler(answer)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("oracle", {"call": method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    options = [
        ("grpc.keepalive_time_ms", ms(values["keepalive_time"])),
        ("grpc.keepalive_timeout_ms", 5000),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.use_local_subchannel_pool", 1),
    ]
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            channel.unary_unary("/oracle/call")(b"", timeout=20)
    except grpc.RpcError as error:
        if error.details() != "Too many pings":
            raise
        return False
    finally:
        wait.cancel()
        server.stop(0)
    return True


#: Values from 1 s on: the C core pings once a second where it is told to ping more often.
PINGS = Oracle(
    name="keepalive_time below permit_keepalive_time ends the connection",
    accepts=_survives,
    accepted=(
        {"keepalive_time": "1s", "permit_keepalive_time": "900ms"},
        {"keepalive_time": "1s", "permit_keepalive_time": "1s"},
    ),
    refused=(
        {"keepalive_time": "1s", "permit_keepalive_time": "2s"},
        {"keepalive_time": "1s", "permit_keepalive_time": "5min"},
    ),
)

HEAVY = (PINGS,)


@pytest.mark.oracle_heavy
@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(HEAVY))
def test_grpc_servers_tolerate_no_faster_pings(oracle: Oracle, values: Values, accepted: bool) -> None:
    assert oracle.asked(values) is accepted


@pytest.mark.oracle_heavy
def test_the_c_core_pings_once_a_second_at_most() -> None:
    assert _survives({"keepalive_time": "100ms", "permit_keepalive_time": "900ms"})
