"""librdkafka checks its configuration when a client is made."""

from __future__ import annotations

import pytest

from oracles.asking import Oracle, Values, cases, ms

pytestmark = pytest.mark.oracle


def _consumer(values: Values) -> bool:
    return _made("Consumer", values, {"group.id": "oracle"})


def _producer(values: Values) -> bool:
    return _made("Producer", values, {})


def _transactional(values: Values) -> bool:
    return _made("Producer", values, {"transactional.id": "oracle"})


def _made(which: str, values: Values, more: dict[str, str]) -> bool:
    kafka = pytest.importorskip("confluent_kafka")
    settings = {**more, "log_level": 0, **{name: ms(value) for name, value in values.items()}}
    try:
        client = getattr(kafka, which)(settings)
    except kafka.KafkaException as error:
        if error.args[0].code() != kafka.KafkaError._INVALID_ARG:
            raise
        return False
    if which == "Consumer":
        client.close()
    return True


def _pairs(first: str, second: str, *rows: tuple[str, str]) -> tuple[Values, ...]:
    return tuple({first: a, second: b} for a, b in rows)


POLL = Oracle(
    name="max.poll.interval.ms below session.timeout.ms is refused",
    accepts=_consumer,
    accepted=(
        *_pairs("max.poll.interval.ms", "session.timeout.ms", ("300001ms", "5min"), ("5min", "5min")),
        {"max.poll.interval.ms": "45s"},
    ),
    # The second is measured against the default of session.timeout.ms, 45 s.
    refused=(
        *_pairs("max.poll.interval.ms", "session.timeout.ms", ("5min", "300001ms"), ("299999ms", "5min")),
        {"max.poll.interval.ms": "44999ms"},
    ),
)

MESSAGE = Oracle(
    name="message.timeout.ms up to linger.ms is refused",
    accepts=_producer,
    accepted=_pairs("linger.ms", "message.timeout.ms", ("4ms", "5ms"), ("10s", "10001ms")),
    refused=_pairs("linger.ms", "message.timeout.ms", ("5ms", "5ms"), ("6ms", "5ms"), ("10s", "10s")),
)

RECONNECT = Oracle(
    name="reconnect.backoff.max.ms below reconnect.backoff.ms is refused",
    accepts=_producer,
    accepted=(
        *_pairs("reconnect.backoff.ms", "reconnect.backoff.max.ms", ("999ms", "1s"), ("1s", "1s")),
        {"reconnect.backoff.ms": "10s"},
        {"reconnect.backoff.max.ms": "100ms"},
    ),
    # The last two are measured against the defaults, 100 ms and 10 s.
    refused=(
        *_pairs("reconnect.backoff.ms", "reconnect.backoff.max.ms", ("1001ms", "1s")),
        {"reconnect.backoff.ms": "10001ms"},
        {"reconnect.backoff.max.ms": "99ms"},
    ),
)

TRANSACTION = Oracle(
    name="message.timeout.ms beyond transaction.timeout.ms is refused",
    accepts=_transactional,
    accepted=_pairs("message.timeout.ms", "transaction.timeout.ms", ("59999ms", "60s"), ("60s", "60s")),
    refused=_pairs("message.timeout.ms", "transaction.timeout.ms", ("60001ms", "60s"), ("60s", "59999ms")),
)

SOCKET = Oracle(
    name="socket.timeout.ms beyond transaction.timeout.ms + 100 is refused",
    accepts=lambda values: _transactional({"message.timeout.ms": "1s", **values}),
    accepted=_pairs("socket.timeout.ms", "transaction.timeout.ms", ("60099ms", "60s"), ("60100ms", "60s")),
    refused=_pairs("socket.timeout.ms", "transaction.timeout.ms", ("60101ms", "60s"), ("60100ms", "59999ms")),
)

ORACLES = (POLL, MESSAGE, RECONNECT, TRANSACTION, SOCKET)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(ORACLES))
def test_librdkafka_draws_the_line_there(oracle: Oracle, values: Values, accepted: bool) -> None:
    assert oracle.asked(values) is accepted


def test_a_heartbeat_as_long_as_the_session_is_not_looked_at() -> None:
    """The Java client and kafka-python refuse it."""
    assert _consumer({"heartbeat.interval.ms": "10001ms", "session.timeout.ms": "10s"})


def test_linger_alone_may_pass_the_default_message_timeout() -> None:
    """5 min; the default is raised instead."""
    assert _producer({"linger.ms": "400s"})


def test_timeouts_left_at_their_defaults_fit_any_transaction_timeout() -> None:
    """Both are refused if they are written down: message.timeout.ms 300000, socket.timeout.ms 60000."""
    assert _transactional({"transaction.timeout.ms": "50s"})
    assert not _transactional({"transaction.timeout.ms": "50s", "message.timeout.ms": "300s"})
    assert not _transactional({"transaction.timeout.ms": "50s", "message.timeout.ms": "1s", "socket.timeout.ms": "60s"})


def test_message_timeout_0_for_ever_is_accepted_with_transactions() -> None:
    assert _transactional({"message.timeout.ms": "0s", "transaction.timeout.ms": "60s"})
