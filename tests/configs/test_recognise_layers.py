"""What other layers, hooks, threads and ports say of what is recognised: each time beside the same without it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from outlast.configs.recognise.deduced import ports_of, sleeps, worker_of
from outlast.configs.recognise.found import Found, Instance
from outlast.configs.recognise.recognise import recognise
from outlast.constraints.catalogue import kind
from outlast.constraints.quantities import format_value

HIKARI = "spring.datasource.hikari."
IDLE, LIFE = f"{HIKARI}idle-timeout=60000\n", f"{HIKARI}max-lifetime=300000\n"


def found_in(folder: Path, files: dict[str, str], *kinds: str) -> Found:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return recognise([folder], [known for name in kinds if (known := kind(name)) is not None])


def shown(instance: Instance) -> dict[str, str]:
    return {name: format_value(held.value, 1) for name, held in instance.values.items()}


@pytest.mark.parametrize(
    ("words", "seconds", "is_all"),
    [
        (["sleep", "20"], 20, True),
        (["/bin/sleep", "2.5"], Fraction(5, 2), True),
        (["sleep", "1m"], 60, True),
        (["/bin/sh", "-c", "sleep 45"], 45, True),
        (["sh", "-c", "echo leaving; sleep 5; sleep 6"], 11, True),
        (["sh", "-c", "sleep 10 && nginx -s quit"], 10, False),
        (["bash", "-c", "nginx -s quit; sleep 10"], 10, False),
        (["sh", "-c", "sleep 10\n# sleep 100\nnginx -s quit\nsleep 3"], 13, False),
        # Nothing of this is sure to run, or to be waited for.
        (["sh", "-c", "nginx -s quit && sleep 10"], 0, False),
        (["sh", "-c", "sleep 10 & leave"], 0, False),
        (["sh", "-c", "if x; then sleep 10; fi"], 0, False),
        (["sh", "-c", "for i in 1 2; do sleep 10; done"], 0, False),
        (["sh", "-c", "exit 0; sleep 10"], 0, False),
        (["sh", "-c", "set -e; leave; sleep 10"], 0, False),
        (["sh", "-c", "leave || sleep 10"], 0, False),
        (["sh", "-c", "echo 'a; sleep 10'"], 0, False),
        (["sh", "-c", "sleep $WAIT"], 0, False),
        (["sleep", None], 0, False),
        (["sleep", "5", "6"], 0, False),
        (["leave", "--sleep", "10"], 0, False),
        ([], 0, False),
    ],
)
def test_a_command_sleeps_at_least(words: list[str | None], seconds: Fraction, is_all: bool) -> None:
    assert sleeps(words) == (seconds, is_all)


@pytest.mark.parametrize(
    ("said", "threads", "worker"),
    [
        (None, None, None),
        (None, "1", None),
        (None, "4", "gthread"),
        ("sync", "4", "gthread"),
        ("gevent", "4", "gevent"),
        ("sync", "?", "?"),
        ("gthread", "1", "gthread"),
    ],
)
def test_threads_decide_the_class_of_sync_workers(said: str | None, threads: str | None, worker: str | None) -> None:
    assert worker_of(said, {} if threads is None else {"threads": threads}) == worker


@pytest.mark.parametrize(
    ("text", "ports"),
    [
        ("0.0.0.0:9999", {"9999"}),
        (":80 [::]:81", {"80", "81"}),
        ("8000", {"8000"}),
        ("unix:/run/a.sock", set()),
        (":80 ?", set()),
    ],
)
def test_ports_are_known_only_if_all_are_told(text: str, ports: set[str]) -> None:
    assert ports_of({"ports": text}) == ports


@pytest.mark.parametrize(
    ("files", "values", "opaque"),
    [
        # A file by itself has the defaults of the software.
        ({"application.properties": LIFE}, {"max_lifetime": "300s"}, {}),
        ({"application.properties": IDLE, "application-dev.properties": LIFE}, {"max_lifetime": "300s", "idle_timeout": "60s"}, {}),
        ({"config/application-dev.yml": "spring.datasource.hikari.max-lifetime: 300000\n", "application.properties": IDLE},
         {"max_lifetime": "300s", "idle_timeout": "60s"}, {}),
        ({"application.properties": f"{HIKARI}idle-timeout=${{IDLE}}\n", "application-dev.properties": LIFE}, {"max_lifetime": "300s"}, {"idle_timeout"}),
        ({"application-dev.properties": LIFE}, {"max_lifetime": "300s"}, {"idle_timeout", "keepalive_time"}),
        ({"other/application.properties": IDLE, "application-dev.properties": LIFE}, {"max_lifetime": "300s"}, {"idle_timeout", "keepalive_time"}),
        ({"bootstrap.properties": LIFE}, {"max_lifetime": "300s"}, {"idle_timeout"}),
        ({"application.properties": f"spring.config.import=vault:\n{LIFE}"}, {"max_lifetime": "300s"}, {"idle_timeout"}),
        ({"application.properties": f"{IDLE}#---\nspring.config.activate.on-profile=dev\n{LIFE}"}, {}, {"idle_timeout", "max_lifetime"}),
    ],
)  # fmt: skip
def test_a_profile_lies_over_its_base(
    tmp_path: Path, files: dict[str, str], values: dict[str, str], opaque: set[str]
) -> None:
    instances = found_in(tmp_path, files, "hikaricp").instances
    (one,) = [i for i in instances if "other/" not in i.file and (len(instances) == 1 or "-dev" in i.file)]
    assert shown(one) == values
    assert one.opaque >= set(opaque)
    assert bool(one.opaque) == bool(opaque)


def test_what_only_a_profile_sets_is_not_known_of_the_base(tmp_path: Path) -> None:
    files = {"application.properties": LIFE, "application-dev.properties": IDLE}
    base = next(i for i in found_in(tmp_path, files, "hikaricp").instances if "-dev" not in i.file)
    assert set(base.values) == {"max_lifetime"}
    assert base.opaque == {"idle_timeout"}


SERVICE = "services:\n  app: { image: x, command: gunicorn -t 40 a:b, stop_grace_period: 30s }\n"


@pytest.mark.parametrize(
    ("name", "override", "grace", "timeout"),
    [
        ("compose.override.yaml", "{ stop_grace_period: 90s }", "90s", "40s"),
        ("docker-compose.override.yml", "{ stop_grace_period: 90s }", "90s", "40s"),
        ("compose.override.yaml", "{ stop_grace_period: $GRACE }", None, "40s"),
        ("compose.override.yaml", "{ command: gunicorn -t 50 a:b }", "30s", None),
        ("compose.override.yaml", "{ environment: { A: b } }", "30s", None),
        ("compose.override.yaml", "{ ports: ['80:80'] }", "30s", "40s"),
        # Not merged unless told.
        ("compose.prod.yaml", "{ stop_grace_period: 90s }", "30s", "40s"),
    ],
)
def test_a_file_of_overrides_is_merged(
    tmp_path: Path, name: str, override: str, grace: str | None, timeout: str | None
) -> None:
    files = {"compose.yaml": SERVICE, name: f"services:\n  app: {override}\n"}
    found = found_in(tmp_path, files, "compose.service", "gunicorn")
    by_kind = {i.kind: shown(i) for i in found.instances if i.file.endswith("/compose.yaml")}
    assert by_kind["compose.service"].get("stop_grace_period") == grace
    assert by_kind["gunicorn"].get("timeout") == timeout
    unknown = {word for i in found.instances for word in i.opaque}
    assert ("timeout" in unknown, "stop_grace_period" in unknown) == (timeout is None, grace is None)


def test_what_a_service_extends_may_set_is_not_known(tmp_path: Path) -> None:
    text = "services:\n  app: { extends: { file: b.yml, service: a }, command: gunicorn -t 40 a:b }\n"
    found = found_in(tmp_path, {"compose.yaml": text}, "compose.service", "gunicorn")
    assert {i.kind: "stop_grace_period" in i.opaque or "graceful_timeout" in i.opaque for i in found.instances} == {
        "compose.service": True,
        "gunicorn": True,
    }


@pytest.mark.parametrize(("port", "links"), [("8000", 1), ("9999", 0)])
def test_a_server_on_another_port_is_not_linked(tmp_path: Path, port: str, links: int) -> None:
    files = {
        "compose.yaml": f"services:\n  edge: {{ image: nginx, volumes: ['./n.conf:/etc/nginx/nginx.conf'] }}\n  app: {{ image: x, command: gunicorn -b 0.0.0.0:{port} a:b }}\n",
        "n.conf": "http { server { listen 80; location / { proxy_pass http://app:8000; proxy_read_timeout 9s; } } }",
    }
    found = found_in(tmp_path, files, "nginx", "gunicorn")
    assert len({link.target for link in found.links}) == links


MAIN = "events {} http { %s include conf.d/*.conf; }"
PART = "server { listen 80; %s location / { proxy_pass http://app; proxy_connect_timeout 5s; } }"


@pytest.mark.parametrize(
    ("files", "is_known"),
    [
        ({"nginx.conf": MAIN % "", "conf.d/a.conf": PART % ""}, True),
        ({"nginx.conf": MAIN % "include mime.types;", "conf.d/a.conf": PART % ""}, True),
        ({"nginx.conf": MAIN % "proxy_read_timeout 300s;", "conf.d/a.conf": PART % ""}, False),
        ({"nginx.conf": MAIN % "", "conf.d/b.conf": "proxy_read_timeout 9s;", "conf.d/a.conf": PART % ""}, False),
        ({"x/nginx.conf": MAIN % "proxy_read_timeout 300s;", "y/nginx.conf": MAIN % "", "y/conf.d/a.conf": PART % ""}, True),
        ({"nginx.conf": MAIN % "", "conf.d/a.conf": PART % "include proxy.inc;"}, False),
    ],
)  # fmt: skip
def test_what_another_file_says_of_a_server_of_nginx_is_no_default(
    tmp_path: Path, files: dict[str, str], is_known: bool
) -> None:
    found = found_in(tmp_path, files, "nginx")
    (part,) = [i for i in found.instances if i.file.endswith("/a.conf") and "proxy_connect_timeout" in i.values]
    assert ("proxy_read_timeout" not in part.opaque) is is_known


@pytest.mark.parametrize(
    ("balancer", "is_known"), [("", False), ('resource "aws_lb" "web" {\n  internal = true\n}\n', True)]
)
def test_a_target_group_has_the_idle_timeout_of_its_balancer_or_none(
    tmp_path: Path, balancer: str, is_known: bool
) -> None:
    text = 'resource "aws_lb_target_group" "web" {\n  deregistration_delay = 5\n}\n'
    listener = 'resource "aws_lb_listener" "web" {\n  load_balancer_arn = aws_lb.web.arn\n  default_action {\n    target_group_arn = aws_lb_target_group.web.arn\n  }\n}\n'
    found = found_in(tmp_path, {"main.tf": text + listener + balancer}, "aws.alb")
    (group,) = [i for i in found.instances if "deregistration_delay" in i.values]
    assert ("idle_timeout" not in group.opaque) is is_known
