"""The JSON Schema tells editors what the loader takes: nothing that loads is complained of, and every key is described."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from cli.running import Outlast
from outlast.constraints.catalogue import kind, kind_names, relations
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.loading.layers import SECTIONS
from outlast.constraints.loading.layers import TOP_KEYS as TOP
from outlast.constraints.loading.load import load_spec
from outlast.constraints.loading.topology import COMPONENT_KEYS, LINK_KEYS
from outlast.reports import schema_keys
from outlast.reports.schema import schema, schema_text

ROOT = Path(__file__).resolve().parents[2]


@cache
def _validator() -> Any:
    return jsonschema.Draft7Validator(schema())


def _value(node: Any, typed: Any) -> Any:
    """A YAML node as an editor sees it: names are texts, scalars what `typed` takes them for."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: _value(value, typed) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, typed) for item in node.value]
    if node.style is None and node.value in ("", "null", "~"):
        return None
    try:
        value = typed.construct_object(node)
    except ValueError:  # a day that is none
        return node.value
    return value if value is None or isinstance(value, str | bool | int | float) else node.value


def _values(text: str) -> Iterator[Any]:
    """A spec as texts, and with the types of YAML 1.1 and of its core schema, which 1.2 has."""
    for loader in (yaml.BaseLoader, yaml.SafeLoader, _CoreLoader):
        yield _value(yaml.compose(text, loader), loader(""))


class _CoreLoader(yaml.BaseLoader):
    """YAML 1.2: `off` is a text and `010` is ten."""

    def construct_scalar(self, node: Any) -> Any:
        text = super().construct_scalar(node)
        if node.style is None and text in ("true", "false"):
            return text == "true"
        if node.style is None and re.fullmatch(r"[-+]?[0-9]+", text):
            return int(text)
        return float(text) if node.style is None and re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)", text) else text


def _specs() -> Iterator[Path]:
    """Those of examples and of the tests of commands, and some of the many cases."""
    for folder, step in (("examples", 1), ("tests/cli", 1), ("tests/cases", 24)):
        for path in sorted((ROOT / folder).rglob("*.y*ml"))[::step]:
            if re.search(rb"^outlast:\s*['\"]?1\b", path.read_bytes(), re.M):
                yield path


def test_no_spec_that_loads_is_complained_of() -> None:
    count = 0
    for path in _specs():
        try:
            load_spec(path)
        except (InputErrors, OutlastError):
            continue
        count += 1
        for value in _values(path.read_text(encoding="utf-8")):
            assert not [f"{path}: {error.json_path} {error.message}" for error in _validator().iter_errors(value)]
    assert count > 20


P = "parameters: { a: { fixed: 1s }, b: { free: any } }\n"
GOOD = [
    P + "rules: { r: { require: a < b, level: should, weight: 2, margin: 20%, needs_on: [a], cost: never } }",
    "parameters: { a: { fact: 40..400 }, b: { free: [1, 5, off], step: 1, current: 010, zero: off, prefer: high } }",
    "parameters: { a: { fixed: off, cost: 2, reviewed: 2026-11-01, unguarded: [high, off], why: it is } }",
    "parameters: { a: { derived: 2 * b, at: ['x.yaml#a', 'y.yaml#b'] } }",
    "parameters: { lb.idle_timeout: { cost: never } }",
    "extends: base.yaml\nparameters: { a: { step: null, fact: null, fixed: 2s }, b: null }\nrules: null",
    "measurements: { m: { prometheus: a.prom, metric: x, labels: { code: 200 }, lost: 3, taken: 2026-10-20 } }",
    "components: { c: aws.alb, d: { kind: k8s.pod, version: 1.33 }, e: { kind: gunicorn, worker_class: gthread, runs_in: [d] } }\n"
    "links: [c -> e, { from: c, to: e, pooled: no, protocol: http/2 }, { chain: c -> e, idempotent: yes }]",
    "links: c -> d",
    "decline: { http/pool-closes-first: it is so, mine@a:b: { why: 1, owner: me } }",
    "rules: { http/pool-closes-first@a:b: { margin: 1s } }",
]
WRONG = {
    "rule: {}": "rule",
    "parameters: { a: { fixd: 1s } }": "fixd",
    "parameters: { a: { why: nobody said what it is } }": "parameters.a",
    "parameters: { a: { fixed: 1s, free: any } }": "parameters.a.f",
    "parameters: { a: { derived: b, step: 1s } }": "parameters.a.step",
    "parameters: { a: 1s }": "parameters.a",
    "parameters: { a: { fixed: 1s, reviewed: yesterday } }": "reviewed",
    "parameters: { a: { fixed: 1s, unguarded: sideways, why: x } }": "unguarded",
    "measurements: { m: { samples: a.csv, metric: x } }": "metric",
    "measurements: { m: { unit: ms } }": "measurements.m",
    "rules: { r: { why: x } }": "rules.r",
    "rules: { r: { require: a < b, level: could } }": "level",
    "rules: { r: { require: a < b, level: true } }": "level",
    "components: { c: aws.albatross }": "components.c",
    "components: { c: { kind: aws.alb, worker_class: sync } }": "components.c",
    "components: { c: { version: 1 } }": "components.c",
    "links: [{ from: a }]": "links",
    "links: [{ from: a, to: b, protocol: smtp }]": "links",
    "decline: { x/y: { owner: me } }": "decline",
}  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_what_may_be_written_is_not_complained_of(text: str) -> None:
    for value in _values("outlast: 1\n" + text):
        assert list(_validator().iter_errors(value)) == []


@pytest.mark.parametrize(("text", "where"), WRONG.items())
def test_what_is_wrong_is_complained_of_where_it_stands(text: str, where: str) -> None:
    for value in _values("outlast: 1\n" + text):
        found = [f"{error.json_path} {error.message}" for error in _validator().iter_errors(value)]
        assert any(where in each for each in found), found


def test_the_version_is_needed() -> None:
    assert not _validator().is_valid({"title": "x"})
    assert not _validator().is_valid({"outlast": 2})


def test_every_key_that_the_loader_takes_is_described_and_no_other() -> None:
    assert {*schema_keys.TOP_KEYS, *SECTIONS} == set(TOP)
    assert set(schema_keys.ENTRIES) == set(SECTIONS)
    assert {section: set(keys) for section, keys in schema_keys.SECTION_KEYS.items()} == {
        section: set(keys) for section, keys in SECTIONS.items() if section != "components"
    }
    assert set(schema_keys.COMPONENT_KEYS) == set(COMPONENT_KEYS)
    assert set(schema_keys.LINK_KEYS) == set(LINK_KEYS)


def test_every_property_is_described_in_the_schema() -> None:
    def described(node: Any, path: str) -> Iterator[str]:
        if isinstance(node, dict):
            for name, inner in node.get("properties", {}).items() if isinstance(node.get("properties"), dict) else ():
                is_told = isinstance(inner, dict) and (len(inner.get("description", "")) > 10 or "if" in path)
                if not is_told and not re.search(r"/(then|else|if)$", path):
                    yield f"{path}/{name}"
            for key, inner in node.items():
                yield from described(inner, f"{path}/{key}")
        elif isinstance(node, list):
            for item in node:
                yield from described(item, path)

    assert list(described(schema(), "")) == []


def test_kinds_options_and_relations_of_the_catalogue_are_offered() -> None:
    made = schema()
    component = made["definitions"]["components entry"]["anyOf"][0]
    assert component["properties"]["kind"]["anyOf"][0]["enum"] == list(kind_names())
    for each in component["allOf"]:
        for name in each["if"]["properties"]["kind"]["enum"]:
            one = kind(name)
            assert one is not None
            assert set(each["then"]["properties"]) == {*COMPONENT_KEYS, *one.options}
    assert sum(len(each["if"]["properties"]["kind"]["enum"]) for each in component["allOf"]) == len(kind_names())
    assert list(made["properties"]["decline"]["properties"]) == [each.id for each in relations()]


def test_the_schema_is_one_and_small_enough_for_editors() -> None:
    jsonschema.Draft7Validator.check_schema(json.loads(schema_text()))
    assert len(schema_text().encode()) < 400_000


def test_the_page_about_specs_has_a_row_for_each_key() -> None:
    page = (ROOT / "docs/spec.md").read_text(encoding="utf-8")
    rows = "\n".join(re.findall(r"^\| (`[^|]*) \|", page, re.M))
    keys = {key for section in SECTIONS.values() for key in section} | set(TOP)
    assert {key for key in keys if f"`{key}`" not in rows} == set()


def test_a_file_takes_the_place_of_an_older_schema_but_of_nothing_else(outlast: Outlast, tmp_path: Path) -> None:
    file, mine = tmp_path / "schema.json", tmp_path / "outlast.yaml"
    assert outlast("schema").out == schema_text()
    file.write_text(schema_text().replace("spec", "spek"), encoding="utf-8")
    mine.write_text("outlast: 1\n", encoding="utf-8")
    assert outlast("schema", "-o", str(file)).code == 0
    assert file.read_text(encoding="utf-8") == schema_text()
    assert outlast("schema", "-o", str(mine)).code == 2
    assert mine.read_text(encoding="utf-8") == "outlast: 1\n"
