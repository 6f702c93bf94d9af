"""What an environment, a drop-in or an overlay may set is unknown: each time beside the same without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast.configs.recognise.found import Instance
from outlast.configs.recognise.recognise import recognise
from outlast.constraints.catalogue import kind
from outlast.constraints.quantities import format_value

COMPOSE = """services:
  web:
    build: ./web
    command: [gunicorn, --timeout=90, web.wsgi]
"""
POD = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: web
          image: web:1
          command: [gunicorn, --timeout=90, web.wsgi]
"""
TASK = """resource "aws_ecs_task_definition" "web" {
  container_definitions = jsonencode([{
    name    = "web"
    command = ["gunicorn", "--timeout=90", "web.wsgi"]
    %s
  }])
}
"""
UNIT = "[Service]\nExecStart=/bin/gunicorn --timeout 90 web.wsgi\n"


def found_in(folder: Path, files: dict[str, str], name: str) -> list[Instance]:
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    known = kind(name)
    assert known is not None
    return [i for i in recognise([folder], [known]).instances if i.kind == name]


def shown(instance: Instance) -> dict[str, str]:
    return {name: format_value(held.value, 1) for name, held in instance.values.items()}


@pytest.mark.parametrize(
    ("files", "is_open"),
    [
        ({"compose.yaml": COMPOSE}, False),
        ({"compose.yaml": COMPOSE + "    env_file: web.env\n"}, True),
        ({"compose.yaml": COMPOSE + "    env_file:\n      - path: web.env\n        required: false\n"}, True),
        ({"compose.yaml": COMPOSE + "    environment: [GUNICORN_CMD_ARGS]\n"}, True),
        ({"compose.yaml": COMPOSE + "    environment: { GUNICORN_CMD_ARGS: '${ARGS}' }\n"}, True),
        ({"compose.yaml": COMPOSE + "    environment: [LEVEL]\n"}, False),
        ({"compose.yaml": COMPOSE + "    environment: { LEVEL: '${LEVEL}' }\n"}, False),
        ({"compose.yaml": COMPOSE + "    secrets: [GUNICORN_CMD_ARGS]\n"}, False),
        ({"compose.yaml": COMPOSE.replace("web.wsgi", "web.wsgi, $OPTS")}, True),
        ({"compose.yaml": COMPOSE.replace("web.wsgi", "--preload, '$${OPTS}', web.wsgi")}, True),
        ({"compose.yaml": COMPOSE.replace("web.wsgi", "--bind, $ADDRESS, web.wsgi")}, False),
        ({"compose.yaml": COMPOSE, "web/Dockerfile": "FROM python:3\nENV GUNICORN_CMD_ARGS=--preload\n"}, True),
        ({"compose.yaml": COMPOSE, "web/Dockerfile": "FROM python:3\nENV LEVEL=1\n"}, False),
        ({"compose.yaml": COMPOSE, "other/Dockerfile": "FROM python:3\nENV GUNICORN_CMD_ARGS=--preload\n"}, False),
        ({"pod.yaml": POD}, False),
        ({"pod.yaml": POD + "          envFrom: [{ secretRef: { name: web } }]\n"}, True),
        (
            {
                "pod.yaml": POD
                + "          env: [{ name: GUNICORN_CMD_ARGS, valueFrom: { secretKeyRef: { name: a, key: b } } }]\n"
            },
            True,
        ),
        (
            {"pod.yaml": POD + "          env: [{ name: LEVEL, valueFrom: { secretKeyRef: { name: a, key: b } } }]\n"},
            False,
        ),
        ({"pod.yaml": POD + "          volumeMounts: [{ name: c, mountPath: /app/gunicorn.conf.py }]\n"}, True),
        (
            {"pod.yaml": POD + "          volumeMounts: [{ name: c, mountPath: /a, subPath: gunicorn.conf.py }]\n"},
            True,
        ),
        ({"pod.yaml": POD + "          volumeMounts: [{ name: c, mountPath: /data }]\n"}, False),
        ({"pod.yaml": POD + "        - name: other\n          envFrom: [{ secretRef: { name: web } }]\n"}, False),
        ({"task.tf": TASK % ""}, False),
        ({"task.tf": TASK % "environment = var.environment"}, True),
        ({"task.tf": TASK % 'environmentFiles = [{ value = "a", type = "s3" }]'}, True),
        ({"task.tf": TASK % 'secrets = [{ name = "GUNICORN_CMD_ARGS", valueFrom = "a" }]'}, True),
        ({"task.tf": TASK % "secrets = var.secrets"}, True),
        ({"task.tf": TASK % 'secrets = [{ name = "PASSWORD", valueFrom = "a" }]'}, False),
        ({"web.service": UNIT}, False),
        ({"web.service": UNIT + "EnvironmentFile=-/etc/default/web\n"}, True),
        ({"web.service": UNIT.replace("web.wsgi", "web.wsgi $OPTS")}, True),
    ],
)
def test_what_an_environment_may_set_is_unknown(tmp_path: Path, files: dict[str, str], is_open: bool) -> None:
    (one,) = found_in(tmp_path, files, "gunicorn")
    assert shown(one) == {"timeout": "90s"}  # a flag goes before all variables
    assert ("graceful_timeout" in one.opaque) is is_open
    assert "timeout" not in one.opaque


def test_a_file_of_variables_goes_before_variables_of_a_unit_and_after_those_of_compose(tmp_path: Path) -> None:
    unit = "[Service]\nEnvironment=UVICORN_TIMEOUT_KEEP_ALIVE=7\nExecStart=/bin/uvicorn web:app\n"
    (one,) = found_in(tmp_path / "a", {"web.service": unit}, "uvicorn")
    assert shown(one) == {"timeout_keep_alive": "7s"}
    (one,) = found_in(tmp_path / "b", {"web.service": unit + "EnvironmentFile=/etc/web\n"}, "uvicorn")
    assert shown(one) == {}
    assert "timeout_keep_alive" in one.opaque
    compose = "services:\n  web:\n    image: web\n    command: uvicorn web:app\n    env_file: a\n    environment: { UVICORN_TIMEOUT_KEEP_ALIVE: 7 }\n"
    (one,) = found_in(tmp_path / "c", {"compose.yaml": compose}, "uvicorn")
    assert shown(one) == {"timeout_keep_alive": "7s"}


def test_a_program_with_flags_alone_does_not_mind_its_environment(tmp_path: Path) -> None:
    compose = "services:\n  db:\n    image: mysql:8.4\n    command: mysqld --wait-timeout=600\n    env_file: a.env\n"
    (one,) = found_in(tmp_path, {"compose.yaml": compose}, "mysql")
    assert shown(one) == {"wait_timeout": "600s"}
    assert not one.opaque


def test_a_pool_that_variables_tell_has_a_file_below_them(tmp_path: Path) -> None:
    compose = "services:\n  api:\n    build: api\n    environment: { SPRING_DATASOURCE_HIKARI_MAXLIFETIME: '540000' }\n"
    file = "spring.datasource.hikari.max-lifetime=1800000\nspring.datasource.hikari.idle-timeout=60000\n"
    pools = found_in(tmp_path, {"compose.yaml": compose, "api/application.properties": file}, "hikaricp")
    below, above = sorted(pools, key=lambda pool: pool.file)
    assert shown(below) == {"idle_timeout": "60s"}
    assert "max_lifetime" in below.opaque
    assert "minimum_idle" not in below.opaque
    assert shown(above) == {"max_lifetime": "540s"}
    assert {"idle_timeout", "minimum_idle"} <= above.opaque


@pytest.mark.parametrize(
    ("more", "start", "stop"),
    [
        ("", "default", "default"),
        ("TimeoutSec=20\n", "20s", "20s"),
        ("TimeoutStopSec=20\n", "default", "20s"),
        ("TimeoutStopSec=20\nTimeoutSec=30\n", "30s", "unknown"),
        ("TimeoutStopSec=20\nSendSIGKILL=no\n", "default", "unknown"),
        ("TimeoutStopSec=20\nSendSIGKILL=yes\n", "default", "20s"),
    ],
)
def test_a_unit_says_how_long_it_may_take(tmp_path: Path, more: str, start: str, stop: str) -> None:
    (one,) = found_in(tmp_path, {"web.service": f"[Service]\nRestartSec=1\n{more}"}, "systemd.service")
    told = ["unknown" if n in one.opaque else shown(one).get(n, "default") for n in ("timeout_start", "timeout_stop")]
    assert told == [start, stop]


@pytest.mark.parametrize(
    ("file", "text", "is_open"),
    [
        ("web.service.d/a.conf", "[Service]\nTimeoutStopSec=5\n", True),
        ("other.service.d/a.conf", "[Service]\nTimeoutStopSec=5\n", False),
        ("service.d/a.conf", "[Service]\nTimeoutStopSec=5\n", True),
        ("etc/systemd/system.conf", "[Manager]\nDefaultTimeoutStopSec=5\n", True),
        ("etc/systemd/system.conf", "[Manager]\n#DefaultTimeoutStopSec=5\n", False),
        ("etc/systemd/system.conf.d/a.conf", "[Manager]\nDefaultTimeoutStopSec=5\n", True),
    ],
)
def test_drop_ins_and_defaults_of_the_manager_are_not_known(
    tmp_path: Path, file: str, text: str, is_open: bool
) -> None:
    files = {"web.service": "[Service]\nRestartSec=1\n", file: text}
    (one,) = found_in(tmp_path, files, "systemd.service")
    assert ("timeout_stop" in one.opaque) is is_open


PATCH = "kind: Deployment\nmetadata: { name: web }\nspec: { replicas: 3 }\n"


@pytest.mark.parametrize(
    ("files", "is_open"),
    [
        ({"prod/kustomization.yaml": "resources:\n  - ../base\n", "prod/patch.yaml": PATCH}, True),
        ({"prod/kustomization.yaml": "resources:\n- ../base/pod.yaml\n", "prod/patch.yaml": PATCH}, True),
        ({"prod/kustomization.yaml": "resources:\n  - ../other\n", "prod/patch.yaml": PATCH}, False),
        ({"prod/patch.yaml": PATCH}, False),
        (
            {"prod/kustomization.yaml": "resources:\n  - ../base\n", "prod/a.yaml": PATCH.replace("web", "app")},
            False,
        ),
        ({"prod/kustomization.yaml": "resources:\n  - ../base\npatches:\n  - patch: |-\n      - op: add\n"}, True),
        (
            {
                "prod/kustomization.yaml": "resources:\n  - ../mid\n",
                "mid/kustomization.yaml": "resources:\n  - ../base\n",
                "prod/patches/a.yaml": PATCH,
            },
            True,
        ),
    ],
)
def test_what_an_overlay_may_patch_is_unknown(tmp_path: Path, files: dict[str, str], is_open: bool) -> None:
    (one,) = found_in(tmp_path, {"base/pod.yaml": POD, **files}, "gunicorn")
    assert shown(one) == {"timeout": "90s"}
    assert ("graceful_timeout" in one.opaque) is is_open


@pytest.mark.parametrize(("more", "keepalive"), [("", "75s"), ("    env_file: web.env\n", None)])
def test_variables_that_nobody_tells_go_before_the_file_that_a_command_line_names(
    tmp_path: Path, more: str, keepalive: str | None
) -> None:
    compose = COMPOSE.replace("web.wsgi", "-c, gunicorn.conf.py, web.wsgi") + more
    files = {"compose.yaml": compose, "web/gunicorn.conf.py": "keepalive = 75\ntimeout = 20\n"}
    (one,) = found_in(tmp_path, files, "gunicorn")
    assert shown(one)["timeout"] == "90s"
    assert shown(one).get("keepalive") == keepalive
    assert ("keepalive" in one.opaque) is (keepalive is None)
