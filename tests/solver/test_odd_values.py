"""Values in use that are off their step, outside their domain, or none that the software can have."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlast.api import check
from outlast.constraints.check import FindingKind


def odd(folder: Path, parameter: str, *, name: str = "a", kind: str | None = None) -> list[str]:
    """What is found of one parameter."""
    component = "" if kind is None else f"components: {{ c: {kind} }}\n"
    text = f"outlast: 1\n{component}parameters: {{ {name}: {{ {parameter} }} }}\nrules: {{ r: {{ require: {name} is off or {name} >= 0s }} }}\n"
    (folder / "outlast.yaml").write_text(text)
    kinds = (FindingKind.OFF_STEP, FindingKind.OFF_DOMAIN)
    return [f.message for f in check(folder / "outlast.yaml").findings if f.kind in kinds]


@pytest.mark.parametrize(
    ("parameter", "wanted"),
    [
        ("free: [infinite, 10min], zero: infinite, current: 0s", None),
        ("free: [0s, 10min], zero: infinite, current: infinite", None),
        ("free: [off, 10min], zero: infinite, current: 0s", "0s = infinite, which is outside its list 600s, off"),
        ("free: [0s, 10min], zero: infinite, current: 1s", "1s, which is outside its list 0s = infinite, 600s"),
        ("free: 0s..10s, zero: infinite, current: 0s", "0s = infinite, which is outside its domain 0s..10s"),
        ("free: 0s..10s, zero: 5s, current: 0s", None),
        ("free: 1s..10s, zero: 5s, current: 0s", None),
        ("free: 0s..10s, current: 0s", None),
        ("free: 0s..10s, step: 1s, current: 1500ms", "1.5s, which is not a multiple of its step, 1s"),
        ("fixed: 1500ms, step: 1s", None),
    ],
)
def test_a_value_counts_as_what_it_means(tmp_path: Path, parameter: str, wanted: str | None) -> None:
    assert odd(tmp_path, parameter) == ([] if wanted is None else [f"a is {wanted}"])


@pytest.mark.parametrize(
    ("kind", "name", "parameter", "wanted"),
    [
        ("aws.alb", "c.idle_timeout", "fixed: off", "off, which idle_timeout of ALB cannot be"),
        ("aws.alb", "c.idle_timeout", "fixed: infinite", "infinite, which idle_timeout of ALB cannot be"),
        ("aws.alb", "c.idle_timeout", "free: [60s, off], current: off", "off, which idle_timeout of ALB cannot be"),
        ("aws.alb", "c.idle_timeout", "fixed: off, zero: off", None),
        ("aws.alb", "c.idle_timeout", "fixed: 60s", None),
        ("aws.alb", "c.idle_timeout", "fixed: 60500ms", "60.5s, which is not a multiple of its step, 1s"),
        ("aws.alb", "c.idle_timeout", "fixed: 60500ms, step: 1ms", None),
        ("go.http-client", "c.idle_conn_timeout", "fixed: 0s", None),
        (
            "go.http-client",
            "c.idle_conn_timeout",
            "fixed: off",
            "off, which idle_conn_timeout of Go's http.DefaultTransport cannot be",
        ),
    ],
)
def test_a_value_is_one_that_the_software_can_have(
    tmp_path: Path, kind: str, name: str, parameter: str, wanted: str | None
) -> None:
    assert odd(tmp_path, parameter, name=name, kind=kind) == ([] if wanted is None else [f"{name} is {wanted}"])
