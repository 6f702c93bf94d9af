"""kafka-python checks its configuration in the constructors."""

from __future__ import annotations

import sys

import pytest

from oracles.asking import Answers, Oracle, Values, ask_all, cases, ms

pytestmark = pytest.mark.oracle

#: In a process of its own: a client that refuses its configuration leaves threads and sockets behind. Nobody listens at port 1, and nobody is waited for.
_PROGRAM = """
import json, logging, os, sys
from kafka import KafkaConsumer, KafkaProducer
from kafka.errors import KafkaConfigurationError

logging.disable()

def accepts(kind, settings):
    nowhere = {"bootstrap_servers": "127.0.0.1:1", "api_version": (2, 6)}
    try:
        if kind == "consumer":
            KafkaConsumer(group_id="oracle", **nowhere, **settings).close()
        else:
            KafkaProducer(**nowhere, **settings).close(timeout=0)
    except KafkaConfigurationError:
        return False
    return True

print(json.dumps([accepts(*row) for row in json.load(sys.stdin)]), flush=True)
os._exit(0)
"""
_COMMAND = (sys.executable, "-W", "ignore", "-c", _PROGRAM)

HEARTBEAT = Oracle(
    name="heartbeat_interval_ms from session_timeout_ms on is refused",
    kind="consumer",
    accepted=({"heartbeat_interval_ms": "9999ms", "session_timeout_ms": "10s"},),
    refused=(
        {"heartbeat_interval_ms": "10s", "session_timeout_ms": "10s"},
        {"heartbeat_interval_ms": "10001ms", "session_timeout_ms": "10s"},
    ),
)

FETCH = Oracle(
    name="request_timeout_ms up to fetch_max_wait_ms is refused",
    kind="consumer",
    accepted=({"request_timeout_ms": "10s", "fetch_max_wait_ms": "9999ms"},),
    refused=(
        {"request_timeout_ms": "10s", "fetch_max_wait_ms": "10s"},
        {"request_timeout_ms": "10s", "fetch_max_wait_ms": "10001ms"},
    ),
)

IDLE = Oracle(
    name="connections_max_idle_ms up to request_timeout_ms is refused",
    kind="consumer",
    accepted=({"connections_max_idle_ms": "10001ms", "request_timeout_ms": "10s"},),
    refused=(
        {"connections_max_idle_ms": "10s", "request_timeout_ms": "10s"},
        {"connections_max_idle_ms": "9999ms", "request_timeout_ms": "10s"},
    ),
)

DELIVERY = Oracle(
    name="delivery_timeout_ms below linger_ms + request_timeout_ms is refused",
    kind="producer",
    accepted=(
        {"delivery_timeout_ms": "6001ms", "linger_ms": "1s", "request_timeout_ms": "5s"},
        {"delivery_timeout_ms": "6s", "linger_ms": "1s", "request_timeout_ms": "5s"},
    ),
    refused=(
        {"delivery_timeout_ms": "5999ms", "linger_ms": "1s", "request_timeout_ms": "5s"},
        {"delivery_timeout_ms": "6s", "linger_ms": "1001ms", "request_timeout_ms": "5s"},
    ),
)

ORACLES = (HEARTBEAT, FETCH, IDLE, DELIVERY)


APART = (
    Oracle(
        name="linger_ms alone is measured against the defaults, 30 s and 120 s; the Java producer raises them",
        kind="producer",
        accepted=({"linger_ms": "90s"},),
        refused=({"linger_ms": "90001ms"},),
    ),
    Oracle(
        name="a session may outlast the poll interval, which librdkafka refuses",
        kind="consumer",
        accepted=({"session_timeout_ms": "10s", "max_poll_interval_ms": "9999ms"},),
        refused=(),
    ),
    Oracle(
        name="only the consumer compares idle with request",
        kind="producer",
        accepted=({"connections_max_idle_ms": "9999ms", "request_timeout_ms": "10s"},),
        refused=(),
    ),
)


@pytest.fixture(scope="module")
def answers() -> Answers:
    pytest.importorskip("kafka")
    return ask_all(_COMMAND, (*ORACLES, *APART), ms)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((*ORACLES, *APART)))
def test_kafka_python_draws_the_line_there(answers: Answers, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert answers[oracle.name, str(values)] is accepted
