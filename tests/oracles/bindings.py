"""What of the catalogue draws the line that a software draws: for each oracle the rules, and the catalogue's names for its values."""

from __future__ import annotations

from collections.abc import Mapping

from oracles import (
    test_aws,
    test_celery,
    test_envoy,
    test_etcd,
    test_go,
    test_grpc,
    test_hikari,
    test_idle,
    test_kafka_python,
    test_librdkafka,
    test_node,
    test_postgres,
    test_prometheus,
    test_pymongo,
    test_sentinel,
    test_zookeeper,
)
from oracles.asking import Bound, Oracle

__all__ = ["BINDINGS"]


def _one(rules: str, kind: str, names: Mapping[str, str], /, *, also: str = "", **options: str) -> Bound:
    """One component `it`; `rules` are relations, or bounds of a parameter as `name.min`; `also` is what is set besides."""
    return Bound(
        components={"it": {"kind": kind, **options}},
        rules=tuple(f"{rule}@it" if "/" in rule else f"it.{rule}" for rule in rules.split()),
        names={name: f"it.{parameter}" for name, parameter in names.items()},
        besides={f"it.{name}": value for name, value in (pair.split("=") for pair in also.split())},
    )


def _two(relation: str, kinds: tuple[str, str], names: Mapping[str, str], /) -> Bound:
    """A connection from `asks` to `answers`."""
    return Bound(
        components={"asks": {"kind": kinds[0]}, "answers": {"kind": kinds[1]}},
        rules=(f"{relation}@asks:answers",),
        names=dict(names),
        links=("asks -> answers",),
    )


def _served(kind: str, names: Mapping[str, str], /, relation: str = "http/pool-closes-first", **options: str) -> Bound:
    """A pool that would use a connection again after `quiet`, and a server."""
    return Bound(
        components={"asks": {"kind": "httpx"}, "answers": {"kind": kind, **options}},
        rules=(f"{relation}@asks:answers",),
        names={"quiet": "asks.keepalive_expiry", **{name: f"answers.{parameter}" for name, parameter in names.items()}},
        links=("asks -> answers",),
    )


_CONSUMER = {
    "max.poll.interval.ms": "max_poll_interval",
    "session.timeout.ms": "session_timeout",
    "heartbeat_interval_ms": "heartbeat_interval",
    "session_timeout_ms": "session_timeout",
    "request_timeout_ms": "request_timeout",
    "fetch_max_wait_ms": "fetch_max_wait",
    "connections_max_idle_ms": "connections_max_idle",
}
_PRODUCER = {
    "linger.ms": "linger",
    "message.timeout.ms": "message_timeout",
    "reconnect.backoff.ms": "reconnect_backoff",
    "reconnect.backoff.max.ms": "reconnect_backoff_max",
    "transaction.timeout.ms": "transaction_timeout",
    "socket.timeout.ms": "socket_timeout",
    "delivery_timeout_ms": "delivery_timeout",
    "linger_ms": "linger",
    "request_timeout_ms": "request_timeout",
}
_MONGO = {"heartbeatFrequencyMS": "heartbeat_frequency", "maxStalenessSeconds": "max_staleness"}
_GRPC = {
    "maxAttempts": "max_attempts",
    "initialBackoff": "initial_backoff",
    "maxBackoff": "max_backoff",
    "backoffMultiplier": "backoff_multiplier",
}
_ETCD = {"heartbeat-interval": "heartbeat_interval", "election-timeout": "election_timeout"}
_HIKARI = {
    "maxLifetime": "max_lifetime",
    "idleTimeout": "idle_timeout",
    "connectionTimeout": "connection_timeout",
    "validationTimeout": "validation_timeout",
    "leakDetectionThreshold": "leak_detection_threshold",
}
_RAFT = {
    "HeartbeatTimeout": "heartbeat_timeout",
    "ElectionTimeout": "election_timeout",
    "LeaderLeaseTimeout": "leader_lease_timeout",
    "CommitTimeout": "commit_timeout",
}
_ZOOKEEPER = {
    "minSessionTimeout": "min_session_timeout",
    "maxSessionTimeout": "max_session_timeout",
    "tickTime": "tick_time",
}
_SENTINEL = {"down-after-milliseconds": "down_after", "failover-timeout": "failover_timeout"}
_CHECK = {"timeout": "check_timeout", "interval": "check_interval"}
_QUEUE = {"VisibilityTimeout": "visibility_timeout", "ReceiveMessageWaitTimeSeconds": "receive_wait_time"}
_POSTGRES = {
    name: name
    for name in ("statement_timeout", "transaction_timeout", "idle_in_transaction_session_timeout", "lock_timeout")
}
_GO_SERVER = {"dt": "handler_timeout", "WriteTimeout": "write_timeout"}

BINDINGS: Mapping[Oracle, Bound] = {
    test_librdkafka.POLL: _one("librdkafka/poll-above-session", "librdkafka.consumer", _CONSUMER),
    test_librdkafka.MESSAGE: _one("librdkafka/message-outlasts-linger", "librdkafka.producer", _PRODUCER),
    test_librdkafka.RECONNECT: _one("librdkafka/reconnect-waits-grow", "librdkafka.producer", _PRODUCER),
    test_librdkafka.TRANSACTION: _one(
        "librdkafka/message-within-transaction", "librdkafka.producer", _PRODUCER, transactional="yes"
    ),
    test_librdkafka.SOCKET: _one(
        "librdkafka/request-within-transaction", "librdkafka.producer", _PRODUCER, transactional="yes"
    ),
    test_kafka_python.HEARTBEAT: _one(
        "kafka/heartbeat-before-session-ends", "kafka.consumer", _CONSUMER, library="kafka-python"
    ),
    test_kafka_python.FETCH: _one("kafka/request-outlasts-fetch", "kafka.consumer", _CONSUMER, library="kafka-python"),
    test_kafka_python.IDLE: _one(
        "kafka/python-connection-outlives-request", "kafka.consumer", _CONSUMER, library="kafka-python"
    ),
    test_kafka_python.DELIVERY: _one("kafka/delivery-covers-attempt", "kafka.producer", _PRODUCER),
    test_pymongo.HEARTBEAT: _one("heartbeat_frequency.min", "mongodb.driver", _MONGO),
    test_pymongo.STALENESS: _one("mongodb/staleness-can-be-measured", "mongodb.driver", _MONGO),
    test_pymongo.SMALLEST: _one("max_staleness.min", "mongodb.driver", _MONGO),
    test_celery.LIMITS: _one(
        "celery/soft-limit-within-hard",
        "celery",
        {"task_soft_time_limit": "task_soft_time_limit", "task_time_limit": "task_time_limit"},
    ),
    test_grpc.ATTEMPTS: _one("max_attempts.min", "grpc.client", _GRPC),
    test_grpc.CAP: _one("max_attempts.max", "grpc.client", _GRPC),
    test_grpc.INITIAL: _one("initial_backoff.min", "grpc.client", _GRPC),
    test_grpc.MAXIMUM: _one("max_backoff.min", "grpc.client", _GRPC),
    test_grpc.PINGS: _two(
        "grpc/pings-not-too-often",
        ("grpc.client", "grpc.server"),
        {"keepalive_time": "asks.keepalive_time", "permit_keepalive_time": "answers.permit_keepalive_time"},
    ),
    test_node.HEADERS: _one(
        "node/headers-within-request",
        "node.http-server",
        {"headersTimeout": "headers_timeout", "requestTimeout": "request_timeout"},
        version="20",
    ),
    test_etcd.FIVE: _one("etcd/election-five-heartbeats", "etcd", _ETCD),
    test_etcd.LONGEST: _one("election_timeout.max", "etcd", _ETCD),
    test_etcd.POSITIVE: _one("heartbeat_interval.min election_timeout.min", "etcd", _ETCD),
    test_prometheus.SCRAPE: _one(
        "prometheus/timeout-within-interval",
        "prometheus",
        {"scrape_interval": "scrape_interval", "scrape_timeout": "scrape_timeout"},
    ),
    test_sentinel.POSITIVE: _one("down_after.min failover_timeout.min", "redis.sentinel", _SENTINEL),
    test_envoy.BACKOFF: _one(
        "envoy/backoff-order",
        "envoy",
        {"backoff.base_interval": "base_interval", "backoff.max_interval": "max_interval"},
    ),
    test_hikari.LIFETIME: _one("max_lifetime.min", "hikaricp", _HIKARI),
    test_hikari.IDLE: _one("idle_timeout.min", "hikaricp", _HIKARI),
    test_hikari.IDLE_IN_LIFETIME: _one("hikaricp/idle-limit-acts", "hikaricp", _HIKARI, also="minimum_idle=1"),
    test_hikari.CONNECTION: _one("connection_timeout.min", "hikaricp", _HIKARI),
    test_hikari.VALIDATION: _one("validation_timeout.min", "hikaricp", _HIKARI),
    test_hikari.LEAK: _one("leak_detection_threshold.min", "hikaricp", _HIKARI),
    test_hikari.LEAK_IN_LIFETIME: _one("hikaricp/leak-detection-acts", "hikaricp", _HIKARI),
    test_go.LEASE: _one("raft/lease-within-heartbeat-timeout", "hashicorp.raft", _RAFT),
    test_go.ELECTION: _one("raft/election-covers-heartbeat-timeout", "hashicorp.raft", _RAFT),
    test_go.SMALLEST: _one(
        "heartbeat_timeout.min election_timeout.min leader_lease_timeout.min commit_timeout.min",
        "hashicorp.raft",
        _RAFT,
    ),
    test_go.HANDLER: _one("go/handler-limit-before-write-limit", "go.http-server", _GO_SERVER),
    test_go.HEADER: _one(
        "go/read-header-within-read",
        "go.http-server",
        {"ReadHeaderTimeout": "read_header_timeout", "ReadTimeout": "read_timeout"},
    ),
    test_go.HEALTH: _one(
        "http/dead-connection-found-in-time",
        "go.http2-client",
        {"SendPingTimeout": "send_ping", "PingTimeout": "ping", "deadline": "context_deadline"},
    ),
    test_go.IDLE: _served(
        "go.http-server",
        {"IdleTimeout": "idle_timeout", "ReadTimeout": "read_timeout", "ReadHeaderTimeout": "read_header_timeout"},
    ),
    test_idle.UVICORN: _served("uvicorn", {"timeout_keep_alive": "timeout_keep_alive"}),
    test_idle.HYPERCORN: _served("hypercorn", {"keep_alive_timeout": "keep_alive_timeout"}),
    test_idle.WAITRESS: _served("waitress", {"channel_timeout": "channel_timeout"}),
    test_idle.NGINX: _served("nginx", {"keepalive_timeout": "keepalive_timeout"}),
    test_idle.GTHREAD: _served("gunicorn", {"keepalive": "keepalive"}, worker_class="gthread"),
    test_idle.NODE: _served("node.http-server", {"keepAliveTimeout": "keep_alive_timeout"}, version="20.20"),
    test_idle.HAPROXY: _served(
        "haproxy", {"client": "client", "http-keep-alive": "http_keep_alive", "http-request": "http_request"}
    ),
    test_go.ENABLED: _one(
        "go/ping-needs-interval", "go.http2-client", {"SendPingTimeout": "send_ping", "PingTimeout": "ping"}
    ),
    test_zookeeper.BOUNDS: _one(
        "zookeeper/session-range-not-empty", "zookeeper.server", _ZOOKEEPER, also="tick_time=2s"
    ),
    test_zookeeper.TICK: _one("tick_time.min", "zookeeper.server", _ZOOKEEPER),
    test_zookeeper.SESSION: Bound(
        components={"asks": {"kind": "zookeeper.client"}, "answers": {"kind": "zookeeper.server"}},
        rules=("zookeeper/session-at-least-minimum@asks:answers", "zookeeper/session-at-most-maximum@asks:answers"),
        names={"session": "asks.session_timeout"},
        besides={"answers.min_session_timeout": "3s", "answers.max_session_timeout": "9s"},
        links=("asks -> answers",),
    ),
    test_aws.APPLICATION: _one("lb/alb-check-timeout-below-interval", "aws.alb", _CHECK),
    test_aws.NETWORK: _one("lb/nlb-check-timeout-within-interval", "aws.nlb", _CHECK),
    test_aws.QUEUE: _one("visibility_timeout.max receive_wait_time.max", "sqs.queue", _QUEUE),
    test_aws.VISIBILITY: Bound(
        components={"asks": {"kind": "lambda.function"}, "answers": {"kind": "sqs.queue"}},
        rules=("lambda/visibility-covers-timeout@asks:answers", "answers.visibility_timeout.max"),
        names={"VisibilityTimeout": "answers.visibility_timeout", "Timeout": "asks.timeout"},
        links=("asks -> answers",),
    ),
    test_postgres.STATEMENT: _one(
        "postgres/statement-limit-before-transaction-limit", "postgres", _POSTGRES, version="18"
    ),
    test_postgres.IDLE: _one("postgres/idle-limit-before-transaction-limit", "postgres", _POSTGRES, version="18"),
    test_postgres.LOCK: _one("postgres/lock-limit-before-statement-limit", "postgres", _POSTGRES, version="18"),
}
