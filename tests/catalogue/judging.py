"""Judging the examples of relations as specs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outlast import api
from outlast.constraints.check import CheckOutcome
from outlast.constraints.evaluate import Truth

__all__ = ["audited", "spec_text", "truths"]


def spec_text(examples: Mapping[str, Any], values: Mapping[str, str]) -> str:
    """An example as a spec."""
    spec = {
        "outlast": "1",
        "components": examples["components"],
        "links": examples.get("links") or [],
        "parameters": {name: {"fixed": value} for name, value in values.items()},
    }
    return json.dumps(spec)  # which is YAML, too


def audited(folder: Path, text: str) -> CheckOutcome:
    """The audit of a spec given as text."""
    path = folder / "outlast.yaml"
    path.write_text(text, encoding="utf-8")
    return api.check(path, known_only=True)


def truths(outcome: CheckOutcome, relation: str) -> dict[str, Truth]:
    """By rule, what those made of a relation come to; a chain's links count one by one."""
    return {
        id_: checked.verdict.truth
        for id_, checked in outcome.rules.items()
        if checked.rule.rule.relation is not None and checked.rule.rule.relation.id == relation and checked.verdict
    }
