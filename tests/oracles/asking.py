"""Tables of values that a software accepts or refuses, held against the software and against the catalogue.

An `Oracle` is one boundary of one software. Its values stand under the names that the software's users write, so that a table can be read
beside the manual; bindings.py says which rules of the catalogue draw the same boundary, and what the catalogue calls those names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from outlast.constraints.quantities import parse_quantity

__all__ = ["Answers", "Bound", "Oracle", "Values", "ask_all", "cases", "executable", "fetched", "ms", "seconds", "us"]

#: What is set, as text: durations with their unit, counts bare.
Values = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What of the catalogue draws an oracle's boundary."""

    #: Component -> what it says besides its values: its kind, its options.
    components: Mapping[str, Mapping[str, str]]
    #: Ids of rules that follow from them; one is broken where the software refuses.
    rules: tuple[str, ...]
    #: The oracle's name of a value -> `component.parameter`; other values are no business of the rules.
    names: Mapping[str, str]
    #: `component.parameter` -> what is set besides.
    besides: Mapping[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Oracle:
    """One boundary of one software: values on both sides of it, and how the software is asked."""

    name: str
    accepted: tuple[Values, ...]
    refused: tuple[Values, ...]
    #: How it is asked for one row; None where a program is asked for all rows at once, and `kind` says which of its questions this is.
    accepts: Callable[[Values], bool] | None = None
    kind: str = ""

    def asked(self, values: Values) -> bool:
        """Whether the software accepts these values."""
        assert self.accepts is not None
        return self.accepts(values)

    def __str__(self) -> str:
        return self.name


def cases(oracles: Iterable[Oracle]) -> list[Any]:
    """One test for each row: the oracle, its values, and whether the software accepts them."""
    return [
        pytest.param(oracle, values, accepted, id=f"{oracle.name}: {', '.join(f'{k} {v}' for k, v in values.items())}")
        for oracle in oracles
        for accepted, rows in ((True, oracle.accepted), (False, oracle.refused))
        for values in rows
    ]


#: What a program answered: the name of the oracle and the values as text -> whether it accepts them.
Answers = Mapping[tuple[str, str], bool]


def ask_all(
    command: Sequence[str],
    oracles: Sequence[Oracle],
    number: Callable[[str], int],
    *,
    env: Mapping[str, str] | None = None,
    timeout: int = 120,
) -> Answers:
    """Ask a program once for every row: it reads a JSON list of `[kind, {name: number}]` and writes a JSON list of booleans last."""
    rows = [(oracle, values) for oracle in oracles for values in (*oracle.accepted, *oracle.refused)]
    asked = json.dumps(
        [[oracle.kind, {name: number(text) for name, text in values.items()}] for oracle, values in rows]
    )
    done = subprocess.run(
        command,
        input=asked,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, **(env or {})},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    answers = json.loads(done.stdout.splitlines()[-1])
    assert len(answers) == len(rows)
    return {(oracle.name, str(values)): answer for (oracle, values), answer in zip(rows, answers, strict=True)}


def ms(text: str) -> int:
    """A duration in whole milliseconds."""
    return _whole(text, 10**6)


def us(text: str) -> int:
    """A duration in whole microseconds."""
    return _whole(text, 10**3)


def seconds(text: str) -> int:
    """A duration in whole seconds."""
    return _whole(text, 10**9)


def _whole(text: str, unit: int) -> int:
    value = parse_quantity(text).value
    assert isinstance(value, Fraction)
    amount = value / unit
    assert amount.denominator == 1, f"{text} is not whole in the unit of the software"
    return int(amount)


def fetched(path: str = "") -> Path | None:
    """A path below the folder that `tests/oracles/fetch` filled, if OUTLAST_ORACLES names one and it is there."""
    folder = os.environ.get("OUTLAST_ORACLES")
    found = Path(folder, path) if folder else None
    return found if found is not None and found.exists() else None


def executable(name: str, *places: str) -> str:
    """A program among what was fetched or on the PATH; without it the test is skipped."""
    for place in places:
        found = fetched(place)
        if found is not None:
            return str(found)
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not at hand")
    return path
