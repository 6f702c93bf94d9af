"""Components and links of a spec: what they mean, what the catalogue makes of them, and every error in the user's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast import api
from outlast.constraints.catalogue import Relation
from outlast.constraints.check import FindingKind
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.loading import instances, load_spec
from outlast.constraints.model import Role, Spec

CHAIN = """outlast: 1
components:
  client: generic.client
  nlb: { kind: aws.nlb }
  alb: aws.alb
  web: node.http-server
links: [client -> nlb -> alb -> web]
"""


def load(tmp_path: Path, text: str) -> Spec:
    path = tmp_path / "outlast.yaml"
    path.write_text(text, encoding="utf-8")
    return load_spec(path)


def errors(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(InputErrors) as caught:
        load(tmp_path, text)
    told = [e for e in caught.value.exceptions if isinstance(e, OutlastError) and e.place]
    return [f"{e.place.line}:{e.place.col}: {e.message}" for e in told if e.place]


def test_a_chain_is_a_connection_between_each_two_that_end_connections(tmp_path: Path) -> None:
    topology = load(tmp_path, CHAIN).topology
    assert topology is not None
    assert [(c.source, c.hops, c.target) for c in topology.connections] == [
        ("client", ("nlb",), "alb"),
        ("alb", (), "web"),
    ]


def test_a_link_may_name_its_ends_hops_and_options(tmp_path: Path) -> None:
    text = CHAIN.replace(
        "[client -> nlb -> alb -> web]", "[{ from: client, via: [nlb], to: alb, pooled: no, protocol: http/2 }]"
    )
    topology = load(tmp_path, text).topology
    assert topology is not None
    (only,) = topology.connections
    assert (only.source, only.hops, only.target) == ("client", ("nlb",), "alb")
    assert only.options == {"pooled": "no", "protocol": "http/2"}


def test_defaults_come_in_as_fixed_values_that_say_whose_they_are(tmp_path: Path) -> None:
    spec = load(tmp_path, CHAIN)
    idle = spec.parameters["alb.idle_timeout"]
    assert (idle.role, idle.default_of) == (Role.FIXED, "ALB")
    assert idle.value == 60 * 10**9
    assert spec.rules["http/pool-closes-first@alb:web"].components == ("alb", "web")
    assert "http/pool-closes-first@client:web" not in spec.rules


def test_a_default_may_be_overridden_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(CHAIN, encoding="utf-8")
    broken = {f.subject for f in api.check(path).findings}
    mended = {f.subject for f in api.check(path, overrides=["web.keep_alive_timeout=70s"]).findings}
    assert broken - mended == {"http/pool-closes-first@alb:web"}
    assert (
        load_spec(path, overrides=["web.keep_alive_timeout=70s"]).parameters["web.keep_alive_timeout"].default_of
        is None
    )


def test_a_rule_is_declined_with_a_reason(tmp_path: Path) -> None:
    spec = load(tmp_path, CHAIN + "decline: { 'http/pool-closes-first@alb:web': no request is sent twice }\n")
    assert "http/pool-closes-first@alb:web" not in spec.rules
    assert [(d.id, d.why) for d in spec.declined] == [("http/pool-closes-first@alb:web", "no request is sent twice")]


def test_a_relation_is_declined_everywhere(tmp_path: Path) -> None:
    spec = load(tmp_path, CHAIN + "decline: { http/pool-closes-first: { why: nothing is pooled, owner: payments } }\n")
    assert not [id_ for id_ in spec.rules if id_.startswith("http/pool-closes-first")]
    assert "http/pool-closes-first@alb:web" in [d.id for d in spec.declined]


def test_a_rule_of_the_catalogue_may_be_adjusted(tmp_path: Path) -> None:
    spec = load(tmp_path, CHAIN + "rules: { 'http/pool-closes-first@alb:web': { level: should, margin: 20% } }\n")
    rule = spec.rules["http/pool-closes-first@alb:web"]
    assert (rule.level.value, rule.margin is not None, rule.text) == (
        "should", True, "alb.idle_timeout < web.server_idle",
    )  # fmt: skip


def test_what_software_refuses_is_found(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(CHAIN + "parameters: { alb.idle_timeout: { fixed: 5000s } }\n", encoding="utf-8")
    found = [f for f in api.check(path).findings if f.subject == "alb.idle_timeout.max"]
    assert [f.kind for f in found] == [FindingKind.BROKEN]


def test_all_rules_of_a_relation_may_be_adjusted_at_once(tmp_path: Path) -> None:
    spec = load(tmp_path, CHAIN + "rules: { http/pool-closes-first: { level: should } }\n")
    assert spec.rules["http/pool-closes-first@alb:web"].level.value == "should"


def test_what_software_takes_may_be_declined(tmp_path: Path) -> None:
    text = CHAIN + "parameters: { alb.idle_timeout: { fixed: 60s } }\n"
    assert "alb.idle_timeout.max" in load(tmp_path, text).rules
    assert (
        "alb.idle_timeout.max"
        not in load(tmp_path, text + "decline: { alb.idle_timeout.max: our quota was raised }\n").rules
    )


def test_two_ways_between_the_same_two_make_one_rule(tmp_path: Path) -> None:
    text = CHAIN.replace(
        "links: [client -> nlb -> alb -> web]", "links: [client -> nlb -> alb, client -> alb, alb -> web]"
    )
    rules = [id_ for id_ in load(tmp_path, text).rules if id_.startswith("http/pool-closes-first")]
    assert rules == ["http/pool-closes-first@alb:web"]


def test_an_effective_value_cannot_be_replaced(tmp_path: Path) -> None:
    text = CHAIN + "parameters: { web.server_idle: { fixed: 3s } }\nrules: { r: { require: web.server_idle > 1s } }\n"
    (only,) = errors(tmp_path, text)
    assert "'web.server_idle' is computed by node.http-server" in only


def test_without_a_release_the_newest_one_is_meant(tmp_path: Path) -> None:
    spec = load(
        tmp_path, "outlast: 1\ncomponents: { pod: k8s.pod }\nparameters: { pod.prestop_sleep: { fixed: 0s } }\n"
    )
    assert not [r for r in (*spec.rules, *(u.id for u in spec.unjudged)) if r.startswith("k8s/prestop-sleep-positive")]
    old = load(
        tmp_path,
        "outlast: 1\ncomponents: { pod: { kind: k8s.pod, version: '1.32' } }\nparameters: { pod.prestop_sleep: { fixed: 0s } }\n",
    )
    assert "k8s/prestop-sleep-positive@pod" in old.rules


def test_a_default_may_be_kept_out_of_every_way_out(tmp_path: Path) -> None:
    spec = load(tmp_path, CHAIN + "parameters: { alb.idle_timeout: { cost: never, why: another team's } }\n")
    idle = spec.parameters["alb.idle_timeout"]
    assert (idle.default_of, idle.cost, idle.origin.why) == ("ALB", None, "another team's")


def test_a_link_the_wrong_way_round_is_noted(tmp_path: Path) -> None:
    spec = load(tmp_path, "outlast: 1\ncomponents: { q: sqs.queue, f: lambda.function }\nlinks: [q -> f]\n")
    assert ["the side that asks comes first" in note.message for note in spec.notes] == [True]


def test_where_nothing_can_be_judged_the_report_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(
        "outlast: 1\ncomponents: { pod: k8s.pod, web: { kind: generic.server, runs_in: pod } }\n", encoding="utf-8"
    )
    outcome = api.check(path)
    assert "web.shutdown" in [need for each in outcome.spec.unjudged for need in each.needs]


def test_a_quantity_of_the_workload_is_asked_for_and_then_used(tmp_path: Path) -> None:
    text = "outlast: 1\ncomponents: { pod: k8s.pod, web: { kind: generic.server, runs_in: pod } }\n"
    before = load(tmp_path, text)
    wanting = [each for each in before.unjudged if each.id.startswith("stop/grace-covers-shutdown@")]
    assert [each.needs for each in wanting] == [("web.shutdown",)]
    after = load(tmp_path, text + "parameters: { web.shutdown: { fact: 40s } }\n")
    assert "stop/grace-covers-shutdown@pod:web" in after.rules


def test_a_spec_may_use_roles_and_defaults_in_rules_of_its_own(tmp_path: Path) -> None:
    spec = load(tmp_path, CHAIN + "rules: { own: { require: nlb.silent_idle > alb.idle_timeout + web.server_idle } }\n")
    assert spec.parameters["nlb.silent_idle"].text == "nlb.idle_timeout"


def test_a_component_may_run_in_several(tmp_path: Path) -> None:
    text = "outlast: 1\ncomponents: { node: k8s.kubelet, pod: { kind: k8s.pod, runs_in: [deploy, node] }, deploy: k8s.deployment }\n"
    topology = load(tmp_path, text).topology
    assert topology is not None
    assert topology.components["pod"].hosts == ("deploy", "node")


def test_extending_overrides_components_key_by_key(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(CHAIN, encoding="utf-8")
    text = "outlast: 1\nextends: base.yaml\ncomponents: { web: { version: '24' }, nlb: null }\nlinks: [client -> alb -> web]\n"
    topology = load(tmp_path, text).topology
    assert topology is not None
    assert topology.components["web"].options == {"version": "24"}
    assert "nlb" not in topology.components


WRONG = [
    ("components: { web: { kind: nginxx } }", ["2:28: unknown kind 'nginxx'; did you mean 'nginx'?; outlast rules lists kinds"]),
    ("components: { web: { version: '1' } }", ["2:15: expected 'kind' in the component 'web', found no such key; outlast rules lists kinds"]),
    ("components: { web: { kind: gunicorn, worker_clas: gevent } }",
     ["2:38: unknown option 'worker_clas' of gunicorn; did you mean 'worker_class'?"]),
    ("components: { web: { kind: gunicorn, keepalive: 5s } }",
     ["2:38: 'keepalive' is a parameter: write it under parameters, as web.keepalive: { fixed: … }"]),
    ("components: { a.b: gunicorn }", ["2:15: the name of a component has no dots, found 'a.b'"]),
    ("components: { web: { kind: gunicorn, runs_in: pood }, pod: k8s.pod }", ["2:47: unknown component 'pood'; did you mean 'pod'?"]),
    ("components: { a: { kind: gunicorn, runs_in: b }, b: { kind: gunicorn, runs_in: a } }",
     ["2:45: 'a' runs in itself: a -> b -> a", "2:80: 'b' runs in itself: b -> a -> b"]),
    ("components: { fw: { kind: generic.hop, answers: foo } }", ["2:49: expected rst or nothing or unknown, found 'foo'"]),
    ("components: { web: { kind: gunicorn, version: lts } }", ["2:47: expected a release, such as 1.33, found 'lts'"]),
    ("components: { web: { kind: gunicorn, runs_in: [] } }", ["2:47: expected the name of a component, or a list of them, found an empty list"]),
    ("components: { lb: aws.alb, web: gunicorn }\nlinks: ['lb ->', lb -> web]", ["3:9: expected links such as client -> lb -> web, found an arrow to nothing"]),
    ("components: { lb: aws.alb, web: gunicorn }\nrules: { 'http/pool-closes-first@lb:web': null }", ["3:10: found null, which removes what another spec gave, but this one extends none; a rule of the catalogue is left out under decline:"]),
    ("components: { web: gunicorn }\nlinks: [web]", ["3:9: expected links such as client -> lb -> web, found 'web'"]),
    ("components: { web: gunicorn }\nlinks: [lb -> web]", ["3:9: unknown component 'lb'"]),
    ("components: { lb: aws.alb, web: gunicorn }\nlinks: [lb -> wbe]", ["3:15: unknown component 'wbe'; did you mean 'web'?"]),
    ("components: { lb: aws.alb, web: gunicorn }\nlinks: [lb -> web -> lb]", ["3:9: found 'lb' twice in one chain"]),
    ("components: { lb: aws.alb, web: gunicorn }\nlinks: [lb -> web, lb -> web]",
     ["3:20: found the connection 'lb -> web' a second time; the first is at line 3"]),
    ("components: { nlb: aws.nlb, web: gunicorn }\nlinks: [nlb -> web]",
     ["3:9: 'nlb' cannot begin or end a link: NLB passes connections on, so write what is on both sides of it"]),
    ("components: { lb: aws.alb, web: gunicorn }\nlinks: [{ from: lb, to: web, pooled: maybe }]",
     ["3:38: expected yes or no, found 'maybe'"]),
    ("components: { lb: aws.alb, web: gunicorn }\nlinks: [{ from: lb }]", ["3:9: expected 'from' and 'to', or 'chain', in a link, found no 'to'"]),
    ("components: { web: gunicorn }\nparameters: { web.keepalve: { fixed: 5s } }",
     ["3:15: gunicorn has no parameter 'keepalve'; did you mean 'keepalive'?"]),
    ("components: { web: node.http-server }\nparameters: { web.server_idle: { fixed: 5s } }",
     ["3:15: 'web.server_idle' is computed by node.http-server, as"]),
    ("components: { lb: aws.alb }\nparameters: { lb.idle_timeout: { fixed: 5/s } }",
     ["3:41: expected a duration with its unit, such as 10s, found '5/s'"]),
    ("decline: { http/pool-closes-first: why not }", ["2:12: found rules to decline, but no components, so the catalogue has none here"]),
    ("components: { web: gunicorn }\ndecline: { http/pool-closes-frist: why not }",
     ["3:12: unknown rule of the catalogue 'http/pool-closes-frist'; did you mean 'http/pool-closes-first'?"]),
    ("components: { lb: aws.alb, web: { kind: node.http-server } }\nlinks: [lb -> web]\ndecline: { 'http/pool-closes-first@lb:web': '' }",
     ["4:45: expected a mapping such as { why: traffic bypasses the balancer }, found ''"]),
    ("components: { web: gunicorn }\ndecline:\n  http/pool-closes-first: see #42", ["4:30: found ' #', which makes a comment of the rest"]),
    ("components: []", ["2:13: expected a mapping of names to components, found a list"]),
    ("components: { web: [] }", ["2:20: expected a mapping such as { kind: aws.alb }, found a list"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_each_slip_is_told_where_it_stands(text: str, expected: list[str], tmp_path: Path) -> None:
    found = errors(tmp_path, f"outlast: 1\n{text}\n")
    assert len(found) == len(expected), found
    for one, beginning in zip(found, expected, strict=True):
        assert one.startswith(beginning), one


OPTIONAL = Relation.from_mapping(
    "http/awake",
    {
        "id": "http/awake",
        "title": "a relation over a role that not every server has",
        "over": "link",
        "require": "from.pool_idle < first_set(to.keep_awake, 2min)",
        "optional": ["to.keep_awake"],
        "severity": "warning",
        "why": "why",
        "breaks": "breaks",
        "sources": ["a page"],
        "verified": ["documentation"],
    },
)


@pytest.mark.parametrize(
    ("worker_class", "judged", "told"),
    [
        ("sync", True, None),
        ("unknown", False, "nothing tells whether web.worker_class != sync"),
        ("gthread", False, "no value of web.tcp_keep_alive is known"),
    ],
)
def test_an_optional_role_is_off_only_where_it_surely_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, worker_class: str, judged: bool, told: str | None
) -> None:
    monkeypatch.setattr(instances, "relations", lambda: (OPTIONAL,))
    spec = load(
        tmp_path,
        f"outlast: 1\ncomponents: {{ lb: aws.alb, web: {{ kind: gunicorn, worker_class: {worker_class} }} }}\nlinks: [lb -> web]\n",
    )
    assert ("http/awake@lb:web" in spec.rules) == judged
    assert [each.why for each in spec.unjudged] == ([] if told is None else [told])
