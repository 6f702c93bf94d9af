"""The catalogue's verdict is the software's: at each row that a software was asked about, the rules bound to it break exactly where it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.asking import Oracle, Values, cases
from oracles.bindings import BINDINGS
from outlast.api import check
from outlast.constraints.evaluate import Truth


def _verdict(oracle: Oracle, values: Values, folder: Path) -> bool:
    """Whether all bound rules hold, or do not apply, in a spec that sets just these values."""
    bound = BINDINGS[oracle]
    lines = ["outlast: 1", "components:"]
    lines += [
        f"  {name}: {{ {', '.join(f'{key}: {value!r}' for key, value in says.items())} }}"
        for name, says in bound.components.items()
    ]
    lines += ["links:", *(f"  - {link}" for link in bound.links)] if bound.links else []
    given = {bound.names[name]: text for name, text in values.items() if name in bound.names}
    lines += ["parameters:", *(f"  {name}: {{ fixed: {text} }}" for name, text in {**bound.besides, **given}.items())]
    spec = folder / "outlast.yaml"
    spec.write_text("\n".join(lines) + "\n")
    outcome = check(spec, known_only=True)
    broken = {
        id_ for id_, one in outcome.rules.items() if one.verdict is not None and one.verdict.truth is Truth.BROKEN
    }
    return not broken & set(bound.rules)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(BINDINGS))
def test_the_catalogue_breaks_where_the_software_refuses(
    tmp_path: Path, oracle: Oracle, values: Values, accepted: bool
) -> None:
    assert _verdict(oracle, values, tmp_path) is accepted


def test_each_oracle_has_both_sides() -> None:
    assert all(oracle.accepted and oracle.refused for oracle in BINDINGS)
