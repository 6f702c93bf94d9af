"""What recognition knows is compiled once for all tests here: that takes longer than to read most of their folders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from outlast.configs.recognise import recognise
from outlast.configs.recognise.pattern import Patterns, compile_patterns
from outlast.constraints.catalogue import Kind
from outlast.linting import all_kinds


@cache
def _of_all_kinds() -> Patterns:
    return compile_patterns(all_kinds())


def _compiled(kinds: Sequence[Kind]) -> Patterns:
    is_all = [kind.name for kind in kinds] == [kind.name for kind in all_kinds()]
    return _of_all_kinds() if is_all else compile_patterns(kinds)


@pytest.fixture(autouse=True)
def compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognise, "compile_patterns", _compiled)
