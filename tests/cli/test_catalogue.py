"""The catalogue from the command line: specs with components, `rules`, `lint` and `init`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import SPECS, Outlast, assert_snapshot

LAYOUTS = [("text", "txt"), ("markdown", "md"), ("json", "json")]


@pytest.mark.parametrize(
    ("command", "layout", "ending", "code"),
    [
        *(("check topology.yaml", *layout, 1) for layout in LAYOUTS),
        ("solve topology.yaml", "text", "txt", 0),
        ("explain --current topology.yaml", "text", "txt", 1),
        *(("lint web", *layout, 1) for layout in LAYOUTS),
    ],
)
def test_a_report_reads_as_its_snapshot(outlast: Outlast, command: str, layout: str, ending: str, code: int) -> None:
    run = outlast(*command.split(), "--format", layout)
    assert (run.code, run.err) == (code, "")
    name = command.replace(".yaml", "").replace(" --", "-").replace(" ", "-")
    assert_snapshot(f"{name}.{ending}", run.out)


def test_a_first_spec_reads_as_its_snapshot(outlast: Outlast) -> None:
    run = outlast("init", "web", "-o", "-")
    assert (run.code, run.err) == (0, "")
    assert_snapshot("init-web.yaml", run.out)


def test_a_first_spec_can_be_checked_and_solved(outlast: Outlast, tmp_path: Path) -> None:
    folder = tmp_path / "web"
    folder.mkdir()
    (folder / "web.yaml").write_bytes((SPECS / "web/web.yaml").read_bytes())
    run = outlast("init", folder, "-o", tmp_path / "outlast.yaml")
    assert run.code == 0
    assert outlast("check", tmp_path).code == outlast("lint", folder).code == 1
    assert outlast("solve", tmp_path).code == 1  # what stands in the files is a decision until somebody sets it free


def test_init_overwrites_nothing_unless_told_to(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text("outlast: 1\ntitle: mine\n")
    run = outlast("init", "web", "-o", spec)
    assert run.code == 2
    assert "--force overwrites it" in run.err
    assert spec.read_text() == "outlast: 1\ntitle: mine\n"
    assert outlast("init", "web", "-o", spec, "--force").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outlast.yaml"]


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_init_never_overwrites_what_is_no_spec_or_was_read(
    outlast: Outlast, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "web.yaml").write_bytes((SPECS / "web/web.yaml").read_bytes())
    (tmp_path / "app.conf").write_text("keepalive = 5\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for name in before:
        assert outlast("init", tmp_path / "web.yaml", "-o", tmp_path / name, *options).code == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_init_for_another_folder_says_which_root_to_allow(
    outlast: Outlast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "web").mkdir()
    (tmp_path / "web/web.yaml").write_bytes((SPECS / "web/web.yaml").read_bytes())
    monkeypatch.chdir(tmp_path)
    run = outlast("init", "web", "-o", "specs/x.yaml")
    assert "outlast check --root . specs/x.yaml" in run.out
    assert outlast("check", "specs/x.yaml", "--root", ".").code == 1


def test_init_takes_no_default_for_what_it_could_not_read(outlast: Outlast, tmp_path: Path) -> None:
    text = (
        (SPECS / "web/web.yaml")
        .read_text()
        .replace("terminationGracePeriodSeconds: 60", 'terminationGracePeriodSeconds: "${GRACE}"')
    )
    (tmp_path / "web.yaml").write_text(text)
    run = outlast("init", tmp_path, "-o", tmp_path / "outlast.yaml")
    assert "--known-only" in run.out
    assert "web_pod.grace: { free: any, unset: unknown }" in (tmp_path / "outlast.yaml").read_text()
    assert outlast("check", tmp_path).code == 2
    assert outlast("check", tmp_path, "--known-only").code == 1


def test_init_writes_nothing_where_nothing_is_recognised(outlast: Outlast, tmp_path: Path) -> None:
    (tmp_path / "notes.yaml").write_text("a: 1\n")
    run = outlast("init", tmp_path, "-o", tmp_path / "outlast.yaml")
    assert run.code == 2
    assert "nothing was recognised in 1 file" in run.err
    assert not (tmp_path / "outlast.yaml").exists()


def test_rules_lists_relations_and_kinds(outlast: Outlast) -> None:
    data = json.loads(outlast("rules", "--format", "json").out)
    assert len(data["relations"]) >= 200
    assert len(data["kinds"]) >= 130
    assert data["relations"]["http/pool-closes-first"]["severity"] == "error"


def test_rules_narrows_to_a_kind_and_to_words(outlast: Outlast) -> None:
    everything = json.loads(outlast("rules", "--format", "json").out)
    hikari = json.loads(outlast("rules", "--kind", "hikaricp", "--format", "json").out)
    assert list(hikari["kinds"]) == ["hikaricp"]
    assert "hikaricp/keep-alive-within-lifetime" in hikari["relations"]
    assert "etcd/election-five-heartbeats" not in hikari["relations"]
    found = json.loads(outlast("rules", "--search", "GOAWAY ping", "--format", "json").out)
    assert 0 < len(found["relations"]) < len(everything["relations"])


@pytest.mark.parametrize("name", ["http/pool-closes-first", "http/pool-closes-first@client:lb", "node.http-server"])
@pytest.mark.parametrize("layout", ["text", "markdown", "json"])
def test_rules_shows_a_page(outlast: Outlast, name: str, layout: str) -> None:
    run = outlast("rules", name, "--format", layout)
    assert (run.code, run.err) == (0, "")
    assert name.partition("@")[0] in run.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["http/pool-closes-frist"], "did you mean 'http/pool-closes-first'?"),
        (["pool-closes-first"], "did you mean"),
        (["--kind", "nginxx"], "unknown kind 'nginxx'; did you mean 'nginx'?"),
        (["nginx", "--kind", "nginx"], "expected a name, or --kind and --search, found both"),
    ],
)
def test_rules_tells_what_it_does_not_have(outlast: Outlast, arguments: list[str], message: str) -> None:
    run = outlast("rules", *arguments)
    assert run.code == 2
    assert message in run.err


def test_rules_says_when_nothing_is_found(outlast: Outlast) -> None:
    run = outlast("rules", "--search", "there is no such word")
    assert (run.code, run.out.strip()) == (0, "the catalogue has nothing of that sort")


def test_how_loud_a_finding_must_be_to_fail(outlast: Outlast, tmp_path: Path) -> None:
    (tmp_path / "outlast.yaml").write_text(
        "outlast: 1\ncomponents: { alb: aws.alb, web: nginx }\nlinks: [alb -> web]\n"
        "parameters: { web.keepalive_timeout: { fixed: 75s }, alb.check_interval: { fixed: 6s }, alb.check_timeout: { fixed: 6s } }\n"
    )
    assert outlast("check", tmp_path).code == 1
    assert outlast("check", tmp_path, "--set", "alb.check_timeout=5s").code == 0


def test_lint_notes_what_it_cannot_read_and_goes_on(outlast: Outlast, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("kind: [Deployment\ntimeout: 5s\n")
    (tmp_path / "web.yaml").write_bytes((SPECS / "web/web.yaml").read_bytes())
    run = outlast("lint", tmp_path)
    assert run.code == 1
    assert "broken.yaml" in run.err
    assert "note:" in run.err


@pytest.mark.parametrize(("grace", "found"), [("30", True), ('"${GRACE}"', False)])
def test_lint_takes_no_default_for_what_it_cannot_read(
    outlast: Outlast, tmp_path: Path, grace: str, found: bool
) -> None:
    text = (
        (SPECS / "web/web.yaml")
        .read_text()
        .replace("terminationGracePeriodSeconds: 60", f"terminationGracePeriodSeconds: {grace}")
    )
    (tmp_path / "web.yaml").write_text(text.replace("--keep-alive=75", "--graceful-timeout=45"))
    told = [finding["rule"] for finding in json.loads(outlast("lint", tmp_path, "--format", "json").out)["findings"]]
    assert ("stop/grace-covers-shutdown@web_pod:web" in told) == found


def test_a_finding_about_defaults_alone_stands_in_a_file(outlast: Outlast, tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(
        "services:\n  web: { image: x, command: gunicorn app:app -b 0.0.0.0:8000 -k gthread }\n"
        "  nginx: { image: 'nginx:1.29.8', volumes: ['./nginx.conf:/etc/nginx/nginx.conf'] }\n"
    )
    (tmp_path / "nginx.conf").write_text(
        "events {}\nhttp {\n  upstream w { server web:8000; keepalive 10; }\n  server { location / { proxy_pass http://w; } }\n}\n"
    )
    findings = json.loads(outlast("lint", tmp_path, "--format", "json").out)["findings"]
    assert [(f["rule"].partition("@")[0], Path(f["place"]["file"]).name) for f in findings] == [
        ("http/pool-closes-first", "compose.yaml")
    ]


def test_lint_tells_files_apart_that_say_the_same_values_in_another_order(outlast: Outlast, tmp_path: Path) -> None:
    """Groups of one shape and one state are judged once; the order of the lines is no part of either."""
    for folder, heartbeat, session in (("first-good", "3000", "45000"), ("then-bad", "45000", "3000")):
        (tmp_path / folder).mkdir()
        lines = [f"heartbeat.interval.ms={heartbeat}\n", f"session.timeout.ms={session}\n"]
        (tmp_path / folder / "consumer.properties").write_text(
            "".join(lines if folder == "first-good" else reversed(lines))
        )
    findings = json.loads(outlast("lint", tmp_path, "--format", "json").out)["findings"]
    assert {(f["rule"].partition("@")[0], Path(f["place"]["file"]).parent.name) for f in findings} == {
        ("kafka/heartbeat-before-session-ends", "then-bad")
    }


def test_lint_of_a_missing_path_is_an_error(outlast: Outlast, tmp_path: Path) -> None:
    run = outlast("lint", tmp_path / "nowhere")
    assert run.code == 2
    assert "nowhere" in run.err


def test_lint_twice_prints_the_same_bytes(outlast: Outlast) -> None:
    assert outlast("lint", "web") == outlast("lint", "web")
