"""Go's net/http is asked by a program of its own: what fails is a request, not the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.asking import Answers, Oracle, Values, ask_all, cases, executable, fetched, ms, us

pytestmark = pytest.mark.oracle_heavy

_HERE = Path(__file__).parent


def _go(program: str, oracles: tuple[Oracle, ...], folder: Path, **env: str) -> Answers:
    go = executable("go", "py/go/bin/go")
    env = {
        "GO111MODULE": "off",
        "GOTOOLCHAIN": "local",
        "GOCACHE": str(fetched("gocache") or folder.parent / "go-cache"),
        "GOPATH": str(folder),
        **env,
    }
    if go == str(fetched("py/go/bin/go")):
        env["GOROOT"] = str(fetched("py/go"))
    number = us if program.startswith("raft") else ms
    return ask_all((go, "run", str(_HERE / program)), oracles, number, env=env, timeout=300)


def _health(*rows: tuple[str, str, str]) -> tuple[Values, ...]:
    return tuple({"SendPingTimeout": a, "PingTimeout": b, "deadline": c} for a, b, c in rows)


HEALTH = Oracle(
    name="a retry is answered only if the dead connection was found before the deadline",
    kind="health check",
    accepted=_health(("1s", "1s", "2500ms"), ("500ms", "1500ms", "2500ms")),
    refused=_health(("1s", "1s", "1500ms"), ("1s", "1s", "2s"), ("2s", "1s", "2500ms"), ("1s", "2s", "2500ms")),
)

ENABLED = Oracle(
    name="a PingTimeout alone checks nothing",
    kind="health check",
    accepted=_health(("1s", "1s", "2500ms")),
    refused=_health(("0s", "1s", "2500ms")),
)

HEADER = Oracle(
    name="a header later than ReadTimeout leaves no time for the body, whatever ReadHeaderTimeout allows",
    kind="slow header",
    accepted=(
        {"ReadHeaderTimeout": "1s", "ReadTimeout": "2s", "header": "900ms"},
        {"ReadHeaderTimeout": "2s", "ReadTimeout": "2s", "header": "1500ms"},
    ),
    refused=({"ReadHeaderTimeout": "2s", "ReadTimeout": "1s", "header": "1500ms"},),
)

HANDLER = Oracle(
    name="the 503 of http.TimeoutHandler is lost from WriteTimeout on",
    kind="timeout handler",
    accepted=(
        {"dt": "500ms", "WriteTimeout": "1s"},
        {"dt": "500ms", "WriteTimeout": "0s"},
    ),
    refused=({"dt": "500ms", "WriteTimeout": "500ms"}, {"dt": "1s", "WriteTimeout": "500ms"}),
)

IDLE = Oracle(
    name="an idle connection lasts IdleTimeout, else ReadTimeout, else for ever",
    kind="idle",
    accepted=(
        {"IdleTimeout": "2s", "ReadTimeout": "500ms", "quiet": "1s"},
        {"ReadTimeout": "2s", "quiet": "1s"},
        {"ReadHeaderTimeout": "500ms", "quiet": "1s"},
        {"quiet": "1s"},
    ),
    refused=(
        {"IdleTimeout": "500ms", "ReadTimeout": "5s", "quiet": "1s"},
        {"ReadTimeout": "500ms", "quiet": "1s"},
    ),
)

ORACLES = (HEALTH, ENABLED, HEADER, HANDLER, IDLE)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return _go("go_questions.go", ORACLES, tmp_path_factory.mktemp("go"))


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(ORACLES))
def test_go_draws_the_line_there(answers: Answers, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert answers[oracle.name, str(values)] is accepted


def _timers(*rows: tuple[str, str, str]) -> tuple[Values, ...]:
    return tuple({"HeartbeatTimeout": a, "ElectionTimeout": b, "LeaderLeaseTimeout": c} for a, b, c in rows)


LEASE = Oracle(
    name="a LeaderLeaseTimeout beyond HeartbeatTimeout is refused",
    accepted=_timers(("1s", "1s", "999ms"), ("1s", "1s", "1s")),
    refused=_timers(("1s", "2s", "1001ms")),
)

ELECTION = Oracle(
    name="an ElectionTimeout below HeartbeatTimeout is refused",
    accepted=_timers(("1s", "1001ms", "500ms"), ("1s", "1s", "500ms")),
    refused=_timers(("1s", "999ms", "500ms")),
)

SMALLEST = Oracle(
    name="timers below 5 ms, and a CommitTimeout below 1 ms, are refused",
    accepted=(*_timers(("5ms", "5ms", "5ms")), {"CommitTimeout": "1ms"}),
    refused=(
        *_timers(("4999us", "5ms", "4999us"), ("4999us", "4999us", "4999us"), ("1s", "1s", "4999us")),
        {"CommitTimeout": "999us"},
    ),
)

RAFT = (LEASE, ELECTION, SMALLEST)


@pytest.fixture(scope="module")
def raft(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    sources = fetched("root/usr/share/gocode") or Path("/usr/share/gocode")
    if not (sources / "src/github.com/hashicorp/raft").exists():
        pytest.skip("hashicorp/raft is not at hand")
    return _go("raft_questions.go", RAFT, tmp_path_factory.mktemp("raft"), GOPATH=str(sources))


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(RAFT))
def test_raft_draws_the_line_there(raft: Answers, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert raft[oracle.name, str(values)] is accepted
