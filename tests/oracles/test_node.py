"""Node compares two limits of an HTTP server when the server is made."""

from __future__ import annotations

import pytest

from oracles.asking import Answers, Oracle, Values, ask_all, cases, executable, ms

pytestmark = pytest.mark.oracle

_PROGRAM = """
const accepts = ([, options]) => {
  try { require('http').createServer(options); return true; }
  catch (error) { if (error.code !== 'ERR_OUT_OF_RANGE') throw error; return false; }
};
console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')).map(accepts)));
"""

HEADERS = Oracle(
    name="headersTimeout beyond requestTimeout is refused",
    accepted=(
        {"headersTimeout": "1999ms", "requestTimeout": "2s"},
        {"headersTimeout": "2s", "requestTimeout": "2s"},
        {"headersTimeout": "300s"},
        # 0 is no limit, for either of them.
        {"headersTimeout": "60s", "requestTimeout": "0s"},
        {"headersTimeout": "0s", "requestTimeout": "1s"},
    ),
    # The last is measured against the default of requestTimeout, 300 s.
    refused=({"headersTimeout": "2001ms", "requestTimeout": "2s"}, {"headersTimeout": "300001ms"}),
)

ORACLES = (HEADERS,)

APART = (
    Oracle(
        name="a headersTimeout that is not set follows requestTimeout down",
        accepted=({"requestTimeout": "1s"},),
        refused=(),
    ),
    Oracle(
        name="headersTimeout may be shorter than what it is looked at by and than the keep-alive",
        accepted=(
            {"connectionsCheckingInterval": "70s", "headersTimeout": "60s"},
            {"keepAliveTimeout": "70s", "headersTimeout": "60s"},
        ),
        refused=(),
    ),
)


@pytest.fixture(scope="module")
def answers() -> Answers:
    return ask_all((executable("node"), "-e", _PROGRAM), (*ORACLES, *APART), ms)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((*ORACLES, *APART)))
def test_node_draws_the_line_there(answers: Answers, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert answers[oracle.name, str(values)] is accepted
