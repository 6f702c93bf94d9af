"""What is recognised in files: each folder of tests/data/recognise beside what is expected of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from outlast.configs.recognise.found import Found, Held, Instance, Link
from outlast.configs.recognise.pattern import PatternError, compile_patterns
from outlast.configs.recognise.recognise import recognise
from outlast.constraints.catalogue import kind, kind_names
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.quantities import format_value

DATA = Path(__file__).parents[1] / "data" / "recognise"


@cache
def kinds() -> tuple[Kind, ...]:
    documents = yaml.load((DATA / "kinds.yaml").read_text(), Loader=yaml.BaseLoader)
    return tuple(Kind.from_mapping(document["kind"], document) for document in documents)


def found_in(*paths: Path) -> Found:
    return recognise(paths, kinds())


def known(*names: str) -> list[Kind]:
    """Kinds of the catalogue."""
    return [found for name in names if (found := kind(name)) is not None]


def rendered(case: str) -> str:
    """Instances, links and hosts as text, one a line; places relative to the case."""
    found = found_in(DATA / case)
    folder = f"{DATA / case}/"
    lines = [shown(instance).replace(folder, "") for instance in found.instances]
    lines += [f"{shown_link(link)}: {link.because}".replace(folder, "") for link in found.links]
    lines += [f"{one.guest} in {one.host}: {one.because}".replace(folder, "") for one in found.hosted]
    lines += [f"problem: {error}".replace(folder, "") for error in found.problems]
    lines += [f"question: {text}".replace(folder, "") for text in found.questions]
    return "\n".join(lines)


def text_of(kind: str, name: str, held: Held) -> str:
    parameter = next(k for k in kinds() if k.name == kind).parameters[name]
    return format_value(held.value, parameter.quantity.time_exponent)


def shown(instance: Instance) -> str:
    values = [
        f"{name} = {text_of(instance.kind, name, held)} @ {held.file if held.file != instance.file else ''}{held.place.line}:{held.place.col} #{held.selector}"
        for name, held in sorted(instance.values.items())
    ]
    options = [f"{name}: {word}" for name, word in sorted(instance.options.items())]
    opaque = [f"{name}?" for name in sorted(instance.opaque)]
    return f"{instance.name} ({instance.kind}, {instance.file}): {'; '.join(values + options + opaque)}"


def shown_link(link: Link) -> str:
    return " ".join([link.source, "->", link.target, *(f"({name}: {word})" for name, word in link.options.items())])


@pytest.mark.parametrize("case", ["ingress", "overlays", "compose", "terraform", "code", "servers"])
def test_what_is_found_is_what_is_expected(case: str) -> None:
    assert rendered(case) + "\n" == (DATA / case / "expected.txt").read_text()


def test_a_file_of_tests_is_read_if_it_is_named() -> None:
    (instance,) = found_in(DATA / "code" / "main_test.go").instances
    assert instance.kind == "go.server"


def test_what_is_given_may_lie_in_a_folder_of_tests() -> None:
    # DATA itself is below tests/data; only folders below what was given count.
    assert found_in(DATA / "code").read == 4


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_conf", ".conf").replace(
            "_cfg", ".cfg"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


POD = """
apiVersion: apps/v1
kind: Deployment
metadata: {{ name: web }}
spec:
  template:
    metadata: {{ labels: {{ app: web }} }}
    spec:
      containers:
        - {{ name: web, command: {command} }}
"""


@pytest.mark.parametrize(
    "command",
    [
        '["gunicorn", "--timeout", "40"]',
        '["/usr/local/bin/gunicorn", "--timeout=40"]',
        '["python3.13", "-m", "gunicorn", "--timeout", "40"]',
        '["uv", "run", "gunicorn", "--timeout", "40"]',
        '["tini", "--", "gunicorn", "-t", "40"]',
        '["sh", "-c", "alembic upgrade head && exec gunicorn --timeout 40"]',
    ],
)
def test_a_program_is_known_whatever_starts_it(tmp_path: Path, command: str) -> None:
    found = found_in(write(tmp_path, web_yaml=POD.format(command=command)))
    (server,) = [i for i in found.instances if i.kind == "gunicorn"]
    assert format_value(server.values["timeout"].value, 1) == "40s"
    assert [(h.guest, h.host) for h in found.hosted] == [(server.name, "web_pod")]


@pytest.mark.parametrize(
    "command",
    [
        '["echo", "gunicorn", "--timeout", "40"]',
        '["celery", "--timeout", "40"]',
        '["gunicorn-exporter", "--timeout", "40"]',
    ],
)
def test_another_program_with_such_a_flag_is_none(tmp_path: Path, command: str) -> None:
    assert not found_in(write(tmp_path, web_yaml=POD.format(command=command))).instances


@pytest.mark.parametrize("value", ["$TIMEOUT", "${TIMEOUT:-30}", "forty"])
def test_a_value_that_cannot_be_read_is_never_the_default(tmp_path: Path, value: str) -> None:
    found = found_in(write(tmp_path, web_yaml=POD.format(command=f'["gunicorn", "--timeout", "{value}"]')))
    (server,) = [i for i in found.instances if i.kind == "gunicorn"]
    assert "timeout" in server.opaque
    assert "timeout" not in server.values
    assert "keepalive" not in server.opaque


def test_what_a_file_of_its_own_may_set_is_not_known(tmp_path: Path) -> None:
    found = found_in(write(tmp_path, web_yaml=POD.format(command='["gunicorn", "-c", "/etc/gunicorn.py", "-t", "40"]')))
    (server,) = [i for i in found.instances if i.kind == "gunicorn"]
    assert server.opaque == {"keepalive", "graceful_timeout", "worker_class"}


def test_a_key_set_twice_is_not_known(tmp_path: Path) -> None:
    found = found_in(write(tmp_path, web_yaml=POD.format(command='["gunicorn", "--timeout", "40", "--timeout", "50"]')))
    (server,) = [i for i in found.instances if i.kind == "gunicorn"]
    assert "timeout" in server.opaque


COMPOSE = """
services:
  app: {{ image: x, command: gunicorn --keep-alive 5 }}
  edge: {{ image: nginx, volumes: [{mount}] }}
"""
NGINX = """events {} http { upstream app { server %s:8000; keepalive 4; }
server { listen 80; location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; } } }"""


@pytest.mark.parametrize(
    ("mount", "host", "links"),
    [
        ("./edge:/etc/nginx", "app", 1),
        ("./edge/nginx.conf:/etc/nginx/nginx.conf:ro", "app", 1),
        ("./edge:/etc/nginx", "app.internal", 0),
        ("./edge:/etc/nginx", "edge", 0),
        ("./other:/etc/nginx", "app", 0),
        ("edge:/etc/nginx", "app", 0),
    ],
)
def test_nginx_is_linked_to_a_service_only_if_it_runs_beside_it(
    tmp_path: Path, mount: str, host: str, links: int
) -> None:
    found = found_in(write(tmp_path, compose_yaml=COMPOSE.format(mount=mount), edge__nginx_conf=NGINX % host))
    (pool,) = [i.name for i in found.instances if i.kind == "proxy.upstream"]
    assert len([link for link in found.links if link.source == pool]) == links


EMPTY = 'proxy_set_header Connection "";'


@pytest.mark.parametrize(
    ("release", "server", "location", "pooled"),
    [
        ("1.24", "", "", "no"),
        ("1.24", "", EMPTY, "no"),
        ("1.24", "", "proxy_http_version 1.1;", "no"),
        ("1.24", "", f"proxy_http_version 1.1; {EMPTY}", "yes"),
        ("1.24", f"proxy_http_version 1.1; {EMPTY}", "", "yes"),
        # Headers of the location replace all those of the server.
        ("1.24", f"proxy_http_version 1.1; {EMPTY}", "proxy_set_header Host $host;", "no"),
        ("1.24", "", "include proxy.conf;", "not told"),
        ("1.24", "", "proxy_http_version 1.1; proxy_set_header Connection $upgrade;", "not told"),
        ("1.29.7", "", "", "yes"),
        ("1.29.7-alpine", "", "proxy_http_version 1.0;", "no"),
        ("1.29.7", "", "proxy_set_header Connection close;", "no"),
        ("1.30", "", "", "yes"),
        ("1.29", "", "", "not told"),
        ("1", "", "", "not told"),
        ("latest", "", "", "not told"),
        ("latest", "", f"proxy_http_version 1.1; {EMPTY}", "yes"),
    ],
)
def test_nginx_keeps_connections_only_if_its_files_and_release_say_so(
    tmp_path: Path, release: str, server: str, location: str, pooled: str
) -> None:
    text = f"upstream app {{ server app:8000; keepalive 4; }} server {{ listen 80; {server} location / {{ proxy_pass http://app; {location} }} }}"
    compose = COMPOSE.format(mount="./edge:/etc/nginx").replace("image: nginx", f"image: nginx:{release}")
    found = found_in(write(tmp_path, compose_yaml=compose, edge__nginx_conf=text))
    (pool,) = [i.name for i in found.instances if i.kind == "proxy.upstream"]
    answers = [link.options.get("pooled", "yes") for link in found.links if link.source == pool]
    assert answers == ([] if pooled == "not told" else [pooled])


def test_a_group_without_a_pass_is_not_linked(tmp_path: Path) -> None:
    text = "upstream app { server app:8000; keepalive 4; } upstream other { server app:9000; }"
    folder = write(tmp_path, compose_yaml=COMPOSE.format(mount="./edge:/etc/nginx"), edge__nginx_conf=text)
    assert not found_in(folder).links


def test_a_pass_in_another_file_of_the_same_nginx_counts(tmp_path: Path) -> None:
    group = "upstream app { server app:8000; keepalive 4; }"
    passing = f"server {{ listen 80; location / {{ proxy_pass http://app; proxy_http_version 1.1; {EMPTY} }} }}"
    compose = COMPOSE.format(mount="./edge:/etc/nginx")
    found = found_in(write(tmp_path, compose_yaml=compose, edge__nginx_conf=passing, edge__group_conf=group))
    assert [link.options for link in found.links if link.source == "app_upstream"] == [{}]


@pytest.mark.parametrize(
    ("outer", "inner", "header"),
    [
        ("keepalive_timeout 75s 60s;", "", "60s"),
        ("keepalive_timeout 75s 60s;", "keepalive_timeout 65s;", None),
        ("keepalive_timeout 75s 60s;", "keepalive_timeout 65s 50s;", "50s"),
        ("keepalive_timeout 75s;", "keepalive_timeout 65s 50s;", "50s"),
    ],
)
def test_a_directive_of_nginx_replaces_the_outer_one_as_a_whole(
    tmp_path: Path, outer: str, inner: str, header: str | None
) -> None:
    (tmp_path / "nginx.conf").write_text(f"events {{}} http {{ {outer} server {{ listen 80; {inner} }} }}")
    (server,) = recognise([tmp_path], known("nginx")).instances
    held = server.values.get("keepalive_header")
    assert (held and format_value(held.value, 1)) == header


TEMPLATE = """
Resources:
  Jobs: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: 60 } }
  Dead: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: 1 } }
  Work: { Type: AWS::Lambda::Function, Properties: { Timeout: 60 } }
  Mapping:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn: %s
      FunctionName: %s
      DestinationConfig: { OnFailure: { Destination: !GetAtt Dead.Arn } }
"""


@pytest.mark.parametrize(
    ("queue", "function", "links"),
    [
        ("!GetAtt Jobs.Arn", "!Ref Work", 1),
        ("!GetAtt [Jobs, Arn]", "!GetAtt Work.Arn", 1),
        ("{ Fn::GetAtt: [Jobs, Arn] }", "{ Ref: Work }", 1),
        ("{ Fn::GetAtt: Jobs.Arn }", "!Sub '${Work}'", 1),
        ("!If [Old, !GetAtt Dead.Arn, !GetAtt Jobs.Arn]", "!Ref Work", 0),
        ("{ Fn::If: [Old, { Fn::GetAtt: Dead.Arn }, { Fn::GetAtt: Jobs.Arn }] }", "!Ref Work", 0),
        ("!ImportValue Jobs", "!Ref Work", 0),
        ("!GetAtt Jobs.Arn", "Work", 0),
    ],
)
def test_a_template_links_what_a_mapping_refers_to(tmp_path: Path, queue: str, function: str, links: int) -> None:
    folder = write(tmp_path, template_yaml=TEMPLATE % (queue, function))
    found = recognise([folder], known("sqs.queue", "lambda.function"))
    assert [(link.source, link.target) for link in found.links] == [("work", "jobs")] * links


BALANCED = """
Resources:
  Front: { Type: AWS::ElasticLoadBalancingV2::LoadBalancer, Properties: { LoadBalancerAttributes: [{ Key: idle_timeout.timeout_seconds, Value: "90" }] } }
  Targets: { Type: AWS::ElasticLoadBalancingV2::TargetGroup, Properties: { HealthCheckIntervalSeconds: 15 } }
  Listener:
    Type: AWS::ElasticLoadBalancingV2::Listener
    Properties: { LoadBalancerArn: !Ref Front, DefaultActions: [{ Type: forward, TargetGroupArn: !Ref Targets }] }
  Task:
    Type: AWS::ECS::TaskDefinition
    Properties: { ContainerDefinitions: [{ Name: web, Command: [gunicorn, --keep-alive, "65"], HealthCheck: { Command: [gunicorn, --check-config] } }] }
  Service:
    Type: AWS::ECS::Service
    Properties: { TaskDefinition: !Ref Task, LoadBalancers: [{ ContainerName: web, TargetGroupArn: !Ref Targets }] }
"""


def test_a_template_links_a_balancer_with_the_servers_of_the_service_behind_it(tmp_path: Path) -> None:
    found = recognise([write(tmp_path, template_yaml=BALANCED)], known("aws.alb", "gunicorn", "ecs.task"))
    (balancer,) = [i for i in found.instances if i.kind == "aws.alb"]
    assert set(balancer.values) == {"idle_timeout", "check_interval"}
    (server,) = [i.name for i in found.instances if i.kind == "gunicorn"]
    assert (balancer.name, server) in [(link.source, link.target) for link in found.links]


def test_a_queue_for_what_failed_is_not_linked_in_terraform(tmp_path: Path) -> None:
    text = (DATA / "terraform" / "main.tf").read_text()
    text = text.replace("  event_source_arn = aws_sqs_queue.jobs.arn\n", "  destination = aws_sqs_queue.jobs.arn\n")
    (tmp_path / "main.tf").write_text(text)
    assert "jobs" not in {link.target for link in found_in(tmp_path).links}


def test_of_two_queues_that_a_condition_decides_between_none_is_linked(tmp_path: Path) -> None:
    text = (DATA / "terraform" / "main.tf").read_text()
    text = text.replace("aws_sqs_queue.jobs.arn", "var.old ? aws_sqs_queue.old.arn : aws_sqs_queue.jobs.arn")
    (tmp_path / "main.tf").write_text(text)
    assert "jobs" not in {link.target for link in found_in(tmp_path).links}


@pytest.mark.parametrize(("header", "links"), [("", 1), ("\"'Event'\"", 0)])
def test_a_gateway_is_linked_to_the_function_whose_answer_it_waits_for(tmp_path: Path, header: str, links: int) -> None:
    parameters = f'request_parameters = {{ "integration.request.header.X-Amz-Invocation-Type" = {header} }}'
    (tmp_path / "main.tf").write_text(
        f'resource "aws_api_gateway_integration" "a" {{\n  uri = aws_lambda_function.f.invoke_arn\n{parameters if header else ""}\n}}\n'
        'resource "aws_lambda_function" "f" {\n  timeout = 60\n}\n'
    )
    found = recognise([tmp_path], known("aws.apigw-rest", "lambda.function"))
    assert len(found.instances) == 2
    assert [(link.source, link.target) for link in found.links] == [("a", "f")] * links


def test_the_timeout_of_all_functions_of_sam_holds_where_one_has_none(tmp_path: Path) -> None:
    text = "Globals: { Function: { Timeout: 20 } }\nResources:\n"
    text += "  One: { Type: AWS::Serverless::Function }\n  Two: { Type: AWS::Serverless::Function, Properties: { Timeout: 30 } }\n"
    text += "  Three: { Type: AWS::Lambda::Function }\n"
    found = recognise([write(tmp_path, template_yaml=text)], known("lambda.function"))
    values = {i.name: format_value(i.values["timeout"].value, 1) for i in found.instances if i.values}
    assert values == {"one": "20s", "two": "30s"}


def test_a_server_that_only_variables_tell_runs_in_its_container(tmp_path: Path) -> None:
    text = (
        POD.format(command="[java, -jar, app.jar]")
        + "          env: [{ name: SPRING_LIFECYCLE_TIMEOUT_PER_SHUTDOWN_PHASE, value: 60s }]\n"
    )
    text = text.replace("- { name: web, command: [java, -jar, app.jar] }", "- name: web")
    found = recognise([write(tmp_path, web_yaml=text)], known("spring-boot", "k8s.pod"))
    assert [(h.guest, h.host) for h in found.hosted] == [("web_spring_boot", "web")]


def test_a_location_of_its_own_speaks_for_what_it_passes_on(tmp_path: Path) -> None:
    # With the server's 60 s, the default, a finding on it would be wrong.
    text = (
        "server { listen 80; keepalive_timeout 9; location /a { proxy_pass http://app:8000; proxy_read_timeout 5m; } }"
    )
    folder = write(tmp_path, compose_yaml=COMPOSE.format(mount="./edge:/etc/nginx"), edge__nginx_conf=text)
    found = found_in(folder)
    (link,) = found.links
    source = next(i for i in found.instances if i.name == link.source)
    assert {n: format_value(h.value, 1) for n, h in source.values.items()} == {
        "read_timeout": "300s",
        "keepalive_timeout": "9s",
    }


def test_two_servers_behind_one_service_are_asked_about(tmp_path: Path) -> None:
    text = POD.format(command="[gunicorn, -t, '1']") + "        - { name: b, command: [gunicorn, -t, '2'] }\n"
    edge = (DATA / "overlays" / "b" / "edge.yaml").read_text()
    found = found_in(write(tmp_path, web_yaml=text + "---\n" + edge))
    assert not found.links
    assert len(found.questions) == 1


def test_the_same_files_give_the_same(tmp_path: Path) -> None:
    assert found_in(DATA / "compose", DATA / "terraform") == found_in(DATA / "terraform", DATA / "compose")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"formats": ["yml"]}, "yml is no format"),
        ({"formats": ["yaml"], "key": {}}, "unknown key key"),
        ({"formats": ["yaml"], "keys": {"other": "a.b"}}, "other is no parameter"),
        ({"formats": ["yaml"], "keys": {"idle": "a[*]"}}, "keys that end with a name"),
    ],
)
def test_an_entry_that_is_none_is_refused(entry: dict[str, object], message: str) -> None:
    document = {
        "kind": "k",
        "title": "K",
        "product": "K",
        "parameters": {"idle": {"key": "idle", "means": "x"}},
        "files": [entry],
    }
    with pytest.raises(PatternError, match=message):
        compile_patterns([Kind.from_mapping("k", document)])


def test_all_entries_of_the_catalogue_can_be_compiled() -> None:
    compile_patterns(known(*kind_names()))


def test_an_http_pool_is_not_linked_to_a_database(tmp_path: Path) -> None:
    text = "services:\n  db: { image: postgres:16 }\n  edge: { image: nginx, volumes: ['./edge:/etc/nginx'] }\n"
    found = found_in(write(tmp_path, compose_yaml=text, edge__nginx_conf=NGINX % "db"))
    assert {i.kind for i in found.instances} >= {"database", "proxy.upstream"}
    assert not found.links


def test_what_stands_in_another_block_is_not_known_without_it(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text('resource "aws_lb_target_group" "a" {\n  deregistration_delay = 5\n}\n')
    (group,) = found_in(tmp_path).instances
    assert set(group.values) == {"deregistration_delay"}
    assert group.opaque == {"idle_timeout"}


def test_defaults_hold_for_what_follows_them(tmp_path: Path) -> None:
    text = "defaults\n  timeout server 1s\nbackend a\n  server a h:1 inter 1s\ndefaults\n  timeout server 2s\nbackend b\n  server b h:1 inter 1s\n"
    found = found_in(write(tmp_path, haproxy_cfg=text))
    assert [format_value(i.values["server"].value, 1) for i in found.instances] == ["1s", "2s"]


def test_an_image_runs_what_its_last_stage_says(tmp_path: Path) -> None:
    text = 'FROM a AS b\nENTRYPOINT ["gunicorn"]\nFROM c\nENV GRACEFUL_TIMEOUT=5\nCMD ["serve", "--timeout", "9"]\n'
    (tmp_path / "Dockerfile").write_text(text)
    assert not found_in(tmp_path).instances


def test_a_configuration_that_may_be_loaded_by_itself_leaves_the_rest_unknown(tmp_path: Path) -> None:
    write(tmp_path, web_yaml=POD.format(command='["gunicorn", "-t", "40"]'))
    (tmp_path / "gunicorn.conf.py").write_text("keepalive = 75\n")
    server = next(i for i in found_in(tmp_path).instances if i.file.endswith("web.yaml") and i.kind == "gunicorn")
    assert server.opaque == {"keepalive", "graceful_timeout", "worker_class"}


def test_a_file_that_cannot_be_read_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    write(tmp_path, web_yaml=POD.format(command='["gunicorn", "-t", "40"]'), bad_yaml="gunicorn: [\n")
    found = found_in(tmp_path)
    assert [error.place and error.place.file.rpartition("/")[2] for error in found.problems] == ["bad.yaml"]
    assert [i.kind for i in found.instances] == ["gunicorn", "pod"]


@pytest.mark.parametrize(
    "text", ["idle_timeout.timeout_seconds=90", "'routing.http2.enabled=true,idle_timeout.timeout_seconds=90'"]
)
def test_an_attribute_in_a_text_is_read_but_no_selector_means_it(tmp_path: Path, text: str) -> None:
    edge = (DATA / "overlays" / "b" / "edge.yaml").read_text()
    edge = edge.replace('healthcheck-interval-seconds: "15"', f"load-balancer-attributes: {text}")
    (balancer,) = found_in(write(tmp_path, edge_yaml=edge)).instances
    held = balancer.values["idle_timeout"]
    assert (format_value(held.value, 1), held.selector) == ("90s", "")
