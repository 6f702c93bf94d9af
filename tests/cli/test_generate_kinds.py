"""Configurations of components: every output over one spec, what cannot be written, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import Outlast, assert_snapshot
from outlast.configs.outputs.write import COMPONENT_OUTPUTS

SPEC = """\
outlast: 1
title: A shop
components:
  app:    { kind: go.http2-client, version: '1.24' }
  old:    { kind: go.http-client, version: '1.24' }
  lb:     aws.alb
  edge:   nginx
  hap:    haproxy
  mesh:   envoy
  dep:    k8s.deployment
  pod:    { kind: k8s.pod, version: '1.33', runs_in: dep }
  web:    { kind: gunicorn, worker_class: gthread, runs_in: pod }
  front:  { kind: node.http-server, version: '24' }
  api:    go.http-server
  apache: httpd
  boot:   spring-boot
  pool:   hikaricp
  svc:    compose.service
  jobs:   sqs.queue
  db:     postgres
links:
  - app -> lb -> edge -> web
  - old -> api
  - hap -> front
  - mesh -> boot
parameters:
  app.send_ping:                   { free: 1s..30s, step: 1s, why: "find a dead way\\nsoon" }
  app.ping:                        { fixed: 2s }
  app.idle_conn_timeout:           { fixed: 50s }
  app.dial_keep_alive:             { fixed: off, why: PINGs do it }
  app.context_deadline:            { fixed: 30s }
  old.timeout:                     { fixed: 20s }
  old.idle_conn_timeout:           { fixed: 90s }
  lb.idle_timeout:                 { free: 1s..4000s, step: 1s, at: 'lb.tf#aws_lb.main:idle_timeout' }
  lb.deregistration_delay:         { fixed: 30s }
  lb.check_interval:               { fixed: 10s }
  edge.keepalive_timeout:          { free: 1s..10min, step: 1s }
  edge.keepalive_header:           { fixed: 60s }
  edge.proxy_read_timeout:         { derived: app.context_deadline + 5s }
  edge.upstream_keepalive:         { fixed: 32 }
  edge.upstream_keepalive_timeout: { fixed: 55s }
  edge.worker_shutdown_timeout:    { fixed: 25s }
  hap.client:                      { fixed: 30s }
  hap.server:                      { fixed: infinite, why: reports take hours }
  hap.tunnel:                      { fixed: 1h }
  hap.inter:                       { fixed: 2s }
  hap.fall:                        { fixed: 3 }
  hap.hard_stop_after:             { fixed: 1min }
  mesh.timeout:                    { fixed: 15s }
  mesh.idle_timeout:               { fixed: 1h }
  mesh.cluster_idle_timeout:       { fixed: 50s }
  mesh.connect_timeout:            { fixed: 250ms }
  mesh.check_interval:             { fixed: 5s }
  pod.grace:                       { fixed: 60s }
  pod.prestop_sleep:               { fixed: 10s }
  pod.readiness_period:            { fixed: 5s }
  dep.progress_deadline:           { fixed: 10min }
  web.keepalive:                   { free: 1s..10min, step: 1s }
  web.graceful_timeout:            { fixed: 20s }
  front.keep_alive_timeout:        { fixed: 65500ms }
  front.timeout:                   { fixed: 3s }
  api.idle_timeout:                { free: 1s..10min, step: 1ms }
  apache.keep_alive_timeout:       { fixed: 5s }
  apache.request_header:           { fixed: 20s }
  apache.ttl:                      { fixed: 1min }
  apache.connection_timeout:       { fixed: 500ms }
  boot.keep_alive_timeout:         { fixed: 75s }
  pool.max_lifetime:               { fixed: 25min }
  svc.stop_grace_period:           { fixed: 90s }
  svc.health_retries:              { fixed: 3 }
  jobs.visibility_timeout:         { fixed: 2min }
  lb.longest_request:              { fact: 20s }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outlast: Outlast) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outlast.yaml").write_text(SPEC)
    (tmp_path / "lb.tf").write_text('resource "aws_lb" "main" {\n  idle_timeout = 60\n}\n')
    return tmp_path


def _notes(err: str) -> list[str]:
    return [line for line in err.splitlines() if "left out" in line]


@pytest.mark.parametrize("output", sorted(COMPONENT_OUTPUTS))
def test_each_output_has_what_its_software_reads(outlast: Outlast, folder: Path, output: str) -> None:
    run = outlast("generate", "--as", output)
    assert run.code == 0, run.err
    assert_snapshot(f"generate-{output}.txt", run.out)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("go-code", ["outlast.yaml:31:3: note: app.context_deadline is 30s; go-code has no place for it, so it is left out"]),
        ("node", ["outlast.yaml:61:3: note: front.timeout is 3s; node has no place for it, so it is left out"]),
        ("gunicorn", []),
    ],
)  # fmt: skip
def test_what_the_output_has_no_place_for_is_told(outlast: Outlast, folder: Path, output: str, told: list[str]) -> None:
    assert _notes(outlast("generate", "--as", output).err) == told


def test_components_can_be_chosen(outlast: Outlast, folder: Path) -> None:
    both = outlast("generate", "--as", "terraform", "--component", "jobs", "--component", "lb").out
    assert both == outlast("generate", "--as", "terraform").out
    jobs = outlast("generate", "--as", "terraform", "--component", "jobs").out
    assert "aws_sqs_queue" in jobs
    assert "aws_lb" not in jobs
    old = outlast("generate", "--as", "go-code", "--component", "old")
    assert ("OldClient" in old.out, "AppTransport" in old.out, _notes(old.err)) == (True, False, [])


def test_the_package_of_go_can_be_named(outlast: Outlast, folder: Path) -> None:
    assert "\npackage limits\n" in outlast("generate", "--as", "go-code", "--package", "limits").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--as", "nginx", "--component", "nobody"), "expected a component of the spec, apache, api, app,"),
        (("--as", "nginx", "--component", "lb"), "lb cannot be written as nginx; lb, which is aws.alb, goes into terraform"),
        (("--as", "gunicorn", "--component", "db"), "db, which is postgres, goes into none of these files"),
        (("--as", "go", "--component", "web"), "expected no --component, which is for what software itself reads, with --as go"),
        (("--as", "nginx", "--package", "x"), "expected no --package, which is for go, go-code and java, with --as nginx"),
        (("--as", "go-code", "--package", "a.b"), "expected the name of a package of Go such as timeouts, found 'a.b'"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_told(outlast: Outlast, folder: Path, arguments: tuple[str, ...], told: str) -> None:
    run = outlast("generate", *arguments, "-o", "new.conf")
    assert run.code == 2
    assert told in run.err
    assert not (folder / "new.conf").exists()


@pytest.mark.parametrize(
    ("components", "parameters", "output", "told"),
    [
        ("a: aws.alb, b: gunicorn", "a.idle_timeout: { fixed: 60s }, b.keepalive: { fixed: 70s }", "nginx",
         "no component can be written as nginx: a, which is aws.alb, goes into terraform; b, which is gunicorn, goes into gunicorn"),
        ("a: gunicorn, b: gunicorn", "a.keepalive: { fixed: 60s }, b.keepalive: { fixed: 70s }", "gunicorn",
         "a.keepalive and b.keepalive would both be written as keepalive in one place; choose with --component"),
        ("a: nginx, b: nginx", "a.worker_shutdown_timeout: { fixed: 60s }, b.worker_shutdown_timeout: { fixed: 60s }", "nginx",
         "would both be written as worker_shutdown_timeout in one place"),
        ("a: nginx, b: nginx", "a.proxy_read_timeout: { fixed: 1500us, step: 1us }, b.send_timeout: { fixed: 60s }", "nginx",
         "a.proxy_read_timeout is 1.5ms, which nginx cannot write: 1.5ms cannot be written as an nginx time"),
        ("a: gunicorn, b: nginx", "a.keepalive: { fixed: 1500ms, step: 1ms }, b.send_timeout: { fixed: 60s }", "gunicorn",
         "a.keepalive is 1.5s, which gunicorn cannot write: it takes whole numbers of s only; step: 1s in the spec asks for a value that can"),
        ("a: gunicorn, b: nginx", "a.graceful_timeout: { fixed: infinite }, b.send_timeout: { fixed: 60s }", "gunicorn",
         "a.graceful_timeout is infinite, which gunicorn cannot write: infinite has no number there"),
        ("a: nginx, b: nginx", "a.keepalive_header: { fixed: 60s }, b.send_timeout: { fixed: 60s }", "nginx",
         "a.keepalive_header is the second value of keepalive_timeout, which nginx takes only behind the first; say a.keepalive_timeout, too"),
        ("a: gunicorn, b: nginx", "a.longest_request: { fixed: 5s }, b.send_timeout: { fixed: 60s }", "gunicorn",
         "there is nothing to write: no value of a that gunicorn has a place for was found or decided"),
        ("a: gunicorn, b: nginx", "a.keepalive: { fact: 60s }, b.send_timeout: { fixed: 60s }", "gunicorn",
         "there is nothing to write: no value of a that gunicorn has a place for was found or decided"),
    ],
)  # fmt: skip
def test_values_that_cannot_be_written_are_told(
    outlast: Outlast, folder: Path, components: str, parameters: str, output: str, told: str
) -> None:
    names = [part.split(":")[0].strip() for part in parameters.split("}, ")]
    rules = f"rules: {{ r: {{ require: {names[0]} > 0s and {names[1]} > 0s, aim: 0% }} }}"
    spec = f"outlast: 1\ncomponents: {{ {components} }}\nparameters: {{ {parameters} }}\n{rules}\n"
    (folder / "outlast.yaml").write_text(spec)
    run = outlast("generate", "--as", output)
    assert run.code == 2
    assert told in run.err


def test_a_spec_without_components_has_no_configuration(outlast: Outlast, folder: Path) -> None:
    spec = "outlast: 1\nparameters: { a: { free: 1s..9s }, b: { fixed: 10s } }\nrules: { r: { require: a < b } }\n"
    (folder / "outlast.yaml").write_text(spec)
    run = outlast("generate", "--as", "nginx")
    assert run.code == 2
    assert "expected a spec with components, whose configuration nginx is, found none" in run.err


def test_a_written_file_says_that_it_was_generated(outlast: Outlast, folder: Path) -> None:
    run = outlast("generate", "--as", "k8s", "-o", "patch.yaml", "--format", "json")
    told = json.loads(run.out)
    assert (run.code, told["written"], told["file"], told["as"]) == (0, True, "patch.yaml", "k8s")
    assert told["components"] == ["dep", "pod"]
    assert told["notes"] == []
    assert (folder / "patch.yaml").read_text() == told["text"] == outlast("generate", "--as", "k8s").out
    assert outlast("generate", "--as", "k8s", "-o", "patch.yaml").code == 0
    (folder / "patch.yaml").write_text("kind: Deployment\n")
    refused = outlast("generate", "--as", "k8s", "-o", "patch.yaml")
    assert refused.code == 2
    assert "does not say that outlast generated it" in refused.err
    assert outlast("generate", "--as", "terraform", "-o", "lb.tf", "--force").code == 2  # the spec's own
