"""PyMongo checks the heartbeat at once, and the greatest staleness when it picks a server of a replica set."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from oracles.asking import Oracle, Values, cases, ms, seconds

pytestmark = pytest.mark.oracle


def _client(values: Values) -> Any:
    pymongo = pytest.importorskip("pymongo")
    options = {
        "heartbeatFrequencyMS": ms(values.get("heartbeatFrequencyMS", "10s")),
        "maxStalenessSeconds": seconds(values.get("maxStalenessSeconds", "120s")),
    }
    return pymongo.MongoClient(
        "mongodb://127.0.0.1:1/?readPreference=secondary", replicaSet="rs", connect=False, **options
    )


def _made(values: Values) -> bool:
    errors = pytest.importorskip("pymongo.errors")
    try:
        _client(values)
    except errors.ConfigurationError:
        return False
    return True


def _selects(values: Values) -> bool:
    """Whether a secondary is picked, in a replica set that is described and not there."""
    client, errors = _client(values), pytest.importorskip("pymongo.errors")
    descriptions, hello = pytest.importorskip("pymongo.server_description"), pytest.importorskip("pymongo.hello")
    topology = pytest.importorskip("pymongo.topology_description")
    address = ("127.0.0.1", 1)
    answer = {
        "ok": 1,
        "setName": "rs",
        "hosts": ["127.0.0.1:1"],
        "secondary": True,
        "minWireVersion": 0,
        "maxWireVersion": 25,
        "lastWrite": {"lastWriteDate": datetime.datetime(2026, 1, 1)},
    }
    server = descriptions.ServerDescription(address, hello.Hello(answer), round_trip_time=0.001)
    kind = topology.TOPOLOGY_TYPE.ReplicaSetNoPrimary
    settings = client._topology_settings
    described = topology.TopologyDescription(kind, {address: server}, "rs", None, None, settings)
    try:
        return bool(described.apply_selector(client.read_preference) == [server])
    except errors.ConfigurationError as error:
        if "maxStalenessSeconds must be at least" not in str(error):
            raise
        return False


HEARTBEAT = Oracle(
    name="heartbeatFrequencyMS below 500 is refused",
    accepts=_made,
    accepted=({"heartbeatFrequencyMS": "500ms"}, {"heartbeatFrequencyMS": "501ms"}),
    refused=({"heartbeatFrequencyMS": "499ms"}, {"heartbeatFrequencyMS": "1ms"}),
)

STALENESS = Oracle(
    name="maxStalenessSeconds below heartbeatFrequencyMS + 10 s is refused",
    accepts=_selects,
    accepted=(
        {"maxStalenessSeconds": "101s", "heartbeatFrequencyMS": "90s"},
        {"maxStalenessSeconds": "100s", "heartbeatFrequencyMS": "90s"},
    ),
    refused=(
        {"maxStalenessSeconds": "99s", "heartbeatFrequencyMS": "90s"},
        {"maxStalenessSeconds": "100s", "heartbeatFrequencyMS": "90001ms"},
    ),
)

SMALLEST = Oracle(
    name="maxStalenessSeconds below 90 is refused",
    accepts=_selects,
    accepted=({"maxStalenessSeconds": "90s"}, {"maxStalenessSeconds": "91s"}),
    refused=({"maxStalenessSeconds": "89s"},),
)

ORACLES = (HEARTBEAT, STALENESS, SMALLEST)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(ORACLES))
def test_pymongo_draws_the_line_there(oracle: Oracle, values: Values, accepted: bool) -> None:
    assert oracle.asked(values) is accepted


def test_a_staleness_below_90_s_passes_the_constructor() -> None:
    assert _made({"maxStalenessSeconds": "89s"})
