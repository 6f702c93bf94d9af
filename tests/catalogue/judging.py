"""Judging the examples of relations as specs, each once however many tests look at what comes out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from outlast import api
from outlast.constraints.catalogue import Relation, relation
from outlast.constraints.check import CheckOutcome
from outlast.constraints.evaluate import Truth

__all__ = ["audited", "named", "spec_text", "truths"]


def named(id_: str) -> Relation:
    """The relation of an id that is there."""
    found = relation(id_)
    assert found is not None
    return found


def spec_text(examples: Mapping[str, Any], values: Mapping[str, str]) -> str:
    """An example as a spec."""
    spec = {
        "outlast": "1",
        "components": examples["components"],
        "links": examples.get("links") or [],
        "parameters": {name: {"fixed": value} for name, value in values.items()},
    }
    return json.dumps(spec)  # which is YAML, too


@cache
def audited(id_: str, example: str) -> CheckOutcome:
    """The audit of one of a relation's examples."""
    examples = named(id_).examples
    with TemporaryDirectory() as folder:
        path = Path(folder, "outlast.yaml")
        path.write_text(spec_text(examples, examples[example]), encoding="utf-8")
        return api.check(path, known_only=True)


def truths(id_: str, example: str) -> dict[str, Truth]:
    """By rule, what those made of a relation come to in one of its examples; a chain's links count one by one."""
    return {
        rule_id: checked.verdict.truth
        for rule_id, checked in audited(id_, example).rules.items()
        if checked.rule.rule.relation is not None and checked.rule.rule.relation.id == id_ and checked.verdict
    }
