"""Configurations of components: whatever kind and values, the file says exactly these, and what would not is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
import yaml

from outlast.configs.outputs import write
from outlast.configs.outputs.pieces import Line
from outlast.configs.outputs.spelled import text
from outlast.configs.outputs.write import COMPONENT_OUTPUTS, configuration
from outlast.configs.spelling import Entry
from outlast.constraints.catalogue import Kind, KnownParameter, kind, kind_names
from outlast.constraints.errors import InputErrors, Place
from outlast.constraints.model import Binding, Parameter, Role
from outlast.constraints.quantities import Kind as Quantity
from outlast.constraints.quantities import Sentinel, Value, parse_quantity
from outlast.constraints.record import replace
from outlast.constraints.topology import Component, Topology

KINDS = [each for name in kind_names() if (each := kind(name)) is not None]
WRITTEN = [(each.name, output) for each in KINDS for output in sorted({o.name for o in each.outputs})]
HERE = Place("outlast.yaml", 1, 1)


def _value(text_: str | None) -> Value | None:
    return None if text_ is None else parse_quantity(text_).value


def _number(text_: str | None, otherwise: int) -> Fraction:
    value = _value(text_)
    return value if isinstance(value, Fraction) else Fraction(otherwise)


def _of(name: str) -> Kind:
    found = kind(name)
    assert found is not None
    return found


def _entry(component: str, known: KnownParameter, value: Value, **keys: object) -> Entry:
    parameter = Parameter(
        name=f"{component}.{known.name}", place=HERE, role=Role.FIXED, kind=known.quantity, value=value, zero=_value(known.zero)
    )  # fmt: skip
    return Entry(parameter=replace(parameter, **keys), value=value, reason=f"reason of {known.name}")


def _random(known: KnownParameter, random: Random) -> Value:
    """A value on the parameter's step within its bounds, now and then what 0 means."""
    meaning = _value(known.zero)
    if isinstance(meaning, Sentinel) and random.random() < 0.1:
        return meaning
    is_duration = known.quantity is Quantity.DURATION
    step = _number(known.step, 10**6 if is_duration else 1)
    low = -(-max(_number(known.minimum, 0), step) // step)
    high = min(_number(known.maximum, 2**62) // step, low + random.choice((1, 50, 5000)))
    return step * random.randint(int(low), max(int(low), int(high)))


def _topology(*components: Component) -> Topology:
    return Topology(components={c.name: c for c in components}, connections=())


@pytest.mark.parametrize(("name", "output"), WRITTEN)
def test_any_values_on_their_steps_stand_below_their_reasons(name: str, output: str) -> None:
    """`configuration` itself finds them again by recognition, or raises; here the text is looked at alone."""
    random = Random(f"{name} {output}")
    own = _of(name)
    words = sorted({word for each in own.outputs if each.name == output for word in each.keys})
    for _ in range(3):
        chosen = random.sample(words, random.randint(1, len(words)))
        if "keepalive_header" in chosen and "keepalive_timeout" not in chosen:
            chosen.append("keepalive_timeout")
        entries = [_entry("it", own.parameters[word], _random(own.parameters[word], random)) for word in chosen]
        made = configuration(entries, _topology(Component(name="it", kind=own, place=HERE)), output, "From a test")
        assert made.components == ("it",)
        layout = COMPONENT_OUTPUTS[output]
        for entry in entries:
            spelled = layout.spell(own.parameters[entry.parameter.name.partition(".")[2]], entry.value)
            assert spelled in _below(made.text, f"{entry.parameter.name}", layout.mark)
        again = configuration(
            entries[::-1], _topology(Component(name="it", kind=own, place=HERE)), output, "From a test"
        )
        assert again == made


def _below(whole: str, name: str, mark: str) -> str:
    """The first line behind the comment on a parameter that is no comment."""
    lines = iter(whole.splitlines())
    for line in lines:
        if line.strip().startswith((f"{mark} {name}: ", f"{mark} {name}, behind it: ")):
            return next(other for other in lines if not other.strip().startswith(mark))
    raise AssertionError(f"nothing is said of {name}")


def test_every_key_of_an_output_can_be_written_alone() -> None:
    for name, output in WRITTEN:
        own = _of(name)
        for word in {word for each in own.outputs if each.name == output for word in each.keys} - {"keepalive_header"}:
            value = _random(own.parameters[word], Random(0))
            entries = [_entry("it", own.parameters[word], value)]
            made = configuration(entries, _topology(Component(name="it", kind=own, place=HERE)), output, "t")
            assert f"it.{word}: reason of {word}" in made.text, (name, output, word)


def _leaves(tree: object) -> Iterator[object]:
    if isinstance(tree, dict | list):
        for below in tree.values() if isinstance(tree, dict) else tree:
            yield from _leaves(below)
    else:
        yield tree


@pytest.mark.parametrize(("name", "output"), [w for w in WRITTEN if w[1] in ("envoy", "k8s", "compose", "spring")])
def test_another_reader_of_yaml_finds_as_many_values(name: str, output: str) -> None:
    own = _of(name)
    words = {word for each in own.outputs if each.name == output for word in each.keys}
    entries = [_entry("it", own.parameters[word], _random(own.parameters[word], Random(word))) for word in words]
    made = configuration(entries, _topology(Component(name="it", kind=own, place=HERE)), output, "From a test")
    leaves = [str(leaf) for document in yaml.safe_load_all(made.text) for leaf in _leaves(document)]
    for entry in entries:
        spelled = text(own.parameters[entry.parameter.name.partition(".")[2]], entry.value)
        assert spelled in leaves
        leaves.remove(spelled)


def test_defaults_facts_constants_and_workload_are_not_written() -> None:
    own = _of("gunicorn")
    entries = [
        _entry("it", own.parameters["keepalive"], Fraction(70 * 10**9)),
        _entry("it", own.parameters["timeout"], Fraction(30 * 10**9), default_of="gunicorn"),
        _entry("it", own.parameters["graceful_timeout"], Fraction(9 * 10**9), role=Role.FACT),
        _entry("it", own.parameters["longest_request"], Fraction(8 * 10**9)),
    ]
    made = configuration(entries, _topology(Component(name="it", kind=own, place=HERE)), "gunicorn", "From a test")
    module: dict[str, object] = {}
    exec(made.text, module)
    assert {key: value for key, value in module.items() if not key.startswith("_")} == {"keepalive": 70}
    assert "# it.timeout is left at its default of 30s\n" in made.text
    assert made.notes == ()


def test_a_literal_of_go_repeats_defaults_that_are_not_what_0_means() -> None:
    own = _of("go.http-client")
    entries = [_entry("it", own.parameters["response_header_timeout"], Fraction(9 * 10**9))]
    made = configuration(entries, _topology(Component(name="it", kind=own, place=HERE)), "go-code", "From a test")
    for line in ("IdleConnTimeout: 90 * time.Second,", "KeepAlive: 30 * time.Second,", "Timeout: 30 * time.Second,"):
        assert f"\t{line}\n" in made.text
    assert "http.Client{" not in made.text
    by_hand = _of("go.http-transport")
    entries = [_entry("it", by_hand.parameters["response_header_timeout"], Fraction(9 * 10**9))]
    made = configuration(entries, _topology(Component(name="it", kind=by_hand, place=HERE)), "go-code", "From a test")
    assert "IdleConnTimeout" not in made.text
    assert "KeepAlive" not in made.text  # the 15 s that an absent field means


@pytest.mark.parametrize(
    ("output", "kind_name", "word", "number", "wrong", "told"),
    [
        ("gunicorn", "gunicorn", "keepalive", 70 * 10**9, "71", "reads as another value"),
        ("gunicorn", "gunicorn", "keepalive", 70 * 10**9, "soon", "is not recognised as gunicorn"),
        ("nginx", "nginx", "send_timeout", 70 * 10**9, "70", None),
        ("nginx", "nginx", "send_timeout", 70 * 10**9, "70ms", "reads as another value"),
        ("k8s", "k8s.pod", "grace", 70 * 10**9, "70000", "reads as another value"),
    ],
)
def test_what_does_not_read_back_is_never_shown(
    monkeypatch: pytest.MonkeyPatch, output: str, kind_name: str, word: str, number: int, wrong: str, told: str | None
) -> None:
    """A fault of outlast, made here by a speller that is wrong; the values themselves are right."""
    layout = replace(COMPONENT_OUTPUTS[output], spell=lambda known, value: wrong)
    monkeypatch.setattr(write, "COMPONENT_OUTPUTS", {**COMPONENT_OUTPUTS, output: layout})
    own = _of(kind_name)
    entries = [_entry("it", own.parameters[word], Fraction(number))]
    topology = _topology(Component(name="it", kind=own, place=HERE))
    if told is None:
        assert wrong in configuration(entries, topology, output, "From a test").text
        return
    with pytest.raises(InputErrors) as raised:
        configuration(entries, topology, output, "From a test")
    assert told in _messages(raised.value.exceptions)


def test_what_nobody_asked_for_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of outlast, made here by a frame that has a value of its own."""
    plain = COMPONENT_OUTPUTS["gunicorn"]
    layout = replace(plain, lay_out=lambda pieces, context: [*plain.lay_out(pieces, context), Line(text="timeout = 9")])
    monkeypatch.setattr(write, "COMPONENT_OUTPUTS", {**COMPONENT_OUTPUTS, "gunicorn": layout})
    own = _of("gunicorn")
    entries = [_entry("it", own.parameters["keepalive"], Fraction(70 * 10**9))]
    with pytest.raises(InputErrors) as raised:
        configuration(entries, _topology(Component(name="it", kind=own, place=HERE)), "gunicorn", "From a test")
    assert "timeout = 9 reads as timeout of gunicorn, which nobody asked for" in _messages(raised.value.exceptions)


def test_two_pods_of_one_deployment_cannot_both_tell_its_grace_period() -> None:
    deployment = Component(name="dep", kind=_of("k8s.deployment"), place=HERE)
    pods = [Component(name=name, kind=_of("k8s.pod"), place=HERE, hosts=("dep",)) for name in ("a", "b")]
    entries = [_entry(pod.name, pod.kind.parameters["grace"], Fraction(60 * 10**9)) for pod in pods]
    with pytest.raises(InputErrors) as raised:
        configuration(entries, _topology(deployment, *pods), "k8s", "From a test")
    assert "a.grace and b.grace would both be written as" in _messages(raised.value.exceptions)


@pytest.mark.parametrize(
    ("output", "kind_name", "word", "selector", "shown"),
    [
        ("nginx", "nginx.upstream", "keepalive_timeout", "http/upstream api:keepalive_timeout", "upstream api {"),
        ("haproxy", "haproxy", "server", "backend be:timeout server", "backend be\n"),
        ("envoy", "envoy", "connect_timeout", "static_resources.clusters[api].connect_timeout", "name: api\n"),
        ("k8s", "k8s.pod", "grace", "StatefulSet/db:spec.template.spec.terminationGracePeriodSeconds", "kind: StatefulSet\n"),
        ("k8s", "k8s.pod", "prestop_sleep", "Deployment/web:spec.template.spec.containers[app].lifecycle.preStop.sleep.seconds", "- name: app\n"),
        ("compose", "compose.service", "stop_grace_period", "services.api.stop_grace_period", "  api:\n"),
        ("terraform", "aws.alb", "idle_timeout", "aws_lb.main:idle_timeout", 'resource "aws_lb" "main" {'),
    ],
)  # fmt: skip
def test_a_part_is_called_as_the_place_of_its_value_says(
    output: str, kind_name: str, word: str, selector: str, shown: str
) -> None:
    own = _of(kind_name)
    at = (Binding(file="x", selector=selector, place=HERE),)
    topology = _topology(Component(name="it", kind=own, place=HERE))
    bound, free = (
        configuration([_entry("it", own.parameters[word], Fraction(6 * 10**9), **keys)], topology, output, "t").text
        for keys in ({"at": at}, {})
    )
    assert shown in bound
    assert shown not in free


def _messages(errors: Sequence[BaseException]) -> str:
    return " ".join(map(str, errors))


def test_odd_names_make_names_that_every_format_takes() -> None:
    own = {"nginx": "send_timeout", "haproxy": "client", "k8s.pod": "grace", "aws.alb": "idle_timeout", "compose.service": "health_retries",
           "go.http-server": "idle_timeout", "node.http-server": "request_timeout"}  # fmt: skip
    for kind_name, word in own.items():
        each = _of(kind_name)
        output = each.outputs[0].name
        for name in ("größe", "_", "a_B", "超时", "yes"):
            entries = [_entry(name, each.parameters[word], Fraction(6 * 10**9 if word != "health_retries" else 3))]
            topology = _topology(Component(name=name, kind=each, place=HERE))
            assert configuration(entries, topology, output, "x").components == (name,)


def test_the_catalogue_names_outputs_that_there_are() -> None:
    assert {output for _, output in WRITTEN} == set(COMPONENT_OUTPUTS)


def test_no_snapshot_is_left_over() -> None:
    folder = Path(__file__).parent.parent / "cli" / "snapshots"
    assert {path.name for path in folder.glob("generate-*.txt")} >= {
        f"generate-{name}.txt" for name in COMPONENT_OUTPUTS
    }
