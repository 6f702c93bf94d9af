"""The catalogue's verdict is the software's: at each row that a software was asked about, the rules bound to it break exactly where it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.asking import Oracle, Values
from oracles.bindings import BINDINGS
from outlast.api import check
from outlast.constraints.evaluate import Truth


def _broken(oracle: Oracle, values: Values, folder: Path) -> set[str]:
    """Which of the bound rules are broken in a spec that sets just these values."""
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
    rules = check(spec, known_only=True).rules
    verdicts = ((id_, rules[id_].verdict) for id_ in bound.rules if id_ in rules)
    return {id_ for id_, verdict in verdicts if verdict is not None and verdict.truth is Truth.BROKEN}


@pytest.mark.parametrize("oracle", BINDINGS, ids=str)
def test_the_catalogue_breaks_where_the_software_refuses(tmp_path: Path, oracle: Oracle) -> None:
    accepted = [values for values in oracle.accepted if _broken(oracle, values, tmp_path)]
    assert accepted == [], "the software accepts what the catalogue breaks"
    broken = [_broken(oracle, values, tmp_path) for values in oracle.refused]
    assert all(broken), "the software refuses what the catalogue lets stand"
    assert set().union(*broken) == set(BINDINGS[oracle].rules), "a bound rule is never broken"


def test_each_oracle_has_both_sides() -> None:
    assert all(oracle.accepted and oracle.refused for oracle in BINDINGS)
