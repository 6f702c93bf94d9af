"""What `check` and `lint` say where code sets a key by a call: never what the software's default would mean."""

from __future__ import annotations

from pathlib import Path

from cli.running import Outlast

SPEC = """outlast: 1
components: { web: { kind: node.http-server } }
parameters:
  web.keep_alive_timeout: { free: 1s..10min, step: 1s, at: "a.js#keepAliveTimeout" }
"""


def test_check_refuses_a_key_that_a_call_sets(outlast: Outlast, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("server.keepAliveTimeout = Number(process.env.KA);\n")
    (tmp_path / "outlast.yaml").write_text(SPEC)
    run = outlast("check", str(tmp_path / "outlast.yaml"))
    assert (run.code, run.out) == (2, "")
    assert "found a call, which is not read" in run.err


def test_lint_finds_nothing_by_a_default_that_a_call_may_have_replaced(outlast: Outlast, tmp_path: Path) -> None:
    source = "const server = http.createServer({{ headersTimeout: 4000{} }});\n"
    (tmp_path / "a.js").write_text(source.format(""))
    before = outlast("lint", str(tmp_path))
    (tmp_path / "a.js").write_text(source.format(", connectionsCheckingInterval: f()"))
    after = outlast("lint", str(tmp_path))
    finding = "advice node/limits-looked-at-in-time"
    assert finding in before.out
    assert finding not in after.out
    assert "1 component recognised" in after.out
